/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics per class of the traffic. One set of counters a partition; sums of integers, so the
 * order of adding up is no matter.
 */
#ifndef IKAT_SIM_CLASSES_H
#define IKAT_SIM_CLASSES_H

#include "ikat/traffic.h"
#include "sim/measure/histogram.h"
#include "sim/measure/sim_result.h"

typedef struct class_stats class_stats;

typedef struct class_counts {
    uint64_t offered_bytes, window_bytes;
    uint64_t culprits, victims; /* packets in congestion trees, summed over the samples */
    histo latency;
    uint64_t *series_bytes, *series_count; /* [num_series], one block */
    sim_area *series_sum;                  /* [num_series] latencies, ps */
} class_counts;

struct class_stats {
    const ik_traffic *traffic;
    unsigned num;
    size_t num_series;
    class_counts *of; /* [num] */
};

/* Of what is made for each partition; traffic may be NULL. */
uint64_t sim_classes_bytes(const ik_traffic *traffic, size_t num_series);
/* NULL where the traffic has no classes. */
ik_status sim_classes_new(const ik_traffic *traffic, size_t num_series, class_stats **out,
                          ik_error *err);
void sim_classes_free(class_stats *c);
/* Message n of host was made within the measured window. */
void sim_classes_offer(class_stats *c, uint32_t host, uint64_t n, uint64_t bytes);
/* Bytes of a class, or a whole packet, arrived. period: of the series, ignored beyond its end. */
void sim_classes_take(class_stats *c, unsigned class, uint64_t bytes, bool measured, size_t period);
void sim_classes_deliver(class_stats *c, unsigned class, uint64_t latency_ps, bool measured,
                         size_t period);

/* `weight` packets of a class stood in a congestion tree, on their way through its root or
 * (victims) not. */
void sim_classes_hold(class_stats *c, unsigned class, bool culprit, uint64_t weight);

/* Class of message n of src. */
SIM_INLINE unsigned sim_class_of(const class_stats *c, uint32_t src, uint64_t n)
{
    return c->traffic->family->class_of(c->traffic, src, n);
}
void sim_classes_merge(class_stats *into, const class_stats *from);
/* capacity_bytes: what all hosts together can inject in the window; period_bytes[num_series]: in a
 * period of r->series_period_ps.
 */
ik_status sim_classes_export(const class_stats *c, double capacity_bytes,
                             const double *period_bytes, ik_sim_result *r, ik_error *err);

#endif
