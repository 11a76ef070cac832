/* SPDX-License-Identifier: Apache-2.0
 *
 * order/deliver.h: what a packet counts for that is delivered. */
#ifndef IKAT_SIM_DELIVER_H
#define IKAT_SIM_DELIVER_H

#include "sim/state/state.h"

#include <assert.h>

/* Counts a delivery in series, classes, reorder statistics and workloads. Every engine calls it for
 * each packet, in the partition of the host, not after the window in which d->t lies; of one
 * instant in any order. */
void sim_delivered(partition *p, uint32_t host, const delivered *d);
/* Counts a packet that is delivered, and calls sim_delivered. */
void sim_deliver(partition *p, uint32_t host, const delivered *d);

/* A delivery at time t, for the series. */
SIM_INLINE void sim_count_series(partition *p, uint64_t t, uint32_t bytes, uint64_t latency)
{
    assert(p->sim->measure.series_ps > 0);
    const sim *s = p->sim;
    size_t period = t / s->measure.series_ps;
    if (period >= s->measure.num_series)
        return;
    p->series_bytes[period] += bytes;
    p->series_count[period]++;
    p->series_sum[period] += latency;
}

#endif
