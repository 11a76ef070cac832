/* SPDX-License-Identifier: Apache-2.0
 *
 * contention.c: how much the flows of one exchange get into each other's way inside the network,
 * four ways (see ik_contention), and the effective bandwidth and efficiency of its paths.
 */
#include "analysis/paths.h"
#include "ikat/analysis.h"

#include "routing/by_port.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Steps of paths that the fluid model may take. */
#define FLUID_STEPS 4e9

static ik_ratio contention_ratio(uint64_t num, uint64_t den)
{
    assert(den > 0);
    uint64_t g = ik_gcd(num, den);
    return (ik_ratio){num / g, den / g, (double)num / (double)den};
}

typedef struct contention_job {
    const path_set *p;
    channel_flows by;
    uint32_t *degree_out, *degree_in; /* [hosts] */
    uint64_t lcm;                     /* of max(out, in) over the flows, 0 = too large */
    matcher m;
} contention_job;

static uint32_t contention_flow_degree(const contention_job *j, uint32_t flow)
{
    assert(flow < j->p->num);
    uint32_t out = j->degree_out[j->p->src[flow]], in = j->degree_in[j->p->dst[flow]];
    return out > in ? out : in;
}

static void contention_note_degrees(contention_job *j, ik_contention *c)
{
    const path_set *p = j->p;
    for (uint32_t f = 0; f < p->num; f++) {
        j->degree_out[p->src[f]]++;
        j->degree_in[p->dst[f]]++;
    }
    j->lcm = 1;
    for (uint32_t f = 0; f < p->num; f++) {
        uint64_t degree = contention_flow_degree(j, f);
        c->endpoint_degree = degree > c->endpoint_degree ? degree : c->endpoint_degree;
        if (j->lcm && j->lcm % degree) {
            uint64_t factor = degree / ik_gcd(j->lcm, degree);
            j->lcm = j->lcm > UINT64_MAX / factor / (p->num + 1u) ? 0 : j->lcm * factor;
        }
    }
}

/* Flows on a channel, each by its share. */
static double contention_flows_on(const channel_flows *by, uint32_t channel)
{
    double sum = 0;
    for (size_t i = by->base[channel]; by->share && i < by->base[channel + 1]; i++)
        sum += by->share[i];
    return by->share ? sum : (double)(by->base[channel + 1] - by->base[channel]);
}

/* Sum over the channel's flows of share / degree; exact where all flows are whole. */
static ik_ratio contention_channel_load(const contention_job *j, uint32_t channel)
{
    double sum = 0;
    uint64_t exact = 0;
    bool is_exact = j->lcm && !j->by.share;
    for (size_t i = j->by.base[channel]; i < j->by.base[channel + 1]; i++) {
        uint32_t degree = contention_flow_degree(j, j->by.flow[i]);
        sum += fluid_channel_share(&j->by, i) / degree;
        exact += is_exact ? j->lcm / degree : 0;
    }
    return is_exact ? contention_ratio(exact, j->lcm) : (ik_ratio){0, 0, sum};
}

/* Largest matchings, of whole flows. */
static ik_status contention_note_matching(contention_job *j, uint32_t channel, ik_contention *c,
                                          ik_error *err)
{
    const ik_fabric *f = j->p->f;
    const uint32_t *flows = j->by.flow + j->by.base[channel];
    size_t num = j->by.base[channel + 1] - j->by.base[channel];
    uint32_t from = f->port_node[channel], to = ik_peer_node(f, channel), size = 0;
    uint64_t *side = NULL;
    if (f->num_levels && f->switch_level[from] != f->switch_level[to])
        side = f->switch_level[to] > f->switch_level[from] ? &c->c_up : &c->c_down;
    if (num <= c->c && (!side || num <= *side))
        return IK_OK; /* a matching is at most the number of flows */
    ik_status s = matcher_run(&j->m, j->p, flows, num, &size, err);
    if (s == IK_OK && side && size > *side)
        *side = size;
    if (s == IK_OK && size > c->c) {
        c->c = size;
        c->worst_channel = channel;
    }
    return s;
}

static ik_status contention_note_channel(contention_job *j, uint32_t channel, ik_contention *c,
                                         ik_error *err)
{
    double flows = contention_flows_on(&j->by, channel);
    ik_ratio load = contention_channel_load(j, channel);
    if (load.value > c->c_load.value)
        c->c_load = load;
    if (flows > c->max_flows) {
        c->max_flows = flows;
        c->worst_channel = c->split ? channel : c->worst_channel;
    }
    return c->split ? IK_OK : contention_note_matching(j, channel, c, err);
}

/* Effective bandwidth and efficiency of the paths. */
static ik_status contention_note_paths(const contention_job *j, ik_contention *c, ik_error *err)
{
    double *flows = ik_calloc((size_t)j->p->f->num_ports + 1, sizeof *flows);
    if (!flows)
        return ik_fail_memory(err, (size_t)j->p->f->num_ports * sizeof *flows, "flows by channel");
    for (uint32_t ch = 0; ch < j->p->f->num_ports; ch++)
        flows[ch] = contention_flows_on(&j->by, ch);
    path_means m = paths_judge(j->p, flows);
    c->effective_bandwidth = m.bandwidth;
    c->effective_bandwidth_leaving = m.bandwidth_leaving;
    c->mean_efficiency = m.efficiency;
    c->mean_efficiency_leaving = m.efficiency_leaving;
    free(flows);
    return IK_OK;
}

static ik_status contention_measure_fluid(const path_set *p, ik_contention *c, ik_error *err)
{
    const ik_fabric *f = p->f;
    fluid_flows flows = paths_as_flows(p);
    fluid_result fabric, crossbar = {0};
    double *capacity = ik_calloc((size_t)f->num_ports + 1, sizeof *capacity);
    if (!capacity)
        return ik_fail_memory(err, (size_t)f->num_ports * sizeof *capacity, "channel capacities");
    fluid_capacities(f, &flows, capacity);
    ik_status s = fluid_complete(&flows, capacity, FLUID_STEPS, NULL, &fabric, err);
    for (uint32_t ch = 0; ch < f->num_ports; ch++) {
        /* an ideal crossbar: the hosts' channels alone */
        capacity[ch] = paths_path_inner(f, ch) ? INFINITY : capacity[ch];
    }
    if (s == IK_OK)
        s = fluid_complete(&flows, capacity, FLUID_STEPS, NULL, &crossbar, err);
    free(capacity);
    if (s == IK_OK) {
        c->fluid_time = fabric.time;
        c->fluid_crossbar_time = crossbar.time;
        c->fluid_slowdown = crossbar.time > 0 ? fabric.time / crossbar.time : 1;
    }
    return s;
}

/* What does not follow from a division that queues may change. */
static void contention_forget(const path_set *p, ik_contention *c)
{
    const ik_ratio unknown = {0, 0, NAN};
    if (p->by_queues)
        c->slowdown_bound = unknown;
    if (!p->by_detours)
        return;
    c->c_load = unknown;
    c->max_flows = c->fluid_time = c->fluid_slowdown = NAN;
    c->worst_channel = IK_NONE;
}

static ik_status contention_measure(contention_job *j, ik_contention *c, const ik_env *env,
                                    ik_error *err)
{
    const ik_fabric *f = j->p->f;
    fluid_flows flows = paths_as_flows(j->p);
    ik_status s = channel_flows_of(&flows, &j->by, err);
    if (s != IK_OK)
        return s;
    contention_note_degrees(j, c);
    c->c_load = (ik_ratio){0, 1, 0};
    for (uint32_t ch = 0; ch < f->num_ports && s == IK_OK; ch++) {
        if (j->by.base[ch + 1] > j->by.base[ch] && paths_path_inner(f, ch)) {
            s = ik_env_cancelled(env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled")
                                      : contention_note_channel(j, ch, c, err);
        }
    }
    if (s == IK_OK) {
        uint64_t e = c->endpoint_degree ? c->endpoint_degree : 1;
        ik_ratio bound = c->split ? (ik_ratio){0, 0, c->max_flows / (double)e}
                                  : contention_ratio((uint64_t)c->max_flows, e);
        c->slowdown_bound = c->max_flows > (double)e ? bound : (ik_ratio){1, 1, 1};
        s = contention_note_paths(j, c, err);
    }
    if (s == IK_OK)
        s = contention_measure_fluid(j->p, c, err);
    if (s == IK_OK)
        contention_forget(j->p, c);
    return s;
}

/* largest: path_set's; NULL: all flows send the same. */
static ik_status measure_exchange(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                                  double *largest, ik_contention *out, ik_error *err)
{
    path_set p = {0};
    contention_job j = {.p = &p};
    size_t hosts = (size_t)t->num_hosts + 1;
    ik_status s = largest ? paths_of_sizes(r, t, SIZE_MAX, env, &p, err)
                          : paths_of_traffic(r, t, env, &p, err);
    if (s != IK_OK)
        return s;
    ik_contention c = {.flows = p.num + p.undelivered,
                       .undelivered = p.undelivered,
                       .split = p.split,
                       .worst_channel = IK_NONE};
    j.degree_out = ik_calloc(hosts, sizeof *j.degree_out);
    j.degree_in = ik_calloc(hosts, sizeof *j.degree_in);
    s = j.degree_out && j.degree_in ? matcher_init(&j.m, t->num_hosts, err)
                                    : ik_fail_memory(err, hosts * 8, "degrees of hosts");
    if (s == IK_OK) {
        s = contention_measure(&j, &c, env, err);
        matcher_free(&j.m);
    }
    if (s == IK_OK) {
        *out = c;
        if (largest)
            *largest = p.largest;
    }
    channel_flows_free(&j.by);
    free(j.degree_out);
    free(j.degree_in);
    paths_free(&p);
    return s;
}

/* ---- channel by channel */

static ik_status contention_match_channels(const path_set *p, const ik_env *env, uint32_t *c,
                                           ik_error *err)
{
    fluid_flows flows = paths_as_flows(p);
    channel_flows by = {0};
    matcher m;
    ik_status s = channel_flows_of(&flows, &by, err);
    if (s != IK_OK)
        return s;
    s = matcher_init(&m, p->f->num_hosts, err);
    for (uint32_t ch = 0; ch < p->f->num_ports && s == IK_OK; ch++) {
        size_t num = by.base[ch + 1] - by.base[ch];
        if (ik_env_cancelled(env))
            s = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        else if (num)
            s = matcher_run(&m, p, by.flow + by.base[ch], num, &c[ch], err);
    }
    matcher_free(&m);
    channel_flows_free(&by);
    return s;
}

static ik_status contention_match_exchange(const ik_routing *r, const ik_traffic *t,
                                           const ik_env *env, uint32_t **c, ik_error *err)
{
    path_set p = {0};
    ik_status s = paths_of_traffic(r, t, env, &p, err);
    if (s != IK_OK)
        return s;
    uint32_t *sizes = ik_calloc((size_t)p.f->num_ports + 1, sizeof *sizes);
    if (!sizes)
        s = ik_fail_memory(err, (size_t)p.f->num_ports * sizeof *sizes, "contention by channel");
    else if (p.split)
        s = ik_fail(err, IK_ERR_UNSUPPORTED,
                    "C counts whole flows, and %llu of %llu are divided over several paths",
                    (unsigned long long)p.split, (unsigned long long)p.num);
    else
        s = contention_match_channels(&p, env, sizes, err);
    paths_free(&p);
    if (s == IK_OK)
        *c = sizes;
    else
        free(sizes);
    return s;
}

ik_status ik_contention_channels(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                                 uint32_t **c, ik_error *err)
{
    const ik_traffic *by_port;
    ik_status s = by_port_make(t, r, BY_PORT_ONE, env ? env->seed : 0, &by_port, err);
    if (s == IK_OK) {
        s = contention_match_exchange(r, by_port, env, c, err);
        by_port_free(by_port, t);
    }
    return s;
}

static ik_status contention_measure_by_port(const ik_routing *r, const ik_traffic *t,
                                            const ik_env *env, double *largest, ik_contention *out,
                                            ik_error *err)
{
    const ik_traffic *by_port;
    ik_status s = by_port_make(t, r, BY_PORT_ONE, env ? env->seed : 0, &by_port, err);
    if (s == IK_OK) {
        s = measure_exchange(r, by_port, env, largest, out, err);
        by_port_free(by_port, t);
    }
    return s;
}

ik_status ik_contention_measure(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                                ik_contention *out, ik_error *err)
{
    return contention_measure_by_port(r, t, env, NULL, out, err);
}

ik_status contention_of_sizes(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                              double *largest, ik_contention *out, ik_error *err)
{
    return contention_measure_by_port(r, t, env, largest, out, err);
}
