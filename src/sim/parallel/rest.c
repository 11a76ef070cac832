/* SPDX-License-Identifier: Apache-2.0
 *
 * When all partitions rest: parallel/rest.h. */
#include "sim/parallel/rest.h"
#include "sim/measure/congest.h"
#include "sim/measure/deadlock.h"

uint64_t rest_next_watch(const rest_times *t, uint64_t time)
{
    if (!t->watch_period)
        return UINT64_MAX;
    uint64_t next = time ? deadlock_next_search(time, t->watch_period) : t->watch_period;
    return (next + t->watch_unit - 1) / t->watch_unit * t->watch_unit;
}

ik_status rest_check(const rest_times *t, const sim_exchange *x, bool ends, ik_error *err)
{
    bool rests = ends || t->num_samples || rest_next(t) != UINT64_MAX;
    if (!rests || sim_exchange_is_shared(x))
        return IK_OK;
    return ik_fail(
        err, IK_ERR_UNSUPPORTED,
        "the watchdog, paranoid checks, samples of congestion, workloads and batch means "
        "need all partitions in one process");
}

static uint64_t rest_next_sample(const rest_times *t)
{
    return t->next_sample < t->num_samples ? (t->next_sample + 1) * t->sample_period : UINT64_MAX;
}

uint64_t rest_next_look(const rest_times *t)
{
    uint64_t next = rest_next_sample(t);
    next = t->next_watch < next ? t->next_watch : next;
    return t->next_batches < next ? t->next_batches : next;
}

uint64_t rest_next(const rest_times *t)
{
    uint64_t next = rest_next_look(t);
    return t->next_check < next ? t->next_check : next;
}

bool rest_is_due(rest_times *t, uint64_t time, bool over, rest_due *due)
{
    due->check = t->next_check != UINT64_MAX && (time >= t->next_check || over);
    due->watch = t->watch_period && (time >= t->next_watch || over);
    due->sample = time >= rest_next_sample(t);
    due->batches = time >= t->next_batches;
    if (due->check)
        t->next_check = time + t->check_period;
    while (t->next_watch <= time)
        t->next_watch = rest_next_watch(t, t->next_watch);
    return due->check || due->watch || due->sample || due->batches;
}

void rest_pass_samples(rest_times *t, uint64_t time)
{
    while (time >= rest_next_sample(t))
        t->next_sample++;
}

stationary_times rest_look_at_batches(stationary *s, const batch_cursor *first, size_t stride,
                                      unsigned num, uint64_t hops, struct congest *samples)
{
    stationary_add_all(s, first, stride, num);
    stationary_look(s, hops);
    stationary_times times = stationary_known(s);
    if (samples)
        congest_measure_from(samples, times.warmup_ps);
    return times;
}

ik_status rest_check_growth(const ik_env *env, uint64_t bytes, uint64_t time_ps, ik_error *err)
{
    uint64_t limit = env ? env->memory_limit_bytes : 0;
    if (!limit || bytes <= limit)
        return IK_OK;
    ik_fail(err, IK_ERR_MEMORY,
            "the simulation's state has grown to %.1f MB after %.3f us, %.1f MB are allowed",
            (double)bytes / 1e6, (double)time_ps / 1e6, (double)limit / 1e6);
    return ik_hint(err, IK_ERR_MEMORY,
                   "packets and events in flight need memory: less load, smaller buffers, or a "
                   "higher limit");
}
