/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/about.c: what an experiment says of itself: what it reproduces, and the names of its
 * figures.
 */
#include "experiment/experiment_impl.h"

#include "experiment/figures/declared.h"
#include "experiment/patterns.h"
#include "ikat/plugin.h"
#include "registry/registry.h"

#include <stdio.h>
#include <string.h>

const ik_param ik_reproduction_params[] = {
    {"paper", IK_PARAM_STRING, "", 0, 0, NULL, "what is reproduced: authors, title, where, year"},
    {"settings", IK_PARAM_STRING, "", 0, 0, NULL,
     "what of the settings is a choice, where the paper says nothing or can be read in two ways"},
    {0}};

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
    registry_keep(err, &why);
    return status;
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
                                   .scale = scale_title(e->scale),
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
