/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of the switches of the fast kernel, what happens there in a window, and packets that
 * join a queue before they come. */
#ifndef IKAT_SIM_FAST_KEYS_H
#define IKAT_SIM_FAST_KEYS_H

#include "sim/fast/context.h"

#include <assert.h>

/* ---- requests */

SIM_INLINE uint64_t *keys_asks_of(const shape k, fast_port *out, unsigned v)
{
    assert(v < k.vcs);
    return k.vcs == 1 ? &out->ready : &out->want[v];
}

/* Outputs of a switch with credit, by VC. */
SIM_INLINE uint64_t *keys_ok_of(const fast_context *h, const shape k, fast_switch *fsw, uint32_t sw)
{
    return k.vcs == 1 ? &fsw->ok : h->ok + (size_t)sw * k.vcs;
}

/* The head of (in, v) asks for VC u of an output. */
SIM_INLINE void keys_request_vc(const fast_context *h, const shape k, fast_switch *fsw, uint32_t sw,
                                unsigned in, unsigned v, unsigned out, unsigned u)
{
    assert(in < fsw->radix && v < k.vcs && out < fsw->radix && u < k.vcs);
    fast_port *to = context_port_at(h, k, fsw->port_base + out);
    context_port_at(h, k, fsw->port_base + in)->row |= 1ull << out;
    *keys_asks_of(k, to, v) |= 1ull << in;
    if (k.steps)
        context_asked_of(k, to)[u] |= 1ull << in;
    if (k.vcs > 1)
        to->ready |= (keys_ok_of(h, k, fsw, sw)[u] >> out & 1) << in;
}

/* The VC that a packet asks for whose key names the VC v in which it stands: what keys_note_vc()
 * has noted where that may be another one. */
SIM_INLINE unsigned keys_noted_vc(const shape k, const fast_port *in, unsigned v)
{
    return k.steps ? in->vc_next : v;
}

SIM_INLINE void keys_note_vc(const fast_context *h, const shape k, uint64_t key, uint32_t word)
{
    if (k.steps)
        context_port_at(h, k, h->switches[fast_key_switch(key)].port_base + fast_key_in(key))
            ->vc_next = (uint16_t)context_vc_of(h, word);
}

/* The packet of a key, whose VC was noted. */
SIM_INLINE void keys_request(const fast_context *h, const shape k, fast_switch *fsw, uint32_t sw,
                             unsigned in, unsigned v, unsigned out)
{
    keys_request_vc(h, k, fsw, sw, in, v, out,
                    keys_noted_vc(k, context_port_at(h, k, fsw->port_base + in), v));
}

/* After a request or credit has gone; several VCs. */
SIM_INLINE void keys_look_ready(const shape k, fast_port *to, const uint64_t *ok, unsigned out)
{
    uint64_t ready = 0;
    const uint64_t *asked = context_asked_of(k, to);
    for (unsigned v = 0; v < k.vcs; v++)
        ready |= asked[v] & (0 - (ok[v] >> out & 1));
    to->ready = ready;
}

/* The head of (in, v, out), which asked for VC u, has gone; now: the next one's tag, if it asks. */
SIM_INLINE void keys_ask_for_less(const fast_context *h, const shape k, const fast_switch *fsw,
                                  fast_port *to, unsigned in, unsigned v, unsigned out, unsigned u,
                                  uint32_t now)
{
    assert(in < fsw->radix && v < k.vcs && out < fsw->radix && u < k.vcs);
    uint64_t *asked = context_asked_of(k, to), others = 0;
    uint32_t still = 0;
    for (unsigned w = 0; w < k.vcs; w++)
        others |= w == v ? 0 : to->want[w];
    if (!(others >> in & 1)) { /* none in another VC of this pair */
        asked[u] &= ~(1ull << in);
        if (to->want[v] >> in & 1)
            asked[context_vc_of(h, now)] |= 1ull << in;
        return;
    }
    for (unsigned w = 0; w < k.vcs; w++) {
        uint32_t word = w == v ? now : h->queues[context_queue_at(fsw, k, in, w, out)];
        still |= (uint32_t)(to->want[w] >> in & 1) << context_vc_of(h, word);
    }
    asked[u] &= ~(1ull << in);
    for (unsigned w = 0; w < k.vcs; w++)
        asked[w] |= (uint64_t)(still >> w & 1) << in;
}

/* ---- what happens at a switch */

SIM_INLINE void keys_fetch_requests(const fast_context *h, const shape k, const fast_switch *fsw,
                                    uint64_t key)
{
    fast_port *ports = context_port_at(h, k, fsw->port_base);
    __builtin_prefetch(context_beside(ports, k, fast_key_in(key)), 1);
    fetch_port_lines(k, context_beside(ports, k, fast_key_out(key)));
}

/* The keys of a switch that has too many for its own array. */
SIM_INLINE uint64_t *keys_many_events(const fast_context *h, const fast_switch *fsw, uint32_t sw)
{
    assert(sw < h->num_switches);
    return h->events + (size_t)fsw->port_base * (2 + h->s->sw.vcs) + 2 * (size_t)sw;
}

/* Room for a key of a switch, which becomes one of the active; fetches what it will touch there.
 * Whether it is the first one is hard to predict. */
SIM_INLINE uint64_t *keys_new_key(fast_context *h, fast_switch *fsw, uint32_t sw, bool now)
{
    uint32_t n = fsw->num_events++, **active = now ? &h->active : &h->active_next;
    uint64_t *events = fsw->events;
    **active = sw;
    *active += n == 0;
    if (__builtin_expect(n >= SWITCH_EVENTS, 0)) {
        events = keys_many_events(h, fsw, sw);
        if (n == SWITCH_EVENTS)
            memcpy(events, fsw->events, sizeof fsw->events);
    }
    return events + n;
}

/* Puts a key among those of its switch in this window or, early, the next, in order of time where
 * there are few. */
SIM_INLINE void keys_put(fast_context *h, const shape k, uint64_t key, bool now)
{
    assert(fast_key_switch(key) < h->num_switches);
    uint32_t sw = fast_key_switch(key);
    fast_switch *fsw = &h->switches[sw];
    uint64_t *place = keys_new_key(h, fsw, sw, now);
    if (now) /* else it was fetched before it joined its queue */
        keys_fetch_requests(h, k, fsw, key);
    for (uint64_t *first = place - fsw->num_events + 1;
         !k.dense && place > first && place[-1] > key; place--)
        *place = place[-1];
    *place = key;
}

/* ---- a switch at work */

/* A switch while it decides. The mask words that everything touches live in registers. */
typedef struct state {
    uint64_t free_in, free_out;
    uint64_t came_in, came_out; /* free in this window */
    uint64_t came_now;          /* inputs that came free at this instant; adaptive outputs */
    uint64_t entering; /* output buffers: outputs matched whose packet does not count yet */
    fast_switch *fsw;
    uint32_t sw;
} state;

SIM_INLINE fast_port *keys_switch_port(const fast_context *h, const shape k, const state *st,
                                       unsigned local)
{
    assert(local < st->fsw->radix);
    return context_port_at(h, k, st->fsw->port_base + local);
}

SIM_INLINE unsigned keys_from_pointer(uint64_t mask, unsigned from)
{
    assert(mask && from < 64);
    uint64_t high = mask >> from << from;
    return (unsigned)__builtin_ctzll(high ? high : mask);
}

/* ---- early */

/* A packet that comes to an empty queue asks when it comes: now only noted, unless its input or its
 * output is busy beyond that. */
SIM_INLINE void keys_ask_early(fast_context *h, const shape k, uint64_t key, uint32_t windows)
{
    if (__builtin_expect(windows > 1, 0)) {
        context_post(h, context_slot_ahead(h, BIN_ASK, windows), key);
        return;
    }
    uint32_t sw = fast_key_switch(key);
    fast_switch *fsw = &h->switches[sw];
    unsigned in = fast_key_in(key), out = fast_key_out(key);
    if ((fsw->free_in | fsw->may_in) >> in & (fsw->free_out | fsw->may_out) >> out & 1)
        keys_put(h, k, key, false);
    else
        keys_request(h, k, fsw, sw, in, k.vcs == 1 ? 0 : fast_key_vc(key), out);
}

/* A packet that will choose when it comes: which one. */
SIM_INLINE void keys_announce(fast_context *h, const shape k, uint64_t key, uint32_t word)
{
    uint32_t port = h->switches[fast_key_switch(key)].port_base + fast_key_in(key);
    h->f->coming[port] = word;
    if (k.overlap && k.vcs > 1) /* its key does not name the VC in which it comes */
        context_port_at(h, k, port)->vc_next = h->packets[context_id_of(h, k, word)].rt.vc;
}

/* A packet that will choose when it comes: nothing is known of it until then but that. */
SIM_INLINE void keys_come_early(fast_context *h, const shape k, const queue_join *st,
                                uint32_t windows)
{
    keys_announce(h, k, st->key, st->id & ~JOIN_LATER);
    if (__builtin_expect(windows > 1, 0))
        context_post(h, context_slot_ahead(h, BIN_ASK, windows), st->key);
    else
        keys_put(h, k, st->key, false);
}

SIM_INLINE void keys_join_early(fast_context *h, const shape k, const queue_join *st,
                                uint32_t windows)
{
    if (context_will_choose(h, k, st->key)) {
        keys_come_early(h, k, st, windows + (st->id >> 31));
        return;
    }
    uint32_t word = st->id & ~JOIN_LATER;
    if (!context_append(h, k, &h->queues[st->queue], word))
        return;
    keys_note_vc(h, k, st->key, word);
    keys_ask_early(h, k, st->key, windows + (st->id >> 31));
}

/* What a packet that joins a queue will touch there, once the queue is there. */
SIM_INLINE void keys_fetch_join(const fast_context *h, const shape k, const queue_join *st)
{
    if (context_will_choose(h, k, st->key)) {
        const fast_switch *fsw = &h->switches[fast_key_switch(st->key)];
        __builtin_prefetch(&h->f->coming[fsw->port_base + fast_key_in(st->key)], 1);
        return;
    }
    uint32_t last = h->queues[st->queue];
    if (last != IK_NONE)
        __builtin_prefetch(&h->next[context_id_of(h, k, last)], 1);
    else
        keys_fetch_requests(h, k, &h->switches[fast_key_switch(st->key)], st->key);
}

/* The switches that were noted for the next window are this one's. */
SIM_INLINE void keys_begin_window(fast_context *h)
{
    h->fp->turn = !h->fp->turn;
    h->active = h->fp->active[h->fp->turn] + h->fp->num_active;
    h->active_next = h->fp->active[!h->fp->turn];
    h->fp->num_active = 0;
}

/* Room for what a window grants or sends: places that stand together, and where nothing stands that
 * is in transmission. */
SIM_INLINE uint32_t keys_ring_begin(window_ring *t)
{
    if (t->at + t->most > t->room)
        t->at = 0;
    return t->at;
}

SIM_INLINE void keys_mark_busy(const fast_context *h, uint32_t windows)
{
    uint32_t index = (h->window + windows) & h->slot_mask;
    h->fp->bins.busy[index >> 6] |= 1ull << (index & 63);
}

/* Between the passes over switches and hosts, and after them: keeps what was noted for the next
 * window. */
SIM_INLINE void keys_end_pass(fast_context *h)
{
    h->fp->num_active = (uint32_t)(h->active_next - h->fp->active[!h->fp->turn]);
    if (h->fp->num_active)
        keys_mark_busy(h, 1);
}

/* The window's places, from `first` on; they are examined when their transmissions end, or so many
 * windows before. */
SIM_INLINE void keys_ring_end(const fast_context *h, window_ring *t, uint32_t first, uint32_t end,
                              uint32_t before)
{
    assert(first <= end && end <= t->room);
    t->at = end;
    t->spans[h->window & h->slot_mask] = (window_span){first, end, h->p->window};
    if (first != end)
        keys_mark_busy(h, h->f->links[0].tail.windows - before);
}

/* What began a transmission before a window `ahead` of this one. */
SIM_INLINE window_span keys_ending(const fast_context *h, const window_ring *t, uint32_t ahead)
{
    uint64_t window = h->p->window + ahead - h->f->links[0].tail.windows;
    window_span span = t->spans[window & h->slot_mask];
    return span.window == window ? span : (window_span){0, 0, window};
}

#endif
