/* SPDX-License-Identifier: Apache-2.0
 *
 * lash.h: lanes for paths of which most had one before.
 */
#ifndef IKAT_VC_LASH_H
#define IKAT_VC_LASH_H

#include "ikat/vc.h"

/* The lane that packets of host src for host dst had before. *stays: their path is what it was, and
 * so is the way back. */
typedef struct lash_before {
    unsigned (*lane)(void *ctx, uint32_t src, uint32_t dst, bool *stays);
    void *ctx;
    bool avoid; /* pairs that do not stay take lane 0 last, even if it was theirs */
} lash_before;

/* Makes v->impl, of the family lash, from fabric, routing and num_vcs of v: pairs whose paths stay
 * keep their lanes; each other one gets its own again or the first, lane 0 last, on which packets
 * in both directions, which share a lane, close no cycle. Where a pair finds none, all
 * are placed anew, that pair before those that stay. *moved: pairs of hosts whose paths stay and
 * whose lanes do not.
 * IK_ERR_UNSUPPORTED: several such rounds do not help. Free with v->family->destroy. Cost: rounds
 * of lash over all pairs of hosts, or of switches for routings that are IK_ROUTE_PER_SWITCH. */
ik_status lash_keep(ik_vc *v, lash_before before, uint64_t *moved, const ik_env *env,
                    ik_error *err);

#endif
