/* SPDX-License-Identifier: Apache-2.0
 *
 * update.h: from the tables that are installed to others.
 */
#ifndef IKAT_SUBNET_UPDATE_H
#define IKAT_SUBNET_UPDATE_H

#include "ikat/audit.h"

/* Reads what is installed (a folder of ik_deploy, or tables) and, where it was made by the same
 * routing, puts repaired tables into d if they are proved: old entries that still deliver,
 * elsewhere new ones or what leads to the old ones; with several lanes also service levels, which
 * pairs keep whose paths stay. Then fills d->update. Does nothing if config->from is NULL. */
ik_status update_apply(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                       ik_error *err);

/* Of a routing that was chosen for its loads: as few paths over the fullest channel as with
 * OpenSM's minhop, where they can be had, and in time: see ik_deploy_config.enough. */
ik_status update_relieve_chosen(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                                ik_error *err);

/* d->minhop_fill, at least as far as `enough`. */
ik_status update_find_minhop(ik_deployment *d, double enough, const ik_env *env, ik_error *err);

/* The same as update_apply with what is installed in memory; d->update.mixing is not judged. */
ik_status update_from_memory(ik_deployment *d, const ik_deployment *from,
                             const ik_deploy_config *config, const ik_env *env, ik_error *err);
/* The tables, and the service levels (levels may be NULL), of `from` for other LIDs: of switches
 * and ports that both have, by GUIDs; what is new has no entries. */
ik_status update_carry_over(const ik_deployment *from, const ik_lids *lids, const ik_env *env,
                            ik_lid_tables *out, ik_service_levels *levels, ik_error *err);

/* What is installed (a folder of ik_deploy, or tables), judged and measured; the tables of a folder
 * with its service levels, others on one lane. *partial: switches or the last LID have no entries
 * in the file. Free with choose_discard. */
ik_status update_judge_installed(const ik_deployment *d, const char *from, const ik_env *env,
                                 ik_audit_routing *out, bool *partial, ik_error *err);

/* Whether switches that hold old and switches that hold new tables may stand beside each other:
 * u->mixing and u->order. old, new: of the same LIDs; one lane. */
ik_status update_find_order(const ik_lid_tables *old, const ik_lid_tables *new, const ik_env *env,
                            ik_deploy_update *u, ik_error *err);

/* Does it say on which service levels hosts send? A folder of ikat deploy does, tables do not. */
bool update_has_levels(const char *from);

#endif
