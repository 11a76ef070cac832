/* SPDX-License-Identifier: Apache-2.0
 *
 * by_rate.c: a routing as a plug-in of ikat: shortest paths that spare slow links. Destinations are
 * routed one after the other; each switch takes, of its shortest links, the one that would be busy
 * for the shortest time: the hosts that were routed over it before, and those behind this switch,
 * divided by its rate.
 *
 *     cc -shared -fPIC $(pkg-config --cflags ikat) -o by_rate.so by_rate.c
 *     ikat check cluster.ibnetdiscover --routing by_rate --plugin ./by_rate.so
 */
#include <ikat/plugin.h>
#include <stdlib.h>

typedef struct work {
    uint32_t *hops, *order; /* [num_switches] to the destination; switches, the nearest first */
    double *flows;          /* [num_switches] hosts whose packets pass, for this destination */
    double *used;           /* [num_ports] hosts times destinations that were routed over it */
} work;

/* Hops from every switch to `to`, breadth first. Returns how many switches reach it. */
static uint32_t measure(const ik_fabric *f, uint32_t to, work *w)
{
    uint32_t num = 1;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        w->hops[sw] = IK_NONE;
    w->order[0] = to;
    w->hops[to] = 0;
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t p = f->port_base[w->order[i]]; p < f->port_base[w->order[i] + 1]; p++) {
            uint32_t next = ik_peer_node(f, p);
            if (next != IK_NONE && ik_is_switch(f, next) && w->hops[next] == IK_NONE) {
                w->hops[next] = w->hops[w->order[i]] + 1;
                w->order[num++] = next;
            }
        }
    return num;
}

/* The port by which packets leave sw: of those one hop nearer, the one that is busy least. */
static uint32_t least_busy(const ik_fabric *f, uint32_t sw, const work *w)
{
    uint32_t best = IK_NONE;
    double least = 0;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t next = ik_peer_node(f, p);
        if (next == IK_NONE || !ik_is_switch(f, next) || w->hops[next] + 1 != w->hops[sw])
            continue;
        double busy = (w->used[p] + w->flows[sw]) / (double)ik_port_rate_bps(f, p);
        if (best == IK_NONE || busy < least) {
            best = p;
            least = busy;
        }
    }
    return best;
}

static void route_to(ik_routing *r, uint32_t dst, work *w)
{
    const ik_fabric *f = r->fabric;
    uint32_t last = ik_host_switch(f, dst), num = measure(f, last, w);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        w->flows[sw] = 0;
    for (uint32_t p = 0; p < f->num_hosts; p++)
        if (ik_host_switch(f, p) != IK_NONE)
            w->flows[ik_host_switch(f, p)]++;
    for (uint32_t i = num;
         i-- > 1;) { /* the farthest first: their packets pass through the others */
        uint32_t sw = w->order[i], p = least_busy(f, sw, w);
        w->used[p] += w->flows[sw];
        w->flows[ik_peer_node(f, p)] += w->flows[sw];
        r->lft[(size_t)sw * f->num_hosts + dst] = (uint16_t)(p - f->port_base[sw]);
    }
    for (uint32_t p = f->port_base[last]; p < f->port_base[last + 1]; p++)
        if (ik_peer_node(f, p) == ik_host_node(f, dst))
            r->lft[(size_t)last * f->num_hosts + dst] = (uint16_t)(p - f->port_base[last]);
}

static ik_status create(ik_routing *r, const ik_params *given, const ik_env *env, ik_error *err)
{
    (void)given;
    const ik_fabric *f = r->fabric;
    size_t switches = f->num_switches, bytes = 16 * (switches + 1) + 8 * ((size_t)f->num_ports + 1);
    ik_status status = ik_lft_new(r, env, err);
    char *room = ik_calloc(bytes, 1);
    if (status == IK_OK && !room)
        status = ik_fail_memory(err, bytes, "routing 'by_rate'");
    if (status == IK_OK) {
        work w = {.flows = (double *)room, .used = (double *)room + switches};
        w.hops = (uint32_t *)(w.used + f->num_ports);
        w.order = w.hops + switches;
        for (uint32_t dst = 0; dst < f->num_hosts; dst++)
            if (ik_host_switch(f, dst) != IK_NONE)
                route_to(r, dst, &w);
    }
    free(room);
    return status;
}

static const ik_param params[] = {{0}};

static const ik_routing_family by_rate = {
    .name = "by_rate",
    .summary = "shortest paths that spare slow links",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .create = create,
    .next = ik_lft_next};

IK_PLUGIN_EXPORT const ik_plugin ik_plugin_entry = {
    IK_PLUGIN_HEADER, .name = "by_rate", .summary = "an example: a routing that knows rates",
    .routings = (const ik_routing_family *const[]){&by_rate, NULL}};
