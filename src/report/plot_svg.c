/* SPDX-License-Identifier: Apache-2.0
 *
 * plot_svg.c: curves as a self-contained SVG picture.
 */
#include "base/utf8.h"
#include "ikat/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { PLOT_WIDTH = 570, PLOT_HEIGHT = 450, LEFT = 90, TOP = 50, BOTTOM = 60 };
/* The legend: a line with its mark, then the name; room for a letter. */
enum { KEY_AT = 16, KEY_LENGTH = 30, NAME_AT = 54, ROW = 20, LETTER = 9 };

typedef struct axes {
    FILE *out;
    int width, height;     /* of the picture: every name of the legend has its place */
    double x0, x1, y0, y1; /* data range; y in decades if logarithmic */
    bool log_y, whole_x;   /* whole_x: all x are whole numbers */
} axes;

/* Colours and dashes of the report's page (web/theme.js); the same colours are dashed anew. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#c96eed", "#4d562d",
                                      "#7a9c7b", "#1026a3", "#904d79", "#4b1937"};
static const char *const dashes[] = {"none", "7 4", "2 3", "9 3 2 3", "16 4", "9 3 2 3 2 3"};
enum {
    NUM_COLOURS = sizeof colours / sizeof *colours,
    NUM_DASHES = sizeof dashes / sizeof *dashes
};

static bool plot_svg_visible(const axes *a, double y)
{
    return isfinite(y) && (!a->log_y || y > 0);
}

static double plot_svg_value_of(const axes *a, double y)
{
    return a->log_y ? log10(y) : y;
}

static double plot_svg_px(const axes *a, double x)
{
    return LEFT + (x - a->x0) / (a->x1 - a->x0) * PLOT_WIDTH;
}

static double plot_svg_py(const axes *a, double y)
{
    return TOP + PLOT_HEIGHT - (plot_svg_value_of(a, y) - a->y0) / (a->y1 - a->y0) * PLOT_HEIGHT;
}

static void plot_svg_print_text(FILE *out, double x, double y, const char *style, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    utf8_print_markup(out, text);
    fputs("</text>\n", out);
}

/* The data's range, widened to whole decades or from 0. */
static bool plot_svg_find_range(axes *a, const ik_curve *curves, size_t num)
{
    bool any = false;
    for (size_t c = 0; c < num; c++) {
        for (size_t i = 0; i < curves[c].num; i++) {
            double x = curves[c].x[i], y = curves[c].y[i];
            if (plot_svg_visible(a, y)) {
                double v = plot_svg_value_of(a, y);
                a->x0 = any ? fmin(a->x0, x) : x;
                a->x1 = any ? fmax(a->x1, x) : x;
                a->y0 = any ? fmin(a->y0, v) : v;
                a->y1 = any ? fmax(a->y1, v) : v;
                a->whole_x = a->whole_x && x == floor(x);
                any = true;
            }
        }
    }
    a->y0 = a->log_y ? floor(a->y0) : fmin(0, a->y0);
    a->y1 = a->log_y ? ceil(a->y1) : a->y1;
    a->x1 = a->x1 > a->x0 ? a->x1 : a->x0 + 1;
    a->y1 = a->y1 > a->y0 ? a->y1 : a->y0 + 1;
    return any;
}

/* 1, 2 or 5 times a power of ten that gives at most ten steps. */
static double plot_svg_step_for(double range)
{
    double step = pow(10, floor(log10(range)) - 1);
    while (range / step > 10)
        step *= range / step > 50 ? 5 : 2;
    return step;
}

/* A value on an axis: large ones in thousands, millions, … */
static void plot_svg_print_value(char *text, size_t size, double v)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    size_t u = 0;
    for (; fabs(v) >= (u ? 1e3 : 1e4) && u + 1 < sizeof units / sizeof *units; u++)
        v /= 1e3;
    snprintf(text, size, "%g%s", v, units[u]);
}

static void plot_svg_print_grid(const axes *a)
{
    const int right = LEFT + PLOT_WIDTH, bottom = TOP + PLOT_HEIGHT;
    char text[32];
    double step = plot_svg_step_for(a->x1 - a->x0);
    if (a->whole_x)
        step = fmax(1, step);
    for (double x = ceil(a->x0 / step) * step; x <= a->x1 + step * 1e-9; x += step) {
        fprintf(a->out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" class=\"grid\"/>\n",
                plot_svg_px(a, x), TOP, plot_svg_px(a, x), bottom);
        plot_svg_print_value(text, sizeof text, x);
        plot_svg_print_text(a->out, plot_svg_px(a, x), bottom + 18, "text-anchor=\"middle\"", text);
    }
    step = a->log_y ? 1 : plot_svg_step_for(a->y1 - a->y0);
    for (double v = a->y0; v <= a->y1 + step * 1e-9; v += step) {
        double y = a->log_y ? pow(10, v) : v;
        fprintf(a->out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/>\n",
                LEFT, plot_svg_py(a, y), right, plot_svg_py(a, y));
        plot_svg_print_value(text, sizeof text, y);
        plot_svg_print_text(a->out, LEFT - 8, plot_svg_py(a, y) + 4, "text-anchor=\"end\"", text);
    }
}

/* How the index-th curve looks: colours first, then the same colours dashed anew. */
static const char *plot_svg_colour_of(size_t index)
{
    return colours[index % NUM_COLOURS];
}

static const char *plot_svg_dash_of(size_t index)
{
    return dashes[index / NUM_COLOURS % NUM_DASHES];
}

/* The mark of a curve's points, as on the page: four shapes, filled, then hollow. */
static void plot_svg_print_mark(FILE *out, size_t index, double x, double y)
{
    static const char *const shapes[] = {"M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
                                         "M-3.2 -3.2h6.4v6.4h-6.4z", "M0 -4l4.5 8h-9z",
                                         "M0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z"};
    const size_t mark = (index + index / NUM_COLOURS) % 8;
    fprintf(out, "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" stroke=\"%s\" fill=\"%s\">", x,
            y, shapes[mark % 4], plot_svg_colour_of(index),
            mark < 4 ? plot_svg_colour_of(index) : "white");
}

static void plot_svg_print_key(const axes *a, const ik_curve *c, size_t index)
{
    const int x = LEFT + PLOT_WIDTH + KEY_AT;
    const double y = TOP + 10 + ROW * (double)index;
    fprintf(a->out,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "
            "stroke-dasharray=\"%s\"/>\n",
            x, y, x + KEY_LENGTH, y, plot_svg_colour_of(index), plot_svg_dash_of(index));
    plot_svg_print_mark(a->out, index, x + KEY_LENGTH / 2.0, y);
    fputs("</path>\n", a->out);
    plot_svg_print_text(a->out, LEFT + PLOT_WIDTH + NAME_AT, y + 4, "class=\"name\"", c->name);
}

static void plot_svg_print_curve(const axes *a, const ik_curve *c, size_t index)
{
    bool open = false;
    fprintf(a->out,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"",
            plot_svg_colour_of(index), plot_svg_dash_of(index));
    for (size_t i = 0; i < c->num; i++) {
        bool here = plot_svg_visible(a, c->y[i]);
        if (here)
            fprintf(a->out, "%c%.1f %.1f", open ? 'L' : 'M', plot_svg_px(a, c->x[i]),
                    plot_svg_py(a, c->y[i]));
        open = here;
    }
    fputs("\"/>\n", a->out);
    for (size_t i = 0; i < c->num; i++) {
        if (plot_svg_visible(a, c->y[i])) {
            plot_svg_print_mark(a->out, index, plot_svg_px(a, c->x[i]), plot_svg_py(a, c->y[i]));
            fputs("<title>", a->out);
            utf8_print_markup(a->out, c->name);
            fprintf(a->out, ": %.10g, %.10g</title></path>\n", c->x[i], c->y[i]);
        }
    }
    plot_svg_print_key(a, c, index);
}

/* Room for the legend: as wide as its longest name, as high as its rows. */
static void plot_svg_find_size(axes *a, const ik_curve *curves, size_t num)
{
    size_t longest = 0;
    for (size_t c = 0; c < num; c++) {
        size_t letters = 0;
        for (const char *p = curves[c].name; *p; p++)
            letters += (*p & 0xc0) != 0x80; /* not the rest of a letter in UTF-8 */
        longest = letters > longest ? letters : longest;
    }
    const int rows = TOP + ROW * ((int)num + 1), plot = TOP + PLOT_HEIGHT + BOTTOM;
    a->width = LEFT + PLOT_WIDTH + NAME_AT + LETTER * (int)longest + KEY_AT;
    a->height = rows > plot ? rows : plot;
}

ik_status ik_plot_svg(FILE *out, const char *title, const char *x_label, const char *y_label,
                      bool log_y, const ik_curve *curves, size_t num_curves, ik_error *err)
{
    axes a = {.out = out, .log_y = log_y, .whole_x = true};
    if (!plot_svg_find_range(&a, curves, num_curves))
        return ik_fail(err, IK_ERR_USAGE, "nothing to plot: no curve has a point");
    plot_svg_find_size(&a, curves, num_curves);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n",
            a.width, a.height);
    fputs("<style>.grid{stroke:#ddd}</style>\n<rect width=\"100%\" height=\"100%\" "
          "fill=\"white\"/>\n",
          out);
    plot_svg_print_text(out, LEFT, TOP - 20, "font-size=\"16\" font-weight=\"bold\"", title);
    plot_svg_print_grid(&a);
    plot_svg_print_text(out, LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT + 44,
                        "text-anchor=\"middle\"", x_label);
    fprintf(out, "<g transform=\"translate(20 %d) rotate(-90)\">", TOP + PLOT_HEIGHT / 2);
    plot_svg_print_text(out, 0, 0, "text-anchor=\"middle\"", y_label);
    fputs("</g>\n", out);
    for (size_t c = 0; c < num_curves; c++)
        plot_svg_print_curve(&a, &curves[c], c);
    fputs("</svg>\n", out);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the picture: %s",
                                 strerror(errno ? errno : EIO))
                       : IK_OK;
}
