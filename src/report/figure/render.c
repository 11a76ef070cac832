/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/render.c: a figure as a picture. Equal numbers give equal bytes.
 */
#include "report/figure/draw.h"

#include <math.h>
#include <string.h>

/* The title, in as many lines as it needs. */
static void render_put_title(const drawing *g)
{
    const text_style style = {.size = TEXT_SIZE + 1, .bold = true, .colour = {COLOUR_INK}};
    char line[TITLE_LINE];
    double y = TEXT_SIZE + 4;
    for (const char *at = g->d->f->title; (at = draw_title_line(g, at, line));) {
        g->c->text(g->c, (spot){4, y}, line, &style);
        y += TEXT_SIZE + 4;
    }
}

static ik_status render_draw_all(drawing *g, ik_error *err)
{
    const paint paper = {.fill = {COLOUR_PAPER}};
    const spot corners[] = {{0, 0}, {g->width, 0}, {g->width, g->height}, {0, g->height}};
    g->c->path(g->c, corners, 4, true, &paper);
    render_put_title(g);
    for (g->panel = 0; g->panel < g->d->num_panels; g->panel++) {
        g->now = draw_panel_frame(g, g->panel);
        draw_frame(g, g->panel);
        draw_data(g);
    }
    draw_legend(g);
    if (g->d->v.kind == FIGURE_HEATMAP)
        draw_ramp_key(g);
    ik_status status = g->c->end(g->c, err);
    return status == IK_OK && *g->lacks_memory ? ik_fail_memory(err, 1, "a figure") : status;
}

ik_status figure_put_picture(figure_data *d, ik_figure_format format, FILE *out, ik_error *err)
{
    bool lacks_memory = false;
    drawing g = {.d = d, .lacks_memory = &lacks_memory};
    svg_canvas s;
    cairo_canvas k;
    const char *title = d->f->title[0] ? d->f->title : d->f->name;
    ik_status status = draw_layout(&g, err);
    if (status != IK_OK)
        return status;
    if (format == IK_FIGURE_SVG)
        svg_begin(&s, out, g.width, g.height, d->f->name, title, d->caption);
    else
        cairo_begin(&k, out, format == IK_FIGURE_PNG, g.width, g.height, title);
    g.c = format == IK_FIGURE_SVG ? &s.base : &k.base;
    return render_draw_all(&g, err);
}
