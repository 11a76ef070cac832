/* SPDX-License-Identifier: Apache-2.0
 *
 * Adaptive outputs (shape.chooses): packets that choose when they come, and heads that choose again
 * while they wait. fast/README.md says why this gives what packet/switch.c gives.
 *
 * The outputs of a switch fall into sets, and a packet may take any of one set (choice_sets). Who
 * waits is a mask a set and VC, so that choosing, and finding those who may choose again, are a few
 * ANDs. */
#ifndef IKAT_SIM_FAST_CHOICE_H
#define IKAT_SIM_FAST_CHOICE_H

#include "sim/fast/keys.h"

#include <assert.h>

/* Those of the outputs for which the fewest packets wait. */
SIM_INLINE uint64_t choice_fast_emptiest(const fast_state *f, uint32_t port_base, uint64_t outputs)
{
    assert(outputs && f->waits && f->wait_vcs == 1);
    const uint32_t *waits = f->waits + port_base;
    uint32_t least = UINT32_MAX;
    uint64_t best = 0;
    for (uint64_t bits = outputs; bits; bits &= bits - 1) {
        uint32_t here = waits[__builtin_ctzll(bits)];
        best = (here < least ? 0 : best) | (here <= least ? bits & -bits : 0);
        least = here < least ? here : least;
    }
    return best;
}

/* The best of several outputs that are equally free, by the selection function's rule: one of them
 * is taken. */
SIM_INLINE uint64_t choice_best_of(const fast_context *h, const shape k, const fast_switch *fsw,
                                   uint64_t outputs, unsigned v)
{
    assert(outputs); /* one of them is taken */
    if (!(outputs & (outputs - 1)))
        return outputs;
    if (context_counts_buffers(h, k))
        return choice_fast_emptiest(h->f, fsw->port_base, outputs);
    if (!k.roomiest)
        return outputs;
    uint64_t best = 0;
    unsigned most = 0;
    for (uint64_t bits = outputs; bits; bits &= bits - 1) {
        unsigned here =
            *context_port_credit(h, k, fsw->port_base + (unsigned)__builtin_ctzll(bits), v);
        best = (here > most ? 0 : best) | (here >= most ? bits & -bits : 0);
        most = here > most ? here : most;
    }
    return best;
}

/* What packet id takes of outputs that are equally good: the lowest, or one that is drawn for
 * it. */
SIM_INLINE unsigned choice_one_of(const fast_context *h, uint64_t best, uint32_t id)
{
    assert(best);
    if (!h->f->draws_ties || !(best & (best - 1)))
        return (unsigned)__builtin_ctzll(best);
    return sim_choice_drawn(h->p, id, best);
}

/* Of outputs with credit those that are taken first: who is free; with output buffers, in which
 * packets can wait for a link, all are. */
SIM_INLINE uint64_t choice_first_of(const shape k, const state *st, uint64_t room)
{
    uint64_t now = k.buffers ? 0 : room & st->free_out;
    return now ? now : room;
}

/* The choice of packet id, whose preferred output is given. */
SIM_INLINE unsigned choice_choose(const fast_context *h, const shape k, const state *st,
                                  unsigned preferred, unsigned v, uint32_t id)
{
    uint64_t room =
        context_sets_of(h, st->fsw)->of[preferred] & keys_ok_of(h, k, st->fsw, st->sw)[v];
    return room ? choice_one_of(h, choice_best_of(h, k, st->fsw, choice_first_of(k, st, room), v),
                                id)
                : preferred;
}

/* Inputs with a head in VC v that may choose from the set of an output. */
SIM_INLINE uint64_t *choice_waiting_of(const fast_context *h, const shape k, uint32_t sw,
                                       const choice_sets *c, unsigned out, unsigned v)
{
    assert(out < 64 && c->of[out]); /* an output of a set */
    return &h->f->waiting[(size_t)sw * h->f->most_sets * k.vcs + c->number[out] * k.vcs + v];
}

/* Outputs of sets that an input asks for in VC v; with one VC all outputs. */
SIM_INLINE uint64_t *choice_row_of_vc(const fast_context *h, const shape k, uint32_t port,
                                      unsigned v)
{
    return k.vcs == 1 ? &context_port_at(h, k, port)->row : &h->f->rows[(size_t)port * k.vcs + v];
}

/* A request of a packet that has chosen. */
SIM_INLINE void choice_request_of_set(const fast_context *h, const shape k, const state *st,
                                      unsigned in, unsigned v, unsigned out)
{
    keys_request(h, k, st->fsw, st->sw, in, v, out);
    *choice_row_of_vc(h, k, st->fsw->port_base + in, v) |= 1ull << out;
}

/* A packet has come: it chooses and joins that queue. Returns the outputs to look at. */
SIM_INLINE uint64_t choice_choose_and_join(const fast_context *h, const shape k, state *st,
                                           uint64_t key)
{
    const choice_sets *c = context_sets_of(h, st->fsw);
    unsigned in = fast_key_in(key), v = k.vcs == 1 ? 0 : fast_key_vc(key);
    uint32_t id = h->f->coming[st->fsw->port_base + in];
    unsigned out = choice_choose(h, k, st, fast_key_out(key), v, id);
    uint32_t *place = &h->queues[context_queue_at(st->fsw, k, in, v, out)], last = *place;
    *place = id;
    if (last != IK_NONE) {
        h->next[id] = h->next[last];
        h->next[last] = id;
        return 0;
    }
    h->next[id] = id | LAST_BEHIND;
    *choice_waiting_of(h, k, st->sw, c, out, v) |= 1ull << in;
    choice_request_of_set(h, k, st, in, v, out);
    return (st->free_in >> in & 1) << out;
}

/* Takes the request of a queue that is empty now. */
SIM_INLINE void choice_withdraw(const fast_context *h, const shape k, const state *st, unsigned in,
                                unsigned v, unsigned out)
{
    fast_port *to = keys_switch_port(h, k, st, out);
    uint64_t others = 0;
    *keys_asks_of(k, to, v) &= ~(1ull << in);
    for (unsigned u = 0; k.vcs > 1 && u < k.vcs; u++)
        others |= to->want[u];
    keys_switch_port(h, k, st, in)->row &= ~((~others >> in & 1) << out);
    if (k.vcs == 1)
        return;
    *choice_row_of_vc(h, k, st->fsw->port_base + in, v) &= ~(1ull << out);
    keys_look_ready(k, to, keys_ok_of(h, k, st->fsw, st->sw), out);
}

/* The head of one output's queue becomes that of another one's, which is empty. */
SIM_INLINE void choice_move(const fast_context *h, const shape k, const state *st, unsigned in,
                            unsigned v, unsigned from, unsigned to)
{
    assert(from != to && to < st->fsw->radix);
    uint32_t *place = &h->queues[context_queue_at(st->fsw, k, in, v, from)], last = *place,
             id = h->next[last] & ~LAST_BEHIND, behind = h->next[id] & ~LAST_BEHIND;
    h->next[last] = behind | LAST_BEHIND;
    *place = id == last ? IK_NONE : last;
    if (id == last)
        choice_withdraw(h, k, st, in, v, from);
    h->next[id] = id | LAST_BEHIND;
    h->queues[context_queue_at(st->fsw, k, in, v, to)] = id;
    choice_request_of_set(h, k, st, in, v, to);
}

/* Whether an input asks for an output, in any VC. */
SIM_INLINE bool choice_asks_already(const fast_context *h, const shape k, const state *st,
                                    unsigned in, unsigned out)
{
    assert(in < st->fsw->radix && out < st->fsw->radix);
    uint64_t asks = 0;
    for (unsigned w = 0; w < k.vcs; w++)
        asks |= *keys_asks_of(k, keys_switch_port(h, k, st, out), w);
    return asks >> in & 1;
}

/* choice_choose_of_set() where each head draws one of the best outputs: all of an input's that wait
 * for one which is not among `can` do. */
SIM_INLINE uint64_t choice_draw_of_set(const fast_context *h, const shape k, const state *st,
                                       uint64_t set, uint64_t best, uint64_t can, uint64_t inputs,
                                       unsigned v)
{
    assert(set && v < k.vcs);
    uint64_t moved = 0;
    for (; inputs; inputs &= inputs - 1) {
        unsigned in = (unsigned)__builtin_ctzll(inputs);
        uint64_t stuck = *choice_row_of_vc(h, k, st->fsw->port_base + in, v) & set & ~can;
        for (; stuck; stuck &= stuck - 1) {
            unsigned from = (unsigned)__builtin_ctzll(stuck);
            uint32_t last = h->queues[context_queue_at(st->fsw, k, in, v, from)];
            unsigned to = choice_one_of(h, best, h->next[last] & ~LAST_BEHIND);
            if (!(can >> to & 1) || choice_asks_already(h, k, st, in, to))
                continue;
            choice_move(h, k, st, in, v, from, to);
            moved |= 1ull << to;
        }
    }
    return moved;
}

/* Heads that wait in VC v at free inputs: `room` are the outputs of their set with credit. Who
 * waits for one that cannot take it, and does not ask for the one that they choose already, moves
 * there if that is free. Returns those to which anybody does. */
SIM_INLINE uint64_t choice_choose_of_set(const fast_context *h, const shape k, const state *st,
                                         uint64_t set, uint64_t room, uint64_t inputs, unsigned v)
{
    uint64_t best = choice_best_of(h, k, st->fsw, choice_first_of(k, st, room), v),
             can = room & st->free_out;
    if (h->f->draws_ties && best & (best - 1))
        return best & can ? choice_draw_of_set(h, k, st, set, best, can, inputs, v) : 0;
    unsigned to = (unsigned)__builtin_ctzll(best);
    uint64_t bit = 1ull << to, moved = 0;
    if (!(can & bit))
        return 0;
    for (unsigned w = 0; w < k.vcs; w++)
        inputs &= ~*keys_asks_of(k, keys_switch_port(h, k, st, to), w);
    for (; inputs; inputs &= inputs - 1) {
        unsigned in = (unsigned)__builtin_ctzll(inputs);
        uint64_t stuck = *choice_row_of_vc(h, k, st->fsw->port_base + in, v) & set & ~can;
        if (!stuck)
            continue;
        choice_move(h, k, st, in, v, (unsigned)__builtin_ctzll(stuck), to);
        moved = bit;
    }
    return moved;
}

/* All heads that may choose again do. Returns the outputs that they moved to. */
SIM_INLINE uint64_t choice_choose_again(const fast_context *h, const shape k, const state *st)
{
    const choice_sets *c = context_sets_of(h, st->fsw);
    const uint64_t *ok = keys_ok_of(h, k, st->fsw, st->sw);
    uint64_t any = ok[0], moved = 0;
    for (unsigned v = 1; v < k.vcs; v++)
        any |= ok[v];
    for (uint64_t left = c->all & st->free_out & any; left;) {
        unsigned first = (unsigned)__builtin_ctzll(left);
        uint64_t set = c->of[first];
        left &= ~set;
        for (unsigned v = 0; v < k.vcs; v++) {
            uint64_t room = set & ok[v],
                     inputs = *choice_waiting_of(h, k, st->sw, c, first, v) & st->free_in;
            if (room & st->free_out && inputs)
                moved |= choice_choose_of_set(h, k, st, set, room, inputs, v);
        }
    }
    return moved;
}

/* A queue to an output of a set has become empty. */
SIM_INLINE void choice_note_left(const fast_context *h, const shape k, const fast_switch *fsw,
                                 uint32_t sw, unsigned in, unsigned v, unsigned out)
{
    const choice_sets *c = context_sets_of(h, fsw);
    uint64_t *row = choice_row_of_vc(h, k, fsw->port_base + in, v);
    *row &= ~(1ull << out);
    if (!(*row & c->of[out]))
        *choice_waiting_of(h, k, sw, c, out, v) &= ~(1ull << in);
}

/* Most credits: the VC is chosen, and its credit taken, when a pair is matched. */
SIM_INLINE void use_exact_credit(const fast_context *h, const shape k, const state *st,
                                 unsigned out, fast_grant *g)
{
    unsigned v = k.vcs == 1 ? 0 : keys_from_pointer(g->vcs, h->queues[g->queue - 1]);
    uint64_t last = --*context_port_credit(h, k, st->fsw->port_base + out, v) == 0;
    keys_ok_of(h, k, st->fsw, st->sw)[v] &= ~(last << out);
    if (k.vcs > 1)
        g->vcs = 1u << v;
}

/* Credit that a match uses is gone at its instant, for those who choose. With several VCs the one
 * that goes is not known yet: where one of them would have none left, or who waits is counted by
 * VC, it is chosen now. Returns it if so. */
SIM_INLINE unsigned choice_use_last_credit(const fast_context *h, const shape k, const state *st,
                                           unsigned out, fast_grant *g)
{
    const uint16_t *credit = context_port_credit(h, k, st->fsw->port_base + out, 0);
    uint64_t *ok = keys_ok_of(h, k, st->fsw, st->sw), scarce = 0;
    if (k.roomiest && context_sets_of(h, st->fsw)->of[out]) {
        use_exact_credit(h, k, st, out, g);
        return 0;
    }
    if (k.vcs == 1) {
        *ok &= ~((uint64_t)(*credit == 1) << out);
        return 0;
    }
    for (unsigned v = 0; v < k.vcs; v++)
        scarce |= (uint64_t)(credit[v] == 1) << v;
    if (!(scarce & g->vcs) && !(context_counts_buffers(h, k) && h->f->wait_vcs > 1))
        return 0;
    unsigned v = keys_from_pointer(g->vcs, h->queues[g->queue - 1]);
    g->vcs = 1u << v;
    ok[v] &= ~((scarce >> v & 1) << out);
    return v;
}

#endif
