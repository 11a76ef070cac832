/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal_improve.h: what the two parts of the improvement of routing frugal's tables share.
 * frugal_improve.c: the paths change, one next link at a time; frugal_orders.c: an order of the
 * links per lane says which changes are allowed.
 */
#ifndef IKAT_ROUTING_FRUGAL_IMPROVE_H
#define IKAT_ROUTING_FRUGAL_IMPROVE_H

#include "routing/graph/frugal.h"

typedef struct frugal_improver {
    const frugal_graph *f;
    frugal_tables *t;
    uint32_t *begin;    /* [S + 1] first tree of a switch */
    uint32_t *allowed;  /* [L][degree] bit l: lane l's order has the turn from a link to link i of
                          its far switch */
    uint32_t *used;     /* [L][degree] bit l: some pair of lane l makes this turn */
    uint32_t *mask;     /* [trees][S] lanes whose orders have all turns to the tree's switch */
    uint64_t *load;     /* [L] host pairs */
    uint32_t *position; /* [L] scratch of one lane's order */
    uint32_t *waits;    /* [L] scratch: turns onto a link from links not in the order yet */
    ik_heap heap;
    uint32_t **added; /* turns of one pair, in used */
    size_t num_added, cap_added;
    uint32_t seen; /* marks links of one search */
    /* of the tree at work, [S] each */
    uint32_t *child, *sibling; /* the switches that go on by this one */
    uint32_t *list, *stack;    /* from the tree's switch outwards; scratch */
    uint32_t *lanes_of;        /* lanes of the pairs that come through, or new masks */
    uint64_t *flow;            /* host pairs from this switch and those behind it */
    double scale;              /* 1 / mean load */
    uint32_t avoid;            /* lanes that are to become empty, as bits */
    bool detours;              /* paths may be longer than shortest ones */
    bool no_memory;            /* for some turn of a pair that was to be invited */
    uint64_t round;            /* counts draws */
    uint64_t last;             /* pairs of switches in the highest lane */
} frugal_improver;

/* The turns that the pairs of every lane make, into used. */
void frugal_orders_count(frugal_improver *w);
/* Adds to used what pairs of the highest lane would make in a lower one, where it closes no cycle.
 */
void frugal_orders_invite(frugal_improver *w);
/* A drawn order of the links per lane with all used turns, and the turns that agree with it, into
 * allowed; mask follows. False: no memory. */
bool frugal_orders_draw(frugal_improver *w);
/* list: the tree's switch and all that lead to it, nearest first; child and sibling. Returns how
 * many. */
uint32_t frugal_orders_walk(frugal_improver *w, uint32_t tree, uint32_t d);
/* Lanes that have the turn from link a to link b. */
static inline uint32_t *frugal_orders_turn(const frugal_improver *w, uint32_t *turns, uint32_t a,
                                           uint32_t b)
{
    const links *g = &w->f->g;
    assert(g->head[a] == g->tail[b]);
    return &turns[(size_t)a * g->max_degree + (b - g->base[g->tail[b]])];
}

#endif
