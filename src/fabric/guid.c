/* SPDX-License-Identifier: Apache-2.0
 *
 * GUIDs for exports: a fabric's own, or made of numbers where it has none; LIDs of hosts' ports.
 */
#include "ikat/fabric.h"

#include <assert.h>

/* A locally administered EUI-64 prefix that no real device has. */
#define MADE_GUID (UINT64_C(0x02696b) << 40)

uint64_t ik_node_guid(const ik_fabric *f, uint32_t node)
{
    assert(node < ik_num_nodes(f));
    return f->node_guid && f->node_guid[node] ? f->node_guid[node]
                                              : MADE_GUID | (uint64_t)node << 8;
}

/* As adapters number their ports, and simulators of fabrics: the node's GUID and the port's
 * number. */
uint64_t ik_port_guid(const ik_fabric *f, uint32_t port)
{
    assert(port < f->num_ports);
    return f->port_guid && f->port_guid[port]
               ? f->port_guid[port]
               : ik_node_guid(f, f->port_node[port]) + ik_port_local(f, port) + 1;
}

/* Has a port of this host a LID of its own? Then its node's LID is no other port's. */
static bool guid_has_port_lids(const ik_fabric *f, uint32_t node)
{
    assert(!ik_is_switch(f, node));
    for (uint32_t port = f->port_base[node]; f->port_lid && port < f->port_base[node + 1]; port++)
        if (f->port_lid[port])
            return true;
    return false;
}

/* Is the node's LID that of this port? */
static bool guid_bears_node_lid(const ik_fabric *f, uint32_t port)
{
    uint32_t node = f->port_node[port];
    return !ik_is_switch(f, node) && ik_host_port(f, ik_node_host(f, node)) == port &&
           !guid_has_port_lids(f, node);
}

uint32_t ik_port_lid(const ik_fabric *f, uint32_t port)
{
    assert(port < f->num_ports);
    if (f->port_lid && f->port_lid[port])
        return f->port_lid[port];
    return f->node_lid && guid_bears_node_lid(f, port) ? f->node_lid[f->port_node[port]] : 0;
}

unsigned ik_port_lmc(const ik_fabric *f, uint32_t port)
{
    assert(port < f->num_ports);
    if (f->port_lid && f->port_lid[port])
        return f->port_lmc ? f->port_lmc[port] : 0;
    return f->node_lmc && guid_bears_node_lid(f, port) ? f->node_lmc[f->port_node[port]] : 0;
}
