/* SPDX-License-Identifier: Apache-2.0
 *
 * balanced.h: one shortest path a switch and destination, chosen so that links carry even numbers
 * of host pairs.
 */
#ifndef IKAT_ROUTING_BALANCED_H
#define IKAT_ROUTING_BALANCED_H

#include "routing/graph/links.h"

typedef enum balanced_rule {
    BALANCED_PATH, /* least total load along the whole path (SSSP) */
    /* from the far end inwards, the least loaded link for what flows through the switch */
    BALANCED_LINK
} balanced_rule;

/* Fills r->lft, destination after destination. O(hosts * links): the loads chain the destinations,
 * so one thread works. */
ik_status balanced_route(ik_routing *r, balanced_rule rule, unsigned passes, const ik_env *env,
                         ik_error *err);

#endif
