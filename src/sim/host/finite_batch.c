/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that end: a batch of messages of every host, as an endless pattern draws them.
 *
 * Message n of a host is message n of the pattern, and made when its repetition begins: the first
 * at time 0, a later one when the host has all replies to its requests of the one before. Adapters
 * take them in as they do those of endless traffic, with places for requests (host/replies.c). */
#include "sim/core/memory.h"
#include "sim/host/finite_state.h"

#include <assert.h>

static const ik_traffic *finite_batch_pattern_of(const ik_traffic *t)
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
    return ik_traffic_is_silent(finite_batch_pattern_of(t), src);
}

static void batch_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const ik_traffic *of = finite_batch_pattern_of(t);
    of->family->flows(of, src, fn, ctx);
}

static bool batch_even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    const ik_traffic *of = finite_batch_pattern_of(t);
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
static void finite_batch_begin_next(finite *f, uint32_t host)
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
    finite_batch_begin_next(f, host);
    f->begun_ps[host] = f->replied_ps[host];
    for (unsigned k = 0; k < s->reply.queues; k++) {
        send_queue *l = &s->host.queues[(size_t)host * s->adapter.num_queues + k];
        l->t = sim_batch_time(s, host, l->n);
    }
    sim_host_wake_at(p, host, f->begun_ps[host]);
}

static ik_status finite_batch_refuse(const sim *s, const finite *f, ik_error *err)
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
    ik_status status = finite_batch_refuse(s, f, err);
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
            finite_batch_begin_next(f, host);
    }
    f->family = (ik_traffic_family){.name = "batch",
                                    .dest = batch_dest,
                                    .silent = batch_silent,
                                    .flows = batch_flows,
                                    .even = batch_even};
    finite_stand_in(s, f, NULL);
    return IK_OK;
}
