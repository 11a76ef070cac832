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
#include "format/printed/ib_keys.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum db_table { NODES, PORTS, LINKS, NUM_TABLES };
enum { KIND_SWITCH = 2, STATE_DOWN = 1, STATE_ACTIVE = 4, MOST_WANTED = 8 };

static const struct {
    uint64_t value;
    const char *name;
} widths[] = {{1, "1x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}, {16, "2x"}},
  speeds[] = {{1, "SDR"},      {2, "DDR"},         {4, "QDR"},
              {1 << 8, "FDR"}, {2 << 8, "EDR"},    {4 << 8, "HDR"},
              {8 << 8, "NDR"}, {1 << 16, "FDR10"}, {1 << 24, "XDR"}};

/* A field of a row: its number, or its text. */
typedef struct db_field {
    slice text;
    uint64_t number;
} db_field;

/* A row of PORTS. */
typedef struct db_port {
    uint64_t guid, width, speed;
    uint32_t lid;
    uint8_t lmc, state; /* state 0 = not said */
    unsigned line;
} db_port;

typedef struct db_file {
    ib_file ib;
    scan table[NUM_TABLES]; /* at the line START_…; file NULL: there is none */
    uint32_t unread, named;
    char names[200]; /* of the first `named` tables that are not read */
    ib_keys guids;   /* node of each */
    ib_keys numbers; /* of node and port (db_number): its place in `ports` */
    db_port *ports;
    size_t num_ports, port_cap;
} db_file;

typedef ik_status db_take(db_file *db, const db_field *f, ik_error *err);

/* A node of NODES and one of its ports, from two fields; port 0 is that of a switch itself. */
static ik_status db_find_port(const db_file *db, const db_field *f, uint64_t least, uint32_t *node,
                              uint32_t *port, ik_error *err)
{
    size_t count;
    const ib_key *found = ib_keys_find(&db->guids, f[0].number, &count);
    scan place = db->ib.s;
    place.at = found ? f[1].text.at : f[0].text.at;
    if (!found)
        return scan_fail(&place, err, "expected the GUID of a node that the table NODES has");
    const ib_node *of = &db->ib.nodes[found->value];
    if (f[1].number < least || f[1].number > of->radix)
        return scan_fail(&place, err,
                         "expected a port from %" PRIu64 " to %" PRIu32 ", as line %u has them",
                         least, of->radix, of->line);
    *node = found->value;
    *port = (uint32_t)f[1].number;
    return IK_OK;
}

static uint64_t db_number(uint32_t node, uint32_t port)
{
    return (uint64_t)node << 8 | port;
}

/* What PORTS says of a port, NULL = nothing. */
static const db_port *db_port_of(const db_file *db, uint32_t node, uint32_t port)
{
    size_t count;
    const ib_key *found = ib_keys_find(&db->numbers, db_number(node, port), &count);
    return found ? &db->ports[found->value] : NULL;
}

/* Sorts what the rows of a table have added; each key may be there once. */
static ik_status db_sort_keys(db_file *db, ib_keys *keys, bool ports, ik_error *err)
{
    ib_keys_sort(keys);
    for (size_t i = 1; i < keys->num; i++) {
        uint32_t a = keys->of[i - 1].value, b = keys->of[i].value;
        if (keys->of[i - 1].key == keys->of[i].key)
            return ik_fail_at(err, IK_ERR_INPUT, db->ib.s.file,
                              ports ? db->ports[b].line : db->ib.nodes[b].line, 1,
                              "this %s is in line %u already", ports ? "port" : "GUID of a node",
                              ports ? db->ports[a].line : db->ib.nodes[a].line);
    }
    return IK_OK;
}

/* ---- rows */

static ik_status db_take_node(db_file *db, const db_field *f, ik_error *err)
{
    ib_file *ib = &db->ib;
    ib->s.at = ib->s.line_start;
    if (!f[0].number || !f[1].number || !f[2].number)
        return scan_fail(&ib->s, err, "expected a GUID, a type and a number of ports above 0");
    bool sw = f[1].number == KIND_SWITCH;
    uint32_t index;
    ik_status status = ib_node_of_guid(ib, sw, f[0].number, &index, err);
    if (status != IK_OK)
        return status;
    ib_node *node = &ib->nodes[index];
    if (node->defined)
        return scan_fail(&ib->s, err, "expected another GUID, for the node of line %u has it",
                         node->line);
    node->defined = true;
    node->radix = (uint32_t)f[2].number;
    node->guid = f[0].number;
    node->name = f[3].text;
    node->at = ++ib->sections;
    return ib_keys_add(&db->guids, node->guid, index, 0, err);
}

static ik_status db_take_port(db_file *db, const db_field *f, ik_error *err)
{
    uint32_t index, port;
    ik_status status = db_find_port(db, f, 0, &index, &port, err);
    if (status != IK_OK)
        return status;
    const db_port p = {.guid = f[2].number,
                       .lid = ib_lid_given((uint32_t)f[3].number),
                       .lmc = (uint8_t)f[4].number,
                       .state = (uint8_t)f[5].number,
                       .width = f[6].number,
                       .speed = f[7].number,
                       .line = db->ib.s.line};
    ib_node *node = &db->ib.nodes[index];
    if (port == 0 && !node->is_host)
        node->lmc = p.lmc;
    if (!node->lid && (node->is_host || port == 0))
        node->lid = p.lid;
    db->ib.tells_lids |= f[3].text.length > 0;
    if (!IK_ARRAY_ROOM(db->ports, db->port_cap, db->num_ports + 1))
        return ik_fail_memory(err, 2 * db->port_cap * sizeof *db->ports, "ports of a fabric");
    db->ports[db->num_ports++] = p;
    return ib_keys_add(&db->numbers, db_number(index, port), (uint32_t)db->num_ports - 1, 0, err);
}

static ik_status db_rate(db_file *db, const db_port *p, slice *rate, ik_error *err)
{
    slice width = {0};
    const char *speed = NULL;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (p->width == widths[i].value)
            width = (slice){widths[i].name, strlen(widths[i].name)};
    /* an extended speed comes with the highest of the older ones */
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        speed = p->speed & speeds[i].value ? speeds[i].name : speed;
    return ib_rate_text(&db->ib, width, speed, rate, err);
}

/* Keeps one end of a cable, unless its port or the other one is down. */
static ik_status db_keep_end(db_file *db, ib_end end, ik_error *err)
{
    ib_file *ib = &db->ib;
    const db_port *near = db_port_of(db, end.node, end.port),
                  *far = db_port_of(db, end.peer, end.peer_port);
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
    bool down = (near && near->state == STATE_DOWN) || (far && far->state == STATE_DOWN);
    return status == IK_OK && !down ? ib_keep_end(ib, &end, err) : status;
}

static ik_status db_take_link(db_file *db, const db_field *f, ik_error *err)
{
    ib_end there = {0};
    ik_status status = db_find_port(db, f, 1, &there.node, &there.port, err);
    if (status == IK_OK)
        status = db_find_port(db, f + 2, 1, &there.peer, &there.peer_port, err);
    ib_end back = {
        .node = there.peer, .port = there.peer_port, .peer = there.node, .peer_port = there.port};
    if (status == IK_OK)
        status = db_keep_end(db, there, err);
    return status == IK_OK ? db_keep_end(db, back, err) : status;
}

/* ---- tables */

/* `what` NULL: a text, else a number up to `max`. */
static const struct {
    const char *name;
    unsigned num, required; /* columns */
    db_take *take;
    struct {
        const char *name, *what;
        uint64_t max;
    } column[MOST_WANTED];
} tables[NUM_TABLES] = {
    {"NODES",
     4,
     3,
     db_take_node,
     {{"NodeGUID", "a GUID", UINT64_MAX},
      {"NodeType", "1 (adapter), 2 (switch) or 3 (router)", 3},
      {"NumPorts", "how many ports", IB_MAX_PORTS},
      {"NodeDesc", NULL, 0}}},
    {"PORTS",
     8,
     2,
     db_take_port,
     {{"NodeGuid", "a GUID", UINT64_MAX},
      {"PortNum", "a port", IB_MAX_PORTS},
      {"PortGuid", "a GUID", UINT64_MAX},
      {"LID", "a LID", 0xFFFF},
      {"LMC", "an LMC", IB_MAX_LMC},
      {"PortState", "a state", 15},
      {"LinkWidthActv", "a width", UINT64_MAX},
      {"LinkSpeedActv", "a speed", UINT64_MAX}}},
    {"LINKS",
     4,
     4,
     db_take_link,
     {{"NodeGuid1", "a GUID", UINT64_MAX},
      {"PortNum1", "a port", IB_MAX_PORTS},
      {"NodeGuid2", "a GUID", UINT64_MAX},
      {"PortNum2", "a port", IB_MAX_PORTS}}},
};

static ik_status db_note_table(db_file *db, slice name, ik_error *err)
{
    for (unsigned i = 0; i < NUM_TABLES; i++) {
        if (strlen(tables[i].name) != name.length ||
            memcmp(tables[i].name, name.at, name.length) != 0)
            continue;
        if (db->table[i].file)
            return scan_fail(&db->ib.s, err, "expected one table %s; the first is in line %u",
                             tables[i].name, db->table[i].line);
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
static ik_status db_skip_table(scan *s, slice name, ik_error *err)
{
    unsigned begin = s->line;
    slice other;
    bool open = true, more = true;
    while (open && (more = scan_line(s)) && !csv_begins(s, &other))
        open = !csv_ends(s, name);
    if (!open)
        return IK_OK;
    if (!more) {
        s->at = s->end;
        s->cut = true;
    }
    return scan_fail(s, err, "expected END_%.*s, for line %u has its START",
                     (int)(name.length < 64 ? name.length : 64), name.at, begin);
}

static ik_status db_find_tables(db_file *db, ik_error *err)
{
    scan *s = &db->ib.s;
    ik_status status = IK_OK;
    slice name;
    while (status == IK_OK && scan_line(s))
        if (csv_begins(s, &name)) {
            status = db_note_table(db, name, err);
            if (status == IK_OK)
                status = db_skip_table(s, name, err);
        } else if (!scan_at_end(s) && *s->at != '#') {
            ib_skip_line(&db->ib, false);
        }
    for (unsigned i = 0; status == IK_OK && i < NUM_TABLES; i++)
        if (!db->table[i].file && i != PORTS) {
            ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, 1,
                       "there is no table %s (START_%s) in this file", tables[i].name,
                       tables[i].name);
            status = ik_hint(err, IK_ERR_INPUT,
                             "the file seems to be cut off, or ibdiagnet left "
                             "the table out");
        }
    return status;
}

static ik_status db_read_row(db_file *db, enum db_table which, const csv_columns *columns,
                             ik_error *err)
{
    db_field f[MOST_WANTED] = {0};
    slice text[MOST_WANTED];
    scan *s = &db->ib.s;
    s->at = s->line_start;
    ik_status status = csv_read_row(s, columns, text, err);
    for (unsigned i = 0; i < tables[which].num && status == IK_OK; i++) {
        f[i].text = text[i];
        if (tables[which].column[i].what)
            status = csv_number(s, text[i], tables[which].column[i].what,
                                tables[which].column[i].max, &f[i].number, err);
    }
    return status == IK_OK ? tables[which].take(db, f, err) : status;
}

static ik_status db_read_table(db_file *db, enum db_table which, ik_error *err)
{
    csv_columns columns;
    slice name = {tables[which].name, strlen(tables[which].name)};
    const char *wanted[MOST_WANTED];
    scan *s = &db->ib.s;
    if (!db->table[which].file)
        return IK_OK;
    for (unsigned i = 0; i < tables[which].num; i++)
        wanted[i] = tables[which].column[i].name;
    *s = db->table[which];
    if (!scan_line(s) || csv_ends(s, name))
        return scan_fail(s, err, "expected the names of the columns");
    ik_status status =
        csv_read_columns(s, wanted, tables[which].num, tables[which].required, &columns, err);
    while (status == IK_OK && scan_line(s) && !csv_ends(s, name))
        if (!scan_at_end(s))
            status = db_read_row(db, which, &columns, err);
    return status;
}

static ik_status db_read_all(db_file *db, ik_error *err)
{
    ik_status status = db_find_tables(db, err);
    scan end = db->ib.s;
    if (status == IK_OK)
        status = db_read_table(db, NODES, err);
    if (status == IK_OK)
        status = db_sort_keys(db, &db->guids, false, err);
    if (status == IK_OK)
        status = db_read_table(db, PORTS, err);
    if (status == IK_OK)
        status = db_sort_keys(db, &db->numbers, true, err);
    if (status == IK_OK)
        status = db_read_table(db, LINKS, err);
    if (status != IK_OK)
        return status;
    db->ib.s = end;
    status = ib_lay_cables(&db->ib, err);
    if (status == IK_OK && db->unread)
        ik_builder_finding(db->ib.b, IK_NOTE, "unread-tables", NULL,
                           "%" PRIu32 " table%s of ibdiagnet %s not read: %s%s", db->unread,
                           db->unread == 1 ? "" : "s", db->unread == 1 ? "is" : "are", db->names,
                           db->named < db->unread ? ", ..." : "");
    return status;
}

static ik_status ibdiagnet_read_text(const char *text, size_t size, const char *file, ik_builder *b,
                                     ik_error *err)
{
    db_file db = {.ib = {.s = scan_text(text, size, file), .current = IK_NONE, .b = b}};
    ik_status status = db_read_all(&db, err);
    ib_file_free(&db.ib);
    free(db.guids.of);
    free(db.numbers.of);
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
