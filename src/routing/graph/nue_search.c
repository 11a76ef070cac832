/* SPDX-License-Identifier: Apache-2.0
 *
 * nue_search.c: the paths to one destination, found inside a layer's acyclic dependency graph.
 */
#include "routing/graph/nue.h"

#include <assert.h>
#include <string.h>

static bool nue_search_note(dependency_list *list, uint32_t from, uint32_t to)
{
    if (!IK_ARRAY_ROOM(list->items, list->capacity, list->num + 1))
        return false;
    list->items[list->num++] = (dependency){from, to};
    return true;
}
/* Tries one dependency and writes down what happened. */
static linkdag_result nue_search_try_dependency(nue_work *w, uint32_t from, uint32_t to, bool *ok)
{
    linkdag_result result = linkdag_add(&w->dag, from, to);
    if (result == LINKDAG_NEW)
        *ok = *ok && nue_search_note(&w->added, from, to);
    else if (result == LINKDAG_CYCLE)
        *ok = *ok && nue_search_note(&w->refused, from, to);
    return result;
}

/* Takes back the dependencies from position `keep` on. */
static void nue_search_take_back(nue_work *w, size_t keep)
{
    assert(keep <= w->added.num);
    while (w->added.num > keep) {
        dependency d = w->added.items[--w->added.num];
        linkdag_remove(&w->dag, d.from, d.to);
    }
    for (size_t i = 0; i < w->refused.num; i++)
        linkdag_forget(&w->dag, w->refused.items[i].from, w->refused.items[i].to);
    w->refused.num = 0;
}

static bool nue_search_settle(nue_work *w, uint32_t u, uint32_t link, uint64_t key)
{
    assert(w->next[u] == IK_NONE && w->num_settled < w->g.num_switches);
    assert(link == IK_NONE ? w->is_goal[u] : w->g.tail[link] == u);
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

static bool nue_search_search(nue_work *w)
{
    bool ok = true;
    while (w->heap.num > 0 && ok) {
        ik_heap_item item = ik_heap_pop(&w->heap);
        uint32_t u = w->g.tail[item.id], v = w->g.head[item.id];
        if (w->is_goal[u] || w->next[u] != IK_NONE)
            continue;
        if (!w->is_goal[v] &&
            nue_search_try_dependency(w, item.id, w->next[v], &ok) == LINKDAG_CYCLE)
            continue;
        ok = ok && nue_search_settle(w, u, item.id, item.key);
    }
    return ok;
}

static bool nue_search_passes_through(const nue_work *w, uint32_t from, uint32_t through)
{
    for (; !w->is_goal[from]; from = w->g.head[w->next[from]])
        if (from == through)
            return true;
    return false;
}

/* Lets w, a settled neighbour of a stuck switch, go on by `other` instead: its own dependency,
 * those of all that come through it, and the stuck switch's must fit. */
static bool nue_search_turn_over(nue_work *w, uint32_t stuck_link, uint32_t other, bool *ok)
{
    const links *g = &w->g;
    uint32_t v = g->head[stuck_link], x = g->head[other];
    size_t keep = w->added.num;
    bool fits =
        w->is_goal[x] || nue_search_try_dependency(w, other, w->next[x], ok) != LINKDAG_CYCLE;
    fits = fits && nue_search_try_dependency(w, stuck_link, other, ok) != LINKDAG_CYCLE;
    for (uint32_t l = g->base[v]; fits && l < g->base[v + 1]; l++) {
        uint32_t back = g->rev[l];
        if (w->next[g->head[l]] == back)
            fits = nue_search_try_dependency(w, back, other, ok) != LINKDAG_CYCLE;
    }
    if (!fits)
        nue_search_take_back(w, keep);
    else
        w->next[v] = other;
    return fits;
}

/* Frees one stuck switch by turning a neighbour over. */
static bool nue_search_free_one(nue_work *w, bool *ok)
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
                    nue_search_passes_through(w, x, v))
                    continue;
                if (nue_search_turn_over(w, l, other, ok)) {
                    *ok = *ok && nue_search_settle(w, u, l, w->key[v] + (1ULL << 48) + w->load[l]);
                    return true;
                }
            }
        }
    }
    return false;
}

/* Dependencies that no path of the destination uses in the end leave the graph again. */
static void nue_search_drop_unused(nue_work *w)
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
        nue_search_take_back(w, kept); /* forgets refusals, takes nothing back */
    w->refused.num = 0;
}

/* Settles the switches that must take their escape paths, each after the one behind it. */
static bool nue_search_settle_forced(nue_work *w)
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
            ok = nue_search_settle(w, at, l, w->key[g->head[l]] + (1ULL << 48) + w->load[l]);
        }
    }
    return ok;
}

/* From now on the switches that were not reached take their escape paths, with all on the way. */
static void nue_search_force_stuck(nue_work *w)
{
    for (uint32_t s = 0; s < w->g.num_switches; s++) {
        if (w->next[s] != IK_NONE || w->is_goal[s] || !nue_reaches_goal(w, s))
            continue;
        for (uint32_t at = s; !w->is_goal[at] && !w->forced[at]; at = w->g.head[w->escape[at]]) {
            assert(w->escape[at] != IK_NONE);
            w->forced[at] = 1;
        }
    }
}

static bool nue_search_attempt(nue_work *w)
{
    bool ok = true;
    for (uint32_t s = 0; s < w->g.num_switches; s++)
        w->next[s] = IK_NONE;
    w->num_settled = 0;
    w->heap.num = 0;
    w->added.num = w->refused.num = 0;
    for (uint32_t i = 0; i < w->num_goals && ok; i++)
        ok = nue_search_settle(w, w->goals[i], IK_NONE, 0);
    ok = ok && nue_search_settle_forced(w) && nue_search_search(w);
    while (ok && w->num_settled < w->reachable && nue_search_free_one(w, &ok))
        ok = ok && nue_search_search(w);
    return ok;
}

/* Each attempt forces at least one switch more than the last, and escape paths alone always
 * succeed. False: out of memory. */
bool nue_find_paths(nue_work *w, uint32_t host)
{
    nue_set_escape_paths(w, host);
    bool ok = nue_search_attempt(w);
    while (ok && w->num_settled < w->reachable) {
        nue_search_force_stuck(w);
        nue_search_take_back(w, 0);
        ok = nue_search_attempt(w);
    }
    if (ok)
        nue_search_drop_unused(w);
    return ok;
}

/* Adds the sources behind every link to its load; returns all hops. Paths are walked, since turning
 * over breaks any order. */
uint64_t nue_account(nue_work *w)
{
    uint64_t hops = 0;
    for (uint32_t i = 0; i < w->num_settled; i++) {
        uint32_t from = w->settled[i];
        for (uint32_t at = from; !w->is_goal[at] && w->hosts[from]; at = w->g.head[w->next[at]]) {
            assert(w->next[at] != IK_NONE && w->g.tail[w->next[at]] == at);
            w->load[w->next[at]] += w->hosts[from];
            hops += w->hosts[from];
        }
    }
    return hops;
}
