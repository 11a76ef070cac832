/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop over steps. All partitions agree on the next window that holds anything, work
 * independently on it and on as many more as nothing that others do there can reach, and exchange
 * what crosses partitions (parallel/exchange.h). What needs the whole network at rest
 * (conservation, deadlock, samples of congestion) is done by the first partition while the others
 * wait, at times that depend on the simulated clock alone. */
#include "sim/checkpoint.h"
#include "sim/inspect/inspect.h"
#include "sim/order/reorder.h"
#include "sim/packet/shape.h"
#include "sim/parallel/rest.h"
#include "sim/parallel/workers.h"
#include "sim/run.h"
#include "sim/state/events.h"
#include "sim/workload/finite.h"
#include "sim/workload/replies.h"
#include <stdlib.h>

/* ---- one window */

static void steps_run_window(partition *p)
{
    sim *s = p->sim;
    wheel *w = &p->wheel;
    uint32_t index = (uint32_t)p->window & (w->num_slots - 1);
    slot at = w->slots[index];
    w->slots[index] = (slot){IK_NONE, 0};
    w->busy[index >> 6] &= ~(1ull << (index & 63));
    s->engine.run_window(p, &at);
    sim_wheel_free_chunks(w, at.first);
}

/* First window >= from in which this partition has something to do; UINT64_MAX = none. */
static uint64_t steps_next_window(const partition *p, uint64_t from)
{
    uint64_t next = sim_wheel_next(&p->wheel, p->sim->window.lookahead, from),
             own = p->sim->engine.ops->next(p, from);
    return own < next ? own : next;
}

/* ---- between windows */

static void steps_read_message(partition *p, const sim_message *m, uint64_t since)
{
    for (const sim_unit *at = m->unit, *end = at + m->units; at < end; at++) {
        uint64_t time = since + at->dt;
        if (__builtin_expect(at->low >> 30 == SIM_LATER, 0)) {
            time = since + ((uint64_t)at->data << 32 | at[1].dt);
            at++;
        }
        p->sim->engine.ops->take_message(p, time, at);
        at += at->low >> 30 == EV_ARRIVAL ? sim_arrival_units(p->sim) - 1 : 0;
    }
}

/* since: start of the step in which it was written. */
static void steps_read_messages(partition *p, uint64_t since)
{
    const sim *s = p->sim;
    for (unsigned q = 0; s->parallel.exchange && q < s->parallel.num_partitions; q++) {
        if (q == p->id)
            continue;
        const sim_message_list *list = p->endpoint.in[q];
        for (uint32_t k = 0; k < list->count; k++)
            steps_read_message(p, &list->messages[k], since);
    }
}

/* That begins at or after a time. */
static uint64_t steps_first_window(const sim *s, uint64_t time)
{
    return (time + s->window.lookahead - 1) / s->window.lookahead;
}

static void steps_take_snapshots(partition *p, uint64_t *next, uint64_t time)
{
    sim *s = p->sim;
    for (; *next < s->measure.num_series && (*next + 1) * s->measure.series_ps <= time; ++*next) {
        if (s->engine.ops->count_buffers)
            s->engine.ops->count_buffers(
                p, steps_first_window(s, (*next + 1) * s->measure.series_ps) * s->window.lookahead);
        for (uint32_t sw = 0; sw < s->f->num_switches; sw++) {
            if (s->parallel.node_partition[sw] != p->id)
                continue;
            double space = (double)s->sw.in_bytes * ik_radix(s->f, sw);
            s->counted.series_blocked[*next * s->f->num_switches + sw] =
                (double)s->net.switches[sw].bytes / space;
        }
    }
}

static void steps_report_progress(const sim *s, uint64_t time)
{
    if (s->env && s->env->progress)
        s->env->progress(s->env->progress_ctx, "simulating", time / 1000, s->measure.end_ps / 1000,
                         "ns");
}

static bool steps_must_stop(const partition *p)
{
    const sim *s = p->sim; /* with checkpoints it is written first */
    return p->status != IK_OK || (sim_leads(p) && !s->checkpoint && ik_env_cancelled(s->env));
}

/* ---- the loop */

static uint64_t steps_due_batches(const sim *s)
{
    return s->counted.stationary ? stationary_due_ps(s->counted.stationary) : UINT64_MAX;
}

/* All partitions at rest; the first one. */
static void steps_look_at_batches(sim *s)
{
    uint64_t hops = 0;
    for (unsigned q = 0; q < s->parallel.num_partitions; q++)
        hops += s->parallel.partitions[q].n.hops;
    const partition *first = s->parallel.partitions;
    stationary_times times =
        rest_look_at_batches(s->counted.stationary, &first->batches, sizeof *first,
                             s->parallel.num_partitions, hops, s->counted.congest);
    s->measure.warmup_ps = times.warmup_ps;
    s->measure.end_ps = s->measure.past_ps = times.end_ps;
    s->window.last_ps = steps_first_window(s, times.end_ps) * s->window.lookahead;
}

/* First window in which a partition works, or its end if a workload would go on after it. */
static uint64_t steps_next_of_all(const partition *p, uint64_t from)
{
    uint64_t next = steps_next_window(p, from),
             end = steps_first_window(p->sim, p->sim->measure.past_ps);
    return next == UINT64_MAX && p->sim->workload.finite && p->after_end && from < end ? end : next;
}

/* Ends a step. All partitions come to the same answer. */
static sim_step_report steps_exchange(partition *p, uint64_t from)
{
    const sim *s = p->sim;
    sim_step_report all = {steps_next_of_all(p, from),
                           sim_partition_bytes(p),
                           (uint32_t)(p->n.events - p->events_before),
                           steps_must_stop(p),
                           p->hosts_left > 0,
                           s->checkpoint && p->id == 0 && checkpoint_is_due(s->checkpoint)};
    p->events_before = p->n.events;
    if (p->out_first != UINT64_MAX && p->out_first / s->window.lookahead < all.next)
        all.next = p->out_first / s->window.lookahead;
    sim_endpoint_swap(&p->endpoint, s->parallel.exchange, &all, &p->status, &p->err);
    p->out_first = UINT64_MAX;
    return all;
}

/* Whether all partitions together have outgrown the limit. */
static bool steps_outgrown(partition *p, uint64_t bytes, uint64_t time)
{
    ik_error err = {0};
    ik_status status =
        rest_check_growth(p->sim->env, bytes + p->sim->outcome.state_bytes, time, &err);
    if (status != IK_OK && sim_leads(p) && p->status == IK_OK) {
        p->status = status;
        p->err = err;
    }
    return status != IK_OK;
}

/* Paranoid: at most after every window of a small network, less often in a large one. */
static uint64_t steps_check_period(const sim *s)
{
    return s->window.lookahead * ((uint64_t)s->f->num_ports * s->sw.vcs <= 4096 ? 1 : 64);
}

/* Whether the checks have looked at no more than the run has had events, but for what is free: a
 * check looks at all flows and queues, and a window may hold a single event. At rest. */
static bool steps_affords_check(const sim *s)
{
    uint64_t events = SIM_FREE_CHECKS;
    for (unsigned q = 0; q < s->parallel.num_partitions; q++)
        events += s->parallel.partitions[q].n.events;
    return s->outcome.check_cost <= events;
}

/* Also what is missing, if this is the end of a workload: then all results are here. */
static ik_status look_for_deadlock(partition *p, bool last, uint64_t time)
{
    sim *s = p->sim;
    ik_status status = sim_in_flight(s) ? sim_find_deadlock(s, &p->err) : IK_OK;
    bool missing = s->workload.finite && !s->measure.completion_only &&
                   (last || s->outcome.deadlock) &&
                   (s->outcome.deadlock || sim_finite_end(s) > s->measure.end_ps);
    if (status != IK_OK || !missing || (!last && !sim_tell_results(p)))
        return status;
    return sim_describe_missing(s, time, &p->err);
}

/* When the last packet of a workload was delivered or lost, or its last operation ended; at_most if
 * anything is left that could go on. What events an engine has left then says nothing. All is
 * exposed. */
static uint64_t steps_end_of_workload(const sim *s)
{
    uint64_t end = sim_finite_last(s);
    for (unsigned q = 0; q < s->parallel.num_partitions; q++) {
        const partition *p = &s->parallel.partitions[q];
        if (p->after_end)
            return s->measure.end_ps;
        end = p->moved_ps > end ? p->moved_ps : end;
    }
    return sim_in_flight(s) || end > s->measure.end_ps ? s->measure.end_ps : end;
}

/* What the first partition does at rest. last: a workload ends here; then *time becomes when it was
 * over, and the period that it ended in has its sample, too. */
static ik_status steps_look(partition *p, const rest_due *due, uint64_t *time, bool last)
{
    sim *s = p->sim;
    uint64_t to = *time, period = s->measure.series_ps;
    ik_status status = p->status;
    for (unsigned q = 0; q < s->parallel.num_partitions; q++)
        if (sim_has_partition(s, q))
            s->engine.ops->expose(&s->parallel.partitions[q]);
    if (last && !sim_tell_results(p))
        return status;
    if (last && (*time = steps_end_of_workload(s)) < s->measure.end_ps && s->counted.congest)
        to = (*time + period - 1) / period * period;
    if (status == IK_OK && s->counted.congest)
        status = sim_congest_sample(s, to, &p->err);
    if (status == IK_OK && due->check)
        status = sim_check_conservation(s, &p->err);
    if (status == IK_OK && due->watch)
        status = look_for_deadlock(p, last, *time);
    return status;
}

/* Waits until all rest, and knows what they have counted. False: one has failed. */
static bool steps_meet(partition *p, bool batches)
{
    sim *s = p->sim;
    if (s->parallel.ranks)
        return sim_tell_counts(p) && (!batches || sim_tell_batches(p));
    sim_endpoint_barrier(&p->endpoint, s->parallel.exchange);
    return true;
}

/* The partition that leads has looked: ranks agree on whether that went well. */
static bool steps_part(partition *p)
{
    const ranks_bytes *none;
    if (p->sim->parallel.ranks)
        return sim_meet(p->sim, (ranks_bytes){0}, &none);
    sim_endpoint_barrier(&p->endpoint, p->sim->parallel.exchange);
    return true;
}

/* Where the whole network must rest: returns false when the run ends here. */
static bool steps_rest(partition *p, rest_times *t, uint64_t time, bool over)
{
    sim *s = p->sim;
    rest_due due;
    bool last = over && s->workload.finite;
    if (!rest_is_due(t, time, over, &due) && !last)
        return true;
    if (!steps_meet(p, due.batches))
        return false;
    /* nobody works now: all come to the same answer */
    due.watch = last || (due.watch && sim_in_flight(s));
    due.check = sim_leads(p) && due.check &&
                (over || steps_affords_check(s)); /* the checks write what it reads */
    if (sim_leads(p) && (due.check || due.watch || due.sample))
        p->status = steps_look(p, &due, &time, last);
    if (sim_leads(p) && due.batches)
        steps_look_at_batches(s);
    rest_pass_samples(t, time);
    if (sim_leads(p)) {
        s->outcome.stopped_ps = time;
        s->outcome.failed |= p->status != IK_OK;
    }
    if (!steps_part(p))
        return false;
    t->next_batches = steps_due_batches(s);
    return !s->outcome.deadlock && !s->outcome.failed;
}

/* First window that is not worked on in a step that begins with `window`: others may act on it
 * then, a check is due, or the run is over. */
static uint64_t steps_step_end(const sim *s, const rest_times *t, uint64_t window)
{
    uint64_t until = rest_next(t), end = window + s->parallel.step_windows;
    uint64_t last = steps_first_window(s, until < s->measure.past_ps ? until : s->measure.past_ps);
    return end < last ? end : last;
}

/* A partition that lacks memory has lost events: it ends with that window. */
static void steps_run_windows(partition *p, uint64_t *next_series, uint64_t end)
{
    sim *s = p->sim;
    uint64_t next = p->window;
    for (; p->status == IK_OK && (next = steps_next_window(p, next)) < end; next++) {
        p->window = next;
        p->start = next * s->window.lookahead;
        steps_take_snapshots(p, next_series, p->start);
        if (!sim_wheel_revolve(&p->wheel, s->window.lookahead, next))
            sim_partition_fail(p, 64 * sizeof(event), "events");
        steps_run_window(p);
    }
}

static void report_progress_at_times(partition *p, uint64_t time)
{
    if (p->id != 0 || p->window - p->last_progress < 64)
        return;
    p->last_progress = p->window;
    steps_report_progress(p->sim, time);
}

/* First window of a step: the next one in which anything happens, but none is skipped in which
 * the watchdog, a sample or a look at batches is due: what they find, and when, must not depend on
 * which windows the partitions, or the engine, happen to have events in. A workload is over, or
 * stuck, when nothing happens any more; packets that are left then are found by the watchdog in its
 * time. */
static uint64_t steps_next_step(const sim *s, const rest_times *t, uint64_t next)
{
    uint64_t look = rest_next_look(t);
    if (s->workload.finite && next == UINT64_MAX && !(s->measure.watchdog_ps && sim_in_flight(s)))
        return next;
    return look != UINT64_MAX && steps_first_window(s, look) < next ? steps_first_window(s, look)
                                                                    : next;
}

/* Before anybody asks what is in flight, or whether all is done. False: a partition has failed. */
static bool steps_know(partition *p, const sim_step_report *all, uint64_t past_ps)
{
    const sim *s = p->sim;
    bool asks = all->next == UINT64_MAX || all->next * s->window.lookahead >= past_ps;
    if (!s->workload.finite || all->stop)
        return true;
    if (!all->busy && sim_finite_seeks_end(s) && !sim_tell_results(p))
        return false;
    return !asks || !s->parallel.ranks || sim_tell_counts(p);
}

/* Agrees on the first window of a step, and reads the messages. Returns false when the run is over;
 * from: first window not worked on yet. */
static bool steps_begin_step(partition *p, steps_loop *loop, uint64_t from, bool *save)
{
    sim *s = p->sim;
    uint64_t since = p->step_start;
    sim_step_report all = steps_exchange(p, from);
    if (!steps_know(p, &all, s->measure.past_ps))
        return false;
    uint64_t window = steps_next_step(s, &loop->times, all.next);
    bool over = window == UINT64_MAX || window * s->window.lookahead >= s->measure.past_ps;
    uint64_t time = over ? s->measure.end_ps : window * s->window.lookahead;
    if (!over || !s->workload.finite || sim_in_flight(s)) /* else all buffers have been empty */
        steps_take_snapshots(p, &loop->next_series, time);
    if (!all.busy && sim_finite_stops(s))
        return false;
    if (all.stop || steps_outgrown(p, all.bytes, time))
        return false;
    p->window = window == UINT64_MAX ? from : window;
    p->start = p->step_start = p->window * s->window.lookahead;
    if (!sim_wheel_revolve(&p->wheel, s->window.lookahead, p->window))
        sim_partition_fail(p, 64 * sizeof(event), "events");
    steps_read_messages(p, since);
    bool rested = steps_rest(p, &loop->times, time, over);
    loop->ended = rested ? over : s->outcome.deadlock && !s->outcome.failed;
    *save = all.save;
    return rested && !over;
}

/* Returns the first window that was not worked on. */
static uint64_t steps_work(partition *p, steps_loop *loop)
{
    sim *s = p->sim;
    uint64_t end = steps_step_end(s, &loop->times, p->window), time = p->start;
    p->may_end = s->window.last_ps;
    if (s->measure.watchdog_ps &&
        steps_first_window(s, loop->times.next_watch) * s->window.lookahead < s->window.last_ps)
        p->may_end = steps_first_window(s, loop->times.next_watch) * s->window.lookahead;
    steps_run_windows(p, &loop->next_series, end);
    report_progress_at_times(p, time);
    return end;
}

/* All partitions come here in the same step, before they work on it, or at the end. Returns false
 * when the run ends with that. */
static bool steps_save(partition *p, steps_loop *loop)
{
    sim *s = p->sim;
    sim_endpoint_barrier(&p->endpoint, s->parallel.exchange);
    if (p->id == 0) {
        p->status = checkpoint_write(s, loop, &p->err);
        s->outcome.failed |= p->status != IK_OK || s->checkpoint->stopped;
    }
    sim_endpoint_barrier(&p->endpoint, s->parallel.exchange);
    return !s->outcome.failed;
}

/* Until the run is over. */
static void steps_run_all(partition *p, steps_loop *loop)
{
    const checkpointing *kept = p->sim->checkpoint;
    uint64_t from = 0;
    bool save = false;
    if (kept && kept->resumed) {
        *loop = kept->loop;
        if (loop->ended)
            return;
        from = steps_work(p, loop);
    } else {
        p->sim->engine.ops->start(p);
    }
    while (steps_begin_step(p, loop, from, &save)) {
        if (save && !steps_save(p, loop))
            return;
        from = steps_work(p, loop);
    }
    if (kept && kept->asked->several && loop->ended)
        steps_save(p, loop);
}

/* What was made and never admitted counts, too. */
static void steps_count_backlogs(partition *p)
{
    const sim *s = p->sim;
    s->engine.ops->settle(p);
    /* nobody wants the counts of a run that only finds an end, and the one of a workload ends
     * without standing still */
    if (sim_finite_seeks_end(s))
        return;
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        if (s->parallel.node_partition[ik_host_node(s->f, host)] == p->id) {
            sim_count_backlog(p, host);
            sim_replies_count_unmade(p, host);
        }
    sim_reorder_finish(p);
    sim_replies_finish(p);
}

void sim_run_partition(partition *p)
{
    const sim *s = p->sim;
    const congest_setup samples = sim_congest_setup(s);
    /* Paranoid checks come with what happens, the watchdog at its times whatever happens: a
     * deadlock is found at the same time with any number of partitions, by any engine, with checks
     * and without. */
    steps_loop loop = {.times = {.next_check = s->measure.paranoid ? 0 : UINT64_MAX,
                                 .check_period = steps_check_period(s),
                                 .watch_period = s->measure.watchdog_ps,
                                 .watch_unit = 1,
                                 .next_batches = steps_due_batches(s),
                                 .num_samples = samples.num_samples,
                                 .sample_period = samples.period_ps}};
    double begin = sim_thread_seconds();
    loop.times.next_watch = rest_next_watch(&loop.times, 0);
    steps_run_all(p, &loop);
    if (!checkpoint_is_cancelled(s)) /* else they take the time of all that was still to be made */
        steps_count_backlogs(p);
    p->cpu_seconds = sim_thread_seconds() - begin;
}
