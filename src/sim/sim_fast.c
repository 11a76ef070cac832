/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel for the common case, one window at a time: at most 64 ports, every packet of one size, a VC kept on the whole path,
 * one choice of output, iSLIP, input speed-up 1, and no transmission shorter than a window. It does what sim_switch.c does (the
 * tests compare the two), with four liberties that the case gives:
 *
 *  - a fixed route needs no state, so packets are routed while events are grouped, and their queues are fetched into the cache;
 *  - a grant needs no look at the packet, and its input and output stay busy until later windows: grants are carried out together
 *    at the window's end, after all their packets have been fetched;
 *  - for the same reason credit where there is enough anyway, and packets that join others in their queue, change no decision of
 *    the window: that is done while events are grouped, and only its instants are remembered;
 *  - during the switches' turn nothing is posted, so what the loops need stays in registers.
 *
 * Measured: this halves the instructions of a hop against the general kernel. */
#include "sim/sim_internal.h"
#include "sim/sim_shape.h"

/* What the loops need, in locals. */
typedef struct hot {
    sim *s;
    part *p;
    event *events;
    packet *pool;
    port_state *ports;
    int32_t *credit;
    const sw_state *switches;
    queue *queues;
    slot *slots;
    uint64_t start, span, lookahead, reciprocal;
    uint32_t window, slot_mask;
    int32_t full; /* bytes of a packet */
    bool alone;   /* one partition */
} hot;

static hot heat(part *p)
{
    sim *s = p->sim;
    return (hot){s,
                 p,
                 p->wheel.events,
                 p->pool,
                 s->ports,
                 s->credit,
                 s->switches,
                 s->queue_store,
                 p->wheel.slots,
                 p->start,
                 s->span,
                 s->lookahead,
                 s->reciprocal,
                 (uint32_t)p->window,
                 p->wheel.num_slots - 1,
                 (int32_t)s->packet_bytes,
                 s->num_parts == 1};
}

SIM_INLINE bool is_credit(uint64_t key)
{
    return (uint32_t)key >> 30 == EV_CREDIT;
}

SIM_INLINE bool is_arrival(uint64_t key)
{
    return (int32_t)(uint32_t)key < 0; /* the others that a switch gets are EV_CREDIT and EV_TAIL */
}

/* ---- grouping */

SIM_INLINE uint32_t queue_index(const hot *h, const sw_state *sw, const shape k, unsigned in, unsigned v, unsigned out)
{
    size_t lane_index = (size_t)in * k.vcs + v;
    return (uint32_t)((size_t)(sw->queues - h->queues) + (k.voq ? lane_index * sw->radix + out : lane_index));
}

SIM_INLINE void fetch_packets(const hot *h, const slot *at)
{
    const wheel *w = &h->p->wheel;
    for (uint32_t c = at->first; c != IK_NONE; c = h->events[c * 64].node) {
        const event *e = &h->events[c * 64], *end = e + sim_chunk_count(w, at, c);
        while (e++ < end)
            if (is_arrival(e->key))
                __builtin_prefetch(&h->pool[e->data], 1);
    }
}

/* Routes a packet that arrives at a switch and fetches the queue that it will join. */
SIM_INLINE void route_ahead(const hot *h, const shape k, uint32_t node, const event *e)
{
    part *p = h->p;
    const sw_state *sw = &h->switches[node];
    const ik_routing *r = h->s->plan->routing;
    uint32_t port = (uint32_t)e->key & EV_PORT_MASK, preferred = 0;
    packet *pk = &h->pool[e->data];
    uint32_t n = r->family->next(r, node, port, &pk->rt, p->ports, &preferred);
    if (__builtin_expect(n == 0, 0)) {
        pk->out = SIM_NO_WAY;
        return;
    }
    unsigned out = p->ports[preferred] - sw->port_base, v = k.vcs == 1 ? 0 : pk->rt.vc;
    pk->out = (uint16_t)out;
    pk->queue = queue_index(h, sw, k, port - sw->port_base, v, out);
    __builtin_prefetch(&h->queues[pk->queue], 1);
    __builtin_prefetch(&h->ports[sw->port_base + out], 1);
}

/* Credit where there is enough for a packet anyway changes no decision: at most one packet leaves through a port in a window, and
 * what it takes is taken at the window's end. So it counts at once and is no event to be put in order; but its instant is one in
 * which a switch looks at pairs left over, so a switch keeps it in a chain of its own. */
SIM_INLINE bool credit_ahead(const hot *h, const shape k, const event *e)
{
    uint32_t port = (uint32_t)e->key & EV_PORT_MASK;
    int32_t *credit = &h->credit[(size_t)port * k.vcs + (k.vcs == 1 ? 0 : e->data >> 24)];
    if (*credit < h->full)
        return false;
    *credit += (int32_t)(e->data & 0xFFFFFF);
    return true;
}

/* A packet that joins others asks for nothing new. What leaves in this window is taken off at its end, and an input takes one
 * packet in a window, so joining at once gives the same queue. Its instant is kept like that of such a credit. */
SIM_INLINE bool join_ahead(const hot *h, const event *e)
{
    packet *pk = &h->pool[e->data];
    if (pk->out == SIM_NO_WAY)
        return false;
    pk->next = IK_NONE;
    h->s->switches[e->node].bytes += pk->size;
    queue *q = &h->queues[pk->queue];
    if (q->head == IK_NONE)
        return false;
    packet *last = &h->pool[q->tail];
    last->next = e->data;
    last->next_out = pk->out;
    q->tail = e->data;
    return true;
}

/* What the node of an event has to do in this window. */
typedef struct chains {
    uint32_t *heads, *idle, *active, switches, hosts;
} chains;

/* Chains an event of a switch (`node` becomes the link). */
SIM_INLINE void chain_switch(chains *c, event *e, uint32_t id, bool ahead)
{
    uint32_t node = e->node, *chain = ahead ? &c->idle[node] : &c->heads[node];
    if ((c->heads[node] & c->idle[node]) == IK_NONE)
        c->active[c->switches++] = node;
    e->node = *chain;
    *chain = id;
}

SIM_INLINE void chain_host(chains *c, event *e, uint32_t id)
{
    uint32_t *head = &c->heads[e->node];
    if (*head == IK_NONE)
        c->active[--c->hosts] = e->node;
    e->node = *head;
    *head = id;
}

/* Chains events by node: active switches from the front of p->active, hosts from its end. Arrivals at switches come after all
 * others, when their queues are in the cache. */
SIM_INLINE void group(const hot *h, const shape k, const slot *at)
{
    part *p = h->p;
    const wheel *w = &p->wheel;
    chains c = {h->s->node_head, h->s->node_idle, p->active, 0, p->cap_active};
    uint32_t *arrivals = p->arrivals, num_arrivals = 0;
    const uint32_t num_switches = h->s->f->num_switches;
    for (uint32_t chunk = at->first; chunk != IK_NONE; chunk = h->events[chunk * 64].node) {
        uint32_t id = chunk * 64, end = id + sim_chunk_count(w, at, chunk);
        p->n.events += end - id;
        while (id++ < end) {
            event *e = &h->events[id];
            if (e->node >= num_switches) {
                if (!is_credit(e->key) || !credit_ahead(h, k, e))
                    chain_host(&c, e, id);
            } else if (is_arrival(e->key)) {
                route_ahead(h, k, e->node, e);
                arrivals[num_arrivals++] = id;
            } else {
                __builtin_prefetch(&h->ports[(uint32_t)e->key & EV_PORT_MASK], 1);
                chain_switch(&c, e, id, is_credit(e->key) && credit_ahead(h, k, e));
            }
        }
    }
    for (uint32_t n = 0; n < num_arrivals; n++) {
        event *e = &h->events[arrivals[n]];
        chain_switch(&c, e, arrivals[n], join_ahead(h, e));
    }
    p->num_active = c.switches;
    p->first_host = c.hosts;
}

/* ---- a switch's instants. The three mask words that everything touches live in registers. */
typedef struct state {
    uint64_t free_in, free_out, left, *row, *want;
    uint32_t base;
} state;

/* Outputs and inputs that changed in this instant. */
typedef struct delta {
    uint64_t out, in;
} delta;

/* A packet that found its queue empty when the window began, and so still does: the first of it that asks. */
SIM_INLINE void fast_arrival(const hot *h, const shape k, const state *st, delta *d, uint32_t in, uint32_t id, uint32_t offset)
{
    const packet *pk = &h->pool[id];
    unsigned out = pk->out, v = k.vcs == 1 ? 0 : pk->rt.vc;
    if (__builtin_expect(out == SIM_NO_WAY, 0)) {
        h->p->now = h->start + offset;
        sim_drop(h->p, st->base + in, id);
        return;
    }
    h->queues[pk->queue] = (queue){id, id};
    st->want[out * k.vcs + v] |= 1ull << in;
    st->row[in] |= 1ull << out;
    if (st->free_in >> in & 1) /* else the input looks at its requests once it is free */
        d->out |= 1ull << out;
}

SIM_INLINE void fast_credit(const hot *h, const shape k, delta *d, uint32_t base, uint32_t port, uint32_t data)
{
    unsigned v = k.vcs == 1 ? 0 : data >> 24;
    int32_t *credit = &h->credit[(size_t)port * k.vcs + v], before = *credit;
    *credit = before + (int32_t)(data & 0xFFFFFF);
    if (before < h->full && *credit >= h->full) {
        h->ports[port].ok |= 1ull << v;
        d->out |= 1ull << (port - base);
    }
}

SIM_INLINE uint64_t fast_ready(const hot *h, const shape k, const state *st, unsigned out)
{
    uint64_t ok = h->ports[st->base + out].ok, ready = 0;
    if (k.vcs == 1)
        return ok ? st->want[out] & st->free_in : 0;
    for (; ok; ok &= ok - 1)
        ready |= st->want[out * k.vcs + (unsigned)__builtin_ctzll(ok)];
    return ready & st->free_in;
}

SIM_INLINE unsigned from_pointer(uint64_t mask, unsigned from)
{
    uint64_t high = mask >> from << from;
    return (unsigned)__builtin_ctzll(high ? high : mask);
}

SIM_INLINE unsigned fast_vc(const hot *h, const shape k, const sw_state *sw, const state *st, unsigned in, unsigned out)
{
    if (k.vcs == 1)
        return 0;
    uint8_t *pointer = &sw->pair_vc[(size_t)in * sw->radix + out];
    uint64_t ready = 0;
    for (uint64_t ok = h->ports[st->base + out].ok; ok; ok &= ok - 1) {
        unsigned u = (unsigned)__builtin_ctzll(ok);
        ready |= (st->want[out * k.vcs + u] >> in & 1) << u;
    }
    unsigned v = from_pointer(ready, *pointer);
    *pointer = (uint8_t)(v + 1 == k.vcs ? 0 : v + 1);
    return v;
}

/* Matches in with out; the transfer itself waits for the window's end. */
SIM_INLINE void fast_match(const hot *h, const shape k, const sw_state *sw, state *st, unsigned in, unsigned out, uint32_t offset,
                           uint32_t node)
{
    part *p = h->p;
    unsigned v = fast_vc(h, k, sw, st, in, out);
    uint32_t q = queue_index(h, sw, k, in, v, out);
    st->free_in &= ~(1ull << in);
    st->free_out &= ~(1ull << out);
    __builtin_prefetch(&h->queues[q], 1);
    p->grants[p->num_grants++] = (grant){q, node, offset, (uint16_t)in, (uint16_t)out, (uint8_t)v};
}

/* A pointer beyond the last port means the first: nothing asks from there, so it need not be turned back. */
SIM_INLINE void advance_pointers(const hot *h, const state *st, unsigned in, unsigned out)
{
    h->ports[st->base + out].grant = (uint16_t)((in + 1) & 63);
    h->ports[st->base + in].accept = (uint16_t)((out + 1) & 63);
}

/* iSLIP over the outputs of d, of which there are several. */
SIM_INLINE void fast_islip(const hot *h, const shape k, const sw_state *sw, state *st, uint64_t d, uint32_t offset, uint32_t node)
{
    uint64_t *granted = h->p->granted;
    for (unsigned it = 0; it < h->s->iterations && d; it++) {
        uint64_t inputs = 0;
        for (uint64_t bits = d; bits; bits &= bits - 1) {
            unsigned out = (unsigned)__builtin_ctzll(bits);
            uint64_t ready = fast_ready(h, k, st, out);
            if (!ready) {
                d &= ~(bits & -bits);
                continue;
            }
            unsigned in = from_pointer(ready, h->ports[st->base + out].grant);
            granted[in] |= bits & -bits;
            inputs |= 1ull << in;
        }
        for (; inputs; inputs &= inputs - 1) {
            unsigned in = (unsigned)__builtin_ctzll(inputs), out = from_pointer(granted[in], h->ports[st->base + in].accept);
            granted[in] = 0;
            d &= ~(1ull << out);
            if (it == 0)
                advance_pointers(h, st, in, out);
            fast_match(h, k, sw, st, in, out, offset, node);
        }
    }
    st->left = d;
}

/* Phase B of an instant. */
SIM_INLINE void decide(const hot *h, const shape k, const sw_state *sw, state *st, delta d, uint32_t offset, uint32_t node)
{
    uint64_t open = d.out | st->left;
    for (; d.in; d.in &= d.in - 1)
        open |= st->row[__builtin_ctzll(d.in)];
    open &= st->free_out;
    st->left = 0;
    if (!open)
        return;
    if (open & (open - 1)) {
        fast_islip(h, k, sw, st, open, offset, node);
        return;
    }
    unsigned out = (unsigned)__builtin_ctzll(open);
    uint64_t ready = fast_ready(h, k, st, out);
    if (!ready)
        return;
    unsigned in = from_pointer(ready, h->ports[st->base + out].grant);
    advance_pointers(h, st, in, out);
    fast_match(h, k, sw, st, in, out, offset, node);
}

/* Looks at the pairs left over in the instants of the events of `idle` after `from` and before `to`. Hardly ever needed. */
static __attribute__((noinline)) void look_again(const hot *h, const shape k, const sw_state *sw, state *st, uint32_t idle,
                                                 int64_t from, int64_t to, uint32_t node)
{
    while (st->left) {
        int64_t at = to;
        const event *events = h->p->wheel.events; /* a dropped packet may have moved them */
        for (uint32_t id = idle; id != IK_NONE; id = events[id].node) {
            int64_t offset = (int64_t)(events[id].key >> 32);
            if (offset > from && offset < at)
                at = offset;
        }
        if (at == to)
            return;
        decide(h, k, sw, st, (delta){0, 0}, (uint32_t)at, node);
        from = at;
    }
}

/* The state goes through memory only here, so that it stays in registers elsewhere. */
SIM_INLINE void look_again_from(const hot *h, const shape k, const sw_state *sw, state *st, uint32_t idle, int64_t from,
                                const event *next, const event *end, uint32_t node)
{
    state copy = *st;
    look_again(h, k, sw, &copy, idle, from, next < end ? (int64_t)(next->key >> 32) : INT64_MAX, node);
    *st = copy;
}

SIM_INLINE void fast_switch(const hot *h, const shape k, uint32_t node, const event *e, const event *end)
{
    sw_state *sw = &h->s->switches[node];
    uint64_t *m = sw->masks;
    state st = {m[0], m[1], m[2], m + 3, m + 3 + sw->radix, sw->port_base};
    uint32_t idle = h->s->node_idle[node];
    h->s->node_idle[node] = IK_NONE;
    if (__builtin_expect(st.left && idle != IK_NONE, 0))
        look_again_from(h, k, sw, &st, idle, -1, e, end, node);
    while (e < end) {
        uint32_t offset = (uint32_t)(e->key >> 32);
        delta d = {0, 0};
        do {
            uint32_t low = (uint32_t)e->key, port = low & EV_PORT_MASK;
            if (is_arrival(e->key)) {
                fast_arrival(h, k, &st, &d, port - st.base, e->data, offset);
            } else if (low >> 30) {
                uint64_t in = 1ull << e->data, out = 1ull << (port - st.base);
                st.free_in |= in;
                st.free_out |= out;
                d.in |= in;
                d.out |= out;
            } else {
                fast_credit(h, k, &d, st.base, port, e->data);
            }
        } while (++e < end && e->key >> 32 == offset);
        decide(h, k, sw, &st, d, offset, node);
        if (__builtin_expect(st.left && idle != IK_NONE, 0))
            look_again_from(h, k, sw, &st, idle, offset, e, end, node);
    }
    m[0] = st.free_in;
    m[1] = st.free_out;
    m[2] = st.left;
}

/* ---- carrying out the grants */

SIM_INLINE void fast_post(hot *h, uint64_t time, uint32_t node, uint32_t low, uint32_t data)
{
    uint64_t dt = time - h->start;
    if (__builtin_expect(dt < h->span, 1)) {
        uint64_t ahead = window_of(h->s, dt);
        slot *at = &h->slots[(h->window + (uint32_t)ahead) & h->slot_mask];
        if (__builtin_expect(at->end & 63, 1)) {
            h->events[at->end++] = (event){(dt - ahead * h->lookahead) << 32 | low, node, data};
            return;
        }
    }
    post_own(h->p, time, node, low >> 30, low & EV_PORT_MASK, data, false);
    h->events = h->p->wheel.events;
}

SIM_INLINE void fast_post_remote(hot *h, uint64_t time, uint32_t node, uint32_t low, uint32_t data)
{
    if (h->alone || h->s->node_part[node] == h->p->id)
        fast_post(h, time, node, low, data);
    else
        post_remote(h->p, time, node, low >> 30, low & EV_PORT_MASK, data);
}

/* Takes the head off its queue; the next one asks. */
SIM_INLINE void fast_pop(const hot *h, const shape k, const grant *g, const packet *pk)
{
    const sw_state *sw = &h->switches[g->sw];
    uint64_t *row = sw->masks + 3, *want = row + sw->radix, bit = 1ull << g->in, others = 0;
    h->queues[g->queue].head = pk->next;
    if (pk->next != IK_NONE && (k.voq || pk->next_out == g->out))
        return;
    want[(unsigned)g->out * k.vcs + g->vc] &= ~bit;
    for (unsigned u = 0; u < k.vcs; u++)
        others |= want[(unsigned)g->out * k.vcs + u];
    if (!(others & bit))
        row[g->in] &= ~(1ull << g->out);
    if (!k.voq && pk->next != IK_NONE) {
        want[(unsigned)pk->next_out * k.vcs + g->vc] |= bit;
        row[g->in] |= 1ull << pk->next_out;
    }
}

SIM_INLINE void fast_commit(hot *h, const shape k, const grant *g)
{
    sim *s = h->s;
    sw_state *sw = &s->switches[g->sw];
    uint32_t id = h->queues[g->queue].head, in_port = sw->port_base + g->in, out_port = sw->port_base + g->out;
    packet *pk = &h->pool[id];
    const port_state *from = &h->ports[in_port];
    port_state *to = &h->ports[out_port];
    uint32_t size = s->packet_bytes, v = k.vcs == 1 ? 0 : g->vc;
    uint64_t t0 = h->start + g->offset, end = t0 + transmit_ps(s, out_port, size);
    if (end < pk->t_tail)
        end = pk->t_tail;
    fast_pop(h, k, g, pk);
    int32_t *credit = &h->credit[(size_t)out_port * k.vcs + v];
    *credit -= (int32_t)size;
    if (*credit < (int32_t)size)
        to->ok &= ~(1ull << v);
    sw->bytes -= size;
    if (in_window(s, t0))
        s->channel_bytes[out_port] += size;
    bool to_switch = to->peer_node < s->f->num_switches;
    uint64_t delay = s->traversal_ps + to->latency_ps;
    pk->rt.hops += to_switch;
    pk->t_tail = end + delay;
    uint64_t ready = (s->store_forward ? pk->t_tail : t0 + delay) + (to_switch ? s->routing_ps : 0);
    fast_post(h, end, g->sw, (uint32_t)EV_TAIL << 30 | out_port, g->in);
    fast_post_remote(h, end + from->latency_ps, from->peer_node, (uint32_t)EV_CREDIT << 30 | from->peer_port, v << 24 | size);
    fast_post_remote(h, ready, to->peer_node, (uint32_t)EV_ARRIVAL << 30 | to->peer_port, id);
}

/* A node's events in order: one stays where it is, two are compared, more are sorted. */
SIM_INLINE const event *fast_gather(const hot *h, uint32_t node, uint32_t *count, event two[2])
{
    uint32_t *head = &h->s->node_head[node], first = *head, second;
    if (first == IK_NONE) {
        *count = 0; /* nothing but what was done ahead */
        return two;
    }
    second = h->events[first].node;
    if (second == IK_NONE) {
        *head = IK_NONE;
        *count = 1;
        return &h->events[first];
    }
    if (h->events[second].node == IK_NONE) {
        bool swap = h->events[first].key > h->events[second].key;
        two[0] = h->events[swap ? second : first];
        two[1] = h->events[swap ? first : second];
        *head = IK_NONE;
        *count = 2;
        return two;
    }
    if (!sim_gather(h->p, node)) {
        *count = 0;
        return two;
    }
    *count = h->p->local_count;
    return h->p->local;
}

/* Hosts post while they work, also into their own rest of the window, so their events are copied to p->local. */
SIM_INLINE void fast_hosts(part *p)
{
    sim *s = p->sim;
    for (uint32_t n = p->first_host; n < p->cap_active; n++) {
        uint32_t node = p->active[n], *head = &s->node_head[node], first = *head;
        if (n + 2 < p->cap_active)
            __builtin_prefetch(&s->hosts[p->active[n + 2] - s->f->num_switches], 1);
        if (p->wheel.events[first].node == IK_NONE) {
            p->local[0] = p->wheel.events[first];
            p->local_count = 1;
            p->local_at = 0;
            *head = IK_NONE;
        } else if (!sim_gather(p, node)) {
            return;
        }
        sim_run_host(p, node);
    }
}

SIM_INLINE void fast_window(part *p, const slot *at, const shape k)
{
    hot h = heat(p);
    fetch_packets(&h, at);
    group(&h, k, at);
    uint32_t switches = p->num_active, count;
    for (uint32_t n = 0; n < switches; n++) {
        event two[2];
        if (n + 4 < switches)
            __builtin_prefetch(h.switches[p->active[n + 4]].masks, 1);
        const event *e = fast_gather(&h, p->active[n], &count, two);
        fast_switch(&h, k, p->active[n], e, e + count);
        h.events = p->wheel.events; /* a dropped packet may have moved them */
    }
    fast_hosts(p);
    h = heat(p); /* hosts and dropped packets may have moved events and packets */
    for (uint32_t n = 0; n < p->num_grants; n++)
        __builtin_prefetch(&h.pool[h.queues[p->grants[n].queue].head], 1);
    for (uint32_t n = 0; n < p->num_grants; n++)
        fast_commit(&h, k, &p->grants[n]);
    p->n.hops += p->num_grants;
    p->num_grants = 0;
}

#define KERNEL(name, vcs, voq)                                                                                                   \
    static void window_##name(part *p, const slot *at)                                                                           \
    {                                                                                                                            \
        fast_window(p, at, (shape){1, vcs, voq, false, false});                                                                                \
    }

KERNEL(fifo_1, 1, false)
KERNEL(voq_1, 1, true)
KERNEL(fifo_n, p->sim->vcs, false)
KERNEL(voq_n, p->sim->vcs, true)

void sim_choose_fast(sim *s)
{
    static void (*const kernels[])(part *, const slot *) = {window_fifo_1, window_voq_1, window_fifo_n, window_voq_n};
    s->run_window = kernels[(s->vcs == 1 ? 0 : 2) + s->voq];
}
