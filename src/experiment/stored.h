/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/stored.h: the sweep that a results file was made for, of which it holds the finished
 * points and the experiment's text.
 */
#ifndef IKAT_EXPERIMENT_STORED_H
#define IKAT_EXPERIMENT_STORED_H

#include "experiment/figures/axes.h"

/* The parameters of all points, by number, finished or not: reads the experiment as it is stored.
 * scale and overrides: as stored, "" without. Costs as much as reading the experiment. Free with
 * axes_free, after a failure too. IK_ERR_INPUT: the text is no experiment (any more). */
ik_status stored_axes(const char *text, const char *scale, const char *overrides, axes *out,
                      ik_error *err);

#endif
