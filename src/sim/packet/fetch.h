/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetching ahead, where the state of a network is larger than a second-level cache. What a node
 * will touch is named by its events of the window, in stages: the state of a switch; its masks;
 * what its events name (ports, credits, packets); the queues that packets will join or leave; their
 * heads. Each stage needs what the one before it has brought, so while a node is worked on, the
 * stages run for those that come so many places behind it. Nothing here changes anything. */
#ifndef IKAT_SIM_FETCH_H
#define IKAT_SIM_FETCH_H

#include "sim/order/reorder.h"
#include "sim/packet/choose.h"
#include "sim/packet/output.h"

#include <assert.h>

/* Places behind the node that is worked on. */
enum { FETCH_STATE = 12, FETCH_MASKS = 9, FETCH_NAMED = 6, FETCH_QUEUES = 3, FETCH_HEADS = 1 };

/* Bytes of state below which it costs more than it brings. */
#define FETCH_BYTES (4u << 20)

SIM_INLINE void fetch_line_here(const void *at)
{
    __builtin_prefetch(at, 1);
}

SIM_INLINE void fetch_state(const sim *s, uint32_t node)
{
    if (node < s->f->num_switches) {
        fetch_line_here(&s->net.switches[node]);
        fetch_line_here((const char *)&s->net.switches[node] + 64);
        return;
    }
    uint32_t host = node - s->f->num_switches;
    fetch_line_here(&s->host.state[host]);
    fetch_line_here(&s->source.injectors[host]);
    fetch_line_here(&s->host.queues[(size_t)host * s->adapter.num_queues]);
    fetch_line_here(
        &s->host.messages[(size_t)host * s->adapter.num_queues * s->adapter.active_messages]);
}

SIM_INLINE void fetch_masks(const sw_state *sw, const shape k)
{
    fetch_line_here(sw->masks);
    fetch_line_here(shape_room_of_vc(sw, k, 0));
    if (sw->undecided)
        fetch_line_here(sw->undecided);
}

/* What a grant to a port, or space that comes back, touches. */
SIM_INLINE void fetch_port_here(const sim *s, const shape k, uint32_t port)
{
    fetch_line_here(&s->net.ports[port]);
    if (k.ledger && s->net.in_space.accounts) {
        fetch_line_here(&s->net.in_space.used[(size_t)port * s->net.in_space.accounts]);
        fetch_line_here(&s->net.in_space.bounds[port]);
        fetch_line_here(&s->net.in_space.shared[port]);
    } else {
        fetch_line_here(state_output_of(s, port));
    }
}

SIM_INLINE void fetch_output_buffer(const sim *s, const shape k, uint32_t port)
{
    fetch_line_here((const char *)state_output_of(s, port) + s->net.output_stride - 1);
    if (s->backlog.waiting)
        fetch_line_here(&s->backlog.waiting[(size_t)port * k.vcs]);
}

/* The end of a transfer through the crossbar, from its data. */
SIM_INLINE bool fetch_is_crossbar_end(const event *e)
{
    return calendar_event_kind(e) == EV_TAIL && output_ends_transfer(e->data);
}

/* What is kept of the heads of an input port that may choose again. */
SIM_INLINE void fetch_choices(const sim *s, const sw_state *sw, const shape k, unsigned in)
{
    if (!sw->undecided || !k.voq)
        return;
    fetch_line_here(shape_revocable_of(sw, k, in, 0));
    if (sw->allowed) {
        fetch_line_here(shape_union_of(sw, k, shape_input_of(s, in, 0)));
        fetch_line_here(shape_known_of(sw, k, in, 0));
    }
}

SIM_INLINE void fetch_named(const partition *p, const sw_state *sw, const shape k, const event *e)
{
    const sim *s = p->sim;
    uint32_t port = calendar_event_port(e), kind = calendar_event_kind(e);
    if (kind == EV_CREDIT && s->net.in_space.accounts)
        port /= s->net.in_space.accounts;
    if (kind == EV_ARRIVAL) {
        fetch_line_here(&p->pool[e->data]);
        fetch_line_here(&s->net.ports[port]);
        fetch_line_here(shape_row_of(sw, k, shape_input_of(s, port - sw->port_base, 0)));
        fetch_choices(s, sw, k, port - sw->port_base);
        return;
    }
    if (kind == EV_WAKE)
        fetch_line_here(&p->pool[e->data]);
    fetch_port_here(s, k, port);
    if (s->sw.out_buffers)
        fetch_output_buffer(s, k, port);
    if (!fetch_is_crossbar_end(e))
        return;
    fetch_line_here(shape_want_of(sw, k, port - sw->port_base, 0));
    fetch_line_here(shape_row_of(sw, k, output_transfer_input(e->data)));
    fetch_line_here(
        &s->net.ports[sw->port_base + shape_port_of(s, output_transfer_input(e->data))]);
    if (s->backlog.queued) {
        fetch_line_here(&s->backlog.queued[(size_t)port * k.vcs]);
        fetch_line_here(&s->backlog.sending[port]);
    }
}

/* The queue whose head an output that becomes free will probably take: that of the input whose turn
 * it is among those that will be free. NULL: nobody asks. Masks of one word. */
SIM_INLINE queue *fetch_likely_queue(const sim *s, sw_state *sw, const shape k, const event *e)
{
    uint32_t port = calendar_event_port(e);
    unsigned out = port - sw->port_base, turn = s->net.ports[port].grant;
    uint64_t free_in =
        switch_state_free_inputs(sw)[0] | 1ull << (output_transfer_input(e->data) & 63);
    for (unsigned v = 0; v < k.vcs; v++) {
        uint64_t asks = shape_want_of(sw, k, out, v)[0] & free_in;
        if (asks)
            return shape_queue_of(sw, k, shape_port_of(s, port_set_first_from(&asks, 1, turn)), v,
                                  out);
    }
    return NULL;
}

/* The queue whose head an input that becomes free will probably send: that of the output whose turn
 * it is among those that are free. */
SIM_INLINE queue *fetch_other_queue(const sim *s, sw_state *sw, const shape k, const event *e)
{
    unsigned input = output_transfer_input(e->data), in = shape_port_of(s, input);
    uint64_t others = shape_row_of(sw, k, input)[0] & switch_state_free_outputs(sw, 1)[0];
    unsigned turn = s->net.ports[sw->port_base + in].accept;
    return others ? shape_queue_of(sw, k, in, 0, port_set_first_from(&others, 1, turn)) : NULL;
}

/* All queues that a packet may join. */
SIM_INLINE void fetch_set_queues(sw_state *sw, const shape k, unsigned in, unsigned v, uint64_t set)
{
    assert(set); /* it has a first and a last queue */
    unsigned first = (unsigned)__builtin_ctzll(set), last = 63u - (unsigned)__builtin_clzll(set);
    const char *at = (const char *)shape_queue_of(sw, k, in, v, first),
               *end = (const char *)shape_queue_of(sw, k, in, v, last);
    for (; at < end; at += 64)
        fetch_line_here(at);
    fetch_line_here(end);
}

/* The queue that an arriving packet will join, if what is free and has room now stays so. */
SIM_INLINE void fetch_joined(const partition *p, uint32_t node, sw_state *sw, const shape k,
                             const event *e)
{
    const sim *s = p->sim;
    const packet *pk = &p->pool[e->data];
    uint32_t port = calendar_event_port(e), out = 0;
    uint64_t set = 0;
    ik_packet rt = pk->rt;
    if (!k.voq) {
        fetch_line_here(shape_queue_of(sw, k, port - sw->port_base, rt.vc, 0));
        return;
    }
    const ik_routing *r = s->plan->routing;
    if (s->choice.masked) {
        if (pk->unrouted || !r->family->next_mask(r, node, port, &rt, &set, &out))
            return;
        uint64_t likely =
            set & switch_state_free_outputs(sw, 1)[0] & shape_room_of_vc(sw, k, rt.vc)[0];
        if (set & (set - 1) && s->sw.out_buffers) { /* free outputs are as good as others */
            fetch_set_queues(sw, k, port - sw->port_base, rt.vc, set);
            return;
        }
        if (set & (set - 1) && likely)
            out = (uint32_t)__builtin_ctzll(likely);
    } else {
        if (r->kind != IK_ROUTE_DETERMINISTIC ||
            !r->family->next(r, node, port, &rt, p->ports, &out))
            return;
        out = p->ports[out] - sw->port_base;
    }
    fetch_line_here(shape_queue_of(sw, k, port - sw->port_base, rt.vc, out));
    fetch_line_here(shape_want_of(sw, k, out, 0));
    fetch_port_here(s, k, sw->port_base + out);
}

SIM_INLINE void fetch_queues(const partition *p, uint32_t node, sw_state *sw, const shape k,
                             const event *e)
{
    if (calendar_event_kind(e) == EV_ARRIVAL) {
        fetch_joined(p, node, sw, k, e);
    } else if (fetch_is_crossbar_end(e)) {
        const queue *q = fetch_likely_queue(p->sim, sw, k, e),
                    *other = fetch_other_queue(p->sim, sw, k, e);
        if (q)
            fetch_line_here(q);
        if (other)
            fetch_line_here(other);
    }
}

SIM_INLINE void fetch_heads(const partition *p, sw_state *sw, const shape k, const event *e)
{
    if (!fetch_is_crossbar_end(e))
        return;
    const queue *q = fetch_likely_queue(p->sim, sw, k, e),
                *other = fetch_other_queue(p->sim, sw, k, e);
    if (q && q->head != IK_NONE)
        fetch_line_here(&p->pool[q->head]);
    if (other && other->head != IK_NONE)
        fetch_line_here(&p->pool[other->head]);
}

SIM_INLINE void fetch_host_here(const partition *p, const shape k, uint32_t host)
{
    const sim *s = p->sim;
    uint32_t port = s->host.state[host].port;
    if (port != IK_NONE)
        fetch_port_here(s, k, port);
}

/* What a packet that comes to a host needs to be put in order. */
SIM_INLINE void fetch_flow(const partition *p, uint32_t host, uint32_t id, unsigned stage)
{
    if (stage == FETCH_QUEUES) {
        fetch_line_here(&p->sequence[id]);
        sim_reorder_prefetch(p, p->pool[id].rt.src, host);
    } else if (stage == FETCH_HEADS) {
        sim_reorder_prefetch_flow(p, (uint32_t)(p->sequence[id] >> 32));
    }
}

/* A stage for one node, and all its events. */
SIM_INLINE void fetch_stage(partition *p, const shape k, uint32_t node, unsigned stage)
{
    const sim *s = p->sim;
    const event *events = p->wheel.events;
    bool is_switch = node < s->f->num_switches;
    sw_state *sw = is_switch ? &s->net.switches[node] : NULL;
    if (!is_switch && stage == FETCH_NAMED)
        fetch_host_here(p, k, node - s->f->num_switches);
    for (uint32_t id = s->window.node_head[node]; id != IK_NONE; id = events[id].node) {
        const event *e = &events[id];
        if (!is_switch && stage == FETCH_NAMED && calendar_event_kind(e) == EV_ARRIVAL)
            fetch_line_here(&p->pool[e->data]);
        else if (!is_switch && s->reorder.on && calendar_event_kind(e) == EV_ARRIVAL)
            fetch_flow(p, node - s->f->num_switches, e->data, stage);
        else if (is_switch && stage == FETCH_NAMED)
            fetch_named(p, sw, k, e);
        else if (is_switch && k.words == 1 && !k.net && stage == FETCH_QUEUES)
            fetch_queues(p, node, sw, k, e);
        else if (is_switch && k.words == 1 && !k.net && stage == FETCH_HEADS)
            fetch_heads(p, sw, k, e);
    }
}

/* Before node number n of the window is worked on. */
SIM_INLINE void fetch_ahead_here(partition *p, const shape k, uint32_t n)
{
    const sim *s = p->sim;
    const uint32_t *node = &p->active[n];
    uint32_t left = p->num_active - n;
    if (left > FETCH_STATE)
        fetch_state(s, node[FETCH_STATE]);
    if (left > FETCH_MASKS && node[FETCH_MASKS] < s->f->num_switches)
        fetch_masks(&s->net.switches[node[FETCH_MASKS]], k);
    if (left > FETCH_NAMED)
        fetch_stage(p, k, node[FETCH_NAMED], FETCH_NAMED);
    if (left > FETCH_QUEUES)
        fetch_stage(p, k, node[FETCH_QUEUES], FETCH_QUEUES);
    if (left > FETCH_HEADS)
        fetch_stage(p, k, node[FETCH_HEADS], FETCH_HEADS);
}

#endif
