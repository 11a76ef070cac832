/* SPDX-License-Identifier: Apache-2.0
 *
 * tables_far.c: see tables_far.h. */
#include "routing/table/tables_far.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { FAR_NUMBERS = 1 << 16, FAR_LAST = FAR_NUMBERS - 2 }; /* of groups */

static bool tables_far_at_blank(const char *at, const char *end)
{
    return at == end || *at == ' ' || *at == '\t';
}

ik_status tables_groups_new(const ik_lids *lids, const ik_env *env, tables_groups *out,
                            ik_error *err)
{
    size_t switches = lids->fabric->num_switches, entries = switches * lids->num;
    *out = (tables_groups){0};
    ik_status status =
        ik_env_refuse_bytes(env, (double)(entries * sizeof *out->of), "groups of ports", err);
    if (status != IK_OK)
        return status;
    out->first = ik_calloc(switches + 1, sizeof *out->first);
    out->of = ik_calloc(entries + 1, sizeof *out->of);
    if (out->first && out->of)
        return IK_OK;
    tables_groups_free(out);
    return ik_fail_memory(err, entries * sizeof *out->of, "groups of ports");
}

void tables_groups_free(tables_groups *g)
{
    free(g->ports);
    free(g->first);
    free(g->of);
    *g = (tables_groups){0};
}

static bool tables_far_is_header(const char *at, const char *end)
{
    return tables_line_starts_with(at, end, "Switch") &&
           tables_line_starts_with(tables_line_skip_blanks(at + 6, end), end, "0x");
}

bool tables_far_has_line(const tables_far *far, const char *line, const char *end)
{
    return far->section != FAR_NONE ||
           tables_far_is_header(tables_line_skip_blanks(line, end), end);
}

void tables_far_begin(tables_far *far, uint32_t sw, const bool *has_port)
{
    far->sw = sw;
    far->has_port = has_port;
    if (far->groups) {
        far->begun = far->groups->num + 1;
        if (sw != IK_NONE)
            far->groups->first[sw] = far->groups->num;
    }
}

/* ---- groups */

static ik_status tables_far_no_port(const tables_far *far, const char *file, unsigned number,
                                    unsigned column, unsigned port, ik_error *err)
{
    char name[128];
    return ik_fail_at(err, IK_ERR_INPUT, file, number, column, "%s has no port %u, but %s",
                      ik_node_describe(far->lids->fabric, far->sw, name, sizeof name), port,
                      IK_COUNT(ik_radix(far->lids->fabric, far->sw), "port"));
}

/* The set of the group with this number, empty where the block had none; NULL: no memory. */
static tables_ports *tables_far_group(tables_far *far, uint32_t number)
{
    tables_groups *g = far->groups;
    if (!far->index_of && !(far->index_of = ik_calloc(FAR_NUMBERS, sizeof *far->index_of)))
        return NULL;
    if (far->index_of[number] < far->begun) {
        if (!IK_ARRAY_ROOM(g->ports, g->cap, g->num + (size_t)1))
            return NULL;
        g->ports[g->num++] = (tables_ports){0};
        far->index_of[number] = g->num;
    }
    return &g->ports[far->index_of[number] - 1];
}

/* A line `GROUP SUBGROUP WHBF PORT,PORT,…`; the ports of all sub groups are one set. */
static ik_status tables_far_read_group(tables_far *far, const char *line, const char *at,
                                       const char *end, const char *file, unsigned number,
                                       ik_error *err)
{
    uint64_t group = 0, other, port;
    for (int k = 0; k < 3; k++) {
        at = tables_line_skip_blanks(at, end);
        const char *from = at;
        if (!tables_line_read_number(&at, end, FAR_LAST, k == 0 ? &group : &other) ||
            !tables_far_at_blank(at, end))
            return ik_fail_at(err, IK_ERR_INPUT, file, number, (unsigned)(from - line) + 1,
                              "expected the numbers of a group and of its sub group and its weight "
                              "(WHBF), each from 0 to %u, and ports",
                              FAR_LAST);
    }
    if (!far->groups || far->sw == IK_NONE)
        return IK_OK;
    tables_ports *set = tables_far_group(far, (uint32_t)group);
    if (!set)
        return ik_fail_memory(err, FAR_NUMBERS * sizeof *far->index_of, "groups of ports");
    for (at = tables_line_skip_blanks(at, end); at < end;) {
        const char *from = at;
        if (!tables_line_read_number(&at, end, IK_PORT_NUMBER, &port) || port == 0 ||
            (at < end && *at != ',' && *at != ' ' && *at != '\t'))
            return ik_fail_at(err, IK_ERR_INPUT, file, number, (unsigned)(from - line) + 1,
                              "expected the group's ports, from 1 to %u, with commas between them",
                              IK_PORT_NUMBER);
        if (!far->has_port[port])
            return tables_far_no_port(far, file, number, (unsigned)(from - line) + 1,
                                      (unsigned)port, err);
        set->bits[port / 64] |= UINT64_C(1) << port % 64;
        while (at < end && (*at == ',' || *at == ' ' || *at == '\t'))
            at++;
    }
    return IK_OK;
}

/* ---- entries */

static ik_status tables_far_refuse_group(const tables_line *l, const char *file, unsigned number,
                                         unsigned column, const char *state, ik_error *err)
{
    ik_fail_at(err, IK_ERR_UNSUPPORTED, file, number, column,
               "LID %u has no one port, but is routed adaptively (%s)", l->lid, state);
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "'ikat check FABRIC --routing ar:path=%s' proves tables of adaptive routing",
                   file);
}

/* `STATE GROUP` behind an entry's port. */
static ik_status tables_far_read_state(tables_far *far, const char *line, const char *file,
                                       unsigned number, tables_line *l, ik_error *err)
{
    static const char *const states[] = {"Static", "Free", "HBF", "Bounded"};
    if (!l->rest)
        return IK_OK; /* no way to this LID */
    const char *at = tables_line_skip_blanks(l->rest, l->end), *from = at;
    unsigned state = 0, column = (unsigned)(at - line) + 1;
    uint64_t group;
    while (at < l->end && *at != ' ' && *at != '\t')
        at++;
    while (state < 4 && ((size_t)(at - from) != strlen(states[state]) ||
                         memcmp(from, states[state], (size_t)(at - from)) != 0))
        state++;
    if (state == 4)
        return ik_fail_at(err, IK_ERR_INPUT, file, number, column,
                          "expected a state: Static, Free, HBF or Bounded");
    l->rest = l->end; /* no GUID stands there */
    if (state == 0)
        return IK_OK;
    if (!far->groups)
        return tables_far_refuse_group(l, file, number, column, states[state], err);
    at = tables_line_skip_blanks(at, l->end);
    column = (unsigned)(at - line) + 1;
    if (!tables_line_read_number(&at, l->end, FAR_LAST, &group) ||
        tables_line_skip_blanks(at, l->end) != l->end)
        return ik_fail_at(err, IK_ERR_INPUT, file, number, column,
                          "expected a group's number from 0 to %u at the end of the line",
                          FAR_LAST);
    if (far->sw == IK_NONE)
        return IK_OK;
    if (!far->index_of || far->index_of[group] < far->begun) {
        ik_fail_at(err, IK_ERR_INPUT, file, number, column,
                   "the switch has no group %u in its 'Groups Definition'", (unsigned)group);
        return ik_hint(err, IK_ERR_INPUT,
                       "the groups of a switch stand before its entries: is the file complete?");
    }
    l->group = (uint16_t)(far->index_of[group] - far->begun + 1);
    return IK_OK;
}

/* ---- lines */

static ik_status tables_far_read_header(const char *line, const char *at, const char *end,
                                        const char *file, unsigned number, tables_line *out,
                                        ik_error *err)
{
    *out = (tables_line){
        .kind = TABLES_HEADER, .format = TABLES_FAR, .switch_lid = IK_NONE, .top_lid = IK_NONE};
    at = tables_line_skip_blanks(at + 6, end);
    if (!tables_line_read_number(&at, end, UINT64_MAX, &out->switch_guid) ||
        !tables_far_at_blank(at, end))
        return ik_fail_at(err, IK_ERR_INPUT, file, number, (unsigned)(at - line) + 1,
                          "expected the switch's GUID");
    return IK_OK;
}

/* `PLFT_NUM: N` in a line: which of the switch's tables follows. */
static ik_status tables_far_read_plft(const char *line, const char *at, const char *end,
                                      const char *file, unsigned number, ik_error *err)
{
    uint64_t plft = 0;
    at = tables_line_find_text(at, end, "PLFT_NUM:");
    if (!at)
        return IK_OK;
    at = tables_line_skip_blanks(at + 9, end);
    if (tables_line_read_number(&at, end, 255, &plft) && plft == 0)
        return IK_OK;
    ik_fail_at(err, IK_ERR_UNSUPPORTED, file, number, (unsigned)(at - line) + 1,
               "a switch with several forwarding tables (private LFTs) is not supported: expected "
               "'PLFT_NUM: 0'");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "which of them a packet takes depends on the port that it came by and on its "
                   "virtual lane, and that is not in this file");
}

static bool tables_far_is_title(const char *at, const char *end)
{
    return at == end || *at == '#' || tables_line_starts_with(at, end, "--") ||
           tables_line_starts_with(at, end, "Group") || tables_line_starts_with(at, end, "LID");
}

ik_status tables_far_read_line(tables_far *far, const char *line, const char *end, const char *file,
                               unsigned number, tables_line *out, ik_error *err)
{
    const char *at = tables_line_skip_blanks(line, end);
    out->kind = TABLES_NOTHING;
    if (tables_far_is_header(at, end)) {
        far->section = FAR_TITLE;
        return tables_far_read_header(line, at, end, file, number, out, err);
    }
    if (tables_line_starts_with(at, end, "Groups Definition:")) {
        far->section = FAR_GROUPS;
        return IK_OK;
    }
    if (tables_line_starts_with(at, end, "LFT Definition:"))
        far->section = FAR_ENTRIES;
    else if (tables_far_is_title(at, end) ||
             (far->section == FAR_TITLE && !tables_line_starts_with(at, end, "0x")))
        return IK_OK;
    else if (far->section == FAR_TITLE)
        return ik_fail_at(err, IK_ERR_INPUT, file, number, 1,
                          "an entry before the switch's 'LFT Definition:'");
    else if (far->section == FAR_GROUPS)
        return tables_far_read_group(far, line, at, end, file, number, err);
    else if (!tables_line_starts_with(at, end, "PLFT_NUM:")) {
        ik_status status = tables_read_line(line, end, file, number, out, err);
        return status == IK_OK && out->kind == TABLES_ENTRY
                   ? tables_far_read_state(far, line, file, number, out, err)
                   : status;
    }
    return tables_far_read_plft(line, at, end, file, number, err);
}
