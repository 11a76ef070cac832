/* SPDX-License-Identifier: Apache-2.0
 *
 * vc_loads.h: what VCs carry for certain. */
#ifndef IK_VC_LOADS_H
#define IK_VC_LOADS_H

#include "ikat/analysis.h"

/* Where every host offers all that its links carry, or the part `sent` of it. */
typedef struct vc_loads {
    double *channel; /* [ports] bit/s; NULL: not known */
    double *vc;      /* [ports][VCs] at least: of flows that may take several, nothing */
} vc_loads;

/* sent: [ports] of the host's end of each cable. Not known of adaptive routings, of workloads and
 * schedules, of patterns with more than 262,144 flows, or flows that are not delivered, or hosts of
 * several cables that send to themselves. Cost: O(flows * hops). Errors: IK_ERR_MEMORY,
 * IK_ERR_CANCELLED. */
ik_status vc_loads_measure(const ik_plan *plan, const ik_traffic *t, const double *sent,
                           const ik_env *env, vc_loads *out, ik_error *err);
void vc_loads_free(vc_loads *l);

#endif
