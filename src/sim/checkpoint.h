/* SPDX-License-Identifier: Apache-2.0
 *
 * checkpoint.h: the checkpoints of one run: their file, and when one is written.
 *
 * A file: a head of a fixed size, texts (which build of ikat wrote it, and what is run), and the
 * state as checkpoint_state.c carries it. Head and rest have a checksum each, which is compared
 * before anything is restored; they tell damage, not malice. All numbers are those of the machine,
 * since only the same build of ikat takes the file. */
#ifndef IKAT_SIM_CHECKPOINT_H
#define IKAT_SIM_CHECKPOINT_H

#include "sim/checkpoints.h"
#include "sim/run.h"

typedef struct checkpointing {
    sim_checkpoints *asked;
    char *path;      /* of this run's file */
    char engine[32]; /* that wrote it */
    double due_s;    /* CLOCK_MONOTONIC, of the next one */
    uint64_t steps;  /* since the last one */
    ik_env env;      /* of the run: with the threads of the file */
    FILE *from;      /* the file, where the state begins; NULL = there is none */
    bool resumed;    /* the state is the file's, and */
    steps_loop loop; /* where it goes on */
    bool stopped;    /* the run ends with the file that was written */
} checkpointing;

/* Whether the run was given up: with checkpoints, once the last one is written. One that came to
 * its end before it was asked to stop has its results. */
static inline bool checkpoint_is_cancelled(const sim *s)
{
    return s->checkpoint ? s->checkpoint->stopped : ik_env_cancelled(s->env);
}

/* For the next of these runs, with env: looks for its file, and checks it. End it with
 * checkpoint_end, in any case. */
ik_status checkpoint_begin(checkpointing *c, sim_checkpoints *asked, const ik_env *env,
                           ik_error *err);
void checkpoint_end(checkpointing *c);
/* Restores what the file has into a simulation that was set up with c->env. */
ik_status checkpoint_restore(checkpointing *c, sim *s, ik_error *err);
/* Counts a step: whether a file is to be written before it is worked on. */
bool checkpoint_is_due(checkpointing *c);
/* Writes the file, while all partitions rest. Only where the run ends with that a failure is one;
 * else it is noted. */
ik_status checkpoint_write(sim *s, steps_loop *loop, ik_error *err);

#endif
