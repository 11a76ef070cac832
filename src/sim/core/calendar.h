/* SPDX-License-Identifier: Apache-2.0
 *
 * core/calendar.h: events, and the timing wheel that they wait in. */
#ifndef IKAT_SIM_CALENDAR_H
#define IKAT_SIM_CALENDAR_H

#include "ikat/base.h"
#include "sim/core/carry.h"
#include "sim/core/inline.h"
#include <assert.h>

/* in an instant, arrivals see the credits and outputs that came free; a tail at a host is a message
 * about reorder space (state/reorder_state.h) */
enum { EV_CREDIT, EV_TAIL, EV_ARRIVAL, EV_WAKE, EV_REORDER = EV_TAIL };
#define EV_PORT_MASK 0x3FFFFFFFu
typedef struct event {
    uint64_t key;
    uint32_t node;
    /* CREDIT: vc << 24 | bytes (port: see post_credit); ARRIVAL: packet; TAIL: input of the
     * crossbar; at a host: reorder_kind << 30 | amount, port: the other host */
    uint32_t data;
} event;

/* Events stand in chunks of 64 in one array; a chunk's place 0 is its header (node = next chunk),
 * events take places 1 to 63. */
#define CHUNK_EVENTS 63u
typedef struct slot {
    uint32_t first; /* chunk; IK_NONE = empty */
    uint32_t end;   /* place of the next event; a multiple of 64: a new chunk is needed */
} slot;

typedef struct far_event {
    /* beyond the wheel: kept with its full time until its revolution comes */
    uint64_t time;
    event ev;
} far_event;

SIM_INLINE uint64_t calendar_event_key(unsigned kind, uint32_t port)
{
    assert(kind < 4 && port <= EV_PORT_MASK);
    return (uint64_t)kind << 30 | port;
}

SIM_INLINE unsigned calendar_event_kind(const event *e)
{
    return (unsigned)(e->key >> 30) & 3;
}

SIM_INLINE uint32_t calendar_event_port(const event *e)
{
    return (uint32_t)e->key & EV_PORT_MASK;
}

/* In its window, ps. */
SIM_INLINE uint64_t calendar_event_offset(const event *e)
{
    return e->key >> 32;
}

/* What a credit, or the end of a transmission, says in `data`. */
SIM_INLINE uint32_t calendar_space_data(unsigned vc, uint32_t bytes)
{
    assert(vc < 64 && bytes < 1u << 24);
    return vc << 24 | bytes;
}

SIM_INLINE unsigned calendar_space_vc(uint32_t data)
{
    return data >> 24 & 63;
}

SIM_INLINE uint32_t calendar_space_bytes(uint32_t data)
{
    return data & 0xFFFFFF;
}

typedef struct wheel {
    slot *slots;
    uint64_t *busy; /* bit a slot: not empty */
    uint32_t num_slots, far_count, free_chunk, num_chunks, cap_chunks;
    size_t far_cap;
    event *events;       /* [cap_chunks * 64] */
    uint64_t revolution; /* far events up to the end of this one are in the slots */
    far_event *far;
} wheel;

ik_status sim_wheel_init(wheel *w, uint32_t num_slots);
uint64_t sim_wheel_bytes(uint32_t num_slots); /* before the first event */
void sim_wheel_free(wheel *w);
void sim_wheel_carry(wheel *w, sim_carrier *c); /* core/carry.h */
bool sim_wheel_add(wheel *w, uint32_t slot_index, const event *e);
/* Chunks that nobody reads any more, as they hang together; first IK_NONE = none. */
void sim_wheel_free_chunks(wheel *w, uint32_t first);
bool sim_wheel_add_far(wheel *w, uint64_t time, const event *e);
/* lookahead: width of a window, ps.
 * Before window is worked on: moves the far events of its revolution into the slots. */
bool sim_wheel_revolve(wheel *w, uint64_t lookahead, uint64_t window);
/* First window >= from in which this partition has something to do (events, or far events to move);
 * UINT64_MAX if none. */
uint64_t sim_wheel_next(const wheel *w, uint64_t lookahead, uint64_t from);

/* Events in chunk id of a slot. */
SIM_INLINE uint32_t sim_chunk_count(const wheel *w, const slot *s, uint32_t id)
{
    assert(id < w->num_chunks && s->first != IK_NONE);
    return w->events[id * 64].node != IK_NONE || (s->end & 63) == 0 ? CHUNK_EVENTS
                                                                    : (s->end & 63) - 1;
}

/* How time is cut. Set-up only, but for node_head: in a window its partition writes a node's. */
typedef struct window_settings {
    uint64_t lookahead;  /* the width of a window, ps */
    uint64_t reciprocal; /* ceil(2^64 / lookahead) */
    uint64_t span;       /* of the wheel: lookahead * num_slots */
    uint32_t num_slots;
    /* pairs left over are examined again at its multiples: the smallest latency, or less (short
     * packets) */
    uint64_t relook_ps;
    uint64_t last_ps;    /* end of the last window */
    uint32_t *node_head; /* [node] chain of its events of one window */
} window_settings;

#endif
