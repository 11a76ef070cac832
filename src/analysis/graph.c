/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: the switch graph of a fabric, and its quotient by twins.
 *
 * Twins are found by sorting the vertices by a hash of their rows and comparing rows of equal hash.
 * A neighbour of one twin is a neighbour of all, so in the quotient "class A next to class B" means
 * that every member of A is next to every one of B.
 */
#include "analysis/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void graph_free(graph *g)
{
    free(g->base);
    free(g->to);
    free(g->links);
    free(g->hosts);
    free(g->count);
    memset(g, 0, sizeof *g);
}

static ik_status graph_alloc(graph *g, uint32_t n, size_t entries, ik_error *err)
{
    size_t room = entries ? entries : 1;
    g->n = n;
    g->base = ik_calloc((size_t)n + 1, sizeof *g->base);
    g->to = ik_calloc(room, sizeof *g->to);
    g->links = ik_calloc(room, sizeof *g->links);
    g->hosts = ik_calloc((size_t)n + 1, sizeof *g->hosts);
    g->count = ik_calloc((size_t)n + 1, sizeof *g->count);
    if (!g->base || !g->to || !g->links || !g->hosts || !g->count) {
        graph_free(g);
        return ik_fail_memory(err, room * 2 * sizeof *g->to + (size_t)n * 16, "the switch graph");
    }
    return IK_OK;
}

static int graph_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Other switches behind the ports of sw, unsorted, one per port. */
static size_t graph_peers_of(const ik_fabric *f, uint32_t sw, uint32_t *peers)
{
    size_t n = 0;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t node = ik_peer_node(f, p);
        if (node != IK_NONE && ik_is_switch(f, node) && node != sw)
            peers[n++] = node;
    }
    return n;
}

static void graph_fill_rows(const ik_fabric *f, graph *g)
{
    size_t at = 0;
    for (uint32_t sw = 0; sw < g->n; sw++) {
        uint32_t *row = g->to + at;
        size_t n = graph_peers_of(f, sw, row), kept = 0;
        g->base[sw] = at;
        g->count[sw] = 1;
        if (n)
            qsort(row, n, sizeof *row, graph_compare_u32);
        for (size_t i = 0; i < n; i++) {
            if (kept && row[kept - 1] == row[i]) {
                g->links[at + kept - 1]++;
            } else {
                row[kept] = row[i];
                g->links[at + kept++] = 1;
            }
        }
        at += kept;
    }
    g->base[g->n] = at;
}

ik_status graph_of_switches(const ik_fabric *f, graph *out, ik_error *err)
{
    graph g = {0};
    ik_status s = graph_alloc(&g, f->num_switches, f->port_base[f->num_switches], err);
    if (s != IK_OK)
        return s;
    graph_fill_rows(f, &g);
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++) {
        uint32_t sw = ik_peer_node(f, port);
        if (sw != IK_NONE && ik_is_switch(f, sw))
            g.hosts[sw]++;
    }
    *out = g;
    return IK_OK;
}

uint32_t graph_lost_hosts(const ik_fabric *f)
{
    uint32_t lost = 0;
    for (uint32_t h = 0; h < f->num_hosts; h++)
        lost += ik_host_switch(f, h) == IK_NONE;
    return lost;
}

/* ------------------------------------------------------------------------------------------
 * twins */

typedef struct row_key {
    uint64_t hash;
    uint32_t vertex;
} row_key;

static int graph_compare_keys(const void *a, const void *b)
{
    const row_key *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

static uint64_t graph_row_hash(const graph *g, uint32_t v)
{
    uint64_t h = 0x9E3779B97F4A7C15u ^ g->hosts[v];
    for (size_t i = g->base[v]; i < g->base[v + 1]; i++) {
        h = (h ^ ((uint64_t)g->to[i] << 20 ^ g->links[i])) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 29;
    }
    return h;
}

static bool graph_same_row(const graph *g, uint32_t a, uint32_t b)
{
    assert(a < g->n && b < g->n);
    size_t n = g->base[a + 1] - g->base[a];
    return g->hosts[a] == g->hosts[b] && n == g->base[b + 1] - g->base[b] && n > 0 &&
           memcmp(g->to + g->base[a], g->to + g->base[b], n * sizeof *g->to) == 0 &&
           memcmp(g->links + g->base[a], g->links + g->base[b], n * sizeof *g->links) == 0;
}

/* leader[v] = smallest vertex with v's row. */
static void graph_find_leaders(const graph *g, row_key *keys, uint32_t *leader)
{
    for (uint32_t v = 0; v < g->n; v++)
        keys[v] = (row_key){graph_row_hash(g, v), v};
    if (g->n)
        qsort(keys, g->n, sizeof *keys, graph_compare_keys);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t v = keys[i].vertex;
        bool twin = i && keys[i].hash == keys[i - 1].hash &&
                    graph_same_row(g, leader[keys[i - 1].vertex], v);
        leader[v] = twin ? leader[keys[i - 1].vertex] : v;
    }
}

/* A neighbouring class stands once in the row; its multiplicity is that of the links to any one
 * member. */
static void graph_fill_quotient(const graph *g, const uint32_t *leader, const uint32_t *class_of,
                                graph *q)
{
    size_t at = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t c = class_of[v];
        q->count[c]++;
        if (leader[v] != v)
            continue;
        q->hosts[c] = g->hosts[v];
        q->base[c] = at;
        for (size_t i = g->base[v]; i < g->base[v + 1]; i++) {
            if (leader[g->to[i]] == g->to[i]) {
                q->to[at] = class_of[g->to[i]];
                q->links[at++] = g->links[i];
            }
        }
    }
    q->base[q->n] = at;
}

ik_status graph_merge_twins(const graph *g, graph *out, uint32_t *class_of, ik_error *err)
{
    size_t n = (size_t)g->n + 1;
    row_key *keys = ik_calloc(n, sizeof *keys);
    uint32_t *leader = ik_calloc(n, sizeof *leader), *own = ik_calloc(n, sizeof *own);
    graph q = {0};
    ik_status s = IK_OK;
    if (!keys || !leader || !own) {
        s = ik_fail_memory(err, n * (sizeof *keys + 2 * sizeof *leader), "classes of switches");
        goto done;
    }
    graph_find_leaders(g, keys, leader);
    uint32_t classes = 0;
    size_t entries = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        /* leaders come first: a leader is the smallest of its class */
        if (leader[v] == v) {
            own[v] = classes++;
            entries += g->base[v + 1] - g->base[v];
        } else {
            own[v] = own[leader[v]];
        }
    }
    s = graph_alloc(&q, classes, entries, err);
    if (s == IK_OK) {
        graph_fill_quotient(g, leader, own, &q);
        if (class_of)
            memcpy(class_of, own, (size_t)g->n * sizeof *own);
        *out = q;
    }
done:
    free(keys);
    free(leader);
    free(own);
    return s;
}
