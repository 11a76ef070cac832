/* SPDX-License-Identifier: Apache-2.0
 *
 * The in-graph of one destination under a destination-based routing: every switch has one set of
 * output ports, so the switches that packets reach form a graph towards the destination, a tree if
 * the routing is deterministic. One in-graph a thread.
 */
#ifndef IKAT_VERIFY_INGRAPH_H
#define IKAT_VERIFY_INGRAPH_H

#include "vc/walk.h"

#include <assert.h>

typedef struct ingraph_node {
    uint32_t epoch; /* of the destination for which the rest is valid */
    uint32_t longest, preferred;
    uint32_t cursor;         /* port bit to follow next */
    uint32_t preferred_port; /* local, IK_NONE at the end of the way */
    uint8_t flaws;           /* WALK_… */
    bool open;
} ingraph_node;

typedef struct ingraph {
    const ik_fabric *fabric;
    const ik_routing *routing;
    uint32_t dst, epoch;
    ingraph_node *nodes; /* [num_switches] */
    size_t words;        /* 64-bit words of a port set */
    uint64_t *ports;     /* [num_switches][words] switch-to-switch output ports */
    /* [num_switches] path being followed; switches in the order they were left */
    uint32_t *stack, *left;
    uint32_t num_stack, num_left;
    uint32_t *out; /* [max radix] */
} ingraph;

/* Does next() of this routing depend on (switch, destination) alone, whatever the initial state? */
static inline bool ingraph_fits(const ik_routing *r)
{
    return (r->traits & IK_ROUTE_DEST_BASED) && !r->family->num_starts;
}

/* False when out of memory (free it all the same). */
bool ingraph_make(const ik_fabric *f, const ik_routing *routing, ingraph *g);
void ingraph_free(ingraph *g);
void ingraph_begin(ingraph *g, uint32_t dst);
/* Turns to destination dst on the same switch as the one before, if the routing gives it the same
 * ports at all switches known, none of which has a flaw: everything known stays so, but for
 * preferred paths, which are measured anew. Otherwise false, and nothing is changed that
 * ingraph_begin() does not change. Cost O(known switches). */
bool ingraph_again(ingraph *g, uint32_t dst);
/* Everything that packets entering at `sw` reach, unless known. */
void ingraph_follow(ingraph *g, uint32_t sw);

static inline bool ingraph_knows(const ingraph *g, uint32_t sw)
{
    assert(sw < g->fabric->num_switches);
    return g->nodes[sw].epoch == g->epoch;
}
static inline const uint64_t *ingraph_ports(const ingraph *g, uint32_t sw)
{
    assert(sw < g->fabric->num_switches);
    return g->ports + sw * g->words;
}
static inline walk_outcome ingraph_outcome(const ingraph *g, uint32_t sw)
{
    assert(ingraph_knows(g, sw));
    const ingraph_node *n = &g->nodes[sw];
    return (walk_outcome){n->longest, n->preferred, n->flaws};
}

/* Walks over the bits of a port set: *cursor starts at 0; the next local port, IK_NONE after the
 * last. */
uint32_t ingraph_next_port(const uint64_t *ports, size_t words, uint32_t *cursor);

#endif
