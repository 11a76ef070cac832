/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/members.c: lists of traffic. */
#include "experiment/members.h"

#include <assert.h>
#include <string.h>

ik_status members_check_keys(const ytree *map, const char *what, const char *const *known,
                             ik_error *err)
{
    for (size_t i = 0; i < map->num; i++) {
        const char *const *k = known;
        while (*k && strcmp(*k, map->keys[i]->text) != 0)
            k++;
        if (*k)
            continue;
        ik_status status = ik_fail_unknown(err, what, map->keys[i]->text, known);
        ik_error_at(err, map->keys[i]->file, map->keys[i]->line, map->keys[i]->column);
        return status;
    }
    return IK_OK;
}

ik_status members_check_name(const ytree *name, const char *what, const char *marks, ik_error *err)
{
    if (name->kind == YTREE_SCALAR && name->text[0] && !strpbrk(name->text, marks) &&
        !strpbrk(name->text, "=:,()\" \t\n"))
        return IK_OK;
    return ytree_fail(name, err, "'name' of %s is a word of letters, digits and '-_.'", what);
}

/* ---- what values are made of */

ytree *members_parts(ytree_kind kind, const ytree *place, size_t room, ik_arena *arena)
{
    ytree *parts = ytree_new(kind, place->file, place->line, place->column, arena);
    if (!parts)
        return NULL;
    parts->room = room;
    parts->items = ik_arena_alloc(arena, (room + 1) * sizeof *parts->items);
    parts->keys =
        kind == YTREE_MAP ? ik_arena_alloc(arena, (room + 1) * sizeof *parts->keys) : NULL;
    return parts->items && (parts->keys || kind != YTREE_MAP) ? parts : NULL;
}

bool members_part(ytree *parts, const char *key, const ytree *part, ik_arena *arena)
{
    if (!part)
        return true;
    assert(parts->num < parts->room && (parts->kind == YTREE_MAP) == (key != NULL));
    if (key) {
        ytree *name = ytree_new(YTREE_SCALAR, part->file, part->line, part->column, arena);
        if (!name)
            return false;
        name->text = key;
        parts->keys[parts->num] = name;
    }
    parts->items[parts->num++] = (ytree *)part;
    return true;
}

bool members_listed(ik_param_type type)
{
    return type == IK_PARAM_PATTERNS || type == IK_PARAM_JOBS || type == IK_PARAM_SCHEDULE;
}

/* The parameters of a variant that were written. */
static const ytree *members_parts_of(const variant *v, ik_arena *arena)
{
    ytree *parts = members_parts(YTREE_MAP, v->place, v->params.num, arena);
    if (parts)
        parts->text = v->name;
    for (size_t i = 0; parts && i < v->params.num; i++) {
        const ik_value *value = &v->params.values[i];
        const ik_param *row = &v->params.decl[i];
        if (!value->given || !value->line)
            continue;
        const ytree *part = members_listed(row->type) ? v->parts : NULL;
        ytree *own =
            part ? NULL : ytree_new(YTREE_SCALAR, value->source, value->line, value->column, arena);
        if (own && row->type == IK_PARAM_PATH && !(own->text = ik_arena_strdup(arena, value->text)))
            return NULL;
        if (!(part ? part : own) || !members_part(parts, row->name, part ? part : own, arena))
            return NULL;
    }
    return parts;
}

/* ---- lists */

ik_status members_read_traffic(ik_experiment *e, const ytree *node, sweep *out, ik_error *err)
{
    variants found = {0};
    ik_status status = section_read_family(e, SECTION_TRAFFIC, &found, node, err);
    for (size_t i = 0; i < found.num; i++) {
        variant *v = &found.items[i];
        const ytree *parts = members_parts_of(v, &e->arena);
        if (status == IK_OK)
            status = parts ? sweep_add(out, v->label, parts, &e->arena, err)
                           : ik_fail_memory(err, 1, "an experiment");
        ik_params_free(&v->params);
    }
    return status;
}

static ik_status members_join(ik_experiment *e, const ytree *list, const sweep_axis *items,
                              const size_t *choice, char mark, sweep *out, ik_error *err)
{
    size_t bytes = 1;
    for (size_t i = 0; i < list->num; i++)
        bytes += strlen(items[i].values.text[choice[i]]) + 1;
    char *text = ik_arena_alloc(&e->arena, bytes), *at = text;
    ytree *parts = members_parts(YTREE_LIST, list, list->num, &e->arena);
    if (!text || !parts)
        return ik_fail_memory(err, bytes, "an experiment");
    for (size_t i = 0; i < list->num; i++) {
        if (i)
            *at++ = mark;
        at = stpcpy(at, items[i].values.text[choice[i]]);
        if (!members_part(parts, NULL, items[i].values.place[choice[i]], &e->arena))
            return ik_fail_memory(err, 1, "an experiment");
    }
    return sweep_add(out, text, parts, &e->arena, err);
}

ik_status members_combine(ik_experiment *e, const ytree *list, members_item_fn read_item, char mark,
                          sweep *out, ik_error *err)
{
    sweep_axis *items = ik_arena_alloc(&e->arena, (list->num + 1) * sizeof *items);
    size_t *choice = ik_arena_alloc(&e->arena, (list->num + 1) * sizeof *choice);
    if (!items || !choice)
        return ik_fail_memory(err, list->num * sizeof *items, "an experiment");
    for (size_t i = 0; i < list->num; i++) {
        ik_status status = read_item(e, list->items[i], &items[i].values, err);
        if (status != IK_OK)
            return status;
    }
    do {
        ik_status status = members_join(e, list, items, choice, mark, out, err);
        if (status != IK_OK)
            return status;
    } while (sweep_next(items, list->num, choice));
    return IK_OK;
}
