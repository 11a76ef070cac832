/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_watch.c: what the pipelined router notes of watched packets (measure/watch.h): of their
 * heads; the rest of a packet follows. */
#include "sim/flit/pipe.h"
#include "sim/measure/watch.h"

#include <stdlib.h>

ik_status pipe_watch(pipe *p, watch *w, ik_error *err)
{
    free(w->begun);
    w->begun = ik_calloc((size_t)p->f->num_hosts + 1, sizeof *w->begun);
    if (!w->begun)
        return ik_fail_memory(err, p->f->num_hosts * sizeof *w->begun, "watched packets");
    p->watch = w;
    p->notes_deliveries = true;
    p->staged = true; /* flits are taken in by the router's own kernel */
    return watch_begin(w, p->num_partitions, err);
}

static uint64_t pipe_watch_ps_of(const pipe *p, uint64_t tick)
{
    return tick * p->clock_ps / p->speedup;
}

static uint32_t pipe_watch_slot_of(const pipe *p, uint32_t packet)
{
    return watch_find(p->watch, pipe_rt_of(p, packet)->src, pipe_packet_of(p, packet)->number);
}

/* ---- hosts */

static void pipe_watch_note_injected(pipe_partition *q, uint32_t host, const pipe_host *h)
{
    const pipe *p = q->p;
    const watch_hosts of = {.src = host,
                            .dst = h->dst,
                            .number = h->packets - 1,
                            .t_gen = h->generated * p->clock_ps,
                            .channel = h->port,
                            .bytes = p->packet_bytes,
                            .vc = h->vc};
    watch_note_sent(p->watch, q->id, &of, p->watch->begun[host] * p->clock_ps,
                    q->cycle * p->clock_ps, 0);
}

void pipe_watch_host(pipe_partition *q, uint32_t host)
{
    const pipe_host *h = &q->p->hosts[host];
    uint64_t packets = h->packets, started = q->started;
    pipe_run_host(q, host);
    if (h->packets > packets)
        q->p->watch->begun[host] = q->cycle;
    if (q->started > started)
        pipe_watch_note_injected(q, host, h);
}

void pipe_watch_delivered(pipe_partition *q, uint32_t where, uint32_t packet)
{
    const pipe *p = q->p;
    const ik_packet *rt = pipe_rt_of(p, packet);
    const pipe_packet *pk = pipe_packet_of(p, packet);
    const watch_hosts of = {.src = rt->src,
                            .dst = rt->dst,
                            .number = pk->number,
                            .t_gen = pk->generated * p->clock_ps,
                            .channel = p->f->port_peer[where / p->vcs],
                            .vc = (uint8_t)(where % p->vcs)};
    watch_note_delivered(p->watch, q->id, &of, q->cycle * p->clock_ps, q->cycle >= p->warmup);
}

/* ---- routers */

void pipe_watch_arrived(pipe_partition *q, const pipe_router *r, uint32_t bit, uint32_t flit)
{
    const pipe *p = q->p;
    uint32_t which = flit & 2 ? pipe_watch_slot_of(p, flit >> 2) : IK_NONE;
    uint32_t port = r->port_base + bit / p->vcs, from = p->f->port_peer[port];
    if (which == IK_NONE)
        return;
    watch_place *at = watch_add_place(p->watch, q->id);
    if (!at) {
        q->failed = true;
        return;
    }
    *at = (watch_place){.slot = which,
                        .id = flit >> 2,
                        .node = p->f->port_node[port],
                        .port = port,
                        .from = from,
                        .vc = (uint8_t)(bit % p->vcs)};
    watch_note_stage(p->watch, q->id, which, IK_WATCH_ARRIVED, pipe_watch_ps_of(p, q->now), from,
                     at->vc);
}

/* The place of the packet at the front of an input VC; NULL = it is not watched. */
static watch_place *pipe_watch_place_at(pipe_partition *q, const pipe_router *r, uint32_t bit)
{
    return watch_place_of(q->p->watch, q->id, r->in[bit].front >> 2);
}

static void pipe_watch_note(pipe_partition *q, watch_place *at, ik_watch_stage stage,
                            uint32_t channel, unsigned vc)
{
    at->out = (uint32_t)q->now;
    at->reason = IK_WATCH_NOTHING;
    watch_note_stage(q->p->watch, q->id, at->slot, stage, pipe_watch_ps_of(q->p, q->now), channel,
                     vc);
}

void pipe_watch_routed(pipe_partition *q, const pipe_router *r, uint32_t bit, bool dropped)
{
    watch_place *at = pipe_watch_place_at(q, r, bit);
    const pipe_vc *v = &r->in[bit];
    if (!at)
        return;
    if (dropped) {
        pipe_watch_note(q, at, IK_WATCH_DROPPED, at->from, at->vc);
        watch_remove_place(q->p->watch, q->id, at->id);
    } else {
        pipe_watch_note(q, at, IK_WATCH_ROUTED, r->port_base + v->out, v->vc_first);
    }
}

void pipe_watch_vc(pipe_partition *q, const pipe_router *r, uint32_t bit)
{
    watch_place *at = pipe_watch_place_at(q, r, bit);
    const pipe_vc *v = &r->in[bit];
    if (at)
        pipe_watch_note(q, at, IK_WATCH_VC, r->port_base + v->out, v->out_bit % q->p->vcs);
}

/* When the link takes what wins the switch now: pipe_send_flit. */
static uint64_t pipe_watch_link_tick(const pipe_partition *q, const pipe_port *port)
{
    const pipe *p = q->p;
    uint64_t tick = q->now + p->sw_alloc + p->traversal;
    tick = (tick + p->speedup - 1) / p->speedup * p->speedup;
    return tick < port->free_at ? port->free_at : tick;
}

void pipe_watch_granted(pipe_partition *q, const pipe_router *r, uint32_t bit)
{
    const pipe *p = q->p;
    const pipe_vc *v = &r->in[bit];
    watch_place *at = v->front & 2 ? pipe_watch_place_at(q, r, bit) : NULL;
    if (!at)
        return;
    uint32_t channel = r->port_base + v->out, which = at->slot;
    pipe_watch_note(q, at, IK_WATCH_GRANTED, channel, v->out_bit % p->vcs);
    watch_remove_place(p->watch, q->id, at->id);
    watch_note_stage(p->watch, q->id, which, IK_WATCH_SENT,
                     pipe_watch_ps_of(p, pipe_watch_link_tick(q, &r->ports[v->out])), channel,
                     v->out_bit % p->vcs);
}

/* ---- waiting */

static uint32_t pipe_watch_count_ahead(const pipe *p, const pipe_router *r, uint32_t bit,
                                       uint32_t packet)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->in[bit].count; k++) {
        uint32_t flit = pipe_flit_at(p, r->first + bit, k);
        if (flit >> 2 == packet)
            break;
        n += flit & 1;
    }
    return n ? n : 1; /* the tail of one is still to come */
}

/* Why it has not won what it asked for in this tick; NOTHING: it has not asked. */
static ik_watch_reason pipe_watch_why(const pipe_partition *q, const pipe_router *r,
                                      const watch_place *at, uint32_t bit)
{
    const pipe *p = q->p;
    const pipe_kernel k = pipe_kernel_of(r);
    const pipe_vc *v = &r->in[bit];
    bool fresh = at->out == (uint32_t)q->now && (p->routing || v->state == VC_ACTIVE);
    if (v->count == 0 || v->front >> 2 != at->id)
        return IK_WATCH_BEHIND;
    if (fresh || pipe_sets_set_has(pipe_unready(r, k), bit, k.words))
        return IK_WATCH_NOTHING;
    if (v->state == VC_WAITING &&
        pipe_sets_set_has(pipe_state_pipe_wait(r, v->out), bit, k.words)) {
        uint64_t allowed = (~UINT64_C(0) >> (63 - v->vc_last)) & (~UINT64_C(0) << v->vc_first),
                 free_vcs =
                     pipe_sets_set_slice(pipe_free_out(r, k), v->out * p->vcs, p->vc_mask, k.words);
        return allowed & free_vcs ? IK_WATCH_TURN : IK_WATCH_FREE_VC;
    }
    if (v->state != VC_ACTIVE)
        return IK_WATCH_NOTHING;
    if (r->credits[v->out_bit] == 0)
        return IK_WATCH_CREDIT;
    return r->ports[v->out].free_at > q->now + p->sw_alloc + p->traversal ? IK_WATCH_LINK
                                                                          : IK_WATCH_TURN;
}

void pipe_watch_look(pipe_partition *q, const pipe_router *r)
{
    const pipe *p = q->p;
    watch_log *log = &p->watch->logs[q->id];
    for (size_t n = 0; n < log->num_places; n++) {
        watch_place *at = &log->places[n];
        uint32_t bit = (at->port - r->port_base) * p->vcs + at->vc;
        if (at->port < r->port_base || at->port - r->port_base >= r->radix)
            continue;
        ik_watch_reason reason = pipe_watch_why(q, r, at, bit);
        if (reason == at->reason || reason == IK_WATCH_NOTHING)
            continue;
        bool behind = reason == IK_WATCH_BEHIND;
        at->reason = (uint8_t)reason;
        watch_add(p->watch, q->id, at->slot, 0,
                  &(ik_watch_event){.t_ps = pipe_watch_ps_of(p, q->now),
                                    .channel = behind ? at->from : r->port_base + r->in[bit].out,
                                    .ahead = behind ? pipe_watch_count_ahead(p, r, bit, at->id) : 0,
                                    .stage = IK_WATCH_WAITS,
                                    .reason = (uint8_t)reason,
                                    .vc = at->vc});
    }
}
