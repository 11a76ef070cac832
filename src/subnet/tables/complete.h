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
 * that the plan has not: no data is. */
ik_status complete_tables(const ik_plan *plan, unsigned lane, const ik_lids *lids,
                          const ik_env *env, ik_lid_tables *out, uint32_t *unsafe, ik_error *err);

/* Finds the switches from which a row delivers. next: [switches] the next switch, NEXT_HERE, or
 * IK_NONE: no entry, or one that ends elsewhere. seen: [switches] COMPLETE_DELIVERS if they do, 0
 * if they have no entry, else another number. queue: those that do, each after the next one on its
 * way; returns how many. path: [switches] scratch. */
enum { COMPLETE_DELIVERS = 1 };
uint32_t complete_find_delivering(uint32_t switches, const uint32_t *next, uint8_t *seen,
                                  uint32_t *path, uint32_t *queue);

#endif
