/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/stored.h: the sweep that a results file was made for, of which it holds the finished
 * points and the experiment's text.
 */
#ifndef IKAT_EXPERIMENT_STORED_H
#define IKAT_EXPERIMENT_STORED_H

#include "experiment/figures/axes.h"
#include "experiment/store.h"

/* The parameters of all points, by number, finished or not: reads the experiment as it is stored.
 * scale and overrides: as stored, "" without. Costs as much as reading the experiment. Free with
 * axes_free, after a failure too. IK_ERR_INPUT: the text is no experiment (any more). */
ik_status stored_axes(const char *text, const char *scale, const char *overrides, axes *out,
                      ik_error *err);

/* What is the same in all files of one sweep, from the first of them; all zero before it. Free with
 * stored_sweep_free. */
enum { STORED_SAME = 8 };
typedef struct stored_sweep {
    ik_arena arena;
    const char *first;             /* its path */
    const char *meta[STORED_SAME]; /* of it */
} stored_sweep;
/* IK_ERR_INPUT: the file is of another sweep than the first, or of another version of ikat. */
ik_status stored_same_sweep(stored_sweep *sweep, const store *s, ik_error *err);
uint64_t stored_num_points(const stored_sweep *sweep);
void stored_sweep_free(stored_sweep *sweep);

#endif
