/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c: the file of a rank: blocks that are mapped into memory, so that what was written stays
 * when the program is killed. Space is reserved before a block is mapped: a full disk is noticed
 * there and not as a signal inside the program.
 */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 18, HEAD_MOST = 40 };

static char path[4096]; /* of the file */
static int file = -1;
static struct stat file_is;
static off_t file_bytes;
static part_block *block;
static uint32_t capacity, used, records, sequence, rank_here, ranks_here;
static uint32_t crc_table[8][256];

static void make_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; bit++)
            x = x >> 1 ^ (x & 1 ? 0xedb88320u : 0);
        crc_table[0][i] = x;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t i = 0; i < 256; i++)
            crc_table[k][i] = crc_table[k - 1][i] >> 8 ^ crc_table[0][crc_table[k - 1][i] & 0xff];
}

/* CRC-32 of Ethernet, eight bytes a step (Kounavis and Berry, "A systematic approach to building
 * high performance, software-based, CRC generators", ISCC 2005). */
static uint32_t crc_of(const unsigned char *at, size_t num)
{
    uint32_t crc = ~0u;
    for (; num >= 8; num -= 8, at += 8) {
        uint32_t low, high;
        memcpy(&low, at, 4);
        memcpy(&high, at + 4, 4);
        low ^= crc;
        crc = crc_table[7][low & 0xff] ^ crc_table[6][low >> 8 & 0xff] ^
              crc_table[5][low >> 16 & 0xff] ^ crc_table[4][low >> 24] ^ crc_table[3][high & 0xff] ^
              crc_table[2][high >> 8 & 0xff] ^ crc_table[1][high >> 16 & 0xff] ^
              crc_table[0][high >> 24];
    }
    for (; num; num--, at++)
        crc = crc >> 8 ^ crc_table[0][(crc ^ *at) & 0xff];
    return ~crc;
}

static void seal(void)
{
    if (!block)
        return;
    block->crc = crc_of((const unsigned char *)(block + 1), used);
    block->sealed = 1;
    munmap(block, capacity);
    block = NULL;
}

/* Beyond the limit of file sizes the program would get a signal. */
static bool may_grow(size_t bytes)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY ||
           (rlim_t)file_bytes + bytes <= most.rlim_cur;
}

/* Whether `file` is the file still: a program may close all descriptors that it did not open, and
 * open files of its own under their numbers. */
static bool is_open(void)
{
    struct stat now;
    return fstat(file, &now) == 0 && now.st_dev == file_is.st_dev && now.st_ino == file_is.st_ino;
}

/* The next `bytes` of the file; MAP_FAILED: errno says why. */
static void *map_next(size_t bytes)
{
    if (!may_grow(bytes)) {
        errno = EFBIG;
        return MAP_FAILED;
    }
    if (!is_open())
        file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (!is_open())
        return MAP_FAILED;
    errno = posix_fallocate(file, file_bytes, (off_t)bytes);
    if (errno)
        return MAP_FAILED;
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, file_bytes);
}

/* Maps the next block, with room for a record of `num` bytes. */
static bool next_block(size_t num)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), want = num + sizeof *block + HEAD_MOST;
    seal();
    want = want < BLOCK_BYTES ? BLOCK_BYTES : want;
    want = (want + page - 1) / page * page;
    errno = EFBIG;
    void *at = want <= UINT32_MAX ? map_next(want) : MAP_FAILED;
    if (at == MAP_FAILED) {
        recorder_give_up("the recording cannot grow: %s", strerror(errno));
        return false;
    }
    block = at;
    capacity = (uint32_t)want;
    file_bytes += (off_t)want;
    used = records = 0;
    block->rank = rank_here;
    block->num_ranks = ranks_here;
    block->sequence = sequence++;
    block->capacity = capacity;
    block->magic = RECORDING_PART;
    return true;
}

/* A child of fork has no part in its parent's file. */
static void in_child(void)
{
    recorder_on = false;
}

/* The folder has a file of this rank already. */
static void refuse_second(uint32_t num_ranks)
{
    const char *variable = NULL;
    unsigned long launched = recording_launched(&variable);
    if (launched > num_ranks)
        recorder_give_up("the launcher started %lu processes (%s), but their programs have %u %s "
                         "each, and only the first is recorded: mpirun seems to be of another MPI "
                         "library than the program",
                         launched, variable, num_ranks, num_ranks == 1 ? "rank" : "ranks");
    else
        recorder_give_up("a second MPI program began, only the first is recorded");
}

bool stream_open(const char *folder, uint32_t rank, uint32_t num_ranks)
{
    rank_here = rank;
    ranks_here = num_ranks;
    make_crc_table();
    int n = snprintf(path, sizeof path, "%s/" RECORDING_PART_NAME, folder, rank);
    if (n >= (int)sizeof path) {
        recorder_give_up("the folder's name is too long: %s", folder);
        return false;
    }
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || fstat(file, &file_is) != 0) {
        if (errno == EEXIST)
            refuse_second(num_ranks);
        else
            recorder_give_up("%s: %s", path, strerror(errno));
        return false;
    }
    pthread_atfork(NULL, NULL, in_child);
    return next_block(0);
}

static inline unsigned char *varint(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

void stream_write(unsigned char operation, uint64_t gap, uint64_t away, uint64_t duration,
                  const unsigned char *bytes, size_t num)
{
    if (!block)
        return;
    if (capacity - sizeof *block - used < num + HEAD_MOST && !next_block(num))
        return;
    unsigned char *base = (unsigned char *)(block + 1), *at = base + used;
    *at++ = operation;
    at = varint(at, gap);
    at = varint(at, away);
    at = varint(at, duration);
    if (num)
        memcpy(at, bytes, num);
    used = (uint32_t)(at + num - base);
    records++;
    __atomic_store_n(&block->state, (uint64_t)records << 32 | used, __ATOMIC_RELEASE);
}

void stream_close(void)
{
    if (block)
        block->ended = 1;
    seal();
    if (is_open())
        close(file);
    file = -1;
}
