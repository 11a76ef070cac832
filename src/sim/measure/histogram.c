/* SPDX-License-Identifier: Apache-2.0
 *
 * Log-linear histograms (G. Tene's HdrHistogram): values below 256 exactly, above in 128 steps a
 * power of two, so a percentile is within 1/128 of the truth. */
#include "sim/measure/histogram.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sim_histo_init(histo *t)
{
    memset(t, 0, sizeof *t);
    t->min = UINT64_MAX;
    t->buckets = ik_calloc(HISTO_BUCKETS, sizeof *t->buckets);
    return t->buckets;
}

void sim_histo_merge(histo *into, const histo *from)
{
    for (unsigned b = 0; b < HISTO_BUCKETS; b++)
        into->buckets[b] += from->buckets[b];
    into->count += from->count;
    into->sum += from->sum;
    if (from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
}

ik_status sim_histo_export(const histo *t, ik_histogram *h, ik_error *err)
{
    size_t used = HISTO_BUCKETS;
    while (used > 0 && t->buckets[used - 1] == 0)
        used--;
    uint64_t *buckets = ik_calloc(used ? used : 1, sizeof *buckets);
    if (!buckets)
        return ik_fail_memory(err, used * sizeof *buckets, "a histogram");
    memcpy(buckets, t->buckets, used * sizeof *buckets);
    h->buckets = buckets;
    h->num_buckets = used;
    h->count = t->count;
    h->sum = t->sum > UINT64_MAX ? UINT64_MAX : (uint64_t)t->sum;
    h->min = t->count ? t->min : 0;
    h->max = t->max;
    h->mean = t->count ? (double)t->sum / (double)t->count : 0;
    return IK_OK;
}

uint64_t ik_histogram_bucket_low(size_t bucket)
{
    return bucket < 256 ? bucket : (128 + bucket % 128) << (bucket / 128 - 1);
}

double ik_histogram_percentile(const ik_histogram *h, double fraction)
{
    if (h->count == 0)
        return 0;
    double rank = ceil(fraction * (double)h->count);
    uint64_t want = rank < 1 ? 1 : (uint64_t)rank, seen = 0;
    if (want >= h->count)
        return (double)h->max;
    for (size_t b = 0; b < h->num_buckets; b++) {
        seen += h->buckets[b];
        if (seen < want)
            continue;
        double low = (double)ik_histogram_bucket_low(b),
               middle = (low + (double)ik_histogram_bucket_low(b + 1) - 1) / 2;
        if (middle < (double)h->min)
            return (double)h->min;
        return middle > (double)h->max ? (double)h->max : middle;
    }
    return (double)h->max;
}
