/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/data.c: the numbers of a figure: points to cells, cells to curves and panels.
 */
#include "report/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
    figure_book *b;
    figure_data *d;
    figure_cell *cells;
    size_t num, room;
} maker;

/* Latencies of no packet at all are stored as 0. */
static double data_value_of(const report_row *r, metric_id id)
{
    bool latency = id >= METRIC_LATENCY_MEAN && id <= METRIC_NETWORK_LATENCY,
         trip = id >= METRIC_ROUND_TRIP && id <= METRIC_ROUND_TRIP_MAX;
    bool none = (latency && r->value[METRIC_LATENCY_MAX] == 0) ||
                (trip && r->value[METRIC_ROUND_TRIP_MAX] == 0);
    return none ? NAN : r->value[id];
}

double figure_result(const report_row *r, const result_expr *e)
{
    double x = data_value_of(r, e->first), y = e->op ? data_value_of(r, e->second) : 0;
    return e->op == '/' ? (y != 0 ? x / y : NAN) : x - y;
}

bool figure_is_repeat(const report_model *m, const size_t *rows, size_t num, size_t i,
                      const result_expr *e)
{
    return model_is_repeat(m, rows, num, i, e->first) &&
           (!e->op || model_is_repeat(m, rows, num, i, e->second));
}

bool figure_lasts(const report_row *r, const result_expr *e)
{
    double latency = r->value[METRIC_LATENCY_STEADY];
    return !e->text || (metric_lasts(e->first, r->steady, latency) &&
                        (!e->op || metric_lasts(e->second, r->steady, latency)));
}

static int data_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

estimate figure_mean(const double *samples, size_t num)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < num; i++)
        sum += samples[i];
    double mean = num ? sum / (double)num : NAN;
    for (size_t i = 0; i < num; i++)
        squares += (samples[i] - mean) * (samples[i] - mean);
    return model_estimate(mean, squares, num);
}

/* ---- cells */

/* x of a cell: a number, or the place of its value. */
static void data_place_cell(const maker *k, figure_cell *c, const view_entry *entries, size_t num,
                            double *scratch)
{
    const figure_view *v = &k->d->v;
    size_t finite = 0;
    if (v->x.text) {
        for (size_t i = 0; i < num; i++) {
            scratch[finite] = figure_result(&k->b->m->rows[entries[i].point], &v->x);
            finite += isfinite(scratch[finite]);
        }
        c->x = figure_mean(scratch, finite);
    } else if (v->has[KEY_X] && c->key[KEY_X] != IK_NONE) {
        const axis *x = &v->key[KEY_X];
        c->x = (estimate){x->numeric ? x->values[c->key[KEY_X]].number : c->key[KEY_X], NAN};
    } else {
        c->x = (estimate){v->has[KEY_X] ? (double)v->key[KEY_X].num : 0, NAN};
    }
}

static void data_count_unsteady(const figure_view *v, figure_cell *c, const report_row *row)
{
    bool lasts = figure_lasts(row, &v->y) && figure_lasts(row, &v->x);
    c->open += !lasts && !metric_counts(row->steady);
    c->unsteady += !lasts;
}

/* The samples in the order of the points, those without a value as NAN. */
static ik_status data_fill_cell(maker *k, figure_cell *c, const view_entry *entries, size_t num,
                                ik_error *err)
{
    const report_model *m = k->b->m;
    memcpy(c->key, entries[0].key, sizeof c->key);
    c->samples = ik_arena_alloc(&k->d->arena, (2 * num + 1) * sizeof *c->samples);
    size_t *rows = ik_arena_alloc(&k->d->arena, 2 * (num + 1) * sizeof *rows);
    c->rows = rows ? rows + num + 1 : NULL;
    if (!c->samples || !rows)
        return ik_fail_memory(err, num * sizeof *c->samples, "a figure");
    data_place_cell(k, c, entries, num, c->samples + num);
    for (size_t i = 0; i < num; i++)
        rows[i] = entries[i].point;
    for (size_t i = 0; i < num; i++) {
        const report_row *row = &m->rows[rows[i]];
        if (figure_is_repeat(m, rows, num, i, &k->d->v.y))
            continue;
        c->samples[c->num] = figure_result(row, &k->d->v.y);
        c->infeasible += !isfinite(c->samples[c->num]) && row->value[METRIC_FEASIBLE] < 1;
        c->deadlocks += row->deadlock[0] != '\0';
        c->rows[c->num++] = rows[i];
    }
    for (size_t i = 0; i < num; i++)
        data_count_unsteady(&k->d->v, c, &m->rows[rows[i]]);
    return IK_OK;
}

/* Entries of one cell follow each other: the first one behind those that begin with `first`. */
static size_t data_end_of_cell(const figure_view *v, size_t first)
{
    size_t next = first + 1;
    while (next < v->num_entries && same_key(&v->entries[first], &v->entries[next]))
        next++;
    return next;
}

static ik_status data_make_cells(maker *k, ik_error *err)
{
    const figure_view *v = &k->d->v;
    k->cells = ik_arena_alloc(&k->d->arena, (v->num_entries + 1) * sizeof *k->cells);
    if (!k->cells)
        return ik_fail_memory(err, v->num_entries * sizeof *k->cells, "a figure");
    for (size_t i = 0, next; i < v->num_entries; i = next) {
        next = data_end_of_cell(v, i);
        ik_status status = data_fill_cell(k, &k->cells[k->num++], &v->entries[i], next - i, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

/* ---- normalising: sample by sample where both have as many, else seed by seed */

/* Where the seed of a point stands in the table of axes; NULL: it has none. */
static const uint32_t *data_seed_of(const maker *k, size_t point)
{
    const axes *a = &k->b->a;
    size_t key = 0;
    while (key < a->num_keys && strcmp(a->keys[key].name, "seeds") != 0)
        key++;
    return key < a->num_keys ? &a->cells[point * a->num_keys + key] : NULL;
}

/* Mean of the reference's samples with the seed of a point, of all of them where none has it. */
static double data_mean_of(const maker *k, const figure_cell *ref, size_t point)
{
    double sum = 0, sum_same = 0;
    size_t all = 0, same = 0;
    const uint32_t *seed = data_seed_of(k, point);
    for (size_t i = 0; i < ref->num; i++) {
        const uint32_t *other = data_seed_of(k, ref->rows[i]);
        if (!isfinite(ref->samples[i]))
            continue;
        sum += ref->samples[i];
        all++;
        if (seed && *seed == *other) {
            sum_same += ref->samples[i];
            same++;
        }
    }
    return same ? sum_same / (double)same : all ? sum / (double)all : NAN;
}

/* Without any point of the reference (which was left out), there is no value. */
static void data_normalise_cell(const maker *k, figure_cell *c, const figure_cell *ref)
{
    for (size_t s = 0; s < c->num; s++) {
        double by = ref->num == c->num ? ref->samples[s] : data_mean_of(k, ref, c->rows[s]);
        c->samples[s] = by != 0 ? c->samples[s] / by : NAN;
    }
}

static ik_status data_normalise(maker *k, ik_error *err)
{
    const figure_view *v = &k->d->v;
    ik_status status = IK_OK;
    for (size_t i = 0; i < k->num && status == IK_OK; i++) {
        view_entry like = {0};
        figure_cell ref = {0};
        size_t num = 0;
        for (int s = 0; s < VIEW_KEYS; s++)
            like.key[s] = v->by_any[s] ? 0 : k->cells[i].key[s];
        const view_entry *first = find_entry(v->by, v->num_by, &like);
        while (first && first + num < v->by + v->num_by && same_key(first, first + num))
            num++;
        if (num)
            status = data_fill_cell(k, &ref, first, num, err);
        if (status == IK_OK)
            data_normalise_cell(k, &k->cells[i], &ref);
    }
    return status;
}

/* Drops samples without a value, sorts the others, sums up. */
static void data_finish_cells(maker *k)
{
    for (size_t i = 0; i < k->num; i++) {
        figure_cell *c = &k->cells[i];
        size_t finite = 0;
        for (size_t s = 0; s < c->num; s++)
            if (isfinite(c->samples[s]))
                c->samples[finite++] = c->samples[s];
        c->missing = c->num - finite - c->infeasible;
        k->d->num_points += c->num;
        k->d->num_infeasible += c->infeasible;
        k->d->num_deadlocks += c->deadlocks;
        k->d->num_missing += c->missing;
        k->d->num_unsteady += c->unsteady;
        k->d->num_open += c->open;
        c->num = finite;
        c->y = figure_mean(c->samples, finite);
        if (finite)
            qsort(c->samples, finite, sizeof *c->samples, data_by_value);
    }
}

/* ---- time: a cell for every period of the first sample's series */

static const double *data_series_values(const report_series *s, const char *name)
{
    const struct {
        const char *name;
        const double *values;
    } all[] = {{"throughput", s->throughput},       {"latency_mean_ns", s->latency_ns},
               {"reorder_bytes", s->reorder_bytes}, {"out_of_order", s->out_of_order},
               {"throttled", s->throttled},         {"outstanding", s->outstanding}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].values;
    return NULL;
}

/* Room for one more cell. */
static ik_status data_next_cell(maker *k, figure_cell **out, ik_error *err)
{
    if (k->num == k->room) {
        size_t room = k->room ? 2 * k->room : 64;
        figure_cell *cells = ik_arena_alloc(&k->d->arena, room * sizeof *cells);
        if (!cells)
            return ik_fail_memory(err, room * sizeof *cells, "a figure");
        if (k->num)
            memcpy(cells, k->cells, k->num * sizeof *cells);
        k->cells = cells;
        k->room = room;
    }
    *out = &k->cells[k->num++];
    return IK_OK;
}

static ik_status data_add_periods(maker *k, const view_entry *e, ik_error *err)
{
    report_series s;
    ik_status status = model_read_series(k->b->m, e->point, &k->d->arena, &s, err);
    if (status != IK_OK)
        return status;
    const double *values = data_series_values(&s, k->d->f->y);
    for (size_t n = 0; values && n < s.num; n++) {
        figure_cell *c = NULL;
        status = data_next_cell(k, &c, err);
        if (status != IK_OK)
            return status;
        *c = (figure_cell){.x = {(double)(n + 1) * (double)s.period_ps / 1000, NAN}, .num = 1};
        memcpy(c->key, e->key, sizeof c->key);
        c->samples = ik_arena_alloc(&k->d->arena, sizeof *c->samples);
        if (!c->samples)
            return ik_fail_memory(err, sizeof *c->samples, "a figure");
        c->samples[0] = values == s.latency_ns && values[n] == 0 ? NAN : values[n];
    }
    return IK_OK;
}

static ik_status data_make_periods(maker *k, ik_error *err)
{
    const figure_view *v = &k->d->v;
    ik_status status = IK_OK;
    for (size_t i = 0; i < v->num_entries && status == IK_OK; i++)
        if (i == 0 || !same_key(&v->entries[i - 1], &v->entries[i]))
            status = data_add_periods(k, &v->entries[i], err);
    return status;
}

/* ---- lists: a cell for every place, with the samples of all points */

/* Not every routing or fabric has one. */
static ik_status data_read_list(maker *k, size_t row, value_list *out, ik_error *err)
{
    ik_status status = model_read_list(k->b->m, row, k->d->f->y, &k->d->arena, out, err);
    k->d->num_listless += out->num == 0;
    return status;
}

/* Points that repeat another are no samples, and have no list here. */
static ik_status data_read_lists(maker *k, const view_entry *entries, size_t num, metric_id with,
                                 value_list *lists, ik_error *err)
{
    const report_model *m = k->b->m;
    size_t *rows = ik_arena_alloc(&k->d->arena, (num + 1) * sizeof *rows);
    ik_status status = rows ? IK_OK : ik_fail_memory(err, num * sizeof *rows, "a figure");
    for (size_t i = 0; i < num && status == IK_OK; i++)
        rows[i] = entries[i].point;
    for (size_t i = 0; i < num && status == IK_OK; i++)
        if (!model_is_repeat(m, rows, num, i, with))
            status = data_read_list(k, rows[i], &lists[i], err);
    return status;
}

/* The value of a list at a place of the figure; NULL: it has none there. */
static const double *data_list_at(const figure_data *d, const value_list *list, size_t place)
{
    if (!list->places)
        return place < list->num ? &list->values[place] : NULL;
    for (size_t i = 0; i < list->num; i++)
        if (strcmp(list->places[i], d->categories[place]) == 0)
            return &list->values[i];
    return NULL;
}

/* The cells of the points of one curve, at those of the places that any of its lists has. */
static ik_status data_add_places(maker *k, const view_entry *entries, const value_list *lists,
                                 size_t num, size_t num_places, ik_error *err)
{
    for (size_t place = 0; place < num_places; place++) {
        figure_cell *c = NULL;
        size_t have = 0;
        for (size_t i = 0; i < num; i++)
            have += data_list_at(k->d, &lists[i], place) != NULL;
        if (have == 0)
            continue;
        ik_status status = data_next_cell(k, &c, err);
        if (status != IK_OK)
            return status;
        *c = (figure_cell){.x = {(double)place, NAN}};
        memcpy(c->key, entries[0].key, sizeof c->key);
        c->samples = ik_arena_alloc(&k->d->arena, have * sizeof *c->samples);
        if (!c->samples)
            return ik_fail_memory(err, have * sizeof *c->samples, "a figure");
        for (size_t i = 0; i < num; i++) {
            const double *value = data_list_at(k->d, &lists[i], place);
            if (value)
                c->samples[c->num++] = *value;
        }
    }
    return IK_OK;
}

/* Places of the figure: names of all lists, or as many numbers as the longest list has. */
static ik_status data_find_places(maker *k, const value_list *lists, size_t num, size_t *num_places,
                                  ik_error *err)
{
    figure_data *d = k->d;
    *num_places = 0;
    if (list_find(d->f->y)->named) {
        ik_status status =
            figure_merge_places(lists, num, &d->arena, &d->categories, &d->num_categories, err);
        *num_places = d->num_categories;
        return status;
    }
    for (size_t i = 0; i < num; i++)
        *num_places = lists[i].num > *num_places ? lists[i].num : *num_places;
    return IK_OK;
}

static ik_status data_make_lists(maker *k, ik_error *err)
{
    const figure_view *v = &k->d->v;
    const list_row *row = list_find(k->d->f->y);
    size_t num_places = 0, num = v->num_entries, next;
    value_list *lists = ik_arena_alloc(&k->d->arena, (num + 1) * sizeof *lists);
    if (!lists)
        return ik_fail_memory(err, num * sizeof *lists, "a figure");
    memset(lists, 0, (num + 1) * sizeof *lists);
    ik_status status = IK_OK;
    for (size_t i = 0; i < num && status == IK_OK; i = next) {
        next = data_end_of_cell(v, i);
        status = data_read_lists(k, &v->entries[i], next - i, row->with, &lists[i], err);
    }
    if (status == IK_OK)
        status = data_find_places(k, lists, num, &num_places, err);
    for (size_t i = 0; i < num && status == IK_OK; i = next) {
        next = data_end_of_cell(v, i);
        status = data_add_places(k, &v->entries[i], &lists[i], next - i, num_places, err);
    }
    return status;
}

/* ---- curves */

static int data_by_x(const void *a, const void *b)
{
    const figure_cell *x = a, *y = b;
    if (x->key[KEY_X] != y->key[KEY_X] && x->x.mean == y->x.mean)
        return x->key[KEY_X] < y->key[KEY_X] ? -1 : 1;
    return (x->x.mean > y->x.mean) - (x->x.mean < y->x.mean);
}

/* Along a curve of two results the order is that of what varies, not that of x. */
static int data_by_step(const void *a, const void *b)
{
    const figure_cell *x = a, *y = b;
    return (x->key[KEY_X] > y->key[KEY_X]) - (x->key[KEY_X] < y->key[KEY_X]);
}

static const char *data_name_axes(maker *k, const figure_cell *c, int from, int to)
{
    const figure_view *v = &k->d->v;
    const char *name = "";
    for (int s = from; s < to && name; s++) {
        if (!v->has[s])
            continue;
        const char *label = axis_label(&v->key[s], c->key[s]);
        bool alone = axes_axis_is_label(&v->key[s]) ||
                     (!v->key[s].numeric && !v->key[s].param); /* "dmodk", but "k = 4" */
        const char *what = v->key[s].param ? v->key[s].param : v->key[s].name;
        name = ik_arena_printf(&k->d->arena, "%s%s%s%s%s", name, name[0] ? ", " : "",
                               alone ? "" : what, alone ? "" : " = ", label);
    }
    return name;
}

static size_t data_index_of(const char **list, size_t *num, const char *text)
{
    for (size_t i = 0; i < *num; i++)
        if (strcmp(list[i], text) == 0)
            return i;
    list[*num] = text;
    return (*num)++;
}

static bool data_same_curve(const figure_cell *a, const figure_cell *b)
{
    return memcmp(a->key, b->key, KEY_X * sizeof a->key[0]) == 0;
}

static ik_status data_add_curve(maker *k, figure_cell *cells, size_t num, const char **series,
                                size_t *num_series, const char **marks, size_t *num_marks,
                                ik_error *err)
{
    figure_data *d = k->d;
    const char *panel = data_name_axes(k, cells, KEY_PANEL, KEY_SERIES);
    figure_curve c = {.series = data_name_axes(k, cells, KEY_SERIES, KEY_MARKS),
                      .marks = data_name_axes(k, cells, KEY_MARKS, KEY_X),
                      .name = data_name_axes(k, cells, KEY_SERIES, KEY_X),
                      .cells = cells,
                      .num = num};
    if (!panel || !c.series || !c.marks || !c.name)
        return ik_fail_memory(err, 1, "a figure");
    c.panel = data_index_of(d->panels, &d->num_panels, panel);
    c.colour = data_index_of(series, num_series, c.series);
    c.mark = d->v.has[KEY_MARKS] ? data_index_of(marks, num_marks, c.marks) : c.colour;
    qsort(cells, num, sizeof *cells, d->v.x.text && d->v.has[KEY_X] ? data_by_step : data_by_x);
    d->curves[d->num_curves++] = c;
    return IK_OK;
}

static ik_status data_make_curves(maker *k, ik_error *err)
{
    figure_data *d = k->d;
    size_t room = k->num + 1, num_series = 0, num_marks = 0;
    const char **series = ik_calloc(2 * room, sizeof *series);
    d->curves = ik_arena_alloc(&d->arena, room * sizeof *d->curves);
    d->panels = ik_arena_alloc(&d->arena, room * sizeof *d->panels);
    if (!series || !d->curves || !d->panels) {
        free(series);
        return ik_fail_memory(err, room * sizeof *d->curves, "a figure");
    }
    ik_status status = IK_OK;
    for (size_t i = 0, next; i < k->num && status == IK_OK; i = next) {
        for (next = i + 1; next < k->num; next++)
            if (!data_same_curve(&k->cells[i], &k->cells[next]))
                break;
        status = data_add_curve(k, &k->cells[i], next - i, series, &num_series, series + room,
                                &num_marks, err);
    }
    free(series);
    return status;
}

ik_status figure_data_make(figure_book *b, const figure *f, figure_data *out, ik_error *err)
{
    *out = (figure_data){.f = f};
    maker k = {.b = b, .d = out};
    uint64_t due = b->m->num_points - b->m->num_left_out;
    out->unfinished = due > b->m->num_rows ? (size_t)due - b->m->num_rows : 0;
    ik_status status = figure_resolve(&b->a, f, &b->over, &out->v, err);
    if (status == IK_OK)
        status = f->kind == FIGURE_TIME   ? data_make_periods(&k, err)
                 : f->kind == FIGURE_LIST ? data_make_lists(&k, err)
                                          : data_make_cells(&k, err);
    if (status == IK_OK && f->normalise_by.num)
        status = data_normalise(&k, err);
    if (status == IK_OK) {
        data_finish_cells(&k);
        status = data_make_curves(&k, err);
    }
    if (status == IK_OK && f->kind == FIGURE_ROUTES)
        status = figure_read_maps(b->m, out, err);
    return status == IK_OK ? figure_words(out, err) : status;
}

void figure_data_free(figure_data *d)
{
    ik_arena_free(&d->arena);
}
