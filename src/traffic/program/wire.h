/* SPDX-License-Identifier: Apache-2.0
 *
 * program/wire.h: protobuf's wire format, as a stream of messages that stand one after the other in
 * a file, each behind its length (a varint). A message is a list of fields: a key (number and wire
 * type) and a value. Nothing is known here of any schema.
 *
 *     while (status == IK_OK && (status = wire_next_message(&s, &m, &more, err)) == IK_OK && more)
 *         for (wire_field f; wire_next_field(&m, &f);)
 *             if (f.number == 1 && f.type == WIRE_VARINT)
 *                 id = f.value;
 *
 * Protocol Buffers, Encoding (protobuf.dev). */
#ifndef IK_WIRE_H
#define IK_WIRE_H

#include "ikat/base.h"

typedef enum wire_type {
    WIRE_VARINT = 0,
    WIRE_64 = 1,
    WIRE_BYTES = 2, /* texts, messages, packed lists */
    WIRE_32 = 5     /* 3 and 4, groups, have long been given up and are refused */
} wire_type;

/* What is left of a message or of a packed list. */
typedef struct wire {
    const uint8_t *at, *end;
    bool broken; /* what stood there is no field, or goes beyond the end */
} wire;

typedef struct wire_field {
    uint32_t number;
    wire_type type;
    uint64_t value; /* VARINT, 64, 32 */
    wire bytes;     /* BYTES */
} wire_field;

/* The next value of a packed list; false at its end, or broken. */
bool wire_next_varint(wire *w, uint64_t *value);
/* The next field; false at the end of the message, or broken. */
bool wire_next_field(wire *w, wire_field *f);
/* The signed number that zigzag encoding stands for (sint32, sint64). */
int64_t wire_zigzag(uint64_t value);

typedef struct wire_stream {
    const char *path;
    const ik_env *env; /* progress and cancellation; may be NULL */
    void *in;          /* the file; NULL = all is in memory */
    uint8_t *buffer;
    size_t cap;
    const uint8_t *bytes; /* the buffer, or what is in memory */
    size_t at, used;      /* of bytes: what was handed out ends at `at` */
    bool at_end;          /* nothing is left to be read behind them */
    uint64_t size;        /* of the file, packed */
    double reported;      /* when progress was, seconds */
    unsigned number;      /* of the message that was handed out last, from 1 */
} wire_stream;

/* Longer messages are refused. */
enum { WIRE_MOST = 1 << 30 };

/* The file may be packed with gzip. IK_ERR_IO: it cannot be opened, or is a folder. */
ik_status wire_open(wire_stream *s, const char *path, const ik_env *env, ik_error *err);
/* The same of bytes in memory, which outlive s. */
void wire_open_memory(wire_stream *s, const void *bytes, size_t size, const char *path);
/* The next message, valid until the next call; *more = false at the end. Refused: a file that ends
 * within a message. Cost: O(its length); memory: a piece of the file, or the longest message. */
ik_status wire_next_message(wire_stream *s, wire *message, bool *more, ik_error *err);
/* May be called after a failure, and twice. */
void wire_close(wire_stream *s);

#endif
