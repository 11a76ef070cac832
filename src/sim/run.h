/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h: a run of a packet-level model from set-up to results. */
#ifndef IKAT_SIM_RUN_H
#define IKAT_SIM_RUN_H

#include "sim/measure/stationary.h"
#include "sim/parallel/rest.h"
#include "sim/state/state.h"

ik_status sim_setup(sim *s, const ik_plan *plan, const ik_traffic *traffic,
                    const ik_sim_config *config, const ik_env *env, ik_error *err);
/* The same; by this engine, if it is not NULL. It has to fit, but for that of the crossbar: another
 * one runs then. Tests compare engines. */
ik_status sim_setup_engine(sim *s, const ik_plan *plan, const ik_traffic *traffic,
                           const ik_sim_config *config, const ik_env *env, const sim_engine *only,
                           ik_error *err);
/* What refuses a run before its state is made. */
ik_status sim_check_setup(const ik_plan *plan, const ik_traffic *traffic,
                          const ik_sim_config *config, ik_error *err);
void sim_free(sim *s);
/* ---- partition.c */
unsigned sim_count_partitions(const sim *s);
uint64_t sim_partitions_bytes(const sim *s); /* of all, before the first packet */
ik_status sim_setup_partitions(sim *s, ik_error *err);
void sim_free_partitions(sim *s);
/* By which it has grown: packets, events, messages. */
uint64_t sim_partition_bytes(const partition *p);

/* ---- sim.c: from all partitions at their ends to the result, which owns what it takes */
ik_status sim_export_results(sim *s, ik_sim_result *out, ik_error *err);
/* Why the run did not come to its end; IK_OK = it did. */
ik_status sim_first_failure(const sim *s, ik_error *err);

/* ---- setup.c, results.c, checkpoint_state.c: the state that a checkpoint has */
/* Where a loop stands, between reading a step's messages and working on it. */
typedef struct steps_loop {
    rest_times times;
    uint64_t next_series;
    bool ended;
} steps_loop;
void sim_setup_carry(sim *s, sim_carrier *c);                   /* what set-up allocates */
void sim_results_carry(partition *p, sim_carrier *c);           /* what a partition has measured */
void sim_state_carry(sim *s, steps_loop *loop, sim_carrier *c); /* everything, with these */

/* ---- steps.c: the loop over windows of one partition; returns when the run is over */
void sim_run_partition(partition *p);

/* ---- divided.c: runs all partitions, on a thread each or, among ranks, the one of this rank. Then
 * all processes have all results, and come to the same answer: also about what failed. */
ik_status sim_run_partitions(sim *s, ik_error *err);
/* Among ranks: whether this one came so far without an error, and all others. */
ik_status sim_agree(const ik_env *env, ik_status status, ik_error *err);
/* What cannot be done among ranks, before anything is made. */
ik_status sim_refuse_ranks(const ik_sim_config *config, ik_error *err);
/* Among ranks, at rest: brings what other partitions have counted into this process; their batches
 * too, which are known to be complete; all that results are made of. False: the run ends, since
 * this partition or another one failed. With shared memory nothing is to do. */
bool sim_tell_counts(partition *p);
bool sim_tell_batches(partition *p);
bool sim_tell_results(partition *p);

/* What partition `id` has measured, as bytes, in the process that ran it, and back into a
 * simulation that was set up the same; NULL counts only. Returns the number of bytes. */
size_t sim_results_pack(sim *s, unsigned id, unsigned char *bytes);
size_t sim_results_unpack(sim *s, unsigned id, const unsigned char *bytes);

#endif
