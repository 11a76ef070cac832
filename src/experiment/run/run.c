/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/run.c: runs an experiment: fabric by fabric, plan by plan, the unfinished points
 * in parallel.
 */
#include "experiment/run/run.h"
#include "experiment/merge/order.h"
#include "experiment/run/checkpoints.h"
#include "ikat/ranks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tell_stage(const runner *r, const char *format, ...)
{
    if (!r->observer || !r->observer->stage)
        return;
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->observer->stage(r->observer->ctx, text);
}

void tell_note(const runner *r, ik_severity severity, const char *format, ...)
{
    if (!r->observer || !r->observer->note)
        return;
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->observer->note(r->observer->ctx, severity, text);
}

void tell_point(const runner *r, bool reused)
{
    if (r->observer && r->observer->point)
        r->observer->point(r->observer->ctx, r->done + r->skipped, r->mine, reused);
}

bool budget_is_spent(const runner *r, double seconds)
{
    return r->part->budget_s > 0 &&
           ik_clock_s(CLOCK_MONOTONIC) - r->begun + seconds > r->part->budget_s;
}

void note_left_out_as(runner *r, uint64_t first, uint64_t num, const char *what, const char *why)
{
    ik_json_object(&r->left_out, NULL);
    ik_json_uint(&r->left_out, "first", first);
    ik_json_uint(&r->left_out, "points", num);
    ik_json_text(&r->left_out, "what", what);
    ik_json_text(&r->left_out, "why", why);
    ik_json_close(&r->left_out);
}

void note_points_left_out(runner *r, uint64_t first, uint64_t num, const point *at, const char *why)
{
    note_left_out_as(r, first, num, experiment_variant(r->e, at, SECTION_ROUTING)->label, why);
}

void note_left_out(runner *r, const plan_slot *slot)
{
    for (uint64_t i = slot->first; i < slot->first + slot->num; i++)
        r->skipped += run_is_to_do(r, i);
    note_points_left_out(r, slot->first, slot->num, &slot->at, r->unusable.text);
}

static ik_status run_store_left_out(runner *r, ik_error *err)
{
    char *text = NULL;
    ik_status status = left_out_keep(r, err);
    if (status != IK_OK)
        return status;
    ik_json_close(&r->left_out);
    status = ik_json_end_text(&r->left_out, &text, NULL, err);
    if (status == IK_OK)
        status = sync_left_out(r, text, err);
    free(text);
    ik_json_to_text(&r->left_out, IK_JSON_PACKED); /* nothing is left to be ended */
    return status;
}

/* Whether all points of plans first … first + num - 1 are another run's. */
static bool run_is_elsewhere(const runner *r, size_t first, size_t num)
{
    for (size_t i = first; i < first + num; i++)
        if (run_has_any(r, r->e->plans[i].first, r->e->plans[i].num))
            return false;
    return true;
}

/* Everything on one fabric: plans first … first + num - 1. */
static ik_status run_fabric(runner *r, size_t first, size_t num, ik_error *err)
{
    const plan_block *blocks = r->e->plans + first;
    ik_fabric *f = NULL;
    int64_t fabric = 0;
    plan_slot *slots = ik_calloc(num, sizeof *slots);
    if (!slots)
        return ik_fail_memory(err, num * sizeof *slots, "an experiment");
    ik_status status = fabric_open(r, first, &f, &fabric, err);
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        slots[i].number = first + i;
        slots[i].at = blocks[i].at;
        slots[i].first = blocks[i].first;
        slots[i].num = blocks[i].num;
        slots[i].elsewhere = !run_has_any(r, blocks[i].first, blocks[i].num);
        r->usable_plans += slots[i].elsewhere;
        if (slots[i].elsewhere)
            continue;
        status = plan_open(r, f, fabric, &slots[i], err);
        if (status == IK_OK && slots[i].infeasible)
            status = beside_keep_infeasible(r, f, fabric, &slots[i], err);
        else if (status == IK_OK && slots[i].unusable)
            note_left_out(r, &slots[i]);
    }
    if (status == IK_OK && num == r->e->num_plans)
        status = misfits_refuse(r, f, slots, num, err);
    if (status == IK_OK) {
        plans_tell_left_out(r, slots, num);
        status = misfits_points(r, f, slots, num, err);
    }
    if (status == IK_OK)
        status = pool_run(r, f, fabric, slots, num, err);
    if (status == IK_OK)
        status = beside_run(r, f, slots, num, err);
    for (size_t i = 0; i < num; i++)
        ik_plan_free(slots[i].plan);
    tried_free(r, first, num);
    fabric_drop(r, f);
    free(slots);
    return status;
}

size_t plans_on_fabric(const ik_experiment *e, size_t first)
{
    const point *at = &e->plans[first].at;
    size_t num = 1;
    while (first + num < e->num_plans && e->plans[first + num].at.design == at->design &&
           e->plans[first + num].at.index[SECTION_FABRIC] == at->index[SECTION_FABRIC])
        num++;
    return num;
}

static ik_status run_any_deadlock(const runner *r, bool *any, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(
        r->store,
        "SELECT 1 FROM points WHERE (deadlock <> '' OR missing <> '') AND " STORE_CURRENT
        " LIMIT 1",
        NULL, &statement, err);
    if (status == IK_OK)
        status = store_step(r->store, statement, any, err);
    sqlite3_finalize(statement);
    return status;
}

static ik_status run_all_here(runner *r, ik_error *err)
{
    ik_status status = sync_store(r, err);
    if (status != IK_OK)
        return status;
    if (r->done > 0)
        tell_point(r, true);
    status = plans_find_drawn(r, err);
    if (status != IK_OK)
        return status;
    if (!experiment_simulates(r->e))
        status = machines_run(r, err);
    else
        status = misfits_ahead(r, err);
    for (size_t first = experiment_simulates(r->e) ? 0 : r->e->num_plans, num;
         first < r->e->num_plans && status == IK_OK && !r->spent; first += num) {
        num = plans_on_fabric(r->e, first);
        if (run_is_elsewhere(r, first, num))
            r->usable_plans += (unsigned)num;
        else
            status = run_fabric(r, first, num, err);
    }
    if (status == IK_OK && experiment_simulates(r->e) && !r->e->measures)
        status = store_forget_statics(r->store, err);
    if (status == IK_OK && !r->spent && (r->usable_plans == 0 || r->skipped == r->e->num_points)) {
        if (err)
            *err = r->unusable;
        return r->unusable.status;
    }
    bool deadlock = false;
    if (status == IK_OK && r->spent)
        tell_note(r, IK_NOTE,
                  "%" PRIu64 " of %s finished and the budget is spent; the same command goes on",
                  r->done, IK_COUNT(r->mine, "point is|points are"));
    else if (status == IK_OK)
        status = run_store_left_out(r, err);
    if (status == IK_OK && !r->spent)
        status = order_by_sweep(r->store, err);
    if (status == IK_OK)
        status = run_any_deadlock(r, &deadlock, err);
    r->failed |= deadlock;
    return status;
}

/* Whether the file has all points that the sweep can have, maybe from several runs of some. */
static ik_status run_ask_whole(const runner *r, bool *whole, ik_error *err)
{
    int64_t points = 0;
    ik_status status = store_number(r->store, "SELECT count(*) FROM points", &points, err);
    *whole = !r->spent &&
             (r->mine == r->e->num_points || (uint64_t)points + r->skipped >= r->e->num_points);
    return status;
}

/* What has no place in the file of a run that came to its end. */
static ik_status run_forget(const runner *r, ik_error *err)
{
    bool whole = false;
    ik_status status = run_ask_whole(r, &whole, err);
    if (status == IK_OK)
        status = store_begin(r->store, err);
    if (status != IK_OK)
        return status;
    *store_progress(r->store) = (batch_progress){0};
    status = store_drop_references(r->store, err);
    if (status == IK_OK)
        status = store_run_sql(r->store, "DELETE FROM meta WHERE key = 'run'", err);
    if (status == IK_OK && whole)
        status = cost_forget(r->store, err);
    if (status == IK_OK)
        return store_commit(r->store, err);
    store_rollback(r->store);
    return status;
}

/* All that is finished reaches the disk; a failure to write is told unless there was another. */
static ik_status run_flush(const runner *r, ik_status status, ik_error *err)
{
    bool told = status != IK_OK && status != IK_ERR_CANCELLED;
    if (status != IK_OK && store_begin(r->store, NULL) == IK_OK) {
        store_progress(r->store)->jobs = 0;
        (void)store_commit(r->store, NULL);
    }
    ik_status flushed = store_flush(r->store, told ? NULL : err);
    return told || flushed == IK_OK ? status : flushed;
}

/* A run that was refused before its first point leaves no file behind. One that was stopped, or met
 * a full disk, continues with what it has. */
static void run_close_results(runner *r, ik_status status)
{
    if (r->replica.name) {
        store_close(r->store);
        replica_remove(&r->replica);
    } else if (status == IK_OK)
        store_compact(r->store);
    else if ((r->done == 0 || r->usable_plans == 0) && status != IK_ERR_CANCELLED &&
             status != IK_ERR_IO)
        store_discard(r->store);
    else
        store_close(r->store);
}

/* Processes of mpirun that a shard makes independent, and that all have the same one. */
static void run_hint_shard(const runner *r, ik_status status, ik_error *err)
{
    unsigned rank, num = ik_ranks_launched(&rank);
    if (status == IK_ERR_IO && r->part->num_shards && num > 1)
        ik_hint(
            err, status,
            "mpirun started %u processes, and with --shard each works for itself: run one process "
            "per shard, each with an -o of its own; or leave out --shard, and they simulate every "
            "point together",
            num);
}

/* Without one: every point, however long it takes. */
static ik_status run_check_part(const ik_run_part *part, ik_error *err)
{
    if (part->num_shards == 0 ? part->shard != 0
                              : part->shard == 0 || part->shard > part->num_shards)
        return ik_fail(err, IK_ERR_USAGE, "there is no shard %u of %u", part->shard,
                       part->num_shards);
    return IK_OK;
}

static void run_free(runner *r, bool finished)
{
    preflight_free(r);
    misfits_free(r);
    traffics_free(r->traffics);
    floors_free(r->floors);
    checkpoints_close(r, finished);
    free(r->finished);
    free(r->misfit);
    free(r->elsewhere);
    free(r->drawn);
}

/* The points of this run, into the results, which are open. */
static ik_status run_points(runner *r, ik_error *err)
{
    ik_json_to_text(&r->left_out, IK_JSON_PACKED);
    ik_json_array(&r->left_out, NULL);
    ik_status status = references_new(&r->references, err);
    if (status == IK_OK)
        status = bounds_new(&r->bounds, err);
    if (status == IK_OK)
        status = run_all_here(r, err);
    if (status == IK_OK)
        status = run_forget(r, err);
    status = run_flush(r, status, err);
    pool_tell_unsteady(r);
    hints_tell(r);
    references_free(r->references);
    bounds_free(r->bounds);
    ik_json_end(&r->left_out, NULL);
    return status;
}

ik_status ik_experiment_run(ik_experiment *e, const char *store_path, unsigned num_jobs,
                            const ik_env *env, const ik_run_part *part,
                            const ik_run_observer *observer, bool *failed, ik_error *err)
{
    static const ik_env none = {0};
    static const ik_run_part whole = {0};
    floors shared = FLOORS_INIT;
    runner r = {.e = e,
                .floors = &shared,
                .env = env ? env : &none,
                .part = part ? part : &whole,
                .observer = observer,
                .num_jobs = num_jobs && !(env && env->ranks) ? num_jobs : 1};
    char text[320];
    r.begun = ik_clock_s(CLOCK_MONOTONIC);
    ik_status status = run_check_part(r.part, err);
    if (status == IK_OK)
        status = traffics_new(&r.traffics, err);
    if (status == IK_OK)
        status = preflight(&r, err);
    if (status == IK_OK)
        status = sync_digests(&r, err);
    if (status == IK_OK)
        status = sync_find_elsewhere(&r, err);
    if (status == IK_OK)
        status = replica_check(&r, err);
    if (status == IK_OK)
        status = checkpoints_open(&r, store_path, err);
    if (status == IK_OK)
        status = r.env->ranks ? replica_open(&r, store_path, err)
                              : store_create(store_path, &r.store, err);
    if (status != IK_OK) {
        run_hint_shard(&r, status, err);
        run_free(&r, false);
        return status;
    }
    status = run_points(&r, err);
    run_close_results(&r, status);
    if (status == IK_ERR_CANCELLED)
        ik_of_kind(err,
                   ik_fail(err, status, "%" PRIu64 " of %s finished%s", r.done,
                           IK_COUNT(r.mine, "point is|points are"),
                           checkpoints_text(&r, text, sizeof text)),
                   IK_ERROR_PARTLY_DONE);
    run_free(&r, status == IK_OK);
    if (status == IK_OK && failed)
        *failed = r.failed;
    return status;
}
