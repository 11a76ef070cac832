/* SPDX-License-Identifier: Apache-2.0
 *
 * Adaptive outputs whose sets may overlap (shape.overlap): every packet has a set of its own, and
 * joins a queue when it comes. fast/README.md says why this gives what packet/switch.c gives.
 *
 * Heads with a choice are noted by queue (may_move) and by input (undecided): where choices are
 * rare, as on fabrics of diameter two, nothing is examined. */
#ifndef IKAT_SIM_FAST_OVERLAP_H
#define IKAT_SIM_FAST_OVERLAP_H

#include "sim/fast/choice.h"

#include <assert.h>

/* The output that a packet, which came by `in`, takes of its set in VC u; NO_OUT if none has
 * credit. preferred: the one that its routing prefers, NO_OUT if that is not known. */
SIM_INLINE unsigned overlap_pick_output(const fast_context *h, const shape k, const state *st,
                                        unsigned in, uint32_t id, unsigned u, unsigned preferred)
{
    assert(id < h->fp->packets.size && u < k.vcs);
    uint64_t from = choice_first_of(k, st, h->sets[id] & keys_ok_of(h, k, st->fsw, st->sw)[u]);
    if (!from)
        return NO_OUT;
    if (!(from & (from - 1)))
        return (unsigned)__builtin_ctzll(from);
    return sim_choice_of(h->p, st->sw, st->fsw->port_base + in, id, from, preferred);
}

/* Output buffers: what the heads of (input, VC) chose when they were last asked, by the output
 * where they stand; NO_OUT: none had space. It depends on the packet and where there is space. */
typedef struct head_choices {
    uint64_t space; /* the outputs with space then, or the number of that state; */
    uint64_t known; /* outputs whose head was asked since */
    uint8_t output[64];
} head_choices;

/* Whether what heads have chosen is remembered until there is space behind other outputs. */
SIM_INLINE bool overlap_remembers(const fast_context *h, const shape k)
{
    return k.buffers && h->f->remembered;
}

/* What says whether there is space behind other outputs than before. */
SIM_INLINE uint64_t overlap_space_behind(const fast_context *h, const shape k, const state *st)
{
    const uint64_t *ok = keys_ok_of(h, k, st->fsw, st->sw);
    if (!overlap_remembers(h, k) || k.vcs == 1)
        return ok[0];
    uint64_t *seen = h->f->space + (size_t)st->sw * (k.vcs + 1), changed = 0;
    for (unsigned v = 0; v < k.vcs; v++) {
        changed |= seen[v] ^ ok[v];
        seen[v] = ok[v];
    }
    return seen[k.vcs] += changed != 0;
}

/* What the heads of a port's VC have chosen with that space. */
SIM_INLINE head_choices *overlap_choices_of(const fast_context *h, const shape k, uint32_t port,
                                            unsigned v, uint64_t space)
{
    assert(overlap_remembers(h, k) && v < k.vcs);
    head_choices *c = &h->f->remembered[(size_t)port * k.vcs + v];
    c->known = c->space == space ? c->known : 0;
    c->space = space;
    return c;
}

/* Whether the head of (in, v, out) has a choice. */
SIM_INLINE void overlap_note_choice(const fast_context *h, const shape k, const fast_switch *fsw,
                                    uint32_t sw, unsigned in, unsigned v, unsigned out, bool choice)
{
    assert(in < fsw->radix && v < k.vcs && out < fsw->radix);
    uint64_t *lanes = &h->f->may_move[(size_t)(fsw->port_base + in) * k.vcs], any = 0;
    /* mostly none of the input's, which one word a switch says */
    if (!choice && (!(h->f->undecided[sw] >> in & 1) || !(lanes[v] >> out & 1)))
        return;
    lanes[v] = (lanes[v] & ~(1ull << out)) | (uint64_t)choice << out;
    if (overlap_remembers(h, k))
        h->f->remembered[(size_t)(fsw->port_base + in) * k.vcs + v].known &= ~(1ull << out);
    for (unsigned w = 0; w < k.vcs; w++)
        any |= lanes[w];
    h->f->undecided[sw] = (h->f->undecided[sw] & ~(1ull << in)) | (uint64_t)(any != 0) << in;
}

/* The decision at the source's switch, from its state of this instant. Returns the output, or the
 * preferred one. */
static unsigned overlap_start_again(const fast_context *h, const shape k, const state *st,
                                    uint32_t port, unsigned v, uint32_t *word)
{
    uint32_t id = context_id_of(h, k, *word);
    fast_packet *pk = &h->packets[id];
    ik_draw draw = {h->s->seed, pk->rt.src, h->fp->packets.number[id]};
    ik_plan_start(h->s->plan, pk->rt.src, pk->rt.dst, &draw, &h->p->view, &pk->rt);
    pk->rt.vc = (uint8_t)v;
    unsigned out = context_route_set(h, k, st->sw, port, id, word);
    pk->out = (uint8_t)out;
    return out;
}

/* No way on from here: its space is free as soon as it has wholly come. */
static void overlap_drop(fast_context *h, const shape k, uint64_t key, uint32_t id)
{
    assert(id < h->fp->packets.size);
    sim *s = h->s;
    uint32_t port = h->switches[fast_key_switch(key)].port_base + fast_key_in(key),
             v = h->packets[id].rt.vc;
    const fast_port *in = context_port_at(h, k, port);
    const link_delays *link = context_link_at(h, k, port);
    /* its head, or its tail, was here then */
    uint64_t here = h->start + (key >> KEY_OFFSET), first = here - s->sw.routing_ps;
    uint64_t tail =
        h->mixed ? h->fp->packets.tail[id] : first + (s->sw.store_forward ? 0 : link->full_ps);
    uint64_t gone = tail > here ? tail : here, time = gone + link->latency_ps;
    h->p->n.unroutable++;
    h->p->moved_ps = gone > h->p->moved_ps ? gone : h->p->moved_ps;
    free_fast_packet(h, id);
    if (!h->alone && s->parallel.node_partition[in->peer_node] != h->p->id) {
        events_post_remote(h->p, time, in->peer_node, EV_CREDIT, in->peer_port,
                           calendar_space_data(v, s->adapter.packet_bytes));
        return;
    }
    event_time at = context_event_time_at(h, BIN_CREDIT, context_until(h, time));
    context_post(h, at.at, fast_credit_of(at.rest, in->peer_port, v));
}

/* The decision is not known before: what follows from it is fetched together. */
SIM_INLINE void overlap_fetch_chosen(const fast_context *h, const shape k, const state *st,
                                     unsigned in, unsigned v, unsigned out)
{
    if (out == NO_OUT)
        return;
    __builtin_prefetch(&h->queues[context_queue_at(st->fsw, k, in, v, out)], 1);
    fetch_port_lines(k, keys_switch_port(h, k, st, out));
}

/* A packet has come: it joins a queue. Returns the outputs to look at. */
SIM_INLINE uint64_t overlap_arrive(fast_context *h, const shape k, state *st, uint64_t key)
{
    unsigned in = fast_key_in(key), out = fast_key_out(key);
    uint32_t port = st->fsw->port_base + in, word = h->f->coming[port];
    const fast_port *from = context_port_at(h, k, port);
    unsigned v = k.vcs == 1 ? 0 : from->vc_next, u, chosen = NO_OUT;
    if (context_restarts_at(h, k, from)) {
        out = overlap_start_again(h, k, st, port, v, &word);
        overlap_fetch_chosen(h, k, st, in, v, out);
    }
    if (__builtin_expect(out == NO_OUT, 0)) {
        st->fsw->held--;
        overlap_drop(h, k, key, context_id_of(h, k, word));
        return 0;
    }
    u = k.steps ? context_vc_of(h, word) : v;
    if (context_has_choice(h, k, word)) {
        chosen = overlap_pick_output(h, k, st, in, context_id_of(h, k, word), u, out);
        out = chosen == NO_OUT ? out : chosen;
        h->packets[context_id_of(h, k, word)].out = (uint8_t)out;
    }
    context_count_waiting(h, k, st->fsw->port_base + out, v, 1);
    if (!context_append(h, k, &h->queues[context_queue_at(st->fsw, k, in, v, out)], word))
        return 0;
    if (context_has_choice(h, k, word))
        overlap_note_choice(h, k, st->fsw, st->sw, in, v, out, true);
    keys_request_vc(h, k, st->fsw, st->sw, in, v, out, u);
    return (st->free_in >> in & 1) << out;
}

/* The queue of (in, v, out) has another head, which asks as `now` says, or none. */
SIM_INLINE void overlap_change_request(const fast_context *h, const shape k, const state *st,
                                       unsigned in, unsigned v, unsigned out, unsigned u, bool none,
                                       uint32_t now)
{
    fast_port *to = keys_switch_port(h, k, st, out);
    uint64_t others = 0;
    *keys_asks_of(k, to, v) &= ~((uint64_t)none << in);
    if (k.steps)
        keys_ask_for_less(h, k, st->fsw, to, in, v, out, u, now);
    for (unsigned w = 0; k.vcs > 1 && w < k.vcs; w++)
        others |= to->want[w];
    keys_switch_port(h, k, st, in)->row &= ~((uint64_t)(none && !(others >> in & 1)) << out);
    if (k.vcs > 1)
        keys_look_ready(k, to, keys_ok_of(h, k, st->fsw, st->sw), out);
}

/* The head of one output's queue becomes that of another one's, which is empty. */
SIM_INLINE void overlap_move_head(const fast_context *h, const shape k, const state *st,
                                  unsigned in, unsigned v, unsigned from, unsigned to)
{
    assert(from != to && from < st->fsw->radix && to < st->fsw->radix);
    uint32_t *place = &h->queues[context_queue_at(st->fsw, k, in, v, from)],
             last = context_id_of(h, k, *place), word = h->next[last] & ~LAST_BEHIND,
             id = context_id_of(h, k, word), behind = h->next[id] & ~LAST_BEHIND;
    unsigned u = k.steps ? context_vc_of(h, word) : v;
    bool none = id == last;
    h->next[last] = behind | LAST_BEHIND;
    *place = none ? IK_NONE : last | context_tag_of(h, k, behind);
    overlap_note_choice(h, k, st->fsw, st->sw, in, v, from,
                        !none && context_has_choice(h, k, behind));
    overlap_change_request(h, k, st, in, v, from, u, none, behind);
    h->next[id] = word | LAST_BEHIND;
    assert(h->queues[context_queue_at(st->fsw, k, in, v, to)] == IK_NONE);
    h->queues[context_queue_at(st->fsw, k, in, v, to)] = word;
    h->packets[id].out = (uint8_t)to;
    context_count_waiting(h, k, st->fsw->port_base + from, v, -1);
    context_count_waiting(h, k, st->fsw->port_base + to, v, 1);
    overlap_note_choice(h, k, st->fsw, st->sw, in, v, to, true);
    keys_request_vc(h, k, st->fsw, st->sw, in, v, to, u);
}

/* The head of (in, v, out), which asks for VC u, chooses again: the output that it would move to;
 * NO_OUT: none. spare: free outputs that the input does not ask for. c: NULL where nothing is
 * remembered. */
SIM_INLINE unsigned overlap_choose_other(const fast_context *h, const shape k, const state *st,
                                         unsigned in, unsigned out, uint32_t place, unsigned u,
                                         uint64_t spare, head_choices *c)
{
    uint32_t id = context_id_of(h, k, h->next[context_id_of(h, k, place)]);
    if (!(h->sets[id] & spare))
        return NO_OUT;
    unsigned to = overlap_pick_output(h, k, st, in, id, u, NO_OUT);
    if (c) {
        c->known |= 1ull << out;
        c->output[out] = (uint8_t)to;
    }
    return to != NO_OUT && spare >> to & 1 ? to : NO_OUT;
}

/* Heads of a free input, in one VC: whose output cannot take it chooses again, and moves if that
 * falls on a free output that the input does not ask for. Returns the outputs moved to. */
SIM_INLINE uint64_t overlap_choose_again_in(const fast_context *h, const shape k, const state *st,
                                            unsigned in, unsigned v, uint64_t space)
{
    uint32_t port = st->fsw->port_base + in;
    const fast_port *from = context_port_at(h, k, port);
    const uint64_t *ok = keys_ok_of(h, k, st->fsw, st->sw);
    head_choices *c = overlap_remembers(h, k) ? overlap_choices_of(h, k, port, v, space) : NULL;
    uint64_t moved = 0, spare = st->free_out & ~from->row;
    for (uint64_t bits = h->f->may_move[(size_t)port * k.vcs + v]; bits && spare;
         bits &= bits - 1) {
        unsigned out = (unsigned)__builtin_ctzll(bits), to = NO_OUT;
        bool known = c && c->known >> out & 1;
        if (known && ((to = c->output[out]) == NO_OUT || !(spare >> to & 1)))
            continue;
        uint32_t place = h->queues[context_queue_at(st->fsw, k, in, v, out)];
        unsigned u = k.steps ? context_vc_of(h, place) : v;
        if (st->free_out >> out & ok[u] >> out & 1)
            continue;
        to = known ? to : overlap_choose_other(h, k, st, in, out, place, u, spare, c);
        if (to == NO_OUT)
            continue;
        overlap_move_head(h, k, st, in, v, out, to);
        moved |= 1ull << to;
        spare = st->free_out & ~from->row;
    }
    return moved;
}

/* All heads that may choose again do. Returns the outputs that they moved to. */
SIM_INLINE uint64_t overlap_renew(const fast_context *h, const shape k, const state *st)
{
    uint64_t inputs = h->f->undecided[st->sw] & st->free_in, moved = 0,
             space = inputs ? overlap_space_behind(h, k, st) : 0;
    for (; inputs; inputs &= inputs - 1)
        for (unsigned v = 0; v < k.vcs; v++)
            moved |= overlap_choose_again_in(h, k, st, (unsigned)__builtin_ctzll(inputs), v, space);
    return moved;
}

/* The credit that a match uses is gone at its instant, as in choice_use_last_credit(). Which VC
 * goes is decided now. Returns the one that it takes. */
SIM_INLINE unsigned use_asked_credit(const fast_context *h, const shape k, const state *st,
                                     unsigned in, unsigned out, fast_grant *g)
{
    fast_port *to = keys_switch_port(h, k, st, out);
    uint64_t *ok = keys_ok_of(h, k, st->fsw, st->sw);
    const uint64_t *asked = context_asked_of(k, to);
    uint32_t queues = 0, asks = 0;
    for (unsigned w = 0; w < k.vcs; w++) {
        queues |= (uint32_t)(to->want[w] >> in & 1) << w;
        asks |= (uint32_t)(asked[w] >> in & 1) << w;
    }
    unsigned v = (unsigned)__builtin_ctz(queues), u = (unsigned)__builtin_ctz(asks);
    if (queues & (queues - 1)) { /* else the one that asks, for the one that is asked for */
        uint32_t ready = 0;
        for (unsigned w = 0; w < k.vcs; w++)
            ready |= (queues >> w &
                      (uint32_t)(ok[context_vc_of(h, h->queues[g->queue + w]) % k.vcs] >> out) & 1)
                     << w;
        v = keys_from_pointer(ready, h->queues[g->queue - 1]);
        u = context_vc_of(h, h->queues[g->queue + v]);
    }
    g->vcs = 1u << v | 0xFFFF0000u;
    ok[u] &= ~((uint64_t)(*context_port_credit(h, k, st->fsw->port_base + out, u) == 1) << out);
    return u;
}

#endif
