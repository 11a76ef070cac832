/* SPDX-License-Identifier: Apache-2.0
 *
 * hierarchy.h: minimal paths in a fabric of groups: local hops, at most one global one, local hops.
 *
 * A link is local inside a group of switches and global between two. What the literature on
 * dragonflies calls minimal is the shortest path with at most one global link; the graph may have a
 * shorter one over two.
 */
#ifndef IKAT_ROUTING_HIERARCHY_H
#define IKAT_ROUTING_HIERARCHY_H

#include "routing/graph/links.h"

#include <assert.h>

/* The parameter of routings that go minimally. */
#define HIERARCHY_PARAM                                                                            \
    {                                                                                              \
        "hierarchy", IK_PARAM_ENUM, "auto", 0, 0, "auto|on|off",                                   \
            "what a minimal path is on dragonfly and dragonflyplus: on: the shortest path with "   \
            "at most one global link (in each half, if the route has two halves); off: every "     \
            "shortest path of the graph; auto: on for these families. Other fabrics accept only "  \
            "auto, which takes every shortest path of the graph"                                   \
    }

/* Resolves the parameter: whether paths are hierarchical. `on` and `off` where there are no groups:
 * IK_ERR_UNSUPPORTED. */
ik_status hierarchy_wanted(const ik_fabric *f, const ik_params *params, bool *out, ik_error *err);
/* Whether the groups of such a fabric are trees of their own (dragonflyplus): a path up, over and
 * down needs no more VCs. */
bool hierarchy_of_trees(const ik_fabric *f);

/* Group of every switch, [num_switches]; free(). NULL: out of memory. */
uint32_t *hierarchy_groups(const ik_fabric *f);
/* Hops of hierarchical minimal paths [num_switches][num_switches], LINKS_FAR where there is none.
 * Symmetric. Free with free(). O(S * (S + L)), all threads. */
ik_status hierarchy_distances(const links *g, const uint32_t *group, const ik_env *env,
                              uint8_t **out, ik_error *err);

/* Whether a link from switch u to switch w may be on such a path from u to v. */
static inline bool hierarchy_allows(const uint32_t *group, uint32_t u, uint32_t w, uint32_t v)
{
    assert(u != w);
    return group[w] == group[u] || group[w] == group[v];
}

#endif
