/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/canvas_cairo.c: figures as PDF and PNG, by cairo. Fonts are embedded. Nothing of
 * the time or the place is in the files: equal figures are equal bytes on machines with the same
 * cairo and the same font.
 */
#include "report/figure/canvas.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>

static void canvas_cairo_set_colour(cairo_t *cr, colour c, double opacity)
{
    rgb v = colour_rgb(c);
    cairo_set_source_rgba(cr, v.r, v.g, v.b, opacity > 0 ? opacity : 1);
}

/* Fills and strokes the current path. */
static void canvas_cairo_paint_path(cairo_t *cr, const paint *p)
{
    if (p->fill.role != COLOUR_NONE) {
        canvas_cairo_set_colour(cr, p->fill, p->opacity);
        cairo_fill_preserve(cr);
    }
    if (p->stroke.role != COLOUR_NONE) {
        const double *dash = canvas_dashes[p->dash % NUM_DASHES];
        int num = 0;
        while (dash[num] > 0)
            num++;
        cairo_set_dash(cr, dash, num, 0);
        cairo_set_line_width(cr, p->width);
        canvas_cairo_set_colour(cr, p->stroke, 1);
        cairo_stroke_preserve(cr);
    }
    cairo_new_path(cr);
}

static void cairo_path_of(canvas *c, const spot *at, size_t num, bool closed, const paint *p)
{
    cairo_t *cr = ((cairo_canvas *)c)->cr;
    cairo_new_path(cr); /* a text leaves a point behind */
    for (size_t i = 0; i < num; i++)
        cairo_line_to(cr, at[i].x, at[i].y);
    if (closed)
        cairo_close_path(cr);
    canvas_cairo_paint_path(cr, p);
}

static void cairo_circle(canvas *c, spot at, double radius, const paint *p)
{
    cairo_t *cr = ((cairo_canvas *)c)->cr;
    cairo_new_path(cr);
    cairo_arc(cr, at.x, at.y, radius, 0, 6.283185307179586);
    canvas_cairo_paint_path(cr, p);
}

/* Squeezed where the machine's font is wider than the one that the figure was laid out for. */
static void cairo_text(canvas *c, spot at, const char *text, const text_style *style)
{
    cairo_t *cr = ((cairo_canvas *)c)->cr;
    cairo_text_extents_t box;
    double room = canvas_text_width(text, style->size) * 1.06;
    cairo_save(cr);
    cairo_select_font_face(cr, "Helvetica", CAIRO_FONT_SLANT_NORMAL,
                           style->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, style->size);
    cairo_text_extents(cr, text, &box);
    cairo_translate(cr, at.x, at.y);
    cairo_rotate(cr, style->turn * 3.141592653589793 / 180);
    if (box.x_advance > room && !style->bold)
        cairo_scale(cr, room / box.x_advance, 1);
    double before = style->anchor == ANCHOR_START ? 0 : style->anchor == ANCHOR_END ? 1 : 0.5;
    cairo_move_to(cr, -box.x_advance * before, 0);
    canvas_cairo_set_colour(cr, style->colour, 1);
    cairo_show_text(cr, text);
    cairo_restore(cr);
}

static void cairo_clip_to(canvas *c, double x, double y, double width, double height)
{
    cairo_t *cr = ((cairo_canvas *)c)->cr;
    cairo_save(cr);
    cairo_rectangle(cr, x, y, width, height);
    cairo_clip(cr);
}

static void cairo_clip_end(canvas *c)
{
    cairo_restore(((cairo_canvas *)c)->cr);
}

static cairo_status_t canvas_cairo_put_bytes(void *ctx, const unsigned char *data, unsigned size)
{
    return fwrite(data, 1, size, ctx) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static ik_status fail_cairo(cairo_status_t status, ik_error *err)
{
    if (status == CAIRO_STATUS_NO_MEMORY)
        return ik_fail_memory(err, 1, "a figure");
    return ik_fail(err, IK_ERR_IO, "cannot write the figure: %s", cairo_status_to_string(status));
}

static ik_status canvas_cairo_end(canvas *c, ik_error *err)
{
    cairo_canvas *k = (cairo_canvas *)c;
    cairo_status_t status = cairo_status(k->cr);
    if (status == CAIRO_STATUS_SUCCESS && k->png)
        status = cairo_surface_write_to_png_stream(k->surface, canvas_cairo_put_bytes, k->out);
    cairo_surface_finish(k->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(k->surface);
    cairo_destroy(k->cr);
    cairo_surface_destroy(k->surface);
    return status == CAIRO_STATUS_SUCCESS ? IK_OK : fail_cairo(status, err);
}

void cairo_begin(cairo_canvas *k, FILE *out, bool png, double width, double height,
                 const char *title)
{
    const double scale = FIGURE_PNG_DPI / 72.0;
    *k = (cairo_canvas){.base = {cairo_path_of, cairo_circle, cairo_text, cairo_clip_to,
                                 cairo_clip_end, canvas_cairo_end},
                        .out = out,
                        .png = png};
    k->surface =
        png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale),
                                         (int)ceil(height * scale))
            : cairo_pdf_surface_create_for_stream(canvas_cairo_put_bytes, out, width, height);
    if (!png) {
        cairo_pdf_surface_set_metadata(k->surface, CAIRO_PDF_METADATA_TITLE, title);
        cairo_pdf_surface_set_metadata(k->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    }
    k->cr = cairo_create(k->surface);
    if (png) { /* also the pixels that the picture covers in part */
        cairo_set_source_rgb(k->cr, 1, 1, 1);
        cairo_paint(k->cr);
        cairo_scale(k->cr, scale, scale);
    }
    cairo_set_line_join(k->cr, CAIRO_LINE_JOIN_ROUND);
}
