/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `ndt`: the cables of an InfiniBand cluster as the NDT plug-in of NVIDIA's UFM takes them,
 * a table with a row per cable and commas between its fields:
 *
 *     #StartDevice,StartPort,EndDevice,EndPort,LinkType
 *     n17,n17 ibp11s0f0,R3-IB0,Port 1,Data
 *     R3-IB0,Port 21,R9-IB1-A,Blade 16_Port 2/20,Data
 *
 * Ports of switches are called `Port N` (or `Port` and the label of a port that is divided), those
 * of a chassis `Blade N_Port I/J`. A device whose port has another name is a computer, and each of
 * these ports an adapter, as for the subnet manager. Whether a device with `Port N` is a switch is
 * decided as in all lists of cables (devices.h). Other columns are not read. O(size).
 */
#include "format/devices.h"
#include "format/json_read.h"
#include "format/printed/csv_table.h"
#include "ikat/format.h"

#include <string.h>
#include <strings.h>

/* Columns, which capitals do not distinguish. The first device's has one of three names. */
enum {
    START_PORT,
    END_DEVICE,
    END_PORT,
    NUM_NEEDED,
    LINK_TYPE = NUM_NEEDED,
    START,
    NUM_WANTED = 7
};
static const char *const wanted[NUM_WANTED] = {"StartPort",          "EndDevice",   "EndPort",
                                               "LinkType",           "StartDevice", "#StartDevice",
                                               "#Fields:StartDevice"};

typedef struct ndt_reader {
    scan s;
    csv_columns columns;
    raw_graph g;
    ik_arena arena;
    uint64_t others, open; /* rows of other cables, and of ports without one */
    uint64_t blades;       /* ends in a chassis */
    ik_error why;
} ndt_reader;

static bool ndt_begins(slice text, slice word)
{
    return text.length >= word.length && strncasecmp(text.at, word.at, word.length) == 0;
}

static bool ndt_has_column(const csv_columns *c, unsigned which)
{
    return memchr(c->wanted, (int)which + 1, c->count) != NULL;
}

static ik_status ndt_read_columns(ndt_reader *r)
{
    if (!scan_line(&r->s))
        return ik_fail_at(&r->why, IK_ERR_INPUT, r->g.file, 1, 1, "the file is empty");
    ik_status status =
        csv_read_columns(&r->s, wanted, NUM_WANTED, NUM_NEEDED, &r->columns, &r->why);
    for (unsigned i = START; status == IK_OK && i < NUM_WANTED; i++)
        if (ndt_has_column(&r->columns, i))
            return IK_OK;
    return status == IK_OK ? scan_fail(&r->s, &r->why,
                                       "expected a column StartDevice, #StartDevice or "
                                       "#Fields:StartDevice among the names of the columns")
                           : status;
}

/* An adapter's port has the name of its node, in which that of the computer may be missing. */
static ik_status ndt_adapter(ndt_reader *r, slice device, slice port, device_end *end)
{
    bool whole =
        ndt_begins(port, device) && (port.length == device.length || port.at[device.length] == ' ');
    *end = (device_end){.device = port, .port = slice_of("1"), .role = slice_of("host")};
    if (whole)
        return IK_OK;
    if (ndt_begins(port, slice_of("Port")) || ndt_begins(port, slice_of("Blade"))) {
        r->s.at = port.at;
        return scan_fail(&r->s, &r->why, "expected 'Port N' or 'Blade N_Port I/J'");
    }
    const char *name = ik_arena_printf(&r->arena, "%.*s %.*s", (int)device.length, device.at,
                                       (int)port.length, port.at);
    end->device = slice_of(name);
    return name ? IK_OK : ik_fail_memory(&r->why, device.length + port.length, "names of nodes");
}

/* Is it what a port of a switch is called, with a number behind the word? */
static bool ndt_is_numbered(slice port, slice word)
{
    return port.length > word.length && ndt_begins(port, word) && port.at[word.length] >= '0' &&
           port.at[word.length] <= '9';
}

static ik_status ndt_end(ndt_reader *r, slice device, slice port, device_end *end)
{
    if (!port.length) {
        r->s.at = device.at;
        return scan_fail(&r->s, &r->why, "expected a port of this device in its column");
    }
    bool chassis = ndt_is_numbered(port, slice_of("Blade "));
    if (!chassis && !ndt_is_numbered(port, slice_of("Port ")))
        return ndt_adapter(r, device, port, end);
    r->blades += chassis;
    *end =
        (device_end){.device = device, .port = port, .role = slice_of(chassis ? "switch" : NULL)};
    return IK_OK;
}

static ik_status ndt_row(ndt_reader *r)
{
    slice field[NUM_WANTED], start = {0};
    device_end ends[2];
    ik_status status = csv_read_row(&r->s, &r->columns, field, &r->why);
    for (unsigned i = START; status == IK_OK && i < NUM_WANTED; i++)
        start = field[i].length ? field[i] : start;
    if (status != IK_OK)
        return status;
    if (!start.length || !field[END_DEVICE].length) {
        r->open++;
        return IK_OK;
    }
    if (field[LINK_TYPE].length && !slice_is(field[LINK_TYPE], "Data")) {
        r->others++;
        return IK_OK;
    }
    unsigned line = r->s.line;
    status = ndt_end(r, start, field[START_PORT], &ends[0]);
    if (status == IK_OK)
        status = ndt_end(r, field[END_DEVICE], field[END_PORT], &ends[1]);
    return status == IK_OK ? devices_cable(&r->g, &ends[0], &ends[1], line, &r->why) : status;
}

static ik_status ndt_build(ndt_reader *r, ik_builder *b)
{
    if (r->others)
        ik_builder_finding(b, IK_NOTE, "skipped-cables", NULL,
                           "left out: %s of another type than Data", IK_COUNT(r->others, "cable"));
    if (r->open)
        ik_builder_finding(b, IK_NOTE, "skipped-cables", NULL,
                           "left out: %s without a second device", IK_COUNT(r->open, "row"));
    if (r->blades)
        ik_builder_finding(b, IK_NOTE, "chassis", NULL,
                           "%s in a chassis, which is read as one switch; a dump has the switches "
                           "within it",
                           IK_COUNT(r->blades, "end of a cable is|ends of cables are"));
    if (!r->g.num_links)
        return ik_fail_at(&r->why, IK_ERR_INPUT, r->g.file, 1, 1, "no cable is in it");
    return devices_build(&r->g, b, true, &r->why);
}

static ik_status ndt_read(const char *text, size_t size, const char *file, ik_builder *b,
                          ik_error *err)
{
    ndt_reader r = {.s = scan_text(text, size, file), .g = {.file = file, .text_size = size}};
    ik_status status = ndt_read_columns(&r);
    while (status == IK_OK && scan_line(&r.s))
        if (!scan_at_end(&r.s))
            status = ndt_row(&r);
    if (status == IK_OK)
        status = ndt_build(&r, b);
    if (status != IK_OK && err)
        *err = r.why;
    raw_graph_free(&r.g);
    ik_arena_free(&r.arena);
    return status;
}

static unsigned ndt_probe(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    size_t first = end ? (size_t)(end - text) : size;
    return json_mentions(text, first, "StartDevice,") && json_mentions(text, first, "EndDevice,")
               ? 90
               : 0;
}

static const char *const extensions[] = {"ndt", "csv", NULL};

const ik_format ik_format_ndt = {
    .name = "ndt",
    .summary = "cables as the NDT plug-in of NVIDIA's UFM takes them, a table in CSV",
    .source = "NVIDIA UFM Enterprise User Manual, NDT Plugin, versions 6.10 to 6.15",
    .extensions = extensions,
    .probe = ndt_probe,
    .read = ndt_read,
};
