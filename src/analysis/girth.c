/* SPDX-License-Identifier: Apache-2.0
 *
 * girth.c: the shortest cycle of switches; the Moore bound.
 *
 * A breadth-first search from every switch; an edge between two visited vertices closes a walk of
 * length d(u) + d(v) + 1 through the root that contains a cycle no longer, and from a vertex of a
 * shortest cycle exactly one. Searches stop at half the best length so far (A. Itai, M. Rodeh, SIAM
 * J. Comput. 1978). Twins with two neighbours give 4 at once; a graph without odd cycles is done
 * there.
 */
#include "analysis/graph.h"
#include "ikat/analysis.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_CYCLE UINT32_MAX

typedef struct bfs {
    const graph *g;
    uint32_t *dist, *parent, *queue; /* [n] dist is all IK_NONE between searches */
} bfs;

/* Shortest cycle seen from root if shorter than best, else best. */
static uint32_t girth_search(const bfs *b, uint32_t root, uint32_t best)
{
    assert(root < b->g->n && b->dist[root] == IK_NONE);
    uint32_t head = 0, tail = 0;
    b->dist[root] = 0;
    b->parent[root] = IK_NONE;
    b->queue[tail++] = root;
    while (head < tail) {
        uint32_t u = b->queue[head++];
        if (best != NO_CYCLE && 2 * b->dist[u] + 1 >= best)
            break; /* a cycle closed from here on has at least 2 d(u) + 1 vertices */
        for (size_t i = b->g->base[u]; i < b->g->base[u + 1]; i++) {
            uint32_t v = b->g->to[i];
            if (b->dist[v] == IK_NONE) {
                b->dist[v] = b->dist[u] + 1;
                b->parent[v] = u;
                b->queue[tail++] = v;
            } else if (v != b->parent[u]) {
                uint32_t length = b->dist[u] + b->dist[v] + 1;
                best = length < best ? length : best;
            }
        }
    }
    for (uint32_t i = 0; i < tail; i++)
        b->dist[b->queue[i]] = IK_NONE;
    return best;
}

static bool girth_bipartite(const bfs *b)
{
    const graph *g = b->g;
    bool even = true;
    uint8_t *colour = (uint8_t *)b->parent; /* room enough: one byte of each word */
    memset(colour, 0, g->n);
    for (uint32_t root = 0; root < g->n && even; root++) {
        uint32_t head = 0, tail = 0;
        if (colour[root])
            continue;
        colour[root] = 1;
        b->queue[tail++] = root;
        while (head < tail && even) {
            uint32_t u = b->queue[head++];
            for (size_t i = g->base[u]; i < g->base[u + 1]; i++) {
                uint32_t v = g->to[i];
                if (!colour[v]) {
                    colour[v] = (uint8_t)(3 - colour[u]);
                    b->queue[tail++] = v;
                }
                even = even && colour[v] != colour[u];
            }
        }
    }
    return even;
}

/* 2 with parallel links, 4 with twins of at least two neighbours, else unknown. */
static ik_status girth_easy_cycles(const graph *g, uint32_t *best, ik_error *err)
{
    graph q = {0};
    ik_status s = graph_merge_twins(g, &q, NULL, err);
    *best = NO_CYCLE;
    for (uint32_t v = 0; s == IK_OK && v < q.n; v++) {
        uint64_t neighbours = 0;
        for (size_t i = q.base[v]; i < q.base[v + 1]; i++) {
            neighbours += q.count[q.to[i]];
            *best = q.links[i] > 1 ? 2 : *best;
        }
        if (q.count[v] > 1 && neighbours > 1 && *best > 4)
            *best = 4;
    }
    graph_free(&q);
    return s;
}

static ik_status girth_search_all(const bfs *b, uint32_t *best, const ik_env *env, ik_error *err)
{
    uint32_t least = *best > 2 && girth_bipartite(b) ? 4 : 3;
    for (uint32_t root = 0; root<b->g->n && * best> least; root++) {
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        *best = girth_search(b, root, *best);
    }
    return IK_OK;
}

ik_status ik_girth(const ik_fabric *f, const ik_env *env, uint32_t *girth, ik_error *err)
{
    graph g = {0};
    uint32_t best = NO_CYCLE;
    size_t n = (size_t)f->num_switches + 1;
    bfs b = {&g, ik_calloc(n, sizeof *b.dist), ik_calloc(n, sizeof *b.parent),
             ik_calloc(n, sizeof *b.queue)};
    ik_status s = b.dist && b.parent && b.queue
                      ? graph_of_switches(f, &g, err)
                      : ik_fail_memory(err, n * 12, "a search for cycles");
    if (s == IK_OK) {
        memset(b.dist, 0xFF, n * sizeof *b.dist);
        s = girth_easy_cycles(&g, &best, err);
    }
    if (s == IK_OK)
        s = girth_search_all(&b, &best, env, err);
    if (s == IK_OK)
        *girth = best == NO_CYCLE ? 0 : best;
    free(b.dist);
    free(b.parent);
    free(b.queue);
    graph_free(&g);
    return s;
}

double ik_moore_ratio(uint64_t switches, uint32_t degree, uint32_t diameter)
{
    double bound = 1;
    if (diameter == IK_NONE || diameter == 0 || degree == 0)
        return 0;
    for (uint32_t i = 0; i < diameter; i++)
        bound += degree * pow(degree - 1.0, i);
    return (double)switches / bound;
}
