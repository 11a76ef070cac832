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

ik_status find_placed(axes *a, const char *name, const name_list *but, const ytree *place,
                      axis *out, ik_error *err)
{
    ik_status status = axes_find(a, name, but ? but->items : NULL, but ? but->num : 0, out, err);
    if (status == IK_ERR_INPUT)
        ik_error_at(err, place->file, place->line, place->column);
    return status;
}

/* Values of an axis that someone named; refused if one of them name_list none. */
static ik_status view_mark_values(const axis *x, const axis_match *m, bool *wanted, ik_error *err)
{
    for (size_t k = 0; k < m->num; k++) {
        bool any = false;
        for (uint32_t i = 0; i < x->num; i++)
            if (axis_matches(x, i, m->values[k]))
                wanted[i] = any = true;
        if (any)
            continue;
        ik_status status = axis_fail_unknown(x, m->values[k], err);
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
        ik_status status = find_placed(s->a, m->items[i].axis, NULL, m->items[i].place, &x, err);
        bool *wanted = status == IK_OK ? ik_calloc(x.num + 1, sizeof *wanted) : NULL;
        if (status == IK_OK && !wanted)
            return ik_fail_memory(err, x.num, "the axes of a sweep");
        if (status == IK_OK)
            status = view_mark_values(&x, &m->items[i], wanted, err);
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

static int view_by_key(const void *a, const void *b)
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
        qsort(entries, num, sizeof *entries, view_by_key);
}

bool same_key(const view_entry *a, const view_entry *b)
{
    return memcmp(a->key, b->key, sizeof a->key) == 0;
}

const view_entry *find_entry(const view_entry *entries, size_t num, const view_entry *like)
{
    size_t low = 0, high = num;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        view_entry e = entries[middle];
        e.point = like->point;
        if (view_by_key(&e, like) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < num && same_key(&entries[low], like) ? &entries[low] : NULL;
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
    name_list out; /* these, and the parameters that the figure shows on axes of their own */
    bool *chosen;  /* [points] that are drawn */
    bool *by;      /* [points] of normalise_by, NULL = not given */
    char owner[96];
} resolver;

static ik_status view_add_axis(resolver *r, int slot, const char *name, const char *key,
                               ik_error *err)
{
    const ytree *place = figures_place(r->f->node, key);
    size_t nth = (size_t)(slot < KEY_SERIES ? slot - KEY_PANEL : slot - KEY_SERIES);
    if (place->kind == YTREE_LIST && slot < KEY_MARKS && nth < place->num)
        place = place->items[nth];
    for (int i = 0; i < VIEW_KEYS; i++)
        if (r->v->has[i] && strcmp(r->v->key[i].name, name) == 0)
            return ytree_fail(place, err, "%s has '%s' twice", r->owner, name);
    r->v->has[slot] = true;
    return find_placed(r->a, name, &r->out, place, &r->v->key[slot], err);
}

/* What a figure shows of a section on an axis of its own (x: routing.t_max) tells no values of that
 * section apart (series: routing): curves run along it. */
static ik_status view_list_shown(resolver *r, ik_error *err)
{
    const figure *f = r->f;
    const name_list lists[] = {r->but, f->series, f->panel};
    size_t room = r->but.num + f->series.num + f->panel.num + 2;
    r->out = (name_list){ik_arena_alloc(&r->a->arena, (room + 1) * sizeof *r->out.items), 0};
    if (!r->out.items)
        return ik_fail_memory(err, room * sizeof *r->out.items, "the axes of a sweep");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < lists[i].num; k++)
            r->out.items[r->out.num++] = lists[i].items[k];
    r->out.items[r->out.num++] = f->marks;
    r->out.items[r->out.num++] = f->x;
    assert(r->out.num <= room);
    return IK_OK;
}

/* x: an axis, or a result. */
static ik_status view_find_x(resolver *r, ik_error *err)
{
    const figure *f = r->f;
    const ytree *place = figures_place(f->node, "x");
    if (!f->x[0])
        return IK_OK;
    if (figures_x_is_result(f)) {
        if (f->kind == FIGURE_BARS || f->kind == FIGURE_BOX || f->kind == FIGURE_HEATMAP)
            return ytree_fail(place, err, "%s: x of bars, boxes and heatmaps is a swept value",
                              r->owner);
        return expr_read(f->x, place, &r->a->arena, &r->v->x, err);
    }
    r->v->x_is_axis = true;
    ik_status status = view_add_axis(r, KEY_X, f->x, "x", err);
    if (status == IK_ERR_INPUT && !strchr(f->x, '.')) { /* it might be meant as a result */
        ik_error as_result;
        result_expr e;
        if (expr_read(f->x, place, &r->a->arena, &e, &as_result) != IK_OK && err &&
            as_result.meant[0])
            *err = as_result;
    }
    return status;
}

static ik_status view_find_axes(resolver *r, ik_error *err)
{
    const figure *f = r->f;
    ik_status status = IK_OK;
    if (f->panel.num > VIEW_PANELS)
        return ytree_fail(figures_place(f->node, "panel"), err,
                          "%s: at most %d values can distinguish panels", r->owner, VIEW_PANELS);
    if (f->series.num > VIEW_SERIES)
        return ytree_fail(figures_place(f->node, "series"), err,
                          "%s: at most %d values can distinguish series", r->owner, VIEW_SERIES);
    for (size_t i = 0; i < f->panel.num && status == IK_OK; i++)
        status = view_add_axis(r, KEY_PANEL + (int)i, f->panel.items[i], "panel", err);
    for (size_t i = 0; i < f->series.num && status == IK_OK; i++)
        status = view_add_axis(r, KEY_SERIES + (int)i, f->series.items[i], "series", err);
    if (status == IK_OK && f->marks[0])
        status = view_add_axis(r, KEY_MARKS, f->marks, "marks", err);
    return status == IK_OK ? view_find_x(r, err) : status;
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
        ik_status status = find_placed(a, own->items[i], NULL, at, &x, err);
        if (status != IK_OK)
            return status;
        if (x.num < 2)
            return ytree_fail(at, err, "%s: 'over' names '%s', which is not swept", owner,
                              own->items[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(own->items[k], own->items[i]) == 0)
                return ytree_fail(at, err, "%s: 'over' has '%s' twice", owner, own->items[i]);
        out->items[out->num++] = own->items[i];
    }
    return IK_OK;
}

/* What a figure's own axis tells apart is no sample of it. */
static ik_status refuse_own_samples(const resolver *r, ik_error *err)
{
    const name_list *over = &r->f->over;
    const ytree *place = figures_place(r->f->node, "over");
    for (size_t i = 0; i < over->num; i++)
        for (int k = 0; k < VIEW_KEYS; k++)
            if (r->v->has[k] && strcmp(r->v->key[k].name, over->items[i]) == 0)
                return ytree_fail(place->kind == YTREE_LIST ? place->items[i] : place, err,
                                  "%s: 'over' averages over '%s', which is an axis of it", r->owner,
                                  over->items[i]);
    return IK_OK;
}

ik_status list_chosen(axes *a, const figure_view *v, const bool *chosen, view_entry **out,
                      size_t *num, ik_error *err)
{
    size_t room = 0;
    for (size_t p = 0; p < a->num_points; p++)
        room += chosen[p];
    *out = ik_arena_alloc(&a->arena, (room + 1) * sizeof **out);
    if (!*out)
        return ik_fail_memory(err, room * sizeof **out, "the points of a figure");
    *num = 0;
    for (size_t p = 0; p < a->num_points; p++) {
        if (!chosen[p])
            continue;
        view_entry *e = &(*out)[(*num)++];
        e->point = p;
        for (int i = 0; i < VIEW_KEYS; i++)
            e->key[i] = v->has[i] ? axis_at(a, &v->key[i], p) : 0;
    }
    sort_entries(*out, *num);
    return IK_OK;
}

static ik_status view_list_entries(resolver *r, ik_error *err)
{
    return list_chosen(r->a, r->v, r->chosen, &r->v->entries, &r->v->num_entries, err);
}

/* A curve of two results has a point for every value of one more axis. */
static bool view_needs_step(const figure_view *v)
{
    return v->x.text && !v->has[KEY_X];
}

static ik_status view_fail_mixed(const resolver *r, const char *name, ik_error *err)
{
    ik_status status = ytree_fail(r->f->node, err, "%s would mix values of '%s'", r->owner, name);
    return ik_hint(err, status,
                   "distinguish them with series, panel or marks, take one with where: {%s: …}, or "
                   "average with over: [%s]",
                   name, name);
}

/* Families have parameters of their own: where a curve of two results runs along fabric.k in one
 * design and along fabric.q in another, it runs along the whole section. The name of that; NULL:
 * `mixed` is of another section, or it is the whole already. */
static const char *view_whole_step(const resolver *r, const char *mixed)
{
    const axis *step = &r->v->key[KEY_X];
    if (!r->v->x.text || !r->v->has[KEY_X] || !step->param)
        return NULL;
    const char *section = r->a->keys[step->key].name;
    size_t length = strlen(section);
    return strncmp(mixed, section, length) == 0 && mixed[length] == '.' ? section : NULL;
}

static ik_status view_refuse_mixing(resolver *r, ik_error *err)
{
    char name[160];
    size_t first, second;
    figure_view *v = r->v;
    while (
        find_mixed(r->a, v->entries, v->num_entries, &r->but, name, sizeof name, &first, &second)) {
        const char *whole = view_whole_step(r, name), *step = whole ? whole : name;
        if (!view_needs_step(v) && !whole)
            return view_fail_mixed(r, name, err);
        ik_status status = find_placed(r->a, step, &r->but, r->f->node, &v->key[KEY_X], err);
        v->has[KEY_X] = status == IK_OK;
        if (status == IK_OK)
            status = view_list_entries(r, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static size_t view_largest_group(const figure_view *v)
{
    size_t most = 0, begin = 0;
    for (size_t i = 0; i < v->num_entries; i++) {
        if (!same_key(&v->entries[begin], &v->entries[i]))
            begin = i;
        most = i - begin + 1 > most ? i - begin + 1 : most;
    }
    return most;
}

static ik_status view_check_samples(const resolver *r, ik_error *err)
{
    figure_kind kind = r->v->kind;
    if ((kind != FIGURE_BOX && kind != FIGURE_HISTOGRAM && kind != FIGURE_ECDF) ||
        view_largest_group(r->v) > 1)
        return IK_OK;
    ik_status status =
        ytree_fail(figures_place(r->f->node, "kind"), err,
                   "%s draws samples, and there is one point for each of its values", r->owner);
    return ik_hint(err, status, "several seeds, or over: [fabric.seed] with several of these");
}

/* ---- time */

static ik_status view_check_series(const resolver *r, ik_error *err)
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
        return axes_find(r->a, "measure.series", NULL, 0, &period, err);
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

static ik_status view_check_list(const resolver *r, ik_error *err)
{
    const char *names[NUM_LISTS + 1] = {0};
    const ytree *place = figures_place(r->f->node, "y");
    if (list_find(r->f->y))
        return IK_OK;
    for (size_t i = 0; i < NUM_LISTS; i++)
        names[i] = result_lists[i].name;
    ik_status status = ik_fail_unknown(err, "list", r->f->y, names);
    ik_error_at(err, place->file, place->line, place->column);
    return status;
}

/* What is drawn over x. */
static ik_status view_find_y(const resolver *r, ik_error *err)
{
    const figure *f = r->f;
    if (f->kind == FIGURE_TIME)
        return view_check_series(r, err);
    if (f->kind == FIGURE_LIST)
        return view_check_list(r, err);
    return expr_read(f->y, figures_place(f->node, "y"), &r->a->arena, &r->v->y, err);
}

/* Numbers are those of the points that count. */
static ik_status view_find_numbers(const resolver *r, axis *x, ik_error *err)
{
    bool *used = ik_calloc(x->num + 1, sizeof *used);
    if (!used)
        return ik_fail_memory(err, x->num, "the axes of a sweep");
    for (size_t p = 0; p < r->a->num_points; p++) {
        uint32_t value = r->chosen[p] ? axis_at(r->a, x, p) : IK_NONE;
        if (value != IK_NONE)
            used[value] = true;
    }
    axis_find_numbers(x, used);
    free(used);
    return IK_OK;
}

/* Points without a number have no place along an axis of numbers: of a reference they are not
 * drawn, others make the values names ("-" of what has none). */
static ik_status view_place_all(resolver *r, ik_error *err)
{
    const figure *f = r->f;
    axis *x = &r->v->key[KEY_X];
    size_t lacking = IK_NONE;
    if (!r->v->x_is_axis)
        return IK_OK;
    ik_status known = view_find_numbers(r, x, err);
    if (known != IK_OK)
        return known;
    if (f->log_x && !x->numeric)
        return ytree_fail(figures_place(f->node, "x_scale"), err,
                          "%s: the values of '%s' are not numbers, and have no logarithm", r->owner,
                          f->x);
    for (size_t p = 0; p < r->a->num_points && x->numeric; p++)
        if (r->chosen[p] && axis_at(r->a, x, p) == IK_NONE) {
            r->chosen[p] = !(r->by && r->by[p]);
            lacking = r->chosen[p] ? p : lacking;
        }
    if (lacking == IK_NONE)
        return IK_OK;
    x->numeric = false;
    if (f->kind != FIGURE_LINE && !f->log_x)
        return IK_OK;
    const axes_key *key = &r->a->keys[x->key];
    uint32_t text = r->a->cells[lacking * r->a->num_keys + x->key];
    ik_status status = ytree_fail(figures_place(f->node, "x"), err,
                                  "%s: some points have no '%s' to be drawn at (%.80s)", r->owner,
                                  f->x, text == IK_NONE ? "none of it" : key->texts[text]);
    return ik_hint(err, status, "leave them out with 'where', or kind: points");
}

static ik_status view_choose(resolver *r, const name_list *over, ik_error *err)
{
    const figure *f = r->f;
    selection s = {r->a, r->chosen, r->a->num_points};
    for (size_t p = 0; p < r->a->num_points; p++)
        r->chosen[p] = true;
    ik_status status =
        find_over(r->a, &f->over, figures_place(f->node, "over"), over, r->owner, &r->but, err);
    if (status == IK_OK)
        status = select_matching(&s, &f->where, r->owner, err);
    if (status == IK_OK)
        status = view_list_shown(r, err);
    if (status == IK_OK)
        status = view_find_axes(r, err);
    if (status == IK_OK)
        status = refuse_own_samples(r, err);
    if (status == IK_OK && f->normalise_by.num)
        status = reference_choose(r->a, r->v, r->chosen, &r->by, r->owner, err);
    return status == IK_OK ? view_place_all(r, err) : status;
}

static ik_status view_resolve(resolver *r, const name_list *over, ik_error *err)
{
    const figure *f = r->f;
    figure_view *v = r->v;
    ik_status status = view_find_y(r, err);
    if (status == IK_OK)
        status = view_choose(r, over, err);
    if (status == IK_OK)
        status = view_list_entries(r, err);
    if (status == IK_OK)
        status = view_refuse_mixing(r, err);
    bool numeric = v->x.text || (v->x_is_axis && v->key[KEY_X].numeric);
    v->kind = f->kind == FIGURE_LIST   ? FIGURE_POINTS
              : f->kind != FIGURE_AUTO ? f->kind
              : numeric                ? FIGURE_LINE
                                       : FIGURE_POINTS;
    if (status == IK_OK)
        status = view_check_samples(r, err);
    if (status == IK_OK)
        status = check_available(r->a, v->entries, v->num_entries, &v->y,
                                 figures_place(f->node, "y"), r->owner, err);
    if (status == IK_OK)
        status = check_available(r->a, v->entries, v->num_entries, &v->x,
                                 figures_place(f->node, "x"), r->owner, err);
    return status == IK_OK && r->by ? reference_resolve(r->a, v, r->by, &r->but, r->owner, err)
                                    : status;
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
    ik_status status = view_resolve(&r, over, err);
    free(r.chosen);
    free(r.by);
    if (status == IK_OK)
        *out = v;
    return status;
}
