/* SPDX-License-Identifier: Apache-2.0
 *
 * state/packet.h: packets and queues of packets. */
#ifndef IKAT_SIM_PACKET_H
#define IKAT_SIM_PACKET_H

#include "ikat/routing.h"

#define SIM_NO_WAY    0xFFFEu /* output of a packet that cannot be routed */
#define SIM_UNDECIDED 0xFFFFu /* output of a packet at the head of a FIFO that may still choose */

typedef struct packet {
    ik_packet rt;
    uint64_t t_gen;    /* message generated */
    uint64_t t_inject; /* head left the source */
    uint64_t t_tail;   /* last byte has arrived in the buffer where it stands */
    uint32_t next;     /* behind it in its queue */
    uint32_t size;
    uint32_t number; /* of its source's packets */
    uint16_t out;    /* local output that it asks for */
    /* `out` of the packet behind it: saves touching that one when this one leaves */
    uint16_t next_out;
    uint8_t vc_first, vc_last;
    uint8_t
        unrouted; /* stands at its source's switch and has not been routed with local state yet */
    uint8_t
        revocable;  /* may ask for another output while it waits at the head of an output's queue */
    uint32_t queue; /* ideal switch: input port; else the output looked ahead for */
} packet;

typedef struct queue {
    uint32_t head, tail; /* packets; head IK_NONE = empty */
} queue;

#endif
