/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_csv.c: one line a point, RFC 4180.
 */
#include "ikat/report.h"
#include "report/model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void put_fields(FILE *out, const char *const *texts, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (i)
            putc(',', out);
        put_field(out, texts[i]);
    }
}

static void put_row(FILE *out, const report_model *m, const report_row *r)
{
    const report_plan *p = &m->plans[r->plan];
    const char *const texts[] = {m->fabrics[r->fabric].spec, p->routing, p->vc, p->selection, r->traffic, r->variant};
    put_fields(out, texts, sizeof texts / sizeof *texts);
    fprintf(out, ",%u,%.9g,%" PRIu64, p->vcs, r->load, r->seed);
    for (int metric = 0; metric < NUM_METRICS; metric++)
        if (isnan(r->value[metric]))
            putc(',', out); /* not sampled */
        else
            fprintf(out, ",%.9g", r->value[metric]);
    fprintf(out, ",%s,%s\n", r->deadlock[0] ? "true" : "false", r->checksum);
}

ik_status ik_report_csv(const char *store_path, FILE *out, ik_error *err)
{
    report_model *m = NULL;
    ik_status status = model_read(store_path, &m, err);
    if (status != IK_OK)
        return status;
    fputs("fabric,routing,vc,selection,traffic,variant,vcs,load,seed", out);
    for (int metric = 0; metric < NUM_METRICS; metric++)
        fprintf(out, ",%s", metric_names[metric]);
    fputs(",deadlock,checksum\n", out);
    for (size_t i = 0; i < m->num_rows; i++)
        put_row(out, m, &m->rows[i]);
    model_free(m);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the CSV text") : IK_OK;
}
