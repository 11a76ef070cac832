/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts in lines of a given width. Greedy: a piece goes to the next line if it does not fit in this
 * one, so that the same text and width give the same lines everywhere.
 */
#include "base/utf8.h"
#include "ikat/base.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

static bool text_wrap_is_blank(char c)
{
    return c == ' ' || c == '\n';
}

static size_t text_wrap_word_at(const char *text, size_t left)
{
    size_t length = 0;
    while (length < left && !text_wrap_is_blank(text[length]))
        length++;
    return length;
}

static unsigned text_wrap_columns_of(const char *text, size_t size)
{
    unsigned columns = 0;
    for (size_t at = 0; at < size; columns++) {
        size_t length = utf8_length_within(text + at, size - at);
        at += length ? length : 1;
    }
    return columns;
}

/* The bytes of a word, or of as many of its alternatives ("a|b|c") as a whole line has room for. */
static size_t text_wrap_part_of_word(const char *text, size_t length, unsigned room)
{
    size_t part = 0;
    if (text_wrap_columns_of(text, length) <= room)
        return length;
    for (size_t at = 0; at + 1 < length; at++)
        if (text[at] == '|' && (part == 0 || text_wrap_columns_of(text, at + 1) <= room))
            part = at + 1;
    return part ? part : length;
}

/* The bytes of what stands together at text; `left` > 0 of them there are. */
static size_t text_wrap_piece_at(const char *text, size_t left, const ik_wrap *how)
{
    size_t length = how->piece ? how->piece(text, left) : 0;
    assert(length <= left);
    if (length)
        return length;
    length = text_wrap_word_at(text, left); /* not 0: no blank stands here */
    unsigned room = how->width > how->indent ? how->width - how->indent : 0;
    return how->width ? text_wrap_part_of_word(text, length, room) : length;
}

void ik_text_wrap(FILE *out, const char *text, size_t size, const ik_wrap *how)
{
    unsigned column = how->column,
             more = how->more ? text_wrap_columns_of(how->more, strlen(how->more)) : 0;
    bool first = true, blank = false;
    size_t at = 0;
    while (at < size && text_wrap_is_blank(text[at]))
        at++;
    while (at < size) {
        size_t length = text_wrap_piece_at(text + at, size - at, how);
        unsigned columns = text_wrap_columns_of(text + at, length);
        bool last = at + length == size;
        unsigned end = column + blank + columns + (last ? 0 : more);
        if (!first && how->width && end > how->width) {
            fprintf(out, "%s\n%*s", how->more ? how->more : "", (int)how->indent, "");
            column = how->indent;
        } else if (blank) {
            putc(' ', out);
            column++;
        }
        utf8_print(out, text + at, length, false);
        column += columns;
        at += length;
        first = false;
        for (blank = false; at < size && text_wrap_is_blank(text[at]); at++)
            blank = true;
    }
    putc('\n', out);
}
