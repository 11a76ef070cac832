/* SPDX-License-Identifier: Apache-2.0
 *
 * LRT(N, d, r): layout-conscious random topology, a random regular graph on a grid of cabinets with
 * limited cable length.
 */
#include "topology/build.h"

static const ik_param params[] = {
    {"N", IK_PARAM_UINT, NULL, 2, 1 << 26, NULL, "switches; a square number unless width is given"},
    {"d", IK_PARAM_UINT, NULL, 1, 65535, NULL, "links to other switches per switch"},
    {"r", IK_PARAM_UINT, NULL, 1, 1 << 26, NULL,
     "longest link, as a Manhattan distance on the floor"},
    {"p", IK_PARAM_UINT, "1", 1, 65535, NULL, "hosts per switch"},
    {"seed", IK_PARAM_UINT, "1", 0, 0, NULL, "which of the graphs"},
    {"width", IK_PARAM_UINT, "", 1, 1 << 26, NULL,
     "switches per row of the floor; the square root of N if not given"},
    {0},
};

static ik_status lrt_floor_size(const ik_params *given, ik_random_regular *r, ik_error *err)
{
    uint32_t side = 1;
    while ((uint64_t)(side + 1) * (side + 1) <= r->n)
        side++;
    if (!ik_params_has(given, "width") && side * side != r->n) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "N = %u is not a square number, as the n x n floor requires", r->n),
                 "N");
        return ik_hint(err, IK_ERR_USAGE, "%u and %u are, or give a width that divides N",
                       side * side, (side + 1) * (side + 1));
    }
    r->width = topo_uint_or(given, "width", side);
    if (r->n % r->width != 0) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "width = %u does not divide N = %u", r->width, r->n),
                 "width N");
        return ik_hint(err, IK_ERR_USAGE, "N = %u or %u", r->n / r->width * r->width,
                       (r->n / r->width + 1) * r->width);
    }
    r->height = r->n / r->width;
    return IK_OK;
}

static ik_status topo_lrt_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                ik_error *err)
{
    ik_random_regular r = {.n = (uint32_t)ik_params_uint(given, "N"),
                           .d = (uint32_t)ik_params_uint(given, "d")};
    r.p = (uint32_t)ik_params_uint(given, "p");
    r.range = (uint32_t)ik_params_uint(given, "r");
    r.seed = ik_params_uint(given, "seed");
    ik_status status = lrt_floor_size(given, &r, err);
    return status != IK_OK ? status : random_build("lrt", &r, ctx, b, err);
}

const ik_topology ik_topology_lrt = {
    .name = "lrt",
    .summary = "layout-conscious random topology LRT(N, d, r): a random regular graph, no link "
               "longer than r on the floor",
    .source = "M. Koibuchi, I. Fujiwara, H. Matsutani, H. Casanova, Layout-conscious random "
              "topologies for HPC off-chip interconnects, HPCA 2013; R. Kawano, H. Nakahara, I. "
              "Fujiwara, H. Matsutani, M. Koibuchi, H. Amano, LOREN: a scalable routing method for "
              "layout-conscious random topologies, CANDAR 2016, section II-B",
    .details =
        "N = n*n switches are placed on an n x n floor, switch i at (i mod n, i div n). The graph "
        "is simple, connected and d-regular, and the Manhattan length of every link is at most r. "
        "Pairs in range are joined at random, the last switches with too few links are brought "
        "together by moving links, and then 40 attempted 2-switches per link, which keep degree, "
        "range and simplicity, make the result uniform. The same seed always gives the same graph, "
        "whatever the experiment's seed is. With width, the floor is a rectangle.\n\n"
        "Ports of a switch: its p hosts, then its neighbours in ascending order.",
    .params = params,
    .examples =
        (const char *const[]){"lrt:N=16,d=4,r=2", "lrt:N=64,d=4,r=2", "lrt:N=256,d=4,r=4,seed=3",
                              "lrt:N=24,d=3,r=3,width=6,p=2", NULL},
    .bad_examples =
        (const char *const[]){"lrt:N=15,d=4,r=2", "lrt:N=16,d=6,r=2", "lrt:N=25,d=3,r=2",
                              "lrt:N=24,d=3,r=3,width=7", "lrt:N=64,d=4", NULL},
    .racking = IK_RACKING_GRID,
    .build = topo_lrt_build,
};
