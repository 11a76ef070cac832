/* SPDX-License-Identifier: Apache-2.0
 *
 * fail_allocation.c: a library to preload, with which one allocation of a whole process fails,
 * whoever asks for it: the command, the C library or any other library.
 *
 * IKAT_FAIL_ALLOCATION=N    the N-th allocation fails, counted from 0
 * IKAT_FAIL_ALLOCATION=N+   and so do all later ones
 * IKAT_FAIL_ALLOCATION_OF=NAME all allocations fail that a library asks for whose path holds NAME,
 * IKAT_FAIL_ALLOCATION_WHILE=FILE as long as this file exists
 * IKAT_FAIL_ALLOCATION_IN=NAME     only in programs of this name, not in what they run
 * IKAT_COUNT_ALLOCATIONS=FD the number of allocations is written to this file descriptor when the
 *                           process exits
 *
 * strdup, getline, open_memstream, asprintf, fopen and the like allocate through these functions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C library's own allocator: reached without dlsym, which allocates. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static _Atomic uint64_t allocations;
static uint64_t failing = UINT64_MAX;
static bool and_later;
static int count_to = -1;
static const char *failing_library, *failing_while;

__attribute__((constructor)) static void read_environment(void)
{
    const char *number = getenv("IKAT_FAIL_ALLOCATION"), *count = getenv("IKAT_COUNT_ALLOCATIONS");
    const char *only_in = getenv("IKAT_FAIL_ALLOCATION_IN");
    char *end = NULL;
    if (only_in && strcmp(only_in, program_invocation_short_name) != 0)
        return;
    if (count)
        count_to = (int)strtol(count, NULL, 10);
    failing_while = getenv("IKAT_FAIL_ALLOCATION_WHILE");
    failing_library = getenv("IKAT_FAIL_ALLOCATION_OF");
    if (!number)
        return;
    uint64_t n = strtoull(number, &end, 10);
    and_later = *end == '+';
    atomic_store(&allocations, 0);
    failing = n;
}

__attribute__((destructor)) static void tell_count(void)
{
    if (count_to >= 0)
        dprintf(count_to, "%llu\n", (unsigned long long)atomic_load(&allocations));
}

/* For a breakpoint: who asks is to be seen in a debugger. */
__attribute__((noinline)) static bool fail_here(void)
{
    errno = ENOMEM;
    return true;
}

/* Is it a call of that library, at this time? */
static bool of_library(const void *caller)
{
    Dl_info info;
    int before = errno;
    bool fails = failing_library && failing_while && access(failing_while, F_OK) == 0 &&
                 dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, failing_library);
    errno = before;
    return fails;
}

static bool refused(const void *caller)
{
    if (of_library(caller))
        return fail_here();
    uint64_t n = atomic_fetch_add(&allocations, 1);
    return (n == failing || (and_later && n > failing)) && fail_here();
}

void *malloc(size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

/* To make a block smaller takes no memory, but may fail all the same. */
void *realloc(void *old, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}

void *memalign(size_t align, size_t bytes); /* no header of ISO C or POSIX declares them */
void *valloc(size_t bytes);

void *memalign(size_t align, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return memalign(align, bytes);
}

int posix_memalign(void **where, size_t align, size_t bytes)
{
    void *block = memalign(align, bytes);
    if (!block)
        return ENOMEM;
    *where = block;
    return 0;
}

void *valloc(size_t bytes)
{
    return memalign(4096, bytes);
}
