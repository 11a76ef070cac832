/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_terminal_ranks.c: where the ranks of programs spent their time, and which of
 * several runs of a program was best, in a terminal.
 */
#include "base/array.h"
#include "base/text_stream.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8, TIMES = IK_CALL_KINDS }; /* runs; times: the end, then those of kinds of calls */

static const char *const keys[TIMES] = {"end_ps",     "compute_ps", "send_ps",
                                        "receive_ps", "wait_ps",    "collective_ps"};

/* The ranks of a curve's first seed: times in us. */
typedef struct run_times {
    const report_curve *curve;
    json_int_t messages, bytes;
    size_t num;
    double mean[TIMES], least[TIMES], most[TIMES];
    uint64_t last_rank, last_host;
    double completion; /* 0 = it was not completed */
} run_times;

static void report_terminal_ranks_add_rank(run_times *t, const json_t *rank)
{
    for (unsigned k = 0; k < TIMES; k++) {
        double us = (double)json_integer_value(json_object_get(rank, keys[k])) / 1e6;
        if (k == 0 && (t->num == 0 || us > t->most[0])) {
            t->last_rank = (uint64_t)json_integer_value(json_object_get(rank, "rank"));
            t->last_host = (uint64_t)json_integer_value(json_object_get(rank, "host"));
        }
        t->mean[k] += us;
        t->least[k] = t->num == 0 || us < t->least[k] ? us : t->least[k];
        t->most[k] = t->num == 0 || us > t->most[k] ? us : t->most[k];
    }
    t->num++;
}

static ik_status report_terminal_ranks_read_times(const report_model *m, const report_curve *c,
                                                  run_times *out, ik_error *err)
{
    const report_row *point = &m->rows[c->steps[0].rows[0]];
    run_times t = {.curve = c};
    json_t *workload = NULL, *rank;
    size_t k;
    ik_status status = model_stored(c->steps[0].workload, &workload, err);
    if (status != IK_OK)
        return status;
    json_array_foreach(json_object_get(workload, "ranks"), k, rank)
    {
        report_terminal_ranks_add_rank(&t, rank);
    }
    for (k = 0; k < TIMES && t.num; k++)
        t.mean[k] /= (double)t.num;
    t.messages = json_integer_value(json_object_get(workload, "messages"));
    t.bytes = json_integer_value(json_object_get(workload, "bytes"));
    double completion = point->value[METRIC_COMPLETION];
    t.completion = completion > 0 ? completion / 1e3 : 0;
    json_decref(workload);
    *out = t;
    return IK_OK;
}

/* Those of all programs of calls, free; *num may be 0. */
static ik_status report_terminal_ranks_read_all(const report_model *m, run_times **out, size_t *num,
                                                ik_error *err)
{
    run_times *all = ik_calloc(m->num_curves + 1, sizeof *all);
    size_t n = 0;
    ik_status status = all ? IK_OK : ik_fail_memory(err, m->num_curves * sizeof *all, "ranks");
    for (size_t i = 0; i < m->num_curves && status == IK_OK; i++) {
        const report_curve *c = &m->curves[i];
        if (!terminal_is_workload(c) || !c->steps[0].workload || !c->steps[0].workload[0])
            continue;
        status = report_terminal_ranks_read_times(m, c, &all[n], err);
        n += status == IK_OK && all[n].num > 0;
    }
    if (status != IK_OK) {
        free(all);
        return status;
    }
    *out = all;
    *num = n;
    return IK_OK;
}

/* ---- the table */

static void report_terminal_ranks_put_row(const terminal_page *p, grid *g, const run_times *t,
                                          const char *of, const double *times, const bool *used)
{
    const report_curve *c = t->curve;
    grid_cell(g, c->variant[0] ? "%s, %s" : "%s%s", c->plan_label, c->variant);
    grid_cell(g, "%s", c->traffic);
    grid_cell(g, "%s", p->m->num_over ? c->fabric_label : p->m->fabrics[c->fabric].label);
    grid_cell(g, "%s", of);
    for (unsigned k = 1; k < TIMES; k++)
        if (used[k])
            grid_cell(g, "%.3f", times[k]);
    grid_cell(g, "%.3f", times[0]);
}

static ik_status report_terminal_ranks_put_table(const terminal_page *p, const run_times *all,
                                                 size_t num, ik_error *err)
{
    grid g = {.headers = {"routing*", "traffic*", "fabric*", "ranks"}, .columns = 4};
    bool used[TIMES] = {false};
    for (unsigned k = 1; k < TIMES; k++) {
        for (size_t i = 0; i < num; i++)
            used[k] |= all[i].most[k] > 0;
        static const char *const headers[TIMES] = {"",         "compute>", "send>",
                                                   "receive>", "wait>",    "collective>"};
        if (used[k])
            g.headers[g.columns++] = headers[k];
    }
    g.headers[g.columns++] = "end>";
    for (size_t i = 0; i < num && i < SHOWN; i++) {
        report_terminal_ranks_put_row(p, &g, &all[i], "mean", all[i].mean, used);
        report_terminal_ranks_put_row(p, &g, &all[i], "least", all[i].least, used);
        report_terminal_ranks_put_row(p, &g, &all[i], "most", all[i].most, used);
    }
    return grid_put(p, &g, err);
}

/* ---- which was best, and why */

static bool report_terminal_ranks_is_same_program(const run_times *a, const run_times *b)
{
    return a->num == b->num && a->messages == b->messages && a->bytes == b->bytes;
}

/* Of all runs of the same program. */
static const run_times *report_terminal_ranks_best_of(const run_times *all, size_t num,
                                                      const run_times *t, size_t *of)
{
    const run_times *best = NULL;
    *of = 0;
    for (size_t i = 0; i < num; i++) {
        if (!report_terminal_ranks_is_same_program(&all[i], t))
            continue;
        (*of)++;
        if (all[i].completion > 0 && (!best || all[i].completion < best->completion))
            best = &all[i];
    }
    return best;
}

/* What differs between the runs: "torus:dims=4:4, dfsssp". */
static void report_terminal_ranks_put_name(const terminal_page *p, FILE *out, const run_times *all,
                                           size_t num, const run_times *t)
{
    bool fabrics = false, plans = false, traffics = false, variants = false;
    for (size_t i = 0; i < num; i++) {
        const report_curve *a = all[i].curve, *b = t->curve;
        fabrics |= a->fabric != b->fabric;
        plans |= strcmp(a->plan_label, b->plan_label) != 0;
        traffics |= strcmp(a->traffic, b->traffic) != 0;
        variants |= strcmp(a->variant, b->variant) != 0;
    }
    const report_curve *c = t->curve;
    const char *parts[] = {fabrics ? p->m->fabrics[c->fabric].label : "",
                           plans ? c->plan_label : "", traffics ? c->traffic : "",
                           variants ? c->variant : ""};
    bool any = false;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k][0]) {
            fprintf(out, "%s%s", any ? ", " : "", parts[k]);
            any = true;
        }
    if (any)
        fputs(": ", out);
}

/* In what its mean rank was longer, the most first; what is less than a thousandth of the time is
 * left out. */
static void report_terminal_ranks_put_why(FILE *out, const run_times *t, const run_times *best)
{
    bool told[TIMES] = {true}, any = false;
    for (unsigned n = 1; n < TIMES; n++) {
        unsigned most = 0;
        for (unsigned k = 1; k < TIMES; k++)
            if (!told[k] &&
                (most == 0 || t->mean[k] - best->mean[k] > t->mean[most] - best->mean[most]))
                most = k;
        double more = t->mean[most] - best->mean[most];
        told[most] = true;
        if (more < t->completion / 1e3)
            continue;
        fprintf(out, "%s%.3f us in %s", any ? ", " : "; the mean rank spent more: ", more,
                ik_call_kind_name((ik_call_kind)most));
        any = true;
    }
}

static void report_terminal_ranks_put_sentence(const terminal_page *p, FILE *out,
                                               const run_times *all, size_t num, const run_times *t)
{
    size_t of = 0;
    const run_times *best = report_terminal_ranks_best_of(all, num, t, &of);
    report_terminal_ranks_put_name(p, out, all, num, t);
    if (t->completion <= 0) {
        fputs("not completed", out);
        return;
    }
    bool is_best = t->completion <= best->completion;
    if (of > 1 && is_best)
        fprintf(out, "the best, %.3f us; ", t->completion);
    else if (of > 1)
        fprintf(out, "%.3f us (%.1f %%) behind the best; ", t->completion - best->completion,
                100 * (t->completion / best->completion - 1));
    fprintf(out, "rank %" PRIu64 " (%s) was last", t->last_rank,
            model_host_name(&p->m->fabrics[t->curve->fabric], t->last_host));
    if (!is_best)
        report_terminal_ranks_put_why(out, t, best);
}

static ik_status report_terminal_ranks_put_line(const terminal_page *p, const run_times *all,
                                                size_t num, const run_times *t, ik_error *err)
{
    char *text = NULL;
    ik_text_stream stream;
    ik_status status = ik_text_stream_open(&stream, err);
    if (status != IK_OK)
        return status;
    report_terminal_ranks_put_sentence(p, stream.out, all, num, t);
    status = ik_text_stream_close(&stream, &text, NULL, err);
    if (status == IK_OK) {
        fputs("  ", p->out);
        terminal_wrap(p, text, 2, 4);
    }
    free(text);
    return status;
}

ik_status terminal_ranks(const terminal_page *p, ik_error *err)
{
    run_times *all = NULL;
    size_t num = 0;
    ik_status status = report_terminal_ranks_read_all(p->m, &all, &num, err);
    if (status == IK_OK && num) {
        terminal_heading(p, "Time of ranks, in us");
        status = report_terminal_ranks_put_table(p, all, num, err);
    }
    for (size_t i = 0; i < num && i < SHOWN && status == IK_OK; i++)
        status = report_terminal_ranks_put_line(p, all, num, &all[i], err);
    if (num > SHOWN && status == IK_OK)
        fprintf(p->out, "  and %zu more (--csv --table ranks)\n", num - SHOWN);
    free(all);
    return status;
}
