/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_limit.c: --memory-limit for the whole process. Stages of the library refuse what they know
 * to be too much before they start; what they and other libraries ask for without asking back is
 * refused by the kernel, which then lets allocations fail.
 */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "cli.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

/* The address sanitizer reserves terabytes, and ends the process where an allocation fails. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* The stack of a thread: the library's frames have at most 16 KiB, and METIS recurses a little. */
enum { STACK_BYTES = 1 << 20 };

/* A line "KEY: NUMBER kB" of a file of the kernel, in bytes; 0 if there is none. */
static uint64_t memory_limit_read_bytes(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    char line[128];
    uint64_t kib = 0;
    size_t length = strlen(key);
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0 && sscanf(line + length, ": %" SCNu64 " kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib * 1024;
}

uint64_t cli_free_memory(void)
{
    return memory_limit_read_bytes("/proc/meminfo", "MemAvailable");
}

/* Stacks are reserved but hardly touched: they are not meant by the limit, and are kept small. */
static uint64_t memory_limit_reserve_stacks(unsigned jobs)
{
#ifdef __GLIBC__
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) == 0) {
        if (pthread_attr_setstacksize(&attr, STACK_BYTES) == 0)
            (void)pthread_setattr_default_np(&attr);
        pthread_attr_destroy(&attr);
    }
#endif
    return (2 * (uint64_t)jobs + 2) * STACK_BYTES; /* workers of a sweep, and threads of a point */
}

void cli_limit_memory(const cli *c)
{
    uint64_t held = memory_limit_read_bytes("/proc/self/status", "VmData"),
             limit = c->memory_limit_bytes;
    struct rlimit data;
    if (SANITIZED || !held || !limit || getrlimit(RLIMIT_DATA, &data) != 0)
        return;
    uint64_t room = held + memory_limit_reserve_stacks(c->jobs);
    if (limit > UINT64_MAX / 2 || (data.rlim_cur != RLIM_INFINITY && data.rlim_cur < room + limit))
        return;
    data.rlim_cur = room + limit;
    (void)setrlimit(RLIMIT_DATA, &data);
}
