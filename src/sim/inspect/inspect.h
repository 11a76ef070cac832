/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect/inspect.h: what looks at the network as a whole, all partitions at rest. */
#ifndef IKAT_SIM_INSPECT_H
#define IKAT_SIM_INSPECT_H

#include "sim/measure/congest.h"
#include "sim/state/state.h"

/* Calls fn for every event that waits in a partition of this process. */
void sim_each_event(sim *s, event_fn fn, void *ctx);
/* inspect/conservation.c: the paranoid checks. Adds to what s->outcome says of them. */
ik_status sim_check_conservation(sim *s, ik_error *err);
/* What the paranoid checks of a run may look at besides one thing per event: enough for a check
 * after every window of a short run. */
enum { SIM_FREE_CHECKS = 1 << 20 };
/* divided.c: among ranks, at rest: tells the others `own` and waits for what they tell, all[q],
 * which stays until the next meeting. False: this partition or another one has failed. All ranks
 * call it. */
bool sim_meet(sim *s, ranks_bytes own, const ranks_bytes **all);
/* inspect/watchdog.c: looks for packets that can never move again; sets deadlock and
 * deadlock_text. Among ranks, all of them call it. */
ik_status sim_find_deadlock(sim *s, ik_error *err);
/* inspect/missing.c: at the end of a workload that was not completed, at `time`: what is missing
 * and what that waits for, to missing_text. */
ik_status sim_describe_missing(sim *s, uint64_t time, ik_error *err);
/* inspect/congest_packets.c */
congest_setup sim_congest_setup(const sim *s); /* num_samples 0 = nothing to sample */
ik_status sim_congest_sample(sim *s, uint64_t time, ik_error *err);

/* What in-order delivery keeps at both ends of every flow. */
ik_status sim_check_reorder(sim *s, ik_error *err);

#endif
