/* SPDX-License-Identifier: Apache-2.0
 *
 * The extended dependency graph of an escape layer (J. Duato, "A New Theory of Deadlock-Free
 * Adaptive Routing in Wormhole Networks", IEEE TPDS 4(12), 1993). Vertices are the channels of the
 * layer, VCs 0 … num_vcs-1 of the switch-to-switch channels. An edge from c to e says that some
 * packet can hold c and wait for e: directly, when e is allowed right after c, or indirectly, when
 * it is allowed after one or more channels outside the layer, taken by the same packet.
 *
 * A row of one bit per vertex: a layer of n channels takes n * n / 8 bytes (7,620 channels, those
 * of 381 switches with 20 cables each: 7.3 MB), of which the operating system provides what is
 * written.
 */
#ifndef IKAT_VERIFY_ESCAPE_GRAPH_H
#define IKAT_VERIFY_ESCAPE_GRAPH_H

#include "vc/walk.h"
#include "verify/cdg.h"

#include <assert.h>

typedef struct escape_graph {
    const cdg *channels; /* borrowed: how channels are numbered */
    unsigned num_vcs;    /* of the layer */
    size_t num, words;   /* vertices; 64-bit words per row */
    uint64_t *rows;      /* [num][words] */
} escape_graph;

/* Refuses with IK_ERR_MEMORY what exceeds env's limit. Free with escape_graph_free. */
ik_status escape_graph_make(const cdg *channels, unsigned num_vcs, const ik_env *env,
                            escape_graph *out, ik_error *err);
void escape_graph_free(escape_graph *g);
/* A shortest cycle, as cdg_cycle(). */
ik_status escape_graph_cycle(const escape_graph *g, size_t **cycle, size_t *length, ik_error *err);

/* Of one without a cycle, as cycle_order(). */
ik_status escape_graph_order(const escape_graph *g, uint32_t **rank, ik_error *err);

static inline uint32_t escape_port(const escape_graph *g, size_t vertex)
{
    assert(vertex < g->num);
    return g->channels->port_of_channel[vertex / g->num_vcs];
}
static inline unsigned escape_graph_escape_vc(const escape_graph *g, size_t vertex)
{
    return (unsigned)(vertex % g->num_vcs);
}

/* An edge of a walk that leads into the layer, or to another switch outside it. */
static inline bool escape_edge(const escape_graph *g, const walk_edge *e)
{
    return e->to != IK_NONE && e->vc < g->num_vcs;
}
static inline bool escape_graph_adaptive_edge(const escape_graph *g, const walk_edge *e)
{
    return e->to != IK_NONE && e->vc >= g->num_vcs;
}
static inline size_t escape_vertex(const escape_graph *g, const walk_edge *e)
{
    assert(escape_edge(g, e)); /* of the layer */
    return (size_t)g->channels->channel_of_port[e->out_port] * g->num_vcs + e->vc;
}
/* The channel of the layer that a state's packet holds; SIZE_MAX = none, it came from a host or
 * outside the layer. */
size_t escape_held(const escape_graph *g, const walk *w, uint32_t state);

/* What one thread needs to add the dependencies of a destination. */
typedef struct escape_search escape_search;
escape_search *escape_search_new(const escape_graph *g); /* NULL when out of memory */
void escape_search_free(escape_search *x);
/* Adds the dependencies of all states of a walk; only the direct ones unless `indirect`. Threads
 * may add to one graph at once. Cost: edges of the walk * (channels of the layer that lead to its
 * destination) / 64. */
ik_status escape_graph_add(escape_graph *g, escape_search *x, const walk *w, bool indirect,
                           ik_error *err);

#endif
