/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow2SL: hosts form Q groups of neighbours; flows of one pair of groups share a queue, and from
 * one source group every destination group has a queue of its own.
 *
 * Forms, for groups a (source) and b (destination): sum (a + b) mod Q, the same in both directions;
 * difference (b - a) mod Q. Source: J. Escudero-Sahuquillo, P. J. Garcia, F. J. Quiles, J. Duato,
 * S.-A. Reinemo, T. Skeie, O. Lysne, "A new proposal to deal with congestion in InfiniBand-based
 * fat-trees", Journal of Parallel and Distributed Computing 74(1), 2014.
 */
#include "vc/lanes.h"

#include <assert.h>

enum form { SUM, DIFFERENCE };

static ik_status flow2sl_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)env;
    return lanes_map_create(v, ik_params_enum(params, "form"), err);
}

static unsigned flow2sl_group_of(const lanes_map *map, uint32_t host, unsigned queues)
{
    assert(queues > 0 && map->at.host[host] < map->at.num_hosts);
    return (unsigned)((uint64_t)map->at.host[host] * queues / map->at.num_hosts);
}

static void flow2sl_inject(const ik_vc *v, ik_packet *pk)
{
    const lanes_map *map = v->impl;
    unsigned queues = v->num_vcs;
    unsigned a = flow2sl_group_of(map, pk->src, queues), b = flow2sl_group_of(map, pk->dst, queues);
    unsigned number = map->form == SUM ? a + b : b + queues - a;
    pk->vc = (uint8_t)(number % queues);
}

static const ik_param params[] = {
    {.name = "form",
     .type = IK_PARAM_ENUM,
     .def = "sum",
     .choices = "sum|difference",
     .help = "how the queue is computed from the two groups"},
    {0},
};

const ik_vc_family ik_vc_flow2sl = {
    .name = "flow2sl",
    .summary = "queue given by the groups of source and destination hosts",
    .source = "Escudero-Sahuquillo, Garcia, Quiles, Duato, Reinemo, Skeie, Lysne, \"A new proposal "
              "to deal with congestion in InfiniBand-based fat-trees\", JPDC 74(1), 2014",
    .details = "The N hosts form Q groups of consecutive hosts, group(x) = floor(x * Q / N). sum: "
               "(group(s) + group(d)) mod Q; difference: (group(d) - group(s)) mod Q. There are "
               "three VCs unless vcs is given.",
    .params = params,
    .create = flow2sl_create,
    .destroy = lanes_map_destroy,
    .inject = flow2sl_inject,
    .next = lanes_keep,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
