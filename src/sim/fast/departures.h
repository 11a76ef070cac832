/* SPDX-License-Identifier: Apache-2.0
 *
 * What leaves a switch of the fast engine: a packet its queue, the ends of transmissions and the
 * credit that follow from it, and what reaches a host, which is delivered. */
#ifndef IKAT_SIM_FAST_DEPARTURES_H
#define IKAT_SIM_FAST_DEPARTURES_H

#include "base/array.h"
#include "sim/fast/fast_switch.h"
#include "sim/order/reorder.h"

#include <assert.h>

/* ---- credit */

/* The first credit after there was none, or may be none: its instant counts. */
static void take_scarce_credit(fast_context *h, const shape k, uint64_t word)
{
    uint32_t port = fast_credit_port(word), node = h->s->f->port_node[port],
             offset = (uint32_t)(word >> 32);
    unsigned v = k.vcs == 1 ? 0 : fast_credit_vc(word);
    if (node >= h->num_switches) {
        h->fp->credits[h->fp->num_credits++] = (host_credit){port, offset, v};
        if (h->f->hosts)
            context_fetch_host(h, k, node - h->num_switches);
        return;
    }
    if (!k.chooses) /* else it counts at its instant */
        ++*context_port_credit(h, k, port, v);
    keys_put(h, k, fast_key_of(offset, node, KEY_CREDIT, v, 0, port - h->switches[node].port_base),
             true);
}

/* ---- deliveries */

static delivered departures_delivered_of(const fast_context *h, const delivery *d)
{
    assert(d->id < h->fp->packets.size && d->host < h->s->f->num_hosts);
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
static void departures_report_delivery(const fast_context *h, const delivery *d)
{
    const delivered what = departures_delivered_of(h, d);
    sim_delivered(h->p, d->host, &what);
}

/* order/reorder.c delivers the packet, or what waited for it, too, or none. */
static void departures_put_in_order(fast_context *h, const delivery *d)
{
    const delivered what = departures_delivered_of(h, d);
    sim_reorder_arrive(h->p, d->host, &what, h->fp->packets.sequence[d->id]);
    free_fast_packet(h, d->id);
}

/* What that will touch, in two stages. */
SIM_INLINE void departures_fetch_order(const fast_context *h, const delivery *d,
                                       const delivery *end)
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

static void departures_note_last(const fast_context *h, const delivery *d)
{
    assert(h->f->lasts); /* of finite workloads */
    const fast_packet *pk = &h->packets[d->id];
    last_delivery *last = &h->f->lasts[d->host];
    if (d->t > last->t)
        *last = (last_delivery){d->t, pk->t_inject, pk->rt.src};
}

SIM_INLINE void departures_deliver(fast_context *h, const delivery *d)
{
    sim *s = h->s;
    partition *p = h->p;
    const fast_packet *pk = &h->packets[d->id];
    sink *to = &h->f->sinks[d->host];
    to->hash += sim_delivery_hash(&pk->rt, pk->t_gen, d->t);
    if (__builtin_expect(h->f->lasts != NULL, 0))
        departures_note_last(h, d);
    if (state_in_window(s, d->t)) {
        p->n.window_bytes += s->adapter.packet_bytes;
        to->packets++;
        sim_histo_add(&p->latency, d->t - pk->t_gen);
        sim_histo_add(&p->network, d->t - pk->t_inject);
    }
    stationary_batch_add(&p->batches, d->t, s->adapter.packet_bytes, d->t - pk->t_gen,
                         d->t - pk->t_inject);
    if (__builtin_expect(h->reports, 0))
        departures_report_delivery(h, d);
    free_fast_packet(h, d->id);
}

/* What has reached hosts. */
SIM_INLINE void departures_deliver_all(fast_context *h)
{
    const delivery *d = h->fp->deliveries, *end = d + h->fp->num_deliveries;
    if (!h->orders) {
        h->p->n.delivered += h->fp->num_deliveries;
        for (; d < end; d++)
            departures_deliver(h, d);
    }
    for (; d < end; d++) {
        departures_fetch_order(h, d, end);
        departures_put_in_order(h, d);
    }
    h->fp->num_deliveries = 0;
}

/* ---- grants */

/* A grant while it is carried out. */
typedef struct transfer {
    fast_port *from, *to;
    uint32_t id;
    unsigned vc; /* the one that it takes, where that may be another one than the grant's */
} transfer;

SIM_INLINE unsigned departures_taken_vc(const shape k, const fast_grant *g, const transfer *e)
{
    return k.vcs == 1 ? 0 : k.steps ? e->vc : fast_key_vc(g->key);
}

/* Takes the head off its queue; the next one asks. Whether there is one is hard to predict. */
SIM_INLINE void departures_pop(const fast_context *h, const shape k, fast_switch *fsw, uint32_t sw,
                               const fast_grant *g, const transfer *e)
{
    unsigned in = fast_key_in(g->key), out = fast_key_out(g->key),
             v = k.vcs == 1 ? 0 : fast_key_vc(g->key);
    uint32_t *place = &h->queues[g->queue], last = context_id_of(h, k, *place), id = e->id,
             word = h->next[id] & ~LAST_BEHIND, next = context_id_of(h, k, word);
    uint64_t none = id == last, others = 0;
    h->next[last] = word | LAST_BEHIND;
    *place = none ? IK_NONE : last | context_tag_of(h, k, word);
    if (!k.voq) {
        if (!none && h->out[next] == out && !(k.steps && context_vc_of(h, word) != e->vc))
            return;
        none = k.steps ? none || h->out[next] != out : 1;
    }
    *keys_asks_of(k, e->to, v) &= ~(none << in);
    if (k.steps)
        keys_ask_for_less(h, k, fsw, e->to, in, v, out, e->vc, word);
    if (k.overlap)
        overlap_note_choice(h, k, fsw, sw, in, v, out, !none && context_has_choice(h, k, word));
    else if (k.chooses && none && context_sets_of(h, fsw)->of[out])
        choice_note_left(h, k, fsw, sw, in, v, out);
    for (unsigned u = 0; k.vcs > 1 && u < k.vcs; u++)
        others |= e->to->want[u];
    if (k.vcs > 1)
        none &= ~(others >> in);
    e->from->row &= ~(none << out);
    if (!k.voq && id != last)
        keys_request_vc(h, k, fsw, sw, in, v, h->out[next], k.steps ? context_vc_of(h, word) : v);
}

/* When something ends that begins at `offset` and takes `lasts`, where a tail may have to be waited
 * for, which then is where it goes `beyond` later. */
static window_time departures_end_of_mixed(fast_context *h, uint32_t offset, uint64_t lasts,
                                           uint64_t beyond, uint32_t id)
{
    assert(h->mixed && id < h->fp->packets.size);
    uint64_t *tail = &h->fp->packets.tail[id], end = h->start + offset + lasts;
    if (end < *tail)
        end = *tail;
    *tail = end + beyond;
    return context_until(h, end);
}

/* The end of a transmission on a link. */
SIM_INLINE window_time departures_end_on_link(fast_context *h, uint32_t offset,
                                              const link_delays *link, uint32_t id)
{
    return h->mixed ? departures_end_of_mixed(h, offset, link->full_ps,
                                              h->s->sw.traversal_ps + link->latency_ps, id)
                    : context_after(h, offset, link->tail);
}

/* Output buffers: the end of a transfer through the crossbar. */
SIM_INLINE window_time departures_end_in_crossbar(fast_context *h, uint32_t offset,
                                                  const link_delays *link, uint32_t id)
{
    return h->mixed ? departures_end_of_mixed(h, offset, link->transfer_ps, 0, id)
                    : context_after(h, offset, link->transfer);
}

SIM_INLINE void departures_bin_credit(fast_context *h, const fast_port *in, unsigned v,
                                      window_time at)
{
    if (__builtin_expect(!h->alone, 0) &&
        h->s->parallel.node_partition[in->peer_node] != h->p->id) {
        events_post_remote(h->p, h->start + (uint64_t)at.windows * h->lookahead + at.rest,
                           in->peer_node, EV_CREDIT, in->peer_port,
                           calendar_space_data(v, h->s->adapter.packet_bytes));
        return;
    }
    context_post(h, context_slot_ahead(h, BIN_CREDIT, at.windows),
                 fast_credit_of(at.rest, in->peer_port, v));
}

SIM_INLINE window_time departures_plus(const fast_context *h, window_time a, window_time b)
{
    window_time sum = context_after(h, a.rest, b);
    sum.windows += a.windows;
    return sum;
}

/* The end of the transmission and the credit for the space that it leaves behind; returns when the
 * transmission ends, but only where the case is not plain. */
SIM_INLINE window_time departures_end_of(fast_context *h, const shape k, fast_grant *g,
                                         const fast_port *in, const fast_switch *fsw, uint32_t id)
{
    uint32_t offset = (uint32_t)(g->key >> KEY_OFFSET);
    uint64_t low = g->key & KEY_LOW;
    unsigned v = k.vcs == 1 ? 0 : fast_key_vc(g->key);
    if (k.plain) {
        event_time back = {NULL, 0, false};
        bool ahead = false;
        if (!k.early) {
            event_time tail = context_time_after(h, DELAY_TAIL, offset);
            back = credit_time_after(h, offset, tail);
            context_post(h, tail.at, (uint64_t)tail.rest << KEY_OFFSET | low);
        }
        if (__builtin_expect(!h->alone, 0) &&
            h->s->parallel.node_partition[in->peer_node] != h->p->id) {
            events_post_remote(
                h->p, h->start + offset + h->f->links[0].full_ps + h->f->links[0].latency_ps,
                in->peer_node, EV_CREDIT, in->peer_port,
                calendar_space_data(v, h->s->adapter.packet_bytes));
        } else if (!(ahead = context_count_early(h, k, context_port_at(h, k, in->peer_port),
                                                 in->peer_port, v))) {
            back = k.early ? context_time_after(h, DELAY_CREDIT, offset) : back;
            context_post(h, back.at, fast_credit_of(back.rest, in->peer_port, v));
        }
        if (k.early)
            g->ahead = ahead ? SPACE_HERE : 0;
        return (window_time){0, 0};
    }
    const link_delays *link = context_link_at(h, k, fsw->port_base + fast_key_out(g->key));
    window_time end = k.buffers ? departures_end_in_crossbar(h, offset, link, id)
                                : departures_end_on_link(h, offset, link, id);
    context_post(h, context_slot_ahead(h, BIN_TAIL, end.windows),
                 (uint64_t)end.rest << KEY_OFFSET | low);
    departures_bin_credit(
        h, in, v,
        departures_plus(h, end,
                        context_link_at(h, k, fsw->port_base + fast_key_in(g->key))->credit));
    return end;
}

/* The run may end before the head of a packet reaches its host. */
static void departures_hold_delivery(fast_context *h, held_delivery what)
{
    assert(what.d.host < h->s->f->num_hosts && what.head <= what.d.t);
    fast_partition *fp = h->fp;
    if (!IK_ARRAY_ROOM(fp->held, fp->cap_held, fp->num_held + 1))
        sim_partition_fail(h->p, 2 * fp->cap_held * sizeof *fp->held, "deliveries");
    else
        fp->held[fp->num_held++] = what;
}

/* Those that were held back and come before the run may end again are delivered, before any that is
 * granted now: what comes to a host is known in order. */
static void departures_take_held(fast_context *h, const shape k)
{
    fast_partition *fp = h->fp;
    size_t left = 0;
    for (size_t at = 0; at < fp->num_held; at++) {
        held_delivery e = fp->held[at];
        if (e.head >= h->p->may_end) {
            fp->held[left++] = e;
            continue;
        }
        event_time back = context_event_time_at(
            h, BIN_CREDIT, context_until(h, e.d.t + context_link_at(h, k, e.port)->latency_ps));
        context_post(h, back.at, fast_credit_of(back.rest, e.port, e.vc));
        fp->deliveries[fp->num_deliveries++] = e.d;
        departures_deliver_all(h);
    }
    fp->num_held = left;
}

/* ---- links */

/* A packet that goes on a link. */
typedef struct departure {
    fast_port *to;
    uint32_t port, id; /* port: `to` */
    unsigned vc;
    uint32_t offset; /* in this window */
    window_time end; /* only where the case is not plain */
} departure;

/* To a host: head and tail come, its buffer drains at the link's rate. Returns whether its credit
 * counts already. */
SIM_INLINE bool departures_send_to_host(fast_context *h, const shape k, const departure *d)
{
    const sim *s = h->s;
    const link_delays *out = context_link_at(h, k, d->port);
    uint32_t host = d->to->peer_node - h->num_switches;
    uint64_t head = h->start + d->offset + s->sw.traversal_ps + out->latency_ps,
             t = head + out->full_ps;
    if (!k.plain) {
        t = h->start + (uint64_t)d->end.windows * h->lookahead + d->end.rest + s->sw.traversal_ps +
            out->latency_ps;
        head = s->sw.store_forward ? t : head;
    }
    if (__builtin_expect(head >= h->p->may_end, 0)) {
        departures_hold_delivery(h, (held_delivery){{t, d->id, host}, head, d->port, d->vc});
        return false;
    }
    bool ahead = !k.buffers && context_count_early(h, k, d->to, d->port, d->vc);
    if (!ahead) {
        event_time back =
            k.plain ? context_time_after(h, DELAY_HOST_CREDIT, d->offset)
                    : context_event_time_at(h, BIN_CREDIT, context_until(h, t + out->latency_ps));
        context_post(h, back.at, fast_credit_of(back.rest, d->port, d->vc));
    }
    h->fp->deliveries[h->fp->num_deliveries++] = (delivery){t, d->id, host};
    if (!h->orders)
        __builtin_prefetch(&h->f->sinks[host], 1);
    if (__builtin_expect(h->f->lasts != NULL, 0))
        __builtin_prefetch(&h->f->lasts[host], 1);
    return ahead;
}

/* To a switch. Returns the packet, and its tag, if it is to join its queue at once. */
SIM_INLINE uint32_t departures_send_onward(fast_context *h, const shape k, const departure *d)
{
    const sim *s = h->s;
    fast_packet *pk = &h->packets[d->id];
    ik_packet_add_hops(&pk->rt, 1);
    event_time at = k.plain
                        ? context_time_after(h, DELAY_ARRIVAL, d->offset)
                        : context_event_time_at(
                              h, BIN_ARRIVAL,
                              context_after(h, d->offset, context_link_at(h, k, d->port)->arrival));
    if (!k.plain && h->mixed && s->sw.store_forward)
        at = context_event_time_at(h, BIN_ARRIVAL,
                                   context_until(h, h->fp->packets.tail[d->id] + s->sw.routing_ps));
    return context_send_to_switch(h, k, d->to, d->id, pk, d->vc, at, false);
}

/* Takes credit for a packet that has left its queue. v: the VC that it takes. */
SIM_INLINE void departures_use_credit(const fast_context *h, const shape k, fast_switch *fsw,
                                      uint32_t sw, fast_port *to, unsigned in, unsigned out,
                                      unsigned v)
{
    if (k.roomiest && context_sets_of(h, fsw)->of[out]) { /* taken when it was matched */
        if (k.vcs > 1)
            keys_look_ready(k, to, keys_ok_of(h, k, fsw, sw), out);
        return;
    }
    uint64_t *ok = keys_ok_of(h, k, fsw, sw),
             last = --*fast_credit(h->f, k.vcs, k.steps, to, fsw->port_base + out, v) == 0;
    if (k.dense || last)
        ok[v] &= ~(last << out);
    if (k.vcs > 1 && (k.dense || last || !(context_asked_of(k, to)[v] >> in & 1)))
        keys_look_ready(k, to, ok, out);
}

#endif
