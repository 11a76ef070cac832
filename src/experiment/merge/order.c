/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/merge/order.c: see order.h.
 *
 * New numbers are found first, in a temporary table, then given to the rows and to those that refer
 * to them.
 */
#include "experiment/merge/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers */

#define NEW_NUMBER(column)                                                                         \
#column " = coalesce((SELECT now FROM temp.numbers WHERE old = " #column "), " #column ")"

/* A table with its numbers, and the statements that say which they are to be. */
typedef struct numbered {
    const char *by_sweep, *as_main;
    const char *plans,
        *points; /* what gives a new number to what refers to the table; "" = nothing */
    const char *name;
} numbered;

/* Fabrics first: plans are theirs. */
static const numbered tables[] = {
    {"INSERT INTO temp.numbers SELECT f.id, row_number() OVER (ORDER BY p.first IS NULL, p.first, "
     "f.spec, f.digest) FROM main.fabrics AS f LEFT JOIN (SELECT fabric, min(id) AS first FROM "
     "main.points GROUP BY fabric) AS p ON p.fabric = f.id",
     "INSERT INTO temp.numbers SELECT q.id, coalesce(m.id, (SELECT coalesce(max(id), 0) FROM "
     "main.fabrics) + row_number() OVER (PARTITION BY m.id IS NULL ORDER BY q.id)) FROM "
     "part.fabrics AS q LEFT JOIN main.fabrics AS m ON m.spec = q.spec AND m.digest = q.digest",
     NEW_NUMBER(fabric), NEW_NUMBER(fabric), "fabrics"},
    {"INSERT INTO temp.numbers SELECT q.id, row_number() OVER (ORDER BY k.first IS NULL, k.first, "
     "q.key, q.flow) FROM main.plans AS q LEFT JOIN (SELECT o.key, min(p.id) AS first FROM "
     "main.points AS p JOIN main.plans AS o ON o.id = p.plan GROUP BY o.key) AS k ON k.key = q.key",
     "INSERT INTO temp.numbers SELECT q.id, coalesce(m.id, (SELECT coalesce(max(id), 0) FROM "
     "main.plans) + row_number() OVER (PARTITION BY m.id IS NULL ORDER BY q.id)) FROM part.plans "
     "AS q LEFT JOIN main.plans AS m ON m.key = q.key AND m.flow = q.flow",
     "", NEW_NUMBER(plan), "plans"}};

static ik_status order_update(const store *s, const char *schema, const char *table,
                              const char *set, ik_error *err)
{
    char sql[256];
    snprintf(sql, sizeof sql, "UPDATE %s.%s SET %s", schema, table, set);
    return set[0] ? store_run_sql(s, sql, err) : IK_OK;
}

/* Gives the numbers of temp.numbers; negative ones in between, since new ones are old ones of
 * other rows. */
static ik_status order_give(const store *s, const char *schema, const numbered *t, ik_error *err)
{
    ik_status status = order_update(s, schema, "points", t->points, err);
    if (status == IK_OK)
        status = order_update(s, schema, "plans", t->plans, err);
    if (status == IK_OK)
        status = order_update(s, schema, t->name,
                              "id = -1 - (SELECT now FROM temp.numbers WHERE old = id)", err);
    return status == IK_OK ? order_update(s, schema, t->name, "id = -1 - id", err) : status;
}

static ik_status order_table(const store *s, const char *schema, const numbered *t,
                             const char *numbers, ik_error *err)
{
    int64_t wrong = 0;
    ik_status status = store_run_sql(
        s, "CREATE TEMP TABLE numbers(old INTEGER PRIMARY KEY, now INTEGER NOT NULL UNIQUE)", err);
    if (status != IK_OK)
        return status;
    status = store_run_sql(s, numbers, err);
    if (status == IK_OK)
        status = store_number(s, "SELECT count(*) FROM temp.numbers WHERE old <> now", &wrong, err);
    if (status == IK_OK && wrong > 0)
        status = order_give(s, schema, t, err);
    ik_error ignored;
    ik_status dropped = store_run_sql(s, "DROP TABLE temp.numbers", &ignored);
    if (status == IK_OK && dropped != IK_OK && err)
        *err = ignored;
    return status == IK_OK ? dropped : status;
}

ik_status order_as_main(store *s, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == IK_OK; i++)
        status = order_table(s, "part", &tables[i], tables[i].as_main, err);
    return status;
}

/* ---- what was left out */

/* The entries of a list by their points; where those of the same routing and reason overlap or
 * follow each other they are one. */
#define ONE_LIST(lists)                                                                            \
    "(WITH entry AS (SELECT value ->> 'first' AS first, (value ->> 'first') + (value ->> "         \
    "'points') AS behind, value ->> 'what' AS what, value ->> 'why' AS why FROM " lists "), "      \
    "marked AS (SELECT *, coalesce(max(behind) OVER (PARTITION BY what, why ORDER BY first, "      \
    "behind ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) < first, 1) AS begins FROM entry), " \
    "grouped AS (SELECT *, sum(begins) OVER (PARTITION BY what, why ORDER BY first, behind) AS "   \
    "number FROM marked), joined AS (SELECT min(first) AS first, max(behind) - min(first) AS "     \
    "points, what, why FROM grouped GROUP BY what, why, number ORDER BY 1, what, why) SELECT "     \
    "json_group_array(json_object('first', first, 'points', points, 'what', what, 'why', why)) "   \
    "FROM joined)"
#define OF_PART "(SELECT value FROM part.meta WHERE key = 'left_out')"
#define BOTH                                                                                       \
    "(SELECT value FROM json_each(meta.value) UNION ALL SELECT value FROM json_each(" OF_PART "))"

ik_status order_count_wrong_left_out(const store *s, uint64_t num_points, int64_t *wrong,
                                     ik_error *err)
{
    /* CASE, since SQLite may look at both sides of AND */
    static const char format[] =
        "SELECT count(*) FROM part.meta AS m WHERE key = 'left_out' AND CASE WHEN NOT "
        "json_valid(m.value) THEN 1 WHEN json_type(m.value) <> 'array' THEN 1 ELSE EXISTS (SELECT "
        "1 FROM json_each(m.value) AS e WHERE CASE WHEN e.type <> 'object' THEN 1 ELSE "
        "json_type(e.value, '$.first') IS NOT 'integer' OR json_type(e.value, '$.points') IS NOT "
        "'integer' OR json_type(e.value, '$.what') IS NOT 'text' OR json_type(e.value, '$.why') IS "
        "NOT 'text' OR (e.value ->> 'first') NOT BETWEEN 0 AND %" PRId64 " OR (e.value ->> "
        "'points') NOT BETWEEN 1 AND %" PRId64 " - (e.value ->> 'first') END) END";
    char sql[sizeof format + 40];
    int64_t num = num_points < INT64_MAX ? (int64_t)num_points : INT64_MAX;
    snprintf(sql, sizeof sql, format, num - 1, num);
    return store_number(s, sql, wrong, err);
}

ik_status order_add_left_out(store *s, ik_error *err)
{
    static const char add[] =
        "UPDATE main.meta SET value = " ONE_LIST(BOTH) " WHERE key = 'left_out' AND " OF_PART
                                                       " IS NOT NULL";
    return store_run_sql(s, add, err);
}

ik_status order_left_out(const store *s, const char *list, ik_arena *arena, const char **ordered,
                         ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    const char *text = "[]";
    ik_status status = store_prepare(s, "SELECT " ONE_LIST("json_each(?1)"),
                                     (const char *[]){list, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_step(s, statement, &row, err);
    if (status == IK_OK && row)
        status = store_text(statement, 0, &text, err);
    *ordered = status == IK_OK ? ik_arena_strdup(arena, text) : NULL;
    sqlite3_finalize(statement);
    if (status == IK_OK && !*ordered)
        return ik_fail_memory(err, strlen(list), "an experiment");
    return status;
}

/* ---- in the order of the sweep */

ik_status order_by_sweep(store *s, ik_error *err)
{
    ik_status status = store_begin(s, err);
    if (status != IK_OK)
        return status;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == IK_OK; i++)
        status = order_table(s, "main", &tables[i], tables[i].by_sweep, err);
    if (status == IK_OK)
        return store_commit(s, err);
    store_rollback(s);
    return status;
}
