/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal.h: what the parts of routing frugal share: tables and lanes chosen together, so that few
 * lanes are enough for both directions of every connection.
 * route_frugal.c: the family; frugal_tables.c: from tables to a routing; frugal_search.c: which
 * attempt is taken; frugal_attempt.c: one attempt; frugal_unit.c: the paths between two switches;
 * frugal_improve.c, frugal_orders.c: better tables from an attempt's; frugal_graph.c: what all
 * attempts share.
 */
#ifndef IKAT_ROUTING_FRUGAL_H
#define IKAT_ROUTING_FRUGAL_H

#include "base/array.h"
#include "routing/graph/linkdag.h"

#include <assert.h>

#define FRUGAL_MOST_LANES 32
#define FRUGAL_NO_LANE    255

/* ---- frugal_graph.c */

typedef struct frugal_graph {
    links g;
    uint8_t *dist;    /* [S][S] */
    uint32_t *hosts;  /* [S] */
    uint32_t *first;  /* [S + 1] where a switch's hosts begin in host */
    uint32_t *host;   /* [hosts] by switch */
    uint32_t *rank;   /* [L] place of a link among its switch's, by port */
    uint32_t *near;   /* [num_units] lower switch of each pair, nearest pairs first */
    uint32_t *far;    /* [num_units] higher switch */
    uint32_t *parent; /* [S] link towards the root of a spanning tree, IK_NONE at roots */
    uint32_t num_units;
    uint64_t host_pairs; /* connected, on different switches */
} frugal_graph;
ik_status frugal_graph_build(const ik_fabric *f, const ik_env *env, frugal_graph *out,
                             ik_error *err);
void frugal_graph_free(frugal_graph *f);

/* Host pairs that a tree serves from a switch; spread: a tree per host. */
static inline uint64_t frugal_weight(const frugal_graph *f, bool spread, uint32_t s, uint32_t d)
{
    return (uint64_t)f->hosts[s] * (spread ? 1 : f->hosts[d]);
}

/* ---- frugal_attempt.c */

/* Trees: in-trees to destinations. All hosts of a switch share one, or each has its own. */
typedef struct frugal_rule {
    unsigned lanes;   /* most */
    bool spread;      /* a tree per host */
    bool by_port;     /* the lowest port that fits, instead of the lightest path */
    double reuse;     /* what a new dependency costs, in mean link loads */
    uint64_t shuffle; /* 0: pairs of one distance in order; else drawn */
    bool detours;     /* paths may be longer than shortest where those do not fit */
    bool escapes;     /* detours; and the tree's paths, which always fit, where all else fails */
    const uint32_t *given; /* [trees][S] next links that are only given lanes; NULL: none */
} frugal_rule;

typedef struct frugal_tables {
    bool spread;
    uint32_t num_trees;
    uint32_t *next; /* [trees][S] link, IK_NONE at the destination's switch */
    uint8_t *lane;  /* [S][S] of pairs of switches with hosts, symmetric */
    unsigned lanes; /* used */
    uint64_t max_load, hops,
        longer; /* host pairs: over the busiest link, times hops, not shortest */
} frugal_tables;
/* *found: every pair fits. Otherwise *out is left alone. */
ik_status frugal_attempt(const frugal_graph *f, const frugal_rule *rule, const ik_env *env,
                         frugal_tables *out, bool *found, ik_error *err);
/* begin [S + 1]: the first tree of every switch. */
void frugal_begin(const frugal_graph *f, bool spread, uint32_t *begin);
/* Counts lanes, max_load, hops and longer of tables. */
ik_status frugal_measure(const frugal_graph *f, frugal_tables *t, ik_error *err);
void frugal_tables_free(frugal_tables *t);

/* ---- frugal_search.c */

typedef struct frugal_goal {
    unsigned lanes; /* most */
    bool by_load;   /* the least load rather than the fewest lanes */
} frugal_goal;
/* What fewer lanes may cost. */
typedef struct frugal_bound {
    bool by_load;   /* the load counts more, whatever it is */
    uint64_t load;  /* most */
    unsigned lanes; /* tables with more are of no use */
} frugal_bound;
/* Whether a is better than b. */
bool frugal_better(frugal_bound bound, const frugal_tables *a, const frugal_tables *b);
/* The best tables of many attempts; always finds some. Writes what balanced tables would need into
 * r->trade, and leaves them in r->lft. */
ik_status frugal_search(const frugal_graph *f, ik_routing *r, frugal_goal goal, const ik_env *env,
                        frugal_tables *out, ik_error *err);

/* ---- frugal_improve.c */

/* Makes tables better, in the sense of frugal_better. detours: paths may be longer than shortest
 * ones. */
ik_status frugal_improve(const frugal_graph *f, frugal_tables *t, frugal_bound bound, bool detours,
                         const ik_env *env, ik_error *err);

/* ---- frugal_tables.c */

/* The lanes of hosts, by their switches; the same both ways. */
typedef struct frugal_lanes {
    uint32_t num_switches;
    uint32_t *host_sw; /* [hosts] IK_NONE */
    uint8_t *lane;     /* [S][S] */
    unsigned num;
    uint64_t load[FRUGAL_MOST_LANES]; /* host pairs times hops */
} frugal_lanes;
/* Makes r's tables, note and trade, and what it claims; the lanes into *out. */
ik_status frugal_make(ik_routing *r, frugal_goal goal, const ik_env *env, frugal_lanes *out,
                      ik_error *err);
void frugal_lanes_free(frugal_lanes *lanes);
static inline unsigned frugal_lanes_between(const frugal_lanes *t, uint32_t src, uint32_t dst)
{
    assert(src != dst || t->host_sw[src] == t->host_sw[dst]);
    uint32_t s = t->host_sw[src], d = t->host_sw[dst];
    return s == IK_NONE || d == IK_NONE ? 0 : t->lane[(size_t)s * t->num_switches + d];
}

/* ---- frugal_unit.c */

typedef struct frugal_work {
    const frugal_graph *f;
    const frugal_rule *rule;
    linkdag *dags;   /* [lanes] */
    uint32_t *next;  /* [trees][S] IK_NONE: not yet */
    uint32_t *begin; /* [S + 1] first tree of a switch */
    uint8_t *lane;   /* [S][S] */
    uint64_t *load;  /* [L] */
    uint64_t total;  /* of load */
    uint32_t *path;  /* scratch [S + 2] */
    struct frugal_option {
        double cost;
        uint32_t link;
    } * options; /* scratch [degree] */
    struct frugal_turn {
        uint32_t from, to;
    } * added, *refused; /* in the graph of the lane at work, since the unit began */
    size_t num_added, cap_added, num_refused, cap_refused;
    struct frugal_cell {
        uint32_t tree, sw;
    } * set; /* next links set since the unit began */
    size_t num_set, cap_set;
    bool no_memory;
} frugal_work;
/* Paths both ways between two switches on a lane, all or none; *cost: of what was chosen. They stay
 * until frugal_unit_undo. */
bool frugal_unit_route(frugal_work *w, uint32_t s, uint32_t d, unsigned lane, bool detours,
                       double *cost);
void frugal_unit_undo(frugal_work *w, unsigned lane);
/* Starts a new unit: what was routed stays. */
void frugal_unit_keep(frugal_work *w);
#endif
