/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a text UTF-8? Names in dumps are bytes; files that must be UTF-8 get a replacement for what is not.
 */
#ifndef IKAT_UTF8_H
#define IKAT_UTF8_H

#include <stddef.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the character that starts here, 0 if none does. The text ends with a 0. */
size_t utf8_length(const char *text);

#endif
