/* SPDX-License-Identifier: Apache-2.0
 *
 * design.h: block designs: points and blocks such that every two points share exactly one block. A
 * single-path tree is one.
 */
#ifndef IKAT_TOPOLOGY_DESIGN_H
#define IKAT_TOPOLOGY_DESIGN_H

#include "ikat/base.h"

/* Every point lies in r1 blocks, every block has r2 points. num_points = 1 + r1*(r2-1), num_blocks
 * = num_points*r1/r2. */
typedef struct design {
    uint32_t r1, r2, num_points, num_blocks;
    uint32_t *blocks; /* [num_points][r1] blocks of a point */
} design;

/* The k-ML3B table: the projective plane of order k-1 in the row order of its authors. k - 1 must
 * be 1 or a prime power. */
ik_status design_ml3b(uint32_t k, design *out, ik_error *err);
/* Which construction serves (r1, r2): its name, or NULL if none does. */
const char *design_kind(uint32_t r1, uint32_t r2);
/* The design for (r1, r2); rows ascending. IK_ERR_USAGE with the nearest possible parameters if
 * design_kind is NULL. */
ik_status design_new(uint32_t r1, uint32_t r2, design *out, ik_error *err);
void design_free(design *d);
/* Inverts a design: points[num_blocks][r2], ascending. Free with free(); NULL when out of
 * memory. */
uint32_t *design_points(const design *d);

#endif
