/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/stationary.h: when the warm-up of a run is over, and when it has been measured for long
 * enough. The only place that decides; it sees batches (what was delivered in one period of
 * simulated time, summed over all partitions) and looks at fixed numbers of them, so that what it
 * finds depends on neither threads nor engines. */
#ifndef IKAT_SIM_STATIONARY_H
#define IKAT_SIM_STATIONARY_H

#include "ikat/base.h"

/* Results whose means have intervals, in the order of the words of measure.stop_of. */
typedef enum stationary_of {
    STATIONARY_LATENCY,
    STATIONARY_THROUGHPUT,
    STATIONARY_NETWORK,
    STATIONARY_ARRIVAL,
    STATIONARY_ROUND_TRIP,
    STATIONARY_REQUEST,
    STATIONARY_REPLY,
    NUM_STATIONARY
} stationary_of;

/* Of one period: bytes and packets delivered and the sum of their latencies; values of what the
 * interval is of, and their sum (of throughput neither). */
typedef struct batch {
    uint64_t bytes, packets, latency_ps, values, sum;
} batch;

typedef struct stationary_setup {
    uint64_t period_ps; /* of a batch */
    size_t most;        /* batches of the longest run */
    bool detects;       /* the warm-up is found; else it ends with batch number `first` */
    size_t first;
    stationary_of of;
    double ci; /* half width over mean; 0 = only the end of the warm-up is looked for */
} stationary_setup;

enum {
    STATIONARY_LEAST = 32, /* batches before the warm-up is first looked for */
    STATIONARY_MEANS = 20, /* batch means of an interval */
    STATIONARY_FINE = 80,  /* shorter ones that must hardly depend on their neighbours */
    STATIONARY_VALUES = 10 /* least values of a batch mean, on average */
};

typedef struct stationary {
    stationary_setup setup;
    batch *batches; /* [setup.most] */
    double *means;  /* [setup.most] scratch */
    size_t num;     /* that are known */
    size_t next;    /* at so many it looks again */
    bool over;      /* nothing more to find: the run may end */
    /* The warm-up is over: `first` is the first batch behind it. Where it has not ended by the end,
     * that is the one in the middle. */
    bool warm;
    size_t first;
    bool closed;             /* the interval is as small as asked */
    double mean, half_width; /* of the interval; NAN = too few batches, or values */
} stationary;

/* most > 0. Free with stationary_free. */
ik_status stationary_new(const stationary_setup *setup, stationary **out, ik_error *err);
void stationary_free(stationary *s);
/* A delivery at time t, into the batches of a partition ([setup.most]); what: its part of each sum,
 * with its latency in the network as value. */
void stationary_delivered(const stationary *s, batch *batches, uint64_t t, const batch *what);
/* A value of result `of`, if the interval is of that. */
void stationary_value(const stationary *s, batch *batches, uint64_t t, stationary_of of,
                      uint64_t value);
/* Adds a partition's batches, up to number next - 1, to those that are known from number num
 * on. */
void stationary_add(stationary *s, const batch *batches);
/* When it looks next: all that is delivered before has been counted then. */
static inline uint64_t stationary_due_ps(const stationary *s)
{
    return s->over ? UINT64_MAX : s->next * s->setup.period_ps;
}
/* All partitions' batches up to number next - 1 have been added: looks at them. Sets next, or over.
 * O(next). */
void stationary_look(stationary *s);

/* MSER (K. P. White Jr., An effective truncation heuristic for bias reduction in simulation output,
 * Simulation, 1997; on batches: White, Cobb, Spratt, WSC 2000): the number of values to leave out
 * at the front so that the standard error of the mean of the rest is least, the fewest of equal
 * ones. At least STATIONARY_TAIL values are left. O(num). */
enum { STATIONARY_TAIL = 5 };
size_t stationary_truncation(const double *values, size_t num);
/* Whether values in their order rise or fall by more than chance lets them. num > 2. */
bool stationary_drifts(const double *values, size_t num);

#endif
