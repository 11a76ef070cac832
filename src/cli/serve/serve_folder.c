/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_folder.c: folders for files that are needed for a while, and what killed servers have left
 * of them.
 *
 * A folder is locked by the process that uses it. The kernel gives the lock back however that
 * process ends, so a folder without it is nobody's. Where folders cannot be locked, as on some file
 * systems of networks, none is taken for left.
 */
#define _GNU_SOURCE /* O_DIRECTORY, O_NOFOLLOW */
#include "serve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char folder_name[] = "ikat-serve-XXXXXX";
enum { FOLDER_SAME = sizeof folder_name - 7, FOLDER_AGE = 60 /* s */ };

static const char *folder_within(void)
{
    const char *in = getenv("TMPDIR");
    return in && in[0] ? in : "/tmp";
}

ik_status serve_folder_make(serve_folder *f, ik_error *err)
{
    const char *in = folder_within();
    f->lock = -1;
    snprintf(f->path, sizeof f->path, "%.4000s/%s", in, folder_name);
    if (!mkdtemp(f->path))
        return ik_fail(err, IK_ERR_IO, "no folder can be made in '%.200s': %s", in,
                       strerror(errno));
    f->lock = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->lock >= 0)
        flock(f->lock, LOCK_EX | LOCK_NB);
    return IK_OK;
}

/* Its files, of which none is a folder. Closes it. */
static void folder_empty(int folder)
{
    DIR *files = fdopendir(folder);
    for (struct dirent *e; files && (e = readdir(files));)
        unlinkat(folder, e->d_name, 0);
    if (files)
        closedir(files);
    else
        close(folder);
}

void serve_folder_remove(serve_folder *f)
{
    if (f->lock >= 0)
        folder_empty(f->lock);
    rmdir(f->path);
    f->lock = -1;
}

/* Of this user, for this user alone, and old enough that its maker has locked it. */
static bool folder_is_left(int folder)
{
    struct stat s;
    return fstat(folder, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & 07777) == 0700 &&
           time(NULL) - s.st_mtime > FOLDER_AGE && flock(folder, LOCK_EX | LOCK_NB) == 0;
}

void serve_folder_clean(void)
{
    DIR *all = opendir(folder_within());
    for (struct dirent *e; all && (e = readdir(all));) {
        if (strncmp(e->d_name, folder_name, FOLDER_SAME) != 0 ||
            strlen(e->d_name) != sizeof folder_name - 1)
            continue;
        int folder = openat(dirfd(all), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder >= 0 && folder_is_left(folder)) {
            folder_empty(folder);
            unlinkat(dirfd(all), e->d_name, AT_REMOVEDIR);
        } else if (folder >= 0) {
            close(folder);
        }
    }
    if (all)
        closedir(all);
}
