/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_propose.c: what ikat would install: judged by the same functions as what is installed, with
 * an entry for every LID and replies on the initiator's service level.
 */
#include "subnet/audit/audit_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LANES 8

/* In the order in which they are tried; the best of those that work is taken. */
static const struct candidate {
    const char *routing, *vc;
    bool tree;
    uint32_t most; /* switches of fabrics on which it is tried, 0: any; more take minutes */
} candidates[] = {
    {"dmodc", NULL, true, 0},
    {"dfsssp", "dfsssp:pairs=both", false, 300},
    {"frugal", NULL, false, 200},
    {"shortest", "lash:pairs=both", false, 200},
    {"nue:vcs=3,pairs=both", NULL, false, 200},
    {"nue", NULL, false, 0},
    {"updown", NULL, false, 0},
};

/* What a plan comes to. */
static ik_status audit_propose_judge_tables(audit_work *w, const ik_plan *plan, ik_audit_routing *r,
                                            ik_lid_tables *t, ik_service_levels *sls, ik_sl2vl *vls)
{
    const ik_subnet_config config = {.replies = true, .management = true};
    uint32_t unsafe = 0;
    ik_status status = ik_lid_tables_complete(plan, &w->a->lids, w->env, t, &unsafe, w->err);
    if (status == IK_OK)
        status = ik_service_levels_from_plan(plan, &w->a->lids, w->env, sls, w->err);
    if (status == IK_OK)
        status = ik_sl2vl_make(w->a->fabric, plan->num_vcs, vls, w->err);
    if (status == IK_OK)
        status = ik_subnet_judge(t, sls, vls, &config, w->env, &r->verdict, w->err);
    if (status == IK_OK)
        status = audit_measure(w->a, r, w->err);
    r->lanes = plan->num_vcs;
    r->spec = strdup(plan->routing->spec);
    r->vc = strdup(plan->vc->spec);
    return status != IK_OK || (r->spec && r->vc)
               ? status
               : ik_fail_memory(w->err, 64, "the name of a routing");
}

static ik_status audit_propose_try_routing(audit_work *w, const char *routing, const char *vc,
                                           ik_audit_routing *r)
{
    ik_plan *plan = NULL;
    ik_lid_tables t = {0};
    ik_service_levels sls = {0};
    ik_sl2vl vls = {0};
    ik_status status =
        ik_plan_from_specs(w->a->fabric, routing, vc, NULL, 0, w->env, &plan, w->err);
    if (status == IK_OK && plan->num_vcs > MOST_LANES)
        status = ik_fail(w->err, IK_ERR_UNSUPPORTED,
                         "routing '%.80s' needs %u virtual lanes here, InfiniBand has %d for data "
                         "in most devices",
                         routing, plan->num_vcs, MOST_LANES);
    if (status == IK_OK)
        status = audit_propose_judge_tables(w, plan, r, &t, &sls, &vls);
    ik_lid_tables_free(&t);
    ik_service_levels_free(&sls);
    ik_sl2vl_free(&vls);
    ik_plan_free(plan);
    if (status != IK_OK)
        audit_discard(r);
    return status;
}

static uint64_t audit_propose_lost(const ik_subnet_verdict *v)
{
    return v->pairs - v->delivered - v->unconnected;
}

/* Is it fit to be installed? */
static bool audit_propose_sound(const ik_audit_routing *r)
{
    return r->verdict.deadlock_free == IK_YES && audit_propose_lost(&r->verdict) == 0;
}

/* Is a the better one? Where the loads are alike, the one beside whose data a host can read
 * counters, and the one with fewer lanes; else the one with less load. */
static bool audit_propose_better(const ik_audit_routing *a, const ik_audit_routing *b)
{
    bool reads_a = a->verdict.one_manager_free == IK_YES,
         reads_b = b->verdict.one_manager_free == IK_YES;
    double ratio = b->max_load > 0 ? a->max_load / b->max_load : 1;
    if (reads_a != reads_b && ratio < 1.25 && ratio > 1 / 1.25)
        return reads_a;
    if (a->lanes != b->lanes && ratio < 1.1 && ratio > 1 / 1.1)
        return a->lanes < b->lanes;
    return ratio < 1;
}

/* Unsupported is no failure: something else is tried. */
static bool audit_propose_goes_on(ik_status status)
{
    return status == IK_OK || status == IK_ERR_UNSUPPORTED;
}

static ik_status audit_propose_tell_left_out(audit_work *w)
{
    audit_about about = {IK_NOTE,
                         "routings-not-tried",
                         IK_NONE,
                         IK_NONE,
                         NULL,
                         "Name one (--routing dfsssp --vc dfsssp:pairs=both, --routing frugal) and "
                         "wait."};
    return audit_add(w->a, &about, w->err,
                     "routings that balance loads best take minutes on %" PRIu32
                     " switches: they are not among those that were compared",
                     w->a->fabric->num_switches);
}

static ik_status audit_propose_choose(audit_work *w)
{
    ik_audit *a = w->a;
    const size_t num = sizeof candidates / sizeof *candidates;
    bool left_out = false;
    ik_status status = IK_OK;
    for (size_t i = 0; i < num && audit_propose_goes_on(status); i++) {
        const struct candidate *k = &candidates[i];
        ik_audit_routing r = {0};
        if ((k->tree && a->fabric->num_levels < 2) || (a->has_proposed && i + 1 == num))
            continue;
        if (k->most && a->fabric->num_switches > k->most) {
            left_out = true;
            continue;
        }
        status = audit_propose_try_routing(w, k->routing, k->vc, &r);
        if (status != IK_OK)
            continue;
        if (!audit_propose_sound(&r) ||
            (a->has_proposed && !audit_propose_better(&r, &a->proposed))) {
            audit_discard(&r);
            continue;
        }
        audit_discard(&a->proposed);
        a->proposed = r;
        a->has_proposed = true;
        if (k->tree)
            break;
    }
    if (!audit_propose_goes_on(status))
        return status;
    return left_out ? audit_propose_tell_left_out(w) : IK_OK;
}

/* ---- beside what is installed */

static ik_status audit_propose_compare(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_audit_routing *now = &a->installed, *then = &a->proposed;
    audit_about about = {IK_WARNING, "better-routing",
                         IK_NONE,    IK_NONE,
                         NULL,       "'ikat deploy' writes it, with what is needed to go back."};
    bool mends = (now->verdict.deadlock_free == IK_NO && then->verdict.deadlock_free == IK_YES) ||
                 (audit_propose_lost(&now->verdict) && !audit_propose_lost(&then->verdict));
    if (!audit_propose_sound(then) || (!mends && now->max_load <= 1.1 * then->max_load))
        return IK_OK;
    return audit_add(a, &about, w->err,
                     "%s (%s, %u lane%s) would deliver every pair without a credit loop, with a "
                     "largest load of %.4g of a host's rate; what is installed has %.4g%s",
                     then->spec, then->vc, then->lanes, then->lanes == 1 ? "" : "s", then->max_load,
                     now->max_load, mends ? ", and the errors above" : "");
}

ik_status audit_propose(audit_work *w)
{
    ik_audit *a = w->a;
    const char *wanted = w->config->routing;
    ik_status status;
    if (a->fabric->num_hosts < 2 || (wanted && strcmp(wanted, "none") == 0))
        return IK_OK;
    if (wanted) {
        status = audit_propose_try_routing(w, wanted, w->config->vc, &a->proposed);
        a->has_proposed = status == IK_OK;
    } else {
        status = audit_propose_choose(w);
    }
    return status == IK_OK && a->has_proposed && a->has_tables ? audit_propose_compare(w) : status;
}
