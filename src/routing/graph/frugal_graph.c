/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal_graph.c: what all attempts of routing frugal share: distances, hosts by switch, the pairs
 * of switches by distance, a spanning tree.
 */
#include "routing/graph/frugal.h"

#include <assert.h>
#include <stdlib.h>

void frugal_graph_free(frugal_graph *f)
{
    links_free(&f->g);
    free(f->dist);
    free(f->hosts);
    free(f->first);
    free(f->host);
    free(f->rank);
    free(f->near);
    free(f->far);
    free(f->parent);
    *f = (frugal_graph){0};
}

static void frugal_graph_group_hosts(frugal_graph *f)
{
    const links *g = &f->g;
    for (uint32_t h = 0; h < g->num_hosts; h++)
        if (g->host_sw[h] != IK_NONE)
            f->hosts[g->host_sw[h]]++;
    for (uint32_t s = 0; s < g->num_switches; s++)
        f->first[s + 1] = f->first[s] + f->hosts[s];
    for (uint32_t h = g->num_hosts; h-- > 0;)
        if (g->host_sw[h] != IK_NONE)
            f->host[f->first[g->host_sw[h]] + --f->hosts[g->host_sw[h]]] = h;
    for (uint32_t s = 0; s < g->num_switches; s++)
        f->hosts[s] = f->first[s + 1] - f->first[s];
}

static void frugal_graph_rank_links(frugal_graph *f)
{
    const links *g = &f->g;
    for (uint32_t s = 0; s < g->num_switches; s++)
        for (uint32_t l = g->base[s]; l < g->base[s + 1]; l++)
            for (uint32_t k = g->base[s]; k < g->base[s + 1]; k++)
                f->rank[l] += g->port[k] < g->port[l];
}

static bool frugal_graph_is_unit(const frugal_graph *f, uint32_t s, uint32_t d)
{
    assert(s != d);
    return (f->hosts[s] || f->hosts[d]) && f->dist[(size_t)s * f->g.num_switches + d] != LINKS_FAR;
}

/* Counting sort by distance. */
static ik_status frugal_graph_sort_units(frugal_graph *f, ik_error *err)
{
    uint32_t n = f->g.num_switches, start[LINKS_FAR + 2] = {0};
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = s + 1; d < n; d++)
            if (frugal_graph_is_unit(f, s, d)) {
                uint8_t hops = f->dist[(size_t)s * n + d];
                start[hops + 1]++;
                f->num_units++;
                f->host_pairs += 2ULL * f->hosts[s] * f->hosts[d];
            }
    for (uint32_t i = 0; i <= LINKS_FAR; i++)
        start[i + 1] += start[i];
    f->near = ik_calloc((size_t)f->num_units + 1, sizeof *f->near);
    f->far = ik_calloc((size_t)f->num_units + 1, sizeof *f->far);
    if (!f->near || !f->far)
        return ik_fail_memory(err, f->num_units * 8ULL, "pairs of switches");
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = s + 1; d < n; d++)
            if (frugal_graph_is_unit(f, s, d)) {
                uint32_t at = start[f->dist[(size_t)s * n + d]]++;
                f->near[at] = s;
                f->far[at] = d;
            }
    return IK_OK;
}

/* The switch whose farthest switch is nearest. */
static uint32_t frugal_graph_centre(const frugal_graph *f)
{
    assert(f->g.num_switches > 0);
    uint32_t n = f->g.num_switches, best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t s = 0; s < n; s++) {
        uint64_t farthest = 0, sum = 0;
        for (uint32_t d = 0; d < n; d++) {
            uint8_t hops = f->dist[(size_t)s * n + d];
            farthest = hops > farthest ? hops : farthest;
            sum += hops;
        }
        if ((farthest << 40 | sum) < least) {
            least = farthest << 40 | sum;
            best = s;
        }
    }
    return best;
}

/* Breadth-first trees, the first from the centre. queue: scratch [S]. */
static void frugal_graph_grow_tree(frugal_graph *f, uint32_t *queue, uint8_t *seen)
{
    const links *g = &f->g;
    uint32_t n = g->num_switches, filled = 0;
    for (uint32_t i = 0, root = n ? frugal_graph_centre(f) : 0; i <= n && n;
         root = i < n ? i : 0, i++) {
        if (seen[root])
            continue;
        seen[root] = 1;
        f->parent[root] = IK_NONE;
        queue[filled++] = root;
        for (uint32_t k = filled - 1; k < filled; k++)
            for (uint32_t l = g->base[queue[k]]; l < g->base[queue[k] + 1]; l++)
                if (!seen[g->head[l]]) {
                    seen[g->head[l]] = 1;
                    f->parent[g->head[l]] = g->rev[l];
                    queue[filled++] = g->head[l];
                }
    }
}

static ik_status frugal_graph_make_tree(frugal_graph *f, ik_error *err)
{
    size_t n = (size_t)f->g.num_switches + 1;
    uint32_t *queue = ik_calloc(n, sizeof *queue);
    uint8_t *seen = ik_calloc(n, 1);
    if (queue && seen)
        frugal_graph_grow_tree(f, queue, seen);
    ik_status status = queue && seen ? IK_OK : ik_fail_memory(err, n * 5, "a spanning tree");
    free(queue);
    free(seen);
    return status;
}

ik_status frugal_graph_build(const ik_fabric *fabric, const ik_env *env, frugal_graph *out,
                             ik_error *err)
{
    frugal_graph f = {0};
    ik_status status = links_build(fabric, &f.g, err);
    if (status == IK_OK)
        status = links_distances(&f.g, env, &f.dist, err);
    size_t n = (size_t)f.g.num_switches + 1;
    if (status == IK_OK) {
        f.hosts = ik_calloc(n, sizeof *f.hosts);
        f.first = ik_calloc(n, sizeof *f.first);
        f.host = ik_calloc((size_t)f.g.num_hosts + 1, sizeof *f.host);
        f.rank = ik_calloc((size_t)f.g.num_links + 1, sizeof *f.rank);
        f.parent = ik_calloc(n, sizeof *f.parent);
        if (!f.hosts || !f.first || !f.host || !f.rank || !f.parent)
            status = ik_fail_memory(err, n * 12, "hosts by switch");
    }
    if (status == IK_OK) {
        frugal_graph_group_hosts(&f);
        frugal_graph_rank_links(&f);
        status = frugal_graph_sort_units(&f, err);
    }
    if (status == IK_OK)
        status = frugal_graph_make_tree(&f, err);
    if (status != IK_OK)
        frugal_graph_free(&f);
    else
        *out = f;
    return status;
}
