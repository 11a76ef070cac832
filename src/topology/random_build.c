/* SPDX-License-Identifier: Apache-2.0
 *
 * From a random regular graph to switches, ports and hosts.
 */
#include "topology/build.h"
#include "topology/rrg.h"

#include <assert.h>

static ik_status random_build_check_degree(const ik_random_regular *r, const rrg *g, ik_error *err)
{
    if ((uint64_t)r->n * r->d % 2 != 0) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "N = %u switches of degree d = %u have an odd number of link ends", r->n,
                         r->d),
                 "N d");
        return g->width
                   ? ik_hint(err, IK_ERR_USAGE, "d = %u or %u, or an even N", r->d - 1, r->d + 1)
               : r->n - 1 > r->d
                   ? ik_hint(err, IK_ERR_USAGE, "N = %u or %u, or an even d", r->n - 1, r->n + 1)
                   : ik_hint(err, IK_ERR_USAGE, "N = %u, or an even d", (r->d / 2 + 1) * 2);
    }
    uint32_t most = rrg_num_in_range(g, 0); /* the corner has the fewest */
    if (r->d > most) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "degree d = %u, but a switch%s has only %u others%s",
                         r->d, g->width ? " in the corner" : "", most, g->width ? " in range" : ""),
                 "d N");
        return ik_hint(err, IK_ERR_USAGE,
                       g->width ? "d at most %u, or a longer range r"
                                : "d at most %u, or more switches",
                       most);
    }
    if (r->d < 2 && r->n > 2) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "d = 1 cannot connect %s", IK_COUNT(r->n, "switch")),
                 "d");
        return ik_hint(err, IK_ERR_USAGE,
                       "d at least 2; from 3 on almost every graph is connected");
    }
    return IK_OK;
}

static uint32_t random_build_position(const uint32_t *row, uint32_t value)
{
    uint32_t t = 0;
    while (row[t] != value)
        t++;
    return t;
}

static void random_build_add_all(ik_builder *b, const ik_topo_ctx *ctx, const ik_random_regular *r,
                                 const rrg *g)
{
    assert(g->n == r->n && g->d == r->d);
    ik_builder_switches(b, r->n, r->p + r->d);
    for (uint32_t u = 0; u < r->n; u++) {
        const uint32_t *row = g->nbr + (size_t)u * r->d;
        for (uint32_t t = 0; t < r->d; t++) {
            if (u < row[t]) {
                uint32_t back = random_build_position(g->nbr + (size_t)row[t] * r->d, u);
                ik_builder_link(b, ik_sw(u, r->p + t), ik_sw(row[t], r->p + back), ctx->link);
            }
        }
        if (r->width) {
            ik_builder_switch_place(b, u, u / r->width, u / r->width, u % r->width);
            ik_builder_switch_xy(b, u, (int32_t)(u % r->width), (int32_t)(u / r->width));
        }
    }
    topo_add_hosts(b, ctx, 0, r->n, r->p);
}

ik_status random_build(const char *family, const ik_random_regular *r, const ik_topo_ctx *ctx,
                       ik_builder *b, ik_error *err)
{
    assert(!r->width || (uint64_t)r->width * r->height == r->n);
    rrg g = {.n = r->n,
             .d = r->d,
             .width = r->width,
             .height = r->height,
             .range = r->range,
             .env = ctx->env};
    g.rng = ik_rng_at(r->seed, IK_RNG_TOPOLOGY, 0);
    ik_status status = random_build_check_degree(r, &g, err);
    if (status == IK_OK) {
        status = ik_topology_refuse_size(ctx, r->n, (double)r->n * r->p,
                                         (double)r->n * (r->d + 2.0 * r->p), err);
    }
    if (status == IK_OK)
        status = rrg_make(&g, err);
    if (status == IK_OK) {
        random_build_add_all(b, ctx, r, &g);
        ik_builder_family(b, family, "", r, sizeof *r);
    }
    rrg_free(&g);
    return status;
}
