/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/places.c: where in the file an error stands that was found when a plan was made or a
 * point was run. Such errors name the settings that they are about (ik_error.settings): the place
 * is that of the first one that was written, or else that of its section. Within a list of traffic
 * (jobs, entries of a schedule, members of a mix) it is that of the part that the error is about.
 */
#include "experiment/experiment_impl.h"
#include "experiment/members.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct found_place {
    const char *file;
    unsigned line, column;
    bool whole; /* of the setting itself, and not only of what it is a part of */
} found_place;

/* Goes down from what a value was made of along a path "2/traffic/bytes", as far as there is one. A
 * text is the place of all that stands in it. */
static found_place places_find_part(const ytree *parts, const char *path, size_t length)
{
    const char *end = path + length;
    while (path < end && parts->kind != YTREE_SCALAR) {
        size_t step = 0;
        while (path + step < end && path[step] != '/')
            step++;
        const ytree *next = NULL;
        size_t number = parts->kind == YTREE_LIST ? strtoul(path, NULL, 10) : 0;
        if (parts->kind == YTREE_LIST && number < parts->num)
            next = parts->items[number];
        for (size_t i = 0; parts->kind == YTREE_MAP && i < parts->num; i++)
            if (strlen(parts->keys[i]->text) == step &&
                memcmp(parts->keys[i]->text, path, step) == 0)
                next = parts->items[i];
        if (!next)
            return (found_place){parts->file, parts->line, parts->column, false};
        parts = next;
        path += step + (path + step < end);
    }
    return (found_place){parts->file, parts->line, parts->column, true};
}

/* Where a variant has the setting of this name ("w", "adapter.buffer", "jobs/2/start"); line 0: it
 * was not written. */
static found_place places_find_written(const variant *v, section_id id, const char *name,
                                       size_t length)
{
    const char *section = schema_section(id)->name, *dot = memchr(name, '.', length);
    if (dot && (strlen(section) != (size_t)(dot - name) ||
                memcmp(section, name, (size_t)(dot - name)) != 0))
        return (found_place){0};
    const char *own = dot ? dot + 1 : name, *end = name + length,
               *path = memchr(own, '/', (size_t)(end - own));
    size_t size = (size_t)((path ? path : end) - own);
    for (size_t i = 0; i < v->params.num; i++) {
        const ik_value *value = &v->params.values[i];
        const char *here = v->params.decl[i].name;
        if (strlen(here) != size || memcmp(here, own, size) != 0)
            continue;
        if (!value->given || !value->line)
            break;
        if (path && v->parts && members_listed(v->params.decl[i].type))
            return places_find_part(v->parts, path + 1, (size_t)(end - path) - 1);
        return (found_place){value->source, value->line, value->column, true};
    }
    return (found_place){0};
}

/* The first setting of an error that is written in one of these sections, or else what the first
 * one is a part of. */
static found_place places_find_setting(const variant *const *list, const section_id *sections,
                                       size_t num, const ik_error *err)
{
    found_place around = {0};
    const char *name = err->settings;
    while (*name) {
        size_t length = strcspn(name, " ");
        for (size_t i = 0; i < num; i++) {
            found_place found = places_find_written(list[i], sections[i], name, length);
            if (found.line && found.whole)
                return found;
            if (!around.line)
                around = found;
        }
        name += length + strspn(name + length, " ");
    }
    return around;
}

static void places_place_in(const variant *const *list, const section_id *sections, size_t num,
                            ik_error *err)
{
    const found_place found = places_find_setting(list, sections, num, err);
    if (found.line)
        ik_error_at(err, found.file, found.line, found.column);
    for (size_t i = 0; i < num; i++) { /* does nothing where there is a place */
        const ytree *place = list[i]->place;
        if (place && place->line)
            ik_error_at(err, place->file, place->line, place->column);
    }
}

void place_in_variant(const variant *v, section_id id, ik_error *err)
{
    if (err)
        places_place_in(&v, &id, 1, err);
}

void place_in_sections(const ik_experiment *e, const point *p, const section_id *sections,
                       size_t num, ik_error *err)
{
    const variant *list[NUM_SECTIONS];
    assert(num <= NUM_SECTIONS);
    for (size_t i = 0; i < num; i++)
        list[i] = experiment_variant(e, p, sections[i]);
    if (err)
        places_place_in(list, sections, num, err);
}

/* ---- files */

typedef struct found_file {
    const ytree *place;
    const char *words;
} found_file;

static const char *places_words_of(const ik_param *rows, const char *name)
{
    while (rows && rows->name && strcmp(rows->name, name) != 0)
        rows++;
    return rows && rows->name ? rows->choices : NULL;
}

/* In what a value was made of; place NULL: nowhere. */
static found_file places_find_file(const ytree *parts, const char *path)
{
    found_file found = {0};
    for (size_t i = 0; i < parts->num && !found.place; i++) {
        const ytree *part = parts->items[i];
        if (part->kind != YTREE_SCALAR) {
            found = places_find_file(part, path);
        } else if (parts->kind == YTREE_MAP && part->text && strcmp(part->text, path) == 0) {
            const ik_traffic_family *family = parts->text ? ik_traffic_find(parts->text) : NULL;
            found = (found_file){
                part, places_words_of(family ? family->params : NULL, parts->keys[i]->text)};
        }
    }
    return found;
}

const char *place_file(const variant *v, const char *path, ik_error *err)
{
    const char *words = NULL;
    const ik_value *listed = NULL;
    for (size_t i = 0; i < v->params.num; i++) {
        const ik_value *value = &v->params.values[i];
        const ik_param *row = &v->params.decl[i];
        if (members_listed(row->type) && value->line)
            listed = value;
        if (row->type != IK_PARAM_PATH || !value->has || strcmp(value->text, path) != 0)
            continue;
        words = row->choices;
        if (value->line)
            ik_error_at(err, value->source, value->line, value->column);
    }
    const found_file found = v->parts ? places_find_file(v->parts, path) : (found_file){0};
    if (found.place)
        ik_error_at(err, found.place->file, found.place->line, found.place->column);
    if (listed)
        ik_error_at(err, listed->source, listed->line, listed->column);
    ik_error_at(err, v->place->file, v->place->line, v->place->column);
    return words ? words : found.words;
}
