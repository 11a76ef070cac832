/* SPDX-License-Identifier: Apache-2.0
 *
 * balanced.c: see balanced.h. Hop counts come first and loads break ties, so a breadth-first order
 * of the switches replaces the priority queue of a general shortest-path search: each destination
 * costs one sweep over the links.
 */
#include "routing/graph/balanced.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define UNREACHED LINKS_FAR

typedef struct balanced {
    links g;
    uint8_t *dist;   /* [S] hops to the destination's switch */
    uint32_t *order; /* [S] switches by distance */
    uint32_t roots, reached;
    uint32_t *hosts; /* [S] sources at a switch */
    uint64_t *load;  /* [L] host pairs that a link carries */
    uint64_t *cost;  /* [S] load along the path to the destination */
    uint64_t *flow;  /* [S] sources whose path goes through a switch */
    uint32_t *next;  /* [S] link */
} balanced;

static void balanced_free(balanced *b)
{
    links_free(&b->g);
    free(b->dist);
    free(b->order);
    free(b->hosts);
    free(b->load);
    free(b->cost);
    free(b->flow);
    free(b->next);
}

static ik_status balanced_init(balanced *b, const ik_fabric *f, ik_error *err)
{
    ik_status status = links_build(f, &b->g, err);
    if (status != IK_OK)
        return status;
    size_t n = (size_t)f->num_switches + 1;
    b->dist = ik_calloc(n, 1);
    b->order = ik_calloc(n, sizeof *b->order);
    b->hosts = ik_calloc(n, sizeof *b->hosts);
    b->load = ik_calloc((size_t)b->g.num_links + 1, sizeof *b->load);
    b->cost = ik_calloc(n, sizeof *b->cost);
    b->flow = ik_calloc(n, sizeof *b->flow);
    b->next = ik_calloc(n, sizeof *b->next);
    if (!b->dist || !b->order || !b->hosts || !b->load || !b->cost || !b->flow || !b->next)
        return ik_fail_memory(err, n * 33 + (size_t)b->g.num_links * 8, "link loads");
    for (uint32_t h = 0; h < b->g.num_hosts; h++)
        if (b->g.host_sw[h] != IK_NONE)
            b->hosts[b->g.host_sw[h]]++;
    return IK_OK;
}

/* Breadth-first order from the destination's switches. */
static bool balanced_set_levels(balanced *b, uint32_t host)
{
    b->roots = links_attached(&b->g, host, b->order);
    if (!links_bfs_from(&b->g, b->roots, b->dist, b->order))
        return false;
    b->reached = 0;
    for (uint32_t s = 0; s < b->g.num_switches; s++)
        b->reached += b->dist[s] != UNREACHED;
    return true;
}

static void balanced_choose_by_path(balanced *b)
{
    assert(b->roots > 0 && b->roots <= b->reached);
    const links *g = &b->g;
    for (uint32_t i = 0; i < b->roots; i++)
        b->cost[b->order[i]] = 0;
    for (uint32_t i = b->roots; i < b->reached; i++) {
        uint32_t u = b->order[i], near = b->dist[u] - 1U;
        uint64_t best = UINT64_MAX;
        for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++) {
            uint32_t w = g->head[l];
            if (b->dist[w] != near)
                continue;
            uint64_t cost = b->cost[w] + b->load[l];
            if (cost < best) {
                best = cost;
                b->next[u] = l;
            }
        }
        b->cost[u] = best;
    }
}

static void balanced_choose_by_link(balanced *b)
{
    assert(b->roots > 0 && b->roots <= b->reached);
    const links *g = &b->g;
    for (uint32_t i = b->reached; i-- > b->roots;) {
        uint32_t u = b->order[i], near = b->dist[u] - 1U;
        uint64_t best = UINT64_MAX;
        for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++)
            if (b->dist[g->head[l]] == near && b->load[l] < best) {
                best = b->load[l];
                b->next[u] = l;
            }
        b->flow[g->head[b->next[u]]] += b->flow[u];
    }
}

/* Adds what the tree carries to its links, or takes it away again. */
static void balanced_account(balanced *b, bool add)
{
    for (uint32_t s = 0; s < b->g.num_switches; s++)
        b->flow[s] = b->hosts[s];
    for (uint32_t i = b->reached; i-- > b->roots;) {
        uint32_t u = b->order[i], l = b->next[u];
        assert(l != IK_NONE && (add || b->load[l] >= b->flow[u]));
        b->load[l] += add ? b->flow[u] : 0 - b->flow[u];
        b->flow[b->g.head[l]] += b->flow[u];
    }
}

static void balanced_route_one(balanced *b, const ik_fabric *f, uint32_t host, balanced_rule rule,
                               bool again, uint16_t *lft)
{
    size_t hosts = b->g.num_hosts;
    if (again) { /* another pass: forget this destination's share first */
        for (uint32_t i = b->roots; i < b->reached; i++) {
            uint32_t u = b->order[i];
            b->next[u] = b->g.of_port[f->port_base[u] + lft[u * hosts + host]];
        }
        balanced_account(b, false);
    }
    if (rule == BALANCED_PATH) {
        balanced_choose_by_path(b);
    } else {
        for (uint32_t s = 0; s < b->g.num_switches; s++)
            b->flow[s] = b->hosts[s];
        balanced_choose_by_link(b);
    }
    balanced_account(b, true);
    for (uint32_t i = b->roots; i < b->reached; i++) {
        uint32_t u = b->order[i];
        lft[u * hosts + host] = (uint16_t)(b->g.port[b->next[u]] - f->port_base[u]);
    }
}

static ik_status balanced_route_all(balanced *b, ik_routing *r, balanced_rule rule, bool again,
                                    const ik_env *env, ik_error *err)
{
    uint32_t last = IK_NONE;
    for (uint32_t h = 0; h < b->g.num_hosts; h++) {
        uint32_t sw = b->g.host_sw[h];
        if (sw == IK_NONE)
            continue;
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled while routing");
        if ((sw != last || b->g.multi) && !balanced_set_levels(b, h))
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "'%s' routes up to %d hops, this fabric has longer distances",
                           r->family->name, LINKS_FAR - 1);
        last = sw;
        balanced_route_one(b, r->fabric, h, rule, again, r->lft);
    }
    return IK_OK;
}

static uint32_t balanced_no_link(const void *ctx, uint32_t sw, uint32_t dst)
{
    (void)ctx, (void)sw, (void)dst;
    return IK_NONE;
}

ik_status balanced_route(ik_routing *r, balanced_rule rule, unsigned passes, const ik_env *env,
                         ik_error *err)
{
    balanced b = {0};
    ik_status status = balanced_init(&b, r->fabric, err);
    if (status == IK_OK)
        /* the ports to hosts; the rest follows */
        status = links_make_lft(r, &b.g, env, balanced_no_link, NULL, err);
    for (unsigned pass = 0; pass < passes && status == IK_OK; pass++)
        status = balanced_route_all(&b, r, rule, pass > 0, env, err);
    balanced_free(&b);
    return status;
}
