/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/merge.c: one results file of several parts of an experiment.
 *
 * A run writes fabrics and plans in the order of the sweep, whichever points are its own, so the
 * rows of two parts have the same numbers, and one has as many as it came to. Rows are taken from
 * file after file; what a file has and the merged one then has not contradicts an earlier file.
 */
#include "experiment/store.h"
#include "ikat/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What must be the same in all files; `file`, the experiment's name, and left_out need not. */
static const char *const same_meta[] = {"version", "experiment", "overrides", "scale",
                                        "figures", "expect",     "over",      "num_points"};
enum { NUM_SAME = sizeof same_meta / sizeof *same_meta };

/* Tables in the order in which rows refer to each other, and which of their rows count. */
static const struct {
    const char *name, *what, *condition;
} parts[] = {
    {"fabrics", "fabric", "1"},
    {"plans", "plan", "1"},
    {"points", "point", STORE_CURRENT},
    {"refs", "reference", "1"},
    {"details", "detail of a point",
     "kind = 'routes' OR params IN (SELECT params FROM part.points WHERE " STORE_CURRENT ")"},
};
enum { NUM_PARTS = sizeof parts / sizeof *parts };

typedef struct merge {
    store *to;
    const char *first; /* path of the first file */
    ik_arena arena;
    const char *meta[NUM_SAME]; /* of the first file */
    ik_merged found;
} merge;

static ik_status merge_execute(store *s, const char *sql, const char *text, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(s, sql, (const char *[]){text, NULL}, &statement, err);
    return status == IK_OK ? store_execute(s, statement, err) : status;
}

/* ---- is it a part of the same experiment? */

static ik_status merge_refuse_other(const merge *m, const char *path, const char *key,
                                    const char *value, ik_error *err)
{
    if (strcmp(key, "version") == 0) {
        ik_fail(err, IK_ERR_INPUT, "'%.150s' was written by %s%.40s", path,
                value[0] ? "ikat " : "an ikat that is not named", value);
        return ik_hint(err, IK_ERR_INPUT, "results of two versions are not mixed; this is ikat %s",
                       ik_version());
    }
    ik_fail(err, IK_ERR_INPUT, "'%.150s' and '%.150s' are of different experiments: %s", path,
            m->first,
            strcmp(key, "experiment") == 0  ? "the file of the experiment is not the same"
            : strcmp(key, "overrides") == 0 ? "the values set with --set are not the same"
            : strcmp(key, "scale") == 0     ? "the scale is not the same"
                                            : "they differ in what was asked for");
    return ik_hint(err, IK_ERR_INPUT,
                   "'ikat merge' joins what 'ikat run FILE --shard' made of one "
                   "file; results of several files stay apart");
}

static ik_status merge_check_meta(merge *m, const store *s, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < NUM_SAME && status == IK_OK; i++) {
        const char *value = "";
        status = store_get_meta(s, same_meta[i], &m->arena, &value, err);
        if (status != IK_OK)
            break;
        if (!m->meta[i])
            m->meta[i] = i ? value : ik_version();
        if (strcmp(value, m->meta[i]) != 0)
            status = merge_refuse_other(m, store_path(s), same_meta[i], value, err);
    }
    return status;
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

/* The columns of a table of the part, which the merged file has from now on: those of another
 * version of ikat too, empty for the points of other files. */
static ik_status merge_take_columns(merge *m, const char *table, const char **list, ik_error *err)
{
    static const char unknown[] =
        "SELECT 'ALTER TABLE main.' || ?1 || ' ADD COLUMN \"' || replace(name, '\"', '\"\"') || "
        "'\" ' || iif(type IN ('INTEGER', 'REAL', 'TEXT', 'BLOB'), type, '') FROM "
        "pragma_table_info(?1, 'part') WHERE name COLLATE NOCASE NOT IN (SELECT name FROM "
        "pragma_table_info(?1, 'main')) LIMIT 1";
    static const char all[] = "SELECT group_concat('\"' || replace(name, '\"', '\"\"') || '\"', ', "
                              "') FROM pragma_table_info(?1, 'part')";
    const char *add = "";
    ik_status status = IK_OK;
    while (status == IK_OK && add) {
        status = merge_ask(m, unknown, table, &add, err);
        if (status == IK_OK && add)
            status = store_run_sql(m->to, add, err);
    }
    return status == IK_OK ? merge_ask(m, all, table, list, err) : status;
}

static ik_status merge_take_rows(merge *m, const char *path, size_t part, ik_error *err)
{
    int64_t missing = 0;
    const char *name = parts[part].name, *condition = parts[part].condition, *list = "";
    ik_status status = merge_take_columns(m, name, &list, err);
    if (status != IK_OK)
        return status;
    const char *insert =
        ik_arena_printf(&m->arena,
                        "INSERT OR IGNORE INTO main.%s(%s) SELECT %s FROM part.%s WHERE "
                        "%s",
                        name, list, list, name, condition);
    const char *compare = ik_arena_printf(&m->arena,
                                          "SELECT count(*) FROM (SELECT %s FROM part.%s WHERE %s "
                                          "EXCEPT SELECT %s FROM main.%s)",
                                          list, name, condition, list, name);
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

/* Texts of the experiment from the first file; of what was left out, from the one that came to the
 * end. */
static ik_status merge_take_meta(merge *m, ik_error *err)
{
    const char *list = "";
    ik_status status = merge_take_columns(m, "meta", &list, err);
    if (status != IK_OK)
        return status;
    const char *insert = ik_arena_printf(
        &m->arena, "INSERT OR IGNORE INTO main.meta(%s) SELECT %s FROM part.meta", list, list);
    status = insert ? merge_execute(m->to, insert, NULL, err) : ik_fail_memory(err, 256, "a merge");
    if (status == IK_OK)
        status = merge_execute(
            m->to,
            "UPDATE main.meta SET value = (SELECT value FROM part.meta WHERE key = "
            "'left_out') WHERE key = 'left_out' AND value = '[]' AND EXISTS (SELECT 1 "
            "FROM part.meta WHERE key = 'left_out')",
            NULL, err);
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
             (uint64_t)strtoull(m->meta[NUM_SAME - 1], NULL, 10));
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
        status = merge_refuse_tables(m, path, err);
    if (status == IK_OK)
        status = store_number(m->to, points_here, &before, err);
    if (status == IK_OK)
        status = store_number(m->to, points_there, &there, err);
    if (status == IK_OK)
        status = merge_take_meta(m, err);
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

/* The file is opened and checked as any results file; a copy stands beside the merged one. */
static ik_status merge_take_file(merge *m, const char *path, ik_error *err)
{
    store *s = NULL;
    ik_status status = store_open(path, &s, err);
    if (status == IK_OK)
        status = merge_check_meta(m, s, err);
    if (status == IK_OK)
        status = merge_execute(m->to, "ATTACH ?1 AS part", "", err);
    bool attached = status == IK_OK;
    if (attached)
        status = store_copy_into(s, m->to, "part", err);
    store_close(s);
    if (status == IK_OK)
        status = merge_take_tables(m, path, err);
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
    merge m = {.first = num ? paths[0] : ""};
    ik_status status = num ? merge_refuse_existing(path, err)
                           : ik_fail(err, IK_ERR_USAGE, "no results file to merge");
    if (status == IK_OK)
        status = store_create_apart(path, &m.to, err);
    if (status != IK_OK)
        return status;
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = merge_take_file(&m, paths[i], err);
    if (status == IK_OK) {
        m.found.num_points = strtoull(m.meta[NUM_SAME - 1], NULL, 10);
        status = store_publish(m.to, err);
    } else {
        store_close(m.to);
    }
    if (status == IK_OK)
        *out = m.found;
    ik_arena_free(&m.arena);
    return status;
}
