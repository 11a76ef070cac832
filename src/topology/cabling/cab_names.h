/* SPDX-License-Identifier: Apache-2.0
 *
 * Which node of a fabric is which node of a plan, by GUID and by name.
 */
#ifndef IKAT_CAB_NAMES_H
#define IKAT_CAB_NAMES_H

#include "ikat/fabric.h"

/* plan_of [nodes of f] and fabric_of [nodes of the plan] are set, IK_NONE = not found; *switches:
 * how many switches were. O(nodes log nodes). */
ik_status cab_names_match(const ik_fabric *f, const ik_fabric *plan, uint32_t *plan_of,
                          uint32_t *fabric_of, uint32_t *switches, ik_error *err);

#endif
