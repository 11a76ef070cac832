/* SPDX-License-Identifier: Apache-2.0
 *
 * part.h: how much of a long matrix a test takes: all of it with IKAT_TEST_ALL set, else as much as
 * the test says, and less under the sanitizers, where a case costs five to twenty times as much. */
#ifndef IKAT_TEST_PART_H
#define IKAT_TEST_PART_H

#include "base/sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h> /* after what it needs */

#define THREAD_SANITIZED IK_THREAD_SANITIZED
#define SANITIZED        IK_SANITIZED

static inline bool all_asked(void)
{
    const char *text = getenv("IKAT_TEST_ALL");
    return text && *text;
}

/* Whether case `number` of a matrix is taken: each, or every `step`-th under the sanitizers, every
 * (2 step + 1)-th under that of threads. Steps that are prime to the lengths of the inner loops
 * take some of everything. */
static inline bool in_part(unsigned number, unsigned step)
{
    unsigned every = THREAD_SANITIZED ? 2 * step + 1 : step;
    return !SANITIZED || all_asked() || number % every == 0;
}

/* The same of a test with the label "values", of which the release build takes every `usual`-th. */
static inline bool in_parts(unsigned number, unsigned usual, unsigned step)
{
    return all_asked() || (SANITIZED ? in_part(number, step) : number % usual == 0);
}

/* Runs on 1, 2, 3 threads; under the sanitizer of threads on 1 and 2, since the third shows it
 * nothing new. */
enum { MOST_THREADS = THREAD_SANITIZED ? 2 : 3 };

/* A test that runs on one thread, or on threads that another one of its file shows, has nothing to
 * show the sanitizer of threads, which takes as long for it as for the others. */
static inline bool threads_only(void)
{
    return THREAD_SANITIZED && !all_asked();
}

/* Where results on several threads are compared with those on one. The sanitizer of threads sees
 * nothing in a run on one thread, and the other builds compare. */
static inline unsigned fewest_threads(void)
{
    return threads_only() ? 2 : 1;
}

#define on_one_thread(test)                                                                        \
    (const struct CMUnitTest)                                                                      \
    {                                                                                              \
#test, threads_only() ? left_to_others : test, NULL, NULL, NULL                            \
    }
static inline void left_to_others(void **state)
{
    (void)state;
    skip();
}

/* How many cases a test draws: with IKAT_TEST_ALL, usually, under the sanitizers. */
static inline unsigned as_many(unsigned all, unsigned usual, unsigned sanitized)
{
    return all_asked() ? all : SANITIZED ? sanitized : usual;
}

#endif
