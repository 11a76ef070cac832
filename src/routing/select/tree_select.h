/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_select.h: selection functions that prefer the up port named by a digit. */
#ifndef IKAT_ROUTING_TREE_SELECT_H
#define IKAT_ROUTING_TREE_SELECT_H

#include "routing/select/select.h"
#include "routing/tree/tree.h"

/* The digit that names the up port which a packet at switch sw prefers. */
typedef uint32_t (*select_digit)(const tree *t, uint32_t sw, const ik_packet *pk);

/* For create, pick, pick_mask and destroy of a family. IK_ERR_UNSUPPORTED on what is no tree. */
ik_status select_tree_create(ik_selection *s, select_digit digit, ik_error *err);
void select_tree_destroy(ik_selection *s);

/* The up port that the digit names (mod num_up), else the next one with room; where the packet goes
 * down, from the preferred output. */
uint32_t select_tree_pick(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                          uint32_t n, uint32_t preferred);
/* The same among the local ports of a set. */
uint32_t select_tree_pick_mask(const ik_selection *s, const ik_select_request *ask,
                               const uint64_t *from, unsigned words, uint32_t preferred);

#endif
