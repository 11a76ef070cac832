/* SPDX-License-Identifier: Apache-2.0
 *
 * report/shape.h: what the JSON texts of a results file must look like. A file may be anybody's:
 * what the report, its page and its tables rely on is checked once, when the file is read.
 */
#ifndef IKAT_REPORT_SHAPE_H
#define IKAT_REPORT_SHAPE_H

#include "base/json_value.h"

typedef enum shape_kind {
    SHAPE_TEXT,
    SHAPE_COUNT, /* a whole number, not negative */
    SHAPE_REAL,  /* any number */
    SHAPE_BOOL,
    SHAPE_LIST,   /* of `item` */
    SHAPE_OBJECT, /* of `members`, and no others */
    SHAPE_MAP,    /* of members of any name: texts and whole numbers */
} shape_kind;

typedef struct shape_member {
    const char *key; /* NULL ends the list */
    const struct shape *shape;
    bool optional;
} shape_member;

typedef struct shape {
    shape_kind kind;
    bool or_null;
    const struct shape *item;
    const shape_member *members;
} shape;

extern const shape shape_summary, shape_drawing, shape_proof, shape_params, shape_classes,
    shape_congestion, shape_congestion_series, shape_workload, shape_left_out, shape_watch,
    shape_jobs, shape_probes, shape_routes, shape_values, shape_placed_values;

/* NULL, or what is wrong and where, in text: "links[3] is no list". */
const char *shape_differs(const shape *s, const json_t *value, char *text, size_t size);

#endif
