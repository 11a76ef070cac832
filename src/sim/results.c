/* SPDX-License-Identifier: Apache-2.0
 *
 * From what the partitions of a packet-level model have measured to the result. */
#include "sim/measure/classes.h"
#include "sim/measure/congest.h"
#include "sim/run.h"
#include <stdlib.h>

void sim_add_counters(counters *sum, const counters *n)
{
    sum->generated += n->generated;
    sum->delivered += n->delivered;
    sum->hops += n->hops;
    sum->events += n->events;
    sum->injected += n->injected;
    sum->unroutable += n->unroutable;
    sum->order_violations += n->order_violations;
    sum->offered_bytes += n->offered_bytes;
    sum->window_bytes += n->window_bytes;
    sum->moves += n->moves;
}

/* Bytes sent and possible in the window of the host whose first port is number `port`; false if
 * none of its ports wants to send. *next: the first port of the next host. Ports are hosts where
 * every host has one cable. */
static bool sum_ports(const sim *s, uint32_t port, uint32_t *next, double *sent, double *room)
{
    uint32_t end = ik_split_next(s->f, port);
    bool wants = false;
    *next = end;
    *sent = *room = 0;
    for (; port < end; port++) {
        wants |= !s->hosts[port].silent;
        *sent += (double)s->host_sent_bytes[port];
        if (s->hosts[port].port != IK_NONE)
            *room += (double)sim_injection_bps(s, port) * (double)(s->end_ps - s->warmup_ps) / 8e12;
    }
    return wants;
}

/* Jain's index over the hosts that want to send. */
static double fairness(const sim *s)
{
    double sum = 0, squares = 0, n = 0, x, room;
    for (uint32_t port = 0, next; port < s->f->num_hosts; port = next) {
        if (!sum_ports(s, port, &next, &x, &room))
            continue;
        sum += x;
        squares += x * x;
        n++;
    }
    return squares > 0 ? sum * sum / (n * squares) : 1;
}

/* Least and most injected by a host that wants to send, as fractions of its rate. */
static void find_extremes(const sim *s, ik_sim_result *r)
{
    bool any = false;
    double sent, room;
    for (uint32_t port = 0, next; port < s->f->num_hosts; port = next) {
        if (!sum_ports(s, port, &next, &sent, &room))
            continue;
        double x = sent / room;
        r->host_sent_min = !any || x < r->host_sent_min ? x : r->host_sent_min;
        r->host_sent_max = !any || x > r->host_sent_max ? x : r->host_sent_max;
        any = true;
    }
}

/* Injection rates of all connected hosts, bytes a window. */
static double capacity_bytes(const sim *s)
{
    double bytes = 0;
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        if (s->hosts[host].port != IK_NONE)
            bytes += (double)sim_injection_bps(s, host) * (double)(s->end_ps - s->warmup_ps) / 8e12;
    return bytes;
}

static ik_status export_series(const sim *s, ik_sim_result *r, ik_error *err)
{
    if (!s->num_series)
        return IK_OK;
    r->series_throughput = ik_calloc(s->num_series, sizeof(double));
    r->series_latency_ns = ik_calloc(s->num_series, sizeof(double));
    if (!r->series_throughput || !r->series_latency_ns)
        return ik_fail_memory(err, s->num_series * sizeof(double), "a time series");
    double per_ps = capacity_bytes(s) / (double)(s->end_ps - s->warmup_ps);
    for (size_t k = 0; k < s->num_series; k++) {
        uint64_t bytes = 0, count = 0, sum = 0;
        for (unsigned q = 0; q < s->num_partitions; q++) {
            bytes += s->partitions[q].series_bytes[k];
            count += s->partitions[q].series_count[k];
            sum += s->partitions[q].series_sum[k];
        }
        uint64_t begin = k * s->series_ps,
                 end = begin + s->series_ps < s->end_ps ? begin + s->series_ps : s->end_ps;
        r->series_throughput[k] = per_ps > 0 ? (double)bytes / (per_ps * (double)(end - begin)) : 0;
        r->series_latency_ns[k] = count ? (double)sum / (double)count / 1000 : 0;
    }
    r->num_series = s->num_series;
    r->series_period_ps = s->series_ps;
    return IK_OK;
}

static ik_status export_classes(const sim *s, ik_sim_result *r, ik_error *err)
{
    double capacity = capacity_bytes(s), per_ps = capacity / (double)(s->end_ps - s->warmup_ps);
    double *period = ik_calloc(s->num_series ? s->num_series : 1, sizeof *period);
    if (!period)
        return ik_fail_memory(err, s->num_series * sizeof *period, "statistics of classes");
    for (size_t k = 0; k < s->num_series; k++) {
        uint64_t begin = k * s->series_ps, end = begin + s->series_ps;
        period[k] = per_ps * (double)((end < s->end_ps ? end : s->end_ps) - begin);
    }
    for (unsigned q = 1; q < s->num_partitions && s->partitions[0].classes; q++)
        sim_classes_merge(s->partitions[0].classes, s->partitions[q].classes);
    ik_status status = sim_classes_export(s->partitions[0].classes, capacity, period, r, err);
    free(period);
    return status;
}

static void combine_hosts(const sim *s, ik_sim_result *r)
{
    r->checksum = 14695981039346656037ull;
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        r->checksum = (r->checksum ^ s->hosts[host].hash) * 1099511628211ull;
    }
    double sent, room;
    for (uint32_t port = 0, next; port < s->f->num_hosts; port = next)
        r->hosts_silent += !sum_ports(s, port, &next, &sent, &room);
}

static void take_arrays(sim *s, ik_sim_result *r)
{
    r->channel_bytes = s->channel_bytes;
    r->host_bytes = s->host_bytes;
    r->host_sent_bytes = s->host_sent_bytes;
    r->series_blocked = s->series_blocked;
    r->deadlock_text = s->deadlock_text;
    s->channel_bytes = s->host_bytes = s->host_sent_bytes = NULL;
    s->series_blocked = NULL;
    s->deadlock_text = NULL;
}

static void export_sharing(const sim *s, uint64_t events, ik_sim_sharing *x)
{
    uint64_t busiest = 0;
    *x = (ik_sim_sharing){.threads = s->num_partitions,
                          .cut_channels = s->cut.cut_channels,
                          .steps = s->partitions[0].endpoint.step,
                          .balance = 1,
                          .step_balance = 1,
                          .run_seconds = s->run_seconds};
    for (unsigned q = 0; q < s->num_partitions; q++) {
        x->crossings += s->partitions[q].endpoint.posted;
        busiest = s->partitions[q].n.events > busiest ? s->partitions[q].n.events : busiest;
    }
    if (events && s->num_partitions > 1) {
        x->balance = (double)busiest * s->num_partitions / (double)events;
        x->step_balance =
            (double)s->partitions[0].endpoint.busiest * s->num_partitions / (double)events;
    }
}

static void export_counters(const sim *s, ik_sim_result *r)
{
    counters n = {0};
    for (unsigned q = 0; q < s->num_partitions; q++) {
        sim_add_counters(&n, &s->partitions[q].n);
        r->state_bytes += sim_partition_bytes(&s->partitions[q]);
        r->cpu_seconds += s->partitions[q].cpu_seconds;
    }
    double capacity = capacity_bytes(s);
    r->load = s->load;
    r->offered = capacity > 0 ? (double)n.offered_bytes / capacity : 0;
    r->throughput = capacity > 0 ? (double)n.window_bytes / capacity : 0;
    r->packets_generated = n.generated;
    r->packets_delivered = n.delivered;
    r->packet_hops = n.hops;
    r->events = n.events;
    r->packets_in_flight = n.injected - n.delivered - n.unroutable;
    r->packets_unroutable = n.unroutable;
    r->order_violations = n.order_violations;
    r->fairness = fairness(s);
    r->window_ps = s->end_ps - s->warmup_ps;
    r->end_ps = s->deadlock ? s->stopped_ps : s->end_ps;
    r->lookahead_ps = s->lookahead;
    r->deadlock = s->deadlock;
    r->state_bytes += s->state_bytes;
    r->threads = s->num_partitions;
    export_sharing(s, n.events, &r->sharing);
}

ik_status sim_export_results(sim *s, ik_sim_result *out, ik_error *err)
{
    ik_sim_result r = {0};
    for (unsigned q = 1; q < s->num_partitions; q++) {
        sim_histo_merge(&s->partitions[0].latency, &s->partitions[q].latency);
        sim_histo_merge(&s->partitions[0].network, &s->partitions[q].network);
    }
    export_counters(s, &r);
    combine_hosts(s, &r);
    find_extremes(s, &r);
    ik_status status = sim_histo_export(&s->partitions[0].latency, &r.latency, err);
    if (status == IK_OK)
        status = sim_histo_export(&s->partitions[0].network, &r.network_latency, err);
    if (status == IK_OK)
        status = export_series(s, &r, err);
    if (status == IK_OK)
        status = export_classes(s, &r, err);
    if (status == IK_OK)
        status = congest_export(s->congest, r.latency.count, &r, err);
    if (status != IK_OK) {
        ik_sim_result_free(&r);
        return status;
    }
    take_arrays(s, &r);
    *out = r;
    return IK_OK;
}

/* ---- results of a partition */

typedef struct packer {
    unsigned char *to;         /* packing */
    const unsigned char *from; /* unpacking */
    size_t bytes;
} packer;

static void carry(packer *c, void *data, size_t bytes)
{
    if (c->to)
        memcpy(c->to + c->bytes, data, bytes);
    if (c->from)
        memcpy(data, c->from + c->bytes, bytes);
    c->bytes += bytes;
}

static void pack_histogram(packer *c, histo *t)
{
    carry(c, t->buckets, HISTO_BUCKETS * sizeof *t->buckets);
    carry(c, &t->count, sizeof t->count);
    carry(c, &t->sum, sizeof t->sum);
    carry(c, &t->min, sizeof t->min);
    carry(c, &t->max, sizeof t->max);
}

static void pack_classes(packer *c, class_stats *classes)
{
    for (unsigned k = 0; classes && k < classes->num; k++) {
        class_counts *counts = &classes->of[k];
        carry(c, &counts->offered_bytes, sizeof counts->offered_bytes);
        carry(c, &counts->window_bytes, sizeof counts->window_bytes);
        pack_histogram(c, &counts->latency);
        if (classes->num_series)
            carry(c, counts->series_bytes, 3 * classes->num_series * sizeof *counts->series_bytes);
    }
}

static void pack_node(packer *c, sim *s, uint32_t node)
{
    const ik_fabric *f = s->f;
    carry(c, s->channel_bytes + f->port_base[node],
          (f->port_base[node + 1] - f->port_base[node]) * sizeof *s->channel_bytes);
    if (ik_is_switch(f, node)) {
        for (size_t period = 0; period < s->num_series; period++)
            carry(c, &s->series_blocked[period * f->num_switches + node],
                  sizeof *s->series_blocked);
        return;
    }
    uint32_t host = ik_node_host(f, node);
    carry(c, &s->hosts[host].hash, sizeof s->hosts[host].hash);
    carry(c, &s->host_bytes[host], sizeof *s->host_bytes);
    carry(c, &s->host_sent_bytes[host], sizeof *s->host_sent_bytes);
}

static size_t pack_partition(packer c, sim *s, partition *p)
{
    carry(&c, &p->n, sizeof p->n);
    carry(&c, &p->cpu_seconds, sizeof p->cpu_seconds);
    pack_histogram(&c, &p->latency);
    pack_histogram(&c, &p->network);
    if (s->num_series)
        carry(&c, p->series_bytes, 3 * s->num_series * sizeof *p->series_bytes);
    pack_classes(&c, p->classes);
    for (uint32_t node = 0; node < ik_num_nodes(s->f); node++)
        if (s->node_partition[node] == p->id)
            pack_node(&c, s, node);
    return c.bytes;
}

size_t sim_results_pack(sim *s, unsigned id, unsigned char *bytes)
{
    return pack_partition((packer){.to = bytes}, s, &s->partitions[id]);
}

size_t sim_results_unpack(sim *s, unsigned id, const unsigned char *bytes)
{
    return pack_partition((packer){.from = bytes}, s, &s->partitions[id]);
}
