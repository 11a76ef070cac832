/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_run.c: the loop over cycles, and what the run measured.
 */
#include "sim/pipe.h"

#include <stdlib.h>

bool pipe_post(pipe_event **items, uint32_t *count, uint32_t *capacity, pipe_event e)
{
    if (*count == *capacity) {
        uint32_t cap = *capacity ? *capacity * 2 : 32;
        pipe_event *grown = realloc(*items, cap * sizeof *grown);
        if (!grown)
            return false;
        *items = grown;
        *capacity = cap;
    }
    (*items)[(*count)++] = e;
    return true;
}

/* Beyond the wheel the host is woken at its end and looks again. */
bool pipe_wake_host(pipe *p, uint32_t host, uint64_t cycle)
{
    if (cycle >= p->end)
        return true;
    if (cycle > p->now + p->wheel_mask)
        cycle = p->now + p->wheel_mask;
    pipe_slot *at = &p->slots[cycle & p->wheel_mask];
    if (at->num_hosts == at->cap_hosts) {
        uint32_t cap = at->cap_hosts ? at->cap_hosts * 2 : 16;
        uint32_t *grown = realloc(at->hosts, cap * sizeof *grown);
        if (!grown)
            return false;
        at->hosts = grown;
        at->cap_hosts = cap;
    }
    at->hosts[at->num_hosts++] = host;
    return true;
}

static void arrivals(pipe *p, pipe_slot *at)
{
    for (uint32_t k = 0; k < at->num_credits; k++)
        p->credits[at->credits[k].where]++;
    at->num_credits = 0;
    for (uint32_t k = 0; k < at->num_flits; k++) {
        pipe_event e = at->flits[k];
        if (e.where < p->switch_channels)
            pipe_receive(p, e.where, e.flit);
        else
            pipe_deliver(p, e.where, e.flit);
    }
    at->num_flits = 0;
}

static void wake_hosts(pipe *p, pipe_slot *at)
{
    for (uint32_t k = 0; k < at->num_hosts; k++) {
        uint32_t host = at->hosts[k];
        if (!p->hosts[host].awake) {
            p->hosts[host].awake = true;
            p->ready_hosts[p->num_ready_hosts++] = host;
        }
    }
    at->num_hosts = 0;
}

static void run_hosts(pipe *p)
{
    uint32_t count = p->num_ready_hosts;
    p->num_ready_hosts = 0; /* pipe_run_host notes those that go on */
    for (uint32_t k = 0; k < count; k++)
        pipe_run_host(p, p->ready_hosts[k]);
    uint32_t *swap = p->ready_hosts;
    p->ready_hosts = p->next_hosts;
    p->next_hosts = swap;
}

static void run_routers(pipe *p)
{
    uint32_t kept = 0, count = p->num_listed;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t sw = p->list[k];
        pipe_run_router(p, sw);
        if (p->routers[sw].flits)
            p->list[kept++] = sw;
        else
            p->routers[sw].listed = false;
    }
    p->num_listed = kept;
}

static void sample_buffers(pipe *p)
{
    size_t at = p->now / p->series;
    if (at >= p->num_series)
        return;
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        const pipe_router *r = &p->routers[sw];
        double room = (double)r->radix * p->vcs * p->depth;
        p->series_blocked[at * p->f->num_switches + sw] = room > 0 ? r->flits / room : 0;
    }
}

/* One cycle. What routers and hosts do reaches others in later cycles only, so their order does not matter. */
static void run_cycle(pipe *p)
{
    pipe_slot *at = &p->slots[p->now & p->wheel_mask];
    arrivals(p, at);
    wake_hosts(p, at);
    run_hosts(p);
    run_routers(p);
    if (p->series && (p->now + 1) % p->series == 0)
        sample_buffers(p);
}

static ik_status watch(pipe *p, ik_error *err)
{
    if (p->failed)
        return ik_fail_memory(err, p->pool_cap * sizeof *p->pool, "packets and events");
    if (ik_env_cancelled(p->env))
        return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    if (p->paranoid) {
        ik_status status = pipe_check(p, err);
        if (status != IK_OK)
            return status;
    }
    if (p->watchdog && p->in_flight && p->now - p->last_move > p->watchdog) {
        p->deadlock = pipe_find_deadlock(p, &p->deadlock_text);
        p->last_move = p->now;
    }
    if (p->env && p->env->progress)
        p->env->progress(p->env->progress_ctx, "simulating", p->now, p->end, "cycles");
    return IK_OK;
}

static ik_status run(pipe *p, ik_error *err)
{
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        pipe_start_host(p, host);
    for (p->now = 0; p->now < p->end && !p->deadlock; p->now++) {
        run_cycle(p);
        if ((p->now & 1023) == 1023) {
            ik_status status = watch(p, err);
            if (status != IK_OK)
                return status;
        }
    }
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        pipe_count_backlog(p, host);
    return p->failed ? ik_fail_memory(err, p->pool_cap * sizeof *p->pool, "packets and events") : IK_OK;
}

/* ---- results */

static double injection_bps(const pipe *p)
{
    double sum = 0;
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        if (p->hosts[host].port != IK_NONE)
            sum += (double)ik_port_rate_bps(p->f, p->hosts[host].port);
    return sum;
}

static double jain(const pipe *p)
{
    double sum = 0, squares = 0, count = 0;
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        if (!p->hosts[host].silent) {
            double x = (double)p->host_sent_bytes[host];
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
        out->series_throughput[k] = period_bits > 0 ? 8.0 * (double)p->series_bytes[k] / period_bits : 0;
        out->series_latency_ns[k] = p->series_count[k] ? (double)p->series_sum[k] / (double)p->series_count[k] / 1000 : 0;
    }
    out->num_series = p->num_series;
    out->series_period_ps = p->series * p->clock_ps;
    out->series_blocked = p->series_blocked;
    p->series_blocked = NULL;
    return IK_OK;
}

static ik_status export_result(pipe *p, ik_sim_result *out, ik_error *err)
{
    ik_status status = sim_histo_export(&p->latency, &out->latency, err);
    if (status == IK_OK)
        status = sim_histo_export(&p->network, &out->network_latency, err);
    if (status == IK_OK)
        status = export_series(p, out, err);
    if (status != IK_OK)
        return status;
    uint64_t window = p->now > p->warmup ? p->now - p->warmup : 0;
    double bits = injection_bps(p) * (double)window * (double)p->clock_ps * 1e-12;
    out->load = p->load;
    out->offered = bits > 0 ? 8.0 * (double)p->n.offered_bytes / bits : 0;
    out->throughput = bits > 0 ? 8.0 * (double)p->n.window_bytes / bits : 0;
    out->packets_generated = p->n.generated;
    out->packets_delivered = p->n.delivered;
    out->packet_hops = p->n.hops;
    out->events = p->n.moves;
    out->packets_in_flight = p->in_flight;
    out->packets_unroutable = p->n.unroutable;
    out->fairness = jain(p);
    out->window_ps = window * p->clock_ps;
    out->end_ps = p->now * p->clock_ps;
    out->lookahead_ps = p->clock_ps;
    out->deadlock = p->deadlock;
    out->deadlock_text = p->deadlock_text;
    out->channel_bytes = p->channel_bytes;
    out->host_bytes = p->host_bytes;
    out->host_sent_bytes = p->host_sent_bytes;
    p->deadlock_text = NULL;
    p->channel_bytes = p->host_bytes = p->host_sent_bytes = NULL;
    out->state_bytes = p->state_bytes + p->pool_cap * sizeof *p->pool;
    out->threads = 1;
    out->checksum = UINT64_C(0xCBF29CE484222325);
    for (uint32_t host = 0; host < p->f->num_hosts; host++) {
        out->hosts_silent += p->hosts[host].silent;
        out->checksum = (out->checksum ^ p->hosts[host].hash) * UINT64_C(0x100000001B3);
    }
    return IK_OK;
}

ik_status sim_run_pipelined(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config, const ik_env *env,
                            ik_sim_result *out, ik_error *err)
{
    pipe *p = ik_calloc(1, sizeof *p);
    if (!p)
        return ik_fail_memory(err, sizeof *p, "a simulation");
    ik_sim_result made = {0};
    ik_status status = pipe_setup(p, plan, traffic, config, env, err);
    if (status == IK_OK)
        status = run(p, err);
    if (status == IK_OK)
        status = export_result(p, &made, err);
    pipe_free(p);
    free(p);
    if (status != IK_OK) {
        ik_sim_result_free(&made);
        return status;
    }
    *out = made;
    return IK_OK;
}
