/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model.c: reads a result store.
 */
#include "report/model.h"
#include "format/json_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const metric_names[NUM_METRICS] = {
    [METRIC_OFFERED] = "offered",
    [METRIC_THROUGHPUT] = "throughput",
    [METRIC_FAIRNESS] = "fairness",
    [METRIC_LATENCY_MEAN] = "latency_mean_ns",
    [METRIC_LATENCY_P50] = "latency_p50_ns",
    [METRIC_LATENCY_P95] = "latency_p95_ns",
    [METRIC_LATENCY_P99] = "latency_p99_ns",
    [METRIC_LATENCY_MAX] = "latency_max_ns",
    [METRIC_NETWORK_LATENCY] = "network_latency_mean_ns",
    [METRIC_GENERATED] = "packets_generated",
    [METRIC_DELIVERED] = "packets_delivered",
    [METRIC_IN_FLIGHT] = "packets_in_flight",
    [METRIC_UNROUTABLE] = "packets_unroutable",
    [METRIC_ORDER] = "order_violations",
    [METRIC_HOPS] = "packet_hops",
    [METRIC_HOST_LEAST] = "host_sent_min",
    [METRIC_HOST_MOST] = "host_sent_max",
    [METRIC_BLOCKED] = "blocked_share",
    [METRIC_HOL] = "hol_share",
    [METRIC_HOL_TIME] = "hol_time_ns",
    [METRIC_ROOTS] = "congestion_roots",
    [METRIC_TREE] = "congestion_tree",
};

const char *model_text(report_model *m, sqlite3_stmt *statement, int column)
{
    const char *text;
    return store_text(statement, column, &text, NULL) == IK_OK ? ik_arena_strdup(&m->arena, text)
                                                               : NULL;
}

ik_status model_json(const report_model *m, const char *text, const char *what, int64_t id,
                     json_t **out, ik_error *err)
{
    json_error_t why;
    json_t *made = NULL;
    if (json_parse(text, strlen(text), &made, &why) == IK_ERR_MEMORY)
        return ik_fail_memory(err, strlen(text), "a report");
    if (!json_is_object(made)) {
        json_decref(made);
        return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: %s %" PRId64, store_path(m->store),
                       what, id);
    }
    *out = made;
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

static ik_status read_meta(report_model *m, ik_error *err)
{
    const char *number = "0";
    const struct {
        const char *key;
        const char **value;
    } rows[] = {{"version", &m->version},         {"title", &m->title},
                {"description", &m->description}, {"file", &m->file},
                {"experiment", &m->experiment},   {"overrides", &m->overrides},
                {"num_points", &number}};
    ik_status status = IK_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == IK_OK; i++)
        status = store_get_meta(m->store, rows[i].key, &m->arena, rows[i].value, err);
    m->num_points = strtoull(number, NULL, 10);
    return status;
}

/* ---- plans */

static size_t fabric_index(const report_model *m, int64_t id)
{
    for (size_t i = 0; i < m->num_fabrics; i++)
        if (m->fabrics[i].id == id)
            return i;
    return SIZE_MAX;
}

static size_t plan_index(const report_model *m, int64_t id)
{
    for (size_t i = 0; i < m->num_plans; i++)
        if (m->plans[i].id == id)
            return i;
    return SIZE_MAX;
}

static ik_status read_plan(report_model *m, sqlite3_stmt *statement, ik_error *err)
{
    report_plan *plans = model_grow(m, m->plans, m->num_plans, sizeof *plans);
    if (!plans)
        return ik_fail_memory(err, sizeof *plans, "a report");
    m->plans = plans;
    report_plan *p = &plans[m->num_plans];
    *p = (report_plan){.id = sqlite3_column_int64(statement, 0),
                       .fabric = fabric_index(m, sqlite3_column_int64(statement, 1)),
                       .routing = model_text(m, statement, 2),
                       .vc = model_text(m, statement, 3),
                       .vcs = (unsigned)sqlite3_column_int(statement, 4),
                       .selection = model_text(m, statement, 5),
                       .proof_text = model_text(m, statement, 6),
                       .failed = sqlite3_column_int(statement, 7) != 0};
    if (!p->routing || !p->vc || !p->selection || !p->proof_text)
        return ik_fail_memory(err, 1, "a report");
    if (p->fabric == SIZE_MAX)
        return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: plan %" PRId64,
                       store_path(m->store), p->id);
    ik_status status = model_json(m, p->proof_text, "plan", p->id, &p->proof, err);
    m->num_plans += status == IK_OK;
    return status;
}

static const char *proof_word(const report_plan *p, const char *key)
{
    const char *word = json_string_value(json_object_get(p->proof, key));
    return word ? word : "";
}

/* What a reader of any table has to know of the proof: "[not proved]", "[10000 pairs sampled]"; ""
 * if all is proved or refuted. */
static const char *proof_mark(report_model *m, const report_plan *p)
{
    const char *extent = proof_word(p, "proof");
    if (strcmp(extent, "off") == 0)
        return " [not proved]";
    if (strcmp(extent, "sampled") == 0)
        return ik_arena_printf(
            &m->arena, " [%lld pairs sampled]",
            (long long)json_integer_value(json_object_get(p->proof, "sampled_pairs")));
    bool settled = strcmp(proof_word(p, "flow"), "settled") == 0;
    return settled && json_is_false(json_object_get(p->proof, "deadlock_free"))
               ? " [deadlock not excluded]"
               : "";
}

/* The plan's name: as much as tells it from the other plans of its fabric. */
static ik_status label_plan(report_model *m, report_plan *p, ik_error *err)
{
    bool vc = false, vcs = false, selection = false, flow = false;
    for (size_t i = 0; i < m->num_plans; i++) {
        const report_plan *q = &m->plans[i];
        if (q == p || q->fabric != p->fabric || strcmp(q->routing, p->routing) != 0)
            continue;
        vc |= strcmp(q->vc, p->vc) != 0;
        vcs |= q->vcs != p->vcs;
        selection |= strcmp(q->selection, p->selection) != 0;
        flow |= strcmp(q->vc, p->vc) == 0 && q->vcs == p->vcs &&
                strcmp(q->selection, p->selection) == 0 &&
                strcmp(proof_word(q, "flow"), proof_word(p, "flow")) != 0;
    }
    const char *label = p->routing;
    if (vc && label)
        label = ik_arena_printf(&m->arena, "%s, %s", label, p->vc);
    if (vcs && label)
        label = ik_arena_printf(&m->arena, "%s, %u VCs", label, p->vcs);
    if (selection && label)
        label = ik_arena_printf(&m->arena, "%s, %s", label, p->selection);
    if (flow && label)
        label = ik_arena_printf(&m->arena, "%s, %s", label, proof_word(p, "flow"));
    const char *mark = proof_mark(m, p);
    if (label && (!mark || mark[0]))
        label = mark ? ik_arena_printf(&m->arena, "%s%s", label, mark) : NULL;
    p->label = label;
    return label ? IK_OK : ik_fail_memory(err, 1, "a report");
}

/* Plans of the current sweep: those with points. Unfinished sweeps show what they have. */
static ik_status read_plans(report_model *m, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(
        m->store,
        "SELECT id, fabric, routing, vc, vcs, selection, proof, failed FROM plans WHERE id IN"
        " (SELECT plan FROM points WHERE " STORE_CURRENT ") ORDER BY id",
        NULL, &statement, err);
    for (bool row = true; status == IK_OK;) {
        status = store_step(m->store, statement, &row, err);
        if (status != IK_OK || !row)
            break;
        status = read_plan(m, statement, err);
    }
    sqlite3_finalize(statement);
    for (size_t i = 0; i < m->num_plans && status == IK_OK; i++)
        status = label_plan(m, &m->plans[i], err);
    return status;
}

/* ---- points */

static ik_status read_row(report_model *m, sqlite3_stmt *statement, ik_error *err)
{
    report_row *rows = model_grow(m, m->rows, m->num_rows, sizeof *rows);
    if (!rows)
        return ik_fail_memory(err, sizeof *rows, "a report");
    m->rows = rows;
    report_row *r = &rows[m->num_rows];
    *r = (report_row){.id = sqlite3_column_int64(statement, 0),
                      .fabric = fabric_index(m, sqlite3_column_int64(statement, 1)),
                      .plan = plan_index(m, sqlite3_column_int64(statement, 2)),
                      .traffic = model_text(m, statement, 3),
                      .variant = model_text(m, statement, 4),
                      .load = sqlite3_column_double(statement, 5),
                      .seed = (uint64_t)sqlite3_column_int64(statement, 6),
                      .window_ps = (uint64_t)sqlite3_column_int64(statement, 7),
                      .end_ps = (uint64_t)sqlite3_column_int64(statement, 8),
                      .checksum = model_text(m, statement, 9),
                      .deadlock = model_text(m, statement, 10),
                      .params = model_text(m, statement, 11),
                      .classes = model_text(m, statement, 12)};
    for (int i = 0; i < NUM_METRICS; i++)
        r->value[i] = sqlite3_column_type(statement, 13 + i) == SQLITE_NULL
                          ? NAN
                          : sqlite3_column_double(statement, 13 + i);
    if (!r->traffic || !r->variant || !r->checksum || !r->deadlock || !r->params || !r->classes)
        return ik_fail_memory(err, 1, "a report");
    if (r->fabric == SIZE_MAX || r->plan == SIZE_MAX)
        return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: point %" PRId64,
                       store_path(m->store), r->id);
    m->num_rows++;
    return IK_OK;
}

static ik_status read_rows(report_model *m, ik_error *err)
{
    const char *sql = ik_arena_strdup(
        &m->arena,
        "SELECT id, fabric, plan, traffic, variant, load, seed, window_ps, end_ps, checksum,"
        " deadlock, params, classes");
    for (int i = 0; i < NUM_METRICS && sql; i++)
        sql = ik_arena_printf(&m->arena, "%s, %s", sql, metric_names[i]);
    if (sql)
        sql = ik_arena_printf(&m->arena, "%s FROM points WHERE " STORE_CURRENT " ORDER BY id", sql);
    if (!sql)
        return ik_fail_memory(err, 1, "a report");
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(m->store, sql, NULL, &statement, err);
    for (bool row = true; status == IK_OK;) {
        status = store_step(m->store, statement, &row, err);
        if (status != IK_OK || !row)
            break;
        status = read_row(m, statement, err);
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- all */

ik_status model_read(const char *path, report_model **out, ik_error *err)
{
    report_model *m = ik_calloc(1, sizeof *m);
    if (!m)
        return ik_fail_memory(err, sizeof *m, "a report");
    static ik_status (*const parts[])(report_model *, ik_error *) = {
        read_meta, model_read_fabrics, read_plans, read_rows, model_make_curves, model_find_costs};
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
    store_close(m->store);
    ik_arena_free(&m->arena);
    free(m);
}
