/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal_unit.c: the paths between two switches, both ways, on one lane.
 *
 * Pairs are taken nearest first, so the tree of a destination already leads on from every
 * neighbour that is nearer: only the first link is to be chosen. Of the neighbours the one with the
 * least cost is taken whose whole path the lane's graph can bear: the loads along the path,
 * squared, and a price for every dependency that the lane has not yet.
 */
#include "routing/graph/frugal.h"

#include <assert.h>
#include <stdlib.h>

static bool frugal_unit_note(struct frugal_turn **list, size_t *num, size_t *cap, uint32_t from,
                             uint32_t to)
{
    if (!IK_ARRAY_ROOM(*list, *cap, *num + 1))
        return false;
    (*list)[(*num)++] = (struct frugal_turn){from, to};
    return true;
}

/* The links from s over `link` to the tree's switch; 0 if the tree does not lead on from there. */
static uint32_t frugal_unit_path_over(frugal_work *w, const uint32_t *next, uint32_t link,
                                      uint32_t d)
{
    uint32_t n = 0;
    w->path[n++] = link;
    for (uint32_t at = w->f->g.head[link]; at != d; at = w->f->g.head[next[at]]) {
        if (next[at] == IK_NONE)
            return 0;
        assert(n < w->f->g.num_switches); /* a longer path would have a loop */
        w->path[n++] = next[at];
    }
    return n;
}

/* Adds the dependencies of path[0 .. n-1], all or none. */
static bool frugal_unit_add_path(frugal_work *w, linkdag *dag, uint32_t n)
{
    size_t keep = w->num_added;
    for (uint32_t i = 0; i + 1 < n; i++) {
        linkdag_result result = linkdag_add(dag, w->path[i], w->path[i + 1]);
        bool ok = true;
        if (result == LINKDAG_NEW)
            ok = frugal_unit_note(&w->added, &w->num_added, &w->cap_added, w->path[i],
                                  w->path[i + 1]);
        if (result == LINKDAG_NEW && !ok)
            linkdag_remove(dag, w->path[i], w->path[i + 1]);
        if (result == LINKDAG_CYCLE)
            ok = frugal_unit_note(&w->refused, &w->num_refused, &w->cap_refused, w->path[i],
                                  w->path[i + 1]);
        w->no_memory = w->no_memory || !ok;
        if (ok && result != LINKDAG_CYCLE)
            continue;
        bool removed = w->num_added > keep;
        while (w->num_added > keep) {
            struct frugal_turn t = w->added[--w->num_added];
            linkdag_remove(dag, t.from, t.to);
        }
        if (removed) /* this refusal may be due to what has just left */
            linkdag_forget(dag, w->path[i], w->path[i + 1]);
        return false;
    }
    return true;
}

static void frugal_unit_account(frugal_work *w, const uint32_t *next, uint32_t s, uint32_t d,
                                uint64_t weight, bool add)
{
    for (uint32_t at = s; at != d; at = w->f->g.head[next[at]]) {
        assert(next[at] != IK_NONE && (add || w->load[next[at]] >= weight));
        w->load[next[at]] += add ? weight : 0 - weight;
        w->total += add ? weight : 0 - weight;
    }
}

/* What a tree's paths through a switch weigh: a switch without hosts stands for some. */
static uint64_t frugal_unit_weight_of(const frugal_work *w, uint32_t s, uint32_t d)
{
    uint64_t weight = frugal_weight(w->f, w->rule->spread, s, d);
    if (weight == 0)
        weight = w->rule->spread ? 1 : w->f->hosts[d];
    return weight;
}

static double frugal_unit_cost_of(const frugal_work *w, const linkdag *dag, uint32_t n)
{
    const links *g = &w->f->g;
    if (w->rule->by_port)
        return w->f->rank[w->path[0]];
    double mean = 1 + (double)w->total / g->num_links, cost = 0;
    for (uint32_t i = 0; i < n; i++) {
        double load = (double)w->load[w->path[i]] / mean;
        cost += load * load;
        if (dag && i + 1 < n && !linkdag_has(dag, w->path[i], w->path[i + 1]))
            cost += w->rule->reuse;
    }
    return cost;
}

/* Links by which s may go on to the tree's switch, by cost; returns their number. */
static uint32_t frugal_unit_options_of(frugal_work *w, const linkdag *dag, const uint32_t *next,
                                       uint32_t s, uint32_t d, bool detours)
{
    const links *g = &w->f->g;
    const uint8_t *dist = w->f->dist + (size_t)d * g->num_switches;
    uint32_t num = 0;
    for (uint32_t l = g->base[s]; l < g->base[s + 1]; l++) {
        uint32_t v = g->head[l];
        if (!detours && dist[v] + 1U != dist[s])
            continue;
        uint32_t n = frugal_unit_path_over(w, next, l, d);
        if (n == 0)
            continue;
        double cost = frugal_unit_cost_of(w, dag, n) + (n > dist[s] ? 1e6 * (n - dist[s]) : 0);
        uint32_t at = num++;
        for (; at > 0 && w->options[at - 1].cost > cost; at--)
            w->options[at] = w->options[at - 1];
        w->options[at] = (struct frugal_option){cost, l};
    }
    return num;
}

/* One tree's next link at s. dag NULL: no host is there, any link will do. */
static bool frugal_unit_choose(frugal_work *w, linkdag *dag, uint32_t tree, uint32_t s, uint32_t d,
                               bool detours, double *cost)
{
    assert(tree >= w->begin[d] && tree < w->begin[d + 1]);
    uint32_t *next = w->next + (size_t)tree * w->f->g.num_switches;
    if (next[s] != IK_NONE)
        return true;
    uint32_t num = 1;
    if (w->rule->given)
        w->options[0] =
            (struct frugal_option){0, w->rule->given[(size_t)tree * w->f->g.num_switches + s]};
    else
        num = frugal_unit_options_of(w, dag, next, s, d, detours);
    for (uint32_t i = 0; i < num; i++) {
        uint32_t n = frugal_unit_path_over(w, next, w->options[i].link, d);
        if (n == 0 || (dag && !frugal_unit_add_path(w, dag, n)))
            continue;
        if (!IK_ARRAY_ROOM(w->set, w->cap_set, w->num_set + 1)) {
            w->no_memory = true;
            return false;
        }
        w->set[w->num_set++] = (struct frugal_cell){tree, s};
        next[s] = w->options[i].link;
        frugal_unit_account(w, next, s, d, frugal_unit_weight_of(w, s, d), true);
        *cost += w->options[i].cost;
        return true;
    }
    return false;
}

static bool frugal_unit_route_to(frugal_work *w, linkdag *dag, uint32_t s, uint32_t d, bool detours,
                                 double *cost)
{
    for (uint32_t tree = w->begin[d]; tree < w->begin[d + 1]; tree++)
        if (!frugal_unit_choose(w, dag, tree, s, d, detours, cost))
            return false;
    return true;
}

bool frugal_unit_route(frugal_work *w, uint32_t s, uint32_t d, unsigned lane, bool detours,
                       double *cost)
{
    assert(s != d && lane < w->rule->lanes);
    assert(!w->num_set && !w->num_added); /* frugal_unit_keep() or frugal_unit_undo() came before */
    bool both = w->f->hosts[s] && w->f->hosts[d];
    linkdag *dag = both ? &w->dags[lane] : NULL;
    *cost = 0;
    if (frugal_unit_route_to(w, dag, s, d, detours, cost) &&
        frugal_unit_route_to(w, dag, d, s, detours, cost))
        return true;
    frugal_unit_undo(w, lane);
    return false;
}

static uint32_t frugal_unit_switch_of_tree(const frugal_work *w, uint32_t tree)
{
    assert(tree < w->begin[w->f->g.num_switches]);
    uint32_t low = 0, high = w->f->g.num_switches;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (w->begin[middle] <= tree)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void frugal_unit_undo(frugal_work *w, unsigned lane)
{
    while (w->num_set > 0) {
        struct frugal_cell c = w->set[--w->num_set];
        uint32_t *next = w->next + (size_t)c.tree * w->f->g.num_switches,
                 d = frugal_unit_switch_of_tree(w, c.tree);
        frugal_unit_account(w, next, c.sw, d, frugal_unit_weight_of(w, c.sw, d), false);
        next[c.sw] = IK_NONE;
    }
    bool removed = w->num_added > 0;
    while (w->num_added > 0) {
        struct frugal_turn t = w->added[--w->num_added];
        linkdag_remove(&w->dags[lane], t.from, t.to);
    }
    for (size_t i = 0; removed && i < w->num_refused; i++)
        linkdag_forget(&w->dags[lane], w->refused[i].from, w->refused[i].to);
    w->num_refused = 0;
}

void frugal_unit_keep(frugal_work *w)
{
    w->num_set = w->num_added = w->num_refused = 0;
}
