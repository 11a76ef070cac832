/* SPDX-License-Identifier: Apache-2.0
 *
 * Multi-Layer Full-Mesh: l layers, each a full mesh of h+1 local routers whose every link runs
 * through a global router that all layers share. Cost O(links).
 */
#include "topology/build.h"
#include "topology/scale.h"

#include <math.h>
#include <stdio.h>

static const ik_param params[] = {
    {"h", IK_PARAM_UINT, NULL, 1, 65535, NULL,
     "network radix of a local router; a layer has h + 1 local routers"},
    {"l", IK_PARAM_UINT, "", 1, 65535, NULL, "number of layers; h if not given"},
    {"p", IK_PARAM_UINT, "", 1, 65535, NULL, "hosts per local router; h if not given"},
    {0},
};

static void mlfm_link_layer(ik_builder *b, const ik_topo_ctx *ctx, const ik_mlfm *m, uint32_t layer)
{
    uint32_t base = layer * (m->h + 1);
    for (uint32_t a = 0; a <= m->h; a++) {
        for (uint32_t c = a + 1; c <= m->h; c++) {
            uint32_t global = ik_mlfm_global(m, a, c);
            ik_builder_link(b, ik_sw(base + a, m->p + c - 1), ik_sw(global, 2 * layer), ctx->link);
            ik_builder_link(b, ik_sw(base + c, m->p + a), ik_sw(global, 2 * layer + 1), ctx->link);
        }
        ik_builder_switch_level(b, base + a, 1);
        ik_builder_switch_place(b, base + a, layer, layer, a);
    }
}

static ik_status mlfm_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                            ik_error *err)
{
    ik_mlfm m = {.h = (uint32_t)ik_params_uint(given, "h")};
    m.l = topo_uint_or(given, "l", m.h);
    m.p = topo_uint_or(given, "p", m.h);
    double locals = (double)m.l * (m.h + 1), globals = m.h * (m.h + 1.0) / 2;
    ik_status status = ik_topology_refuse_size(ctx, locals + globals, locals * m.p,
                                               locals * (m.h + 2.0 * m.p) + globals * 2 * m.l, err);
    if (status != IK_OK)
        return status;
    ik_builder_switches(b, (uint32_t)locals, m.h + m.p);
    uint32_t first = ik_builder_switches(b, (uint32_t)globals, 2 * m.l);
    for (uint32_t layer = 0; layer < m.l; layer++)
        mlfm_link_layer(b, ctx, &m, layer);
    for (uint32_t g = 0; g < (uint32_t)globals; g++) {
        ik_builder_switch_level(b, first + g, 2);
        ik_builder_switch_place(b, first + g, m.l, m.l, g);
    }
    topo_add_hosts(b, ctx, 0, (uint32_t)locals, m.p);
    ik_builder_family(b, "mlfm", "", &m, sizeof m);
    return IK_OK;
}

static bool mlfm_point(uint32_t h, ik_scale_point *out)
{
    if (h < 1)
        return false;
    snprintf(out->spec, sizeof out->spec, "mlfm:h=%u", h);
    double n = h;
    out->hosts = n * n * (n + 1);
    out->switches = 3 * n * (n + 1) / 2;
    out->radix = 2 * h;
    out->ports = out->switches * out->radix;
    out->links = 2 * out->hosts;
    return true;
}

static bool mlfm_fit(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t h = 1; h < wish->radix; h++) {
        double globals = h * (h + 1.0) / 2;
        uint32_t most = scale_most(wish, h);
        most = most < wish->radix - h ? most : wish->radix - h;
        double layers = ceil(wish->hosts / (most * (h + 1.0)));
        if (scale_too_many(&best, globals))
            break;
        if (2 * layers > wish->radix)
            continue;
        uint32_t p = scale_hosts_per(wish, layers * (h + 1));
        double locals = layers * (h + 1), radix = h + p > 2 * layers ? h + p : 2 * layers;
        scale_offer(&best, locals + globals, locals * h, radix, locals * p, "mlfm:h=%u,l=%.0f,p=%u",
                    h, layers, p);
    }
    return best.found;
}

static const ik_series series[] = {
    {"MLFM", "mlfm:h=i, l = p = h", mlfm_point, mlfm_fit},
    {0},
};

const ik_topology ik_topology_mlfm = {
    .name = "mlfm",
    .summary = "multi-layer full mesh: diameter-two indirect network of two router kinds",
    .source =
        "G. Kathareios, C. Minkenberg, B. Prisacari, G. Rodriguez, T. Hoefler, Cost-effective "
        "diameter-two topologies: analysis and evaluation, SC 2015, section 2.2.3",
    .details =
        "The (h,l,p)-MLFM has l layers of h+1 local routers with p hosts each, and one global "
        "router for every pair of columns, joined to both columns in every layer. With h = l = p "
        "all routers have radix 2h, and there are h*h*(h+1) hosts on 3h(h+1)/2 routers. Two local "
        "routers are two hops apart; there is one path between them, or h paths if they are in the "
        "same column of different layers.\n\n"
        "Local router (layer, column) has the number layer*(h+1) + column; the global router of "
        "columns a < b follows in lexicographic order of pairs. Ports of a local router: its p "
        "hosts, then the other columns ascending. Ports of a global router: 2*layer to column a, "
        "2*layer + 1 to column b.",
    .params = params,
    .examples =
        (const char *const[]){"mlfm:h=2", "mlfm:h=3", "mlfm:h=4,l=6,p=2", "mlfm:h=1,l=2", NULL},
    .bad_examples = (const char *const[]){"mlfm:h=0", "mlfm:h=3,p=0", "mlfm:h=60000", NULL},
    .series = series,
    .racking = IK_RACKING_GROUPS,
    .build = mlfm_build,
};
