/* SPDX-License-Identifier: Apache-2.0
 *
 * select.h: what the selection functions share. */
#ifndef IKAT_ROUTING_SELECT_H
#define IKAT_ROUTING_SELECT_H

#include "ikat/routing.h"
#include "routing/port_set.h"

/* First output with room in cyclic order from index `start`: one that is not skipped if there is
 * any, else the first with room; IK_NONE if none has room. */
uint32_t select_first_from(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                           uint32_t n, uint32_t start);

/* Parameter `tie` (lowest|random) of the functions that compare; IK_SELECT_DRAWS for random. */
extern const ik_param select_tie_params[];
ik_status select_tie_create(ik_selection *s, const ik_params *params, const ik_env *env,
                            ik_error *err);

#endif
