/* SPDX-License-Identifier: Apache-2.0
 *
 * What requests and replies got: from the sums of all partitions to the result. */
#include "sim/measure/reply_results.h"
#include "sim/measure/results.h"
#include <stdlib.h>

bool sim_reply_stats_init(reply_stats *n, size_t num_series)
{
    n->series = ik_calloc(num_series + 1, sizeof *n->series);
    return n->series && sim_histo_init(&n->round_trip) && sim_histo_init(&n->request) &&
           sim_histo_init(&n->answer);
}

void sim_reply_stats_free(reply_stats *n)
{
    free(n->series);
    free(n->round_trip.buckets);
    free(n->request.buckets);
    free(n->answer.buckets);
}

uint64_t sim_reply_stats_bytes(size_t num_series)
{
    return (num_series + 1) * sizeof(sim_area) + 3ull * HISTO_BUCKETS * sizeof(uint64_t);
}

void sim_reply_stats_merge(reply_stats *sum, const reply_stats *more, size_t num_series)
{
    sim_histo_merge(&sum->round_trip, &more->round_trip);
    sim_histo_merge(&sum->request, &more->request);
    sim_histo_merge(&sum->answer, &more->answer);
    sum->open += more->open;
    sum->made += more->made;
    sum->unmade += more->unmade;
    sum->unmade_by_chance += more->unmade_by_chance;
    for (size_t k = 0; k < num_series; k++)
        sum->series[k] += more->series[k];
}

/* Hosts that want to send. */
static double reply_results_count_senders(const run_results *r)
{
    double senders = 0;
    for (uint32_t host = 0; host < r->f->num_hosts; host++) {
        const adapter_results a = r->adapter(r->engine, host);
        senders += a.bps > 0 && !a.silent;
    }
    return senders;
}

static double reply_results_mean_of(sim_area area, double ps, double senders)
{
    return ps > 0 && senders > 0 ? (double)area / ps / senders : 0;
}

static ik_status reply_results_export_series(const run_results *r, const reply_stats *n,
                                             double senders, ik_sim_replies *out, ik_error *err)
{
    if (!r->num_series)
        return IK_OK;
    out->series_outstanding = ik_calloc(r->num_series, sizeof(double));
    if (!out->series_outstanding)
        return ik_fail_memory(err, r->num_series * sizeof(double), "a time series");
    for (size_t k = 0; k < r->num_series; k++) {
        uint64_t begin = k * r->series_ps, end = begin + r->series_ps;
        end = end < r->series_end_ps ? end : r->series_end_ps;
        out->series_outstanding[k] =
            reply_results_mean_of(n->series[k], (double)(end - begin), senders);
    }
    return IK_OK;
}

ik_status sim_reply_export(const run_results *r, ik_sim_result *out, ik_error *err)
{
    const reply_stats *n = r->partitions[0].replies;
    if (!n)
        return IK_OK;
    double senders = reply_results_count_senders(r);
    ik_sim_replies *to = &out->replies;
    to->on = true;
    to->mean_outstanding = reply_results_mean_of(n->open, (double)r->window_ps, senders);
    ik_status status = sim_histo_export(&n->round_trip, &to->round_trip, err);
    if (status == IK_OK)
        status = sim_histo_export(&n->request, &to->request_latency, err);
    if (status == IK_OK)
        status = sim_histo_export(&n->answer, &to->reply_latency, err);
    return status == IK_OK ? reply_results_export_series(r, n, senders, to, err) : status;
}
