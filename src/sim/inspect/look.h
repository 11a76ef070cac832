/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect/look.h: the state of a network at rest, read: by the watchdog, the paranoid checks and
 * the samples of congestion. How packets, queues and ports are laid out is known here and to the
 * kernels.
 *
 * A lane is an input port and VC; it has one queue, one an output, or one a destination. The space
 * of an input port is kept by accounts, `look_kinds` of them: its VCs, or those of its ledger. */
#ifndef IKAT_SIM_LOOK_H
#define IKAT_SIM_LOOK_H

#include "sim/packet/output.h"
#include "sim/packet/voqnet.h"

#include <assert.h>

/* Owns the packets that stand in a switch, by id. */
SIM_INLINE partition *look_partition(const sim *s, uint32_t sw)
{
    assert(sw < ik_num_nodes(s->f)); /* hosts have packets, too */
    return &s->parallel.partitions[s->parallel.node_partition[sw]];
}

/* ---- queues */

SIM_INLINE uint32_t look_queues(const sim *s, uint32_t sw)
{
    return s->sw.queues == QUEUES_VOQNET ? s->f->num_hosts
           : s->sw.voq                   ? s->net.switches[sw].radix
                                         : 1u;
}

/* Queue n of lane (in, v). */
SIM_INLINE queue look_queue(const sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n)
{
    assert(in < s->net.switches[sw].radix && v < s->sw.vcs);
    assert(look_queues(s, sw) == 1 || n < look_queues(s, sw)); /* of a FIFO, n says nothing */
    sw_state *state = &s->net.switches[sw];
    if (s->sw.queues == QUEUES_VOQNET) {
        const net_queue *q = voqnet_net_queue_of(s, state, in * s->sw.vcs + v, n);
        return (queue){q->head, q->tail};
    }
    return s->engine.ops->queue(s, sw, in, v, n);
}

/* First packet of queue n of lane (in, v), IK_NONE = empty. */
SIM_INLINE uint32_t look_head(const sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n)
{
    return s->sw.queues == QUEUES_VOQNET ? look_queue(s, sw, in, v, n).head
                                         : s->engine.ops->head(s, sw, in, v, n);
}

/* A packet, whichever engine owns it; valid until the fourth call after this one. */
SIM_INLINE packet *look_packet(partition *p, uint32_t id)
{
    return p->sim->engine.ops->packet(p, id);
}

/* The packet behind id in its queue. */
SIM_INLINE uint32_t look_behind(const partition *p, uint32_t id)
{
    return p->sim->engine.ops->behind(p, id);
}

/* First packet of an output buffer, IK_NONE = empty, or there is none. */
SIM_INLINE uint32_t look_output_head(const sim *s, uint32_t port, unsigned u)
{
    return s->sw.out_buffers ? state_out_queue_of(s, s->sw.vcs, port, u)->head : IK_NONE;
}

/* Outputs (word w of a bit map) that queues of lane (in, v), or of its input's other VCs, ask for.
 * Not with voqnet. */
SIM_INLINE uint64_t look_requests(const sim *s, uint32_t sw, unsigned in, unsigned v, unsigned w)
{
    assert(s->sw.queues != QUEUES_VOQNET && w < s->net.switches[sw].words);
    return shape_row_of(&s->net.switches[sw], sim_shape(s), shape_input_of(s, in, v))[w];
}

/* Whether a queue of lane (in, v) asks for an output: with a queue an output, whether it holds
 * packets. Not with voqnet. */
SIM_INLINE bool look_asks(const sim *s, uint32_t sw, unsigned in, unsigned v, unsigned out)
{
    assert(s->sw.queues != QUEUES_VOQNET && out < s->net.switches[sw].radix);
    unsigned input = shape_input_of(s, in, v);
    return shape_want_of(&s->net.switches[sw], sim_shape(s), out, v)[input >> 6] >> (input & 63) &
           1;
}

/* The output (port) that the head of a FIFO asks for, without touching the packet; IK_NONE = it may
 * still choose. */
SIM_INLINE uint32_t look_fifo_output(const sim *s, uint32_t sw, unsigned in, unsigned v)
{
    const sw_state *state = &s->net.switches[sw];
    unsigned input = shape_input_of(s, in, v), lane_index = in * s->sw.vcs + v;
    if (state->undecided && (state->undecided[lane_index >> 6] >> (lane_index & 63) & 1))
        return IK_NONE;
    for (unsigned w = 0; w < s->net.max_words; w++) {
        for (uint64_t bits = look_requests(s, sw, in, v, w); bits; bits &= bits - 1) {
            unsigned out = w * 64 + (unsigned)__builtin_ctzll(bits);
            if (shape_want_of(state, sim_shape(s), out, v)[input >> 6] >> (input & 63) & 1)
                return state->port_base + out;
        }
    }
    return IK_NONE;
}

/* ---- what packets want */

/* The output that a packet of an input queue has chosen; IK_NONE = none yet, it may still
 * choose. */
SIM_INLINE uint32_t look_output(const sim *s, uint32_t sw, const packet *pk)
{
    return pk->out == SIM_UNDECIDED ? IK_NONE : s->net.switches[sw].port_base + pk->out;
}

/* What a packet of an input queue may take, to p->choices; their number. May ask the routing. */
SIM_INLINE uint32_t look_choices(const sim *s, partition *p, uint32_t sw, uint32_t in_port,
                                 packet *pk)
{
    uint32_t preferred;
    if (s->net.switches[sw].undecided)
        return ik_plan_next(s->plan, sw, in_port, &pk->rt, p->choices, &preferred);
    p->choices[0] = (ik_choice){look_output(s, sw, pk), pk->vc_first, pk->vc_last};
    return 1;
}

/* ---- what is free */

/* Whether the crossbar's side of an output is free. */
SIM_INLINE bool look_output_free(const sim *s, uint32_t port)
{
    assert(port < s->f->port_base[s->f->num_switches]);
    const sw_state *sw = &s->net.switches[s->f->port_node[port]];
    uint32_t out = port - sw->port_base;
    return switch_state_free_outputs(sw, sw->words)[out >> 6] >> (out & 63) & 1;
}

/* Whether lane (in, v) may be read. */
SIM_INLINE bool look_input_free(const sim *s, uint32_t sw, unsigned in, unsigned v)
{
    unsigned input = shape_input_of(s, in, v);
    return switch_state_free_inputs(&s->net.switches[sw])[input >> 6] >> (input & 63) & 1;
}

/* Whether an event is the end of a transfer through the crossbar: its port is the output,
 * its data the input (in * input_speedup + reader) as output_transfer_input() gives it. */
SIM_INLINE bool look_is_transfer(const sim *s, const event *e)
{
    return calendar_event_kind(e) == EV_TAIL && e->node < s->f->num_switches &&
           output_ends_transfer(e->data);
}

/* ---- space */

SIM_INLINE unsigned look_kinds(const sim *s)
{
    return s->net.in_space.accounts ? s->net.in_space.accounts : s->sw.vcs;
}

/* The account of queue n of lane v; out: the local output that its head asks for. */
SIM_INLINE uint32_t look_account(const sim *s, unsigned v, uint32_t n, unsigned out)
{
    assert(v < s->sw.vcs);
    return s->sw.queues == QUEUES_VOQNET ? v * s->f->num_hosts + n
           : s->sw.stride                ? v * s->sw.stride + out
                                         : v;
}

/* Whether each queue of a lane has an account of its own. */
SIM_INLINE bool look_own_accounts(const sim *s)
{
    return s->sw.queues == QUEUES_VOQNET || s->sw.stride;
}

/* Ideal switch: the input buffer (port * vcs + v) that a packet in an output's queue is still
 * charged to. */
SIM_INLINE uint32_t look_charged(const sim *s, const packet *pk)
{
    return pk->queue * s->sw.vcs + pk->rt.vc;
}

/* Bytes that a grant for a packet in VC u may count on: credit, or space in the output buffer. */
SIM_INLINE int32_t look_room(const sim *s, partition *p, uint32_t port, unsigned u,
                             const packet *pk)
{
    return shape_room_of(p, sim_shape(s), port, u, pk);
}

/* Bytes that the other end of a channel has for a packet in VC u. */
SIM_INLINE int32_t look_link_room(const sim *s, partition *p, uint32_t port, unsigned u,
                                  const packet *pk)
{
    return output_link_room(p, sim_shape(s), port, u, pk);
}

/* Whether any packet of full size would find room at an output, whichever VC it takes: says no
 * where that depends on the packet. */
SIM_INLINE bool look_roomy(const sim *s, uint32_t port)
{
    if (s->net.in_space.accounts || s->net.out_space.accounts)
        return false;
    bool all = true;
    for (unsigned u = 0; u < s->sw.vcs; u++)
        all &= *state_gate_of(s, s->sw.vcs, port, u) >= (int32_t)s->adapter.packet_bytes;
    return all;
}

/* Whether an output buffer has too little space for a packet of full size. */
SIM_INLINE bool look_output_full(const sim *s, uint32_t port, unsigned u)
{
    assert(s->sw.out_buffers && u < s->sw.vcs);
    int32_t room = s->net.out_space.accounts ? space_ledger_room(&s->net.out_space, port, u)
                                             : *state_space_of(s, s->sw.vcs, port, u);
    return room < (int32_t)s->adapter.packet_bytes;
}

/* Whether an account of the input buffer behind a channel has too little space for a packet of full
 * size. */
SIM_INLINE bool look_tight(const sim *s, uint32_t channel, uint32_t account)
{
    assert(account < look_kinds(s));
    int32_t room = s->net.in_space.accounts ? space_ledger_room(&s->net.in_space, channel, account)
                                            : *state_credit_at(s, channel, account);
    return room < (int32_t)s->adapter.packet_bytes;
}

/* Behind a channel, the account whose packets must leave before `size` bytes of `account` find
 * space: it itself, or, where it is not at its bound, the one that uses most of what is shared. */
SIM_INLINE uint32_t look_culprit(const sim *s, uint32_t channel, uint32_t account, uint32_t size)
{
    assert(account < look_kinds(s));
    if (s->sw.queues != QUEUES_DAMQ)
        return account;
    const int32_t *used = &s->net.in_space.used[(size_t)channel * s->net.in_space.accounts];
    const bounds b = s->net.in_space.bounds[channel];
    uint32_t most = account;
    if (used[account] + (int32_t)size > b.most)
        return account;
    for (uint32_t a = 0; a < s->net.in_space.accounts; a++)
        if (space_above(used[a], b.own) > space_above(used[most], b.own))
            most = a;
    return most;
}

#endif
