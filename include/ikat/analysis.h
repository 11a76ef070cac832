/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/analysis.h: static measures: distances, diversity, bisection, cost; channel loads and contention under a pattern.
 */
#ifndef IKAT_ANALYSIS_H
#define IKAT_ANALYSIS_H

#include "ikat/routing.h"
#include "ikat/traffic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distances between the switches that have hosts, in switch-to-switch hops, weighted by host pairs. */
typedef struct ik_distances {
    uint32_t diameter;         /* largest distance between switches with hosts */
    uint32_t switch_diameter;  /* largest distance between any two switches, IK_NONE if unconnected */
    double mean_hops;          /* over ordered pairs of different hosts */
    double mean_switch_hops;   /* over ordered pairs of different switches (004) */
    uint64_t *histogram;       /* [num] ordered host pairs by distance */
    size_t num;
    uint64_t unconnected_pairs;/* ordered host pairs */
} ik_distances;
/* All-pairs, bit-parallel breadth-first search, all threads. Cost O(S * E / 64) words. Free with ik_distances_free. */
ik_status ik_distances_measure(const ik_fabric *f, const ik_env *env, ik_distances *out, ik_error *err);
void ik_distances_free(ik_distances *d);

#ifdef __cplusplus
}
#endif
#endif
