/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_workload.h: what became of a finite workload, as JSON text.
 */
#ifndef IKAT_EXPERIMENT_STORE_WORKLOAD_H
#define IKAT_EXPERIMENT_STORE_WORKLOAD_H

#include "ikat/sim.h"

/* An object: messages, bytes, the hosts that ended last, when the others ended, the critical path;
 * "" of endless traffic. *text: free with free(). */
ik_status workload_text(const ik_sim_result *r, uint32_t num_hosts, double reference_ns,
                        char **text, ik_error *err);

#endif
