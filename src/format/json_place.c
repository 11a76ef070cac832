/* SPDX-License-Identifier: Apache-2.0
 *
 * json_place.c: where in a JSON text an element stands. Jansson keeps no places of what it has
 * read; a text that it accepted is skipped once more, value by value, only when there is
 * something to complain about. O(size).
 */
#include "format/json_read.h"

#include <string.h>

typedef struct scanner {
    const char *at, *end, *line_start;
    unsigned line;
} scanner;

static void json_place_skip_space(scanner *s)
{
    for (; s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at; s->at++) {
        if (*s->at == '\n') {
            s->line++;
            s->line_start = s->at + 1;
        }
    }
}

/* A string, from its opening quote on. */
static void json_place_skip_string(scanner *s)
{
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
        s->at += *s->at == '\\';
    s->at = s->at < s->end ? s->at + 1 : s->end;
}

static void json_place_skip_value(scanner *s)
{
    size_t depth = 0;
    do {
        json_place_skip_space(s);
        if (s->at >= s->end)
            return;
        char c = *s->at;
        if (c == '"') {
            json_place_skip_string(s);
            continue;
        }
        depth += c == '[' || c == '{';
        depth -= (c == ']' || c == '}') && depth > 0;
        s->at++;
        while (c != '[' && c != ']' && c != '{' && c != '}' && s->at < s->end &&
               !strchr(",:[]{} \t\r\n\"", *s->at))
            s->at++; /* a number or a word */
    } while (depth > 0);
}

static bool json_place_take(scanner *s, char mark)
{
    json_place_skip_space(s);
    bool there = s->at < s->end && *s->at == mark;
    s->at += there;
    return there;
}

/* Stands before element `index` of the array that begins here. */
static bool json_place_go_to_element(scanner *s, size_t index)
{
    bool more = json_place_take(s, '[');
    for (size_t n = 0; more && n < index; n++) {
        json_place_skip_value(s);
        more = json_place_take(s, ',');
    }
    json_place_skip_space(s);
    return more;
}

static bool json_place_tell_element(scanner *s, size_t index, unsigned *line, unsigned *column)
{
    if (!json_place_go_to_element(s, index))
        return false;
    *line = s->line;
    *column = (unsigned)(s->at - s->line_start) + 1;
    return true;
}

bool json_mentions(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; size >= length && at <= text + size - length; at++)
        if (*at == *word && memcmp(at, word, length) == 0)
            return true;
    return false;
}

bool json_place(const char *text, size_t size, const char *key, size_t index, unsigned *line,
                unsigned *column)
{
    scanner s = {text, text + size, text, 1};
    if (!key)
        return json_place_tell_element(&s, index, line, column);
    size_t length = strlen(key);
    for (bool more = json_place_take(&s, '{'); more; more = json_place_take(&s, ',')) {
        json_place_skip_space(&s);
        const char *name = s.at + 1;
        json_place_skip_value(&s);
        bool found = s.at >= name + length + 1 && (size_t)(s.at - 1 - name) == length &&
                     memcmp(name, key, length) == 0;
        if (!json_place_take(&s, ':'))
            return false;
        if (found)
            return json_place_tell_element(&s, index, line, column);
        json_place_skip_value(&s);
    }
    return false;
}
