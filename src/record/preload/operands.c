/* SPDX-License-Identifier: Apache-2.0
 *
 * operands.c: the numbers of a record.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT_MOST = 10 };

void put_begin(operands *o)
{
    o->bytes = o->own;
    o->num = 0;
    o->room = sizeof o->own;
}

static bool grow(operands *o, size_t more)
{
    size_t room = 2 * o->room + more;
    unsigned char *bytes = malloc(room);
    if (!bytes) {
        recorder_give_up("out of memory");
        o->num = 0; /* nothing is written any more */
        return more <= o->room;
    }
    memcpy(bytes, o->bytes, o->num);
    put_end(o);
    o->bytes = bytes;
    o->room = room;
    return true;
}

void put(operands *o, uint64_t value)
{
    if (o->room - o->num < VARINT_MOST && !grow(o, VARINT_MOST))
        return;
    unsigned char *at = o->bytes + o->num;
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    o->num = (size_t)(at - o->bytes);
}

void put_signed(operands *o, int64_t value)
{
    put(o, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void put_text(operands *o, const char *text)
{
    size_t length = strnlen(text, 255);
    put(o, length);
    if (o->room - o->num < length && !grow(o, length))
        return;
    memcpy(o->bytes + o->num, text, length);
    o->num += length;
}

void put_operands(operands *o, const operands *more)
{
    if (o->room - o->num < more->num && !grow(o, more->num))
        return;
    memcpy(o->bytes + o->num, more->bytes, more->num);
    o->num += more->num;
}

void put_end(operands *o)
{
    if (o->bytes != o->own)
        free(o->bytes);
    o->bytes = o->own;
    o->room = sizeof o->own;
}

void put_peer(operands *o, const known_comm *c, int rank)
{
    if (rank == MPI_ANY_SOURCE)
        put(o, 1);
    else if (rank < 0 || (uint32_t)rank >= c->num_peers)
        put(o, 0);
    else if (c->peers && c->peers[rank] < 0)
        put(o, (uint64_t)comm_world->size + 2); /* of another MPI_COMM_WORLD */
    else
        put(o, (uint64_t)(c->peers ? c->peers[rank] : rank) + 2);
}

void put_tag(operands *o, int tag)
{
    put(o, tag < 0 ? 0 : (uint64_t)tag + 1);
}

void put_actual(operands *o, const known_comm *c, const MPI_Status *status)
{
    put_peer(o, c, status->MPI_SOURCE);
    put_tag(o, status->MPI_TAG);
}

uint64_t bytes_of(uint64_t count, MPI_Datatype type)
{
    MPI_Count size = 0;
    /* Types of nothing need not be types, and an error handler must not hear of it. */
    if (count == 0 || real_mpi.Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return count * (uint64_t)size;
}
