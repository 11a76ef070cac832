/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/json_text.h: writing JSON piece by piece: results hold arrays that would be ten times
 * larger as a tree of objects.
 */
#ifndef IKAT_EXPERIMENT_JSON_TEXT_H
#define IKAT_EXPERIMENT_JSON_TEXT_H

#include "ikat/base.h"

#include <stdio.h>

/* A quoted string. '<' is escaped, so that the text may stand inside an HTML script element; bytes
 * that are no UTF-8 become U+FFFD. */
void json_put_string(FILE *out, const char *text);
/* "key": — with a comma before it unless it is the first of its object. */
void json_put_key(FILE *out, const char *key, bool first);
/* A finite number with the digits that matter, null otherwise. */
void json_put_real(FILE *out, double value);

/* Text that grows: a FILE to write into. json_text_end closes it and gives the text (free with
 * free()), or an error. */
typedef struct json_text {
    FILE *out;
    char *text;
    size_t size;
} json_text;
ik_status json_text_begin(json_text *t, ik_error *err);
ik_status json_text_end(json_text *t, char **text, size_t *size, ik_error *err);

#endif
