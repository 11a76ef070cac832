/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_result.c: what a run of the pipelined model measured.
 */
#include "sim/flit/pipe.h"
#include "sim/measure/classes.h"
#include "sim/measure/congest.h"

#include <stdlib.h>

static double injection_bps(const pipe *p)
{
    double sum = 0;
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        if (p->hosts[host].port != IK_NONE)
            sum += (double)ik_port_rate_bps(p->f, p->hosts[host].port);
    return sum;
}

/* Bytes sent by the host whose first port is number `port`, and its rate; false if none of its
 * ports wants to send. *next: the first port of the next host. Ports are hosts where every host has
 * one cable. */
static bool sum_ports(const pipe *p, uint32_t port, uint32_t *next, double *sent, double *bps)
{
    uint32_t end = ik_split_next(p->f, port);
    bool wants = false;
    *next = end;
    *sent = *bps = 0;
    for (; port < end; port++) {
        wants |= !p->hosts[port].silent;
        *sent += (double)p->host_sent_bytes[port];
        *bps += p->hosts[port].port == IK_NONE
                    ? 0
                    : (double)ik_port_rate_bps(p->f, p->hosts[port].port);
    }
    return wants;
}

static double jain(const pipe *p)
{
    double sum = 0, squares = 0, count = 0, x, bps;
    for (uint32_t port = 0, next; port < p->f->num_hosts; port = next)
        if (sum_ports(p, port, &next, &x, &bps)) {
            sum += x;
            squares += x * x;
            count++;
        }
    return squares > 0 ? sum * sum / (count * squares) : 1;
}

static ik_status export_series(pipe *p, ik_sim_result *out, ik_error *err)
{
    if (!p->num_series)
        return IK_OK;
    out->series_throughput = ik_calloc(p->num_series, sizeof *out->series_throughput);
    out->series_latency_ns = ik_calloc(p->num_series, sizeof *out->series_latency_ns);
    if (!out->series_throughput || !out->series_latency_ns)
        return ik_fail_memory(err, p->num_series * sizeof(double), "a time series");
    double period_bits = injection_bps(p) * (double)p->series * (double)p->clock_ps * 1e-12;
    for (size_t k = 0; k < p->num_series; k++) {
        uint64_t bytes = 0, count = 0, sum = 0;
        for (unsigned id = 0; id < p->num_partitions; id++) {
            bytes += p->partitions[id].series_bytes[k];
            count += p->partitions[id].series_count[k];
            sum += p->partitions[id].series_sum[k];
        }
        out->series_throughput[k] = period_bits > 0 ? 8.0 * (double)bytes / period_bits : 0;
        out->series_latency_ns[k] = count ? (double)sum / (double)count / 1000 : 0;
    }
    out->num_series = p->num_series;
    out->series_period_ps = p->series * p->clock_ps;
    out->series_blocked = p->series_blocked;
    p->series_blocked = NULL;
    return IK_OK;
}

static ik_status export_classes(const pipe *p, double window_bits, ik_sim_result *out,
                                ik_error *err)
{
    double *period = ik_calloc(p->num_series ? p->num_series : 1, sizeof *period);
    if (!period)
        return ik_fail_memory(err, p->num_series * sizeof *period, "statistics of classes");
    for (size_t k = 0; k < p->num_series; k++)
        period[k] = injection_bps(p) * (double)p->series * (double)p->clock_ps * 1e-12 / 8;
    ik_status status =
        sim_classes_export(p->partitions[0].classes, window_bits / 8, period, out, err);
    free(period);
    return status;
}

/* Least and most injected by a host that wants to send, as fractions of its rate. */
static void find_extremes(const pipe *p, uint64_t window, ik_sim_result *out)
{
    bool any = false;
    double sent, bps;
    for (uint32_t port = 0, next; port < p->f->num_hosts && window; port = next) {
        if (!sum_ports(p, port, &next, &sent, &bps))
            continue;
        double bits = bps * (double)window * (double)p->clock_ps * 1e-12;
        double x = 8.0 * sent / bits;
        out->host_sent_min = !any || x < out->host_sent_min ? x : out->host_sent_min;
        out->host_sent_max = !any || x > out->host_sent_max ? x : out->host_sent_max;
        any = true;
    }
}

/* Into those of the first partition. Sums, so that their order is no matter. */
static void merge_partitions(pipe *p)
{
    pipe_partition *first = &p->partitions[0];
    for (unsigned id = 1; id < p->num_partitions; id++) {
        const pipe_partition *q = &p->partitions[id];
        sim_histo_merge(&first->latency, &q->latency);
        sim_histo_merge(&first->network, &q->network);
        if (q->classes)
            sim_classes_merge(first->classes, q->classes);
    }
}

static counters sum_counters(const pipe *p)
{
    counters n = {0};
    for (unsigned id = 0; id < p->num_partitions; id++)
        sim_add_counters(&n, &p->partitions[id].n);
    return n;
}

static void export_sharing(const pipe *p, uint64_t moves, ik_sim_sharing *x)
{
    uint64_t busiest = 0;
    *x = (ik_sim_sharing){.threads = p->num_partitions,
                          .cut_channels = p->cut.cut_channels,
                          .steps = p->partitions[0].endpoint.step,
                          .balance = 1,
                          .step_balance = 1,
                          .run_seconds = p->run_seconds};
    for (unsigned id = 0; id < p->num_partitions; id++) {
        x->crossings += p->partitions[id].endpoint.posted;
        busiest = p->partitions[id].n.moves > busiest ? p->partitions[id].n.moves : busiest;
    }
    if (moves && p->num_partitions > 1) {
        x->balance = (double)busiest * p->num_partitions / (double)moves;
        x->step_balance =
            (double)p->partitions[0].endpoint.busiest * p->num_partitions / (double)moves;
    }
}

static void export_totals(const pipe *p, double bits, ik_sim_result *out)
{
    counters n = sum_counters(p);
    out->load = p->load;
    out->offered = bits > 0 ? 8.0 * (double)n.offered_bytes / bits : 0;
    out->throughput = bits > 0 ? 8.0 * (double)n.window_bytes / bits : 0;
    out->packets_generated = n.generated;
    out->packets_delivered = n.delivered;
    out->packet_hops = n.hops;
    out->events = n.moves;
    out->packets_in_flight = pipe_in_flight(p);
    out->packets_unroutable = n.unroutable;
    out->order_violations = n.order_violations;
    out->fairness = jain(p);
    out->threads = p->num_partitions;
    out->state_bytes = p->state_bytes;
    for (unsigned id = 0; id < p->num_partitions; id++) {
        out->state_bytes += pipe_partition_bytes(&p->partitions[id]);
        out->cpu_seconds += p->partitions[id].cpu_seconds;
    }
    export_sharing(p, n.moves, &out->sharing);
}

static void export_hosts(const pipe *p, ik_sim_result *out)
{
    out->checksum = UINT64_C(0xCBF29CE484222325);
    for (uint32_t host = 0; host < p->f->num_hosts; host++) {
        out->checksum = (out->checksum ^ p->hosts[host].hash) * UINT64_C(0x100000001B3);
    }
    double sent, bps;
    for (uint32_t port = 0, next; port < p->f->num_hosts; port = next)
        out->hosts_silent += !sum_ports(p, port, &next, &sent, &bps);
}

static ik_status export_lists(pipe *p, double bits, ik_sim_result *out, ik_error *err)
{
    const pipe_partition *first = &p->partitions[0];
    ik_status status = sim_histo_export(&first->latency, &out->latency, err);
    if (status == IK_OK)
        status = sim_histo_export(&first->network, &out->network_latency, err);
    if (status == IK_OK)
        status = export_series(p, out, err);
    if (status == IK_OK)
        status = export_classes(p, bits, out, err);
    if (status == IK_OK)
        status = congest_export(p->congest, out->latency.count, out, err);
    return status;
}

/* Takes away what goes over the links after the end; what hosts sent is what their links took. */
static void end_channels(pipe *p, uint64_t stopped)
{
    uint64_t end = stopped * p->speedup;
    for (uint32_t id = 0; id < p->f->num_ports; id++) {
        const pipe_port *port = &p->ports[id];
        if (port->free_at <= end)
            continue;
        uint64_t over = ((port->free_at - end) * p->flit_bytes + port->period - 1) / port->period;
        p->channel_bytes[id] -= over < p->channel_bytes[id] ? over : p->channel_bytes[id];
    }
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        if (p->hosts[host].port != IK_NONE)
            p->host_sent_bytes[host] = p->channel_bytes[p->hosts[host].port];
}

ik_status pipe_export(pipe *p, ik_sim_result *out, ik_error *err)
{
    uint64_t stopped = p->partitions[0].cycle,
             window = stopped > p->warmup ? stopped - p->warmup : 0;
    double bits = injection_bps(p) * (double)window * (double)p->clock_ps * 1e-12;
    merge_partitions(p);
    end_channels(p, stopped);
    ik_status status = export_lists(p, bits, out, err);
    if (status != IK_OK)
        return status;
    find_extremes(p, window, out);
    export_totals(p, bits, out);
    export_hosts(p, out);
    out->window_ps = window * p->clock_ps;
    out->end_ps = stopped * p->clock_ps;
    out->lookahead_ps = p->clock_ps;
    out->deadlock = p->deadlock;
    out->deadlock_text = p->deadlock_text;
    out->channel_bytes = p->channel_bytes;
    out->host_bytes = p->host_bytes;
    out->host_sent_bytes = p->host_sent_bytes;
    p->deadlock_text = NULL;
    p->channel_bytes = p->host_bytes = p->host_sent_bytes = NULL;
    return IK_OK;
}
