/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/shapes.c: marks, hatches and lines: what tells series apart without colour.
 */
#include "report/figure/draw.h"

#include <math.h>

void draw_line(canvas *c, spot from, spot to, const paint *p)
{
    const spot at[] = {from, to};
    c->path(c, at, 2, false, p);
}

/* Eight marks: four shapes, filled, then hollow. */
void draw_mark(canvas *c, spot at, size_t mark, size_t number)
{
    static const spot square[] = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2}},
                      triangle[] = {{0, -2.6}, {2.6, 2}, {-2.6, 2}},
                      diamond[] = {{0, -2.8}, {2.8, 0}, {0, 2.8}, {-2.8, 0}};
    static const struct {
        const spot *at;
        size_t num;
    } shapes[] = {{NULL, 0}, {square, 4}, {triangle, 3}, {diamond, 4}};
    const colour own = {COLOUR_SERIES, (unsigned)number, 0};
    paint p = {
        .fill = mark % 8 < 4 ? own : (colour){COLOUR_PAPER, 0, 0}, .stroke = own, .width = 0.9};
    spot moved[4];
    size_t outline = mark % 4;
    for (size_t i = 0; i < shapes[outline].num; i++)
        moved[i] = (spot){at.x + shapes[outline].at[i].x, at.y + shapes[outline].at[i].y};
    if (outline == 0)
        c->circle(c, at, 2.1, &p);
    else
        c->path(c, moved, shapes[outline].num, true, &p);
}

/* Lines of one direction across a rectangle, `apart` from each other: those where x * dx + y * dy
 * is a multiple of it. */
static void shapes_hatch(canvas *c, frame f, double dx, double dy, double apart, const paint *p)
{
    double least = INFINITY, most = -INFINITY;
    const spot corners[] = {
        {f.x, f.y}, {f.x + f.width, f.y}, {f.x, f.y + f.height}, {f.x + f.width, f.y + f.height}};
    for (int i = 0; i < 4; i++) {
        double at = corners[i].x * dx + corners[i].y * dy;
        least = fmin(least, at);
        most = fmax(most, at);
    }
    double reach = f.width + f.height;
    for (double at = ceil(least / apart) * apart; at < most; at += apart) {
        /* the line's middle, and its ends cut at the rectangle (Liang and Barsky) */
        spot m = {f.x + f.width / 2, f.y + f.height / 2};
        double off = at - (m.x * dx + m.y * dy);
        m = (spot){m.x + off * dx, m.y + off * dy};
        double from = -reach, to = reach;
        const double steps[] = {-dy, dx}, places[] = {m.x, m.y}, low[] = {f.x, f.y},
                     high[] = {f.x + f.width, f.y + f.height};
        for (int k = 0; k < 2; k++) {
            if (fabs(steps[k]) < 1e-9)
                continue;
            double a = (low[k] - places[k]) / steps[k], b = (high[k] - places[k]) / steps[k];
            from = fmax(from, fmin(a, b));
            to = fmin(to, fmax(a, b));
        }
        if (from < to)
            draw_line(c, (spot){m.x - dy * from, m.y + dx * from},
                      (spot){m.x - dy * to, m.y + dx * to}, p);
    }
}

void draw_hatched(canvas *c, frame f, size_t number)
{
    const colour own = {COLOUR_SERIES, (unsigned)number, 0};
    const spot corners[] = {
        {f.x, f.y}, {f.x + f.width, f.y}, {f.x + f.width, f.y + f.height}, {f.x, f.y + f.height}};
    const paint ground = {.fill = own, .opacity = number % 6 == 0 ? 0.75 : 0.22},
                lines = {.stroke = own, .width = 0.7}, outline = {.stroke = own, .width = 0.9};
    const double half = sqrt(0.5);
    if (f.width <= 0 || f.height <= 0)
        return;
    c->path(c, corners, 4, true, &ground);
    size_t kind = number % 6;
    if (kind == 1 || kind == 4)
        shapes_hatch(c, f, half, half, 3.4, &lines);
    if (kind == 2 || kind == 4)
        shapes_hatch(c, f, half, -half, 3.4, &lines);
    if (kind == 3)
        shapes_hatch(c, f, 0, 1, 2.6, &lines);
    if (kind == 5)
        shapes_hatch(c, f, 1, 0, 2.6, &lines);
    c->path(c, corners, 4, true, &outline);
}
