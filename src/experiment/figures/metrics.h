/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/metrics.h: the results of a point that have a name: a column of the store and
 * of CSV, a key of JSON, what figures draw and claims are about.
 */
#ifndef IKAT_EXPERIMENT_METRICS_H
#define IKAT_EXPERIMENT_METRICS_H

#include "sim/measure/sim_result.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* The results that results.def declares: columns of a point that are averaged over the seeds. Those
 * of simulations come first. */
typedef enum metric_id {
#define SIMULATED(id, ...) METRIC_##id,
#define MEASURED(id, ...)  METRIC_##id,
#include "experiment/figures/results.def"
    NUM_METRICS
} metric_id;

/* Words of section measures, in the order of their names. */
typedef enum measure_id {
    MEASURE_PROOF,
    MEASURE_MEAN_HOPS,
    MEASURE_ENTRIES,
    MEASURE_LEAST_T_MAX,
    MEASURE_CONTENTION,
    MEASURE_SATURATION,
    MEASURE_BANDWIDTH,
    MEASURE_COST,
    MEASURE_BISECTION,
    MEASURE_SIZE,
    MEASURE_PATHS,
    MEASURE_NCA,
    MEASURE_PERMUTATIONS,
    MEASURE_QUEUES,
    MEASURE_NEXT,
    MEASURE_BOUND,
    NUM_MEASURES
} measure_id;
extern const char *const measure_names[]; /* [NUM_MEASURES], NULL at the end */

/* Which points have a result. */
typedef enum metric_group {
    METRICS_EVERY,     /* every simulation: a row of the store without it is damaged */
    METRICS_LINKED,    /* simulations of some time on fabrics with links between switches */
    METRICS_SAMPLED,   /* where congestion was sampled */
    METRICS_IN_ORDER,  /* with in-order delivery */
    METRICS_REPLIES,   /* with replies */
    METRICS_COMPLETED, /* workloads that were completed */
    METRICS_ENDLESS,   /* endless traffic */
    METRICS_JUDGED,    /* endless traffic that has a verdict */
    METRICS_SEARCHED,  /* of a search for a load */
    METRICS_DETECTED,  /* the run found its window itself */
    METRICS_MEASURED   /* without simulation, or beside one: what the measure is asked for of */
} metric_group;
typedef struct metric_group_row {
    const char *points; /* "every simulation": which points have it, in words */
    /* what a point needs to have them, of a figure: a swept value, of which the axis has it; NULL:
     * nothing, any. How a user asks for it. */
    const char *axis, *value, *hint;
} metric_group_row;
extern const metric_group_row metric_groups[METRICS_MEASURED + 1];

typedef enum metric_kind {
    METRICS_PLAIN,   /* the same in a longer run, if its point is steady */
    METRICS_LATENCY, /* a time since a packet was made, or a number that grows with such times: past
                      * saturation they grow for ever, which the time in the network does not */
    METRICS_OF_RUN   /* of the run itself: true however long it was */
} metric_kind;

typedef struct metric_row {
    const char *name;  /* column of the store, key of JSON, header of CSV */
    const char *title; /* what an axis of a figure is called */
    const char *unit;  /* "ns", "bytes"; "%" of a fraction, which is drawn in percent; "" = none */
    const char *meaning; /* in words */
    metric_group of;
    metric_kind kind;
    bool integer; /* type of the column of the store */
    bool exact;   /* a property of fabric and routing: no seed, no measurement error */
    bool drawn; /* of those: a seed may draw it, with traffic or permutations; else the machine's */
    unsigned measure; /* of those: the measure that computes it; NUM_MEASURES = none */
} metric_row;
extern const metric_row metrics[NUM_METRICS];

/* What is known of a point that was simulated: its run, and what the experiment knows beside it. */
typedef struct metric_source {
    const ik_sim_result *run;
    double reference_ns; /* completion of the same workload on a crossbar; 0 = unknown */
    /* utilisation of channels between switches; loads that a search found; NAN = none */
    double link_use_mean, link_use_max, saturation_load, saturation_most;
} metric_source;
/* The value of a result of simulations that its row of results.def computes; NAN where the run is
 * none of those that have it. */
double metric_of_run(const metric_source *x, metric_id id);
/* The same of one that is an INTEGER, exact; 0 where the run has none. */
uint64_t metric_count_of_run(const ik_sim_result *run, metric_id id);

/* What saturation is, everywhere, 1 or 0: whether an endless run accepts less than it is offered in
 * the long run. A steady point says so, be it saturated or not; of others it is known where a
 * channel is offered more than it carries, or where less than 95 % is accepted and that falls. NAN:
 * it cannot be told, or the workload is finite. Where nothing was judged, less than 95 % in the
 * window is past saturation. Beyond saturation queues grow as long as the run lasts, and a latency
 * says how long that was. */
double metric_saturated(const ik_sim_result *r);
/* Whether a number of a point with this verdict may stand for a longer run: it was shown to be
 * steady, or nobody judged it. Peaks, claims and what is made of them are of such points alone:
 * what a time is too short to tell is not known. */
static inline bool metric_counts(ik_steady_verdict verdict)
{
    return verdict == IK_STEADY_YES || verdict == IK_STEADY_NONE;
}
/* Whether the load of a point is accepted in the long run. */
typedef enum metric_acceptance { METRIC_UNTOLD, METRIC_ACCEPTED, METRIC_REFUSED } metric_acceptance;
static inline metric_acceptance metric_accepts(ik_steady_verdict verdict, double saturated)
{
    return saturated > 0                              ? METRIC_REFUSED
           : saturated <= 0 && metric_counts(verdict) ? METRIC_ACCEPTED
                                                      : METRIC_UNTOLD;
}
/* Where loads saturate: `refused` is the lowest that is not accepted; `accepted` the highest below
 * it that is, 0 = none; `untold` the lowest between the two that cannot be told. NAN = none. What
 * is accepted at a load is at lower ones, too. */
typedef struct metric_saturation {
    double accepted, untold, refused;
} metric_saturation;
#define METRIC_SATURATION_EMPTY ((metric_saturation){0, NAN, NAN})
/* The next load; they are added in ascending order. */
void metric_saturation_add(metric_saturation *s, double load, metric_acceptance a);
/* Whether mean latency lasts, 1 or 0: its verdict says so; where nothing was judged, it does before
 * saturation. */
double metric_latency_steady(const ik_sim_result *r);
static inline bool metric_is_latency(metric_id id)
{
    return metrics[id].kind == METRICS_LATENCY;
}
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
static inline bool metric_is_drawn(metric_id id)
{
    return metrics[id].drawn;
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
