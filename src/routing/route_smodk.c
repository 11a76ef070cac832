/* SPDX-License-Identifier: Apache-2.0
 *
 * S-mod-k: the source's digits choose the way up.
 *
 * As D-mod-k with the roles exchanged: a level-l switch sends a packet of host s up by port M_l(s) mod w_{l+1}, so a host's
 * traffic shares up links with nobody beyond the concentration, while packets for one host come down from many roots.
 *
 * Source: Rodriguez et al., "Oblivious Routing Schemes in Extended Generalized Fat Tree Networks", CLUSTER 2009.
 * Departure: with p parallel cables the digit is taken mod w * p; a packet goes down by the cable numbered as on its way up.
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
        out[0] = s->port_base + lv->first_up + tree_digit_up(lv, pk->src);
        return 1;
    }
    uint32_t cable = 0;
    if (lv->num_cables > 1 && s->level > 1)
        cable = tree_digit_up(lv - 1, pk->src) / lv->num_parents;
    out[0] = tree_down(s, lv, pk->dst, cable);
    return 1;
}

static const char *const examples[] = {
    "karytree:k=2,n=3", "karytree:k=4,n=2", "xgft:m=3:4,w=1:2", "xgft:m=4:3:2,w=1:2:3", "rlft:ports=8,levels=3", NULL,
};
static const char *const refused[] = {"ring:n=5", "karytree:k=2,n=3,fail=10%", NULL};

const ik_routing_family ik_routing_smodk = {
    .name = "smodk",
    .summary = "up by the digits of the source (S-mod-k), computed without tables",
    .source = "Rodriguez, Minkenberg, Beivide, Luijten, Labarta, Valero: Oblivious Routing Schemes in Extended "
              "Generalized Fat Tree Networks, CLUSTER 2009",
    .details =
        "A level-l switch sends a packet of host s up by port M_l(s) mod w_{l+1}. With p parallel cables the digit is taken "
        "mod w*p and the cable down has the number of the cable up.\n\nNeeds an undamaged generated tree. The output depends on "
        "the source, so there is no forwarding table by destination.",
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_ARITHMETIC | IK_ROUTE_IGNORES_HOPS,
    .example_fabrics = examples,
    .refused_fabrics = refused,
    .create = tree_routing_create,
    .destroy = tree_routing_destroy,
    .next = next,
};
