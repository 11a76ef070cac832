/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/io_srt.c: HP's SRT traces of disks, as of cello in 1992 (C. Ruemmler, J. Wilkes, UNIX
 * Disk Access Patterns, Winter USENIX 1993). Records are words of 32 bits, of either byte order:
 *
 *     0 size of the record in bytes    5 us until it was done       10 cylinder
 *     1 version << 16 | type           6 bytes                      11 flags (bit 0: it reads)
 *     2 s                              7 sector                     12 information
 *     3 us, when it was queued         8 device number              version 4: length of the queue
 *     4 us until it was started        9 type of driver             type 4: why it is suspect
 *
 * Versions 1 to 4; type 1 is an access, type 4 a suspect record, which is counted. The disk is in
 * bits 8 to 15 of the device number. A header of text with a line `tracedate` may come first, up to
 * a form feed or zeros. */
#include "traffic/storage/io_trace.h"

#include <inttypes.h>
#include <string.h>

#define BACK_NS (UINT64_C(60) * 1000000000)
enum {
    WORDS = 13, /* of every record */
    SIZE_MOST = 4 * (WORDS + 2),
    TYPE_ACCESS = 1,
    TYPE_SUSPECT = 4,
    HEADER_MOST = 1 << 16,
    US_PER_S = 1000000
};

static uint32_t io_srt_word_at(const char *record, unsigned number, bool big_endian)
{
    const unsigned char *b = (const unsigned char *)record + 4 * (size_t)number;
    return big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                      : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* Size of a record with this second word; 0: there is none such. */
static uint32_t io_srt_size_of(uint32_t id)
{
    uint32_t version = id >> 16, type = id & 0xffff;
    if (version < 1 || version > 4 || (type != TYPE_ACCESS && type != TYPE_SUSPECT))
        return 0;
    return 4 * (WORDS + (version == 4) + (type == TYPE_SUSPECT));
}

static bool io_srt_is_record(const char *text, size_t size, bool big_endian)
{
    return size >= 8 && io_srt_word_at(text, 0, big_endian) != 0 &&
           io_srt_word_at(text, 0, big_endian) ==
               io_srt_size_of(io_srt_word_at(text, 1, big_endian));
}

/* Where a header ends, and with it the zeros behind it; 0: there is none. */
static size_t io_srt_header_size(const char *text, size_t size)
{
    static const char word[] = "tracedate";
    size_t at = 0;
    bool dated = false;
    for (; at < size && text[at] && text[at] != '\f'; at++) {
        unsigned char c = (unsigned char)text[at];
        if (c < ' ' && c != '\n' && c != '\t' && c != '\r')
            return 0;
        dated |= size - at > sizeof word && memcmp(text + at, word, sizeof word - 1) == 0;
    }
    while (dated && at < size && (text[at] == '\f' || !text[at]))
        at++;
    return dated ? at : 0;
}

static bool io_srt_is_certain(const char *text, size_t size)
{
    return io_srt_is_record(text, size, true) || io_srt_is_record(text, size, false) ||
           io_srt_header_size(text, size) > 0;
}

/* Passes over the header and finds the order of bytes. In that of big-endian machines the first
 * three bytes of a record are zeros, as is what stands before it. */
static ik_status io_srt_begin(io_trace *t, ik_error *err)
{
    size_t size = 0;
    ik_status status = ik_text_lines_peek(&t->lines, HEADER_MOST + SIZE_MOST, &size, err);
    if (status != IK_OK)
        return status;
    const char *text = t->lines.text + t->lines.at;
    size_t skip = io_srt_header_size(text, size < HEADER_MOST ? size : HEADER_MOST);
    t->headed = true;
    for (unsigned back = 0; back < 4 && back <= skip; back++)
        for (unsigned big = 0; big < 2; big++)
            if (io_srt_is_record(text + skip - back, size - skip + back, big)) {
                t->swapped = big;
                ik_text_lines_skip(&t->lines, skip - back);
                return IK_OK;
            }
    io_fail(t, err, "expected a record of 52, 56 or 60 bytes, version 1 to 4 and type 1 or 4");
    return ik_hint(err, IK_ERR_INPUT, "the first words are its size and version << 16 | type");
}

static ik_status io_srt_take_access(io_trace *t, const char *record, ik_error *err)
{
    uint32_t w[WORDS];
    for (unsigned k = 0; k < WORDS; k++)
        w[k] = io_srt_word_at(record, k, t->swapped);
    if (w[3] >= US_PER_S)
        return io_fail(t, err, "expected less than 1000000 us, not %" PRIu32, w[3]);
    if (w[5] > INT32_MAX || w[4] > w[5])
        return io_fail(t, err,
                       "expected a start and a completion after it, not %" PRId32 " us and %" PRId32
                       " us",
                       (int32_t)w[4], (int32_t)w[5]);
    if (w[6] > INT32_MAX || w[6] % 512)
        return io_fail(t, err, "expected a size in whole sectors of 512 B, not %" PRId32 " B",
                       (int32_t)w[6]);
    char name[16];
    snprintf(name, sizeof name, "%" PRIu32, w[8] >> 8 & 0xff);
    io_access a = {.ns = ((uint64_t)w[2] * US_PER_S + w[3]) * 1000,
                   .offset = (uint64_t)w[7] * 512,
                   .bytes = w[6],
                   .asks = IO_BY_SECTOR,
                   .reads = w[11] & 1};
    a.done_ns = a.ns + (uint64_t)w[5] * 1000;
    return io_add(t, a, (slice){name, strlen(name)}, err);
}

static ik_status io_srt_next(io_trace *t, bool *more, ik_error *err)
{
    size_t size = 0;
    t->record++;
    ik_status status = t->headed ? IK_OK : io_srt_begin(t, err);
    if (status == IK_OK)
        status = ik_text_lines_peek(&t->lines, SIZE_MOST, &size, err);
    *more = size > 0;
    if (status != IK_OK || !*more)
        return status;
    const char *record = t->lines.text + t->lines.at;
    uint32_t expected =
        size >= 8 ? io_srt_size_of(io_srt_word_at(record, 1, t->swapped)) : 4 * WORDS;
    if (expected && size < expected) {
        io_fail(t, err, "it has %zu bytes, expected %" PRIu32, size, expected);
        return ik_hint(err, IK_ERR_INPUT, "the file seems to be cut off");
    }
    if (!io_srt_is_record(record, size, t->swapped))
        return io_fail(t, err,
                       "expected a record of 52, 56 or 60 bytes, version 1 to 4 and type 1 or 4, "
                       "not one of %" PRIu32 " bytes, version %" PRIu32 ", type %" PRIu32,
                       io_srt_word_at(record, 0, t->swapped),
                       io_srt_word_at(record, 1, t->swapped) >> 16,
                       io_srt_word_at(record, 1, t->swapped) & 0xffff);
    if ((io_srt_word_at(record, 1, t->swapped) & 0xffff) == TYPE_ACCESS)
        status = io_srt_take_access(t, record, err);
    else
        t->num_other++;
    ik_text_lines_skip(&t->lines, expected);
    return status;
}

const io_format io_srt = {.name = "srt",
                          .wall_clock = true,
                          .back_ns = BACK_NS,
                          .is_certain = io_srt_is_certain,
                          .next = io_srt_next};
