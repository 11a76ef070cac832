/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy_folder.c: see deploy_folder.h.
 */
#include "subnet/deploy/deploy_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *deploy_file_name(deploy_file file)
{
    static const char *const names[DEPLOY_FILES] = {
        "lfts",         "qos-policy.conf", "opensm.conf",  "root_guids", "update_order",
        "commands.txt", "summary.txt",     "summary.json", "fabric.json"};
    return names[file];
}

static ik_status fail_io(const char *path, const char *what, ik_error *err)
{
    return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "%s: %s", what, strerror(errno));
}

/* Does the folder hold anything? */
static ik_status look_into(const char *path, bool *holds, ik_error *err)
{
    DIR *dir = opendir(path);
    *holds = false;
    if (!dir && errno == ENOENT)
        return IK_OK;
    if (!dir)
        return fail_io(path, "cannot be read as a folder", err);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        *holds |= strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return IK_OK;
}

static ik_status absolute(const char *path, char *out, ik_error *err)
{
    char here[DEPLOY_PATH / 2] = "";
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0)
        return ik_fail(err, IK_ERR_USAGE, "the name of the folder is empty");
    if (length >= DEPLOY_PATH / 2)
        return ik_fail(err, IK_ERR_USAGE, "the name of the folder has %zu characters", length);
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return fail_io(path, "the current folder cannot be named", err);
    snprintf(out, DEPLOY_PATH, "%s%s%.*s", here, path[0] == '/' ? "" : "/", (int)length, path);
    return IK_OK;
}

ik_status deploy_folder_open(deploy_folder *d, const char *path, bool force, ik_error *err)
{
    *d = (deploy_folder){0};
    ik_status status = absolute(path, d->path, err);
    if (status == IK_OK)
        status = look_into(d->path, &d->exists, err);
    if (status != IK_OK)
        return status;
    if (d->exists && !force) {
        ik_fail(err, IK_ERR_USAGE, "the folder '%.300s' holds files", path);
        return ik_hint(err, IK_ERR_USAGE,
                       "--force replaces those of an earlier deployment; others stay");
    }
    for (unsigned attempt = 0;; attempt++) {
        snprintf(d->temporary, sizeof d->temporary, "%s.%ld-%u.tmp", d->path, (long)getpid(),
                 attempt);
        if (mkdir(d->temporary, 0777) == 0)
            return IK_OK;
        if (errno != EEXIST || attempt == 1000) {
            status = fail_io(path, "cannot be made", err);
            d->temporary[0] = '\0';
            return status;
        }
    }
}

static char *file_in(const char *folder, deploy_file file, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s/%s", folder, deploy_file_name(file));
    return buffer;
}

char *deploy_folder_file(const deploy_folder *d, deploy_file file, char *buffer, size_t size)
{
    return file_in(d->temporary, file, buffer, size);
}

/* Puts files in place one by one. */
static ik_status move_files(deploy_folder *d, ik_error *err)
{
    char from[DEPLOY_PATH + 128], to[DEPLOY_PATH + 128];
    for (deploy_file file = 0; file < DEPLOY_FILES; file++) {
        file_in(d->temporary, file, from, sizeof from);
        file_in(d->path, file, to, sizeof to);
        if (rename(from, to) == 0)
            continue;
        if (errno != ENOENT)
            return fail_io(to, "cannot be replaced", err);
        if (unlink(to) != 0 && errno != ENOENT)
            return fail_io(to, "cannot be removed", err);
    }
    return IK_OK;
}

ik_status deploy_folder_finish(deploy_folder *d, ik_error *err)
{
    if (d->exists) {
        ik_status status = move_files(d, err);
        deploy_folder_drop(d);
        return status;
    }
    if (rename(d->temporary, d->path) != 0) {
        ik_status status = fail_io(d->path, "cannot be made", err);
        deploy_folder_drop(d);
        return status;
    }
    d->temporary[0] = '\0';
    return IK_OK;
}

void deploy_folder_drop(deploy_folder *d)
{
    char path[DEPLOY_PATH + 128];
    if (d->temporary[0] == '\0')
        return;
    for (deploy_file file = 0; file < DEPLOY_FILES; file++)
        unlink(file_in(d->temporary, file, path, sizeof path));
    rmdir(d->temporary);
    d->temporary[0] = '\0';
}
