/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_impl.h: parts of an audit. Each part adds findings to the audit.
 */
#ifndef IKAT_SUBNET_AUDIT_IMPL_H
#define IKAT_SUBNET_AUDIT_IMPL_H

#include "ikat/audit.h"

#define AUDIT_TEXT 320 /* bytes of a node's, port's or LID's description */

/* What is said of a finding beside its text; texts are copied. */
typedef struct audit_about {
    ik_severity severity;
    const char *code;
    uint32_t node, port; /* IK_NONE: neither */
    const char *evidence, *remedy;
} audit_about;

/* Adds a finding. */
ik_status audit_add(ik_audit *a, const audit_about *about, ik_error *err, const char *format, ...)
    IK_PRINTF(4, 5);
/* "host5 (0x0002c90300000006), LID 5", or "…, no LID" where a dump has none: into buffer, which is
 * returned. */
char *audit_lid(const ik_audit *a, uint32_t index, char *buffer, size_t size);

/* What is in force while an audit runs. */
typedef struct audit_work {
    ik_audit *a;
    const ik_fabric *given; /* hosts without endpoints */
    const ik_audit_config *config;
    const ik_env *env;
    ik_lid_tables tables;
    ik_service_levels sls;
    ik_sl2vl vls;
    ik_policy_matched policy;
    ik_path_records_matched records;
    ik_sl2vl_matched maps;
    uint32_t named;            /* findings of one kind; the others are counted in one more */
    struct audit_known *known; /* [num_known] findings of the baseline */
    size_t num_known;
    const char **names; /* [num_names] of nodes, sorted, to compare findings with the baseline */
    size_t num_names, longest_name;
    struct json_t *baseline; /* what holds their texts */
    ik_error *err;
} audit_work;

/* "… and 12 more: WHAT", if `shown` findings are more than are named. */
ik_status audit_rest(audit_work *w, const audit_about *about, uint64_t shown, const char *what);

static inline const ik_service_levels *audit_impl_audit_sls(const audit_work *w)
{
    return w->a->has_levels ? &w->sls : NULL;
}
static inline const ik_sl2vl *audit_impl_audit_vls(const audit_work *w)
{
    return w->a->has_maps || w->a->has_levels ? &w->vls : NULL;
}

/* audit_fabric.c: cabling, LIDs. */
ik_status audit_make_lids(audit_work *w); /* a->lids, and findings of LIDs that cannot be */
ik_status audit_cabling(audit_work *w);
ik_status audit_lids(audit_work *w);
ik_status audit_lid_matrix(audit_work *w);
/* audit_files.c: how files fit the fabric. */
ik_status audit_files(audit_work *w);
/* audit_pairs.c: what is not delivered, dead entries; credit loops. */
ik_status audit_pairs(audit_work *w);
ik_status audit_loops(audit_work *w);
/* audit_load.c */
ik_status audit_balance(audit_work *w);
/* audit_propose.c: a->proposed and a->choice, and what is said of them. */
ik_status audit_propose(audit_work *w);
/* audit_baseline.c: reads what is known, before all else; gives findings their keys, and marks
 * those that are known. */
ik_status audit_baseline_open(audit_work *w);
ik_status audit_baseline_mark(audit_work *w);
void audit_baseline_close(audit_work *w);
/* audit_counters.c */
ik_status audit_counters(audit_work *w);
/* audit_multicast.c */
ik_status audit_multicast(audit_work *w);
/* audit_engine.c */
ik_status audit_engine(audit_work *w);

#endif
