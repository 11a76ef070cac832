/* SPDX-License-Identifier: Apache-2.0
 *
 * module_file.h. */
#define _GNU_SOURCE /* dladdr */
#include "base/ranks/module_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef IKAT_MODULE_FOLDER
#define IKAT_MODULE_FOLDER "../lib/ikat"
#endif

static ik_status module_file_no_memory(ik_error *err)
{
    return ik_fail_memory(err, 0, "a file name");
}

/* The file in `folder`, which stands beside the file `beside`; *path NULL: it is not there. */
static ik_status module_file_look_beside(const char *beside, const char *folder, const char *name,
                                         char **path, ik_error *err)
{
    char *self = realpath(beside, NULL);
    if (!self)
        return errno == ENOMEM ? module_file_no_memory(err) : IK_OK;
    size_t length = (size_t)(strrchr(self, '/') - self) + 1,
           room = length + strlen(folder) + strlen(name) + 2;
    char *file = malloc(room);
    if (file)
        snprintf(file, room, "%.*s%s/%s", (int)length, self, folder, name);
    if (file && access(file, R_OK) == 0)
        *path = realpath(file, NULL);
    bool lacking = !file || (!*path && errno == ENOMEM);
    free(file);
    free(self);
    return lacking ? module_file_no_memory(err) : IK_OK;
}

ik_status module_file_find(const char *folder, const char *name, char **path, ik_error *err)
{
    static const char here;
    Dl_info library = {0};
    const char *program = "/proc/self/exe";
    const char *own = dladdr(&here, &library) && library.dli_fname ? library.dli_fname : program;
    const char *const places[][2] = {
        {program, folder}, {program, IKAT_MODULE_FOLDER}, {own, folder}, {own, "ikat"}};
    ik_status status = IK_OK;
    *path = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !*path && status == IK_OK; i++)
        status = module_file_look_beside(places[i][0], places[i][1], name, path, err);
    return status;
}
