/* SPDX-License-Identifier: Apache-2.0
 *
 * fixed_flows.h: flows whose paths no queue chooses, all in memory. */
#ifndef IK_FIXED_FLOWS_H
#define IK_FIXED_FLOWS_H

#include "analysis/paths.h"

typedef struct fixed_flows {
    const ik_traffic *whole, *by_port; /* the pattern; the same between ports of hosts */
    path_set paths;                    /* with sizes, in the order of hosts */
    bool known;                        /* all paths are there; false: paths has nothing */
} fixed_flows;

/* Not known of adaptive routings, of workloads and schedules, of patterns with more than 262,144
 * flows or none, of paths with more than 16,777,216 channels together or more bytes than env's
 * limit, where a flow is not delivered, and where a host of several cables sends to itself (by
 * which of them is not known). One thread, with env's seed, limit and flag (NULL: none). Borrows r
 * and t. Cost: O(flows * hops). Errors: IK_ERR_MEMORY, IK_ERR_CANCELLED. */
ik_status fixed_flows_make(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                           fixed_flows *out, ik_error *err);
void fixed_flows_free(fixed_flows *x);

#endif
