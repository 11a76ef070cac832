/* SPDX-License-Identifier: Apache-2.0
 *
 * DBBM, destination-based buffer management: queue = destination modulo number of queues. Hosts
 * that share a queue are spread over the whole fabric, so a hot spot blocks one Q-th of the others,
 * everywhere. Source: T. Nachiondo, J. Flich, J. Duato, "Buffer Management Strategies to Reduce HoL
 * Blocking", IEEE TPDS 21(6), 2010.
 */
#include "vc/lanes.h"

#include <assert.h>

static ik_status dbbm_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params, (void)env;
    return lanes_map_create(v, 0, err);
}

static void dbbm_inject(const ik_vc *v, ik_packet *pk)
{
    const lanes_map *map = v->impl;
    assert(pk->dst < v->fabric->num_hosts);
    pk->vc = (uint8_t)(map->at.host[pk->dst] % v->num_vcs);
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_dbbm = {
    .name = "dbbm",
    .summary = "queue = destination mod number of queues, kept along the whole path",
    .source = "Nachiondo, Flich, Duato, \"Buffer Management Strategies to Reduce HoL Blocking\", "
              "IEEE TPDS 21(6), 2010",
    .details = "The VC is the destination's position in the full fabric, modulo the number of VCs. "
               "There are three VCs unless vcs is given.",
    .params = params,
    .create = dbbm_create,
    .destroy = lanes_map_destroy,
    .inject = dbbm_inject,
    .next = lanes_keep,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
