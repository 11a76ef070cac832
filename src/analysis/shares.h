/* SPDX-License-Identifier: Apache-2.0
 *
 * shares.h: what part of one flow each channel carries, under routings with several paths.
 */
#ifndef IK_SHARES_H
#define IK_SHARES_H

#include "analysis/spread.h"

struct flow_walker;

typedef struct shares {
    const ik_routing *r;
    spread s;
    struct flow_walker *walker; /* of routings that neither are destination-based nor have legs */
    uint32_t *middles;          /* [num_switches] */
    uint32_t *touched, num;     /* [num_ports] the flow's channels, injection first */
    load_sums sums;             /* crossing: the part on each of them; zero on all others */
    /* its switches, if all flows between them take the same paths; else IK_NONE */
    uint32_t first, goal;
    uint32_t last; /* its last channel, to the destination */
} shares;

ik_status shares_init(shares *s, const ik_routing *r, ik_error *err);
void shares_free(shares *s);
/* Returns the number of channels in `touched`; 0 if not all of the flow arrives. Cost: the switches
 * on its paths, for each middle switch; behind a flow between the same switches, under a routing
 * that looks at switches alone, its channels. */
uint32_t shares_of_flow(shares *s, uint32_t src, uint32_t dst);

#endif
