/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_recording.c: any bytes as the records of up to four ranks, in a file with right checksums:
 * refused with a text, or a program. (fuzz_program has files whose checksums are wrong.) The first
 * byte says how many ranks there are, which share the rest; the bytes of each begin behind a right
 * beginning.
 */
#include "../unit/recording_made.h"

#include "ikat/record.h"
#include "traffic/program/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_RANKS = 4 };

static made_recording made;
static unsigned char file[MADE_RANKS * MADE_ROOM + 4096];

static void make(const uint8_t *data, size_t size)
{
    uint32_t ranks = size ? 1 + *data % MOST_RANKS : 1;
    made_begin(&made, ranks);
    size_t each = size > 1 ? (size - 1) / ranks : 0;
    each = each < MADE_ROOM - 1000 ? each : MADE_ROOM - 1000;
    for (uint32_t i = 0; i < ranks; i++) {
        made_rank *m = &made.ranks[i];
        if (each)
            memcpy(m->bytes + m->num, data + 1 + i * each, each);
        m->num += each;
        /* the first byte is an operation, and how many records there are */
        m->records += each ? 1 + data[1 + i * each] % 64 : 0;
    }
    made_end(&made);
}

static void read_it(const char *path)
{
    ik_error err;
    ik_recording_summary s;
    ik_workload w;
    program *p = NULL;
    program_settings set = {.name = "input",
                            .num_hosts = MADE_RANKS,
                            .compute_scale = 1,
                            .size_scale = 1,
                            .match_recorded = true};
    if (ik_recording_summarise(path, &s, &err) != IK_OK && !err.text[0])
        abort();
    if (program_new(&set, &p, &err) != IK_OK)
        abort();
    ik_status status = program_read(p, path, "recording", NULL, &err);
    if (status == IK_OK) {
        if (program_close(p, &w, &err) == IK_OK)
            ik_workload_clear(&w);
    } else {
        if (!err.text[0])
            abort();
        program_free(p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/ikat-fuzz-recording-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        abort();
    make(data, size);
    size_t num = made_file(&made, file);
    if (write(fd, file, num) != (ssize_t)num || close(fd) != 0)
        abort();
    read_it(path);
    unlink(path);
    return 0;
}
