/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/layout.c: where everything of a figure stands, and its frame: axes, ticks, titles.
 *
 * All panels have the same scales, so that they can be compared. The picture is as wide as a column
 * (86 mm) or a page (178 mm) of a journal, and as high as its panels and its legend need.
 */
#include "base/utf8.h"
#include "report/figure/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MM        (72 / 25.4)
#define TICK      3.0
#define LINE_STEP 10.0
/* of a turned name */
#define NAME_LENGTH 110.0

/* ---- ranges */

typedef struct range {
    double low, high;
} range;

static void layout_widen(range *r, double value, bool log)
{
    if (!isfinite(value) || (log && value <= 0))
        return;
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

static void layout_widen_cell(const drawing *g, const figure_cell *c, range *x, range *y)
{
    const figure *f = g->d->f;
    bool heat = g->d->v.kind == FIGURE_HEATMAP;
    double ci = isfinite(c->y.ci95) && !heat ? c->y.ci95 : 0,
           cx = isfinite(c->x.ci95) ? c->x.ci95 : 0;
    bool samples = g->d->v.kind == FIGURE_BOX;
    if (!isfinite(c->y.mean))
        return;
    layout_widen(x, c->x.mean - cx, f->log_x);
    layout_widen(x, c->x.mean + cx, f->log_x);
    layout_widen(y, samples ? c->samples[0] : c->y.mean - ci, f->log_y);
    layout_widen(y, samples ? c->samples[c->num - 1] : c->y.mean + ci, f->log_y);
    layout_widen(y, c->y.mean, f->log_y);
}

static void layout_widen_samples(const drawing *g, const figure_cell *c, range *x, range *y)
{
    if (!c->num)
        return;
    layout_widen(x, c->samples[0], g->d->f->log_x);
    layout_widen(x, c->samples[c->num - 1], g->d->f->log_x);
    layout_widen(y, 0, false);
    if (g->d->v.kind == FIGURE_ECDF)
        layout_widen(y, 1, false);
    for (size_t b = 0; b < g->num_bins; b++)
        layout_widen(y, (double)figure_count(c, g->edges[b], g->edges[b + 1], b + 1 == g->num_bins),
                     false);
}

static bool layout_is_distribution(const drawing *g)
{
    return g->d->v.kind == FIGURE_HISTOGRAM || g->d->v.kind == FIGURE_ECDF;
}

static void layout_find_ranges(drawing *g, range *x, range *y)
{
    const figure_data *d = g->d;
    *x = *y = (range){INFINITY, -INFINITY};
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            const figure_cell *c = &d->curves[i].cells[k];
            if (layout_is_distribution(g))
                layout_widen_samples(g, c, x, y);
            else
                layout_widen_cell(g, c, x, y);
        }
    if (g->num_bins) {
        layout_widen(x, g->edges[0], d->f->log_x);
        layout_widen(x, g->edges[g->num_bins], d->f->log_x);
    }
}

/* ---- words */

/* "Mean latency [ns]". */
static const char *layout_with_unit(const drawing *g, const char *title, const char *unit)
{
    if (!unit[0])
        return title;
    const char *text = ik_arena_printf(&g->d->arena, "%s [%s]", title, unit);
    *g->lacks_memory |= !text;
    return text ? text : title;
}

/* A title that is longer than its axis is written smaller. */
static double layout_fitting(const char *text, double length)
{
    double width = canvas_text_width(text, TEXT_SIZE) * 1.08;
    return width <= length ? TEXT_SIZE : fmax(5.5, TEXT_SIZE * length / width);
}

static const char *layout_y_text(const drawing *g)
{
    const figure_data *d = g->d;
    return layout_with_unit(g,
                            d->v.kind == FIGURE_ECDF        ? "Share of samples"
                            : d->v.kind == FIGURE_HISTOGRAM ? "Samples"
                                                            : d->y_title,
                            g->y.unit);
}

/* Where a title that is longer than `length` is broken: at the blank nearest to its middle; 0: it
 * is not. */
static size_t layout_break_at(const char *text, double length)
{
    size_t num = strlen(text), best = 0;
    if (canvas_text_width(text, TEXT_SIZE) * 1.08 <= length)
        return 0;
    for (size_t i = 1; i < num; i++)
        if (text[i] == ' ' && (best == 0 || llabs(2 * (long long)i - (long long)num) <
                                                llabs(2 * (long long)best - (long long)num)))
            best = i;
    return best;
}

const char *draw_cut(const drawing *g, const char *text, double size, double width)
{
    size_t length = strlen(text);
    if (canvas_text_width(text, size) * 1.08 <= width)
        return text;
    char *cut = draw_alloc(g, length + sizeof UTF8_ELLIPSIS, 1);
    if (!cut)
        return text;
    do {
        while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
            ; /* inside a character */
        memcpy(cut, text, length);
        memcpy(cut + length, UTF8_ELLIPSIS, sizeof UTF8_ELLIPSIS);
    } while (length > 0 && canvas_text_width(cut, size) * 1.08 > width);
    return cut;
}

const char *draw_title_line(const drawing *g, const char *text, char line[TITLE_LINE])
{
    size_t fits = 0, blank = 0, length;
    text += strspn(text, " ");
    if (!*text)
        return NULL;
    while (text[fits]) {
        length = utf8_length(text + fits);
        length = length ? length : 1;
        if (fits + length >= TITLE_LINE)
            break;
        snprintf(line, TITLE_LINE, "%.*s", (int)(fits + length), text);
        if (fits && canvas_text_width(line, TEXT_SIZE + 1) * 1.1 > g->width - 8)
            break;
        fits += length;
        blank = text[fits] == ' ' || !text[fits] ? fits : blank;
    }
    fits = blank ? blank : fits;
    snprintf(line, TITLE_LINE, "%.*s", (int)fits, text);
    return text + fits;
}

static unsigned count_title_lines(const drawing *g)
{
    char line[TITLE_LINE];
    unsigned num = 0;
    for (const char *at = g->d->f->title; (at = draw_title_line(g, at, line)); num++)
        ;
    return num;
}

/* ---- places */

/* Names that do not fit beside each other are turned. */
static double layout_name_room(drawing *g)
{
    const figure_data *d = g->d;
    double widest = 0;
    g->turn = 0;
    for (size_t i = 0; i < d->num_categories; i++)
        widest = fmax(widest, canvas_text_width(d->categories[i], SMALL_SIZE));
    if (d->num_categories == 0 || widest * 1.12 + 4 <= g->panel_width / (double)d->num_categories)
        return TEXT_SIZE;
    g->turn = -40;
    return fmin(widest * 1.08, NAME_LENGTH) * 0.643 + TEXT_SIZE * 0.6;
}

enum { MOST_COLUMNS = 4 }; /* of a grid of panels on a page */

static size_t layout_count_columns(const figure_data *d)
{
    if (d->f->width == FIGURE_COLUMN)
        return 1;
    if (d->f->panel.num == 2) { /* rows and columns, where none is missing */
        size_t across = d->v.key[KEY_PANEL + 1].num;
        if (across <= MOST_COLUMNS && across && d->num_panels % across == 0)
            return across;
    }
    return d->num_panels <= 3 ? d->num_panels : d->num_panels == 4 ? 2 : 3;
}

/* Categories of a heat map are places along x, whether they are numbers or not; so are those of a
 * list. */
static bool layout_has_places(const figure_data *d)
{
    return d->v.kind == FIGURE_HEATMAP || d->v.kind == FIGURE_BARS || d->v.kind == FIGURE_BOX ||
           d->f->kind == FIGURE_LIST || d->categories;
}

static int layout_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different numbers that cells have along x, ascending: [*num], in the arena. */
static double *layout_list_numbers(const figure_data *d, ik_arena *arena, size_t *num)
{
    size_t all = 0, kept = 0;
    for (size_t i = 0; i < d->num_curves; i++)
        all += d->curves[i].num;
    double *values = ik_arena_alloc(arena, (all + 1) * sizeof *values);
    for (size_t i = 0; i < d->num_curves && values; i++)
        for (size_t k = 0; k < d->curves[i].num; k++)
            values[kept++] = d->curves[i].cells[k].x.mean;
    if (kept)
        qsort(values, kept, sizeof *values, layout_by_value);
    *num = 0;
    for (size_t i = 0; i < kept; i++)
        if (*num == 0 || values[i] != values[*num - 1])
            values[(*num)++] = values[i];
    return values;
}

/* Numbers as categories: every value that x has, in ascending order. */
static ik_status number_categories(figure_data *d, ik_error *err)
{
    size_t num;
    scale s;
    double *values = layout_list_numbers(d, &d->arena, &num);
    d->categories = ik_arena_alloc(&d->arena, (num + 1) * sizeof *d->categories);
    if (!d->categories || !values)
        return ik_fail_memory(err, num * sizeof *values, "a figure");
    d->num_categories = num;
    scale_make(&s, 0, num ? values[num - 1] : 0, false, true, d->x_unit, 100, 50);
    bool named = d->v.has[KEY_X] || d->f->kind == FIGURE_LIST;
    d->x_unit = named ? s.unit : "";
    for (size_t i = 0; i < num; i++) {
        d->categories[i] = named ? ik_arena_printf(&d->arena, "%.5g", values[i] * s.factor) : "";
        if (!d->categories[i])
            return ik_fail_memory(err, 1, "a figure");
    }
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            double *x = &d->curves[i].cells[k].x.mean;
            *x = (double)((double *)bsearch(x, values, num, sizeof *values, layout_by_value) -
                          values);
        }
    return IK_OK;
}

static double layout_row_names(const drawing *g)
{
    double widest = 0;
    for (size_t i = 0; i < g->d->num_curves; i++)
        widest = fmax(widest, canvas_text_width(g->d->curves[i].name, SMALL_SIZE));
    return fmin(widest * 1.1 + 6, g->width * 0.45);
}

static void layout_set_scales(drawing *g)
{
    const figure_data *d = g->d;
    range x, y;
    bool bars = d->v.kind == FIGURE_BARS || layout_is_distribution(g);
    layout_find_ranges(g, &x, &y);
    g->ramp_low = y.low;
    g->ramp_high = y.high;
    const char *x_unit = layout_is_distribution(g) ? d->y_unit : d->x_unit;
    const char *y_unit = d->v.kind == FIGURE_ECDF        ? "%"
                         : d->v.kind == FIGURE_HISTOGRAM ? ""
                                                         : d->y_unit;
    scale_make(&g->y, y.low, y.high, d->f->log_y, bars, y_unit, g->panel_height, 22);
    scale_make(&g->x, x.low, x.high, d->f->log_x, false, x_unit, g->panel_width, 32);
    if (d->v.kind == FIGURE_ECDF)
        g->y.high = 1.03;
}

/* Margins depend on labels, these on scales, these on margins: twice is enough. */
static void layout_place_panels(drawing *g)
{
    const figure_data *d = g->d;
    bool heat = d->v.kind == FIGURE_HEATMAP;
    g->panel_height = 120;
    g->panel_width = g->width * 0.7 / (double)g->columns;
    for (int pass = 0; pass < 2; pass++) {
        layout_set_scales(g);
        double labels = heat ? layout_row_names(g) : scale_label_width(&g->y, SMALL_SIZE) * 1.08;
        g->left = labels + TICK + 4 + (heat ? 0 : LINE_STEP + 3);
        if (!heat && layout_break_at(layout_y_text(g), g->panel_height + 12))
            g->left += LINE_STEP;
        g->right = heat ? 46 : 8;
        g->gap_x = g->columns > 1 ? labels + TICK + 14 : 0;
        g->panel_width = (g->width - g->left - g->right - g->gap_x * (double)(g->columns - 1)) /
                         (double)g->columns;
        g->panel_height = fmin(fmax(g->panel_width * 0.64, 90), 190);
        if (heat)
            g->panel_height = fmax(14.0 * (double)draw_num_rows(g, 0), 28);
    }
    double names = g->categories ? layout_name_room(g) : TEXT_SIZE;
    bool panels = d->panels[0][0] != '\0';
    double lines = count_title_lines(g);
    g->top = 6 + lines * (LINE_STEP + 2) + (panels ? LINE_STEP + 2 : 0) + (heat ? LINE_STEP : 0);
    bool x_title = layout_is_distribution(g) || d->x_title[0];
    g->bottom = TICK + 3 + names + (x_title ? LINE_STEP + 2 : 0) + 4;
    g->gap_y = TICK + 4 + names + (panels ? LINE_STEP + 4 : 0) + 8;
}

/* Pictures of a fabric have no axes. */
static void layout_place_maps(drawing *g)
{
    bool panels = g->d->panels[0][0] != '\0';
    g->left = g->right = g->bottom = 6;
    g->gap_x = g->columns > 1 ? 10 : 0;
    g->panel_width =
        (g->width - g->left - g->right - g->gap_x * (double)(g->columns - 1)) / (double)g->columns;
    g->panel_height = g->panel_width;
    g->top = 6 + count_title_lines(g) * (LINE_STEP + 2) + (panels ? LINE_STEP + 2 : 0);
    g->gap_y = panels ? LINE_STEP + 8 : 8;
}

ik_status draw_layout(drawing *g, ik_error *err)
{
    figure_data *d = g->d;
    ik_status status = IK_OK;
    g->width = (d->f->width == FIGURE_COLUMN ? 86 : 178) * MM;
    g->columns = layout_count_columns(d);
    g->columns = g->columns ? g->columns : 1;
    g->rows = (d->num_panels + g->columns - 1) / g->columns;
    g->rows = g->rows ? g->rows : 1;
    g->categories = layout_has_places(d);
    if (g->categories && !d->categories)
        status = number_categories(d, err);
    if (status == IK_OK && d->v.kind == FIGURE_HISTOGRAM)
        status = figure_bins(d, &g->edges, &g->num_bins, err);
    if (status != IK_OK)
        return status;
    if (d->num_panels == 0) { /* no point is finished */
        d->panels[0] = "";
        d->num_panels = 1;
    }
    if (d->v.kind == FIGURE_ROUTES) {
        layout_place_maps(g);
    } else {
        layout_place_panels(g);
        g->now = draw_panel_frame(g, 0);
        draw_legend_size(g);
    }
    g->height = g->top + g->panel_height * (double)g->rows + g->gap_y * (double)(g->rows - 1) +
                g->bottom + g->legend_height;
    return IK_OK;
}

frame draw_panel_frame(const drawing *g, size_t panel)
{
    size_t column = panel % g->columns, row = panel / g->columns;
    return (frame){g->left + (double)column * (g->panel_width + g->gap_x),
                   g->top + (double)row * (g->panel_height + g->gap_y), g->panel_width,
                   g->panel_height};
}

/* ---- the frame */

static void layout_put_text(const drawing *g, double x, double y, const char *text, double size,
                            text_anchor anchor)
{
    const text_style style = {.size = size, .anchor = anchor, .colour = {COLOUR_INK}};
    g->c->text(g->c, (spot){x, y}, text, &style);
}

static const paint ink = {.stroke = {COLOUR_INK}, .width = 0.6},
                   grid_line = {.stroke = {COLOUR_GRID}, .width = 0.4};

static void layout_put_x_axis(const drawing *g, const frame *f)
{
    double bottom = f->y + f->height;
    for (size_t i = 0; i < g->d->num_categories && g->categories; i++) {
        double x = f->x + ((double)i + 0.5) * f->width / (double)g->d->num_categories;
        text_style style = {.size = SMALL_SIZE,
                            .anchor = g->turn != 0 ? ANCHOR_END : ANCHOR_MIDDLE,
                            .turn = g->turn,
                            .colour = {COLOUR_INK}};
        double room = g->turn != 0 ? fmin(NAME_LENGTH, x / 0.766) : g->width;
        g->c->text(g->c, (spot){x + (g->turn != 0 ? 2 : 0), bottom + TICK + SMALL_SIZE},
                   draw_cut(g, g->d->categories[i], SMALL_SIZE, room), &style);
    }
    for (size_t i = 0; i < g->x.num_ticks && !g->categories; i++) {
        double x = f->x + scale_at(&g->x, g->x.ticks[i]) * f->width;
        draw_line(g->c, (spot){x, f->y}, (spot){x, bottom}, &grid_line);
        draw_line(g->c, (spot){x, bottom}, (spot){x, bottom + TICK}, &ink);
        layout_put_text(g, x, bottom + TICK + SMALL_SIZE + 0.5, g->x.labels[i], SMALL_SIZE,
                        ANCHOR_MIDDLE);
    }
}

static void layout_put_y_axis(const drawing *g, const frame *f)
{
    for (size_t i = 0; i < g->y.num_ticks; i++) {
        double y = f->y + f->height - scale_at(&g->y, g->y.ticks[i]) * f->height;
        draw_line(g->c, (spot){f->x, y}, (spot){f->x + f->width, y}, &grid_line);
        draw_line(g->c, (spot){f->x - TICK, y}, (spot){f->x, y}, &ink);
        layout_put_text(g, f->x - TICK - 2, y + SMALL_SIZE * 0.36, g->y.labels[i], SMALL_SIZE,
                        ANCHOR_END);
    }
}

/* Along the axis, in one line or two. */
static void layout_put_y_title(const drawing *g, const frame *f)
{
    const char *text = layout_y_text(g);
    size_t cut = layout_break_at(text, f->height + 12);
    char first[200];
    snprintf(first, sizeof first, "%.*s", (int)cut, text);
    const char *const lines[] = {cut ? first : text, cut ? text + cut + 1 : ""};
    for (int i = 0; i < 2 && lines[i][0]; i++) {
        text_style style = {.size = layout_fitting(lines[i], f->height + 12),
                            .anchor = ANCHOR_MIDDLE,
                            .turn = -90,
                            .colour = {COLOUR_INK}};
        g->c->text(g->c, (spot){LINE_STEP * (i + 1), f->y + f->height / 2}, lines[i], &style);
    }
}

static void layout_put_panel_title(const drawing *g, const frame *f, size_t panel)
{
    const char *title = g->d->panels[panel];
    if (!title[0])
        return;
    double size = layout_fitting(title, f->width);
    layout_put_text(g, f->x + f->width / 2, f->y - 4, draw_cut(g, title, size, f->width), size,
                    ANCHOR_MIDDLE);
}

static void layout_put_titles(const drawing *g, const frame *f, size_t panel)
{
    const figure_data *d = g->d;
    bool left = panel % g->columns == 0, low = panel + g->columns >= d->num_panels;
    const char *x_text = layout_is_distribution(g) ? d->y_title : d->x_title;
    if (low && x_text[0]) {
        const char *x = layout_with_unit(g, x_text, g->categories ? d->x_unit : g->x.unit);
        layout_put_text(g, f->x + f->width / 2, f->y + f->height + g->bottom - 5, x,
                        layout_fitting(x, f->width + 30), ANCHOR_MIDDLE);
    }
    if (left && d->v.kind != FIGURE_HEATMAP)
        layout_put_y_title(g, f);
    if (d->v.kind == FIGURE_HEATMAP && panel == 0) {
        const char *y = layout_with_unit(g, d->y_title, g->y.unit);
        layout_put_text(g, g->width - 4, f->y - (d->panels[panel][0] ? LINE_STEP + 6 : 4), y,
                        layout_fitting(y, g->width - 8), ANCHOR_END);
    }
    layout_put_panel_title(g, f, panel);
}

void draw_frame(const drawing *g, size_t panel)
{
    frame f = draw_panel_frame(g, panel);
    const spot corners[] = {
        {f.x, f.y}, {f.x + f.width, f.y}, {f.x + f.width, f.y + f.height}, {f.x, f.y + f.height}};
    if (g->d->v.kind == FIGURE_ROUTES) {
        layout_put_panel_title(g, &f, panel);
        return;
    }
    layout_put_x_axis(g, &f);
    if (g->d->v.kind != FIGURE_HEATMAP)
        layout_put_y_axis(g, &f);
    g->c->path(g->c, corners, 4, true, &ink);
    layout_put_titles(g, &f, panel);
}
