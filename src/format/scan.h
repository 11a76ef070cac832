/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a text line by line with the place of every error.
 */
#ifndef IKAT_SCAN_H
#define IKAT_SCAN_H

#include "base/text_lines.h"
#include "format/name_map.h"

typedef struct scan {
    const char *file;
    const char *next, *text_end;       /* of the whole text */
    const char *line_start, *at, *end; /* of the current line, without its end */
    unsigned line;
    bool cut; /* the current line is the last and has no end */
} scan;

scan scan_text(const char *text, size_t size, const char *file);
/* The line that ik_text_lines_next handed out last; it has no next line. */
scan scan_line_of(const ik_text_lines *l);
/* Goes to the next line; false at the end of the text. */
bool scan_line(scan *s);
/* Blanks and tabs. */
void scan_blanks(scan *s);
bool scan_at_end(scan *s); /* only blanks are left in the line */
/* Takes the character or word (if a word, it must end there) and returns true, or leaves
 * everything. */
bool scan_char(scan *s, char c);
bool scan_word(scan *s, const char *word);
/* The same of a text behind which anything may stand. */
bool scan_prefix(scan *s, const char *text);
/* A decimal number up to max; a hexadecimal one. */
bool scan_uint(scan *s, uint64_t max, uint64_t *value);
bool scan_hex(scan *s, uint64_t *value);
/* Everything up to the next blank. */
slice scan_token(scan *s);
/* IK_ERR_INPUT at the place of s->at, with what stands there. */
ik_status scan_fail(const scan *s, ik_error *err, const char *format, ...) IK_PRINTF(3, 4);

#endif
