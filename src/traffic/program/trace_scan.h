/* SPDX-License-Identifier: Apache-2.0
 *
 * program/trace_scan.h: what readers of text traces share. */
#ifndef IK_TRACE_SCAN_H
#define IK_TRACE_SCAN_H

#include "base/text_lines.h"
#include "format/scan.h"
#include "traffic/program/reader.h"

/* The next line; *more = false at the end. */
ik_status trace_next(ik_text_lines *l, scan *s, bool *more, ik_error *err);
/* A number with a decimal point, times 10^digits; what is behind so many digits is skipped.
 * Refused: none, more than `most`. what: "a time in ns". */
ik_status trace_decimal(scan *s, const char *what, unsigned digits, uint64_t most, uint64_t *value,
                        ik_error *err);
/* A whole number up to `most`. */
ik_status trace_uint(scan *s, const char *what, uint64_t most, uint64_t *value, ik_error *err);
/* The only file of a source. */
ik_status trace_one_file(const program_source *s, const char *format, ik_error *err);

#endif
