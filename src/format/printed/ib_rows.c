/* SPDX-License-Identifier: Apache-2.0
 *
 * From rows of ports to nodes and cables.
 */
#include "format/printed/ib_rows.h"
#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows */

ik_status ib_rows_lid(scan *s, uint32_t *lid, ik_error *err)
{
    uint64_t value;
    scan_blanks(s);
    if (!scan_uint(s, 0xFFFF, &value))
        return scan_fail(s, err, "expected a LID up to 65535");
    *lid = ib_lid_given((uint32_t)value);
    return IK_OK;
}

ik_status ib_rows_port(scan *s, uint32_t *port, ik_error *err)
{
    uint64_t value;
    scan_blanks(s);
    scan before = *s;
    if (!scan_uint(s, IB_MAX_PORTS, &value) || value == 0)
        return scan_fail(&before, err, "expected a port number from 1 to %d", IB_MAX_PORTS);
    *port = (uint32_t)value;
    return IK_OK;
}

ik_status ib_rows_guid(scan *s, uint64_t *guid, ik_error *err)
{
    scan_blanks(s);
    scan before = *s;
    if (!scan_prefix(&before, "0x") || !scan_hex(s, guid) || *guid == 0)
        return scan_fail(s, err, "expected a GUID, 0x and up to 16 hexadecimal digits");
    return IK_OK;
}

ik_status ib_rows_add(ib_rows *r, const ib_row *row, ik_error *err)
{
    ik_status status = ib_goes_on(&r->ib, err);
    if (status != IK_OK)
        return status;
    if (!IK_ARRAY_ROOM(r->of, r->cap, r->num + 1))
        return ik_fail_memory(err, 2 * r->cap * sizeof *r->of, "ports of a fabric");
    r->of[r->num] = *row;
    r->of[r->num++].line = r->ib.s.line;
    return IK_OK;
}

/* ---- whose rows */

/* Ports of an adapter whose GUIDs count on. */
enum { MOST_NEIGHBOURS = 8 };

/* The one port that has this GUID, 0: several have, or none. */
static uint32_t ib_rows_only_port(const ib_keys *ports, uint64_t guid)
{
    size_t count;
    const ib_key *first = ib_keys_find(ports, guid, &count);
    return first && first->port == first[count - 1].port ? first->port : 0;
}

/* Has a name this in it, or begins with it, whatever the case? */
static bool ib_rows_name_has(slice name, const char *lower, bool begins)
{
    size_t length = strlen(lower), i;
    for (size_t at = 0; at + length <= name.length && !(begins && at); at++) {
        for (i = 0; i < length && (name.at[at + i] | 0x20) == (lower[i] | 0x20);)
            i++;
        if (i == length)
            return true;
    }
    return false;
}

/* Does a name say which kind of node it is? Drivers of adapters put theirs behind the host's name;
 * switches that nobody named have that of their model, and managed ones begin with "MF0;". */
static ib_kind ib_rows_kind_by_name(slice name)
{
    static const char *const adapters[] = {"hca-", "mlx4_",    "mlx5_",      "hfi1_",
                                           "qib",  "connectx", "infinihost", "aggregation node"},
                             *const switches[] = {"mf0;",      "switchx",          "switchib",
                                                  "switch-ib", "quantum mellanox", "infiniscale"};
    for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++)
        if (ib_rows_name_has(name, adapters[i], false))
            return IB_KIND_HOST;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (ib_rows_name_has(name, switches[i], true))
            return IB_KIND_SWITCH;
    return IB_KIND_UNKNOWN;
}

/* Do GUIDs count as port numbers do? Those of the ports of an adapter, one port each. */
static bool ib_rows_count_on(const ib_keys *ports, uint64_t guid, uint32_t port)
{
    for (uint32_t other = 1; other <= MOST_NEIGHBOURS; other++)
        if (other != port && ib_rows_only_port(ports, guid - port + other) == other)
            return true;
    return false;
}

/* Several ports have the GUID of a switch, one that of an adapter's port. A switch of which one
 * port is listed looks like that, too: then the name decides, other ports with GUIDs that count on,
 * or that adapters mostly have two ports. */
static void ib_rows_find_kind(const ib_keys *ports, ib_row_port *p)
{
    if (p->kind != IB_KIND_UNKNOWN || !p->port)
        return;
    p->kind = IB_KIND_SWITCH;
    if (!ib_rows_only_port(ports, p->guid))
        return;
    ib_kind named = ib_rows_kind_by_name(p->name);
    if (named != IB_KIND_UNKNOWN)
        p->kind = named;
    else if (p->port <= 2 || ib_rows_count_on(ports, p->guid, p->port))
        p->kind = IB_KIND_HOST;
}

static ik_status ib_rows_find_kinds(ib_rows *r, ik_error *err)
{
    ib_keys ports = {0};
    ik_status status = IK_OK;
    for (size_t i = 0; i < r->num && status == IK_OK; i++) {
        const ib_row *row = &r->of[i];
        status = ib_keys_add(&ports, row->own.guid, 0, row->own.port, err);
        if (status == IK_OK && row->peer.port)
            status = ib_keys_add(&ports, row->peer.guid, 0, row->peer.port, err);
    }
    ib_keys_sort(&ports);
    for (size_t i = 0; i < r->num; i++) {
        ib_rows_find_kind(&ports, &r->of[i].own);
        ib_rows_find_kind(&ports, &r->of[i].peer);
    }
    free(ports.of);
    return status;
}

/* Is this row of an adapter about another one than the row before? */
static bool ib_rows_begins(const ib_rows *r, size_t i)
{
    const ib_row_port *own = &r->of[i].own, *last = i ? &r->of[i - 1].own : NULL;
    if (!last || last->kind != IB_KIND_HOST)
        return true;
    if (r->has_heads)
        return r->of[i].begins;
    return last->name.length != own->name.length ||
           memcmp(last->name.at, own->name.at, own->name.length) != 0 ||
           (r->falling ? own->port >= last->port : own->port <= last->port);
}

/* The node of a row, which the first of its rows defines. */
static ik_status ib_rows_own_node(ib_rows *r, size_t i, ik_error *err)
{
    ib_row *row = &r->of[i];
    bool host = row->own.kind == IB_KIND_HOST;
    ik_status status = IK_OK;
    r->ib.s.line = row->line;
    if (host && !ib_rows_begins(r, i))
        row->node = row[-1].node;
    else
        status = ib_node_of_guid(&r->ib, !host, row->own.guid, &row->node, err);
    if (status != IK_OK)
        return status;
    ib_node *node = &r->ib.nodes[row->node];
    if (!node->defined) {
        node->at = ++r->ib.sections;
        node->name = row->own.name;
        node->line = row->line;
    }
    node->defined = true;
    node->is_host = host;
    if (!node->guid || r->falling)
        node->guid = row->own.guid;
    if (row->own.lid && (!node->lid || r->falling))
        node->lid = row->own.lid;
    if (row->own.port > node->radix)
        node->radix = row->own.port;
    return IK_OK;
}

/* ---- cables */

static ik_status ib_rows_index_nodes(ib_rows *r, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < r->num && status == IK_OK; i++) {
        const ib_row *row = &r->of[i];
        status = ib_keys_add(&r->guids, row->own.guid, row->node, 0, err);
        if (status == IK_OK && row->own.lid)
            status = ib_keys_add(&r->lids, row->own.lid, row->node, 0, err);
    }
    ib_keys_sort(&r->guids);
    ib_keys_sort(&r->lids);
    return status;
}

/* The node at the other end: by GUID, else by LID; one that has no rows is made. */
static ik_status ib_rows_peer_node(ib_rows *r, const ib_row *row, uint32_t *node, ik_error *err)
{
    const ib_row_port *p = &row->peer;
    size_t count;
    const ib_key *first =
        p->guid ? ib_keys_find(&r->guids, p->guid, &count) : ib_keys_find(&r->lids, p->lid, &count);
    if (!p->guid && (!p->lid || (first && first->value != first[count - 1].value))) {
        ik_fail_at(err, IK_ERR_INPUT, r->ib.s.file, row->line, 1,
                   "the other end of the cable has LID %" PRIu32 ", which %s", p->lid,
                   p->lid ? "ports of two nodes have" : "names no port");
        return ik_hint(err, IK_ERR_INPUT, "'iblinkinfo -l' prints GUIDs, which name it");
    }
    if (first) {
        *node = first->value;
        return IK_OK;
    }
    char *key = ik_arena_printf(&r->ib.arena, "H-lid%" PRIu32, p->lid);
    if (!key)
        return ik_fail_memory(err, 20, "names of nodes");
    ik_status status = p->guid
                           ? ib_node_of_guid(&r->ib, p->kind == IB_KIND_SWITCH, p->guid, node, err)
                           : ib_node_of(&r->ib, (slice){key, strlen(key)}, node, err);
    if (status == IK_OK && !r->ib.nodes[*node].name.length)
        r->ib.nodes[*node].name = p->name;
    return status;
}

static ik_status ib_rows_keep_cable(ib_rows *r, const ib_row *row, ik_error *err)
{
    ib_end end = {.node = row->node,
                  .port = row->own.port,
                  .peer_port = row->peer.port,
                  .rate = row->rate,
                  .line = row->line,
                  .file = r->ib.s.file};
    r->ib.s.line = row->line;
    ik_status status = ib_rows_peer_node(r, row, &end.peer, err);
    if (status != IK_OK)
        return status;
    ib_node *peer = &r->ib.nodes[end.peer];
    if (row->own.kind == IB_KIND_HOST) {
        end.guid = row->own.guid;
        end.lid = row->own.lid;
    }
    if (peer->is_host) {
        end.peer_guid = row->peer.guid;
        end.peer_lid = row->peer.lid;
    }
    if (row->peer.port > peer->radix) /* rows of ports that are down may be left out */
        peer->radix = row->peer.port;
    if (!peer->lid)
        peer->lid = row->peer.lid;
    if (row->inactive)
        ib_tell_inactive(&r->ib, row->node, row->own.port, false);
    return ib_keep_end(&r->ib, &end, err);
}

static ik_status ib_rows_lay(ib_rows *r, ik_error *err)
{
    ik_status status = ib_rows_find_kinds(r, err);
    for (size_t i = 0; i < r->num && status == IK_OK; i++)
        status = ib_rows_own_node(r, i, err);
    if (status == IK_OK)
        status = ib_rows_index_nodes(r, err);
    for (size_t i = 0; i < r->num && status == IK_OK; i++)
        if (r->of[i].peer.port)
            status = ib_rows_keep_cable(r, &r->of[i], err);
    return status;
}

ik_status ib_rows_read(ib_rows *r, ik_status (*line)(ib_rows *r, ik_error *err),
                       const char *program, ik_error *err)
{
    ib_file *ib = &r->ib;
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(&ib->s))
        if (!scan_at_end(&ib->s))
            status = line(r, err);
    if (status == IK_OK && !r->num)
        status = ik_fail_at(err, IK_ERR_INPUT, ib->s.file, ib->s.line, 1,
                            "there is no line about a port that %s prints", program);
    unsigned lines = ib->s.line;
    ib->tells_lids = true;
    if (status == IK_OK)
        status = ib_rows_lay(r, err);
    ib->s.line = lines;
    if (status == IK_OK)
        status = ib_lay_cables(ib, err);
    ib_file_free(ib);
    free(r->guids.of);
    free(r->lids.of);
    free(r->of);
    return status;
}
