/* SPDX-License-Identifier: Apache-2.0
 *
 * Endpoints: ports that have LIDs and are no hosts. A fabric lists them apart, because nothing runs
 * on them: no traffic, no level, no place in a family. Whatever concerns every LID of the subnet
 * (tables, proofs of tables) takes a copy in which they are the last hosts. Ports of switches stand
 * first in all arrays, ports of hosts behind them in the order of hosts, so that nothing else
 * changes its number. O(nodes + ports).
 */
#include "fabric/fabric_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ik_status fabric_copy_endpoints(const ik_fabric *from, ik_fabric *to, ik_error *err)
{
    assert(!to->endpoints); /* they would be lost */
    uint32_t num = from->num_endpoints;
    if (!num)
        return IK_OK;
    to->endpoints = ik_calloc(num, sizeof *to->endpoints);
    if (!to->endpoints)
        return ik_fail_memory(err, num * sizeof *to->endpoints, "endpoints");
    for (uint32_t i = 0; i < num; i++) {
        to->endpoints[i] = from->endpoints[i];
        to->endpoints[i].name = ik_arena_strdup(&to->priv->arena, from->endpoints[i].name);
        if (!to->endpoints[i].name)
            return ik_fail_memory(err, strlen(from->endpoints[i].name), "endpoints");
    }
    to->num_endpoints = num;
    to->priv->endpoint_cap = num;
    return IK_OK;
}

void fabric_drop_endpoints(ik_fabric *f, uint32_t sw)
{
    assert(sw < f->num_switches);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->num_endpoints; i++)
        if (f->port_node[f->endpoints[i].port] != sw)
            f->endpoints[kept++] = f->endpoints[i];
    f->num_endpoints = kept;
}

/* ---- endpoints as hosts */

/* An array of `count` entries and `more` zeros behind them. False: out of memory. */
static bool fabric_endpoints_extend(void *out, const void *source, size_t count, size_t more,
                                    size_t size)
{
    char *copy = ik_calloc(count + more + 1, size);
    if (copy && source)
        memcpy(copy, source, count * size);
    memcpy(out, &copy, sizeof copy);
    return copy != NULL;
}

#define EXTEND(field, count, always)                                                               \
    (!(from->field || (always)) ||                                                                 \
     fabric_endpoints_extend(&to->field, from->field, (count), more, sizeof *from->field))

static ik_status fabric_endpoints_allocate(const ik_fabric *from, ik_fabric *to, ik_error *err)
{
    size_t nodes = ik_num_nodes(from), ports = from->num_ports, more = from->num_endpoints;
    bool complete = EXTEND(port_base, nodes + 1, true) && EXTEND(port_peer, ports, true) &&
                    EXTEND(port_node, ports, true) && EXTEND(port_class, ports, true) &&
                    EXTEND(node_guid, nodes, true) && EXTEND(port_guid, ports, true) &&
                    EXTEND(node_lid, nodes, true) && EXTEND(node_lmc, nodes, true) &&
                    EXTEND(node_name, nodes, true) && EXTEND(port_lid, ports, false) &&
                    EXTEND(port_lmc, ports, false) && EXTEND(port_label, ports, false);
    return complete ? IK_OK : ik_fail_memory(err, 30 * (nodes + ports), "a copy of a fabric");
}

static ik_status fabric_endpoints_copy_texts(const ik_fabric *from, ik_fabric *to, ik_error *err)
{
    char name[288];
    for (uint32_t node = 0; node < ik_num_nodes(from); node++) {
        to->node_name[node] =
            ik_arena_strdup(&to->priv->arena, ik_node_name(from, node, name, sizeof name));
        if (!to->node_name[node])
            return ik_fail_memory(err, sizeof name, "the names of a fabric");
    }
    for (size_t i = 0; i < from->num_findings; i++) {
        const ik_finding *old = &from->findings[i];
        ik_status status = fabric_add_finding(to, old->severity, old->code, old->port, old->node,
                                              err, "%s", old->text);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

/* The class of an endpoint's link, added if no link had it. */
static ik_status fabric_endpoints_class(ik_fabric *to, const ik_link_class *link, uint16_t *class,
                                        ik_error *err)
{
    for (uint32_t i = 0; i < to->num_classes; i++)
        if (to->classes[i].rate_bps == link->rate_bps &&
            to->classes[i].latency_ps == link->latency_ps) {
            *class = (uint16_t)i;
            return IK_OK;
        }
    if (to->num_classes == FABRIC_MAX_CLASSES)
        return ik_fail(err, IK_ERR_INPUT, "more than %d different kinds of links",
                       FABRIC_MAX_CLASSES);
    ik_link_class *larger = realloc(to->classes, (to->num_classes + 1) * sizeof *larger);
    if (!larger)
        return ik_fail_memory(err, sizeof *larger, "a kind of links");
    to->classes = larger;
    larger[to->num_classes] = *link;
    *class = (uint16_t)to->num_classes++;
    return IK_OK;
}

static ik_status fabric_endpoints_add(ik_fabric *to, const ik_endpoint *e, ik_error *err)
{
    uint32_t node = ik_num_nodes(to), port = to->num_ports;
    uint16_t class = 0;
    ik_status status = fabric_endpoints_class(to, &e->link, &class, err);
    if (status != IK_OK)
        return status;
    assert(to->port_peer[e->port] == IK_NONE);
    assert(e->port < to->port_base[to->num_switches]); /* a port of a switch */
    assert(to->port_base[node] == port);               /* hosts stand in the order of their ports */
    to->port_base[node + 1] = port + 1;
    to->port_node[port] = node;
    to->port_peer[port] = e->port;
    to->port_peer[e->port] = port;
    to->port_class[port] = to->port_class[e->port] = class;
    if (to->port_label)
        to->port_label[port] = 1;
    to->node_guid[node] = e->node_guid;
    to->port_guid[port] = e->port_guid;
    to->node_lid[node] = e->lid;
    to->node_lmc[node] = e->lmc;
    to->node_name[node] = ik_arena_strdup(&to->priv->arena, e->name);
    to->num_hosts++;
    to->num_ports++;
    to->num_silent++;
    return to->node_name[node] ? IK_OK : ik_fail_memory(err, strlen(e->name), "endpoints");
}

ik_status ik_fabric_with_endpoints(const ik_fabric *f, ik_fabric **out, ik_error *err)
{
    assert(!f->split && !f->num_silent);
    ik_fabric *to = fabric_new();
    if (!to)
        return ik_fail_memory(err, sizeof *to, "a copy of a fabric");
    to->num_switches = f->num_switches;
    to->num_hosts = f->num_hosts;
    to->num_ports = f->num_ports;
    ik_status status = fabric_endpoints_allocate(f, to, err);
    if (status == IK_OK)
        status = fabric_copy_common(f, to, err);
    if (status == IK_OK)
        status = fabric_endpoints_copy_texts(f, to, err);
    for (uint32_t i = 0; i < f->num_endpoints && status == IK_OK; i++)
        status = fabric_endpoints_add(to, &f->endpoints[i], err);
    if (status != IK_OK) {
        ik_fabric_free(to);
        return status;
    }
    *out = to;
    return IK_OK;
}
