/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/draw.h: a figure on a canvas: scales, the frame with its axes and legend, and what
 * each kind draws inside.
 */
#ifndef IKAT_REPORT_DRAW_H
#define IKAT_REPORT_DRAW_H

#include "report/figure/canvas.h"
#include "report/figures.h"

/* Sizes in points. */
#define TEXT_SIZE  8.0
#define SMALL_SIZE 7.0
#define LINE_WIDTH 1.1

enum { MOST_TICKS = 24 };

/* From values to places along an axis. */
typedef struct scale {
    double low, high; /* of the values; their logarithms with `log` */
    bool log;
    double factor;            /* by which values are multiplied to be written … */
    const char *unit;         /* … in this unit */
    double ticks[MOST_TICKS]; /* values */
    size_t num_ticks;
    char labels[MOST_TICKS][16];
} scale;

/* Makes a scale for values between low and high on `length` points with a tick every `apart` points
 * or so; zero: it begins at 0. */
void scale_make(scale *s, double low, double high, bool log, bool zero, const char *unit,
                double length, double apart);
/* Share of the axis at which a value lies; below 0 or above 1 outside of it, NAN for one that has
 * no logarithm. */
double scale_at(const scale *s, double value);
double scale_label_width(const scale *s, double size);

typedef struct frame {
    double x, y, width, height;
} frame;

typedef struct drawing {
    figure_data *d;
    canvas *c;
    scale x, y;
    bool categories; /* x has places instead of a scale */
    double *edges;   /* of a histogram */
    size_t num_bins;
    double ramp_low, ramp_high;                     /* of a heat map */
    double width, height, left, right, top, bottom; /* the picture, and its margins */
    size_t columns, rows;                           /* of panels */
    double gap_x, gap_y, panel_width, panel_height;
    double turn; /* of the names of categories */
    bool legend_inside;
    double legend_height; /* below the panels */
    double legend_column; /* width of one of its columns */
    size_t legend_columns;
    bool *lacks_memory; /* something could not be drawn for lack of it */
    frame now;          /* the panel that is drawn */
    size_t panel;
} drawing;

/* Memory of the figure; NULL: there is none, and the picture fails at its end. */
void *draw_alloc(const drawing *g, size_t num, size_t size);
/* layout.c */
enum { TITLE_LINE = 256 };
/* A name as wide as there is room: "A very long na…", whole where it fits. */
const char *draw_cut(const drawing *g, const char *text, double size, double width);
/* The next line of a figure's title, broken at a blank, or inside a word that is longer than a
 * line; returns what follows it, NULL after the last. */
const char *draw_title_line(const drawing *g, const char *text, char line[TITLE_LINE]);
ik_status draw_layout(drawing *g, ik_error *err);
frame draw_panel_frame(const drawing *g, size_t panel);
void draw_frame(const drawing *g, size_t panel);
/* legend.c */
typedef struct legend_entry {
    const char *name;
    size_t number, mark; /* colour, and shape of its mark */
    bool shows_mark, shows_line;
} legend_entry;
size_t draw_legend_entries(const drawing *g, legend_entry *out, size_t room);
void draw_legend_size(drawing *g);
/* true: there is room inside the only panel, and it is drawn there. */
void draw_legend(drawing *g);
void draw_ramp_key(const drawing *g);
/* kinds.c, shapes.c */
void draw_data(const drawing *g);
void draw_heatmap(const drawing *g);
/* map.c */
void draw_map(const drawing *g, const figure_map *map);
void draw_mark(canvas *c, spot at, size_t mark, size_t number);
void draw_hatched(canvas *c, frame f, size_t number);
void draw_line(canvas *c, spot from, spot to, const paint *p);
/* Of a value that has no logarithm the end of the axis. */
double draw_x(const drawing *g, double value);
double draw_y(const drawing *g, double value);
/* Heat maps: the rows are the curves of the panel. */
size_t draw_num_rows(const drawing *g, size_t panel);

#endif
