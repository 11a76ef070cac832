/* SPDX-License-Identifier: Apache-2.0
 *
 * nue.h: what the parts of routing nue share: the work on one layer.
 * route_nue.c: layers and the family; nue_escape.c: escape paths; nue_search.c: one destination. */
#ifndef IKAT_ROUTING_NUE_H
#define IKAT_ROUTING_NUE_H

#include "base/array.h"
#include "routing/graph/frugal.h"
#include "routing/graph/route_nue.h"

typedef struct nue {
    unsigned num_layers;
    uint8_t *layer; /* [hosts] */
    uint64_t *load; /* [layers] */
    bool both;      /* pairs=both: the layers are lanes, and there is no other */
    frugal_lanes lanes;
} nue;

typedef struct dependency {
    uint32_t from, to;
} dependency;

typedef struct dependency_list {
    dependency *items;
    size_t num, capacity;
} dependency_list;

typedef struct nue_work {
    links g;
    linkdag dag;
    uint8_t *dist;        /* [S][S] */
    uint32_t *hosts;      /* [S] */
    uint64_t *load;       /* [L] host pairs */
    uint32_t *parent;     /* [S] tree link towards the root, IK_NONE at roots */
    uint32_t *preorder;   /* [S] switches, parents first */
    uint32_t *beneath;    /* [S] destinations of the layer in a switch's subtree */
    uint32_t *tree_total; /* [S] those of its whole tree */
    uint32_t *next;       /* [S] link towards the destination at work, IK_NONE = unsettled */
    uint64_t *key;        /* [S] */
    uint32_t *settled;    /* [S] in order of settling */
    uint32_t *escape;     /* [S] link towards the destination at work over the tree */
    uint32_t *stack;      /* [S] scratch */
    uint8_t *forced;      /* [S] must take its escape path */
    uint8_t *is_goal;     /* [S] the host at work hangs there */
    uint32_t *goals;      /* [num_goals] */
    uint32_t num_goals;
    uint32_t reachable; /* switches that reach a goal, goals counted */
    uint32_t num_settled;
    ik_heap heap; /* links; key: hops << 48 | load along the path */
    dependency_list added, refused;
} nue_work;
/* ---- nue_escape.c */

/* Breadth-first trees over all switches, the first from `root`; preorder lists parents before
 * children. */
void nue_grow_trees(nue_work *w, uint32_t root);
/* Counts the destinations of a layer below each switch. */
void nue_count_destinations(nue_work *w, const nue *t, unsigned layer);
/* Puts the dependencies of the escape paths to the layer's destinations into its graph. */
void nue_add_escape_paths(nue_work *w);
/* The escape paths, and the goals, of one host. */
void nue_set_escape_paths(nue_work *w, uint32_t host);
/* Whether a switch is connected to a goal of the host at work. */
bool nue_reaches_goal(const nue_work *w, uint32_t s);

/* ---- nue_search.c */

/* Paths to a host into w->next; false = out of memory. */
bool nue_find_paths(nue_work *w, uint32_t host);
/* Adds those paths to the load of their links; returns the hops of all hosts that take them. */
uint64_t nue_account(nue_work *w);

#endif
