/* SPDX-License-Identifier: Apache-2.0
 *
 * temporary.c: see temporary.h.
 *
 * The lock is one of flock(), which ends with the process however it ends. Who can take it may
 * remove the file; who has made a file and then finds it gone was too late to lock it, and makes
 * another. Where a file system has no locks, nothing is removed. */
#include "base/output/temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 1000, LOCK_TRIES = 100, LOCK_WAIT_MS = 10 };

typedef struct maker {
    const char *target;
    void (*remove_folder)(const char *); /* NULL = files are made */
} maker;

static int temporary_open(const maker *m, const char *name)
{
    int how = m->remove_folder ? O_RDONLY | O_DIRECTORY : O_RDWR;
    return open(name, how | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Of a database also what SQLite keeps beside it until it is written. */
static void temporary_remove(const maker *m, const char *name)
{
    char journal[PATH_MAX];
    if (m->remove_folder) {
        m->remove_folder(name);
    } else {
        snprintf(journal, sizeof journal, "%s-journal", name);
        unlink(journal);
        unlink(name);
    }
}

/* Whether the name still is that of the file. */
static bool temporary_is_there(const char *name, int file)
{
    struct stat named, opened;
    return lstat(name, &named) == 0 && fstat(file, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

/* ---- what killed processes have left */

/* Behind a number; NULL: there is none. */
static const char *temporary_behind_number(const char *at)
{
    const char *from = at;
    while (isdigit((unsigned char)*at))
        at++;
    return at > from ? at : NULL;
}

/* Whether a file's name is `base`.PROCESS-NUMBER.tmp. */
static bool temporary_is_name_of(const char *name, const char *base)
{
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || name[length] != '.')
        return false;
    const char *at = temporary_behind_number(name + length + 1);
    at = at && *at == '-' ? temporary_behind_number(at + 1) : NULL;
    return at && strcmp(at, ".tmp") == 0;
}

static void temporary_remove_unheld(const maker *m, const char *name)
{
    struct stat info;
    int file = temporary_open(m, name);
    if (file < 0)
        return;
    if (fstat(file, &info) == 0 && (m->remove_folder || S_ISREG(info.st_mode)) &&
        flock(file, LOCK_EX | LOCK_NB) == 0 && temporary_is_there(name, file))
        temporary_remove(m, name);
    close(file);
}

/* `name`: room for the name of a file beside the target. */
static void temporary_sweep(const maker *m, char *name, size_t size)
{
    const char *slash = strrchr(m->target, '/'), *base = slash ? slash + 1 : m->target;
    int folder = (int)(base - m->target);
    snprintf(name, size, "%.*s", folder, m->target);
    DIR *dir = opendir(folder ? name : ".");
    if (!dir)
        return;
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
        if (temporary_is_name_of(e->d_name, base) &&
            (size_t)snprintf(name, size, "%.*s%s", folder, m->target, e->d_name) < size)
            temporary_remove_unheld(m, name);
    closedir(dir);
}

void temporary_remove_left(const char *target)
{
    char name[PATH_MAX];
    temporary_sweep(&(maker){target, NULL}, name, sizeof name);
}

/* ---- making one */

/* Makes one under this name and locks it; < 0: errno, EEXIST if the name is taken. */
static int temporary_make(const maker *m, const char *name)
{
    if (m->remove_folder && mkdir(name, 0777) != 0)
        return -1;
    int file = m->remove_folder ? temporary_open(m, name)
                                : open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        int why = errno;
        if (m->remove_folder)
            rmdir(name); /* no file can be opened */
        /* a folder that another process has removed before it could be locked: as good as taken */
        errno = m->remove_folder && why == ENOENT ? EEXIST : why;
        return -1;
    }
    while (flock(file, LOCK_EX) != 0 && errno == EINTR)
        ; /* where there are no locks, it stays without */
    if (temporary_is_there(name, file))
        return file;
    close(file);
    errno = EEXIST; /* as good as taken */
    return -1;
}

static bool temporary_new(const maker *m, temporary *out)
{
    size_t size = strlen(m->target) + 64;
    char *name = malloc(size);
    if (!name) {
        errno = ENOMEM;
        return false;
    }
    temporary_sweep(m, name, size);
    for (unsigned attempt = 0;; attempt++) {
        snprintf(name, size, "%s.%ld-%u.tmp", m->target, (long)getpid(), attempt);
        int file = temporary_make(m, name);
        if (file >= 0) {
            *out = (temporary){name, file};
            return true;
        }
        if (errno != EEXIST || attempt == ATTEMPTS)
            break;
    }
    int why = errno;
    free(name);
    errno = why;
    return false;
}

bool temporary_file(const char *target, temporary *out)
{
    return temporary_new(&(maker){target, NULL}, out);
}

bool temporary_folder(const char *target, void (*remove_folder)(const char *), temporary *out)
{
    return temporary_new(&(maker){target, remove_folder}, out);
}

void temporary_end(temporary *t)
{
    if (!t->name)
        return;
    close(t->file);
    free(t->name);
    *t = (temporary){0};
}

bool file_lock(int file)
{
    for (unsigned tries = 0; flock(file, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (errno != EWOULDBLOCK || tries == LOCK_TRIES)
            return false;
        poll(NULL, 0, LOCK_WAIT_MS);
    }
    return true;
}
