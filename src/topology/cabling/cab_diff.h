/* SPDX-License-Identifier: Apache-2.0
 *
 * From the differences between a fabric and its plan to the cables that have to be moved.
 */
#ifndef IKAT_CAB_DIFF_H
#define IKAT_CAB_DIFF_H

#include "ikat/cabling.h"
#include "topology/cabling/cab_match.h"

/* Appends a change; its ports may be IK_NONE. */
ik_status cab_change_add(ik_cabling *c, ik_cable_change change, ik_error *err);
/* Differences in which switches are joined by how many cables; ports do not count. Adds changes,
 * sets missing and wrong. O(links + differences^2 * degree). */
ik_status cab_diff_switches(const ik_fabric *f, const cab_graph *g, const cab_graph *p,
                            const cab_match *m, ik_cabling *out, ik_error *err);
/* Differences in which port is cabled to which, hosts included. plan_of [nodes of f], fabric_of
 * [nodes of the plan]; IK_NONE = has no partner: its cables are left as they are. O(ports *
 * radix). */
ik_status cab_diff_ports(const ik_fabric *f, const ik_fabric *plan, const uint32_t *plan_of,
                         const uint32_t *fabric_of, ik_cabling *out, ik_error *err);

#endif
