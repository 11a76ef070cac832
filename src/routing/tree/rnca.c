/* SPDX-License-Identifier: Apache-2.0
 *
 * rnca.c: draws the digit maps of the random-NCA routings.
 *
 * For every subtree (the digits above level l) an independent map from the m_l values of digit l to
 * the up ports, uniform among the maps that give each port floor or ceil of its share: the multiset
 * {j mod w} with the ports that get one value more drawn at random, shuffled. The map belongs to
 * the subtree, so all pairs agree and endpoint contention stays concentrated.
 *
 * Source: Rodriguez et al., "Oblivious Routing Schemes in Extended Generalized Fat Tree Networks",
 * CLUSTER 2009, section VIII. The printed formula leaves the topmost digit out of the prefix; the
 * text ("at each subtree") is right and is what stands here.
 */
#include "routing/tree/rnca.h"

#include <assert.h>
#include <stdlib.h>

static void rnca_draw_map(ik_rng *rng, uint16_t *map, uint32_t m, uint32_t *ports, uint32_t w,
                          uint32_t *values)
{
    assert(w > 0 && w <= UINT16_MAX + 1u);
    for (uint32_t u = 0; u < w; u++)
        ports[u] = u;
    ik_rng_shuffle_u32(rng, ports, w);
    for (uint32_t j = 0; j < m; j++)
        values[j] = ports[j % w];
    ik_rng_shuffle_u32(rng, values, m);
    for (uint32_t j = 0; j < m; j++)
        map[j] = (uint16_t)values[j];
}

/* Maps of digit l for level l, or, level 0, of digit 1 for the ports of hosts. */
static ik_status rnca_draw_level(rnca *n, uint64_t seed, uint32_t l, ik_error *err)
{
    assert(!n->up[l] && l <= n->tree->xgft->h);
    const ik_xgft *x = n->tree->xgft;
    uint32_t digit = l ? l : 1, m = x->m[digit - 1],
             w = l ? n->tree->level[l].num_up : x->w[0] * x->p[0];
    uint32_t digits = x->prod_m[x->h] / x->prod_m[digit - 1];
    uint32_t *work = ik_calloc((size_t)m + w, sizeof *work);
    n->up[l] = ik_calloc(digits, sizeof *n->up[l]);
    if (!work || !n->up[l]) {
        free(work);
        return ik_fail_memory(err, digits * sizeof *n->up[l], "digit maps");
    }
    for (uint32_t first = 0; first < digits; first += m) {
        ik_rng rng = ik_rng_at(seed, IK_RNG_ROUTE_SETUP, (uint64_t)l << 32 | first);
        rnca_draw_map(&rng, n->up[l] + first, m, work, w, work + w);
    }
    free(work);
    return IK_OK;
}

ik_status rnca_create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params, (void)env;
    rnca *n = ik_calloc(1, sizeof *n);
    if (!n)
        return ik_fail_memory(err, sizeof *n, "a routing");
    r->impl = n;
    ik_status status = tree_new(r->fabric, r->family->name, &n->tree, err);
    if (status == IK_OK && ik_fabric_has_rails(r->fabric))
        status = rnca_draw_level(n, r->seed, 0, err);
    for (uint32_t l = 1; status == IK_OK && l < n->tree->xgft->h; l++)
        if (n->tree->level[l].num_up > UINT16_MAX)
            status = ik_fail(err, IK_ERR_UNSUPPORTED, "a switch has %s; digit maps hold %d",
                             IK_COUNT(n->tree->level[l].num_up, "up port"), UINT16_MAX);
        else
            status = rnca_draw_level(n, r->seed, l, err);
    return status;
}

void rnca_destroy(ik_routing *r)
{
    rnca *n = r->impl;
    if (!n)
        return;
    for (size_t l = 0; l <= IK_XGFT_MAX_H; l++)
        free(n->up[l]);
    tree_free(n->tree);
    free(n);
}
