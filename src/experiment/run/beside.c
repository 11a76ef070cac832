/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/beside.c: what is measured of points that are simulated, too, and points that are
 * not because their routing is infeasible. Measures are no part of what a point is: another list of
 * them simulates nothing again. Which ones a stored point has stands beside them.
 */
#include "experiment/run/statics.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The measures on one fabric. */
typedef struct beside {
    runner *r;
    const ik_fabric *f;
    ik_env env;
    char mark[400]; /* which they are, as the store says it: all names take about 200 */
    statics of_fabric;
    best_rates best;
    bool measured; /* of_fabric is */
} beside;

/* "mean_hops,effective_bandwidth; patterns 100; proof full" */
static void beside_write_mark(const ik_experiment *e, char *mark, size_t size)
{
    char asked[48];
    size_t used = (size_t)snprintf(mark, size, "%s", e->measured);
    if (experiment_counts_patterns(e))
        used += (size_t)snprintf(mark + used, size - used, "; patterns %" PRIu64,
                                 experiment_option(e, OPTION_PATTERNS)->u);
    if (!experiment_measures(e, MEASURE_PROOF) && !experiment_measures(e, MEASURE_MEAN_HOPS))
        return;
    proof_asked_text(e, asked, sizeof asked);
    assert(used < size);
    snprintf(mark + used, size - used, "; proof %s", asked);
}

/* Whether each stored point of a plan has these measures. */
static ik_status beside_is_measured(const beside *b, const plan_slot *slot, bool *all,
                                    ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    ik_status status = store_prepare(
        b->r->store,
        "SELECT 1 FROM points WHERE measured IS NOT ?1 AND id >= ?2 AND id < ?3 LIMIT 1",
        (const char *[]){b->mark, NULL}, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)slot->first);
        sqlite3_bind_int64(statement, 3, (sqlite3_int64)(slot->first + slot->num));
        status = store_step(b->r->store, statement, &row, err);
    }
    if (status == IK_OK)
        *all = !row;
    sqlite3_finalize(statement);
    return status;
}

/* What all points of a plan have. plan: NULL = it is infeasible. */
static ik_status beside_measure_plan(beside *b, const plan_slot *slot, const ik_plan *plan,
                                     ik_arena *arena, statics *out, ik_error *err)
{
    runner *r = b->r;
    statics_clear(out, arena);
    if (!plan) {
        statics_set(out, METRIC_FEASIBLE, 0);
        return experiment_measures(r->e, MEASURE_LEAST_T_MAX)
                   ? statics_least(r, b->f, &slot->at, NULL, &b->env, out, err)
                   : IK_OK;
    }
    ik_status status = IK_OK;
    if (!b->measured) {
        statics_clear(&b->of_fabric, NULL);
        status = statics_of_fabric(r, b->f, &b->env, &b->of_fabric, err);
        b->measured = status == IK_OK;
    }
    *out = b->of_fabric;
    out->arena = arena;
    statics_set(out, METRIC_FEASIBLE, 1);
    return status == IK_OK ? statics_of_plan(r, b->f, &slot->at, plan, &b->env, out, err) : status;
}

/* What the point's traffic, and the proof for the flow control of its switch, add. */
static ik_status beside_measure_point(beside *b, const plan_slot *slot, const ik_plan *plan,
                                      const point *at, traffic_statics *known, statics *out,
                                      ik_error *err)
{
    const variant *sw = experiment_variant(b->r->e, at, SECTION_SWITCH);
    int64_t row = plan_id(slot, flow_of_switch(sw));
    ik_status status = IK_OK;
    if (experiment_measures(b->r->e, MEASURE_PROOF) ||
        experiment_measures(b->r->e, MEASURE_MEAN_HOPS))
        status = statics_of_stored_proof(b->r, row, out, err);
    return status == IK_OK ? statics_of_traffic(b->r, b->f, at, plan, &b->env, known, out, err)
                           : status;
}

static ik_status beside_measure_points(beside *b, const plan_slot *slot, const ik_plan *plan,
                                       ik_error *err)
{
    traffic_statics known = {0};
    statics base;
    tell_stage(b->r, "measuring %s",
               experiment_variant(b->r->e, &slot->at, SECTION_ROUTING)->label);
    ik_status status = traffic_statics_init(b->r->e, slot->at.design, &b->best, &known, err);
    if (status == IK_OK)
        status = beside_measure_plan(b, slot, plan, &known.arena, &base, err);
    for (uint64_t i = slot->first; i < slot->first + slot->num && status == IK_OK; i++) {
        point at = experiment_point(b->r->e, i);
        statics s = base;
        if (b->r->misfit[i] || (b->r->elsewhere && b->r->elsewhere[i] && !b->r->finished[i]))
            continue; /* it is left out, or another shard's */
        if (plan)
            status = beside_measure_point(b, slot, plan, &at, &known, &s, err);
        if (status == IK_OK)
            status = store_set_statics(b->r->store, (int64_t)i, b->mark, s.value, s.list, err);
    }
    traffic_statics_free(&known);
    return status;
}

/* A plan whose points were all finished before was not made. */
static ik_status beside_measure_slot(beside *b, const plan_slot *slot, ik_error *err)
{
    ik_plan *made = NULL;
    bool all = true;
    if (slot->unusable && !slot->infeasible)
        return IK_OK;
    ik_status status = beside_is_measured(b, slot, &all, err);
    if (status != IK_OK || all)
        return status;
    if (!slot->plan && !slot->infeasible)
        status = plan_make_for(b->r, b->f, &slot->at, &made, err);
    if (status == IK_OK)
        status = beside_measure_points(b, slot, slot->plan ? slot->plan : made, err);
    ik_plan_free(made);
    return status;
}

ik_status beside_run(runner *r, const ik_fabric *f, const plan_slot *slots, size_t num,
                     ik_error *err)
{
    beside b = {.r = r, .f = f, .env = setup_env(r)};
    ik_status status = IK_OK;
    if (!r->e->measures)
        return IK_OK;
    beside_write_mark(r->e, b.mark, sizeof b.mark);
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = beside_measure_slot(&b, &slots[i], err);
    best_rates_free(&b.best);
    return status;
}

/* ---- points that cannot be simulated */

static ik_status beside_keep_all(runner *r, const ik_fabric *f, int64_t fabric, plan_slot *slot,
                                 ik_error *err)
{
    char *key = NULL;
    statics infeasible;
    statics_clear(&infeasible, NULL);
    statics_set(&infeasible, METRIC_FEASIBLE, 0);
    ik_status status = plan_key(r, &slot->at, &key, err);
    if (status == IK_OK)
        status = plan_keep_proof(r, f, fabric, key, FLOW_ANY, NULL, slot, err);
    free(key);
    for (uint64_t i = slot->first; i < slot->first + slot->num && status == IK_OK; i++)
        if (run_is_to_do(r, i)) {
            status = statics_keep_point(r, fabric, slot, i, &infeasible, err);
            r->done += status == IK_OK;
        }
    return status;
}

ik_status beside_keep_infeasible(runner *r, const ik_fabric *f, int64_t fabric, plan_slot *slot,
                                 ik_error *err)
{
    uint64_t before = r->done;
    ik_status status = store_begin(r->store, err);
    if (status == IK_OK)
        status = beside_keep_all(r, f, fabric, slot, err);
    if (status == IK_OK)
        status = store_commit(r->store, err);
    else
        store_rollback(r->store);
    if (status != IK_OK)
        r->done = before;
    else if (r->done > before)
        tell_point(r, false);
    return status;
}
