/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/places.c: where in the file an error stands that was found when a plan was made or a
 * point was run. Such errors name the settings that they are about ("speedup = 1.5: ...",
 * "adapter.buffer = 1 KiB ..."): the place is that of the first one that was written.
 */
#include "experiment/experiment_impl.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A name as plain as a word of English counts where the message has it as a setting: quoted, or
 * with its value. Other words of three letters and more count where nothing is named so. */
enum { AS_SETTING = 0, AS_WORD = 1 << 16, NOT_NAMED = 1 << 17 };

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "adapter.buffer" is not the buffer of section switch. */
static bool is_of_section(const char *text, const char *at, const char *section)
{
    size_t length = strlen(section);
    if (at == text || at[-1] != '.')
        return true;
    return (size_t)(at - 1 - text) >= length && memcmp(at - 1 - length, section, length) == 0 &&
           (at - 1 - length == text || !is_part_of_name(*(at - 2 - length)));
}

/* How early, and how clearly, a text names a setting: less is better. */
static int rank_of(const char *text, const char *section, const char *name)
{
    size_t length = strlen(name);
    int best = NOT_NAMED;
    for (const char *at = text; *at; at++) {
        if (strncasecmp(at, name, length) != 0 || is_part_of_name(at[length]) ||
            (at > text && is_part_of_name(at[-1])) || !is_of_section(text, at, section))
            continue;
        const char *behind = at + length + strspn(at + length, " ");
        bool quoted = at > text && at[-1] == '\'' && at[length] == '\'';
        int rank = quoted || *behind == '=' || (at > text && at[-1] == '.') ? AS_SETTING
                   : length > 2                                             ? AS_WORD
                                                                            : NOT_NAMED;
        rank += (int)(at - text);
        best = rank < best ? rank : best;
    }
    return best;
}

/* The written setting of a variant that the text names best; *rank and *found only if it is better
 * than what they are. */
static void look_in(const variant *v, const char *section, const char *text, int *rank,
                    const ik_value **found)
{
    for (size_t i = 0; i < v->params.num; i++) {
        const ik_value *value = &v->params.values[i];
        int mine = value->given && value->line ? rank_of(text, section, v->params.decl[i].name)
                                               : NOT_NAMED;
        if (mine < *rank) {
            *rank = mine;
            *found = value;
        }
    }
}

static void place_at(const ik_value *value, ik_error *err)
{
    if (value)
        ik_error_at(err, value->source, value->line, value->column);
}

void place_in_variant(const variant *v, section_id id, ik_error *err)
{
    int rank = NOT_NAMED;
    const ik_value *found = NULL;
    if (!err)
        return;
    look_in(v, schema_section(id)->name, err->text, &rank, &found);
    place_at(found, err);
    if (v->place && v->place->line)
        ik_error_at(err, v->place->file, v->place->line, v->place->column);
}

void place_in_sections(const ik_experiment *e, const point *p, const section_id *sections,
                       size_t num, ik_error *err)
{
    int rank = NOT_NAMED;
    const ik_value *found = NULL;
    for (size_t i = 0; err && i < num; i++)
        look_in(experiment_variant(e, p, sections[i]), schema_section(sections[i])->name, err->text,
                &rank, &found);
    place_at(found, err);
    for (size_t i = 0; err && i < num; i++) {
        const ytree *place = experiment_variant(e, p, sections[i])->place;
        if (place && place->line)
            ik_error_at(err, place->file, place->line, place->column);
    }
}
