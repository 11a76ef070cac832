/* SPDX-License-Identifier: Apache-2.0
 *
 * rrg.h: random regular simple connected graphs, free or with the length of every edge limited on a
 * floor.
 */
#ifndef IKAT_TOPOLOGY_RRG_H
#define IKAT_TOPOLOGY_RRG_H

#include "ikat/base.h"

typedef struct rrg {
    uint32_t n, d;
    /* floor: node i at (i % width, i / width); width = 0: no floor, every pair may be an edge */
    uint32_t width, height;
    uint32_t range; /* longest edge, Manhattan; used with a floor */
    ik_rng rng;
    const ik_env *env;
    uint32_t *nbr; /* [n][d] neighbours, the first deg[u] are used */
    uint32_t *deg; /* [n] */
} rrg;

/* Fills g->nbr with a random connected d-regular graph; n, d, floor, range, rng and env are given.
 * Rows end up ascending. IK_ERR_USAGE if none was found: the reason as text. Free with rrg_free
 * also after a failure. */
ik_status rrg_make(rrg *g, ik_error *err);
void rrg_free(rrg *g);
/* How many nodes a node may be joined to at all. */
uint32_t rrg_num_in_range(const rrg *g, uint32_t u);

#endif
