/* SPDX-License-Identifier: Apache-2.0
 *
 * The general engine: serves every packet-level model and every plan. Its packets, queues and
 * events are those of state/state.h, so it has no state of its own. Its windows:
 * packet/switch.c. */
#include "sim/adapter/host.h"
#include "sim/core/engine.h"
#include "sim/measure/watch.h"
#include "sim/packet/shape.h"
#include "sim/packet/watching.h"

/* ---- the choice and set-up */

static bool general_engine_serves(const sim *s)
{
    (void)s;
    return true;
}

static uint64_t general_engine_window_ps(uint64_t least, uint64_t shortest)
{
    (void)shortest;
    return least;
}

static uint64_t general_engine_bytes(const sim *s)
{
    (void)s;
    return 0;
}

static bool general_engine_set_up(sim *s)
{
    s->engine.hosts_post_now = true;
    sim_choose_kernel(s);
    return true;
}

/* What ports have counted goes where results are read. */
static void general_engine_settle(partition *p)
{
    const sim *s = p->sim;
    for (uint32_t port = 0; port < s->f->num_ports; port++) {
        if (s->parallel.node_partition[s->f->port_node[port]] != p->id)
            continue;
        s->counted.channel_bytes[port] += state_output_of(s, port)->bytes;
        state_output_of(s, port)->bytes = 0;
    }
}

static void general_engine_free_nothing(sim *s)
{
    (void)s;
}

static bool set_up_partition(partition *p)
{
    (void)p;
    return true;
}

static void general_engine_nothing(partition *p)
{
    (void)p;
}

static uint64_t general_engine_partition_bytes(const partition *p)
{
    (void)p;
    return 0;
}

/* ---- the run */

static uint64_t general_engine_next(const partition *p, uint64_t from)
{
    (void)p;
    (void)from;
    return UINT64_MAX;
}

/* An arrival's packet, from its units; IK_NONE when out of memory. */
static uint32_t general_engine_receive_packet(partition *p, const sim_unit *at)
{
    sim_packet_record record;
    uint32_t id = events_new_packet(p);
    if (id == IK_NONE)
        return id;
    memcpy(&record, at + 1, sizeof record);
    packet *pk = &p->pool[id];
    pk->rt = record.rt;
    pk->t_gen = record.t_gen;
    pk->t_inject = record.t_inject;
    pk->t_tail = record.t_tail;
    pk->size = at->data;
    pk->number = record.number;
    pk->unrouted = record.unrouted;
    if (sim_numbered(p->sim))
        p->sequence[id] = sim_sequence_of(at[SIM_ARRIVAL_UNITS].data);
    return id;
}

static void general_engine_take_message(partition *p, uint64_t time, const sim_unit *at)
{
    unsigned kind = at->low >> 30;
    uint32_t data = kind == EV_ARRIVAL ? general_engine_receive_packet(p, at) : at->data;
    if (data != IK_NONE)
        events_post_own(p, time, at->node, kind, at->low & EV_PORT_MASK, data, false);
}

static bool general_engine_send(partition *p, uint32_t host, const packet *pk, uint64_t sequence)
{
    sim *s = p->sim;
    uint32_t port = s->host.state[host].port, id = events_new_packet(p);
    const port_state *to = &s->net.ports[port];
    if (id == IK_NONE)
        return false;
    if (s->net.in_space.accounts)
        space_ledger_add(&s->net.in_space, port,
                         space_account_behind(p, port, pk->rt.vc, &pk->rt, pk->number),
                         (int32_t)pk->size);
    else
        *state_credit_at(s, port, pk->rt.vc) -= (int32_t)pk->size;
    state_output_of(s, port)->bytes +=
        state_bytes_in_window(s, pk->t_inject, pk->t_tail - to->latency_ps, pk->size);
    bool to_switch = to->peer_node < s->f->num_switches;
    uint64_t ready = (s->sw.store_forward ? pk->t_tail : pk->t_inject + to->latency_ps) +
                     (to_switch ? s->sw.routing_ps : 0);
    p->pool[id] = *pk;
    if (sim_numbered(s))
        p->sequence[id] = sequence;
    events_post_remote(p, ready, to->peer_node, EV_ARRIVAL, to->peer_port, id);
    return true;
}

/* ---- at rest: everything stands in the common form */

static void general_engine_each_event(partition *p, event_fn fn, void *ctx)
{
    (void)p;
    (void)fn;
    (void)ctx;
}

static queue general_engine_queue_at_rest(const sim *s, uint32_t sw, unsigned in, unsigned v,
                                          uint32_t n)
{
    return *shape_queue_of(&s->net.switches[sw], sim_shape(s), in, v, n);
}

static uint32_t general_engine_head_at_rest(const sim *s, uint32_t sw, unsigned in, unsigned v,
                                            uint32_t n)
{
    return general_engine_queue_at_rest(s, sw, in, v, n).head;
}

static packet *general_engine_packet_at(partition *p, uint32_t id)
{
    return &p->pool[id];
}

static uint32_t general_engine_behind(const partition *p, uint32_t id)
{
    return p->pool[id].next;
}

const sim_engine sim_general_engine = {.name = "general",
                                       .serves = general_engine_serves,
                                       .window_ps = general_engine_window_ps,
                                       .fits = general_engine_serves,
                                       .bytes = general_engine_bytes,
                                       .bytes_each = general_engine_bytes,
                                       .set_up = general_engine_set_up,
                                       .free = general_engine_free_nothing,
                                       .set_up_partition = set_up_partition,
                                       .free_partition = general_engine_nothing,
                                       .partition_bytes = general_engine_partition_bytes,
                                       .start = sim_start_hosts,
                                       .next = general_engine_next,
                                       .take_message = general_engine_take_message,
                                       .send = general_engine_send,
                                       .settle = general_engine_settle,
                                       .expose = general_engine_nothing,
                                       .each_event = general_engine_each_event,
                                       .queue = general_engine_queue_at_rest,
                                       .head = general_engine_head_at_rest,
                                       .packet = general_engine_packet_at,
                                       .behind = general_engine_behind};

/* ---- the same for runs with watched packets */

static bool general_engine_set_up_watching(sim *s)
{
    s->engine.hosts_post_now = true;
    sim_choose_watching_kernel(s);
    return true;
}

static bool general_engine_send_watched(partition *p, uint32_t host, const packet *pk,
                                        uint64_t sequence)
{
    watching_injected(p, host, pk);
    return general_engine_send(p, host, pk, sequence);
}

static uint64_t general_engine_watching_bytes(const partition *p)
{
    const watch_log *log = p->sim->counted.watch ? &p->sim->counted.watch->logs[p->id] : NULL;
    return log ? log->room * sizeof *log->notes + log->room_places * sizeof *log->places : 0;
}

const sim_engine sim_watching_engine = {.name = "watching",
                                        .serves = general_engine_serves,
                                        .window_ps = general_engine_window_ps,
                                        .fits = general_engine_serves,
                                        .bytes = general_engine_bytes,
                                        .bytes_each = general_engine_bytes,
                                        .set_up = general_engine_set_up_watching,
                                        .free = general_engine_free_nothing,
                                        .set_up_partition = set_up_partition,
                                        .free_partition = general_engine_nothing,
                                        .partition_bytes = general_engine_watching_bytes,
                                        .start = sim_start_hosts,
                                        .next = general_engine_next,
                                        .take_message = general_engine_take_message,
                                        .send = general_engine_send_watched,
                                        .settle = general_engine_settle,
                                        .expose = general_engine_nothing,
                                        .each_event = general_engine_each_event,
                                        .queue = general_engine_queue_at_rest,
                                        .head = general_engine_head_at_rest,
                                        .packet = general_engine_packet_at,
                                        .behind = general_engine_behind};
