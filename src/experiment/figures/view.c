/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/view.c: resolves figures against the axes of a sweep.
 *
 * A figure's points are sorted by the values of its own axes. Points with equal values are one
 * group, and must be samples of one thing: they may differ in seeds and in what is aggregated over,
 * and in nothing else. Costs a sort of the points, and a comparison of each with the first of its
 * group.
 */
#include "experiment/figures/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- selecting points */

ik_status find_placed(axes *a, const char *name, const ytree *place, axis *out, ik_error *err)
{
    ik_status status = axes_find(a, name, out, err);
    if (status == IK_ERR_INPUT)
        ik_error_at(err, place->file, place->line, place->column);
    return status;
}

/* Values of an axis that someone named; refused if one of them name_list none. */
static ik_status mark_values(axes *a, const axis *x, const axis_match *m, bool *wanted,
                             ik_error *err)
{
    for (size_t k = 0; k < m->num; k++) {
        bool any = false;
        for (uint32_t i = 0; i < x->num; i++)
            if (axis_matches(x, i, m->values[k]))
                wanted[i] = any = true;
        if (any)
            continue;
        ik_status status = axis_fail_unknown(a, x, m->values[k], err);
        const ytree *at = m->node->kind == YTREE_LIST ? m->node->items[k] : m->node;
        ik_error_at(err, at->file, at->line, at->column);
        return status;
    }
    return IK_OK;
}

ik_status select_matching(selection *s, const matches *m, const char *owner, ik_error *err)
{
    for (size_t i = 0; i < m->num; i++) {
        axis x;
        ik_status status = find_placed(s->a, m->items[i].axis, m->items[i].place, &x, err);
        bool *wanted = status == IK_OK ? ik_calloc(x.num + 1, sizeof *wanted) : NULL;
        if (status == IK_OK && !wanted)
            return ik_fail_memory(err, x.num, "the axes of a sweep");
        if (status == IK_OK)
            status = mark_values(s->a, &x, &m->items[i], wanted, err);
        s->num = 0;
        for (size_t p = 0; p < s->a->num_points && status == IK_OK; p++) {
            uint32_t value = axis_at(s->a, &x, p);
            s->chosen[p] = s->chosen[p] && value != IK_NONE && wanted[value];
            s->num += s->chosen[p];
        }
        free(wanted);
        if (status != IK_OK)
            return status;
    }
    if (s->num || !m->place)
        return IK_OK;
    return ytree_fail(m->place, err, "%s: no point of the sweep has all of these values", owner);
}

static int by_key(const void *a, const void *b)
{
    const view_entry *x = a, *y = b;
    for (int i = 0; i < VIEW_KEYS; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

void sort_entries(view_entry *entries, size_t num)
{
    if (num)
        qsort(entries, num, sizeof *entries, by_key);
}

bool same_key(const view_entry *a, const view_entry *b)
{
    return memcmp(a->key, b->key, sizeof a->key) == 0;
}

bool find_mixed(const axes *a, const view_entry *entries, size_t num, const name_list *but,
                char *out, size_t size, size_t *first, size_t *second)
{
    size_t begin = 0;
    for (size_t i = 1; i < num; i++) {
        if (!same_key(&entries[begin], &entries[i])) {
            begin = i;
            continue;
        }
        const uint32_t *one = &a->cells[entries[begin].point * a->num_keys],
                       *other = &a->cells[entries[i].point * a->num_keys];
        for (size_t k = 0; k < a->num_keys; k++)
            if (one[k] != other[k] &&
                axes_differ(a, k, one[k], other[k], but->items, but->num, out, size)) {
                *first = entries[begin].point;
                *second = entries[i].point;
                return true;
            }
    }
    return false;
}

/* ---- figures */

/* What is resolved, and what is made on the way. */
typedef struct resolver {
    axes *a;
    const figure *f;
    figure_view *v;
    name_list but; /* axes that make samples */
    bool *chosen;  /* [points] */
    size_t num;
    char owner[96];
} resolver;

static ik_status add_axis(resolver *r, int slot, const char *name, const char *key, ik_error *err)
{
    const ytree *place = figures_place(r->f->node, key);
    if (place->kind == YTREE_LIST && slot >= KEY_SERIES && slot < KEY_MARKS &&
        (size_t)(slot - KEY_SERIES) < place->num)
        place = place->items[slot - KEY_SERIES];
    r->v->has[slot] = true;
    return find_placed(r->a, name, place, &r->v->key[slot], err);
}

/* x: an axis, or a result. */
static ik_status find_x(resolver *r, ik_error *err)
{
    const figure *f = r->f;
    const ytree *place = figures_place(f->node, "x");
    if (!f->x[0])
        return IK_OK;
    size_t length = strcspn(f->x, " \t/-");
    if (!strchr(f->x, '.') && metric_find(f->x, length) < NUM_METRICS) {
        if (f->kind == FIGURE_BARS || f->kind == FIGURE_BOX || f->kind == FIGURE_HEATMAP)
            return ytree_fail(place, err, "%s: x of bars, boxes and heatmaps is a swept value",
                              r->owner);
        return expr_read(f->x, place, &r->a->arena, &r->v->x, err);
    }
    r->v->x_is_axis = true;
    ik_status status = add_axis(r, KEY_X, f->x, "x", err);
    if (status == IK_ERR_INPUT && !strchr(f->x, '.')) { /* it might be meant as a result */
        ik_error as_result;
        result_expr e;
        if (expr_read(f->x, place, &r->a->arena, &e, &as_result) != IK_OK && err &&
            strstr(as_result.hint, "did you mean"))
            *err = as_result;
    }
    if (status == IK_OK && f->log_x && !r->v->key[KEY_X].numeric)
        return ytree_fail(figures_place(f->node, "x_scale"), err,
                          "%s: the values of '%s' are no numbers, and have no logarithm", r->owner,
                          f->x);
    return status;
}

static ik_status find_axes(resolver *r, ik_error *err)
{
    const figure *f = r->f;
    ik_status status = IK_OK;
    if (f->panel[0])
        status = add_axis(r, KEY_PANEL, f->panel, "panel", err);
    if (status == IK_OK && f->series.num > VIEW_SERIES)
        return ytree_fail(figures_place(f->node, "series"), err,
                          "%s: at most %d values tell series apart", r->owner, VIEW_SERIES);
    for (size_t i = 0; i < f->series.num && status == IK_OK; i++)
        status = add_axis(r, KEY_SERIES + (int)i, f->series.items[i], "series", err);
    if (status == IK_OK && f->marks[0])
        status = add_axis(r, KEY_MARKS, f->marks, "marks", err);
    return status == IK_OK ? find_x(r, err) : status;
}

/* The axes that make samples: seeds, those of the experiment, those of the figure. */
ik_status find_over(axes *a, const name_list *own, const ytree *place, const name_list *all,
                    const char *owner, name_list *out, ik_error *err)
{
    size_t num = all->num + own->num + 1;
    out->items = ik_arena_alloc(&a->arena, (num + 1) * sizeof *out->items);
    if (!out->items)
        return ik_fail_memory(err, num * sizeof *out->items, "the axes of a sweep");
    out->items[out->num++] = "seeds";
    for (size_t i = 0; i < all->num; i++)
        out->items[out->num++] = all->items[i];
    for (size_t i = 0; i < own->num; i++) {
        axis x;
        const ytree *at = place->kind == YTREE_LIST ? place->items[i] : place;
        ik_status status = find_placed(a, own->items[i], at, &x, err);
        if (status != IK_OK)
            return status;
        if (x.num < 2)
            return ytree_fail(at, err, "%s: 'over' names '%s', which is not swept", owner,
                              own->items[i]);
        out->items[out->num++] = own->items[i];
    }
    return IK_OK;
}

static ik_status list_entries(resolver *r, ik_error *err)
{
    figure_view *v = r->v;
    v->entries = ik_arena_alloc(&r->a->arena, (r->num + 1) * sizeof *v->entries);
    if (!v->entries)
        return ik_fail_memory(err, r->num * sizeof *v->entries, "the points of a figure");
    v->num_entries = 0;
    for (size_t p = 0; p < r->a->num_points; p++) {
        if (!r->chosen[p])
            continue;
        view_entry *e = &v->entries[v->num_entries++];
        e->point = p;
        for (int i = 0; i < VIEW_KEYS; i++)
            e->key[i] = v->has[i] ? axis_at(r->a, &v->key[i], p) : 0;
    }
    sort_entries(v->entries, v->num_entries);
    return IK_OK;
}

/* A curve of two results has a point for every value of one more axis. */
static bool needs_step(const figure_view *v)
{
    return v->x.text && !v->has[KEY_X];
}

static ik_status fail_mixed(const resolver *r, const char *name, ik_error *err)
{
    ik_status status = ytree_fail(r->f->node, err, "%s would mix values of '%s'", r->owner, name);
    return ik_hint(err, status,
                   "tell them apart with series, panel or marks, take one with where: {%s: …}, or "
                   "average with over: [%s]",
                   name, name);
}

static ik_status refuse_mixing(resolver *r, ik_error *err)
{
    char name[160];
    size_t first, second;
    figure_view *v = r->v;
    while (
        find_mixed(r->a, v->entries, v->num_entries, &r->but, name, sizeof name, &first, &second)) {
        if (!needs_step(v))
            return fail_mixed(r, name, err);
        ik_status status = find_placed(r->a, name, r->f->node, &v->key[KEY_X], err);
        v->has[KEY_X] = status == IK_OK;
        if (status == IK_OK)
            status = list_entries(r, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static size_t largest_group(const figure_view *v)
{
    size_t most = 0, begin = 0;
    for (size_t i = 0; i < v->num_entries; i++) {
        if (!same_key(&v->entries[begin], &v->entries[i]))
            begin = i;
        most = i - begin + 1 > most ? i - begin + 1 : most;
    }
    return most;
}

static ik_status check_samples(const resolver *r, ik_error *err)
{
    figure_kind kind = r->v->kind;
    if ((kind != FIGURE_BOX && kind != FIGURE_HISTOGRAM && kind != FIGURE_ECDF) ||
        largest_group(r->v) > 1)
        return IK_OK;
    ik_status status =
        ytree_fail(figures_place(r->f->node, "kind"), err,
                   "%s draws samples, and there is one point for each of its values", r->owner);
    return ik_hint(err, status, "several seeds, or over: [fabric.seed] with several of these");
}

/* ---- normalising */

static ik_status find_reference(resolver *r, const axis_match *m, ik_error *err)
{
    figure_view *v = r->v;
    for (int i = 0; i < KEY_X; i++) {
        if (!v->has[i] || strcmp(v->key[i].name, m->axis) != 0)
            continue;
        uint32_t found = IK_NONE;
        for (uint32_t k = 0; k < v->key[i].num; k++)
            if (axis_matches(&v->key[i], k, m->values[0])) {
                if (found != IK_NONE)
                    return ytree_fail(m->node, err, "%s: several values of '%s' are '%s'", r->owner,
                                      m->axis, m->values[0]);
                found = k;
            }
        v->reference[i] = true;
        v->reference_value[i] = found;
        if (found != IK_NONE)
            return IK_OK;
        ik_status status = axis_fail_unknown(r->a, &v->key[i], m->values[0], err);
        ik_error_at(err, m->node->file, m->node->line, m->node->column);
        return status;
    }
    ik_status status =
        ytree_fail(m->place, err, "%s: '%s' tells none of its curves apart", r->owner, m->axis);
    return ik_hint(err, status, "normalise_by names a value of series, panel or marks");
}

static bool has_group(const figure_view *v, const view_entry *like)
{
    size_t low = 0, high = v->num_entries;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        view_entry e = v->entries[middle];
        e.point = like->point;
        if (by_key(&e, like) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->num_entries && same_key(&v->entries[low], like);
}

static ik_status check_reference(resolver *r, ik_error *err)
{
    figure_view *v = r->v;
    const matches *by = &r->f->normalise_by;
    for (size_t i = 0; i < by->num; i++) {
        if (by->items[i].num != 1)
            return ytree_fail(by->items[i].node, err, "%s: normalise_by takes one value of '%s'",
                              r->owner, by->items[i].axis);
        ik_status status = find_reference(r, &by->items[i], err);
        if (status != IK_OK)
            return status;
    }
    for (size_t i = 0; i < v->num_entries && by->num; i++) {
        view_entry like = v->entries[i];
        for (int k = 0; k < VIEW_KEYS; k++)
            like.key[k] = v->reference[k] ? v->reference_value[k] : like.key[k];
        if (has_group(v, &like))
            continue;
        ik_status status =
            ytree_fail(by->place, err, "%s: the curve that is divided by has no point at %s = %s",
                       r->owner, v->has[KEY_X] ? v->key[KEY_X].name : "this place",
                       v->has[KEY_X] ? axis_label(&v->key[KEY_X], like.key[KEY_X]) : "it");
        return ik_hint(err, status, "the points of normalise_by must be among those of 'where'");
    }
    return IK_OK;
}

/* ---- time */

static ik_status check_series(const resolver *r, ik_error *err)
{
    static const char *const series[] = {"throughput",
                                         "latency_mean_ns",
                                         "reorder_bytes",
                                         "out_of_order",
                                         "throttled",
                                         "outstanding",
                                         NULL};
    const ytree *place = figures_place(r->f->node, "y");
    axis period;
    for (size_t i = 0; series[i]; i++) {
        if (strcmp(series[i], r->f->y) != 0)
            continue;
        if (!axes_has(r->a, "measure.series"))
            break;
        return axes_find(r->a, "measure.series", &period, err);
    }
    ik_status status = ik_fail_unknown(err, "series over time", r->f->y, series);
    bool known = false;
    for (size_t i = 0; series[i]; i++)
        known |= strcmp(series[i], r->f->y) == 0;
    if (known) {
        status = ik_fail(err, IK_ERR_INPUT, "%s: no point has a series over time", r->owner);
        ik_hint(err, status, "measure: {series: 5 us}");
    }
    ik_error_at(err, place->file, place->line, place->column);
    return status;
}

static ik_status resolve(resolver *r, const name_list *over, ik_error *err)
{
    const figure *f = r->f;
    figure_view *v = r->v;
    ik_status status = IK_OK;
    for (size_t p = 0; p < r->a->num_points; p++)
        r->chosen[p] = true;
    selection s = {r->a, r->chosen, r->a->num_points};
    if (f->kind != FIGURE_TIME)
        status = expr_read(f->y, figures_place(f->node, "y"), &r->a->arena, &v->y, err);
    else
        status = check_series(r, err);
    if (status == IK_OK)
        status =
            find_over(r->a, &f->over, figures_place(f->node, "over"), over, r->owner, &r->but, err);
    if (status == IK_OK)
        status = select_matching(&s, &f->where, r->owner, err);
    r->num = s.num;
    if (status == IK_OK)
        status = find_axes(r, err);
    if (status == IK_OK)
        status = list_entries(r, err);
    if (status == IK_OK)
        status = refuse_mixing(r, err);
    bool numeric = v->x.text || (v->x_is_axis && v->key[KEY_X].numeric);
    v->kind = f->kind == FIGURE_AUTO ? numeric ? FIGURE_LINE : FIGURE_POINTS : f->kind;
    if (status == IK_OK)
        status = check_samples(r, err);
    return status == IK_OK ? check_reference(r, err) : status;
}

ik_status figure_resolve(axes *a, const figure *f, const name_list *over, figure_view *out,
                         ik_error *err)
{
    figure_view v = {.f = f};
    resolver r = {.a = a, .f = f, .v = &v};
    snprintf(r.owner, sizeof r.owner, "figure '%s'", f->name);
    r.chosen = ik_calloc(a->num_points + 1, sizeof *r.chosen);
    if (!r.chosen)
        return ik_fail_memory(err, a->num_points, "the points of a figure");
    ik_status status = resolve(&r, over, err);
    free(r.chosen);
    if (status == IK_OK)
        *out = v;
    return status;
}
