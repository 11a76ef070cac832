/* SPDX-License-Identifier: Apache-2.0
 *
 * state/switch_state.h: what is kept per port and per switch. */
#ifndef IKAT_SIM_SWITCH_STATE_H
#define IKAT_SIM_SWITCH_STATE_H

#include "sim/core/inline.h"
#include "sim/state/packet.h"

#include <assert.h>

/* ---- per port, 32 bytes: everything that a grant touches */
typedef struct port_state {
    uint32_t peer_port, peer_node;
    uint32_t full_ps; /* time of a packet of full size; 0 = too long for 32 bits, compute */
    uint32_t latency_ps;
    uint64_t ok;     /* bit a VC: credit for a packet of full size */
    uint16_t grant;  /* output: input that is favoured next */
    uint16_t accept; /* input (speed-up 1): output that is favoured next */
    uint32_t flags;
} port_state;

/* ---- per port: what a packet on its way through the link touches, in one place. Behind it stand,
 *  one per VC, free bytes of the buffer at the other end (credit), and with output buffers their
 *  free bytes (space) and their packets (queues). state.h has the functions. */
typedef struct output_state {
    uint64_t bytes; /* sent in the measured time; the general engine's */
    uint32_t link;  /* with output buffers: what it sends, calendar_space_data(); 0 = it is free */
    uint8_t next;   /* with output buffers: VC whose turn it is */
    uint8_t pad[3];
} output_state;

/* ---- space that is not split evenly among VCs: state/space.h */
typedef struct bounds {
    int32_t own, most; /* bytes that an account has to itself, that it may have in use */
} bounds;
typedef struct ledger {
    unsigned accounts; /* of a port; 0 = not used */
    int32_t *used;     /* [port * accounts + a] bytes */
    int32_t *shared;   /* [port] free bytes of what accounts share */
    bounds *bounds;    /* [port] */
} ledger;

/* A queue of voqnet: the packets for one destination in one VC of one input port. Those that may
 * send now stand in the ring of the output that their head asks for. */
typedef struct net_queue {
    uint32_t head, tail; /* packets; head IK_NONE = empty */
    uint32_t prev, next; /* in the ring; prev NET_OUT = not in one */
} net_queue;
#define NET_OUT 0xFFFFFFFEu

/* ---- per switch. masks: free_in, free_out, left [words each], room [vcs][words], row
 *  [inputs][words], want [radix * vcs][words]. want[(j * vcs + v)]: inputs whose next packet of VC
 *  v asks for output j. row[i]: outputs that input i asks for. room[v]: outputs behind which a
 *  grant in VC v has room for a packet of full size (only with room_kept). left: outputs that may
 *  still have a request from a free input after the last iteration of a matching; examined again
 *  at the next multiple of relook_ps. Invariant between instants: a free output outside `left` has
 *  no eligible request from a free input. */
typedef struct sw_state {
    uint64_t *masks;
    /* VOQ: [(in * vcs + v) * radix + out]; FIFO: [in * vcs + v]; voqnet: rings as VOQ, of queues of
     * `net` */
    queue *queues;
    net_queue *net; /* voqnet: [(in * vcs + v) * hosts + dst] */
    /* voqnet: [dst][lane_words] bit in * vcs + v: that queue of dst holds packets */
    uint64_t *holders;
    uint8_t *pair_vc; /* [inputs * radix] VC that is favoured next, NULL with one VC */
    /* heads that may still choose, adaptive plans only; FIFO: bit in * vcs + v; queues per output:
     * revocable_of */
    uint64_t *undecided;
    uint64_t *allowed; /* what heads that may choose again are allowed: packet/choose.h */
    void *select_state, *route_state;
    uint64_t draws; /* random numbers drawn here */
    int64_t bytes;  /* in its buffers */
    uint32_t port_base;
    uint16_t radix, inputs, words, lane_words;
} sw_state;

/* All ports and switches. Allocated and emptied at set-up; in a window a partition writes what
 * belongs to its own nodes. */
typedef struct network_state {
    port_state *ports;
    char *outputs; /* [port] output_state, output_stride bytes each */
    size_t output_stride;
    uint16_t *accept; /* [port * input_speedup + k]; input speed-up only */
    ledger in_space;  /* damq, voqnet: of the input buffer behind each port, instead of credit */
    ledger out_space; /* shared output buffers, instead of space */
    sw_state *switches;
    uint32_t max_inputs, max_words, max_radix; /* of any switch; set-up only */
    /* what the switches' pointers point into */
    uint64_t *mask_store, *undecided_store, *allowed_store, *holder_store;
    queue *queue_store;
    net_queue *net_store;
    uint8_t *pair_store, *policy_store;
} network_state;

/* What waits for outputs, which adaptive plans look at; NULL with others. Written as network_state,
 * by the engines that keep queues there; a `paranoid` run of the specialised engine brings its own
 * into this form to be checked. */
typedef struct output_backlog {
    /* [port * vcs + v] bytes that wait for this output here, incl. in transmission; not with output
     * buffers, whose bytes count instead */
    int64_t *queued;
    uint32_t *sending; /* [port] bytes in transmission: calendar_space_data() */
    /* [port * vcs + v] bytes in output buffers and of what the link is sending */
    int64_t *waiting;
    /* [port] when the link will have sent all that was granted so far, less traversal_ps; ioq with
     * a traversal delay only */
    uint64_t *clear_ps;
} output_backlog;

/* Masks of a switch. words: sw->words, which loops know as a constant. */
SIM_INLINE uint64_t *switch_state_free_inputs(const sw_state *sw)
{
    return sw->masks;
}

SIM_INLINE uint64_t *switch_state_free_outputs(const sw_state *sw, unsigned words)
{
    assert(words >= 1 && words == sw->words);
    return sw->masks + words;
}

SIM_INLINE uint64_t *switch_state_left_outputs(const sw_state *sw, unsigned words)
{
    assert(words >= 1 && words == sw->words);
    return sw->masks + 2u * words;
}

#endif
