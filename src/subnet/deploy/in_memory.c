/* SPDX-License-Identifier: Apache-2.0
 *
 * in_memory.c: routings for a subnet manager that holds the tables itself: made anew from what is
 * installed, or kept as they are, and proved; no files.
 */
#include "subnet/deploy/choose.h"
#include "subnet/deploy/deploy.h"
#include "subnet/deploy/update.h"

#include <assert.h>

/* The LIDs of f with its endpoints as hosts. */
static ik_status in_memory_begin(const ik_fabric *f, ik_deployment *d, ik_error *err)
{
    *d = (ik_deployment){.fabric = f, .given = f, .name = f->spec};
    ik_status status = f->num_endpoints ? ik_fabric_with_endpoints(f, &d->whole, err) : IK_OK;
    if (d->whole)
        d->fabric = d->whole;
    return status == IK_OK ? ik_lids_make(d->fabric, &d->lids, err) : status;
}

/* Judged, unless its tables have just been; not proved is a failure. */
static ik_status in_memory_prove(ik_deployment *d, bool judged, const ik_env *env, ik_error *err)
{
    ik_status status = judged ? IK_OK : deploy_judge(d, env, err);
    return status == IK_OK && !d->proved ? ik_fail(err, IK_ERR_FAILED, "%s", d->why_not) : status;
}

/* choice: an earlier one, of the routing that is given; borrowed. NULL: there is none. */
static ik_status in_memory_make(const ik_fabric *f, const ik_deploy_config *config,
                                const ik_deployment *installed, const ik_routing_choice *choice,
                                const ik_env *env, ik_deployment *out, ik_error *err)
{
    ik_deploy_config settled = config ? *config : (ik_deploy_config){0};
    ik_deployment d;
    settled.from = NULL;
    ik_status status = in_memory_begin(f, &d, err);
    if (status == IK_OK && !settled.routing)
        status = deploy_choose(&d, &settled, env, err);
    if (status == IK_OK)
        status = deploy_plan(d.fabric, &settled, env, &d.plan, err);
    if (status == IK_OK)
        status = deploy_settle_lanes(&d, &settled, env, err);
    if (status == IK_OK && (d.choice.num || choice))
        status = update_relieve_chosen(&d, &settled, env, err);
    if (status == IK_OK && installed)
        status = update_from_memory(&d, installed, &settled, env, err);
    if (status == IK_OK)
        status = deploy_find_left_out(&d, err);
    if (status == IK_OK)
        status = in_memory_prove(&d, d.judged, env, err);
    if (status == IK_OK)
        status = update_find_minhop(&d, d.max_fill, env, err);
    if (!d.update.repaired)
        d.own_max_fill = d.max_fill;
    return deploy_hand_over(&d, status, out);
}

ik_status ik_deploy_in_memory(const ik_fabric *f, const ik_deploy_config *config,
                              const ik_deployment *installed, const ik_env *env, ik_deployment *out,
                              ik_error *err)
{
    return in_memory_make(f, config, installed, NULL, env, out, err);
}

ik_status ik_deploy_resume(const ik_fabric *f, const ik_deploy_config *config,
                           ik_deployment *installed, const ik_env *env, ik_deployment *out,
                           bool *better, ik_error *err)
{
    ik_deploy_config settled = config ? *config : (ik_deploy_config){0};
    ik_routing_choice *choice = &installed->choice;
    ik_audit_routing now = {.verdict = installed->verdict};
    const choose_now known = {&now, false};
    uint32_t before = choice->chosen;
    *better = false;
    assert(!settled.routing && choice->num > 0);
    ik_status status = choose_measure(installed->fabric, &installed->lids, &now, err);
    if (status == IK_OK)
        status = choose_resume(installed->fabric, &installed->lids, &settled, &known, env, choice,
                               better, err);
    now.verdict = (ik_subnet_verdict){0}; /* borrowed */
    choose_discard(&now);
    if (status != IK_OK || !*better)
        return status;
    settled.routing = choice->of[choice->chosen].given[0];
    settled.vc = choice->of[choice->chosen].given[1];
    status = in_memory_make(f, &settled, installed, choice, env, out, err);
    *better = status == IK_OK;
    if (*better) {
        out->choice = *choice;
        *choice = (ik_routing_choice){0};
        return IK_OK;
    }
    if (status == IK_ERR_CANCELLED)
        choose_give_up(&choice->of[choice->chosen]);
    choice->chosen = before;
    return status == IK_ERR_CANCELLED ? IK_OK : status;
}

ik_status ik_deploy_keep(const ik_fabric *f, const ik_deployment *installed, const ik_env *env,
                         ik_deployment *out, ik_error *err)
{
    ik_deployment d;
    ik_status status = in_memory_begin(f, &d, err);
    d.lanes = installed->lanes;
    d.own_max_fill = installed->own_max_fill;
    if (status == IK_OK)
        status = update_carry_over(installed, &d.lids, env, &d.tables, &d.levels, err);
    if (status == IK_OK)
        status = ik_sl2vl_make(d.fabric, d.lanes, &d.vls, err);
    if (status == IK_OK)
        status = in_memory_prove(&d, false, env, err);
    return deploy_hand_over(&d, status, out);
}
