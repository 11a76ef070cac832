/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of format `json`.
 */
#ifndef IKAT_JSON_READ_H
#define IKAT_JSON_READ_H

#include "ikat/fabric.h"

#include <jansson.h>

/* Any JSON: IK_OK and *root, to be json_decref'ed; IK_ERR_MEMORY; or IK_ERR_INPUT, and *why says
 * what is wrong and where. */
ik_status json_parse(const char *text, size_t size, json_t **root, json_error_t *why);
/* Where element `index` of the array that member `key` of the root object holds begins; text:
 * accepted by json_parse. False, and nothing is set, if there is no such element. */
bool json_place(const char *text, size_t size, const char *key, size_t index, unsigned *line,
                unsigned *column);
ik_status json_read(const char *text, size_t size, const char *file, ik_builder *b, ik_error *err);

#endif
