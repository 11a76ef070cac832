/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal_orders.c: which turns the lanes allow while routing frugal's tables are improved.
 *
 * A lane whose packets make only turns that go up in some order of the links cannot deadlock. Of
 * the many orders that have the turns in use one is drawn, and with it all turns that go up in it
 * are allowed at no cost: no cycle has to be searched. Turns that fall out of use free the next
 * order. Cost: O(trees * S + lanes * turns).
 */
#include "routing/graph/frugal_improve.h"

#include <assert.h>
#include <string.h>

#define MOST_INVITED 500

uint32_t frugal_orders_walk(frugal_improver *w, uint32_t tree, uint32_t d)
{
    const links *g = &w->f->g;
    uint32_t n = g->num_switches, num = 0;
    const uint32_t *next = w->t->next + (size_t)tree * n;
    memset(w->child, 0xFF, n * sizeof *w->child); /* IK_NONE */
    for (uint32_t s = 0; s < n; s++) {
        if (next[s] == IK_NONE || s == d)
            continue;
        uint32_t to = g->head[next[s]];
        w->sibling[s] = w->child[to];
        w->child[to] = s;
    }
    w->list[num++] = d;
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t s = w->child[w->list[i]]; s != IK_NONE; s = w->sibling[s])
            w->list[num++] = s;
    return num;
}

void frugal_orders_count(frugal_improver *w)
{
    const links *g = &w->f->g;
    uint32_t n = g->num_switches;
    memset(w->used, 0, (size_t)g->num_links * g->max_degree * sizeof *w->used);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t tree = w->begin[d]; tree < w->begin[d + 1]; tree++) {
            const uint32_t *next = w->t->next + (size_t)tree * n;
            uint32_t num = frugal_orders_walk(w, tree, d);
            memset(w->lanes_of, 0, n * sizeof *w->lanes_of);
            for (uint32_t i = num; i-- > 1;) {
                uint32_t s = w->list[i], to = g->head[next[s]];
                uint8_t lane = w->t->lane[(size_t)s * n + d];
                w->lanes_of[s] |= lane == FRUGAL_NO_LANE ? 0 : 1U << lane;
                w->lanes_of[to] |= w->lanes_of[s];
                if (to != d)
                    *frugal_orders_turn(w, w->used, next[s], next[to]) |= w->lanes_of[s];
            }
        }
}

/* Does lane `bit` lead from one link to another by turns in use? */
static bool frugal_orders_reaches(frugal_improver *w, uint32_t from, uint32_t to, uint32_t bit)
{
    const links *g = &w->f->g;
    uint32_t num = 0;
    w->seen++;
    w->waits[num++] = from; /* scratch that holds every link once */
    w->position[from] = w->seen;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t a = w->waits[i];
        if (a == to)
            return true;
        for (uint32_t b = g->base[g->head[a]]; b < g->base[g->head[a] + 1]; b++)
            if (w->position[b] != w->seen && (*frugal_orders_turn(w, w->used, a, b) & bit)) {
                w->position[b] = w->seen;
                w->waits[num++] = b;
            }
    }
    return false;
}

/* Adds the turns of one path to a lane, those that it did not have into added[0 .. *num). Returns
 * false where they close a cycle. */
static bool frugal_orders_add_path(frugal_improver *w, uint32_t tree, uint32_t s, uint32_t d,
                                   uint32_t bit)
{
    const links *g = &w->f->g;
    const uint32_t *next = w->t->next + (size_t)tree * g->num_switches;
    for (uint32_t a = next[s]; g->head[a] != d; a = next[g->head[a]]) {
        uint32_t b = next[g->head[a]], *turn = frugal_orders_turn(w, w->used, a, b);
        if (*turn & bit)
            continue;
        if (frugal_orders_reaches(w, b, a, bit))
            return false;
        if (!IK_ARRAY_ROOM(w->added, w->cap_added, w->num_added + 1)) {
            w->no_memory = true;
            return false;
        }
        *turn |= bit;
        w->added[w->num_added++] = turn;
    }
    return true;
}

/* Adds the turns of both directions of a pair to a lane, all or none. */
static bool frugal_orders_add_pair(frugal_improver *w, uint32_t s, uint32_t d, uint32_t bit)
{
    bool fits = true;
    w->num_added = 0;
    for (uint32_t tree = w->begin[d]; tree < w->begin[d + 1] && fits; tree++)
        fits = frugal_orders_add_path(w, tree, s, d, bit);
    for (uint32_t tree = w->begin[s]; tree < w->begin[s + 1] && fits; tree++)
        fits = frugal_orders_add_path(w, tree, d, s, bit);
    while (!fits && w->num_added > 0)
        *w->added[--w->num_added] &= ~bit;
    return fits;
}

void frugal_orders_invite(frugal_improver *w)
{
    uint32_t n = w->f->g.num_switches, tries = 0;
    unsigned last = w->t->lanes - 1U;
    memset(w->position, 0, w->f->g.num_links * sizeof *w->position);
    w->seen = 0;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = s + 1; d < n && tries < MOST_INVITED; d++) {
            if (w->t->lane[(size_t)s * n + d] != last)
                continue;
            tries++;
            for (unsigned lane = 0; lane < last; lane++)
                if (frugal_orders_add_pair(w, s, d, 1U << lane))
                    break;
        }
}

/* Adds a link that no link has to come before any more, with a drawn priority. */
static bool frugal_orders_ready(frugal_improver *w, uint32_t link, unsigned lane)
{
    uint64_t key = ik_random_u64(w->round, IK_RNG_ROUTE_SETUP, (uint64_t)lane << 32 | link, 1) >> 1;
    return ik_heap_push(&w->heap, (ik_heap_item){.key = key, .id = link});
}

/* Topological order of one lane's turns, those of least priority first. */
static bool frugal_orders_sort(frugal_improver *w, unsigned lane)
{
    const links *g = &w->f->g;
    uint32_t bit = 1U << lane, placed = 0;
    memset(w->waits, 0, g->num_links * sizeof *w->waits);
    for (uint32_t a = 0; a < g->num_links; a++)
        for (uint32_t b = g->base[g->head[a]]; b < g->base[g->head[a] + 1]; b++)
            w->waits[b] += (*frugal_orders_turn(w, w->used, a, b) & bit) != 0;
    for (uint32_t a = 0; a < g->num_links; a++)
        if (w->waits[a] == 0 && !frugal_orders_ready(w, a, lane))
            return false;
    while (w->heap.num > 0) {
        uint32_t a = ik_heap_pop(&w->heap).id;
        w->position[a] = placed++;
        for (uint32_t b = g->base[g->head[a]]; b < g->base[g->head[a] + 1]; b++)
            if ((*frugal_orders_turn(w, w->used, a, b) & bit) && --w->waits[b] == 0 &&
                !frugal_orders_ready(w, b, lane))
                return false;
    }
    assert(placed == g->num_links); /* the lane has no cycle */
    return true;
}

static void frugal_orders_mask(frugal_improver *w)
{
    const links *g = &w->f->g;
    uint32_t n = g->num_switches;
    memset(w->mask, 0, (size_t)w->begin[n] * n * sizeof *w->mask);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t tree = w->begin[d]; tree < w->begin[d + 1]; tree++) {
            const uint32_t *next = w->t->next + (size_t)tree * n;
            uint32_t *mask = w->mask + (size_t)tree * n, num = frugal_orders_walk(w, tree, d);
            mask[d] = UINT32_MAX;
            for (uint32_t i = 1; i < num; i++) {
                uint32_t s = w->list[i], to = g->head[next[s]];
                mask[s] = mask[to];
                if (to != d)
                    mask[s] &= *frugal_orders_turn(w, w->allowed, next[s], next[to]);
            }
        }
}

bool frugal_orders_draw(frugal_improver *w)
{
    const links *g = &w->f->g;
    w->round++;
    memset(w->allowed, 0, (size_t)g->num_links * g->max_degree * sizeof *w->allowed);
    for (unsigned lane = 0; lane < w->t->lanes; lane++) {
        if (!frugal_orders_sort(w, lane))
            return false;
        for (uint32_t a = 0; a < g->num_links; a++)
            for (uint32_t b = g->base[g->head[a]]; b < g->base[g->head[a] + 1]; b++)
                if (w->position[a] < w->position[b])
                    *frugal_orders_turn(w, w->allowed, a, b) |= 1U << lane;
    }
    frugal_orders_mask(w);
    return !w->no_memory;
}
