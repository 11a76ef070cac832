/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/reply_results.h: what is measured of requests and replies, one set per partition, and its
 * way to the result. */
#ifndef IKAT_SIM_REPLY_RESULTS_H
#define IKAT_SIM_REPLY_RESULTS_H

#include "sim/measure/area.h"
#include "sim/measure/histogram.h"

/* In the measured window. */
typedef struct reply_stats {
    histo round_trip;      /* of requests, made to the last byte of their reply */
    histo request, answer; /* of packets */
    sim_area open;         /* requests without their reply, times ps */
    sim_area *series;      /* [num_series] the same in each period */
    /* Of the whole run: requests that were made, those of a closed loop that were not although the
     * load asked for them, and how many of these may be so by chance at its end. */
    uint64_t made, unmade, unmade_by_chance;
} reply_stats;

bool sim_reply_stats_init(reply_stats *n, size_t num_series); /* false = out of memory */
void sim_reply_stats_free(reply_stats *n);
uint64_t sim_reply_stats_bytes(size_t num_series); /* beside the struct */
/* Sums, so that the order of partitions does not matter. */
void sim_reply_stats_merge(reply_stats *sum, const reply_stats *more, size_t num_series);

#endif
