/* SPDX-License-Identifier: Apache-2.0
 *
 * scale.h: helpers for the size series of the families.
 */
#ifndef IKAT_TOPOLOGY_SCALE_H
#define IKAT_TOPOLOGY_SCALE_H

#include "ikat/topology.h"

/* Fills the counts of a network of equal switches with `degree` network ports and p hosts each. */
void scale_direct(ik_scale_point *out, double switches, double degree, double p);

#endif
