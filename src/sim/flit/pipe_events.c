/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_events.c: the wheel of ticks: flits and credits in transmission, hosts that will wake up.
 *
 * In a small network events are applied one after another. In a large one each flit would touch a
 * router that has left the cache, so those of a router are chained and left to its turn, when its
 * state is fetched anyhow.
 */
#include "sim/flit/pipe.h"
#include "sim/flit/pipe_fetch.h"

#include <assert.h>
#include <stdlib.h>

/* ---- posting */

/* Doubles a list of which all room is taken. list, next, last: the addresses of pointers, to its
 * start, behind its `count` elements and behind its room. */
static bool pipe_events_grow(void *list, void *next, void *last, size_t count, size_t size)
{
    size_t cap = count ? count * 2 : 32;
    char *old, *grown;
    memcpy(&old, list, sizeof old);
    grown = realloc(old, cap * size);
    if (!grown)
        return false;
    char *end = grown + count * size, *room = grown + cap * size;
    memcpy(list, &grown, sizeof grown);
    memcpy(next, &end, sizeof end);
    memcpy(last, &room, sizeof room);
    return true;
}

bool pipe_grow_flits(pipe_partition *q, pipe_slot *at)
{
    size_t count = (size_t)(at->next_flit - at->flits);
    bool grown =
        pipe_events_grow(&at->flits, &at->next_flit, &at->last_flit, count, sizeof *at->flits);
    q->grown += grown ? ((size_t)(at->last_flit - at->flits) - count) * sizeof *at->flits : 0;
    q->failed |= !grown;
    return grown;
}

bool pipe_grow_credits(pipe_partition *q, pipe_slot *at)
{
    size_t count = (size_t)(at->next_credit - at->credits);
    bool grown = pipe_events_grow(&at->credits, &at->next_credit, &at->last_credit, count,
                                  sizeof *at->credits);
    q->grown += grown ? ((size_t)(at->last_credit - at->credits) - count) * sizeof *at->credits : 0;
    q->failed |= !grown;
    return grown;
}

void pipe_add_flit(pipe_partition *q, uint64_t tick, pipe_event e)
{
    assert(tick >= q->now && tick - q->now <= q->p->wheel_mask); /* else it would come too early */
    pipe_slot *at = &q->slots[tick & q->p->wheel_mask];
    if (at->next_flit != at->last_flit || pipe_grow_flits(q, at))
        *at->next_flit++ = e;
}

void pipe_add_credit(pipe_partition *q, uint64_t tick, uint32_t where)
{
    assert(tick >= q->now && tick - q->now <= q->p->wheel_mask);
    pipe_slot *at = &q->slots[tick & q->p->wheel_mask];
    if (at->next_credit != at->last_credit || pipe_grow_credits(q, at))
        *at->next_credit++ = where;
}

static bool pipe_events_grow_hosts(pipe_partition *q, pipe_slot *at)
{
    uint32_t cap = at->cap_hosts ? at->cap_hosts * 2 : 16;
    uint32_t *grown = realloc(at->hosts, cap * sizeof *grown);
    q->failed |= !grown;
    if (!grown)
        return false;
    q->grown += (cap - at->cap_hosts) * sizeof *grown;
    at->hosts = grown;
    at->cap_hosts = cap;
    return true;
}

/* Beyond the wheel the host is woken at its end and looks again. */
void pipe_wake_host(pipe_partition *q, uint32_t host, uint64_t tick)
{
    const pipe *p = q->p;
    if (tick >= p->end * p->speedup)
        return;
    if (tick > q->now + p->wheel_mask)
        tick = (q->now + p->wheel_mask) / p->speedup * p->speedup;
    pipe_slot *at = &q->slots[tick & p->wheel_mask];
    if (at->num_hosts == at->cap_hosts && !pipe_events_grow_hosts(q, at))
        return;
    at->hosts[at->num_hosts++] = host;
}

/* ---- one after another */

static void pipe_events_take_credits(pipe_partition *q, const pipe_slot *at)
{
    const pipe *p = q->p;
    uint16_t *credits = p->credits;
    const uint32_t *fetched = p->staged && at->next_credit - at->credits > FETCH_EVENTS
                                  ? at->next_credit - FETCH_EVENTS
                                  : at->credits;
    for (const uint32_t *c = at->credits; c < at->next_credit; c++) {
        if (c < fetched)
            pipe_fetch_line(&credits[c[FETCH_EVENTS]]);
        if (credits[*c]++ == 0 && *c < p->switch_channels)
            pipe_end_starvation(q, *c);
    }
}

static void pipe_events_take_flits(pipe_partition *q, const pipe_slot *at)
{
    const pipe *p = q->p;
    for (const pipe_event *e = at->flits; e < at->next_flit; e++)
        if (e->where < p->switch_channels)
            pipe_receive(q, e->where, e->flit);
        else
            pipe_deliver(q, e->where, e->flit);
}

/* ---- by routers */

static bool pipe_events_grow_arrivals(pipe_partition *q, size_t least)
{
    if (least <= q->cap_arrivals)
        return true;
    size_t cap = least > 2 * q->cap_arrivals ? least : 2 * q->cap_arrivals;
    pipe_arrival *grown = realloc(q->arrivals, cap * sizeof *grown);
    q->failed |= !grown;
    if (!grown)
        return false;
    q->grown += (cap - q->cap_arrivals) * sizeof *grown;
    q->arrivals = grown;
    q->cap_arrivals = cap;
    return true;
}

static void pipe_events_leave_to_router(pipe_partition *q, pipe_event e, uint32_t number)
{
    assert(number < q->cap_arrivals);
    uint32_t sw = pipe_switch_of(q->p, e.where);
    pipe_turn *turn = &q->turns[sw];
    if (!turn->listed) {
        turn->listed = true;
        q->list[q->num_listed++] = sw;
    }
    q->arrivals[number] = (pipe_arrival){e.where, e.flit, turn->arrivals};
    turn->arrivals = number;
}

/* What a delivery touches. */
static void pipe_events_fetch_delivery(const pipe *p, pipe_event e)
{
    uint32_t port = e.where / p->vcs;
    if (e.where < p->switch_channels)
        return;
    uint32_t host = ik_node_host(p->f, p->f->port_node[port]);
    pipe_fetch_line(&p->ports[port]);
    pipe_fetch_line(&p->hosts[host].hash);
    pipe_fetch_line(&p->host_bytes[host]);
    pipe_fetch_line(pipe_packet_of(p, e.flit >> 2));
    pipe_fetch_line(pipe_rt_of(p, e.flit >> 2));
}

static void pipe_events_leave_flits(pipe_partition *q, const pipe_slot *at)
{
    const pipe *p = q->p;
    size_t count = (size_t)(at->next_flit - at->flits);
    uint32_t left = 0;
    if (!pipe_events_grow_arrivals(q, count))
        return;
    for (size_t k = 0; k < count; k++) {
        pipe_event e = at->flits[k];
        if (k + FETCH_EVENTS < count)
            pipe_events_fetch_delivery(p, at->flits[k + FETCH_EVENTS]);
        if (e.where < p->switch_channels)
            pipe_events_leave_to_router(q, e, left++);
        else
            pipe_deliver(q, e.where, e.flit);
    }
}

/* ---- */

static int pipe_events_by_channel(const void *a, const void *b)
{
    uint32_t x = ((const pipe_event *)a)->where, y = ((const pipe_event *)b)->where;
    return (x > y) - (x < y);
}

static void pipe_events_wake_hosts(pipe_partition *q, pipe_slot *at)
{
    const pipe *p = q->p;
    for (uint32_t k = 0; k < at->num_hosts; k++) {
        uint32_t host = at->hosts[k];
        if (p->staged && k + FETCH_EVENTS < at->num_hosts)
            pipe_fetch_line(&p->hosts[at->hosts[k + FETCH_EVENTS]].awake);
        if (!p->hosts[host].awake) {
            p->hosts[host].awake = true;
            q->ready_hosts[q->num_ready_hosts++] = host;
        }
    }
    at->num_hosts = 0;
}

void pipe_take_events(pipe_partition *q)
{
    const pipe *p = q->p;
    pipe_slot *at = &q->slots[q->now & p->wheel_mask];
    if (p->order && at->flits) /* a host with several links may get two packets of a flow at once */
        qsort(at->flits, (size_t)(at->next_flit - at->flits), sizeof *at->flits,
              pipe_events_by_channel);
    pipe_events_take_credits(q, at);
    if (p->staged)
        pipe_events_leave_flits(q, at);
    else
        pipe_events_take_flits(q, at);
    at->next_credit = at->credits;
    at->next_flit = at->flits;
    pipe_events_wake_hosts(q, at);
}
