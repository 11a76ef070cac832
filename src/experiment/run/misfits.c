/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/misfits.c: combinations of a sweep whose routing does not fit its fabric, whatever
 * its settings. They are refused before the first point: a product was written where designs were
 * meant. Trying costs as much as making, so what was made is kept for its turn; where all of it
 * would be too much, routings are tried on the first fabric of each family.
 */
#include "experiment/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pair of families that was tried. */
struct judged {
    struct judged *next;
    const char *fabric, *routing;
};

static const char *misfits_routing_name(const ik_experiment *e, const point *at)
{
    return experiment_variant(e, at, SECTION_ROUTING)->name;
}

/* Whether there is room for one more plan on a fabric. */
static bool misfits_may_keep(const runner *r, const ik_fabric *f)
{
    static const uint64_t most = 1 << 24; /* entries of all tables */
    return r->tried_entries + (uint64_t)f->num_switches * f->num_hosts <= most;
}

/* Whether a routing is to be tried on a fabric; remembered. */
static bool misfits_to_be_tried(runner *r, const ik_fabric *f, const point *at)
{
    static const uint64_t small = 1 << 16; /* entries of all tables */
    const char *fabric = experiment_variant(r->e, at, SECTION_FABRIC)->name,
               *routing = misfits_routing_name(r->e, at);
    for (const struct judged *k = r->judged; k; k = k->next)
        if (strcmp(k->fabric, fabric) == 0 && strcmp(k->routing, routing) == 0)
            return experiment_simulates(r->e) &&
                   ((uint64_t)f->num_switches * f->num_hosts <= small || misfits_may_keep(r, f));
    struct judged *made = ik_calloc(1, sizeof *made);
    if (made) { /* without memory it is tried again */
        *made = (struct judged){r->judged, fabric, routing};
        r->judged = made;
    }
    return true;
}

void misfits_free(runner *r)
{
    while (r->judged) {
        struct judged *next = r->judged->next;
        free(r->judged);
        r->judged = next;
    }
}

bool misfit_is_limit(const ik_error *why)
{
    static const char *const limits[] = {"t_max", "vcs"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const char *at = strstr(why->settings, limits[i]);
        size_t length = strlen(limits[i]);
        if (at && (at == why->settings || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    }
    return false;
}

static ik_status run_misfits_refuse(const runner *r, const point *at, const ik_error *why,
                                    ik_error *err)
{
    const ik_experiment *e = r->e;
    const variant *fabric = experiment_variant(e, at, SECTION_FABRIC);
    if (!err)
        return why->status;
    *err = *why;
    snprintf(err->text, sizeof err->text, "%.60s does not fit %.100s: %.300s",
             misfits_routing_name(e, at), fabric->label, why->text);
    return ik_hint(err, why->status,
                   "%.300s%sskip_misfits: true runs the others; 'designs' names the fabrics and "
                   "routings that belong together",
                   why->hint, why->hint[0] ? "; " : "");
}

static void misfits_keep_tried(runner *r, const ik_fabric *f, size_t number, ik_plan *plan)
{
    if (misfits_may_keep(r, f)) {
        r->tried[number] = plan;
        r->tried_entries += (uint64_t)f->num_switches * f->num_hosts;
    } else {
        ik_plan_free(plan);
    }
}

/* The plans among these whose routing is of plan k's family. */
static ik_status misfits_try_family(runner *r, const ik_fabric *f, const plan_block *plans,
                                    size_t num, size_t k, ik_error *err)
{
    ik_error why = {0}, first = {0};
    for (size_t i = k; i < num; i++) {
        ik_plan *plan = NULL;
        if (strcmp(misfits_routing_name(r->e, &plans[i].at),
                   misfits_routing_name(r->e, &plans[k].at)) != 0)
            continue;
        ik_status status = plan_make_for(r, f, &plans[i].at, &plan, &why);
        if (status == IK_OK)
            misfits_keep_tried(r, f, (size_t)(&plans[i] - r->e->plans), plan);
        if (status == IK_OK || (status == IK_ERR_UNSUPPORTED && misfit_is_limit(&why)))
            return IK_OK;
        if (status != IK_ERR_UNSUPPORTED) {
            if (err)
                *err = why;
            return status;
        }
        if (first.status == IK_OK)
            first = why;
    }
    return run_misfits_refuse(r, &plans[k].at, &first, err);
}

/* Whether plan k is the first of its routing's family. */
static bool misfits_is_first(const runner *r, const plan_block *plans, size_t k)
{
    size_t i = 0;
    while (strcmp(misfits_routing_name(r->e, &plans[i].at),
                  misfits_routing_name(r->e, &plans[k].at)) != 0)
        i++;
    return i == k;
}

ik_status misfits_check(runner *r, const ik_fabric *f, size_t first, size_t num, ik_error *err)
{
    const plan_block *plans = r->e->plans + first;
    ik_status status = IK_OK;
    if (experiment_option(r->e, OPTION_SKIP_MISFITS)->u)
        return IK_OK;
    for (size_t k = 0; k < num && status == IK_OK; k++)
        if (misfits_is_first(r, plans, k) && misfits_to_be_tried(r, f, &plans[k].at))
            status = misfits_try_family(r, f, plans, num, k, err);
    return status;
}

/* Whether a plan can be made, or lacks a limit alone. One that another run makes is tried. */
static bool misfits_can_be_made(const runner *r, const ik_fabric *f, const plan_slot *slot)
{
    ik_plan *plan = NULL;
    ik_error why;
    if (!slot->elsewhere)
        return !slot->unusable || misfit_is_limit(slot->why);
    ik_status status = plan_make_for(r, f, &slot->at, &plan, &why);
    ik_plan_free(plan);
    return status != IK_ERR_UNSUPPORTED || misfit_is_limit(&why);
}

ik_status misfits_refuse(const runner *r, const ik_fabric *f, const plan_slot *slots, size_t num,
                         ik_error *err)
{
    if (num == 1 || experiment_option(r->e, OPTION_SKIP_MISFITS)->u)
        return IK_OK; /* the only plan of all: the run ends with its error */
    for (size_t k = 0; k < num; k++) {
        bool fits = slots[k].elsewhere || misfits_can_be_made(r, f, &slots[k]);
        for (size_t i = 0; i < num && !fits; i++)
            fits = strcmp(misfits_routing_name(r->e, &slots[i].at),
                          misfits_routing_name(r->e, &slots[k].at)) == 0 &&
                   misfits_can_be_made(r, f, &slots[i]);
        if (!fits)
            return run_misfits_refuse(r, &slots[k].at, slots[k].why, err);
    }
    return IK_OK;
}

/* ---- points that the simulator refuses: settings that do not fit together, or not to a plan */

/* What a point differs in, of what the simulator looks at before it begins. */
static const section_id looked_at[] = {SECTION_SWITCH, SECTION_ADAPTER, SECTION_MEASURE,
                                       SECTION_WATCH,  SECTION_TRAFFIC, SECTION_LOAD};
enum { NUM_LOOKED_AT = sizeof looked_at / sizeof *looked_at };

/* Points that were refused with the same words, of all plans on a fabric. */
typedef struct refusal {
    ik_error why;
    const char *routing; /* of the first */
    uint64_t num;
} refusal;
enum { MOST_REFUSALS = 8 }; /* that are told apart */

/* One pass over the points of a plan. */
typedef struct judging {
    runner *r;
    const ik_fabric *f;
    const ik_plan *plan;
    const variant *pattern; /* of `traffic` */
    ik_traffic *traffic;
    point before; /* the point that was judged last, with `status` */
    bool begun;
    ik_status status;
    ik_error why;
    refusal refusals[MOST_REFUSALS];
    size_t num_refusals;
    uint64_t first, num; /* points in a row that are left out for the same reason, `why` */
} judging;

static bool misfits_is_refusal(ik_status status)
{
    return status == IK_ERR_USAGE || status == IK_ERR_UNSUPPORTED || status == IK_ERR_INPUT;
}

/* Whether the verdict on the point before is this one's too: only the seed differs, or the load of
 * sources to which any load is alike. */
static bool misfits_is_alike(const judging *k, const point *p)
{
    const ik_params *adapter = &experiment_variant(k->r->e, p, SECTION_ADAPTER)->params;
    bool bursty = strcmp(ik_params_text(adapter, "injection"), "bursty") == 0;
    for (size_t i = 0; i < NUM_LOOKED_AT; i++)
        if (k->before.index[looked_at[i]] != p->index[looked_at[i]] &&
            (bursty || looked_at[i] != SECTION_LOAD))
            return false;
    return k->begun;
}

static ik_status misfits_judge_point(judging *k, const point *p)
{
    const ik_experiment *e = k->r->e;
    const variant *pattern = experiment_variant(e, p, SECTION_TRAFFIC);
    ik_env env = setup_env(k->r);
    if (misfits_is_alike(k, p))
        return k->status;
    k->begun = true;
    k->before = *p;
    k->status = IK_OK;
    if (pattern != k->pattern) {
        traffics_give_back(k->r->traffics, k->traffic);
        k->traffic = NULL;
        k->pattern = pattern;
        k->status = traffics_take(k->r->traffics, k->f, pattern, &env, &k->traffic, &k->why);
        place_in_variant(pattern, SECTION_TRAFFIC, k->status == IK_OK ? NULL : &k->why);
    }
    ik_sim_config config = point_config(e, p);
    if (k->status == IK_OK) {
        k->status = ik_sim_check_run(k->plan, k->traffic, &config, &k->why);
        point_place(e, p, k->status, k->status == IK_OK ? NULL : &k->why);
    }
    return k->status;
}

static void misfits_note_row(judging *k)
{
    if (k->num > 0)
        note_points_left_out(k->r, k->first, k->num, &k->before, k->r->unusable.text);
    k->num = 0;
}

static void misfits_leave_point_out(judging *k, uint64_t number, const point *p)
{
    runner *r = k->r;
    size_t i = 0;
    while (i < k->num_refusals && strcmp(k->refusals[i].why.text, k->why.text) != 0)
        i++;
    if (i == k->num_refusals && i < MOST_REFUSALS)
        k->refusals[k->num_refusals++] = (refusal){
            .why = k->why, .routing = experiment_variant(r->e, p, SECTION_ROUTING)->label};
    k->refusals[i < MOST_REFUSALS ? i : MOST_REFUSALS - 1].num++;
    if (k->num > 0 && (number != k->first + k->num || strcmp(r->unusable.text, k->why.text) != 0))
        misfits_note_row(k);
    if (k->num++ == 0)
        k->first = number;
    r->misfit[number] = true;
    r->skipped++;
    r->unusable = k->why;
}

static void misfits_tell_refusals(const judging *k)
{
    for (size_t i = 0; i < k->num_refusals; i++) {
        const refusal *told = &k->refusals[i];
        tell_note(k->r, IK_NOTE, "%" PRIu64 " point%s left out, the first with %s: %s%s%s",
                  told->num, told->num == 1 ? " is" : "s are", told->routing, told->why.text,
                  told->why.hint[0] ? "; " : "", told->why.hint);
    }
}

/* The error of a point without which the others could be run. */
static ik_status misfits_refuse_point(const judging *k, ik_error *err)
{
    if (err)
        *err = k->why;
    if (!misfits_is_refusal(k->status) || k->r->e->num_points == 1)
        return k->status;
    return ik_hint(err, k->status,
                   "%.300s%sskip_misfits: true leaves out the points that do not fit", k->why.hint,
                   k->why.hint[0] ? "; " : "");
}

static ik_status misfits_judge_plan(judging *k, const ik_plan *plan, const plan_slot *slot,
                                    ik_error *err)
{
    bool skip = experiment_option(k->r->e, OPTION_SKIP_MISFITS)->u;
    ik_status status = IK_OK;
    k->plan = plan;
    k->begun = false;
    for (uint64_t i = slot->first; i < slot->first + slot->num && status == IK_OK; i++) {
        if (!run_is_to_do(k->r, i))
            continue;
        point p = experiment_point(k->r->e, i);
        if (misfits_judge_point(k, &p) == IK_OK)
            continue;
        if (skip && misfits_is_refusal(k->status))
            misfits_leave_point_out(k, i, &p);
        else
            status = misfits_refuse_point(k, err);
    }
    misfits_note_row(k);
    return status;
}

ik_status misfits_points(runner *r, const ik_fabric *f, const plan_slot *slots, size_t num,
                         ik_error *err)
{
    judging k = {.r = r, .f = f};
    ik_status status = IK_OK;
    for (size_t i = 0; i < num && status == IK_OK; i++)
        if (slots[i].plan)
            status = misfits_judge_plan(&k, slots[i].plan, &slots[i], err);
    traffics_give_back(r->traffics, k.traffic);
    misfits_tell_refusals(&k);
    return status;
}

/* A plan that was tried, or that there is room to make now; NULL: what is wrong with it is said in
 * its turn. */
static const ik_plan *misfits_plan_ahead(runner *r, const ik_fabric *f, size_t number)
{
    const plan_block *block = &r->e->plans[number];
    bool to_do = false;
    for (uint64_t i = block->first; i < block->first + block->num && !to_do; i++)
        to_do = run_is_to_do(r, i);
    ik_plan *plan = NULL;
    if (to_do && !r->tried[number] && misfits_may_keep(r, f) &&
        plan_make_for(r, f, &block->at, &plan, NULL) == IK_OK)
        misfits_keep_tried(r, f, number, plan);
    return to_do ? r->tried[number] : NULL;
}

ik_status misfits_ahead(runner *r, ik_error *err)
{
    ik_status status = IK_OK;
    if (experiment_option(r->e, OPTION_SKIP_MISFITS)->u || r->e->num_plans == 1)
        return IK_OK; /* what does not fit is left out, or found before the first point anyway */
    for (size_t first = 0, num; first < r->e->num_plans && status == IK_OK; first += num) {
        judging k = {.r = r, .f = r->built[first]};
        num = plans_on_fabric(r->e, first);
        for (size_t i = first; k.f && i < first + num && status == IK_OK; i++) {
            const plan_slot slot = {.first = r->e->plans[i].first, .num = r->e->plans[i].num};
            const ik_plan *plan = misfits_plan_ahead(r, k.f, i);
            if (plan)
                status = misfits_judge_plan(&k, plan, &slot, err);
        }
        traffics_give_back(r->traffics, k.traffic);
    }
    return status;
}
