/* SPDX-License-Identifier: Apache-2.0
 *
 * state/reorder_params.h: the parameters of in-order delivery, resolved. */
#ifndef IKAT_SIM_REORDER_PARAMS_H
#define IKAT_SIM_REORDER_PARAMS_H

#include "sim/state/state.h"

/* After plan and adapter; v: the adapter's parameters. May give the adapter a queue for each
 * destination. */
ik_status sim_resolve_reorder(sim *s, const ik_params *v, ik_error *err);
/* The delays of messages about reorder space. least: the smallest latency of a link; shortest: the
 * shortest transmission of a full packet, ps. */
ik_status sim_resolve_control(sim *s, uint64_t least, uint64_t shortest, ik_error *err);

#endif
