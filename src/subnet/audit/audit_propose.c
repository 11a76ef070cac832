/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_propose.c: what ikat would install: judged by the same functions as what is installed, with
 * an entry for every LID and replies on the initiator's service level.
 */
#include "subnet/audit/audit_impl.h"
#include "subnet/deploy/choose.h"

#include <inttypes.h>
#include <string.h>

static ik_status audit_propose_named(audit_work *w)
{
    ik_audit *a = w->a;
    const ik_audit_config *c = w->config;
    const ik_deploy_config lanes = {.max_vls = IK_DEPLOY_VLS};
    ik_plan *plan = NULL;
    ik_status status =
        ik_plan_from_specs(a->fabric, c->routing, c->vc, NULL, 0, w->env, &plan, w->err);
    if (status == IK_OK && plan->num_vcs > IK_DEPLOY_VLS)
        status = ik_fail(w->err, IK_ERR_UNSUPPORTED,
                         "routing '%.80s' needs %s here, InfiniBand has %d for data "
                         "in most devices",
                         c->routing, IK_COUNT(plan->num_vcs, "virtual lane"), IK_DEPLOY_VLS);
    if (status == IK_OK)
        status =
            choose_judge(a->fabric, &a->lids, plan, &lanes, w->env, &a->proposed, NULL, w->err);
    ik_plan_free(plan);
    a->has_proposed = status == IK_OK;
    return status;
}

/* Those that were not tried, each with the reason as evidence. */
static ik_status audit_propose_tell_left_out(audit_work *w)
{
    const ik_routing_choice *c = &w->a->choice;
    char names[600], reasons[IK_ROUTINGS_COMPARED * 400] = "";
    audit_about about = {IK_NOTE,
                         "routings-not-tried",
                         IK_NONE,
                         IK_NONE,
                         reasons,
                         "Name one (--routing dfsssp --vc dfsssp:pairs=both, --routing frugal) and "
                         "wait."};
    for (unsigned i = 0; i < c->num; i++) {
        size_t used = strlen(reasons);
        char name[200];
        if (!ik_routing_compared_tried(&c->of[i]))
            snprintf(reasons + used, sizeof reasons - used, "%s%s %s", used ? "\n" : "",
                     ik_routing_compared_name(&c->of[i], name, sizeof name), c->of[i].why);
    }
    ik_routing_choice_untried(c, names, sizeof names);
    return names[0] ? audit_add(w->a, &about, w->err, "not compared: %s", names) : IK_OK;
}

static choose_now audit_propose_now(const ik_audit *a)
{
    return (choose_now){a->has_tables ? &a->installed : NULL, a->partial};
}

static ik_status audit_propose_choose(audit_work *w)
{
    ik_audit *a = w->a;
    const choose_now now = audit_propose_now(a);
    const ik_deploy_config lanes = {.max_vls = IK_DEPLOY_VLS};
    ik_status status =
        choose_routing(a->fabric, &a->lids, &lanes, &now, w->env, &a->choice, &a->proposed, w->err);
    a->has_proposed = status == IK_OK && a->choice.chosen != IK_NONE;
    return status == IK_OK ? audit_propose_tell_left_out(w) : status;
}

/* ---- beside what is installed */

static ik_status audit_propose_tell_better(audit_work *w)
{
    const ik_audit_routing *now = &w->a->installed, *then = &w->a->proposed;
    audit_about about = {IK_WARNING, "better-routing",
                         IK_NONE,    IK_NONE,
                         NULL,       "'ikat deploy' writes it, with what is needed to go back."};
    bool mends = now->verdict.deadlock_free != IK_YES || choose_lost(&now->verdict) ||
                 now->verdict.missing_entries;
    return audit_add(w->a, &about, w->err,
                     "%s (%s, %s) would deliver every pair without a credit loop, with a "
                     "largest load of %.4g of a host's rate and saturation at %.4g of it; what is "
                     "installed has %.4g and %.4g%s",
                     then->spec, then->vc, IK_COUNT(then->lanes, "lane"), then->max_load,
                     then->saturation, now->max_load, now->saturation,
                     mends ? ", and the errors above" : "");
}

static ik_status audit_propose_tell_kept(audit_work *w)
{
    const ik_audit_routing *now = &w->a->installed;
    audit_about about = {IK_NOTE, "keeps-installed", IK_NONE, IK_NONE, NULL, NULL};
    return audit_add(
        w->a, &about, w->err,
        "keeps the installed tables: of %s "
        "compared, none is better than their largest load of %.4g of a host's rate and saturation "
        "at "
        "%.4g of it",
        IK_COUNT(ik_routing_choice_compared(&w->a->choice), "routing that was|routings that were"),
        now->max_load, now->saturation);
}

static ik_status audit_propose_tell_unknown(audit_work *w)
{
    audit_about about = {IK_NOTE, "not-compared", IK_NONE,
                         IK_NONE, NULL,           "Dump the tables of all switches."};
    return audit_add(w->a, &about, w->err,
                     "not compared with the installed tables: the files do not show all tables, "
                     "and loads of what they show are too low");
}

ik_status audit_propose(audit_work *w)
{
    ik_audit *a = w->a;
    const char *wanted = w->config->routing;
    if (a->fabric->num_hosts < 2 || (wanted && strcmp(wanted, "none") == 0))
        return IK_OK;
    ik_status status = wanted ? audit_propose_named(w) : audit_propose_choose(w);
    if (status != IK_OK || !a->has_tables)
        return status;
    const choose_now now = audit_propose_now(a);
    if (choose_is_unknown(&now))
        return audit_propose_tell_unknown(w);
    if (a->has_proposed && choose_is_better(&now, &a->proposed))
        return audit_propose_tell_better(w);
    return a->choice.keeps ? audit_propose_tell_kept(w) : IK_OK;
}
