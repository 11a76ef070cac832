/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/declared.c: mappings with declared keys, mappings of swept values, names of
 * results.
 */
#include "experiment/figures/declared.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- keys and values */

static bool declared_is_mapping(const char *key)
{
    static const char *const keys[] = {"normalise_by", "where", "of", "against", "at", "cells"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static const ik_param *declared_row_of(const ik_param *rows, const char *key)
{
    while (rows->name && strcmp(rows->name, key) != 0)
        rows++;
    return rows;
}

const ytree *figures_place(const ytree *node, const char *key)
{
    for (size_t i = 0; i < node->num; i++)
        if (strcmp(node->keys[i]->text, key) == 0)
            return node->items[i];
    return node;
}

/* The items of a list of texts, with blanks between them. */
static ik_status declared_join_texts(const ytree *list, ik_arena *arena, const char **out,
                                     ik_error *err)
{
    const char *all = "";
    for (size_t i = 0; i < list->num && all; i++) {
        if (list->items[i]->kind != YTREE_SCALAR || !list->items[i]->text[0])
            return ytree_fail(list->items[i], err, "a name is expected here");
        all = ik_arena_printf(arena, "%s%s%s", all, i ? " " : "", list->items[i]->text);
    }
    if (!all)
        return ik_fail_memory(err, 1, "an experiment");
    *out = all;
    return IK_OK;
}

static ik_status declared_read_value(const ytree *key, const ytree *value, const ik_param *row,
                                     const char *owner, ik_arena *arena, ik_params *params,
                                     ik_error *err)
{
    const char *text = value->text;
    ik_status status = IK_OK;
    if (row->name && value->kind == YTREE_LIST && row->type == IK_PARAM_TEXTS)
        status = declared_join_texts(value, arena, &text, err);
    else if (row->name && value->kind != YTREE_SCALAR)
        return ytree_fail(value, err, "%s, parameter '%s': one value is expected, found %s", owner,
                          row->name, ytree_kind_name(value->kind));
    if (status != IK_OK)
        return status;
    const ytree *place = row->name ? value : key;
    params->source = place->file;
    return ik_params_set(params, owner, key->text, row->name ? text : "", place->line,
                         place->column, err);
}

/* The declared values of a mapping; those that are mappings themselves are left alone. */
ik_status declared_read(const ytree *node, const ik_param *rows, const char *owner, ik_arena *arena,
                        ik_params *params, ik_error *err)
{
    if (node->kind != YTREE_MAP)
        return ytree_fail(node, err, "%s is a mapping, found %s", owner,
                          ytree_kind_name(node->kind));
    ik_status status = ik_params_init(params, rows, NULL, err);
    for (size_t i = 0; i < node->num && status == IK_OK; i++) {
        const ik_param *row = declared_row_of(rows, node->keys[i]->text);
        if (!row->name || !declared_is_mapping(row->name))
            status =
                declared_read_value(node->keys[i], node->items[i], row, owner, arena, params, err);
    }
    if (status == IK_OK && (status = ik_params_finish(params, owner, err)) != IK_OK)
        ik_error_at(err, node->file, node->line, node->column);
    return status == IK_OK ? ik_params_check_needs(params, owner, NULL, NULL, err) : status;
}

static ik_status declared_read_match(const ytree *map, size_t i, ik_arena *arena, axis_match *out,
                                     ik_error *err)
{
    const ytree *value = map->items[i];
    const ytree *const *items =
        value->kind == YTREE_LIST ? (const ytree *const *)value->items : &value;
    *out = (axis_match){.axis = map->keys[i]->text,
                        .num = value->kind == YTREE_LIST ? value->num : 1,
                        .place = map->keys[i],
                        .node = value};
    out->values = ik_arena_alloc(arena, (out->num + 1) * sizeof *out->values);
    if (!out->values)
        return ik_fail_memory(err, out->num * sizeof *out->values, "an experiment");
    for (size_t k = 0; k < out->num; k++) {
        if (items[k]->kind != YTREE_SCALAR || !items[k]->text[0])
            return ytree_fail(items[k], err, "'%.60s' is a value or a list of values here",
                              out->axis);
        out->values[k] = items[k]->text;
    }
    return out->num ? IK_OK : ytree_fail(value, err, "'%.60s' has an empty list", out->axis);
}

ik_status declared_matches(const ytree *map, const char *key, ik_arena *arena, matches *out,
                           ik_error *err)
{
    if (map->kind != YTREE_MAP) {
        ik_status status = ytree_fail(map, err, "'%s' is a mapping of swept values, found %s", key,
                                      ytree_kind_name(map->kind));
        return ik_hint(err, status, "write it like %s: {routing: dmodk, load: 50%%}", key);
    }
    *out = (matches){.num = map->num, .place = map};
    out->items = ik_arena_alloc(arena, (map->num + 1) * sizeof *out->items);
    if (!out->items)
        return ik_fail_memory(err, map->num * sizeof *out->items, "an experiment");
    ik_status status = IK_OK;
    for (size_t i = 0; i < map->num && status == IK_OK; i++)
        status = declared_read_match(map, i, arena, &out->items[i], err);
    return status;
}

ik_status declared_mapping(const ytree *node, const char *key, ik_arena *arena, matches *out,
                           ik_error *err)
{
    const ytree *map = ytree_get(node, key);
    if (!map || map->kind != YTREE_MAP || map->num)
        return map ? declared_matches(map, key, arena, out, err) : IK_OK;
    ik_status status = ytree_fail(map, err, "'%s' is an empty mapping", key);
    return ik_hint(err, status, "leave it out, or write it like %s: {routing: dmodk}", key);
}

/* ---- results */

static ik_status declared_read_metric(const char *text, size_t length, const ytree *place,
                                      metric_id *out, ik_error *err)
{
    const char *list[NUM_METRICS + 1] = {NULL};
    char name[80];
    *out = metric_find(text, length);
    if (*out < NUM_METRICS)
        return IK_OK;
    for (int i = 0; i < NUM_METRICS; i++)
        list[i] = metrics[i].name;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    ik_status status = ik_fail_unknown(err, "result", name, list);
    ik_error_at(err, place->file, place->line, place->column);
    return status;
}

ik_status expr_read(const char *text, const ytree *place, ik_arena *arena, result_expr *out,
                    ik_error *err)
{
    static const char blanks[] = " \t";
    result_expr e = {.text = ik_arena_strdup(arena, text)};
    if (!e.text)
        return ik_fail_memory(err, strlen(text), "an experiment");
    const char *first = e.text + strspn(e.text, blanks);
    size_t length = strcspn(first, " \t/-");
    const char *op = first + length + strspn(first + length, blanks);
    ik_status status = declared_read_metric(first, length, place, &e.first, err);
    if (status != IK_OK || !*op) {
        *out = e;
        return status;
    }
    const char *second = op + 1 + strspn(op + 1, blanks);
    size_t rest = strcspn(second, blanks);
    if ((*op != '/' && *op != '-') || second[rest + strspn(second + rest, blanks)]) {
        status = ytree_fail(place, err,
                            "'%.80s' is not a result and not a ratio or difference of two", text);
        return ik_hint(err, status, "throughput / offered, or latency_p99_ns - latency_p50_ns");
    }
    e.op = *op;
    status = declared_read_metric(second, rest, place, &e.second, err);
    *out = e;
    return status;
}

/* ---- values */

double declared_number(const char *text, const char **unit)
{
    if (text[0] != '-')
        return axis_number(text, unit);
    bool sign = isdigit((unsigned char)text[1]) || text[1] == '.';
    return sign ? -axis_number(text + 1, unit) : NAN;
}

ik_status declared_names(const ik_value *v, ik_arena *arena, name_list *out, ik_error *err)
{
    const char *text = v->has ? v->text : "";
    *out = (name_list){.items = ik_arena_alloc(arena, (strlen(text) / 2 + 2) * sizeof *out->items)};
    if (!out->items)
        return ik_fail_memory(err, strlen(text), "an experiment");
    for (text += strspn(text, " ,"); *text; text += strspn(text, " ,")) {
        size_t length = strcspn(text, " ,");
        char *name = ik_arena_printf(arena, "%.*s", (int)length, text);
        if (!name)
            return ik_fail_memory(err, length, "an experiment");
        out->items[out->num++] = name;
        text += length;
    }
    return IK_OK;
}

const ik_value *declared_value(const ik_params *p, const char *name)
{
    size_t i = 0;
    while (strcmp(p->decl[i].name, name) != 0)
        i++;
    return &p->values[i];
}

/* The text of a value, in the arena; "" if it has none. */
const char *declared_text(const ik_params *p, const char *name, ik_arena *arena)
{
    const ik_value *v = declared_value(p, name);
    return v->has ? ik_arena_strdup(arena, v->text) : "";
}

const char *declared_paragraph(const ik_params *p, const char *name, ik_arena *arena)
{
    const char *text = declared_text(p, name, arena);
    size_t length = text ? strlen(text) : 0;
    while (length > 0 && strchr(" \n", text[length - 1]))
        length--;
    return text ? ik_arena_printf(arena, "%.*s", (int)length, text) : NULL;
}

ik_status declared_list(const ytree *list, const char *section, ik_error *err)
{
    if (list->kind == YTREE_LIST)
        return list->num ? IK_OK : ytree_fail(list, err, "'%s' is an empty list", section);
    return ytree_fail(list, err, "'%s' is a list of mappings, found %s", section,
                      ytree_kind_name(list->kind));
}
