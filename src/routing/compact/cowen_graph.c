/* SPDX-License-Identifier: Apache-2.0
 *
 * cowen_graph.c: distances, trees and the order of all switches by distance, for Cowen's tables.
 */
#include "routing/compact/cowen.h"

#include <stdlib.h>

void cowen_graph_free(cowen_graph *c)
{
    links_free(&c->g);
    free(c->dist);
    free(c->succ);
    free(c->order);
}

/* The tree towards v, and all switches by (distance, id): a counting sort. */
static ik_status cowen_graph_prepare(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    (void)err;
    cowen_graph *c = ctx;
    const links *g = &c->g;
    size_t n = g->num_switches;
    const uint8_t *dist = c->dist + index * n;
    uint32_t start[257] = {0};
    for (uint32_t u = 0; u < n; u++) {
        start[dist[u] + 1]++;
        uint16_t next = NO_LINK;
        if (dist[u] != 0 && dist[u] != LINKS_FAR)
            for (uint32_t l = g->base[u]; l < g->base[u + 1] && next == NO_LINK; l++)
                if (dist[g->head[l]] + 1 == dist[u])
                    next = (uint16_t)(l - g->base[u]);
        c->succ[index * n + u] = next;
    }
    for (int d = 0; d < 256; d++)
        start[d + 1] += start[d];
    for (uint32_t u = 0; u < n; u++)
        c->order[index * n + start[dist[u]]++] = u;
    return IK_OK;
}

ik_status cowen_graph_build(const ik_fabric *f, const ik_env *env, cowen_graph *c, ik_error *err)
{
    ik_status status = links_build(f, &c->g, err);
    size_t n = f->num_switches;
    if (status == IK_OK)
        status = ik_env_refuse_bytes(env, 9.0 * (double)n * (double)n, "Cowen's tables", err);
    if (status == IK_OK)
        status = links_distances(&c->g, env, &c->dist, err);
    if (status != IK_OK)
        return status;
    c->succ = ik_calloc(n * n, sizeof *c->succ);
    c->order = ik_calloc(n * n, sizeof *c->order);
    if (!c->succ || !c->order)
        return ik_fail_memory(err, n * n * 6, "Cowen's trees");
    return ik_parallel_for(env, "Cowen trees", n, cowen_graph_prepare, c, err);
}
