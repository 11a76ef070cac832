/* SPDX-License-Identifier: Apache-2.0
 *
 * allocations.h: every allocation of a job is failed in turn: the job must end with a clear error
 * and leave its outputs untouched, or give the same answer, and (seen by the address sanitizer)
 * leak nothing. The linker hands the library's calls of allocating functions to the functions
 * below; tests/CMakeLists.txt lists all there are, so that a call of one without a function here
 * does not link. What a test itself needs it gets by __real_NAME.
 */
#ifndef IKAT_TESTS_ALLOCATIONS_H
#define IKAT_TESTS_ALLOCATIONS_H

#define _GNU_SOURCE /* cookie_io_functions_t */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after what it needs */

#include "ikat/ikat.h"
#include "unit/part.h"

static _Atomic uint64_t allocations;       /* since the start of the job */
static uint64_t failing_from = UINT64_MAX; /* this one and, if sticky, all later ones fail */
static bool sticky;
/* Of a job, forty times as many with IKAT_TEST_ALL: of more allocations not every one is failed. */
static unsigned most_runs = 400;
static bool jansson_fails; /* the JSON library's allocations count and fail too */

static inline bool fails_now(void)
{
    uint64_t this_one = allocations++;
    bool refused = sticky ? this_one >= failing_from : this_one == failing_from;
    errno = refused ? ENOMEM : errno;
    return refused;
}

/* An allocating function that returns a pointer, and one that fails in its place. */
#define FAILING(type, name, parameters, arguments)                                                 \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return fails_now() ? NULL : __real_##name arguments;                                       \
    }

FAILING(void *, malloc, (size_t bytes), (bytes))
FAILING(void *, calloc, (size_t count, size_t size), (count, size))
FAILING(void *, realloc, (void *old, size_t bytes), (old, bytes))
FAILING(void *, aligned_alloc, (size_t align, size_t bytes), (align, bytes))
FAILING(char *, strdup, (const char *text), (text))
FAILING(char *, strndup, (const char *text, size_t most), (text, most))
FAILING(char *, realpath, (const char *path, char *to), (path, to))
FAILING(FILE *, fopen, (const char *path, const char *mode), (path, mode))
FAILING(FILE *, fdopen, (int file, const char *mode), (file, mode))
FAILING(FILE *, fmemopen, (void *block, size_t size, const char *mode), (block, size, mode))
FAILING(FILE *, open_memstream, (char **text, size_t *size), (text, size))
FAILING(FILE *, fopencookie, (void *cookie, const char *mode, cookie_io_functions_t io),
        (cookie, mode, io))
FAILING(FILE *, tmpfile, (void), ())
FAILING(DIR *, opendir, (const char *path), (path))
FAILING(char *, getcwd, (char *to, size_t size), (to, size))

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg)
{
    return fails_now() ? EAGAIN : __real_pthread_create(thread, how, run, arg);
}

/* A job frees all it got and returns the status of its first failing step. *answer: a number for
 * what it gave, if it gave anything. */
typedef ik_status (*job_fn)(const char *argument, uint64_t *answer, ik_error *err);

/* Adds bytes to an answer. */
static inline void take(uint64_t *answer, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < size; k++)
        *answer = (*answer ^ at[k]) * 1099511628211ull + 1;
}

typedef struct job_run {
    ik_status status;
    uint64_t answer, allocations;
    ik_error err;
} job_run;

static inline job_run run_job(job_fn job, const char *argument, uint64_t failing)
{
    job_run r = {.answer = 0};
    allocations = 0;
    failing_from = failing;
    r.status = job(argument, &r.answer, &r.err);
    r.allocations = allocations;
    failing_from = UINT64_MAX;
    return r;
}

/* The job gave the undisturbed one's answer, or says that it has no memory. */
static inline bool holds(const job_run *r, const job_run *good)
{
    if (r->status == IK_OK)
        return r->answer == good->answer;
    bool hidden = jansson_fails && r->status == IK_ERR_INPUT; /* it calls most invalid tokens */
    return (r->status == IK_ERR_MEMORY && r->err.text[0]) || hidden;
}

static inline void fail_each(job_fn job, const char *argument, bool and_later)
{
    job_run good = run_job(job, argument, UINT64_MAX);
    if (good.status != IK_OK)
        fail_msg("%s: %s", argument, good.err.text);
    uint64_t runs = all_asked() ? 40ull * most_runs : SANITIZED ? most_runs / 4 + 1 : most_runs;
    uint64_t step = good.allocations / runs + 1;
    assert_true(good.allocations > 0);
    for (uint64_t n = 0; n < good.allocations; n += step) {
        sticky = and_later;
        job_run r = run_job(job, argument, n);
        sticky = false;
        if (!holds(&r, &good))
            fail_msg("%s, allocation %llu%s of %llu: status %s, '%s', answer %llx instead of %llx",
                     argument, (unsigned long long)n, and_later ? " and all later ones" : "",
                     (unsigned long long)good.allocations, ik_status_name(r.status), r.err.text,
                     (unsigned long long)r.answer, (unsigned long long)good.answer);
    }
}

#endif
