/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_tables.c: the tables of a results file, and files of other versions of ikat.
 *
 * The schema is made from the columns below; those of results are made from results.def. A file is
 * compared with them column by column. Columns that it lacks are added where it is read, in the
 * private copy that is read, with what stands for nothing; columns and tables that are not known
 * here stay where they are. What could do more than hold values (views, triggers, indexes,
 * generated columns, virtual tables) is refused: the file may be anybody's.
 */
#include "experiment/figures/metrics.h"
#include "experiment/store_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What stands for nothing in a file that lacks the column. */
#define NO_TEXT   "''"
#define NO_NUMBER "NULL"
#define NO_TIME   "0"
#define NO_ARRAY  "x'0000000000000000789c030000000001'" /* of no bytes, as store_deflate makes it */
#define NEEDED    NULL                                  /* nothing can: it cannot be read */

static const store_column meta_columns[] = {{"key", "TEXT", "PRIMARY KEY", NEEDED},
                                            {"value", "TEXT", "NOT NULL", NEEDED}};

static const store_column fabric_columns[] = {{"id", "INTEGER", "PRIMARY KEY", NEEDED},
                                              {"spec", "TEXT", "NOT NULL", NEEDED},
                                              {"digest", "TEXT", "NOT NULL", NO_TEXT},
                                              {"summary", "TEXT", "NOT NULL", NEEDED},
                                              {"drawing", "BLOB", "NOT NULL", NEEDED}};

static const store_column plan_columns[] = {
    {"id", "INTEGER", "PRIMARY KEY", NEEDED},
    {"key", "TEXT", "NOT NULL", NO_TEXT},
    {"flow", "TEXT", "NOT NULL", NO_TEXT},
    {"fabric", "INTEGER", "NOT NULL REFERENCES fabrics(id)", NEEDED},
    {"routing", "TEXT", "NOT NULL", NEEDED},
    {"vc", "TEXT", "NOT NULL", NO_TEXT},
    {"vcs", "INTEGER", "NOT NULL", "1"},
    {"selection", "TEXT", "NOT NULL", NO_TEXT},
    {"asked", "TEXT", "NOT NULL", NO_TEXT},
    {"proof", "TEXT", "NOT NULL", NEEDED},
    {"failed", "INTEGER", "NOT NULL", "0"}};

/* First what a point is, then its results that are one number, then texts and arrays. */
static const store_column point_columns[] = {
    {"id", "INTEGER", "PRIMARY KEY", NEEDED},
    {"params", "TEXT", "NOT NULL UNIQUE", NEEDED},
    {"fabric", "INTEGER", "NOT NULL REFERENCES fabrics(id)", NEEDED},
    {"plan", "INTEGER", "NOT NULL REFERENCES plans(id)", NEEDED},
    {"traffic", "TEXT", "NOT NULL", NEEDED},
    {"variant", "TEXT", "NOT NULL", NO_TEXT},
    {"load", "REAL", "NOT NULL", NEEDED},
    {"seed", "INTEGER", "NOT NULL", NEEDED},
    {"checksum", "TEXT", "NOT NULL", NEEDED}, /* "" where nothing was simulated */
#define SIMULATED(id, name, type, ...) {#name, #type, "", NO_NUMBER},
#define MEASURED(id, name, ...)        {#name, "REAL", "", NO_NUMBER},
#include "experiment/figures/results.def"
    {"measured", "TEXT", "NOT NULL", NO_TEXT},
    {"steady", "TEXT", "NOT NULL", NO_TEXT},
    {"steady_reason", "TEXT", "NOT NULL", NO_TEXT},
    {"hosts_silent", "INTEGER", "", NO_NUMBER},
    {"window_ps", "INTEGER", "", NO_TIME},
    {"end_ps", "INTEGER", "", NO_TIME},
    {"deadlock", "TEXT", "NOT NULL", NO_TEXT},
    {"missing", "TEXT", "NOT NULL", NO_TEXT},
    {"reference", "TEXT", "NOT NULL", NO_TEXT},
    {"congestion", "TEXT", "NOT NULL", NO_TEXT},
    {"classes", "TEXT", "NOT NULL", NO_TEXT},
    {"latency_histogram", "BLOB", "", NO_ARRAY},
    {"network_latency_histogram", "BLOB", "", NO_ARRAY},
    {"channel_bytes", "BLOB", "", NEEDED},
    {"host_bytes", "BLOB", "", NEEDED},
    {"host_sent_bytes", "BLOB", "", NO_ARRAY},
    {"host_finish", "BLOB", "", NO_ARRAY},
    {"series_period_ps", "INTEGER", "", NO_TIME},
    {"series_throughput", "BLOB", "", NEEDED},
    {"series_latency_ns", "BLOB", "", NEEDED},
    {"series_blocked", "BLOB", "", NO_ARRAY},
    {"series_reorder_bytes", "BLOB", "", NO_ARRAY},
    {"series_out_of_order", "BLOB", "", NO_ARRAY},
    {"series_throttled", "BLOB", "", NO_ARRAY},
    {"series_outstanding", "BLOB", "", NO_ARRAY},
    {"congestion_series", "BLOB", "", NO_ARRAY},
    {"workload", "BLOB", "", NO_ARRAY}};

static const store_column ref_columns[] = {
    {"key", "TEXT", "PRIMARY KEY", NEEDED},    {"fabric", "TEXT", "NOT NULL", NO_TEXT},
    {"switch", "TEXT", "NOT NULL", NO_TEXT},   {"traffic", "TEXT", "NOT NULL", NO_TEXT},
    {"adapter", "TEXT", "NOT NULL", NO_TEXT},  {"seed", "INTEGER", "NOT NULL", "0"},
    {"completion_ns", "REAL", "NOT NULL", "0"}};

static const store_column detail_columns[] = {{"params", "TEXT", "NOT NULL", NEEDED},
                                              {"kind", "TEXT", "NOT NULL", NEEDED},
                                              {"body", "BLOB", "NOT NULL", NEEDED}};

#define COLUMNS(list) list, sizeof(list) / sizeof *(list)
const store_table store_tables[STORE_TABLES] = {
    {"meta", COLUMNS(meta_columns), "", " WITHOUT ROWID", false},
    {"fabrics", COLUMNS(fabric_columns), ", UNIQUE(spec, digest)", "", false},
    {"plans", COLUMNS(plan_columns), ", UNIQUE(key, flow)", "", false},
    {"points", COLUMNS(point_columns), "", "", false},
    {"refs", COLUMNS(ref_columns), "", " WITHOUT ROWID", true},
    {"details", COLUMNS(detail_columns), ", PRIMARY KEY(params, kind)", " WITHOUT ROWID", true},
};
enum { TABLE_POINTS = 3 };

/* ---- statements */

/* Runs a statement that SQLite's string builder made (NULL: no memory), and frees it. */
static ik_status store_tables_run(const store *s, char *sql, ik_error *err)
{
    ik_status status =
        sql ? store_run_sql(s, sql, err) : ik_fail_memory(err, 1000, "the result store");
    sqlite3_free(sql);
    return status;
}

/* In memory of SQLite; NULL: there is none. */
static char *store_tables_create_sql(const store_table *t)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "CREATE TABLE %s(", t->name);
    for (size_t i = 0; i < t->num; i++) {
        const store_column *c = &t->columns[i];
        sqlite3_str_appendf(sql, "%s%s %s%s%s", i ? ", " : "", c->name, c->type,
                            c->rule[0] ? " " : "", c->rule);
    }
    sqlite3_str_appendf(sql, "%s)%s", t->rules, t->options);
    return sqlite3_str_finish(sql);
}

ik_status store_tables_create(const store *s, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < STORE_TABLES && status == IK_OK; i++)
        status = store_tables_run(s, store_tables_create_sql(&store_tables[i]), err);
    return status;
}

char *store_tables_insert_point(void)
{
    const store_table *t = &store_tables[TABLE_POINTS];
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "INSERT INTO %s(", t->name);
    for (size_t i = 0; i < t->num; i++)
        sqlite3_str_appendf(sql, "%s%s", i ? ", " : "", t->columns[i].name);
    sqlite3_str_appendall(sql, ") VALUES(");
    for (size_t i = 0; i < t->num; i++)
        sqlite3_str_appendf(sql, "%s:%s", i ? ", " : "", t->columns[i].name);
    sqlite3_str_appendall(sql, ")");
    return sqlite3_str_finish(sql);
}

/* ---- what a file says of itself */

ik_status store_set_meta(store *s, const char *key, const char *value, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(
        s, "INSERT INTO meta(key, value) VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2",
        (const char *[]){key, value, NULL}, &statement, err);
    return status == IK_OK ? store_execute(s, statement, err) : status;
}

ik_status store_get_meta(const store *s, const char *key, ik_arena *arena, const char **value,
                         ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    ik_status status = store_prepare(s, "SELECT value FROM meta WHERE key = ?1",
                                     (const char *[]){key, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_step(s, statement, &row, err);
    if (status == IK_OK && row) {
        store_row r = {
            .s = s, .statement = statement, .arena = arena, .what = key, .id = -1, .err = err};
        const char *text = row_text(&r, 0);
        status = r.status;
        if (status == IK_OK)
            *value = text;
    } else if (status == IK_OK) {
        *value = "";
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- files of other versions */

/* What a version meant by columns that mean something else now; of a file that is read, when it has
 * today's columns. Of format 16 nothing was judged, and latencies past saturation, or that had not
 * converged, were marked. */
static const struct {
    int64_t format;
    const char *column; /* of points, which only that version has */
    const char *sql;
} meanings[] = {
    {16, "stationary",
     "UPDATE points SET saturated = 1 - stationary, latency_steady = iif(converged = 0, 0, "
     "stationary), steady_reason = iif(stationary IS NULL, '', 'not judged (made by an earlier "
     "version)')"}};

static ik_status store_tables_damaged(const store *s, const char *what, const char *column,
                                      const char *table, ik_error *err)
{
    return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: %s '%.40s' of its table '%s'",
                   store_path(s), what, column, table);
}

/* A file that is continued must have all that is written. */
static ik_status store_tables_refuse_writing(const store *s, const char *column, const char *table,
                                             ik_error *err)
{
    int64_t format = 0;
    ik_status status = store_number(s, "PRAGMA user_version", &format, err);
    if (status != IK_OK)
        return status;
    ik_fail(err, IK_ERR_INPUT,
            "'%.200s' (results format %" PRId64 ") lacks the column '%s' of its table '%s', which "
            "ikat %s writes",
            store_path(s), format, column, table, ik_version());
    return ik_hint(err, IK_ERR_INPUT,
                   "it can be read, but not written: run the experiment again into another file");
}

static ik_status store_tables_add(const store *s, const store_table *t, const store_column *c,
                                  ik_error *err)
{
    char sql[200];
    bool reading = store_is_read(s);
    if (!c->empty)
        return store_tables_damaged(s, "it lacks the column", c->name, t->name, err);
    if (!reading)
        return store_tables_refuse_writing(s, c->name, t->name, err);
    snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %s %s DEFAULT %s", t->name, c->name,
             c->type, c->empty);
    return store_run_sql(s, sql, err);
}

/* A column as the file declares it. */
static ik_status store_tables_check_column(const store *s, const store_table *t,
                                           const store_column *c, sqlite3_stmt *statement,
                                           ik_error *err)
{
    const char *type = "";
    bool key = strcmp(c->rule, "PRIMARY KEY") == 0;
    ik_status status = store_text(statement, 1, &type, err);
    if (status == IK_OK &&
        (strcmp(type, c->type) != 0 || (key && sqlite3_column_int(statement, 2) != 1)))
        return store_tables_damaged(s, "ikat does not write such a column", c->name, t->name, err);
    return status;
}

/* A column that is not known here and must have a value: no row can be added. */
static ik_status store_tables_refuse_needed(const store *s, const store_table *t, const char *name,
                                            ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT,
            "'%.200s' needs a value of the column '%.60s' of its table '%s', which ikat %s "
            "does not know",
            store_path(s), name, t->name, ik_version());
    return ik_hint(err, IK_ERR_INPUT,
                   "it can be read, but not written: run the experiment again into another file");
}

/* The column of the file that the statement stands at: *place is where one of a table that is in
 * today's order stands, and the one behind it afterwards. */
static ik_status store_tables_take_column(const store *s, const store_table *t,
                                          sqlite3_stmt *statement, bool *there, size_t *place,
                                          ik_error *err)
{
    const char *name = "";
    ik_status status = store_text(statement, 0, &name, err);
    if (status != IK_OK)
        return status;
    for (size_t k = 0; k < t->num; k++) {
        size_t i = (*place + k) % t->num;
        if (strcasecmp(t->columns[i].name, name) != 0)
            continue;
        *place = i + 1;
        there[i] = true;
        return store_tables_check_column(s, t, &t->columns[i], statement, err);
    }
    bool needed = sqlite3_column_int(statement, 3) != 0;
    return needed && !store_is_read(s) ? store_tables_refuse_needed(s, t, name, err) : IK_OK;
}

/* there: which of the table's columns the file has. One statement for all of them: each reads the
 * whole declaration. */
static ik_status store_tables_find_columns(const store *s, const store_table *t, bool *there,
                                           ik_error *err)
{
    static const char sql[] = "SELECT name, type, pk, \"notnull\" AND dflt_value IS NULL FROM "
                              "pragma_table_xinfo(?1, 'main')";
    sqlite3_stmt *statement = NULL;
    bool row = false;
    size_t place = 0;
    ik_status status = store_prepare(s, sql, (const char *[]){t->name, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_step(s, statement, &row, err);
    while (status == IK_OK && row) {
        status = store_tables_take_column(s, t, statement, there, &place, err);
        if (status == IK_OK)
            status = store_step(s, statement, &row, err);
    }
    sqlite3_finalize(statement);
    return status;
}

static ik_status store_tables_complete_columns(const store *s, const store_table *t, ik_error *err)
{
    bool *there = ik_calloc(t->num, sizeof *there);
    if (!there)
        return ik_fail_memory(err, t->num, "the result store");
    ik_status status = store_tables_find_columns(s, t, there, err);
    for (size_t i = 0; i < t->num && status == IK_OK; i++)
        if (!there[i])
            status = store_tables_add(s, t, &t->columns[i], err);
    free(there);
    return status;
}

static ik_status store_tables_count(const store *s, const char *sql, const char *table,
                                    int64_t *num, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    ik_status status = store_prepare(s, sql, (const char *[]){table, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_step(s, statement, &row, err);
    if (status == IK_OK && row)
        *num = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

static ik_status store_tables_complete(const store *s, const store_table *t, ik_error *err)
{
    int64_t there = 0;
    ik_status status =
        store_tables_count(s, "SELECT count(*) FROM sqlite_master WHERE name = ?1 COLLATE NOCASE",
                           t->name, &there, err);
    if (status == IK_OK && !there) {
        if (!t->optional)
            return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: it lacks the table '%s'",
                           store_path(s), t->name);
        return store_tables_run(s, store_tables_create_sql(t), err);
    }
    return status == IK_OK ? store_tables_complete_columns(s, t, err) : status;
}

/* Tables that hold values and do nothing; what they hold beside ours may be anything. */
static ik_status store_tables_check_kinds(const store *s, ik_error *err)
{
    static const char objects[] =
        "SELECT count(*) FROM sqlite_master AS o WHERE NOT (type = 'index' AND sql IS NULL) AND "
        "(type <> 'table' OR sql NOT LIKE 'CREATE TABLE %' OR EXISTS (SELECT 1 FROM "
        "pragma_table_xinfo(o.name, 'main') WHERE hidden <> 0))";
    int64_t others = 0;
    ik_status status = store_number(s, objects, &others, err);
    if (status == IK_OK && others)
        return ik_fail(err, IK_ERR_INPUT,
                       "'%.200s' is damaged: its tables are not those of results", store_path(s));
    return status;
}

static ik_status store_tables_convert(const store *s, int64_t format, ik_error *err)
{
    static const char has[] = "SELECT count(*) FROM pragma_table_info('points') WHERE name = ?1";
    ik_status status = IK_OK;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings && status == IK_OK; i++) {
        int64_t there = 0;
        if (meanings[i].format != format)
            continue;
        status = store_tables_count(s, has, meanings[i].column, &there, err);
        if (status == IK_OK)
            status = there ? store_run_sql(s, meanings[i].sql, err)
                           : store_tables_damaged(s, "it lacks the column", meanings[i].column,
                                                  "points", err);
    }
    return status;
}

ik_status store_tables_check(const store *s, int64_t format, ik_error *err)
{
    ik_status status = store_tables_check_kinds(s, err);
    for (size_t i = 0; i < STORE_TABLES && status == IK_OK; i++)
        status = store_tables_complete(s, &store_tables[i], err);
    return status == IK_OK ? store_tables_convert(s, format, err) : status;
}
