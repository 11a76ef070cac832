/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/unfinished.c: which points the claims of an unfinished sweep are about.
 *
 * A results file holds the points that are finished. What a claim names is looked for among all
 * points of its experiment, and it is judged when those are there but for the ones that are left
 * out, as their routing does not fit their fabric.
 */
#include "experiment/stored.h"
#include "report/figures.h"

#include <stdlib.h>

/* Rows stand in the order of their numbers. */
static ik_status unfinished_find_rows(const report_model *m, sweep_points *s, ik_error *err)
{
    size_t k;
    json_t *reason;
    s->row = ik_calloc(s->a.num_points + 1, sizeof *s->row);
    s->left_out = ik_calloc(s->a.num_points + 1, sizeof *s->left_out);
    if (!s->row || !s->left_out)
        return ik_fail_memory(err, s->a.num_points * sizeof *s->row, "a claim");
    for (size_t i = 0; i < s->a.num_points; i++)
        s->row[i] = SIZE_MAX;
    for (size_t i = 0; i < m->num_rows; i++)
        if (m->rows[i].id >= 0 && (uint64_t)m->rows[i].id < s->a.num_points)
            s->row[m->rows[i].id] = i;
    json_array_foreach(m->left_out, k, reason)
    {
        uint64_t first = (uint64_t)json_integer_value(json_object_get(reason, "first")),
                 num = (uint64_t)json_integer_value(json_object_get(reason, "points"));
        for (uint64_t i = first; i < s->a.num_points && i - first < num; i++)
            s->left_out[i] = s->row[i] == SIZE_MAX;
    }
    return IK_OK;
}

ik_status sweep_points_open(figure_book *b, ik_error *err)
{
    const report_model *m = b->m;
    sweep_points *s = &b->sweep;
    if (s->row)
        return IK_OK;
    ik_status status = stored_axes(m->experiment, m->scale, m->overrides, &s->a, err);
    if (status == IK_OK && s->a.num_points != m->num_points)
        status = ik_fail(err, IK_ERR_INPUT, "its experiment has another number of points");
    if (status == IK_OK)
        status = unfinished_find_rows(m, s, err);
    if (status != IK_OK)
        sweep_points_free(s);
    return status;
}

void sweep_points_free(sweep_points *s)
{
    axes_free(&s->a);
    free(s->row);
    free(s->left_out);
    *s = (sweep_points){0};
}

static void unfinished_count_side(const sweep_points *s, const claim_side *side, sweep_count *to)
{
    to->all += side->num_entries;
    for (size_t i = 0; i < side->num_entries; i++) {
        size_t point = side->entries[i].point;
        to->left_out += s->left_out[point];
        to->missing += s->row[point] == SIZE_MAX && !s->left_out[point];
    }
}

sweep_count sweep_points_count(const sweep_points *s, const claim_view *v)
{
    sweep_count count = {0};
    for (size_t i = 0; i < v->c->num_of; i++)
        unfinished_count_side(s, &v->of[i], &count);
    unfinished_count_side(s, &v->against, &count);
    return count;
}
