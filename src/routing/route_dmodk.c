/* SPDX-License-Identifier: Apache-2.0
 *
 * D-mod-k: the destination's digits choose the way up.
 *
 * At a level-l switch a packet that must go up takes up port M_l(d) mod w_{l+1}; down there is one way. All packets for one
 * host meet at one root, so the down links of a full tree carry one destination each. No table: a handful of instructions.
 *
 * Sources: Gomez, Gilabert, Gomez, Lopez, Duato, "Deterministic versus Adaptive Routing in Fat-Trees", IPDPS 2007 (k-ary
 * n-trees); Rodriguez et al., "Oblivious Routing Schemes in Extended Generalized Fat Tree Networks", CLUSTER 2009 (any XGFT).
 * Departure: with p parallel cables the digit is taken mod w * p, and a packet goes down by the cable its destination's switch
 * would go up by.
 */
#include "routing/tree.h"

static uint32_t next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk, uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const tree *t = r->impl;
    const tree_switch *s = &t->sw[sw];
    const tree_level *lv = &t->level[s->level];
    *preferred = 0;
    if (!tree_is_below(s, lv, pk->dst)) {
        out[0] = s->port_base + lv->first_up + tree_digit_up(lv, pk->dst);
        return 1;
    }
    uint32_t cable = 0;
    if (lv->num_cables > 1 && s->level > 1)
        cable = tree_digit_up(lv - 1, pk->dst) / lv->num_parents;
    out[0] = tree_down(s, lv, pk->dst, cable);
    return 1;
}

static const char *const examples[] = {
    "karytree:k=2,n=3", "karytree:k=4,n=2", "xgft:m=3:4,w=1:2", "xgft:m=4:3:2,w=1:2:3", "rlft:ports=8,levels=3", NULL,
};
static const char *const refused[] = {"ring:n=5", "karytree:k=2,n=3,fail=10%", NULL};

const ik_routing_family ik_routing_dmodk = {
    .name = "dmodk",
    .summary = "up by the digits of the destination (D-mod-k), computed without tables",
    .source = "Gomez, Gilabert, Gomez, Lopez, Duato: Deterministic versus Adaptive Routing in Fat-Trees, IPDPS 2007; Rodriguez, "
              "Minkenberg, Beivide, Luijten, Labarta, Valero: Oblivious Routing Schemes in Extended Generalized Fat Tree "
              "Networks, CLUSTER 2009",
    .details =
        "A level-l switch sends a packet for host d up by port M_l(d) mod w_{l+1}, where M_l is d's digit at level l. With p "
        "parallel cables the digit is taken mod w*p and the cable down is the one that the lower switch would go up by.\n\n"
        "Needs an undamaged generated tree; dmodc serves damaged and imported ones.",
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_ARITHMETIC,
    .example_fabrics = examples,
    .refused_fabrics = refused,
    .create = tree_routing_create,
    .destroy = tree_routing_destroy,
    .next = next,
};
