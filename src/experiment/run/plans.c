/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/plans.c: the fabrics and plans of a run. A plan is made if points of it are to be
 * run or if its stored proof is not the one that the experiment asks for.
 */
#include "experiment/describe.h"
#include "experiment/run/run.h"
#include "routing/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ik_env setup_env(const runner *r)
{
    ik_env env = *r->env;
    env.seed = setup_seed(r->e);
    env.num_threads = r->num_jobs;
    return env;
}

ik_env plan_env(const runner *r, const point *p)
{
    ik_env env = setup_env(r);
    env.seed = plan_seed(r->e, p);
    return env;
}

/* First column of the only row, if there is one. */
static ik_status plans_look_up(const runner *r, const char *sql, const char *const *texts,
                               bool *found, int64_t *id, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(r->store, sql, texts, &statement, err);
    if (status == IK_OK)
        status = store_step(r->store, statement, found, err);
    if (status == IK_OK && *found)
        *id = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

/* ---- fabrics */

static bool plans_is_over(const ik_experiment *e, const char *param)
{
    static const char section[] = "fabric.";
    for (size_t i = 0; i < e->num_over; i++)
        if (strncmp(e->over[i], section, sizeof section - 1) == 0 &&
            strcmp(e->over[i] + sizeof section - 1, param) == 0)
            return true;
    return false;
}

/* The fabrics that `over` makes samples of one kind have one drawing, that of the first. */
typedef struct kind {
    const char *text; /* that of a fabric without what `over` calls samples */
    const variant *first;
} kind;

/* In the experiment's arena; NULL = out of memory. */
static const char *plans_kind_text(const runner *r, const variant *v)
{
    for (size_t i = 0; i < r->e->num_over; i++)
        if (strcmp(r->e->over[i], "fabric") == 0)
            return "";
    const char *text = ik_arena_strdup(&r->e->arena, v->name);
    for (size_t i = 0; text && i < v->params.num; i++)
        if (v->params.values[i].has && !plans_is_over(r->e, v->params.decl[i].name))
            text = ik_arena_printf(&r->e->arena, "%s,%s=%s", text, v->params.decl[i].name,
                                   v->params.values[i].text);
    return text;
}

static bool plans_has_samples(const ik_experiment *e)
{
    bool samples = false;
    for (size_t i = 0; i < e->num_over; i++)
        samples |= strncmp(e->over[i], "fabric", strlen("fabric")) == 0;
    return samples;
}

ik_status plans_find_drawn(runner *r, ik_error *err)
{
    size_t num = r->e->num_plans, num_kinds = 0;
    bool samples = plans_has_samples(r->e);
    kind *kinds = ik_calloc(num, sizeof *kinds);
    r->drawn = ik_calloc(num, sizeof *r->drawn);
    bool ok = kinds && r->drawn;
    for (size_t first = 0; ok && first < num; first += plans_on_fabric(r->e, first)) {
        const variant *v = experiment_variant(r->e, &r->e->plans[first].at, SECTION_FABRIC);
        const char *text = samples ? plans_kind_text(r, v) : v->label;
        size_t i = 0;
        ok = text != NULL;
        while (ok && samples && i < num_kinds && strcmp(kinds[i].text, text) != 0)
            i++;
        if (ok && samples && i == num_kinds)
            kinds[num_kinds++] = (kind){text, v};
        r->drawn[first] = !samples || (ok && strcmp(kinds[i].first->label, v->label) == 0);
    }
    free(kinds);
    return ok ? IK_OK : ik_fail_memory(err, num * sizeof *kinds, "an experiment");
}

/* The drawing of a fabric, packed; nothing if it is not drawn. */
static ik_status plans_pack_drawing(const ik_fabric *f, bool drawn, void **blob, size_t *size,
                                    ik_error *err)
{
    char *drawing = NULL;
    size_t bytes = 0;
    if (!drawn)
        return IK_OK;
    ik_status status = describe_drawing(f, &drawing, &bytes, err);
    if (status == IK_OK)
        status = store_deflate(drawing, bytes, blob, size, err);
    free(drawing);
    return status;
}

static ik_status plans_insert_fabric(runner *r, const ik_fabric *f, const char *const *key,
                                     bool drawn, int64_t *id, ik_error *err)
{
    char *summary = NULL;
    void *blob = NULL;
    size_t packed = 0;
    sqlite3_stmt *statement = NULL;
    ik_status status = describe_fabric(f, &summary, err);
    if (status == IK_OK)
        status = plans_pack_drawing(f, drawn, &blob, &packed, err);
    if (status == IK_OK)
        status = store_prepare(
            r->store, "INSERT INTO fabrics(spec, digest, summary, drawing) VALUES(?1, ?2, ?3, ?4)",
            (const char *[]){key[0], key[1], summary, NULL}, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_blob64(statement, 4, blob ? blob : "", packed, SQLITE_STATIC);
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
    free(summary);
    return status;
}

ik_status fabric_build(const runner *r, const variant *v, ik_fabric **f, ik_error *err)
{
    ik_env env = setup_env(r);
    tell_stage(r, "building %s", v->label);
    ik_status status = topology_from_params(v->name, &v->params, &env, r->floors, f, err);
    if (status != IK_OK)
        place_in_variant(v, SECTION_FABRIC, err);
    return status;
}

ik_status fabric_keep(runner *r, size_t first, const ik_fabric *f, int64_t *id, ik_error *err)
{
    const variant *v = experiment_variant(r->e, &r->e->plans[first].at, SECTION_FABRIC);
    const char *const key[] = {v->label, v->digest, NULL};
    bool found = false;
    ik_status status = plans_look_up(r, "SELECT id FROM fabrics WHERE spec = ?1 AND digest = ?2",
                                     key, &found, id, err);
    return status == IK_OK && !found ? plans_insert_fabric(r, f, key, r->drawn[first], id, err)
                                     : status;
}

void fabric_drop(const runner *r, ik_fabric *f)
{
    traffics_forget(r->traffics, f);
    ik_fabric_free(f);
}

ik_status fabric_open(runner *r, size_t first, ik_fabric **f, int64_t *id, ik_error *err)
{
    const variant *v = experiment_variant(r->e, &r->e->plans[first].at, SECTION_FABRIC);
    ik_fabric *made = r->built[first];
    r->built[first] = NULL;
    ik_status status = made ? IK_OK : fabric_build(r, v, &made, err);
    if (status != IK_OK)
        return status;
    status = fabric_keep(r, first, made, id, err);
    if (status != IK_OK) {
        fabric_drop(r, made);
        return status;
    }
    *f = made;
    return IK_OK;
}

/* ---- plans */

/* The flows that points of a plan have: bits of 1 << flow. */
static unsigned plans_flows_of_points(const runner *r, const plan_slot *slot)
{
    const variants *list = experiment_list(r->e, slot->at.design, SECTION_SWITCH);
    unsigned flows = 0;
    for (size_t i = 0; i < list->num; i++)
        flows |= 1u << flow_of_switch(&list->items[i]);
    return flows;
}

int64_t plan_id(const plan_slot *slot, plan_flow flow)
{
    return slot->id[FLOW_ANY] ? slot->id[FLOW_ANY] : slot->id[flow];
}

bool plan_is_proved_free(const plan_slot *slot, plan_flow flow)
{
    return slot->proved_free[FLOW_ANY] || slot->proved_free[flow];
}

/* A fault of a stage is one of its settings, or else of the routing that it is asked to serve. */
static void plans_place_plan(const ik_experiment *e, const point *p, plan_stage stage,
                             ik_error *err)
{
    static const section_id of_stage[][3] = {
        [PLAN_ROUTING] = {SECTION_ROUTING, SECTION_VCS, SECTION_VC},
        [PLAN_VC] = {SECTION_VC, SECTION_VCS, SECTION_ROUTING},
        [PLAN_SELECTION] = {SECTION_SELECTION, SECTION_ROUTING, SECTION_VC}};
    place_in_sections(e, p, of_stage[stage], 3, err);
}

static ik_status plans_make_plan_for(const runner *r, const ik_fabric *f, const point *p,
                                     const ik_traffic *traffic, ik_plan **plan, ik_error *err)
{
    const ik_experiment *e = r->e;
    ik_env env = plan_env(r, p);
    env.traffic = traffic;
    const variant *routing = experiment_variant(e, p, SECTION_ROUTING);
    const variant *vc = experiment_variant(e, p, SECTION_VC),
                  *selection = experiment_variant(e, p, SECTION_SELECTION);
    unsigned vcs = (unsigned)experiment_variant(e, p, SECTION_VCS)->params.values[0].u;
    plan_stage stage = PLAN_ROUTING;
    const plan_specs specs = {.routing = routing->spec,
                              .vc = vc->is_auto ? NULL : vc->spec,
                              .selection = selection->is_auto ? NULL : selection->spec,
                              .num_vcs = vcs};
    ik_status status = plan_make(f, &specs, &env, &stage, plan, err);
    if (status != IK_OK)
        plans_place_plan(e, p, stage, err);
    return status;
}

ik_status plan_make_for(const runner *r, const ik_fabric *f, const point *p, ik_plan **plan,
                        ik_error *err)
{
    const variant *v = experiment_variant(r->e, p, SECTION_TRAFFIC);
    ik_env env = plan_env(r, p);
    ik_traffic *traffic = NULL;
    ik_status status = IK_OK;
    if (plan_takes_traffic(r->e, p))
        status = ik_traffic_from_spec(f, v->spec, &env, &traffic, err);
    if (status != IK_OK)
        place_in_variant(v, SECTION_TRAFFIC, err);
    else
        status = plans_make_plan_for(r, f, p, traffic, plan, err);
    ik_traffic_free(traffic);
    return status;
}

/* A plan that does not fit this fabric; the others of the sweep go on. */
static ik_status plans_leave_out(runner *r, plan_slot *slot, const ik_error *why, ik_error *err)
{
    ik_error *kept = ik_arena_alloc(&r->e->arena, sizeof *kept);
    if (!kept)
        return ik_fail_memory(err, sizeof *kept, "an experiment");
    *kept = *why;
    slot->why = kept;
    slot->unusable = true;
    slot->infeasible = misfit_is_limit(why);
    r->unusable = *why;
    return IK_OK;
}

static bool plans_has_unfinished(const runner *r, const plan_slot *slot)
{
    for (uint64_t i = slot->first; i < slot->first + slot->num; i++)
        if (!r->finished[i])
            return true;
    return false;
}

/* A condition on the escape layer depends on the flow control; without one the verdict holds for
 * all. */
static ik_status plans_prove_flows(runner *r, const ik_fabric *f, int64_t fabric, const char *key,
                                   plan_slot *slot, ik_error *err)
{
    unsigned flows = slot->plan->vc->escape_vcs ? plans_flows_of_points(r, slot) : 1u << FLOW_ANY;
    ik_status status = IK_OK;
    for (plan_flow flow = 0; flow < NUM_FLOWS && status == IK_OK; flow++)
        if (flows >> flow & 1)
            status = plan_prove(r, f, fabric, key, flow, slot, err);
    return status;
}

static ik_status plans_open_keyed(runner *r, const ik_fabric *f, int64_t fabric, const char *key,
                                  plan_slot *slot, ik_error *err)
{
    bool known = false, failed = false;
    ik_status status =
        plan_look_up(r, key, plans_flows_of_points(r, slot), slot, &known, &failed, err);
    if (status != IK_OK)
        return status;
    if (known && !plans_has_unfinished(r, slot)) {
        r->failed |= failed;
        r->usable_plans++;
        return IK_OK;
    }
    ik_error local;
    tell_stage(r, "routing with %s", experiment_variant(r->e, &slot->at, SECTION_ROUTING)->label);
    slot->plan = tried_take(r, slot->number);
    status = slot->plan ? IK_OK : plan_make_for(r, f, &slot->at, &slot->plan, &local);
    if (status == IK_ERR_UNSUPPORTED)
        return plans_leave_out(r, slot, &local, err);
    if (status != IK_OK) {
        if (err)
            *err = local;
        return status;
    }
    r->usable_plans++;
    const ik_routing *routing = slot->plan->routing;
    if ((routing->traits & IK_ROUTE_EVERY_PORT) && routing->note) /* tables of a subnet */
        tell_note(r, IK_NOTE, "%s", routing->note);
    return plans_prove_flows(r, f, fabric, key, slot, err);
}

ik_status plan_open(runner *r, const ik_fabric *f, int64_t fabric, plan_slot *slot, ik_error *err)
{
    char *key = NULL;
    ik_status status = plan_key(r, &slot->at, &key, err);
    if (status == IK_OK)
        status = plans_open_keyed(r, f, fabric, key, slot, err);
    free(key);
    return status;
}
