/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy_folder.c: see deploy_folder.h.
 */
#define _GNU_SOURCE /* renameat2 */
#include "subnet/deploy/deploy_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const char *deploy_file_name(deploy_file file)
{
    static const char *const names[DEPLOY_FILES] = {
        "lfts",         "qos-policy.conf", "opensm.conf",  "root_guids", "update_order",
        "commands.txt", "summary.txt",     "summary.json", "fabric.json"};
    return names[file];
}

static ik_status deploy_folder_fail_io(const char *path, const char *what, ik_error *err)
{
    return ik_fail_at(err, IK_ERR_IO, path, 0, 0, "%s: %s", what, strerror(errno));
}

/* Does the folder hold anything? */
static ik_status deploy_folder_look_into(const char *path, bool *holds, ik_error *err)
{
    DIR *dir = opendir(path);
    *holds = false;
    if (!dir && errno == ENOENT)
        return IK_OK;
    if (!dir)
        return deploy_folder_fail_io(path, "cannot be read as a folder", err);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        *holds |= strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return IK_OK;
}

static ik_status deploy_folder_absolute(const char *path, char *out, ik_error *err)
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
        return deploy_folder_fail_io(path, "the current folder cannot be named", err);
    snprintf(out, DEPLOY_PATH, "%s%s%.*s", here, path[0] == '/' ? "" : "/", (int)length, path);
    return IK_OK;
}

/* The folder itself is replaced, not a link to it, nor "." in it. */
static ik_status deploy_folder_follow_links(char *path, ik_error *err)
{
    char *real = realpath(path, NULL);
    if (!real)
        return deploy_folder_fail_io(path, "cannot be followed", err);
    if (strlen(real) < DEPLOY_PATH)
        strcpy(path, real);
    free(real);
    return IK_OK;
}

static char *deploy_folder_file_in(const char *folder, deploy_file file, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s/%s", folder, deploy_file_name(file));
    return buffer;
}

/* What else it holds stays, and the folder with it. */
static void deploy_folder_remove_files(const char *folder)
{
    char path[DEPLOY_PATH + 256];
    for (deploy_file file = 0; file < DEPLOY_FILES; file++) {
        unlink(deploy_folder_file_in(folder, file, path, sizeof path));
        temporary_remove_left(path);
    }
    rmdir(folder);
}

/* Names what is to be made; files that are there need `force`. */
static ik_status deploy_folder_name(deploy_folder *d, const char *path, bool force, ik_error *err)
{
    *d = (deploy_folder){0};
    ik_status status = deploy_folder_absolute(path, d->path, err);
    if (status == IK_OK)
        status = deploy_folder_look_into(d->path, &d->exists, err);
    if (status == IK_OK && d->exists)
        status = deploy_folder_follow_links(d->path, err);
    if (status != IK_OK)
        return status;
    if (d->exists && !force) {
        ik_fail(err, IK_ERR_USAGE, "the folder '%.300s' holds files", path);
        return ik_hint(err, IK_ERR_USAGE,
                       "--force replaces those of an earlier deployment; others stay");
    }
    return IK_OK;
}

ik_status deploy_folder_check(const char *path, bool force, ik_error *err)
{
    deploy_folder d;
    ik_status status = deploy_folder_name(&d, path, force, err);
    if (status != IK_OK)
        return status;
    char *slash = strrchr(d.path, '/');
    slash[slash == d.path] = '\0';
    return access(d.path, W_OK | X_OK) == 0 ? IK_OK
                                            : deploy_folder_fail_io(path, "cannot be made", err);
}

static ik_status deploy_folder_make(deploy_folder *d, const char *path, ik_error *err)
{
    if (temporary_folder(d->path, deploy_folder_remove_files, &d->temporary))
        return IK_OK;
    return errno == ENOMEM ? ik_fail_memory(err, strlen(path), "a file name")
                           : deploy_folder_fail_io(path, "cannot be made", err);
}

ik_status deploy_folder_open(deploy_folder *d, const char *path, bool force, ik_error *err)
{
    ik_status status = deploy_folder_name(d, path, force, err);
    return status == IK_OK ? deploy_folder_make(d, path, err) : status;
}

ik_status deploy_folder_open_dry(deploy_folder *d, ik_error *err)
{
    static const char name[] = "/ikat-dry-run";
    const char *parent = getenv("TMPDIR");
    parent = parent && *parent ? parent : "/tmp";
    *d = (deploy_folder){0};
    ik_status status = deploy_folder_absolute(parent, d->path, err);
    if (status != IK_OK)
        return status;
    if (strlen(d->path) + sizeof name > sizeof d->path)
        return ik_fail(err, IK_ERR_USAGE, "the name of the folder for temporary files is too long");
    strcat(d->path, name);
    return deploy_folder_make(d, parent, err);
}

char *deploy_folder_file(const deploy_folder *d, deploy_file file, char *buffer, size_t size)
{
    return deploy_folder_file_in(d->temporary.name, file, buffer, size);
}

/* ---- taking a folder's place */

static bool is_of_deployment(const char *name)
{
    for (deploy_file file = 0; file < DEPLOY_FILES; file++)
        if (strcmp(name, deploy_file_name(file)) == 0)
            return true;
    return false;
}

/* Moves what is not of a deployment from one folder to another. Something else that has the name of
 * a file of a deployment ends it. */
static ik_status deploy_folder_move_others(const char *from, const char *to, ik_error *err)
{
    char old[DEPLOY_PATH + 512], new[DEPLOY_PATH + 512];
    struct stat info;
    ik_status status = IK_OK;
    DIR *dir = opendir(from);
    if (!dir)
        return deploy_folder_fail_io(from, "cannot be read as a folder", err);
    for (struct dirent *e = readdir(dir); e && status == IK_OK; e = readdir(dir)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(old, sizeof old, "%s/%s", from, e->d_name);
        snprintf(new, sizeof new, "%s/%s", to, e->d_name);
        if (!is_of_deployment(e->d_name)) {
            if (rename(old, new) != 0)
                status = deploy_folder_fail_io(old, "cannot be moved", err);
        } else if (lstat(old, &info) == 0 && S_ISDIR(info.st_mode)) {
            status = ik_fail_at(err, IK_ERR_IO, old, 0, 0, "cannot be replaced: it is a folder");
        }
    }
    closedir(dir);
    return status;
}

/* Two folders change their names at once; one after the other where the file system cannot. */
static bool deploy_folder_exchange(const char *a, const char *b)
{
    char aside[DEPLOY_PATH + 128];
    if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0)
        return true;
    snprintf(aside, sizeof aside, "%s.old", a);
    if ((errno != EINVAL && errno != ENOSYS) || rename(b, aside) != 0)
        return false;
    if (rename(a, b) == 0)
        return rename(aside, a) == 0;
    int why = errno;
    rename(aside, b);
    errno = why;
    return false;
}

/* The new folder takes the place of the old one, and what else the old one held; then the old one
 * is removed. Up to then a failure puts everything back. */
static ik_status deploy_folder_swap(deploy_folder *d, ik_error *err)
{
    struct stat info;
    ik_error ignored;
    if (stat(d->path, &info) == 0)
        chmod(d->temporary.name, info.st_mode & 07777);
    if (!deploy_folder_exchange(d->temporary.name, d->path))
        return deploy_folder_fail_io(d->path, "cannot be replaced", err);
    ik_status status = deploy_folder_move_others(d->temporary.name, d->path, err);
    if (status == IK_OK)
        return IK_OK; /* the old one is dropped under its new name */
    deploy_folder_move_others(d->path, d->temporary.name, &ignored);
    deploy_folder_exchange(d->temporary.name, d->path);
    return status;
}

ik_status deploy_folder_finish(deploy_folder *d, ik_error *err)
{
    ik_status status = IK_OK;
    if (d->exists) {
        /* it has the name of the temporary one for a moment, and nobody removes it then */
        int old = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (old >= 0)
            (void)flock(old, LOCK_EX | LOCK_NB);
        status = deploy_folder_swap(d, err);
        if (old >= 0)
            close(old);
    } else if (rename(d->temporary.name, d->path) != 0)
        status = deploy_folder_fail_io(d->path, "cannot be made", err);
    else
        temporary_end(&d->temporary);
    deploy_folder_drop(d);
    return status;
}

void deploy_folder_drop(deploy_folder *d)
{
    if (!d->temporary.name)
        return;
    deploy_folder_remove_files(d->temporary.name);
    temporary_end(&d->temporary);
}
