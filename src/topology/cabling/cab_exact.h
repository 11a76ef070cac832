/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a fabric cabled exactly as a plan?
 */
#ifndef IKAT_CAB_EXACT_H
#define IKAT_CAB_EXACT_H

#include "topology/cabling/cab_match.h"

/* Replaces the matching by one under which all cables agree, if one is found; else leaves it as it
 * is. None may be found although there is one, but that is of graphs that families are not. Cost
 * O(switches * links * diameter), bounded. */
ik_status cab_exact(const cab_graph *f, const cab_graph *p, cab_match *m, ik_error *err);

#endif
