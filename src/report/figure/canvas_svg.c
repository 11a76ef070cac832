/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/canvas_svg.c: figures as SVG. Text stays text, to be searched and edited; colours
 * are attributes, which every program reads, and classes, which a page gives its own.
 */
#include "base/utf8.h"
#include "report/figure/canvas.h"

#include <errno.h>
#include <string.h>

/* ' fill="#0072b2" class="…"' is written in two parts: an element has one class. */
static void canvas_svg_put_colour(FILE *out, const char *attribute, colour c)
{
    if (c.role == COLOUR_NONE) {
        fprintf(out, " %s=\"none\"", attribute);
        return;
    }
    rgb v = colour_rgb(c);
    fprintf(out, " %s=\"#%02x%02x%02x\"", attribute, (unsigned)(v.r * 255 + .5),
            (unsigned)(v.g * 255 + .5), (unsigned)(v.b * 255 + .5));
}

static bool canvas_svg_put_class(FILE *out, const char *prefix, colour c, bool open)
{
    static const char *const names[] = {
        [COLOUR_INK] = "ink",     [COLOUR_SOFT] = "soft", [COLOUR_GRID] = "grid",
        [COLOUR_PAPER] = "paper", [COLOUR_SERIES] = "",   [COLOUR_RAMP] = NULL,
        [COLOUR_ON_RAMP] = NULL,  [COLOUR_NONE] = NULL};
    if (!names[c.role])
        return open;
    fputs(open ? " " : " class=\"", out);
    if (c.role == COLOUR_SERIES)
        fprintf(out, "%s%u", prefix, c.index % NUM_SERIES_COLOURS);
    else
        fprintf(out, "%s-%s", prefix, names[c.role]);
    return true;
}

static void canvas_svg_put_paint(FILE *out, const paint *p)
{
    canvas_svg_put_colour(out, "fill", p->fill);
    if (p->fill.role != COLOUR_NONE && p->opacity > 0 && p->opacity < 1)
        fprintf(out, " fill-opacity=\"%.3g\"", p->opacity);
    if (p->stroke.role != COLOUR_NONE) {
        canvas_svg_put_colour(out, "stroke", p->stroke);
        fprintf(out, " stroke-width=\"%.3g\"", p->width);
        const double *dash = canvas_dashes[p->dash % NUM_DASHES];
        for (size_t i = 0; dash[i] > 0; i++)
            fprintf(out, "%s%.3g", i ? " " : " stroke-dasharray=\"", dash[i]);
        fputs(dash[0] > 0 ? "\"" : "", out);
    }
    bool open = canvas_svg_put_class(out, "f", p->fill, false);
    open = p->stroke.role != COLOUR_NONE ? canvas_svg_put_class(out, "s", p->stroke, open) : open;
    fputs(open ? "\"" : "", out);
}

static void canvas_svg_path(canvas *c, const spot *at, size_t num, bool closed, const paint *p)
{
    FILE *out = ((svg_canvas *)c)->out;
    fputs("<path d=\"", out);
    for (size_t i = 0; i < num; i++)
        fprintf(out, "%c%.2f %.2f", i ? 'L' : 'M', at[i].x, at[i].y);
    fputs(closed ? "z\"" : "\"", out);
    canvas_svg_put_paint(out, p);
    fputs("/>\n", out);
}

static void canvas_svg_circle(canvas *c, spot at, double radius, const paint *p)
{
    FILE *out = ((svg_canvas *)c)->out;
    fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", at.x, at.y, radius);
    canvas_svg_put_paint(out, p);
    fputs("/>\n", out);
}

static void canvas_svg_text(canvas *c, spot at, const char *text, const text_style *style)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = ((svg_canvas *)c)->out;
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.3g\"", at.x, at.y, style->size);
    if (style->anchor != ANCHOR_START)
        fprintf(out, " text-anchor=\"%s\"", anchors[style->anchor]);
    if (style->turn != 0)
        fprintf(out, " transform=\"rotate(%.4g %.2f %.2f)\"", style->turn, at.x, at.y);
    if (style->bold)
        fputs(" font-weight=\"bold\"", out);
    canvas_svg_put_colour(out, "fill", style->colour);
    fputs(canvas_svg_put_class(out, "f", style->colour, false) ? "\">" : ">", out);
    utf8_print_markup(out, text);
    fputs("</text>\n", out);
}

static void canvas_svg_clip(canvas *c, double x, double y, double width, double height)
{
    svg_canvas *s = (svg_canvas *)c;
    s->clips++;
    fprintf(s->out,
            "<clipPath id=\"%s-%u\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>"
            "</clipPath>\n<g clip-path=\"url(#%s-%u)\">\n",
            s->id, s->clips, x, y, width, height, s->id, s->clips);
}

static void canvas_svg_clip_end(canvas *c)
{
    fputs("</g>\n", ((svg_canvas *)c)->out);
}

static ik_status canvas_svg_end(canvas *c, ik_error *err)
{
    FILE *out = ((svg_canvas *)c)->out;
    fputs("</svg>\n", out);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the figure: %s",
                                 strerror(errno ? errno : EIO))
                       : IK_OK;
}

void svg_begin(svg_canvas *s, FILE *out, double width, double height, const char *id,
               const char *title, const char *description)
{
    *s = (svg_canvas){.base = {canvas_svg_path, canvas_svg_circle, canvas_svg_text, canvas_svg_clip,
                               canvas_svg_clip_end, canvas_svg_end},
                      .out = out,
                      .id = id};
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.2fmm\" height=\"%.2fmm\" "
            "viewBox=\"0 0 %.2f %.2f\" role=\"img\" "
            "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n"
            "<title>",
            width * 25.4 / 72, height * 25.4 / 72, width, height);
    utf8_print_markup(out, title);
    fputs("</title>\n<desc>", out);
    utf8_print_markup(out, description);
    fputs("</desc>\n", out);
}
