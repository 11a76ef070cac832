/* SPDX-License-Identifier: Apache-2.0
 *
 * Walking a plan: every state that packets to one destination can reach, over every allowed choice.
 *
 * A state is a packet that has just arrived at a switch: the port it came by, its VC, and whatever
 * of its route state the routing and the scheme look at. Packets of different sources that meet in
 * one state share everything behind it, so a destination costs as many steps as it has states and
 * choices. Not thread-safe: one walk a thread.
 */
#ifndef IKAT_VC_WALK_H
#define IKAT_VC_WALK_H

#include "ikat/vc.h"

#include <assert.h>

typedef struct walk walk;

/* What can go wrong behind a state. */
enum {
    WALK_DEAD_END = 1, /* no route, an unconnected port, or the wrong host */
    WALK_LOOP = 2      /* a state can come round again */
};

typedef struct walk_outcome {
    uint32_t longest;   /* switch-to-switch hops of the longest allowed path (of those that end) */
    uint32_t preferred; /* of the path of preferred choices */
    unsigned flaws;     /* WALK_… */
} walk_outcome;

/* One allowed hop: a packet that came by in_port on pk->vc may leave by out_port on VCs vc_first …
 * vc_last. */
typedef struct walk_hop {
    uint32_t in_port, out_port;
    unsigned vc_first, vc_last;
    const ik_packet *pk; /* as the routing left it for this hop */
} walk_hop;

/* Called once for each hop of each new state. */
typedef void (*walk_visit)(void *ctx, const walk_hop *hop);

/* The plan is borrowed. NULL when out of memory. */
walk *walk_new(const ik_plan *plan);
void walk_free(walk *w);
/* Forgets everything and turns to destination dst. */
void walk_begin(walk *w, uint32_t dst);
/* Explores what the n-th initial state of src reaches and is not known yet. A source without a
 * cable: a dead end. */
ik_status walk_from(walk *w, uint32_t src, uint32_t n, walk_visit visit, void *ctx,
                    walk_outcome *out, ik_error *err);
/* Explores what all initial states of src reach. */
ik_status walk_from_all(walk *w, uint32_t src, ik_error *err);

/* The states found since walk_begin, and the hops between them as a graph. */
typedef struct walk_edge {
    uint32_t out_port;
    uint32_t to;   /* state, IK_NONE: delivered or lost there */
    uint32_t next; /* next edge of the same state, IK_NONE = last */
    uint8_t vc;
    bool delivers;
} walk_edge;
uint32_t walk_num_states(const walk *w);
uint32_t walk_state_port(const walk *w, uint32_t state); /* the port it came by */
unsigned walk_state_vc(const walk *w, uint32_t state);
walk_outcome walk_state_outcome(const walk *w, uint32_t state);
const walk_edge *walk_first_edge(const walk *w, uint32_t state); /* NULL = none */
const walk_edge *walk_next_edge(const walk *w, const walk_edge *edge);

/* Hosts that a proof need not tell apart: all with one cable, on one switch, if `by_switch`;
 * otherwise each is a group. Hosts without a cable to a switch stand in no group. */
typedef struct walk_group {
    uint32_t first;  /* lowest host */
    uint32_t second; /* next one, IK_NONE in a group of one */
    uint32_t size;
    uint32_t sw; /* the switch of its first cable */
} walk_group;
typedef struct walk_groups {
    walk_group *group; /* [num], ascending in first */
    uint32_t num;
    uint32_t stray; /* hosts without a cable to a switch */
} walk_groups;
ik_status walk_groups_make(const ik_fabric *f, bool by_switch, walk_groups *out, ik_error *err);
void walk_groups_free(walk_groups *groups);
/* The host of the group that stands for its sources of traffic to dst's group: never dst; IK_NONE
 * if there is none. */
static inline uint32_t walk_group_source(const walk_group *group, uint32_t dst)
{
    assert(group->size > 0 && (group->second == IK_NONE) == (group->size == 1));
    return group->first == dst ? group->second : group->first;
}

/* The same, IK_NONE also where no packet of the group's takes that host's port to dst (see
 * ik_rails_used). */
static inline uint32_t walk_plan_source(const ik_plan *plan, const walk_group *from, uint32_t dst)
{
    uint32_t src = walk_group_source(from, dst);
    return src == IK_NONE || ik_rails_used(plan->routing, src, dst) ? src : IK_NONE;
}

/* Most switch-to-switch hops and highest pk->phase of any allowed path of a routing, whatever the
 * VCs. IK_ERR_UNSUPPORTED if packets can loop. */
typedef struct walk_reach {
    uint32_t hops;
    uint32_t phase;
} walk_reach;
ik_status walk_routing_reach(const ik_fabric *f, const ik_routing *routing, const ik_env *env,
                             walk_reach *out, ik_error *err);

#endif
