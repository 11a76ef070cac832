/* SPDX-License-Identifier: Apache-2.0
 *
 * base/file_list.c: see file_list.h. */
#include "base/file_list.h"

#include "base/array.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct file_list {
    const char *path;
    char **files;
    uint32_t num_files;
    size_t room;
} file_list;

/* Texts with numbers in them by value. */
static int file_list_compare_names(const char *a, const char *b)
{
    for (;; a++, b++) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
            int order = x != y ? (x > y) - (x < y) : memcmp(a, b, x);
            if (order)
                return order;
            a += x;
            b += y;
        }
        if (*a != *b || !*a)
            return ((unsigned char)*a > (unsigned char)*b) -
                   ((unsigned char)*a < (unsigned char)*b);
    }
}

static int file_list_by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int order = file_list_compare_names(x, y);
    return order ? order : strcmp(x, y);
}

static bool file_list_is_folder(const char *path)
{
    struct stat of;
    return stat(path, &of) == 0 && S_ISDIR(of.st_mode);
}

/* Appends FOLDER/NAME if it is a file. */
static ik_status file_list_add_file(file_list *s, const char *folder, const char *name,
                                    ik_error *err)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path || !IK_ARRAY_ROOM(s->files, s->room, (size_t)s->num_files + 1)) {
        free(path);
        return ik_fail_memory(err, size, "a list of files");
    }
    bool slash = *folder && folder[strlen(folder) - 1] != '/';
    snprintf(path, size, "%s%s%s", folder, slash ? "/" : "", name);
    if (file_list_is_folder(path)) {
        free(path);
        return IK_OK;
    }
    s->files[s->num_files++] = path;
    return IK_OK;
}

/* Files of a folder that fit the pattern; NULL = all but hidden ones. */
static ik_status list_folder(file_list *s, const char *folder, const char *pattern, ik_error *err)
{
    ik_status status = IK_OK;
    DIR *dir = opendir(*folder ? folder : ".");
    if (!dir && errno == ENOMEM)
        return ik_fail_memory(err, 32768, "a list of files");
    if (!dir)
        return ik_fail(err, IK_ERR_IO, "%s: %s", *folder ? folder : ".", strerror(errno));
    for (const struct dirent *e; status == IK_OK && (e = readdir(dir));) {
        bool fits = pattern ? fnmatch(pattern, e->d_name, FNM_PERIOD) == 0 : e->d_name[0] != '.';
        if (fits)
            status = file_list_add_file(s, folder, e->d_name, err);
    }
    closedir(dir);
    if (status == IK_OK && !s->num_files)
        return ik_fail(err, IK_ERR_IO,
                       pattern ? "%s: no file fits the pattern" : "%s: no file in it", s->path);
    if (status == IK_OK)
        qsort(s->files, s->num_files, sizeof *s->files, file_list_by_name);
    return status;
}

static ik_status list_pattern(file_list *s, ik_error *err)
{
    const char *slash = strrchr(s->path, '/'), *name = slash ? slash + 1 : s->path;
    char *folder = strndup(s->path, (size_t)(name - s->path));
    if (!folder)
        return ik_fail_memory(err, strlen(s->path), "a list of files");
    ik_status status = list_folder(s, folder, name, err);
    free(folder);
    return status;
}

static ik_status list_files(file_list *s, ik_error *err)
{
    struct stat of;
    bool there = stat(s->path, &of) == 0;
    if (there && S_ISDIR(of.st_mode))
        return list_folder(s, s->path, NULL, err);
    if (!there && strpbrk(s->path, "*?["))
        return list_pattern(s, err);
    if (!there)
        return ik_fail_open(err, s->path);
    return file_list_add_file(s, "", s->path, err);
}

ik_status ik_file_list(const char *path, char ***files, uint32_t *num, ik_error *err)
{
    file_list s = {.path = path};
    ik_status status = list_files(&s, err);
    if (status != IK_OK) {
        ik_file_list_free(s.files, s.num_files);
        return status;
    }
    *files = s.files;
    *num = s.num_files;
    return IK_OK;
}

void ik_file_list_free(char **files, uint32_t num)
{
    for (uint32_t k = 0; k < num; k++)
        free(files[k]);
    free(files);
}

/* ---- a file that is not there */

/* One that is being written stands under such a name until it is whole. */
static bool file_list_is_temporary(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".tmp") == 0;
}

/* The nearest of the files in the folder, in its place, as a hint. What lacks memory has none. */
static void file_list_hint(ik_error *err, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = strndup(path, (size_t)(name - path));
    file_list s = {.path = path};
    if (folder && list_folder(&s, folder, NULL, NULL) == IK_OK) {
        const char **names = malloc(((size_t)s.num_files + 1) * sizeof *names);
        size_t num = 0;
        for (uint32_t k = 0; names && k < s.num_files; k++)
            if (!file_list_is_temporary(s.files[k]))
                names[num++] = s.files[k] + strlen(folder);
        if (names) {
            names[num] = NULL;
            const char *nearest = ik_nearest_name(name, names);
            char found[sizeof err->hint];
            snprintf(found, sizeof found, "%s%s", folder, nearest ? nearest : "");
            ik_meant(err, IK_ERR_IO, nearest ? found : NULL);
        }
        free(names);
    }
    ik_file_list_free(s.files, s.num_files);
    free(folder);
}

ik_status ik_fail_open(ik_error *err, const char *path)
{
    int why = errno;
    if (why == ENOMEM)
        return ik_fail_memory(err, PATH_MAX, "a file");
    ik_fail_at(err, IK_ERR_IO, path, 0, 0, "cannot be opened: %s", strerror(why));
    if (why == ENOENT && err)
        file_list_hint(err, path);
    return IK_ERR_IO;
}
