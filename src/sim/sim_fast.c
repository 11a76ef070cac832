/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel for the common case (sim_fast.h says which), one window at a time. It does what sim_switch.c does (the tests compare
 * the two) in passes that each touch little and know ahead what they will touch:
 *
 *  1. Space that came back counts at once: at most one packet leaves through a port in a window, so credit where there is enough for
 *     a packet anyway changes no decision. Where there was not, the instant is an event.
 *  2. Packets join their queues. Behind others they ask for nothing new: what leaves in this window is taken off at its end, and an
 *     input takes at most one packet in a window, so the queue is the same. Only a packet that finds its queue empty is an event.
 *  3. Each switch with events takes them in order of time and decides. An input and an output that are matched stay busy beyond the
 *     window, so the transfers wait.
 *  4. The grants are carried out, their packets in the cache by then: everything that follows from a grant is known (the end of the
 *     transmission, the credit upstream, the queue that the packet will join at the next switch, or its delivery) and put into bins.
 *  5. Hosts send (sim_fast_host.c). */
#include "sim/sim_fast_hot.h"

enum { WIDE = 8192 }; /* switches: more is fetched again, shortly before */

SIM_INLINE void fetch_desk(const hot *h, uint32_t sw)
{
    const desk *d = &h->desks[sw];
    __builtin_prefetch(d, 1);
    __builtin_prefetch(d->events, 1);
}

/* ---- requests */

SIM_INLINE uint64_t *asks_of(const shape k, fast_port *out, unsigned v)
{
    return k.vcs == 1 ? &out->ready : &out->want[v];
}

/* Outputs of a switch with credit, by VC. */
SIM_INLINE uint64_t *ok_of(const hot *h, const shape k, desk *d, uint32_t sw)
{
    return k.vcs == 1 ? &d->ok : h->ok + (size_t)sw * k.vcs;
}

SIM_INLINE void request(const hot *h, const shape k, desk *d, uint32_t sw, unsigned in, unsigned v, unsigned out)
{
    fast_port *to = port_at(h, k, d->port_base + out);
    port_at(h, k, d->port_base + in)->row |= 1ull << out;
    *asks_of(k, to, v) |= 1ull << in;
    if (k.vcs > 1)
        to->ready |= (ok_of(h, k, d, sw)[v] >> out & 1) << in;
}

/* After a request or credit has gone; several VCs. */
SIM_INLINE void look_ready(const shape k, fast_port *to, const uint64_t *ok, unsigned out)
{
    uint64_t ready = 0;
    for (unsigned v = 0; v < k.vcs; v++)
        ready |= to->want[v] & (0 - (ok[v] >> out & 1));
    to->ready = ready;
}

/* ---- 1, 2: what happened */

SIM_INLINE void fetch_requests(const hot *h, const shape k, const desk *d, uint64_t key)
{
    fast_port *ports = port_at(h, k, d->port_base);
    __builtin_prefetch(beside(ports, k, key_in(key)), 1);
    __builtin_prefetch(beside(ports, k, key_out(key)), 1);
}

/* The keys of a switch that has too many for its desk. */
SIM_INLINE uint64_t *many_events(const hot *h, const desk *d, uint32_t sw)
{
    return h->events + (size_t)d->port_base * (2 + h->s->vcs) + 2 * (size_t)sw;
}

/* Puts a key among those of its switch, in order of time where there are few, and fetches what it will touch there. Whether it is
 * the first one is hard to predict. */
SIM_INLINE void put(hot *h, const shape k, uint64_t key)
{
    uint32_t sw = key_switch(key);
    desk *d = &h->desks[sw];
    uint64_t *events = d->events;
    uint32_t n = d->num_events++;
    *h->active = sw;
    h->active += n == 0;
    fetch_requests(h, k, d, key);
    if (__builtin_expect(n >= DESK_EVENTS, 0)) {
        events = many_events(h, d, sw);
        if (n == DESK_EVENTS)
            memcpy(events, d->events, sizeof d->events);
    }
    for (; !k.dense && n > 0 && events[n - 1] > key; n--)
        events[n] = events[n - 1];
    events[n] = key;
}

/* The first credit after there was none: its instant counts. */
static void take_scarce_credit(hot *h, const shape k, uint64_t word)
{
    uint32_t port = credit_port(word), node = h->s->f->port_node[port], offset = (uint32_t)(word >> 32);
    unsigned v = k.vcs == 1 ? 0 : credit_vc(word);
    if (node >= h->num_switches) {
        h->fp->credits[h->fp->num_credits++] = (host_credit){port, offset, v};
        if (h->f->hosts)
            fetch_host(h, k, node - h->num_switches);
        return;
    }
    ++*fast_credit(port_at(h, k, port), k.vcs, v);
    put(h, k, key_of(offset, node, KEY_CREDIT, v, 0, port - h->desks[node].port_base));
}

SIM_INLINE void take_credits(hot *h, const shape k)
{
    for (uint32_t c = first_chunk(h, BIN_CREDIT); c != IK_NONE; c = next_chunk(h, c)) {
        const uint64_t *at = h->words + (size_t)c * 64 + 2, *end = h->words + chunk_end(h, BIN_CREDIT, c);
        h->p->n.events += (uint64_t)(end - at);
        for (; at < end; at++) {
            uint16_t *credit = fast_credit(port_at(h, k, credit_port(*at)), k.vcs, k.vcs == 1 ? 0 : credit_vc(*at));
            if (__builtin_expect(*credit, 1))
                ++*credit;
            else
                take_scarce_credit(h, k, *at);
        }
    }
}

SIM_INLINE void take_tails(hot *h, const shape k)
{
    enum { AHEAD = 8 };
    for (uint32_t c = first_chunk(h, BIN_TAIL); c != IK_NONE; c = next_chunk(h, c)) {
        const uint64_t *at = h->words + (size_t)c * 64 + 2, *end = h->words + chunk_end(h, BIN_TAIL, c);
        h->p->n.events += (uint64_t)(end - at);
        for (; at < end; at++) {
            if (k.wide && at + AHEAD < end)
                fetch_desk(h, key_switch(at[AHEAD]));
            desk *d = &h->desks[key_switch(*at)];
            d->may_in |= 1ull << key_in(*at);
            d->may_out |= 1ull << key_out(*at);
            put(h, k, *at);
        }
    }
}

/* No way on from here: its space is free as soon as it has wholly come. */
static void drop(hot *h, const shape k, uint64_t key, uint32_t id)
{
    sim *s = h->s;
    uint32_t port = h->desks[key_switch(key)].port_base + key_in(key), v = h->parcels[id].rt.vc;
    const fast_port *in = port_at(h, k, port);
    const link_delays *link = link_at(h, k, port);
    uint64_t here = h->start + (key >> KEY_OFFSET), first = here - s->routing_ps; /* its head, or its tail, was here then */
    uint64_t tail = h->mixed ? h->fp->parcels.tail[id] : first + (s->store_forward ? 0 : link->full_ps);
    uint64_t time = (tail > here ? tail : here) + link->latency_ps;
    h->p->n.unroutable++;
    free_parcel(h, id);
    if (!h->alone && s->node_part[in->peer_node] != h->p->id) {
        post_remote(h->p, time, in->peer_node, EV_CREDIT, in->peer_port, v << 24 | s->packet_bytes);
        return;
    }
    spot at = spot_at(h, BIN_CREDIT, until(h, time));
    post(h, at.at, credit_of(at.rest, in->peer_port, v));
}

/* The first of a queue asks. While its input or its output is busy in all of this window its instant decides nothing. */
SIM_INLINE void ask(hot *h, const shape k, uint64_t key)
{
    uint32_t sw = key_switch(key);
    desk *d = &h->desks[sw];
    unsigned in = key_in(key), out = key_out(key);
    if (d->may_in >> in & d->may_out >> out & 1)
        put(h, k, key);
    else
        request(h, k, d, sw, in, k.vcs == 1 ? 0 : key_vc(key), out);
}

SIM_INLINE void join(hot *h, const shape k, uint64_t key, uint64_t what)
{
    uint32_t id = (uint32_t)what, index = (uint32_t)(what >> 32);
    if (__builtin_expect(index == IK_NONE, 0)) {
        drop(h, k, key, id);
        return;
    }
    uint32_t *place = &h->queues[index], last = *place;
    if (!k.plain && h->count_bytes)
        h->s->switches[key_switch(key)].bytes += h->full;
    if (last == IK_NONE) {
        *place = id | ONE_PARCEL;
        h->next[id] = id | LAST_BEHIND;
        ask(h, k, key);
    } else {
        last &= ~ONE_PARCEL;
        *place = id;
        h->next[id] = h->next[last];
        h->next[last] = id;
    }
}

/* Fetches the queue that an arrival will join, and its switch. */
SIM_INLINE void fetch_arrival(const hot *h, const uint64_t *at)
{
    const desk *d = &h->desks[key_switch(at[0])];
    __builtin_prefetch(&h->queues[at[1] >> 32], 1);
    __builtin_prefetch(d, 1);
    __builtin_prefetch(d->events, 1);
}

/* And the packet at its end, if any, once the queue is there; or the requests that it will add to, which with several VCs are
 * many. */
SIM_INLINE void fetch_end(const hot *h, const shape k, const uint64_t *at)
{
    uint32_t index = (uint32_t)(at[1] >> 32), last = index == IK_NONE ? IK_NONE : h->queues[index];
    if (last != IK_NONE)
        __builtin_prefetch(&h->next[last & ~ONE_PARCEL], 1);
    else if (k.vcs > 1)
        fetch_requests(h, k, &h->desks[key_switch(at[0])], at[0]);
}

/* Each arrival fetches for the one that stands in its place in the next chunk, and for one a little further on. */
SIM_INLINE void take_arrivals(hot *h, const shape k)
{
    enum { AHEAD = 6 };
    uint32_t now = first_chunk(h, BIN_ARRIVAL);
    if (now == IK_NONE)
        return;
    for (size_t at = (size_t)now * 64 + 2, end = chunk_end(h, BIN_ARRIVAL, now); at < end; at += 2)
        fetch_arrival(h, h->words + at);
    while (now != IK_NONE) {
        uint32_t soon = next_chunk(h, now);
        size_t at = (size_t)now * 64 + 2, end = chunk_end(h, BIN_ARRIVAL, now);
        size_t ahead = soon == IK_NONE ? 0 : (size_t)soon * 64 + 2, ahead_end = soon == IK_NONE ? 0 : chunk_end(h, BIN_ARRIVAL, soon);
        h->p->n.events += (end - at) / 2;
        for (; at < end; at += 2, ahead += 2) { /* a dropped packet may move the words */
            if (ahead < ahead_end)
                fetch_arrival(h, h->words + ahead);
            if (at + 2 * AHEAD < end)
                fetch_end(h, k, &h->words[at + 2 * AHEAD]);
            join(h, k, h->words[at], h->words[at + 1]);
        }
        now = soon;
    }
}

/* ---- 3: a switch's instants. The mask words that everything touches live in registers. */

typedef struct state {
    uint64_t free_in, free_out;
    desk *d;
    uint32_t sw;
} state;

SIM_INLINE fast_port *port_of_desk(const hot *h, const shape k, const state *st, unsigned local)
{
    return port_at(h, k, st->d->port_base + local);
}

SIM_INLINE unsigned from_pointer(uint64_t mask, unsigned from)
{
    uint64_t high = mask >> from << from;
    return (unsigned)__builtin_ctzll(high ? high : mask);
}

/* VCs whose requests of a pair have credit. */
SIM_INLINE uint32_t ready_lanes(const hot *h, const shape k, const state *st, unsigned in, unsigned out)
{
    const uint64_t *want = port_of_desk(h, k, st, out)->want, *ok = ok_of(h, k, st->d, st->sw);
    uint32_t lanes = 0;
    for (unsigned v = 0; v < k.vcs; v++)
        lanes |= (uint32_t)(want[v] >> in & ok[v] >> out & 1) << v;
    return lanes;
}

/* Matches in with out; the transfer itself waits for the window's end, and so does the choice among VCs: whose turn it is stands
 * with their queues, and a pair is matched once in a window. */
SIM_INLINE void match(hot *h, const shape k, state *st, unsigned in, unsigned out, uint64_t instant)
{
    uint32_t q = queue_at(st->d, k, in, 0, out);
    __builtin_prefetch(&h->queues[q], 1);
    st->free_in &= ~(1ull << in);
    st->free_out &= ~(1ull << out);
    *h->grants++ = (fast_grant){instant | in << KEY_IN | out, q, k.vcs == 1 ? 1 : ready_lanes(h, k, st, in, out)};
}

/* A pointer beyond the last port means the first: nothing asks from there, so it need not be turned back. */
SIM_INLINE void advance_pointers(const hot *h, const shape k, const state *st, unsigned in, unsigned out)
{
    port_of_desk(h, k, st, out)->grant = (uint8_t)((in + 1) & 63);
    port_of_desk(h, k, st, in)->accept = (uint8_t)((out + 1) & 63);
}

/* iSLIP over the outputs of `open`, of which there are several. Returns those that may still have a request. */
SIM_INLINE uint64_t islip(hot *h, const shape k, state *st, uint64_t open, uint64_t instant)
{
    uint64_t *granted = h->fp->granted;
    for (unsigned it = 0; it < h->s->iterations && open; it++) {
        uint64_t inputs = 0;
        for (uint64_t bits = open; bits; bits &= bits - 1) {
            unsigned out = (unsigned)__builtin_ctzll(bits);
            const fast_port *to = port_of_desk(h, k, st, out);
            uint64_t ready = to->ready & st->free_in;
            if (!(ready & (ready - 1))) /* none, or one, which takes this output now or another one */
                open &= ~(bits & -bits);
            uint64_t any = ready != 0; /* among many keys hard to predict */
            if (!k.dense && !any)
                continue;
            unsigned in = from_pointer(ready | !any, to->grant);
            granted[in] |= (bits & -bits) & (0 - any);
            inputs |= any << in;
        }
        for (; inputs; inputs &= inputs - 1) {
            unsigned in = (unsigned)__builtin_ctzll(inputs), out = from_pointer(granted[in], port_of_desk(h, k, st, in)->accept);
            granted[in] = 0;
            open &= ~(1ull << out);
            if (it == 0)
                advance_pointers(h, k, st, in, out);
            match(h, k, st, in, out, instant);
        }
    }
    return open;
}

/* Remembers pairs left over; they are looked at again at the next multiple of the smallest latency. In this window: among the keys
 * from *at on, in the place of one that has been taken. */
static void look_later(hot *h, desk *d, uint32_t sw, uint64_t left, uint32_t offset, uint32_t *at)
{
    uint64_t pending = d->left, now = h->start + offset;
    d->left |= left;
    if (pending)
        return;
    lag when = until(h, (now / h->s->relook_ps + 1) * h->s->relook_ps);
    uint64_t key = key_of(when.rest, sw, KEY_LOOK, 0, 0, 0);
    if (when.windows > 0) {
        post(h, slot_ahead(h, BIN_TAIL, when.windows), key);
        return;
    }
    uint64_t *events = d->num_events > DESK_EVENTS ? many_events(h, d, sw) : d->events;
    uint32_t n = --*at;
    for (; n + 1 < d->num_events && events[n + 1] < key; n++)
        events[n] = events[n + 1];
    events[n] = key;
}

/* One instant's decision among the outputs of `open`, all free and with credit. Returns outputs with pairs left over. */
SIM_INLINE uint64_t decide(hot *h, const shape k, state *st, uint64_t open, uint64_t instant)
{
    if (open & (open - 1))
        return islip(h, k, st, open, instant);
    unsigned out = (unsigned)__builtin_ctzll(open);
    const fast_port *to = port_of_desk(h, k, st, out);
    uint64_t ready = to->ready & st->free_in;
    if (ready) {
        unsigned in = from_pointer(ready, to->grant);
        advance_pointers(h, k, st, in, out);
        match(h, k, st, in, out, instant);
    }
    return 0;
}

/* Outputs to look at because of pairs left over. */
SIM_INLINE uint64_t take_left(desk *d)
{
    uint64_t left = d->left;
    d->left = 0;
    return left;
}

/* Applies one key; returns the outputs to look at. */
SIM_INLINE uint64_t apply(const hot *h, const shape k, state *st, uint64_t key)
{
    unsigned in = key_in(key), out = key_out(key), kind = key_kind(key), v = k.vcs == 1 ? 0 : key_vc(key);
    uint64_t bit_in = 1ull << in, bit_out = 1ull << out;
    if (kind == KEY_TAIL) { /* an input that came free asks for all that it has */
        st->free_in |= bit_in;
        st->free_out |= bit_out;
        return bit_out | port_of_desk(h, k, st, in)->row;
    }
    if (kind == KEY_ARRIVAL) { /* one that is busy asks when it comes free */
        request(h, k, st->d, st->sw, in, v, out);
        return st->free_in & bit_in ? bit_out : 0;
    }
    if (kind == KEY_LOOK)
        return take_left(st->d);
    ok_of(h, k, st->d, st->sw)[v] |= bit_out;
    if (k.vcs > 1)
        port_of_desk(h, k, st, out)->ready |= port_of_desk(h, k, st, out)->want[v];
    return bit_out;
}

/* The same where keys are so many and so mixed that their kind cannot be predicted. */
SIM_INLINE uint64_t apply_any(const hot *h, const shape k, state *st, uint64_t key)
{
    unsigned in = key_in(key), out = key_out(key), kind = key_kind(key), v = key_vc(key);
    if (__builtin_expect(kind == KEY_LOOK, 0))
        return take_left(st->d);
    uint64_t bit_in = 1ull << in, bit_out = 1ull << out;
    uint64_t tail = 0 - (uint64_t)(kind == KEY_TAIL), arrival = 0 - (uint64_t)(kind == KEY_ARRIVAL), credit = ~(tail | arrival);
    fast_port *from = port_of_desk(h, k, st, in), *to = port_of_desk(h, k, st, out);
    uint64_t *ok = &ok_of(h, k, st->d, st->sw)[v];
    st->free_in |= bit_in & tail;
    st->free_out |= bit_out & tail;
    *ok |= bit_out & credit;
    to->want[v] |= bit_in & arrival;
    from->row |= bit_out & arrival;
    to->ready |= to->want[v] & (0 - (*ok >> out & 1)) & ~tail;
    uint64_t free = 0 - (st->free_in >> in & 1);
    return (bit_out & (~arrival | free)) | (from->row & tail);
}

/* ---- the order of many keys */

typedef int64_t four __attribute__((vector_size(32)));

/* By rank: how many keys are smaller. Equal ones do not occur. */
SIM_INLINE void sort_ranks(uint64_t *e, uint32_t n)
{
    four keys[(DESK_EVENTS + 1) / 4];
    int64_t copy[DESK_EVENTS + 1];
    memcpy(keys, e, sizeof keys);
    memcpy(copy, e, sizeof copy);
    for (uint32_t at = 0; at < n; at++) {
        int64_t key = copy[at];
        four all = {key, key, key, key}, rank = keys[0] < all;
        for (uint32_t q = 1; q < (DESK_EVENTS + 1) / 4; q++)
            rank += keys[q] < all;
        e[-(rank[0] + rank[1] + rank[2] + rank[3])] = (uint64_t)key;
    }
}

static void sort_many(uint64_t *e, uint32_t n)
{
    for (uint32_t at = 1; at < n; at++) {
        uint64_t key = e[at];
        uint32_t place = at;
        for (; place > 0 && e[place - 1] > key; place--)
            e[place] = e[place - 1];
        e[place] = key;
    }
}

static uint64_t *sort_overflow(const hot *h, const desk *d, uint32_t sw)
{
    uint64_t *events = many_events(h, d, sw);
    sort_many(events, d->num_events);
    events[d->num_events] = NO_KEY;
    return events;
}

SIM_INLINE void run_few(hot *h, const shape k, state *st)
{
    desk *d = st->d;
    uint32_t n = d->num_events;
    const uint64_t *events = n > DESK_EVENTS ? many_events(h, d, st->sw) : d->events;
    for (uint32_t at = 0; at < n;) {
        uint64_t instant = events[at] & KEY_INSTANT, open = 0;
        do
            open |= apply(h, k, st, events[at]);
        while (++at < n && events[at] >> KEY_OFFSET == instant >> KEY_OFFSET);
        open &= st->free_out & (k.vcs == 1 ? d->ok : ~0ull);
        if (!open)
            continue;
        uint64_t left = decide(h, k, st, open, instant);
        if (__builtin_expect(left != 0, 0))
            look_later(h, d, st->sw, left, (uint32_t)(instant >> KEY_OFFSET), &at);
    }
}

/* Among many keys, where an instant ends and whether anything is to be decided then are asked together: apart, neither can be
 * predicted. */
SIM_INLINE void run_many(hot *h, const shape k, state *st)
{
    desk *d = st->d;
    uint64_t *events = d->events, open = 0;
    if (__builtin_expect(d->num_events > DESK_EVENTS, 0))
        events = sort_overflow(h, d, st->sw);
    else
        sort_ranks(events, d->num_events);
    for (uint32_t at = 0, n = d->num_events; at < n;) {
        uint64_t key = events[at++], ends = 0 - (uint64_t)((key ^ events[at]) >> KEY_OFFSET != 0);
        open |= k.vcs == 1 ? apply(h, k, st, key) : apply_any(h, k, st, key);
        uint64_t decided = open & st->free_out & ends & (k.vcs == 1 ? d->ok : ~0ull);
        open &= ~ends;
        if (!decided)
            continue;
        uint64_t left = decide(h, k, st, decided, key & KEY_INSTANT);
        if (__builtin_expect(left != 0, 0))
            look_later(h, d, st->sw, left, (uint32_t)(key >> KEY_OFFSET), &at);
    }
    for (unsigned at = 0; at < DESK_EVENTS; at++)
        d->events[at] = NO_KEY;
}

SIM_INLINE void run_desk(hot *h, const shape k, uint32_t sw)
{
    desk *d = &h->desks[sw];
    state st = {d->free_in, d->free_out, d, sw};
    if (k.dense)
        run_many(h, k, &st);
    else
        run_few(h, k, &st);
    d->free_in = d->may_in = st.free_in;
    d->free_out = d->may_out = st.free_out;
    d->num_events = 0;
}

/* The requests that a switch's events name. */
SIM_INLINE void fetch_rows(const hot *h, const shape k, uint32_t sw)
{
    const desk *d = &h->desks[sw];
    for (uint32_t at = 0; at < d->num_events && at < DESK_EVENTS; at++)
        fetch_requests(h, k, d, d->events[at]);
}

SIM_INLINE void run_desks(hot *h, const shape k)
{
    enum { AHEAD = 4 };
    const uint32_t *sw = h->fp->active, *end = h->active;
    for (; sw < end; sw++) {
        if (k.wide) {
            fetch_desk(h, sw + 2 * AHEAD < end ? sw[2 * AHEAD] : *sw);
            fetch_rows(h, k, sw + AHEAD < end ? sw[AHEAD] : *sw);
        }
        run_desk(h, k, *sw);
    }
}

/* ---- 4: the grants */

/* To those who asked for more than totals. */
static void report_delivery(const hot *h, uint32_t host, uint32_t id, const parcel *pk, uint64_t t)
{
    const sim *s = h->s;
    part *p = h->p;
    uint64_t latency = t - pk->t_gen;
    if (s->num_series)
        sim_count_series(p, t, s->packet_bytes, latency);
    if (p->classes)
        sim_count_class(p, pk->rt.src, h->fp->parcels.number[id], s->packet_bytes, t, latency);
    if (s->paranoid) {
        packet copy = sim_fast_packet(p, id);
        copy.t_tail = t;
        sim_check_delivery(p, host, &copy);
    }
}

SIM_INLINE void deliver(hot *h, const shape k, const delivery *d)
{
    sim *s = h->s;
    part *p = h->p;
    const parcel *pk = &h->parcels[d->id];
    sink *to = &h->f->sinks[d->host];
    to->hash += sim_delivery_hash(&pk->rt, pk->t_gen, d->t);
    if (in_window(s, d->t)) {
        p->n.window_bytes += s->packet_bytes;
        to->packets++;
        sim_histo_add(&p->latency, d->t - pk->t_gen);
        sim_histo_add(&p->network, d->t - pk->t_inject);
    }
    if (!k.plain)
        report_delivery(h, d->host, d->id, pk, d->t);
    free_parcel(h, d->id);
}

/* Takes the head off its queue; the next one asks. */
SIM_INLINE uint32_t pop(const hot *h, const shape k, desk *d, uint32_t sw, const fast_grant *g, fast_port *from, fast_port *to)
{
    unsigned in = key_in(g->key), out = key_out(g->key), v = k.vcs == 1 ? 0 : key_vc(g->key);
    uint32_t last = h->queues[g->queue], id = last & ~ONE_PARCEL, next = IK_NONE;
    if (__builtin_expect(last & ONE_PARCEL, 1)) {
        h->queues[g->queue] = IK_NONE;
    } else {
        id = h->next[last] & ~LAST_BEHIND;
        next = h->next[id] & ~LAST_BEHIND;
        h->next[last] = next | LAST_BEHIND;
        h->queues[g->queue] = next == last ? last | ONE_PARCEL : last;
        if (k.voq || h->out[next] == out)
            return id;
    }
    uint64_t bit = 1ull << in, others = 0;
    *asks_of(k, to, v) &= ~bit;
    for (unsigned u = 0; k.vcs > 1 && u < k.vcs; u++)
        others |= to->want[u];
    if (k.vcs == 1 || !(others & bit))
        from->row &= ~(1ull << out);
    if (!k.voq && next != IK_NONE)
        request(h, k, d, sw, in, v, h->out[next]);
    return id;
}

/* When the transmission of a grant ends where a tail may have to be waited for. */
static lag end_of_mixed(hot *h, uint32_t offset, const link_delays *out, uint32_t id)
{
    uint64_t *tail = &h->fp->parcels.tail[id], end = h->start + offset + out->full_ps;
    if (end < *tail)
        end = *tail;
    *tail = end + h->s->traversal_ps + out->latency_ps;
    return until(h, end);
}

SIM_INLINE void bin_credit(hot *h, const fast_port *in, unsigned v, lag at)
{
    if (__builtin_expect(!h->alone, 0) && h->s->node_part[in->peer_node] != h->p->id) {
        post_remote(h->p, h->start + (uint64_t)at.windows * h->lookahead + at.rest, in->peer_node, EV_CREDIT, in->peer_port,
                    v << 24 | h->s->packet_bytes);
        return;
    }
    post(h, slot_ahead(h, BIN_CREDIT, at.windows), credit_of(at.rest, in->peer_port, v));
}

SIM_INLINE lag plus(const hot *h, lag a, lag b)
{
    lag sum = after(h, a.rest, b);
    sum.windows += a.windows;
    return sum;
}

/* The end of the transmission and the credit for the space that it leaves behind; returns when the transmission ends, but only
 * where the case is not plain. */
SIM_INLINE lag end_of(hot *h, const shape k, const fast_grant *g, const fast_port *in, uint32_t base, uint32_t id)
{
    uint32_t offset = (uint32_t)(g->key >> KEY_OFFSET);
    uint64_t low = g->key & KEY_LOW;
    unsigned v = k.vcs == 1 ? 0 : key_vc(g->key);
    if (k.plain) {
        spot tail = aimed(h, AIM_TAIL, offset), back = aimed_credit(h, offset, tail);
        post(h, tail.at, (uint64_t)tail.rest << KEY_OFFSET | low);
        if (__builtin_expect(!h->alone, 0) && h->s->node_part[in->peer_node] != h->p->id)
            post_remote(h->p, h->start + offset + h->f->links[0].full_ps + h->f->links[0].latency_ps, in->peer_node, EV_CREDIT,
                        in->peer_port, v << 24 | h->s->packet_bytes);
        else
            post(h, back.at, credit_of(back.rest, in->peer_port, v));
        return (lag){0, 0};
    }
    const link_delays *link = link_at(h, k, base + key_out(g->key));
    lag end = h->mixed ? end_of_mixed(h, offset, link, id) : after(h, offset, link->tail);
    post(h, slot_ahead(h, BIN_TAIL, end.windows), (uint64_t)end.rest << KEY_OFFSET | low);
    bin_credit(h, in, v, plus(h, end, link_at(h, k, base + key_in(g->key))->credit));
    return end;
}

/* To a host: head and tail come, its buffer drains at the link's rate. */
SIM_INLINE void send_to_host(hot *h, const shape k, const fast_grant *g, uint32_t out_port, uint32_t node, uint32_t id, lag end)
{
    const sim *s = h->s;
    const link_delays *out = link_at(h, k, out_port);
    uint32_t offset = (uint32_t)(g->key >> KEY_OFFSET);
    unsigned v = k.vcs == 1 ? 0 : key_vc(g->key);
    uint64_t head = h->start + offset + s->traversal_ps + out->latency_ps, t = head + out->full_ps;
    if (!k.plain) {
        t = h->start + (uint64_t)end.windows * h->lookahead + end.rest + s->traversal_ps + out->latency_ps;
        head = s->store_forward ? t : head;
    }
    if (__builtin_expect(head >= s->last_ps, 0)) { /* the run ends while it is on the link */
        lag at = until(h, head);
        post_pair(h, slot_ahead(h, BIN_ARRIVAL, at.windows), key_of(at.rest, key_switch(g->key), KEY_TO_HOST, v, 0, key_out(g->key)),
                  (uint64_t)IK_NONE << 32 | id);
        return;
    }
    spot back = k.plain ? aimed(h, AIM_HOST_CREDIT, offset) : spot_at(h, BIN_CREDIT, until(h, t + out->latency_ps));
    post(h, back.at, credit_of(back.rest, out_port, v));
    uint32_t host = node - h->num_switches;
    h->fp->deliveries[h->fp->num_deliveries++] = (delivery){t, id, host};
    __builtin_prefetch(&h->f->sinks[host], 1);
}

/* Takes credit for a packet that has left its queue. */
SIM_INLINE void use_credit(const hot *h, const shape k, desk *d, uint32_t sw, fast_port *to, unsigned in, unsigned out, unsigned v)
{
    uint64_t *ok = ok_of(h, k, d, sw), last = --*fast_credit(to, k.vcs, v) == 0;
    if (k.dense || last)
        ok[v] &= ~(last << out);
    if (k.vcs > 1 && (k.dense || last || !(to->want[v] >> in & 1)))
        look_ready(k, to, ok, out);
}

SIM_INLINE void carry_out(hot *h, const shape k, const fast_grant *g)
{
    sim *s = h->s;
    uint32_t sw = key_switch(g->key), offset = (uint32_t)(g->key >> KEY_OFFSET);
    desk *d = &h->desks[sw];
    uint32_t out_port = d->port_base + key_out(g->key), v = k.vcs == 1 ? 0 : key_vc(g->key);
    fast_port *in = port_at(h, k, d->port_base + key_in(g->key)), *to = port_at(h, k, out_port);
    uint32_t id = pop(h, k, d, sw, g, in, to);
    parcel *pk = &h->parcels[id];
    use_credit(h, k, d, sw, to, key_in(g->key), key_out(g->key), v);
    if (!k.plain && h->count_bytes)
        s->switches[sw].bytes -= h->full;
    to->sent += h->measured || in_window(s, h->start + offset);
    lag end = end_of(h, k, g, in, d->port_base, id);
    if (to->peer_node >= h->num_switches) {
        send_to_host(h, k, g, out_port, to->peer_node, id, end);
        return;
    }
    pk->rt.hops++;
    spot at = k.plain ? aimed(h, AIM_ARRIVAL, offset) : spot_at(h, BIN_ARRIVAL, after(h, offset, link_at(h, k, out_port)->arrival));
    if (!k.plain && h->mixed && s->store_forward)
        at = spot_at(h, BIN_ARRIVAL, until(h, h->fp->parcels.tail[id] + s->routing_ps));
    send_to_switch(h, k, to, id, pk, v, at);
}

/* ---- */

/* Chooses among the VCs of a pair; they take turns. */
SIM_INLINE void choose_lane(hot *h, const shape k, fast_grant *g)
{
    const desk *d = &h->desks[key_switch(g->key)];
    unsigned in = key_in(g->key), out = key_out(g->key), v;
    if (k.voq) {
        uint32_t *turn = &h->queues[g->queue - 1];
        v = from_pointer(g->lanes, *turn);
        *turn = v + 1 == k.vcs ? 0 : v + 1;
        g->queue += v;
    } else {
        uint8_t *turn = &h->s->switches[key_switch(g->key)].pair_vc[(size_t)in * d->radix + out];
        v = from_pointer(g->lanes, *turn);
        *turn = (uint8_t)(v + 1 == k.vcs ? 0 : v + 1);
        g->queue = queue_at(d, k, in, v, out);
        __builtin_prefetch(&h->queues[g->queue], 1);
    }
    g->key |= v << KEY_VC;
}

/* Fetches what a grant touches; its queue is there by now. */
SIM_INLINE void fetch_grant(const hot *h, const shape k, const fast_grant *g)
{
    uint32_t last = h->queues[g->queue];
    fast_port *ports = port_at(h, k, h->desks[key_switch(g->key)].port_base);
    if (__builtin_expect(last & ONE_PARCEL, 1))
        __builtin_prefetch(&h->parcels[last & ~ONE_PARCEL], 1);
    else
        __builtin_prefetch(&h->next[last], 1);
    __builtin_prefetch(beside(ports, k, key_in(g->key)), 1);
    __builtin_prefetch(beside(ports, k, key_out(g->key)), 1);
}

/* The packet before others, and what stands behind it. */
SIM_INLINE void fetch_first(const hot *h, const fast_grant *g)
{
    uint32_t last = h->queues[g->queue];
    if (__builtin_expect(last & ONE_PARCEL, 1))
        return;
    uint32_t id = h->next[last] & ~LAST_BEHIND;
    __builtin_prefetch(&h->parcels[id], 1);
    __builtin_prefetch(&h->next[id], 1);
}

/* Where it goes, once the port is there. */
SIM_INLINE void fetch_next_switch(const hot *h, const shape k, const fast_grant *g)
{
    uint32_t node = port_at(h, k, h->desks[key_switch(g->key)].port_base + key_out(g->key))->peer_node;
    if (node < h->num_switches)
        __builtin_prefetch(&h->desks[node], 1);
}

/* The grants of this window, what they touch fetched some grants ahead. */
SIM_INLINE void carry_out_all(hot *h, const shape k)
{
    enum { AHEAD = 16, CHOSEN = AHEAD + 8 };
    fast_grant *g = h->fp->grants;
    uint32_t n = (uint32_t)(h->grants - g);
    for (uint32_t at = 0; k.vcs > 1 && at < n && at < CHOSEN; at++)
        choose_lane(h, k, g + at);
    for (uint32_t at = 0; at < n && at < AHEAD; at++)
        fetch_grant(h, k, g + at);
    for (uint32_t at = 0; at < n; at++) {
        if (k.vcs > 1 && at + CHOSEN < n)
            choose_lane(h, k, g + at + CHOSEN);
        if (at + AHEAD < n)
            fetch_grant(h, k, g + at + AHEAD);
        if (at + AHEAD / 2 < n)
            fetch_first(h, g + at + AHEAD / 2);
        if (k.wide) {
            fetch_next_switch(h, k, g + (at + AHEAD / 2 < n ? at + AHEAD / 2 : at));
            if (k.vcs == 1)
                __builtin_prefetch(&h->queues[g[at + 2 * AHEAD < n ? at + 2 * AHEAD : at].queue], 1);
        }
        carry_out(h, k, g + at);
    }
    for (uint32_t at = 0; at < h->fp->num_deliveries; at++)
        deliver(h, k, &h->fp->deliveries[at]);
    h->p->n.hops += n;
    h->p->n.delivered += h->fp->num_deliveries;
    h->fp->num_deliveries = 0;
}

SIM_INLINE void fast_window(part *p, const slot *at, const shape k)
{
    hot h = heat(p);
    take_aim(&h);
    take_credits(&h, k);
    take_tails(&h, k);
    take_arrivals(&h, k);
    run_desks(&h, k);
    carry_out_all(&h, k);
    sim_fast_run_hosts(p, at);
    sim_bins_clear(p);
}

/* The plain case takes the shifts and bit scans of newer processors where there are any: a twentieth fewer instructions. */
#if defined(__x86_64__)
#define NEWER __attribute__((target("avx2,bmi,bmi2")))
static bool has_newer(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#else
#define NEWER
static bool has_newer(void)
{
    return true;
}
#endif

#define ANY(name, num, queues)                                                                                                   \
    static void window_##name(part *p, const slot *at)                                                                           \
    {                                                                                                                            \
        fast_window(p, at, (shape){.words = 1, .vcs = num, .voq = queues});                                                      \
    }
#define PLAIN(name, any, num, queues)                                                                                            \
    NEWER static void plain_##name(part *p, const slot *at)                                                                      \
    {                                                                                                                            \
        if (p->sim->fast_state->plain && p->sim->f->num_switches >= WIDE)                                                        \
            fast_window(p, at, (shape){.words = 1, .vcs = num, .voq = queues, .plain = true, .wide = true});                     \
        else if (p->sim->fast_state->plain && p->sim->fast_state->dense)                                                         \
            fast_window(p, at, (shape){.words = 1, .vcs = num, .voq = queues, .plain = true, .dense = true});                    \
        else if (p->sim->fast_state->plain)                                                                                      \
            fast_window(p, at, (shape){.words = 1, .vcs = num, .voq = queues, .plain = true});                                   \
        else                                                                                                                     \
            window_##any(p, at);                                                                                                 \
    }

ANY(fifo_1, 1, false)
ANY(voq_1, 1, true)
ANY(fifo_n, p->sim->vcs, false)
ANY(voq_n, p->sim->vcs, true)
PLAIN(fifo_1, fifo_1, 1, false)
PLAIN(voq_1, voq_1, 1, true)
PLAIN(fifo_n, fifo_n, p->sim->vcs, false)
PLAIN(voq_n, voq_n, p->sim->vcs, true)
/* Loops over so few VCs are worth unrolling. */
PLAIN(voq_2, voq_n, 2, true)
PLAIN(voq_3, voq_n, 3, true)
PLAIN(voq_4, voq_n, 4, true)

void sim_choose_fast(sim *s)
{
    static void (*const any[])(part *, const slot *) = {window_fifo_1, window_voq_1, window_fifo_n, window_voq_n};
    static void (*const plain[])(part *, const slot *) = {plain_fifo_1, plain_voq_1, plain_fifo_n, plain_voq_n};
    static void (*const few[])(part *, const slot *) = {plain_voq_2, plain_voq_3, plain_voq_4};
    unsigned kind = (s->vcs == 1 ? 0 : 2) + s->voq;
    if (!has_newer())
        s->run_window = any[kind];
    else
        s->run_window = s->voq && s->vcs >= 2 && s->vcs <= 4 ? few[s->vcs - 2] : plain[kind];
}
