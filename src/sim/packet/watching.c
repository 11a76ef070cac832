/* SPDX-License-Identifier: Apache-2.0
 *
 * What the general engine notes of watched packets: packet/watching.h. */
#include "sim/packet/watching.h"
#include "sim/measure/watch.h"
#include "sim/packet/output.h"
#include "sim/packet/voqnet.h"

static void watching_add(partition *p, uint32_t which, uint32_t data, ik_watch_event e)
{
    watch_add(p->sim->counted.watch, p->id, which, data, &e);
}

static void watching_note(partition *p, uint32_t which, ik_watch_stage stage, uint64_t t,
                          uint32_t channel, unsigned vc)
{
    watch_note_stage(p->sim->counted.watch, p->id, which, stage, t, channel, vc);
}

static uint32_t watching_slot_of(const partition *p, const packet *pk)
{
    return watch_find(p->sim->counted.watch, pk->rt.src, pk->number);
}

/* ---- hosts */

void watching_injected(partition *p, uint32_t host, const packet *pk)
{
    const sim *s = p->sim;
    const host_state *h = &s->host.state[host];
    /* busy_until is still that of the packet before */
    uint64_t link_free = h->busy_until > pk->t_gen ? h->busy_until : pk->t_gen;
    const watch_hosts of = {pk->rt.src, pk->rt.dst, pk->number, pk->t_gen,
                            h->port,    pk->size,   pk->rt.vc};
    watch_note_sent(s->counted.watch, p->id, &of, link_free, pk->t_inject,
                    pk->t_tail - s->net.ports[h->port].latency_ps);
}

void watching_host(partition *p)
{
    const sim *s = p->sim;
    for (uint32_t k = 0; k < p->local_count; k++) {
        const event *e = &p->local[k];
        if (calendar_event_kind(e) != EV_ARRIVAL)
            continue;
        const packet *pk = &p->pool[e->data];
        uint32_t which = watching_slot_of(p, pk);
        if (which != IK_NONE)
            watching_note(p, which, IK_WATCH_RECEIVED, p->start + calendar_event_offset(e),
                          s->net.ports[calendar_event_port(e)].peer_port, pk->rt.vc);
    }
}

/* ---- switches */

static uint32_t watching_channel_of(const partition *p, uint32_t node, const packet *pk,
                                    uint32_t from)
{
    return pk->out == SIM_UNDECIDED ? from : p->sim->net.switches[node].port_base + pk->out;
}

static void watching_note_route(partition *p, watch_place *at, const packet *pk)
{
    at->out = pk->out;
    if (pk->out != SIM_UNDECIDED)
        watching_note(p, at->slot, IK_WATCH_ROUTED, p->now,
                      watching_channel_of(p, at->node, pk, at->from), pk->vc_first);
}

void watching_arrived(partition *p, uint32_t node, uint32_t port, uint32_t id)
{
    const sim *s = p->sim;
    const packet *pk = &p->pool[id];
    uint32_t which = watching_slot_of(p, pk), from = s->net.ports[port].peer_port;
    if (which == IK_NONE)
        return;
    watching_note(p, which, IK_WATCH_ARRIVED, p->now - s->sw.routing_ps, from, pk->rt.vc);
    if (pk->out == SIM_NO_WAY) {
        watching_note(p, which, IK_WATCH_DROPPED, p->now, from, pk->rt.vc);
        return;
    }
    watch_place *at = watch_add_place(s->counted.watch, p->id);
    if (!at) {
        sim_partition_fail(p, sizeof *at, "watched packets");
        return;
    }
    *at = (watch_place){
        .slot = which, .id = id, .node = node, .port = port, .from = from, .vc = pk->rt.vc};
    watching_note_route(p, at, pk);
}

/* It leaves the switch at t. */
static void watching_leave(partition *p, const watch_place *at, uint32_t channel, unsigned u,
                           uint64_t t, uint64_t until)
{
    watching_add(p, at->slot, 0,
                 (ik_watch_event){.t_ps = t,
                                  .until_ps = until,
                                  .channel = channel,
                                  .stage = IK_WATCH_SENT,
                                  .vc = (uint8_t)u});
    watch_remove_place(p->sim->counted.watch, p->id, at->id);
}

void watching_granted(partition *p, uint32_t id, uint32_t out_port, unsigned u, uint64_t t0)
{
    const sim *s = p->sim;
    const packet *pk = &p->pool[id];
    watch_place *at = watch_place_of(s->counted.watch, p->id, id);
    if (!at)
        return;
    if (at->out != pk->out)
        watching_note_route(p, at, pk);
    watching_note(p, at->slot, IK_WATCH_GRANTED, t0, out_port, u);
    if (s->sw.model == MODEL_IOQ) {
        watching_queued(p, id, out_port, u, t0 + s->sw.traversal_ps);
        return;
    }
    uint64_t end = t0 + state_transmit_ps(s, out_port, pk->size);
    watching_leave(p, at, out_port, u, t0 + s->sw.traversal_ps,
                   (end > pk->t_tail ? end : pk->t_tail) + s->sw.traversal_ps);
}

void watching_queued(partition *p, uint32_t id, uint32_t out_port, unsigned u, uint64_t t)
{
    watch_place *at = watch_place_of(p->sim->counted.watch, p->id, id);
    if (!at)
        return;
    at->in_output = true;
    at->port = out_port;
    at->vc = (uint8_t)u;
    at->reason = IK_WATCH_NOTHING;
    watching_note(p, at->slot, IK_WATCH_QUEUED, t, out_port, u);
}

void watching_sent(partition *p, uint32_t id, uint32_t out_port, unsigned u, uint64_t end)
{
    const sim *s = p->sim;
    const watch_place *at = watch_place_of(s->counted.watch, p->id, id);
    uint64_t behind = s->sw.model == MODEL_IDEAL ? s->sw.traversal_ps : 0;
    if (at)
        watching_leave(p, at, out_port, u, p->now + behind, end + behind);
}

/* ---- waiting */

/* Packets in front of it in a queue that begins with `head`; UINT32_MAX = it is not there yet. */
static uint32_t watching_count_ahead(const partition *p, uint32_t head, uint32_t id)
{
    uint32_t n = 0;
    for (; head != id && head != IK_NONE; head = p->pool[head].next)
        n++;
    return head == id ? n : UINT32_MAX;
}

static uint32_t watching_head_of_input(partition *p, sw_state *sw, const shape k,
                                       const watch_place *at, const packet *pk)
{
    unsigned in = at->port - sw->port_base;
    if (k.net)
        return voqnet_net_queue_of(p->sim, sw, in * k.vcs + at->vc, pk->rt.dst)->head;
    return shape_queue_of(sw, k, in, at->vc, k.voq ? pk->out : 0)->head;
}

static ik_watch_reason watching_why_in_input(partition *p, sw_state *sw, const shape k,
                                             const watch_place *at, uint32_t *ahead)
{
    const sim *s = p->sim;
    const packet *pk = &p->pool[at->id];
    unsigned input = shape_input_of(s, at->port - sw->port_base, at->vc);
    *ahead = watching_count_ahead(p, watching_head_of_input(p, sw, k, at, pk), at->id);
    if (*ahead)
        return IK_WATCH_BEHIND;
    if (!(switch_state_free_inputs(sw)[input >> 6] >> (input & 63) & 1))
        return IK_WATCH_INPUT;
    if (pk->out == SIM_UNDECIDED)
        return IK_WATCH_CHOICE;
    if (!(switch_state_free_outputs(sw, sw->words)[pk->out >> 6] >> (pk->out & 63) & 1))
        return IK_WATCH_OUTPUT;
    if (!shape_has_room(p, k, sw->port_base + pk->out, pk))
        return s->sw.model == MODEL_IOQ ? IK_WATCH_SPACE : IK_WATCH_CREDIT;
    return IK_WATCH_TURN;
}

/* UINT32_MAX in *ahead: the packet is on its way into the queue. */
static ik_watch_reason watching_why_in_output(partition *p, const shape k, const watch_place *at,
                                              uint32_t *ahead)
{
    const sim *s = p->sim;
    *ahead = watching_count_ahead(p, state_out_queue_of(s, k.vcs, at->port, at->vc)->head, at->id);
    if (*ahead == UINT32_MAX)
        return IK_WATCH_NOTHING;
    if (*ahead)
        return IK_WATCH_BEHIND;
    if (state_output_of(s, at->port)->link)
        return IK_WATCH_LINK;
    const packet *pk = &p->pool[at->id];
    return output_link_room(p, k, at->port, at->vc, pk) < (int32_t)pk->size ? IK_WATCH_CREDIT
                                                                            : IK_WATCH_TURN;
}

void watching_look(partition *p, uint32_t node, sw_state *sw, const shape k)
{
    watch_log *log = &p->sim->counted.watch->logs[p->id];
    for (size_t n = 0; n < log->num_places; n++) {
        watch_place *at = &log->places[n];
        if (at->node != node)
            continue;
        const packet *pk = &p->pool[at->id];
        uint32_t ahead = 0;
        ik_watch_reason why = at->in_output ? watching_why_in_output(p, k, at, &ahead)
                                            : watching_why_in_input(p, sw, k, at, &ahead);
        if (!at->in_output && at->out != pk->out)
            watching_note_route(p, at, pk);
        if (why == at->reason || why == IK_WATCH_NOTHING)
            continue;
        at->reason = (uint8_t)why;
        watching_add(p, at->slot, 0,
                     (ik_watch_event){.t_ps = p->now,
                                      .channel = at->in_output
                                                     ? at->port
                                                     : watching_channel_of(p, node, pk, at->from),
                                      .ahead = why == IK_WATCH_BEHIND ? ahead : 0,
                                      .stage = IK_WATCH_WAITS,
                                      .reason = (uint8_t)why,
                                      .vc = at->vc});
    }
}
