/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_watch.c: `ikat watch`: audits a running fabric again and again, and says what changed.
 */
#define _GNU_SOURCE /* ppoll */
#include "cli.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHOWN = 8 }; /* changes that are alike */

typedef struct watching {
    cli *c;
    ik_subnet_watch_config config;
    ik_fabric *plan;
    ik_subnet_watch *watch;
    double every_s;
    bool journal; /* standard output goes to the journal, which has times and priorities */
} watching;

/* ---- lines */

/* As sd-daemon(3) says it: the journal is the stream of this device and inode. */
static bool watching_in_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char own[64];
    struct stat out;
    if (!stream || fstat(STDOUT_FILENO, &out) != 0)
        return false;
    snprintf(own, sizeof own, "%llu:%llu", (unsigned long long)out.st_dev,
             (unsigned long long)out.st_ino);
    return strcmp(stream, own) == 0;
}

static const char *watching_time(double seconds, char *text, size_t size)
{
    time_t at = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&at, &parts) || !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts))
        snprintf(text, size, "%.0f", seconds);
    return text;
}

/* What begins a line: its priority in the journal, else the time. */
static void watching_begin_line(const watching *w, const ik_round *r, ik_severity severity)
{
    static const char *const priorities[] = {"<6>", "<4>", "<3>"};
    char at[32];
    if (w->journal)
        fputs(priorities[severity], stdout);
    else
        printf("%s ", watching_time(r->time_s, at, sizeof at));
}

static const char *watching_duration(double seconds, char *text, size_t size)
{
    unsigned long s = seconds > 0 && seconds < 1e15 ? (unsigned long)seconds : 0;
    if (s < 60)
        snprintf(text, size, "%lu s", s);
    else if (s < 3600)
        snprintf(text, size, "%lu min", s / 60);
    else if (s < 86400)
        snprintf(text, size, "%lu h %02lu min", s / 3600, s / 60 % 60);
    else
        snprintf(text, size, "%lu d %02lu h", s / 86400, s / 3600 % 24);
    return text;
}

static void watching_print_past(const ik_round *r, const ik_round_change *change)
{
    const ik_round_finding *f = change->finding;
    char ago[32];
    if (f && change->event != IK_ROUND_OPENED)
        printf(" (opened %s ago", watching_duration(r->time_s - f->opened_s, ago, sizeof ago));
    else if (f && f->times > 1)
        printf(" (again");
    else
        return;
    if (f->times > 1)
        printf(", %u times in %s", f->times,
               watching_duration(r->time_s - f->first_s, ago, sizeof ago));
    putchar(')');
}

static void watching_print_change(const watching *w, const ik_round *r, const ik_round_change *k)
{
    watching_begin_line(w, r, k->event == IK_ROUND_CLOSED ? IK_NOTE : k->severity);
    printf("%s ", ik_round_event_name(k->event));
    if (k->finding)
        printf("%s [%s] ", ik_severity_name(k->severity), k->code);
    else
        printf("%s ", k->code);
    fputs(cli_line(k->text), stdout);
    watching_print_past(r, k);
    putchar('\n');
}

static bool watching_alike(const ik_round_change *a, const ik_round_change *b)
{
    return a->event == b->event && a->severity == b->severity && strcmp(a->code, b->code) == 0;
}

/* A line per change; of those that are alike the first ones, unless all are asked for. */
static void watching_print_changes(const watching *w, const ik_round *r)
{
    size_t most = cli_has(w->c, "--all") ? r->num_changes : SHOWN;
    for (size_t i = 0, end; i < r->num_changes; i = end) {
        const ik_round_change *first = &r->changes[i];
        for (end = i; end < r->num_changes && watching_alike(first, &r->changes[end]); end++)
            if (end - i < most)
                watching_print_change(w, r, &r->changes[end]);
        if (end - i <= most)
            continue;
        watching_begin_line(w, r, first->event == IK_ROUND_CLOSED ? IK_NOTE : first->severity);
        printf("%s %zu more of %s: --all shows them\n", ik_round_event_name(first->event),
               end - i - most, first->code);
    }
}

static void watching_print(const watching *w, const ik_round *r, bool always)
{
    if (r->num_changes == 0 && !always)
        return;
    watching_print_changes(w, r);
    watching_begin_line(w, r, IK_NOTE);
    printf("round %llu %s in %.2g s: %s, %s, %s", (unsigned long long)r->number,
           r->good ? "was good" : "could not be read", r->duration_s,
           IK_COUNT(r->open[IK_ERROR], "error"), IK_COUNT(r->open[IK_WARNING], "warning"),
           IK_COUNT(r->open[IK_NOTE], "note"));
    if (r->fabric)
        printf("; %s, %s, %s", IK_COUNT(r->fabric->num_hosts, "host"),
               IK_COUNT(r->fabric->num_switches, "switch"), IK_COUNT(r->cables, "cable"));
    putchar('\n');
}

/* ---- JSON: one line per round */

static void watching_put_finding(ik_json *j, const ik_round_finding *f)
{
    char at[32];
    ik_json_text(j, "opened", watching_time(f->opened_s, at, sizeof at));
    ik_json_text(j, "first", watching_time(f->first_s, at, sizeof at));
    ik_json_uint(j, "times", f->times);
}

static void watching_put_past(ik_json *j, const ik_round_finding *f)
{
    if (f) {
        watching_put_finding(j, f);
        return;
    }
    ik_json_null(j, "opened");
    ik_json_null(j, "first");
    ik_json_null(j, "times");
}

static void watching_put_texts(ik_json *j, ik_severity severity, const char *code,
                               const char *place, const char *text)
{
    ik_json_text(j, "severity", ik_severity_name(severity));
    ik_json_text(j, "code", code);
    ik_json_optional(j, "place", *place ? place : NULL);
    ik_json_text(j, "text", text);
}

static void watching_put_lists(ik_json *j, const ik_round *r)
{
    ik_json_array(j, "changes");
    for (size_t i = 0; i < r->num_changes; i++) {
        const ik_round_change *k = &r->changes[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "change", ik_round_event_name(k->event));
        watching_put_texts(j, k->severity, k->code, k->place, k->text);
        watching_put_past(j, k->finding);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_array(j, "findings");
    for (size_t i = 0; i < r->num_findings; i++) {
        const ik_round_finding *f = &r->findings[i];
        ik_json_object(j, NULL);
        watching_put_texts(j, f->severity, f->code, f->place, f->text);
        watching_put_finding(j, f);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static int watching_put_json(const watching *w, const ik_round *r)
{
    const ik_audit *a = r->audit && r->audit->has_tables ? r->audit : NULL;
    char at[32];
    ik_json j;
    ik_json_to_file(&j, stdout, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    ik_json_uint(&j, "version", IK_JSON_VERSION);
    ik_json_uint(&j, "round", r->number);
    ik_json_text(&j, "time", watching_time(r->time_s, at, sizeof at));
    ik_json_bool(&j, "good", r->good);
    ik_json_real(&j, "seconds", r->duration_s, CLI_DIGITS);
    ik_json_optional(&j, "last_good",
                     r->good_s > 0 ? watching_time(r->good_s, at, sizeof at) : NULL);
    ik_json_uint(&j, "errors", r->open[IK_ERROR]);
    ik_json_uint(&j, "warnings", r->open[IK_WARNING]);
    ik_json_uint(&j, "notes", r->open[IK_NOTE]);
    ik_json_known(&j, "hosts", r->fabric, r->fabric ? r->fabric->num_hosts : 0);
    ik_json_known(&j, "switches", r->fabric, r->fabric ? r->fabric->num_switches : 0);
    ik_json_known(&j, "cables", r->fabric, r->cables);
    ik_json_known(&j, "lost_pairs", a, a ? ik_audit_lost_pairs(&a->installed.verdict) : 0);
    ik_json_real(&j, "largest_load", a ? a->installed.max_load : NAN, CLI_DIGITS);
    watching_put_lists(&j, r);
    int status = cli_json_end(w->c, &j);
    putchar('\n');
    return status;
}

/* ---- the command */

static void watching_sleep(const cli *c, double until)
{
    sigset_t signals, before;
    sigfillset(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);
    double left = until - ik_clock_s(CLOCK_MONOTONIC);
    struct timespec wait = {(time_t)left, (long)(1e9 * (left - floor(left)))};
    if (left > 0 && !ik_env_cancelled(&c->env))
        ppoll(NULL, 0, &wait, &before); /* any signal ends it, one that is pending at once */
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static int watching_show(const watching *w, const ik_round *r, bool always)
{
    int status = CLI_DONE;
    cli_progress_end(w->c);
    if (w->c->json)
        status = watching_put_json(w, r);
    else
        watching_print(w, r, always);
    fflush(stdout);
    return status;
}

/* One round, printed and kept. *stop: nothing comes after it. */
static int watching_round(watching *w, bool always, bool *stop)
{
    const char *metrics = cli_get(w->c, "--metrics");
    ik_round r;
    ik_error err;
    *stop = true;
    ik_status status = ik_subnet_watch_round(w->watch, &w->c->env, &r, &err);
    if (status == IK_ERR_CANCELLED && !cli_has(w->c, "--once"))
        return CLI_DONE;
    if (status != IK_OK)
        return cli_error(w->c, &err);
    int exit_status = watching_show(w, &r, always);
    if (exit_status != CLI_DONE)
        return exit_status;
    if (ferror(stdout)) /* a reader that has gone is no error, and what else it is main says */
        return cli_has(w->c, "--once") && r.open[IK_ERROR] ? CLI_FAILED : CLI_DONE;
    if (metrics)
        status = ik_subnet_watch_metrics(w->watch, &r, metrics, &err);
    if (status != IK_OK)
        cli_error(w->c, &err);
    ik_status kept = ik_subnet_watch_keep(w->watch, &err);
    if (kept != IK_OK)
        cli_error(w->c, &err);
    *stop = cli_has(w->c, "--once");
    if (!*stop)
        return CLI_DONE;
    return !r.good || status != IK_OK || kept != IK_OK ? CLI_USAGE
           : r.open[IK_ERROR]                          ? CLI_FAILED
                                                       : CLI_DONE;
}

static int watching_rounds(watching *w)
{
    bool stop = false;
    int status = CLI_DONE;
    double next = ik_clock_s(CLOCK_MONOTONIC);
    for (bool first = true; !stop; first = false) {
        status = watching_round(w, first || w->c->verbose, &stop);
        if (stop)
            break;
        /* rounds that it missed are left out */
        next += w->every_s * (1 + floor((ik_clock_s(CLOCK_MONOTONIC) - next) / w->every_s));
        watching_sleep(w->c, next);
        stop = ik_env_cancelled(&w->c->env);
    }
    return status;
}

static ik_status watching_get_time(const cli *c, const char *name, double fallback, double *seconds,
                                   ik_error *err)
{
    const char *text = cli_get(c, name);
    uint64_t ps = 0;
    *seconds = fallback;
    if (!text)
        return IK_OK;
    ik_status status = ik_parse_quantity(text, IK_DIM_TIME, &ps, err);
    *seconds = (double)ps * 1e-12;
    if (status == IK_OK && ps == 0)
        status = ik_fail(err, IK_ERR_USAGE, "%s must be above 0", name);
    return status;
}

/* That the file can be written, before the first round takes its time; it is left as it is. */
static ik_status watching_try_metrics(const cli *c, ik_error *err)
{
    const char *path = cli_get(c, "--metrics");
    ik_output file;
    ik_status status = path ? ik_output_open(&file, path, err) : IK_OK;
    if (status == IK_OK && path)
        ik_output_close(&file, IK_ERR_CANCELLED, NULL);
    return status;
}

static ik_status watching_configure(watching *w, ik_error *err)
{
    const cli *c = w->c;
    const char *bytes = cli_get(c, "--output-limit");
    const char *plan = cli_get(c, "--plan");
    w->config = (ik_subnet_watch_config){.commands = {cli_get(c, "--fabric-command"),
                                                      cli_get(c, "--lfts-command"),
                                                      cli_get(c, "--counters-command")},
                                         .audit = {.sl2vl = cli_get(c, "--sl2vl"),
                                                   .policy = cli_get(c, "--policy"),
                                                   .path_records = cli_get(c, "--path-records"),
                                                   .engine = cli_get(c, "--engine"),
                                                   .baseline = cli_get(c, "--baseline")},
                                         .names = cli_get(c, "--names"),
                                         .guid2lid = cli_get(c, "--guid2lid"),
                                         .folder = cli_get(c, "--state"),
                                         .output_bytes = (uint64_t)4 << 30};
    w->journal = watching_in_journal();
    ik_status status = watching_get_time(c, "--every", 300, &w->every_s, err);
    if (status == IK_OK)
        status = watching_get_time(c, "--timeout", 300, &w->config.timeout_s, err);
    if (status == IK_OK && bytes)
        status = ik_parse_quantity(bytes, IK_DIM_SIZE, &w->config.output_bytes, err);
    if (status == IK_OK && w->config.output_bytes == 0)
        status = ik_fail(err, IK_ERR_USAGE, "--output-limit is 0: nothing could be read");
    if (status == IK_OK)
        status = watching_try_metrics(c, err);
    if (status == IK_OK && plan)
        status = ik_fabric_from_spec(plan, &c->env, &w->plan, err);
    w->config.audit.plan = w->plan;
    return status;
}

static int watching_check_options(const cli *c)
{
    static const char *const of_tables[] = {"--sl2vl", "--policy", "--path-records", "--engine"};
    for (size_t i = 0; i < sizeof of_tables / sizeof *of_tables; i++)
        if (cli_only_with(c, of_tables[i], "--lfts-command") != CLI_DONE)
            return CLI_USAGE;
    if (!cli_has(c, "--fabric-command"))
        return cli_usage(c, "--fabric-command is required: a command that prints the fabric, such "
                            "as --fabric-command ibnetdiscover");
    if (cli_not_with(c, "--every", "--once") != CLI_DONE ||
        cli_not_with(c, "--path-records", "--policy") != CLI_DONE)
        return CLI_USAGE;
    return c->json && cli_has(c, "--all")
               ? cli_usage(c, "--all has no effect with --json, which prints all changes")
               : CLI_DONE;
}

static int watch_run(cli *c)
{
    watching w = {.c = c};
    ik_error err, note;
    if (watching_check_options(c) != CLI_DONE)
        return CLI_USAGE;
    ik_status status = watching_configure(&w, &err);
    if (status == IK_OK) {
        status = ik_subnet_watch_open(&w.config, &c->env, &w.watch, &note, &err);
        char text[CLI_ERROR];
        if (status == IK_OK && note.status != IK_OK)
            cli_note(c, "%s; %s", cli_error_text(&note, text, sizeof text), note.hint);
    }
    int exit_status = status == IK_OK ? watching_rounds(&w) : cli_error(c, &err);
    ik_subnet_watch_close(w.watch);
    ik_fabric_free(w.plan);
    return exit_status;
}

static const cli_option options[] = {
    {"--fabric-command", 0, "COMMAND",
     "what prints the fabric: ibnetdiscover, or 'cat FILE' (required)", false, "<program>"},
    {"--lfts-command", 0, "COMMAND",
     "what prints the installed forwarding tables: dump_fts, or 'cat FILE'", false, "<program>"},
    {"--counters-command", 0, "COMMAND",
     "what prints the counters of the ports: 'ibqueryerrors; ibqueryerrors --counters'", false,
     "<program>"},
    {"--every", 0, "TIME",
     "time from the beginning of one round to that of the next (default 5min)", false},
    {"--once", 0, NULL, "one round only, for cron and timers", false},
    {"--state", 0, "DIR",
     "where findings are kept, so that what is known is not reported again after a restart; made "
     "if it is not there (default: a temporary folder)",
     false},
    {"--metrics", 0, "FILE",
     "also write metrics for Prometheus after each round, for the textfile collector of "
     "node_exporter",
     false},
    {"--timeout", 0, "TIME", "most time of one command, which is killed then (default 5min)",
     false},
    {"--output-limit", 0, "SIZE", "most that a command may print (default 4GiB)", false},
    {"--sl2vl", 0, "FILE", "the installed SL-to-VL maps, as 'ikat audit' reads them", false},
    {"--policy", 0, "FILE", "the QoS policy from which path records get their service levels",
     false},
    {"--path-records", 0, "FILE",
     "the service levels that the subnet manager assigns: output of 'saquery PR'", false},
    {"--engine", 0, "NAME", "the routing engine that supposedly made the tables", false,
     "minhop|updn|dnup|ftree|dor|torus-2QoS|lash|sssp|dfsssp|nue"},
    {"--plan", 0, "SPEC|FILE", "what the fabric should be (default: the family is recognised)",
     false, "<topologies>|<file>"},
    {"--names", 0, "FILE", "a node-name map: names of nodes by GUID", false},
    {"--guid2lid", 0, "FILE",
     "OpenSM's guid2lid file: the LIDs of ports, which replace those of the dump", false},
    {"--baseline", 0, "FILE",
     "what 'ikat audit --json' printed: findings that it has are not reported", false},
    {"--all", 0, NULL, "print a line for every change, not for the first eight that are alike",
     false},
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {
    "ikat watch --fabric-command 'cat data/cluster96.ibnetdiscover' --once",
    "ikat watch --fabric-command 'cat data/cluster96.ibnetdiscover' --lfts-command 'cat "
    "data/cluster96.lfts' --once --json",
    NULL};

const ik_command ik_command_watch = {
    .name = "watch",
    .synopsis = "--fabric-command COMMAND [--lfts-command COMMAND] [--counters-command COMMAND] "
                "[--every TIME] [--state DIR] [--metrics FILE] | --fabric-command COMMAND --once "
                "[--lfts-command COMMAND] [--counters-command COMMAND] [--state DIR]",
    .summary = "audit a running subnet again and again, and report what changed",
    .details =
        "Each round runs the given commands with /bin/sh, audits what they print as 'ikat audit' "
        "does, without comparing routings, and prints a line per change: a finding opened, grew "
        "(to more than twice what was last reported) or closed, a switch, host or cable appeared "
        "or vanished. A last line says how the round was; a round without changes prints nothing "
        "(with -v its last line). Findings are the same in two rounds if their code, place and "
        "text are, whatever quantities are in the text.\n"
        "Counters are compared with those of the round before; the first reading alone reports "
        "nothing. Status 1 of --counters-command is no failure: ibqueryerrors ends so where ports "
        "have errors.\n"
        "If a command fails, takes longer than --timeout, or prints what cannot be read, this is "
        "a finding (cannot-read), and all else stays as it was in the last good round.\n"
        "Where standard output is the journal of systemd, lines begin with a priority instead of "
        "the time: <3> errors, <4> warnings, <6> notes and what closed.\n"
        "Ctrl-C, SIGTERM and SIGHUP end it with status 0. With --once, exit status 0: no open "
        "finding is "
        "an error; 1: one is; 2: the round could not be read, or its state or metrics not be "
        "written. Wrong options and files end it with status 2 before the first good round; "
        "later they are findings. --json prints one object per round, each in one line.",
    .json = "round:n time:t good:b'everything could be read' seconds:r last_good:~t errors:n"
            "'findings that are open, as the next' warnings:n notes:n hosts:~n'of the last good "
            "round, as the next' switches:~n cables:~n lost_pairs:~n largest_load:~r "
            "changes:[{change:t'vanished, appeared, opened, grew, closed' severity:t code:t"
            "'of a finding; else switch, host, cable' place:~t text:t opened:~t first:~t"
            "'when it was opened for the first time' times:~n'so often since'}] "
            "findings:[{severity:t code:t place:~t text:t opened:t first:t times:n}]",
    .examples = examples,
    .options = options,
    .min_args = 0,
    .max_args = 0,
    .run = watch_run,
};
