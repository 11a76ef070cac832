/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_router.c: one tick of one pipelined router: switch allocation and traversal (pipe_switch.h),
 * VC allocation (pipe_vcs.h), both with allocators that take lists (pipe_lists.h), routing.
 *
 * The stages run from the last to the first, so that what one of them does is seen by the next a
 * tick later: that is the pipeline with a tick a stage, and costs nothing. Stages that take longer
 * hold an input VC back (`unready`). Output VCs that tails free are noted and offered from the next
 * tick on. Without routing delay packets are routed before VC allocation.
 *
 * iSLIP and the separable output-first allocator work on the sets: outputs choose the next member
 * after their pointer. That the VCs of an input that want the same output take turns need only be
 * decided for the one that wins. The other allocators get a list of requests, and so does
 * every one where inputs or outputs have several ports of the crossbar.
 *
 * There are four kernels from one text: `words` is a constant 1 for routers with up to 64 input
 * VCs; `plain` says that no stage takes longer than a tick, links take a flit a tick and both
 * allocators are iSLIP with one iteration, and has a kernel for 128 input VCs, too.
 */
#include "sim/flit/pipe_fetch.h"
#include "sim/flit/pipe_lists.h"

#include <assert.h>

/* ---- arrivals */

static void list_router(pipe_partition *q, uint32_t sw)
{
    if (!q->turns[sw].listed) {
        q->turns[sw].listed = true;
        q->list[q->num_listed++] = sw;
    }
}

SIM_INLINE void pipe_router_receive(pipe_partition *q, pipe_router *r, uint32_t bit, uint32_t flit,
                                    pipe_kernel k)
{
    const pipe *p = q->p;
    pipe_vc *v = &r->in[bit];
    uint32_t before = v->count++;
    assert(before <= p->ring_mask); /* who sent it had a credit */
    if (before == 0)
        v->front = flit;
    else
        r->rings[((size_t)bit << p->ring_shift) + ((v->head + before) & p->ring_mask)] = flit;
    r->flits++;
    if (v->state == VC_IDLE) {
        v->state = VC_WAITING;
        pipe_sets_set_add(pipe_starting(r, q->now & p->stage_mask, k), bit, k.words);
    } else if (before == 0 && v->state == VC_ACTIVE && r->credits[v->out_bit]) {
        pipe_vcs_want_output(r, v->out, bit, k);
    } else if (v->state == VC_DROPPING) {
        pipe_sets_set_add(pipe_state_pipe_drop(r, k), bit, k.words);
    }
}

void pipe_receive(pipe_partition *q, uint32_t where, uint32_t flit)
{
    uint32_t sw = pipe_switch_of(q->p, where);
    pipe_router *r = &q->p->routers[sw];
    list_router(q, sw);
    pipe_router_receive(q, r, where - r->first, flit, pipe_kernel_of(r));
}

void pipe_end_starvation(pipe_partition *q, uint32_t where)
{
    const pipe *p = q->p;
    assert(where < p->switch_channels);
    pipe_router *r = &p->routers[pipe_switch_of(p, where)];
    uint32_t out_bit = where - r->first, out = p->port_of_bit[out_bit];
    uint32_t bit = pipe_holders(r, out, r->words)[out_bit - out * p->vcs];
    if (bit != PIPE_NO_HOLDER && r->in[bit].count)
        pipe_vcs_want_output(r, out, bit, pipe_kernel_of(r));
}

/* What the wheel has for this router, where that has been left to its tick. */
SIM_INLINE void pipe_router_take_arrivals(pipe_partition *q, pipe_router *r, uint32_t sw,
                                          pipe_kernel k)
{
    for (uint32_t n = q->turns[sw].arrivals; n != IK_NONE; n = q->arrivals[n].next) {
        pipe_router_receive(q, r, q->arrivals[n].where - r->first, q->arrivals[n].flit, k);
        if (k.watch)
            pipe_watch_arrived(q, r, q->arrivals[n].where - r->first, q->arrivals[n].flit);
    }
    q->turns[sw].arrivals = IK_NONE;
}

/* ---- routing */

SIM_INLINE void pipe_router_start_packet(pipe_partition *q, pipe_router *r, uint32_t sw,
                                         uint32_t bit, pipe_kernel k)
{
    assert(r->in[bit].state == VC_WAITING && r->in[bit].count > 0);
    bool way = pipe_route(q, r, sw, bit);
    if (k.watch)
        pipe_watch_routed(q, r, bit, !way);
    if (!way) {
        r->in[bit].state = VC_DROPPING;
        q->n.unroutable++;
        pipe_sets_set_add(pipe_state_pipe_drop(r, k), bit, k.words);
        return;
    }
    uint32_t out = r->in[bit].out;
    pipe_sets_set_add(pipe_state_pipe_wait(r, out), bit, k.words);
    pipe_sets_set_add(pipe_waiting(r), out, k.port_words);
    pipe_vcs_hold_back(q, r, bit, q->p->routing, k);
}

SIM_INLINE void pipe_router_start_packets(pipe_partition *q, pipe_router *r, uint32_t sw,
                                          pipe_kernel k)
{
    uint64_t *set = pipe_starting(r, q->now & q->p->stage_mask, k);
    for (unsigned w = 0; w < k.words; w++) {
        uint64_t bits = set[w];
        set[w] = 0;
        for (; bits; bits &= bits - 1)
            pipe_router_start_packet(q, r, sw, w * 64 + (uint32_t)__builtin_ctzll(bits), k);
    }
}

SIM_INLINE void pipe_router_end_holding(const pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    uint64_t *due = pipe_state_pipe_due(r, q->now & q->p->stage_mask, k),
             *unready = pipe_unready(r, k);
    for (unsigned w = 0; w < k.words; w++) {
        unready[w] &= ~due[w];
        due[w] = 0;
    }
}

static void pipe_router_drop_flits(pipe_partition *q, pipe_router *r)
{
    const pipe_kernel k = pipe_kernel_of(r);
    uint64_t *drop = pipe_state_pipe_drop(r, k);
    for (unsigned w = 0; w < k.words; w++)
        for (uint64_t bits = drop[w]; bits; bits &= bits - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(bits);
            assert(r->in[bit].state == VC_DROPPING && r->in[bit].count > 0);
            uint32_t flit = pipe_switch_pop_flit(q, r, q->p->port_of_bit[bit], bit, k);
            if ((flit & 1) || r->in[bit].count == 0)
                drop[w] &= ~(bits & -bits);
            if (flit & 1) {
                pipe_free_packet(q, flit >> 2);
                q->gone++;
            }
        }
}

/* ---- a tick */

SIM_INLINE void pipe_router_run_stages(pipe_partition *q, pipe_router *r, uint32_t sw,
                                       pipe_kernel k)
{
    const pipe *p = q->p;
    if (!k.plain)
        pipe_router_end_holding(q, r, k);
    if (pipe_sets_set_any(pipe_state_pipe_drop(r, k), k.words))
        pipe_router_drop_flits(q, r);
    if (!k.plain && p->list_switch)
        pipe_lists_match_switch(q, r, k);
    else
        allocate_switch(q, r, k);
    if (!k.plain && p->routing == 0)
        pipe_router_start_packets(q, r, sw, k);
    if (!k.plain && match_takes_list(p->vc_kind))
        pipe_lists_match_vcs(q, r, k);
    else
        pipe_vcs_allocate_vcs(q, r, k);
    for (unsigned w = 0; w < k.words; w++) {
        pipe_free_out(r, k)[w] |= q->freed[w];
        q->freed[w] = 0;
    }
    if (k.plain || p->routing > 0)
        pipe_router_start_packets(q, r, sw, k);
}

SIM_INLINE void run_router(pipe_partition *q, pipe_router *r, uint32_t sw, pipe_kernel k)
{
    if (q->p->staged)
        pipe_router_take_arrivals(q, r, sw, k);
    if (r->flits)
        pipe_router_run_stages(q, r, sw, k);
}

static void pipe_router_run_plain(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    run_router(q, r, sw, (pipe_kernel){1, 1, true, false});
}

static void run_plain_of_two(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    run_router(q, r, sw, (pipe_kernel){2, 1, true, false});
}

static void pipe_router_run_small(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    run_router(q, r, sw, (pipe_kernel){1, 1, false, false});
}

static void pipe_router_run_large(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    run_router(q, r, sw, pipe_kernel_of(r));
}

static void pipe_router_run_watched(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    pipe_kernel k = pipe_kernel_of(r);
    k.watch = true;
    run_router(q, r, sw, k);
    pipe_watch_look(q, r);
}

static void run_watched_routers(pipe_partition *q)
{
    uint32_t kept = 0, count = q->num_listed;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t sw = q->list[n];
        pipe_router_run_watched(q, &q->p->routers[sw], sw);
        q->list[kept] = sw;
        kept += q->turns[sw].listed = q->p->routers[sw].flits > 0;
    }
    q->num_listed = kept;
}

void pipe_run_routers(pipe_partition *q)
{
    const pipe *p = q->p;
    if (p->watch) {
        run_watched_routers(q);
        return;
    }
    uint32_t kept = 0, count = q->num_listed;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t sw = q->list[n];
        pipe_router *r = &p->routers[sw];
        if (p->staged)
            pipe_fetch_ahead(q, n);
        if (r->words == 1 && p->plain)
            pipe_router_run_plain(q, r, sw);
        else if (r->words == 2 && r->port_words == 1 && p->plain)
            run_plain_of_two(q, r, sw);
        else if (r->words == 1)
            pipe_router_run_small(q, r, sw);
        else
            pipe_router_run_large(q, r, sw);
        q->list[kept] = sw;
        kept += q->turns[sw].listed = r->flits > 0;
    }
    q->num_listed = kept;
}
