/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_graph.h: dependencies between channels of switches on their VLs, one bit each, and a
 * shortest cycle of them. A vertex is a (channel between two switches, VL).
 */
#ifndef IKAT_SUBNET_LANE_GRAPH_H
#define IKAT_SUBNET_LANE_GRAPH_H

#include "ikat/fabric.h"

typedef struct lane_graph {
    const ik_fabric *f; /* borrowed */
    unsigned vls;
    uint32_t num_channels;
    uint32_t *channel_of; /* [num_ports] IK_NONE: no channel between switches */
    uint32_t *port_of;    /* [num_channels] sending port */
    /* [num_channels + 1] first word of a channel's rows, one row for each VL: a bit for each port
     * and VL of the switch that the channel leads to */
    uint64_t *row;
    uint64_t *bits;
} lane_graph;

/* Refuses what is beyond env's memory limit. Free with lane_graph_free. */
ik_status lane_graph_init(lane_graph *g, const ik_fabric *f, unsigned vls, const ik_env *env,
                          ik_error *err);
void lane_graph_free(lane_graph *g);

static inline uint32_t lane_graph_vertex(const lane_graph *g, uint32_t channel, unsigned vl)
{
    return channel * g->vls + vl;
}
static inline uint64_t lane_graph_words(const lane_graph *g, uint32_t channel)
{
    return (g->row[channel + 1] - g->row[channel]) / g->vls;
}

/* A packet that holds (port, vl) waits for (onward, onward_vl), both sending ports of channels
 * between switches. Any number of threads may add. */
void lane_graph_add(lane_graph *g, uint32_t port, unsigned vl, uint32_t onward, unsigned onward_vl);
/* Sets or takes away one dependency; false: it was so already. For one thread. */
bool lane_graph_set(lane_graph *g, uint32_t port, unsigned vl, uint32_t onward, unsigned onward_vl,
                    bool there);
uint64_t lane_graph_count(const lane_graph *g);

/* All vertices that `vertex` waits for, ascending: LANE_GRAPH_EACH(g, vertex, onward) { … }. */
#define LANE_GRAPH_EACH(g, vertex, onward)                                                         \
    for (lane_graph_cursor at_ = lane_graph_begin((g), (vertex));                                  \
         ((onward) = lane_graph_next((g), &at_)) != IK_NONE;)
typedef struct lane_graph_cursor {
    const uint64_t *row;
    uint64_t word, words, rest;
    uint32_t first_port; /* of the switch whose ports the bits are */
} lane_graph_cursor;
lane_graph_cursor lane_graph_begin(const lane_graph *g, uint32_t vertex);
uint32_t lane_graph_next(const lane_graph *g, lane_graph_cursor *c);

/* Position of every vertex in a topological order, or IK_NONE for those on or behind cycles:
 * order [vertices]; *acyclic. Cost O(vertices + dependencies). */
ik_status lane_graph_sort(const lane_graph *g, uint32_t *order, bool *acyclic, ik_error *err);
/* A shortest cycle, the same on every run: *cycle [*length] vertices, free() it; NULL, 0: acyclic.
 * Cost O(vertices * dependencies) at worst, mostly far less. */
ik_status lane_graph_cycle(const lane_graph *g, const ik_env *env, uint32_t **cycle, size_t *length,
                           ik_error *err);

#endif
