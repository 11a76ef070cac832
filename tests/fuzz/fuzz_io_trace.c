/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_io_trace.c: any bytes as a trace of block I/O in every format: refused with its place, or a
 * list of accesses in order of time, within the window that was asked for. */
#include <stdlib.h>
#include <string.h>

#include "traffic/storage/io_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const formats[] = {
    NULL, "csv", "msr", "spc", "srt", "blkparse", "blkparse_queue", "fio", "disksim"};
static const io_window windows[] = {{0, IO_UNKNOWN, UINT32_MAX, 0},
                                    {0, 1000000, UINT32_MAX, 0},
                                    {1000, IO_UNKNOWN, 2, 0},
                                    {UINT64_MAX / 2, UINT64_MAX - 1, 1, 1 << 20}};

static void check(const io_trace *t, const io_window *w)
{
    if (!t->num || t->num > w->most || !t->num_disks)
        abort();
    for (size_t k = 0; k < t->num; k++) {
        const io_access *a = &t->list[k];
        if (a->disk >= t->num_disks || !a->bytes || a->bytes > IO_MOST_BYTES ||
            a->ns >= w->length_ns || a->done_ns < a->ns || (k && a[-1].ns > a->ns) ||
            (k && a[-1].ns == a->ns && a[-1].line >= a->line))
            abort();
    }
    for (uint32_t disk = 0; disk < t->num_disks; disk++)
        if (!t->disk_names[disk].length || t->disk_names[disk].at[t->disk_names[disk].length])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
            io_trace t;
            ik_error err = {0};
            ik_status status = io_trace_read_memory(&t, (const char *)data, size, "input",
                                                    formats[f], &windows[k], &err);
            if (status == IK_OK)
                check(&t, &windows[k]);
            else if (!err.text[0] || (status != IK_ERR_INPUT && status != IK_ERR_MEMORY))
                abort();
            io_trace_free(&t);
        }
    return 0;
}
