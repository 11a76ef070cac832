/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/histogram.h: latencies in buckets of at most 1/128 of their value. */
#ifndef IKAT_SIM_HISTOGRAM_H
#define IKAT_SIM_HISTOGRAM_H

#include "ikat/sim.h"
#include "sim/core/inline.h"
#include "sim/measure/area.h"

typedef struct histo {
    uint64_t *buckets;
    uint64_t count;
    sim_area sum;
    uint64_t min, max;
} histo;

bool sim_histo_init(histo *t);
void sim_histo_merge(histo *into, const histo *from);
ik_status sim_histo_export(const histo *t, ik_histogram *h, ik_error *err);
#define HISTO_BUCKETS (58u * 128u)
SIM_INLINE void sim_histo_add(histo *t, uint64_t value)
{
    unsigned bucket = (unsigned)value;
    if (value >= 256) {
        unsigned shift = 56u - (unsigned)__builtin_clzll(value);
        bucket = shift * 128u + (unsigned)(value >> shift);
    }
    t->buckets[bucket]++;
    t->count++;
    t->sum += value;
    if (value < t->min)
        t->min = value;
    if (value > t->max)
        t->max = value;
}

#endif
