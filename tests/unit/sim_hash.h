/* SPDX-License-Identifier: Apache-2.0
 *
 * One number for everything that a run returns. */
#ifndef SIM_HASH_H
#define SIM_HASH_H

#include "ikat/ikat.h"
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

/* All but what the header names as no function of plan, traffic, config and seed. */
static inline uint64_t hash_result(const ik_fabric *f, const ik_sim_result *r)
{
    hash h = {14695981039346656037ull};
    const uint64_t numbers[] = {r->packets_generated,  r->packets_delivered, r->packet_hops,  r->events,    r->packets_in_flight,
                                r->packets_unroutable, r->order_violations,  r->hosts_silent, r->window_ps, r->end_ps,
                                r->lookahead_ps,       r->series_period_ps,  r->num_series,   r->deadlock,  r->checksum};
    const double reals[] = {r->load, r->offered, r->throughput, r->fairness};
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
    mix(&h, r->deadlock_text, r->deadlock_text ? strlen(r->deadlock_text) : 0);
    return h.value;
}

#endif
