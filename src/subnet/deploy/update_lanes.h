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
} installed_tables;

/* On the tables of a deployment. */
typedef struct update_verdict {
    bool proved;
    ik_verdict management, one_manager;
    double most_fill; /* that other tables may have */
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
/* The rows of hosts as a routing on the fabric of d's plan. Free rows->lft, also after an error. */
ik_status update_make_rows(const ik_deployment *d, const ik_lid_tables *tables, ik_routing *rows,
                           ik_error *err);
/* How full a channel may be with tables that keep entries. */
static inline double update_most_fill(const ik_deployment *d)
{
    return 1.5 * d->own_max_fill;
}
/* Judges tables, which d takes over if they are proved, and queries no worse off than with its own.
 * own: the verdict on those, NULL: it is not known yet, and none is better than it could be. */
ik_status update_try_tables(ik_deployment *d, ik_lid_tables *tables, const update_verdict *own,
                            const ik_env *env, ik_error *err);

/* Repaired tables on several lanes, `most` at most, if there are some that are proved. */
ik_status update_try_lanes(ik_deployment *d, const installed_tables *old, unsigned most,
                           const ik_env *env, ik_error *err);
/* d->update.levels_kept and levels_changed. O(LIDs^2). */
ik_status update_count_levels(ik_deployment *d, const installed_tables *old, ik_error *err);

#endif
