/* SPDX-License-Identifier: Apache-2.0
 *
 * subnet/deploy.h: the steps of ik_deploy.
 */
#ifndef IKAT_SUBNET_DEPLOY_H
#define IKAT_SUBNET_DEPLOY_H

#include "ikat/deploy.h"
#include "ikat/verify.h"
#include "subnet/deploy/deploy_folder.h"

/* Sets routing and VC scheme of a configuration that names none, by d->choice, which it fills in.
 * IK_ERR_FAILED: what is installed is kept. */
ik_status deploy_choose(ik_deployment *d, ik_deploy_config *config, const ik_env *env,
                        ik_error *err);

/* The plan that is to be installed: its VC scheme with pairs=both where that is what makes it safe
 * for replies. IK_ERR_UNSUPPORTED says by name what cannot be installed. */
ik_status deploy_plan(const ik_fabric *f, const ik_deploy_config *config, const ik_env *env,
                      ik_plan **out, ik_error *err);

/* Lanes that a deployment may use: what was asked for, no more than InfiniBand has. */
unsigned deploy_most_lanes(const ik_deploy_config *config);

/* pairs: [IK_NUM_SLS] zeroed; pairs of hosts, by their first LIDs, on each service level. */
ik_status deploy_count_pairs(const ik_service_levels *l, uint64_t *pairs, ik_error *err);

/* Tables and service levels, with lanes numbered so that performance queries share theirs with data
 * that they cannot close a credit loop with, where that can be had. */
ik_status deploy_settle_lanes(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                              ik_error *err);

/* Hosts that most others cannot reach, and roots. */
ik_status deploy_find_left_out(ik_deployment *d, ik_error *err);
ik_status deploy_find_roots(ik_deployment *d, ik_error *err);

/* Writes tables, service levels and roots into the temporary folder. */
ik_status deploy_write(ik_deployment *d, const deploy_folder *folder, ik_error *err);
/* Replaces tables and service levels of d by what the files there say, read as an audit reads them.
 * *same: the tables are what they were, entry by entry. */
ik_status deploy_read_back(ik_deployment *d, const deploy_folder *folder, const ik_env *env,
                           bool *same, ik_error *err);
/* Writes the commands and both summaries. */
ik_status deploy_write_summaries(ik_deployment *d, const deploy_folder *folder, ik_error *err);

/* Judges what d has: d->verdict, d->proved. */
ik_status deploy_judge(ik_deployment *d, const ik_env *env, ik_error *err);
/* most_work: see ik_subnet_config. */
ik_status deploy_judge_most(ik_deployment *d, double most_work, const ik_env *env, ik_error *err);

/* Measures d->curve; prints it, and its members in an open JSON object (NULL: none). */
ik_status lane_curve_measure(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                             ik_error *err);
void lane_curve_print(const ik_lane_curve *c, FILE *out);
void lane_curve_json(const ik_lane_curve *c, ik_json *j);

/* *out = *d, with what points into it; after a failure d is freed instead. Returns status. */
ik_status deploy_hand_over(ik_deployment *d, ik_status status, ik_deployment *out);

/* Text that more than one of these print. */
void deploy_print_commands(const ik_deployment *d, FILE *out);
const char *deploy_print_queries(const ik_routing_compared *row);

#endif
