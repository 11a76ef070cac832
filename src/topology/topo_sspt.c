/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacked Single-Path Trees: copies of a two-level tree in which any two first-level routers share
 * exactly one second-level router, the copies merged at the second level.
 */
#include "topology/build.h"
#include "topology/design.h"

#include <assert.h>
#include <stdlib.h>

static const ik_param params[] = {
    {"r1", IK_PARAM_UINT, NULL, 1, 65535, NULL, "network radix of a first-level router"},
    {"r2", IK_PARAM_UINT, NULL, 2, 65535, NULL, "radix of a second-level router within one copy"},
    {"copies", IK_PARAM_UINT, "", 1, 65535, NULL,
     "number of stacked copies; 2*r1/r2 if not given (all routers then have radix 2*r1); 1 = a "
     "single tree, not stacked"},
    {"p", IK_PARAM_UINT, "", 1, 65535, NULL, "hosts per first-level router; r1 if not given"},
    {0},
};

static ik_status sspt_choose_copies(const ik_params *given, ik_sspt *s, ik_error *err)
{
    if (ik_params_has(given, "copies")) {
        s->copies = (uint32_t)ik_params_uint(given, "copies");
        return IK_OK;
    }
    if (2 * s->r1 % s->r2 != 0) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "r2 = %u does not divide 2*r1 = %u: no whole number of copies makes all "
                         "routers alike",
                         s->r2, 2 * s->r1),
                 "r2 r1");
        return ik_hint(err, IK_ERR_USAGE, "give the number of copies, e.g. copies=1 or copies=%u",
                       2 * s->r1 / s->r2 + 1);
    }
    s->copies = 2 * s->r1 / s->r2;
    return IK_OK;
}

static ik_status sspt_refuse_size(const ik_topo_ctx *ctx, const ik_sspt *s, ik_error *err)
{
    double points = 1 + s->r1 * (s->r2 - 1.0), blocks = points * s->r1 / s->r2;
    double first = points * s->copies;
    return ik_topology_refuse_size(ctx, first + blocks, first * s->p,
                                   first * (2.0 * s->r1 + 2.0 * s->p), err);
}

static void sspt_link_copy(ik_builder *b, const ik_topo_ctx *ctx, const ik_sspt *s, const design *d,
                           const uint32_t *points, uint32_t copy)
{
    assert(copy < s->copies && d->r1 == s->r1 && d->r2 == s->r2);
    uint32_t base = copy * s->num_points, top = s->copies * s->num_points;
    for (uint32_t block = 0; block < s->num_blocks; block++) {
        for (uint32_t u = 0; u < s->r2; u++) {
            uint32_t i = points[(size_t)block * s->r2 + u], t = 0;
            while (d->blocks[(size_t)i * s->r1 + t] != block)
                t++;
            ik_builder_link(b, ik_sw(base + i, s->p + t), ik_sw(top + block, copy * s->r2 + u),
                            ctx->link);
        }
    }
    for (uint32_t i = 0; i < s->num_points; i++) {
        ik_builder_switch_level(b, base + i, 1);
        ik_builder_switch_place(b, base + i, copy, copy, i);
    }
}

static ik_status sspt_add_all(ik_builder *b, const ik_topo_ctx *ctx, ik_sspt *s, const design *d,
                              ik_error *err)
{
    uint32_t *points = design_points(d);
    if (!points) {
        return ik_fail_memory(err, (size_t)d->num_blocks * d->r2 * sizeof *points,
                              "a block design");
    }
    s->num_points = d->num_points;
    s->num_blocks = d->num_blocks;
    ik_builder_switches(b, s->copies * s->num_points, s->r1 + s->p);
    uint32_t top = ik_builder_switches(b, s->num_blocks, s->copies * s->r2);
    for (uint32_t copy = 0; copy < s->copies; copy++)
        sspt_link_copy(b, ctx, s, d, points, copy);
    free(points);
    for (uint32_t block = 0; block < s->num_blocks; block++) {
        ik_builder_switch_level(b, top + block, 2);
        ik_builder_switch_place(b, top + block, s->copies, s->copies, block);
    }
    topo_add_hosts(b, ctx, 0, s->copies * s->num_points, s->p);
    ik_builder_family(b, "sspt", "", s, sizeof *s);
    return IK_OK;
}

static ik_status sspt_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                            ik_error *err)
{
    ik_sspt s = {.r1 = (uint32_t)ik_params_uint(given, "r1"),
                 .r2 = (uint32_t)ik_params_uint(given, "r2")};
    s.p = topo_uint_or(given, "p", s.r1);
    design d = {0};
    ik_status status = IK_OK;
    if (!design_kind(s.r1, s.r2))
        return design_new(s.r1, s.r2, &d, err); /* refuses with the reason */
    status = sspt_choose_copies(given, &s, err);
    if (status == IK_OK)
        status = sspt_refuse_size(ctx, &s, err);
    if (status == IK_OK)
        status = design_new(s.r1, s.r2, &d, err);
    if (status == IK_OK)
        status = sspt_add_all(b, ctx, &s, &d, err);
    design_free(&d);
    return status;
}

const ik_topology ik_topology_sspt = {
    .name = "sspt",
    .summary = "stacked single-path trees: the class of diameter-two indirect networks that MLFM "
               "and OFT belong to",
    .source = "G. Kathareios, C. Minkenberg, B. Prisacari, G. Rodriguez, T. Hoefler, "
              "Cost-effective diameter-two topologies: analysis and evaluation, SC 2015, section "
              "2.2.2; C. C. Lindner, C. A. Rodger, Design Theory, 2009 (triple systems)",
    .details =
        "A single-path tree (r1, r2) has R1 = 1 + r1*(r2-1) first-level routers with p = r1 hosts "
        "and R2 = R1*r1/r2 second-level routers, such that any two first-level routers share "
        "exactly one second-level router: a block design. Stacking merges the second levels of "
        "several copies; with 2*r1/r2 copies, every router has radix 2*r1. Constructions: r2 = 2, "
        "pairs (then this is the MLFM); r2 = r1, the projective plane of prime-power order r1 - 1 "
        "(the OFT); r2 = r1 - 1, the affine plane over GF(r2); r2 = 3, the Steiner triple systems "
        "of Bose and Skolem, r1 mod 3 = 0 or 1.\n\n"
        "First-level router i of copy c has the number c*R1 + i, the second level follows. Ports "
        "of a first-level router: its p hosts, then its blocks ascending; of a second-level "
        "router: copy by copy the points of the block ascending.",
    .params = params,
    .examples = (const char *const[]){"sspt:r1=3,r2=2", "sspt:r1=3,r2=3", "sspt:r1=5,r2=4,copies=1",
                                      "sspt:r1=6,r2=3,p=2", "sspt:r1=7,r2=3,copies=2", NULL},
    .bad_examples = (const char *const[]){"sspt:r1=5,r2=3", "sspt:r1=7,r2=7", "sspt:r1=5,r2=4",
                                          "sspt:r1=3", "sspt:r1=60000,r2=2", NULL},
    .racking = IK_RACKING_GROUPS,
    .build = sspt_build,
};
