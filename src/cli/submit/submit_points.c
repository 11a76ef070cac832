/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/submit_points.c: which task of `ikat submit` runs which points, and what that will take.
 */
#include "submit_points.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what earlier tasks left */

/* Whole results files in the folder of the shards; free them with submit_free_list(). */
static char **submit_list_shards(const char *folder, size_t *num)
{
    DIR *open_folder = opendir(folder);
    char **list = NULL;
    *num = 0;
    for (struct dirent *d; open_folder && (d = readdir(open_folder));) {
        size_t length = strlen(d->d_name);
        struct stat info;
        if (length < 4 || strcmp(d->d_name + length - 3, ".db") != 0 ||
            fstatat(dirfd(open_folder), d->d_name, &info, 0) != 0 || info.st_size == 0)
            continue;
        char **more = realloc(list, (*num + 1) * sizeof *list);
        size_t size = strlen(folder) + length + 2;
        char *path = more ? malloc(size) : NULL;
        list = more ? more : list;
        if (!path)
            break; /* an estimate by fewer of them */
        snprintf(path, size, "%s/%s", folder, d->d_name);
        list[(*num)++] = path;
    }
    if (open_folder)
        closedir(open_folder);
    return list;
}

static void submit_free_list(char **list, size_t num)
{
    for (size_t i = 0; i < num; i++)
        free(list[i]);
    free(list);
}

/* ---- which points */

/* What tasks have to do that an earlier submission assigned. */
static void submit_count_tasks(submit_points *p, unsigned num)
{
    for (unsigned i = 0; i < num; i++)
        p->tasks[i] = (ik_task_cost){0};
    for (uint64_t i = 0; i < p->estimate->num_points; i++) {
        const ik_point_cost *c = &p->estimate->points[i];
        ik_task_cost *t = &p->tasks[p->task_of[i]];
        if (c->finished || c->elsewhere)
            continue;
        t->points++;
        t->seconds += isnan(c->seconds) ? 0 : c->seconds;
        t->bytes = c->bytes > t->bytes ? c->bytes : t->bytes;
    }
}

static ik_status submit_divide(submit_points *p, unsigned num, ik_error *err)
{
    const ik_sweep_estimate *s = p->estimate;
    p->task_of = calloc(s->num_points + 1, sizeof *p->task_of);
    p->tasks = calloc(num, sizeof *p->tasks);
    if (!p->task_of || !p->tasks)
        return ik_fail_memory(err, s->num_points * sizeof *p->task_of, "an assignment");
    p->kept = access(p->path, R_OK) == 0 &&
              ik_assignment_read(p->path, s->key, s->num_points, num, p->task_of, NULL) == IK_OK;
    if (!p->kept)
        return ik_sweep_assign(s, num, p->task_of, p->tasks, err);
    submit_count_tasks(p, num);
    return IK_OK;
}

ik_status submit_points_find(const cli *c, ik_experiment *e, const ik_run_part *part,
                             const char *folder, unsigned num, submit_points *p, ik_error *err)
{
    size_t num_files = 0;
    char **files = submit_list_shards(folder, &num_files);
    size_t size = strlen(folder) + 64;
    p->path = malloc(size);
    ik_status status = p->path ? IK_OK : ik_fail_memory(err, size, "a name");
    if (status == IK_OK) {
        snprintf(p->path, size, "%s/assignment-of-%u.txt", folder, num);
        status = ik_experiment_estimate(e, part, (const char *const *)files, num_files, &c->env,
                                        &p->estimate, err);
    }
    submit_free_list(files, num_files);
    return status == IK_OK ? submit_divide(p, num, err) : status;
}

void submit_points_free(submit_points *p)
{
    ik_sweep_estimate_free(p->estimate);
    free(p->task_of);
    free(p->tasks);
    free(p->path);
}
