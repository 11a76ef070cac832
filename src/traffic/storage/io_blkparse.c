/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_blkparse.c: the text that blkparse prints of Linux block traces (J. Axboe, blktrace):
 *
 *     8,0    3       11     0.009507758   697  D   W 223490 + 56 [kjournald]
 *
 * device, CPU, sequence number, seconds, process, action, kind, sector + sectors. Accesses are what
 * the driver is given (D), or, where the device has no such events, what is queued (Q: format
 * blkparse_queue); they are answered by the completion (C) of the same sectors. Kinds of neither
 * read nor write (discards, flushes, commands) are counted. The summary at the end is skipped. */
#include "traffic/storage/io_trace.h"

#include <inttypes.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
/* Buffers of several CPUs are merged by time; events may be late by so much. */
#define BACK_NS SECOND_NS

static const char *const actions[] = {"A", "B", "C", "D", "F", "G",  "I", "M", "P",
                                      "Q", "R", "S", "T", "U", "UT", "X", "m", NULL};

static bool io_blkparse_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number and what follows it. */
static bool io_blkparse_pass_number(const char **at, const char *end, char behind)
{
    const char *start = *at;
    while (*at < end && io_blkparse_is_digit(**at))
        ++*at;
    return *at > start && *at < end && *(*at)++ == behind;
}

static void io_blkparse_pass_blanks(const char **at, const char *end)
{
    while (*at < end && **at == ' ')
        ++*at;
}

/* "8,0 3 11 0.009507758 697 D ": numbers of that form in this order. */
static bool io_blkparse_is_event(const char *at, const char *end)
{
    static const char behind[] = {',', ' ', ' ', ' ', '.', ' ', ' '};
    for (size_t k = 0; k < sizeof behind; k++) {
        io_blkparse_pass_blanks(&at, end);
        if (!io_blkparse_pass_number(&at, end, behind[k]))
            return false;
    }
    return true;
}

static bool io_blkparse_is_certain(const char *text, size_t size)
{
    for (const char *at = text, *end = text + size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (stop > at && memcmp(at, "Input", (size_t)(stop - at) < 5 ? 1 : 5) != 0)
            return io_blkparse_is_event(at, stop);
        at = newline ? newline + 1 : end;
    }
    return false;
}

typedef struct event {
    char device[24];
    slice action, kind;
    uint64_t ns, process;
} event;

static bool io_blkparse_is_known(slice action)
{
    for (size_t k = 0; actions[k]; k++)
        if (strlen(actions[k]) == action.length &&
            memcmp(actions[k], action.at, action.length) == 0)
            return true;
    return false;
}

/* "8,0" as the name "8:0", which lsblk prints as well. */
static ik_status io_blkparse_read_device(io_trace *t, event *e, ik_error *err)
{
    uint64_t major = 0, minor = 0;
    ik_status status = io_number_to(t, ',', "a device, as 8,0", UINT32_MAX, &major, err);
    if (status == IK_OK)
        status = io_number(t, "a device's minor number", UINT32_MAX, &minor, err);
    snprintf(e->device, sizeof e->device, "%" PRIu64 ":%" PRIu64, major, minor);
    return status;
}

static ik_status io_blkparse_read_event(io_trace *t, event *e, ik_error *err)
{
    uint64_t number = 0;
    ik_status status = io_blkparse_read_device(t, e, err);
    if (status == IK_OK)
        status = io_number(t, "a CPU", UINT32_MAX, &number, err);
    if (status == IK_OK)
        status = io_number(t, "a sequence number", UINT64_MAX, &number, err);
    if (status == IK_OK)
        status = io_time(t, "a time in seconds", SECOND_NS, &e->ns, err);
    if (status == IK_OK)
        status = io_number(t, "a process", UINT32_MAX, &e->process, err);
    if (status != IK_OK)
        return status;
    scan_blanks(&t->s);
    e->action = scan_token(&t->s);
    if (!io_blkparse_is_known(e->action)) {
        t->s.at = e->action.at;
        return scan_fail(&t->s, err, "expected an action, as Q, D or C");
    }
    scan_blanks(&t->s);
    e->kind = scan_token(&t->s);
    return IK_OK;
}

/* The letter that says what is done: of "FWFS" (flush first) the W. 0: it is unknown. */
static char io_blkparse_kind_letter(slice kind)
{
    size_t at = kind.length > 1 && kind.at[0] == 'F' && strchr("RWDN", kind.at[1]) ? 1 : 0;
    return at < kind.length && strchr("RWDFNEVZ", kind.at[at]) ? kind.at[at] : '\0';
}

typedef enum extent { EXTENT_SECTORS, EXTENT_NONE, EXTENT_COMMAND } extent;

/* "223490 + 56"; "[kjournald]" or "0 [0]" of what has no sectors; "36 (12 00 …)" of commands. */
static ik_status io_blkparse_read_extent(io_trace *t, uint64_t *offset, uint64_t *bytes,
                                         extent *kind, ik_error *err)
{
    uint64_t sector = 0, sectors = 0;
    scan *s = &t->s;
    *kind = EXTENT_NONE;
    if (scan_at_end(s) || *s->at == '[')
        return s->cut ? scan_fail(s, err, "expected a sector") : IK_OK;
    ik_status status = io_number(t, "a sector", UINT64_MAX / 512, &sector, err);
    if (status != IK_OK)
        return status;
    scan_blanks(s);
    if (s->at < s->end && (*s->at == '[' || *s->at == '(')) {
        *kind = *s->at == '(' ? EXTENT_COMMAND : EXTENT_NONE;
        return IK_OK;
    }
    *kind = EXTENT_SECTORS;
    status = io_expect(t, '+', err);
    if (status == IK_OK)
        status = io_number(t, "a number of sectors", IO_MOST_BYTES / 512, &sectors, err);
    if (status == IK_OK)
        status = io_sectors(t, sector, offset, err);
    return status == IK_OK ? io_sectors(t, sectors, bytes, err) : status;
}

static ik_status io_blkparse_take_event(io_trace *t, const event *e, char letter, ik_error *err)
{
    io_access a = {.ns = e->ns,
                   .done_ns = IO_UNKNOWN,
                   .key = e->process,
                   .asks = IO_BY_PROCESS,
                   .reads = letter == 'R'};
    extent kind = EXTENT_NONE;
    slice device = {e->device, strlen(e->device)};
    ik_status status = io_blkparse_read_extent(t, &a.offset, &a.bytes, &kind, err);
    if (status != IK_OK)
        return status;
    if (*e->action.at == 'C')
        return kind == EXTENT_SECTORS ? io_complete(t, device, a.offset, a.bytes, e->ns, err)
                                      : IK_OK;
    if (kind == EXTENT_COMMAND) {
        t->num_other++;
        return IK_OK;
    }
    return io_add(t, a, device, err);
}

static ik_status io_blkparse_read_line(io_trace *t, char asks, ik_error *err)
{
    event e = {.ns = 0};
    ik_status status = io_blkparse_read_event(t, &e, err);
    if (status != IK_OK || e.action.length > 1 || (*e.action.at != asks && *e.action.at != 'C'))
        return status;
    char letter = io_blkparse_kind_letter(e.kind);
    if (!letter) {
        t->s.at = e.kind.at;
        return scan_fail(&t->s, err, "expected a kind of access, as R, W or WS");
    }
    if (letter == 'R' || letter == 'W')
        return io_blkparse_take_event(t, &e, letter, err);
    t->num_other += *e.action.at == asks;
    return IK_OK;
}

/* What is printed beside the events. */
static bool io_blkparse_is_remark(io_trace *t)
{
    static const char *const words[] = {"CPU", "Total", "Throughput", "Events", "Skips"};
    scan_blanks(&t->s);
    size_t left = (size_t)(t->s.end - t->s.at);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        t->summary |= left >= strlen(words[k]) && memcmp(t->s.at, words[k], strlen(words[k])) == 0;
    return left == 0 || t->summary || (left >= 10 && memcmp(t->s.at, "Input file", 10) == 0);
}

static ik_status io_blkparse_next_of(io_trace *t, char asks, bool *more, ik_error *err)
{
    ik_status status = io_next_line(t, more, err);
    if (status != IK_OK || !*more || io_blkparse_is_remark(t))
        return status;
    return io_blkparse_read_line(t, asks, err);
}

static ik_status io_blkparse_next(io_trace *t, bool *more, ik_error *err)
{
    return io_blkparse_next_of(t, 'D', more, err);
}

static ik_status io_blkparse_next_queued(io_trace *t, bool *more, ik_error *err)
{
    return io_blkparse_next_of(t, 'Q', more, err);
}

const io_format io_blkparse = {.name = "blkparse",
                               .completes_later = true,
                               .back_ns = BACK_NS,
                               .is_certain = io_blkparse_is_certain,
                               .next = io_blkparse_next};
const io_format io_blkparse_queue = {.name = "blkparse_queue",
                                     .completes_later = true,
                                     .back_ns = BACK_NS,
                                     .next = io_blkparse_next_queued};
