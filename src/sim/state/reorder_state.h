/* SPDX-License-Identifier: Apache-2.0
 *
 * state/reorder_state.h: in-order delivery: its settings and what a host keeps of its reorder
 * buffer. docs/simulator.md, "In-order delivery". */
#ifndef IKAT_SIM_REORDER_STATE_H
#define IKAT_SIM_REORDER_STATE_H

#include "ikat/base.h"

#include <assert.h>

/* How what sources send is kept within the reorder buffers. */
typedef enum reorder_limit {
    REORDER_UNLIMITED,
    REORDER_WINDOW, /* a flow has at most so many packets on their way: its source counts them */
    REORDER_POOL    /* the flows to a host share its buffer: sources ask the host for space */
} reorder_limit;

typedef struct reorder_settings {
    bool in_order; /* what the experiment asks for */
    bool on;       /* packets may come out of order: they are numbered and put in order */
    bool strict;   /* a queue whose first packet lacks reorder space stands still */
    bool by_path;  /* control_delay: the latency of the flow's path; else control_ps */
    reorder_limit limit;
    uint32_t packets; /* that a buffer (POOL) or a flow (WINDOW) holds */
    uint32_t ahead;   /* packets of a flow that space is asked for at a time */
    uint32_t own;     /* POOL: places that every flow has from the start; 0 = none */
    uint64_t bytes;   /* of a buffer; UINT64_MAX = unlimited */
    uint64_t control_ps;
    uint64_t ask_ps; /* the smallest latency of a link: the widest window of any engine */
} reorder_settings;

/* What travels between adapters, in the two upper bits of an event's data; the rest is an amount,
 * or for an amount of 1 the record of a flow that has both ends here. Amounts of one instant add
 * up, so that their order does not matter. The event's port is the host at the other end of the
 * flow. */
typedef enum reorder_kind {
    REORDER_ASK,   /* source to destination: wants space for so many packets */
    REORDER_GRANT, /* destination to source: may send so many more packets */
    REORDER_FREE,  /* of a host to itself: space of so many packets counts again */
    REORDER_LOST   /* switch to destination: the packet with this number (modulo 2^29) is not
                    * coming */
} reorder_kind;
enum { REORDER_KIND_AT = 30 };
#define REORDER_BY_FLOW (1u << 29)
#define REORDER_AMOUNT  (REORDER_BY_FLOW - 1)

static inline uint32_t reorder_amount(uint32_t data)
{
    /* an amount of 0 would be an event without effect; a lost packet has a number instead */
    assert(data >> REORDER_KIND_AT == REORDER_LOST || (data & (REORDER_BY_FLOW | REORDER_AMOUNT)));
    return data & REORDER_BY_FLOW ? 1 : data & REORDER_AMOUNT;
}

/* Space that is free again from `time` on. */
typedef struct reorder_freed {
    uint64_t time;
    uint32_t packets;
} reorder_freed;

/* A host's reorder buffer and its adapter. Invariants: in_use <= settings.packets; stored is the
 * sum of the sizes of the packets that wait here for an earlier one. Freed space that nobody waits
 * for makes no event: it stands here until it is needed. */
enum { REORDER_FREED = 4 };
typedef struct reorder_host {
    uint64_t stored;          /* bytes */
    uint64_t stored_since;    /* ps */
    uint64_t throttled_since; /* UINT64_MAX = it sends, or has nothing, or lacks credit */
    uint64_t throttled_ps;    /* in the measured window */
    uint32_t in_use;          /* POOL: packets granted and not delivered in order yet; with freed */
    uint32_t first, last;     /* POOL: ring of the flows that wait for space; IK_NONE = empty */
    uint32_t wrapped;         /* POOL: last of a ring of those of lower hosts, at one instant */
    uint32_t parked;          /* queues of its adapter that wait for reorder space */
    uint32_t num_parkings;    /* that there have been */
    uint32_t unparked;        /* queues that got space at this instant; IK_NONE = none */
    bool lacks;               /* a first packet lacked reorder space when the adapter last looked */
    uint8_t num_freed;
    reorder_freed freed[REORDER_FREED]; /* in no order */
} reorder_host;

#endif
