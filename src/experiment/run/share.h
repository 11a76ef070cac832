/* SPDX-License-Identifier: Apache-2.0
 *
 * How points share the processors: in parallel, or several threads on one. */
#ifndef IKAT_EXPERIMENT_SHARE_H
#define IKAT_EXPERIMENT_SHARE_H

#include "ikat/experiment.h"

typedef struct share_wish {
    uint64_t points, limit_bytes; /* limit 0 = none */
    unsigned jobs;
    ik_sim_estimate run; /* of the largest point */
} share_wish;

/* points, jobs >= 1. Points in parallel use processors best, as nothing is exchanged. Threads
 * serve where points are fewer than jobs, or memory holds fewer, and for the points that are left
 * over when the others came out even; each if the runs are large enough. */
void share_choose(const share_wish *wish, ik_run_share *share);

/* The same among ranks, which simulate each point together, however small it is. */
void share_choose_ranks(const share_wish *wish, unsigned num_ranks, ik_run_share *share);

#endif
