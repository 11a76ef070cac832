/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_point.c: a result as a row of the store.
 */
#include "base/text_stream.h"
#include "experiment/figures/metrics.h"
#include "experiment/store_row.h"
#include "experiment/store_texts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- binding by name: a column and its place in the statement cannot drift apart */

typedef struct binder {
    store *s;
    sqlite3_stmt *statement;
    ik_status status;
    ik_error *err;
} binder;

static int store_point_place(binder *b, const char *name)
{
    char parameter[64];
    snprintf(parameter, sizeof parameter, ":%s", name);
    return sqlite3_bind_parameter_index(b->statement, parameter);
}

static void store_point_check(binder *b, int code)
{
    if (code != SQLITE_OK && b->status == IK_OK)
        b->status = code == SQLITE_NOMEM ? ik_fail_memory(b->err, 0, "the result store")
                                         : ik_fail(b->err, IK_ERR_IO, "'%.200s': %s",
                                                   store_path(b->s), sqlite3_errstr(code));
}

static void store_point_bind_text(binder *b, const char *name, const char *text)
{
    store_point_check(
        b, sqlite3_bind_text(b->statement, store_point_place(b, name), text, -1, SQLITE_TRANSIENT));
}

static void store_point_bind_int(binder *b, const char *name, uint64_t value)
{
    store_point_check(
        b, sqlite3_bind_int64(b->statement, store_point_place(b, name), (sqlite3_int64)value));
}

static void store_point_bind_real(binder *b, const char *name, double value)
{
    store_point_check(b, sqlite3_bind_double(b->statement, store_point_place(b, name), value));
}

static void store_point_bind_words(binder *b, const char *name, const uint64_t *words, size_t num)
{
    void *blob = NULL;
    size_t size = 0;
    if (b->status != IK_OK ||
        (b->status = store_pack(words, words ? num : 0, &blob, &size, b->err)) != IK_OK)
        return;
    store_point_check(
        b, sqlite3_bind_blob64(b->statement, store_point_place(b, name), blob, size, free));
}

static void store_point_bind_reals(binder *b, const char *name, const double *values, size_t num)
{
    num = values ? num : 0;
    uint64_t *words = ik_calloc(num ? num : 1, sizeof *words);
    if (!words) {
        b->status =
            b->status == IK_OK ? ik_fail_memory(b->err, num * 8, "an array of results") : b->status;
        return;
    }
    for (size_t i = 0; i < num; i++)
        memcpy(&words[i], &values[i], sizeof words[i]);
    store_point_bind_words(b, name, words, num);
    free(words);
}

/* The results that are one number; of those that are measured, what is simulated is feasible. */
static void store_point_bind_results(binder *b, const store_point *p)
{
    const metric_source source = {.run = p->result,
                                  .reference_ns = p->reference ? p->reference->completion_ns : 0,
                                  .link_use_mean = p->link_use_mean,
                                  .link_use_max = p->link_use_max,
                                  .saturation_load = p->saturation_load,
                                  .saturation_most = p->saturation_most};
    for (int id = 0; id < FIRST_STATIC; id++) {
        double value = metric_of_run(&source, (metric_id)id);
        if (isnan(value))
            continue; /* NULL */
        if (metrics[id].integer)
            store_point_bind_int(b, metrics[id].name, (uint64_t)value);
        else
            store_point_bind_real(b, metrics[id].name, value);
    }
    store_point_bind_real(b, "feasible", 1);
}

static void store_point_bind_run(binder *b, const ik_sim_result *r)
{
    char checksum[24];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, r->checksum);
    store_point_bind_int(b, "hosts_silent", r->hosts_silent);
    store_point_bind_int(b, "window_ps", r->window_ps);
    store_point_bind_int(b, "end_ps", r->end_ps);
    store_point_bind_text(b, "checksum", checksum);
    store_point_bind_text(b, "measured", "");
}

static void store_point_bind_deadlock(binder *b, const store_point *p)
{
    const char *text = p->deadlock ? p->deadlock : p->result->deadlock_text;
    store_point_bind_text(b, "deadlock", !p->result->deadlock ? "" : text ? text : "deadlock");
}

static void store_point_bind_arrays(binder *b, const store_point *p)
{
    const ik_sim_result *r = p->result;
    const ik_histogram *network = &r->network_latency;
    store_point_bind_words(b, "latency_histogram", r->latency.buckets, r->latency.num_buckets);
    store_point_bind_words(b, "network_latency_histogram", network->buckets, network->num_buckets);
    store_point_bind_words(b, "channel_bytes", r->channel_bytes, p->num_ports);
    store_point_bind_words(b, "host_bytes", r->host_bytes, p->num_hosts);
    store_point_bind_words(b, "host_sent_bytes", r->host_sent_bytes, p->num_hosts);
    store_point_bind_int(b, "series_period_ps", r->series_period_ps);
    store_point_bind_reals(b, "series_throughput", r->series_throughput, r->num_series);
    store_point_bind_reals(b, "series_latency_ns", r->series_latency_ns, r->num_series);
    store_point_bind_reals(b, "series_blocked", r->series_blocked,
                           r->num_series * (size_t)p->num_switches);
    store_point_bind_reals(b, "series_reorder_bytes", r->reorder.series_bytes, r->num_series);
    store_point_bind_reals(b, "series_out_of_order", r->reorder.series_out_of_order, r->num_series);
    store_point_bind_reals(b, "series_throttled", r->reorder.series_throttled, r->num_series);
    store_point_bind_reals(b, "series_outstanding", r->replies.series_outstanding, r->num_series);
}

static void store_point_bind_deflated(binder *b, const char *name, const char *text)
{
    void *blob = NULL;
    size_t size = 0;
    if (b->status != IK_OK ||
        (b->status = store_deflate(text, strlen(text), &blob, &size, b->err)) != IK_OK)
        return;
    store_point_check(
        b, sqlite3_bind_blob64(b->statement, store_point_place(b, name), blob, size, free));
}

static void store_point_bind_congestion(binder *b, const store_point *p)
{
    congestion_text text;
    if (b->status != IK_OK ||
        (b->status = congestion_texts(p->result, p->num_switches, &text, b->err)) != IK_OK)
        return;
    store_point_bind_text(b, "congestion", text.summary);
    store_point_bind_text(b, "classes", text.classes);
    store_point_bind_deflated(b, "congestion_series", text.series);
    congestion_text_free(&text);
}

static void store_point_bind_workload(binder *b, const store_point *p, const char *key)
{
    const ik_sim_result *r = p->result;
    double reference_ns = p->reference ? p->reference->completion_ns : 0;
    store_point_bind_text(b, "missing", r->missing_text ? r->missing_text : "");
    store_point_bind_text(b, "reference", key);
    store_point_bind_words(b, "host_finish", r->host_finish_ps, p->num_hosts);
    char *text = NULL;
    if (b->status != IK_OK ||
        (b->status = workload_text(r, p->num_hosts, reference_ns, &text, b->err)) != IK_OK)
        return;
    store_point_bind_deflated(b, "workload", text);
    free(text);
}

/* Whether the point lasts, in words. */
static void store_point_bind_verdict(binder *b, const ik_sim_result *r, const char *hint)
{
    const ik_sim_steady *k = &r->steady;
    char reason[200], text[600] = "";
    store_point_bind_text(b, "steady", ik_steady_verdict_name(k->verdict));
    if (k->verdict != IK_STEADY_NONE) {
        ik_steady_describe(k, reason, sizeof reason);
        snprintf(text, sizeof text, "%s%s%s", reason, hint && hint[0] ? "; " : "",
                 hint ? hint : "");
    }
    store_point_bind_text(b, "steady_reason", text);
}

static const char insert_reference[] =
    "INSERT OR REPLACE INTO refs(key, fabric, switch, traffic, adapter, seed, completion_ns) "
    "VALUES(:key, :fabric, :switch, :traffic, :adapter, :seed, :completion_ns)";
static const char insert_detail[] =
    "INSERT OR REPLACE INTO details(params, kind, body) VALUES(:params, :kind, :body)";

static ik_status insert_reference_of(store *s, const reference *of, const char *key, ik_error *err)
{
    binder b = {.s = s, .err = err};
    b.status = store_prepare(s, insert_reference, NULL, &b.statement, err);
    if (b.status != IK_OK)
        return b.status;
    store_point_bind_text(&b, "key", key);
    store_point_bind_text(&b, "fabric", of->fabric);
    store_point_bind_text(&b, "switch", of->sw[0] ? of->sw : "ideal");
    store_point_bind_text(&b, "traffic", of->traffic);
    store_point_bind_text(&b, "adapter", of->adapter);
    store_point_bind_int(&b, "seed", of->seed);
    store_point_bind_real(&b, "completion_ns", of->completion_ns);
    if (b.status != IK_OK) {
        sqlite3_finalize(b.statement);
        return b.status;
    }
    return store_execute(s, b.statement, err);
}

ik_status store_drop_references(store *s, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(
        s,
        "DELETE FROM refs WHERE key NOT IN (SELECT reference FROM points UNION SELECT "
        "CAST(body AS TEXT) FROM details WHERE kind LIKE 'reference %')",
        NULL, &statement, err);
    return status == IK_OK ? store_execute(s, statement, err) : status;
}

/* A statement of a text that SQLite's string builder made. */
static binder store_point_open_made(store *s, char *sql, ik_error *err)
{
    binder b = {.s = s, .err = err};
    b.status = store_prepare_made(s, sql, &b.statement, err);
    return b;
}

/* The statement that inserts a point, without values. */
static binder store_point_open_insert(store *s, ik_error *err)
{
    sqlite3_stmt **kept = store_insert(s);
    if (!*kept) {
        binder b = store_point_open_made(s, store_tables_insert_point(), err);
        *kept = b.statement;
        return b;
    }
    return (binder){.s = s, .statement = *kept, .err = err};
}

/* What a point is. */
static void store_point_bind_point(binder *b, const store_point *p)
{
    store_point_bind_int(b, "id", (uint64_t)p->id);
    store_point_bind_text(b, "params", p->params);
    store_point_bind_int(b, "fabric", (uint64_t)p->fabric);
    store_point_bind_int(b, "plan", (uint64_t)p->plan);
    store_point_bind_text(b, "traffic", p->traffic);
    store_point_bind_text(b, "variant", p->variant);
    store_point_bind_real(b, "load", p->load);
    store_point_bind_int(b, "seed", p->seed);
}

/* Inserts the point that was bound without a failure; the statement is for the next one then. */
static ik_status store_point_execute_insert(binder *b)
{
    bool row;
    if (b->status == IK_OK)
        b->status = store_step(b->s, b->statement, &row, b->err);
    if (b->statement) {
        sqlite3_reset(b->statement);
        sqlite3_clear_bindings(b->statement);
    }
    return b->status;
}

/* Executes what was bound without a failure. */
static ik_status store_point_execute_bound(binder *b)
{
    if (b->status == IK_OK)
        return store_execute(b->s, b->statement, b->err);
    sqlite3_finalize(b->statement);
    return b->status;
}

static ik_status store_point_insert(store *s, const store_point *p, const char *reference_key,
                                    ik_error *err)
{
    binder b = store_point_open_insert(s, err);
    if (b.status == IK_OK) {
        store_point_bind_point(&b, p);
        store_point_bind_results(&b, p);
        store_point_bind_run(&b, p->result);
        store_point_bind_deadlock(&b, p);
        store_point_bind_arrays(&b, p);
        store_point_bind_congestion(&b, p);
        store_point_bind_verdict(&b, p->result, p->hint);
        store_point_bind_workload(&b, p, reference_key);
    }
    return store_point_execute_insert(&b);
}

/* Keeps a reference; *key: its own, to be free()d whatever happens. */
static ik_status store_point_insert_key_of(store *s, const reference *of, char **key, ik_error *err)
{
    ik_text_stream text;
    ik_status status = ik_text_stream_open(&text, err);
    if (status != IK_OK)
        return status;
    fprintf(text.out, "%s %s %s %s seed=%" PRIu64, of->fabric, of->sw, of->traffic, of->adapter,
            of->seed);
    status = ik_text_stream_close(&text, key, NULL, err);
    return status == IK_OK ? insert_reference_of(s, of, *key, err) : status;
}

static ik_status insert_with_reference(store *s, const store_point *p, ik_error *err)
{
    char *key = NULL;
    if (!p->reference)
        return store_point_insert(s, p, "", err);
    ik_status status = store_point_insert_key_of(s, p->reference, &key, err);
    if (status == IK_OK)
        status = store_point_insert(s, p, key, err);
    free(key);
    return status;
}

/* What only some points have: a text of its own. */
static ik_status store_point_insert_detail(store *s, const store_point *p, const char *kind,
                                           const char *text, ik_error *err)
{
    binder b = {.s = s, .err = err};
    b.status = store_prepare(s, insert_detail, NULL, &b.statement, err);
    if (b.status != IK_OK)
        return b.status;
    store_point_bind_text(&b, "params", p->params);
    store_point_bind_text(&b, "kind", kind);
    store_point_bind_deflated(&b, "body", text);
    if (b.status != IK_OK) {
        sqlite3_finalize(b.statement);
        return b.status;
    }
    return store_execute(s, b.statement, err);
}

static ik_status store_point_insert_watched(store *s, const store_point *p, ik_error *err)
{
    char *text = NULL;
    if (!p->result->watch.num_packets)
        return IK_OK;
    ik_status status = watch_text(&p->result->watch, &text, err);
    if (status == IK_OK)
        status = store_point_insert_detail(s, p, "watch", text, err);
    free(text);
    return status;
}

/* That a point's job is measured by a reference: kind "reference N", the key as it is. */
static ik_status store_point_insert_alone(store *s, const store_point *p, size_t job, ik_error *err)
{
    char *key = NULL, kind[40];
    snprintf(kind, sizeof kind, "reference %zu", job);
    ik_status status = store_point_insert_key_of(s, p->alone[job], &key, err);
    binder b = {.s = s, .status = status, .err = err};
    if (status == IK_OK)
        b.status = store_prepare(s, insert_detail, NULL, &b.statement, err);
    if (b.status != IK_OK) {
        free(key);
        return b.status;
    }
    store_point_bind_text(&b, "params", p->params);
    store_point_bind_text(&b, "kind", kind);
    store_point_check(&b, sqlite3_bind_blob64(b.statement, store_point_place(&b, "body"), key,
                                              strlen(key), SQLITE_TRANSIENT));
    free(key);
    if (b.status != IK_OK) {
        sqlite3_finalize(b.statement);
        return b.status;
    }
    return store_execute(s, b.statement, err);
}

static ik_status store_point_insert_jobs(store *s, const store_point *p, ik_error *err)
{
    if (!p->jobs)
        return IK_OK;
    ik_status status = store_point_insert_detail(s, p, "jobs", p->jobs, err);
    for (size_t k = 0; k < p->num_jobs && status == IK_OK; k++)
        if (p->alone[k])
            status = store_point_insert_alone(s, p, k, err);
    return status;
}

/* Of a transaction. */
static ik_status store_point_end(store *s, ik_status status, ik_error *err)
{
    if (status == IK_OK)
        return store_commit(s, err);
    store_rollback(s);
    return status;
}

ik_status store_add_point(store *s, const store_point *p, ik_error *err)
{
    ik_status status = store_begin(s, err);
    if (status != IK_OK)
        return status;
    status = insert_with_reference(s, p, err);
    if (status == IK_OK)
        status = store_point_insert_watched(s, p, err);
    if (status == IK_OK)
        status = store_point_insert_jobs(s, p, err);
    if (status == IK_OK && p->probes)
        status = store_point_insert_detail(s, p, "probes", p->probes, err);
    return store_point_end(s, status, err);
}

static void store_point_bind_statics(binder *b, const double *values)
{
    for (size_t i = 0; i < NUM_STATICS; i++)
        if (!isnan(values[i]))
            store_point_bind_real(b, metrics[FIRST_STATIC + i].name, values[i]);
}

static void store_point_bind_static(binder *b, const store_point *p, const double *values)
{
    static const char *const empty[] = {"checksum",  "deadlock",   "missing",
                                        "reference", "congestion", "classes",
                                        "measured",  "steady",     "steady_reason"};
    store_point_bind_point(b, p);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        store_point_bind_text(b, empty[i], "");
    store_point_bind_statics(b, values);
}

ik_status store_add_static(store *s, const store_point *p, const double *values,
                           const value_list *lists, ik_error *err)
{
    ik_status status = store_begin(s, err);
    if (status != IK_OK)
        return status;
    binder b = store_point_open_insert(s, err);
    if (b.status == IK_OK)
        store_point_bind_static(&b, p, values);
    status = store_point_execute_insert(&b);
    return store_point_end(s, status == IK_OK ? store_set_lists(s, p->id, lists, err) : status,
                           err);
}

/* "UPDATE points SET measured = :measured, feasible = :feasible, … WHERE id = :id" */
static char *store_point_statics_update(void)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "UPDATE points SET measured = :measured");
    for (size_t i = 0; i < NUM_STATICS; i++) {
        const char *name = metrics[FIRST_STATIC + i].name;
        sqlite3_str_appendf(sql, ", %s = :%s", name, name);
    }
    sqlite3_str_appendall(sql, " WHERE id = :id");
    return sqlite3_str_finish(sql);
}

ik_status store_set_statics(store *s, int64_t id, const char *measured, const double *values,
                            const value_list *lists, ik_error *err)
{
    ik_status status = store_begin(s, err);
    if (status != IK_OK)
        return status;
    binder b = store_point_open_made(s, store_point_statics_update(), err);
    if (b.status == IK_OK) {
        store_point_bind_int(&b, "id", (uint64_t)id);
        store_point_bind_text(&b, "measured", measured);
        store_point_bind_statics(&b, values);
    }
    status = store_point_execute_bound(&b);
    return store_point_end(s, status == IK_OK ? store_set_lists(s, id, lists, err) : status, err);
}

ik_status store_forget_statics(store *s, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "UPDATE points SET measured = ''");
    for (int id = METRIC_FEASIBLE + 1; id < FIRST_STATIC + NUM_STATICS; id++)
        sqlite3_str_appendf(sql, ", %s = NULL", metrics[id].name);
    sqlite3_str_appendall(sql, " WHERE measured <> '' AND " STORE_CURRENT);
    ik_status status = store_prepare_made(s, sqlite3_str_finish(sql), &statement, err);
    if (status == IK_OK)
        status = store_execute(s, statement, err);
    return status == IK_OK ? store_forget_lists(s, err) : status;
}
