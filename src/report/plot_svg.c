/* SPDX-License-Identifier: Apache-2.0
 *
 * plot_svg.c: curves as a self-contained SVG picture.
 */
#include "ikat/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 900, HEIGHT = 560, LEFT = 90, RIGHT = 240, TOP = 50, BOTTOM = 60 };

typedef struct axes {
    FILE *out;
    double x0, x1, y0, y1; /* data range; y in decades if logarithmic */
    bool log_y, whole_x;   /* whole_x: all x are whole numbers */
} axes;

/* Colours that stay apart for the colour-blind (P. Tol's muted scheme), then dashed anew. */
static const char *const colours[] = {"#332288", "#88ccee", "#44aa99", "#117733", "#999933",
                                      "#ddcc77", "#cc6677", "#882255", "#aa4499"};
enum { NUM_COLOURS = sizeof colours / sizeof *colours };
static const char *const dashes[] = {"none", "7,4", "2,3"};

static bool visible(const axes *a, double y)
{
    return isfinite(y) && (!a->log_y || y > 0);
}

static double value_of(const axes *a, double y)
{
    return a->log_y ? log10(y) : y;
}

static double px(const axes *a, double x)
{
    return LEFT + (x - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT);
}

static double py(const axes *a, double y)
{
    return HEIGHT - BOTTOM - (value_of(a, y) - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM);
}

static void print_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void print_text(FILE *out, double x, double y, const char *style, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    print_escaped(out, text);
    fputs("</text>\n", out);
}

/* The data's range, widened to whole decades or from 0. */
static bool find_range(axes *a, const ik_curve *curves, size_t num)
{
    bool any = false;
    for (size_t c = 0; c < num; c++) {
        for (size_t i = 0; i < curves[c].num; i++) {
            double x = curves[c].x[i], y = curves[c].y[i];
            if (visible(a, y)) {
                double v = value_of(a, y);
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
static double step_for(double range)
{
    double step = pow(10, floor(log10(range)) - 1);
    while (range / step > 10) {
        step *= range / step > 50 ? 5 : 2;
    }
    return step;
}

static void print_grid(const axes *a)
{
    char text[32];
    double step = step_for(a->x1 - a->x0);
    if (a->whole_x) {
        step = fmax(1, step);
    }
    for (double x = ceil(a->x0 / step) * step; x <= a->x1 + step * 1e-9; x += step) {
        fprintf(a->out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" class=\"grid\"/>\n",
                px(a, x), TOP, px(a, x), HEIGHT - BOTTOM);
        snprintf(text, sizeof text, "%g", x);
        print_text(a->out, px(a, x), HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"", text);
    }
    step = a->log_y ? 1 : step_for(a->y1 - a->y0);
    for (double v = a->y0; v <= a->y1 + step * 1e-9; v += step) {
        double y = a->log_y ? pow(10, v) : v;
        fprintf(a->out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/>\n",
                LEFT, py(a, y), WIDTH - RIGHT, py(a, y));
        snprintf(text, sizeof text, "%g", y);
        print_text(a->out, LEFT - 8, py(a, y) + 4, "text-anchor=\"end\"", text);
    }
}

static void print_curve(const axes *a, const ik_curve *c, size_t index)
{
    const char *colour = colours[index % NUM_COLOURS], *dash = dashes[index / NUM_COLOURS % 3];
    bool open = false;
    fprintf(a->out,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"",
            colour, dash);
    for (size_t i = 0; i < c->num; i++) {
        bool here = visible(a, c->y[i]);
        if (here) {
            fprintf(a->out, "%c%.1f %.1f", open ? 'L' : 'M', px(a, c->x[i]), py(a, c->y[i]));
        }
        open = here;
    }
    fputs("\"/>\n", a->out);
    for (size_t i = 0; i < c->num; i++) {
        if (visible(a, c->y[i])) {
            fprintf(a->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>",
                    px(a, c->x[i]), py(a, c->y[i]), colour);
            print_escaped(a->out, c->name);
            fprintf(a->out, ": %.10g, %.10g</title></circle>\n", c->x[i], c->y[i]);
        }
    }
    double y = TOP + 10 + 20 * (double)index;
    fprintf(a->out,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"3\" "
            "stroke-dasharray=\"%s\"/>\n",
            WIDTH - RIGHT + 16, y, WIDTH - RIGHT + 46, y, colour, dash);
    print_text(a->out, WIDTH - RIGHT + 54, y + 4, "", c->name);
}

ik_status ik_plot_svg(FILE *out, const char *title, const char *x_label, const char *y_label,
                      bool log_y, const ik_curve *curves, size_t num_curves, ik_error *err)
{
    axes a = {.out = out, .log_y = log_y, .whole_x = true};
    if (!find_range(&a, curves, num_curves)) {
        return ik_fail(err, IK_ERR_USAGE, "nothing to plot: no curve has a point");
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n",
            WIDTH, HEIGHT);
    fputs("<style>.grid{stroke:#ddd}</style>\n<rect width=\"100%\" height=\"100%\" "
          "fill=\"white\"/>\n",
          out);
    print_text(out, LEFT, TOP - 20, "font-size=\"16\" font-weight=\"bold\"", title);
    print_grid(&a);
    print_text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "text-anchor=\"middle\"", x_label);
    fprintf(out, "<g transform=\"translate(20 %d) rotate(-90)\">", (TOP + HEIGHT - BOTTOM) / 2);
    print_text(out, 0, 0, "text-anchor=\"middle\"", y_label);
    fputs("</g>\n", out);
    for (size_t c = 0; c < num_curves; c++) {
        print_curve(&a, &curves[c], c);
    }
    fputs("</svg>\n", out);
    return ferror(out)
               ? ik_fail(err, IK_ERR_IO, "cannot write the picture: %s", strerror(errno ? errno : EIO))
               : IK_OK;
}
