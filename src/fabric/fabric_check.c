/* SPDX-License-Identifier: Apache-2.0
 *
 * Every structural invariant of a fabric in one function: the oracle that runs after every builder.
 * O(nodes + ports).
 */
#include "fabric/fabric_private.h"

#include <inttypes.h>

static ik_status check_rows(const ik_fabric *f, ik_error *err)
{
    uint32_t nodes = ik_num_nodes(f);
    if (f->port_base[0] != 0 || f->port_base[nodes] != f->num_ports)
        return ik_fail(err, IK_ERR_INTERNAL,
                       "ports of %" PRIu32 " nodes span %" PRIu32 " to %" PRIu32
                       ", expected 0 to %" PRIu32,
                       nodes, f->port_base[0], f->port_base[nodes], f->num_ports);
    for (uint32_t node = 0; node < nodes; node++) {
        if (f->port_base[node] > f->port_base[node + 1])
            return ik_fail(err, IK_ERR_INTERNAL, "ports of node %" PRIu32 " start after they end",
                           node);
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
            if (f->port_node[port] != node)
                return ik_fail(err, IK_ERR_INTERNAL,
                               "port %" PRIu32 " of node %" PRIu32
                               " says that it belongs to node %" PRIu32,
                               port, node, f->port_node[port]);
    }
    return IK_OK;
}

static ik_status check_links(const ik_fabric *f, ik_error *err)
{
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE)
            continue;
        if (peer >= f->num_ports || peer == port || f->port_peer[peer] != port)
            return ik_fail(err, IK_ERR_INTERNAL,
                           "port %" PRIu32 " has peer %" PRIu32 ", which does not point back", port,
                           peer);
        if (f->port_class[port] >= f->num_classes || f->port_class[port] != f->port_class[peer])
            return ik_fail(err, IK_ERR_INTERNAL,
                           "link of ports %" PRIu32 " and %" PRIu32
                           " has classes %u and %u of %" PRIu32,
                           port, peer, f->port_class[port], f->port_class[peer], f->num_classes);
    }
    for (uint32_t i = 0; i < f->num_classes; i++)
        if (f->classes[i].rate_bps == 0)
            return ik_fail(err, IK_ERR_INTERNAL, "link class %" PRIu32 " '%s' has rate 0", i,
                           f->classes[i].name);
    return IK_OK;
}

static ik_status fabric_check_levels(const ik_fabric *f, ik_error *err)
{
    bool seen[256] = {false};
    if (!f->switch_level)
        return f->num_levels ? ik_fail(err, IK_ERR_INTERNAL,
                                       "%" PRIu32 " levels but no switch has one", f->num_levels)
                             : IK_OK;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        if (f->switch_level[sw] == 0 || f->switch_level[sw] > f->num_levels)
            return ik_fail(err, IK_ERR_INTERNAL, "switch %" PRIu32 " on level %u of %" PRIu32, sw,
                           f->switch_level[sw], f->num_levels);
        seen[f->switch_level[sw]] = true;
    }
    for (uint32_t level = 1; level <= f->num_levels; level++)
        if (!seen[level])
            return ik_fail(err, IK_ERR_INTERNAL, "no switch on level %" PRIu32 " of %" PRIu32,
                           level, f->num_levels);
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        uint32_t a = f->port_node[port], b = ik_peer_node(f, port);
        if (b == IK_NONE || !ik_is_switch(f, b))
            continue;
        int up = (int)f->switch_level[b] - (int)f->switch_level[a];
        if (up != 1 && up != -1)
            return ik_fail(err, IK_ERR_INTERNAL,
                           "link from switch %" PRIu32 " on level %u to switch %" PRIu32
                           " on level %u",
                           a, f->switch_level[a], b, f->switch_level[b]);
    }
    return IK_OK;
}

static ik_status check_labels(const ik_fabric *f, ik_error *err)
{
    if (!f->family || !f->spec)
        return ik_fail(err, IK_ERR_INTERNAL,
                       "the fabric does not know its family and specification");
    for (uint32_t node = 0; f->node_name && node < ik_num_nodes(f); node++)
        if (!f->node_name[node])
            return ik_fail(err, IK_ERR_INTERNAL,
                           "node %" PRIu32 " has no name although others have", node);
    for (size_t i = 0; i < f->num_findings; i++) {
        const ik_finding *finding = &f->findings[i];
        if (!finding->text || !finding->code[0] ||
            (finding->port != IK_NONE && finding->port >= f->num_ports) ||
            (finding->node != IK_NONE && finding->node >= ik_num_nodes(f)))
            return ik_fail(err, IK_ERR_INTERNAL,
                           "finding %zu has no code, no text, or names a port or node out of range",
                           i);
    }
    return IK_OK;
}

ik_status ik_fabric_check(const ik_fabric *f, ik_error *err)
{
    ik_status status = check_rows(f, err);
    if (status == IK_OK)
        status = check_links(f, err);
    if (status == IK_OK)
        status = fabric_check_levels(f, err);
    if (status == IK_OK)
        status = check_labels(f, err);
    return status;
}
