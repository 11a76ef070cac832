/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy_plan.c: the plan that service levels can express and replies can use.
 */
#include "subnet/deploy/choose.h"
#include "subnet/deploy/deploy.h"
#include "subnet/deploy/update.h"

#include <string.h>

static bool deploy_plan_has_pairs(const ik_param *params)
{
    for (; params && params->name; params++)
        if (strcmp(params->name, "pairs") == 0)
            return true;
    return false;
}

/* The spec with pairs=both. */
static ik_status deploy_plan_with_pairs(const char *spec, char *out, size_t size, ik_error *err)
{
    int n = snprintf(out, size, "%s%spairs=both", spec, strchr(spec, ':') ? "," : ":");
    return n > 0 && (size_t)n < size
               ? IK_OK
               : ik_fail(err, IK_ERR_UNSUPPORTED, "the spec '%.60s...' is too long", spec);
}

static ik_status deploy_plan_refuse_replies(const ik_plan *plan, ik_error *err)
{
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "VC scheme '%.100s' gives the two directions of a connection different lanes, and on "
            "InfiniBand a reply takes the lane of the request",
            plan->vc->spec);
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "lash:pairs=both, dfsssp:pairs=both and nue:pairs=both give them one");
}

/* The plan again, with pairs=both of the routing or of the scheme, whichever has it. */
static ik_status deploy_plan_remake(const ik_fabric *f, const ik_deploy_config *config,
                                    const ik_env *env, ik_plan **plan, ik_error *err)
{
    char spec[1024];
    const char *routing = (*plan)->routing->spec, *vc = (*plan)->vc->spec;
    bool by_routing = deploy_plan_has_pairs((*plan)->routing->family->params);
    if (!by_routing && !deploy_plan_has_pairs((*plan)->vc->family->params))
        return deploy_plan_refuse_replies(*plan, err);
    const char *said = by_routing ? config->routing : config->vc;
    if (said && strstr(said, "pairs="))
        return deploy_plan_refuse_replies(*plan, err);
    ik_status status = deploy_plan_with_pairs(by_routing ? routing : vc, spec, sizeof spec, err);
    ik_plan *made = NULL;
    if (status == IK_OK)
        status = ik_plan_from_specs(f, by_routing ? spec : config->routing,
                                    by_routing ? config->vc : spec, NULL, 0, env, &made, err);
    if (status != IK_OK)
        return status;
    ik_plan_free(*plan);
    *plan = made;
    return made->vc->both_ways ? IK_OK : deploy_plan_refuse_replies(made, err);
}

unsigned deploy_most_lanes(const ik_deploy_config *config)
{
    unsigned most = config->max_vls ? config->max_vls : IK_DEPLOY_VLS;
    return most < IK_DEPLOYABLE_VCS ? most : IK_DEPLOYABLE_VCS;
}

static ik_status deploy_plan_check_lanes(const ik_plan *plan, const ik_deploy_config *config,
                                         ik_error *err)
{
    unsigned most = deploy_most_lanes(config);
    if (plan->vc->num_vcs <= most)
        return IK_OK;
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "'%.100s' with VC scheme '%.100s' needs %u lanes, %u are allowed", plan->routing->spec,
            plan->vc->spec, plan->vc->num_vcs, most);
    if (plan->vc->num_vcs > IK_DEPLOYABLE_VCS)
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "InfiniBand has %d lanes for data; routing frugal:lanes=%u needs no more "
                       "than you say",
                       IK_DEPLOYABLE_VCS, most);
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "routing frugal:lanes=%u needs no more than you say; --vls %u allows them here, "
                   "if all ports have as many",
                   most, plan->vc->num_vcs);
}

bool ik_deploy_takes_vc(const char *routing)
{
    char name[64];
    size_t length = strcspn(routing, ":");
    if (length >= sizeof name)
        return false;
    memcpy(name, routing, length);
    name[length] = '\0';
    return !ik_routing_find(name) && ik_vc_find(name);
}

/* ---- the routing that is chosen where none is given */

static ik_status deploy_plan_refuse_worse(const ik_deployment *d, const ik_audit_routing *now,
                                          const char *from, ik_error *err)
{
    ik_fail(err, IK_ERR_FAILED,
            "keeps the installed tables (%.100s%s): of %s "
            "compared, none is better than their largest load of %.4g of a host's rate and "
            "saturation at %.4g of it",
            from,
            update_has_levels(from) ? ""
                                    : ", without service levels: judged as if all packets took SL "
                                      "0 on one lane",
            IK_COUNT(ik_routing_choice_compared(&d->choice), "routing that was|routings that were"),
            now->max_load, now->saturation);
    char untried[600];
    ik_routing_choice_untried(&d->choice, untried, sizeof untried);
    return ik_hint(err, IK_ERR_FAILED, "--routing SPEC deploys another one nevertheless%s%s",
                   untried[0] ? "; not tried, for they take minutes or more memory than there is: "
                              : "",
                   untried);
}

static ik_status deploy_plan_refuse_all(const ik_deployment *d, unsigned lanes, ik_error *err)
{
    char untried[600];
    ik_routing_choice_untried(&d->choice, untried, sizeof untried);
    for (unsigned i = 0; i < d->choice.num; i++)
        if (d->choice.of[i].state == IK_COMPARED_NO_MEMORY)
            return ik_fail(err, IK_ERR_MEMORY, "%s %s", d->choice.of[i].routing,
                           d->choice.of[i].why);
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "none of the routings that were tried is proved here with at most %u lanes", lanes);
    return ik_hint(err, IK_ERR_UNSUPPORTED, "--routing SPEC names one; not tried were: %s",
                   untried[0] ? untried : "none");
}

/* config->enough, once raised, ends the comparison with the best so far, if there is one. */
static ik_status deploy_plan_compare(ik_deployment *d, const ik_deploy_config *config,
                                     const choose_now *installed, const ik_env *env,
                                     ik_audit_routing *best, ik_error *err)
{
    ik_status status =
        choose_routing(d->fabric, &d->lids, config, installed, env, &d->choice, best, err);
    return status == IK_ERR_CANCELLED && config->enough && d->choice.chosen != IK_NONE ? IK_OK
                                                                                       : status;
}

ik_status deploy_choose(ik_deployment *d, ik_deploy_config *config, const ik_env *env,
                        ik_error *err)
{
    ik_audit_routing now = {0}, best = {0};
    unsigned lanes = deploy_most_lanes(config);
    if (config->vc)
        return ik_fail(err, IK_ERR_USAGE, "a VC scheme without a routing");
    bool partial = false;
    ik_status status =
        config->from ? update_judge_installed(d, config->from, env, &now, &partial, err) : IK_OK;
    const choose_now installed = {config->from ? &now : NULL, partial};
    if (status == IK_OK)
        status = deploy_plan_compare(d, config, &installed, env, &best, err);
    if (status == IK_OK && d->choice.keeps)
        status = deploy_plan_refuse_worse(d, &now, config->from, err);
    else if (status == IK_OK && d->choice.chosen == IK_NONE)
        status = deploy_plan_refuse_all(d, lanes, err);
    if (status == IK_OK) {
        config->routing = d->choice.of[d->choice.chosen].given[0];
        config->vc = d->choice.of[d->choice.chosen].given[1];
    }
    choose_discard(&best);
    choose_discard(&now);
    return status;
}

ik_status deploy_plan(const ik_fabric *f, const ik_deploy_config *given, const ik_env *env,
                      ik_plan **out, ik_error *err)
{
    ik_deploy_config settled = *given;
    const ik_deploy_config *config = &settled;
    if (!given->vc && ik_deploy_takes_vc(settled.routing)) {
        settled.vc = settled.routing;
        settled.routing = "shortest";
    }
    ik_plan *plan = NULL;
    ik_status status = ik_plan_from_specs(f, config->routing, config->vc, NULL, 0, env, &plan, err);
    if (status == IK_OK)
        status = ik_vc_deployable(plan->vc, err);
    if (status == IK_OK && !plan->vc->both_ways)
        status = deploy_plan_remake(f, config, env, &plan, err);
    if (status == IK_OK)
        status = deploy_plan_check_lanes(plan, config, err);
    if (status == IK_OK)
        *out = plan;
    else
        ik_plan_free(plan);
    return status;
}
