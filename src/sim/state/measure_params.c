/* SPDX-License-Identifier: Apache-2.0
 *
 * Section `measure`: what it declares, and what it says to a run. */
#include "sim/measure/stationary.h"
#include "sim/state/state.h"

const ik_param ik_measure_params[] = {
    {"warmup", IK_PARAM_TIME, "50 us", 0, 1e15, "auto",
     "time before anything is measured; auto: found from the latency and throughput of a separate "
     "run (MSER)",
     "until=duration", "a finite workload is counted from its start"},
    {"duration", IK_PARAM_TIME, "100 us", 1, 1e15, NULL,
     "measured time; with warmup: auto, also the longest possible warm-up",
     "until=duration and not stop_ci",
     "a finite workload has at_most, and stop says itself when a run ends"},
    {"until", IK_PARAM_ENUM, "duration", 0, 0, "duration|delivered",
     "when the run ends: after `duration`, with endless traffic; or at the last delivery, with a "
     "finite workload"},
    {"at_most", IK_PARAM_TIME, "", 1, 1e15, NULL,
     "time at which a finite workload is stopped; what is not delivered by then counts as missing",
     "until=delivered",
     "endless traffic has warmup and duration, or stop: {ci: 2 %, at_most: 2 ms}"},
    {"stop_ci", IK_PARAM_FRACTION, "", 1e-4, 0.5, NULL,
     "the run ends when the half-width of a result's 95 % confidence interval (batch means) is at "
     "most this fraction of the result; in a file, stop: {ci: 2 %, of: latency_mean_ns, at_most: 2 "
     "ms}",
     "until=duration", "a finite workload is measured until it is delivered"},
    {"stop_of", IK_PARAM_ENUM, "latency_mean_ns", 0, 0,
     "latency_mean_ns|throughput|network_latency_mean_ns|arrival_latency_mean_ns|"
     "round_trip_mean_ns|request_latency_mean_ns|reply_latency_mean_ns",
     "the result whose confidence interval is tested; it must be a mean over time or packets",
     "stop_ci", "give stop a ci"},
    {"stop_at_most", IK_PARAM_TIME, "", 1, 1e15, NULL,
     "simulated time at which the run ends even if the interval is still larger, as it may always "
     "be beyond saturation; required with stop_ci",
     "stop_ci", "give stop a ci"},
    {"series", IK_PARAM_TIME, "", 1, 1e15, NULL, "period of the time series (default: none)"},
    {"congestion", IK_PARAM_BOOL, "true", 0, 0, NULL,
     "sample congestion (trees, head-of-line blocking, victims) at the end of each period of the "
     "series; times are numbers of samples multiplied by the period",
     "series", "give series, the period of the samples"},
    {"paranoid", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "check during the run that packets, bytes and credits are conserved"},
    {"watchdog", IK_PARAM_TIME, "20 us", 0, 1e15, NULL,
     "interval at which the run looks for a deadlock while packets are in the network, but at "
     "least an eighth of the simulated time; 0 ns = never"},
    {NULL, IK_PARAM_UINT, NULL, 0, 0, NULL, NULL},
};

bool sim_finds_window(const ik_params *v)
{
    return v && ik_params_enum(v, "until") == 0 &&
           (ik_params_word(v, "warmup") || ik_params_has(v, "stop_ci"));
}

sim_times sim_times_of(const ik_params *v)
{
    uint64_t warmup = ik_params_uint(v, "warmup"), duration = ik_params_uint(v, "duration");
    if (ik_params_has(v, "stop_ci") && ik_params_has(v, "stop_at_most"))
        return (sim_times){warmup, ik_params_uint(v, "stop_at_most")};
    return ik_params_word(v, "warmup") ? (sim_times){0, 2 * duration}
                                       : (sim_times){warmup, warmup + duration};
}

ik_status sim_resolve_measure(sim *s, const ik_params *v, uint64_t at_most_ps, ik_error *err)
{
    bool until_delivered = ik_params_enum(v, "until") == 1;
    ik_status status = s->traffic ? sim_check_until(s->traffic, v, err) : IK_OK;
    if (status != IK_OK)
        return status;
    sim_times times = sim_times_of(v);
    s->measure.warmup_ps = until_delivered ? 0 : times.warmup_ps;
    s->measure.end_ps =
        until_delivered ? (at_most_ps ? at_most_ps : ik_params_uint(v, "at_most")) : times.end_ps;
    s->measure.past_ps = s->measure.end_ps + until_delivered;
    if (s->traffic && s->traffic->schedule)
        status = sim_schedule_check(s->traffic->schedule, s->measure.end_ps, err);
    if (status != IK_OK)
        return status;
    s->measure.series_ps = ik_params_has(v, "series") ? ik_params_uint(v, "series") : 0;
    s->measure.congestion = ik_params_bool(v, "congestion");
    s->measure.paranoid = ik_params_bool(v, "paranoid");
    s->measure.watchdog_ps = ik_params_uint(v, "watchdog");
    if (s->measure.series_ps)
        s->measure.num_series =
            (s->measure.past_ps + s->measure.series_ps - 1) / s->measure.series_ps;
    if (s->measure.num_series > 10000000)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                "series = %llu ps makes %zu periods; at most 10000000",
                                (unsigned long long)s->measure.series_ps, s->measure.num_series),
                        "measure.series");
    s->measure.per_period = s->measure.num_series || s->counted.stationary;
    return IK_OK;
}
