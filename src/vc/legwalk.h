/* SPDX-License-Identifier: Apache-2.0
 *
 * The states of packets on one leg of their way (see ik_legs): all that enter with one heading
 * until they turn, or all that go to one destination.
 *
 * Unlike in walk.h a state does not hold the port by which the packet came: neither the routing nor
 * the scheme may look at it. So all packets that meet at a switch in one route state on one VC are
 * one state, with a set of input ports. Not thread-safe: one per thread.
 */
#ifndef IKAT_VC_LEGWALK_H
#define IKAT_VC_LEGWALK_H

#include "vc/walk.h"

#include <assert.h>

typedef struct leg_edge {
    uint32_t out_port;
    uint32_t to; /* state, IK_NONE: delivered or lost there */
    uint8_t vc;
    bool delivers;
    bool preferred; /* the port of preferred choice, on its lowest VC */
} leg_edge;

typedef struct leg_state {
    ik_packet pk; /* as it arrives */
    uint32_t sw;
    /* of a packet for which the routing must say the same, IK_NONE = none */
    uint32_t other_src, other_dst;
    uint32_t first_edge, num_edges;
    /* switch-to-switch hops of the longest way to the end of the leg, lost ones included */
    uint32_t longest;
    uint32_t turning;   /* of the longest way to a turn, if `place` */
    uint32_t preferred; /* of the path of preferred choices */
    uint32_t place;     /* number of the one place of turn behind it, IK_NONE = no turn behind it */
    uint8_t phase;      /* as the routing left it */
    uint8_t flaws;      /* WALK_… */
    uint8_t step;       /* of the search: new, open, done */
    bool turn;          /* the leg ends here */
    bool two_places;    /* turns behind it are not all in one place */
} leg_state;

typedef struct leg_walk {
    const ik_plan *plan;
    const ik_legs *legs;
    uint32_t heading; /* IK_NONE: the second leg */
    bool hops_matter;
    bool contradicted; /* the routing did not say the same for two packets that should be alike */
    leg_state *states;
    size_t num_states, max_states;
    leg_edge *edges;
    size_t num_edges, max_edges;
    size_t port_words;
    uint64_t *in_ports; /* [max_in_ports / port_words][port_words] by state: local input ports */
    size_t max_in_ports;
    uint32_t *left; /* [num_left] states with edges, in the order they were left */
    size_t num_left, max_left;
    uint32_t *places; /* [num_places] a state that stands for each place */
    size_t num_places, max_places;
    uint32_t *slots; /* state + 1, 0 = free */
    size_t num_slots;
    struct leg_frame *frames;
    size_t num_frames, max_frames;
    ik_choice *choices, *again; /* [max_radix] */
} leg_walk;

/* False when out of memory (free it all the same). */
bool leg_walk_make(const ik_plan *plan, leg_walk *w);
void leg_walk_free(leg_walk *w);
/* Forgets everything. heading IK_NONE: the second leg. */
void leg_walk_begin(leg_walk *w, uint32_t heading);
/* The state of pk at switch sw, with all behind it explored; IK_NONE when out of memory. other: see
 * leg_state; NULL = none. */
uint32_t leg_walk_enter(leg_walk *w, uint32_t sw, const ik_packet *pk, const ik_packet *other);

static inline uint64_t *legwalk_leg_in_ports(const leg_walk *w, uint32_t state)
{
    assert(state < w->num_states);
    return w->in_ports + state * w->port_words;
}
static inline walk_outcome legwalk_leg_outcome(const leg_state *s)
{
    return (walk_outcome){s->longest, s->preferred, s->flaws};
}

#endif
