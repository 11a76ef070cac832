/* SPDX-License-Identifier: Apache-2.0
 *
 * flit/flit.h: the engine of the pipelined router, as others know it. */
#ifndef IKAT_SIM_FLIT_H
#define IKAT_SIM_FLIT_H

#include "sim/measure/sim_result.h"

struct watch;

/* See ik_sim_estimate_run, ik_sim_estimate_bytes */
void pipe_estimate(const ik_plan *plan, const ik_sim_config *config, ik_sim_estimate *out);
uint64_t pipe_estimate_bytes(const ik_plan *plan, const ik_sim_config *config);
/* See ik_sim_check_run. */
ik_status sim_check_pipelined(const ik_plan *plan, const ik_traffic *traffic,
                              const ik_sim_config *config, ik_error *err);
/* w: what is watched, NULL = nothing. */
ik_status sim_run_pipelined(const ik_plan *plan, const ik_traffic *traffic,
                            const ik_sim_config *config, const ik_env *env, struct watch *w,
                            ik_sim_result *out, ik_error *err);

#endif
