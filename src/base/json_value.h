/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON that comes from a file: parsed, and written again by the one writer. It is never copied.
 */
#ifndef IKAT_JSON_VALUE_H
#define IKAT_JSON_VALUE_H

#include "ikat/json.h"

#include <jansson.h>

/* Any JSON: IK_OK and *root, to be json_decref'ed; IK_ERR_MEMORY; or IK_ERR_INPUT, and line,
 * column, position and text of *why say what is wrong and where. Refused are members that are
 * there twice, U+0000, integers beyond 64 bits, and more than IK_JSON_DEPTH / 2 arrays and objects
 * within each other. */
ik_status json_parse(const char *text, size_t size, json_t **root, json_error_t *why);
/* Writes a parsed value; reals so that they are read as the same number. */
void json_write(ik_json *j, const char *key, const json_t *value);
/* Writes the members of an object into the object that is open. */
void json_write_members(ik_json *j, const json_t *object);

#endif
