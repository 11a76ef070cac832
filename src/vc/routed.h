/* SPDX-License-Identifier: Apache-2.0
 *
 * routed.h: VC schemes whose layers the routing chose itself (nue, frugal).
 */
#ifndef IKAT_VC_ROUTED_H
#define IKAT_VC_ROUTED_H

#include "vc/layers.h"

/* The layer of packets between two hosts. */
typedef unsigned (*routed_layer_fn)(const ik_routing *r, uint32_t src, uint32_t dst);
typedef struct routed_layers {
    unsigned num;
    const uint64_t *load; /* [num] switch-to-switch hops of uniform traffic; borrowed */
    routed_layer_fn layer;
    bool both; /* both directions of two hosts have one layer */
} routed_layers;
/* IK_ERR_UNSUPPORTED unless the routing is of the family that bears the scheme's name. */
ik_status routed_check(const ik_vc *v, ik_error *err);
/* Makes v->impl; spare VCs split the layers with most traffic: by source, or where both directions
 * have one layer, by both hosts' switches alike. Free with lanes_free_impl. */
ik_status routed_make(ik_vc *v, const routed_layers *layers, ik_error *err);
void routed_inject(const ik_vc *v, ik_packet *pk);
double routed_share(const ik_vc *v, unsigned vc);

#endif
