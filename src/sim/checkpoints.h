/* SPDX-License-Identifier: Apache-2.0
 *
 * checkpoints.h: simulations that can be interrupted and continued. */
#ifndef IKAT_SIM_CHECKPOINTS_H
#define IKAT_SIM_CHECKPOINTS_H

#include "sim/measure/sim_result.h"

/* The state of a run between two steps, in a file, from which the same run, started again, goes on
 * to the same results, byte for byte. A run with them begins with the file, if it is
 * there; IK_ERR_INPUT: it is damaged, of another run, or of another build of ikat. It goes on with
 * the threads that it began with. The file is written beside the one before, and takes its place
 * once it is whole: every `every_s` seconds; and when the run is cancelled, which then takes until
 * it is written. What of a point is no run of its own (a reference, the end of jobs beside ones
 * that never end) is done again. */
typedef struct sim_checkpoints {
    const char *path;     /* of the file; borrowed */
    const char *identity; /* a text that says all that the results depend on; borrowed */
    double every_s;       /* INFINITY = when it is cancelled alone */
    /* For tests, on the simulated clock: steps of the main loop between two, 0 = none; and whether
     * the run then ends as if it was cancelled. */
    uint64_t every_steps;
    bool ends;
    /* Several runs follow one another, as in a search: each has a file of its own, `path`.1,
     * `path`.2, ..., and leaves its last state there, from which it is over at once. */
    bool several;
    /* Told by runs; all zero at first. */
    unsigned runs;    /* begun */
    bool continued;   /* one of them began with a file */
    uint64_t written; /* files */
    uint64_t failed;  /* files that could not be written, though the run went on; why (the last) */
    ik_error why;
} sim_checkpoints;

/* sim_run() (sim/measure/sim_result.h) with them; NULL = none. */
ik_status sim_run_kept(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config,
                       const ik_env *env, sim_checkpoints *kept, ik_sim_result *out, ik_error *err);
/* What ik_sim_run would refuse to write checkpoints of: IK_ERR_UNSUPPORTED. */
ik_status sim_refuse_checkpoints(const ik_sim_config *config, const ik_env *env, ik_error *err);
/* Finds out how many runs have files. */
void sim_checkpoints_find(sim_checkpoints *c);
/* Removes the files of all runs that were begun, and what killed processes left of them: their
 * results are kept. */
void sim_checkpoints_remove(const sim_checkpoints *c);

#endif
