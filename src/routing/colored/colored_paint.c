/* SPDX-License-Identifier: Apache-2.0
 *
 * colored_paint.c: level by level, sub-network by sub-network: the best of four colourings each. */
#include "routing/colored/colored.h"

#include <stdlib.h>
#include <string.h>

/* Flows times colours up to which contention is searched. */
enum { SEARCH_LIMIT = 100000 };

typedef struct keyed_flow {
    uint32_t prefix, flow;
} keyed_flow;

typedef struct painter {
    const tree *tree;
    colored_flow *flows;
    colored_matcher *matcher;
    keyed_flow *keyed;             /* [n] flows that climb beyond the level, by what they share */
    uint32_t *list, *left, *right; /* [n] of one group */
    uint32_t *number;              /* [hosts] renumbering of subtrees: + 1, 0 = not met */
    uint16_t *color, *best;        /* [n] of one group */
    bool shared;
    colored_objective objective;
} painter;

static int colored_paint_by_prefix(const void *a, const void *b)
{
    const keyed_flow *x = a, *y = b;
    if (x->prefix != y->prefix)
        return x->prefix < y->prefix ? -1 : 1;
    return x->flow < y->flow ? -1 : x->flow > y->flow;
}

/* Numbers the subtrees that occur among vertex[0 … n-1] from 0. Returns how many there are. */
static uint32_t colored_paint_renumber(uint32_t *number, uint32_t *vertex, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!number[vertex[i]])
            number[vertex[i]] = ++count;
    for (uint32_t i = 0; i < n; i++)
        vertex[i] = number[vertex[i]] - 1;
    return count;
}

static ik_status colored_paint_color_by(const painter *p, colored_group *g, uint32_t level,
                                        unsigned way, ik_error *err)
{
    const tree_level *lv = &p->tree->level[level];
    switch (way) {
    case 0:
        return colored_edges(g, err);
    case 1:
        return colored_search(g, p->matcher, err);
    default:
        for (uint32_t i = 0; i < g->n; i++) {
            const colored_flow *flow = &p->flows[g->list[i]];
            g->color[i] = (uint16_t)tree_digit_up(lv, way == 2 ? flow->dst : flow->src);
        }
        return IK_OK;
    }
}

/* Colours the flows list[0 … n-1]; p->best holds the colours. */
static ik_status paint_group(painter *p, uint32_t level, uint32_t n, ik_error *err)
{
    uint32_t below = p->tree->level[level].num_hosts,
             hosts = p->tree->xgft->prod_m[p->tree->xgft->h];
    colored_group g = {.flows = p->flows,
                       .list = p->list,
                       .left = p->left,
                       .right = p->right,
                       .n = n,
                       .color = p->color,
                       .num_colors = p->tree->level[level].num_up,
                       .objective = p->objective};
    for (uint32_t i = 0; i < n; i++) {
        g.left[i] = p->flows[g.list[i]].src / below;
        g.right[i] = p->flows[g.list[i]].dst / below;
    }
    g.num_left = colored_paint_renumber(p->number, g.left, n);
    memset(p->number, 0, hosts / below * sizeof *p->number);
    g.num_right = colored_paint_renumber(p->number, g.right, n);
    memset(p->number, 0, hosts / below * sizeof *p->number);
    colored_cost least = {0}, cost;
    bool search = p->shared && (uint64_t)n * g.num_colors <= SEARCH_LIMIT;
    for (unsigned way = 0; way < 4; way++) {
        if (way == 1 && !search)
            continue;
        ik_status status = colored_paint_color_by(p, &g, level, way, err);
        if (status == IK_OK)
            status = colored_group_cost(&g, p->matcher, &cost, err);
        if (status != IK_OK)
            return status;
        if (way == 0) /* no colouring spreads the flows more evenly */
            g.limit = (uint32_t)cost.time;
        if (way == 0 || colored_compare(&cost, &least, p->objective) < 0) {
            least = cost;
            memcpy(p->best, g.color, n * sizeof *p->best);
        }
    }
    return IK_OK;
}

static ik_status paint_level(painter *p, uint32_t n, uint32_t level, ik_error *err)
{
    uint32_t step = p->tree->level[level].ascents.by, count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (p->flows[i].level > level)
            p->keyed[count++] = (keyed_flow){p->flows[i].via, i};
    qsort(p->keyed, count, sizeof *p->keyed, colored_paint_by_prefix);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && p->keyed[end].prefix == p->keyed[first].prefix; end++)
            p->list[end - first] = p->keyed[end].flow;
        ik_status status = paint_group(p, level, end - first, err);
        if (status != IK_OK)
            return status;
        for (uint32_t i = first; i < end; i++)
            p->flows[p->keyed[i].flow].via += p->best[i - first] * step;
    }
    return IK_OK;
}

ik_status colored_paint(const tree *t, colored_flow *flows, uint32_t n, bool shared,
                        colored_objective objective, colored_matcher *m, ik_error *err)
{
    painter p = {
        .tree = t,
        .flows = flows,
        .matcher = m,
        .shared = shared,
        .objective = objective,
        .keyed = ik_calloc(n, sizeof *p.keyed),
        .list = ik_calloc(n, sizeof *p.list),
        .left = ik_calloc(n, sizeof *p.left),
        .right = ik_calloc(n, sizeof *p.right),
        .number = ik_calloc(t->xgft->prod_m[t->xgft->h], sizeof *p.number),
        .color = ik_calloc(n, sizeof *p.color),
        .best = ik_calloc(n, sizeof *p.best),
    };
    ik_status status = IK_OK;
    if (!p.keyed || !p.list || !p.left || !p.right || !p.number || !p.color || !p.best)
        status = ik_fail_memory(err, (size_t)n * 24, "a colouring");
    for (uint32_t i = 0; i < n; i++)
        flows[i].via = 0;
    for (uint32_t level = 1; level < t->xgft->h && status == IK_OK; level++)
        status = paint_level(&p, n, level, err);
    free(p.keyed);
    free(p.list);
    free(p.left);
    free(p.right);
    free(p.number);
    free(p.color);
    free(p.best);
    return status;
}
