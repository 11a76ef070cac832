/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/scales.h: the sizes of an experiment.
 */
#ifndef IKAT_EXPERIMENT_SCALES_H
#define IKAT_EXPERIMENT_SCALES_H

#include "experiment/yaml/ytree.h"
#include "ikat/experiment.h"

#include <stddef.h>

/* The scale of a file as it is written, as results have it. */
#define SCALE_DEFAULT "default"

/* The name that users know: that of SCALE_DEFAULT is "quick". */
const char *scale_title(const char *name);
/* Place of a name among ik_scales(); 0 of a scale that is not among them, and beyond all of them of
 * "", an experiment without scales. */
size_t scale_rank(const char *name);
/* Reads section `scales` and replaces the sections of the one that is chosen; NULL = none is. Sets
 * e->scales and e->scale. */
ik_status scale_apply(ik_experiment *e, ytree *root, const char *scale, ik_error *err);
/* Every claim that waits for a scale is judged at one that the experiment has. */
ik_status scales_check_claims(ik_experiment *e, ik_error *err);

#endif
