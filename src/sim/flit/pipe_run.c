/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_run.c: the loop over cycles and steps. What needs the whole network at rest (checks, the
 * watchdog, samples of congestion) is done by the first partition between two steps while the
 * others wait, at cycles that do not depend on the number of partitions.
 */
#include "sim/flit/flit.h"
#include "sim/flit/pipe.h"
#include "sim/flit/pipe_fetch.h"
#include "sim/measure/congest.h"
#include "sim/measure/steady.h"
#include "sim/measure/watch.h"
#include "sim/parallel/rest.h"
#include "sim/parallel/workers.h"

#include <stdlib.h>

uint64_t pipe_partition_bytes(const pipe_partition *q)
{
    return q->grown + sim_endpoint_bytes(&q->endpoint) + sim_edges_bytes(q->edges);
}

static void pipe_run_hosts(pipe_partition *q)
{
    uint32_t count = q->num_ready_hosts;
    q->num_ready_hosts = 0; /* pipe_run_host notes those that go on */
    for (uint32_t k = 0; q->p->watch && k < count; k++)
        pipe_watch_host(q, q->ready_hosts[k]);
    for (uint32_t k = 0; !q->p->watch && k < count; k++) {
        if (q->p->staged && k + FETCH_EVENTS < count)
            pipe_fetch_host(q->p, q->ready_hosts[k + FETCH_EVENTS]);
        pipe_run_host(q, q->ready_hosts[k]);
    }
    uint32_t *swap = q->ready_hosts;
    q->ready_hosts = q->next_hosts;
    q->next_hosts = swap;
}

static void pipe_run_sample_buffers(pipe_partition *q)
{
    const pipe *p = q->p;
    size_t at = q->cycle / p->series;
    if (at >= p->num_series)
        return;
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        if (p->node_partition[sw] != q->id)
            continue;
        const pipe_router *r = &p->routers[sw];
        double room = (double)r->radix * p->vcs * p->depth;
        p->series_blocked[at * p->f->num_switches + sw] = room > 0 ? r->flits / room : 0;
    }
}

/* One link cycle. What routers and hosts do reaches others in later ticks only, so their order does
 * not matter. Events come and hosts act when a cycle starts. */
static void pipe_run_cycle(pipe_partition *q)
{
    const pipe *p = q->p;
    q->now = q->cycle * p->speedup;
    pipe_take_events(q);
    pipe_run_hosts(q);
    for (unsigned tick = 0; tick < p->speedup; tick++, q->now++)
        pipe_run_routers(q);
    if (p->series && (q->cycle + 1) % p->series == 0)
        pipe_run_sample_buffers(q);
}

/* ---- steps */

/* Cycles between checks, and between reports of progress, at which searches come; powers of two */
enum { PARANOID_PERIOD = 16, PERIOD = 1024 };

/* A check looks at all that is in transmission, for which links of so many cycles have room: it
 * comes the less often, so that checks take no more than some times what the cycles take. */
static uint64_t pipe_run_check_period(const pipe *p)
{
    uint64_t period = PARANOID_PERIOD;
    while (period < PERIOD && 64 * period <= p->wheel_mask)
        period *= 2;
    return period;
}

/* Cycle at which batches are examined next, UINT64_MAX = never. */
static uint64_t pipe_run_due_batches(const pipe *p)
{
    uint64_t due = p->stationary ? stationary_due_ps(p->stationary) : UINT64_MAX;
    return due == UINT64_MAX ? due : due / p->clock_ps;
}

/* First cycle that is not worked on in the step that begins now: others may act on it then, a check
 * or a sample is due, or the run is over. */
static uint64_t pipe_run_step_end(const pipe_partition *q, const rest_times *t)
{
    uint64_t end = q->cycle + q->p->step_cycles, next = rest_next(t),
             period = (q->cycle / PERIOD + 1) * PERIOD;
    end = period < end ? period : end;
    end = next < end ? next : end;
    return q->p->end < end ? q->p->end : end;
}

static bool pipe_run_any_failed(const pipe *p)
{
    for (unsigned id = 0; id < p->num_partitions; id++)
        if (p->partitions[id].failed)
            return true;
    return false;
}

/* All partitions at rest; the first partition's thread. */
static void pipe_run_look_at_batches(pipe *p)
{
    uint64_t hops = 0;
    for (unsigned id = 0; id < p->num_partitions; id++)
        hops += p->partitions[id].n.hops;
    stationary_times times =
        rest_look_at_batches(p->stationary, &p->partitions->batches, sizeof *p->partitions,
                             p->num_partitions, hops, p->congest);
    p->warmup = times.warmup_ps / p->clock_ps;
    p->end = times.end_ps / p->clock_ps;
    if (p->series)
        p->num_series = (size_t)((p->end + p->series - 1) / p->series);
}

/* The same. */
static void pipe_run_look_at_network(pipe_partition *q, const rest_due *due)
{
    pipe *p = q->p;
    if (pipe_run_any_failed(p))
        return;
    q->failed |= due->sample && !pipe_congest_sample(p, q->cycle);
    if (due->check)
        q->status = pipe_check(p, &q->err);
    if (due->watch && q->status == IK_OK)
        q->status = pipe_find_deadlock(p, &q->err);
    p->over = p->deadlock || q->failed || q->status != IK_OK;
}

/* Where the whole network must rest: returns false when the run ends here. */
static bool pipe_run_rest(pipe_partition *q, rest_times *t)
{
    pipe *p = q->p;
    rest_due due;
    if (q->id == 0 && (q->cycle % PERIOD == 0 || q->cycle == p->end) && p->env && p->env->progress)
        p->env->progress(p->env->progress_ctx, "simulating", q->cycle, p->end, "cycles");
    if (!rest_is_due(t, q->cycle, q->cycle == p->end, &due))
        return true;
    sim_endpoint_barrier(&q->endpoint, p->exchange);
    if (q->id == 0)
        pipe_run_look_at_network(q, &due);
    if (q->id == 0 && due.batches)
        pipe_run_look_at_batches(p);
    rest_pass_samples(t, q->cycle);
    sim_endpoint_barrier(&q->endpoint, p->exchange);
    t->next_batches = pipe_run_due_batches(p);
    return !p->over;
}

static bool pipe_run_step(pipe_partition *q, rest_times *t)
{
    for (uint64_t end = pipe_run_step_end(q, t); q->cycle < end; q->cycle++)
        pipe_run_cycle(q);
    return pipe_end_step(q) && pipe_run_rest(q, t);
}

static void pipe_run_each_host(pipe_partition *q, void (*fn)(pipe_partition *q, uint32_t host))
{
    const pipe *p = q->p;
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        if (p->node_partition[ik_host_node(p->f, host)] == q->id)
            fn(q, host);
}

static void pipe_run_partition(void *arg)
{
    pipe_partition *q = arg;
    const pipe *p = q->p;
    double begun = sim_thread_seconds();
    uint64_t period = pipe_run_check_period(p);
    rest_times t = {.next_check = p->paranoid ? period : UINT64_MAX,
                    .check_period = period,
                    .watch_period = p->watchdog,
                    .watch_unit = PERIOD,
                    .next_batches = pipe_run_due_batches(p),
                    .num_samples = p->congest ? p->num_series : 0,
                    .sample_period = p->series};
    t.next_watch = rest_next_watch(&t, 0);
    q->status = rest_check(&t, p->exchange, false, &q->err);
    if (q->status != IK_OK)
        return;
    pipe_run_each_host(q, pipe_start_host);
    while (q->cycle < p->end && pipe_run_step(q, &t))
        continue;
    if (!ik_env_cancelled(p->env)) /* else nobody wants the counts */
        pipe_run_each_host(q, pipe_count_backlog);
    q->cpu_seconds = sim_thread_seconds() - begun;
}

static ik_status pipe_run_first_failure(const pipe *p, ik_error *err)
{
    if (pipe_run_any_failed(p))
        return ik_fail_memory(err, sizeof(pipe_chunk), "packets and events");
    for (unsigned id = 0; id < p->num_partitions; id++)
        if (p->partitions[id].status != IK_OK) {
            if (err)
                *err = p->partitions[id].err;
            return p->partitions[id].status;
        }
    if (ik_env_cancelled(p->env))
        return ik_fail(err, IK_ERR_CANCELLED, "the simulation was cancelled");
    return IK_OK;
}

ik_status pipe_run(pipe *p, ik_error *err)
{
    ik_status status = sim_workers_run(p->num_partitions, p->partitions, sizeof *p->partitions,
                                       pipe_run_partition, &p->run_seconds, err);
    return status == IK_OK ? pipe_run_first_failure(p, err) : status;
}

ik_status sim_run_pipelined(const ik_plan *plan, const ik_traffic *traffic,
                            const ik_sim_config *config, const ik_env *env, watch *w,
                            ik_sim_result *out, ik_error *err)
{
    pipe *p = ik_calloc(1, sizeof *p);
    if (!p)
        return ik_fail_memory(err, sizeof *p, "a simulation");
    ik_status status = pipe_setup(p, plan, traffic, config, env, err);
    if (status == IK_OK && w)
        status = pipe_watch(p, w, err);
    if (status == IK_OK)
        status = pipe_run(p, err);
    if (status == IK_OK)
        status = pipe_export(p, out, err);
    if (status == IK_OK)
        steady_judge(sim_exchange_is_shared(p->exchange) ? p->stationary : NULL,
                     &p->partitions->batches, sizeof *p->partitions, p->num_partitions, p->bound,
                     p->f, out);
    pipe_free(p);
    free(p);
    return status;
}
