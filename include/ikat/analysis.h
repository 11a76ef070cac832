/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/analysis.h: static measures: distances, diversity, bisection, cost; channel loads and contention under a pattern.
 *
 * Everything here looks at the graph (or at the graph, a routing and a pattern); nothing is simulated. Distances count
 * switch-to-switch hops: two hosts of one switch are at distance 0. Functions are thread-safe on different outputs.
 */
#ifndef IKAT_ANALYSIS_H
#define IKAT_ANALYSIS_H

#include "ikat/routing.h"
#include "ikat/traffic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------ what stands there */

/* Links of one class. */
typedef struct ik_link_count {
    uint64_t rate_bps, latency_ps;
    const char *name;      /* borrowed from the fabric */
    uint64_t switch_links; /* between switches */
    uint64_t host_links;
} ik_link_count;

/* A fabric in numbers. Cost as T. Kathareios et al., Cost-Effective Diameter-Two Topologies, SC'15, section 2: ports and
 * links for every host. Free with ik_description_free. */
typedef struct ik_description {
    uint64_t hosts, switches;
    uint64_t ports;              /* of switches, connected or not */
    uint64_t unconnected_ports;  /* of switches */
    uint64_t links, switch_links, host_links;
    uint32_t radix, min_radix;   /* largest and smallest number of ports of a switch */
    uint32_t max_degree, min_degree; /* links to other switches: largest and smallest of a switch */
    uint64_t leaf_switches;      /* switches with hosts */
    uint32_t max_hosts_per_switch, min_hosts_per_switch; /* over the leaf switches */
    double ports_per_host, links_per_host; /* 0 without hosts */
    uint32_t levels;             /* 0 = no tree */
    uint64_t *level_switches;    /* [levels] switches at level 1, 2, … */
    ik_link_count *link_counts;  /* [num_link_counts] by falling rate; classes without links are left out */
    size_t num_link_counts;
} ik_description;
/* Cost O(ports). */
ik_status ik_fabric_describe(const ik_fabric *f, ik_description *out, ik_error *err);
void ik_description_free(ik_description *d);

/* ------------------------------------------------------------------------------------------ distances */

/* Distances between switches. Weighted by host pairs, and (004) by switch pairs. */
typedef struct ik_distances {
    uint32_t diameter;         /* largest distance between switches with hosts (connected ones) */
    uint32_t switch_diameter;  /* largest distance between any two switches, IK_NONE if some two are unconnected */
    double mean_hops;          /* over ordered pairs of different connected hosts */
    double mean_switch_hops;   /* over ordered pairs of different connected switches */
    uint64_t *histogram;       /* [num] ordered pairs of different hosts by distance */
    uint64_t *switch_histogram;/* [num] ordered pairs of different switches by distance */
    uint64_t *leaf_histogram;  /* [num] the same among switches with hosts */
    size_t num;
    uint64_t unconnected_pairs;/* ordered host pairs without a path, hosts that hang on no switch included */
} ik_distances;
/* All-pairs, bit-parallel breadth-first search (512 sources a sweep), all threads of env. Switches with the same neighbours are
 * searched once: exact, and what makes a million-host tree cheap. Cost O(C * E * D / 64) for C classes of switches with equal
 * neighbours, E links between classes, D the diameter. Free with ik_distances_free. */
ik_status ik_distances_measure(const ik_fabric *f, const ik_env *env, ik_distances *out, ik_error *err);
void ik_distances_free(ik_distances *d);
/* About how many 64-bit operations ik_distances_measure would take, the diameter taken as 8: ask before a default runs it. */
ik_status ik_distances_cost(const ik_fabric *f, double *word_operations, ik_error *err);

#ifdef __cplusplus
}
#endif
#endif
