/* SPDX-License-Identifier: Apache-2.0
 *
 * module_file.h: where shared objects lie that belong to ikat and are loaded, or preloaded, at run
 * time: beside the command where it was built, in the folder of libraries where it is installed. */
#ifndef IKAT_BASE_MODULE_FILE_H
#define IKAT_BASE_MODULE_FILE_H

#include "ikat/base.h"

/* The file `name` of the build folder's `folder`, or of the installed ones; *path is to be freed,
 * NULL: it is not there. It is looked for beside the program and beside the shared library, which
 * any program may have loaded. */
ik_status module_file_find(const char *folder, const char *name, char **path, ik_error *err);

#endif
