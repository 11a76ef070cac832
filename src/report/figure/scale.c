/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/scale.c: axes: units that keep numbers short, ticks at round values.
 */
#include "report/figure/draw.h"

#include <math.h>
#include <string.h>

/* A unit in which the largest value has few digits. */
static void scale_choose_unit(scale *s, const char *unit, double largest)
{
    static const struct {
        const char *from, *to;
        double at_least, factor;
    } units[] = {{"%", "%", 0, 100},
                 {"ns", "ms", 2e6, 1e-6},
                 {"ns", "µs", 2e3, 1e-3},
                 {"bytes", "MiB", 2 << 20, 1.0 / (1 << 20)},
                 {"bytes", "KiB", 2 << 10, 1.0 / (1 << 10)},
                 {"", "million", 1e7, 1e-6},
                 {"", "thousand", 1e5, 1e-3}};
    s->unit = unit;
    s->factor = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].from, unit) == 0 && largest >= units[i].at_least) {
            s->unit = units[i].to;
            s->factor = units[i].factor;
            return;
        }
}

static void scale_add_tick(scale *s, double value, const char *format, int decimals)
{
    if (s->num_ticks == MOST_TICKS)
        return;
    s->ticks[s->num_ticks] = value;
    double shown = value * s->factor;
    snprintf(s->labels[s->num_ticks], sizeof s->labels[0], format, decimals,
             fabs(shown) < 1e-12 ? 0 : shown);
    if (strncmp(s->labels[s->num_ticks], "-", 1) == 0) { /* the sign of a number is no hyphen */
        char rest[sizeof s->labels[0]];
        snprintf(rest, sizeof rest, "%s", s->labels[s->num_ticks] + 1);
        snprintf(s->labels[s->num_ticks], sizeof s->labels[0], "−%.11s", rest);
    }
    s->num_ticks++;
}

static void scale_linear_ticks(scale *s, double length, double apart)
{
    double range = (s->high - s->low) * s->factor;
    double step = figure_round_step(range * apart / length);
    int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
    double first = ceil(s->low * s->factor / step - 1e-9);
    double largest = fmax(fabs(s->low), fabs(s->high)) * s->factor;
    int digits = 1 + (int)fmax(0, ceil(log10(largest / step))); /* where places are too many */
    for (int i = 0; i < MOST_TICKS; i++) {
        double value = (first + i) * step;
        if (value <= s->high * s->factor + step * 1e-9)
            scale_add_tick(s, value / s->factor, decimals > 6 ? "%.*g" : "%.*f",
                           decimals > 6 ? digits : decimals);
    }
}

/* Decades; where there are few, values between them, too. */
static void scale_log_ticks(scale *s, double length, double apart)
{
    static const double parts[] = {1, 2, 5, 1.5, 3, 4, 7};
    double shift = log10(s->factor), low = s->low + shift, high = s->high + shift;
    int num = high - low < 0.9 ? 7 : high - low < 2.5 ? 3 : 1;
    double every = num > 1 ? 1 : fmax(1, ceil((high - low) * apart / length));
    for (double decade = floor(low); decade <= high + 1e-9; decade += every)
        for (int i = 0; i < num; i++) {
            double at = decade + log10(parts[i]);
            if (at >= low - 1e-9 && at <= high + 1e-9)
                scale_add_tick(s, pow(10, at - shift), "%.*g", 6);
        }
}

void scale_make(scale *s, double low, double high, bool log, bool zero, const char *unit,
                double length, double apart)
{
    *s = (scale){.log = log};
    if (!(low <= high)) { /* nothing to be drawn */
        low = log ? 1 : 0;
        high = log ? 10 : 1;
    }
    scale_choose_unit(s, unit, fmax(fabs(low), fabs(high)));
    if (log) {
        s->low = log10(low);
        s->high = log10(high);
        double pad = fmax(0.04 * (s->high - s->low), 0.02);
        s->low -= pad;
        s->high += pad;
        scale_log_ticks(s, length, apart);
        return;
    }
    double largest = fmax(fabs(low), fabs(high)), range = high - low;
    if (largest < 1e-12) /* 0, and what rounding makes of it */
        high = range = 1;
    else if (range < 1e-9 * largest) /* one value, and what rounding makes of it */
        range = largest * 0.2;
    bool from_zero = zero || (low >= 0 && low < 0.35 * high);
    s->low = from_zero && low >= 0 ? 0 : low - 0.06 * range;
    s->high = from_zero && high <= 0 ? 0 : high + 0.06 * range;
    scale_linear_ticks(s, length, apart);
}

double scale_at(const scale *s, double value)
{
    if (s->log && value <= 0)
        return NAN;
    return ((s->log ? log10(value) : value) - s->low) / (s->high - s->low);
}

double scale_label_width(const scale *s, double size)
{
    double widest = 0;
    for (size_t i = 0; i < s->num_ticks; i++)
        widest = fmax(widest, canvas_text_width(s->labels[i], size));
    return widest;
}
