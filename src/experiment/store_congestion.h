/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_congestion.h: congestion and classes of a point as JSON texts.
 */
#ifndef IKAT_EXPERIMENT_STORE_CONGESTION_H
#define IKAT_EXPERIMENT_STORE_CONGESTION_H

#include "ikat/sim.h"

/* Objects and a list; "" where the run has none. */
typedef struct congestion_text {
    char *summary; /* roots, culprits, victims */
    char *classes; /* what each class got */
    char *series;  /* counts, trees, shares of switches, and classes, period by period */
} congestion_text;

ik_status congestion_texts(const ik_sim_result *r, uint32_t num_switches, congestion_text *out,
                           ik_error *err);
void congestion_text_free(congestion_text *t);

#endif
