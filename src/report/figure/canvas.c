/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/canvas.c: colours, dashes and widths of texts.
 */
#include "report/figure/canvas.h"

#include <math.h>

const double canvas_dashes[NUM_DASHES][MOST_DASH + 1] = {
    {0}, {4, 1.6, 0}, {1.2, 1.4, 0}, {5, 1.4, 1.2, 1.4, 0}, {7, 2, 0}, {3, 1.2, 1, 1.2, 1, 1.2, 0}};

/* Okabe and Ito's palette (Color Universal Design, 2008) without yellow, which paper swallows. */
static const rgb series[NUM_SERIES_COLOURS] = {
    {0, 0x72 / 255.0, 0xb2 / 255.0},           {0xd5 / 255.0, 0x5e / 255.0, 0},
    {0, 0x9e / 255.0, 0x73 / 255.0},           {0xcc / 255.0, 0x79 / 255.0, 0xa7 / 255.0},
    {0xe6 / 255.0, 0x9f / 255.0, 0},           {0x56 / 255.0, 0xb4 / 255.0, 0xe9 / 255.0},
    {0x33 / 255.0, 0x33 / 255.0, 0x33 / 255.0}};

/* Viridis (S. van der Walt, N. Smith) at nine places, from light to dark: its lightness alone says
 * the value, so that it serves in black and white. */
static const rgb ramp[] = {{.993, .906, .144}, {.678, .864, .190}, {.361, .786, .388},
                           {.153, .678, .506}, {.128, .567, .551}, {.173, .449, .558},
                           {.231, .322, .546}, {.281, .174, .477}, {.267, .005, .329}};

static rgb canvas_ramp_at(double value)
{
    enum { LAST = sizeof ramp / sizeof *ramp - 1 };
    double at = fmin(fmax(value, 0), 1) * LAST;
    int k = at >= LAST ? LAST - 1 : (int)at;
    double t = at - k;
    return (rgb){ramp[k].r + t * (ramp[k + 1].r - ramp[k].r),
                 ramp[k].g + t * (ramp[k + 1].g - ramp[k].g),
                 ramp[k].b + t * (ramp[k + 1].b - ramp[k].b)};
}

rgb colour_rgb(colour c)
{
    switch (c.role) {
    case COLOUR_PAPER:
        return (rgb){1, 1, 1};
    case COLOUR_GRID:
        return (rgb){.88, .88, .88};
    case COLOUR_SOFT:
        return (rgb){.35, .35, .35};
    case COLOUR_SERIES:
        return series[c.index % NUM_SERIES_COLOURS];
    case COLOUR_RAMP:
        return canvas_ramp_at(c.value);
    case COLOUR_ON_RAMP:
        return c.value > 0.45 ? (rgb){1, 1, 1} : (rgb){0, 0, 0};
    case COLOUR_NONE:
    case COLOUR_INK:
        break;
    }
    return (rgb){0, 0, 0};
}

/* Of ' ' to '~', in thousandths of the size. */
static const unsigned short widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

double canvas_text_width(const char *text, double size)
{
    double sum = 0;
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter >= ' ' && letter <= '~')
            sum += widths[letter - ' '];
        else if ((letter & 0xc0) != 0x80) /* not the rest of a letter in UTF-8 */
            sum += 584;
    }
    return sum * size / 1000;
}
