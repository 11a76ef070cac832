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
#include "sim/measure/deadlock.h"
#include "sim/measure/steady.h"
#include "sim/measure/watch.h"
#include "sim/parallel/workers.h"
#include "sim/params/window.h"

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

enum { PERIOD = 1024, PARANOID_PERIOD = 16 }; /* cycles between checks, powers of two */

/* A check looks at all that is in transmission, for which links of so many cycles have room: it
 * comes the less often, so that checks take no more than some times what the cycles take. */
static uint64_t pipe_run_check_period(const pipe *p)
{
    uint64_t period = p->paranoid ? PARANOID_PERIOD : PERIOD;
    while (period < PERIOD && 64 * period <= p->wheel_mask)
        period *= 2;
    return period;
}

static uint64_t pipe_run_next_multiple(uint64_t cycle, uint64_t period)
{
    return (cycle / period + 1) * period;
}

/* Cycle at which batches are examined next, UINT64_MAX = never. */
static uint64_t pipe_run_due_batches(const pipe *p)
{
    uint64_t due = p->stationary ? stationary_due_ps(p->stationary) : UINT64_MAX;
    return due == UINT64_MAX ? due : due / p->clock_ps;
}

/* First cycle that is not worked on in the step that begins now: others may act on it then, a check
 * or a sample is due, or the run is over. */
static uint64_t pipe_run_step_end(const pipe_partition *q)
{
    const pipe *p = q->p;
    uint64_t end = q->cycle + p->step_cycles,
             check = pipe_run_next_multiple(q->cycle, pipe_run_check_period(p));
    uint64_t sample = p->congest ? pipe_run_next_multiple(q->cycle, p->series) : p->end;
    uint64_t batches = pipe_run_due_batches(p);
    end = check < end ? check : end;
    end = batches < end ? batches : end;
    end = sample < end ? sample : end;
    return p->end < end ? p->end : end;
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
    for (unsigned id = 0; id < p->num_partitions; id++) {
        stationary_add(p->stationary, &p->partitions[id].batches);
        hops += p->partitions[id].n.hops;
    }
    stationary_look(p->stationary, hops);
    sim_times times = sim_window_known(p->stationary);
    p->warmup = times.warmup_ps / p->clock_ps;
    p->end = times.end_ps / p->clock_ps;
    if (p->series)
        p->num_series = (size_t)((p->end + p->series - 1) / p->series);
    if (p->congest)
        congest_measure_from(p->congest, times.warmup_ps);
}

/* The same. */
static void pipe_run_look_at_network(pipe_partition *q, bool sample, bool check, bool search)
{
    pipe *p = q->p;
    if (pipe_run_any_failed(p))
        return;
    q->failed |= sample && !pipe_congest_sample(p, q->cycle);
    if (check && p->paranoid)
        q->status = pipe_check(p, &q->err);
    if (search && q->status == IK_OK)
        q->status = pipe_find_deadlock(p, &q->err);
    p->over = p->deadlock || q->failed || q->status != IK_OK;
}

/* Where the whole network must rest: returns false when the run ends here. *next_watchdog: cycle of
 * the watchdog's next look. */
static bool pipe_run_rest(pipe_partition *q, uint64_t *next_watchdog)
{
    pipe *p = q->p;
    bool check = q->cycle % pipe_run_check_period(p) == 0 || q->cycle == p->end;
    bool sample = p->congest && q->cycle % p->series == 0;
    bool look = q->cycle % PERIOD == 0 && q->cycle >= *next_watchdog; /* with checks or without */
    bool search = p->watchdog && (look || q->cycle == p->end);
    if (search)
        *next_watchdog = deadlock_next_search(q->cycle, p->watchdog);
    if (check && q->id == 0 && p->env && p->env->progress)
        p->env->progress(p->env->progress_ctx, "simulating", q->cycle, p->end, "cycles");
    bool batches = q->cycle == pipe_run_due_batches(p);
    if (!sample && !search && !batches && !(check && p->paranoid))
        return true;
    if (p->exchange)
        p->exchange->barrier(p->exchange, q->id);
    if (q->id == 0)
        pipe_run_look_at_network(q, sample, check, search);
    if (q->id == 0 && batches)
        pipe_run_look_at_batches(p);
    if (p->exchange)
        p->exchange->barrier(p->exchange, q->id);
    return !p->over;
}

static bool pipe_run_step(pipe_partition *q, uint64_t *next_watchdog)
{
    for (uint64_t end = pipe_run_step_end(q); q->cycle < end; q->cycle++)
        pipe_run_cycle(q);
    return pipe_end_step(q) && pipe_run_rest(q, next_watchdog);
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
    uint64_t next_watchdog = p->watchdog;
    double begun = sim_thread_seconds();
    if ((p->watchdog || p->paranoid || p->congest || pipe_run_due_batches(p) != UINT64_MAX) &&
        p->exchange && !p->exchange->barrier) {
        q->status = ik_fail(&q->err, IK_ERR_UNSUPPORTED,
                            "the watchdog, paranoid checks, samples of congestion and batch means "
                            "need all partitions in one process");
        return;
    }
    pipe_run_each_host(q, pipe_start_host);
    while (q->cycle < p->end && pipe_run_step(q, &next_watchdog))
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
