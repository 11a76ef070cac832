/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_run.c: `ikat run FILE`: the main job: an experiment from its file to results and a summary.
 */
#include "running.h"

#include <stdlib.h>

static int run_here(cli *c)
{
    ik_experiment *e = NULL;
    ik_run_part part = {0};
    int refused = cli_read_part(c, &part);
    if (refused != CLI_DONE)
        return refused;
    cli_use_cache(c);
    refused = cli_read_experiment(c, &e);
    if (refused != CLI_DONE)
        return refused;
    const char *given = cli_get(c, "--output");
    char *made = given ? NULL : cli_beside(c->args[0], ".db");
    int status = given || made ? cli_run_experiment(c, e, &part, given ? given : made)
                               : cli_usage(c, "out of memory");
    free(made);
    ik_experiment_free(e);
    return status;
}

static int run_experiment_file(cli *c)
{
    int refused = cli_join_ranks(c, c->args[0]);
    return cli_leave_ranks(c, refused == CLI_DONE ? run_here(c) : refused);
}

static const cli_option options[] = {
    {"--output", 'o', "RESULTS.db",
     "file for the results (default: the experiment's name with .db, in the current folder)",
     false},
    CLI_EXPERIMENT_OPTIONS,
    {"--strict", 0, NULL,
     "end with exit status 1 if a claim of the experiment differs from the results", false},
    CLI_PART_OPTIONS,
    CLI_NO_CACHE,
    {0},
};

static const char *const examples[] = {"ikat run experiments/quickstart.yaml -o quickstart.db",
                                       NULL};

const ik_command ik_command_run = {
    .name = "run",
    .synopsis = "FILE [-o RESULTS.db] [--set KEY=VALUE] [--shard I/N] [--budget TIME] [--jobs N]",
    .summary = "run an experiment: build, route, prove, simulate every point, store and summarise",
    .details =
        "FILE is an experiment: a YAML file that says which fabrics, routings, traffic and loads "
        "are simulated. 'ikat help experiment' describes it.\nResults are written once a second. A "
        "run that was stopped or killed continues with the same command and repeats nothing that "
        "was written.\n--jobs processors run points in parallel or, if there are few points or "
        "memory is short, run threads within a large point; a line says which, and why. The "
        "results never depend on this.\n--shard 2/8 runs the second of eight parts of the points, "
        "on any machine; which points belong to it depends only on their parameters. mpirun -n N "
        "ikat run FILE simulates every point on N processes together. --budget "
        "decides how many points run, never what their results are.\nExit status 1: a proof failed "
        "or a deadlock occurred (the points are simulated nevertheless), or with --strict a claim "
        "of the experiment differs.\nWith --json: the object of 'ikat report --json' without "
        "drawings and single channels, and with how the points were run (execution).",
    .takes = "<file yaml yml>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run_experiment_file,
};
