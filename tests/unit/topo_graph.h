/* SPDX-License-Identifier: Apache-2.0
 *
 * topo_graph.h: the switch graph of a fabric, measured naively, for the tests of the generators.
 */
#ifndef IKAT_TEST_TOPO_GRAPH_H
#define IKAT_TEST_TOPO_GRAPH_H

#include "unit/made.h"
#include <jansson.h>

/* Switch neighbours, parallel links collapsed; hosts attached to each switch. */
typedef struct switch_graph {
    uint32_t n, num_links; /* links with multiplicity */
    uint32_t *base, *nbr;  /* compressed rows, ascending, unique */
    uint32_t *hosts;       /* [n] */
} switch_graph;

static inline ik_fabric *must_build(const char *format, ...)
{
    char spec[256];
    va_list args;
    va_start(args, format);
    vsnprintf(spec, sizeof spec, format, args);
    va_end(args);
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK)
        fail_msg("%s: %s (%s)", spec, err.text, err.hint);
    if (ik_fabric_check(f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

static inline int ascending_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline switch_graph graph_of(const ik_fabric *f)
{
    switch_graph g = {.n = f->num_switches};
    g.base = calloc(g.n + 1, sizeof *g.base);
    g.nbr = calloc(f->num_ports + 1, sizeof *g.nbr);
    g.hosts = calloc(g.n + 1, sizeof *g.hosts);
    uint32_t used = 0;
    for (uint32_t sw = 0; sw < g.n; sw++) {
        uint32_t first = used;
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer != IK_NONE && ik_is_switch(f, peer)) {
                g.nbr[used++] = peer;
                g.num_links++;
            } else if (peer != IK_NONE) {
                g.hosts[sw]++;
            }
        }
        qsort(g.nbr + first, used - first, sizeof *g.nbr, ascending_u32);
        uint32_t kept = first;
        for (uint32_t i = first; i < used; i++)
            if (i == first || g.nbr[i] != g.nbr[kept - 1])
                g.nbr[kept++] = g.nbr[i];
        used = kept;
        g.base[sw + 1] = used;
    }
    g.num_links /= 2;
    return g;
}

static inline void graph_free(switch_graph *g)
{
    free(g->base);
    free(g->nbr);
    free(g->hosts);
}

static inline bool graph_adjacent(const switch_graph *g, uint32_t a, uint32_t b)
{
    return bsearch(&b, g->nbr + g->base[a], g->base[a + 1] - g->base[a], sizeof b, ascending_u32) !=
           NULL;
}

/* Breadth-first search from s: distances (IK_NONE = unreached) and numbers of shortest paths.
 * queue: [n]. */
static inline void search_from(const switch_graph *g, uint32_t s, uint32_t *dist, uint64_t *paths,
                               uint32_t *queue)
{
    for (uint32_t i = 0; i < g->n; i++) {
        dist[i] = IK_NONE;
        paths[i] = 0;
    }
    uint32_t head = 0, tail = 0;
    dist[s] = 0;
    paths[s] = 1;
    queue[tail++] = s;
    while (head < tail) {
        uint32_t u = queue[head++];
        for (uint32_t i = g->base[u]; i < g->base[u + 1]; i++) {
            uint32_t v = g->nbr[i];
            if (dist[v] == IK_NONE) {
                dist[v] = dist[u] + 1;
                queue[tail++] = v;
            }
            if (dist[v] == dist[u] + 1)
                paths[v] += paths[u];
        }
    }
}

#define MAX_DISTANCE 64
#define MAX_PATHS    4096

/* All ordered pairs of switches: by distance, and by (distance, number of paths); `only_hosts`:
 * among switches with hosts. */
typedef struct pair_counts {
    uint64_t by_distance[MAX_DISTANCE];
    uint64_t by_paths[8][MAX_PATHS]; /* distances up to 7 */
    uint64_t total_distance, unreached;
    uint32_t diameter;
} pair_counts;

static inline pair_counts *count_pairs(const switch_graph *g, bool only_hosts)
{
    pair_counts *c = calloc(1, sizeof *c);
    uint32_t *dist = calloc(2 * (size_t)g->n, sizeof *dist);
    uint64_t *paths = calloc(g->n, sizeof *paths);
    for (uint32_t s = 0; s < g->n; s++) {
        if (only_hosts && !g->hosts[s])
            continue;
        search_from(g, s, dist, paths, dist + g->n);
        for (uint32_t t = 0; t < g->n; t++) {
            if (t == s || (only_hosts && !g->hosts[t]))
                continue;
            if (dist[t] == IK_NONE) {
                c->unreached++;
                continue;
            }
            c->by_distance[dist[t] < MAX_DISTANCE ? dist[t] : MAX_DISTANCE - 1]++;
            c->total_distance += dist[t];
            c->diameter = dist[t] > c->diameter ? dist[t] : c->diameter;
            if (dist[t] < 8 && paths[t] < MAX_PATHS)
                c->by_paths[dist[t]][paths[t]]++;
        }
    }
    free(dist);
    free(paths);
    return c;
}

static inline json_t *load_json(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/topology/%s", TEST_DATA, name);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        fail_msg("%s: %s", path, error.text);
    return root;
}

static inline uint64_t json_uint(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        fail_msg("no number '%s'", key);
    return (uint64_t)json_integer_value(value);
}

#endif
