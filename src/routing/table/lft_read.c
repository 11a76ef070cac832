/* SPDX-License-Identifier: Apache-2.0
 *
 * lft_read.c: reads forwarding tables as OpenSM and dump_fts print them.
 *
 * A subnet manager loads nearly anything; here malformed lines and ports that a switch does not
 * have are refused with their place. Switches and LIDs that the fabric does not know are passed
 * over (tables outlive hosts), but a file that knows none of its switches is refused. Entries to
 * dead ports are kept: proofs are to find them. */
#include "routing/routing.h"
#include "routing/table/lft_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ROUTE_PORT = 255, MAX_LINE = 1023 };

typedef struct reader {
    const ik_fabric *f;
    const char *file;
    lft_names names;
    uint16_t *lft;
    uint32_t sw; /* of the current block, IK_NONE = unknown to the fabric */
    bool in_block;
    unsigned line;
    uint32_t known, unknown; /* blocks */
    /* with LID 0; lost: not matched by a GUID either */
    uint32_t zero_switches, zero_entries, zero_lost;
} reader;

/* Reads 0x… or decimal digits at *p and moves it behind them. */
static bool read_number(const char **p, const char *end, uint64_t limit, uint64_t *value)
{
    const char *c = *p;
    unsigned base = 10;
    if (end - c > 2 && c[0] == '0' && (c[1] == 'x' || c[1] == 'X')) {
        base = 16;
        c += 2;
    }
    const char *start = c;
    uint64_t v = 0;
    for (; c < end; c++) {
        unsigned digit;
        if (*c >= '0' && *c <= '9')
            digit = (unsigned)(*c - '0');
        else if (base == 16 && ((*c | 32) >= 'a' && (*c | 32) <= 'f'))
            digit = (unsigned)((*c | 32) - 'a') + 10;
        else
            break;
        if (v > (limit - digit) / base)
            return false;
        v = v * base + digit;
    }
    if (c == start)
        return false;
    *p = c;
    *value = v;
    return true;
}

static const char *find_text(const char *from, const char *end, const char *text)
{
    size_t length = strlen(text);
    for (; (size_t)(end - from) >= length; from++)
        if (memcmp(from, text, length) == 0)
            return from;
    return NULL;
}

static ik_status read_header(reader *rd, const char *line, const char *end, ik_error *err)
{
    const char *guid = find_text(line, end, " guid 0x");
    uint64_t value = 0;
    if (guid)
        guid += strlen(" guid ");
    if (!guid || !read_number(&guid, end, UINT64_MAX, &value))
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, 1,
                          "a switch's header needs ' guid 0x…'");
    uint32_t node = lft_node_of_guid(&rd->names, value);
    const char *lid = find_text(line, end, "switch Lid ");
    uint64_t number = 1;
    if (lid) {
        lid += strlen("switch Lid ");
        rd->zero_switches += read_number(&lid, end, 0xFFFF, &number) && number == 0;
    }
    rd->in_block = true;
    rd->sw = node != IK_NONE && ik_is_switch(rd->f, node) ? node : IK_NONE;
    rd->known += rd->sw != IK_NONE;
    rd->unknown += rd->sw == IK_NONE;
    return IK_OK;
}

static uint32_t find_port(const ik_fabric *f, uint32_t sw, uint32_t label)
{
    uint32_t radix = ik_radix(f, sw);
    for (uint32_t local = 0; local < radix; local++)
        if (lft_port_label(f, sw, local) == label)
            return local;
    return IK_NONE;
}

/* The node that an entry is for: by port GUID if the line has one, else by LID. */
static uint32_t entry_node(const reader *rd, uint32_t lid, const char *rest, const char *end)
{
    const char *guid = find_text(rest, end, "portguid 0x");
    uint64_t value = 0;
    if (guid) {
        guid += strlen("portguid ");
        if (read_number(&guid, end, UINT64_MAX, &value))
            return lft_node_of_guid(&rd->names, value);
    }
    return lft_node_of_lid(&rd->names, lid);
}

static ik_status read_entry(reader *rd, const char *line, const char *end, ik_error *err)
{
    const char *p = line;
    uint64_t lid = 0, port = 0;
    if (!read_number(&p, end, 0xFFFF, &lid))
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, 1, "expected a LID up to 0xffff");
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    const char *at = p;
    if (!read_number(&p, end, NO_ROUTE_PORT, &port) ||
        (p < end && *p != ' ' && *p != '\t' && *p != '#' && *p != ':'))
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, (unsigned)(at - line) + 1,
                          "expected a port from 0 to 255 after the LID");
    if (!rd->in_block)
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, 1,
                          "an entry before any 'Unicast lids … of switch' header");
    uint32_t node = rd->sw == IK_NONE ? IK_NONE : entry_node(rd, (uint32_t)lid, p, end);
    rd->zero_entries += lid == 0;
    rd->zero_lost += lid == 0 && rd->sw != IK_NONE && node == IK_NONE;
    if (node == IK_NONE || ik_is_switch(rd->f, node) || port == NO_ROUTE_PORT)
        return IK_OK;
    uint32_t local = find_port(rd->f, rd->sw, (uint32_t)port);
    if (local == IK_NONE) {
        char name[128];
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, (unsigned)(at - line) + 1,
                          "%s has no port %u, but %u ports",
                          ik_node_describe(rd->f, rd->sw, name, sizeof name), (unsigned)port,
                          ik_radix(rd->f, rd->sw));
    }
    rd->lft[(size_t)rd->sw * rd->f->num_hosts + ik_node_host(rd->f, node)] = (uint16_t)local;
    return IK_OK;
}

static bool starts_with(const char *line, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - line) >= length && memcmp(line, text, length) == 0;
}

static ik_status read_line(reader *rd, const char *line, const char *end, ik_error *err)
{
    if (end - line > MAX_LINE)
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, MAX_LINE,
                          "the line has %zu characters; %d is the most", (size_t)(end - line),
                          MAX_LINE);
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (line == end || *line == '#' || *line == '\r')
        return IK_OK;
    if (find_text(line, end, "Unicast lids"))
        return read_header(rd, line, end, err);
    if (starts_with(line, end, "0x"))
        return read_entry(rd, line, end, err);
    /* Column titles and counts that dump_fts prints. */
    if (starts_with(line, end, "Lid") || starts_with(line, end, "Port") ||
        find_text(line, end, "lids dumped"))
        return IK_OK;
    return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, 1,
                      "expected 'Unicast lids …', '0xLID PORT' or a comment, not '%.*s'",
                      (int)(end - line < 40 ? end - line : 40), line);
}

static ik_status read_lines(reader *rd, const char *text, size_t size, ik_error *err)
{
    const char *end = text + size;
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            stop = end;
        rd->line++;
        ik_status status = read_line(rd, line, stop, err);
        if (status != IK_OK)
            return status;
        line = stop + 1;
    }
    if (rd->known)
        return IK_OK;
    if (rd->unknown)
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, 1, 0,
                          "none of the %u switches in this file is in the fabric", rd->unknown);
    return ik_fail_at(err, IK_ERR_INPUT, rd->file, 1, 0,
                      "there is no 'Unicast lids … of switch' header in this file");
}

/* NULL if there are no LIDs of 0. */
static ik_status note_zero_lids(const reader *rd, char **note, ik_error *err)
{
    *note = NULL;
    if (rd->zero_switches + rd->zero_entries == 0)
        return IK_OK;
    size_t size = strlen(rd->file) + 300;
    *note = malloc(size);
    if (!*note)
        return ik_fail_memory(err, size, "a note");
    snprintf(*note, size,
             "%s: LID 0 is no destination, but %u switches and %u entries have it: no subnet "
             "manager had given them one; %u of the entries are passed over, the others are known "
             "by their port GUID",
             rd->file, rd->zero_switches, rd->zero_entries, rd->zero_lost);
    return IK_OK;
}

static ik_status parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                       uint16_t **lft, char **note, ik_error *err)
{
    reader rd = {.f = f, .file = file, .sw = IK_NONE};
    ik_status status = ik_text_begin(&text, &size, file, err);
    if (status == IK_OK)
        status = lft_new(f, NULL, &rd.lft, err);
    if (status == IK_OK)
        status = lft_names_make(f, &rd.names, err);
    if (status == IK_OK)
        status = read_lines(&rd, text, size, err);
    if (status == IK_OK && note)
        status = note_zero_lids(&rd, note, err);
    lft_names_free(&rd.names);
    if (status != IK_OK) {
        free(rd.lft);
        return status;
    }
    *lft = rd.lft;
    return IK_OK;
}

ik_status ik_lft_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                       uint16_t **lft, ik_error *err)
{
    return parse(f, text, size, file, lft, NULL, err);
}

ik_status lft_read_noted(const ik_fabric *f, const char *path, uint16_t **lft, char **note,
                         ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_status status = ik_text_read(path, 0, &text, &size, err);
    if (status != IK_OK)
        return status;
    status = parse(f, text, size, path, lft, note, err);
    free(text);
    return status;
}

ik_status ik_lft_read(const ik_fabric *f, const char *path, uint16_t **lft, ik_error *err)
{
    return lft_read_noted(f, path, lft, NULL, err);
}
