/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_run.c: the loop over cycles, and what the run measured.
 */
#include "sim/congest.h"
#include "sim/pipe.h"
#include "sim/sim_classes.h"

#include <stdlib.h>
#include <time.h>

/* Doubles a list of which all room is taken. */
static bool grow(void *list, void *next, void *last, size_t count, size_t size)
{
    size_t cap = count ? count * 2 : 32;
    char *grown = realloc(*(void **)list, cap * size);
    if (!grown)
        return false;
    *(void **)list = grown;
    *(void **)next = grown + count * size;
    *(void **)last = grown + cap * size;
    return true;
}

bool pipe_grow_flits(pipe_slot *at)
{
    return grow(&at->flits, &at->next_flit, &at->last_flit, (size_t)(at->next_flit - at->flits), sizeof *at->flits);
}

bool pipe_grow_credits(pipe_slot *at)
{
    return grow(&at->credits, &at->next_credit, &at->last_credit, (size_t)(at->next_credit - at->credits), sizeof *at->credits);
}

static bool grow_hosts(pipe_slot *at)
{
    uint32_t cap = at->cap_hosts ? at->cap_hosts * 2 : 16;
    uint32_t *grown = realloc(at->hosts, cap * sizeof *grown);
    if (!grown)
        return false;
    at->hosts = grown;
    at->cap_hosts = cap;
    return true;
}

/* Beyond the wheel the host is woken at its end and looks again. */
void pipe_wake_host(pipe_part *q, uint32_t host, uint64_t tick)
{
    const pipe *p = q->p;
    if (tick >= p->end * p->speedup)
        return;
    if (tick > q->now + p->wheel_mask)
        tick = (q->now + p->wheel_mask) / p->speedup * p->speedup;
    pipe_slot *at = &q->slots[tick & p->wheel_mask];
    if (at->num_hosts == at->cap_hosts && !grow_hosts(at)) {
        q->failed = true;
        return;
    }
    at->hosts[at->num_hosts++] = host;
}

static void take_credits(pipe_part *q, pipe_slot *at)
{
    const pipe *p = q->p;
    uint16_t *credits = p->credits;
    for (const uint32_t *c = at->credits; c < at->next_credit; c++)
        if (credits[*c]++ == 0 && *c < p->switch_channels)
            pipe_end_starvation(q, *c);
    at->next_credit = at->credits;
}

static void take_flits(pipe_part *q, pipe_slot *at)
{
    enum { AHEAD = 6 };
    const pipe *p = q->p;
    for (const pipe_event *e = at->flits; e < at->next_flit; e++) {
        uint32_t soon = at->next_flit - e > AHEAD ? e[AHEAD].where : 0;
        if (soon < p->switch_channels)
            __builtin_prefetch(&p->in[soon]);
        if (e->where < p->switch_channels)
            pipe_receive(q, e->where, e->flit);
        else
            pipe_deliver(q, e->where, e->flit);
    }
    at->next_flit = at->flits;
}

static void wake_hosts(pipe_part *q, pipe_slot *at)
{
    const pipe *p = q->p;
    for (uint32_t k = 0; k < at->num_hosts; k++) {
        uint32_t host = at->hosts[k];
        if (!p->hosts[host].awake) {
            p->hosts[host].awake = true;
            q->ready_hosts[q->num_ready_hosts++] = host;
        }
    }
    at->num_hosts = 0;
}

static void run_hosts(pipe_part *q)
{
    uint32_t count = q->num_ready_hosts;
    q->num_ready_hosts = 0; /* pipe_run_host notes those that go on */
    for (uint32_t k = 0; k < count; k++)
        pipe_run_host(q, q->ready_hosts[k]);
    uint32_t *swap = q->ready_hosts;
    q->ready_hosts = q->next_hosts;
    q->next_hosts = swap;
}

static void sample_buffers(pipe_part *q)
{
    const pipe *p = q->p;
    size_t at = q->cycle / p->series;
    if (at >= p->num_series)
        return;
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        const pipe_router *r = &p->routers[sw];
        double room = (double)r->radix * p->vcs * p->depth;
        p->series_blocked[at * p->f->num_switches + sw] = room > 0 ? r->flits / room : 0;
    }
}

/* One link cycle. What routers and hosts do reaches others in later ticks only, so their order does not matter. Events come and
 * hosts act when a cycle starts. */
static void run_cycle(pipe_part *q)
{
    const pipe *p = q->p;
    q->now = q->cycle * p->speedup;
    pipe_slot *at = &q->slots[q->now & p->wheel_mask];
    take_credits(q, at);
    take_flits(q, at);
    wake_hosts(q, at);
    run_hosts(q);
    for (unsigned tick = 0; tick < p->speedup; tick++, q->now++)
        pipe_run_routers(q);
    if (!p->series || (q->cycle + 1) % p->series != 0)
        return;
    sample_buffers(q);
    q->failed |= p->congest && !pipe_congest_sample(q->p, q->cycle + 1);
}

/* ---- checks between cycles */

enum { PERIOD = 1024 }; /* cycles between them */

/* Once a revolution of the wheel: all its slots are looked at. */
static bool outgrown(const pipe *p, uint64_t cycle, uint64_t *bytes)
{
    uint64_t limit = p->env ? p->env->memory_limit_bytes : 0;
    if (!limit || (cycle & p->wheel_mask) >= PERIOD)
        return false;
    *bytes = pipe_bytes(p);
    return *bytes > limit;
}

static ik_status watch(pipe *p, uint64_t cycle, ik_error *err)
{
    uint64_t bytes = 0;
    for (unsigned k = 0; k < p->num_parts; k++)
        if (p->parts[k].failed)
            return ik_fail_memory(err, PIPE_CHUNK * sizeof(pipe_packet), "packets and events");
    if (ik_env_cancelled(p->env))
        return ik_fail(err, IK_ERR_CANCELLED, "the simulation was cancelled");
    if (outgrown(p, cycle, &bytes))
        return ik_fail(err, IK_ERR_MEMORY, "the simulation's state has grown to %.1f MB after %llu cycles, %.1f MB are allowed",
                       (double)bytes / 1e6, (unsigned long long)cycle, (double)p->env->memory_limit_bytes / 1e6);
    if (p->paranoid) {
        ik_status status = pipe_check(p, err);
        if (status != IK_OK)
            return status;
    }
    if (p->env && p->env->progress)
        p->env->progress(p->env->progress_ctx, "simulating", cycle, p->end, "cycles");
    return IK_OK;
}

static double thread_seconds(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

static ik_status run(pipe *p, ik_error *err)
{
    pipe_part *q = &p->parts[0];
    uint64_t next_look = p->watchdog;
    double begun = thread_seconds();
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        pipe_start_host(q, host);
    for (q->cycle = 0; q->cycle < p->end && !p->deadlock;) {
        run_cycle(q);
        q->cycle++;
        if ((q->cycle & (p->paranoid ? 15 : PERIOD - 1)) && q->cycle < p->end)
            continue;
        ik_status status = watch(p, q->cycle, err);
        if (status != IK_OK)
            return status;
        if (p->watchdog && (q->cycle >= next_look || q->cycle == p->end)) {
            next_look = q->cycle + p->watchdog;
            status = pipe_find_deadlock(p, err);
            if (status != IK_OK)
                return status;
        }
    }
    p->stopped = q->cycle;
    p->cpu_seconds = thread_seconds() - begun;
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        pipe_count_backlog(q, host);
    return IK_OK;
}

/* ---- results */

uint64_t pipe_bytes(const pipe *p)
{
    uint64_t bytes = p->state_bytes + (uint64_t)p->num_chunks * PIPE_CHUNK * sizeof(pipe_packet);
    for (unsigned k = 0; k < p->num_parts; k++)
        for (uint32_t s = 0; s <= p->wheel_mask; s++) {
            const pipe_slot *at = &p->parts[k].slots[s];
            bytes += (uint64_t)(at->last_flit - at->flits) * sizeof *at->flits;
            bytes += (uint64_t)(at->last_credit - at->credits + at->cap_hosts) * sizeof *at->hosts;
        }
    return bytes;
}

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
    const pipe_part *q = &p->parts[0];
    if (!p->num_series)
        return IK_OK;
    out->series_throughput = ik_calloc(p->num_series, sizeof *out->series_throughput);
    out->series_latency_ns = ik_calloc(p->num_series, sizeof *out->series_latency_ns);
    if (!out->series_throughput || !out->series_latency_ns)
        return ik_fail_memory(err, p->num_series * sizeof(double), "a time series");
    double period_bits = injection_bps(p) * (double)p->series * (double)p->clock_ps * 1e-12;
    for (size_t k = 0; k < p->num_series; k++) {
        out->series_throughput[k] = period_bits > 0 ? 8.0 * (double)q->series_bytes[k] / period_bits : 0;
        out->series_latency_ns[k] = q->series_count[k] ? (double)q->series_sum[k] / (double)q->series_count[k] / 1000 : 0;
    }
    out->num_series = p->num_series;
    out->series_period_ps = p->series * p->clock_ps;
    out->series_blocked = p->series_blocked;
    p->series_blocked = NULL;
    return IK_OK;
}

static ik_status export_classes(const pipe *p, double window_bits, ik_sim_result *out, ik_error *err)
{
    double *period = ik_calloc(p->num_series ? p->num_series : 1, sizeof *period);
    if (!period)
        return ik_fail_memory(err, p->num_series * sizeof *period, "statistics of classes");
    for (size_t k = 0; k < p->num_series; k++)
        period[k] = injection_bps(p) * (double)p->series * (double)p->clock_ps * 1e-12 / 8;
    ik_status status = sim_classes_export(p->classes, window_bits / 8, period, out, err);
    free(period);
    return status;
}

/* Least and most injected by a host that wants to send, as fractions of its rate. */
static void find_extremes(const pipe *p, uint64_t window, ik_sim_result *out)
{
    bool any = false;
    for (uint32_t host = 0; host < p->f->num_hosts && window; host++) {
        if (p->hosts[host].silent)
            continue;
        double bits = (double)ik_port_rate_bps(p->f, p->hosts[host].port) * (double)window * (double)p->clock_ps * 1e-12;
        double x = 8.0 * (double)p->host_sent_bytes[host] / bits;
        out->host_sent_min = !any || x < out->host_sent_min ? x : out->host_sent_min;
        out->host_sent_max = !any || x > out->host_sent_max ? x : out->host_sent_max;
        any = true;
    }
}

static ik_status export_result(pipe *p, ik_sim_result *out, ik_error *err)
{
    const pipe_part *q = &p->parts[0];
    ik_status status = sim_histo_export(&q->latency, &out->latency, err);
    if (status == IK_OK)
        status = sim_histo_export(&q->network, &out->network_latency, err);
    if (status == IK_OK)
        status = export_series(p, out, err);
    uint64_t window = p->stopped > p->warmup ? p->stopped - p->warmup : 0;
    double bits = injection_bps(p) * (double)window * (double)p->clock_ps * 1e-12;
    if (status == IK_OK)
        status = export_classes(p, bits, out, err);
    if (status == IK_OK)
        status = congest_export(p->congest, out->latency.count, out, err);
    if (status != IK_OK)
        return status;
    find_extremes(p, window, out);
    out->load = p->load;
    out->offered = bits > 0 ? 8.0 * (double)q->n.offered_bytes / bits : 0;
    out->throughput = bits > 0 ? 8.0 * (double)q->n.window_bytes / bits : 0;
    out->packets_generated = q->n.generated;
    out->packets_delivered = q->n.delivered;
    out->packet_hops = q->n.hops;
    out->events = q->n.moves;
    out->packets_in_flight = pipe_in_flight(p);
    out->packets_unroutable = q->n.unroutable;
    out->order_violations = q->n.order_violations;
    out->fairness = jain(p);
    out->window_ps = window * p->clock_ps;
    out->end_ps = p->stopped * p->clock_ps;
    out->lookahead_ps = p->clock_ps;
    out->deadlock = p->deadlock;
    out->deadlock_text = p->deadlock_text;
    out->channel_bytes = p->channel_bytes;
    out->host_bytes = p->host_bytes;
    out->host_sent_bytes = p->host_sent_bytes;
    p->deadlock_text = NULL;
    p->channel_bytes = p->host_bytes = p->host_sent_bytes = NULL;
    out->state_bytes = pipe_bytes(p);
    out->threads = 1;
    out->cpu_seconds = p->cpu_seconds;
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
