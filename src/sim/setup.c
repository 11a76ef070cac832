/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a simulation: refused by size first, then allocated in a few large arrays, then
 * initialised to an empty network.
 */
#include "sim/adapter/host.h"
#include "sim/flit/flit.h"
#include "sim/inspect/inspect.h"
#include "sim/measure/order.h"
#include "sim/packet/shape.h"
#include "sim/params/parameters.h"
#include "sim/run.h"
#include "sim/state/space.h"
#include "sim/workload/finite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the engine, and windows that it takes */

enum { MAX_WINDOW_PS = (1u << 24) - 1 }; /* offsets in a window fit their bits in every engine */

/* The first that serves the parameters. Whether it serves the fabric, too, shows later; the windows
 * stay then, so that results do not depend on it. */
static void setup_choose_engine(sim *s)
{
    const sim_engine *const *next = sim_engines;
    while (!(*next)->serves(s))
        next++;
    s->engine.ops = *next;
}

static ik_status setup_find_lookahead(sim *s, ik_error *err)
{
    const ik_fabric *f = s->f;
    setup_choose_engine(s);
    uint64_t least = MAX_WINDOW_PS;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE)
            continue;
        uint64_t latency = ik_port_latency_ps(f, port);
        if (latency < 2 || latency > UINT32_MAX) {
            char text[160];
            bool between = ik_is_switch(f, f->port_node[port]) &&
                           ik_is_switch(f, f->port_node[f->port_peer[port]]);
            ik_status status =
                ik_about(err,
                         ik_fail(err, IK_ERR_UNSUPPORTED, "the link at %s has %s = %llu ps",
                                 ik_port_describe(f, port, text, sizeof text),
                                 between ? "latency" : "host_latency (or latency)",
                                 (unsigned long long)latency),
                         "%s", between ? "latency" : "host_latency latency");
            return ik_hint(err, status,
                           latency > 1
                               ? "at most 4.29 ms"
                               : "the engine works in windows of the smallest latency: give every "
                                 "link at least 2 ps (5 ns is a metre of cable)");
        }
        if (latency < least)
            least = latency;
    }
    uint64_t shortest = UINT64_MAX;
    for (uint32_t c = 0; c < f->num_classes; c++) {
        uint64_t time = ik_transmit_ps(s->adapter.packet_bytes, f->classes[c].rate_bps);
        shortest = time < shortest ? time : shortest;
    }
    ik_status status = sim_resolve_control(s, least, shortest, err);
    if (status != IK_OK)
        return status;
    s->window.relook_ps = shortest / 32 < least ? shortest / 32 + 1 : least;
    least = s->engine.ops->window_ps(least, shortest);
    if (f->num_classes == 1 && shortest / least >= SIM_WHOLE_WINDOWS)
        least = shortest / ((shortest + least - 1) / least);
    s->window.lookahead = least;
    s->window.last_ps = (s->measure.past_ps + least - 1) / least * least;
    s->window.reciprocal = UINT64_MAX / least + 1; /* ceil(2^64 / least) */
    return IK_OK;
}

/* Slots: a revolution covers the usual delays. */
static uint32_t setup_choose_slots(const sim *s)
{
    uint64_t slowest = 0;
    for (uint32_t c = 0; c < s->f->num_classes; c++) {
        uint64_t delay = ik_transmit_ps(s->adapter.packet_bytes, s->f->classes[c].rate_bps) +
                         s->f->classes[c].latency_ps;
        if (delay > slowest)
            slowest = delay;
    }
    uint64_t windows = 2 * (slowest + s->sw.routing_ps + s->sw.traversal_ps) / s->window.lookahead;
    uint32_t slots = 1024;
    while (slots < windows && slots < 65536 &&
           (double)s->window.lookahead * (double)s->window.lookahead * slots <
               4e18) /* window_of is exact */
        slots *= 2;
    return slots;
}

/* ---- sizes */

typedef struct sizes {
    size_t masks, queues, pairs, undecided, allowed, policy, net, holders;
} sizes;

static size_t setup_policy_bytes(const sim *s, uint32_t sw, size_t *select)
{
    const ik_selection *sel = s->choice.selection;
    const ik_routing *r = s->plan->routing;
    *select = sel && sel->family->switch_state_bytes
                  ? (sel->family->switch_state_bytes(sel, sw) + 15) & ~(size_t)15
                  : 0;
    return *select + (r->family->switch_state_bytes
                          ? (r->family->switch_state_bytes(r, sw) + 15) & ~(size_t)15
                          : 0);
}

static void setup_measure_switch(const sim *s, uint32_t sw, sizes *z)
{
    size_t radix = ik_radix(s->f, sw), inputs = radix * s->sw.input_speedup,
           words = s->net.max_words, select;
    z->masks += (3 + inputs + radix * s->sw.vcs + s->sw.vcs) * words;
    z->queues += s->engine.ops->keeps_queues ? 0 : radix * s->sw.vcs * (s->sw.voq ? radix : 1);
    if (s->sw.queues == QUEUES_VOQNET) {
        z->net += radix * s->sw.vcs * s->f->num_hosts;
        z->holders += (radix * s->sw.vcs + 63) / 64 * s->f->num_hosts;
    }
    z->pairs += s->sw.vcs > 1 ? inputs * radix : 0;
    if (s->choice.adaptive && s->choice.rechoose)
        z->undecided += shape_undecided_words(s, radix, words);
    if (s->choice.masked && !s->engine.ops->keeps_queues && s->sw.voq && s->choice.rechoose)
        z->allowed += (inputs + radix * s->sw.vcs * (1 + radix)) * words;
    z->policy += setup_policy_bytes(s, sw, &select);
}

static sizes setup_measure_all(sim *s)
{
    sizes z = {0};
    s->net.max_radix = 1;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        if (ik_radix(s->f, sw) > s->net.max_radix)
            s->net.max_radix = ik_radix(s->f, sw);
    s->net.max_inputs = s->net.max_radix * s->sw.input_speedup;
    s->net.max_words = (s->net.max_inputs + 63) / 64;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        setup_measure_switch(s, sw, &z);
    return z;
}

/* What changes of switches; the rest is known, or points to where else it is. */
static bool setup_get_switches(sim *s, sim_memory *m)
{
    for (uint32_t sw = 0; m->carrier && sw < s->f->num_switches; sw++) {
        SIM_CARRY(m->carrier, s->net.switches[sw].draws);
        SIM_CARRY(m->carrier, s->net.switches[sw].bytes);
    }
    return m->carrier || sim_get(m, &s->net.switches, s->f->num_switches, sizeof *s->net.switches);
}

static bool setup_allocate(sim *s, const sizes *z, sim_memory *m)
{
    const ik_fabric *f = s->f;
    size_t ports = f->num_ports, send_queues = (size_t)f->num_hosts * s->adapter.num_queues;
    bool ok = sim_get(m, &s->net.ports, ports, sizeof *s->net.ports) &&
              sim_get(m, &s->net.outputs, ports, s->net.output_stride) &&
              setup_get_switches(s, m) && sim_get(m, &s->net.mask_store, z->masks, 8) &&
              sim_get(m, &s->net.queue_store, z->queues, sizeof(queue)) &&
              sim_get(m, &s->host.state, f->num_hosts, sizeof *s->host.state) &&
              sim_get(m, &s->source.injectors, f->num_hosts, sizeof *s->source.injectors) &&
              sim_get(m, &s->host.queues, send_queues, sizeof *s->host.queues) &&
              sim_get(m, &s->host.messages, send_queues * s->adapter.active_messages,
                      sizeof *s->host.messages) &&
              sim_get(m, &s->window.node_head, ik_num_nodes(f), sizeof *s->window.node_head) &&
              sim_get(m, &s->parallel.node_partition, ik_num_nodes(f),
                      sizeof *s->parallel.node_partition) &&
              sim_get(m, &s->counted.channel_bytes, ports, 8) &&
              sim_get(m, &s->counted.host_bytes, f->num_hosts, 8) &&
              sim_get(m, &s->counted.host_sent_bytes, f->num_hosts, 8);
    if (ok && z->pairs)
        ok = sim_get(m, &s->net.pair_store, z->pairs, 1);
    if (ok && z->undecided)
        ok = sim_get(m, &s->net.undecided_store, z->undecided, 8);
    if (ok && z->allowed)
        ok = sim_get(m, &s->net.allowed_store, z->allowed, 8);
    if (ok && z->policy)
        ok = sim_get(m, &s->net.policy_store, z->policy, 1);
    if (ok && s->choice.adaptive && !s->sw.out_buffers &&
        (!s->engine.ops->keeps_queues || (s->choice.source_adaptive && s->measure.paranoid)))
        ok = sim_get(m, &s->backlog.queued, ports * s->sw.vcs, 8) &&
             sim_get(m, &s->backlog.sending, ports, 4);
    if (ok && s->sw.input_speedup > 1)
        ok = sim_get(m, &s->net.accept, ports * s->sw.input_speedup, 2);
    if (ok && s->choice.adaptive && s->sw.out_buffers)
        ok = sim_get(m, &s->backlog.waiting, ports * s->sw.vcs, 8) &&
             (s->sw.traversal_ps == 0 || sim_get(m, &s->backlog.clear_ps, ports, 8));
    if (ok && s->adapter.queues == ADAPTER_DESTINATION)
        ok = sim_get(m, &s->host.dest_rings, (size_t)f->num_hosts * s->sw.vcs, sizeof(queue));
    if (ok && s->reorder.on)
        ok = sim_get(m, &s->host.reorder, f->num_hosts, sizeof *s->host.reorder);
    if (ok && s->reply.on)
        ok = sim_get(m, &s->host.replies, f->num_hosts, sizeof *s->host.replies) &&
             sim_get(m, &s->host.reply_lists, (size_t)f->num_hosts * s->reply.queues,
                     sizeof *s->host.reply_lists) &&
             (!s->reply.most ||
              sim_get(m, &s->host.reply_places, (size_t)f->num_hosts * s->reply.most, 8));
    if (ok && (s->adapter.ejection_share < 1 || s->adapter.ejection_bps != UINT64_MAX))
        ok = sim_get(m, &s->host.drained, f->num_hosts, sizeof *s->host.drained);
    if (ok && z->net)
        ok = sim_get(m, &s->net.net_store, z->net, sizeof(net_queue)) &&
             sim_get(m, &s->net.holder_store, z->holders, 8);
    if (ok && s->measure.num_series)
        ok = sim_get(m, &s->counted.series_blocked, s->measure.num_series * f->num_switches, 8);
    return ok;
}

void sim_setup_carry(sim *s, sim_carrier *c)
{
    const sizes z = setup_measure_all(s);
    setup_allocate(s, &z, &(sim_memory){.carrier = c});
}

/* What a run allocates before its first packet. */
static uint64_t setup_state_bytes(sim *s, const sizes *z)
{
    sim_memory m = {.only_count = true};
    congest_setup samples = sim_congest_setup(s);
    setup_allocate(s, z, &m);
    return m.bytes + sim_finite_bytes(s) + sim_space_bytes(s) + s->engine.ops->bytes(s) +
           sim_partitions_bytes(s) + sim_schedule_bytes(s->traffic, s->f->num_hosts) +
           (sim_checks_order(s) ? s->f->num_hosts * sizeof *s->counted.order : 0) +
           congest_bytes(&samples);
}

/* Decides on the engine, whose state is part of the bytes, and on the wheel. */
static uint64_t setup_measure_state(sim *s, const sim_engine *only, sizes *z)
{
    const sim_engine *const *next = sim_engines;
    while (*next != s->engine.ops)
        next++;
    setup_measure_all(s);
    assert(!only || only == &sim_crossbar_engine || only->fits(s));
    if (only && only->fits(s))
        s->engine.ops = only;
    while (!s->engine.ops->fits(s))
        s->engine.ops = *++next;
    *z = setup_measure_all(s);
    s->net.output_stride = state_output_bytes(s->sw.vcs, s->sw.out_buffers);
    s->window.num_slots = setup_choose_slots(s);
    return setup_state_bytes(s, z);
}

static ik_status setup_refuse_size(const sim *s, uint64_t bytes, ik_error *err)
{
    uint64_t limit = s->env ? s->env->memory_limit_bytes : 0;
    if (limit && bytes > limit)
        return ik_fail(
            err, IK_ERR_MEMORY,
            "the simulation's state needs %.1f MB before the first packet, %.1f MB are allowed",
            (double)bytes / 1e6, (double)limit / 1e6);
    if (s->f->num_ports > EV_PORT_MASK)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "%s; the simulator takes at most %u",
                       IK_COUNT(s->f->num_ports, "port"), EV_PORT_MASK);
    if (s->net.max_inputs > 65534)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "a switch with %u inputs; the simulator takes at most 65534",
                       s->net.max_inputs);
    return IK_OK;
}

/* A thread pays for a barrier with others what some ten packet-hops cost. */
enum { HOPS_A_THREAD = 64, HOPS_A_PACKET = 4 };

static double packets_per_window(const sim *s)
{
    double packets = 0;
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        uint32_t port = ik_host_port(s->f, host);
        if (port != IK_NONE)
            packets += (double)ik_port_rate_bps(s->f, port) * (double)s->window.lookahead /
                       (8e12 * s->adapter.packet_bytes);
    }
    return packets * (s->source.load < 1 ? s->source.load : 1);
}

/* What a run in so many threads allocates before its first packet. */
static uint64_t bytes_in_threads(sim *s, unsigned threads)
{
    sizes z;
    sim copy = *s;
    copy.parallel.num_partitions = threads;
    return setup_measure_state(&copy, NULL, &z);
}

uint64_t ik_sim_estimate_bytes(const ik_plan *plan, const ik_sim_config *config)
{
    sim s = {.plan = plan, .f = plan->fabric};
    const ik_sim_config c = sim_config_of(config);
    if (sim_is_pipelined(&c))
        return pipe_estimate_bytes(plan, &c);
    bool ok = sim_resolve(&s, plan, &c, NULL) == IK_OK && setup_find_lookahead(&s, NULL) == IK_OK;
    uint64_t bytes = ok ? bytes_in_threads(&s, 1) : 0;
    sim_sizes_free(s.source.sizes);
    return bytes;
}

/* What a partition takes for its first packets and events, however small the network. */
static const uint64_t bytes_to_start = 1024 * sizeof(packet) + 64 * 64 * sizeof(event);

/* Packets while a quarter of the buffers is full. */
static uint64_t packets_in_flight(const sim *s)
{
    uint64_t ports = s->f->num_switches ? s->f->port_base[s->f->num_switches] : 0;
    return ports * s->sw.vcs * (s->sw.capacity / s->adapter.packet_bytes) / 4;
}

/* Of these and their events. */
static uint64_t setup_bytes_in_flight(const sim *s)
{
    return packets_in_flight(s) *
           (sizeof(packet) + sizeof(event) + (sim_numbered(s) ? sizeof(uint32_t) : 0));
}

void ik_sim_estimate_run(const ik_plan *plan, const ik_sim_config *config, ik_sim_estimate *out)
{
    sim s = {.plan = plan, .f = plan->fabric};
    const ik_sim_config c = sim_config_of(config);
    *out = (ik_sim_estimate){.useful_threads = 1, .packets = NAN, .packet_flits = 1};
    if (sim_is_pipelined(&c)) {
        pipe_estimate(plan, &c, out);
        return;
    }
    bool ok = sim_resolve(&s, plan, &c, NULL) == IK_OK && setup_find_lookahead(&s, NULL) == IK_OK;
    sim_sizes_free(s.source.sizes);
    s.source.sizes = NULL;
    if (!ok)
        return;
    uint64_t one = bytes_in_threads(&s, 1);
    double packets = packets_per_window(&s) * (double)s.measure.end_ps / (double)s.window.lookahead;
    out->bytes = one + bytes_to_start + setup_bytes_in_flight(&s) +
                 sim_reorder_estimate(&s, packets, (double)packets_in_flight(&s));
    out->thread_bytes = bytes_in_threads(&s, 2) - one;
    out->packets = packets_per_window(&s) * sim_likely_ps(&s, &c) / (double)s.window.lookahead;
    out->open_end = s.measure.window.auto_end;
    out->packet_bytes = s.adapter.packet_bytes;
    out->most_hops = s.measure.window.most_hops;
    out->hops_per_window = HOPS_A_PACKET * packets_per_window(&s);
    double threads = fmin(out->hops_per_window / HOPS_A_THREAD, plan->fabric->num_switches);
    out->useful_threads = threads < 1 ? 1 : (unsigned)threads;
}

/* ---- an empty network */

static void setup_init_port(sim *s, uint32_t port)
{
    const ik_fabric *f = s->f;
    port_state *ps = &s->net.ports[port];
    for (unsigned v = 0; s->sw.out_buffers && v < s->sw.vcs; v++) {
        *state_space_of(s, s->sw.vcs, port, v) = (int32_t)s->sw.out_capacity;
        *state_out_queue_of(s, s->sw.vcs, port, v) = (queue){IK_NONE, IK_NONE};
    }
    ps->peer_port = f->port_peer[port];
    if (ps->peer_port == IK_NONE) {
        ps->peer_node = IK_NONE; /* without credit nothing is ever sent */
        return;
    }
    ps->peer_node = f->port_node[ps->peer_port];
    ps->latency_ps = (uint32_t)ik_port_latency_ps(f, port);
    uint64_t full = ik_transmit_ps(s->adapter.packet_bytes, ik_port_rate_bps(f, port));
    ps->full_ps = full <= UINT32_MAX ? (uint32_t)full : 0;
    uint64_t space = ik_is_switch(f, ps->peer_node) ? s->sw.capacity : s->adapter.capacity;
    for (unsigned v = 0; v < s->sw.vcs && !s->net.in_space.accounts; v++)
        *state_credit_at(s, port, v) = (int32_t)space;
    ps->ok = s->sw.vcs == 64 ? UINT64_MAX : (1ull << s->sw.vcs) - 1;
}

/* Position in each of the shared arrays, advanced switch by switch. */
static void setup_init_switch(sim *s, uint32_t id, sizes *at)
{
    sw_state *sw = &s->net.switches[id];
    size_t select, policy = setup_policy_bytes(s, id, &select);
    sizes before = *at;
    setup_measure_switch(s, id, at);
    sw->port_base = s->f->port_base[id];
    sw->radix = (uint16_t)ik_radix(s->f, id);
    sw->inputs = (uint16_t)(sw->radix * s->sw.input_speedup);
    sw->words = (uint16_t)s->net.max_words;
    sw->masks = s->net.mask_store + before.masks;
    sw->queues = s->engine.ops->keeps_queues ? NULL : s->net.queue_store + before.queues;
    sw->net = s->net.net_store ? s->net.net_store + before.net : NULL;
    sw->holders = s->net.holder_store ? s->net.holder_store + before.holders : NULL;
    sw->lane_words = (uint16_t)((sw->radix * s->sw.vcs + 63) / 64);
    sw->pair_vc = s->net.pair_store ? s->net.pair_store + before.pairs : NULL;
    sw->undecided = s->net.undecided_store ? s->net.undecided_store + before.undecided : NULL;
    sw->allowed = s->net.allowed_store ? s->net.allowed_store + before.allowed : NULL;
    sw->select_state = select ? s->net.policy_store + before.policy : NULL;
    sw->route_state = policy > select ? s->net.policy_store + before.policy + select : NULL;
    for (unsigned input = 0; input < sw->inputs; input++)
        switch_state_free_inputs(sw)[input >> 6] |= 1ull << (input & 63);
    for (unsigned out = 0; out < sw->radix; out++)
        switch_state_free_outputs(sw, sw->words)[out >> 6] |= 1ull << (out & 63);
    uint64_t *room = shape_room_of_vc(sw, sim_shape(s), 0);
    for (unsigned v = 0; s->choice.room_kept && v < s->sw.vcs; v++)
        for (unsigned out = 0; out < sw->radix; out++)
            if (*state_gate_of(s, s->sw.vcs, sw->port_base + out, v) >=
                (int32_t)s->adapter.packet_bytes)
                room[v * sw->words + (out >> 6)] |= 1ull << (out & 63);
}

static void setup_init_host(sim *s, uint32_t host)
{
    host_state *h = &s->host.state[host];
    h->wake_at = UINT64_MAX;
    bool graph = s->workload.has_graph && !sim_endless(s, host);
    h->silent = h->port == IK_NONE ||
                (graph ? !sim_finite_sends(s, host) : ik_traffic_is_silent(s->traffic, host));
    if (!h->silent)
        sim_init_injector(s, host);
    if (!h->silent && s->workload.has_graph && !graph)
        sim_endless_source(s, host);
}

static void setup_init_state(sim *s, const sizes *z)
{
    sizes at = {0};
    memset(s->net.queue_store, 0xff, z->queues * sizeof(queue));
    if (s->host.dest_rings)
        memset(s->host.dest_rings, 0xff, (size_t)s->f->num_hosts * s->sw.vcs * sizeof(queue));
    for (size_t k = 0; k < z->net; k++)
        s->net.net_store[k] = (net_queue){IK_NONE, IK_NONE, NET_OUT, IK_NONE};
    memset(s->window.node_head, 0xff, ik_num_nodes(s->f) * sizeof *s->window.node_head);
    for (uint32_t port = 0; port < s->f->num_ports; port++)
        setup_init_port(s, port);
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        setup_init_switch(s, sw, &at);
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        s->host.state[host].port = ik_host_port(s->f, host);
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        setup_init_host(s, host);
    for (uint32_t host = 0; s->reply.on && host < s->f->num_hosts; host++)
        s->host.replies[host].num_places = s->reply.most;
    if (s->reply.on)
        memset(s->host.reply_lists, 0xff,
               (size_t)s->f->num_hosts * s->reply.queues * sizeof *s->host.reply_lists);
    for (uint32_t host = 0; s->reorder.on && host < s->f->num_hosts; host++)
        s->host.reorder[host] = (reorder_host){.throttled_since = UINT64_MAX,
                                               .in_use = s->reorder.own * (s->f->num_hosts - 1),
                                               .first = IK_NONE,
                                               .last = IK_NONE,
                                               .wrapped = IK_NONE,
                                               .unparked = IK_NONE};
}

static ik_status make_order_tables(sim *s, ik_error *err)
{
    s->counted.notes_deliveries = sim_checks_order(s);
    if (!sim_checks_order(s))
        return IK_OK;
    s->counted.order = ik_calloc(s->f->num_hosts + 1, sizeof *s->counted.order);
    return s->counted.order ? IK_OK
                            : ik_fail_memory(err, s->f->num_hosts * sizeof *s->counted.order,
                                             "the checks of order");
}

ik_status sim_setup(sim *s, const ik_plan *plan, const ik_traffic *traffic,
                    const ik_sim_config *config, const ik_env *env, ik_error *err)
{
    return sim_setup_engine(s, plan, traffic, config, env, NULL, err);
}

ik_status sim_setup_engine(sim *s, const ik_plan *plan, const ik_traffic *traffic,
                           const ik_sim_config *config, const ik_env *env, const sim_engine *only,
                           ik_error *err)
{
    memset(s, 0, sizeof *s);
    s->plan = plan;
    s->f = plan->fabric;
    s->traffic = traffic;
    s->env = env;
    s->seed = env ? env->seed : 0;
    if (traffic->num_hosts != s->f->num_hosts)
        return ik_fail(err, IK_ERR_USAGE, "traffic among %s on a fabric of %u",
                       IK_COUNT(traffic->num_hosts, "host"), s->f->num_hosts);
    ik_status status = IK_OK;
    if (traffic->schedule && !traffic->schedule->first) {
        status = schedule_bind(traffic, &s->source.bound, err);
        s->traffic = s->source.bound;
    }
    if (status == IK_OK)
        status = sim_resolve(s, plan, config, err);
    if (status == IK_OK && s->measure.judged)
        status = stationary_new(&s->measure.window, &s->counted.stationary, err);
    if (status == IK_OK && traffic->workload)
        status = sim_finite_new(s, err);
    if (status == IK_OK)
        status = sim_dest_check(s, err);
    if (status == IK_OK)
        status = sim_refuse_numbers(s, err);
    if (status == IK_OK)
        status = setup_find_lookahead(s, err);
    if (status != IK_OK)
        return status;
    sizes z;
    s->parallel.num_partitions = sim_count_partitions(s);
    s->outcome.state_bytes = setup_measure_state(s, only, &z);
    status = setup_refuse_size(s, s->outcome.state_bytes, err);
    if (status != IK_OK)
        return status;
    s->window.span = s->window.lookahead * s->window.num_slots;
    if (!setup_allocate(s, &z, &(sim_memory){0}))
        return ik_fail_memory(err, s->outcome.state_bytes, "the simulation's state");
    setup_init_state(s, &z);
    status = sim_make_schedule(s, err);
    if (status != IK_OK)
        return status;
    if (!sim_space_init(s))
        return ik_fail_memory(err, sim_space_bytes(s), "the accounts of buffers");
    if (!s->engine.ops->set_up(s))
        return ik_fail_memory(err, s->engine.ops->bytes(s), "the simulation's state");
    status = make_order_tables(s, err);
    congest_setup samples = sim_congest_setup(s);
    if (status == IK_OK)
        status = congest_new(&samples, &s->counted.congest, err);
    return status == IK_OK ? sim_setup_partitions(s, err) : status;
}

ik_status sim_check_setup(const ik_plan *plan, const ik_traffic *traffic,
                          const ik_sim_config *config, ik_error *err)
{
    sim s = {.plan = plan, .f = plan->fabric, .traffic = traffic};
    ik_status status = sim_resolve(&s, plan, config, err);
    if (status == IK_OK && traffic->workload)
        status =
            traffic->workload->batch ? sim_finite_new(&s, err) : sim_finite_check_hosts(&s, err);
    if (status == IK_OK && (status = sim_refuse_numbers(&s, err)) == IK_OK)
        status = setup_find_lookahead(&s, err);
    sim_finite_free(&s);
    sim_sizes_free(s.source.sizes);
    return status;
}

void sim_free(sim *s)
{
    sim_free_partitions(s);
    if (s->engine.ops)
        s->engine.ops->free(s);
    sim_order_free(s->counted.order, s->f ? s->f->num_hosts : 0);
    sim_space_free(s);
    sim_finite_free(s);
    sim_sizes_free(s->source.sizes);
    sim_schedule_free(s->source.schedule);
    ik_traffic_free(s->source.bound);
    congest_free(s->counted.congest);
    stationary_free(s->counted.stationary);
    void *blocks[] = {s->net.outputs,
                      s->net.ports,
                      s->backlog.queued,
                      s->backlog.waiting,
                      s->backlog.clear_ps,
                      s->backlog.sending,
                      s->net.accept,
                      s->net.switches,
                      s->net.mask_store,
                      s->net.queue_store,
                      s->net.pair_store,
                      s->net.policy_store,
                      s->net.undecided_store,
                      s->net.allowed_store,
                      s->host.state,
                      s->host.queues,
                      s->host.messages,
                      s->source.injectors,
                      s->window.node_head,
                      s->parallel.node_partition,
                      s->counted.channel_bytes,
                      s->counted.host_bytes,
                      s->counted.host_sent_bytes,
                      s->counted.series_blocked,
                      s->outcome.deadlock_text,
                      s->outcome.missing_text,
                      s->net.net_store,
                      s->net.holder_store,
                      s->host.dest_rings,
                      s->host.drained,
                      s->host.reorder,
                      s->host.replies,
                      s->host.reply_places,
                      s->host.reply_lists};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}
