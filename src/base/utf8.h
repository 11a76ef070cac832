/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a text UTF-8? Names in dumps are bytes; a fabric's names are UTF-8.
 */
#ifndef IKAT_UTF8_H
#define IKAT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"
#define UTF8_ELLIPSIS    "\xe2\x80\xa6"

/* Bytes of the character that starts here, 0 if none does. The text ends with a 0. */
size_t utf8_length(const char *text);
/* The same in a text of which `left` > 0 bytes are left, whatever they are. */
size_t utf8_length_within(const char *text, size_t left);
/* The number of this character of `length` bytes. */
uint32_t utf8_code(const char *c, size_t length);
/* Does a program act on this character of `length` bytes instead of showing it? Control characters
 * (U+0000 to U+001F, U+007F to U+009F), ends of lines and paragraphs (U+2028, U+2029), and what
 * turns the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). No
 * output has them as they are; docs/formats.md says what stands for them. */
bool utf8_is_control(const char *c, size_t length);
/* Replaces bytes that are no characters, and control characters, by '?' and cuts the text to at
 * most `size` bytes between characters. */
void utf8_clean(char *text, size_t size);
/* Prints `size` bytes of a text cleaned in the same way; with keep_lines line ends stay. */
void utf8_print(FILE *out, const char *text, size_t size, bool keep_lines);
/* Prints a text as the content of an element of HTML or XML: '&', '<' and '>' escaped, U+FFFD for
 * bytes that are no characters and for control characters. */
void utf8_print_markup(FILE *out, const char *text);

#endif
