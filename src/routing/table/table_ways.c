/* SPDX-License-Identifier: Apache-2.0
 *
 * table_ways.c: see table_ways.h.
 */
#include "routing/table/table_ways.h"

#include "routing/routing.h"

#include <stdlib.h>
#include <string.h>

bool table_ways_fit(const ik_routing *r)
{
    return r->lft && r->kind == IK_ROUTE_DETERMINISTIC && (r->traits & IK_ROUTE_DEST_BASED) &&
           r->family->next == ik_lft_next && !r->family->num_starts && !r->rails;
}

ik_status table_ways_init(table_ways *w, const ik_routing *r, const links *g, ik_error *err)
{
    size_t switches = (size_t)g->num_switches + 1, ports = g->f->port_base[g->num_switches];
    *w = (table_ways){.r = r, .g = g, .goal = IK_NONE, .measured = IK_NONE};
    w->depth = ik_calloc(switches, sizeof *w->depth);
    w->order = ik_calloc(switches, sizeof *w->order);
    w->child = ik_calloc(switches, sizeof *w->child);
    w->sibling = ik_calloc(switches, sizeof *w->sibling);
    w->distance = ik_calloc(switches, sizeof *w->distance);
    w->queue = ik_calloc(switches, sizeof *w->queue);
    w->through = ik_calloc(switches, sizeof *w->through);
    w->next = ik_calloc(ports + 1, sizeof *w->next);
    w->entry = ik_calloc(switches * TABLE_WAYS, sizeof *w->entry);
    if (!w->depth || !w->order || !w->child || !w->sibling || !w->distance || !w->queue ||
        !w->through || !w->next || !w->entry)
        return ik_fail_memory(err, switches * (22 + 2 * TABLE_WAYS) + ports * 4, "ways by tables");
    for (uint32_t p = 0; p < ports; p++)
        w->next[p] = g->of_port[p] == IK_NONE ? g->num_switches : g->head[g->of_port[p]];
    return IK_OK;
}

void table_ways_free(table_ways *w)
{
    free(w->depth);
    free(w->order);
    free(w->child);
    free(w->sibling);
    free(w->distance);
    free(w->queue);
    free(w->through);
    free(w->next);
    free(w->entry);
    *w = (table_ways){0};
}

uint32_t table_ways_run(const links *g, uint32_t first, uint32_t end)
{
    uint32_t host = first;
    while (host < end && host - first < TABLE_WAYS && g->host_port[host] != LINKS_SLOW &&
           g->host_sw[host] == g->host_sw[first])
        host++;
    return host > first ? host - first : 1;
}

static void table_ways_gather(table_ways *w)
{
    const size_t hosts = w->r->fabric->num_hosts;
    for (size_t sw = 0; sw < w->g->num_switches; sw++)
        memcpy(w->entry + sw * w->num_hosts, w->r->lft + sw * hosts + w->first,
               w->num_hosts * sizeof *w->entry);
}

/* The tree that the entries for the first host make, with the goal as its root. */
static void table_ways_grow(table_ways *w)
{
    const ik_fabric *f = w->r->fabric;
    uint32_t n = w->g->num_switches;
    memset(w->child, 0xFF, n * sizeof *w->child);
    for (uint32_t sw = 0; sw < n; sw++) {
        uint32_t port = w->entry[(size_t)sw * w->num_hosts],
                 to = port < ik_radix(f, sw) ? w->next[f->port_base[sw] + port] : n;
        if (sw == w->goal || to == n)
            continue;
        w->sibling[sw] = w->child[to];
        w->child[to] = sw;
    }
}

bool table_ways_turn(table_ways *w, uint32_t first, uint32_t num_hosts)
{
    uint32_t n = w->g->num_switches;
    assert(num_hosts <= TABLE_WAYS && w->g->host_sw[first] != IK_NONE);
    memset(w->through, 0, n * sizeof *w->through);
    memset(w->depth, LINKS_FAR, (size_t)n + 1);
    w->goal = w->g->host_sw[first];
    w->first = first;
    w->num_hosts = num_hosts;
    w->stray = false;
    table_ways_gather(w);
    table_ways_grow(w);
    w->order[0] = w->goal;
    w->depth[w->goal] = 0;
    w->num = 1;
    for (uint32_t at = 0; at < w->num; at++) {
        uint32_t depth = w->depth[w->order[at]] + 1U;
        for (uint32_t sw = w->child[w->order[at]]; sw != IK_NONE; sw = w->sibling[sw]) {
            if (depth >= LINKS_FAR)
                return false;
            w->depth[sw] = (uint8_t)depth;
            w->order[w->num++] = sw;
        }
    }
    return true;
}

bool table_ways_measure(table_ways *w)
{
    if (w->measured == w->goal)
        return true;
    bool near = links_bfs(w->g, w->goal, w->distance, w->queue);
    w->measured = near ? w->goal : IK_NONE;
    return near;
}

/* At a switch other than the goal. `next` and `depth` end with what leads nowhere. */
static bool table_ways_step(const table_ways *w, uint32_t sw)
{
    const ik_fabric *f = w->r->fabric;
    const uint16_t *row = w->entry + (size_t)sw * w->num_hosts;
    const uint32_t *next = w->next + f->port_base[sw], ports = ik_radix(f, sw);
    const uint8_t *depth = w->depth;
    uint32_t *through = w->through;
    for (uint32_t left = through[sw], far = depth[sw] - 1U; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t to = row[i] < ports ? next[row[i]] : w->g->num_switches;
        if (depth[to] != far)
            return false;
        through[to] |= (uint32_t)1 << i;
    }
    return true;
}

static bool table_ways_arrive(const table_ways *w)
{
    const ik_fabric *f = w->r->fabric;
    for (uint32_t left = w->through[w->goal]; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t port = table_ways_port(w, w->goal, i);
        if (port >= f->port_base[w->goal + 1] ||
            ik_peer_node(f, port) != ik_host_node(f, w->first + i))
            return false;
    }
    return true;
}

bool table_ways_follow(table_ways *w)
{
    for (uint32_t at = w->num; !w->stray && at-- > 1;)
        if (!table_ways_step(w, w->order[at]))
            return false;
    return !w->stray && table_ways_arrive(w);
}
