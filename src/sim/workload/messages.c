/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of a host (workload/messages.h). Nothing is stored for one that waits: its number
 * says all of it, but for its time, which follows from that of the one before. */
#include "sim/workload/messages.h"
#include "sim/measure/classes.h"
#include "sim/workload/finite.h"

/* ---- when messages are made: core/injection.h. A coin is thrown once per message's time */

/* Time of message n; `before` is that of message n - 1 (unused for n = 0). */
uint64_t sim_message_time(const sim *s, uint32_t host, uint64_t n, uint64_t before)
{
    const injector *c = &s->source.injectors[host];
    if (s->source.injection == INJECT_AT_ONCE)
        return s->workload.has_graph ? sim_endless_time(s, host, n, before)
                                     : sim_visit_time(s, host, n);
    if (s->source.injection == INJECT_SCHEDULE)
        return sim_schedule_time(s->source.schedule, c->source, n, before);
    bool coin = s->source.injection == INJECT_BERNOULLI;
    const sim_rhythm r = {.seed = s->seed,
                          .source = c->source,
                          .kind = s->source.injection,
                          .period_ps = c->period_ps,
                          .phase_ps = c->phase_ps,
                          .slot_ps = (uint64_t)(c->period_ps * s->source.load + 0.5),
                          .log_miss = coin ? sim_rhythm_log_miss(s->source.load) : 0,
                          .gaps = &s->source.gaps};
    return sim_rhythm_time(&r, n, before);
}

/* ---- queues */

static uint64_t host_message_bytes(const sim *s, uint32_t host, uint64_t n)
{
    if (!s->source.sizes)
        return s->workload.finite ? sim_visit_bytes(s, n) : s->source.message_bytes;
    unsigned class =
        s->source.sizes->num_classes ? s->traffic->family->class_of(s->traffic, host, n) : 0;
    return sim_size_of(s->source.sizes, class, s->seed, s->source.injectors[host].source, n);
}

/* Message n of host, made at t. */
void sim_count_message(partition *p, uint32_t host, uint64_t n, uint64_t t)
{
    const sim *s = p->sim;
    bool even = !s->source.sizes && !s->workload.finite;
    uint64_t bytes = even ? s->source.message_bytes : host_message_bytes(s, host, n);
    p->n.generated += even ? s->source.packets_per_message
                           : (bytes + s->adapter.packet_bytes - 1) / s->adapter.packet_bytes;
    if (!state_in_window(s, t))
        return;
    p->n.offered_bytes += bytes;
    if (p->classes)
        sim_classes_offer(p->classes, host, n, bytes);
}

void sim_start_packet(const sim *s, uint32_t host, uint32_t dst, uint64_t number, ik_packet *rt)
{
    ik_draw draw = {s->seed, host, number};
    if (__builtin_expect(s->workload.phased, 0))
        ik_plan_start_phase(s->plan, sim_finite_phase(s, host, number), host, dst, &draw, rt);
    else
        ik_plan_start(s->plan, host, dst, &draw, NULL, rt);
}

/* Of message n of a host. */
static unsigned host_level_of(const sim *s, uint32_t host, uint64_t n)
{
    return s->sw.levels.of[s->traffic->family->class_of(s->traffic, host, n)];
}

bool sim_next_message(partition *p, uint32_t host, send_queue *l, bool count, message *m)
{
    const sim *s = p->sim;
    if (__builtin_expect(s->workload.has_graph, 0))
        return sim_endless_next(p, host, l, count, m);
    uint32_t dst = s->traffic->family->dest(s->traffic, host, l->n);
    *m = (message){l->t, l->n * s->source.packets_per_message, s->source.message_bytes, dst, 0};
    if ((s->workload.finite || s->source.sizes) && dst != IK_NONE)
        m->remaining = host_message_bytes(s, host, l->n);
    if (dst != IK_NONE && s->sw.vcs > 1) {
        ik_packet rt;
        sim_start_packet(s, host, dst, m->number, &rt);
        m->vc = rt.vc;
        if (s->sw.levels.num)
            m->vc += s->sw.levels.vcs * host_level_of(s, host, l->n);
    }
    if (dst != IK_NONE && count)
        sim_count_message(p, host, l->n, l->t);
    l->n++;
    l->t = sim_message_time(s, host, l->n, l->t);
    return dst != IK_NONE;
}

void sim_host_admit(partition *p, uint32_t host, unsigned at, uint64_t now)
{
    assert(at < p->sim->adapter.num_queues);
    sim *s = p->sim;
    send_queue *l = &s->host.queues[(size_t)host * s->adapter.num_queues + at];
    message *ring = s->host.messages +
                    ((size_t)host * s->adapter.num_queues + at) * s->adapter.active_messages,
            m;
    while (l->count < s->adapter.active_messages && l->t <= now && l->t < s->measure.past_ps) {
        if (!sim_next_message(p, host, l, at == 0, &m) || (s->adapter.num_queues > 1 && m.vc != at))
            continue;
        uint32_t place = l->first + l->count++;
        ring[place < s->adapter.active_messages ? place : place - s->adapter.active_messages] = m;
    }
}

void sim_pass_messages(const sim *s, uint32_t host, send_queue *l, uint64_t end)
{
    while (l->n < end) {
        l->n++;
        l->t = sim_message_time(s, host, l->n, l->t);
    }
}

void sim_count_backlog(partition *p, uint32_t host)
{
    sim *s = p->sim;
    if (s->workload.has_graph)
        sim_finite_count(p, host);
    if (s->host.state[host].silent || sim_has_operations(s, host) || s->reply.most)
        return; /* and what found no place was not made */
    send_queue *l = &s->host.queues[(size_t)host * s->adapter.num_queues];
    while (l->t < s->measure.past_ps) {
        if (s->workload.finite && !s->workload.has_graph) {
            sim_visits_count(p, host, l);
            continue;
        }
        if (!s->traffic->gaps || s->traffic->family->dest(s->traffic, host, l->n) != IK_NONE)
            sim_count_message(p, host, l->n, l->t);
        sim_pass_messages(s, host, l, l->n + 1);
    }
}
