/* SPDX-License-Identifier: Apache-2.0
 *
 * complete_rows.h: what completing tables works on: one row at a time, and the graph of what
 * packets in lane 0 wait for.
 */
#ifndef IKAT_SUBNET_COMPLETE_ROWS_H
#define IKAT_SUBNET_COMPLETE_ROWS_H

#include "ikat/subnet.h"
#include "routing/graph/linkdag.h"
#include "subnet/tables/complete.h"

#define NO_ENTRY 0xFFFFu /* in tables of ik_lft_compile */

typedef struct completion {
    const ik_plan *plan;
    unsigned lane; /* of the plan that is lane 0 of the subnet */
    const ik_lids *lids;
    const ik_env *env;
    const ik_fabric *f; /* of the LIDs: not split */
    links g;
    linkdag dag;
    ik_lid_tables t;
    uint16_t *lft;     /* [switch][host of the routing's fabric] */
    uint32_t *host_of; /* [num_ports] the routing's host whose cable is in this port of a host */
    bool *sends;       /* [switch] hosts hang on it */
    uint8_t *level;    /* [switch] hops to the nearest switch with hosts */
    bool trim;         /* of hosts' rows, keep what hosts' packets cross alone */
    bool *unsafe_host; /* [lids] base LIDs of hosts whose rows close a cycle */
    uint8_t *number;   /* [ports of switches] printed number */
    uint32_t *next;    /* [switch] link, NEXT_HERE, IK_NONE */
    uint32_t *own;     /* [switch] what the routing has, where c->trim took it out of `next` */
    uint32_t *onward;  /* [switch] the switch behind `next` */
    uint8_t *seen;     /* [switch] */
    uint32_t *queue;   /* [switch] */
    uint32_t *path;    /* [switch] scratch */
    uint64_t *want;    /* [link][dag.words] dependencies, as in the graph */
    uint32_t unsafe;
} completion;

static inline bool complete_rows_is_link_next(uint32_t next)
{
    return next < NEXT_HERE;
}

/* The routing's own row for a host, into c->next; see c->trim. c->own: the whole row. */
void complete_load_row(completion *c, uint32_t host);
/* The graph of all that the routing's own rows depend on in lane 0. Sets c->unsafe_host and
 * c->trim. */
ik_status complete_make_graph(completion *c, ik_error *err);
/* Adds the dependencies of the row at hand, from every switch, or from those that hosts hang on;
 * false: some close a cycle. */
bool complete_add_row(completion *c, bool from_all);
/* Adds all turns at one switch after the other, see there: switches with hosts first, or last. */
ik_status complete_add_hubs(completion *c, bool hosts_first, ik_error *err);

#endif
