/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/metrics.h: the results of a point that have a name: a column of the store and
 * of CSV, a key of JSON, what figures draw and claims are about.
 */
#ifndef IKAT_EXPERIMENT_METRICS_H
#define IKAT_EXPERIMENT_METRICS_H

#include "ikat/sim.h"

#include <stdbool.h>
#include <stddef.h>

/* Columns of a point that are averaged over the seeds. */
typedef enum metric_id {
    METRIC_OFFERED,
    METRIC_THROUGHPUT,
    METRIC_FAIRNESS,
    METRIC_LATENCY_MEAN,
    METRIC_LATENCY_P50,
    METRIC_LATENCY_P95,
    METRIC_LATENCY_P99,
    METRIC_LATENCY_MAX,
    METRIC_NETWORK_LATENCY,
    METRIC_GENERATED,
    METRIC_DELIVERED,
    METRIC_IN_FLIGHT,
    METRIC_UNROUTABLE,
    METRIC_ORDER,
    METRIC_HOPS,
    METRIC_HOST_LEAST, /* injected by the host that got least */
    METRIC_HOST_MOST,
    METRIC_BLOCKED, /* these five: NAN where congestion was not sampled */
    METRIC_HOL,
    METRIC_HOL_TIME,
    METRIC_ROOTS,
    METRIC_TREE,
    /* utilisation of the channels between switches; NAN without any, and of a run of no time */
    METRIC_LINK_MEAN,
    METRIC_LINK_MAX,
    METRIC_ARRIVAL, /* these six: NAN without in-order delivery */
    METRIC_OUT_OF_ORDER,
    METRIC_REORDER_MEAN,
    METRIC_REORDER_MAX,
    METRIC_THROTTLED_MEAN,
    METRIC_THROTTLED_MAX,
    METRIC_ROUND_TRIP,
    METRIC_ROUND_TRIP_P50,
    METRIC_ROUND_TRIP_P95,
    METRIC_ROUND_TRIP_P99,
    METRIC_ROUND_TRIP_MAX,
    METRIC_REQUEST_LATENCY,
    METRIC_REPLY_LATENCY,
    METRIC_OUTSTANDING,
    METRIC_COMPLETION, /* these three: NAN with endless traffic, and where a workload did not end */
    METRIC_SLOWDOWN,
    METRIC_EFFECTIVE,
    /* these five: of the verdict whether the point lasts. 1 or 0, see metric_saturated(); NAN of a
     * finite workload */
    METRIC_SATURATED,
    METRIC_LATENCY_STEADY, /* 1 or 0; NAN as above */
    METRIC_DRIFT,          /* change of throughput per ms over its mean; NAN where not judged */
    METRIC_BOUND,          /* most throughput that can last; NAN where unknown */
    METRIC_NEEDS,          /* simulated time that would be enough; NAN where it cannot be said */
    /* highest load that was accepted, of a search; NAN without one, and where all of 100 % was */
    METRIC_SATURATION_LOAD,
    /* these four: NAN unless the run found its window itself, the interval also without stop */
    METRIC_WARMUP,
    METRIC_MEASURED,
    METRIC_INTERVAL,  /* half width of the 95 % interval over the mean, of the result stop is of */
    METRIC_CONVERGED, /* 1 or 0: the warm-up ended, the interval became as small as asked */
    METRIC_FEASIBLE,  /* from here on without simulation; NAN where it is not measured */
    METRIC_DEADLOCK_FREE,
    METRIC_MEAN_HOPS,
    METRIC_MAX_HOPS,
    METRIC_ENTRIES_MEAN,
    METRIC_ENTRIES_MAX,
    METRIC_LEAST_T_MAX,
    METRIC_CONTENTION,
    METRIC_STATIC_SLOWDOWN,
    METRIC_STATIC_SATURATION,
    METRIC_BAND_LOW, /* these six: in place of a saturation, of routings that choose detours */
    METRIC_BAND_MINIMAL,
    METRIC_BAND_VALIANT,
    METRIC_BAND_SPLIT,         /* with one share for all pairs, the best one */
    METRIC_BAND_SPLIT_MINIMAL, /* which goes minimally there */
    METRIC_BAND_HIGH,
    METRIC_BANDWIDTH,
    METRIC_EFFICIENCY,
    METRIC_NCA_MIN, /* these four: routes that turn at a root of a tree */
    METRIC_NCA_MEAN,
    METRIC_NCA_MAX,
    METRIC_NCA_SD,                 /* over the roots */
    METRIC_DESTINATIONS_INJECTION, /* these seven: destinations per queue of a kind of channel */
    METRIC_DESTINATIONS_UP_1,
    METRIC_DESTINATIONS_UP_2,
    METRIC_DESTINATIONS_DOWN_2,
    METRIC_DESTINATIONS_DOWN_1,
    METRIC_DESTINATIONS_BETWEEN,
    METRIC_DESTINATIONS_EJECTION,
    METRIC_PORTS_PER_HOST,
    METRIC_LINKS_PER_HOST,
    METRIC_BISECTION,
    METRIC_HOSTS,
    METRIC_SWITCHES,
    METRIC_RADIX,
    METRIC_DIAMETER,  /* between switches with hosts */
    METRIC_MIN_PATHS, /* these three: shortest paths of a pair of switches with hosts */
    METRIC_MEAN_PATHS,
    METRIC_MAX_PATHS,
    METRIC_FREE_PERMUTATIONS, /* share of them without contention */
    METRIC_PERMUTATIONS_MEAN,
    METRIC_PERMUTATIONS_MAX,
    NUM_METRICS
} metric_id;

typedef struct metric_row {
    const char *name;  /* column of the store, key of JSON, header of CSV */
    const char *title; /* what an axis of a figure is called */
    const char *unit;  /* "ns", "bytes"; "%" of a fraction, which is drawn in percent; "" = none */
    bool exact;        /* a property of fabric and routing: no seed, no measurement error */
} metric_row;
extern const metric_row metrics[NUM_METRICS];

/* What saturation is, everywhere, 1 or 0: whether an endless run accepts less than it is offered.
 * Its verdict says so: a steady point may be saturated, and what is not steady is not accepted for
 * ever. Where nothing was judged, or too short a time to tell, it is past saturation if it accepted
 * less than 95 % of the offered load. NAN of a finite workload. Beyond saturation queues grow as
 * long as the run lasts, and a latency says how long that was. */
double metric_saturated(const ik_sim_result *r);
/* Whether a number of a point with this verdict may stand for a longer run: it was shown to be
 * steady, or nobody judged it. Peaks, saturation, claims and what is made of them are of such
 * points alone: what a time is too short to tell is not known. */
static inline bool metric_counts(ik_steady_verdict verdict)
{
    return verdict == IK_STEADY_YES || verdict == IK_STEADY_NONE;
}
/* Is this a time since a packet was made, or a number that grows with such times? Past saturation
 * they grow for ever, which the time in the network does not. */
bool metric_is_latency(metric_id id);
/* Whether this result of a point would be the same in a longer run, as far as its verdict and
 * METRIC_LATENCY_STEADY say. */
bool metric_lasts(metric_id id, ik_steady_verdict verdict, double latency_steady);
/* Those without simulation: from METRIC_FEASIBLE to the last. */
#define FIRST_STATIC METRIC_FEASIBLE
enum { NUM_STATICS = NUM_METRICS - METRIC_FEASIBLE };
static inline bool metric_is_static(metric_id id)
{
    return id >= FIRST_STATIC && id < NUM_METRICS;
}

/* Those of them that a seed may draw: with the traffic, or permutations of the hosts; others are of
 * the machine. */
static inline bool metric_is_drawn(metric_id id)
{
    return (id >= METRIC_CONTENTION && id <= METRIC_DESTINATIONS_EJECTION) ||
           (id >= METRIC_FREE_PERMUTATIONS && id <= METRIC_PERMUTATIONS_MAX);
}

/* Results that are a list of numbers for each point, drawn over their places: figures of kind
 * list. */
typedef enum list_id {
    LIST_NCA_ROUTES,
    LIST_PERMUTATIONS,
    LIST_QUEUE_DESTINATIONS,
    NUM_LISTS
} list_id;
typedef struct list_row {
    const char *name; /* what figures call it; kind of a detail in the store */
    const char *title, *unit;
    const char *place; /* what a place is */
    metric_id with;    /* a result of the same measure */
    bool named;        /* places have names, else they are numbers from 0 */
} list_row;
extern const list_row result_lists[NUM_LISTS];
/* NULL: there is none of that name. */
const list_row *list_find(const char *name);
/* The numbers of one point; num 0: it has none. */
typedef struct value_list {
    const double *values;
    size_t num;
    const char *const *places; /* [num] of a list whose places have names, else NULL */
} value_list;

/* NUM_METRICS: there is none of that name. */
metric_id metric_find(const char *name, size_t length);

#endif
