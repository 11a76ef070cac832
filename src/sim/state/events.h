/* SPDX-License-Identifier: Apache-2.0
 *
 * state/events.h: posting events, and the pool of packets. */
#ifndef IKAT_SIM_EVENTS_H
#define IKAT_SIM_EVENTS_H

#include "base/poison.h"
#include "sim/state/state.h"

#include <assert.h>

bool sim_post_far(partition *p, uint64_t time, const event *e);
/* pk: of an arrival, else NULL; sequence: the number that it carries, if packets do. */
void sim_post_message(partition *p, unsigned to, uint64_t time, const event *e, const packet *pk,
                      uint32_t sequence);
void sim_post_now(partition *p, const event *e);
/* Room for so many events of one node in p->local; false = out of memory. */
bool sim_local_room(partition *p, uint32_t count);
/* Chains the events of the window being worked on by their nodes, which p->active lists behind
 * those that it has. */
void sim_chain_events(partition *p, const slot *at);
/* Copies the chained events of a node into p->local, in order; false = out of memory. */
bool sim_gather(partition *p, uint32_t node);
void sim_partition_fail(partition *p, size_t bytes, const char *what);
/* Paranoid only (p->edges): a packet that came by in_port on in_vc is given out_vc of the channel
 * from out_port. The partition fails if that is no edge of the proved graph. */
void sim_check_step(partition *p, const ik_packet *rt, uint32_t in_port, unsigned in_vc,
                    uint32_t out_port, unsigned out_vc);
bool sim_grow_pool(partition *p);
void sim_broken(partition *p, const char *format, ...) IK_PRINTF(2, 3);

/* Of an arrival in messages between partitions. */
SIM_INLINE uint32_t sim_arrival_units(const sim *s)
{
    return SIM_ARRIVAL_UNITS + sim_numbered(s);
}

SIM_INLINE uint64_t events_window_of(const sim *s, uint64_t dt)
{
    assert(s->window.lookahead > 0 && s->window.reciprocal > 0);
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)(((u128)dt * s->window.reciprocal) >> 64);
}

/* Posts an event of this partition. time >= start of the current window; same_node: may fall into
 * the current window. */
SIM_INLINE void events_post_own(partition *p, uint64_t time, uint32_t node, unsigned kind,
                                uint32_t port, uint32_t data, bool same_node)
{
    const sim *s = p->sim;
    assert(time >= p->start && node < ik_num_nodes(s->f));
    uint64_t dt = time - p->start;
    event e = {calendar_event_key(kind, port), node, data};
    if (__builtin_expect(dt >= s->window.span, 0)) {
        sim_post_far(p, time, &e);
        return;
    }
    uint64_t ahead = events_window_of(s, dt);
    e.key |= (dt - ahead * s->window.lookahead) << 32;
    if (same_node && ahead == 0) {
        sim_post_now(p, &e);
        return;
    }
    wheel *w = &p->wheel;
    uint32_t index = (uint32_t)(p->window + ahead) & (w->num_slots - 1);
    slot *at = &w->slots[index];
    if (__builtin_expect(at->end & 63, 1))
        w->events[at->end++] = e;
    else if (!sim_wheel_add(w, index, &e))
        sim_partition_fail(p, 64 * sizeof e, "events");
}

SIM_INLINE uint32_t events_new_packet(partition *p)
{
    uint32_t id = p->free_packet;
    if (id != IK_NONE) {
        IK_UNPOISON(&p->pool[id], sizeof *p->pool);
        p->free_packet = p->pool[id].next;
        return id;
    }
    if (p->pool_size == p->pool_cap && !sim_grow_pool(p))
        return IK_NONE;
    IK_UNPOISON(&p->pool[p->pool_size], sizeof *p->pool);
    return p->pool_size++;
}

SIM_INLINE void events_free_packet(partition *p, uint32_t id)
{
    assert(p->free_packet != id); /* freed twice, the pool would give it out twice */
    assert(id < p->pool_size);
    p->pool[id].next = p->free_packet;
    p->free_packet = id;
    IK_POISON(&p->pool[id], sizeof *p->pool);
}

/* Posts an event at another node, at least one lookahead away. */
SIM_INLINE void events_post_remote(partition *p, uint64_t time, uint32_t node, unsigned kind,
                                   uint32_t port, uint32_t data)
{
    assert(node < ik_num_nodes(p->sim->f) && time >= p->start);
    const sim *s = p->sim;
    if (s->parallel.num_partitions > 1 && s->parallel.node_partition[node] != p->id) {
        event e = {calendar_event_key(kind, port), node, data};
        sim_post_message(p, s->parallel.node_partition[node], time, &e,
                         kind == EV_ARRIVAL ? p->pool + data : NULL,
                         kind == EV_ARRIVAL && sim_numbered(s) ? (uint32_t)p->sequence[data] : 0);
        if (kind == EV_ARRIVAL)
            events_free_packet(p, data);
        return;
    }
    events_post_own(p, time, node, kind, port, data, false);
}

/* A host looks for something to send at time t, not before the window being worked on, if it would
 * not do so earlier. */
void sim_host_wake_at(partition *p, uint32_t host, uint64_t t);

#endif
