/* SPDX-License-Identifier: Apache-2.0
 *
 * Isomorphism of a fabric and a plan, which growing a matching (cab_match.c) may miss where
 * switches only seem alike.
 *
 * The switches of both get colours, which are refined by those of their neighbours until no more
 * can be told apart. Both must have each colour as often. Of a colour that several switches have,
 * one of the fabric is given the first one of the plan for which this still holds when both get a
 * colour of their own, and so on until all colours differ (B. McKay, A. Piperno: Practical graph
 * isomorphism, II, Journal of Symbolic Computation 2014). Choices are not taken back: in families
 * switches that cannot be told apart are symmetric. Colours are sums of hashes: what is found is
 * compared cable by cable.
 */
#include "topology/cabling/cab_exact.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours that are looked at, at most. */
static const double MOST_STEPS = 2e8;

typedef struct exact {
    const cab_graph *of[2]; /* the fabric, the plan */
    uint32_t num;           /* switches of each */
    uint64_t *color[2];     /* [num] */
    uint64_t *next[2];      /* [num] */
    uint64_t *kept[2];      /* [num] as they were before a choice */
    uint64_t *sorted[2];    /* [num] scratch */
    double steps;
} exact;

uint64_t cab_exact_mix(uint64_t x)
{
    x = (x + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

int cab_exact_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void cab_exact_color_by_neighbours(exact *e, unsigned side)
{
    const cab_graph *g = e->of[side];
    for (uint32_t sw = 0; sw < g->num; sw++) {
        uint64_t sum = cab_exact_mix(e->color[side][sw]);
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
            sum += cab_exact_mix(e->color[side][g->to[i]] + 3 * (uint64_t)g->cables[i]);
        e->next[side][sw] = cab_exact_mix(sum);
    }
    memcpy(e->color[side], e->next[side], g->num * sizeof *e->color[side]);
    e->steps += g->base[g->num];
}

/* The number of colours; 0: the two do not have each as often. */
static uint32_t cab_exact_count_colors(exact *e)
{
    uint32_t colors = 0;
    for (unsigned side = 0; side < 2; side++) {
        memcpy(e->sorted[side], e->color[side], e->num * sizeof *e->sorted[side]);
        qsort(e->sorted[side], e->num, sizeof *e->sorted[side], cab_exact_compare);
    }
    if (memcmp(e->sorted[0], e->sorted[1], e->num * sizeof *e->sorted[0]) != 0)
        return 0;
    for (uint32_t i = 0; i < e->num; i++)
        colors += i == 0 || e->sorted[0][i] != e->sorted[0][i - 1];
    return colors;
}

/* Refines colours until none is divided. The number of them, or 0. */
static uint32_t cab_exact_refine(exact *e)
{
    uint32_t colors = cab_exact_count_colors(e), before = 0;
    while (colors > before && e->steps < MOST_STEPS) {
        before = colors;
        for (unsigned side = 0; side < 2; side++)
            cab_exact_color_by_neighbours(e, side);
        colors = cab_exact_count_colors(e);
    }
    return colors;
}

/* The colour that fewest switches have, but more than one. Uses sorted[]. */
static uint64_t cab_exact_rarest(const exact *e)
{
    uint32_t least = UINT32_MAX;
    uint64_t rarest = 0;
    for (uint32_t i = 0, next; i < e->num; i = next) {
        for (next = i + 1; next < e->num && e->sorted[0][next] == e->sorted[0][i];)
            next++;
        if (next - i > 1 && next - i < least) {
            least = next - i;
            rarest = e->sorted[0][i];
        }
    }
    return rarest;
}

static void cab_exact_copy(const exact *e, uint64_t *const to[2], uint64_t *const from[2])
{
    for (unsigned side = 0; side < 2; side++)
        memcpy(to[side], from[side], e->num * sizeof *to[side]);
}

/* Gives one switch of a colour a partner. The number of colours then, 0: none fits. */
static uint32_t cab_exact_choose(exact *e, uint64_t color)
{
    uint32_t u = 0, colors = 0;
    while (e->color[0][u] != color)
        u++;
    cab_exact_copy(e, e->kept, e->color);
    for (uint32_t v = 0; v < e->num && !colors && e->steps < MOST_STEPS; v++) {
        if (e->kept[1][v] != color)
            continue;
        cab_exact_copy(e, e->color, e->kept);
        e->color[0][u] = e->color[1][v] = cab_exact_mix(color + 1);
        colors = cab_exact_refine(e);
    }
    return colors;
}

static bool cab_exact_search(exact *e)
{
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t sw = 0; sw < e->num; sw++)
            e->color[side][sw] = e->of[side]->kind[sw];
    uint32_t colors = cab_exact_refine(e);
    while (colors && colors < e->num && e->steps < MOST_STEPS)
        colors = cab_exact_choose(e, cab_exact_rarest(e));
    return colors == e->num;
}

/* Switches of one colour are partners. */
static bool cab_exact_keep(const exact *e, cab_match *m)
{
    const cab_graph *f = e->of[0], *p = e->of[1];
    uint64_t agree = 0;
    uint32_t *at = m->fabric_of; /* switch of the fabric by the rank of its colour, meanwhile */
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t sw = 0; sw < e->num; sw++) {
            const uint64_t *found = bsearch(&e->color[side][sw], e->sorted[0], e->num,
                                            sizeof *e->sorted[0], cab_exact_compare);
            if (side == 0)
                at[found - e->sorted[0]] = sw;
            else
                m->plan_of[at[found - e->sorted[0]]] = sw;
        }
    for (uint32_t sw = 0; sw < e->num; sw++) {
        m->fabric_of[m->plan_of[sw]] = sw;
        for (uint32_t i = f->base[sw]; i < f->base[sw + 1]; i++) {
            uint32_t there = cab_graph_cables(p, m->plan_of[sw], m->plan_of[f->to[i]]);
            agree += there < f->cables[i] ? there : f->cables[i];
        }
    }
    m->agree = m->laid = m->planned = agree / 2;
    return m->agree == f->links;
}

static ik_status cab_exact_run(exact *e, cab_match *m, ik_error *err)
{
    size_t num = (size_t)e->num + 1;
    uint64_t *room = ik_calloc(num, 8 * sizeof *room);
    cab_match found = {.plan_of = ik_calloc(num, sizeof *found.plan_of),
                       .fabric_of = ik_calloc(num, sizeof *found.fabric_of)};
    ik_status status = room && found.plan_of && found.fabric_of
                           ? IK_OK
                           : ik_fail_memory(err, 72 * num, "comparing switches");
    for (unsigned side = 0; side < 2 && status == IK_OK; side++) {
        e->color[side] = room + (4 * side + 0) * num;
        e->next[side] = room + (4 * side + 1) * num;
        e->kept[side] = room + (4 * side + 2) * num;
        e->sorted[side] = room + (4 * side + 3) * num;
    }
    if (status == IK_OK && cab_exact_search(e) && cab_exact_keep(e, &found)) {
        found.work = m->work;
        cab_match_free(m);
        *m = found;
        found = (cab_match){0};
    }
    cab_match_free(&found);
    free(room);
    m->work += (uint64_t)e->steps;
    return status;
}

ik_status cab_exact(const cab_graph *f, const cab_graph *p, cab_match *m, ik_error *err)
{
    exact e = {.of = {f, p}, .num = f->num};
    if (f->num != p->num || f->links != p->links || f->base[f->num] != p->base[p->num])
        return IK_OK;
    return cab_exact_run(&e, m, err);
}
