/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_results.c: any bytes as a results file, in place of one column of a good one, or a good one
 * whose tables have other columns: every form of the report is refused or made, and JSON that is
 * made can be read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/json_value.h"
#include "experiment/store.h"
#include "ikat/ikat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    const char *table, *name;
    bool packed;
} columns[] = {
    {"meta", "title", false},          {"meta", "left_out", false},
    {"meta", "figures", false},        {"meta", "expect", false},
    {"meta", "over", false},           {"fabrics", "spec", false},
    {"fabrics", "summary", false},     {"fabrics", "drawing", true},
    {"fabrics", "drawing", false},     {"plans", "proof", false},
    {"plans", "routing", false},       {"points", "params", false},
    {"points", "traffic", false},      {"points", "deadlock", false},
    {"points", "congestion", false},   {"points", "classes", false},
    {"points", "load", false},         {"points", "congestion_series", true},
    {"points", "channel_bytes", true}, {"points", "series_blocked", false},
    {"points", "workload", true},      {"points", "host_finish", true},
};
enum { NUM_COLUMNS = sizeof columns / sizeof *columns };

static const char experiment[] =
    "fabric: ring:n=3\nrouting: updown\nload: [50%, 90%]\n"
    "measures: [saturation, mean_hops]\n"
    "measure: {warmup: 1 us, duration: 2 us, series: 1 us, congestion: true}\n"
    "figures:\n  - {name: a, x: load, y: throughput - static_saturation}\n"
    "expect:\n  - {claim: c, metric: plateau, of: {routing: updown}, op: \"<\", value: 1}\n";
static char folder[] = "/tmp/ikat-fuzz-XXXXXX", path[64];
static char *good; /* the bytes of the good file */
static size_t good_size;

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void remove_all(void)
{
    unlink(path);
    rmdir(folder);
}

static void make_good(void)
{
    ik_experiment *e = NULL;
    bool failed;
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/a.db", folder);
    atexit(remove_all);
    if (ik_experiment_read_memory(experiment, strlen(experiment), "a", NULL, &e, NULL) != IK_OK ||
        ik_experiment_run(e, path, 1, NULL, NULL, NULL, &failed, NULL) != IK_OK)
        abort();
    ik_experiment_free(e);
    FILE *file = fopen(path, "rb");
    good = malloc(1 << 20);
    good_size = file && good ? fread(good, 1, 1 << 20, file) : 0;
    if (good_size < 1024 || fclose(file) != 0)
        abort();
}

/* The file as another version would write it: a column has another name, and a table one more. */
static void change_shape(const uint8_t *data, size_t size)
{
    static const char *const tables[] = {"meta", "fabrics", "plans", "points", "refs", "details"};
    const char *table = tables[data[0] % 6];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        abort();
    char *sql = sqlite3_mprintf("SELECT 'ALTER TABLE %s RENAME COLUMN ' || name || ' TO more' FROM "
                                "pragma_table_info('%s') WHERE cid = %d",
                                table, table, (int)data[1]);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        sqlite3_exec(db, (const char *)sqlite3_column_text(statement, 0), NULL, NULL, NULL);
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    sql = sqlite3_mprintf("ALTER TABLE %s ADD COLUMN %.*s", table, (int)size - 2, data + 2);
    sqlite3_exec(db, sql, NULL, NULL, NULL); /* may be refused: anything may stand there */
    sqlite3_free(sql);
    sqlite3_close(db);
}

/* One row's column becomes the input: packed, text or bytes as its type is. */
static void change(size_t column, const uint8_t *data, size_t size)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    char sql[160];
    void *blob = NULL;
    size_t packed = 0;
    snprintf(sql, sizeof sql, "UPDATE %s SET %s = ?1", columns[column].table, columns[column].name);
    if (strcmp(columns[column].table, "meta") == 0)
        snprintf(sql, sizeof sql, "UPDATE meta SET value = ?1 WHERE key = '%s'",
                 columns[column].name);
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", NULL, NULL,
                     NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        abort();
    if (columns[column].packed && store_deflate(data, size, &blob, &packed, NULL) == IK_OK)
        sqlite3_bind_blob(statement, 1, blob, (int)packed, SQLITE_STATIC);
    else if (strcmp(columns[column].name, "drawing") == 0 ||
             strncmp(columns[column].name, "series", 6) == 0)
        sqlite3_bind_blob(statement, 1, data, (int)size, SQLITE_STATIC);
    else
        sqlite3_bind_text(statement, 1, (const char *)data, (int)size, SQLITE_STATIC);
    sqlite3_step(statement); /* may be refused: the table has its rules */
    sqlite3_finalize(statement);
    sqlite3_close(db);
    free(blob);
}

static ik_status terminal(const char *file, FILE *out, ik_error *err)
{
    return ik_report_terminal(file, out, 80, false, err);
}

static ik_status figure(const char *file, FILE *out, ik_error *err)
{
    return ik_report_figure(file, "a", IK_FIGURE_SVG, out, 0, false, err);
}

static ik_status plans(const char *file, FILE *out, ik_error *err)
{
    return ik_report_table(file, "plans", out, 60, true, err);
}

static ik_status roots(const char *file, FILE *out, ik_error *err)
{
    return ik_report_csv_table(file, "roots", out, err);
}

static void report(void)
{
    ik_status (*const forms[])(const char *, FILE *, ik_error *) = {
        ik_report_json, ik_report_csv, terminal, roots, figure, plans};
    for (int n = 0; n < 6; n++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        ik_error err = {0};
        ik_status status = forms[n](path, out, &err);
        fclose(out);
        json_error_t why;
        json_t *root = NULL;
        if (status == IK_OK && n == 0 && json_parse(text, size, &root, &why) != IK_OK)
            abort();
        if (status == IK_ERR_INTERNAL || (status != IK_OK && !err.text[0]))
            abort();
        json_decref(root);
        free(text);
        if (status != IK_OK && n == 0)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!good)
        make_good();
    if (size == 0)
        return 0;
    size_t which = data[0] % (NUM_COLUMNS + 2);
    write_file(which == NUM_COLUMNS ? data + 1 : (const uint8_t *)good,
               which == NUM_COLUMNS ? size - 1 : good_size);
    if (which < NUM_COLUMNS)
        change(which, data + 1, size - 1);
    else if (which > NUM_COLUMNS && size >= 3)
        change_shape(data + 1, size - 1);
    report();
    return 0;
}
