/* SPDX-License-Identifier: Apache-2.0
 *
 * Are two fabrics the same graph with the same labels, link classes and order? The oracle of round
 * trips.
 */
#include "fabric/fabric_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DIFFER(...)                                                                                \
    do {                                                                                           \
        snprintf(why, size, __VA_ARGS__);                                                          \
        return false;                                                                              \
    } while (0)

static bool fabric_equal_same_counts(const ik_fabric *a, const ik_fabric *b, char *why, size_t size)
{
    if (a->num_switches != b->num_switches || a->num_hosts != b->num_hosts ||
        a->num_ports != b->num_ports)
        DIFFER("%" PRIu32 " switches, %" PRIu32 " hosts, %" PRIu32 " ports against %" PRIu32
               ", %" PRIu32 ", %" PRIu32,
               a->num_switches, a->num_hosts, a->num_ports, b->num_switches, b->num_hosts,
               b->num_ports);
    for (uint32_t node = 0; node < ik_num_nodes(a); node++)
        if (a->port_base[node + 1] != b->port_base[node + 1])
            DIFFER("node %" PRIu32 " has %" PRIu32 " ports against %" PRIu32, node,
                   ik_radix(a, node), ik_radix(b, node));
    return true;
}

static bool fabric_equal_same_links(const ik_fabric *a, const ik_fabric *b, char *why, size_t size)
{
    for (uint32_t port = 0; port < a->num_ports; port++) {
        if (a->port_peer[port] != b->port_peer[port])
            DIFFER("port %" PRIu32 " has peer %" PRIu32 " against %" PRIu32, port,
                   a->port_peer[port], b->port_peer[port]);
        if (a->port_peer[port] == IK_NONE)
            continue;
        const ik_link_class *x = &a->classes[a->port_class[port]],
                            *y = &b->classes[b->port_class[port]];
        if (x->rate_bps != y->rate_bps || x->latency_ps != y->latency_ps ||
            strcmp(x->name, y->name) != 0)
            DIFFER("link of port %" PRIu32 " is '%s', %" PRIu64 " bit/s, %" PRIu64
                   " ps against '%s', %" PRIu64 ", %" PRIu64,
                   port, x->name, x->rate_bps, x->latency_ps, y->name, y->rate_bps, y->latency_ps);
    }
    return true;
}

static bool fabric_equal_same_nodes(const ik_fabric *a, const ik_fabric *b, char *why, size_t size)
{
    assert(ik_num_nodes(a) == ik_num_nodes(b)); /* fabric_equal_same_counts */
    char x[256], y[256];
    for (uint32_t node = 0; node < ik_num_nodes(a); node++) {
        if (strcmp(ik_node_name(a, node, x, sizeof x), ik_node_name(b, node, y, sizeof y)) != 0)
            DIFFER("node %" PRIu32 " is '%.60s' against '%.60s'", node, x, y);
        uint64_t ga = a->node_guid ? a->node_guid[node] : 0,
                 gb = b->node_guid ? b->node_guid[node] : 0;
        uint32_t la = a->node_lid ? a->node_lid[node] : 0, lb = b->node_lid ? b->node_lid[node] : 0;
        unsigned ma = a->node_lmc ? a->node_lmc[node] : 0, mb = b->node_lmc ? b->node_lmc[node] : 0;
        if (ga != gb || la != lb || ma != mb)
            DIFFER("node %" PRIu32 " has GUID 0x%" PRIx64 " and LID %" PRIu32 " against 0x%" PRIx64
                   " and %" PRIu32 " (LMC %u against %u)",
                   node, ga, la, gb, lb, ma, mb);
    }
    return true;
}

static bool fabric_equal_same_ports(const ik_fabric *a, const ik_fabric *b, char *why, size_t size)
{
    assert(a->num_ports == b->num_ports); /* fabric_equal_same_counts */
    for (uint32_t port = 0; port < a->num_ports; port++) {
        uint64_t ga = a->port_guid ? a->port_guid[port] : 0,
                 gb = b->port_guid ? b->port_guid[port] : 0;
        if (ga != gb || ik_port_number(a, port) != ik_port_number(b, port))
            DIFFER("port %" PRIu32 " is number %u with GUID 0x%" PRIx64
                   " against %u with 0x%" PRIx64,
                   port, ik_port_number(a, port), ga, ik_port_number(b, port), gb);
        uint32_t la = ik_port_lid(a, port), lb = ik_port_lid(b, port);
        if (la != lb || ik_port_lmc(a, port) != ik_port_lmc(b, port))
            DIFFER("port %" PRIu32 " has LID %" PRIu32 " and LMC %u against %" PRIu32 " and %u",
                   port, la, ik_port_lmc(a, port), lb, ik_port_lmc(b, port));
    }
    return true;
}

static bool fabric_equal_same_layout(const ik_fabric *a, const ik_fabric *b, char *why, size_t size)
{
    if (!a->switch_level != !b->switch_level || !a->switch_xy != !b->switch_xy ||
        !a->switch_place != !b->switch_place)
        DIFFER("one has levels, floor positions or drawing places and the other does not");
    for (uint32_t sw = 0; sw < a->num_switches; sw++) {
        if (a->switch_level && a->switch_level[sw] != b->switch_level[sw])
            DIFFER("switch %" PRIu32 " is on level %u against %u", sw, a->switch_level[sw],
                   b->switch_level[sw]);
        if (a->switch_xy &&
            (a->switch_xy[sw].x != b->switch_xy[sw].x || a->switch_xy[sw].y != b->switch_xy[sw].y))
            DIFFER("switch %" PRIu32 " is elsewhere on the floor", sw);
        if (a->switch_place && (a->switch_place[sw].layer != b->switch_place[sw].layer ||
                                a->switch_place[sw].group != b->switch_place[sw].group ||
                                a->switch_place[sw].pos != b->switch_place[sw].pos))
            DIFFER("switch %" PRIu32 " is drawn elsewhere", sw);
    }
    return true;
}

static bool fabric_equal_same_endpoints(const ik_fabric *a, const ik_fabric *b, char *why,
                                        size_t size)
{
    if (a->num_endpoints != b->num_endpoints)
        DIFFER("%" PRIu32 " endpoints against %" PRIu32, a->num_endpoints, b->num_endpoints);
    for (uint32_t i = 0; i < a->num_endpoints; i++) {
        const ik_endpoint *x = &a->endpoints[i], *y = &b->endpoints[i];
        if (x->port != y->port || strcmp(x->name, y->name) != 0 || x->node_guid != y->node_guid ||
            x->port_guid != y->port_guid || x->lid != y->lid || x->lmc != y->lmc ||
            x->link.rate_bps != y->link.rate_bps || x->link.latency_ps != y->link.latency_ps)
            DIFFER("endpoint %" PRIu32 " is '%.60s' with LID %" PRIu32 " at port %" PRIu32
                   " against '%.60s' with %" PRIu32 " at %" PRIu32,
                   i, x->name, x->lid, x->port, y->name, y->lid, y->port);
    }
    return true;
}

bool ik_fabric_equal(const ik_fabric *a, const ik_fabric *b, char *why, size_t size)
{
    return fabric_equal_same_counts(a, b, why, size) && fabric_equal_same_links(a, b, why, size) &&
           fabric_equal_same_nodes(a, b, why, size) && fabric_equal_same_ports(a, b, why, size) &&
           fabric_equal_same_layout(a, b, why, size) &&
           fabric_equal_same_endpoints(a, b, why, size);
}
