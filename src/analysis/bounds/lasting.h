/* SPDX-License-Identifier: Apache-2.0
 *
 * lasting.h: ik_lasting_measure of flows whose paths are there. */
#ifndef IK_LASTING_H
#define IK_LASTING_H

#include "analysis/bounds/fixed_flows.h"

/* Not known where the flows are not. Errors and what to free: as ik_lasting_measure. */
ik_status lasting_of_flows(const fixed_flows *flows, const ik_adapter_rates *limits,
                           const ik_env *env, ik_lasting *out, ik_error *err);

#endif
