/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests and replies. Every message of the traffic is a request, and the host that has got its
 * last byte makes a reply to its source, service_time later. A reply is made where the request is
 * delivered, and a source learns of it where the reply is delivered: nothing but packets travels,
 * so partitions need not know of each other. A reply's packets carry the number of its request in
 * their source's numbers (partition.sequence).
 *
 * Where at most so many requests of a host may be without their reply, a host has as many *places*,
 * each with the time from which it is free; a request is made at the later one of its own time and
 * that of the place that came free first. So sources are throttled, and what was not made is not
 * offered (batch mode of BookSim: W. Dally and B. Towles, "Principles and Practices of
 * Interconnection Networks", 2004, section 24.2, closed-loop measurement). */
#include "sim/workload/replies.h"
#include "sim/measure/classes.h"
#include "sim/measure/stationary.h"
#include "sim/state/events.h"
#include "sim/workload/finite.h"

static reply_list *replies_list_of(const sim *s, uint32_t host, unsigned at)
{
    assert(at >= s->reply.queues && at < s->adapter.num_queues);
    return &s->host.reply_lists[(size_t)host * s->reply.queues + at - s->reply.queues];
}

/* ---- places of a source */

uint64_t sim_request_place(const sim *s, uint32_t host)
{
    const reply_host *h = &s->host.replies[host];
    if (!s->reply.most)
        return 0;
    return h->num_places ? s->host.reply_places[(size_t)host * s->reply.most + h->first_place]
                         : UINT64_MAX;
}

static void replies_take_place(const sim *s, reply_host *h)
{
    h->open++;
    if (!s->reply.most)
        return;
    assert(h->num_places > 0);
    h->first_place = h->first_place + 1 == s->reply.most ? 0 : h->first_place + 1;
    h->num_places--;
}

static void replies_free_place(partition *p, uint32_t host, uint64_t t)
{
    const sim *s = p->sim;
    reply_host *h = &s->host.replies[host];
    assert(h->open > 0);
    h->open--;
    if (!s->reply.most)
        return;
    uint32_t place = h->first_place + h->num_places++;
    place = place < s->reply.most ? place : place - s->reply.most;
    s->host.reply_places[(size_t)host * s->reply.most + place] = t;
    sim_host_wake_at(p, host, t);
}

/* Request n, made at t, is taken in. False = out of memory. */
static bool replies_open_request(partition *p, uint32_t host, uint64_t n, uint64_t t, uint64_t now)
{
    const request q = {.t_gen = t,
                       .t_open = now,
                       .left = p->sim->reply.bytes,
                       .host = host,
                       .from = IK_NONE,
                       .number = (uint32_t)n};
    replies_take_place(p->sim, &p->sim->host.replies[host]);
    p->reply_stats.made++;
    return sim_request_add(p, &q) != IK_NONE;
}

/* A request had no reply from .. to. */
static void replies_count_open(partition *p, uint64_t from, uint64_t to)
{
    const sim *s = p->sim;
    uint64_t last = to < s->measure.end_ps ? to : s->measure.end_ps;
    p->reply_stats.open += state_measured_ps(s, from, to);
    if (s->measure.num_series)
        SIM_EACH_PERIOD(s->measure.series_ps, s->measure.num_series, from, last, k, ps)
    p->reply_stats.series[k] += ps;
}

static void replies_reply_came(partition *p, uint32_t host, const delivered *d)
{
    uint32_t id = sim_request_find(p, host, IK_NONE, d->number & ~SIM_REPLY);
    if (id == IK_NONE) {
        sim_broken(p, "host %u got a reply of host %u that it did not ask for", host, d->src);
        return;
    }
    request *q = &p->replies->requests[id];
    assert(q->left >= d->size);
    q->left -= d->size;
    if (q->left)
        return;
    if (state_in_window(p->sim, d->t))
        sim_histo_add(&p->reply_stats.round_trip, d->t - q->t_gen);
    batch_value(&p->batches, d->t, STATIONARY_ROUND_TRIP, d->t - q->t_gen);
    replies_count_open(p, q->t_open, d->t);
    sim_request_remove(p, id);
    replies_free_place(p, host, d->t);
    if (p->sim->workload.finite)
        sim_batch_answered(p, host, d->t);
}

/* ---- at a destination */

/* All of a request has come; its reply is made at t. */
static void replies_make_reply(partition *p, uint32_t host, uint32_t dst, uint32_t number,
                               uint64_t t)
{
    sim *s = p->sim;
    reply_host *h = &s->host.replies[host];
    if (t >= s->measure.past_ps) { /* nothing is made after the end */
        p->after_end = true;
        return;
    }
    reply a = {.t = t, .number = sim_reply_number(number, h->sent), .dst = dst, .vc = s->reply.vcs};
    ik_packet rt;
    sim_start_packet(s, host, dst, (uint32_t)a.number, &rt);
    a.vc += rt.vc;
    h->sent += (uint32_t)s->reply.packets;
    p->n.generated += s->reply.packets;
    if (state_in_window(s, t)) {
        p->n.offered_bytes += s->reply.bytes;
        if (p->classes)
            sim_classes_offer(p->classes, dst, number, s->reply.bytes);
    }
    unsigned at = s->reply.queues + (s->reply.queues > 1 ? rt.vc : 0);
    if (sim_reply_append(p, replies_list_of(s, host, at), &a))
        sim_host_wake_at(p, host, t);
}

/* Of a request in several packets those that are missing are counted. */
static bool replies_is_complete(partition *p, uint32_t host, const delivered *d, uint32_t number)
{
    const sim *s = p->sim;
    if (s->source.packets_per_message == 1)
        return true;
    uint32_t id = sim_request_find(p, host, d->src, number);
    if (id == IK_NONE) {
        const request q = {
            .left = s->source.message_bytes, .host = host, .from = d->src, .number = number};
        id = sim_request_add(p, &q);
        if (id == IK_NONE)
            return false;
    }
    request *q = &p->replies->requests[id];
    assert(q->left >= d->size);
    q->left -= d->size;
    if (q->left)
        return false;
    sim_request_remove(p, id);
    return true;
}

void sim_reply_delivered(partition *p, uint32_t host, const delivered *d)
{
    const sim *s = p->sim;
    bool is_reply = d->number & SIM_REPLY;
    if (state_in_window(s, d->t))
        sim_histo_add(is_reply ? &p->reply_stats.answer : &p->reply_stats.request, d->t - d->t_gen);
    batch_value(&p->batches, d->t, is_reply ? STATIONARY_REPLY : STATIONARY_REQUEST,
                d->t - d->t_gen);
    if (is_reply) {
        replies_reply_came(p, host, d);
        return;
    }
    uint32_t number = (uint32_t)(d->number / s->source.packets_per_message);
    if (replies_is_complete(p, host, d, number))
        replies_make_reply(p, host, d->src, number, d->t + s->reply.service_ps);
}

/* ---- what adapters take in */

static void replies_take_in(const sim *s, size_t k, const message *m)
{
    send_queue *l = &s->host.queues[k];
    uint32_t place = l->first + l->count++;
    place = place < s->adapter.active_messages ? place : place - s->adapter.active_messages;
    s->host.messages[k * s->adapter.active_messages + place] = *m;
}

/* Where hosts have places for requests, one is made once there is a place. */
static void replies_admit_requests(partition *p, uint32_t host, unsigned at, uint64_t now)
{
    sim *s = p->sim;
    size_t k = (size_t)host * s->adapter.num_queues + at;
    send_queue *l = &s->host.queues[k];
    message m;
    bool placed = s->reply.most;
    while (l->count < s->adapter.active_messages && l->t <= now && l->t < s->measure.past_ps) {
        uint64_t n = l->n, place = sim_request_place(s, host);
        if (place > now)
            return;
        if (!sim_next_message(p, host, l, at == 0 && !placed, &m) ||
            (s->reply.queues > 1 && m.vc != at))
            continue;
        m.t_gen = place > m.t_gen ? place : m.t_gen;
        if (placed)
            sim_count_message(p, host, n, m.t_gen);
        if (!replies_open_request(p, host, n, m.t_gen, now))
            return;
        replies_take_in(s, k, &m);
    }
}

static void admit_replies(partition *p, uint32_t host, unsigned at, uint64_t now)
{
    sim *s = p->sim;
    size_t k = (size_t)host * s->adapter.num_queues + at;
    reply_list *list = replies_list_of(s, host, at);
    while (s->host.queues[k].count < s->adapter.active_messages && list->head != IK_NONE &&
           p->replies->replies[list->head].t <= now) {
        const reply a = sim_reply_take(p, list);
        replies_take_in(s, k, &(message){a.t, a.number, s->reply.bytes, a.dst, a.vc});
    }
}

void sim_answered_admit(partition *p, uint32_t host, unsigned at, uint64_t now)
{
    if (at >= p->sim->reply.queues)
        admit_replies(p, host, at, now);
    else
        replies_admit_requests(p, host, at, now);
}

uint64_t sim_reply_next(const partition *p, uint32_t host, unsigned at)
{
    uint32_t id = replies_list_of(p->sim, host, at)->head;
    return id == IK_NONE ? UINT64_MAX : p->replies->replies[id].t;
}

/* ---- the end */

/* Those that may lack by chance at the end, of a host whose requests wait for a place now and then:
 * a few, or bursts. */
static double replies_by_chance(const sim *s)
{
    double beta = s->source.injection == INJECT_BURSTY ? s->source.bursts.beta : 1;
    return 4 / (beta > 0 ? beta : 1);
}

void sim_replies_count_unmade(partition *p, uint32_t host)
{
    enum { STEPS = 1024 }; /* the rest is as many in the same time */
    const sim *s = p->sim;
    if (!s->reply.most || s->workload.finite || s->host.state[host].silent)
        return;
    const send_queue *l = &s->host.queues[(size_t)host * s->adapter.num_queues];
    uint64_t end = sim_stopped_ps(s), found = 0;
    send_queue q = l[0]; /* the one that is furthest back */
    for (unsigned at = 1; at < s->reply.queues; at++)
        q = l[at].t < q.t ? l[at] : q;
    uint64_t from = q.t;
    for (unsigned k = 0; k < STEPS && q.t < end; k++) {
        uint64_t n = q.n;
        message m;
        if (sim_next_message(p, host, &q, false, &m))
            found += n >= l[s->reply.queues > 1 ? m.vc : 0].n;
    }
    double num = (double)found, chance = replies_by_chance(s);
    if (q.t > from && q.t < end)
        num *= (double)(end - from) / (double)(q.t - from);
    p->reply_stats.unmade += (uint64_t)num;
    p->reply_stats.unmade_by_chance += (uint64_t)(num < chance ? num : chance);
}

void sim_replies_finish(partition *p)
{
    const sim *s = p->sim;
    const reply_store *r = p->replies;
    uint64_t end = sim_stopped_ps(s);
    for (uint32_t id = 0; r && id < r->num_requests; id++)
        if (r->requests[id].host != IK_NONE && r->requests[id].from == IK_NONE)
            replies_count_open(p, r->requests[id].t_open, end);
}
