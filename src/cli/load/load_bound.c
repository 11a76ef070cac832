/* SPDX-License-Identifier: Apache-2.0
 *
 * load_bound.c: `ikat load --bound`: what the best routing of all could carry, and what share of
 * that each routing does.
 */
#include "load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what all outputs of the bound share */

int loads_read_epsilon(const cli *c, double *epsilon)
{
    const char *text = cli_get(c, "--epsilon");
    ik_error err;
    *epsilon = .01;
    if (!text)
        return CLI_DONE;
    if (ik_parse_real(text, IK_DIM_FRACTION, epsilon, &err) != IK_OK ||
        !(*epsilon >= 1e-9 && *epsilon < 1))
        return cli_usage(c,
                         "--epsilon %s: a fraction of at least 1e-9 and less than 1 is expected, "
                         "such as 0.1%%",
                         cli_line(text));
    return CLI_DONE;
}

/* Ends that are equal in four digits are one number. */
loads_range loads_range_of(double low, double high)
{
    char a[32], b[32];
    loads_range range;
    snprintf(a, sizeof a, "%.4g", low);
    snprintf(b, sizeof b, "%.4g", high);
    if (strcmp(a, b) == 0)
        snprintf(range.text, sizeof range.text, "%s", a);
    else
        snprintf(range.text, sizeof range.text, "between %s and %s",
                 ik_format_bound(a, sizeof a, low, false),
                 ik_format_bound(b, sizeof b, high, true));
    return range;
}

double loads_share_low(double rate, const ik_flow_bound *b)
{
    return rate / b->upper;
}

/* No routing carries more than the best one: that is known to be at least as good. */
double loads_share_high(double rate, const ik_flow_bound *b)
{
    return rate / fmax(b->lower, rate);
}

double loads_predicted(const ik_load *load, uint64_t unconnected, const ik_routing *r)
{
    bool whole = load->undelivered <= unconnected;
    return whole && !ik_load_chooses_detours(r) ? load->saturation : NAN;
}

static const char *load_bound_end(ik_flow_end end)
{
    static const char *const names[] = {
        [IK_FLOW_CLOSE] = "close", [IK_FLOW_MEMORY] = "memory", [IK_FLOW_STALLED] = "stalled"};
    return names[end];
}

void loads_put_bound(ik_json *j, const ik_flow_bound *b)
{
    ik_json_real(j, "lower", b->lower, CLI_DIGITS);
    ik_json_real(j, "upper", b->upper, CLI_DIGITS);
    ik_json_real(j, "hosts", b->hosts, CLI_DIGITS);
    ik_json_real(j, "epsilon", b->epsilon, CLI_DIGITS);
    ik_json_text(j, "end", load_bound_end(b->end));
    ik_json_uint(j, "flows", b->flows);
    ik_json_uint(j, "passes", b->passes);
}

/* ---- measuring */

typedef struct bounded_routing {
    char *spec;        /* as the routing names itself */
    double saturation; /* NAN: not predicted, or flows are not delivered */
    uint64_t undelivered;
} bounded_routing;

typedef struct bounded_fabric {
    const char *spec;
    uint32_t hosts, switches;
    ik_flow_bound bound;
    bounded_routing *routings; /* [num_routings] */
} bounded_fabric;

typedef struct bounded {
    cli *c;
    const char *traffic;
    double epsilon;
    bounded_fabric *fabrics; /* [num_args] */
    size_t num_routings;
    bool refused;
} bounded;

static ik_status load_bound_measure_routing(const bounded *m, const ik_fabric *f,
                                            const ik_traffic *t, const char *spec,
                                            bounded_routing *out, ik_error *err)
{
    ik_env env = m->c->env;
    ik_routing *r = NULL;
    ik_load load = {0};
    uint64_t unconnected = 0;
    env.traffic = t;
    ik_status s = ik_routing_from_spec(f, spec, &env, &r, err);
    if (s == IK_OK && r->note)
        cli_note(m->c, "%s", r->note);
    if (s == IK_OK)
        s = ik_load_measure(r, t, &env, &load, err);
    if (s == IK_OK && load.undelivered)
        s = ik_flows_unconnected(t, &unconnected, err);
    if (s == IK_OK) {
        out->saturation = loads_predicted(&load, unconnected, r);
        out->undelivered = load.undelivered - unconnected;
        out->spec = strdup(r->spec);
        if (!out->spec)
            s = ik_fail_memory(err, strlen(r->spec), "names of routings");
    }
    ik_load_free(&load);
    ik_routing_free(r);
    return s;
}

static ik_status load_bound_measure_fabric(bounded *m, bounded_fabric *b, ik_error *err)
{
    const ik_env *env = &m->c->env;
    ik_fabric *f = NULL;
    ik_traffic *t = NULL;
    bool refused = false;
    ik_status s = ik_fabric_from_spec(b->spec, env, &f, err);
    if (s == IK_OK)
        s = cli_reach(m->c, f, &refused, err);
    m->refused |= refused;
    if (s == IK_OK)
        s = ik_traffic_from_spec(f, m->traffic, env, &t, err);
    if (s == IK_OK && t->note)
        cli_note(m->c, "note: %s", t->note);
    if (s == IK_OK) {
        b->hosts = f->num_hosts;
        b->switches = f->num_switches;
        cli_stage(m->c, "%s", b->spec);
        s = ik_flow_bound_measure(t, m->epsilon, env, &b->bound, err);
    }
    for (size_t k = 0; s == IK_OK && k < m->num_routings; k++) {
        const char *routing = cli_get_nth(m->c, "--routing", (int)k);
        cli_stage(m->c, "%s, %s", b->spec, routing);
        s = load_bound_measure_routing(m, f, t, routing, &b->routings[k], err);
    }
    ik_traffic_free(t);
    ik_fabric_free(f);
    return s;
}

static ik_status load_bound_measure(bounded *m, ik_error *err)
{
    while (cli_get_nth(m->c, "--routing", (int)m->num_routings))
        m->num_routings++;
    m->fabrics = calloc((size_t)m->c->num_args + 1, sizeof *m->fabrics);
    if (!m->fabrics)
        return ik_fail_memory(err, sizeof *m->fabrics, "a comparison");
    ik_status s = IK_OK;
    for (int k = 0; k < m->c->num_args && s == IK_OK; k++) {
        m->fabrics[k].spec = m->c->args[k];
        m->fabrics[k].routings = calloc(m->num_routings + 1, sizeof *m->fabrics[k].routings);
        s = m->fabrics[k].routings ? load_bound_measure_fabric(m, &m->fabrics[k], err)
                                   : ik_fail_memory(err, m->num_routings * 24, "a comparison");
    }
    return s;
}

static void load_bound_free(bounded *m)
{
    for (int k = 0; m->fabrics && k < m->c->num_args; k++) {
        for (size_t i = 0; m->fabrics[k].routings && i < m->num_routings; i++)
            free(m->fabrics[k].routings[i].spec);
        free(m->fabrics[k].routings);
    }
    free(m->fabrics);
}

/* ---- showing */

static void load_bound_put_rates(ik_json *j, double rate, const ik_flow_bound *b)
{
    ik_json_real(j, "saturation", rate, CLI_DIGITS);
    ik_json_real(j, "share_low", loads_share_low(rate, b), CLI_DIGITS);
    ik_json_real(j, "share_high", loads_share_high(rate, b), CLI_DIGITS);
}

static int load_bound_show_json(const bounded *m)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_text(&j, "traffic", m->traffic);
    ik_json_array(&j, "rows");
    for (int k = 0; k < m->c->num_args; k++) {
        const bounded_fabric *b = &m->fabrics[k];
        ik_json_object(&j, NULL);
        ik_json_text(&j, "topology", b->spec);
        ik_json_uint(&j, "hosts", b->hosts);
        ik_json_uint(&j, "switches", b->switches);
        ik_json_object(&j, "bound");
        loads_put_bound(&j, &b->bound);
        ik_json_close(&j);
        ik_json_array(&j, "routings");
        for (size_t i = 0; i < m->num_routings; i++) {
            ik_json_object(&j, NULL);
            ik_json_text(&j, "routing", b->routings[i].spec);
            ik_json_uint(&j, "undelivered", b->routings[i].undelivered);
            load_bound_put_rates(&j, b->routings[i].saturation, &b->bound);
            ik_json_close(&j);
        }
        ik_json_close(&j);
        ik_json_close(&j);
    }
    ik_json_close(&j);
    return cli_json_end(m->c, &j);
}

static void load_bound_put_number(double x)
{
    if (isnan(x))
        putchar(',');
    else
        printf(",%.12g", x);
}

/* A row per fabric and routing; without a routing one per fabric. */
static void load_bound_show_csv(const bounded *m)
{
    puts("fabric,hosts,switches,bound_lower,bound_upper,end,routing,saturation,share_low,"
         "share_high");
    for (int k = 0; k < m->c->num_args; k++) {
        const bounded_fabric *b = &m->fabrics[k];
        for (size_t i = 0; i == 0 || i < m->num_routings; i++) {
            double rate = m->num_routings ? b->routings[i].saturation : NAN;
            ik_text_csv(stdout, b->spec);
            printf(",%u,%u,%.12g,%.12g,%s,", b->hosts, b->switches, b->bound.lower, b->bound.upper,
                   load_bound_end(b->bound.end));
            if (m->num_routings)
                ik_text_csv(stdout, b->routings[i].spec);
            load_bound_put_number(rate);
            load_bound_put_number(loads_share_low(rate, &b->bound));
            load_bound_put_number(loads_share_high(rate, &b->bound));
            putchar('\n');
        }
    }
}

static void load_bound_add_row(cli_table *t, const bounded_fabric *b, const bounded_routing *r)
{
    char text[32];
    cli_table_cell(t, "%.200s", cli_line(b->spec));
    cli_table_cell(t, "%s", cli_count(b->switches));
    cli_table_cell(t, "%s", ik_format_bound(text, sizeof text, b->bound.lower, false));
    cli_table_cell(t, "%s", ik_format_bound(text, sizeof text, b->bound.upper, true));
    if (!r)
        return;
    cli_table_cell(t, "%.200s", cli_line(r->spec));
    if (isnan(r->saturation)) {
        cli_table_cell(t, "-");
        cli_table_cell(t, "-");
        return;
    }
    cli_table_cell(t, "%.4g", r->saturation);
    cli_table_cell(t, "%s",
                   loads_range_of(100 * loads_share_low(r->saturation, &b->bound),
                                  100 * loads_share_high(r->saturation, &b->bound))
                       .text);
}

static void load_bound_show_text(const bounded *m)
{
    static const char *const alone[] = {"fabric", "switches>", "best at least>", "at most>", NULL},
                             *const beside[] = {"fabric",         "switches>", "best at least>",
                                                "at most>",       "routing",   "saturation>",
                                                "% of the best>", NULL};
    bool unknown = false;
    printf("What the best routing of all could carry, of the hosts' rate, traffic %s\n\n",
           cli_line(m->traffic));
    cli_table *t = cli_table_new(m->num_routings ? beside : alone);
    for (int k = 0; k < m->c->num_args; k++) {
        const bounded_fabric *b = &m->fabrics[k];
        if (!m->num_routings)
            load_bound_add_row(t, b, NULL);
        for (size_t i = 0; i < m->num_routings; i++) {
            load_bound_add_row(t, b, &b->routings[i]);
            unknown |= isnan(b->routings[i].saturation);
        }
    }
    cli_table_print(t, stdout, m->c->colour_out);
    if (unknown)
        puts("-: not predicted, since what goes minimally depends on queues, or flows are not "
             "delivered");
    for (int k = 0; k < m->c->num_args; k++)
        if (m->fabrics[k].bound.end != IK_FLOW_CLOSE)
            printf("%s: the two ends are further apart than --epsilon says: %s\n",
                   cli_line(m->fabrics[k].spec),
                   m->fabrics[k].bound.end == IK_FLOW_MEMORY
                       ? "the memory limit leaves no room for closer bounds"
                       : "they came no closer");
}

static int load_bound_show(const bounded *m)
{
    uint64_t undelivered = 0;
    for (int k = 0; k < m->c->num_args; k++)
        for (size_t i = 0; i < m->num_routings; i++)
            undelivered += m->fabrics[k].routings[i].undelivered;
    int failed = undelivered || m->refused ? CLI_FAILED : CLI_DONE;
    cli_progress_end(m->c);
    if (undelivered)
        cli_note(m->c, "%s not delivered", cli_counted(undelivered, "flow is|flows are"));
    if (m->c->json) {
        int status = load_bound_show_json(m);
        return status == CLI_DONE ? failed : status;
    }
    if (cli_has(m->c, "--csv"))
        load_bound_show_csv(m);
    else
        load_bound_show_text(m);
    return cli_finish(m->c, failed);
}

/* ---- options */

static int load_bound_read_options(bounded *m)
{
    static const char *const others[] = {"--histogram", "--patterns", "--permutations",
                                         "--queues",    "--vc",       "--vcs",
                                         "--goal",      "--trace",    "--contention"};
    cli *c = m->c;
    const char *traffic = cli_get(c, "--traffic");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_has(c, others[i]))
            return cli_usage(c,
                             "%s has no effect beside --bound with other than one fabric and one "
                             "--routing, or with --csv",
                             others[i]);
    if (cli_not_with(c, "--seeds", "--bound") != CLI_DONE ||
        cli_not_with(c, "--table", "--bound") != CLI_DONE)
        return CLI_USAGE;
    if (cli_has(c, "--csv") && c->json)
        return cli_usage(c, "--csv and --json both write to the output: give only one of them");
    m->traffic = traffic ? traffic : "uniform";
    return loads_read_epsilon(c, &m->epsilon);
}

int loads_bound(cli *c)
{
    bounded m = {.c = c};
    ik_error err;
    if (load_bound_read_options(&m) != CLI_DONE)
        return CLI_USAGE;
    int status = load_bound_measure(&m, &err) == IK_OK ? load_bound_show(&m) : cli_error(c, &err);
    load_bound_free(&m);
    return status;
}
