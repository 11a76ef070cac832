/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/axes.h: what varies over the points of a sweep. A point has a text for each of
 * some keys ("fabric": "karytree:k=4,n=2"; "load": "0.5"). An axis is a key, or a key and one of
 * the parameters in its texts ("fabric.k"); its value at a point is text, and a number where it
 * is a quantity.
 */
#ifndef IKAT_EXPERIMENT_AXES_H
#define IKAT_EXPERIMENT_AXES_H

#include "base/hash.h"
#include "ikat/base.h"

#include <string.h>

typedef struct axes_key {
    const char *name;
    const char **texts; /* [num] different ones, in the order of the points */
    size_t num, room;
    ik_hash by_text;
} axes_key;

typedef struct axes {
    ik_arena arena;
    axes_key *keys;
    size_t num_keys, num_points;
    uint32_t *cells; /* [num_points][num_keys] index of the text, IK_NONE = the point has none */
    bool partial;    /* some points of the sweep are not there: left out, or not finished */
} axes;

typedef struct axis_value {
    const char *text;  /* whole */
    const char *label; /* as much as tells it from the other values of its axis */
    double number;     /* in the unit of the axis; NAN = it is none */
} axis_value;

typedef struct axis {
    const char *name;
    size_t key;
    const char *param;  /* NULL = the whole text of the key */
    uint32_t *of;       /* [texts of the key] index of the value, IK_NONE = it has none */
    axis_value *values; /* [num] different ones, in the order of the points */
    size_t num;
    bool numeric;     /* every value is a number in the same unit */
    const char *unit; /* "ns", "bytes", "Gb/s", "m", "%" (numbers are fractions), "" = none */
} axis;

/* An empty table with these keys. Free with axes_free, after a failure too. */
ik_status axes_begin(axes *a, const char *const *keys, size_t num_keys, size_t num_points,
                     ik_error *err);
/* The text of a point; O(length). */
ik_status axes_put(axes *a, size_t point, size_t key, const char *text, ik_error *err);
void axes_free(axes *a);

/* The axis of this name, in the table's arena. Of a whole key, texts that differ in parameters of
 * `but` ([num] axes that make samples, NULL = none) alone are one value. IK_ERR_INPUT without a
 * place, with the nearest name as hint, if no point has anything of it. */
ik_status axes_find(axes *a, const char *name, const char *const *but, size_t num, axis *out,
                    ik_error *err);
bool axes_has(const axes *a, const char *name);
/* The parameters that texts of a key have, as names of axes ("fabric.k"): [*num] in the table's
 * arena, in the order of the texts. */
ik_status axes_params(axes *a, size_t key, const char ***names, size_t *num, ik_error *err);
/* Index of the value of a point; IK_NONE: its text has no such parameter. */
static inline uint32_t axis_at(const axes *a, const axis *x, size_t number)
{
    uint32_t text = a->cells[number * a->num_keys + x->key];
    return text == IK_NONE ? IK_NONE : x->of[text];
}
/* Names that the experiment itself gives, which need no word beside them. */
static inline bool axes_axis_is_label(const axis *x)
{
    return x->param && strcmp(x->param, "label") == 0;
}
/* "-" for IK_NONE. */
const char *axis_label(const axis *x, uint32_t value);
/* Whether the values in use ([num], NULL = all) are numbers in one unit: `numeric` and `unit`. */
void axis_find_numbers(axis *x, const bool *used);

/* Is this what someone wrote for a value of the axis? Of a parameter: the same text, or the same
 * number ("50%" is 0.5). Of a key: the same name, and every parameter that is written ("karytree:
 * k=4" is karytree:k=4,n=2). */
bool axis_matches(const axis *x, uint32_t value, const char *written);
/* "no point of the sweep has the routing 'dmodkk'", with the nearest value or all of them. */
ik_status axis_fail_unknown(const axis *x, const char *written, ik_error *err);
/* A text as a number in the unit that axes have; NAN: it is none. */
double axis_number(const char *text, const char **unit);

/* What two texts of a key differ in: the name of an axis in `out` ("fabric" if their names differ,
 * else "fabric.n"), the first that is not among `but` ([num]); false: nothing else. */
bool axes_differ(const axes *a, size_t key, uint32_t one, uint32_t other, const char *const *but,
                 size_t num, char *out, size_t size);

#endif
