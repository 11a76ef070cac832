/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_state.h: what a pipelined router keeps, laid out by what a tick touches together.
 *
 *   router    a line: where the rest stands, and how many flits it holds
 *   sets      a line or two: which outputs are asked for, free output VCs, packets to be routed
 *   output    a block, a line where that is enough: who wants it, holders of its VCs, whom it
 *             served last
 *   credits   2 bytes an output VC
 *   port      half a line: its channel, and what it was granted as an input
 *   input VC  16 bytes, its first flit among them; further flits stand in a ring
 *   packet    16 bytes that are read at every hop, and 32 that its ends read
 */
#ifndef IKAT_SIM_PIPE_STATE_H
#define IKAT_SIM_PIPE_STATE_H

#include "ikat/routing.h"
#include "sim/flit/pipe_match.h"
#include "sim/flit/pipe_sets.h"

/* No packet; its head is being routed or wants an output VC; has one; its packet knows no way. */
enum { VC_IDLE, VC_WAITING, VC_ACTIVE, VC_DROPPING };

#define PIPE_NO_HOLDER 0xFFFFu

typedef struct pipe_vc {
    uint32_t front;                  /* its first flit, while there is one */
    uint16_t head, count;            /* ring of flits; at `head` would stand the first one */
    uint16_t out, out_bit;           /* local output port; VC_ACTIVE: out * vcs + its VC */
    uint16_t last;                   /* output VC that it got last */
    uint8_t state : 2, vc_first : 6; /* VCs allowed there: from this one ... */
    uint8_t vc_last;                 /* ... to this one */
} pipe_vc;
_Static_assert(sizeof(pipe_vc) == 16, "four input VCs share a line");

/* Of a class of links. Ticks. */
typedef struct pipe_link {
    uint32_t flit_delay; /* from taking the link to being in the next buffer */
    uint32_t period;     /* a flit */
} pipe_link;

/* A port with its channel (out) and its peer's (in). Ticks. */
typedef struct pipe_port {
    uint32_t peer; /* peer port * vcs */
    /* of a credit of this input, from the start of the cycle in which its flit left */
    uint32_t credit_delay;
    uint64_t free_at; /* when the link takes the next flit */
    uint64_t bytes;   /* that it has taken of the measured time */
    uint16_t link;    /* class of its link */
    uint16_t to;      /* the peer's partition + 1 if that is another one, 0 if it is not */
    /* as an input, in switch allocation: the output and the VC that were served last */
    uint16_t last_out, last_vc;
} pipe_port;
_Static_assert(sizeof(pipe_port) == 32, "two ports share a line");

/* What of a packet is needed where it begins and ends. Travels from partition to partition as it
 * is, behind what its routing needs. */
typedef struct pipe_packet {
    uint64_t generated, injected; /* link cycles */
    uint64_t number;
    uint32_t next_free;
    uint32_t class; /* of its message, where the traffic has classes */
} pipe_packet;
_Static_assert(sizeof(ik_packet) == 16 && sizeof(pipe_packet) == 32,
               "messages are laid out the same everywhere");

enum { PIPE_CHUNK = 4096 }; /* packets that are made at a time; they never move */

typedef struct pipe_chunk {
    ik_packet rt[PIPE_CHUNK];
    pipe_packet packets[PIPE_CHUNK];
} pipe_chunk;

/* Sets of input or output VCs have `words` words, those of ports `port_words`. */
typedef struct pipe_router {
    /* outputs whose wait and want may have members; free_out: bit an output VC that no packet
     * holds; drop: VC_DROPPING with flits there; route: input VCs whose packet starts in a tick, a
     * ring; unready; due: input VCs that are no longer unready from a tick on, a ring. See
     * pipe_waiting() and its like. */
    _Alignas(64) uint64_t *sets;
    uint64_t *outs; /* [radix] blocks of out_size words: see pipe_state_pipe_wait() and its like */
    pipe_vc *in;    /* [radix * vcs] */
    pipe_port *ports;                 /* [radix] */
    uint16_t *credits;                /* [radix * vcs] of output VCs */
    uint32_t port_base, first, flits; /* first = port_base * vcs; flits in its buffers */
    uint16_t radix, words, port_words, out_size;
    uint32_t *rings; /* [radix * vcs << ring_shift] */
    /* allocators of lists */
    match_state vc_match, sw_match;
    /* [radix * input_speedup] VC of that port of the crossbar that won last in switch allocation */
    uint16_t *vc_served;
    /* hold_switch_for_packet: [radix * input_speedup] input VC that keeps this port of the crossbar
     * and its output for its next flit, PIPE_NO_HOLDER = none; [radix * output_speedup] whether one
     * keeps this output. The input VC is VC_ACTIVE and has that flit. */
    uint16_t *kept_in, *kept_out;
    void *route_state, *select_state;
    uint64_t draws;
} pipe_router;

/* What is known of a router where its tick is compiled. */
typedef struct pipe_kernel {
    unsigned words, port_words;
    bool plain; /* see pipe_router.c */
    bool watch; /* packets are watched: pipe_watch.c */
} pipe_kernel;

SIM_INLINE pipe_kernel pipe_kernel_of(const pipe_router *r)
{
    return (pipe_kernel){r->words, r->port_words, false, false};
}

/* ---- sets */

/* Words of a router's sets; slots: of the rings of ticks. */
SIM_INLINE size_t pipe_set_words(pipe_kernel k, size_t slots)
{
    return 2 * (size_t)k.port_words + k.words * (3 + 2 * slots);
}

SIM_INLINE uint64_t *pipe_waiting(const pipe_router *r)
{
    return r->sets;
}

SIM_INLINE uint64_t *pipe_wanted(const pipe_router *r, pipe_kernel k)
{
    return r->sets + k.port_words;
}

SIM_INLINE uint64_t *pipe_free_out(const pipe_router *r, pipe_kernel k)
{
    return r->sets + 2 * (size_t)k.port_words;
}

SIM_INLINE uint64_t *pipe_state_pipe_drop(const pipe_router *r, pipe_kernel k)
{
    return pipe_free_out(r, k) + k.words;
}

SIM_INLINE uint64_t *pipe_unready(const pipe_router *r, pipe_kernel k)
{
    return pipe_free_out(r, k) + 2 * (size_t)k.words;
}

/* slot: tick & stage_mask */
SIM_INLINE uint64_t *pipe_starting(const pipe_router *r, uint64_t slot, pipe_kernel k)
{
    return pipe_free_out(r, k) + (3 + 2 * slot) * k.words;
}

SIM_INLINE uint64_t *pipe_state_pipe_due(const pipe_router *r, uint64_t slot, pipe_kernel k)
{
    return pipe_free_out(r, k) + (4 + 2 * slot) * k.words;
}

/* ---- outputs */

/* Words of an output's block: it lies in as few lines as can be. */
SIM_INLINE size_t pipe_out_words(unsigned words, unsigned vcs)
{
    size_t least = 2 * (size_t)words + (1 + 2 * (size_t)vcs + 3) / 4, size = 4;
    while (size < least && size < 8)
        size *= 2;
    return least <= size ? size : (least + 7) / 8 * 8;
}

/* Heads that want one of its VCs. */
SIM_INLINE uint64_t *pipe_state_pipe_wait(const pipe_router *r, uint32_t out)
{
    return r->outs + (size_t)out * r->out_size;
}

/* Input VCs that have one, a flit and credit. */
SIM_INLINE uint64_t *pipe_state_pipe_want(const pipe_router *r, uint32_t out, unsigned words)
{
    return pipe_state_pipe_wait(r, out) + words;
}

/* Input VC whose input was served last. */
SIM_INLINE uint16_t *pipe_last_in(const pipe_router *r, uint32_t out, unsigned words)
{
    return (uint16_t *)(pipe_state_pipe_wait(r, out) + 2 * (size_t)words);
}

/* [vcs] Local input VC that has this one, PIPE_NO_HOLDER = free. */
SIM_INLINE uint16_t *pipe_holders(const pipe_router *r, uint32_t out, unsigned words)
{
    return pipe_last_in(r, out, words) + 1;
}

/* [vcs] Input VC that got it last. */
SIM_INLINE uint16_t *pipe_last_holders(const pipe_router *r, uint32_t out, unsigned words,
                                       unsigned vcs)
{
    return pipe_last_in(r, out, words) + 1 + vcs;
}

#endif
