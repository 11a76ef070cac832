/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a switch kernel, its request masks and queues, and the transfer of a packet cycles
 * through the crossbar: what the kernels compiled from packet/switch.c share. */
#ifndef IKAT_SIM_SHAPE_H
#define IKAT_SIM_SHAPE_H

#include "sim/state/space.h"

#include <assert.h>

/* ---- packet/switch.c */
void sim_choose_kernel(sim *s); /* run_window */
void sim_choose_watching_kernel(sim *s);
/* in the data of EV_TAIL: nothing ends, the pairs left over are examined */
#define LOOK_AGAIN 0x40000000u
/* Takes a packet that knows no way out of the buffer of port. */
void sim_drop(partition *p, uint32_t port, uint32_t id);

/* Passed by value to inlined functions: constant where the compiler can know it. */
typedef struct shape {
    unsigned words, vcs;
    bool voq;    /* a queue an output */
    bool ledger; /* space with accounts somewhere */
    bool net;    /* voqnet */
    bool watch;  /* packets are watched: packet/watch.h */
    bool plain;  /* the fast kernel's usual case: fast_state.plain */
    /* and a switch has so much to do in a window that its kinds and their order cannot be
     * predicted */
    bool dense;
    bool early;    /* fast_state.early */
    bool chooses;  /* the fast kernel: adaptive outputs */
    bool roomiest; /* and of several the one with most credit */
    bool several;  /* the fast kernel's adapters: messages of several packets */
    bool overlap;  /* the fast kernel: adaptive outputs whose sets may overlap */
    bool steps;    /* the fast kernel: the VC on the next channel may be another one */
    bool buffers;  /* the fast kernel: output buffers, model ioq */
} shape;

/* That of a run, for what is not hot. */
SIM_INLINE shape sim_shape(const sim *s)
{
    return (shape){.words = s->net.max_words,
                   .vcs = s->sw.vcs,
                   .voq = s->sw.voq,
                   .ledger = s->net.in_space.accounts || s->net.out_space.accounts,
                   .net = s->sw.queues == QUEUES_VOQNET};
}

SIM_INLINE void shape_mark(uint64_t *mask, const shape k, unsigned bit)
{
    assert(bit < 64 * k.words);
    mask[k.words == 1 ? 0 : bit >> 6] |= 1ull << (bit & 63);
}

SIM_INLINE unsigned shape_input_of(const sim *s, unsigned in, unsigned v)
{
    assert(s->sw.input_speedup > 0);
    return in * s->sw.input_speedup + v % s->sw.input_speedup;
}

SIM_INLINE unsigned shape_port_of(const sim *s, unsigned input)
{
    return input / s->sw.input_speedup;
}

SIM_INLINE uint64_t *shape_row_of(const sw_state *sw, const shape k, unsigned input)
{
    assert(input < sw->inputs);
    return sw->masks + (3u + k.vcs + (size_t)input) * k.words;
}

SIM_INLINE uint64_t *shape_want_of(const sw_state *sw, const shape k, unsigned out, unsigned v)
{
    assert(out < sw->radix && v < k.vcs);
    return sw->masks + (3u + k.vcs + (size_t)sw->inputs + (size_t)out * k.vcs + v) * k.words;
}

/* Outputs with room for a packet of full size in VC v: kept with room_kept. */
SIM_INLINE uint64_t *shape_room_of_vc(const sw_state *sw, const shape k, unsigned v)
{
    assert(v < k.vcs);
    return sw->masks + (3u + (size_t)v) * k.words;
}

/* Changes the free bytes behind a local output that grants in VC v count on. */
SIM_INLINE void shape_change_room(const sim *s, sw_state *sw, const shape k, int32_t *space,
                                  unsigned out, unsigned v, int32_t by)
{
    assert(out < sw->radix && v < k.vcs);
    int32_t full = (int32_t)s->adapter.packet_bytes;
    bool enough = *space >= full;
    *space += by;
    if (__builtin_expect(enough != (*space >= full), 0))
        shape_room_of_vc(sw, k, v)[k.words == 1 ? 0 : out >> 6] ^= 1ull << (out & 63);
    assert(*space >= 0); /* nobody takes more than there is */
}

SIM_INLINE void shape_set_request(const sim *s, sw_state *sw, const shape k, unsigned in,
                                  unsigned v, unsigned out)
{
    unsigned input = shape_input_of(s, in, v);
    shape_mark(shape_want_of(sw, k, out, v), k, input);
    shape_mark(shape_row_of(sw, k, input), k, out);
}

SIM_INLINE void shape_clear_request(const sim *s, sw_state *sw, const shape k, unsigned in,
                                    unsigned v, unsigned out)
{
    unsigned input = shape_input_of(s, in, v), word = k.words == 1 ? 0 : input >> 6;
    uint64_t bit = 1ull << (input & 63), others = 0;
    shape_want_of(sw, k, out, v)[word] &= ~bit;
    for (unsigned u = 0; u < k.vcs; u++)
        others |= shape_want_of(sw, k, out, u)[word];
    if (!(others & bit))
        shape_row_of(sw, k, input)[k.words == 1 ? 0 : out >> 6] &= ~(1ull << (out & 63));
}

SIM_INLINE queue *shape_queue_of(sw_state *sw, const shape k, unsigned in, unsigned v, unsigned out)
{
    assert(in < sw->radix && v < k.vcs && (!k.voq || out < sw->radix));
    size_t lane_index = (size_t)in * k.vcs + v;
    return sw->queues + (k.voq ? lane_index * sw->radix + out : lane_index);
}

/* Bytes that wait for an output here, for routings and selections that look: kept only for adaptive
 * plans, and not where they look at output buffers. */
SIM_INLINE void shape_note_queued(sim *s, uint32_t port, unsigned v, int64_t bytes)
{
    assert(!s->backlog.queued || s->backlog.queued[(size_t)port * s->sw.vcs + v] + bytes >= 0);
    if (s->backlog.queued)
        s->backlog.queued[(size_t)port * s->sw.vcs + v] += bytes;
}

SIM_INLINE void shape_note_sent(sim *s, uint32_t port)
{
    s->backlog.queued[(size_t)port * s->sw.vcs + calendar_space_vc(s->backlog.sending[port])] -=
        calendar_space_bytes(s->backlog.sending[port]);
    s->backlog.sending[port] = 0;
}

/* The head of a FIFO asks for another output than before (either may be SIM_UNDECIDED = none). */
SIM_INLINE void shape_move_request(partition *p, sw_state *sw, const shape k, unsigned in,
                                   unsigned v, unsigned before, const packet *pk)
{
    sim *s = p->sim;
    if (before != SIM_UNDECIDED) {
        shape_clear_request(s, sw, k, in, v, before);
        shape_note_queued(s, sw->port_base + before, v, -(int64_t)pk->size);
    }
    if (pk->out != SIM_UNDECIDED) {
        shape_set_request(s, sw, k, in, v, pk->out);
        shape_note_queued(s, sw->port_base + pk->out, v, pk->size);
    }
}

/* Queues an output: bit out, whether the head of that queue may choose again. Before the lanes
 * stand the inputs that have any. */
SIM_INLINE uint64_t *shape_revocable_of(const sw_state *sw, const shape k, unsigned in, unsigned v)
{
    assert(sw->undecided && in < sw->radix && v < k.vcs);
    return &sw->undecided[(1 + (size_t)in * k.vcs + v) * k.words];
}

/* Sets of a switch for choices, behind its masks of heads that may choose again (revocable_of): a
 * union an input; which heads' sets are known; the sets. */
SIM_INLINE uint64_t *shape_union_of(const sw_state *sw, const shape k, unsigned input)
{
    assert(input < sw->inputs);
    return &sw->allowed[(size_t)input * k.words];
}

SIM_INLINE uint64_t *shape_known_of(const sw_state *sw, const shape k, unsigned in, unsigned v)
{
    assert(in < sw->radix && v < k.vcs);
    return &sw->allowed[((size_t)sw->inputs + (size_t)in * k.vcs + v) * k.words];
}

SIM_INLINE uint64_t *shape_head_set_of(const sw_state *sw, const shape k, unsigned in, unsigned v,
                                       unsigned out)
{
    assert(in < sw->radix && v < k.vcs && out < sw->radix);
    size_t before = (size_t)sw->inputs + (size_t)sw->radix * k.vcs;
    return &sw->allowed[(before + ((size_t)in * k.vcs + v) * sw->radix + out) * k.words];
}

/* The head of (in, v, out) is another one than before. set: what it is allowed, NULL = unknown. */
SIM_INLINE void shape_note_head(const sim *s, sw_state *sw, const shape k, unsigned in, unsigned v,
                                unsigned out, const uint64_t *set)
{
    uint64_t *all = shape_union_of(sw, k, shape_input_of(s, in, v));
    shape_known_of(sw, k, in, v)[k.words == 1 ? 0 : out >> 6] &= ~(1ull << (out & 63));
    for (unsigned w = 0; w < k.words; w++)
        all[w] |= set ? set[w] : UINT64_MAX;
}

/* What a routing picked for heads that are alike (choose_for_alike()), behind the masks of heads
 * that may choose again: for each VC how often its room has changed; for each preferred output and
 * VC what is allowed, and the answer; for each queue, in a byte, the preferred output of its head.
 * Masks of one word. */
SIM_INLINE uint64_t *shape_room_changes_of(const sw_state *sw, const shape k)
{
    assert(sw->undecided && k.words == 1);
    return &sw->undecided[1 + (size_t)sw->radix * k.vcs];
}

SIM_INLINE uint64_t *shape_alike_sets_of(const sw_state *sw, const shape k)
{
    return shape_room_changes_of(sw, k) + k.vcs;
}

SIM_INLINE uint64_t *shape_alike_answers_of(const sw_state *sw, const shape k)
{
    return shape_alike_sets_of(sw, k) + (size_t)sw->radix * k.vcs;
}

SIM_INLINE uint8_t *shape_alike_head_of(const sw_state *sw, const shape k, unsigned in, unsigned v,
                                        unsigned out)
{
    uint8_t *heads = (uint8_t *)(shape_alike_answers_of(sw, k) + (size_t)sw->radix * k.vcs);
    return &heads[((size_t)in * k.vcs + v) * sw->radix + out];
}

/* Words of a switch for heads that may choose again. */
static inline size_t shape_undecided_words(const sim *s, size_t radix, size_t words)
{
    size_t lanes = radix * s->sw.vcs, alike = s->sw.vcs + 2 * lanes + (lanes * radix + 7) / 8;
    if (!s->sw.voq)
        return (lanes + 63) / 64;
    return (1 + lanes) * words + (s->choice.alike ? alike : 0);
}

SIM_INLINE bool shape_asks_alike(const sim *s, const shape k)
{
    return k.words == 1 && k.voq && s->choice.alike;
}

/* A new head of (in, v, out), which may choose again. */
SIM_INLINE void shape_set_revocable(const sim *s, sw_state *sw, const shape k, unsigned in,
                                    unsigned v, unsigned out, const uint64_t *set)
{
    shape_mark(shape_revocable_of(sw, k, in, v), k, out);
    shape_mark(sw->undecided, k, shape_input_of(s, in, v));
    if (sw->allowed)
        shape_note_head(s, sw, k, in, v, out, set);
    if (shape_asks_alike(s, k))
        *shape_alike_head_of(sw, k, in, v, out) = 0;
}

SIM_INLINE void shape_clear_revocable(const sim *s, sw_state *sw, const shape k, unsigned in,
                                      unsigned v, unsigned out)
{
    unsigned input = shape_input_of(s, in, v);
    uint64_t *outs = shape_revocable_of(sw, k, in, v), any = 0, bit = 1ull << (out & 63);
    if (!(outs[k.words == 1 ? 0 : out >> 6] & bit))
        return;
    outs[k.words == 1 ? 0 : out >> 6] &= ~bit;
    for (unsigned u = v % s->sw.input_speedup; u < k.vcs; u += s->sw.input_speedup)
        for (unsigned w = 0; w < k.words; w++)
            any |= shape_revocable_of(sw, k, in, u)[w];
    if (!any)
        sw->undecided[k.words == 1 ? 0 : input >> 6] &= ~(1ull << (input & 63));
}

/* ---- the transfer */

/* Takes the head off its queue and lets the next one ask. */
SIM_INLINE packet *shape_pop_head(partition *p, sw_state *sw, const shape k, queue *q, unsigned in,
                                  unsigned v, unsigned out)
{
    assert(q->head != IK_NONE && q->head < p->pool_size);
    packet *pk = &p->pool[q->head];
    q->head = pk->next;
    if (k.voq) {
        if (pk->next == IK_NONE)
            shape_clear_request(p->sim, sw, k, in, v, out);
        if (sw->undecided && (pk->next == IK_NONE || pk->next_out != SIM_UNDECIDED))
            shape_clear_revocable(p->sim, sw, k, in, v, out);
        else if (sw->undecided)
            shape_set_revocable(p->sim, sw, k, in, v, out, NULL);
        return pk;
    }
    if (sw->undecided) {
        unsigned index = in * k.vcs + v;
        sw->undecided[index >> 6] &= ~(1ull << (index & 63));
        if (pk->next != IK_NONE && pk->next_out == SIM_UNDECIDED)
            sw->undecided[index >> 6] |= 1ull << (index & 63);
    }
    if (pk->next != IK_NONE && pk->next_out == out)
        return pk;
    shape_clear_request(p->sim, sw, k, in, v, out);
    if (pk->next != IK_NONE && pk->next_out != SIM_UNDECIDED)
        shape_set_request(p->sim, sw, k, in, v, pk->next_out);
    return pk;
}

/* Bytes that a grant may count on behind an output for a packet in VC u: of the output buffer where
 * there is one, else of the input buffer at the other end. */
SIM_INLINE int32_t shape_room_of(partition *p, const shape k, uint32_t out_port, unsigned u,
                                 const packet *pk)
{
    const sim *s = p->sim;
    if (!k.ledger || (s->sw.model == MODEL_IOQ && !s->net.out_space.accounts))
        return *state_gate_of(s, k.vcs, out_port, u);
    if (s->sw.model == MODEL_IOQ)
        return space_ledger_room(&s->net.out_space, out_port, u);
    return space_ledger_room(&s->net.in_space, out_port, space_account_of(p, out_port, u, pk));
}

SIM_INLINE bool shape_has_room(partition *p, const shape k, uint32_t out_port, const packet *pk)
{
    for (unsigned u = pk->vc_first; u <= pk->vc_last; u++)
        if (shape_room_of(p, k, out_port, u, pk) >= (int32_t)pk->size)
            return true;
    return false;
}

/* The VC on the next channel: of those allowed, the one with most room; ties to the lowest. */
SIM_INLINE unsigned shape_choose_vc(partition *p, const shape k, uint32_t out_port,
                                    const packet *pk)
{
    assert(pk->vc_first <= pk->vc_last && pk->vc_last < k.vcs);
    unsigned best = pk->vc_first;
    if (best == pk->vc_last)
        return best;
    int32_t most = shape_room_of(p, k, out_port, best, pk);
    for (unsigned u = best + 1u; u <= pk->vc_last; u++) {
        int32_t room = shape_room_of(p, k, out_port, u, pk);
        if (room > most) {
            best = u;
            most = room;
        }
    }
    return best;
}

/* Takes space in the input buffer at the other end of a channel. */
SIM_INLINE void shape_take_space(partition *p, sw_state *sw, const shape k, uint32_t out_port,
                                 unsigned u, const packet *pk)
{
    sim *s = p->sim;
    if (k.ledger && s->net.in_space.accounts) {
        space_ledger_add(&s->net.in_space, out_port, space_account_of(p, out_port, u, pk),
                         (int32_t)pk->size);
        return;
    }
    int32_t *credit = state_credit_at(s, out_port, u);
    if (shape_asks_alike(s, k))
        shape_room_changes_of(sw, k)[u]++;
    if (!s->sw.gate_space)
        shape_change_room(s, sw, k, credit, out_port - sw->port_base, u, -(int32_t)pk->size);
    else
        *credit -= (int32_t)pk->size;
    if (*credit < (int32_t)s->adapter.packet_bytes)
        s->net.ports[out_port].ok &= ~(1ull << u);
}

/* Gives the space of a packet that left port `in` from VC v, queue `out`, back to who sent it. */
SIM_INLINE void shape_give_space(partition *p, const shape k, uint32_t in_port, uint64_t time,
                                 unsigned v, unsigned out, const packet *pk)
{
    const port_state *in = &p->sim->net.ports[in_port];
    if (k.ledger)
        space_post_credit(p, in, time, v, space_account_here(p->sim, pk, v, out), pk->size);
    else
        events_post_remote(p, time + in->latency_ps, in->peer_node, EV_CREDIT, in->peer_port,
                           calendar_space_data(v, pk->size));
}

#endif
