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

#define NO_ENTRY      0xFFFFu /* in tables of ik_lft_compile */
#define COMPLETE_ROWS 128     /* that are looked at together */

/* A host's port, to whose LIDs the routing has a row. */
typedef struct completion_target {
    uint32_t index, paths; /* its first LID, and how many it has */
    uint32_t host;         /* of the routing's fabric */
    uint32_t sw;           /* that it hangs on; IK_NONE: another host's port */
    uint8_t last;          /* number of the port from there to it */
} completion_target;

typedef struct completion {
    const ik_plan *plan;
    unsigned lane; /* of the plan that is lane 0 of the subnet */
    const ik_lids *lids;
    const ik_env *env;
    const ik_fabric *f; /* of the LIDs: not split */
    links g;
    linkdag dag;
    ik_lid_tables t;
    uint16_t *compiled;  /* NULL: lft is the routing's own */
    const uint16_t *lft; /* [switch][host of the routing's fabric] */
    uint32_t *host_of;   /* [num_ports] the routing's host whose cable is in this port of a host */
    completion_target *targets; /* [num_targets] by ascending LID */
    uint32_t num_targets;
    uint32_t *host_switch; /* [hosts of the routing's fabric] as ik_host_switch() */
    uint32_t *sends;       /* [switch] hosts that hang on it */
    uint8_t *level;        /* [switch] hops to the nearest switch with hosts */
    bool trim;             /* of hosts' rows, keep what hosts' packets cross alone */
    bool *unsafe_host;     /* [lids] base LIDs of hosts whose rows close a cycle */
    uint8_t *number;       /* [ports of switches] printed number */
    /* [ports of switches] that number if the port leads to a switch; IK_PORT_SELF: it leads to a
     * host; IK_PORT_NONE: it has no cable */
    uint8_t *entry;
    uint32_t *next;    /* [switch] link, NEXT_HERE, IK_NONE */
    uint32_t *own;     /* [switch] what the routing has, where c->trim took it out of `next` */
    uint32_t *onward;  /* [switch] the switch behind `next` */
    uint32_t *waiting; /* [switch] how many switches without an entry have their own lead there */
    uint8_t *seen;     /* [switch] */
    uint32_t *queue;   /* [switch] */
    uint32_t *path;    /* [switch] scratch */
    uint64_t *want;    /* [link][dag.words] dependencies, as in the graph */
    uint64_t *all;     /* the same of whole rows, as the routing has them */
    uint32_t *lacking; /* [num_lacking] switches where the graph lacks some of these, or did */
    uint32_t num_lacking;
    uint32_t unsafe;
} completion;

static inline bool complete_rows_is_link_next(uint32_t next)
{
    return next < NEXT_HERE;
}

/* The port that the routing has at a switch for a host, IK_NONE: none with a cable. */
static inline uint32_t complete_port(const completion *c, uint32_t sw, uint32_t host)
{
    uint16_t local = c->lft[(size_t)sw * c->plan->routing->fabric->num_hosts + host];
    uint32_t port = local == NO_ENTRY ? IK_NONE : c->f->port_base[sw] + local;
    return port == IK_NONE || c->entry[port] == IK_PORT_NONE ? IK_NONE : port;
}
/* The link to the next switch there, IK_NONE: none. */
static inline uint32_t complete_link(const completion *c, uint32_t sw, uint32_t host)
{
    uint16_t local = c->lft[(size_t)sw * c->plan->routing->fabric->num_hosts + host];
    return local == NO_ENTRY ? IK_NONE : c->g.of_port[c->f->port_base[sw] + local];
}
/* That link, or NEXT_HERE where the port leads to a host. */
static inline uint32_t complete_next(const completion *c, uint32_t sw, uint32_t host)
{
    uint32_t port = complete_port(c, sw, host);
    if (port == IK_NONE)
        return IK_NONE;
    return c->entry[port] == IK_PORT_SELF ? NEXT_HERE : c->g.of_port[port];
}
/* The routing's own row for a host, into c->next; see c->trim. c->own: the whole row. */
void complete_load_row(completion *c, uint32_t host);
/* c->all: data and replies from every switch. */
ik_status complete_collect_all(completion *c, ik_error *err);
/* The graph of all that the routing's own rows depend on in lane 0. Sets c->unsafe_host and
 * c->trim. */
ik_status complete_make_graph(completion *c, ik_error *err);
/* Sets c->lacking; costs about as much as a few rows. */
void complete_find_lacking(completion *c);
/* Does the graph have all dependencies of a whole row of the routing? */
bool complete_bears_row(const completion *c, uint32_t host);
/* Adds the dependencies of the row at hand, from every switch, or from those that hosts hang on;
 * false: some close a cycle. */
bool complete_add_row(completion *c, bool from_all);
/* Adds all turns at one switch after the other, see there: switches with hosts first, or last. */
ik_status complete_add_hubs(completion *c, bool hosts_first, ik_error *err);

#endif
