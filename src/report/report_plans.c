/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_plans.c: what is known of each plan: what it is made of, what is proved of it, and
 * what was measured of the machine.
 */
#include "report/report_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Members of a fabric's summary, and of a proof (the last ones: what it counted). */
static const char *const of_fabric[] = {"hosts", "switches", "switch_links", "radix"};
static const char *const of_proof[] = {
    "proof",    "sampled_pairs", "flow",         "delivered",   "loop_free",
    "minimal",  "deadlock_free", "pairs",        "undelivered", "unconnected",
    "vcs_used", "channels",      "dependencies", "mean_hops",   "max_hops"};
enum {
    NUM_FABRIC = sizeof of_fabric / sizeof *of_fabric,
    NUM_PROOF = sizeof of_proof / sizeof *of_proof
};

/* What was measured and is no member of the fabric's or the proof, nor drawn. */
static bool report_plans_is_shown(const report_model *m, int id)
{
    if (id == METRIC_HOSTS || id == METRIC_SWITCHES || id == METRIC_RADIX)
        return false;
    return metric_is_static((metric_id)id) && !metric_is_drawn((metric_id)id) && m->used[id] &&
           id != METRIC_DEADLOCK_FREE && id != METRIC_MEAN_HOPS && id != METRIC_MAX_HOPS;
}

static void report_plans_put_plan(FILE *out, const report_model *m, const report_row *r,
                                  size_t points)
{
    const report_plan *p = &m->plans[r->plan];
    const report_fabric *f = &m->fabrics[p->fabric];
    const char *const texts[] = {f->spec, p->routing, p->vc, p->selection};
    csv_design(out, m, r->variant);
    csv_fields(out, texts, sizeof texts / sizeof *texts);
    csv_real(out, p->vcs ? p->vcs : NAN); /* automatic, and it was not made */
    fprintf(out, ",%zu", points);
    for (size_t i = 0; i < NUM_FABRIC; i++)
        csv_value(out, json_object_get(f->summary, of_fabric[i]));
    const json_t *extent = json_object_get(p->proof, of_proof[0]);
    bool proved = json_is_string(extent) && strcmp(json_string_value(extent), "none") != 0;
    csv_value(out, extent);
    for (size_t i = 1; i < NUM_PROOF; i++)
        csv_value(out, proved ? json_object_get(p->proof, of_proof[i]) : NULL);
    for (int id = 0; id < NUM_METRICS; id++)
        if (report_plans_is_shown(m, id))
            csv_real(out, r->value[id]);
    putc('\n', out);
}

/* Length of the design in the variant of a point. */
static size_t report_plans_design_length(const report_model *m, const report_row *r)
{
    return m->designs ? strcspn(r->variant, ";") : 0;
}

/* Points of a plan stand together, of the same design. */
static size_t report_plans_same_plan(const report_model *m, size_t first)
{
    const report_row *r = &m->rows[first];
    size_t length = report_plans_design_length(m, r), next = first + 1;
    while (next < m->num_rows && m->rows[next].plan == r->plan &&
           report_plans_design_length(m, &m->rows[next]) == length &&
           strncmp(m->rows[next].variant, r->variant, length) == 0)
        next++;
    return next;
}

/* A run of points; again: its plan and design have one before. Plans of one design alternate where
 * the flow control of switches does. */
typedef struct run {
    size_t first, points;
    bool again;
} run;

/* Adds the points of later runs of the same plan and design to the first of them. */
static void report_plans_join_runs(const report_model *m, run *runs, size_t num, size_t *last)
{
    for (size_t i = 0; i < num; i++) {
        const report_row *r = &m->rows[runs[i].first];
        size_t k = last[r->plan], length = report_plans_design_length(m, r);
        if (k && report_plans_design_length(m, &m->rows[runs[k - 1].first]) == length &&
            strncmp(m->rows[runs[k - 1].first].variant, r->variant, length) == 0) {
            runs[k - 1].points += runs[i].points;
            runs[i].again = true;
        } else {
            last[r->plan] = i + 1;
        }
    }
}

ik_status csv_put_plans(report_model *m, FILE *out, ik_error *err)
{
    run *runs = ik_calloc(m->num_rows + 1, sizeof *runs);
    size_t *last = ik_calloc(m->num_plans + 1, sizeof *last), num = 0;
    ik_status status =
        runs && last ? IK_OK : ik_fail_memory(err, m->num_rows * sizeof *runs, "a table");
    for (size_t i = 0, next; status == IK_OK && i < m->num_rows; i = next) {
        next = report_plans_same_plan(m, i);
        runs[num++] = (run){i, next - i, false};
    }
    if (status == IK_OK)
        report_plans_join_runs(m, runs, num, last);
    fprintf(out, "%sfabric,routing,vc,selection,vcs,points", m->designs ? "design," : "");
    for (size_t i = 0; i < NUM_FABRIC; i++)
        fprintf(out, ",%s", of_fabric[i]);
    for (size_t i = 0; i < NUM_PROOF; i++)
        fprintf(out, ",%s", of_proof[i]);
    for (int id = 0; id < NUM_METRICS; id++)
        if (report_plans_is_shown(m, id))
            fprintf(out, ",%s", metrics[id].name);
    putc('\n', out);
    for (size_t i = 0; status == IK_OK && i < num; i++)
        if (!runs[i].again)
            report_plans_put_plan(out, m, &m->rows[runs[i].first], runs[i].points);
    free(runs);
    free(last);
    return status;
}
