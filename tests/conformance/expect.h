/* SPDX-License-Identifier: Apache-2.0
 *
 * expect.h: what conformance tests expect; failures are told with their place and counted, and the
 * test goes on.
 */
#ifndef IKAT_TESTS_EXPECT_H
#define IKAT_TESTS_EXPECT_H

#include <stdarg.h>
#include <stdio.h>

static unsigned num_failures;

static inline void note_failure(const char *file, int line, const char *holds, const char *of,
                                const char *format, ...) __attribute__((format(printf, 5, 6)));
static inline void note_failure(const char *file, int line, const char *holds, const char *of,
                                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: %s: %s%s", file, line, holds, of ? of : "", of ? ": " : "");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    num_failures++;
}

/* of: what is tested; then a condition; then a format and its values: what was found instead. */
#define EXPECT_OF(of, holds, ...)                                                                  \
    ((holds) ? (void)0 : note_failure(__FILE__, __LINE__, #holds, of, __VA_ARGS__))
#define EXPECT(holds, ...) EXPECT_OF(NULL, holds, __VA_ARGS__)

#endif
