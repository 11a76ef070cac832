/* SPDX-License-Identifier: Apache-2.0
 *
 * loren_entries.c: which targets a switch of LOREN stores.
 */
#include "routing/compact/loren.h"

#include <stdlib.h>

static uint32_t loren_entries_next_switch(const loren *t, uint32_t u, uint32_t v)
{
    return t->g.head[t->g.base[u] + t->succ[(size_t)v * t->g.num_switches + u]];
}
/* Notes that u needs an entry for v; entries are written out later, once their number is known. */
static bool loren_entries_mark(loren *t, uint32_t u, uint32_t v, uint8_t kind)
{
    uint8_t *cell = &t->has[(size_t)u * t->g.num_switches + v];
    if (*cell)
        return false;
    *cell = kind;
    t->num[u]++;
    return true;
}

static void loren_entries_mark_path(loren *t, uint32_t u, uint32_t v)
{
    for (; u != v; u = loren_entries_next_switch(t, u, v))
        loren_entries_mark(t, u, v, 2);
}

void loren_mark_adjacent(loren *t)
{
    for (uint32_t u = 0; u < t->g.num_switches; u++)
        for (uint32_t l = t->g.base[u]; l < t->g.base[u + 1]; l++)
            if (t->g.head[l] != u)
                loren_entries_mark(t, u, t->g.head[l], 1);
}

void loren_mark_floor_neighbours(loren *t)
{
    static const int8_t step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (uint32_t u = 0; u < t->g.num_switches; u++)
        for (int k = 0; k < 4; k++) {
            uint32_t v = loren_switch_at(t, (int64_t)t->xy[u].x + step[k][0],
                                         (int64_t)t->xy[u].y + step[k][1]);
            if (v == IK_NONE)
                continue;
            if (t->dist[(size_t)u * t->g.num_switches + v] == LINKS_FAR)
                t->regular = false;
            else
                loren_entries_mark_path(t, u, v);
        }
}

/* The departure for floors with holes: every switch gets, for every destination that it can reach,
 * a target nearer to it than itself. Adding a path never takes that property from another switch,
 * so one pass is enough. */
void loren_mark_over_holes(loren *t)
{
    uint32_t n = t->g.num_switches;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < n; v++) {
            if (u == v || t->dist[(size_t)u * n + v] == LINKS_FAR)
                continue;
            bool nearer = false;
            for (uint32_t w = 0; w < n && !nearer; w++)
                nearer = t->has[(size_t)u * n + w] &&
                         loren_manhattan(t->xy[w], t->xy[v]) < loren_manhattan(t->xy[u], t->xy[v]);
            if (!nearer)
                loren_entries_mark_path(t, u, v);
        }
}

typedef struct loren_queue {
    struct loren_pair {
        uint32_t u, v;
    } * pairs; /* ring */
    size_t head, count, capacity;
} loren_queue;

static bool loren_entries_push(loren_queue *q, uint32_t u, uint32_t v)
{
    if (q->count == q->capacity) {
        size_t grown = q->capacity ? 2 * q->capacity : 1024;
        struct loren_pair *pairs = ik_calloc(grown, sizeof *pairs);
        if (!pairs)
            return false;
        for (size_t i = 0; i < q->count; i++)
            pairs[i] = q->pairs[(q->head + i) & (q->capacity - 1)];
        free(q->pairs);
        q->pairs = pairs;
        q->head = 0;
        q->capacity = grown;
    }
    q->pairs[(q->head + q->count++) & (q->capacity - 1)] = (struct loren_pair){u, v};
    return true;
}

/* Algorithm 1, part (3): breadth first over all trees at once, nearest pairs first, while there is
 * room. */
ik_status loren_mark_distant(loren *t, ik_error *err)
{
    const links *g = &t->g;
    size_t n = g->num_switches;
    loren_queue q = {0};
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t l = g->base[i]; l < g->base[i + 1]; l++)
            if (g->head[l] != i && (l == g->base[i] || g->head[l] != g->head[l - 1]))
                ok = ok && loren_entries_push(&q, i, g->head[l]);
    while (ok && q.count > 0) {
        struct loren_pair p = q.pairs[q.head];
        q.head = (q.head + 1) & (q.capacity - 1);
        q.count--;
        if (!t->has[(size_t)p.u * n + p.v]) {
            if (t->num[p.u] >= t->t_max)
                continue;
            loren_entries_mark(t, p.u, p.v, 3);
        }
        const uint16_t *succ = t->succ + (size_t)p.v * n;
        for (uint32_t l = g->base[p.u]; l < g->base[p.u + 1]; l++) {
            uint32_t w = g->head[l];
            if ((l > g->base[p.u] && w == g->head[l - 1]) || w == p.v || succ[w] == NO_LINK)
                continue;
            if (g->head[g->base[w] + succ[w]] == p.u)
                ok = ok && loren_entries_push(&q, w, p.v);
        }
    }
    free(q.pairs);
    return ok ? IK_OK : ik_fail_memory(err, q.capacity * sizeof *q.pairs, "LOREN's queue");
}

static int compare_entries(const void *a, const void *b)
{
    const loren_entry *p = a, *q = b;
    if (p->hops != q->hops)
        return p->hops < q->hops ? -1 : 1;
    return p->target < q->target ? -1 : p->target > q->target;
}

ik_status loren_write_entries(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    (void)err;
    loren *t = ctx;
    size_t n = t->g.num_switches;
    loren_entry *entry = t->entries + index * t->capacity;
    for (uint32_t v = 0; v < n; v++)
        if (t->has[index * n + v])
            *entry++ = (loren_entry){v, t->succ[v * n + index], t->dist[index * n + v],
                                     t->has[index * n + v]};
    qsort(t->entries + index * t->capacity, t->num[index], sizeof *entry, compare_entries);
    return IK_OK;
}
