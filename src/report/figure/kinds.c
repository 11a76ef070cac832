/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/kinds.c: what each kind of figure draws inside its frame.
 */
#include "report/figure/draw.h"

#include <math.h>
#include <stdlib.h>

void *draw_alloc(const drawing *g, size_t num, size_t size)
{
    void *made = ik_arena_alloc(&g->d->arena, num * size);
    *g->lacks_memory |= !made;
    return made;
}

double draw_x(const drawing *g, double value)
{
    double share =
        g->categories ? (value + 0.5) / (double)g->d->num_categories : scale_at(&g->x, value);
    return g->now.x + (isnan(share) ? 0 : share) * g->now.width;
}

double draw_y(const drawing *g, double value)
{
    double share = scale_at(&g->y, value);
    return g->now.y + g->now.height - (isnan(share) ? 0 : share) * g->now.height;
}

static colour kinds_own_colour(const figure_curve *c)
{
    return (colour){COLOUR_SERIES, (unsigned)c->colour, 0};
}

static unsigned kinds_dash_of(const figure_curve *c)
{
    return (unsigned)(c->colour % NUM_DASHES);
}

static bool kinds_is_drawn(const drawing *g, const figure_cell *c)
{
    return isfinite(c->y.mean) && !(g->d->f->log_y && c->y.mean <= 0) &&
           !(!g->categories && g->d->f->log_x && c->x.mean <= 0);
}

static void kinds_put_mark(const drawing *g, const figure_curve *c, const figure_cell *cell,
                           double x)
{
    const paint ring = {.stroke = {COLOUR_INK}, .width = 0.5};
    spot at = {x, draw_y(g, cell->y.mean)};
    draw_mark(g->c, at, c->mark, c->colour);
    if (cell->unsteady)
        g->c->circle(g->c, at, 4, &ring);
}

/* ---- lines */

static void kinds_put_band(const drawing *g, const figure_curve *c, const size_t *at, size_t num)
{
    spot *edge = draw_alloc(g, 2 * num + 1, sizeof *edge);
    const paint p = {.fill = kinds_own_colour(c), .opacity = 0.18};
    size_t n = 0;
    for (size_t i = 0; edge && i < num; i++) {
        const figure_cell *cell = &c->cells[at[i]];
        double ci = isfinite(cell->y.ci95) ? cell->y.ci95 : 0;
        edge[i] = (spot){draw_x(g, cell->x.mean), draw_y(g, cell->y.mean + ci)};
        edge[2 * num - 1 - i] = (spot){edge[i].x, draw_y(g, cell->y.mean - ci)};
        n += ci > 0;
    }
    if (n)
        g->c->path(g->c, edge, 2 * num, true, &p);
}

static void kinds_put_bars(const drawing *g, const figure_curve *c, const figure_cell *cell,
                           double x)
{
    const paint p = {.stroke = kinds_own_colour(c), .width = 0.7};
    double ci = cell->y.ci95;
    if (isfinite(ci) && ci > 0) {
        double low = draw_y(g, cell->y.mean - ci), high = draw_y(g, cell->y.mean + ci);
        draw_line(g->c, (spot){x, low}, (spot){x, high}, &p);
        draw_line(g->c, (spot){x - 1.8, low}, (spot){x + 1.8, low}, &p);
        draw_line(g->c, (spot){x - 1.8, high}, (spot){x + 1.8, high}, &p);
    }
    ci = cell->x.ci95;
    if (isfinite(ci) && ci > 0 && !(g->d->f->log_x && cell->x.mean <= ci)) {
        double y = draw_y(g, cell->y.mean);
        draw_line(g->c, (spot){draw_x(g, cell->x.mean - ci), y},
                  (spot){draw_x(g, cell->x.mean + ci), y}, &p);
    }
}

/* A curve is interrupted where a place has no value. */
static void kinds_put_line(const drawing *g, const figure_curve *c, bool marks)
{
    size_t *run = draw_alloc(g, c->num + 1, sizeof *run);
    spot *at = draw_alloc(g, c->num + 1, sizeof *at);
    const paint p = {.stroke = kinds_own_colour(c), .width = LINE_WIDTH, .dash = kinds_dash_of(c)};
    bool steps = g->d->v.x.text != NULL;
    for (size_t i = 0, num = 0; run && at && i <= c->num; i++) {
        if (i < c->num && kinds_is_drawn(g, &c->cells[i])) {
            at[num] = (spot){draw_x(g, c->cells[i].x.mean), draw_y(g, c->cells[i].y.mean)};
            run[num++] = i;
            continue;
        }
        if (num > 1 && !steps)
            kinds_put_band(g, c, run, num);
        if (num > 1)
            g->c->path(g->c, at, num, false, &p);
        num = 0;
    }
    for (size_t i = 0; i < c->num; i++) {
        if (!kinds_is_drawn(g, &c->cells[i]))
            continue;
        double x = draw_x(g, c->cells[i].x.mean);
        if (steps || c->num == 1)
            kinds_put_bars(g, c, &c->cells[i], x);
        if (marks)
            kinds_put_mark(g, c, &c->cells[i], x);
    }
}

/* ---- points, bars, boxes: the curves of a panel stand beside each other */

static size_t kinds_curves_in(const drawing *g, size_t panel)
{
    size_t num = 0;
    for (size_t i = 0; i < g->d->num_curves; i++)
        num += g->d->curves[i].panel == panel;
    return num;
}

/* Place of the n-th of `num` curves at x, and the width that it has. */
static double kinds_beside(const drawing *g, double x, size_t n, size_t num, double *width)
{
    double room = g->categories ? 0.78 * g->now.width / (double)g->d->num_categories : 0;
    *width = room / (double)num;
    return draw_x(g, x) - room / 2 + *width * ((double)n + 0.5);
}

static void kinds_put_points(const drawing *g, const figure_curve *c, size_t n, size_t num)
{
    for (size_t i = 0; i < c->num; i++) {
        double width, x = kinds_beside(g, c->cells[i].x.mean, n, num, &width);
        if (!kinds_is_drawn(g, &c->cells[i]))
            continue;
        kinds_put_bars(g, c, &c->cells[i], x);
        kinds_put_mark(g, c, &c->cells[i], x);
    }
}

static void kinds_put_columns(const drawing *g, const figure_curve *c, size_t n, size_t num)
{
    const paint ink = {.stroke = {COLOUR_INK}, .width = 0.7};
    for (size_t i = 0; i < c->num; i++) {
        double width, x = kinds_beside(g, c->cells[i].x.mean, n, num, &width);
        const figure_cell *cell = &c->cells[i];
        if (!kinds_is_drawn(g, cell))
            continue;
        double zero = draw_y(g, fmin(fmax(0, g->y.low), g->y.high)), top = draw_y(g, cell->y.mean);
        width = fmin(width * 0.9, 30);
        draw_hatched(g->c, (frame){x - width / 2, fmin(zero, top), width, fabs(zero - top)},
                     c->colour);
        if (!(isfinite(cell->y.ci95) && cell->y.ci95 > 0))
            continue;
        double low = draw_y(g, cell->y.mean - cell->y.ci95),
               high = draw_y(g, cell->y.mean + cell->y.ci95);
        draw_line(g->c, (spot){x, low}, (spot){x, high}, &ink);
        draw_line(g->c, (spot){x - 2, low}, (spot){x + 2, low}, &ink);
        draw_line(g->c, (spot){x - 2, high}, (spot){x + 2, high}, &ink);
    }
}

static void kinds_put_box(const drawing *g, const figure_curve *c, const figure_cell *cell,
                          double x, double width)
{
    const paint line = {.stroke = kinds_own_colour(c), .width = 0.8},
                median = {.stroke = {COLOUR_INK}, .width = 1.4},
                alone = {.stroke = kinds_own_colour(c), .width = 1.8}, /* no box says whose it is */
        outlier = {.fill = {COLOUR_PAPER}, .stroke = kinds_own_colour(c), .width = 0.6};
    figure_box b = figure_box_of(cell);
    double q1 = draw_y(g, b.q1), q3 = draw_y(g, b.q3), low = draw_y(g, b.low),
           high = draw_y(g, b.high);
    draw_line(g->c, (spot){x, q1}, (spot){x, low}, &line);
    draw_line(g->c, (spot){x, q3}, (spot){x, high}, &line);
    draw_line(g->c, (spot){x - width / 4, low}, (spot){x + width / 4, low}, &line);
    draw_line(g->c, (spot){x - width / 4, high}, (spot){x + width / 4, high}, &line);
    if (q1 > q3)
        draw_hatched(g->c, (frame){x - width / 2, q3, width, q1 - q3}, c->colour);
    draw_line(g->c, (spot){x - width / 2, draw_y(g, b.median)},
              (spot){x + width / 2, draw_y(g, b.median)}, q1 > q3 ? &median : &alone);
    for (size_t s = 0; s < cell->num; s++)
        if ((cell->samples[s] < b.low || cell->samples[s] > b.high) &&
            !(g->d->f->log_y && cell->samples[s] <= 0))
            g->c->circle(g->c, (spot){x, draw_y(g, cell->samples[s])}, 1.2, &outlier);
}

static void kinds_put_boxes(const drawing *g, const figure_curve *c, size_t n, size_t num)
{
    for (size_t i = 0; i < c->num; i++) {
        double width, x = kinds_beside(g, c->cells[i].x.mean, n, num, &width);
        if (kinds_is_drawn(g, &c->cells[i]))
            kinds_put_box(g, c, &c->cells[i], x, fmin(width * 0.8, 24));
    }
}

/* ---- distributions */

static void kinds_put_steps(const drawing *g, const figure_curve *c, const figure_cell *cell)
{
    spot *at = draw_alloc(g, 2 * cell->num + 3, sizeof *at);
    const paint p = {.stroke = kinds_own_colour(c), .width = LINE_WIDTH, .dash = kinds_dash_of(c)};
    size_t n = 0;
    double below = draw_y(g, 0);
    if (!at || !cell->num)
        return;
    at[n++] = (spot){g->now.x, below};
    for (size_t s = 0; s < cell->num; s++) {
        double x = draw_x(g, cell->samples[s]);
        at[n++] = (spot){x, below};
        below = draw_y(g, (double)(s + 1) / (double)cell->num);
        at[n++] = (spot){x, below};
    }
    at[n++] = (spot){g->now.x + g->now.width, below};
    g->c->path(g->c, at, n, false, &p);
}

static void kinds_put_outline(const drawing *g, const figure_curve *c, const figure_cell *cell)
{
    spot *at = draw_alloc(g, 2 * g->num_bins + 3, sizeof *at);
    const paint ground = {.fill = kinds_own_colour(c), .opacity = 0.2},
                line = {
                    .stroke = kinds_own_colour(c), .width = LINE_WIDTH, .dash = kinds_dash_of(c)};
    size_t n = 0;
    if (!at || !g->num_bins)
        return;
    at[n++] = (spot){draw_x(g, g->edges[0]), draw_y(g, 0)};
    for (size_t b = 0; b < g->num_bins; b++) {
        double y = draw_y(
            g, (double)figure_count(cell, g->edges[b], g->edges[b + 1], b + 1 == g->num_bins));
        at[n++] = (spot){draw_x(g, g->edges[b]), y};
        at[n++] = (spot){draw_x(g, g->edges[b + 1]), y};
    }
    at[n++] = (spot){draw_x(g, g->edges[g->num_bins]), draw_y(g, 0)};
    g->c->path(g->c, at, n, true, &ground);
    g->c->path(g->c, at, n, false, &line);
}

/* ---- heat maps */

size_t draw_num_rows(const drawing *g, size_t panel)
{
    size_t num = kinds_curves_in(g, panel);
    return num ? num : 1;
}

static double kinds_ramp_share(const drawing *g, double value)
{
    double low = g->ramp_low, high = g->ramp_high;
    if (g->d->f->log_y && low > 0)
        return high > low ? log(value / low) / log(high / low) : 0.5;
    return high > low ? (value - low) / (high - low) : 0.5;
}

static void kinds_put_cell(const drawing *g, const figure_cell *c, frame at)
{
    double share = kinds_ramp_share(g, c->y.mean);
    const paint p = {.fill = {COLOUR_RAMP, 0, share}, .stroke = {COLOUR_PAPER}, .width = 0.5};
    const spot corners[] = {{at.x, at.y},
                            {at.x + at.width, at.y},
                            {at.x + at.width, at.y + at.height},
                            {at.x, at.y + at.height}};
    char text[16];
    g->c->path(g->c, corners, 4, true, &p);
    snprintf(text, sizeof text, "%.3g", c->y.mean * g->y.factor);
    if (canvas_text_width(text, SMALL_SIZE) * 1.1 + 3 > at.width)
        return;
    const text_style style = {
        .size = SMALL_SIZE, .anchor = ANCHOR_MIDDLE, .colour = {COLOUR_ON_RAMP, 0, share}};
    g->c->text(g->c, (spot){at.x + at.width / 2, at.y + at.height / 2 + SMALL_SIZE * 0.36}, text,
               &style);
}

void draw_heatmap(const drawing *g)
{
    double height = g->now.height / (double)draw_num_rows(g, g->panel),
           width = g->now.width / (double)g->d->num_categories;
    size_t row = 0;
    for (size_t i = 0; i < g->d->num_curves; i++) {
        const figure_curve *c = &g->d->curves[i];
        if (c->panel != g->panel)
            continue;
        double y = g->now.y + height * (double)row++;
        const text_style style = {.size = SMALL_SIZE, .anchor = ANCHOR_END, .colour = {COLOUR_INK}};
        g->c->text(g->c, (spot){g->now.x - 5, y + height / 2 + SMALL_SIZE * 0.36},
                   draw_cut(g, c->name, SMALL_SIZE, g->left - 7), &style);
        for (size_t k = 0; k < c->num; k++)
            if (kinds_is_drawn(g, &c->cells[k]))
                kinds_put_cell(g, &c->cells[k],
                               (frame){g->now.x + width * c->cells[k].x.mean, y, width, height});
    }
}

/* ---- all */

static void kinds_put_curve(const drawing *g, const figure_curve *c, size_t n, size_t num)
{
    switch (g->d->v.kind) {
    case FIGURE_POINTS:
        kinds_put_points(g, c, n, num);
        return;
    case FIGURE_BARS:
        kinds_put_columns(g, c, n, num);
        return;
    case FIGURE_BOX:
        kinds_put_boxes(g, c, n, num);
        return;
    case FIGURE_HISTOGRAM:
    case FIGURE_ECDF:
        for (size_t k = 0; k < c->num; k++)
            if (g->d->v.kind == FIGURE_ECDF)
                kinds_put_steps(g, c, &c->cells[k]);
            else
                kinds_put_outline(g, c, &c->cells[k]);
        return;
    default:
        kinds_put_line(g, c, g->d->v.kind != FIGURE_TIME);
    }
}

void draw_data(const drawing *g)
{
    size_t num = kinds_curves_in(g, g->panel), n = 0;
    g->c->clip(g->c, g->now.x - 3, g->now.y - 3, g->now.width + 6, g->now.height + 6);
    if (g->d->v.kind == FIGURE_HEATMAP) {
        g->c->clip_end(g->c);
        draw_heatmap(g);
        return;
    }
    for (size_t i = 0; i < g->d->num_curves; i++)
        if (g->d->curves[i].panel != g->panel)
            continue;
        else if (g->d->maps)
            draw_map(g, &g->d->maps[i]);
        else
            kinds_put_curve(g, &g->d->curves[i], n++, num);
    g->c->clip_end(g->c);
}
