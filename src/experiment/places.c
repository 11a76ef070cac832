/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/places.c: where in the file an error stands that was found when a plan was made or a
 * point was run. Such errors name the settings that they are about (ik_error.settings): the place
 * is that of the first one that was written, or else that of its section.
 */
#include "experiment/experiment_impl.h"

#include <assert.h>
#include <string.h>

/* The written setting of a variant that has this name ("w", "adapter.buffer"); NULL = none. */
static const ik_value *find_written(const variant *v, section_id id, const char *name,
                                    size_t length)
{
    const char *section = schema_section(id)->name, *dot = memchr(name, '.', length);
    if (dot && (strlen(section) != (size_t)(dot - name) ||
                memcmp(section, name, (size_t)(dot - name)) != 0))
        return NULL;
    const char *own = dot ? dot + 1 : name;
    size_t rest = length - (size_t)(own - name);
    for (size_t i = 0; i < v->params.num; i++) {
        const ik_value *value = &v->params.values[i];
        const char *here = v->params.decl[i].name;
        if (strlen(here) == rest && memcmp(here, own, rest) == 0)
            return value->given && value->line ? value : NULL;
    }
    return NULL;
}

/* The first setting of an error that is written in one of these sections. */
static const ik_value *find_setting(const variant *const *list, const section_id *sections,
                                    size_t num, const ik_error *err)
{
    const char *name = err->settings;
    while (*name) {
        size_t length = strcspn(name, " ");
        for (size_t i = 0; i < num; i++) {
            const ik_value *found = find_written(list[i], sections[i], name, length);
            if (found)
                return found;
        }
        name += length + strspn(name + length, " ");
    }
    return NULL;
}

static void place_in(const variant *const *list, const section_id *sections, size_t num,
                     ik_error *err)
{
    const ik_value *found = find_setting(list, sections, num, err);
    if (found)
        ik_error_at(err, found->source, found->line, found->column);
    for (size_t i = 0; i < num; i++) { /* does nothing where there is a place */
        const ytree *place = list[i]->place;
        if (place && place->line)
            ik_error_at(err, place->file, place->line, place->column);
    }
}

void place_in_variant(const variant *v, section_id id, ik_error *err)
{
    if (err)
        place_in(&v, &id, 1, err);
}

void place_in_sections(const ik_experiment *e, const point *p, const section_id *sections,
                       size_t num, ik_error *err)
{
    const variant *list[NUM_SECTIONS];
    assert(num <= NUM_SECTIONS);
    for (size_t i = 0; i < num; i++)
        list[i] = experiment_variant(e, p, sections[i]);
    if (err)
        place_in(list, sections, num, err);
}
