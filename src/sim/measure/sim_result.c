/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a run as programs see it: its parts, its arrays by name. */
#include "sim/measure/sim_result.h"
#include "ikat/result.h"
#include "sim/measure/congest.h"
#include "sim/measure/watch.h"

#include <stdlib.h>
#include <string.h>

/* Number of the name, of `num`; num: it is none of them. */
static size_t sim_result_find(const char *const *names, size_t num, const char *name, ik_error *err)
{
    size_t k = 0;
    while (k < num && strcmp(names[k], name) != 0)
        k++;
    if (k == num)
        ik_fail_unknown(err, "array of a simulation", name, names);
    return k;
}

ik_status ik_result_counts(const ik_sim_result *run, const char *name, const uint64_t **values,
                           size_t *num, ik_error *err)
{
    enum { NUM = 4 };
    static const char *const names[NUM + 1] = {"channel_bytes", "host_bytes", "host_sent_bytes",
                                               "host_finish_ps", NULL};
    const uint64_t *const arrays[NUM] = {run->channel_bytes, run->host_bytes, run->host_sent_bytes,
                                         run->host_finish_ps};
    size_t k = sim_result_find(names, NUM, name, err);
    if (k == NUM)
        return IK_ERR_USAGE;
    *values = arrays[k];
    *num = !arrays[k] ? 0 : k == 0 ? run->num_ports : run->num_hosts;
    return IK_OK;
}

ik_status ik_result_reals(const ik_sim_result *run, const char *name, const double **values,
                          size_t *num, ik_error *err)
{
    enum { NUM = 3 };
    static const char *const names[NUM + 1] = {"series_throughput", "series_latency_ns",
                                               "series_blocked", NULL};
    const double *const arrays[NUM] = {run->series_throughput, run->series_latency_ns,
                                       run->series_blocked};
    size_t k = sim_result_find(names, NUM, name, err);
    if (k == NUM)
        return IK_ERR_USAGE;
    *values = run->num_series ? arrays[k] : NULL;
    *num = arrays[k] ? run->num_series * (k == 2 ? run->num_switches : 1) : 0;
    return IK_OK;
}

const ik_histogram *ik_result_latency(const ik_sim_result *run)
{
    return &run->latency;
}

const ik_histogram *ik_result_network_latency(const ik_sim_result *run)
{
    return &run->network_latency;
}

const ik_sim_steady *ik_result_steady(const ik_sim_result *run)
{
    return &run->steady;
}

const ik_congestion *ik_result_congestion(const ik_sim_result *run)
{
    return &run->congestion;
}

const ik_sim_reorder *ik_result_reorder(const ik_sim_result *run)
{
    return &run->reorder;
}

const ik_sim_replies *ik_result_replies(const ik_sim_result *run)
{
    return &run->replies;
}

const ik_critical_path *ik_result_critical_path(const ik_sim_result *run)
{
    return &run->critical_path;
}

const ik_watch_result *ik_result_watch(const ik_sim_result *run)
{
    return &run->watch;
}

const ik_sim_sharing *ik_result_sharing(const ik_sim_result *run)
{
    return &run->sharing;
}

const ik_class_result *ik_result_class(const ik_sim_result *run, size_t number)
{
    return number < run->num_classes ? &run->classes[number] : NULL;
}

const ik_message_class *ik_result_message_class(const ik_sim_result *run, size_t number)
{
    return number < run->num_message_classes ? &run->message_classes[number] : NULL;
}

const ik_rank_times *ik_result_rank(const ik_sim_result *run, size_t number)
{
    return number < run->num_ranks ? &run->ranks[number] : NULL;
}

const ik_rank_segment *ik_result_timeline(const ik_sim_result *run, size_t *num)
{
    *num = run->num_timeline;
    return run->timeline;
}

const ik_rank_flow *ik_result_matrix(const ik_sim_result *run, size_t *num)
{
    *num = run->num_matrix;
    return run->matrix;
}

const char *ik_result_deadlock(const ik_sim_result *run)
{
    return run->deadlock_text;
}

const char *ik_result_missing(const ik_sim_result *run)
{
    return run->missing_text;
}

void sim_result_clear(ik_sim_result *r)
{
    free(r->latency.buckets);
    free(r->network_latency.buckets);
    free(r->channel_bytes);
    free(r->host_bytes);
    free(r->host_sent_bytes);
    free(r->series_throughput);
    free(r->series_latency_ns);
    free(r->series_blocked);
    free(r->reorder.series_bytes);
    free(r->reorder.series_out_of_order);
    free(r->reorder.series_throttled);
    free(r->replies.round_trip.buckets);
    free(r->replies.request_latency.buckets);
    free(r->replies.reply_latency.buckets);
    free(r->replies.series_outstanding);
    free(r->deadlock_text);
    free(r->host_finish_ps);
    free(r->missing_text);
    free(r->critical_path.segments);
    watch_result_free(&r->watch);
    for (size_t k = 0; k < r->num_message_classes; k++)
        free(r->message_classes[k].name);
    free(r->message_classes);
    free(r->ranks);
    free(r->timeline);
    free(r->matrix);
    congest_result_free(&r->congestion);
    for (size_t k = 0; k < r->num_classes; k++) {
        free(r->classes[k].name);
        free(r->classes[k].latency.buckets);
        free(r->classes[k].series_throughput);
        free(r->classes[k].series_latency_ns);
    }
    free(r->classes);
    memset(r, 0, sizeof *r);
}

void ik_sim_result_free(ik_sim_result *r)
{
    if (r)
        sim_result_clear(r);
    free(r);
}
