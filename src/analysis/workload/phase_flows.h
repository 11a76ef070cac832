/* SPDX-License-Identifier: Apache-2.0
 *
 * phase_flows.h: a workload cut into phases, each of which is a pattern.
 */
#ifndef IK_PHASE_FLOWS_H
#define IK_PHASE_FLOWS_H

#include "ikat/routing.h"
#include "ikat/traffic.h"

/* A message, or all messages of a pair of hosts in a phase. */
typedef struct phase_flow {
    uint32_t src, dst;
    uint64_t bytes;
} phase_flow;

typedef struct phase_cut {
    const ik_routing *r;
    const ik_traffic *t;
    size_t *first;     /* [classes + 1] a graph's messages by class */
    phase_flow *flows; /* of all phases */
} phase_cut;

/* An all-to-all is one phase and takes no memory; of a graph, every message stands here. */
ik_status phase_cut_make(phase_cut *c, const ik_routing *r, const ik_traffic *t, const ik_env *env,
                         ik_error *err);
void phase_cut_free(phase_cut *c);

/* The pattern of a phase. Loads of it are parts of the bytes that the busiest host sends. */
typedef struct phase_pattern {
    ik_traffic traffic;
    ik_traffic_family family;
    const ik_workload *work;
    const ik_fabric *ports; /* the routing's */
    uint64_t messages, bytes, num_flows;
    uint64_t busiest_bytes, ref_rate_bps;
    uint64_t each;           /* all-to-all: bytes of a flow */
    const phase_flow *flows; /* graph: ascending by source, then destination */
    size_t *base;            /* [num_hosts + 1] */
} phase_pattern;

/* Merges the messages of each pair of hosts. The cut outlives the pattern, and stays usable. */
ik_status phase_pattern_make(phase_pattern *p, phase_cut *c, uint32_t number, ik_error *err);
void phase_pattern_free(phase_pattern *p);

#endif
