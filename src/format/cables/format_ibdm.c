/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `ibdm`: topology files of ibutils, which ibdiagnet and UFM take too (.topo): a section per
 * system, with a line per port that has a cable:
 *
 *     MTS3600 S1
 *         P1 -4x-10G-> MT26428 H1 P1
 *         P36 -> MTS3600 S2 P36
 *
 * Of which chips a system is made, and how they are joined, stands in other files (IBNL), which are
 * not read: a system of one chip is a switch, a chassis, whose ports are called L1/P1, is read as
 * one switch. A system with adapters, whose ports are called HCA-1/P1, is a host per adapter.
 * Types of systems that are known tell which are hosts, else it is decided as in all lists of
 * cables (devices.h). Rates and configurations of boards are not read. O(size).
 */
#include "format/devices.h"
#include "format/scan.h"
#include "ikat/format.h"

#include <string.h>
#include <strings.h>

typedef struct ibdm_reader {
    scan s;
    raw_graph g;
    ik_arena arena;
    uint64_t boards; /* ends at a board of a chassis */
    ik_error why;
} ibdm_reader;

typedef struct ibdm_system {
    slice type, name;
} ibdm_system;

/* Beginnings of types, as in the IBNL files of ibutils and in the names of products and chips (MT
 * and a number: MT4115 is an adapter, MT47396 a switch). */
static const char *const host_types[] = {"HCA",     "MCX",  "MH",    "MT2",  "MT40",
                                         "MT41",    "MT42", "MTLP",  "MTPB", "Cougar",
                                         "Cheetah", "Lion", "Eagle", NULL};
static const char *const switch_types[] = {
    "SW",    "MTS",      "MSX",     "MSB",   "MQM",     "MCS",  "MIS",  "IS4",
    "IS5",   "MT47",     "MT48",    "MT51",  "MT52",    "MT53", "MT54", "Gazelle",
    "Rhino", "Reindeer", "Mammoth", "Shark", "Buffalo", NULL};

static bool ibdm_begins(slice text, const char *const *words)
{
    for (; *words; words++)
        if (text.length >= strlen(*words) && strncasecmp(text.at, *words, strlen(*words)) == 0)
            return true;
    return false;
}

static bool ibdm_is_arrow(slice word)
{
    return word.length >= 2 && word.at[0] == '-' && word.at[word.length - 1] == '>';
}

static slice ibdm_token(scan *s)
{
    scan_blanks(s);
    return scan_token(s);
}

/* A comment ends the line. */
static bool ibdm_line(scan *s)
{
    if (!scan_line(s))
        return false;
    for (const char *at = s->at; at < s->end; at++)
        if (*at == '#' && (at == s->at || at[-1] == ' ' || at[-1] == '\t'))
            s->end = at;
    return true;
}

static bool ibdm_is_indented(const scan *s)
{
    return s->at < s->end && (*s->at == ' ' || *s->at == '\t');
}

/* ---- lines */

static ik_status ibdm_end(ibdm_reader *r, const ibdm_system *system, slice port, device_end *end)
{
    const char *slash = memchr(port.at, '/', port.length);
    bool host = ibdm_begins(system->type, host_types);
    *end = (device_end){.device = system->name, .port = port, .whose = system->type};
    if (slash && strncasecmp(port.at, "HCA", 3) == 0) {
        const char *name = ik_arena_printf(&r->arena, "%.*s %.*s", (int)system->name.length,
                                           system->name.at, (int)(slash - port.at), port.at);
        end->device = slice_of(name);
        end->port = (slice){slash + 1, port.length - (size_t)(slash + 1 - port.at)};
        end->role = slice_of("host");
        return name ? IK_OK : ik_fail_memory(&r->why, port.length, "names of nodes");
    }
    r->boards += slash != NULL;
    if (host)
        end->role = slice_of("host");
    else if (slash || ibdm_begins(system->type, switch_types))
        end->role = slice_of("switch");
    return IK_OK;
}

static ik_status ibdm_read_system(ibdm_reader *r, ibdm_system *system)
{
    system->type = ibdm_token(&r->s);
    system->name = ibdm_token(&r->s);
    if (!system->name.length || ibdm_is_arrow(system->name))
        return scan_fail(&r->s, &r->why, "expected a system, 'TYPE NAME', at the start of a line");
    scan_blanks(&r->s);
    if (scan_at_end(&r->s) || scan_prefix(&r->s, "CFG"))
        return IK_OK;
    return scan_fail(&r->s, &r->why, "expected 'CFG:' or the end of the line behind TYPE NAME");
}

static ik_status ibdm_read_port(ibdm_reader *r, const ibdm_system *system)
{
    unsigned line = r->s.line;
    slice port = ibdm_token(&r->s), arrow = ibdm_token(&r->s);
    ibdm_system other = {0};
    device_end ends[2];
    if (!system->name.length)
        return scan_fail(&r->s, &r->why, "expected a system, 'TYPE NAME', before its ports");
    if (!ibdm_is_arrow(arrow))
        return scan_fail(&r->s, &r->why, "expected 'PORT -> TYPE NAME PORT'");
    other.type = ibdm_token(&r->s);
    other.name = ibdm_token(&r->s);
    slice other_port = ibdm_token(&r->s);
    scan_blanks(&r->s);
    if (!other_port.length || !scan_at_end(&r->s))
        return scan_fail(&r->s, &r->why, "expected a type, a name and a port behind '->'");
    ik_status status = ibdm_end(r, system, port, &ends[0]);
    if (status == IK_OK)
        status = ibdm_end(r, &other, other_port, &ends[1]);
    return status == IK_OK ? devices_cable(&r->g, &ends[0], &ends[1], line, &r->why) : status;
}

static ik_status ibdm_build(ibdm_reader *r, ik_builder *b)
{
    if (r->boards)
        ik_builder_finding(b, IK_NOTE, "chassis", NULL,
                           "%s in a chassis, which is read as one switch; a dump has the switches "
                           "within it",
                           IK_COUNT(r->boards, "end of a cable is|ends of cables are"));
    if (!r->g.num_links)
        return ik_fail_at(&r->why, IK_ERR_INPUT, r->g.file, 1, 1, "no cable is in it");
    return devices_build(&r->g, b, true, &r->why);
}

static ik_status ibdm_read(const char *text, size_t size, const char *file, ik_builder *b,
                           ik_error *err)
{
    ibdm_reader r = {.s = scan_text(text, size, file), .g = {.file = file, .text_size = size}};
    ibdm_system system = {0};
    ik_status status = IK_OK;
    while (status == IK_OK && ibdm_line(&r.s)) {
        bool indented = ibdm_is_indented(&r.s);
        if (!scan_at_end(&r.s))
            status = indented ? ibdm_read_port(&r, &system) : ibdm_read_system(&r, &system);
    }
    if (status == IK_OK)
        status = ibdm_build(&r, b);
    if (status != IK_OK && err)
        *err = r.why;
    raw_graph_free(&r.g);
    ik_arena_free(&r.arena);
    return status;
}

/* The first lines are systems and the next one is a cable, apart from comments. */
static unsigned ibdm_probe(const char *text, size_t size)
{
    scan s = scan_text(text, size, "");
    bool system = false;
    while (ibdm_line(&s)) {
        bool indented = ibdm_is_indented(&s);
        if (scan_at_end(&s))
            continue;
        slice words[5];
        for (unsigned i = 0; i < 5; i++)
            words[i] = ibdm_token(&s);
        if (indented) /* a comment may look like one of ibnetdiscover */
            return system && ibdm_is_arrow(words[1]) && words[4].length && scan_at_end(&s) ? 98 : 0;
        system = words[1].length && (!words[2].length || strncmp(words[2].at, "CFG", 3) == 0);
        if (!system)
            return 0;
    }
    return 0;
}

static const char *const extensions[] = {"topo", NULL};

const ik_format ik_format_ibdm = {
    .name = "ibdm",
    .summary = "topology files of ibutils, ibdiagnet and UFM (.topo): systems and their cables",
    .source = "the manual pages ibdm-topo-file(1) and ibdm-ibnl-file(1) of ibutils",
    .extensions = extensions,
    .probe = ibdm_probe,
    .read = ibdm_read,
};
