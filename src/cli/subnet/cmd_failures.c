/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_failures.c: `ikat failures`: what the failure of any single cable or switch would do.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

typedef struct failing {
    cli *c;
    ik_fabric *f;
    ik_failures x;
    uint64_t rows; /* of the table, 0 = all */
} failing;

static bool failing_breaks(const failing *k)
{
    bool breaks = false;
    for (uint32_t i = 0; i < k->x.num; i++)
        breaks |= ik_failure_breaks(&k->x.all[i]);
    return breaks;
}

/* ---- JSON */

static void failing_put_real(ik_json *j, const char *key, double value)
{
    if (isnan(value))
        ik_json_null(j, key);
    else
        ik_json_real(j, key, value, CLI_DIGITS);
}

static void failing_put_failure(ik_json *j, const failing *k, const ik_failure *x)
{
    char name[700];
    ik_json_text(j, "kind", ik_failure_kind_name(x->kind));
    ik_json_text(j, "where", ik_failure_describe(k->f, x, name, sizeof name));
    ik_json_known(j, "port", x->port != IK_NONE, x->port);
    ik_json_known(j, "switch", x->sw != IK_NONE, x->sw);
    ik_json_uint(j, "hosts_cut", x->hosts_cut);
    ik_json_uint(j, "hosts_own", x->hosts_own);
    failing_put_real(j, "pairs_lost", x->pairs_lost);
    ik_json_text(j, "reroute", ik_reroute_name(x->reroute));
    ik_json_known(j, "lanes", x->lanes > 0, x->lanes);
    ik_json_uint(j, "undelivered", x->undelivered);
    failing_put_real(j, "max_load", x->max_load);
    failing_put_real(j, "overload", x->max_load / k->x.max_load);
    failing_put_real(j, "saturation", x->saturation);
    ik_json_optional(j, "why", x->why);
}

static void failing_put_summary(ik_json *j, const ik_failures *x)
{
    ik_json_array(j, "summary");
    for (ik_failure_kind kind = 0; kind < IK_FAILURE_KINDS; kind++) {
        ik_json_object(j, NULL);
        ik_json_text(j, "kind", ik_failure_kind_name(kind));
        ik_json_uint(j, "failures", x->count[kind]);
        ik_json_uint(j, "cutting", x->cutting[kind]);
        for (ik_reroute r = 0; r < IK_REROUTES; r++)
            ik_json_uint(j, ik_reroute_name(r), x->rerouted[kind][r]);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static int failing_show_json(const failing *k)
{
    const ik_failures *x = &k->x;
    ik_json j;
    cli_json_begin(&j);
    ik_json_text(&j, "spec", k->f->spec ? k->f->spec : k->c->args[0]);
    ik_json_uint(&j, "hosts", k->f->num_hosts);
    ik_json_uint(&j, "switches", k->f->num_switches);
    ik_json_optional(&j, "routing", x->routing);
    ik_json_optional(&j, "vc", x->vc);
    ik_json_known(&j, "lanes", x->lanes > 0, x->lanes);
    ik_json_optional(&j, "tables", cli_get(k->c, "--lfts"));
    failing_put_real(&j, "max_load", x->max_load);
    failing_put_real(&j, "saturation", x->saturation);
    failing_put_real(&j, "worst_max_load", x->worst_max_load);
    ik_json_bool(&j, "partial", x->partial);
    ik_json_uint(&j, "groups_that_differ", x->num_disagree);
    failing_put_summary(&j, x);
    ik_json_array(&j, "groups");
    for (uint32_t g = 0; g < x->num_groups; g++) {
        ik_json_object(&j, NULL);
        ik_json_uint(&j, "members", x->groups[g].members);
        ik_json_uint(&j, "judged", x->groups[g].judged);
        ik_json_bool(&j, "agree", x->groups[g].agree);
        failing_put_failure(&j, k, &x->all[x->groups[g].worst]);
        ik_json_close(&j);
    }
    ik_json_close(&j);
    return cli_json_end(k->c, &j);
}

/* ---- CSV: one line per failure */

static void failing_csv_real(double value)
{
    if (isnan(value))
        putchar(',');
    else
        printf(",%.*g", CLI_DIGITS, value);
}

static void failing_show_csv(const failing *k)
{
    char name[700];
    puts("kind,where,hosts_cut,hosts_own,like,pairs_lost,reroute,lanes,undelivered,max_load,"
         "saturation,why");
    for (uint32_t i = 0; i < k->x.num; i++) {
        const ik_failure *x = &k->x.all[i];
        printf("%s,", ik_failure_kind_name(x->kind));
        ik_text_csv(stdout, ik_failure_describe(k->f, x, name, sizeof name));
        printf(",%u,%u,%u", x->hosts_cut, x->hosts_own, x->like);
        failing_csv_real(x->pairs_lost);
        printf(",%s,%u,%llu", ik_reroute_name(x->reroute), x->lanes,
               (unsigned long long)x->undelivered);
        failing_csv_real(x->max_load);
        failing_csv_real(x->saturation);
        putchar(',');
        ik_text_csv(stdout, x->why ? x->why : "");
        putchar('\n');
    }
}

/* ---- text */

static void failing_print_head(const failing *k)
{
    const ik_failures *x = &k->x;
    const char *tables = cli_get(k->c, "--lfts");
    printf("%s\n", cli_line(k->f->spec ? k->f->spec : k->c->args[0]));
    printf("  %-15s %s, %s, %s between them\n", "fabric", cli_counted(k->f->num_hosts, "host"),
           cli_counted(k->f->num_switches, "switch"),
           cli_counted(x->count[IK_FAILURE_CABLE], "cable"));
    if (tables)
        printf("  %-15s %s\n", "tables", cli_line(tables));
    if (x->routing)
        printf("  %-15s %s, VC scheme %s, %s\n", "reroute", cli_line(x->routing), cli_line(x->vc),
               cli_counted(x->lanes, "lane"));
    if (!isnan(x->max_load))
        printf("  %-15s %.4g of a host's rate now%s", "largest load", x->max_load,
               x->routing ? "" : "\n");
    if (x->routing && isnan(x->worst_max_load))
        printf("\n");
    else if (x->routing && x->max_load > 0)
        printf(", %.4g after the worst reroute: %.3g times\n", x->worst_max_load,
               x->worst_max_load / x->max_load);
    else if (x->routing)
        printf(", %.4g after the worst reroute\n", x->worst_max_load);
}

static void failing_print_summary(const failing *k)
{
    static const char *const headers[] = {"failing",   "number>", "cut off others>",
                                          "proved>",   "lanes>",  "refused>",
                                          "deadlock>", "lost>",   NULL};
    static const char *const cuts[] = {"failing", "number>", "cut off others>", NULL};
    const ik_failures *x = &k->x;
    cli_heading(k->c, "Single failures");
    cli_table *table = cli_table_new(x->routing ? headers : cuts);
    for (ik_failure_kind kind = 0; kind < IK_FAILURE_KINDS; kind++) {
        if (!x->count[kind])
            continue;
        cli_table_cell(table, "%s", ik_failure_kind_name(kind));
        cli_table_cell(table, "%s", cli_count(x->count[kind]));
        cli_table_cell(table, "%s", cli_count(x->cutting[kind]));
        for (ik_reroute r = IK_REROUTE_PROVED; x->routing && r < IK_REROUTES; r++)
            cli_table_cell(table, "%s", cli_count(x->rerouted[kind][r]));
    }
    cli_table_print(table, stdout, k->c->colour_out);
}

/* Are pairs that are lost known? By the tables, or by those of the routing. */
static bool failing_has_pairs(const failing *k)
{
    return k->x.routing || cli_get(k->c, "--lfts");
}

static void failing_print_row(const failing *k, cli_table *table, const ik_failure_group *g)
{
    const ik_failure *x = &k->x.all[g->worst];
    char name[700];
    cli_table_cell(table, "%s", ik_failure_kind_name(x->kind));
    cli_table_cell(table, "%s", ik_failure_describe(k->f, x, name, sizeof name));
    cli_table_cell(table, "%s", cli_count(g->members));
    cli_table_cell(table, "%s", cli_count(x->hosts_cut));
    if (failing_has_pairs(k))
        cli_table_cell(table, isnan(x->pairs_lost) ? "-" : "%.10g", x->pairs_lost);
    if (!k->x.routing)
        return;
    cli_table_cell(table, "%s%s", cli_count(g->judged), g->agree ? "" : " differ");
    cli_table_cell(table, "%s", ik_reroute_name(x->reroute));
    cli_table_cell(table, isnan(x->max_load) ? "-" : "%.4g", x->max_load);
    double times = x->max_load / k->x.max_load;
    cli_table_cell(table, isfinite(times) ? "%.3f" : "-", times);
}

static void failing_print_groups(const failing *k)
{
    const char *headers[] = {"failing", "where",   "stands for>",   "hosts cut off>", "pairs lost>",
                             "judged>", "reroute", "largest load>", "times>",         NULL};
    const ik_failures *x = &k->x;
    uint64_t rows = k->rows && k->rows < x->num_groups ? k->rows : x->num_groups;
    headers[k->x.routing ? 9 : failing_has_pairs(k) ? 5 : 4] = NULL;
    cli_heading(k->c, "The worst of each group");
    cli_table *table = cli_table_new(headers);
    for (uint32_t g = 0; g < rows; g++)
        failing_print_row(k, table, &x->groups[g]);
    cli_table_print(table, stdout, k->c->colour_out);
    if (rows < x->num_groups)
        printf("  and %s more: --rows 0 shows all\n", cli_count(x->num_groups - rows));
    for (uint32_t g = 0; g < rows; g++)
        if (x->all[x->groups[g].worst].why) {
            printf("  %s\n", cli_line(x->all[x->groups[g].worst].why));
            break;
        }
    if (!x->routing)
        printf(
            "  --routing SPEC also judges reroutes and their loads (ikat deploy --dry-run finds a "
            "routing for this fabric)%s.\n",
            failing_has_pairs(k) ? "" : "; it or --lfts FILE tells the pairs that are lost");
    if (x->partial)
        printf("  Reroutes were judged for some of each group; --all judges every failure.\n");
    if (x->num_disagree)
        printf("  %s with members that differ: the worst one that was judged is shown.\n",
               cli_counted(x->num_disagree, "group"));
}

static int failing_show(const failing *k)
{
    int verdict = failing_breaks(k) ? CLI_FAILED : CLI_DONE;
    cli_progress_end(k->c);
    if (k->c->json) {
        int status = failing_show_json(k);
        return status == CLI_DONE ? verdict : status;
    }
    if (cli_has(k->c, "--csv")) {
        failing_show_csv(k);
        return cli_finish(k->c, verdict);
    }
    failing_print_head(k);
    failing_print_summary(k);
    failing_print_groups(k);
    return cli_finish(k->c, verdict);
}

/* ---- the command */

static int failures_run(cli *c)
{
    failing k = {.c = c};
    uint64_t lanes = 0;
    if (cli_only_with(c, "--vc", "--routing") != CLI_DONE ||
        cli_only_with(c, "--vcs", "--routing") != CLI_DONE ||
        cli_only_with(c, "--all", "--routing") != CLI_DONE ||
        cli_not_with(c, "--rows", "--csv") != CLI_DONE)
        return CLI_USAGE;
    if (c->json && cli_has(c, "--csv"))
        return cli_usage(c, "--csv and --json exclude each other");
    if (!cli_get_uint(c, "--vcs", 0, IK_MAX_VCS, 0, &lanes) ||
        !cli_get_uint(c, "--rows", 0, UINT32_MAX, 20, &k.rows))
        return CLI_USAGE;
    ik_failures_config config = {.routing = cli_get(c, "--routing"),
                                 .vc = cli_get(c, "--vc"),
                                 .tables = cli_get(c, "--lfts"),
                                 .num_vcs = (unsigned)lanes,
                                 .all = cli_has(c, "--all")};
    ik_error err;
    ik_status status = ik_fabric_from_spec(c->args[0], &c->env, &k.f, &err);
    if (status == IK_OK) {
        cli_stage(c, "judging failures in %s", c->args[0]);
        status = ik_failures_measure(k.f, &config, &c->env, &k.x, &err);
    }
    int exit_status = status == IK_OK ? failing_show(&k) : cli_error(c, &err);
    ik_failures_free(&k.x);
    ik_fabric_free(k.f);
    return exit_status;
}

static const cli_option options[] = {
    {"--routing", 'r', "SPEC", "the routing that is computed anew after a failure", false,
     "<routings>"},
    {"--vc", 0, "SPEC", "its VC scheme (default: the routing's default scheme)", false, "<vcs>"},
    {"--vcs", 0, "N", "virtual lanes that there are (default: 0, what the whole fabric takes)",
     false},
    {"--lfts", 0, "FILE",
     "the installed forwarding tables, for the pairs that are lost until a reroute (default: the "
     "routing's own)",
     false},
    {"--all", 0, NULL, "judge the reroute of every failure, not of some of each group", false},
    {"--rows", 0, "N", "most lines of the table (default 20; 0: all)", false},
    {"--csv", 0, NULL, "instead of text, print CSV with one line per failure", false},
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {"ikat failures rlft:ports=8,levels=3 --routing dmodc",
                                       "ikat failures torus:dims=4:4 --routing updown --json",
                                       NULL};

const ik_command ik_command_failures = {
    .name = "failures",
    .synopsis = "SPEC|FILE [--routing SPEC] [--vc SPEC] [--vcs N] [--lfts FILE]",
    .summary = "tell what the failure of any single cable or switch would do",
    .details =
        "Takes away every cable between switches, every switch, and every cable of hosts that have "
        "several, one at a time. For each: hosts that are then cut off, from the part of the "
        "fabric where most hosts are; pairs of hosts whose packets pass there now, which are lost "
        "until a reroute (with --routing or --lfts); and, with --routing, what the same routing "
        "does on the damaged fabric: whether it is proved within the lanes, and the largest load "
        "of a channel between switches when all hosts send evenly, beside the present one.\n"
        "A reroute is proved, needs more lanes, is refused (the routing does not take the damaged "
        "fabric), has a deadlock, or is lost (it does not deliver connected pairs).\n"
        "Hosts that are cut off and pairs that are lost are exact for each failure. Reroutes are "
        "judged for some members of each group of failures that look alike: the graph, rates and "
        "numbers of paths do not tell them apart (colour refinement). Four of each group are "
        "judged, and up to 16 if these differ; this is evidence for the others and no proof, "
        "unless the column 'judged' equals 'stands for'. --all judges all.\n"
        "Exit status 1: a failure cuts off other hosts than those that are cabled to nothing else "
        "than the part that failed, or a reroute is not proved.",
    .json = "spec:t hosts:n switches:n routing:~t vc:~t lanes:~n tables:~t max_load:~r "
            "saturation:~r worst_max_load:~r partial:b'not every failure was judged' "
            "groups_that_differ:n summary:[{kind:t failures:n cutting:n unknown:n proved:n "
            "lanes:n refused:n deadlock:n lost:n}] groups:[{members:n judged:n agree:b "
            "kind:t'this and the others are of the worst that was judged' where:t port:~n "
            "switch:~n hosts_cut:n hosts_own:n pairs_lost:~r reroute:t lanes:~n undelivered:n "
            "max_load:~r overload:~r saturation:~r why:~t}]",
    .takes = "<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = failures_run,
};
