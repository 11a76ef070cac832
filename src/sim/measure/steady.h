/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/steady.h: the verdict whether what a run measured lasts. */
#ifndef IKAT_SIM_STEADY_H
#define IKAT_SIM_STEADY_H

#include "ikat/sim.h"
#include "sim/measure/stationary.h"

/* Fills r->steady from the batches of a run that is over (stationary_end, stationary_add) and its
 * result. bound: see ik_sim_config; 0 = none, or sources are not first in, first out. */
void steady_judge(const stationary *s, double bound, ik_sim_result *r);

#endif
