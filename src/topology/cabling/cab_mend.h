/* SPDX-License-Identifier: Apache-2.0
 *
 * Exchanging the partners of a matching while more cables agree.
 */
#ifndef IKAT_CAB_MEND_H
#define IKAT_CAB_MEND_H

#include "topology/cabling/cab_graph.h"

typedef struct cab_mend {
    const cab_graph *f, *p;
    uint32_t *plan_of, *fabric_of; /* [switches] of each, as in cab_match */
    uint32_t *tally;               /* [p->num] scratch, 0 between uses */
    uint32_t *candidate;           /* [p->num] scratch */
    uint64_t work;                 /* neighbours that were looked at in search of favourites */
} cab_mend;

/* Cables of u that agree if it is v. O(degree * log degree). */
uint32_t cab_mend_agreement(const cab_mend *m, uint32_t u, uint32_t v);
/* Exchanges pairs as long as more cables agree, in a bounded number of rounds. One round costs
 * O(links * degree). */
void cab_mend_all(cab_mend *m);

#endif
