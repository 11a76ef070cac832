/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/experiment.c: reads an experiment file: sections and overrides.
 */
#include "experiment/experiment_impl.h"
#include "experiment/jobs.h"
#include "experiment/schedules.h"
#include "experiment/yaml/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_BYTES = 16 << 20 };

/* ---- keys */

static ik_status experiment_check_keys(ik_experiment *e, const ytree *root, ik_error *err)
{
    const ik_experiment_section *sections = ik_experiment_sections();
    size_t num = 0;
    while (sections[num].name)
        num++;
    const char **names = ik_arena_alloc(&e->arena, (num + 1) * sizeof *names);
    if (!names)
        return ik_fail_memory(err, num * sizeof *names, "an experiment");
    for (size_t i = 0; i < num; i++)
        names[i] = sections[i].name;
    for (size_t k = 0; k < root->num; k++) {
        const char *key = root->keys[k]->text;
        size_t i = 0;
        while (i < num && strcmp(names[i], key) != 0)
            i++;
        if (i < num)
            continue;
        ik_status status = ik_fail_unknown(err, "section", key, names);
        ik_error_at(err, root->keys[k]->file, root->keys[k]->line, root->keys[k]->column);
        return status;
    }
    return IK_OK;
}

static ik_status experiment_read_text(const ytree *root, const char *key, const char **out,
                                      ik_error *err)
{
    const ytree *node = ytree_get(root, key);
    if (node && node->kind != YTREE_SCALAR)
        return ytree_fail(node, err, "'%s' is text, found %s", key, ytree_kind_name(node->kind));
    *out = node ? node->text : "";
    return IK_OK;
}

/* One value, written or by default. */
static ik_status experiment_read_option(ik_experiment *e, option_id id, const ytree *node,
                                        ik_error *err)
{
    const ik_experiment_section *option = schema_option(id);
    ik_params *params = &e->options[id];
    ik_status status = ik_params_init(params, option->params, NULL, err);
    if (status != IK_OK || !node)
        return status;
    if (node->kind != YTREE_SCALAR) {
        status = ytree_fail(node, err, "'%s' is one value for the whole experiment, found %s",
                            option->name, ytree_kind_name(node->kind));
        return ik_hint(err, status, "%s: %s", option->name, option->help);
    }
    params->source = node->file;
    return ik_params_set(params, "experiment", option->name, node->text, node->line, node->column,
                         err);
}

/* A number of pairs says something of a sample only. */
static ik_status experiment_check_options(const ik_experiment *e, ik_error *err)
{
    const ik_value *pairs = experiment_option(e, OPTION_PROOF_PAIRS);
    if (!pairs->given || experiment_option(e, OPTION_PROOF)->u == PROOF_SAMPLED)
        return IK_OK;
    ik_status status = ik_fail_at(err, IK_ERR_INPUT, pairs->source, pairs->line, pairs->column,
                                  "'proof_pairs' has no effect with proof: %s",
                                  experiment_option(e, OPTION_PROOF)->text);
    return ik_hint(err, status, "pairs are drawn with proof: sampled");
}

/* ---- overrides: "load=50%", "switch.voq=true", "fabric.hosts=96" */

/* The mapping that `key` lives in: a missing section is made, a family's spec text becomes {
 * family: text }. */
static ik_status experiment_open_section(ik_experiment *e, ytree *root, const char *name,
                                         const ytree *at, ytree **out, ik_error *err)
{
    ytree *section = ytree_get(root, name);
    if (section && section->kind == YTREE_MAP) {
        *out = section;
        return IK_OK;
    }
    ytree *map = ytree_new(YTREE_MAP, at->file, at->line, at->column, &e->arena);
    if (!map)
        return ik_fail_memory(err, sizeof *map, "an experiment");
    ik_status status = IK_OK;
    if (section && section->kind == YTREE_LIST)
        return ytree_fail(at, err, "'%s' is a list in the file; override it as a whole: %s=…", name,
                          name);
    if (section && section->text[0])
        status = ytree_set(map, "family", section, &e->arena, err);
    if (status == IK_OK)
        status = ytree_set(root, name, map, &e->arena, err);
    if (status == IK_OK)
        *out = map;
    return status;
}

/* stop.ci, and stop_ci where the file has it so, stand in the mapping `stop` if there is one; else
 * stop.ci is stop_ci. *key becomes its name there. */
static ytree *experiment_find_group(ytree *section, char **key)
{
    for (char *mark = *key + strcspn(*key, "._"); *mark; mark += 1 + strcspn(mark + 1, "._")) {
        char was = *mark;
        *mark = '\0';
        ytree *group = ytree_get(section, *key);
        if (group && group->kind == YTREE_MAP && (was == '.' || ytree_get(group, mark + 1))) {
            *key = mark + 1;
            return group;
        }
        *mark = was == '.' ? '_' : was;
    }
    return section;
}

static ik_status experiment_apply_override(ik_experiment *e, ytree *root, const char *override,
                                           ik_error *err)
{
    const char *equals = strchr(override, '=');
    if (!equals || equals == override) {
        ik_status status =
            ik_fail(err, IK_ERR_USAGE, "override '%.80s' is not key=value", override);
        return ik_hint(err, status, "write it like load=50%% or switch.voq=true");
    }
    char *key = ik_arena_printf(&e->arena, "%.*s", (int)(equals - override), override);
    const char *source = key ? ik_arena_printf(&e->arena, "--set %.100s", key) : NULL;
    if (!source)
        return ik_fail_memory(err, strlen(override), "an experiment");
    ytree *value = NULL, *parent = root;
    if (!equals[1]) {
        ik_status status = ik_fail(err, IK_ERR_USAGE, "override '%.80s' has no value", override);
        return ik_hint(err, status, "write it like load=50%% or switch.voq=true");
    }
    ik_status status = ytree_parse(equals + 1, strlen(equals + 1), source, &e->arena, &value, err);
    char *dot = strchr(key, '.');
    if (status == IK_OK && dot) {
        *dot = '\0';
        status = experiment_open_section(e, root, key, value, &parent, err);
        key = dot + 1;
        parent = status == IK_OK ? experiment_find_group(parent, &key) : parent;
    }
    return status == IK_OK ? ytree_set(parent, key, value, &e->arena, err) : status;
}

/* "scale=full" chooses a scale: no section is called so. */
static bool experiment_names_scale(const char *override)
{
    return strncmp(override, "scale=", strlen("scale=")) == 0;
}

/* The first scale that is chosen, NULL = none. */
static const char *experiment_find_scale(const char *const *overrides)
{
    for (size_t i = 0; overrides && overrides[i]; i++)
        if (experiment_names_scale(overrides[i]))
            return overrides[i] + strlen("scale=");
    return NULL;
}

static ik_status refuse_two_scales(const char *const *overrides, ik_error *err)
{
    const char *first = experiment_find_scale(overrides);
    for (size_t i = 0; overrides && overrides[i]; i++)
        if (experiment_names_scale(overrides[i]) &&
            strcmp(overrides[i] + strlen("scale="), first) != 0)
            return ik_fail(err, IK_ERR_USAGE, "two scales are chosen: '%.60s' and '%.60s'", first,
                           overrides[i] + strlen("scale="));
    return IK_OK;
}

static ik_status experiment_apply_overrides(ik_experiment *e, ytree *root,
                                            const char *const *overrides, ik_error *err)
{
    for (size_t i = 0; overrides && overrides[i]; i++) {
        if (experiment_names_scale(overrides[i]))
            continue;
        ik_status status = experiment_apply_override(e, root, overrides[i], err);
        if (status != IK_OK)
            return status;
        e->overrides = ik_arena_printf(&e->arena, "%s%s\n", e->overrides, overrides[i]);
        if (!e->overrides)
            return ik_fail_memory(err, strlen(overrides[i]), "an experiment");
    }
    return IK_OK;
}

/* ---- reading */

static ik_status experiment_read_sections(ik_experiment *e, const char *text, size_t size,
                                          const char *const *overrides, ik_error *err)
{
    ytree *root = NULL;
    ik_status status = ytree_parse(text, size, e->file, &e->arena, &root, err);
    if (status == IK_OK && root->kind != YTREE_MAP)
        status = ytree_fail(root, err, "an experiment is a mapping of sections, found %s",
                            ytree_kind_name(root->kind));
    e->overrides = "";
    if (status == IK_OK)
        status = refuse_two_scales(overrides, err);
    if (status == IK_OK)
        status = scale_apply(e, root, experiment_find_scale(overrides), err);
    if (status == IK_OK)
        status = experiment_apply_overrides(e, root, overrides, err);
    if (status == IK_OK)
        status = experiment_check_keys(e, root, err);
    if (status == IK_OK && e->with_plugins)
        status = plugins_load(e, ytree_get(root, "plugins"), err);
    for (option_id id = 0; id < NUM_OPTIONS && status == IK_OK; id++)
        status = experiment_read_option(e, id, ytree_get(root, schema_option(id)->name), err);
    if (status == IK_OK)
        status = experiment_check_options(e, err);
    if (status == IK_OK)
        status = measures_read(e, root, err);
    if (status == IK_OK)
        status = schedule_as_traffic(e, root, err);
    if (status == IK_OK)
        status = jobs_as_traffic(e, root, err);
    if (status == IK_OK)
        status = experiment_read_text(root, "title", &e->title, err);
    if (status == IK_OK)
        status = experiment_read_text(root, "description", &e->description, err);
    if (status == IK_OK)
        status = designs_read(e, root, ytree_get(root, "designs"), err);
    for (section_id id = 0; id < NUM_SECTIONS && status == IK_OK; id++)
        if (!designs_give(e, id))
            status = section_read(e, id, &e->sections[id],
                                  ytree_get(root, schema_section(id)->name), NULL, err);
    if (status == IK_OK)
        status = measures_check(e, err);
    if (status == IK_OK)
        status = points_list(e, err);
    if (status == IK_OK)
        status = over_read(e, ytree_get(root, "over"), err);
    if (status == IK_OK)
        status = effects_check(e, err);
    if (status != IK_OK)
        return status; /* the scale may not be known */
    status = figures_check(root, &e->arena, scale_rank(e->scale), points_axes, e, &e->drawn, err);
    if (status == IK_OK)
        status = scales_check_claims(e, err);
    return status == IK_OK ? about_read(e, root, err) : status;
}

/* The other scales of an experiment that was read: what is wrong with them is said at once, and not
 * when they are chosen. */
static ik_status experiment_check_scales(const ik_experiment *e, const char *text, size_t size,
                                         ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < e->num_scales && status == IK_OK; i++) {
        char override[160];
        if (e->scales[i].same)
            continue;
        const char *const overrides[] = {override, NULL};
        ik_experiment *other = NULL;
        snprintf(override, sizeof override, "scale=%.140s", e->scales[i].name);
        status = experiment_read_as(text, size, e->file, overrides, e->with_plugins, &other, err);
        ik_experiment_free(other);
    }
    return status;
}

ik_status experiment_read_as(const char *text, size_t size, const char *file,
                             const char *const *overrides, bool with_plugins, ik_experiment **out,
                             ik_error *err)
{
    ik_status status = ik_text_begin(&text, &size, file, err);
    if (status != IK_OK)
        return status;
    ik_experiment *e = ik_calloc(1, sizeof *e);
    if (!e)
        return ik_fail_memory(err, sizeof *e, "an experiment");
    const char *slash = strrchr(file, '/');
    e->with_plugins = with_plugins;
    e->file = ik_arena_strdup(&e->arena, file);
    e->folder =
        slash ? ik_arena_printf(&e->arena, "%.*s", slash > file ? (int)(slash - file) : 1, file)
              : "";
    e->text = size < INT32_MAX ? ik_arena_printf(&e->arena, "%.*s", (int)size, text) : NULL;
    status = e->file && e->folder && e->text
                 ? experiment_read_sections(e, text, size, overrides, err)
                 : ik_fail_memory(err, size, "an experiment");
    if (status == IK_OK && !experiment_find_scale(overrides))
        status = experiment_check_scales(e, text, size, err);
    if (status != IK_OK) {
        ik_experiment_free(e);
        return status;
    }
    *out = e;
    return IK_OK;
}

ik_status ik_experiment_read_memory(const char *text, size_t size, const char *file,
                                    const char *const *overrides, ik_experiment **out,
                                    ik_error *err)
{
    return experiment_read_as(text, size, file, overrides, true, out, err);
}

ik_status ik_experiment_read(const char *path, const char *const *overrides, ik_experiment **out,
                             ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_status status = ik_text_read(path, MAX_FILE_BYTES, &text, &size, err);
    if (status != IK_OK)
        return status;
    status = ik_experiment_read_memory(text, size, path, overrides, out, err);
    free(text);
    return status;
}

static void experiment_free_variants(variants *list)
{
    for (size_t i = 0; i < list->num; i++)
        ik_params_free(&list->items[i].params);
}

void ik_experiment_free(ik_experiment *e)
{
    if (!e)
        return;
    for (section_id id = 0; id < NUM_SECTIONS; id++)
        experiment_free_variants(&e->sections[id]);
    for (size_t d = 0; d < e->num_designs; d++)
        for (section_id id = 0; id < NUM_SECTIONS; id++)
            experiment_free_variants(&e->designs[d].own[id]);
    free(e->plans);
    for (option_id id = 0; id < NUM_OPTIONS; id++)
        ik_params_free(&e->options[id]);
    ik_arena_free(&e->arena);
    free(e);
}
