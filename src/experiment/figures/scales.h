/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/scales.h: the names of the scales of papers, and their order: ik_scales().
 */
#ifndef IKAT_EXPERIMENT_FIGURES_SCALES_H
#define IKAT_EXPERIMENT_FIGURES_SCALES_H

#include <stdbool.h>
#include <stddef.h>

/* The scale of a file as it is written, as results have it. */
#define SCALE_DEFAULT "default"

/* Is it that scale, by either of its names? */
bool scale_is_written(const char *name);
/* The name that users know: that of SCALE_DEFAULT is "quick". */
const char *scale_title(const char *name);
/* Place of a name among ik_scales(); 0 of a scale that is not among them, and beyond all of them of
 * "", an experiment without scales. */
size_t scale_rank(const char *name);

#endif
