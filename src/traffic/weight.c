/* SPDX-License-Identifier: Apache-2.0
 *
 * weight.c: real weights of flows as whole numbers.
 */
#include "traffic/weight.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Draws are taken modulo a source's sum of weights: one weight is far enough below 2^64 that all
 * destinations are drawn in proportion, and the sum of any number of lines never reaches it. */
#define MOST_WHOLE ((uint64_t)1 << 44)
#define MOST_SUM   ((uint64_t)1 << 60)
enum { MOST_DECIMALS = 18 };

/* Digits and decimals of the mantissa; returns what follows it. *exact: they fit. */
static const char *weight_read_mantissa(const char *p, weight *w, bool *exact)
{
    bool behind_point = false, any = false;
    for (;; p++) {
        if (*p == '.' && !behind_point) {
            behind_point = true;
        } else if (isdigit((unsigned char)*p)) {
            any = true;
            *exact = *exact && w->digits < UINT64_MAX / 100;
            w->digits = *exact ? w->digits * 10 + (uint64_t)(*p - '0') : 0;
            w->decimals += behind_point;
        } else {
            return any ? p : NULL;
        }
    }
}

/* Takes a power of ten into digits and decimals, and trailing zeros out of them. */
static void weight_normalise(weight *w, long exponent, bool exact)
{
    long decimals = (long)w->decimals - exponent;
    for (; exact && decimals > 0 && w->digits % 10 == 0 && w->digits; decimals--)
        w->digits /= 10;
    for (; exact && decimals < 0; decimals++) {
        exact = w->digits < MOST_WHOLE;
        w->digits *= 10;
    }
    exact = exact && decimals <= MOST_DECIMALS;
    w->digits = exact ? w->digits : 0;
    w->decimals = exact ? (uint32_t)decimals : 0;
}

bool weight_read(const char *text, weight *w)
{
    bool exact = true;
    long exponent = 0;
    char *end = NULL;
    *w = (weight){0};
    const char *p = weight_read_mantissa(text, w, &exact);
    if (!p)
        return false;
    if (*p == 'e' || *p == 'E') {
        errno = 0;
        exponent = isspace((unsigned char)p[1]) ? 0 : strtol(p + 1, &end, 10);
        if (!end || end == p + 1 || errno || labs(exponent) > 10000)
            return false;
        p = end;
    }
    w->value = strtod(text, &end);
    if (*p || end != p || !isfinite(w->value) || !(w->value > 0))
        return false;
    weight_normalise(w, exponent, exact);
    return true;
}

/* What the weights of one source have in common. */
typedef struct scale {
    double largest;
    double sum;        /* in units of the largest */
    double whole_sum;  /* of the whole numbers that they are with so many decimals */
    uint32_t decimals; /* to which all are whole */
    bool rounded;
} scale;

/* w * 10^decimals; above MOST_WHOLE: anything above it. */
static uint64_t weight_whole(const weight *w, uint32_t decimals)
{
    uint64_t n = w->digits;
    for (uint32_t k = w->decimals; k < decimals && n <= MOST_WHOLE; k++)
        n *= 10;
    return n;
}

/* What becomes of the largest weight: MOST_WHOLE, or what keeps the sum below MOST_SUM. */
static double weight_largest_whole(const scale *s)
{
    return fmin((double)MOST_WHOLE, (double)MOST_SUM / s->sum);
}

ik_status weights_to_whole(const weight *weights, pattern_flow *flows, size_t count,
                           uint32_t num_hosts, ik_error *err)
{
    scale *scales = ik_calloc((size_t)num_hosts + 1, sizeof *scales);
    if (!scales)
        return ik_fail_memory(err, num_hosts * sizeof *scales, "weights of flows");
    for (size_t i = 0; i < count; i++) {
        scale *s = &scales[flows[i].src];
        s->largest = fmax(s->largest, weights[i].value);
        s->decimals = weights[i].decimals > s->decimals ? weights[i].decimals : s->decimals;
        s->rounded = s->rounded || weights[i].digits == 0;
    }
    for (size_t i = 0; i < count; i++) {
        scale *s = &scales[flows[i].src];
        uint64_t n = weight_whole(&weights[i], s->decimals);
        s->sum += weights[i].value / s->largest;
        s->whole_sum += (double)n;
        s->rounded = s->rounded || n > MOST_WHOLE || s->whole_sum > (double)MOST_SUM;
    }
    for (size_t i = 0; i < count; i++) {
        const scale *s = &scales[flows[i].src];
        double part = weights[i].value / s->largest * weight_largest_whole(s);
        flows[i].weight = !s->rounded ? weight_whole(&weights[i], s->decimals)
                          : part < 1  ? 1
                                      : (uint64_t)llround(part);
        assert(flows[i].weight > 0);
    }
    free(scales);
    return IK_OK;
}
