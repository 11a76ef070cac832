/* SPDX-License-Identifier: Apache-2.0
 *
 * Full mesh: the complete graph of switches.
 */
#include "topology/build.h"
#include "topology/scale.h"

#include <math.h>
#include <stdio.h>

static const ik_param params[] = {
    {"n", IK_PARAM_UINT, NULL, 1, 65536, NULL, "switches"},
    {"p", IK_PARAM_UINT, "", 1, 65535, NULL,
     "hosts per switch; n - 1 if not given (balanced for uniform traffic)"},
    {"k", IK_PARAM_UINT, "1", 1, 1024, NULL, "parallel cables between two switches"},
    {0},
};

static ik_status fullmesh_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                ik_error *err)
{
    uint32_t n = (uint32_t)ik_params_uint(given, "n");
    ik_hyperx h = {.num_dims = 1, .dims = {n}, .cables = {(uint32_t)ik_params_uint(given, "k")}};
    h.p = topo_uint_or(given, "p", n > 1 ? n - 1 : 1);
    return hyperx_build("fullmesh", &h, ctx, b, err);
}

static bool fullmesh_point(uint32_t i, ik_scale_point *out)
{
    if (i < 1)
        return false;
    snprintf(out->spec, sizeof out->spec, "fullmesh:n=%u", i + 1);
    scale_direct(out, i + 1.0, i, i);
    return true;
}

static bool fullmesh_fit(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t n = 2; n <= wish->radix && !scale_too_many(&best, n); n++) {
        uint32_t p = scale_hosts_per(wish, n);
        double k = ceil((double)scale_least(wish, p) / (n - 1)), degree = k * (n - 1);
        char cables[24] = "";
        if (k > 1)
            snprintf(cables, sizeof cables, ",k=%.0f", k);
        if (k <= 1024)
            scale_offer(&best, n, n * degree / 2, degree + p, (double)n * p, "fullmesh:n=%u,p=%u%s",
                        n, p, cables);
    }
    return best.found;
}

static const ik_series series[] = {
    {"Full mesh", "fullmesh:n=i+1, p = i", fullmesh_point, fullmesh_fit},
    {0},
};

const ik_topology ik_topology_fullmesh = {
    .name = "fullmesh",
    .summary = "every switch is cabled to every other",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, "
              "Morgan Kaufmann, 2004, chapter 1",
    .details = "The complete graph: diameter 1. Ports of a switch: its p hosts, then the other "
               "switches in ascending order, k cables each.",
    .params = params,
    .examples = (const char *const[]){"fullmesh:n=2", "fullmesh:n=5", "fullmesh:n=4,p=2,k=3", NULL},
    .bad_examples = (const char *const[]){"fullmesh:n=0", "fullmesh:n=3,p=0",
                                          "fullmesh:n=65536,p=65535,k=1024", NULL},
    .series = series,
    .racking = IK_RACKING_NUMBERS,
    .build = fullmesh_build,
};
