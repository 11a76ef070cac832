/* SPDX-License-Identifier: Apache-2.0
 *
 * rnca.h: random relabelling of digits for the random-NCA routings. */
#ifndef IKAT_ROUTING_RNCA_H
#define IKAT_ROUTING_RNCA_H

#include "routing/tree/tree.h"

#include <assert.h>

typedef struct rnca {
    tree *tree;
    /* [level][x / (hosts below a child)]: up port of a switch at the level for host x; level 0: [x]
     * the port of hosts with several */
    uint16_t *up[IK_XGFT_MAX_H + 1];
} rnca;

ik_status rnca_create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err);
void rnca_destroy(ik_routing *r);

static inline uint32_t rnca_rail(const ik_routing *r, uint32_t x)
{
    const rnca *n = r->impl;
    assert(n->up[0]);
    return n->up[0][x];
}

/* The routing function with x = source or destination. */
static inline uint32_t rnca_next(const ik_routing *r, uint32_t sw, uint32_t dst, uint32_t x,
                                 uint32_t *out, uint32_t *preferred)
{
    const rnca *n = r->impl;
    const tree_switch *s = &n->tree->sw[sw];
    const tree_level *lv = &n->tree->level[s->level];
    *preferred = 0;
    if (!tree_is_below(s, lv, dst)) {
        out[0] = s->port_base + lv->first_up + n->up[s->level][tree_quotient(x, &lv->child)];
        return 1;
    }
    uint32_t cable = 0;
    if (lv->num_cables > 1 && s->level > 1)
        cable = n->up[s->level - 1][tree_quotient(x, &lv[-1].child)] / lv->num_parents;
    out[0] = tree_down_here(s, lv, dst, cable);
    return 1;
}

#endif
