/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/sections.c: from the text of a section to its variants: every combination that its
 * lists and ranges stand for, each checked against the declared parameters.
 */
#include "experiment/experiment_impl.h"
#include "experiment/jobs.h"
#include "experiment/members.h"
#include "experiment/patterns.h"
#include "experiment/schedules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static variant *sections_add_variant(ik_experiment *e, variants *v)
{
    if (v->num == v->room) {
        size_t room = v->room ? 2 * v->room : 4;
        variant *items = ik_arena_alloc(&e->arena, room * sizeof *items);
        if (!items)
            return NULL;
        if (v->num)
            memcpy(items, v->items, v->num * sizeof *items);
        v->items = items;
        v->room = room;
    }
    variant *made = &v->items[v->num];
    memset(made, 0, sizeof *made);
    return made;
}

/* ---- finishing a variant */

static const char *sections_spec_text(ik_experiment *e, const char *name, const char *params)
{
    return params[0] ? ik_arena_printf(&e->arena, "%s:%s", name, params) : name;
}

/* Sets label, full and spec. */
static ik_status sections_write_texts(ik_experiment *e, section_id id, variant *v,
                                      const patterns *p, const char *owner, ik_error *err)
{
    bool family = schema_section(id)->kind == IK_SECTION_FAMILY;
    ik_status status = patterns_write(e, v, p, PATTERNS_LABEL, owner, err);
    if (status != IK_OK)
        return status;
    const char *brief = ik_params_print(&v->params, false);
    if ((status = patterns_write(e, v, p, PATTERNS_FULL, owner, err)) != IK_OK)
        return status;
    const char *all = ik_params_print(&v->params, true);
    v->label = family ? sections_spec_text(e, v->name, brief) : brief;
    v->full = family ? sections_spec_text(e, v->name, all) : all;
    v->bare = family ? sections_spec_text(e, v->name, label_print_without(v, true)) : all;
    if (schema_section(id)->kind == IK_SECTION_VALUE)
        v->label = v->full = v->bare =
            id == SECTION_LOAD && load_search(v) ? all : v->params.values[0].text;
    if (!v->label || !v->full || !v->bare)
        return ik_fail_memory(err, 1, "an experiment");
    status = experiment_resolve_files(e, v, p, owner, err);
    if (status != IK_OK)
        return status;
    v->spec = family ? sections_spec_text(e, v->name, label_print_without(v, false)) : v->label;
    return v->spec ? IK_OK : ik_fail_memory(err, 1, "an experiment");
}

/* Checks completeness, writes the texts, counts the variant in. */
static ik_status sections_seal(ik_experiment *e, section_id id, variants *list, variant *v,
                               const char *owner, ik_error *err)
{
    patterns p;
    ik_status status = ik_params_finish(&v->params, owner, err);
    if (status != IK_OK) {
        ik_error_at(err, v->place->file, v->place->line, v->place->column);
        return status;
    }
    /* the others': effects_check, which can name the points */
    if (schema_section(id)->kind == IK_SECTION_FAMILY)
        status = ik_params_check_needs(&v->params, owner, NULL, NULL, err);
    if (status == IK_OK)
        status = label_check(list, v, err);
    if (status == IK_OK)
        status = patterns_read(e, v, &p, err);
    if (status != IK_OK)
        return status;
    status = sections_write_texts(e, id, v, &p, owner, err);
    patterns_free(&p);
    list->num += status == IK_OK;
    return status;
}

static ik_status sections_set_param(variant *v, const char *owner, const char *key,
                                    const char *text, const ytree *place, ik_error *err)
{
    v->params.source = place->file;
    return ik_params_set(&v->params, owner, key, text, place->line, place->column, err);
}

/* ---- families: specs */

static ik_status sections_unknown_member(ik_experiment *e, section_id id, const char *name,
                                         const ytree *place, ik_error *err)
{
    const char *const *names = schema_names(id, &e->arena);
    if (!names)
        return ik_fail_memory(err, 1, "an experiment");
    const char *kind = id == SECTION_FABRIC ? "topology or file" : schema_kind(id);
    ik_status status = ik_fail_unknown(err, kind, name, names);
    if (id == SECTION_FABRIC && strpbrk(name, "./"))
        status = ik_hint(err, status,
                         "files are looked for in the experiment's folder and in the current one; "
                         "'ikat list topologies' shows the topologies");
    ik_error_at(err, place->file, place->line, place->column);
    return status;
}

/* Splits "xgft:m=16:16" at `node`; a bare path of an existing file is file:PATH. */
static ik_status sections_find_member(ik_experiment *e, section_id id, const ytree *node,
                                      ik_spec *spec, schema_member *member, ik_error *err)
{
    ik_status status = ik_spec_parse(node->text, &e->arena, spec, err);
    if (status == IK_OK && schema_find(id, spec->name, member))
        return IK_OK;
    const char *path = id == SECTION_FABRIC ? experiment_resolve_path(e, node->text) : NULL;
    if (path && experiment_is_file(path) && schema_find(id, "file", member)) {
        const char *text = ik_arena_printf(&e->arena, "file:%s", node->text);
        return text ? ik_spec_parse(text, &e->arena, spec, err)
                    : ik_fail_memory(err, 1, "an experiment");
    }
    if (status != IK_OK) {
        ik_error_at(err, node->file, node->line, node->column);
        return status;
    }
    return sections_unknown_member(e, id, spec->name, node, err);
}

static ik_status sections_apply_spec(variant *v, const char *owner, const ik_spec *spec,
                                     const ytree *place, ik_error *err)
{
    for (size_t i = 0; i < spec->num; i++) {
        const char *key = spec->keys[i];
        if (!key && v->params.num == 0)
            return ytree_fail(place, err, "%s takes no parameters, '%.60s' was given", owner,
                              spec->values[i]);
        ik_status status = ik_spec_once(spec, i, &v->params, owner, err);
        if (status == IK_OK)
            status = sections_set_param(v, owner, key ? key : v->params.decl[0].name,
                                        spec->values[i], place, err);
        if (status != IK_OK) {
            ik_error_at(err, place->file, place->line, place->column);
            return status;
        }
    }
    return IK_OK;
}

/* ---- products of a mapping's axes */

static const ik_param *sections_find_row(const ik_param *rows, const char *key)
{
    for (; rows && rows->name; rows++)
        if (strcmp(rows->name, key) == 0)
            return rows;
    return NULL;
}

static const ik_param *sections_find_row_of(const schema_member *member, const char *key)
{
    const ik_param *row = sections_find_row(member->params, key);
    return row ? row : sections_find_row(member->common, key);
}

/* Parameters that begin with the same word may stand in a mapping of their own, stop: {ci: 2 %} for
 * stop_ci: what the first of them is called there; NULL = there are none, or the word itself is a
 * parameter. */
static const char *sections_first_of_group(const schema_member *member, const char *key)
{
    size_t n = strlen(key);
    for (const ik_param *row = member->params; n && row && row->name; row++)
        if (strncmp(row->name, key, n) == 0 && row->name[n] == '_')
            return sections_find_row_of(member, key) ? NULL : row->name + n + 1;
    return NULL;
}

typedef struct axis_list {
    const schema_member *member;
    const char *owner;
    sweep_axis *list;
    size_t num;
    double product;
} axis_list;

/* One parameter. */
static ik_status sections_read_axis(ik_experiment *e, axis_list *to, const char *name,
                                    const ytree *key, const ytree *value, ik_error *err)
{
    const ik_param *row = sections_find_row_of(to->member, name);
    if (!row) { /* let the declaration say what it has */
        variant probe = {0};
        ik_status status =
            ik_params_init(&probe.params, to->member->params, to->member->common, err);
        status =
            status == IK_OK ? sections_set_param(&probe, to->owner, name, "", key, err) : status;
        ik_params_free(&probe.params);
        return status;
    }
    for (size_t i = 0; i < to->num; i++)
        if (strcmp(to->list[i].key, row->name) == 0)
            return ytree_fail(key, err, "%s, parameter '%s' is given twice", to->owner, row->name);
    sweep_axis *axis = &to->list[to->num];
    axis->key = row->name;
    ik_status status =
        row->type == IK_PARAM_PATTERNS   ? patterns_expand(e, value, row, &axis->values, err)
        : row->type == IK_PARAM_JOBS     ? jobs_expand(e, value, row, &axis->values, err)
        : row->type == IK_PARAM_SCHEDULE ? schedule_expand(e, value, row, &axis->values, err)
                                         : sweep_expand(value, row, &e->arena, &axis->values, err);
    if (status != IK_OK)
        return status;
    to->product *= (double)axis->values.num;
    to->num++;
    return IK_OK;
}

/* The parameters of a group, by their names behind the underscore. */
static ik_status sections_read_group(ik_experiment *e, axis_list *to, const ytree *key,
                                     const ytree *map, ik_error *err)
{
    ik_status status = IK_OK;
    if (map->kind != YTREE_MAP) {
        status = ytree_fail(map, err, "%s: '%s' is a mapping of parameters, found %s", to->owner,
                            key->text, ytree_kind_name(map->kind));
        return ik_hint(err, status, "write it like %s: { %s: … }", key->text,
                       sections_first_of_group(to->member, key->text));
    }
    for (size_t i = 0; i < map->num && status == IK_OK; i++) {
        const char *name = ik_arena_printf(&e->arena, "%s_%s", key->text, map->keys[i]->text);
        status = name ? sections_read_axis(e, to, name, map->keys[i], map->items[i], err)
                      : ik_fail_memory(err, 1, "an experiment");
    }
    return status;
}

/* Reads the axes of a mapping (all keys but `skip`) and counts their product. */
static ik_status sections_read_axes(ik_experiment *e, const ytree *map, const char *skip,
                                    const schema_member *member, const char *owner,
                                    sweep_axis **axes, size_t *num, ik_error *err)
{
    size_t most = 1;
    for (size_t i = 0; i < map->num; i++)
        most += map->items[i]->kind == YTREE_MAP ? 1 + map->items[i]->num : 1;
    axis_list to = {member, owner, ik_arena_alloc(&e->arena, most * sizeof *to.list), 0, 1};
    if (!to.list)
        return ik_fail_memory(err, most * sizeof *to.list, "an experiment");
    for (size_t i = 0; i < map->num; i++) {
        const ytree *key = map->keys[i];
        if (skip && strcmp(key->text, skip) == 0)
            continue;
        ik_status status = !skip && sections_first_of_group(member, key->text)
                               ? sections_read_group(e, &to, key, map->items[i], err)
                               : sections_read_axis(e, &to, key->text, key, map->items[i], err);
        if (status != IK_OK)
            return status;
    }
    if (to.product > SWEEP_LIMIT)
        return ytree_fail(
            map, err,
            "the lists and ranges here multiply to %.0f combinations; at most %d are taken",
            to.product, SWEEP_LIMIT);
    *axes = to.list;
    *num = to.num;
    return IK_OK;
}

typedef struct product {
    section_id id;
    variants *list;
    const schema_member *member;
    const ik_spec *spec; /* applied before the axes; NULL = none */
    const char *owner;
    const ytree *place;
} product;

static ik_status sections_expand_product(ik_experiment *e, const product *what,
                                         const sweep_axis *axes, size_t num, ik_error *err)
{
    size_t *choice = ik_arena_alloc(&e->arena, (num + 1) * sizeof *choice);
    if (!choice)
        return ik_fail_memory(err, num * sizeof *choice, "an experiment");
    do {
        variant *v = sections_add_variant(e, what->list);
        if (!v)
            return ik_fail_memory(err, sizeof *v, "an experiment");
        v->name = what->member->name;
        v->place = what->place;
        ik_status status =
            ik_params_init(&v->params, what->member->params, what->member->common, err);
        if (status != IK_OK)
            return status;
        if (what->spec)
            status = sections_apply_spec(v, what->owner, what->spec, what->place, err);
        for (size_t a = 0; a < num && status == IK_OK; a++) {
            const sweep *s = &axes[a].values;
            v->place = s->num > 1 ? s->place[choice[a]] : v->place;
            if (members_listed(sections_find_row_of(what->member, axes[a].key)->type))
                v->parts = s->place[choice[a]];
            status = sections_set_param(v, what->owner, axes[a].key, s->text[choice[a]],
                                        s->place[choice[a]], err);
        }
        if (status == IK_OK)
            status = sections_seal(e, what->id, what->list, v, what->owner, err);
        if (status != IK_OK) {
            ik_params_free(&v->params);
            return status;
        }
        if (what->list->num > SWEEP_LIMIT)
            return ytree_fail(what->place, err, "'%s' has more than %d variants",
                              schema_section(what->id)->name, SWEEP_LIMIT);
    } while (sweep_next(axes, num, choice));
    return IK_OK;
}

/* ---- one section */

static ik_status sections_read_auto(ik_experiment *e, variants *list, const ytree *node,
                                    ik_error *err)
{
    variant *v = sections_add_variant(e, list);
    if (!v)
        return ik_fail_memory(err, sizeof *v, "an experiment");
    v->name = v->label = v->full = v->spec = "auto";
    v->is_auto = true;
    v->place = node;
    list->num++;
    return IK_OK;
}

/* [karytree:k=2,n=2] is a list of two texts to YAML. */
static ik_status sections_refuse_cut_spec(const ytree *list, ik_error *err)
{
    for (size_t i = 1; i < list->num; i++) {
        const ytree *item = list->items[i];
        size_t key = item->kind == YTREE_SCALAR && item->plain ? strcspn(item->text, "=: ") : 0;
        if (key == 0 || item->text[key] != '=')
            continue;
        ik_status status =
            ytree_fail(item, err, "'%.60s' is cut off from '%.60s'", item->text,
                       list->items[i - 1]->kind == YTREE_SCALAR ? list->items[i - 1]->text : "…");
        return ik_hint(err, status,
                       "inside [ ] a spec with commas needs quotes: \"karytree:k=4,n=2\"");
    }
    return IK_OK;
}

ik_status section_read_family(ik_experiment *e, section_id id, variants *list, const ytree *node,
                              ik_error *err)
{
    const char *section = schema_section(id)->name;
    if (node->kind == YTREE_LIST) {
        ik_status cut = sections_refuse_cut_spec(node, err);
        if (cut != IK_OK)
            return cut;
        for (size_t i = 0; i < node->num; i++) {
            ik_status status = section_read_family(e, id, list, node->items[i], err);
            if (status != IK_OK)
                return status;
        }
        return node->num ? IK_OK : ytree_fail(node, err, "'%s' has an empty list", section);
    }
    const ytree *text = node->kind == YTREE_MAP ? ytree_get(node, "family") : node;
    if (!text || text->kind != YTREE_SCALAR || !text->text[0]) {
        ik_status status =
            ytree_fail(text ? text : node, err, "'%s' names no %s", section, schema_kind(id));
        return ik_hint(err, status,
                       "write NAME, NAME:key=value,key=value, or a mapping with the key 'family'");
    }
    bool optional = id == SECTION_VC || id == SECTION_SELECTION;
    if (optional && strcmp(text->text, "auto") == 0 && node->kind == YTREE_SCALAR)
        return sections_read_auto(e, list, node, err);
    ik_spec spec = {0};
    schema_member member = {0};
    ik_status status = sections_find_member(e, id, text, &spec, &member, err);
    if (status != IK_OK)
        return status;
    char owner[96];
    snprintf(owner, sizeof owner, "%s '%.60s'", schema_kind(id), member.name);
    sweep_axis *axes = NULL;
    size_t num = 0;
    if (node->kind == YTREE_MAP)
        status = sections_read_axes(e, node, "family", &member, owner, &axes, &num, err);
    product what = {id, list, &member, &spec, owner, text};
    return status == IK_OK ? sections_expand_product(e, &what, axes, num, err) : status;
}

static ik_status sections_read_params(ik_experiment *e, section_id id, variants *list,
                                      const ytree *node, ik_error *err)
{
    const char *section = schema_section(id)->name;
    if (node->kind == YTREE_LIST) {
        for (size_t i = 0; i < node->num; i++) {
            ik_status status = sections_read_params(e, id, list, node->items[i], err);
            if (status != IK_OK)
                return status;
        }
        return node->num ? IK_OK : ytree_fail(node, err, "'%s' has an empty list", section);
    }
    if (node->kind != YTREE_MAP && !(node->plain && !node->text[0])) {
        ik_status status = ytree_fail(
            node, err, "'%s' is a mapping of parameters, found text '%.60s'", section, node->text);
        return ik_hint(err, status, "write it like %s: { %s: … }", section,
                       schema_section(id)->params[0].name);
    }
    schema_member member = {section, schema_section(id)->params, NULL};
    char owner[96];
    snprintf(owner, sizeof owner, "section '%s'", section);
    sweep_axis *axes = NULL;
    size_t num = 0;
    ik_status status = node->kind == YTREE_MAP
                           ? sections_read_axes(e, node, NULL, &member, owner, &axes, &num, err)
                           : IK_OK;
    product what = {id, list, &member, NULL, owner, node};
    return status == IK_OK ? sections_expand_product(e, &what, axes, num, err) : status;
}

/* "seeds: 3" means the seeds 1, 2, 3. */
static ik_status sections_count_seeds(ik_experiment *e, const ytree **seeds, ik_error *err)
{
    const ytree *node = *seeds;
    uint64_t count = 0;
    ik_status status = ik_parse_quantity(node->text, IK_DIM_NONE, &count, err);
    if (status != IK_OK) {
        ik_error_at(err, node->file, node->line, node->column);
        return status;
    }
    if (count == 0)
        return ytree_fail(node, err, "'seeds' is 0: no seed to run with");
    ytree *range = ytree_new(YTREE_SCALAR, node->file, node->line, node->column, &e->arena);
    if (!range || !(range->text = ik_arena_printf(&e->arena, "1..%" PRIu64, count)))
        return ik_fail_memory(err, sizeof *range, "an experiment");
    *seeds = range;
    return IK_OK;
}

/* load: {find: saturation}. */
static ik_status sections_read_search(ik_experiment *e, section_id id, variants *list,
                                      const ytree *node, ik_error *err)
{
    static const char owner[] = "section 'load'";
    schema_member member = {"load", ik_load_search_params, NULL};
    sweep_axis *axes = NULL;
    size_t num = 0;
    ik_status status = sections_read_axes(e, node, NULL, &member, owner, &axes, &num, err);
    for (size_t a = 0; a < num && status == IK_OK; a++)
        if (axes[a].values.num > 1)
            status =
                ytree_fail(axes[a].values.place[1], err,
                           "section 'load', parameter '%s': a search takes one value", axes[a].key);
    product what = {id, list, &member, NULL, owner, node};
    return status == IK_OK ? sections_expand_product(e, &what, axes, num, err) : status;
}

static ik_status sections_read_value(ik_experiment *e, section_id id, variants *list,
                                     const ytree *node, ik_error *err);

/* load: [10%, 30%, {find: saturation}]: loads for a curve, and the search among them. */
static ik_status sections_read_loads(ik_experiment *e, variants *list, const ytree *node,
                                     ik_error *err)
{
    bool searched = false;
    for (size_t i = 0; i < node->num; i++) {
        bool search = node->items[i]->kind == YTREE_MAP;
        if (search && searched)
            return ytree_fail(node->items[i], err, "'load' is searched for once, found two");
        searched |= search;
        ik_status status = sections_read_value(e, SECTION_LOAD, list, node->items[i], err);
        if (status != IK_OK)
            return status;
    }
    return node->num ? IK_OK
                     : ytree_fail(node, err, "'load' has an empty list: no value to run with");
}

static ik_status sections_read_value(ik_experiment *e, section_id id, variants *list,
                                     const ytree *node, ik_error *err)
{
    const char *section = schema_section(id)->name;
    schema_member member = {section, schema_section(id)->params, NULL};
    if (id == SECTION_LOAD && node->kind == YTREE_MAP)
        return sections_read_search(e, id, list, node, err);
    if (id == SECTION_LOAD && node->kind == YTREE_LIST)
        return sections_read_loads(e, list, node, err);
    if (id == SECTION_SEEDS && node->kind == YTREE_SCALAR && node->text[0] &&
        !strstr(node->text, "..")) {
        ik_status status = sections_count_seeds(e, &node, err);
        if (status != IK_OK)
            return status;
    }
    sweep_axis only = {.key = section};
    ik_status status = sweep_expand(node, member.params, &e->arena, &only.values, err);
    product what = {id, list, &member, NULL, "experiment", node};
    return status == IK_OK ? sections_expand_product(e, &what, &only, 1, err) : status;
}

/* A required section that is not there. */
static ik_status sections_refuse_absent(const ik_experiment *e, section_id id, const ytree *at,
                                        ik_error *err)
{
    const ik_experiment_section *section = schema_section(id);
    ik_status status = at ? ytree_fail(at, err, "the design has no '%s'", section->name)
                          : ik_fail_at(err, IK_ERR_INPUT, e->file, 1, 1,
                                       "the experiment has no '%s'", section->name);
    return ik_hint(err, status, "%s: %s", section->name, section->help);
}

ik_status section_read(ik_experiment *e, section_id id, variants *list, const ytree *node,
                       const ytree *at, ik_error *err)
{
    const ik_experiment_section *section = schema_section(id);
    ytree absent = {.kind = YTREE_SCALAR, .file = e->file, .text = section->def, .plain = true};
    if (!node && !section->def)
        return sections_refuse_absent(e, id, at, err);
    if (!node) {
        ytree *copy = ytree_new(YTREE_SCALAR, e->file, 0, 0, &e->arena);
        if (!copy)
            return ik_fail_memory(err, sizeof *copy, "an experiment");
        *copy = absent;
        node = copy;
    }
    ik_status status =
        section->kind == IK_SECTION_FAMILY   ? section_read_family(e, id, list, node, err)
        : section->kind == IK_SECTION_PARAMS ? sections_read_params(e, id, list, node, err)
                                             : sections_read_value(e, id, list, node, err);
    return status == IK_OK ? twins_refuse(id, list, err) : status;
}
