/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that end (workload/finite.h) and have no operations: sequences of messages that stop.
 *
 * An all-to-all exchange is a sequence of visits. A batch has the messages that an endless pattern
 * draws: message n of a host is message n of the pattern, and made when its repetition begins: the
 * first at time 0, a later one when the host has all replies to its requests of the one before.
 * Adapters take them in as they do those of endless traffic, with places for requests
 * (workload/replies.c). */
#include "sim/core/memory.h"
#include "sim/state/events.h"
#include "sim/workload/finite_state.h"
#include "sim/workload/messages.h"

#include <assert.h>

/* ---- batches */

static const ik_traffic *finite_visits_batch_pattern(const ik_traffic *t)
{
    return ((const finite *)t->impl)->w->batch;
}

static uint32_t batch_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const finite *f = t->impl;
    const ik_traffic *of = f->w->batch;
    return n < f->per_repeat * f->w->repeat ? of->family->dest(of, src, n) : IK_NONE;
}

static bool batch_silent(const ik_traffic *t, uint32_t src)
{
    return ik_traffic_is_silent(finite_visits_batch_pattern(t), src);
}

static void batch_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const ik_traffic *of = finite_visits_batch_pattern(t);
    of->family->flows(of, src, fn, ctx);
}

static bool batch_even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    const ik_traffic *of = finite_visits_batch_pattern(t);
    return of->family->even && of->family->even(of, weight, scale);
}

/* What lies before the repetition that goes on is over: a queue that has not examined it yet finds
 * messages of other queues there. */
uint64_t sim_batch_time(const sim *s, uint32_t host, uint64_t n)
{
    const finite *f = s->workload.finite;
    uint64_t r = n / f->per_repeat, now = f->repetition[host];
    return r > now || r >= f->w->repeat ? UINT64_MAX : r == now ? f->begun_ps[host] : 0;
}

/* Passes over repetitions in which the pattern leaves all messages of the host out. */
static void finite_visits_begin_batch(finite *f, uint32_t host)
{
    assert(f->repetition[host] + 1 < f->w->repeat);
    do
        f->wanted[host] = ik_batch_count(f->w, host, ++f->repetition[host]);
    while (!f->wanted[host] && f->repetition[host] + 1 < f->w->repeat);
    f->answered[host] = 0;
}

void sim_batch_answered(partition *p, uint32_t host, uint64_t t)
{
    const sim *s = p->sim;
    finite *f = s->workload.finite;
    f->replied_ps[host] = t > f->replied_ps[host] ? t : f->replied_ps[host];
    assert(f->answered[host] < f->wanted[host]);
    if (++f->answered[host] < f->wanted[host] || f->repetition[host] + 1 >= f->w->repeat)
        return;
    finite_visits_begin_batch(f, host);
    f->begun_ps[host] = f->replied_ps[host];
    for (unsigned k = 0; k < s->reply.queues; k++) {
        send_queue *l = &s->host.queues[(size_t)host * s->adapter.num_queues + k];
        l->t = sim_batch_time(s, host, l->n);
    }
    sim_host_wake_at(p, host, f->begun_ps[host]);
}

static ik_status finite_visits_refuse_batch(const sim *s, const finite *f, ik_error *err)
{
    uint64_t most = s->reply.on ? SIM_REPLY / 4 : UINT32_MAX;
    if (f->w->repeat > 1 && !s->reply.on) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "traffic 'batch', repeat = %llu: a batch begins when the requests of the "
                         "one before have their replies, and there are none",
                         (unsigned long long)f->w->repeat),
                 "repeat");
        return ik_hint(err, IK_ERR_USAGE,
                       "adapter: {reply: 64 B}, or as many more messages in one batch");
    }
    if (f->per_repeat > most / f->w->repeat / s->source.packets_per_message)
        return ik_about(err,
                        ik_fail(err, IK_ERR_UNSUPPORTED,
                                "traffic 'batch': a host would send more than %llu packets",
                                (unsigned long long)most),
                        "messages repeat");
    if (s->reply.on && f->w->num_messages > most / s->reply.packets)
        return ik_about(err,
                        ik_fail(err, IK_ERR_UNSUPPORTED,
                                "traffic 'batch': a host might have to send more than %llu packets "
                                "of replies",
                                (unsigned long long)most),
                        "messages repeat");
    return IK_OK;
}

ik_status sim_batch_new(sim *s, finite *f, ik_error *err)
{
    uint32_t hosts = s->f->num_hosts;
    f->per_round = f->per_repeat = f->w->batch_messages;
    f->rounds = 1;
    ik_status status = finite_visits_refuse_batch(s, f, err);
    if (status != IK_OK)
        return status;
    sim_memory m = {0};
    bool ok = sim_get(&m, &f->repetition, hosts, 4) &&
              sim_get(&m, &f->states, hosts + (size_t)1, sizeof *f->states) &&
              sim_get(&m, &f->begun_ps, hosts, 8) && sim_get(&m, &f->replied_ps, hosts, 8) &&
              sim_get(&m, &f->answered, hosts, 8) && sim_get(&m, &f->wanted, hosts, 8);
    if (!ok)
        return ik_fail_memory(err, m.bytes, "the state of a batch");
    for (uint32_t host = 0; host < hosts; host++) {
        f->wanted[host] = ik_batch_count(f->w, host, 0);
        if (!f->wanted[host] && f->w->repeat > 1)
            finite_visits_begin_batch(f, host);
    }
    f->family = (ik_traffic_family){.name = "batch",
                                    .dest = batch_dest,
                                    .silent = batch_silent,
                                    .flows = batch_flows,
                                    .even = batch_even};
    finite_stand_in(s, f, NULL);
    return IK_OK;
}

/* ---- all-to-all */

static bool visits_nobody(const ik_traffic *t, uint32_t src)
{
    const finite *f = t->impl;
    return f->per_repeat == 0 || !ik_alltoall_has(f->w->alltoall, src);
}

static uint32_t visit_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const finite *f = t->impl;
    if (visits_nobody(t, src) || n >= f->per_repeat * f->w->repeat)
        return IK_NONE;
    return ik_alltoall_dest(f->w, src, f->keys[src], (uint32_t)(n % f->per_round));
}

static void visit_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const ik_alltoall *a = ((const finite *)t->impl)->w->alltoall;
    for (uint32_t dst = 0; ik_alltoall_has(a, src) && dst < t->num_hosts; dst++)
        if (dst != src && ik_alltoall_has(a, dst))
            fn(ctx, src, dst, 1, a->num - 1);
}

static bool visits_even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    *weight = 1;
    *scale = t->num_hosts - 1;
    return t->num_hosts > 1 && !((const finite *)t->impl)->w->alltoall->process;
}

uint64_t sim_visit_time(const sim *s, uint32_t host, uint64_t n)
{
    const finite *f = s->workload.finite;
    if (f->w->batch)
        return sim_batch_time(s, host, n);
    if (f->w->repeat == 1)
        return n < f->per_repeat ? 0 : UINT64_MAX;
    return n / f->per_repeat == f->repetition[host] && n < f->per_repeat * f->w->repeat
               ? f->states[host * f->w->repeat + f->repetition[host]].begun_ps
               : UINT64_MAX;
}

uint64_t sim_visit_bytes(const sim *s, uint64_t n)
{
    const finite *f = s->workload.finite;
    if (f->w->graph)
        return s->adapter.packet_bytes; /* of a job that never ends */
    if (f->w->batch)
        return s->source.message_bytes;
    uint64_t before = n % f->per_repeat / f->per_round * s->source.message_bytes,
             left = f->w->largest - before;
    return left < s->source.message_bytes ? left : s->source.message_bytes;
}

/* Those of `num` messages from n on that the pattern of a batch does not leave out. */
static uint64_t finite_visits_count_made(const sim *s, uint32_t host, uint64_t n, uint64_t num)
{
    const ik_traffic *of = s->workload.finite->w->batch;
    uint64_t made = 0;
    if (!of || !of->gaps)
        return num;
    for (uint64_t k = 0; k < num; k++)
        made += of->family->dest(of, host, n + k) != IK_NONE;
    return made;
}

void sim_visits_count(partition *p, uint32_t host, send_queue *l)
{
    const sim *s = p->sim;
    const finite *f = s->workload.finite;
    uint64_t at = l->n % f->per_repeat, num = f->per_repeat - at, last = 0;
    /* all visits but those of the last round have the same size */
    if (!f->w->batch)
        last = num < f->per_round ? num : f->per_round;
    uint64_t full = finite_visits_count_made(s, host, l->n, num - last),
             least = last ? sim_visit_bytes(s, f->per_repeat - 1) : 0,
             size = s->adapter.packet_bytes;
    assert(!p->classes && state_in_window(s, l->t));
    p->n.generated += full * s->source.packets_per_message + last * ((least + size - 1) / size);
    p->n.offered_bytes += full * s->source.message_bytes + last * least;
    l->n += num;
    l->t = sim_message_time(s, host, l->n, l->t);
}

void sim_visits_go_on(partition *p, uint32_t host)
{
    sim *s = p->sim;
    finite *f = s->workload.finite;
    uint64_t r = f->repetition[host], end = (r + 1) * f->per_repeat;
    round_state *now = &f->states[host * f->w->repeat + r];
    if (r + 1 >= f->w->repeat || now->received < f->packets_per_repeat)
        return;
    send_queue *queues = &s->host.queues[(size_t)host * s->adapter.num_queues];
    for (unsigned k = 0; k < s->adapter.num_queues; k++) {
        /* with several queues, what lies before the end of the repetition may all be of others */
        if (!s->host.dest_rings)
            sim_host_admit(p, host, k, now->begun_ps);
        if (queues[k].n < end || queues[k].count)
            return;
    }
    f->repetition[host]++;
    uint64_t sent = s->host.state[host].busy_until,
             begun = now->last_ps > sent ? now->last_ps : sent;
    now[1].begun_ps = begun;
    for (unsigned k = 0; k < s->adapter.num_queues; k++)
        queues[k].t = begun;
    sim_host_wake_at(p, host, begun);
}

static void finite_visits_note_last(round_state *state, const delivered *d)
{
    if (d->t > state->last_ps || (d->t == state->last_ps && d->src > state->src)) {
        state->last_ps = d->t;
        state->inject_ps = d->t_inject;
        state->arrive_ps = d->t_arrive ? d->t_arrive : d->t;
        state->src = d->src;
    }
}

void sim_visit_delivered(partition *p, uint32_t host, const delivered *d)
{
    finite *f = p->sim->workload.finite;
    if (f->w->repeat == 1) {
        finite_visits_note_last(&f->states[host], d);
        return;
    }
    uint64_t n =
        host * f->w->repeat + d->number / (f->per_repeat * p->sim->source.packets_per_message);
    f->states[n].received++;
    finite_visits_note_last(&f->states[n], d);
    sim_visits_go_on(p, host);
}

ik_status sim_visits_new(sim *s, finite *f, ik_error *err)
{
    const ik_workload *w = f->w;
    uint32_t hosts = s->f->num_hosts;
    f->per_round = w->alltoall->num - 1;
    f->rounds = (w->largest + s->source.message_bytes - 1) / s->source.message_bytes;
    f->per_repeat = f->per_round * f->rounds;
    f->packets_per_repeat = f->per_round * finite_packets(s, w->largest);
    assert(f->per_repeat * w->repeat <= UINT32_MAX / s->source.packets_per_message);
    sim_memory m = {0};
    bool ok = sim_get(&m, &f->keys, hosts, 8) && sim_get(&m, &f->repetition, hosts, 4) &&
              sim_get(&m, &f->states, hosts * (size_t)w->repeat + 1, sizeof *f->states);
    if (!ok)
        return ik_fail_memory(err, m.bytes, "the state of an exchange");
    for (uint32_t host = 0; host < hosts; host++)
        f->keys[host] = ik_alltoall_key(w, host);
    f->family = (ik_traffic_family){.name = "exchange",
                                    .dest = visit_dest,
                                    .silent = visits_nobody,
                                    .flows = visit_flows,
                                    .even = visits_even};
    finite_stand_in(s, f, NULL);
    return IK_OK;
}

/* ---- turns of messages, at an adapter */

/* Packets of a message that are sent in one turn as the host's job says; 0 = as the run says. */
static uint64_t finite_visits_of_job(const sim *s, uint32_t host)
{
    const ik_workload *w = s->workload.finite->w;
    assert(!w->num_jobs || w->host_job[host] < w->num_jobs);
    return w->num_jobs ? w->jobs[w->host_job[host]].visits : 0;
}

uint64_t sim_finite_turn(const sim *s, uint32_t host)
{
    uint64_t visits = finite_visits_of_job(s, host);
    if (visits)
        return visits;
    return s->host.dest_rings && !s->workload.finite->w->visits ? 1 : s->adapter.turn_packets;
}

uint32_t sim_finite_active(const sim *s, uint32_t host)
{
    return finite_visits_of_job(s, host) ? UINT32_MAX : s->adapter.turn_messages;
}

uint64_t sim_finite_next_number(const sim *s, uint64_t number)
{
    const finite *f = s->workload.finite;
    uint64_t next = number + 1, visit = s->source.packets_per_message;
    if (!f->w->alltoall || next % visit)
        return next;
    return next + (f->per_round - 1) * visit; /* the next visit to the same destination */
}
