/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/varied.c: in what the points of a results file differ, and means of their results:
 * what programs need that make an array of a sweep.
 */
#include "report/figures.h"
#include "report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the public structure stands in. */
typedef struct varied {
    ik_results_axes made;
    ik_arena arena;
    ik_results_axis *axes;
    size_t room;
} varied;

static ik_status varied_fail_memory(size_t bytes, ik_error *err)
{
    return ik_fail_memory(err, bytes, "the axes of a sweep");
}

/* "fabric.k" is among "fabric.seed", or its section is. */
static bool varied_is_over(const char *name, const char *const *over, size_t num)
{
    size_t section = strcspn(name, ".");
    for (size_t i = 0; i < num; i++)
        if (strcmp(over[i], name) == 0 ||
            (strlen(over[i]) == section && strncmp(over[i], name, section) == 0))
            return true;
    return false;
}

static ik_results_axis *varied_grow(varied *v, ik_error *err)
{
    if (v->made.num == v->room) {
        size_t room = v->room ? 2 * v->room : 16;
        ik_results_axis *grown = ik_arena_alloc(&v->arena, room * sizeof *grown);
        if (!grown) {
            varied_fail_memory(room * sizeof *grown, err);
            return NULL;
        }
        if (v->made.num)
            memcpy(grown, v->axes, v->made.num * sizeof *grown);
        v->made.axes = v->axes = grown;
        v->room = room;
    }
    return &v->axes[v->made.num];
}

/* A copy that lives as long as v. */
static ik_status varied_copy(varied *v, const axes *a, const axis *x, ik_error *err)
{
    ik_results_axis *one = varied_grow(v, err);
    if (!one)
        return IK_ERR_MEMORY;
    const char **texts = ik_arena_alloc(&v->arena, (x->num + 1) * sizeof *texts);
    const char **labels = ik_arena_alloc(&v->arena, (x->num + 1) * sizeof *labels);
    double *numbers = ik_arena_alloc(&v->arena, (x->num + 1) * sizeof *numbers);
    uint32_t *of = ik_arena_alloc(&v->arena, (a->num_points + 1) * sizeof *of);
    const char *section = a->keys[x->key].name;
    *one = (ik_results_axis){.name = ik_arena_strdup(&v->arena, x->name),
                             .section = ik_arena_strdup(&v->arena, section),
                             .unit = x->numeric ? x->unit : "", /* constant texts */
                             .numeric = x->numeric,
                             .num = (uint32_t)x->num,
                             .texts = texts,
                             .labels = labels,
                             .numbers = numbers,
                             .of = of};
    if (!texts || !labels || !numbers || !of || !one->name || !one->section)
        return varied_fail_memory(a->num_points * sizeof *of, err);
    for (size_t i = 0; i < x->num; i++) {
        texts[i] = ik_arena_strdup(&v->arena, x->values[i].text);
        labels[i] = ik_arena_strdup(&v->arena, x->values[i].label);
        numbers[i] = x->values[i].number;
        if (!texts[i] || !labels[i])
            return varied_fail_memory(strlen(x->values[i].text), err);
    }
    for (size_t point = 0; point < a->num_points; point++)
        of[point] = axis_at(a, x, point);
    v->made.num++;
    return IK_OK;
}

/* Two values, or one that some points do not have. */
static bool varied_differs(const axes *a, const axis *x)
{
    bool some = false, none = false;
    for (size_t point = 0; point < a->num_points; point++) {
        bool has = axis_at(a, x, point) != IK_NONE;
        some |= has;
        none |= !has;
    }
    return some && (x->num > 1 || none);
}

static ik_status varied_add(varied *v, axes *a, const char *name, const char *const *over,
                            size_t num, bool *differs, ik_error *err)
{
    axis x;
    ik_status status = axes_find(a, name, over, num, &x, err);
    if (status != IK_OK)
        return status;
    *differs = varied_differs(a, &x);
    return *differs ? varied_copy(v, a, &x, err) : IK_OK;
}

/* A section, and where it differs its parameters that do. */
static ik_status varied_add_section(varied *v, axes *a, size_t key, const char *const *over,
                                    size_t num, ik_error *err)
{
    const char **names = NULL;
    size_t num_names = 0;
    bool differs = false;
    if (a->keys[key].num == 0 || varied_is_over(a->keys[key].name, over, num))
        return IK_OK;
    ik_status status = varied_add(v, a, a->keys[key].name, over, num, &differs, err);
    if (status == IK_OK && differs)
        status = axes_params(a, key, &names, &num_names, err);
    for (size_t i = 0; i < num_names && status == IK_OK; i++)
        if (!varied_is_over(names[i], over, num))
            status = varied_add(v, a, names[i], over, num, &differs, err);
    return status;
}

static ik_status varied_check_over(axes *a, const char *const *over, size_t num, ik_error *err)
{
    axis x;
    for (size_t i = 0; i < num; i++)
        if (!axes_has(a, over[i]))
            return axes_find(a, over[i], NULL, 0, &x, err);
    return IK_OK;
}

ik_status ik_results_axes_make(ik_results *r, const char *const *over, size_t num_over,
                               ik_results_axes **out, ik_error *err)
{
    axes *a = NULL;
    varied *v = ik_calloc(1, sizeof *v);
    if (!v)
        return varied_fail_memory(sizeof *v, err);
    ik_status status = figures_axes(results_model(r), &a, err);
    if (status == IK_OK)
        status = varied_check_over(a, over, num_over, err);
    for (size_t key = 0; status == IK_OK && key < a->num_keys; key++)
        status = varied_add_section(v, a, key, over, num_over, err);
    if (status != IK_OK) {
        ik_results_axes_free(&v->made);
        return status;
    }
    v->made.num_points = a->num_points;
    *out = &v->made;
    return IK_OK;
}

void ik_results_axes_free(ik_results_axes *a)
{
    varied *v = (varied *)a; /* its first member */
    if (!v)
        return;
    ik_arena_free(&v->arena);
    free(v);
}

/* ---- means */

static ik_status varied_check_points(const report_model *m, const uint64_t *points, size_t num,
                                     ik_error *err)
{
    for (size_t i = 0; i < num; i++)
        if (points[i] >= m->num_rows || (i && points[i] <= points[i - 1]))
            return ik_fail(err, IK_ERR_USAGE,
                           "points: ascending numbers below %zu are expected, not %llu",
                           m->num_rows, (unsigned long long)points[i]);
    return IK_OK;
}

static ik_status varied_find_result(const char *name, result_expr *out, ik_error *err)
{
    metric_id id = metric_find(name, strlen(name));
    if (id == NUM_METRICS)
        return ik_fail(err, IK_ERR_USAGE, "there is no result '%.60s'", name);
    *out = (result_expr){.text = name, .first = id};
    return IK_OK;
}

ik_status ik_results_mean_of(ik_results *r, const char *result, const uint64_t *points, size_t num,
                             ik_results_mean *out, ik_error *err)
{
    const report_model *m = results_model(r);
    result_expr e;
    ik_status status = varied_find_result(result, &e, err);
    if (status == IK_OK)
        status = varied_check_points(m, points, num, err);
    if (status != IK_OK)
        return status;
    double *samples = ik_calloc(num + 1, sizeof *samples);
    size_t *rows = ik_calloc(num + 1, sizeof *rows), n = 0;
    if (samples && rows) {
        for (size_t i = 0; i < num; i++)
            rows[i] = (size_t)points[i];
        for (size_t i = 0; i < num; i++) {
            samples[n] = figure_result(&m->rows[rows[i]], &e);
            n += isfinite(samples[n]) && !figure_is_repeat(m, rows, num, i, &e);
        }
        estimate mean = figure_mean(samples, n);
        *out = (ik_results_mean){mean.mean, mean.ci95, n};
    } else {
        status = ik_fail_memory(err, num * (sizeof *samples + sizeof *rows), "a mean");
    }
    free(samples);
    free(rows);
    return status;
}
