/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_setup.c: parameters of the pipelined model resolved and checked; its state allocated.
 *
 * A cycle is the time of one flit on the fastest link. Link latencies are rounded up to whole cycles (at least one); a slower
 * link takes a flit every so many cycles, its rate rounded down to such a multiple. Routers have `speedup` ticks a cycle.
 */
#include "sim/congest.h"
#include "sim/pipe.h"
#include "sim/sim_classes.h"

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
    double speedup = ik_params_real(v, "speedup");
    p->speedup = (unsigned)speedup;
    if (speedup != p->speedup) {
        ik_fail(err, IK_ERR_USAGE, "speedup = %g: routers of the pipelined model have a whole number of ticks a cycle", speedup);
        return ik_hint(err, IK_ERR_USAGE, "take speedup: %u or %u", p->speedup, p->speedup + 1);
    }
    if (p->speedup > 1)
        p->queue_flits = ik_params_uint(v, "output_buffer") / p->flit_bytes;
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
    p->sample_congestion = ik_params_bool(v, "congestion");
    uint64_t watchdog = ik_params_uint(v, "watchdog");
    p->watchdog = watchdog / p->clock_ps + (watchdog % p->clock_ps != 0);
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
    void *block = sim_alloc_zeroed(count, size);
    *(void **)where = block;
    *total += count * size;
    return block != NULL;
}

typedef struct sizes {
    size_t words, pointers, policy;
    uint32_t max_words, max_port_words;
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

static uint32_t words_of(size_t bits)
{
    return (uint32_t)((bits + 63) / 64);
}

/* Words of a router's sets, see init_router(). */
static size_t set_words(const pipe *p, uint32_t radix)
{
    size_t words = words_of((size_t)radix * p->vcs);
    return words * (3 + 2 * (p->stage_mask + 1) + 2 * (size_t)radix) + 2 * (size_t)words_of(radix);
}

static sizes measure(pipe *p)
{
    sizes z = {0};
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        uint32_t radix = ik_radix(p->f, sw);
        size_t select, route = state_bytes_of(p, sw, &select);
        z.words += set_words(p, radix);
        z.pointers += (size_t)radix * (3 + 2 * p->vcs);
        z.policy += route + select;
        p->max_radix = radix > p->max_radix ? radix : p->max_radix;
    }
    z.max_words = words_of((size_t)p->max_radix * p->vcs);
    z.max_port_words = words_of(p->max_radix);
    return z;
}

static bool allocate(pipe *p, const sizes *z)
{
    const ik_fabric *f = p->f;
    size_t *t = &p->state_bytes, ports = f->num_ports, in_vcs = (size_t)p->switch_ports * p->vcs;
    return get(&p->ports, ports, sizeof *p->ports, t) && get(&p->credits, ports * p->vcs, sizeof *p->credits, t) &&
           get(&p->holder, ports * p->vcs, sizeof *p->holder, t) && get(&p->in, in_vcs, sizeof *p->in, t) &&
           get(&p->rings, in_vcs << p->ring_shift, sizeof *p->rings, t) &&
           get(&p->routers, f->num_switches, sizeof *p->routers, t) && get(&p->hosts, f->num_hosts, sizeof *p->hosts, t) &&
           get(&p->bits, z->words, sizeof *p->bits, t) && get(&p->pointers, z->pointers, sizeof *p->pointers, t) &&
           get(&p->policy, z->policy, 1, t) &&
           get(&p->port_of_bit, (size_t)p->max_radix * p->vcs + 1, sizeof *p->port_of_bit, t) &&
           get(&p->chunks, p->max_chunks, sizeof *p->chunks, t) && get(&p->parts, 1, sizeof *p->parts, t) &&
           get(&p->channel_bytes, ports, sizeof *p->channel_bytes, t) &&
           get(&p->host_bytes, f->num_hosts, sizeof *p->host_bytes, t) &&
           get(&p->host_sent_bytes, f->num_hosts, sizeof *p->host_sent_bytes, t) &&
           get(&p->series_blocked, p->num_series * f->num_switches, sizeof *p->series_blocked, t) &&
           (!p->paranoid || get(&p->order, f->num_hosts, sizeof *p->order, t));
}

/* Requests that an allocator of lists may get: every head for every VC of its output, every input for every output. */
static size_t most_requests(const pipe *p)
{
    return (size_t)p->max_radix * p->vcs * p->vcs + (size_t)p->max_radix * p->max_radix;
}

static bool takes_lists(const pipe *p)
{
    return match_takes_list(p->vc_kind) || match_takes_list(p->sw_kind);
}

static bool allocate_part(pipe *p, pipe_part *q, const sizes *z)
{
    size_t *t = &p->state_bytes, requests = takes_lists(p) ? most_requests(p) : 1;
    uint32_t best = p->max_radix > p->vcs ? p->max_radix : p->vcs;
    q->p = p;
    q->free_packet = IK_NONE;
    return get(&q->slots, p->wheel_mask + 1, sizeof *q->slots, t) && get(&q->list, p->f->num_switches, sizeof *q->list, t) &&
           get(&q->ready_hosts, p->f->num_hosts, sizeof *q->ready_hosts, t) &&
           get(&q->next_hosts, p->f->num_hosts, sizeof *q->next_hosts, t) &&
           get(&q->requests, requests, sizeof *q->requests, t) && get(&q->grants, requests, sizeof *q->grants, t) &&
           get(&q->ports, p->max_radix, sizeof *q->ports, t) && get(&q->best, best, sizeof *q->best, t) &&
           get(&q->ready, z->max_words, sizeof *q->ready, t) && get(&q->busy, z->max_words, sizeof *q->busy, t) &&
           get(&q->offered, z->max_port_words, sizeof *q->offered, t) && get(&q->given, z->max_port_words, sizeof *q->given, t) &&
           get(&q->freed, z->max_words, sizeof *q->freed, t) &&
           get(&q->rivals, (size_t)p->vcs * z->max_words, sizeof *q->rivals, t) &&
           get(&q->series_bytes, p->num_series, sizeof *q->series_bytes, t) &&
           get(&q->series_count, p->num_series, sizeof *q->series_count, t) &&
           get(&q->series_sum, p->num_series, sizeof *q->series_sum, t) && sim_histo_init(&q->latency) &&
           sim_histo_init(&q->network);
}

static uint64_t cycles_of(const pipe *p, uint64_t ps)
{
    return ps / p->clock_ps + (ps % p->clock_ps != 0);
}

/* Ticks that a flit takes on a link of this class, and that it is under way. */
static uint64_t class_period(const pipe *p, uint32_t link_class)
{
    uint64_t period = cycles_of(p, ik_transmit_ps(p->flit_bytes, p->f->classes[link_class].rate_bps));
    return (period > UINT16_MAX / p->speedup ? UINT16_MAX / p->speedup : period) * p->speedup;
}

static uint64_t class_latency(const pipe *p, uint32_t link_class)
{
    uint64_t cycles = cycles_of(p, p->f->classes[link_class].latency_ps);
    return (cycles ? cycles : 1) * p->speedup;
}

static void init_ports(pipe *p)
{
    const ik_fabric *f = p->f;
    for (size_t c = 0; c < (size_t)f->num_ports * p->vcs; c++)
        p->holder[c] = PIPE_NO_HOLDER;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE)
            continue;
        uint64_t period = class_period(p, f->port_class[port]), latency = class_latency(p, f->port_class[port]);
        p->ports[port] = (pipe_port){.peer = peer * p->vcs,
                                     .period = (uint16_t)period,
                                     .flit_delay = (uint32_t)(latency + period - p->speedup),
                                     .credit_delay = (uint32_t)(class_latency(p, f->port_class[peer]) + p->speedup)};
        p->look_at_links = p->look_at_links || period > p->speedup || p->speedup > 1;
        for (unsigned v = 0; v < p->vcs; v++)
            p->credits[(size_t)port * p->vcs + v] = (uint16_t)p->depth;
    }
}

static void init_inputs(pipe *p)
{
    for (uint32_t bit = 0; bit < p->max_radix * p->vcs; bit++)
        p->port_of_bit[bit] = (uint16_t)(bit / p->vcs);
    for (uint32_t port = 0; port < p->switch_ports; port++)
        for (unsigned v = 0; v < p->vcs; v++) {
            p->in[(size_t)port * p->vcs + v].sw = p->f->port_node[port];
            p->in[(size_t)port * p->vcs + v].vc = (uint8_t)v;
        }
}

static uint64_t *take_words(uint64_t **bits, size_t count)
{
    uint64_t *taken = *bits;
    *bits += count;
    return taken;
}

static void init_sets(const pipe *p, pipe_router *r, uint64_t **bits)
{
    size_t w = r->words, ring = w * (p->stage_mask + 1);
    r->waiting = take_words(bits, r->port_words);
    r->wanted = take_words(bits, r->port_words);
    r->unready = take_words(bits, w);
    r->free_out = take_words(bits, w);
    r->drop = take_words(bits, w);
    r->route = take_words(bits, ring);
    r->due = take_words(bits, ring);
    r->wait = take_words(bits, w * r->radix);
    r->want = take_words(bits, w * r->radix);
    for (uint32_t o = 0; o < r->radix * p->vcs; o++)
        r->free_out[o >> 6] |= UINT64_C(1) << (o & 63);
}

static void fill(uint16_t *values, uint32_t count, uint32_t value)
{
    for (uint32_t k = 0; k < count; k++)
        values[k] = (uint16_t)value;
}

/* All pointers stand before the first input, output or VC: the last one was served last. */
static uint16_t *init_pointers(const pipe *p, pipe_router *r, uint16_t *at)
{
    uint16_t radix = r->radix, all = (uint16_t)(radix * p->vcs);
    r->vc_served = at;
    r->sw_match = (match_state){at + radix, at + 2 * radix, radix, radix, 0};
    r->vc_match = (match_state){at + 3 * radix, at + 3 * radix + all, all, all, 0};
    fill(r->vc_served, radix, p->vcs - 1);
    if (!match_takes_list(p->sw_kind)) {
        fill(r->sw_match.in_first, radix, radix - 1u);
        fill(r->sw_match.out_first, radix, all - 1u);
    }
    if (!match_takes_list(p->vc_kind))
        fill(r->vc_match.in_first, 2u * all, all - 1u);
    return at + (size_t)radix * 3 + 2u * all;
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
        r->first = r->port_base * p->vcs;
        r->radix = (uint16_t)ik_radix(p->f, sw);
        r->words = (uint16_t)words_of((size_t)r->radix * p->vcs);
        r->port_words = (uint16_t)words_of(r->radix);
        init_sets(p, r, &bits);
        r->in = p->in + r->first;
        r->credits = p->credits + r->first;
        r->holder = p->holder + r->first;
        r->ports = p->ports + r->port_base;
        pointers = init_pointers(p, r, pointers);
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

/* ---- sizes */

/* Events are due at most this far ahead: the longest channel, the slowest link's flit, what waits for it behind the switch (no
 * more than there is credit for), and the pipeline. Returns 0 if that is too far. */
static uint64_t wheel_span(const pipe *p)
{
    uint64_t longest = 1, held = (uint64_t)p->depth * p->vcs, room = p->queue_flits + 1;
    for (uint32_t c = 0; c < p->f->num_classes; c++) {
        uint64_t span = class_latency(p, c) + class_period(p, c) * ((held < room ? held : room) + 2);
        longest = span > longest ? span : longest;
    }
    longest += p->sw_alloc + p->traversal + 8u * p->speedup;
    uint64_t size = 64;
    while (size < longest && size <= UINT64_C(1) << 24)
        size *= 2;
    return size <= UINT64_C(1) << 24 ? size : 0;
}

static uint32_t power_above(uint32_t least)
{
    uint32_t size = 1;
    while (size < least)
        size *= 2;
    return size;
}

static ik_status choose_sizes(pipe *p, ik_error *err)
{
    unsigned longest = p->routing > p->vc_alloc ? p->routing : p->vc_alloc;
    p->stage_mask = power_above((longest > p->sw_alloc ? longest : p->sw_alloc) + 1) - 1;
    p->ring_mask = power_above(p->depth) - 1;
    p->ring_shift = (uint32_t)__builtin_popcount(p->ring_mask);
    p->vc_mask = ~UINT64_C(0) >> (64 - p->vcs);
    uint64_t span = wheel_span(p);
    if (span == 0)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "links as long or as slow as 2^24 cycles of %llu ps",
                       (unsigned long long)p->clock_ps);
    p->wheel_mask = (uint32_t)span - 1;
    uint64_t packets = (uint64_t)p->f->num_ports * p->vcs * p->depth + p->f->num_hosts;
    if (packets >= UINT64_C(1) << 30)
        packets = (UINT64_C(1) << 30) - 1;
    p->max_chunks = (uint32_t)(packets / PIPE_CHUNK) + 1;
    return IK_OK;
}

static ik_status check_size(const pipe *p, ik_error *err)
{
    if ((uint64_t)p->max_radix * p->vcs > MAX_PORT_VCS)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "a switch of %u ports with %u VCs: the pipelined model takes %d (port, VC) pairs",
                       p->max_radix, p->vcs, MAX_PORT_VCS);
    double bytes = (double)p->switch_channels * (((size_t)1 << p->ring_shift) * sizeof(uint32_t) + sizeof(pipe_vc)) +
                   (double)p->f->num_ports * (sizeof(pipe_port) + sizeof(uint64_t)) + (double)pipe_congest_bytes(p);
    if (p->env && p->env->memory_limit_bytes && bytes > (double)p->env->memory_limit_bytes)
        return ik_fail(err, IK_ERR_MEMORY, "the simulation would need about %.0f MiB, the limit is %.0f MiB", bytes / 1048576,
                       (double)p->env->memory_limit_bytes / 1048576);
    return IK_OK;
}

static ik_status make_state(pipe *p, ik_error *err)
{
    sizes z = measure(p);
    ik_status status = check_size(p, err);
    if (status != IK_OK)
        return status;
    if (!allocate(p, &z))
        return ik_fail_memory(err, p->state_bytes, "the simulation");
    p->num_parts = 1;
    if (!allocate_part(p, &p->parts[0], &z))
        return ik_fail_memory(err, p->state_bytes, "the simulation");
    uint32_t sides = takes_lists(p) ? p->max_radix * p->vcs : 1;
    return match_room_init(&p->parts[0].room, sides, sides, takes_lists(p) ? (uint32_t)most_requests(p) : 1, err);
}

/* A routing that is a function of switch and destination is asked once for all where its table is small. */
static ik_status make_table(pipe *p, ik_error *err)
{
    enum { MOST_ENTRIES = 1 << 20 };
    const ik_routing *r = p->plan->routing;
    uint64_t entries = (uint64_t)p->f->num_switches * p->f->num_hosts;
    if (r->kind != IK_ROUTE_DETERMINISTIC || !(r->traits & IK_ROUTE_DEST_BASED) || entries > MOST_ENTRIES ||
        p->max_radix > INT16_MAX)
        return IK_OK;
    p->state_bytes += entries * sizeof *p->table;
    ik_env quiet = {.seed = p->seed, .num_threads = 1, .memory_limit_bytes = p->env ? p->env->memory_limit_bytes : 0};
    return ik_lft_compile(r, &quiet, &p->table, err);
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
    p->adaptive = plan->routing->family->kind == IK_ROUTE_ADAPTIVE;
    p->source_adaptive = p->adaptive && plan->routing->family->start;
    p->any_injection_vc = !plan->vc->family->static_lane;
    p->switch_ports = p->f->port_base[p->f->num_switches];
    p->switch_channels = p->switch_ports * p->vcs;
    ik_status status = resolve(p, config, err);
    if (status == IK_OK)
        status = choose_sizes(p, err);
    if (status == IK_OK)
        status = make_state(p, err);
    if (status == IK_OK)
        status = make_table(p, err);
    if (status == IK_OK)
        status = sim_classes_new(traffic, p->num_series, &p->classes, err);
    if (status == IK_OK)
        status = pipe_congest_new(p, err);
    p->state_bytes += pipe_congest_bytes(p);
    if (status != IK_OK)
        return status;
    init_ports(p);
    p->plain = p->routing == 1 && p->vc_alloc == 1 && p->speedup == 1 && !p->look_at_links && p->vc_kind == MATCH_ISLIP &&
               p->sw_kind == MATCH_ISLIP && p->iterations == 1;
    init_inputs(p);
    init_routers(p);
    init_hosts(p);
    return IK_OK;
}

static void free_part(pipe_part *q, uint32_t num_slots)
{
    for (uint32_t k = 0; q->slots && k < num_slots; k++) {
        free(q->slots[k].flits);
        free(q->slots[k].credits);
        free(q->slots[k].hosts);
    }
    match_room_free(&q->room);
    void *blocks[] = {q->slots,          q->list,   q->ready_hosts,  q->next_hosts,   q->requests,   q->grants,
                      q->ports,          q->best,   q->ready,        q->busy,         q->offered,    q->given,
                      q->freed,          q->rivals, q->series_bytes, q->series_count, q->series_sum, q->latency.buckets,
                      q->network.buckets};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}

void pipe_free(pipe *p)
{
    for (unsigned k = 0; p->parts && k < p->num_parts; k++)
        free_part(&p->parts[k], p->wheel_mask + 1);
    for (uint32_t k = 0; p->chunks && k < p->num_chunks; k++)
        free(p->chunks[k]);
    if (p->order)
        sim_order_free(p->order, p->f->num_hosts);
    congest_free(p->congest);
    sim_classes_free(p->classes);
    void *blocks[] = {p->ports,          p->credits,       p->holder,     p->in,
                      p->rings,          p->routers,       p->hosts,      p->bits,
                      p->pointers,       p->policy,        p->chunks,     p->port_of_bit,
                      p->parts,          p->channel_bytes, p->host_bytes, p->host_sent_bytes,
                      p->series_blocked, p->deadlock_text, p->table};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}
