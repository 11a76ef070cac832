/* SPDX-License-Identifier: Apache-2.0
 *
 * worst.c: the switch graph that adversarial pairings search.
 */
#include "traffic/worst.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int worst_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void worst_fill(worst_graph *g)
{
    const ik_fabric *f = g->f;
    uint32_t at = 0;
    for (uint32_t sw = 0; sw < g->n; sw++) {
        uint32_t first = at, kept;
        g->base[sw] = at;
        for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
            uint32_t node = ik_peer_node(f, p);
            if (node != IK_NONE && ik_is_switch(f, node) && node != sw)
                g->to[at++] = node;
        }
        if (at > first)
            qsort(g->to + first, at - first, sizeof *g->to, worst_compare_u32);
        kept = first;
        for (uint32_t i = first; i < at; i++)
            if (kept == first || g->to[kept - 1] != g->to[i])
                g->to[kept++] = g->to[i];
        at = kept;
    }
    g->base[g->n] = at;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t sw = ik_host_switch(f, h);
        if (sw != IK_NONE)
            g->hosts[sw]++;
    }
}

ik_status worst_graph_of(const ik_fabric *f, worst_graph *g, ik_error *err)
{
    size_t n = (size_t)f->num_switches + 1, ports = (size_t)f->port_base[f->num_switches] + 1;
    *g = (worst_graph){.f = f, .n = f->num_switches};
    g->hosts = ik_calloc(n, sizeof *g->hosts);
    g->base = ik_calloc(n, sizeof *g->base);
    g->to = ik_calloc(ports, sizeof *g->to);
    if (!g->hosts || !g->base || !g->to) {
        worst_graph_free(g);
        return ik_fail_memory(err, (n * 2 + ports) * sizeof *g->to, "the switch graph");
    }
    worst_fill(g);
    return IK_OK;
}

void worst_graph_free(worst_graph *g)
{
    free(g->hosts);
    free(g->base);
    free(g->to);
    memset(g, 0, sizeof *g);
}

bool worst_adjacent(const worst_graph *g, uint32_t a, uint32_t b)
{
    assert(a < g->n && b < g->n);
    return bsearch(&b, g->to + g->base[a], g->base[a + 1] - g->base[a], sizeof *g->to,
                   worst_compare_u32) != NULL;
}
