/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole text files in. Reading goes through zlib, which passes plain files through, so that every
 * text may be packed; where a text starts and what no text holds is decided here for all readers.
 */
#include "ikat/base.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* An unpacked file beyond this is a mistake or an attack; a million-host dump has about 1 GB. */
#define MAX_TEXT_BYTES ((size_t)4 << 30)

static ik_status cannot_open(const char *path, ik_error *err)
{
    return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "cannot be opened: %s", strerror(errno));
}

static ik_status too_large(const char *path, size_t limit, ik_error *err)
{
    char most[32];
    return ik_fail_at(err, IK_ERR_MEMORY, path, 0, 0,
                      "holds more text than %s, the most that is read",
                      ik_format_quantity(most, sizeof most, limit, IK_DIM_SIZE));
}

/* What gzread has to say after it gave `got` bytes. */
static ik_status stream_status(gzFile in, int got, const char *path, ik_error *err)
{
    int code;
    const char *why = gzerror(in, &code);
    if (got >= 0 && code != Z_BUF_ERROR)
        return IK_OK;
    if (code == Z_MEM_ERROR)
        return ik_fail_memory(err, 65536, "unpacking a file");
    if (code == Z_ERRNO)
        return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    return ik_fail_at(err, IK_ERR_INPUT, path, 0, 0, "cannot be read: %s",
                      code == Z_BUF_ERROR ? "the compressed file is cut off" : why);
}

/* Reads to the end; *buffer grows, is the caller's also on failure, and has room for a 0 behind
 * *used bytes. */
static ik_status read_stream(gzFile in, const char *path, size_t limit, char **buffer, size_t *used,
                             ik_error *err)
{
    size_t cap = 0;
    for (;;) {
        if (*used == cap) {
            cap = cap ? 2 * cap : 65536;
            char *larger = realloc(*buffer, cap + 1);
            if (!larger)
                return ik_fail_memory(err, cap + 1, "a file");
            *buffer = larger;
        }
        size_t room = cap - *used;
        int got = gzread(in, *buffer + *used, (unsigned)(room < INT_MAX ? room : INT_MAX));
        ik_status status = stream_status(in, got, path, err);
        if (status != IK_OK || got == 0)
            return status;
        *used += (size_t)got;
        if (*used > limit)
            return too_large(path, limit, err);
    }
}

static ik_status open_text(const char *path, gzFile *in, ik_error *err)
{
    struct stat info;
    if (strcmp(path, "-") == 0) {
        errno = 0;
        int standard_input = dup(STDIN_FILENO); /* closing the stream leaves the process its own */
        *in = standard_input < 0 ? NULL : gzdopen(standard_input, "rb");
        int why = errno;
        if (!*in && standard_input >= 0)
            close(standard_input);
        errno = why;
        if (*in)
            return IK_OK;
        return errno ? ik_fail(err, IK_ERR_IO, "standard input cannot be read: %s", strerror(errno))
                     : ik_fail_memory(err, sizeof *in, "standard input");
    }
    if (stat(path, &info) != 0)
        return cannot_open(path, err);
    if (S_ISDIR(info.st_mode))
        return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "is a directory, expected a file");
    errno = 0;
    *in = gzopen(path, "rb");
    if (!*in)
        return errno ? cannot_open(path, err) : ik_fail_memory(err, sizeof *in, "a file");
    return IK_OK;
}

ik_status ik_text_read(const char *path, uint64_t limit_bytes, char **text, size_t *size,
                       ik_error *err)
{
    size_t limit =
               limit_bytes && limit_bytes < MAX_TEXT_BYTES ? (size_t)limit_bytes : MAX_TEXT_BYTES,
           used = 0;
    gzFile in = NULL;
    ik_status opened = open_text(path, &in, err);
    if (opened != IK_OK)
        return opened;
    char *buffer = NULL;
    ik_status status = read_stream(in, path, limit, &buffer, &used, err);
    gzclose_r(in);
    if (status != IK_OK) {
        free(buffer);
        return status;
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used;
    return IK_OK;
}

/* A character that no text holds; line ends, tabs and form feeds are ordinary. */
static bool is_binary(unsigned char c)
{
    return (c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f') || c == 0x7f;
}

ik_status ik_text_begin(const char **text, size_t *size, const char *file, ik_error *err)
{
    /* UTF-8's byte order mark, which some editors write */
    static const char mark[] = "\xef\xbb\xbf";
    const char *at = *text, *line_start;
    size_t left = *size;
    unsigned line = 1;
    if (left >= 3 && memcmp(at, mark, 3) == 0) {
        at += 3;
        left -= 3;
    }
    line_start = at;
    for (const char *c = at; c < at + left; c++) {
        if (*c == '\n') {
            line++;
            line_start = c + 1;
        }
        if (is_binary((unsigned char)*c)) {
            ik_fail_at(err, IK_ERR_INPUT, file, line, (unsigned)(c - line_start) + 1,
                       "byte 0x%02x is no text", (unsigned char)*c);
            return ik_hint(err, IK_ERR_INPUT,
                           "expected a text file in UTF-8, plain or packed with gzip");
        }
    }
    *text = at;
    *size = left;
    return IK_OK;
}
