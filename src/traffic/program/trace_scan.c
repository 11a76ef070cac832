/* SPDX-License-Identifier: Apache-2.0
 *
 * program/trace_scan.c: see trace_scan.h. */
#include "traffic/program/trace_scan.h"

#include <inttypes.h>

ik_status trace_next(ik_text_lines *l, scan *s, bool *more, ik_error *err)
{
    ik_status status = ik_text_lines_next(l, more, err);
    if (status == IK_OK && *more)
        *s = scan_line_of(l);
    return status;
}

ik_status trace_uint(scan *s, const char *what, uint64_t most, uint64_t *value, ik_error *err)
{
    return scan_uint(s, most, value)
               ? IK_OK
               : scan_fail(s, err, "expected %s, a number up to %" PRIu64, what, most);
}

ik_status trace_decimal(scan *s, const char *what, unsigned digits, uint64_t most, uint64_t *value,
                        ik_error *err)
{
    const char *start = s->at;
    uint64_t whole = 0, power = 1, part = 0;
    for (unsigned k = 0; k < digits; k++)
        power *= 10;
    bool fits = scan_uint(s, most / power, &whole);
    if (fits && scan_char(s, '.')) {
        uint64_t left = power;
        const char *first = s->at;
        for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
            left /= 10;
            part += left * (uint64_t)(*s->at - '0');
        }
        fits = s->at > first;
    }
    *value = whole * power + part;
    if (fits && *value <= most)
        return IK_OK;
    s->at = start;
    return scan_fail(s, err, "expected %s, a number up to %" PRIu64, what, most / power);
}

ik_status trace_one_file(const program_source *s, const char *format, ik_error *err)
{
    if (s->num_files == 1)
        return IK_OK;
    ik_fail(err, IK_ERR_INPUT, "%s: %u files, a trace in format %s is one", s->path, s->num_files,
            format);
    return ik_hint(err, IK_ERR_INPUT, "the first is %s", s->files[0]);
}
