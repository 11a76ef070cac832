/* SPDX-License-Identifier: Apache-2.0
 *
 * What must hold whenever the network rests between two windows (`paranoid`). For every channel and
 * VC:
 *
 *   credit here + bytes on the way there + bytes in the buffer there + credits on the way back =
 *   size of that buffer,
 *
 * every packet that was sent is in a buffer, on the way, delivered or given up, requests say what
 * the queues hold, and an output is free exactly if no end of a transmission is awaited. Cost:
 * O(ports x VCs + queues + events), counted in outcome.looked_at. */
#include "sim/inspect/inspect.h"
#include "sim/inspect/look.h"
#include <stdlib.h>

typedef struct count {
    sim *s;
    unsigned kinds; /* accounts of a buffer; VCs where there are none */
    /* [port * kinds + account] of the channel sent by port: everything that is not credit */
    int64_t *bytes;
    int64_t *held;  /* [port * vcs + v] of the output buffer (ioq) */
    int64_t *cross; /* [port * vcs + v] of them in the crossbar, not in the output's queue yet */
    int64_t *waits; /* [port * vcs + v] that waits for this output */
    uint8_t *tails; /* [port] crossbar transfers whose end is awaited */
    uint8_t *links; /* [port] transmissions whose end is awaited, with output buffers */
    uint64_t packets;
} count;

void sim_each_event(sim *s, event_fn fn, void *ctx)
{
    for (unsigned q = 0; q < s->parallel.num_partitions; q++) {
        partition *p = &s->parallel.partitions[q];
        const wheel *w = &p->wheel;
        if (!sim_has_partition(s, q))
            continue;
        for (uint32_t k = 0; k < w->num_slots; k++) {
            for (uint32_t c = w->slots[k].first; c != IK_NONE; c = w->events[c * 64].node) {
                uint32_t n = sim_chunk_count(w, &w->slots[k], c);
                s->outcome.looked_at += n;
                for (uint32_t e = 1; e <= n; e++)
                    fn(ctx, p, &w->events[c * 64 + e]);
            }
        }
        for (uint32_t k = 0; k < p->wheel.far_count; k++)
            fn(ctx, p, &p->wheel.far[k].ev);
        s->outcome.looked_at += w->num_slots + p->wheel.far_count;
        s->engine.ops->each_event(p, fn, ctx);
    }
}

/* A packet whose space in the buffer of a port is in use, in the queue to local output out. */
static void conservation_count_bytes(count *c, uint32_t port, const packet *pk, unsigned out)
{
    uint32_t channel = c->s->net.ports[port].peer_port;
    c->bytes[(size_t)channel * c->kinds + space_account_here(c->s, pk, pk->rt.vc, out)] += pk->size;
}

/* The output that a packet on its way to a port was looked ahead for: hops already say that it is
 * there. */
static unsigned conservation_ahead_of(const count *c, partition *p, uint32_t port, const packet *pk)
{
    uint32_t node = c->s->f->port_node[port], preferred = 0, n = 0;
    ik_packet rt = pk->rt;
    if (node < c->s->f->num_switches)
        n = ik_plan_next(c->s->plan, node, port, &rt, p->choices, &preferred);
    if (n == 0)
        return 0;
    return p->choices[sim_drawn(c->s, &rt, pk->number, n, preferred)].port -
           c->s->f->port_base[node];
}

/* A transmission in progress. */
static void conservation_count_link(count *c, uint32_t port, uint32_t data)
{
    c->links[port]++;
    c->held[(size_t)port * c->s->sw.vcs + calendar_space_vc(data)] += calendar_space_bytes(data);
}

static void conservation_count_event(void *ctx, partition *p, const event *e)
{
    count *c = ctx;
    uint32_t port = calendar_event_port(e);
    switch (calendar_event_kind(e)) {
    case EV_CREDIT:
        c->bytes[c->s->net.in_space.accounts
                     ? port
                     : (size_t)port * c->s->sw.vcs + calendar_space_vc(e->data)] +=
            calendar_space_bytes(e->data);
        break;
    case EV_TAIL:
        if (e->node >= c->s->f->num_switches || e->data & LOOK_AGAIN)
            break; /* about reorder space: reorder_check.c */
        if (e->data & LINK_END)
            conservation_count_link(c, port, e->data);
        else
            c->tails[port]++;
        if (!(e->data & LINK_END) && e->data & BOTH_END)
            conservation_count_link(c, port, state_output_of(c->s, port)->link);
        break;
    case EV_WAKE:
        if (e->node < c->s->f->num_switches) {
            const packet *pk = look_packet(p, e->data);
            c->held[(size_t)port * c->s->sw.vcs + pk->rt.vc] += pk->size;
            c->cross[(size_t)port * c->s->sw.vcs + pk->rt.vc] += pk->size;
            c->packets++;
        }
        break;
    case EV_ARRIVAL: {
        const packet *pk = look_packet(p, e->data);
        conservation_count_bytes(c, port, pk,
                                 c->s->sw.stride ? conservation_ahead_of(c, p, port, pk) : 0);
        c->packets++;
        break;
    }
    }
}

/* Packets in the output queues of a port: in the output buffer (ioq), or still charged to their
 * input buffers (ideal). */
static ik_status conservation_count_outputs(count *c, partition *p, uint32_t port,
                                            int64_t *in_buffers, ik_error *err)
{
    const sim *s = c->s;
    for (unsigned v = 0; s->sw.out_buffers && v < s->sw.vcs; v++) {
        size_t at = (size_t)port * s->sw.vcs + v;
        for (uint32_t id = look_output_head(s, port, v); id != IK_NONE; id = look_behind(p, id)) {
            const packet *pk = look_packet(p, id);
            c->packets++;
            c->held[at] += pk->size;
            if (s->sw.model == MODEL_IDEAL) {
                conservation_count_bytes(c, pk->queue, pk, 0);
                *in_buffers += pk->size;
            }
        }
        if (s->sw.model == MODEL_IOQ && !s->net.out_space.accounts &&
            *state_space_of(s, s->sw.vcs, port, v) + c->held[at] != (int64_t)s->sw.out_capacity)
            return ik_fail(err, IK_ERR_INTERNAL,
                           "output buffer of port %u VC %u: %d free + %lld held of %llu bytes",
                           port, v, *state_space_of(s, s->sw.vcs, port, v), (long long)c->held[at],
                           (unsigned long long)s->sw.out_capacity);
        if (s->backlog.waiting && s->backlog.waiting[at] != c->held[at] - c->cross[at])
            return ik_fail(
                err, IK_ERR_INTERNAL,
                "output queue of port %u VC %u: %lld bytes are said to wait for the link, %lld do",
                port, v, (long long)s->backlog.waiting[at],
                (long long)(c->held[at] - c->cross[at]));
    }
    if (s->sw.out_buffers && (state_output_of(s, port)->link != 0) != c->links[port])
        return ik_fail(err, IK_ERR_INTERNAL,
                       "the link at port %u is %s with %u transmissions in progress", port,
                       state_output_of(s, port)->link ? "busy" : "free", c->links[port]);
    return IK_OK;
}

/* Adds up one queue; false if a packet is in the wrong one. */
static bool conservation_count_queue(count *c, partition *p, const sw_state *sw, unsigned in,
                                     unsigned v, const queue *q, int64_t *held)
{
    const sim *s = c->s;
    uint32_t last = IK_NONE;
    for (uint32_t id = q->head; id != IK_NONE; id = look_behind(p, id)) {
        const packet *pk = look_packet(p, id);
        if (pk->rt.vc != v ||
            (s->sw.stride &&
             pk->out != conservation_ahead_of(c,
                                              c->s->parallel.partitions +
                                                  s->parallel.node_partition[sw - s->net.switches],
                                              sw->port_base + in, pk)))
            return false;
        conservation_count_bytes(c, sw->port_base + in, pk, pk->out);
        if (pk->out != SIM_UNDECIDED)
            c->waits[(size_t)(sw->port_base + pk->out) * s->sw.vcs + v] += pk->size;
        *held += pk->size;
        c->packets++;
        last = id;
    }
    return q->head == IK_NONE || last == q->tail;
}

/* Queues an output: marked as one whose head may choose again exactly if it may. */
static bool conservation_choice_agrees(partition *p, sw_state *sw, const shape k, unsigned in,
                                       unsigned v, unsigned out)
{
    uint32_t head = look_head(p->sim, (uint32_t)(sw - p->sim->net.switches), in, v, out);
    unsigned input = shape_input_of(p->sim, in, v);
    bool may = shape_revocable_of(sw, k, in, v)[out >> 6] >> (out & 63) & 1;
    return may == (head != IK_NONE && look_packet(p, head)->revocable) &&
           (!may || sw->undecided[input >> 6] >> (input & 63) & 1);
}

/* Whether the requests of VC v of port in say what its queues hold. */
static bool conservation_requests_agree(partition *p, sw_state *sw, const shape k, unsigned in,
                                        unsigned v)
{
    unsigned input = shape_input_of(p->sim, in, v);
    for (unsigned out = 0; out < sw->radix; out++) {
        queue q = look_queue(p->sim, (uint32_t)(sw - p->sim->net.switches), in, v, out);
        bool wanted = shape_want_of(sw, k, out, v)[input >> 6] >> (input & 63) & 1;
        bool held = q.head != IK_NONE && (k.voq || look_packet(p, q.head)->out == out);
        if (wanted != held ||
            (k.voq && sw->undecided && !conservation_choice_agrees(p, sw, k, in, v, out)))
            return false;
        if (wanted && !(shape_row_of(sw, k, input)[out >> 6] >> (out & 63) & 1))
            return false;
    }
    return true;
}

/* voqnet: a queue is in its ring exactly if its head can go, and a request is a ring that is not
 * empty. */
static bool conservation_rings_agree(partition *p, sw_state *sw, const shape k, unsigned in,
                                     unsigned v)
{
    sim *s = p->sim;
    unsigned lane_index = in * k.vcs + v, input = shape_input_of(s, in, v);
    uint64_t stand = 0, in_rings = 0;
    for (uint32_t dst = 0; dst < s->f->num_hosts; dst++) {
        const net_queue *q = voqnet_net_queue_of(s, sw, lane_index, dst);
        const packet *pk = q->head == IK_NONE ? NULL : look_packet(p, q->head);
        bool goes = pk && shape_has_room(p, k, sw->port_base + pk->out, pk);
        if ((voqnet_holders_of(sw, dst)[lane_index >> 6] >> (lane_index & 63) & 1) !=
                (pk != NULL) ||
            (q->prev != NET_OUT) != goes)
            return false;
        stand += q->prev != NET_OUT;
    }
    for (unsigned out = 0; out < sw->radix; out++) {
        const queue *ring = shape_queue_of(sw, k, in, v, out);
        if ((ring->head != IK_NONE) !=
            (shape_want_of(sw, k, out, v)[input >> 6] >> (input & 63) & 1))
            return false;
        for (uint32_t at = ring->head; at != IK_NONE; at = sw->net[at].next)
            in_rings += look_packet(p, sw->net[at].head)->out == out;
    }
    return stand == in_rings;
}

/* Adds up the queues of VC v of port in. */
static bool conservation_count_lane(count *c, partition *p, sw_state *sw, const shape k,
                                    unsigned in, unsigned v, int64_t *held)
{
    const sim *s = c->s;
    unsigned queues = k.net ? s->f->num_hosts : k.voq ? sw->radix : 1u;
    c->s->outcome.looked_at += 2ull * queues + sw->radix; /* and the requests, and its port */
    for (unsigned n = 0; n < queues; n++) {
        queue q = look_queue(s, (uint32_t)(sw - s->net.switches), in, v, n);
        if (!conservation_count_queue(c, p, sw, in, v, &q, held))
            return false;
    }
    return true;
}

static ik_status conservation_count_switch(count *c, uint32_t id, ik_error *err)
{
    sim *s = c->s;
    sw_state *sw = &s->net.switches[id];
    partition *p = look_partition(s, id);
    shape k = sim_shape(s);
    int64_t held = 0;
    for (unsigned in = 0; in < sw->radix; in++) {
        for (unsigned v = 0; v < s->sw.vcs; v++) {
            if (!conservation_count_lane(c, p, sw, k, in, v, &held))
                return ik_fail(err, IK_ERR_INTERNAL, "switch %u port %u VC %u: a queue is broken",
                               id, in, v);
            if (!(k.net ? conservation_rings_agree(p, sw, k, in, v)
                        : conservation_requests_agree(p, sw, k, in, v)))
                return ik_fail(err, IK_ERR_INTERNAL,
                               "switch %u port %u VC %u: requests and queues disagree", id, in, v);
        }
        ik_status status = conservation_count_outputs(c, p, sw->port_base + in, &held, err);
        if (status != IK_OK)
            return status;
        bool output_free = look_output_free(s, sw->port_base + in);
        if (output_free != (c->tails[sw->port_base + in] == 0))
            return ik_fail(err, IK_ERR_INTERNAL,
                           "switch %u output %u is %s with %u transmissions in progress", id, in,
                           output_free ? "free" : "busy", c->tails[sw->port_base + in]);
    }
    if (held != sw->bytes)
        return ik_fail(err, IK_ERR_INTERNAL, "switch %u holds %lld bytes and believes %lld", id,
                       (long long)held, (long long)sw->bytes);
    return IK_OK;
}

/* What adaptive decisions look at: bytes that wait for an output, with the packet in
 * transmission. */
static ik_status conservation_check_waiting(const count *c, ik_error *err)
{
    const sim *s = c->s;
    for (uint32_t port = 0; s->backlog.queued && s->sw.model != MODEL_IDEAL &&
                            port < s->f->port_base[s->f->num_switches];
         port++)
        for (unsigned v = 0; v < s->sw.vcs; v++) {
            int64_t sent = calendar_space_vc(s->backlog.sending[port]) == v
                               ? calendar_space_bytes(s->backlog.sending[port])
                               : 0;
            if (s->backlog.queued[(size_t)port * s->sw.vcs + v] !=
                c->waits[(size_t)port * s->sw.vcs + v] + sent)
                return ik_fail(err, IK_ERR_INTERNAL,
                               "port %u VC %u: %lld bytes are said to wait, %lld do", port, v,
                               (long long)s->backlog.queued[(size_t)port * s->sw.vcs + v],
                               (long long)(c->waits[(size_t)port * s->sw.vcs + v] + sent));
        }
    return IK_OK;
}

/* What the masks of a switch say of the room behind its outputs. */
static ik_status conservation_check_room(const sim *s, ik_error *err)
{
    const shape k = sim_shape(s);
    for (uint32_t id = 0;
         s->choice.room_kept && !s->engine.ops->keeps_queues && id < s->f->num_switches; id++) {
        const sw_state *sw = &s->net.switches[id];
        for (unsigned v = 0; v < s->sw.vcs; v++)
            for (unsigned out = 0; out < sw->radix; out++) {
                int32_t bytes = *state_gate_of(s, s->sw.vcs, sw->port_base + out, v);
                bool marked = shape_room_of_vc(sw, k, v)[out >> 6] >> (out & 63) & 1;
                if (marked != (bytes >= (int32_t)s->adapter.packet_bytes))
                    return ik_fail(err, IK_ERR_INTERNAL,
                                   "switch %u, output %u, VC %u: %d bytes marked %s", id, out, v,
                                   bytes, marked ? "enough" : "too little");
            }
    }
    return IK_OK;
}

static ik_status conservation_check_credits(const count *c, ik_error *err)
{
    const sim *s = c->s;
    for (uint32_t port = 0; port < s->f->num_ports; port++) {
        if (s->net.ports[port].peer_node == IK_NONE || s->net.in_space.accounts)
            continue;
        int64_t space =
            (int64_t)(ik_is_switch(s->f, s->net.ports[port].peer_node) ? s->sw.capacity
                                                                       : s->adapter.capacity);
        for (unsigned v = 0; v < s->sw.vcs; v++) {
            int64_t credit = *state_credit_at(s, port, v),
                    used = c->bytes[(size_t)port * s->sw.vcs + v];
            if (credit < 0 || credit + used != space)
                return ik_fail(err, IK_ERR_INTERNAL,
                               "credit of channel %u VC %u is not conserved: %lld free + %lld used "
                               "of %lld bytes",
                               port, v, (long long)credit, (long long)used, (long long)space);
            bool ok = s->net.ports[port].ok >> v & 1;
            if (ok != (credit >= (int64_t)s->adapter.packet_bytes) &&
                ik_is_switch(s->f, s->f->port_node[port]))
                return ik_fail(err, IK_ERR_INTERNAL,
                               "channel %u VC %u: %lld bytes of credit marked %s", port, v,
                               (long long)credit, ok ? "enough" : "too little");
        }
    }
    ik_status status = conservation_check_room(s, err);
    return status == IK_OK ? sim_space_check(s, c->bytes, c->held, err) : status;
}

static ik_status conservation_check_all(sim *s, ik_error *err)
{
    size_t lanes = (size_t)s->f->num_ports * s->sw.vcs + 1, ports = s->f->num_ports + 1;
    unsigned kinds = s->net.in_space.accounts ? s->net.in_space.accounts : s->sw.vcs;
    count c = {.s = s,
               .kinds = kinds,
               .bytes = ik_calloc((size_t)s->f->num_ports * kinds + 1, 8),
               .held = ik_calloc(lanes, 8),
               .cross = ik_calloc(lanes, 8),
               .waits = ik_calloc(lanes, 8),
               .tails = ik_calloc(ports, 1),
               .links = ik_calloc(ports, 1)};
    ik_status status = c.bytes && c.held && c.cross && c.waits && c.tails && c.links
                           ? IK_OK
                           : ik_fail_memory(err, lanes * 16, "the paranoid checks");
    if (status == IK_OK)
        sim_each_event(s, conservation_count_event, &c);
    for (uint32_t id = 0; status == IK_OK && id < s->f->num_switches; id++)
        status = conservation_count_switch(&c, id, err);
    if (status == IK_OK)
        status = conservation_check_credits(&c, err);
    if (status == IK_OK)
        status = conservation_check_waiting(&c, err);
    s->outcome.looked_at += lanes + c.packets;
    if (status == IK_OK && c.packets != sim_in_flight(s))
        status = ik_fail(err, IK_ERR_INTERNAL,
                         "packets are not conserved: %llu in flight by count, %llu found",
                         (unsigned long long)sim_in_flight(s), (unsigned long long)c.packets);
    if (status == IK_OK && s->reorder.on)
        status = sim_check_reorder(s, err);
    free(c.bytes);
    free(c.held);
    free(c.cross);
    free(c.waits);
    free(c.tails);
    free(c.links);
    return status;
}

ik_status sim_check_conservation(sim *s, ik_error *err)
{
    run_outcome *o = &s->outcome;
    uint64_t before = o->looked_at;
    ik_status status = conservation_check_all(s, err);
    uint64_t cost = o->looked_at - before;
    o->check_cost += cost;
    o->dearest_check = cost > o->dearest_check ? cost : o->dearest_check;
    o->num_checks++;
    return status;
}
