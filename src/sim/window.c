/* SPDX-License-Identifier: Apache-2.0
 *
 * When a run is measured, found by a run of its own. That one has no other task, so it counts
 * batches alone; the run that is measured is then like any with a fixed warm-up and duration, which
 * gives the same results when these are written into the experiment. The two are the same until the
 * end: what happens depends on the plan, the traffic and the seed, and on nothing that is measured.
 *
 * Batches have the length of a few packets of the slowest adapter and the longest link, rounded up
 * to 1, 2 or 5 times a power of ten: short against the memory of the queues, which the look at them
 * finds out about, and long enough that there are no more of them than are needed. */
#include "sim/window.h"
#include "sim/flit/flit.h"
#include "sim/parallel/workers.h"
#include "sim/run.h"

#include <math.h>
#include <stdio.h>

enum { MOST_BATCHES = 1 << 14 };

/* ---- what is refused */

static ik_status refuse_of(const ik_params *measure, const char *why, ik_error *err)
{
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE, "measure.stop: no %s without %s",
                     ik_params_text(measure, "stop_of"), why),
             "measure.stop_of measure.stop_ci");
    return ik_hint(err, IK_ERR_USAGE, "of: latency_mean_ns");
}

/* Results that there are only with a setting of the adapter. */
static ik_status check_of(const ik_params *measure, const ik_params *adapter, ik_error *err)
{
    stationary_of of = (stationary_of)ik_params_enum(measure, "stop_of");
    if (of == STATIONARY_ARRIVAL && !ik_params_bool(adapter, "in_order"))
        return refuse_of(measure, "adapter.in_order", err);
    if (of >= STATIONARY_ROUND_TRIP && !ik_params_has(adapter, "reply"))
        return refuse_of(measure, "adapter.reply", err);
    return IK_OK;
}

ik_status sim_check_window(const ik_traffic *traffic, const ik_params *measure, ik_error *err)
{
    if (!sim_finds_window(measure))
        return IK_OK;
    bool stops = ik_params_has(measure, "stop_ci");
    if (traffic->schedule) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "measure.%s: traffic of a schedule has no steady state to wait for",
                         stops ? "stop" : "warmup = auto"),
                 stops ? "measure.stop_ci" : "measure.warmup");
        return ik_hint(err, IK_ERR_USAGE, "measure: {warmup: 0 ns, duration: …}");
    }
    if (stops && !ik_params_has(measure, "stop_at_most")) {
        ik_about(err, ik_fail(err, IK_ERR_USAGE, "measure.stop needs at_most"), "measure.stop_ci");
        return ik_hint(err, IK_ERR_USAGE,
                       "beyond saturation no interval becomes small: stop: {ci: 2 %%, at_most: 2 "
                       "ms}");
    }
    return IK_OK;
}

/* ---- batches */

/* Time that the slowest adapter needs for a packet, and the longest latency of a link. */
static uint64_t slowest_ps(const ik_fabric *f, const ik_params *adapter)
{
    uint64_t bytes = ik_params_uint(adapter, "packet"), transmission = 0, latency = 0;
    double share = ik_params_real(adapter, "injection_fraction"),
           most = ik_params_has(adapter, "injection_rate")
                      ? (double)ik_params_uint(adapter, "injection_rate")
                      : INFINITY;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE)
            continue;
        uint64_t of_link = ik_port_latency_ps(f, port);
        latency = of_link > latency ? of_link : latency;
        if (ik_is_switch(f, f->port_node[port]))
            continue;
        double rate = fmin((double)ik_port_rate_bps(f, port) * share, most);
        uint64_t takes = (uint64_t)fmin(ceil((double)bytes * 8e12 / rate), 1e15);
        transmission = takes > transmission ? takes : transmission;
    }
    return transmission + latency;
}

/* 1, 2, 5, 10, 20 … */
static uint64_t round_up(uint64_t ps)
{
    uint64_t power = 1;
    while (power * 10 < ps)
        power *= 10;
    return ps <= power       ? power
           : ps <= 2 * power ? 2 * power
           : ps <= 5 * power ? 5 * power
                             : 10 * power;
}

static uint64_t batch_ps(const ik_fabric *f, const ik_params *adapter, uint64_t end_ps)
{
    enum { PACKETS = 4 };
    uint64_t period = round_up(PACKETS * slowest_ps(f, adapter));
    while (end_ps / period > MOST_BATCHES)
        period = round_up(period + 1);
    return period;
}

/* "at_most: 22400 ms", as it can be written into a file. */
static ik_status hint_time(const char *name, double us, ik_error *err)
{
    const double most_us = 1e9; /* of parameters: 1000 s */
    char text[40];
    if (us > most_us)
        return ik_hint(err, IK_ERR_USAGE,
                       "a packet of the slowest adapter or link takes so long that no time "
                       "suffices: look at injection_rate and the fabric's rates");
    ik_format_quantity(text, sizeof text, (uint64_t)ceil(us) * 1000000, IK_DIM_TIME);
    return ik_hint(err, IK_ERR_USAGE, "%s: %s", name, text);
}

/* The end is long enough for a look. */
static ik_status check_end(const stationary_setup *setup, const sim_times *times, ik_error *err)
{
    size_t least = setup->detects ? STATIONARY_LEAST : setup->first;
    bool stops = setup->ci > 0;
    least += stops ? STATIONARY_FINE : 0;
    if (setup->most >= least)
        return IK_OK;
    double need = (double)least * (double)setup->period_ps / 1e6;
    if (!stops) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "measure.warmup = auto looks at %.6g us at least, twice the duration is "
                         "%.6g us: %zu batches of %.6g us",
                         need, (double)times->end_ps / 1e6, least, (double)setup->period_ps / 1e6),
                 "measure.duration measure.warmup");
        return hint_time("duration", need / 2, err);
    }
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     "measure.stop: at_most (%.6g us) is shorter than the least that an interval "
                     "takes, %.6g us: warm-up and %d batches of %.6g us",
                     (double)times->end_ps / 1e6, need, STATIONARY_FINE,
                     (double)setup->period_ps / 1e6),
             "measure.stop_at_most");
    return hint_time("at_most", 10 * need, err);
}

static ik_status setup_of(const ik_fabric *f, const ik_params *adapter, const ik_params *v,
                          stationary_setup *setup, ik_error *err)
{
    sim_times times = sim_times_of(v);
    bool stops = ik_params_has(v, "stop_ci");
    uint64_t period = batch_ps(f, adapter, times.end_ps);
    *setup = (stationary_setup){.period_ps = period,
                                .most = (size_t)(times.end_ps / period),
                                .detects = ik_params_word(v, "warmup"),
                                .first = (size_t)((times.warmup_ps + period - 1) / period),
                                .of = stops ? (stationary_of)ik_params_enum(v, "stop_of")
                                            : STATIONARY_LATENCY,
                                .ci = stops ? ik_params_real(v, "stop_ci") : 0};
    ik_status status = stops ? check_of(v, adapter, err) : IK_OK;
    return status == IK_OK ? check_end(setup, &times, err) : status;
}

ik_status ik_sim_check_window(const ik_fabric *f, const ik_params *adapter,
                              const ik_params *measure, ik_error *err)
{
    stationary_setup setup;
    return sim_finds_window(measure) ? setup_of(f, adapter, measure, &setup, err) : IK_OK;
}

/* ---- the section `measure` with times */

static ik_status set_time(ik_params *p, const char *name, uint64_t ps, ik_error *err)
{
    char text[40];
    snprintf(text, sizeof text, "%llu ps", (unsigned long long)ps);
    return ik_params_set(p, "section 'measure'", name, text, 0, 0, err);
}

/* What was given, with this window. */
static ik_status copy_with(const ik_params *given, uint64_t warmup_ps, uint64_t end_ps,
                           ik_params *out, ik_error *err)
{
    static const char *const kept[] = {"series", "congestion", "paranoid", "watchdog"};
    ik_status status = ik_params_init(out, ik_measure_params, NULL, err);
    if (status != IK_OK)
        return status;
    for (size_t k = 0; k < sizeof kept / sizeof *kept && status == IK_OK; k++)
        if (ik_params_given(given, kept[k]))
            status = ik_params_set(out, "section 'measure'", kept[k],
                                   ik_params_text(given, kept[k]), 0, 0, err);
    if (status == IK_OK)
        status = set_time(out, "warmup", warmup_ps, err);
    if (status == IK_OK)
        status = set_time(out, "duration", end_ps - warmup_ps, err);
    if (status != IK_OK)
        ik_params_free(out);
    return status;
}

/* For the run that looks: all of the time, and nothing beside. */
static ik_status copy_to_look(const ik_params *given, uint64_t end_ps, ik_params *out,
                              ik_error *err)
{
    ik_status status = ik_params_init(out, ik_measure_params, NULL, err);
    if (status != IK_OK)
        return status;
    status = ik_params_set(out, "section 'measure'", "watchdog", ik_params_text(given, "watchdog"),
                           0, 0, err);
    if (status == IK_OK)
        status = set_time(out, "warmup", 0, err);
    if (status == IK_OK)
        status = set_time(out, "duration", end_ps, err);
    if (status != IK_OK)
        ik_params_free(out);
    return status;
}

/* ---- the run that looks */

static void run_partition(void *p)
{
    sim_run_partition(p);
}

static ik_status run_events(const ik_plan *plan, const ik_traffic *traffic,
                            const ik_sim_config *config, const ik_env *env, stationary *watched,
                            ik_error *err)
{
    sim s;
    ik_status status = sim_setup_stopping(&s, plan, traffic, config, env, NULL, watched, err);
    if (status == IK_OK)
        status = sim_workers_run(s.parallel.num_partitions, s.parallel.partitions,
                                 sizeof *s.parallel.partitions, run_partition,
                                 &s.outcome.run_seconds, err);
    if (status == IK_OK)
        status = sim_first_failure(&s, err);
    sim_free(&s);
    return status;
}

/* From what was seen to a window. A run that a deadlock ended has no other end than that. */
static void conclude(const stationary *s, const ik_params *measure, ik_sim_steady *found,
                     uint64_t *end_ps)
{
    sim_times times = sim_times_of(measure);
    uint64_t seen = s->num * s->setup.period_ps;
    bool stops = s->setup.ci > 0;
    *found = (ik_sim_steady){.looked = true,
                             .detects = s->setup.detects,
                             .stops = stops,
                             .warm = s->warm,
                             .closed = s->closed,
                             .mean = s->mean,
                             .half_width = s->half_width,
                             .batch_ps = s->setup.period_ps};
    found->warmup_ps = s->setup.detects ? s->first * s->setup.period_ps : times.warmup_ps;
    if (stops)
        *end_ps = s->closed ? seen : times.end_ps;
    else
        *end_ps = found->warmup_ps + ik_params_uint(measure, "duration");
}

static ik_status look(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config,
                      const ik_env *env, stationary *watched, ik_error *err)
{
    ik_sim_config looking = *config;
    ik_params all;
    ik_status status = copy_to_look(config->measure_params,
                                    watched->setup.most * watched->setup.period_ps, &all, err);
    if (status != IK_OK)
        return status;
    looking.measure_params = &all;
    looking.watch_params = NULL;
    status = sim_is_pipelined(config)
                 ? sim_stop_pipelined(plan, traffic, &looking, env, watched, err)
                 : run_events(plan, traffic, &looking, env, watched, err);
    ik_params_free(&all);
    return status;
}

ik_status sim_find_window(const ik_plan *plan, const ik_traffic *traffic,
                          const ik_sim_config *config, const ik_env *env, ik_sim_steady *found,
                          ik_params *fixed, ik_error *err)
{
    sim_sections sec;
    stationary_setup setup;
    stationary *watched = NULL;
    ik_sim_steady seen;
    uint64_t end_ps = 0;
    ik_status status = sim_open_sections(&sec, config, err);
    if (status != IK_OK)
        return status;
    status = setup_of(plan->fabric, sec.adapter, sec.measure, &setup, err);
    sim_close_sections(&sec);
    if (status == IK_OK)
        status = stationary_new(&setup, &watched, err);
    if (status == IK_OK)
        status = look(plan, traffic, config, env, watched, err);
    if (status == IK_OK) {
        conclude(watched, config->measure_params, &seen, &end_ps);
        status = copy_with(config->measure_params, seen.warmup_ps, end_ps, fixed, err);
    }
    if (status == IK_OK)
        *found = seen;
    stationary_free(watched);
    return status;
}
