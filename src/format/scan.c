/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a text line by line with the place of every error.
 */
#include "format/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

scan scan_text(const char *text, size_t size, const char *file)
{
    return (scan){.file = file,
                  .next = text,
                  .text_end = text + size,
                  .line_start = text,
                  .at = text,
                  .end = text};
}

scan scan_line_of(const ik_text_lines *l)
{
    return (scan){.file = l->path,
                  .next = l->line_end,
                  .text_end = l->line_end,
                  .line_start = l->line,
                  .at = l->line,
                  .end = l->line_end,
                  .line = l->number,
                  .cut = l->cut};
}

bool scan_line(scan *s)
{
    if (s->next == s->text_end)
        return false;
    const char *newline = memchr(s->next, '\n', (size_t)(s->text_end - s->next));
    s->cut = !newline;
    s->line_start = s->at = s->next;
    s->end = newline ? newline : s->text_end;
    s->next = newline ? newline + 1 : s->text_end;
    while (s->end > s->at && s->end[-1] == '\r') /* two of them in logs of terminals */
        s->end--;
    s->line++;
    return true;
}

void scan_blanks(scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        s->at++;
}

bool scan_at_end(scan *s)
{
    scan_blanks(s);
    return s->at == s->end;
}

bool scan_char(scan *s, char c)
{
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

bool scan_prefix(scan *s, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0)
        return false;
    s->at += length;
    return true;
}

bool scan_word(scan *s, const char *word)
{
    const char *start = s->at;
    if (!scan_prefix(s, word))
        return false;
    if (s->at == s->end || *s->at == ' ' || *s->at == '\t')
        return true;
    s->at = start;
    return false;
}

bool scan_uint(scan *s, uint64_t max, uint64_t *value)
{
    const char *c = s->at;
    uint64_t v = 0;
    for (; c < s->end && *c >= '0' && *c <= '9'; c++) {
        unsigned digit = (unsigned)(*c - '0');
        if (digit > max || v > (max - digit) / 10)
            return false;
        v = 10 * v + digit;
    }
    if (c == s->at)
        return false;
    s->at = c;
    *value = v;
    return true;
}

static int scan_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool scan_hex(scan *s, uint64_t *value)
{
    const char *c = s->at;
    if (s->end - c >= 2 && c[0] == '0' && (c[1] == 'x' || c[1] == 'X'))
        c += 2;
    const char *first = c;
    uint64_t v = 0;
    for (; c < s->end && scan_hex_digit(*c) >= 0; c++) {
        if (v >> 60)
            return false;
        v = v << 4 | (unsigned)scan_hex_digit(*c);
    }
    if (c == first)
        return false;
    s->at = c;
    *value = v;
    return true;
}

slice scan_token(scan *s)
{
    slice token = {s->at, 0};
    while (s->at < s->end && *s->at != ' ' && *s->at != '\t')
        s->at++;
    token.length = (size_t)(s->at - token.at);
    return token;
}

ik_status scan_fail(const scan *s, ik_error *err, const char *format, ...)
{
    char text[300], here[40];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t left = (size_t)(s->end - s->at), shown = left < 24 ? left : 24;
    if (left)
        snprintf(here, sizeof here, "'%.*s%s'", (int)shown, s->at, left > shown ? "..." : "");
    else
        snprintf(here, sizeof here, "%s", s->cut ? "the end of the file" : "the end of the line");
    ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, (unsigned)(s->at - s->line_start) + 1,
               "%s, not %s", text, here);
    if (s->cut && !left)
        return ik_hint(err, IK_ERR_INPUT, "the file seems to be cut off");
    return IK_ERR_INPUT;
}
