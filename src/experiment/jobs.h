/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/jobs.h: section jobs and parameters that list jobs (IK_PARAM_JOBS); what each job of a
 * point took, and what it takes alone.
 */
#ifndef IKAT_EXPERIMENT_JOBS_H
#define IKAT_EXPERIMENT_JOBS_H

#include "experiment/run.h"
#include "experiment/yaml/sweep.h"

/* Values of `node` for parameter `p`: a text, or a list of mappings with the keys name, traffic,
 * hosts, mapping and start, which is one value for every combination of what they sweep over; a
 * list of such lists is several. */
ik_status jobs_expand(ik_experiment *e, const ytree *node, const ik_param *p, sweep *out,
                      ik_error *err);
/* Section jobs becomes section traffic: { family: jobs, jobs: … }. */
ik_status jobs_as_traffic(ik_experiment *e, ytree *root, ik_error *err);

/* What the jobs of a point took, as a JSON text (NULL = it has none), and the runs of each alone;
 * both to be free()d. */
ik_status jobs_measure(runner *r, const plan_slot *slot, const ik_traffic *traffic, const point *p,
                       const ik_sim_config *config, const ik_env *env, const ik_sim_result *result,
                       char **text, const reference ***alone, size_t *num, ik_error *err);

#endif
