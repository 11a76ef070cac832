/* SPDX-License-Identifier: Apache-2.0
 *
 * sim/state/events.c: posting an event where it is not the usual case: beyond the timing wheel,
 * into the current window, to another partition; growth of the arrays. */
#include "sim/state/events.h"
#include "base/array.h"
#include "sim/measure/edges.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void sim_partition_fail(partition *p, size_t bytes, const char *what)
{
    if (p->status == IK_OK)
        p->status = ik_fail_memory(&p->err, bytes, what);
}

void sim_check_step(partition *p, const ik_packet *rt, uint32_t in_port, unsigned in_vc,
                    uint32_t out_port, unsigned out_vc)
{
    if (!sim_edges_step(p->edges, rt, in_port, in_vc, out_port, out_vc) && p->status == IK_OK)
        p->status = sim_edges_judge(p->edges, &p->err);
}

void sim_broken(partition *p, const char *format, ...)
{
    char text[400];
    va_list args;
    if (p->status != IK_OK)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->status = ik_fail(&p->err, IK_ERR_INTERNAL, "simulation: %s", text);
}

bool sim_post_far(partition *p, uint64_t time, const event *e)
{
    if (sim_wheel_add_far(&p->wheel, time, e))
        return true;
    sim_partition_fail(p, sizeof(far_event), "far events");
    return false;
}

bool sim_local_room(partition *p, uint32_t count)
{
    if (IK_ARRAY_ROOM(p->local, p->local_cap, count))
        return true;
    sim_partition_fail(p, 2 * p->local_cap * sizeof *p->local, "events of a window");
    return false;
}

/* Inserts into the sorted rest of the node's events of this window; new events mostly come last. */
void sim_post_now(partition *p, const event *e)
{
    if (!sim_local_room(p, p->local_count + 1))
        return;
    uint32_t at = p->local_count++;
    while (at > p->local_at && p->local[at - 1].key > e->key) {
        p->local[at] = p->local[at - 1];
        at--;
    }
    p->local[at] = *e;
}

void sim_post_message(partition *p, unsigned to, uint64_t time, const event *e, const packet *pk,
                      uint32_t sequence)
{
    uint64_t dt = time - p->step_start;
    uint32_t later = dt >> 32 != 0, low = (uint32_t)e->key;
    sim_unit *at =
        sim_endpoint_units(&p->endpoint, to, later + (pk ? sim_arrival_units(p->sim) : 1));
    if (!at) {
        sim_partition_fail(p, sizeof(sim_message), "messages between partitions");
        return;
    }
    if (later)
        *at++ = (sim_unit){0, 0, (uint32_t)SIM_LATER << 30, (uint32_t)(dt >> 32)};
    if (pk) {
        sim_packet_record record = {pk->rt,     pk->t_gen,    pk->t_inject, pk->t_tail,
                                    pk->number, pk->unrouted, pk->vc_first, pk->out};
        *at = (sim_unit){(uint32_t)dt, e->node, low, pk->size};
        memcpy(at + 1, &record, sizeof record);
        if (sim_numbered(p->sim))
            at[SIM_ARRIVAL_UNITS] = (sim_unit){.data = sequence};
    } else {
        *at = (sim_unit){(uint32_t)dt, e->node, low, e->data};
    }
    p->endpoint.posted++;
    if (time < p->out_first)
        p->out_first = time;
}

/* The numbers that packets carry, where they have any. */
static bool events_grow_sequence(partition *p, uint32_t cap)
{
    uint64_t *sequence =
        sim_numbered(p->sim) ? realloc(p->sequence, cap * sizeof *sequence) : p->sequence;
    if (sim_numbered(p->sim) && !sequence)
        return false;
    p->sequence = sequence;
    return true;
}

bool sim_grow_pool(partition *p)
{
    uint32_t cap = p->pool_cap + p->pool_cap / 2 + 1024;
    packet *pool = /* one packet, one cache line */
        events_grow_sequence(p, cap) ? sim_alloc(cap, sizeof *pool) : NULL;
    if (!pool) {
        sim_partition_fail(p, cap * sizeof *pool, "packets");
        return false;
    }
    if (p->pool)
        memcpy(pool, p->pool, p->pool_size * sizeof *pool);
    free(p->pool);
    p->pool = pool;
    p->pool_cap = cap;
    IK_POISON(pool + p->pool_size, (cap - p->pool_size) * sizeof *pool);
    return true;
}

/* ---- the events of a window, node by node */

void sim_chain_events(partition *p, const slot *at)
{
    wheel *w = &p->wheel;
    uint32_t *heads = p->sim->window.node_head;
    for (uint32_t c = at->first; c != IK_NONE; c = w->events[c * 64].node) {
        uint32_t id = c * 64, end = id + sim_chunk_count(w, at, c);
        p->n.events += end - id;
        while (id++ < end) {
            event *e = &w->events[id];
            uint32_t node = e->node;
            if (calendar_event_kind(e) == EV_ARRIVAL && !p->sim->choice.staged)
                __builtin_prefetch(&p->pool[e->data], 1);
            if (heads[node] == IK_NONE)
                p->active[p->num_active++] = node;
            e->node = heads[node]; /* becomes the link */
            heads[node] = id;
        }
    }
}

/* A node mostly has a few events per window: insertion; large groups are sorted by the library. */
static int events_by_key(const void *a, const void *b)
{
    uint64_t x = ((const event *)a)->key, y = ((const event *)b)->key;
    return (x > y) - (x < y);
}

bool sim_gather(partition *p, uint32_t node)
{
    uint32_t n = 0, *head = &p->sim->window.node_head[node];
    for (uint32_t id = *head; id != IK_NONE; n++) {
        if (!sim_local_room(p, n + 1))
            return false;
        event e = p->wheel.events[id];
        id = e.node;
        uint32_t k = n;
        if (n < 24)
            for (; k > 0 && p->local[k - 1].key > e.key; k--)
                p->local[k] = p->local[k - 1];
        p->local[k] = e;
    }
    if (n > 24)
        qsort(p->local, n, sizeof *p->local, events_by_key);
    *head = IK_NONE;
    p->local_count = n;
    p->local_at = 0;
    return true;
}

void sim_host_wake_at(partition *p, uint32_t host, uint64_t t)
{
    const sim *s = p->sim;
    host_state *h = &s->host.state[host];
    p->after_end |= t >= s->measure.past_ps && t != UINT64_MAX;
    if (t >= h->wake_at || t >= s->measure.past_ps)
        return;
    h->wake_at = t;
    events_post_own(p, t, ik_host_node(s->f, host), EV_WAKE, h->port, 0,
                    s->engine.hosts_post_now && p->turn == ik_host_node(s->f, host));
}

uint64_t sim_in_flight(const sim *s)
{
    uint64_t sent = 0, gone = 0;
    for (unsigned q = 0; q < s->parallel.num_partitions; q++) {
        sent += s->parallel.partitions[q].n.injected;
        gone += s->parallel.partitions[q].n.delivered + s->parallel.partitions[q].n.held +
                s->parallel.partitions[q].n.unroutable;
    }
    return sent - gone;
}
