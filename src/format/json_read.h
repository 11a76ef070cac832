/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of format `json`.
 */
#ifndef IKAT_JSON_READ_H
#define IKAT_JSON_READ_H

#include "base/json_value.h"
#include "ikat/fabric.h"

/* Parses a whole file; IK_ERR_INPUT with the place of what is no JSON. */
ik_status json_read_text(const char *text, size_t size, const char *file, json_t **root,
                         ik_error *err);
/* Where element `index` of the array that member `key` of the root object holds begins (key NULL:
 * of the root, an array); text: accepted by json_parse. False, and nothing is set, if there is no
 * such element. */
bool json_place(const char *text, size_t size, const char *key, size_t index, unsigned *line,
                unsigned *column);
/* Does the text have this word in it? */
bool json_mentions(const char *text, size_t size, const char *word);
ik_status json_read(const char *text, size_t size, const char *file, ik_builder *b, ik_error *err);

#endif
