/* SPDX-License-Identifier: Apache-2.0
 *
 * Phase B of a switch of the general engine: what changed is matched, and the packets that are
 * granted are sent on their way. packet/switch.c says when. */
#ifndef IKAT_SIM_MATCH_H
#define IKAT_SIM_MATCH_H

#include "sim/packet/output.h"
#include "sim/packet/shape.h"
#include "sim/packet/voqnet.h"
#include "sim/packet/watching.h"

#include <assert.h>

/* What changed at this instant. */
typedef struct changes {
    uint64_t *out, *in;
} changes;

/* The packet that would go from (in, v) to out; there is a request. */
SIM_INLINE const packet *match_head_of(const partition *p, sw_state *sw, const shape k, unsigned in,
                                       unsigned v, unsigned out)
{
    uint32_t head = shape_queue_of(sw, k, in, v, out)->head;
    assert(head != IK_NONE); /* a request is there */
    return &p->pool[k.net ? sw->net[head].head : head];
}

/* What the masks say of the packets of VC v that ask for out: there is room for each of them, for
 * none, or they have to be examined. */
enum { ROOM_FOR_NONE, ROOM_FOR_ALL, ROOM_BY_PACKET };

SIM_INLINE unsigned match_room_for(const partition *p, const sw_state *sw, const shape k,
                                   unsigned out, unsigned v)
{
    const sim *s = p->sim;
    unsigned word = k.words == 1 ? 0 : out >> 6, with = 0;
    if (!s->choice.room_kept)
        return ROOM_BY_PACKET;
    if (s->choice.static_lane) {
        bool room = shape_room_of_vc(sw, k, v)[word] >> (out & 63) & 1;
        return room ? ROOM_FOR_ALL : s->source.uniform_size ? ROOM_FOR_NONE : ROOM_BY_PACKET;
    }
    for (unsigned u = 0; u < k.vcs; u++)
        with += shape_room_of_vc(sw, k, u)[word] >> (out & 63) & 1;
    return with == k.vcs                         ? ROOM_FOR_ALL
           : with == 0 && s->source.uniform_size ? ROOM_FOR_NONE
                                                 : ROOM_BY_PACKET;
}

/* Whether input may start a packet of VC v towards out: there is one, and room for it. General
 * shapes look at the packet; a request of voqnet says it. */
SIM_INLINE bool match_vc_ready(partition *p, sw_state *sw, const shape k, unsigned input,
                               unsigned out, unsigned v)
{
    assert(input < sw->inputs && out < sw->radix && v < k.vcs);
    if (!(shape_want_of(sw, k, out, v)[input >> 6] >> (input & 63) & 1))
        return false;
    if (k.net)
        return true;
    unsigned room = match_room_for(p, sw, k, out, v);
    return room == ROOM_BY_PACKET
               ? shape_has_room(p, k, sw->port_base + out,
                                match_head_of(p, sw, k, shape_port_of(p->sim, input), v, out))
               : room == ROOM_FOR_ALL;
}

/* Free inputs (one word) that can send to out now. */
SIM_INLINE uint64_t match_ready_inputs(partition *p, sw_state *sw, const shape k, unsigned out,
                                       unsigned word)
{
    uint64_t free_in = switch_state_free_inputs(sw)[word], ready = 0;
    for (unsigned v = 0; v < k.vcs; v++) {
        uint64_t candidates = shape_want_of(sw, k, out, v)[word] & free_in & ~ready;
        unsigned room = !candidates ? ROOM_FOR_NONE
                        : k.net     ? ROOM_FOR_ALL
                                    : match_room_for(p, sw, k, out, v);
        if (room != ROOM_BY_PACKET) {
            ready |= room == ROOM_FOR_ALL ? candidates : 0;
            continue;
        }
        for (; candidates; candidates &= candidates - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(candidates);
            if (match_vc_ready(p, sw, k, word * 64 + bit, out, v))
                ready |= 1ull << bit;
        }
    }
    return ready;
}

/* First set bit at or after `from`, cyclically; the mask is not empty. */
SIM_INLINE unsigned match_first_from(const uint64_t *mask, const unsigned words, unsigned from)
{
    if (words == 1) {
        uint64_t high = mask[0] >> from << from;
        return (unsigned)__builtin_ctzll(high ? high : mask[0]);
    }
    unsigned word = from >> 6;
    uint64_t bits = mask[word] >> (from & 63) << (from & 63);
    while (!bits) {
        word = word + 1 == words ? 0 : word + 1;
        bits = mask[word];
    }
    return word * 64 + (unsigned)__builtin_ctzll(bits);
}

/* Of the most urgent packet that an input may send to out now. */
static uint64_t match_urgency_of(partition *p, sw_state *sw, const shape k, unsigned input,
                                 unsigned out)
{
    uint64_t oldest = UINT64_MAX;
    for (unsigned v = 0; v < k.vcs; v++) {
        if (!match_vc_ready(p, sw, k, input, out, v))
            continue;
        uint64_t t =
            sim_urgency(p->sim, match_head_of(p, sw, k, shape_port_of(p->sim, input), v, out));
        if (t < oldest)
            oldest = t;
    }
    return oldest;
}

/* Picks one of mask for the arbiters other than iSLIP and round robin, ties to the lowest.
 * `is_out`: mask holds inputs that ask for output `at`; otherwise outputs that granted input
 * `at`. */
static unsigned match_pick_other(partition *p, sw_state *sw, const shape k, const uint64_t *mask,
                                 unsigned words, unsigned at, bool is_out)
{
    const sim *s = p->sim;
    unsigned count = 0, best = 0;
    uint64_t best_key = UINT64_MAX;
    for (unsigned w = 0; w < words; w++) {
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1, count++) {
            unsigned bit = w * 64 + (unsigned)__builtin_ctzll(bits);
            uint64_t key = s->sw.by_age
                               ? match_urgency_of(p, sw, k, is_out ? bit : at, is_out ? at : bit)
                               : ik_random_u64(s->seed, IK_RNG_ARBITER, p->cur_switch, sw->draws++);
            if (count == 0 || key < best_key) {
                best = bit;
                best_key = key;
            }
        }
    }
    return best;
}

/* VCs of the matched pair that may go now. */
SIM_INLINE uint64_t match_ready_vcs(partition *p, sw_state *sw, const shape k, unsigned input,
                                    unsigned out)
{
    uint64_t ready = 0;
    for (unsigned v = 0; v < k.vcs; v++)
        ready |= (uint64_t)match_vc_ready(p, sw, k, input, out, v) << v;
    return ready;
}

/* Input-queued: from the input buffer straight on the link. */
SIM_INLINE void match_send_on_link(partition *p, uint32_t node, sw_state *sw, const shape k,
                                   uint32_t id, uint32_t in_port, uint32_t out_port, unsigned input,
                                   unsigned v, unsigned u, uint64_t t0)
{
    assert(u >= p->pool[id].vc_first && u <= p->pool[id].vc_last);
    sim *s = p->sim;
    packet *pk = &p->pool[id];
    const port_state *to = &s->net.ports[out_port];
    uint32_t size = pk->size;
    uint64_t end = t0 + state_transmit_ps(s, out_port, size);
    if (end < pk->t_tail)
        end = pk->t_tail;
    shape_take_space(p, sw, k, out_port, u, pk);
    state_output_of(s, out_port)->bytes += state_bytes_in_window(s, t0, end, size);
    bool to_switch = to->peer_node < s->f->num_switches;
    uint64_t delay = s->sw.traversal_ps + to->latency_ps;
    shape_give_space(p, k, in_port, end, v, pk->out, pk);
    pk->rt.vc = (uint8_t)u;
    ik_packet_add_hops(&pk->rt, to_switch);
    pk->t_tail = end + delay;
    uint64_t ready =
        (s->sw.store_forward ? pk->t_tail : t0 + delay) + (to_switch ? s->sw.routing_ps : 0);
    events_post_own(p, end, node, EV_TAIL, out_port, input, true);
    events_post_remote(p, ready, to->peer_node, EV_ARRIVAL, to->peer_port, id);
}

/* Carries out a grant of time t0: the packet leaves the input buffer, whose space is credited
 * upstream when its last byte has left, and goes over the link (input-queued) or into the output
 * buffer. A tail that is still arriving here from a slower link holds the output until it has
 * come. */
SIM_INLINE void match_commit(partition *p, sw_state *sw, const shape k, uint32_t node,
                             unsigned input, unsigned out, unsigned v, uint64_t t0)
{
    assert(input < sw->inputs && out < sw->radix && v < k.vcs);
    sim *s = p->sim;
    unsigned in = shape_port_of(s, input);
    uint32_t in_port = sw->port_base + in, out_port = sw->port_base + out;
    queue *q = shape_queue_of(sw, k, in, v, out);
    packet *pk =
        k.net ? voqnet_net_pop(p, sw, k, in, v, out) : shape_pop_head(p, sw, k, q, in, v, out);
    uint32_t id = (uint32_t)(pk - p->pool);
    uint32_t dst = pk->rt.dst;
    unsigned u = shape_choose_vc(p, k, out_port, pk);
    if (s->backlog.queued)
        s->backlog.sending[out_port] = calendar_space_data(v, pk->size);
    assert(sw->bytes >= pk->size); /* the sum of what stands in its buffers */
    sw->bytes -= pk->size;
    p->n.hops++;
    if (k.watch)
        watching_granted(p, id, out_port, u, t0);
    if (__builtin_expect(p->edges != NULL, 0))
        sim_check_step(p, &pk->rt, in_port, v, out_port, u);
    if (s->sw.model == MODEL_IOQ)
        move_to_output(p, node, sw, k, id, in_port, out_port, input, v, u, t0);
    else
        match_send_on_link(p, node, sw, k, id, in_port, out_port, input, v, u, t0);
    if (k.net)
        net_space_changed(p, sw, k, out, dst);
}

/* Of those VCs, the one whose packet is most urgent, ties to the lowest. */
static unsigned match_most_urgent_vc(partition *p, sw_state *sw, const shape k, uint64_t vcs,
                                     unsigned input, unsigned out)
{
    assert(vcs); /* one at least is ready */
    unsigned best = 0;
    uint64_t best_key = UINT64_MAX;
    for (; vcs; vcs &= vcs - 1) {
        unsigned v = (unsigned)__builtin_ctzll(vcs);
        uint64_t key =
            sim_urgency(p->sim, match_head_of(p, sw, k, shape_port_of(p->sim, input), v, out));
        if (key < best_key) {
            best = v;
            best_key = key;
        }
    }
    return best;
}

/* Starts the packet of a matched pair; its VC by round robin, a pointer a pair, unless urgency
 * decides. */
SIM_INLINE void match_start_transfer(partition *p, sw_state *sw, const shape k, unsigned input,
                                     unsigned out)
{
    assert(input < sw->inputs && out < sw->radix);
    unsigned v = 0;
    if (k.vcs > 1) {
        uint8_t *pointer = &sw->pair_vc[(size_t)input * sw->radix + out];
        uint64_t ready = match_ready_vcs(p, sw, k, input, out);
        v = p->sim->sw.by_age ? match_most_urgent_vc(p, sw, k, ready, input, out)
                              : match_first_from(&ready, 1, *pointer);
        *pointer = (uint8_t)(v + 1 == k.vcs ? 0 : v + 1);
    }
    match_commit(p, sw, k, p->cur_switch, input, out, v, p->now);
}

SIM_INLINE uint16_t *match_accept_pointer(sim *s, const sw_state *sw, unsigned input)
{
    assert(input < sw->inputs);
    return s->sw.input_speedup == 1
               ? &s->net.ports[sw->port_base + input].accept
               : &s->net.accept[(size_t)sw->port_base * s->sw.input_speedup + input];
}

/* Every unmatched output of d grants one ready input. Outputs without any leave d. Returns whether
 * something was granted. */
SIM_INLINE bool match_grant_step(partition *p, sw_state *sw, const shape k, uint64_t *d)
{
    sim *s = p->sim;
    bool any = false;
    for (unsigned w = 0; w < k.words; w++) {
        for (uint64_t bits = d[w]; bits; bits &= bits - 1) {
            unsigned out = w * 64 + (unsigned)__builtin_ctzll(bits);
            uint64_t one[1], *ready = k.words == 1 ? one : p->ready, found = 0;
            for (unsigned x = 0; x < k.words; x++)
                found |= ready[x] = match_ready_inputs(p, sw, k, out, x);
            if (!found) {
                d[w] &= ~(bits & -bits);
                continue;
            }
            uint16_t *pointer = &s->net.ports[sw->port_base + out].grant;
            unsigned input = s->sw.arbiter <= ARB_ROUND_ROBIN
                                 ? match_first_from(ready, k.words, *pointer)
                                 : match_pick_other(p, sw, k, ready, k.words, out, true);
            if (s->sw.arbiter == ARB_ROUND_ROBIN)
                *pointer = (uint16_t)(input + 1 == sw->inputs ? 0 : input + 1);
            shape_mark(p->granted + (size_t)input * k.words, k, out);
            shape_mark(p->granted_any, k, input);
            any = true;
        }
    }
    return any;
}

/* Every input that was granted accepts one output. */
SIM_INLINE void match_accept_step(partition *p, sw_state *sw, const shape k, uint64_t *d,
                                  bool first)
{
    sim *s = p->sim;
    for (unsigned w = 0; w < k.words; w++) {
        uint64_t bits = p->granted_any[w];
        p->granted_any[w] = 0;
        for (; bits; bits &= bits - 1) {
            unsigned input = w * 64 + (unsigned)__builtin_ctzll(bits), out;
            uint64_t *granted = p->granted + (size_t)input * k.words;
            uint16_t *pointer = match_accept_pointer(s, sw, input);
            out = s->sw.arbiter <= ARB_ROUND_ROBIN
                      ? match_first_from(granted, k.words, *pointer)
                      : match_pick_other(p, sw, k, granted, k.words, input, false);
            for (unsigned x = 0; x < k.words; x++)
                granted[x] = 0;
            if (first || (s->sw.arbiter == ARB_ROUND_ROBIN)) {
                *pointer = (uint16_t)(out + 1 == sw->radix ? 0 : out + 1);
                if (s->sw.arbiter == ARB_ISLIP)
                    s->net.ports[sw->port_base + out].grant =
                        (uint16_t)(input + 1 == sw->inputs ? 0 : input + 1);
            }
            switch_state_free_inputs(sw)[w] &= ~(1ull << (input & 63));
            switch_state_free_outputs(sw, k.words)[out >> 6] &= ~(1ull << (out & 63));
            d[out >> 6] &= ~(1ull << (out & 63));
            match_start_transfer(p, sw, k, input, out);
        }
    }
}

/* The outputs worth looking at: d = what changed and is free. Clears the marks. */
SIM_INLINE bool match_collect_outputs(sw_state *sw, const shape k, const changes *ch, uint64_t *d)
{
    uint64_t any = 0;
    for (unsigned w = 0; w < k.words; w++) {
        d[w] = ch->out[w];
        ch->out[w] = 0;
    }
    for (unsigned w = 0; w < k.words; w++) {
        uint64_t bits = ch->in[w];
        ch->in[w] = 0;
        for (; bits; bits &= bits - 1) {
            const uint64_t *row = shape_row_of(sw, k, w * 64 + (unsigned)__builtin_ctzll(bits));
            for (unsigned x = 0; x < k.words; x++)
                d[x] |= row[x];
        }
    }
    for (unsigned w = 0; w < k.words; w++)
        any |= d[w] &= switch_state_free_outputs(sw, k.words)[w];
    return any;
}

/* Remembers pairs left over, of which there are some; they are examined again at the next multiple
 * of relook_ps. */
SIM_INLINE void match_look_later(partition *p, sw_state *sw, const shape k, const uint64_t *d)
{
    uint64_t pending = 0, *left = switch_state_left_outputs(sw, k.words),
             period = p->sim->window.relook_ps;
    for (unsigned w = 0; w < k.words; w++) {
        pending |= left[w];
        left[w] |= d[w];
    }
    if (!pending)
        events_post_own(p, (p->now / period + 1) * period, p->cur_switch, EV_TAIL, sw->port_base,
                        LOOK_AGAIN, true);
}

/* Returns whether anything was granted. */
SIM_INLINE bool match_switch(partition *p, sw_state *sw, const shape k, const changes *ch)
{
    uint64_t one[1], *d = k.words == 1 ? one : p->open, any = 0;
    if (!match_collect_outputs(sw, k, ch, d))
        return false;
    for (unsigned it = 0; it < p->sim->sw.iterations; it++) {
        if (!match_grant_step(p, sw, k, d))
            return it > 0; /* every output left d */
        match_accept_step(p, sw, k, d, it == 0);
        any = 0;
        for (unsigned w = 0; w < k.words; w++)
            any |= d[w];
        if (!any)
            return true;
    }
    match_look_later(p, sw, k, d);
    return true;
}

#endif
