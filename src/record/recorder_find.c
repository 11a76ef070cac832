/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder_find.c: which recorder a command needs, and where it lies: beside the command ikat where
 * it was built, in the folder of libraries where it is installed.
 */
#include "base/ranks/module_file.h"
#include "ikat/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct library {
    const char *name, *title, *package;
    const char *launchers[6]; /* parts of names of what starts programs */
    const char *needed[4];    /* names of libraries that programs need */
} libraries[IK_RECORDERS] = {
    {"openmpi",
     "Open MPI",
     "libopenmpi-dev",
     {"openmpi", "orterun", "orted", "prterun", "ompi"},
     {"libmpi.so.40", "libmpi.so.80"}},
    {"mpich",
     "MPICH",
     "libmpich-dev",
     {"mpich", "hydra"},
     {"libmpich.so.12", "libmpi.so.12", "libmpich.so.10"}},
};

const char *ik_recorder_name(unsigned recorder)
{
    return recorder < IK_RECORDERS ? libraries[recorder].name : NULL;
}

static bool recorder_find_is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static ik_status recorder_find_no_memory(ik_error *err)
{
    return ik_fail_memory(err, 0, "a file name");
}

/* The folder's file of this name, to be freed; NULL: no memory. */
static char *recorder_find_file_in(const char *folder, size_t length, const char *name)
{
    size_t room = length + strlen(name) + 3;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%.*s%s%s", (int)length, folder, length ? "/" : "./", name);
    return path;
}

ik_status ik_record_program(const char *name, char **path, ik_error *err)
{
    const char *at = getenv("PATH");
    bool found = strchr(name, '/') && recorder_find_is_program(name);
    char *file = found ? strdup(name) : NULL;
    if (found && !file)
        return recorder_find_no_memory(err);
    for (at = at ? at : "/usr/bin:/bin"; !found && *name && !strchr(name, '/');) {
        size_t length = strcspn(at, ":");
        file = recorder_find_file_in(at, length, name);
        if (!file)
            return recorder_find_no_memory(err);
        found = recorder_find_is_program(file);
        if (!found)
            free(file);
        at += length;
        if (!*at++)
            break;
    }
    if (!found)
        return ik_fail(err, IK_ERR_USAGE, "there is no program '%s'", name);
    *path = file;
    return IK_OK;
}

/* The recorder's file, to be freed; *path NULL: it was not built. */
static ik_status recorder_find_file_of(unsigned recorder, char **path, ik_error *err)
{
    char name[100];
    snprintf(name, sizeof name, "libikat_record_%s.so", libraries[recorder].name);
    return module_file_find("record", name, path, err);
}

/* Which MPI library a program's name is of, links followed. */
static ik_status recorder_find_by_name(const char *program, ik_recorder *found, ik_error *err)
{
    char *real = realpath(program, NULL);
    if (!real && errno == ENOMEM)
        return recorder_find_no_memory(err);
    const char *slash = real ? strrchr(real, '/') : NULL;
    for (unsigned l = 0; slash && l < IK_RECORDERS; l++)
        for (const char *const *part = libraries[l].launchers; *part; part++)
            if (strstr(slash, *part))
                *found = (ik_recorder)l;
    free(real);
    return IK_OK;
}

/* Is the text, with its final zero, somewhere in the bytes? */
static bool recorder_find_has_text(const char *bytes, size_t num, const char *text)
{
    size_t length = strlen(text) + 1;
    for (const char *at = bytes, *end = bytes + num; (size_t)(end - at) >= length; at++) {
        at = memchr(at, text[0], (size_t)(end - at) - length + 1);
        if (!at)
            break;
        if (memcmp(at, text, length) == 0)
            return true;
    }
    return false;
}

/* Which MPI library an executable needs: its name stands in the file. */
static ik_status recorder_find_by_content(const char *program, ik_recorder *found, ik_error *err)
{
    enum { PIECE = 1 << 16, OVERLAP = 32 };
    char *piece = malloc(PIECE + OVERLAP);
    if (!piece)
        return recorder_find_no_memory(err);
    FILE *file = fopen(program, "rb");
    size_t kept = 0, n;
    bool elf = file && fread(piece, 1, 4, file) == 4 && memcmp(piece, "\177ELF", 4) == 0;
    while (elf && *found == IK_RECORDER_AUTO && (n = fread(piece + kept, 1, PIECE, file)) > 0) {
        for (unsigned l = 0; l < IK_RECORDERS; l++)
            for (const char *const *name = libraries[l].needed; *name; name++)
                if (recorder_find_has_text(piece, kept + n, *name))
                    *found = (ik_recorder)l;
        size_t keep = kept + n < OVERLAP ? kept + n : OVERLAP;
        memmove(piece, piece + kept + n - keep, keep);
        kept = keep;
    }
    if (file)
        fclose(file);
    free(piece);
    return IK_OK;
}

/* By the launcher's name, then by the programs in the command. */
static ik_status recorder_find_guess(const char *const *command, ik_recorder *found, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t k = 0; k == 0 || (command[k - 1] && *found == IK_RECORDER_AUTO); k++) {
        char *program = NULL;
        const char *word = command[k ? k - 1 : 0];
        status = ik_record_program(word, &program, err);
        if (status == IK_ERR_USAGE) /* no program: an option, a file */
            continue;
        if (status == IK_OK)
            status = k ? recorder_find_by_content(program, found, err)
                       : recorder_find_by_name(program, found, err);
        free(program);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static ik_status recorder_find_none_built(ik_recorder wanted, ik_error *err)
{
    if (wanted == IK_RECORDER_AUTO) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "this ikat has no recorder: no MPI library was found when "
                "it was built");
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "install libopenmpi-dev or libmpich-dev, and build ikat again");
    }
    ik_fail(err, IK_ERR_UNSUPPORTED, "this ikat has no recorder for %s, which the command uses",
            libraries[wanted].title);
    return ik_hint(err, IK_ERR_UNSUPPORTED, "install %s, and build ikat again",
                   libraries[wanted].package);
}

ik_status ik_recorder_find(ik_recorder wanted, const char *const *command, char **path,
                           ik_error *err)
{
    char *files[IK_RECORDERS] = {NULL};
    unsigned built = 0, first = IK_RECORDERS;
    ik_status status = IK_OK;
    for (unsigned l = 0; l < IK_RECORDERS && status == IK_OK; l++) {
        status = recorder_find_file_of(l, &files[l], err);
        built += files[l] != NULL;
        first = files[l] && first > l ? l : first;
    }
    if (status == IK_OK && wanted == IK_RECORDER_AUTO && built)
        status = recorder_find_guess(command, &wanted, err);
    if (wanted == IK_RECORDER_AUTO && built)
        wanted = (ik_recorder)first;
    if (status == IK_OK && (wanted >= IK_RECORDERS || !files[wanted])) {
        status = recorder_find_none_built(wanted, err);
    } else if (status == IK_OK) {
        *path = files[wanted];
        files[wanted] = NULL;
    }
    for (unsigned l = 0; l < IK_RECORDERS; l++)
        free(files[l]);
    return status;
}
