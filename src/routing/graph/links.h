/* SPDX-License-Identifier: Apache-2.0
 *
 * links.h: the graph of switches that graph routings and layered VC schemes compute on.
 *
 * A *link* here is a channel from a switch to a switch, numbered 0 … num_links-1 switch by switch
 * and, inside a switch, by (far switch, port), so that "smallest-id neighbour first" is plain
 * ascending order.
 */
#ifndef IKAT_ROUTING_LINKS_H
#define IKAT_ROUTING_LINKS_H

#include "ikat/routing.h"
#include "routing/port_set.h"

#include <assert.h>

typedef struct links {
    const ik_fabric *f; /* borrowed */
    uint32_t num_switches, num_hosts, num_links;
    uint32_t *base;    /* [num_switches + 1] first link of a switch */
    uint32_t *head;    /* [num_links] switch it leads to */
    uint32_t *tail;    /* [num_links] switch it leaves */
    uint32_t *rev;     /* [num_links] the opposite link */
    uint32_t *port;    /* [num_links] sending port (global id) = channel */
    uint32_t *of_port; /* [num_ports] link that the port sends, IK_NONE */
    /* [num_hosts] switch of the host's first cable, by which it injects; IK_NONE */
    uint32_t *host_sw;
    uint16_t *host_port; /* [num_hosts] local port there, of a host with one cable; LINKS_SLOW */
    uint32_t max_degree;
    bool multi; /* some host hangs on several switches */
} links;

#define LINKS_FAR 255 /* "not connected" in distance matrices; real distances are below */

ik_status links_build(const ik_fabric *f, links *out, ik_error *err);
void links_free(links *g);

/* Hop distances [num_switches][num_switches] as bytes, LINKS_FAR if unconnected. Free with free().
 * One breadth-first search a switch, all threads; O(S * (S + L)). IK_ERR_UNSUPPORTED if the
 * diameter reaches LINKS_FAR, IK_ERR_MEMORY over env's limit. */
ik_status links_distances(const links *g, const ik_env *env, uint8_t **out, ik_error *err);

/* One row of it. queue: scratch [num_switches]. Returns false if a distance reaches LINKS_FAR. */
bool links_bfs(const links *g, uint32_t from, uint8_t *dist, uint32_t *queue);
/* The same from all num switches in queue[0..num-1] at once. */
bool links_bfs_from(const links *g, uint32_t num, uint8_t *dist, uint32_t *queue);

/* Fills r->lft from a next hop per pair of switches: next_link(ctx, sw, dst_sw) returns a link of
 * sw or IK_NONE. All threads. */
typedef uint32_t (*links_next_fn)(const void *ctx, uint32_t sw, uint32_t dst_sw);
ik_status links_make_lft(ik_routing *r, const links *g, const ik_env *env, links_next_fn next,
                         const void *ctx, ik_error *err);

/* The switches that host hangs on, in the order of its ports, each once; returns their number. out:
 * room for its ports. */
uint32_t links_attached(const links *g, uint32_t host, uint32_t *out);
/* The one of them that packets at sw are routed to: the nearest by dist ([S][S]), the first in port
 * order among equals. */
uint32_t links_nearest_slow(const links *g, const uint8_t *dist, uint32_t sw, uint32_t host);
static inline uint32_t links_nearest(const links *g, const uint8_t *dist, uint32_t sw,
                                     uint32_t host)
{
    assert(sw < g->num_switches && host < g->num_hosts);
    return g->multi ? links_nearest_slow(g, dist, sw, host) : g->host_sw[host];
}

#define LINKS_SLOW 0xFFFFu /* the fabric says */
/* Writes the ports of switch sw that lead to host dst directly; returns their number. */
uint32_t links_host_ports(const ik_fabric *f, uint32_t sw, uint32_t dst, uint32_t *out);
/* The same as a set of local ports; *first: that of the host's first cable. */
uint32_t links_host_mask(const ik_fabric *f, uint32_t sw, uint32_t dst, uint64_t *set,
                         uint32_t *first);
/* The same, of the switch that the host hangs on (links_nearest), by one lookup where it has one
 * cable. */
static inline uint32_t links_last_ports(const links *g, uint32_t sw, uint32_t dst, uint32_t *out)
{
    assert(dst < g->num_hosts);
    if (g->host_port[dst] == LINKS_SLOW)
        return links_host_ports(g->f, sw, dst, out);
    out[0] = g->f->port_base[sw] + g->host_port[dst];
    return 1;
}
static inline uint32_t links_last_mask(const links *g, uint32_t sw, uint32_t dst, uint64_t *set,
                                       uint32_t *first)
{
    assert(dst < g->num_hosts);
    if (g->host_port[dst] == LINKS_SLOW)
        return links_host_mask(g->f, sw, dst, set, first);
    *first = g->host_port[dst];
    port_set_add(set, *first);
    return 1;
}

#endif
