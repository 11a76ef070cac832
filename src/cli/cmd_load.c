/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_load.c: `ikat load`: what a pattern does to the channels under a routing, without simulating.
 */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Contention needs every path in memory: a default for patterns with at most this many flows per
 * host on average. */
static const double few_flows = 64;

typedef struct loads {
    cli *c;
    ik_fabric *f;
    ik_routing *r;
    ik_traffic *t;
    ik_load load;
    ik_load_group *groups;
    size_t num_groups;
    uint64_t unconnected; /* flows that the fabric does not connect */
    bool refused;         /* hosts are not connected, and that was not allowed */
    bool has_contention, has_means, has_permutations;
    ik_contention contention;
    ik_pattern_means means;
    ik_permutations permutations;
} loads;

/* ------------------------------------------------------------------------------------------
 * measuring */

static ik_status measure_more(loads *l, uint64_t patterns, uint64_t samples, ik_error *err)
{
    const ik_env *env = &l->c->env;
    ik_status s = IK_OK;
    if (cli_has(l->c, "--contention") ||
        (double)l->load.flows <= few_flows * (double)l->f->num_hosts) {
        s = ik_contention_measure(l->r, l->t, env, &l->contention, err);
        l->has_contention = s == IK_OK;
    }
    if (s == IK_OK && patterns) {
        s = ik_pattern_means_measure(l->r, l->t->spec, patterns, env, &l->means, err);
        l->has_means = s == IK_OK;
    }
    if (s == IK_OK && cli_has(l->c, "--permutations")) {
        s = ik_permutations_measure(l->r, samples, env, &l->permutations, err);
        l->has_permutations = s == IK_OK;
    }
    return s;
}

static ik_status measure(loads *l, uint64_t patterns, uint64_t samples, ik_error *err)
{
    const ik_env *env = &l->c->env;
    const char *routing = cli_get(l->c, "--routing"), *traffic = cli_get(l->c, "--traffic");
    ik_status s = ik_fabric_from_spec(l->c->args[0], env, &l->f, err);
    if (s == IK_OK)
        s = cli_reach(l->c, l->f, &l->refused, err);
    if (s == IK_OK)
        s = ik_routing_from_spec(l->f, routing, env, &l->r, err);
    if (s == IK_OK && l->r->note)
        cli_note(l->c, "%s", l->r->note);
    if (s == IK_OK)
        s = ik_traffic_from_spec(l->f, traffic ? traffic : "uniform", env, &l->t, err);
    if (s == IK_OK) {
        if (l->t->note)
            cli_note(l->c, "note: %s", l->t->note);
        s = ik_load_measure(l->r, l->t, env, &l->load, err);
    }
    if (s == IK_OK)
        s = ik_flows_unconnected(l->t, &l->unconnected, err);
    if (s == IK_OK)
        s = ik_load_groups(l->f, l->load.load, &l->groups, &l->num_groups, err);
    return s == IK_OK ? measure_more(l, patterns, samples, err) : s;
}

/* Flows that the routing does not deliver although the fabric connects them. */
static uint64_t undelivered(const loads *l)
{
    return l->load.undelivered - l->unconnected;
}

/* ------------------------------------------------------------------------------------------
 * JSON */

static void put_ratio(ik_json *j, const char *key, const ik_ratio *r)
{
    ik_json_object(j, key);
    ik_json_real(j, "value", r->value, CLI_DIGITS);
    if (r->den) {
        ik_json_uint(j, "numerator", r->num);
        ik_json_uint(j, "denominator", r->den);
    }
    ik_json_close(j);
}

static void put_channel(ik_json *j, const char *key, const ik_fabric *f, uint32_t port)
{
    char where[256];
    if (port == IK_NONE)
        ik_json_null(j, key);
    else
        ik_json_text(j, key, ik_port_describe(f, port, where, sizeof where));
}

static void put_group(ik_json *j, const ik_load_group *g)
{
    ik_json_object(j, NULL);
    cli_json_group(j, g);
    ik_json_array(j, "histogram");
    for (size_t b = 0; b < g->num_bins; b++) {
        ik_json_object(j, NULL);
        ik_json_real(j, "low", g->bins[b].low, CLI_DIGITS);
        ik_json_real(j, "high", g->bins[b].high, CLI_DIGITS);
        ik_json_uint(j, "channels", g->bins[b].channels);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static void put_groups(ik_json *j, const loads *l)
{
    ik_json_array(j, "groups");
    for (size_t i = 0; i < l->num_groups; i++)
        put_group(j, &l->groups[i]);
    ik_json_close(j);
}

/* Whole numbers as such. */
static void put_number(ik_json *j, double n)
{
    if (n == floor(n) && n < 9e15)
        ik_json_uint(j, NULL, (uint64_t)n);
    else
        ik_json_real(j, NULL, n, CLI_DIGITS);
}

/* Routes per nearest common ancestor: one array a level above the first. */
static void put_turns(ik_json *j, const loads *l)
{
    ik_json_array(j, "turns_by_level");
    for (uint32_t level = 1; level <= l->f->num_levels; level++) {
        ik_json_array(j, NULL);
        for (uint32_t sw = 0; sw < l->f->num_switches; sw++)
            if (l->f->switch_level[sw] == level)
                put_number(j, l->load.turns[sw]);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void put_contention(ik_json *j, const ik_fabric *f, const ik_contention *c)
{
    ik_json_object(j, "contention");
    ik_json_uint(j, "split_flows", c->split);
    cli_json_known(j, "c", !c->split, c->c);
    if (f->num_levels) {
        cli_json_known(j, "c_up", !c->split, c->c_up);
        cli_json_known(j, "c_down", !c->split, c->c_down);
    }
    put_ratio(j, "c_load", &c->c_load);
    if (c->split)
        ik_json_real(j, "max_flows", c->max_flows, CLI_DIGITS);
    else
        ik_json_uint(j, "max_flows", (uint64_t)c->max_flows);
    ik_json_uint(j, "endpoint_degree", c->endpoint_degree);
    put_ratio(j, "slowdown_bound", &c->slowdown_bound);
    ik_json_real(j, "fluid_time", c->fluid_time, CLI_DIGITS);
    ik_json_real(j, "fluid_slowdown", c->fluid_slowdown, CLI_DIGITS);
    ik_json_real(j, "effective_bandwidth", c->effective_bandwidth, CLI_DIGITS);
    ik_json_real(j, "effective_bandwidth_leaving", c->effective_bandwidth_leaving, CLI_DIGITS);
    ik_json_real(j, "mean_efficiency", c->mean_efficiency, CLI_DIGITS);
    ik_json_real(j, "mean_efficiency_leaving", c->mean_efficiency_leaving, CLI_DIGITS);
    put_channel(j, "worst_channel", f, c->worst_channel);
    ik_json_close(j);
}

static void put_means(ik_json *j, const ik_pattern_means *m)
{
    const struct {
        const char *key;
        double value;
    } rows[] = {
        {"effective_bandwidth", m->effective_bandwidth},
        {"effective_bandwidth_error", m->effective_bandwidth_error},
        {"effective_bandwidth_leaving", m->effective_bandwidth_leaving},
        {"effective_bandwidth_leaving_error", m->effective_bandwidth_leaving_error},
        {"mean_efficiency", m->mean_efficiency},
        {"mean_efficiency_error", m->mean_efficiency_error},
        {"mean_efficiency_leaving", m->mean_efficiency_leaving},
        {"mean_efficiency_leaving_error", m->mean_efficiency_leaving_error},
    };
    ik_json_object(j, "patterns");
    ik_json_uint(j, "patterns", m->patterns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ik_json_real(j, rows[i].key, rows[i].value, CLI_DIGITS);
    ik_json_close(j);
}

static void put_permutations(ik_json *j, const ik_permutations *p)
{
    ik_json_object(j, "permutations");
    ik_json_bool(j, "exhaustive", p->exhaustive);
    ik_json_uint(j, "total", p->total);
    ik_json_real(j, "mean", p->mean, CLI_DIGITS);
    ik_json_object(j, "by_contention");
    for (size_t c = 0; c < p->num; c++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", c);
        if (p->count[c])
            ik_json_uint(j, key, p->count[c]);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static void put_load(ik_json *j, const loads *l)
{
    const ik_load *x = &l->load;
    ik_json_uint(j, "flows", x->flows);
    ik_json_uint(j, "undelivered", undelivered(l));
    ik_json_uint(j, "unconnected", l->unconnected);
    ik_json_real(j, "max_load", x->max_load, CLI_DIGITS);
    ik_json_real(j, "mean_load", x->mean_load, CLI_DIGITS);
    ik_json_real(j, "min_load", x->min_load, CLI_DIGITS);
    cli_json_known(j, "load_denominator", x->denominator != 0, x->denominator);
    ik_json_real(j, "max_flows", x->max_crossing, CLI_DIGITS);
    ik_json_real(j, "mean_hops", x->mean_hops, CLI_DIGITS);
    ik_json_real(j, "saturation", x->saturation, CLI_DIGITS);
    put_channel(j, "max_channel", l->f, x->max_channel);
    put_channel(j, "tightest_channel", l->f, x->tightest);
}

static int show_json(const loads *l)
{
    ik_json j;
    cli_json_begin(&j);
    cli_json_optional(&j, "topology", l->f->spec);
    ik_json_text(&j, "routing", l->r->spec);
    ik_json_text(&j, "traffic", l->t->spec);
    ik_json_uint(&j, "hosts", l->f->num_hosts);
    ik_json_uint(&j, "switches", l->f->num_switches);
    put_load(&j, l);
    put_groups(&j, l);
    if (l->load.turns)
        put_turns(&j, l);
    if (l->has_contention)
        put_contention(&j, l->f, &l->contention);
    if (l->has_means)
        put_means(&j, &l->means);
    if (l->has_permutations)
        put_permutations(&j, &l->permutations);
    return cli_json_end(l->c, &j);
}

/* ------------------------------------------------------------------------------------------
 * text */

static void row(const char *name, const char *format, ...) IK_PRINTF(2, 3);
static void row(const char *name, const char *format, ...)
{
    va_list args;
    printf("  %-22s ", name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

static void print_groups(const loads *l)
{
    static const char *const headers[] = {"channels", "level>", "number>",          "min load>",
                                          "mean>",    "max>",   "distinct values>", NULL};
    cli_heading(l->c, "Loads by kind of channel, in units of a host's rate");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < l->num_groups; i++) {
        const ik_load_group *g = &l->groups[i];
        bool exact = g->bins[0].low == g->bins[0].high;
        cli_table_cell(t, "%s", ik_direction_name(g->direction));
        cli_table_cell(t, "%.0u", g->level); /* nothing for 0 */
        cli_table_cell(t, "%s", cli_count(g->channels));
        cli_table_cell(t, "%.6g", g->min);
        cli_table_cell(t, "%.6g", g->mean);
        cli_table_cell(t, "%.6g", g->max);
        cli_table_cell(t, exact ? "%zu" : "more than %zu", g->num_bins);
    }
    cli_table_print(t, stdout, l->c->colour_out);
}

static void print_histogram(const loads *l)
{
    static const char *const headers[] = {"channels", "level>", "load>", "number>", NULL};
    cli_heading(l->c, "Histogram");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < l->num_groups; i++) {
        const ik_load_group *g = &l->groups[i];
        for (size_t b = 0; b < g->num_bins; b++) {
            const ik_load_bin *bin = &g->bins[b];
            cli_table_cell(t, "%s", b ? "" : ik_direction_name(g->direction));
            cli_table_cell(t, "%.0u", b ? 0 : g->level);
            cli_table_cell(t, bin->low == bin->high ? "%.6g" : "%.6g to %.6g", bin->low, bin->high);
            cli_table_cell(t, "%s", cli_count(bin->channels));
        }
    }
    cli_table_print(t, stdout, l->c->colour_out);
}

static void print_turns(const loads *l)
{
    static const char *const headers[] = {"level>", "switches>", "fewest routes>",
                                          "mean>",  "most>",     NULL};
    cli_heading(l->c, "Routes that turn at a switch (their nearest common ancestor)");
    cli_table *t = cli_table_new(headers);
    for (uint32_t level = 1; level <= l->f->num_levels; level++) {
        double low = INFINITY, high = 0, sum = 0;
        uint64_t n = 0;
        for (uint32_t sw = 0; sw < l->f->num_switches; sw++) {
            if (l->f->switch_level[sw] == level) {
                double x = l->load.turns[sw];
                low = x < low ? x : low;
                high = x > high ? x : high;
                sum += x;
                n++;
            }
        }
        cli_table_cell(t, "%u", level);
        cli_table_cell(t, "%s", cli_count(n));
        cli_table_cell(t, "%.6g", n ? low : 0);
        cli_table_cell(t, "%.6g", n ? sum / (double)n : 0);
        cli_table_cell(t, "%.6g", high);
    }
    cli_table_print(t, stdout, l->c->colour_out);
}

static void print_contention(const loads *l)
{
    const ik_contention *x = &l->contention;
    cli_heading(l->c, "Contention inside the network");
    if (x->split) {
        row("C (largest matching)",
            "none: it counts whole flows, and %s of %s are divided over several paths",
            cli_count(x->split), cli_count(x->flows));
    } else {
        row("C (largest matching)", "%llu", (unsigned long long)x->c);
    }
    if (l->f->num_levels && !x->split)
        row("C up, down", "%llu, %llu", (unsigned long long)x->c_up, (unsigned long long)x->c_down);
    row("C by load", "%.6g", x->c_load.value);
    row("slowdown at least", "%.6g (%.6g flows on a channel, %llu at an end)",
        x->slowdown_bound.value, x->max_flows, (unsigned long long)x->endpoint_degree);
    row("fluid slowdown", "%.6g (%.6g messages' time, crossbar %.6g)", x->fluid_slowdown,
        x->fluid_time, x->fluid_crossbar_time);
    row("effective bandwidth", "%.6g (of flows that leave their switch %.6g)",
        x->effective_bandwidth, x->effective_bandwidth_leaving);
    row("mean efficiency", "%.6g (of flows that leave their switch %.6g)", x->mean_efficiency,
        x->mean_efficiency_leaving);
}

static void print_extras(const loads *l)
{
    if (l->has_means) {
        cli_heading(l->c, "Random patterns");
        row("patterns", "%s", cli_count(l->means.patterns));
        const ik_pattern_means *m = &l->means;
        row("effective bandwidth", "%.6g +- %.2g (of flows that leave their switch %.6g +- %.2g)",
            m->effective_bandwidth, m->effective_bandwidth_error, m->effective_bandwidth_leaving,
            m->effective_bandwidth_leaving_error);
        row("mean efficiency", "%.6g +- %.2g (of flows that leave their switch %.6g +- %.2g)",
            m->mean_efficiency, m->mean_efficiency_error, m->mean_efficiency_leaving,
            m->mean_efficiency_leaving_error);
    }
    if (l->has_permutations) {
        cli_heading(l->c, l->permutations.exhaustive ? "All permutations by contention"
                                                     : "Random permutations by contention");
        for (size_t c = 0; c < l->permutations.num; c++)
            printf("  %4zu  %s\n", c, cli_count(l->permutations.count[c]));
        row("mean", "%.6g", l->permutations.mean);
    }
}

static void print_text(const loads *l)
{
    const ik_load *x = &l->load;
    char where[256];
    printf("%s, routing %s, traffic %s\n", cli_line(l->f->spec ? l->f->spec : l->c->args[0]),
           cli_line(l->r->spec), cli_line(l->t->spec));
    row("flows", "%s", cli_count(x->flows));
    if (undelivered(l))
        row("not delivered", "%s", cli_count(undelivered(l)));
    if (l->unconnected)
        row("unconnected", "%s flows that the fabric does not connect", cli_count(l->unconnected));
    row("largest load", "%.6g of a host's rate", x->max_load);
    if (x->max_channel != IK_NONE)
        row("on", "%s", ik_port_describe(l->f, x->max_channel, where, sizeof where));
    row("mean load", "%.6g", x->mean_load);
    row("most flows", "%.6g on a channel", x->max_crossing);
    row("mean hops", "%.6g", x->mean_hops);
    row("predicted saturation", "%.4g of the hosts' rate", x->saturation);
    if (x->saturation < 1 && x->tightest != IK_NONE) {
        row("limited by", "%s (%s)", ik_port_describe(l->f, x->tightest, where, sizeof where),
            cli_quantity(ik_port_rate_bps(l->f, x->tightest), IK_DIM_RATE));
    }
    print_groups(l);
    if (cli_has(l->c, "--histogram"))
        print_histogram(l);
    if (x->turns)
        print_turns(l);
    if (l->has_contention)
        print_contention(l);
    print_extras(l);
}

/* ------------------------------------------------------------------------------------------ the
 * command */

static int run(cli *c)
{
    loads l = {.c = c};
    ik_error err;
    uint64_t patterns, samples;
    int status = CLI_DONE;
    if (!cli_has(c, "--routing"))
        return cli_usage(c, "say how to route with --routing SPEC ('ikat list routings')");
    if (!cli_get_uint(c, "--patterns", 0, 100000000, 0, &patterns))
        return CLI_USAGE;
    const char *wanted = cli_get(c, "--permutations");
    bool all = wanted && strcmp(wanted, "all") == 0;
    if (all)
        samples = 0;
    else if (!cli_get_uint(c, "--permutations", 1, 1000000000000, 1, &samples))
        return CLI_USAGE;
    if (measure(&l, patterns, samples, &err) != IK_OK) {
        status = cli_error(c, &err);
    } else {
        cli_progress_end(c);
        int failed = undelivered(&l) || l.refused ? CLI_FAILED : CLI_DONE;
        if (c->json) {
            status = show_json(&l);
            status = status == CLI_DONE ? failed : status;
        } else {
            print_text(&l);
            status = cli_finish(c, failed);
        }
    }
    ik_load_groups_free(l.groups, l.num_groups);
    ik_load_free(&l.load);
    ik_permutations_free(&l.permutations);
    ik_traffic_free(l.t);
    ik_routing_free(l.r);
    ik_fabric_free(l.f);
    return status;
}

static const cli_option options[] = {
    {"--routing", 'r', "SPEC", "the routing", false},
    {"--traffic", 't', "SPEC", "the pattern (default: uniform)", false},
    {"--histogram", 0, NULL, "print how many channels carry which load", false},
    {"--contention", 0, NULL, "contention measures even for patterns with many flows", false},
    {"--patterns", 0, "N", "average effective bandwidth and efficiency over N random patterns",
     false},
    {"--permutations", 0, "N|all", "count N random permutations, or all, by contention", false},
    CLI_ALLOW_UNREACHABLE,
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {
    "ikat load karytree:k=4,n=3 --routing dmodk",
    "ikat load xgft:m=16:16,w=1:10 --routing dmodk --traffic cg:processes=128 --json", NULL};

const ik_command ik_command_load = {
    .name = "load",
    .synopsis = "SPEC|FILE --routing SPEC [--traffic SPEC]",
    .summary = "channel loads and contention of a pattern under a routing, without simulating",
    .details =
        "Loads are in units of one host's rate, every host offering all of it; the predicted "
        "saturation is the offered load at\n"
        "which the tightest channel is full. Adaptive routings are taken to spread evenly over "
        "their allowed ports. Exit status 1 if\n"
        "flows are not delivered and, without --allow-unreachable, if the fabric does not connect "
        "all hosts that have a cable.\n"
        "With --json: topology, routing, traffic, hosts, switches, flows, undelivered, unconnected "
        "(flows between hosts that the\n"
        "fabric does not connect, not counted as undelivered), max_load, mean_load, min_load,\n"
        "load_denominator (null: rounded), max_flows, mean_hops, saturation, max_channel, "
        "tightest_channel, groups (direction, level,\n"
        "channels, min, mean, max, histogram), turns_by_level, contention (split_flows: those with "
        "several paths, which\n"
        "are counted by their shares; c, c_up, c_down: null if there are any; c_load, max_flows, "
        "endpoint_degree, slowdown_bound,\n"
        "fluid_time, fluid_slowdown, effective_bandwidth, mean_efficiency and both for flows that "
        "leave their switch,\n"
        "..._leaving; worst_channel), patterns, permutations (exhaustive, total, mean, "
        "by_contention).",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
