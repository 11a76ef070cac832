/* SPDX-License-Identifier: Apache-2.0
 *
 * Text files in, whole or line by line. Reading goes through zlib, which passes plain files on, so
 * that every text may be packed; where a text starts and what no text holds is decided here for all
 * readers.
 */
#include "base/file_list.h"
#include "base/text_lines.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

/* An unpacked file beyond this is a mistake or an attack; a million-host dump has about 1 GB. */
#define MAX_TEXT_BYTES ((size_t)4 << 30)

static ik_status text_cannot_open(const char *path, ik_error *err)
{
    return ik_fail_open(err, path);
}

static ik_status text_too_large(const char *path, size_t limit, ik_error *err)
{
    char most[32];
    return ik_fail_at(err, IK_ERR_MEMORY, path, 0, 0, "holds more text than %s, which is the limit",
                      ik_format_quantity(most, sizeof most, limit, IK_DIM_SIZE));
}

/* What gzread has to say after it gave `got` bytes. */
static ik_status text_stream_status(gzFile in, int got, const char *path, ik_error *err)
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

/* A character that no text holds; line ends, tabs and form feeds are ordinary. */
static bool text_is_binary(unsigned char c)
{
    return (c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f') || c == 0x7f;
}

static ik_status text_refuse_binary(const char *file, unsigned line, size_t column, unsigned char c,
                                    ik_error *err)
{
    ik_fail_at(err, IK_ERR_INPUT, file, line, (unsigned)column, "byte 0x%02x is not text", c);
    ik_of_kind(err, IK_ERR_INPUT, IK_ERROR_FOREIGN_FILE);
    return ik_hint(err, IK_ERR_INPUT, "expected a text file in UTF-8, plain or packed with gzip");
}

/* UTF-8's byte order mark, which some editors write. */
static size_t text_mark_length(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Refuses a text whose bytes from `from` on are not all text (with `log`, or controls of a
 * terminal); those before are. */
static ik_status check_text(const char *text, size_t from, size_t size, bool log, const char *file,
                            ik_error *err)
{
    size_t at = from, line_start = text_mark_length(text, size);
    unsigned line = 1;
    while (at < size && (!text_is_binary((unsigned char)text[at]) ||
                         (log && ik_text_is_control((unsigned char)text[at]))))
        at++;
    if (at == size)
        return IK_OK;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') {
            line++;
            line_start = i + 1;
        }
    return text_refuse_binary(file, line, at - line_start + 1, (unsigned char)text[at], err);
}

/* Reads to the end; *buffer grows, is the caller's also on failure, and has room for a 0 behind
 * *used bytes. Ends at the first byte that is not text: a device may have no end. */
static ik_status text_read_stream(gzFile in, const char *path, size_t limit, bool log,
                                  char **buffer, size_t *used, ik_error *err)
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
        ik_status status = text_stream_status(in, got, path, err);
        if (status != IK_OK || got == 0)
            return status;
        *used += (size_t)got;
        status = check_text(*buffer, *used - (size_t)got, *used, log, path, err);
        if (status != IK_OK)
            return status;
        if (*used > limit)
            return text_too_large(path, limit, err);
    }
}

static ik_status text_open_text(const char *path, gzFile *in, ik_error *err)
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
        return text_cannot_open(path, err);
    if (S_ISDIR(info.st_mode))
        return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "is a directory, expected a file");
    errno = 0;
    *in = gzopen(path, "rb");
    if (!*in)
        return errno ? text_cannot_open(path, err) : ik_fail_memory(err, sizeof *in, "a file");
    return IK_OK;
}

static ik_status text_read(const char *path, uint64_t limit_bytes, bool log, char **text,
                           size_t *size, ik_error *err)
{
    size_t limit =
               limit_bytes && limit_bytes < MAX_TEXT_BYTES ? (size_t)limit_bytes : MAX_TEXT_BYTES,
           used = 0;
    gzFile in = NULL;
    ik_status opened = text_open_text(path, &in, err);
    if (opened != IK_OK)
        return opened;
    char *buffer = NULL;
    ik_status status = text_read_stream(in, path, limit, log, &buffer, &used, err);
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

ik_status ik_text_read(const char *path, uint64_t limit_bytes, char **text, size_t *size,
                       ik_error *err)
{
    return text_read(path, limit_bytes, false, text, size, err);
}

ik_status ik_text_read_log(const char *path, uint64_t limit_bytes, char **text, size_t *size,
                           ik_error *err)
{
    return text_read(path, limit_bytes, true, text, size, err);
}

ik_status ik_text_begin(const char **text, size_t *size, const char *file, ik_error *err)
{
    ik_status status = check_text(*text, 0, *size, false, file, err);
    size_t mark = status == IK_OK ? text_mark_length(*text, *size) : 0;
    *text += mark;
    *size -= mark;
    return status;
}

/* ---- line by line */

ik_status ik_text_lines_open(ik_text_lines *l, const char *path, const ik_env *env, ik_error *err)
{
    gzFile in = NULL;
    struct stat info;
    *l = (ik_text_lines){.path = path, .env = env};
    ik_status status = text_open_text(path, &in, err);
    if (status != IK_OK)
        return status;
    l->in = in;
    l->size = stat(path, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
    l->cap = 2 * (size_t)IK_LINE_MAX;
    l->text = l->buffer = malloc(l->cap);
    if (!l->buffer) {
        ik_text_lines_close(l);
        return ik_fail_memory(err, l->cap, "a file");
    }
    gzbuffer(in, 1 << 17);
    return IK_OK;
}

void ik_text_lines_memory(ik_text_lines *l, const char *text, size_t size, const char *path)
{
    *l = (ik_text_lines){.path = path, .text = text, .used = size, .at_end = true};
}

void ik_text_lines_close(ik_text_lines *l)
{
    if (l->in)
        gzclose_r(l->in);
    free(l->buffer);
    l->in = NULL;
    l->buffer = NULL;
}

static void text_report(ik_text_lines *l)
{
    const ik_env *env = l->env;
    z_off_t done = gzoffset(l->in);
    if (!env || !env->progress || !l->size || done < 0 ||
        ik_clock_s(CLOCK_MONOTONIC) - l->reported < 0.05)
        return;
    l->reported = ik_clock_s(CLOCK_MONOTONIC);
    uint64_t at = (uint64_t)done < l->size ? (uint64_t)done : l->size;
    env->progress(env->progress_ctx, "reading", at, l->size, "bytes");
}

/* Moves what is left of the buffer to its beginning and reads behind it. */
static ik_status text_refill(ik_text_lines *l, ik_error *err)
{
    size_t left = l->used - l->at;
    if (ik_env_cancelled(l->env))
        return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    memmove(l->buffer, l->buffer + l->at, left);
    l->at = 0;
    l->used = left;
    int got = gzread(l->in, l->buffer + left, (unsigned)(l->cap - left));
    ik_status status = text_stream_status(l->in, got, l->path, err);
    if (status != IK_OK)
        return status;
    l->used += (size_t)got;
    l->at_end = got == 0;
    text_report(l);
    return IK_OK;
}

ik_status ik_text_lines_peek(ik_text_lines *l, size_t wanted, size_t *got, ik_error *err)
{
    assert(wanted <= IK_LINE_MAX);
    while (l->used - l->at < wanted && !l->at_end) {
        ik_status status = text_refill(l, err);
        if (status != IK_OK)
            return status;
    }
    *got = l->used - l->at;
    return IK_OK;
}

void ik_text_lines_skip(ik_text_lines *l, size_t size)
{
    assert(size <= l->used - l->at);
    l->at += size;
}

/* False: no byte of the line is binary. Eight at a time; tabs are taken for binary here. */
static bool text_may_be_binary(const char *c, const char *end)
{
    const uint64_t ones = UINT64_MAX / 255, tops = ones * 128;
    for (; end - c >= 8; c += 8) {
        uint64_t word, del;
        memcpy(&word, c, sizeof word);
        del = word ^ ones * 0x7f;
        if (((word - ones * ' ') & ~word & tops) | ((del - ones) & ~del & tops))
            return true;
    }
    for (; c < end; c++)
        if (text_is_binary((unsigned char)*c))
            return true;
    return false;
}

static ik_status text_check_line(const ik_text_lines *l, ik_error *err)
{
    if (!text_may_be_binary(l->line, l->line_end))
        return IK_OK;
    for (const char *c = l->line; c < l->line_end; c++)
        if (text_is_binary((unsigned char)*c))
            return text_refuse_binary(l->path, l->number, (size_t)(c - l->line) + 1,
                                      (unsigned char)*c, err);
    return IK_OK;
}

ik_status ik_text_lines_next(ik_text_lines *l, bool *more, ik_error *err)
{
    const char *end;
    while (!(end = memchr(l->text + l->at, '\n', l->used - l->at)) && !l->at_end) {
        if (l->used - l->at > IK_LINE_MAX)
            break;
        ik_status status = text_refill(l, err);
        if (status != IK_OK)
            return status;
    }
    l->line = l->text + l->at;
    l->line_end = end ? end : l->text + l->used;
    *more = end || l->line < l->line_end;
    if (!*more)
        return IK_OK;
    l->number++;
    if (l->line_end - l->line > IK_LINE_MAX) {
        ik_status status = text_check_line(l, err);
        return status != IK_OK ? status
                               : ik_fail_at(err, IK_ERR_INPUT, l->path, l->number, 1,
                                            "the line is longer than %d bytes", IK_LINE_MAX);
    }
    l->at = (size_t)(l->line_end - l->text) + (end ? 1 : 0);
    l->cut = !end;
    if (l->number == 1 && l->line_end - l->line >= 3 && memcmp(l->line, "\xef\xbb\xbf", 3) == 0)
        l->line += 3;
    if (l->line_end > l->line && l->line_end[-1] == '\r')
        l->line_end--;
    return text_check_line(l, err);
}
