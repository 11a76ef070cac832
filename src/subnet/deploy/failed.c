/* SPDX-License-Identifier: Apache-2.0
 *
 * failed.c: a list of what has failed in a fabric: a node or one of its ports per line.
 */
#include "base/array.h"
#include "base/text_lines.h"
#include "format/scan.h"
#include "ikat/deploy.h"

#include <stdlib.h>
#include <string.h>

typedef struct failed_list {
    const ik_fabric *f;
    uint32_t *ports, *switches;
    size_t num_ports, num_switches, ports_cap, switches_cap;
    uint32_t num_lines; /* that name something */
} failed_list;

/* The node of a name or GUID, IK_NONE if there is none; *several: more than one has the name. */
static uint32_t failed_find_node(const ik_fabric *f, slice name, bool *several)
{
    char buffer[300];
    uint64_t guid = 0;
    uint32_t found = IK_NONE;
    scan s = scan_text(name.at, name.length, "");
    bool by_guid = scan_line(&s) && name.length > 2 && name.at[0] == '0' &&
                   (name.at[1] == 'x' || name.at[1] == 'X') && scan_hex(&s, &guid) && s.at == s.end;
    *several = false;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        if (by_guid ? ik_node_guid(f, node) != guid
                    : strlen(ik_node_name(f, node, buffer, sizeof buffer)) != name.length ||
                          memcmp(buffer, name.at, name.length) != 0)
            continue;
        *several = found != IK_NONE;
        found = found == IK_NONE ? node : found;
    }
    return found;
}

static bool failed_add_port(failed_list *l, uint32_t port)
{
    if (!IK_ARRAY_ROOM(l->ports, l->ports_cap, l->num_ports + 1))
        return false;
    l->ports[l->num_ports++] = port;
    return true;
}

/* A whole node: a switch, or all cables of a host. */
static bool failed_add_node(failed_list *l, uint32_t node)
{
    bool room = true;
    if (ik_is_switch(l->f, node)) {
        room = IK_ARRAY_ROOM(l->switches, l->switches_cap, l->num_switches + 1);
        if (room)
            l->switches[l->num_switches++] = node;
        return room;
    }
    for (uint32_t p = l->f->port_base[node]; room && p < l->f->port_base[node + 1]; p++)
        if (l->f->port_peer[p] != IK_NONE)
            room = failed_add_port(l, p);
    return room;
}

static ik_status failed_read_node(failed_list *l, scan *s, slice name, uint32_t *node,
                                  ik_error *err)
{
    bool several = false;
    *node = failed_find_node(l->f, name, &several);
    if (*node == IK_NONE) {
        scan_fail(s, err, "expected the name or GUID of a node of the fabric");
        return ik_hint(err, IK_ERR_INPUT, "a line is NAME, NAME[PORT], 0xGUID or 0xGUID[PORT]");
    }
    if (several)
        return scan_fail(s, err, "several nodes have this name: expected a GUID");
    return IK_OK;
}

static ik_status failed_read_port(failed_list *l, scan *s, uint32_t node, ik_error *err)
{
    char name[256];
    uint64_t number = 0;
    scan before = *s;
    if (!scan_uint(s, UINT16_MAX, &number) || !scan_char(s, ']') || !scan_at_end(s))
        return scan_fail(s, err, "expected [PORT] at the end of the line");
    uint32_t port = ik_port_of_number(l->f, node, (unsigned)number);
    if (port == IK_NONE)
        return scan_fail(&before, err, "expected a port that %.200s has",
                         ik_node_describe(l->f, node, name, sizeof name));
    if (l->f->port_peer[port] == IK_NONE)
        return scan_fail(&before, err, "expected a port that has a cable");
    return failed_add_port(l, port) ? IK_OK : ik_fail_memory(err, 64, "failed links");
}

static ik_status failed_read_line(failed_list *l, scan *s, ik_error *err)
{
    uint32_t node = IK_NONE;
    scan_blanks(s);
    if (s->at == s->end || *s->at == '#')
        return IK_OK;
    while (s->end > s->at && (s->end[-1] == ' ' || s->end[-1] == '\t'))
        s->end--;
    const char *bracket = s->end - 1;
    while (bracket > s->at && *bracket != '[')
        bracket--;
    bool has_port = s->end[-1] == ']' && bracket > s->at;
    slice name = {s->at, (size_t)((has_port ? bracket : s->end) - s->at)};
    ik_status status = failed_read_node(l, s, name, &node, err);
    if (status != IK_OK)
        return status;
    l->num_lines++;
    if (has_port) {
        s->at = bracket + 1;
        return failed_read_port(l, s, node, err);
    }
    return failed_add_node(l, node) ? IK_OK : ik_fail_memory(err, 64, "failed switches");
}

static ik_status failed_read_lines(failed_list *l, ik_text_lines *lines, ik_error *err)
{
    for (;;) {
        bool more = true;
        ik_status status = ik_text_lines_next(lines, &more, err);
        if (status != IK_OK || !more)
            return status;
        if (lines->line == lines->line_end)
            continue;
        scan s = scan_line_of(lines);
        s.cut = false; /* the last line may lack its end */
        status = failed_read_line(l, &s, err);
        if (status != IK_OK)
            return status;
    }
}

static ik_status read_failed(const ik_fabric *f, ik_text_lines *lines, ik_fabric **out,
                             uint32_t *num, ik_error *err)
{
    failed_list l = {.f = f};
    ik_status status = failed_read_lines(&l, lines, err);
    ik_text_lines_close(lines);
    if (status == IK_OK)
        status = ik_fabric_degrade(f, l.ports, l.num_ports, l.switches, l.num_switches, out, err);
    if (status == IK_OK && num)
        *num = l.num_lines;
    free(l.ports);
    free(l.switches);
    return status;
}

ik_status ik_failed_read(const ik_fabric *f, const char *path, const ik_env *env, ik_fabric **out,
                         uint32_t *num, ik_error *err)
{
    ik_text_lines lines;
    ik_status status = ik_text_lines_open(&lines, path, env, err);
    return status == IK_OK ? read_failed(f, &lines, out, num, err) : status;
}

ik_status ik_failed_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                          ik_fabric **out, uint32_t *num, ik_error *err)
{
    ik_text_lines lines;
    ik_text_lines_memory(&lines, text, size, file);
    return read_failed(f, &lines, out, num, err);
}
