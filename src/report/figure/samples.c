/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/samples.c: quantiles, boxes and bins of samples.
 */
#include "report/figures.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double figure_quantile(const double *sorted, size_t num, double p)
{
    assert(p >= 0 && p <= 1);
    if (num == 0)
        return NAN;
    double at = p * (double)(num - 1);
    size_t below = (size_t)at;
    double part = at - (double)below;
    return below + 1 < num ? sorted[below] + part * (sorted[below + 1] - sorted[below])
                           : sorted[num - 1];
}

figure_box figure_box_of(const figure_cell *c)
{
    figure_box b = {NAN, figure_quantile(c->samples, c->num, 0.25),
                    figure_quantile(c->samples, c->num, 0.5),
                    figure_quantile(c->samples, c->num, 0.75), NAN};
    double reach = 1.5 * (b.q3 - b.q1);
    for (size_t i = c->num; i-- > 0;)
        if (c->samples[i] >= b.q1 - reach)
            b.low = c->samples[i];
    for (size_t i = 0; i < c->num; i++)
        if (c->samples[i] <= b.q3 + reach)
            b.high = c->samples[i];
    return b;
}

double figure_round_step(double least)
{
    double step = pow(10, floor(log10(least)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (step * factors[i] >= least * (1 - 1e-9))
            return step * factors[i];
    return 10 * step;
}

/* ---- bins */

enum { MOST_BINS = 1000 };

/* The narrowest bin that some curve asks for: 2 IQR / cube root of n. */
static double freedman_diaconis(const figure_data *d)
{
    double width = INFINITY;
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            const figure_cell *c = &d->curves[i].cells[k];
            double spread = figure_quantile(c->samples, c->num, 0.75) -
                            figure_quantile(c->samples, c->num, 0.25);
            if (c->num > 1 && spread > 0)
                width = fmin(width, 2 * spread / cbrt((double)c->num));
        }
    return width;
}

/* Where bins begin, how wide they are and how many, for samples from low to high. */
static void samples_choose_bins(const figure_data *d, double low, double high, double *first,
                                double *width, size_t *num)
{
    double largest = fmax(fabs(low), fabs(high)), range = high - low;
    if (range <= 1e-9 * largest) { /* one value, and what rounding makes of it: one bin around it */
        *width = largest > 0 ? figure_round_step(largest * 0.01) : 1;
    } else if (d->f->bins) {
        *first = low;
        *width = range / d->f->bins;
        *num = d->f->bins;
        return;
    } else {
        *width = figure_round_step(fmin(freedman_diaconis(d), range));
        while (range / *width > MOST_BINS)
            *width *= 2;
    }
    *first = floor(low / *width) * *width;
    *first = *first > low ? *first - *width : *first; /* the quotient was rounded up */
    *num = (size_t)floor((high - *first) / *width + 1e-9) + 1;
}

ik_status figure_bins(figure_data *d, double **edges, size_t *num_bins, ik_error *err)
{
    double low = INFINITY, high = -INFINITY, first, width;
    for (size_t i = 0; i < d->num_curves; i++)
        for (size_t k = 0; k < d->curves[i].num; k++) {
            const figure_cell *c = &d->curves[i].cells[k];
            low = c->num ? fmin(low, c->samples[0]) : low;
            high = c->num ? fmax(high, c->samples[c->num - 1]) : high;
        }
    *num_bins = 0;
    *edges = NULL;
    if (!(high >= low))
        return IK_OK;
    size_t num = 0;
    samples_choose_bins(d, low, high, &first, &width, &num);
    double *made = ik_arena_alloc(&d->arena, (num + 1) * sizeof *made);
    if (!made)
        return ik_fail_memory(err, num * sizeof *made, "a figure");
    for (size_t i = 0; i <= num; i++)
        made[i] = first + (double)i * width;
    made[num] = fmax(made[num], high);
    *edges = made;
    *num_bins = num;
    return IK_OK;
}

size_t figure_count(const figure_cell *c, double from, double to, bool closed)
{
    size_t num = 0;
    for (size_t i = 0; i < c->num; i++)
        num += c->samples[i] >= from && (c->samples[i] < to || (closed && c->samples[i] <= to));
    return num;
}
