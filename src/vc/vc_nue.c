/* SPDX-License-Identifier: Apache-2.0
 *
 * vc_nue.c: the VCs of routing nue: a packet takes the layer of its destination, or with pairs=both
 * of its two hosts, and keeps it. Source: J. Domke, T. Hoefler, S. Matsuoka, "Routing on the
 * Dependency Graph", HPDC 2016.
 */
#include "routing/graph/route_nue.h"
#include "vc/routed.h"

static ik_status vc_nue_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params, (void)env;
    ik_status status = routed_check(v, err);
    if (status != IK_OK)
        return status;
    routed_layers layers = {nue_num_layers(v->routing), nue_layer_load(v->routing), nue_layer,
                            nue_both_ways(v->routing)};
    return routed_make(v, &layers, err);
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_nue = {
    .name = "nue",
    .summary = "the layers of routing nue: the VC depends on the destination",
    .source = "Domke, Hoefler, Matsuoka: Routing on the Dependency Graph, HPDC 2016",
    .details = "Only for routing nue, whose parameter vcs says how many layers it has. Spare VCs "
               "split the most loaded layers by source; with nue:pairs=both, in the same way for "
               "both directions between two hosts.",
    .params = params,
    .create = vc_nue_create,
    .destroy = lanes_free_impl,
    .inject = routed_inject,
    .next = lanes_keep,
    .share = routed_share,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
