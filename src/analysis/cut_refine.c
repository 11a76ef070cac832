/* SPDX-License-Identifier: Apache-2.0
 *
 * cut_refine.c: refinement of a two-way partition that keeps the balance of hosts (C. M. Fiduccia,
 * R. M. Mattheyses, DAC 1982).
 *
 * One pass moves every switch at most once: at perfect (or best known) balance whichever has the
 * largest gain, else one of the heavier side that does not tip the balance further. The best
 * balanced state of the pass is kept. Passes repeat until one does not help. Candidates of each
 * side and kind (with hosts, without) wait in a heap whose stale entries are dropped when they
 * surface.
 */
#include "analysis/cut.h"
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct pass {
    cut_state *c;
    ik_heap heaps[2][2]; /* [side][has hosts] vertices, by gain */
    bool *locked;
    uint32_t *moved; /* in order */
    uint32_t num_moved;
} pass;

void cut_recount(cut_state *c)
{
    const graph *g = c->g;
    uint64_t twice = 0;
    c->imbalance = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        c->imbalance += c->side[v] ? -(int64_t)g->hosts[v] : (int64_t)g->hosts[v];
        c->gain[v] = 0;
        for (size_t i = g->base[v]; i < g->base[v + 1]; i++) {
            bool across = c->side[v] != c->side[g->to[i]];
            c->gain[v] += across ? (int64_t)g->links[i] : -(int64_t)g->links[i];
            twice += across ? g->links[i] : 0;
        }
    }
    c->cut = twice / 2;
}

/* The key of a gain: the largest first. */
static uint64_t cut_refine_key_of(int64_t gain)
{
    return (uint64_t)INT64_MAX - (uint64_t)gain;
}

/* The best unlocked candidate, NULL if none is left. */
static const ik_heap_item *cut_refine_best_of(const pass *p, ik_heap *h)
{
    while (h->num > 0) {
        const ik_heap_item *first = &h->items[0];
        if (!p->locked[first->id] && cut_refine_key_of(p->c->gain[first->id]) == first->key)
            return first;
        ik_heap_pop(h);
    }
    return NULL;
}

static bool cut_refine_offer(pass *p, uint32_t v)
{
    assert(!p->locked[v]);
    const cut_state *c = p->c;
    return ik_heap_push(&p->heaps[c->side[v]][c->g->hosts[v] > 0],
                        (ik_heap_item){cut_refine_key_of(c->gain[v]), v, 0});
}

/* Flips v and updates its neighbours' gains; with a pass, their places in the heaps too. */
static bool cut_refine_flip(cut_state *c, uint32_t v, pass *p)
{
    assert(v < c->g->n && c->side[v] < 2);
    const graph *g = c->g;
    bool ok = true;
    c->cut = (uint64_t)((int64_t)c->cut - c->gain[v]);
    c->imbalance += c->side[v] ? 2 * (int64_t)g->hosts[v] : -2 * (int64_t)g->hosts[v];
    c->side[v] ^= 1;
    c->gain[v] = -c->gain[v];
    for (size_t i = g->base[v]; i < g->base[v + 1]; i++) {
        uint32_t u = g->to[i];
        c->gain[u] +=
            c->side[u] == c->side[v] ? -2 * (int64_t)g->links[i] : 2 * (int64_t)g->links[i];
        if (p && !p->locked[u])
            ok = cut_refine_offer(p, u) && ok;
    }
    return ok;
}

/* The next switch to move, IK_NONE if none fits. */
static uint32_t cut_refine_choose(pass *p, int64_t allowed)
{
    assert(allowed >= 0);
    const ik_heap_item *best = NULL;
    int64_t imbalance = p->c->imbalance;
    for (int side = 0; side < 2; side++) {
        for (int kind = 0; kind < 2; kind++) {
            bool heavier = side ? imbalance < 0 : imbalance > 0;
            const ik_heap_item *x = kind && !heavier && llabs(imbalance) > allowed
                                        ? NULL
                                        : cut_refine_best_of(p, &p->heaps[side][kind]);
            if (x && (!best || ik_heap_before(x, best)))
                best = x;
        }
    }
    return best ? best->id : IK_NONE;
}

/* One pass; *improved says whether the cut got smaller at an imbalance of at most `allowed`. */
static bool cut_refine_run_pass(pass *p, int64_t allowed, bool *improved)
{
    cut_state *c = p->c;
    uint64_t best = c->cut;
    uint32_t kept = 0, since = 0;
    memset(p->locked, 0, c->g->n * sizeof *p->locked);
    p->num_moved = 0;
    for (int i = 0; i < 4; i++)
        p->heaps[i / 2][i % 2].num = 0;
    for (uint32_t v = 0; v < c->g->n; v++)
        if (!cut_refine_offer(p, v))
            return false;
    for (uint32_t v; (v = cut_refine_choose(p, allowed)) != IK_NONE && since < 64 + c->g->n / 4;
         since++) {
        p->locked[v] = true;
        p->moved[p->num_moved++] = v;
        if (!cut_refine_flip(c, v, p))
            return false;
        if (c->cut < best && llabs(c->imbalance) <= allowed) {
            best = c->cut;
            kept = p->num_moved;
            since = 0;
        }
    }
    while (p->num_moved > kept)
        cut_refine_flip(c, p->moved[--p->num_moved], NULL);
    *improved = kept > 0;
    return true;
}

/* The switch of the heavier side whose move evens the hosts out at the least cost, IK_NONE = no
 * single move does. */
static uint32_t cut_refine_best_move(const cut_state *c)
{
    const graph *g = c->g;
    int64_t imbalance = llabs(c->imbalance), best_left = imbalance;
    uint8_t heavy = c->imbalance < 0;
    uint32_t best = IK_NONE;
    for (uint32_t v = 0; v < g->n; v++) {
        int64_t left = llabs(imbalance - 2 * (int64_t)g->hosts[v]);
        bool fits = c->side[v] == heavy && g->hosts[v] && left < imbalance;
        if (fits && (best == IK_NONE || c->gain[v] > c->gain[best] ||
                     (c->gain[v] == c->gain[best] && left < best_left))) {
            best = v;
            best_left = left;
        }
    }
    return best;
}

/* Of each side and number of hosts, the switch with the largest gain stands for all in an
 * exchange. */
typedef struct ranked {
    uint32_t vertex, hosts;
    int64_t gain;
    uint8_t side;
} ranked;

static int cut_refine_compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    if (x->hosts != y->hosts)
        return x->hosts < y->hosts ? -1 : 1;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* Keeps the first of each side and number of hosts; returns how many. */
static uint32_t cut_refine_rank_champions(const cut_state *c, ranked *r)
{
    uint32_t kept = 0;
    for (uint32_t v = 0; v < c->g->n; v++)
        r[v] = (ranked){v, c->g->hosts[v], c->gain[v], c->side[v]};
    qsort(r, c->g->n, sizeof *r, cut_refine_compare_ranked);
    for (uint32_t i = 0; i < c->g->n; i++)
        if (kept == 0 || r[kept - 1].side != r[i].side || r[kept - 1].hosts != r[i].hosts)
            r[kept++] = r[i];
    return kept;
}

/* Exchanges a switch of the heavier side for one with fewer hosts, so that the sides come closest;
 * false if no exchange helps. */
static bool cut_refine_exchange(cut_state *c, ranked *r)
{
    uint32_t num = cut_refine_rank_champions(c, r);
    uint8_t heavy = c->imbalance < 0;
    int64_t imbalance = llabs(c->imbalance), best_left = imbalance, best_gain = 0;
    const ranked *from = NULL, *to = NULL;
    for (uint32_t a = 0; a < num; a++) {
        for (uint32_t b = 0; b < num && r[a].side == heavy; b++) {
            int64_t moved = (int64_t)r[a].hosts - r[b].hosts, left = llabs(imbalance - 2 * moved),
                    gain = r[a].gain + r[b].gain;
            if (r[b].side != heavy &&
                (left < best_left || (left == best_left && left < imbalance && gain > best_gain))) {
                best_left = left;
                best_gain = gain;
                from = &r[a];
                to = &r[b];
            }
        }
    }
    if (from) {
        cut_refine_flip(c, from->vertex, NULL);
        cut_refine_flip(c, to->vertex, NULL);
    }
    return from != NULL;
}

/* Evens the hosts out: moves from the heavier side, cheapest first, and exchanges where no move
 * helps any more. */
static bool cut_refine_balance(cut_state *c)
{
    ranked *r = ik_calloc((size_t)c->g->n + 1, sizeof *r);
    for (uint32_t round = 0; r && round < 2 * c->g->n && c->imbalance != 0; round++) {
        uint32_t v = cut_refine_best_move(c);
        if (v != IK_NONE)
            cut_refine_flip(c, v, NULL);
        else if (!cut_refine_exchange(c, r))
            break;
    }
    bool ok = r != NULL;
    free(r);
    return ok;
}

ik_status cut_refine(cut_state *c, ik_error *err)
{
    size_t n = (size_t)c->g->n + 1;
    pass p = {
        .c = c, .locked = ik_calloc(n, sizeof *p.locked), .moved = ik_calloc(n, sizeof *p.moved)};
    bool ok = p.locked && p.moved, improved = true;
    ok = ok && cut_refine_balance(c);
    int64_t allowed = llabs(c->imbalance);
    for (int i = 0; i < 50 && ok && improved; i++)
        ok = cut_refine_run_pass(&p, allowed, &improved);
    for (int i = 0; i < 4; i++)
        ik_heap_free(&p.heaps[i / 2][i % 2]);
    free(p.locked);
    free(p.moved);
    return ok ? IK_OK : ik_fail_memory(err, n * 32, "refining a cut");
}
