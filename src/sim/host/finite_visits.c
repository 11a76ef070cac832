/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that end (host/finite.h): an all-to-all exchange as a sequence of visits. */
#include "sim/core/memory.h"
#include "sim/host/finite_state.h"
#include <assert.h>

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
    ik_status status = sim_visits_check(s, err);
    if (status != IK_OK)
        return status;
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
