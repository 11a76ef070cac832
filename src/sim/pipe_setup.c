/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_setup.c: parameters of the pipelined model resolved and checked; its state allocated.
 *
 * The clock is the time of one flit on the fastest link. Link latencies are rounded up to whole cycles (at least one); a slower
 * link takes a flit every so many cycles, its rate rounded down to such a multiple.
 */
#include "sim/pipe.h"

#include <stdlib.h>

enum { MAX_PORT_VCS = 65535 };

/* ---- parameters */

static ik_status resolve_switch(pipe *p, const ik_params *v, ik_error *err)
{
    p->routing = (unsigned)ik_params_uint(v, "routing_cycles");
    p->vc_alloc = (unsigned)ik_params_uint(v, "vc_alloc_cycles");
    p->sw_alloc = (unsigned)ik_params_uint(v, "sw_alloc_cycles");
    p->traversal = (unsigned)ik_params_uint(v, "traversal_cycles");
    p->vc_kind = (match_kind)ik_params_enum(v, "vc_allocator");
    p->sw_kind = (match_kind)ik_params_enum(v, "sw_allocator");
    p->iterations = (unsigned)ik_params_uint(v, "iterations");
    p->flit_bytes = (uint32_t)ik_params_uint(v, "flit");
    uint64_t depth = ik_params_uint(v, "buffer") / p->vcs / p->flit_bytes;
    if (depth < 1) {
        ik_fail(err, IK_ERR_USAGE, "a virtual channel's buffer of %llu bytes holds no flit of %u bytes",
                (unsigned long long)ik_params_uint(v, "buffer") / p->vcs, p->flit_bytes);
        return ik_hint(err, IK_ERR_USAGE, "buffer is that of a port; with %u VCs it must be at least %llu B", p->vcs,
                       (unsigned long long)p->vcs * p->flit_bytes);
    }
    p->depth = depth > 32767 ? 32767 : (uint32_t)depth;
    return IK_OK;
}

static ik_status resolve_adapter(pipe *p, const ik_params *v, ik_error *err)
{
    uint64_t most = ik_params_uint(v, "packet"), bytes = ik_params_has(v, "message") ? ik_params_uint(v, "message") : most;
    if (bytes < most)
        most = bytes;
    uint64_t flits = (most + p->flit_bytes - 1) / p->flit_bytes, packets = (bytes + most - 1) / most;
    if (flits > UINT32_MAX / 2 || packets > UINT32_MAX / 2)
        return ik_fail(err, IK_ERR_USAGE, "a message of %llu flits is too long", (unsigned long long)flits);
    p->packet_flits = (uint32_t)flits;
    p->packet_bytes = (uint32_t)(flits * p->flit_bytes);
    p->packets_per_message = (uint32_t)packets;
    p->injection = ik_params_enum(v, "injection");
    p->messages_per_cycle = p->load / ((double)flits * (double)packets);
    return IK_OK;
}

static ik_status resolve_measure(pipe *p, const ik_params *v, ik_error *err)
{
    uint64_t end = ik_params_uint(v, "warmup") + ik_params_uint(v, "duration");
    p->warmup = ik_params_uint(v, "warmup") / p->clock_ps;
    p->end = end / p->clock_ps;
    if (p->end <= p->warmup)
        return ik_fail(err, IK_ERR_USAGE, "the measured time is shorter than a cycle of %llu ps",
                       (unsigned long long)p->clock_ps);
    p->paranoid = ik_params_bool(v, "paranoid");
    uint64_t watchdog = ik_params_uint(v, "watchdog");
    p->watchdog = (watchdog + p->clock_ps - 1) / p->clock_ps;
    if (!ik_params_has(v, "series"))
        return IK_OK;
    p->series = (ik_params_uint(v, "series") + p->clock_ps - 1) / p->clock_ps;
    p->num_series = (size_t)((p->end + p->series - 1) / p->series);
    if (p->num_series > 10000000)
        return ik_fail(err, IK_ERR_USAGE, "a time series of %zu periods; at most 10000000", p->num_series);
    return IK_OK;
}

static ik_status choose_clock(pipe *p, ik_error *err)
{
    uint64_t fastest = 0;
    for (uint32_t port = 0; port < p->f->num_ports; port++)
        if (p->f->port_peer[port] != IK_NONE && ik_port_rate_bps(p->f, port) > fastest)
            fastest = ik_port_rate_bps(p->f, port);
    if (fastest == 0)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "the fabric has no link");
    p->clock_ps = ik_transmit_ps(p->flit_bytes, fastest);
    return p->clock_ps ? IK_OK : ik_fail(err, IK_ERR_USAGE, "a flit of %u bytes takes less than a picosecond", p->flit_bytes);
}

static ik_status resolve(pipe *p, const ik_sim_config *config, ik_error *err)
{
    sim_sections sec;
    ik_status status = sim_check_run(p->plan, config, err);
    if (status == IK_OK)
        status = sim_open_sections(&sec, config, err);
    if (status != IK_OK)
        return status;
    status = resolve_switch(p, sec.sw, err);
    if (status == IK_OK)
        status = choose_clock(p, err);
    if (status == IK_OK)
        status = resolve_adapter(p, sec.adapter, err);
    if (status == IK_OK)
        status = resolve_measure(p, sec.measure, err);
    sim_close_sections(&sec);
    return status;
}

/* ---- state */

static bool get(void *where, size_t count, size_t size, size_t *total)
{
    void *block = ik_calloc(count, size);
    *(void **)where = block;
    *total += count * size;
    return block != NULL;
}

typedef struct sizes {
    size_t words, pointers, policy;
    uint32_t max_radix;
} sizes;

static size_t state_bytes_of(const pipe *p, uint32_t sw, size_t *select)
{
    const ik_routing_family *routing = p->plan->routing->family;
    const ik_selection *selection = p->plan->selection;
    size_t route = routing->switch_state_bytes ? routing->switch_state_bytes(p->plan->routing, sw) : 0;
    *select = selection && selection->family->switch_state_bytes ? selection->family->switch_state_bytes(selection, sw) : 0;
    *select = (*select + 15) / 16 * 16;
    return (route + 15) / 16 * 16;
}

static sizes measure(const pipe *p)
{
    sizes z = {0};
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        uint32_t radix = ik_radix(p->f, sw);
        size_t select, route = state_bytes_of(p, sw, &select);
        z.words += 2 * (((size_t)radix * p->vcs + 63) / 64);
        z.pointers += (size_t)radix * (3 + 2 * p->vcs);
        z.policy += route + select;
        z.max_radix = radix > z.max_radix ? radix : z.max_radix;
    }
    return z;
}

static bool allocate(pipe *p, const sizes *z)
{
    const ik_fabric *f = p->f;
    size_t *t = &p->state_bytes, ports = f->num_ports, in_vcs = (size_t)p->switch_ports * p->vcs;
    size_t requests = (size_t)z->max_radix * p->vcs * p->vcs + (size_t)z->max_radix * z->max_radix;
    return get(&p->channel, ports, sizeof *p->channel, t) && get(&p->period, ports, sizeof *p->period, t) &&
           get(&p->free_at, ports, sizeof *p->free_at, t) && get(&p->credits, ports * p->vcs, sizeof *p->credits, t) &&
           get(&p->taken, ports * p->vcs, 1, t) && get(&p->in, in_vcs, sizeof *p->in, t) &&
           get(&p->rings, in_vcs * p->depth, sizeof *p->rings, t) && get(&p->routers, f->num_switches, sizeof *p->routers, t) &&
           get(&p->hosts, f->num_hosts, sizeof *p->hosts, t) && get(&p->bits, z->words, sizeof *p->bits, t) &&
           get(&p->pointers, z->pointers, sizeof *p->pointers, t) && get(&p->policy, z->policy, 1, t) &&
           get(&p->slots, p->wheel_mask + 1, sizeof *p->slots, t) && get(&p->list, f->num_switches, sizeof *p->list, t) &&
           get(&p->ready_hosts, f->num_hosts, sizeof *p->ready_hosts, t) &&
           get(&p->next_hosts, f->num_hosts, sizeof *p->next_hosts, t) && get(&p->pool, p->pool_cap, sizeof *p->pool, t) &&
           get(&p->requests, requests, sizeof *p->requests, t) && get(&p->grants, requests, sizeof *p->grants, t) &&
           get(&p->asks, requests, sizeof *p->asks, t) && get(&p->winners, z->max_radix + 1, sizeof *p->winners, t) &&
           get(&p->ports, z->max_radix + 1, sizeof *p->ports, t) && get(&p->rivals, z->max_radix + 1, sizeof *p->rivals, t) &&
           get(&p->in_degree, z->max_radix + 1, sizeof *p->in_degree, t) &&
           get(&p->out_degree, z->max_radix + 1, sizeof *p->out_degree, t) &&
           get(&p->port_of_bit, (size_t)z->max_radix * p->vcs + 1, sizeof *p->port_of_bit, t) &&
           get(&p->choices, z->max_radix + 1, sizeof *p->choices, t) &&
           get(&p->channel_bytes, ports, sizeof *p->channel_bytes, t) &&
           get(&p->host_bytes, f->num_hosts, sizeof *p->host_bytes, t) &&
           get(&p->host_sent_bytes, f->num_hosts, sizeof *p->host_sent_bytes, t) &&
           get(&p->series_bytes, p->num_series, sizeof *p->series_bytes, t) &&
           get(&p->series_count, p->num_series, sizeof *p->series_count, t) &&
           get(&p->series_sum, p->num_series, sizeof *p->series_sum, t) &&
           get(&p->series_blocked, p->num_series * f->num_switches, sizeof *p->series_blocked, t) &&
           sim_histo_init(&p->latency) && sim_histo_init(&p->network);
}

static void init_ports(pipe *p)
{
    for (uint32_t port = 0; port < p->f->num_ports; port++) {
        if (p->f->port_peer[port] == IK_NONE)
            continue;
        uint64_t flit_ps = ik_transmit_ps(p->flit_bytes, ik_port_rate_bps(p->f, port));
        uint64_t period = (flit_ps + p->clock_ps - 1) / p->clock_ps;
        uint64_t cycles = (ik_port_latency_ps(p->f, port) + p->clock_ps - 1) / p->clock_ps;
        p->period[port] = (uint16_t)(period > UINT16_MAX ? UINT16_MAX : period);
        p->slow_links = p->slow_links || period > 1;
        p->channel[port] = (uint32_t)(cycles ? cycles : 1);
        for (unsigned v = 0; v < p->vcs; v++)
            p->credits[(size_t)port * p->vcs + v] = (uint16_t)p->depth;
    }
}

static void init_inputs(pipe *p, uint32_t max_radix)
{
    for (uint32_t bit = 0; bit < max_radix * p->vcs; bit++)
        p->port_of_bit[bit] = (uint16_t)(bit / p->vcs);
    for (uint32_t port = 0; port < p->switch_ports; port++)
        for (unsigned v = 0; v < p->vcs; v++)
            p->in[(size_t)port * p->vcs + v].sw = p->f->port_node[port];
}

static void init_routers(pipe *p)
{
    uint64_t *bits = p->bits;
    uint16_t *pointers = p->pointers;
    uint8_t *policy = p->policy;
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        pipe_router *r = &p->routers[sw];
        size_t select, route = state_bytes_of(p, sw, &select);
        r->port_base = p->f->port_base[sw];
        r->radix = (uint16_t)ik_radix(p->f, sw);
        r->words = (uint16_t)((r->radix * p->vcs + 63) / 64);
        uint16_t all = (uint16_t)(r->radix * p->vcs);
        r->waiting = bits;
        r->active = bits + r->words;
        bits += 2 * r->words;
        r->vc_first = pointers;
        r->sw_match = (match_state){pointers + r->radix, pointers + 2 * r->radix, r->radix, r->radix, 0};
        r->vc_match = (match_state){pointers + 3 * r->radix, pointers + 3 * r->radix + all, all, all, 0};
        pointers += (size_t)r->radix * 3 + 2u * all;
        r->route_state = policy;
        r->select_state = policy + route;
        policy += route + select;
    }
}

static void init_hosts(pipe *p)
{
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        p->hosts[host].port = ik_host_port(p->f, host);
}

/* Events are due at most this far ahead: the longest channel, the slowest link's flit and the pipeline behind the switch. */
static uint32_t wheel_span(const pipe *p)
{
    uint64_t longest = 1;
    for (uint32_t c = 0; c < p->f->num_classes; c++) {
        uint64_t flit_ps = ik_transmit_ps(p->flit_bytes, p->f->classes[c].rate_bps);
        uint64_t span = (p->f->classes[c].latency_ps + 2 * flit_ps) / p->clock_ps;
        longest = span > longest ? span : longest;
    }
    longest += p->sw_alloc + p->traversal + 8u;
    uint32_t size = 64;
    while (size < longest && size < UINT32_C(1) << 24)
        size *= 2;
    return size;
}

static ik_status check_size(const pipe *p, const sizes *z, ik_error *err)
{
    if ((uint64_t)z->max_radix * p->vcs > MAX_PORT_VCS)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "a switch of %u ports with %u VCs: the pipelined model takes %d (port, VC) pairs",
                       z->max_radix, p->vcs, MAX_PORT_VCS);
    double bytes = (double)p->switch_ports * p->vcs * (p->depth * sizeof(uint32_t) + sizeof(pipe_vc)) + 64.0 * p->f->num_ports;
    if (p->env && p->env->memory_limit_bytes && bytes > (double)p->env->memory_limit_bytes)
        return ik_fail(err, IK_ERR_MEMORY, "the simulation would need about %.0f MiB, the limit is %.0f MiB", bytes / 1048576,
                       (double)p->env->memory_limit_bytes / 1048576);
    return IK_OK;
}

ik_status pipe_setup(pipe *p, const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config, const ik_env *env,
                     ik_error *err)
{
    p->plan = plan;
    p->f = plan->fabric;
    p->traffic = traffic;
    p->env = env;
    p->seed = env ? env->seed : 0;
    p->vcs = plan->num_vcs;
    p->load = config->load;
    p->free_packet = IK_NONE;
    p->pool_cap = 1024;
    p->adaptive = plan->routing->family->kind == IK_ROUTE_ADAPTIVE;
    p->source_adaptive = p->adaptive && plan->routing->family->start;
    p->any_injection_vc = !plan->vc->family->static_lane;
    p->switch_ports = p->f->port_base[p->f->num_switches];
    p->switch_channels = p->switch_ports * p->vcs;
    ik_status status = resolve(p, config, err);
    if (status != IK_OK)
        return status;
    sizes z = measure(p);
    p->wheel_mask = wheel_span(p) - 1;
    status = check_size(p, &z, err);
    if (status != IK_OK)
        return status;
    uint32_t sides = z.max_radix * p->vcs;
    status = match_room_init(&p->room, sides, sides, sides * p->vcs + z.max_radix * z.max_radix, err);
    if (status == IK_OK && !allocate(p, &z))
        status = ik_fail_memory(err, p->state_bytes, "the simulation");
    if (status != IK_OK)
        return status;
    init_ports(p);
    init_inputs(p, z.max_radix);
    init_routers(p);
    init_hosts(p);
    return IK_OK;
}

void pipe_free(pipe *p)
{
    for (uint32_t k = 0; p->slots && k <= p->wheel_mask; k++) {
        free(p->slots[k].flits);
        free(p->slots[k].credits);
        free(p->slots[k].hosts);
    }
    match_room_free(&p->room);
    void *blocks[] = {p->channel,
                      p->period,
                      p->free_at,
                      p->credits,
                      p->taken,
                      p->in,
                      p->rings,
                      p->routers,
                      p->hosts,
                      p->bits,
                      p->pointers,
                      p->policy,
                      p->slots,
                      p->list,
                      p->ready_hosts,
                      p->next_hosts,
                      p->pool,
                      p->requests,
                      p->grants,
                      p->asks,
                      p->ports,
                      p->rivals,
                      p->in_degree,
                      p->choices,
                      p->out_degree,
                      p->port_of_bit,
                      p->winners,
                      p->channel_bytes,
                      p->host_bytes,
                      p->host_sent_bytes,
                      p->series_bytes,
                      p->series_count,
                      p->series_sum,
                      p->series_blocked,
                      p->latency.buckets,
                      p->network.buckets,
                      p->deadlock_text};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}
