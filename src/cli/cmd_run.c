/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_run.c: `ikat run FILE`: the main job: an experiment from its file to results and a summary.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MAX_OVERRIDES = 256 };

typedef struct run_state {
    cli *c;
    ik_json shares;    /* how the points were run, fabric by fabric */
    char share[400];   /* the last line about it */
    uint64_t reported; /* points at the last quiet line */
} run_state;

static void on_stage(void *ctx, const char *text)
{
    run_state *r = ctx;
    cli_stage(r->c, "%s", text);
    if (r->c->verbose > 0)
        cli_note(r->c, "%s", text);
}

/* On a terminal the meter shows rate and time left; into a pipe goes a line every tenth of the
 * way. */
static void on_point(void *ctx, uint64_t done, uint64_t total, bool reused)
{
    run_state *r = ctx;
    const cli *c = r->c;
    if (reused) {
        cli_note(c, "%llu of %llu points are finished already", (unsigned long long)done,
                 (unsigned long long)total);
        r->reported = done;
        return;
    }
    if (c->progress && c->env.progress) {
        c->env.progress(c->env.progress_ctx, "simulating", done, total, "points");
    } else if ((done - r->reported) * 10 >= total || done == total) {
        cli_note(c, "%llu of %llu points", (unsigned long long)done, (unsigned long long)total);
        r->reported = done;
    }
}

static void put_share(ik_json *j, const ik_run_share *s)
{
    ik_json_object(j, NULL);
    ik_json_uint(j, "points", s->points);
    ik_json_uint(j, "in_parallel", s->side);
    ik_json_uint(j, "threads", s->threads);
    ik_json_uint(j, "last_points", s->last);
    ik_json_uint(j, "last_threads", s->last_threads);
    ik_json_uint(j, "point_bytes", s->point_bytes);
    ik_json_text(j, "why", s->why);
    ik_json_close(j);
}

/* What shares the processors, and why; the same line is not repeated for every fabric. */
static void on_share(void *ctx, const ik_run_share *s)
{
    run_state *r = ctx;
    char text[160], line[sizeof r->share];
    cli_stage(r->c, "simulating");
    snprintf(line, sizeof line, "%s: %s", ik_run_share_text(s, text, sizeof text), s->why);
    if (strcmp(line, r->share) != 0)
        cli_note(r->c, "%s", line);
    memcpy(r->share, line, sizeof line);
    put_share(&r->shares, s);
}

static void on_note(void *ctx, ik_severity severity, const char *text)
{
    run_state *r = ctx;
    static const char *const words[] = {"note", "warning", "error"};
    static const char *const colours[] = {"", "\033[33m", "\033[1;31m"};
    bool colour = r->c->colour_err;
    if (r->c->quiet)
        return;
    cli_progress_end(r->c);
    fprintf(stderr, "%s%s%s: %s\n", colour ? colours[severity] : "", words[severity],
            colour ? "\033[0m" : "", cli_line(text));
}

static unsigned terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 0;
}

/* The answer, and the next step. */
static int show_results(run_state *r, const char *store, int status)
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
    for (const char *text; n < MAX_OVERRIDES && (text = cli_get_nth(c, "--set", n)); n++)
        overrides[n] = text;
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

/* "2/8": the second of eight. */
static bool read_shard(const char *text, ik_run_part *part)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    unsigned long shard = strtoul(text, &end, 10);
    if (*end != '/' || end[1] < '0' || end[1] > '9')
        return false;
    unsigned long num = strtoul(end + 1, &end, 10);
    if (*end || shard < 1 || shard > num || num > 1000000)
        return false;
    part->shard = (unsigned)shard;
    part->num_shards = (unsigned)num;
    return true;
}

/* "2 h", "30min", "1.5 d", "90 s". */
static bool read_budget(const char *text, ik_run_part *part)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    double value = strtod(text, &end);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0)
            part->budget_s = value * units[i].seconds;
    return part->budget_s > 0 && part->budget_s <= 1e9;
}

/* CLI_DONE, or an exit status with the message printed. */
static int read_part(const cli *c, ik_run_part *part)
{
    const char *shard = cli_get(c, "--shard"), *budget = cli_get(c, "--budget");
    if (shard && !read_shard(shard, part))
        return cli_usage(
            c, "--shard takes the number of a shard and how many there are, as 2/8, not '%s'",
            shard);
    if (budget && !read_budget(budget, part))
        return cli_usage(c, "--budget takes a time as 90 s, 30 min, 2 h or 1 d, not '%s'", budget);
    return CLI_DONE;
}

static int run_experiment(cli *c, ik_experiment *e, const ik_run_part *part, const char *store)
{
    run_state state = {.c = c};
    ik_run_observer observer = {
        .ctx = &state, .stage = on_stage, .point = on_point, .share = on_share, .note = on_note};
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
    int refused = read_part(c, &part);
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
    {"--shard", 0, "I/N",
     "only the I-th of N shards of the points; 'ikat merge' joins their results", false},
    {"--budget", 0, "TIME", "begin no point that would not end within TIME (30 min, 2 h)", false},
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
