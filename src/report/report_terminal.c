/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_terminal.c: the answer in a terminal: fabrics and findings, proofs, what each
 * routing carries, what a fault costs.
 */
#include "base/utf8.h"
#include "ikat/report.h"
#include "report/figures.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sections */

/* More lines than these are one that says how many they are: the summary fits a terminal. */
enum { FABRICS_SHOWN = 8, PROOFS_SHOWN = 16, UNSTEADY_SHOWN = 8 };

static void report_terminal_put_fabrics(const terminal_page *p)
{
    size_t shown = 0;
    for (size_t i = 0; i < p->m->num_fabrics; i++) {
        const report_fabric *f = &p->m->fabrics[i];
        if (f->sample || shown++ >= FABRICS_SHOWN)
            continue;
        json_int_t levels = json_integer_value(json_object_get(f->summary, "levels"));
        fputs("fabric  ", p->out);
        const char *label = model_without_samples(p->m, "fabric", f->label);
        terminal_text(p->out, label ? label : f->label);
        fprintf(p->out, ": %s, %s, %s between them", IK_COUNT(f->num_hosts, "host"),
                IK_COUNT(f->num_switches, "switch"),
                IK_COUNT((uint64_t)json_integer_value(json_object_get(f->summary, "switch_links")),
                         "link"));
        if (levels)
            fprintf(p->out, ", %s", IK_COUNT((uint64_t)levels, "level"));
        putc('\n', p->out);
    }
    if (shown > FABRICS_SHOWN)
        fprintf(p->out, "and %s\n", IK_COUNT(shown - FABRICS_SHOWN, "more fabric"));
}

static void report_terminal_put_finding(const terminal_page *p, const json_t *finding)
{
    static const char *const colours[] = {"", "\033[33m", "\033[1;31m"};
    const char *severity = json_string_value(json_object_get(finding, "severity"));
    const char *text = json_string_value(json_object_get(finding, "text"));
    ik_severity known = IK_ERROR;
    while (known > IK_NOTE && (!severity || strcmp(severity, ik_severity_name(known)) != 0))
        known--;
    fprintf(p->out, "  %s%-7s%s ", p->colour ? colours[known] : "", ik_severity_name(known),
            p->colour ? "\033[0m" : "");
    terminal_wrap(p, text ? text : "", 10, 10);
}

static void report_terminal_put_findings(const terminal_page *p)
{
    for (size_t i = 0; i < p->m->num_fabrics; i++) {
        const json_t *findings = json_object_get(p->m->fabrics[i].summary, "findings");
        if (json_array_size(findings) == 0 || p->m->fabrics[i].sample)
            continue;
        char title[256];
        snprintf(title, sizeof title, p->m->num_fabrics > 1 ? "Findings: %s" : "Findings",
                 p->m->fabrics[i].label);
        terminal_heading(p, title);
        size_t k;
        json_t *finding;
        json_array_foreach(findings, k, finding)
        {
            report_terminal_put_finding(p, finding);
        }
    }
}

static const char *report_terminal_verdict(const json_t *proof, const char *key)
{
    const json_t *value = json_object_get(proof, key);
    return json_is_true(value) ? "yes" : json_is_false(value) ? "NO" : "unknown";
}

/* What freedom from deadlock is judged for, in a word behind the verdict; "" for any flow
 * control. */
static const char *report_terminal_judged_for(const json_t *proof)
{
    const char *flow = json_string_value(json_object_get(proof, "flow"));
    return !flow || strcmp(flow, "any") == 0  ? ""
           : strcmp(flow, "cut_through") == 0 ? " (whole packets)"
                                              : " (packets keep their output)";
}

/* Does any plan have a number other than 0 there? */
static bool report_terminal_any_plan(const report_model *m, const char *key)
{
    for (size_t i = 0; i < m->num_plans; i++)
        if (json_integer_value(json_object_get(m->plans[i].proof, key)) != 0)
            return true;
    return false;
}

/* Columns that are there only if a plan has something to say in them. */
static const char *const rare_counts[] = {"undelivered", "unconnected"};
enum { NUM_RARE = sizeof rare_counts / sizeof *rare_counts };

/* A number of a proof; "-" where nothing was proved. */
static void report_terminal_put_proved(grid *g, const json_t *proof, const char *key, int digits)
{
    const json_t *value = json_object_get(proof, key);
    if (json_is_number(value))
        grid_cell(g, "%.*f", digits, json_number_value(value));
    else
        grid_cell(g, "-");
}

/* Of a plan that is measured without `proof` there is none. */
static bool report_terminal_has_proof(const report_plan *plan)
{
    const char *extent = json_string_value(json_object_get(plan->proof, "proof"));
    return !extent || strcmp(extent, "none") != 0;
}

/* Delivered, without loops and without deadlocks. */
static bool report_terminal_is_sound(const report_plan *plan)
{
    static const char *const asked[] = {"delivered", "loop_free", "deadlock_free"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!json_is_true(json_object_get(plan->proof, asked[i])))
            return false;
    return true;
}

static void report_terminal_put_proof(const terminal_page *p, grid *g, const report_plan *plan,
                                      const bool *shown)
{
    grid_cell(g, "%s", plan->label);
    grid_cell(g, "%s", p->m->fabrics[plan->fabric].label);
    long long used = (long long)json_integer_value(json_object_get(plan->proof, "vcs_used"));
    if (used > 0 && used < plan->vcs) /* the others divide the buffer all the same */
        grid_cell(g, "%lld of %u", used, plan->vcs);
    else
        grid_cell(g, "%u", plan->vcs);
    grid_cell(g, "%s", report_terminal_verdict(plan->proof, "delivered"));
    grid_cell(g, "%s", report_terminal_verdict(plan->proof, "loop_free"));
    grid_cell(g, "%s", report_terminal_verdict(plan->proof, "minimal"));
    grid_cell(g, "%s%s", report_terminal_verdict(plan->proof, "deadlock_free"),
              report_terminal_judged_for(plan->proof));
    report_terminal_put_proved(g, plan->proof, "mean_hops", 3);
    for (size_t k = 0; k < NUM_RARE; k++)
        if (shown[k])
            report_terminal_put_proved(g, plan->proof, rare_counts[k], 0);
}

/* Of many plans the table has those that are not sound, and the first of the others. */
static ik_status report_terminal_put_proofs(const terminal_page *p, ik_error *err)
{
    static const char *const rare_headers[NUM_RARE] = {"undelivered>", "unconnected>"};
    grid g = {.headers = {"routing*", "fabric*", "VCs>", "delivered", "no loop", "minimal",
                          "deadlock-free", "mean hops>"},
              .columns = 8};
    bool shown[NUM_RARE];
    size_t sound = 0;
    for (size_t k = 0; k < NUM_RARE; k++)
        if ((shown[k] = report_terminal_any_plan(p->m, rare_counts[k])))
            g.headers[g.columns++] = rare_headers[k];
    for (size_t i = 0; i < p->m->num_plans; i++) {
        const report_plan *plan = &p->m->plans[i];
        if (plan->sample || !report_terminal_has_proof(plan))
            continue;
        if (!report_terminal_is_sound(plan) || sound++ < PROOFS_SHOWN)
            report_terminal_put_proof(p, &g, plan, shown);
    }
    if (g.cells == 0 && !g.failed)
        return IK_OK;
    terminal_heading(p, "Proofs");
    ik_status status = grid_put(p, &g, err);
    if (status == IK_OK && sound > PROOFS_SHOWN)
        fprintf(p->out, "and %s: delivered, without loops and without deadlocks\n",
                IK_COUNT(sound - PROOFS_SHOWN, "more plan"));
    return status;
}

/* A workload that ends has none. */
static void report_terminal_put_load(grid *g, double load)
{
    if (load > 0)
        grid_cell(g, "%.0f %%", 100 * load);
    else
        grid_cell(g, "-");
}

/* "all", "4 of 6", "not judged": points of a curve that are steady. */
static void report_terminal_put_steady(grid *g, const report_model *m, const report_curve *c)
{
    size_t steady = 0, judged = 0, all = 0;
    for (size_t i = 0; i < c->num_steps; i++)
        for (size_t k = 0; k < c->steps[i].num_rows; k++, all++) {
            ik_steady_verdict verdict = m->rows[c->steps[i].rows[k]].steady;
            judged += verdict != IK_STEADY_NONE;
            steady += verdict == IK_STEADY_YES;
        }
    if (!judged)
        grid_cell(g, "not judged");
    else if (steady == all)
        grid_cell(g, "all");
    else
        grid_cell(g, "%zu of %zu", steady, all);
}

static void report_terminal_put_peak(grid *g, const report_curve *c)
{
    if (isnan(c->peak_throughput))
        grid_cell(g, "no steady point");
    else
        grid_cell(g, "%.1f %%", 100 * c->peak_throughput);
}

/* Loads whose points are not steady, why, and which time would be needed. */
static void report_terminal_put_unsteady(const terminal_page *p)
{
    size_t num = 0;
    for (size_t i = 0; i < p->m->num_curves; i++)
        for (size_t k = 0; k < p->m->curves[i].num_steps; k++) {
            const report_step *s = &p->m->curves[i].steps[k];
            double needs = s->value[METRIC_NEEDS].mean; /* NAN: it cannot be said */
            char text[1100], load[40] = "", need[80] = "";
            if (metric_counts(s->steady) || num++ >= UNSTEADY_SHOWN)
                continue;
            if (s->load > 0)
                snprintf(load, sizeof load, " at load %.4g %%", 100 * s->load);
            if (needs > 0)
                snprintf(need, sizeof need, "; about %.2g ms would be enough", needs / 1e6);
            snprintf(text, sizeof text, "%s: %.400s%s: %.440s%s.",
                     s->steady == IK_STEADY_NO ? "Not steady" : "Too short to tell",
                     p->m->curves[i].label, load, s->steady_reason, need);
            terminal_wrap(p, text, 0, 2);
        }
    if (num > UNSTEADY_SHOWN)
        fprintf(p->out, "and %s: ikat report --csv has every verdict\n",
                IK_COUNT(num - UNSTEADY_SHOWN, "more load"));
}

static ik_status report_terminal_put_results(const terminal_page *p, ik_error *err)
{
    size_t endless = 0;
    for (size_t i = 0; i < p->m->num_curves; i++)
        endless += !terminal_is_workload(&p->m->curves[i]);
    if (!endless)
        return IK_OK;
    terminal_heading(p, "Results");
    grid g = {.headers = {"routing*", "traffic*", "fabric*", "saturation>", "peak throughput>",
                          "steady>", "latency at lowest load>", "at highest load>"},
              .columns = 8};
    bool marked = false, searched = false, range = false,
         infeasible = terminal_feasible_column(p->m, &g);
    for (size_t i = 0; i < p->m->num_curves; i++) {
        const report_curve *c = &p->m->curves[i];
        const report_step *low = &c->steps[0], *high = &c->steps[c->num_steps - 1];
        if (terminal_is_workload(c))
            continue;
        range |= !isnan(c->saturation_most);
        grid_cell(&g, c->variant[0] ? "%s, %s" : "%s%s", c->plan_label, c->variant);
        grid_cell(&g, "%s", c->traffic);
        grid_cell(&g, "%s", c->fabric_label);
        for (size_t k = 0; k < c->num_steps; k++)
            searched |= c->steps[k].searched;
        char saturation[40];
        grid_cell(&g, "%s", model_saturation_text(c, saturation, sizeof saturation));
        report_terminal_put_peak(&g, c);
        report_terminal_put_steady(&g, p->m, c);
        grid_latency(&g, low, low->value[METRIC_LATENCY_MEAN], &marked);
        grid_latency(&g, high, high->value[METRIC_LATENCY_MEAN], &marked);
        if (infeasible)
            grid_feasible(&g, p->m, low);
    }
    ik_status status = grid_put(p, &g, err);
    if (status == IK_OK)
        terminal_wrap(p, searched ? TERMINAL_SEARCHED : TERMINAL_SATURATION, 0, 0);
    if (status == IK_OK && range)
        terminal_wrap(p, TERMINAL_RANGE, 0, 0);
    if (status == IK_OK && marked)
        terminal_wrap(p, TERMINAL_PAST_SATURATION, 0, 0);
    if (status == IK_OK)
        report_terminal_put_unsteady(p);
    return status;
}

/* ---- congestion: the highest load of each curve that has any */

static void report_terminal_put_share(grid *g, double share)
{
    if (isnan(share))
        grid_cell(g, "-");
    else
        grid_cell(g, "%.1f %%", 100 * share);
}

static void report_terminal_put_congested(const terminal_page *p, grid *g, const report_curve *c,
                                          const report_step *s, const json_t *root)
{
    char name[200];
    model_name_channel(&p->m->fabrics[c->fabric],
                       (uint32_t)json_integer_value(json_object_get(root, "channel")), name,
                       sizeof name);
    grid_cell(g, c->variant[0] ? "%s, %s" : "%s%s", c->plan_label, c->variant);
    grid_cell(g, "%s", c->traffic);
    report_terminal_put_load(g, s->load);
    report_terminal_put_share(g, s->value[METRIC_THROUGHPUT].mean);
    report_terminal_put_share(g, s->value[METRIC_BLOCKED].mean);
    report_terminal_put_share(g, s->value[METRIC_HOL].mean);
    grid_cell(g, "%.1f", s->value[METRIC_ROOTS].mean);
    grid_cell(g, "%lld",
              (long long)(json_integer_value(json_object_get(root, "buffers")) +
                          json_integer_value(json_object_get(root, "hosts"))));
    grid_cell(g, "%s", name);
    grid_cell(g, "%.0f to %.0f %%", 100 * s->value[METRIC_HOST_LEAST].mean,
              100 * s->value[METRIC_HOST_MOST].mean);
}

/* NULL: none that was congested. */
static ik_status report_terminal_congestion_of(const report_step *s, json_t **out, ik_error *err)
{
    *out = NULL;
    ik_status status = model_stored(s->congestion, out, err);
    if (status == IK_OK && json_array_size(json_object_get(*out, "roots")) == 0) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}

static ik_status report_terminal_put_congestion(const terminal_page *p, ik_error *err)
{
    grid g = {.headers = {"routing*", "traffic*", "load>", "accepted>", "blocked>", "head-of-line>",
                          "roots>", "tree>", "worst root", "hosts sent"},
              .columns = 10};
    for (size_t i = 0; i < p->m->num_curves; i++) {
        const report_curve *c = &p->m->curves[i];
        json_t *found = NULL;
        for (size_t k = c->num_steps; k-- > 0 && !found;) {
            ik_status status = report_terminal_congestion_of(&c->steps[k], &found, err);
            if (status != IK_OK) {
                free(g.text);
                return status;
            }
            if (found)
                report_terminal_put_congested(p, &g, c, &c->steps[k],
                                              json_array_get(json_object_get(found, "roots"), 0));
        }
        json_decref(found);
    }
    if (g.cells == 0 && !g.failed)
        return IK_OK;
    terminal_heading(p, "Congestion");
    ik_status status = grid_put(p, &g, err);
    if (status != IK_OK)
        return status;
    terminal_wrap(
        p,
        "Blocked: fraction of the buffers whose first packet lacks credit; head-of-line: fraction "
        "of the waiting bytes that wait only for the head of their queue; roots: oversubscribed "
        "channels "
        "that block others, on average; tree: blocked buffers and hosts below the worst one.",
        0, 0);
    return IK_OK;
}

static ik_status report_terminal_put_classes(const terminal_page *p, ik_error *err)
{
    grid g = {.headers = {"class", "routing*", "traffic*", "load>", "offered>", "accepted>",
                          "mean latency>", "99th percentile>", "victim>"},
              .columns = 9};
    static const char *const latencies[] = {"latency_mean_ns", "latency_p99_ns"};
    bool marked = false;
    for (size_t i = 0; i < p->m->num_curves; i++) {
        const report_curve *c = &p->m->curves[i];
        const report_step *s = &c->steps[c->num_steps - 1];
        json_t *classes = NULL, *one;
        size_t k;
        ik_status status = model_stored(s->classes, &classes, err);
        if (status != IK_OK) {
            free(g.text);
            return status;
        }
        json_array_foreach(classes, k, one)
        {
            const char *name = json_string_value(json_object_get(one, "name"));
            grid_cell(&g, "%s", name ? name : "?");
            grid_cell(&g, c->variant[0] ? "%s, %s" : "%s%s", c->plan_label, c->variant);
            grid_cell(&g, "%s", c->traffic);
            report_terminal_put_load(&g, s->load);
            report_terminal_put_share(&g, json_number_value(json_object_get(one, "offered")));
            report_terminal_put_share(&g, json_number_value(json_object_get(one, "throughput")));
            for (int l = 0; l < 2; l++)
                grid_latency(&g, s,
                             (estimate){json_number_value(json_object_get(one, latencies[l])), NAN},
                             &marked);
            const json_t *victim = json_object_get(one, "victim_time_ns");
            if (json_is_number(victim))
                grid_cell(&g, "%.1f us", json_number_value(victim) / 1000);
            else
                grid_cell(&g, "-"); /* congestion was not sampled */
        }
        json_decref(classes);
    }
    if (g.cells == 0 && !g.failed)
        return IK_OK;
    terminal_heading(p, "Classes of the traffic, at the highest load");
    ik_status status = grid_put(p, &g, err);
    if (status == IK_OK && marked)
        terminal_wrap(p, TERMINAL_PAST_SATURATION, 0, 0);
    return status;
}

static void report_terminal_put_costs(const terminal_page *p)
{
    for (size_t f = 0; f < p->m->num_fabrics; f++)
        for (size_t k = 0; k < p->m->fabrics[f].num_slow; k++) {
            const slow_link *s = &p->m->fabrics[f].slow[k];
            terminal_heading(p, "What the slow link costs");
            char text[400];
            snprintf(text, sizeof text, "%s: %.4g Gb/s instead of %.4g Gb/s.", s->name,
                     (double)s->rate_bps / 1e9, (double)s->common_rate_bps / 1e9);
            terminal_wrap(p, text, 0, 0);
            for (size_t i = 0; i < p->m->num_costs; i++)
                if (p->m->costs[i].fabric == f && p->m->costs[i].link == k) {
                    fputs("  ", p->out);
                    terminal_wrap(p, p->m->costs[i].text, 2, 4);
                }
        }
}

static void report_terminal_put_deadlocks(const terminal_page *p)
{
    for (size_t i = 0; i < p->m->num_rows; i++) {
        const report_row *r = &p->m->rows[i];
        if (!r->deadlock[0])
            continue;
        terminal_heading(p, "Deadlock");
        terminal_text(p->out, p->m->plans[r->plan].label);
        fputs(" under ", p->out);
        terminal_text(p->out, r->traffic);
        if (r->load > 0)
            fprintf(p->out, " at load %.0f %%", 100 * r->load);
        fprintf(p->out, ", seed %" PRIu64 ", after %.3f us:\n", r->seed, (double)r->end_ps / 1e6);
        utf8_print(p->out, r->deadlock, strlen(r->deadlock), true);
        putc('\n', p->out);
        return; /* one is evidence enough here; the report has all */
    }
}

static void report_terminal_put_title(const terminal_page *p)
{
    if (!p->m->title[0])
        return;
    fputs(p->colour ? "\033[1m" : "", p->out);
    terminal_text(p->out, p->m->title);
    fputs(p->colour ? "\033[0m\n" : "\n", p->out);
}

/* What of the sweep there is, and why the rest is not. */
static void report_terminal_put_extent(const terminal_page *p)
{
    const report_model *m = p->m;
    size_t i;
    json_t *item;
    if (m->num_rows == 0 && m->num_left_out < m->num_points)
        fprintf(p->out,
                "No point is finished yet: %s under way or to be run. If the "
                "run was stopped, the same command continues it.\n",
                IK_COUNT(m->num_points - m->num_left_out, "point is|points are"));
    if (m->num_rows < m->num_points)
        fprintf(p->out, "%zu of %s finished%s\n", m->num_rows,
                IK_COUNT(m->num_points, "point is|points are"),
                m->num_left_out ? "; left out are:" : "");
    json_array_foreach(m->left_out, i, item)
    {
        const char *what = json_string_value(json_object_get(item, "what"));
        const char *why = json_string_value(json_object_get(item, "why"));
        json_int_t points = json_integer_value(json_object_get(item, "points"));
        fprintf(p->out, "  %s of ", IK_COUNT((uint64_t)points, "point"));
        terminal_text(p->out, what ? what : "");
        fputs(": ", p->out);
        terminal_wrap(p, why ? why : "", 20, 4);
    }
}

ik_status ik_report_terminal(const char *store_path, FILE *out, unsigned width, bool colour,
                             ik_error *err)
{
    report_model *m = NULL;
    ik_status status = model_read_plain(store_path, &m, err);
    if (status != IK_OK)
        return status;
    terminal_page p = {.m = m,
                       .out = out,
                       .width = width >= 40 ? width : 80,
                       .table_width = width,
                       .colour = colour};
    report_terminal_put_title(&p);
    report_terminal_put_extent(&p);
    report_terminal_put_fabrics(&p);
    report_terminal_put_findings(&p);
    status = report_terminal_put_proofs(&p, err);
    if (status == IK_OK)
        status = terminal_statics(&p, err);
    if (status == IK_OK)
        status = report_terminal_put_results(&p, err);
    if (status == IK_OK)
        status = terminal_workloads(&p, err);
    if (status == IK_OK)
        status = report_terminal_put_congestion(&p, err);
    if (status == IK_OK)
        status = report_terminal_put_classes(&p, err);
    if (status == IK_OK) {
        report_terminal_put_costs(&p);
        report_terminal_put_deadlocks(&p);
        terminal_missing(&p);
        status = figures_put_terminal(&p, err);
    }
    if (status == IK_OK)
        status = claims_put_terminal(&p, err);
    model_free(m);
    return status == IK_OK && ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the summary")
                                          : status;
}
