/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/proofs.c: the proofs of a run's plans. What a results file says of a plan is
 * shown, but a plan that is run is proved here and now, by way of the cache of proofs; only then is
 * its row written, or corrected. What failed is reported, stored, and simulated all the same under
 * the watchdog.
 */
#include "experiment/describe.h"
#include "experiment/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const flow_names[NUM_FLOWS] = {"any", "cut_through", "settled"};

plan_flow flow_of_switch(const variant *sw)
{
    return ik_sim_flow_of(&sw->params) == IK_SIM_CUT_THROUGH ? FLOW_CUT_THROUGH : FLOW_SETTLED;
}

void proof_asked_text(const ik_experiment *e, char *text, size_t size)
{
    const ik_value *proof = experiment_option(e, OPTION_PROOF);
    if (proof->u == PROOF_SAMPLED)
        snprintf(text, size, "%s %" PRIu64, proof->text,
                 experiment_option(e, OPTION_PROOF_PAIRS)->u);
    else
        snprintf(text, size, "%s", proof->text);
}

/* ---- the store */

typedef struct plan_row {
    const char *key, *flow, *routing, *vc, *selection, *asked, *proof;
    int64_t fabric;
    unsigned vcs;
    bool failed;
} plan_row;

ik_status plan_look_up(const runner *r, const char *key, unsigned flows, plan_slot *slot,
                       bool *known, bool *failed, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    char asked[48];
    unsigned found = 0;
    bool row = true;
    proof_asked_text(r->e, asked, sizeof asked);
    *failed = false;
    ik_status status =
        store_prepare(r->store, "SELECT id, flow, failed FROM plans WHERE key = ?1 AND asked = ?2",
                      (const char *[]){key, asked, NULL}, &statement, err);
    while (status == IK_OK && (status = store_step(r->store, statement, &row, err)) == IK_OK &&
           row) {
        const char *name = "";
        status = store_text(statement, 1, &name, err);
        for (plan_flow flow = 0; flow < NUM_FLOWS; flow++)
            if (strcmp(name, flow_names[flow]) == 0) {
                found |= 1u << flow;
                slot->id[flow] = sqlite3_column_int64(statement, 0);
            }
        *failed |= sqlite3_column_int(statement, 2) != 0;
    }
    sqlite3_finalize(statement);
    *known = (found >> FLOW_ANY & 1) || (found & flows) == flows;
    return status;
}

/* Id of the row with this key and flow; *same: it says what `row` does. */
static ik_status proofs_find_row(const runner *r, const plan_row *row, int64_t *id, bool *found,
                                 bool *same, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(
        r->store,
        "SELECT id, asked = ?3 AND proof = ?4 AND failed = ?5 FROM plans WHERE key = ?1 AND flow = "
        "?2",
        (const char *[]){row->key, row->flow, row->asked, row->proof, NULL}, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_int(statement, 5, row->failed);
        status = store_step(r->store, statement, found, err);
    }
    if (status == IK_OK && *found) {
        *id = sqlite3_column_int64(statement, 0);
        *same = sqlite3_column_int(statement, 1) != 0;
    }
    sqlite3_finalize(statement);
    return status;
}

static ik_status proofs_write_row(runner *r, const plan_row *row, bool found, int64_t *id,
                                  ik_error *err)
{
    static const char insert[] =
        "INSERT INTO plans(asked, proof, key, flow, routing, vc, selection, failed, fabric, vcs) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    static const char update[] =
        "UPDATE plans SET asked = ?1, proof = ?2, failed = ?8 WHERE key = ?3 AND flow = ?4";
    sqlite3_stmt *statement = NULL;
    const char *const texts[] = {row->asked,   row->proof, row->key,       row->flow,
                                 row->routing, row->vc,    row->selection, NULL};
    const char *const first[] = {row->asked, row->proof, row->key, row->flow, NULL};
    ik_status status =
        store_prepare(r->store, found ? update : insert, found ? first : texts, &statement, err);
    if (status != IK_OK)
        return status;
    sqlite3_bind_int(statement, 8, row->failed);
    if (!found) {
        sqlite3_bind_int64(statement, 9, row->fabric);
        sqlite3_bind_int64(statement, 10, row->vcs);
    }
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
    if (!found)
        *id = sqlite3_last_insert_rowid(store_db(r->store));
    return store_commit(r->store, err);
}

static ik_status proofs_keep_row(runner *r, const plan_row *row, int64_t *id, ik_error *err)
{
    bool found = false, same = false;
    ik_status status = proofs_find_row(r, row, id, &found, &same, err);
    return status == IK_OK && !same ? proofs_write_row(r, row, found, id, err) : status;
}

/* ---- routes of fabrics that are drawn */

static ik_status proofs_write_routes(runner *r, const char *key, const char *json, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    void *blob = NULL;
    size_t size = 0;
    ik_status status = store_deflate(json, strlen(json), &blob, &size, err);
    if (status == IK_OK)
        status = store_prepare(
            r->store, "INSERT OR IGNORE INTO details(params, kind, body) VALUES(?1, 'routes', ?2)",
            (const char *[]){key, NULL}, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_blob64(statement, 2, blob, size, SQLITE_TRANSIENT);
        status = store_begin(r->store, err);
    }
    free(blob);
    if (status != IK_OK) {
        sqlite3_finalize(statement);
        return status;
    }
    status = store_execute(r->store, statement, err);
    if (status == IK_OK)
        return store_commit(r->store, err);
    store_rollback(r->store);
    return status;
}

/* Of a plan that has none yet, if its fabric has a drawing. */
static ik_status proofs_keep_routes(runner *r, const ik_fabric *f, const plan_row *row,
                                    const ik_plan *plan, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool wanted = false;
    char *json = NULL;
    ik_status status =
        store_prepare(r->store,
                      "SELECT 1 FROM fabrics WHERE id = ?2 AND length(drawing) > 0 AND NOT EXISTS "
                      "(SELECT 1 FROM details WHERE params = ?1 AND kind = 'routes')",
                      (const char *[]){row->key, NULL}, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_int64(statement, 2, row->fabric);
        status = store_step(r->store, statement, &wanted, err);
    }
    sqlite3_finalize(statement);
    if (status != IK_OK || !wanted)
        return status;
    status = describe_routes(f, plan, &json, err);
    if (status == IK_OK)
        status = proofs_write_routes(r, row->key, json, err);
    free(json);
    return status;
}

/* ---- proving */

static void tell_proof(const runner *r, const char *routing, plan_flow flow, const ik_proof *proof)
{
    if (proof->delivered == IK_NO)
        tell_note(r, IK_ERROR, "%s does not deliver %llu of %s", routing,
                  (unsigned long long)proof->undelivered, IK_COUNT(proof->pairs, "pair"));
    if (proof->loop_free == IK_NO)
        tell_note(r, IK_ERROR, "%s has loops for %s", routing, IK_COUNT(proof->loops, "pair"));
    if (proof->deadlock_free == IK_NO && flow == FLOW_SETTLED)
        tell_note(r, IK_ERROR,
                  "%s is not proved free of deadlock for switches whose packets keep the output "
                  "they chose: %s; it is simulated under the watchdog",
                  routing, proof->deadlock_reason);
    else if (proof->deadlock_free == IK_NO)
        tell_note(r, IK_ERROR, "%s can deadlock (a cycle of %s)%s", routing,
                  IK_COUNT(proof->witness_length, "channel"),
                  experiment_simulates(r->e) ? "; it is simulated under the watchdog" : "");
    if (proof->sampled_pairs)
        tell_note(r, IK_NOTE, "%s: a sample of %llu pairs is proved, no more", routing,
                  (unsigned long long)proof->sampled_pairs);
}

static const ik_proof no_proof = {.delivered = IK_UNKNOWN,
                                  .loop_free = IK_UNKNOWN,
                                  .minimal = IK_UNKNOWN,
                                  .deadlock_free = IK_UNKNOWN,
                                  .ordered = IK_UNKNOWN,
                                  .deadlock_reason = "not proved",
                                  .first_undelivered_src = IK_NONE,
                                  .first_undelivered_dst = IK_NONE,
                                  .gap_src = IK_NONE,
                                  .gap_dst = IK_NONE,
                                  .gap_port = IK_NONE};

static ik_status make_proof(const runner *r, const ik_plan *plan, const char *routing,
                            plan_flow flow, ik_proof *proof, ik_error *err)
{
    static const ik_flow judged_for[NUM_FLOWS] = {IK_FLOW_ANY, IK_FLOW_CUT_THROUGH,
                                                  IK_FLOW_SETTLED};
    uint64_t extent = experiment_option(r->e, OPTION_PROOF)->u;
    ik_env env = setup_env(r);
    ik_verify_config config = {.flow = judged_for[flow]};
    if (extent == PROOF_OFF) {
        *proof = no_proof;
        tell_note(r, IK_NOTE, "%s is not proved (proof: off); it is simulated under the watchdog",
                  routing);
        return IK_OK;
    }
    if (extent == PROOF_SAMPLED)
        config.sample_pairs = experiment_option(r->e, OPTION_PROOF_PAIRS)->u;
    tell_stage(r, "proving %s", routing);
    return ik_verify_cached(plan, &config, &env, proof, NULL, err);
}

/* How much of a proof there is, in a word. */
static const char *proofs_extent_of(const runner *r, const ik_proof *proof)
{
    if (!proof)
        return "none";
    if (proof->sampled_pairs > 0)
        return "sampled";
    return experiment_option(r->e, OPTION_PROOF)->u == PROOF_OFF ? "off" : "full";
}

ik_status plan_keep_proof(runner *r, const ik_fabric *f, int64_t fabric, const char *key,
                          plan_flow flow, const ik_proof *proof, plan_slot *slot, ik_error *err)
{
    const ik_plan *plan = slot->plan;
    const char *wished_vc = plan ? "" : experiment_variant(r->e, &slot->at, SECTION_VC)->label;
    char asked[48] = "none", *json = NULL;
    if (proof)
        proof_asked_text(r->e, asked, sizeof asked);
    plan_row row = {
        .key = key,
        .flow = flow_names[flow],
        .fabric = fabric,
        .routing = experiment_variant(r->e, &slot->at, SECTION_ROUTING)->label,
        .vc = plan && plan->vc && plan->vc->spec ? plan->vc->spec : wished_vc,
        .selection = plan && plan->selection && plan->selection->spec ? plan->selection->spec : "",
        .vcs = plan
                   ? plan->num_vcs
                   : (unsigned)experiment_variant(r->e, &slot->at, SECTION_VCS)->params.values[0].u,
        .asked = asked,
        .failed = proof && (proof->delivered == IK_NO || proof->loop_free == IK_NO ||
                            proof->deadlock_free == IK_NO)};
    ik_status status = describe_proof(f, proof ? proof : &no_proof, proofs_extent_of(r, proof),
                                      row.flow, &json, err);
    row.proof = json;
    if (status == IK_OK)
        status = proofs_keep_row(r, &row, &slot->id[flow], err);
    if (status == IK_OK && plan)
        status = proofs_keep_routes(r, f, &row, plan, err);
    r->failed |= status == IK_OK && row.failed;
    free(json);
    return status;
}

void plan_tell_proof(const runner *r, const plan_slot *slot, plan_flow flow, const ik_proof *proof)
{
    tell_proof(r, experiment_variant(r->e, &slot->at, SECTION_ROUTING)->label, flow, proof);
}

ik_status plan_prove(runner *r, const ik_fabric *f, int64_t fabric, const char *key, plan_flow flow,
                     plan_slot *slot, ik_error *err)
{
    const char *label = experiment_variant(r->e, &slot->at, SECTION_ROUTING)->label;
    ik_proof proof = {0};
    ik_status status = make_proof(r, slot->plan, label, flow, &proof, err);
    if (status != IK_OK)
        return status;
    tell_proof(r, label, flow, &proof);
    slot->proved_free[flow] = proof.deadlock_free == IK_YES && proof.sampled_pairs == 0;
    status = plan_keep_proof(r, f, fabric, key, flow, &proof, slot, err);
    ik_proof_free(&proof);
    return status;
}
