/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/table.c: the numbers of a figure as CSV and in a terminal.
 *
 * Of every kind the first columns are the panel, the series, the marks and x. Then come: the mean
 * with half its confidence interval and the quartiles; of a histogram the bins; of a cumulative
 * distribution (CSV) every sample with its share.
 */
#include "report/figures.h"
#include "report/report_csv.h"

#include <math.h>
#include <string.h>

/* ---- CSV */

static void table_put_real(FILE *out, double x)
{
    putc(',', out);
    if (isfinite(x))
        fprintf(out, "%.9g", x);
}

static void table_put_head(const figure_data *d, FILE *out, const char *rest)
{
    const figure_view *v = &d->v;
    bool any = false;
    for (int i = 0; i < KEY_X; i++)
        if (v->has[i]) {
            if (any)
                putc(',', out);
            ik_text_csv(out, v->key[i].name);
            any = true;
        }
    if (!any)
        fputs("figure", out);
    fprintf(out, "%s\n", rest);
}

static void table_put_keys(const figure_data *d, FILE *out, const figure_cell *c)
{
    const figure_view *v = &d->v;
    bool any = false;
    for (int i = 0; i < KEY_X; i++)
        if (v->has[i]) {
            if (any)
                putc(',', out);
            ik_text_csv(out, c->key[i] == IK_NONE ? "" : v->key[i].values[c->key[i]].text);
            any = true;
        }
    if (!any)
        ik_text_csv(out, d->f->name);
}

/* Step and x of a cell. */
static void table_put_place(const figure_data *d, FILE *out, const figure_cell *c)
{
    const figure_view *v = &d->v;
    if (v->x.text && v->has[KEY_X]) {
        putc(',', out);
        ik_text_csv(out, c->key[KEY_X] == IK_NONE ? "" : v->key[KEY_X].values[c->key[KEY_X]].text);
    }
    if (!d->categories) {
        table_put_real(out, c->x.mean);
        return;
    }
    putc(',', out);
    if (d->f->kind == FIGURE_LIST)
        ik_text_csv(out, d->categories[(size_t)c->x.mean]);
    else
        ik_text_csv(out, c->key[KEY_X] == IK_NONE ? "" : v->key[KEY_X].values[c->key[KEY_X]].text);
}

static void table_put_shares(const figure_data *d, FILE *out)
{
    table_put_head(d, out, ",value,share");
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            const figure_cell *c = &d->curves[i].cells[k];
            for (size_t s = 0; s < c->num; s++) {
                table_put_keys(d, out, c);
                table_put_real(out, c->samples[s]);
                table_put_real(out, (double)(s + 1) / (double)c->num);
                putc('\n', out);
            }
        }
}

static ik_status table_put_bins(figure_data *d, FILE *out, ik_error *err)
{
    double *edges = NULL;
    size_t num = 0;
    ik_status status = figure_bins(d, &edges, &num, err);
    table_put_head(d, out, ",from,to,count");
    for (size_t i = 0; i < d->num_curves && status == IK_OK; i++)
        for (size_t k = 0; k < d->curves[i].num; k++)
            for (size_t b = 0; b < num; b++) {
                table_put_keys(d, out, &d->curves[i].cells[k]);
                table_put_real(out, edges[b]);
                table_put_real(out, edges[b + 1]);
                fprintf(out, ",%zu\n",
                        figure_count(&d->curves[i].cells[k], edges[b], edges[b + 1], b + 1 == num));
            }
    return status;
}

static void table_put_means(const figure_data *d, FILE *out)
{
    const figure_view *v = &d->v;
    char head[320];
    snprintf(head, sizeof head, "%s%s,%s,%s,y_ci95,samples,without,not_steady,min,q1,median,q3,max",
             v->x.text && v->has[KEY_X] ? "," : "",
             v->x.text && v->has[KEY_X] ? v->key[KEY_X].name : "",
             d->f->x[0]                  ? d->f->x
             : d->f->kind == FIGURE_TIME ? "time_ns"
             : d->f->kind == FIGURE_LIST ? list_find(d->f->y)->place
                                         : "x",
             d->f->y);
    table_put_head(d, out, head);
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            const figure_cell *c = &d->curves[i].cells[k];
            table_put_keys(d, out, c);
            table_put_place(d, out, c);
            table_put_real(out, c->y.mean);
            table_put_real(out, c->y.ci95);
            fprintf(out, ",%zu,%zu,%zu", c->num, c->missing + c->infeasible, c->unsteady);
            for (int q = 0; q <= 4; q++)
                table_put_real(out, figure_quantile(c->samples, c->num, q / 4.0));
            putc('\n', out);
        }
}

/* A row per link that the packets between two hosts take. */
static void table_put_steps(const figure_data *d, FILE *out)
{
    table_put_head(d, out, ",from,to,order,switch,next");
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->maps[i].num_steps; k++) {
            const figure_map *map = &d->maps[i];
            const map_step *s = &map->steps[k];
            table_put_keys(d, out, d->curves[i].cells);
            fprintf(out, ",%u,%u,%u,", s->from, s->to, s->order);
            ik_text_csv(out, map->names[s->sw]);
            putc(',', out);
            ik_text_csv(out, map->names[s->next]);
            putc('\n', out);
        }
}

ik_status figure_put_csv(figure_data *d, FILE *out, ik_error *err)
{
    ik_status status = IK_OK;
    if (d->v.kind == FIGURE_HISTOGRAM)
        status = table_put_bins(d, out, err);
    else if (d->v.kind == FIGURE_ECDF)
        table_put_shares(d, out);
    else if (d->v.kind == FIGURE_ROUTES)
        table_put_steps(d, out);
    else
        table_put_means(d, out);
    return status;
}

/* ---- a terminal */

static void table_cell_value(grid *g, double x, const char *unit)
{
    bool percent = unit[0] == '%';
    if (isfinite(x))
        grid_cell(g, percent ? "%.4g %%" : "%.5g", percent ? 100 * x : x);
    else
        grid_cell(g, "-");
}

static void table_cell_estimate(grid *g, estimate e, const char *unit)
{
    char text[64];
    double factor = unit[0] == '%' ? 100 : 1;
    if (!isfinite(e.mean) || !isfinite(e.ci95))
        table_cell_value(g, e.mean, unit);
    else
        grid_cell(
            g, "%s%s",
            model_estimate_text((estimate){factor * e.mean, factor * e.ci95}, text, sizeof text),
            unit[0] == '%' ? " %" : "");
}

static void table_mark_last(grid *g)
{
    char *text = g->failed ? NULL : g->text[g->cells - 1];
    size_t length = text ? strlen(text) : CELL;
    if (length + 1 < CELL)
        memcpy(text + length, "*", 2);
}

static void table_cell_x(grid *g, const figure_data *d, const figure_cell *c)
{
    if (d->categories && d->f->kind == FIGURE_LIST)
        grid_cell(g, "%s", d->categories[(size_t)c->x.mean]);
    else if (d->categories)
        grid_cell(g, "%s", axis_label(&d->v.key[KEY_X], c->key[KEY_X]));
    else if (d->v.x.text)
        table_cell_estimate(g, c->x, d->x_unit);
    else
        table_cell_value(g, c->x.mean, d->x_unit);
}

static void table_cell_keys(grid *g, const figure_data *d, const figure_curve *c)
{
    if (d->v.has[KEY_PANEL])
        grid_cell(g, "%s", d->panels[c->panel]);
    if (d->v.has[KEY_SERIES] || d->v.has[KEY_MARKS])
        grid_cell(g, "%s", c->name);
}

static ik_status table_bins(figure_data *d, const terminal_page *p, grid *g, ik_error *err)
{
    double *edges = NULL;
    size_t num = 0;
    ik_status status = figure_bins(d, &edges, &num, err);
    g->headers[g->columns++] = "from>";
    g->headers[g->columns++] = "to>";
    g->headers[g->columns++] = "samples>";
    for (size_t i = 0; i < d->num_curves && status == IK_OK; i++)
        for (size_t b = 0; b < num; b++) {
            size_t count = 0;
            for (size_t k = 0; k < d->curves[i].num; k++)
                count += figure_count(&d->curves[i].cells[k], edges[b], edges[b + 1], b + 1 == num);
            table_cell_keys(g, d, &d->curves[i]);
            table_cell_value(g, edges[b], d->y_unit);
            table_cell_value(g, edges[b + 1], d->y_unit);
            grid_cell(g, "%zu", count);
        }
    ik_status put = grid_put(p, g, err);
    return status == IK_OK ? put : status;
}

/* A row per pair of hosts: the switches that its packets pass, in order; where they have a choice,
 * all of them. */
static ik_status table_routes(figure_data *d, const terminal_page *p, grid *g, ik_error *err)
{
    g->headers[g->columns++] = "from>";
    g->headers[g->columns++] = "to>";
    g->headers[g->columns++] = "switches";
    for (size_t i = 0; i < d->num_curves; i++) {
        const figure_map *map = &d->maps[i];
        for (size_t k = 0, next; k < map->num_steps; k = next) {
            const map_step *s = &map->steps[k];
            const char *text = map->names[s->sw];
            for (next = k; next < map->num_steps && map->steps[next].from == s->from && text;
                 next++)
                text = ik_arena_printf(&d->arena, "%s %s", text, map->names[map->steps[next].next]);
            if (!text)
                return ik_fail_memory(err, 1, "a figure");
            table_cell_keys(g, d, &d->curves[i]);
            grid_cell(g, "%u", s->from);
            grid_cell(g, "%u", s->to);
            grid_cell(g, "%s", text);
        }
    }
    return grid_put(p, g, err);
}

static ik_status table_means(const figure_data *d, const terminal_page *p, grid *g, ik_error *err)
{
    bool spread = d->v.kind == FIGURE_BOX || d->v.kind == FIGURE_ECDF, marked = false;
    static const char *const quantiles[] = {"least>", "quartile>", "median>", "quartile>",
                                            "largest>"};
    if (d->x_title[0])
        g->headers[g->columns++] = ik_arena_printf((ik_arena *)&d->arena, "%s>", d->x_title);
    if (spread)
        for (int q = 0; q <= 4; q++)
            g->headers[g->columns++] = quantiles[q];
    else
        g->headers[g->columns++] = ik_arena_printf((ik_arena *)&d->arena, "%s>", d->y_title);
    g->headers[g->columns++] = "samples>";
    for (size_t i = 0; i < g->columns; i++)
        if (!g->headers[i])
            return ik_fail_memory(err, 1, "a figure");
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            const figure_cell *c = &d->curves[i].cells[k];
            table_cell_keys(g, d, &d->curves[i]);
            if (d->x_title[0])
                table_cell_x(g, d, c);
            if (spread)
                for (int q = 0; q <= 4; q++)
                    table_cell_value(g, figure_quantile(c->samples, c->num, q / 4.0), d->y_unit);
            else
                table_cell_estimate(g, c->y, d->y_unit);
            if (c->unsteady && isfinite(c->y.mean)) {
                table_mark_last(g);
                marked = true;
            }
            grid_cell(g, "%zu", c->num);
        }
    ik_status status = grid_put(p, g, err);
    if (status == IK_OK && marked)
        terminal_wrap(
            p, metric_is_latency(d->v.y.first) ? TERMINAL_PAST_SATURATION : TERMINAL_NOT_STEADY, 0,
            0);
    return status;
}

ik_status figure_put_table(figure_data *d, const terminal_page *p, ik_error *err)
{
    grid g = {0};
    char title[200];
    snprintf(title, sizeof title, "%.60s%s%.120s", d->f->name, d->f->title[0] ? ": " : "",
             d->f->title);
    terminal_heading(p, title);
    if (d->v.has[KEY_PANEL])
        g.headers[g.columns++] = "panel";
    if (d->v.has[KEY_SERIES] || d->v.has[KEY_MARKS])
        g.headers[g.columns++] = "series";
    ik_status status = d->v.kind == FIGURE_HISTOGRAM ? table_bins(d, p, &g, err)
                       : d->v.kind == FIGURE_ROUTES  ? table_routes(d, p, &g, err)
                                                     : table_means(d, p, &g, err);
    if (status != IK_OK)
        return status;
    char text[640];
    bool results = d->v.kind == FIGURE_ROUTES; /* the caption says them */
    snprintf(text, sizeof text, "%.120s%s%s%s%.400s", results ? "" : d->y_title,
             results        ? ""
             : d->y_unit[0] ? " ["
                            : "",
             results ? "" : d->y_unit,
             results        ? ""
             : d->y_unit[0] ? "]. "
                            : ". ",
             d->caption);
    terminal_wrap(p, text, 0, 0);
    return IK_OK;
}
