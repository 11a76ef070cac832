/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_deadlock.c: the watchdog of the pipelined model, between cycles.
 *
 * A buffer (input VC) can drain if what stands first in it can move one day: it has credit, or
 * credit or flits are in transmission on its channel, or it leads to a host or to a buffer that can
 * drain; a head that waits for an output VC needs one that is free or held by a buffer that can
 * drain; a packet whose rest is upstream needs that to come. The search: measure/deadlock.h. Cost:
 * O(VCs) a sweep. A network that stands still although everything could drain ends the run, too
 * (inspect/watchdog.c).
 */
#include "base/text_stream.h"
#include "sim/flit/pipe.h"
#include "sim/measure/deadlock.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct drain_search {
    const pipe *p;
    uint32_t *flits, *credits; /* [ports * vcs] in transmission, by the sending side */
    uint8_t *drains;           /* [switch_channels] */
} drain_search;

/* Input VC that holds an output VC of a switch. */
static uint32_t pipe_deadlock_holder_of(const pipe *p, uint32_t out_port, unsigned vc)
{
    const pipe_router *r = &p->routers[p->f->port_node[out_port]];
    uint16_t bit = pipe_holders(r, out_port - r->port_base, r->words)[vc];
    return bit == PIPE_NO_HOLDER ? IK_NONE : r->first + bit;
}

static uint32_t pipe_deadlock_out_port_of(const pipe *p, uint32_t where)
{
    return p->f->port_base[pipe_switch_of(p, where)] + p->in[where].out;
}

/* The output VC that an active buffer holds, by its sending side. */
static uint32_t pipe_deadlock_channel_of(const pipe *p, uint32_t where)
{
    return p->f->port_base[pipe_switch_of(p, where)] * p->vcs + p->in[where].out_bit;
}

/* Buffer at the other end of a channel, IK_NONE at a host. */
static uint32_t pipe_deadlock_buffer_behind(const pipe *p, uint32_t channel)
{
    uint32_t buffer = p->ports[channel / p->vcs].peer + channel % p->vcs;
    return buffer < p->switch_channels ? buffer : IK_NONE;
}

/* The buffer with the rest of a packet whose first flits have left this one; IK_NONE: still at its
 * host. */
static uint32_t pipe_deadlock_rest_of(const pipe *p, uint32_t where)
{
    uint32_t before = p->f->port_peer[where / p->vcs];
    return before < p->switch_ports ? pipe_deadlock_holder_of(p, before, where % p->vcs) : IK_NONE;
}

static bool pipe_deadlock_head_drains(const drain_search *h, uint32_t where)
{
    const pipe *p = h->p;
    for (unsigned vc = p->in[where].vc_first; vc <= p->in[where].vc_last; vc++) {
        uint32_t holder = pipe_deadlock_holder_of(p, pipe_deadlock_out_port_of(p, where), vc);
        if (holder == IK_NONE || h->drains[holder])
            return true;
    }
    return false;
}

static bool pipe_deadlock_active_drains(const drain_search *h, uint32_t where)
{
    const pipe *p = h->p;
    uint32_t channel = pipe_deadlock_channel_of(p, where),
             next = pipe_deadlock_buffer_behind(p, channel), rest;
    if (p->in[where].count == 0) {
        rest = pipe_deadlock_rest_of(p, where);
        return rest == IK_NONE || h->drains[rest] ||
               h->flits[p->ports[where / p->vcs].peer + where % p->vcs];
    }
    return next == IK_NONE || p->credits[channel] || h->credits[channel] || h->flits[channel] ||
           h->drains[next];
}

/* A head that is still being routed does not ask for an output yet: where it will go is not known
 * here. */
static bool pipe_deadlock_is_asking(const pipe *p, uint32_t where)
{
    const pipe_router *r = &p->routers[pipe_switch_of(p, where)];
    return pipe_sets_set_has(pipe_state_pipe_wait(r, p->in[where].out), where - r->first, r->words);
}

static bool pipe_deadlock_can_drain(const drain_search *h, uint32_t where)
{
    switch (h->p->in[where].state) {
    case VC_WAITING:
        return !pipe_deadlock_is_asking(h->p, where) || pipe_deadlock_head_drains(h, where);
    case VC_ACTIVE:
        return pipe_deadlock_active_drains(h, where);
    default:
        return true;
    }
}

static bool pipe_deadlock_sweep(void *ctx, size_t *dead)
{
    drain_search *h = ctx;
    bool added = false;
    *dead = SIZE_MAX;
    for (uint32_t where = 0; where < h->p->switch_channels; where++) {
        if (h->drains[where])
            continue;
        h->drains[where] = pipe_deadlock_can_drain(h, where);
        added |= h->drains[where];
        if (!h->drains[where] && *dead == SIZE_MAX)
            *dead = where;
    }
    return added;
}

static void pipe_deadlock_count_under_way(void *ctx)
{
    const drain_search *h = ctx;
    pipe_count_events(h->p, h->flits, h->credits);
}

/* ---- the evidence */

/* A stuck buffer that this one waits for. */
static uint32_t pipe_deadlock_waits_for(const pipe *p, uint32_t where)
{
    const pipe_vc *v = &p->in[where];
    if (v->state == VC_WAITING)
        return pipe_deadlock_holder_of(p, pipe_deadlock_out_port_of(p, where), v->vc_first);
    return v->count ? pipe_deadlock_buffer_behind(p, pipe_deadlock_channel_of(p, where))
                    : pipe_deadlock_rest_of(p, where);
}

static void pipe_deadlock_describe(const pipe *p, FILE *out, uint32_t where)
{
    char in[160], to[160];
    const pipe_vc *v = &p->in[where];
    fprintf(out, "buffer %s VC %u", ik_port_describe(p->f, where / p->vcs, in, sizeof in),
            where % p->vcs);
    if (v->count > 0) {
        const ik_packet *rt = pipe_rt_of(p, v->front >> 2);
        fprintf(out, ": packet of host %u for host %u", ik_whole_host(p->f, rt->src),
                ik_whole_host(p->f, rt->dst));
    }
    if (v->state == VC_ACTIVE && v->count == 0)
        fprintf(out, " waits for the rest of its packet\n");
    else
        fprintf(out, " waits for %s\n",
                ik_port_describe(p->f, pipe_deadlock_out_port_of(p, where), to, sizeof to));
}

static size_t pipe_deadlock_follow(void *ctx, size_t buffer, FILE *out)
{
    const pipe *p = ((const drain_search *)ctx)->p;
    if (out)
        pipe_deadlock_describe(p, out, (uint32_t)buffer);
    uint32_t next = pipe_deadlock_waits_for(p, (uint32_t)buffer);
    return next == IK_NONE ? SIZE_MAX : next;
}

/* ---- a network that stands still */

/* Whether a buffer has flits that nobody has to route first. */
static bool pipe_deadlock_could_move(const pipe *p, uint32_t where)
{
    return p->in[where].count > 0 &&
           (p->in[where].state == VC_ACTIVE ||
            (p->in[where].state == VC_WAITING && pipe_deadlock_is_asking(p, where)));
}

/* Whether no packet has passed a switch since moves were last counted (`before`), nothing is in
 * transmission or being routed, and a buffer has flits that could go: *first. */
static bool pipe_deadlock_stands_still(const drain_search *h, uint64_t before, uint32_t *first)
{
    const pipe *p = h->p;
    uint64_t under_way = 0;
    *first = IK_NONE;
    if (p->watched_moves != before)
        return false;
    pipe_count_events(p, h->flits, h->credits);
    for (size_t c = 0; c < (size_t)p->f->num_ports * p->vcs; c++)
        under_way += h->flits[c] + h->credits[c];
    for (uint32_t where = p->switch_channels; where-- > 0;)
        if (pipe_deadlock_could_move(p, where))
            *first = where;
        else
            under_way += p->in[where].count;
    return under_way == 0 && *first != IK_NONE;
}

static uint64_t pipe_deadlock_count_moves(const pipe *p)
{
    uint64_t moves = 0;
    for (unsigned q = 0; q < p->num_partitions; q++)
        moves += p->partitions[q].n.hops + p->partitions[q].started + p->partitions[q].gone;
    return moves;
}

/* Whether a head in a router may not have had the time to pass its stages since moves were last
 * counted: a run may end a cycle after a search. Ticks are no longer than cycles. */
static bool pipe_deadlock_is_early(const pipe *p, uint64_t cycle)
{
    enum { BETWEEN_STAGES = 8 }; /* more than the ticks that arrival and grants take */
    return cycle - p->watched_cycle <
           p->routing + p->vc_alloc + p->sw_alloc + p->traversal + BETWEEN_STAGES;
}

static ik_status pipe_deadlock_look_for_standstill(pipe *p, const drain_search *h, ik_error *err)
{
    ik_text_stream stream;
    uint64_t before = p->watched_moves, cycle = p->partitions[0].cycle;
    uint32_t first;
    if (pipe_deadlock_is_early(p, cycle))
        return IK_OK;
    p->watched_moves = pipe_deadlock_count_moves(p);
    p->watched_cycle = cycle;
    if (!pipe_deadlock_stands_still(h, before, &first))
        return IK_OK;
    ik_status status = ik_text_stream_open(&stream, err);
    if (status != IK_OK)
        return status;
    p->deadlock = true;
    fprintf(stream.out, DEADLOCK_STANDSTILL);
    pipe_deadlock_describe(p, stream.out, first);
    return ik_text_stream_close(&stream, &p->deadlock_text, NULL, err);
}

ik_status pipe_find_deadlock(pipe *p, ik_error *err)
{
    size_t channels = (size_t)p->f->num_ports * p->vcs;
    if (pipe_in_flight(p) == 0)
        return IK_OK;
    drain_search h = {p, ik_calloc(channels + 1, sizeof *h.flits),
                      ik_calloc(channels + 1, sizeof *h.credits),
                      ik_calloc((size_t)p->switch_channels + 1, 1)};
    const drain_rules rules = {&h, p->switch_channels, pipe_deadlock_sweep,
                               pipe_deadlock_count_under_way, pipe_deadlock_follow};
    ik_status status = h.flits && h.credits && h.drains
                           ? deadlock_find(&rules, &p->deadlock, &p->deadlock_text, err)
                           : ik_fail_memory(err, channels * 9, "the watchdog");
    if (status == IK_OK && !p->deadlock)
        status = pipe_deadlock_look_for_standstill(p, &h, err);
    free(h.flits);
    free(h.credits);
    free(h.drains);
    return status;
}
