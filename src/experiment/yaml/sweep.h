/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/yaml/sweep.h: the values that one place of an experiment stands for: one, a list, a
 * range.
 */
#ifndef IKAT_EXPERIMENT_SWEEP_H
#define IKAT_EXPERIMENT_SWEEP_H

#include "base/yaml/ytree.h"

/* More values or points than this are refused with their number. */
enum { SWEEP_LIMIT = 100000 };

/* Texts for ik_params_set, each with the node it came from. */
typedef struct sweep {
    const char **text;
    const ytree **place;
    size_t num, room;
} sweep;

/* A parameter with the values it sweeps over, for products. */
typedef struct sweep_axis {
    const char *key;
    sweep values;
} sweep_axis;
/* The combination in which axis a stands at choice[a]; false after the last one (first axis
 * outermost). */
bool sweep_next(const sweep_axis *axes, size_t num, size_t *choice);

/* One more value; refused beyond SWEEP_LIMIT. */
ik_status sweep_add(sweep *s, const char *text, const ytree *place, ik_arena *arena, ik_error *err);

/* Values of `node` for parameter `p`, in written order:
 *   scalar       one value; for numbers also a range "A..B", "A..B step C" (C = 1 for whole
 *                numbers) or "A..B times F"; for texts that may be shares "0%..30% step 2%",
 *                and for those that may be numbers "0..3"
 *   list         the values of its items one after the other
 * A parameter that is itself a list of numbers takes [16, 16] or 16:16 as one value, and [[16, 16],
 * [8, 8]] as two; one that is a list of texts likewise. */
ik_status sweep_expand(const ytree *node, const ik_param *p, ik_arena *arena, sweep *out,
                       ik_error *err);

#endif
