/* SPDX-License-Identifier: Apache-2.0
 *
 * peel.h: whether a graph of channels is acyclic, by taking away vertices that nothing leads to:
 * none of the code that makes layers.
 */
#ifndef IKAT_TESTS_PEEL_H
#define IKAT_TESTS_PEEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct cdg {
    size_t num, count, capacity;
    uint32_t (*edges)[2];
} cdg;

static inline void depend(cdg *g, uint32_t from, uint32_t to)
{
    if (g->count == g->capacity) {
        g->capacity = g->capacity ? 2 * g->capacity : 4096;
        g->edges = realloc(g->edges, g->capacity * sizeof *g->edges);
    }
    g->edges[g->count][0] = from;
    g->edges[g->count++][1] = to;
}

static inline bool acyclic(const cdg *g)
{
    uint32_t *in = calloc(g->num, sizeof *in), *first = calloc(g->num + 1, sizeof *first),
             *list = calloc(g->count + 1, sizeof *list);
    uint32_t *queue = calloc(g->num, sizeof *queue);
    for (size_t e = 0; e < g->count; e++) {
        in[g->edges[e][1]]++;
        first[g->edges[e][0]]++;
    }
    for (size_t i = 0, sum = 0; i <= g->num; i++) {
        size_t n = i < g->num ? first[i] : 0;
        first[i] = (uint32_t)sum;
        sum += n;
    }
    uint32_t *at = calloc(g->num, sizeof *at);
    for (size_t e = 0; e < g->count; e++)
        list[first[g->edges[e][0]] + at[g->edges[e][0]]++] = g->edges[e][1];
    size_t filled = 0;
    for (uint32_t i = 0; i < g->num; i++)
        if (in[i] == 0)
            queue[filled++] = i;
    for (size_t i = 0; i < filled; i++)
        for (uint32_t k = first[queue[i]]; k < first[queue[i] + 1]; k++)
            if (--in[list[k]] == 0)
                queue[filled++] = list[k];
    free(in);
    free(first);
    free(list);
    free(queue);
    free(at);
    return filled == g->num;
}

#endif
