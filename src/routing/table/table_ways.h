/* SPDX-License-Identifier: Apache-2.0
 *
 * table_ways.h: the paths that tables give to several hosts of one switch at once, where these are
 * equally long from any other switch, as shortest paths and those of up/down routing are. Once the
 * lengths are known from the entries of one host, one pass over the switches does for all of
 * them.
 */
#ifndef IKAT_ROUTING_TABLE_WAYS_H
#define IKAT_ROUTING_TABLE_WAYS_H

#include "routing/graph/links.h"

enum { TABLE_WAYS = 32 }; /* hosts at once, at most */

/* One per thread; the links are shared. */
typedef struct table_ways {
    const ik_routing *r;
    const links *g;
    uint32_t goal, first, num_hosts; /* hosts first … first + num_hosts - 1, of switch `goal` */
    uint8_t *depth;       /* [num_switches + 1] hops to the goal by the tables, LINKS_FAR: no way */
    uint32_t *order, num; /* the switches with a way, the goal first, then by depth */
    uint32_t *child, *sibling; /* [num_switches] of the tree of ways to one host, or IK_NONE */
    uint8_t *distance;         /* [num_switches] hops by any path, LINKS_FAR: not connected */
    uint32_t *queue, measured; /* [num_switches]; the switch that distances lead to, or IK_NONE */
    bool stray;                /* packets have entered at a switch without a way */
    uint32_t *through; /* [num_switches] bit i: packets for the i-th host come to the switch */
    uint32_t *next; /* [ports of switches] the switch that a channel leads to, num_switches: none */
    uint16_t *entry; /* [num_switches][num_hosts] those of the hosts: a row of a table is long, and
                      * what is gathered once stays in a cache */
} table_ways;

/* Is it a deterministic routing by tables of one entry per host, each of which has one cable? */
bool table_ways_fit(const ik_routing *r);
ik_status table_ways_init(table_ways *w, const ik_routing *r, const links *g, ik_error *err);
void table_ways_free(table_ways *w);
/* How many of the hosts first … end - 1 may be taken at once: 1 to TABLE_WAYS. */
uint32_t table_ways_run(const links *g, uint32_t first, uint32_t end);
/* Turns to such hosts, for which no packets have entered yet. false: a switch is too far away.
 * O(switches), also where the goal is the same. */
bool table_ways_turn(table_ways *w, uint32_t first, uint32_t num_hosts);
/* Fills `distance`. false: a switch is too far away. O(links), nothing if the goal is the same. */
bool table_ways_measure(table_ways *w);
static inline void table_ways_enter(table_ways *w, uint32_t sw, uint32_t hosts)
{
    w->through[sw] |= hosts;
    w->stray |= w->depth[sw] == LINKS_FAR;
}
/* Marks what the packets come to. false: some do not arrive, or their ways are not as long as
 * `depth` says. O(entries). */
bool table_ways_follow(table_ways *w);

/* The channel that packets for the i-th host take at sw. */
static inline uint32_t table_ways_port(const table_ways *w, uint32_t sw, unsigned i)
{
    return w->r->fabric->port_base[sw] + w->entry[(size_t)sw * w->num_hosts + i];
}

#endif
