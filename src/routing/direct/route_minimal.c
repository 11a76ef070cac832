/* SPDX-License-Identifier: Apache-2.0
 *
 * route_minimal.c: minimal paths on any fabric.
 *
 * paths=all: at every switch all outputs that come one hop nearer; the selection function picks (by
 * default at random, which on fabrics of diameter two draws the middle switch uniformly per
 * packet). paths=one: one of them a switch and destination, drawn by seed and kept: a table.
 * Source: Kathareios, Minkenberg, Prisacari, Rodriguez, Hoefler, "Cost-Effective Diameter-Two
 * Topologies: Analysis and Evaluation", SC 2015, section 3.1. Cost: O(S * (S + L)) set-up, one row
 * lookup a hop.
 */
#include "routing/direct/minpaths.h"

#include "ikat/topology.h"

#include <stdlib.h>

static void minimal_destroy(ik_routing *r)
{
    if (r->impl)
        minpaths_free(r->impl);
    free(r->impl);
}

typedef struct one_job {
    const minpaths *m;
    uint64_t seed;
    uint16_t *lft;
} one_job;

static ik_status minimal_one_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    (void)err;
    const one_job *job = ctx;
    const links *g = &job->m->g;
    uint32_t u = (uint32_t)index, base = job->m->f->port_base[u];
    for (uint32_t h = 0; h < g->num_hosts; h++) {
        uint32_t v = links_nearest(g, job->m->dist, u, h);
        if (v == IK_NONE || v == u)
            continue; /* links_make_lft has set the ports to hosts */
        uint32_t port = minpaths_one(job->m, u, v, job->seed, h);
        if (port != IK_NONE)
            job->lft[index * g->num_hosts + h] = (uint16_t)(port - base);
    }
    return IK_OK;
}

static uint32_t minimal_no_link(const void *ctx, uint32_t sw, uint32_t dst)
{
    (void)ctx;
    (void)sw;
    (void)dst;
    return IK_NONE;
}

static ik_status minimal_make_one(ik_routing *r, const minpaths *m, const ik_env *env,
                                  ik_error *err)
{
    ik_status status = links_make_lft(r, &m->g, env, minimal_no_link, NULL, err);
    if (status != IK_OK)
        return status;
    one_job job = {m, r->seed, r->lft};
    status = ik_parallel_for(env, "minimal paths", m->g.num_switches, minimal_one_row, &job, err);
    r->kind = IK_ROUTE_DETERMINISTIC;
    r->claims |= IK_CLAIM_IN_ORDER;
    r->traits &= ~(unsigned)IK_ROUTE_PER_SWITCH; /* hosts of one switch have draws of their own */
    return status;
}

/* Local and global hops before the last group, local ones in it: no cycle among either. Where
 * failures make local paths longer there may be one. */
static const char *minimal_natural_vc(const ik_fabric *f, const minpaths *m)
{
    if (minpaths_up_down(f) || (m->group && f->intact && hierarchy_of_trees(f)))
        return "1q";
    return m->group && f->intact ? "phase" : "hopclass";
}

static ik_status minimal_create(ik_routing *r, const ik_params *params, const ik_env *env,
                                ik_error *err)
{
    minpaths *m = ik_calloc(1, sizeof *m);
    if (!m)
        return ik_fail_memory(err, sizeof *m, "minimal paths");
    r->impl = m;
    ik_status status = minpaths_build(r->fabric, params, env, m, err);
    if (status != IK_OK)
        return status;
    r->natural_vc = minimal_natural_vc(r->fabric, m);
    r->natural_selection = "random";
    r->traits |= m->group ? IK_ROUTE_MARKS : 0;
    r->claims = minpaths_claims(m, r->claims);
    if (ik_fabric_xgft(r->fabric) && !m->group && ik_params_enum(params, "paths") == 0)
        r->traits |= IK_ROUTE_ASCENDS_FULLY; /* on a tree the minimal paths are all ways up */
    if (status == IK_OK && ik_params_enum(params, "paths") == 1)
        status = minimal_make_one(r, m, env, err);
    return status;
}

static uint32_t minimal_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                             uint32_t *out, uint32_t *preferred)
{
    const minpaths *m = r->impl;
    if (r->lft && !m->group)
        return ik_lft_next(r, sw, in_port, pk, out, preferred);
    uint32_t v = links_nearest(&m->g, m->dist, sw, pk->dst);
    if (m->group && v != IK_NONE)
        pk->phase = m->group[sw] == m->group[v];
    if (r->lft)
        return ik_lft_next(r, sw, in_port, pk, out, preferred);
    *preferred = 0;
    if (v == IK_NONE)
        return 0;
    if (v == sw)
        return links_last_ports(&m->g, sw, pk->dst, out);
    uint32_t n = minpaths_ports(m, sw, v, out);
    if (n > 1)
        *preferred = v % n; /* spreads destinations where one path is asked for */
    return n;
}

static uint32_t minimal_next_mask(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                                  uint64_t *set, uint32_t *preferred)
{
    const minpaths *m = r->impl;
    uint32_t out, none;
    if (r->lft) {
        if (!minimal_next(r, sw, in_port, pk, &out, &none))
            return 0;
        *preferred = out - r->fabric->port_base[sw];
        port_set_add(set, *preferred);
        return 1;
    }
    uint32_t v = links_nearest(&m->g, m->dist, sw, pk->dst);
    if (v == IK_NONE)
        return 0;
    if (m->group)
        pk->phase = m->group[sw] == m->group[v];
    return v == sw ? links_last_mask(&m->g, sw, pk->dst, set, preferred)
                   : minpaths_mask(m, sw, v, v, set, preferred);
}

static const ik_param minimal_params[] = {
    {"paths", IK_PARAM_ENUM, "all", 0, 0, "all|one",
     "every minimal path, or one per switch and destination drawn by seed"},
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL, "seed of the draw (paths=one)", "paths=one",
     "with paths=all the paths are drawn by the experiment's seed"},
    HIERARCHY_PARAM,
    {0},
};

static const char *const minimal_examples[] = {"slimfly:q=5",
                                               "mlfm:h=3",
                                               "oft:k=4",
                                               "hyperx:dims=3:4",
                                               "dragonfly:p=2,a=4,h=2",
                                               "polarfly:q=3",
                                               "torus:dims=4:4",
                                               "jellyfish:N=20,d=4,p=2",
                                               "karytree:k=2,n=3",
                                               NULL};

const ik_routing_family ik_routing_minimal = {
    .name = "minimal",
    .summary = "all minimal paths, or one of them drawn by seed, on any fabric",
    .source = "Kathareios, Minkenberg, Prisacari, Rodriguez, Hoefler: Cost-Effective Diameter-Two "
              "Topologies: Analysis and Evaluation, SC 2015, section 3.1",
    .details =
        "With paths=all, every output that is one hop nearer to the destination's switch is "
        "allowed, and the selection function picks one, by default at random: on Slim Fly, MLFM "
        "and OFT the middle switch is thus drawn uniformly per packet. With paths=one, each switch "
        "keeps one of these outputs per destination. With one VC, channel dependencies are acyclic "
        "on multi-level trees, OFT and MLFM without failures; elsewhere the default VC scheme is "
        "hopclass (VC = number of hops so far).\n\n"
        "On dragonfly and dragonflyplus (hierarchy=auto or on) a minimal path is the shortest one "
        "with at most one global link: local hops, a global one, local hops. The graph may have a "
        "shorter path over two global links, so the proof may report that paths are not minimal. "
        "The phase is 0 before the last group and 1 in it; without failures, VC = phase "
        "(dragonfly) or one VC (dragonflyplus) is free of deadlock. Pairs that have lost all such "
        "paths to failures are not delivered; hierarchy=off takes any shortest path.",
    .params = minimal_params,
    .kind = IK_ROUTE_ADAPTIVE,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_SURVIVES_FAILURES,
    .traits =
        IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_PER_SWITCH,
    .example_fabrics = minimal_examples,
    .refused_fabrics = NULL,
    .create = minimal_create,
    .destroy = minimal_destroy,
    .next = minimal_next,
    .next_mask = minimal_next_mask,
};
