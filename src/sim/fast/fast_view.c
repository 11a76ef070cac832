/* SPDX-License-Identifier: Apache-2.0
 *
 * What others see of the fast engine: its packets, queues, events, switches and hosts in the common
 * form (state/state.h), when the network is at rest or the run is over. */
#include "sim/fast/fast.h"
#include "sim/host/host.h"
#include "sim/packet/shape.h"

static event event_of(const sim *s, unsigned bin, const uint64_t *word)
{
    uint32_t bytes = s->packet_bytes, sw = key_switch(*word);
    if (bin == BIN_CREDIT) {
        uint32_t port = credit_port(*word);
        return (event){event_key(EV_CREDIT, port), s->f->port_node[port],
                       space_data(credit_vc(*word), bytes)};
    }
    uint32_t in = s->f->port_base[sw] + key_in(*word), out = s->f->port_base[sw] + key_out(*word);
    if (bin == BIN_TAIL)
        return (event){event_key(EV_TAIL, out), sw, key_in(*word)};
    if (key_kind(*word) == KEY_TO_HOST)
        in = s->f->port_peer[out];
    return (event){event_key(EV_ARRIVAL, in), s->f->port_node[in], (uint32_t)word[1]};
}

/* Early: the packets that have not come, with the ports that they are on their way to. */
typedef void (*flight_fn)(void *ctx, partition *p, uint32_t port, uint32_t id);

static uint64_t time_in_ring(const partition *p, uint32_t slot_index, uint32_t offset)
{
    uint32_t mask = p->fast->bins.num_slots - 1, ago = ((uint32_t)p->window - slot_index) & mask;
    return p->start - (uint64_t)ago * p->sim->lookahead + offset;
}

static uint64_t delay_ps(const sim *s, window_time d)
{
    return (uint64_t)d.windows * s->lookahead + d.rest;
}

static void each_flight(partition *p, flight_fn fn, void *ctx)
{
    const sim *s = p->sim;
    const fast_partition *fp = p->fast;
    const link_delays *l = &s->fast_state->links[0];
    for (uint32_t k = 0; s->fast_state->early && k < fp->bins.num_slots; k++) {
        slot granted = fp->granted_in.spans[k], sent = fp->sent_in.spans[k];
        for (const fast_grant *g = fp->grants + granted.first; g < fp->grants + granted.end; g++) {
            uint32_t out = s->f->port_base[key_switch(g->key)] + key_out(g->key);
            uint64_t at =
                time_in_ring(p, k, (uint32_t)(g->key >> KEY_OFFSET)) + delay_ps(s, l->arrival);
            if (g->id != IK_NONE && at >= p->start)
                fn(ctx, p, s->f->port_peer[out], g->id);
        }
        for (const fast_send *e = fp->sends + sent.first; e < fp->sends + sent.end; e++)
            if (e->id != IK_NONE &&
                time_in_ring(p, k, e->offset) + delay_ps(s, l->host_arrival) >= p->start)
                fn(ctx, p, s->f->port_peer[s->hosts[e->host].port], e->id);
    }
}

static void note_flight(void *ctx, partition *p, uint32_t port, uint32_t id)
{
    (void)ctx;
    (void)port;
    p->fast->packets.in_flight[id] = 1;
}

typedef struct event_to {
    event_fn fn;
    void *ctx;
} event_to;

static void report_flight(void *ctx, partition *p, uint32_t port, uint32_t id)
{
    const event_to *to = ctx;
    event e = {event_key(EV_ARRIVAL, port), p->sim->f->port_node[port], id};
    to->fn(to->ctx, p, &e);
}

void sim_fast_each_event(partition *p, event_fn fn, void *ctx)
{
    event_to to = {fn, ctx};
    const bins *b = &p->fast->bins;
    each_flight(p, report_flight, &to);
    for (uint32_t k = 0; k < NUM_BINS * b->num_slots; k++) {
        unsigned bin = k / b->num_slots;
        for (uint32_t c = bin == BIN_WAKE || bin == BIN_ASK ? IK_NONE : b->slots[k].first;
             c != IK_NONE;) {
            uint32_t next = (uint32_t)b->words[(size_t)c * 64],
                     end = next != IK_NONE ? 64 : ((b->slots[k].end - 1) & 63) + 1;
            for (uint32_t at = 2; at < end; at += bin == BIN_ARRIVAL ? 2 : 1) {
                const uint64_t *word = &b->words[(size_t)c * 64 + at];
                if (bin == BIN_TAIL && key_kind(*word) == KEY_LOOK)
                    continue;
                event e = event_of(p->sim, bin, word);
                fn(ctx, p, &e);
            }
            c = next;
        }
    }
}

/* The messages that lane v of an adapter is sending, to `ring`; their number. */
static uint32_t settle_messages(const sim *s, fast_adapter *adapter, unsigned v, message *ring)
{
    const fast_send_queue *from = &adapter->queues[v];
    if (s->packets_per_message == 1) {
        if (from->has)
            ring[0] = (message){from->t, from->n, s->message_bytes, from->dst[from->n % BLOCK], v};
        return from->has;
    }
    const fast_message *messages = fast_messages(adapter, s->vcs, v, s->active_messages);
    for (uint32_t at = 0; at < from->count; at++) {
        const fast_message *m = &messages[(from->first + at) % s->active_messages];
        ring[at] = (message){m->t_gen, m->n, (uint64_t)m->left * s->packet_bytes, m->dst, v};
    }
    return from->count;
}

/* A host's lane as host/host.c keeps it. What was drawn is counted. */
static void settle_send_queue(const sim *s, uint32_t host, unsigned v, fast_adapter *adapter)
{
    size_t lane = (size_t)host * s->vcs + v;
    const fast_send_queue *from = &adapter->queues[v];
    send_queue *to = &s->send_queues[lane];
    uint32_t count = settle_messages(s, adapter, v, s->messages + lane * s->active_messages);
    *to = (send_queue){from->n, from->t, 0, count};
    for (bool drawn = from->mine; drawn; drawn = to->n % BLOCK != 0) {
        to->n++;
        to->t = sim_message_time(s, host, to->n, to->t);
    }
}

static void settle_hosts(partition *p)
{
    const sim *s = p->sim;
    const fast_state *f = s->fast_state;
    for (uint32_t host = 0; f->hosts && host < s->f->num_hosts; host++) {
        fast_adapter *from = (fast_adapter *)(void *)(f->hosts + host * f->host_bytes);
        if (s->node_partition[ik_host_node(s->f, host)] != p->id || s->hosts[host].silent)
            continue;
        s->hosts[host].busy_until = from->busy_until;
        s->hosts[host].blocked = from->blocked;
        s->hosts[host].next_vc = from->next_vc;
        for (unsigned v = 0; v < s->vcs; v++)
            settle_send_queue(s, host, v, from);
    }
}

void sim_fast_settle(partition *p)
{
    const sim *s = p->sim;
    const fast_state *f = s->fast_state;
    for (uint32_t port = 0; port < s->f->num_ports; port++)
        if (s->node_partition[s->f->port_node[port]] == p->id)
            s->channel_bytes[port] =
                (uint64_t)fast_port_of(s, f, port)->sent * s->packet_bytes + f->edge_bytes[port];
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        if (s->node_partition[ik_host_node(s->f, host)] != p->id)
            continue;
        s->hosts[host].hash = f->sinks[host].hash;
        s->host_bytes[host] = f->sinks[host].packets * s->packet_bytes;
        if (f->hosts && s->hosts[host].port != IK_NONE)
            s->host_sent_bytes[host] = s->channel_bytes[s->hosts[host].port];
    }
    settle_hosts(p);
}

/* Credit in bytes, where it is kept in packets; what does not make a packet stays as it was. */
static void expose_credit(const sim *s, uint32_t port)
{
    for (unsigned v = 0; v < s->vcs && !fast_host_keeps_credit(s, s->fast_state, port); v++) {
        int32_t *bytes = &s->credit[(size_t)port * s->vcs + v], full = (int32_t)s->packet_bytes;
        *bytes =
            *bytes % full + *fast_credit(fast_port_of(s, s->fast_state, port), s->vcs, v) * full;
    }
}

/* Packets that have chosen know their output again, and whether they may choose another one. */
static void expose_choices(const sim *s, const fast_packets *ps, uint32_t id)
{
    const fast_switch *fsw = &s->fast_state->switches[id];
    const choice_sets *c = &s->fast_state->sets[fsw->sets];
    for (uint64_t bits = c->all; bits; bits &= bits - 1) {
        unsigned out = (unsigned)__builtin_ctzll(bits);
        for (unsigned in = 0; in < fsw->radix; in++)
            for (unsigned v = 0; v < s->vcs; v++) {
                uint32_t last =
                    s->fast_state->queues[fast_queue_at(fsw, s->voq, s->vcs, in, v, out)];
                if (last == IK_NONE)
                    continue;
                uint32_t at = last;
                do
                    ps->items[at].out = out;
                while ((at = ps->next[at] & ~LAST_BEHIND) != last);
            }
    }
}

static void expose_switch(const sim *s, uint32_t id)
{
    const fast_switch *fsw = &s->fast_state->switches[id];
    sw_state *sw = &s->switches[id];
    free_inputs(sw)[0] = fsw->free_in;
    free_outputs(sw, 1)[0] = fsw->free_out;
    left_outputs(sw, 1)[0] = fsw->left;
    for (unsigned local = 0; local < fsw->radix; local++) {
        fast_port *fp = fast_port_of(s, s->fast_state, fsw->port_base + local);
        uint64_t ok = 0, *want = want_of(sw, sim_shape(s), local, 0);
        *row_of(sw, sim_shape(s), local) = fp->row;
        for (unsigned v = 0; v < s->vcs; v++) {
            want[v] = s->vcs == 1 ? fp->ready : fp->want[v];
            ok |= (*fast_ok(s, s->fast_state, id, v) >> local & 1) << v;
        }
        s->ports[fsw->port_base + local].ok = ok;
    }
}

void sim_fast_expose(partition *p)
{
    const sim *s = p->sim;
    fast_packets *ps = &p->fast->packets;
    if (ps->in_flight) {
        memset(ps->in_flight, 0, ps->size);
        each_flight(p, note_flight, NULL);
    }
    for (uint32_t id = 0; id < s->f->num_switches; id++)
        if (s->node_partition[id] == p->id) {
            expose_switch(s, id);
            if (s->fast_state->sets)
                expose_choices(s, ps, id);
        }
    for (uint32_t port = 0; port < s->f->num_ports; port++)
        if (s->node_partition[s->f->port_node[port]] == p->id)
            expose_credit(s, port);
    sim_fast_settle(p);
}
