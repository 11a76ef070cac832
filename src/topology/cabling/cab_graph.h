/* SPDX-License-Identifier: Apache-2.0
 *
 * The switches of a fabric as a graph: distinct neighbours, with the number of cables to each.
 */
#ifndef IKAT_CAB_GRAPH_H
#define IKAT_CAB_GRAPH_H

#include "ikat/fabric.h"

typedef struct cab_graph {
    uint32_t num;     /* switches */
    uint32_t *base;   /* [num + 1] */
    uint32_t *to;     /* [base[num]] neighbours of a switch, ascending */
    uint32_t *cables; /* [base[num]] */
    uint32_t *degree; /* [num] cables to switches */
    uint32_t *hosts;  /* [num] cables to hosts */
    uint32_t *ports;  /* [num] with a cable or without */
    uint8_t *kind;    /* [num] only switches of one kind are matched: the level of a tree, else 0 */
    uint64_t links;   /* between switches */
    uint32_t max_degree, max_hosts;
} cab_graph;

/* Zero-initialise or make; free with cab_graph_free. O(ports log radix). */
ik_status cab_graph_make(const ik_fabric *f, cab_graph *out, ik_error *err);
void cab_graph_free(cab_graph *g);
/* The same switches, joined by other cables: ends[2 * i] and [2 * i + 1] are those of cable i, of
 * g->links. */
ik_status cab_graph_joined(const cab_graph *g, const uint32_t *ends, cab_graph *out, ik_error *err);
/* Number of cables between two switches. O(log degree). */
uint32_t cab_graph_cables(const cab_graph *g, uint32_t a, uint32_t b);
/* Hops between all pairs of switches, [num][num], at most 255, which also stands for no way.
 * queue: [num] scratch. O(num * links). */
void cab_graph_distances(const cab_graph *g, uint8_t *hops, uint32_t *queue);
/* Levels of what is most likely a tree, although some cables may contradict: kind[] is set, 1 =
 * leaves. Returns the number of levels, 0: there are no hosts. empty_leaves: switches without hosts
 * that share neighbours with a leaf switch are leaves; else they stand above these neighbours.
 * *crossing: links that do not join neighbouring levels. O(links * levels). */
uint32_t cab_graph_levels(cab_graph *g, bool empty_leaves, uint64_t *crossing);
/* Cables that do not join neighbouring levels. O(links). */
uint64_t cab_graph_crossing(const cab_graph *g);

#endif
