/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/running.c: tells how a run of an experiment goes, and reads which points it takes.
 */
#include "running.h"

#include <stdlib.h>
#include <string.h>

static void running_on_stage(void *ctx, const char *text)
{
    cli_running *r = ctx;
    cli_stage(r->c, "%s", text);
    if (r->c->verbose > 0)
        cli_note(r->c, "%s", text);
}

/* On a terminal the meter shows rate and time left; into a pipe goes a line every tenth of the
 * way. */
static void running_on_point(void *ctx, uint64_t done, uint64_t total, bool reused)
{
    cli_running *r = ctx;
    const cli *c = r->c;
    if (reused) {
        cli_note(c, "%llu of %s finished already", (unsigned long long)done,
                 IK_COUNT(total, "point is|points are"));
        r->reported = done;
        return;
    }
    if (c->progress && c->env.progress) {
        c->env.progress(c->env.progress_ctx, "simulating", done, total, "points");
    } else if ((done - r->reported) * 10 >= total || done == total) {
        cli_note(c, "%llu of %s", (unsigned long long)done, IK_COUNT(total, "point"));
        r->reported = done;
    }
}

static void running_put_share(ik_json *j, const ik_run_share *s)
{
    ik_json_object(j, NULL);
    ik_json_uint(j, "points", s->points);
    ik_json_uint(j, "in_parallel", s->side);
    ik_json_uint(j, "threads", s->threads);
    ik_json_uint(j, "last_points", s->last);
    ik_json_uint(j, "last_threads", s->last_threads);
    ik_json_uint(j, "point_bytes", s->point_bytes);
    if (s->ranks)
        ik_json_uint(j, "ranks", s->ranks);
    ik_json_text(j, "why", s->why);
    ik_json_close(j);
}

/* What shares the processors, and why; the same line is not repeated for every fabric. */
static void running_on_share(void *ctx, const ik_run_share *s)
{
    cli_running *r = ctx;
    char text[160], line[sizeof r->share];
    cli_stage(r->c, "simulating");
    snprintf(line, sizeof line, "%s: %s", ik_run_share_text(s, text, sizeof text), s->why);
    if (strcmp(line, r->share) != 0)
        cli_note(r->c, "%s", line);
    memcpy(r->share, line, sizeof line);
    running_put_share(&r->shares, s);
}

static void running_on_note(void *ctx, ik_severity severity, const char *text)
{
    cli_running *r = ctx;
    static const char *const colours[] = {"", "\033[33m", "\033[1;31m"};
    bool colour = r->c->colour_err;
    if (r->c->quiet)
        return;
    cli_progress_end(r->c);
    fprintf(stderr, "%s%s%s: %s\n", colour ? colours[severity] : "", ik_severity_name(severity),
            colour ? "\033[0m" : "", cli_line(text));
}

ik_run_observer cli_running_observer(cli_running *r)
{
    return (ik_run_observer){.ctx = r,
                             .stage = running_on_stage,
                             .point = running_on_point,
                             .share = running_on_share,
                             .note = running_on_note};
}

/* ---- which experiment */

enum { MAX_OVERRIDES = 256 };

static ik_status running_read_experiment(const cli *c, ik_experiment **e, ik_error *err)
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
    ik_status status = ik_experiment_read(c->args[0], overrides, e, err);
    if (status == IK_ERR_IO && !err->hint[0])
        ik_hint(err, status,
                "an experiment is a YAML file ('ikat help experiment'); 'ikat topo', 'ikat check' "
                "and 'ikat load' take a fabric");
    return status;
}

/* What is wrong with an experiment; a file that is not called one may be for another command. */
static int running_refuse(const cli *c, ik_error *err)
{
    const char *dot = strrchr(c->args[0], '.');
    bool called_one = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    if (!called_one && strcmp(c->args[0], "-") != 0 &&
        (!err->hint[0] || err->kind == IK_ERROR_FOREIGN_FILE))
        ik_hint(
            err, IK_ERR_INPUT,
            "an experiment is expected (a .yaml file, see 'ikat help experiment'); 'ikat "
            "replay' takes a trace, 'ikat report' results, 'ikat topo' and 'ikat audit' a fabric");
    return cli_error(c, err);
}

int cli_read_experiment(const cli *c, ik_experiment **e)
{
    ik_error err;
    ik_status status = running_read_experiment(c, e, &err);
    if (status == IK_OK)
        return CLI_DONE;
    return status == IK_ERR_INPUT ? running_refuse(c, &err) : cli_error(c, &err);
}

/* ---- which points */

/* "2/8": the second of eight. */
static bool running_read_shard(const char *text, ik_run_part *part)
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

/* CLI_DONE, or an exit status with the message printed. */
int cli_read_part(const cli *c, ik_run_part *part)
{
    enum { MOST = 256 };
    static const char *only[MOST + 1];
    for (int k = 0; (only[k] = cli_get_nth(c, "--only", k)); k++) {
        if (k == MOST)
            return cli_usage(c, "--only is given more than %d times", MOST);
        part->only = only;
    }
    const char *shard = cli_get(c, "--shard"), *budget = cli_get(c, "--budget"),
               *checkpoint = cli_get(c, "--checkpoint");
    if (shard && !running_read_shard(shard, part))
        return cli_usage(
            c, "--shard takes the number of a shard and how many there are, such as 2/8, not '%s'",
            shard);
    part->assignment = cli_get(c, "--assignment");
    if (part->assignment && !shard)
        return cli_usage(c, "--assignment has no effect without --shard");
    if (checkpoint &&
        !(ik_parse_seconds(checkpoint, &part->checkpoint_s) && part->checkpoint_s > 0))
        return cli_usage(c, "--checkpoint takes a time such as 90 s, 10 min or 1 h, not '%s'",
                         checkpoint);
    if (budget && !ik_parse_seconds(budget, &part->budget_s))
        return cli_usage(c, "--budget takes a time such as 90 s, 30 min, 2 h or 1 d, not '%s'",
                         budget);
    return CLI_DONE;
}

/* ---- a run */

/* The answer, and the next step. */
static int running_show_results(cli_running *r, const char *store, int status)
{
    const cli *c = r->c;
    ik_error err;
    char *execution = NULL;
    ik_json_close(&r->shares);
    ik_status shown = ik_json_end_text(&r->shares, &execution, NULL, &err);
    if (shown == IK_OK)
        shown = c->json ? ik_report_json_brief(store, execution, stdout, &err)
                        : ik_report_terminal(store, stdout, cli_width(), c->colour_out, &err);
    if (shown == IK_OK && !c->json && c->verbose > 0)
        shown = ik_report_watch(store, stdout, &err);
    free(execution);
    if (shown == IK_OK && !c->json && !c->quiet)
        printf("\nResults: %s    Report: ikat report %s\n", cli_line(store), cli_line(store));
    return cli_written(c, shown, &err, status);
}

int cli_run_experiment(cli *c, ik_experiment *e, const ik_run_part *part, const char *store)
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
    if (status == IK_OK && cli_speaks(c) && cli_has(c, "--strict"))
        status = ik_report_verdicts(store, &v, &err);
    if (status == IK_OK && !cli_speaks(c)) {
        ik_json_end(&state.shares, NULL);
        return failed ? CLI_FAILED : CLI_DONE;
    }
    if (status == IK_OK)
        return running_show_results(&state, store,
                                    failed || v.differ > v.recorded ? CLI_FAILED : CLI_DONE);
    ik_json_end(&state.shares, NULL);
    return cli_error(c, &err);
}
