/* SPDX-License-Identifier: Apache-2.0
 *
 * What the loops of the fast kernel share: their variables, putting words into bins, and sending a
 * packet to a switch. */
#ifndef IKAT_SIM_FAST_CONTEXT_H
#define IKAT_SIM_FAST_CONTEXT_H

#include "ikat/vc.h"
#include "sim/fast/fast.h"
#include "sim/packet/shape.h"

#include <assert.h>

/* Where a word goes: the slot of its window, and its offset in there. */
typedef struct event_time {
    slot *at;
    uint32_t rest;
    bool far; /* the later of the two windows of a delay_slots */
} event_time;

/* A delay in the plain case: all that begins in this window ends in one of two. */
typedef struct delay_slots {
    slot *near, *far;
    uint32_t rest;
} delay_slots;
enum {
    DELAY_TAIL,
    DELAY_CREDIT,
    DELAY_ARRIVAL,
    DELAY_WAKE,
    DELAY_HOST_CREDIT,
    DELAY_HOST_ARRIVAL,
    NUM_DELAYS
};

/* What the loops need, in locals. */
typedef struct fast_context {
    sim *s;
    partition *p;
    fast_partition *fp;
    const fast_state *f;
    uint64_t *words, *events;
    fast_packet *packets;
    uint32_t *next;
    uint8_t *out;
    fast_switch *switches;
    uint64_t *ok;
    char *ports;
    uint32_t *queues;
    slot *slots[NUM_BINS];
    /* behind the last switch with something to do in this window; early: in the next */
    uint32_t *active, *active_next;
    fast_grant *grants; /* behind the last grant */
    queue_join *joins;  /* behind the last packet that is to join its queue */
    uint64_t start;
    uint32_t window, slot_mask, lookahead;
    uint32_t full; /* bytes of a packet */
    uint32_t num_switches;
    bool alone, mixed, reports, numbered, orders;
    uint8_t counts; /* what is sent in this window, in the measured time: COUNT_… */
    const ik_routing *routing;
    uint32_t (*next_hop)(const ik_routing *, uint32_t, uint32_t, ik_packet *, uint32_t *,
                         uint32_t *);
    uint32_t (*next_set)(const ik_routing *, uint32_t, uint32_t, ik_packet *, uint64_t *,
                         uint32_t *);
    const ik_vc *vc;
    unsigned vc_at; /* fast_state's */
    uint32_t id_mask;
    bool restarts;
    uint64_t *sets; /* fast_packets.sets */
    uint32_t *choices;
    delay_slots delays[NUM_DELAYS]; /* plain */
    bool in_step; /* plain: a credit comes at the tail's place in a later window */
} fast_context;

/* Transmissions that begin in the engine's window at `start` lie in the measured time: never, each
 * as a whole, or it is examined one by one. */
enum { COUNT_NONE, COUNT_WHOLE, COUNT_PARTS };

SIM_INLINE uint8_t context_counts_of(const sim *s, uint64_t start)
{
    uint64_t end = start + s->window.lookahead - 1 + s->engine.fast->longest_ps;
    if (start >= s->measure.warmup_ps && end <= s->measure.end_ps)
        return COUNT_WHOLE;
    return end <= s->measure.warmup_ps || start >= s->measure.end_ps ? COUNT_NONE : COUNT_PARTS;
}

/* The port's link is taken from `from` to `to`, that begins in this window. */
SIM_INLINE void context_count_sent(const fast_context *h, fast_port *out, uint32_t port,
                                   uint64_t from, uint64_t to)
{
    assert(from <= to);
    if (__builtin_expect(h->counts == COUNT_WHOLE, 1))
        out->sent++;
    else if (h->counts == COUNT_PARTS)
        h->f->edge_bytes[port] += state_bytes_in_window(h->s, from, to, h->full);
}

SIM_INLINE fast_context load_context(partition *p)
{
    sim *s = p->sim;
    fast_partition *fp = p->fast;
    const fast_state *f = s->engine.fast;
    const bins *b = &fp->bins;
    fast_context h = {.s = s, .p = p, .fp = fp, .f = f};
    h.words = b->words;
    h.events = f->events;
    h.packets = fp->packets.items;
    h.next = fp->packets.next;
    h.out = fp->packets.out;
    h.switches = f->switches;
    h.ok = f->ok;
    h.ports = f->ports;
    h.queues = f->queues;
    for (unsigned bin = 0; bin < NUM_BINS; bin++)
        h.slots[bin] = b->slots + bin * b->num_slots;
    h.active = fp->active[fp->turn];
    h.active_next = fp->active[!fp->turn] + fp->num_active;
    h.grants = fp->grants;
    h.joins = fp->joins;
    h.start = p->start;
    h.window = (uint32_t)p->window;
    h.slot_mask = b->num_slots - 1;
    h.lookahead = (uint32_t)s->window.lookahead;
    h.full = s->adapter.packet_bytes;
    h.num_switches = s->f->num_switches;
    h.alone = s->parallel.num_partitions == 1;
    h.mixed = f->mixed;
    h.reports = f->reports;
    h.numbered = f->numbered;
    h.orders = f->orders;
    h.counts = context_counts_of(s, p->start);
    h.routing = s->plan->routing;
    h.next_hop = s->plan->routing->family->next;
    h.next_set = s->plan->routing->family->next_mask;
    h.vc = s->plan->vc;
    h.vc_at = f->vc_at;
    h.id_mask = f->id_mask;
    h.restarts = f->restarts;
    h.sets = fp->packets.sets;
    h.choices = p->ports;
    return h;
}

/* The shape of a run, where it is not known to the compiler. */
SIM_INLINE shape context_fast_shape(const sim *s)
{
    shape k = sim_shape(s);
    k.chooses = s->choice.adaptive;
    k.roomiest = s->engine.fast->exact;
    k.several = s->source.packets_per_message > 1;
    k.steps = s->engine.fast->steps;
    k.overlap = s->engine.fast->overlap;
    k.buffers = s->engine.fast->outputs;
    return k;
}

/* ---- bins */

SIM_INLINE void context_post(fast_context *h, slot *at, uint64_t word)
{
    assert(at->first != IK_NONE || at->end == 0);
    if (__builtin_expect(at->end & 63, 1)) {
        h->words[at->end++] = word;
        return;
    }
    sim_bins_add(h->p, at, 1, word, 0);
    h->words = h->fp->bins.words;
}

SIM_INLINE void context_post_pair(fast_context *h, slot *at, uint64_t first, uint64_t second)
{
    assert(at->first != IK_NONE || at->end == 0);
    if (__builtin_expect(at->end & 63, 1)) {
        h->words[at->end] = first;
        h->words[at->end + 1] = second;
        at->end += 2;
        return;
    }
    sim_bins_add(h->p, at, 2, first, second);
    h->words = h->fp->bins.words;
}

SIM_INLINE slot *context_slot_ahead(const fast_context *h, unsigned bin, uint32_t windows)
{
    assert(bin < NUM_BINS);
    assert(windows <= h->slot_mask); /* a revolution of the bins covers every delay */
    return &h->slots[bin][(h->window + windows) & h->slot_mask];
}

SIM_INLINE event_time context_event_time_at(const fast_context *h, unsigned bin, window_time at)
{
    return (event_time){context_slot_ahead(h, bin, at.windows), at.rest, false};
}

SIM_INLINE void find_delay_slots(fast_context *h)
{
    const link_delays *l = &h->f->links[0];
    const struct {
        unsigned bin;
        window_time delay;
    } delays[NUM_DELAYS] = {[DELAY_TAIL] = {BIN_TAIL, l->tail},
                            [DELAY_CREDIT] = {BIN_CREDIT, l->tail_credit},
                            [DELAY_ARRIVAL] = {BIN_ARRIVAL, l->arrival},
                            [DELAY_WAKE] = {BIN_WAKE, l->tail},
                            [DELAY_HOST_CREDIT] = {BIN_CREDIT, l->host_credit},
                            [DELAY_HOST_ARRIVAL] = {BIN_ARRIVAL, l->host_arrival}};
    for (unsigned k = 0; k < NUM_DELAYS; k++)
        h->delays[k] =
            (delay_slots){context_slot_ahead(h, delays[k].bin, delays[k].delay.windows),
                          context_slot_ahead(h, delays[k].bin, delays[k].delay.windows + 1),
                          delays[k].delay.rest};
    h->in_step = l->tail.rest == l->tail_credit.rest;
}

SIM_INLINE event_time context_time_after(const fast_context *h, unsigned which, uint32_t offset)
{
    assert(which < NUM_DELAYS && offset < h->lookahead);
    const delay_slots *a = &h->delays[which];
    uint32_t rest = offset + a->rest;
    bool far = rest >= h->lookahead;
    return (event_time){far ? a->far : a->near, far ? rest - h->lookahead : rest, far};
}

/* The credit after a tail. */
SIM_INLINE event_time credit_time_after(const fast_context *h, uint32_t offset, event_time tail)
{
    const delay_slots *a = &h->delays[DELAY_CREDIT];
    if (__builtin_expect(h->in_step, 1))
        return (event_time){tail.far ? a->far : a->near, tail.rest, tail.far};
    return context_time_after(h, DELAY_CREDIT, offset);
}

/* Sum of an offset in this window and a delay. */
SIM_INLINE window_time context_after(const fast_context *h, uint32_t offset, window_time d)
{
    assert(offset < h->lookahead && d.rest < h->lookahead);
    uint32_t rest = offset + d.rest, carry = rest >= h->lookahead;
    return (window_time){d.windows + carry, rest - (carry ? h->lookahead : 0)};
}

SIM_INLINE window_time context_until(const fast_context *h, uint64_t time)
{
    assert(time >= h->start);
    uint64_t dt = time - h->start, windows = events_window_of(h->s, dt);
    return (window_time){(uint32_t)windows, (uint32_t)(dt - windows * h->lookahead)};
}

/* ---- ports */

SIM_INLINE fast_port *context_port_at(const fast_context *h, const shape k, uint32_t port)
{
    assert(port < h->s->f->num_ports);
    return (fast_port *)(void *)(h->ports + port * fast_port_bytes(k.vcs, k.steps));
}

/* Port n of the switch whose ports begin there. */
SIM_INLINE fast_port *context_beside(fast_port *first, const shape k, unsigned n)
{
    return (fast_port *)(void *)((char *)first + n * fast_port_bytes(k.vcs, k.steps));
}

/* Inputs that ask for an output, by the VC that they ask for. */
SIM_INLINE uint64_t *context_asked_of(const shape k, fast_port *out)
{
    return out->want + (k.steps ? k.vcs : 0);
}

/* Ports that do not fit a line of the cache. */
SIM_INLINE void fetch_port_lines(const shape k, const fast_port *p)
{
    __builtin_prefetch(p, 1);
    if (k.steps && fast_port_bytes(k.vcs, true) > 64)
        __builtin_prefetch((const char *)p + 64, 1);
}

/* ---- words that say which packet is next */

/* Bits of a packet's number. */
SIM_INLINE uint32_t context_id_of(const fast_context *h, const shape k, uint32_t word)
{
    return word & (k.steps || k.overlap ? h->id_mask : ~LAST_BEHIND);
}

/* The VC that the packet asks for. */
SIM_INLINE unsigned context_vc_of(const fast_context *h, uint32_t word)
{
    assert(h->vc_at < 32);
    return (word & ~LAST_BEHIND) >> h->vc_at;
}

/* The tag alone. */
SIM_INLINE uint32_t context_tag_of(const fast_context *h, const shape k, uint32_t word)
{
    return k.steps || k.overlap ? word & ~LAST_BEHIND & ~h->id_mask : 0;
}

/* Overlapping sets: the bit below the VC says whether the packet has a choice. */
SIM_INLINE bool context_has_choice(const fast_context *h, const shape k, uint32_t word)
{
    return k.overlap && word >> (h->vc_at - 1) & 1;
}

/* A packet joins a queue, of which it becomes the last one: `word` is its number, and with it its
 * tag. Returns whether it is the first one, too. */
SIM_INLINE bool context_append(const fast_context *h, const shape k, uint32_t *place, uint32_t word)
{
    uint32_t before = *place, id = context_id_of(h, k, word);
    if (before == IK_NONE) {
        *place = word;
        h->next[id] = word | LAST_BEHIND;
        return true;
    }
    uint32_t last = context_id_of(h, k, before);
    *place = id | context_tag_of(h, k, before);
    h->next[id] = h->next[last];
    h->next[last] = word;
    return false;
}

/* Packets that may be sent through a port in VC v. */
SIM_INLINE uint16_t *context_port_credit(const fast_context *h, const shape k, uint32_t port,
                                         unsigned v)
{
    return fast_credit(h->f, k.vcs, k.steps, context_port_at(h, k, port), port, v);
}

/* Whether credit for a port counts at its instant, and not before: packets look how much there
 * is. */
SIM_INLINE bool context_is_exact(const fast_context *h, const shape k, uint32_t port)
{
    return k.roomiest && h->f->exact[port >> 6] >> (port & 63) & 1;
}

/* Space behind a port that will come back, as many windows later as a transmission takes or a few
 * more. Early: counts at once where there is enough for two packets without it; if packets look for
 * space behind busy outputs, too, for three (fast/README.md). Returns whether it does. */
SIM_INLINE bool context_count_early(const fast_context *h, const shape k, fast_port *p,
                                    uint32_t port, unsigned v)
{
    uint16_t *credit = fast_credit(h->f, k.vcs, k.steps, p, port, v);
    if (context_is_exact(h, k, port))
        return false;
    if (!k.early || *credit < (k.chooses ? 3 : 2))
        return false;
    ++*credit;
    return true;
}

SIM_INLINE const link_delays *context_link_at(const fast_context *h, const shape k, uint32_t port)
{
    assert(port < h->s->f->num_ports);
    return &h->f->links[k.plain ? 0 : h->f->class[port]];
}

/* ---- packets on links */

/* Adaptive outputs: the sets of a switch. */
SIM_INLINE const choice_sets *context_sets_of(const fast_context *h, const fast_switch *fsw)
{
    return &h->f->sets[fsw->sets];
}

/* Whether a packet that asks for an output chooses when it comes. */
SIM_INLINE bool context_will_choose(const fast_context *h, const shape k, uint64_t key)
{
    return k.chooses &&
           (k.overlap ||
            context_sets_of(h, &h->switches[fast_key_switch(key)])->of[fast_key_out(key)]);
}

/* The output that packet id takes at `node`, or prefers if it chooses when it comes; NO_OUT if
 * there is none. */
SIM_INLINE unsigned context_route(const fast_context *h, const shape k, uint32_t node,
                                  uint32_t in_port, ik_packet *rt, uint32_t id)
{
    if (k.chooses) {
        uint64_t set = 0;
        uint32_t out = NO_OUT;
        return h->next_set(h->routing, node, in_port, rt, &set, &out) ? out : NO_OUT;
    }
    uint32_t preferred = 0, n = h->next_hop(h->routing, node, in_port, rt, h->choices, &preferred);
    if (__builtin_expect(n != 1, 0)) {
        if (n == 0)
            return NO_OUT;
        preferred = sim_fast_drawn(h->p, id, rt, n, preferred);
    }
    return h->choices[preferred] - h->switches[node].port_base;
}

SIM_INLINE uint32_t context_queue_at(const fast_switch *fsw, const shape k, unsigned in, unsigned v,
                                     unsigned out)
{
    return fast_queue_at(fsw, k.voq, k.vcs, in, v, out);
}

SIM_INLINE void free_fast_packet(fast_context *h, uint32_t id)
{
    assert(id < h->fp->packets.size);
    h->next[id] = h->fp->packets.free;
    h->fp->packets.free = id;
    IK_POISON(&h->packets[id], sizeof *h->packets);
}

/* The VC that a packet takes on the channel behind `out` of `node`, where it comes by in_port. */
SIM_INLINE unsigned context_next_vc(const fast_context *h, uint32_t node, uint32_t in_port,
                                    unsigned out, const ik_packet *rt)
{
    uint8_t first = 0, last = 0;
    if (out != NO_OUT)
        h->vc->family->next(h->vc, node, in_port, h->switches[node].port_base + out, rt, &first,
                            &last);
    assert(first == last && first < h->s->sw.vcs);
    return first;
}

/* Overlapping sets: routes a packet for a switch, where it comes by in_port. *word: its number and
 * its tag; its set is kept. Returns its output, or the preferred one; NO_OUT if there is none. */
SIM_INLINE unsigned context_route_set(const fast_context *h, const shape k, uint32_t node,
                                      uint32_t in_port, uint32_t id, uint32_t *word)
{
    assert(node < h->num_switches && id < h->fp->packets.size);
    fast_packet *pk = &h->packets[id];
    uint64_t set = 0;
    uint32_t out = NO_OUT, n = h->next_set(h->routing, node, in_port, &pk->rt, &set, &out);
    *word = id;
    if (n == 0)
        return NO_OUT;
    if (n > 1) {
        h->sets[id] = set;
        *word |= 1u << (h->vc_at - 1);
    }
    if (k.steps) {
        pk->vc_next = context_next_vc(h, node, in_port, out, &pk->rt) & 31;
        *word |= (uint32_t)pk->vc_next << h->vc_at;
    }
    return out;
}

/* Whether a packet chooses its way anew when it comes to a switch by that port. */
SIM_INLINE bool context_restarts_at(const fast_context *h, const shape k, const fast_port *in)
{
    return k.overlap && h->restarts && in->peer_node >= h->num_switches;
}

SIM_INLINE void context_change_waiting(const fast_context *h, uint32_t port, unsigned v,
                                       int packets)
{
    assert(h->f->waits && port < h->s->f->num_ports && (h->f->wait_vcs == 1 || v < h->f->wait_vcs));
    h->f->waits[(size_t)port * h->f->wait_vcs + (h->f->wait_vcs > 1 ? v : 0)] += (uint32_t)packets;
}

/* Packets that wait for an output, for routings that look at that: one more, or one less. With
 * output buffers those in there count instead. */
SIM_INLINE void context_count_waiting(const fast_context *h, const shape k, uint32_t port,
                                      unsigned v, int packets)
{
    if (k.overlap && !k.buffers && h->restarts)
        context_change_waiting(h, port, v, packets);
}

/* Output buffers whose packets others choose by. */
SIM_INLINE bool context_counts_buffers(const fast_context *h, const shape k)
{
    return k.buffers && k.chooses && h->f->waits;
}

/* A packet whose head leaves through `to` for a switch, where it may ask at `at`; from_host: from
 * its source. Returns it, and its tag, if it is to join its queue at once. */
SIM_INLINE uint32_t context_send_to_switch(fast_context *h, const shape k, const fast_port *to,
                                           uint32_t id, fast_packet *pk, unsigned v, event_time at,
                                           bool from_host)
{
    uint32_t node = to->peer_node;
    fast_switch *fsw = &h->switches[node];
    uint32_t word = id;
    unsigned out = k.overlap && h->restarts && from_host ? 0
                   : k.overlap ? context_route_set(h, k, node, to->peer_port, id, &word)
                               : context_route(h, k, node, to->peer_port, &pk->rt, id),
             in = to->peer_port - fsw->port_base;
    uint32_t q =
        __builtin_expect(out != NO_OUT, 1) ? context_queue_at(fsw, k, in, v, out) : IK_NONE;
    pk->out = (uint8_t)out;
    if (k.steps && !k.overlap) {
        pk->vc_next = context_next_vc(h, node, to->peer_port, out, &pk->rt) & 31;
        word |= (uint32_t)pk->vc_next << h->vc_at;
    }
    if (!k.voq)
        h->out[id] = (uint8_t)out;
    if (__builtin_expect(!h->alone, 0) && h->s->parallel.node_partition[node] != h->p->id) {
        /* windows */
        uint32_t ahead = ((uint32_t)(at.at - h->slots[BIN_ARRIVAL]) - h->window) & h->slot_mask;
        packet copy = sim_fast_packet(h->p, id);
        event e = {calendar_event_key(EV_ARRIVAL, to->peer_port), node, id};
        sim_post_message(h->p, h->s->parallel.node_partition[node],
                         h->start + (uint64_t)ahead * h->lookahead + at.rest, &e, &copy,
                         h->orders ? (uint32_t)h->fp->packets.sequence[id] : 0);
        free_fast_packet(h, id);
        return IK_NONE;
    }
    /* overlap: in order of ports, whatever their VCs */
    uint64_t key = fast_key_of(at.rest, node, KEY_ARRIVAL, k.overlap ? 0 : v, in, out & 63);
    if (k.early && __builtin_expect(q != IK_NONE, 1)) {
        if (context_will_choose(h, k, key)) /* it joins a queue when it comes */
            __builtin_prefetch(fsw->events, 1);
        else
            __builtin_prefetch(&h->queues[q], 1);
        fsw->held++;
        *h->joins++ = (queue_join){key, q, at.far ? word | JOIN_LATER : word};
        return id;
    }
    context_post_pair(h, at.at, key, (uint64_t)q << 32 | word);
    return IK_NONE;
}

/* ---- hosts */

SIM_INLINE fast_adapter *context_host_at(const fast_context *h, uint32_t host)
{
    assert(host < h->s->f->num_hosts);
    return (fast_adapter *)(void *)(h->f->hosts + host * h->f->host_bytes);
}

/* VCs in which packets start: the others of an adapter have none. */
SIM_INLINE unsigned context_sending_vcs(const fast_context *h, const shape k)
{
    return k.vcs == 1 || h->f->starts_low ? 1 : k.vcs;
}

SIM_INLINE void context_fetch_host(const fast_context *h, const shape k, uint32_t host)
{
    const char *at = (const char *)context_host_at(h, host);
    for (unsigned line = 0; line <= context_sending_vcs(h, k); line++)
        __builtin_prefetch(at + line * 64, 1);
}

/* ---- what happens in this window */

/* The bins of this window, chunk by chunk. */
SIM_INLINE uint32_t context_first_chunk(const fast_context *h, unsigned bin)
{
    return h->slots[bin][h->window & h->slot_mask].first;
}

SIM_INLINE uint32_t context_next_chunk(const fast_context *h, uint32_t chunk)
{
    assert(chunk == IK_NONE || chunk < h->fp->bins.num_chunks);
    return chunk == IK_NONE ? IK_NONE : (uint32_t)h->words[(size_t)chunk * 64];
}

/* Place after the last word of a chunk; its words begin at chunk * 64 + 2. */
SIM_INLINE size_t context_chunk_end(const fast_context *h, unsigned bin, uint32_t chunk)
{
    uint32_t end = h->slots[bin][h->window & h->slot_mask].end;
    return (end - 1) >> 6 == chunk ? end : (size_t)chunk * 64 + 64;
}

#endif
