/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_csv_workload.c: tables of finite workloads, a point after the other; endless
 * traffic has no rows.
 */
#include "report/report_csv.h"

#include <inttypes.h>
#include <stdlib.h>

/* The columns that say which point it is. */
void csv_workload(FILE *out, const report_model *m, const report_row *r)
{
    const char *variant = csv_design(out, m, r->variant);
    const char *const texts[] = {m->fabrics[r->fabric].spec, m->plans[r->plan].label, r->traffic,
                                 variant};
    csv_fields(out, texts, sizeof texts / sizeof *texts);
    fprintf(out, ",%" PRIu64, r->seed);
}

typedef void (*put_fn)(FILE *out, const report_model *m, const report_row *point, store_row *r);

/* Calls put for every point that was simulated, with its column of the store. */
static ik_status report_csv_workload_each_point(report_model *m, const char *column, put_fn put,
                                                FILE *out, ik_error *err)
{
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT %s FROM points WHERE id = ?1", column);
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(m->store, sql, NULL, &statement, err);
    for (size_t i = 0; i < m->num_rows && status == IK_OK; i++) {
        bool row = false;
        if (!m->rows[i].simulated)
            continue;
        sqlite3_bind_int64(statement, 1, m->rows[i].id);
        status = store_step(m->store, statement, &row, err);
        if (status == IK_OK && row) {
            store_row r = model_row(m, statement, "point", m->rows[i].id, err);
            put(out, m, &m->rows[i], &r);
            status = r.status;
        }
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return status;
}

static void report_csv_workload_put_hosts(FILE *out, const report_model *m, const report_row *point,
                                          store_row *r)
{
    const report_fabric *f = &m->fabrics[point->fabric];
    size_t num = 0;
    uint64_t *finish = row_words(r, 0, &num);
    if (num > 0 && num != f->num_hosts)
        row_damaged(r, 0, "has a wrong length");
    for (size_t host = 0; host < num && r->status == IK_OK; host++) {
        csv_workload(out, m, point);
        fprintf(out, ",%zu,", host);
        ik_text_csv(out, model_host_name(f, host));
        fprintf(out, ",%.12g\n", (double)finish[host] / 1e3);
    }
    free(finish);
}

ik_status csv_put_hosts(report_model *m, FILE *out, ik_error *err)
{
    csv_header(out, m, "seed,host,name,finish_ns");
    return report_csv_workload_each_point(m, "host_finish", report_csv_workload_put_hosts, out,
                                          err);
}

static double report_csv_workload_ns_of(const json_t *object, const char *key)
{
    return (double)json_integer_value(json_object_get(object, key)) / 1e3;
}

/* Earlier segments than those that are kept. */
static void report_csv_workload_put_left_out(FILE *out, const report_model *m,
                                             const report_row *point, const json_t *path)
{
    const json_t *left_out = json_object_get(path, "left_out"),
                 *first = json_array_get(json_object_get(path, "segments"), 0);
    double end = report_csv_workload_ns_of(first, "begin_ps");
    if (json_integer_value(left_out) == 0)
        return;
    csv_workload(out, m, point);
    fprintf(out, ",left_out,,,,,0,%.12g,%.12g", end, end);
    csv_value(out, left_out);
    putc('\n', out);
}

static void report_csv_workload_put_segment(FILE *out, const report_model *m,
                                            const report_row *point, const json_t *one)
{
    static const char *const keys[] = {"kind", "host", "peer", "operation", "bytes"};
    double begin = report_csv_workload_ns_of(one, "begin_ps"),
           end = report_csv_workload_ns_of(one, "end_ps");
    csv_workload(out, m, point);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        csv_value(out, json_object_get(one, keys[k]));
    fprintf(out, ",%.12g,%.12g,%.12g,1\n", begin, end, end - begin);
}

static void report_csv_workload_put_path(FILE *out, const report_model *m, const report_row *point,
                                         store_row *r)
{
    const char *text = model_workload(&m->fabrics[point->fabric], r, 0);
    json_t *workload = NULL, *one;
    size_t k;
    if (r->status == IK_OK)
        r->status = model_stored(text, &workload, r->err);
    const json_t *path = json_object_get(workload, "critical_path");
    report_csv_workload_put_left_out(out, m, point, path);
    json_array_foreach(json_object_get(path, "segments"), k, one)
    {
        report_csv_workload_put_segment(out, m, point, one);
    }
    json_decref(workload);
}

ik_status csv_put_path(report_model *m, FILE *out, ik_error *err)
{
    csv_header(out, m, "seed,kind,host,peer,operation,bytes,begin_ns,end_ns,time_ns,segments");
    return report_csv_workload_each_point(m, "workload", report_csv_workload_put_path, out, err);
}

/* A time in ns; nothing where there is none. */
static void report_csv_workload_put_ns(FILE *out, const json_t *ps)
{
    putc(',', out);
    if (json_is_integer(ps))
        fprintf(out, "%.12g", (double)json_integer_value(ps) / 1e3);
}

static void put_message_classes(FILE *out, const report_model *m, const report_row *point,
                                store_row *r)
{
    const char *text = model_workload(&m->fabrics[point->fabric], r, 0);
    json_t *workload = NULL, *one;
    size_t k;
    if (r->status == IK_OK)
        r->status = model_stored(text, &workload, r->err);
    json_array_foreach(json_object_get(workload, "classes"), k, one)
    {
        csv_workload(out, m, point);
        csv_value(out, json_object_get(one, "name"));
        csv_value(out, json_object_get(one, "messages"));
        csv_value(out, json_object_get(one, "bytes"));
        report_csv_workload_put_ns(out, json_object_get(one, "first_start_ps"));
        report_csv_workload_put_ns(out, json_object_get(one, "last_delivery_ps"));
        putc('\n', out);
    }
    json_decref(workload);
}

ik_status csv_put_message_classes(report_model *m, FILE *out, ik_error *err)
{
    csv_header(out, m, "seed,class,messages,bytes,first_start_ns,last_delivery_ns");
    return report_csv_workload_each_point(m, "workload", put_message_classes, out, err);
}

/* ---- ranks of programs */

static void report_csv_workload_put_ranks(FILE *out, const report_model *m, const report_row *point,
                                          store_row *r)
{
    static const char *const keys[] = {"end_ps",     "compute_ps", "send_ps",
                                       "receive_ps", "wait_ps",    "collective_ps"};
    const char *text = model_workload(&m->fabrics[point->fabric], r, 0);
    json_t *workload = NULL, *one;
    size_t k;
    if (r->status == IK_OK)
        r->status = model_stored(text, &workload, r->err);
    json_array_foreach(json_object_get(workload, "ranks"), k, one)
    {
        csv_workload(out, m, point);
        csv_value(out, json_object_get(one, "rank"));
        csv_value(out, json_object_get(one, "host"));
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            report_csv_workload_put_ns(out, json_object_get(one, keys[i]));
        putc('\n', out);
    }
    json_decref(workload);
}

ik_status csv_put_ranks(report_model *m, FILE *out, ik_error *err)
{
    csv_header(out, m, "seed,rank,host,end_ns,compute_ns,send_ns,receive_ns,wait_ns,collective_ns");
    return report_csv_workload_each_point(m, "workload", report_csv_workload_put_ranks, out, err);
}

static void report_csv_workload_put_line(FILE *out, const report_model *m, const report_row *point,
                                         size_t rank, const json_t *line)
{
    json_int_t from = 0;
    for (size_t k = 0; k + 1 < json_array_size(line); k += 2) {
        json_int_t kind = json_integer_value(json_array_get(line, k)),
                   to = json_integer_value(json_array_get(line, k + 1));
        csv_workload(out, m, point);
        fprintf(out, ",%zu,%s,%.12g,%.12g\n", rank, ik_call_kind_name((ik_call_kind)kind),
                (double)from / 1e3, (double)to / 1e3);
        from = to;
    }
}

static void report_csv_workload_put_timeline(FILE *out, const report_model *m,
                                             const report_row *point, store_row *r)
{
    const char *text = model_workload(&m->fabrics[point->fabric], r, 0);
    json_t *workload = NULL, *line;
    size_t rank;
    if (r->status == IK_OK)
        r->status = model_stored(text, &workload, r->err);
    json_array_foreach(json_object_get(workload, "timeline"), rank, line)
    {
        report_csv_workload_put_line(out, m, point, rank, line);
    }
    json_decref(workload);
}

ik_status csv_put_timeline(report_model *m, FILE *out, ik_error *err)
{
    csv_header(out, m, "seed,rank,kind,from_ns,to_ns");
    return report_csv_workload_each_point(m, "workload", report_csv_workload_put_timeline, out,
                                          err);
}

static void report_csv_workload_put_matrix(FILE *out, const report_model *m,
                                           const report_row *point, store_row *r)
{
    const char *text = model_workload(&m->fabrics[point->fabric], r, 0);
    json_t *workload = NULL, *row;
    size_t k;
    if (r->status == IK_OK)
        r->status = model_stored(text, &workload, r->err);
    const json_t *matrix = json_object_get(workload, "matrix");
    json_array_foreach(json_object_get(matrix, "rows"), k, row)
    {
        csv_workload(out, m, point);
        for (size_t i = 0; i < 4; i++)
            csv_value(out, json_array_get(row, i));
        csv_value(out, json_object_get(matrix, "block"));
        putc('\n', out);
    }
    json_decref(workload);
}

ik_status csv_put_matrix(report_model *m, FILE *out, ik_error *err)
{
    csv_header(out, m, "seed,from_rank,to_rank,messages,bytes,ranks");
    return report_csv_workload_each_point(m, "workload", report_csv_workload_put_matrix, out, err);
}
