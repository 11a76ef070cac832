/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/steady.h: the verdict whether what a run measured lasts. */
#ifndef IKAT_SIM_STEADY_H
#define IKAT_SIM_STEADY_H

#include "sim/measure/sim_result.h"
#include "sim/measure/stationary.h"

/* Fills r->steady from the result of a run that is over and the batches of its partitions: `first`
 * is those of the first one, those of the others follow `stride` bytes apart. s: NULL = no verdict.
 * bound: see ik_sim_config. f: whose channels r->channel_bytes are. */
void steady_judge(stationary *s, const batch_cursor *first, size_t stride, unsigned num,
                  ik_sim_bound bound, const ik_fabric *f, ik_sim_result *r);

#endif
