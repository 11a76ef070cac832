/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_texts.h: what a point has that is more than numbers, as JSON texts.
 */
#ifndef IKAT_EXPERIMENT_STORE_TEXTS_H
#define IKAT_EXPERIMENT_STORE_TEXTS_H

#include "sim/measure/sim_result.h"

/* store_congestion.c: objects and a list; "" where the run has none. */
typedef struct congestion_text {
    char *summary; /* roots, culprits, victims */
    char *classes; /* what each class got */
    char *series;  /* counts, trees, shares of switches, and classes, period by period */
} congestion_text;

ik_status congestion_texts(const ik_sim_result *r, uint32_t num_switches, congestion_text *out,
                           ik_error *err);
void congestion_text_free(congestion_text *t);

/* store_watch.c: a list of packets, each with its events; free with free(). */
ik_status watch_text(const ik_watch_result *watch, char **text, ik_error *err);

/* store_workload.c: an object: messages, bytes, the hosts that ended last, when the others ended,
 * the critical path; "" of endless traffic. *text: free with free(). */
ik_status workload_text(const ik_sim_result *r, uint32_t num_hosts, double reference_ns,
                        char **text, ik_error *err);

#endif
