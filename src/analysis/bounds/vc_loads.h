/* SPDX-License-Identifier: Apache-2.0
 *
 * vc_loads.h: what VCs carry for certain. */
#ifndef IK_VC_LOADS_H
#define IK_VC_LOADS_H

#include "analysis/bounds/fixed_flows.h"

/* Where every host offers all that its links carry, or the part `sent` of it. */
typedef struct vc_loads {
    double *channel; /* [ports] bit/s; NULL: not known */
    double *vc;      /* [ports][VCs] at least: of flows that may take several, nothing */
} vc_loads;

/* sent: [hosts of the plan's fabric]. Not known where the flows are not. Cost: O(flows * hops).
 * Errors: IK_ERR_MEMORY, IK_ERR_CANCELLED. */
ik_status vc_loads_measure(const ik_plan *plan, const fixed_flows *flows, const double *sent,
                           const ik_env *env, vc_loads *out, ik_error *err);
void vc_loads_free(vc_loads *l);

#endif
