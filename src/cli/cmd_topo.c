/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_topo.c: `ikat topo`: what a fabric is made of, how far apart its hosts are, what is wrong
 * with it.
 */
#include "cli.h"

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
    ik_cables cables;
} topo;

static const char *severity_name(ik_severity s)
{
    return s == IK_ERROR ? "error" : s == IK_WARNING ? "warning" : "note";
}

/* ------------------------------------------------------------------------------------------
 * measuring */

static ik_status measure_distances(topo *t, ik_error *err)
{
    double operations;
    ik_status s = ik_distances_cost(t->f, &operations, err);
    if (s != IK_OK || (operations > cheap_operations && !cli_has(t->c, "--all"))) {
        return s;
    }
    s = ik_distances_measure(t->f, &t->c->env, &t->dist, err);
    t->has_dist = s == IK_OK;
    return s;
}

static ik_status measure_rest(topo *t, uint32_t rack, unsigned seeds, ik_error *err)
{
    const ik_env *env = &t->c->env;
    ik_status s = ik_diversity_measure(t->f, env, &t->diversity, err);
    if (s == IK_OK) {
        s = ik_girth(t->f, env, &t->girth, err);
    }
    if (s == IK_OK) {
        s = ik_cables_measure(t->f, rack, &t->cables, err);
    }
    t->has_bisection = t->f->num_switches > 1 && !ik_fabric_has_rails(t->f);
    if (s == IK_OK && t->has_bisection) {
        s = ik_bisection_measure(t->f, seeds, env, &t->bisection, err);
    }
    t->has_all = s == IK_OK;
    return s;
}

static ik_status measure(topo *t, uint32_t rack, unsigned seeds, ik_error *err)
{
    ik_status s = ik_fabric_describe(t->f, &t->d, err);
    if (s == IK_OK) {
        s = measure_distances(t, err);
    }
    return s == IK_OK && cli_has(t->c, "--all") ? measure_rest(t, rack, seeds, err) : s;
}

/* ------------------------------------------------------------------------------------------
 * JSON */

static json_t *json_u64(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *json_counts(const uint64_t *counts, size_t num)
{
    json_t *a = json_array();
    for (size_t i = 0; i < num; i++) {
        json_array_append_new(a, json_u64(counts[i]));
    }
    return a;
}

static json_t *json_link_counts(const ik_description *d)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->num_link_counts; i++) {
        const ik_link_count *l = &d->link_counts[i];
        json_array_append_new(
            a, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "name", l->name, "rate_bps",
                         (json_int_t)l->rate_bps, "latency_ps", (json_int_t)l->latency_ps, "links",
                         (json_int_t)(l->switch_links + l->host_links), "switch_links",
                         (json_int_t)l->switch_links, "host_links", (json_int_t)l->host_links));
    }
    return a;
}

static json_t *json_findings(const ik_fabric *f)
{
    json_t *a = json_array();
    for (size_t i = 0; i < f->num_findings; i++) {
        const ik_finding *n = &f->findings[i];
        char where[256];
        json_t *o = json_pack("{s:s, s:s, s:s}", "severity", severity_name(n->severity), "code",
                              n->code, "text", n->text);
        if (n->port != IK_NONE) {
            json_object_set_new(o, "port",
                                cli_json_text(ik_port_describe(f, n->port, where, sizeof where)));
        }
        if (n->node != IK_NONE) {
            json_object_set_new(o, "node",
                                cli_json_text(ik_node_describe(f, n->node, where, sizeof where)));
        }
        json_array_append_new(a, o);
    }
    return a;
}

static void json_distances(const topo *t, json_t *o)
{
    const ik_distances *x = &t->dist;
    if (!t->has_dist) {
        json_object_set_new(o, "diameter", json_null());
        return;
    }
    json_object_set_new(o, "diameter", json_u64(x->diameter));
    json_object_set_new(o, "switch_diameter",
                        x->switch_diameter == IK_NONE ? json_null() : json_u64(x->switch_diameter));
    json_object_set_new(o, "mean_hops", json_real(x->mean_hops));
    json_object_set_new(o, "mean_switch_hops", json_real(x->mean_switch_hops));
    json_object_set_new(o, "distance_histogram", json_counts(x->histogram, x->num));
    json_object_set_new(o, "switch_distance_histogram", json_counts(x->switch_histogram, x->num));
    json_object_set_new(o, "leaf_distance_histogram", json_counts(x->leaf_histogram, x->num));
    json_object_set_new(o, "unconnected_pairs", json_u64(x->unconnected_pairs));
}

static double moore_ratio(const topo *t)
{
    return ik_moore_ratio(t->d.switches, t->d.max_degree,
                          t->has_dist ? t->dist.switch_diameter : IK_NONE);
}

/* Null where there are too many paths to count. */
static json_t *json_paths(uint64_t paths)
{
    return paths < IK_PATHS_MANY ? json_integer((json_int_t)paths) : json_null();
}

static json_t *json_diversity(const ik_diversity *d)
{
    json_t *counts = json_array();
    for (size_t i = 0; i < d->num; i++) {
        json_array_append_new(counts,
                              json_pack("{s:i, s:o, s:I}", "distance", (int)d->counts[i].distance,
                                        "paths", json_paths(d->counts[i].paths), "pairs",
                                        (json_int_t)d->counts[i].pairs));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "min", json_paths(d->min_paths), "mean",
                     d->max_paths < IK_PATHS_MANY ? json_real(d->mean_paths) : json_null(), "max",
                     json_paths(d->max_paths), "counts", counts);
}

static json_t *json_bisection(const ik_bisection *b)
{
    return json_pack("{s:I, s:f, s:I, s:I, s:f, s:f, s:i}", "cut", (json_int_t)b->cut, "per_host",
                     b->per_host, "hosts_a", (json_int_t)b->hosts_a, "hosts_b",
                     (json_int_t)b->hosts_b, "lower_bound", b->lower_bound, "lower_bound_per_host",
                     b->lower_bound_per_host, "starts", (int)b->starts);
}

static json_t *json_cables(const ik_cables *c)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:f, s:i, s:i, s:b, s:o}", "cables",
                     (json_int_t)c->cables, "inside_racks", (json_int_t)c->inside_racks, "total",
                     (json_int_t)c->total, "longest", (json_int_t)c->longest, "mean", c->mean,
                     "width", (int)c->width, "height", (int)c->height, "own_positions",
                     c->own_positions, "histogram", json_counts(c->histogram, c->longest + 1));
}

static void json_rest(const topo *t, json_t *o)
{
    json_object_set_new(o, "path_diversity", json_diversity(&t->diversity));
    json_object_set_new(o, "girth", t->girth ? json_u64(t->girth) : json_null());
    json_object_set_new(o, "moore_ratio", json_real(moore_ratio(t)));
    json_object_set_new(o, "bisection",
                        t->has_bisection ? json_bisection(&t->bisection) : json_null());
    json_object_set_new(o, "cables", json_cables(&t->cables));
}

static json_t *to_json(const topo *t)
{
    const ik_description *d = &t->d;
    json_t *o = json_object();
    json_object_set_new(o, "spec", t->f->spec ? cli_json_text(t->f->spec) : json_null());
    json_object_set_new(o, "family", t->f->family ? cli_json_text(t->f->family) : json_null());
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
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        json_object_set_new(o, counts[i].key, json_u64(counts[i].value));
    }
    json_object_set_new(o, "level_switches", json_counts(d->level_switches, d->levels));
    json_object_set_new(o, "ports_per_host", json_real(d->ports_per_host));
    json_object_set_new(o, "links_per_host", json_real(d->links_per_host));
    json_object_set_new(o, "links_by_rate", json_link_counts(d));
    json_distances(t, o);
    if (t->has_all) {
        json_rest(t, o);
    }
    json_object_set_new(o, "findings", json_findings(t->f));
    return o;
}

/* ------------------------------------------------------------------------------------------
 * text */

static void print_row(const char *name, const char *value)
{
    printf("  %-22s %s\n", name, value);
}

static void print_range(const char *name, uint64_t low, uint64_t high)
{
    char text[64];
    if (low == high) {
        snprintf(text, sizeof text, "%s", cli_count(high));
    } else {
        snprintf(text, sizeof text, "%s to %s", cli_count(low), cli_count(high));
    }
    print_row(name, text);
}

static void print_description(const topo *t)
{
    const ik_description *d = &t->d;
    char text[128];
    print_row("hosts", cli_count(d->hosts));
    print_row("switches", cli_count(d->switches));
    if (d->levels) {
        int n = snprintf(text, sizeof text, "%u (switches from the hosts upwards:", d->levels);
        for (uint32_t l = 0; l < d->levels && n > 0 && (size_t)n < sizeof text - 24; l++) {
            n +=
                snprintf(text + n, sizeof text - (size_t)n, " %s", cli_count(d->level_switches[l]));
        }
        snprintf(text + n, sizeof text - (size_t)n, ")");
        print_row("levels", text);
    }
    print_range("ports a switch", d->min_radix, d->radix);
    print_range("hosts a leaf switch", d->min_hosts_per_switch, d->max_hosts_per_switch);
    snprintf(text, sizeof text, "%s (%s unconnected)", cli_count(d->ports),
             cli_count(d->unconnected_ports));
    print_row("switch ports", text);
    snprintf(text, sizeof text, "%s (%s between switches, %s to hosts)", cli_count(d->links),
             cli_count(d->switch_links), cli_count(d->host_links));
    print_row("links", text);
    snprintf(text, sizeof text, "%.4g ports, %.4g links", d->ports_per_host, d->links_per_host);
    print_row("cost of a host", text);
}

static void print_links(const topo *t)
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

static void print_distances(const topo *t)
{
    static const char *const headers[] = {"hops>", "host pairs>", "share>", NULL};
    const ik_distances *x = &t->dist;
    cli_heading(t->c, "Distances");
    if (!t->has_dist) {
        printf("  not measured: this would take a while; ask with --all\n");
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "%u hops between hosts' switches", x->diameter);
    print_row("diameter", text);
    if (x->switch_diameter == IK_NONE) {
        print_row("of all switches", "some switches are not connected");
    } else {
        snprintf(text, sizeof text, "%u hops", x->switch_diameter);
        print_row("of all switches", text);
    }
    snprintf(text, sizeof text, "%.4f hops between hosts, %.4f between switches", x->mean_hops,
             x->mean_switch_hops);
    print_row("mean", text);
    uint64_t pairs = 0;
    for (size_t k = 0; k < x->num; k++) {
        pairs += x->histogram[k];
    }
    cli_table *table = cli_table_new(headers);
    for (size_t k = 0; k < x->num && k <= x->diameter; k++) {
        cli_table_cell(table, "%zu", k);
        cli_table_cell(table, "%s", cli_count(x->histogram[k]));
        cli_table_cell(table, "%.2f %%",
                       pairs ? 100.0 * (double)x->histogram[k] / (double)pairs : 0.0);
    }
    cli_table_print(table, stdout, t->c->colour_out);
    if (x->unconnected_pairs) {
        printf("  %s ordered host pairs are not connected\n", cli_count(x->unconnected_pairs));
    }
}

static void paths_cell(cli_table *table, uint64_t paths)
{
    cli_table_cell(table, "%s%s", paths < IK_PATHS_MANY ? "" : "at least ", cli_count(paths));
}

static void print_diversity(const topo *t)
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
        paths_cell(table, d->counts[first].paths);
        cli_table_cell(table, "%s%.4f", d->counts[i - 1].paths < IK_PATHS_MANY ? "" : "at least ",
                       paths / pairs);
        paths_cell(table, d->counts[i - 1].paths);
    }
    cli_table_print(table, stdout, t->c->colour_out);
}

static void print_rest(const topo *t)
{
    const ik_bisection *b = &t->bisection;
    const ik_cables *c = &t->cables;
    char text[160];
    print_diversity(t);
    cli_heading(t->c, "Shape");
    snprintf(text, sizeof text, t->girth ? "%u" : "no cycle", t->girth);
    print_row("girth", text);
    snprintf(text, sizeof text, "%.2f %% of the largest possible graph of this degree and diameter",
             100 * moore_ratio(t));
    print_row("Moore bound", text);
    if (t->has_bisection) {
        snprintf(text, sizeof text, "%s links, %.4f a host (bound from below: %.4f)",
                 cli_count(b->cut), b->per_host, b->lower_bound_per_host);
        print_row("bisection", text);
        snprintf(text, sizeof text, "halves of %s and %s hosts, best of %u partitions",
                 cli_count(b->hosts_a), cli_count(b->hosts_b), b->starts);
        print_row("", text);
    } else if (ik_fabric_has_rails(t->f)) {
        print_row("bisection", "not defined: hosts have cables to several switches");
    }
    snprintf(text, sizeof text,
             "%s rack pitches in total, %.3f on average, %s at most; %s of %s stay in their rack",
             cli_count(c->total), c->mean, cli_count(c->longest), cli_count(c->inside_racks),
             cli_count(c->cables));
    print_row("cables", text);
    snprintf(text, sizeof text, "%u x %u racks, %s", c->width, c->height,
             c->own_positions ? "the fabric's own positions" : "filled in switch order");
    print_row("floor", text);
}

static void print_findings(const topo *t)
{
    cli_heading(t->c, "Findings");
    if (t->f->num_findings == 0) {
        printf("  none\n");
    }
    for (size_t i = 0; i < t->f->num_findings; i++) {
        const ik_finding *n = &t->f->findings[i];
        printf("  %s%s%s %s: %s\n", cli_severity_colour(t->c, n->severity),
               severity_name(n->severity), cli_reset(t->c), n->code, n->text);
    }
}

/* ------------------------------------------------------------------------------------------ the
 * command */

static int exit_status(const ik_fabric *f)
{
    for (size_t i = 0; i < f->num_findings; i++) {
        if (f->findings[i].severity == IK_ERROR) {
            return CLI_FAILED;
        }
    }
    return CLI_DONE;
}

static int show(const topo *t)
{
    cli_progress_end(t->c);
    if (t->c->json) {
        int status = cli_print_json(t->c, to_json(t));
        return status == CLI_DONE ? exit_status(t->f) : status;
    }
    printf("%s\n", t->f->spec ? t->f->spec : t->c->args[0]);
    print_description(t);
    print_links(t);
    print_distances(t);
    if (t->has_all) {
        print_rest(t);
    }
    print_findings(t);
    return cli_finish(t->c, exit_status(t->f));
}

static ik_status write_out(const topo *t, ik_error *err)
{
    const char *path = cli_get(t->c, "--output");
    return path ? ik_fabric_write(t->f, path, cli_get(t->c, "--format"), err) : IK_OK;
}

static int run(cli *c)
{
    topo t = {.c = c};
    ik_error err;
    uint64_t rack, seeds;
    int status;
    if (!cli_get_uint(c, "--rack", 1, 1000000, 1, &rack) ||
        !cli_get_uint(c, "--partitions", 0, 100000, 0, &seeds)) {
        return CLI_USAGE;
    }
    ik_status s = ik_fabric_from_spec(c->args[0], &c->env, &t.f, &err);
    if (s == IK_OK) {
        s = write_out(&t, &err);
    }
    if (s == IK_OK) {
        s = measure(&t, (uint32_t)rack, (unsigned)seeds, &err);
    }
    status = s == IK_OK ? show(&t) : cli_error(c, &err);
    if (t.has_dist) {
        ik_distances_free(&t.dist);
    }
    ik_diversity_free(&t.diversity);
    ik_bisection_free(&t.bisection);
    ik_cables_free(&t.cables);
    ik_description_free(&t.d);
    ik_fabric_free(t.f);
    return status;
}

static const cli_option options[] = {
    {"--output", 'o', "FILE", "write the fabric, in the format of the file name's ending", false},
    {"--format", 0, "NAME", "write in this format whatever the name", false},
    {"--all", 0, NULL,
     "measure everything: path diversity, girth, Moore bound, bisection, cables, long distances",
     false},
    {"--rack", 0, "N", "switches a rack where ikat makes the floor plan (default 1)", false},
    {"--partitions", 0, "N", "seeds for each of METIS' six settings (default: 4 to 32 by size)",
     false},
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {"ikat topo karytree:k=4,n=3", "ikat topo slimfly:q=5 --json",
                                       NULL};

const ik_command ik_command_topo = {
    .name = "topo",
    .synopsis = "SPEC|FILE [-o FILE] [--all]",
    .summary = "describe a fabric: hosts, switches, links, levels, distances, findings",
    .details = "Distances count switch-to-switch hops. Exit status 1 if a finding is an error.\n"
               "With --json: hosts, switches, ports, unconnected_ports, links, switch_links, "
               "host_links, radix, min_radix, max_degree,\n"
               "min_degree, leaf_switches, levels, level_switches, ports_per_host, links_per_host, "
               "links_by_rate (name, rate_bps,\n"
               "latency_ps, links, switch_links, host_links), diameter, switch_diameter, "
               "mean_hops, mean_switch_hops,\n"
               "distance_histogram (ordered host pairs by hops), switch_distance_histogram, "
               "leaf_distance_histogram,\n"
               "unconnected_pairs, findings (severity, code, text). With --all also path_diversity "
               "(min, mean, max, counts; null\n"
               "beyond 63 bits), girth, moore_ratio, bisection (cut, per_host, hosts_a, hosts_b, "
               "lower_bound, lower_bound_per_host, "
               "starts), cables (cables,\n"
               "inside_racks, total, longest, mean, width, height, own_positions, histogram).",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
