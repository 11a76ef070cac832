/* SPDX-License-Identifier: Apache-2.0
 *
 * chakra_folder.h: folders of Chakra traces, written and read. */
#ifndef CHAKRA_FOLDER_H
#define CHAKRA_FOLDER_H

#include "unit/made.h"

#include "traffic/program/reader.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/chakra_bytes.h"

enum { RANKS = 4 };

/* ---- a folder of files */

typedef struct folder {
    char path[40];
    char names[8][80];
    unsigned num;
} folder;

static inline folder open_folder(void)
{
    folder f = {.path = "/tmp/ikat-chakra-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static inline void write_as(folder *f, const char *name, const void *data, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    memcpy(f->names[f->num++], path, sizeof path);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    fclose(out);
}

static inline void write_rank(folder *f, unsigned rank, const bytes *b)
{
    char name[20];
    snprintf(name, sizeof name, "t.%u.et", rank);
    write_as(f, name, b->at, b->size);
}

static inline void close_folder(folder *f)
{
    for (unsigned k = 0; k < f->num; k++)
        unlink(f->names[k]);
    rmdir(f->path);
}

static inline ik_status read_scaled(const folder *f, double scale, ik_workload *w, ik_error *err)
{
    program_settings set = {.name = f->path, .num_hosts = RANKS, .compute_scale = scale};
    program *p = NULL;
    set.algorithm[COLLECTIVE_ALLREDUCE] = COLLECTIVE_RING;
    assert_int_equal(program_new(&set, &p, err), IK_OK);
    ik_status status = program_read(p, f->path, NULL, NULL, err);
    if (status == IK_OK)
        return program_close(p, w, err);
    program_free(p);
    return status;
}

static inline void read_all(const folder *f, ik_workload *w)
{
    ik_error err = {0};
    if (read_scaled(f, 1, w, &err) != IK_OK)
        fail_msg("%s:%u: %s", err.file, err.line, err.text);
}

static inline void expect_refused(const folder *f, const char *what, unsigned line)
{
    ik_workload w = {0};
    ik_error err = {0};
    assert_int_not_equal(read_scaled(f, 1, &w, &err), IK_OK);
    if (!strstr(err.text, what) || (line && err.line != line))
        fail_msg("'%s' in record %u, got: %s:%u: %s", what, line, err.file, err.line, err.text);
}

#endif
