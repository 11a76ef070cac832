/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/over.c: section over: axes of the sweep whose values are samples. An axis is a
 * section, or a section and one of the parameters that its variants have.
 */
#include "experiment/experiment_impl.h"

#include <stdio.h>
#include <string.h>

/* Sections that can have samples. */
static bool over_can_vary(section_id id)
{
    return id != SECTION_LOAD && id != SECTION_SEEDS;
}

/* The value of a parameter of a variant; NULL = it has none of that name. */
static const char *over_value_of(const variant *v, const char *param)
{
    for (size_t i = 0; i < v->params.num; i++)
        if (strcmp(v->params.decl[i].name, param) == 0)
            return v->params.values[i].has ? v->params.values[i].text : "";
    return NULL;
}

/* What becomes of an axis in all designs. */
typedef struct axis_use {
    const char *first; /* a value; NULL = no variant has the parameter */
    bool varies;
} axis_use;

static axis_use over_use_of(const ik_experiment *e, section_id id, const char *param)
{
    axis_use use = {0};
    for (size_t d = 0; d < e->num_designs; d++) {
        const variants *list = experiment_list(e, d, id);
        for (size_t i = 0; i < list->num; i++) {
            const char *value = param ? over_value_of(&list->items[i], param) : list->items[i].full;
            use.varies |= use.first && value && strcmp(use.first, value) != 0;
            use.first = use.first ? use.first : value;
        }
    }
    return use;
}

/* Names of axes that vary, for a hint; NULL at the end, in the arena; NULL without memory. */
static const char **over_swept_axes(ik_experiment *e)
{
    enum { MOST = 64 };
    const char **names = ik_arena_alloc(&e->arena, (MOST + 1) * sizeof *names);
    size_t num = 0;
    for (section_id id = 0; names && id < NUM_SECTIONS; id++) {
        const variants *list = experiment_list(e, 0, id);
        const variant *v = list->num ? &list->items[0] : NULL;
        if (!over_can_vary(id))
            continue;
        if (over_use_of(e, id, NULL).varies && num < MOST)
            names[num++] = schema_section(id)->name;
        for (size_t i = 0; v && i < v->params.num && num < MOST; i++)
            if (over_use_of(e, id, v->params.decl[i].name).varies)
                names[num++] = ik_arena_printf(&e->arena, "%s.%s", schema_section(id)->name,
                                               v->params.decl[i].name);
    }
    for (size_t i = 0; i < num; i++)
        if (!names[i])
            return NULL;
    if (names)
        names[num] = NULL;
    return names;
}

static ik_status over_refuse(ik_experiment *e, const ytree *word, const char *what, ik_error *err)
{
    const char **names = over_swept_axes(e);
    if (!names)
        return ik_fail_memory(err, 1, "an experiment");
    ik_status status = ytree_fail(word, err, "'over' has '%.80s', which %s", word->text, what);
    const char *nearest = ik_nearest_name(word->text, names);
    if (nearest && strcmp(nearest, word->text) != 0)
        return ik_meant(err, status, nearest);
    char list[300] = "";
    size_t used = 0;
    for (size_t i = 0; names[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    return names[0] ? ik_hint(err, status, "swept are %s", list)
                    : ik_hint(err, status, "only loads and seeds are swept");
}

static ik_status over_add_axis(ik_experiment *e, const ytree *word, ik_error *err)
{
    if (word->kind != YTREE_SCALAR)
        return ytree_fail(word, err, "'over' is a list of axes, found %s",
                          ytree_kind_name(word->kind));
    const char *dot = strchr(word->text, '.');
    size_t length = dot ? (size_t)(dot - word->text) : strlen(word->text);
    section_id id = 0;
    while (id < NUM_SECTIONS && (strlen(schema_section(id)->name) != length ||
                                 memcmp(schema_section(id)->name, word->text, length) != 0))
        id++;
    if (strcmp(word->text, "seeds") == 0)
        return ytree_fail(word, err, "'over' has 'seeds', which are always samples");
    if (id == NUM_SECTIONS || !over_can_vary(id))
        return over_refuse(e, word, "is not an axis that can be a sample", err);
    axis_use use = over_use_of(e, id, dot ? dot + 1 : NULL);
    if (!use.first)
        return over_refuse(e, word, "is not an axis of this sweep", err);
    if (!use.varies)
        return over_refuse(e, word, "is not swept", err);
    for (size_t i = 0; i < e->num_over; i++)
        if (strcmp(e->over[i], word->text) == 0)
            return ytree_fail(word, err, "'over' has '%.80s' twice", word->text);
    e->over[e->num_over++] = word->text;
    return IK_OK;
}

ik_status over_read(ik_experiment *e, const ytree *node, ik_error *err)
{
    if (!node)
        return IK_OK;
    size_t num = node->kind == YTREE_LIST ? node->num : 1;
    e->over = ik_arena_alloc(&e->arena, (num + 1) * sizeof *e->over);
    if (!e->over)
        return ik_fail_memory(err, num * sizeof *e->over, "an experiment");
    if (node->kind != YTREE_LIST)
        return over_add_axis(e, node, err);
    ik_status status = num ? IK_OK : ytree_fail(node, err, "'over' has an empty list");
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = over_add_axis(e, node->items[i], err);
    return status;
}
