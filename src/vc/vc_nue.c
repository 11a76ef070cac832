/* SPDX-License-Identifier: Apache-2.0
 *
 * vc_nue.c: the VCs of routing nue: a packet takes the layer of its destination, or with pairs=both
 * of its two hosts, and keeps it. Spare VCs split the layers with most traffic by source, or by
 * both hosts alike. Source: J. Domke, T. Hoefler, S. Matsuoka,
 * "Routing on the Dependency Graph", HPDC 2016.
 */
#include "routing/graph/route_nue.h"
#include "vc/layers.h"

#include <stdlib.h>
#include <string.h>

static ik_status create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params, (void)env;
    if (strcmp(v->routing->family->name, "nue") != 0) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "VC scheme 'nue' belongs to routing nue, the routing is '%s'",
                v->routing->family->name);
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "dfsssp, lash and acro layer the paths of other routings");
    }
    layer_vcs *vcs = ik_calloc(1, sizeof *vcs);
    if (!vcs)
        return ik_fail_memory(err, sizeof *vcs, "a VC scheme");
    ik_status status =
        layer_vcs_settle(v, nue_num_layers(v->routing), nue_layer_load(v->routing), vcs, err);
    if (status != IK_OK)
        free(vcs);
    else
        v->impl = vcs;
    v->both_ways = nue_both_ways(v->routing);
    return status;
}

static void inject(const ik_vc *v, ik_packet *pk)
{
    const layer_vcs *vcs = v->impl;
    unsigned layer = nue_layer(v->routing, pk->src, pk->dst),
             width = vcs->base[layer + 1] - vcs->base[layer];
    uint32_t turn = v->both_ways ? pk->src + pk->dst : pk->src;
    pk->vc = pk->layer = (uint8_t)(vcs->base[layer] + turn % width);
}

static double share(const ik_vc *v, unsigned vc)
{
    return layer_vcs_share(v->impl, vc);
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_nue = {
    .name = "nue",
    .summary = "the layers of routing nue: VC by destination",
    .source = "Domke, Hoefler, Matsuoka: Routing on the Dependency Graph, HPDC 2016",
    .details = "Only for routing nue, whose parameter vcs says how many layers it has; spare VCs "
               "split the heaviest of them by source; where both directions of two hosts have one "
               "layer (nue:pairs=both), alike for both directions.",
    .params = params,
    .create = create,
    .destroy = lanes_free_impl,
    .inject = inject,
    .next = lanes_keep,
    .share = share,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
