/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing
 * above U+10FFFF.
 */
#include "fabric/utf8.h"

static int is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    if (c[0] >= 0xc2 && c[0] <= 0xdf)
        return is_tail(c[1]) ? 2 : 0;
    if (c[0] >= 0xe0 && c[0] <= 0xef) {
        unsigned char low = c[0] == 0xe0 ? 0xa0 : 0x80, high = c[0] == 0xed ? 0x9f : 0xbf;
        return c[1] >= low && c[1] <= high && is_tail(c[2]) ? 3 : 0;
    }
    if (c[0] >= 0xf0 && c[0] <= 0xf4) {
        unsigned char low = c[0] == 0xf0 ? 0x90 : 0x80, high = c[0] == 0xf4 ? 0x8f : 0xbf;
        return c[1] >= low && c[1] <= high && is_tail(c[2]) && is_tail(c[3]) ? 4 : 0;
    }
    return 0;
}

void utf8_clean(char *text, size_t size)
{
    size_t at = 0;
    while (text[at]) {
        size_t length = utf8_length(text + at);
        if (at + (length ? length : 1) > size) {
            text[at] = '\0';
            return;
        }
        if (length == 0 || (unsigned char)text[at] < ' ' || text[at] == 0x7f)
            text[at] = '?';
        at += length ? length : 1;
    }
}
