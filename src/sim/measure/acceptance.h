/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/acceptance.h: whether a load is accepted, told from how fast latency grows. */
#ifndef IKAT_SIM_ACCEPTANCE_H
#define IKAT_SIM_ACCEPTANCE_H

#include "sim/measure/stationary.h"

/* From the batches from number `from` on. missing: the share of the offered load that may be left
 * behind. OPEN: these batches do not tell. */
acceptance acceptance_of(const stationary *s, size_t from, double missing);

#endif
