/* SPDX-License-Identifier: Apache-2.0
 *
 * io_samples.h: small traces of block I/O in every format, made up for tests; no public trace. Each
 * has the accesses that are listed beside it. */
#ifndef IO_SAMPLES_H
#define IO_SAMPLES_H

#include "traffic/storage/io_trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CSV_HEAD "time_ns,done_ns,device,op,offset,bytes,host\n"

static const char csv_sample[] =
    "# two disks, lines in any order\n" CSV_HEAD "3000,9000,b,W,4096,512,1\n"
    "1000,5000,a,R,0,4096,0\n"
    "1000,,a,R,8192,0,\n"
    "3000,,b,R,0,1024,\n";

static const char msr_sample[] =
    "128166372003061629,hm,10,Read,383496192,32768,413\n"
    "128166372016382155,hm,2,Write,2822144000,4096,58\n"
    "128166372003061628,hm,2,read,0,512,0\r\n" /* done later, begun earlier */
    "128166372026382245,hm,10,Write,8192,0,7\n";

static const char spc_sample[] = "0,20941264,8192,W,0.551706\n"
                                 "1,20939840,8192,r,0.554041\n"
                                 "0,3072,1536,R,1.5,x,y\n";

static const char blkparse_sample[] =
    "Input file sda.blktrace.0 added\n"
    "\n"
    "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n"
    "  8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n"
    "  8,0    3        3     0.000002197   697  P   N [kjournald]\n"
    "  8,0    3        4     0.000007759   697  D   W 223490 + 8 [kjournald]\n"
    "  8,0    1        5     0.000003000   700  D  RA 100 + 16 [cat]\n"
    "  8,16   1        6     0.000010000   700  D FWS [cat]\n"
    "  8,16   1        7     0.000010500   700  D   D 4096 + 64 [fstrim]\n"
    "  8,0    0        8     0.000011000     0  C   W 223490 + 8 [0]\n"
    "  8,0    0        9     0.000012000     0  C  RA 100 + 16 [0]\n"
    "  8,16   0       10     0.000013000   701  D   R 36 (12 00 00 00) [hald]\n"
    "  8,16   0       11     0.000014000   701  D FWFS 64 + 1 [dd]\n"
    "  8,16   0       12     0.000015000     0  C FWFS 64 + 1 [0]\n"
    "CPU0 (8,0):\n"
    " Reads Queued:           1,        8KiB\n"
    "Total (8,0):\n";

static const char fio2_sample[] = "fio version 2 iolog\n"
                                  "/tmp/a add\n"
                                  "/tmp/a open\n"
                                  "/tmp/a read 0 4096\n"
                                  "/tmp/a wait 1500 0\n"
                                  "/tmp/a wait 500 0\n"
                                  "/tmp/a write 4096 8192\n"
                                  "/tmp/a datasync 0 0\n"
                                  "/tmp/a close\n";

static const char fio3_sample[] = "fio version 3 iolog\n"
                                  "0 /tmp/a add\n"
                                  "1 /tmp/b add\n"
                                  "100 /tmp/b read 12288 4096\n"
                                  "2300 /tmp/a write 192512 512\n"
                                  "2300 /tmp/a trim 0 4096\n"
                                  "2400 /tmp/a close\n";

static const char disksim_sample[] = "0.551706 3 20941264 16 1\n"
                                     "12.000001 10 8 1 0\n"
                                     "12.000001 3 16 2 0x41\n";

/* ---- records of HP's SRT */

enum { SRT_BYTES = 400 };

static inline size_t put_word(char *to, size_t at, uint32_t word, bool big_endian)
{
    for (unsigned k = 0; k < 4; k++)
        to[at + k] = (char)(word >> 8 * (big_endian ? 3 - k : k));
    return at + 4;
}

typedef struct srt_record {
    uint32_t version, type, sec, usec, start, stop, bytes, sector, device, flags;
} srt_record;

static inline size_t put_record(char *to, size_t at, const srt_record *r, bool big_endian)
{
    bool queue = r->version == 4, suspect = r->type == 4;
    const uint32_t words[] = {52 + 4u * queue + 4u * suspect,
                              r->version << 16 | r->type,
                              r->sec,
                              r->usec,
                              r->start,
                              r->stop,
                              r->bytes,
                              r->sector,
                              r->device << 8 | 3,
                              7,
                              11,
                              r->flags,
                              13,
                              17,
                              19};
    for (unsigned k = 0; k < 13u + queue + suspect; k++)
        at = put_word(to, at, words[k], big_endian);
    return at;
}

/* Three accesses and a suspect record of several versions, after a header if asked for. */
static inline size_t put_srt(char *to, bool header, bool big_endian)
{
    static const srt_record records[] = {
        {1, 1, 700, 900000, 10, 12000, 8192, 1000, 5, 1},
        {4, 1, 700, 900500, 0, 400, 1024, 77, 12, 0x100},
        {3, 4, 701, 0, 0, 1, 512, 1, 5, 1},
        {2, 1, 700, 899999, 1, 2, 512, 4000000000u, 5, 0},
    };
    static const char head[] =
        "machine\t= \"cello\";\ntracedate\t= \"Sat Apr 18 00:00:00 1992\";\n\f";
    size_t at = 0;
    if (header) {
        memcpy(to, head, sizeof head - 1);
        at = sizeof head - 1;
        memset(to + at, 0, 20);
        at += 20;
    }
    for (size_t k = 0; k < sizeof records / sizeof *records; k++)
        at = put_record(to, at, &records[k], big_endian);
    return at;
}

/* ---- all of them */

typedef struct io_sample {
    const char *format, *text;
    size_t size;
    bool is_certain;
    unsigned num, disks; /* accesses */
    uint64_t empty, other;
    const char *first_disk;
    io_access accesses[4]; /* in order of time */
} io_sample;

#define U IO_UNKNOWN
static const io_sample io_samples[] = {
    {"csv",
     csv_sample,
     sizeof csv_sample - 1,
     true,
     3,
     2,
     1,
     0,
     "a",
     {{1000, 5000, 0, 4096, 0, 0, 4, IO_BY_HOST, true},
      {3000, 9000, 4096, 512, 1, 1, 3, IO_BY_HOST, false},
      {3000, U, 0, 1024, 0, 1, 6, IO_BY_SECTOR, true}}},
    {"msr",
     msr_sample,
     sizeof msr_sample - 1,
     true,
     3,
     2,
     1,
     0,
     "hm.2",
     {{0, 0, 0, 512, 0, 0, 3, IO_BY_SECTOR, true},
      {100, 41400, 383496192, 32768, 0, 1, 1, IO_BY_SECTOR, true},
      {1332052700, 1332058500, 2822144000, 4096, 0, 0, 2, IO_BY_SECTOR, false}}},
    {"spc",
     spc_sample,
     sizeof spc_sample - 1,
     true,
     3,
     2,
     0,
     0,
     "0",
     {{551706000, U, 20941264ull * 512, 8192, 0, 0, 1, IO_BY_SECTOR, false},
      {554041000, U, 20939840ull * 512, 8192, 0, 1, 2, IO_BY_SECTOR, true},
      {1500000000, U, 3072 * 512, 1536, 0, 0, 3, IO_BY_SECTOR, true}}},
    {"blkparse",
     blkparse_sample,
     sizeof blkparse_sample - 1,
     true,
     3,
     2,
     1,
     2,
     "8:0",
     {{3000, 12000, 51200, 8192, 700, 0, 7, IO_BY_PROCESS, true},
      {7759, 11000, 223490 * 512, 4096, 697, 0, 6, IO_BY_PROCESS, false},
      {14000, 15000, 32768, 512, 701, 1, 13, IO_BY_PROCESS, false}}},
    {"blkparse_queue",
     blkparse_sample,
     sizeof blkparse_sample - 1,
     false,
     1,
     1,
     0,
     0,
     "8:0",
     {{0, 11000, 223490 * 512, 4096, 697, 0, 3, IO_BY_PROCESS, false}}},
    {"fio",
     fio2_sample,
     sizeof fio2_sample - 1,
     true,
     2,
     1,
     0,
     1,
     "/tmp/a",
     {{0, U, 0, 4096, 0, 0, 4, IO_BY_SECTOR, true},
      {2000000, U, 4096, 8192, 0, 0, 7, IO_BY_SECTOR, false}}},
    {"fio",
     fio3_sample,
     sizeof fio3_sample - 1,
     true,
     2,
     2,
     0,
     1,
     "/tmp/a",
     {{100000, U, 12288, 4096, 0, 1, 4, IO_BY_SECTOR, true},
      {2300000, U, 192512, 512, 0, 0, 5, IO_BY_SECTOR, false}}},
    {"disksim",
     disksim_sample,
     sizeof disksim_sample - 1,
     false,
     3,
     2,
     0,
     0,
     "3",
     {{551706, U, 20941264ull * 512, 8192, 0, 0, 1, IO_BY_SECTOR, true},
      {12000001, U, 4096, 512, 0, 1, 2, IO_BY_SECTOR, false},
      {12000001, U, 8192, 1024, 0, 0, 3, IO_BY_SECTOR, true}}},
};
/* Of put_srt, which the test puts there. */
static const io_sample srt_sample = {
    "srt",
    NULL,
    0,
    true,
    3,
    2,
    0,
    1,
    "5",
    {{0, 2000, 4000000000ull * 512, 512, 0, 0, 4, IO_BY_SECTOR, false},
     {1000, 12001000, 512000, 8192, 0, 0, 1, IO_BY_SECTOR, true},
     {501000, 901000, 77 * 512, 1024, 0, 1, 2, IO_BY_SECTOR, false}}};
#undef U
enum { NUM_IO_SAMPLES = sizeof io_samples / sizeof *io_samples };

static const io_window whole_trace = {0, IO_UNKNOWN, UINT32_MAX, 0};

/* Makes a file of this name, which ends in XXXXXX. */
static inline bool io_write(char *path, const char *text, size_t size)
{
    int fd = mkstemp(path);
    bool whole = fd >= 0 && write(fd, text, size) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    return whole;
}

#endif
