/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_select.h: selection functions that prefer the up port named by a digit. */
#ifndef IKAT_ROUTING_TREE_SELECT_H
#define IKAT_ROUTING_TREE_SELECT_H

#include "routing/select/select.h"
#include "routing/tree/tree.h"

/* create and destroy: impl is the tree; IK_ERR_UNSUPPORTED on other fabrics. */
ik_status select_tree_create(ik_selection *s, const ik_params *params, const ik_env *env,
                             ik_error *err);
void select_tree_destroy(ik_selection *s);

/* Cyclic scan from up port `digit` mod num_up; where the packet goes down, from the preferred
 * output. */
uint32_t select_tree_from(const ik_selection *s, uint32_t sw, uint32_t digit, const uint32_t *out,
                          uint32_t n, uint32_t preferred, uint32_t need_bytes, int vc,
                          const ik_view *view);
/* The same among the local ports of a set. */
uint32_t select_tree_among(const ik_selection *s, uint32_t sw, uint32_t digit, const uint64_t *from,
                           unsigned words, uint32_t preferred);

#endif
