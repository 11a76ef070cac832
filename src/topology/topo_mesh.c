/* SPDX-License-Identifier: Apache-2.0
 *
 * Mesh: a grid without wrap-around.
 */
#include "topology/build.h"

static const ik_param params[] = {
    {"dims", IK_PARAM_UINT_LIST, NULL, 1, 1 << 24, NULL, "switches along each dimension, e.g. 8:8"},
    {"p", IK_PARAM_UINT, "1", 1, 65535, NULL, "hosts per switch"},
    {0},
};

static ik_status mesh_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                            ik_error *err)
{
    return grid_build(given, ctx, b, false, err);
}

const ik_topology ik_topology_mesh = {
    .name = "mesh",
    .summary = "a grid of switches with cables between neighbours along every dimension",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, "
              "Morgan Kaufmann, 2004, chapter 5",
    .details =
        "As the torus, without the cables around the edge. All switches have the same radix: the "
        "outward ports of switches on the border exist but are unconnected. Ports of a switch: "
        "its p hosts, then for every dimension the port towards x+1 and the port towards "
        "x-1 (one port serves both in a dimension of size 2).",
    .params = params,
    .examples = (const char *const[]){"mesh:dims=3", "mesh:dims=4:4", "mesh:dims=2:3:4,p=2", NULL},
    .bad_examples =
        (const char *const[]){"mesh:dims=0:4", "mesh:dims=x", "mesh:dims=16777216:16777216", NULL},
    .racking = IK_RACKING_GRID,
    .build = mesh_build,
};
