/* SPDX-License-Identifier: Apache-2.0
 *
 * What each class of the traffic was offered and got. A packet's class is a function of its source
 * and its message's number, so packets carry nothing. */
#include "sim/measure/classes.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool classes_init_counts(class_counts *k, size_t num_series)
{
    if (!sim_histo_init(&k->latency))
        return false;
    if (num_series == 0)
        return true;
    k->series_bytes = ik_calloc(num_series * 2, sizeof *k->series_bytes);
    k->series_sum = ik_calloc(num_series, sizeof *k->series_sum);
    if (!k->series_bytes || !k->series_sum)
        return false;
    k->series_count = k->series_bytes + num_series;
    return true;
}

uint64_t sim_classes_bytes(const ik_traffic *traffic, size_t num_series)
{
    uint64_t num = 0;
    if (!traffic || !traffic->classes)
        return 0;
    while (traffic->classes[num])
        num++;
    return sizeof(class_stats) +
           num * (sizeof(class_counts) + (HISTO_BUCKETS + num_series * 4) * sizeof(uint64_t));
}

ik_status sim_classes_new(const ik_traffic *traffic, size_t num_series, class_stats **out,
                          ik_error *err)
{
    const char *const *names = traffic->classes;
    *out = NULL;
    if (!names)
        return IK_OK;
    class_stats *c = ik_calloc(1, sizeof *c);
    if (!c)
        return ik_fail_memory(err, sizeof *c, "statistics of classes");
    c->traffic = traffic;
    c->num_series = num_series;
    while (names[c->num])
        c->num++;
    c->of = ik_calloc(c->num, sizeof *c->of);
    bool ok = c->of;
    for (unsigned k = 0; ok && k < c->num; k++)
        ok = classes_init_counts(&c->of[k], num_series);
    if (!ok) {
        size_t bytes = c->num * (sizeof *c->of + num_series * 32);
        sim_classes_free(c);
        return ik_fail_memory(err, bytes, "statistics of classes");
    }
    *out = c;
    return IK_OK;
}

void sim_classes_free(class_stats *c)
{
    if (!c)
        return;
    for (unsigned k = 0; c->of && k < c->num; k++) {
        free(c->of[k].latency.buckets);
        free(c->of[k].series_bytes);
        free(c->of[k].series_sum);
    }
    free(c->of);
    free(c);
}

void sim_classes_offer(class_stats *c, uint32_t host, uint64_t n, uint64_t bytes)
{
    c->of[sim_class_of(c, host, n)].offered_bytes += bytes;
}

void sim_classes_take(class_stats *c, unsigned class, uint64_t bytes, bool measured, size_t period)
{
    assert(class < c->num);
    if (measured)
        c->of[class].window_bytes += bytes;
    if (period < c->num_series)
        c->of[class].series_bytes[period] += bytes;
}

void sim_classes_deliver(class_stats *c, unsigned class, uint64_t latency_ps, bool measured,
                         size_t period)
{
    assert(class < c->num);
    if (measured)
        sim_histo_add(&c->of[class].latency, latency_ps);
    if (period < c->num_series) {
        c->of[class].series_count[period]++;
        c->of[class].series_sum[period] += latency_ps;
    }
}

void sim_classes_hold(class_stats *c, unsigned class, bool culprit, uint64_t weight)
{
    assert(class < c->num);
    *(culprit ? &c->of[class].culprits : &c->of[class].victims) += weight;
}

void sim_classes_merge(class_stats *into, const class_stats *from)
{
    assert(into->num == from->num && into->num_series == from->num_series);
    for (unsigned k = 0; k < into->num; k++) {
        into->of[k].offered_bytes += from->of[k].offered_bytes;
        into->of[k].window_bytes += from->of[k].window_bytes;
        sim_histo_merge(&into->of[k].latency, &from->of[k].latency);
        for (size_t t = 0; t < into->num_series; t++) {
            into->of[k].series_bytes[t] += from->of[k].series_bytes[t];
            into->of[k].series_count[t] += from->of[k].series_count[t];
            into->of[k].series_sum[t] += from->of[k].series_sum[t];
        }
    }
}

/* Mean over the delivered packets of the time that a sampled packet stands for. */
static double classes_held_ns(uint64_t packets, uint64_t delivered, uint64_t period_ps)
{
    return delivered ? (double)packets * (double)period_ps / 1000 / (double)delivered : 0;
}

static ik_status export_class(const class_stats *c, unsigned k, double capacity,
                              const double *period_bytes, uint64_t period_ps, ik_class_result *out,
                              ik_error *err)
{
    const class_counts *from = &c->of[k];
    size_t n = c->num_series;
    out->name = strdup(c->traffic->classes[k]);
    out->series_throughput = ik_calloc(n ? n : 1, sizeof(double));
    out->series_latency_ns = ik_calloc(n ? n : 1, sizeof(double));
    if (!out->name || !out->series_throughput || !out->series_latency_ns)
        return ik_fail_memory(err, 2 * n * sizeof(double), "statistics of classes");
    out->offered = capacity > 0 ? (double)from->offered_bytes / capacity : 0;
    out->throughput = capacity > 0 ? (double)from->window_bytes / capacity : 0;
    out->culprit_time_ns = classes_held_ns(from->culprits, from->latency.count, period_ps);
    out->victim_time_ns = classes_held_ns(from->victims, from->latency.count, period_ps);
    for (size_t t = 0; t < n; t++) {
        double mean =
            from->series_count[t] ? (double)from->series_sum[t] / (double)from->series_count[t] : 0;
        out->series_throughput[t] =
            period_bytes[t] > 0 ? (double)from->series_bytes[t] / period_bytes[t] : 0;
        out->series_latency_ns[t] = mean / 1000;
    }
    return sim_histo_export(&from->latency, &out->latency, err);
}

ik_status sim_classes_export(const class_stats *c, double capacity_bytes,
                             const double *period_bytes, ik_sim_result *r, ik_error *err)
{
    if (!c)
        return IK_OK;
    r->classes = ik_calloc(c->num, sizeof *r->classes);
    if (!r->classes)
        return ik_fail_memory(err, c->num * sizeof *r->classes, "statistics of classes");
    r->num_classes = c->num;
    ik_status status = IK_OK;
    for (unsigned k = 0; k < c->num && status == IK_OK; k++)
        status = export_class(c, k, capacity_bytes, period_bytes, r->series_period_ps,
                              &r->classes[k], err);
    return status;
}
