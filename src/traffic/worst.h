/* SPDX-License-Identifier: Apache-2.0
 *
 * worst.h: adversarial pairings of switches.
 */
#ifndef IK_WORST_H
#define IK_WORST_H

#include "ikat/fabric.h"

/* The switches with hosts, their neighbours, and all-pairs questions answered by bit rows. */
typedef struct worst_graph {
    const ik_fabric *f;
    uint32_t n;          /* switches */
    uint32_t *hosts;     /* [n] */
    uint32_t *base, *to; /* neighbours, ascending, each once */
} worst_graph;
ik_status worst_graph_of(const ik_fabric *f, worst_graph *g, ik_error *err);
void worst_graph_free(worst_graph *g);
bool worst_adjacent(const worst_graph *g, uint32_t a, uint32_t b);

/* partner[sw] = the switch whose hosts sw's hosts send to, IK_NONE = silent. */
/* Quads A-B-C-D: A and C exchange through their only common neighbour B, B and D through C, so the
 * link B-C carries both. */
ik_status worst_quads(const worst_graph *g, uint64_t seed, uint32_t *partner, ik_error *err);
/* Of the permutations of the switches with hosts that match as many as can be matched, one with the
 * largest sum of distances, of which those over 255 count as 255. A switch is never matched with
 * itself, or where no path leads. IK_ERR_CANCELLED; IK_ERR_UNSUPPORTED of more than 8,192 switches
 * with hosts. Cost: seconds at most for thousands of switches, and a byte per pair of them. */
ik_status worst_longest(const worst_graph *g, const ik_env *env, uint32_t *partner, ik_error *err);

#endif
