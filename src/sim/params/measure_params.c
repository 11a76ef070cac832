/* SPDX-License-Identifier: Apache-2.0
 *
 * Section `measure`: what it declares, and what it says to a run. */
#include "sim/params/parameters.h"
#include "sim/params/window.h"
#include "sim/state/state.h"

#include <math.h>

#define ENDS_AFTER_IT                                                                              \
    "a run with a duration ends after it; to have one in place of a file's stop, give the "        \
    "section as a whole: --set 'measure={warmup: 1 ms, duration: 4 ms}'"

const ik_param ik_measure_params[] = {
    {"warmup", IK_PARAM_TIME, "auto", 0, 1e15, "auto",
     "time before anything is measured; auto: until throughput and latency have settled (MSER)",
     "until=duration", "a finite workload is counted from its start"},
    {"duration", IK_PARAM_TIME, "", 1, 1e15, NULL,
     "measured time; with warmup: auto, also the longest possible warm-up; without it, a run ends "
     "as stop says",
     "until=duration and not stop_ci",
     "a finite workload has at_most, and stop says itself when a run ends; to have a duration in "
     "place of a file's stop, give the section as a whole: --set 'measure={warmup: 1 ms, duration: "
     "4 ms}'"},
    {"until", IK_PARAM_ENUM, "duration", 0, 0, "duration|delivered",
     "when the run ends: after `duration`, with endless traffic; or at the last delivery, with a "
     "finite workload"},
    {"at_most", IK_PARAM_TIME, "", 1, 1e15, NULL,
     "time at which a finite workload is stopped; what is not delivered by then counts as missing",
     "until=delivered",
     "endless traffic has warmup and duration, or stop: {ci: 2 %, at_most: 2 ms}"},
    {"stop_ci", IK_PARAM_FRACTION, "", 1e-4, 0.5, NULL,
     "the run ends when the half-width of a result's 95 % confidence interval (batch means) is at "
     "most this fraction of the result (without duration: 2 %); in a file, stop: {ci: 1 %, of: "
     "latency_mean_ns, at_most: 2 ms}",
     "until=duration", "a finite workload is measured until it is delivered"},
    {"stop_of", IK_PARAM_ENUM, "throughput_and_latency", 0, 0,
     "throughput_and_latency|latency_mean_ns|throughput|network_latency_mean_ns|"
     "arrival_latency_mean_ns|round_trip_mean_ns|request_latency_mean_ns|reply_latency_mean_ns|"
     "acceptance",
     "the result whose confidence interval is tested; it must be a mean over time or packets. "
     "throughput_and_latency: both, or beyond saturation, where latency grows, throughput alone. "
     "acceptance: the run ends when it is known whether the load is accepted, but for the share "
     "stop_ci of it at most",
     "until=duration and not duration", ENDS_AFTER_IT},
    {"stop_at_most", IK_PARAM_TIME, "", 1, 1e15, NULL,
     "simulated time at which the run ends even if the interval is still larger",
     "until=duration and not duration", ENDS_AFTER_IT},
    {"stop_hops", IK_PARAM_UINT, "100000000", 1, 1e15, NULL,
     "packet-hops after which the run ends even if the interval is still larger; half of them are "
     "spent on the warm-up at most. However few they are, a run has 32 batches of warm-up (where "
     "that is to be found) and 80 of measured time, which the tests take (docs/measures.md). A "
     "processor simulates some millions per second",
     "until=duration and not duration", ENDS_AFTER_IT},
    {"series", IK_PARAM_TIME, "", 1, 1e15, NULL, "period of the time series (default: none)"},
    {"congestion", IK_PARAM_BOOL, "true", 0, 0, NULL,
     "sample congestion (trees, head-of-line blocking, victims) at the end of each period of the "
     "series; times are numbers of samples multiplied by the period",
     "series", "give series, the period of the samples"},
    {"paranoid", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "check during the run that packets, bytes and credits are conserved, and that each step of a "
     "packet is an edge of the proved dependency graph"},
    {"watchdog", IK_PARAM_TIME, "20 us", 0, 1e15, NULL,
     "interval at which the run looks for a deadlock while packets are in the network, but at "
     "least an eighth of the simulated time; 0 ns = never"},
    {NULL, IK_PARAM_UINT, NULL, 0, 0, NULL, NULL},
};

double sim_interval_asked(const ik_params *v)
{
    return ik_params_has(v, "stop_ci") ? ik_params_real(v, "stop_ci") : 0.02;
}

/* Endless traffic. */
static ik_status measure_params_resolve_times(sim *s, const sim_sections *sec,
                                              const ik_sim_config *config, ik_error *err)
{
    const ik_params *v = sec->measure;
    if (s->traffic && s->traffic->schedule) {
        s->measure.warmup_ps = ik_params_uint(v, "warmup");
        s->measure.end_ps = s->measure.warmup_ps + ik_params_uint(v, "duration");
        return sim_schedule_check(s->traffic->schedule, s->measure.end_ps, err);
    }
    const sim_window_request request = {s->f,         sec->sw, sec->adapter,    v,
                                        config->load, 1,       s->source.sizes, s->traffic};
    ik_status status = sim_window_resolve(&request, &s->measure.window, err);
    if (status != IK_OK)
        return status;
    stationary_times times = stationary_longest(&s->measure.window);
    s->measure.judged = sim_window_judged(s->traffic, v);
    s->measure.warmup_ps = times.warmup_ps;
    s->measure.end_ps = times.end_ps;
    s->measure.bound = config->bound;
    return IK_OK;
}

ik_status sim_resolve_measure(sim *s, const sim_sections *sec, const ik_sim_config *config,
                              ik_error *err)
{
    const ik_params *v = sec->measure;
    bool until_delivered = ik_params_enum(v, "until") == 1;
    ik_status status = s->traffic ? sim_check_until(s->traffic, v, err) : IK_OK;
    if (status == IK_OK && until_delivered)
        s->measure.end_ps = config->at_most_ps ? config->at_most_ps : ik_params_uint(v, "at_most");
    else if (status == IK_OK)
        status = measure_params_resolve_times(s, sec, config, err);
    if (status != IK_OK)
        return status;
    s->measure.past_ps = s->measure.end_ps + until_delivered;
    s->measure.series_ps = ik_params_has(v, "series") ? ik_params_uint(v, "series") : 0;
    s->measure.congestion = ik_params_bool(v, "congestion");
    s->measure.paranoid = ik_params_bool(v, "paranoid");
    s->measure.watchdog_ps = ik_params_uint(v, "watchdog");
    if (s->measure.series_ps)
        s->measure.num_series =
            (s->measure.past_ps + s->measure.series_ps - 1) / s->measure.series_ps;
    if (s->measure.num_series <= 10000000)
        return IK_OK;
    return ik_about(err,
                    ik_fail(err, IK_ERR_USAGE,
                            "series = %llu ps makes %zu periods; at most 10000000",
                            (unsigned long long)s->measure.series_ps, s->measure.num_series),
                    "measure.series");
}

double sim_likely_ps(const sim *s, const ik_sim_config *config)
{
    const stationary_setup *w = &s->measure.window;
    if (config->measure_params && ik_params_enum(config->measure_params, "until") == 1)
        return NAN;
    return (double)(w->most ? stationary_likely_ps(w) : s->measure.end_ps);
}
