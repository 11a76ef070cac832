/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_status.c: `ikat status RESULTS.db`: how far a sweep is, and what failed.
 */
#include "status.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Failures of a kind, in text; seconds after which a run that is seen by its file alone is said to
 * be silent: copies are renewed once a minute. */
enum { MOST_SHOWN = 20, QUIET_S = 90 };

const char *status_state(const ik_sweep_file *f)
{
    return f->running ? "running" : f->points ? "stopped" : "ended";
}

static void status_put_seconds(ik_json *j, const char *key, double seconds)
{
    if (isnan(seconds))
        ik_json_null(j, key);
    else
        ik_json_real(j, key, seconds, CLI_DIGITS);
}

static void status_put_files(ik_json *j, const ik_sweep_status *s)
{
    ik_json_array(j, "files");
    for (size_t i = 0; i < s->num_files; i++) {
        const ik_sweep_file *f = &s->files[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "file", f->path);
        ik_json_text(j, "state", status_state(f));
        ik_json_uint(j, "done", f->done);
        ik_json_known(j, "points", f->points > 0, f->points);
        status_put_seconds(j, "seconds_left", f->left_s);
        ik_json_real(j, "written_seconds_ago", f->written_s, CLI_DIGITS);
        ik_json_close(j);
    }
    ik_json_close(j);
}

void status_put_members(ik_json *j, const ik_sweep_status *s)
{
    ik_json_text(j, "title", s->title);
    ik_json_text(j, "experiment", s->experiment);
    ik_json_uint(j, "points", s->points);
    ik_json_uint(j, "done", s->done);
    ik_json_uint(j, "running", s->running);
    ik_json_uint(j, "left", s->left);
    ik_json_uint(j, "left_out", s->left_out);
    ik_json_uint(j, "failed", s->failed);
    status_put_seconds(j, "seconds_left", s->left_s);
    status_put_files(j, s);
    ik_json_array(j, "failures");
    for (size_t i = 0; i < s->num_failures; i++) {
        const ik_sweep_failure *f = &s->failures[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "kind", f->kind);
        ik_json_uint(j, "first", f->first);
        ik_json_uint(j, "points", f->points);
        ik_json_text(j, "what", f->what);
        ik_json_text(j, "why", f->why);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static int status_put_json(const cli *c, const ik_sweep_status *s, int status)
{
    ik_json j;
    cli_json_begin(&j);
    status_put_members(&j, s);
    int written = cli_json_end(c, &j);
    return written == CLI_DONE ? status : written;
}

const char *status_time(double seconds, char *text, size_t size)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t u = 0;
    if (isnan(seconds))
        return "";
    while (u < 3 && seconds < 2 * units[u].seconds)
        u++;
    snprintf(text, size, "%.0f %s", ceil(seconds / units[u].seconds), units[u].name);
    return text;
}

static void status_print_files(const cli *c, const ik_sweep_status *s)
{
    cli_table *t = cli_table_new(
        (const char *const[]){"file", "done>", "of>", "state", "time left>", "written>", NULL});
    for (size_t i = 0; i < s->num_files; i++) {
        char left[32], ago[32];
        const ik_sweep_file *f = &s->files[i];
        cli_table_cell(t, "%s", cli_line(f->path));
        cli_table_cell(t, "%s", cli_count(f->done));
        cli_table_cell(t, "%s", f->points ? cli_count(f->points) : "");
        if (f->running && !f->held && f->written_s >= QUIET_S)
            cli_table_cell(t, "running, no word for %s",
                           status_time(f->written_s, ago, sizeof ago));
        else
            cli_table_cell(t, "%s", status_state(f));
        cli_table_cell(t, "%s", status_time(f->left_s, left, sizeof left));
        cli_table_cell(t, "%s ago", status_time(f->written_s, ago, sizeof ago));
    }
    cli_table_print(t, stdout, c->colour_out);
}

/* Those of one kind; of many, the first ones. */
static void status_print_failures(const ik_sweep_status *s, const char *kind)
{
    size_t num = 0;
    for (size_t i = 0; i < s->num_failures; i++) {
        const ik_sweep_failure *f = &s->failures[i];
        if (strcmp(f->kind, kind) != 0 || num++ >= MOST_SHOWN)
            continue;
        printf("%s: ", f->kind);
        if (f->points > 1)
            printf("%s, ", cli_counted(f->points, "point"));
        else
            printf("point %s, ", cli_count(f->first));
        printf("%s: %s\n", cli_line(f->what), cli_line(f->why));
    }
    if (num > MOST_SHOWN)
        printf("%s: %zu more; --json has all\n", kind, num - MOST_SHOWN);
}

static void status_print(const cli *c, const ik_sweep_status *s)
{
    char left[32];
    printf("%s%s%s: %s of %s done, %s running, %s left", cli_line(s->title),
           s->title[0] ? ", " : "", cli_line(s->experiment), cli_count(s->done),
           cli_counted(s->points, "point"), cli_count(s->running), cli_count(s->left));
    if (s->failed)
        printf(", %s failed", cli_count(s->failed));
    if (s->left_out)
        printf(", %s left out", cli_count(s->left_out));
    if (!isnan(s->left_s))
        printf("; running files need about %s more", status_time(s->left_s, left, sizeof left));
    putchar('\n');
    if (!c->quiet)
        status_print_files(c, s);
    status_print_failures(s, "proof failed");
    status_print_failures(s, "deadlock");
    status_print_failures(s, "not completed");
    status_print_failures(s, "left out");
}

static int status_run(cli *c)
{
    ik_sweep_status *s = NULL;
    ik_error err;
    if (ik_sweep_status_read((const char *const *)c->args, (size_t)c->num_args, &s, &err) != IK_OK)
        return cli_error(c, &err);
    int status = CLI_DONE;
    for (size_t i = 0; i < s->num_failures; i++)
        if (strcmp(s->failures[i].kind, "left out") != 0)
            status = CLI_FAILED;
    if (c->json) {
        status = status_put_json(c, s, status);
    } else {
        status_print(c, s);
        status = cli_finish(c, status);
    }
    ik_sweep_status_free(s);
    return status;
}

static const cli_option options[] = {{0}};

static const char *const examples[] = {"ikat run experiments/quickstart.yaml -o quickstart.db",
                                       "ikat status quickstart.db", NULL};

const ik_command ik_command_status = {
    .name = "status",
    .synopsis = "RESULTS.db… | FOLDER",
    .summary = "show how far a sweep is: points done, running and left, time left, failures",
    .details =
        "The files are the results of one experiment: one file, or those of its shards, or a "
        "folder "
        "with them, such as 'ikat submit' makes. They may be read while runs write them.\nA file "
        "is "
        "running if a run on this machine writes it. A run that was killed on this machine is "
        "stopped "
        "at once; of one on another machine, or where the file is a copy, only the file tells: it "
        "is "
        "running if it was written in the last five minutes. The same 'ikat run' goes on with a "
        "file "
        "that is stopped. As many points of it are counted as running as the run has processors. "
        "The time left is that of the running file that takes longest, at the pace of the points "
        "that its run has finished; files of shards that have not begun do not count.\nFailures "
        "are "
        "points that deadlocked or did not complete, and plans whose proof failed; points left out "
        "are those that no run can finish, such as a routing on a fabric that it does not "
        "support.\nExit status 1: there are failures.",
    .json = "title:t experiment:t'name of its file' points:n'of the whole sweep' done:n running:n "
            "left:n left_out:n failed:n seconds_left:~r files:[{file:t state:t'running, stopped or "
            "ended' done:n points:~n'that its run is to finish; null when it has ended' "
            "seconds_left:~r written_seconds_ago:r}] failures:[{kind:t'proof failed, deadlock, not "
            "completed or left out' first:n'number of the first point' points:n what:t why:t}]",
    .takes = "<file db>|<folder>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = -1,
    .run = status_run,
};
