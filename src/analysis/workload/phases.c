/* SPDX-License-Identifier: Apache-2.0
 *
 * phases.c: how long a workload's phases take by their bytes alone, on a fabric and behind an ideal
 * crossbar.
 */
#include "ikat/analysis.h"

#include "analysis/paths.h"
#include "analysis/workload/phase_flows.h"

#include <math.h>
#include <stdlib.h>

/* Nanoseconds in which a link of this rate sends so many bytes. */
static double phases_time_ns(double bytes, uint64_t rate_bps)
{
    return bytes * 8e9 / (double)rate_bps;
}

/* total_ns: [ports] of all phases so far. */
static void phases_note_bounds(const phase_pattern *p, const ik_fabric *f, const ik_load *l,
                               ik_phase *out, double *total_ns)
{
    double sent = 0, waited_ns = 0;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (!(l->load[port] > 0))
            continue;
        double bytes = l->load[port] * (double)p->busiest_bytes,
               ns = phases_time_ns(bytes, ik_port_rate_bps(f, port));
        out->bound_ns = fmax(out->bound_ns, ns);
        total_ns[port] += ns;
        waited_ns += bytes * (double)ik_port_latency_ps(f, port) / 1e3;
        if (!ik_is_switch(f, f->port_node[port]))
            sent += bytes;
        if (paths_path_inner(f, port))
            out->max_load_bytes = fmax(out->max_load_bytes, bytes);
        else
            out->crossbar_bound_ns = fmax(out->crossbar_bound_ns, ns);
    }
    out->latency_ns = sent > 0 ? waited_ns / sent : 0;
}

static ik_status measure_phase(const ik_routing *r, phase_pattern *p, double most_flows,
                               const ik_env *env, ik_phase *out, double *total_ns, ik_error *err)
{
    ik_load load;
    ik_status status = ik_load_measure(r, &p->traffic, env, &load, err);
    if (status != IK_OK)
        return status;
    out->undelivered = load.undelivered;
    phases_note_bounds(p, r->fabric, &load, out, total_ns);
    if (out->max_load_bytes > 0 && ik_load_chooses_detours(r))
        out->max_load_bytes = out->bound_ns = NAN; /* queues decide which channel is fullest */
    ik_load_free(&load);
    if (out->undelivered)
        status = ik_flows_unconnected(&p->traffic, &out->unconnected, err);
    if (status != IK_OK)
        return status;
    if (!most_flows || (double)p->num_flows > most_flows * (double)p->traffic.num_hosts)
        return IK_OK;
    double largest = 0;
    status = contention_of_sizes(r, &p->traffic, env, &largest, &out->contention, err);
    if (status != IK_OK)
        return status;
    double unit_ns = phases_time_ns(largest * (double)p->busiest_bytes, p->ref_rate_bps);
    out->has_contention = true;
    out->fluid_ns = out->contention.fluid_time * unit_ns;
    out->crossbar_ns = out->contention.fluid_crossbar_time * unit_ns;
    return IK_OK;
}

static void phases_add_phase(ik_phases *all, const ik_phase *p)
{
    all->messages += p->messages;
    all->bytes += p->bytes;
    all->flows += p->flows;
    all->undelivered += p->undelivered;
    all->unconnected += p->unconnected;
    all->bound_ns += p->bound_ns;
    all->crossbar_bound_ns += p->crossbar_bound_ns;
    all->latency_ns += p->latency_ns;
    all->has_contention = all->has_contention && p->has_contention;
    all->fluid_ns += p->fluid_ns;
    all->crossbar_ns += p->crossbar_ns;
    all->phases[all->num++] = *p;
}

/* Whether what a channel carries in all phases is certain: where queues choose the way, only what
 * hosts send and receive is; where destinations are drawn, only what hosts send. */
static bool phases_is_certain(const ik_routing *r, const ik_workload *w, uint32_t port)
{
    const ik_fabric *f = r->fabric;
    if (w->batch)
        return !ik_is_switch(f, f->port_node[port]);
    return r->kind == IK_ROUTE_DETERMINISTIC || !paths_path_inner(f, port);
}

static double phases_least_ns(const ik_routing *r, const ik_workload *w, const double *total_ns)
{
    double least = 0;
    for (uint32_t port = 0; port < r->fabric->num_ports; port++)
        if (total_ns[port] > least && phases_is_certain(r, w, port))
            least = total_ns[port];
    return least;
}

static void phases_conclude(ik_phases *p)
{
    bool fluid = p->has_contention && p->fluid_ns == p->fluid_ns && p->crossbar_ns > 0;
    double time = fluid ? p->fluid_ns : p->bound_ns,
           crossbar = fluid ? p->crossbar_ns : p->crossbar_bound_ns;
    p->slowdown = crossbar > 0 ? time / crossbar : 1;
}

static ik_status phases_measure_class(phase_cut *cut, uint32_t number, double most_flows,
                                      const ik_env *env, ik_phases *out, double *total_ns,
                                      ik_error *err)
{
    const ik_workload *w = cut->t->workload;
    phase_pattern p;
    ik_status status = phase_pattern_make(&p, cut, number, err);
    if (status == IK_OK && p.messages) {
        ik_phase phase = {.name = w->classes ? w->classes[number] : NULL,
                          .messages = p.messages,
                          .bytes = p.bytes,
                          .flows = p.num_flows};
        const ik_routing *r = cut->r;
        if (r->family->of_phase)
            r = r->family->of_phase(r, number);
        p.traffic.impl = &p;
        status = measure_phase(r, &p, most_flows, env, &phase, total_ns, err);
        if (status == IK_OK)
            phases_add_phase(out, &phase);
    }
    phase_pattern_free(&p);
    return status;
}

ik_status ik_phases_measure(const ik_routing *r, const ik_traffic *t, double most_flows,
                            const ik_env *env, ik_phases *out, ik_error *err)
{
    uint32_t num = t->workload->num_classes ? t->workload->num_classes : 1;
    ik_phases all = {.has_contention = true, .phases = ik_calloc(num, sizeof *all.phases)};
    double *total_ns = ik_calloc((size_t)r->fabric->num_ports + 1, sizeof *total_ns);
    phase_cut cut = {0};
    ik_status status = all.phases && total_ns
                           ? phase_cut_make(&cut, r, t, env, err)
                           : ik_fail_memory(err, num * sizeof *all.phases, "phases");
    for (uint32_t k = 0; k < num && status == IK_OK; k++) {
        status = phases_measure_class(&cut, k, most_flows, env, &all, total_ns, err);
        if (status == IK_OK && ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    phase_cut_free(&cut);
    if (status == IK_OK)
        all.least_ns = phases_least_ns(r, t->workload, total_ns);
    free(total_ns);
    if (status != IK_OK) {
        ik_phases_free(&all);
        return status;
    }
    phases_conclude(&all);
    *out = all;
    return IK_OK;
}

void ik_phases_free(ik_phases *p)
{
    free(p->phases);
    *p = (ik_phases){0};
}

static int phases_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double phases_quantile(const double *sorted, size_t n, double part)
{
    double at = part * (double)(n - 1);
    size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

ik_box ik_box_of(double *values, size_t n)
{
    double sum = 0;
    qsort(values, n, sizeof *values, phases_ascending);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    if (isnan(sum))
        return (ik_box){NAN, NAN, NAN, NAN, NAN, NAN};
    return (ik_box){values[0],
                    phases_quantile(values, n, 0.25),
                    phases_quantile(values, n, 0.5),
                    phases_quantile(values, n, 0.75),
                    values[n - 1],
                    sum / (double)n};
}
