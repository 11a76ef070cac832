/* SPDX-License-Identifier: Apache-2.0
 *
 * load_compare.c: `ikat load` of several fabrics, routings or seeds: the slowdown of each against
 * an ideal crossbar, and how it is spread over the seeds.
 */
#include "load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One seed. */
typedef struct sample {
    uint64_t seed;
    double slowdown, time_ns, crossbar_ns; /* NAN: no workload */
    uint64_t c;                            /* largest of all phases */
    bool has_c;
} sample;

/* One routing on one fabric. */
typedef struct entry {
    const char *fabric;
    char *routing; /* as the routing names itself, with the first seed */
    uint32_t hosts, switches;
    uint64_t undelivered;
    bool by_queues;  /* it is adaptive: slowdowns are those of an even division, or NAN */
    sample *samples; /* [num_seeds] */
    ik_box slowdown;
} entry;

typedef struct comparison {
    cli *c;
    uint64_t first_seed, num_seeds;
    const char *traffic, *table;
    double most_flows;
    entry *entries; /* [num] */
    size_t num;
    bool refused;
} comparison;

/* ------------------------------------------------------------------------------------------
 * measuring */

static ik_status load_compare_measure_pattern(const comparison *m, const ik_routing *r,
                                              const ik_traffic *t, const ik_env *env, entry *e,
                                              sample *s, ik_error *err)
{
    ik_contention c;
    ik_load l;
    uint64_t unconnected = 0;
    ik_status status = ik_load_measure(r, t, env, &l, err);
    if (status == IK_OK && l.undelivered)
        status = ik_flows_unconnected(t, &unconnected, err);
    if (status != IK_OK)
        return status;
    bool many = (double)l.flows > m->most_flows * (double)t->num_hosts;
    e->undelivered += l.undelivered - unconnected;
    ik_load_free(&l);
    if (many) {
        ik_fail(err, IK_ERR_USAGE, "traffic '%.80s': more than %.0f flows per host", t->spec,
                m->most_flows);
        return ik_hint(
            err, IK_ERR_USAGE,
            "use --contention for the slowdown of so many flows, or a workload "
            "(exchange:pattern=alltoall), which is measured by its most loaded channels");
    }
    status = ik_contention_measure(r, t, env, &c, err);
    if (status == IK_OK)
        *s = (sample){env->seed, c.fluid_slowdown, NAN, NAN, c.c, !c.split};
    return status;
}

static ik_status measure_workload(const comparison *m, const ik_routing *r, const ik_traffic *t,
                                  const ik_env *env, entry *e, sample *s, ik_error *err)
{
    ik_phases p;
    ik_status status = ik_phases_measure(r, t, m->most_flows, env, &p, err);
    if (status != IK_OK)
        return status;
    *s = (sample){.seed = env->seed, .slowdown = p.slowdown, .has_c = p.has_contention};
    s->time_ns = p.has_contention ? p.fluid_ns : p.bound_ns;
    s->crossbar_ns = p.has_contention ? p.crossbar_ns : p.crossbar_bound_ns;
    e->undelivered += p.undelivered - p.unconnected;
    for (size_t i = 0; i < p.num; i++) {
        const ik_contention *c = &p.phases[i].contention;
        s->has_c = s->has_c && c->split == 0;
        s->c = c->c > s->c ? c->c : s->c;
    }
    ik_phases_free(&p);
    return IK_OK;
}

static ik_status load_compare_measure_seed(const comparison *m, const ik_fabric *f,
                                           const char *routing, uint64_t seed, entry *e, sample *s,
                                           ik_error *err)
{
    ik_env env = m->c->env;
    ik_routing *r = NULL;
    ik_traffic *t = NULL;
    env.seed = seed;
    ik_status status = ik_traffic_from_spec(f, m->traffic, &env, &t, err);
    env.traffic = t;
    if (status == IK_OK && t->schedule) {
        status = ik_fail(err, IK_ERR_USAGE,
                         "traffic '%.80s' is several patterns, one after the other", t->spec);
        ik_hint(err, status,
                "the entries of a schedule are measured with one fabric, one --routing and without "
                "--seeds");
    }
    if (status == IK_OK)
        status = ik_routing_from_spec(f, routing, &env, &r, err);
    if (status == IK_OK)
        e->by_queues = r->kind == IK_ROUTE_ADAPTIVE;
    if (status == IK_OK && seed == m->first_seed) {
        if (t->note || r->note)
            cli_note(m->c, "note: %s", t->note ? t->note : r->note);
        e->routing = strdup(r->spec);
        if (!e->routing)
            status = ik_fail_memory(err, strlen(r->spec), "names of routings");
    }
    if (status == IK_OK)
        status = t->workload ? measure_workload(m, r, t, &env, e, s, err)
                             : load_compare_measure_pattern(m, r, t, &env, e, s, err);
    ik_traffic_free(t);
    ik_routing_free(r);
    return status;
}

static ik_status load_compare_measure_entry(const comparison *m, const ik_fabric *f,
                                            const char *routing, entry *e, ik_error *err)
{
    ik_status status = IK_OK;
    e->hosts = f->num_hosts;
    e->switches = f->num_switches;
    e->samples = calloc(m->num_seeds, sizeof *e->samples);
    double *values = calloc(m->num_seeds, sizeof *values);
    if (!e->samples || !values)
        status = ik_fail_memory(err, m->num_seeds * sizeof *e->samples, "samples");
    for (uint64_t i = 0; i < m->num_seeds && status == IK_OK; i++) {
        status =
            load_compare_measure_seed(m, f, routing, m->first_seed + i, e, &e->samples[i], err);
        if (status == IK_OK)
            values[i] = e->samples[i].slowdown;
    }
    if (status == IK_OK)
        e->slowdown = ik_box_of(values, m->num_seeds);
    free(values);
    return status;
}

static ik_status load_compare_measure_fabric(comparison *m, const char *spec, ik_error *err)
{
    ik_fabric *f = NULL;
    const char *routing;
    bool refused = false;
    ik_status status = ik_fabric_from_spec(spec, &m->c->env, &f, err);
    if (status == IK_OK)
        status = cli_reach(m->c, f, &refused, err);
    m->refused |= refused;
    for (int k = 0; status == IK_OK && (routing = cli_get_nth(m->c, "--routing", k)); k++) {
        entry *e = &m->entries[m->num++];
        e->fabric = spec;
        cli_stage(m->c, "%s, %s", spec, routing);
        status = load_compare_measure_entry(m, f, routing, e, err);
    }
    ik_fabric_free(f);
    return status;
}

static ik_status load_compare_measure(comparison *m, ik_error *err)
{
    int routings = 0;
    while (cli_get_nth(m->c, "--routing", routings))
        routings++;
    m->entries = calloc((size_t)m->c->num_args * (size_t)routings, sizeof *m->entries);
    if (!m->entries)
        return ik_fail_memory(err, sizeof *m->entries, "a comparison");
    ik_status status = IK_OK;
    for (int k = 0; k < m->c->num_args && status == IK_OK; k++)
        status = load_compare_measure_fabric(m, m->c->args[k], err);
    return status;
}

/* ------------------------------------------------------------------------------------------
 * showing */

/* The largest C of all seeds, if it is known of all. */
static bool load_compare_largest_c(const comparison *m, const entry *e, uint64_t *c)
{
    *c = 0;
    for (uint64_t i = 0; i < m->num_seeds; i++) {
        if (!e->samples[i].has_c)
            return false;
        *c = e->samples[i].c > *c ? e->samples[i].c : *c;
    }
    return true;
}

/* What the numbers of adaptive routings are. */
static void load_compare_explain(const comparison *m)
{
    bool evenly = false, unknown = false;
    for (size_t k = 0; k < m->num; k++) {
        unknown |= isnan(m->entries[k].slowdown.mean);
        evenly |= m->entries[k].by_queues && !isnan(m->entries[k].slowdown.mean);
    }
    if (unknown)
        puts("-: not predicted, since what goes minimally depends on queues");
    if (evenly)
        puts("Slowdowns of adaptive routings are those of choices that are divided evenly, which "
             "queues may divide otherwise.");
}

static void load_compare_show_text(const comparison *m)
{
    static const char *const headers[] = {"fabric", "switches>", "routing", "C>",
                                          "min>",   "quartile>", "median>", "quartile>",
                                          "max>",   "mean>",     NULL};
    printf("Slowdown against an ideal crossbar, traffic %s, %s seed%s from %llu on\n\n",
           cli_line(m->traffic), cli_count(m->num_seeds), m->num_seeds > 1 ? "s" : "",
           (unsigned long long)m->first_seed);
    cli_table *t = cli_table_new(headers);
    for (size_t k = 0; k < m->num; k++) {
        const entry *e = &m->entries[k];
        const double values[] = {e->slowdown.min,   e->slowdown.lower, e->slowdown.median,
                                 e->slowdown.upper, e->slowdown.max,   e->slowdown.mean};
        uint64_t c;
        cli_table_cell(t, "%.200s", cli_line(e->fabric));
        cli_table_cell(t, "%s", cli_count(e->switches));
        cli_table_cell(t, "%.200s", cli_line(e->routing));
        if (load_compare_largest_c(m, e, &c))
            cli_table_cell(t, "%s", cli_count(c));
        else
            cli_table_cell(t, "-");
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            cli_table_cell(t, isnan(values[i]) ? "-" : "%.5g", values[i]);
    }
    cli_table_print(t, stdout, m->c->colour_out);
    load_compare_explain(m);
}

static void load_compare_put_box(ik_json *j, const ik_box *b)
{
    ik_json_object(j, "slowdown");
    ik_json_real(j, "min", b->min, CLI_DIGITS);
    ik_json_real(j, "lower_quartile", b->lower, CLI_DIGITS);
    ik_json_real(j, "median", b->median, CLI_DIGITS);
    ik_json_real(j, "upper_quartile", b->upper, CLI_DIGITS);
    ik_json_real(j, "max", b->max, CLI_DIGITS);
    ik_json_real(j, "mean", b->mean, CLI_DIGITS);
    ik_json_close(j);
}

static void load_compare_put_time(ik_json *j, const char *key, double ns)
{
    if (ns == ns)
        ik_json_real(j, key, ns, CLI_DIGITS);
    else
        ik_json_null(j, key);
}

static void load_compare_put_entry(const comparison *m, ik_json *j, const entry *e)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "topology", e->fabric);
    ik_json_text(j, "routing", e->routing);
    ik_json_uint(j, "hosts", e->hosts);
    ik_json_uint(j, "switches", e->switches);
    ik_json_bool(j, "divided_evenly", e->by_queues && !isnan(e->slowdown.mean));
    load_compare_put_box(j, &e->slowdown);
    ik_json_array(j, "samples");
    for (uint64_t i = 0; i < m->num_seeds; i++) {
        const sample *s = &e->samples[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "seed", s->seed);
        load_compare_put_time(j, "slowdown", s->slowdown);
        load_compare_put_time(j, "time_ns", s->time_ns);
        load_compare_put_time(j, "crossbar_ns", s->crossbar_ns);
        ik_json_known(j, "c", s->has_c, s->c);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static int load_compare_show_json(const comparison *m)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_text(&j, "traffic", m->traffic);
    ik_json_uint(&j, "seeds", m->num_seeds);
    ik_json_uint(&j, "first_seed", m->first_seed);
    ik_json_array(&j, "rows");
    for (size_t k = 0; k < m->num; k++)
        load_compare_put_entry(m, &j, &m->entries[k]);
    ik_json_close(&j);
    return cli_json_end(m->c, &j);
}

static void load_compare_put_names(const entry *e)
{
    ik_text_csv(stdout, e->fabric);
    printf(",%u,%u,", e->hosts, e->switches);
    ik_text_csv(stdout, e->routing);
}

/* Empty where it is not known. */
static void load_compare_put_number(double x)
{
    if (isnan(x))
        putchar(',');
    else
        printf(",%.12g", x);
}

static void load_compare_show_summary(const comparison *m)
{
    puts("fabric,hosts,switches,routing,seeds,contention,slowdown_min,slowdown_lower_quartile,"
         "slowdown_median,slowdown_upper_quartile,slowdown_max,slowdown_mean");
    for (size_t k = 0; k < m->num; k++) {
        const ik_box *b = &m->entries[k].slowdown;
        const double values[] = {b->min, b->lower, b->median, b->upper, b->max, b->mean};
        uint64_t c;
        load_compare_put_names(&m->entries[k]);
        printf(",%llu,", (unsigned long long)m->num_seeds);
        if (load_compare_largest_c(m, &m->entries[k], &c))
            printf("%llu", (unsigned long long)c);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            load_compare_put_number(values[i]);
        putchar('\n');
    }
}

static void load_compare_show_samples(const comparison *m)
{
    puts("fabric,hosts,switches,routing,seed,contention,slowdown,time_ns,crossbar_ns");
    for (size_t k = 0; k < m->num; k++) {
        for (uint64_t i = 0; i < m->num_seeds; i++) {
            const sample *s = &m->entries[k].samples[i];
            load_compare_put_names(&m->entries[k]);
            printf(",%llu,", (unsigned long long)s->seed);
            if (s->has_c)
                printf("%llu", (unsigned long long)s->c);
            load_compare_put_number(s->slowdown);
            load_compare_put_number(s->time_ns);
            load_compare_put_number(s->crossbar_ns);
            putchar('\n');
        }
    }
}

static int load_compare_show(const comparison *m)
{
    uint64_t undelivered = 0;
    for (size_t k = 0; k < m->num; k++)
        undelivered += m->entries[k].undelivered;
    int failed = undelivered || m->refused ? CLI_FAILED : CLI_DONE;
    cli_progress_end(m->c);
    if (undelivered)
        cli_note(m->c, "%s not delivered", cli_counted(undelivered, "flow is|flows are"));
    if (m->c->json) {
        int status = load_compare_show_json(m);
        return status == CLI_DONE ? failed : status;
    }
    if (!m->table)
        load_compare_show_text(m);
    else if (strcmp(m->table, "samples") == 0)
        load_compare_show_samples(m);
    else
        load_compare_show_summary(m);
    return cli_finish(m->c, failed);
}

/* ------------------------------------------------------------------------------------------
 * options */

enum { MOST_SEEDS = 1000000 };

/* "N" or "A..B". */
static bool load_compare_read_seeds(comparison *m)
{
    const char *text = cli_get(m->c, "--seeds");
    m->first_seed = m->c->seed;
    m->num_seeds = 1;
    if (!text)
        return true;
    char *end;
    bool digits = *text >= '0' && *text <= '9';
    unsigned long long first = strtoull(text, &end, 10), last = first;
    if (digits && strncmp(end, "..", 2) == 0 && end[2] >= '0' && end[2] <= '9') {
        last = strtoull(end + 2, &end, 10);
        m->first_seed = first;
        m->num_seeds = last >= first && last - first < MOST_SEEDS ? last - first + 1 : 0;
    } else {
        m->num_seeds = first <= MOST_SEEDS ? first : 0;
    }
    return digits && !*end && m->num_seeds;
}

static int load_compare_read_options(comparison *m)
{
    static const char *const others[] = {"--histogram", "--patterns", "--permutations", "--queues",
                                         "--vc",        "--vcs",      "--goal",         "--trace"};
    cli *c = m->c;
    const char *table = cli_get(c, "--table"), *traffic = cli_get(c, "--traffic");
    if (!cli_has(c, "--routing"))
        return cli_usage(c, "--routing SPEC is required; 'ikat list routings' shows all routings");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_has(c, others[i]))
            return cli_usage(
                c, "%s can be used only with one fabric, one --routing and without --seeds",
                others[i]);
    if (cli_only_with(c, "--table", "--csv") != CLI_DONE)
        return CLI_USAGE;
    if (cli_has(c, "--csv") && c->json)
        return cli_usage(c, "--csv and --json both write to the output: give only one of them");
    if (!load_compare_read_seeds(m))
        return cli_usage(c,
                         "--seeds %s: a number of seeds, or a range such as 1..40, of at most %d",
                         cli_line(cli_get(c, "--seeds")), MOST_SEEDS);
    if (table && strcmp(table, "summary") != 0 && strcmp(table, "samples") != 0)
        return cli_usage(
            c,
            "--table %s: for several fabrics, routings or seeds the tables are summary and samples",
            cli_line(table));
    m->table = cli_has(c, "--csv") ? table ? table : "summary" : NULL;
    m->traffic = traffic ? traffic : "uniform";
    m->most_flows = cli_has(c, "--contention") ? INFINITY : loads_few_flows;
    return CLI_DONE;
}

int loads_compare(cli *c)
{
    comparison m = {.c = c};
    ik_error err;
    if (load_compare_read_options(&m) != CLI_DONE)
        return CLI_USAGE;
    int status =
        load_compare_measure(&m, &err) == IK_OK ? load_compare_show(&m) : cli_error(c, &err);
    for (size_t k = 0; k < m.num; k++) {
        free(m.entries[k].routing);
        free(m.entries[k].samples);
    }
    free(m.entries);
    return status;
}
