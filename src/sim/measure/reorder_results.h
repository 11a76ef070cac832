/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/reorder_results.h: what is measured of in-order delivery, one set per partition, and its
 * way to the result. */
#ifndef IKAT_SIM_REORDER_RESULTS_H
#define IKAT_SIM_REORDER_RESULTS_H

#include "sim/measure/area.h"
#include "sim/measure/sim_result.h"

/* In the measured window. */
typedef struct reorder_stats {
    sim_area stored, throttled;
    sim_area arrival_sum;    /* latencies of packets up to their arrival, ps */
    uint64_t arrivals;       /* packets */
    uint64_t most_stored;    /* bytes, of a host at a time */
    uint64_t most_throttled; /* ps, of a host */
    uint64_t out_of_order;   /* arrivals behind which an earlier packet was missing */
} reorder_stats;

/* In one period of the series. */
typedef struct reorder_period {
    sim_area stored, throttled;
    uint64_t out_of_order;
} reorder_period;

/* series: [num_series] or NULL. Sums, so that the order of partitions does not matter. */
void sim_reorder_merge(reorder_stats *sum, reorder_period *series, const reorder_stats *more,
                       const reorder_period *more_series, size_t num_series);

#endif
