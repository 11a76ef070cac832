/* SPDX-License-Identifier: Apache-2.0
 *
 * arrivals.h: the flows of a pattern destination by destination, each with its source.
 */
#ifndef IK_ARRIVALS_H
#define IK_ARRIVALS_H

#include "analysis/demand.h"

/* Even patterns (ik_traffic_family.even) need no list; of others, the flows to a block of
 * destinations stand in memory at a time. Flows of a host to itself, and those of hosts that hang
 * on no switch, are left out. */
typedef struct arrivals {
    const demand *d;
    size_t *before;      /* [num_hosts + 1] flows to all lower destinations; NULL: even */
    uint32_t first, end; /* the block at hand */
    size_t room, most;   /* flows that there is room for, and that a block should not exceed */
    size_t *next;        /* [num_hosts] where the next flow to a destination goes */
    uint32_t *src;
    double *amount;
} arrivals;

/* Cost: O(flows) here, and again for each block. */
ik_status arrivals_open(arrivals *a, const demand *d, const ik_env *env, ik_error *err);
void arrivals_close(arrivals *a);
/* Turns to the destinations from `first` to a->end, which lies at the end of a host's ports where
 * the fabric is a split one. */
ik_status arrivals_block(arrivals *a, uint32_t first, const ik_env *env, ik_error *err);

/* The sources of flows to dst, a destination of the block: *num of them, number k is
 * arrivals_source(a, dst, k, &amount). Of even patterns switch by switch, else ascending. */
uint32_t arrivals_num(const arrivals *a, uint32_t dst);
/* IK_NONE: no flow. amount: in units of demand.h. */
uint32_t arrivals_source(const arrivals *a, uint32_t dst, uint32_t k, double *amount);

#endif
