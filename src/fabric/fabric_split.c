/* SPDX-License-Identifier: Apache-2.0
 *
 * The split fabric: every connected port of a host becomes a host. Ports of nodes stand node by
 * node in one array, so that splitting a host only draws new borders between its ports: no port,
 * and so no channel, changes its number.
 */
#include "fabric/fabric_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool fabric_split_leads_to_switch(const ik_fabric *f, uint32_t port)
{
    uint32_t peer = ik_peer_node(f, port);
    return peer != IK_NONE && ik_is_switch(f, peer);
}

static ik_status fabric_split_alloc(const ik_fabric *f, uint32_t hosts, ik_fabric *to,
                                    ik_error *err)
{
    size_t nodes = (size_t)f->num_switches + hosts, ports = (size_t)f->num_ports + 1;
    to->num_switches = f->num_switches;
    to->num_hosts = hosts;
    to->num_ports = f->num_ports;
    to->port_base = ik_calloc(nodes + 1, sizeof *to->port_base);
    to->port_peer = ik_calloc(ports, sizeof *to->port_peer);
    to->port_node = ik_calloc(ports, sizeof *to->port_node);
    to->port_class = ik_calloc(ports, sizeof *to->port_class);
    to->port_guid = ik_calloc(ports, sizeof *to->port_guid);
    to->port_label = ik_calloc(ports, sizeof *to->port_label);
    to->node_guid = f->node_guid ? ik_calloc(nodes + 1, sizeof *to->node_guid) : NULL;
    to->node_lid = f->node_lid || f->port_lid ? ik_calloc(nodes + 1, sizeof *to->node_lid) : NULL;
    to->node_lmc = f->node_lmc || f->port_lmc ? ik_calloc(nodes + 1, sizeof *to->node_lmc) : NULL;
    to->split = ik_calloc(1, sizeof *to->split);
    if (to->split) {
        to->split->host_of = ik_calloc((size_t)hosts + 1, sizeof *to->split->host_of);
        to->split->first = ik_calloc((size_t)f->num_hosts + 1, sizeof *to->split->first);
    }
    bool complete = to->port_base && to->port_peer && to->port_node && to->port_class &&
                    to->port_label && to->port_guid && (to->node_guid || !f->node_guid) &&
                    (to->node_lid || !(f->node_lid || f->port_lid)) &&
                    (to->node_lmc || !(f->node_lmc || f->port_lmc)) && to->split &&
                    to->split->host_of && to->split->first;
    return complete ? IK_OK
                    : ik_fail_memory(err, ports * 16 + nodes * 16, "the host ports of a fabric");
}

static void fabric_split_copy_ports(const ik_fabric *f, ik_fabric *to)
{
    memcpy(to->port_peer, f->port_peer, f->num_ports * sizeof *f->port_peer);
    memcpy(to->port_class, f->port_class, f->num_ports * sizeof *f->port_class);
    for (uint32_t port = 0; port < f->num_ports; port++) {
        /* what would follow from its place in the node */
        to->port_label[port] = (uint16_t)ik_port_number(f, port);
        to->port_guid[port] = ik_port_guid(f, port);
    }
}

static void fabric_split_copy_switches(const ik_fabric *f, ik_fabric *to)
{
    memcpy(to->port_base, f->port_base, ((size_t)f->num_switches + 1) * sizeof *f->port_base);
    memcpy(to->port_node, f->port_node, f->port_base[f->num_switches] * sizeof *f->port_node);
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        if (f->node_guid)
            to->node_guid[sw] = f->node_guid[sw];
        if (f->node_lid)
            to->node_lid[sw] = f->node_lid[sw];
        if (f->node_lmc)
            to->node_lmc[sw] = f->node_lmc[sw];
    }
}

/* The LID of a port is that of the host that the port becomes. */
static void fabric_split_take_lid(const ik_fabric *f, uint32_t port, uint32_t host, ik_fabric *to)
{
    assert(host < to->num_hosts && fabric_split_leads_to_switch(f, port));
    if (to->node_lid)
        to->node_lid[to->num_switches + host] = ik_port_lid(f, port);
    if (to->node_lmc)
        to->node_lmc[to->num_switches + host] = (uint8_t)ik_port_lmc(f, port);
}

/* Draws the borders between the ports of one host; next: the first new host's number. Returns the
 * number behind the last. */
static uint32_t split_host(const ik_fabric *f, uint32_t host, uint32_t next, ik_fabric *to)
{
    uint32_t node = ik_host_node(f, host), first = next;
    assert(next < to->num_hosts && to->port_base[to->num_switches + next] == f->port_base[node]);
    bool cabled = false;
    to->split->first[host] = first;
    to->split->host_of[next] = host;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        if (cabled && fabric_split_leads_to_switch(f, port)) {
            to->port_base[to->num_switches + ++next] = port;
            to->split->host_of[next] = host;
        }
        if (fabric_split_leads_to_switch(f, port))
            fabric_split_take_lid(f, port, next, to);
        cabled |= fabric_split_leads_to_switch(f, port);
        to->port_node[port] = to->num_switches + next;
    }
    for (uint32_t i = first; f->node_guid && i <= next; i++)
        to->node_guid[to->num_switches + i] = f->node_guid[node];
    to->port_base[to->num_switches + ++next] = f->port_base[node + 1];
    return next;
}

static uint32_t fabric_split_count_hosts(const ik_fabric *f)
{
    uint32_t hosts = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t rails = ik_host_rails(f, host);
        hosts += rails ? rails : 1;
    }
    return hosts;
}

ik_status ik_fabric_split(const ik_fabric *f, ik_fabric **out, ik_error *err)
{
    assert(!f->split);
    uint32_t hosts = fabric_split_count_hosts(f), next = 0;
    ik_fabric *to = fabric_new();
    if (!to)
        return ik_fail_memory(err, sizeof *to, "a fabric");
    ik_status status = fabric_split_alloc(f, hosts, to, err);
    if (status == IK_OK)
        status = fabric_copy_common(f, to, err);
    if (status != IK_OK) {
        ik_fabric_free(to);
        return status;
    }
    fabric_split_copy_ports(f, to);
    fabric_split_copy_switches(f, to);
    for (uint32_t host = 0; host < f->num_hosts; host++)
        next = split_host(f, host, next, to);
    assert(next == hosts);
    to->split->first[f->num_hosts] = next;
    to->split->whole = f;
    to->num_silent = f->num_silent; /* they have one port each and stand last */
    to->family_data = NULL;
    to->intact = false;
    *out = to;
    return IK_OK;
}
