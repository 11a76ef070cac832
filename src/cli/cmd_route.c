/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_route.c: `ikat route`: computes routes; shows what they cost, writes them, compares two sets
 * of them.
 */
#include "route_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------
 * statistics */

typedef struct stats {
    const route_job *job;
    ik_table_size tables;
    ik_load load;
    /* pairs that the fabric does not connect; load.undelivered has them too */
    uint64_t unconnected;
    ik_load_group *paths, *destinations;
    size_t num_groups;
} stats;

/* Paths: what each channel would carry if every host sent one flow to every other. */
static ik_status route_measure_paths(stats *s, ik_error *err)
{
    const route_job *job = s->job;
    ik_traffic *all = NULL;
    ik_status status = ik_traffic_from_spec(job->f, "alltoall", &job->c->env, &all, err);
    if (status == IK_OK)
        status = ik_load_measure(job->plan->routing, all, &job->c->env, &s->load, err);
    if (status == IK_OK)
        status = ik_flows_unconnected(all, &s->unconnected, err);
    ik_traffic_free(all);
    return status == IK_OK
               ? ik_load_groups(job->f, s->load.crossing, &s->paths, &s->num_groups, err)
               : status;
}

static ik_status measure_destinations(stats *s, ik_error *err)
{
    const route_job *job = s->job;
    uint32_t *counts = NULL;
    ik_status status = ik_destinations_count(job->plan, &job->c->env, &counts, err);
    double *values =
        status == IK_OK ? ik_calloc((size_t)job->f->num_ports + 1, sizeof *values) : NULL;
    if (status == IK_OK && !values)
        status = ik_fail_memory(err, job->f->num_ports * sizeof *values, "destinations");
    for (uint32_t port = 0; status == IK_OK && port < job->f->num_ports; port++)
        values[port] = counts[port];
    if (status == IK_OK)
        status = ik_load_groups(job->f, values, &s->destinations, &s->num_groups, err);
    free(values);
    free(counts);
    return status;
}

static void route_put_groups(ik_json *j, const char *key, const ik_load_group *groups, size_t num)
{
    ik_json_array(j, key);
    for (size_t i = 0; i < num; i++) {
        const ik_load_group *g = &groups[i];
        ik_json_object(j, NULL);
        ik_load_group_json(g, j);
        ik_json_array(j, "bins");
        for (size_t k = 0; k < g->num_bins; k++) {
            ik_json_array(j, NULL);
            ik_json_real(j, NULL, g->bins[k].low, CLI_DIGITS);
            ik_json_real(j, NULL, g->bins[k].high, CLI_DIGITS);
            ik_json_uint(j, NULL, g->bins[k].channels);
            ik_json_close(j);
        }
        ik_json_close(j);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void route_put_tables(ik_json *j, const ik_table_size *t)
{
    ik_json_object(j, "tables");
    ik_json_text(j, "form", t->form);
    if (t->has_entries) {
        ik_json_uint(j, "entries_total", t->total);
        ik_json_uint(j, "entries_min", t->min);
        ik_json_uint(j, "entries_max", t->max);
        ik_json_real(j, "entries_mean", t->mean, CLI_DIGITS);
        ik_json_uint(j, "entry_bits", t->entry_bits);
        ik_json_uint(j, "bytes_max", t->max_bytes);
        ik_json_uint(j, "bytes_total", t->total_bytes);
    }
    ik_json_close(j);
}

static int print_stats_json(const stats *s)
{
    ik_json j;
    cli_json_begin(&j);
    route_header_json(&j, s->job);
    route_put_tables(&j, &s->tables);
    ik_json_uint(&j, "pairs", s->load.flows);
    ik_json_uint(&j, "undelivered", s->load.undelivered - s->unconnected);
    ik_json_uint(&j, "unconnected", s->unconnected);
    ik_json_real(&j, "mean_hops", s->load.mean_hops, CLI_DIGITS);
    route_put_groups(&j, "paths_per_channel", s->paths, s->num_groups);
    route_put_groups(&j, "destinations_per_channel", s->destinations, s->num_groups);
    return cli_json_end(s->job->c, &j);
}

static void route_print_tables(const ik_table_size *t)
{
    if (!t->has_entries) {
        printf("  %-14s none: %s\n", "tables", t->form);
        return;
    }
    printf("  %-14s %s of %u-bit entries: %.1f per switch on average, %s at most (%s); %s "
           "in all\n",
           "tables", t->form, t->entry_bits, t->mean, cli_count(t->max),
           cli_counted(t->max_bytes, "byte"), cli_counted(t->total_bytes, "byte"));
}

static int route_print_stats(const stats *s)
{
    static const char *const headers[] = {"channels", "level>", "number>",           "min paths>",
                                          "mean>",    "max>",   "min destinations>", "mean>",
                                          "max>",     NULL};
    route_header_print(s->job);
    route_print_tables(&s->tables);
    printf("  %-14s %s, %.4f hops between switches on average", "pairs", cli_count(s->load.flows),
           s->load.mean_hops);
    if (s->load.undelivered > s->unconnected)
        printf(", %s without a way", cli_count(s->load.undelivered - s->unconnected));
    if (s->unconnected)
        printf(", %s that the fabric does not connect", cli_count(s->unconnected));
    printf("\n");
    cli_heading(s->job->c, "Paths and destinations by kind of channel");
    cli_table *table = cli_table_new(headers);
    for (size_t i = 0; i < s->num_groups; i++) {
        const ik_load_group *p = &s->paths[i], *d = &s->destinations[i];
        cli_table_cell(table, "%s", ik_direction_name(p->direction));
        cli_table_cell(table, "%s", p->level ? cli_count(p->level) : "");
        cli_table_cell(table, "%s", cli_count(p->channels));
        cli_table_cell(table, "%.6g", p->min);
        cli_table_cell(table, "%.6g", p->mean);
        cli_table_cell(table, "%.6g", p->max);
        cli_table_cell(table, "%.6g", d->min);
        cli_table_cell(table, "%.6g", d->mean);
        cli_table_cell(table, "%.6g", d->max);
    }
    cli_table_print(table, stdout, s->job->c->colour_out);
    return cli_finish(s->job->c, CLI_DONE);
}

static int route_show_stats(const route_job *job)
{
    const cli *c = job->c;
    stats s = {.job = job};
    ik_error err;
    ik_status status = ik_table_size_measure(job->plan->routing, &c->env, &s.tables, &err);
    if (status == IK_OK)
        status = route_measure_paths(&s, &err);
    bool has_load = status == IK_OK;
    if (status == IK_OK)
        status = measure_destinations(&s, &err);
    cli_progress_end(c);
    int exit_status = status != IK_OK ? cli_error(c, &err)
                      : c->json       ? print_stats_json(&s)
                                      : route_print_stats(&s);
    ik_load_groups_free(s.paths, s.paths ? s.num_groups : 0);
    ik_load_groups_free(s.destinations, s.destinations ? s.num_groups : 0);
    if (has_load)
        ik_load_free(&s.load);
    return exit_status;
}

/* ------------------------------------------------------------------------------------------
 * comparing */

static int route_print_diff_json(const route_job *job, const ik_plan *after, const ik_route_diff *d)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"pairs", d->pairs},     {"moved", d->moved}, {"longer", d->longer},
                  {"shorter", d->shorter}, {"lost", d->lost},   {"gained", d->gained}};
    ik_json j;
    cli_json_begin(&j);
    route_header_json(&j, job);
    ik_json_text(&j, "before", job->plan->routing->spec);
    ik_json_text(&j, "after", after->routing->spec);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ik_json_uint(&j, counts[i].key, counts[i].value);
    ik_json_known(&j, "table_entries", d->has_tables, d->table_entries);
    ik_json_known(&j, "changed_entries", d->has_tables, d->changed_entries);
    ik_json_array(&j, "first_pairs");
    for (uint32_t i = 0; i < d->num_examples; i++) {
        ik_json_array(&j, NULL);
        ik_json_uint(&j, NULL, d->examples[i].src);
        ik_json_uint(&j, NULL, d->examples[i].dst);
        ik_json_close(&j);
    }
    ik_json_close(&j);
    return cli_json_end(job->c, &j);
}

static void route_print_diff(const route_job *job, const ik_plan *after, const ik_route_diff *d)
{
    char src[256], dst[256];
    printf("%s: from %s to %s\n", cli_line(job->f->spec ? job->f->spec : job->c->args[0]),
           cli_line(job->plan->routing->spec), cli_line(after->routing->spec));
    printf("  %-14s %s of %s pairs: %s get longer, %s shorter\n", "moved", cli_count(d->moved),
           cli_count(d->pairs), cli_count(d->longer), cli_count(d->shorter));
    printf("  %-14s %s\n", "lost", cli_count(d->lost));
    printf("  %-14s %s\n", "gained", cli_count(d->gained));
    if (d->has_tables) {
        printf("  %-14s %s of %s change\n", "table entries", cli_count(d->changed_entries),
               cli_count(d->table_entries));
    }
    if (d->num_examples)
        cli_heading(job->c, "The first pairs");
    for (uint32_t i = 0; i < d->num_examples; i++) {
        printf("  %s -> %s\n",
               ik_node_describe(job->f, ik_host_node(job->f, d->examples[i].src), src, sizeof src),
               ik_node_describe(job->f, ik_host_node(job->f, d->examples[i].dst), dst, sizeof dst));
    }
}

static int route_show_diff(const route_job *job, const char *routing)
{
    const cli *c = job->c;
    ik_plan *after = NULL;
    ik_route_diff diff;
    ik_error err;
    ik_status status = ik_plan_from_specs(job->f, routing, cli_get(c, "--vc"), NULL, job->num_vcs,
                                          &c->env, &after, &err);
    if (status == IK_OK)
        status = ik_route_diff_measure(job->plan, after, &c->env, &diff, &err);
    cli_progress_end(c);
    int exit_status;
    if (status != IK_OK) {
        exit_status = cli_error(c, &err);
    } else if (c->json) {
        exit_status = route_print_diff_json(job, after, &diff);
    } else {
        route_print_diff(job, after, &diff);
        exit_status = cli_finish(c, CLI_DONE);
    }
    ik_plan_free(after);
    return exit_status;
}

/* ------------------------------------------------------------------------------------------
 * writing */

/* Writes to the file of --output or to standard output. */
static int route_write_routes(const route_job *job, const char *format)
{
    const cli *c = job->c;
    const char *path = cli_get(c, "--output");
    ik_error err;
    if (!path || strcmp(path, "-") == 0)
        return cli_written(c, route_write(job, format, stdout, &err), &err, CLI_DONE);
    if (cli_same_file(path, c->args[0])) {
        return cli_usage(c, "the routes in '%s' would overwrite the fabric for which they are made",
                         path);
    }
    ik_output file;
    ik_status status = ik_output_open(&file, path, &err);
    if (status == IK_OK)
        status = route_write(job, format, file.out, &err);
    status = ik_output_close(&file, status, &err);
    return status == IK_OK ? CLI_DONE : cli_error(c, &err);
}

/* ------------------------------------------------------------------------------------------ the
 * command */

/* What to do, from the command line: the routing to start from, and the one to compare it with, if
 * any. */
static int route_read_request(const cli *c, const char **routing, const char **other)
{
    const char *first = cli_get(c, "--diff");
    *routing = cli_get(c, "--routing");
    *other = NULL;
    if (cli_has(c, "--path") && c->num_args < 2)
        return cli_usage(c, "--path A B takes two hosts");
    if (cli_has(c, "--path"))
        return *routing ? CLI_DONE : cli_usage(c, "--path A B needs --routing SPEC");
    if (!first && c->num_args > 1)
        return cli_usage(c, "a second routing '%s' is accepted only after --diff A", c->args[1]);
    if (first && *routing && c->num_args > 1)
        return cli_usage(c, "--diff A B gives both routings: leave --routing out");
    if (first && c->num_args > 1) {
        *routing = first;
        *other = c->args[1];
    } else if (first) {
        *other = first;
    }
    return *routing ? CLI_DONE
                    : cli_usage(
                          c, "--routing SPEC is required; 'ikat list routings' shows all routings");
}

static int route_run(cli *c)
{
    const char *routing, *other;
    uint64_t num_vcs = 0;
    int usage = route_read_request(c, &routing, &other);
    if (usage != CLI_DONE)
        return usage;
    if (!cli_get_uint(c, "--vcs", 0, IK_MAX_VCS, 0, &num_vcs))
        return CLI_USAGE;
    const char *format = cli_get(c, "--format"), *path = cli_get(c, "--path");
    if (cli_not_with(c, "--format", "--diff") != CLI_DONE ||
        cli_not_with(c, "--path", "--diff") != CLI_DONE ||
        cli_not_with(c, "--path", "--format") != CLI_DONE ||
        cli_not_with(c, "--output", "--diff") != CLI_DONE ||
        cli_only_with(c, "--output", "--format") != CLI_DONE)
        return CLI_USAGE;
    if (cli_has(c, "--unproved") && (!format || strcmp(format, "lft") != 0))
        return cli_usage(c, "--unproved is about forwarding tables: it needs --format lft");
    route_job job = {.c = c, .num_vcs = (unsigned)num_vcs};
    ik_error err;
    bool refused = false;
    ik_status status = ik_fabric_from_spec(c->args[0], &c->env, &job.f, &err);
    if (status == IK_OK && format && strcmp(format, "lft") == 0)
        status = cli_every_lid(&job.f, &err);
    if (status == IK_OK)
        status = cli_reach(c, job.f, &refused, &err);
    if (status == IK_OK && !refused) {
        status = ik_plan_from_specs(job.f, routing, cli_get(c, "--vc"), NULL, job.num_vcs, &c->env,
                                    &job.plan, &err);
    }
    if (job.plan && job.plan->routing->note)
        cli_note(c, "%s", job.plan->routing->note);
    int exit_status = status != IK_OK ? cli_error(c, &err)
                      : refused       ? CLI_FAILED
                      : path          ? route_show_path(&job, path, c->args[1])
                      : other         ? route_show_diff(&job, other)
                      : format        ? route_write_routes(&job, format)
                                      : route_show_stats(&job);
    ik_plan_free(job.plan);
    ik_fabric_free(job.f);
    return exit_status;
}

static const cli_option options[] = {
    {"--routing", 'r', "SPEC", "the routing, e.g. dmodk or valiant", false, "<routings>"},
    {"--vc", 0, "SPEC", "the VC scheme (default: the routing's default scheme)", false, "<vcs>"},
    {"--vcs", 0, "N", "number of VCs (default: 0, as many as the scheme needs)", false},
    {"--format", 0, "NAME", "write the routes in this format: lft, paths, hops, ir, fir or json",
     false, "lft|paths|hops|ir|fir|json"},
    {"--output", 'o', "FILE", "with --format: file to write (default: '-', standard output)",
     false},
    {"--diff", 0, "A B",
     "compare routing A with routing B; if B is not given, compare --routing with A", false,
     "<routings>"},
    {"--path", 0, "A B",
     "print the path of packets from host A to host B: names, GUIDs, or host0, host1, …; with '.2' "
     "behind it from or to its port 2",
     false},
    {"--unproved", 0, NULL,
     "with --format lft: also write tables that can deadlock on one lane, with a warning in the "
     "file",
     false},
    CLI_ALLOW_UNREACHABLE,
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {"ikat route karytree:k=4,n=3 --routing dmodk",
                                       "ikat route karytree:k=2,n=3 -r dmodk --format lft",
                                       "ikat route karytree:k=2,n=3 --diff dmodk smodk",
                                       "ikat route karytree:k=2,n=3 -r dmodk --path host0 host7",
                                       NULL};

const ik_command ik_command_route = {
    .name = "route",
    .synopsis = "SPEC|FILE --routing SPEC [--format NAME [-o FILE]] | SPEC|FILE --routing SPEC "
                "--path A B | SPEC|FILE --diff A B",
    .summary = "compute routes, show their table sizes and channel loads, write them, or compare "
               "two routings",
    .details =
        "Without --format it prints the size of the tables and, for each kind of channel (in "
        "trees: level and direction), the number of paths over a channel if every host sends to "
        "every other, and the number of different destinations that it serves over all allowed "
        "choices.\n--format lft writes forwarding tables that OpenSM loads (-R file -U FILE), with "
        "an entry for every LID, including those of switches. Such tables have no VCs: a routing "
        "that can deadlock on one lane is refused, unless --unproved is given, and the file then "
        "begins with a warning. --format paths writes one line per pair and initial state, with "
        "switches, ports and VCs, along the preferred choices, --format hops all hops that each of "
        "them "
        "may make; ir and fir write interval registers; json writes tables or "
        "paths. --diff shows which pairs change their route. --path shows the way from one host to "
        "another, port by port, with the rate of each cable.\nExit status 1: the fabric does not "
        "connect all hosts that have a cable; nothing is then written, unless --allow-unreachable "
        "is given.\nWith --json: version, spec, hosts, switches, routing, note (only if the "
        "routing is read "
        "from a file of which a part does not match), vc, vcs; tables (form, entries_total, "
        "entries_min, entries_max, entries_mean,\n"
        "entry_bits, bytes_max, bytes_total), pairs, undelivered, unconnected, mean_hops, "
        "paths_per_channel and destinations_per_channel\n"
        "(direction, level, channels, min, mean, max, bins [low, high, channels]); with "
        "--diff: before, after, pairs, moved, longer,\n"
        "shorter, lost, gained, table_entries, changed_entries, first_pairs; with --path: routing, "
        "states (paths of the pair), delivered, path (from, to, rate_bps).",
    .takes = "<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 2,
    .run = route_run,
};
