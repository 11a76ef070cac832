/* SPDX-License-Identifier: Apache-2.0
 *
 * program/reader.h: formats of traces. Add one: program/read_NAME.c with `const program_reader
 * program_reader_NAME` and a row X(NAME) in readers.def; traffic 'program' (format=NAME) and `ikat
 * replay` then know it. A reader whose library was not there at build time stays in the table: its
 * read() refuses with IK_ERR_UNSUPPORTED and says what is missing. */
#ifndef IK_PROGRAM_READER_H
#define IK_PROGRAM_READER_H

#include "traffic/program/program.h"

/* What the user names: a file, a folder, or a pattern of files ("run/trace.*.txt"). */
typedef struct program_source {
    const char *path; /* as the user wrote it */
    bool is_folder;
    /* the files that it stands for, at least one: base/file_list.h */
    char **files;
    uint32_t num_files;
    /* the first bytes of the first file, unpacked if it is packed with gzip */
    const char *head;
    size_t head_size;
} program_source;

enum { PROGRAM_HEAD = 4096 };

typedef struct program_reader {
    const char *name, *summary, *source;
    /* How sure is the reader that the source is in its format? 0..100; by its content first, by
     * names of files where the content does not say. The surest reads. */
    unsigned (*probe)(const program_source *s);
    /* Calls program_begin, then adds all that the trace says. Text is read line by line
     * (base/text_lines.h), so that a piece of it is in memory; env (may be NULL) has progress and
     * cancellation. Refused with file, line (record) and column: what is not in the format, cut-off
     * files among it. The caller frees p. */
    ik_status (*read)(program *p, const program_source *s, const ik_env *env, ik_error *err);
    bool two_clocks; /* program_settings.clock has an effect */
} program_reader;

/* NULL-terminated; by name, NULL = none. */
const program_reader *const *program_readers(void);
const program_reader *program_reader_find(const char *name);

/* Lists the files and reads the head. IK_ERR_IO: nothing is there. Free with program_source_free,
 * whatever it returns. */
ik_status program_source_open(program_source *s, const char *path, ik_error *err);
void program_source_free(program_source *s);
/* Reads it: format NULL = the surest reader's. IK_ERR_INPUT: none knows it. */
ik_status program_read(program *p, const char *path, const char *format, const ik_env *env,
                       ik_error *err);

#endif
