/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/format.h: foreign file formats. Add one: src/format/format_NAME.c and a row in
 * src/format/formats.def.
 */
#ifndef IKAT_FORMAT_H
#define IKAT_FORMAT_H

#include "ikat/fabric.h"

#include <stdio.h>

IK_BEGIN_DECLS

typedef struct ik_format {
    const char *name; /* "ibnetdiscover" */
    const char *summary, *source;
    const char *const *extensions; /* NULL-terminated, without the dot */
    /* How sure is this reader that `text` (the first bytes of a file) is in this format? 0..100 */
    unsigned (*probe)(const char *text, size_t size);
    /* Parses a whole file held in memory. Wrong input: IK_ERR_INPUT with line and column. NULL =
     * cannot read. */
    ik_status (*read)(const char *text, size_t size, const char *file, ik_builder *b,
                      ik_error *err);
    /* Writes the fabric. Write, read, write gives the same bytes. NULL = cannot write. */
    ik_status (*write)(const ik_fabric *f, FILE *out, ik_error *err);
} ik_format;

const ik_format *const *ik_formats(void); /* NULL-terminated */
const ik_format *ik_format_find(const char *name);
const ik_format *ik_format_for_file(const char *path); /* by extension, NULL if none */

/* Reads a fabric file, format NULL = by extension and content. Judged. gzip-compressed files are
 * read too. */
ik_status ik_fabric_read(const char *path, const char *format, const ik_env *env, ik_fabric **out,
                         ik_error *err);
/* The same from memory; `file` is the name for messages. */
ik_status ik_fabric_read_memory(const char *text, size_t size, const char *file,
                                const ik_format *format, const ik_env *env, ik_fabric **out,
                                ik_error *err);
/* Writes to a temporary file beside `path` and renames it: nothing half-written. */
ik_status ik_fabric_write(const ik_fabric *f, const char *path, const char *format, ik_error *err);
/* The picture of format svg with cables coloured by load, the larger of both directions. share
 * [num_ports]: of its rate that each channel carries; below 0 = not known, drawn dotted; NULL: the
 * picture as it is. Cost O(switches + ports). */
ik_status ik_fabric_draw_loads(const ik_fabric *f, const float *share, FILE *out, ik_error *err);

IK_END_DECLS
#endif
