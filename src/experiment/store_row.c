/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_row.c: typed columns of a results file.
 */
#include "experiment/store_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char store_tables[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;CREATE TABLE "
    "fabrics(id INTEGER PRIMARY KEY, spec TEXT NOT NULL, digest TEXT NOT NULL, summary TEXT NOT "
    "NULL, drawing BLOB NOT NULL, UNIQUE(spec, digest));CREATE TABLE plans(id INTEGER PRIMARY KEY, "
    "key TEXT NOT NULL, flow TEXT NOT NULL, fabric INTEGER NOT NULL REFERENCES fabrics(id), "
    "routing TEXT NOT NULL, vc TEXT NOT NULL, vcs INTEGER NOT NULL, selection TEXT NOT NULL, asked "
    "TEXT NOT NULL, proof TEXT NOT NULL, failed INTEGER NOT NULL, UNIQUE(key, flow));CREATE TABLE "
    "points(id INTEGER PRIMARY KEY, params TEXT NOT NULL UNIQUE, fabric INTEGER NOT NULL "
    "REFERENCES fabrics(id), plan INTEGER NOT NULL REFERENCES plans(id), traffic TEXT NOT "
    "NULL, variant TEXT NOT NULL, load REAL NOT NULL, seed INTEGER NOT NULL, offered REAL, "
    "throughput REAL, fairness REAL, latency_mean_ns REAL, latency_p50_ns REAL, "
    "latency_p95_ns REAL, latency_p99_ns REAL, latency_max_ns REAL, network_latency_mean_ns "
    "REAL, packets_generated INTEGER, packets_delivered INTEGER, packets_in_flight INTEGER, "
    "packets_unroutable INTEGER, order_violations INTEGER, packet_hops INTEGER, hosts_silent "
    "INTEGER, window_ps INTEGER, end_ps INTEGER, checksum TEXT NOT NULL, deadlock TEXT NOT "
    "NULL, latency_histogram BLOB, network_latency_histogram BLOB, channel_bytes BLOB, "
    "host_bytes BLOB, host_sent_bytes BLOB, series_period_ps INTEGER, series_throughput BLOB,"
    " series_latency_ns BLOB, series_blocked BLOB, host_sent_min REAL, host_sent_max REAL, "
    "blocked_share REAL, hol_share REAL, hol_time_ns REAL, congestion_roots REAL, "
    "congestion_tree INTEGER, link_use_mean REAL, link_use_max REAL, arrival_latency_mean_ns REAL, "
    "packets_out_of_order INTEGER, "
    "reorder_mean_bytes REAL, reorder_max_bytes INTEGER, throttled_mean REAL, throttled_max "
    "REAL, congestion TEXT NOT NULL, classes TEXT NOT NULL, congestion_series BLOB, "
    "series_reorder_bytes BLOB, series_out_of_order BLOB, series_throttled BLOB, "
    "completion_ns REAL, slowdown REAL, effective_throughput REAL, " STORE_VERDICTS ", "
    "saturation_load REAL, warmup_ns REAL, measured_ns REAL, interval REAL, converged REAL, "
    "missing TEXT NOT NULL, reference TEXT NOT NULL, host_finish BLOB, "
    "round_trip_mean_ns REAL, round_trip_p50_ns REAL, round_trip_p95_ns REAL, "
    "round_trip_p99_ns REAL, round_trip_max_ns REAL, request_latency_mean_ns REAL, "
    "reply_latency_mean_ns REAL, outstanding_mean REAL, series_outstanding BLOB, workload "
    "BLOB, feasible REAL, deadlock_free REAL, mean_hops REAL, max_hops REAL, entries_mean "
    "REAL, entries_max REAL, least_t_max REAL, contention REAL, static_slowdown REAL, "
    "static_saturation REAL, " STORE_BANDS
    "effective_bandwidth REAL, efficiency REAL, nca_routes_min REAL, "
    "nca_routes_mean REAL, nca_routes_max REAL, nca_routes_sd REAL, destinations_injection REAL, "
    "destinations_up_1 REAL, destinations_up_2 REAL, destinations_down_2 REAL, "
    "destinations_down_1 REAL, destinations_between REAL, destinations_ejection REAL, "
    "ports_per_host REAL, "
    "links_per_host REAL, bisection REAL, hosts REAL, switches REAL, radix REAL, diameter REAL, "
    "min_paths REAL, mean_paths REAL, max_paths REAL, permutations_free REAL, "
    "permutations_contention REAL, permutations_contention_max REAL, measured TEXT NOT "
    "NULL);CREATE TABLE "
    "refs(key TEXT "
    "PRIMARY KEY, fabric TEXT"
    " NOT NULL, switch TEXT NOT NULL, traffic TEXT NOT NULL, adapter TEXT NOT NULL, seed "
    "INTEGER NOT NULL, completion_ns REAL NOT NULL) WITHOUT ROWID;CREATE TABLE details(params"
    " TEXT NOT NULL, kind TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY(params, kind)) "
    "WITHOUT ROWID;";

#define NO_BANDS                                                                                   \
    "NULL AS band_low, NULL AS band_minimal, NULL AS band_valiant, NULL AS band_split, NULL AS "   \
    "band_split_minimal, NULL AS band_high "

static const store_earlier earlier_formats[] = {
    {16, STORE_VERDICTS, STORE_BANDS,
     "PRAGMA temp_store = MEMORY; CREATE TEMP VIEW points AS SELECT *, 1 - stationary AS "
     "saturated, iif(converged = 0, 0, stationary) AS latency_steady, NULL AS drift_per_ms, NULL "
     "AS steady_bound, NULL AS needs_ns, '' AS steady, iif(stationary IS NULL, '', 'not judged "
     "(made by an earlier version)') AS steady_reason, " NO_BANDS "FROM main.points",
     "its points have no verdict whether they are steady"},
    {17, "", STORE_BANDS,
     "PRAGMA temp_store = MEMORY; CREATE TEMP VIEW points AS SELECT *, " NO_BANDS
     "FROM main.points",
     "its points have no band of saturation"}};

const store_earlier *store_earlier_find(int64_t format)
{
    for (size_t i = 0; i < sizeof earlier_formats / sizeof *earlier_formats; i++)
        if (earlier_formats[i].format == format)
            return &earlier_formats[i];
    return NULL;
}

static ik_status store_row_lacks_memory(sqlite3_stmt *statement, ik_error *err)
{
    if (sqlite3_errcode(sqlite3_db_handle(statement)) != SQLITE_NOMEM)
        return IK_OK;
    return ik_fail_memory(err, 0, "the result store");
}

ik_status store_text(sqlite3_stmt *statement, int column, const char **text, ik_error *err)
{
    const char *found = (const char *)sqlite3_column_text(statement, column);
    ik_status status = found ? IK_OK : store_row_lacks_memory(statement, err);
    if (status == IK_OK)
        *text = found ? found : "";
    return status;
}

ik_status store_blob(sqlite3_stmt *statement, int column, const void **blob, size_t *size,
                     ik_error *err)
{
    const void *found = sqlite3_column_blob(statement, column);
    ik_status status = found ? IK_OK : store_row_lacks_memory(statement, err);
    if (status == IK_OK) {
        *blob = found;
        *size = (size_t)sqlite3_column_bytes(statement, column);
    }
    return status;
}

/* No quantity of a simulation comes near; sums of squares of such values are still numbers. */
static const double most_real = 1e30;

void row_damaged(store_row *r, int column, const char *is)
{
    char of[80];
    if (r->status != IK_OK)
        return;
    snprintf(of, sizeof of, r->id >= 0 ? "%s %" PRId64 : "%s", r->what, r->id);
    const char *name = column >= 0 ? sqlite3_column_name(r->statement, column) : NULL;
    r->status = name ? ik_fail(r->err, IK_ERR_INPUT, "'%.200s' is damaged: '%s' of %s %s",
                               store_path(r->s), name, of, is)
                     : ik_fail(r->err, IK_ERR_INPUT, "'%.200s' is damaged: %s %s", store_path(r->s),
                               of, is);
}

static void store_row_out_of_memory(store_row *r, size_t bytes)
{
    if (r->status == IK_OK)
        r->status = ik_fail_memory(r->err, bytes, "a row of the results file");
}

const char *row_text(store_row *r, int column)
{
    if (r->status != IK_OK)
        return "";
    if (sqlite3_column_type(r->statement, column) != SQLITE_TEXT) {
        row_damaged(r, column, "is not text");
        return "";
    }
    const char *text = "";
    r->status = store_text(r->statement, column, &text, r->err);
    if (r->status != IK_OK)
        return "";
    size_t size = (size_t)sqlite3_column_bytes(r->statement, column);
    const char *copy = ik_arena_strdup(r->arena, text);
    if (!copy) {
        store_row_out_of_memory(r, size);
        return "";
    }
    if (strlen(copy) != size) {
        row_damaged(r, column, "has a zero byte");
        return "";
    }
    return copy;
}

int64_t row_int(store_row *r, int column, int64_t min, int64_t max)
{
    if (r->status != IK_OK)
        return min;
    int64_t value = sqlite3_column_int64(r->statement, column);
    if (sqlite3_column_type(r->statement, column) != SQLITE_INTEGER)
        row_damaged(r, column, "is not a whole number");
    else if (value < min || value > max)
        row_damaged(r, column, "is out of range");
    return r->status == IK_OK ? value : min;
}

double row_real(store_row *r, int column)
{
    if (r->status != IK_OK)
        return 0;
    int type = sqlite3_column_type(r->statement, column);
    double value = sqlite3_column_double(r->statement, column);
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
        row_damaged(r, column, "is not a number");
    else if (!(value >= 0 && value <= most_real))
        row_damaged(r, column, "is out of range");
    return r->status == IK_OK ? value : 0;
}

double row_real_if_any(store_row *r, int column)
{
    bool any = sqlite3_column_type(r->statement, column) != SQLITE_NULL;
    return any ? row_real(r, column) : NAN;
}

double row_signed_if_any(store_row *r, int column)
{
    int type = sqlite3_column_type(r->statement, column);
    double value = sqlite3_column_double(r->statement, column);
    if (r->status == IK_OK && type == SQLITE_FLOAT && value < 0 && value >= -most_real)
        return value;
    return row_real_if_any(r, column);
}

/* What `inflate` makes of the column; NULL when the row is damaged. */
static const void *store_row_blob_of(store_row *r, int column, size_t *size)
{
    if (r->status != IK_OK)
        return NULL;
    if (sqlite3_column_type(r->statement, column) != SQLITE_BLOB) {
        row_damaged(r, column, "is not an array");
        return NULL;
    }
    const void *blob = NULL;
    r->status = store_blob(r->statement, column, &blob, size, r->err);
    if (r->status == IK_OK && !blob)
        row_damaged(r, column, "is empty");
    return blob;
}

/* The error of unpacking, with its place. */
static void store_row_unpacked(store_row *r, int column, ik_status status, const ik_error *why)
{
    if (status == IK_ERR_INPUT)
        row_damaged(r, column, "is not a packed array");
    else if (status != IK_OK && r->status == IK_OK) {
        r->status = status;
        if (r->err)
            *r->err = *why;
    }
}

const char *row_packed_text(store_row *r, int column)
{
    size_t size = 0, bytes = 0;
    const void *blob = store_row_blob_of(r, column, &size);
    char *text = NULL;
    ik_error why;
    if (!blob)
        return "";
    store_row_unpacked(r, column, store_inflate(blob, size, &text, &bytes, &why), &why);
    if (r->status != IK_OK)
        return "";
    const char *copy = ik_arena_strdup(r->arena, text);
    free(text);
    if (!copy)
        store_row_out_of_memory(r, bytes);
    else if (strlen(copy) != bytes)
        row_damaged(r, column, "has a zero byte");
    return r->status == IK_OK ? copy : "";
}

uint64_t *row_words(store_row *r, int column, size_t *num)
{
    size_t size = 0;
    const void *blob = store_row_blob_of(r, column, &size);
    uint64_t *words = NULL;
    ik_error why;
    *num = 0;
    if (blob)
        store_row_unpacked(r, column, store_unpack(blob, size, &words, num, &why), &why);
    return words;
}
