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

/* Options --shard and --budget. CLI_DONE, or an exit status with the message printed. */
int cli_read_part(const cli *c, ik_run_part *part);
#define CLI_PART_OPTIONS                                                                           \
    {"--shard", 0, "I/N",                                                                          \
     "run only the I-th of N shards of the points; 'ikat merge' combines their results", false},   \
        {"--only", 0, "NAME=VALUE",                                                                \
         "run only the points of this swept value (load=50%); several of one name: any of them",   \
         true},                                                                                    \
    {                                                                                              \
        "--budget", 0, "TIME",                                                                     \
            "do not begin a point that would not end within TIME (30 min, 2 h)", false             \
    }

#endif
