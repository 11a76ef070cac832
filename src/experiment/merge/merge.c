/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/merge/merge.c: one results file of several parts of an experiment.
 *
 * Each part has the fabrics and plans of its own points, which are numbered as those of the merged
 * file before rows are taken. What a part has and the merged file then has not contradicts an
 * earlier one. At the end all is in the order of the sweep, as in the file of one run.
 */
#include "experiment/merge/order.h"
#include "experiment/store.h"
#include "experiment/stored.h"
#include "ikat/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Tables in the order in which rows refer to each other, and which of their rows count. */
static const struct {
    const char *name, *what, *condition;
    const char *same; /* row m is the one of the merged file that row p of a part would be */
} parts[] = {
    {"fabrics", "fabric", "1", "m.id = p.id"},
    {"plans", "plan", "1", "m.id = p.id"},
    {"points", "point", STORE_CURRENT, "m.id = p.id"},
    {"refs", "reference", "1", "m.key = p.key"},
    {"details", "detail of a point",
     "kind = 'routes' OR kind <> 'cost' AND params IN (SELECT params FROM part.points "
     "WHERE " STORE_CURRENT ")",
     "m.params = p.params AND m.kind = p.kind"},
};
enum { NUM_PARTS = sizeof parts / sizeof *parts };

typedef struct merge {
    store *to;
    ik_arena arena;
    stored_sweep sweep;
    ik_merged found;
} merge;

static ik_status merge_execute(store *s, const char *sql, const char *text, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(s, sql, (const char *[]){text, NULL}, &statement, err);
    return status == IK_OK ? store_execute(s, statement, err) : status;
}

/* ---- taking its rows */

/* A text that a query about a table gives, in the arena; NULL: it gives none. */
static ik_status merge_ask(merge *m, const char *sql, const char *table, const char **text,
                           ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    const char *found = NULL;
    ik_status status = store_prepare(m->to, sql, (const char *[]){table, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_step(m->to, statement, &row, err);
    if (status == IK_OK && row)
        status = store_text(statement, 0, &found, err);
    *text = found ? ik_arena_strdup(&m->arena, found) : NULL;
    if (status == IK_OK && found && !*text)
        status = ik_fail_memory(err, strlen(found), "a merge");
    sqlite3_finalize(statement);
    return status;
}

/* Names what two files say differently of the same point. */
static ik_status refuse_contradiction(merge *m, const char *path, size_t part, const char *list,
                                      ik_error *err)
{
    const char *params = NULL;
    ik_status status = IK_OK;
    if (strcmp(parts[part].name, "points") == 0) {
        const char *sql =
            ik_arena_printf(&m->arena,
                            "SELECT params FROM (SELECT %s FROM part.points WHERE " STORE_CURRENT
                            " EXCEPT SELECT %s FROM main.points) LIMIT 1",
                            list, list);
        status = sql ? merge_ask(m, sql, NULL, &params, err) : ik_fail_memory(err, 256, "a merge");
    }
    if (status == IK_OK) {
        status =
            ik_fail(err, IK_ERR_INPUT,
                    "'%.150s' contradicts an earlier file: the same %s with other contents%s%.300s",
                    path, parts[part].what, params ? ": " : "", params ? params : "");
        ik_hint(err, status,
                "a file that was continued after its experiment was changed cannot be merged: run "
                "its shard again");
    }
    return status;
}

/* In SQL: the columns of table ?1 of the part, as those of a row that has a name. */
#define MERGE_COLUMNS(row)                                                                         \
    "SELECT group_concat('" row "\"' || replace(name, '\"', '\"\"') || '\"', ', ') FROM "          \
    "pragma_table_info(?1, 'part')"

/* The columns of a table of the part, which the merged file has from now on: those of another
 * version of ikat too, empty for the points of other files. */
static ik_status merge_take_columns(merge *m, const char *table, const char **list, ik_error *err)
{
    static const char unknown[] =
        "SELECT 'ALTER TABLE main.' || ?1 || ' ADD COLUMN \"' || replace(name, '\"', '\"\"') || "
        "'\" ' || iif(type IN ('INTEGER', 'REAL', 'TEXT', 'BLOB'), type, '') FROM "
        "pragma_table_info(?1, 'part') WHERE name COLLATE NOCASE NOT IN (SELECT name FROM "
        "pragma_table_info(?1, 'main')) LIMIT 1";
    const char *add = "";
    ik_status status = IK_OK;
    while (status == IK_OK && add) {
        status = merge_ask(m, unknown, table, &add, err);
        if (status == IK_OK && add)
            status = store_run_sql(m->to, add, err);
    }
    return status == IK_OK ? merge_ask(m, MERGE_COLUMNS(""), table, list, err) : status;
}

static ik_status merge_take_rows(merge *m, const char *path, size_t part, ik_error *err)
{
    int64_t missing = 0;
    const char *name = parts[part].name, *condition = parts[part].condition, *list = "";
    const char *of_main = "", *of_part = "";
    ik_status status = merge_take_columns(m, name, &list, err);
    if (status == IK_OK)
        status = merge_ask(m, MERGE_COLUMNS("m."), name, &of_main, err);
    if (status == IK_OK)
        status = merge_ask(m, MERGE_COLUMNS("p."), name, &of_part, err);
    if (status != IK_OK)
        return status;
    const char *insert =
        ik_arena_printf(&m->arena,
                        "INSERT OR IGNORE INTO main.%s(%s) SELECT %s FROM part.%s WHERE "
                        "%s",
                        name, list, list, name, condition);
    /* row by row: a difference of the tables would read all of the merged file for each part */
    const char *compare = ik_arena_printf(
        &m->arena,
        "SELECT count(*) FROM part.%s AS p WHERE (%s) AND NOT EXISTS (SELECT 1 FROM "
        "main.%s AS m WHERE %s AND (%s) IS (%s))",
        name, condition, name, parts[part].same, of_main, of_part);
    if (!insert || !compare)
        return ik_fail_memory(err, 256, "a merge");
    status = merge_execute(m->to, insert, NULL, err);
    if (status == IK_OK)
        status = store_number(m->to, compare, &missing, err);
    if (status == IK_OK && missing)
        status = refuse_contradiction(m, path, part, list, err);
    return status;
}

/* A table of another version is not understood here, and would be lost. */
static ik_status merge_refuse_tables(merge *m, const char *path, ik_error *err)
{
    const char *name = NULL;
    ik_status status = merge_ask(m,
                                 "SELECT name FROM part.sqlite_master WHERE type = ?1 AND name NOT "
                                 "LIKE 'sqlite_%' AND name COLLATE NOCASE NOT IN (SELECT name FROM "
                                 "main.sqlite_master) LIMIT 1",
                                 "table", &name, err);
    if (status != IK_OK || !name)
        return status;
    ik_fail(err, IK_ERR_INPUT, "'%.150s' has a table '%.60s', which ikat %s does not know", path,
            name, ik_version());
    return ik_hint(err, IK_ERR_INPUT,
                   "a merge would leave it out: merge with the version that wrote it");
}

/* Texts of the experiment from the first file; what was left out, from all that came to the end. */
static ik_status merge_take_meta(merge *m, ik_error *err)
{
    const char *list = "";
    ik_status status = merge_take_columns(m, "meta", &list, err);
    if (status != IK_OK)
        return status;
    const char *insert = ik_arena_printf(
        &m->arena, "INSERT OR IGNORE INTO main.meta(%s) SELECT %s FROM part.meta", list, list);
    status = insert ? merge_execute(m->to, insert, NULL, err) : ik_fail_memory(err, 256, "a merge");
    return status == IK_OK ? order_add_left_out(m->to, err) : status;
}

/* What was left out is a list of what ikat writes, of points of the sweep. */
static ik_status merge_check_left_out(const merge *m, const char *path, ik_error *err)
{
    int64_t wrong = 0;
    ik_status status = order_count_wrong_left_out(m->to, stored_num_points(&m->sweep), &wrong, err);
    if (status == IK_OK && wrong)
        return ik_fail(err, IK_ERR_INPUT,
                       "'%.200s' is damaged: what was left out is not what ikat writes", path);
    return status;
}

/* Numbers of points are those of the sweep, and what they refer to is there: nothing else is
 * checked in a part, and what is made from it must be readable. */
static ik_status merge_check_part(const merge *m, const char *path, ik_error *err)
{
    int64_t wrong = 0;
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM part.points AS p WHERE " STORE_CURRENT
             " AND (id < 0 OR id >= %" PRIu64 " OR NOT EXISTS (SELECT 1 FROM part.plans AS q, "
             "part.fabrics AS f WHERE q.id = p.plan AND q.fabric = p.fabric AND f.id = p.fabric))",
             stored_num_points(&m->sweep));
    ik_status status = store_number(m->to, sql, &wrong, err);
    if (status == IK_OK && wrong)
        return ik_fail(err, IK_ERR_INPUT,
                       "'%.200s' is damaged: %" PRId64 " of its points have no place in the sweep, "
                       "or no plan",
                       path, wrong);
    return status;
}

static ik_status merge_take_tables(merge *m, const char *path, ik_error *err)
{
    static const char points_here[] = "SELECT count(*) FROM main.points",
                      points_there[] = "SELECT count(*) FROM part.points WHERE " STORE_CURRENT;
    int64_t before = 0, there = 0, now = 0;
    ik_status status = store_begin(m->to, err);
    if (status != IK_OK)
        return status;
    status = merge_check_part(m, path, err);
    if (status == IK_OK)
        status = merge_check_left_out(m, path, err);
    if (status == IK_OK)
        status = merge_refuse_tables(m, path, err);
    if (status == IK_OK)
        status = store_number(m->to, points_here, &before, err);
    if (status == IK_OK)
        status = store_number(m->to, points_there, &there, err);
    if (status == IK_OK)
        status = merge_take_meta(m, err);
    if (status == IK_OK)
        status = order_as_main(m->to, err);
    for (size_t i = 0; i < NUM_PARTS && status == IK_OK; i++)
        status = merge_take_rows(m, path, i, err);
    if (status == IK_OK)
        status = store_number(m->to, points_here, &now, err);
    m->found.points = (uint64_t)now;
    if (status == IK_OK)
        m->found.doubles += (uint64_t)(before + there - now);
    if (status == IK_OK)
        return store_commit(m->to, err);
    store_rollback(m->to);
    return status;
}

/* What points took: of one file alone, whose copy another run continues. */
static ik_status merge_take_costs(merge *m, ik_error *err)
{
    return store_run_sql(m->to,
                         "INSERT OR IGNORE INTO main.details(params, kind, body) SELECT params, "
                         "kind, body FROM part.details WHERE kind = 'cost' AND params IN (SELECT "
                         "params FROM part.points WHERE " STORE_CURRENT ")",
                         err);
}

/* The file is opened and checked as any results file; a copy stands beside the merged one. */
static ik_status merge_take_file(merge *m, const char *path, bool alone, ik_error *err)
{
    store *s = NULL;
    ik_status status = store_open(path, &s, err);
    if (status == IK_OK)
        status = stored_same_sweep(&m->sweep, s, err);
    if (status == IK_OK)
        status = merge_execute(m->to, "ATTACH ?1 AS part", "", err);
    bool attached = status == IK_OK;
    if (attached)
        status = store_copy_into(s, m->to, "part", err);
    store_close(s);
    if (status == IK_OK)
        status = merge_take_tables(m, path, err);
    if (status == IK_OK && alone)
        status = merge_take_costs(m, err);
    ik_error ignored;
    ik_status detached = attached ? merge_execute(m->to, "DETACH part", NULL, &ignored) : IK_OK;
    if (status == IK_OK && detached != IK_OK && err)
        *err = ignored;
    return status == IK_OK ? detached : status;
}

static ik_status merge_refuse_existing(const char *path, ik_error *err)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return IK_OK;
    ik_fail(err, IK_ERR_INPUT, "'%.200s' exists already", path);
    return ik_hint(err, IK_ERR_INPUT, "a merge writes a new file: name another with -o");
}

ik_status ik_results_merge(const char *const *paths, size_t num, const char *path, ik_merged *out,
                           ik_error *err)
{
    merge m = {0};
    ik_status status = num ? merge_refuse_existing(path, err)
                           : ik_fail(err, IK_ERR_USAGE, "no results file to merge");
    if (status == IK_OK)
        status = store_create_apart(path, &m.to, err);
    if (status != IK_OK)
        return status;
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = merge_take_file(&m, paths[i], num == 1, err);
    if (status == IK_OK)
        status = order_by_sweep(m.to, err);
    if (status == IK_OK) {
        m.found.num_points = stored_num_points(&m.sweep);
        /* of one unfinished file it is a copy, which says how far its run is */
        if (num > 1 || m.found.points == m.found.num_points)
            status = store_run_sql(m.to, "DELETE FROM meta WHERE key = 'run'", err);
    }
    if (status == IK_OK)
        status = store_publish(m.to, err);
    else
        store_close(m.to);
    if (status == IK_OK)
        *out = m.found;
    stored_sweep_free(&m.sweep);
    ik_arena_free(&m.arena);
    return status;
}
