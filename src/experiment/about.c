/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/about.c: what an experiment says of itself: its scales, of which one is chosen before
 * anything else is read, what it reproduces, and the names of its figures.
 */
#include "experiment/experiment_impl.h"

#include "experiment/figures/declared.h"
#include "experiment/patterns.h"
#include "ikat/plugin.h"

#include <stdio.h>
#include <string.h>

const ik_param ik_reproduction_params[] = {
    {"paper", IK_PARAM_STRING, "", 0, 0, NULL, "what is reproduced: authors, title, where, year"},
    {"settings", IK_PARAM_STRING, "", 0, 0, NULL,
     "what of the settings is a choice, where the paper says nothing or can be read in two ways"},
    {"quick_seconds", IK_PARAM_REAL, "0", 0, 1e9, NULL,
     "measured processor time of the file as it is written, in seconds"},
    {"full_hours", IK_PARAM_REAL, "0", 0, 1e9, NULL,
     "measured or estimated processor time at scale full, in hours"},
    {0}};

/* ---- scales */

/* A scale replaces what is run, not what is drawn of it and said about it. */
static bool about_may_replace(const char *section)
{
    static const char *const fixed[] = {"scales", "reproduction", "figures", "expect",
                                        "title",  "description",  "plugins"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i], section) == 0)
            return false;
    return true;
}

static ik_status about_check_scale(ik_experiment *e, const char *name, const ytree *scale,
                                   ik_error *err)
{
    const ik_experiment_section *sections = ik_experiment_sections();
    size_t num = 0, used = 0;
    while (sections[num].name)
        num++;
    const char **names = ik_arena_alloc(&e->arena, (num + 1) * sizeof *names);
    if (!names)
        return ik_fail_memory(err, num * sizeof *names, "an experiment");
    for (size_t i = 0; i < num; i++)
        if (about_may_replace(sections[i].name))
            names[used++] = sections[i].name;
    names[used] = NULL;
    if (scale->kind != YTREE_MAP || scale->num == 0)
        return ytree_fail(scale, err, "scale '%.60s' is a mapping of sections, found %s", name,
                          scale->kind == YTREE_MAP ? "none" : ytree_kind_name(scale->kind));
    for (size_t k = 0; k < scale->num; k++) {
        size_t i = 0;
        while (i < used && strcmp(names[i], scale->keys[k]->text) != 0)
            i++;
        if (i < used)
            continue;
        ik_status status =
            about_may_replace(scale->keys[k]->text)
                ? ik_fail_unknown(err, "section", scale->keys[k]->text, names)
                : ik_fail(err, IK_ERR_INPUT, "a scale does not replace '%s'", scale->keys[k]->text);
        ik_error_at(err, scale->keys[k]->file, scale->keys[k]->line, scale->keys[k]->column);
        return status;
    }
    return IK_OK;
}

static ik_status about_check_scales(ik_experiment *e, const ytree *scales, ik_error *err)
{
    if (scales->kind != YTREE_MAP || scales->num == 0)
        return ytree_fail(scales, err, "'scales' is a mapping of names to mappings of sections");
    e->scales = ik_arena_alloc(&e->arena, (scales->num + 1) * sizeof *e->scales);
    if (!e->scales)
        return ik_fail_memory(err, scales->num * sizeof *e->scales, "an experiment");
    for (size_t i = 0; i < scales->num; i++) {
        ik_status status = about_check_scale(e, scales->keys[i]->text, scales->items[i], err);
        if (status == IK_OK && strcmp(scales->keys[i]->text, SCALE_DEFAULT) == 0)
            status = ytree_fail(scales->keys[i], err,
                                "'" SCALE_DEFAULT "' is the scale of the file as it is written");
        if (status != IK_OK)
            return status;
        e->scales[e->num_scales++] = scales->keys[i]->text;
    }
    e->scales[e->num_scales] = NULL;
    return IK_OK;
}

ik_status scale_apply(ik_experiment *e, ytree *root, const char *scale, ik_error *err)
{
    const ytree *scales = ytree_get(root, "scales");
    e->scale = scales ? SCALE_DEFAULT : "";
    ik_status status = scales ? about_check_scales(e, scales, err) : IK_OK;
    if (status != IK_OK || !scale || strcmp(scale, SCALE_DEFAULT) == 0)
        return status;
    const ytree *chosen = scales ? ytree_get(scales, scale) : NULL;
    if (!scales) {
        status = ik_fail(err, IK_ERR_USAGE, "scale '%.60s': the experiment has no scales", scale);
        return ik_hint(err, status,
                       "section 'scales' of the file declares them: 'ikat help "
                       "experiment'");
    }
    if (!chosen)
        return ik_fail_unknown(err, "scale", scale, e->scales);
    e->scale = ik_arena_strdup(&e->arena, scale);
    if (!e->scale)
        return ik_fail_memory(err, strlen(scale), "an experiment");
    for (size_t k = 0; k < chosen->num && status == IK_OK; k++)
        status = ytree_set(root, chosen->keys[k]->text, chosen->items[k], &e->arena, err);
    return status;
}

/* ---- plug-ins, which the names of its members may come from */

/* A path begins at the experiment's folder; a name without '/' is there, or is looked for. */
static ik_status about_load_plugin(ik_experiment *e, const ytree *word, ik_error *err)
{
    ik_error why;
    if (word->kind != YTREE_SCALAR || !word->text[0])
        return ytree_fail(word, err, "'plugins' is a list of files, found %s",
                          word->kind == YTREE_SCALAR ? "an empty name"
                                                     : ytree_kind_name(word->kind));
    const char *path = experiment_resolve_path(e, word->text);
    if (path && !strchr(path, '/') && experiment_is_file(path))
        path = ik_arena_printf(&e->arena, "./%s", path);
    else if (path && !strchr(word->text, '/') && !experiment_is_file(path))
        path = word->text;
    if (!path)
        return ik_fail_memory(err, strlen(word->text), "an experiment");
    ik_status status = ik_plugin_load(path, &why);
    if (status == IK_OK || status == IK_ERR_MEMORY) {
        if (status != IK_OK && err)
            *err = why;
        return status;
    }
    if (why.file[0])
        ik_fail_at(err, status, word->file, word->line, word->column, "plug-in %s: %s", why.file,
                   why.text);
    else
        ik_fail_at(err, status, word->file, word->line, word->column, "%s", why.text);
    return why.hint[0] ? ik_hint(err, status, "%s", why.hint) : status;
}

ik_status plugins_load(ik_experiment *e, const ytree *node, ik_error *err)
{
    if (!node)
        return IK_OK;
    if (node->kind != YTREE_LIST)
        return about_load_plugin(e, node, err);
    ik_status status = node->num ? IK_OK : ytree_fail(node, err, "'plugins' has an empty list");
    for (size_t i = 0; i < node->num && status == IK_OK; i++)
        status = about_load_plugin(e, node->items[i], err);
    return status;
}

/* ---- what it says of itself */

static ik_status read_reproduction(ik_experiment *e, const ytree *node, ik_error *err)
{
    ik_experiment_about *about = &e->about;
    ik_params p = {0};
    about->paper = about->settings = "";
    if (!node)
        return IK_OK;
    if (node->kind != YTREE_MAP)
        return ytree_fail(node, err, "'reproduction' is a mapping, found %s",
                          ytree_kind_name(node->kind));
    ik_status status =
        declared_read(node, ik_reproduction_params, "reproduction", &e->arena, &p, err);
    if (status == IK_OK) {
        about->paper = declared_text(&p, "paper", &e->arena);
        about->settings = declared_paragraph(&p, "settings", &e->arena);
        about->quick_seconds = declared_value(&p, "quick_seconds")->r;
        about->full_hours = declared_value(&p, "full_hours")->r;
        if (!about->paper || !about->settings)
            status = ik_fail_memory(err, 1, "an experiment");
    }
    ik_params_free(&p);
    return status;
}

ik_status about_read(ik_experiment *e, const ytree *root, ik_error *err)
{
    ik_experiment_about *about = &e->about;
    const figures_declared *drawn = &e->drawn;
    ik_experiment_figure *figures =
        ik_arena_alloc(&e->arena, (drawn->num_figures + 1) * sizeof *figures);
    if (!figures)
        return ik_fail_memory(err, drawn->num_figures * sizeof *figures, "an experiment");
    for (size_t i = 0; i < drawn->num_figures; i++) {
        figures[i] = (ik_experiment_figure){.name = drawn->figures[i].name,
                                            .title = drawn->figures[i].title};
        for (size_t k = 0; k < drawn->num_claims; k++)
            figures[i].num_claims += strcmp(drawn->claims[k].figure, figures[i].name) == 0;
    }
    *about = (ik_experiment_about){.title = e->title,
                                   .description = e->description,
                                   .scale = e->scale,
                                   .scales = e->scales,
                                   .num_scales = e->num_scales,
                                   .figures = figures,
                                   .num_figures = drawn->num_figures,
                                   .num_claims = drawn->num_claims};
    return read_reproduction(e, ytree_get(root, "reproduction"), err);
}

const ik_experiment_about *ik_experiment_get_about(const ik_experiment *e)
{
    return &e->about;
}
