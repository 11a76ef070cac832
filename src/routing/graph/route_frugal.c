/* SPDX-License-Identifier: Apache-2.0
 *
 * route_frugal.c: tables and lanes chosen together: both directions of every connection on one
 * lane, in few lanes, at a load that stays near that of balanced tables.
 *
 * Pairs of switches are routed nearest first, both directions at once, so that each needs only its
 * first links chosen: by the squared loads of the paths and a price for every dependency that the
 * lane's graph has not yet, among those that keep that graph acyclic (linkdag.h). Several prices,
 * orders of pairs, and trees per switch or per host are tried (frugal_search.c). Idea: LASH and
 * DFSSSP layer paths that were chosen without a thought for layers; Nue (Domke, Hoefler, Matsuoka,
 * HPDC 2016) chooses paths inside an acyclic graph but has a lane per destination; this does both
 * per pair of switches. Cost: attempts times O(pairs of switches * trees per switch * lanes *
 * degree * hops) and the insertions.
 */
#include "routing/graph/route_frugal.h"
#include "routing/graph/frugal.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct frugal {
    uint32_t num_switches;
    uint32_t *host_sw; /* [hosts] IK_NONE */
    uint8_t *lane;     /* [S][S] */
    unsigned lanes;
    uint64_t load[FRUGAL_MOST_LANES]; /* host pairs times hops */
} frugal;

static void frugal_destroy(ik_routing *r)
{
    frugal *t = r->impl;
    if (!t)
        return;
    free(t->host_sw);
    free(t->lane);
    free(t);
}

static uint32_t no_link(const void *ctx, uint32_t sw, uint32_t dst)
{
    (void)ctx, (void)sw, (void)dst;
    return IK_NONE;
}

/* The tables into r->lft, and the hops of every lane. */
static ik_status store(ik_routing *r, const frugal_graph *f, const frugal_tables *tables,
                       const ik_env *env, ik_error *err)
{
    const links *g = &f->g;
    frugal *t = r->impl;
    uint32_t n = g->num_switches, tree = 0;
    ik_status status = links_make_lft(r, g, env, no_link, NULL, err); /* ports to hosts */
    for (uint32_t d = 0; d < n && status == IK_OK; d++)
        for (uint32_t i = 0; i < f->hosts[d]; i++) {
            uint32_t host = f->host[f->first[d] + i];
            const uint32_t *next = tables->next + (size_t)(tables->spread ? tree + i : tree) * n;
            for (uint32_t s = 0; s < n; s++) {
                if (next[s] == IK_NONE || s == d)
                    continue;
                r->lft[(size_t)s * g->num_hosts + host] =
                    (uint16_t)(g->port[next[s]] - r->fabric->port_base[s]);
                for (uint32_t at = s; at != d && f->hosts[s]; at = g->head[next[at]])
                    t->load[t->lane[(size_t)s * n + d]] += f->hosts[s];
            }
            if (i + 1 == f->hosts[d])
                tree += tables->spread ? f->hosts[d] : 1;
        }
    return status;
}

static ik_status describe(ik_routing *r, const frugal_tables *tables, ik_error *err)
{
    r->trade.lanes = tables->lanes;
    r->trade.max_load = tables->max_load;
    r->trade.longer = tables->longer;
    size_t size = 400;
    r->note = ik_calloc(size, 1);
    if (!r->note)
        return ik_fail_memory(err, size, "a note");
    int n = snprintf(r->note, size,
                     "frugal: %u lane%s, at most %" PRIu64
                     " host pairs over a link between switches; balanced tables: ",
                     tables->lanes, tables->lanes == 1 ? "" : "s", tables->max_load);
    if (r->trade.balanced_lanes)
        n += snprintf(r->note + n, size - (size_t)n, "%u lane%s, %" PRIu64, r->trade.balanced_lanes,
                      r->trade.balanced_lanes == 1 ? "" : "s", r->trade.balanced_load);
    else
        n += snprintf(r->note + n, size - (size_t)n, "more than %d lanes", FRUGAL_MOST_LANES);
    if (tables->longer)
        snprintf(r->note + n, size - (size_t)n,
                 "; %" PRIu64 " host pairs take longer paths than the shortest", tables->longer);
    return IK_OK;
}

static ik_status keep(ik_routing *r, const frugal_graph *f, frugal_tables *tables,
                      const ik_env *env, ik_error *err)
{
    frugal *t = r->impl;
    t->num_switches = f->g.num_switches;
    t->lanes = tables->lanes;
    t->lane = tables->lane;
    tables->lane = NULL;
    t->host_sw = ik_calloc((size_t)f->g.num_hosts + 1, sizeof *t->host_sw);
    if (!t->host_sw)
        return ik_fail_memory(err, f->g.num_hosts * 4ULL, "hosts' switches");
    for (uint32_t h = 0; h < f->g.num_hosts; h++)
        t->host_sw[h] = f->g.host_sw[h];
    for (size_t i = 0; i < (size_t)t->num_switches * t->num_switches; i++)
        if (t->lane[i] == FRUGAL_NO_LANE)
            t->lane[i] = 0;
    free(r->lft); /* of the balanced tables */
    r->lft = NULL;
    ik_status status = store(r, f, tables, env, err);
    if (status == IK_OK)
        status = describe(r, tables, err);
    if (tables->longer == 0)
        r->claims |= IK_CLAIM_MINIMAL;
    if (tables->lanes == 1)
        r->claims |= IK_CLAIM_DEADLOCK_FREE;
    if (!tables->spread)
        r->traits |= IK_ROUTE_PER_SWITCH;
    return status;
}

static ik_status frugal_create(ik_routing *r, const ik_params *params, const ik_env *env,
                               ik_error *err)
{
    frugal_graph f = {0};
    frugal_tables tables = {0};
    frugal_goal goal = {.lanes = (unsigned)ik_params_uint(params, "lanes"),
                        .by_load = ik_params_enum(params, "prefer") == 1};
    r->natural_vc = "frugal";
    r->impl = ik_calloc(1, sizeof(frugal));
    if (!r->impl)
        return ik_fail_memory(err, sizeof(frugal), "a routing");
    ik_status status = frugal_graph_build(r->fabric, env, &f, err);
    if (status != IK_OK)
        return status;
    status = frugal_search(&f, r, goal, env, &tables, err);
    if (status == IK_OK)
        status = keep(r, &f, &tables, env, err);
    frugal_tables_free(&tables);
    frugal_graph_free(&f);
    return status;
}

unsigned frugal_num_lanes(const ik_routing *r)
{
    return ((const frugal *)r->impl)->lanes;
}

unsigned frugal_lane(const ik_routing *r, uint32_t src, uint32_t dst)
{
    const frugal *t = r->impl;
    uint32_t s = t->host_sw[src], d = t->host_sw[dst];
    return s == IK_NONE || d == IK_NONE ? 0 : t->lane[(size_t)s * t->num_switches + d];
}

const uint64_t *frugal_lane_load(const ik_routing *r)
{
    return ((const frugal *)r->impl)->load;
}

static const ik_param frugal_params[] = {
    {"lanes", IK_PARAM_UINT, "8", 1, FRUGAL_MOST_LANES, NULL,
     "most lanes; where shortest paths do not fit, some paths are longer"},
    {"prefer", IK_PARAM_ENUM, "lanes", 0, 0, "lanes|load",
     "the fewest lanes at a load no higher than that of lowest-port tables, or the least load"},
    {0},
};

static const char *const frugal_examples[] = {"karytree:k=2,n=3",
                                              "jellyfish:N=20,d=4,p=2",
                                              "torus:dims=4:4",
                                              "slimfly:q=5",
                                              "ring:n=7",
                                              "hypercube:n=4,p=2",
                                              NULL};

const ik_routing_family ik_routing_frugal = {
    .name = "frugal",
    .summary = "shortest paths chosen with their lanes, so that few lanes are safe for both "
               "directions of every connection",
    .source = "ikat; compared with Skeie, Lysne, Theiss: Layered Shortest Path (LASH) Routing in "
              "Irregular System Area Networks, IPDPS 2002",
    .details =
        "Pairs of switches are routed nearest first, both directions on one lane, over the paths "
        "with the least load that keep the lane's dependency graph acyclic; many rules are tried. "
        "prefer=lanes takes the fewest lanes whose busiest link carries no more host pairs than "
        "under tables that take the lowest port (what a subnet manager's LASH does); prefer=load "
        "takes the least load within `lanes`. Always succeeds, with longer paths where shortest "
        "ones do not fit. The VCs, set by VC scheme frugal, are one lane per pair of switches, so "
        "replies may take the lane of the request. The note says what the lanes cost.",
    .params = frugal_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .example_fabrics = frugal_examples,
    .refused_fabrics = NULL,
    .create = frugal_create,
    .destroy = frugal_destroy,
    .next = ik_lft_next,
};
