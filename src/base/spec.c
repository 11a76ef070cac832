/* SPDX-License-Identifier: Apache-2.0
 *
 * spec.c: the one syntax of specs, "NAME:key=value,key=value", and the nearest-name search behind
 * every "did you mean".
 */
#include "base/spec_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static char *spec_copy_part(ik_arena *arena, const char *text, size_t length)
{
    char *copy = ik_arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

static ik_status spec_add_item(const char *item, size_t length, ik_arena *arena, ik_spec *spec,
                               ik_error *err)
{
    size_t key = spec_text_key(item);
    if (!key && spec->num > 0) {
        ik_fail(err, IK_ERR_INPUT, "'%.*s' is not key=value", (int)(length > 60 ? 60 : length),
                item);
        return ik_hint(err, IK_ERR_INPUT, "specs read like xgft:m=16:16,w=1:10");
    }
    const char *text = item + (key ? key + 1 : 0);
    size_t size = length - (size_t)(text - item);
    bool quoted = *text == '"' && spec_text_is_group(text, size);
    if (*text == '"' && !quoted) {
        ik_fail(err, IK_ERR_INPUT, "there is something behind the quotes in '%.*s'",
                (int)(length > 60 ? 60 : length), item);
        return ik_hint(err, IK_ERR_INPUT, "inside of quotes, \\\" is a quote and \\\\ a backslash");
    }
    const char *value =
        quoted ? spec_text_of_group(text, size, arena) : spec_copy_part(arena, text, size);
    const char *name = key ? spec_copy_part(arena, item, key) : NULL;
    if (!value || (key && !name))
        return ik_fail_memory(err, length, "a spec");
    spec->keys[spec->num] = name;
    spec->values[spec->num++] = value;
    return IK_OK;
}

ik_status ik_spec_parse(const char *text, ik_arena *arena, ik_spec *spec, ik_error *err)
{
    ik_spec made = {0};
    if (!text)
        return ik_fail(err, IK_ERR_USAGE, "a spec is missing");
    ik_status nested = spec_text_check(text, err);
    if (nested != IK_OK)
        return nested;
    while (isspace((unsigned char)*text))
        text++;
    size_t name = strcspn(text, ":");
    size_t items = 1;
    for (const char *c = text; *c; c++)
        items += *c == ',';
    made.name = spec_copy_part(arena, text, name);
    made.keys = ik_arena_alloc(arena, items * sizeof *made.keys);
    made.values = ik_arena_alloc(arena, items * sizeof *made.values);
    if (!made.name || !made.keys || !made.values)
        return ik_fail_memory(err, strlen(text), "a spec");
    if (name == 0) {
        ik_fail(err, IK_ERR_INPUT, "'%.60s' names nothing", text);
        return ik_hint(err, IK_ERR_INPUT, "specs read like xgft:m=16:16,w=1:10");
    }
    const char *item = text + name + (text[name] == ':');
    while (*item) {
        size_t length = spec_text_item(item);
        ik_status status = spec_add_item(item, length, arena, &made, err);
        if (status != IK_OK)
            return status;
        item += length + (item[length] == ',');
    }
    *spec = made;
    return IK_OK;
}

/* Which row an item sets; NULL if it names none. */
static const char *spec_item_name(const ik_spec *spec, size_t i, const ik_params *params)
{
    return spec->keys[i] ? spec->keys[i] : params->num > 0 ? params->decl[0].name : NULL;
}

ik_status ik_spec_once(const ik_spec *spec, size_t i, const ik_params *params, const char *owner,
                       ik_error *err)
{
    const char *name = spec_item_name(spec, i, params);
    for (size_t before = 0; name && before < i; before++)
        if (strcmp(spec_item_name(spec, before, params), name) == 0)
            return ik_fail(err, IK_ERR_INPUT, "%s: '%.60s' is given twice, %.60s and %.60s", owner,
                           name, spec->values[before], spec->values[i]);
    return IK_OK;
}

ik_status ik_spec_apply(const ik_spec *spec, ik_params *params, const char *owner, ik_error *err)
{
    for (size_t i = 0; i < spec->num; i++) {
        const char *name = spec_item_name(spec, i, params);
        if (!name)
            return ik_fail(err, IK_ERR_INPUT, "%s takes no parameters, '%.60s' was given", owner,
                           spec->values[i]);
        ik_status status = ik_spec_once(spec, i, params, owner, err);
        if (status == IK_OK)
            status = ik_params_set(params, owner, name, spec->values[i], 0, 0, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

ik_status ik_params_from_spec(ik_params *params, const char *kind, const ik_spec *spec,
                              const ik_param *decl, const ik_param *common, ik_error *err)
{
    char owner[96];
    snprintf(owner, sizeof owner, "%.20s '%.60s'", kind, spec->name);
    ik_params made;
    ik_status status = ik_params_init(&made, decl, common, err);
    if (status != IK_OK)
        return status;
    made.source = "";
    status = ik_spec_apply(spec, &made, owner, err);
    if (status == IK_OK)
        status = ik_params_finish(&made, owner, err);
    if (status == IK_OK)
        status = ik_params_check_needs(&made, owner, NULL, NULL, err);
    if (status != IK_OK) {
        ik_params_free(&made);
        return status;
    }
    *params = made;
    return IK_OK;
}

ik_status ik_fail_unknown(ik_error *err, const char *kind, const char *name,
                          const char *const *names)
{
    static const char *const families[] = {"routing", "topology or file", "traffic pattern"};
    ik_status status = ik_fail(err, IK_ERR_INPUT, "there is no %s '%.60s'", kind, name);
    ik_hint_nearest(err, status, name, names);
    bool explained = false;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        explained |= strcmp(kind, families[i]) == 0;
    for (const char *c = name; *c && explained; c++)
        explained = isalnum((unsigned char)*c) || *c == '_' || *c == '-';
    if (!err || !explained || ik_nearest_name(name, names))
        return status;
    char list[sizeof err->hint];
    snprintf(list, sizeof list, "%s", err->hint);
    return ik_hint(err, status, "'ikat help %.40s' searches for the word; %s", name, list);
}

ik_status ik_hint_nearest(ik_error *err, ik_status status, const char *name,
                          const char *const *names)
{
    const char *nearest = ik_nearest_name(name, names);
    if (nearest)
        return ik_meant(err, status, nearest);
    char all[360] = "";
    size_t used = 0;
    for (; *names && used + strlen(*names) + sizeof ", …" < sizeof all; names++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", *names);
    return ik_hint(err, status, "there are %s%s", all, *names ? ", …" : "");
}

/* Damerau-Levenshtein distance (neighbouring letters swapped count once), case ignored, names up to
 * 63 letters. */
static unsigned spec_edit_distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    unsigned char d[MAX + 1][MAX + 1]; /* at most MAX */
    size_t n = strlen(a), m = strlen(b);
    if (n >= MAX || m >= MAX)
        return MAX;
    for (size_t i = 0; i <= n; i++)
        d[i][0] = (unsigned char)i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = (unsigned char)j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            int best = d[i - 1][j - 1] + (x != y);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]) && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = (unsigned char)best;
        }
    return d[n][m];
}

const char *ik_nearest_name(const char *name, const char *const *names)
{
    const char *best = NULL;
    size_t length = strlen(name);
    unsigned best_distance = length < 6 ? 1 : length < 64 ? (unsigned)length / 3 + 1 : 0;
    for (; *names; names++) {
        unsigned distance = spec_edit_distance(name, *names);
        bool prefix = strlen(name) >= 3 && strncmp(*names, name, strlen(name)) == 0;
        if (prefix && distance > 1)
            distance = 1;
        if (distance < best_distance || (distance == best_distance && !best)) {
            best = *names;
            best_distance = distance;
        }
    }
    return best;
}

const char *ik_nearest_word(const char *name, const char *words, ik_arena *arena)
{
    size_t num = 1;
    for (const char *at = words; *at; at++)
        num += *at == '|';
    char *rest = ik_arena_strdup(arena, words);
    const char **names = ik_arena_alloc(arena, (num + 1) * sizeof *names);
    if (!rest || !names)
        return NULL;
    for (size_t k = 0; k < num; k++)
        names[k] = strsep(&rest, "|");
    names[num] = NULL;
    return ik_nearest_name(name, names);
}
