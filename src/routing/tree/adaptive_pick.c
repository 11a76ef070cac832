/* SPDX-License-Identifier: Apache-2.0
 *
 * adaptive_pick.c: the restricted path selection of Rocher-Gonzalez et al.
 *
 * Port0 is the D-mod-K port. Without threshold the first port with the most credits is taken,
 * scanning from Port0. With one threshold that happens only while Port0 has fewer free credits than
 * the low one, and another port must have more than it. With two, a port that fell below the low
 * threshold stays congested, for everybody at the switch, until it reaches the high one. Credits
 * are those of the packet's own VC downstream. Only ports that the filter keeps are scanned.
 *
 * Source: Rocher-Gonzalez, Escudero-Sahuquillo, Garcia, Quiles, Mora, "Towards an Efficient
 * Combination of Adaptive Routing and Queuing Schemes in Fat-Tree Topologies", J. Parallel Distrib.
 * Comput. 2021, Algorithm 1. Departure: where no queue has credits, the answer is still a port; the
 * packet waits and is asked about again.
 */
#include "ikat/vc.h"
#include "routing/tree/adaptive.h"

#include <assert.h>

enum { FLAG_BYTES = IK_MAX_VCS / 8 };

size_t adaptive_state_bytes(const ik_routing *r, uint32_t sw)
{
    const adaptive *a = r->impl;
    return (size_t)a->tree->level[a->tree->sw[sw].level].num_up * FLAG_BYTES;
}

/* First of the most credits above `least`, scanning from `preferred`; `preferred` if none. */
static uint32_t adaptive_pick_scan(const adaptive *a, const tree_level *lv, uint32_t first_up,
                                   const ik_packet *pk, const uint32_t *out, uint32_t n,
                                   uint32_t preferred, int64_t least, const ik_view *view)
{
    assert(n > 0 && preferred < n);
    uint32_t best = preferred;
    for (uint32_t k = 0, i = preferred; k < n; k++, i = i + 1 == n ? 0 : i + 1) {
        /* Port0 is offered even where the filter drops it, but then only as the way to fall back
         * on. */
        if (i == preferred && a->delta > 1 && !adaptive_keeps(a, lv, pk->dst, out[i] - first_up))
            continue;
        int64_t credits = view->credit_bytes(view->ctx, out[i], pk->vc);
        if (credits <= least)
            continue;
        least = credits;
        best = i;
        if (credits == view->capacity_bytes(view->ctx, out[i], pk->vc))
            break;
    }
    return best;
}

uint32_t adaptive_pick(const ik_routing *r, uint32_t sw, const ik_packet *pk, const uint32_t *out,
                       uint32_t n, uint32_t preferred, const ik_view *view, void *switch_state)
{
    const adaptive *a = r->impl;
    const tree_switch *s = &a->tree->sw[sw];
    const tree_level *lv = &a->tree->level[s->level];
    uint32_t first_up = s->port_base + lv->first_up;
    if (n < 2 || out[0] < first_up)
        return preferred;
    if (a->trigger == TRIGGER_NONE)
        return adaptive_pick_scan(a, lv, first_up, pk, out, n, preferred, 0, view);
    int64_t credits = view->credit_bytes(view->ctx, out[preferred], pk->vc);
    double capacity = (double)view->capacity_bytes(view->ctx, out[preferred], pk->vc);
    bool low = (double)credits < a->low * capacity;
    if (a->trigger == TRIGGER_TWO) {
        uint8_t *flags = (uint8_t *)switch_state + (size_t)(out[preferred] - first_up) * FLAG_BYTES;
        uint8_t bit = (uint8_t)(1u << (pk->vc % 8));
        if (!low && !(flags[pk->vc / 8] & bit))
            return preferred;
        low = (double)credits < a->high * capacity;
        if (low)
            flags[pk->vc / 8] |= bit;
        else
            flags[pk->vc / 8] &= (uint8_t)~bit;
    }
    return low ? adaptive_pick_scan(a, lv, first_up, pk, out, n, preferred,
                                    (int64_t)(a->low * capacity), view)
               : preferred;
}
