/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing
 * above U+10FFFF.
 */
#include "base/utf8.h"

#include "ikat/base.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

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

size_t utf8_length_within(const char *text, size_t left)
{
    char whole[5] = {0}; /* a character has at most 4 bytes */
    assert(left > 0);
    memcpy(whole, text, left < 4 ? left : 4);
    return utf8_length(whole);
}

bool utf8_is_control(const char *c, size_t length)
{
    unsigned char first = (unsigned char)c[0];
    return length == 1 ? first < ' ' || first == 0x7f
                       : length == 2 && first == 0xc2 && (unsigned char)c[1] < 0xa0;
}

void utf8_clean(char *text, size_t size)
{
    size_t from = 0, to = 0;
    while (text[from]) {
        size_t length = utf8_length(text + from), taken = length ? length : 1;
        bool bad = length == 0 || utf8_is_control(text + from, length);
        size_t needed = bad ? 1 : length;
        if (needed > size - to)
            break;
        if (bad)
            text[to] = '?';
        else
            memmove(text + to, text + from, length);
        to += needed;
        from += taken;
    }
    text[to] = '\0';
}

void utf8_print(FILE *out, const char *text, size_t size, bool keep_lines)
{
    for (size_t at = 0; at < size;) {
        size_t length = utf8_length_within(text + at, size - at);
        bool line_end = text[at] == '\n' && keep_lines;
        if (length == 0 || (utf8_is_control(text + at, length) && !line_end))
            putc('?', out);
        else
            fwrite(text + at, 1, length, out);
        at += length ? length : 1;
    }
}

char *ik_text_line(char *text)
{
    utf8_clean(text, SIZE_MAX);
    return text;
}

void utf8_print_markup(FILE *out, const char *text)
{
    while (*text) {
        size_t length = utf8_length(text);
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (length == 0 || utf8_is_control(text, length))
            fputs(UTF8_REPLACEMENT, out);
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
}
