/* SPDX-License-Identifier: Apache-2.0
 *
 * json_parse.c: reads JSON (RFC 8259) into the values of Jansson. Jansson's own reader drops
 * characters of a text without a word where it lacks memory; this one says so.
 */
#include "base/json_value.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER = 400 };

typedef struct reader {
    const char *text, *at, *end;
    char *buffer; /* of the last string */
    size_t room;
    ik_status status;
    json_error_t *why;
} reader;

/* ---- errors */

static void IK_PRINTF(2, 3) json_parse_wrong(reader *r, const char *format, ...)
{
    if (r->status != IK_OK)
        return;
    const char *line_start = r->text;
    r->status = IK_ERR_INPUT;
    r->why->line = 1;
    for (const char *c = r->text; c < r->at; c++)
        if (*c == '\n') {
            r->why->line++;
            line_start = c + 1;
        }
    r->why->column = (int)(r->at - line_start) + 1;
    r->why->position = (int)(r->at - r->text);
    va_list args;
    va_start(args, format);
    vsnprintf(r->why->text, sizeof r->why->text, format, args);
    va_end(args);
}

static void *json_parse_no_memory(reader *r)
{
    if (r->status == IK_OK)
        r->status = IK_ERR_MEMORY;
    return NULL;
}

/* ---- characters */

static void json_parse_skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* The next character, 0 at the end. */
static char json_parse_next(const reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static bool json_parse_take(reader *r, char c)
{
    bool there = r->at < r->end && *r->at == c;
    r->at += there;
    return there;
}

/* ---- strings */

static bool json_parse_read_hex(reader *r, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = json_parse_next(r) ? strchr(digits, json_parse_next(r)) : NULL;
        if (!digit) {
            json_parse_wrong(r, "\\u without four hexadecimal digits");
            return false;
        }
        unsigned value = (unsigned)(digit - digits);
        *code = *code << 4 | (value > 15 ? value - 6 : value);
        r->at++;
    }
    return true;
}

/* Behind "\u": a code unit, or a pair of them. */
static bool json_parse_read_code(reader *r, unsigned *code)
{
    unsigned low;
    if (!json_parse_read_hex(r, code))
        return false;
    if (*code >= 0xd800 && *code < 0xdc00 && json_parse_take(r, '\\') && json_parse_take(r, 'u') &&
        json_parse_read_hex(r, &low) && low >= 0xdc00 && low < 0xe000)
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    if (*code == 0 || (*code >= 0xd800 && *code < 0xe000))
        json_parse_wrong(r, *code ? "\\u%04x alone is not a character" : "\\u%04x is not text",
                         *code);
    return r->status == IK_OK;
}

static size_t json_parse_put_code(unsigned code, char *out)
{
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(marks[length] | code);
    return length;
}

/* One character into out, its bytes counted in *used; false: the string is wrong. */
static bool json_parse_read_character(reader *r, char *out, size_t *used)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (json_parse_take(r, '\\')) {
        const char *name = json_parse_next(r) ? strchr(names, json_parse_next(r)) : NULL;
        unsigned code = name ? (unsigned char)values[name - names] : 0;
        if (!name && json_parse_next(r) != 'u') {
            json_parse_wrong(r, "an escape sequence that JSON does not have");
            return false;
        }
        r->at++;
        if (!name && !json_parse_read_code(r, &code))
            return false;
        *used += json_parse_put_code(code, out + *used);
        return true;
    }
    size_t length = utf8_length_within(r->at, (size_t)(r->end - r->at));
    if (length == 0 || (unsigned char)*r->at < ' ') {
        json_parse_wrong(r, length ? "a control character in a text" : "a text that is not UTF-8");
        return false;
    }
    memcpy(out + *used, r->at, length);
    *used += length;
    r->at += length;
    return true;
}

/* Bytes up to the closing quote: what is read is not longer. */
static size_t json_parse_raw_length(const reader *r)
{
    const char *c = r->at;
    while (c < r->end && *c != '"')
        c += *c == '\\' && c + 1 < r->end ? 2 : 1;
    return (size_t)(c - r->at);
}

/* Behind the opening quote; the text is in r->buffer. */
static bool json_parse_read_string(reader *r, size_t *length)
{
    size_t needed = json_parse_raw_length(r) + 1;
    if (needed > r->room) {
        char *larger = realloc(r->buffer, needed);
        if (!larger) {
            json_parse_no_memory(r);
            return false;
        }
        r->buffer = larger;
        r->room = needed;
    }
    *length = 0;
    while (r->at < r->end && *r->at != '"')
        if (!json_parse_read_character(r, r->buffer, length))
            return false;
    r->buffer[*length] = '\0';
    if (!json_parse_take(r, '"'))
        json_parse_wrong(r, "a text without its closing quote");
    return r->status == IK_OK;
}

static json_t *json_parse_read_text(reader *r)
{
    size_t length;
    if (!json_parse_read_string(r, &length))
        return NULL;
    json_t *made = json_stringn_nocheck(r->buffer, length);
    return made ? made : json_parse_no_memory(r);
}

/* ---- numbers */

static bool json_parse_take_digits(reader *r)
{
    const char *start = r->at;
    while (json_parse_next(r) >= '0' && json_parse_next(r) <= '9')
        r->at++;
    return r->at > start;
}

/* Passes a number over; *real: it has a fraction or an exponent. */
static bool json_parse_scan_number(reader *r, bool *real)
{
    json_parse_take(r, '-');
    bool good = json_parse_take(r, '0') || json_parse_take_digits(r);
    if ((*real = json_parse_take(r, '.')))
        good = good && json_parse_take_digits(r);
    if (good && (json_parse_take(r, 'e') || json_parse_take(r, 'E'))) {
        *real = true;
        if (!json_parse_take(r, '+'))
            json_parse_take(r, '-');
        good = json_parse_take_digits(r);
    }
    if (!good)
        json_parse_wrong(r, "a number without digits");
    return good;
}

static json_t *json_parse_read_number(reader *r)
{
    const char *start = r->at;
    char text[MAX_NUMBER + 1];
    bool real;
    if (!json_parse_scan_number(r, &real))
        return NULL;
    size_t length = (size_t)(r->at - start), kept = length < MAX_NUMBER ? length : MAX_NUMBER;
    memcpy(text, start, kept);
    text[kept] = '\0';
    errno = 0;
    double value = real ? strtod(text, NULL) : 0;
    long long whole = real ? 0 : strtoll(text, NULL, 10);
    if (length > MAX_NUMBER || (!real && errno == ERANGE) || isinf(value)) {
        r->at = start;
        json_parse_wrong(r, "a number that is too large");
        return NULL;
    }
    json_t *made = real ? json_real(value) : json_integer(whole);
    return made ? made : json_parse_no_memory(r);
}

/* ---- values */

static json_t *json_parse_read_value(reader *r, unsigned depth);

static json_t *json_parse_read_word(reader *r)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= length && memcmp(r->at, words[i], length) == 0) {
            r->at += length;
            return i == 0 ? json_true() : i == 1 ? json_false() : json_null();
        }
    }
    json_parse_wrong(r, r->at < r->end ? "this is not a value" : "the text ends too early");
    return NULL;
}

/* Behind an item: is there another? */
static bool json_parse_more(reader *r, char close)
{
    json_parse_skip_space(r);
    if (json_parse_take(r, close))
        return false;
    if (!json_parse_take(r, ','))
        json_parse_wrong(r, r->at < r->end ? "expected ',' or '%c'" : "the text ends before '%c'",
                         close);
    return r->status == IK_OK;
}

static json_t *json_parse_read_array(reader *r, unsigned depth)
{
    json_t *array = json_array();
    if (!array)
        return json_parse_no_memory(r);
    json_parse_skip_space(r);
    if (json_parse_take(r, ']'))
        return array;
    do {
        json_t *item = json_parse_read_value(r, depth);
        if (item && json_array_append_new(array, item) != 0)
            json_parse_no_memory(r);
    } while (r->status == IK_OK && json_parse_more(r, ']'));
    if (r->status == IK_OK)
        return array;
    json_decref(array);
    return NULL;
}

static void json_parse_read_member(reader *r, json_t *object, unsigned depth)
{
    size_t length;
    json_parse_skip_space(r);
    const char *start = r->at;
    if (!json_parse_take(r, '"')) {
        json_parse_wrong(r, r->at < r->end ? "expected the name of a member"
                                           : "the text ends too early");
        return;
    }
    if (!json_parse_read_string(r, &length))
        return;
    if (json_object_get(object, r->buffer)) {
        r->at = start;
        json_parse_wrong(r, "member '%.100s' is there twice", r->buffer);
        return;
    }
    char *key = strdup(r->buffer); /* the value may be a string too */
    json_parse_skip_space(r);
    if (!key)
        json_parse_no_memory(r);
    else if (!json_parse_take(r, ':'))
        json_parse_wrong(r, "expected ':'");
    json_t *value = r->status == IK_OK ? json_parse_read_value(r, depth) : NULL;
    if (value && json_object_set_new_nocheck(object, key, value) != 0)
        json_parse_no_memory(r);
    free(key);
}

static json_t *json_parse_read_object(reader *r, unsigned depth)
{
    json_t *object = json_object();
    if (!object)
        return json_parse_no_memory(r);
    json_parse_skip_space(r);
    if (json_parse_take(r, '}'))
        return object;
    do
        json_parse_read_member(r, object, depth);
    while (r->status == IK_OK && json_parse_more(r, '}'));
    if (r->status == IK_OK)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_parse_read_value(reader *r, unsigned depth)
{
    json_parse_skip_space(r);
    char c = json_parse_next(r);
    if ((c == '{' || c == '[') && depth == IK_JSON_DEPTH / 2) {
        json_parse_wrong(r, "more than %d arrays and objects within each other", IK_JSON_DEPTH / 2);
        return NULL;
    }
    if (c == '-' || (c >= '0' && c <= '9'))
        return json_parse_read_number(r);
    if (c != '{' && c != '[' && c != '"')
        return json_parse_read_word(r);
    r->at++;
    return c == '{'   ? json_parse_read_object(r, depth + 1)
           : c == '[' ? json_parse_read_array(r, depth + 1)
                      : json_parse_read_text(r);
}

ik_status json_parse(const char *text, size_t size, json_t **root, json_error_t *why)
{
    memset(why, 0, sizeof *why);
    reader r = {.text = text, .at = text, .end = text + size, .status = IK_OK, .why = why};
    json_t *made = json_parse_read_value(&r, 0);
    json_parse_skip_space(&r);
    if (r.at < r.end)
        json_parse_wrong(&r, "more text after the value");
    free(r.buffer);
    if (r.status != IK_OK) {
        json_decref(made);
        return r.status;
    }
    *root = made;
    return IK_OK;
}
