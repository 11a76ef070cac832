/* SPDX-License-Identifier: Apache-2.0
 *
 * hierarchy.c: see hierarchy.h. One breadth-first search per switch: from switches of its own group
 * every link is followed, from others only local ones. So every switch is reached in one way of
 * three: local; local, global; local, global, local.
 *
 * Source: J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-Driven, Highly-Scalable Dragonfly
 * Topology", ISCA 2008, section 4.1.
 */
#include "routing/direct/hierarchy.h"

#include <stdlib.h>
#include <string.h>

static bool hierarchy_has_groups(const ik_fabric *f)
{
    return f->switch_place && f->family && strncmp(f->family, "dragonfly", 9) == 0;
}

bool hierarchy_of_trees(const ik_fabric *f)
{
    return f->family && strcmp(f->family, "dragonflyplus") == 0;
}

ik_status hierarchy_wanted(const ik_fabric *f, const ik_params *params, bool *out, ik_error *err)
{
    enum { AUTO, ON, OFF } wanted = ik_params_enum(params, "hierarchy");
    if (wanted != AUTO && !hierarchy_has_groups(f)) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "hierarchy=%s: '%s' has no groups of switches that global links join",
                         wanted == ON ? "on" : "off", f->family ? f->family : "this fabric"),
                 "hierarchy");
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "dragonfly and dragonflyplus have; elsewhere leave it at auto, which is "
                       "every shortest path of the graph");
    }
    *out = wanted != OFF && hierarchy_has_groups(f);
    return IK_OK;
}

uint32_t *hierarchy_groups(const ik_fabric *f)
{
    uint32_t *group = ik_calloc((size_t)f->num_switches + 1, sizeof *group);
    for (uint32_t s = 0; group && s < f->num_switches; s++)
        group[s] = f->switch_place[s].group;
    return group;
}

typedef struct search {
    const links *g;
    const uint32_t *group;
    uint8_t *dist;
} search;

static ik_status hierarchy_search_from(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    const search *s = ctx;
    const links *g = s->g;
    uint8_t *dist = s->dist + index * g->num_switches;
    uint32_t first = 0, last = 0, *queue = ik_calloc((size_t)g->num_switches + 1, sizeof *queue);
    if (!queue)
        return ik_fail_memory(err, g->num_switches * sizeof *queue, "a search");
    memset(dist, LINKS_FAR, g->num_switches);
    dist[index] = 0;
    queue[last++] = (uint32_t)index;
    for (; first < last && dist[queue[first]] < LINKS_FAR - 1; first++) {
        uint32_t u = queue[first];
        bool home = s->group[u] == s->group[index];
        for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++) {
            uint32_t w = g->head[l];
            if (dist[w] != LINKS_FAR || (!home && s->group[w] != s->group[u]))
                continue;
            dist[w] = (uint8_t)(dist[u] + 1);
            queue[last++] = w;
        }
    }
    free(queue);
    return first == last ? IK_OK
                         : ik_fail(err, IK_ERR_UNSUPPORTED,
                                   "paths of %d hops and more are not supported", LINKS_FAR);
}

ik_status hierarchy_distances(const links *g, const uint32_t *group, const ik_env *env,
                              uint8_t **out, ik_error *err)
{
    size_t n = g->num_switches;
    search s = {g, group, ik_calloc(n * n + 1, 1)};
    if (!s.dist)
        return ik_fail_memory(err, n * n, "distances between switches");
    ik_status status = ik_parallel_for(env, "distances", n, hierarchy_search_from, &s, err);
    if (status == IK_OK)
        *out = s.dist;
    else
        free(s.dist);
    return status;
}
