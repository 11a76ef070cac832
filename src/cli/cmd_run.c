/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_run.c: `ikat run FILE`: the main job: an experiment from its file to results and a summary.
 */
#include "running.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OVERRIDES = 256 };

static ik_status run_read_experiment(cli *c, ik_experiment **e, ik_error *err)
{
    const char *overrides[MAX_OVERRIDES + 3] = {NULL};
    char seed[48], scale[160];
    int n = 0;
    for (const char *text; (text = cli_get_nth(c, "--set", n)); n++) {
        if (n == MAX_OVERRIDES)
            return ik_fail(err, IK_ERR_USAGE, "--set is given more than %d times", MAX_OVERRIDES);
        overrides[n] = text;
    }
    if (cli_has(c, "--seed")) {
        snprintf(seed, sizeof seed, "seeds=[%llu]", (unsigned long long)c->seed);
        overrides[n++] = seed;
    }
    if (cli_has(c, "--scale")) {
        snprintf(scale, sizeof scale, "scale=%s", cli_get(c, "--scale"));
        overrides[n] = scale;
    }
    return ik_experiment_read(c->args[0], overrides, e, err);
}

/* What is wrong with an experiment; a file that is not called one may be for another command. */
static int run_refuse(const cli *c, ik_error *err)
{
    const char *dot = strrchr(c->args[0], '.');
    bool called_one = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    if (!called_one && strcmp(c->args[0], "-") != 0 &&
        (!err->hint[0] || strstr(err->text, "is not text")))
        ik_hint(
            err, IK_ERR_INPUT,
            "an experiment is expected (a .yaml file, see 'ikat help experiment'); 'ikat "
            "replay' takes a trace, 'ikat report' results, 'ikat topo' and 'ikat audit' a fabric");
    return cli_error(c, err);
}

static int run_experiment_file(cli *c)
{
    ik_experiment *e = NULL;
    ik_error err;
    ik_run_part part = {0};
    int refused = cli_read_part(c, &part);
    if (refused != CLI_DONE)
        return refused;
    cli_use_cache(c);
    ik_status read_status = run_read_experiment(c, &e, &err);
    if (read_status != IK_OK)
        return read_status == IK_ERR_INPUT ? run_refuse(c, &err) : cli_error(c, &err);
    const char *given = cli_get(c, "--output");
    char *made = given ? NULL : cli_beside(c->args[0], ".db");
    int status = given || made ? cli_run_experiment(c, e, &part, given ? given : made)
                               : cli_usage(c, "out of memory");
    free(made);
    ik_experiment_free(e);
    return status;
}

static const cli_option options[] = {
    {"--output", 'o', "RESULTS.db",
     "file for the results (default: the experiment's name with .db, in the current folder)",
     false},
    {"--set", 's', "KEY=VALUE",
     "override a value of the experiment, e.g. --set load=50% --set switch.voq=false", true,
     "<settings>"},
    {"--scale", 0, "NAME",
     "run at a scale that the experiment declares (section scales), such as full", false},
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
        "on any machine; which points belong to it depends only on their parameters. --budget "
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
