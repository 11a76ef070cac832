/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/book.c: the figures of a results file, and the axes of its points.
 *
 * What an experiment declared is stored as it was written, in JSON, which is YAML: it is read and
 * checked by the same functions as before the run.
 */
#include "report/figures.h"

#include <stdlib.h>
#include <string.h>

/* ---- axes: the members of the points' parameters */

static bool book_is_key(const char *name)
{
    size_t length = strlen(name);
    bool digest = length > 7 && strcmp(name + length - 7, "_digest") == 0;
    return !digest && strcmp(name, "setup_seed") != 0 && strcmp(name, "routing_seed") != 0;
}

static ik_status book_parse_params(const report_row *row, json_t **out, ik_error *err)
{
    json_error_t why;
    ik_status status = json_parse(row->params, strlen(row->params), out, &why);
    return status == IK_OK ? IK_OK : ik_fail_memory(err, strlen(row->params), "a figure");
}

enum { MOST_KEYS = 64 };

static ik_status book_put_row(axes *a, size_t row, const json_t *params, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t k = 0; k < a->num_keys && status == IK_OK; k++) {
        const char *text = json_string_value(json_object_get(params, a->keys[k].name));
        if (text)
            status = axes_put(a, row, k, text, err);
    }
    return status;
}

/* The keys of the points: what the first has, and what others have beside. */
static ik_status book_find_keys(const report_model *m, ik_arena *arena, const char **keys,
                                size_t *num, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < m->num_rows && status == IK_OK; i++) {
        json_t *params = NULL, *value;
        const char *key;
        if (i && strlen(m->rows[i].params) == strlen(m->rows[i - 1].params))
            continue; /* a member more or less would change it */
        status = book_parse_params(&m->rows[i], &params, err);
        json_object_foreach(params, key, value)
        {
            size_t k = 0;
            while (k < *num && strcmp(keys[k], key) != 0)
                k++;
            if (k < *num || !book_is_key(key) || !json_is_string(value) || *num == MOST_KEYS)
                continue;
            if ((keys[*num] = ik_arena_strdup(arena, key)))
                ++*num;
            else
                status = ik_fail_memory(err, strlen(key), "a figure");
        }
        json_decref(params);
    }
    return status;
}

static ik_status book_read_axes(figure_book *b, ik_error *err)
{
    const char *keys[MOST_KEYS];
    size_t num = 0;
    ik_status status = book_find_keys(b->m, &b->arena, keys, &num, err);
    if (status == IK_OK)
        status = axes_begin(&b->a, keys, num, b->m->num_rows, err);
    b->a.partial = b->m->num_rows < b->m->num_points;
    for (size_t i = 0; i < b->m->num_rows && status == IK_OK; i++) {
        json_t *params = NULL;
        status = book_parse_params(&b->m->rows[i], &params, err);
        if (status == IK_OK)
            status = book_put_row(&b->a, i, params, err);
        json_decref(params);
    }
    return status;
}

/* ---- what was declared */

/* A list in the store's meta; *out NULL: there is none. */
static ik_status book_read_list(figure_book *b, const char *key, ytree **out, ik_error *err)
{
    const char *text = "";
    *out = NULL;
    ik_status status = store_get_meta(b->m->store, key, &b->arena, &text, err);
    if (status != IK_OK || !text[0] || strcmp(text, "[]") == 0)
        return status;
    const char *file = ik_arena_printf(&b->arena, "%.200s (%s)", store_path(b->m->store), key);
    if (!file)
        return ik_fail_memory(err, strlen(text), "a figure");
    return ytree_parse(text, strlen(text), file, &b->arena, out, err);
}

static ik_status book_read_over(figure_book *b, ik_error *err)
{
    ytree *list = NULL;
    ik_status status = book_read_list(b, "over", &list, err);
    if (status != IK_OK || !list)
        return status;
    b->over.items = ik_arena_alloc(&b->arena, (list->num + 1) * sizeof *b->over.items);
    if (!b->over.items)
        return ik_fail_memory(err, list->num, "a figure");
    for (size_t i = 0; i < list->num; i++)
        if (list->items[i]->kind == YTREE_SCALAR)
            b->over.items[b->over.num++] = list->items[i]->text;
    return IK_OK;
}

static ik_status book_read_declared(figure_book *b, ik_error *err)
{
    ytree *list = NULL;
    ik_status status = book_read_list(b, "figures", &list, err);
    if (status == IK_OK && list)
        status = figures_read(list, &b->arena, &b->figures, &b->num_figures, err);
    if (status == IK_OK)
        status = book_read_list(b, "expect", &list, err);
    if (status == IK_OK && list)
        status = claims_read(list, &b->arena, &b->claims, &b->num_claims, err);
    return status == IK_OK ? book_read_over(b, err) : status;
}

ik_status figures_check_stored(const report_model *m, ik_error *err)
{
    figure_book b = {.m = m};
    ik_error why = {0};
    ik_status status = book_read_declared(&b, &why);
    ik_arena_free(&b.arena);
    if (status == IK_ERR_INPUT)
        return ik_fail(err, status, "'%.200s' is damaged: its figures or claims: %.400s",
                       store_path(m->store), why.text);
    if (status != IK_OK && err)
        *err = why;
    return status;
}

static void book_free_book(figure_book *b)
{
    axes_free(&b->a);
    sweep_points_free(&b->sweep);
    ik_arena_free(&b->arena);
    *b = (figure_book){0};
}

ik_status figures_open(const report_model *m, figure_book **out, ik_error *err)
{
    figure_book *b = m->book;
    if (!b->opened) {
        *b = (figure_book){.m = m};
        ik_status status = book_read_declared(b, err);
        if (status == IK_OK && (b->num_figures || b->num_claims))
            status = book_read_axes(b, err);
        if (status != IK_OK) {
            book_free_book(b);
            return status;
        }
        b->opened = true;
    }
    *out = b;
    return IK_OK;
}

ik_status figures_new(report_model *m, ik_error *err)
{
    m->book = ik_calloc(1, sizeof *m->book);
    return m->book ? IK_OK : ik_fail_memory(err, sizeof *m->book, "a report");
}

ik_status figures_axes(const report_model *m, axes **out, ik_error *err)
{
    figure_book *b;
    ik_status status = figures_open(m, &b, err);
    if (status == IK_OK && !b->a.keys)
        status = book_read_axes(b, err);
    if (status != IK_OK) {
        book_free_book(m->book);
        return status;
    }
    *out = &b->a;
    return IK_OK;
}

void figures_free(report_model *m)
{
    if (m->book)
        book_free_book(m->book);
    free(m->book);
}

ik_status figures_find(const figure_book *b, const char *name, const figure **out, ik_error *err)
{
    for (size_t i = 0; i < b->num_figures; i++)
        if (strcmp(b->figures[i].name, name) == 0) {
            *out = &b->figures[i];
            return IK_OK;
        }
    if (b->num_figures == 0) {
        ik_status status =
            ik_fail(err, IK_ERR_INPUT, "'%.200s' has no figures", store_path(b->m->store));
        return ik_hint(err, status, "an experiment declares them: ikat help figures");
    }
    const char **all = ik_calloc(b->num_figures + 1, sizeof *all);
    if (!all)
        return ik_fail_memory(err, b->num_figures, "a figure");
    for (size_t i = 0; i < b->num_figures; i++)
        all[i] = b->figures[i].name;
    ik_status status = ik_fail_unknown(err, "figure", name, all);
    free(all);
    return status;
}
