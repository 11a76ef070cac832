/* SPDX-License-Identifier: Apache-2.0
 *
 * window.h: finds when a run is measured, where the section `measure` leaves that to the run itself
 * (warmup: auto, stop). */
#ifndef IKAT_SIM_WINDOW_H
#define IKAT_SIM_WINDOW_H

#include "ikat/sim.h"

/* Whether traffic and settings allow for it: IK_ERR_USAGE. */
ik_status sim_check_window(const ik_traffic *traffic, const ik_params *measure, ik_error *err);

/* Simulates the plan until measure/stationary.h has found the window, or to the end, and fills
 * *found and *fixed: the section `measure` with that window as times. config: with measure_params.
 * Free fixed with ik_params_free; on failure there is nothing to free. */
ik_status sim_find_window(const ik_plan *plan, const ik_traffic *traffic,
                          const ik_sim_config *config, const ik_env *env, ik_sim_steady *found,
                          ik_params *fixed, ik_error *err);

#endif
