/* SPDX-License-Identifier: Apache-2.0
 *
 * Random NCA, up: S-mod-k on randomly relabelled digits of the source (see rnca.c). */
#include "routing/routing.h"
#include "routing/tree/rnca.h"

static uint32_t rnca_up_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                             uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    return rnca_next(r, sw, pk->dst, pk->src, out, preferred);
}

static uint32_t rnca_up_rail(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports)
{
    (void)src, (void)dst, (void)num_ports;
    return rnca_rail(r, src);
}

static const ik_param params[] = {ROUTING_SEED_PARAM, {0}};

const ik_routing_family ik_routing_rnca_up = {
    .name = "rnca_up",
    .summary = "S-mod-k on randomly relabelled digits of the source (r-NCA-u)",
    .source = "Rodriguez, Minkenberg, Beivide, Luijten, Labarta, Valero: Oblivious Routing Schemes "
              "in Extended Generalized Fat Tree Networks, CLUSTER 2009",
    .details = "Every subtree draws a balanced random map from its children to up ports; the "
               "source's mapped digits choose the way up. Keeps the concentration of endpoint "
               "contention of S-mod-k and breaks its resonance with regular patterns.\n\nNeeds a "
               "generated tree without failures.",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_IGNORES_HOPS | IK_ROUTE_ASCENDS_ALIKE,
    .example_fabrics = tree_examples,
    .refused_fabrics = tree_refused,
    .create = rnca_create,
    .destroy = rnca_destroy,
    .next = rnca_up_next,
    .rail = rnca_up_rail,
};
