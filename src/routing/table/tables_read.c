/* SPDX-License-Identifier: Apache-2.0
 *
 * tables_read.c: reads forwarding tables line by line and matches them with a fabric.
 *
 * A subnet manager loads nearly anything; here malformed lines, ports that a switch does not have
 * and entries that contradict each other are refused with their place. What the fabric does not
 * know is counted: tables outlive hosts. Entries to ports without a cable are kept: proofs are to
 * find them.
 *
 * Most lines are those of the switch before but for their port: these are compared with them, and
 * only the others are scanned.
 *
 * A line's port GUID counts before its LID, for LIDs may have been given anew since. Of several
 * entries of a block for one LID of the fabric that counts which agrees in most: in both, in the
 * GUID, in the LID alone. With LMC > 0 the LIDs of a port follow each other from a multiple of
 * their number on, so that the lower bits of a line's LID say which path it is.
 */
#include "base/text_lines.h"
#include "ikat/lids.h"
#include "routing/table/tables_far.h"

#include <stdlib.h>
#include <string.h>

/* How an entry was matched, by rising weight. */
enum match { UNMATCHED, BY_LID, BY_GUID, BY_BOTH };

/* The destination of an entry, and the line that named it last, but for its port: at most switches
 * the same, behind that of the same LID. */
typedef struct destination {
    uint64_t guid;   /* of the line, 0 = none */
    uint32_t index;  /* of the LID, IK_NONE if the fabric has none */
    uint8_t how;     /* enum match */
    uint8_t size;    /* of the line, with its end; 0 = none is known */
    uint16_t behind; /* LID of the line behind it */
    char line[128];
} destination;

enum { HEADER = 1 << 16 }; /* place of what is behind a header */

typedef struct reader {
    const ik_lids *lids;
    const char *file;
    unsigned line;
    bool reporting; /* of ports that a switch has not: they are counted */
    ik_lid_tables tables;
    ik_tables_matched m;
    bool in_block;
    uint32_t sw; /* of the block, IK_NONE = unknown to the fabric */
    uint8_t *row;
    bool again;             /* the switch had a block before */
    uint32_t top_lid;       /* that dump_fts would leave out, 0 = none; the block lacks it so far */
    bool has_port[256];     /* of the block's switch, by printed number */
    uint8_t *weight;        /* [lids->num] of what the block has for a LID */
    bool *named;            /* [lids->num] some switch has an entry */
    unsigned *block_line;   /* [switches] of a switch's first block, 0 = none */
    uint64_t unknown[1024]; /* set of LIDs that nothing matched */
    destination *to;        /* [HEADER + 1] by LID */
    uint32_t last;          /* LID of the last entry, HEADER */
    tables_far far;
} reader;

/* ---- blocks */

/* dump_fts and ibroute print LIDs in blocks of 64 and stop before the last if it begins a block. */
static void tables_read_end_block(reader *rd)
{
    if (rd->top_lid && !rd->m.missing_last_lid)
        rd->m.missing_last_lid = rd->top_lid;
    rd->top_lid = 0;
}

static void tables_read_know_ports(reader *rd)
{
    const ik_fabric *f = rd->lids->fabric;
    memset(rd->has_port, 0, sizeof rd->has_port);
    rd->has_port[IK_PORT_SELF] = true;
    for (uint32_t port = f->port_base[rd->sw]; port < f->port_base[rd->sw + 1]; port++)
        if (ik_port_number(f, port) <= IK_PORT_NUMBER)
            rd->has_port[ik_port_number(f, port)] = true;
}

static ik_status tables_read_begin_block(reader *rd, const tables_line *l, ik_error *err)
{
    static const char *const formats[] = {"OpenSM", "dump_fts", "fdbs", "far"};
    uint32_t index = ik_lids_find_guid(rd->lids, l->switch_guid);
    bool known = index != IK_NONE && rd->lids->of[index].port == IK_NONE;
    tables_read_end_block(rd);
    rd->in_block = true;
    rd->last = HEADER;
    rd->m.format = formats[l->format];
    rd->m.switches++;
    rd->m.zero_switches += l->switch_lid == 0;
    rd->sw = known ? rd->lids->of[index].node : IK_NONE;
    if (l->format == TABLES_FAR)
        tables_far_begin(&rd->far, rd->sw, rd->has_port);
    else
        rd->far.section = FAR_NONE;
    if (!known) {
        if (!rd->m.unknown_switches++)
            rd->m.first_unknown_switch = l->switch_guid;
        return IK_OK;
    }
    if (l->format == TABLES_DUMP_FTS && l->top_lid != IK_NONE && l->top_lid % 64 == 0)
        rd->top_lid = l->top_lid;
    rd->again = rd->block_line[rd->sw] != 0;
    if (rd->again && (l->format == TABLES_FAR || rd->far.groups)) {
        ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, 1,
                   "the switch has another table in line %u", rd->block_line[rd->sw]);
        return ik_hint(err, IK_ERR_INPUT, "a file holds the tables of one fabric at one time");
    }
    if (!rd->again)
        rd->block_line[rd->sw] = rd->line;
    rd->row = ik_lid_tables_row(&rd->tables, rd->sw);
    memset(rd->weight, UNMATCHED, rd->lids->num);
    tables_read_know_ports(rd);
    return IK_OK;
}

/* ---- entries */

/* Index of the LID that an entry is for, IK_NONE if the fabric has none. A LID that ikat gave says
 * nothing about tables of a subnet manager: of a port with a GUID, it had another one there. */
static uint32_t tables_read_match(const reader *rd, const tables_line *l, uint64_t guid,
                                  enum match *how)
{
    uint32_t by_lid = ik_lids_find(rd->lids, l->lid);
    *how = BY_LID;
    if (by_lid != IK_NONE && !guid && rd->lids->of[by_lid].made && rd->lids->fabric->node_guid)
        return IK_NONE;
    if (!guid)
        return by_lid;
    if (by_lid != IK_NONE && rd->lids->of[by_lid].guid == guid) {
        *how = BY_BOTH;
        return by_lid;
    }
    uint32_t base = ik_lids_find_guid(rd->lids, guid);
    if (base == IK_NONE)
        return by_lid != IK_NONE && rd->lids->of[by_lid].made ? IK_NONE : by_lid;
    *how = BY_GUID;
    return base + (l->lid & (ik_lids_paths(rd->lids, base) - 1));
}

static void tables_read_count_unknown(reader *rd, uint32_t lid)
{
    uint64_t *word = &rd->unknown[lid / 64], bit = UINT64_C(1) << lid % 64;
    rd->m.unknown_entries++;
    if (lid == 0 || *word & bit)
        return;
    *word |= bit;
    if (!rd->m.unknown_lids++)
        rd->m.first_unknown_lid = lid;
}

static ik_status tables_read_contradicts(const reader *rd, const tables_line *l, uint32_t index,
                                         ik_error *err)
{
    char name[160];
    ik_node_describe(rd->lids->fabric, rd->sw, name, sizeof name);
    if (rd->again)
        ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, l->port_column,
                   "%s has two tables that differ: port %u for LID %u here, port %u in its block "
                   "of line %u",
                   name, l->port, l->lid, rd->row[index], rd->block_line[rd->sw]);
    else
        ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, l->port_column,
                   "%s has two entries for LID %u: port %u and port %u", name, l->lid,
                   rd->row[index], l->port);
    return ik_hint(err, IK_ERR_INPUT, "a file holds the tables of one fabric at one time");
}

static inline void tables_read_count(reader *rd, uint64_t guid, uint32_t index, enum match how)
{
    rd->m.entries++;
    *(how == BY_LID ? &rd->m.by_lid : &rd->m.by_guid) += 1;
    rd->m.guid_disagrees += how == BY_LID && guid;
    rd->named[index] = true;
}

/* Takes an entry into the block's row, or leaves it out where a better one has been there. */
static ik_status tables_read_take(reader *rd, const tables_line *l, uint64_t guid, uint32_t index,
                                  enum match how, ik_error *err)
{
    const ik_lid *of = &rd->lids->of[index];
    uint8_t *slot = &rd->row[index], *weight = &rd->weight[index];
    bool differs = *slot != l->port && (*slot != IK_PORT_NONE || *weight == how);
    uint16_t *group =
        rd->far.groups ? &rd->far.groups->of[(size_t)rd->sw * rd->lids->num + index] : NULL;
    if (*weight > how || (*weight == how && how == BY_GUID)) {
        rd->m.extra_paths++;
        return IK_OK;
    }
    if (differs && (*weight == how || (rd->again && *weight == UNMATCHED)))
        return tables_read_contradicts(rd, l, index, err);
    if (group && *group != l->group && *weight == how)
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, l->port_column,
                          "the switch has two entries for LID %u with different groups", l->lid);
    if (*weight != UNMATCHED) {
        rd->m.extra_paths += *weight != how;
    } else {
        tables_read_count(rd, guid, index, how);
        rd->m.self_entries +=
            l->port == IK_PORT_SELF && (of->port != IK_NONE || of->node != rd->sw);
    }
    *weight = (uint8_t)how;
    *slot = (uint8_t)l->port;
    if (group)
        *group = l->group;
    return IK_OK;
}

/* An entry with a port that the switch has not: refused, or left out and counted. */
static ik_status tables_read_wrong_port(reader *rd, const tables_line *l, ik_error *err)
{
    char name[128];
    if (!rd->reporting)
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, l->port_column,
                          "%s has no port %u, but %s",
                          ik_node_describe(rd->lids->fabric, rd->sw, name, sizeof name), l->port,
                          IK_COUNT(ik_radix(rd->lids->fabric, rd->sw), "port"));
    if (rd->m.wrong_ports++ == 0) {
        rd->m.wrong_switch = rd->sw;
        rd->m.wrong_port = l->port;
        rd->m.wrong_line = rd->line;
        rd->m.wrong_column = l->port_column;
    }
    return IK_OK;
}

static ik_status tables_read_entry(reader *rd, const tables_line *l, const destination *to,
                                   ik_error *err)
{
    if (!rd->in_block) {
        ik_fail_at(err, IK_ERR_INPUT, rd->file, rd->line, 1,
                   "an entry before any 'Unicast lids … of switch' header");
        return ik_hint(err, IK_ERR_INPUT,
                       "opensm.fdbs has 'dump_ucast_routes: Switch 0x…' instead, ibdiagnet2.far "
                       "'Switch 0x…'");
    }
    rd->m.zero_lids += l->lid == 0;
    if (rd->sw == IK_NONE)
        return IK_OK;
    if (l->lid == rd->top_lid)
        rd->top_lid = 0;
    if (l->port == IK_PORT_NONE && !l->group)
        return IK_OK;
    if (l->port != IK_PORT_NONE && !rd->has_port[l->port])
        return tables_read_wrong_port(rd, l, err);
    if (to->index != IK_NONE)
        return tables_read_take(rd, l, to->guid, to->index, (enum match)to->how, err);
    rd->m.zero_lost += l->lid == 0;
    tables_read_count_unknown(rd, l->lid);
    return IK_OK;
}

/* ---- lines that were there before */

/* The port in its three digits; above IK_PORT_NONE: there are none. */
static unsigned tables_read_digits(const char *at)
{
    unsigned a = (unsigned)(at[0] - '0'), b = (unsigned)(at[1] - '0'), c = (unsigned)(at[2] - '0');
    return a > 9 || b > 9 || c > 9 ? IK_PORT_NONE + 1 : 100 * a + 10 * b + c;
}

/* Notes the destination of the entry at hand, and its line where the port is in its usual place. */
static const destination *tables_read_learn(reader *rd, const ik_text_lines *lines,
                                            const tables_line *l)
{
    destination *to = &rd->to[l->lid];
    enum match how = UNMATCHED;
    size_t length = (size_t)(lines->line_end - lines->line);
    rd->to[rd->last].behind = (uint16_t)l->lid;
    rd->last = l->lid;
    to->guid = l->rest ? tables_line_guid(l->rest, l->end) : 0;
    to->index = tables_read_match(rd, l, to->guid, &how);
    to->how = (uint8_t)how;
    bool usual = rd->far.section == FAR_NONE && l->lid && to->index != IK_NONE &&
                 l->port_column == TABLES_PORT_AT + 1 &&
                 l->rest == lines->line + TABLES_PORT_AT + TABLES_PORT_DIGITS &&
                 tables_read_digits(lines->line + TABLES_PORT_AT) == l->port && !lines->cut &&
                 *lines->line_end == '\n' && length < sizeof to->line;
    to->size = usual ? (uint8_t)(length + 1) : 0;
    if (usual)
        memcpy(to->line, lines->line, length + 1);
    return to;
}

/* The port of a line if it is, but for that, the one of an earlier block; else IK_PORT_NONE. */
static inline unsigned tables_read_compare(const char *line, const char *end, const destination *to)
{
    enum { BEHIND = TABLES_PORT_AT + TABLES_PORT_DIGITS };
    if (to->size == 0 || end - line < to->size || memcmp(line, to->line, TABLES_PORT_AT) != 0 ||
        memcmp(line + BEHIND, to->line + BEHIND, to->size - (size_t)BEHIND) != 0)
        return IK_PORT_NONE;
    unsigned port = tables_read_digits(line + TABLES_PORT_AT);
    return port < IK_PORT_NONE ? port : IK_PORT_NONE;
}

/* Takes the lines that come next, as long as each is the one that was behind the line before it in
 * an earlier block, and nothing else is to be said about it. The others are scanned. */
static void tables_read_known(reader *rd, ik_text_lines *lines)
{
    const char *start = lines->text + lines->at, *at = start, *end = lines->text + lines->used;
    uint8_t *row = rd->row, *weight = rd->weight;
    uint32_t lid = rd->to[rd->last].behind;
    while (rd->sw != IK_NONE && rd->far.section == FAR_NONE && lid != rd->top_lid) {
        const destination *to = &rd->to[lid];
        unsigned port = tables_read_compare(at, end, to);
        if (port == IK_PORT_NONE || port == IK_PORT_SELF || !rd->has_port[port] ||
            weight[to->index] != UNMATCHED || row[to->index] != IK_PORT_NONE)
            break;
        weight[to->index] = to->how;
        row[to->index] = (uint8_t)port;
        tables_read_count(rd, to->guid, to->index, (enum match)to->how);
        at += to->size;
        lines->number++;
        rd->last = lid;
        lid = to->behind;
    }
    ik_text_lines_skip(lines, (size_t)(at - start));
}

/* ---- the file */

static ik_status tables_read_lines(reader *rd, ik_text_lines *lines, ik_error *err)
{
    for (;;) {
        bool more;
        tables_line l;
        tables_read_known(rd, lines);
        ik_status status = ik_text_lines_next(lines, &more, err);
        if (status != IK_OK || !more)
            return status;
        rd->line = lines->number;
        const char *at = lines->line, *end = lines->line_end;
        status = tables_far_has_line(&rd->far, at, end)
                     ? tables_far_read_line(&rd->far, at, end, rd->file, rd->line, &l, err)
                     : tables_read_line(at, end, rd->file, rd->line, &l, err);
        if (status == IK_OK && l.kind == TABLES_ENTRY)
            status = tables_read_entry(rd, &l, tables_read_learn(rd, lines, &l), err);
        else if (status == IK_OK && l.kind == TABLES_HEADER)
            status = tables_read_begin_block(rd, &l, err);
        if (status != IK_OK)
            return status;
    }
}

static void tables_read_count_missing(reader *rd)
{
    const ik_lids *lids = rd->lids;
    rd->m.first_missing_switch = rd->m.first_unnamed = IK_NONE;
    for (uint32_t sw = 0; sw < lids->fabric->num_switches; sw++)
        if (!rd->block_line[sw] && !rd->m.missing_switches++)
            rd->m.first_missing_switch = sw;
    for (uint32_t i = 0; i < lids->num; i++) {
        if (lids->of[i].port == IK_NONE || lids->of[i].path)
            continue;
        bool named = false;
        for (uint32_t p = 0; p < ik_lids_paths(lids, i); p++)
            named |= rd->named[i + p];
        rd->m.num_hosts++;
        if (!named && !rd->m.unnamed_hosts++)
            rd->m.first_unnamed = i;
    }
}

/* Tables that know nothing of the fabric are those of another one. */
static ik_status tables_read_check_fit(const reader *rd, ik_error *err)
{
    const ik_tables_matched *m = &rd->m;
    if (m->switches == 0)
        return ik_fail_at(err, IK_ERR_INPUT, rd->file, 1, 0,
                          "there is no 'Unicast lids … of switch' header in this file, and no "
                          "'Switch 0x…'");
    if (m->unknown_switches == m->switches) {
        ik_fail_at(err, IK_ERR_INPUT, rd->file, 1, 0,
                   "none of the %s in this file is in the fabric; the first has GUID "
                   "0x%016llx",
                   IK_COUNT(m->unknown_switches, "switch"),
                   (unsigned long long)m->first_unknown_switch);
        return ik_hint(err, IK_ERR_INPUT, "these are tables of another fabric");
    }
    if (m->num_hosts == 0 || m->unnamed_hosts < m->num_hosts)
        return IK_OK;
    char name[160];
    const ik_lid *first = &rd->lids->of[m->first_unnamed];
    if (first->made && rd->lids->fabric->node_guid) {
        ik_fail_at(err, IK_ERR_INPUT, rd->file, 1, 0,
                   "it is unknown for which of the %s an entry is: the fabric gives them no "
                   "LIDs, and the file no port GUIDs that are the fabric's",
                   IK_COUNT(m->num_hosts, "host"));
        return ik_hint(err, IK_ERR_INPUT,
                       "a dump of ibnetdiscover has the LIDs, file:path=...,guid2lid=FILE takes "
                       "those that OpenSM has stored, and opensm-lfts.dump has port GUIDs");
    }
    ik_fail_at(err, IK_ERR_INPUT, rd->file, 1, 0,
               "no entry is for any of the %s of the fabric, neither by port GUID nor by LID: "
               "%u other destinations, the first LID %u; the fabric's first host, %s, has LID %u "
               "and GUID 0x%016llx",
               IK_COUNT(m->num_hosts, "host"), m->unknown_lids, m->first_unknown_lid,
               ik_node_describe(rd->lids->fabric, first->node, name, sizeof name), first->lid,
               (unsigned long long)first->guid);
    return ik_hint(err, IK_ERR_INPUT,
                   "tables and fabric must be of the same subnet: take both with ibnetdiscover and "
                   "dump_fts (or OpenSM's dump) at the same time");
}

static ik_status tables_read_begin(reader *rd, const ik_env *env, ik_error *err)
{
    size_t num = rd->lids->num, switches = rd->lids->fabric->num_switches;
    rd->weight = ik_calloc(num + 1, sizeof *rd->weight);
    rd->named = ik_calloc(num + 1, sizeof *rd->named);
    rd->block_line = ik_calloc(switches + 1, sizeof *rd->block_line);
    rd->to = ik_calloc(HEADER + 1, sizeof *rd->to);
    rd->last = HEADER;
    return rd->weight && rd->named && rd->block_line && rd->to
               ? ik_lid_tables_new(rd->lids, env, &rd->tables, err)
               : ik_fail_memory(err, 2 * num + 4 * switches + (sizeof *rd->to << 16),
                                "forwarding tables");
}

static ik_status tables_read_all(const ik_lids *lids, ik_text_lines *lines, bool reporting,
                                 tables_groups *groups, const ik_env *env, ik_lid_tables *out,
                                 ik_tables_matched *matched, ik_error *err)
{
    reader rd = {.lids = lids,
                 .file = lines->path,
                 .reporting = reporting,
                 .sw = IK_NONE,
                 .far = {.groups = groups, .lids = lids}};
    ik_status status = tables_read_begin(&rd, env, err);
    if (status == IK_OK)
        status = tables_read_lines(&rd, lines, err);
    tables_read_end_block(&rd);
    if (status == IK_OK) {
        tables_read_count_missing(&rd);
        status = tables_read_check_fit(&rd, err);
    }
    free(rd.weight);
    free(rd.named);
    free(rd.block_line);
    free(rd.to);
    free(rd.far.index_of);
    if (status != IK_OK) {
        ik_lid_tables_free(&rd.tables);
        return status;
    }
    *out = rd.tables;
    if (matched)
        *matched = rd.m;
    return IK_OK;
}

static ik_status tables_read_file(const ik_lids *lids, const char *path, bool reporting,
                                  tables_groups *groups, const ik_env *env, ik_lid_tables *out,
                                  ik_tables_matched *matched, ik_error *err)
{
    ik_text_lines lines;
    ik_status status = ik_text_lines_open(&lines, path, env, err);
    if (status != IK_OK)
        return status;
    status = tables_read_all(lids, &lines, reporting, groups, env, out, matched, err);
    ik_text_lines_close(&lines);
    return status;
}

ik_status ik_lid_tables_read(const ik_lids *lids, const char *path, const ik_env *env,
                             ik_lid_tables *out, ik_tables_matched *matched, ik_error *err)
{
    return tables_read_file(lids, path, false, NULL, env, out, matched, err);
}

ik_status ik_lid_tables_read_reporting(const ik_lids *lids, const char *path, const ik_env *env,
                                       ik_lid_tables *out, ik_tables_matched *matched,
                                       ik_error *err)
{
    return tables_read_file(lids, path, true, NULL, env, out, matched, err);
}

ik_status ik_lid_tables_parse(const ik_lids *lids, const char *text, size_t size, const char *file,
                              ik_lid_tables *out, ik_tables_matched *matched, ik_error *err)
{
    ik_text_lines lines;
    ik_text_lines_memory(&lines, text, size, file);
    return tables_read_all(lids, &lines, false, NULL, NULL, out, matched, err);
}

ik_status tables_read_adaptive(const ik_lids *lids, const char *path, const ik_env *env,
                               ik_lid_tables *out, tables_groups *groups,
                               ik_tables_matched *matched, ik_error *err)
{
    ik_status status = tables_groups_new(lids, env, groups, err);
    if (status == IK_OK)
        status = tables_read_file(lids, path, false, groups, env, out, matched, err);
    if (status != IK_OK)
        tables_groups_free(groups);
    return status;
}

ik_status tables_parse_adaptive(const ik_lids *lids, const char *text, size_t size,
                                const char *file, ik_lid_tables *out, tables_groups *groups,
                                ik_tables_matched *matched, ik_error *err)
{
    ik_text_lines lines;
    ik_status status = tables_groups_new(lids, NULL, groups, err);
    ik_text_lines_memory(&lines, text, size, file);
    if (status == IK_OK)
        status = tables_read_all(lids, &lines, false, groups, NULL, out, matched, err);
    if (status != IK_OK)
        tables_groups_free(groups);
    return status;
}
