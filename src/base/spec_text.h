/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_text.h: the one notation for texts inside specs that are not to be taken apart: "…" is a
 * text with the escapes \" and \\, (…) a spec as it would be written by itself. Separators inside
 * of such a group are none. A quote opens a group only where a value or a member begins, so that it
 * may stand inside of names. */
#ifndef IKAT_BASE_SPEC_TEXT_H
#define IKAT_BASE_SPEC_TEXT_H

#include "ikat/base.h"

/* Goes through a text from one end to the other, a group at a time. */
typedef struct spec_walk {
    const char *at;
    bool within; /* a value or a member has begun: a quote is one of its characters */
} spec_walk;

/* Moves on over one character, or over one group. */
void spec_walk_next(spec_walk *walk);
/* The first of `stops` outside of groups, or the end of the text. */
const char *spec_text_find(const char *text, const char *stops);
/* Whether text[0..length) is one group, in quotes or in parentheses. */
bool spec_text_is_group(const char *text, size_t length);
/* What stands in such a group, without escapes. NULL = out of memory. */
char *spec_text_of_group(const char *text, size_t length, ik_arena *arena);

/* Refuses quotes and parentheses without their other end, and specs within specs within specs:
 * every level copies what is left of the text. Linear. */
ik_status spec_text_check(const char *text, ik_error *err);

/* A value as it stands behind '=' in a spec: itself, or in quotes if it would be read as something
 * else. NULL = out of memory. */
const char *spec_text_quoted(const char *text, ik_arena *arena);

/* "KEY=" at the beginning of a text: the length of KEY, 0 = there is none. */
size_t spec_text_key(const char *text);
/* The item of a spec at text ends at a comma before KEY=, or with the text: values may contain
 * other commas. */
size_t spec_text_item(const char *text);

#endif
