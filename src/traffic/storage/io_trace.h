/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_trace.h: recorded traces of block I/O, read as a stream into a list of accesses.
 *
 * A format is one row: how it is recognised, how far its times may run backwards, and the function
 * that reads the next line or record and calls io_add for what it says. Everything else (windows,
 * limits, order, disks, what is left out) is here, the same for all of them. */
#ifndef IK_IO_TRACE_H
#define IK_IO_TRACE_H

#include "base/hash.h"
#include "base/text_lines.h"
#include "format/scan.h"

#define IO_UNKNOWN UINT64_MAX
/* Longest time that a trace may say, and largest access. */
#define IO_MOST_NS    (UINT64_C(15) * 1000000000000000000)
#define IO_MOST_BYTES UINT64_C(1000000000000)
enum { IO_NAME_MAX = 256, IO_MOST_DISKS = 100000 };

/* Who asks is identified by */
typedef enum io_asks {
    IO_BY_SECTOR,  /* nothing: where it begins on its disk stands for it */
    IO_BY_PROCESS, /* the number of a process of the traced machine */
    IO_BY_HOST     /* the number of one of the hosts that access disks */
} io_asks;

typedef struct io_access {
    uint64_t ns;      /* when it is asked for */
    uint64_t done_ns; /* when it was answered, IO_UNKNOWN = the trace does not say */
    uint64_t offset, bytes;
    uint64_t key; /* what `asks` tells it by */
    uint32_t disk;
    uint32_t line; /* or record; larger ones come later */
    uint8_t asks;
    bool reads;
} io_access;

struct io_trace;
typedef struct io_format {
    const char *name;
    /* its times are those of a clock on the wall: the trace begins with its first access, that of
     * other formats at 0 */
    bool wall_clock;
    /* completions are lines of their own */
    bool completes_later;
    uint64_t back_ns; /* that an access may be before the latest one above it */
    /* Whether the beginning of a file (at most IO_LOOK bytes) can be of this format alone; NULL:
     * that cannot be decided. */
    bool (*is_certain)(const char *text, size_t size);
    /* Reads the next line or record; *more = false at the end. */
    ik_status (*next)(struct io_trace *t, bool *more, ik_error *err);
} io_format;
enum { IO_LOOK = 4096 };
#define IO_CSV_HEAD "time_ns,done_ns,device,op,offset,bytes,host" /* of ikat's own form */

#define IO_FORMATS "csv|msr|spc|srt|blkparse|blkparse_queue|fio|disksim"
extern const io_format io_csv, io_msr, io_spc, io_srt, io_blkparse, io_blkparse_queue, io_fio,
    io_disksim;

/* What of a trace is wanted: accesses that begin within a time, and of those the first. */
typedef struct io_window {
    uint64_t from_ns, length_ns; /* length IO_UNKNOWN = up to the end */
    uint64_t most;               /* accesses */
    uint64_t memory_limit;       /* bytes, 0 = none */
} io_window;

typedef struct io_trace {
    const io_format *format;
    /* ---- the accesses; ordered by time, counted from where the window begins, once it is read */
    io_access *list;
    size_t num, room;
    /* of the disks, numbered in the order of their names once it is read */
    slice *disk_names; /* [num_disks] */
    uint32_t num_disks;
    /* ---- what was skipped */
    uint64_t num_empty, num_other, num_outside; /* without bytes; neither read nor write */
    unsigned first_empty;
    uint64_t num_unknown; /* of the list, without a time of completion */
    unsigned first_unknown;
    /* ---- while it is read */
    ik_text_lines lines;
    scan s; /* the current line */
    io_window window;
    uint64_t begin_ns, latest_ns, first_ns, list_latest_ns;
    bool begun; /* begin_ns will not change any more */
    bool any;   /* access */
    name_map names;
    ik_arena arena;        /* of the names */
    uint32_t num_declared; /* disks that the file lists */
    /* of completes_later: accesses without their completion, the first ones of their sectors; the
     * others stand in a queue behind it */
    ik_hash pending;
    struct io_queue {
        uint32_t next, last;
    } * queue; /* [queue_room], of the list */
    size_t queue_room;
    /* ---- of the formats */
    uint64_t clock_ns;
    uint32_t record;
    unsigned version;
    bool headed, swapped, summary;
    bool cut; /* the last line has no end */
} io_trace;

/* Reads a file. format: its name, NULL = by its contents. Free with io_trace_free whatever it
 * returns. Refused with file and line (or record): what is not in the format, times that run
 * backwards further than it allows, completions before their access, sizes above 1 TB; files of no
 * known format, and those of which nothing lies in the window. Cost: O(file) for what is read (it
 * ends behind the window where the format is ordered) and O(n log n) for n accesses of 56 bytes. */
ik_status io_trace_read(io_trace *t, const char *path, const char *format, const io_window *window,
                        const ik_env *env, ik_error *err);
/* The same of a text in memory. */
ik_status io_trace_read_memory(io_trace *t, const char *text, size_t size, const char *path,
                               const char *format, const io_window *window, ik_error *err);
void io_trace_free(io_trace *t);

/* ---- for formats */

/* The next line, as t->s; *more = false at the end. */
ik_status io_next_line(io_trace *t, bool *more, ik_error *err);
/* IK_ERR_INPUT at the line or record that is being read. */
ik_status io_fail(const io_trace *t, ik_error *err, const char *format, ...) IK_PRINTF(3, 4);
/* An access; its disk and line are filled in here, the former from the name. */
ik_status io_add(io_trace *t, io_access a, slice disk, ik_error *err);
/* The first access of these that waits for its completion was answered at a time. */
ik_status io_complete(io_trace *t, slice disk, uint64_t offset, uint64_t bytes, uint64_t ns,
                      ik_error *err);
/* The number of the disk of this name. */
ik_status io_disk(io_trace *t, slice name, uint32_t *disk, ik_error *err);

/* Values of the current line; what: "a size in bytes". */
ik_status io_number(io_trace *t, const char *what, uint64_t most, uint64_t *value, ik_error *err);
/* The same, and the character that follows it. */
ik_status io_number_to(io_trace *t, char end, const char *what, uint64_t most, uint64_t *value,
                       ik_error *err);
/* A decimal number of units, in ns; digits below one ns are cut off. */
ik_status io_time(io_trace *t, const char *what, uint64_t unit_ns, uint64_t *ns, ik_error *err);
ik_status io_expect(io_trace *t, char c, ik_error *err);
ik_status io_expect_end(io_trace *t, ik_error *err);
/* Everything up to `end` or a blank, at least one character and at most IO_NAME_MAX. */
ik_status io_name(io_trace *t, const char *what, char end, slice *name, ik_error *err);
/* Sectors of 512 B in bytes; refused where 64 bits do not hold them. */
ik_status io_sectors(io_trace *t, uint64_t sectors, uint64_t *bytes, ik_error *err);
/* Whether it is that word, in any case. */
bool io_is_word(slice word, const char *text);

#endif
