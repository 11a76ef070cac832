/* SPDX-License-Identifier: Apache-2.0
 *
 * json_value.c: values that were read, out again by the one writer.
 */
#include "base/json_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fewest digits, of 15 and 17, that give the same number. */
static int json_value_digits_of(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    return strtod(text, NULL) == value ? 15 : 17;
}

static void json_value_write_array(ik_json *j, const char *key, const json_t *value)
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
        json_value_write_array(j, key, value);
        return;
    case JSON_STRING:
        ik_json_bytes(j, key, json_string_value(value), json_string_length(value));
        return;
    case JSON_INTEGER:
        ik_json_int(j, key, json_integer_value(value));
        return;
    case JSON_REAL:
        ik_json_real(j, key, json_real_value(value), json_value_digits_of(json_real_value(value)));
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
