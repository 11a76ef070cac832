/* SPDX-License-Identifier: Apache-2.0
 *
 * routing/compact/cowen.h: what Cowen's tables are made from, whatever alpha is.
 */
#ifndef IKAT_ROUTING_COWEN_H
#define IKAT_ROUTING_COWEN_H

#include "routing/graph/links.h"

#define NO_LINK UINT16_MAX

/* What does not depend on alpha. */
typedef struct cowen_graph {
    links g;
    uint8_t *dist; /* [u][v] */
    /* [v][u] local link index of u's next hop towards v, the smallest-id neighbour; NO_LINK */
    uint16_t *succ;
    uint32_t *order; /* [v][n] switches by (distance to v, id); unconnected ones last */
    unsigned variant;
    bool self;
} cowen_graph;

/* Fills *c but for variant and self. Free with cowen_graph_free, after a failure too. */
ik_status cowen_graph_build(const ik_fabric *f, const ik_env *env, cowen_graph *c, ik_error *err);
void cowen_graph_free(cowen_graph *c);

#endif
