/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs of a routing that goes in legs (ik_legs), leg by leg instead of pair by pair: heading
 * by heading the first legs, with the sets of destinations whose packets pass each state; then
 * destination by destination the second legs, which begin where packets for it turn. A pair's ways
 * are put together from the two. A routing by destination alone has second legs only.
 *
 * What the routing declares is checked: every state asks next(), those of a first leg twice, for
 * packets of different hosts; starts are compared with start_nth(). docs/proofs.md has the
 * invariants and the cost.
 */
#ifndef IKAT_VC_LEGS_H
#define IKAT_VC_LEGS_H

#include "vc/legwalk.h"

/* A state, with all ports by which packets come into it and all hops that they may take next. */
typedef struct legs_state {
    uint32_t sw;
    unsigned vc, phase;       /* the phase as the routing left it */
    const uint64_t *in_ports; /* bit set of local ports, those of hosts left out */
    const leg_edge *edges;    /* [num_edges] */
    uint32_t num_edges;
    uint32_t dst_group;         /* second leg: destination; IK_NONE on the first leg, then: */
    const uint64_t *dst_groups; /* the destinations whose packets pass */
} legs_state;

/* A pair of groups and what all its starts together may do. */
typedef struct legs_pair {
    uint32_t src_group, dst_group, src, dst;
    uint64_t weight; /* pairs of hosts */
    walk_outcome all;
    /* [num_lengths] starts without flaw by the hops of their preferred path */
    const uint32_t *lengths;
    uint32_t num_lengths;
} legs_pair;

/* Called from many threads, in any order. */
typedef struct legs_visitor {
    void *ctx;
    /* for progress */
    const char *what;
    /* pairs that the fabric does not connect */
    bool unconnected_too;
    /* NULL = none */
    void (*state)(void *ctx, unsigned thread, const legs_state *s);
    /* NULL = none */
    ik_status (*pair)(void *ctx, unsigned thread, const legs_pair *p, ik_error *err);
} legs_visitor;

/* Can this plan be walked so, as far as it declares? */
bool legs_fit(const ik_plan *plan);
/* *fits: false if the routing does not keep what it declares or ways are too long; what was visited
 * by then is void. IK_ERR_MEMORY above env's limit. Cost O(headings * states of a leg * groups / 64
 * + groups * (states of a leg + starts of all sources)). */
ik_status legs_walk(const ik_plan *plan, const walk_groups *groups, const legs_visitor *visitor,
                    const ik_env *env, bool *fits, ik_error *err);

#endif
