/* SPDX-License-Identifier: Apache-2.0
 *
 * phase: VC = phase of the route, 0 on the way to the intermediate switch and 1 after it. Enough
 * for Valiant's routing wherever each half alone is free of cyclic dependencies (trees, OFT, MLFM),
 * not elsewhere. Source: L. G. Valiant, "A scheme for fast parallel communication", SIAM J.
 * Computing 11(2), 1982, for the two phases; Kathareios et al., "Cost-Effective Diameter-Two
 * Topologies: Analysis and Evaluation", SC 2015, for this use.
 */
#include "vc/lanes.h"
#include "vc/walk.h"

#include <stdio.h>

static ik_status phase_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params;
    walk_reach reach;
    ik_status status = walk_routing_reach(v->fabric, v->routing, env, &reach, err);
    if (status != IK_OK)
        return status;
    char why[64];
    snprintf(why, sizeof why, "routes of %s", IK_COUNT(reach.phase + 1, "phase"));
    status = lanes_settle(v, reach.phase + 1, reach.phase + 1, why, err);
    v->single = status == IK_OK && v->num_vcs / v->vcs_needed == 1;
    return status;
}

/* The routing has processed the packet before: at the intermediate switch the phase is already that
 * of the second half. */
static void phase_next(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                       const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last)
{
    (void)sw, (void)in_port;
    lanes_class(v, lanes_ejects(v->fabric, out_port) ? 0 : pk->phase, vc_first, vc_last);
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_phase = {
    .name = "phase",
    .summary = "VC = phase of the route: 0 before the intermediate switch, 1 after it",
    .source = "Valiant, \"A scheme for fast parallel communication\", SIAM J. Computing 11(2), "
              "1982; Kathareios, Minkenberg, Prisacari, Rodriguez, Hoefler, \"Cost-Effective "
              "Diameter-Two Topologies\", SC 2015",
    .details = "Switch-to-switch channels on the way to the intermediate switch are taken on VC 0, "
               "those after it on VC 1; host channels on VC 0. A routing with more phases needs as "
               "many VCs as phases; a multiple gives each phase several VCs.",
    .params = params,
    .create = phase_create,
    .inject = lanes_inject_first,
    .next = phase_next,
    .static_lane = false,
    .ignores =
        IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_BY_SWITCH | IK_VC_BY_LANE | IK_VC_ANY_PORT,
};
