/* SPDX-License-Identifier: Apache-2.0
 *
 * Changed copies of a fabric: without some links and switches, or with fewer hosts. O(nodes +
 * ports).
 */
#include "fabric/fabric_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Losses named one by one; more are summed up in one finding. */
enum { NAMED_LOSSES = 100 };

static ik_status fabric_change_copy_array(void *out, const void *source, size_t count, size_t size,
                                          ik_error *err)
{
    void *copy = NULL;
    if (source) {
        copy = ik_calloc(count + 1, size);
        if (!copy)
            return ik_fail_memory(err, count * size, "a copy of a fabric");
        memcpy(copy, source, count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return IK_OK;
}

#define COPY(field, count)                                                                         \
    do {                                                                                           \
        ik_status copied = fabric_change_copy_array(&(to->field), from->field, (count),            \
                                                    sizeof *from->field, err);                     \
        if (copied != IK_OK)                                                                       \
            return copied;                                                                         \
    } while (0)

ik_status fabric_copy_common(const ik_fabric *from, ik_fabric *to, ik_error *err)
{
    to->num_classes = from->num_classes;
    to->num_levels = from->num_levels;
    to->family_data = NULL;
    to->priv->rates_meant = from->priv->rates_meant;
    COPY(classes, from->num_classes);
    COPY(switch_xy, from->num_switches);
    COPY(switch_place, from->num_switches);
    COPY(switch_level, from->num_switches);
    return fabric_set_origin(to, from->family, from->spec, from->family_data,
                             from->priv->family_bytes, err);
}

static ik_status fabric_change_copy_findings(const ik_fabric *from, ik_fabric *to, ik_error *err)
{
    for (size_t i = 0; i < from->num_findings; i++) {
        const ik_finding *old = &from->findings[i];
        ik_status status = fabric_add_finding(to, old->severity, old->code, old->port, old->node,
                                              err, "%s", old->text);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static ik_status fabric_change_copy_names(const ik_fabric *from, ik_fabric *to, ik_error *err)
{
    uint32_t nodes = ik_num_nodes(from);
    if (!from->node_name)
        return IK_OK;
    to->node_name = ik_calloc((size_t)nodes + 1, sizeof *to->node_name);
    if (!to->node_name)
        return ik_fail_memory(err, nodes * sizeof *to->node_name, "the names of a fabric");
    for (uint32_t node = 0; node < nodes; node++) {
        to->node_name[node] = ik_arena_strdup(&to->priv->arena, from->node_name[node]);
        if (!to->node_name[node])
            return ik_fail_memory(err, strlen(from->node_name[node]) + 1, "the names of a fabric");
    }
    return IK_OK;
}

static ik_status fabric_change_copy_all(const ik_fabric *from, ik_fabric *to, ik_error *err)
{
    uint32_t nodes = ik_num_nodes(from);
    to->num_switches = from->num_switches;
    to->num_hosts = from->num_hosts;
    to->num_ports = from->num_ports;
    COPY(port_base, (size_t)nodes + 1);
    COPY(port_peer, from->num_ports);
    COPY(port_node, from->num_ports);
    COPY(port_class, from->num_ports);
    COPY(node_guid, nodes);
    COPY(port_guid, from->num_ports);
    COPY(node_lid, nodes);
    COPY(node_lmc, nodes);
    COPY(port_lid, from->num_ports);
    COPY(port_lmc, from->num_ports);
    COPY(port_label, from->num_ports);
    ik_status status = fabric_copy_common(from, to, err);
    if (status == IK_OK)
        status = fabric_change_copy_names(from, to, err);
    if (status == IK_OK)
        status = fabric_copy_endpoints(from, to, err);
    return status == IK_OK ? fabric_change_copy_findings(from, to, err) : status;
}

static ik_status fabric_change_fail_link(ik_fabric *f, uint32_t port, size_t *losses, ik_error *err)
{
    uint32_t peer = f->port_peer[port];
    if (peer == IK_NONE)
        return IK_OK;
    assert(f->port_peer[peer] == port); /* else a cable would lose one end alone */
    f->port_peer[port] = f->port_peer[peer] = IK_NONE;
    if (++*losses > NAMED_LOSSES)
        return IK_OK;
    char a[160], b[160];
    return fabric_add_finding(
        f, IK_WARNING, "failed-link", port, IK_NONE, err, "link from %s to %s has failed",
        ik_port_describe(f, port, a, sizeof a), ik_port_describe(f, peer, b, sizeof b));
}

static ik_status fabric_change_fail_switch(ik_fabric *f, uint32_t sw, size_t *losses, ik_error *err)
{
    assert(sw < f->num_switches);
    uint32_t links = 0;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE)
            continue;
        assert(f->port_peer[peer] == port);
        f->port_peer[port] = f->port_peer[peer] = IK_NONE;
        links++;
    }
    fabric_drop_endpoints(f, sw);
    if (++*losses > NAMED_LOSSES)
        return IK_OK;
    char name[160];
    return fabric_add_finding(f, IK_WARNING, "failed-switch", IK_NONE, sw, err,
                              "switch %s has failed with %s",
                              ik_node_describe(f, sw, name, sizeof name), IK_COUNT(links, "link"));
}

static ik_status fabric_change_sum_up(ik_fabric *f, const char *code, const char *what,
                                      size_t losses, ik_error *err)
{
    if (losses <= NAMED_LOSSES)
        return IK_OK;
    return fabric_add_finding(f, IK_WARNING, code, IK_NONE, IK_NONE, err,
                              "%zu more %s have failed, %zu in all", losses - NAMED_LOSSES, what,
                              losses);
}

static ik_status fabric_change_fail_all(ik_fabric *f, const uint32_t *ports, size_t num_ports,
                                        const uint32_t *switches, size_t num_switches,
                                        ik_error *err)
{
    size_t lost_links = 0, lost_switches = 0;
    ik_status status = IK_OK;
    for (size_t i = 0; i < num_switches && status == IK_OK; i++)
        status = switches[i] < f->num_switches
                     ? fabric_change_fail_switch(f, switches[i], &lost_switches, err)
                     : ik_about(err,
                                ik_fail(err, IK_ERR_USAGE,
                                        "switch %" PRIu32 " cannot fail, there are %" PRIu32,
                                        switches[i], f->num_switches),
                                "fail");
    for (size_t i = 0; i < num_ports && status == IK_OK; i++)
        status = ports[i] < f->num_ports
                     ? fabric_change_fail_link(f, ports[i], &lost_links, err)
                     : ik_about(err,
                                ik_fail(err, IK_ERR_USAGE,
                                        "the link of port %" PRIu32 " cannot fail, there are %s",
                                        ports[i], IK_COUNT(f->num_ports, "port")),
                                "fail");
    if (status == IK_OK)
        status = fabric_change_sum_up(f, "failed-switch", "switches", lost_switches, err);
    return status == IK_OK ? fabric_change_sum_up(f, "failed-link", "links", lost_links, err)
                           : status;
}

ik_status ik_fabric_degrade(const ik_fabric *f, const uint32_t *ports, size_t num_ports,
                            const uint32_t *switches, size_t num_switches, ik_fabric **out,
                            ik_error *err)
{
    assert(!f->split); /* its hosts are ports of another fabric's */
    ik_fabric *copy = fabric_new();
    if (!copy)
        return ik_fail_memory(err, sizeof *copy, "a copy of a fabric");
    ik_status status = fabric_change_copy_all(f, copy, err);
    if (status == IK_OK)
        status = fabric_change_fail_all(copy, ports, num_ports, switches, num_switches, err);
    if (status == IK_OK)
        status = fabric_find_uncabled(copy, err);
    if (status == IK_OK)
        fabric_prune_classes(copy);
    if (status != IK_OK) {
        ik_fabric_free(copy);
        return status;
    }
    *out = copy;
    return IK_OK;
}

/* ---- fewer hosts: every kept node moves down, and its ports with it */

typedef struct renumbering {
    const bool *keep; /* [old hosts] */
    uint32_t *node;   /* [old nodes] new id, IK_NONE = left out */
    uint32_t *old;    /* [new nodes] old id */
    uint32_t hosts, ports;
} renumbering;

static ik_status fabric_change_number_none(const ik_fabric *f, renumbering *r, ik_error *err)
{
    size_t nodes = (size_t)ik_num_nodes(f) + 1;
    r->node = ik_calloc(nodes, sizeof *r->node);
    r->old = ik_calloc(nodes, sizeof *r->old);
    return r->node && r->old ? IK_OK
                             : ik_fail_memory(err, nodes * sizeof *r->node, "new numbers of nodes");
}

static ik_status fabric_change_number_kept(const ik_fabric *f, const bool *keep, renumbering *r,
                                           ik_error *err)
{
    uint32_t next = f->num_switches;
    ik_status status = fabric_change_number_none(f, r, err);
    if (status != IK_OK)
        return status;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        bool kept = ik_is_switch(f, node) || keep[ik_node_host(f, node)];
        r->node[node] = !kept ? IK_NONE : ik_is_switch(f, node) ? node : next++;
        if (kept)
            r->old[r->node[node]] = node;
        r->ports += kept ? ik_radix(f, node) : 0;
    }
    r->hosts = next - f->num_switches;
    return IK_OK;
}

static ik_status fabric_change_allocate_kept(const ik_fabric *from, const renumbering *r,
                                             ik_fabric *to, ik_error *err)
{
    size_t nodes = (size_t)from->num_switches + r->hosts, ports = (size_t)r->ports + 1;
    to->num_switches = from->num_switches;
    to->num_hosts = r->hosts;
    to->num_ports = r->ports;
    to->port_base = ik_calloc(nodes + 1, sizeof *to->port_base);
    to->port_peer = ik_calloc(ports, sizeof *to->port_peer);
    to->port_node = ik_calloc(ports, sizeof *to->port_node);
    to->port_class = ik_calloc(ports, sizeof *to->port_class);
    to->node_name = from->node_name ? ik_calloc(nodes + 1, sizeof *to->node_name) : NULL;
    to->node_guid = from->node_guid ? ik_calloc(nodes + 1, sizeof *to->node_guid) : NULL;
    to->node_lid = from->node_lid ? ik_calloc(nodes + 1, sizeof *to->node_lid) : NULL;
    to->node_lmc = from->node_lmc ? ik_calloc(nodes + 1, sizeof *to->node_lmc) : NULL;
    to->port_lid = from->port_lid ? ik_calloc(ports, sizeof *to->port_lid) : NULL;
    to->port_lmc = from->port_lmc ? ik_calloc(ports, sizeof *to->port_lmc) : NULL;
    to->port_guid = from->port_guid ? ik_calloc(ports, sizeof *to->port_guid) : NULL;
    to->port_label = from->port_label ? ik_calloc(ports, sizeof *to->port_label) : NULL;
    if (!to->port_base || !to->port_peer || !to->port_node || !to->port_class ||
        (from->node_name && !to->node_name) || (from->node_guid && !to->node_guid) ||
        (from->node_lid && !to->node_lid) || (from->node_lmc && !to->node_lmc) ||
        (from->port_lid && !to->port_lid) || (from->port_lmc && !to->port_lmc) ||
        (from->port_guid && !to->port_guid) || (from->port_label && !to->port_label))
        return ik_fail_memory(err, ports * 10 + nodes * 4, "a copy of a fabric");
    return IK_OK;
}

static ik_status fabric_change_fill_node(const ik_fabric *from, uint32_t node, const renumbering *r,
                                         ik_fabric *to, ik_error *err)
{
    uint32_t copy = r->node[node];
    assert(copy < ik_num_nodes(to));
    assert(to->port_base[copy] + ik_radix(from, node) <= to->num_ports);
    to->port_base[copy + 1] = to->port_base[copy] + ik_radix(from, node);
    for (uint32_t port = from->port_base[node], at = to->port_base[copy];
         port < from->port_base[node + 1]; port++, at++) {
        to->port_node[at] = copy;
        to->port_class[at] = from->port_class[port];
        if (from->port_guid)
            to->port_guid[at] = from->port_guid[port];
        if (from->port_label)
            to->port_label[at] = from->port_label[port];
        if (from->port_lid)
            to->port_lid[at] = from->port_lid[port];
        if (from->port_lmc)
            to->port_lmc[at] = from->port_lmc[port];
    }
    if (from->node_guid)
        to->node_guid[copy] = from->node_guid[node];
    if (from->node_lid)
        to->node_lid[copy] = from->node_lid[node];
    if (from->node_lmc)
        to->node_lmc[copy] = from->node_lmc[node];
    if (from->node_name &&
        !(to->node_name[copy] = ik_arena_strdup(&to->priv->arena, from->node_name[node])))
        return ik_fail_memory(err, strlen(from->node_name[node]) + 1, "the names of a fabric");
    return IK_OK;
}

/* New id of a port, IK_NONE if its node is left out. */
static uint32_t fabric_change_moved_port(const ik_fabric *from, const renumbering *r,
                                         const ik_fabric *to, uint32_t port)
{
    assert(port == IK_NONE || port < from->num_ports);
    uint32_t copy = port == IK_NONE ? IK_NONE : r->node[from->port_node[port]];
    return copy == IK_NONE ? IK_NONE : to->port_base[copy] + ik_port_local(from, port);
}

static ik_status fabric_change_move_findings(const ik_fabric *from, const renumbering *r,
                                             ik_fabric *to, ik_error *err)
{
    for (size_t i = 0; i < from->num_findings; i++) {
        const ik_finding *old = &from->findings[i];
        uint32_t node = old->node == IK_NONE ? IK_NONE : r->node[old->node];
        if (old->node != IK_NONE && node == IK_NONE)
            continue; /* about a host that is left out */
        ik_status status = fabric_add_finding(to, old->severity, old->code,
                                              fabric_change_moved_port(from, r, to, old->port),
                                              node, err, "%s", old->text);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static ik_status fabric_change_copy_kept(const ik_fabric *from, const renumbering *r, ik_fabric *to,
                                         ik_error *err)
{
    ik_status status = fabric_change_allocate_kept(from, r, to, err);
    for (uint32_t copy = 0; status == IK_OK && copy < ik_num_nodes(to); copy++)
        status = fabric_change_fill_node(from, r->old[copy], r, to, err);
    assert(status != IK_OK || to->port_base[ik_num_nodes(to)] == to->num_ports);
    for (uint32_t port = 0; port < from->num_ports && status == IK_OK; port++) {
        uint32_t at = fabric_change_moved_port(from, r, to, port);
        if (at != IK_NONE)
            to->port_peer[at] = fabric_change_moved_port(from, r, to, from->port_peer[port]);
    }
    if (status == IK_OK)
        status = fabric_copy_common(from, to, err);
    return status == IK_OK ? fabric_change_move_findings(from, r, to, err) : status;
}

ik_status ik_fabric_keep_hosts(const ik_fabric *f, const bool *keep, ik_fabric **out, ik_error *err)
{
    assert(!f->split && !f->num_silent); /* their numbers would change without the others' */
    renumbering r = {.keep = keep};
    ik_fabric *copy = fabric_new();
    if (!copy)
        return ik_fail_memory(err, sizeof *copy, "a copy of a fabric");
    ik_status status = fabric_change_number_kept(f, keep, &r, err);
    if (status == IK_OK)
        status = fabric_change_copy_kept(f, &r, copy, err);
    if (status == IK_OK)
        status = fabric_copy_endpoints(f, copy, err);
    free(r.node);
    free(r.old);
    if (status == IK_OK)
        fabric_prune_classes(copy);
    if (status != IK_OK) {
        ik_fabric_free(copy);
        return status;
    }
    *out = copy;
    return IK_OK;
}

/* ---- another order: every node moves, and its ports with it */

typedef struct fabric_change_place {
    bool host;
    uint64_t guid;
    const char *name;
    uint32_t node;
} fabric_change_place;

static int fabric_change_compare_places(const void *x, const void *y)
{
    const fabric_change_place *a = x, *b = y;
    if (a->host != b->host)
        return a->host ? 1 : -1;
    if (a->guid != b->guid)
        return a->guid < b->guid ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

static ik_status fabric_change_number_sorted(const ik_fabric *f, renumbering *r, ik_error *err)
{
    uint32_t nodes = ik_num_nodes(f);
    fabric_change_place *places = ik_calloc((size_t)nodes + 1, sizeof *places);
    ik_status status = places ? fabric_change_number_none(f, r, err)
                              : ik_fail_memory(err, nodes * sizeof *places, "the order of nodes");
    if (status == IK_OK) {
        for (uint32_t node = 0; node < nodes; node++)
            places[node] =
                (fabric_change_place){!ik_is_switch(f, node), f->node_guid ? f->node_guid[node] : 0,
                                      f->node_name ? f->node_name[node] : "", node};
        qsort(places, nodes, sizeof *places, fabric_change_compare_places);
        for (uint32_t node = 0; node < nodes; node++) {
            r->old[node] = places[node].node;
            r->node[places[node].node] = node;
        }
        r->hosts = f->num_hosts;
        r->ports = f->num_ports;
    }
    free(places);
    return status;
}

static int fabric_change_compare_endpoints(const void *x, const void *y)
{
    const ik_endpoint *a = x, *b = y;
    return (a->port > b->port) - (a->port < b->port);
}

/* What fabric_copy_common copied as it was. */
static void fabric_change_move_labels(const ik_fabric *from, const renumbering *r, ik_fabric *to)
{
    for (uint32_t sw = 0; sw < from->num_switches; sw++) {
        if (to->switch_level)
            to->switch_level[r->node[sw]] = from->switch_level[sw];
        if (to->switch_xy)
            to->switch_xy[r->node[sw]] = from->switch_xy[sw];
        if (to->switch_place)
            to->switch_place[r->node[sw]] = from->switch_place[sw];
    }
    for (uint32_t i = 0; i < to->num_endpoints; i++)
        to->endpoints[i].port = fabric_change_moved_port(from, r, to, from->endpoints[i].port);
    if (to->num_endpoints)
        qsort(to->endpoints, to->num_endpoints, sizeof *to->endpoints,
              fabric_change_compare_endpoints);
    to->family_data = NULL; /* it is about the numbers of nodes */
    to->priv->family_bytes = 0;
    to->intact = false;
}

ik_status fabric_sorted(const ik_fabric *f, ik_fabric **out, uint32_t **old, ik_error *err)
{
    assert(!f->split && !f->num_silent);
    renumbering r = {.node = NULL};
    ik_fabric *copy = fabric_new();
    if (!copy)
        return ik_fail_memory(err, sizeof *copy, "a copy of a fabric");
    ik_status status = fabric_change_number_sorted(f, &r, err);
    if (status == IK_OK)
        status = fabric_change_copy_kept(f, &r, copy, err);
    if (status == IK_OK)
        status = fabric_copy_endpoints(f, copy, err);
    if (status == IK_OK) {
        fabric_change_move_labels(f, &r, copy);
        status = ik_fabric_judge(copy, err);
    }
    free(r.node);
    if (status == IK_OK) {
        *out = copy;
        *old = r.old;
        return IK_OK;
    }
    free(r.old);
    ik_fabric_free(copy);
    return status;
}
