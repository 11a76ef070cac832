/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_routes.c: the routes that a results file holds, as the page has them: of every
 * plan, in their order, either the object that the file holds or `why` there is none. The page
 * holds ROUTES_BYTES of them at most.
 */
#include "report/report_json.h"

#include <string.h>

enum { ROUTES_BYTES = 4 << 20 }; /* a quarter of that when they are packed */

static bool report_routes_all_below(const json_t *rows, json_int_t end)
{
    size_t i, k;
    json_t *row, *number;
    json_array_foreach(rows, i, row)
    {
        json_array_foreach(row, k, number)
        {
            if (json_integer_value(number) >= end)
                return false;
        }
    }
    return true;
}

/* Lists of channels of this fabric, and a list for each pair of its hosts. */
static bool report_routes_fits(const report_fabric *f, const json_t *value)
{
    const json_t *lists = json_object_get(value, "lists"), *of = json_object_get(value, "of"), *row;
    if (json_object_get(value, "above"))
        return !lists && !of;
    if (!lists || !of || json_array_size(of) != f->num_hosts)
        return false;
    for (size_t i = 0; i < f->num_hosts; i++)
        if ((row = json_array_get(of, i)) && json_array_size(row) != f->num_hosts)
            return false;
    return report_routes_all_below(lists, f->num_channels) &&
           report_routes_all_below(of, (json_int_t)json_array_size(lists) + 1);
}

static void report_routes_put_why(ik_json *j, const char *above)
{
    char text[200] = "This results file has no routes of this plan.";
    if (above)
        snprintf(text, sizeof text,
                 "The page has no routes of this plan: there are too many %.40s for it.", above);
    ik_json_object(j, NULL);
    ik_json_text(j, "why", text);
    ik_json_close(j);
}

/* The object that the file holds, to be json_decref'ed. */
static json_t *report_routes_read_plan(const report_model *m, const report_plan *p,
                                       const char *text, store_row *r)
{
    json_t *value = NULL;
    model_json(r, 0, text, false, &shape_routes, &value);
    if (value && !report_routes_fits(&m->fabrics[p->fabric], value))
        row_damaged(r, 0, "names channels or hosts that are not there");
    return value;
}

/* Puts the routes of a plan; *left: bytes that may still be put. */
static ik_status report_routes_put_plan(const report_model *m, const report_plan *p,
                                        const char *text, store_row *r, size_t *left, ik_json *j)
{
    size_t size = strlen(text);
    json_t *value = report_routes_read_plan(m, p, text, r);
    const char *above = json_string_value(json_object_get(value, "above"));
    if (r->status == IK_OK && (above || size > *left)) {
        report_routes_put_why(j, above ? above : "routes of other plans");
    } else if (r->status == IK_OK) {
        *left -= size;
        json_write(j, NULL, value);
    }
    json_decref(value);
    return r->status;
}

static ik_status report_routes_put_one(report_model *m, const report_plan *p,
                                       sqlite3_stmt *statement, size_t *left, ik_json *j,
                                       ik_error *err)
{
    bool any = false;
    sqlite3_bind_int64(statement, 1, p->id);
    ik_status status = store_step(m->store, statement, &any, err);
    if (status == IK_OK && (!any || !m->fabrics[p->fabric].drawing)) {
        report_routes_put_why(j, NULL);
    } else if (status == IK_OK) {
        store_row r = model_row(m, statement, "routes of plan", p->id, err);
        status = report_routes_put_plan(m, p, row_packed_text(&r, 0), &r, left, j);
    }
    sqlite3_reset(statement);
    return status;
}

static const char of_plan[] =
    "SELECT body FROM details WHERE kind = 'routes' AND params = (SELECT key FROM plans WHERE id = "
    "?1)";

ik_status report_read_routes(report_model *m, size_t plan, json_t **out, ik_error *err)
{
    const report_plan *p = &m->plans[plan];
    sqlite3_stmt *statement = NULL;
    bool any = false;
    *out = NULL;
    ik_status status = store_prepare(m->store, of_plan, NULL, &statement, err);
    if (status == IK_OK)
        sqlite3_bind_int64(statement, 1, p->id);
    if (status == IK_OK)
        status = store_step(m->store, statement, &any, err);
    if (status == IK_OK && any && m->fabrics[p->fabric].drawing) {
        store_row r = model_row(m, statement, "routes of plan", p->id, err);
        *out = report_routes_read_plan(m, p, row_packed_text(&r, 0), &r);
        status = r.status;
    }
    if (status != IK_OK) {
        json_decref(*out);
        *out = NULL;
    }
    sqlite3_finalize(statement);
    return status;
}

ik_status report_put_routes(report_model *m, ik_json *j, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    size_t left = ROUTES_BYTES;
    ik_status status = store_prepare(m->store, of_plan, NULL, &statement, err);
    ik_json_array(j, NULL);
    for (size_t i = 0; i < m->num_plans && status == IK_OK; i++)
        status = report_routes_put_one(m, &m->plans[i], statement, &left, j, err);
    ik_json_close(j);
    sqlite3_finalize(statement);
    return status;
}
