/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_reproduce.c: `ikat reproduce [NAME…]`: runs the experiments that reproduce papers and makes
 * one page of what became of their claims.
 */
#include "running.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- what there is */

static const char *reproduce_duration(double seconds)
{
    static char text[4][40];
    static unsigned next;
    char *out = text[next++ % 4];
    if (seconds <= 0)
        snprintf(out, sizeof text[0], "-");
    else if (seconds < 100)
        snprintf(out, sizeof text[0], "%.0f s", seconds < 1 ? 1 : seconds);
    else if (seconds < 6000)
        snprintf(out, sizeof text[0], "%.0f min", seconds / 60);
    else
        snprintf(out, sizeof text[0], "%.0f h", seconds / 3600);
    return out;
}

/* The title, a column for each scale, and the end. */
static cli_table *reproduce_list_table(const ik_scale *scales, size_t num)
{
    enum { MOST_SCALES = 16 };
    static char texts[MOST_SCALES][32];
    const char *headers[MOST_SCALES + 4] = {"name", "claims>"};
    size_t used = 2;
    for (size_t k = 0; k < num && k < MOST_SCALES; k++) {
        snprintf(texts[k], sizeof texts[k], "%s>", scales[k].name);
        headers[used++] = texts[k];
    }
    headers[used++] = "title";
    headers[used] = NULL;
    return cli_table_new(headers);
}

static double reproduce_sum(const ik_reproduction *r, const char *scale)
{
    double seconds = 0;
    for (size_t i = 0; i < r->num; i++)
        seconds += ik_reproduction_scale(r->studies[i].about, scale)->seconds;
    return seconds;
}

static int reproduce_list_text(const cli *c, const ik_reproduction *r)
{
    size_t num;
    const ik_scale *scales = ik_scales(&num);
    cli_table *t = reproduce_list_table(scales, num);
    for (size_t i = 0; i < r->num; i++) {
        const ik_experiment_about *about = r->studies[i].about;
        for (size_t k = 0; k < about->num_figures; k++) {
            if (!r->studies[i].shown[k])
                continue;
            cli_table_cell(t, "%s/%s", r->studies[i].study->paper, about->figures[k].name);
            cli_table_cell(t, "%zu", about->figures[k].num_claims);
            for (size_t n = 0; n < num; n++)
                cli_table_cell(
                    t, "%s",
                    reproduce_duration(ik_reproduction_scale(about, scales[n].name)->seconds));
            cli_table_cell(t, "%s", cli_line(about->figures[k].title));
        }
    }
    cli_table_print(t, stdout, c->colour_out);
    if (c->quiet)
        return CLI_DONE;
    printf("Processor time; figures of the same experiment share it. In total about");
    for (size_t n = 0; n < num; n++)
        printf("%s %s at scale %s", n ? "," : "",
               reproduce_duration(reproduce_sum(r, scales[n].name) / c->jobs), scales[n].name);
    printf(" on %u processor%s.\n", c->jobs, c->jobs > 1 ? "s" : "");
    return CLI_DONE;
}

static void reproduce_put_scales(ik_json *j, const ik_experiment_about *about)
{
    size_t num;
    const ik_scale *scales = ik_scales(&num);
    ik_json_object(j, "scales");
    for (size_t n = 0; n < num; n++) {
        const ik_experiment_scale *s = ik_reproduction_scale(about, scales[n].name);
        ik_json_object(j, scales[n].name);
        ik_json_real(j, "seconds", s->seconds, CLI_DIGITS);
        ik_json_text(j, "same_as", s->same ? s->like : "");
        ik_json_text(j, "why", s->why);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static int reproduce_list_json(const cli *c, const ik_reproduction *r)
{
    ik_json j;
    ik_error err;
    ik_json_to_file(&j, stdout, IK_JSON_INDENTED);
    ik_json_array(&j, NULL);
    for (size_t i = 0; i < r->num; i++) {
        const ik_experiment_about *about = r->studies[i].about;
        for (size_t k = 0; k < about->num_figures; k++) {
            char name[160];
            if (!r->studies[i].shown[k])
                continue;
            snprintf(name, sizeof name, "%s/%s", r->studies[i].study->paper,
                     about->figures[k].name);
            ik_json_object(&j, NULL);
            ik_json_text(&j, "name", name);
            ik_json_text(&j, "title", about->figures[k].title);
            ik_json_uint(&j, "claims", about->figures[k].num_claims);
            reproduce_put_scales(&j, about);
            ik_json_text(&j, "experiment", r->studies[i].study->name);
            ik_json_close(&j);
        }
    }
    ik_json_close(&j);
    ik_status status = ik_json_end(&j, &err);
    return cli_written(c, status, &err, CLI_DONE);
}

/* ---- running */

/* Processor time of what is asked for; a shard has its share of it. */
static double reproduce_cost_of(const ik_reproduction *r, const ik_reproduced *s)
{
    double seconds = ik_reproduction_scale(s->about, r->scale)->seconds;
    return r->part.num_shards ? seconds / r->part.num_shards : seconds;
}

/* "000/fig2b, 000/fig5b (cg): title; about 41 h on 2 processors", and whose points they are. */
static void reproduce_tell_cost(const cli *c, const ik_reproduction *r, const ik_reproduced *s)
{
    char names[400] = "";
    size_t used = 0;
    for (size_t k = 0; k < s->about->num_figures && used < sizeof names; k++)
        if (s->shown[k])
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s/%s", used ? ", " : "",
                                     s->study->paper, s->about->figures[k].name);
    cli_note(c, "%s (%s): %s; about %s on %u processor%s%s", names, s->study->name, s->about->title,
             reproduce_duration(reproduce_cost_of(r, s) / c->jobs), c->jobs, c->jobs > 1 ? "s" : "",
             access(s->results, F_OK) == 0 ? " from the beginning" : "");
    const ik_experiment_scale *scale = ik_reproduction_scale(s->about, r->scale);
    if (scale->same)
        cli_note(c, "its scale %s is %s: %s", scale->name, scale->like, cli_line(scale->why));
}

static void reproduce_tell_whole_cost(const cli *c, const ik_reproduction *r)
{
    double seconds = 0;
    for (size_t i = 0; i < r->num; i++)
        seconds += reproduce_cost_of(r, &r->studies[i]);
    if (r->num > 1)
        cli_note(c, "%s: about %s on %s", IK_COUNT(r->num, "experiment"),
                 reproduce_duration(seconds / c->jobs), cli_counted(c->jobs, "processor"));
}

/* When the budget is spent a study is not begun; of one that was begun earlier no point is run, and
 * what it has is shown. Status as of run_study; *there: it has results. */
static int reproduce_run_part(cli *c, const ik_reproduction *r, const ik_reproduced *s,
                              double begun, bool *there)
{
    cli_running state = {.c = c};
    ik_run_observer observer = cli_running_observer(&state);
    ik_run_part part;
    ik_error err;
    bool failed = false;
    if (!ik_reproduction_part(r, s, ik_clock_s(CLOCK_MONOTONIC) - begun, &part)) {
        cli_note(c, "%s/%s: the budget is spent", s->study->paper, s->study->name);
        return CLI_DONE;
    }
    reproduce_tell_cost(c, r, s);
    ik_json_to_text(&state.shares, IK_JSON_PACKED);
    ik_json_array(&state.shares, NULL);
    ik_status status =
        ik_experiment_run(s->e, s->results, c->jobs, &c->env, &part, &observer, &failed, &err);
    cli_progress_end(c);
    ik_json_end(&state.shares, NULL);
    if (status == IK_ERR_CANCELLED)
        ik_hint(&err, status, "the same command continues where this one stopped");
    if (status != IK_OK)
        return cli_error(c, &err);
    *there = true;
    return failed ? CLI_FAILED : CLI_DONE;
}

/* CLI_DONE, CLI_FAILED (a proof failed or a point deadlocked), or the status of an error. */
static int reproduce_run_study(cli *c, const ik_reproduction *r, ik_reproduced *s, double begun)
{
    ik_error err;
    bool there = false;
    int status = reproduce_run_part(c, r, s, begun, &there);
    if (there && cli_speaks(c) && ik_reproduction_write(r, s, &err) != IK_OK)
        return cli_error(c, &err);
    return status;
}

/* A study that cannot be run does not stop the others; a signal does. Among ranks, one that only
 * some of them can run stops all; those that none can run are found before the first. */
static int reproduce_run_all(cli *c, ik_reproduction *r)
{
    ik_error err;
    int all = CLI_DONE;
    double begun = ik_clock_s(CLOCK_MONOTONIC);
    reproduce_tell_whole_cost(c, r);
    for (size_t i = 0; c->env.ranks && i < r->num; i++) {
        r->studies[i].refused =
            ik_experiment_refuse_ranks(r->studies[i].e, &r->part, &err) != IK_OK;
        if (r->studies[i].refused)
            all = cli_error(c, &err);
    }
    for (size_t i = 0; i < r->num; i++) {
        if (r->studies[i].refused)
            continue;
        int status = reproduce_run_study(c, r, &r->studies[i], begun);
        if (status > CLI_USAGE || (status == CLI_USAGE && c->env.ranks))
            return status;
        all = status > all ? status : all;
    }
    return all;
}

/* ---- what became of it */

typedef struct shown_claims {
    const cli *c;
    bool power; /* only claims that would also hold with other results */
} shown_claims;

static void reproduce_print_claim(const cli *c, const ik_reproduced *s, const ik_claim *claim,
                                  const char *colour)
{
    bool differs = claim->verdict == IK_CLAIM_DIFFERS;
    printf("%s%-14s%s  %s/%-8s  %s\n", c->colour_out ? colour : "",
           ik_claim_verdict_name(claim->verdict), c->colour_out ? "\033[0m" : "", s->study->paper,
           claim->figure, cli_line(claim->claim));
    printf("%-16s%s%s%s%s\n", "", cli_line(claim->found), claim->paper[0] ? " (the source: " : "",
           cli_line(claim->paper), claim->paper[0] ? ")" : "");
    printf("%-16sasked: %s", "", cli_line(claim->asked));
    if (isnan(claim->margin))
        putchar('\n');
    else
        printf(claim->margin < 0.1 ? " (margin %.2g %%)\n" : " (margin %.0f %%)\n",
               100 * claim->margin);
    if (claim->weak[0])
        printf("%-16sweak: %s\n", "", cli_line(claim->weak));
    if (claim->blind[0])
        printf("%-16swould also hold %s\n", "", claim->blind);
    if (differs)
        printf("%-16s%s%s\n", "", claim->differs[0] ? "known: " : "no reason is recorded",
               cli_line(claim->differs));
    else if (claim->differs[0] && claim->verdict == IK_CLAIM_HOLDS)
        printf("%-16sa reason for a difference is recorded: %s\n", "", cli_line(claim->differs));
}

static ik_status reproduce_put_claim(void *ctx, const ik_reproduced *s, const ik_claim *claim,
                                     ik_error *err)
{
    static const char *const colours[] = {[IK_CLAIM_HOLDS] = "\033[32m",
                                          [IK_CLAIM_DIFFERS] = "\033[1;31m",
                                          [IK_CLAIM_UNTOLD] = "\033[33m"};
    const shown_claims *x = ctx;
    (void)err;
    if (claim->verdict != IK_CLAIM_NOT_ASKED && (!x->power || claim->blind[0]))
        reproduce_print_claim(x->c, s, claim, colours[claim->verdict]);
    return IK_OK;
}

static int reproduce_put_json(const cli *c, const ik_reproduction *r,
                              const ik_reproduction_verdicts *v, int status)
{
    ik_json j;
    ik_error err;
    cli_json_begin(&j);
    ik_reproduction_json(r, v, &j);
    ik_json_close(&j);
    ik_status done = ik_json_end(&j, &err);
    return cli_written(c, done, &err, status);
}

static void reproduce_put_text(const ik_reproduction *r, const ik_reproduction_verdicts *v,
                               bool power)
{
    static const char *const texts[] = {[IK_BASIS_PUBLICATION] = "claims of papers",
                                        [IK_BASIS_TWIN] = "against ikat's own predictions",
                                        [IK_BASIS_PROGRAM] = "against another program"};
    putchar('\n');
    for (size_t i = 0; i < IK_NUM_BASES; i++) {
        const ik_verdicts *n = &v->by_basis[i];
        if (n->hold + n->differ + n->untold + n->not_asked)
            printf(
                "%s: %zu hold, %zu differ (for %zu a reason is recorded), %zu cannot be told, %zu "
                "are checked only at a larger scale\n",
                texts[i], n->hold, n->differ, n->recorded, n->untold, n->not_asked);
    }
    if (power)
        printf("of %zu claims that hold %zu would also hold with other results; %zu of these are "
               "not marked as weak\n",
               v->num.hold, v->blind, v->unexplained);
    if (v->lacking)
        printf("%zu of %s %s no results\n", v->lacking, IK_COUNT(r->num, "experiment"),
               v->lacking == 1 ? "has" : "have");
    if (v->lacking < r->num)
        printf("%s/index.html\n", cli_line(r->folder));
}

/* Where no experiment has results, an earlier page stays as it is. */
static int reproduce_show_verdicts(cli *c, const ik_reproduction *r, int status)
{
    shown_claims shown = {c, cli_has(c, "--power")};
    ik_reproduction_verdicts v;
    ik_error err;
    ik_status done = ik_reproduction_judge(r, c->json || c->quiet ? NULL : reproduce_put_claim,
                                           &shown, &v, &err);
    if (done == IK_OK && v.lacking < r->num)
        done = ik_reproduction_write_page(r, &err);
    if (done != IK_OK)
        return cli_error(c, &err);
    size_t bad = shown.power ? v.unexplained : v.num.differ - v.num.recorded;
    if (bad && status == CLI_DONE)
        status = CLI_FAILED;
    if (c->json)
        return reproduce_put_json(c, r, &v, status);
    reproduce_put_text(r, &v, shown.power);
    return status;
}

/* The scale that --scale or --full names; NULL without them. */
static const char *reproduce_scale_of(const cli *c)
{
    size_t num;
    const ik_scale *scales = ik_scales(&num);
    return cli_has(c, "--full") ? scales[num - 1].name : cli_get(c, "--scale");
}

static int reproduce_do(cli *c, ik_reproduction *r)
{
    ik_error err;
    if (cli_has(c, "--list"))
        return c->json ? reproduce_list_json(c, r) : reproduce_list_text(c, r);
    if (cli_speaks(c) && ik_reproduction_make_folders(r, &err) != IK_OK)
        return cli_error(c, &err);
    int status = reproduce_run_all(c, r);
    return status <= CLI_USAGE && cli_speaks(c) ? reproduce_show_verdicts(c, r, status) : status;
}

static int reproduce_here(cli *c)
{
    const char *folder = cli_get(c, "--output");
    ik_reproduction r = {0};
    ik_run_part part = {0};
    ik_error err;
    int status = cli_not_with(c, "--full", "--scale");
    if (status == CLI_DONE)
        status = cli_read_part(c, &part);
    static const char *const running[] = {"--output", "--budget", "--shard", "--only", "--power"};
    for (size_t i = 0; i < sizeof running / sizeof *running && status == CLI_DONE; i++)
        status = cli_not_with(c, running[i], "--list");
    if (status != CLI_DONE)
        return status;
    cli_use_cache(c);
    status = ik_reproduction_open(c->args, (size_t)c->num_args, folder ? folder : "reproductions",
                                  reproduce_scale_of(c), &part, &r, &err) == IK_OK
                 ? reproduce_do(c, &r)
                 : cli_usage_error(c, &err);
    ik_reproduction_close(&r);
    return status;
}

static int reproduce_run(cli *c)
{
    int refused = cli_join_ranks(c, NULL);
    return cli_leave_ranks(c, refused == CLI_DONE ? reproduce_here(c) : refused);
}

static const cli_option options[] = {
    {"--list", 0, NULL, "list the names, with their claims and cost", false},
    {"--scale", 0, "NAME",
     "size of the experiments: quick (the default: minutes, for which most claims still hold), "
     "middle (the smallest that keeps what the claims depend on) or full (the papers')",
     false},
    {"--full", 0, NULL, "the same as --scale full", false},
    {"--output", 'o', "DIR", "folder for the results and the page (default: reproductions)", false},
    {"--power", 0, NULL,
     "print only claims that hold and would also hold if the effect went the other way, or that do "
     "not notice a change of 10 %",
     false},
    CLI_PART_OPTIONS,
    CLI_NO_CACHE,
    {0},
};

static const char *const examples[] = {"ikat reproduce --list", "ikat reproduce 000/fig2b", NULL};

const ik_command ik_command_reproduce = {
    .name = "reproduce",
    .synopsis = "[NAME…] [--scale NAME] [-o DIR] [--power] [--budget TIME] [--shard I/N]",
    .summary = "run the experiments of published papers and check their claims",
    .details =
        "NAME is a figure or table (000/fig2b) or a paper (000); if none is given, all are run. "
        "The expected time is printed before each experiment starts; a run that was stopped "
        "continues with the same command. DIR gets an index.html with every claim, its verdict and "
        "its figure, and for each experiment its results, report, points and figures.\nExit status "
        "1: a claim differs and no reason is recorded (with --power: a listed claim is not "
        "marked as weak), or a proof failed; 2: an experiment could "
        "not be run (the others are run nevertheless).\nWith --list --json: an array of name, "
        "title, claims, scales (of each, by its name: seconds of processor time of the whole "
        "experiment, which several names may share; same_as, the scale whose points it has; why), "
        "experiment.\nAn experiment whose scale is the same as a smaller or larger one has the "
        "results files of that one.\nmpirun -n N starts N processes that simulate every point "
        "together, as it does for 'ikat run'; experiments that cannot run so are named and left "
        "out.",
    .takes = "<studies>",
    .examples = examples,
    .options = options,
    .min_args = 0,
    .max_args = -1,
    .run = reproduce_run,
};
