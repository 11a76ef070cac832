/* SPDX-License-Identifier: Apache-2.0
 *
 * colored_edges.c: equitable edge colouring of a bipartite multigraph.
 *
 * A vertex of degree g is split into ceil(g / w) copies of degree at most w; the split graph has
 * maximum degree w, so w colours suffice (Koenig), found by inserting edges one by one and flipping
 * an alternating path where the two ends have no common free colour. Every original vertex then has
 * at most ceil(g / w) edges of a colour, which is optimal for permutations. */
#include "routing/colored/colored.h"

#include <stdlib.h>

typedef struct edge_colouring {
    const colored_group *g;
    uint32_t *copy_l, *copy_r; /* [n] split vertex of each end; right ones follow the left ones */
    uint32_t *slot;            /* [copies][colours] edge + 1 */
    uint32_t *path;            /* [n] edges of an alternating path */
} edge_colouring;

/* Numbers the copies of one side from `first` on; returns the number after the last. */
static uint32_t colored_edges_split(const uint32_t *vertex, uint32_t n, uint32_t num_vertices,
                                    uint32_t colors, uint32_t first, uint32_t *degree,
                                    uint32_t *base, uint32_t *copy)
{
    for (uint32_t v = 0; v < num_vertices; v++)
        degree[v] = 0;
    for (uint32_t i = 0; i < n; i++)
        degree[vertex[i]]++;
    for (uint32_t v = 0; v < num_vertices; v++) {
        base[v] = first;
        first += (degree[v] + colors - 1) / colors;
        degree[v] = 0;
    }
    for (uint32_t i = 0; i < n; i++)
        copy[i] = base[vertex[i]] + degree[vertex[i]]++ / colors;
    return first;
}

static uint32_t free_color(const edge_colouring *c, uint32_t vertex)
{
    const uint32_t *slot = c->slot + (size_t)vertex * c->g->num_colors;
    uint32_t color = 0;
    while (slot[color])
        color++;
    return color;
}

static void colored_edges_put(edge_colouring *c, uint32_t edge, uint32_t color, uint32_t value)
{
    c->slot[(size_t)c->copy_l[edge] * c->g->num_colors + color] = value;
    c->slot[(size_t)c->copy_r[edge] * c->g->num_colors + color] = value;
}

/* Exchanges colours a and b along the path that leaves `vertex` by colour a; a is free there
 * afterwards. */
static void colored_edges_flip(edge_colouring *c, uint32_t vertex, uint32_t a, uint32_t b)
{
    uint32_t length = 0, color = a, edge;
    while ((edge = c->slot[(size_t)vertex * c->g->num_colors + color]) != 0) {
        edge--;
        c->path[length++] = edge;
        vertex = c->copy_l[edge] == vertex ? c->copy_r[edge] : c->copy_l[edge];
        color = color == a ? b : a;
    }
    for (uint32_t i = 0; i < length; i++)
        colored_edges_put(c, c->path[i], c->g->color[c->path[i]], 0);
    for (uint32_t i = 0; i < length; i++) {
        edge = c->path[i];
        c->g->color[edge] = (uint16_t)(c->g->color[edge] == a ? b : a);
        colored_edges_put(c, edge, c->g->color[edge], edge + 1);
    }
}

static void colored_edges_insert(edge_colouring *c, uint32_t edge)
{
    uint32_t a = free_color(c, c->copy_l[edge]), b = free_color(c, c->copy_r[edge]);
    if (a != b && c->slot[(size_t)c->copy_r[edge] * c->g->num_colors + a])
        colored_edges_flip(c, c->copy_r[edge], a, b);
    c->g->color[edge] = (uint16_t)a;
    colored_edges_put(c, edge, a, edge + 1);
}

ik_status colored_edges(colored_group *g, ik_error *err)
{
    size_t n = g->n,
           vertices = (size_t)(g->num_left > g->num_right ? g->num_left : g->num_right) + 1;
    uint32_t *degree = ik_calloc(vertices, sizeof *degree),
             *base = ik_calloc(vertices, sizeof *base);
    edge_colouring c = {
        .g = g,
        .copy_l = ik_calloc(n + 1, sizeof *c.copy_l),
        .copy_r = ik_calloc(n + 1, sizeof *c.copy_r),
        .path = ik_calloc(n + 1, sizeof *c.path),
    };
    ik_status status = IK_OK;
    if (degree && base && c.copy_l && c.copy_r && c.path) {
        uint32_t copies = colored_edges_split(g->left, g->n, g->num_left, g->num_colors, 0, degree,
                                              base, c.copy_l);
        copies = colored_edges_split(g->right, g->n, g->num_right, g->num_colors, copies, degree,
                                     base, c.copy_r);
        c.slot = ik_calloc((size_t)copies * g->num_colors + 1, sizeof *c.slot);
    }
    if (c.slot)
        for (uint32_t edge = 0; edge < g->n; edge++)
            colored_edges_insert(&c, edge);
    else
        status = ik_fail_memory(err, n * 12, "an edge colouring");
    free(degree);
    free(base);
    free(c.copy_l);
    free(c.copy_r);
    free(c.path);
    free(c.slot);
    return status;
}
