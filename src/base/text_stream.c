/* SPDX-License-Identifier: Apache-2.0
 *
 * text_stream.c: a stream whose writes go to a block of memory that doubles.
 */
#define _GNU_SOURCE /* fopencookie */
#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>

static bool text_stream_make_room(ik_text_stream *t, size_t bytes)
{
    if (bytes < t->capacity - t->size)
        return true;
    size_t capacity = 2 * t->capacity > t->size + bytes ? 2 * t->capacity : t->size + bytes + 1;
    char *grown = realloc(t->text, capacity);
    if (!grown)
        return false;
    t->text = grown;
    t->capacity = capacity;
    return true;
}

/* After a loss nothing more is taken: the text would have a hole. */
static ssize_t text_stream_append(void *cookie, const char *bytes, size_t size)
{
    ik_text_stream *t = cookie;
    t->failed = t->failed || !text_stream_make_room(t, size);
    if (t->failed)
        return 0;
    memcpy(t->text + t->size, bytes, size);
    t->size += size;
    return (ssize_t)size;
}

ik_status ik_text_stream_open(ik_text_stream *t, ik_error *err)
{
    enum { FIRST = 256 };
    *t = (ik_text_stream){.text = malloc(FIRST), .capacity = FIRST};
    t->out =
        t->text ? fopencookie(t, "w", (cookie_io_functions_t){.write = text_stream_append}) : NULL;
    if (t->out)
        return IK_OK;
    free(t->text);
    *t = (ik_text_stream){0};
    return ik_fail_memory(err, FIRST, "a text");
}

ik_status ik_text_stream_close(ik_text_stream *t, char **text, size_t *size, ik_error *err)
{
    bool failed = ferror(t->out) != 0;
    if (fclose(t->out) != 0 || failed || t->failed) {
        free(t->text);
        return ik_fail_memory(err, 2 * t->capacity, "a text");
    }
    t->text[t->size] = '\0';
    *text = t->text;
    if (size)
        *size = t->size;
    return IK_OK;
}
