/* SPDX-License-Identifier: Apache-2.0
 *
 * The host adapter. Sending: one queue per VC, or one in all, each an endless list of messages that
 * is generated lazily, so that a backlog costs nothing however long it is: a queue is a cursor into
 * its source's sequence of messages (of which it takes those of its VC) and a ring of the messages
 * being sent. The queues take turns packet by packet, and so do the messages of one queue. A queue
 * per destination: adapter/by_destination.c. Receiving: the buffer drains at the link's rate or
 * slower, credit goes back when a packet is out of it. What a delivery counts for:
 * order/deliver.c. */
#include "sim/adapter/host.h"
#include "sim/state/events.h"
#include "sim/state/space.h"
#include "sim/workload/finite.h"
#include "sim/workload/replies.h"
#include <assert.h>

/* The lane's first message has sent a packet: it leaves the ring or takes its turn again behind the
 * others. */
static void host_next_turn(const sim *s, send_queue *l, message *ring, uint32_t sent)
{
    message *m = &ring[l->first];
    assert(l->count > 0 && sent > 0 && sent <= m->remaining);
    m->remaining -= sent;
    m->number++;
    if (m->remaining && s->adapter.fifo_messages)
        return;
    message copy = *m;
    l->first = l->first + 1 == s->adapter.active_messages ? 0 : l->first + 1;
    l->count--;
    if (copy.remaining) {
        uint32_t at = l->first + l->count++;
        ring[at < s->adapter.active_messages ? at : at - s->adapter.active_messages] = copy;
    }
}

/* ---- sending */

int32_t sim_room_ahead(partition *p, uint32_t host, const host_state *h, const message *m)
{
    const sim *s = p->sim;
    assert(m->vc < s->sw.vcs);
    if (!s->net.in_space.accounts)
        return *state_credit_at(s, h->port, m->vc);
    ik_packet rt = {.src = host, .dst = m->dst};
    if (s->sw.stride)
        sim_start_packet(s, host, m->dst, sim_draw_number(s, m), &rt);
    return space_ledger_room(&s->net.in_space, h->port,
                             space_account_behind(p, h->port, m->vc, &rt, (uint32_t)m->number));
}

const message *sim_first_message(const partition *p, uint32_t host, unsigned k)
{
    const sim *s = p->sim;
    assert(k < (s->host.dest_rings ? s->sw.vcs : s->adapter.num_queues));
    size_t at = (size_t)host * s->adapter.num_queues + k;
    if (s->host.dest_rings)
        return sim_dest_first(p, host, k);
    return s->host.queues[at].count
               ? &s->host.messages[at * s->adapter.active_messages + s->host.queues[at].first]
               : NULL;
}

bool sim_host_stuck(partition *p, uint32_t host, uint32_t *account, uint32_t *size)
{
    const sim *s = p->sim;
    const host_state *h = &s->host.state[host];
    if ((h->silent && !s->reply.on) || !h->blocked || h->busy_until > p->start)
        return false;
    for (unsigned k = 0; k < (s->host.dest_rings ? s->sw.vcs : s->adapter.num_queues); k++) {
        const message *m = sim_first_message(p, host, k);
        if (!m || sim_room_ahead(p, host, h, m) >= (int32_t)host_next_size(s, m))
            continue;
        ik_packet rt = {.src = host, .dst = m->dst};
        if (s->sw.stride)
            sim_start_packet(s, host, m->dst, sim_draw_number(s, m), &rt);
        *account = space_account_behind(p, h->port, m->vc, &rt, (uint32_t)m->number);
        *size = host_next_size(s, m);
        return true;
    }
    return false;
}

/* How long the adapter has enough of a packet of size bytes, sent at the link's rate in link_ps. */
static uint64_t host_busy_ps(const sim *s, uint32_t host, uint32_t size, uint64_t link_ps)
{
    uint64_t own = ik_transmit_ps(size, sim_injection_bps(s, host));
    return own > link_ps ? own : link_ps;
}

bool sim_launch(partition *p, uint32_t host, host_state *h, const message *m, uint32_t size,
                uint32_t flow, uint64_t now)
{
    sim *s = p->sim;
    assert(h->busy_until <= now && size > 0 && size <= s->adapter.packet_bytes);
    packet pk = {
        .size = size, .t_gen = m->t_gen, .t_inject = now, .unrouted = s->choice.source_adaptive};
    uint64_t link_ps = state_transmit_ps(s, h->port, size);
    sim_start_packet(s, host, m->dst, sim_draw_number(s, m), &pk.rt);
    pk.rt.vc = (uint8_t)m->vc;
    pk.number = (uint32_t)m->number;
    pk.t_tail = now + link_ps + s->net.ports[h->port].latency_ps;
    uint64_t sequence = s->reply.on ? m->number >> 32 : 0;
    if (s->reorder.on && !sim_reorder_number(p, host, m->dst, flow, now, &sequence))
        return false;
    if (!s->engine.ops->send(p, host, &pk, sequence))
        return false;
    h->busy_until = now + (s->adapter.paced ? host_busy_ps(s, host, size, link_ps) : link_ps);
    p->n.injected++;
    p->n.moves++;
    s->counted.host_sent_bytes[host] += state_bytes_in_window(s, now, now + link_ps, size);
    return true;
}

/* Which message queue `at` sends the next packet of; NULL = none is made yet. */
static const message *host_next_message(partition *p, uint32_t host, unsigned at, uint64_t now)
{
    if (__builtin_expect(p->sim->reply.on, 0))
        sim_answered_admit(p, host, at, now);
    else if (!sim_has_operations(p->sim, host))
        sim_host_admit(p, host, at, now);
    return sim_first_message(p, host, at);
}

/* A packet of that message, of so many bytes, was sent. */
static void host_packet_sent(partition *p, uint32_t host, unsigned at, uint32_t size, uint64_t now)
{
    const sim *s = p->sim;
    size_t k = (size_t)host * s->adapter.num_queues + at;
    bool endless = s->workload.has_graph && sim_endless(s, host);
    if (!s->workload.has_graph || endless)
        host_next_turn(s, &s->host.queues[k], s->host.messages + k * s->adapter.active_messages,
                       size);
    if (s->workload.finite && !endless)
        sim_finite_sent(p, host, at, size, now);
}

/* Queues that stand still ask for the reorder space of their first packets while the link is
 * busy. */
static void host_ask_ahead(partition *p, uint32_t host, uint64_t now)
{
    for (unsigned at = 0; at < p->sim->adapter.num_queues; at++) {
        const message *m = host_next_message(p, host, at, now);
        if (m)
            sim_reorder_may(p, host, m->dst, now);
    }
}

/* The queue that is examined as number k: they take turns, those of a priority after all of a
 * higher one. */
SIM_INLINE unsigned host_queue_in_turn(const sim *s, const host_state *h, unsigned k)
{
    if (__builtin_expect(!s->sw.levels.num, 1))
        return h->next_vc + k < s->adapter.num_queues ? h->next_vc + k
                                                      : h->next_vc + k - s->adapter.num_queues;
    unsigned num = s->sw.levels.vcs, before = k / num * num, at = h->next_vc % num + k - before;
    return before + (at < num ? at : at - num);
}

/* Sends one packet if a queue has one and may send it. The queues take turns. */
static void host_try_send(partition *p, uint32_t host, host_state *h, uint64_t now)
{
    const sim *s = p->sim;
    bool limited = s->reorder.limit != REORDER_UNLIMITED;
    h->blocked = 0;
    for (unsigned k = 0; k < s->adapter.num_queues; k++) {
        unsigned at = host_queue_in_turn(s, h, k);
        const message *m = host_next_message(p, host, at, now);
        if (!m)
            continue;
        uint32_t size = host_next_size(s, m);
        if (limited && !sim_reorder_may(p, host, m->dst, now)) {
            s->host.reorder[host].lacks = true;
            continue;
        }
        if (sim_room_ahead(p, host, h, m) < (int32_t)size) {
            h->blocked = 1;
            continue;
        }
        if (sim_launch(p, host, h, m, size, IK_NONE, now))
            host_packet_sent(p, host, at, size, now);
        if (s->reorder.limit == REORDER_POOL)
            host_ask_ahead(p, host, now);
        h->next_vc = (uint8_t)(at + 1 == s->adapter.num_queues ? 0 : at + 1);
        h->blocked = 0;
        return;
    }
}

/* When an empty queue gets its next message; with replies, where there is a place for it. */
static uint64_t host_next_made(const partition *p, uint32_t host, unsigned at)
{
    const sim *s = p->sim;
    uint64_t t = s->host.queues[(size_t)host * s->adapter.num_queues + at].t;
    if (!s->reply.on)
        return t;
    if (at >= s->reply.queues)
        return sim_reply_next(p, host, at);
    uint64_t place = sim_request_place(s, host);
    return place > t ? place : t;
}

/* When to look again without an event: a queue has a message then and the link is free. */
static void host_plan_wake(partition *p, uint32_t host, host_state *h, uint64_t now, bool running)
{
    sim *s = p->sim;
    uint64_t at = UINT64_MAX;
    bool sent = h->busy_until > now;
    for (unsigned k = 0; k < s->adapter.num_queues; k++) {
        const send_queue *l = &s->host.queues[(size_t)host * s->adapter.num_queues + k];
        uint64_t next = l->count == 0        ? host_next_made(p, host, k)
                        : sent               ? now
                        : s->host.dest_rings ? l->t
                                             : UINT64_MAX;
        if (next < at)
            at = next;
    }
    uint64_t due = s->workload.has_graph ? sim_finite_next(s, host) : UINT64_MAX;
    if (at >= s->measure.past_ps &&
        due >= s->measure.past_ps) { /* nothing is made or sent after the end */
        p->after_end |= at != UINT64_MAX || due != UINT64_MAX;
        return;
    }
    if (at < h->busy_until)
        at = h->busy_until;
    at = due < at ? due : at;
    if (at == h->wake_at)
        return;
    h->wake_at = at;
    if (!s->engine.hosts_post_now && at < p->start + s->window.lookahead && running)
        return; /* sim_host_wake comes to it */
    events_post_own(p, at, ik_host_node(s->f, host), EV_WAKE, h->port, 0, running);
}

/* Releases what waits for nothing. */
static void host_start_graph(partition *p, uint32_t host, host_state *h)
{
    sim *s = p->sim;
    for (unsigned k = 0; k < s->adapter.num_queues; k++)
        s->host.queues[(size_t)host * s->adapter.num_queues + k].t = UINT64_MAX;
    h->wake_at = 0; /* posted here, for no window has begun */
    if (sim_finite_start(p, host))
        events_post_own(p, 0, ik_host_node(s->f, host), EV_WAKE, h->port, 0, false);
    else
        h->wake_at = UINT64_MAX;
}

static void start_host(partition *p, uint32_t host)
{
    sim *s = p->sim;
    host_state *h = &s->host.state[host];
    if (sim_has_operations(s, host))
        host_start_graph(p, host, h);
    if (s->reply.on)
        for (unsigned k = 0; k < s->adapter.num_queues; k++)
            s->host.queues[(size_t)host * s->adapter.num_queues + k].t = UINT64_MAX;
    if (h->silent || sim_has_operations(s, host))
        return;
    for (unsigned k = 0; k < (s->reply.on ? s->reply.queues : s->adapter.num_queues); k++)
        s->host.queues[(size_t)host * s->adapter.num_queues + k].t =
            sim_message_time(s, host, 0, 0);
    host_plan_wake(p, host, h, 0, false); /* not inside a window yet */
}

void sim_start_hosts(partition *p)
{
    const sim *s = p->sim;
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        if (s->parallel.node_partition[ik_host_node(s->f, host)] == p->id)
            start_host(p, host);
}

/* ---- receiving */

/* When the receive buffer has passed on a packet whose head comes now: it drains packet after
 * packet at the ejection rate, a packet no sooner than its last byte is in. */
static uint64_t host_drained_at(sim *s, uint32_t host, uint32_t port, const packet *pk,
                                uint64_t now)
{
    uint64_t *until = &s->host.drained[host], begin = *until > now ? *until : now;
    uint64_t end = begin + ik_transmit_ps(pk->size, sim_ejection_bps(s, port));
    *until = end > pk->t_tail ? end : pk->t_tail;
    return *until;
}

static void host_take_packet(partition *p, uint32_t host, uint32_t port, uint32_t id, uint64_t now)
{
    sim *s = p->sim;
    const packet *pk = &p->pool[id];
    uint64_t t = s->host.drained ? host_drained_at(s, host, port, pk, now) : pk->t_tail;
    uint32_t number =
        sim_is_reply(s, pk->number) ? SIM_REPLY | (uint32_t)p->sequence[id] : pk->number;
    const delivered d = {t, pk->t_gen, pk->t_inject, pk->rt.src, pk->rt.dst, number, pk->size};
    if (s->reorder.on)
        sim_reorder_arrive(p, host, &d, p->sequence[id]);
    else
        sim_deliver(p, host, &d);
    space_post_credit(p, &s->net.ports[port], t, pk->rt.vc,
                      space_account_here(s, pk, pk->rt.vc, SIM_NO_WAY), pk->size);
    events_free_packet(p, id);
}

/* Takes a message about reorder space; true: the same. */
static bool host_take_space(partition *p, uint32_t host, const event *e, uint64_t now)
{
    uint32_t parked;
    bool look = sim_reorder_take(p, host, e, now, &parked);
    if (parked != IK_NONE)
        sim_dest_unpark(p, host, parked);
    return look;
}

/* Applies an event; true = it is worth trying to send. */
static bool take_host_event(partition *p, uint32_t host, host_state *h, const event *e,
                            uint64_t now)
{
    sim *s = p->sim;
    uint32_t port = calendar_event_port(e);
    switch (calendar_event_kind(e)) {
    case EV_CREDIT:
        if (s->net.in_space.accounts)
            space_ledger_add(&s->net.in_space, port / s->net.in_space.accounts,
                             port % s->net.in_space.accounts,
                             -(int32_t)calendar_space_bytes(e->data));
        else
            *state_credit_at(s, port, calendar_space_vc(e->data)) +=
                (int32_t)calendar_space_bytes(e->data);
        return h->blocked;
    case EV_ARRIVAL:
        host_take_packet(p, host, port, e->data, now);
        return false;
    case EV_REORDER:
        return host_take_space(p, host, e, now);
    default:
        if (now != h->wake_at)
            return false; /* a later wake-up that an earlier one replaced */
        h->wake_at = UINT64_MAX;
        return true;
    }
}

/* Sends if it can, and sees when to look again. */
static void host_act(partition *p, uint32_t host, host_state *h, uint64_t now)
{
    if (p->sim->workload.has_graph)
        sim_finite_advance(p, host, now);
    if (p->sim->workload.has_graph && p->sim->host.dest_rings)
        sim_dest_take_sends(p, host, now);
    if (now < h->busy_until) {
        if (p->sim->workload.has_graph || p->sim->reply.on)
            host_plan_wake(p, host, h, now, true);
        return;
    }
    const sim *s = p->sim;
    reorder_host *r = s->reorder.on ? &s->host.reorder[host] : NULL;
    if (r)
        r->lacks = false;
    if (s->host.dest_rings)
        sim_dest_try(p, host, h, now);
    else
        host_try_send(p, host, h, now);
    if (r)
        sim_reorder_looked(p, host, (r->lacks || r->parked) && !h->blocked && h->busy_until <= now,
                           now);
    host_plan_wake(p, host, h, now, true);
}

/* The flows that a host's messages about reorder space name. */
static void host_fetch_flows(const partition *p, uint32_t node)
{
    for (uint32_t id = p->sim->window.node_head[node]; id != IK_NONE;
         id = p->wheel.events[id].node) {
        const event *e = &p->wheel.events[id];
        if (calendar_event_kind(e) == EV_REORDER && e->data & REORDER_BY_FLOW)
            sim_reorder_prefetch_flow(p, e->data & REORDER_AMOUNT);
    }
}

void sim_fetch_host(const partition *p, uint32_t node, unsigned stage)
{
    const sim *s = p->sim;
    uint32_t host = ik_node_host(s->f, node);
    if (stage == 0) {
        __builtin_prefetch(&s->host.state[host], 1);
        __builtin_prefetch(&s->host.queues[(size_t)host * s->adapter.num_queues], 1);
        __builtin_prefetch(&s->source.injectors[host]);
        __builtin_prefetch(&p->wheel.events[s->window.node_head[node]]);
        if (s->reorder.on)
            __builtin_prefetch(&s->host.reorder[host], 1);
        if (s->host.dest_rings)
            __builtin_prefetch(&s->host.dest_rings[(size_t)host * s->sw.vcs], 1);
        return;
    }
    if (stage == 1) {
        uint32_t port = s->host.state[host].port;
        __builtin_prefetch(state_output_of(s, port), 1);
        __builtin_prefetch(&s->net.ports[port]);
        __builtin_prefetch(&s->counted.host_sent_bytes[host], 1);
        host_fetch_flows(p, node);
    }
    if (s->host.dest_rings)
        sim_dest_fetch(p, host, stage - 1);
}

void sim_run_host(partition *p, uint32_t node)
{
    const sim *s = p->sim;
    uint32_t host = ik_node_host(s->f, node);
    host_state *h = &s->host.state[host];
    p->turn = node;
    while (p->local_at < p->local_count) {
        uint64_t offset = calendar_event_offset(&p->local[p->local_at]), now = p->start + offset;
        bool look = false;
        do {
            event e = p->local[p->local_at++];
            look |= take_host_event(p, host, h, &e, now);
        } while (p->local_at < p->local_count &&
                 calendar_event_offset(&p->local[p->local_at]) == offset);
        if (s->reorder.limit != REORDER_UNLIMITED) {
            if (s->host.reorder[host].unparked != IK_NONE)
                sim_dest_rejoin(p, host);
            sim_reorder_serve(p, host, now);
        }
        if (look)
            host_act(p, host, h, now);
    }
    p->turn = IK_NONE;
}

/* ---- the same for engines that keep no list of a host's events: there are few of them, one of
 * which is a credit. */

/* Wakes due before `until` in this window; more may come while there are several queues. */
static void host_wake_until(partition *p, uint32_t host, host_state *h, uint64_t until)
{
    while (h->wake_at < until) {
        uint64_t now = h->wake_at;
        h->wake_at = UINT64_MAX;
        host_act(p, host, h, now);
    }
}

void sim_host_wake(partition *p, uint32_t host, uint64_t now)
{
    host_state *h = &p->sim->host.state[host];
    if (now == h->wake_at) /* else an earlier one replaced it */
        host_wake_until(p, host, h, p->start + p->sim->window.lookahead);
}

static void host_fetch_woken(const sim *s, uint32_t host, unsigned stage)
{
    if (stage == 0) {
        __builtin_prefetch(&s->host.state[host], 1);
        __builtin_prefetch(&s->host.queues[(size_t)host * s->adapter.num_queues], 1);
    } else if (stage == 1) {
        __builtin_prefetch(state_output_of(s, s->host.state[host].port), 1);
    }
    if (s->workload.has_graph)
        sim_finite_fetch(s, host, stage);
}

void sim_host_wake_all(partition *p, const slot *at)
{
    enum { AHEAD = 3 };
    const uint32_t first_node = p->sim->f->num_switches;
    for (uint32_t chunk = at->first; chunk != IK_NONE; chunk = p->wheel.events[chunk * 64].node) {
        int count = (int)sim_chunk_count(&p->wheel, at, chunk);
        p->n.events += (unsigned)count;
        for (int n = 1 - FINITE_STAGES * AHEAD; n <= count; n++) {
            const event *events = &p->wheel.events[chunk * 64]; /* what is posted may move them */
            for (int stage = 0; stage < FINITE_STAGES; stage++) {
                int later = n + (FINITE_STAGES - stage) * AHEAD;
                if (later >= 1 && later <= count)
                    host_fetch_woken(p->sim, events[later].node - first_node, (unsigned)stage);
            }
            if (n >= 1)
                sim_host_wake(p, events[n].node - first_node,
                              p->start + calendar_event_offset(&events[n]));
        }
    }
}

void sim_host_credit(partition *p, uint32_t host, uint32_t lane_index, uint64_t now)
{
    sim *s = p->sim;
    host_state *h = &s->host.state[host];
    assert(lane_index / s->sw.vcs == h->port);
    host_wake_until(p, host, h, now);
    *state_credit_at(s, lane_index / s->sw.vcs, lane_index % s->sw.vcs) +=
        (int32_t)s->adapter.packet_bytes;
    if (h->wake_at == now || h->blocked) {
        h->wake_at = h->wake_at == now ? UINT64_MAX : h->wake_at;
        host_act(p, host, h, now);
    }
    host_wake_until(p, host, h, p->start + s->window.lookahead);
}
