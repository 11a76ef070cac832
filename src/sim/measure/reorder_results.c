/* SPDX-License-Identifier: Apache-2.0
 *
 * What in-order delivery cost: from the sums of all partitions to the result. Areas are exact
 * integers, so nothing depends on how hosts were shared. */
#include "sim/measure/reorder_results.h"
#include "sim/measure/results.h"
#include <stdlib.h>

void sim_reorder_merge(reorder_stats *sum, reorder_period *series, const reorder_stats *more,
                       const reorder_period *more_series, size_t num_series)
{
    sum->stored += more->stored;
    sum->throttled += more->throttled;
    sum->arrivals += more->arrivals;
    sum->arrival_sum += more->arrival_sum;
    sum->out_of_order += more->out_of_order;
    if (more->most_stored > sum->most_stored)
        sum->most_stored = more->most_stored;
    if (more->most_throttled > sum->most_throttled)
        sum->most_throttled = more->most_throttled;
    for (size_t k = 0; series && more_series && k < num_series; k++) {
        series[k].stored += more_series[k].stored;
        series[k].throttled += more_series[k].throttled;
        series[k].out_of_order += more_series[k].out_of_order;
    }
}

/* Adapters that are connected; of them those that want to send. */
static void reorder_results_count_adapters(const run_results *r, double *connected, double *sending)
{
    *connected = *sending = 0;
    for (uint32_t host = 0; host < r->f->num_hosts; host++) {
        const adapter_results a = r->adapter(r->engine, host);
        *connected += a.bps > 0;
        *sending += a.bps > 0 && !a.silent;
    }
}

static double reorder_results_mean_of(sim_area area, double ps, double adapters)
{
    return ps > 0 && adapters > 0 ? (double)area / ps / adapters : 0;
}

static ik_status reorder_results_export_series(const run_results *r, double connected,
                                               double sending, ik_sim_reorder *out, ik_error *err)
{
    const reorder_period *series = r->partitions[0].reorder_series;
    if (!r->num_series)
        return IK_OK;
    out->series_bytes = ik_calloc(r->num_series, sizeof(double));
    out->series_out_of_order = ik_calloc(r->num_series, sizeof(double));
    out->series_throttled = ik_calloc(r->num_series, sizeof(double));
    if (!out->series_bytes || !out->series_out_of_order || !out->series_throttled)
        return ik_fail_memory(err, 3 * r->num_series * sizeof(double), "a time series");
    for (size_t k = 0; series && k < r->num_series; k++) {
        uint64_t begin = k * r->series_ps, end = begin + r->series_ps;
        double ps = (double)((end < r->series_end_ps ? end : r->series_end_ps) - begin);
        out->series_bytes[k] = reorder_results_mean_of(series[k].stored, ps, connected);
        out->series_out_of_order[k] = (double)series[k].out_of_order;
        out->series_throttled[k] = reorder_results_mean_of(series[k].throttled, ps, sending);
    }
    return IK_OK;
}

ik_status sim_reorder_export(const run_results *r, ik_sim_result *out, ik_error *err)
{
    const reorder_stats *n = r->partitions[0].reorder;
    double connected, sending;
    if (!r->in_order)
        return IK_OK;
    reorder_results_count_adapters(r, &connected, &sending);
    out->reorder = (ik_sim_reorder){.in_order = true, .arrival_latency = out->latency.mean};
    if (n) {
        out->reorder.arrival_latency =
            n->arrivals ? (double)n->arrival_sum / (double)n->arrivals : 0;
        out->reorder.out_of_order = n->out_of_order;
        out->reorder.mean_bytes =
            reorder_results_mean_of(n->stored, (double)r->window_ps, connected);
        out->reorder.max_bytes = n->most_stored;
        out->reorder.throttled_mean =
            reorder_results_mean_of(n->throttled, (double)r->window_ps, sending);
        out->reorder.throttled_max =
            reorder_results_mean_of(n->most_throttled, (double)r->window_ps, 1);
    }
    return reorder_results_export_series(r, connected, sending, &out->reorder, err);
}
