/* SPDX-License-Identifier: Apache-2.0
 *
 * Two-level Orthogonal Fat-Tree: two single-path trees on the projective plane of order k-1,
 * stacked on one middle level.
 */
#include "topology/build.h"
#include "topology/design.h"
#include "topology/gf.h"
#include "topology/scale.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const ik_param params[] = {
    {"k", IK_PARAM_UINT, NULL, 2, 65535, NULL,
     "network radix of a router with hosts; k - 1 must be a prime power (or 1)"},
    {"p", IK_PARAM_UINT, "", 1, 65535, NULL, "hosts per router of levels 0 and 2; k if not given"},
    {0},
};

/* k - 1 is 1 (a triangle) or a prime power. */
static ik_status oft_check_k(uint32_t k, ik_error *err)
{
    if (k == 2 || gf_prime_power(k - 1, NULL, NULL))
        return IK_OK;
    uint32_t below = 0, above = 0;
    gf_nearest(k - 1, &below, &above);
    ik_about(err, ik_fail(err, IK_ERR_USAGE, "k = %u: k - 1 = %u is not a prime power", k, k - 1),
             "k");
    return ik_hint(err, IK_ERR_USAGE, "k = %u and k = %u are possible", below + 1, above + 1);
}

static void oft_link_level(ik_builder *b, const ik_topo_ctx *ctx, const ik_oft *o, const design *d,
                           const uint32_t *points, uint32_t side)
{
    assert(d->num_points == o->rl && d->num_blocks == o->rl && d->r1 == o->k && d->r2 == o->k);
    uint32_t middle = 2 * o->rl;
    for (uint32_t block = 0; block < o->rl; block++) {
        for (uint32_t u = 0; u < o->k; u++) {
            uint32_t i = points[(size_t)block * o->k + u], t = 0;
            while (d->blocks[(size_t)i * o->k + t] != block)
                t++;
            ik_builder_link(b, ik_sw(side * o->rl + i, o->p + t),
                            ik_sw(middle + block, side * o->k + u), ctx->link);
        }
    }
}

static ik_status oft_add_all(ik_builder *b, const ik_topo_ctx *ctx, const ik_oft *o,
                             const design *d, ik_error *err)
{
    uint32_t *points = design_points(d);
    if (!points)
        return ik_fail_memory(err, (size_t)o->rl * o->k * sizeof *points, "a block design");
    ik_builder_switches(b, 2 * o->rl, o->k + o->p);
    ik_builder_switches(b, o->rl, 2 * o->k);
    for (uint32_t side = 0; side < 2; side++)
        oft_link_level(b, ctx, o, d, points, side);
    free(points);
    static const unsigned row[3] = {0, 2, 1};
    for (uint32_t sw = 0; sw < 3 * o->rl; sw++) {
        uint32_t part = sw / o->rl;
        ik_builder_switch_level(b, sw, part == 2 ? 2 : 1);
        ik_builder_switch_place(b, sw, row[part], row[part], sw % o->rl);
    }
    topo_add_hosts(b, ctx, 0, 2 * o->rl, o->p);
    ik_builder_family(b, "oft", "", o, sizeof *o);
    return IK_OK;
}

static ik_status oft_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                           ik_error *err)
{
    ik_oft o = {.k = (uint32_t)ik_params_uint(given, "k")};
    o.p = topo_uint_or(given, "p", o.k);
    ik_status status = oft_check_k(o.k, err);
    double rl = (double)o.k * (o.k - 1.0) + 1;
    if (status == IK_OK) {
        status =
            ik_topology_refuse_size(ctx, 3 * rl, 2 * rl * o.p, rl * (4.0 * o.k + 4.0 * o.p), err);
    }
    design d = {0};
    if (status == IK_OK) {
        o.rl = (uint32_t)rl;
        status = design_ml3b(o.k, &d, err);
    }
    if (status == IK_OK)
        status = oft_add_all(b, ctx, &o, &d, err);
    design_free(&d);
    return status;
}

static bool oft_point(uint32_t k, ik_scale_point *out)
{
    if (k < 2 || (k > 2 && !gf_prime_power(k - 1, NULL, NULL)))
        return false;
    snprintf(out->spec, sizeof out->spec, "oft:k=%u", k);
    double rl = k * (k - 1.0) + 1;
    out->hosts = 2 * k * rl;
    out->switches = 3 * rl;
    out->radix = 2 * k;
    out->ports = out->switches * out->radix;
    out->links = 2 * out->hosts;
    return true;
}

static bool oft_fit(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t k = 2; !best.found && 2 * k <= wish->radix; k++) {
        double rl = k * (k - 1.0) + 1;
        uint32_t p = scale_hosts_per(wish, 2 * rl);
        if ((k == 2 || gf_prime_power(k - 1, NULL, NULL)) && p <= scale_most(wish, k))
            scale_offer(&best, 3 * rl, 2 * rl * k, k + (double)(p > k ? p : k), 2 * rl * p,
                        "oft:k=%u,p=%u", k, p);
    }
    return best.found;
}

static const ik_series series[] = {
    {"OFT", "oft:k=i, p = k", oft_point, oft_fit},
    {0},
};

const ik_topology ik_topology_oft = {
    .name = "oft",
    .summary =
        "two-level orthogonal fat-tree: the largest diameter-two indirect network for its radix",
    .source = "M. Valerio, L. E. Moser, P. M. Melliar-Smith, Recursively scalable fat-trees as "
              "interconnection networks, IPCCC 1994; G. Kathareios, C. Minkenberg, B. Prisacari, "
              "G. Rodriguez, T. Hoefler, Cost-effective diameter-two topologies: analysis and "
              "evaluation, SC 2015, section 2.2.4",
    .details =
        "For every k with k - 1 a prime power (and k = 2): three levels of RL = k*k - k + 1 "
        "routers of radix 2k; levels 0 and 2 have p = k hosts per router, so 2*k*RL hosts. "
        "Router i of level 0 and router i of level 2 are cabled to the level-1 routers in "
        "row i of the k-ML3B table, in that order: any two rows share exactly one value, so two "
        "routers with hosts are two hops apart with one path between them, and the pair (0,i), "
        "(2,i) has k paths. The table is filled from the Latin squares i + a*j over GF(k-1).\n\n"
        "Numbers: level 0, then level 2, then level 1; hosts likewise. Ports of a router "
        "with hosts: its p hosts, then its row of the table. Ports of a level-1 router: k "
        "to level 0, k to level 2, each in ascending order.",
    .params = params,
    .examples =
        (const char *const[]){"oft:k=2", "oft:k=3", "oft:k=4", "oft:k=5,p=2", "oft:k=10", NULL},
    .bad_examples = (const char *const[]){"oft:k=7", "oft:k=1", "oft:k=15", "oft:k=65522", NULL},
    .series = series,
    .racking = IK_RACKING_GROUPS,
    .build = oft_build,
};
