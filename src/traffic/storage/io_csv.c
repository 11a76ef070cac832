/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_csv.c: ikat's own form of traces, which it writes as well:
 *
 *     disks=23                                           optional: disks 0 to 22, used or not
 *     time_ns,done_ns,device,op,offset,bytes,host
 *     1500,21500,4,R,0,8192,17
 *
 * done_ns and host may be empty; lines in any order; '#' begins a comment line. */
#include "traffic/storage/io_trace.h"

#include <inttypes.h>
#include <string.h>

static bool io_csv_begins(const char *text, size_t size, const char *with)
{
    return size >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

static bool io_csv_is_certain(const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        const char *line = text, *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline ? newline : end) - line);
        text = newline ? newline + 1 : end;
        if (length && line[0] != '#' && line[0] != '\r')
            return io_csv_begins(line, length, IO_CSV_HEAD) ||
                   io_csv_begins(line, length, "disks=");
    }
    return false;
}

/* "disks=23": they are there whether the trace uses them or not, and no other. */
static ik_status io_csv_read_disks(io_trace *t, ik_error *err)
{
    uint64_t num = 0;
    ik_status status = io_number(t, "a number of disks", IO_MOST_DISKS, &num, err);
    if (status == IK_OK)
        status = io_expect_end(t, err);
    if (status == IK_OK && (num == 0 || t->num_declared))
        return io_fail(t, err, num ? "the disks are listed twice" : "expected at least one disk");
    for (uint32_t disk = 0; disk < num && status == IK_OK; disk++) {
        char name[16];
        uint32_t number = 0;
        int length = snprintf(name, sizeof name, "%" PRIu32, disk);
        status = io_disk(t, (slice){name, (size_t)length}, &number, err);
    }
    t->num_declared = (uint32_t)num;
    return status;
}

static ik_status io_csv_read_head(io_trace *t, ik_error *err)
{
    scan *s = &t->s;
    if (io_csv_begins(s->at, (size_t)(s->end - s->at), "disks=")) {
        s->at += strlen("disks=");
        return io_csv_read_disks(t, err);
    }
    if (!io_csv_begins(s->at, (size_t)(s->end - s->at), IO_CSV_HEAD))
        return scan_fail(s, err, "expected '" IO_CSV_HEAD "'");
    s->at += strlen(IO_CSV_HEAD);
    t->headed = true;
    return io_expect_end(t, err);
}

/* A number, or nothing in front of the comma or the line's end. */
static ik_status io_csv_read_optional(io_trace *t, const char *what, uint64_t most, bool *is_there,
                                      uint64_t *value, ik_error *err)
{
    scan_blanks(&t->s);
    *is_there = t->s.at < t->s.end && *t->s.at != ',';
    return *is_there ? io_number(t, what, most, value, err) : IK_OK;
}

static ik_status io_csv_read_disk(io_trace *t, slice *disk, ik_error *err)
{
    ik_status status = io_name(t, "a device", ',', disk, err);
    if (status != IK_OK || !t->num_declared || name_map_find(&t->names, *disk) != IK_NONE)
        return status;
    t->s.at = disk->at;
    scan_fail(&t->s, err, "expected a disk from 0 to %" PRIu32, t->num_declared - 1);
    return ik_hint(err, IK_ERR_INPUT, "the file says that it has %" PRIu32 " disks",
                   t->num_declared);
}

static ik_status io_csv_read_op(io_trace *t, bool *reads, ik_error *err)
{
    scan_blanks(&t->s);
    *reads = scan_char(&t->s, 'R');
    return *reads || scan_char(&t->s, 'W') ? IK_OK : scan_fail(&t->s, err, "expected R or W");
}

static ik_status io_csv_read_access(io_trace *t, ik_error *err)
{
    io_access a = {.done_ns = IO_UNKNOWN};
    slice disk = {NULL, 0};
    bool done = false, by_host = false;
    ik_status status = io_number_to(t, ',', "a time in ns", IO_MOST_NS, &a.ns, err);
    if (status == IK_OK)
        status = io_csv_read_optional(t, "a time in ns", IO_MOST_NS, &done, &a.done_ns, err);
    if (status == IK_OK)
        status = io_expect(t, ',', err);
    if (status == IK_OK)
        status = io_csv_read_disk(t, &disk, err);
    if (status == IK_OK)
        status = io_expect(t, ',', err);
    if (status == IK_OK)
        status = io_csv_read_op(t, &a.reads, err);
    if (status == IK_OK)
        status = io_expect(t, ',', err);
    if (status == IK_OK)
        status = io_number_to(t, ',', "an offset in bytes", UINT64_MAX, &a.offset, err);
    if (status == IK_OK)
        status = io_number_to(t, ',', "a size in bytes", IO_MOST_BYTES, &a.bytes, err);
    if (status == IK_OK)
        status = io_csv_read_optional(t, "a host's number", UINT32_MAX, &by_host, &a.key, err);
    if (status == IK_OK)
        status = io_expect_end(t, err);
    a.asks = by_host ? IO_BY_HOST : IO_BY_SECTOR;
    return status == IK_OK ? io_add(t, a, disk, err) : status;
}

static ik_status io_csv_next(io_trace *t, bool *more, ik_error *err)
{
    ik_status status = io_next_line(t, more, err);
    if (status != IK_OK || !*more || scan_at_end(&t->s) || *t->s.at == '#')
        return status;
    t->s.at = t->s.line_start;
    return t->headed ? io_csv_read_access(t, err) : io_csv_read_head(t, err);
}

const io_format io_csv = {
    .name = "csv", .back_ns = UINT64_MAX, .is_certain = io_csv_is_certain, .next = io_csv_next};
