/* SPDX-License-Identifier: Apache-2.0
 *
 * adaptive.h: the parameters of adaptive routing on trees and the set of up ports that they
 * allow. */
#ifndef IKAT_ROUTING_ADAPTIVE_H
#define IKAT_ROUTING_ADAPTIVE_H

#include "routing/tree/tree.h"

#include <assert.h>

enum { FILTER_DIGIT, FILTER_DESTINATION, FILTER_PORT };
enum { TRIGGER_SELECTION, TRIGGER_NONE, TRIGGER_ONE, TRIGGER_TWO };

typedef struct adaptive {
    tree *tree;
    uint32_t stages; /* bit l: switches of level l choose among up ports */
    uint32_t delta;
    unsigned filter, trigger;
    tree_reciprocal by_delta;
    double low, high; /* thresholds as fractions of a queue */
} adaptive;

/* The first up port that the port filter keeps for host dst, if there are so many; every delta-th
 * one behind it is kept, too. */
static inline uint32_t adaptive_first_kept(const adaptive *a, const tree_level *lv, uint32_t dst)
{
    uint32_t class = a->filter == FILTER_DIGIT  ? tree_digit(lv, dst)
                     : a->filter == FILTER_PORT ? tree_digit_up(lv, dst)
                                                : dst;
    return tree_remainder(class, &a->by_delta);
}

/* Does the port filter keep up port u (0 … num_up-1) for host dst? */
static inline bool adaptive_keeps(const adaptive *a, const tree_level *lv, uint32_t dst, uint32_t u)
{
    assert(u < lv->num_up);
    return tree_remainder(u, &a->by_delta) == adaptive_first_kept(a, lv, dst);
}

/* pick() of the triggered variants; state: one bit a VC and up port. */
uint32_t adaptive_pick(const ik_routing *r, uint32_t sw, const ik_packet *pk, const uint32_t *out,
                       uint32_t n, uint32_t preferred, const ik_view *view, void *switch_state);
size_t adaptive_state_bytes(const ik_routing *r, uint32_t sw);

#endif
