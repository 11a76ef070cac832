/* SPDX-License-Identifier: Apache-2.0
 *
 * GUIDs for exports: a fabric's own, or made of numbers where it has none.
 */
#include "ikat/fabric.h"

/* Locally administered EUI-64 prefixes that no real device has. */
#define MADE_NODE_GUID (UINT64_C(0x02696b61) << 32)
#define MADE_PORT_GUID (UINT64_C(0x02696b62) << 32)

uint64_t ik_node_guid(const ik_fabric *f, uint32_t node)
{
    return f->node_guid && f->node_guid[node] ? f->node_guid[node] : MADE_NODE_GUID | node;
}

uint64_t ik_port_guid(const ik_fabric *f, uint32_t port)
{
    return f->port_guid && f->port_guid[port] ? f->port_guid[port] : MADE_PORT_GUID | port;
}
