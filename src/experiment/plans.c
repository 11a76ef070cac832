/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/plans.c: the fabrics and plans of a run. Every plan is proved once, before the first packet; what failed is told,
 * stored, and simulated anyway under the watchdog.
 */
#include "experiment/describe.h"
#include "experiment/run.h"
#include "ikat/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ik_env setup_env(const runner *r)
{
    ik_env env = *r->env;
    env.seed = setup_seed(r->e);
    env.num_threads = r->num_jobs;
    return env;
}

/* First column of the only row, if there is one. */
static ik_status look_up(const runner *r, const char *sql, const char *const *texts, bool *found, int64_t *id, bool *flag,
                         ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(r->store, sql, texts, &statement, err);
    if (status == IK_OK)
        status = store_step(r->store, statement, found, err);
    if (status == IK_OK && *found) {
        *id = sqlite3_column_int64(statement, 0);
        if (flag)
            *flag = sqlite3_column_int(statement, 1) != 0;
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- fabrics */

static ik_status insert_fabric(runner *r, const ik_fabric *f, const char *const *key, int64_t *id, ik_error *err)
{
    char *summary = NULL, *drawing = NULL;
    void *blob = NULL;
    size_t size = 0, packed = 0;
    sqlite3_stmt *statement = NULL;
    ik_status status = describe_fabric(f, &summary, err);
    if (status == IK_OK)
        status = describe_drawing(f, &drawing, &size, err);
    if (status == IK_OK)
        status = store_deflate(drawing, size, &blob, &packed, err);
    if (status == IK_OK)
        status = store_prepare(r->store, "INSERT INTO fabrics(spec, digest, summary, drawing) VALUES(?1, ?2, ?3, ?4)",
                               (const char *[]){key[0], key[1], summary, NULL}, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_blob64(statement, 4, blob, packed, SQLITE_STATIC);
        status = store_begin(r->store, err);
    }
    if (status == IK_OK) {
        status = store_execute(r->store, statement, err);
        statement = NULL;
        *id = sqlite3_last_insert_rowid(store_db(r->store));
        if (status == IK_OK)
            status = store_commit(r->store, err);
        else
            store_rollback(r->store);
    }
    sqlite3_finalize(statement);
    free(blob);
    free(drawing);
    free(summary);
    return status;
}

ik_status fabric_build(const runner *r, const variant *v, ik_fabric **f, ik_error *err)
{
    ik_env env = setup_env(r);
    tell_stage(r, "building %s", v->label);
    ik_status status = ik_fabric_from_params(v->name, &v->params, &env, f, err);
    if (status != IK_OK)
        ik_error_at(err, v->place->file, v->place->line, v->place->column);
    return status;
}

ik_status fabric_open(runner *r, const point *p, ik_fabric **f, int64_t *id, ik_error *err)
{
    const variant *v = experiment_variant(r->e, p, SECTION_FABRIC);
    ik_fabric *made = r->built;
    r->built = NULL;
    ik_status status = made ? IK_OK : fabric_build(r, v, &made, err);
    if (status != IK_OK)
        return status;
    const char *const key[] = {v->label, point_digest(r, p, SECTION_FABRIC), NULL};
    bool found = false;
    status = look_up(r, "SELECT id FROM fabrics WHERE spec = ?1 AND digest = ?2", key, &found, id, NULL, err);
    if (status == IK_OK && !found)
        status = insert_fabric(r, made, key, id, err);
    if (status != IK_OK) {
        ik_fabric_free(made);
        return status;
    }
    *f = made;
    return IK_OK;
}

/* ---- plans */

typedef struct plan_row {
    const char *key, *routing, *vc, *selection, *proof;
    int64_t fabric;
    unsigned vcs;
    bool failed;
} plan_row;

static ik_status insert_plan(runner *r, const plan_row *row, int64_t *id, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(
        r->store,
        "INSERT INTO plans(key, routing, vc, selection, proof, fabric, vcs, failed) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        (const char *[]){row->key, row->routing, row->vc, row->selection, row->proof, NULL}, &statement, err);
    if (status != IK_OK)
        return status;
    sqlite3_bind_int64(statement, 6, row->fabric);
    sqlite3_bind_int64(statement, 7, row->vcs);
    sqlite3_bind_int(statement, 8, row->failed);
    status = store_begin(r->store, err);
    if (status != IK_OK) {
        sqlite3_finalize(statement);
        return status;
    }
    status = store_execute(r->store, statement, err);
    if (status != IK_OK) {
        store_rollback(r->store);
        return status;
    }
    *id = sqlite3_last_insert_rowid(store_db(r->store));
    return store_commit(r->store, err);
}

static const char *spec_or_null(const variant *v)
{
    return v->is_auto ? NULL : v->spec;
}

static ik_status make_plan(const runner *r, const ik_fabric *f, const point *p, ik_plan **plan, ik_error *err)
{
    const ik_experiment *e = r->e;
    ik_env env = setup_env(r);
    const variant *routing = experiment_variant(e, p, SECTION_ROUTING);
    unsigned vcs = (unsigned)experiment_variant(e, p, SECTION_VCS)->params.values[0].u;
    ik_status status = ik_plan_from_specs(f, routing->spec, spec_or_null(experiment_variant(e, p, SECTION_VC)),
                                          spec_or_null(experiment_variant(e, p, SECTION_SELECTION)), vcs, &env, plan, err);
    if (status != IK_OK)
        ik_error_at(err, routing->place->file, routing->place->line, routing->place->column);
    return status;
}

static void tell_proof(const runner *r, const char *routing, const ik_proof *proof)
{
    if (proof->delivered == IK_NO)
        tell_note(r, IK_ERROR, "%s does not deliver %llu of %llu pairs", routing, (unsigned long long)proof->undelivered,
                  (unsigned long long)proof->pairs);
    if (proof->loop_free == IK_NO)
        tell_note(r, IK_ERROR, "%s has loops for %llu pairs", routing, (unsigned long long)proof->loops);
    if (proof->deadlock_free == IK_NO)
        tell_note(r, IK_ERROR, "%s can deadlock (a cycle of %zu channels); it is simulated under the watchdog", routing,
                  proof->witness_length);
}

static ik_status prove_plan(runner *r, const ik_fabric *f, plan_slot *slot, plan_row *row, ik_error *err)
{
    const ik_plan *plan = slot->plan;
    const char *label = experiment_variant(r->e, &slot->at, SECTION_ROUTING)->label;
    ik_env env = setup_env(r);
    ik_proof proof = {0};
    char *json = NULL;
    tell_stage(r, "proving %s", label);
    ik_status status = ik_verify(plan, NULL, &env, &proof, err);
    if (status != IK_OK)
        return status;
    tell_proof(r, label, &proof);
    row->failed = proof.delivered == IK_NO || proof.loop_free == IK_NO || proof.deadlock_free == IK_NO;
    row->routing = label;
    row->vc = plan->vc && plan->vc->spec ? plan->vc->spec : "";
    row->selection = plan->selection && plan->selection->spec ? plan->selection->spec : "";
    row->vcs = plan->num_vcs;
    status = describe_proof(f, &proof, &json, err);
    row->proof = json;
    if (status == IK_OK)
        status = insert_plan(r, row, &slot->id, err);
    r->failed |= status == IK_OK && row->failed;
    free(json);
    ik_proof_free(&proof);
    return status;
}

/* A routing that does not fit this fabric is told and left out; the others of the sweep go on. */
static void leave_out(runner *r, plan_slot *slot, const ik_error *why)
{
    tell_note(r, IK_ERROR, "%s is left out: %s%s%s", experiment_variant(r->e, &slot->at, SECTION_ROUTING)->label, why->text,
              why->hint[0] ? "; " : "", why->hint);
    slot->unusable = true;
    r->unusable = *why;
    r->failed = true;
}

static bool has_unfinished(const runner *r, const plan_slot *slot)
{
    for (uint64_t i = slot->first; i < slot->first + slot->num; i++)
        if (!r->finished[i])
            return true;
    return false;
}

static ik_status open_keyed(runner *r, const ik_fabric *f, int64_t fabric, const char *key, plan_slot *slot, ik_error *err)
{
    bool known = false, failed = false;
    ik_status status =
        look_up(r, "SELECT id, failed FROM plans WHERE key = ?1", (const char *[]){key, NULL}, &known, &slot->id, &failed, err);
    if (status != IK_OK)
        return status;
    r->failed |= known && failed;
    if (known && !has_unfinished(r, slot)) {
        r->usable_plans++;
        return IK_OK;
    }
    ik_error local;
    tell_stage(r, "routing with %s", experiment_variant(r->e, &slot->at, SECTION_ROUTING)->label);
    status = make_plan(r, f, &slot->at, &slot->plan, &local);
    if (status == IK_ERR_UNSUPPORTED) {
        leave_out(r, slot, &local);
        return IK_OK;
    }
    if (status != IK_OK) {
        if (err)
            *err = local;
        return status;
    }
    r->usable_plans++;
    plan_row row = {.key = key, .fabric = fabric};
    return known ? IK_OK : prove_plan(r, f, slot, &row, err);
}

ik_status plan_open(runner *r, const ik_fabric *f, int64_t fabric, plan_slot *slot, ik_error *err)
{
    char *key = NULL;
    ik_status status = plan_key(r, &slot->at, &key, err);
    if (status == IK_OK)
        status = open_keyed(r, f, fabric, key, slot, err);
    free(key);
    return status;
}
