/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_fetch.h: fetching ahead, where the state of a network is larger than a second-level cache.
 * The routers of a tick are known, and what comes to them (pipe_arrival), so while one is worked
 * on, those so many places behind it are fetched in stages, each of which needs what the one before
 * it has brought: the router; its sets, and what its arrivals name; the outputs that are asked for;
 * the input VCs that ask. Nothing here changes anything. */
#ifndef IKAT_SIM_PIPE_FETCH_H
#define IKAT_SIM_PIPE_FETCH_H

#include "sim/flit/pipe.h"

/* Places behind the router that is worked on. */
enum { FETCH_ROUTER = 8, FETCH_ARRIVALS = 6, FETCH_OUTPUTS = 4, FETCH_INPUTS = 2 };

/* Events behind the one that is worked on. */
enum { FETCH_EVENTS = 12 };

/* Bytes of state below which it costs more than it brings. */
#define PIPE_FETCH_BYTES (4u << 20)

SIM_INLINE void pipe_fetch_line(const void *at)
{
    __builtin_prefetch(at, 1);
}

SIM_INLINE void fetch_router(const pipe_partition *q, uint32_t sw)
{
    uint32_t first = q->turns[sw].arrivals;
    pipe_fetch_line(&q->p->routers[sw]);
    if (first != IK_NONE)
        pipe_fetch_line(&q->arrivals[first]);
}

SIM_INLINE void fetch_arrivals(const pipe_partition *q, const pipe_router *r, uint32_t sw)
{
    const pipe *p = q->p;
    pipe_fetch_line(r->sets);
    if (r->words > 1)
        pipe_fetch_line(r->sets + 8);
    for (size_t bit = 0; bit < (size_t)r->radix * p->vcs; bit += 64 / sizeof *r->credits)
        pipe_fetch_line(&r->credits[bit]);
    for (uint32_t n = q->turns[sw].arrivals; n != IK_NONE; n = q->arrivals[n].next) {
        const pipe_arrival *a = &q->arrivals[n];
        pipe_fetch_line(&p->in[a->where]);
        pipe_fetch_line(pipe_rt_of(p, a->flit >> 2));
        pipe_fetch_line(&r->ports[p->port_of_bit[a->where - r->first]]);
    }
}

/* A host that sends: its port follows from its number. */
SIM_INLINE void pipe_fetch_host(const pipe *p, uint32_t host)
{
    uint32_t port = p->f->port_base[p->f->num_switches + host];
    pipe_fetch_line(&p->hosts[host]);
    pipe_fetch_line((const char *)&p->hosts[host] + 64);
    pipe_fetch_line(&p->ports[port]);
    pipe_fetch_line(&p->credits[(size_t)port * p->vcs]);
    pipe_fetch_line(&p->host_holders[(size_t)port * p->vcs - p->switch_channels]);
    pipe_fetch_line(&p->host_sent_bytes[host]);
}

/* Sets of ports of one word. */
SIM_INLINE void fetch_outputs(const pipe_router *r)
{
    const pipe_kernel k = pipe_kernel_of(r);
    uint64_t wanted = *pipe_wanted(r, k);
    for (uint64_t outs = wanted | *pipe_waiting(r); outs; outs &= outs - 1)
        pipe_fetch_line(pipe_state_pipe_wait(r, (uint32_t)__builtin_ctzll(outs)));
    for (uint64_t outs = wanted; outs; outs &= outs - 1)
        pipe_fetch_line(&r->ports[__builtin_ctzll(outs)]);
}

SIM_INLINE void fetch_inputs(const pipe *p, const pipe_router *r)
{
    const pipe_kernel k = pipe_kernel_of(r);
    uint64_t wanted = *pipe_wanted(r, k);
    for (uint64_t outs = wanted | *pipe_waiting(r); outs; outs &= outs - 1)
        for (unsigned w = 0; w < k.words; w++) {
            uint32_t out = (uint32_t)__builtin_ctzll(outs);
            uint64_t want = pipe_state_pipe_want(r, out, k.words)[w];
            for (uint64_t bits = want | pipe_state_pipe_wait(r, out)[w]; bits; bits &= bits - 1)
                pipe_fetch_line(&r->in[w * 64 + (uint32_t)__builtin_ctzll(bits)]);
            for (uint64_t bits = want; bits; bits &= bits - 1)
                pipe_fetch_line(
                    &r->ports[p->port_of_bit[w * 64 + (uint32_t)__builtin_ctzll(bits)]]);
        }
}

/* Before router number n of the tick is worked on. */
SIM_INLINE void pipe_fetch_ahead(const pipe_partition *q, uint32_t n)
{
    const pipe *p = q->p;
    const uint32_t *sw = &q->list[n];
    uint32_t left = q->num_listed - n;
    if (left > FETCH_ROUTER)
        fetch_router(q, sw[FETCH_ROUTER]);
    if (left > FETCH_ARRIVALS)
        fetch_arrivals(q, &p->routers[sw[FETCH_ARRIVALS]], sw[FETCH_ARRIVALS]);
    if (left > FETCH_OUTPUTS && p->routers[sw[FETCH_OUTPUTS]].port_words == 1)
        fetch_outputs(&p->routers[sw[FETCH_OUTPUTS]]);
    if (left > FETCH_INPUTS && p->routers[sw[FETCH_INPUTS]].port_words == 1)
        fetch_inputs(p, &p->routers[sw[FETCH_INPUTS]]);
}

#endif
