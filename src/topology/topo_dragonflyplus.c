/* SPDX-License-Identifier: Apache-2.0
 *
 * Dragonfly+ (Megafly): groups that are two-level fat trees, their spines joined by global links.
 * Cost O(links).
 */
#include "topology/build.h"
#include "topology/scale.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static const ik_param params[] = {
    {"h", IK_PARAM_UINT, NULL, 1, 32767, NULL, "global links per spine switch"},
    {"leaves", IK_PARAM_UINT, "", 1, 65535, NULL, "leaf switches per group; h if not given"},
    {"spines", IK_PARAM_UINT, "", 1, 65535, NULL, "spine switches per group; h if not given"},
    {"p", IK_PARAM_UINT, "", 1, 65535, NULL,
     "hosts per leaf switch; the number of spines if not given"},
    {"g", IK_PARAM_UINT, "", 1, 1u << 31, NULL,
     "groups, at most spines*h + 1, which is the default"},
    TOPO_ARRANGEMENT_PARAM,
    TOPO_LATENCY_PARAM("local_latency", "links within a group"),
    TOPO_LATENCY_PARAM("global_latency", "links between groups"),
    {0},
};

static ik_end dragonflyplus_global_end(const void *data, uint32_t group, uint32_t x)
{
    const ik_dragonflyplus *d = data;
    assert(group < d->g && x < d->spines * d->h);
    return ik_sw(d->g * d->leaves + group * d->spines + x / d->h, d->leaves + x % d->h);
}

static void dragonflyplus_link_group(ik_builder *b, const ik_topo_ctx *ctx,
                                     const ik_dragonflyplus *d, uint32_t group)
{
    uint32_t leaf = group * d->leaves, spine = d->g * d->leaves + group * d->spines;
    uint32_t wide = d->leaves > d->spines ? d->leaves : d->spines;
    for (uint32_t i = 0; i < d->leaves; i++) {
        for (uint32_t j = 0; j < d->spines; j++)
            ik_builder_link(b, ik_sw(leaf + i, d->p + j), ik_sw(spine + j, i), ctx->link);
        ik_builder_switch_place(b, leaf + i, 1, group, group * (wide + 1) + i);
    }
    for (uint32_t j = 0; j < d->spines; j++)
        ik_builder_switch_place(b, spine + j, 0, group, group * (wide + 1) + j);
}

static ik_status dragonflyplus_check_size(const ik_dragonflyplus *d, uint64_t groups,
                                          const ik_topo_ctx *ctx, ik_error *err)
{
    double leaves = (double)groups * d->leaves, spines = (double)groups * d->spines;
    double ports = leaves * (2.0 * d->p + d->spines) + spines * ((double)d->leaves + d->h);
    return ik_topology_refuse_size(ctx, leaves + spines, leaves * d->p, ports, err);
}

static ik_status dragonflyplus_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                     ik_error *err)
{
    ik_dragonflyplus d = {.h = (uint32_t)ik_params_uint(given, "h")};
    d.leaves = topo_uint_or(given, "leaves", d.h);
    d.spines = topo_uint_or(given, "spines", d.h);
    d.p = topo_uint_or(given, "p", d.spines);
    uint64_t ports = (uint64_t)d.spines * d.h, groups = topo_num_groups(given, ports);
    ik_status status = dragonflyplus_check_size(&d, groups, ctx, err);
    if (status == IK_OK)
        status = topo_set_groups(given, groups, ports, &d.global, err);
    if (status != IK_OK)
        return status;
    d.g = d.global.groups;
    ik_topo_ctx local, global;
    status = topo_latency_links(given, "local_latency", true, ctx, b, &local, err);
    if (status == IK_OK)
        status = topo_latency_links(given, "global_latency", d.g > 1, ctx, b, &global, err);
    if (status != IK_OK)
        return status;
    ik_builder_switches(b, d.g * d.leaves, d.p + d.spines);
    ik_builder_switches(b, d.g * d.spines, d.leaves + d.h);
    for (uint32_t group = 0; group < d.g; group++)
        dragonflyplus_link_group(b, &local, &d, group);
    topo_link_groups(b, &global, &d.global, dragonflyplus_global_end, &d);
    topo_add_hosts(b, ctx, 0, d.g * d.leaves, d.p);
    ik_builder_family(b, "dragonflyplus", "", &d, sizeof d);
    return IK_OK;
}

static bool dragonflyplus_point(uint32_t h, ik_scale_point *out)
{
    if (h < 1)
        return false;
    snprintf(out->spec, sizeof out->spec, "dragonflyplus:h=%u", h);
    double n = h, groups = n * n + 1;
    out->hosts = groups * n * n;
    out->switches = groups * 2 * n;
    out->radix = 2 * h;
    out->ports = out->switches * out->radix;
    out->links = out->hosts + groups * n * n + groups * n * n / 2;
    return true;
}

/* All numbers of hosts per leaf switch for which groups can be linked. A spine with cables to all
 * other groups has equally many to each, since minimal routing uses all spines alike. */
static void dragonflyplus_offer(scale_best *best, uint32_t leaves, uint32_t spines)
{
    const ik_wish *wish = best->wish;
    uint32_t p = scale_most(wish, spines), most_h = wish->radix - leaves, g, h;
    double most_groups = (double)spines * most_h + 1;
    for (p = p < wish->radix - spines ? p : wish->radix - spines; p > 0; p--) {
        double hosts = (double)leaves * p;
        if (hosts * most_groups < wish->hosts ||
            scale_too_many(best, ceil(wish->hosts / hosts) * (leaves + spines)))
            return;
        if (!scale_groups(wish, hosts, spines, most_h, true, &g, &h))
            continue;
        double cables = (double)g * leaves * spines + scale_global_cables(g, (double)spines * h);
        uint32_t leaf = p + spines, spine = leaves + h;
        scale_offer(best, (double)g * (leaves + spines), cables, leaf > spine ? leaf : spine,
                    g * hosts, "dragonflyplus:h=%u,leaves=%u,spines=%u,p=%u,g=%u", h, leaves,
                    spines, p, g);
    }
}

static bool dragonflyplus_fit(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t leaves = 1; leaves < wish->radix; leaves++)
        for (uint32_t spines = 1; spines < wish->radix; spines++)
            dragonflyplus_offer(&best, leaves, spines);
    return best.found;
}

static const ik_series series[] = {
    {"Dragonfly+", "dragonflyplus:h=i, leaves = spines = p = h, g = h*h + 1", dragonflyplus_point,
     dragonflyplus_fit},
    {0},
};

const ik_topology ik_topology_dragonflyplus = {
    .name = "dragonflyplus",
    .summary = "a dragonfly whose groups are two-level fat trees: hosts on leaf switches, global "
               "links on spine switches",
    .source = "A. Shpiner, Z. Haramaty, S. Eliad, V. Zdornov, B. Gafni, E. Zahavi, Dragonfly+: low "
              "cost topology for scaling datacenters, HiPINEB 2017; M. Flajslik, E. Borch, M. A. "
              "Parker, Megafly: a topology for exascale systems, ISC 2018",
    .details = "There are g groups; within a group every leaf switch (p hosts) is cabled to every "
               "spine switch (h global links). The network is balanced with leaves = spines = p = "
               "h: all switches have radix "
               "2h, and g = h*h + 1 groups hold h*h hosts each. A minimal path is leaf, spine, "
               "spine, leaf: three hops.\n\n"
               "Leaf i of group j has the number j*leaves + i, spine i the number g*leaves + "
               "j*spines + i. Ports of a leaf: its p hosts, then the spines. Ports of a spine: the "
               "leaves, then its global ports; port i of spine s is number s*h + i of the group, "
               "and the arrangement of these numbers is that of `dragonfly`.",
    .params = params,
    .examples =
        (const char *const[]){"dragonflyplus:h=1", "dragonflyplus:h=2",
                              "dragonflyplus:h=3,arrangement=absolute",
                              "dragonflyplus:h=2,leaves=3,spines=4,p=2,g=5,arrangement=relative",
                              "dragonflyplus:h=2,global_latency=100 ns", NULL},
    .bad_examples = (const char *const[]){"dragonflyplus:h=0", "dragonflyplus:h=2,g=6",
                                          "dragonflyplus:h=20000", NULL},
    .series = series,
    .racking = IK_RACKING_GROUPS,
    .build = dragonflyplus_build,
};
