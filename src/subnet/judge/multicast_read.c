/* SPDX-License-Identifier: Apache-2.0
 *
 * multicast_read.c: see multicast.h. */
#include "base/array.h"
#include "format/opensm/guid_index.h"
#include "subnet/judge/multicast.h"

#include <stdlib.h>
#include <string.h>

typedef struct multicast_reading {
    multicast_tables t;
    guid_index index;
    scan s;
    bool begun, other; /* a block; a line that is none of such a file */
    bool columns;      /* the block is one of dump_fts */
    uint32_t sw;       /* of the block; IK_NONE: the fabric does not have it */
} multicast_reading;

/* A block begins, whose switch has the GUID that begins at `at`. */
static ik_status multicast_read_switch(multicast_reading *r, const char *at, bool columns,
                                       ik_error *err)
{
    uint64_t guid = 0;
    r->s.at = at;
    r->columns = columns;
    if (!scan_hex(&r->s, &guid) || (r->s.at < r->s.end && *r->s.at != ' ')) {
        r->s.at = at;
        return scan_fail(&r->s, err, "expected the switch's GUID");
    }
    const guid_entry *entry = guid_index_find(&r->index, guid);
    r->begun = true;
    r->sw = entry ? entry->node : IK_NONE;
    if (!entry && r->t.unknown_switches++ == 0)
        r->t.first_unknown = guid;
    return IK_OK;
}

static void multicast_put(multicast_reading *r, multicast_entry *entry, unsigned port,
                          const char *from)
{
    if (r->sw == IK_NONE)
        return;
    if (port == 0 || ik_port_of_number(r->t.fabric, r->sw, port) != IK_NONE) {
        entry->ports.bits[port / 64] |= UINT64_C(1) << port % 64;
    } else if (r->t.wrong_ports++ == 0) {
        r->t.wrong_switch = r->sw;
        r->t.wrong_port = port;
        r->t.wrong_line = r->s.line;
        r->t.wrong_column = (unsigned)(from - r->s.line_start) + 1;
    }
}

/* A port of an entry, which is at r->s.at. */
static ik_status multicast_read_port(multicast_reading *r, multicast_entry *entry, ik_error *err)
{
    const char *from = r->s.at;
    uint64_t port = 0;
    if (r->s.end - from < 3 || from[1] != 'x' || !scan_hex(&r->s, &port) || port > IK_PORT_NUMBER ||
        (r->s.at < r->s.end && *r->s.at != ' ' && *r->s.at != '\t')) {
        r->s.at = from;
        return scan_fail(&r->s, err, "expected a port, from 0x000 to 0x%03X", IK_PORT_NUMBER);
    }
    multicast_put(r, entry, (unsigned)port, from);
    return IK_OK;
}

static ik_status multicast_read_ports(multicast_reading *r, multicast_entry *entry, ik_error *err)
{
    ik_status status = IK_OK;
    scan_blanks(&r->s);
    if (!scan_char(&r->s, ':'))
        return scan_fail(&r->s, err, "expected ':' and the ports of the group");
    for (scan_blanks(&r->s); status == IK_OK && r->s.at < r->s.end; scan_blanks(&r->s))
        status = multicast_read_port(r, entry, err);
    return status;
}

static ik_status multicast_read_columns(multicast_reading *r, multicast_entry *entry, ik_error *err)
{
    enum { FIRST = 12 };
    for (; r->s.at < r->s.end; r->s.at++) {
        size_t column = (size_t)(r->s.at - r->s.line_start);
        if (*r->s.at == 'x' && column >= FIRST && column % 2 == 0 &&
            (column - FIRST) / 2 <= IK_PORT_NUMBER)
            multicast_put(r, entry, (unsigned)(column - FIRST) / 2, r->s.at);
        else if (*r->s.at != ' ')
            return scan_fail(&r->s, err,
                             "expected an x in the columns of the group's ports, as dump_fts -M "
                             "prints them (without -n)");
    }
    return IK_OK;
}

static ik_status multicast_read_entry(multicast_reading *r, ik_error *err)
{
    const char *from = r->s.at;
    uint64_t lid = 0;
    multicast_entry entry = {.sw = r->sw, .line = r->s.line};
    ik_status status = IK_OK;
    if (r->s.end - from < 3 || from[1] != 'x' || !scan_hex(&r->s, &lid) ||
        lid < MULTICAST_FIRST_LID || lid > MULTICAST_LAST_LID) {
        r->s.at = from;
        return scan_fail(&r->s, err, "expected the LID of a group, from 0x%04X to 0x%04X",
                         MULTICAST_FIRST_LID, MULTICAST_LAST_LID);
    }
    entry.lid = (uint16_t)lid;
    status =
        r->columns ? multicast_read_columns(r, &entry, err) : multicast_read_ports(r, &entry, err);
    if (status == IK_OK && r->s.cut)
        status =
            scan_fail(&r->s, err, "expected the end of the line: the file seems to be cut off");
    if (status != IK_OK || r->sw == IK_NONE)
        return status;
    if (!IK_ARRAY_ROOM(r->t.entries, r->t.cap, r->t.num + 1))
        return ik_fail_memory(err, r->t.num * sizeof entry, "multicast forwarding tables");
    r->t.entries[r->t.num++] = entry;
    return IK_OK;
}

static ik_status multicast_read_line(multicast_reading *r, ik_error *err)
{
    const char *header = tables_line_find_text(r->s.at, r->s.end, "Switch 0x");
    bool columns = tables_line_starts_with(r->s.at, r->s.end, "Multicast mlids [");
    const char *guid = columns ? tables_line_find_text(r->s.at, r->s.end, " guid 0x") : NULL;
    scan_blanks(&r->s);
    if (scan_at_end(&r->s) || *r->s.at == '#')
        return IK_OK;
    if (columns && !guid)
        return scan_fail(&r->s, err, "expected the switch's GUID in the line: ' guid 0x…'");
    if (guid || header)
        return guid ? multicast_read_switch(r, guid + strlen(" guid "), true, err)
                    : multicast_read_switch(r, header + strlen("Switch "), false, err);
    if (r->begun && r->columns &&
        (*r->s.line_start == ' ' || tables_line_find_text(r->s.at, r->s.end, "mlids dumped")))
        return IK_OK; /* columns' titles, counts */
    if (tables_line_starts_with(r->s.at, r->s.end, r->begun ? "LID" : "File version"))
        return IK_OK;
    r->other |= !r->begun;
    if (!r->begun)
        return IK_OK; /* what a program says of itself */
    return multicast_read_entry(r, err);
}

static int multicast_compare(const void *a, const void *b)
{
    const multicast_entry *x = a, *y = b;
    if (x->lid != y->lid)
        return x->lid < y->lid ? -1 : 1;
    if (x->sw != y->sw)
        return x->sw < y->sw ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static ik_status multicast_check(multicast_reading *r, ik_error *err)
{
    const multicast_tables *t = &r->t;
    if (!r->begun && r->other) /* a subnet without groups has an empty file */
        return ik_fail_at(err, IK_ERR_INPUT, r->s.file, 1, 1,
                          "no line 'Switch 0x…' or 'Multicast mlids […' is in it: it is no file of "
                          "multicast forwarding tables (opensm.mcfdbs, ibdiagnet2.mcfdbs, output "
                          "of dump_fts -M)");
    if (t->num == 0 && t->unknown_switches)
        return ik_fail_at(err, IK_ERR_INPUT, r->s.file, 1, 1,
                          "none of its switches is one of this fabric's, the first has GUID "
                          "0x%016llx",
                          (unsigned long long)t->first_unknown);
    for (size_t i = 1; i < t->num; i++)
        if (t->entries[i].lid == t->entries[i - 1].lid && t->entries[i].sw == t->entries[i - 1].sw)
            return ik_fail_at(err, IK_ERR_INPUT, r->s.file, t->entries[i].line, 1,
                              "the switch has another entry for this group in line %u",
                              t->entries[i - 1].line);
    return IK_OK;
}

static ik_status multicast_read_all(const ik_fabric *f, ik_text_lines *lines, multicast_tables *out,
                                    ik_error *err)
{
    multicast_reading r = {.t = {.fabric = f}, .s = {.file = lines->path}};
    bool more = true;
    ik_status status = guid_index_make(f, false, false, &r.index, err);
    while (status == IK_OK) {
        status = ik_text_lines_next(lines, &more, err);
        if (status != IK_OK || !more)
            break;
        r.s = scan_line_of(lines);
        status = multicast_read_line(&r, err);
    }
    if (r.t.num)
        qsort(r.t.entries, r.t.num, sizeof *r.t.entries, multicast_compare);
    if (status == IK_OK)
        status = multicast_check(&r, err);
    guid_index_free(&r.index);
    if (status == IK_OK)
        *out = r.t;
    else
        multicast_free(&r.t);
    return status;
}

ik_status multicast_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                          multicast_tables *out, ik_error *err)
{
    ik_text_lines lines = {0};
    ik_text_lines_memory(&lines, text, size, file);
    ik_status status = multicast_read_all(f, &lines, out, err);
    ik_text_lines_close(&lines);
    return status;
}

ik_status multicast_read(const ik_fabric *f, const char *path, const ik_env *env,
                         multicast_tables *out, ik_error *err)
{
    ik_text_lines lines = {0};
    ik_status status = ik_text_lines_open(&lines, path, env, err);
    if (status == IK_OK)
        status = multicast_read_all(f, &lines, out, err);
    ik_text_lines_close(&lines);
    return status;
}

void multicast_free(multicast_tables *t)
{
    free(t->entries);
    *t = (multicast_tables){0};
}
