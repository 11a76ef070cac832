/* SPDX-License-Identifier: Apache-2.0
 *
 * levels.h: the search for the levels of a tree.
 */
#ifndef IKAT_FABRIC_LEVELS_H
#define IKAT_FABRIC_LEVELS_H

#include "fabric/fabric_private.h"

typedef struct levels_search {
    const ik_fabric *f;
    uint32_t *hosts; /* [switches] attached hosts */
    /* [num_reached] switches with a level, those of lower levels first: what is below a switch has
     * been looked at before it */
    uint32_t *queue;
    uint32_t num_reached;
    uint32_t *level; /* [switches] hops from the nearest leaf, and 1; 0 = not reached */
    uint32_t max_hosts;
} levels_search;

/* Brings switches without hosts, which hops from the leaves put above the switches that they are
 * below, to their levels. s->level: of a tree, whose links all join neighbouring levels; what comes
 * of it may be none. Cost O(links * leaves / 64), nothing is done beyond 256 MB. */
ik_status levels_fold(levels_search *s, ik_error *err);

#endif
