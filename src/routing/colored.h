/* SPDX-License-Identifier: Apache-2.0
 *
 * colored.h: the parts of pattern-aware routing: flows of a pattern, colouring of one sub-network, contention of a table. */
#ifndef IKAT_ROUTING_COLORED_H
#define IKAT_ROUTING_COLORED_H

#include "routing/tree.h"

/* One pair that communicates. via: its ascent (see tree.h). */
typedef struct colored_flow {
    uint32_t src, dst, via;
    uint32_t level; /* of the nearest common ancestors */
} colored_flow;

/* ---- contention (colored_measure.c) */

/* Judged in this order, less is better: largest contention of a channel, channels that have it, sum of squares. */
typedef struct colored_cost {
    uint64_t worst, channels, squares;
} colored_cost;

static inline int colored_compare(const colored_cost *a, const colored_cost *b)
{
    if (a->worst != b->worst)
        return a->worst < b->worst ? -1 : 1;
    if (a->channels != b->channels)
        return a->channels < b->channels ? -1 : 1;
    return a->squares < b->squares ? -1 : a->squares > b->squares;
}

static inline void colored_count(colored_cost *cost, uint64_t contention)
{
    if (contention > cost->worst) {
        cost->worst = contention;
        cost->channels = 0;
    }
    cost->channels += contention && contention == cost->worst;
    cost->squares += contention * contention;
}

/* Scratch for matchings among hosts; zero-initialise, then colored_matcher_init. */
typedef struct colored_matcher {
    uint32_t *id;           /* [2 * hosts] local number + 1 of a source or destination */
    uint32_t *left, *right; /* [capacity] of each flow */
    uint32_t *first, *next; /* adjacency of the left side */
    uint32_t *match, *seen; /* of the right side */
    uint32_t num_hosts;
} colored_matcher;

ik_status colored_matcher_init(colored_matcher *m, uint32_t num_hosts, uint32_t capacity, ik_error *err);
void colored_matcher_free(colored_matcher *m);
/* Contention of a channel: the largest set of these flows in which no two share a source or a destination. */
uint32_t colored_matching(colored_matcher *m, const colored_flow *flows, const uint32_t *list, uint32_t n);
/* Cost of the whole table, over all channels between switches. */
ik_status colored_measure(const tree *t, const ik_fabric *f, const colored_flow *flows, uint32_t n, colored_matcher *m,
                          colored_cost *cost, ik_error *err);

/* ---- one sub-network (colored_edges.c, colored_search.c) */

/* Flows between the switches of one level that share their way so far: edges of a bipartite multigraph. */
typedef struct colored_group {
    const colored_flow *flows; /* all flows of the phase */
    const uint32_t *list;      /* [n] the group's flows */
    uint32_t *left, *right;    /* [n] source and destination subtree, renumbered from 0 */
    uint32_t n, num_left, num_right;
    uint32_t num_colors; /* up ports */
    uint16_t *color;     /* [n] the result */
} colored_group;

/* Every switch's flows spread evenly over the colours: at most ceil(degree / colours) on a channel. */
ik_status colored_edges(colored_group *g, ik_error *err);
/* Greedy by contention, then moves while they help; for flow sets where flows share sources or destinations. */
ik_status colored_search(colored_group *g, colored_matcher *m, ik_error *err);
/* Chooses the ascent of every flow, level by level, each sub-network by the best of four colourings (colored_paint.c). shared:
 * some host has several flows. */
ik_status colored_paint(const tree *t, colored_flow *flows, uint32_t n, bool shared, colored_matcher *m, ik_error *err);
/* Contention of the group's channels under g->color. */
ik_status colored_group_cost(const colored_group *g, colored_matcher *m, colored_cost *cost, ik_error *err);

#endif
