/* SPDX-License-Identifier: Apache-2.0
 *
 * Switches of a fabric and a plan that are alike seen from a few chosen ones, although some cables
 * differ.
 */
#ifndef IKAT_CAB_LANDMARKS_H
#define IKAT_CAB_LANDMARKS_H

#include "topology/cabling/cab_graph.h"

typedef struct cab_landmarks {
    const cab_graph *f, *p;
    uint32_t *walks_f, *walks_p; /* [num][num] what leads from one to the other, hashed */
} cab_landmarks;

/* Counts walks of up to `depth` (2 or 3) cables. Free with cab_landmarks_free. Cost O(switches *
 * links), memory 4 bytes per pair. */
ik_status cab_landmarks_make(const cab_graph *f, const cab_graph *p, unsigned depth,
                             cab_landmarks *out, ik_error *err);
void cab_landmarks_free(cab_landmarks *l);
/* known[switches of f]: the switch of the plan that alone looks like this one, else IK_NONE;
 * `start` draws the first landmark. Cost O(switches^2 * log(switches)). */
ik_status cab_landmarks_choose(const cab_landmarks *l, unsigned start, uint32_t *known,
                               ik_error *err);
/* How many comparisons of two switches that is worth, as those of a vote. */
double cab_landmarks_choose_looks(const cab_landmarks *l);
/* known[switches of f]: the switch of the plan that most switches with a partner, plan_of, speak
 * for. Cost O(switches^2), times 256 partners. */
ik_status cab_landmarks_vote(const cab_landmarks *l, const uint32_t *plan_of, uint32_t *known,
                             ik_error *err);
/* Comparisons of two switches, by as many partners, that a vote takes. */
double cab_landmarks_vote_looks(const cab_landmarks *l);

#endif
