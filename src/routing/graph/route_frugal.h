/* SPDX-License-Identifier: Apache-2.0
 *
 * route_frugal.h: what VC scheme frugal asks of routing frugal.
 */
#ifndef IKAT_ROUTING_ROUTE_FRUGAL_H
#define IKAT_ROUTING_ROUTE_FRUGAL_H

#include "routing/graph/links.h"

/* Number of lanes of a routing of family frugal, and the lane of packets between two hosts, the
 * same for both directions. */
unsigned frugal_num_lanes(const ik_routing *r);
unsigned frugal_lane(const ik_routing *r, uint32_t src, uint32_t dst);
/* Switch-to-switch hops of uniform traffic in each lane, [frugal_num_lanes]. */
const uint64_t *frugal_lane_load(const ik_routing *r);

#endif
