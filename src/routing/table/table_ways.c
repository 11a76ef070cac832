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
    *w = (table_ways){.r = r, .g = g, .goal = IK_NONE};
    w->distance = ik_calloc(switches, sizeof *w->distance);
    w->order = ik_calloc(switches, sizeof *w->order);
    w->through = ik_calloc(switches, sizeof *w->through);
    w->next = ik_calloc(ports + 1, sizeof *w->next);
    if (!w->distance || !w->order || !w->through || !w->next)
        return ik_fail_memory(err, switches * 9 + ports * 4, "ways by tables");
    for (uint32_t p = 0; p < ports; p++)
        w->next[p] = g->of_port[p] == IK_NONE ? g->num_switches : g->head[g->of_port[p]];
    return IK_OK;
}

void table_ways_free(table_ways *w)
{
    free(w->distance);
    free(w->order);
    free(w->through);
    free(w->next);
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

bool table_ways_turn(table_ways *w, uint32_t first, uint32_t num_hosts)
{
    uint32_t goal = w->g->host_sw[first];
    assert(num_hosts <= TABLE_WAYS && goal != IK_NONE);
    memset(w->through, 0, w->g->num_switches * sizeof *w->through);
    w->first = first;
    w->num_hosts = num_hosts;
    if (w->goal == goal)
        return true;
    w->goal = IK_NONE;
    if (!links_bfs(w->g, goal, w->distance, w->order))
        return false;
    w->distance[w->g->num_switches] = LINKS_FAR;
    w->goal = goal;
    w->num = 0;
    for (uint32_t sw = 0; sw < w->g->num_switches; sw++)
        w->num += w->distance[sw] != LINKS_FAR;
    return true;
}

/* At a switch other than the goal. `next` and `distance` end with what leads nowhere. */
static bool table_ways_step(const table_ways *w, uint32_t sw)
{
    const ik_fabric *f = w->r->fabric;
    const uint16_t *row = w->r->lft + (size_t)sw * f->num_hosts + w->first;
    const uint32_t *next = w->next + f->port_base[sw], ports = ik_radix(f, sw);
    const uint8_t *distance = w->distance;
    uint32_t *through = w->through;
    for (uint32_t left = through[sw], far = distance[sw] - 1U; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t to = row[i] < ports ? next[row[i]] : w->g->num_switches;
        if (distance[to] != far)
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
    for (uint32_t at = w->num; at-- > 1;)
        if (!table_ways_step(w, w->order[at]))
            return false;
    return table_ways_arrive(w);
}
