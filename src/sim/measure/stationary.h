/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/stationary.h: when the warm-up of a run is over, and when it has been measured for long
 * enough. The only place that decides; it sees batches (what was delivered in one period of
 * simulated time, summed over all partitions) and looks at fixed numbers of them, so that what it
 * finds depends on neither threads nor engines. */
#ifndef IKAT_SIM_STATIONARY_H
#define IKAT_SIM_STATIONARY_H

#include "ikat/base.h"
#include "sim/core/carry.h"
#include "sim/measure/area.h"

#include <assert.h>

/* Results whose means have intervals, in the order of the words of measure.stop_of. */
typedef enum stationary_of {
    STATIONARY_BOTH, /* throughput, and mean latency where it lasts */
    STATIONARY_LATENCY,
    STATIONARY_THROUGHPUT,
    STATIONARY_NETWORK,
    STATIONARY_ARRIVAL,
    STATIONARY_ROUND_TRIP,
    STATIONARY_REQUEST,
    STATIONARY_REPLY,
    STATIONARY_ACCEPTANCE, /* of throughput, until it is told whether the load is accepted */
    NUM_STATIONARY
} stationary_of;

typedef enum acceptance { ACCEPTANCE_OPEN, ACCEPTANCE_ACCEPTED, ACCEPTANCE_REFUSED } acceptance;

/* Of one period: bytes and packets delivered, and the sums of their latencies, from generation and
 * in the network; values of what the interval is of, and their sum, where it is of none of these.
 */
typedef struct batch {
    uint64_t bytes, packets, values;
    sim_area latency_ps, network_ps, sum;
} batch;

typedef struct stationary_setup {
    uint64_t period_ps; /* of a batch */
    uint64_t origin_ps; /* batch 0 begins: the end of a warm-up that was given, else 0 */
    size_t most;        /* batches of the longest run */
    double grain_bytes; /* what sources make at a time: a message, or a burst of them */
    double least_bytes; /* of the measured time: several of them */
    /* what each port of a host sends at most: a fraction of its link's rate, bit/s (INFINITY) */
    double injection_fraction, injection_bps;
    /* sources that draw their times offer all that their adapters send */
    bool full;
    bool waits;   /* sources wait for replies: what is not accepted is not made */
    bool detects; /* the warm-up is found */
    /* what was left to the run, also where its longest time is too short for that */
    bool auto_warmup, auto_end;
    size_t latest;      /* the measured time begins with this batch at the latest */
    uint64_t length_ps; /* measured time, 0 = until the interval is small enough */
    stationary_of of;
    /* half width over mean that is asked for; judged against, where length_ps is given; of
     * acceptance the share of the load that may be missing */
    double ci;
    /* Packet-hops after which no more is measured, 0 = no limit; half of them are spent on the
     * warm-up at most. */
    uint64_t most_hops;
    /* Batches between a decision and what it decides: what is sent before the decision counts in
     * the measured time only if all of it is over by then. */
    size_t margin;
} stationary_setup;

enum {
    STATIONARY_LEAST = 32,     /* batches before the warm-up is first looked for */
    STATIONARY_MEANS = 20,     /* batch means of an interval */
    STATIONARY_FINE = 80,      /* shorter ones that must hardly depend on their neighbours */
    STATIONARY_VALUES = 10,    /* least values of a batch mean, on average */
    STATIONARY_LATENCIES = 10, /* mean times of a packet in the network, in the measured time */
    STATIONARY_GRAINS = 16     /* messages or bursts in it */
};

/* A mean, and half the width of its 95 % interval; NAN = too few batches, or values. */
typedef struct stationary_interval {
    double mean, half_width;
    bool sound; /* the means are many enough, independent, and do not drift */
} stationary_interval;

typedef struct stationary {
    stationary_setup setup;
    batch *batches; /* [setup.most] */
    double *means;  /* [setup.most] scratch */
    size_t num;     /* that are known */
    size_t next;    /* at so many it looks again */
    bool over;      /* all is decided */
    bool warm;      /* the end of the warm-up was found, or given */
    bool closed;    /* the interval is as small as asked */
    bool capped;    /* ended by most_hops, or at the longest run, before it was */
    size_t first;   /* first measured batch */
    /* The measured time; UINT64_MAX = not known yet. */
    uint64_t start_ps, end_ps;
    /* Of a closed loop: shares of the requests that the load asked for, which were not made, and
     * may be not made by chance. */
    double unmade, unmade_by_chance;
    stationary_interval of; /* of the result that the interval is asked of (BOTH: latency) */
    acceptance told;        /* of = ACCEPTANCE: what the last look said */
} stationary;

/* most > 0. Free with stationary_free. */
ik_status stationary_new(const stationary_setup *setup, stationary **out, ik_error *err);
void stationary_free(stationary *s);
void stationary_carry(stationary *s, sim_carrier *c);

/* Where a partition counts: its batches and the one that its last delivery fell into. All zero but
 * for span_ps, UINT64_MAX: nothing is judged, and what is counted goes nowhere. */
typedef struct batch_cursor {
    batch *batches; /* [setup.most], NULL = nothing is judged */
    batch *at;
    uint64_t begin_ps, span_ps; /* of `at` */
    const stationary *of;
    batch spare; /* for what falls into no batch */
} batch_cursor;
/* batches: [setup.most] zeroed, or NULL; cursor does not move afterwards. */
void batch_cursor_set(batch_cursor *cursor, const stationary *s, batch *batches);
void batch_cursor_seek(batch_cursor *cursor, uint64_t t);
void batch_cursor_carry(batch_cursor *cursor, sim_carrier *c);
/* The batch of what is delivered at time t. */
static inline batch *stationary_batch_at(batch_cursor *cursor, uint64_t t)
{
    if (__builtin_expect(t - cursor->begin_ps >= cursor->span_ps, 0))
        batch_cursor_seek(cursor, t);
    return cursor->at;
}
static inline void stationary_batch_add(batch_cursor *cursor, uint64_t t, uint64_t bytes,
                                        uint64_t latency_ps, uint64_t network_ps)
{
    batch *to = stationary_batch_at(cursor, t);
    assert(network_ps <= latency_ps); /* made before it is sent */
    to->bytes += bytes;
    to->packets++;
    to->latency_ps += latency_ps;
    to->network_ps += network_ps;
}
/* A value of result `of`, if the interval is of that. */
void batch_value(batch_cursor *cursor, uint64_t t, stationary_of of, uint64_t value);

/* The measured time as far as it is known: what a run works with until it finds more. */
typedef struct stationary_times {
    uint64_t warmup_ps, end_ps;
} stationary_times;
stationary_times stationary_known(const stationary *s);
stationary_times stationary_longest(const stationary_setup *setup);
/* The time that most runs take, which is never longer: for estimates. Not limited by most_hops. */
uint64_t stationary_likely_ps(const stationary_setup *setup);

/* Adds a partition's batches, up to number next - 1, to those that are known from number num
 * on; those of `num` partitions, whose cursors are `stride` bytes apart. */
void stationary_add(stationary *s, const batch_cursor *from);
void stationary_add_all(stationary *s, const batch_cursor *first, size_t stride, unsigned num);
/* When it looks next, UINT64_MAX = no more: all that is delivered before has been counted then. */
static inline uint64_t stationary_due_ps(const stationary *s)
{
    assert(s->setup.period_ps > 0);
    return s->over ? UINT64_MAX : s->setup.origin_ps + s->next * s->setup.period_ps;
}
/* All partitions' batches up to number next - 1 have been added, and their packets made so many
 * hops: looks at them. Sets next, or over; start_ps and end_ps when they are known. O(next). */
void stationary_look(stationary *s, uint64_t hops);
/* The run is over, at end_ps: sets next, for stationary_add, to all whole batches; start_ps and
 * end_ps are known afterwards. */
void stationary_end(stationary *s, uint64_t end_ps);
/* The series of batches that a trend or an interval is of. */
typedef enum stationary_series {
    SERIES_THROUGHPUT,
    SERIES_LATENCY,
    SERIES_NETWORK,
    SERIES_OF
} stationary_series;
/* Means of `num` groups of `width` batches from number `from` on; false: one has no value. */
bool stationary_means(const stationary *s, stationary_series which, size_t from, size_t width,
                      size_t num, double *out);
/* Of the measured batches. */
stationary_interval stationary_interval_of(const stationary *s, stationary_series which);
/* The same with the half width that a verdict names: the widest of those from 20, 10 and 5 means.
 * memory_ps: for how long queues are known to remember (0 = not at all), which means over less time
 * need not show. */
stationary_interval stationary_honest_interval_of(const stationary *s, stationary_series which,
                                                  double memory_ps);

/* MSER (K. P. White Jr., An effective truncation heuristic for bias reduction in simulation output,
 * Simulation, 1997; on batches: White, Cobb, Spratt, WSC 2000): the number of values to leave out
 * at the front so that the standard error of the mean of the rest is least, the fewest of equal
 * ones. At least STATIONARY_TAIL values are left. O(num). */
enum { STATIONARY_TAIL = 5 };
size_t stationary_truncation(const double *values, size_t num);
/* Whether values in their order rise or fall by more than chance lets them. num > 2. */
bool stationary_drifts(const double *values, size_t num);
/* The line of least squares through values at 0, 1, 2 …: its mean, its slope and the standard error
 * of that. num > 2. */
typedef struct stationary_line {
    double mean, slope, error;
} stationary_line;
stationary_line stationary_fit(const double *values, size_t num);
/* Whether packets spend more and more time in the network, which then still fills. line: through
 * `num` means of SERIES_NETWORK, each over time_ps. */
bool stationary_fills(const stationary_line *line, size_t num, double time_ps);

#endif
