/* SPDX-License-Identifier: Apache-2.0
 *
 * update_lanes.h: the steps from installed tables to repaired ones, with one lane and with several.
 */
#ifndef IKAT_SUBNET_UPDATE_LANES_H
#define IKAT_SUBNET_UPDATE_LANES_H

#include "subnet/deploy/update.h"

typedef struct installed_tables {
    ik_lid_tables tables;
    ik_service_levels levels; /* with several lanes */
    unsigned lanes;           /* 0 = not known, and so are levels */
    double own_max_fill;      /* see ik_deployment; 0 = not known */
    /* known: queries of all hosts, or of one, can close a loop with data */
    bool management_loops, one_manager_loops;
    bool beyond_minhop; /* a channel was fuller with them than with minhop's tables */
} installed_tables;

/* What other tables than a deployment's own have to be as good as. */
typedef struct update_verdict {
    bool judged; /* the own ones were; else they are taken for the best that there could be */
    bool proved;
    ik_verdict management, one_manager; /* IK_NO: not even the installed ones have it */
    bool minhop;                        /* no channel is to be fuller than with minhop's tables */
    double wanted;    /* how full a channel is to be; where it is fuller, it is relieved */
    double most_fill; /* how full it may be; both where `judged` */
} update_verdict;

enum { NUM_ENTRIES = 256 }; /* values of an entry */

/* Where entries lead. */
typedef struct update_walk {
    const ik_deployment *d;
    const ik_lid_tables *tables;
    const ik_lid_tables *same; /* NULL, or entries that differ from these lead nowhere */
    /* NULL, or [switch][entry] of those that a way ends with, in place of the LID's port */
    const bool (*ends)[NUM_ENTRIES];
    uint32_t *path; /* [switch] scratch */
} update_walk;
/* Do they lead from this switch to the LID, or to such an end? fate: [switch] what is known of it,
 * 0 at first. */
bool update_delivers(const update_walk *w, uint8_t *fate, uint32_t sw, uint32_t lid);

/* Old entries that still deliver, elsewhere those of d; with *back also those of d on ways to ports
 * which no old entry of their switch uses, as of a cable that came back, and then *back says
 * whether there are some. Free with ik_lid_tables_free. */
ik_status update_mix_tables(const ik_deployment *d, const ik_lid_tables *old, bool *back,
                            const ik_env *env, ik_lid_tables *out, ik_error *err);
/* Old entries that still deliver, and none elsewhere. Free with ik_lid_tables_free. */
ik_status update_keep_tables(const ik_deployment *d, const ik_lid_tables *old, const ik_env *env,
                             ik_lid_tables *out, ik_error *err);
/* The rows of hosts as a routing on the fabric of d's plan. Free rows->lft, also after an error. */
ik_status update_make_rows(const ik_deployment *d, const ik_lid_tables *tables, ik_routing *rows,
                           ik_error *err);
/* The rows of hosts of repaired tables, completed anew: for where kept entries for switches, or for
 * hosts from switches that no host's packet comes by, make queries worse off. unsafe_of: see
 * complete_tables. Free with ik_lid_tables_free. */
ik_status update_complete_anew(const ik_deployment *d, const ik_lid_tables *repaired,
                               const ik_env *env, ik_lid_tables *out, bool *unsafe_of,
                               ik_error *err);
/* What of the old tables delivers, with rows extended from there by what its dependencies bear: for
 * where the routing's own entries close a cycle with it. Some paths become longer. */
ik_status update_try_kept(ik_deployment *d, const ik_lid_tables *old, const update_verdict *own,
                          const ik_env *env, ik_error *err);
/* Why tables are not taken over. */
typedef enum update_lack { LACKS_NOTHING, LACKS_PROOF, LACKS_QUERIES, LACKS_ROOM } update_lack;
/* Judges tables, which d takes over if they are as good as `own`, if need be after they were
 * relieved. *lacks (may be NULL): LACKS_ROOM: a channel is too full, and that alone. */
ik_status update_try_tables(ik_deployment *d, ik_lid_tables *tables, const update_verdict *own,
                            const ik_env *env, update_lack *lacks, ik_error *err);

/* ---- how full channels may be, update_fill.c */

/* The verdict on d's own tables, which are judged if they are not yet. Sets d->own_max_fill and
 * d->minhop_fill. */
ik_status update_judge_own(ik_deployment *d, const installed_tables *old, const ik_env *env,
                           update_verdict *own, ik_error *err);
/* Relieves d's own tables, on one lane, where minhop's channels would be less full. old: as in
 * update_judge_own, NULL: nothing is installed. */
ik_status update_relieve_own(ik_deployment *d, const installed_tables *old, const ik_env *env,
                             ik_error *err);
/* The same of tables whose lanes are still to be found. */
ik_status update_relieve_mixed(ik_lid_tables *mixed, const update_verdict *own, const ik_env *env,
                               ik_error *err);
/* What d->verdict was on is not what d has. */
void update_forget_verdict(ik_deployment *d);

/* Repaired tables on several lanes, `most` at most, if there are some that are proved. */
ik_status update_try_lanes(ik_deployment *d, const installed_tables *old, unsigned most,
                           const ik_env *env, ik_error *err);
/* d->update.levels_kept and levels_changed. O(LIDs^2). */
ik_status update_count_levels(ik_deployment *d, const installed_tables *old, ik_error *err);

#endif
