/* SPDX-License-Identifier: Apache-2.0
 *
 * program/reader.c: see reader.h. Which files a source has, and who reads it. */
#include "traffic/program/reader.h"

#include "base/array.h"
#include "base/text_lines.h"

#include "ikat_readers.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

const program_reader *const *program_readers(void)
{
    return readers_table;
}

const program_reader *program_reader_find(const char *name)
{
    return readers_find(name);
}

/* ---- files */

/* Texts with numbers in them by value. */
static int compare_names(const char *a, const char *b)
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

static int by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int order = compare_names(x, y);
    return order ? order : strcmp(x, y);
}

static bool is_folder(const char *path)
{
    struct stat of;
    return stat(path, &of) == 0 && S_ISDIR(of.st_mode);
}

/* Appends FOLDER/NAME if it is a file. */
static ik_status add_file(program_source *s, size_t *room, const char *folder, const char *name,
                          ik_error *err)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path || !IK_ARRAY_ROOM(s->files, *room, (size_t)s->num_files + 1)) {
        free(path);
        return ik_fail_memory(err, size, "a list of files");
    }
    bool slash = *folder && folder[strlen(folder) - 1] != '/';
    snprintf(path, size, "%s%s%s", folder, slash ? "/" : "", name);
    if (is_folder(path)) {
        free(path);
        return IK_OK;
    }
    s->files[s->num_files++] = path;
    return IK_OK;
}

/* Files of a folder that fit the pattern; NULL = all but hidden ones. */
static ik_status list_folder(program_source *s, const char *folder, const char *pattern,
                             ik_error *err)
{
    size_t room = 0;
    ik_status status = IK_OK;
    DIR *dir = opendir(*folder ? folder : ".");
    if (!dir && errno == ENOMEM)
        return ik_fail_memory(err, 32768, "a list of files");
    if (!dir)
        return ik_fail(err, IK_ERR_IO, "%s: %s", *folder ? folder : ".", strerror(errno));
    for (const struct dirent *e; status == IK_OK && (e = readdir(dir));) {
        bool fits = pattern ? fnmatch(pattern, e->d_name, FNM_PERIOD) == 0 : e->d_name[0] != '.';
        if (fits)
            status = add_file(s, &room, folder, e->d_name, err);
    }
    closedir(dir);
    if (status == IK_OK && !s->num_files)
        return ik_fail(err, IK_ERR_IO,
                       pattern ? "%s: no file fits the pattern" : "%s: no file in it", s->path);
    if (status == IK_OK)
        qsort(s->files, s->num_files, sizeof *s->files, by_name);
    return status;
}

static ik_status list_pattern(program_source *s, ik_error *err)
{
    const char *slash = strrchr(s->path, '/'), *name = slash ? slash + 1 : s->path;
    char *folder = strndup(s->path, (size_t)(name - s->path));
    if (!folder)
        return ik_fail_memory(err, strlen(s->path), "a list of files");
    ik_status status = list_folder(s, folder, name, err);
    free(folder);
    return status;
}

static ik_status list_files(program_source *s, ik_error *err)
{
    struct stat of;
    size_t room = 0;
    bool there = stat(s->path, &of) == 0;
    s->is_folder = there && S_ISDIR(of.st_mode);
    if (s->is_folder)
        return list_folder(s, s->path, NULL, err);
    if (!there && strpbrk(s->path, "*?["))
        return list_pattern(s, err);
    if (!there)
        return ik_fail(err, IK_ERR_IO, "%s: %s", s->path, strerror(errno));
    return add_file(s, &room, "", s->path, err);
}

static ik_status read_head(program_source *s, ik_error *err)
{
    char *head = malloc(PROGRAM_HEAD + 1);
    gzFile in = head ? gzopen(s->files[0], "rb") : NULL;
    if (!in) {
        free(head);
        return head ? ik_fail(err, IK_ERR_IO, "%s: %s", s->files[0], strerror(errno))
                    : ik_fail_memory(err, PROGRAM_HEAD, "the head of a file");
    }
    int got = gzread(in, head, PROGRAM_HEAD); /* what is damaged, its reader says with its place */
    gzclose(in);
    s->head_size = got > 0 ? (size_t)got : 0;
    head[s->head_size] = '\0';
    s->head = head;
    return IK_OK;
}

ik_status program_source_open(program_source *s, const char *path, ik_error *err)
{
    *s = (program_source){.path = path};
    ik_status status = list_files(s, err);
    return status == IK_OK ? read_head(s, err) : status;
}

void program_source_free(program_source *s)
{
    for (uint32_t k = 0; k < s->num_files; k++)
        free(s->files[k]);
    free(s->files);
    free((char *)s->head);
    *s = (program_source){0};
}

/* ---- formats */

static ik_status refuse_source(const program_source *s, ik_error *err)
{
    char names[300];
    size_t used = 0;
    for (unsigned k = 0; readers_table[k] && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "",
                                 readers_table[k]->name);
    ik_fail_at(err, IK_ERR_INPUT, s->files[0], 1, 0,
               "in none of the formats of traces that are known");
    return ik_hint(err, IK_ERR_INPUT,
                   "formats are %s; 'format' says which, where the file does not", names);
}

ik_status program_read(program *p, const char *path, const char *format, const ik_env *env,
                       ik_error *err)
{
    program_source s;
    const program_reader *reader = format ? readers_find(format) : NULL;
    if (format && !reader)
        return readers_unknown("format of traces", format, err);
    ik_status status = program_source_open(&s, path, err);
    unsigned best = 0;
    for (unsigned k = 0; status == IK_OK && !format && readers_table[k]; k++) {
        unsigned sure = readers_table[k]->probe(&s);
        if (sure > best) {
            best = sure;
            reader = readers_table[k];
        }
    }
    if (status == IK_OK)
        status = reader ? reader->read(p, &s, env, err) : refuse_source(&s, err);
    if (status == IK_OK && !program_ranks(p))
        status = ik_fail_at(err, IK_ERR_INPUT, s.files[0], 1, 0, "a program of no rank");
    program_source_free(&s);
    return status;
}
