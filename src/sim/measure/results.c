/* SPDX-License-Identifier: Apache-2.0
 *
 * The one way from what was measured to a result: totals, distributions, series, classes, fairness
 * and how threads shared the run. */
#include "sim/measure/results.h"
#include "sim/measure/classes.h"
#include "sim/measure/watch.h"
#include <stdlib.h>
#include <string.h>

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
    sum->held += n->held;
}

/* ---- hosts */

/* Bytes that a host with this rate injects at most in the measured window. */
static double results_window_bytes(const run_results *r, double bps)
{
    return bps * (double)r->window_ps / 8e12;
}

/* Injection rates of all connected hosts, bytes in the measured window. */
static double results_capacity_bytes(const run_results *r)
{
    double bytes = 0;
    for (uint32_t host = 0; host < r->f->num_hosts; host++)
        bytes += results_window_bytes(r, r->adapter(r->engine, host).bps);
    return bytes;
}

/* Bytes sent and possible in the window of the host whose first port is number `port`; false if
 * none of its ports wants to send. *next: the first port of the next host. Ports are hosts where
 * every host has one cable. */
static bool results_sum_ports(const run_results *r, const ik_sim_result *out, uint32_t port,
                              uint32_t *next, double *sent, double *room)
{
    uint32_t end = ik_split_next(r->f, port);
    bool wants = false;
    *next = end;
    *sent = *room = 0;
    for (; port < end; port++) {
        const adapter_results a = r->adapter(r->engine, port);
        wants |= !a.silent;
        *sent += (double)out->host_sent_bytes[port];
        *room += results_window_bytes(r, a.bps);
    }
    return wants;
}

/* Checksum, fairness (Jain's index over the hosts that want to send), and the least and most that
 * one of them injected, as fractions of its rate. */
static void results_export_hosts(const run_results *r, ik_sim_result *out)
{
    double sum = 0, squares = 0, n = 0, sent, room;
    out->checksum = 14695981039346656037ull;
    for (uint32_t host = 0; host < r->f->num_hosts; host++)
        out->checksum = (out->checksum ^ r->adapter(r->engine, host).hash) * 1099511628211ull;
    for (uint32_t port = 0, next; port < r->f->num_hosts; port = next) {
        if (!results_sum_ports(r, out, port, &next, &sent, &room)) {
            out->hosts_silent++;
            continue;
        }
        double x = room > 0 ? sent / room : 0;
        out->host_sent_min = n == 0 || x < out->host_sent_min ? x : out->host_sent_min;
        out->host_sent_max = n == 0 || x > out->host_sent_max ? x : out->host_sent_max;
        sum += sent;
        squares += sent * sent;
        n++;
    }
    out->fairness = squares > 0 ? sum * sum / (n * squares) : 1;
}

/* ---- series and classes */

/* Bytes that all hosts can inject in period k; the last one may be shorter. */
static double results_period_bytes(const run_results *r, double capacity, size_t k)
{
    uint64_t begin = k * r->series_ps, end = begin + r->series_ps;
    end = end < r->series_end_ps ? end : r->series_end_ps;
    return r->window_ps ? capacity / (double)r->window_ps * (double)(end - begin) : 0;
}

static ik_status results_export_series(const run_results *r, double capacity, ik_sim_result *out,
                                       ik_error *err)
{
    if (!r->num_series)
        return IK_OK;
    out->series_throughput = ik_calloc(r->num_series, sizeof(double));
    out->series_latency_ns = ik_calloc(r->num_series, sizeof(double));
    if (!out->series_throughput || !out->series_latency_ns)
        return ik_fail_memory(err, r->num_series * sizeof(double), "a time series");
    for (size_t k = 0; k < r->num_series; k++) {
        uint64_t bytes = 0, count = 0;
        sim_area sum = 0;
        for (unsigned q = 0; q < r->num_partitions; q++) {
            bytes += r->partitions[q].series_bytes[k];
            count += r->partitions[q].series_count[k];
            sum += r->partitions[q].series_sum[k];
        }
        double most = results_period_bytes(r, capacity, k);
        out->series_throughput[k] = most > 0 ? (double)bytes / most : 0;
        out->series_latency_ns[k] = count ? (double)sum / (double)count / 1000 : 0;
    }
    out->num_series = r->num_series;
    out->series_period_ps = r->series_ps;
    return IK_OK;
}

static ik_status results_export_classes(const run_results *r, double capacity, ik_sim_result *out,
                                        ik_error *err)
{
    double *period = ik_calloc(r->num_series ? r->num_series : 1, sizeof *period);
    if (!period)
        return ik_fail_memory(err, r->num_series * sizeof *period, "statistics of classes");
    for (size_t k = 0; k < r->num_series; k++)
        period[k] = results_period_bytes(r, capacity, k);
    ik_status status = sim_classes_export(r->partitions[0].classes, capacity, period, out, err);
    free(period);
    return status;
}

/* ---- totals */

static void results_export_sharing(const run_results *r, uint64_t work, ik_sim_sharing *x)
{
    uint64_t busiest = 0;
    *x = (ik_sim_sharing){.threads = r->num_partitions,
                          .cut_channels = r->cut_channels,
                          .steps = r->steps,
                          .balance = 1,
                          .step_balance = 1,
                          .run_seconds = r->run_seconds};
    for (unsigned q = 0; q < r->num_partitions; q++) {
        x->crossings += r->partitions[q].crossings;
        busiest = r->partitions[q].work > busiest ? r->partitions[q].work : busiest;
    }
    if (work && r->num_partitions > 1) {
        x->balance = (double)busiest * r->num_partitions / (double)work;
        x->step_balance = (double)r->busiest * r->num_partitions / (double)work;
    }
}

static void results_export_totals(const run_results *r, double capacity, ik_sim_result *out)
{
    counters n = {0};
    uint64_t work = 0;
    out->state_bytes = r->state_bytes;
    for (unsigned q = 0; q < r->num_partitions; q++) {
        sim_add_counters(&n, r->partitions[q].n);
        work += r->partitions[q].work;
        out->state_bytes += r->partitions[q].bytes;
        out->cpu_seconds += r->partitions[q].cpu_seconds;
    }
    out->load = r->load;
    out->offered = capacity > 0 ? (double)n.offered_bytes / capacity : 0;
    out->throughput = capacity > 0 ? (double)n.window_bytes / capacity : 0;
    out->packets_generated = n.generated;
    out->packets_delivered = n.delivered;
    out->packet_hops = n.hops;
    out->events = work;
    out->packets_in_flight = r->in_flight;
    out->packets_unroutable = n.unroutable;
    out->order_violations = n.order_violations;
    out->window_ps = r->window_ps;
    out->threads = r->num_partitions;
    results_export_sharing(r, work, &out->sharing);
}

/* Into the first partition. Sums, so that their order does not matter. */
static void merge_partitions(const run_results *r)
{
    partition_results *first = &r->partitions[0];
    for (unsigned q = 1; q < r->num_partitions; q++) {
        const partition_results *other = &r->partitions[q];
        sim_histo_merge(first->latency, other->latency);
        sim_histo_merge(first->network, other->network);
        if (first->classes)
            sim_classes_merge(first->classes, other->classes);
        if (first->reorder)
            sim_reorder_merge(first->reorder, first->reorder_series, other->reorder,
                              other->reorder_series, r->num_series);
        if (first->replies)
            sim_reply_stats_merge(first->replies, other->replies, r->num_series);
    }
}

ik_status results_export(const run_results *r, ik_sim_result *out, ik_error *err)
{
    double capacity = results_capacity_bytes(r);
    merge_partitions(r);
    results_export_totals(r, capacity, out);
    results_export_hosts(r, out);
    ik_status status = sim_histo_export(r->partitions[0].latency, &out->latency, err);
    if (status == IK_OK)
        status = sim_histo_export(r->partitions[0].network, &out->network_latency, err);
    if (status == IK_OK)
        status = results_export_series(r, capacity, out, err);
    if (status == IK_OK)
        status = results_export_classes(r, capacity, out, err);
    if (status == IK_OK)
        status = sim_reorder_export(r, out, err);
    if (status == IK_OK)
        status = sim_reply_export(r, out, err);
    if (status == IK_OK)
        status = congest_export(r->congest, out->latency.count, out, err);
    if (status != IK_OK)
        sim_result_clear(out);
    return status;
}
