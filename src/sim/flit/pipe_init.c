/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_init.c: the state of the pipelined model before the first cycle.
 */
#include "sim/flit/pipe.h"

static uint32_t pipe_init_words_of(size_t bits)
{
    return (uint32_t)((bits + 63) / 64);
}

/* A router's sets and blocks begin with a line. */
static size_t pipe_init_whole_lines(size_t words)
{
    return (words + 7) / 8 * 8;
}

pipe_sizes pipe_sizes_of(const pipe *p, uint32_t sw)
{
    const ik_routing_family *routing = p->plan->routing->family;
    const ik_selection *selection = ik_selection_in(p->plan->selection, true);
    size_t radix = ik_radix(p->f, sw);
    pipe_sizes z = {
        .shape = {pipe_init_words_of(radix * p->vcs), pipe_init_words_of(radix), false}};
    z.sets = pipe_init_whole_lines(pipe_set_words(z.shape, p->stage_mask + (size_t)1));
    z.outs = pipe_init_whole_lines(radix * pipe_out_words(z.shape.words, p->vcs));
    if (p->list_switch)
        z.pointers += radix * (2 * p->input_speedup + p->output_speedup);
    if (p->hold)
        z.pointers += radix * (p->input_speedup + p->output_speedup);
    if (match_takes_list(p->vc_kind))
        z.pointers += 2 * radix * p->vcs;
    if (routing->switch_state_bytes)
        z.route_state = (routing->switch_state_bytes(p->plan->routing, sw) + 15) / 16 * 16;
    if (selection && selection->family->switch_state_bytes)
        z.select_state = (selection->family->switch_state_bytes(selection, sw) + 15) / 16 * 16;
    return z;
}

/* What a partition does in a cycle can be seen by another a channel's latency and a cycle later: a
 * flit has to win the switch first, and a credit takes that long. */
static void pipe_init_limit_step(pipe *p, uint32_t port, uint64_t latency)
{
    uint16_t own = p->node_partition[p->f->port_node[port]],
             other = p->node_partition[ik_peer_node(p->f, port)];
    if (own == other)
        return;
    p->ports[port].to = (uint16_t)(other + 1);
    if (latency / p->speedup + 1 < p->step_cycles)
        p->step_cycles = latency / p->speedup + 1;
}

static void pipe_init_links(pipe *p)
{
    for (uint32_t c = 0; c < p->f->num_classes; c++) {
        uint32_t period = (uint32_t)pipe_class_period(p, c);
        p->links[c] =
            (pipe_link){(uint32_t)(pipe_class_latency(p, c) + period - p->speedup), period};
    }
}

static void pipe_init_ports(pipe *p)
{
    p->step_cycles = p->end;
    const ik_fabric *f = p->f;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = f->port_peer[port];
        uint16_t inputs = (uint16_t)ik_radix(f, f->port_node[port]);
        p->ports[port].last_out = (uint16_t)(inputs - 1u);
        p->ports[port].last_vc = (uint16_t)(p->vcs - 1);
        if (peer == IK_NONE)
            continue;
        for (unsigned v = 0; v < p->vcs; v++)
            p->credits[(size_t)port * p->vcs + v] = (uint16_t)p->depth;
        p->ports[port].peer = peer * p->vcs;
        p->ports[port].link = f->port_class[port];
        p->ports[port].credit_delay =
            (uint32_t)(pipe_class_latency(p, f->port_class[peer]) + p->speedup);
        p->look_at_links = p->look_at_links || pipe_period_of(p, port) > p->speedup ||
                           p->speedup > 1 || p->output_speedup > 1;
        pipe_init_limit_step(p, port, pipe_class_latency(p, f->port_class[port]));
    }
}

static void init_inputs(pipe *p)
{
    for (uint32_t bit = 0; bit < p->max_radix * p->vcs; bit++) {
        p->port_of_bit[bit] = (uint16_t)(bit / p->vcs);
        p->crossbar_in[bit] =
            (uint16_t)(bit / p->vcs * p->input_speedup + bit % p->vcs % p->input_speedup);
    }
    for (unsigned v = 0; v < p->vcs; v++)
        p->crossbar_vcs[v % p->input_speedup] |= UINT64_C(1) << v;
}

static void pipe_init_fill(uint16_t *values, uint32_t count, uint32_t value)
{
    for (uint32_t k = 0; k < count; k++)
        values[k] = (uint16_t)value;
}

/* All pointers stand before the first input, output or VC: the last one was served last. */
static uint16_t *init_pointers(const pipe *p, pipe_router *r, uint16_t *at)
{
    uint16_t all = (uint16_t)(r->radix * p->vcs);
    uint16_t inputs = (uint16_t)(r->radix * p->input_speedup),
             outputs = (uint16_t)(r->radix * p->output_speedup);
    if (p->list_switch) {
        r->vc_served = at;
        pipe_init_fill(r->vc_served, inputs, p->vcs - 1);
        r->sw_match = (match_state){at + inputs, at + 2 * inputs, inputs, outputs, 0};
        at += 2 * inputs + outputs;
    }
    if (p->hold) {
        r->kept_in = at;
        r->kept_out = at + inputs;
        pipe_init_fill(r->kept_in, inputs, PIPE_NO_HOLDER);
        at += inputs + outputs;
    }
    if (match_takes_list(p->vc_kind)) {
        r->vc_match = (match_state){at, at + all, all, all, 0};
        at += 2 * all;
    }
    return at;
}

static void pipe_init_vcs(const pipe *p, pipe_router *r)
{
    const pipe_kernel k = pipe_kernel_of(r);
    uint32_t all = (uint32_t)r->radix * p->vcs;
    for (uint32_t bit = 0; bit < all; bit++) {
        r->in[bit].last = (uint16_t)(all - 1u);
        pipe_sets_set_add(pipe_free_out(r, k), bit, k.words);
    }
    for (uint32_t out = 0; out < r->radix; out++) {
        *pipe_last_in(r, out, k.words) = (uint16_t)(all - 1u);
        pipe_init_fill(pipe_holders(r, out, k.words), p->vcs, PIPE_NO_HOLDER);
        pipe_init_fill(pipe_last_holders(r, out, k.words, p->vcs), p->vcs, all - 1u);
    }
}

static void init_routers(pipe *p)
{
    uint64_t *bits = p->bits, *outs = p->outs;
    uint16_t *pointers = p->pointers;
    uint8_t *policy = p->policy;
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        pipe_router *r = &p->routers[sw];
        const pipe_sizes sizes = pipe_sizes_of(p, sw);
        r->port_base = p->f->port_base[sw];
        r->first = r->port_base * p->vcs;
        r->radix = (uint16_t)ik_radix(p->f, sw);
        r->words = (uint16_t)sizes.shape.words;
        r->port_words = (uint16_t)sizes.shape.port_words;
        r->out_size = (uint16_t)pipe_out_words(sizes.shape.words, p->vcs);
        r->sets = bits;
        r->outs = outs;
        r->in = p->in + r->first;
        r->ports = p->ports + r->port_base;
        r->credits = p->credits + r->first;
        r->rings = p->rings + ((size_t)r->first << p->ring_shift);
        r->route_state = policy;
        r->select_state = policy + sizes.route_state;
        pipe_init_vcs(p, r);
        pointers = init_pointers(p, r, pointers);
        bits += sizes.sets;
        outs += sizes.outs;
        policy += sizes.route_state + sizes.select_state;
    }
}

static void pipe_init_hosts(pipe *p)
{
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        p->hosts[host].port = ik_host_port(p->f, host);
    for (uint32_t port = p->switch_ports; port < p->f->num_ports; port++) {
        size_t first = (size_t)(port - p->switch_ports) * p->vcs;
        pipe_init_fill(p->host_holders + first, p->vcs, PIPE_NO_HOLDER);
    }
}

void pipe_init(pipe *p)
{
    pipe_init_links(p);
    pipe_init_ports(p);
    init_inputs(p);
    init_routers(p);
    pipe_init_hosts(p);
}
