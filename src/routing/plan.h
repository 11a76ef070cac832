/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.h: making a plan step by step, for those who want to know which step refused.
 */
#ifndef IKAT_ROUTING_PLAN_H
#define IKAT_ROUTING_PLAN_H

#include "ikat/routing.h"

typedef enum plan_stage { PLAN_ROUTING, PLAN_VC, PLAN_SELECTION } plan_stage;

typedef struct plan_specs {
    const char *routing, *vc, *selection; /* vc, selection: NULL = the routing's own */
    unsigned num_vcs;
} plan_specs;

/* ik_plan_from_specs(); *stage: the step that failed. */
ik_status plan_make(const ik_fabric *f, const plan_specs *specs, const ik_env *env,
                    plan_stage *stage, ik_plan **out, ik_error *err);

#endif
