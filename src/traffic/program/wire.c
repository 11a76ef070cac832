/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.c: protobuf's wire format, read as a stream.
 *
 * The buffer grows while bytes arrive, never because a length says so: a file of ten bytes that
 * claims a message of a gigabyte costs nothing. */
#include "traffic/program/wire.h"

#include "base/array.h"
#include "base/file_list.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

/* ---- fields */

enum { VARINT_MOST = 10 }; /* bytes */

bool wire_next_varint(wire *w, uint64_t *value)
{
    if (w->at == w->end)
        return false;
    if (*w->at < 0x80) {
        *value = *w->at++;
        return true;
    }
    uint64_t result = 0;
    const uint8_t *p = w->at;
    for (unsigned k = 0; p < w->end && k < VARINT_MOST; k++) {
        uint8_t byte = *p++;
        result |= (uint64_t)(byte & 0x7F) << 7 * k;
        if (byte < 0x80) {
            w->broken = k == VARINT_MOST - 1 && byte > 1; /* more than 64 bits */
            w->at = w->broken ? w->at : p;
            *value = result;
            return !w->broken;
        }
    }
    w->broken = true;
    return false;
}

static bool wire_next_fixed(wire *w, unsigned bytes, uint64_t *value)
{
    assert(bytes == 4 || bytes == 8);
    w->broken = (size_t)(w->end - w->at) < bytes;
    if (w->broken)
        return false;
    *value = 0;
    for (unsigned k = 0; k < bytes; k++)
        *value |= (uint64_t)w->at[k] << 8 * k;
    w->at += bytes;
    return true;
}

static bool wire_next_bytes(wire *w, wire *bytes)
{
    uint64_t size = 0;
    if (!wire_next_varint(w, &size) || size > (size_t)(w->end - w->at)) {
        w->broken = true;
        return false;
    }
    *bytes = (wire){.at = w->at, .end = w->at + size};
    w->at += size;
    return true;
}

bool wire_next_field(wire *w, wire_field *f)
{
    uint64_t key = 0;
    if (w->broken || !wire_next_varint(w, &key))
        return false;
    f->number = (uint32_t)(key >> 3);
    f->type = (wire_type)(key & 7);
    w->broken = key >> 3 == 0 || key >> 32;
    if (w->broken)
        return false;
    switch (f->type) {
    case WIRE_VARINT:
        w->broken = !wire_next_varint(w, &f->value);
        break;
    case WIRE_64:
        return wire_next_fixed(w, 8, &f->value);
    case WIRE_32:
        return wire_next_fixed(w, 4, &f->value);
    case WIRE_BYTES:
        return wire_next_bytes(w, &f->bytes);
    default:
        w->broken = true;
    }
    return !w->broken;
}

int64_t wire_zigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* ---- files */

enum { PIECE = 1 << 18 };

ik_status wire_open(wire_stream *s, const char *path, const ik_env *env, ik_error *err)
{
    *s = (wire_stream){.path = path, .env = env};
    struct stat info;
    if (stat(path, &info) != 0)
        return ik_fail_open(err, path);
    if (S_ISDIR(info.st_mode))
        return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "is a folder");
    s->size = (uint64_t)info.st_size;
    errno = 0;
    s->in = gzopen(path, "rb");
    if (!s->in)
        return errno ? ik_fail_open(err, path) : ik_fail_memory(err, PIECE, "reading a trace");
    return IK_OK;
}

void wire_open_memory(wire_stream *s, const void *bytes, size_t size, const char *path)
{
    *s = (wire_stream){.path = path, .bytes = bytes, .used = size, .at_end = true};
}

void wire_close(wire_stream *s)
{
    if (s->in)
        gzclose(s->in);
    free(s->buffer);
    *s = (wire_stream){0};
}

static ik_status wire_report(wire_stream *s, ik_error *err)
{
    if (ik_env_cancelled(s->env))
        return ik_fail(err, IK_ERR_CANCELLED, "cancelled while reading %s", s->path);
    if (!s->env || !s->env->progress || ik_clock_s(CLOCK_MONOTONIC) - s->reported < 0.05)
        return IK_OK;
    s->reported = ik_clock_s(CLOCK_MONOTONIC);
    z_off_t at = gzoffset(s->in);
    uint64_t done = at < 0 ? 0 : (uint64_t)at;
    s->env->progress(s->env->progress_ctx, "reading the trace", done < s->size ? done : s->size,
                     s->size, "bytes");
    return IK_OK;
}

/* Reads more behind what is left, which moves to the front. */
static ik_status wire_fill(wire_stream *s, ik_error *err)
{
    size_t left = s->used - s->at;
    if (s->at)
        memmove(s->buffer, s->buffer + s->at, left);
    s->at = 0;
    s->used = left;
    if (!IK_ARRAY_ROOM(s->buffer, s->cap, left + PIECE))
        return ik_fail_memory(err, left + PIECE, "reading a trace");
    s->bytes = s->buffer;
    size_t room = s->cap - left < INT_MAX ? s->cap - left : INT_MAX;
    int got = gzread(s->in, s->buffer + left, (unsigned)room);
    int why = Z_OK;
    const char *text = gzerror(s->in, &why);
    if (why == Z_MEM_ERROR)
        return ik_fail_memory(err, PIECE, "reading a trace");
    if (got < 0 || (why != Z_OK && why != Z_STREAM_END))
        return ik_fail_at(err, why == Z_ERRNO ? IK_ERR_IO : IK_ERR_INPUT, s->path, 0, 0,
                          "cannot be read: %s", why == Z_ERRNO ? strerror(errno) : text);
    s->used += (size_t)got;
    s->at_end = (size_t)got < room;
    return wire_report(s, err);
}

static ik_status wire_refuse_cut(const wire_stream *s, ik_error *err)
{
    ik_fail_at(err, IK_ERR_INPUT, s->path, s->number, 0,
               "the file ends within message %u, or the length before it is wrong", s->number);
    return ik_hint(err, IK_ERR_INPUT,
                   "a trace in protobuf has messages, each behind its length; a file that was cut "
                   "off ends within one");
}

/* The length of the next message; *more = false: there is none. */
static ik_status wire_next_length(wire_stream *s, uint64_t *length, bool *more, ik_error *err)
{
    ik_status status = IK_OK;
    while (status == IK_OK && s->used - s->at < VARINT_MOST && !s->at_end)
        status = wire_fill(s, err);
    *more = s->used > s->at;
    if (status != IK_OK || !*more)
        return status;
    wire w = {.at = s->bytes + s->at, .end = s->bytes + s->used};
    s->number++;
    if (!wire_next_varint(&w, length))
        return wire_refuse_cut(s, err);
    s->at = (size_t)(w.at - s->bytes);
    return IK_OK;
}

ik_status wire_next_message(wire_stream *s, wire *message, bool *more, ik_error *err)
{
    uint64_t length = 0;
    ik_status status = wire_next_length(s, &length, more, err);
    if (status != IK_OK || !*more)
        return status;
    if (length > WIRE_MOST)
        return ik_fail_at(err, IK_ERR_INPUT, s->path, s->number, 0,
                          "message %u is said to have %llu bytes; ikat reads up to %d", s->number,
                          (unsigned long long)length, WIRE_MOST);
    while (status == IK_OK && s->used - s->at < length && !s->at_end)
        status = wire_fill(s, err);
    if (status == IK_OK && s->used - s->at < length)
        return wire_refuse_cut(s, err);
    *message = (wire){.at = s->bytes + s->at, .end = s->bytes + s->at + length};
    s->at += length;
    return status;
}
