/* SPDX-License-Identifier: Apache-2.0
 *
 * state/level_params.h: the parameters of classes with priorities. */
#ifndef IKAT_SIM_LEVEL_PARAMS_H
#define IKAT_SIM_LEVEL_PARAMS_H

#include "sim/state/state.h"

/* Gives every priority a copy of the plan's VCs: s->plan, s->vcs and s->levels. Before everything
 * that depends on them. */
ik_status sim_resolve_levels(sim *s, const ik_params *sw, const ik_params *adapter, ik_error *err);

#endif
