/* SPDX-License-Identifier: Apache-2.0
 *
 * update_fill.c: how full channels may be with tables that keep entries. Every failure sends paths
 * to other channels, and what is kept adds up: so no channel gets half as many paths again as with
 * the routing's own tables, and none more than the fullest one has with OpenSM's minhop, which is
 * what a subnet has without ikat. Tables that go beyond it are relieved, entry by entry.
 */
#include "subnet/deploy/deploy.h"
#include "subnet/deploy/relieve.h"
#include "subnet/deploy/update_lanes.h"
#include "subnet/judge/minhop.h"

#include <math.h>
#include <string.h>

ik_status update_find_minhop(ik_deployment *d, double enough, const ik_env *env, ik_error *err)
{
    if (d->minhop_exact || d->minhop_fill >= enough)
        return IK_OK;
    return minhop_measure(&d->lids, enough, env, &d->minhop_fill, &d->minhop_exact, err);
}

/* As full as a channel is to be for minhop's sake. Tables that went beyond it from the start, with
 * a routing that somebody asked for, need not be changed for it at a later failure. */
static double update_fill_minhop(const ik_deployment *d, const update_verdict *own)
{
    return own->minhop && d->minhop_fill > 0 ? d->minhop_fill : INFINITY;
}

void update_forget_verdict(ik_deployment *d)
{
    if (d->judged)
        ik_subnet_verdict_free(&d->verdict);
    d->judged = false;
}

/* A copy of d's own tables, relieved as far as minhop's; !*done: that was not found. in_steps: then
 * as far as it goes. */
static ik_status update_fill_relieve_copy(ik_deployment *d, bool in_steps, const ik_env *env,
                                          ik_lid_tables *out, bool *done, ik_error *err)
{
    ik_status status = ik_lid_tables_new(&d->lids, env, out, err);
    if (status != IK_OK)
        return status;
    memcpy(out->out, d->tables.out, (size_t)out->num_switches * d->lids.num);
    status = relieve_tables(out, d->minhop_fill, d->lanes == 1, env, done, err);
    double fill = d->max_fill, share = 0.75; /* then 0.875 */
    for (bool more;
         status == IK_OK && in_steps && !*done && fill > d->minhop_fill && share < 0.9;) {
        double most = fmax(share * fill, d->minhop_fill);
        status = relieve_tables(out, most, d->lanes == 1, env, &more, err);
        fill = more ? most : fill;
        share = more ? share : (1 + share) / 2;
    }
    *done |= fill < d->max_fill;
    return status;
}

/* Where minhop's channels are less full than the own ones: as full as minhop's where the own tables
 * can be relieved that far; elsewhere all that is left to have is few changes. */
static ik_status update_fill_find_limits(ik_deployment *d, const ik_env *env, update_verdict *own,
                                         ik_error *err)
{
    ik_lid_tables relieved = {0};
    bool done = d->max_fill <= update_fill_minhop(d, own);
    ik_status status =
        done ? IK_OK : update_fill_relieve_copy(d, false, env, &relieved, &done, err);
    ik_lid_tables_free(&relieved);
    own->wanted = fmin(1.5 * d->max_fill, update_fill_minhop(d, own));
    own->most_fill = done ? own->wanted : 1.5 * d->max_fill;
    return status;
}

/* Without the limits. */
static ik_status update_fill_judge(ik_deployment *d, const installed_tables *old, const ik_env *env,
                                   update_verdict *own, ik_error *err)
{
    ik_status status = d->judged ? IK_OK : deploy_judge(d, env, err);
    if (status == IK_OK)
        status = update_find_minhop(d, 1.5 * d->max_fill, env, err);
    if (status != IK_OK)
        return status;
    d->own_max_fill = d->max_fill;
    *own = (update_verdict){
        .judged = true,
        .minhop = !old->beyond_minhop,
        .proved = d->proved,
        .management = old->management_loops ? IK_NO : d->verdict.management_free,
        .one_manager = old->one_manager_loops ? IK_NO : d->verdict.one_manager_free,
        .wanted = INFINITY,
        .most_fill = INFINITY};
    return IK_OK;
}

ik_status update_judge_own(ik_deployment *d, const installed_tables *old, const ik_env *env,
                           update_verdict *own, ik_error *err)
{
    ik_status status = update_fill_judge(d, old, env, own, err);
    return status == IK_OK ? update_fill_find_limits(d, env, own, err) : status;
}

/* Without the own tables' verdict: by what is known of them on the fabric as it was. A lost cable
 * doubles what its neighbour carries, with the routing's own tables, too. */
static ik_status update_fill_guess_limits(ik_deployment *d, const ik_env *env, update_verdict *own,
                                          ik_error *err)
{
    ik_status status = update_find_minhop(d, d->max_fill, env, err);
    own->wanted = own->most_fill = fmin(2 * d->own_max_fill, update_fill_minhop(d, own));
    return status;
}

/* ---- trying others */

static bool update_as_good(const ik_subnet_verdict *v, ik_verdict management,
                           ik_verdict one_manager)
{
    return (v->management_free == IK_YES || management != IK_YES) &&
           (v->one_manager_free == IK_YES || one_manager != IK_YES);
}

static update_lack update_find_lack(const ik_deployment *d, const update_verdict *own)
{
    if (!d->proved && own->proved)
        return LACKS_PROOF;
    if (!update_as_good(&d->verdict, own->management, own->one_manager))
        return LACKS_QUERIES;
    return d->max_fill > own->most_fill ? LACKS_ROOM : LACKS_NOTHING;
}

/* d has the tables that are tried, judged. */
static ik_status update_relieve_tried(ik_deployment *d, const update_verdict *own,
                                      const ik_env *env, ik_error *err)
{
    bool done = false;
    update_lack lacks = update_find_lack(d, own);
    if (lacks == LACKS_PROOF || lacks == LACKS_QUERIES || d->max_fill <= own->wanted ||
        own->wanted <= 0 || d->lanes > 1)
        return IK_OK;
    ik_status status = relieve_tables(&d->tables, own->wanted, true, env, &done, err);
    return status == IK_OK && done ? deploy_judge(d, env, err) : status;
}

ik_status update_try_tables(ik_deployment *d, ik_lid_tables *tables, const update_verdict *own,
                            const ik_env *env, update_lack *lacks, ik_error *err)
{
    ik_lid_tables before = d->tables;
    update_verdict limits = *own;
    d->tables = *tables;
    /* where queries of all hosts must be free, it does not matter what those of one are */
    ik_status status = deploy_judge_most(d, own->management == IK_YES ? 1 : 0, env, err);
    if (status == IK_OK && !own->judged)
        status = update_fill_guess_limits(d, env, &limits, err);
    if (status == IK_OK)
        status = update_relieve_tried(d, &limits, env, err);
    update_lack lack = status == IK_OK ? update_find_lack(d, &limits) : LACKS_PROOF;
    d->update.repaired = lack == LACKS_NOTHING;
    if (lacks)
        *lacks = lack;
    *tables = d->update.repaired ? before : d->tables;
    if (!d->update.repaired) {
        d->tables = before;
        update_forget_verdict(d);
    }
    return status;
}

/* ---- relieving */

ik_status update_relieve_own(ik_deployment *d, const installed_tables *old, const ik_env *env,
                             ik_error *err)
{
    static const installed_tables nothing = {0};
    update_verdict own;
    ik_status status = update_fill_judge(d, old ? old : &nothing, env, &own, err);
    if (status != IK_OK || !d->proved || d->max_fill <= update_fill_minhop(d, &own))
        return status;
    ik_lid_tables relieved = {0};
    bool done = false;
    status = update_fill_relieve_copy(d, true, env, &relieved, &done, err);
    if (status == IK_OK && done)
        status = update_try_tables(d, &relieved, &own, env, NULL, err);
    d->update.repaired = false; /* nothing is kept for its own sake */
    ik_lid_tables_free(&relieved);
    return status;
}

ik_status update_relieve_mixed(ik_lid_tables *mixed, const update_verdict *own, const ik_env *env,
                               ik_error *err)
{
    bool done = false;
    ik_status status = relieve_tables(mixed, own->wanted, false, env, &done, err);
    if (status == IK_OK && !done && own->most_fill > own->wanted)
        status = relieve_tables(mixed, own->most_fill, false, env, &done, err);
    return status;
}
