/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/submit_points.c: which task of `ikat submit` runs which points, and what that will take.
 */
#include "submit_points.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what earlier tasks left */

/* The tasks that have made a results file, and these. */
typedef struct earlier {
    uint32_t *tasks; /* [num] from 0 */
    char **paths;    /* [num] */
    size_t num;
} earlier;

static ik_status submit_find_earlier(const char *folder, unsigned num, earlier *of, ik_error *err)
{
    size_t size = strlen(folder) + 64;
    of->tasks = calloc(num, sizeof *of->tasks);
    of->paths = calloc(num, sizeof *of->paths);
    for (unsigned i = 0; of->tasks && of->paths && i < num; i++) {
        struct stat info;
        char *path = of->paths[of->num];
        path = of->paths[of->num] = path ? path : malloc(size);
        if (!path)
            return ik_fail_memory(err, size, "a name");
        snprintf(path, size, "%s/%u-of-%u.db", folder, i + 1, num);
        if (stat(path, &info) == 0 && info.st_size > 0)
            of->tasks[of->num++] = i;
    }
    return of->tasks && of->paths ? IK_OK : ik_fail_memory(err, num * size, "names");
}

static void submit_free_earlier(const earlier *of, unsigned num)
{
    for (unsigned i = 0; of->paths && i < num; i++)
        free(of->paths[i]);
    free(of->paths);
    free(of->tasks);
}

/* ---- which points */

static ik_status submit_divide(submit_points *p, unsigned num, const earlier *of, ik_error *err)
{
    const ik_sweep_estimate *s = p->estimate;
    p->task_of = calloc(s->num_points + 1, sizeof *p->task_of);
    p->tasks = calloc(num, sizeof *p->tasks);
    if (!p->task_of || !p->tasks)
        return ik_fail_memory(err, s->num_points * sizeof *p->task_of, "an assignment");
    p->kept = access(p->path, R_OK) == 0 &&
              ik_assignment_read(p->path, s->key, s->num_points, num, p->task_of, NULL) == IK_OK;
    if (!p->kept)
        return ik_sweep_assign(s, num, of->tasks, p->task_of, p->tasks, err);
    ik_sweep_assigned(s, num, p->task_of, p->tasks);
    return IK_OK;
}

ik_status submit_points_find(const cli *c, ik_experiment *e, const ik_run_part *part,
                             const char *folder, unsigned num, submit_points *p, ik_error *err)
{
    earlier of = {0};
    size_t size = strlen(folder) + 64;
    p->path = malloc(size);
    ik_status status =
        p->path ? submit_find_earlier(folder, num, &of, err) : ik_fail_memory(err, size, "a name");
    if (status == IK_OK) {
        snprintf(p->path, size, "%s/assignment-of-%u.txt", folder, num);
        status = ik_experiment_estimate(e, part, (const char *const *)of.paths, of.num, &c->env,
                                        &p->estimate, err);
    }
    if (status == IK_OK)
        status = submit_divide(p, num, &of, err);
    submit_free_earlier(&of, num);
    return status;
}

void submit_points_free(submit_points *p)
{
    ik_sweep_estimate_free(p->estimate);
    free(p->task_of);
    free(p->tasks);
    free(p->path);
}
