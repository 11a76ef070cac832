/* SPDX-License-Identifier: Apache-2.0
 *
 * linkdag.h: a channel dependency graph that stays acyclic: dependencies between consecutive links
 * are added one by one and one that would close a cycle is refused.
 *
 * Idea: keep a topological order of the links; a dependency that agrees with it is free, one that
 * does not reorders only the links between its ends, or finds the cycle there. Source: D. J.
 * Pearce, P. H. J. Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs", ACM
 * Journal of Experimental Algorithmics 11, 2007. Edges are bits in rows as wide as the largest
 * degree, since a link can only be followed by the links of its far switch.
 */
#ifndef IKAT_ROUTING_LINKDAG_H
#define IKAT_ROUTING_LINKDAG_H

#include "routing/graph/links.h"

typedef struct linkdag {
    const links *g; /* borrowed */
    uint32_t words; /* 64-bit words a row */
    /* [link][words] bit i: followed by link i of the far switch */
    uint64_t *out;
    /* [link][words] bit j: preceded by the opposite of link j of the near switch */
    uint64_t *in;
    /* [link][words] dependencies known to close a cycle; holds while nothing is removed */
    uint64_t *refused;
    uint32_t *order;                  /* [link] position in the topological order */
    uint32_t *at;                     /* [position] link */
    uint32_t *mark;                   /* [link] == round: visited in this search */
    uint32_t *side;                   /* [link] == round: visited ahead, not behind */
    uint32_t *ahead, *behind, *slots; /* scratch [num_links] */
    uint32_t round;
} linkdag;

ik_status linkdag_init(linkdag *d, const links *g, ik_error *err);
void linkdag_free(linkdag *d);
/* Starts an empty graph with another order than ascending: first[i] is the i-th link. Dependencies
 * that agree with it are free.
 */
void linkdag_start_with(linkdag *d, const uint32_t *first);
static inline bool linkdag_has(const linkdag *d, uint32_t from, uint32_t to)
{
    assert(from < d->g->num_links && d->g->head[from] == d->g->tail[to]); /* consecutive */
    uint32_t i = to - d->g->base[d->g->head[from]];
    return (d->out[(size_t)from * d->words + i / 64] >> (i % 64)) & 1;
}
/* The same of the opposite of a link of the switch that `to` leaves: fast for one after the
 * other. */
static inline bool linkdag_has_from(const linkdag *d, uint32_t back, uint32_t to)
{
    assert(to < d->g->num_links && d->g->tail[back] == d->g->tail[to]);
    uint32_t j = back - d->g->base[d->g->tail[to]];
    return (d->in[(size_t)to * d->words + j / 64] >> (j % 64)) & 1;
}

typedef enum linkdag_result { LINKDAG_CYCLE, LINKDAG_OLD, LINKDAG_NEW } linkdag_result;
/* Adds the dependency from -> to, two consecutive links. LINKDAG_CYCLE leaves the graph as it was;
 * asking again is cheap. */
linkdag_result linkdag_add(linkdag *d, uint32_t from, uint32_t to);
/* Many at once, as bits as in `out`. Links in an order that agrees with them: order[num_links];
 * false: they are cyclic, and the rest stands in any order. in: scratch [num_links] */
bool linkdag_sort(const linkdag *d, const uint64_t *want, uint32_t *in, uint32_t *order);
/* Adds them; those that close a cycle stay out. */
void linkdag_add_all(linkdag *d, const uint64_t *want);
/* Takes a dependency away. Refusals that it caused must be forgotten by the caller, one by one. */
void linkdag_remove(linkdag *d, uint32_t from, uint32_t to);
void linkdag_forget(linkdag *d, uint32_t from, uint32_t to);

/* Adds the dependencies along path[0..n-1] and along path[n..n+m-1], all or none; IK_NONE among the
 * links separates further paths. undo: scratch [n + m]. Returns whether they fit. */
bool linkdag_add_paths(linkdag *d, const uint32_t *path, uint32_t n, uint32_t m, uint32_t *undo);

#endif
