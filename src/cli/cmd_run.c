/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_run.c: `ikat run FILE`: the main job: an experiment from its file to results and a summary.
 */
#include "running.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MAX_OVERRIDES = 256 };

static unsigned terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 0;
}

/* The answer, and the next step. */
static int show_results(cli_running *r, const char *store, int status)
{
    const cli *c = r->c;
    ik_error err;
    char *execution = NULL;
    ik_json_close(&r->shares);
    ik_status shown = ik_json_end_text(&r->shares, &execution, NULL, &err);
    if (shown == IK_OK)
        shown = c->json ? ik_report_json_brief(store, execution, stdout, &err)
                        : ik_report_terminal(store, stdout, terminal_width(), c->colour_out, &err);
    if (shown == IK_OK && !c->json && c->verbose > 0)
        shown = ik_report_watch(store, stdout, &err);
    free(execution);
    if (shown == IK_OK && !c->json && !c->quiet)
        printf("\nResults: %s    Report: ikat report %s\n", cli_line(store), cli_line(store));
    return cli_written(c, shown, &err, status);
}

static ik_status read_experiment(cli *c, ik_experiment **e, ik_error *err)
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

static int run_experiment(cli *c, ik_experiment *e, const ik_run_part *part, const char *store)
{
    cli_running state = {.c = c};
    ik_run_observer observer = cli_running_observer(&state);
    bool failed = false;
    ik_error err;
    ik_json_to_text(&state.shares, IK_JSON_PACKED);
    ik_json_array(&state.shares, NULL);
    ik_status status =
        ik_experiment_run(e, store, c->jobs, &c->env, part, &observer, &failed, &err);
    cli_progress_end(c);
    if (status == IK_ERR_CANCELLED)
        ik_hint(&err, status, "the same command continues where this one stopped");
    ik_verdicts v = {0};
    if (status == IK_OK && cli_has(c, "--strict"))
        status = ik_report_verdicts(store, &v, &err);
    if (status == IK_OK)
        return show_results(&state, store, failed || v.differ > v.recorded ? CLI_FAILED : CLI_DONE);
    ik_json_end(&state.shares, NULL);
    return cli_error(c, &err);
}

static int run(cli *c)
{
    ik_experiment *e = NULL;
    ik_error err;
    ik_run_part part = {0};
    int refused = cli_read_part(c, &part);
    if (refused != CLI_DONE)
        return refused;
    cli_use_cache(c);
    if (read_experiment(c, &e, &err) != IK_OK)
        return cli_error(c, &err);
    const char *given = cli_get(c, "--output");
    char *made = given ? NULL : cli_beside(c->args[0], ".db");
    int status = given || made ? run_experiment(c, e, &part, given ? given : made)
                               : cli_usage(c, "out of memory");
    free(made);
    ik_experiment_free(e);
    return status;
}

static const cli_option options[] = {
    {"--output", 'o', "RESULTS.db",
     "where results go (default: the experiment's name with .db, in the current folder)", false},
    {"--set", 's', "KEY=VALUE", "overrides one value, e.g. --set load=50% --set switch.voq=false",
     true},
    {"--scale", 0, "NAME", "a scale that the experiment declares (section scales), as full", false},
    {"--strict", 0, NULL, "exit status 1 if a claim of the experiment differs from the results",
     false},
    CLI_PART_OPTIONS,
    CLI_NO_CACHE,
    {0},
};

static const char *const examples[] = {"ikat run experiments/quickstart.yaml -o quickstart.db",
                                       NULL};

const ik_command ik_command_run = {
    .name = "run",
    .synopsis = "FILE [-o RESULTS.db] [--set KEY=VALUE] [--shard I/N] [--budget TIME] [--jobs N]",
    .summary = "run an experiment: build, route, prove, simulate every point, store and sum up",
    .details = "Results are written point by point: a run that was stopped or killed continues "
               "with the same command and repeats\n"
               "nothing that was finished. --jobs processors are shared by points in parallel or, "
               "where these are few or memory is\n"
               "short, by threads within a large point: a line says which and why. The results "
               "never depend on it. Exit status 1: a proof failed\n"
               "or a deadlock happened (the points are simulated all the same), or with --strict a "
               "claim of the experiment differs. See 'ikat help "
               "experiment' for the file.\n"
               "--shard 2/8 runs the second of eight parts of the points, on any machine; which "
               "points they are depends on their parameters alone.\n"
               "--budget decides how many points run, never what comes out of them.\n"
               "With --json: the object of 'ikat report --json' without drawings and single "
               "channels, and with how the points were run\n"
               "(execution).",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
