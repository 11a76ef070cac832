/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_fields.c: values of a trace's line, each with its place where it is wrong. */
#include "traffic/storage/io_trace.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { SECTOR_BYTES = 512 };

ik_status io_next_line(io_trace *t, bool *more, ik_error *err)
{
    ik_text_lines *l = &t->lines;
    ik_status status = ik_text_lines_next(l, more, err);
    if (status != IK_OK || !*more)
        return status;
    t->s = scan_line_of(l);
    t->record = l->number;
    t->cut = l->cut;
    return IK_OK;
}

ik_status io_fail(const io_trace *t, ik_error *err, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (t->s.line)
        return ik_fail_at(err, IK_ERR_INPUT, t->s.file, t->s.line,
                          (unsigned)(t->s.at - t->s.line_start) + 1, "%s", text);
    return ik_fail_at(err, IK_ERR_INPUT, t->lines.path, 0, 0, "record %" PRIu32 ": %s", t->record,
                      text);
}

/* Whether a value ends here: a digit, letter or point behind it belongs to it. */
static bool io_fields_ends_value(const scan *s)
{
    char c = s->at < s->end ? *s->at : ' ';
    return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '.' || c == '_');
}

ik_status io_number(io_trace *t, const char *what, uint64_t most, uint64_t *value, ik_error *err)
{
    scan_blanks(&t->s);
    const char *start = t->s.at;
    if (scan_uint(&t->s, most, value) && io_fields_ends_value(&t->s))
        return IK_OK;
    t->s.at = start;
    return scan_fail(&t->s, err, "expected %s, a whole number up to %" PRIu64, what, most);
}

ik_status io_time(io_trace *t, const char *what, uint64_t unit_ns, uint64_t *ns, ik_error *err)
{
    assert(unit_ns > 0);
    scan *s = &t->s;
    scan_blanks(s);
    const char *start = s->at;
    uint64_t whole = 0, part = 0, digit = 0;
    bool right = scan_uint(s, IO_MOST_NS / unit_ns, &whole);
    if (right && scan_char(s, '.'))
        for (digit = unit_ns; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
            digit /= 10;
            part += digit * (unsigned)(*s->at - '0');
        }
    if (right && io_fields_ends_value(s) && s->at[-1] != '.') {
        *ns = whole * unit_ns + part;
        return IK_OK;
    }
    s->at = start;
    return scan_fail(s, err, "expected %s, a decimal number from 0 to %" PRIu64, what,
                     IO_MOST_NS / unit_ns);
}

ik_status io_expect(io_trace *t, char c, ik_error *err)
{
    scan_blanks(&t->s);
    return scan_char(&t->s, c) ? IK_OK : scan_fail(&t->s, err, "expected '%c'", c);
}

ik_status io_number_to(io_trace *t, char end, const char *what, uint64_t most, uint64_t *value,
                       ik_error *err)
{
    ik_status status = io_number(t, what, most, value, err);
    return status == IK_OK ? io_expect(t, end, err) : status;
}

ik_status io_expect_end(io_trace *t, ik_error *err)
{
    return scan_at_end(&t->s) ? IK_OK : scan_fail(&t->s, err, "expected the end of the line");
}

ik_status io_name(io_trace *t, const char *what, char end, slice *name, ik_error *err)
{
    scan *s = &t->s;
    const char *start = s->at;
    while (s->at < s->end && *s->at != end && *s->at != ' ' && *s->at != '\t')
        s->at++;
    *name = (slice){start, (size_t)(s->at - start)};
    if (name->length && name->length <= IO_NAME_MAX)
        return IK_OK;
    s->at = start;
    return scan_fail(s, err, "expected %s of 1 to %d characters", what, IO_NAME_MAX);
}

ik_status io_sectors(io_trace *t, uint64_t sectors, uint64_t *bytes, ik_error *err)
{
    if (sectors > UINT64_MAX / SECTOR_BYTES)
        return io_fail(t, err, "%" PRIu64 " sectors of 512 B are more than 2^64 B", sectors);
    *bytes = sectors * SECTOR_BYTES;
    return IK_OK;
}

bool io_is_word(slice word, const char *text)
{
    size_t at = 0;
    for (; at < word.length && text[at]; at++)
        if ((word.at[at] | 0x20) != (text[at] | 0x20))
            return false;
    return at == word.length && !text[at];
}
