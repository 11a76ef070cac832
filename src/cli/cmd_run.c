/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_run.c: `ikat run FILE`: the main job: an experiment from its file to results and a summary.
 */
#include "estimate.h"
#include "running.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

/* What it would take, and nothing done. store: what is finished, if it is there. */
static int run_dry(cli *c, ik_experiment *e, const ik_run_part *part, const char *store)
{
    struct stat info;
    ik_sweep_estimate *s = NULL;
    ik_error err;
    size_t num = stat(store, &info) == 0 && info.st_size > 0;
    cli_stage(c, "estimating");
    ik_status status = ik_experiment_estimate(e, part, &store, num, &c->env, &s, &err);
    cli_progress_end(c);
    if (status != IK_OK)
        return cli_error(c, &err);
    const task_limits none = {.seconds = INFINITY, .bytes = INFINITY, .jobs = 1};
    int ended = CLI_DONE;
    if (c->json) {
        ik_json j;
        cli_json_begin(&j);
        estimate_put(&j, e, s);
        ended = cli_json_end(c, &j);
    } else {
        estimate_print(stdout, "", e, s, NULL, 0, &none);
        ended = cli_finish(c, CLI_DONE);
    }
    ik_sweep_estimate_free(s);
    return ended;
}

static int run_here(cli *c)
{
    static const char *const unused[] = {"--budget", "--checkpoint", "--strict", "--no-cache"};
    ik_experiment *e = NULL;
    ik_run_part part = {0};
    int refused = cli_read_part(c, &part);
    for (size_t i = 0; refused == CLI_DONE && i < sizeof unused / sizeof *unused; i++)
        refused = cli_not_with(c, unused[i], "--dry-run");
    if (refused != CLI_DONE)
        return refused;
    cli_use_cache(c);
    refused = cli_read_experiment(c, &e);
    if (refused != CLI_DONE)
        return refused;
    const char *given = cli_get(c, "--output");
    char *made = given ? NULL : cli_beside(c->args[0], ".db");
    const char *store = given ? given : made;
    int status = !store                    ? cli_usage(c, "out of memory")
                 : cli_has(c, "--dry-run") ? run_dry(c, e, &part, store)
                                           : cli_run_experiment(c, e, &part, store);
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
    {"--assignment", 0, "FILE",
     "with --shard: the file that says which points are of which shard, as 'ikat submit' writes it",
     false},
    {"--dry-run", 0, NULL,
     "print how long the points that are not finished will take, and run nothing", false},
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
        "decides how many points run, never what their results are. --dry-run estimates the time "
        "and "
        "the memory of the points, the better the more of them the results file has already.\nExit "
        "status 1: a proof failed "
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
