/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/map.c: a fabric with the routes to a host: switches where they stand, all links
 * between them, and arrows along the links that packets take, the wider the more hosts use them.
 */
#include "report/figure/draw.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISC      7.5
#define HEAD      4.2
#define WIDTH     1.0
#define NAME_SIZE SMALL_SIZE
/* By how much an arc leaves the straight line, and what it needs beside the outermost switches. */
#define BEND   14.0
#define MARGIN (BEND + 3)

enum { POINTS = 12 }; /* of a link that is drawn */

static spot map_place_of(const drawing *g, const figure_map *map, uint32_t sw)
{
    return (spot){g->now.x + MARGIN + map->x[sw] * (g->now.width - 2 * MARGIN),
                  g->now.y + MARGIN + map->y[sw] * (g->now.height - 2 * MARGIN)};
}

static int map_by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Does the straight line between two switches run through another one? */
static bool map_is_blocked(const drawing *g, const figure_map *map, spot a, spot b)
{
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    for (uint32_t s = 0; s < map->num_switches; s++) {
        spot p = map_place_of(g, map, s);
        double along = ((p.x - a.x) * dx + (p.y - a.y) * dy) / (square > 0 ? square : 1),
               beside = hypot(a.x + along * dx - p.x, a.y + along * dy - p.y);
        if (along * square > 1e-6 && (1 - along) * square > 1e-6 && beside < DISC)
            return true;
    }
    return false;
}

/* The way of a link from share `begin` to `end` of it, `right` points to the right of its middle:
 * straight, or an arc around what stands in between, the same one in both directions. */
static void map_trace(const drawing *g, const figure_map *map, const uint32_t link[2], double begin,
                      double end, double right, spot out[POINTS])
{
    spot a = map_place_of(g, map, link[0]), b = map_place_of(g, map, link[1]);
    double length = fmax(hypot(b.x - a.x, b.y - a.y), 1e-9), sign = link[0] < link[1] ? 1 : -1,
           bend = map_is_blocked(g, map, a, b) ? sign * BEND : 0;
    spot side = {-(b.y - a.y) / length, (b.x - a.x) / length};
    for (int i = 0; i < POINTS; i++) {
        double t = begin + (end - begin) * i / (POINTS - 1), off = right + 4 * t * (1 - t) * bend;
        out[i] = (spot){a.x + t * (b.x - a.x) + side.x * off, a.y + t * (b.y - a.y) + side.y * off};
    }
}

static void map_put_arrow(const drawing *g, const figure_map *map, const uint32_t link[2],
                          double width)
{
    const paint line = {.stroke = {COLOUR_SERIES, 0, 0}, .width = width},
                head = {.fill = {COLOUR_SERIES, 0, 0}};
    spot a = map_place_of(g, map, link[0]), b = map_place_of(g, map, link[1]), way[POINTS],
         tip[POINTS];
    double length = hypot(b.x - a.x, b.y - a.y), trim = DISC / length;
    if (!(length > 2 * DISC + HEAD))
        return;
    map_trace(g, map, link, trim, 1 - trim - HEAD / length, 1.2, way);
    map_trace(g, map, link, trim, 1 - trim, 1.2, tip);
    spot neck = way[POINTS - 1], to = tip[POINTS - 1];
    double size = hypot(to.x - neck.x, to.y - neck.y);
    spot d = {(to.x - neck.x) / size, (to.y - neck.y) / size};
    const spot corners[] = {to,
                            {neck.x - d.y * HEAD * 0.5, neck.y + d.x * HEAD * 0.5},
                            {neck.x + d.y * HEAD * 0.5, neck.y - d.x * HEAD * 0.5}};
    g->c->path(g->c, way, POINTS, false, &line);
    g->c->path(g->c, corners, 3, true, &head);
}

/* An arrow for each link that is used, by how many hosts' packets. */
static void map_put_arrows(const drawing *g, const figure_map *map)
{
    uint64_t *used = draw_alloc(g, map->num_steps + 1, sizeof *used);
    if (!used)
        return;
    for (size_t i = 0; i < map->num_steps; i++)
        used[i] = (uint64_t)map->steps[i].sw << 32 | map->steps[i].next;
    if (map->num_steps)
        qsort(used, map->num_steps, sizeof *used, map_by_number);
    for (size_t i = 0, end; i < map->num_steps; i = end) {
        const uint32_t link[2] = {(uint32_t)(used[i] >> 32), (uint32_t)used[i]};
        for (end = i + 1; end < map->num_steps && used[end] == used[i];)
            end++;
        map_put_arrow(g, map, link, WIDTH + 0.35 * log2((double)(end - i)));
    }
}

/* A name as it fits into a disc: "sw10" as "10". */
static const char *map_short_name(const drawing *g, const char *name)
{
    size_t digits = strlen(name);
    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    bool wide = canvas_text_width(name, NAME_SIZE) > 2 * DISC - 1;
    return draw_cut(g, wide && name[digits] ? name + digits : name, NAME_SIZE, 2 * DISC);
}

static void map_put_switches(const drawing *g, const figure_map *map)
{
    for (uint32_t s = 0; s < map->num_switches; s++) {
        bool goal = map->num_ends && map->ends[map->num_ends - 1] == s, source = false;
        for (size_t i = 0; i + 1 < map->num_ends && map->num_ends == 2; i++)
            source |= map->ends[i] == s;
        const paint disc = {
            .fill = {goal || source ? COLOUR_SERIES : COLOUR_PAPER, goal ? 1 : 0, 0},
            .stroke = {COLOUR_INK},
            .width = 0.6,
            .opacity = goal || source ? 0.35 : 0};
        const paint ground = {.fill = {COLOUR_PAPER}};
        const text_style style = {
            .size = NAME_SIZE, .anchor = ANCHOR_MIDDLE, .colour = {COLOUR_INK}};
        spot at = map_place_of(g, map, s);
        g->c->circle(g->c, at, DISC, &ground);
        g->c->circle(g->c, at, DISC, &disc);
        g->c->text(g->c, (spot){at.x, at.y + 2.5}, map_short_name(g, map->names[s]), &style);
    }
}

void draw_map(const drawing *g, const figure_map *map)
{
    const paint link = {.stroke = {COLOUR_GRID}, .width = 1};
    spot way[POINTS];
    for (size_t i = 0; i < map->num_links; i++) {
        map_trace(g, map, map->links[i], 0, 1, 0, way);
        g->c->path(g->c, way, POINTS, false, &link);
    }
    map_put_arrows(g, map);
    map_put_switches(g, map);
}
