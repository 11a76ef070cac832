/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/growth.h: what has to be done to make one fabric of another one that stands already: which
 * switch takes which place, which cables stay. docs/designing.md defines the numbers.
 */
#ifndef IKAT_GROWTH_H
#define IKAT_GROWTH_H

#include "ikat/fabric.h"

IK_BEGIN_DECLS

/* Every old switch takes the place of one new switch, or is removed if there are more old than new
 * ones. Between two old switches with a cables, whose places have b, min(a, b) cables stay; all
 * other old ones are moved or removed, and all other new ones are pulled. Cables of hosts are not
 * counted here. */
typedef struct ik_growth {
    uint32_t old_switches, new_switches, matched; /* matched: the lesser of both */
    uint64_t old_cables, new_cables, kept;        /* between switches */
    uint64_t most_kept;                           /* no matching keeps more */
    uint32_t num_hosts;                           /* of the old fabric */
    uint32_t moved_hosts, least_moved_hosts;      /* change their switch; at least so many do */
    uint32_t *place; /* [old_switches] the new switch; IK_NONE: it is removed */
    bool *moves;     /* [num_hosts] whether a host changes its switch */
} ik_growth;

/* Matches switches so that many cables stay, those of hosts included: the best of several
 * beginnings (by level, group and number; by level and number; neighbour by neighbour; with one
 * switch at one place), each improved by exchanges until none helps or a fixed amount of work is
 * done. So `kept` is one matching's, and at most `most_kept`, which follows from the numbers of
 * cables of switches and of pairs of switches alone; where they are equal it is the most. The same
 * fabrics always give the same matching. IK_ERR_UNSUPPORTED: hosts with several cables;
 * IK_ERR_MEMORY, IK_ERR_CANCELLED. Cost at most some seconds, memory O(ports). Free with
 * ik_growth_free. */
ik_status ik_growth_measure(const ik_fabric *from, const ik_fabric *to, const ik_env *env,
                            ik_growth *out, ik_error *err);
void ik_growth_free(ik_growth *g);

IK_END_DECLS
#endif
