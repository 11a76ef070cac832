/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing
 * above U+10FFFF.
 */
#include "base/utf8.h"

#include "ikat/base.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int utf8_is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    if (c[0] >= 0xc2 && c[0] <= 0xdf)
        return utf8_is_tail(c[1]) ? 2 : 0;
    if (c[0] >= 0xe0 && c[0] <= 0xef) {
        unsigned char low = c[0] == 0xe0 ? 0xa0 : 0x80, high = c[0] == 0xed ? 0x9f : 0xbf;
        return c[1] >= low && c[1] <= high && utf8_is_tail(c[2]) ? 3 : 0;
    }
    if (c[0] >= 0xf0 && c[0] <= 0xf4) {
        unsigned char low = c[0] == 0xf0 ? 0x90 : 0x80, high = c[0] == 0xf4 ? 0x8f : 0xbf;
        return c[1] >= low && c[1] <= high && utf8_is_tail(c[2]) && utf8_is_tail(c[3]) ? 4 : 0;
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

uint32_t utf8_code(const char *c, size_t length)
{
    const unsigned char *u = (const unsigned char *)c;
    uint32_t code = length == 1 ? u[0] : u[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (u[i] & 0x3fu);
    return code;
}

bool utf8_is_control(const char *c, size_t length)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                  {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    uint32_t code = utf8_code(c, length);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
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

/* A spreadsheet takes a cell that begins so for a formula; a number is none. */
static bool utf8_seems_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@", *text) || !text[1])
        return false;
    (void)strtod(text, &end);
    return *end != '\0';
}

void ik_text_csv(FILE *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted)
        putc('"', out);
    if (utf8_seems_formula(text))
        putc('\'', out);
    while (*text) {
        size_t length = utf8_length(text);
        if (length == 0 || (utf8_is_control(text, length) && *text != '\n'))
            fputs(UTF8_REPLACEMENT, out);
        else
            fwrite(text, 1, length, out);
        if (*text == '"')
            putc('"', out);
        text += length ? length : 1;
    }
    if (quoted)
        putc('"', out);
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
