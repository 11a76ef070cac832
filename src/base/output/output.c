/* SPDX-License-Identifier: Apache-2.0
 *
 * Files out, whole or not at all: written under another name in the same folder, flushed to disk
 * and renamed, so that a reader never sees half a file and a full disk costs no older one.
 */
#include "base/output/temporary.h"
#include "ikat/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ik_status output_write_failed(const char *path, ik_error *err)
{
    if (errno == ENOMEM)
        return ik_fail_memory(err, strlen(path), "a file name");
    return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
}

/* A device or pipe is not replaced. */
static bool written_in_place(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static void output_free(ik_output *o)
{
    temporary_end(&(temporary){o->temporary, o->lock});
    free(o->target);
    *o = (ik_output){0};
}

/* The file that is replaced: behind links, so that a link stays one. */
static ik_status output_find_target(ik_output *o, ik_error *err)
{
    o->target = realpath(o->path, NULL);
    if (!o->target)
        o->target = strdup(o->path); /* there is none yet */
    return o->target ? IK_OK : ik_fail_memory(err, strlen(o->path), "a file name");
}

static ik_status output_open_beside(ik_output *o, ik_error *err)
{
    temporary made;
    if (!temporary_file(o->target, &made))
        return output_write_failed(o->path, err);
    o->temporary = made.name;
    o->lock = made.file; /* held until the file has its name: a second descriptor is written to */
    int file = fcntl(o->lock, F_DUPFD_CLOEXEC, 0);
    o->out = file >= 0 ? fdopen(file, "wb") : NULL;
    if (o->out)
        return IK_OK;
    ik_status status = output_write_failed(o->path, err);
    if (file >= 0)
        close(file);
    unlink(o->temporary);
    return status;
}

ik_status ik_output_open(ik_output *o, const char *path, ik_error *err)
{
    *o = (ik_output){.path = path};
    if (!*path) {
        ik_fail(err, IK_ERR_USAGE, "the name of the file to be written is empty");
        return ik_hint(err, IK_ERR_USAGE, "name one; /dev/stdout is standard output");
    }
    if (written_in_place(path)) {
        o->out = fopen(path, "wb");
        return o->out ? IK_OK : output_write_failed(path, err);
    }
    ik_status status = output_find_target(o, err);
    if (status == IK_OK)
        status = output_open_beside(o, err);
    if (status != IK_OK)
        output_free(o);
    return status;
}

static bool output_flushed(FILE *out)
{
    if (ferror(out)) {
        errno = errno ? errno : EIO;
        return false;
    }
    if (fflush(out) != 0)
        return false;
    /* a pipe cannot be synchronised */
    return fsync(fileno(out)) == 0 || errno == EINVAL || errno == EROFS;
}

ik_status ik_output_close(ik_output *o, ik_status status, ik_error *err)
{
    if (!o->out)
        return status;
    if (status == IK_ERR_IO && ferror(o->out))
        ik_error_at(err, o->path, 0, 0); /* its writer knows no name */
    if (status == IK_OK && !output_flushed(o->out))
        status = output_write_failed(o->path, err);
    if (fclose(o->out) != 0 && status == IK_OK)
        status = output_write_failed(o->path, err);
    if (o->temporary) {
        if (status == IK_OK && rename(o->temporary, o->target) != 0)
            status = output_write_failed(o->path, err);
        if (status != IK_OK)
            unlink(o->temporary);
    }
    output_free(o);
    return status;
}
