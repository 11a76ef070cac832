/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/metrics.c: names, titles and units of results.
 */
#include "experiment/figures/metrics.h"

#include <math.h>
#include <string.h>

const metric_row metrics[NUM_METRICS] = {
    [METRIC_OFFERED] = {"offered", "offered load", "%", false},
    [METRIC_THROUGHPUT] = {"throughput", "accepted throughput", "%", false},
    [METRIC_FAIRNESS] = {"fairness", "fairness", "", false},
    [METRIC_LATENCY_MEAN] = {"latency_mean_ns", "mean latency", "ns", false},
    [METRIC_LATENCY_P50] = {"latency_p50_ns", "median latency", "ns", false},
    [METRIC_LATENCY_P95] = {"latency_p95_ns", "95th percentile of latency", "ns", false},
    [METRIC_LATENCY_P99] = {"latency_p99_ns", "99th percentile of latency", "ns", false},
    [METRIC_LATENCY_MAX] = {"latency_max_ns", "largest latency", "ns", false},
    [METRIC_NETWORK_LATENCY] = {"network_latency_mean_ns", "mean latency in the network", "ns",
                                false},
    [METRIC_GENERATED] = {"packets_generated", "packets generated", "", false},
    [METRIC_DELIVERED] = {"packets_delivered", "packets delivered", "", false},
    [METRIC_IN_FLIGHT] = {"packets_in_flight", "packets in flight", "", false},
    [METRIC_UNROUTABLE] = {"packets_unroutable", "packets without a route", "", false},
    [METRIC_ORDER] = {"order_violations", "packets out of order", "", false},
    [METRIC_HOPS] = {"packet_hops", "hops of all packets", "", false},
    [METRIC_HOST_LEAST] = {"host_sent_min", "rate of the host that sent least", "%", false},
    [METRIC_HOST_MOST] = {"host_sent_max", "rate of the host that sent most", "%", false},
    [METRIC_BLOCKED] = {"blocked_share", "blocked buffers", "%", false},
    [METRIC_HOL] = {"hol_share", "bytes held up by a head of line", "%", false},
    [METRIC_HOL_TIME] = {"hol_time_ns", "head-of-line time per packet", "ns", false},
    [METRIC_ROOTS] = {"congestion_roots", "congestion roots", "", false},
    [METRIC_TREE] = {"congestion_tree", "largest congestion tree", "buffers", false},
    [METRIC_LINK_MEAN] = {"link_use_mean", "mean link utilisation", "%", false},
    [METRIC_LINK_MAX] = {"link_use_max", "utilisation of the busiest link", "%", false},
    [METRIC_ARRIVAL] = {"arrival_latency_mean_ns", "mean latency until arrival", "ns", false},
    [METRIC_OUT_OF_ORDER] = {"packets_out_of_order", "packets that came out of order", "", false},
    [METRIC_REORDER_MEAN] = {"reorder_mean_bytes", "mean of a reorder buffer", "bytes", false},
    [METRIC_REORDER_MAX] = {"reorder_max_bytes", "largest reorder buffer", "bytes", false},
    [METRIC_THROTTLED_MEAN] = {"throttled_mean", "mean time throttled", "%", false},
    [METRIC_THROTTLED_MAX] = {"throttled_max", "most time throttled", "%", false},
    [METRIC_ROUND_TRIP] = {"round_trip_mean_ns", "mean round trip", "ns", false},
    [METRIC_ROUND_TRIP_P50] = {"round_trip_p50_ns", "median round trip", "ns", false},
    [METRIC_ROUND_TRIP_P95] = {"round_trip_p95_ns", "95th percentile of the round trip", "ns",
                               false},
    [METRIC_ROUND_TRIP_P99] = {"round_trip_p99_ns", "99th percentile of the round trip", "ns",
                               false},
    [METRIC_ROUND_TRIP_MAX] = {"round_trip_max_ns", "largest round trip", "ns", false},
    [METRIC_REQUEST_LATENCY] = {"request_latency_mean_ns", "mean latency of requests", "ns", false},
    [METRIC_REPLY_LATENCY] = {"reply_latency_mean_ns", "mean latency of replies", "ns", false},
    [METRIC_OUTSTANDING] = {"outstanding_mean", "outstanding requests per host", "", false},
    [METRIC_COMPLETION] = {"completion_ns", "completion time", "ns", false},
    [METRIC_SLOWDOWN] = {"slowdown", "slowdown", "", false},
    [METRIC_EFFECTIVE] = {"effective_throughput", "effective throughput", "%", false},
    [METRIC_SATURATED] = {"saturated", "past saturation", "", false},
    [METRIC_LATENCY_STEADY] = {"latency_steady", "latency lasts", "", false},
    [METRIC_DRIFT] = {"drift_per_ms", "change of throughput per ms", "%", false},
    [METRIC_BOUND] = {"steady_bound", "most throughput that can last", "%", false},
    [METRIC_NEEDS] = {"needs_ns", "time that would be enough", "ns", false},
    [METRIC_SATURATION_LOAD] = {"saturation_load", "saturation load", "%", false},
    [METRIC_WARMUP] = {"warmup_ns", "warm-up", "ns", false},
    [METRIC_MEASURED] = {"measured_ns", "measured time", "ns", false},
    [METRIC_INTERVAL] = {"interval", "half width of the 95 % interval", "%", false},
    [METRIC_CONVERGED] = {"converged", "converged", "", false},
    [METRIC_FEASIBLE] = {"feasible", "feasible", "%", true},
    [METRIC_DEADLOCK_FREE] = {"deadlock_free", "proved free of deadlock", "%", true},
    [METRIC_MEAN_HOPS] = {"mean_hops", "mean hops", "", true},
    [METRIC_MAX_HOPS] = {"max_hops", "most hops", "", true},
    [METRIC_ENTRIES_MEAN] = {"entries_mean", "mean table entries of a switch", "", true},
    [METRIC_ENTRIES_MAX] = {"entries_max", "largest table", "entries", true},
    [METRIC_LEAST_T_MAX] = {"least_t_max", "least t_max", "entries", true},
    [METRIC_CONTENTION] = {"contention", "flows on the most loaded channel", "", true},
    [METRIC_STATIC_SLOWDOWN] = {"static_slowdown", "predicted slowdown", "", true},
    [METRIC_STATIC_SATURATION] = {"static_saturation", "predicted saturation", "%", true},
    [METRIC_BAND_LOW] = {"band_low", "saturation at least", "%", true},
    [METRIC_BAND_MINIMAL] = {"band_minimal", "saturation, all minimally", "%", true},
    [METRIC_BAND_VALIANT] = {"band_valiant", "saturation, all by detours", "%", true},
    [METRIC_BAND_SPLIT] = {"band_split", "saturation, best one share for all pairs", "%", true},
    [METRIC_BAND_SPLIT_MINIMAL] = {"band_split_minimal", "best one share of minimal packets", "%",
                                   true},
    [METRIC_BAND_HIGH] = {"band_high", "saturation at most", "%", true},
    [METRIC_BANDWIDTH] = {"effective_bandwidth", "effective bandwidth", "%", true},
    [METRIC_EFFICIENCY] = {"efficiency", "efficiency", "%", true},
    [METRIC_NCA_MIN] = {"nca_routes_min", "routes of the root with fewest", "", true},
    [METRIC_NCA_MEAN] = {"nca_routes_mean", "routes per root", "", true},
    [METRIC_NCA_MAX] = {"nca_routes_max", "routes of the root with most", "", true},
    [METRIC_NCA_SD] = {"nca_routes_sd", "deviation of routes per root", "", true},
    [METRIC_DESTINATIONS_INJECTION] = {"destinations_injection",
                                       "destinations per queue, channels of hosts", "", true},
    [METRIC_DESTINATIONS_UP_1] = {"destinations_up_1",
                                  "destinations per queue, channels up from level 1", "", true},
    [METRIC_DESTINATIONS_UP_2] = {"destinations_up_2",
                                  "destinations per queue, channels up from level 2", "", true},
    [METRIC_DESTINATIONS_DOWN_2] = {"destinations_down_2",
                                    "destinations per queue, channels down to level 2", "", true},
    [METRIC_DESTINATIONS_DOWN_1] = {"destinations_down_1",
                                    "destinations per queue, channels down to level 1", "", true},
    [METRIC_DESTINATIONS_BETWEEN] = {"destinations_between",
                                     "destinations per queue, channels between switches", "", true},
    [METRIC_DESTINATIONS_EJECTION] = {"destinations_ejection",
                                      "destinations per queue, channels to hosts", "", true},
    [METRIC_PORTS_PER_HOST] = {"ports_per_host", "switch ports per host", "", true},
    [METRIC_LINKS_PER_HOST] = {"links_per_host", "links per host", "", true},
    [METRIC_BISECTION] = {"bisection", "bisection per host", "", true},
    [METRIC_HOSTS] = {"hosts", "hosts", "", true},
    [METRIC_SWITCHES] = {"switches", "switches", "", true},
    [METRIC_RADIX] = {"radix", "ports of a switch", "", true},
    [METRIC_DIAMETER] = {"diameter", "diameter", "hops", true},
    [METRIC_MIN_PATHS] = {"min_paths", "fewest shortest paths of a pair", "", true},
    [METRIC_MEAN_PATHS] = {"mean_paths", "mean number of shortest paths", "", true},
    [METRIC_MAX_PATHS] = {"max_paths", "most shortest paths of a pair", "", true},
    [METRIC_FREE_PERMUTATIONS] = {"permutations_free", "permutations without contention", "%",
                                  true},
    [METRIC_PERMUTATIONS_MEAN] = {"permutations_contention", "mean contention of permutations", "",
                                  true},
    [METRIC_PERMUTATIONS_MAX] = {"permutations_contention_max",
                                 "largest contention of permutations", "", true},
};

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
    switch (r->steady.reason) {
    case IK_STEADY_HOLDS:
        return false;
    case IK_STEADY_SATURATED:
    case IK_STEADY_BOUND:
    case IK_STEADY_DEADLOCK:
        return true;
    case IK_STEADY_NOT_JUDGED:
    case IK_STEADY_FEW:
    case IK_STEADY_WIDE:
        return r->deadlock || r->throughput < 0.95 * r->offered;
    default: /* it drifts: as far as can be seen */
        return r->throughput < 0.98 * r->offered;
    }
}

bool metric_is_latency(metric_id id)
{
    return (id >= METRIC_LATENCY_MEAN && id < METRIC_NETWORK_LATENCY) || id == METRIC_HOL_TIME ||
           id == METRIC_ARRIVAL || (id >= METRIC_ROUND_TRIP && id <= METRIC_OUTSTANDING);
}

/* What was offered, and what is said of the run itself, is true however long it was. */
static bool metrics_is_of_run(metric_id id)
{
    return id == METRIC_OFFERED || id >= METRIC_COMPLETION;
}

bool metric_lasts(metric_id id, ik_steady_verdict verdict, double latency_steady)
{
    return metrics_is_of_run(id) ||
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
