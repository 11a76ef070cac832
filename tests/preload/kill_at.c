/* SPDX-License-Identifier: Apache-2.0
 *
 * kill_at.c: a library to preload, with which a process is killed before one of the calls that
 * change a file system, whoever makes it; one that writes is killed when half of it is written.
 *
 * IKAT_KILL_AT=N       before the N-th call, counted from 0
 * IKAT_KILL_BY=SIGNAL  by this signal, a number: one that only stops it lets it go on (SIGKILL)
 * IKAT_COUNT_CALLS=FD  the number of calls is written to this file descriptor at exit
 *
 * What stdio writes is not counted, but what makes it last and gives it its name is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic uint64_t calls;
static uint64_t last = UINT64_MAX;
static int count_to = -1, by = SIGKILL;

__attribute__((constructor)) static void read_environment(void)
{
    const char *number = getenv("IKAT_KILL_AT"), *count = getenv("IKAT_COUNT_CALLS"),
               *signal_number = getenv("IKAT_KILL_BY");
    if (number)
        last = strtoull(number, NULL, 10);
    if (signal_number)
        by = (int)strtol(signal_number, NULL, 10);
    if (count)
        count_to = (int)strtol(count, NULL, 10);
}

__attribute__((destructor)) static void tell_count(void)
{
    if (count_to >= 0)
        dprintf(count_to, "%llu\n", (unsigned long long)atomic_load(&calls));
}

static bool is_last(void)
{
    return atomic_fetch_add(&calls, 1) == last;
}

static void count(void)
{
    if (is_last())
        raise(by);
}

/* A call that takes no bytes, and its parameters with and without their types. */
#define COUNTED(name, parameters, arguments)                                                       \
    int name parameters;                                                                           \
    int name parameters                                                                            \
    {                                                                                              \
        int(*next) parameters;                                                                     \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                 \
        count();                                                                                   \
        return next arguments;                                                                     \
    }

COUNTED(fsync, (int file), (file))
COUNTED(fdatasync, (int file), (file))
COUNTED(ftruncate, (int file, off_t size), (file, size))
COUNTED(ftruncate64, (int file, off64_t size), (file, size))
COUNTED(rename, (const char *from, const char *to), (from, to))
COUNTED(renameat2, (int in, const char *from, int out, const char *to, unsigned flags),
        (in, from, out, to, flags))
COUNTED(unlink, (const char *path), (path))
COUNTED(rmdir, (const char *path), (path))
COUNTED(mkdir, (const char *path, mode_t mode), (path, mode))
COUNTED(chmod, (const char *path, mode_t mode), (path, mode))

/* A call that writes, of which half is written at last. */
#define WRITING(name, offset_type)                                                                 \
    ssize_t name(int file, const void *bytes, size_t size, offset_type at)                         \
    {                                                                                              \
        ssize_t (*next)(int, const void *, size_t, offset_type);                                   \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                 \
        if (is_last()) {                                                                           \
            next(file, bytes, size / 2, at);                                                       \
            raise(by);                                                                             \
        }                                                                                          \
        return next(file, bytes, size, at);                                                        \
    }

WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

ssize_t write(int file, const void *bytes, size_t size)
{
    ssize_t (*next)(int, const void *, size_t);
    *(void **)&next = dlsym(RTLD_NEXT, "write");
    if (file > STDERR_FILENO && is_last()) {
        next(file, bytes, size / 2);
        raise(by);
    }
    return next(file, bytes, size);
}
