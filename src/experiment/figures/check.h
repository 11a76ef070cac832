/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/check.h: what an experiment declares of figures, checked against its sweep.
 */
#ifndef IKAT_EXPERIMENT_FIGURES_CHECK_H
#define IKAT_EXPERIMENT_FIGURES_CHECK_H

#include "experiment/yaml/ytree.h"

struct axes;

/* Sections `figures` and `expect` of a document as canonical JSON, in the arena; "[]" without. */
typedef struct figures_json {
    const char *figures, *expect;
} figures_json;

/* Writes down the points of a sweep: begins and fills the table. */
typedef ik_status (*axes_fill)(const void *ctx, struct axes *a, ik_error *err);

/* Reads and checks what is drawn of the results; `fill` is called if anything is. Every error has
 * the place of what it is about. Costs as much as writing down the parameters of every point. */
ik_status figures_check(const ytree *root, ik_arena *arena, axes_fill fill, const void *ctx,
                        figures_json *out, ik_error *err);

#endif
