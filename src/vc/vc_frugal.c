/* SPDX-License-Identifier: Apache-2.0
 *
 * vc_frugal.c: the VCs of routing frugal: one lane per pair of switches, the same both ways.
 */
#include "routing/graph/route_frugal.h"
#include "vc/routed.h"

static ik_status vc_frugal_create(ik_vc *v, const ik_params *params, const ik_env *env,
                                  ik_error *err)
{
    (void)params, (void)env;
    ik_status status = routed_check(v, err);
    if (status != IK_OK)
        return status;
    routed_layers layers = {frugal_num_lanes(v->routing), frugal_lane_load(v->routing), frugal_lane,
                            true};
    return routed_make(v, &layers, err);
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_frugal = {
    .name = "frugal",
    .summary =
        "the lanes of routing frugal: one VC per pair of switches, the same in both directions",
    .source = "ikat",
    .details = "Only for routing frugal, which chooses paths and lanes together; its parameter "
               "lanes says how many it may use. Spare VCs split the most loaded lanes by pairs of "
               "switches, in the same way for both directions.",
    .params = params,
    .create = vc_frugal_create,
    .destroy = lanes_free_impl,
    .inject = routed_inject,
    .next = lanes_keep,
    .share = routed_share,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT | IK_VC_BY_SWITCH,
};
