/* SPDX-License-Identifier: Apache-2.0
 *
 * The extended channel dependency graph: vertices are (switch-to-switch channel, VC); an edge says
 * that a packet can hold the first and wait for the second.
 *
 * From a channel into switch n the next one is a port of n, so a row of radix bits a (vertex, next
 * VC) holds the graph: a tree of 11,664 hosts with one VC takes 370 KB. If no packet ever changes
 * its VC (`lanes`), a vertex has one row.
 */
#ifndef IKAT_VERIFY_CDG_H
#define IKAT_VERIFY_CDG_H

#include "ikat/fabric.h"

#include <assert.h>

typedef struct cdg {
    const ik_fabric *fabric;
    const ik_env *env; /* of who makes it; may be NULL */
    unsigned num_vcs;
    bool lanes;
    uint32_t num_channels;     /* switch-to-switch */
    uint32_t *channel_of_port; /* [num_ports] IK_NONE for host channels and unconnected ports */
    uint32_t *port_of_channel; /* [num_channels] sending port */
    size_t words;              /* 64-bit words a row */
    uint64_t *rows;            /* [num_channels][num_vcs][lanes ? 1 : num_vcs][words] */
    uint64_t *used;            /* bit set over vertices: some packet crosses it */
} cdg;

/* Refuses with IK_ERR_MEMORY what exceeds env's limit. Free with cdg_free. */
ik_status cdg_make(const ik_fabric *f, unsigned num_vcs, bool lanes, const ik_env *env, cdg *out,
                   ik_error *err);
void cdg_free(cdg *g);
/* Takes all dependencies out again. */
void cdg_clear(cdg *g);

static inline size_t cdg_num_vertices(const cdg *g)
{
    return (size_t)g->num_channels * g->num_vcs;
}

static inline size_t cdg_vertex(const cdg *g, uint32_t channel, unsigned vc)
{
    assert(channel < g->num_channels && vc < g->num_vcs);
    return (size_t)channel * g->num_vcs + vc;
}

/* The row of dependencies from a vertex to channels on next_vc (with lanes: its own VC). */
static inline uint64_t *cdg_row(const cdg *g, size_t vertex, unsigned next_vc)
{
    assert(vertex < cdg_num_vertices(g) && next_vc < g->num_vcs);
    return g->rows + (g->lanes ? vertex : vertex * g->num_vcs + next_vc) * g->words;
}

/* Sets bits that several threads may set at once; the usual case is that they are set already. */
static inline void cdg_or(uint64_t *word, uint64_t bits)
{
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) != bits)
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

static inline void cdg_use(cdg *g, size_t vertex)
{
    assert(vertex < cdg_num_vertices(g));
    cdg_or(&g->used[vertex / 64], (uint64_t)1 << vertex % 64);
}

/* A packet that came by in_port on vc_in may leave by out_port on each of VCs vc_first … vc_last.
 * Host channels are skipped.
 */
void cdg_add(cdg *g, uint32_t in_port, unsigned vc_in, uint32_t out_port, unsigned vc_first,
             unsigned vc_last);

/* Successors: *cursor starts at 0; false when there are no more. */
bool cdg_next(const cdg *g, size_t vertex, size_t *cursor, size_t *successor);

void cdg_count(const cdg *g, uint64_t *vertices, uint64_t *edges);

/* Looks for cycles. *length 0: acyclic. Otherwise *cycle (free it) holds the vertices of a shortest
 * one in order, found by breadth-first searches within each strongly connected component; if those
 * would take too long, the shortest through the vertices tried. */
ik_status cdg_cycle(const cdg *g, size_t **cycle, size_t *length, ik_error *err);

/* The same for any graph of vertices 0 … num-1, whose successors next() enumerates as cdg_next()
 * does. */
typedef struct cycle_graph {
    const void *graph;
    size_t num;
    bool (*next)(const void *graph, size_t vertex, size_t *cursor, size_t *successor);
    const ik_env *env; /* for progress and cancelling; NULL = none */
} cycle_graph;
ik_status cycle_shortest(const cycle_graph *g, size_t **cycle, size_t *length, ik_error *err);
/* rank[vertex], from 1, less than that of every successor: [num], free it. NULL if the graph has a
 * cycle. O(vertices + edges), where a shortest cycle may take seconds. */
ik_status cycle_order(const cycle_graph *g, uint32_t **rank, ik_error *err);
ik_status cdg_order(const cdg *g, uint32_t **rank, ik_error *err);

#endif
