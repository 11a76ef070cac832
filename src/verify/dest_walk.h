/* SPDX-License-Identifier: Apache-2.0
 *
 * dest_walk.h: what a thread keeps while it walks all packets to one destination after another.
 */
#ifndef IKAT_VERIFY_DEST_WALK_H
#define IKAT_VERIFY_DEST_WALK_H

#include "vc/walk.h"

typedef struct dest_walk {
    walk *walk;
    uint32_t *distance; /* [num_switches] hops to the destination, IK_NONE = not connected */
    uint32_t *queue;    /* [num_switches] */
} dest_walk;

/* One a thread; NULL when out of memory. The plan is borrowed. */
dest_walk *dest_walks_new(const ik_plan *plan, unsigned threads);
void dest_walks_free(dest_walk *walks, unsigned threads);
/* Turns to destination dst: distances are known, no state is. */
void dest_walk_begin(dest_walk *w, const ik_fabric *f, uint32_t dst);

#endif
