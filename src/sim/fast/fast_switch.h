/* SPDX-License-Identifier: Apache-2.0
 *
 * The decisions of a switch of the fast kernel in one window, instant by instant. */
#ifndef IKAT_SIM_FAST_SWITCH_H
#define IKAT_SIM_FAST_SWITCH_H

#include "sim/fast/overlap.h"

#include <assert.h>

/* VCs whose requests of a pair have credit. Where heads may ask for other VCs than theirs: VCs
 * whose queues ask, and from bit 16 on VCs with credit. */
SIM_INLINE uint32_t fast_switch_ready_vcs(const fast_context *h, const shape k, const state *st,
                                          unsigned in, unsigned out)
{
    assert(in < st->fsw->radix && out < st->fsw->radix);
    const uint64_t *want = keys_switch_port(h, k, st, out)->want,
                   *ok = keys_ok_of(h, k, st->fsw, st->sw);
    uint32_t queues = 0;
    if (k.steps) {
        for (unsigned v = 0; v < k.vcs; v++)
            queues |= (uint32_t)(want[v] >> in & 1) << v | (uint32_t)(ok[v] >> out & 1) << (16 + v);
        return queues;
    }
    for (unsigned v = 0; v < k.vcs; v++)
        queues |= (uint32_t)(want[v] >> in & ok[v] >> out & 1) << v;
    return queues;
}

/* Matches in with out; the transfer itself waits for the window's end, and so does the choice among
 * VCs: whose turn it is stands with their queues, and a pair is matched once in a window. */
SIM_INLINE void fast_switch_match(fast_context *h, const shape k, state *st, unsigned in,
                                  unsigned out, uint64_t instant)
{
    assert(in < st->fsw->radix && out < st->fsw->radix);
    assert((st->free_in >> in & 1) && (st->free_out >> out & 1)); /* matched once at a time */
    uint32_t q = context_queue_at(st->fsw, k, in, 0, out);
    __builtin_prefetch(&h->queues[q], 1);
    st->free_in &= ~(1ull << in);
    st->free_out &= ~(1ull << out);
    *h->grants =
        (fast_grant){instant | in << KEY_IN | out,
                     {q},
                     {k.vcs == 1 ? st->fsw->port_base : fast_switch_ready_vcs(h, k, st, in, out)}};
    unsigned u = k.chooses && k.steps ? use_asked_credit(h, k, st, in, out, h->grants)
                 : k.chooses          ? choice_use_last_credit(h, k, st, out, h->grants)
                                      : 0;
    if (context_counts_buffers(h, k) &&
        h->f->wait_vcs > 1) /* nobody looks before the next instant */
        context_change_waiting(h, st->fsw->port_base + out, u, 1);
    else if (context_counts_buffers(h, k))
        st->entering |= 1ull << out;
    h->grants++;
}

/* Output buffers: packets that were granted at this instant enter behind it. Returns whether those
 * who choose by what waits there see another state. */
SIM_INLINE bool fast_switch_enter_buffers(const fast_context *h, const shape k, state *st)
{
    if (!k.buffers || !k.chooses || !st->entering)
        return false;
    for (; st->entering; st->entering &= st->entering - 1)
        context_change_waiting(h, st->fsw->port_base + (unsigned)__builtin_ctzll(st->entering), 0,
                               1);
    return true;
}

/* A pointer beyond the last port means the first: nothing asks from there, so it need not be turned
 * back. */
SIM_INLINE void advance_pointers(const fast_context *h, const shape k, const state *st, unsigned in,
                                 unsigned out)
{
    keys_switch_port(h, k, st, out)->grant = (uint8_t)((in + 1) & 63);
    keys_switch_port(h, k, st, in)->accept = (uint8_t)((out + 1) & 63);
}

/* iSLIP over the outputs of `open`, of which there are several. Returns those that may still have a
 * request. */
SIM_INLINE uint64_t fast_switch_islip(fast_context *h, const shape k, state *st, uint64_t open,
                                      uint64_t instant)
{
    uint64_t *granted = h->fp->granted;
    for (unsigned it = 0; it < h->s->sw.iterations && open; it++) {
        uint64_t inputs = 0;
        for (uint64_t bits = open; bits; bits &= bits - 1) {
            unsigned out = (unsigned)__builtin_ctzll(bits);
            const fast_port *to = keys_switch_port(h, k, st, out);
            uint64_t ready = to->ready & st->free_in;
            /* none, or one, which takes this output now or another one */
            if (!(ready & (ready - 1)))
                open &= ~(bits & -bits);
            uint64_t any = ready != 0; /* among many keys hard to predict */
            if (!k.dense && !any)
                continue;
            unsigned in = keys_from_pointer(ready | !any, to->grant);
            granted[in] |= (bits & -bits) & (0 - any);
            inputs |= any << in;
        }
        for (; inputs; inputs &= inputs - 1) {
            unsigned in = (unsigned)__builtin_ctzll(inputs),
                     out = keys_from_pointer(granted[in], keys_switch_port(h, k, st, in)->accept);
            granted[in] = 0;
            open &= ~(1ull << out);
            if (it == 0)
                advance_pointers(h, k, st, in, out);
            fast_switch_match(h, k, st, in, out, instant);
        }
    }
    return open;
}

/* Remembers pairs left over; they are examined again at the next multiple of the smallest latency.
 * In this window: among the keys from *at on, in the place of one that has been taken. */
static void fast_switch_look_later(fast_context *h, fast_switch *fsw, uint32_t sw, uint64_t left,
                                   uint32_t offset, uint32_t *at)
{
    uint64_t pending = fsw->left, now = h->start + offset;
    fsw->left |= left;
    if (pending)
        return;
    window_time when =
        context_until(h, (now / h->s->window.relook_ps + 1) * h->s->window.relook_ps);
    uint64_t key = fast_key_of(when.rest, sw, KEY_LOOK, 0, 0, 0);
    if (when.windows > 0) {
        context_post(h, context_slot_ahead(h, BIN_TAIL, when.windows), key);
        return;
    }
    uint64_t *events = fsw->num_events > SWITCH_EVENTS ? keys_many_events(h, fsw, sw) : fsw->events;
    uint32_t n = --*at;
    for (; n + 1 < fsw->num_events && events[n + 1] < key; n++)
        events[n] = events[n + 1];
    events[n] = key;
}

/* One instant's decision among the outputs of `open`, all free and with credit. Returns outputs
 * with pairs left over. */
SIM_INLINE uint64_t fast_switch_decide(fast_context *h, const shape k, state *st, uint64_t open,
                                       uint64_t instant)
{
    assert(open);
    if (open & (open - 1))
        return fast_switch_islip(h, k, st, open, instant);
    unsigned out = (unsigned)__builtin_ctzll(open);
    const fast_port *to = keys_switch_port(h, k, st, out);
    uint64_t ready = to->ready & st->free_in;
    if (ready) {
        unsigned in = keys_from_pointer(ready, to->grant);
        advance_pointers(h, k, st, in, out);
        fast_switch_match(h, k, st, in, out, instant);
    }
    return 0;
}

/* Outputs to look at because of pairs left over. */
SIM_INLINE uint64_t fast_switch_take_left(fast_switch *fsw)
{
    uint64_t left = fsw->left;
    fsw->left = 0;
    return left;
}

/* The end of a transmission; returns the outputs to look at: an input that came free asks for all
 * that it has. */
SIM_INLINE uint64_t fast_switch_come_free(const fast_context *h, const shape k, state *st,
                                          unsigned in, unsigned out)
{
    assert(!(st->free_in >> in & 1) && !(st->free_out >> out & 1)); /* they were busy */
    st->free_in |= 1ull << in;
    st->free_out |= 1ull << out;
    st->came_in |= 1ull << in;
    st->came_out |= 1ull << out;
    if (k.chooses) { /* its queues may change yet at this instant */
        st->came_now |= 1ull << in;
        return 1ull << out;
    }
    return 1ull << out | keys_switch_port(h, k, st, in)->row;
}

/* Applies one key; returns the outputs to look at. */
SIM_INLINE uint64_t fast_switch_apply(fast_context *h, const shape k, state *st, uint64_t key)
{
    uint64_t before = 0;
    unsigned in = fast_key_in(key), out = fast_key_out(key), kind = fast_key_kind(key),
             v = k.vcs == 1 ? 0 : fast_key_vc(key);
    uint64_t bit_in = 1ull << in, bit_out = 1ull << out;
    if (kind == KEY_TAIL && k.overlap && !k.buffers && h->restarts) {
        context_count_waiting(h, k, st->fsw->port_base + out, v, -1);
        if (__builtin_expect(h->s->measure.paranoid, 0))
            h->s->backlog.sending[st->fsw->port_base + out] = 0;
    }
    if (kind == KEY_TAIL)
        return fast_switch_come_free(h, k, st, in, out);
    if (kind == KEY_ARRIVAL && k.overlap)
        return overlap_arrive(h, k, st, key);
    if (kind == KEY_ARRIVAL && k.chooses && context_sets_of(h, st->fsw)->of[out])
        return choice_choose_and_join(h, k, st, key);
    if (kind == KEY_ARRIVAL) { /* one that is busy asks when it becomes free */
        keys_request(h, k, st->fsw, st->sw, in, v, out);
        return st->free_in & bit_in ? bit_out : 0;
    }
    if (kind == KEY_LOOK)
        return fast_switch_take_left(st->fsw);
    if (k.chooses) { /* it was not short of credit, perhaps */
        before = keys_ok_of(h, k, st->fsw, st->sw)[v] & bit_out;
        ++*context_port_credit(h, k, st->fsw->port_base + out, v);
        if (context_counts_buffers(h, k))
            context_change_waiting(h, st->fsw->port_base + out, v, -1);
    }
    keys_ok_of(h, k, st->fsw, st->sw)[v] |= bit_out;
    if (k.vcs > 1)
        keys_switch_port(h, k, st, out)->ready |=
            context_asked_of(k, keys_switch_port(h, k, st, out))[v];
    return bit_out & ~before;
}

/* The same where keys are so many and so mixed that their kind cannot be predicted. */
SIM_INLINE uint64_t fast_switch_apply_any(const fast_context *h, const shape k, state *st,
                                          uint64_t key)
{
    unsigned in = fast_key_in(key), out = fast_key_out(key), kind = fast_key_kind(key),
             v = fast_key_vc(key);
    if (__builtin_expect(kind == KEY_LOOK, 0))
        return fast_switch_take_left(st->fsw);
    uint64_t bit_in = 1ull << in, bit_out = 1ull << out;
    uint64_t tail = 0 - (uint64_t)(kind == KEY_TAIL), arrival = 0 - (uint64_t)(kind == KEY_ARRIVAL),
             credit = ~(tail | arrival);
    fast_port *from = keys_switch_port(h, k, st, in), *to = keys_switch_port(h, k, st, out);
    uint64_t *ok = &keys_ok_of(h, k, st->fsw, st->sw)[v];
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
SIM_INLINE void fast_switch_sort_ranks(uint64_t *e, uint32_t n)
{
    assert(n <= SWITCH_EVENTS + 1);
    four keys[(SWITCH_EVENTS + 1) / 4];
    int64_t copy[SWITCH_EVENTS + 1];
    memcpy(keys, e, sizeof keys);
    memcpy(copy, e, sizeof copy);
    for (uint32_t at = 0; at < n; at++) {
        int64_t key = copy[at];
        four all = {key, key, key, key}, rank = keys[0] < all;
        for (uint32_t q = 1; q < (SWITCH_EVENTS + 1) / 4; q++)
            rank += keys[q] < all;
        e[-(rank[0] + rank[1] + rank[2] + rank[3])] = (uint64_t)key;
    }
}

static void fast_switch_sort_many(uint64_t *e, uint32_t n)
{
    for (uint32_t at = 1; at < n; at++) {
        uint64_t key = e[at];
        uint32_t place = at;
        for (; place > 0 && e[place - 1] > key; place--)
            e[place] = e[place - 1];
        e[place] = key;
    }
}

static uint64_t *fast_switch_sort_overflow(const fast_context *h, const fast_switch *fsw,
                                           uint32_t sw)
{
    uint64_t *events = keys_many_events(h, fsw, sw);
    fast_switch_sort_many(events, fsw->num_events);
    events[fsw->num_events] = NO_KEY;
    return events;
}

/* Heads that may choose again do. Returns the outputs that they moved to. */
SIM_INLINE uint64_t fast_switch_choose_anew(const fast_context *h, const shape k, const state *st)
{
    return k.overlap ? overlap_renew(h, k, st) : k.chooses ? choice_choose_again(h, k, st) : 0;
}

/* Adaptive outputs: what follows from an instant's keys before anything is matched. Returns the
 * outputs to look at. */
SIM_INLINE uint64_t fast_switch_choose_before(const fast_context *h, const shape k, state *st)
{
    uint64_t open = fast_switch_choose_anew(h, k, st);
    for (uint64_t bits = st->came_now; bits; bits &= bits - 1)
        open |= keys_switch_port(h, k, st, (unsigned)__builtin_ctzll(bits))->row;
    st->came_now = 0;
    return open;
}

SIM_INLINE void fast_switch_run_few(fast_context *h, const shape k, state *st)
{
    fast_switch *fsw = st->fsw;
    uint32_t n = fsw->num_events;
    const uint64_t *events = n > SWITCH_EVENTS ? keys_many_events(h, fsw, st->sw) : fsw->events;
    for (uint32_t at = 0; at < n;) {
        uint64_t instant = events[at] & KEY_INSTANT, open = 0;
        do
            open |= fast_switch_apply(h, k, st, events[at]);
        while (++at < n && events[at] >> KEY_OFFSET == instant >> KEY_OFFSET);
        if (k.chooses)
            open |= fast_switch_choose_before(h, k, st);
        open &= st->free_out & (k.vcs == 1 ? fsw->ok : ~0ull);
        do {
            while (open) {
                uint64_t left = fast_switch_decide(h, k, st, open, instant);
                if (__builtin_expect(left != 0, 0))
                    fast_switch_look_later(h, fsw, st->sw, left, (uint32_t)(instant >> KEY_OFFSET),
                                           &at);
                /* who lost an output chooses again at once */
                open = fast_switch_choose_anew(h, k, st);
            }
        } while (fast_switch_enter_buffers(h, k, st) && (open = fast_switch_choose_anew(h, k, st)));
    }
}

/* Among many keys, where an instant ends and whether anything is to be decided then are asked
 * together: apart, neither can be predicted. */
SIM_INLINE void fast_switch_run_many(fast_context *h, const shape k, state *st)
{
    fast_switch *fsw = st->fsw;
    uint64_t *events = fsw->events, open = 0;
    if (__builtin_expect(fsw->num_events > SWITCH_EVENTS, 0))
        events = fast_switch_sort_overflow(h, fsw, st->sw);
    else
        fast_switch_sort_ranks(events, fsw->num_events);
    for (uint32_t at = 0, n = fsw->num_events; at < n;) {
        uint64_t key = events[at++], ends = 0 - (uint64_t)((key ^ events[at]) >> KEY_OFFSET != 0);
        open |=
            k.vcs == 1 ? fast_switch_apply(h, k, st, key) : fast_switch_apply_any(h, k, st, key);
        uint64_t decided = open & st->free_out & ends & (k.vcs == 1 ? fsw->ok : ~0ull);
        open &= ~ends;
        if (!decided)
            continue;
        uint64_t left = fast_switch_decide(h, k, st, decided, key & KEY_INSTANT);
        if (__builtin_expect(left != 0, 0))
            fast_switch_look_later(h, fsw, st->sw, left, (uint32_t)(key >> KEY_OFFSET), &at);
    }
    for (unsigned at = 0; at < SWITCH_EVENTS; at++)
        fsw->events[at] = NO_KEY;
}

SIM_INLINE void fast_switch_run_switch(fast_context *h, const shape k, uint32_t sw)
{
    fast_switch *fsw = &h->switches[sw];
    state st = {.free_in = fsw->free_in, .free_out = fsw->free_out, .fsw = fsw, .sw = sw};
    if (k.dense)
        fast_switch_run_many(h, k, &st);
    else
        fast_switch_run_few(h, k, &st);
    fsw->free_in = st.free_in;
    fsw->free_out = st.free_out;
    fsw->may_in = k.early ? fsw->may_in & ~st.came_in : st.free_in;
    fsw->may_out = k.early ? fsw->may_out & ~st.came_out : st.free_out;
    fsw->num_events = 0;
}

#endif
