/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_lists.h: VC and switch allocation of one tick of a router (pipe_router.c) by allocators that
 * take a list of requests (pipe_match.h), and with several ports of the crossbar at inputs or
 * outputs. */
#ifndef IKAT_SIM_PIPE_LISTS_H
#define IKAT_SIM_PIPE_LISTS_H

#include "sim/flit/pipe_switch.h"

#include <assert.h>

static void pipe_lists_match_vcs(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    const pipe *p = q->p;
    uint32_t n = 0, all = (uint32_t)r->radix * p->vcs;
    for (uint32_t bit = 0; bit < all; bit++) {
        const pipe_vc *v = &r->in[bit];
        if (!pipe_sets_set_has(pipe_state_pipe_wait(r, v->out), bit, k.words) ||
            pipe_sets_set_has(pipe_unready(r, k), bit, k.words))
            continue;
        for (uint32_t o = v->out * p->vcs + v->vc_first; o <= v->out * p->vcs + v->vc_last; o++)
            if (pipe_sets_set_has(pipe_free_out(r, k), o, k.words))
                q->requests[n++] = (match_request){(uint16_t)bit, (uint16_t)o};
    }
    uint32_t found =
        n ? match(p->vc_kind, p->iterations, &r->vc_match, &q->room, q->requests, n, q->grants) : 0;
    for (uint32_t g = 0; g < found; g++) {
        match_request won = q->requests[q->grants[g]];
        uint32_t out = p->port_of_bit[won.out];
        pipe_vcs_grant_vc(q, r, won.in, out, won.out - out * p->vcs, false, k);
    }
}

/* The port of the crossbar at which an output takes what comes from an input. */
SIM_INLINE uint32_t pipe_lists_crossbar_out(const pipe *p, uint32_t in, uint32_t out)
{
    assert(p->output_speedup > 0);
    return out * p->output_speedup + in % p->output_speedup;
}

/* Adds what inputs ask of an output: one request a port of the crossbar, whichever of its VCs want
 * it. */
static uint32_t pipe_lists_ask_for_output(pipe_partition *q, const pipe_router *r, uint32_t out,
                                          uint32_t n, pipe_kernel k)
{
    const pipe *p = q->p;
    const uint64_t *want = pipe_state_pipe_want(r, out, k.words), *unready = pipe_unready(r, k);
    uint32_t at = IK_NONE, asked = 0; /* input; its ports that have asked */
    for (unsigned w = 0; w < k.words; w++)
        for (uint64_t bits = want[w] & ~unready[w]; bits; bits &= bits - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(bits), in = p->port_of_bit[bit],
                     port = p->crossbar_in[bit];
            asked = in == at ? asked : 0;
            at = in;
            uint32_t one = 1u << (port - in * p->input_speedup),
                     to = pipe_lists_crossbar_out(p, in, out);
            if (asked & one)
                continue;
            asked |= one;
            if (!p->hold || (r->kept_in[port] == PIPE_NO_HOLDER && !r->kept_out[to]))
                q->requests[n++] = (match_request){(uint16_t)port, (uint16_t)to};
        }
    return n;
}

/* Sends a flit through the crossbar, whose ports stay connected where the packet's next one
 * is there. */
static void pipe_lists_send_through(pipe_partition *q, pipe_router *r, uint32_t in, uint32_t bit,
                                    uint32_t out, pipe_kernel k)
{
    const pipe *p = q->p;
    const pipe_vc *v = &r->in[bit];
    pipe_switch_traverse(q, r, in, bit, out, k);
    if (!p->hold)
        return;
    bool keeps = v->state == VC_ACTIVE && v->count;
    r->kept_in[p->crossbar_in[bit]] = keeps ? (uint16_t)bit : PIPE_NO_HOLDER;
    r->kept_out[pipe_lists_crossbar_out(p, in, out)] = keeps;
}

/* Flits of packets that keep their connections. One that cannot go gives its connection up; others
 * may ask for its ports from the next tick on. */
static void pipe_lists_send_kept(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    const pipe *p = q->p;
    for (uint32_t port = 0; port < r->radix * p->input_speedup; port++) {
        uint32_t bit = r->kept_in[port];
        if (bit == PIPE_NO_HOLDER)
            continue;
        uint32_t in = p->port_of_bit[bit], out = r->in[bit].out;
        bool goes = pipe_sets_set_has(pipe_state_pipe_want(r, out, k.words), bit, k.words) &&
                    (!p->look_at_links || pipe_switch_link_takes(q, &r->ports[out]));
        if (goes) {
            pipe_lists_send_through(q, r, in, bit, out, k);
        } else {
            r->kept_in[port] = PIPE_NO_HOLDER;
            r->kept_out[pipe_lists_crossbar_out(p, in, out)] = false;
        }
    }
}

/* An input has a port of the crossbar for every input_speedup-th of its VCs, an output one for
 * every output_speedup-th input. */
static void pipe_lists_match_switch(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    const pipe *p = q->p;
    uint32_t n = 0;
    for (unsigned w = 0; w < k.port_words; w++)
        for (uint64_t outs = pipe_wanted(r, k)[w]; outs; outs &= outs - 1) {
            uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(outs);
            if (!p->look_at_links || pipe_switch_link_takes(q, &r->ports[out]))
                n = pipe_lists_ask_for_output(q, r, out, n, k);
        }
    uint32_t found =
        n ? match(p->sw_kind, p->iterations, &r->sw_match, &q->room, q->requests, n, q->grants) : 0;
    if (p->hold)
        pipe_lists_send_kept(q, r, k); /* ports that nobody was matched with */
    for (uint32_t g = 0; g < found; g++) {
        match_request won = q->requests[q->grants[g]];
        uint32_t in = won.in / p->input_speedup, out = won.out / p->output_speedup;
        uint64_t vcs = p->crossbar_vcs[won.in - in * p->input_speedup];
        pipe_lists_send_through(
            q, r, in, pipe_switch_choose_vc(p, r, in, vcs, &r->vc_served[won.in], out, k), out, k);
    }
}

#endif
