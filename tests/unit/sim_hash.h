/* SPDX-License-Identifier: Apache-2.0
 *
 * One number for everything that a run returns. */
#ifndef SIM_HASH_H
#define SIM_HASH_H

#include "ikat/ikat.h"
#include "sim/measure/sim_result.h"
#include <string.h>

typedef struct hash {
    uint64_t value;
} hash;

static inline void mix(hash *h, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; at && k < size; k++)
        h->value = (h->value ^ at[k]) * 1099511628211ull;
}

static inline void mix_real(hash *h, double value)
{
    mix(h, &value, sizeof value);
}

static inline void mix_histogram(hash *h, const ik_histogram *t)
{
    const uint64_t numbers[] = {t->count, t->sum, t->min, t->max, t->num_buckets};
    mix(h, numbers, sizeof numbers);
    mix_real(h, t->mean);
    mix(h, t->buckets, t->num_buckets * sizeof *t->buckets);
}

static inline void mix_congestion(hash *h, const ik_fabric *f, const ik_congestion *k)
{
    const uint64_t numbers[] = {k->num_samples, k->period_ps,    k->num_trees,    k->num_roots,
                                k->all_roots,   k->num_culprits, k->all_culprits, k->num_victims,
                                k->all_victims, k->flow_error,   k->stride,       k->largest_tree};
    const double reals[] = {k->blocked_share, k->hol_share, k->hol_time_ns, k->mean_roots};
    size_t n = k->num_samples;
    mix(h, numbers, sizeof numbers);
    mix(h, reals, sizeof reals);
    mix(h, k->roots, n * sizeof *k->roots);
    mix(h, k->buffers, n * sizeof *k->buffers);
    mix(h, k->hosts, n * sizeof *k->hosts);
    mix(h, k->cyclic, n * sizeof *k->cyclic);
    mix(h, k->bytes, n * sizeof *k->bytes);
    mix(h, k->hol_bytes, n * sizeof *k->hol_bytes);
    mix(h, k->fairness, n * sizeof *k->fairness);
    mix(h, k->switch_blocked, n * f->num_switches * sizeof *k->switch_blocked);
    mix(h, k->switch_hol, n * f->num_switches * sizeof *k->switch_hol);
    mix(h, k->trees, k->num_trees * sizeof *k->trees);
    mix(h, k->root_list, k->num_roots * sizeof *k->root_list);
    mix(h, k->culprits, k->num_culprits * sizeof *k->culprits);
    mix(h, k->victims, k->num_victims * sizeof *k->victims);
}

static inline void mix_class(hash *h, const ik_class_result *c, size_t num_series)
{
    mix(h, c->name, strlen(c->name));
    mix_real(h, c->offered);
    mix_real(h, c->throughput);
    mix_real(h, c->culprit_time_ns);
    mix_real(h, c->victim_time_ns);
    mix_histogram(h, &c->latency);
    mix(h, c->series_throughput, num_series * sizeof(double));
    mix(h, c->series_latency_ns, num_series * sizeof(double));
}

static inline void mix_reorder(hash *h, const ik_sim_reorder *k, size_t num_series)
{
    const uint64_t numbers[] = {k->in_order, k->out_of_order, k->max_bytes};
    const double reals[] = {k->arrival_latency, k->mean_bytes, k->throttled_mean, k->throttled_max};
    const double *const series[] = {k->series_bytes, k->series_out_of_order, k->series_throttled};
    mix(h, numbers, sizeof numbers);
    mix(h, reals, sizeof reals);
    for (unsigned n = 0; n < 3 && series[n]; n++)
        mix(h, series[n], num_series * sizeof(double));
}

static inline void mix_replies(hash *h, const ik_sim_replies *k, size_t num_series)
{
    mix(h, &k->on, sizeof k->on);
    mix_histogram(h, &k->round_trip);
    mix_histogram(h, &k->request_latency);
    mix_histogram(h, &k->reply_latency);
    mix_real(h, k->mean_outstanding);
    mix(h, k->series_outstanding, num_series * sizeof(double));
}

static inline void mix_path(hash *h, const ik_critical_path *path)
{
    const uint64_t numbers[] = {path->num_segments, path->left_out, path->messages};
    mix(h, numbers, sizeof numbers);
    mix(h, path->kind_ps, sizeof path->kind_ps);
    for (size_t k = 0; k < path->num_segments; k++) {
        const ik_path_segment *g = &path->segments[k];
        const uint64_t of[] = {g->kind, g->host, g->peer, g->op, g->bytes, g->begin_ps, g->end_ps};
        mix(h, of, sizeof of);
    }
}

static inline void mix_message_class(hash *h, const ik_message_class *c)
{
    const uint64_t numbers[] = {c->messages, c->bytes, c->first_ps, c->last_ps};
    mix(h, c->name, strlen(c->name));
    mix(h, numbers, sizeof numbers);
}

/* When each host was done, what the end waited for, what became of each class of messages, and what
 * is missing. */
static inline void mix_workload(hash *h, const ik_fabric *f, const ik_sim_result *r)
{
    const uint64_t numbers[] = {r->finite, r->completed, r->completion_ps, r->workload_messages,
                                r->workload_bytes};
    mix(h, numbers, sizeof numbers);
    mix(h, r->host_finish_ps, f->num_hosts * sizeof *r->host_finish_ps);
    mix_path(h, &r->critical_path);
    for (size_t k = 0; k < r->num_message_classes; k++)
        mix_message_class(h, &r->message_classes[k]);
    mix(h, r->ranks, r->num_ranks * sizeof *r->ranks);
    mix(h, r->timeline, r->num_timeline * sizeof *r->timeline);
    mix(h, r->matrix, r->num_matrix * sizeof *r->matrix);
    mix(h, r->missing_text, r->missing_text ? strlen(r->missing_text) : 0);
}

/* All but what the header names as no function of plan, traffic, config and seed. */
static inline uint64_t hash_result(const ik_fabric *f, const ik_sim_result *r)
{
    hash h = {14695981039346656037ull};
    const uint64_t numbers[] = {r->packets_generated, r->packets_delivered,
                                r->packet_hops,       r->events,
                                r->packets_in_flight, r->packets_unroutable,
                                r->order_violations,  r->hosts_silent,
                                r->window_ps,         r->end_ps,
                                r->lookahead_ps,      r->series_period_ps,
                                r->num_series,        r->deadlock,
                                r->checksum};
    const double reals[] = {r->load,     r->offered,       r->throughput,
                            r->fairness, r->host_sent_min, r->host_sent_max};
    mix(&h, numbers, sizeof numbers);
    mix(&h, reals, sizeof reals);
    mix_histogram(&h, &r->latency);
    mix_histogram(&h, &r->network_latency);
    mix(&h, r->channel_bytes, f->num_ports * sizeof *r->channel_bytes);
    mix(&h, r->host_bytes, f->num_hosts * sizeof *r->host_bytes);
    mix(&h, r->host_sent_bytes, f->num_hosts * sizeof *r->host_sent_bytes);
    mix(&h, r->series_throughput, r->num_series * sizeof(double));
    mix(&h, r->series_latency_ns, r->num_series * sizeof(double));
    mix(&h, r->series_blocked, r->num_series * f->num_switches * sizeof(double));
    mix_reorder(&h, &r->reorder, r->num_series);
    mix_replies(&h, &r->replies, r->num_series);
    mix_workload(&h, f, r);
    mix_congestion(&h, f, &r->congestion);
    for (size_t k = 0; k < r->num_classes; k++)
        mix_class(&h, &r->classes[k], r->num_series);
    mix(&h, r->deadlock_text, r->deadlock_text ? strlen(r->deadlock_text) : 0);
    return h.value;
}

#endif
