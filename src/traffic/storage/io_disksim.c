/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_disksim.c: DiskSim's ASCII form (J. Bucy et al., The DiskSim Simulation Environment
 * Version 4.0 Reference Manual, CMU-PDL-08-101, 2008):
 *
 *     0.551706 3 20941264 16 1            ms, device, sector, sectors, flags (hex; bit 0: it reads)
 *
 * Five numbers in a line could be anything, so the format is asked for. */
#include "traffic/storage/io_trace.h"

#define MS_NS UINT64_C(1000000)

static ik_status io_disksim_read_flags(io_trace *t, bool *reads, ik_error *err)
{
    uint64_t flags = 0;
    scan_blanks(&t->s);
    if (!scan_hex(&t->s, &flags))
        return scan_fail(&t->s, err, "expected flags, a hexadecimal number");
    *reads = flags & 1;
    return io_expect_end(t, err);
}

static ik_status io_disksim_next(io_trace *t, bool *more, ik_error *err)
{
    io_access a = {.done_ns = IO_UNKNOWN, .asks = IO_BY_SECTOR};
    uint64_t device = 0, sector = 0, sectors = 0;
    slice disk = {NULL, 0};
    ik_status status = io_next_line(t, more, err);
    if (status != IK_OK || !*more || scan_at_end(&t->s))
        return status;
    status = io_time(t, "a time in ms", MS_NS, &a.ns, err);
    scan_blanks(&t->s);
    disk.at = t->s.at;
    if (status == IK_OK)
        status = io_number(t, "a device", UINT32_MAX, &device, err);
    disk.length = (size_t)(t->s.at - disk.at);
    if (status == IK_OK)
        status = io_number(t, "a sector", UINT64_MAX / 512, &sector, err);
    if (status == IK_OK)
        status = io_sectors(t, sector, &a.offset, err);
    if (status == IK_OK)
        status = io_number(t, "a number of sectors", IO_MOST_BYTES / 512, &sectors, err);
    if (status == IK_OK)
        status = io_sectors(t, sectors, &a.bytes, err);
    if (status == IK_OK)
        status = io_disksim_read_flags(t, &a.reads, err);
    return status == IK_OK ? io_add(t, a, disk, err) : status;
}

const io_format io_disksim = {.name = "disksim", .next = io_disksim_next};
