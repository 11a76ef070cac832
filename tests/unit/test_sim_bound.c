/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of loads before they are simulated, against sums that are made here from the steps
 * of a plan alone: shares of channels and of their VCs, divided by what they carry. */
#include "analysis/bounds/lasting.h"
#include "analysis/bounds/vc_loads.h"
#include "unit/part.h"
#include "unit/sim_helper.h"
#include "unit/uneven.h"

#include <math.h>

/* Of all channels and VCs, in bit/s where every host offers all that it can. */
typedef struct sums {
    const ik_plan *plan;
    const ik_traffic *t;
    const scenario *c;
    double flit_bytes, clock_ps; /* 0: not the pipelined model */
    bool even;                   /* links carry what their rates say */
    double *channel, *vc;        /* [ports], [ports][VCs] */
    ik_choice *choices;
} sums;

/* What a channel carries. */
static double carried_by(const sums *x, uint32_t port)
{
    double rate = (double)ik_port_rate_bps(x->plan->fabric, port);
    if (x->clock_ps == 0)
        return rate;
    double flit_ps = ceil(x->flit_bytes * 8e12 / rate - 1e-6);
    return x->flit_bytes * 8e12 / (ceil(flit_ps / x->clock_ps - 1e-9) * x->clock_ps);
}

/* What the host of f offers by all its cables. */
static double offered_by(const sums *x, uint32_t host)
{
    const ik_fabric *f = x->plan->fabric;
    double sum = 0;
    for (uint32_t k = 0; k < f->num_hosts; k++)
        if ((f->split ? f->split->host_of[k] : k) == host && ik_host_port(f, k) != IK_NONE)
            sum += carried_by(x, ik_host_port(f, k));
    return sum;
}

/* The VC that a packet on `vc` gets on the way to its next switch; -1: any of several. *out: the
 * only port that it may take. */
static int next_vc(const sums *x, uint32_t in_port, const ik_packet *packet, unsigned vc,
                   uint32_t *out)
{
    ik_packet pk = *packet;
    uint32_t preferred;
    pk.vc = (uint8_t)vc;
    uint32_t n = ik_plan_next(x->plan, x->plan->fabric->port_node[in_port], in_port, &pk,
                              x->choices, &preferred);
    assert_true(n > 0);
    *out = x->choices[0].port;
    for (uint32_t k = 1; k < n; k++)
        assert_int_equal(x->choices[k].port, *out);
    return n == 1 && x->choices[0].vc_first == x->choices[0].vc_last ? x->choices[0].vc_first : -1;
}

static void walk_flow(sums *x, uint32_t from, uint32_t to, double bps)
{
    const ik_fabric *f = x->plan->fabric;
    unsigned vcs = x->plan->num_vcs;
    bool kept = x->plan->vc->family->static_lane, known = true;
    ik_packet pk;
    assert_int_equal(ik_plan_num_starts(x->plan, from, to), 1);
    ik_plan_start_nth(x->plan, from, to, 0, &pk);
    uint32_t port = ik_host_port(f, from);
    x->channel[port] += bps;
    if (kept)
        x->vc[port * vcs + pk.vc] += bps;
    for (unsigned hops = 0; ik_is_switch(f, f->port_node[f->port_peer[port]]); hops++) {
        uint32_t in_port = f->port_peer[port];
        int vc = next_vc(x, in_port, &pk, pk.vc, &port);
        for (unsigned other = 0; hops == 0 && !kept && other < vcs; other++)
            known &= next_vc(x, in_port, &pk, other, &port) == vc;
        known &= vc >= 0;
        x->channel[port] += bps;
        if (known)
            x->vc[port * vcs + (unsigned)vc] += bps;
        ik_plan_advance(x->plan, port, vc >= 0 ? (unsigned)vc : 0, &pk);
        assert_true(hops < 64);
    }
    assert_int_equal(f->port_node[f->port_peer[port]], ik_host_node(f, to));
}

static void add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    sums *x = ctx;
    uint32_t from, to, pairs = ik_rails_count(x->plan->routing, src, dst);
    double bps = offered_by(x, src) * (double)weight / (double)scale;
    if (src == dst && x->even) { /* to the switch and back */
        uint32_t port = ik_host_port(x->plan->fabric, src);
        x->channel[port] += bps;
        x->channel[x->plan->fabric->port_peer[port]] += bps;
    }
    for (uint32_t k = 0; src != dst && k < pairs; k++) {
        ik_rails_nth(x->plan->routing, src, dst, k, &from, &to);
        walk_flow(x, from, to, bps / pairs);
    }
}

/* Part of the time that a packet keeps a VC of a router's input in which its flits leave. */
static double busy_part(const ik_params *sw, double packet_bytes)
{
    double flits = ceil(packet_bytes / (double)ik_params_uint(sw, "flit")),
           idle = (double)(ik_params_uint(sw, "routing_cycles") +
                           ik_params_uint(sw, "vc_alloc_cycles"));
    return ik_params_real(sw, "speedup") > 1 ? INFINITY : flits / (flits + idle);
}

/* Load at which the first channel or VC has what it carries. */
static double level_of(sums *x, const sections *s)
{
    const ik_fabric *f = x->plan->fabric;
    unsigned vcs = x->plan->num_vcs;
    double level = INFINITY, fastest = 0,
           busy = busy_part(&s->sw, (double)ik_params_uint(&s->adapter, "packet"));
    bool pipelined = strcmp(ik_params_text(&s->sw, "model"), "pipelined") == 0;
    x->flit_bytes = pipelined ? (double)ik_params_uint(&s->sw, "flit") : 0;
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE)
            fastest = fmax(fastest, (double)ik_port_rate_bps(f, port));
    x->clock_ps = pipelined ? ceil(x->flit_bytes * 8e12 / fastest - 1e-6) : 0;
    x->even = true;
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE)
            x->even &= fabs(carried_by(x, port) / (double)ik_port_rate_bps(f, port) - 1) < 1e-6;
    for (uint32_t host = 0; host < x->t->num_hosts; host++)
        x->t->family->flows(x->t, host, add_flow, x);
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE)
            continue;
        level = fmin(level, carried_by(x, port) / x->channel[port]);
        for (unsigned vc = 0; vc < vcs && pipelined; vc++)
            if (ik_is_switch(f, f->port_node[f->port_peer[port]]))
                level =
                    fmin(level, x->flit_bytes * 8e12 / x->clock_ps * busy / x->vc[port * vcs + vc]);
    }
    return level;
}

static double expected_level(const ik_plan *plan, const ik_traffic *t, const scenario *c,
                             const sections *s)
{
    sums x = {.plan = plan, .t = t, .c = c};
    x.channel = calloc(plan->fabric->num_ports, sizeof *x.channel);
    x.vc = calloc((size_t)plan->fabric->num_ports * plan->num_vcs, sizeof *x.vc);
    x.choices = calloc(plan->max_radix + 1, sizeof *x.choices);
    assert_true(x.channel && x.vc && x.choices);
    double level = level_of(&x, s);
    free(x.channel);
    free(x.vc);
    free(x.choices);
    return level;
}

/* ---- the matrix */

static ik_fabric *without_link(const char *spec, uint32_t sw, uint32_t port)
{
    ik_fabric *whole = fabric_of(spec), *f = NULL;
    const uint32_t dead[] = {whole->port_base[sw] + port};
    ik_error err;
    assert_int_equal(ik_fabric_degrade(whole, dead, 1, NULL, 0, &f, &err), IK_OK);
    ik_fabric_free(whole);
    return f;
}

/* Two switches, two hosts each, with cables of two rates to both: one has 6/7 of its rate. */
static ik_fabric *two_rates(void)
{
    ik_builder *b = ik_builder_new();
    uint16_t fast = ik_builder_class(b, 100000000000, 6000, NULL),
             slow = ik_builder_class(b, 70000000000, 6000, NULL);
    ik_builder_switches(b, 2, 6);
    ik_builder_hosts(b, 4, 2);
    for (uint32_t k = 0; k < 2; k++)
        ik_builder_link(b, ik_sw(0, k), ik_sw(1, k), fast);
    for (uint32_t host = 0; host < 4; host++)
        for (uint32_t sw = 0; sw < 2; sw++)
            ik_builder_link(b, ik_hs(host, sw), ik_sw(sw, 2 + host), sw ? slow : fast);
    ik_builder_family(b, "file", "two_rates", NULL, 0);
    ik_fabric *f = NULL;
    ik_error err;
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    ik_builder_free(b);
    return f;
}

enum { SPECS = 9, MADE = 13 };
static const struct {
    const char *spec, *routings[3];
} specs[SPECS] = {{"xgft:m=3:4,w=2:2", {"dmodk", "smodk", "updown"}},
                  {"pgft:m=2:3,w=1:2,p=2:1", {"dmodk_pgft", "random", "shortest"}},
                  {"xgft:m=4:4,w=1:2,host_rate=100Gb/s,link_rate=70Gb/s", {"dmodk", "updown"}},
                  {"xgft:m=4:4,w=1:1,host_rate=54.545Gb/s,link_rate=200Gb/s", {"dmodk"}},
                  {"karytree:k=2,n=3", {"dmodk", "smodk", "dfsssp"}},
                  {"torus:dims=4:4", {"dor", "dfsssp", "updown"}},
                  {"dragonfly:h=1", {"minimal:paths=one", "dfsssp", "shortest"}},
                  {"hyperx:dims=3:3,p=2", {"dor", "shortest"}},
                  {"slimfly:q=3", {"minimal:paths=one", "dfsssp"}}};
static const char *const any_routings[3] = {"shortest", "updown", "dfsssp"};

static ik_fabric *fabric_number(unsigned which)
{
    if (which < SPECS)
        return fabric_of(specs[which].spec);
    switch (which - SPECS) {
    case 0:
        return without_link("torus:dims=4:4", 5, 1);
    case 1:
        return without_link("pgft:m=2:3,w=1:2,p=2:1", 0, 3);
    case 2:
        return two_rates();
    case 3:
        return uneven_ring(true, true, true);
    default:
        return uneven_ring(which & 1, which & 2, which & 4);
    }
}

static const char *const patterns[] = {
    "uniform", "uniform:self=true", "shift:by=1", "permutation", "hotspot:nodes=1,fraction=30%",
    "tornado"};
static const struct {
    const char *sw, *adapter;
} settings[] = {{"", ""},
                {"model=ioq", "packet=1 KiB"},
                {"model=ideal", ""},
                {"model=pipelined;buffer=64 KiB", "packet=16 B"},
                {"model=pipelined;buffer=64 KiB;flit=64 B;routing_cycles=2", "packet=256 B"},
                {"model=pipelined;buffer=64 KiB;flit=8 B;vc_alloc_cycles=2", "packet=100 B"},
                {"model=pipelined;buffer=64 KiB;speedup=2", "packet=64 B"}};
static const struct {
    const char *vc;
    unsigned num;
} schemes[] = {{NULL, 0}, {"1q", 1}, {"dbbm", 4}, {"any", 4}};
enum {
    PATTERNS = sizeof patterns / sizeof *patterns,
    SETTINGS = sizeof settings / sizeof *settings,
    SCHEMES = sizeof schemes / sizeof *schemes
};

typedef struct tally {
    unsigned cases, exceeded, runs;
} tally;

/* Beyond the level a part of what is offered waits; nothing lasts beyond the bound. */
static void expect_run(const ik_plan *plan, const ik_traffic *t, scenario c, double level,
                       const char *name)
{
    sections s;
    ik_error err = {0};
    ik_sim_bound bound;
    ik_sim_result r;
    c.load = fmin(1.15 * level, 1);
    c.measure = "warmup=100 us;duration=100 us";
    assert_int_equal(open_sections(&s, &c, &err), IK_OK);
    assert_int_equal(ik_sim_bound_measure(plan, t, &s.config, &c.load, 1, &made_env, &bound, &err),
                     IK_OK);
    close_sections(&s);
    if (run_plan(plan, t, &c, &r, &err) != IK_OK)
        fail_msg("%s: %s", name, err.text);
    if (bound.throughput > 0 && r.throughput > 1.01 * bound.throughput)
        fail_msg("%s: %g accepted at %g, bound %g", name, r.throughput, c.load, bound.throughput);
    if (bound.exceeded && c.load > 1.1 * level && r.throughput > 0.999 * r.offered)
        fail_msg("%s: %g accepted of %g, level %g", name, r.throughput, r.offered, level);
    sim_result_clear(&r);
}

static void expect_level(const ik_plan *plan, const char *pattern, unsigned setting,
                         const char *name, tally *sum)
{
    ik_traffic *t = traffic_of(
        plan->routing->fabric->split ? plan->fabric->split->whole : plan->fabric, pattern);
    const scenario c = {.sw = settings[setting].sw, .adapter = settings[setting].adapter};
    sections s;
    ik_error err = {0};
    ik_sim_bound found[2];
    assert_int_equal(open_sections(&s, &c, &err), IK_OK);
    bool own = plan->fabric->split && strstr(pattern, "self");
    double level = own ? INFINITY : expected_level(plan, t, &c, &s),
           loads[2] = {fmin(level, 1) * (1 - 1e-5), level * (1 + 1e-5)};
    assert_int_equal(
        ik_sim_bound_measure(plan, t, &s.config, loads, level < 1 ? 2 : 1, &made_env, found, &err),
        IK_OK);
    close_sections(&s);
    if (found[0].exceeded || (level < 1 && !found[1].exceeded))
        fail_msg("%s, %s, '%s': level %.9g, said to be %s", name, pattern, c.sw, level,
                 found[0].exceeded ? "lower" : "higher");
    sum->cases++;
    sum->exceeded += level < 1;
    if (level < 1 && sum->cases % (all_asked() ? 7 : 29) == 0) {
        expect_run(plan, t, c, level, name);
        sum->runs++;
    }
    ik_traffic_free(t);
}

static void test_levels_of_paths(void **state)
{
    (void)state;
    unsigned number = 0;
    tally sum = {0};
    for (unsigned which = 0; which < MADE; which++) {
        ik_fabric *f = fabric_number(which);
        const char *const *routings = which < SPECS ? specs[which].routings : any_routings;
        for (unsigned r = 0; r < 3 && routings[r]; r++)
            for (unsigned v = 0; v < SCHEMES; v++) {
                ik_plan *plan = NULL;
                ik_error err = {0};
                if (ik_plan_from_specs(f, routings[r], schemes[v].vc, NULL, schemes[v].num,
                                       &made_env, &plan, &err) != IK_OK)
                    continue; /* too few VCs for this routing */
                char name[120];
                snprintf(name, sizeof name, "fabric %u, %s, %s", which, routings[r],
                         schemes[v].vc ? schemes[v].vc : "-");
                for (unsigned k = 0; k < PATTERNS * SETTINGS; k++)
                    if (number++ % (all_asked() ? 1 : SANITIZED ? 55 : 5) == 0)
                        expect_level(plan, patterns[k % PATTERNS], k / PATTERNS, name, &sum);
                ik_plan_free(plan);
            }
        ik_fabric_free(f);
    }
    assert_true(sum.exceeded > sum.cases / 8 && sum.runs > 0);
}

/* ---- sources that do not offer what weights say, or whose packets pass others */

/* Beyond the level of the weights, on a tree with one uplink of four hosts, all is accepted for
 * ever where the crossing messages are small, and latency stays where sources wait for replies;
 * where flows without reorder space are passed by, more is accepted than of one queue. */
static void test_sources_of_other_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *routing, *traffic, *adapter;
        double load, least; /* of what is accepted */
        bool bounded, exceeded, lasts;
    } cases[] = {
        {"dmodk", "mix:members=50%*big=(shift:by=1)+50%*small=(shift:by=4)",
         "message_sizes=small=64 B/4 KiB", 0.6, 0.595, false, false, true},
        {"dmodk", "shift:by=4", "reply=64 B;max_outstanding=2", 1, 0.12, false, true, true},
        {"dmodk", "uniform", "reply=1 KiB;max_outstanding=4;injection=poisson", 1, 0.27, false,
         true, true},
        {"oblivious", "mix:members=50%*a=uniform+50%*b=(hotspot:nodes=0,fraction=100%)",
         "in_order=true;reorder_buffer=64 KiB", 0.3, 0.15, false, true, false},
        {"oblivious", "mix:members=50%*a=uniform+50%*b=(hotspot:nodes=0,fraction=100%)",
         "in_order=true;reorder_buffer=64 KiB;throttle=strict", 0.3, 0.1, true, true, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_fabric *f = fabric_of("xgft:m=4:4,w=1:1");
        ik_plan *plan = plan_of(f, cases[k].routing, NULL, 0);
        ik_traffic *t = traffic_of(f, cases[k].traffic);
        scenario c = {.adapter = cases[k].adapter,
                      .measure = "warmup=200 us;duration=400 us",
                      .load = cases[k].load};
        sections s;
        ik_error err = {0};
        ik_sim_bound bound;
        ik_sim_result r;
        assert_int_equal(open_sections(&s, &c, &err), IK_OK);
        assert_int_equal(
            ik_sim_bound_measure(plan, t, &s.config, &c.load, 1, &made_env, &bound, &err), IK_OK);
        s.config.bound = bound;
        if (sim_run(plan, t, &s.config, &made_env, &r, &err) != IK_OK)
            fail_msg("case %zu: %s", k, err.text);
        close_sections(&s);
        if ((bound.throughput > 0) != cases[k].bounded || bound.exceeded != cases[k].exceeded ||
            r.throughput < cases[k].least ||
            (cases[k].bounded && r.throughput > 1.01 * bound.throughput) ||
            r.steady.latency_lasts != cases[k].lasts)
            fail_msg("case %zu: %g accepted, bound %g%s: %s", k, r.throughput, bound.throughput,
                     bound.exceeded ? ", exceeded" : "", ik_steady_reason_name(r.steady.reason));
        sim_result_clear(&r);
        ik_traffic_free(t);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* ---- flows in memory */

/* Paths up to the most channels are those without a limit; beyond, there are none. */
static void test_most_steps(void **state)
{
    (void)state;
    static const char *const routings[] = {"dmodk", "oblivious"};
    ik_fabric *f = fabric_of("xgft:m=4:4,w=1:2");
    ik_traffic *t = traffic_of(f, "uniform");
    for (size_t k = 0; k < 2; k++) {
        ik_routing *r = routing_on(f, routings[k]);
        path_set all, same, none;
        ik_error err;
        assert_int_equal(paths_of_sizes(r, t, SIZE_MAX, &made_env, &all, &err), IK_OK);
        size_t steps = all.base[all.num];
        assert_int_equal(paths_of_sizes(r, t, steps, &made_env, &same, &err), IK_OK);
        assert_int_equal(paths_of_sizes(r, t, steps - 1, &made_env, &none, &err), IK_OK);
        assert_true(all.num == 16 * 15 && same.num == all.num && same.base[same.num] == steps);
        assert_true(none.num == 0 && !none.base && !none.channel);
        paths_free(&all);
        paths_free(&same);
        paths_free(&none);
        ik_routing_free(r);
    }
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* A flag that is raised when the paths are there ends what follows, and nothing is left. */
static void test_cancelled_behind_paths(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=1:1");
    ik_plan *plan = plan_of(f, "dmodk", NULL, 0);
    ik_traffic *t = traffic_of(f, "shift:by=4");
    double sent[16];
    int flag = 0;
    ik_env env = {.cancel = &flag};
    ik_error err;
    fixed_flows flows;
    ik_lasting lasting;
    vc_loads loads;
    for (unsigned host = 0; host < 16; host++)
        sent[host] = 1;
    assert_int_equal(fixed_flows_make(plan->routing, t, &env, &flows, &err), IK_OK);
    assert_true(flows.known);
    assert_int_equal(vc_loads_measure(plan, &flows, sent, &env, &loads, &err), IK_OK);
    assert_true(loads.channel && loads.vc);
    vc_loads_free(&loads);
    ik_cancel_raise(&flag);
    assert_int_equal(lasting_of_flows(&flows, NULL, &env, &lasting, &err), IK_ERR_CANCELLED);
    assert_true(!lasting.known && !lasting.groups);
    assert_int_equal(vc_loads_measure(plan, &flows, sent, &env, &loads, &err), IK_ERR_CANCELLED);
    assert_true(!loads.channel && !loads.vc);
    fixed_flows_free(&flows);
    assert_int_equal(fixed_flows_make(plan->routing, t, &env, &flows, &err), IK_ERR_CANCELLED);
    assert_false(flows.known);
    ik_traffic_free(t);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_of_paths), cmocka_unit_test(test_sources_of_other_kinds),
        cmocka_unit_test(test_most_steps), cmocka_unit_test(test_cancelled_behind_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
