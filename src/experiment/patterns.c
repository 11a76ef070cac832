/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/patterns.c: parameters that list traffic patterns.
 */
#include "experiment/patterns.h"

#include "base/file_list.h"
#include "experiment/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const keys_of_patterns[] = {"pattern", "share", "name", NULL};

static const ik_param share_row = {
    "share", IK_PARAM_FRACTION, "", 0, 0, NULL, "share of the messages, or a weight"};

/* ---- from YAML */

/* A range of percentages comes as fractions. */
static ik_status patterns_read_shares(ik_experiment *e, const ytree *node, sweep *out,
                                      ik_error *err)
{
    ik_status status = sweep_expand(node, &share_row, &e->arena, out, err);
    for (size_t i = 0; status == IK_OK && i < out->num; i++) {
        if (!strchr(out->place[i]->text, '%') || strchr(out->text[i], '%'))
            continue;
        out->text[i] = ik_arena_printf(&e->arena, "%.12g%%", 100 * strtod(out->text[i], NULL));
        if (!out->text[i])
            return ik_fail_memory(err, 1, "an experiment");
    }
    return status;
}

static ik_status read_pattern(ik_experiment *e, const ytree *map, sweep *out, ik_error *err)
{
    const ytree *node = ytree_get(map, "pattern");
    if (!node)
        return ytree_fail(
            map, err, "a pattern in a list has the key 'pattern', and may have 'share' and 'name'");
    return members_read_traffic(e, node, out, err);
}

/* Texts of one member of the list. */
static ik_status patterns_read_item(ik_experiment *e, const ytree *item, sweep *out, ik_error *err)
{
    if (item->kind == YTREE_LIST)
        return ytree_fail(item, err, "a list among the patterns of a list");
    if (item->kind == YTREE_SCALAR)
        return sweep_add(out, item->text, item, &e->arena, err);
    sweep shares = {0}, found = {0};
    const ytree *share = ytree_get(item, "share"), *name = ytree_get(item, "name");
    ik_status status =
        members_check_keys(item, "key of a pattern in a list", keys_of_patterns, err);
    if (status == IK_OK && name)
        status = members_check_name(name, "a pattern in a list", "+*;", err);
    if (status == IK_OK)
        status = share ? patterns_read_shares(e, share, &shares, err)
                       : sweep_add(&shares, NULL, item, &e->arena, err);
    if (status == IK_OK)
        status = read_pattern(e, item, &found, err);
    for (size_t s = 0; s < shares.num; s++)
        for (size_t k = 0; k < found.num && status == IK_OK; k++) {
            ik_spec_member m = {shares.text[s], name ? name->text : NULL, found.text[k]};
            const char *text = ik_spec_members_print(IK_PARAM_PATTERNS, &m, 1, &e->arena);
            ytree *parts = members_parts(YTREE_MAP, item, 3, &e->arena);
            bool made = text && parts &&
                        members_part(parts, "share", share ? shares.place[s] : NULL, &e->arena) &&
                        members_part(parts, "name", name, &e->arena) &&
                        members_part(parts, "pattern", found.place[k], &e->arena);
            status = made ? sweep_add(out, text, parts, &e->arena, err)
                          : ik_fail_memory(err, 1, "an experiment");
        }
    return status;
}

/* One pattern as a mapping: { family: neighbour, dims: [4, 4] }. */
static ik_status patterns_read_mapping(ik_experiment *e, const ytree *map, sweep *out,
                                       ik_error *err)
{
    sweep found = {0};
    ik_status status = members_read_traffic(e, map, &found, err);
    for (size_t i = 0; i < found.num && status == IK_OK; i++) {
        const ik_spec_member m = {.spec = found.text[i]};
        const char *text = ik_spec_members_print(IK_PARAM_PATTERNS, &m, 1, &e->arena);
        ytree *list = members_parts(YTREE_LIST, found.place[i], 1, &e->arena),
              *only = members_parts(YTREE_MAP, found.place[i], 1, &e->arena);
        bool made = text && list && only &&
                    members_part(only, "pattern", found.place[i], &e->arena) &&
                    members_part(list, NULL, only, &e->arena);
        status = made ? sweep_add(out, text, list, &e->arena, err)
                      : ik_fail_memory(err, 1, "an experiment");
    }
    return status;
}

ik_status patterns_expand(ik_experiment *e, const ytree *node, const ik_param *p, sweep *out,
                          ik_error *err)
{
    if (node->kind == YTREE_MAP && ytree_get(node, "family"))
        return patterns_read_mapping(e, node, out, err);
    if (node->kind != YTREE_LIST || node->num == 0)
        return sweep_expand(node, p, &e->arena, out, err);
    for (size_t i = 0; i < node->num; i++)
        if (node->items[i]->kind == YTREE_MAP && !ytree_get(node->items[i], "family"))
            return members_combine(e, node, patterns_read_item, '+', out, err);
    for (size_t i = 0; i < node->num; i++) {
        ik_status status = patterns_expand(e, node->items[i], p, out, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

/* ---- as variants */

/* Patterns may be made of patterns, but jobs and schedules are all of a traffic, and a mix of a mix
 * is a mix with other shares. */
static bool patterns_are_whole(const ik_param *row)
{
    while (row && row->name && row->type != IK_PARAM_JOBS && row->type != IK_PARAM_SCHEDULE)
        row++;
    return row && row->name;
}

static ik_status patterns_refuse_whole(ik_experiment *e, const ytree *place, const char *within,
                                       const char *spec, ik_error *err)
{
    ik_spec s;
    schema_member member;
    ik_status status = ik_spec_parse(spec, &e->arena, &s, err);
    if (status != IK_OK) {
        ik_error_at(err, place->file, place->line, place->column);
        return status;
    }
    bool twice = strcmp(s.name, "mix") == 0 && strcmp(within, "mix") == 0;
    if (twice ||
        (schema_find(SECTION_TRAFFIC, s.name, &member) && patterns_are_whole(member.params)))
        return ytree_fail(place, err, "'%.60s' cannot be a member of '%.60s'", s.name, within);
    return IK_OK;
}

/* Where a member's traffic was written; NULL: in a text with the others. */
static const ytree *patterns_member_place(const variant *v, size_t i)
{
    if (!v->parts || v->parts->kind != YTREE_LIST || i >= v->parts->num)
        return NULL;
    const ytree *member = v->parts->items[i], *traffic = ytree_get(member, "traffic"),
                *pattern = ytree_get(member, "pattern");
    return traffic ? traffic : pattern ? pattern : member;
}

ik_status patterns_read(ik_experiment *e, const variant *v, patterns *out, ik_error *err)
{
    patterns p = {.param = 0};
    while (p.param < v->params.num &&
           (!members_listed(v->params.decl[p.param].type) || !v->params.values[p.param].has))
        p.param++;
    if (p.param == v->params.num) {
        *out = (patterns){.param = SIZE_MAX};
        return IK_OK;
    }
    const ik_value *value = &v->params.values[p.param];
    p.list = value->members;
    p.num = value->num_members;
    ik_status status = IK_OK;
    for (size_t i = 0; i < p.num && status == IK_OK; i++) {
        const ytree *at = patterns_member_place(v, i);
        ytree *node =
            ytree_new(YTREE_SCALAR, at ? at->file : v->place->file, at ? at->line : value->line,
                      at ? at->column : value->column, &e->arena);
        if (!node)
            status = ik_fail_memory(err, sizeof *node, "an experiment");
        else
            status = patterns_refuse_whole(e, node, v->name, node->text = p.list[i].spec, err);
        if (status == IK_OK)
            status = section_read_family(e, SECTION_TRAFFIC, &p.found, node, err);
        if (status == IK_OK && label_of_variant(&p.found.items[p.found.num - 1]))
            status = ytree_fail(node, err,
                                "a member has no '" TRAFFIC_LABEL "'; what lists it "
                                "gives it a 'name'");
    }
    if (status != IK_OK)
        patterns_free(&p);
    else
        *out = p;
    return status;
}

ik_status patterns_write(ik_experiment *e, variant *v, const patterns *p, patterns_text which,
                         const char *owner, ik_error *err)
{
    if (p->param == SIZE_MAX)
        return IK_OK;
    ik_spec_member *list = ik_arena_alloc(&e->arena, p->num * sizeof *list);
    if (!list)
        return ik_fail_memory(err, p->num * sizeof *list, "an experiment");
    for (size_t i = 0; i < p->num; i++) {
        const variant *found = &p->found.items[i];
        list[i] = p->list[i];
        list[i].spec = which == PATTERNS_LABEL  ? found->label
                       : which == PATTERNS_FULL ? found->full
                                                : found->spec;
    }
    const char *text =
        ik_spec_members_print(v->params.decl[p->param].type, list, p->num, &e->arena);
    if (!text)
        return ik_fail_memory(err, 1, "an experiment");
    const ik_value *old = &v->params.values[p->param]; /* a default has no place of its own */
    v->params.source = old->line ? old->source : v->place->file;
    return ik_params_set(&v->params, owner, v->params.decl[p->param].name, text,
                         old->line ? old->line : v->place->line,
                         old->line ? old->column : v->place->column, err);
}

void patterns_free(patterns *p)
{
    for (size_t i = 0; i < p->found.num; i++)
        ik_params_free(&p->found.items[i].params);
    p->found.num = 0;
}

/* ---- paths: relative to the experiment's folder, or, where nothing is found there, to the current
 * one */

bool experiment_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A file, or what stands for some: a folder or a pattern. */
static bool patterns_is_there(const char *path)
{
    char **files;
    uint32_t num;
    if (experiment_is_file(path))
        return true;
    ik_status status = ik_file_list(path, &files, &num, NULL);
    if (status == IK_OK)
        ik_file_list_free(files, num);
    return status == IK_OK || status == IK_ERR_MEMORY; /* which is said when it is listed */
}

const char *experiment_resolve_path(ik_experiment *e, const char *path)
{
    if (path[0] == '/' || !e->folder[0])
        return path;
    const char *beside = ik_arena_printf(&e->arena, "%s/%s", e->folder, path);
    return beside && (patterns_is_there(beside) || !patterns_is_there(path)) ? beside : path;
}

static ik_status patterns_add_file(ik_experiment *e, variant *v, const char *path, ik_error *err)
{
    const char **files = ik_arena_alloc(&e->arena, (v->num_files + 1) * sizeof *files),
               *copy = ik_arena_strdup(&e->arena, path);
    if (!files || !copy)
        return ik_fail_memory(err, strlen(path), "an experiment");
    if (v->num_files)
        memcpy(files, v->files, v->num_files * sizeof *files);
    files[v->num_files++] = copy;
    v->files = files;
    return IK_OK;
}

/* The files that a name stands for; itself where there are none: that is said before the run. */
static ik_status patterns_add_files(ik_experiment *e, variant *v, const char *path, ik_error *err)
{
    char **files;
    uint32_t num;
    ik_status status = ik_file_list(path, &files, &num, err);
    if (status != IK_OK)
        return status == IK_ERR_MEMORY ? status : patterns_add_file(e, v, path, err);
    for (uint32_t k = 0; k < num && status == IK_OK; k++)
        status = patterns_add_file(e, v, files[k], err);
    ik_file_list_free(files, num);
    return status;
}

ik_status experiment_resolve_files(ik_experiment *e, variant *v, const patterns *p,
                                   const char *owner, ik_error *err)
{
    ik_status status = patterns_write(e, v, p, PATTERNS_SPEC, owner, err);
    for (size_t i = 0; i < p->num && status == IK_OK; i++)
        for (size_t k = 0; k < p->found.items[i].num_files && status == IK_OK; k++)
            status = patterns_add_file(e, v, p->found.items[i].files[k], err);
    for (size_t i = 0; i < v->params.num && status == IK_OK; i++) {
        const ik_value *value = &v->params.values[i];
        if (v->params.decl[i].type != IK_PARAM_PATH || !value->has || value->word)
            continue;
        const char *path = experiment_resolve_path(e, value->text);
        status =
            path ? patterns_add_files(e, v, path, err) : ik_fail_memory(err, 1, "an experiment");
        v->params.source = value->source;
        if (status == IK_OK)
            status = ik_params_set(&v->params, owner, v->params.decl[i].name, path, value->line,
                                   value->column, err);
    }
    return status;
}
