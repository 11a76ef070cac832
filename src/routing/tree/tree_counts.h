/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_counts.h: how many hosts send over each channel of a tree, and to how many, without a walk
 * for every destination.
 *
 * Where a routing ascends alike (IK_ROUTE_ASCENDS_ALIKE), packets for a host d that do not come
 * from below the level-l ancestor v of d go up from level l at one place of every subtree: in that
 * of d itself this is v, by the same local port by which packets from below v would go on to the
 * ancestor of the next level. So each destination has one descent, of which all other paths to it
 * are copies, and
 *
 *  - over the channel down from there to v come the packets of all hosts that are not below v;
 *  - the channel up by the same port of the switch at the same place of another subtree carries the
 *    packets of all hosts below that switch.
 *
 * Counting the descents through every port gives all numbers of sources and destinations.
 *
 * Where a routing ascends fully (IK_ROUTE_ASCENDS_FULLY), every channel is in use, up for all hosts
 * that are not below its sender, down for all that are below its receiver.
 */
#ifndef IKAT_ROUTING_TREE_COUNTS_H
#define IKAT_ROUTING_TREE_COUNTS_H

#include "ikat/routing.h"
#include "ikat/topology.h"

/* Every channel in use has all hosts below its sender as sources if it leads up, and all that are
 * not below its receiver if it leads down; each of them sends over it to each of its destinations,
 * and no other host sends over it. */
typedef struct tree_counts {
    bool fully;             /* of a routing that ascends fully */
    uint32_t *destinations; /* [num_ports] by sending port, channels of hosts included */
    uint64_t *turns; /* [num_switches] pairs of hosts whose nearest common ancestor this is; NULL if
                        each pair has several of them */
} tree_counts;

/* Says the routing that it ascends alike, and does the fabric have one cable per host, no parallel
 * cables, and several subtrees below each level? Never for routings of plug-ins: tests ask built-in
 * ones at every switch, where a count asks at two of each level. */
bool tree_counts_fit(const ik_routing *r);
/* The same of a routing that ascends fully; of either. */
bool tree_counts_fit_fully(const ik_routing *r);
bool tree_counts_fit_either(const ik_routing *r);
/* Of a routing that fits, one way or the other. *fits: false if it does not keep what it says; *out
 * is empty then. Free with tree_counts_free. Cost O(hosts * levels + ports); of a routing that
 * ascends fully O(hosts * levels * up ports). */
ik_status tree_counts_make(const ik_routing *r, tree_counts *out, bool *fits, ik_error *err);
void tree_counts_free(tree_counts *c);

/* The descent to dst, upwards: up[l - 1], l = 1 … h - 1, is the port by which its level-l ancestor
 * joins that of level l + 1. room: [max radix] ports. Returns h - 1, IK_NONE if next() at an
 * ancestor or at one of two other switches of its level, drawn by dst, says something else. */
uint32_t tree_descent(const ik_routing *r, uint32_t dst, uint32_t *room, uint32_t *up);

#endif
