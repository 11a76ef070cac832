/* SPDX-License-Identifier: Apache-2.0
 *
 * load.h: the engines of ik_load_measure and what they share.
 */
#ifndef IK_LOAD_H
#define IK_LOAD_H

#include "analysis/demand.h"
#include "analysis/spread.h"
#include "ikat/analysis.h"

#include <assert.h>

/* Work is cut into a number of parts that depends on the fabric alone, each with its own sums,
 * added in order: results do not depend on the number of threads even where sums are rounded. */
typedef struct load_job {
    const ik_routing *r;
    const ik_fabric *f;
    const demand *d;
    size_t num_parts;
    load_sums *parts; /* [num_parts] */
    bool by_switch;   /* goals are the rows of the demand, else hosts */
    /* [num_goals] a bit per row of the demand: its flows do not arrive; NULL = all do */
    uint8_t **lost;
    uint32_t num_goals;
} load_job;

/* Destination-based routings host by host, or switch by switch where hosts of one switch are alike;
 * so also routings with legs and no middle switches: one pass over the switches for each goal. */
ik_status load_by_trees(load_job *job, const ik_env *env, ik_error *err);
/* Does load_by_levels() do, if the routing keeps what it declares? Exact demands that are the same
 * for every pair, under a routing that ascends alike or fully (routing/tree/tree_counts.h). */
bool load_fits_by_levels(const ik_routing *r, const demand *d);
/* Level by level: O(hosts * levels + ports). *fits = false, and no result, if the routing does not
 * keep what it declares. */
ik_status load_by_levels(load_job *job, bool *fits, ik_error *err);
/* Routings with legs and middle switches: one pass for each middle switch and one for each
 * destination. *fits = false, and no result, if some leg does not arrive. */
ik_status load_by_legs(load_job *job, const ik_env *env, bool *fits, ik_error *err);
/* All others: walks every flow from every initial state. */
ik_status load_by_walks(load_job *job, const ik_env *env, ik_error *err);
/* One flow from every initial state of the routing, divided evenly among them and at every switch
 * among the allowed ports: what arrives is booked in sums, which the caller sets. */
typedef struct flow_walker {
    walker w;
    uint32_t *stack; /* [WALK_MAX] channels so far */
    uint32_t depth;
    uint32_t *branches; /* saved answers of next() */
    uint32_t radix;
    load_sums *sums;
    /* channels with a crossing of 0 before, where touched is not NULL: room for all */
    uint32_t *touched, num_touched;
    double arrived;
} flow_walker;
ik_status flow_walker_init(flow_walker *s, const ik_routing *r, ik_error *err);
void flow_walker_free(flow_walker *s);
/* Returns the part of `count` that arrives. */
double flow_walk(flow_walker *s, uint32_t src, uint32_t dst, double amount, double count);
/* The hosts' own channels, as far as an engine has not booked them: injection, and by_switch also
 * ejection and the turns of flows that stay on their switch. */
void load_book_ends(load_job *job);

/* Does the channel lead upwards in a tree? (injection does not count) */
static inline bool load_goes_up(const ik_fabric *f, uint32_t port)
{
    assert(port < f->num_ports);
    uint32_t from = f->port_node[port], to = ik_peer_node(f, port);
    return f->num_levels && to != IK_NONE && ik_is_switch(f, to) && ik_is_switch(f, from) &&
           f->switch_level[to] > f->switch_level[from];
}

/* What numbers of flows between ports are divided by to be numbers of flows between hosts: the
 * pairs of ports that a pair of hosts takes, where that is the same for all, else 1. */
uint32_t load_pairs_each(const ik_routing *r);

/* Do flows from the row to the goal fail to arrive? */
static inline bool load_is_lost(const load_job *job, uint32_t row, uint32_t goal)
{
    assert(goal < job->num_goals && row < job->d->num_rows);
    return job->lost[goal] && job->lost[goal][row / 8] >> row % 8 & 1;
}
ik_status load_note_lost(load_job *job, uint32_t row, uint32_t goal, ik_error *err);

/* Runs fn over the goals first … end - 1 cut into slices and parts: fn(ctx, part, thread, goals
 * from, to), each part in order; tells env's progress how many of `total` goals are done. */
typedef ik_status (*load_goals_fn)(void *ctx, size_t part, unsigned thread, uint32_t first,
                                   uint32_t end, ik_error *err);
ik_status load_each_goal(const load_job *job, const ik_env *env, uint32_t first, uint32_t end,
                         uint32_t total, load_goals_fn fn, void *ctx, ik_error *err);

#endif
