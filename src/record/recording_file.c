/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_file.c: the file of a recording: its header, its blocks, its end. The headers of all
 * blocks are read when it is opened; payloads one at a time, and checked against their checksum
 * before anything in them is believed.
 */
#include "record/recording_impl.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static ik_status recording_file_refuse(const recording *r, ik_error *err, uint64_t offset,
                                       const char *what)
{
    return ik_fail_at(err, IK_ERR_INPUT, r->path, 0, 0, "byte %llu: %s", (unsigned long long)offset,
                      what);
}

ik_status recording_refuse(const recording *r, ik_error *err, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    unsigned line = r->number < UINT32_MAX ? (unsigned)r->number : 0;
    return ik_fail_at(err, IK_ERR_INPUT, r->path, line, 0, "rank %u, record %llu at byte %llu: %s",
                      r->rank, (unsigned long long)r->number, (unsigned long long)r->offset, text);
}

/* By errno, which is 0 where the file has become shorter meanwhile. */
static ik_status recording_file_fail_read(const char *path, ik_error *err)
{
    return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "cannot be read: %s",
                      errno ? strerror(errno) : "it ends early");
}

static ik_status recording_file_read_at(recording *r, uint64_t offset, void *to, size_t bytes,
                                        ik_error *err)
{
    if (offset > r->file_bytes || bytes > r->file_bytes - offset)
        return recording_file_refuse(r, err, r->file_bytes, "the file is cut off here");
    errno = 0;
    if (fseeko(r->file, (off_t)offset, SEEK_SET) != 0 || fread(to, 1, bytes, r->file) != bytes)
        return recording_file_fail_read(r->path, err);
    return IK_OK;
}

static uint32_t recording_file_crc_of(const void *at, size_t bytes)
{
    return (uint32_t)crc32(0, at, (uInt)bytes);
}

static ik_status recording_file_read_header(recording *r, ik_error *err)
{
    recording_header h;
    ik_status status = recording_file_read_at(r, 0, &h, sizeof h, err);
    if (status != IK_OK)
        return status;
    if (memcmp(h.magic, RECORDING_MAGIC, sizeof h.magic) != 0)
        return recording_file_refuse(
            r, err, 0, "this is not a recording of ikat: it does not begin with IKATREC");
    if (h.crc != recording_file_crc_of(&h, offsetof(recording_header, crc)))
        return recording_file_refuse(r, err, 0, "the header is damaged: its checksum is wrong");
    if (h.version < 1 || h.version > RECORDING_VERSION)
        return ik_fail_at(err, IK_ERR_UNSUPPORTED, r->path, 0, 0,
                          "version %u of recordings; this ikat reads versions 1 to %u", h.version,
                          RECORDING_VERSION);
    r->version = h.version;
    /* each rank has a block at least */
    if (h.num_ranks == 0 || h.num_ranks > RECORDING_MOST_RANK ||
        h.num_ranks > r->file_bytes / sizeof(recording_block))
        return recording_file_refuse(r, err, 0,
                                     "the number of ranks does not fit the size of the file");
    r->num_ranks = h.num_ranks;
    r->ranks = calloc(h.num_ranks, sizeof *r->ranks);
    return r->ranks ? IK_OK : ik_fail_memory(err, h.num_ranks * sizeof *r->ranks, "ranks");
}

/* What is amiss with a block's header, NULL = nothing. */
static const char *recording_file_block_error(const recording *r, const recording_block *b,
                                              uint32_t rank, uint32_t sequence)
{
    if (b->magic != RECORDING_BLOCK)
        return "a block is expected here";
    if (b->header_crc != recording_file_crc_of(b, offsetof(recording_block, header_crc)))
        return "the header of a block is damaged: its checksum is wrong";
    if (b->rank >= r->num_ranks || (b->rank != rank && b->rank != rank + 1))
        return "a block of another rank is expected here";
    if (b->sequence != (b->rank == rank ? sequence : 0))
        return "blocks are missing before this one";
    return NULL;
}

static ik_status recording_file_read_end(recording *r, uint64_t at, uint64_t num_blocks,
                                         uint64_t records, uint32_t crc, ik_error *err)
{
    recording_end end;
    ik_status status = recording_file_read_at(r, at, &end, sizeof end, err);
    if (status != IK_OK)
        return status;
    if (end.magic != RECORDING_END ||
        end.crc != recording_file_crc_of(&end, offsetof(recording_end, crc)) ||
        end.num_blocks != num_blocks || end.num_records != records || end.file_crc != crc)
        return recording_file_refuse(r, err, at,
                                     "the end of the file is damaged, or blocks are missing");
    if (at + sizeof end != r->file_bytes)
        return recording_file_refuse(r, err, at + sizeof end, "nothing may follow the end");
    return IK_OK;
}

/* Lists the blocks of all ranks, and reads the end. */
static ik_status recording_file_read_blocks(recording *r, ik_error *err)
{
    uint64_t at = sizeof(recording_header), num_blocks = 0, records = 0;
    uint32_t crc = 0, rank = IK_NONE, magic;
    for (;; num_blocks++) {
        recording_block b;
        ik_status status = recording_file_read_at(r, at, &magic, sizeof magic, err);
        if (status == IK_OK && magic == RECORDING_END)
            break;
        if (status == IK_OK)
            status = recording_file_read_at(r, at, &b, sizeof b, err);
        if (status != IK_OK)
            return status;
        const char *wrong = recording_file_block_error(
            r, &b, rank, rank == IK_NONE ? 0 : r->ranks[rank].num_blocks);
        if (wrong)
            return recording_file_refuse(r, err, at, wrong);
        if (b.rank != rank)
            r->ranks[rank = b.rank].offset = at;
        r->ranks[rank].num_blocks++;
        r->ranks[rank].complete = b.flags & 1;
        records += b.records;
        crc = (uint32_t)crc32(crc, (const void *)&b.header_crc, sizeof b.header_crc);
        at += sizeof b + (uint64_t)b.bytes;
    }
    if (rank != r->num_ranks - 1)
        return recording_file_refuse(r, err, at, "ranks are missing");
    return recording_file_read_end(r, at, num_blocks, records, crc, err);
}

ik_status recording_open(const char *path, recording **out, ik_error *err)
{
    recording *r = calloc(1, sizeof *r);
    if (!r || !(r->path = strdup(path))) {
        free(r);
        return ik_fail_memory(err, sizeof *r, "a recording");
    }
    errno = 0;
    r->file = fopen(path, "rb");
    off_t size = -1;
    if (r->file && fseeko(r->file, 0, SEEK_END) == 0)
        size = ftello(r->file);
    r->file_bytes = size > 0 ? (uint64_t)size : 0;
    ik_status status = IK_OK;
    if (size < 0)
        status = !r->file && errno == ENOMEM ? ik_fail_memory(err, 0, "a recording")
                                             : recording_file_fail_read(path, err);
    if (status == IK_OK)
        status = recording_file_read_header(r, err);
    if (status == IK_OK)
        status = recording_file_read_blocks(r, err);
    if (status == IK_OK)
        status = recording_rewind(r, 0, err);
    if (status == IK_OK)
        *out = r;
    else
        recording_close(r);
    return status;
}

void recording_close(recording *r)
{
    if (!r)
        return;
    if (r->file)
        fclose(r->file);
    free(r->path);
    free(r->ranks);
    free(r->payload);
    free(r->comm_freed);
    free(r->items);
    free(r);
}

uint32_t recording_ranks(const recording *r)
{
    return r->num_ranks;
}

bool recording_complete(const recording *r, uint32_t rank)
{
    assert(rank < r->num_ranks);
    return r->ranks[rank].complete;
}

ik_status recording_next_block(recording *r, ik_error *err)
{
    r->offset = r->next_offset;
    ik_status status = recording_file_read_at(r, r->next_offset, &r->block, sizeof r->block, err);
    if (status != IK_OK)
        return status;
    if (r->block.bytes > r->file_bytes - r->next_offset)
        return recording_file_refuse(r, err, r->file_bytes, "the file is cut off here");
    if (r->block.bytes > r->room_payload) {
        free(r->payload);
        r->room_payload = 0;
        r->payload = malloc(r->block.bytes);
        if (!r->payload)
            return ik_fail_memory(err, r->block.bytes, "a block of a recording");
        r->room_payload = r->block.bytes;
    }
    status = recording_file_read_at(r, r->next_offset + sizeof r->block, r->payload, r->block.bytes,
                                    err);
    if (status != IK_OK)
        return status;
    if (r->block.crc != recording_file_crc_of(r->payload, r->block.bytes))
        return recording_file_refuse(r, err, r->next_offset,
                                     "a block is damaged: its checksum is wrong");
    r->blocks_read++;
    r->next_offset += sizeof r->block + r->block.bytes;
    r->at = r->payload;
    r->end = r->payload + r->block.bytes;
    r->records_left = r->block.records;
    return IK_OK;
}

ik_status recording_rewind(recording *r, uint32_t rank, ik_error *err)
{
    assert(rank < r->num_ranks);
    r->rank = rank;
    r->blocks_read = 0;
    r->next_offset = r->ranks[rank].offset;
    r->at = r->end = r->payload;
    r->records_left = 0;
    r->number = r->num_requests = 0;
    r->num_comms = 2;
    r->ended = false;
    if (r->room_comms)
        memset(r->comm_freed, 0, r->room_comms);
    (void)err;
    return IK_OK;
}
