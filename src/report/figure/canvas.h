/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/canvas.h: what figures are drawn on. Lengths are points (1/72 inch), y grows
 * downwards. Nothing depends on the fonts of the machine: widths of texts are those of Helvetica
 * and of the fonts that are made to its measure (Arial, Liberation Sans).
 */
#ifndef IKAT_REPORT_CANVAS_H
#define IKAT_REPORT_CANVAS_H

#include "ikat/base.h"

/* Colours by what they are for, so that a page can show them light or dark. */
typedef enum colour_role {
    COLOUR_NONE,
    COLOUR_INK,  /* text, axes */
    COLOUR_SOFT, /* ticks, error bars of no series */
    COLOUR_GRID,
    COLOUR_PAPER,  /* the ground */
    COLOUR_SERIES, /* number `index` of the series */
    COLOUR_RAMP,   /* of a heat map: `value` in [0, 1] */
    COLOUR_ON_RAMP /* text on that */
} colour_role;

typedef struct colour {
    colour_role role;
    unsigned index;
    double value;
} colour;

/* Eight colours that people with colour-vision deficiencies tell apart (Okabe and Ito), then the
 * same again: curves have dashes and marks, too. */
enum { NUM_SERIES_COLOURS = 7 };
/* Red, green, blue in [0, 1]. */
typedef struct rgb {
    double r, g, b;
} rgb;
rgb colour_rgb(colour c);

typedef struct paint {
    colour fill, stroke;
    double opacity; /* of the fill; 0 = 1 */
    double width;   /* of the stroke */
    unsigned dash;  /* 0 = solid */
} paint;
enum { NUM_DASHES = 6, MOST_DASH = 6 };
/* Lengths of strokes and gaps, ending with 0. */
extern const double canvas_dashes[NUM_DASHES][MOST_DASH + 1];

typedef struct spot {
    double x, y;
} spot;

typedef enum text_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } text_anchor;

typedef struct text_style {
    double size;
    text_anchor anchor;
    double turn; /* degrees, clockwise */
    bool bold;
    colour colour;
} text_style;

/* A backend. Errors are kept until `end`. */
typedef struct canvas canvas;
struct canvas {
    void (*path)(canvas *c, const spot *at, size_t num, bool closed, const paint *p);
    void (*circle)(canvas *c, spot at, double radius, const paint *p);
    /* (x, y) is the baseline */
    void (*text)(canvas *c, spot at, const char *text, const text_style *style);
    /* what is drawn from here on is cut at the rectangle; clip_end ends it */
    void (*clip)(canvas *c, double x, double y, double width, double height);
    void (*clip_end)(canvas *c);
    ik_status (*end)(canvas *c, ik_error *err);
};

/* Width of a text; of letters beyond ASCII, that of a digit. */
double canvas_text_width(const char *text, double size);

/* canvas_svg.c: writes to `out`; *c is the caller's. title and description stand in it as text. */
typedef struct svg_canvas {
    canvas base;
    FILE *out;
    unsigned clips;
    const char *id; /* makes names in the picture different from those of others in a page */
} svg_canvas;
void svg_begin(svg_canvas *s, FILE *out, double width, double height, const char *id,
               const char *title, const char *description);

/* canvas_cairo.c: PDF or PNG, written to `out` by `end`, which also frees; *k is the caller's. */
enum { FIGURE_PNG_DPI = 300 };
typedef struct cairo_canvas {
    canvas base;
    FILE *out;
    bool png;
    struct _cairo *cr;
    struct _cairo_surface *surface;
} cairo_canvas;
void cairo_begin(cairo_canvas *k, FILE *out, bool png, double width, double height,
                 const char *title);

#endif
