/* SPDX-License-Identifier: Apache-2.0
 *
 * quantity.h: what the reader of parameters asks about a quantity that could not be read.
 */
#ifndef IKAT_BASE_QUANTITY_H
#define IKAT_BASE_QUANTITY_H

#include "ikat/base.h"

/* Is text a quantity of this dimension, rightly written, but of more than 2^64 - 1 base units? */
bool ik_quantity_is_huge(const char *text, ik_dimension dim);

#endif
