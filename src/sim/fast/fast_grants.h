/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast engine's pass 4 (fast/fast.c): the grants of a window are carried out, and what has
 * reached a host is delivered. */
#ifndef IKAT_SIM_FAST_GRANTS_H
#define IKAT_SIM_FAST_GRANTS_H

#include "base/array.h"
#include "sim/fast/fast_switch.h"
#include "sim/host/reorder.h"

/* ---- deliveries */

static delivered delivered_of(const fast_context *h, const delivery *d)
{
    const fast_packet *pk = &h->packets[d->id];
    return (delivered){.t = d->t,
                       .t_gen = pk->t_gen,
                       .t_inject = pk->t_inject,
                       .src = pk->rt.src,
                       .dst = pk->rt.dst,
                       .number = h->numbered ? h->fp->packets.number[d->id] : 0,
                       .size = h->s->adapter.packet_bytes};
}

/* To those who asked for more than totals. */
static void report_delivery(const fast_context *h, const delivery *d)
{
    const delivered what = delivered_of(h, d);
    sim_delivered(h->p, d->host, &what);
}

/* host/reorder.c delivers the packet, or what waited for it, too, or none. */
static void put_in_order(fast_context *h, const delivery *d)
{
    const delivered what = delivered_of(h, d);
    sim_reorder_arrive(h->p, d->host, &what, h->fp->packets.sequence[d->id]);
    free_fast_packet(h, d->id);
}

/* What that will touch, in two stages. */
SIM_INLINE void fetch_order(const fast_context *h, const delivery *d, const delivery *end)
{
    enum { STAGE = 6 };
    if (d + 2 * STAGE < end)
        __builtin_prefetch(&h->fp->packets.sequence[d[2 * STAGE].id]);
    if (d + STAGE < end) {
        sim_reorder_prefetch_flow(h->p, (uint32_t)(h->fp->packets.sequence[d[STAGE].id] >> 32));
        sim_reorder_prefetch(h->p, h->packets[d[STAGE].id].rt.src, d[STAGE].host);
        __builtin_prefetch(&h->s->host.state[d[STAGE].host].hash, 1);
        __builtin_prefetch(&h->s->counted.host_bytes[d[STAGE].host], 1);
        if (h->s->reorder.limit != REORDER_UNLIMITED)
            sim_reorder_fetch_path(h->p, h->packets[d[STAGE].id].rt.src, d[STAGE].host);
    }
}

static void note_last(const fast_context *h, const delivery *d)
{
    const fast_packet *pk = &h->packets[d->id];
    last_delivery *last = &h->f->lasts[d->host];
    if (d->t > last->t)
        *last = (last_delivery){d->t, pk->t_inject, pk->rt.src};
}

SIM_INLINE void deliver(fast_context *h, const delivery *d)
{
    sim *s = h->s;
    partition *p = h->p;
    const fast_packet *pk = &h->packets[d->id];
    sink *to = &h->f->sinks[d->host];
    to->hash += sim_delivery_hash(&pk->rt, pk->t_gen, d->t);
    if (__builtin_expect(h->f->lasts != NULL, 0))
        note_last(h, d);
    if (in_window(s, d->t)) {
        p->n.window_bytes += s->adapter.packet_bytes;
        to->packets++;
        sim_histo_add(&p->latency, d->t - pk->t_gen);
        sim_histo_add(&p->network, d->t - pk->t_inject);
    }
    if (__builtin_expect(h->reports, 0))
        report_delivery(h, d);
    free_fast_packet(h, d->id);
}

/* What has reached hosts. */
SIM_INLINE void deliver_all(fast_context *h)
{
    const delivery *d = h->fp->deliveries, *end = d + h->fp->num_deliveries;
    if (!h->orders) {
        h->p->n.delivered += h->fp->num_deliveries;
        for (; d < end; d++)
            deliver(h, d);
    }
    for (; d < end; d++) {
        fetch_order(h, d, end);
        put_in_order(h, d);
    }
    h->fp->num_deliveries = 0;
}

/* A grant while it is carried out. */
typedef struct transfer {
    fast_port *from, *to;
    uint32_t id;
    unsigned vc; /* the one that it takes, where that may be another one than the grant's */
} transfer;

SIM_INLINE unsigned taken_vc(const shape k, const fast_grant *g, const transfer *e)
{
    return k.vcs == 1 ? 0 : k.steps ? e->vc : key_vc(g->key);
}

/* Takes the head off its queue; the next one asks. Whether there is one is hard to predict. */
SIM_INLINE void pop(const fast_context *h, const shape k, fast_switch *fsw, uint32_t sw,
                    const fast_grant *g, const transfer *e)
{
    unsigned in = key_in(g->key), out = key_out(g->key), v = k.vcs == 1 ? 0 : key_vc(g->key);
    uint32_t *place = &h->queues[g->queue], last = id_of(h, k, *place), id = e->id,
             word = h->next[id] & ~LAST_BEHIND, next = id_of(h, k, word);
    uint64_t none = id == last, others = 0;
    h->next[last] = word | LAST_BEHIND;
    *place = none ? IK_NONE : last | tag_of(h, k, word);
    if (!k.voq) {
        if (!none && h->out[next] == out && !(k.steps && vc_of(h, word) != e->vc))
            return;
        none = k.steps ? none || h->out[next] != out : 1;
    }
    *asks_of(k, e->to, v) &= ~(none << in);
    if (k.steps)
        ask_for_less(h, k, fsw, e->to, in, v, out, e->vc, word);
    if (k.overlap)
        note_choice(h, k, fsw, sw, in, v, out, !none && has_choice(h, k, word));
    else if (k.chooses && none && sets_of(h, fsw)->of[out])
        note_left(h, k, fsw, sw, in, v, out);
    for (unsigned u = 0; k.vcs > 1 && u < k.vcs; u++)
        others |= e->to->want[u];
    if (k.vcs > 1)
        none &= ~(others >> in);
    e->from->row &= ~(none << out);
    if (!k.voq && id != last)
        request_vc(h, k, fsw, sw, in, v, h->out[next], k.steps ? vc_of(h, word) : v);
}

/* When the transmission of a grant ends where a tail may have to be waited for. */
static window_time end_of_mixed(fast_context *h, uint32_t offset, const link_delays *out,
                                uint32_t id)
{
    uint64_t *tail = &h->fp->packets.tail[id], end = h->start + offset + out->full_ps;
    if (end < *tail)
        end = *tail;
    *tail = end + h->s->sw.traversal_ps + out->latency_ps;
    return until(h, end);
}

SIM_INLINE void bin_credit(fast_context *h, const fast_port *in, unsigned v, window_time at)
{
    if (__builtin_expect(!h->alone, 0) &&
        h->s->parallel.node_partition[in->peer_node] != h->p->id) {
        post_remote(h->p, h->start + (uint64_t)at.windows * h->lookahead + at.rest, in->peer_node,
                    EV_CREDIT, in->peer_port, space_data(v, h->s->adapter.packet_bytes));
        return;
    }
    post(h, slot_ahead(h, BIN_CREDIT, at.windows), credit_of(at.rest, in->peer_port, v));
}

SIM_INLINE window_time plus(const fast_context *h, window_time a, window_time b)
{
    window_time sum = after(h, a.rest, b);
    sum.windows += a.windows;
    return sum;
}

/* The end of the transmission and the credit for the space that it leaves behind; returns when the
 * transmission ends, but only where the case is not plain. */
SIM_INLINE window_time end_of(fast_context *h, const shape k, fast_grant *g, const fast_port *in,
                              const fast_switch *fsw, uint32_t id)
{
    uint32_t offset = (uint32_t)(g->key >> KEY_OFFSET);
    uint64_t low = g->key & KEY_LOW;
    unsigned v = k.vcs == 1 ? 0 : key_vc(g->key);
    if (k.plain) {
        event_time back = {NULL, 0, false};
        bool ahead = false;
        if (!k.early) {
            event_time tail = time_after(h, DELAY_TAIL, offset);
            back = credit_time_after(h, offset, tail);
            post(h, tail.at, (uint64_t)tail.rest << KEY_OFFSET | low);
        }
        if (__builtin_expect(!h->alone, 0) &&
            h->s->parallel.node_partition[in->peer_node] != h->p->id) {
            post_remote(
                h->p, h->start + offset + h->f->links[0].full_ps + h->f->links[0].latency_ps,
                in->peer_node, EV_CREDIT, in->peer_port, space_data(v, h->s->adapter.packet_bytes));
        } else if (!(ahead = count_early(h, k, port_at(h, k, in->peer_port), in->peer_port, v))) {
            back = k.early ? time_after(h, DELAY_CREDIT, offset) : back;
            post(h, back.at, credit_of(back.rest, in->peer_port, v));
        }
        if (k.early)
            g->ahead = ahead ? SPACE_HERE : 0;
        return (window_time){0, 0};
    }
    const link_delays *link = link_at(h, k, fsw->port_base + key_out(g->key));
    window_time end = h->mixed ? end_of_mixed(h, offset, link, id) : after(h, offset, link->tail);
    post(h, slot_ahead(h, BIN_TAIL, end.windows), (uint64_t)end.rest << KEY_OFFSET | low);
    bin_credit(h, in, v, plus(h, end, link_at(h, k, fsw->port_base + key_in(g->key))->credit));
    return end;
}

/* The run may end before the head of a packet reaches its host. */
static void hold_delivery(fast_context *h, held_delivery what)
{
    fast_partition *fp = h->fp;
    if (!IK_ARRAY_ROOM(fp->held, fp->cap_held, fp->num_held + 1))
        sim_partition_fail(h->p, 2 * fp->cap_held * sizeof *fp->held, "deliveries");
    else
        fp->held[fp->num_held++] = what;
}

/* Those that were held back and come before the run may end again are delivered, before any that is
 * granted now: what comes to a host is known in order. */
static void take_held(fast_context *h, const shape k)
{
    fast_partition *fp = h->fp;
    size_t left = 0;
    for (size_t at = 0; at < fp->num_held; at++) {
        held_delivery e = fp->held[at];
        if (e.head >= h->p->may_end) {
            fp->held[left++] = e;
            continue;
        }
        event_time back =
            event_time_at(h, BIN_CREDIT, until(h, e.d.t + link_at(h, k, e.port)->latency_ps));
        post(h, back.at, credit_of(back.rest, e.port, e.vc));
        fp->deliveries[fp->num_deliveries++] = e.d;
        deliver_all(h);
    }
    fp->num_held = left;
}

/* To a host: head and tail come, its buffer drains at the link's rate. */
SIM_INLINE void send_to_host(fast_context *h, const shape k, fast_grant *g, const transfer *e,
                             window_time end)
{
    const sim *s = h->s;
    uint32_t out_port = h->switches[key_switch(g->key)].port_base + key_out(g->key), id = e->id;
    const link_delays *out = link_at(h, k, out_port);
    uint32_t offset = (uint32_t)(g->key >> KEY_OFFSET);
    unsigned u = taken_vc(k, g, e);
    uint64_t head = h->start + offset + s->sw.traversal_ps + out->latency_ps,
             t = head + out->full_ps;
    if (!k.plain) {
        t = h->start + (uint64_t)end.windows * h->lookahead + end.rest + s->sw.traversal_ps +
            out->latency_ps;
        head = s->sw.store_forward ? t : head;
    }
    if (__builtin_expect(head >= h->p->may_end, 0)) {
        hold_delivery(
            h, (held_delivery){{t, id, e->to->peer_node - h->num_switches}, head, out_port, u});
        return;
    }
    if (!count_early(h, k, e->to, out_port, u)) {
        event_time back = k.plain ? time_after(h, DELAY_HOST_CREDIT, offset)
                                  : event_time_at(h, BIN_CREDIT, until(h, t + out->latency_ps));
        post(h, back.at, credit_of(back.rest, out_port, u));
    } else {
        g->ahead |= SPACE_AT_HOST | u << SPACE_VC;
    }
    uint32_t host = e->to->peer_node - h->num_switches;
    h->fp->deliveries[h->fp->num_deliveries++] = (delivery){t, id, host};
    if (!h->orders)
        __builtin_prefetch(&h->f->sinks[host], 1);
    if (__builtin_expect(h->f->lasts != NULL, 0))
        __builtin_prefetch(&h->f->lasts[host], 1);
}

/* Takes credit for a packet that has left its queue. v: the VC that it takes. */
SIM_INLINE void use_credit(const fast_context *h, const shape k, fast_switch *fsw, uint32_t sw,
                           fast_port *to, unsigned in, unsigned out, unsigned v)
{
    if (k.roomiest && sets_of(h, fsw)->of[out]) { /* taken when it was matched */
        if (k.vcs > 1)
            look_ready(k, to, ok_of(h, k, fsw, sw), out);
        return;
    }
    uint64_t *ok = ok_of(h, k, fsw, sw),
             last = --*fast_credit(h->f, k.vcs, k.steps, to, fsw->port_base + out, v) == 0;
    if (k.dense || last)
        ok[v] &= ~(last << out);
    if (k.vcs > 1 && (k.dense || last || !(asked_of(k, to)[v] >> in & 1)))
        look_ready(k, to, ok, out);
}

SIM_INLINE void carry_out(fast_context *h, const shape k, fast_grant *g, const transfer *e)
{
    sim *s = h->s;
    uint32_t sw = key_switch(g->key), offset = (uint32_t)(g->key >> KEY_OFFSET);
    fast_switch *fsw = &h->switches[sw];
    unsigned u = taken_vc(k, g, e);
    fast_port *in = e->from, *to = e->to;
    uint32_t id = e->id;
    fast_packet *pk = &h->packets[id];
    pop(h, k, fsw, sw, g, e);
    use_credit(h, k, fsw, sw, to, key_in(g->key), key_out(g->key), u);
    fsw->held--;
    window_time end = end_of(h, k, g, in, fsw, id);
    if (k.steps)
        pk->rt.vc = (uint8_t)u;
    if (k.overlap && h->restarts && __builtin_expect(s->measure.paranoid, 0))
        s->backlog.sending[fsw->port_base + key_out(g->key)] =
            space_data(k.vcs == 1 ? 0 : key_vc(g->key), h->full);
    count_sent(h, to, fsw->port_base + key_out(g->key), h->start + offset,
               k.plain ? h->start + offset + h->f->links[0].full_ps
                       : h->start + (uint64_t)end.windows * h->lookahead + end.rest);
    if (to->peer_node >= h->num_switches) {
        send_to_host(h, k, g, e, end);
        if (k.early)
            g->id = IK_NONE;
        return;
    }
    ik_packet_add_hops(&pk->rt, 1);
    event_time at =
        k.plain ? time_after(h, DELAY_ARRIVAL, offset)
                : event_time_at(
                      h, BIN_ARRIVAL,
                      after(h, offset, link_at(h, k, fsw->port_base + key_out(g->key))->arrival));
    if (!k.plain && h->mixed && s->sw.store_forward)
        at = event_time_at(h, BIN_ARRIVAL, until(h, h->fp->packets.tail[id] + s->sw.routing_ps));
    uint32_t joining = send_to_switch(h, k, to, id, pk, u, at, false);
    if (k.early)
        g->id = joining;
}

/* ---- the stages of a grant */

/* Of the VCs of a pair those that could go: what ready_vcs() has noted, and which VCs the heads ask
 * for. These are the same ones as then: a pair is matched once in a window, and what has come since
 * was not noted. */
SIM_INLINE uint32_t noted_vcs(const fast_context *h, const shape k, const fast_switch *fsw,
                              const fast_grant *g)
{
    uint32_t ready = 0, queues = g->vcs & 0xFFFFu;
    if (!k.steps)
        return g->vcs;
    if (k.chooses || !(queues & (queues - 1))) /* chosen at the match; or there is one */
        return queues;
    for (unsigned v = 0; v < k.vcs; v++) {
        uint32_t word = h->queues[queue_at(fsw, k, key_in(g->key), v, key_out(g->key))];
        ready |= (g->vcs >> v & g->vcs >> (16 + vc_of(h, word)) & 1) << v;
    }
    return ready;
}

/* Chooses among the VCs of a pair; they take turns. */
SIM_INLINE void choose_ready_vc(fast_context *h, const shape k, fast_grant *g)
{
    const fast_switch *fsw = &h->switches[key_switch(g->key)];
    unsigned in = key_in(g->key), out = key_out(g->key), v;
    uint32_t ready = noted_vcs(h, k, fsw, g);
    if (k.voq) {
        uint32_t *turn = &h->queues[g->queue - 1];
        v = from_pointer(ready, *turn);
        *turn = v + 1 == k.vcs ? 0 : v + 1;
        g->queue += v;
    } else {
        uint8_t *turn =
            &h->s->net.switches[key_switch(g->key)].pair_vc[(size_t)in * fsw->radix + out];
        v = from_pointer(ready, *turn);
        *turn = (uint8_t)(v + 1 == k.vcs ? 0 : v + 1);
        g->queue = queue_at(fsw, k, in, v, out);
        __builtin_prefetch(&h->queues[g->queue], 1);
    }
    g->key |= v << KEY_VC;
}

/* Each step fetches what the next one touches. The queue is there by now. */
SIM_INLINE void find_ports(const fast_context *h, const shape k, const fast_grant *g, transfer *e)
{
    uint32_t base = k.vcs == 1 ? g->ports : h->switches[key_switch(g->key)].port_base;
    fast_port *ports = port_at(h, k, base);
    e->from = beside(ports, k, key_in(g->key));
    e->to = beside(ports, k, key_out(g->key));
    __builtin_prefetch(e->from, 1);
    fetch_port_lines(k, e->to);
    if (fast_credit_apart(k.vcs, k.steps))
        __builtin_prefetch(port_credit(h, k, base + key_out(g->key), 0), 1);
    __builtin_prefetch(&h->next[id_of(h, k, h->queues[g->queue])], 1);
}

SIM_INLINE void find_packet(const fast_context *h, const shape k, const fast_grant *g, transfer *e)
{
    /* others may have joined behind it by now */
    uint32_t word = h->next[id_of(h, k, h->queues[g->queue])];
    e->id = id_of(h, k, word);
    if (k.steps)
        e->vc = vc_of(h, word);
    __builtin_prefetch(&h->packets[e->id], 1);
    __builtin_prefetch(&h->next[e->id], 1);
    if (k.early && __builtin_expect(h->alone, 1)) {
        /* beyond the last one if it is a host */
        __builtin_prefetch(&h->switches[e->to->peer_node], 1);
        __builtin_prefetch(port_credit(h, k, e->from->peer_port, 0), 1);
    } else if (k.early) {
        /* what belongs to another partition would be taken from its processor's cache */
        const uint16_t *owner = h->s->parallel.node_partition;
        if (owner[e->to->peer_node] == h->p->id)
            __builtin_prefetch(&h->switches[e->to->peer_node], 1);
        if (owner[e->from->peer_node] == h->p->id)
            __builtin_prefetch(port_credit(h, k, e->from->peer_port, 0), 1);
    }
}

/* Packets join their queues, and what the block behind will touch is fetched. */
SIM_INLINE void join_block(fast_context *h, const shape k, const queue_join *st, uint32_t stride,
                           uint32_t windows)
{
    for (uint32_t x = stride; x < 2 * stride && st + x < h->joins; x++)
        fetch_join(h, k, st + x);
    for (uint32_t x = 0; x < stride && st + x < h->joins; x++)
        join_early(h, k, st + x, windows);
}

/* The grants of this window, block by block: while one is carried out the blocks behind it are
 * fetched. Early: and the packets of those before it join their queues. */
SIM_INLINE void carry_out_all(fast_context *h, const shape k, fast_grant *g)
{
    enum { STRIDE = 8 };
    transfer transfers[4 * STRIDE];
    queue_join *joined = h->fp->joins;
    uint32_t n = (uint32_t)(h->grants - g), windows = h->f->links[0].arrival.windows;
    for (uint32_t at = 0; at < n + 3 * STRIDE; at += STRIDE) {
        for (uint32_t x = at; k.vcs > 1 && x < at + STRIDE && x < n; x++)
            choose_ready_vc(h, k, g + x);
        for (uint32_t x = at - STRIDE; x < at && x < n; x++)
            find_ports(h, k, g + x, &transfers[x % (4 * STRIDE)]);
        for (uint32_t x = at - 2 * STRIDE; x < at - STRIDE && x < n; x++)
            find_packet(h, k, g + x, &transfers[x % (4 * STRIDE)]);
        for (uint32_t x = at - 3 * STRIDE; x < at - 2 * STRIDE && x < n; x++)
            carry_out(h, k, g + x, &transfers[x % (4 * STRIDE)]);
        /* as many each time: that can be predicted */
        for (; k.early && joined + 2 * STRIDE < h->joins; joined += STRIDE)
            join_block(h, k, joined, STRIDE, windows);
    }
    for (; k.early && joined < h->joins; joined += STRIDE)
        join_block(h, k, joined, STRIDE, windows);
    deliver_all(h);
    h->p->n.hops += n;
    h->p->n.events += k.early ? 3 * n : 0; /* a tail, a credit and an arrival each */
}

#endif
