/* SPDX-License-Identifier: Apache-2.0
 *
 * Crossbar: the ideal single switch.
 */
#include "topology/build.h"
#include "topology/scale.h"

#include <stdio.h>

static const ik_param params[] = {
    {"n", IK_PARAM_UINT, NULL, 1, 1 << 24, NULL, "hosts"},
    {0},
};

static ik_status crossbar_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                ik_error *err)
{
    ik_crossbar x = {.n = (uint32_t)ik_params_uint(given, "n")};
    ik_status status = ik_topology_refuse_size(ctx, 1, x.n, 2.0 * x.n, err);
    if (status != IK_OK)
        return status;
    ik_builder_switches(b, 1, x.n);
    ik_builder_switch_level(b, 0, 1);
    ik_builder_switch_place(b, 0, 0, 0, 0);
    topo_add_hosts(b, ctx, 0, 1, x.n);
    ik_builder_family(b, "crossbar", "", &x, sizeof x);
    return IK_OK;
}

static bool crossbar_point(uint32_t i, ik_scale_point *out)
{
    if (i < 1)
        return false;
    snprintf(out->spec, sizeof out->spec, "crossbar:n=%u", i);
    scale_direct(out, 1, 0, i);
    return true;
}

static bool crossbar_fit(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    return scale_offer(&best, 1, 0, wish->hosts, wish->hosts, "crossbar:n=%.0f", wish->hosts);
}

static const ik_series series[] = {
    {"Crossbar", "crossbar:n=i", crossbar_point, crossbar_fit},
    {0},
};

const ik_topology ik_topology_crossbar = {
    .name = "crossbar",
    .summary = "one ideal switch with all hosts, the usual reference for normalised results",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, "
              "Morgan Kaufmann, 2004, chapter 6",
    .details = "A single switch with n ports, host h on port h. Only the hosts' own links can have "
               "contention, so the time of a workload on it is the lower bound against which the "
               "slowdowns of other fabrics are measured.",
    .params = params,
    .examples = (const char *const[]){"crossbar:n=1", "crossbar:n=16", "crossbar:n=1000", NULL},
    .bad_examples = (const char *const[]){"crossbar:n=0", "crossbar", NULL},
    .series = series,
    .racking = IK_RACKING_NUMBERS,
    .build = crossbar_build,
};
