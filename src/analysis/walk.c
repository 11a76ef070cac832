/* SPDX-License-Identifier: Apache-2.0
 *
 * walk.c: packets walked through a routing without VCs.
 */
#include "analysis/walk.h"

#include <stdlib.h>

ik_status walker_init(walker *w, const ik_routing *r, ik_error *err)
{
    size_t radix = ik_max_radix(r->fabric);
    w->r = r;
    w->ports = ik_calloc(radix ? radix : 1, sizeof *w->ports);
    return w->ports ? IK_OK
                    : ik_fail_memory(err, radix * sizeof *w->ports, "the ports of a switch");
}

void walker_free(walker *w)
{
    free(w->ports);
    w->ports = NULL;
}

uint32_t walk_injection(const ik_fabric *f, uint32_t host)
{
    uint32_t node = ik_host_node(f, host);
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++) {
        uint32_t peer = ik_peer_node(f, p);
        if (peer != IK_NONE && ik_is_switch(f, peer))
            return p;
    }
    return IK_NONE;
}

uint32_t walk_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    return r->family->num_starts ? r->family->num_starts(r, src, dst) : 1;
}

void walk_start(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t n, ik_packet *pk)
{
    *pk = (ik_packet){.src = src, .dst = dst, .via = IK_NONE};
    if (r->family->start_nth)
        r->family->start_nth(r, n, pk);
}

uint32_t walk_next(const walker *w, uint32_t sw, uint32_t in_port, ik_packet *pk)
{
    uint32_t preferred = 0, n = w->r->family->next(w->r, sw, in_port, pk, w->ports, &preferred);
    if (n > 1 && w->r->kind == IK_ROUTE_DETERMINISTIC) {
        w->ports[0] = w->ports[preferred];
        n = 1;
    }
    return n;
}

uint32_t walk_preferred(const walker *w, uint32_t sw, uint32_t in_port, ik_packet *pk)
{
    uint32_t preferred = 0, n = w->r->family->next(w->r, sw, in_port, pk, w->ports, &preferred);
    return n ? w->ports[preferred] : IK_NONE;
}

void walk_advance(const ik_fabric *f, uint32_t port, ik_packet *pk)
{
    uint32_t to = ik_peer_node(f, port);
    if (ik_is_switch(f, f->port_node[port]) && to != IK_NONE && ik_is_switch(f, to))
        ik_packet_add_hops(pk, 1);
}

uint32_t walk_path(const walker *w, uint32_t src, uint32_t dst, uint32_t n, uint32_t *channels,
                   uint32_t max)
{
    const ik_fabric *f = w->r->fabric;
    uint32_t port = walk_injection(f, src), length = 0;
    ik_packet pk;
    walk_start(w->r, src, dst, n, &pk);
    while (port != IK_NONE && length < max) {
        channels[length++] = port;
        uint32_t in_port = f->port_peer[port],
                 node = in_port == IK_NONE ? IK_NONE : f->port_node[in_port];
        if (node == IK_NONE || !ik_is_switch(f, node))
            return node == ik_host_node(f, dst) ? length : 0;
        walk_advance(f, port, &pk);
        port = walk_preferred(w, node, in_port, &pk);
    }
    return 0;
}
