/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/metrics.c: the results of a point by name: what results.def declares,
 * as a table, and the values of a run.
 */
#include "experiment/figures/metrics.h"

#include <math.h>
#include <string.h>

const char *const measure_names[] = {"proof",
                                     "mean_hops",
                                     "entries",
                                     "least_t_max",
                                     "contention",
                                     "saturation",
                                     "effective_bandwidth",
                                     "cost",
                                     "bisection",
                                     "size",
                                     "paths",
                                     "nca",
                                     "permutations",
                                     "queues",
                                     "next",
                                     "bound",
                                     NULL};

enum { METRICS_REAL = false, METRICS_INTEGER = true, METRICS_FIXED = false, METRICS_DRAWN = true };

const metric_row metrics[NUM_METRICS] = {
#define SIMULATED(id, name, type, of, kind, unit, title, meaning, value)                           \
    [METRIC_##id] = {#name,          title,          unit,  meaning, METRICS_##of,                 \
                     METRICS_##kind, METRICS_##type, false, false,   NUM_MEASURES},
#define MEASURED(id, name, measure, draws, unit, title, meaning)                                   \
    [METRIC_##id] = {#name,          title, unit, meaning,         METRICS_MEASURED,               \
                     METRICS_OF_RUN, false, true, METRICS_##draws, measure},
#include "experiment/figures/results.def"
};

const metric_group_row metric_groups[METRICS_MEASURED + 1] = {
    [METRICS_EVERY] = {"every simulation", NULL, NULL, NULL},
    [METRICS_LINKED] = {"simulations of fabrics with links between switches", NULL, NULL, NULL},
    [METRICS_SAMPLED] = {"simulations with measure.series", "measure.series", NULL,
                         "measure: {series: 5 us}"},
    [METRICS_IN_ORDER] = {"simulations with adapter.in_order", "adapter.in_order", "true",
                          "adapter: {in_order: true}"},
    [METRICS_REPLIES] = {"simulations with adapter.reply", "adapter.reply", NULL,
                         "adapter: {reply: 64 B}"},
    [METRICS_COMPLETED] = {"finite workloads that were completed", "measure.until", "delivered",
                           "finite workloads have it, and measure: {until: delivered, at_most: 10 "
                           "ms}"},
    [METRICS_ENDLESS] = {"simulations of endless traffic", NULL, NULL, NULL},
    [METRICS_JUDGED] = {"simulations of endless traffic that have a verdict", NULL, NULL, NULL},
    [METRICS_SEARCHED] = {"searches for a load", "load.find", NULL,
                          "load: {find: saturation}; of a sweep over loads a claim can ask metric: "
                          "saturation"},
    [METRICS_DETECTED] = {"simulations that find their window: measure.warmup auto, measure.stop",
                          NULL, NULL, NULL},
    [METRICS_MEASURED] = {"those that are measured", NULL, NULL, NULL},
};

static bool metrics_run_is_of(const ik_sim_result *run, metric_group of)
{
    switch (of) {
    case METRICS_SAMPLED:
        return run->congestion.num_samples > 0;
    case METRICS_IN_ORDER:
        return run->reorder.in_order;
    case METRICS_REPLIES:
        return run->replies.on;
    case METRICS_COMPLETED:
        return run->completed;
    case METRICS_JUDGED:
        return run->steady.verdict != IK_STEADY_NONE;
    case METRICS_DETECTED:
        return run->steady.detects || run->steady.stops;
    case METRICS_MEASURED:
        return false;
    default: /* where the value itself is NAN, there is none */
        return true;
    }
}

/* A mean or a percentile over no packets, requests or replies is no time of 0. */
static bool metrics_is_over_none(const ik_sim_result *run, metric_id id)
{
    switch (id) {
    case METRIC_LATENCY_MEAN:
    case METRIC_LATENCY_P50:
    case METRIC_LATENCY_P95:
    case METRIC_LATENCY_P99:
    case METRIC_LATENCY_MAX:
    case METRIC_ARRIVAL:
        return run->latency.count == 0;
    case METRIC_NETWORK_LATENCY:
        return run->network_latency.count == 0;
    case METRIC_ROUND_TRIP:
    case METRIC_ROUND_TRIP_P50:
    case METRIC_ROUND_TRIP_P95:
    case METRIC_ROUND_TRIP_P99:
    case METRIC_ROUND_TRIP_MAX:
        return run->replies.round_trip.count == 0;
    case METRIC_REQUEST_LATENCY:
        return run->replies.request_latency.count == 0;
    case METRIC_REPLY_LATENCY:
        return run->replies.reply_latency.count == 0;
    default:
        return false;
    }
}

double metric_of_run(const metric_source *x, metric_id id)
{
    const ik_sim_result *run = x->run;
    if (!metrics_run_is_of(run, metrics[id].of) || metrics_is_over_none(run, id))
        return NAN;
    switch (id) {
#define SIMULATED(id, name, type, of, kind, unit, title, meaning, value)                           \
    case METRIC_##id:                                                                              \
        return (double)(value);
#define MEASURED(id, ...) case METRIC_##id:
#include "experiment/figures/results.def"
    case NUM_METRICS:
        break;
    }
    return NAN;
}

uint64_t metric_count_of_run(const ik_sim_result *run, metric_id id)
{
    if (!metrics_run_is_of(run, metrics[id].of))
        return 0;
    switch (id) {
#define METRICS_COUNT_INTEGER(value) (value)
#define METRICS_COUNT_REAL(value)    0
#define SIMULATED(id, name, type, of, kind, unit, title, meaning, value)                           \
    case METRIC_##id:                                                                              \
        return METRICS_COUNT_##type(value);
#define MEASURED(id, ...) case METRIC_##id:
#include "experiment/figures/results.def"
    case NUM_METRICS:
        break;
    }
    return 0;
}

const list_row result_lists[NUM_LISTS] = {
    [LIST_NCA_ROUTES] = {"nca_routes", "routes", "", "root", METRIC_NCA_MEAN, false},
    [LIST_PERMUTATIONS] = {"permutations", "permutations", "%", "contention",
                           METRIC_FREE_PERMUTATIONS, false},
    [LIST_QUEUE_DESTINATIONS] = {"queue_destinations", "destinations per queue", "",
                                 "kind of channel", METRIC_DESTINATIONS_INJECTION, true},
};

double metric_saturated(const ik_sim_result *r)
{
    if (r->finite)
        return NAN;
    if (r->steady.bound.exceeded)
        return true;
    switch (r->steady.reason) {
    case IK_STEADY_HOLDS:
    case IK_STEADY_LATENCY_WIDE:
    case IK_STEADY_NEVER_IDLE:
    case IK_STEADY_SILENT:
        return false;
    case IK_STEADY_SATURATED:
    case IK_STEADY_BOUND:
    case IK_STEADY_DEADLOCK:
        return true;
    case IK_STEADY_NOT_JUDGED:
        return r->deadlock || r->throughput < 0.95 * r->offered;
    case IK_STEADY_FALLS:
        return r->throughput < 0.95 * r->offered ? true : NAN;
    case IK_STEADY_LATENCY: /* throughput stays */
        return r->steady.verdict == IK_STEADY_YES ? r->throughput < 0.98 * r->offered : NAN;
    /* on its way to another value, or too short to tell; without a default, so that the compiler
     * asks for a reason that is added */
    case IK_STEADY_RISES:
    case IK_STEADY_FILLS:
    case IK_STEADY_FEW:
    case IK_STEADY_WIDE:
    case IK_STEADY_PART:
    case IK_STEADY_UNMADE:
        break;
    }
    return NAN;
}

void metric_saturation_add(metric_saturation *s, double load, metric_acceptance a)
{
    if (!isnan(s->refused))
        return;
    if (a == METRIC_REFUSED) {
        s->refused = load;
    } else if (a == METRIC_ACCEPTED) {
        s->accepted = load;
        s->untold = NAN;
    } else if (isnan(s->untold)) {
        s->untold = load;
    }
}

double metric_latency_steady(const ik_sim_result *r)
{
    return r->steady.verdict == IK_STEADY_NONE ? 1 - metric_saturated(r) : r->steady.latency_lasts;
}

bool metric_lasts(metric_id id, ik_steady_verdict verdict, double latency_steady)
{
    return metrics[id].kind == METRICS_OF_RUN ||
           (metric_counts(verdict) && !(metric_is_latency(id) && latency_steady < 1));
}

const list_row *list_find(const char *name)
{
    for (size_t i = 0; i < NUM_LISTS; i++)
        if (strcmp(result_lists[i].name, name) == 0)
            return &result_lists[i];
    return NULL;
}

metric_id metric_find(const char *name, size_t length)
{
    int id = 0;
    while (id < NUM_METRICS &&
           (strlen(metrics[id].name) != length || memcmp(metrics[id].name, name, length) != 0))
        id++;
    return (metric_id)id;
}
