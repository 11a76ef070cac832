/* SPDX-License-Identifier: Apache-2.0
 *
 * blend.c: the flows of several patterns, each weighted, added up.
 *
 * Every pattern tells its flows in ascending order, but by calling, so they cannot be merged as
 * they come. They are collected in windows of destinations: a window ends where the first pattern
 * runs out of room, and the patterns are asked again for the next. Sparse patterns fit a small
 * buffer on the stack in one window; for others there is room for all hosts on the heap.
 */
#include "traffic/blend.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct ratio {
    uint64_t num, den; /* in lowest terms, num > 0 */
} ratio;

/* Nearest fraction of a product or sum that no 64 bits hold. */
static ratio blend_nearest(double value)
{
    double whole = nearbyint(value * 0x1p53);
    return (ratio){whole < 1 ? 1 : (uint64_t)whole, (uint64_t)1 << 53};
}

static double blend_real(ratio r)
{
    return (double)r.num / (double)r.den;
}

static bool blend_overflows(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX / b;
}

static ratio blend_lowest(uint64_t num, uint64_t den)
{
    assert(den > 0);
    uint64_t g = ik_gcd(num, den);
    return (ratio){num / g, den / g};
}

static ratio blend_product(ratio a, ratio b)
{
    ratio x = blend_lowest(a.num, b.den), y = blend_lowest(b.num, a.den);
    if (blend_overflows(x.num, y.num) || blend_overflows(x.den, y.den))
        return blend_nearest(blend_real(a) * blend_real(b));
    return (ratio){x.num * y.num, x.den * y.den};
}

typedef struct addition {
    ratio a, b, sum;
} addition;

static bool blend_same(ratio a, ratio b)
{
    return a.num == b.num && a.den == b.den;
}

static ratio blend_sum(ratio a, ratio b)
{
    uint64_t g = ik_gcd(a.den, b.den), by_a = b.den / g, by_b = a.den / g;
    if (blend_overflows(a.num, by_a) || blend_overflows(b.num, by_b) ||
        blend_overflows(a.den, by_a) || a.num * by_a > UINT64_MAX - b.num * by_b)
        return blend_nearest(blend_real(a) + blend_real(b));
    return blend_lowest(a.num * by_a + b.num * by_b, a.den * by_a);
}

/* ---- windows */

typedef struct entry {
    uint32_t dst;
    ratio share;
} entry;

typedef struct segment {
    entry *at;
    uint32_t count, room;
    uint32_t first; /* destination of the window */
    uint32_t left;  /* first destination that there was no room for */
    ratio share;
    uint64_t weight, scale; /* of the last flow, whose share is `of_last`: they are mostly alike */
    ratio of_last;
} segment;

static void blend_collect(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    segment *s = ctx;
    (void)src;
    if (dst < s->first || s->left != IK_NONE)
        return;
    if (s->count == s->room) {
        s->left = dst;
        return;
    }
    if (weight != s->weight || scale != s->scale) {
        s->weight = weight;
        s->scale = scale;
        s->of_last = blend_product(s->share, blend_lowest(weight, scale));
    }
    s->at[s->count++] = (entry){dst, s->of_last};
}

/* The same for sums that are mostly alike. */
static ratio blend_sum_again(addition *last, ratio a, ratio b)
{
    if (!blend_same(a, last->a) || !blend_same(b, last->b))
        *last = (addition){a, b, blend_sum(a, b)};
    return last->sum;
}

/* Tells the flows of all segments to destinations below `end`. */
static void blend_merge(const segment *segments, unsigned num, uint32_t end, uint32_t src,
                        ik_flow_fn fn, void *ctx)
{
    assert(num > 0);
    uint32_t next[BLEND_MAX] = {0};
    addition last[BLEND_MAX] = {0}; /* with segment k */
    for (;;) {
        uint32_t dst = end;
        for (unsigned k = 0; k < num; k++)
            if (next[k] < segments[k].count && segments[k].at[next[k]].dst < dst)
                dst = segments[k].at[next[k]].dst;
        if (dst == end)
            return;
        ratio all = {0, 1};
        for (unsigned k = 0; k < num; k++)
            if (next[k] < segments[k].count && segments[k].at[next[k]].dst == dst) {
                ratio own = segments[k].at[next[k]++].share;
                all = all.num ? blend_sum_again(&last[k], all, own) : own;
            }
        fn(ctx, src, dst, all.num, all.den);
    }
}

/* Fills the segments with flows from `first` on; returns where the window ends. */
static uint32_t blend_fill(segment *segments, const blend_part *parts, unsigned num, uint32_t src,
                           uint32_t first)
{
    uint32_t end = IK_NONE;
    for (unsigned k = 0; k < num; k++) {
        segment *s = &segments[k];
        s->count = 0;
        s->first = first;
        s->left = IK_NONE;
        parts[k].traffic->family->flows(parts[k].traffic, src, blend_collect, s);
        end = s->left < end ? s->left : end;
    }
    return end;
}

static void blend_divide(segment *segments, unsigned num, entry *buffer, uint32_t room)
{
    for (unsigned k = 0; k < num; k++) {
        segments[k].at = buffer + (size_t)k * room;
        segments[k].room = room;
    }
}

void blend_flows(const blend_part *parts, unsigned num, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(num > 0);
    enum { SMALL = 8 * BLEND_MAX };
    blend_part used[BLEND_MAX];
    segment segments[BLEND_MAX];
    entry small[SMALL], *large = NULL;
    unsigned n = 0;
    for (unsigned k = 0; k < num; k++)
        if (parts[k].num) {
            segments[n] = (segment){.share = blend_lowest(parts[k].num, parts[k].den)};
            used[n++] = parts[k];
        }
    if (n == 0)
        return;
    blend_divide(segments, n, small, SMALL / n);
    uint32_t end = blend_fill(segments, used, n, src, 0);
    if (end != IK_NONE) {
        uint32_t hosts = used[0].traffic->num_hosts;
        large = ik_calloc((size_t)n * hosts, sizeof *large);
        if (large) {
            blend_divide(segments, n, large, hosts);
            end = blend_fill(segments, used, n, src, 0);
        }
    }
    blend_merge(segments, n, end, src, fn, ctx);
    while (end != IK_NONE) {
        uint32_t first = end;
        end = blend_fill(segments, used, n, src, first);
        blend_merge(segments, n, end, src, fn, ctx);
    }
    free(large);
}
