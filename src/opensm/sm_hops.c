/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_hops.c: OpenSM's matrices of hops, from which it makes multicast trees: from every switch by
 * each of its ports to every other one. One search per switch, where OpenSM's own passes numbers on
 * between neighbours until nothing changes.
 */
#include "opensm/sm.h"

#include <stdlib.h>
#include <string.h>

typedef struct sm_hops {
    const ik_fabric *f;
    osm_switch_t **of;      /* [switch] */
    uint32_t *dist, *queue; /* [switch] from the switch at hand */
} sm_hops;

static void sm_hops_search(const sm_hops *h, uint32_t from)
{
    const ik_fabric *f = h->f;
    uint32_t num = 1;
    memset(h->dist, 0xFF, f->num_switches * sizeof *h->dist);
    h->dist[from] = 0;
    h->queue[0] = from;
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t p = f->port_base[h->queue[i]]; p < f->port_base[h->queue[i] + 1]; p++) {
            uint32_t peer = ik_peer_node(f, p);
            if (peer == IK_NONE || !ik_is_switch(f, peer) || h->dist[peer] != IK_NONE)
                continue;
            h->dist[peer] = h->dist[h->queue[i]] + 1;
            h->queue[num++] = peer;
        }
}

/* Hops to the switch at hand, which has this LID; false: out of memory. */
static bool sm_hops_fill_in(const sm_hops *h, uint32_t sw, uint16_t lid)
{
    const ik_fabric *f = h->f;
    uint32_t least = h->dist[sw];
    if (least == IK_NONE || least >= OSM_NO_PATH)
        return true;
    if (osm_switch_set_hops(h->of[sw], lid, 0, (uint8_t)least) != 0) /* allocates the row */
        return false;
    uint8_t *row = h->of[sw]->hops[lid];
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t peer = ik_peer_node(f, p);
        if (peer != IK_NONE && ik_is_switch(f, peer))
            row[ik_port_number(f, p)] = (uint8_t)(h->dist[peer] + 1);
    }
    return true;
}

ik_status sm_hops_make(const osm_opensm_t *osm, const ik_fabric *f, ik_error *err)
{
    size_t n = (size_t)f->num_switches + 1;
    sm_hops h = {.f = f,
                 .of = calloc(n, sizeof *h.of),
                 .dist = calloc(n, sizeof *h.dist),
                 .queue = calloc(n, sizeof *h.queue)};
    bool room = h.of && h.dist && h.queue;
    for (uint32_t sw = 0; room && sw < f->num_switches; sw++)
        h.of[sw] = sm_fabric_switch(osm, f, sw);
    for (uint32_t to = 0; room && to < f->num_switches; to++) {
        uint32_t lid = f->node_lid ? f->node_lid[to] : 0;
        sm_hops_search(&h, to);
        for (uint32_t sw = 0; room && lid && sw < f->num_switches; sw++)
            if (h.of[sw] && lid <= h.of[sw]->max_lid_ho)
                room = sm_hops_fill_in(&h, sw, (uint16_t)lid);
    }
    free(h.of);
    free(h.dist);
    free(h.queue);
    return room ? IK_OK : ik_fail_memory(err, n * n, "the matrices of hops");
}
