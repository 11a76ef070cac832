/* SPDX-License-Identifier: Apache-2.0
 *
 * route_nue.c: paths found inside an acyclic channel dependency graph, so that any number of VCs is
 * enough, even one.
 *
 * Destinations are split into as many subsets as there are VCs; each subset has a layer of its own.
 * A layer starts with the dependencies of a spanning tree's paths to its destinations, the escape
 * paths. Then each destination is routed by a search over links in order of (hops, host pairs
 * routed so far) that only uses dependencies which keep the layer's graph acyclic. Where the search
 * gets stuck, a settled neighbour may change its own next hop if that frees the way; switches that
 * remain, and all on their way, take their escape paths in a new search of that destination. Escape
 * paths always fit, so this ends. Source: J. Domke, T. Hoefler, S. Matsuoka, "Routing on the
 * Dependency Graph: A New Approach to Deadlock-Free High-Performance Routing", HPDC 2016.
 * Departures: acyclicity is kept by an incremental topological order (linkdag.h) in place of the
 * paper's colouring; destinations are split along the spanning tree's preorder; the tree's root is
 * the switch nearest to all destinations of the layer. Cost: O(hosts * links * log links) plus the
 * insertions.
 */
#include "routing/graph/nue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
/* ------------------------------------------------------------------------------------------
 * layers */

/* Along the preorder of a depth-first walk of the tree, so that subsets are neighbourhoods; even in
 * hosts, switches undivided. */
static ik_status split_destinations(nue_work *w, nue *t, ik_error *err)
{
    const links *g = &w->g;
    uint32_t n = g->num_switches;
    uint32_t *stack = ik_calloc((size_t)n + 1, sizeof *stack),
             *rank = ik_calloc((size_t)n + 1, sizeof *rank);
    if (!stack || !rank) {
        free(stack);
        free(rank);
        return ik_fail_memory(err, n * 8, "the layers' destinations");
    }
    uint64_t total = 0, seen = 0;
    for (uint32_t s = 0; s < n; s++)
        total += w->hosts[s];
    for (uint32_t i = 0; i < n; i++) {
        if (w->parent[w->preorder[i]] != IK_NONE)
            continue;
        uint32_t top = 0;
        stack[top++] = w->preorder[i];
        while (top > 0) {
            uint32_t s = stack[--top];
            rank[s] = total ? (uint32_t)(seen * t->num_layers / total) : 0;
            seen += w->hosts[s];
            for (uint32_t l = g->base[s + 1]; l-- > g->base[s];)
                if (w->parent[g->head[l]] == g->rev[l])
                    stack[top++] = g->head[l];
        }
    }
    for (uint32_t h = 0; h < g->num_hosts; h++)
        if (g->host_sw[h] != IK_NONE)
            t->layer[h] = (uint8_t)rank[g->host_sw[h]];
    free(stack);
    free(rank);
    return IK_OK;
}

/* The switch whose farthest destination of the layer (or of all) is nearest, then with the least
 * sum. */
static uint32_t nue_central_switch(const nue_work *w, const nue *t, unsigned layer, bool all)
{
    uint32_t n = w->g.num_switches, best = 0;
    uint64_t best_cost = UINT64_MAX;
    for (uint32_t s = 0; s < n; s++) {
        uint64_t sum = 0, farthest = 0, last = IK_NONE;
        for (uint32_t h = 0; h < w->g.num_hosts; h++) {
            uint32_t v = w->g.host_sw[h];
            if (v == IK_NONE || v == last || (!all && t->layer[h] != layer))
                continue;
            last = v;
            uint8_t d = w->dist[(size_t)s * n + v];
            sum += d;
            farthest = d > farthest ? d : farthest;
        }
        uint64_t cost = farthest << 40 | sum;
        if (cost < best_cost) {
            best_cost = cost;
            best = s;
        }
    }
    return best;
}

static ik_status nue_route_layer(ik_routing *r, nue_work *w, nue *t, unsigned layer,
                                 const ik_env *env, ik_error *err)
{
    assert(layer < t->num_layers);
    const links *g = &w->g;
    const ik_fabric *f = r->fabric;
    ik_status status = linkdag_init(&w->dag, g, err);
    if (status != IK_OK)
        return status;
    nue_grow_trees(w, nue_central_switch(w, t, layer, false));
    nue_count_destinations(w, t, layer);
    nue_add_escape_paths(w);
    for (uint32_t h = 0; h < g->num_hosts && status == IK_OK; h++) {
        if (g->host_sw[h] == IK_NONE || t->layer[h] != layer)
            continue;
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled while routing");
        else if (!nue_find_paths(w, h))
            status = ik_fail_memory(err, w->heap.cap * sizeof *w->heap.items, "Nue's search");
        if (status != IK_OK)
            break;
        t->load[layer] += nue_account(w);
        for (uint32_t i = w->num_goals; i < w->num_settled; i++) {
            uint32_t s = w->settled[i];
            r->lft[(size_t)s * g->num_hosts + h] =
                (uint16_t)(g->port[w->next[s]] - f->port_base[s]);
        }
    }
    linkdag_free(&w->dag);
    return status;
}

static void nue_work_free(nue_work *w)
{
    links_free(&w->g);
    free(w->dist);
    free(w->hosts);
    free(w->load);
    free(w->parent);
    free(w->preorder);
    free(w->beneath);
    free(w->tree_total);
    free(w->next);
    free(w->key);
    free(w->settled);
    free(w->escape);
    free(w->stack);
    free(w->forced);
    free(w->is_goal);
    free(w->goals);
    ik_heap_free(&w->heap);
    free(w->added.items);
    free(w->refused.items);
}

static ik_status nue_work_init(nue_work *w, const ik_fabric *f, const ik_env *env, ik_error *err)
{
    ik_status status = links_build(f, &w->g, err);
    if (status == IK_OK)
        status = links_distances(&w->g, env, &w->dist, err);
    if (status != IK_OK)
        return status;
    size_t n = (size_t)f->num_switches + 1;
    w->hosts = ik_calloc(n, sizeof *w->hosts);
    w->load = ik_calloc((size_t)w->g.num_links + 1, sizeof *w->load);
    w->parent = ik_calloc(n, sizeof *w->parent);
    w->preorder = ik_calloc(n, sizeof *w->preorder);
    w->beneath = ik_calloc(n, sizeof *w->beneath);
    w->tree_total = ik_calloc(n, sizeof *w->tree_total);
    w->next = ik_calloc(n, sizeof *w->next);
    w->key = ik_calloc(n, sizeof *w->key);
    w->settled = ik_calloc(n, sizeof *w->settled);
    w->escape = ik_calloc(n, sizeof *w->escape);
    w->stack = ik_calloc(n, sizeof *w->stack);
    w->forced = ik_calloc(n, sizeof *w->forced);
    w->is_goal = ik_calloc(n, sizeof *w->is_goal);
    w->goals = ik_calloc(n, sizeof *w->goals);
    if (!w->hosts || !w->load || !w->parent || !w->preorder || !w->beneath || !w->tree_total ||
        !w->next || !w->key || !w->settled || !w->escape || !w->stack || !w->forced ||
        !w->is_goal || !w->goals)
        return ik_fail_memory(err, n * 48, "Nue's search");
    for (uint32_t h = 0; h < w->g.num_hosts; h++)
        if (w->g.host_sw[h] != IK_NONE)
            w->hosts[w->g.host_sw[h]]++;
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------
 * family */

static uint32_t nue_no_link(const void *ctx, uint32_t sw, uint32_t dst)
{
    (void)ctx, (void)sw, (void)dst;
    return IK_NONE;
}

static void nue_destroy(ik_routing *r)
{
    nue *t = r->impl;
    if (!t)
        return;
    free(t->layer);
    free(t->load);
    frugal_lanes_free(&t->lanes);
    free(t);
}

/* Layers by destination cannot serve both directions: pairs of switches are routed in the place of
 * destinations. */
static ik_status nue_route_pairs(ik_routing *r, nue *t, const ik_env *env, ik_error *err)
{
    unsigned most = t->num_layers < FRUGAL_MOST_LANES ? t->num_layers : FRUGAL_MOST_LANES;
    ik_status status =
        frugal_make(r, (frugal_goal){.lanes = most, .by_load = true}, env, &t->lanes, err);
    t->num_layers = t->lanes.num;
    return status;
}

static ik_status nue_create(ik_routing *r, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    nue_work w = {0};
    nue *t = ik_calloc(1, sizeof *t);
    if (!t)
        return ik_fail_memory(err, sizeof *t, "Nue");
    r->impl = t;
    r->natural_vc = "nue";
    t->num_layers = (unsigned)ik_params_uint(params, "vcs");
    t->both = ik_params_enum(params, "pairs") == 1;
    if (t->both && t->num_layers > 1) /* one layer serves both directions anyhow */
        return nue_route_pairs(r, t, env, err);
    t->layer = ik_calloc((size_t)r->fabric->num_hosts + 1, 1);
    t->load = ik_calloc(t->num_layers, sizeof *t->load);
    ik_status status = t->layer && t->load ? nue_work_init(&w, r->fabric, env, err)
                                           : ik_fail_memory(err, r->fabric->num_hosts, "Nue");
    if (status == IK_OK)
        /* the ports to hosts; the rest follows */
        status = links_make_lft(r, &w.g, env, nue_no_link, NULL, err);
    if (status == IK_OK && w.g.num_switches > 0) {
        nue_grow_trees(&w, nue_central_switch(&w, t, 0, true));
        status = split_destinations(&w, t, err);
    }
    for (unsigned layer = 0; layer < t->num_layers && status == IK_OK && w.g.num_switches > 0;
         layer++)
        status = nue_route_layer(r, &w, t, layer, env, err);
    nue_work_free(&w);
    if (t->num_layers == 1)
        r->claims |= IK_CLAIM_DEADLOCK_FREE;
    return status;
}

unsigned nue_num_layers(const ik_routing *r)
{
    assert(strcmp(r->family->name, "nue") == 0); /* impl is that of this family */
    return ((const nue *)r->impl)->num_layers;
}

unsigned nue_layer(const ik_routing *r, uint32_t src, uint32_t dst)
{
    assert(src < r->fabric->num_hosts && dst < r->fabric->num_hosts);
    const nue *t = r->impl;
    return t->lanes.lane ? frugal_lanes_between(&t->lanes, src, dst) : t->layer[dst];
}

bool nue_both_ways(const ik_routing *r)
{
    return ((const nue *)r->impl)->both;
}

const uint64_t *nue_layer_load(const ik_routing *r)
{
    const nue *t = r->impl;
    return t->lanes.lane ? t->lanes.load : t->load;
}

static const ik_param nue_params[] = {
    {"vcs", IK_PARAM_UINT, "1", 1, 64, NULL,
     "number of layers, each with its own destinations; more layers give shorter and better "
     "balanced paths"},
    {"pairs", IK_PARAM_ENUM, "single", 0, 0, "single|both",
     "single: the layer depends on the destination; both: both directions between two hosts have "
     "the same layer, and only as many layers are used as improve the result"},
    {0},
};

static const char *const nue_examples[] = {
    "jellyfish:N=20,d=4,p=2", "torus:dims=4:4", "slimfly:q=5",
    "karytree:k=2,n=3",       "ring:n=7",       NULL};

const ik_routing_family ik_routing_nue = {
    .name = "nue",
    .summary = "paths within an acyclic dependency graph: deadlock-free with any number of VCs, on "
               "any fabric",
    .source = "Domke, Hoefler, Matsuoka: Routing on the Dependency Graph: A New Approach to "
              "Deadlock-Free High-Performance Routing, HPDC 2016",
    .details =
        "Destinations are divided among `vcs` layers. In each layer, every destination is routed "
        "by a balanced search that uses only channel dependencies which keep the layer's graph "
        "acyclic, and along the paths of a spanning tree where the search finds no way. The "
        "routing always succeeds; paths may be longer than shortest paths. The VC is set by VC "
        "scheme nue and depends on the destination. With pairs=both, replies may take the layer of "
        "the request: with several layers, pairs of switches are then routed instead of "
        "destinations, as frugal:prefer=load does with up to `vcs` lanes.",
    .params = nue_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .example_fabrics = nue_examples,
    .refused_fabrics = NULL,
    .create = nue_create,
    .destroy = nue_destroy,
    .next = ik_lft_next,
};
