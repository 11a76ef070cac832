/* SPDX-License-Identifier: Apache-2.0
 *
 * nue_escape.c: the escape paths of a layer: those of a spanning tree, which always fit.
 */
#include "routing/graph/nue.h"

#include <assert.h>
#include <string.h>

/* Breadth-first trees over all switches, the first from `root`; preorder lists parents before
 * children. */
void nue_grow_trees(nue_work *w, uint32_t root)
{
    assert(root < w->g.num_switches);
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

void nue_count_destinations(nue_work *w, const nue *t, unsigned layer)
{
    assert(layer < t->num_layers);
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

static bool nue_escape_is_tree_link(const nue_work *w, uint32_t l)
{
    assert(l < w->g.num_links);
    return w->parent[w->g.tail[l]] == l || w->parent[w->g.head[l]] == w->g.rev[l];
}

/* Do tree paths to destinations of the layer use this tree link? */
static bool leads_to_destination(const nue_work *w, uint32_t l)
{
    uint32_t tail = w->g.tail[l], head = w->g.head[l];
    return w->parent[tail] == l ? w->tree_total[tail] > w->beneath[tail] : w->beneath[head] > 0;
}

/* The turns of tree paths close no cycle, whatever their number. */
void nue_add_escape_paths(nue_work *w)
{
    const links *g = &w->g;
    for (uint32_t s = 0; s < g->num_switches; s++)
        for (uint32_t out = g->base[s]; out < g->base[s + 1]; out++) {
            if (!nue_escape_is_tree_link(w, out) || !leads_to_destination(w, out))
                continue;
            for (uint32_t back = g->base[s]; back < g->base[s + 1]; back++)
                if (back != out && nue_escape_is_tree_link(w, back))
                    linkdag_add(&w->dag, g->rev[back], out);
        }
}

bool nue_reaches_goal(const nue_work *w, uint32_t s)
{
    for (uint32_t i = 0; i < w->num_goals; i++)
        if (w->dist[(size_t)w->goals[i] * w->g.num_switches + s] != LINKS_FAR)
            return true;
    return false;
}

/* Turns to a host: its switches are goals, and next hops over the tree lead towards the root until
 * a goal lies beneath. */
void nue_set_escape_paths(nue_work *w, uint32_t host)
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
        w->reachable += nue_reaches_goal(w, s);
}
