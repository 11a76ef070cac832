/* SPDX-License-Identifier: Apache-2.0
 *
 * scale.h: helpers for the size series of the families.
 */
#ifndef IKAT_TOPOLOGY_SCALE_H
#define IKAT_TOPOLOGY_SCALE_H

#include "ikat/topology.h"

/* Fills the counts of a network of equal switches with `degree` network ports and p hosts each. */
void scale_direct(ik_scale_point *out, double switches, double degree, double p);

/* ---- members for a wish: a family offers those that fulfil it, and the cheapest stays. */

typedef struct scale_best {
    const ik_wish *wish;
    ik_fit *fit; /* the cheapest so far */
    bool found;
} scale_best;
/* Offers a member by its switches, its cables between them, its largest switch and the hosts that
 * it has ports for; the rest is its spec, to which hosts= is added where it is partly filled. Gives
 * whether it is the cheapest so far. */
bool scale_offer(scale_best *best, double switches, double cables, double radix, double capacity,
                 const char *spec, ...) IK_PRINTF(6, 7);
/* No member with so many switches is cheaper. */
bool scale_too_many(const scale_best *best, double switches);
/* The same, with at least so many cables between switches. */
bool scale_too_dear(const scale_best *best, double switches, double cables);
/* Hosts per switch, at least one, that all hosts wished for need on so many switches. */
uint32_t scale_hosts_per(const ik_wish *wish, double switches);
/* The most hosts where the balanced member has `balanced` of them. */
uint32_t scale_most(const ik_wish *wish, uint32_t balanced);
/* The least that must stand against `hosts` hosts. */
uint32_t scale_least(const ik_wish *wish, double hosts);
/* The fewest groups of so many hosts, of which any two have at least c cables, such that their
 * uniform traffic goes through these c. Of the `switches` of a group each has h such cables, at
 * most most_h. even: where a switch has some to each other group, equally many to each. */
bool scale_groups(const ik_wish *wish, double group_hosts, uint32_t switches, uint32_t most_h,
                  bool even, uint32_t *groups, uint32_t *h);
/* Global cables of such groups (see ik_global_links). */
double scale_global_cables(double groups, double ports);

/* tree_fit.c: fat trees of 2 and 3 levels. */
bool tree_fit_2_levels(const ik_wish *wish, ik_fit *out);
bool tree_fit_3_levels(const ik_wish *wish, ik_fit *out);

#endif
