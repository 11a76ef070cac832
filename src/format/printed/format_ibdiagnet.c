/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `ibdiagnet`: ibdiagnet2.db_csv, the tables that ibdiagnet 2 writes. Three of them make the
 * fabric: NODES, PORTS (LIDs, GUIDs, widths, speeds, states) and LINKS, which lists a cable once.
 * They are read in this order, wherever they stand; all others are counted. Memory is in proportion
 * to the rows, not to the ports that NODES promises.
 * Source: readers of such files in public repositories; numbers of widths and speeds as PortInfo
 * has them, the speed's second byte being the extended speed (InfiniBand Architecture
 * Specification, vol. 1, 14.2.5.6), the third and fourth those of ibdiagnet's data model.
 */
#include "base/array.h"
#include "format/ib_dump.h"
#include "format/printed/csv_table.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum db_table { NODES, PORTS, LINKS, NUM_TABLES };
static const char *const tables[] = {"NODES", "PORTS", "LINKS"};
enum db_kind { KIND_CA = 1, KIND_SWITCH, KIND_ROUTER };
enum db_state { STATE_DOWN = 1, STATE_ACTIVE = 4 };

static const struct {
    uint64_t value;
    const char *name;
} widths[] = {{1, "1x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}, {16, "2x"}},
  speeds[] = {{1, "SDR"},      {2, "DDR"},         {4, "QDR"},
              {1 << 8, "FDR"}, {2 << 8, "EDR"},    {4 << 8, "HDR"},
              {8 << 8, "NDR"}, {1 << 16, "FDR10"}, {1 << 24, "XDR"}};

/* A row of PORTS. */
typedef struct db_port {
    uint32_t node, port; /* port 0 is that of a switch itself */
    uint64_t guid, width, speed;
    uint32_t lid;
    uint8_t lmc, state; /* state 0 = not said */
    unsigned line;
} db_port;

typedef struct db_guid {
    uint64_t guid;
    uint32_t node;
} db_guid;

typedef struct db_file {
    ib_file ib;
    scan table[NUM_TABLES]; /* at the line START_…; file NULL: there is none */
    uint32_t unread, named;
    char names[200]; /* of the first `named` tables that are not read */
    db_guid *guids;  /* ascending */
    db_port *ports;  /* ascending by node and port */
    size_t num_ports, port_cap;
} db_file;

/* ---- which tables there are */

static ik_status db_note_table(db_file *db, slice name, ik_error *err)
{
    for (unsigned i = 0; i < NUM_TABLES; i++) {
        if (strlen(tables[i]) != name.length || memcmp(tables[i], name.at, name.length) != 0)
            continue;
        if (db->table[i].file)
            return scan_fail(&db->ib.s, err, "expected one table %s; the first is in line %u",
                             tables[i], db->table[i].line);
        db->table[i] = db->ib.s;
        return IK_OK;
    }
    size_t used = strlen(db->names), room = sizeof db->names - used;
    if (db->unread++ == db->named && name.length + 3 < room) {
        snprintf(db->names + used, room, "%s%.*s", used ? ", " : "", (int)name.length, name.at);
        db->named++;
    }
    return IK_OK;
}

/* From START_NAME to END_NAME. */
static ik_status db_pass_table(db_file *db, slice name, ik_error *err)
{
    scan *s = &db->ib.s;
    unsigned begin = s->line;
    slice other;
    int length = (int)(name.length < 64 ? name.length : 64);
    while (scan_line(s)) {
        if (csv_ends(s, name))
            return IK_OK;
        if (csv_begins(s, &other))
            return scan_fail(s, err, "expected END_%.*s, for line %u has its START", length,
                             name.at, begin);
    }
    s->at = s->end;
    s->cut = true;
    return scan_fail(s, err, "expected END_%.*s, for line %u has its START", length, name.at,
                     begin);
}

static ik_status db_find_tables(db_file *db, ik_error *err)
{
    scan *s = &db->ib.s;
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(s)) {
        slice name;
        if (csv_begins(s, &name)) {
            status = db_note_table(db, name, err);
            if (status == IK_OK)
                status = db_pass_table(db, name, err);
        } else if (!scan_at_end(s) && *s->at != '#') {
            ib_pass_line(&db->ib, false);
        }
    }
    for (unsigned i = 0; status == IK_OK && i < NUM_TABLES; i++)
        if (!db->table[i].file && i != PORTS) {
            ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, 1,
                       "there is no table %s (START_%s) in this file", tables[i], tables[i]);
            status = ik_hint(err, IK_ERR_INPUT,
                             "the file seems to be cut off, or ibdiagnet was "
                             "run with --disable_output");
        }
    return status;
}

/* Calls `take` with each row of a table. */
typedef ik_status db_take(db_file *db, const slice *field, ik_error *err);

static ik_status db_read_table(db_file *db, enum db_table which, const char *const *wanted,
                               unsigned num, unsigned required, db_take *take, ik_error *err)
{
    csv_columns columns = {0};
    slice field[CSV_MOST_WANTED], name = {tables[which], strlen(tables[which])};
    scan *s = &db->ib.s;
    if (!db->table[which].file)
        return IK_OK;
    *s = db->table[which];
    if (!scan_line(s) || csv_ends(s, name))
        return scan_fail(s, err, "expected the names of the columns");
    ik_status status = csv_read_columns(s, wanted, num, required, &columns, err);
    while (status == IK_OK && scan_line(s) && !csv_ends(s, name)) {
        if (scan_at_end(s))
            continue;
        s->at = s->line_start;
        status = csv_read_row(s, &columns, field, err);
        if (status == IK_OK)
            status = take(db, field, err);
    }
    return status;
}

/* ---- NODES */

static const char *const node_columns[] = {"NodeGUID", "NodeType", "NumPorts", "NodeDesc"};

static ik_status db_take_node(db_file *db, const slice *field, ik_error *err)
{
    ib_file *ib = &db->ib;
    uint64_t guid, kind, ports;
    uint32_t index;
    ik_status status = csv_number(&ib->s, field[0], "a GUID", UINT64_MAX, &guid, err);
    if (status == IK_OK)
        status = csv_number(&ib->s, field[1], "1 (adapter), 2 (switch) or 3 (router)", KIND_ROUTER,
                            &kind, err);
    if (status == IK_OK)
        status = csv_number(&ib->s, field[2], "a number of ports", IB_MAX_PORTS, &ports, err);
    if (status != IK_OK)
        return status;
    ib->s.at = ib->s.line_start;
    if (!guid || !kind || !ports)
        return scan_fail(&ib->s, err, "expected a GUID, a type and a number of ports above 0");
    char *key =
        ik_arena_printf(&ib->arena, "%c-%016" PRIx64, kind == KIND_SWITCH ? 'S' : 'H', guid);
    if (!key)
        return ik_fail_memory(err, 20, "names of nodes");
    status = ib_node_of(ib, (slice){key, strlen(key)}, &index, err);
    if (status != IK_OK)
        return status;
    ib_node *node = &ib->nodes[index];
    if (node->defined)
        return scan_fail(&ib->s, err, "expected another GUID, for the node of line %u has it",
                         node->line);
    node->defined = true;
    node->radix = (uint32_t)ports;
    node->guid = guid;
    node->name = field[3];
    node->at = ++ib->sections;
    return IK_OK;
}

static int db_compare_guids(const void *a, const void *b)
{
    const db_guid *x = a, *y = b;
    return x->guid < y->guid ? -1 : x->guid > y->guid;
}

static ik_status db_index_nodes(db_file *db, ik_error *err)
{
    const ib_file *ib = &db->ib;
    db->guids = ik_calloc((size_t)ib->num_nodes + 1, sizeof *db->guids);
    if (!db->guids)
        return ik_fail_memory(err, ib->num_nodes * sizeof *db->guids, "GUIDs of nodes");
    for (uint32_t n = 0; n < ib->num_nodes; n++)
        db->guids[n] = (db_guid){ib->nodes[n].guid, n};
    qsort(db->guids, ib->num_nodes, sizeof *db->guids, db_compare_guids);
    for (uint32_t n = 1; n < ib->num_nodes; n++) {
        const db_guid *a = &db->guids[n - 1], *b = &db->guids[n];
        if (a->guid == b->guid)
            return ik_fail_at(err, IK_ERR_INPUT, ib->s.file, ib->nodes[b->node].line, 1,
                              "the GUID is that of an adapter and of a switch: line %u has the "
                              "other",
                              ib->nodes[a->node].line);
    }
    return IK_OK;
}

/* A node and one of its ports from two fields; port 0 if `least` is 0. */
static ik_status db_read_port(const db_file *db, const slice *field, uint64_t least, uint32_t *node,
                              uint32_t *port, ik_error *err)
{
    const ib_file *ib = &db->ib;
    db_guid wanted = {0};
    uint64_t number;
    ik_status status = csv_number(&ib->s, field[0], "a GUID", UINT64_MAX, &wanted.guid, err);
    if (status == IK_OK)
        status = csv_number(&ib->s, field[1], "a port", IB_MAX_PORTS, &number, err);
    if (status != IK_OK)
        return status;
    const db_guid *found =
        bsearch(&wanted, db->guids, ib->num_nodes, sizeof *db->guids, db_compare_guids);
    scan place = ib->s;
    place.at = found ? field[1].at : field[0].at;
    place.at = place.at ? place.at : place.line_start;
    if (!found)
        return scan_fail(&place, err, "expected the GUID of a node that the table NODES has");
    if (number < least || number > ib->nodes[found->node].radix)
        return scan_fail(&place, err,
                         "expected a port from %" PRIu64 " to %" PRIu32 ", as line %u has them",
                         least, ib->nodes[found->node].radix, ib->nodes[found->node].line);
    *node = found->node;
    *port = (uint32_t)number;
    return IK_OK;
}

/* ---- PORTS */

static const char *const port_columns[] = {
    "NodeGuid", "PortNum", "PortGuid", "LID", "LMC", "PortState", "LinkWidthActv", "LinkSpeedActv"};

static ik_status db_take_port(db_file *db, const slice *field, ik_error *err)
{
    static const struct {
        const char *what;
        uint64_t max;
    } values[] = {{"a GUID", UINT64_MAX}, {"a LID", 0xFFFF},   {"an LMC", IB_MAX_LMC},
                  {"a state", 15},        {"a width", 0xFFFF}, {"a speed", UINT32_MAX}};
    enum { NUM_VALUES = sizeof values / sizeof *values };
    ib_file *ib = &db->ib;
    db_port p = {.line = ib->s.line};
    uint64_t value[NUM_VALUES];
    ik_status status = db_read_port(db, field, 0, &p.node, &p.port, err);
    for (unsigned i = 0; i < NUM_VALUES && status == IK_OK; i++)
        status = csv_number(&ib->s, field[i + 2], values[i].what, values[i].max, &value[i], err);
    if (status != IK_OK)
        return status;
    p.guid = value[0];
    p.lid = ib_lid_given((uint32_t)value[1]);
    p.lmc = (uint8_t)value[2];
    p.state = (uint8_t)value[3];
    p.width = value[4];
    p.speed = value[5];
    ib->tells_lids |= field[3].length > 0;
    ib_node *node = &ib->nodes[p.node];
    if (p.port == 0 && !node->is_host) {
        node->lid = p.lid;
        node->lmc = p.lmc;
    }
    if (!IK_ARRAY_ROOM(db->ports, db->port_cap, db->num_ports + 1))
        return ik_fail_memory(err, 2 * db->port_cap * sizeof *db->ports, "ports of a fabric");
    db->ports[db->num_ports++] = p;
    return IK_OK;
}

static int db_compare_ports(const void *a, const void *b)
{
    const db_port *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static ik_status db_sort_ports(db_file *db, ik_error *err)
{
    if (db->num_ports)
        qsort(db->ports, db->num_ports, sizeof *db->ports, db_compare_ports);
    for (size_t i = 0; i < db->num_ports; i++) {
        const db_port *p = &db->ports[i];
        ib_node *node = &db->ib.nodes[p->node];
        if (i && p->node == p[-1].node && p->port == p[-1].port)
            return ik_fail_at(err, IK_ERR_INPUT, db->ib.s.file, p->line, 1,
                              "port %" PRIu32 " of this node has a row in line %u already", p->port,
                              p[-1].line);
        if (node->is_host && !node->lid)
            node->lid = p->lid;
    }
    return IK_OK;
}

/* What PORTS says of a port, NULL = nothing. */
static const db_port *db_port_of(const db_file *db, uint32_t node, uint32_t port)
{
    size_t low = 0, high = db->num_ports;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const db_port *p = &db->ports[middle];
        if (p->node < node || (p->node == node && p->port < port))
            low = middle + 1;
        else
            high = middle;
    }
    const db_port *p = low < db->num_ports ? &db->ports[low] : NULL;
    return p && p->node == node && p->port == port ? p : NULL;
}

/* ---- LINKS */

static const char *const link_columns[] = {"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"};

static ik_status db_rate(db_file *db, const db_port *p, slice *rate, ik_error *err)
{
    const char *width = NULL, *speed = NULL;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        width = p->width == widths[i].value ? widths[i].name : width;
    /* an extended speed comes with the highest of the older ones */
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        speed = p->speed & speeds[i].value ? speeds[i].name : speed;
    slice lanes = {width, width ? strlen(width) : 0};
    return ib_rate_text(&db->ib, lanes, speed, rate, err);
}

static ik_status db_keep_end(db_file *db, ib_end end, ik_error *err)
{
    ib_file *ib = &db->ib;
    const db_port *near = db_port_of(db, end.node, end.port),
                  *far = db_port_of(db, end.peer, end.peer_port);
    bool down = (near && near->state == STATE_DOWN) || (far && far->state == STATE_DOWN);
    ik_status status = IK_OK;
    end.line = ib->s.line;
    end.file = ib->s.file;
    if (near) {
        end.guid = ib->nodes[end.node].is_host ? near->guid : 0;
        end.lid = ib->nodes[end.node].is_host ? near->lid : 0;
        end.lmc = near->lmc;
        status = db_rate(db, near, &end.rate, err);
        if (near->state && near->state != STATE_ACTIVE)
            ib_tell_inactive(ib, end.node, end.port, near->state == STATE_DOWN);
    }
    if (far && ib->nodes[end.peer].is_host) {
        end.peer_guid = far->guid;
        end.peer_lid = far->lid;
    }
    return status == IK_OK && !down ? ib_keep_end(ib, &end, err) : status;
}

static ik_status db_take_link(db_file *db, const slice *field, ik_error *err)
{
    ib_end there = {0};
    ik_status status = db_read_port(db, field, 1, &there.node, &there.port, err);
    if (status == IK_OK)
        status = db_read_port(db, field + 2, 1, &there.peer, &there.peer_port, err);
    ib_end back = {
        .node = there.peer, .port = there.peer_port, .peer = there.node, .peer_port = there.port};
    if (status == IK_OK)
        status = db_keep_end(db, there, err);
    if (status == IK_OK)
        status = db_keep_end(db, back, err);
    return status;
}

/* ---- all */

static void db_tell_unread(const db_file *db)
{
    if (db->unread)
        ik_builder_finding(db->ib.b, IK_NOTE, "unread-tables", NULL,
                           "%" PRIu32 " tables of ibdiagnet are not read: %s%s", db->unread,
                           db->names, db->named < db->unread ? ", ..." : "");
}

static ik_status db_read_all(db_file *db, ik_error *err)
{
    ik_status status = db_find_tables(db, err);
    scan end = db->ib.s;
    if (status == IK_OK)
        status = db_read_table(db, NODES, node_columns, 4, 3, db_take_node, err);
    if (status == IK_OK)
        status = db_index_nodes(db, err);
    if (status == IK_OK)
        status = db_read_table(db, PORTS, port_columns, 8, 2, db_take_port, err);
    if (status == IK_OK)
        status = db_sort_ports(db, err);
    if (status == IK_OK)
        status = db_read_table(db, LINKS, link_columns, 4, 4, db_take_link, err);
    db->ib.s = status == IK_OK ? end : db->ib.s;
    if (status == IK_OK)
        status = ib_lay_cables(&db->ib, err);
    if (status == IK_OK)
        db_tell_unread(db);
    return status;
}

static ik_status ibdiagnet_read_text(const char *text, size_t size, const char *file, ik_builder *b,
                                     ik_error *err)
{
    db_file db = {.ib = {.s = scan_text(text, size, file), .current = IK_NONE, .b = b}};
    ik_status status = db_read_all(&db, err);
    ib_file_free(&db.ib);
    free(db.guids);
    free(db.ports);
    return status;
}

static unsigned ibdiagnet_probe(const char *text, size_t size)
{
    scan s = scan_text(text, size, "");
    slice name;
    for (unsigned lines = 0; lines < 50 && scan_line(&s); lines++)
        if (csv_begins(&s, &name))
            return 90;
    return 0;
}

static const char *const extensions[] = {"db_csv", NULL};

const ik_format ik_format_ibdiagnet = {
    .name = "ibdiagnet",
    .summary = "ibdiagnet2.db_csv: the tables of ibdiagnet, with LIDs, states and rates",
    .source = "ibdiagnet 2 (ibutils2)",
    .extensions = extensions,
    .probe = ibdiagnet_probe,
    .read = ibdiagnet_read_text,
};
