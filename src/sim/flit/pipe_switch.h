/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_switch.h: traversal, and switch allocation on sets, of one tick of a router (pipe_router.c):
 * iSLIP and the separable output-first allocator. */
#ifndef IKAT_SIM_PIPE_SWITCH_H
#define IKAT_SIM_PIPE_SWITCH_H

#include "sim/flit/pipe_vcs.h"

/* ---- traversal */

/* Takes the flit at the front out of its buffer; returns it. The credit goes back; behind a tail
 * the next packet starts. */
SIM_INLINE uint32_t pipe_switch_pop_flit(pipe_partition *q, pipe_router *r, uint32_t in,
                                         uint32_t bit, pipe_kernel k)
{
    const pipe *p = q->p;
    pipe_vc *v = &r->in[bit];
    uint32_t flit = v->front, left = --v->count;
    v->head = (uint16_t)((v->head + 1u) & p->ring_mask);
    if (left)
        v->front = r->rings[((size_t)bit << p->ring_shift) + v->head];
    r->flits--;
    pipe_send_credit(q, &r->ports[in], bit - in * p->vcs, k.plain);
    if (flit & 1) {
        v->state = left ? VC_WAITING : VC_IDLE;
        pipe_sets_set_add_if(pipe_starting(r, (q->now + p->sw_alloc) & p->stage_mask, k), bit, left,
                             k.words);
    }
    return flit;
}

SIM_INLINE void pipe_switch_traverse(pipe_partition *q, pipe_router *r, uint32_t in, uint32_t bit,
                                     uint32_t out, pipe_kernel k)
{
    const pipe *p = q->p;
    const pipe_vc *v = &r->in[bit];
    if (k.watch)
        pipe_watch_granted(q, r, bit);
    uint32_t out_bit = v->out_bit, vc = out_bit - out * p->vcs,
             flit = pipe_switch_pop_flit(q, r, in, bit, k);
    bool starved = --r->credits[out_bit] == 0;
    q->n.hops += flit >> 1 & 1;
    q->n.moves++;
    pipe_send_flit(q, &r->ports[out], vc, flit, q->now + p->sw_alloc + p->traversal, k.plain);
    if (flit & 1) {
        pipe_holders(r, out, k.words)[vc] = PIPE_NO_HOLDER;
        pipe_sets_set_add(q->freed, out_bit, k.words);
    } else if (!starved && v->count) {
        return;
    }
    uint64_t *want = pipe_state_pipe_want(r, out, k.words);
    pipe_sets_set_remove(want, bit, k.words);
    pipe_sets_set_remove_if(pipe_wanted(r, k), out, !pipe_sets_set_any(want, k.words),
                            k.port_words);
}

/* ---- switch allocation */

/* Whether what wins this output now may wait for its link: without speed-up it must be free, else
 * the queue behind the switch must have room. */
static bool pipe_switch_link_takes(const pipe_partition *q, const pipe_port *port)
{
    const pipe *p = q->p;
    return port->free_at <=
           q->now + p->sw_alloc + p->traversal + p->queue_flits * p->links[port->link].period;
}

/* Every output that is asked for offers itself to the first input after the one that it served
 * last, and every input notes in q->best the offer that it likes best; with several iterations,
 * outputs in q->given and inputs in q->busy have been served. Returns whether there are offers. */
SIM_INLINE bool pipe_switch_offer_outputs(pipe_partition *q, pipe_router *r, bool again,
                                          uint64_t *offered, pipe_kernel k)
{
    const pipe *p = q->p;
    uint64_t *ready = q->ready, one;
    if (k.words == 1)
        ready = &one;
    const uint64_t *wanted = pipe_wanted(r, k);
    pipe_sets_set_clear(offered, k.port_words);
    for (unsigned w = 0; w < k.port_words; w++)
        for (uint64_t outs = again ? wanted[w] & ~q->given[w] : wanted[w]; outs; outs &= outs - 1) {
            uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(outs);
            if (!pipe_vcs_ready_of(ready, r, pipe_state_pipe_want(r, out, k.words), k) ||
                (again && !pipe_sets_set_without(ready, ready, q->busy, k.words)) ||
                (!k.plain && p->look_at_links && !pipe_switch_link_takes(q, &r->ports[out])))
                continue;
            uint32_t in =
                p->port_of_bit[pipe_sets_set_after(ready, *pipe_last_in(r, out, k.words), k.words)];
            if (pipe_sets_set_has(offered, in, k.port_words)) {
                /* Outputs come in ascending order: the new one is nearer if only it is behind the
                 * pointer. */
                uint32_t last = r->ports[in].last_out;
                if (q->best[in] > last || out <= last)
                    continue;
            }
            pipe_sets_set_add(offered, in, k.port_words);
            q->best[in] = (uint16_t)out;
        }
    return pipe_sets_set_any(offered, k.port_words);
}

/* Of those VCs of input `in` that want `out`, the first after the one that was served last; moves
 * that pointer. */
SIM_INLINE uint32_t pipe_switch_choose_vc(const pipe *p, const pipe_router *r, uint32_t in,
                                          uint64_t vcs, uint16_t *served, uint32_t out,
                                          pipe_kernel k)
{
    uint32_t base = in * p->vcs;
    uint64_t want = pipe_sets_set_slice(pipe_state_pipe_want(r, out, k.words), base, vcs, k.words);
    if (!k.plain)
        want &= ~pipe_sets_set_slice(pipe_unready(r, k), base, vcs, k.words);
    uint32_t vc = pipe_sets_slice_after(want, *served);
    *served = (uint16_t)vc;
    return base + vc;
}

SIM_INLINE void pipe_switch_serve(pipe_partition *q, pipe_router *r, uint32_t in, uint32_t out,
                                  bool move, pipe_kernel k)
{
    const pipe *p = q->p;
    uint32_t bit = pipe_switch_choose_vc(p, r, in, p->vc_mask, &r->ports[in].last_vc, out, k);
    if (move) {
        *pipe_last_in(r, out, k.words) = (uint16_t)(in * p->vcs + p->vcs - 1); /* its last bit */
        r->ports[in].last_out = (uint16_t)out;
    }
    pipe_switch_traverse(q, r, in, bit, out, k);
}

SIM_INLINE void allocate_switch(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    const pipe *p = q->p;
    unsigned iterations = k.plain ? 1 : p->iterations;
    uint64_t *offered = q->offered, one;
    if (k.port_words == 1)
        offered = &one;
    for (unsigned it = 0; it < iterations; it++) {
        if (!pipe_switch_offer_outputs(q, r, it > 0, offered, k))
            return;
        if (it == 0 && iterations > 1) {
            pipe_sets_set_clear(q->busy, k.words);
            pipe_sets_set_clear(q->given, k.port_words);
        }
        for (unsigned w = 0; w < k.port_words; w++)
            for (uint64_t ins = offered[w]; ins; ins &= ins - 1) {
                uint32_t in = w * 64 + (uint32_t)__builtin_ctzll(ins), out = q->best[in];
                if (iterations > 1) {
                    pipe_sets_set_add(q->given, out, k.port_words);
                    for (unsigned v = 0; v < p->vcs; v++)
                        pipe_sets_set_add(q->busy, in * p->vcs + v, k.words);
                }
                pipe_switch_serve(q, r, in, out, it == 0 || p->sw_kind != MATCH_ISLIP, k);
            }
    }
}

#endif
