/* SPDX-License-Identifier: Apache-2.0
 *
 * cut.h: parts of the bisection search.
 */
#ifndef IK_CUT_H
#define IK_CUT_H

#include "analysis/graph.h"

/* A partition of the switches into two sides. */
typedef struct cut_state {
    const graph *g;
    uint8_t *side;     /* [n] 0 or 1 */
    int64_t *gain;     /* [n] links to the other side minus links to the own */
    int64_t imbalance; /* hosts on side 0 minus hosts on side 1 */
    uint64_t cut;      /* links between the sides */
} cut_state;

/* gain, imbalance and cut from g and side. */
void cut_recount(cut_state *c);
/* Makes the sides hold as equal numbers of hosts as moves and exchanges can, then refines: the cut
 * never grows in the second part. */
ik_status cut_refine(cut_state *c, ik_error *err);

/* side[n]: of all partitions of 2 <= n <= 31 switches, the one with the least imbalance, and of
 * these the least cut. Cost 2^(n-1) * degree. */
ik_status cut_exact(const graph *g, uint8_t *side, ik_error *err);

/* No assignment of the switches to two sides whose hosts differ by at most `imbalance` cuts fewer
 * links than *bound (0 if nothing is known). */
ik_status cut_spectral_bound(const graph *g, uint64_t imbalance, double *bound, ik_error *err);

#endif
