/* SPDX-License-Identifier: Apache-2.0
 *
 * state/source_rates.h: how fast hosts make messages, at one load or entry by entry of a
 * schedule. */
#ifndef IKAT_SIM_SOURCE_RATES_H
#define IKAT_SIM_SOURCE_RATES_H

#include "sim/state/state.h"

/* Of every host; those without a cable, and those that never send, are marked silent before. */
void sim_init_injector(sim *s, uint32_t host);
/* Once hosts have their ports. */
ik_status sim_make_schedule(sim *s, ik_error *err);
/* Messages of any host are so many per byte that its link sends, at most. */
double sim_messages_per_byte(const sim *s, uint32_t host);

#endif
