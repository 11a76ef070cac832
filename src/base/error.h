/* SPDX-License-Identifier: Apache-2.0
 *
 * error.h: errors that are reported in other words.
 */
#ifndef IKAT_BASE_ERROR_H
#define IKAT_BASE_ERROR_H

#include "ikat/base.h"

/* For an error in other words than `inner`, which it is about: takes its hint, kind, meant name and
 * token (err may be NULL). */
void error_keep(ik_error *err, const ik_error *inner);

#endif
