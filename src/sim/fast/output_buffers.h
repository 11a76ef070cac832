/* SPDX-License-Identifier: Apache-2.0
 *
 * Output buffers of the fast engine (model ioq) and the links behind them. What a switch decides
 * depends on space in its output buffers alone, which comes back when links end: that is known
 * before the window. So links are decided on behind the switches, once a window: a transmission is
 * no shorter than that, and at most one packet comes to a buffer in it. A link sends at the first
 * instant at which it is idle and a VC has a packet and credit (output_buffers_could_send()); of
 * several VCs the one whose turn it is. A packet that comes to its buffer comes behind all events
 * of its instant: VCs that could send then without it go first, as in packet/output.h. */
#ifndef IKAT_SIM_FAST_OUTPUT_BUFFERS_H
#define IKAT_SIM_FAST_OUTPUT_BUFFERS_H

#include "sim/fast/departures.h"

#include <assert.h>

SIM_INLINE fast_output *output_buffers_output_at(const fast_context *h, const shape k,
                                                 uint32_t port)
{
    assert(port < h->s->f->num_ports);
    return fast_output_of(h->f, k.vcs, port);
}

/* What a port's link needs when it is decided on; u: a VC that may send. */
SIM_INLINE void fetch_output(const fast_context *h, const shape k, uint32_t port)
{
    __builtin_prefetch(output_buffers_output_at(h, k, port), 1);
    __builtin_prefetch(context_port_at(h, k, port), 1);
}

/* And then the packet that may go, and the switch beyond. */
SIM_INLINE void output_buffers_fetch_departure(const fast_context *h, const shape k, uint32_t port,
                                               unsigned u)
{
    uint32_t head = output_buffers_output_at(h, k, port)->queues[u].head;
    if (head != IK_NONE) {
        __builtin_prefetch(&h->packets[head], 1);
        __builtin_prefetch(&h->next[head], 1);
    }
    __builtin_prefetch(&h->switches[context_port_at(h, k, port)->peer_node], 1);
}

/* ---- what happened */

/* The link is to be decided on in this window. */
SIM_INLINE void list_output(fast_context *h, fast_output *o, uint32_t port)
{
    h->fp->outputs[h->fp->num_outputs] = port;
    h->fp->num_outputs += !o->listed;
    o->listed = 1;
}

/* As take_scarce_credit(), of an output of that switch. */
SIM_INLINE void take_scarce_space(fast_context *h, const shape k, uint64_t word, uint32_t node)
{
    uint32_t port = fast_credit_port(word);
    unsigned v = k.vcs == 1 ? 0 : fast_credit_vc(word);
    if (!k.chooses) /* else it counts at its instant */
        ++*context_port_credit(h, k, port, v);
    keys_put(h, k,
             fast_key_of(word >> 32, node, KEY_CREDIT, v, 0, port - h->switches[node].port_base),
             true);
}

/* A transmission ends, whose space is free. */
SIM_INLINE void output_buffers_take_link_end(fast_context *h, const shape k, uint64_t word)
{
    uint32_t port = fast_credit_port(word);
    fast_output *o = output_buffers_output_at(h, k, port);
    uint16_t *space = context_port_credit(h, k, port, k.vcs == 1 ? 0 : fast_credit_vc(word));
    assert(o->idle_at == OUTPUT_NEVER);
    o->idle_at = 2 * (uint32_t)(word >> 32);
    list_output(h, o, port);
    /* the last one may go before it comes: packets that choose look for that, or for all of it */
    if (*space >= (k.chooses ? 2 : 1) && !context_counts_buffers(h, k))
        ++*space;
    else
        take_scarce_space(h, k, word, o->node);
}

/* Credit for the next switch or a host. Of a link that stays busy it changes nothing now. */
SIM_INLINE void take_link_credit(fast_context *h, const shape k, uint64_t word)
{
    uint32_t port = fast_credit_port(word), at = 2 * (uint32_t)(word >> 32);
    fast_output *o = output_buffers_output_at(h, k, port);
    output_queue *q = &o->queues[k.vcs == 1 ? 0 : fast_credit_vc(word)];
    q->credit++;
    if (q->credit_at <= at)
        return;
    if (o->idle_at == OUTPUT_NEVER) {
        q->credit_at = OUTPUT_ALWAYS;
        return;
    }
    q->credit_at = at;
    list_output(h, o, port);
}

/* ---- sending */

/* Since when the link, once it is idle, could send a packet of a VC. */
SIM_INLINE uint32_t output_buffers_could_send(const fast_output *o, unsigned u)
{
    const output_queue *q = &o->queues[u];
    uint32_t joined = o->joined_vc == u ? o->joined_at : OUTPUT_ALWAYS,
             from = q->credit_at > joined ? q->credit_at : joined;
    return q->head == IK_NONE ? OUTPUT_NEVER : from;
}

/* The VC that sends at that time. */
SIM_INLINE unsigned output_buffers_sending_vc(const fast_output *o, const shape k, uint32_t at)
{
    unsigned u = o->turn;
    while (k.vcs > 1 && output_buffers_could_send(o, u) > at)
        u = u + 1 == k.vcs ? 0 : u + 1;
    return u;
}

SIM_INLINE void output_buffers_send_head(fast_context *h, const shape k, fast_output *o,
                                         uint32_t port, unsigned u, uint32_t offset)
{
    assert(o->queues[u].head != IK_NONE && o->queues[u].credit > 0);
    output_queue *q = &o->queues[u];
    fast_port *to = context_port_at(h, k, port);
    departure d = {to, port, q->head, u, offset, {0, 0}};
    q->head = d.id == q->last ? IK_NONE : h->next[d.id];
    q->credit--;
    o->sent_vc = (uint8_t)u;
    o->turn = (uint8_t)(u + 1 == k.vcs ? 0 : u + 1);
    d.end = departures_end_on_link(h, offset, context_link_at(h, k, port), d.id);
    context_post(h, context_slot_ahead(h, BIN_LINK, d.end.windows),
                 fast_credit_of(d.end.rest, port, u));
    context_count_sent(h, to, port, h->start + offset,
                       h->start + (uint64_t)d.end.windows * h->lookahead + d.end.rest);
    if (to->peer_node >= h->num_switches)
        departures_send_to_host(h, k, &d);
    else
        departures_send_onward(h, k, &d);
}

/* All that happens at the link in this window is known. */
SIM_INLINE void run_output(fast_context *h, const shape k, fast_output *o, uint32_t port)
{
    uint32_t at = OUTPUT_NEVER;
    for (unsigned u = 0; u < k.vcs; u++) {
        uint32_t from = output_buffers_could_send(o, u);
        at = from < at ? from : at;
    }
    at = at > o->idle_at ? at : o->idle_at;
    bool sends = at != OUTPUT_NEVER;
    if (sends)
        output_buffers_send_head(h, k, o, port, output_buffers_sending_vc(o, k, at), at / 2);
    o->idle_at = sends || o->idle_at == OUTPUT_NEVER ? OUTPUT_NEVER : OUTPUT_ALWAYS;
    o->joined_at = OUTPUT_ALWAYS;
    o->listed = 0;
    for (unsigned u = 0; u < k.vcs; u++)
        o->queues[u].credit_at = o->queues[u].credit ? OUTPUT_ALWAYS : OUTPUT_NEVER;
}

/* A packet that was granted enters its buffer, and its link is decided on: nothing else comes to it
 * in this window. */
SIM_INLINE void join_output(fast_context *h, const shape k, const departure *d)
{
    fast_output *o = output_buffers_output_at(h, k, d->port);
    output_queue *q = &o->queues[d->vc];
    if (q->head == IK_NONE) {
        q->head = d->id;
        o->joined_at = 2 * d->offset + 1;
        o->joined_vc = (uint8_t)d->vc;
    } else {
        h->next[q->last] = d->id;
    }
    q->last = d->id;
    h->next[d->id] = LAST_BEHIND;
    run_output(h, k, o, d->port);
}

/* The links to which nothing came; of the others only those stand here still that have been decided
 * on. */
SIM_INLINE void run_outputs(fast_context *h, const shape k)
{
    enum { AHEAD = 4 };
    const uint32_t *ports = h->fp->outputs;
    for (uint32_t n = 0, num = h->fp->num_outputs; n < num; n++) {
        fast_output *o = output_buffers_output_at(h, k, ports[n]);
        if (n + 2 * AHEAD < num)
            fetch_output(h, k, ports[n + 2 * AHEAD]);
        if (n + AHEAD < num)
            output_buffers_fetch_departure(h, k, ports[n + AHEAD],
                                           output_buffers_output_at(h, k, ports[n + AHEAD])->turn);
        if (o->listed)
            run_output(h, k, o, ports[n]);
    }
    h->fp->num_outputs = 0;
}

#endif
