/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/run.c: runs an experiment: fabric by fabric, plan by plan, the unfinished points
 * side by side.
 */
#include "experiment/run/run.h"

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
        r->observer->point(r->observer->ctx, r->done + r->skipped, r->e->num_points, reused);
}

static uint64_t points_inside(const ik_experiment *e, section_id last)
{
    uint64_t product = 1;
    for (section_id id = last + 1; id < NUM_SECTIONS; id++)
        product *= e->sections[id].num;
    return product;
}

/* The points of a plan that cannot be run, with what refused it. */
static void note_left_out(runner *r, const plan_slot *slot)
{
    r->skipped += slot->num;
    ik_json_object(&r->left_out, NULL);
    ik_json_uint(&r->left_out, "points", slot->num);
    ik_json_text(&r->left_out, "what", experiment_variant(r->e, &slot->at, SECTION_ROUTING)->label);
    ik_json_text(&r->left_out, "why", r->unusable.text);
    ik_json_close(&r->left_out);
}

static ik_status store_left_out(runner *r, ik_error *err)
{
    char *text = NULL;
    ik_json_close(&r->left_out);
    ik_status status = ik_json_end_text(&r->left_out, &text, NULL, err);
    if (status == IK_OK)
        status = sync_left_out(r, text, err);
    free(text);
    ik_json_to_text(&r->left_out, IK_JSON_PACKED); /* nothing is left to be ended */
    return status;
}

/* Everything on one fabric: points first … first + num - 1 of the sweep. */
static ik_status run_fabric(runner *r, uint64_t first, uint64_t num, ik_error *err)
{
    uint64_t per_plan = points_inside(r->e, SECTION_SELECTION);
    size_t num_slots = (size_t)(num / per_plan);
    point at = experiment_point(r->e, first);
    ik_fabric *f = NULL;
    int64_t fabric = 0;
    plan_slot *slots = ik_calloc(num_slots, sizeof *slots);
    if (!slots)
        return ik_fail_memory(err, num_slots * sizeof *slots, "an experiment");
    ik_status status = fabric_open(r, &at, &f, &fabric, err);
    for (size_t i = 0; i < num_slots && status == IK_OK; i++) {
        slots[i].first = first + i * per_plan;
        slots[i].num = per_plan;
        slots[i].at = experiment_point(r->e, slots[i].first);
        status = plan_open(r, f, fabric, &slots[i], err);
        if (status == IK_OK && slots[i].unusable)
            note_left_out(r, &slots[i]);
    }
    plans_tell_left_out(r, slots, num_slots);
    if (status == IK_OK)
        status = pool_run(r, f, fabric, slots, num_slots, err);
    for (size_t i = 0; i < num_slots; i++)
        ik_plan_free(slots[i].plan);
    ik_fabric_free(f);
    free(slots);
    return status;
}

static ik_status any_deadlock(const runner *r, bool *any, ik_error *err)
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

static ik_status run_all(runner *r, ik_error *err)
{
    ik_status status = sync_store(r, err);
    if (status != IK_OK)
        return status;
    if (r->done > 0)
        tell_point(r, true);
    uint64_t per_fabric = points_inside(r->e, SECTION_FABRIC);
    for (uint64_t first = 0; first < r->e->num_points && status == IK_OK; first += per_fabric)
        status = run_fabric(r, first, per_fabric, err);
    if (status == IK_OK && r->usable_plans == 0) {
        if (err)
            *err = r->unusable;
        return r->unusable.status;
    }
    bool deadlock = false;
    if (status == IK_OK)
        status = store_left_out(r, err);
    if (status == IK_OK)
        status = any_deadlock(r, &deadlock, err);
    r->failed |= deadlock;
    return status;
}

/* A run that was refused before its first point leaves no file behind. One that was stopped, or met
 * a full disk, continues with what it has. */
static void close_results(const runner *r, ik_status status)
{
    if (status == IK_OK)
        store_compact(r->store);
    else if (r->done == 0 && status != IK_ERR_CANCELLED && status != IK_ERR_IO)
        store_discard(r->store);
    else
        store_close(r->store);
}

ik_status ik_experiment_run(ik_experiment *e, const char *store_path, unsigned num_jobs,
                            const ik_env *env, const ik_run_observer *observer, bool *failed,
                            ik_error *err)
{
    static const ik_env none = {0};
    runner r = {.e = e,
                .env = env ? env : &none,
                .observer = observer,
                .num_jobs = num_jobs ? num_jobs : 1};
    ik_status status = preflight(&r, err);
    if (status == IK_OK)
        status = store_create(store_path, &r.store, err);
    if (status != IK_OK) {
        ik_fabric_free(r.built);
        return status;
    }
    ik_json_to_text(&r.left_out, IK_JSON_PACKED);
    ik_json_array(&r.left_out, NULL);
    status = references_new(&r.references, err);
    if (status == IK_OK)
        status = run_all(&r, err);
    if (status == IK_OK)
        status = store_drop_references(r.store, err);
    references_free(r.references);
    ik_json_end(&r.left_out, NULL);
    close_results(&r, status);
    if (status == IK_ERR_CANCELLED)
        ik_fail(err, status, "%" PRIu64 " of %" PRIu64 " points are finished", r.done,
                e->num_points);
    ik_fabric_free(r.built);
    free(r.finished);
    for (section_id id = 0; id < NUM_SECTIONS; id++)
        free(r.digests[id]);
    if (status == IK_OK && failed)
        *failed = r.failed;
    return status;
}
