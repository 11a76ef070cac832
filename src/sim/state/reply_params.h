/* SPDX-License-Identifier: Apache-2.0
 *
 * state/reply_params.h: the parameters of requests and replies. */
#ifndef IKAT_SIM_REPLY_PARAMS_H
#define IKAT_SIM_REPLY_PARAMS_H

#include "sim/state/state.h"

/* Doubles the plan's VCs where replies are asked for: s->plan and s->vcs. Before everything that
 * depends on them. */
ik_status sim_split_vcs(sim *s, const ik_params *adapter, ik_error *err);
/* Once packets and queues of adapters are known. */
ik_status sim_resolve_replies(sim *s, const ik_params *adapter, ik_error *err);
/* Once the time of the run is known: packets of a host can be numbered. */
ik_status sim_check_reply_numbers(const sim *s, ik_error *err);

#endif
