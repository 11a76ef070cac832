/* SPDX-License-Identifier: Apache-2.0
 *
 * colored.h: the parts of pattern-aware routing: flows of a pattern, colouring of one sub-network,
 * contention of a table. */
#ifndef IKAT_ROUTING_COLORED_H
#define IKAT_ROUTING_COLORED_H

#include "ikat/traffic.h"
#include "routing/tree/tree.h"

#include <assert.h>

/* One pair that communicates. via: its ascent (see tree.h). */
typedef struct colored_flow {
    uint32_t src, dst, via;
    uint32_t level; /* of the nearest common ancestors */
} colored_flow;

/* ---- what is to be routed (colored_phases.c) */

enum { COLORED_MAX_FLOWS = 1 << 24, COLORED_MAX_PHASES = 256 };

/* Flows that are there at the same time. */
typedef struct colored_phase {
    colored_flow *flows; /* [n] those that leave their switch, then the others up to n_all */
    uint32_t n, n_all;
    size_t room;
    bool shared; /* some host has several flows */
    bool failed;
} colored_phase;

/* The phases that parameter `traffic` lists; phases: [COLORED_MAX_PHASES]. */
ik_status colored_phases_of_list(const ik_routing *r, const tree *t, const ik_spec_member *list,
                                 size_t num, const ik_env *env, colored_phase *phases,
                                 ik_error *err);
/* Those of a workload, one a class of messages; any other pattern is one phase. */
ik_status colored_phases_of_traffic(const ik_traffic *traffic, const tree *t, colored_phase *phases,
                                    uint32_t *num_phases, ik_error *err);

/* ---- contention (colored_measure.c) */

typedef enum colored_objective { COLORED_TIME, COLORED_CONTENTION } colored_objective;

/* Less is better. time: of the max-min fair fluid model, NAN where that would take too long; load:
 * most flows of a channel in relation to its capacity, which no time can be below. Inside one
 * sub-network time = load. */
typedef struct colored_cost {
    double time, load;
    /* largest contention of a channel, channels that have it, sum of squares */
    uint64_t worst, channels, squares;
} colored_cost;

static inline int colored_compare_time(const colored_cost *a, const colored_cost *b)
{
    bool known = a->time == a->time && b->time == b->time; /* no NAN */
    double x = known ? a->time : a->load, y = known ? b->time : b->load, step = 1e-9 * (x + y);
    return x < y - step ? -1 : x > y + step;
}

/* Time first: (time, worst, channels, squares). Contention first: (worst, time, channels,
 * squares). */
static inline int colored_compare(const colored_cost *a, const colored_cost *b,
                                  colored_objective objective)
{
    int time = colored_compare_time(a, b), worst = (a->worst > b->worst) - (a->worst < b->worst);
    int first = objective == COLORED_TIME ? time : worst,
        second = objective == COLORED_TIME ? worst : time;
    if (first || second)
        return first ? first : second;
    if (a->channels != b->channels)
        return a->channels < b->channels ? -1 : 1;
    return a->squares < b->squares ? -1 : a->squares > b->squares;
}

static inline void colored_count(colored_cost *cost, uint64_t contention)
{
    if (contention > cost->worst) {
        cost->worst = contention;
        cost->channels = 0;
    }
    cost->channels += contention && contention == cost->worst;
    cost->squares += contention * contention;
}

/* Scratch for matchings among hosts; zero-initialise, then colored_matcher_init. */
typedef struct colored_matcher {
    uint32_t *id;           /* [2 * hosts] local number + 1 of a source or destination */
    uint32_t *left, *right; /* [capacity] of each flow */
    uint32_t *first, *next; /* adjacency of the left side */
    uint32_t *match, *seen; /* of the right side */
    uint32_t num_hosts;
} colored_matcher;

ik_status colored_matcher_init(colored_matcher *m, uint32_t num_hosts, uint32_t capacity,
                               ik_error *err);
void colored_matcher_free(colored_matcher *m);
/* Contention of a channel: the largest set of these flows in which no two share a source or a
 * destination. */
uint32_t colored_matching(colored_matcher *m, const colored_flow *flows, const uint32_t *list,
                          uint32_t n);
/* The channels between switches of a flow, up and down: one for each level below its ancestor. */
void colored_channels(const tree *t, const ik_fabric *f, const colored_flow *flow, uint32_t *up,
                      uint32_t *down);
/* Contention of each channel, kept from table to table: it is computed anew only where a channel
 * has other flows. */
typedef struct colored_channel {
    uint64_t flows; /* a hash of them */
    uint32_t contention;
} colored_channel;
/* Contention of the whole table, over all channels between switches; leaves time and load alone.
 * of: [switch ports] */
ik_status colored_measure(const tree *t, const ik_fabric *f, const colored_flow *flows, uint32_t n,
                          colored_matcher *m, colored_cost *cost, colored_channel *of,
                          ik_error *err);

/* ---- all of it for the flows of a phase (colored_judge.c) */

typedef struct colored_judge {
    const tree *tree;
    const ik_fabric *f;
    colored_matcher *matcher;
    colored_flow *flows; /* [n] those that climb, then the others [n_all - n]; borrowed */
    uint32_t n, n_all;
    size_t *base;                /* [n_all + 1] */
    uint32_t *channel;           /* of the ascents judged last */
    double *capacity;            /* [num_ports] */
    double *done;                /* [n_all] when each flow was done */
    colored_channel *contention; /* [switch ports] */
    uint32_t *crossing;          /* [num_ports] scratch */
    /* no table need take less time: what the hosts and the ways out of each subtree allow */
    double target;
    uint64_t least; /* nor have less contention */
    double steps;   /* work so far */
    bool too_large; /* the fluid model took too long once: it is not asked any more */
} colored_judge;

ik_status colored_judge_init(colored_judge *j, const tree *t, const ik_fabric *f,
                             colored_flow *flows, uint32_t n, uint32_t n_all, colored_matcher *m,
                             ik_error *err);
void colored_judge_free(colored_judge *j);
/* Judges the ascents that the flows have now: contention, time and load, both. */
ik_status colored_judge_contention(colored_judge *j, colored_cost *cost, ik_error *err);
ik_status colored_judge_time(colored_judge *j, colored_cost *cost, ik_error *err);
ik_status colored_judge_cost(colored_judge *j, colored_cost *cost, ik_error *err);

/* Can no table be better? */
static inline bool colored_judge_settled(const colored_judge *j, const colored_cost *cost)
{
    assert(j->target >= 0);
    return cost->time <= j->target * (1 + 1e-9) && cost->worst <= j->least;
}

/* Moves flows to other ascents, or exchanges those of two flows, as long as the work is below
 * `steps` and the table is not known to be optimal, going by `walk`; leaves the best table by
 * `objective` behind. movable: [num] flows. cost: of the table as it is; becomes that of the table
 * left behind, which is no worse. */
typedef struct colored_search_plan {
    const uint32_t *movable;
    uint32_t num;
    colored_objective objective, walk;
    double steps;
    uint64_t seed;
} colored_search_plan;
ik_status colored_refine(colored_judge *j, const colored_search_plan *plan, const ik_env *env,
                         colored_cost *cost, ik_error *err);

/* ---- one sub-network (colored_edges.c, colored_search.c) */

/* Flows between the switches of one level that share their way so far: edges of a bipartite
 * multigraph. */
typedef struct colored_group {
    const colored_flow *flows; /* all flows of the phase */
    const uint32_t *list;      /* [n] the group's flows */
    uint32_t *left, *right;    /* [n] source and destination subtree, renumbered from 0 */
    uint32_t n, num_left, num_right;
    uint32_t num_colors; /* up ports */
    colored_objective objective;
    uint32_t limit;  /* flows that a channel should not exceed; 0 = any number */
    uint16_t *color; /* [n] the result */
} colored_group;

/* Every switch's flows spread evenly over the colours: at most ceil(degree / colours) on a
 * channel. */
ik_status colored_edges(colored_group *g, ik_error *err);
/* Greedy by contention, then moves while they help; for flow sets where flows share sources or
 * destinations. */
ik_status colored_search(colored_group *g, colored_matcher *m, ik_error *err);
/* Chooses the ascent of every flow, level by level, each sub-network by the best of four colourings
 * (colored_paint.c). shared: some host has several flows. */
ik_status colored_paint(const tree *t, colored_flow *flows, uint32_t n, bool shared,
                        colored_objective objective, colored_matcher *m, ik_error *err);
/* Contention of the group's channels under g->color. */
ik_status colored_group_cost(const colored_group *g, colored_matcher *m, colored_cost *cost,
                             ik_error *err);

#endif
