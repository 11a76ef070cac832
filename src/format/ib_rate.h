/* SPDX-License-Identifier: Apache-2.0
 *
 * InfiniBand widths and speeds, and the writer of dumps.
 */
#ifndef IKAT_IB_RATE_H
#define IKAT_IB_RATE_H

#include "format/name_map.h"
#include "ikat/fabric.h"

#include <stdio.h>

/* Data rate in bit/s of "4xEDR", 0 if it is no width and speed. */
uint64_t ib_rate_of(slice text);
/* "4xEDR" for 100 Gb/s, "" if no width and speed have this rate. Four lanes are preferred. */
void ib_rate_name(uint64_t rate_bps, char name[16]);
/* Writes a fabric as ibnetdiscover does. */
ik_status ib_write(const ik_fabric *f, FILE *out, ik_error *err);

#endif
