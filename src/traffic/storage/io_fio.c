/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_fio.c: what fio's write_iolog records (fio's manual, "Trace file format"):
 *
 *     fio version 3 iolog                     fio version 2 iolog
 *     108 /tmp/f open                         /tmp/f open
 *     112 /tmp/f read 12288 4096              /tmp/f read 12288 4096
 *                                             /tmp/f wait 2000 0
 *
 * Version 3 has the time of each action in us since the job began; in version 2 time passes in
 * `wait` alone, by its offset in us. A file is a disk. Nothing is said about completions. */
#include "traffic/storage/io_trace.h"

#include <inttypes.h>
#include <string.h>

enum { US_NS = 1000 };

static const char head[] = "fio version ";

static bool io_fio_is_certain(const char *text, size_t size)
{
    return size > sizeof head && memcmp(text, head, sizeof head - 1) == 0;
}

static ik_status io_fio_read_head(io_trace *t, ik_error *err)
{
    scan *s = &t->s;
    uint64_t version = 0;
    if ((size_t)(s->end - s->at) < sizeof head || memcmp(s->at, head, sizeof head - 1) != 0)
        return scan_fail(s, err, "expected 'fio version 2 iolog' or 'fio version 3 iolog'");
    s->at += sizeof head - 1;
    if (!scan_uint(s, 3, &version) || version < 2)
        return scan_fail(s, err, "expected version 2 or 3");
    scan_blanks(s);
    if (!scan_word(s, "iolog"))
        return scan_fail(s, err, "expected 'iolog'");
    t->version = (unsigned)version;
    t->headed = true;
    return io_expect_end(t, err);
}

static bool io_fio_is_one_of(slice word, const char *const *words)
{
    for (size_t k = 0; words[k]; k++)
        if (strlen(words[k]) == word.length && memcmp(words[k], word.at, word.length) == 0)
            return true;
    return false;
}

static ik_status io_fio_wait_for(io_trace *t, uint64_t us, ik_error *err)
{
    if (us > (IO_MOST_NS - t->clock_ns) / US_NS)
        return io_fail(t, err, "waiting %" PRIu64 " us leads beyond the latest time, %" PRIu64 " s",
                       us, IO_MOST_NS / 1000000000);
    t->clock_ns += us * US_NS;
    return IK_OK;
}

/* What is done to a file from an offset on. */
static ik_status io_fio_take_action(io_trace *t, slice file, slice action, ik_error *err)
{
    static const char *const transfers[] = {"read", "write", NULL}, *const wait[] = {"wait", NULL};
    io_access a = {.ns = t->clock_ns, .done_ns = IO_UNKNOWN, .asks = IO_BY_SECTOR};
    ik_status status = io_number(t, "an offset", UINT64_MAX, &a.offset, err);
    if (status == IK_OK)
        status = io_number(t, "a length in bytes", IO_MOST_BYTES, &a.bytes, err);
    if (status == IK_OK)
        status = io_expect_end(t, err);
    if (status != IK_OK)
        return status;
    if (io_fio_is_one_of(action, wait))
        return io_fio_wait_for(t, a.offset, err);
    a.reads = *action.at == 'r';
    if (io_fio_is_one_of(action, transfers))
        return io_add(t, a, file, err);
    t->num_other++;
    return IK_OK;
}

static ik_status io_fio_read_action(io_trace *t, ik_error *err)
{
    static const char *const of_files[] = {"add", "open", "close", NULL}, *const of_bytes[] = {
                                                                              "read", "write",
                                                                              "sync", "datasync",
                                                                              "trim", "wait",
                                                                              NULL};
    slice file = {NULL, 0};
    uint64_t us = 0;
    ik_status status = IK_OK;
    if (t->version == 3) {
        status = io_number(t, "a time in us", IO_MOST_NS / US_NS, &us, err);
        t->clock_ns = us * US_NS;
    }
    scan_blanks(&t->s);
    if (status == IK_OK)
        status = io_name(t, "a file's name", ' ', &file, err);
    if (status != IK_OK)
        return status;
    scan_blanks(&t->s);
    slice action = scan_token(&t->s);
    if (io_fio_is_one_of(action, of_files))
        return io_expect_end(t, err);
    if (io_fio_is_one_of(action, of_bytes) &&
        !(t->version == 3 && *action.at == 'w' && action.at[1] == 'a'))
        return io_fio_take_action(t, file, action, err);
    t->s.at = action.at;
    scan_fail(&t->s, err, "expected an action");
    return ik_hint(err, IK_ERR_INPUT,
                   "one of add, open, close, read, write, sync, datasync, trim, and in version 2 "
                   "wait");
}

static ik_status io_fio_next(io_trace *t, bool *more, ik_error *err)
{
    ik_status status = io_next_line(t, more, err);
    if (status != IK_OK || !*more || scan_at_end(&t->s))
        return status;
    t->s.at = t->s.line_start;
    return t->headed ? io_fio_read_action(t, err) : io_fio_read_head(t, err);
}

const io_format io_fio = {.name = "fio", .is_certain = io_fio_is_certain, .next = io_fio_next};
