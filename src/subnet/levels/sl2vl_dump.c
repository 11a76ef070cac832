/* SPDX-License-Identifier: Apache-2.0
 *
 * sl2vl_dump.c: reads opensm-sl2vl.dump, line by line.
 *
 * A block per switch and adapter port: a header with its GUID, then a line IN OUT : VL VL … with
 * the VLs of the 16 service levels for each pair of ports of a switch (in = 0: what the switch
 * itself sends), and one line `0 0` for an adapter. ibdiagnet2.slvl and files of ibdmchk may have a
 * line GUID IN OUT 0x01 0x23 … instead, with two VLs in each byte. Equal maps are kept once. */
#include "base/hash.h"
#include "base/text_lines.h"
#include "format/scan.h"
#include "subnet/levels/sl2vl.h"

#include <stdlib.h>
#include <string.h>

enum { HOLE = 0, MOST_MAPS = 65535 }; /* map 0: what no line says */

typedef struct dump_reader {
    const ik_fabric *f;
    ik_sl2vl v;
    size_t maps_cap;
    ik_hash hash;      /* maps */
    bool *seen;        /* [nodes of switches, ports of hosts]: [num_switches + num_ports] */
    uint32_t sw, port; /* of the block at hand: a switch, a host's port; IK_NONE */
    bool in_block;
    ik_sl2vl_matched m;
} dump_reader;

/* ---- who is meant */

typedef struct guid_entry {
    uint64_t guid;
    uint32_t sw, port;
} guid_entry;

typedef struct guid_list {
    guid_entry *of; /* ascending by GUID */
    uint32_t num;
} guid_list;

static int sl2vl_dump_by_guid(const void *a, const void *b)
{
    const guid_entry *x = a, *y = b;
    return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* Is this the one port of its host, so that the host's GUID means it, too? */
static bool sl2vl_dump_only_port(const ik_fabric *f, uint32_t port)
{
    uint32_t node = f->port_node[port];
    return ik_radix(f, node) == 1 && ik_node_guid(f, node) != ik_port_guid(f, port);
}

static ik_status sl2vl_dump_list_guids(const ik_fabric *f, guid_list *list, ik_error *err)
{
    size_t room = (size_t)f->num_switches + 2 * (size_t)f->num_ports + 1;
    list->of = ik_calloc(room, sizeof *list->of);
    if (!list->of)
        return ik_fail_memory(err, room * sizeof *list->of, "GUIDs");
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        list->of[list->num++] = (guid_entry){ik_node_guid(f, sw), sw, IK_NONE};
    for (uint32_t p = f->port_base[f->num_switches]; p < f->num_ports; p++)
        if (f->port_peer[p] != IK_NONE) {
            list->of[list->num++] = (guid_entry){ik_port_guid(f, p), IK_NONE, p};
            if (sl2vl_dump_only_port(f, p))
                list->of[list->num++] = (guid_entry){ik_node_guid(f, f->port_node[p]), IK_NONE, p};
        }
    qsort(list->of, list->num, sizeof *list->of, sl2vl_dump_by_guid);
    return IK_OK;
}

static const guid_entry *sl2vl_dump_find_guid(const guid_list *list, uint64_t guid)
{
    guid_entry key = {.guid = guid};
    return list->num ? bsearch(&key, list->of, list->num, sizeof key, sl2vl_dump_by_guid) : NULL;
}

static ik_status sl2vl_dump_read_header(dump_reader *r, const guid_list *guids, scan *s,
                                        ik_error *err)
{
    uint64_t guid = 0;
    scan_blanks(s);
    if (!scan_hex(s, &guid))
        return scan_fail(s, err, "expected the GUID of a switch or of an adapter's port");
    const guid_entry *known = sl2vl_dump_find_guid(guids, guid);
    r->in_block = true;
    r->sw = known ? known->sw : IK_NONE;
    r->port = known ? known->port : IK_NONE;
    if (!known) {
        if (r->m.unknown++ == 0)
            r->m.first_unknown = guid;
        return IK_OK;
    }
    bool *seen = &r->seen[r->sw != IK_NONE ? r->sw : r->f->num_switches + r->port];
    if (!*seen)
        (*(r->sw != IK_NONE ? &r->m.switches : &r->m.hosts))++;
    *seen = true;
    return IK_OK;
}

/* ---- maps */

/* Number of a map, a new one if there is none like it. */
static ik_status sl2vl_dump_number_of(dump_reader *r, const uint8_t *map, uint32_t *number,
                                      ik_error *err)
{
    uint64_t words[2];
    memcpy(words, map, sizeof words);
    uint32_t tag = ik_hash_tag2(words[0], words[1]), id;
    for (size_t at = ik_hash_first(&r->hash, tag);
         (id = ik_hash_find(&r->hash, tag, &at)) != IK_NONE; at++)
        if (memcmp(r->v.map[id], map, IK_NUM_SLS) == 0) {
            *number = id;
            return IK_OK;
        }
    if (r->v.num_maps == MOST_MAPS)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "more than %d different maps", MOST_MAPS);
    if (r->v.num_maps == r->maps_cap) {
        size_t cap = 2 * r->maps_cap;
        uint8_t(*grown)[IK_NUM_SLS] = realloc(r->v.map, cap * sizeof *grown);
        if (!grown)
            return ik_fail_memory(err, cap * sizeof *grown, "maps of service levels");
        r->v.map = grown;
        r->maps_cap = cap;
    }
    if (!ik_hash_add(&r->hash, tag, r->v.num_maps))
        return ik_fail_memory(err, 1024, "maps of service levels");
    memcpy(r->v.map[r->v.num_maps], map, IK_NUM_SLS);
    *number = r->v.num_maps++;
    return IK_OK;
}

/* A printed port of the switch at hand as its place in map_of: 0 = port 0, else local port + 1;
 * IK_NONE = it has none. */
static uint32_t sl2vl_dump_place_of(const dump_reader *r, uint64_t number)
{
    uint32_t port = number ? ik_port_of_number(r->f, r->sw, (unsigned)number) : IK_NONE;
    return number == 0 ? 0 : port == IK_NONE ? IK_NONE : ik_port_local(r->f, port) + 1;
}

static ik_status sl2vl_dump_read_ports(dump_reader *r, scan *s, bool packed, uint32_t place[2],
                                       ik_error *err)
{
    char name[256];
    for (unsigned i = 0; i < 2; i++) {
        uint64_t number = 0;
        scan_blanks(s);
        scan before = *s;
        if (!scan_uint(s, 255, &number))
            return scan_fail(s, err, "expected a port from 0 to 255");
        place[i] = r->sw == IK_NONE ? 0 : sl2vl_dump_place_of(r, number);
        if (place[i] == IK_NONE)
            return scan_fail(&before, err, "expected a port that %.200s has",
                             ik_node_describe(r->f, r->sw, name, sizeof name));
    }
    scan_blanks(s);
    return packed || scan_char(s, ':') ? IK_OK
                                       : scan_fail(s, err, "expected ':' behind the two ports");
}

static ik_status sl2vl_dump_read_map(scan *s, bool packed, uint8_t *map, ik_error *err)
{
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl += packed ? 2 : 1) {
        uint64_t vl = 0;
        scan_blanks(s);
        scan before = *s;
        if (packed ? !scan_prefix(&before, "0x") || !scan_hex(s, &vl) || vl > 0xFF
                   : !scan_uint(s, IK_VL_MANAGEMENT, &vl))
            return scan_fail(s, err, "expected the VL of service level %u, 0 to 15%s", sl,
                             packed ? ", and of the next, as 0x01" : "");
        map[sl] = (uint8_t)(packed ? vl >> 4 : vl);
        if (packed)
            map[sl + 1] = (uint8_t)(vl & 0xF);
    }
    return IK_OK;
}

static ik_status sl2vl_dump_read_entry(dump_reader *r, scan *s, bool packed, ik_error *err)
{
    uint8_t map[IK_NUM_SLS];
    uint32_t place[2], number = 0;
    if (!r->in_block)
        return scan_fail(s, err, "expected 'Switch 0x…' or 'Channel Adapter 0x…'");
    ik_status status = sl2vl_dump_read_ports(r, s, packed, place, err);
    if (status == IK_OK)
        status = sl2vl_dump_read_map(s, packed, map, err);
    if (status != IK_OK)
        return status;
    if (!scan_at_end(s))
        return scan_fail(s, err, "expected the end of the line behind 16 VLs");
    if (r->sw == IK_NONE && r->port == IK_NONE)
        return IK_OK;
    status = sl2vl_dump_number_of(r, map, &number, err);
    if (status != IK_OK)
        return status;
    if (r->port != IK_NONE)
        r->v.host_map[r->port] = (uint16_t)number;
    else
        r->v.map_of[r->v.base[r->sw] + (uint64_t)place[0] * (ik_radix(r->f, r->sw) + 1) +
                    place[1]] = (uint16_t)number;
    return IK_OK;
}

static ik_status sl2vl_dump_read_line(dump_reader *r, const guid_list *guids, scan *s,
                                      ik_error *err)
{
    scan_blanks(s);
    if (s->at == s->end || *s->at == '#')
        return IK_OK;
    if (scan_word(s, "Switch"))
        return sl2vl_dump_read_header(r, guids, s, err);
    if (scan_word(s, "Channel") || scan_word(s, "Router")) {
        scan_blanks(s);
        scan_word(s, "Adapter");
        return sl2vl_dump_read_header(r, guids, s, err);
    }
    bool packed = s->end - s->at > 2 && s->at[0] == '0' && s->at[1] == 'x';
    ik_status status = packed ? sl2vl_dump_read_header(r, guids, s, err) : IK_OK;
    return status == IK_OK ? sl2vl_dump_read_entry(r, s, packed, err) : status;
}

/* ---- holes */

static void count_switch_holes(dump_reader *r, uint32_t sw)
{
    const ik_fabric *f = r->f;
    uint32_t ports = ik_radix(f, sw) + 1, base = f->port_base[sw];
    for (uint32_t in = 0; in < ports; in++)
        for (uint32_t out = 1; out < ports; out++) {
            bool used = (in == 0 || f->port_peer[base + in - 1] != IK_NONE) && in != out &&
                        f->port_peer[base + out - 1] != IK_NONE;
            if (!used || r->v.map_of[r->v.base[sw] + (uint64_t)in * ports + out] != HOLE)
                continue;
            if (r->m.holes++ == 0) {
                r->m.first_hole_switch = sw;
                r->m.first_hole_in = in ? ik_port_number(f, base + in - 1) : 0;
                r->m.first_hole_out = ik_port_number(f, base + out - 1);
            }
        }
}

static bool sl2vl_dump_has_cable(const ik_fabric *f, uint32_t sw)
{
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++)
        if (f->port_peer[p] != IK_NONE)
            return true;
    return false;
}

static void sl2vl_dump_count_holes(dump_reader *r)
{
    const ik_fabric *f = r->f;
    r->m.first_hole_switch = IK_NONE;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        r->m.missing_switches += !r->seen[sw] && sl2vl_dump_has_cable(f, sw);
        count_switch_holes(r, sw);
    }
    for (uint32_t p = f->port_base[f->num_switches]; p < f->num_ports; p++)
        r->m.missing_hosts += f->port_peer[p] != IK_NONE && !r->seen[f->num_switches + p];
}

/* ---- reading */

static ik_status sl2vl_dump_read_lines(dump_reader *r, const guid_list *guids, ik_text_lines *l,
                                       ik_error *err)
{
    bool more = true;
    for (;;) {
        ik_status status = ik_text_lines_next(l, &more, err);
        if (status != IK_OK || !more)
            return status;
        if (l->line == l->line_end)
            continue;
        scan s = scan_line_of(l);
        status = sl2vl_dump_read_line(r, guids, &s, err);
        if (status != IK_OK) {
            ik_error_at(err, l->path, l->number, 1);
            return status;
        }
    }
}

static ik_status sl2vl_dump_start(dump_reader *r, ik_error *err)
{
    static const uint8_t hole[IK_NUM_SLS];
    size_t marks = (size_t)r->f->num_switches + r->f->num_ports + 1;
    ik_status status = sl2vl_by_ports(r->f, hole, &r->v, err);
    r->maps_cap = 1;
    r->seen = ik_calloc(marks, sizeof *r->seen);
    bool made = ik_hash_init(&r->hash);
    if (status == IK_OK && (!r->seen || !made))
        status = ik_fail_memory(err, marks, "maps of service levels");
    return status;
}

ik_status sl2vl_read_dump(ik_text_lines *l, const ik_fabric *f, ik_sl2vl *out,
                          ik_sl2vl_matched *matched, ik_error *err)
{
    dump_reader r = {.f = f, .sw = IK_NONE, .port = IK_NONE};
    guid_list guids = {0};
    ik_status status = sl2vl_dump_start(&r, err);
    if (status == IK_OK)
        status = sl2vl_dump_list_guids(f, &guids, err);
    if (status == IK_OK)
        status = sl2vl_dump_read_lines(&r, &guids, l, err);
    if (status == IK_OK && r.m.switches == 0) {
        status = ik_fail(err, IK_ERR_INPUT, "no SL-to-VL maps of a switch of the fabric");
        ik_error_at(err, l->path, 1, 1);
    }
    ik_text_lines_close(l);
    if (status == IK_OK) {
        sl2vl_dump_count_holes(&r);
        if (matched)
            *matched = r.m;
        *out = r.v;
    } else {
        ik_sl2vl_free(&r.v);
    }
    ik_hash_free(&r.hash);
    free(guids.of);
    free(r.seen);
    return status;
}

ik_status ik_sl2vl_dump_read(const ik_fabric *f, const char *path, const ik_env *env, ik_sl2vl *out,
                             ik_sl2vl_matched *matched, ik_error *err)
{
    ik_text_lines l;
    ik_status status = ik_text_lines_open(&l, path, env, err);
    return status == IK_OK ? sl2vl_read_dump(&l, f, out, matched, err) : status;
}

ik_status ik_sl2vl_dump_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                              ik_sl2vl *out, ik_sl2vl_matched *matched, ik_error *err)
{
    ik_text_lines l;
    ik_text_lines_memory(&l, text, size, file);
    return sl2vl_read_dump(&l, f, out, matched, err);
}
