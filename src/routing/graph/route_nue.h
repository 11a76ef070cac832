/* SPDX-License-Identifier: Apache-2.0
 *
 * route_nue.h: what VC scheme nue asks of routing nue.
 */
#ifndef IKAT_ROUTING_ROUTE_NUE_H
#define IKAT_ROUTING_ROUTE_NUE_H

#include "routing/graph/links.h"

/* Number of layers of a routing of family nue, and the layer of packets between two hosts. */
unsigned nue_num_layers(const ik_routing *r);
unsigned nue_layer(const ik_routing *r, uint32_t src, uint32_t dst);
/* Do both directions of two hosts have one layer? */
bool nue_both_ways(const ik_routing *r);
/* Switch-to-switch hops of uniform traffic in each layer, [nue_num_layers]. */
const uint64_t *nue_layer_load(const ik_routing *r);

#endif
