/* SPDX-License-Identifier: Apache-2.0
 *
 * choose.h: which routing to install, if any: judged and measured as installed tables are.
 */
#ifndef IKAT_SUBNET_CHOOSE_H
#define IKAT_SUBNET_CHOOSE_H

#include "ikat/audit.h"

/* Between two switches? */
bool choose_inner(const ik_fabric *f, uint32_t port);
/* Destination LIDs of a port of a host: what it divides its rate among. */
double choose_destinations(const ik_fabric *f, const ik_lids *l);
/* The largest rate of a host's port. */
uint64_t choose_host_rate(const ik_fabric *f);

/* Fills in the loads of r->verdict. */
ik_status choose_measure(const ik_fabric *f, const ik_lids *lids, ik_audit_routing *r,
                         ik_error *err);
void choose_discard(ik_audit_routing *r);
/* Pairs that are connected and not delivered. */
uint64_t choose_lost(const ik_subnet_verdict *v);

/* Judges and measures complete tables of a plan on the lanes that a deployment with this
 * configuration would give them, replies on the initiator's service level. why (may be NULL, else
 * of 560): what is not proved, "". */
ik_status choose_judge(const ik_fabric *f, const ik_lids *lids, ik_plan *plan,
                       const ik_deploy_config *config, const ik_env *env, ik_audit_routing *r,
                       char *why, ik_error *err);

/* What is installed. */
typedef struct choose_now {
    const ik_audit_routing *routing; /* NULL: nothing, or it is not known */
    bool partial; /* files do not show all of it: what is not delivered may be what they lack */
} choose_now;

/* Do files show too little of it to compare with? What is lost may be what they lack, and loads are
 * those of the rest. A credit loop that they show is there nevertheless. */
bool choose_is_unknown(const choose_now *now);

/* Is `then` better than what is installed? It must be proved; then it is if it mends what is not
 * proved of `now`, or if its largest load or its throughput is better by a tenth and neither is
 * worse. */
bool choose_is_better(const choose_now *now, const ik_audit_routing *then);

/* A routing that is tried; choose_candidates: all, up to one without a routing. */
typedef struct choose_candidate {
    const char *routing, *vc;
    uint32_t most;  /* switches with hosts up to which it is tried, 0: any */
    unsigned lanes; /* it is for this number of lanes alone, 0: for any */
} choose_candidate;
extern const choose_candidate choose_candidates[];

typedef struct choosing {
    const ik_fabric *f;
    const ik_lids *lids;
    const ik_deploy_config *lanes; /* max_vls, query_lane */
    const choose_now *now;
    const ik_env *env;
    ik_error *err;
    uint32_t leaves; /* choose_count_leaves(f) */
} choosing;

/* Switches with hosts or endpoints: tables are made for pairs of them. */
uint32_t choose_count_leaves(const ik_fabric *f);
/* Room for rows of *out, which has none; free(out->of). */
ik_status choose_begin(ik_routing_choice *out, ik_error *err);
/* Adds a row to *out, which has room. *r: as measured, all 0 where the row says why it is not. */
ik_status choose_consider(const choosing *c, const choose_candidate *k, ik_routing_choice *out,
                          ik_audit_routing *r);

/* The routings that fit the lanes of `config` (max_vls, query_lane), compared with each other and
 * with what is installed.
 * *best is the one to install; all 0 if out->chosen is IK_NONE. f, lids: with endpoints as
 * hosts. */
ik_status choose_routing(const ik_fabric *f, const ik_lids *lids, const ik_deploy_config *config,
                         const choose_now *now, const ik_env *env, ik_routing_choice *out,
                         ik_audit_routing *best, ik_error *err);

/* Notes that there is no time for this routing. */
void choose_give_up(ik_routing_compared *row);
/* Goes on with a comparison that was stopped: what it lacks is compared with what is installed.
 * *better: choice->chosen is better. The time ends with config->enough, else with env's cancel
 * flag; a routing that had all of it is given up. */
ik_status choose_resume(const ik_fabric *f, const ik_lids *lids, const ik_deploy_config *config,
                        const choose_now *now, const ik_env *env, ik_routing_choice *choice,
                        bool *better, ik_error *err);

#endif
