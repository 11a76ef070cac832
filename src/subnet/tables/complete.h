/* SPDX-License-Identifier: Apache-2.0
 *
 * complete.h: completing tables where the lane that performance queries share is not the plan's
 * first.
 */
#ifndef IKAT_SUBNET_COMPLETE_H
#define IKAT_SUBNET_COMPLETE_H

#include "ikat/subnet.h"

/* In place of a switch's next link, or next switch, to a destination: it, or a host that is it,
 * hangs on this switch. */
#define NEXT_HERE (IK_NONE - 1)

/* ik_lid_tables_complete() where data of this lane of the plan is on lane 0 of the subnet; a lane
 * that the plan has not: no data is. unsafe_of (may be NULL): [lids->num] the first LIDs of hosts'
 * ports to which the ways close a cycle with others. */
ik_status complete_tables(const ik_plan *plan, unsigned lane, const ik_lids *lids,
                          const ik_env *env, ik_lid_tables *out, uint32_t *unsafe, bool *unsafe_of,
                          ik_error *err);

#endif
