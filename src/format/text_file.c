/* SPDX-License-Identifier: Apache-2.0
 *
 * Fabrics into files: what is written is packed if its name ends in .gz.
 */
#include "format/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static ik_status text_file_io_failed(ik_error *err, const char *path, const char *what)
{
    int why = errno;
    ik_fail(err, IK_ERR_IO, "%s: %s", what, strerror(why));
    ik_error_at(err, path, 0, 0);
    return IK_ERR_IO;
}

static ik_status text_file_pack(FILE *from, int to, const char *path, ik_error *err)
{
    char chunk[8192];
    gzFile out = gzdopen(dup(to), "wb9");
    bool ok = out != NULL;
    rewind(from);
    for (size_t got; ok && (got = fread(chunk, 1, sizeof chunk, from)) > 0;)
        ok = gzwrite(out, chunk, (unsigned)got) == (int)got;
    ok = ok && !ferror(from);
    if (out && gzclose_w(out) != Z_OK)
        ok = false;
    return ok ? IK_OK : text_file_io_failed(err, path, "cannot be written");
}

static ik_status text_file_write_packed(const char *path, const ik_fabric *f,
                                        ik_status (*write)(const ik_fabric *, FILE *, ik_error *),
                                        FILE *out, ik_error *err)
{
    FILE *plain = tmpfile();
    if (!plain)
        return text_file_io_failed(err, path, "cannot make a temporary file");
    ik_status status = write(f, plain, err);
    if (status == IK_OK && (fflush(plain) != 0 || ferror(plain)))
        status = text_file_io_failed(err, path, "cannot be written");
    if (status == IK_OK)
        status = text_file_pack(plain, fileno(out), path, err);
    fclose(plain);
    return status;
}

ik_status text_file_write(const char *path, const ik_fabric *f,
                          ik_status (*write)(const ik_fabric *, FILE *, ik_error *), ik_error *err)
{
    size_t length = strlen(path);
    bool packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    ik_output file;
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = packed ? text_file_write_packed(path, f, write, file.out, err)
                        : write(f, file.out, err);
    return ik_output_close(&file, status, err);
}
