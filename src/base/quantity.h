/* SPDX-License-Identifier: Apache-2.0
 *
 * quantity.h: what the reader of parameters asks about a quantity that could not be read.
 */
#ifndef IKAT_BASE_QUANTITY_H
#define IKAT_BASE_QUANTITY_H

#include "ikat/base.h"

/* Is text a quantity of this dimension, rightly written, but of more than 2^64 - 1 base units? */
bool ik_quantity_is_huge(const char *text, ik_dimension dim);
/* The unit that a text was to have which fits only if upper and lower case are ignored ("20 KB":
 * "kB"); NULL = there is none, or the unit fits. */
const char *ik_quantity_meant(const char *text, ik_dimension dim);

#endif
