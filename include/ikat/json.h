/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/json.h: writing JSON piece by piece. Everything that ikat writes as JSON is written by
 * this writer.
 *
 * What it guarantees, whatever texts and numbers it is given: the output is one valid JSON value
 * in UTF-8 that may stand inside an HTML script element and be shown in a terminal. In strings,
 * '<', '>', '&', U+2028, U+2029 and all control characters are written as \uXXXX, and bytes that
 * are no UTF-8 as U+FFFD. Numbers that JSON cannot hold (infinity, NaN) are null.
 *
 * Errors are kept until the end, so that a caller checks once: after the first one nothing is
 * written any more.
 *
 *     ik_json j;
 *     ik_json_to_file(&j, stdout, IK_JSON_INDENTED);
 *     ik_json_object(&j, NULL);
 *     ik_json_text(&j, "name", "leaf1");
 *     ik_json_array(&j, "ports");
 *     ik_json_uint(&j, NULL, 36);
 *     ik_json_close(&j);
 *     ik_json_close(&j);
 *     ik_status status = ik_json_end(&j, err);
 *
 * `key` is the member's name inside an object and NULL inside an array and for the outermost
 * value; anything else, and a container that is closed twice or never, is IK_ERR_INTERNAL.
 */
#ifndef IKAT_JSON_H
#define IKAT_JSON_H

#include "ikat/base.h"

IK_BEGIN_DECLS

typedef enum ik_json_style {
    IK_JSON_PACKED,  /* one line without blanks */
    IK_JSON_ROWS,    /* a line per member of the outermost value, and per item of such a member */
    IK_JSON_INDENTED /* a line per value */
} ik_json_style;

/* "version", the first member of what commands report with --json and of a deployment's summary. It
 * rises when a member goes or means something else; new members may come at any time. */
enum { IK_JSON_VERSION = 1 };
enum { IK_JSON_DEPTH = 64, IK_JSON_BLOCK = 4096 };

/* Fill it with ik_json_to_file or ik_json_to_text; the members are private. */
typedef struct ik_json {
    FILE *out;  /* NULL: the text grows in memory */
    char *text; /* what is not written yet: `block`, or memory */
    size_t used, room;
    uint64_t objects, filled; /* bit d: the container at depth d is an object; it has an item */
    unsigned depth, lines;    /* open containers; how many of the outer ones have a line per item */
    bool spaced, begun;
    ik_status status;
    int why; /* errno of a failed write */
    char block[IK_JSON_BLOCK];
} ik_json;

/* Writes to a stream, which is neither flushed nor closed. Needs no memory. */
void ik_json_to_file(ik_json *j, FILE *out, ik_json_style style);
/* Writes to a text that grows. End with ik_json_end_text (or ik_json_end, which drops the text). */
void ik_json_to_text(ik_json *j, ik_json_style style);

void ik_json_object(ik_json *j, const char *key);
void ik_json_array(ik_json *j, const char *key);
/* Closes the innermost open object or array. */
void ik_json_close(ik_json *j);
/* text NULL: its caller had no memory for it, and the writer fails with IK_ERR_MEMORY. */
void ik_json_text(ik_json *j, const char *key, const char *text);
/* A text that may hold anything, zeros too. */
void ik_json_bytes(ik_json *j, const char *key, const char *text, size_t size);
/* At most 1023 bytes. */
void ik_json_printf(ik_json *j, const char *key, const char *format, ...) IK_PRINTF(3, 4);
void ik_json_uint(ik_json *j, const char *key, uint64_t value);
void ik_json_int(ik_json *j, const char *key, int64_t value);
/* With this many significant digits (1 to 17); infinities and NAN are null. */
void ik_json_real(ik_json *j, const char *key, double value, int digits);
void ik_json_bool(ik_json *j, const char *key, bool value);
void ik_json_null(ik_json *j, const char *key);
/* null unless the value is known; null for text NULL. */
void ik_json_known(ik_json *j, const char *key, bool known, uint64_t value);
void ik_json_optional(ik_json *j, const char *key, const char *text);
/* The writer fails: what was to be written cannot be made. The first failure counts. */
void ik_json_fail(ik_json *j, ik_status status);

/* Ends the text (with a newline unless it is packed). IK_ERR_MEMORY, IK_ERR_IO (the stream
 * refused), IK_ERR_INTERNAL (nesting). */
ik_status ik_json_end(ik_json *j, ik_error *err);
/* The same for ik_json_to_text: *text ends with a 0 and is the caller's to free(). size may be
 * NULL. */
ik_status ik_json_end_text(ik_json *j, char **text, size_t *size, ik_error *err);

IK_END_DECLS
#endif
