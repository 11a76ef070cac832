/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/members.c: lists of traffic. */
#include "experiment/members.h"

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

ik_status members_read_traffic(ik_experiment *e, const ytree *node, members_kind kind, sweep *out,
                               ik_error *err)
{
    variants found = {0};
    ik_status status = section_read_family(e, SECTION_TRAFFIC, &found, node, err);
    for (size_t i = 0; i < found.num; i++) {
        variant *v = &found.items[i];
        if (status == IK_OK && strpbrk(v->label, kind.marks))
            status = ytree_fail(v->place, err, "'%.100s' %s: it contains '%c' or '%c'", v->label,
                                kind.refusal, kind.marks[0], kind.marks[1]);
        if (status == IK_OK)
            status = sweep_add(out, v->label, v->place, &e->arena, err);
        ik_params_free(&v->params);
    }
    return status;
}

static ik_status join(ik_experiment *e, const ytree *list, const sweep_axis *items,
                      const size_t *choice, char mark, sweep *out, ik_error *err)
{
    size_t bytes = 1;
    for (size_t i = 0; i < list->num; i++)
        bytes += strlen(items[i].values.text[choice[i]]) + 1;
    char *text = ik_arena_alloc(&e->arena, bytes), *at = text;
    if (!text)
        return ik_fail_memory(err, bytes, "an experiment");
    for (size_t i = 0; i < list->num; i++) {
        if (i)
            *at++ = mark;
        at = stpcpy(at, items[i].values.text[choice[i]]);
    }
    return sweep_add(out, text, list, &e->arena, err);
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
        ik_status status = join(e, list, items, choice, mark, out, err);
        if (status != IK_OK)
            return status;
    } while (sweep_next(items, list->num, choice));
    return IK_OK;
}
