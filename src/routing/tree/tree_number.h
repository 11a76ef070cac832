/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_number.h: numbers of hosts along a tree that keep still when the tree is damaged. */
#ifndef IKAT_ROUTING_TREE_NUMBER_H
#define IKAT_ROUTING_TREE_NUMBER_H

#include "routing/graph/attach.h"

/* A switch's identity: its GUID, or its number where it has none. */
static inline uint64_t tree_number_tree_uuid(const ik_fabric *f, uint32_t sw)
{
    return f->node_guid && f->node_guid[sw] ? f->node_guid[sw] : sw;
}

/* Fills number[num_hosts], all below 2^31: the hosts of a switch together, and the switches below a
 * common one together. On a generated tree, damaged or not, they are the positions in the complete
 * tree. Links must join neighbouring levels. Hosts without a cable to a switch get 0. O(ports + S
 * log S) per level. */
ik_status tree_number_hosts(const ik_fabric *f, const attach *at, uint32_t *number, ik_error *err);

#endif
