/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_graph.h: dependencies between channels of switches on their VLs, one bit each, and a
 * shortest cycle of them. A vertex is a (channel between two switches, VL).
 */
#ifndef IKAT_SUBNET_LANE_GRAPH_H
#define IKAT_SUBNET_LANE_GRAPH_H

#include "ikat/fabric.h"

#include <assert.h>

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

/* Words of all rows. */
static inline uint64_t lane_graph_size(const lane_graph *g)
{
    return g->row[g->num_channels];
}
/* The word and the bit of a dependency; sw: the switch that `port` leads to. */
static inline uint64_t *lane_graph_find_bit(const lane_graph *g, uint32_t port, unsigned vl,
                                            uint32_t sw, uint32_t onward, unsigned onward_vl,
                                            uint64_t *mask)
{
    uint32_t channel = g->channel_of[port];
    uint64_t bit = (uint64_t)(onward - g->f->port_base[sw]) * g->vls + onward_vl;
    assert(channel != IK_NONE && g->f->port_node[g->f->port_peer[port]] == sw);
    assert(g->f->port_node[onward] == sw && vl < g->vls && onward_vl < g->vls);
    *mask = UINT64_C(1) << bit % 64;
    return g->bits + g->row[channel] + (vl ? vl * lane_graph_words(g, channel) : 0) + bit / 64;
}

static inline void lane_graph_set_bit(uint64_t *word, uint64_t mask)
{
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & mask))
        __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
}

/* A packet that holds (port, vl) waits for (onward, onward_vl), both sending ports of channels
 * between switches, with switch sw between them. Any number of threads may add. */
static inline void lane_graph_add(lane_graph *g, uint32_t port, unsigned vl, uint32_t sw,
                                  uint32_t onward, unsigned onward_vl)
{
    uint64_t mask, *word = lane_graph_find_bit(g, port, vl, sw, onward, onward_vl, &mask);
    lane_graph_set_bit(word, mask);
}
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
