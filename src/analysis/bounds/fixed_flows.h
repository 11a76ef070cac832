/* SPDX-License-Identifier: Apache-2.0
 *
 * fixed_flows.h: flows whose paths no queue chooses, all in memory. */
#ifndef IK_FIXED_FLOWS_H
#define IK_FIXED_FLOWS_H

#include "ikat/routing.h"
#include "ikat/traffic.h"

/* Whether the paths of an endless pattern are fixed, and its flows at most 262,144. No host of
 * several cables sends to itself: by which of them is not known. */
bool fixed_flows_known(const ik_routing *r, const ik_traffic *t);
/* One thread, without progress, with env's seed, limit and flag (NULL: none). */
ik_env fixed_flows_env(const ik_env *env);

#endif
