/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_terminal_workload.c: finite workloads, in a terminal: how long they took, who ended
 * last and why, what is missing.
 */
#include "base/text_stream.h"
#include "base/utf8.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool terminal_is_workload(const report_curve *c)
{
    return c->steps[0].load <= 0;
}

/* A mean over seeds, as exact as it is known; half the width of its confidence interval behind
 * it. */
static void report_terminal_workload_put_mean(grid *g, estimate e, double scale, const char *unit)
{
    if (isnan(e.mean))
        grid_cell(g, "-");
    else if (isnan(e.ci95))
        grid_cell(g, "%.3f%s", e.mean * scale, unit);
    else
        grid_cell(g, "%.3f ± %.3f%s", e.mean * scale, e.ci95 * scale, unit);
}

static void report_terminal_workload_put_times(grid *g, const report_step *s)
{
    if (isnan(s->value[METRIC_COMPLETION].mean)) {
        grid_cell(g, "not completed");
        grid_cell(g, "-");
        grid_cell(g, "-");
        return;
    }
    report_terminal_workload_put_mean(g, s->value[METRIC_COMPLETION], 1e-3, " us");
    report_terminal_workload_put_mean(g, s->value[METRIC_SLOWDOWN], 1, "");
    grid_estimate(g, s->value[METRIC_EFFECTIVE], 100, " %");
}

static void report_terminal_workload_put_row(const terminal_page *p, grid *g, const report_curve *c,
                                             bool infeasible)
{
    grid_cell(g, c->variant[0] ? "%s, %s" : "%s%s", c->plan_label, c->variant);
    grid_cell(g, "%s", c->traffic);
    grid_cell(g, "%s", c->fabric_label);
    report_terminal_workload_put_times(g, &c->steps[0]);
    if (infeasible)
        grid_feasible(g, p->m, &c->steps[0]);
}

static ik_status report_terminal_workload_put_table(const terminal_page *p, bool *any,
                                                    ik_error *err)
{
    grid g = {.headers = {"routing*", "traffic*", "fabric*", "completion>", "slowdown>",
                          "effective throughput>"},
              .columns = 6};
    bool infeasible = terminal_feasible_column(p->m, &g);
    for (size_t i = 0; i < p->m->num_curves; i++) {
        if (!terminal_is_workload(&p->m->curves[i]))
            continue;
        if (!*any)
            terminal_heading(p, "Workloads");
        *any = true;
        report_terminal_workload_put_row(p, &g, &p->m->curves[i], infeasible);
    }
    return *any ? grid_put(p, &g, err) : IK_OK;
}

/* ---- jobs */

static void report_terminal_workload_put_share(grid *g, estimate e)
{
    if (isnan(e.mean))
        grid_cell(g, "-");
    else
        grid_estimate(g, e, 100, " %");
}

enum { JOB_COLUMNS = 7 }; /* of jobs that end; the others have some more */

static void report_terminal_workload_put_job(const terminal_page *p, grid *g, const report_curve *c,
                                             const report_job *job)
{
    grid_cell(g, "%s", job->name);
    grid_cell(g, c->variant[0] ? "%s, %s" : "%s%s", c->plan_label, c->variant);
    grid_cell(g, "%s", c->traffic);
    grid_cell(g, "%s", p->m->fabrics[c->fabric].label);
    report_terminal_workload_put_mean(g, job->completion_ns, 1e-3, " us");
    report_terminal_workload_put_mean(g, job->alone_ns, 1e-3, " us");
    report_terminal_workload_put_mean(g, job->slowdown, 1, "");
    if (g->columns > JOB_COLUMNS) {
        report_terminal_workload_put_share(g, (estimate){job->load.mean, NAN});
        report_terminal_workload_put_share(g, job->throughput);
        report_terminal_workload_put_mean(g, job->latency_ns, 1, " ns");
    }
}

static bool report_terminal_workload_any_endless(const report_job *jobs, size_t num)
{
    bool any = false;
    for (size_t k = 0; k < num; k++)
        any |= !isnan(jobs[k].load.mean);
    return any;
}

/* What each job took, against what it takes alone. */
static ik_status report_terminal_workload_put_jobs(const terminal_page *p, ik_error *err)
{
    grid g = {.headers = {"job", "routing*", "traffic*", "fabric*", "completion>", "alone>",
                          "slowdown>", "load>", "accepted>", "latency>"},
              .columns = JOB_COLUMNS};
    bool any = false;
    ik_status status = IK_OK;
    for (size_t i = 0; i < p->m->num_curves && status == IK_OK; i++) {
        report_job *jobs;
        size_t num;
        status = model_jobs(p->m, &p->m->curves[i].steps[0], &jobs, &num, err);
        if (status == IK_OK && report_terminal_workload_any_endless(jobs, num))
            g.columns = JOB_COLUMNS + 3;
    }
    for (size_t i = 0; i < p->m->num_curves && status == IK_OK; i++) {
        const report_curve *c = &p->m->curves[i];
        report_job *jobs;
        size_t num;
        status = model_jobs(p->m, &c->steps[0], &jobs, &num, err);
        for (size_t k = 0; k < num && status == IK_OK; k++)
            report_terminal_workload_put_job(p, &g, c, &jobs[k]);
        any |= num > 0;
    }
    if (!any || status != IK_OK) {
        free(g.text);
        return status;
    }
    terminal_heading(p, "Jobs");
    status = grid_put(p, &g, err);
    terminal_wrap(p,
                  "Completion counts from the start of the job; slowdown, completion over that of "
                  "the same job alone on the same fabric.",
                  0, 0);
    if (g.columns > JOB_COLUMNS)
        terminal_wrap(p,
                      "Jobs with a load never end: what they got until the others were done, of "
                      "the rate of their hosts.",
                      0, 0);
    return status;
}

/* ---- who ended last, and why */

enum { NAMED_HOSTS = 3, TOLD = 4 };

static double report_terminal_workload_number(const json_t *object, const char *key)
{
    return (double)json_integer_value(json_object_get(object, key));
}

/* "h3 (12.345 us), h7 (12.344 us)" */
static void report_terminal_workload_put_last(FILE *out, const report_fabric *f,
                                              const json_t *workload)
{
    const json_t *last = json_object_get(workload, "last_hosts"), *one;
    for (size_t k = 0; k < NAMED_HOSTS && (one = json_array_get(last, k)); k++)
        fprintf(out, "%s%s (%.3f us)", k ? ", " : "",
                model_host_name(f, (uint64_t)report_terminal_workload_number(one, "host")),
                report_terminal_workload_number(one, "finish_ps") / 1e6);
}

/* Shares of the critical path, the largest first; those below half a per cent are left out. */
static void report_terminal_workload_put_shares(FILE *out, const json_t *path, double completion_ps)
{
    static const char *const kinds[][2] = {
        {"compute_ps", "computing"},
        {"processor_ps", "waiting for a processor"},
        {"queue_ps", "at the adapter behind other messages"},
        {"credit_ps", "at the adapter for lack of credit"},
        {"sending_ps", "sending the message itself"},
        {"latency_ps", "latency without other traffic"},
        {"network_ps", "waiting in the network"},
        {"throttled_ps", "at the adapter for lack of reorder space"},
        {"reorder_ps", "in the reorder buffer"},
        {"memory_ps", "in memory that ranks share"},
        {"gap_ps", "in the gap between messages of a host"},
    };
    enum { NUM = sizeof kinds / sizeof *kinds };
    bool told[NUM] = {false};
    for (unsigned n = 0; n < NUM; n++) {
        unsigned most = NUM;
        for (unsigned k = 0; k < NUM; k++)
            if (!told[k] &&
                (most == NUM || report_terminal_workload_number(path, kinds[k][0]) >
                                    report_terminal_workload_number(path, kinds[most][0])))
                most = k;
        double share = report_terminal_workload_number(path, kinds[most][0]) / completion_ps;
        told[most] = true;
        if (share >= 0.005)
            fprintf(out, "%s%.0f %% %s", n ? ", " : "", 100 * share, kinds[most][1]);
    }
}

static ik_status report_terminal_workload_put_reason(const terminal_page *p, const report_curve *c,
                                                     ik_error *err)
{
    const report_step *s = &c->steps[0];
    const report_row *point = &p->m->rows[s->rows[0]];
    json_t *workload = NULL;
    char *text = NULL;
    ik_text_stream stream;
    ik_status status = model_stored(s->workload, &workload, err);
    if (status == IK_OK)
        status = ik_text_stream_open(&stream, err);
    if (status == IK_OK) {
        const json_t *path = json_object_get(workload, "critical_path");
        double messages = report_terminal_workload_number(path, "messages");
        fprintf(stream.out, "%s: last to finish: ", c->label);
        report_terminal_workload_put_last(stream.out, &p->m->fabrics[c->fabric], workload);
        if (json_array_size(json_object_get(path, "segments")) > 0) {
            fprintf(stream.out, ". The completion waited for %.0f message%s: ", messages,
                    messages == 1 ? "" : "s");
            report_terminal_workload_put_shares(stream.out, path,
                                                1e3 * point->value[METRIC_COMPLETION]);
        }
        const json_t *why = json_object_get(workload, "slowdown_reason");
        if (why)
            fprintf(stream.out, ". Slowdown below 1: %s", json_string_value(why));
        status = ik_text_stream_close(&stream, &text, NULL, err);
    }
    if (status == IK_OK) {
        fputs("  ", p->out);
        terminal_wrap(p, text, 2, 4);
    }
    free(text);
    json_decref(workload);
    return status;
}

/* Of every workload that was completed, its first seed. */
static ik_status report_terminal_workload_put_reasons(const terminal_page *p, ik_error *err)
{
    ik_status status = IK_OK;
    size_t told = 0;
    for (size_t i = 0; i < p->m->num_curves && status == IK_OK; i++) {
        const report_curve *c = &p->m->curves[i];
        if (!terminal_is_workload(c) ||
            !(p->m->rows[c->steps[0].rows[0]].value[METRIC_COMPLETION] > 0))
            continue;
        if (told++ < TOLD)
            status = report_terminal_workload_put_reason(p, c, err);
    }
    if (told > TOLD)
        fprintf(p->out, "  and %zu more (--csv --table critical_path)\n", told - TOLD);
    return status;
}

ik_status terminal_workloads(const terminal_page *p, ik_error *err)
{
    bool any = false;
    ik_status status = report_terminal_workload_put_table(p, &any, err);
    if (!any || status != IK_OK)
        return status;
    terminal_wrap(p,
                  "Completion is the last delivery; slowdown, completion over that of the same "
                  "workload on a crossbar; effective throughput, the bytes sent over what the "
                  "sending hosts could have sent by completion.",
                  0, 0);
    status = report_terminal_workload_put_reasons(p, err);
    if (status == IK_OK)
        status = terminal_ranks(p, err);
    return status == IK_OK ? report_terminal_workload_put_jobs(p, err) : status;
}

void terminal_missing(const terminal_page *p)
{
    for (size_t i = 0; i < p->m->num_rows; i++) {
        const report_row *r = &p->m->rows[i];
        if (!r->missing[0])
            continue;
        terminal_heading(p, "Not completed");
        terminal_text(p->out, p->m->plans[r->plan].label);
        fputs(" under ", p->out);
        terminal_text(p->out, r->traffic);
        fprintf(p->out, ", seed %" PRIu64 ", after %.3f us:\n", r->seed, (double)r->end_ps / 1e6);
        utf8_print(p->out, r->missing, strlen(r->missing), true);
        return; /* one is evidence enough here; the report has all */
    }
}
