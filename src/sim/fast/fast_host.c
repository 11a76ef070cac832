/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts under the fast kernel. An adapter is a cache line of its own and one a VC (fast_adapter),
 * behind which stand the messages being sent where they are several packets. Adapters with other
 * queues, or slower than their link, are adapter/host.c's, and their packets are put on the link
 * here. What a host does in a window is a wake-up or two and a credit: no list of its events. */
#include "sim/fast/keys.h"
#include "sim/fast/variants.h"
#include "sim/order/reorder.h"
#include "sim/workload/messages.h"
#include <stdlib.h>

/* ---- on the link */

/* Reloads what *h caches of the packets, whose columns have been reallocated. */
static void fast_host_reload(fast_context *h)
{
    queue_join *joins = h->joins;
    *h = load_context(h->p);
    h->joins = joins;
    find_delay_slots(h);
}

/* False: out of memory, nothing was sent, and the run ends with this window. *h is reloaded where
 * packets have grown, or some columns of them before there was no memory for another. */
SIM_INLINE bool fast_host_send(fast_context *h, const shape k, uint32_t host_port,
                               const ik_packet *rt, uint64_t number, uint64_t sequence,
                               uint64_t t_gen, uint64_t now)
{
    sim *s = h->s;
    uint32_t id = take_fast_packet(h->p);
    if (__builtin_expect(h->fp->packets.items != h->packets, 0))
        fast_host_reload(h);
    if (__builtin_expect(id == IK_NONE, 0))
        return false;
    fast_port *to = context_port_at(h, k, host_port);
    const link_delays *link = context_link_at(h, k, host_port);
    fast_packet *pk = &h->packets[id];
    *pk = (fast_packet){.rt = *rt, .t_gen = t_gen, .t_inject = now};
    context_count_sent(h, to, host_port, now, now + link->full_ps);
    uint64_t tail = now + link->full_ps + link->latency_ps;
    if (!k.plain && h->mixed)
        h->fp->packets.tail[id] = tail;
    if (__builtin_expect(h->numbered, 0))
        h->fp->packets.number[id] = (uint32_t)number;
    if (__builtin_expect(h->orders, 0))
        h->fp->packets.sequence[id] = sequence;
    uint64_t head = s->sw.store_forward ? tail : now + link->latency_ps;
    event_time at =
        k.plain ? context_time_after(h, DELAY_HOST_ARRIVAL, (uint32_t)(now - h->start))
                : context_event_time_at(h, BIN_ARRIVAL, context_until(h, head + s->sw.routing_ps));
    uint32_t joining = context_send_to_switch(h, k, to, id, pk, rt->vc, at, true);
    if (k.early)
        h->fp->sends[h->fp->sent_in.at++] =
            (fast_send){rt->src, (uint32_t)(now - h->start), joining, 0};
    return true;
}

bool sim_fast_send(partition *p, uint32_t host_port, const packet *from, uint64_t sequence)
{
    sim *s = p->sim;
    fast_context h = load_context(p);
    /* an adapter of adapter/host.c keeps it here */
    *state_credit_at(s, host_port, s->sw.vcs == 1 ? 0 : from->rt.vc) -=
        (int32_t)s->adapter.packet_bytes;
    return fast_host_send(&h, context_fast_shape(s), host_port, &from->rt, from->number, sequence,
                          from->t_gen, from->t_inject);
}

/* ---- messages */

/* Of several packets: the ring of VC v. */
SIM_INLINE fast_message *fast_host_messages(const fast_context *h, const shape k,
                                            fast_adapter *adapter, unsigned v)
{
    return fast_messages(adapter, k.vcs, v, h->s->adapter.active_messages);
}

/* The port of a host that was fetched, and the message whose turn it probably is. */
SIM_INLINE void fast_host_fetch_port(const fast_context *h, const shape k, uint32_t host)
{
    fast_adapter *adapter = context_host_at(h, host);
    uint32_t port = adapter->port;
    __builtin_prefetch(context_port_at(h, k, port), 1);
    if (__builtin_expect(h->orders, 0) && !k.several) {
        const fast_send_queue *l =
            &adapter->queues[context_sending_vcs(h, k) == 1 ? 0 : adapter->next_vc];
        sim_reorder_prefetch(h->p, host, l->dst[l->n % BLOCK]);
    }
    if (k.several) {
        unsigned v = context_sending_vcs(h, k) == 1 ? 0 : adapter->next_vc;
        __builtin_prefetch(&fast_host_messages(h, k, adapter, v)[adapter->queues[v].first], 1);
    }
}

/* number: of the host's packets. */
SIM_INLINE void fast_host_start(const fast_context *h, uint32_t host, uint32_t dst, uint64_t number,
                                ik_packet *rt)
{
    const sim *s = h->s;
    if (h->f->plain_start) {
        *rt = (ik_packet){.src = host, .dst = dst, .via = IK_NONE};
        s->plan->vc->family->inject(s->plan->vc, rt);
        return;
    }
    ik_draw draw = {s->seed, host, number};
    ik_plan_start(s->plan, host, dst, &draw, NULL, rt);
}

/* Time of message n of a lane: of its block, or the first behind it. */
SIM_INLINE uint64_t fast_host_time_of(const fast_context *h, const shape k, uint32_t host,
                                      const fast_adapter *adapter, unsigned v, uint64_t n,
                                      uint64_t block)
{
    if (h->s->source.injection == INJECT_PERIODIC)
        return (uint64_t)(adapter->phase_ps + (double)n * adapter->period_ps);
    return h->f->times[((size_t)host * k.vcs + v) * (BLOCK + 1) + (n - block)];
}

/* Times of a block, and of the first message behind it, where each follows from the one before. */
static void fast_host_draw_times(const fast_context *h, uint32_t host, unsigned v,
                                 const fast_send_queue *l)
{
    const sim *s = h->s;
    uint64_t *times = &h->f->times[((size_t)host * s->sw.vcs + v) * (BLOCK + 1)];
    times[0] = l->t;
    for (unsigned at = 1; at <= BLOCK; at++)
        times[at] = sim_message_time(s, host, l->n + at, times[at - 1]);
}

/* What the host makes in the block of lane 0 that begins with message `block`, once that block is
 * over, or the run: by then it is known which of them fall into the measured time. */
static void fast_host_count_block(const fast_context *h, const shape k, uint32_t host,
                                  const fast_adapter *adapter, uint64_t block)
{
    const sim *s = h->s;
    partition *p = h->p;
    const fast_send_queue *l = &adapter->queues[0];
    uint64_t first = fast_host_time_of(h, k, host, adapter, 0, block, block),
             last = fast_host_time_of(h, k, host, adapter, 0, block + BLOCK - 1, block);
    if (!p->classes && state_in_window(s, first) && state_in_window(s, last)) {
        unsigned made = 0;
        for (unsigned at = 0; at < BLOCK; at++)
            made += l->dst[at] != IK_NONE;
        p->n.generated += made * s->source.packets_per_message;
        p->n.offered_bytes += (uint64_t)made * s->source.message_bytes;
        return;
    }
    for (unsigned at = 0; at < BLOCK; at++) {
        uint64_t t = fast_host_time_of(h, k, host, adapter, 0, block + at, block);
        if (l->dst[at] != IK_NONE && t < s->measure.past_ps)
            sim_count_message(p, host, block + at, t);
    }
}

/* Draws the messages of the block that begins at l->n, and the VCs in which they start. */
static void fast_host_draw_messages(const fast_context *h, const shape k, uint32_t host,
                                    fast_send_queue *l)
{
    const ik_traffic *t = h->s->traffic;
    if (t->family->dests)
        t->family->dests(t, host, l->n, BLOCK, l->dst);
    else
        for (unsigned at = 0; at < BLOCK; at++)
            l->dst[at] = t->family->dest(t, host, l->n + at);
    for (unsigned at = 0; at < BLOCK && k.vcs > 1 && !h->f->starts_low; at++) {
        ik_packet rt = {.vc = 0};
        if (l->dst[at] != IK_NONE)
            fast_host_start(h, host, l->dst[at], (l->n + at) * h->s->source.packets_per_message,
                            &rt);
        l->vc[at] = rt.vc;
    }
}

/* Another VC whose latest block is the one that begins at n; NULL if there is none. */
SIM_INLINE const fast_send_queue *fast_host_holder(const fast_context *h, const shape k,
                                                   const fast_adapter *adapter, unsigned v,
                                                   uint64_t n)
{
    for (unsigned u = 0, vcs = context_sending_vcs(h, k); u < vcs; u++) {
        const fast_send_queue *other = &adapter->queues[u];
        /* its next message is one of that block, or the first one behind it */
        if (u != v && other->n / BLOCK - !other->mine == n / BLOCK)
            return other;
    }
    return NULL;
}

/* Finds the messages of VC v in the block that begins at l->n, and the first one of them. */
static void fast_host_draw_block(const fast_context *h, const shape k, uint32_t host,
                                 const fast_adapter *adapter, unsigned v, fast_send_queue *l)
{
    uint64_t block = l->n;
    unsigned mine = 0;
    if (v == 0 && block)
        fast_host_count_block(h, k, host, adapter, block - BLOCK);
    const fast_send_queue *other = fast_host_holder(h, k, adapter, v, block);
    if (other) {
        memcpy(l->dst, other->dst, sizeof l->dst);
        memcpy(l->vc, other->vc, sizeof l->vc);
    } else {
        fast_host_draw_messages(h, k, host, l);
    }
    if (h->s->source.injection != INJECT_PERIODIC)
        fast_host_draw_times(h, host, v, l);
    for (unsigned at = 0; at < BLOCK; at++)
        mine |=
            (unsigned)(l->dst[at] != IK_NONE && (context_sending_vcs(h, k) == 1 || l->vc[at] == v))
            << at;
    l->mine = (uint8_t)mine;
    l->n = block + (mine ? (unsigned)__builtin_ctz(mine) : BLOCK);
    l->t = fast_host_time_of(h, k, host, adapter, v, l->n, block);
}

/* Draws blocks until the lane's next message is known, or is not made by now. Returns whether it
 * is. */
SIM_INLINE bool fast_host_find_message(const fast_context *h, const shape k, uint32_t host,
                                       const fast_adapter *adapter, unsigned v, fast_send_queue *l,
                                       uint64_t now)
{
    while (!l->mine && l->t <= now && l->t < h->s->measure.past_ps)
        fast_host_draw_block(h, k, host, adapter, v, l);
    return l->mine && l->t <= now && l->t < h->s->measure.past_ps;
}

/* The lane goes on to the message behind the one that was found. */
SIM_INLINE void fast_host_pass_message(const fast_context *h, const shape k, uint32_t host,
                                       const fast_adapter *adapter, unsigned v, fast_send_queue *l)
{
    uint64_t block = l->n / BLOCK * BLOCK;
    l->mine &= (uint8_t)(l->mine - 1);
    l->n = block + (l->mine ? (unsigned)__builtin_ctz(l->mine) : BLOCK);
    l->t = fast_host_time_of(h, k, host, adapter, v, l->n, block);
}

/* Messages of several packets: takes those made by now into the ring as long as there is room. */
SIM_INLINE void fast_host_fill_ring(const fast_context *h, const shape k, uint32_t host,
                                    fast_adapter *adapter, unsigned v, fast_send_queue *l,
                                    uint64_t now)
{
    const sim *s = h->s;
    while (l->count < s->adapter.active_messages &&
           fast_host_find_message(h, k, host, adapter, v, l, now)) {
        uint32_t place = (uint32_t)l->first + l->count++;
        place -= place < s->adapter.active_messages ? 0 : s->adapter.active_messages;
        fast_host_messages(h, k, adapter, v)[place] = (fast_message){
            l->t, l->n, l->dst[l->n % BLOCK], (uint32_t)s->source.packets_per_message, 0};
        fast_host_pass_message(h, k, host, adapter, v, l);
    }
}

/* Whether a lane has a message, made by now, of which it may send a packet. */
SIM_INLINE bool fast_host_admit(const fast_context *h, const shape k, uint32_t host,
                                fast_adapter *adapter, unsigned v, fast_send_queue *l, uint64_t now)
{
    if (k.several)
        fast_host_fill_ring(h, k, host, adapter, v, l, now);
    l->has = k.several ? l->count > 0 : fast_host_find_message(h, k, host, adapter, v, l, now);
    return l->has;
}

/* A packet of a message. */
typedef struct outgoing {
    uint64_t t_gen, number; /* of the host's packets */
    uint32_t dst;
} outgoing;

/* Messages of several packets: the next packet of the first one, which leaves the ring with its
 * last, or else takes its turn again behind the others. */
SIM_INLINE outgoing fast_host_take_turn(const fast_context *h, const shape k, fast_adapter *adapter,
                                        unsigned v, fast_send_queue *l)
{
    const sim *s = h->s;
    fast_message *ring = fast_host_messages(h, k, adapter, v), *m = &ring[l->first];
    uint64_t sent = s->source.packets_per_message - m->left;
    outgoing next = {m->t_gen, m->n * s->source.packets_per_message + sent, m->dst};
    if (--m->left && s->adapter.fifo_messages)
        return next;
    l->first = (uint16_t)(l->first + 1u == s->adapter.active_messages ? 0 : l->first + 1u);
    if (m->left == 0) {
        l->count--;
    } else if (l->count < s->adapter.active_messages) { /* in a full ring it stands there already */
        uint32_t place = (uint32_t)l->first + l->count - 1;
        ring[place < s->adapter.active_messages ? place : place - s->adapter.active_messages] = *m;
    }
    l->has = l->count > 0;
    return next;
}

/* Takes the next packet of a lane that has one. */
SIM_INLINE outgoing fast_host_take_packet(const fast_context *h, const shape k, uint32_t host,
                                          fast_adapter *adapter, unsigned v, fast_send_queue *l)
{
    if (k.several)
        return fast_host_take_turn(h, k, adapter, v, l);
    outgoing next = {l->t, l->n, l->dst[l->n % BLOCK]};
    l->has = 0;
    fast_host_pass_message(h, k, host, adapter, v, l);
    return next;
}

/* ---- sending */

/* Sends one packet if a queue has one and credit for it. The queues take turns. */
SIM_INLINE bool fast_host_try_send(fast_context *h, const shape k, uint32_t host,
                                   fast_adapter *adapter, uint64_t now)
{
    adapter->blocked = 0;
    unsigned vcs = context_sending_vcs(h, k);
    for (unsigned n = 0; n < vcs; n++) {
        unsigned v = vcs == 1                       ? 0
                     : adapter->next_vc + n < k.vcs ? adapter->next_vc + n
                                                    : adapter->next_vc + n - k.vcs;
        fast_send_queue *l = &adapter->queues[v];
        if (!fast_host_admit(h, k, host, adapter, v, l, now))
            continue;
        uint16_t *credit = context_port_credit(h, k, adapter->port, v);
        if (*credit == 0) {
            adapter->blocked = 1;
            continue;
        }
        --*credit;
        ik_packet rt;
        outgoing next = fast_host_take_packet(h, k, host, adapter, v, l);
        fast_host_start(h, host, next.dst, next.number, &rt);
        if (k.several) /* its message's */
            rt.vc = (uint8_t)v;
        adapter->busy_until = now + context_link_at(h, k, adapter->port)->full_ps;
        adapter->next_vc = (uint8_t)(v + 1 == k.vcs ? 0 : v + 1);
        adapter->blocked = 0;
        uint64_t sequence = 0;
        if (__builtin_expect(h->orders, 0) &&
            !sim_reorder_number(h->p, host, next.dst, IK_NONE, now, &sequence))
            return false;
        if (!fast_host_send(h, k, adapter->port, &rt, next.number, sequence, next.t_gen, now))
            return false;
        h->p->n.injected++;
        h->p->n.moves++;
        return true;
    }
    return false;
}

/* When to look again without an event: a queue has a message then and the link is free. What
 * falls into this window is not posted: wake_until comes to it. */
SIM_INLINE void fast_host_plan_wake(fast_context *h, const shape k, uint32_t host,
                                    fast_adapter *adapter, bool sent, uint64_t now, bool running)
{
    uint64_t at = UINT64_MAX;
    for (unsigned v = 0, vcs = context_sending_vcs(h, k); v < vcs; v++) {
        const fast_send_queue *l = &adapter->queues[v];
        uint64_t next = !l->has ? l->t : sent ? now : UINT64_MAX;
        at = next < at ? next : at;
    }
    if (at >= h->s->measure.past_ps) { /* nothing is made or sent after the end */
        h->p->after_end |= at != UINT64_MAX;
        return;
    }
    if (at < adapter->busy_until)
        at = adapter->busy_until;
    if (at == adapter->wake_at)
        return;
    adapter->wake_at = at;
    if (running && at < h->start + h->lookahead)
        return;
    if (k.early && sent && at == adapter->busy_until) {
        h->fp->sends[h->fp->sent_in.at - 1].wakes = 1;
    } else if (k.plain && sent && at == adapter->busy_until) {
        event_time wake = context_time_after(h, DELAY_WAKE, (uint32_t)(now - h->start));
        context_post(h, wake.at, (uint64_t)wake.rest << 32 | host);
    } else {
        events_post_own(h->p, at, h->num_switches + host, EV_WAKE, adapter->port, 0, false);
    }
}

SIM_INLINE void fast_host_act(fast_context *h, const shape k, uint32_t host, fast_adapter *adapter,
                              uint64_t now)
{
    if (now < adapter->busy_until)
        return;
    bool sent = fast_host_try_send(h, k, host, adapter, now);
    fast_host_plan_wake(h, k, host, adapter, sent, now, true);
}

SIM_INLINE void fast_host_wake_until(fast_context *h, const shape k, uint32_t host,
                                     fast_adapter *adapter, uint64_t end)
{
    while (adapter->wake_at < end) {
        uint64_t now = adapter->wake_at;
        adapter->wake_at = UINT64_MAX;
        fast_host_act(h, k, host, adapter, now);
    }
}

static void take_adapter_credit(fast_context *h, const shape k, uint32_t host, host_credit c)
{
    uint64_t now = h->start + c.offset;
    fast_adapter *adapter = context_host_at(h, host);
    fast_host_wake_until(h, k, host, adapter, now);
    ++*context_port_credit(h, k, c.port, c.vc);
    if (adapter->wake_at == now || adapter->blocked) {
        adapter->wake_at = adapter->wake_at == now ? UINT64_MAX : adapter->wake_at;
        fast_host_act(h, k, host, adapter, now);
    }
    fast_host_wake_until(h, k, host, adapter, h->start + h->lookahead);
}

/* A host that said that it would look at its queues at that offset; else an earlier time replaced
 * it. */
SIM_INLINE void fast_host_wake(fast_context *h, const shape k, uint32_t host, uint64_t offset)
{
    fast_adapter *adapter = context_host_at(h, host);
    if (adapter->wake_at == h->start + offset)
        fast_host_wake_until(h, k, host, adapter, h->start + h->lookahead);
}

SIM_INLINE void fast_host_take_wakes(fast_context *h, const shape k)
{
    enum { AHEAD = 12 };
    for (uint32_t c = context_first_chunk(h, BIN_WAKE), next; c != IK_NONE; c = next) {
        size_t at = (size_t)c * 64 + 2, end = context_chunk_end(h, BIN_WAKE, c);
        h->p->n.events += end - at;
        for (size_t n = at; n < end && n < at + AHEAD; n++)
            context_fetch_host(h, k, (uint32_t)h->words[n]);
        for (; at < end; at++) { /* what is posted may move the words */
            if (at + AHEAD < end)
                context_fetch_host(h, k, (uint32_t)h->words[at + AHEAD]);
            if (at + AHEAD / 2 < end)
                fast_host_fetch_port(h, k, (uint32_t)h->words[at + AHEAD / 2]);
            fast_host_wake(h, k, (uint32_t)h->words[at], h->words[at] >> 32);
        }
        next = context_next_chunk(h, c);
    }
}

/* Early: hosts whose transmission ends. */
SIM_INLINE void fast_host_take_link_ends(fast_context *h, const shape k)
{
    enum { AHEAD = 12 };
    window_span span = keys_ending(h, &h->fp->sent_in, 0);
    uint32_t rest = h->f->links[0].tail.rest;
    h->p->n.events += span.end - span.first;
    for (uint32_t at = span.first; at < span.end; at++) {
        fast_send e = h->fp->sends[at];
        if (at + AHEAD < span.end)
            context_fetch_host(h, k, h->fp->sends[at + AHEAD].host);
        if (at + AHEAD / 2 < span.end)
            fast_host_fetch_port(h, k, h->fp->sends[at + AHEAD / 2].host);
        if (!e.wakes)
            continue;
        if (__builtin_expect(e.offset + rest >= h->lookahead, 0))
            context_post(h, context_slot_ahead(h, BIN_WAKE, 1),
                         (uint64_t)(e.offset + rest - h->lookahead) << 32 | e.host);
        else
            fast_host_wake(h, k, e.host, e.offset + rest);
    }
}

/* Early: what the hosts sent joins its queues. */
SIM_INLINE void fast_host_join_sent(fast_context *h, const shape k)
{
    enum { AHEAD = 8 };
    const queue_join *st = h->fp->joins;
    for (uint32_t at = 0, n = (uint32_t)(h->joins - st); at < n + AHEAD; at++) {
        if (at < n)
            keys_fetch_join(h, k, st + at);
        if (at >= AHEAD)
            keys_join_early(h, k, st + at - AHEAD, h->f->links[0].host_arrival.windows);
    }
}

SIM_INLINE void fast_host_adapters_window(fast_context *h, const shape k, const slot *at)
{
    enum { AHEAD = 12 };
    partition *p = h->p;
    uint32_t first = k.early ? keys_ring_begin(&h->fp->sent_in) : 0;
    for (uint32_t n = 0; n < h->fp->num_credits; n++) {
        host_credit c = h->fp->credits[n];
        if (n + AHEAD / 2 < h->fp->num_credits)
            __builtin_prefetch(context_port_at(h, k, h->fp->credits[n + AHEAD / 2].port), 1);
        take_adapter_credit(h, k, h->s->f->port_node[c.port] - h->num_switches, c);
    }
    fast_host_take_wakes(h, k);
    if (k.early)
        fast_host_take_link_ends(h, k);
    for (uint32_t c = at->first; c != IK_NONE; c = p->wheel.events[c * 64].node) {
        uint32_t count = sim_chunk_count(&p->wheel, at, c);
        p->n.events += count;
        for (uint32_t n = 1; n <= count && n <= AHEAD; n++)
            context_fetch_host(h, k, p->wheel.events[c * 64 + n].node - h->num_switches);
        for (uint32_t n = 1; n <= count; n++) {
            const event *e = &p->wheel.events[c * 64 + n]; /* what is posted may move them */
            if (n + AHEAD <= count)
                context_fetch_host(h, k, e[AHEAD].node - h->num_switches);
            if (n + AHEAD / 2 <= count)
                fast_host_fetch_port(h, k, e[AHEAD / 2].node - h->num_switches);
            fast_host_wake(h, k, e->node - h->num_switches, calendar_event_offset(e));
        }
    }
    if (k.early) {
        keys_ring_end(h, &h->fp->sent_in, first, h->fp->sent_in.at, 0);
        fast_host_join_sent(h, k);
        keys_end_pass(h);
    }
}

/* ---- variants */

#define ADAPTERS(X)                                                                                \
    X(EARLY, SEVERAL, 1, true)                                                                     \
    X(EARLY, OVERLAPS, ANY_VCS, true)                                                              \
    X(EARLY, STEPS, ANY_VCS, true)                                                                 \
    X(EARLY, CHOOSES, ANY_VCS, true)                                                               \
    X(EARLY, KEEPS, 1, true)                                                                       \
    X(EARLY, KEEPS, 3, true)                                                                       \
    X(EARLY, KEEPS, ANY_VCS, EITHER)                                                               \
    X(DENSE, KEEPS, 4, true)                                                                       \
    X(DENSE, KEEPS, ANY_VCS, EITHER)

#define ADAPTER(mode, kind, num, queues)                                                           \
    static void adapters_##mode##_##kind##_##num##_##queues(fast_context *h, const slot *at)       \
    {                                                                                              \
        const sim *s = h->s;                                                                       \
        fast_host_adapters_window(h, VARIANT_SHAPE(s, mode, kind, num, queues), at);               \
    }
ADAPTERS(ADAPTER)

static void fast_host_any_adapters(fast_context *h, const slot *at)
{
    shape k = context_fast_shape(h->s);
    k.plain = h->f->plain;
    k.early = h->f->early;
    fast_host_adapters_window(h, k, at);
}

void sim_fast_choose_adapters(const sim *s)
{
#define ADAPTER_NAME(mode, kind, num, queues) adapters_##mode##_##kind##_##num##_##queues,
    static const fast_variant rows[] = {ADAPTERS(VARIANT_ROW)};
    static void (*const adapters[])(fast_context *,
                                    const slot *) = {ADAPTERS(ADAPTER_NAME) fast_host_any_adapters};
    bool several = s->source.packets_per_message > 1;
    s->engine.fast->run_adapters =
        adapters[fast_variant_of(s, several, rows, sizeof rows / sizeof *rows)];
}

static int fast_host_by_offset(const void *a, const void *b)
{
    const host_credit *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void sim_fast_run_hosts(partition *p, const slot *at)
{
    fast_context h = load_context(p);
    /* Credits of a host are more than a window apart, but that of a packet that found no way may
     * come just before that of the packet before it. */
    if (__builtin_expect(p->n.unroutable > 0, 0))
        qsort(p->fast->credits, p->fast->num_credits, sizeof *p->fast->credits,
              fast_host_by_offset);
    find_delay_slots(&h);
    if (!h.f->hosts)
        sim_fast_run_common_hosts(p, at);
    else
        h.f->run_adapters(&h, at);
    p->fast->num_credits = 0;
}

void sim_fast_count_last(partition *p)
{
    fast_context h = load_context(p);
    for (uint32_t host = 0; h.f->hosts && host < h.s->f->num_hosts; host++) {
        if (h.s->parallel.node_partition[ik_host_node(h.s->f, host)] != p->id ||
            h.s->host.state[host].silent)
            continue;
        const fast_adapter *adapter = context_host_at(&h, host);
        const fast_send_queue *l = &adapter->queues[0];
        uint64_t behind = l->mine ? l->n / BLOCK * BLOCK + BLOCK : l->n; /* what was drawn */
        if (behind)
            fast_host_count_block(&h, context_fast_shape(h.s), host, adapter, behind - BLOCK);
        sim_pass_messages(h.s, host, &h.s->host.queues[(size_t)host * h.s->sw.vcs], behind);
    }
}

void sim_fast_start_hosts(partition *p)
{
    sim *s = p->sim;
    fast_context h = load_context(p);
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        if (s->parallel.node_partition[ik_host_node(s->f, host)] != p->id ||
            s->host.state[host].silent)
            continue;
        fast_adapter *adapter = context_host_at(&h, host);
        for (unsigned v = 0; v < s->sw.vcs; v++)
            adapter->queues[v].t =
                v && h.f->starts_low ? UINT64_MAX : sim_message_time(s, host, 0, 0);
        fast_host_plan_wake(&h, context_fast_shape(s), host, adapter, false, 0,
                            false); /* not inside a window yet */
    }
}
