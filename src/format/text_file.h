/* SPDX-License-Identifier: Apache-2.0
 *
 * Fabrics in files on disk; and the steps of reading that topology `file` shares.
 */
#ifndef IKAT_TEXT_FILE_H
#define IKAT_TEXT_FILE_H

#include "ikat/format.h"

/* Writes beside `path` and renames; packs if the name ends in .gz. */
ik_status text_file_write(const char *path, const ik_fabric *f,
                          ik_status (*write)(const ik_fabric *, FILE *, ik_error *), ik_error *err);

/* Format of this name (NULL = none asked for); IK_ERR_INPUT with the nearest name. */
ik_status format_by_name(const char *name, const ik_format **format, ik_error *err);
/* Finds a format by its name (NULL: none is given, *format is NULL) and reads the text of a file,
 * which the caller frees, also after an error. */
ik_status format_load(const char *path, const char *format_name, const ik_env *env,
                      const ik_format **format, char **text, size_t *size, ik_error *err);
/* Recognises the text's format if NULL, and reads it into the builder. */
ik_status format_read(const char *text, size_t size, const char *file, const ik_format *format,
                      ik_builder *b, ik_error *err);
/* Levels and judgement of a fabric that was read. */
ik_status format_finish(ik_fabric *f, ik_error *err);

#endif
