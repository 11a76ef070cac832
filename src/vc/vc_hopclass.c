/* SPDX-License-Identifier: Apache-2.0
 *
 * hopclass: VC = number of switch-to-switch channels behind the packet. VC numbers only grow along
 * a path, so no cycle of dependencies can close, whatever the graph and the routing; the price is
 * one VC a hop of the longest path. Source: K. D. Gunther, "Prevention of Deadlocks in
 * Packet-Switched Data Transport Systems", IEEE Trans. Communications 29(4), 1981.
 */
#include "vc/lanes.h"
#include "vc/walk.h"

#include <stdio.h>

static ik_status hopclass_create(ik_vc *v, const ik_params *params, const ik_env *env,
                                 ik_error *err)
{
    (void)params;
    walk_reach reach;
    ik_status status = walk_routing_reach(v->fabric, v->routing, env, &reach, err);
    if (status != IK_OK)
        return status;
    char why[64];
    snprintf(why, sizeof why, "paths of up to %s", IK_COUNT(reach.hops, "hop"));
    unsigned needed = reach.hops ? reach.hops : 1;
    status = lanes_settle(v, needed, needed, why, err);
    v->single = status == IK_OK && v->num_vcs / v->vcs_needed == 1;
    return status;
}

static void hopclass_next(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                          const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last)
{
    (void)sw, (void)in_port;
    lanes_class(v, lanes_ejects(v->fabric, out_port) ? 0 : pk->hops, vc_first, vc_last);
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_hopclass = {
    .name = "hopclass",
    .summary = "VC = number of hops so far: breaks every cycle, needs one VC per hop",
    .source = "Gunther, \"Prevention of Deadlocks in Packet-Switched Data Transport Systems\", "
              "IEEE Trans. Communications 29(4), 1981; Besta, Hoefler, \"Slim Fly: A Cost "
              "Effective Low-Diameter Network Topology\", SC 2014",
    .details = "The i-th switch-to-switch channel of a path (counted from 0) is taken on VC i, "
               "host channels on VC 0. The scheme needs as many VCs as the longest allowed path "
               "has hops: the diameter for minimal routing, twice the diameter for Valiant's. A "
               "multiple of that number gives each hop several VCs.",
    .params = params,
    .create = hopclass_create,
    .inject = lanes_inject_first,
    .next = hopclass_next,
    .static_lane = false,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_BY_SWITCH | IK_VC_BY_LANE | IK_VC_ANY_PORT,
};
