/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder_find.c: which recorder a command needs, and where it lies: beside the command ikat where
 * it was built, in the folder of libraries where it is installed.
 */
#include "ikat/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef IKAT_RECORDER_FOLDER
#define IKAT_RECORDER_FOLDER "../lib/ikat"
#endif

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

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

char *ik_record_program(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/'))
        return is_program(name) ? strdup(name) : NULL;
    for (const char *at = path ? path : "/usr/bin:/bin"; *name; at++) {
        size_t length = strcspn(at, ":");
        size_t room = length + strlen(name) + 3;
        char *full = malloc(room);
        if (!full)
            return NULL;
        snprintf(full, room, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        if (is_program(full))
            return full;
        free(full);
        at += length;
        if (!*at)
            break;
    }
    return NULL;
}

/* The recorder's file, to be freed; NULL: it was not built. */
static char *file_of(unsigned recorder)
{
    static const char *const folders[] = {"record", IKAT_RECORDER_FOLDER};
    char *self = realpath("/proc/self/exe", NULL), *found = NULL;
    if (!self)
        return NULL;
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof folders / sizeof *folders && !found; i++) {
        size_t room = strlen(self) + strlen(folders[i]) + 64;
        char *path = malloc(room);
        if (path) {
            snprintf(path, room, "%.*s/%s/libikat_record_%s.so", (int)(slash - self), self,
                     folders[i], libraries[recorder].name);
            found = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
        }
        free(path);
    }
    free(self);
    return found;
}

/* Which MPI library a program's name is of, links followed. */
static ik_recorder by_name(const char *program)
{
    char *real = realpath(program, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;
    ik_recorder found = IK_RECORDER_AUTO;
    for (unsigned l = 0; slash && l < IK_RECORDERS; l++)
        for (const char *const *part = libraries[l].launchers; *part; part++)
            if (strstr(slash, *part))
                found = (ik_recorder)l;
    free(real);
    return found;
}

/* Is the text, with its final zero, somewhere in the bytes? */
static bool has_text(const char *bytes, size_t num, const char *text)
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
static ik_recorder by_content(const char *program)
{
    enum { PIECE = 1 << 16, OVERLAP = 32 };
    ik_recorder found = IK_RECORDER_AUTO;
    char *piece = malloc(PIECE + OVERLAP);
    FILE *file = piece ? fopen(program, "rb") : NULL;
    size_t kept = 0, n;
    bool elf = file && fread(piece, 1, 4, file) == 4 && memcmp(piece, "\177ELF", 4) == 0;
    while (elf && found == IK_RECORDER_AUTO && (n = fread(piece + kept, 1, PIECE, file)) > 0) {
        for (unsigned l = 0; l < IK_RECORDERS; l++)
            for (const char *const *name = libraries[l].needed; *name; name++)
                if (has_text(piece, kept + n, *name))
                    found = (ik_recorder)l;
        size_t keep = kept + n < OVERLAP ? kept + n : OVERLAP;
        memmove(piece, piece + kept + n - keep, keep);
        kept = keep;
    }
    if (file)
        fclose(file);
    free(piece);
    return found;
}

static ik_recorder guess(const char *const *command)
{
    for (int pass = 0; pass < 2; pass++)
        for (const char *const *word = command; *word; word++) {
            char *program = ik_record_program(*word);
            ik_recorder found = !program    ? IK_RECORDER_AUTO
                                : pass == 0 ? by_name(program)
                                            : by_content(program);
            free(program);
            if (found != IK_RECORDER_AUTO)
                return found;
            if (pass == 0)
                break; /* only the launcher goes by its name */
        }
    return IK_RECORDER_AUTO;
}

static ik_status none_built(ik_recorder wanted, ik_error *err)
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
    char *files[IK_RECORDERS];
    unsigned built = 0, first = IK_RECORDERS;
    for (unsigned l = 0; l < IK_RECORDERS; l++)
        if ((files[l] = file_of(l))) {
            built++;
            first = first < l ? first : l;
        }
    if (wanted == IK_RECORDER_AUTO && built)
        wanted = guess(command);
    if (wanted == IK_RECORDER_AUTO && built)
        wanted = (ik_recorder)first;
    ik_status status = IK_OK;
    if (!built || !files[wanted]) {
        status = none_built(wanted, err);
    } else {
        *path = files[wanted];
        files[wanted] = NULL;
    }
    for (unsigned l = 0; l < IK_RECORDERS; l++)
        free(files[l]);
    return status;
}
