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
#include "routing/graph/route_nue.h"

#include "base/array.h"
#include "routing/graph/linkdag.h"

#include <stdlib.h>
#include <string.h>

typedef struct nue {
    unsigned num_layers;
    uint8_t *layer; /* [hosts] */
    uint64_t *load; /* [layers] */
} nue;

typedef struct dependency {
    uint32_t from, to;
} dependency;

typedef struct dependency_list {
    dependency *items;
    size_t num, capacity;
} dependency_list;

typedef struct nue_work {
    links g;
    linkdag dag;
    uint8_t *dist;        /* [S][S] */
    uint32_t *hosts;      /* [S] */
    uint64_t *load;       /* [L] host pairs */
    uint32_t *parent;     /* [S] tree link towards the root, IK_NONE at roots */
    uint32_t *preorder;   /* [S] switches, parents first */
    uint32_t *beneath;    /* [S] destinations of the layer in a switch's subtree */
    uint32_t *tree_total; /* [S] those of its whole tree */
    uint32_t *next;       /* [S] link towards the destination at work, IK_NONE = unsettled */
    uint64_t *key;        /* [S] */
    uint32_t *settled;    /* [S] in order of settling */
    uint32_t *escape;     /* [S] link towards the destination at work over the tree */
    uint32_t *stack;      /* [S] scratch */
    uint8_t *forced;      /* [S] must take its escape path */
    uint8_t *is_goal;     /* [S] the host at work hangs there */
    uint32_t *goals;      /* [num_goals] */
    uint32_t num_goals;
    uint32_t reachable; /* switches that reach a goal, goals counted */
    uint32_t num_settled;
    ik_heap heap; /* links; key: hops << 48 | load along the path */
    dependency_list added, refused;
} nue_work;

/* ---- lists */

static bool note(dependency_list *list, uint32_t from, uint32_t to)
{
    if (!IK_ARRAY_ROOM(list->items, list->capacity, list->num + 1))
        return false;
    list->items[list->num++] = (dependency){from, to};
    return true;
}

/* ---- escape paths */

/* Breadth-first trees over all switches, the first from `root`; preorder lists parents before
 * children. */
static void grow_trees(nue_work *w, uint32_t root)
{
    const links *g = &w->g;
    uint32_t n = g->num_switches, filled = 0, next_root = 0;
    for (uint32_t s = 0; s < n; s++)
        w->parent[s] = w->tree_total[s] = IK_NONE; /* tree_total: reached yet? */
    for (uint32_t r = root; r != IK_NONE;) {
        w->tree_total[r] = 0;
        w->preorder[filled++] = r;
        for (uint32_t i = filled - 1; i < filled; i++)
            for (uint32_t l = g->base[w->preorder[i]]; l < g->base[w->preorder[i] + 1]; l++) {
                uint32_t v = g->head[l];
                if (w->tree_total[v] != IK_NONE)
                    continue;
                w->tree_total[v] = 0;
                w->parent[v] = g->rev[l];
                w->preorder[filled++] = v;
            }
        while (next_root < n && w->tree_total[next_root] != IK_NONE)
            next_root++;
        r = next_root < n ? next_root : IK_NONE;
    }
}

/* Switches of a host that escape paths end at: its first in each component. Leaves them in
 * w->stack, returns their number. */
static uint32_t escape_goals(nue_work *w, uint32_t host)
{
    uint32_t num = links_attached(&w->g, host, w->stack), kept = 0;
    for (uint32_t i = 0; i < num; i++) {
        bool apart = true;
        for (uint32_t k = 0; k < kept; k++)
            apart = apart &&
                    w->dist[(size_t)w->stack[k] * w->g.num_switches + w->stack[i]] == LINKS_FAR;
        if (apart)
            w->stack[kept++] = w->stack[i];
    }
    return kept;
}

static void count_destinations(nue_work *w, const nue *t, unsigned layer)
{
    const links *g = &w->g;
    uint32_t n = g->num_switches;
    memset(w->beneath, 0, n * sizeof *w->beneath);
    for (uint32_t h = 0; h < g->num_hosts; h++) {
        uint32_t goals = t->layer[h] == layer ? escape_goals(w, h) : 0;
        for (uint32_t i = 0; i < goals; i++)
            w->beneath[w->stack[i]]++;
    }
    for (uint32_t i = n; i-- > 0;) {
        uint32_t s = w->preorder[i];
        if (w->parent[s] != IK_NONE)
            w->beneath[g->head[w->parent[s]]] += w->beneath[s];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = w->preorder[i];
        w->tree_total[s] =
            w->parent[s] == IK_NONE ? w->beneath[s] : w->tree_total[g->head[w->parent[s]]];
    }
}

static bool is_tree_link(const nue_work *w, uint32_t l)
{
    return w->parent[w->g.tail[l]] == l || w->parent[w->g.head[l]] == w->g.rev[l];
}

/* Do tree paths to destinations of the layer use this tree link? */
static bool leads_to_destination(const nue_work *w, uint32_t l)
{
    uint32_t tail = w->g.tail[l], head = w->g.head[l];
    return w->parent[tail] == l ? w->tree_total[tail] > w->beneath[tail] : w->beneath[head] > 0;
}

/* The turns of tree paths close no cycle, whatever their number. */
static void add_escape_paths(nue_work *w)
{
    const links *g = &w->g;
    for (uint32_t s = 0; s < g->num_switches; s++)
        for (uint32_t out = g->base[s]; out < g->base[s + 1]; out++) {
            if (!is_tree_link(w, out) || !leads_to_destination(w, out))
                continue;
            for (uint32_t back = g->base[s]; back < g->base[s + 1]; back++)
                if (back != out && is_tree_link(w, back))
                    linkdag_add(&w->dag, g->rev[back], out);
        }
}

static bool reaches_goal(const nue_work *w, uint32_t s)
{
    for (uint32_t i = 0; i < w->num_goals; i++)
        if (w->dist[(size_t)w->goals[i] * w->g.num_switches + s] != LINKS_FAR)
            return true;
    return false;
}

/* Turns to a host: its switches are goals, and next hops over the tree lead towards the root until
 * a goal lies beneath. */
static void set_escape_paths(nue_work *w, uint32_t host)
{
    const links *g = &w->g;
    for (uint32_t s = 0; s < g->num_switches; s++) {
        w->escape[s] = w->parent[s];
        w->forced[s] = w->is_goal[s] = 0;
    }
    uint32_t goals = escape_goals(w, host);
    for (uint32_t i = 0; i < goals; i++)
        for (uint32_t at = w->stack[i]; w->parent[at] != IK_NONE; at = g->head[w->parent[at]])
            /* the way down from every ancestor */
            w->escape[g->head[w->parent[at]]] = g->rev[w->parent[at]];
    w->num_goals = links_attached(g, host, w->stack);
    w->reachable = 0;
    for (uint32_t i = 0; i < w->num_goals; i++) {
        w->goals[i] = w->stack[i];
        w->is_goal[w->stack[i]] = 1;
    }
    for (uint32_t s = 0; s < g->num_switches; s++)
        w->reachable += reaches_goal(w, s);
}

/* ---- one destination */

/* Tries one dependency and writes down what happened. */
static linkdag_result try_dependency(nue_work *w, uint32_t from, uint32_t to, bool *ok)
{
    linkdag_result result = linkdag_add(&w->dag, from, to);
    if (result == LINKDAG_NEW)
        *ok = *ok && note(&w->added, from, to);
    else if (result == LINKDAG_CYCLE)
        *ok = *ok && note(&w->refused, from, to);
    return result;
}

/* Takes back the dependencies from position `keep` on. */
static void take_back(nue_work *w, size_t keep)
{
    while (w->added.num > keep) {
        dependency d = w->added.items[--w->added.num];
        linkdag_remove(&w->dag, d.from, d.to);
    }
    for (size_t i = 0; i < w->refused.num; i++)
        linkdag_forget(&w->dag, w->refused.items[i].from, w->refused.items[i].to);
    w->refused.num = 0;
}

static bool settle(nue_work *w, uint32_t u, uint32_t link, uint64_t key)
{
    const links *g = &w->g;
    w->next[u] = link;
    w->key[u] = key;
    w->settled[w->num_settled++] = u;
    bool ok = true;
    for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++)
        if (w->next[g->head[l]] == IK_NONE)
            ok =
                ok && ik_heap_push(&w->heap, (ik_heap_item){key + (1ULL << 48) + w->load[g->rev[l]],
                                                            g->rev[l], 0});
    return ok;
}

static bool search(nue_work *w)
{
    bool ok = true;
    while (w->heap.num > 0 && ok) {
        ik_heap_item item = ik_heap_pop(&w->heap);
        uint32_t u = w->g.tail[item.id], v = w->g.head[item.id];
        if (w->is_goal[u] || w->next[u] != IK_NONE)
            continue;
        if (!w->is_goal[v] && try_dependency(w, item.id, w->next[v], &ok) == LINKDAG_CYCLE)
            continue;
        ok = ok && settle(w, u, item.id, item.key);
    }
    return ok;
}

static bool passes_through(const nue_work *w, uint32_t from, uint32_t through)
{
    for (; !w->is_goal[from]; from = w->g.head[w->next[from]])
        if (from == through)
            return true;
    return false;
}

/* Lets w, a settled neighbour of a stuck switch, go on by `other` instead: its own dependency,
 * those of all that come through it, and the stuck switch's must fit. */
static bool turn_over(nue_work *w, uint32_t stuck_link, uint32_t other, bool *ok)
{
    const links *g = &w->g;
    uint32_t v = g->head[stuck_link], x = g->head[other];
    size_t keep = w->added.num;
    bool fits = w->is_goal[x] || try_dependency(w, other, w->next[x], ok) != LINKDAG_CYCLE;
    fits = fits && try_dependency(w, stuck_link, other, ok) != LINKDAG_CYCLE;
    for (uint32_t l = g->base[v]; fits && l < g->base[v + 1]; l++) {
        uint32_t back = g->rev[l];
        if (w->next[g->head[l]] == back)
            fits = try_dependency(w, back, other, ok) != LINKDAG_CYCLE;
    }
    if (!fits)
        take_back(w, keep);
    else
        w->next[v] = other;
    return fits;
}

/* Frees one stuck switch by turning a neighbour over. */
static bool free_one(nue_work *w, bool *ok)
{
    const links *g = &w->g;
    for (uint32_t u = 0; u < g->num_switches; u++) {
        if (w->is_goal[u] || w->next[u] != IK_NONE)
            continue;
        for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++) {
            uint32_t v = g->head[l];
            if (w->next[v] == IK_NONE)
                continue;
            for (uint32_t other = g->base[v]; other < g->base[v + 1] && *ok; other++) {
                uint32_t x = g->head[other];
                if (other == w->next[v] || (!w->is_goal[x] && w->next[x] == IK_NONE) ||
                    passes_through(w, x, v))
                    continue;
                if (turn_over(w, l, other, ok)) {
                    *ok = *ok && settle(w, u, l, w->key[v] + (1ULL << 48) + w->load[l]);
                    return true;
                }
            }
        }
    }
    return false;
}

/* Dependencies that no path of the destination uses in the end leave the graph again. */
static void drop_unused(nue_work *w)
{
    size_t kept = 0;
    bool dropped = false;
    for (size_t i = 0; i < w->added.num; i++) {
        dependency d = w->added.items[i];
        if (w->next[w->g.tail[d.from]] == d.from && w->next[w->g.tail[d.to]] == d.to) {
            w->added.items[kept++] = d;
        } else {
            linkdag_remove(&w->dag, d.from, d.to);
            dropped = true;
        }
    }
    w->added.num = kept;
    if (dropped)
        take_back(w, kept); /* forgets refusals, takes nothing back */
    w->refused.num = 0;
}

/* Settles the switches that must take their escape paths, each after the one behind it. */
static bool settle_forced(nue_work *w)
{
    const links *g = &w->g;
    bool ok = true;
    for (uint32_t s = 0; s < g->num_switches && ok; s++) {
        uint32_t n = 0;
        for (uint32_t at = s; w->forced[at] && w->next[at] == IK_NONE && !w->is_goal[at];
             at = g->head[w->escape[at]])
            w->stack[n++] = at;
        while (n > 0 && ok) {
            uint32_t at = w->stack[--n], l = w->escape[at];
            ok = settle(w, at, l, w->key[g->head[l]] + (1ULL << 48) + w->load[l]);
        }
    }
    return ok;
}

/* From now on the switches that were not reached take their escape paths, with all on the way. */
static void force_stuck(nue_work *w)
{
    for (uint32_t s = 0; s < w->g.num_switches; s++) {
        if (w->next[s] != IK_NONE || w->is_goal[s] || !reaches_goal(w, s))
            continue;
        for (uint32_t at = s; !w->is_goal[at] && !w->forced[at]; at = w->g.head[w->escape[at]])
            w->forced[at] = 1;
    }
}

static bool attempt(nue_work *w)
{
    bool ok = true;
    for (uint32_t s = 0; s < w->g.num_switches; s++)
        w->next[s] = IK_NONE;
    w->num_settled = 0;
    w->heap.num = 0;
    w->added.num = w->refused.num = 0;
    for (uint32_t i = 0; i < w->num_goals && ok; i++)
        ok = settle(w, w->goals[i], IK_NONE, 0);
    ok = ok && settle_forced(w) && search(w);
    while (ok && w->num_settled < w->reachable && free_one(w, &ok))
        ok = ok && search(w);
    return ok;
}

/* Each attempt forces at least one switch more than the last, and escape paths alone always
 * succeed. False: out of memory. */
static bool find_paths(nue_work *w, uint32_t host)
{
    set_escape_paths(w, host);
    bool ok = attempt(w);
    while (ok && w->num_settled < w->reachable) {
        force_stuck(w);
        take_back(w, 0);
        ok = attempt(w);
    }
    if (ok)
        drop_unused(w);
    return ok;
}

/* Adds the sources behind every link to its load; returns all hops. Paths are walked, since turning
 * over breaks any order. */
static uint64_t account(nue_work *w)
{
    uint64_t hops = 0;
    for (uint32_t i = 0; i < w->num_settled; i++) {
        uint32_t from = w->settled[i];
        for (uint32_t at = from; !w->is_goal[at] && w->hosts[from]; at = w->g.head[w->next[at]]) {
            w->load[w->next[at]] += w->hosts[from];
            hops += w->hosts[from];
        }
    }
    return hops;
}

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
static uint32_t central_switch(const nue_work *w, const nue *t, unsigned layer, bool all)
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

static ik_status route_layer(ik_routing *r, nue_work *w, nue *t, unsigned layer, const ik_env *env,
                             ik_error *err)
{
    const links *g = &w->g;
    const ik_fabric *f = r->fabric;
    ik_status status = linkdag_init(&w->dag, g, err);
    if (status != IK_OK)
        return status;
    grow_trees(w, central_switch(w, t, layer, false));
    count_destinations(w, t, layer);
    add_escape_paths(w);
    for (uint32_t h = 0; h < g->num_hosts && status == IK_OK; h++) {
        if (g->host_sw[h] == IK_NONE || t->layer[h] != layer)
            continue;
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled while routing");
        else if (!find_paths(w, h))
            status = ik_fail_memory(err, w->heap.cap * sizeof *w->heap.items, "Nue's search");
        if (status != IK_OK)
            break;
        t->load[layer] += account(w);
        for (uint32_t i = w->num_goals; i < w->num_settled; i++) {
            uint32_t s = w->settled[i];
            r->lft[(size_t)s * g->num_hosts + h] =
                (uint16_t)(g->port[w->next[s]] - f->port_base[s]);
        }
    }
    linkdag_free(&w->dag);
    return status;
}

static void work_free(nue_work *w)
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

static ik_status work_init(nue_work *w, const ik_fabric *f, const ik_env *env, ik_error *err)
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
    free(t->layer);
    free(t->load);
    free(t);
}

static ik_status nue_create(ik_routing *r, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    nue_work w = {0};
    nue *t = ik_calloc(1, sizeof *t);
    if (!t)
        return ik_fail_memory(err, sizeof *t, "Nue");
    r->impl = t;
    t->num_layers = (unsigned)ik_params_uint(params, "vcs");
    t->layer = ik_calloc((size_t)r->fabric->num_hosts + 1, 1);
    t->load = ik_calloc(t->num_layers, sizeof *t->load);
    ik_status status = t->layer && t->load ? work_init(&w, r->fabric, env, err)
                                           : ik_fail_memory(err, r->fabric->num_hosts, "Nue");
    if (status == IK_OK)
        /* the ports to hosts; the rest follows */
        status = links_make_lft(r, &w.g, env, no_link, NULL, err);
    if (status == IK_OK && w.g.num_switches > 0) {
        grow_trees(&w, central_switch(&w, t, 0, true));
        status = split_destinations(&w, t, err);
    }
    for (unsigned layer = 0; layer < t->num_layers && status == IK_OK && w.g.num_switches > 0;
         layer++)
        status = route_layer(r, &w, t, layer, env, err);
    work_free(&w);
    r->natural_vc = "nue";
    if (t->num_layers == 1)
        r->claims |= IK_CLAIM_DEADLOCK_FREE;
    return status;
}

unsigned nue_num_layers(const ik_routing *r)
{
    return ((const nue *)r->impl)->num_layers;
}

unsigned nue_layer(const ik_routing *r, uint32_t dst)
{
    return ((const nue *)r->impl)->layer[dst];
}

const uint64_t *nue_layer_load(const ik_routing *r)
{
    return ((const nue *)r->impl)->load;
}

static const ik_param nue_params[] = {
    {"vcs", IK_PARAM_UINT, "1", 1, 64, NULL,
     "layers, each with its own destinations: more give shorter and better balanced paths"},
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
        "longer than shortest. The VC, set by VC scheme nue, depends on the destination.",
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
