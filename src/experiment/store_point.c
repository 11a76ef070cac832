/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_point.c: a result as a row of the store.
 */
#include "base/text_stream.h"
#include "experiment/figures/metrics.h"
#include "experiment/store.h"
#include "experiment/store_congestion.h"
#include "experiment/store_watch.h"
#include "experiment/store_workload.h"

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

static void store_point_bind_latency(binder *b, const ik_sim_result *r)
{
    const ik_histogram *h = &r->latency;
    store_point_bind_real(b, "latency_mean_ns", h->mean / 1e3);
    store_point_bind_real(b, "latency_p50_ns", ik_histogram_percentile(h, 0.50) / 1e3);
    store_point_bind_real(b, "latency_p95_ns", ik_histogram_percentile(h, 0.95) / 1e3);
    store_point_bind_real(b, "latency_p99_ns", ik_histogram_percentile(h, 0.99) / 1e3);
    store_point_bind_real(b, "latency_max_ns", (double)h->max / 1e3);
    store_point_bind_real(b, "network_latency_mean_ns", r->network_latency.mean / 1e3);
    store_point_bind_words(b, "latency_histogram", h->buckets, h->num_buckets);
    store_point_bind_words(b, "network_latency_histogram", r->network_latency.buckets,
                           r->network_latency.num_buckets);
}

static void store_point_bind_counts(binder *b, const ik_sim_result *r)
{
    char checksum[24];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, r->checksum);
    store_point_bind_real(b, "offered", r->offered);
    store_point_bind_real(b, "throughput", r->throughput);
    store_point_bind_real(b, "fairness", r->fairness);
    store_point_bind_int(b, "packets_generated", r->packets_generated);
    store_point_bind_int(b, "packets_delivered", r->packets_delivered);
    store_point_bind_int(b, "packets_in_flight", r->packets_in_flight);
    store_point_bind_int(b, "packets_unroutable", r->packets_unroutable);
    store_point_bind_int(b, "order_violations", r->order_violations);
    store_point_bind_int(b, "packet_hops", r->packet_hops);
    store_point_bind_int(b, "hosts_silent", r->hosts_silent);
    store_point_bind_int(b, "window_ps", r->window_ps);
    store_point_bind_int(b, "end_ps", r->end_ps);
    store_point_bind_text(b, "checksum", checksum);
}

static void store_point_bind_deadlock(binder *b, const store_point *p)
{
    const char *text = p->deadlock ? p->deadlock : p->result->deadlock_text;
    store_point_bind_text(b, "deadlock", !p->result->deadlock ? "" : text ? text : "deadlock");
}

static void store_point_bind_arrays(binder *b, const store_point *p)
{
    const ik_sim_result *r = p->result;
    store_point_bind_words(b, "channel_bytes", r->channel_bytes, p->num_ports);
    store_point_bind_words(b, "host_bytes", r->host_bytes, p->num_hosts);
    store_point_bind_words(b, "host_sent_bytes", r->host_sent_bytes, p->num_hosts);
    store_point_bind_int(b, "series_period_ps", r->series_period_ps);
    store_point_bind_reals(b, "series_throughput", r->series_throughput, r->num_series);
    store_point_bind_reals(b, "series_latency_ns", r->series_latency_ns, r->num_series);
    store_point_bind_reals(b, "series_blocked", r->series_blocked,
                           r->num_series * (size_t)p->num_switches);
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

/* Numbers that were not sampled are left NULL. */
static void store_point_bind_congestion(binder *b, const store_point *p)
{
    const ik_congestion *k = &p->result->congestion;
    congestion_text text;
    store_point_bind_real(b, "host_sent_min", p->result->host_sent_min);
    store_point_bind_real(b, "host_sent_max", p->result->host_sent_max);
    store_point_bind_real(b, "link_use_mean", p->link_use_mean); /* NAN is NULL */
    store_point_bind_real(b, "link_use_max", p->link_use_max);
    if (k->num_samples) {
        store_point_bind_real(b, "blocked_share", k->blocked_share);
        store_point_bind_real(b, "hol_share", k->hol_share);
        store_point_bind_real(b, "hol_time_ns", k->hol_time_ns);
        store_point_bind_real(b, "congestion_roots", k->mean_roots);
        store_point_bind_int(b, "congestion_tree", k->largest_tree);
    }
    if (b->status != IK_OK ||
        (b->status = congestion_texts(p->result, p->num_switches, &text, b->err)) != IK_OK)
        return;
    store_point_bind_text(b, "congestion", text.summary);
    store_point_bind_text(b, "classes", text.classes);
    store_point_bind_deflated(b, "congestion_series", text.series);
    congestion_text_free(&text);
}

/* Numbers of a run that does not ask for order are left NULL. */
static void store_point_bind_reorder(binder *b, const ik_sim_result *r)
{
    const ik_sim_reorder *k = &r->reorder;
    store_point_bind_reals(b, "series_reorder_bytes", k->series_bytes, r->num_series);
    store_point_bind_reals(b, "series_out_of_order", k->series_out_of_order, r->num_series);
    store_point_bind_reals(b, "series_throttled", k->series_throttled, r->num_series);
    if (!k->in_order)
        return;
    store_point_bind_real(b, "arrival_latency_mean_ns", k->arrival_latency / 1e3);
    store_point_bind_int(b, "packets_out_of_order", k->out_of_order);
    store_point_bind_real(b, "reorder_mean_bytes", k->mean_bytes);
    store_point_bind_int(b, "reorder_max_bytes", k->max_bytes);
    store_point_bind_real(b, "throttled_mean", k->throttled_mean);
    store_point_bind_real(b, "throttled_max", k->throttled_max);
}

/* Numbers of a run without replies are left NULL. */
static void store_point_bind_replies(binder *b, const ik_sim_result *r)
{
    const ik_sim_replies *k = &r->replies;
    const ik_histogram *h = &k->round_trip;
    store_point_bind_reals(b, "series_outstanding", k->series_outstanding, r->num_series);
    if (!k->on)
        return;
    store_point_bind_real(b, "round_trip_mean_ns", h->mean / 1e3);
    store_point_bind_real(b, "round_trip_p50_ns", ik_histogram_percentile(h, 0.50) / 1e3);
    store_point_bind_real(b, "round_trip_p95_ns", ik_histogram_percentile(h, 0.95) / 1e3);
    store_point_bind_real(b, "round_trip_p99_ns", ik_histogram_percentile(h, 0.99) / 1e3);
    store_point_bind_real(b, "round_trip_max_ns", (double)h->max / 1e3);
    store_point_bind_real(b, "request_latency_mean_ns", k->request_latency.mean / 1e3);
    store_point_bind_real(b, "reply_latency_mean_ns", k->reply_latency.mean / 1e3);
    store_point_bind_real(b, "outstanding_mean", k->mean_outstanding);
}

/* Numbers that endless traffic does not have are left NULL. */
static void store_point_bind_workload(binder *b, const store_point *p, const char *key)
{
    const ik_sim_result *r = p->result;
    double ns = (double)r->completion_ps / 1e3;
    if (r->completed) {
        store_point_bind_real(b, "completion_ns", ns);
        store_point_bind_real(b, "effective_throughput", r->effective_throughput);
    }
    double reference_ns = p->reference ? p->reference->completion_ns : 0;
    if (reference_ns > 0)
        store_point_bind_real(b, "slowdown", ns / reference_ns);
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

/* Whether the point lasts; numbers that were not found are left NULL. Where nothing is judged, a
 * latency lasts before saturation. */
static void store_point_bind_verdict(binder *b, const ik_sim_result *r, const char *hint)
{
    const ik_sim_steady *k = &r->steady;
    double saturated = metric_saturated(r); /* NAN is NULL */
    char reason[200], text[600];
    store_point_bind_text(b, "steady", ik_steady_verdict_name(k->verdict));
    store_point_bind_real(b, "saturated", saturated);
    if (k->verdict == IK_STEADY_NONE) {
        store_point_bind_text(b, "steady_reason", "");
        store_point_bind_real(b, "latency_steady", 1 - saturated);
        return;
    }
    ik_steady_describe(k, reason, sizeof reason);
    snprintf(text, sizeof text, "%s%s%s", reason, hint && hint[0] ? "; " : "", hint ? hint : "");
    store_point_bind_text(b, "steady_reason", text);
    store_point_bind_real(b, "latency_steady", k->latency_lasts);
    store_point_bind_real(b, "drift_per_ms", k->drift);
    if (k->bound > 0)
        store_point_bind_real(b, "steady_bound", k->bound);
    if (k->need_ps)
        store_point_bind_real(b, "needs_ns", (double)k->need_ps / 1e3);
}

/* Left NULL where the window was not found by the run. */
static void store_point_bind_window(binder *b, const ik_sim_result *r)
{
    const ik_sim_steady *k = &r->steady;
    if (!k->detects && !k->stops)
        return;
    store_point_bind_real(b, "warmup_ns", (double)k->warmup_ps / 1e3);
    store_point_bind_real(b, "measured_ns", (double)r->window_ps / 1e3);
    if (k->stops && k->mean > 0)
        store_point_bind_real(b, "interval", k->half_width / k->mean);
    store_point_bind_real(b, "converged", !r->deadlock && k->warm && (k->closed || !k->stops));
}

static const char insert_reference[] = "INSERT OR REPLACE INTO refs VALUES(:key, :fabric, "
                                       ":switch, :traffic, :adapter, :seed, :completion_ns)";

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

static const char insert_point[] =
    "INSERT INTO points VALUES(:id, :params, :fabric, :plan, :traffic, :variant, :load, :seed, "
    ":offered, :throughput, :fairness, :latency_mean_ns, :latency_p50_ns, :latency_p95_ns, "
    ":latency_p99_ns, :latency_max_ns, :network_latency_mean_ns, :packets_generated, "
    ":packets_delivered, :packets_in_flight, :packets_unroutable, :order_violations, :packet_hops, "
    ":hosts_silent, :window_ps, :end_ps, :checksum, :deadlock, :latency_histogram, "
    ":network_latency_histogram, :channel_bytes, :host_bytes, :host_sent_bytes, :series_period_ps, "
    ":series_throughput, :series_latency_ns, :series_blocked, :host_sent_min, :host_sent_max, "
    ":blocked_share, :hol_share, :hol_time_ns, :congestion_roots, :congestion_tree, "
    ":link_use_mean, :link_use_max, "
    ":arrival_latency_mean_ns, :packets_out_of_order, :reorder_mean_bytes, :reorder_max_bytes, "
    ":throttled_mean, :throttled_max, :congestion, :classes, :congestion_series, "
    ":series_reorder_bytes, :series_out_of_order, :series_throttled, "
    ":completion_ns, :slowdown, :effective_throughput, :saturated, :latency_steady, "
    ":drift_per_ms, :steady_bound, :needs_ns, :steady, :steady_reason, :saturation_load, "
    ":warmup_ns, :measured_ns, :interval, :converged, :missing, "
    ":reference, "
    ":host_finish, "
    ":round_trip_mean_ns, :round_trip_p50_ns, :round_trip_p95_ns, :round_trip_p99_ns, "
    ":round_trip_max_ns, :request_latency_mean_ns, :reply_latency_mean_ns, :outstanding_mean, "
    ":series_outstanding, :workload";

/* What is simulated is feasible; other columns of what is measured are NULL, in the order of the
 * metrics, and behind them which of them are. */
static const char *simulated_insert(ik_arena *arena)
{
    const char *sql = ik_arena_printf(arena, "%s, 1", insert_point);
    for (size_t i = 1; i < NUM_STATICS && sql; i++)
        sql = ik_arena_printf(arena, "%s, NULL", sql);
    return sql ? ik_arena_printf(arena, "%s, '')", sql) : NULL;
}

/* A statement of which make() writes the text. */
static binder store_point_open_made(store *s, const char *(*make)(ik_arena *arena), ik_error *err)
{
    ik_arena arena = {0};
    const char *sql = make(&arena);
    binder b = {.s = s, .err = err};
    b.status = sql ? store_prepare(s, sql, NULL, &b.statement, err)
                   : ik_fail_memory(err, 1000, "the result store");
    ik_arena_free(&arena);
    return b;
}

static ik_status store_point_insert(store *s, const store_point *p, const char *reference_key,
                                    ik_error *err)
{
    binder b = store_point_open_made(s, simulated_insert, err);
    if (b.status != IK_OK)
        return b.status;
    store_point_bind_int(&b, "id", (uint64_t)p->id);
    store_point_bind_text(&b, "params", p->params);
    store_point_bind_int(&b, "fabric", (uint64_t)p->fabric);
    store_point_bind_int(&b, "plan", (uint64_t)p->plan);
    store_point_bind_text(&b, "traffic", p->traffic);
    store_point_bind_text(&b, "variant", p->variant);
    store_point_bind_real(&b, "load", p->load);
    store_point_bind_real(&b, "saturation_load", p->saturation_load);
    store_point_bind_int(&b, "seed", p->seed);
    store_point_bind_counts(&b, p->result);
    store_point_bind_deadlock(&b, p);
    store_point_bind_latency(&b, p->result);
    store_point_bind_arrays(&b, p);
    store_point_bind_congestion(&b, p);
    store_point_bind_reorder(&b, p->result);
    store_point_bind_replies(&b, p->result);
    store_point_bind_verdict(&b, p->result, p->hint);
    store_point_bind_window(&b, p->result);
    store_point_bind_workload(&b, p, reference_key);
    if (b.status != IK_OK) {
        sqlite3_finalize(b.statement);
        return b.status;
    }
    return store_execute(s, b.statement, err);
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
    b.status = store_prepare(s, "INSERT OR REPLACE INTO details VALUES(:params, :kind, :body)",
                             NULL, &b.statement, err);
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
        b.status = store_prepare(s, "INSERT OR REPLACE INTO details VALUES(:params, :kind, :body)",
                                 NULL, &b.statement, err);
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
    if (status != IK_OK) {
        store_rollback(s);
        return status;
    }
    return store_commit(s, err);
}

/* "INSERT INTO points(id, …, feasible, …) VALUES(:id, …)", in the arena. */
static const char *store_point_static_insert(ik_arena *arena)
{
    static const char *const always[] = {
        "id",         "params",  "fabric",   "plan",     "traffic",      "variant",
        "load",       "seed",    "checksum", "deadlock", "missing",      "reference",
        "congestion", "classes", "measured", "steady",   "steady_reason"};
    const char *columns = "", *values = "";
    size_t num = sizeof always / sizeof *always;
    for (size_t i = 0; i < num + NUM_STATICS && columns && values; i++) {
        const char *name = i < num ? always[i] : metrics[FIRST_STATIC + i - num].name;
        columns = ik_arena_printf(arena, "%s%s%s", columns, i ? ", " : "", name);
        values = ik_arena_printf(arena, "%s%s:%s", values, i ? ", " : "", name);
    }
    return columns && values
               ? ik_arena_printf(arena, "INSERT INTO points(%s) VALUES(%s)", columns, values)
               : NULL;
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
    store_point_bind_int(b, "id", (uint64_t)p->id);
    store_point_bind_text(b, "params", p->params);
    store_point_bind_int(b, "fabric", (uint64_t)p->fabric);
    store_point_bind_int(b, "plan", (uint64_t)p->plan);
    store_point_bind_text(b, "traffic", p->traffic);
    store_point_bind_text(b, "variant", p->variant);
    store_point_bind_real(b, "load", p->load);
    store_point_bind_int(b, "seed", p->seed);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        store_point_bind_text(b, empty[i], "");
    store_point_bind_statics(b, values);
}

/* Executes what was bound without a failure. */
static ik_status store_point_execute_bound(binder *b)
{
    if (b->status == IK_OK)
        return store_execute(b->s, b->statement, b->err);
    sqlite3_finalize(b->statement);
    return b->status;
}

ik_status store_add_static(store *s, const store_point *p, const double *values,
                           const value_list *lists, ik_error *err)
{
    binder b = store_point_open_made(s, store_point_static_insert, err);
    if (b.status == IK_OK)
        store_point_bind_static(&b, p, values);
    ik_status status = store_point_execute_bound(&b);
    return status == IK_OK ? store_set_lists(s, p->id, lists, err) : status;
}

/* "UPDATE points SET measured = :measured, feasible = :feasible, … WHERE id = :id" */
static const char *store_point_statics_update(ik_arena *arena)
{
    const char *sets = "measured = :measured";
    for (size_t i = 0; i < NUM_STATICS && sets; i++) {
        const char *name = metrics[FIRST_STATIC + i].name;
        sets = ik_arena_printf(arena, "%s, %s = :%s", sets, name, name);
    }
    return sets ? ik_arena_printf(arena, "UPDATE points SET %s WHERE id = :id", sets) : NULL;
}

ik_status store_set_statics(store *s, int64_t id, const char *measured, const double *values,
                            const value_list *lists, ik_error *err)
{
    binder b = store_point_open_made(s, store_point_statics_update, err);
    if (b.status == IK_OK) {
        store_point_bind_int(&b, "id", (uint64_t)id);
        store_point_bind_text(&b, "measured", measured);
        store_point_bind_statics(&b, values);
    }
    ik_status status = store_point_execute_bound(&b);
    return status == IK_OK ? store_set_lists(s, id, lists, err) : status;
}

ik_status store_forget_statics(store *s, ik_error *err)
{
    ik_arena arena = {0};
    sqlite3_stmt *statement = NULL;
    const char *sets = "measured = ''";
    for (int id = METRIC_FEASIBLE + 1; id < FIRST_STATIC + NUM_STATICS && sets; id++)
        sets = ik_arena_printf(&arena, "%s, %s = NULL", sets, metrics[id].name);
    const char *sql = sets ? ik_arena_printf(&arena,
                                             "UPDATE points SET %s WHERE measured <> '' "
                                             "AND " STORE_CURRENT,
                                             sets)
                           : NULL;
    ik_status status = sql ? store_prepare(s, sql, NULL, &statement, err)
                           : ik_fail_memory(err, 1000, "the result store");
    ik_arena_free(&arena);
    if (status == IK_OK)
        status = store_execute(s, statement, err);
    return status == IK_OK ? store_forget_lists(s, err) : status;
}
