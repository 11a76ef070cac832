/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel for the common case (fast/fast.h says which), one window at a time. It does what
 * packet/switch.c does (the tests compare the two) in passes that each touch little and know ahead
 * what they will touch:
 *
 *  1. Space that came back counts at once: at most one packet leaves through a port in a window, so
 *     credit where there is enough for a packet anyway changes no decision. Where there was not,
 *     the instant is an event.
 *  2. Packets join their queues. Behind others they ask for nothing new: what leaves in this window
 *     is taken off at its end, and an input takes at most one packet in a window, so the queue is
 *     the same. Only a packet that finds its queue empty is an event.
 *  3. Each switch with events takes them in order of time and decides. An input and an output that
 *     are matched stay busy beyond the window, so the transfers wait.
 *     Output buffers: space in them is such credit; links are processed after the switches.
 *  4. The grants are carried out, their packets in the cache by then: everything that follows from
 *     a grant is known (the end of the transmission, the credit upstream, the queue that the packet
 *     will join at the next switch, or its delivery) and put into bins; early, into its place.
 *  5. Hosts send (fast/fast_host.c). */
#include "sim/adapter/host.h"
#include "sim/fast/fast_grants.h"
#include "sim/fast/fast_switch.h"
#include "sim/fast/variants.h"

SIM_INLINE void fast_fetch_switch(const fast_context *h, uint32_t sw)
{
    const fast_switch *fsw = &h->switches[sw];
    __builtin_prefetch(fsw, 1);
    __builtin_prefetch(fsw->events, 1);
}

/* ---- 1, 2: what happened */

SIM_INLINE void fast_take_credits(fast_context *h, const shape k)
{
    enum { AHEAD = 6 };
    uint32_t host_ports = h->s->f->port_base[h->num_switches];
    for (uint32_t c = context_first_chunk(h, BIN_CREDIT); c != IK_NONE;
         c = context_next_chunk(h, c)) {
        const uint64_t *at = h->words + (size_t)c * 64 + 2,
                       *end = h->words + context_chunk_end(h, BIN_CREDIT, c);
        h->p->n.events += k.early ? 0 : (uint64_t)(end - at);
        for (; at < end; at++) {
            if (k.buffers && fast_credit_port(*at) < host_ports) {
                if (at + AHEAD < end)
                    fetch_output(h, k, fast_credit_port(at[AHEAD]));
                take_link_credit(h, k, *at);
                continue;
            }
            uint16_t *credit = context_port_credit(h, k, fast_credit_port(*at),
                                                   k.vcs == 1 ? 0 : fast_credit_vc(*at));
            /* the last one may go before it comes: packets that choose look for that */
            uint16_t enough = k.chooses && fast_credit_port(*at) < host_ports ? 2 : 1;
            if (__builtin_expect(
                    *credit >= enough && !context_is_exact(h, k, fast_credit_port(*at)), 1))
                ++*credit;
            else
                take_scarce_credit(h, k, *at);
        }
    }
}

/* Output buffers: links that end their transmission. Where each is a key, its switch is fetched,
 * too. */
SIM_INLINE void fast_take_links(fast_context *h, const shape k)
{
    enum { AHEAD = 6 };
    const unsigned first = context_counts_buffers(h, k) ? 2 * AHEAD : AHEAD;
    for (uint32_t c = context_first_chunk(h, BIN_LINK); c != IK_NONE;
         c = context_next_chunk(h, c)) {
        const uint64_t *at = h->words + (size_t)c * 64 + 2,
                       *end = h->words + context_chunk_end(h, BIN_LINK, c);
        h->p->n.events += (uint64_t)(end - at);
        for (; at < end; at++) {
            if (at + first < end)
                fetch_output(h, k, fast_credit_port(at[first]));
            if (first > AHEAD && at + AHEAD < end)
                fast_fetch_switch(
                    h, output_buffers_output_at(h, k, fast_credit_port(at[AHEAD]))->node);
            output_buffers_take_link_end(h, k, *at);
        }
    }
}

SIM_INLINE void fast_take_tails(fast_context *h, const shape k)
{
    for (uint32_t c = context_first_chunk(h, BIN_TAIL); c != IK_NONE;
         c = context_next_chunk(h, c)) {
        const uint64_t *at = h->words + (size_t)c * 64 + 2,
                       *end = h->words + context_chunk_end(h, BIN_TAIL, c);
        h->p->n.events += k.early ? 0 : (uint64_t)(end - at);
        for (; at < end; at++) {
            fast_switch *fsw = &h->switches[fast_key_switch(*at)];
            if (!k.early) { /* else it was marked */
                fsw->may_in |= 1ull << fast_key_in(*at);
                fsw->may_out |= 1ull << fast_key_out(*at);
            }
            keys_put(h, k, *at, true);
        }
    }
}

/* Early: what becomes free in the next window. The few transmissions that end a window later, since
 * they last some picoseconds more than whole windows, go to the bin. */
SIM_INLINE void fast_take_ends(fast_context *h)
{
    window_span span = keys_ending(h, &h->fp->granted_in, 1);
    uint64_t rest = (uint64_t)h->f->links[0].tail.rest << KEY_OFFSET,
             limit = (uint64_t)h->lookahead << KEY_OFFSET;
    for (const fast_grant *g = h->fp->grants + span.first, *end = h->fp->grants + span.end; g < end;
         g++) {
        uint64_t key = g->key + rest;
        uint32_t sw = fast_key_switch(key);
        fast_switch *fsw = &h->switches[sw];
        fsw->may_in |= 1ull << fast_key_in(key);
        fsw->may_out |= 1ull << fast_key_out(key);
        if (__builtin_expect(key < limit, 1))
            *keys_new_key(h, fsw, sw, false) = key; /* they come in order */
        else
            context_post(h, context_slot_ahead(h, BIN_TAIL, 2), key - limit);
    }
}

/* The first of a queue asks. While its input or its output is busy in all of this window its
 * instant decides nothing. */
SIM_INLINE void fast_ask(fast_context *h, const shape k, uint64_t key)
{
    uint32_t sw = fast_key_switch(key);
    fast_switch *fsw = &h->switches[sw];
    unsigned in = fast_key_in(key), out = fast_key_out(key);
    if (context_will_choose(h, k, key)) {
        keys_put(h, k, key, true);
        return;
    }
    uint64_t in_may = k.early ? fsw->free_in | fsw->may_in : fsw->may_in,
             out_may = k.early ? fsw->free_out | fsw->may_out : fsw->may_out;
    if (in_may >> in & out_may >> out & 1)
        keys_put(h, k, key, true);
    else
        keys_request(h, k, fsw, sw, in, k.vcs == 1 ? 0 : fast_key_vc(key), out);
}

/* What stands in its queue and asks now. */
SIM_INLINE void fast_take_asks(fast_context *h, const shape k)
{
    for (uint32_t c = context_first_chunk(h, BIN_ASK); c != IK_NONE; c = context_next_chunk(h, c))
        for (size_t at = (size_t)c * 64 + 2, end = context_chunk_end(h, BIN_ASK, c); at < end; at++)
            fast_ask(h, k, h->words[at]);
}

SIM_INLINE void fast_join(fast_context *h, const shape k, uint64_t key, uint64_t what)
{
    uint32_t word = (uint32_t)what, id = context_id_of(h, k, word), index = (uint32_t)(what >> 32);
    if (__builtin_expect(index == IK_NONE, 0)) {
        overlap_drop(h, k, key, id);
        return;
    }
    h->switches[fast_key_switch(key)].held++;
    if (context_will_choose(h, k, key)) {
        keys_announce(h, k, key, word);
        keys_put(h, k, key, true);
        return;
    }
    if (context_append(h, k, &h->queues[index], word)) {
        keys_note_vc(h, k, key, word);
        fast_ask(h, k, key);
    }
}

/* Fetches the queue that an arrival will join, and its switch. */
SIM_INLINE void fast_fetch_arrival(const fast_context *h, const uint64_t *at)
{
    const fast_switch *fsw = &h->switches[fast_key_switch(at[0])];
    __builtin_prefetch(&h->queues[at[1] >> 32], 1);
    __builtin_prefetch(fsw, 1);
    __builtin_prefetch(fsw->events, 1);
}

/* And the packet at its end, if any, once the queue is there; or the requests that it will add to,
 * which with several VCs are many. */
SIM_INLINE void fast_fetch_end(const fast_context *h, const shape k, const uint64_t *at)
{
    uint32_t index = (uint32_t)(at[1] >> 32), last = index == IK_NONE ? IK_NONE : h->queues[index];
    if (last != IK_NONE)
        __builtin_prefetch(&h->next[context_id_of(h, k, last)], 1);
    else if (k.vcs > 1)
        keys_fetch_requests(h, k, &h->switches[fast_key_switch(at[0])], at[0]);
}

/* Each arrival fetches for the one that stands in its place in the next chunk, and for one a little
 * further on. */
SIM_INLINE void fast_take_arrivals(fast_context *h, const shape k)
{
    enum { AHEAD = 6 };
    uint32_t now = context_first_chunk(h, BIN_ARRIVAL);
    if (now == IK_NONE)
        return;
    for (size_t at = (size_t)now * 64 + 2, end = context_chunk_end(h, BIN_ARRIVAL, now); at < end;
         at += 2)
        fast_fetch_arrival(h, h->words + at);
    while (now != IK_NONE) {
        uint32_t soon = context_next_chunk(h, now);
        size_t at = (size_t)now * 64 + 2, end = context_chunk_end(h, BIN_ARRIVAL, now);
        size_t ahead = soon == IK_NONE ? 0 : (size_t)soon * 64 + 2,
               ahead_end = soon == IK_NONE ? 0 : context_chunk_end(h, BIN_ARRIVAL, soon);
        h->p->n.events += k.early ? 0 : (end - at) / 2;
        for (; at < end; at += 2, ahead += 2) { /* a dropped packet may move the words */
            if (ahead < ahead_end)
                fast_fetch_arrival(h, h->words + ahead);
            if (at + 2 * AHEAD < end)
                fast_fetch_end(h, k, &h->words[at + 2 * AHEAD]);
            fast_join(h, k, h->words[at], h->words[at + 1]);
        }
        now = soon;
    }
}

/* ---- 3: switches decide */

/* Adaptive outputs: what a packet that comes will touch. At full load it mostly comes at the very
 * instant at which an output becomes free: free_out has those of this window before it. */
SIM_INLINE void fast_fetch_choice(const fast_context *h, const shape k, const state *st,
                                  uint64_t key)
{
    unsigned in = fast_key_in(key), v = k.vcs == 1 ? 0 : fast_key_vc(key);
    uint32_t id = h->f->coming[st->fsw->port_base + in];
    unsigned out = choice_choose(h, k, st, fast_key_out(key), v, id);
    __builtin_prefetch(keys_switch_port(h, k, st, in), 1);
    __builtin_prefetch(keys_switch_port(h, k, st, out), 1);
    __builtin_prefetch(&h->queues[context_queue_at(st->fsw, k, in, v, out)], 1);
    __builtin_prefetch(&h->next[id], 1);
    if (k.vcs > 1)
        __builtin_prefetch(choice_row_of_vc(h, k, st->fsw->port_base + in, v), 1);
}

/* Overlapping sets: the same, if the packet takes the output that it prefers. */
SIM_INLINE void fast_fetch_arrived(const fast_context *h, const shape k, const fast_switch *fsw,
                                   uint64_t key)
{
    unsigned in = fast_key_in(key);
    uint32_t id = context_id_of(h, k, h->f->coming[fsw->port_base + in]);
    keys_fetch_requests(h, k, fsw, key);
    __builtin_prefetch(&h->queues[context_queue_at(fsw, k, in, 0, fast_key_out(key))], 1);
    __builtin_prefetch(&h->next[id], 1);
    if (h->restarts)
        __builtin_prefetch(&h->packets[id], 1);
}

/* The requests that a switch's events name. */
SIM_INLINE void fast_fetch_rows(const fast_context *h, const shape k, uint32_t sw)
{
    fast_switch *fsw = &h->switches[sw];
    state st = {.free_out = fsw->free_out, .fsw = fsw, .sw = sw};
    for (uint32_t at = 0; at < fsw->num_events && at < SWITCH_EVENTS; at++) {
        uint64_t key = fsw->events[at];
        if (k.chooses && fast_key_kind(key) == KEY_TAIL)
            st.free_out |= 1ull << fast_key_out(key);
        if (k.overlap && fast_key_kind(key) == KEY_ARRIVAL)
            fast_fetch_arrived(h, k, fsw, key);
        else if (k.chooses && fast_key_kind(key) == KEY_ARRIVAL &&
                 context_sets_of(h, fsw)->of[fast_key_out(key)])
            fast_fetch_choice(h, k, &st, key);
        else
            keys_fetch_requests(h, k, fsw, key);
    }
}

SIM_INLINE void fast_run_switches(fast_context *h, const shape k)
{
    const uint32_t *sw = h->fp->active[h->fp->turn], *end = h->active;
    for (; sw < end; sw++) {
        if (k.early) { /* behind the last one stand others of former windows */
            fast_fetch_switch(h, sw[ACTIVE_AHEAD]);
            fast_fetch_rows(h, k, sw[ACTIVE_AHEAD / 2]);
        }
        fast_switch_run_switch(h, k, *sw);
    }
}

/* ---- one window */

SIM_INLINE void fast_window(partition *p, const slot *at, const shape k)
{
    fast_context h = load_context(p);
    find_delay_slots(&h);
    if (k.early)
        keys_begin_window(&h);
    if (__builtin_expect(h.fp->num_held > 0, 0))
        departures_take_held(&h, k);
    if (k.buffers)
        fast_take_links(&h, k);
    fast_take_credits(&h, k);
    fast_take_tails(&h, k);
    fast_take_arrivals(&h, k);
    uint32_t first = 0;
    if (k.early) {
        fast_take_asks(&h, k);
        first = keys_ring_begin(&h.fp->granted_in);
        h.grants = h.fp->grants + first;
    }
    fast_run_switches(&h, k);
    if (k.early) {
        fast_take_ends(&h);
        keys_ring_end(&h, &h.fp->granted_in, first, (uint32_t)(h.grants - h.fp->grants), 1);
    }
    fast_grants_carry_out_all(&h, k, h.fp->grants + first);
    if (k.early)
        keys_end_pass(&h);
    sim_fast_run_hosts(p, at);
    sim_bins_clear(p);
}

/* The plain case takes the shifts and bit scans of newer processors where there are any: a
 * twentieth fewer instructions. */
#if defined(__x86_64__)
#define NEWER __attribute__((target("avx2,bmi,bmi2")))
bool sim_fast_has_newer(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}
#else
#define NEWER
bool sim_fast_has_newer(void)
{
    return true;
}
#endif

#define TARGET_GENERAL
#define TARGET_BUFFERS
#define TARGET_EARLY NEWER
#define TARGET_DENSE NEWER

/* Loops over two to four VCs are worth unrolling. */
#define WINDOWS(X)                                                                                 \
    X(EARLY, KEEPS, 1, true)                                                                       \
    X(EARLY, KEEPS, 2, true)                                                                       \
    X(EARLY, KEEPS, 3, true)                                                                       \
    X(EARLY, KEEPS, 4, true)                                                                       \
    X(EARLY, KEEPS, ANY_VCS, true)                                                                 \
    X(EARLY, KEEPS, 1, false)                                                                      \
    X(EARLY, KEEPS, ANY_VCS, false)                                                                \
    X(DENSE, KEEPS, 1, true)                                                                       \
    X(DENSE, KEEPS, 2, true)                                                                       \
    X(DENSE, KEEPS, 3, true)                                                                       \
    X(DENSE, KEEPS, 4, true)                                                                       \
    X(DENSE, KEEPS, ANY_VCS, true)                                                                 \
    X(DENSE, KEEPS, 1, false)                                                                      \
    X(DENSE, KEEPS, ANY_VCS, false)                                                                \
    X(GENERAL, KEEPS, 1, true)                                                                     \
    X(GENERAL, KEEPS, ANY_VCS, true)                                                               \
    X(GENERAL, KEEPS, 1, false)                                                                    \
    X(GENERAL, KEEPS, ANY_VCS, false)                                                              \
    X(BUFFERS, KEEPS, 1, true)                                                                     \
    X(BUFFERS, KEEPS, ANY_VCS, true)                                                               \
    X(BUFFERS, KEEPS, ANY_VCS, false)                                                              \
    X(BUFFERS, STEPS, ANY_VCS, true)                                                               \
    X(BUFFERS, STEPS, ANY_VCS, false)                                                              \
    X(BUFFERS, FIRST, 1, true)                                                                     \
    X(BUFFERS, FIRST, ANY_VCS, true)                                                               \
    X(BUFFERS, OVERLAP, 1, true)                                                                   \
    X(BUFFERS, OVERLAP, ANY_VCS, true)                                                             \
    X(BUFFERS, OVERLAP_STEPS, 4, true)                                                             \
    X(BUFFERS, OVERLAP_STEPS, ANY_VCS, true)                                                       \
    X(EARLY, STEPS, 2, true)                                                                       \
    X(EARLY, STEPS, 4, true)                                                                       \
    X(EARLY, STEPS, ANY_VCS, true)                                                                 \
    X(EARLY, STEPS, ANY_VCS, false)                                                                \
    X(GENERAL, STEPS, 2, true)                                                                     \
    X(GENERAL, STEPS, 4, true)                                                                     \
    X(GENERAL, STEPS, ANY_VCS, true)                                                               \
    X(GENERAL, STEPS, ANY_VCS, false)                                                              \
    X(EARLY, FIRST, 1, true)                                                                       \
    X(EARLY, FIRST, 4, true)                                                                       \
    X(EARLY, FIRST, ANY_VCS, true)                                                                 \
    X(EARLY, MOST, 1, true)                                                                        \
    X(EARLY, MOST, ANY_VCS, true)                                                                  \
    X(GENERAL, FIRST, 1, true)                                                                     \
    X(GENERAL, FIRST, 4, true)                                                                     \
    X(GENERAL, FIRST, ANY_VCS, true)                                                               \
    X(GENERAL, MOST, 1, true)                                                                      \
    X(GENERAL, MOST, ANY_VCS, true)                                                                \
    X(EARLY, OVERLAP, 1, true)                                                                     \
    X(EARLY, OVERLAP, ANY_VCS, true)                                                               \
    X(EARLY, OVERLAP_STEPS, 2, true)                                                               \
    X(EARLY, OVERLAP_STEPS, 4, true)                                                               \
    X(EARLY, OVERLAP_STEPS, ANY_VCS, true)                                                         \
    X(GENERAL, OVERLAP, 1, true)                                                                   \
    X(GENERAL, OVERLAP, ANY_VCS, true)                                                             \
    X(GENERAL, OVERLAP_STEPS, 2, true)                                                             \
    X(GENERAL, OVERLAP_STEPS, 4, true)                                                             \
    X(GENERAL, OVERLAP_STEPS, ANY_VCS, true)

#define WINDOW(mode, kind, num, queues)                                                            \
    TARGET_##mode static void window_##mode##_##kind##_##num##_##queues(partition *p,              \
                                                                        const slot *at)            \
    {                                                                                              \
        const sim *s = p->sim;                                                                     \
        fast_window(p, at, VARIANT_SHAPE(s, mode, kind, num, queues));                             \
    }
WINDOWS(WINDOW)

void sim_choose_fast(sim *s)
{
#define WINDOW_NAME(mode, kind, num, queues) window_##mode##_##kind##_##num##_##queues,
    static const fast_variant rows[] = {WINDOWS(VARIANT_ROW)};
    static void (*const windows[])(partition *, const slot *) = {WINDOWS(WINDOW_NAME)};
    size_t found = fast_variant_of(s, false, rows, sizeof rows / sizeof *rows);
    assert(found < sizeof rows / sizeof *rows);
    s->engine.run_window = windows[found];
}
