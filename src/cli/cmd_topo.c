/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_topo.c: `ikat topo`: what a fabric is made of, how far apart its hosts are, what is wrong
 * with it.
 */
#include "floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distances are a default as long as they take about this many 64-bit operations (some seconds);
 * --all lifts it. */
static const double cheap_operations = 2e10;

typedef struct topo {
    cli *c;
    ik_fabric *f;
    ik_description d;
    ik_distances dist;
    bool has_dist, has_all;
    ik_diversity diversity; /* with --all from here on */
    uint32_t girth;
    bool has_bisection;
    ik_bisection bisection;
    ik_floor_plan *floor; /* NULL: not asked for */
} topo;

/* ------------------------------------------------------------------------------------------
 * measuring */

static ik_status topo_measure_distances(topo *t, ik_error *err)
{
    double operations;
    ik_status s = ik_distances_cost(t->f, &operations, err);
    if (s != IK_OK || (operations > cheap_operations && !cli_has(t->c, "--all")))
        return s;
    s = ik_distances_measure(t->f, &t->c->env, &t->dist, err);
    t->has_dist = s == IK_OK;
    return s;
}

static ik_status topo_measure_rest(topo *t, unsigned seeds, ik_error *err)
{
    const ik_env *env = &t->c->env;
    ik_status s = ik_diversity_measure(t->f, env, &t->diversity, err);
    if (s == IK_OK)
        s = ik_girth(t->f, env, &t->girth, err);
    t->has_bisection = t->f->num_switches > 1 && !ik_fabric_has_rails(t->f);
    if (s == IK_OK && t->has_bisection)
        s = ik_bisection_measure(t->f, seeds, env, &t->bisection, err);
    t->has_all = s == IK_OK;
    return s;
}

static ik_status topo_measure(topo *t, unsigned seeds, ik_error *err)
{
    ik_status s = ik_fabric_describe(t->f, &t->d, err);
    if (s == IK_OK && (cli_has(t->c, "--all") || cli_has(t->c, "--cable-list")))
        s = cli_floor_make(t->c, t->f, &t->floor, err);
    if (s == IK_OK)
        s = topo_measure_distances(t, err);
    return s == IK_OK && cli_has(t->c, "--all") ? topo_measure_rest(t, seeds, err) : s;
}

/* ------------------------------------------------------------------------------------------
 * JSON */

static void topo_put_link_counts(ik_json *j, const ik_description *d)
{
    ik_json_array(j, "links_by_rate");
    for (size_t i = 0; i < d->num_link_counts; i++) {
        const ik_link_count *l = &d->link_counts[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "name", l->name);
        ik_json_uint(j, "rate_bps", l->rate_bps);
        ik_json_uint(j, "latency_ps", l->latency_ps);
        ik_json_uint(j, "links", l->switch_links + l->host_links);
        ik_json_uint(j, "switch_links", l->switch_links);
        ik_json_uint(j, "host_links", l->host_links);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void topo_put_findings(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "findings");
    for (size_t i = 0; i < f->num_findings; i++) {
        const ik_finding *n = &f->findings[i];
        char where[256];
        ik_json_object(j, NULL);
        ik_json_text(j, "severity", ik_severity_name(n->severity));
        ik_json_text(j, "code", n->code);
        ik_json_text(j, "text", n->text);
        if (n->port != IK_NONE)
            ik_json_text(j, "port", ik_port_describe(f, n->port, where, sizeof where));
        if (n->node != IK_NONE)
            ik_json_text(j, "node", ik_node_describe(f, n->node, where, sizeof where));
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void topo_put_distances(ik_json *j, const topo *t)
{
    const ik_distances *x = &t->dist;
    ik_json_known(j, "diameter", t->has_dist, x->diameter);
    if (!t->has_dist)
        return;
    ik_json_known(j, "switch_diameter", x->switch_diameter != IK_NONE, x->switch_diameter);
    ik_json_real(j, "mean_hops", x->mean_hops, CLI_DIGITS);
    ik_json_real(j, "mean_switch_hops", x->mean_switch_hops, CLI_DIGITS);
    cli_json_uints(j, "distance_histogram", x->histogram, x->num);
    cli_json_uints(j, "switch_distance_histogram", x->switch_histogram, x->num);
    cli_json_uints(j, "leaf_distance_histogram", x->leaf_histogram, x->num);
    ik_json_uint(j, "unconnected_pairs", x->unconnected_pairs);
}

static double topo_moore_ratio(const topo *t)
{
    return ik_moore_ratio(t->d.switches, t->d.max_degree,
                          t->has_dist ? t->dist.switch_diameter : IK_NONE);
}

/* Null where there are too many paths to count. */
static void topo_put_paths(ik_json *j, const char *key, uint64_t paths)
{
    ik_json_known(j, key, paths < IK_PATHS_MANY, paths);
}

static void topo_put_diversity(ik_json *j, const ik_diversity *d)
{
    ik_json_object(j, "path_diversity");
    topo_put_paths(j, "min", d->min_paths);
    ik_json_real(j, "mean", d->max_paths < IK_PATHS_MANY ? d->mean_paths : NAN, CLI_DIGITS);
    topo_put_paths(j, "max", d->max_paths);
    ik_json_array(j, "counts");
    for (size_t i = 0; i < d->num; i++) {
        ik_json_object(j, NULL);
        ik_json_uint(j, "distance", d->counts[i].distance);
        topo_put_paths(j, "paths", d->counts[i].paths);
        ik_json_uint(j, "pairs", d->counts[i].pairs);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static void topo_put_bisection(ik_json *j, const ik_bisection *b)
{
    ik_json_object(j, "bisection");
    ik_json_uint(j, "cut", b->cut);
    ik_json_real(j, "per_host", b->per_host, CLI_DIGITS);
    ik_json_uint(j, "hosts_a", b->hosts_a);
    ik_json_uint(j, "hosts_b", b->hosts_b);
    ik_json_real(j, "lower_bound", b->lower_bound, CLI_DIGITS);
    ik_json_real(j, "lower_bound_per_host", b->lower_bound_per_host, CLI_DIGITS);
    ik_json_uint(j, "starts", b->starts);
    ik_json_close(j);
}

static void topo_put_rest(ik_json *j, const topo *t)
{
    topo_put_diversity(j, &t->diversity);
    ik_json_known(j, "girth", t->girth != 0, t->girth);
    ik_json_real(j, "moore_ratio", topo_moore_ratio(t), CLI_DIGITS);
    if (t->has_bisection)
        topo_put_bisection(j, &t->bisection);
    else
        ik_json_null(j, "bisection");
}

static void topo_put_counts(ik_json *j, const ik_description *d)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        {"hosts", d->hosts},
        {"switches", d->switches},
        {"ports", d->ports},
        {"unconnected_ports", d->unconnected_ports},
        {"links", d->links},
        {"switch_links", d->switch_links},
        {"host_links", d->host_links},
        {"radix", d->radix},
        {"min_radix", d->min_radix},
        {"max_degree", d->max_degree},
        {"min_degree", d->min_degree},
        {"leaf_switches", d->leaf_switches},
        {"max_hosts_per_switch", d->max_hosts_per_switch},
        {"min_hosts_per_switch", d->min_hosts_per_switch},
        {"levels", d->levels},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ik_json_uint(j, counts[i].key, counts[i].value);
    cli_json_uints(j, "level_switches", d->level_switches, d->levels);
    ik_json_real(j, "ports_per_host", d->ports_per_host, CLI_DIGITS);
    ik_json_real(j, "links_per_host", d->links_per_host, CLI_DIGITS);
    topo_put_link_counts(j, d);
}

static int topo_show_json(const topo *t)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_optional(&j, "spec", t->f->spec);
    ik_json_optional(&j, "family", t->f->family);
    topo_put_counts(&j, &t->d);
    topo_put_distances(&j, t);
    if (t->has_all)
        topo_put_rest(&j, t);
    if (t->floor) {
        ik_json_object(&j, "floor");
        ik_floor_plan_json(t->floor, &j);
        ik_json_close(&j);
    }
    topo_put_findings(&j, t->f);
    return cli_json_end(t->c, &j);
}

/* ------------------------------------------------------------------------------------------
 * text */

static void topo_print_row(const char *name, const char *value)
{
    printf("  %-22s %s\n", name, value);
}

static void topo_print_range(const char *name, uint64_t low, uint64_t high)
{
    char text[64];
    if (low == high)
        snprintf(text, sizeof text, "%s", cli_count(high));
    else
        snprintf(text, sizeof text, "%s to %s", cli_count(low), cli_count(high));
    topo_print_row(name, text);
}

static void print_description(const topo *t)
{
    const ik_description *d = &t->d;
    char text[128];
    topo_print_row("hosts", cli_count(d->hosts));
    topo_print_row("switches", cli_count(d->switches));
    if (d->levels) {
        int n = snprintf(text, sizeof text, "%u (switches from the hosts upwards:", d->levels);
        for (uint32_t l = 0; l < d->levels && n > 0 && (size_t)n < sizeof text - 24; l++) {
            n +=
                snprintf(text + n, sizeof text - (size_t)n, " %s", cli_count(d->level_switches[l]));
        }
        snprintf(text + n, sizeof text - (size_t)n, ")");
        topo_print_row("levels", text);
    }
    topo_print_range("ports per switch", d->min_radix, d->radix);
    topo_print_range("hosts per leaf switch", d->min_hosts_per_switch, d->max_hosts_per_switch);
    snprintf(text, sizeof text, "%s (%s unconnected)", cli_count(d->ports),
             cli_count(d->unconnected_ports));
    topo_print_row("switch ports", text);
    snprintf(text, sizeof text, "%s (%s between switches, %s to hosts)", cli_count(d->links),
             cli_count(d->switch_links), cli_count(d->host_links));
    topo_print_row("links", text);
    snprintf(text, sizeof text, "%.4g port%s, %.4g link%s", d->ports_per_host,
             d->ports_per_host == 1 ? "" : "s", d->links_per_host,
             d->links_per_host == 1 ? "" : "s");
    topo_print_row("cost per host", text);
}

static void topo_print_links(const topo *t)
{
    static const char *const headers[] = {"links",     "rate>", "latency>", "between switches>",
                                          "to hosts>", NULL};
    cli_heading(t->c, "Links");
    cli_table *table = cli_table_new(headers);
    for (size_t i = 0; i < t->d.num_link_counts; i++) {
        const ik_link_count *l = &t->d.link_counts[i];
        cli_table_cell(table, "%s", l->name);
        cli_table_cell(table, "%s", cli_quantity(l->rate_bps, IK_DIM_RATE));
        cli_table_cell(table, "%s", cli_quantity(l->latency_ps, IK_DIM_TIME));
        cli_table_cell(table, "%s", cli_count(l->switch_links));
        cli_table_cell(table, "%s", cli_count(l->host_links));
    }
    cli_table_print(table, stdout, t->c->colour_out);
}

static void topo_print_distances(const topo *t)
{
    static const char *const headers[] = {"hops>", "host pairs>", "share>", NULL};
    const ik_distances *x = &t->dist;
    cli_heading(t->c, "Distances");
    if (!t->has_dist) {
        printf("  not computed, because it takes a while: use --all\n");
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "%s between hosts' switches", cli_counted(x->diameter, "hop"));
    topo_print_row("diameter", text);
    if (x->switch_diameter == IK_NONE) {
        topo_print_row("of all switches", "some switches are not connected");
    } else {
        snprintf(text, sizeof text, "%s", cli_counted(x->switch_diameter, "hop"));
        topo_print_row("of all switches", text);
    }
    snprintf(text, sizeof text, "%.4f hops between hosts, %.4f between switches", x->mean_hops,
             x->mean_switch_hops);
    topo_print_row("mean", text);
    uint64_t pairs = 0;
    for (size_t k = 0; k < x->num; k++)
        pairs += x->histogram[k];
    cli_table *table = cli_table_new(headers);
    for (size_t k = 0; k < x->num && k <= x->diameter; k++) {
        cli_table_cell(table, "%zu", k);
        cli_table_cell(table, "%s", cli_count(x->histogram[k]));
        cli_table_cell(table, "%.2f %%",
                       pairs ? 100.0 * (double)x->histogram[k] / (double)pairs : 0.0);
    }
    cli_table_print(table, stdout, t->c->colour_out);
    if (x->unconnected_pairs)
        printf("  %s ordered host pairs are not connected\n", cli_count(x->unconnected_pairs));
}

static void topo_paths_cell(cli_table *table, uint64_t paths)
{
    cli_table_cell(table, "%s%s", paths < IK_PATHS_MANY ? "" : "at least ", cli_count(paths));
}

static void topo_print_diversity(const topo *t)
{
    static const char *const headers[] = {"hops>", "switch pairs>", "fewest paths>",
                                          "mean>", "most>",         NULL};
    const ik_diversity *d = &t->diversity;
    cli_heading(t->c, "Minimal paths between switches with hosts");
    cli_table *table = cli_table_new(headers);
    for (size_t i = 0; i < d->num;) {
        size_t first = i;
        double paths = 0, pairs = 0;
        for (; i < d->num && d->counts[i].distance == d->counts[first].distance; i++) {
            paths += (double)d->counts[i].paths * (double)d->counts[i].pairs;
            pairs += (double)d->counts[i].pairs;
        }
        cli_table_cell(table, "%u", d->counts[first].distance);
        cli_table_cell(table, "%s", cli_count((uint64_t)pairs));
        topo_paths_cell(table, d->counts[first].paths);
        cli_table_cell(table, "%s%.4f", d->counts[i - 1].paths < IK_PATHS_MANY ? "" : "at least ",
                       paths / pairs);
        topo_paths_cell(table, d->counts[i - 1].paths);
    }
    cli_table_print(table, stdout, t->c->colour_out);
}

static void topo_print_rest(const topo *t)
{
    const ik_bisection *b = &t->bisection;
    char text[160];
    topo_print_diversity(t);
    cli_heading(t->c, "Shape");
    snprintf(text, sizeof text, t->girth ? "%u" : "no cycle", t->girth);
    topo_print_row("girth", text);
    snprintf(text, sizeof text, "%.2f %% of the largest possible graph of this degree and diameter",
             100 * topo_moore_ratio(t));
    topo_print_row("Moore bound", text);
    if (t->has_bisection) {
        snprintf(text, sizeof text, "%s, %.4f per host (lower bound: %.4f)",
                 cli_counted(b->cut, "link"), b->per_host, b->lower_bound_per_host);
        topo_print_row("bisection", text);
        snprintf(text, sizeof text, "halves of %s and %s, best of %s", cli_count(b->hosts_a),
                 cli_counted(b->hosts_b, "host"), cli_counted(b->starts, "partition"));
        topo_print_row("", text);
    } else if (ik_fabric_has_rails(t->f)) {
        topo_print_row("bisection", "not defined: hosts have cables to several switches");
    }
}

static void topo_print_findings(const topo *t)
{
    cli_heading(t->c, "Findings");
    if (t->f->num_findings == 0)
        printf("  none\n");
    for (size_t i = 0; i < t->f->num_findings; i++) {
        const ik_finding *n = &t->f->findings[i];
        printf("  %s%s%s %s: %s\n", cli_severity_colour(t->c, n->severity),
               ik_severity_name(n->severity), cli_reset(t->c), n->code, n->text);
    }
}

/* ------------------------------------------------------------------------------------------ the
 * command */

static int topo_exit_status(const ik_fabric *f)
{
    for (size_t i = 0; i < f->num_findings; i++)
        if (f->findings[i].severity == IK_ERROR)
            return CLI_FAILED;
    return CLI_DONE;
}

static int topo_show(const topo *t)
{
    cli_progress_end(t->c);
    if (t->c->json) {
        int status = topo_show_json(t);
        return status == CLI_DONE ? topo_exit_status(t->f) : status;
    }
    printf("%s\n", cli_line(t->f->spec ? t->f->spec : t->c->args[0]));
    print_description(t);
    topo_print_links(t);
    topo_print_distances(t);
    if (t->has_all)
        topo_print_rest(t);
    if (t->floor)
        cli_floor_print(t->c, t->floor);
    topo_print_findings(t);
    return cli_finish(t->c, topo_exit_status(t->f));
}

static ik_status topo_write_out(const topo *t, ik_error *err)
{
    const char *path = cli_get(t->c, "--output");
    return path ? ik_fabric_write(t->f, path, cli_get(t->c, "--format"), err) : IK_OK;
}

/* With -o -: the fabric itself is printed in place of what is known of it. False: this is not so,
 * or topo_write_out says what is wrong. */
static bool topo_prints_fabric(const topo *t, const ik_format **format)
{
    const char *path = cli_get(t->c, "--output"), *name = cli_get(t->c, "--format");
    *format = path && name && strcmp(path, "-") == 0 ? ik_format_find(name) : NULL;
    return *format && (*format)->write;
}

static int topo_print_fabric(topo *t, const ik_format *format)
{
    ik_error err;
    int status = cli_written(t->c, format->write(t->f, stdout, &err), &err, topo_exit_status(t->f));
    ik_fabric_free(t->f);
    return status;
}

static int topo_run(cli *c)
{
    topo t = {.c = c};
    const ik_format *format;
    ik_error err;
    uint64_t seeds;
    int status;
    if (cli_only_with(c, "--format", "--output") != CLI_DONE ||
        cli_only_with(c, "--partitions", "--all") != CLI_DONE ||
        !cli_get_uint(c, "--partitions", 0, 100000, 0, &seeds))
        return CLI_USAGE;
    if (cli_has(c, "--floor") && !cli_has(c, "--all") && !cli_has(c, "--cable-list"))
        return cli_usage(c, "--floor has no effect without --cable-list or --all");
    status = cli_floor_check(c);
    if (status != CLI_DONE)
        return status;
    bool printed = topo_prints_fabric(&t, &format);
    static const char *const others[] = {"--json", "--all", "--partitions", "--cable-list"};
    for (size_t i = 0; printed && i < sizeof others / sizeof *others; i++)
        if (cli_has(c, others[i]))
            return cli_usage(c, "%s has no effect with '--output -', which prints the fabric alone",
                             others[i]);
    ik_status s = ik_fabric_from_spec(c->args[0], &c->env, &t.f, &err);
    if (s == IK_OK && printed)
        return topo_print_fabric(&t, format);
    if (s == IK_OK)
        s = topo_write_out(&t, &err);
    if (s == IK_OK)
        s = topo_measure(&t, (unsigned)seeds, &err);
    if (s == IK_OK)
        s = cli_floor_write(c, t.f, t.floor, &err);
    status = s == IK_OK ? topo_show(&t) : cli_error(c, &err);
    if (t.has_dist)
        ik_distances_free(&t.dist);
    ik_diversity_free(&t.diversity);
    ik_bisection_free(&t.bisection);
    ik_floor_plan_free(t.floor);
    ik_description_free(&t.d);
    ik_fabric_free(t.f);
    return status;
}

static const cli_option options[] = {
    {"--output", 'o', "FILE",
     "write the fabric, in the format that the file name's ending says; '-' with --format prints "
     "it and nothing else",
     false},
    {"--format", 0, "NAME", "with -o: write in this format, whatever the file name is", false,
     "<formats>"},
    {"--all", 0, NULL,
     "also compute path diversity, girth, Moore bound, bisection, a floor plan, and the distances "
     "of large fabrics",
     false},
    {"--cable-list", 0, "FILE.csv",
     "stand the fabric on a floor and write the list of its cables: from and to which rack, unit "
     "and port, length, copper or optical",
     false, "<file csv>"},
    {"--floor", 0, "FILE",
     "with --cable-list or --all: the rules of the floor, in YAML (default: 'default', what "
     "docs/designing.md lists)",
     false, "<file yaml yml>"},
    {"--partitions", 0, "N",
     "with --all: number of seeds for each of six settings of METIS (default: 4 to 32, by size)",
     false},
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {"ikat topo karytree:k=4,n=3", "ikat topo slimfly:q=5 --json",
                                       NULL};

const ik_command ik_command_topo = {
    .name = "topo",
    .synopsis = "SPEC|FILE [-o FILE] [--all]",
    .summary = "describe a fabric: hosts, switches, links, levels, distances, problems",
    .details = "Prints the size and shape of a generated or imported fabric and what is wrong with "
               "it (findings), and can write it in another format. Distances are numbers of hops "
               "between switches.\nExit status 1: a finding is an error.",
    .json = "spec:~t family:~t hosts:n switches:n ports:n unconnected_ports:n links:n "
            "switch_links:n host_links:n radix:n min_radix:n max_degree:n min_degree:n "
            "leaf_switches:n max_hosts_per_switch:n min_hosts_per_switch:n levels:n "
            "level_switches:[n] ports_per_host:r links_per_host:r links_by_rate:[{name:t "
            "rate_bps:n latency_ps:n links:n switch_links:n host_links:n}] diameter:~n'null: too "
            "costly without --all, and the lengths that follow are missing' switch_diameter?:~n "
            "mean_hops?:r mean_switch_hops?:r distance_histogram?:[n]'ordered host pairs by "
            "hops' switch_distance_histogram?:[n] leaf_distance_histogram?:[n] "
            "unconnected_pairs?:n path_diversity?:{min:~n mean:~r max:~n counts:[{distance:n "
            "paths:~n pairs:n}]}'with --all; null above 2^63' girth?:~n moore_ratio?:r "
            "bisection?:~{cut:n per_host:r hosts_a:n hosts_b:n lower_bound:r "
            "lower_bound_per_host:r starts:n} floor?:{rows:n row_racks:n racks:n copper_cables:n "
            "optical_cables:n inside_racks:n copper_m:r optical_m:r longest_m:r "
            "before_search_m:r after_search_m:r}'with --all or --cable-list' "
            "findings:[{severity:t code:t text:t port?:t node?:t}]",
    .takes = "<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = topo_run,
};
