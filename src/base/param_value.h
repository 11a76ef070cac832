/* SPDX-License-Identifier: Apache-2.0
 *
 * base/param_value.h: one value of a declared parameter from its text. */
#ifndef IKAT_BASE_PARAM_VALUE_H
#define IKAT_BASE_PARAM_VALUE_H

#include "ikat/base.h"

/* Reads a value of a row into *out, with its canonical text. What it takes up lies in the arena of
 * params. IK_ERR_INPUT: the text is no value of the row, or out of its range. */
ik_status ik_param_read(ik_params *params, const ik_param *p, const char *text, ik_value *out,
                        ik_error *err);

#endif
