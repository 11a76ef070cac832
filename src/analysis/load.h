/* SPDX-License-Identifier: Apache-2.0
 *
 * load.h: the two engines of ik_load_measure and what they share.
 */
#ifndef IK_LOAD_H
#define IK_LOAD_H

#include "analysis/demand.h"
#include "analysis/walk.h"
#include "ikat/analysis.h"

/* Sums by channel and switch, in amounts of demand.h. Work is cut into a number of parts that depends on the fabric alone, each
 * with its own sums, added in order: results do not depend on the number of threads even where sums are rounded. */
typedef struct load_sums {
    double *load, *crossing; /* [num_ports] */
    double *turns;           /* [num_switches] */
} load_sums;

typedef struct load_job {
    const ik_routing *r;
    const ik_fabric *f;
    const demand *d;
    size_t num_parts;
    load_sums *parts; /* [num_parts] */
    uint8_t **lost;   /* [num_hosts] by destination, a bit a row of the demand: its flows do not arrive; NULL = all do */
} load_job;

/* Destination-based routings: one pass over the switches for each destination. */
ik_status load_by_trees(load_job *job, const ik_env *env, ik_error *err);
/* All others: walks every flow from every initial state. */
ik_status load_by_walks(load_job *job, const ik_env *env, ik_error *err);

/* Does the channel lead upwards in a tree? (injection does not count) */
static inline bool load_goes_up(const ik_fabric *f, uint32_t port)
{
    uint32_t from = f->port_node[port], to = ik_peer_node(f, port);
    return f->num_levels && to != IK_NONE && ik_is_switch(f, to) && ik_is_switch(f, from) &&
           f->switch_level[to] > f->switch_level[from];
}

#endif
