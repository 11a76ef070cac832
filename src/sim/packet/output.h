/* SPDX-License-Identifier: Apache-2.0
 *
 * Output buffers: the second half of an input-and-output-queued switch (model ioq), and all there
 * is of an ideal one (model ideal). A port has one FIFO a VC, its VCs with credit take turns on the
 * link.
 *
 *   ioq    the crossbar moves a packet into the output buffer at `speedup` times the link's rate,
 *          once there is room for all of it; its space is free again when its last byte has left on
 *          the link. The input buffer is credited when the packet's last byte has left it.
 *   ideal  a packet stands in its output's queue from the instant it arrives, whatever others do;
 *          it keeps its space in the input buffer, so credits mean what they mean elsewhere, until
 *          its last byte has left on the link. */
#ifndef IKAT_SIM_OUTPUT_H
#define IKAT_SIM_OUTPUT_H

#include "sim/packet/shape.h"
#include "sim/packet/watching.h"

#include <assert.h>

/* In the data of EV_TAIL. LINK_END: the link's end, with vc << 24 | bytes. Without it, and without
 * LOOK_AGAIN, the end of a transfer through the crossbar, whose input stands in the low
 * bits; BOTH_END: and that of the link, which sent what output_state says. */
#define LINK_END 0x80000000u
#define BOTH_END 0x20000000u

SIM_INLINE bool output_ends_transfer(uint32_t data)
{
    return !(data & (LINK_END | LOOK_AGAIN));
}

SIM_INLINE unsigned output_transfer_input(uint32_t data)
{
    assert(output_ends_transfer(data));
    return data & 0xFFFF;
}

SIM_INLINE void enqueue_output(partition *p, uint32_t port, unsigned u, uint32_t id)
{
    assert(id < p->pool_size && u < p->sim->sw.vcs);
    queue *q = state_out_queue_of(p->sim, p->sim->sw.vcs, port, u);
    p->pool[id].next = IK_NONE;
    if (q->head == IK_NONE)
        q->head = id;
    else
        p->pool[q->tail].next = id;
    q->tail = id;
    if (p->sim->backlog.waiting)
        p->sim->backlog.waiting[(size_t)port * p->sim->sw.vcs + u] += p->pool[id].size;
}

/* A packet enters the crossbar at t0 and has left its input at `end`: what view_queued foresees. */
SIM_INLINE void output_note_granted(sim *s, uint32_t port, uint64_t t0, uint64_t end, uint32_t size)
{
    assert(end >= t0);
    uint64_t *clear = &s->backlog.clear_ps[port],
             sent = (*clear > t0 ? *clear : t0) + state_transmit_ps(s, port, size);
    *clear = sent > end ? sent : end;
}

/* Without shared output buffers: a VC's free bytes behind an output, model ioq. */
SIM_INLINE void change_output_space(sim *s, sw_state *sw, const shape k, uint32_t port, unsigned u,
                                    int32_t bytes)
{
    shape_change_room(s, sw, k, state_space_of(s, k.vcs, port, u), port - sw->port_base, u, bytes);
}

/* What takes a link so long takes the crossbar, model ioq. */
SIM_INLINE uint64_t output_crossbar_ps(const sim *s, uint64_t link_ps)
{
    assert(s->sw.speedup >= 1);
    uint64_t time = (uint64_t)((double)link_ps / s->sw.speedup + 0.5);
    return time ? time : 1;
}

/* Crossbar transfer of a granted packet into the output buffer (ioq). */
SIM_INLINE void move_to_output(partition *p, uint32_t node, sw_state *sw, const shape k,
                               uint32_t id, uint32_t in_port, uint32_t out_port, unsigned input,
                               unsigned v, unsigned u, uint64_t t0)
{
    assert(u < k.vcs && id < p->pool_size);
    sim *s = p->sim;
    packet *pk = &p->pool[id];
    uint64_t end = t0 + output_crossbar_ps(s, state_transmit_ps(s, out_port, pk->size));
    if (end < pk->t_tail)
        end = pk->t_tail;
    if (k.ledger && s->net.out_space.accounts)
        space_ledger_add(&s->net.out_space, out_port, u, (int32_t)pk->size);
    else
        change_output_space(s, sw, k, out_port, u, -(int32_t)pk->size);
    shape_give_space(p, k, in_port, end, v, pk->out, pk);
    if (k.ledger && s->sw.stride && u != pk->vc_first) {
        pk->queue = sim_look_ahead(p, out_port, u, &pk->rt, pk->number);
        pk->vc_first = (uint8_t)u;
    }
    if (s->backlog.clear_ps)
        output_note_granted(s, out_port, t0, end, pk->size);
    pk->rt.vc = (uint8_t)u;
    pk->t_tail = end + s->sw.traversal_ps;
    if (s->sw.traversal_ps == 0) { /* it is there at this instant: take_entered() */
        assert(p->num_entered < s->net.max_radix);
        p->entered[p->num_entered++] = (entering){end, id, out_port, input};
        return;
    }
    events_post_own(p, end, node, EV_TAIL, out_port, input, true);
    events_post_own(p, t0 + s->sw.traversal_ps, node, EV_WAKE, out_port, id, true);
}

/* Puts the head of output queue (port, u) on the link; returns when the link will be free. */
SIM_INLINE uint64_t send_output(partition *p, sw_state *sw, const shape k, uint32_t port,
                                unsigned u)
{
    sim *s = p->sim;
    assert(state_out_queue_of(s, k.vcs, port, u)->head != IK_NONE &&
           !state_output_of(s, port)->link);
    output_state *o = state_output_of(s, port);
    queue *q = state_out_queue_of(s, k.vcs, port, u);
    uint32_t id = q->head;
    packet *pk = &p->pool[id];
    const port_state *to = &s->net.ports[port];
    uint64_t end = p->now + state_transmit_ps(s, port, pk->size), delay = to->latency_ps;
    if (end < pk->t_tail)
        end = pk->t_tail;
    q->head = pk->next;
    if (k.watch)
        watching_sent(p, id, port, u, end);
    shape_take_space(p, sw, k, port, u, pk);
    o->link = calendar_space_data(u, pk->size);
    if (s->sw.model == MODEL_IDEAL) {
        const port_state *from = &s->net.ports[pk->queue];
        events_post_remote(p, end + from->latency_ps, from->peer_node, EV_CREDIT, from->peer_port,
                           calendar_space_data(pk->rt.vc, pk->size));
        delay += s->sw.traversal_ps;
        sw->bytes -= pk->size;
        p->n.hops++;
    }
    o->bytes += state_bytes_in_window(s, p->now, end, pk->size);
    bool to_switch = to->peer_node < s->f->num_switches;
    pk->rt.vc = (uint8_t)u;
    ik_packet_add_hops(&pk->rt, to_switch);
    pk->t_tail = end + delay;
    uint64_t ready =
        (s->sw.store_forward ? pk->t_tail : p->now + delay) + (to_switch ? s->sw.routing_ps : 0);
    events_post_remote(p, ready, to->peer_node, EV_ARRIVAL, to->peer_port, id);
    return end;
}

/* Bytes that the head of an output queue may take in the input buffer at the other end. */
SIM_INLINE int32_t output_link_room(partition *p, const shape k, uint32_t port, unsigned u,
                                    const packet *pk)
{
    const sim *s = p->sim;
    if (k.ledger && s->net.in_space.accounts)
        return space_ledger_room(&s->net.in_space, port, space_account_of(p, port, u, pk));
    return *state_credit_at(s, port, u);
}

/* Sends a packet if the link is free and a VC has one and room for it; returns it, IK_NONE = none,
 * and *end, when the link will be free again. Posts nothing of that. */
SIM_INLINE uint32_t output_try_link(partition *p, sw_state *sw, const shape k, uint32_t port,
                                    uint64_t *end)
{
    sim *s = p->sim;
    output_state *o = state_output_of(s, port);
    if (o->link)
        return IK_NONE;
    uint32_t first = IK_NONE;
    uint64_t first_key = UINT64_MAX;
    for (unsigned n = 0; n < k.vcs; n++) {
        unsigned u = o->next + n < k.vcs ? o->next + n : o->next + n - k.vcs;
        uint32_t id = state_out_queue_of(s, k.vcs, port, u)->head;
        if (id == IK_NONE ||
            output_link_room(p, k, port, u, &p->pool[id]) < (int32_t)p->pool[id].size)
            continue;
        if (!s->sw.by_age) {
            o->next = (uint8_t)(u + 1 == k.vcs ? 0 : u + 1);
            *end = send_output(p, sw, k, port, u);
            return id;
        }
        /* next stays 0: of equal ones the lowest VC */
        uint64_t key = sim_urgency(s, &p->pool[id]);
        first = key < first_key ? id : first;
        first_key = key < first_key ? key : first_key;
    }
    if (first != IK_NONE)
        *end = send_output(p, sw, k, port, p->pool[first].rt.vc);
    return first;
}

SIM_INLINE void output_post_link_end(partition *p, uint32_t node, uint32_t port, uint64_t end)
{
    assert(state_output_of(p->sim, port)->link); /* else the end would say that nothing was sent */
    events_post_own(p, end, node, EV_TAIL, port, LINK_END | state_output_of(p->sim, port)->link,
                    true);
}

/* Links that may have something to send now. */
SIM_INLINE void output_run_links(partition *p, uint32_t node, sw_state *sw, const shape k)
{
    for (unsigned w = 0; w < k.words; w++) {
        uint64_t bits = p->dirty_link[w];
        p->dirty_link[w] = 0;
        for (; bits; bits &= bits - 1) {
            uint32_t port = sw->port_base + w * 64 + (unsigned)__builtin_ctzll(bits);
            uint64_t end;
            if (output_try_link(p, sw, k, port, &end) != IK_NONE)
                output_post_link_end(p, node, port, end);
        }
    }
}

/* Without a traversal delay: the first `num` packets that entered the crossbar at this instant are
 * in their output buffers by now, and links may send. One that goes at once mostly leaves its
 * link when it leaves the crossbar: one event for both ends. */
SIM_INLINE void output_link_entered(partition *p, uint32_t node, sw_state *sw, const shape k,
                                    uint32_t num)
{
    for (const entering *e = p->entered, *behind = e + num; e < behind; e++) {
        uint64_t end = 0;
        uint32_t sent = output_try_link(p, sw, k, e->port, &end);
        bool both = sent == e->id && end == e->end;
        events_post_own(p, e->end, node, EV_TAIL, e->port, e->input | (both ? BOTH_END : 0), true);
        if (sent != IK_NONE && !both)
            output_post_link_end(p, node, e->port, end);
    }
    p->num_entered -= num;
    memmove(p->entered, p->entered + num, p->num_entered * sizeof *p->entered);
}

/* Returns whether packets of full size may have waited for the space that becomes free. */
SIM_INLINE bool output_take_link_end(partition *p, sw_state *sw, const shape k, uint32_t port,
                                     uint32_t data)
{
    sim *s = p->sim;
    bool was_short = true;
    state_output_of(s, port)->link = 0;
    if (s->backlog.waiting)
        s->backlog.waiting[(size_t)port * k.vcs + calendar_space_vc(data)] -=
            calendar_space_bytes(data);
    if (k.ledger && s->net.out_space.accounts)
        space_ledger_add(&s->net.out_space, port, calendar_space_vc(data),
                         -(int32_t)calendar_space_bytes(data));
    else if (s->sw.model == MODEL_IOQ) {
        was_short = *state_space_of(s, k.vcs, port, calendar_space_vc(data)) <
                    (int32_t)s->adapter.packet_bytes;
        change_output_space(s, sw, k, port, calendar_space_vc(data),
                            (int32_t)calendar_space_bytes(data));
    }
    shape_mark(p->dirty_link, k, port - sw->port_base);
    return was_short;
}

/* Ideal switch: straight into the output's queue, with the VC that has most credit now. */
SIM_INLINE void output_arrive_ideal(partition *p, sw_state *sw, const shape k, uint32_t port,
                                    uint32_t id)
{
    packet *pk = &p->pool[id];
    uint32_t out_port = sw->port_base + pk->out;
    pk->queue = port;
    sw->bytes += pk->size;
    unsigned u = shape_choose_vc(p, k, out_port, pk);
    enqueue_output(p, out_port, u, id);
    if (k.watch)
        watching_queued(p, id, out_port, u, p->now);
    if (__builtin_expect(p->edges != NULL, 0))
        sim_check_step(p, &pk->rt, port, pk->rt.vc, out_port, u);
    shape_mark(p->dirty_link, k, pk->out);
}

#endif
