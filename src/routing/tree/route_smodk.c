/* SPDX-License-Identifier: Apache-2.0
 *
 * S-mod-k: the source's digits choose the way up.
 *
 * As D-mod-k with the roles exchanged: a level-l switch sends a packet of host s up by port M_l(s)
 * mod w_{l+1}, so a host's traffic shares up links with nobody beyond the concentration, while
 * packets for one host come down from many roots.
 *
 * Source: Rodriguez et al., "Oblivious Routing Schemes in Extended Generalized Fat Tree Networks",
 * CLUSTER 2009. Departure: with p parallel cables the digit is taken mod w * p; a packet goes down
 * by the cable numbered as on its way up.
 */
#include "routing/tree/tree.h"

static uint32_t smodk_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                           uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    return tree_digit_next(r->impl, sw, pk->dst, pk->src, out, preferred);
}

const ik_routing_family ik_routing_smodk = {
    .name = "smodk",
    .summary = "S-mod-k: goes up by the digits of the source; computed, without tables",
    .source = "Rodriguez, Minkenberg, Beivide, Luijten, Labarta, Valero: Oblivious Routing Schemes "
              "in Extended Generalized Fat Tree Networks, CLUSTER 2009",
    .details = "A level-l switch sends a packet of host s up by port M_l(s) mod w_{l+1}. With p "
               "parallel cables the digit is taken mod w*p and the cable down has the number of "
               "the cable up. Hosts with several ports: both the source and the destination use "
               "port r_0 = M_1(s) mod (w_1 p_1).\n\nNeeds a generated tree without failures. The "
               "output depends on the source, so there is no forwarding table by destination.",
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_ARITHMETIC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_ASCENDS_ALIKE,
    .example_fabrics = tree_examples,
    .refused_fabrics = tree_refused,
    .create = tree_routing_create,
    .destroy = tree_routing_destroy,
    .next = smodk_next,
    .rail = tree_rail_of_source,
};
