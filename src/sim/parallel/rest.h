/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel/rest.h: when all partitions rest, so that the first one may look at the network as a
 * whole: checks, the watchdog's searches, samples of congestion, batches. These times depend on the
 * simulated clock alone, not on partitions, engines or where anything happens. They are in the
 * engine's unit: picoseconds, or cycles. */
#ifndef IKAT_SIM_REST_H
#define IKAT_SIM_REST_H

#include "ikat/sim.h"
#include "sim/measure/stationary.h"
#include "sim/parallel/exchange.h"

struct congest;

typedef struct rest_times {
    /* Of checks, searches and looks at batches: UINT64_MAX = never. A search comes at a multiple of
     * watch_unit, which the engine always stops at. */
    uint64_t next_check, check_period;
    uint64_t next_watch, watch_period, watch_unit;
    uint64_t next_batches;
    uint64_t sample_period;
    size_t next_sample, num_samples; /* sample k is due at (k + 1) * sample_period */
} rest_times;

/* What is due. */
typedef struct rest_due {
    bool check, watch, sample, batches;
} rest_due;

/* When the search after one at `time` is due, `time` = 0: the first one; watch_period 0 = never. */
uint64_t rest_next_watch(const rest_times *t, uint64_t time);
/* IK_ERR_UNSUPPORTED if partitions that do not share memory would have to rest; ends: they would at
 * the end of the run. */
ik_status rest_check(const rest_times *t, const sim_exchange *x, bool ends, ik_error *err);
/* The next time at which anything is due that must be seen even where nothing happens: all but
 * checks; the next time of all. */
uint64_t rest_next_look(const rest_times *t);
uint64_t rest_next(const rest_times *t);
/* What is due at `time`, where all partitions are; over: the run ends here; false = nothing. */
bool rest_is_due(rest_times *t, uint64_t time, bool over, rest_due *due);
/* The samples of that time have been taken, or passed. */
void rest_pass_samples(rest_times *t, uint64_t time);

/* ---- at rest, the first partition */
/* Adds the batches of `num` partitions, whose cursors are `stride` bytes apart and whose packets
 * have made so many hops, and looks at them. What is decided changes only what comes later: nobody
 * has counted anything that falls into the measured time, or behind its end. samples: NULL, or
 * learn of it. */
stationary_times rest_look_at_batches(stationary *s, const batch_cursor *first, size_t stride,
                                      unsigned num, uint64_t hops, struct congest *samples);

/* IK_ERR_MEMORY if the state of all partitions has grown beyond what env allows, after so much
 * time. */
ik_status rest_check_growth(const ik_env *env, uint64_t bytes, uint64_t time_ps, ik_error *err);

#endif
