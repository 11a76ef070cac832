/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of format `json`.
 */
#ifndef IKAT_JSON_READ_H
#define IKAT_JSON_READ_H

#include "ikat/fabric.h"

#include <jansson.h>

/* Any JSON: IK_OK and *root, to be json_decref'ed; IK_ERR_MEMORY; or IK_ERR_INPUT, and *why says what is wrong and where. */
ik_status json_parse(const char *text, size_t size, json_t **root, json_error_t *why);
ik_status json_read(const char *text, size_t size, const char *file, ik_builder *b, ik_error *err);

#endif
