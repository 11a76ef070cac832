/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_jobs.c: the table of jobs: one row per job of each point. */
#include "report/report_csv.h"

#include <inttypes.h>

ik_status csv_put_jobs(report_model *m, FILE *out, ik_error *err)
{
    static const char *const columns[] = {"name",     "hosts",         "messages", "bytes",
                                          "start_ns", "completion_ns", "alone_ns", "slowdown"};
    ik_status status = IK_OK;
    fputs("fabric,routing,traffic,variant,load,seed", out);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        fprintf(out, ",%s", columns[c]);
    putc('\n', out);
    for (size_t i = 0; i < m->num_rows && status == IK_OK; i++) {
        const report_row *row = &m->rows[i];
        json_t *list = NULL, *job;
        size_t k;
        status = model_detail(m, row, "jobs", &shape_jobs, &list, err);
        json_array_foreach(list, k, job)
        {
            csv_curve(out, m, row->fabric, row->plan, row->traffic, row->variant, row->load);
            fprintf(out, ",%" PRIu64, row->seed);
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
                csv_value(out, json_object_get(job, columns[c]));
            putc('\n', out);
        }
        json_decref(list);
    }
    return status;
}
