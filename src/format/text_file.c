/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files in and out. Reading goes through zlib, which passes plain files through; what is written is packed if its
 * name ends in .gz.
 */
#include "format/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* An unpacked file beyond this is a mistake or an attack; a million-host dump has about 1 GB. */
#define MAX_TEXT_BYTES ((size_t)4 << 30)

static ik_status io_failed(ik_error *err, const char *path, const char *what)
{
    int why = errno;
    ik_fail(err, IK_ERR_IO, "%s: %s", what, strerror(why));
    ik_error_at(err, path, 0, 0);
    return IK_ERR_IO;
}

/* ---- reading */

static ik_status read_stream(gzFile in, const char *path, size_t limit, char **text, size_t *size, ik_error *err)
{
    size_t cap = 65536, used = 0;
    char *buffer = malloc(cap + 1);
    for (;;) {
        if (!buffer)
            return ik_fail_memory(err, cap, "a file");
        int got = gzread(in, buffer + used, (unsigned)(cap - used < INT_MAX ? cap - used : INT_MAX));
        int code;
        const char *why = gzerror(in, &code);
        if (got < 0 || code == Z_BUF_ERROR) {
            free(buffer);
            return ik_fail_at(err, code == Z_ERRNO ? IK_ERR_IO : IK_ERR_INPUT, path, 0, 0, "cannot be read: %s",
                              code == Z_BUF_ERROR ? "the compressed file is cut off"
                              : code == Z_ERRNO   ? strerror(errno)
                                                  : why);
        }
        if (got == 0)
            break;
        used += (size_t)got;
        if (used > limit) {
            free(buffer);
            return ik_fail_at(err, IK_ERR_MEMORY, path, 0, 0, "more than %zu bytes of text", limit);
        }
        if (used == cap) {
            char *larger = realloc(buffer, 2 * cap + 1);
            if (!larger)
                free(buffer);
            buffer = larger;
            cap *= 2;
        }
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used;
    return IK_OK;
}

ik_status text_file_read(const char *path, const ik_env *env, char **text, size_t *size, ik_error *err)
{
    struct stat info;
    size_t limit = env && env->memory_limit_bytes && env->memory_limit_bytes < MAX_TEXT_BYTES ? (size_t)env->memory_limit_bytes
                                                                                              : MAX_TEXT_BYTES;
    if (stat(path, &info) != 0)
        return io_failed(err, path, "cannot be opened");
    if (S_ISDIR(info.st_mode))
        return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "is a directory, expected a file");
    gzFile in = gzopen(path, "rb");
    if (!in)
        return io_failed(err, path, "cannot be opened");
    gzbuffer(in, 1 << 17);
    ik_status status = read_stream(in, path, limit, text, size, err);
    gzclose_r(in);
    return status;
}

/* ---- writing */

static ik_status pack(FILE *from, int to, const char *path, ik_error *err)
{
    char chunk[65536];
    gzFile out = gzdopen(dup(to), "wb9");
    bool ok = out != NULL;
    rewind(from);
    for (size_t got; ok && (got = fread(chunk, 1, sizeof chunk, from)) > 0;)
        ok = gzwrite(out, chunk, (unsigned)got) == (int)got;
    ok = ok && !ferror(from);
    if (out && gzclose_w(out) != Z_OK)
        ok = false;
    return ok ? IK_OK : io_failed(err, path, "cannot be written");
}

static ik_status write_packed(const char *path, const ik_fabric *f, ik_status (*write)(const ik_fabric *, FILE *, ik_error *),
                              FILE *out, ik_error *err)
{
    FILE *plain = tmpfile();
    if (!plain)
        return io_failed(err, path, "cannot make a temporary file");
    ik_status status = write(f, plain, err);
    if (status == IK_OK && (fflush(plain) != 0 || ferror(plain)))
        status = io_failed(err, path, "cannot be written");
    if (status == IK_OK)
        status = pack(plain, fileno(out), path, err);
    fclose(plain);
    return status;
}

ik_status text_file_write(const char *path, const ik_fabric *f, ik_status (*write)(const ik_fabric *, FILE *, ik_error *),
                          ik_error *err)
{
    size_t length = strlen(path);
    bool packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    ik_output file;
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = packed ? write_packed(path, f, write, file.out, err) : write(f, file.out, err);
    return ik_output_close(&file, status, err);
}
