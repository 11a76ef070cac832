/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_paths.h: the flows of a net divided over paths, which are kept one by one.
 */
#ifndef IK_FLOW_PATHS_H
#define IK_FLOW_PATHS_H

#include "analysis/bounds/flow_trees.h"

/* What one node sends: to num others, each over paths path_base[i] … path_base[i + 1] - 1, which
 * are the arcs arc_base[p] … arc_base[p + 1] - 1, from the destination backwards. */
typedef struct flow_source {
    uint32_t node, num;
    uint32_t *dest;
    double *amount;
    uint32_t *path_base; /* [num + 1] */
    uint32_t *arc_base;  /* [paths + 1] */
    double *flow;        /* [paths] */
    uint32_t *arc;
} flow_source;

/* Loads of arcs as shares of their capacities, and lengths: exp(steepness * (load - top)) /
 * capacity, at least a tiny length. */
typedef struct flow_state {
    const flow_net *net;
    double *load, *length; /* [num_arcs] */
    double steepness, top;
} flow_state;

/* The source's flows, as the tree's row has them, without paths. */
ik_status flow_source_init(flow_source *s, uint32_t node, const flow_tree *tree, ik_error *err);
void flow_source_free(flow_source *s);
/* Adds the tree's path to each destination, where these are few also some that come over its other
 * neighbours, the shortest ones by `length`, unless they are there, and drops paths without flow. A
 * destination's first path takes all of its flow. On failure all stays as it was. */
ik_status flow_source_add(flow_source *s, const flow_tree *tree, const double *length,
                          ik_error *err);
/* Adds its flows to the loads. A destination's largest flow is first set to what the others leave
 * of its amount, so that rounding does not add up. */
void flow_source_load(flow_source *s, double *load, const flow_net *net);
/* Moves each destination's flow from longer paths to the shortest one, each by a step of Newton's
 * towards the least sum of exp(steepness * load). */
void flow_source_balance(flow_source *s, flow_state *state);
/* Arcs of the paths of destinations that have several: the cost of balancing. */
uint64_t flow_source_work(const flow_source *s);
/* What its arrays take. */
uint64_t flow_source_bytes(const flow_source *s);

void flow_state_measure(flow_state *state); /* lengths of all arcs */

#endif
