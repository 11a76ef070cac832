/* SPDX-License-Identifier: Apache-2.0
 *
 * D-mod-k: the destination's digits choose the way up.
 *
 * At a level-l switch a packet that must go up takes up port M_l(d) mod w_{l+1}; down there is one
 * way. All packets for one host meet at one root, so the down links of a full tree carry one
 * destination each. No table: a handful of instructions.
 *
 * Sources: Gomez, Gilabert, Gomez, Lopez, Duato, "Deterministic versus Adaptive Routing in
 * Fat-Trees", IPDPS 2007 (k-ary n-trees); Rodriguez et al., "Oblivious Routing Schemes in Extended
 * Generalized Fat Tree Networks", CLUSTER 2009 (any XGFT). Departure: with p parallel cables the
 * digit is taken mod w * p, and a packet goes down by the cable its destination's switch would go
 * up by.
 */
#include "routing/tree/tree.h"

static uint32_t dmodk_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                           uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    return tree_digit_next(r->impl, sw, pk->dst, pk->dst, out, preferred);
}

const ik_routing_family ik_routing_dmodk = {
    .name = "dmodk",
    .summary = "D-mod-k: goes up by the digits of the destination; computed, without tables",
    .source = "Gomez, Gilabert, Gomez, Lopez, Duato: Deterministic versus Adaptive Routing in "
              "Fat-Trees, IPDPS 2007; Rodriguez, Minkenberg, Beivide, Luijten, Labarta, Valero: "
              "Oblivious Routing Schemes in Extended Generalized Fat Tree Networks, CLUSTER 2009",
    .details =
        "A level-l switch sends a packet for host d up by port M_l(d) mod w_{l+1}, where "
        "M_l is d's digit at level l. With p parallel cables the digit is taken mod w*p and the "
        "cable down is the one that the lower switch would use to go up. Hosts with several ports: "
        "both the source and the destination use port r_0 = M_1(d) mod (w_1 p_1).\n\n"
        "Needs a generated tree without failures; use dmodc for damaged and imported trees.",
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_ARITHMETIC | IK_ROUTE_ASCENDS_ALIKE,
    .example_fabrics = tree_examples,
    .refused_fabrics = tree_refused,
    .create = tree_routing_create,
    .destroy = tree_routing_destroy,
    .next = dmodk_next,
    .rail = tree_rail_of_destination,
};
