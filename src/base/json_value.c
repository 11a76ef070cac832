/* SPDX-License-Identifier: Apache-2.0
 *
 * json_value.c: JSON in by Jansson, and out again by the one writer.
 */
#include "base/json_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Levels of a value, at most `limit` + 1. */
static unsigned depth_of(const json_t *value, unsigned limit)
{
    unsigned deepest = 0;
    const char *key;
    size_t i;
    json_t *item;
    if (limit == 0 || (!json_is_object(value) && !json_is_array(value)))
        return json_is_object(value) || json_is_array(value);
    json_array_foreach(value, i, item)
    {
        unsigned depth = depth_of(item, limit - 1);
        deepest = depth > deepest ? depth : deepest;
    }
    json_object_foreach((json_t *)value, key, item)
    {
        unsigned depth = depth_of(item, limit - 1);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

ik_status json_parse(const char *text, size_t size, json_t **root, json_error_t *why)
{
    memset(why, 0, sizeof *why);
    json_t *made = json_loadb(text, size, JSON_REJECT_DUPLICATES, why);
    /* Jansson gives no text for most allocations that fail. */
    if (!made)
        return json_error_code(why) == json_error_out_of_memory || !why->text[0] ? IK_ERR_MEMORY
                                                                                 : IK_ERR_INPUT;
    if (depth_of(made, IK_JSON_DEPTH / 2) > IK_JSON_DEPTH / 2) {
        snprintf(why->text, sizeof why->text, "more than %d arrays and objects within each other",
                 IK_JSON_DEPTH / 2);
        json_decref(made);
        return IK_ERR_INPUT;
    }
    *root = made;
    return IK_OK;
}

/* Fewest digits, of 15 and 17, that give the same number. */
static int digits_of(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    return strtod(text, NULL) == value ? 15 : 17;
}

static void write_array(ik_json *j, const char *key, const json_t *value)
{
    size_t i;
    json_t *item;
    ik_json_array(j, key);
    json_array_foreach(value, i, item)
    {
        json_write(j, NULL, item);
    }
    ik_json_close(j);
}

void json_write_members(ik_json *j, const json_t *object)
{
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)object, key, item)
    {
        json_write(j, key, item);
    }
}

void json_write(ik_json *j, const char *key, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        ik_json_object(j, key);
        json_write_members(j, value);
        ik_json_close(j);
        return;
    case JSON_ARRAY:
        write_array(j, key, value);
        return;
    case JSON_STRING:
        ik_json_bytes(j, key, json_string_value(value), json_string_length(value));
        return;
    case JSON_INTEGER:
        ik_json_int(j, key, json_integer_value(value));
        return;
    case JSON_REAL:
        ik_json_real(j, key, json_real_value(value), digits_of(json_real_value(value)));
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        ik_json_bool(j, key, json_is_true(value));
        return;
    case JSON_NULL:
        ik_json_null(j, key);
        return;
    }
}
