/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_report.c: `ikat report RESULTS.db`: the HTML report, or CSV or JSON.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The option that makes what a file's name says it is; "": any may. */
static const char *report_option_of(const char *path)
{
    static const struct {
        const char *ending, *option;
    } endings[] = {{".csv", "--csv"},
                   {".json", "--json"},
                   {".svg", "--figure NAME"},
                   {".pdf", "--figure NAME"},
                   {".png", "--figure NAME"}};
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot, endings[i].ending) == 0)
            return endings[i].option;
    return "";
}

/* Scripts want the name of the file that was made. A device or a pipe, which may be standard output
 * itself, gets nothing behind what was asked for. */
static void report_name_file(const cli *c, const char *path)
{
    struct stat info;
    if (!c->quiet && (stat(path, &info) != 0 || S_ISREG(info.st_mode)))
        printf("%s\n", isatty(STDOUT_FILENO) ? cli_line(path) : path);
}

static int report_write_page(cli *c, const char *store)
{
    const char *given = cli_get(c, "--output"), *option = report_option_of(given);
    if (given && strcmp(given, "-") == 0)
        return cli_usage(c, "the HTML report is written to a file: -o REPORT.html");
    if (option[0])
        return cli_usage(c, "the HTML report is no %s file: add %s", strrchr(given, '.') + 1,
                         option);
    char *made = given ? NULL : cli_beside(store, ".html");
    const char *path = given ? given : made;
    if (!path)
        return cli_usage(c, "out of memory");
    if (cli_same_file(path, store)) {
        int refused =
            cli_usage(c, "the report '%s' would overwrite the results from which it is made", path);
        free(made);
        return refused;
    }
    ik_error err;
    ik_status status = ik_report_html(store, path, &err);
    if (status == IK_OK)
        report_name_file(c, path);
    free(made);
    return status == IK_OK ? CLI_DONE : cli_error(c, &err);
}

/* What the name of a file asks for; false (message printed): no format is called so. */
static bool report_figure_format(cli *c, const char *path, ik_figure_format *format)
{
    static const struct {
        const char *ending;
        ik_figure_format format;
    } formats[] = {{".csv", IK_FIGURE_CSV},
                   {".svg", IK_FIGURE_SVG},
                   {".pdf", IK_FIGURE_PDF},
                   {".png", IK_FIGURE_PNG}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(dot, formats[i].ending) == 0) {
            *format = formats[i].format;
            return true;
        }
    cli_usage(c, "a figure is written to NAME.svg, NAME.pdf, NAME.png or NAME.csv, not to '%.200s'",
              path);
    return false;
}

/* What is printed, or written to the file of -o: a table, CSV or JSON. */
typedef struct report_text {
    const char *figure, *table; /* figure: instead of a table */
    ik_figure_format format;    /* of the figure */
    bool csv, json;
} report_text;

static ik_status report_put(const report_text *t, const char *store, FILE *to, unsigned width,
                            bool colour, ik_error *err)
{
    if (t->figure)
        return ik_report_figure(store, t->figure, t->format, to, width, colour, err);
    if (t->json)
        return ik_report_json(store, to, err);
    if (t->csv)
        return ik_report_csv_table(store, t->table ? t->table : ik_report_tables[0], to, err);
    return ik_report_table(store, t->table, to, width, colour, err);
}

static int report_write_text(cli *c, const char *store, const report_text *t)
{
    ik_error err;
    const char *path = cli_get(c, "--output");
    if (!path || strcmp(path, "-") == 0)
        return cli_written(c, report_put(t, store, stdout, cli_width(), c->colour_out, &err), &err,
                           CLI_DONE);
    const char *dot = strrchr(path, '.'), *option = report_option_of(path);
    if (option[0] && !(t->figure && !t->csv) &&
        strcmp(option, t->csv    ? "--csv"
                       : t->json ? "--json"
                                 : "") != 0)
        return cli_usage(c, "'%.200s' is the name of what %s makes: add that, or name another file",
                         path, option);
    if (dot && strcasecmp(dot, ".html") == 0)
        return cli_usage(c,
                         "only the report is HTML, not what --csv, --json, --table and --figure "
                         "print: name another file than '%.200s'",
                         path);
    if (cli_same_file(path, store))
        return cli_usage(c, "'%s' would overwrite the results from which it is made", path);
    ik_output file;
    ik_status status = ik_output_open(&file, path, &err);
    if (status == IK_OK)
        status = report_put(t, store, file.out, 0, false, &err);
    status = ik_output_close(&file, status, &err);
    if (status == IK_OK)
        report_name_file(c, path);
    return status == IK_OK ? CLI_DONE : cli_error(c, &err);
}

/* A figure: as a table or CSV, or what the file's ending says. */
static int report_write_figure(cli *c, const char *store, report_text *t)
{
    const char *path = cli_get(c, "--output");
    t->format = t->csv ? IK_FIGURE_CSV : IK_FIGURE_TABLE;
    if (path && strcmp(path, "-") != 0 && !t->csv && !report_figure_format(c, path, &t->format))
        return CLI_USAGE;
    return report_write_text(c, store, t);
}

/* Says how the claims of the experiment stand; with --strict, one that differs is a failure. */
static int report_judge_claims(cli *c, const char *store, int status)
{
    ik_verdicts v;
    ik_error err;
    if (status == CLI_USAGE)
        return status;
    if (ik_report_verdicts(store, &v, &err) != IK_OK)
        return cli_error(c, &err);
    if (v.hold + v.differ + v.untold > 0)
        cli_note(c, "claims: %zu hold, %zu differ, %zu cannot be told", v.hold, v.differ, v.untold);
    return status == CLI_DONE && v.differ > v.recorded && cli_has(c, "--strict") ? CLI_FAILED
                                                                                 : status;
}

static int write_report(cli *c)
{
    const char *store = c->args[0];
    report_text t = {.figure = cli_get(c, "--figure"),
                     .table = cli_get(c, "--table"),
                     .csv = cli_has(c, "--csv"),
                     .json = c->json};
    if (t.figure && (t.json || t.table))
        return cli_usage(c, "--figure cannot be combined with --json and --table");
    if (t.json && t.csv)
        return cli_usage(c, "give only one of --csv and --json");
    if (t.table && t.json)
        return cli_usage(c, "--json has what all tables have: leave --table out, or give --csv");
    if (t.figure)
        return report_write_figure(c, store, &t);
    return t.json || t.csv || t.table ? report_write_text(c, store, &t)
                                      : report_write_page(c, store);
}

static int report_run(cli *c)
{
    return report_judge_claims(c, c->args[0], write_report(c));
}

static const cli_option options[] = {
    {"--output", 'o', "FILE",
     "file for the report (default: the results' name with .html, in the current folder), or for "
     "what --csv, --json, --table and --figure print without it; '-' is the output",
     false},
    {"--figure", 0, "NAME",
     "instead of the report, a figure of the experiment: as a table, or with -o FIGURE.svg (.pdf, "
     ".png) as a picture, with -o FIGURE.csv as numbers",
     false},
    {"--strict", 0, NULL,
     "end with exit status 1 if a claim of the experiment differs from the results", false},
    {"--csv", 0, NULL, "instead of the report, print one line per point, or the lines of --table",
     false},
    {"--table", 0, "NAME",
     "print a table; with --csv as CSV: points, plans, curves (means over samples), claims, "
     "classes, congestion (over time), roots, culprits, victims, watch, probes (of searches); for "
     "workloads also jobs, hosts, critical_path, message_classes, ranks, timeline, matrix, "
     "references",
     false, "<tables>"},
    {0},
};

static const char *const examples[] = {
    "ikat report quickstart.db -o report.html",      "ikat report quickstart.db --csv",
    "ikat report quickstart.db --csv -o points.csv", "ikat report quickstart.db --table plans",
    "ikat report quickstart.db --csv --table roots", NULL};

const ik_command ik_command_report = {
    .name = "report",
    .synopsis = "RESULTS.db [-o FILE] [--figure NAME] [--csv] [--table NAME] [--json]",
    .summary = "make an HTML report of results, or print them as tables, CSV or JSON",
    .details =
        "The report shows the results of 'ikat run': findings, proofs, latency and throughput over "
        "load, link utilisation, a picture of the fabric, congestion over time, and the numbers "
        "behind every plot. It is one file that opens from disk and loads nothing else.\nWith "
        "--json: the object from which the report is made: title,\n"
        "description, experiment, points_total, points_finished, fabrics (hosts, switches, "
        "switch_links, findings, tiers, slow_links,\n"
        "drawing), plans (routing, vc, vcs, proof), slow_link_costs, curves (routing, "
        "traffic, peak_throughput, steps with\n"
        "load, throughput, latency_mean_ns and their *_ci95, utilisation of every channel) "
        "and points.",
    .takes = "<file db>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = report_run,
};
