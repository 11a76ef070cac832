/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_trees.h: shortest paths from one node of a flow net, and flows over them.
 */
#ifndef IK_FLOW_TREES_H
#define IK_FLOW_TREES_H

#include "analysis/bounds/flow_net.h"
#include "base/array.h"

/* One thread's memory. */
typedef struct flow_tree {
    const flow_net *net;
    double *row;      /* [num_nodes] what the source sends: flow_net_row */
    double *distance; /* [num_nodes] INFINITY = not reached */
    uint32_t *by_arc; /* [num_nodes] the arc by which the shortest path comes */
    uint32_t *order;  /* nodes by distance */
    uint32_t num;
    double *through; /* [num_nodes] */
    ik_heap heap;
} flow_tree;

ik_status flow_tree_init(flow_tree *t, const flow_net *net, ik_error *err);
void flow_tree_free(flow_tree *t);
/* Shortest paths from the source to every node to which it sends; length [num_arcs], >= 0. Returns
 * what its flows pay: the sum of amount * distance. Among paths of equal length the choice is the
 * same. Does not fail: there is room for every arc in the heap. Cost O(arcs * log arcs). */
double flow_tree_grow(flow_tree *t, uint32_t source, const double *length);
/* May paths from the source leave the node? Hosts pass nothing on. */
bool flow_tree_passes(const flow_tree *t, uint32_t source, uint32_t node);
/* The arc that leads back, with which it makes a link. O(log arcs of a node). */
uint32_t flow_tree_reverse(const flow_net *net, uint32_t arc);
/* Adds the source's flows to load [num_arcs], divided among all paths with the fewest arcs: at each
 * node, seen from the destinations, in proportion to the capacities. Returns the sum of amount *
 * hops. Cost O(arcs). */
double flow_tree_spread(flow_tree *t, uint32_t source, double *load);

#endif
