/* SPDX-License-Identifier: Apache-2.0
 *
 * Fabrics of no family that resemble one.
 */
#ifndef IKAT_CAB_CHANCE_H
#define IKAT_CAB_CHANCE_H

#include "topology/cabling/cab_family.h"

/* The graph with the ends of its cables exchanged at random; every switch keeps its number of
 * cables. Another one for each `sample`. Switches are of one kind. */
ik_status cab_chance_shuffled(const cab_graph *g, unsigned sample, cab_graph *out, ik_error *err);

#endif
