/* SPDX-License-Identifier: Apache-2.0
 *
 * Torus (k-ary n-cube, any sizes) and ring.
 */
#include "topology/build.h"

static const ik_param params[] = {
    {"dims", IK_PARAM_UINT_LIST, NULL, 1, 1 << 24, NULL,
     "switches along each dimension, e.g. 8:8:4"},
    {"p", IK_PARAM_UINT, "1", 1, 65535, NULL, "hosts per switch"},
    {0},
};

static ik_status torus_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                             ik_error *err)
{
    return grid_build(given, ctx, b, true, err);
}

static const ik_param ring_params[] = {
    {"n", IK_PARAM_UINT, NULL, 1, 1 << 24, NULL, "switches in the ring"},
    {"p", IK_PARAM_UINT, "1", 1, 65535, NULL, "hosts per switch"},
    {0},
};

static ik_status torus_expand_ring(const ik_params *ring, ik_params *out, ik_error *err)
{
    ik_status status =
        ik_params_set(out, "topology 'ring'", "dims", ik_params_text(ring, "n"), 0, 0, err);
    return status != IK_OK
               ? status
               : ik_params_set(out, "topology 'ring'", "p", ik_params_text(ring, "p"), 0, 0, err);
}

static const ik_shorthand shorthands[] = {
    {"ring", "a cycle of switches: the torus of one dimension",
     "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, chapter "
     "5",
     ring_params, (const char *const[]){"ring:n=5", "ring:n=8,p=2", NULL}, torus_expand_ring},
    {0},
};

const ik_topology ik_topology_torus = {
    .name = "torus",
    .summary = "a grid of switches with wrap-around cables in every dimension",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, "
              "Morgan Kaufmann, 2004, chapter 5",
    .details =
        "Switch (x_0, x_1, …) has the number x_0 + dims_0*(x_1 + dims_1*(x_2 + …)) and one "
        "cable to each neighbour one step away along every dimension, around the edge too. "
        "A dimension of size 2 has one cable between its two switches, of size 1 none.\n\n"
        "Ports of a switch: its p hosts, then for every dimension the port towards x+1 and "
        "the port towards x-1 (one port serves both in a dimension of size 2). On the floor, even "
        "dimensions are laid out to the right and odd ones downwards; a ring is drawn as a circle.",
    .params = params,
    .examples = (const char *const[]){"torus:dims=3", "torus:dims=4:4", "torus:dims=2:3:5,p=2",
                                      "torus:dims=1:6", NULL},
    .bad_examples = (const char *const[]){"torus:dims=0", "torus:dims=4:4,p=0",
                                          "torus:dims=16777216:16777216", "torus", NULL},
    .shorthands = shorthands,
    .racking = IK_RACKING_GRID,
    .build = torus_build,
};
