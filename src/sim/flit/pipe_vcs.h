/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_vcs.h: VC allocation of one tick of a router (pipe_router.c): requests on sets of input VCs.
 *
 * Since a head asks for VCs of one output only, VC allocation falls apart into one small matching
 * an output. Pointers of this and of switch allocation are the partners served last. */
#ifndef IKAT_SIM_PIPE_VCS_H
#define IKAT_SIM_PIPE_VCS_H

#include "sim/flit/pipe.h"

/* ---- requests */

SIM_INLINE void pipe_vcs_want_output(pipe_router *r, uint32_t out, uint32_t bit, pipe_kernel k)
{
    pipe_sets_set_add(pipe_state_pipe_want(r, out, k.words), bit, k.words);
    pipe_sets_set_add(pipe_wanted(r, k), out, k.port_words);
}

/* Keeps an input VC out of the stage that it enters for `ticks` more than one. */
SIM_INLINE void pipe_vcs_hold_back(const pipe_partition *q, pipe_router *r, uint32_t bit,
                                   unsigned ticks, pipe_kernel k)
{
    if (k.plain || ticks <= 1)
        return;
    pipe_sets_set_add(pipe_unready(r, k), bit, k.words);
    pipe_sets_set_add(pipe_state_pipe_due(r, (q->now + ticks) & q->p->stage_mask, k), bit, k.words);
}

/* Members of a set of requests that may be served now, into room for a set. */
SIM_INLINE bool pipe_vcs_ready_of(uint64_t *ready, const pipe_router *r, const uint64_t *set,
                                  pipe_kernel k)
{
    if (!k.plain)
        return pipe_sets_set_without(ready, set, pipe_unready(r, k), k.words);
    uint64_t all = 0;
    for (unsigned w = 0; w < k.words; w++)
        all |= ready[w] = set[w];
    return all;
}

/* ---- allocation */

SIM_INLINE void pipe_vcs_grant_vc(pipe_partition *q, pipe_router *r, uint32_t bit, uint32_t out,
                                  uint32_t vc, bool move, pipe_kernel k)
{
    const pipe *p = q->p;
    pipe_vc *v = &r->in[bit];
    uint32_t out_bit = out * p->vcs + vc;
    uint64_t *wait = pipe_state_pipe_wait(r, out);
    v->state = VC_ACTIVE;
    v->out_bit = (uint16_t)out_bit;
    pipe_holders(r, out, k.words)[vc] = (uint16_t)bit;
    pipe_sets_set_remove(pipe_free_out(r, k), out_bit, k.words);
    pipe_sets_set_remove(wait, bit, k.words);
    pipe_sets_set_remove_if(pipe_waiting(r), out, !pipe_sets_set_any(wait, k.words), k.port_words);
    pipe_vcs_hold_back(q, r, bit, p->vc_alloc, k);
    if (k.watch)
        pipe_watch_vc(q, r, bit);
    if (__builtin_expect(q->edges != NULL, 0))
        pipe_check_step(q, r, bit);
    if (r->credits[out_bit])
        pipe_vcs_want_output(r, out, bit, k);
    if (move) {
        v->last = (uint16_t)out_bit;
        pipe_last_holders(r, out, k.words, p->vcs)[vc] = (uint16_t)bit;
    }
}

SIM_INLINE uint64_t pipe_vcs_allowed(const pipe_vc *v)
{
    return (~UINT64_C(0) >> (63 - v->vc_last)) & (~UINT64_C(0) << v->vc_first);
}

/* The VC of a slice of output VCs from `base` on that an input takes whose last one was `last`. */
SIM_INLINE uint32_t pipe_vcs_take_from(uint64_t slice, uint32_t base, uint32_t last, unsigned vcs)
{
    uint32_t from = last - base;
    return pipe_sets_slice_after(slice, from < vcs ? from : 63);
}

/* Who asks for which of the free VCs: q->rivals[v]. */
SIM_INLINE void pipe_vcs_gather_rivals(pipe_partition *q, const pipe_router *r,
                                       const uint64_t *ready, uint64_t free_vcs, pipe_kernel k)
{
    for (uint64_t vs = free_vcs; vs; vs &= vs - 1)
        pipe_sets_set_clear(q->rivals + (size_t)__builtin_ctzll(vs) * k.words, k.words);
    for (unsigned w = 0; w < k.words; w++)
        for (uint64_t bits = ready[w]; bits; bits &= bits - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(bits);
            for (uint64_t vs = free_vcs & pipe_vcs_allowed(&r->in[bit]); vs; vs &= vs - 1)
                pipe_sets_set_add(q->rivals + (size_t)__builtin_ctzll(vs) * k.words, bit, k.words);
        }
}

/* One iteration: every free VC offers itself to a rival, every rival takes one of its offers.
 * Returns the VCs that are taken. */
SIM_INLINE uint64_t pipe_vcs_share_vcs(pipe_partition *q, pipe_router *r, uint32_t out,
                                       uint64_t free_vcs, bool move, uint64_t *ready, pipe_kernel k)
{
    const pipe *p = q->p;
    const uint16_t *last = pipe_last_holders(r, out, k.words, p->vcs);
    uint64_t offered = 0, taken = 0;
    for (uint64_t vs = free_vcs; vs; vs &= vs - 1) {
        uint32_t v = (uint32_t)__builtin_ctzll(vs);
        const uint64_t *rivals = q->rivals + (size_t)v * k.words;
        if (!pipe_sets_set_any(rivals, k.words))
            continue;
        offered |= UINT64_C(1) << v;
        q->best[v] = (uint16_t)pipe_sets_set_after(rivals, last[v], k.words);
    }
    while (offered) {
        uint32_t bit = q->best[__builtin_ctzll(offered)];
        uint64_t mine = 0;
        for (uint64_t vs = offered; vs; vs &= vs - 1)
            if (q->best[__builtin_ctzll(vs)] == bit)
                mine |= vs & -vs;
        offered &= ~mine;
        uint32_t v = pipe_vcs_take_from(mine, out * p->vcs, r->in[bit].last, p->vcs);
        pipe_vcs_grant_vc(q, r, bit, out, v, move, k);
        pipe_sets_set_remove(ready, bit, k.words);
        taken |= UINT64_C(1) << v;
    }
    return taken;
}

SIM_INLINE void pipe_vcs_allocate_output(pipe_partition *q, pipe_router *r, uint32_t out,
                                         pipe_kernel k)
{
    const pipe *p = q->p;
    uint64_t *ready = q->ready, one;
    if (k.words == 1)
        ready = &one;
    uint32_t base = out * p->vcs;
    uint64_t free_vcs = pipe_sets_set_slice(pipe_free_out(r, k), base, p->vc_mask, k.words);
    if (!free_vcs || !pipe_vcs_ready_of(ready, r, pipe_state_pipe_wait(r, out), k))
        return;
    if (pipe_sets_set_is_single(ready, k.words)) { /* is offered every free VC that it may take */
        uint32_t bit = pipe_sets_set_first(ready, k.words);
        uint64_t offers = free_vcs & pipe_vcs_allowed(&r->in[bit]);
        if (offers)
            pipe_vcs_grant_vc(q, r, bit, out,
                              pipe_vcs_take_from(offers, base, r->in[bit].last, p->vcs), true, k);
        return;
    }
    for (unsigned it = 0; it < (k.plain ? 1 : p->iterations) && free_vcs; it++) {
        pipe_vcs_gather_rivals(q, r, ready, free_vcs, k);
        /* iSLIP's pointers move for matches of the first iteration alone; the separable allocators'
         * for every match. */
        uint64_t taken =
            pipe_vcs_share_vcs(q, r, out, free_vcs, it == 0 || p->vc_kind != MATCH_ISLIP, ready, k);
        if (!taken)
            break;
        free_vcs &= ~taken;
    }
}

SIM_INLINE void pipe_vcs_allocate_vcs(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    for (unsigned w = 0; w < k.port_words; w++)
        for (uint64_t outs = pipe_waiting(r)[w]; outs; outs &= outs - 1)
            pipe_vcs_allocate_output(q, r, w * 64 + (uint32_t)__builtin_ctzll(outs), k);
}

#endif
