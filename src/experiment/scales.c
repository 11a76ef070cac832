/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/scales.c: the sizes of an experiment, of which one is chosen before anything else is
 * read: what each replaces, which one it is like, and what it costs.
 */
#include "experiment/experiment_impl.h"

#include "experiment/figures/declared.h"
#include "experiment/figures/figures.h"

#include <stdlib.h>
#include <string.h>

bool ik_parse_seconds(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    char *end;
    if (text[0] < '0' || text[0] > '9' || text[1] == 'x' || text[1] == 'X')
        return false;
    double value = strtod(text, &end);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0) {
            *seconds = value * units[i].seconds;
            return *seconds > 0 && *seconds <= 1e9;
        }
    return false;
}

/* ---- reading */

/* A scale replaces what is run, not what is drawn of it and said about it. */
static bool scales_may_replace(const char *section)
{
    static const char *const fixed[] = {"scales", "reproduction", "figures", "expect",
                                        "title",  "description",  "plugins"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i], section) == 0)
            return false;
    return true;
}

/* What a scale says of itself; its other keys are the sections that it replaces. */
static const char *const own_keys[] = {"like", "why", "cost"};
enum { NUM_OWN = sizeof own_keys / sizeof *own_keys };

static bool scales_is_own(const char *key)
{
    for (size_t i = 0; i < NUM_OWN; i++)
        if (strcmp(own_keys[i], key) == 0)
            return true;
    return false;
}

static size_t scales_count_sections(const ytree *scale)
{
    size_t num = 0;
    for (size_t k = 0; k < scale->num; k++)
        num += !scales_is_own(scale->keys[k]->text);
    return num;
}

static ik_status scales_check_keys(ik_experiment *e, const ytree *scale, ik_error *err)
{
    const ik_experiment_section *sections = ik_experiment_sections();
    size_t num = 0, used = 0;
    while (sections[num].name)
        num++;
    const char **names = ik_arena_alloc(&e->arena, (num + NUM_OWN + 1) * sizeof *names);
    if (!names)
        return ik_fail_memory(err, num * sizeof *names, "an experiment");
    for (size_t i = 0; i < NUM_OWN; i++)
        names[used++] = own_keys[i];
    for (size_t i = 0; i < num; i++)
        if (scales_may_replace(sections[i].name))
            names[used++] = sections[i].name;
    names[used] = NULL;
    for (size_t k = 0; k < scale->num; k++) {
        const ytree *key = scale->keys[k];
        size_t i = 0;
        while (i < used && strcmp(names[i], key->text) != 0)
            i++;
        if (i < used)
            continue;
        ik_status status =
            scales_may_replace(key->text)
                ? ik_fail_unknown(err, "section", key->text, names)
                : ik_fail(err, IK_ERR_INPUT, "a scale does not replace '%s'", key->text);
        ik_error_at(err, key->file, key->line, key->column);
        return status;
    }
    return IK_OK;
}

/* A text of the scale, "" without it. */
static ik_status scales_read_text(ik_experiment *e, const ytree *scale, const char *key,
                                  const char **out, ik_error *err)
{
    const ytree *node = ytree_get(scale, key);
    *out = "";
    if (!node)
        return IK_OK;
    if (node->kind != YTREE_SCALAR || !node->text[0])
        return ytree_fail(node, err, "'%s' of a scale is a text, found %s", key,
                          node->kind == YTREE_SCALAR ? "none" : ytree_kind_name(node->kind));
    *out = ik_arena_strdup(&e->arena, node->text);
    return *out ? IK_OK : ik_fail_memory(err, strlen(node->text), "an experiment");
}

static ik_status scales_read_cost(const ytree *scale, ik_experiment_scale *out, ik_error *err)
{
    const ytree *cost = ytree_get(scale, "cost");
    if (!cost || (cost->kind == YTREE_SCALAR && ik_parse_seconds(cost->text, &out->seconds)))
        return IK_OK;
    ik_status status =
        ytree_fail(cost, err, "'cost' of a scale is a processor time, found %s",
                   cost->kind == YTREE_SCALAR ? cost->text : ytree_kind_name(cost->kind));
    return ik_hint(err, status, "cost: 90 s, 30 min, 2 h or 1 d");
}

enum { MOST_NAME = 100 }; /* letters of a scale's name */

/* What a scale says beside the sections has an effect. */
static ik_status scales_check_effects(const ytree *key, const ytree *scale, ik_error *err)
{
    const char *name = key->text;
    const ytree *like = ytree_get(scale, "like"), *cost = ytree_get(scale, "cost");
    size_t sections = scales_count_sections(scale);
    if (!*name || strlen(name) > MOST_NAME)
        return ytree_fail(key, err, "the name of a scale has 1 to %d letters, found %zu", MOST_NAME,
                          strlen(name));
    if (strcmp(name, SCALE_DEFAULT) == 0)
        return ytree_fail(key, err, "'%s' is the scale of the file as it is written", name);
    if (scale_is_written(name) && (sections || like))
        return ytree_fail(
            key, err, "'%s' is the scale of the file as it is written: it replaces nothing", name);
    if (scale_is_written(name) || sections)
        return IK_OK;
    if (!like)
        return ytree_fail(scale, err, "scale '%.60s' is a mapping of sections, found none", name);
    if (cost)
        return ytree_fail(cost, err, "the cost of '%.60s' is that of the scale that it is like",
                          name);
    if (ytree_get(scale, "why"))
        return IK_OK;
    ik_status status =
        ytree_fail(scale, err, "scale '%.60s' is like another and does not say why", name);
    return ik_hint(err, status, "why: \"all that the claims depend on is there\"");
}

static ik_status scales_read_one(ik_experiment *e, const ytree *key, const ytree *scale,
                                 ik_experiment_scale *out, ik_error *err)
{
    *out = (ik_experiment_scale){.name = ik_arena_strdup(&e->arena, key->text), .why = ""};
    if (!out->name)
        return ik_fail_memory(err, 1, "an experiment");
    if (scale->kind != YTREE_MAP || scale->num == 0)
        return ytree_fail(scale, err, "scale '%.60s' is a mapping of sections, found %s", key->text,
                          scale->kind == YTREE_MAP ? "none" : ytree_kind_name(scale->kind));
    ik_status status = scales_check_keys(e, scale, err);
    if (status == IK_OK)
        status = scales_check_effects(key, scale, err);
    if (status == IK_OK)
        status = scales_read_text(e, scale, "like", &out->like, err);
    if (status == IK_OK)
        status = scales_read_text(e, scale, "why", &out->why, err);
    return status == IK_OK ? scales_read_cost(scale, out, err) : status;
}

static const ik_experiment_scale *scales_find(const ik_experiment *e, const char *name)
{
    for (size_t i = 0; i < e->num_scales; i++)
        if (strcmp(e->scales[i].name, name) == 0)
            return &e->scales[i];
    return NULL;
}

static ik_status scales_refuse_name(ik_experiment *e, const char *name, ik_error *err)
{
    const char **names = ik_arena_alloc(&e->arena, (e->num_scales + 2) * sizeof *names);
    size_t used = 0;
    if (!names)
        return ik_fail_memory(err, e->num_scales * sizeof *names, "an experiment");
    if (!scales_find(e, ik_scales(NULL)[0].name))
        names[used++] = ik_scales(NULL)[0].name;
    for (size_t i = 0; i < e->num_scales; i++)
        names[used++] = e->scales[i].name;
    names[used] = NULL;
    return ik_fail_unknown(err, "scale", name, names);
}

/* A scale is like one that is there, and that is like no other. */
static ik_status scales_check_like(ik_experiment *e, const ytree *node,
                                   const ik_experiment_scale *s, ik_error *err)
{
    const ytree *place = ytree_get(ytree_get(node, s->name), "like");
    const ik_experiment_scale *like = scales_find(e, s->like);
    if (!like && scale_is_written(s->like))
        return IK_OK;
    if (!like) {
        ik_status status = scales_refuse_name(e, s->like, err);
        ik_error_at(err, place->file, place->line, place->column);
        return status;
    }
    return like == s || like->like[0]
               ? ytree_fail(place, err, "scale '%.60s' is like '%.60s', which is like '%.60s'",
                            s->name, s->like, like->like)
               : IK_OK;
}

static ik_status scales_read(ik_experiment *e, const ytree *node, ik_error *err)
{
    if (node->kind != YTREE_MAP || node->num == 0)
        return ytree_fail(node, err, "'scales' is a mapping of names to mappings of sections");
    ik_experiment_scale *list = ik_arena_alloc(&e->arena, node->num * sizeof *list);
    if (!list)
        return ik_fail_memory(err, node->num * sizeof *list, "an experiment");
    e->scales = list;
    for (size_t i = 0; i < node->num; i++) {
        ik_status status = scales_read_one(e, node->keys[i], node->items[i], &list[i], err);
        if (status != IK_OK)
            return status;
        list[i].same = list[i].like[0] && scales_count_sections(node->items[i]) == 0;
        e->num_scales++;
    }
    for (size_t i = 0; i < e->num_scales; i++) {
        ik_status status = list[i].like[0] ? scales_check_like(e, node, &list[i], err) : IK_OK;
        if (status != IK_OK)
            return status;
    }
    for (size_t i = 0; i < e->num_scales; i++) {
        const ik_experiment_scale *like = list[i].same ? scales_find(e, list[i].like) : NULL;
        list[i].seconds = like ? like->seconds : list[i].seconds;
    }
    return IK_OK;
}

/* ---- choosing */

static ik_status scales_replace(ik_experiment *e, ytree *root, const ytree *scale, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t k = 0; scale && k < scale->num && status == IK_OK; k++)
        if (!scales_is_own(scale->keys[k]->text))
            status = ytree_set(root, scale->keys[k]->text, scale->items[k], &e->arena, err);
    return status;
}

ik_status scale_apply(ik_experiment *e, ytree *root, const char *scale, ik_error *err)
{
    const ytree *node = ytree_get(root, "scales");
    e->scale = node ? SCALE_DEFAULT : "";
    ik_status status = node ? scales_read(e, node, err) : IK_OK;
    if (status != IK_OK || !scale || strcmp(scale, SCALE_DEFAULT) == 0)
        return status;
    if (!node) {
        status = ik_fail(err, IK_ERR_USAGE, "scale '%.60s': the experiment has no scales", scale);
        return ik_hint(err, status,
                       "section 'scales' of the file declares them: 'ikat help experiment'");
    }
    const ik_experiment_scale *chosen = scales_find(e, scale);
    if (!chosen && !scale_is_written(scale))
        return scales_refuse_name(e, scale, err);
    if (!chosen || scale_is_written(chosen->name))
        return IK_OK;
    if (chosen->like[0])
        status = scales_replace(e, root, ytree_get(node, chosen->like), err);
    if (status == IK_OK)
        status = scales_replace(e, root, ytree_get(node, chosen->name), err);
    const char *name = chosen->same ? chosen->like : chosen->name;
    e->scale = scale_is_written(name) ? SCALE_DEFAULT : name;
    return status;
}

ik_status scales_check_claims(ik_experiment *e, ik_error *err)
{
    for (size_t i = 0; e->num_scales && i < e->drawn.num_claims; i++) {
        const claim *c = &e->drawn.claims[i];
        const char *name = ik_scales(NULL)[c->scale].name;
        const ik_experiment_scale *s = c->scale ? scales_find(e, name) : NULL;
        const ytree *place = figures_place(c->node, "scale");
        bool written = s && s->same && scale_is_written(s->like);
        if (c->scale == 0 || (s && !(s->same && scale_rank(s->like) < c->scale)))
            continue;
        if (s && !written)
            return ytree_fail(place, err,
                              "scale '%s' has the points of '%.60s' here: the claim would never "
                              "be judged",
                              name, s->like);
        if (s)
            return ytree_fail(place, err,
                              "scale '%s' is the file as it is written here: 'scale' "
                              "of the claim has no effect",
                              name);
        ik_status status = scales_refuse_name(e, name, err);
        ik_error_at(err, place->file, place->line, place->column);
        return status;
    }
    return IK_OK;
}
