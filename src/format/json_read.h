/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of format `json`.
 */
#ifndef IKAT_JSON_READ_H
#define IKAT_JSON_READ_H

#include "ikat/fabric.h"

ik_status json_read(const char *text, size_t size, const char *file, ik_builder *b, ik_error *err);

#endif
