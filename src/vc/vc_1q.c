/* SPDX-License-Identifier: Apache-2.0
 *
 * 1q: every packet on VC 0. The base line, and all that a routing without cyclic dependencies
 * needs.
 */
#include "vc/lanes.h"

static ik_status vc_1q_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params, (void)env;
    return lanes_settle(v, 1, 1, "any path", err);
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_1q = {
    .name = "1q",
    .summary = "a single queue: every packet uses VC 0",
    .source = "the usual baseline",
    .details = "Every packet stays on VC 0; further VCs stay empty. Free of deadlock if and only "
               "if the routing is with one VC.",
    .params = params,
    .create = vc_1q_create,
    .inject = lanes_inject_first,
    .next = lanes_keep,
    .static_lane = true,
    .ignores =
        IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_BY_SWITCH | IK_VC_BY_LANE | IK_VC_ANY_PORT,
};
