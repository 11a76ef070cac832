/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_terminal_static.c: what was measured without simulation, or beside one, in a
 * terminal.
 */
#include "ikat/analysis.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Columns of numbers, by what they are called in a table. */
static const struct column {
    metric_id id;
    const char *header;
    double scale;
    int digits;
    const char *unit;
} columns[] = {{METRIC_MEAN_HOPS, "mean hops>", 1, 3, ""},
               {METRIC_MAX_HOPS, "most>", 1, 0, ""},
               {METRIC_ENTRIES_MEAN, "entries>", 1, 1, ""},
               {METRIC_ENTRIES_MAX, "largest table>", 1, 0, ""},
               {METRIC_LEAST_T_MAX, "least t_max>", 1, 0, ""},
               {METRIC_CONTENTION, "contention>", 1, 1, ""},
               {METRIC_STATIC_SLOWDOWN, "slowdown>", 1, 2, ""},
               {METRIC_STATIC_SATURATION, "saturation>", 100, 1, " %"},
               {METRIC_BAND_MINIMAL, "saturation, minimal>", 100, 1, " %"},
               {METRIC_BAND_VALIANT, "by detours>", 100, 1, " %"},
               {METRIC_BAND_SPLIT, "one share>", 100, 1, " %"},
               {METRIC_BAND_HIGH, "at most>", 100, 1, " %"},
               {METRIC_BOUND_LOW, "best at least>", 100, 1, " %"},
               {METRIC_BOUND_HIGH, "best at most>", 100, 1, " %"},
               {METRIC_SHARE_OF_BOUND, "share of best>", 100, 1, " %"},
               {METRIC_BANDWIDTH, "eff. bandwidth>", 100, 1, " %"},
               {METRIC_EFFICIENCY, "efficiency>", 100, 1, " %"},
               {METRIC_PORTS_PER_HOST, "ports/host>", 1, 2, ""},
               {METRIC_LINKS_PER_HOST, "links/host>", 1, 2, ""},
               {METRIC_BISECTION, "bisection/host>", 1, 3, ""},
               {METRIC_HOSTS, "hosts>", 1, 0, ""},
               {METRIC_SWITCHES, "switches>", 1, 0, ""},
               {METRIC_RADIX, "radix>", 1, 0, ""},
               {METRIC_DIAMETER, "diameter>", 1, 0, ""},
               {METRIC_MIN_PATHS, "fewest paths>", 1, 0, ""},
               {METRIC_MEAN_PATHS, "mean paths>", 1, 3, ""},
               {METRIC_MAX_PATHS, "most paths>", 1, 0, ""},
               {METRIC_NCA_MIN, "fewest routes>", 1, 0, ""},
               {METRIC_NCA_MEAN, "routes/root>", 1, 0, ""},
               {METRIC_NCA_MAX, "most routes>", 1, 0, ""},
               {METRIC_NCA_SD, "deviation>", 1, 1, ""},
               {METRIC_DESTINATIONS_INJECTION, "hosts/queue: injection>", 1, 1, ""},
               {METRIC_DESTINATIONS_UP_1, "up 1>", 1, 1, ""},
               {METRIC_DESTINATIONS_UP_2, "up 2>", 1, 1, ""},
               {METRIC_DESTINATIONS_DOWN_2, "down 2>", 1, 1, ""},
               {METRIC_DESTINATIONS_DOWN_1, "down 1>", 1, 1, ""},
               {METRIC_DESTINATIONS_BETWEEN, "between switches>", 1, 1, ""},
               {METRIC_DESTINATIONS_EJECTION, "ejection>", 1, 1, ""},
               {METRIC_NEXT_SWITCH, "next switch>", 1, 0, ""},
               {METRIC_WITH_ENTRY, "with entry>", 100, 1, " %"},
               {METRIC_FREE_PERMUTATIONS, "free permutations>", 100, 1, " %"},
               {METRIC_PERMUTATIONS_MEAN, "their contention>", 1, 3, ""},
               {METRIC_PERMUTATIONS_MAX, "at most>", 1, 0, ""}};
enum { NUM_NUMBERS = sizeof columns / sizeof *columns };

/* What varies between rows. */
typedef struct extent {
    bool fabrics, traffics, samples, infeasible, deadlocks;
} extent;

static extent report_terminal_static_extent_of(const report_model *m)
{
    extent x = {0};
    for (size_t i = 0; i < m->num_statics; i++) {
        const report_curve *c = &m->statics[i];
        const report_step *s = &c->steps[0];
        x.fabrics |= strcmp(c->fabric_label, m->statics[0].fabric_label) != 0;
        x.traffics |= strcmp(c->traffic, m->statics[0].traffic) != 0;
        /* beside simulations, seeds are those of their traffic */
        x.samples |= s->num_rows > 1 && (m->num_curves == 0 || m->num_over);
        x.infeasible |= s->value[METRIC_FEASIBLE].mean < 1;
        x.deadlocks |= s->value[METRIC_DEADLOCK_FREE].mean < 1;
    }
    return x;
}

static void report_terminal_static_put_number(grid *g, const struct column *k, estimate e)
{
    /* a mean of samples is no whole number */
    int digits = k->digits == 0 && e.mean != floor(e.mean) ? 2 : k->digits;
    double shown = k->scale * e.mean;
    bool above = k->id == METRIC_BAND_HIGH || k->id == METRIC_BOUND_HIGH,
         bounds = above || k->id == METRIC_BOUND_LOW;
    if (isnan(e.mean))
        grid_cell(g, "-");
    else if (isnan(e.ci95) || e.ci95 == 0)
        grid_cell(g, "%.*f%s", digits, bounds ? ik_round_bound(shown, digits, above) : shown,
                  k->unit);
    else
        grid_cell(g, "%.*f ± %.*f%s", digits, shown, digits, k->scale * e.ci95, k->unit);
}

static void report_terminal_static_put_row(const report_model *m, grid *g, const extent *x,
                                           const report_curve *c, const struct column *const *shown,
                                           size_t num)
{
    const report_step *s = &c->steps[0];
    size_t all, feasible = model_count_feasible(m, s, &all);
    grid_cell(g, c->variant[0] ? "%s, %s" : "%s%s", c->plan_label, c->variant);
    if (x->fabrics)
        grid_cell(g, "%s", c->fabric_label);
    if (x->traffics)
        grid_cell(g, "%s", c->traffic);
    if (x->infeasible)
        grid_cell(g, "%zu of %zu", feasible, all);
    else if (x->samples)
        grid_cell(g, "%zu", s->num_rows);
    if (x->deadlocks)
        grid_cell(g, "%.0f %%", 100 * s->value[METRIC_DEADLOCK_FREE].mean);
    for (size_t i = 0; i < num; i++)
        report_terminal_static_put_number(g, shown[i], s->value[shown[i]->id]);
}

/* A table of as many results as there is room for; more stand in a table below. */
static ik_status report_terminal_static_put_some(const terminal_page *p, const extent *x,
                                                 const struct column *const *shown, size_t num,
                                                 ik_error *err)
{
    grid g = {.headers = {"routing*"}, .columns = 1};
    if (x->fabrics)
        g.headers[g.columns++] = "fabric*";
    if (x->traffics)
        g.headers[g.columns++] = "traffic*";
    if (x->infeasible || x->samples)
        g.headers[g.columns++] = x->infeasible ? "feasible>" : "samples>";
    if (x->deadlocks)
        g.headers[g.columns++] = "deadlock-free>";
    for (size_t i = 0; i < num; i++)
        g.headers[g.columns++] = shown[i]->header;
    for (size_t i = 0; i < p->m->num_statics; i++)
        report_terminal_static_put_row(p->m, &g, x, &p->m->statics[i], shown, num);
    return grid_put(p, &g, err);
}

ik_status terminal_statics(const terminal_page *p, ik_error *err)
{
    enum { AT_A_TIME = 6 };
    const struct column *shown[NUM_NUMBERS];
    size_t num = 0;
    if (p->m->num_statics == 0)
        return IK_OK;
    for (size_t i = 0; i < NUM_NUMBERS; i++)
        if (p->m->used[columns[i].id])
            shown[num++] = &columns[i];
    extent x = report_terminal_static_extent_of(p->m);
    terminal_heading(p, "Measures");
    ik_status status = num ? IK_OK : report_terminal_static_put_some(p, &x, shown, 0, err);
    for (size_t i = 0; i < num && status == IK_OK; i += AT_A_TIME)
        status = report_terminal_static_put_some(p, &x, shown + i,
                                                 num - i < AT_A_TIME ? num - i : AT_A_TIME, err);
    if (status == IK_OK && x.samples)
        fprintf(p->out, "Means over the samples, with half their 95 %% confidence intervals; "
                        "infeasible ones have no values.\n");
    return status;
}
