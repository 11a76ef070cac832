/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/words.c: what a figure says: titles of its axes, names along x, its caption.
 */
#include "report/figures.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- axes */

static const char *words_capital(figure_data *d, const char *text)
{
    char *copy = ik_arena_strdup(&d->arena, text);
    if (copy && copy[0] >= 'a' && copy[0] <= 'z')
        copy[0] = (char)(copy[0] - 'a' + 'A');
    return copy;
}

static const char *words_title_of(figure_data *d, const result_expr *e)
{
    if (!e->op)
        return metrics[e->first].title;
    return ik_arena_printf(&d->arena, e->op == '/' ? "%s / %s" : "%s − %s", metrics[e->first].title,
                           metrics[e->second].title);
}

static const char *words_unit_of(const result_expr *e)
{
    return e->op == '/' ? "" : metrics[e->first].unit;
}

static const char *words_axis_title(figure_data *d, const axis *x)
{
    if (axes_axis_is_label(x)) /* the patterns' own names */
        return ik_arena_printf(&d->arena, "%.*s", (int)strcspn(x->name, "."), x->name);
    return x->param ? x->param : strcmp(x->name, "load") == 0 ? "offered load" : x->name;
}

/* "relative to crossbar". */
static const char *words_relative_to(figure_data *d, const char *title)
{
    const matches *by = &d->f->normalise_by;
    for (size_t i = 0; i < by->num && title; i++)
        title = ik_arena_printf(&d->arena, "%s%s%s", title, i ? ", " : ", relative to ",
                                by->items[i].values[0]);
    return title;
}

static ik_status words_name_axes_of(figure_data *d, ik_error *err)
{
    const figure_view *v = &d->v;
    const char *y = d->f->y, *x = "";
    d->x_unit = d->y_unit = "";
    if (d->f->kind == FIGURE_TIME) {
        metric_id m = metric_find(y, strlen(y));
        y = m < NUM_METRICS ? metrics[m].title : y;
        d->y_unit = m < NUM_METRICS ? metrics[m].unit : strstr(y, "bytes") ? "bytes" : "";
        x = "time";
        d->x_unit = "ns";
    } else if (d->f->kind == FIGURE_LIST) {
        const list_row *list = list_find(y);
        y = list->title;
        d->y_unit = list->unit;
        x = list->place;
    } else {
        y = words_title_of(d, &v->y);
        d->y_unit = d->f->normalise_by.num ? "" : words_unit_of(&v->y);
        if (v->x.text) {
            x = words_title_of(d, &v->x);
            d->x_unit = words_unit_of(&v->x);
        } else if (v->has[KEY_X]) {
            x = words_axis_title(d, &v->key[KEY_X]);
            d->x_unit = v->key[KEY_X].numeric ? v->key[KEY_X].unit : "";
        }
    }
    y = y ? words_relative_to(d, y) : NULL;
    bool param = v->has[KEY_X] && v->key[KEY_X].param && x == v->key[KEY_X].param;
    d->x_title = !x || param ? x : words_capital(d, x); /* t_max is t_max */
    d->y_title = y ? words_capital(d, y) : NULL;
    return d->x_title && d->y_title ? IK_OK : ik_fail_memory(err, 1, "a figure");
}

/* ---- names along x */

/* Names of the values that points have, in the order of the sweep; cells get their places. */
static ik_status words_name_categories(figure_data *d, ik_error *err)
{
    const figure_view *v = &d->v;
    if (v->x.text || !v->x_is_axis || v->key[KEY_X].numeric)
        return IK_OK;
    size_t num = v->key[KEY_X].num; /* the last is "-", of points that have no value */
    d->categories = ik_arena_alloc(&d->arena, (num + 1) * sizeof *d->categories);
    size_t *places = ik_arena_alloc(&d->arena, (num + 1) * sizeof *places);
    if (!d->categories || !places)
        return ik_fail_memory(err, num * sizeof *places, "a figure");
    memset(places, 0, (num + 1) * sizeof *places);
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++)
            places[(size_t)d->curves[i].cells[k].x.mean] = 1;
    for (size_t i = 0; i <= num; i++)
        if (places[i]) {
            places[i] = d->num_categories;
            d->categories[d->num_categories++] =
                i < num ? axis_label(&v->key[KEY_X], (uint32_t)i) : "-";
        }
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            double *x = &d->curves[i].cells[k].x.mean;
            *x = (double)places[(size_t)*x];
        }
    return IK_OK;
}

/* ---- the caption */

IK_PRINTF(2, 3) static void words_add_sentence(figure_data *d, const char *format, ...)
{
    char sentence[240];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (d->caption && sentence[0])
        d->caption =
            ik_arena_printf(&d->arena, "%s%s%s", d->caption, d->caption[0] ? " " : "", sentence);
}

static void words_tell_samples(figure_data *d)
{
    static const char *const kinds[] = {
        [FIGURE_LINE] = "Bands: 95 % confidence interval of the mean.",
        [FIGURE_POINTS] = "Bars: 95 % confidence interval of the mean.",
        [FIGURE_BARS] = "Whiskers: 95 % confidence interval of the mean.",
        [FIGURE_BOX] = "Box: quartiles and median; whiskers: furthest sample within 1.5 times the "
                       "box; circles: samples beyond.",
        [FIGURE_HISTOGRAM] = "",
        [FIGURE_ECDF] = "Share of samples that are at most x.",
        [FIGURE_HEATMAP] = "Means of the samples.",
        [FIGURE_TIME] = "One run: the first of its samples.",
        [FIGURE_ROUTES] = "Routes of the first of the samples."};
    size_t most = 0, least = SIZE_MAX;
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            size_t num = d->curves[i].cells[k].num;
            most = num > most ? num : most;
            least = num < least ? num : least;
        }
    bool bars = d->v.kind == FIGURE_LINE && d->v.x.text; /* intervals of x, too */
    if (most > 1 || d->v.kind == FIGURE_TIME)
        words_add_sentence(d, "%s", kinds[bars ? FIGURE_POINTS : d->v.kind]);
    if (most > 1 && least < most)
        words_add_sentence(d, "%zu to %zu samples each.", least, most);
    else if (most > 1)
        words_add_sentence(d, "%zu samples each.", most);
}

/* Values that a logarithmic axis has no place for: means, or the samples of distributions. */
static size_t words_count_unplaced(const figure_data *d)
{
    bool samples = d->v.kind == FIGURE_HISTOGRAM || d->v.kind == FIGURE_ECDF;
    size_t num = 0;
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            const figure_cell *c = &d->curves[i].cells[k];
            for (size_t s = 0; samples && d->f->log_x && s < c->num; s++)
                num += c->samples[s] <= 0;
            num += !samples && ((d->f->log_y && c->y.mean <= 0) ||
                                (d->f->log_x && isfinite(c->y.mean) && c->x.mean <= 0));
        }
    return num;
}

/* The result of each panel. */
static void words_tell_results(figure_data *d)
{
    double factor = strcmp(d->y_unit, "%") == 0 ? 100 : 1;
    for (size_t i = 0; i < d->num_curves; i++) {
        const char *panel = d->panels[d->curves[i].panel];
        if (d->curves[i].num == 0 || isnan(d->curves[i].cells[0].y.mean))
            continue; /* counted below */
        words_add_sentence(d, "%s%s%s: %.4g%s%s.", panel, panel[0] ? ": " : "", d->y_title,
                           factor * d->curves[i].cells[0].y.mean, d->y_unit[0] ? " " : "",
                           d->y_unit);
    }
}

/* What a reader has to know beside the axes: how intervals and samples were made. */
static void words_write_caption(figure_data *d)
{
    size_t feasible = d->num_points - d->num_infeasible, unplaced = words_count_unplaced(d);
    bool rings = d->v.kind == FIGURE_LINE || d->v.kind == FIGURE_POINTS;
    d->caption = "";
    words_tell_samples(d);
    if (d->v.kind == FIGURE_ROUTES)
        words_tell_results(d);
    if (d->num_infeasible)
        words_add_sentence(d, "%zu of %s feasible.", feasible,
                           IK_COUNT(d->num_points, "sample is|samples are"));
    if (d->num_missing)
        words_add_sentence(d, "%zu of %s a value.", feasible - d->num_missing,
                           IK_COUNT(feasible, "sample has|samples have"));
    if (d->num_listless)
        words_add_sentence(d, "%s no such list.",
                           IK_COUNT(d->num_listless, "point has|points have"));
    if (d->num_unsteady > d->num_open)
        words_add_sentence(d,
                           "%zu of %zu latencies do not last or cannot be told; past saturation "
                           "they grow with the run%s.",
                           d->num_unsteady - d->num_open, d->num_points, rings ? " (ringed)" : "");
    if (d->num_open)
        words_add_sentence(d, "%zu of %s not steady%s.", d->num_open,
                           IK_COUNT(d->num_points, "sample is|samples are"),
                           rings ? " (ringed)" : "");
    if (d->num_deadlocks)
        words_add_sentence(d, "%zu of %s ended by a deadlock.", d->num_deadlocks,
                           IK_COUNT(d->num_points, "sample was|samples were"));
    if (d->unfinished)
        words_add_sentence(
            d, "%s not finished.",
            IK_COUNT(d->unfinished, "point of the experiment is|points of the experiment are"));
    if (unplaced)
        words_add_sentence(
            d, "%zu value%s at most 0 and %s on the logarithmic axis.", unplaced,
            unplaced == 1 ? " is" : "s are",
            d->v.kind == FIGURE_HISTOGRAM || d->v.kind == FIGURE_ECDF ? "at the left end" : "not");
}

ik_status figure_words(figure_data *d, ik_error *err)
{
    ik_status status = words_name_axes_of(d, err);
    if (status == IK_OK)
        status = words_name_categories(d, err);
    if (status != IK_OK)
        return status;
    words_write_caption(d);
    return d->caption ? IK_OK : ik_fail_memory(err, 1, "a figure");
}
