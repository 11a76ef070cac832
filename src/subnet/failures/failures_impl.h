/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IKAT_SUBNET_FAILURES_IMPL_H
#define IKAT_SUBNET_FAILURES_IMPL_H

#include "ikat/analysis.h"
#include "ikat/failures.h"

/* Fills in hosts_cut and hosts_own of all[0 … num-1]. */
ik_status failures_cut(const ik_fabric *f, const ik_env *env, ik_failure *all, uint32_t num,
                       ik_error *err);
/* Sorts out->all into out->groups, none of which is judged. crossing: [num_ports] flows on each
 * channel, NULL = not known. */
ik_status failures_group(const ik_fabric *f, const double *crossing, const ik_env *env,
                         ik_failures *out, ik_error *err);

#endif
