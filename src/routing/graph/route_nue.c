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
            rank[s] = total ? (uint32_t)(seen * t->num_groups / total) : 0;
            seen += w->hosts[s];
            for (uint32_t l = g->base[s + 1]; l-- > g->base[s];)
                if (w->parent[g->head[l]] == g->rev[l])
                    stack[top++] = g->head[l];
        }
    }
    for (uint32_t s = 0; s < n; s++) /* switches without hosts behind the last may exceed */
        w->group_of[s] = (uint8_t)(rank[s] < t->num_groups ? rank[s] : 0);
    for (uint32_t h = 0; h < g->num_hosts; h++)
        if (g->host_sw[h] != IK_NONE)
            t->group[h] = w->group_of[g->host_sw[h]];
    free(stack);
    free(rank);
    return IK_OK;
}

/* The switch whose farthest destination of the layer (or of all) is nearest, then with the least
 * sum. */
static uint32_t central_switch(const nue_work *w, const nue *t, unsigned layer, bool all)
{
    uint32_t n = w->g.num_switches, best = 0;
    uint64_t best_cost = UINT64_MAX;
    for (uint32_t s = 0; s < n; s++) {
        uint64_t sum = 0, farthest = 0, last = IK_NONE;
        for (uint32_t h = 0; h < w->g.num_hosts; h++) {
            uint32_t v = w->g.host_sw[h];
            if (v == IK_NONE || v == last || (!all && t->group[h] != layer))
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

static void store(ik_routing *r, const nue_work *w, uint32_t host)
{
    for (uint32_t i = w->num_goals; i < w->num_settled; i++) {
        uint32_t s = w->settled[i];
        r->lft[(size_t)s * w->g.num_hosts + host] =
            (uint16_t)(w->g.port[w->next[s]] - r->fabric->port_base[s]);
    }
}

/* The destinations of a group, whose layers have their escape paths. */
static ik_status route_group(ik_routing *r, nue_work *w, nue *t, unsigned group, const ik_env *env,
                             ik_error *err)
{
    unsigned lanes[NUE_MOST_LANES];
    w->num_lanes = nue_lanes_of(t, group, lanes);
    w->lanes = lanes;
    ik_status status = IK_OK;
    for (uint32_t h = 0; h < w->g.num_hosts && status == IK_OK; h++) {
        if (w->g.host_sw[h] == IK_NONE || t->group[h] != group)
            continue;
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled while routing");
        else if (!nue_find_paths(w, h))
            status = ik_fail_memory(err, w->heap.cap * sizeof *w->heap.items, "Nue's search");
        if (status != IK_OK)
            break;
        nue_account(w, t, h);
        store(r, w, h);
    }
    w->lanes = NULL;
    return status;
}

static ik_status begin_layer(nue_work *w, const nue *t, unsigned layer, ik_error *err)
{
    ik_status status = linkdag_init(&w->dags[layer], &w->g, err);
    if (status != IK_OK)
        return status;
    nue_count_destinations(w, t, layer);
    nue_add_escape_paths(w, layer);
    return IK_OK;
}

/* One layer after the other, each with a tree of its own. */
static ik_status route_single(ik_routing *r, nue_work *w, nue *t, const ik_env *env, ik_error *err)
{
    ik_status status = IK_OK;
    for (unsigned layer = 0; layer < t->num_layers && status == IK_OK; layer++) {
        nue_grow_trees(w, central_switch(w, t, layer, false));
        status = begin_layer(w, t, layer, err);
        if (status == IK_OK)
            status = route_group(r, w, t, layer, env, err);
        linkdag_free(&w->dags[layer]);
    }
    return status;
}

/* All layers at once on one tree, since every destination has several. */
static ik_status route_both(ik_routing *r, nue_work *w, nue *t, const ik_env *env, ik_error *err)
{
    ik_status status = IK_OK;
    for (unsigned layer = 0; layer < t->num_layers && status == IK_OK; layer++)
        status = begin_layer(w, t, layer, err);
    for (unsigned group = 0; group < t->num_groups && status == IK_OK; group++)
        status = route_group(r, w, t, group, env, err);
    return status;
}

static void work_free(nue_work *w, unsigned num_layers)
{
    links_free(&w->g);
    for (unsigned layer = 0; w->dags && layer < num_layers; layer++)
        linkdag_free(&w->dags[layer]);
    free(w->dags);
    free(w->group_of);
    free(w->through);
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

static ik_status work_init(nue_work *w, const ik_fabric *f, unsigned num_layers, const ik_env *env,
                           ik_error *err)
{
    ik_status status = links_build(f, &w->g, err);
    if (status == IK_OK)
        status = links_distances(&w->g, env, &w->dist, err);
    if (status != IK_OK)
        return status;
    size_t n = (size_t)f->num_switches + 1;
    w->dags = ik_calloc(num_layers, sizeof *w->dags);
    w->group_of = ik_calloc(n, 1);
    w->through = ik_calloc(n, 1);
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
        !w->is_goal || !w->goals || !w->dags || !w->group_of || !w->through)
        return ik_fail_memory(err, n * 48, "Nue's search");
    for (uint32_t h = 0; h < w->g.num_hosts; h++)
        if (w->g.host_sw[h] != IK_NONE)
            w->hosts[w->g.host_sw[h]]++;
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------
 * family */

static uint32_t no_link(const void *ctx, uint32_t sw, uint32_t dst)
{
    (void)ctx, (void)sw, (void)dst;
    return IK_NONE;
}

static void nue_destroy(ik_routing *r)
{
    nue *t = r->impl;
    if (!t)
        return;
    free(t->group);
    free(t->load);
    free(t);
}

static ik_status refuse_layers(const nue *t, unsigned lower, unsigned higher, ik_error *err)
{
    ik_status status =
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "pairs=both cannot use %u layers: every two groups of hosts need a layer "
                         "together, which takes the lines of a projective plane",
                         t->num_layers),
                 "vcs");
    if (higher == 0)
        return ik_hint(err, status, "vcs=%u would do", lower);
    return ik_hint(err, status, "vcs=%u or vcs=%u would do", lower, higher);
}

static ik_status make_nue(nue *t, const ik_fabric *f, const ik_params *params, ik_error *err)
{
    unsigned lower, higher;
    t->num_groups = t->num_layers = (unsigned)ik_params_uint(params, "vcs");
    t->both = ik_params_enum(params, "pairs") == 1;
    if (t->both && !nue_lanes_fit(t->num_layers, &lower, &higher))
        return refuse_layers(t, lower, higher, err);
    t->group = ik_calloc((size_t)f->num_hosts + 1, 1);
    t->load = ik_calloc(t->num_layers, sizeof *t->load);
    return t->group && t->load ? IK_OK : ik_fail_memory(err, f->num_hosts, "Nue");
}

static ik_status nue_create(ik_routing *r, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    nue *t = ik_calloc(1, sizeof *t);
    nue_work w = {.t = t};
    if (!t)
        return ik_fail_memory(err, sizeof *t, "Nue");
    r->impl = t;
    ik_status status = make_nue(t, r->fabric, params, err);
    if (status == IK_OK)
        status = work_init(&w, r->fabric, t->num_layers, env, err);
    if (status == IK_OK)
        /* the ports to hosts; the rest follows */
        status = links_make_lft(r, &w.g, env, no_link, NULL, err);
    if (status == IK_OK && w.g.num_switches > 0) {
        nue_grow_trees(&w, central_switch(&w, t, 0, true));
        status = split_destinations(&w, t, err);
        if (status == IK_OK)
            status = t->both ? route_both(r, &w, t, env, err) : route_single(r, &w, t, env, err);
    }
    work_free(&w, t->num_layers);
    r->natural_vc = "nue";
    if (t->num_layers == 1)
        r->claims |= IK_CLAIM_DEADLOCK_FREE;
    return status;
}

unsigned nue_num_layers(const ik_routing *r)
{
    return ((const nue *)r->impl)->num_layers;
}

unsigned nue_layer(const ik_routing *r, uint32_t src, uint32_t dst)
{
    const nue *t = r->impl;
    return nue_lane_between(t, t->group[src], t->group[dst]);
}

bool nue_both_ways(const ik_routing *r)
{
    return ((const nue *)r->impl)->both;
}

const uint64_t *nue_layer_load(const ik_routing *r)
{
    return ((const nue *)r->impl)->load;
}

static const ik_param nue_params[] = {
    {"vcs", IK_PARAM_UINT, "1", 1, 64, NULL,
     "layers, each with its own destinations: more give shorter and better balanced paths"},
    {"pairs", IK_PARAM_ENUM, "single", 0, 0, "single|both",
     "the layer by destination, or one layer for both directions of two hosts: with 1, 3, 7, 13, "
     "21, 31 or 57 vcs"},
    {0},
};

static const char *const nue_examples[] = {
    "jellyfish:N=20,d=4,p=2", "torus:dims=4:4", "slimfly:q=5",
    "karytree:k=2,n=3",       "ring:n=7",       NULL};

const ik_routing_family ik_routing_nue = {
    .name = "nue",
    .summary = "paths inside an acyclic dependency graph: deadlock-free with any number of VCs, on "
               "any fabric",
    .source = "Domke, Hoefler, Matsuoka: Routing on the Dependency Graph: A New Approach to "
              "Deadlock-Free High-Performance Routing, HPDC 2016",
    .details =
        "Destinations are split over `vcs` layers; in each, every destination is routed by a "
        "balanced search that only uses channel dependencies which keep the layer's graph acyclic, "
        "and by a spanning tree's paths where that gets stuck. Always succeeds; paths may be "
        "longer than shortest. The VC, set by VC scheme nue, depends on the destination. With "
        "pairs=both hosts are split into as many groups as there are layers, and a layer serves "
        "the groups on one line of a finite projective plane: two groups share exactly one layer, "
        "which both directions between them take, so that replies may take the lane of the "
        "request.",
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
