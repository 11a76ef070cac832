/* SPDX-License-Identifier: Apache-2.0
 *
 * What one thread finds out about the pairs it walks; sums and minima only, so that merging does
 * not depend on the order.
 */
#ifndef IKAT_VERIFY_TALLY_H
#define IKAT_VERIFY_TALLY_H

#include "ikat/verify.h"
#include "vc/walk.h"

#include <assert.h>

typedef struct tally {
    uint64_t undelivered, loops, unconnected, not_minimal;
    uint32_t first_src, first_dst; /* lowest undelivered pair, IK_NONE if none */
    uint32_t max_hops;
    uint64_t *lengths; /* [num_lengths] by hops of the preferred path */
    size_t num_lengths;
    uint64_t vcs[IK_MAX_VCS / 64]; /* VCs seen */
} tally;

void tally_init(tally *t);
void tally_free(tally *t);
/* `weight` pairs like (src, dst), of which this is the lowest, whose switches are `distance` hops
 * apart (IK_NONE: not connected) and whose paths together are `all`. */
void tally_pair(tally *t, uint32_t src, uint32_t dst, uint64_t weight, uint32_t distance,
                const walk_outcome *all);
/* `weight` initial states whose preferred path has this many hops. */
ik_status tally_length(tally *t, uint32_t hops, uint64_t weight, ik_error *err);
static inline void tally_vc(tally *t, unsigned vc)
{
    assert(vc < IK_MAX_VCS);
    t->vcs[vc / 64] |= (uint64_t)1 << vc % 64;
}
/* Adds `from` to `into`. */
ik_status tally_merge(tally *into, const tally *from, ik_error *err);

/* Hops from every switch to the nearest switch that dst has a cable to; IK_NONE = not connected.
 * distance and queue: [num_switches]. */
void tally_distances(const ik_fabric *f, uint32_t dst, uint32_t *distance, uint32_t *queue);

#endif
