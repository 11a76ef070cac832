/* SPDX-License-Identifier: Apache-2.0
 *
 * A run from set-up to results. */
#include "routing/by_port.h"
#include "sim/measure/classes.h"
#include "sim/measure/congest.h"
#include "sim/parallel/workers.h"
#include <stdlib.h>

const sim_engine *const sim_engines[] = {&sim_fast_engine, &sim_general_engine, NULL};

static void run_partition(void *p)
{
    sim_run_partition(p);
}

static ik_status first_failure(const sim *s, ik_error *err)
{
    for (unsigned q = 0; q < s->num_partitions; q++) {
        if (s->partitions[q].status != IK_OK) {
            if (err)
                *err = s->partitions[q].err;
            return s->partitions[q].status;
        }
    }
    if (ik_env_cancelled(s->env))
        return ik_fail(err, IK_ERR_CANCELLED, "the simulation was cancelled");
    return IK_OK;
}

/* ---- results */

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

static ik_status run_events(const ik_plan *plan, const ik_traffic *traffic,
                            const ik_sim_config *config, const ik_env *env, ik_sim_result *out,
                            ik_error *err)
{
    sim s;
    ik_status status = sim_setup(&s, plan, traffic, config, env, err);
    if (status == IK_OK)
        status = sim_workers_run(s.num_partitions, s.partitions, sizeof *s.partitions,
                                 run_partition, &s.run_seconds, err);
    if (status == IK_OK)
        status = first_failure(&s, err);
    if (status == IK_OK)
        status = sim_export_results(&s, out, err);
    sim_free(&s);
    return status;
}

/* Bytes of a host's ports, summed in place. */
static void sum_by_host(const ik_split *split, uint64_t *bytes)
{
    for (uint32_t host = 0; bytes && host < split->whole->num_hosts; host++) {
        uint64_t sum = 0;
        for (uint32_t port = split->first[host]; port < split->first[host + 1]; port++)
            sum += bytes[port];
        bytes[host] = sum;
    }
}

/* Results speak of hosts, not of their ports. */
static void name_hosts(const ik_split *split, ik_sim_result *r)
{
    sum_by_host(split, r->host_bytes);
    sum_by_host(split, r->host_sent_bytes);
}

/* Under a routing for hosts with several cables the simulator knows ports only: each is an adapter
 * with credits of its own, which sends the messages of its host that take it. */
ik_status ik_sim_run(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config,
                     const ik_env *env, ik_sim_result *out, ik_error *err)
{
    const ik_traffic *by_port;
    ik_status status =
        by_port_make(traffic, plan->routing, BY_PORT_SHARES, env ? env->seed : 0, &by_port, err);
    if (status != IK_OK)
        return status;
    if (sim_is_pipelined(config))
        status = sim_run_pipelined(plan, by_port, config, env, out, err);
    else
        status = run_events(plan, by_port, config, env, out, err);
    if (status == IK_OK && plan->fabric->split)
        name_hosts(plan->fabric->split, out);
    by_port_free(by_port, traffic);
    return status;
}

void ik_sim_result_free(ik_sim_result *r)
{
    if (!r)
        return;
    free(r->latency.buckets);
    free(r->network_latency.buckets);
    free(r->channel_bytes);
    free(r->host_bytes);
    free(r->host_sent_bytes);
    free(r->series_throughput);
    free(r->series_latency_ns);
    free(r->series_blocked);
    free(r->deadlock_text);
    congest_result_free(&r->congestion);
    for (size_t k = 0; k < r->num_classes; k++) {
        free(r->classes[k].name);
        free(r->classes[k].latency.buckets);
        free(r->classes[k].series_throughput);
        free(r->classes[k].series_latency_ns);
    }
    free(r->classes);
    memset(r, 0, sizeof *r);
}
