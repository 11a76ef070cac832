/* SPDX-License-Identifier: Apache-2.0
 *
 * In-order delivery (C. Gomez et al., "Deterministic versus Adaptive Routing in Fat-Trees", IPDPS
 * 2007, section 5.1; J. C. Martinez et al., "In-Order Packet Delivery in Interconnection Networks
 * using Adaptive Routing", IPDPS 2005). Sources number the packets of a flow, hosts deliver them in
 * that order and store those that come early. What sources send is kept within the buffers: a
 * packet goes only if its destination has space for it and for all that were sent before it and are
 * not delivered. So the packet that others wait for is always in the network, and what waits for it
 * has its space: throttling cannot cause a deadlock.
 *
 * WINDOW (a buffer for each flow): the source knows how much of it is in use, as far as it has
 * learned of deliveries; it learns of each after control_delay.
 *
 * POOL (a buffer that the flows to a host share): the destination alone knows. A source asks for
 * space when a packet comes to stand in its adapter; the answer takes the smallest latency there
 * and back, and longer if there is no space. Space is granted by the packet, in turn among the
 * flows that wait. It is free again control_delay after the delivery as sources see it, which is
 * one smallest latency before at the host itself. An adapter whose queues stand still asks for
 * their first packets only: what it has been granted can then always be sent, or waits for one that
 * asked earlier, so adapters cannot wait for each other in a circle.
 *
 * Departures from the paper: there, sources know the state of every buffer at once. Here the
 * messages take time, at least a window, so that hosts in different partitions can be simulated
 * in parallel; they use no bandwidth there and here. */
#include "sim/order/reorder.h"
#include "sim/state/events.h"

static reorder_flow *reorder_flow_at(const partition *p, uint32_t id)
{
    return &p->reorder->flows[id];
}

static uint32_t reorder_message_data(reorder_kind kind, uint32_t amount)
{
    assert(amount <= REORDER_AMOUNT);
    return (uint32_t)kind << REORDER_KIND_AT | amount;
}

/* A message to another adapter, or to this one's other end, at least a window away. Of a flow that
 * has both ends here it says the record, which is not given up before the message comes. */
static void reorder_tell(partition *p, uint64_t time, uint32_t to, uint32_t from, reorder_kind kind,
                         uint32_t amount, uint32_t id)
{
    bool by_flow = amount == 1 && id <= REORDER_AMOUNT && reorder_flow_at(p, id)->whole;
    events_post_remote(p, time, ik_host_node(p->sim->f, to), EV_REORDER, from,
                       reorder_message_data(kind, by_flow ? id : amount) |
                           (by_flow ? REORDER_BY_FLOW : 0));
}

/* ---- at a source */

static void reorder_ask(partition *p, uint32_t id, uint32_t packets, uint64_t now)
{
    reorder_flow *f = reorder_flow_at(p, id);
    f->asked += packets;
    reorder_tell(p, now + p->sim->reorder.ask_ps, f->dst, f->src, REORDER_ASK, packets, id);
}

/* Asks for space for the packets that wait, so far ahead that a request is answered before the
 * packet could go. */
static void reorder_ask_ahead(partition *p, uint32_t id, uint64_t now)
{
    const reorder_settings *r = &p->sim->reorder;
    const reorder_flow *f = reorder_flow_at(p, id);
    uint32_t wish = f->waiting < r->ahead ? f->waiting : r->ahead, have = f->asked + f->granted;
    if (r->own)
        wish = r->own;
    if (wish > have)
        reorder_ask(p, id, wish - have, now);
}

void sim_reorder_want(partition *p, uint32_t id, uint64_t packets, uint64_t now)
{
    if (p->sim->reorder.limit != REORDER_POOL)
        return;
    reorder_flow *f = reorder_flow_at(p, id);
    uint64_t waiting = f->waiting + packets;
    f->waiting = waiting < REORDER_AMOUNT ? (uint32_t)waiting : REORDER_AMOUNT;
    reorder_ask_ahead(p, id, now);
}

bool sim_reorder_may_flow(const partition *p, uint32_t id)
{
    const reorder_settings *r = &p->sim->reorder;
    const reorder_flow *f = &p->reorder->flows[id];
    return r->limit == REORDER_WINDOW ? f->granted < r->packets : f->granted > 0;
}

bool sim_reorder_may(partition *p, uint32_t host, uint32_t dst, uint64_t now)
{
    const reorder_settings *r = &p->sim->reorder;
    uint32_t id = sim_reorder_find(p, host, dst);
    if (id == IK_NONE) {
        if (r->limit == REORDER_WINDOW)
            return true;
        if ((id = sim_reorder_flow(p, host, dst)) == IK_NONE)
            return false;
    }
    const reorder_flow *f = reorder_flow_at(p, id);
    if (r->limit == REORDER_POOL && r->strict && !f->granted && !f->asked)
        reorder_ask(p, id, 1, now);
    return sim_reorder_may_flow(p, id);
}

bool sim_reorder_lacks(const partition *p, uint32_t host, uint32_t dst)
{
    const reorder_settings *r = &p->sim->reorder;
    if (r->limit == REORDER_UNLIMITED)
        return false;
    uint32_t id = sim_reorder_find(p, host, dst);
    uint32_t granted = id == IK_NONE ? r->own : p->reorder->flows[id].granted;
    return r->limit == REORDER_WINDOW ? granted >= r->packets : granted == 0;
}

bool sim_reorder_number(partition *p, uint32_t host, uint32_t dst, uint32_t id, uint64_t now,
                        uint64_t *sequence)
{
    const reorder_settings *r = &p->sim->reorder;
    if (id == IK_NONE && (id = sim_reorder_flow(p, host, dst)) == IK_NONE)
        return false;
    reorder_flow *f = reorder_flow_at(p, id);
    *sequence = (uint64_t)(f->whole ? id : IK_NONE) << 32 | f->sent++;
    if (r->limit == REORDER_WINDOW) {
        f->granted++;
    } else if (r->limit == REORDER_POOL) {
        assert(f->granted > 0);
        f->granted--;
        if (!r->strict) {
            assert(f->waiting > 0);
            f->waiting--;
        }
        if (!r->strict || r->own)
            reorder_ask_ahead(p, id, now);
    }
    return true;
}

/* ---- at a destination */

static void reorder_post_freed(partition *p, uint32_t host, reorder_freed freed)
{
    uint32_t node = ik_host_node(p->sim->f, host);
    events_post_own(p, freed.time, node, EV_REORDER, 0,
                    reorder_message_data(REORDER_FREE, freed.packets), p->turn == node);
}

/* Space at a host is free from a time on: an event, if somebody waits for it. */
static void reorder_free_space(partition *p, uint32_t host, reorder_freed freed)
{
    reorder_host *h = &p->sim->host.reorder[host];
    if (h->first == IK_NONE && h->num_freed < REORDER_FREED)
        h->freed[h->num_freed++] = freed;
    else
        reorder_post_freed(p, host, freed);
}

/* Somebody waits for space: what was freed until now counts, the rest makes events. */
static void reorder_take_freed(partition *p, uint32_t host, uint64_t now)
{
    reorder_host *h = &p->sim->host.reorder[host];
    for (; h->num_freed; h->num_freed--) {
        reorder_freed freed = h->freed[h->num_freed - 1];
        if (freed.time > now) {
            reorder_post_freed(p, host, freed);
            continue;
        }
        assert(h->in_use >= freed.packets);
        h->in_use -= freed.packets;
    }
}

/* Packets of a flow were delivered in order, or given up, at t: their space comes back. */
static void reorder_release(partition *p, uint32_t host, uint32_t id, uint32_t packets, uint64_t t)
{
    const reorder_settings *r = &p->sim->reorder;
    reorder_flow *f = reorder_flow_at(p, id);
    if (r->limit == REORDER_UNLIMITED)
        return;
    if (r->by_path && !f->delay_ps)
        f->delay_ps = sim_reorder_path_ps(p, f->src, host);
    uint64_t seen = t + (r->by_path ? f->delay_ps : r->control_ps);
    if (r->limit == REORDER_WINDOW)
        reorder_tell(p, seen, f->src, host, REORDER_GRANT, packets, id);
    else
        reorder_free_space(p, host, (reorder_freed){seen - r->ask_ps, packets});
}

/* Delivers what waited for the packet before; returns the number of packets that are done with. t:
 * when that packet was delivered. */
static uint32_t reorder_drain(partition *p, uint32_t host, uint32_t id, uint64_t *t)
{
    uint32_t packets = 0;
    delivered d;
    while (reorder_flow_at(p, id)->num_stored &&
           sim_reorder_fetch(p, id, reorder_flow_at(p, id)->expected, &d)) {
        reorder_flow_at(p, id)->expected++;
        packets++;
        if (!d.size)
            continue;
        *t = d.t > *t ? d.t : *t; /* behind one that was given up it may be still coming */
        sim_reorder_count_stored(p, host, -(int64_t)d.size, *t);
        p->n.held--;
        d.t_arrive = d.t < *t ? d.t : 0;
        d.t = *t;
        sim_deliver(p, host, &d);
    }
    return packets;
}

/* Whether a packet is not the one that is expected; one that was expected before cannot come. */
static bool reorder_is_early(partition *p, uint32_t id, uint32_t number)
{
    const reorder_flow *f = reorder_flow_at(p, id);
    if ((int32_t)(number - f->expected) < 0)
        sim_broken(p, "packet %u from host %u to host %u came again: %u is expected", number,
                   f->src, f->dst, f->expected);
    return number != f->expected;
}

void sim_reorder_arrive(partition *p, uint32_t host, const delivered *d, uint64_t sequence)
{
    uint32_t id = (uint32_t)(sequence >> 32), number = (uint32_t)sequence;
    if (d->dst != host)
        sim_broken(p, "a packet of host %u for host %u reached host %u", d->src, d->dst, host);
    if (id == IK_NONE && (id = sim_reorder_flow(p, d->src, host)) == IK_NONE)
        return;
    assert(reorder_flow_at(p, id)->src == d->src);
    bool early = reorder_is_early(p, id, number);
    sim_reorder_count_arrival(p, d, !early);
    if (early) {
        if (sim_reorder_store(p, id, number, d)) {
            sim_reorder_count_stored(p, host, d->size, d->t);
            p->n.held++;
        }
        return;
    }
    uint64_t t = d->t;
    reorder_flow_at(p, id)->expected++;
    sim_deliver(p, host, d);
    uint32_t packets = 1 + reorder_drain(p, host, id, &t);
    reorder_release(p, host, id, packets, t);
    sim_reorder_forget(p, id);
}

/* The packet with the number that ends in these bits is not coming. */
static void reorder_give_up(partition *p, uint32_t host, uint32_t id, uint32_t low, uint64_t now)
{
    uint32_t number = reorder_flow_at(p, id)->expected +
                      ((low - reorder_flow_at(p, id)->expected) & REORDER_AMOUNT);
    if (reorder_is_early(p, id, number)) {
        sim_reorder_store(p, id, number, &(delivered){0});
        return;
    }
    reorder_flow_at(p, id)->expected++;
    uint32_t packets = 1 + reorder_drain(p, host, id, &now);
    reorder_release(p, host, id, packets, now);
    sim_reorder_forget(p, id);
}

void sim_reorder_lost(partition *p, const ik_packet *rt, uint32_t number, uint64_t gone)
{
    events_post_remote(p, gone + p->sim->reorder.ask_ps, ik_host_node(p->sim->f, rt->dst),
                       EV_REORDER, rt->src,
                       reorder_message_data(REORDER_LOST, number & REORDER_AMOUNT));
}

/* ---- messages about reorder space */

/* Puts the flows from `first` to `last` behind those that wait. */
static void reorder_append_flows(partition *p, reorder_host *h, uint32_t first, uint32_t last)
{
    reorder_flow_at(p, last)->behind = IK_NONE;
    if (h->first == IK_NONE)
        h->first = first;
    else
        reorder_flow_at(p, h->last)->behind = first;
    h->last = last;
}

/* A flow asks for the first time. Of those that do at one instant, which come in the order of
 * hosts, the first one is that of the host behind this one: if every host began with host 0, the
 * hosts with low numbers would get the places of all, and the links of the others would be idle. */
static void reorder_line_up(partition *p, reorder_host *h, uint32_t id)
{
    reorder_flow *f = reorder_flow_at(p, id);
    if (f->src > f->dst) {
        reorder_append_flows(p, h, id, id);
        return;
    }
    f->behind = h->wrapped == IK_NONE ? id : reorder_flow_at(p, h->wrapped)->behind;
    if (h->wrapped != IK_NONE)
        reorder_flow_at(p, h->wrapped)->behind = id;
    h->wrapped = id;
}

/* A source may send so many packets more; returns the first queue that waited for it. */
static uint32_t reorder_take_grant(partition *p, uint32_t id, uint32_t packets)
{
    reorder_flow *f = reorder_flow_at(p, id);
    if (p->sim->reorder.limit == REORDER_WINDOW) {
        assert(f->granted >= packets);
        f->granted -= packets;
    } else {
        assert(f->asked >= packets);
        f->asked -= packets;
        f->granted += packets;
    }
    uint32_t parked = f->parked;
    f->parked = IK_NONE;
    sim_reorder_forget(p, id);
    return parked;
}

bool sim_reorder_take(partition *p, uint32_t host, const event *e, uint64_t now, uint32_t *parked)
{
    *parked = IK_NONE;
    reorder_host *h = &p->sim->host.reorder[host];
    uint32_t peer = calendar_event_port(e), amount = reorder_amount(e->data), id;
    reorder_kind kind = (reorder_kind)(e->data >> REORDER_KIND_AT);
    if (kind == REORDER_FREE) {
        assert(h->in_use >= amount);
        h->in_use -= amount;
        return false;
    }
    id = e->data & REORDER_BY_FLOW ? e->data & REORDER_AMOUNT
         : kind == REORDER_GRANT   ? sim_reorder_flow(p, host, peer)
                                   : sim_reorder_flow(p, peer, host);
    if (id == IK_NONE)
        return false;
    if (kind == REORDER_GRANT) {
        *parked = reorder_take_grant(p, id, amount);
        return true;
    }
    if (kind == REORDER_LOST) {
        reorder_give_up(p, host, id, amount, now);
    } else {
        if (!reorder_flow_at(p, id)->wanted)
            reorder_line_up(p, h, id);
        reorder_flow_at(p, id)->wanted += amount;
    }
    return false;
}

void sim_reorder_serve(partition *p, uint32_t host, uint64_t now)
{
    const reorder_settings *r = &p->sim->reorder;
    reorder_host *h = &p->sim->host.reorder[host];
    if (h->wrapped != IK_NONE)
        reorder_append_flows(p, h, reorder_flow_at(p, h->wrapped)->behind, h->wrapped);
    h->wrapped = IK_NONE;
    if (h->first != IK_NONE && h->in_use >= r->packets)
        reorder_take_freed(p, host, now);
    while (h->first != IK_NONE && h->in_use < r->packets) {
        uint32_t id = h->first;
        reorder_flow *f = reorder_flow_at(p, id);
        h->first = f->behind;
        h->in_use++;
        reorder_tell(p, now + r->ask_ps, f->src, host, REORDER_GRANT, 1, id);
        if (--f->wanted)
            reorder_append_flows(p, h, id, id);
        if (h->first != IK_NONE && h->in_use >= r->packets)
            reorder_take_freed(p, host, now);
    }
}
