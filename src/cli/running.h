/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/running.h: what commands that run experiments share: telling how a run goes, and options that
 * say which points are run.
 */
#ifndef IKAT_CLI_RUNNING_H
#define IKAT_CLI_RUNNING_H

#include "cli.h"

typedef struct cli_running {
    cli *c;
    ik_json shares;    /* how the points were run, fabric by fabric: a list that is open */
    char share[400];   /* the last line about it */
    uint64_t reported; /* points at the last quiet line */
} cli_running;

/* An observer that tells the user; r->c is set. */
ik_run_observer cli_running_observer(cli_running *r);

/* Runs the experiment into the results file, as the options say, and shows what came out (--json,
 * --quiet, -v, and --strict where the command has it). Returns the exit status. */
int cli_run_experiment(cli *c, ik_experiment *e, const ik_run_part *part, const char *store);

/* The experiment of the first argument, with the options below and --seed. CLI_DONE, or an exit
 * status with the message printed. */
int cli_read_experiment(const cli *c, ik_experiment **e);
#define CLI_EXPERIMENT_OPTIONS                                                                     \
    {                                                                                              \
        "--set",                                                                                   \
        's',                                                                                       \
        "KEY=VALUE",                                                                               \
        "override a value of the experiment, e.g. --set load=50% --set switch.voq=false",          \
        true,                                                                                      \
        "<settings>"},                                                                             \
    {                                                                                              \
        "--scale", 0, "NAME",                                                                      \
            "run at a scale that the experiment declares (section scales), such as full", false    \
    }

/* Options --shard and --budget. CLI_DONE, or an exit status with the message printed. */
int cli_read_part(const cli *c, ik_run_part *part);
#define CLI_PART_OPTIONS                                                                           \
    {"--shard", 0, "I/N",                                                                          \
     "run only the I-th of N shards of the points; 'ikat merge' combines their results", false},   \
        {"--only", 0, "NAME=VALUE",                                                                \
         "run only the points of this swept value (load=50%); several of one name: any of them",   \
         true},                                                                                    \
        {"--budget", 0, "TIME",                                                                    \
         "do not begin a point that would not end within TIME (30 min, 2 h)", false},              \
    {                                                                                              \
        "--checkpoint", 0, "TIME",                                                                 \
            "write the state of running simulations to RESULTS.db.checkpoints every TIME, and "    \
            "when "                                                                                \
            "the run is stopped (SIGTERM, Ctrl-C); the same command continues from there. Not "    \
            "with "                                                                                \
            "the pipelined router, watched packets or mpirun",                                     \
            false                                                                                  \
    }

/* ranks/running_ranks.c: where a launcher of MPI started several processes together and each has
 * not been given a shard of its own, joins them: c->env.ranks. All but rank 0 are silent from then
 * on. experiment: a file that all must have alike, NULL = none. CLI_DONE, or an exit status with
 * the message printed. */
int cli_join_ranks(cli *c, const char *experiment);
/* Ends that, with the exit status of this process; returns that of all. */
int cli_leave_ranks(cli *c, int status);
/* Whether this process prints: it is alone, or rank 0. */
bool cli_speaks(const cli *c);

#endif
