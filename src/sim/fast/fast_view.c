/* SPDX-License-Identifier: Apache-2.0
 *
 * What others see of the fast engine: its packets, queues, events, switches and hosts in the common
 * form (state/state.h), when the network is at rest or the run is over. */
#include "sim/fast/fast.h"
#include "sim/packet/output.h"
#include "sim/workload/finite.h"

static event fast_view_event_of(const sim *s, unsigned bin, const uint64_t *word)
{
    uint32_t bytes = s->adapter.packet_bytes, sw = fast_key_switch(*word),
             mask = s->engine.fast->id_mask;
    if (bin == BIN_CREDIT || bin == BIN_LINK) {
        uint32_t port = fast_credit_port(*word);
        if (bin == BIN_LINK)
            return (event){calendar_event_key(EV_TAIL, port), s->f->port_node[port],
                           LINK_END | calendar_space_data(fast_credit_vc(*word), bytes)};
        return (event){calendar_event_key(EV_CREDIT, port), s->f->port_node[port],
                       calendar_space_data(fast_credit_vc(*word), bytes)};
    }
    uint32_t in = s->f->port_base[sw] + fast_key_in(*word),
             out = s->f->port_base[sw] + fast_key_out(*word);
    if (bin == BIN_TAIL)
        return (event){calendar_event_key(EV_TAIL, out), sw, fast_key_in(*word)};
    return (event){calendar_event_key(EV_ARRIVAL, in), s->f->port_node[in],
                   (uint32_t)word[1] & mask};
}

/* ---- early: what is in transmission stands in the rings of grants and sends */

typedef void (*grant_fn)(void *ctx, partition *p, const fast_grant *g, uint64_t time);
typedef void (*flight_fn)(void *ctx, partition *p, uint32_t port, uint32_t id);

static uint64_t fast_view_delay_ps(const sim *s, window_time d)
{
    return (uint64_t)d.windows * s->window.lookahead + d.rest;
}

/* Calls fn for the grants, with their time, from which `delay` has not passed at `time`. A ring
 * keeps them for two transmissions, which every delay is shorter than. */
static void fast_view_each_grant(partition *p, window_time delay, uint64_t time, grant_fn fn,
                                 void *ctx)
{
    const sim *s = p->sim;
    const fast_partition *fp = p->fast;
    for (uint32_t k = 0; s->engine.fast->early && k < fp->bins.num_slots; k++) {
        window_span at = fp->granted_in.spans[k];
        if ((at.window + delay.windows + 2) * s->window.lookahead <= time)
            continue;
        for (const fast_grant *g = fp->grants + at.first; g < fp->grants + at.end; g++) {
            uint64_t granted = at.window * s->window.lookahead + (g->key >> KEY_OFFSET);
            if (granted + fast_view_delay_ps(s, delay) >= time)
                fn(ctx, p, g, granted);
        }
    }
}

typedef struct flights {
    flight_fn fn;
    void *ctx;
} flights;

static void fast_view_fly(void *ctx, partition *p, const fast_grant *g, uint64_t time)
{
    const flights *to = ctx;
    const sim *s = p->sim;
    (void)time;
    if (g->id != IK_NONE)
        to->fn(to->ctx, p,
               s->f->port_peer[s->f->port_base[fast_key_switch(g->key)] + fast_key_out(g->key)],
               g->id);
}

/* Calls fn for the packets that have not come at `time`, with the ports that they are on their way
 * to. */
static void fast_view_each_flight(partition *p, uint64_t time, flight_fn fn, void *ctx)
{
    const sim *s = p->sim;
    const fast_partition *fp = p->fast;
    const link_delays *l = &s->engine.fast->links[0];
    flights to = {fn, ctx};
    fast_view_each_grant(p, l->arrival, time, fast_view_fly, &to);
    for (uint32_t k = 0; s->engine.fast->early && k < fp->bins.num_slots; k++) {
        window_span at = fp->sent_in.spans[k];
        if ((at.window + l->host_arrival.windows + 2) * s->window.lookahead <= time)
            continue;
        for (const fast_send *e = fp->sends + at.first; e < fp->sends + at.end; e++)
            if (e->id != IK_NONE && at.window * s->window.lookahead + e->offset +
                                            fast_view_delay_ps(s, l->host_arrival) >=
                                        time)
                fn(ctx, p, s->f->port_peer[s->host.state[e->host].port], e->id);
    }
}

/* ---- events */

typedef struct event_to {
    event_fn fn;
    void *ctx;
} event_to;

static void fast_view_report_flight(void *ctx, partition *p, uint32_t port, uint32_t id)
{
    const event_to *to = ctx;
    event e = {calendar_event_key(EV_ARRIVAL, port), p->sim->f->port_node[port], id};
    to->fn(to->ctx, p, &e);
}

static void fast_view_report_tail(void *ctx, partition *p, const fast_grant *g, uint64_t time)
{
    const event_to *to = ctx;
    uint32_t sw = fast_key_switch(g->key);
    event e = {calendar_event_key(EV_TAIL, p->sim->f->port_base[sw] + fast_key_out(g->key)), sw,
               fast_key_in(g->key)};
    (void)time;
    to->fn(to->ctx, p, &e);
}

/* Calls fn for the ports whose credit counts already and has not come back at p->start. */
typedef void (*ahead_fn)(void *ctx, partition *p, uint32_t port, unsigned v);
typedef struct credits_ahead {
    ahead_fn fn;
    void *ctx;
} credits_ahead;

static void fast_view_find_ahead(void *ctx, partition *p, const fast_grant *g, uint64_t time)
{
    const credits_ahead *to = ctx;
    const sim *s = p->sim;
    const link_delays *l = &s->engine.fast->links[0];
    uint32_t base = s->f->port_base[fast_key_switch(g->key)];
    if (g->ahead & SPACE_HERE && time + fast_view_delay_ps(s, l->tail_credit) >= p->start)
        to->fn(to->ctx, p, s->f->port_peer[base + fast_key_in(g->key)], fast_key_vc(g->key));
    if (g->ahead & SPACE_AT_HOST)
        to->fn(to->ctx, p, base + fast_key_out(g->key), g->ahead >> SPACE_VC);
}

static void fast_view_each_ahead(partition *p, ahead_fn fn, void *ctx)
{
    credits_ahead to = {fn, ctx};
    fast_view_each_grant(p, p->sim->engine.fast->links[0].host_credit, p->start,
                         fast_view_find_ahead, &to);
}

static void fast_view_report_ahead(void *ctx, partition *p, uint32_t port, unsigned v)
{
    const event_to *to = ctx;
    const sim *s = p->sim;
    event e = {calendar_event_key(EV_CREDIT, port), s->f->port_node[port],
               calendar_space_data(v, s->adapter.packet_bytes)};
    to->fn(to->ctx, p, &e);
}

/* Whether a word of a bin tells what the rings do not. */
static bool fast_view_tells(const sim *s, unsigned bin, uint64_t word)
{
    return bin != BIN_TAIL || (fast_key_kind(word) != KEY_LOOK && !s->engine.fast->early);
}

void sim_fast_each_event(partition *p, event_fn fn, void *ctx)
{
    const sim *s = p->sim;
    event_to to = {fn, ctx};
    const bins *b = &p->fast->bins;
    for (size_t at = 0; at < p->fast->num_held; at++)
        fast_view_report_flight(&to, p, s->f->port_peer[p->fast->held[at].port],
                                p->fast->held[at].d.id);
    fast_view_each_flight(p, p->start, fast_view_report_flight, &to);
    fast_view_each_grant(p, s->engine.fast->links[0].tail, p->start, fast_view_report_tail, &to);
    fast_view_each_ahead(p, fast_view_report_ahead, &to);
    for (uint32_t k = 0; k < NUM_BINS * b->num_slots; k++) {
        unsigned bin = k / b->num_slots;
        for (uint32_t c = bin == BIN_WAKE || bin == BIN_ASK ? IK_NONE : b->slots[k].first;
             c != IK_NONE;) {
            uint32_t next = (uint32_t)b->words[(size_t)c * 64],
                     end = next != IK_NONE ? 64 : ((b->slots[k].end - 1) & 63) + 1;
            for (uint32_t at = 2; at < end; at += bin == BIN_ARRIVAL ? 2 : 1) {
                const uint64_t *word = &b->words[(size_t)c * 64 + at];
                if (!fast_view_tells(s, bin, *word))
                    continue;
                event e = fast_view_event_of(s, bin, word);
                fn(ctx, p, &e);
            }
            c = next;
        }
    }
}

/* ---- hosts and channels */

/* The messages that lane v of an adapter is sending, to `ring`; their number. */
static uint32_t fast_view_settle_messages(const sim *s, fast_adapter *adapter, unsigned v,
                                          message *ring)
{
    const fast_send_queue *from = &adapter->queues[v];
    if (s->source.packets_per_message == 1) {
        if (from->has)
            ring[0] =
                (message){from->t, from->n, s->source.message_bytes, from->dst[from->n % BLOCK], v};
        return from->has;
    }
    const fast_message *messages = fast_messages(adapter, s->sw.vcs, v, s->adapter.active_messages);
    for (uint32_t at = 0; at < from->count; at++) {
        const fast_message *m = &messages[(from->first + at) % s->adapter.active_messages];
        ring[at] = (message){m->t_gen, (m->n + 1) * s->source.packets_per_message - m->left,
                             (uint64_t)m->left * s->adapter.packet_bytes, m->dst, v};
    }
    return from->count;
}

/* A host's lane as adapter/host.c keeps it: what stands in the ring was examined. */
static void settle_send_queue(const sim *s, uint32_t host, unsigned v, fast_adapter *adapter)
{
    size_t lane = (size_t)host * s->sw.vcs + v;
    const fast_send_queue *from = &adapter->queues[v];
    send_queue *to = &s->host.queues[lane];
    uint32_t count = fast_view_settle_messages(
        s, adapter, v, s->host.messages + lane * s->adapter.active_messages);
    *to = (send_queue){from->n, from->t, 0, count};
    if (from->has && s->source.packets_per_message == 1)
        sim_pass_messages(s, host, to, from->n + 1);
}

static void fast_view_settle_hosts(partition *p)
{
    const sim *s = p->sim;
    const fast_state *f = s->engine.fast;
    for (uint32_t host = 0; f->hosts && host < s->f->num_hosts; host++) {
        fast_adapter *from = (fast_adapter *)(void *)(f->hosts + host * f->host_bytes);
        if (s->parallel.node_partition[ik_host_node(s->f, host)] != p->id ||
            s->host.state[host].silent)
            continue;
        s->host.state[host].busy_until = from->busy_until;
        s->host.state[host].blocked = from->blocked;
        s->host.state[host].next_vc = from->next_vc;
        for (unsigned v = 0; v < s->sw.vcs; v++)
            settle_send_queue(s, host, v, from);
    }
}

void sim_fast_settle(partition *p)
{
    const sim *s = p->sim;
    const fast_state *f = s->engine.fast;
    for (uint32_t port = 0; port < s->f->num_ports; port++)
        if (s->parallel.node_partition[s->f->port_node[port]] == p->id)
            s->counted.channel_bytes[port] =
                (uint64_t)fast_port_of(s, f, port)->sent * s->adapter.packet_bytes +
                f->edge_bytes[port];
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        if (s->parallel.node_partition[ik_host_node(s->f, host)] != p->id)
            continue;
        if (!f->orders) {
            s->host.state[host].hash = f->sinks[host].hash;
            s->counted.host_bytes[host] = f->sinks[host].packets * s->adapter.packet_bytes;
        }
        if (f->lasts)
            sim_finite_note(p->sim, host,
                            &(delivered){.t = f->lasts[host].t,
                                         .t_inject = f->lasts[host].inject,
                                         .src = f->lasts[host].src});
        if (f->hosts && s->host.state[host].port != IK_NONE)
            s->counted.host_sent_bytes[host] = s->counted.channel_bytes[s->host.state[host].port];
    }
    fast_view_settle_hosts(p);
}

/* ---- switches */

/* In bytes what is kept in packets; what does not make a packet stays as it was. */
static void fast_view_expose_space(const sim *s, int32_t *bytes, uint16_t packets)
{
    int32_t full = (int32_t)s->adapter.packet_bytes;
    *bytes = *bytes % full + packets * full;
}

/* The port of a switch: the `credit` of a port is space in its output buffer. */
static void fast_view_expose_output(const sim *s, uint32_t port)
{
    const fast_output *o = fast_output_of(s->engine.fast, s->sw.vcs, port);
    output_state *to = state_output_of(s, port);
    uint64_t ok = 0;
    to->link =
        o->idle_at == OUTPUT_NEVER ? calendar_space_data(o->sent_vc, s->adapter.packet_bytes) : 0;
    to->next = o->turn;
    for (unsigned v = 0; v < s->sw.vcs; v++) {
        fast_view_expose_space(s, state_credit_at(s, port, v), o->queues[v].credit);
        *state_out_queue_of(s, s->sw.vcs, port, v) = (queue){o->queues[v].head, o->queues[v].last};
        ok |= (uint64_t)(o->queues[v].credit > 0) << v;
        if (s->backlog.waiting)
            s->backlog.waiting[(size_t)port * s->sw.vcs + v] =
                (int64_t)s->sw.out_capacity - *state_gate_of(s, s->sw.vcs, port, v);
    }
    s->net.ports[port].ok = ok;
}

static void fast_view_expose_credit(const sim *s, uint32_t port)
{
    const fast_state *f = s->engine.fast;
    bool buffered = f->outputs && ik_is_switch(s->f, s->f->port_node[port]);
    for (unsigned v = 0; v < s->sw.vcs && !fast_host_keeps_credit(s, f, port); v++)
        fast_view_expose_space(
            s, buffered ? state_gate_of(s, s->sw.vcs, port, v) : state_credit_at(s, port, v),
            *fast_credit(f, s->sw.vcs, f->steps, fast_port_of(s, f, port), port, v));
    if (buffered)
        fast_view_expose_output(s, port);
}

/* Packets that have chosen know their output again, and whether they may choose another one. */
static void fast_view_expose_choices(const sim *s, const fast_packets *ps, uint32_t id)
{
    const fast_switch *fsw = &s->engine.fast->switches[id];
    const choice_sets *c = &s->engine.fast->sets[fsw->sets];
    for (uint64_t bits = c->all; bits; bits &= bits - 1) {
        unsigned out = (unsigned)__builtin_ctzll(bits);
        for (unsigned in = 0; in < fsw->radix; in++)
            for (unsigned v = 0; v < s->sw.vcs; v++) {
                uint32_t last =
                    s->engine.fast->queues[fast_queue_at(fsw, s->sw.voq, s->sw.vcs, in, v, out)];
                if (last == IK_NONE)
                    continue;
                uint32_t at = last;
                do
                    ps->items[at].out = out;
                while ((at = ps->next[at] & ~LAST_BEHIND) != last);
            }
    }
}

static void fast_view_expose_switch(const sim *s, uint32_t id)
{
    const fast_switch *fsw = &s->engine.fast->switches[id];
    sw_state *sw = &s->net.switches[id];
    switch_state_free_inputs(sw)[0] = fsw->free_in;
    switch_state_free_outputs(sw, 1)[0] = fsw->free_out;
    switch_state_left_outputs(sw, 1)[0] = fsw->left;
    for (unsigned local = 0; local < fsw->radix; local++) {
        fast_port *fp = fast_port_of(s, s->engine.fast, fsw->port_base + local);
        uint64_t ok = 0, *want = shape_want_of(sw, sim_shape(s), local, 0);
        *shape_row_of(sw, sim_shape(s), local) = fp->row;
        for (unsigned v = 0; v < s->sw.vcs; v++) {
            want[v] = s->sw.vcs == 1 ? fp->ready : fp->want[v];
            ok |= (*fast_ok(s, s->engine.fast, id, v) >> local & 1) << v;
        }
        s->net.ports[fsw->port_base + local].ok = ok;
    }
}

/* A packet that has not come counts nowhere yet; if it is the first of its queue this may ask
 * already. */
static void fast_view_hide_flight(void *ctx, partition *p, uint32_t port, uint32_t id)
{
    const sim *s = p->sim;
    const fast_packets *ps = &p->fast->packets;
    const fast_packet *pk = &ps->items[id];
    uint32_t node = s->f->port_node[port];
    sw_state *sw = &s->net.switches[node];
    const fast_switch *fsw = &s->engine.fast->switches[node];
    unsigned in = port - sw->port_base, v = pk->rt.vc, out = pk->out;
    uint32_t last = s->engine.fast->queues[fast_queue_at(fsw, s->sw.voq, s->sw.vcs, in, v, out)];
    uint64_t others = 0;
    (void)ctx;
    ps->in_flight[id] = 1;
    if (last == IK_NONE || (ps->next[last & ps->id_mask] & ps->id_mask) != id)
        return;
    *shape_want_of(sw, sim_shape(s), out, v) &= ~(1ull << in);
    for (unsigned u = 0; u < s->sw.vcs; u++)
        others |= *shape_want_of(sw, sim_shape(s), out, u);
    *shape_row_of(sw, sim_shape(s), in) &= ~((~others >> in & 1) << out);
}

static void fast_view_hide_credit(void *ctx, partition *p, uint32_t port, unsigned v)
{
    const sim *s = p->sim;
    int32_t *bytes = state_credit_at(s, port, v);
    (void)ctx;
    *bytes -= (int32_t)s->adapter.packet_bytes;
    if (*bytes < (int32_t)s->adapter.packet_bytes)
        s->net.ports[port].ok &= ~(1ull << v);
}

static void take_from_switch(void *ctx, partition *p, uint32_t port, uint32_t id)
{
    (void)ctx;
    (void)id;
    p->sim->net.switches[p->sim->f->port_node[port]].bytes -= p->sim->adapter.packet_bytes;
}

void sim_fast_count_buffers(partition *p, uint64_t time)
{
    const sim *s = p->sim;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        if (s->parallel.node_partition[sw] == p->id)
            s->net.switches[sw].bytes =
                (int64_t)s->engine.fast->switches[sw].held * s->adapter.packet_bytes;
    fast_view_each_flight(p, time, take_from_switch, NULL);
}

/* What waits for outputs, where that is checked: it is counted by VC then. */
static void fast_view_expose_waiting(const partition *p)
{
    const sim *s = p->sim;
    const fast_state *f = s->engine.fast;
    assert(!s->backlog.queued || (f->waits && f->wait_vcs == s->sw.vcs));
    for (uint32_t port = 0; s->backlog.queued && port < s->f->num_ports; port++)
        for (unsigned v = 0;
             v < s->sw.vcs && s->parallel.node_partition[s->f->port_node[port]] == p->id; v++)
            s->backlog.queued[(size_t)port * s->sw.vcs + v] =
                (int64_t)f->waits[(size_t)port * s->sw.vcs + v] * s->adapter.packet_bytes;
}

void sim_fast_expose(partition *p)
{
    const sim *s = p->sim;
    fast_packets *ps = &p->fast->packets;
    sim_fast_count_buffers(p, p->start);
    for (uint32_t id = 0; id < s->f->num_switches; id++)
        if (s->parallel.node_partition[id] == p->id) {
            fast_view_expose_switch(s, id);
            if (s->engine.fast->sets)
                fast_view_expose_choices(s, ps, id);
        }
    if (ps->in_flight) {
        memset(ps->in_flight, 0, ps->size);
        fast_view_each_flight(p, p->start, fast_view_hide_flight, NULL);
    }
    for (uint32_t port = 0; port < s->f->num_ports; port++)
        if (s->parallel.node_partition[s->f->port_node[port]] == p->id)
            fast_view_expose_credit(s, port);
    fast_view_each_ahead(p, fast_view_hide_credit, NULL);
    fast_view_expose_waiting(p);
    sim_fast_settle(p);
}
