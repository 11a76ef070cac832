/* SPDX-License-Identifier: Apache-2.0
 *
 * GUIDs for exports: a fabric's own, or made of numbers where it has none.
 */
#include "ikat/fabric.h"

/* A locally administered EUI-64 prefix that no real device has. */
#define MADE_GUID (UINT64_C(0x02696b) << 40)

uint64_t ik_node_guid(const ik_fabric *f, uint32_t node)
{
    return f->node_guid && f->node_guid[node] ? f->node_guid[node]
                                              : MADE_GUID | (uint64_t)node << 8;
}

/* As adapters number their ports, and simulators of fabrics: the node's GUID and the port's
 * number. */
uint64_t ik_port_guid(const ik_fabric *f, uint32_t port)
{
    return f->port_guid && f->port_guid[port]
               ? f->port_guid[port]
               : ik_node_guid(f, f->port_node[port]) + ik_port_local(f, port) + 1;
}
