/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of a fabric's cabling.
 */
#ifndef IKAT_CAB_FINDINGS_H
#define IKAT_CAB_FINDINGS_H

#include "ikat/cabling.h"
#include "topology/cabling/cab_graph.h"

/* Appends a finding. */
ik_status cab_finding(ik_cabling *c, ik_severity severity, const char *code, uint32_t port,
                      uint32_t node, ik_error *err, const char *format, ...) IK_PRINTF(7, 8);
/* The changes, as findings; `by`: "the plan", or the family. */
ik_status cab_tell_changes(ik_cabling *c, const ik_fabric *f, const char *by, ik_error *err);
/* Of a fabric that may resemble a family by chance: the one change that would make it that, if one
 * does, as a note. */
ik_status cab_tell_resemblance(ik_cabling *c, const ik_fabric *f, ik_error *err);
/* What ik_fabric_judge found, but for missing cables where a plan tells them. */
ik_status cab_tell_judged(ik_cabling *c, const ik_fabric *f, ik_error *err);
/* Ports of switches without a cable, level by level. */
ik_status cab_tell_unused(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err);
/* Nodes that only one of the two has. */
ik_status cab_tell_nodes(ik_cabling *c, const ik_fabric *f, const ik_fabric *plan,
                         const uint32_t *plan_of, const uint32_t *fabric_of, bool named,
                         ik_error *err);
/* Cables that do not join neighbouring levels of what would be a tree without them. */
ik_status cab_tell_crossing(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err);
/* Hosts on switches above the leaves. */
ik_status cab_tell_high_hosts(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err);

/* Without a plan: what names that number rows, and the usual numbers of cables, say is missing. */
ik_status cab_tell_symmetry(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err);

/* Hosts with two cables at the two switches at which most others have them the other way round. */
ik_status cab_tell_rails(ik_cabling *c, const ik_fabric *f, ik_error *err);

/* Of a fabric of no family: cables that are not in as many short cycles as the others like them. */
ik_status cab_tell_cycles(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err);

#endif
