/* SPDX-License-Identifier: Apache-2.0
 *
 * VOQnet: a queue of its own for every destination at every port, so that no packet waits behind
 * one to another host. The ideal that other queuing schemes are measured against; VC numbers are
 * bytes, so it ends at 256 hosts. Source: W. Dally, P. Carvey, L. Dennison, "Architecture of the
 * Avici Terabit Switch/Router", Hot Interconnects 1998.
 */
#include "vc/lanes.h"

#include <assert.h>
#include <stdio.h>

static ik_status voqnet_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params, (void)env;
    char why[64];
    snprintf(why, sizeof why, "%s", IK_COUNT(v->fabric->num_hosts, "destination"));
    unsigned needed = v->fabric->num_hosts ? v->fabric->num_hosts : 1;
    return lanes_settle(v, needed, needed, why, err);
}

static void voqnet_inject(const ik_vc *v, ik_packet *pk)
{
    assert(pk->dst < v->num_vcs);
    (void)v;
    pk->vc = (uint8_t)pk->dst;
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_voqnet = {
    .name = "voqnet",
    .summary = "one queue per destination everywhere: no head-of-line blocking",
    .source = "Dally, Carvey, Dennison, \"Architecture of the Avici Terabit Switch/Router\", Hot "
              "Interconnects 1998",
    .details = "The VC is the number of the destination host; the scheme needs as many VCs as "
               "there are hosts, 256 at most.",
    .params = params,
    .create = voqnet_create,
    .inject = voqnet_inject,
    .next = lanes_keep,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
