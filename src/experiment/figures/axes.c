/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/axes.c: keys, their texts and the parameters in them.
 *
 * A text is "name:key=value,key=value", "name", or "key=value,key=value" (sections that are no
 * family). Every point's text is kept once per key and counted by a hash table, so a table of P
 * points and K keys takes 4 P K bytes besides its different texts.
 */
#include "experiment/figures/axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 255 };

static uint32_t axes_tag_of(const char *text)
{
    return ik_hash_tag(ik_hash_text(text));
}

/* ---- the table */

ik_status axes_begin(axes *a, const char *const *keys, size_t num_keys, size_t num_points,
                     ik_error *err)
{
    *a = (axes){.num_keys = num_keys, .num_points = num_points};
    size_t room = num_points * num_keys;
    if (num_keys && room / num_keys != num_points)
        return ik_fail_memory(err, SIZE_MAX, "the axes of a sweep");
    a->keys = ik_arena_alloc(&a->arena, (num_keys + 1) * sizeof *a->keys);
    a->cells = room < SIZE_MAX / sizeof *a->cells - 1
                   ? ik_arena_alloc(&a->arena, (room + 1) * sizeof *a->cells)
                   : NULL;
    if (!a->keys || !a->cells)
        return ik_fail_memory(err, room, "the axes of a sweep");
    memset(a->cells, 0xff, room * sizeof *a->cells);
    for (size_t k = 0; k < num_keys; k++)
        if (!(a->keys[k].name = ik_arena_strdup(&a->arena, keys[k])) ||
            !ik_hash_init(&a->keys[k].by_text))
            return ik_fail_memory(err, room, "the axes of a sweep");
    return IK_OK;
}

void axes_free(axes *a)
{
    for (size_t k = 0; a->keys && k < a->num_keys; k++)
        ik_hash_free(&a->keys[k].by_text);
    ik_arena_free(&a->arena);
}

static ik_status axes_add_text(axes *a, axes_key *k, const char *text, uint32_t tag, ik_error *err)
{
    if (k->num == k->room) {
        size_t room = k->room ? 2 * k->room : 4;
        const char **texts = ik_arena_alloc(&a->arena, room * sizeof *texts);
        if (!texts)
            return ik_fail_memory(err, room * sizeof *texts, "the axes of a sweep");
        if (k->num)
            memcpy(texts, k->texts, k->num * sizeof *texts);
        k->texts = texts;
        k->room = room;
    }
    const char *copy = ik_arena_strdup(&a->arena, text);
    if (!copy || !ik_hash_add(&k->by_text, tag, (uint32_t)k->num))
        return ik_fail_memory(err, strlen(text), "the axes of a sweep");
    k->texts[k->num++] = copy;
    return IK_OK;
}

ik_status axes_put(axes *a, size_t point, size_t key, const char *text, ik_error *err)
{
    assert(point < a->num_points && key < a->num_keys);
    axes_key *k = &a->keys[key];
    uint32_t tag = axes_tag_of(text), id;
    for (size_t at = ik_hash_first(&k->by_text, tag);
         (id = ik_hash_find(&k->by_text, tag, &at)) != IK_NONE; at++)
        if (strcmp(k->texts[id], text) == 0)
            break;
    if (id == IK_NONE) {
        id = (uint32_t)k->num;
        ik_status status = axes_add_text(a, k, text, tag, err);
        if (status != IK_OK)
            return status;
    }
    a->cells[point * a->num_keys + key] = id;
    return IK_OK;
}

/* ---- the parts of a text */

/* One "key=value" of a text; key_length 0: a value alone. */
typedef struct item {
    const char *key, *value;
    size_t key_length, value_length;
} item;

/* Length of the family's name in front of the items; 0: there is none. */
static size_t axes_name_length(const char *text)
{
    size_t length = strcspn(text, ":=,");
    return text[length] == '=' ? 0 : length;
}

/* The items of a text one after the other; *at begins as 0. */
static bool axes_next_item(const char *text, size_t *at, item *out)
{
    size_t name = axes_name_length(text);
    if (*at == 0)
        *at = name + (text[name] == ':');
    const char *begin = text + *at;
    if (!*begin)
        return false;
    size_t length = strcspn(begin, ","), key = strcspn(begin, "=,");
    bool has_key = begin[key] == '=';
    *out = (item){begin, begin + (has_key ? key + 1 : 0), has_key ? key : 0,
                  length - (has_key ? key + 1 : 0)};
    *at += length + (begin[length] == ',');
    return true;
}

static bool axes_same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool axes_find_item(const char *text, const char *key, size_t length, item *out)
{
    for (size_t at = 0; axes_next_item(text, &at, out);)
        if (axes_same(out->key, out->key_length, key, length))
            return true;
    return false;
}

/* ---- numbers */

double axis_number(const char *text, const char **unit)
{
    static const struct {
        ik_dimension dim;
        double scale;
        const char *unit;
    } kinds[] = {{IK_DIM_TIME, 1e-3, "ns"},
                 {IK_DIM_SIZE, 1, "bytes"},
                 {IK_DIM_RATE, 1e-9, "Gb/s"},
                 {IK_DIM_LENGTH, 1e-3, "m"}};
    double real = 0;
    uint64_t whole = 0;
    *unit = "";
    if (!text[0])
        return NAN;
    if (ik_parse_real(text, IK_DIM_NONE, &real, NULL) == IK_OK)
        return real;
    if (strchr(text, '%') && ik_parse_real(text, IK_DIM_FRACTION, &real, NULL) == IK_OK) {
        *unit = "%";
        return real;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ik_parse_quantity(text, kinds[i].dim, &whole, NULL) == IK_OK) {
            *unit = kinds[i].unit;
            return (double)whole * kinds[i].scale;
        }
    return NAN;
}

/* ---- axes */

/* Splits "fabric.k" at the key; *key is num_keys if there is none. */
static const char *axes_split_name(const axes *a, const char *name, size_t *key)
{
    const char *dot = strchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    for (*key = 0; *key < a->num_keys; ++*key)
        if (strlen(a->keys[*key].name) == length && memcmp(a->keys[*key].name, name, length) == 0)
            break;
    return dot ? dot + 1 : NULL;
}

bool axes_has(const axes *a, const char *name)
{
    size_t key;
    item found;
    const char *param = axes_split_name(a, name, &key);
    if (key == a->num_keys)
        return false;
    const axes_key *k = &a->keys[key];
    bool has = !param && k->num > 0;
    for (size_t i = 0; param && i < k->num && !has; i++)
        has = axes_find_item(k->texts[i], param, strlen(param), &found);
    return has;
}

static void axes_add_name(const char **names, size_t *num, const char *name)
{
    for (size_t i = 0; name && i < *num; i++)
        if (strcmp(names[i], name) == 0)
            return;
    if (name && *num < MOST_NAMES)
        names[(*num)++] = name;
}

static ik_status axes_fail_unknown(axes *a, const char *name, ik_error *err)
{
    const char *names[MOST_NAMES + 1] = {NULL};
    size_t num = 0, key;
    item it;
    const char *param = axes_split_name(a, name, &key);
    for (size_t k = 0; k < a->num_keys; k++)
        if (a->keys[k].num && !(param && key == k))
            axes_add_name(names, &num, a->keys[k].name);
    for (size_t k = 0; k < a->num_keys; k++)
        for (size_t i = 0; i < a->keys[k].num && param && (key == k || key == a->num_keys); i++)
            for (size_t at = 0; axes_next_item(a->keys[k].texts[i], &at, &it);)
                if (it.key_length)
                    axes_add_name(names, &num,
                                  ik_arena_printf(&a->arena, "%s.%.*s", a->keys[k].name,
                                                  (int)it.key_length, it.key));
    names[num] = NULL;
    return ik_fail_unknown(err, "axis", name, names);
}

/* Adds the parameters of a text that are not among the names yet. */
static ik_status axes_add_params(axes *a, const axes_key *k, const char *text, const char **names,
                                 size_t *num, ik_error *err)
{
    item it;
    for (size_t at = 0; axes_next_item(text, &at, &it);) {
        if (it.key_length == 0)
            continue;
        const char *name =
            ik_arena_printf(&a->arena, "%s.%.*s", k->name, (int)it.key_length, it.key);
        if (!name)
            return ik_fail_memory(err, it.key_length, "the axes of a sweep");
        axes_add_name(names, num, name);
    }
    return IK_OK;
}

ik_status axes_params(axes *a, size_t key, const char ***names, size_t *num, ik_error *err)
{
    const axes_key *k = &a->keys[key];
    const char **found = ik_arena_alloc(&a->arena, (MOST_NAMES + 1) * sizeof *found);
    if (!found)
        return ik_fail_memory(err, MOST_NAMES * sizeof *found, "the axes of a sweep");
    size_t count = 0;
    for (size_t i = 0; i < k->num; i++) {
        ik_status status = axes_add_params(a, k, k->texts[i], found, &count, err);
        if (status != IK_OK)
            return status;
    }
    *names = found;
    *num = count;
    return IK_OK;
}

static bool axes_is_among(const char *name, const char *const *list, size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

/* A text of a key without the parameters in `but`; NULL without memory. */
static const char *axes_without(axes *a, const axes_key *k, const char *text,
                                const char *const *but, size_t num)
{
    char name[160];
    item it;
    size_t length = axes_name_length(text);
    bool any = false;
    const char *kept = ik_arena_printf(&a->arena, "%.*s", (int)length, text);
    for (size_t at = 0; kept && axes_next_item(text, &at, &it);) {
        snprintf(name, sizeof name, "%s.%.*s", k->name, (int)it.key_length, it.key);
        if (axes_is_among(name, but, num))
            continue;
        kept = ik_arena_printf(&a->arena, "%s%s%.*s", kept,
                               any      ? ","
                               : length ? ":"
                                        : "",
                               (int)(it.value + it.value_length - it.key), it.key);
        any = true;
    }
    return kept;
}

/* The text of a value of axis x in a text of its key; NULL without memory. */
static const char *axes_part_of(axes *a, const axis *x, const char *text, const char *const *but,
                                size_t num)
{
    item found;
    if (!x->param)
        return num ? axes_without(a, &a->keys[x->key], text, but, num) : text;
    if (!axes_find_item(text, x->param, strlen(x->param), &found))
        return "";
    return ik_arena_printf(&a->arena, "%.*s", (int)found.value_length, found.value);
}

static bool axes_has_part(const axis *x, const char *text)
{
    item found;
    return !x->param || axes_find_item(text, x->param, strlen(x->param), &found);
}

/* Does an item of the text differ in another text of the same name? */
static bool axes_tells_apart(const axis *x, uint32_t value, const item *it)
{
    const char *mine = x->values[value].text;
    size_t length = axes_name_length(mine);
    for (size_t i = 0; i < x->num; i++) {
        item other;
        const char *text = x->values[i].text;
        if (axes_same(text, axes_name_length(text), mine, length) &&
            !(axes_find_item(text, it->key, it->key_length, &other) &&
              axes_same(other.value, other.value_length, it->value, it->value_length)))
            return true;
    }
    return false;
}

/* "karytree k=4": the name, and what other values of that name differ in. */
static const char *axes_label_of(axes *a, const axis *x, uint32_t value)
{
    const char *text = x->values[value].text;
    if (x->param)
        return text;
    size_t length = axes_name_length(text);
    item it;
    char *label = ik_arena_printf(&a->arena, "%.*s", (int)length, text);
    for (size_t at = 0; label && axes_next_item(text, &at, &it);)
        if (axes_tells_apart(x, value, &it))
            label = ik_arena_printf(&a->arena, "%s%s%.*s", label, label[0] ? " " : "",
                                    (int)(it.value + it.value_length - it.key), it.key);
    return !label || label[0] ? label : "defaults";
}

void axis_find_numbers(axis *x, const bool *used)
{
    bool any = false;
    x->numeric = x->num > 0;
    x->unit = "";
    for (size_t i = 0; i < x->num; i++) {
        const char *unit;
        x->values[i].number = axis_number(x->values[i].text, &unit);
        if (used && !used[i])
            continue;
        if (isnan(x->values[i].number) || (any && strcmp(unit, x->unit) != 0))
            x->numeric = false;
        x->unit = any ? x->unit : unit;
        any = true;
    }
    if (x->numeric && strcmp(x->name, "load") == 0)
        x->unit = "%";
}

static ik_status axes_fill_axis(axes *a, axis *x, const char *const *but, size_t num, ik_error *err)
{
    const axes_key *k = &a->keys[x->key];
    ik_hash seen = {0};
    if (!ik_hash_init(&seen))
        return ik_fail_memory(err, 1, "the axes of a sweep");
    for (size_t i = 0; i < k->num; i++) {
        const char *text = axes_part_of(a, x, k->texts[i], but, num);
        x->of[i] = IK_NONE;
        if (text && !axes_has_part(x, k->texts[i]))
            continue;
        uint32_t tag = text ? axes_tag_of(text) : 0, id = IK_NONE;
        for (size_t at = ik_hash_first(&seen, tag);
             text && (id = ik_hash_find(&seen, tag, &at)) != IK_NONE; at++)
            if (strcmp(x->values[id].text, text) == 0)
                break;
        if (!text || (id == IK_NONE && !ik_hash_add(&seen, tag, (uint32_t)x->num))) {
            ik_hash_free(&seen);
            return ik_fail_memory(err, k->num, "the axes of a sweep");
        }
        if (id == IK_NONE)
            x->values[id = (uint32_t)x->num++].text = text;
        x->of[i] = id;
    }
    ik_hash_free(&seen);
    return IK_OK;
}

/* More values than this are never distinguished by a label: the whole text is shown. */
enum { MOST_LABELS = 256 };

ik_status axes_find(axes *a, const char *name, const char *const *but, size_t num_but, axis *out,
                    ik_error *err)
{
    axis x = {.name = ik_arena_strdup(&a->arena, name)};
    if (!x.name)
        return ik_fail_memory(err, strlen(name), "the axes of a sweep");
    if (!axes_has(a, name))
        return axes_fail_unknown(a, name, err);
    x.param = axes_split_name(a, x.name, &x.key);
    size_t num = a->keys[x.key].num;
    x.of = ik_arena_alloc(&a->arena, (num + 1) * sizeof *x.of);
    x.values = ik_arena_alloc(&a->arena, (num + 1) * sizeof *x.values);
    if (!x.of || !x.values)
        return ik_fail_memory(err, num * sizeof *x.values, "the axes of a sweep");
    ik_status status = axes_fill_axis(a, &x, but, num_but, err);
    if (status != IK_OK)
        return status;
    axis_find_numbers(&x, NULL);
    for (size_t i = 0; i < x.num; i++) {
        const char *text = x.values[i].text;
        x.values[i].label =
            x.num > MOST_LABELS || !strpbrk(text, ":=") ? text : axes_label_of(a, &x, (uint32_t)i);
        if (!x.values[i].label)
            return ik_fail_memory(err, 1, "the axes of a sweep");
    }
    *out = x;
    return IK_OK;
}

const char *axis_label(const axis *x, uint32_t value)
{
    return value == IK_NONE ? "-" : x->values[value].label;
}

/* ---- matching */

static bool axes_same_value(const char *a, size_t a_length, const char *b, size_t b_length)
{
    char left[64], right[64];
    const char *left_unit, *right_unit;
    if (axes_same(a, a_length, b, b_length))
        return true;
    if (a_length >= sizeof left || b_length >= sizeof right)
        return false;
    snprintf(left, sizeof left, "%.*s", (int)a_length, a);
    snprintf(right, sizeof right, "%.*s", (int)b_length, b);
    double x = axis_number(left, &left_unit), y = axis_number(right, &right_unit);
    bool units = strcmp(left_unit, right_unit) == 0 ||
                 (strcmp(left_unit, "%") == 0 && !*right_unit) ||
                 (strcmp(right_unit, "%") == 0 && !*left_unit);
    return units && fabs(x - y) <= 1e-12 * fabs(x);
}

bool axis_matches(const axis *x, uint32_t value, const char *written)
{
    item it, mine;
    assert(value < x->num);
    const char *text = x->values[value].text;
    if (x->param)
        return axes_same_value(text, strlen(text), written, strlen(written));
    if (strcmp(x->values[value].label, written) == 0) /* as messages and tables name it */
        return true;
    if (axes_find_item(text, "label", strlen("label"), &mine) &&
        axes_same(mine.value, mine.value_length, written, strlen(written)))
        return true;
    size_t length = axes_name_length(written);
    if (!axes_same_value(text, axes_name_length(text), written, length))
        return false;
    for (size_t at = 0; axes_next_item(written, &at, &it);) {
        size_t first = 0;
        bool there = it.key_length ? axes_find_item(text, it.key, it.key_length, &mine)
                                   : axes_next_item(text, &first, &mine);
        if (!there || !axes_same_value(mine.value, mine.value_length, it.value, it.value_length))
            return false;
    }
    return true;
}

ik_status axis_fail_unknown(const axis *x, const char *written, ik_error *err)
{
    const char *names[MOST_NAMES + 1] = {NULL};
    size_t num = 0;
    for (size_t i = 0; i < x->num; i++)
        axes_add_name(names, &num, x->values[i].label);
    names[num] = NULL;
    ik_status status =
        ik_fail(err, IK_ERR_INPUT, "no point of the sweep has the %.60s '%.60s'", x->name, written);
    return ik_hint_nearest(err, status, written, names);
}

/* ---- differences */

/* Items of `text` that `other` has not, or with another value. */
static bool axes_items_differ(const char *key, const char *text, const char *other,
                              const char *const *but, size_t num, char *out, size_t size)
{
    item it, there;
    for (size_t at = 0; axes_next_item(text, &at, &it);) {
        if (axes_find_item(other, it.key, it.key_length, &there) &&
            axes_same(it.value, it.value_length, there.value, there.value_length))
            continue;
        snprintf(out, size, "%s.%.*s", key, (int)it.key_length, it.key);
        if (!axes_is_among(out, but, num))
            return true;
    }
    return false;
}

bool axes_differ(const axes *a, size_t key, uint32_t one, uint32_t other, const char *const *but,
                 size_t num, char *out, size_t size)
{
    const axes_key *k = &a->keys[key];
    if (one == other || axes_is_among(k->name, but, num))
        return false;
    snprintf(out, size, "%s", k->name);
    if (one == IK_NONE || other == IK_NONE)
        return true;
    const char *x = k->texts[one], *y = k->texts[other];
    if (!axes_same(x, axes_name_length(x), y, axes_name_length(y)))
        return true;
    return axes_items_differ(k->name, x, y, but, num, out, size) ||
           axes_items_differ(k->name, y, x, but, num, out, size);
}
