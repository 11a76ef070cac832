/* SPDX-License-Identifier: Apache-2.0
 *
 * D-mod-K for parallel-ported trees: the quotient of the destination by the parents below chooses
 * parent and cable.
 *
 * A level-l switch sends a packet for host d up by port (d / (w_1 … w_l)) mod (w_{l+1} p_{l+1}):
 * remainder mod w is the parent, quotient the cable. Down, cable (d / (w_1 … w_l)) mod p_l leads to
 * the child that d is below. Every shift permutation has contention 1 on trees of constant
 * bandwidth, parallel cables or not.
 *
 * Source: Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI
 * global collectives", J. Parallel Distrib. Comput. 2012. Equals the digit rule of `dmodk` where p
 * = 1 and the products of m_i and w_{i+1} agree; on slimmed trees the two differ.
 */
#include "routing/tree/tree.h"

#include <stdlib.h>

typedef struct pgft {
    /* first: the destroy of other tree routings does not fit */
    tree *tree;
    tree_reciprocal parents[IK_XGFT_MAX_H + 1]; /* w_1 … w_l */
    tree_reciprocal cables[IK_XGFT_MAX_H + 1];  /* p_l */
} pgft;

static void dmodk_pgft_destroy(ik_routing *r)
{
    pgft *p = r->impl;
    if (p)
        tree_free(p->tree);
    free(p);
}

static ik_status dmodk_pgft_create(ik_routing *r, const ik_params *params, const ik_env *env,
                                   ik_error *err)
{
    (void)params, (void)env;
    pgft *p = ik_calloc(1, sizeof *p);
    if (!p)
        return ik_fail_memory(err, sizeof *p, "a routing");
    r->impl = p;
    ik_status status = tree_new(r->fabric, r->family->name, &p->tree, err);
    if (status != IK_OK)
        return status;
    const ik_xgft *x = p->tree->xgft;
    for (uint32_t l = 1; l <= x->h; l++) {
        p->parents[l] = tree_reciprocal_of(x->prod_w[l]);
        p->cables[l] = tree_reciprocal_of(x->p[l - 1]);
    }
    return IK_OK;
}

static uint32_t dmodk_pgft_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                                uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const pgft *p = r->impl;
    const tree_switch *s = &p->tree->sw[sw];
    const tree_level *lv = &p->tree->level[s->level];
    uint32_t quotient = tree_quotient(pk->dst, &p->parents[s->level]);
    *preferred = 0;
    if (tree_is_below(s, lv, pk->dst))
        out[0] =
            tree_down_here(s, lv, pk->dst,
                           lv->num_cables > 1 ? tree_remainder(quotient, &p->cables[s->level]) : 0);
    else
        out[0] = s->port_base + lv->first_up + tree_remainder(quotient, &lv->up);
    return 1;
}

/* The rule at level 0: d mod (w_1 p_1). */
static uint32_t dmodk_pgft_rail(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports)
{
    (void)r, (void)src;
    return dst % num_ports;
}

static const char *const examples[] = {
    "karytree:k=2,n=3",     "pgft:m=4:4,w=1:2,p=1:2", "pgft:m=4:4:4,w=1:4:2,p=1:1:2",
    "xgft:m=4:3:2,w=1:2:3", "rlft:ports=8,levels=3",  NULL,
};
static const char *const refused[] = {"ring:n=5", "karytree:k=2,n=3,fail=10%", NULL};

const ik_routing_family ik_routing_dmodk_pgft = {
    .name = "dmodk_pgft",
    .summary = "D-mod-K for trees with parallel cables: the destination gives both the parent and "
               "the cable",
    .source = "Zahavi: Fat-tree routing and node ordering providing contention free traffic for "
              "MPI global collectives, Journal of Parallel and Distributed Computing 2012",
    .details = "A level-l switch sends a packet for host d up by port q = (d / (w_1...w_l)) mod "
               "(w_{l+1} p_{l+1}), which is cable q / w_{l+1} to parent q mod w_{l+1}; down, cable "
               "(d / (w_1...w_l)) mod p_l is taken. Hosts with several ports send and receive "
               "through port d mod (w_1 p_1).\n\nThe routes are the same as those of dmodk on "
               "k-ary n-trees and on full trees without parallel cables, and different on slimmed "
               "trees. Needs a generated tree without failures.",
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_ARITHMETIC | IK_ROUTE_ASCENDS_ALIKE,
    .example_fabrics = examples,
    .refused_fabrics = refused,
    .create = dmodk_pgft_create,
    .destroy = dmodk_pgft_destroy,
    .next = dmodk_pgft_next,
    .rail = dmodk_pgft_rail,
};
