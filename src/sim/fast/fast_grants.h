/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast engine's pass 4 (fast/fast.c): the grants of a window are carried out. */
#ifndef IKAT_SIM_FAST_GRANTS_H
#define IKAT_SIM_FAST_GRANTS_H

#include "sim/fast/output_buffers.h"

#include <assert.h>

SIM_INLINE void fast_grants_carry_out(fast_context *h, const shape k, fast_grant *g,
                                      const transfer *e)
{
    sim *s = h->s;
    uint32_t sw = fast_key_switch(g->key), offset = (uint32_t)(g->key >> KEY_OFFSET);
    fast_switch *fsw = &h->switches[sw];
    fast_port *to = e->to;
    departure d = {to,     fsw->port_base + fast_key_out(g->key),
                   e->id,  departures_taken_vc(k, g, e),
                   offset, {0, 0}};
    departures_pop(h, k, fsw, sw, g, e);
    departures_use_credit(h, k, fsw, sw, to, fast_key_in(g->key), fast_key_out(g->key), d.vc);
    fsw->held--;
    d.end = departures_end_of(h, k, g, e->from, fsw, d.id);
    if (__builtin_expect(h->p->edges != NULL, 0))
        sim_check_step(h->p, &h->packets[d.id].rt, fsw->port_base + fast_key_in(g->key),
                       k.vcs == 1 ? 0 : fast_key_vc(g->key), d.port, d.vc);
    if (k.steps)
        h->packets[d.id].rt.vc = (uint8_t)d.vc;
    if (k.buffers) {
        join_output(h, k, &d);
        return;
    }
    if (k.overlap && h->restarts && __builtin_expect(s->measure.paranoid, 0))
        s->backlog.sending[d.port] =
            calendar_space_data(k.vcs == 1 ? 0 : fast_key_vc(g->key), h->full);
    context_count_sent(h, to, d.port, h->start + offset,
                       k.plain ? h->start + offset + h->f->links[0].full_ps
                               : h->start + (uint64_t)d.end.windows * h->lookahead + d.end.rest);
    uint32_t joining = IK_NONE;
    if (to->peer_node >= h->num_switches)
        g->ahead |= departures_send_to_host(h, k, &d) ? SPACE_AT_HOST | d.vc << SPACE_VC : 0;
    else
        joining = departures_send_onward(h, k, &d);
    if (k.early)
        g->id = joining;
}

/* ---- the stages of a grant */

SIM_INLINE uint32_t fast_grants_departing_port(const fast_context *h, const fast_grant *g)
{
    assert(fast_key_switch(g->key) < h->num_switches);
    return h->switches[fast_key_switch(g->key)].port_base + fast_key_out(g->key);
}

/* Of the VCs of a pair those that could go: what fast_switch_ready_vcs() has noted, and which VCs
 * the heads ask for. These are the same ones as then: a pair is matched once in a window, and what
 * has come since was not noted. */
SIM_INLINE uint32_t fast_grants_noted_vcs(const fast_context *h, const shape k,
                                          const fast_switch *fsw, const fast_grant *g)
{
    uint32_t ready = 0, queues = g->vcs & 0xFFFFu;
    if (!k.steps)
        return g->vcs;
    if (k.chooses || !(queues & (queues - 1))) /* chosen at the match; or there is one */
        return queues;
    for (unsigned v = 0; v < k.vcs; v++) {
        uint32_t word =
            h->queues[context_queue_at(fsw, k, fast_key_in(g->key), v, fast_key_out(g->key))];
        ready |= (g->vcs >> v & g->vcs >> (16 + context_vc_of(h, word)) & 1) << v;
    }
    return ready;
}

/* Chooses among the VCs of a pair; they take turns. */
SIM_INLINE void fast_grants_choose_ready_vc(fast_context *h, const shape k, fast_grant *g)
{
    const fast_switch *fsw = &h->switches[fast_key_switch(g->key)];
    unsigned in = fast_key_in(g->key), out = fast_key_out(g->key), v;
    uint32_t ready = fast_grants_noted_vcs(h, k, fsw, g);
    if (k.voq) {
        uint32_t *turn = &h->queues[g->queue - 1];
        v = keys_from_pointer(ready, *turn);
        *turn = v + 1 == k.vcs ? 0 : v + 1;
        g->queue += v;
    } else {
        uint8_t *turn =
            &h->s->net.switches[fast_key_switch(g->key)].pair_vc[(size_t)in * fsw->radix + out];
        v = keys_from_pointer(ready, *turn);
        *turn = (uint8_t)(v + 1 == k.vcs ? 0 : v + 1);
        g->queue = context_queue_at(fsw, k, in, v, out);
        __builtin_prefetch(&h->queues[g->queue], 1);
    }
    g->key |= v << KEY_VC;
}

/* Each step fetches what the next one touches. The queue is there by now. */
SIM_INLINE void fast_grants_find_ports(const fast_context *h, const shape k, const fast_grant *g,
                                       transfer *e)
{
    uint32_t base = k.vcs == 1 ? g->ports : h->switches[fast_key_switch(g->key)].port_base;
    fast_port *ports = context_port_at(h, k, base);
    e->from = context_beside(ports, k, fast_key_in(g->key));
    e->to = context_beside(ports, k, fast_key_out(g->key));
    __builtin_prefetch(e->from, 1);
    fetch_port_lines(k, e->to);
    if (fast_credit_apart(k.vcs, k.steps))
        __builtin_prefetch(context_port_credit(h, k, base + fast_key_out(g->key), 0), 1);
    if (k.buffers)
        fetch_output(h, k, base + fast_key_out(g->key));
    __builtin_prefetch(&h->next[context_id_of(h, k, h->queues[g->queue])], 1);
}

SIM_INLINE void fast_grants_find_packet(const fast_context *h, const shape k, const fast_grant *g,
                                        transfer *e)
{
    /* others may have joined behind it by now */
    uint32_t word = h->next[context_id_of(h, k, h->queues[g->queue])];
    e->id = context_id_of(h, k, word);
    if (k.steps)
        e->vc = context_vc_of(h, word);
    __builtin_prefetch(&h->packets[e->id], 1);
    __builtin_prefetch(&h->next[e->id], 1);
    if (k.buffers)
        output_buffers_fetch_departure(h, k, fast_grants_departing_port(h, g),
                                       k.vcs == 1 ? 0 : fast_key_vc(g->key));
    if (k.early && __builtin_expect(h->alone, 1)) {
        /* beyond the last one if it is a host */
        __builtin_prefetch(&h->switches[e->to->peer_node], 1);
        __builtin_prefetch(context_port_credit(h, k, e->from->peer_port, 0), 1);
    } else if (k.early) {
        /* what belongs to another partition would be taken from its processor's cache */
        const uint16_t *owner = h->s->parallel.node_partition;
        if (owner[e->to->peer_node] == h->p->id)
            __builtin_prefetch(&h->switches[e->to->peer_node], 1);
        if (owner[e->from->peer_node] == h->p->id)
            __builtin_prefetch(context_port_credit(h, k, e->from->peer_port, 0), 1);
    }
}

/* Packets join their queues, and what the block behind will touch is fetched. */
SIM_INLINE void fast_grants_join_block(fast_context *h, const shape k, const queue_join *st,
                                       uint32_t stride, uint32_t windows)
{
    for (uint32_t x = stride; x < 2 * stride && st + x < h->joins; x++)
        keys_fetch_join(h, k, st + x);
    for (uint32_t x = 0; x < stride && st + x < h->joins; x++)
        keys_join_early(h, k, st + x, windows);
}

/* The grants of this window, block by block: while one is carried out the blocks behind it are
 * fetched. Early: and the packets of those before it join their queues. */
SIM_INLINE void fast_grants_carry_out_all(fast_context *h, const shape k, fast_grant *g)
{
    enum { STRIDE = 8 };
    transfer transfers[4 * STRIDE];
    queue_join *joined = h->fp->joins;
    uint32_t n = (uint32_t)(h->grants - g), windows = h->f->links[0].arrival.windows;
    for (uint32_t at = 0; at < n + 3 * STRIDE; at += STRIDE) {
        for (uint32_t x = at; k.vcs > 1 && x < at + STRIDE && x < n; x++)
            fast_grants_choose_ready_vc(h, k, g + x);
        for (uint32_t x = at - STRIDE; x < at && x < n; x++)
            fast_grants_find_ports(h, k, g + x, &transfers[x % (4 * STRIDE)]);
        for (uint32_t x = at - 2 * STRIDE; x < at - STRIDE && x < n; x++)
            fast_grants_find_packet(h, k, g + x, &transfers[x % (4 * STRIDE)]);
        for (uint32_t x = at - 3 * STRIDE; x < at - 2 * STRIDE && x < n; x++)
            fast_grants_carry_out(h, k, g + x, &transfers[x % (4 * STRIDE)]);
        /* as many each time: that can be predicted */
        for (; k.early && joined + 2 * STRIDE < h->joins; joined += STRIDE)
            fast_grants_join_block(h, k, joined, STRIDE, windows);
    }
    for (; k.early && joined < h->joins; joined += STRIDE)
        fast_grants_join_block(h, k, joined, STRIDE, windows);
    if (k.buffers)
        run_outputs(h, k);
    departures_deliver_all(h);
    h->p->n.hops += n;
    h->p->n.events += k.early ? 3 * n : 0; /* a tail, a credit and an arrival each */
}

#endif
