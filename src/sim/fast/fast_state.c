/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast engine's state: whether it serves a fabric, and set-up. */
#include "ikat/vc.h"
#include "sim/fast/fast.h"
#include "sim/packet/output.h"
#include "sim/workload/finite.h"
#include <stdlib.h>

/* ---- does it fit? */

/* The longest time between a decision and anything that follows from it: a tail may wait for one on
 * a slower link before; the credit of a host's buffer comes after that. */
static uint64_t fast_state_longest_delay(const sim *s)
{
    uint64_t transmit = 0, latency = 0;
    for (uint32_t c = 0; c < s->f->num_classes; c++) {
        uint64_t time = ik_transmit_ps(s->adapter.packet_bytes, s->f->classes[c].rate_bps);
        transmit = time > transmit ? time : transmit;
        latency = s->f->classes[c].latency_ps > latency ? s->f->classes[c].latency_ps : latency;
    }
    return 2 * transmit + 3 * latency + s->sw.traversal_ps + s->sw.routing_ps;
}

static uint64_t fast_state_slots_needed(const sim *s)
{
    uint64_t slots = 64;
    while (slots < fast_state_longest_delay(s) / s->window.lookahead + 4 && slots <= 1u << 20)
        slots *= 2;
    return slots;
}

/* Two hosts back to back: no switch to deliver from. */
static bool fast_state_hosts_touch(const ik_fabric *f)
{
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE && !ik_is_switch(f, f->port_node[f->port_peer[port]]))
            return true;
    return false;
}

/* The lowest bit of a tag, which names a VC, in words of 31 bits. */
static unsigned fast_state_tag_place(const sim *s)
{
    unsigned at = 31;
    while (!s->choice.static_lane && 1u << (31 - at) < s->sw.vcs)
        at--;
    return at;
}

/* Whether there are numbers for all packets that buffers and links of switches may hold. */
static bool fast_state_has_numbers(const sim *s)
{
    uint64_t capacity = s->sw.capacity + (s->sw.out_buffers ? s->sw.out_capacity : 0),
             a_port = (capacity / s->adapter.packet_bytes + 1) * s->sw.vcs + 1;
    unsigned bits = fast_state_tag_place(s) - sim_choice_overlaps(s);
    return bits == 31 || s->f->num_ports * a_port < 1u << bits;
}

/* Whether each host reaches each other one over the fabric's switches. */
static bool fast_state_connects_all(const ik_fabric *f)
{
    uint32_t *nodes = ik_calloc((size_t)ik_num_nodes(f) + 1, sizeof *nodes), num = 0;
    uint8_t *seen = ik_calloc((size_t)ik_num_nodes(f) + 1, 1);
    bool all = nodes && seen && f->num_hosts > 0;
    if (all)
        seen[nodes[num++] = ik_host_node(f, 0)] = 1;
    for (uint32_t at = 0; at < num; at++)
        for (uint32_t port = f->port_base[nodes[at]]; port < f->port_base[nodes[at] + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer != IK_NONE && !seen[peer])
                seen[nodes[num++] = peer] = 1;
        }
    for (uint32_t host = 0; all && host < f->num_hosts; host++)
        all = seen[ik_host_node(f, host)];
    free(nodes);
    free(seen);
    return all;
}

/* Packets are put in order where none is given up: hosts hear of those in order of time, and here
 * what reaches a host is known before its time. */
static bool fast_state_may_order(const sim *s)
{
    return s->plan->routing->claims & IK_CLAIM_DELIVERS && fast_state_connects_all(s->f);
}

bool sim_fast_fits(const sim *s)
{
    if (fast_state_hosts_touch(s->f) || !fast_state_has_numbers(s) ||
        (s->reorder.on && !fast_state_may_order(s)))
        return false;
    for (uint32_t c = 0; c < s->f->num_classes; c++) {
        uint64_t full = ik_transmit_ps(s->adapter.packet_bytes, s->f->classes[c].rate_bps);
        if (full < s->window.lookahead ||
            (s->sw.out_buffers && output_crossbar_ps(s, full) < s->window.lookahead))
            return false;
    }
    if (s->choice.adaptive && !(s->net.max_words == 1 && sim_choice_fits(s)))
        return false;
    return s->net.max_words == 1 && s->adapter.ejection_share >= 1 &&
           s->adapter.ejection_bps == UINT64_MAX && s->window.lookahead <= FAST_MAX_WINDOW &&
           s->f->num_switches <= FAST_MAX_SWITCH && s->sw.vcs <= FAST_MAX_VCS &&
           s->sw.routing_ps < UINT64_MAX / 64 && s->sw.traversal_ps < UINT64_MAX / 64 &&
           fast_state_slots_needed(s) <= 1u << 16 && s->f->num_ports < FAST_MAX_PORT &&
           s->measure.end_ps < FAST_MAX_TIME &&
           s->sw.capacity / s->adapter.packet_bytes <= UINT16_MAX &&
           s->adapter.capacity / s->adapter.packet_bytes <= UINT16_MAX &&
           s->sw.out_capacity / s->adapter.packet_bytes <= UINT16_MAX &&
           (uint64_t)s->f->num_ports * (s->sw.vcs + 1) * (s->sw.voq ? s->net.max_radix : 1) <
               UINT32_MAX;
}

/* ---- set-up */

static window_time fast_state_window_time_of(const sim *s, uint64_t ps)
{
    return (window_time){(uint32_t)(ps / s->window.lookahead),
                         (uint32_t)(ps % s->window.lookahead)};
}

static void fast_state_init_links(const sim *s, fast_state *f)
{
    for (uint32_t c = 0; c < s->f->num_classes; c++) {
        const ik_link_class *class = &s->f->classes[c];
        uint64_t full = ik_transmit_ps(s->adapter.packet_bytes, class->rate_bps),
                 head = s->sw.traversal_ps + class->latency_ps;
        f->links[c] = (link_delays){
            .tail = fast_state_window_time_of(s, full),
            .credit = fast_state_window_time_of(s, class->latency_ps),
            .arrival = fast_state_window_time_of(s, head + (s->sw.store_forward ? full : 0) +
                                                        s->sw.routing_ps),
            .tail_credit = fast_state_window_time_of(s, full + class->latency_ps),
            .host_credit = fast_state_window_time_of(s, full + head + class->latency_ps),
            .host_arrival = fast_state_window_time_of(s, class->latency_ps + s->sw.routing_ps),
            .full_ps = full,
            .latency_ps = class->latency_ps,
            .transfer_ps = output_crossbar_ps(s, full)};
        f->links[c].transfer = fast_state_window_time_of(s, f->links[c].transfer_ps);
        /* a tail may have to be waited for */
        f->mixed |= full != f->links[0].full_ps || f->links[c].transfer_ps < full;
        f->longest_ps = full > f->longest_ps ? full : f->longest_ps;
    }
}

static uint16_t fast_state_packets_of(const sim *s, int32_t bytes)
{
    return (uint16_t)((uint32_t)bytes / s->adapter.packet_bytes);
}

static void fast_state_init_ports(const sim *s, fast_state *f)
{
    const ik_fabric *fabric = s->f;
    for (uint32_t port = 0; port < fabric->num_ports; port++) {
        fast_port *fp = fast_port_of(s, f, port);
        uint32_t peer = fabric->port_peer[port];
        *fp = (fast_port){.peer_port = peer, .peer_node = IK_NONE};
        f->class[port] = 0;
        bool buffered = f->outputs && ik_is_switch(fabric, fabric->port_node[port]);
        for (unsigned v = 0; v < s->sw.vcs && !fast_host_keeps_credit(s, f, port); v++)
            *fast_credit(f, s->sw.vcs, f->steps, fp, port, v) = fast_state_packets_of(
                s, buffered ? *state_gate_of(s, s->sw.vcs, port, v) : *state_credit_at(s, port, v));
        if (peer == IK_NONE)
            continue;
        f->class[port] = fabric->port_class[port];
        fp->peer_node = fabric->port_node[peer];
    }
}

static void fast_state_init_outputs(const sim *s, fast_state *f)
{
    for (uint32_t port = 0; port < s->f->num_ports; port++) {
        fast_output *o = fast_output_of(f, s->sw.vcs, port);
        *o = (fast_output){.node = s->f->port_node[port]};
        for (unsigned v = 0; v < s->sw.vcs; v++) {
            uint16_t credit = fast_state_packets_of(s, *state_credit_at(s, port, v));
            o->queues[v] = (output_queue){.head = IK_NONE,
                                          .last = IK_NONE,
                                          .credit = credit,
                                          .credit_at = credit ? OUTPUT_ALWAYS : OUTPUT_NEVER};
        }
    }
}

/* Whether adapters are this engine's own: a queue a VC, sending at the link's rate. */
static bool fast_state_has_adapters(const sim *s)
{
    return s->adapter.num_queues == s->sw.vcs && s->adapter.queues != ADAPTER_DESTINATION &&
           !s->adapter.paced && s->reorder.limit == REORDER_UNLIMITED &&
           s->source.packets_per_message <= UINT32_MAX &&
           (!s->workload.finite || s->workload.even_visits);
}

/* In whole lines of the cache. */
static size_t fast_state_adapter_bytes(const sim *s)
{
    size_t messages =
        s->source.packets_per_message > 1 ? (size_t)s->sw.vcs * s->adapter.active_messages : 0;
    return sizeof(fast_adapter) + s->sw.vcs * sizeof(fast_send_queue) +
           (messages + 1) / 2 * 2 * sizeof(fast_message);
}

static void fast_state_init_hosts(const sim *s, fast_state *f)
{
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        fast_adapter *h = (fast_adapter *)(void *)(f->hosts + host * f->host_bytes);
        h->wake_at = UINT64_MAX;
        h->period_ps = s->source.injectors[host].period_ps;
        h->phase_ps = s->source.injectors[host].phase_ps;
        h->port = s->host.state[host].port;
    }
}

static void fast_state_init_switches(const sim *s, fast_state *f)
{
    uint32_t queues = 0;
    for (uint32_t id = 0; id < s->f->num_switches; id++) {
        const sw_state *sw = &s->net.switches[id];
        fast_switch *fsw = &f->switches[id];
        *fsw = (fast_switch){.free_in = switch_state_free_inputs(sw)[0],
                             .free_out = switch_state_free_outputs(sw, 1)[0],
                             .may_in = switch_state_free_inputs(sw)[0],
                             .may_out = switch_state_free_outputs(sw, 1)[0]};
        fsw->port_base = sw->port_base;
        fsw->queue_base = queues;
        queues += fast_queue_words(s->sw.voq, s->sw.vcs, sw->radix);
        fsw->radix = (uint8_t)sw->radix;
        for (unsigned at = 0; at <= SWITCH_EVENTS; at++)
            fsw->events[at] = NO_KEY;
        for (unsigned v = 0; v < s->sw.vcs; v++)
            for (unsigned out = 0; out < sw->radix; out++)
                *fast_ok(s, f, id, v) |= (uint64_t)(s->net.ports[sw->port_base + out].ok >> v & 1)
                                         << out;
    }
}

static size_t fast_state_num_queues(const sim *s)
{
    size_t sum = 0;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        sum += fast_queue_words(s->sw.voq, s->sw.vcs, ik_radix(s->f, sw));
    return sum;
}

static uint64_t fast_state_num_events(const sim *s)
{
    return (uint64_t)s->f->port_base[s->f->num_switches] * (2 + s->sw.vcs) +
           2 * (uint64_t)s->f->num_switches + 2;
}

static size_t fast_state_num_times(const sim *s)
{
    return fast_state_has_adapters(s) && s->source.injection != INJECT_PERIODIC
               ? (size_t)s->f->num_hosts * s->sw.vcs * (BLOCK + 1)
               : 0;
}

/* Whether what follows from a grant may be put in place at once: a packet has come, and its space
 * is back, before another could go the same way after the next one. */
static bool fast_state_lasts_long(const sim *s)
{
    uint64_t full = ik_transmit_ps(s->adapter.packet_bytes, s->f->classes[0].rate_bps),
             latency = s->f->classes[0].latency_ps;
    return full / s->window.lookahead >= SIM_EARLY_WINDOWS &&
           2 * latency + s->sw.traversal_ps + s->sw.routing_ps + 3 * s->window.lookahead <= full;
}

/* Whether all packets start in VC 0. Some schemes treat them all alike. */
static bool fast_state_starts_low(const sim *s)
{
    const ik_vc *vc = s->plan->vc;
    ik_packet rt = {.via = IK_NONE};
    if (s->sw.vcs > 1 && !(vc->family->ignores & IK_VC_BY_LANE))
        return false;
    vc->family->inject(vc, &rt);
    return rt.vc == 0;
}

static fast_state fast_state_kind_of(const sim *s)
{
    fast_state f = {.num_slots = (uint32_t)fast_state_slots_needed(s),
                    .host_bytes = fast_state_adapter_bytes(s)};
    f.steps = !s->choice.static_lane;
    f.vc_at = fast_state_tag_place(s);
    f.overlap = sim_choice_overlaps(s);
    f.restarts = s->choice.source_adaptive;
    f.id_mask = (1u << (f.vc_at - f.overlap)) - 1;
    f.starts_low = fast_state_starts_low(s);
    f.reports = s->measure.num_series || s->measure.paranoid ||
                (s->traffic && s->traffic->classes) || sim_finite_waits(s);
    f.orders = s->reorder.on;
    bool plain = s->f->num_classes == 1 && !s->sw.store_forward && !s->sw.out_buffers &&
                 sim_fast_has_newer();
    f.early = plain && fast_state_lasts_long(s);
    f.dense = plain && !f.early && !s->choice.adaptive && !f.steps &&
              s->window.lookahead * s->net.max_radix >=
                  4 * ik_transmit_ps(s->adapter.packet_bytes, s->f->classes[0].rate_bps);
    f.plain = f.early || f.dense;
    return f;
}

static bool fast_state_allocate(const sim *s, fast_state *f, sim_memory *m)
{
    size_t ports = s->f->num_ports, switches = s->f->num_switches, hosts = s->f->num_hosts;
    return sim_get(m, &f->ports, ports + 1, fast_port_bytes(s->sw.vcs, f->steps)) &&
           sim_get(m, &f->credits,
                   fast_credit_apart(s->sw.vcs, f->steps) ? (ports + 1) * s->sw.vcs : 1,
                   sizeof *f->credits) &&
           sim_get(m, &f->class, ports + 1, sizeof *f->class) &&
           (!s->sw.out_buffers ||
            sim_get(m, &f->outputs, ports + 1, fast_output_bytes(s->sw.vcs))) &&
           sim_get(m, &f->switches, switches + 1, sizeof *f->switches) &&
           sim_get(m, &f->events, fast_state_num_events(s), sizeof *f->events) &&
           sim_get(m, &f->queues, fast_state_num_queues(s) + 1, sizeof *f->queues) &&
           sim_get(m, &f->ok, switches * s->sw.vcs + 1, sizeof *f->ok) &&
           sim_get(m, &f->edge_bytes, ports + 1, sizeof *f->edge_bytes) &&
           sim_get(m, &f->links, s->f->num_classes + 1, sizeof *f->links) &&
           sim_get(m, &f->sinks, hosts + 1, sizeof *f->sinks) &&
           (!s->workload.finite || sim_get(m, &f->lasts, hosts + 1, sizeof *f->lasts)) &&
           (!fast_state_has_adapters(s) || sim_get(m, &f->hosts, hosts + 1, f->host_bytes)) &&
           sim_get(m, &f->times, fast_state_num_times(s) + 1, sizeof *f->times);
}

bool sim_fast_setup(sim *s)
{
    fast_state *f = s->engine.fast = ik_calloc(1, sizeof *f);
    if (!f)
        return false;
    *f = fast_state_kind_of(s);
    if (!fast_state_allocate(s, f, &(sim_memory){0}))
        return false;
    for (size_t q = 0, n = fast_state_num_queues(s),
                turn = s->sw.voq && s->sw.vcs > 1 ? s->sw.vcs + 1 : 0;
         q < n; q++)
        f->queues[q] = turn && q % turn == 0 ? 0 : IK_NONE;
    const ik_routing_family *r = s->plan->routing->family;
    f->draws_ties = s->choice.adaptive && s->choice.selection->traits & IK_SELECT_DRAWS;
    f->numbered = s->traffic->classes || s->plan->routing->kind == IK_ROUTE_OBLIVIOUS ||
                  sim_finite_waits(s) || f->overlap || f->draws_ties;
    f->plain_start =
        (!r->start && !r->num_starts && !r->start_nth) || (f->restarts && f->starts_low);
    if (f->hosts)
        fast_state_init_hosts(s, f);
    fast_state_init_links(s, f);
    fast_state_init_ports(s, f);
    if (f->outputs)
        fast_state_init_outputs(s, f);
    fast_state_init_switches(s, f);
    return !s->choice.adaptive || sim_choice_setup(s);
}

void sim_fast_free(sim *s)
{
    fast_state *f = s->engine.fast;
    if (!f)
        return;
    free(f->ports);
    free(f->credits);
    free(f->outputs);
    free(f->switches);
    free(f->events);
    free(f->queues);
    free(f->ok);
    free(f->class);
    free(f->times);
    free(f->links);
    free(f->edge_bytes);
    free(f->sinks);
    free(f->lasts);
    sim_choice_free(f);
    free(f->hosts);
    free(f);
    s->engine.fast = NULL;
}

/* What belongs to a partition. */
typedef struct ownership {
    uint32_t ports, switches, hosts; /* ports: of the switches */
} ownership;

static ownership fast_state_ownership_of(const partition *p)
{
    const sim *s = p->sim;
    ownership own = {0};
    for (uint32_t node = 0; node < ik_num_nodes(s->f); node++) {
        bool mine = s->parallel.node_partition[node] == p->id, is_switch = ik_is_switch(s->f, node);
        own.switches += mine && is_switch;
        own.hosts += mine && !is_switch;
        own.ports += mine && is_switch ? ik_radix(s->f, node) : 0;
    }
    return own;
}

/* Places of a ring, as multiples of what can be in transmission at once. What began within the last
 * transmission, or for those who look at credit at rest within the last two, stays. */
enum { RING_OF_GRANTS = 4, RING_OF_SENDS = 3 };

static bool fast_state_allocate_partition(const sim *s, const fast_state *f, fast_partition *fp,
                                          ownership own, sim_memory *m)
{
    size_t ports = own.ports, hosts = own.hosts, slots = f->num_slots,
           active = own.switches + ACTIVE_AHEAD + 1u;
    return sim_get(m, &fp->grants, (f->early ? RING_OF_GRANTS : 1) * ports + 1,
                   sizeof *fp->grants) &&
           sim_get(m, &fp->sends, f->early ? RING_OF_SENDS * hosts + 1 : 1, sizeof *fp->sends) &&
           sim_get(m, &fp->joins, f->early ? ports + hosts + 1 : 1, sizeof *fp->joins) &&
           sim_get(m, &fp->deliveries, ports + 1, sizeof *fp->deliveries) &&
           sim_get(m, &fp->outputs, s->sw.out_buffers ? ports + 1 : 1, sizeof *fp->outputs) &&
           sim_get(m, &fp->active[0], active, sizeof *fp->active[0]) &&
           sim_get(m, &fp->active[1], active, sizeof *fp->active[1]) &&
           /* of a packet that left and of one that was dropped */
           sim_get(m, &fp->credits, 2 * hosts + 1, sizeof *fp->credits) &&
           sim_get(m, &fp->granted_in.spans, slots, sizeof *fp->granted_in.spans) &&
           sim_get(m, &fp->sent_in.spans, slots, sizeof *fp->sent_in.spans) &&
           sim_get(m, &fp->bins.slots, NUM_BINS * slots, sizeof *fp->bins.slots) &&
           sim_get(m, &fp->bins.busy, slots / 64, sizeof *fp->bins.busy);
}

/* Bytes of what fast_state_allocate_partition() allocates. */
static uint64_t fast_state_count_partition(const sim *s, ownership own)
{
    fast_partition none = {0};
    fast_state f = fast_state_kind_of(s);
    sim_memory m = {.only_count = true};
    fast_state_allocate_partition(s, &f, &none, own, &m);
    return m.bytes;
}

uint64_t sim_fast_bytes(const sim *s)
{
    fast_state f = fast_state_kind_of(s);
    sim_memory m = {.only_count = true};
    ownership all = {.ports = s->f->port_base[s->f->num_switches],
                     .switches = s->f->num_switches,
                     .hosts = s->f->num_hosts};
    fast_state_allocate(s, &f, &m);
    return sizeof f + m.bytes + (s->choice.adaptive ? sim_choice_bytes(s) : 0) +
           fast_state_count_partition(s, all) - fast_state_count_partition(s, (ownership){0});
}

uint64_t sim_fast_bytes_each(const sim *s)
{
    return sizeof(fast_partition) + fast_state_count_partition(s, (ownership){0});
}

static void fast_state_init_bins(bins *b, uint32_t num_slots)
{
    b->num_slots = num_slots;
    b->free_chunk = IK_NONE;
    for (uint32_t k = 0; k < NUM_BINS * num_slots; k++)
        b->slots[k] = (slot){IK_NONE, 0};
}

static void fast_state_init_ring(window_ring *t, uint32_t most, uint32_t multiple)
{
    t->most = most;
    t->room = multiple * most;
}

/* Filled with a switch of this partition, so that what is fetched ahead is never another's. */
static void fast_state_init_active(const partition *p, uint32_t *active, uint32_t switches)
{
    const sim *s = p->sim;
    uint32_t own = 0, places = switches + ACTIVE_AHEAD + 1;
    while (own < s->f->num_switches && s->parallel.node_partition[own] != p->id)
        own++;
    for (uint32_t at = 0; at < places; at++)
        active[at] = own;
}

bool sim_fast_setup_partition(partition *p)
{
    const fast_state *f = p->sim->engine.fast;
    ownership own = fast_state_ownership_of(p);
    fast_partition *fp = p->fast = ik_calloc(1, sizeof *fp);
    if (!fp || !fast_state_allocate_partition(p->sim, f, fp, own, &(sim_memory){0}))
        return false;
    if (f->restarts)
        p->view.queued_bytes = sim_choice_queued;
    fp->packets.free = IK_NONE;
    fp->packets.id_mask = f->id_mask;
    fast_state_init_active(p, fp->active[0], own.switches);
    fast_state_init_active(p, fp->active[1], own.switches);
    fast_state_init_ring(&fp->granted_in, own.ports, RING_OF_GRANTS);
    fast_state_init_ring(&fp->sent_in, own.hosts, RING_OF_SENDS);
    fast_state_init_bins(&fp->bins, f->num_slots);
    return true;
}

void sim_fast_free_partition(partition *p)
{
    fast_partition *fp = p->fast;
    if (!fp)
        return;
    void *blocks[] = {fp->bins.words,     fp->bins.slots,
                      fp->bins.busy,      fp->packets.items,
                      fp->packets.next,   fp->packets.out,
                      fp->packets.sets,   fp->packets.in_flight,
                      fp->packets.tail,   fp->packets.sequence,
                      fp->joins,          fp->sends,
                      fp->packets.number, fp->grants,
                      fp->deliveries,     fp->outputs,
                      fp->active[0],      fp->active[1],
                      fp->credits,        fp->granted_in.spans,
                      fp->sent_in.spans,  fp->held};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
    free(fp);
    p->fast = NULL;
}

static void fast_state_carry_bins(bins *b, sim_carrier *c)
{
    SIM_CARRY(c, b->num_chunks);
    SIM_CARRY(c, b->cap_chunks);
    SIM_CARRY(c, b->free_chunk);
    SIM_CARRY_GROWN(c, b->words, (size_t)b->num_chunks * 64, (size_t)b->cap_chunks * 64);
}

static void fast_state_carry_packets(fast_packets *ps, sim_carrier *c)
{
    SIM_CARRY(c, ps->size);
    SIM_CARRY(c, ps->cap);
    SIM_CARRY(c, ps->free);
    SIM_CARRY_GROWN(c, ps->items, ps->size, ps->cap);
    SIM_CARRY_GROWN(c, ps->next, ps->size, ps->cap);
    SIM_CARRY_GROWN(c, ps->out, ps->size, ps->cap);
    SIM_CARRY_GROWN(c, ps->sets, ps->size, ps->cap);
    SIM_CARRY_GROWN(c, ps->tail, ps->size, ps->cap);
    SIM_CARRY_GROWN(c, ps->number, ps->size, ps->cap);
    SIM_CARRY_GROWN(c, ps->sequence, ps->size, ps->cap);
    SIM_CARRY_GROWN(c, ps->in_flight, ps->size, ps->cap);
}

void sim_fast_carry(sim *s, partition *p, sim_carrier *c)
{
    fast_state *f = s->engine.fast;
    sim_memory carried = {.carrier = c};
    if (!p) {
        fast_state_allocate(s, f, &carried);
        sim_choice_carry(s, f, c);
        return;
    }
    fast_partition *fp = p->fast;
    fast_state_allocate_partition(s, f, fp, fast_state_ownership_of(p), &carried);
    fast_state_carry_bins(&fp->bins, c);
    fast_state_carry_packets(&fp->packets, c);
    SIM_CARRY(c, fp->granted_in.at);
    SIM_CARRY(c, fp->sent_in.at);
    SIM_CARRY(c, fp->num_active);
    SIM_CARRY(c, fp->num_deliveries);
    SIM_CARRY(c, fp->num_credits);
    SIM_CARRY(c, fp->num_outputs);
    SIM_CARRY(c, fp->turn);
    SIM_CARRY(c, fp->num_held);
    SIM_CARRY(c, fp->cap_held);
    SIM_CARRY_GROWN(c, fp->held, fp->num_held, fp->cap_held);
}

uint64_t sim_fast_partition_bytes(const partition *p)
{
    const fast_partition *fp = p->fast;
    const fast_packets *ps = &fp->packets;
    uint64_t each = sizeof *ps->items + sizeof *ps->next + (ps->out ? sizeof *ps->out : 0) +
                    (ps->tail ? sizeof *ps->tail : 0) + (ps->sets ? sizeof *ps->sets : 0) +
                    (ps->number ? sizeof *ps->number : 0) +
                    (ps->sequence ? sizeof *ps->sequence : 0) +
                    (ps->in_flight ? sizeof *ps->in_flight : 0);
    return ps->cap * each + fp->cap_held * sizeof *fp->held + (uint64_t)fp->bins.cap_chunks * 512;
}
