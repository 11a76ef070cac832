/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/counters.h: what every engine counts, one set per partition, and what a delivery adds to
 * the checksum. */
#ifndef IKAT_SIM_COUNTERS_H
#define IKAT_SIM_COUNTERS_H

#include "ikat/routing.h"
#include "sim/core/inline.h"

typedef struct counters {
    uint64_t generated, delivered, hops, events, injected, unroutable, order_violations;
    uint64_t offered_bytes, window_bytes, moves;
    uint64_t held; /* packets that have come and wait for an earlier one of their flow */
} counters;

void sim_add_counters(counters *sum, const counters *n);

/* What a delivery adds to its host's checksum: which packet and when; the order does not matter. */
SIM_INLINE uint64_t sim_delivery_hash(const ik_packet *rt, uint64_t t_gen, uint64_t t)
{
    uint64_t x = (t_gen + 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull ^
                 ((uint64_t)rt->src << 32 | rt->dst);
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ull + t;
    x = (x ^ x >> 29) * 0x9FB21C651E98DF25ull;
    return x ^ x >> 32;
}

#endif
