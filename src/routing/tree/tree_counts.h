/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_counts.h: how many hosts send over each channel of a tree, and to how many, without a walk
 * for every pair.
 *
 * Where a routing by destination ascends alike (IK_ROUTE_ASCENDS_ALIKE), packets for a host d that
 * do not come from below the level-l ancestor v of d go up from level l at one place of every
 * subtree: in that of d itself this is v, by the same local port by which packets from below v
 * would go on to the ancestor of the next level. So each destination has one descent, of which all
 * other paths to it are copies, and
 *
 *  - over the channel down from there to v come the packets of all hosts that are not below v;
 *  - the channel up by the same port of the switch at the same place of another subtree carries the
 *    packets of all hosts below that switch.
 *
 * Counting the descents through every port gives all numbers of sources and destinations.
 *
 * Where a routing by source ascends alike, each source has one ascent, and source and destination
 * have changed places: over the channel opposite to one with n destinations come the packets of n
 * sources.
 *
 * Where a routing ascends fully (IK_ROUTE_ASCENDS_FULLY), every channel is in use, up for all hosts
 * that are not below its sender, down for all that are below its receiver.
 */
#ifndef IKAT_ROUTING_TREE_COUNTS_H
#define IKAT_ROUTING_TREE_COUNTS_H

#include "ikat/routing.h"
#include "ikat/topology.h"

typedef enum tree_ascents {
    TREE_ASCENTS_NONE,        /* does not fit */
    TREE_ASCENTS_DESTINATION, /* alike, by destination */
    TREE_ASCENTS_SOURCE,      /* alike, by source */
    TREE_ASCENTS_FULL
} tree_ascents;

/* Each source of a channel sends over it to each of its destinations, and no other host sends over
 * it. A channel that is not in use has neither. */
typedef struct tree_counts {
    tree_ascents ascents;
    uint32_t *sources, *destinations; /* [num_ports] by sending port, channels of hosts included */
    uint64_t *turns; /* [num_switches] pairs of hosts whose nearest common ancestor this is; NULL if
                        the routing ascends fully: all of a level have as many */
} tree_counts;

/* How a built-in routing on a whole generated tree without parallel cables says that it ascends. */
tree_ascents tree_counts_fit(const ik_routing *r);
/* Of a routing that fits. *fits: false if it does not keep what it says; *out is empty then. Free
 * with tree_counts_free. Cost O(hosts * levels + ports); of a routing that ascends fully O(hosts *
 * levels * up ports). */
ik_status tree_counts_make(const ik_routing *r, tree_counts *out, bool *fits, ik_error *err);
void tree_counts_free(tree_counts *c);

/* Of a routing that ascends alike: the ports by which the ancestors of host are joined, upwards, on
 * the descent to it or the ascent from it. up[l - 1], l = 1 … h - 1, is the port by which that of
 * level l joins that of level l + 1. room: [max radix] ports. Returns h - 1, IK_NONE if next() says
 * something else at an ancestor, or for one of a few others of its level that host draws. */
uint32_t tree_climb(const ik_routing *r, uint32_t host, uint32_t *room, uint32_t *up);

#endif
