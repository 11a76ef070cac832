/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_spc.c: traces in the form of the Storage Performance Council (SPC Trace File Format
 * Specification, revision 1.0.1, 2002), as the Financial and WebSearch traces have it:
 *
 *     0,20941264,8192,W,0.551706          application's unit, sector, bytes, operation, seconds
 *
 * Fields behind these five are skipped. Nothing is said about completions. */
#include "traffic/storage/io_trace.h"

#include <inttypes.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
enum { FIELDS = 5 };

/* Whether a field holds what stands at its place. */
static bool io_spc_fits(unsigned number, const char *at, size_t length)
{
    if (!length)
        return false;
    if (number == 3)
        return length == 1 && strchr("rRwW", *at);
    for (size_t k = 0; k < length; k++)
        if ((at[k] < '0' || at[k] > '9') && !(number == 4 && k && at[k] == '.'))
            return false;
    return true;
}

/* Its time has a point: without one the line may be of ikat's own CSV, whose first line is gone. */
static bool io_spc_is_certain(const char *text, size_t size)
{
    unsigned number = 0;
    bool has_point = false;
    for (size_t from = 0, at = 0; at <= size && number < FIELDS; at++) {
        char c = at < size ? text[at] : '\n';
        if (c != ',' && c != '\n' && c != '\r')
            continue;
        if (!io_spc_fits(number++, text + from, at - from) || (c != ',' && number < FIELDS))
            return false;
        has_point = memchr(text + from, '.', at - from) != NULL;
        from = at + 1;
    }
    return number == FIELDS && has_point;
}

static ik_status io_spc_read_op(io_trace *t, bool *reads, ik_error *err)
{
    scan *s = &t->s;
    scan_blanks(s);
    *reads = scan_char(s, 'R') || scan_char(s, 'r');
    if (*reads || scan_char(s, 'W') || scan_char(s, 'w'))
        return io_expect(t, ',', err);
    return scan_fail(s, err, "expected R or W");
}

static ik_status io_spc_read_access(io_trace *t, ik_error *err)
{
    io_access a = {.done_ns = IO_UNKNOWN, .asks = IO_BY_SECTOR};
    uint64_t unit = 0, sector = 0;
    ik_status status = io_number(t, "an application's storage unit", UINT32_MAX, &unit, err);
    slice disk = {t->s.line_start, 0};
    if (status == IK_OK) {
        disk.length = (size_t)(t->s.at - disk.at);
        status = io_expect(t, ',', err);
    }
    if (status == IK_OK)
        status = io_number(t, "a sector", UINT64_MAX / 512, &sector, err);
    if (status == IK_OK)
        status = io_sectors(t, sector, &a.offset, err);
    if (status == IK_OK)
        status = io_expect(t, ',', err);
    if (status == IK_OK)
        status = io_number_to(t, ',', "a size in bytes", IO_MOST_BYTES, &a.bytes, err);
    if (status == IK_OK)
        status = io_spc_read_op(t, &a.reads, err);
    if (status == IK_OK)
        status = io_time(t, "a time in seconds", SECOND_NS, &a.ns, err);
    if (status == IK_OK && !scan_at_end(&t->s) && *t->s.at != ',')
        return scan_fail(&t->s, err, "expected ',' or the end of the line");
    return status == IK_OK ? io_add(t, a, disk, err) : status;
}

static ik_status io_spc_next(io_trace *t, bool *more, ik_error *err)
{
    ik_status status = io_next_line(t, more, err);
    if (status != IK_OK || !*more || scan_at_end(&t->s))
        return status;
    t->s.at = t->s.line_start;
    return io_spc_read_access(t, err);
}

const io_format io_spc = {.name = "spc", .is_certain = io_spc_is_certain, .next = io_spc_next};
