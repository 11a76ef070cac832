/* SPDX-License-Identifier: Apache-2.0
 *
 * spread.h: how flows to one destination, a host or a switch, spread over the channels of a fabric.
 */
#ifndef IK_SPREAD_H
#define IK_SPREAD_H

#include "analysis/walk.h"

/* Sums by channel and switch, in amounts of demand.h. */
typedef struct load_sums {
    double *load, *crossing; /* [num_ports] */
    double *turns;           /* [num_switches] */
} load_sums;

/* The routes to one destination: a tree (deterministic) or an acyclic graph (several ports at a
 * switch). One per thread. Arrays by switch; entries of switches that are not in `order` are
 * zero. */
typedef struct spread {
    walker w;
    /* the destination: `goal` is its switch, IK_NONE: flows are followed to the host itself */
    uint32_t host, goal;
    uint32_t *order, num; /* visited switches */
    /* those in topological order, sources first; loops are left out */
    uint32_t *sorted, num_sorted;
    uint32_t *in_port; /* a port by which flows come */
    uint32_t *indegree;
    /* range in outs; after spread_run only ports that lead to the destination */
    uint32_t *out_first, *out_num;
    uint32_t *outs, num_outs; /* [switch ports] channels */
    uint8_t *seen, *good;     /* good: flows that are here arrive */
    /* what flows through; up: the part of count that has not left the ascent yet */
    double *amount, *count, *up;
} spread;

ik_status spread_init(spread *s, const ik_routing *r, ik_error *err);
void spread_free(spread *s);
/* Forgets everything and turns to a host (destination-based routings), or to the switch `goal` by
 * the routing's legs; a routing without legs is asked for the way to `host`, which hangs on it. */
void spread_to_host(spread *s, uint32_t host);
void spread_to_switch(spread *s, uint32_t goal, uint32_t host);
/* Adds flows that enter at sw. */
void spread_offer(spread *s, uint32_t sw, uint32_t in_port, double amount, double count, double up);
/* Follows all flows, divided evenly among the ports of a switch that lead to the destination. Each
 * switch is handled once: O(visited switches and ports). sums may be NULL. last: at `goal` the
 * flows leave the ascent, in trees. */
void spread_run(spread *s, load_sums *sums, bool last);
static inline bool spread_arrives(const spread *s, uint32_t sw)
{
    return s->good[sw];
}
/* After spread_run: rise[sw] = part of the flows from sw that go up all the way to the destination;
 * visited switches only. */
void spread_rise(const spread *s, double *rise);

#endif
