/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model.c: reads a result store.
 */
#include "report/model.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

store_row model_row(report_model *m, sqlite3_stmt *statement, const char *what, int64_t id,
                    ik_error *err)
{
    return (store_row){.s = m->store,
                       .statement = statement,
                       .arena = &m->arena,
                       .what = what,
                       .id = id,
                       .status = IK_OK,
                       .err = err};
}

void model_json(store_row *r, int column, const char *text, bool or_none, const shape *s,
                json_t **out)
{
    json_error_t why;
    json_t *value = NULL;
    char place[160], message[400];
    if (r->status != IK_OK || (or_none && !text[0]))
        return;
    ik_status parsed = json_parse(text, strlen(text), &value, &why);
    if (parsed == IK_ERR_MEMORY) {
        r->status = ik_fail_memory(r->err, strlen(text), "a report");
        return;
    }
    const char *wrong = parsed == IK_OK ? shape_differs(s, value, place, sizeof place) : NULL;
    if (parsed != IK_OK)
        snprintf(message, sizeof message, "is not JSON: %s (line %d, column %d)", why.text,
                 why.line, why.column);
    else if (wrong)
        snprintf(message, sizeof message, "is not what ikat writes: %s", wrong);
    if (parsed != IK_OK || wrong)
        row_damaged(r, column, message);
    if (r->status == IK_OK && out)
        *out = value;
    else
        json_decref(value);
}

ik_status model_stored(const char *text, json_t **out, ik_error *err)
{
    json_error_t why;
    json_t *value = NULL;
    ik_status status = text[0] ? json_parse(text, strlen(text), &value, &why) : IK_OK;
    if (status == IK_ERR_MEMORY)
        return ik_fail_memory(err, strlen(text), "a report");
    if (status != IK_OK)
        return ik_fail(err, status, "a stored text is not JSON: %s", why.text);
    *out = value;
    return IK_OK;
}

void *model_grow(report_model *m, void *items, size_t num, size_t item_bytes)
{
    if (num & (num - 1)) /* room is the next power of two */
        return items;
    char *larger = ik_arena_alloc(&m->arena, (num ? 2 * num : 1) * item_bytes);
    if (larger && num)
        memcpy(larger, items, num * item_bytes);
    return larger;
}

/* ---- meta */

static ik_status model_read_meta(report_model *m, ik_error *err)
{
    const char *number = "0";
    const struct {
        const char *key;
        const char **value;
    } rows[] = {
        {"version", &m->version}, {"title", &m->title},           {"description", &m->description},
        {"file", &m->file},       {"experiment", &m->experiment}, {"overrides", &m->overrides},
        {"scale", &m->scale},     {"num_points", &number}};
    ik_status status = IK_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == IK_OK; i++)
        status = store_get_meta(m->store, rows[i].key, &m->arena, rows[i].value, err);
    if (status == IK_OK && (strlen(number) > 18 || strspn(number, "0123456789") < strlen(number)))
        return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: the number of points is '%.40s'",
                       store_path(m->store), number);
    m->num_points = strtoull(number, NULL, 10);
    return status;
}

/* Points of a finished run that could not be simulated. */
static ik_status model_read_left_out(report_model *m, ik_error *err)
{
    const char *text = "";
    ik_status status = store_get_meta(m->store, "left_out", &m->arena, &text, err);
    if (status != IK_OK)
        return status;
    store_row r = model_row(m, NULL, "what was left out", -1, err);
    model_json(&r, -1, text, true, &shape_left_out, &m->left_out);
    size_t i;
    json_t *item;
    json_array_foreach(m->left_out, i, item)
    {
        m->num_left_out += (uint64_t)json_integer_value(json_object_get(item, "points"));
    }
    return r.status;
}

/* Axes that are samples, as a JSON list. */
static ik_status model_read_over(report_model *m, ik_error *err)
{
    static const shape word = {SHAPE_TEXT}, words = {SHAPE_LIST, .item = &word};
    const char *text = "";
    json_t *list = NULL;
    ik_status status = store_get_meta(m->store, "over", &m->arena, &text, err);
    if (status != IK_OK)
        return status;
    store_row r = model_row(m, NULL, "the list of samples", -1, err);
    model_json(&r, -1, text, true, &words, &list);
    m->over = ik_arena_alloc(&m->arena, (json_array_size(list) + 1) * sizeof *m->over);
    for (size_t i = 0; m->over && i < json_array_size(list); i++) {
        m->over[i] = ik_arena_strdup(&m->arena, json_string_value(json_array_get(list, i)));
        m->num_over += m->over[i] != NULL;
    }
    bool lost = !m->over || m->num_over < json_array_size(list);
    json_decref(list);
    return r.status == IK_OK && lost ? ik_fail_memory(err, 1, "a report") : r.status;
}

/* ---- plans */

/* Both are read in the order of their ids. */
static size_t model_fabric_index(const report_model *m, int64_t id)
{
    size_t low = 0, high = m->num_fabrics;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->fabrics[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->num_fabrics && m->fabrics[low].id == id ? low : SIZE_MAX;
}

static size_t model_plan_index(const report_model *m, int64_t id)
{
    size_t low = 0, high = m->num_plans;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->plans[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->num_plans && m->plans[low].id == id ? low : SIZE_MAX;
}

static ik_status model_read_plan(report_model *m, sqlite3_stmt *statement, ik_error *err)
{
    report_plan *plans = model_grow(m, m->plans, m->num_plans, sizeof *plans);
    if (!plans)
        return ik_fail_memory(err, sizeof *plans, "a report");
    m->plans = plans;
    report_plan *p = &plans[m->num_plans];
    store_row r = model_row(m, statement, "plan", sqlite3_column_int64(statement, 0), err);
    *p = (report_plan){.id = r.id,
                       .fabric = model_fabric_index(m, row_int(&r, 1, INT64_MIN, INT64_MAX)),
                       .routing = row_text(&r, 2),
                       .vc = row_text(&r, 3),
                       .vcs = (unsigned)row_int(&r, 4, 0, UINT16_MAX),
                       .selection = row_text(&r, 5),
                       .failed = row_int(&r, 7, 0, 1) != 0};
    if (p->fabric == SIZE_MAX)
        row_damaged(&r, 1, "is no fabric of the points");
    model_json(&r, 6, row_text(&r, 6), false, &shape_proof, &p->proof);
    m->num_plans += r.status == IK_OK;
    return r.status;
}

static const char *model_proof_word(const report_plan *p, const char *key)
{
    const char *word = json_string_value(json_object_get(p->proof, key));
    return word ? word : "";
}

/* What a reader of any table has to know of the proof: "[not proved]", "[10000 pairs sampled]"; ""
 * if all is proved or refuted. */
static const char *model_proof_mark(report_model *m, const report_plan *p)
{
    const char *extent = model_proof_word(p, "proof");
    if (strcmp(extent, "off") == 0)
        return " [not proved]";
    if (strcmp(extent, "sampled") == 0)
        return ik_arena_printf(
            &m->arena, " [%lld pairs sampled]",
            (long long)json_integer_value(json_object_get(p->proof, "sampled_pairs")));
    bool settled = strcmp(model_proof_word(p, "flow"), "settled") == 0;
    return settled && json_is_false(json_object_get(p->proof, "deadlock_free"))
               ? " [deadlock not excluded]"
               : "";
}

/* The plan's name: as much as distinguishes it from the other plans of its fabric. */
static ik_status model_label_plan(report_model *m, report_plan *p, const size_t *others, size_t num,
                                  ik_error *err)
{
    bool vc = false, vcs = false, selection = false, flow = false;
    for (size_t i = 0; i < num; i++) {
        const report_plan *q = &m->plans[others[i]];
        if (q == p || strcmp(q->routing, p->routing) != 0)
            continue;
        vc |= strcmp(q->vc, p->vc) != 0;
        vcs |= q->vcs != p->vcs;
        selection |= strcmp(q->selection, p->selection) != 0;
        flow |= strcmp(q->vc, p->vc) == 0 && q->vcs == p->vcs &&
                strcmp(q->selection, p->selection) == 0 &&
                strcmp(model_proof_word(q, "flow"), model_proof_word(p, "flow")) != 0;
    }
    const char *label = p->routing;
    if (vc && label)
        label = ik_arena_printf(&m->arena, "%s, %s", label, p->vc);
    if (vcs && label)
        label = ik_arena_printf(&m->arena, "%s, %u VCs", label, p->vcs);
    if (selection && label)
        label = ik_arena_printf(&m->arena, "%s, %s", label, p->selection);
    if (flow && label)
        label = ik_arena_printf(&m->arena, "%s, %s", label, model_proof_word(p, "flow"));
    const char *mark = model_proof_mark(m, p);
    if (label && (!mark || mark[0]))
        label = mark ? ik_arena_printf(&m->arena, "%s%s", label, mark) : NULL;
    p->label = label;
    return label ? IK_OK : ik_fail_memory(err, 1, "a report");
}

typedef struct plan_place {
    size_t fabric, plan;
} plan_place;

static int model_by_fabric(const void *a, const void *b)
{
    const plan_place *x = a, *y = b;
    return x->fabric != y->fabric ? (x->fabric > y->fabric) - (x->fabric < y->fabric)
                                  : (x->plan > y->plan) - (x->plan < y->plan);
}

/* Fabric by fabric. */
static ik_status model_label_plans(report_model *m, ik_error *err)
{
    plan_place *places = ik_calloc(m->num_plans + 1, sizeof *places);
    size_t *order = ik_calloc(m->num_plans + 1, sizeof *order);
    ik_status status =
        places && order ? IK_OK : ik_fail_memory(err, m->num_plans * sizeof *places, "a report");
    for (size_t i = 0; i < m->num_plans && status == IK_OK; i++)
        places[i] = (plan_place){m->plans[i].fabric, i};
    if (status == IK_OK)
        qsort(places, m->num_plans, sizeof *places, model_by_fabric);
    for (size_t i = 0, next; i < m->num_plans && status == IK_OK; i = next) {
        for (next = i; next < m->num_plans && places[next].fabric == places[i].fabric; next++)
            order[next] = places[next].plan;
        for (size_t k = i; k < next && status == IK_OK; k++)
            status = model_label_plan(m, &m->plans[order[k]], order + i, next - i, err);
    }
    free(places);
    free(order);
    return status;
}

/* Plans of the current sweep: those with points. Unfinished sweeps show what they have. */
static ik_status model_read_plans(report_model *m, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status =
        store_prepare(m->store,
                      "SELECT id, fabric, routing, vc, vcs, selection, proof, failed FROM plans "
                      "WHERE id IN (SELECT plan FROM points WHERE " STORE_CURRENT ") ORDER BY id",
                      NULL, &statement, err);
    for (bool row = true; status == IK_OK;) {
        status = store_step(m->store, statement, &row, err);
        if (status != IK_OK || !row)
            break;
        status = model_read_plan(m, statement, err);
    }
    sqlite3_finalize(statement);
    return status == IK_OK ? model_label_plans(m, err) : status;
}

/* ---- points */

enum { FIRST_METRIC = 16 }; /* columns of model_read_rows() */

static ik_steady_verdict model_read_verdict(store_row *r, int column)
{
    const char *text = row_text(r, column);
    for (ik_steady_verdict v = IK_STEADY_NONE; v <= IK_STEADY_SHORT; v++)
        if (strcmp(text, ik_steady_verdict_name(v)) == 0)
            return v;
    row_damaged(r, column, "is no verdict");
    return IK_STEADY_NONE;
}

static ik_status model_read_row(report_model *m, sqlite3_stmt *statement, ik_error *err)
{
    report_row *rows = model_grow(m, m->rows, m->num_rows, sizeof *rows);
    if (!rows)
        return ik_fail_memory(err, sizeof *rows, "a report");
    m->rows = rows;
    store_row r = model_row(m, statement, "point", sqlite3_column_int64(statement, 0), err);
    report_row *row = &rows[m->num_rows];
    bool simulated = sqlite3_column_bytes(statement, 9) > 0; /* its checksum */
    *row = (report_row){.id = row_int(&r, 0, 0, STORE_RETIRED - 1),
                        .fabric = model_fabric_index(m, row_int(&r, 1, INT64_MIN, INT64_MAX)),
                        .plan = model_plan_index(m, row_int(&r, 2, INT64_MIN, INT64_MAX)),
                        .traffic = row_text(&r, 3),
                        .variant = row_text(&r, 4),
                        .load = row_real(&r, 5),
                        /* the bits of an unsigned number */
                        .seed = (uint64_t)row_int(&r, 6, INT64_MIN, INT64_MAX),
                        .simulated = simulated,
                        .window_ps = simulated ? (uint64_t)row_int(&r, 7, 0, INT64_MAX) : 0,
                        .end_ps = simulated ? (uint64_t)row_int(&r, 8, 0, INT64_MAX) : 0,
                        .checksum = row_text(&r, 9),
                        .deadlock = row_text(&r, 10),
                        .params = row_text(&r, 11),
                        .classes = row_text(&r, 12),
                        .missing = row_text(&r, 13),
                        .steady = model_read_verdict(&r, 14),
                        .steady_reason = row_text(&r, 15)};
    for (int i = 0; i < NUM_METRICS; i++) {
        row->value[i] = i == METRIC_DRIFT ? row_signed_if_any(&r, FIRST_METRIC + i)
                                          : row_real_if_any(&r, FIRST_METRIC + i);
        bool trivial = i == METRIC_FEASIBLE && simulated; /* what is simulated is feasible */
        m->used[i] |= !trivial && !isnan(row->value[i]);
    }
    m->drawn_plans |= strstr(row->params, "\"routing_seed\":") != NULL;
    m->designs |= strncmp(row->variant, "design: ", strlen("design: ")) == 0;
    if (row->plan == SIZE_MAX || m->plans[row->plan].fabric != row->fabric)
        row_damaged(&r, 2, "is not a plan of its fabric");
    model_json(&r, 11, row->params, false, &shape_params, NULL);
    model_json(&r, 12, row->classes, true, &shape_classes, NULL);
    m->num_rows += r.status == IK_OK;
    return r.status;
}

static ik_status model_read_rows(report_model *m, ik_error *err)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "SELECT id, fabric, plan, traffic, variant, load, seed, window_ps, "
                               "end_ps, checksum, deadlock, params, classes, missing, steady, "
                               "steady_reason");
    for (int i = 0; i < NUM_METRICS; i++)
        sqlite3_str_appendf(sql, ", %s", metrics[i].name);
    sqlite3_str_appendall(sql, " FROM points WHERE " STORE_CURRENT " ORDER BY id");
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare_made(m->store, sqlite3_str_finish(sql), &statement, err);
    for (bool row = true; status == IK_OK;) {
        status = store_step(m->store, statement, &row, err);
        if (status != IK_OK || !row)
            break;
        status = model_read_row(m, statement, err);
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- what points have in detail */

/* What a point has of this kind as JSON of this shape; *out NULL: nothing. */
static ik_status model_detail_of(report_model *m, const report_row *row, const char *kind,
                                 const shape *s, json_t **out, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool any = false;
    *out = NULL;
    ik_status status =
        store_prepare(m->store, "SELECT body FROM details WHERE params = ?1 AND kind = ?2",
                      (const char *[]){row->params, kind, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_step(m->store, statement, &any, err);
    if (status == IK_OK && any) {
        store_row r = model_row(m, statement, "details of point", row->id, err);
        model_json(&r, 0, row_packed_text(&r, 0), false, s, out);
        status = r.status;
    }
    sqlite3_finalize(statement);
    return status;
}

static ik_status model_read_detail(report_model *m, const char *kind, const shape *s, size_t offset,
                                   ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool any = false;
    ik_status status = store_prepare(m->store, "SELECT 1 FROM details WHERE kind = ?1 LIMIT 1",
                                     (const char *[]){kind, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_step(m->store, statement, &any, err);
    sqlite3_finalize(statement);
    for (size_t i = 0; i < m->num_rows && any && status == IK_OK; i++) {
        json_t **to = (json_t **)(void *)((char *)&m->rows[i] + offset);
        status = model_detail_of(m, &m->rows[i], kind, s, to, err);
    }
    return status;
}

static ik_status model_read_details(report_model *m, ik_error *err)
{
    ik_status status = model_read_detail(m, "jobs", &shape_jobs, offsetof(report_row, jobs), err);
    if (status == IK_OK)
        status = model_read_detail(m, "probes", &shape_probes, offsetof(report_row, probes), err);
    return status == IK_OK
               ? model_read_detail(m, "watch", &shape_watch, offsetof(report_row, watch), err)
               : status;
}

/* ---- all */

static ik_status model_check_figures(report_model *m, ik_error *err)
{
    ik_status status = figures_new(m, err);
    return status == IK_OK ? figures_check_stored(m, err) : status;
}

static ik_status model_read_parts(const char *path, bool plain, report_model **out, ik_error *err)
{
    report_model *m = ik_calloc(1, sizeof *m);
    if (!m)
        return ik_fail_memory(err, sizeof *m, "a report");
    m->plain = plain;
    static ik_status (*const parts[])(report_model *, ik_error *) = {
        model_read_meta,    model_read_left_out, model_read_over, model_check_figures,
        model_read_fabrics, model_read_plans,    model_read_rows, model_read_details,
        model_make_curves,  model_find_costs};
    ik_status status = store_open(path, &m->store, err);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == IK_OK; i++)
        status = parts[i](m, err);
    if (status != IK_OK) {
        model_free(m);
        return status;
    }
    *out = m;
    return IK_OK;
}

ik_status model_read(const char *path, report_model **out, ik_error *err)
{
    return model_read_parts(path, false, out, err);
}

ik_status model_read_plain(const char *path, report_model **out, ik_error *err)
{
    return model_read_parts(path, true, out, err);
}

void model_free(report_model *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->num_fabrics; i++) {
        json_decref(m->fabrics[i].summary);
        json_decref(m->fabrics[i].drawing);
    }
    for (size_t i = 0; i < m->num_plans; i++)
        json_decref(m->plans[i].proof);
    for (size_t i = 0; i < m->num_rows; i++) {
        json_decref(m->rows[i].jobs);
        json_decref(m->rows[i].probes);
        json_decref(m->rows[i].watch);
    }
    json_decref(m->left_out);
    figures_free(m);
    store_close(m->store);
    ik_arena_free(&m->arena);
    free(m);
}
