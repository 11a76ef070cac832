/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/legend.c: which curve is which: inside the panel where a corner is free,
 * else below.
 */
#include "report/figure/draw.h"

#include <math.h>
#include <string.h>

#define ROW 10.5
#define KEY 20.0 /* a line with its mark */
enum { MOST_ENTRIES = 128 };

static void legend_add_entry(legend_entry *list, size_t *num, size_t room, legend_entry e)
{
    for (size_t i = 0; i < *num; i++)
        if (strcmp(list[i].name, e.name) == 0)
            return;
    if (*num < room && e.name[0])
        list[(*num)++] = e;
}

/* Series by colour; with marks of their own, then these in the colour of text. */
size_t draw_legend_entries(const drawing *g, legend_entry *out, size_t room)
{
    const figure_data *d = g->d;
    bool marks = d->v.has[KEY_MARKS];
    size_t num = 0;
    if (d->v.kind == FIGURE_HEATMAP)
        return 0;
    for (size_t i = 0; i < d->num_curves; i++) {
        const figure_curve *c = &d->curves[i];
        legend_add_entry(out, &num, room,
                         (legend_entry){c->series, c->colour, c->mark, !marks, true});
    }
    for (size_t i = 0; i < d->num_curves && marks; i++)
        legend_add_entry(out, &num, room,
                         (legend_entry){d->curves[i].marks, NUM_SERIES_COLOURS - 1,
                                        d->curves[i].mark, true, false});
    return num;
}

static double legend_widest_entry(const legend_entry *list, size_t num)
{
    double widest = 0;
    for (size_t i = 0; i < num; i++)
        widest = fmax(widest, canvas_text_width(list[i].name, SMALL_SIZE) * 1.1);
    return KEY + 4 + widest + 6;
}

static bool figure_legend_inside(spot at, const frame *f, double margin)
{
    return at.x > f->x - margin && at.x < f->x + f->width + margin && at.y > f->y - margin &&
           at.y < f->y + f->height + margin;
}

/* Does a straight line come near the rectangle? */
static bool legend_line_meets(spot a, spot b, const frame *f)
{
    for (int i = 0; i <= 24; i++) {
        double t = i / 24.0;
        if (figure_legend_inside((spot){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, f, 5))
            return true;
    }
    return false;
}

static spot legend_cell_spot(const drawing *g, const figure_cell *c, double sign)
{
    double ci = isfinite(c->y.ci95) ? c->y.ci95 : 0, y = c->y.mean + sign * ci;
    if (g->d->f->log_y && y <= 0)
        y = c->y.mean;
    return (spot){draw_x(g, c->x.mean), draw_y(g, y)};
}

static bool legend_curve_meets(const drawing *g, const figure_curve *c, const frame *f)
{
    bool joined = g->d->v.kind == FIGURE_LINE || g->d->v.kind == FIGURE_TIME;
    for (size_t i = 0; i < c->num; i++) {
        if (!isfinite(c->cells[i].y.mean))
            continue;
        for (int sign = -1; sign <= 1; sign++)
            if (figure_legend_inside(legend_cell_spot(g, &c->cells[i], sign), f, 6) ||
                (joined && i && isfinite(c->cells[i - 1].y.mean) &&
                 legend_line_meets(legend_cell_spot(g, &c->cells[i - 1], sign),
                                   legend_cell_spot(g, &c->cells[i], sign), f)))
                return true;
    }
    return false;
}

/* Steps of a distribution: the lines between its corners. */
static bool legend_steps_meet(const drawing *g, const figure_curve *c, const frame *f)
{
    for (size_t k = 0; k < c->num; k++) {
        const figure_cell *cell = &c->cells[k];
        spot last = {g->now.x, draw_y(g, 0)};
        for (size_t s = 0; s < cell->num; s++) {
            spot here = {draw_x(g, cell->samples[s]),
                         draw_y(g, (double)(s + 1) / (double)cell->num)};
            if (legend_line_meets(last, (spot){here.x, last.y}, f) ||
                legend_line_meets((spot){here.x, last.y}, here, f))
                return true;
            last = here;
        }
        if (legend_line_meets(last, (spot){g->now.x + g->now.width, last.y}, f))
            return true;
    }
    return false;
}

static bool legend_data_meets(const drawing *g, const frame *f)
{
    for (size_t i = 0; i < g->d->num_curves; i++) {
        const figure_curve *c = &g->d->curves[i];
        if (g->d->v.kind == FIGURE_ECDF ? legend_steps_meet(g, c, f) : legend_curve_meets(g, c, f))
            return true;
    }
    return false;
}

/* A corner of the panel where nothing is drawn. Bars, boxes and histograms fill areas: never. */
static bool legend_find_corner(const drawing *g, double width, double height, frame *out)
{
    figure_kind kind = g->d->v.kind;
    if (g->d->num_panels > 1 || kind == FIGURE_BARS || kind == FIGURE_BOX ||
        kind == FIGURE_HISTOGRAM || (kind == FIGURE_POINTS && g->categories))
        return false;
    if (width > 0.62 * g->now.width || height > 0.6 * g->now.height)
        return false;
    for (int corner = 0; corner < 4; corner++) {
        *out = (frame){corner & 1 ? g->now.x + g->now.width - width - 5 : g->now.x + 5,
                       corner & 2 ? g->now.y + g->now.height - height - 5 : g->now.y + 5, width,
                       height};
        if (!legend_data_meets(g, out))
            return true;
    }
    return false;
}

void draw_legend_size(drawing *g)
{
    legend_entry list[MOST_ENTRIES];
    size_t num = draw_legend_entries(g, list, MOST_ENTRIES);
    frame unused;
    g->legend_height = 0;
    if (num < 2) /* a single series is named by the title */
        return;
    double width = legend_widest_entry(list, num);
    g->legend_inside = legend_find_corner(g, width, ROW * (double)num + 4, &unused);
    if (g->legend_inside)
        return;
    double room = g->width - 8;
    g->legend_columns = (size_t)fmax(1, floor(room / width));
    g->legend_columns = g->legend_columns > num ? num : g->legend_columns;
    g->legend_column = fmin(width, room);
    g->legend_height = ROW * ceil((double)num / (double)g->legend_columns) + 6;
}

static void legend_put_key(const drawing *g, const legend_entry *e, double x, double y)
{
    canvas *c = g->c;
    figure_kind kind = g->d->v.kind;
    bool area = kind == FIGURE_BARS || kind == FIGURE_BOX;
    const paint line = {.stroke = {COLOUR_SERIES, (unsigned)e->number, 0},
                        .width = LINE_WIDTH,
                        .dash = (unsigned)(e->number % NUM_DASHES)};
    if (area) {
        draw_hatched(c, (frame){x + 2, y - 3.2, KEY - 4, 6.4}, e->number);
    } else {
        if (kind != FIGURE_POINTS && e->shows_line)
            draw_line(c, (spot){x, y}, (spot){x + KEY, y}, &line);
        if ((kind == FIGURE_LINE || kind == FIGURE_POINTS) && (e->shows_mark || !e->shows_line))
            draw_mark(c, (spot){x + KEY / 2, y}, e->mark, e->number);
        else if (kind == FIGURE_POINTS)
            draw_line(c, (spot){x + 4, y}, (spot){x + KEY - 4, y},
                      &(paint){.stroke = line.stroke, .width = 3});
    }
    double room = g->width - 4 - (x + KEY + 4),
           wide = canvas_text_width(e->name, SMALL_SIZE) * 1.08;
    const text_style style = {.size =
                                  wide <= room ? SMALL_SIZE : fmax(4.5, SMALL_SIZE * room / wide),
                              .colour = {COLOUR_INK}};
    c->text(c, (spot){x + KEY + 4, y + SMALL_SIZE * 0.36}, draw_cut(g, e->name, style.size, room),
            &style);
}

void draw_legend(drawing *g)
{
    legend_entry list[MOST_ENTRIES];
    size_t num = draw_legend_entries(g, list, MOST_ENTRIES);
    frame at;
    if (num < 2)
        return;
    if (g->legend_inside) {
        const paint ground = {.fill = {COLOUR_PAPER}, .opacity = 0.85};
        g->now = draw_panel_frame(g, 0);
        legend_find_corner(g, legend_widest_entry(list, num), ROW * (double)num + 4, &at);
        const spot corners[] = {{at.x, at.y},
                                {at.x + at.width, at.y},
                                {at.x + at.width, at.y + at.height},
                                {at.x, at.y + at.height}};
        g->c->path(g->c, corners, 4, true, &ground);
        for (size_t i = 0; i < num; i++)
            legend_put_key(g, &list[i], at.x + 3, at.y + 2 + ROW * ((double)i + 0.5));
        return;
    }
    double total = g->legend_column * (double)g->legend_columns,
           x = fmax(4, (g->width - total) / 2), y = g->height - g->legend_height + 2;
    for (size_t i = 0; i < num; i++)
        legend_put_key(g, &list[i], x + g->legend_column * (double)(i % g->legend_columns),
                       y + ROW * ((double)(i / g->legend_columns) + 0.5));
}

/* The scale of a heat map's colours, to the right of its first panel. */
void draw_ramp_key(const drawing *g)
{
    enum { STEPS = 40 };
    frame f = draw_panel_frame(g, g->columns - 1 < g->d->num_panels ? g->columns - 1 : 0);
    double x = f.x + f.width + 6, height = f.height / STEPS;
    for (int i = 0; i < STEPS; i++) {
        const paint p = {.fill = {COLOUR_RAMP, 0, (i + 0.5) / STEPS}};
        double y = f.y + f.height - height * (i + 1);
        const spot corners[] = {
            {x, y}, {x + 7, y}, {x + 7, y + height + 0.2}, {x, y + height + 0.2}};
        g->c->path(g->c, corners, 4, true, &p);
    }
    for (int end = 0; end < 2; end++) {
        char text[24];
        double value = (end ? g->ramp_high : g->ramp_low) * g->y.factor;
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.3g", value);
        const text_style style = {.size = SMALL_SIZE, .colour = {COLOUR_INK}};
        g->c->text(g->c, (spot){x + 9, end ? f.y + SMALL_SIZE * 0.8 : f.y + f.height}, text,
                   &style);
    }
}
