/* SPDX-License-Identifier: Apache-2.0
 *
 * json_data.h: values of independent programs, from tests/data. */
#ifndef UNIT_JSON_DATA_H
#define UNIT_JSON_DATA_H

#include "unit/made.h"

#include <jansson.h>

/* A file of tests/data/topology; the test fails if it cannot be read. */
static inline json_t *load_json(const char *name)
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, TEST_DATA "/topology/%s", name);
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        fail_msg("%s: %s", path, error.text);
    return root;
}

#endif
