/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/check.h: what an experiment declares of figures, checked against its sweep.
 */
#ifndef IKAT_EXPERIMENT_FIGURES_CHECK_H
#define IKAT_EXPERIMENT_FIGURES_CHECK_H

#include "base/yaml/ytree.h"
#include "experiment/figures/metrics.h"

struct axes;
struct figure;
struct claim;

/* Sections `figures` and `expect` of a document, in the arena; as canonical JSON, "[]" without. */
typedef struct figures_declared {
    const char *figures_json, *expect_json;
    struct figure *figures;
    struct claim *claims;
    size_t num_figures, num_claims;
} figures_declared;

/* Writes down the points of a sweep: begins and fills the table. */
typedef ik_status (*axes_fill)(const void *ctx, struct axes *a, ik_error *err);

/* Reads and checks what is drawn of the results; `fill` is called if anything is. Claims that are
 * judged only at scales beyond `rank` are not checked. Every error has the place of what it is
 * about. Costs as much as writing down the parameters of every point. */
ik_status figures_check(const ytree *root, ik_arena *arena, size_t rank, axes_fill fill,
                        const void *ctx, figures_declared *out, ik_error *err);

/* A result that a figure or claim is made of, by its name, and where it was written. */
typedef ik_status (*result_seen)(void *ctx, metric_id id, const char *name, const ytree *place,
                                 ik_error *err);
/* Calls `seen` for each of them, in the order of the document, until it fails. Looks at keys and
 * names of results alone: the sections of the sweep need not be read. */
ik_status figures_results(const ytree *root, ik_arena *arena, result_seen seen, void *ctx,
                          ik_error *err);

#endif
