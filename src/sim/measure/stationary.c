/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of the warm-up and the length of the measurement, from batches.
 *
 * Warm-up: MSER on the means of batches, where MSER-5 takes means of five observations: a batch is
 * a period in which a host could send several packets. Throughput, latency and what the interval is
 * of are each truncated, and the longest truncation counts. It is accepted if it lies in the first
 * half, else more batches are waited for: the minimum of a series that still rises or falls lies at
 * its end. A noisy series that rises can still have it earlier, so the rest must not drift either:
 * of 16 means of it, the slope of the line of least squares is at most 3 times its standard error
 * (0.01 two-sided where the means are independent). It is looked for at 32 batches, 48, 64, 96, 128
 * … Batches without a packet have no mean: then pairs, fours and so on are one value.
 *
 * Length: the interval is that of 20 batch means (Student's t, 19 degrees of freedom), each over
 * the same time, together 80 k batches. It is examined when these are there for k = 1, 2, … 8, 10,
 * 12, 15 … Means of latencies are ratios of sums, as the result is: the deviation of a group is its
 * sum less mean times count. Successive means still depend on each other if they are short against
 * the memory of the queues, and the interval would be too small. So the correlation of 80
 * neighbouring groups has to be below 0.4 first (A. M. Law and J. S. Carson, A sequential procedure
 * for determining the length of a steady state simulation, Operations Research 27(5), 1979), and
 * what is left of it among the 20 widens the interval (A. Tafazzoli, J. R. Wilson et al., Skart,
 * WSC 2008): by (1 + r) / (1 - r) under the root. Means that drift, as latencies past saturation
 * do, are no sample of anything, and close no interval. */
#include "sim/measure/stationary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define T_975_19        2.0930240544082634 /* Student's t */
#define MOST_CORRELATED 0.4
#define MOST_SLOPE      3 /* standard errors */
enum { DRIFT_MEANS = 16 };

ik_status stationary_new(const stationary_setup *setup, stationary **out, ik_error *err)
{
    assert(setup->most > 0 && setup->period_ps > 0);
    stationary *s = ik_calloc(1, sizeof *s);
    batch *batches = ik_calloc(setup->most, sizeof *batches);
    double *means = ik_calloc(setup->most, sizeof *means);
    if (!s || !batches || !means) {
        free(s);
        free(batches);
        free(means);
        return ik_fail_memory(err, setup->most * sizeof *batches, "batch means");
    }
    *s = (stationary){.setup = *setup, .batches = batches, .means = means, .warm = !setup->detects};
    s->mean = s->half_width = NAN;
    s->first = setup->detects ? 0 : setup->first;
    size_t next = setup->detects ? STATIONARY_LEAST : s->first + STATIONARY_FINE;
    s->next = next < setup->most ? next : setup->most;
    *out = s;
    return IK_OK;
}

void stationary_free(stationary *s)
{
    if (!s)
        return;
    free(s->batches);
    free(s->means);
    free(s);
}

/* ---- counting */

void stationary_delivered(const stationary *s, batch *batches, uint64_t t, const batch *what)
{
    size_t at = (size_t)(t / s->setup.period_ps);
    if (at >= s->setup.most)
        return;
    batches[at].bytes += what->bytes;
    batches[at].packets += what->packets;
    batches[at].latency_ps += what->latency_ps;
    if (s->setup.of == STATIONARY_NETWORK) {
        batches[at].values += what->values;
        batches[at].sum += what->sum;
    }
}

void stationary_value(const stationary *s, batch *batches, uint64_t t, stationary_of of,
                      uint64_t value)
{
    size_t at = (size_t)(t / s->setup.period_ps);
    if (s->setup.of != of || at >= s->setup.most)
        return;
    batches[at].values++;
    batches[at].sum += value;
}

void stationary_add(stationary *s, const batch *batches)
{
    for (size_t k = s->num; k < s->next; k++) {
        s->batches[k].bytes += batches[k].bytes;
        s->batches[k].packets += batches[k].packets;
        s->batches[k].latency_ps += batches[k].latency_ps;
        s->batches[k].values += batches[k].values;
        s->batches[k].sum += batches[k].sum;
    }
}

/* ---- warm-up */

size_t stationary_truncation(const double *values, size_t num)
{
    double mean = 0, squares = 0, least = INFINITY;
    size_t found = 0;
    for (size_t left = 1; left <= num; left++) { /* Welford's sums, from the end */
        size_t d = num - left;
        double delta = values[d] - mean;
        mean += delta / (double)left;
        squares += delta * (values[d] - mean);
        double error = squares / ((double)left * (double)left);
        if (left >= STATIONARY_TAIL && error <= least) {
            least = error;
            found = d;
        }
    }
    return found;
}

bool stationary_drifts(const double *values, size_t num)
{
    double mean = 0, slope = 0, squares = 0, middle = (double)(num - 1) / 2, left = 0;
    assert(num > 2);
    for (size_t k = 0; k < num; k++)
        mean += values[k] / (double)num;
    for (size_t k = 0; k < num; k++) {
        slope += ((double)k - middle) * (values[k] - mean);
        squares += ((double)k - middle) * ((double)k - middle);
    }
    slope /= squares;
    for (size_t k = 0; k < num; k++) {
        double residual = values[k] - mean - slope * ((double)k - middle);
        left += residual * residual;
    }
    double error = sqrt(left / (double)(num - 2) / squares);
    return fabs(slope) > MOST_SLOPE * error && fabs(slope) * (double)num > 1e-9 * fabs(mean);
}

typedef enum series { SERIES_THROUGHPUT, SERIES_LATENCY, SERIES_OF, NUM_SERIES } series;

/* Means of `num` groups of `width` batches from number `from` on; false: one has no value. */
static bool group_means(const stationary *s, series which, size_t from, size_t width, size_t num,
                        double *out)
{
    for (size_t g = 0; g < num; g++) {
        uint64_t values = 0, sum = 0;
        for (size_t k = from + g * width; k < from + (g + 1) * width; k++) {
            const batch *b = &s->batches[k];
            values += which == SERIES_THROUGHPUT ? 1
                      : which == SERIES_LATENCY  ? b->packets
                                                 : b->values;
            sum += which == SERIES_THROUGHPUT ? b->bytes
                   : which == SERIES_LATENCY  ? b->latency_ps
                                              : b->sum;
        }
        if (values == 0)
            return false;
        out[g] = (double)sum / (double)values;
    }
    return true;
}

/* What is left of a series behind a truncation, but for the remainder of the division. */
static bool rest_drifts(const stationary *s, series which, size_t out)
{
    double means[DRIFT_MEANS];
    size_t width = (s->num - out) / DRIFT_MEANS;
    return width == 0 ||
           !group_means(s, which, s->num - width * DRIFT_MEANS, width, DRIFT_MEANS, means) ||
           stationary_drifts(means, DRIFT_MEANS);
}

/* Batches that the series leaves out at the front, SIZE_MAX = its warm-up has not ended. Empty
 * batches at the very front belong to the warm-up: nothing has come yet. */
static size_t truncate_series(const stationary *s, series which)
{
    size_t front = 0;
    while (front < s->num && s->batches[front].packets == 0)
        front++;
    for (size_t width = 1; (s->num - front) / width >= STATIONARY_LEAST / 2; width *= 2) {
        size_t groups = (s->num - front) / width;
        if (!group_means(s, which, front, width, groups, s->means))
            continue;
        size_t out = front + width * stationary_truncation(s->means, groups);
        return out <= s->num / 2 && !rest_drifts(s, which, out) ? out : SIZE_MAX;
    }
    return SIZE_MAX;
}

static bool of_values(const stationary *s)
{
    return s->setup.of > STATIONARY_THROUGHPUT;
}

static void look_for_warmup(stationary *s)
{
    size_t first = 0;
    for (series which = 0; which < (of_values(s) ? NUM_SERIES : SERIES_OF); which++) {
        size_t out = truncate_series(s, which);
        if (out == SIZE_MAX)
            return;
        first = out > first ? out : first;
    }
    s->warm = true;
    s->first = first;
}

/* ---- the interval */

/* Correlation of neighbours; deviations sum to 0. 0 where they do not vary. */
static double neighbours(const double *deviation, size_t num)
{
    double both = 0, all = 0;
    for (size_t k = 0; k < num; k++) {
        all += deviation[k] * deviation[k];
        both += k ? deviation[k] * deviation[k - 1] : 0;
    }
    return all > 0 ? both / all : 0;
}

typedef struct totals {
    double sum, count;
} totals;

static totals totals_of(const stationary *s, size_t from, size_t to)
{
    uint64_t sum = 0, count = 0;
    for (size_t k = from; k < to; k++) {
        const batch *b = &s->batches[k];
        sum += s->setup.of == STATIONARY_LATENCY      ? b->latency_ps
               : s->setup.of == STATIONARY_THROUGHPUT ? b->bytes
                                                      : b->sum;
        count += s->setup.of == STATIONARY_LATENCY      ? b->packets
                 : s->setup.of == STATIONARY_THROUGHPUT ? 1
                                                        : b->values;
    }
    return (totals){(double)sum, (double)count};
}

/* Deviations of `num` groups of `width` batches, up to the last one, from their mean. */
static void deviations(const stationary *s, size_t width, size_t num, double mean, double *out)
{
    size_t from = s->num - width * num;
    for (size_t g = 0; g < num; g++) {
        totals t = totals_of(s, from + g * width, from + (g + 1) * width);
        out[g] = t.sum - mean * t.count;
    }
}

/* Of the last 80 k batches that are measured. Returns whether they are independent enough. */
static bool estimate(stationary *s)
{
    double fine[STATIONARY_FINE], coarse[STATIONARY_MEANS], squares = 0;
    size_t width = (s->num - s->first) / STATIONARY_FINE,
           merged = STATIONARY_FINE / STATIONARY_MEANS;
    s->mean = s->half_width = NAN;
    if (width == 0)
        return false;
    totals all = totals_of(s, s->num - width * STATIONARY_FINE, s->num);
    if (all.count == 0)
        return false;
    s->mean = all.sum / all.count;
    deviations(s, width, STATIONARY_FINE, s->mean, fine);
    deviations(s, width * merged, STATIONARY_MEANS, s->mean, coarse);
    for (size_t g = 0; g < STATIONARY_MEANS; g++)
        squares += coarse[g] * coarse[g];
    double left = fmin(fmax(neighbours(coarse, STATIONARY_MEANS), 0), 0.9),
           count = all.count / STATIONARY_MEANS, /* of a group */
        variance = squares / (STATIONARY_MEANS - 1) / STATIONARY_MEANS * (1 + left) / (1 - left);
    s->half_width = T_975_19 * sqrt(variance) / count;
    bool enough = s->setup.of == STATIONARY_THROUGHPUT || count >= STATIONARY_VALUES;
    return enough && neighbours(fine, STATIONARY_FINE) < MOST_CORRELATED &&
           !stationary_drifts(coarse, STATIONARY_MEANS);
}

/* ---- looking */

/* 32, 48, 64, 96, 128 … */
static size_t next_warmup(size_t num)
{
    return (num & (num - 1)) == 0 ? num + num / 2 : num / 3 * 4;
}

/* The next number of measured batches that is 80 k, k = 1 … 8, 10, 12, 15 … */
static size_t next_interval(size_t measured)
{
    size_t k = 1;
    while (k * STATIONARY_FINE <= measured)
        k += k < 8 ? 1 : k / 4;
    return k * STATIONARY_FINE;
}

void stationary_look(stationary *s)
{
    assert(!s->over && s->num <= s->next);
    s->num = s->next;
    bool last = s->num >= s->setup.most;
    if (!s->warm)
        look_for_warmup(s);
    if (s->warm && s->setup.ci > 0)
        s->closed = estimate(s) && s->mean > 0 && s->half_width <= s->setup.ci * s->mean;
    s->over = last || s->closed || (s->warm && s->setup.ci <= 0);
    if (!s->warm && last)
        s->first = s->num / 2;
    if (s->over)
        return;
    s->next = s->warm ? s->first + next_interval(s->num - s->first) : next_warmup(s->num);
    if (s->next > s->setup.most)
        s->next = s->setup.most;
}
