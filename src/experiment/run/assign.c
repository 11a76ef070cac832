/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/assign.c: which task has which point, and the file that all tasks read. It is made
 * once: what is known of times changes while tasks run, and they must agree.
 *
 * The file is text: "ikat assignment 1", "KEY POINTS TASKS", then the task of each point, from 1, a
 * line each. */
#include "base/file_list.h"
#include "ikat/experiment.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- longest processing time first */

typedef struct assigned {
    bool elsewhere; /* comes last: another submission may ask for it and keep the division */
    double seconds;
    uint64_t number;
} assigned;

static int assign_by_seconds(const void *a, const void *b)
{
    const assigned *x = a, *y = b;
    if (x->elsewhere != y->elsewhere)
        return x->elsewhere - y->elsewhere;
    if (x->seconds != y->seconds)
        return (x->seconds < y->seconds) - (x->seconds > y->seconds);
    return (x->number > y->number) - (x->number < y->number);
}

/* Less to do; of equal tasks fewer points, then the lower number. */
static bool assign_before(const ik_task_cost *tasks, uint32_t a, uint32_t b)
{
    const ik_task_cost *x = &tasks[a], *y = &tasks[b];
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds;
    return x->points != y->points ? x->points < y->points : a < b;
}

/* The top of a heap has got more to do. */
static void assign_sink(const ik_task_cost *tasks, uint32_t *heap, uint32_t num)
{
    for (uint32_t at = 0, child; (child = 2 * at + 1) < num; at = child) {
        if (child + 1 < num && assign_before(tasks, heap[child + 1], heap[child]))
            child++;
        if (assign_before(tasks, heap[at], heap[child]))
            return;
        uint32_t swapped = heap[at];
        heap[at] = heap[child];
        heap[child] = swapped;
    }
}

static void assign_all(const ik_sweep_estimate *s, const assigned *order, unsigned num,
                       const uint32_t *task_of_file, uint32_t *heap, uint32_t *task_of,
                       ik_task_cost *tasks)
{
    memset(tasks, 0, num * sizeof *tasks);
    for (unsigned i = 0; i < num; i++)
        heap[i] = i;
    for (uint64_t i = 0; i < s->num_points; i++) {
        size_t file = s->points[order[i].number].file;
        uint32_t to = file && task_of_file ? task_of_file[file - 1] : heap[0];
        task_of[order[i].number] = to;
        if (file)
            continue;
        tasks[to].points++;
        tasks[to].seconds += order[i].seconds;
        assign_sink(tasks, heap, num);
    }
    ik_sweep_assigned(s, num, task_of, tasks);
}

void ik_sweep_assigned(const ik_sweep_estimate *s, unsigned num, const uint32_t *task_of,
                       ik_task_cost *tasks)
{
    memset(tasks, 0, num * sizeof *tasks);
    for (uint64_t i = 0; i < s->num_points; i++) {
        const ik_point_cost *c = &s->points[i];
        ik_task_cost *t = &tasks[task_of[i]];
        if (c->file || c->elsewhere)
            continue;
        t->points++;
        t->seconds += isnan(c->seconds) ? 0 : c->seconds;
        t->bytes = c->bytes > t->bytes ? c->bytes : t->bytes;
    }
}

ik_status ik_sweep_assign(const ik_sweep_estimate *s, unsigned num, const uint32_t *task_of_file,
                          uint32_t *task_of, ik_task_cost *tasks, ik_error *err)
{
    assert(num > 0);
    assigned *order = ik_calloc(s->num_points + 1, sizeof *order);
    uint32_t *heap = ik_calloc(num, sizeof *heap);
    uint64_t known = s->to_do - s->unknown;
    double mean = known ? s->seconds / (double)known : 1;
    for (uint64_t i = 0; order && i < s->num_points; i++) {
        const ik_point_cost *c = &s->points[i];
        order[i] = (assigned){c->elsewhere, isnan(c->seconds) ? mean : c->seconds, i};
    }
    if (order && heap) {
        qsort(order, s->num_points, sizeof *order, assign_by_seconds);
        assign_all(s, order, num, task_of_file, heap, task_of, tasks);
    }
    bool made = order && heap;
    free(order);
    free(heap);
    return made ? IK_OK : ik_fail_memory(err, s->num_points * sizeof *order, "an assignment");
}

/* ---- the file */

ik_status ik_assignment_write(const char *path, const ik_sweep_estimate *s, unsigned num,
                              const uint32_t *task_of, ik_error *err)
{
    ik_output o;
    ik_status status = ik_output_open(&o, path, err);
    if (status != IK_OK)
        return status;
    fprintf(o.out, "ikat assignment 1\n%016" PRIx64 " %" PRIu64 " %u\n", s->key, s->num_points,
            num);
    for (uint64_t i = 0; i < s->num_points; i++)
        fprintf(o.out, "%u\n", task_of[i] + 1);
    return ik_output_close(&o, IK_OK, err);
}

static ik_status assign_refuse(const char *path, const char *why, ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT, "'%.200s' %s", path, why);
    return ik_hint(err, IK_ERR_INPUT,
                   "'ikat submit' writes it; a task runs the experiment that was submitted, with "
                   "the same options");
}

static ik_status assign_read(FILE *file, const char *path, uint64_t key, uint64_t num_points,
                             unsigned num, uint32_t *task_of, ik_error *err)
{
    uint64_t of_key = 0, points = 0;
    unsigned tasks = 0;
    if (fscanf(file, "ikat assignment 1 %" SCNx64 " %" SCNu64 " %u", &of_key, &points, &tasks) != 3)
        return assign_refuse(path, "is no assignment of points to tasks", err);
    if (tasks != num)
        return assign_refuse(path, "is of another number of tasks", err);
    if (of_key != key || points != num_points)
        return assign_refuse(path, "is of another experiment, or the experiment was changed", err);
    for (uint64_t i = 0; i < num_points; i++) {
        uint64_t task = 0;
        if (fscanf(file, "%" SCNu64, &task) != 1 || task < 1 || task > num)
            return assign_refuse(path, "is damaged: a point has no task", err);
        task_of[i] = (uint32_t)(task - 1);
    }
    if (fgetc(file) != '\n' || fgetc(file) != EOF) /* "1" may have been "12" */
        return assign_refuse(path, "is damaged at its end", err);
    return IK_OK;
}

ik_status ik_assignment_read(const char *path, uint64_t key, uint64_t num_points, unsigned num,
                             uint32_t *task_of, ik_error *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return ik_fail_open(err, path);
    ik_status status = assign_read(file, path, key, num_points, num, task_of, err);
    fclose(file);
    return status;
}
