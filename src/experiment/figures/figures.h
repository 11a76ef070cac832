/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/figures.h: figures and claims as an experiment declares them. They are read
 * from YAML, and stored as JSON, which is read again by the same function.
 */
#ifndef IKAT_EXPERIMENT_FIGURES_H
#define IKAT_EXPERIMENT_FIGURES_H

#include "base/yaml/ytree.h"
#include "experiment/figures/axes.h"
#include "experiment/figures/metrics.h"
#include "ikat/experiment.h"

/* One "axis: value" of a mapping; a list gives several values, any of which may be. */
typedef struct axis_match {
    const char *axis;
    const char **values;
    size_t num;
    const ytree *place; /* of the key */
    const ytree *node;  /* of the values */
} axis_match;

typedef struct matches {
    axis_match *items;
    size_t num;
    const ytree *place; /* NULL = not written */
} matches;

/* "throughput", "throughput / offered", "latency_mean_ns - network_latency_mean_ns". */
typedef struct result_expr {
    const char *text; /* NULL = not given */
    metric_id first, second;
    char op; /* '/', '-', or 0: the first alone */
} result_expr;

typedef struct name_list {
    const char **items;
    size_t num;
} name_list;

typedef enum figure_kind {
    FIGURE_AUTO, /* line for numeric x, points otherwise */
    FIGURE_LINE,
    FIGURE_POINTS,
    FIGURE_BARS,
    FIGURE_BOX,
    FIGURE_HISTOGRAM,
    FIGURE_ECDF,
    FIGURE_HEATMAP,
    FIGURE_TIME,
    FIGURE_ROUTES,
    FIGURE_LIST /* drawn as points: the view's kind is that */
} figure_kind;

enum { FIGURE_COLUMN, FIGURE_PAGE }; /* values of `width` */

typedef struct figure {
    const char *name, *title;
    figure_kind kind;
    const char *x; /* name of an axis or a result; "" = not given */
    const char *y; /* as written; of kind time a series, of kind list a list */
    name_list series, panel, over;
    const char *marks; /* "" = none */
    matches normalise_by, where;
    bool log_x, log_y;
    uint64_t from, to; /* hosts, of routes; from UINT64_MAX = all */
    unsigned bins;     /* of a histogram, 0 = by the number of samples */
    unsigned width;    /* FIGURE_COLUMN, FIGURE_PAGE */
    const ytree *node;
} figure;

typedef enum claim_op { OP_LESS, OP_AT_MOST, OP_EQUAL, OP_AT_LEAST, OP_MORE } claim_op;

/* What of the points a claim is about: the value of a result, or a property of a curve. */
typedef enum claim_measure {
    CLAIM_VALUE,
    CLAIM_SATURATION, /* lowest load that is past saturation */
    CLAIM_PLATEAU,    /* mean of y over the last third of x */
    CLAIM_PEAK,       /* largest y */
    CLAIM_ARGMAX,     /* x of the largest y */
    CLAIM_CROSSING,   /* x where two curves cross */
    CLAIM_ORDER,      /* y of several, in increasing order */
    CLAIM_TABLE       /* y of several, each beside its number in a printed table */
} claim_measure;

typedef struct claim {
    const char *text, *source;
    const char *figure;  /* to which it belongs, "" = none */
    const char *paper;   /* the value of its source, as text; "" = not said */
    const char *differs; /* why it is known to differ; "" = it is not */
    const char *weak;    /* why it may hold although the effect is not there; "" = it may not */
    ik_claim_basis basis;
    claim_measure measure;
    result_expr y; /* CLAIM_VALUE: the metric; of curves: what is drawn over x */
    const char *x; /* axis of curves */
    matches *of;   /* [num_of] */
    size_t num_of; /* 1 unless order or table */
    double *cells; /* [num_of] numbers of a table; else NULL */
    matches against, at;
    name_list over;
    claim_op op;
    bool has_value, ratio;
    size_t scale;            /* the smallest at which it is judged, its rank; 0 = any */
    bool transient;          /* its source measured one: points need not be steady */
    bool paired;             /* a ratio of each sample and the same one of the other side */
    double value, tolerance; /* of a table value is the share of cells that have to agree */
    double within;           /* an absolute difference that is ignored as well */
    const char *value_unit;  /* as axes have it; "" = it was written without one */
    const ytree *node;
} claim;

/* Reads the list of section `figures` or `expect`: keys, values, names of results; axes are not
 * examined. Everything is in the arena and points into the tree, which must live as long. */
ik_status figures_read(const ytree *list, ik_arena *arena, figure **out, size_t *num,
                       ik_error *err);
ik_status claims_read(const ytree *list, ik_arena *arena, claim **out, size_t *num, ik_error *err);
/* A section as canonical JSON; free with free(). "[]" for NULL. */
ik_status figures_store(const ytree *list, char **json, ik_error *err);

/* Whether x names a result, and no swept value. */
bool figures_x_is_result(const figure *f);
/* Place of a key of a figure or claim, of the whole where it was not written. */
const ytree *figures_place(const ytree *node, const char *key);
/* A result or a ratio or difference of two; IK_ERR_INPUT at the place with the nearest name. */
ik_status expr_read(const char *text, const ytree *place, ik_arena *arena, result_expr *out,
                    ik_error *err);

#endif
