/* SPDX-License-Identifier: Apache-2.0
 *
 * base/file_list.h: the files that a name stands for. */
#ifndef IKAT_BASE_FILE_LIST_H
#define IKAT_BASE_FILE_LIST_H

#include "ikat/base.h"

/* A file: itself; a folder: the files in it, but hidden ones and those of its folders; otherwise a
 * pattern ("run/trace.*.txt", wildcards after the last slash): the files that fit it. With their
 * path, in order of their names, numbers in these by value ("t.9" before "t.10"); at least one.
 * IK_ERR_IO: there is none. Free with ik_file_list_free. */
ik_status ik_file_list(const char *path, char ***files, uint32_t *num, ik_error *err);
void ik_file_list_free(char **files, uint32_t num);

/* IK_ERR_IO: this file cannot be opened, as errno says; where it is not there, with the nearest
 * name in its folder as hint. */
ik_status ik_fail_open(ik_error *err, const char *path);

#endif
