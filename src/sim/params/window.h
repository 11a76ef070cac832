/* SPDX-License-Identifier: Apache-2.0
 *
 * params/window.h: when a run is measured, as the section `measure` says it or leaves it to the
 * run. */
#ifndef IKAT_SIM_WINDOW_H
#define IKAT_SIM_WINDOW_H

#include "ikat/sim.h"
#include "sim/core/sizes.h"
#include "sim/measure/stationary.h"

/* Whether traffic and settings allow for it: IK_ERR_USAGE. */
ik_status sim_check_window(const ik_traffic *traffic, const ik_params *measure, ik_error *err);
/* Whether a verdict is given: of endless traffic without a schedule. traffic: NULL = not known. */
bool sim_window_judged(const ik_traffic *traffic, const ik_params *measure);

typedef struct sim_window_request {
    const ik_fabric *f;
    const ik_params *sw, *adapter, *measure; /* sw: NULL where only errors are of interest */
    double load;
    uint64_t unit_ps;          /* times are multiples of it: a cycle, or 1 */
    const sim_sizes *sizes;    /* of messages, where they differ and are known; else NULL */
    const ik_traffic *traffic; /* NULL = not known */
} sim_window_request;
/* The batches of such a run. A window that is too short to be found is taken as it was given, or
 * from the middle of the longest run: its verdict says that it is short. O(ports). Errors:
 * IK_ERR_USAGE (a result that stop is of and that there is not; a time without length). */
ik_status sim_window_resolve(const sim_window_request *request, stationary_setup *out,
                             ik_error *err);

#endif
