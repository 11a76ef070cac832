/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_compare.c: `ikat compare`: a table of fabrics, given as specs or as the members that
 * families have at a switch radix or a number of hosts.
 */
#include "scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One row. */
typedef struct entry {
    char *spec;
    const char *series; /* NULL: a spec from the command line */
    uint32_t asked;     /* the radix or number of hosts that it was chosen for */
    bool exists;        /* the series has a member for it */
    bool built;
    double hosts, switches, ports, links;
    uint32_t radix;
    uint32_t levels;
    ik_distances dist;
    bool has_bisection;
    ik_bisection bisection;
    double *saturation; /* [num_traffics] < 0: not measured */
    ik_load_band *band; /* [num_traffics] where it chooses detours */
} entry;

typedef struct comparison {
    cli *c;
    entry *entries;
    size_t num, capacity;
    int num_traffics;
    const char *routing;
} comparison;

/* ------------------------------------------------------------------------------------------
 * choosing */

static entry *compare_add_entry(comparison *x)
{
    if (x->num == x->capacity) {
        size_t capacity = x->capacity ? x->capacity * 2 : 32;
        entry *grown = realloc(x->entries, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        x->entries = grown;
        x->capacity = capacity;
    }
    entry *e = &x->entries[x->num++];
    memset(e, 0, sizeof *e);
    e->exists = true;
    return e;
}

static ik_status compare_add_series(comparison *x, uint64_t asked, bool by_radix, ik_error *err)
{
    const ik_topology *const *t = ik_topologies();
    for (; *t; t++) {
        for (const ik_series *s = (*t)->series; s && s->name; s++) {
            ik_scale_point p;
            if (!cli_wants_series(x->c, s, *t))
                continue;
            entry *e = compare_add_entry(x);
            if (!e)
                return ik_fail_memory(err, sizeof *e, "rows of a comparison");
            e->series = s->name;
            e->asked = (uint32_t)asked;
            e->exists = by_radix ? ik_series_largest(s, (uint32_t)asked, &p)
                                 : ik_series_smallest(s, (double)asked, &p);
            if (e->exists) {
                e->spec = strdup(p.spec);
                if (!e->spec)
                    return ik_fail_memory(err, sizeof p.spec, "rows of a comparison");
                e->hosts = p.hosts;
                e->switches = p.switches;
                e->ports = p.ports;
                e->links = p.links;
                e->radix = p.radix;
            }
        }
    }
    return IK_OK;
}

/* One number of --radix or --hosts. A node has at most 65535 ports. */
static ik_status compare_add_asked(comparison *x, const char *option, bool by_radix,
                                   const char *text, ik_error *err)
{
    uint64_t n = 0, most = by_radix ? 65535 : 1000000000;
    ik_error why;
    if (ik_parse_quantity(text, IK_DIM_NONE, &n, &why) != IK_OK || n == 0 || n > most) {
        return ik_fail(err, IK_ERR_USAGE,
                       "%s takes a whole number from 1 to %" PRIu64 ", not '%.60s'", option, most,
                       text);
    }
    return compare_add_series(x, n, by_radix, err);
}

static ik_status compare_choose(comparison *x, ik_error *err)
{
    static const char *const options[] = {"--radix", "--hosts"};
    bool series = cli_has(x->c, "--radix") || cli_has(x->c, "--hosts");
    ik_status status = series ? cli_check_series(x->c, err) : IK_OK;
    for (int o = 0; o < 2; o++) {
        const char *text;
        for (int k = 0; status == IK_OK && (text = cli_get_nth(x->c, options[o], k)); k++)
            status = compare_add_asked(x, options[o], o == 0, text, err);
    }
    if (status != IK_OK)
        return status;
    if (!series && x->c->num_args == 0) {
        return ik_fail(err, IK_ERR_USAGE,
                       "nothing to compare: give specs, or --radix R or --hosts N");
    }
    for (int i = 0; !series && i < x->c->num_args; i++) {
        entry *e = compare_add_entry(x);
        if (!e)
            return ik_fail_memory(err, sizeof *e, "rows of a comparison");
        e->spec = strdup(x->c->args[i]);
        if (!e->spec)
            return ik_fail_memory(err, strlen(x->c->args[i]), "rows of a comparison");
    }
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------
 * measuring */

static void compare_note(void *ctx, const char *text)
{
    cli_note(ctx, "note: %s", text);
}

static ik_status compare_measure_traffic(comparison *x, const ik_fabric *f, entry *e, ik_error *err)
{
    ik_routing *r = NULL;
    ik_status s = ik_routing_from_spec(f, x->routing, &x->c->env, &r, err);
    for (int k = 0; s == IK_OK && k < x->num_traffics; k++)
        s = ik_load_predict(r, f, cli_get_nth(x->c, "--traffic", k), &x->c->env, &e->saturation[k],
                            &e->band[k], compare_note, (void *)x->c, err);
    ik_routing_free(r);
    return s;
}

static ik_status compare_measure_fabric(comparison *x, const ik_fabric *f, entry *e, ik_error *err)
{
    const ik_env *env = &x->c->env;
    ik_description d = {0};
    ik_status s = ik_fabric_describe(f, &d, err);
    if (s == IK_OK) {
        e->hosts = (double)d.hosts;
        e->switches = (double)d.switches;
        e->ports = (double)d.ports;
        e->links = (double)d.links;
        e->radix = d.radix;
        e->levels = d.levels;
        ik_description_free(&d);
        s = ik_distances_measure(f, env, &e->dist, err);
    }
    e->built = s == IK_OK;
    if (s == IK_OK && cli_has(x->c, "--bisection") && f->num_switches > 1) {
        s = ik_bisection_measure(f, 0, env, &e->bisection, err);
        e->has_bisection = s == IK_OK;
    }
    return s == IK_OK && x->num_traffics ? compare_measure_traffic(x, f, e, err) : s;
}

static ik_status compare_measure_entry(comparison *x, entry *e, ik_error *err)
{
    ik_fabric *f = NULL;
    if (!e->exists || (e->series && e->hosts > IK_DESIGN_MOST_BUILT))
        return IK_OK;
    e->saturation = calloc((size_t)x->num_traffics + 1, sizeof *e->saturation);
    e->band = calloc((size_t)x->num_traffics + 1, sizeof *e->band);
    if (!e->saturation || !e->band)
        return ik_fail_memory(err, sizeof *e->saturation, "a comparison");
    ik_status s = ik_fabric_from_spec(e->spec, &x->c->env, &f, err);
    if (s == IK_OK)
        s = compare_measure_fabric(x, f, e, err);
    ik_fabric_free(f);
    return s;
}

/* ------------------------------------------------------------------------------------------
 * showing */

/* Asked for before the k-th time? A member of an object has one value. */
static bool compare_repeated(const comparison *x, int k)
{
    for (int i = 0; i < k; i++)
        if (strcmp(cli_get_nth(x->c, "--traffic", i), cli_get_nth(x->c, "--traffic", k)) == 0)
            return true;
    return false;
}

static void compare_put_saturation(ik_json *j, const comparison *x, const entry *e)
{
    ik_json_object(j, "saturation");
    for (int k = 0; k < x->num_traffics; k++) {
        double s = e->saturation[k] < 0 ? NAN : e->saturation[k];
        if (!compare_repeated(x, k))
            ik_json_real(j, cli_get_nth(x->c, "--traffic", k), s, CLI_DIGITS);
    }
    ik_json_close(j);
}

/* By pattern, as `ikat load --json` has them; null where a saturation is predicted, or nothing. */
static void compare_put_bands(ik_json *j, const comparison *x, const entry *e)
{
    ik_json_object(j, "saturation_band");
    for (int k = 0; k < x->num_traffics; k++) {
        const char *name = cli_get_nth(x->c, "--traffic", k);
        const ik_load_band *b = &e->band[k];
        if (compare_repeated(x, k))
            continue;
        if (!b->chooses_detours) {
            ik_json_null(j, name);
            continue;
        }
        ik_json_object(j, name);
        cli_json_band(j, b);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void compare_put_sizes(ik_json *j, const entry *e)
{
    ik_json_uint(j, "hosts", (uint64_t)e->hosts);
    ik_json_uint(j, "switches", (uint64_t)e->switches);
    ik_json_uint(j, "ports", (uint64_t)e->ports);
    ik_json_uint(j, "links", (uint64_t)e->links);
    ik_json_uint(j, "radix", e->radix);
    ik_json_real(j, "ports_per_host", e->hosts > 0 ? e->ports / e->hosts : 0, CLI_DIGITS);
    ik_json_real(j, "links_per_host", e->hosts > 0 ? e->links / e->hosts : 0, CLI_DIGITS);
    ik_json_known(j, "diameter", e->built, e->dist.diameter);
    ik_json_real(j, "mean_hops", e->built ? e->dist.mean_hops : NAN, CLI_DIGITS);
}

static void compare_put_entry(ik_json *j, const comparison *x, const entry *e)
{
    ik_json_object(j, NULL);
    ik_json_optional(j, "series", e->series);
    ik_json_known(j, "asked", e->series != NULL, e->asked);
    ik_json_optional(j, "spec", e->exists ? e->spec : NULL);
    if (e->exists)
        compare_put_sizes(j, e);
    if (e->exists && e->has_bisection) {
        ik_json_real(j, "bisection_per_host", e->bisection.per_host, CLI_DIGITS);
        ik_json_real(j, "bisection_lower_bound_per_host", e->bisection.lower_bound_per_host,
                     CLI_DIGITS);
    }
    if (e->exists && e->built && x->num_traffics) {
        compare_put_saturation(j, x, e);
        compare_put_bands(j, x, e);
    }
    ik_json_close(j);
}

static int compare_show_json(const comparison *x)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_array(&j, "fabrics");
    for (size_t i = 0; i < x->num; i++)
        compare_put_entry(&j, x, &x->entries[i]);
    ik_json_close(&j);
    return cli_json_end(x->c, &j);
}

/* A number, or an empty cell. */
static void compare_number_cell(cli_table *t, bool known, int decimals, double value)
{
    if (known)
        cli_table_cell(t, "%.*f", decimals, value);
    else
        cli_table_cell(t, "%s", "");
}

static void compare_print_entry(const comparison *x, const entry *e, bool series, cli_table *t)
{
    bool counts = e->exists && e->hosts > 0;
    if (series) {
        cli_table_cell(t, "%u", e->asked);
        cli_table_cell(t, "%s", e->series);
    }
    cli_table_cell(t, "%s", e->exists ? e->spec : "none");
    cli_table_cell(t, "%s", e->exists ? cli_count((uint64_t)e->hosts) : "");
    cli_table_cell(t, "%s", e->exists ? cli_count((uint64_t)e->switches) : "");
    compare_number_cell(t, e->exists, 0, e->radix);
    compare_number_cell(t, counts, 3, e->ports / e->hosts);
    compare_number_cell(t, counts, 3, e->links / e->hosts);
    compare_number_cell(t, e->built, 0, e->dist.diameter);
    compare_number_cell(t, e->built, 3, e->dist.mean_hops);
    if (cli_has(x->c, "--bisection"))
        compare_number_cell(t, e->has_bisection, 3, e->bisection.per_host);
    for (int k = 0; k < x->num_traffics; k++) {
        bool known = e->built && e->saturation[k] >= 0;
        const ik_load_band *b = e->built ? &e->band[k] : NULL;
        if (b && b->chooses_detours) {
            cli_table_cell(t, b->high < INFINITY ? "%.3g..%.3g" : "%.3g..?", b->low, b->high);
            continue;
        }
        compare_number_cell(t, known, 4, known ? e->saturation[k] : 0);
    }
}

static void compare_show_table(const comparison *x)
{
    const char *headers[64];
    char saturation[32][64];
    bool series = x->num && x->entries[0].series;
    size_t n = 0;
    if (series) {
        headers[n++] = cli_has(x->c, "--radix") ? "radix>" : "hosts wanted>";
        headers[n++] = "family";
    }
    static const char *const fixed[] = {"fabric",    "hosts>",          "switches>",
                                        "ports>",    "ports per host>", "links per host>",
                                        "diameter>", "mean hops>"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        headers[n++] = fixed[i];
    if (cli_has(x->c, "--bisection"))
        headers[n++] = "bisection per host>";
    for (int k = 0; k < x->num_traffics; k++) {
        snprintf(saturation[k], sizeof saturation[k], "%.50s>", cli_get_nth(x->c, "--traffic", k));
        headers[n++] = saturation[k];
    }
    headers[n] = NULL;
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < x->num; i++)
        compare_print_entry(x, &x->entries[i], series, t);
    cli_table_print(t, stdout, x->c->colour_out);
    if (x->num_traffics) {
        printf("Traffic columns: predicted saturation under routing %s, as a fraction of the "
               "hosts' rate; empty where it cannot be predicted. A..B: not predicted, since queues "
               "decide what takes detours; if all does, or nothing, A is carried at least, and no "
               "division carries more than B ('ikat load' says more).\n",
               x->routing);
    }
}

/* ------------------------------------------------------------------------------------------
 * the command */

/* --scale has a table of its own, in which nothing is measured. */
static int compare_scale(cli *c)
{
    static const char *const others[] = {"--radix", "--hosts", "--bisection", "--traffic",
                                         "--routing"};
    ik_error err;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_has(c, others[i]))
            return cli_usage(c, "--scale only counts hosts: %s cannot be used with it", others[i]);
    return cli_check_series(c, &err) == IK_OK ? cli_compare_scale(c) : cli_error(c, &err);
}

static int compare_run(cli *c)
{
    comparison x = {.c = c, .routing = cli_get(c, "--routing")};
    ik_error err;
    x.routing = x.routing ? x.routing : "minimal";
    if (cli_has(c, "--scale"))
        return compare_scale(c);
    if (cli_has(c, "--plot"))
        return cli_usage(c, "--plot draws the table of --scale A..B, which is required with it");
    if (cli_has(c, "--radix") && cli_has(c, "--hosts")) {
        return cli_usage(c,
                         "--radix and --hosts ask for different tables; for members with these "
                         "hosts and switches: ikat design --hosts %s --radix %s",
                         cli_get(c, "--hosts"), cli_get(c, "--radix"));
    }
    while (cli_get_nth(c, "--traffic", x.num_traffics))
        if (++x.num_traffics > 32)
            return cli_usage(c, "at most 32 traffic patterns");
    if (cli_only_with(c, "--routing", "--traffic") != CLI_DONE)
        return CLI_USAGE;
    ik_status s = compare_choose(&x, &err);
    for (size_t i = 0; s == IK_OK && i < x.num; i++)
        s = compare_measure_entry(&x, &x.entries[i], &err);
    int status = CLI_DONE;
    cli_progress_end(c);
    if (s != IK_OK) {
        status = cli_error(c, &err);
    } else if (c->json) {
        status = compare_show_json(&x);
    } else {
        compare_show_table(&x);
        status = cli_finish(c, CLI_DONE);
    }
    for (size_t i = 0; i < x.num; i++) {
        ik_distances_free(&x.entries[i].dist);
        ik_bisection_free(&x.entries[i].bisection);
        free(x.entries[i].saturation);
        free(x.entries[i].band);
        free(x.entries[i].spec);
    }
    free(x.entries);
    return status;
}

static const cli_option options[] = {
    {"--radix", 0, "R",
     "compare the largest member of each family with at most R ports per switch (several values: a "
     "table over the radix)",
     true},
    {"--hosts", 0, "N", "compare the smallest member of each family with at least N hosts", true},
    {"--scale", 0, "A..B",
     "print a table of the most hosts that each family has with switches of A to B ports", false},
    {"--plot", 0, "FILE.svg", "draw this table as a picture", false},
    {"--bisection", 'b', NULL, "also compute the bisection", false},
    {"--traffic", 't', "SPEC", "predict the saturation load for this pattern", true, "<traffic>"},
    {"--routing", 'r', "SPEC", "the routing for these predictions (default: minimal)", false,
     "<routings>"},
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {
    "ikat compare slimfly:q=5 oft:k=4 mlfm:h=5 --bisection --traffic uniform --traffic worst",
    "ikat compare --radix 12", "ikat compare --hosts 200 slimfly oft", "ikat compare --scale 8..16",
    NULL};

const ik_command ik_command_compare = {
    .name = "compare",
    .synopsis =
        "SPEC|FILE … | [FAMILY …] --radix R | [FAMILY …] --hosts N | [FAMILY …] --scale A..B",
    .summary = "compare fabrics: size, cost, distances, bisection, predicted saturation",
    .details =
        "Use it to choose a topology: it prints a table with one row per fabric. With --radix or "
        "--hosts, the rows are balanced members of all families, or of those that are named. For "
        "members of more than 300,000 hosts, only sizes are computed, by formula. Saturations are "
        "predicted where the pattern fits the fabric and all its pairs are delivered.\nWith "
        "--json: version, fabrics, an array of objects with series, asked, spec, hosts, "
        "switches, ports, links, radix, ports_per_host,\n"
        "links_per_host, diameter, mean_hops, bisection_per_host, "
        "bisection_lower_bound_per_host, saturation (by pattern), saturation_band (by pattern, "
        "for routings that choose detours by queues). With\n"
        "--scale: scale, an array of objects with series, summary, hosts_by_radix.",
    .takes = "<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 0,
    .max_args = -1,
    .run = compare_run,
};
