/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a fabric cabled exactly as a plan?
 */
#ifndef IKAT_CAB_EXACT_H
#define IKAT_CAB_EXACT_H

#include "topology/cabling/cab_match.h"

/* A hash: all bits depend on all of x. */
uint64_t cab_exact_mix(uint64_t x);
/* Two such numbers, for qsort() and bsearch(). */
int cab_exact_compare(const void *a, const void *b);

/* Replaces the matching by one under which all cables agree, if one is found; else leaves it as it
 * is. None may be found although there is one, but that is of graphs that families are not. Cost
 * O(switches * links * diameter), bounded. */
ik_status cab_exact(const cab_graph *f, const cab_graph *p, cab_match *m, ik_error *err);

#endif
