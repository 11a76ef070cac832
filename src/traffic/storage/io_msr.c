/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_msr.c: traces of Microsoft Research Cambridge (D. Narayanan, A. Donnelly, A. Rowstron,
 * Write Off-Loading, FAST 2008), as SNIA distributes them:
 *
 *     Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime
 *     128166372003061629,hm,0,Read,383496192,32768,413
 *
 * Times count 100 ns since 1601; the host is the server that the disk belongs to. Rows were written
 * when accesses were done, so their beginnings are not quite in order. */
#include "traffic/storage/io_trace.h"

#include <inttypes.h>
#include <string.h>

enum { TICK_NS = 100 };
#define BACK_NS (UINT64_C(60) * 1000000000)

static const char head[] = "timestamp,hostname,disknumber,type,offset,size,responsetime";

static slice io_msr_first_line(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    slice line = {text, end ? (size_t)(end - text) : size};
    line.length -= line.length && text[line.length - 1] == '\r';
    return line;
}

static bool io_msr_is_number(slice word)
{
    for (size_t k = 0; k < word.length; k++)
        if (word.at[k] < '0' || word.at[k] > '9')
            return false;
    return word.length > 0;
}

static bool io_msr_is_certain(const char *text, size_t size)
{
    slice line = io_msr_first_line(text, size), fields[7];
    if (io_is_word(line, head))
        return true;
    size_t num = 0;
    for (const char *at = line.at, *end = line.at + line.length; num < 7 && at <= end; num++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        fields[num] = (slice){at, (size_t)((comma ? comma : end) - at)};
        at = comma ? comma + 1 : end + 1;
    }
    return num == 7 && io_msr_is_number(fields[0]) && fields[0].length >= 17 &&
           io_msr_is_number(fields[2]) &&
           (io_is_word(fields[3], "read") || io_is_word(fields[3], "write")) &&
           io_msr_is_number(fields[4]) && io_msr_is_number(fields[5]);
}

/* "hm,0," as the name "hm.0". */
static ik_status io_msr_read_disk(io_trace *t, char *name, size_t room, ik_error *err)
{
    slice host = {NULL, 0};
    uint64_t disk = 0;
    ik_status status = io_name(t, "a host's name", ',', &host, err);
    if (status == IK_OK)
        status = io_expect(t, ',', err);
    if (status == IK_OK)
        status = io_number(t, "a disk's number", UINT32_MAX, &disk, err);
    if (status != IK_OK)
        return status;
    snprintf(name, room, "%.*s.%" PRIu64, (int)host.length, host.at, disk);
    return io_expect(t, ',', err);
}

static ik_status io_msr_read_type(io_trace *t, bool *reads, ik_error *err)
{
    slice type = {NULL, 0};
    const char *start = t->s.at;
    ik_status status = io_name(t, "Read or Write", ',', &type, err);
    if (status != IK_OK)
        return status;
    *reads = io_is_word(type, "read");
    if (*reads || io_is_word(type, "write"))
        return io_expect(t, ',', err);
    t->s.at = start;
    return scan_fail(&t->s, err, "expected Read or Write");
}

static ik_status io_msr_read_row(io_trace *t, ik_error *err)
{
    io_access a = {.asks = IO_BY_SECTOR};
    char disk[IO_NAME_MAX + 24];
    uint64_t ticks = 0, response = 0, most = IO_MOST_NS / TICK_NS;
    ik_status status = io_number_to(t, ',', "a time in units of 100 ns", most, &ticks, err);
    if (status == IK_OK)
        status = io_msr_read_disk(t, disk, sizeof disk, err);
    if (status == IK_OK)
        status = io_msr_read_type(t, &a.reads, err);
    if (status == IK_OK)
        status = io_number_to(t, ',', "an offset in bytes", UINT64_MAX, &a.offset, err);
    if (status == IK_OK)
        status = io_number_to(t, ',', "a size in bytes", IO_MOST_BYTES, &a.bytes, err);
    if (status == IK_OK)
        status = io_number(t, "a time in units of 100 ns", most - ticks, &response, err);
    if (status == IK_OK)
        status = io_expect_end(t, err);
    a.ns = ticks * TICK_NS;
    a.done_ns = (ticks + response) * TICK_NS;
    return status == IK_OK ? io_add(t, a, (slice){disk, strlen(disk)}, err) : status;
}

static ik_status io_msr_next(io_trace *t, bool *more, ik_error *err)
{
    ik_status status = io_next_line(t, more, err);
    if (status != IK_OK || !*more || scan_at_end(&t->s))
        return status;
    t->s.at = t->s.line_start;
    slice line = {t->s.at, (size_t)(t->s.end - t->s.at)};
    return t->s.line == 1 && io_is_word(line, head) ? IK_OK : io_msr_read_row(t, err);
}

const io_format io_msr = {.name = "msr",
                          .wall_clock = true,
                          .back_ns = BACK_NS,
                          .is_certain = io_msr_is_certain,
                          .next = io_msr_next};
