/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_jobs.c: jobs: one row per job of each point as a table, and their means over the
 * seeds. */
#include "report/report_csv.h"

#include <math.h>
#include <string.h>

/* NAN where there is none. */
static double report_jobs_value_of(const report_row *row, size_t k, const char *key)
{
    const json_t *value = json_object_get(json_array_get(row->jobs, k), key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Mean over the rows of a step of one value of job k. */
static estimate report_jobs_mean_of(const report_model *m, const report_step *s, size_t k,
                                    const char *key)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < s->num_rows; i++)
        sum += report_jobs_value_of(&m->rows[s->rows[i]], k, key);
    double mean = sum / (double)s->num_rows;
    for (size_t i = 0; i < s->num_rows; i++) {
        double off = report_jobs_value_of(&m->rows[s->rows[i]], k, key) - mean;
        squares += off * off;
    }
    return model_estimate(mean, squares, s->num_rows);
}

ik_status model_jobs(report_model *m, const report_step *s, report_job **out, size_t *num,
                     ik_error *err)
{
    const json_t *list = m->rows[s->rows[0]].jobs;
    *num = json_array_size(list);
    *out = NULL;
    if (!*num)
        return IK_OK;
    report_job *jobs = ik_arena_alloc(&m->arena, *num * sizeof *jobs);
    if (!jobs)
        return ik_fail_memory(err, *num * sizeof *jobs, "jobs");
    for (size_t k = 0; k < *num; k++)
        jobs[k] = (report_job){
            .name = json_string_value(json_object_get(json_array_get(list, k), "name")),
            .completion_ns = report_jobs_mean_of(m, s, k, "completion_ns"),
            .alone_ns = report_jobs_mean_of(m, s, k, "alone_ns"),
            .slowdown = report_jobs_mean_of(m, s, k, "slowdown"),
            .load = report_jobs_mean_of(m, s, k, "load"),
            .throughput = report_jobs_mean_of(m, s, k, "throughput"),
            .latency_ns = report_jobs_mean_of(m, s, k, "latency_mean_ns")};
    *out = jobs;
    return IK_OK;
}

ik_status csv_put_jobs(report_model *m, FILE *out, ik_error *err)
{
    static const char *const columns[] = {"name",     "hosts",         "messages",       "bytes",
                                          "start_ns", "completion_ns", "alone_ns",       "slowdown",
                                          "load",     "throughput",    "latency_mean_ns"};
    char more[200] = "seed";
    size_t used = strlen(more);
    for (size_t c = 0; c < sizeof columns / sizeof *columns && used < sizeof more; c++)
        used += (size_t)snprintf(more + used, sizeof more - used, ",%s", columns[c]);
    csv_header(out, m, more);
    for (size_t i = 0; i < m->num_rows; i++) {
        const report_row *row = &m->rows[i];
        const json_t *job;
        size_t k;
        json_array_foreach(row->jobs, k, job)
        {
            csv_workload(out, m, row);
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
                csv_value(out, json_object_get(job, columns[c]));
            putc('\n', out);
        }
    }
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the table of jobs") : IK_OK;
}
