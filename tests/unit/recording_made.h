/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_made.h: recordings made by hand: records are numbers, checksums are right, so that what
 * is refused is refused for what the records say.
 */
#ifndef RECORDING_MADE_H
#define RECORDING_MADE_H

#include "record/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

enum { MADE_ROOM = 1 << 16, MADE_RANKS = 8 };

typedef struct made_rank {
    unsigned char bytes[MADE_ROOM];
    size_t num;
    uint32_t records;
    uint32_t version; /* of the recording */
    bool cut;         /* its last block does not say that it ended */
} made_rank;

typedef struct made_recording {
    made_rank ranks[MADE_RANKS];
    uint32_t num_ranks, version;
} made_recording;

static void made_number(made_rank *m, uint64_t value)
{
    for (; value >= 0x80 && m->num < MADE_ROOM; value >>= 7)
        m->bytes[m->num++] = (unsigned char)(value | 0x80);
    if (m->num < MADE_ROOM)
        m->bytes[m->num++] = (unsigned char)value;
}

/* Operation, time since the call before, a fourth of it without a core (version 2), duration 5 ns,
 * operands. */
static void made_record(made_rank *m, unsigned operation, uint64_t gap, const uint64_t *operands,
                        size_t num)
{
    made_number(m, operation);
    made_number(m, gap);
    if (m->version >= 2)
        made_number(m, gap / 4);
    made_number(m, 5);
    for (size_t i = 0; i < num; i++)
        made_number(m, operands[i]);
    m->records++;
}

#define MADE(m, operation, ...)                                                                    \
    made_record((m), (operation), 100, (const uint64_t[]){__VA_ARGS__},                            \
                sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Ranks on one host of `online` cores; each may use `allowed` of them, the same ones, or others. */
static void made_begin_on(made_recording *r, uint32_t num_ranks, uint32_t version, uint32_t online,
                          uint32_t allowed, bool same_set)
{
    memset(r, 0, sizeof *r);
    r->num_ranks = num_ranks;
    r->version = version;
    for (uint32_t i = 0; i < num_ranks; i++) {
        made_rank *m = &r->ranks[i];
        m->version = version;
        if (version >= 2)
            MADE(m, REC_BEGIN, i, num_ranks, 0, 0, 1, 'h', 1, 'M', 0, online, allowed,
                 same_set ? 7 : i);
        else
            MADE(m, REC_BEGIN, i, num_ranks, 0, 0, 1, 'h', 1, 'M', 0);
    }
}

static void made_begin(made_recording *r, uint32_t num_ranks)
{
    made_begin_on(r, num_ranks, RECORDING_VERSION, MADE_RANKS, MADE_RANKS, true);
}

static void made_end(made_recording *r)
{
    for (uint32_t i = 0; i < r->num_ranks; i++)
        made_record(&r->ranks[i], REC_END, 100, NULL, 0);
}

static uint32_t made_crc(const void *at, size_t bytes)
{
    return (uint32_t)crc32(0, at, (uInt)bytes);
}

static size_t made_put(unsigned char *to, size_t at, const void *bytes, size_t num)
{
    memcpy(to + at, bytes, num);
    return at + num;
}

/* The file's bytes; its size. `to` has room for all ranks' bytes and 1 KiB. */
static size_t made_file(const made_recording *r, unsigned char *to)
{
    recording_header h = {.version = r->version, .num_ranks = r->num_ranks};
    recording_end end = {.magic = RECORDING_END, .num_blocks = r->num_ranks};
    memcpy(h.magic, RECORDING_MAGIC, sizeof h.magic);
    h.crc = made_crc(&h, offsetof(recording_header, crc));
    size_t at = made_put(to, 0, &h, sizeof h);
    for (uint32_t i = 0; i < r->num_ranks; i++) {
        const made_rank *m = &r->ranks[i];
        recording_block b = {.magic = RECORDING_BLOCK,
                             .rank = i,
                             .flags = !m->cut,
                             .bytes = (uint32_t)m->num,
                             .records = m->records,
                             .crc = made_crc(m->bytes, m->num)};
        b.header_crc = made_crc(&b, offsetof(recording_block, header_crc));
        end.num_records += m->records;
        end.file_crc =
            (uint32_t)crc32(end.file_crc, (const void *)&b.header_crc, sizeof b.header_crc);
        at = made_put(to, at, &b, sizeof b);
        at = made_put(to, at, m->bytes, m->num);
    }
    end.crc = made_crc(&end, offsetof(recording_end, crc));
    return made_put(to, at, &end, sizeof end);
}

#endif
