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

/* What may name a node: the GUID or LID of a port of it. */
typedef struct row_key {
    uint64_t key;
    uint32_t port, node;
} row_key;

typedef struct row_keys {
    row_key *of; /* ascending */
    size_t num;
} row_keys;

static int ib_rows_compare_keys(const void *a, const void *b)
{
    const row_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->port > y->port) - (x->port < y->port);
}

static void ib_rows_sort_keys(row_keys *k)
{
    if (k->num)
        qsort(k->of, k->num, sizeof *k->of, ib_rows_compare_keys);
}

/* The keys from the first of this value on; *count of them. */
static const row_key *ib_rows_find_keys(const row_keys *k, uint64_t key, size_t *count)
{
    size_t low = 0, high = k->num, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (k->of[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < k->num && k->of[end].key == key;)
        end++;
    *count = end - low;
    return k->of + low;
}

/* Several ports have the GUID of a switch, one that of an adapter's port, which is its first or
 * second. */
static ib_kind ib_rows_kind_of(const row_keys *ports, const ib_row_port *p)
{
    size_t count;
    if (p->kind != IB_KIND_UNKNOWN)
        return p->kind;
    const row_key *first = ib_rows_find_keys(ports, p->guid, &count);
    bool one = count && first->port == first[count - 1].port && first->port <= 2;
    return one ? IB_KIND_HOST : IB_KIND_SWITCH;
}

static void ib_rows_find_kinds(ib_rows *r, row_keys *keys)
{
    for (size_t i = 0; i < r->num; i++) {
        const ib_row *row = &r->of[i];
        keys->of[keys->num++] = (row_key){.key = row->own.guid, .port = row->own.port};
        if (row->peer.port)
            keys->of[keys->num++] = (row_key){.key = row->peer.guid, .port = row->peer.port};
    }
    ib_rows_sort_keys(keys);
    for (size_t i = 0; i < r->num; i++) {
        r->of[i].own.kind = ib_rows_kind_of(keys, &r->of[i].own);
        if (r->of[i].peer.port)
            r->of[i].peer.kind = ib_rows_kind_of(keys, &r->of[i].peer);
    }
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

static ik_status ib_rows_named(ib_rows *r, const ib_row_port *p, uint32_t *node, ik_error *err)
{
    char *key = p->guid ? ik_arena_printf(&r->ib.arena, "%c-%016" PRIx64,
                                          p->kind == IB_KIND_SWITCH ? 'S' : 'H', p->guid)
                        : ik_arena_printf(&r->ib.arena, "H-lid%" PRIu32, p->lid);
    if (!key)
        return ik_fail_memory(err, 20, "names of nodes");
    return ib_node_of(&r->ib, (slice){key, strlen(key)}, node, err);
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
        status = ib_rows_named(r, &row->own, &row->node, err);
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

static void ib_rows_index_nodes(const ib_rows *r, row_keys *guids, row_keys *lids)
{
    guids->num = 0;
    for (size_t i = 0; i < r->num; i++) {
        const ib_row *row = &r->of[i];
        guids->of[guids->num++] = (row_key){row->own.guid, 0, row->node};
        if (row->own.lid)
            lids->of[lids->num++] = (row_key){row->own.lid, 0, row->node};
    }
    ib_rows_sort_keys(guids);
    ib_rows_sort_keys(lids);
}

/* The node at the other end: by GUID, else by LID; one that has no rows is made. */
static ik_status ib_rows_peer_node(ib_rows *r, const row_keys *guids, const row_keys *lids,
                                   const ib_row *row, uint32_t *node, ik_error *err)
{
    const ib_row_port *p = &row->peer;
    size_t count;
    const row_key *first =
        ib_rows_find_keys(p->guid ? guids : lids, p->guid ? p->guid : p->lid, &count);
    if (!p->guid && !p->lid) {
        ik_fail_at(err, IK_ERR_INPUT, r->ib.s.file, row->line, 1,
                   "the other end of the cable has LID 0: it is unknown which port it is");
        return ik_hint(err, IK_ERR_INPUT, "'iblinkinfo -l' prints GUIDs");
    }
    if (count && first->node != first[count - 1].node)
        return ik_fail_at(
            err, IK_ERR_INPUT, r->ib.s.file, row->line, 1,
            "the other end of the cable is LID %" PRIu32 ", as are ports of two nodes, in lines "
            "%u and %u",
            p->lid, r->ib.nodes[first->node].line, r->ib.nodes[first[count - 1].node].line);
    if (count) {
        *node = first->node;
        return IK_OK;
    }
    ik_status status = ib_rows_named(r, p, node, err);
    if (status == IK_OK && !r->ib.nodes[*node].name.length)
        r->ib.nodes[*node].name = p->name;
    return status;
}

static ik_status ib_rows_keep_cable(ib_rows *r, const row_keys *guids, const row_keys *lids,
                                    const ib_row *row, ik_error *err)
{
    ib_end end = {.node = row->node,
                  .port = row->own.port,
                  .peer_port = row->peer.port,
                  .rate = row->rate,
                  .line = row->line,
                  .file = r->ib.s.file};
    r->ib.s.line = row->line;
    ik_status status = ib_rows_peer_node(r, guids, lids, row, &end.peer, err);
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
    row_keys guids = {.of = ik_calloc(2 * r->num + 1, sizeof(row_key))},
             lids = {.of = ik_calloc(r->num + 1, sizeof(row_key))};
    ik_status status = IK_OK;
    if (!guids.of || !lids.of)
        status = ik_fail_memory(err, 3 * r->num * sizeof(row_key), "ports of a fabric");
    else
        ib_rows_find_kinds(r, &guids);
    for (size_t i = 0; i < r->num && status == IK_OK; i++)
        status = ib_rows_own_node(r, i, err);
    if (status == IK_OK)
        ib_rows_index_nodes(r, &guids, &lids);
    for (size_t i = 0; i < r->num && status == IK_OK; i++)
        if (r->of[i].peer.port)
            status = ib_rows_keep_cable(r, &guids, &lids, &r->of[i], err);
    free(guids.of);
    free(lids.of);
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
    free(r->of);
    return status;
}
