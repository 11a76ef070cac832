/* SPDX-License-Identifier: Apache-2.0
 *
 * program/reader.c: see reader.h. Which files a source has, and who reads it. */
#include "traffic/program/reader.h"

#include "base/file_list.h"

#include "ikat_readers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

const program_reader *const *program_readers(void)
{
    return readers_table;
}

const program_reader *program_reader_find(const char *name)
{
    return readers_find(name);
}

/* ---- the source */

static ik_status reader_read_head(program_source *s, ik_error *err)
{
    char *head = malloc(PROGRAM_HEAD + 1);
    gzFile in = head ? gzopen(s->files[0], "rb") : NULL;
    int got = 0, wrong = 0;
    if (!in) {
        bool memory = !head || errno == ENOMEM;
        free(head);
        return memory ? ik_fail_memory(err, PROGRAM_HEAD, "the head of a file")
                      : ik_fail_open(err, s->files[0]);
    }
    got = gzread(in, head, PROGRAM_HEAD); /* what is damaged, its reader says with its place */
    if (got < 0)
        (void)gzerror(in, &wrong);
    gzclose(in);
    if (wrong == Z_MEM_ERROR) {
        free(head);
        return ik_fail_memory(err, PROGRAM_HEAD, "the head of a file");
    }
    s->head_size = got > 0 ? (size_t)got : 0;
    if (s->head_size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        s->head_size -= 3; /* UTF-8's byte order mark, which readers of text pass over, too */
        memmove(head, head + 3, s->head_size);
    }
    head[s->head_size] = '\0';
    s->head = head;
    return IK_OK;
}

ik_status program_source_open(program_source *s, const char *path, ik_error *err)
{
    *s = (program_source){.path = path};
    struct stat of;
    s->is_folder = stat(path, &of) == 0 && S_ISDIR(of.st_mode);
    ik_status status = ik_file_list(path, &s->files, &s->num_files, err);
    return status == IK_OK ? reader_read_head(s, err) : status;
}

void program_source_free(program_source *s)
{
    ik_file_list_free(s->files, s->num_files);
    free((char *)s->head);
    *s = (program_source){0};
}

/* ---- formats */

static ik_status reader_refuse_source(const program_source *s, ik_error *err)
{
    char names[300];
    size_t used = 0;
    if (!s->head_size)
        return ik_fail_at(err, IK_ERR_INPUT, s->files[0], 1, 0, "the file is empty");
    for (unsigned k = 0; readers_table[k] && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "",
                                 readers_table[k]->name);
    ik_fail_at(err, IK_ERR_INPUT, s->files[0], 1, 0, "not in any known format of traces");
    return ik_hint(err, IK_ERR_INPUT, "formats are %s; give one of them with 'format'", names);
}

ik_status program_read(program *p, const char *path, const char *format, const ik_env *env,
                       ik_error *err)
{
    program_source s;
    const program_reader *reader = format ? readers_find(format) : NULL;
    if (format && !reader)
        return readers_unknown("format of traces", format, err);
    ik_status status = program_source_open(&s, path, err);
    unsigned best = 0;
    for (unsigned k = 0; status == IK_OK && !format && readers_table[k]; k++) {
        unsigned sure = readers_table[k]->probe(&s);
        if (sure > best) {
            best = sure;
            reader = readers_table[k];
        }
    }
    if (status == IK_OK && reader && !reader->two_clocks &&
        program_get_settings(p)->clock != PROGRAM_CLOCK_AUTO)
        status = ik_about(err,
                          ik_fail(err, IK_ERR_USAGE,
                                  "clock has no effect: traces of format %s have one time, unlike "
                                  "recordings of 'ikat record'",
                                  reader->name),
                          "clock");
    if (status == IK_OK)
        status = reader ? reader->read(p, &s, env, err) : reader_refuse_source(&s, err);
    if (status == IK_OK && !program_ranks(p))
        status = ik_fail_at(err, IK_ERR_INPUT, s.files[0], 1, 0, "a program of no rank");
    program_source_free(&s);
    return status;
}
