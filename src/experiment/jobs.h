/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/jobs.h: section jobs and parameters that list jobs (IK_PARAM_JOBS).
 */
#ifndef IKAT_EXPERIMENT_JOBS_H
#define IKAT_EXPERIMENT_JOBS_H

#include "experiment/experiment_impl.h"
#include "experiment/yaml/sweep.h"

/* Values of `node` for parameter `p`: a text, or a list of mappings with the keys name, traffic,
 * hosts, mapping, start and load, which is one value for every combination of what they sweep
 * over; a list of such lists is several. */
ik_status jobs_expand(ik_experiment *e, const ytree *node, const ik_param *p, sweep *out,
                      ik_error *err);
/* Section jobs becomes section traffic: { family: jobs, jobs: … }. */
ik_status jobs_as_traffic(ik_experiment *e, ytree *root, ik_error *err);

#endif
