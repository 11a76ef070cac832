/* SPDX-License-Identifier: Apache-2.0
 *
 * The input-queued switch: credits per VC, virtual cut-through or store-and-forward, FIFOs or
 * virtual output queues, matched by iSLIP (N. McKeown, "The iSLIP scheduling algorithm for
 * input-queued switches", IEEE/ACM ToN 7(2), 1999) or its relatives.
 *
 * All events of an instant are applied first (phase A); then, once, the switch matches what changed
 * (phase B). What changed: an output that came free, got credit or a new request, the outputs that
 * an input which came free asks for, and pairs left over by the last matching. Cost of a hop: three
 * events and one matching over those outputs, O(1) with radix <= 64.
 *
 * This is the general kernel: any radix (masks of several words), packets of several sizes, VC
 * ranges, adaptive outputs, all arbiters, input speed-up, any ratio of transmission times to
 * windows. fast/fast.c does the same for the common case, faster. */
#include "sim/adapter/host.h"
#include "sim/packet/choose.h"
#include "sim/packet/fetch.h"
#include "sim/packet/match.h"
#include "sim/packet/output.h"
#include "sim/packet/shape.h"
#include "sim/packet/voqnet.h"
#include "sim/packet/watching.h"

#include <assert.h>

/* ---- phase A */

/* Credit that names an account: returns the port. */
SIM_INLINE uint32_t switch_take_account(partition *p, sw_state *sw, const shape k, uint32_t index,
                                        uint32_t data)
{
    sim *s = p->sim;
    uint32_t port = index / s->net.in_space.accounts, account = index % s->net.in_space.accounts;
    space_ledger_add(&s->net.in_space, port, account, -(int32_t)calendar_space_bytes(data));
    if (k.net)
        net_space_changed(p, sw, k, port - sw->port_base, account % s->f->num_hosts);
    return port;
}

SIM_INLINE void switch_take_credit(partition *p, sw_state *sw, const shape k, const changes *ch,
                                   uint32_t port, uint32_t data)
{
    sim *s = p->sim;
    if (k.ledger && s->net.in_space.accounts) {
        port = switch_take_account(p, sw, k, port, data);
        shape_mark(s->sw.out_buffers ? p->dirty_link : ch->out, k, port - sw->port_base);
        return;
    }
    unsigned v = k.vcs == 1 ? 0 : calendar_space_vc(data);
    int32_t *credit = state_credit_at(s, port, v);
    int32_t full = (int32_t)s->adapter.packet_bytes;
    bool short_before = *credit < full;
    if (shape_asks_alike(s, k))
        shape_room_changes_of(sw, k)[v]++;
    if (!s->sw.gate_space)
        shape_change_room(s, sw, k, credit, port - sw->port_base, v,
                          (int32_t)calendar_space_bytes(data));
    else
        *credit += (int32_t)calendar_space_bytes(data);
    if (short_before && *credit >= full)
        s->net.ports[port].ok |= 1ull << v;
    if (s->sw.out_buffers)
        shape_mark(p->dirty_link, k, port - sw->port_base);
    else if (short_before) /* else nobody waited for it */
        shape_mark(ch->out, k, port - sw->port_base);
}

SIM_INLINE void switch_take_tail(partition *p, sw_state *sw, const shape k, const changes *ch,
                                 uint32_t port, uint32_t input)
{
    unsigned out = port - sw->port_base;
    if (input & LOOK_AGAIN) {
        uint64_t *left = switch_state_left_outputs(sw, k.words);
        for (unsigned w = 0; w < k.words; w++) {
            ch->out[w] |= left[w];
            left[w] = 0;
        }
        return;
    }
    if (input & LINK_END) {
        if (output_take_link_end(p, sw, k, port, input)) /* else nobody waited for it */
            shape_mark(ch->out, k, out);
        return;
    }
    if (input & BOTH_END)
        output_take_link_end(p, sw, k, port, state_output_of(p->sim, port)->link);
    input = output_transfer_input(input);
    assert(!(switch_state_free_inputs(sw)[input >> 6] >> (input & 63) & 1)); /* it was busy */
    assert(!(switch_state_free_outputs(sw, k.words)[out >> 6] >> (out & 63) & 1));
    shape_mark(switch_state_free_inputs(sw), k, input);
    shape_mark(switch_state_free_outputs(sw, k.words), k, out);
    shape_mark(ch->in, k, input);
    shape_mark(ch->out, k, out);
    if (p->sim->backlog.queued)
        shape_note_sent(p->sim, port);
}

/* Its bytes leave the buffer at once and the credit goes back. */
void sim_drop(partition *p, uint32_t port, uint32_t id)
{
    sim *s = p->sim;
    const packet *pk = &p->pool[id];
    uint64_t gone = pk->t_tail > p->now ? pk->t_tail : p->now;
    space_post_credit(p, &s->net.ports[port], gone, pk->rt.vc,
                      space_account_here(s, pk, pk->rt.vc, SIM_NO_WAY), pk->size);
    if (s->reorder.on)
        sim_reorder_lost(p, &pk->rt, (uint32_t)p->sequence[id], gone);
    p->n.unroutable++;
    p->moved_ps = gone > p->moved_ps ? gone : p->moved_ps;
    events_free_packet(p, id);
}

SIM_INLINE void switch_take_arrival(partition *p, uint32_t node, sw_state *sw, const shape k,
                                    const changes *ch, uint32_t port, uint32_t id)
{
    packet *pk = &p->pool[id];
    uint64_t one[1];
    outputs o = {.set = k.words == 1 ? one : p->outputs};
    if (p->sim->choice.masked)
        choose_route_by_mask(p, node, sw, k, port, pk, &o);
    else
        sim_route(p, node, port, pk);
    if (k.watch)
        watching_arrived(p, node, port, id);
    unsigned in = port - sw->port_base, v = k.vcs == 1 ? 0 : pk->rt.vc, out = pk->out;
    assert(in < sw->radix && v < k.vcs && pk->size > 0);
    if (__builtin_expect(out == SIM_NO_WAY, 0)) {
        sim_drop(p, port, id);
        return;
    }
    if (p->sim->sw.model == MODEL_IDEAL) {
        output_arrive_ideal(p, sw, k, port, id);
        return;
    }
    pk->next = IK_NONE;
    sw->bytes += pk->size;
    if (k.ledger && p->sim->sw.stride)
        pk->queue = sim_look_ahead(p, sw->port_base + out, pk->vc_first, &pk->rt, pk->number);
    if (out != SIM_UNDECIDED)
        shape_note_queued(p->sim, sw->port_base + out, pk->rt.vc, pk->size);
    if (k.net) {
        voqnet_net_arrival(p, sw, k, in, v, id);
        shape_mark(ch->out, k, out);
        return;
    }
    queue *q = shape_queue_of(sw, k, in, v, out);
    if (q->head != IK_NONE) {
        packet *last = &p->pool[q->tail];
        last->next = id;
        /* in an output's queue: whether it may choose */
        last->next_out = (uint16_t)(pk->revocable ? SIM_UNDECIDED : out);
        q->tail = id;
        return;
    }
    q->head = q->tail = id;
    if (out == SIM_UNDECIDED) {
        unsigned index = in * k.vcs + v;
        sw->undecided[index >> 6] |= 1ull << (index & 63);
        return;
    }
    if (k.voq && pk->revocable)
        shape_set_revocable(p->sim, sw, k, in, v, out, o.set);
    shape_set_request(p->sim, sw, k, in, v, out);
    unsigned input = shape_input_of(p->sim, in, v);
    /* one that is busy asks when it becomes free */
    if (switch_state_free_inputs(sw)[input >> 6] >> (input & 63) & 1)
        shape_mark(ch->out, k, out);
}

/* ---- choices that are made again, between the matchings of an instant */

/* Heads that may still choose ask for one output each, chosen anew from the state of this
 * instant. */
static void choose_undecided(partition *p, uint32_t node, sw_state *sw, const shape k,
                             const changes *ch)
{
    const sim *s = p->sim;
    unsigned num = sw->radix * k.vcs;
    for (unsigned w = 0; w * 64 < num; w++) {
        for (uint64_t bits = sw->undecided[w]; bits; bits &= bits - 1) {
            unsigned index = w * 64 + (unsigned)__builtin_ctzll(bits), in = index / k.vcs,
                     v = index % k.vcs;
            unsigned input = shape_input_of(s, in, v);
            if (!(switch_state_free_inputs(sw)[input >> 6] >> (input & 63) & 1))
                continue;
            packet *pk = &p->pool[shape_queue_of(sw, k, in, v, 0)->head];
            unsigned before = pk->out;
            uint32_t now = s->choice.masked ? choose_by_mask(p, node, sw, k, sw->port_base + in, pk)
                                            : sim_choose_output(p, node, sw->port_base + in, pk);
            if (now == IK_NONE)
                pk->out = SIM_UNDECIDED;
            if (before != pk->out)
                shape_move_request(p, sw, k, in, v, before, pk);
            if (pk->out != SIM_UNDECIDED)
                shape_mark(ch->out, k, pk->out);
        }
    }
}

/* Whether there is a free output that the input does not ask for, or any where heads may overtake:
 * what a packet that chooses again may move to. */
SIM_INLINE bool switch_has_spare(const partition *p, const sw_state *sw, const shape k,
                                 unsigned input)
{
    const uint64_t *free_out = switch_state_free_outputs(sw, k.words),
                   *row = shape_row_of(sw, k, input);
    uint64_t any = 0;
    for (unsigned w = 0; w < k.words; w++)
        any |= free_out[w] & (p->sim->choice.overtakes ? UINT64_MAX : ~row[w]);
    return any;
}

/* Whether the output of a queue cannot take its head now. */
SIM_INLINE bool switch_must_wait(partition *p, sw_state *sw, const shape k, unsigned in, unsigned v,
                                 unsigned out)
{
    if (!(switch_state_free_outputs(sw, k.words)[out >> 6] >> (out & 63) & 1))
        return true;
    unsigned room = match_room_for(p, sw, k, out, v);
    return room == ROOM_BY_PACKET
               ? !shape_has_room(p, k, sw->port_base + out,
                                 &p->pool[shape_queue_of(sw, k, in, v, out)->head])
               : room == ROOM_FOR_NONE;
}

/* Whether a head of (in, v) may become the head of the queue of output `chosen`. */
SIM_INLINE bool switch_gives_way(partition *p, sw_state *sw, const shape k, unsigned in, unsigned v,
                                 uint32_t chosen)
{
    const uint64_t *free_out = switch_state_free_outputs(sw, k.words),
                   *row = shape_row_of(sw, k, shape_input_of(p->sim, in, v));
    if (!(free_out[chosen >> 6] >> (chosen & 63) & 1))
        return false;
    return !(row[chosen >> 6] >> (chosen & 63) & 1) ||
           (p->sim->choice.overtakes && (shape_queue_of(sw, k, in, v, chosen)->head == IK_NONE ||
                                         switch_must_wait(p, sw, k, in, v, chosen)));
}

/* The head of a queue becomes that of the queue of output `chosen`. */
SIM_INLINE void switch_move_head(partition *p, sw_state *sw, const shape k, const changes *ch,
                                 unsigned in, unsigned v, unsigned out, uint32_t chosen)
{
    sim *s = p->sim;
    queue *from = shape_queue_of(sw, k, in, v, out), *to = shape_queue_of(sw, k, in, v, chosen);
    assert(from->head != IK_NONE);
    uint32_t id = from->head;
    packet *pk = &p->pool[id];
    shape_pop_head(p, sw, k, from, in, v, out);
    bool overtakes = to->head != IK_NONE;
    pk->next = to->head;
    if (overtakes)
        pk->next_out = (uint16_t)(p->pool[to->head].revocable ? SIM_UNDECIDED : chosen);
    *to = (queue){id, overtakes ? to->tail : id};
    shape_set_revocable(s, sw, k, in, v, chosen, NULL);
    shape_set_request(s, sw, k, in, v, chosen);
    shape_note_queued(s, sw->port_base + out, v, -(int64_t)pk->size);
    shape_note_queued(s, sw->port_base + chosen, v, pk->size);
    shape_mark(ch->out, k, chosen);
}

/* The head of an output's queue, whose output cannot take it, chooses again. It moves if the choice
 * falls on a free output that its input does not ask for: there it is the head of its queue at
 * once, and no packet loses its place. Over an escape layer it may overtake a head that has to
 * wait: otherwise two heads whose escapes are each other's outputs would wait for ever. Returns
 * whether it moved. */
static bool switch_renew(partition *p, uint32_t node, sw_state *sw, const shape k,
                         const changes *ch, unsigned in, unsigned v, unsigned out)
{
    packet *pk = &p->pool[shape_queue_of(sw, k, in, v, out)->head];
    uint8_t first = pk->vc_first, last = pk->vc_last;
    uint32_t chosen = p->sim->choice.masked ? choose_by_mask(p, node, sw, k, sw->port_base + in, pk)
                                            : sim_choose_output(p, node, sw->port_base + in, pk);
    if (chosen == IK_NONE || chosen == out || !switch_gives_way(p, sw, k, in, v, chosen)) {
        pk->out = (uint16_t)out;
        pk->vc_first = first;
        pk->vc_last = last;
        return false;
    }
    switch_move_head(p, sw, k, ch, in, v, out, chosen);
    return true;
}

/* The same for the heads of (in, v), where the answer is that of others (choose_for_alike()). They
 * stay in their VC. None overtakes: plans with an escape layer are not asked like this. */
SIM_INLINE void switch_renew_alike(partition *p, uint32_t node, sw_state *sw, const shape k,
                                   const changes *ch, unsigned in, unsigned v)
{
    assert(!p->sim->choice.overtakes);
    uint64_t ready = p->sim->choice.room_kept
                         ? *switch_state_free_outputs(sw, 1) & *shape_room_of_vc(sw, k, v)
                         : 0;
    for (uint64_t bits = *shape_revocable_of(sw, k, in, v) & ~ready; bits; bits &= bits - 1) {
        unsigned out = (unsigned)__builtin_ctzll(bits);
        uint64_t spare = *switch_state_free_outputs(sw, 1) &
                         ~*shape_row_of(sw, k, shape_input_of(p->sim, in, v));
        if (!spare)
            return;
        if (!switch_must_wait(p, sw, k, in, v, out))
            continue;
        uint32_t chosen = choose_for_alike(p, node, sw, k, in, v, out);
        if (chosen == IK_NONE || !(spare >> chosen & 1))
            continue;
        p->pool[shape_queue_of(sw, k, in, v, out)->head].out = (uint16_t)chosen;
        switch_move_head(p, sw, k, ch, in, v, out, chosen);
    }
}

/* What the heads of an input that may choose are allowed together, gathered on the way. */
typedef struct gathered {
    uint64_t *set;
    bool whole; /* of all heads, and nobody moved */
} gathered;

SIM_INLINE void switch_gather_set(gathered *all, const shape k, const uint64_t *set)
{
    for (unsigned w = 0; w < k.words; w++)
        all->set[w] |= set[w];
}

/* One (input port, VC) of a free input. all: NULL where every head is asked. */
SIM_INLINE void switch_renew_vc(partition *p, uint32_t node, sw_state *sw, const shape k,
                                const changes *ch, unsigned in, unsigned v, gathered *all)
{
    unsigned input = shape_input_of(p->sim, in, v);
    if (shape_asks_alike(p->sim, k)) {
        switch_renew_alike(p, node, sw, k, ch, in, v);
        return;
    }
    for (unsigned w = 0; w < k.words; w++) {
        for (uint64_t bits = shape_revocable_of(sw, k, in, v)[w];
             bits && switch_has_spare(p, sw, k, input); bits &= bits - 1) {
            unsigned out = w * 64 + (unsigned)__builtin_ctzll(bits);
            if (!switch_must_wait(p, sw, k, in, v, out)) {
                if (all)
                    all->whole = false;
                continue;
            }
            const uint64_t *set = all ? choose_head_set(p, node, sw, k, in, v, out) : NULL;
            if (all)
                switch_gather_set(all, k, set);
            if (all && !choose_has_spare_in(sw, k, input, set))
                continue;
            if (switch_renew(p, node, sw, k, ch, in, v, out) && all)
                all->whole = false;
        }
    }
}

/* One free input that has heads that may choose. Where nothing counts how often they do, only those
 * are asked that have somewhere to go. */
SIM_INLINE void switch_renew_input(partition *p, uint32_t node, sw_state *sw, const shape k,
                                   const changes *ch, unsigned input)
{
    const sim *s = p->sim;
    uint64_t one[1] = {0}, *set = shape_union_of(sw, k, input);
    gathered all = {k.words == 1 ? one : p->gathered, true},
             *passing = s->choice.passes_over ? &all : NULL;
    if (passing && !choose_has_spare_in(sw, k, input, set))
        return;
    for (unsigned w = 0; w < k.words; w++)
        all.set[w] = 0;
    for (unsigned v = input % s->sw.input_speedup; v < k.vcs; v += s->sw.input_speedup)
        switch_renew_vc(p, node, sw, k, ch, shape_port_of(s, input), v, passing);
    for (unsigned w = 0; passing && w < k.words; w++)
        set[w] = all.whole ? all.set[w] : UINT64_MAX;
}

/* Only inputs that are free and have a head that may choose. */
static void switch_renew_waiting(partition *p, uint32_t node, sw_state *sw, const shape k,
                                 const changes *ch)
{
    for (unsigned w = 0; w < k.words; w++)
        for (uint64_t bits = sw->undecided[w] & switch_state_free_inputs(sw)[w]; bits;
             bits &= bits - 1)
            switch_renew_input(p, node, sw, k, ch, w * 64 + (unsigned)__builtin_ctzll(bits));
}

/* ---- one switch, one window */

SIM_INLINE void switch_take_event(partition *p, uint32_t node, sw_state *sw, const shape k,
                                  const changes *ch, const event *e)
{
    uint32_t port = calendar_event_port(e);
    switch (calendar_event_kind(e)) {
    case EV_CREDIT:
        switch_take_credit(p, sw, k, ch, port, e->data);
        break;
    case EV_TAIL:
        switch_take_tail(p, sw, k, ch, port, e->data);
        break;
    case EV_WAKE:
        enqueue_output(p, port, p->pool[e->data].rt.vc, e->data);
        shape_mark(p->dirty_link, k, port - sw->port_base);
        break;
    default:
        switch_take_arrival(p, node, sw, k, ch, port, e->data);
    }
}

/* Phase B: choices and matchings, until nothing more can be granted. */
SIM_INLINE void switch_decide(partition *p, uint32_t node, sw_state *sw, const shape k,
                              const changes *ch)
{
    bool chooses = sw->undecided && k.voq, granted;
    if (sw->undecided && !k.voq)
        choose_undecided(p, node, sw, k, ch);
    do { /* heads that lost an output choose again at once, until nobody finds one */
        if (chooses)
            switch_renew_waiting(p, node, sw, k, ch);
        granted = match_switch(p, sw, k, ch);
    } while (chooses && granted);
}

SIM_INLINE void switch_run_switch(partition *p, uint32_t node, const shape k)
{
    sw_state *sw = &p->sim->net.switches[node];
    uint64_t one_out = 0, one_in = 0;
    const changes ch = {k.words == 1 ? &one_out : p->dirty_out,
                        k.words == 1 ? &one_in : p->dirty_in};
    p->cur_switch = node;
    while (p->local_at < p->local_count) {
        uint64_t offset = calendar_event_offset(&p->local[p->local_at]);
        p->now = p->start + offset;
        do {
            event e = p->local[p->local_at++];
            switch_take_event(p, node, sw, k, &ch, &e);
        } while (p->local_at < p->local_count &&
                 calendar_event_offset(&p->local[p->local_at]) == offset);
        uint32_t entered = 0;
        do { /* what has entered the output buffers is as an event of this instant */
            for (uint32_t n = 0; n < entered; n++)
                enqueue_output(p, p->entered[n].port, p->pool[p->entered[n].id].rt.vc,
                               p->entered[n].id);
            if (entered == 0 || sw->undecided)
                switch_decide(p, node, sw, k, &ch);
            if (entered == 0 && p->sim->sw.out_buffers)
                output_run_links(p, node, sw, k);
            output_link_entered(p, node, sw, k, entered);
            entered = p->num_entered;
        } while (entered);
        if (k.watch)
            watching_look(p, node, sw, k);
    }
}

/* ---- one window */

SIM_INLINE void switch_general_window(partition *p, const slot *at, const shape k)
{
    p->num_active = 0;
    sim_chain_events(p, at);
    for (uint32_t n = 0; n < p->num_active; n++) {
        uint32_t node = p->active[n];
        if (p->sim->choice.staged)
            fetch_ahead_here(p, k, n);
        if (!sim_gather(p, node))
            return;
        if (k.watch && node >= p->sim->f->num_switches)
            watching_host(p);
        if (node < p->sim->f->num_switches)
            switch_run_switch(p, node, k);
        else
            sim_run_host(p, node);
    }
}

#define KERNEL(name, masks, num, queues, accounts, destinations)                                   \
    static void window_##name(partition *p, const slot *at)                                        \
    {                                                                                              \
        shape k = {                                                                                \
            .words = masks, .vcs = num, .voq = queues, .ledger = accounts, .net = destinations};   \
        switch_general_window(p, at, k);                                                           \
    }

KERNEL(fifo_1, 1, 1, false, false, false)
KERNEL(voq_1, 1, 1, true, false, false)
KERNEL(fifo, 1, p->sim->sw.vcs, false, false, false)
KERNEL(voq, 1, p->sim->sw.vcs, true, false, false)
KERNEL(wide_fifo, p->sim->net.max_words, p->sim->sw.vcs, false, false, false)
KERNEL(wide_voq, p->sim->net.max_words, p->sim->sw.vcs, true, false, false)
KERNEL(accounts, p->sim->net.max_words, p->sim->sw.vcs, p->sim->sw.voq, true, false)
KERNEL(voqnet, p->sim->net.max_words, p->sim->sw.vcs, true, true, true)

/* Any shape, with what is noted of watched packets: one kernel, which need not be fast. */
static void window_watching(partition *p, const slot *at)
{
    shape k = sim_shape(p->sim);
    k.watch = true;
    switch_general_window(p, at, k);
}

void sim_choose_watching_kernel(sim *s)
{
    s->choice.staged = false;
    s->engine.run_window = window_watching;
}

void sim_choose_kernel(sim *s)
{
    s->choice.staged = s->outcome.state_bytes > FETCH_BYTES;
    static void (*const kernels[])(partition *, const slot *) = {
        window_fifo_1, window_voq_1, window_fifo, window_voq, window_wide_fifo, window_wide_voq};
    s->engine.run_window = kernels[(s->net.max_words > 1 ? 4 : s->sw.vcs > 1 ? 2 : 0) + s->sw.voq];
    if (s->net.in_space.accounts || s->net.out_space.accounts)
        s->engine.run_window = s->sw.queues == QUEUES_VOQNET ? window_voqnet : window_accounts;
}
