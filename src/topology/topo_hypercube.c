/* SPDX-License-Identifier: Apache-2.0
 *
 * Binary hypercube.
 */
#include "topology/build.h"
#include "topology/scale.h"

#include <stdio.h>

static const ik_param params[] = {
    {"n", IK_PARAM_UINT, NULL, 1, IK_MAX_DIMS, NULL, "dimensions: 2^n switches"},
    {"p", IK_PARAM_UINT, "1", 1, 65535, NULL, "hosts per switch"},
    {0},
};

static ik_status hypercube_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                 ik_error *err)
{
    ik_hyperx h = {.num_dims = (uint32_t)ik_params_uint(given, "n"),
                   .p = (uint32_t)ik_params_uint(given, "p")};
    for (uint32_t d = 0; d < h.num_dims; d++) {
        h.dims[d] = 2;
        h.cables[d] = 1;
    }
    return hyperx_build("hypercube", &h, ctx, b, err);
}

static bool hypercube_point(uint32_t i, ik_scale_point *out)
{
    if (i < 1 || i > IK_MAX_DIMS)
        return false;
    snprintf(out->spec, sizeof out->spec, "hypercube:n=%u", i);
    scale_direct(out, (double)(UINT32_C(1) << i), i, 1);
    return true;
}

static const ik_series series[] = {
    {"Hypercube", "hypercube:n=i, one host per switch", hypercube_point},
    {0},
};

const ik_topology ik_topology_hypercube = {
    .name = "hypercube",
    .summary = "2^n switches; the numbers of neighbours differ in one bit",
    .source = "C. L. Seitz, The Cosmic Cube, Communications of the ACM 28(1), 1985",
    .details = "Switch i is cabled to i with one bit inverted: degree and diameter n. Ports of a "
               "switch: its p hosts, then bit 0, bit 1, …",
    .params = params,
    .examples = (const char *const[]){"hypercube:n=1", "hypercube:n=3", "hypercube:n=6,p=2", NULL},
    .bad_examples = (const char *const[]){"hypercube:n=0", "hypercube:n=40", NULL},
    .series = series,
    .racking = IK_RACKING_GRID,
    .build = hypercube_build,
};
