/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a text UTF-8? Names in dumps are bytes; a fabric's names are UTF-8.
 */
#ifndef IKAT_UTF8_H
#define IKAT_UTF8_H

#include <stddef.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"
#define UTF8_ELLIPSIS    "\xe2\x80\xa6"

/* Bytes of the character that starts here, 0 if none does. The text ends with a 0. */
size_t utf8_length(const char *text);
/* Replaces bytes that are no characters, and control characters, by '?' and cuts the text to at
 * most `size` bytes between characters. */
void utf8_clean(char *text, size_t size);

#endif
