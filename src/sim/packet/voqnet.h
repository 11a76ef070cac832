/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of voqnet. An input port has a queue for every destination in every VC; of those whose
 * head can go now, the ones that ask for the same output form a ring and take turns, so the switch
 * sees them as it sees virtual output queues: a request is a ring that is not empty. A queue joins
 * its ring when its head has credit and leaves it when the credit is gone, which can happen to all
 * inputs at once: they draw on the same account. Cost of a credit: the inputs that hold packets for
 * its destination. */
#ifndef IKAT_SIM_NET_H
#define IKAT_SIM_NET_H

#include "sim/packet/shape.h"

#include <assert.h>

SIM_INLINE net_queue *voqnet_net_queue_of(const sim *s, const sw_state *sw, unsigned lane_index,
                                          uint32_t dst)
{
    assert(dst < s->f->num_hosts);
    return &sw->net[(size_t)lane_index * s->f->num_hosts + dst];
}

SIM_INLINE uint64_t *voqnet_holders_of(const sw_state *sw, uint32_t dst)
{
    assert(sw->holders);
    return &sw->holders[(size_t)dst * sw->lane_words];
}

/* Puts queue at (its index in sw->net) at the end of the ring of (in, v, out). */
static inline void voqnet_ring_join(const sim *s, sw_state *sw, const shape k, uint32_t at,
                                    unsigned in, unsigned v, unsigned out)
{
    assert(sw->net[at].prev == NET_OUT); /* it is in no ring */
    queue *ring = shape_queue_of(sw, k, in, v, out);
    net_queue *q = &sw->net[at];
    q->next = IK_NONE;
    q->prev = ring->head == IK_NONE ? IK_NONE : ring->tail;
    if (ring->head == IK_NONE) {
        ring->head = at;
        shape_set_request(s, sw, k, in, v, out);
    } else {
        sw->net[ring->tail].next = at;
    }
    ring->tail = at;
}

static inline void voqnet_ring_leave(const sim *s, sw_state *sw, const shape k, uint32_t at,
                                     unsigned in, unsigned v, unsigned out)
{
    assert(sw->net[at].prev != NET_OUT);
    queue *ring = shape_queue_of(sw, k, in, v, out);
    net_queue *q = &sw->net[at];
    if (q->prev == IK_NONE)
        ring->head = q->next;
    else
        sw->net[q->prev].next = q->next;
    if (q->next == IK_NONE)
        ring->tail = q->prev;
    else
        sw->net[q->next].prev = q->prev;
    q->prev = NET_OUT;
    if (ring->head == IK_NONE)
        shape_clear_request(s, sw, k, in, v, out);
}

/* The queue of dst in a lane (input port and VC) holds packets: it is in its ring exactly if its
 * head can go. */
static inline void voqnet_net_settle(partition *p, sw_state *sw, const shape k, unsigned lane_index,
                                     uint32_t dst)
{
    const sim *s = p->sim;
    net_queue *q = voqnet_net_queue_of(s, sw, lane_index, dst);
    assert(q->head != IK_NONE);
    const packet *pk = &p->pool[q->head];
    unsigned in = lane_index / k.vcs, v = lane_index % k.vcs;
    bool goes = shape_has_room(p, k, sw->port_base + pk->out, pk), stands = q->prev != NET_OUT;
    if (goes && !stands)
        voqnet_ring_join(s, sw, k, (uint32_t)(q - sw->net), in, v, pk->out);
    else if (!goes && stands)
        voqnet_ring_leave(s, sw, k, (uint32_t)(q - sw->net), in, v, pk->out);
}

/* The space for dst behind a local output changed. */
static inline void net_space_changed(partition *p, sw_state *sw, const shape k, unsigned out,
                                     uint32_t dst)
{
    const uint64_t *holders = voqnet_holders_of(sw, dst);
    for (unsigned w = 0; w < sw->lane_words; w++)
        for (uint64_t bits = holders[w]; bits; bits &= bits - 1) {
            unsigned lane_index = w * 64 + (unsigned)__builtin_ctzll(bits);
            if (p->pool[voqnet_net_queue_of(p->sim, sw, lane_index, dst)->head].out == out)
                voqnet_net_settle(p, sw, k, lane_index, dst);
        }
}

/* A packet has come into port in, VC v. */
static inline void voqnet_net_arrival(partition *p, sw_state *sw, const shape k, unsigned in,
                                      unsigned v, uint32_t id)
{
    unsigned lane_index = in * k.vcs + v;
    uint32_t dst = p->pool[id].rt.dst;
    net_queue *q = voqnet_net_queue_of(p->sim, sw, lane_index, dst);
    if (q->head != IK_NONE) {
        p->pool[q->tail].next = id;
        q->tail = id;
        return;
    }
    q->head = q->tail = id;
    voqnet_holders_of(sw, dst)[lane_index >> 6] |= 1ull << (lane_index & 63);
    voqnet_net_settle(p, sw, k, lane_index, dst);
}

/* Takes the first packet of the first queue of a ring; the queue goes to the end of the ring that
 * its next packet asks for, as soon as that can go: its caller says that the space behind the
 * output changed. */
static inline packet *voqnet_net_pop(partition *p, sw_state *sw, const shape k, unsigned in,
                                     unsigned v, unsigned out)
{
    unsigned lane_index = in * k.vcs + v;
    uint32_t at = shape_queue_of(sw, k, in, v, out)->head;
    net_queue *q = &sw->net[at];
    packet *pk = &p->pool[q->head];
    voqnet_ring_leave(p->sim, sw, k, at, in, v, out);
    q->head = pk->next;
    if (q->head == IK_NONE)
        voqnet_holders_of(sw, pk->rt.dst)[lane_index >> 6] &= ~(1ull << (lane_index & 63));
    else
        voqnet_net_settle(p, sw, k, lane_index, pk->rt.dst);
    return pk;
}

#endif
