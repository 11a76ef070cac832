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
#include "sim/host/reorder.h"
#include "sim/packet/choose.h"
#include "sim/packet/fetch.h"
#include "sim/packet/match.h"
#include "sim/packet/output.h"
#include "sim/packet/shape.h"
#include "sim/packet/voqnet.h"
#include "sim/packet/watching.h"

/* ---- phase A */

/* Credit that names an account: returns the port. */
SIM_INLINE uint32_t take_account(partition *p, sw_state *sw, const shape k, uint32_t index,
                                 uint32_t data)
{
    sim *s = p->sim;
    uint32_t port = index / s->net.in_space.accounts, account = index % s->net.in_space.accounts;
    ledger_add(&s->net.in_space, port, account, -(int32_t)space_bytes(data));
    if (k.net)
        net_space_changed(p, sw, k, port - sw->port_base, account % s->f->num_hosts);
    return port;
}

SIM_INLINE void take_credit(partition *p, sw_state *sw, const shape k, const changes *ch,
                            uint32_t port, uint32_t data)
{
    sim *s = p->sim;
    if (k.ledger && s->net.in_space.accounts) {
        port = take_account(p, sw, k, port, data);
        mark(s->sw.out_buffers ? p->dirty_link : ch->out, k, port - sw->port_base);
        return;
    }
    unsigned v = k.vcs == 1 ? 0 : space_vc(data);
    int32_t *credit = credit_at(s, port, v);
    int32_t full = (int32_t)s->adapter.packet_bytes;
    bool short_before = *credit < full;
    if (!s->sw.gate_space)
        change_room(s, sw, k, credit, port - sw->port_base, v, (int32_t)space_bytes(data));
    else
        *credit += (int32_t)space_bytes(data);
    if (short_before && *credit >= full)
        s->net.ports[port].ok |= 1ull << v;
    if (s->sw.out_buffers)
        mark(p->dirty_link, k, port - sw->port_base);
    else if (short_before) /* else nobody waited for it */
        mark(ch->out, k, port - sw->port_base);
}

SIM_INLINE void take_tail(partition *p, sw_state *sw, const shape k, const changes *ch,
                          uint32_t port, uint32_t input)
{
    unsigned out = port - sw->port_base;
    if (input & LOOK_AGAIN) {
        uint64_t *left = left_outputs(sw, k.words);
        for (unsigned w = 0; w < k.words; w++) {
            ch->out[w] |= left[w];
            left[w] = 0;
        }
        return;
    }
    if (input & LINK_END) {
        if (take_link_end(p, sw, k, port, input)) /* else nobody waited for it */
            mark(ch->out, k, out);
        return;
    }
    if (input & BOTH_END)
        take_link_end(p, sw, k, port, output_of(p->sim, port)->link);
    input = transfer_input(input);
    mark(free_inputs(sw), k, input);
    mark(free_outputs(sw, k.words), k, out);
    mark(ch->in, k, input);
    mark(ch->out, k, out);
    if (p->sim->backlog.queued)
        note_sent(p->sim, port);
}

/* Its bytes leave the buffer at once and the credit goes back. */
void sim_drop(partition *p, uint32_t port, uint32_t id)
{
    sim *s = p->sim;
    const packet *pk = &p->pool[id];
    uint64_t gone = pk->t_tail > p->now ? pk->t_tail : p->now;
    post_credit(p, &s->net.ports[port], gone, pk->rt.vc, account_here(s, pk, pk->rt.vc, SIM_NO_WAY),
                pk->size);
    if (s->reorder.on)
        sim_reorder_lost(p, &pk->rt, (uint32_t)p->sequence[id], gone);
    p->n.unroutable++;
    p->moved_ps = gone > p->moved_ps ? gone : p->moved_ps;
    free_packet(p, id);
}

SIM_INLINE void take_arrival(partition *p, uint32_t node, sw_state *sw, const shape k,
                             const changes *ch, uint32_t port, uint32_t id)
{
    packet *pk = &p->pool[id];
    uint64_t one[1];
    outputs o = {.set = k.words == 1 ? one : p->outputs};
    if (p->sim->choice.masked)
        route_by_mask(p, node, sw, k, port, pk, &o);
    else
        sim_route(p, node, port, pk);
    if (k.watch)
        watching_arrived(p, node, port, id);
    unsigned in = port - sw->port_base, v = k.vcs == 1 ? 0 : pk->rt.vc, out = pk->out;
    if (__builtin_expect(out == SIM_NO_WAY, 0)) {
        sim_drop(p, port, id);
        return;
    }
    if (p->sim->sw.model == MODEL_IDEAL) {
        arrive_ideal(p, sw, k, port, id);
        return;
    }
    pk->next = IK_NONE;
    sw->bytes += pk->size;
    if (k.ledger && p->sim->sw.stride)
        pk->queue = sim_look_ahead(p, sw->port_base + out, pk->vc_first, &pk->rt, pk->number);
    if (out != SIM_UNDECIDED)
        note_queued(p->sim, sw->port_base + out, pk->rt.vc, pk->size);
    if (k.net) {
        net_arrival(p, sw, k, in, v, id);
        mark(ch->out, k, out);
        return;
    }
    queue *q = queue_of(sw, k, in, v, out);
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
        set_revocable(p->sim, sw, k, in, v, out, o.set);
    set_request(p->sim, sw, k, in, v, out);
    unsigned input = input_of(p->sim, in, v);
    /* one that is busy asks when it becomes free */
    if (free_inputs(sw)[input >> 6] >> (input & 63) & 1)
        mark(ch->out, k, out);
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
            unsigned input = input_of(s, in, v);
            if (!(free_inputs(sw)[input >> 6] >> (input & 63) & 1))
                continue;
            packet *pk = &p->pool[queue_of(sw, k, in, v, 0)->head];
            unsigned before = pk->out;
            uint32_t now = s->choice.masked ? choose_by_mask(p, node, sw, k, sw->port_base + in, pk)
                                            : sim_choose_output(p, node, sw->port_base + in, pk);
            if (now == IK_NONE)
                pk->out = SIM_UNDECIDED;
            if (before != pk->out)
                move_request(p, sw, k, in, v, before, pk);
            if (pk->out != SIM_UNDECIDED)
                mark(ch->out, k, pk->out);
        }
    }
}

/* Whether there is a free output that the input does not ask for: what a packet that chooses again
 * may move to. */
SIM_INLINE bool has_spare(const sw_state *sw, const shape k, unsigned input)
{
    const uint64_t *free_out = free_outputs(sw, k.words), *row = row_of(sw, k, input);
    uint64_t any = 0;
    for (unsigned w = 0; w < k.words; w++)
        any |= free_out[w] & ~row[w];
    return any;
}

/* The head of an output's queue, whose output cannot take it, chooses again. It moves if the choice
 * falls on a free output that its input does not ask for: there it is the head of its queue at
 * once, so no packet ever loses its place. Returns whether it moved. */
static bool renew(partition *p, uint32_t node, sw_state *sw, const shape k, const changes *ch,
                  unsigned in, unsigned v, unsigned out)
{
    sim *s = p->sim;
    queue *from = queue_of(sw, k, in, v, out);
    uint32_t id = from->head;
    packet *pk = &p->pool[id];
    uint8_t first = pk->vc_first, last = pk->vc_last;
    uint32_t chosen = s->choice.masked ? choose_by_mask(p, node, sw, k, sw->port_base + in, pk)
                                       : sim_choose_output(p, node, sw->port_base + in, pk);
    const uint64_t *free_out = free_outputs(sw, k.words), *row = row_of(sw, k, input_of(s, in, v));
    if (chosen == IK_NONE || !((free_out[chosen >> 6] & ~row[chosen >> 6]) >> (chosen & 63) & 1)) {
        pk->out = (uint16_t)out;
        pk->vc_first = first;
        pk->vc_last = last;
        return false;
    }
    pop_head(p, sw, k, from, in, v, out);
    pk->next = IK_NONE;
    *queue_of(sw, k, in, v, chosen) = (queue){id, id};
    set_revocable(s, sw, k, in, v, chosen, NULL);
    set_request(s, sw, k, in, v, chosen);
    note_queued(s, sw->port_base + out, v, -(int64_t)pk->size);
    note_queued(s, sw->port_base + chosen, v, pk->size);
    mark(ch->out, k, chosen);
    return true;
}

/* Whether the output of a queue cannot take its head now. */
SIM_INLINE bool must_wait(partition *p, sw_state *sw, const shape k, unsigned in, unsigned v,
                          unsigned out)
{
    if (!(free_outputs(sw, k.words)[out >> 6] >> (out & 63) & 1))
        return true;
    unsigned room = room_for(p, sw, k, out, v);
    return room == ROOM_BY_PACKET
               ? !has_room(p, k, sw->port_base + out, &p->pool[queue_of(sw, k, in, v, out)->head])
               : room == ROOM_FOR_NONE;
}

/* What the heads of an input that may choose are allowed together, gathered on the way. */
typedef struct gathered {
    uint64_t *set;
    bool whole; /* of all heads, and nobody moved */
} gathered;

SIM_INLINE void gather_set(gathered *all, const shape k, const uint64_t *set)
{
    for (unsigned w = 0; w < k.words; w++)
        all->set[w] |= set[w];
}

/* One (input port, VC) of a free input. all: NULL where every head is asked. */
SIM_INLINE void renew_vc(partition *p, uint32_t node, sw_state *sw, const shape k,
                         const changes *ch, unsigned in, unsigned v, gathered *all)
{
    unsigned input = input_of(p->sim, in, v);
    for (unsigned w = 0; w < k.words; w++) {
        for (uint64_t bits = revocable_of(sw, k, in, v)[w]; bits && has_spare(sw, k, input);
             bits &= bits - 1) {
            unsigned out = w * 64 + (unsigned)__builtin_ctzll(bits);
            if (!must_wait(p, sw, k, in, v, out)) {
                if (all)
                    all->whole = false;
                continue;
            }
            const uint64_t *set = all ? head_set(p, node, sw, k, in, v, out) : NULL;
            if (all)
                gather_set(all, k, set);
            if (all && !has_spare_in(sw, k, input, set))
                continue;
            if (renew(p, node, sw, k, ch, in, v, out) && all)
                all->whole = false;
        }
    }
}

/* One free input that has heads that may choose. Where nothing counts how often they do, only those
 * are asked that have somewhere to go. */
SIM_INLINE void renew_input(partition *p, uint32_t node, sw_state *sw, const shape k,
                            const changes *ch, unsigned input)
{
    const sim *s = p->sim;
    uint64_t one[1] = {0}, *set = union_of(sw, k, input);
    gathered all = {k.words == 1 ? one : p->gathered, true},
             *passing = s->choice.passes_over ? &all : NULL;
    if (passing && !has_spare_in(sw, k, input, set))
        return;
    for (unsigned w = 0; w < k.words; w++)
        all.set[w] = 0;
    for (unsigned v = input % s->sw.input_speedup; v < k.vcs; v += s->sw.input_speedup)
        renew_vc(p, node, sw, k, ch, port_of(s, input), v, passing);
    for (unsigned w = 0; passing && w < k.words; w++)
        set[w] = all.whole ? all.set[w] : UINT64_MAX;
}

/* Only inputs that are free and have a head that may choose. */
static void renew_waiting(partition *p, uint32_t node, sw_state *sw, const shape k,
                          const changes *ch)
{
    for (unsigned w = 0; w < k.words; w++)
        for (uint64_t bits = sw->undecided[w] & free_inputs(sw)[w]; bits; bits &= bits - 1)
            renew_input(p, node, sw, k, ch, w * 64 + (unsigned)__builtin_ctzll(bits));
}

/* ---- one switch, one window */

SIM_INLINE void take_event(partition *p, uint32_t node, sw_state *sw, const shape k,
                           const changes *ch, const event *e)
{
    uint32_t port = event_port(e);
    switch (event_kind(e)) {
    case EV_CREDIT:
        take_credit(p, sw, k, ch, port, e->data);
        break;
    case EV_TAIL:
        take_tail(p, sw, k, ch, port, e->data);
        break;
    case EV_WAKE:
        enqueue_output(p, port, p->pool[e->data].rt.vc, e->data);
        mark(p->dirty_link, k, port - sw->port_base);
        break;
    default:
        take_arrival(p, node, sw, k, ch, port, e->data);
    }
}

/* Phase B: choices and matchings, until nothing more can be granted. */
SIM_INLINE void decide(partition *p, uint32_t node, sw_state *sw, const shape k, const changes *ch)
{
    bool chooses = sw->undecided && k.voq, granted;
    if (sw->undecided && !k.voq)
        choose_undecided(p, node, sw, k, ch);
    do { /* heads that lost an output choose again at once, until nobody finds one */
        if (chooses)
            renew_waiting(p, node, sw, k, ch);
        granted = match(p, sw, k, ch);
    } while (chooses && granted);
}

SIM_INLINE void run_switch(partition *p, uint32_t node, const shape k)
{
    sw_state *sw = &p->sim->net.switches[node];
    uint64_t one_out = 0, one_in = 0;
    const changes ch = {k.words == 1 ? &one_out : p->dirty_out,
                        k.words == 1 ? &one_in : p->dirty_in};
    p->cur_switch = node;
    while (p->local_at < p->local_count) {
        uint64_t offset = event_offset(&p->local[p->local_at]);
        p->now = p->start + offset;
        do {
            event e = p->local[p->local_at++];
            take_event(p, node, sw, k, &ch, &e);
        } while (p->local_at < p->local_count && event_offset(&p->local[p->local_at]) == offset);
        uint32_t entered = 0;
        do { /* what has entered the output buffers is as an event of this instant */
            for (uint32_t n = 0; n < entered; n++)
                enqueue_output(p, p->entered[n].port, p->pool[p->entered[n].id].rt.vc,
                               p->entered[n].id);
            if (entered == 0 || sw->undecided)
                decide(p, node, sw, k, &ch);
            if (entered == 0 && p->sim->sw.out_buffers)
                run_links(p, node, sw, k);
            link_entered(p, node, sw, k, entered);
            entered = p->num_entered;
        } while (entered);
        if (k.watch)
            watching_look(p, node, sw, k);
    }
}

/* ---- one window */

SIM_INLINE void general_window(partition *p, const slot *at, const shape k)
{
    p->num_active = 0;
    sim_chain_events(p, at);
    for (uint32_t n = 0; n < p->num_active; n++) {
        uint32_t node = p->active[n];
        if (p->sim->choice.staged)
            fetch_ahead(p, k, n);
        if (!sim_gather(p, node))
            return;
        if (k.watch && node >= p->sim->f->num_switches)
            watching_host(p);
        if (node < p->sim->f->num_switches)
            run_switch(p, node, k);
        else
            sim_run_host(p, node);
    }
}

#define KERNEL(name, masks, num, queues, accounts, destinations)                                   \
    static void window_##name(partition *p, const slot *at)                                        \
    {                                                                                              \
        shape k = {                                                                                \
            .words = masks, .vcs = num, .voq = queues, .ledger = accounts, .net = destinations};   \
        general_window(p, at, k);                                                                  \
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
    general_window(p, at, k);
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
