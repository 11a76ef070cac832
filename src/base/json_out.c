/* SPDX-License-Identifier: Apache-2.0
 *
 * json_out.c: the writer of JSON.
 */
#include "ikat/json.h"

#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes out */

void ik_json_fail(ik_json *j, ik_status status)
{
    assert(status != IK_OK);
    if (j->status == IK_OK)
        j->status = status;
}

static void json_out_flush(ik_json *j)
{
    errno = 0;
    if (j->status == IK_OK && fwrite(j->text, 1, j->used, j->out) != j->used) {
        j->why = errno;
        ik_json_fail(j, IK_ERR_IO);
    }
    j->used = 0;
}

static bool json_out_grow(ik_json *j, size_t more)
{
    size_t room = j->room ? j->room : IK_JSON_BLOCK;
    while (room - j->used < more && room <= SIZE_MAX / 2)
        room *= 2;
    char *larger = room - j->used < more ? NULL : realloc(j->text, room);
    if (!larger) {
        ik_json_fail(j, IK_ERR_MEMORY);
        return false;
    }
    j->text = larger;
    j->room = room;
    return true;
}

/* Appends at most IK_JSON_BLOCK bytes. */
static void json_out_put(ik_json *j, const char *bytes, size_t size)
{
    assert(size <= IK_JSON_BLOCK);
    if (j->status != IK_OK)
        return;
    if (j->room - j->used < size) {
        if (j->out)
            json_out_flush(j);
        else if (!json_out_grow(j, size))
            return;
    }
    memcpy(j->text + j->used, bytes, size);
    j->used += size;
}

static void json_out_put_char(ik_json *j, char c)
{
    json_out_put(j, &c, 1);
}

/* ---- strings */

static void json_out_put_code(ik_json *j, unsigned code)
{
    char text[8];
    json_out_put(j, text, (size_t)snprintf(text, sizeof text, "\\u%04x", code));
}

/* Code of a character that is not written as it is; 0: it is, or it is U+0000. */
static unsigned json_out_escaped_code(const char *c, size_t length)
{
    bool markup = length == 1 && (*c == '<' || *c == '>' || *c == '&');
    return markup || utf8_is_control(c, length) ? utf8_code(c, length) : 0;
}

static void json_out_put_character(ik_json *j, const char *c, size_t length)
{
    unsigned code = length ? json_out_escaped_code(c, length) : 0xfffd;
    if (*c == '"' || *c == '\\')
        json_out_put_char(j, '\\');
    if (*c == '\n')
        json_out_put(j, "\\n", 2);
    else if (code || *c == '\0')
        json_out_put_code(j, code);
    else
        json_out_put(j, c, length);
}

/* Ordinary bytes are copied in runs. */
static bool json_out_is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

static void json_out_put_string(ik_json *j, const char *text, size_t size)
{
    json_out_put_char(j, '"');
    for (size_t at = 0; at < size;) {
        size_t run = at;
        while (run < size && run - at < IK_JSON_BLOCK &&
               json_out_is_plain((unsigned char)text[run]))
            run++;
        json_out_put(j, text + at, run - at);
        at = run;
        if (at == size || json_out_is_plain((unsigned char)text[at]))
            continue;
        size_t length = utf8_length_within(text + at, size - at);
        json_out_put_character(j, text + at, length);
        at += length ? length : 1;
    }
    json_out_put_char(j, '"');
}

/* ---- nesting */

static bool json_out_bit(uint64_t bits, unsigned depth)
{
    return bits >> depth & 1;
}

static void json_out_new_line(ik_json *j, unsigned depth)
{
    json_out_put_char(j, '\n');
    for (unsigned i = 0; i < depth; i++)
        json_out_put(j, "  ", 2);
}

/* What stands before a value: a comma, a line's end, its key. False: there is no place for it. */
static bool json_out_place(ik_json *j, const char *key)
{
    bool inside = j->depth > 0, object = inside && json_out_bit(j->objects, j->depth - 1);
    bool fits = (inside || !j->begun) && object == (key != NULL);
    if (!fits)
        ik_json_fail(j, IK_ERR_INTERNAL);
    if (j->status != IK_OK)
        return false;
    j->begun = true;
    if (!inside)
        return true;
    bool first = !json_out_bit(j->filled, j->depth - 1);
    if (!first)
        json_out_put_char(j, ',');
    if (j->depth <= j->lines)
        json_out_new_line(j, j->depth);
    else if (!first && j->spaced)
        json_out_put_char(j, ' ');
    j->filled |= UINT64_C(1) << (j->depth - 1);
    if (key) {
        json_out_put_string(j, key, strlen(key));
        json_out_put(j, ": ", j->spaced ? 2 : 1);
    }
    return true;
}

static void json_out_open_container(ik_json *j, const char *key, bool object)
{
    if (!json_out_place(j, key))
        return;
    if (j->depth == IK_JSON_DEPTH) {
        ik_json_fail(j, IK_ERR_INTERNAL);
        return;
    }
    uint64_t mask = UINT64_C(1) << j->depth;
    j->objects = object ? j->objects | mask : j->objects & ~mask;
    j->filled &= ~mask;
    j->depth++;
    json_out_put_char(j, object ? '{' : '[');
}

void ik_json_object(ik_json *j, const char *key)
{
    json_out_open_container(j, key, true);
}

void ik_json_array(ik_json *j, const char *key)
{
    json_out_open_container(j, key, false);
}

void ik_json_close(ik_json *j)
{
    if (j->depth == 0)
        ik_json_fail(j, IK_ERR_INTERNAL);
    if (j->status != IK_OK)
        return;
    j->depth--;
    if (json_out_bit(j->filled, j->depth) && j->depth < j->lines)
        json_out_new_line(j, j->depth);
    json_out_put_char(j, json_out_bit(j->objects, j->depth) ? '}' : ']');
}

/* ---- values */

void ik_json_bytes(ik_json *j, const char *key, const char *text, size_t size)
{
    if (json_out_place(j, key))
        json_out_put_string(j, text, size);
}

void ik_json_text(ik_json *j, const char *key, const char *text)
{
    if (text)
        ik_json_bytes(j, key, text, strlen(text));
    else
        ik_json_fail(j, IK_ERR_MEMORY);
}

void ik_json_printf(ik_json *j, const char *key, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(length >= 0 && (size_t)length < sizeof text);
    if (length < 0)
        ik_json_fail(j, IK_ERR_INTERNAL);
    else
        ik_json_text(j, key, text);
}

static void json_out_put_number(ik_json *j, const char *key, const char *text)
{
    if (json_out_place(j, key))
        json_out_put(j, text, strlen(text));
}

void ik_json_uint(ik_json *j, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    json_out_put_number(j, key, text);
}

void ik_json_int(ik_json *j, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    json_out_put_number(j, key, text);
}

void ik_json_real(ik_json *j, const char *key, double value, int digits)
{
    char text[40];
    assert(digits >= 1 && digits <= 17);
    snprintf(text, sizeof text, "%.*g", digits, value);
    json_out_put_number(j, key, isfinite(value) ? text : "null");
}

void ik_json_bool(ik_json *j, const char *key, bool value)
{
    json_out_put_number(j, key, value ? "true" : "false");
}

void ik_json_null(ik_json *j, const char *key)
{
    json_out_put_number(j, key, "null");
}

void ik_json_known(ik_json *j, const char *key, bool known, uint64_t value)
{
    if (known)
        ik_json_uint(j, key, value);
    else
        ik_json_null(j, key);
}

void ik_json_optional(ik_json *j, const char *key, const char *text)
{
    if (text)
        ik_json_text(j, key, text);
    else
        ik_json_null(j, key);
}

/* ---- begin and end */

static void json_out_begin(ik_json *j, FILE *out, ik_json_style style)
{
    j->out = out;
    j->text = out ? j->block : NULL;
    j->used = 0;
    j->room = out ? sizeof j->block : 0;
    j->objects = j->filled = 0;
    j->depth = 0;
    j->lines = style == IK_JSON_PACKED ? 0 : style == IK_JSON_ROWS ? 2 : IK_JSON_DEPTH;
    j->spaced = style != IK_JSON_PACKED;
    j->begun = false;
    j->status = IK_OK;
    j->why = 0;
}

void ik_json_to_file(ik_json *j, FILE *out, ik_json_style style)
{
    assert(out);
    json_out_begin(j, out, style);
}

void ik_json_to_text(ik_json *j, ik_json_style style)
{
    json_out_begin(j, NULL, style);
}

/* The last bytes, if all is closed. */
static void json_out_complete(ik_json *j)
{
    if (j->depth > 0 || !j->begun)
        ik_json_fail(j, IK_ERR_INTERNAL);
    if (j->lines)
        json_out_put_char(j, '\n');
}

static ik_status json_out_outcome(const ik_json *j, ik_error *err)
{
    switch (j->status) {
    case IK_OK:
        return IK_OK;
    case IK_ERR_MEMORY:
        return ik_fail_memory(err, 2 * j->room, "a JSON text");
    case IK_ERR_IO:
        return ik_fail(err, IK_ERR_IO, "cannot write the JSON text: %s",
                       strerror(j->why ? j->why : EIO));
    default:
        return ik_fail(err, j->status, "the JSON text is not complete");
    }
}

ik_status ik_json_end(ik_json *j, ik_error *err)
{
    json_out_complete(j);
    if (j->out)
        json_out_flush(j);
    else
        free(j->text);
    j->text = NULL;
    return json_out_outcome(j, err);
}

ik_status ik_json_end_text(ik_json *j, char **text, size_t *size, ik_error *err)
{
    assert(!j->out);
    json_out_complete(j);
    size_t used = j->used;
    json_out_put_char(j, '\0');
    if (j->status != IK_OK) {
        free(j->text);
        return json_out_outcome(j, err);
    }
    *text = j->text;
    if (size)
        *size = used;
    return IK_OK;
}
