/* SPDX-License-Identifier: Apache-2.0
 *
 * format_svg.c: a picture of a fabric (write only): switches where ik_fabric_layout puts them,
 * lines for links (thicker for parallel ones, red for links below the common rate), a small number
 * at each switch that has hosts.
 */
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MARGIN = 24, MAX_WIDTH = 1200, MIN_WIDTH = 320 };

typedef struct canvas {
    const ik_fabric *f;
    const ik_point *at;
    FILE *out;
    double width, height, radius;
    uint64_t common_bps; /* rate of most switch-to-switch links */
    const float *share;  /* of its rate that each channel carries, by port; NULL: not drawn */
} canvas;

static double svg_x_of(const canvas *c, uint32_t sw)
{
    return MARGIN + c->at[sw].x * (c->width - 2 * MARGIN);
}

static double svg_y_of(const canvas *c, uint32_t sw)
{
    return MARGIN + c->at[sw].y * (c->height - 2 * MARGIN);
}

/* Is this port the sending end of a switch-to-switch cable's first direction? */
static bool svg_draws_line(const ik_fabric *f, uint32_t port)
{
    uint32_t peer = f->port_peer[port];
    return peer != IK_NONE && peer > port && ik_is_switch(f, f->port_node[peer]);
}

static ik_status find_common_rate(const ik_fabric *f, uint64_t *common_bps, ik_error *err)
{
    uint64_t *count = ik_calloc(f->num_classes, sizeof *count);
    if (!count)
        return ik_fail_memory(err, f->num_classes * sizeof *count, "a picture");
    uint32_t best = 0;
    for (uint32_t p = 0; p < f->port_base[f->num_switches]; p++)
        if (svg_draws_line(f, p) && ++count[f->port_class[p]] > count[best])
            best = f->port_class[p];
    free(count);
    *common_bps = f->num_classes ? f->classes[best].rate_bps : 0;
    return IK_OK;
}

/* A cable's load is that of the direction that carries more; below 0 = not known. */
static float svg_load_of(const canvas *c, uint32_t port)
{
    float there = c->share[port], back = c->share[c->f->port_peer[port]];
    return there > back ? there : back;
}

/* Attributes of a line: its class, of loads u (not known) or l0 to l9 by tenths of the rate. */
static const char *svg_style_of(const canvas *c, uint32_t port, char *text, size_t size)
{
    if (!c->share)
        return ik_port_rate_bps(c->f, port) < c->common_bps ? " class=\"slow\"" : "";
    float load = svg_load_of(c, port);
    if (!(load >= 0))
        return " class=\"u\"";
    snprintf(text, size, " class=\"l%d\"", load >= 1 ? 9 : (int)(load * 10));
    return text;
}

/* Straight lines; between switches of one row an arc, or the line would run through those in
 * between. */
static void svg_draw_link(const canvas *c, uint32_t port)
{
    uint32_t a = c->f->port_node[port], b = ik_peer_node(c->f, port);
    double x1 = svg_x_of(c, a), y1 = svg_y_of(c, a), x2 = svg_x_of(c, b), y2 = svg_y_of(c, b);
    char text[24];
    const char *style = svg_style_of(c, port, text, sizeof text);
    if (y1 == y2 && x1 != x2) {
        double bend = (x2 > x1 ? x2 - x1 : x1 - x2) * 0.25;
        /* a quadratic curve rises half as high as its control point: stay inside */
        if (bend > 2 * (y1 - 2))
            bend = 2 * (y1 - 2);
        fprintf(c->out, "<path%s d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>\n", style, x1, y1,
                (x1 + x2) / 2, y1 - bend, x2, y2);
    } else {
        fprintf(c->out, "<path%s d=\"M%.1f %.1fL%.1f %.1f\"/>\n", style, x1, y1, x2, y2);
    }
}

static uint32_t svg_hosts_at(const ik_fabric *f, uint32_t sw)
{
    uint32_t hosts = 0;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++)
        hosts += f->port_peer[p] != IK_NONE && !ik_is_switch(f, f->port_node[f->port_peer[p]]);
    return hosts;
}

static void svg_draw_switch(const canvas *c, uint32_t sw)
{
    uint32_t hosts = svg_hosts_at(c->f, sw);
    fprintf(c->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n",
            hosts ? "leaf" : "inner", svg_x_of(c, sw), svg_y_of(c, sw), c->radius);
    if (hosts && c->radius >= 6)
        fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\">%" PRIu32 "</text>\n", svg_x_of(c, sw),
                svg_y_of(c, sw), hosts);
}

/* Radius by the number of switches on the widest row, so that neighbours do not touch. */
static void svg_choose_size(canvas *c)
{
    const ik_fabric *f = c->f;
    double nearest = 1.0;
    for (uint32_t s = 1; s < f->num_switches; s++) {
        double dx = (double)c->at[s].x - (double)c->at[s - 1].x,
               dy = (double)c->at[s].y - (double)c->at[s - 1].y;
        double apart = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
        if (apart > 1e-6 && apart < nearest)
            nearest = apart;
    }
    double wish = 2 * MARGIN + 34 / nearest;
    c->width = wish < MIN_WIDTH ? MIN_WIDTH : wish > MAX_WIDTH ? MAX_WIDTH : wish;
    c->height = ik_fabric_in_rows(f) ? c->width * 0.5 : c->width;
    double fits = (c->width - 2 * MARGIN) * nearest * 0.32;
    c->radius = fits > 9 ? 9 : fits < 1.5 ? 1.5 : fits;
}

/* From blue for idle cables to red for full ones; dotted: not known. Rules name the class of the
 * picture, for a page may have several. */
static void print_load_styles(FILE *out)
{
    static const char *const colours[] = {"#4575b4", "#6f9bc8", "#9bbfdb", "#c3dcea", "#e9d8a6",
                                          "#f6c667", "#f3a04c", "#ea7038", "#dc4630", "#b2182b"};
    fputs(".loads path.u{stroke:#999;stroke-dasharray:2 3}", out);
    for (int i = 0; i < 10; i++)
        fprintf(out, ".loads path.l%d{stroke:%s;stroke-width:%.1f;stroke-opacity:.9}", i,
                colours[i], 0.8 + 0.2 * i);
}

static void svg_draw(const canvas *c)
{
    fprintf(
        c->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
        "height=\"%.0f\"%s>\n"
        "<style>path{stroke:#8aa;stroke-width:.8;stroke-opacity:.6;fill:none}path.slow{stroke:#d33;"
        "stroke-width:2.5;stroke-opacity:1}circle.leaf{fill:#2b6cb0}circle.inner{fill:#dd8a33}text{"
        "font:9px sans-serif;fill:#fff;text-anchor:middle;dominant-baseline:central}",
        c->width, c->height, c->width, c->height, c->share ? " class=\"loads\"" : "");
    if (c->share)
        print_load_styles(c->out);
    fputs("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", c->out);
    for (uint32_t p = 0; p < c->f->port_base[c->f->num_switches]; p++)
        if (svg_draws_line(c->f, p))
            svg_draw_link(c, p);
    for (uint32_t s = 0; s < c->f->num_switches; s++)
        svg_draw_switch(c, s);
    fputs("</svg>\n", c->out);
}

ik_status ik_fabric_draw_loads(const ik_fabric *f, const float *share, FILE *out, ik_error *err)
{
    ik_point *at = ik_calloc((size_t)f->num_switches + 1, sizeof *at);
    if (!at)
        return ik_fail_memory(err, f->num_switches * sizeof *at, "a picture");
    canvas c = {.f = f, .at = at, .out = out, .share = share};
    ik_status status = ik_fabric_layout(f, at, err);
    if (status == IK_OK)
        status = find_common_rate(f, &c.common_bps, err);
    if (status == IK_OK) {
        svg_choose_size(&c);
        svg_draw(&c);
    }
    free(at);
    return status;
}

static ik_status svg_write(const ik_fabric *f, FILE *out, ik_error *err)
{
    return ik_fabric_draw_loads(f, NULL, out, err);
}

static const char *const extensions[] = {"svg", NULL};

const ik_format ik_format_svg = {
    .name = "svg",
    .summary =
        "a picture (written only): switches in rows as in the family's paper, slow links in red",
    .source = "W3C, Scalable Vector Graphics 1.1",
    .extensions = extensions,
    .write = svg_write,
};
