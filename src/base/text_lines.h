/* SPDX-License-Identifier: Apache-2.0
 *
 * text_lines.h: a text file line by line, plain or packed with gzip, of any length: only a piece of
 * it is in memory. What ik_text_begin refuses is refused here, too, with its place. Files that
 * are not text, or only begin with some, are read by ik_text_lines_peek and ik_text_lines_skip. */
#ifndef IKAT_BASE_TEXT_LINES_H
#define IKAT_BASE_TEXT_LINES_H

#include "ikat/base.h"

typedef struct ik_text_lines {
    const char *path;
    const ik_env *env; /* progress and cancellation; may be NULL */
    void *in;          /* the stream; NULL = the text is in memory */
    char *buffer;
    size_t cap, at, used; /* of the buffer: what was handed out ends at `at` */
    const char *text;     /* where lines are cut from: buffer, or the text in memory */
    bool at_end;          /* nothing is left to be read behind the buffer */
    uint64_t size;        /* of the file, packed */
    double reported;      /* when progress was, seconds */
    /* of the line handed out last; without its end, of which \r is a part */
    const char *line, *line_end;
    unsigned number; /* from 1 */
    bool cut;        /* it is the last one and has no end */
} ik_text_lines;

/* ik_text_read of a file that may be a log of a terminal: controls of one (bell, backspace, escape)
 * do not end it; ik_text_begin refuses them. */
ik_status ik_text_read_log(const char *path, uint64_t limit_bytes, char **text, size_t *size,
                           ik_error *err);
static inline bool ik_text_is_control(unsigned char c)
{
    return c == 7 || c == 8 || c == 27;
}

/* Longer lines are refused. */
enum { IK_LINE_MAX = 1 << 20 };

ik_status ik_text_lines_open(ik_text_lines *l, const char *path, const ik_env *env, ik_error *err);
/* The same of a text in memory, which outlives l. */
void ik_text_lines_memory(ik_text_lines *l, const char *text, size_t size, const char *path);
/* The next line, l->line up to l->line_end, valid until the next call; *more = false at the end. */
ik_status ik_text_lines_next(ik_text_lines *l, bool *more, ik_error *err);
/* The bytes that come next, whatever they are: *got of them from l->text + l->at on, valid until
 * the next call. At least `wanted` (at most IK_LINE_MAX), fewer only where the file ends. */
ik_status ik_text_lines_peek(ik_text_lines *l, size_t wanted, size_t *got, ik_error *err);
/* Passes over bytes that ik_text_lines_peek has shown. */
void ik_text_lines_skip(ik_text_lines *l, size_t size);
/* May be called after a failure, and twice. */
void ik_text_lines_close(ik_text_lines *l);

#endif
