/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.h: the switch graph of a fabric as plain compressed rows, and its classes of twins.
 */
#ifndef IK_GRAPH_H
#define IK_GRAPH_H

#include "ikat/fabric.h"

/* Neighbours ascending; parallel links are one entry with a multiplicity. Loops are left out. */
typedef struct graph {
    uint32_t n;
    size_t *base;    /* [n + 1] */
    uint32_t *to;    /* [base[n]] */
    uint32_t *links; /* [base[n]] parallel links */
    uint32_t *hosts; /* [n] hosts on the switch, one for each of their cables */
    uint32_t *count; /* [n] switches that the vertex stands for: 1, or the size of a twin class */
} graph;

ik_status graph_of_switches(const ik_fabric *f, graph *out, ik_error *err);
void graph_free(graph *g);
/* Merges twins (vertices with equal neighbour lists, multiplicities included, and equal numbers of
 * hosts). Twins have equal distances to everything else, and distance 2 among themselves (if they
 * have a neighbour). class_of: [g->n], may be NULL. */
ik_status graph_merge_twins(const graph *g, graph *out, uint32_t *class_of, ik_error *err);
/* Hosts that hang on no switch. */
uint32_t graph_lost_hosts(const ik_fabric *f);

#endif
