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
 * … Batches without a packet have no mean: then pairs, fours and so on are one value. The measured
 * time begins behind the look that found the end of the warm-up, so that one run is enough.
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
#include "sim/measure/acceptance.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define T_975_19        2.0930240544082634 /* Student's t */
#define MOST_CORRELATED 0.4
#define MOST_SLOPE      3 /* standard errors */
enum { DRIFT_MEANS = 16 };

static void stationary_begin_at(stationary *s, size_t first);

ik_status stationary_new(const stationary_setup *setup, stationary **out, ik_error *err)
{
    assert(setup->most > 0 && setup->period_ps > 0);
    assert(setup->detects || setup->latest == 0);
    stationary *s = ik_calloc(1, sizeof *s);
    batch *batches = ik_calloc(setup->most, sizeof *batches);
    double *means = ik_calloc(setup->most, sizeof *means);
    if (!s || !batches || !means) {
        free(s);
        free(batches);
        free(means);
        return ik_fail_memory(err, setup->most * sizeof *batches, "batch means");
    }
    *s = (stationary){.setup = *setup,
                      .batches = batches,
                      .means = means,
                      .start_ps = UINT64_MAX,
                      .end_ps = UINT64_MAX,
                      .of = {NAN, NAN, false}};
    if (setup->detects) {
        s->next = STATIONARY_LEAST < setup->latest ? STATIONARY_LEAST : setup->latest;
    } else {
        s->warm = !setup->auto_warmup;
        s->capped = setup->auto_end && setup->length_ps;
        stationary_begin_at(s, 0);
    }
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

void batch_cursor_set(batch_cursor *cursor, const stationary *s, batch *batches)
{
    *cursor = (batch_cursor){.batches = batches, .of = s, .span_ps = UINT64_MAX};
    cursor->at = &cursor->spare;
    if (batches)
        batch_cursor_seek(cursor, 0);
}

void batch_cursor_seek(batch_cursor *cursor, uint64_t t)
{
    const stationary_setup *setup = &cursor->of->setup;
    size_t number = t < setup->origin_ps ? 0 : (size_t)((t - setup->origin_ps) / setup->period_ps);
    assert(cursor->batches);
    cursor->at = &cursor->spare;
    if (t < setup->origin_ps) {
        cursor->begin_ps = 0;
        cursor->span_ps = setup->origin_ps;
    } else if (number < setup->most) {
        cursor->at = &cursor->batches[number];
        cursor->begin_ps = setup->origin_ps + number * setup->period_ps;
        cursor->span_ps = setup->period_ps;
    } else {
        cursor->begin_ps = setup->origin_ps + setup->most * setup->period_ps;
        cursor->span_ps = UINT64_MAX - cursor->begin_ps;
    }
}

void batch_value(batch_cursor *cursor, uint64_t t, stationary_of of, uint64_t value)
{
    if (!cursor->batches || cursor->of->setup.of != of)
        return;
    batch *to = stationary_batch_at(cursor, t);
    to->values++;
    to->sum += value;
}

void stationary_add(stationary *s, const batch_cursor *from)
{
    assert(s->next <= s->setup.most);
    for (size_t k = s->num; k < s->next; k++) {
        const batch *more = &from->batches[k];
        s->batches[k].bytes += more->bytes;
        s->batches[k].packets += more->packets;
        s->batches[k].latency_ps += more->latency_ps;
        s->batches[k].network_ps += more->network_ps;
        s->batches[k].values += more->values;
        s->batches[k].sum += more->sum;
    }
}

void stationary_add_all(stationary *s, const batch_cursor *first, size_t stride, unsigned num)
{
    for (unsigned k = 0; k < num; k++)
        stationary_add(s, (const batch_cursor *)(const void *)((const char *)first + k * stride));
}

stationary_times stationary_longest(const stationary_setup *setup)
{
    uint64_t end = setup->origin_ps + setup->most * setup->period_ps;
    if (setup->length_ps && !setup->detects)
        end = setup->origin_ps + setup->length_ps;
    return (stationary_times){setup->detects ? end : setup->origin_ps, end};
}

/* Guesses: the second look for the end of the warm-up finds it, and the second interval is small
 * enough. */
enum { LIKELY_WARMUP = 48, LIKELY_MEASURED = 160 };

uint64_t stationary_likely_ps(const stationary_setup *setup)
{
    uint64_t longest = stationary_longest(setup).end_ps, likely = setup->origin_ps;
    likely += setup->detects ? LIKELY_WARMUP * setup->period_ps : 0;
    likely += setup->length_ps ? setup->length_ps : LIKELY_MEASURED * setup->period_ps;
    return likely < longest ? likely : longest;
}

stationary_times stationary_known(const stationary *s)
{
    stationary_times longest = stationary_longest(&s->setup);
    return (stationary_times){s->start_ps < UINT64_MAX ? s->start_ps : longest.end_ps,
                              s->end_ps < UINT64_MAX ? s->end_ps : longest.end_ps};
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

stationary_line stationary_fit(const double *values, size_t num)
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
    return (stationary_line){mean, slope, sqrt(left / (double)(num - 2) / squares)};
}

bool stationary_drifts(const double *values, size_t num)
{
    stationary_line line = stationary_fit(values, num);
    return fabs(line.slope) > MOST_SLOPE * line.error &&
           fabs(line.slope) * (double)num > 1e-9 * fabs(line.mean);
}

/* What a series sums up over batches, and the count that its mean divides by. */
static void stationary_add_to_series(stationary_series which, const batch *b, sim_area *sum,
                                     uint64_t *count)
{
    switch (which) {
    case SERIES_THROUGHPUT:
        *sum += b->bytes;
        *count += 1;
        return;
    case SERIES_LATENCY:
        *sum += b->latency_ps;
        *count += b->packets;
        return;
    case SERIES_NETWORK:
        *sum += b->network_ps;
        *count += b->packets;
        return;
    case SERIES_OF:
        *sum += b->sum;
        *count += b->values;
        return;
    }
}

bool stationary_means(const stationary *s, stationary_series which, size_t from, size_t width,
                      size_t num, double *out)
{
    assert(from + width * num <= s->num);
    for (size_t g = 0; g < num; g++) {
        uint64_t values = 0;
        sim_area sum = 0;
        for (size_t k = from + g * width; k < from + (g + 1) * width; k++)
            stationary_add_to_series(which, &s->batches[k], &sum, &values);
        if (values == 0)
            return false;
        out[g] = (double)sum / (double)values;
    }
    return true;
}

/* What is left of a series behind a truncation, but for the remainder of the division. */
static bool stationary_rest_drifts(const stationary *s, stationary_series which, size_t out)
{
    double means[DRIFT_MEANS];
    size_t width = (s->num - out) / DRIFT_MEANS;
    return width == 0 ||
           !stationary_means(s, which, s->num - width * DRIFT_MEANS, width, DRIFT_MEANS, means) ||
           stationary_drifts(means, DRIFT_MEANS);
}

/* Batches that the series leaves out at the front, SIZE_MAX = its warm-up has not ended. Empty
 * batches at the very front belong to the warm-up: nothing has come yet. */
static size_t stationary_truncate_series(const stationary *s, stationary_series which)
{
    size_t front = 0;
    while (front < s->num && s->batches[front].packets == 0)
        front++;
    for (size_t width = 1; (s->num - front) / width >= STATIONARY_LEAST / 2; width *= 2) {
        size_t groups = (s->num - front) / width;
        if (!stationary_means(s, which, front, width, groups, s->means))
            continue;
        size_t out = front + width * stationary_truncation(s->means, groups);
        return out <= s->num / 2 && !stationary_rest_drifts(s, which, out) ? out : SIZE_MAX;
    }
    return SIZE_MAX;
}

/* The measured time begins with batch number `first`. */
static void stationary_begin_at(stationary *s, size_t first)
{
    s->first = first;
    s->start_ps = s->setup.origin_ps + first * s->setup.period_ps;
    size_t last = s->setup.most - s->setup.margin;
    s->next = first + STATIONARY_FINE < last ? first + STATIONARY_FINE : last;
    if (!s->setup.length_ps)
        return;
    s->end_ps = s->start_ps + s->setup.length_ps;
    s->over = true;
}

/* Whether sources take more than is accepted: over the batches from number `from` on the mean
 * latency since generation grows by a hundredth of the time, on a line that leaves no doubt. Near
 * saturation it takes longer to tell. */
static bool stationary_outruns(const stationary *s, size_t from)
{
    const double steep = 0.01;
    double means[DRIFT_MEANS];
    size_t width = (s->num - from) / DRIFT_MEANS;
    if (width == 0 || !stationary_means(s, SERIES_LATENCY, s->num - DRIFT_MEANS * width, width,
                                        DRIFT_MEANS, means))
        return false;
    stationary_line line = stationary_fit(means, DRIFT_MEANS);
    return line.slope > 2 * MOST_SLOPE * line.error &&
           line.slope > steep * (double)(width * s->setup.period_ps);
}

static bool stationary_settles(const stationary *s, stationary_series which)
{
    return stationary_truncate_series(s, which) != SIZE_MAX;
}

/* Whether throughput, latency and what the interval is of have left the warm-up behind. Beyond
 * saturation latency since generation never does; what packets spend in the network stands for it
 * then. */
static bool stationary_is_warm(const stationary *s)
{
    bool asks = s->setup.of == STATIONARY_ACCEPTANCE,
         further = s->setup.of > STATIONARY_NETWORK && !asks;
    acceptance told = asks ? acceptance_of(s, s->num / 2, s->setup.ci) : ACCEPTANCE_OPEN;
    if (told == ACCEPTANCE_REFUSED)
        return true; /* and throughput may go on falling */
    if (!stationary_settles(s, SERIES_THROUGHPUT) || (further && !stationary_settles(s, SERIES_OF)))
        return false;
    if (told == ACCEPTANCE_ACCEPTED)
        return true;
    return stationary_settles(s, SERIES_LATENCY) ||
           (stationary_outruns(s, s->num / 2) && stationary_settles(s, SERIES_NETWORK));
}

/* ---- the interval */

/* Correlation of neighbours; deviations sum to 0. 0 where they do not vary. */
static double stationary_neighbours(const double *deviation, size_t num)
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

static totals stationary_totals_of(const stationary *s, stationary_series which, size_t from,
                                   size_t to)
{
    uint64_t count = 0;
    sim_area sum = 0;
    for (size_t k = from; k < to; k++)
        stationary_add_to_series(which, &s->batches[k], &sum, &count);
    return (totals){(double)sum, (double)count};
}

/* Deviations of `num` groups of `width` batches, up to the last one, from their mean. */
static void stationary_deviations(const stationary *s, stationary_series which, size_t width,
                                  size_t num, double mean, double *out)
{
    size_t from = s->num - width * num;
    for (size_t g = 0; g < num; g++) {
        totals t = stationary_totals_of(s, which, from + g * width, from + (g + 1) * width);
        out[g] = t.sum - mean * t.count;
    }
}

/* Of the last 80 k batches that are measured. */
stationary_interval stationary_interval_of(const stationary *s, stationary_series which)
{
    double fine[STATIONARY_FINE], coarse[STATIONARY_MEANS], squares = 0;
    stationary_interval found = {NAN, NAN, false};
    size_t measured = s->num > s->first ? s->num - s->first : 0, width = measured / STATIONARY_FINE,
           merged = STATIONARY_FINE / STATIONARY_MEANS;
    if (width == 0)
        return found;
    totals all = stationary_totals_of(s, which, s->num - width * STATIONARY_FINE, s->num);
    if (all.count == 0)
        return found;
    found.mean = all.sum / all.count;
    stationary_deviations(s, which, width, STATIONARY_FINE, found.mean, fine);
    stationary_deviations(s, which, width * merged, STATIONARY_MEANS, found.mean, coarse);
    for (size_t g = 0; g < STATIONARY_MEANS; g++)
        squares += coarse[g] * coarse[g];
    double left = fmin(fmax(stationary_neighbours(coarse, STATIONARY_MEANS), 0), 0.9),
           count = all.count / STATIONARY_MEANS, /* of a group */
        variance = squares / (STATIONARY_MEANS - 1) / STATIONARY_MEANS * (1 + left) / (1 - left);
    found.half_width = T_975_19 * sqrt(variance) / count;
    found.sound = (which == SERIES_THROUGHPUT || count >= STATIONARY_VALUES) &&
                  stationary_neighbours(fine, STATIONARY_FINE) < MOST_CORRELATED &&
                  !stationary_drifts(coarse, STATIONARY_MEANS);
    return found;
}

/* Variance of the mean of `num` means, over their own sample variance / num, where the correlation
 * of neighbours is r and falls geometrically. The sample variance is too small then as well: means
 * that remember each other lie close together. */
static double stationary_inflation(double r, double num)
{
    double of_mean = (1 + r) / (1 - r) - 2 * r * (1 - pow(r, num)) / (num * (1 - r) * (1 - r));
    return of_mean * (1 - 1 / num) / (1 - of_mean / num);
}

stationary_interval stationary_honest_interval_of(const stationary *s, stationary_series which,
                                                  double memory_ps)
{
    static const struct {
        size_t means;
        double t; /* Student's t, 0.975 */
    } sizes[] = {{STATIONARY_MEANS, T_975_19}, {10, 2.2621571627409915}, {5, 2.7764451051977987}};
    stationary_interval found = stationary_interval_of(s, which);
    size_t width = s->num > s->first ? (s->num - s->first) / STATIONARY_FINE : 0;
    if (width == 0 || isnan(found.mean))
        return found;
    totals all = stationary_totals_of(s, which, s->num - width * STATIONARY_FINE, s->num);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double deviation[STATIONARY_MEANS], squares = 0, num = (double)sizes[k].means;
        size_t each = width * STATIONARY_FINE / sizes[k].means;
        stationary_deviations(s, which, each, sizes[k].means, found.mean, deviation);
        for (size_t g = 0; g < sizes[k].means; g++)
            squares += deviation[g] * deviation[g];
        double batches_ps = (double)each * (double)s->setup.period_ps,
               seen = fmin(fmax(stationary_neighbours(deviation, sizes[k].means), 0), 0.9),
               known = memory_ps > 0 ? exp(-batches_ps / memory_ps) : 0,
               inflation = fmax((1 + seen) / (1 - seen), k ? 1 : stationary_inflation(known, num)),
               half = sizes[k].t * sqrt(squares / (num - 1) / num * inflation) / (all.count / num);
        found.half_width = fmax(found.half_width, half);
    }
    return found;
}

static bool stationary_small_enough(const stationary *s, const stationary_interval *i)
{
    return i->sound && i->mean > 0 && i->half_width <= s->setup.ci * i->mean;
}

/* Whether the measured time holds the life of a packet in the network several times, and several
 * messages or bursts, and is not shorter than a warm-up that was detected: what takes that long to
 * settle goes on settling for as long, by less than a shorter time shows. */
static bool stationary_is_long_enough(const stationary *s)
{
    totals network = stationary_totals_of(s, SERIES_NETWORK, s->first, s->num);
    double measured_ps = (double)(s->num - s->first) * (double)s->setup.period_ps, bytes = 0;
    for (size_t k = s->first; k < s->num; k++)
        bytes += (double)s->batches[k].bytes;
    return (!s->setup.detects || s->num - s->first >= s->first) && bytes >= s->setup.least_bytes &&
           measured_ps * network.count >= STATIONARY_LATENCIES * network.sum;
}

bool stationary_fills(const stationary_line *line, size_t num, double time_ps)
{
    static const struct {
        double errors;  /* of the slope, that it exceeds */
        double filling; /* least slope, ns per ns: the share of packets that stay there */
        double change;  /* least of all the time / mean */
    } least = {4, 0.002, 0.1};
    return line->slope > least.errors * line->error && line->slope > least.filling * time_ps &&
           line->mean > 0 && line->slope * (double)num > least.change * line->mean;
}

/* The judge's question (steady.c), asked before the run is over: none ends by itself that is not
 * steady for this reason. */
static bool stationary_still_fills(const stationary *s)
{
    double means[DRIFT_MEANS];
    size_t width = (s->num - s->first) / DRIFT_MEANS;
    if (width == 0 || !stationary_means(s, SERIES_NETWORK, s->num - DRIFT_MEANS * width, width,
                                        DRIFT_MEANS, means))
        return true;
    stationary_line line = stationary_fit(means, DRIFT_MEANS);
    return stationary_fills(&line, DRIFT_MEANS, (double)(width * s->setup.period_ps));
}

/* Whether it is known that the load is refused, or that it is accepted, and the throughput. */
static bool stationary_is_told(stationary *s)
{
    const double wide = 0.02; /* half width of throughput / mean */
    s->told = stationary_outruns(s, s->first) ? ACCEPTANCE_REFUSED
                                              : acceptance_of(s, s->first, s->setup.ci);
    return s->told == ACCEPTANCE_REFUSED ||
           (s->told == ACCEPTANCE_ACCEPTED && s->of.half_width <= wide * s->of.mean &&
            !stationary_still_fills(s));
}

/* Whether the interval is as small as asked. Beyond saturation latency has none. */
static bool stationary_closes(stationary *s)
{
    static const stationary_series series[NUM_STATIONARY] = {
        [STATIONARY_BOTH] = SERIES_LATENCY,
        [STATIONARY_LATENCY] = SERIES_LATENCY,
        [STATIONARY_THROUGHPUT] = SERIES_THROUGHPUT,
        [STATIONARY_NETWORK] = SERIES_NETWORK,
        [STATIONARY_ARRIVAL] = SERIES_OF,
        [STATIONARY_ROUND_TRIP] = SERIES_OF,
        [STATIONARY_REQUEST] = SERIES_OF,
        [STATIONARY_REPLY] = SERIES_OF,
        [STATIONARY_ACCEPTANCE] = SERIES_THROUGHPUT};
    s->of = stationary_interval_of(s, series[s->setup.of]);
    if (!stationary_is_long_enough(s))
        return false;
    if (s->setup.of == STATIONARY_ACCEPTANCE)
        return stationary_is_told(s);
    if (s->setup.of != STATIONARY_BOTH)
        return stationary_small_enough(s, &s->of) && !stationary_still_fills(s);
    stationary_interval throughput = stationary_interval_of(s, SERIES_THROUGHPUT);
    return stationary_small_enough(s, &throughput) &&
           (stationary_small_enough(s, &s->of) || stationary_outruns(s, s->first)) &&
           !stationary_still_fills(s);
}

/* ---- looking */

/* 32, 48, 64, 96, 128 … */
static size_t stationary_next_warmup(size_t num)
{
    return (num & (num - 1)) == 0 ? num + num / 2 : num / 3 * 4;
}

/* The next number of measured batches that is 80 k, k = 1 … 8, 10, 12, 15 … */
static size_t stationary_next_interval(size_t measured)
{
    size_t k = 1;
    while (k * STATIONARY_FINE <= measured)
        k += k < 8 ? 1 : k / 4;
    return k * STATIONARY_FINE;
}

/* The look after this one comes before the packet-hops are spent. */
static size_t stationary_within_hops(const stationary *s, size_t next, uint64_t hops, uint64_t most)
{
    double each = (double)hops / (double)s->num, left = most > hops ? (double)(most - hops) : 0;
    if (!s->setup.most_hops || left >= each * (double)(next - s->num))
        return next;
    size_t few = (size_t)(left / each);
    return s->num + (few ? few : 1);
}

static void stationary_look_for_start(stationary *s, uint64_t hops)
{
    uint64_t most = (s->setup.most_hops + 1) / 2; /* 0: not limited */
    s->warm = stationary_is_warm(s);
    if (s->warm || s->num >= s->setup.latest || (most && hops >= most)) {
        stationary_begin_at(s, s->num + s->setup.margin);
        return;
    }
    s->next = stationary_within_hops(s, stationary_next_warmup(s->num), hops, most);
    if (s->next > s->setup.latest)
        s->next = s->setup.latest;
}

static void stationary_look_for_end(stationary *s, uint64_t hops)
{
    size_t last = s->setup.most - s->setup.margin;
    s->closed = s->num >= s->first + STATIONARY_FINE && stationary_closes(s);
    s->capped =
        !s->closed && (s->num >= last || (s->setup.most_hops && hops >= s->setup.most_hops));
    if (s->closed || s->capped) {
        s->end_ps = s->setup.origin_ps + (s->num + s->setup.margin) * s->setup.period_ps;
        s->over = true;
        return;
    }
    size_t measured = s->num > s->first ? s->num - s->first : 0;
    s->next = stationary_within_hops(s, s->first + stationary_next_interval(measured), hops,
                                     s->setup.most_hops);
    if (s->next > last)
        s->next = last;
}

void stationary_look(stationary *s, uint64_t hops)
{
    assert(!s->over && s->num < s->next && s->next <= s->setup.most);
    s->num = s->next;
    if (s->start_ps == UINT64_MAX)
        stationary_look_for_start(s, hops);
    else
        stationary_look_for_end(s, hops);
}

void stationary_end(stationary *s, uint64_t end_ps)
{
    uint64_t since = end_ps > s->setup.origin_ps ? end_ps - s->setup.origin_ps : 0;
    size_t whole = (size_t)(since / s->setup.period_ps);
    s->next = whole < s->setup.most ? whole : s->setup.most;
    s->next = s->next > s->num ? s->next : s->num;
    if (s->start_ps == UINT64_MAX || s->start_ps > end_ps) {
        s->start_ps = end_ps;
        s->first = s->next;
    }
    s->end_ps = end_ps;
    s->over = true;
}
