/* SPDX-License-Identifier: Apache-2.0
 *
 * Which switch of a fabric is which switch of a plan, if most cables are where they should be.
 */
#ifndef IKAT_CAB_MATCH_H
#define IKAT_CAB_MATCH_H

#include "topology/cabling/cab_graph.h"

/* Pairs of a switch of the fabric and one of the plan that are compared at most. */
#define CAB_MOST_PAIRS ((uint64_t)1 << 26)
/* Pairs of neighbours that one try, and that all tries together, look at. */
#define CAB_MOST_STEPS     ((uint64_t)1 << 27)
#define CAB_MOST_ALL_STEPS ((uint64_t)1 << 28)
/* Comparisons of switches from landmarks that one fabric is worth: seconds. */
#define CAB_MOST_LOOKS 4e9

typedef struct cab_match {
    uint32_t *plan_of;   /* [switches of the fabric] switch of the plan, IK_NONE */
    uint32_t *fabric_of; /* [switches of the plan] */
    uint64_t agree;      /* cables between switches that both have */
    uint64_t planned;    /* cables of the plan between switches that are matched */
    uint64_t laid;       /* cables of the fabric between switches that are matched */
    bool tried;          /* the above are of a matching that was made */
    uint64_t work;       /* switches and neighbours that were compared: what it cost */
} cab_match;

/* Grows a matching from one pair of switches, or from those in `known` ([switches of f] switch of
 * the plan or IK_NONE; may be NULL); always the pair that most matched neighbours speak for; then
 * exchanges pairs as long as more cables agree. The best of up to `tries` beginnings.
 * Fewer tries where these would take more than CAB_MOST_ALL_STEPS. If cables are left that should
 * be somewhere else, it begins at landmarks, too (cab_landmarks.h), with about `looks` comparisons
 * of switches; 0 = not at all. IK_ERR_UNSUPPORTED beyond CAB_MOST_PAIRS or CAB_MOST_STEPS. Free
 * with cab_match_free. Cost of one try O(switches * degree^2). */
ik_status cab_match_make(const cab_graph *f, const cab_graph *p, const uint32_t *known,
                         unsigned tries, double looks, cab_match *out, ik_error *err);
/* Does no more differ than two swapped cables, one that was moved, or some that are missing? */
bool cab_match_is_near(const cab_graph *f, const cab_match *m);
void cab_match_free(cab_match *m);

#endif
