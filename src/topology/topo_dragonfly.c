/* SPDX-License-Identifier: Apache-2.0
 *
 * Dragonfly: groups of completely connected routers, groups joined by global links. Cost O(links);
 * the wiring between groups is in build.c.
 */
#include "topology/build.h"
#include "topology/scale.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static const ik_param params[] = {
    {"h", IK_PARAM_UINT, NULL, 1, 32767, NULL, "global links per router"},
    {"a", IK_PARAM_UINT, "", 1, 65535, NULL, "routers per group; 2h if not given (balanced)"},
    {"p", IK_PARAM_UINT, "", 1, 65535, NULL, "hosts per router; h if not given (balanced)"},
    {"g", IK_PARAM_UINT, "", 1, 1u << 31, NULL, "groups, at most a*h + 1, which is the default"},
    TOPO_ARRANGEMENT_PARAM,
    TOPO_LATENCY_PARAM("local_latency", "links within a group"),
    TOPO_LATENCY_PARAM("global_latency", "links between groups"),
    {0},
};

static ik_end dragonfly_global_end(const void *data, uint32_t group, uint32_t x)
{
    const ik_dragonfly *d = data;
    assert(group < d->g && x < d->a * d->h);
    return ik_sw(group * d->a + x / d->h, d->p + d->a - 1 + x % d->h);
}

static void dragonfly_link_group(ik_builder *b, const ik_topo_ctx *ctx, const ik_dragonfly *d,
                                 uint32_t group)
{
    uint32_t base = group * d->a;
    for (uint32_t s = 0; s < d->a; s++) {
        for (uint32_t t = s + 1; t < d->a; t++)
            ik_builder_link(b, ik_sw(base + s, d->p + t - 1), ik_sw(base + t, d->p + s), ctx->link);
        ik_builder_switch_place(b, base + s, group, group, s);
    }
}

static ik_status dragonfly_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                 ik_error *err)
{
    ik_dragonfly d = {.h = (uint32_t)ik_params_uint(given, "h")};
    d.a = topo_uint_or(given, "a", 2 * d.h);
    d.p = topo_uint_or(given, "p", d.h);
    uint64_t ports = (uint64_t)d.a * d.h, groups = topo_num_groups(given, ports);
    double switches = (double)groups * d.a;
    ik_status status = ik_topology_refuse_size(ctx, switches, switches * d.p,
                                               switches * (d.a - 1.0 + d.h + 2.0 * d.p), err);
    if (status == IK_OK)
        status = topo_set_groups(given, groups, ports, &d.global, err);
    if (status != IK_OK)
        return status;
    d.g = d.global.groups;
    ik_topo_ctx local, global;
    status = topo_latency_links(given, "local_latency", d.a > 1, ctx, b, &local, err);
    if (status == IK_OK)
        status = topo_latency_links(given, "global_latency", d.g > 1, ctx, b, &global, err);
    if (status != IK_OK)
        return status;
    ik_builder_switches(b, d.g * d.a, d.p + d.a - 1 + d.h);
    for (uint32_t group = 0; group < d.g; group++)
        dragonfly_link_group(b, &local, &d, group);
    topo_link_groups(b, &global, &d.global, dragonfly_global_end, &d);
    topo_add_hosts(b, ctx, 0, d.g * d.a, d.p);
    ik_builder_family(b, "dragonfly", "", &d, sizeof d);
    return IK_OK;
}

static bool dragonfly_point(uint32_t h, ik_scale_point *out)
{
    if (h < 1)
        return false;
    snprintf(out->spec, sizeof out->spec, "dragonfly:h=%u", h);
    scale_direct(out, 2.0 * h * (2.0 * h * h + 1), 3.0 * h - 1, h);
    return true;
}

/* Uniform traffic goes over two local links and, between two groups, over their cables. */
static bool dragonfly_fit(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t a = 2; a < wish->radix; a++) {
        uint32_t most = scale_most(wish, a) / 2;
        for (uint32_t p = 1; p <= most && p + a - 1 < wish->radix; p++) {
            uint32_t g, h;
            if (scale_too_many(&best, ceil(wish->hosts / p)) ||
                !scale_groups(wish, (double)a * p, a, wish->radix - p - a + 1, false, &g, &h))
                continue;
            double switches = (double)g * a, ports = (double)a * h;
            scale_offer(&best, switches, switches * (a - 1) / 2 + scale_global_cables(g, ports),
                        p + a - 1.0 + h, switches * p, "dragonfly:h=%u,a=%u,p=%u,g=%u", h, a, p, g);
        }
    }
    return best.found;
}

static const ik_series series[] = {
    {"Dragonfly", "dragonfly:h=i, a = 2h, p = h, g = a*h + 1", dragonfly_point, dragonfly_fit},
    {0},
};

const ik_topology ik_topology_dragonfly = {
    .name = "dragonfly",
    .summary = "groups of completely connected routers, with global links between every two groups",
    .source =
        "J. Kim, W. J. Dally, S. Scott, D. Abts, Technology-driven, highly-scalable dragonfly "
        "topology, ISCA 2008; C. Camarero, E. Vallejo, R. Beivide, Topological characterization of "
        "Hamming and dragonfly networks and its implications on routing, ACM TACO 2014; E. "
        "Hastings et al., Comparing global link arrangements for dragonfly networks, CLUSTER 2015",
    .details =
        "There are g groups of a routers. Each router is connected to p hosts, to the a-1 other "
        "routers of its group, and to h global links; the network is balanced with a = 2p = 2h. "
        "Router s of group j has the number j*a + s; its "
        "global ports are numbers s*h … s*h + h-1 of the group's a*h.\n\n"
        "Arrangements, for g = a*h + 1: *absolute*, port x of group j leads to group x if x "
        "< j, else x+1; *relative*, to group j+x+1 modulo g; *palmtree*, to group j-x-1 "
        "modulo g. With fewer groups, the ports form full rounds of g-1 that are wired in this "
        "way, and the remaining ports are wired as a circulant graph: remaining port 2i leads i+1 "
        "groups ahead, port 2i+1 leads i+1 groups back, and a last odd port leads to the opposite "
        "group if g is even (otherwise it stays unconnected, which is reported).\n\n"
        "Ports of a router: its p hosts, the other routers of the group ascending, its h "
        "global ports.",
    .params = params,
    .examples =
        (const char *const[]){
            "dragonfly:h=1", "dragonfly:h=2", "dragonfly:h=2,arrangement=absolute",
            "dragonfly:h=2,a=4,p=2,g=5,arrangement=relative", "dragonfly:h=3,a=4,p=1,g=6",
            "dragonfly:h=2,local_latency=5 ns,global_latency=100 ns", NULL},
    .bad_examples =
        (const char *const[]){"dragonfly:h=0", "dragonfly:h=2,g=10",
                              "dragonfly:h=2,arrangement=palm", "dragonfly:h=30000", NULL},
    .series = series,
    .racking = IK_RACKING_GROUPS,
    .build = dragonfly_build,
};
