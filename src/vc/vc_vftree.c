/* SPDX-License-Identifier: Apache-2.0
 *
 * vFtree: the queue follows from the two leaf switches, so that a hot host shares its queue only
 * with traffic of some leaf pairs.
 *
 * Forms, for leaf switches i and j of L and Q queues:
 *   sum         (i + j) mod Q: symmetric, both directions of a connection use one lane
 *   difference  (j - i) mod Q
 *   matrix      the pairs i < j numbered row by row, that number mod Q, mirrored; 0 inside a leaf
 *               switch
 * The publication gives the idea and no formula that later comparisons agree on; sum reproduces
 * their published throughputs. Source: W. L. Guay, B. Bogdanski, S.-A. Reinemo, O. Lysne, T. Skeie,
 * "vFtree - A Fat-tree Routing Algorithm using Virtual Lanes to Alleviate Congestion", IPDPS 2011.
 */
#include "vc/lanes.h"

#include <assert.h>

enum form { SUM, DIFFERENCE, MATRIX };

static ik_status vftree_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)env;
    return lanes_map_create(v, ik_params_enum(params, "form"), err);
}

/* Number of the pair (i, j), i < j, when the pairs are listed row by row. */
static uint64_t vftree_pair_number(uint64_t i, uint64_t j, uint64_t leaves)
{
    assert(i < j && j < leaves);
    return i * (2 * leaves - i - 1) / 2 + (j - i - 1);
}

static uint64_t vftree_lane_number(enum form form, uint64_t i, uint64_t j, uint64_t leaves,
                                   uint64_t queues)
{
    assert(i < leaves && j < leaves && queues > 0);
    switch (form) {
    case DIFFERENCE:
        return j + queues - i % queues;
    case MATRIX:
        return i == j  ? 0
               : i < j ? vftree_pair_number(i, j, leaves)
                       : vftree_pair_number(j, i, leaves);
    default:
        return i + j;
    }
}

static void vftree_inject(const ik_vc *v, ik_packet *pk)
{
    const lanes_map *map = v->impl;
    uint64_t number = vftree_lane_number((enum form)map->form, map->at.leaf[pk->src],
                                         map->at.leaf[pk->dst], map->at.num_leaves, v->num_vcs);
    pk->vc = (uint8_t)(number % v->num_vcs);
}

static const ik_param params[] = {
    {.name = "form",
     .type = IK_PARAM_ENUM,
     .def = "sum",
     .choices = "sum|difference|matrix",
     .help = "how the queue is computed from the two leaf switches"},
    {0},
};

const ik_vc_family ik_vc_vftree = {
    .name = "vftree",
    .summary = "queue given by the leaf switches of source and destination",
    .source = "Guay, Bogdanski, Reinemo, Lysne, Skeie, \"vFtree - A Fat-tree Routing Algorithm "
              "using Virtual Lanes to Alleviate Congestion\", IPDPS 2011",
    .details = "sum: (leaf(s) + leaf(d)) mod Q; difference: (leaf(d) - leaf(s)) mod Q; matrix: "
               "pairs of leaf switches take the lanes in turn, row by row, the same lane in both "
               "directions, and lane 0 within a leaf switch. Leaf switches are numbered as in the "
               "full tree. There are three VCs unless vcs is given.",
    .params = params,
    .create = vftree_create,
    .destroy = lanes_map_destroy,
    .inject = vftree_inject,
    .next = lanes_keep,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
