/* SPDX-License-Identifier: Apache-2.0
 *
 * tables_line.c: what one line of a file of forwarding tables says. Three texts are read here, and
 * what is particular to a fourth in tables_far.c:
 *
 *   Unicast lids [0-44] of switch Lid 2 guid 0x2c90200000001 ('leaf'):     OpenSM's dump, and what
 *   0x0001 001 # Channel Adapter portguid 0x2c90300000002: 'node1'         it loads
 *
 *   Unicast lids [0x0-0x2c] of switch DR path ... guid 0x2c9... (leaf):    dump_fts; ibroute prints
 *   0x0001 008 : (Channel Adapter portguid 0x2c90300000002: 'node1')       `Lid 2` for the path
 *
 *   dump_ucast_routes: Switch 0x2c90200000001                              opensm.fdbs
 *   0x0001 : 001  : 01   : yes
 *
 * Lines are many and alike: entries are recognised by their first character and scanned once.
 */
#include "routing/table/tables_line.h"

#include "ikat/lids.h"

#include <string.h>

enum { MAX_LINE = 1023 };

bool tables_line_read_number(const char **p, const char *end, uint64_t limit, uint64_t *value)
{
    const char *c = *p;
    unsigned base = 10;
    if (end - c > 2 && c[0] == '0' && (c[1] | 32) == 'x') {
        base = 16;
        c += 2;
    }
    const char *start = c;
    uint64_t v = 0, most = base == 16 ? limit / 16 : limit / 10; /* no division per digit */
    for (; c < end; c++) {
        unsigned digit = (unsigned)(*c - '0');
        if (digit > 9)
            digit = (unsigned)((*c | 32) - 'a') + 10;
        if (digit >= base || (digit > 9 && (*c | 32) < 'a'))
            break;
        if (v > most || v * base > limit - digit)
            return false;
        v = v * base + digit;
    }
    if (c == start)
        return false;
    *p = c;
    *value = v;
    return true;
}

const char *tables_line_find_text(const char *from, const char *end, const char *text)
{
    size_t length = strlen(text);
    while ((size_t)(end - from) >= length &&
           (from = memchr(from, text[0], (size_t)(end - from) - length + 1))) {
        if (memcmp(from, text, length) == 0)
            return from;
        from++;
    }
    return NULL;
}

bool tables_line_starts_with(const char *line, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - line) >= length && memcmp(line, text, length) == 0;
}

/* The number behind `text`, wherever that stands in the line. */
static bool tables_line_number_behind(const char *line, const char *end, const char *text,
                                      uint64_t limit, uint64_t *value)
{
    const char *at = tables_line_find_text(line, end, text);
    if (!at)
        return false;
    at += strlen(text);
    return tables_line_read_number(&at, end, limit, value);
}

/* `[0-44]` or `[0x0-0x2c]`. */
static void tables_line_read_range(const char *line, const char *end, tables_line *out)
{
    uint64_t first, last;
    const char *at = tables_line_find_text(line, end, "[");
    if (!at)
        return;
    at++;
    if (tables_line_read_number(&at, end, 0xFFFF, &first) && at < end && *at++ == '-' &&
        tables_line_read_number(&at, end, 0xFFFF, &last))
        out->top_lid = (uint32_t)last;
}

static ik_status tables_line_read_header(const char *line, const char *end, const char *file,
                                         unsigned number, tables_line *out, ik_error *err)
{
    uint64_t lid;
    *out = (tables_line){.kind = TABLES_HEADER, .switch_lid = IK_NONE, .top_lid = IK_NONE};
    if (!tables_line_number_behind(line, end, " guid ", UINT64_MAX, &out->switch_guid))
        return ik_fail_at(err, IK_ERR_INPUT, file, number, 1,
                          "a switch's header needs ' guid 0x…'");
    if (tables_line_number_behind(line, end, "switch Lid ", 0xFFFF, &lid))
        out->switch_lid = (uint32_t)lid;
    tables_line_read_range(line, end, out);
    /* OpenSM counts the range in decimal digits, the other two in hexadecimal ones */
    out->format = tables_line_find_text(line, end, "[0x") ? TABLES_DUMP_FTS : TABLES_OPENSM;
    return IK_OK;
}

static ik_status read_fdbs_header(const char *line, const char *end, const char *file,
                                  unsigned number, tables_line *out, ik_error *err)
{
    *out = (tables_line){
        .kind = TABLES_HEADER, .format = TABLES_FDBS, .switch_lid = IK_NONE, .top_lid = IK_NONE};
    if (tables_line_number_behind(line, end, "Switch ", UINT64_MAX, &out->switch_guid))
        return IK_OK;
    return ik_fail_at(err, IK_ERR_INPUT, file, number, 1, "expected 'Switch 0x…' with its GUID");
}

const char *tables_line_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

uint64_t tables_line_guid(const char *at, const char *end)
{
    static const char word[] = "portguid";
    uint64_t guid = 0;
    const char *found = tables_line_find_text(at, end, word);
    if (!found)
        return 0;
    found = tables_line_skip_blanks(found + sizeof word - 1, end);
    return tables_line_read_number(&found, end, UINT64_MAX, &guid) ? guid : 0;
}

/* `at` is behind the LID and blanks. */
static ik_status tables_line_read_port(const char *line, const char *at, const char *end,
                                       const char *file, unsigned number, tables_line *out,
                                       ik_error *err)
{
    uint64_t port = 0;
    if (at < end && *at == ':') { /* opensm.fdbs */
        at = tables_line_skip_blanks(at + 1, end);
        if (tables_line_starts_with(at, end, "UNREACHABLE")) {
            out->port = IK_PORT_NONE;
            return IK_OK;
        }
    }
    out->port_column = (unsigned)(at - line) + 1;
    if (!tables_line_read_number(&at, end, IK_PORT_NONE, &port) ||
        (at < end && *at != ' ' && *at != '\t' && *at != '#' && *at != ':'))
        return ik_fail_at(err, IK_ERR_INPUT, file, number, out->port_column,
                          "expected a port from 0 to 255 after the LID");
    out->port = (uint32_t)port;
    out->rest = at;
    out->end = end;
    return IK_OK;
}

static ik_status tables_line_read_entry(const char *line, const char *at, const char *end,
                                        const char *file, unsigned number, tables_line *out,
                                        ik_error *err)
{
    uint64_t lid = 0;
    *out = (tables_line){.kind = TABLES_ENTRY};
    if (!tables_line_read_number(&at, end, 0xFFFF, &lid))
        return ik_fail_at(err, IK_ERR_INPUT, file, number, (unsigned)(at - line) + 1,
                          "expected a LID up to 0xffff");
    out->lid = (uint32_t)lid;
    return tables_line_read_port(line, tables_line_skip_blanks(at, end), end, file, number, out,
                                 err);
}

/* Titles of columns, and counts. */
static bool tables_line_is_title(const char *at, const char *end)
{
    return tables_line_starts_with(at, end, "Lid") || tables_line_starts_with(at, end, "Port") ||
           tables_line_starts_with(at, end, "LID ") ||
           tables_line_starts_with(at, end, "PLFT_NUM: 0") ||
           tables_line_starts_with(at, end, "File version:") ||
           tables_line_find_text(at, end, "lids dumped");
}

ik_status tables_read_line(const char *line, const char *end, const char *file, unsigned number,
                           tables_line *out, ik_error *err)
{
    if (end - line > MAX_LINE)
        return ik_fail_at(err, IK_ERR_INPUT, file, number, MAX_LINE,
                          "the line has %zu characters; %d is the maximum", (size_t)(end - line),
                          MAX_LINE);
    const char *at = tables_line_skip_blanks(line, end);
    out->kind = TABLES_NOTHING;
    if (at == end || *at == '#')
        return IK_OK;
    if (tables_line_starts_with(at, end, "0x"))
        return tables_line_read_entry(line, at, end, file, number, out, err);
    if (tables_line_find_text(at, end, "Unicast lids"))
        return tables_line_read_header(line, end, file, number, out, err);
    if (tables_line_find_text(at, end, "dump_ucast_routes:"))
        return read_fdbs_header(line, end, file, number, out, err);
    if (tables_line_is_title(at, end))
        return IK_OK;
    if (tables_line_starts_with(at, end, "PLFT_NUM:"))
        return ik_fail_at(
            err, IK_ERR_UNSUPPORTED, file, number, 1,
            "a switch with several forwarding tables (private LFTs) is not supported: "
            "expected 'PLFT_NUM: 0'");
    return ik_fail_at(err, IK_ERR_INPUT, file, number, 1,
                      "expected 'Unicast lids …', '0xLID PORT' or a comment, not '%.*s'",
                      (int)(end - at < 40 ? end - at : 40), at);
}
