/* SPDX-License-Identifier: Apache-2.0
 *
 * What sources that are first in, first out can have accepted for ever: by hand, against the linear
 * program's value where all hosts of a group are alike, and below the predicted saturation. */
#include "ikat/analysis.h"
#include "unit/made.h"
#include "unit/part.h"
#include "unit/sim_helper.h"
#include "unit/uneven.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

static ik_lasting measure(const char *fabric, const char *routing, const char *traffic,
                          double *saturation)
{
    ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    ik_lasting l;
    ik_load load;
    assert_int_equal(ik_fabric_from_spec(fabric, &env, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, routing, NULL, NULL, 0, &env, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, traffic, &env, &t, &err), IK_OK);
    assert_int_equal(ik_lasting_measure(plan->routing, t, NULL, &env, &l, &err), IK_OK);
    assert_int_equal(ik_load_measure(plan->routing, t, &env, &load, &err), IK_OK);
    *saturation = load.saturation;
    ik_load_free(&load);
    ik_traffic_free(t);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return l;
}

static void expect_near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9)
        fail_msg("%.12g instead of %.12g", value, wanted);
}

/* Up to the predicted saturation everything lasts; under uniform traffic nothing beyond it does
 * where all channels of a kind carry the same. */
static void test_uniform(void **state)
{
    (void)state;
    static const char *const fabrics[][2] = {{"karytree:k=4,n=2", "dmodk"},
                                             {"xgft:m=4:4,w=1:2", "dmodk"},
                                             {"torus:dims=4:4", "dor"},
                                             {"slimfly:q=5", "minimal:paths=one"}};
    for (size_t k = 0; k < sizeof fabrics / sizeof *fabrics; k++) {
        double saturation;
        ik_lasting l = measure(fabrics[k][0], fabrics[k][1], "uniform", &saturation);
        if (!l.known)
            fail_msg("%s: unknown", fabrics[k][0]);
        expect_near(ik_lasting_at(&l, 0.3 * saturation), 0.3 * saturation);
        expect_near(ik_lasting_at(&l, saturation), saturation);
        assert_true(ik_lasting_at(&l, 1) >= saturation - 1e-9);
        assert_true(ik_lasting_at(&l, 1) <= 1);
        ik_lasting_free(&l);
    }
}

/* All hosts of a crossbar send to host 0: one channel holds them all back, 1 of 15 or 16 rates. */
static void test_hot_spot(void **state)
{
    (void)state;
    double saturation;
    ik_lasting l = measure("crossbar:n=16", "updown", "hotspot:nodes=0,fraction=100%", &saturation);
    assert_true(l.known && l.num_groups >= 1);
    assert_true(ik_lasting_at(&l, 1) >= 1.0 / 16 - 1e-9);
    assert_true(ik_lasting_at(&l, 1) < 3.0 / 16);
    ik_lasting_free(&l);
}

/* A host with a small share in the full channel sets free no more than what it offers itself: the
 * fluid allocation of all at the first level is a lower bound of what lasts, and windows of 1 ms
 * accept more than either (0.5065). */
static void test_small_shares(void **state)
{
    (void)state;
    double saturation;
    ik_lasting l = measure("xgft:m=8:8,w=1:4", "dmodk",
                           "mix:members=a=uniform+1%*b=(hotspot:nodes=2,fraction=50%,rest=silent)",
                           &saturation);
    assert_true(l.known);
    for (double load = saturation; load < 1; load += 0.05) {
        double bound = ik_lasting_at(&l, load);
        if (bound < 0.99 * saturation || bound > load) /* some hosts offer 99 % of the load */
            fail_msg("%g at %g, saturation %g", bound, load, saturation);
    }
    assert_true(ik_lasting_at(&l, 0.50971) < 0.4975);
    ik_lasting_free(&l);
}

/* Half of the hosts share one uplink, the others have channels of their own: these keep what they
 * offer. */
static void test_groups(void **state)
{
    (void)state;
    double saturation;
    ik_lasting l = measure("xgft:m=2:2,w=1:1", "dmodk", "shift:by=2", &saturation);
    assert_true(l.known);
    expect_near(saturation, 0.5);
    expect_near(ik_lasting_at(&l, 1), 0.5);
    ik_lasting_free(&l);
    l = measure("karytree:k=4,n=2", "adaptive_tree", "uniform", &saturation);
    assert_false(l.known);
    expect_near(ik_lasting_at(&l, 1), 0);
    ik_lasting_free(&l);
}

/* A plan and a pattern on a fabric, and what a scenario says beside. */
typedef struct subject {
    ik_fabric *f;
    ik_plan *plan;
    ik_traffic *t;
    sections s;
} subject;

static void open_subject(subject *x, const scenario *c)
{
    ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    *x = (subject){0};
    assert_int_equal(ik_fabric_from_spec(c->fabric, &env, &x->f, &err), IK_OK);
    assert_int_equal(
        ik_plan_from_specs(x->f, c->routing, c->vc, NULL, c->num_vcs, &env, &x->plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(x->f, c->traffic, &env, &x->t, &err), IK_OK);
    assert_int_equal(open_sections(&x->s, c, &err), IK_OK);
}

static void close_subject(subject *x)
{
    close_sections(&x->s);
    ik_traffic_free(x->t);
    ik_plan_free(x->plan);
    ik_fabric_free(x->f);
}

/* Whether sources are first in, first out. */
static bool in_order(const char *fabric, const char *routing, const char *vc, unsigned vcs,
                     const char *sw, const char *adapter)
{
    subject x;
    open_subject(&x, &(scenario){.fabric = fabric,
                                 .routing = routing,
                                 .vc = vc,
                                 .num_vcs = vcs,
                                 .traffic = "uniform",
                                 .sw = sw,
                                 .adapter = adapter});
    bool found = ik_sim_sends_in_order(x.plan, x.t, &x.s.config);
    close_subject(&x);
    return found;
}

/* The queues of an adapter, and VCs: those that packets start on count, not those that they come
 * to. */
static void test_sources_in_order(void **state)
{
    (void)state;
    const char *tree = "karytree:k=4,n=2", *torus = "torus:dims=4:4";
    assert_true(in_order(tree, "dmodk", NULL, 0, "", ""));
    assert_false(in_order(tree, "dmodk", NULL, 0, "", "queues=destination"));
    assert_false(in_order(tree, "dmodk", NULL, 0, "", "reply=64 B"));
    assert_false(in_order(tree, "dmodk", "dbbm", 4, "", ""));
    assert_true(in_order(tree, "dmodk", "dbbm", 4, "", "queues=one"));
    assert_true(in_order(tree, "dmodk", "dbbm", 4, "model=pipelined", ""));
    assert_false(in_order(torus, "dor", "dateline", 2, "", ""));
    assert_true(in_order("dragonfly:h=1", "minimal", "hopclass", 3, "", ""));
}

/* What runs are judged by: the bound of sources in order, and loads beyond the first full channel,
 * also where adapters send or receive slower than their links: loads are fractions of what hosts
 * may send, and a host that takes less is a full channel sooner. */
static void test_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *adapter;
        bool bounded;
        double full; /* load that fills the first channel */
    } cases[] = {{"", true, 0.5},
                 {"queues=destination", false, 0.5},
                 {"injection_fraction=50%", true, 1},
                 {"injection_rate=80 Gb/s", true, 0.625},
                 {"injection_fraction=90%;injection_rate=80 Gb/s", true, 0.625},
                 {"ejection_fraction=60%", true, 0.5},
                 {"ejection_fraction=30%", true, 0.3},
                 {"ejection_rate=30 Gb/s;queues=destination", false, 0.3},
                 {"injection_fraction=50%;ejection_rate=20 Gb/s", true, 0.4}};
    const double loads[] = {0.3, 0.5, 0.50001, 1};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_env env = {.seed = 1, .num_threads = 1};
        ik_error err = {0};
        ik_fabric *f = NULL;
        ik_plan *plan = NULL;
        ik_traffic *t = NULL;
        ik_sim_bound found[4];
        sections s;
        const scenario c = {.sw = "", .adapter = cases[k].adapter};
        assert_int_equal(ik_fabric_from_spec("xgft:m=2:2,w=1:1", &env, &f, &err), IK_OK);
        assert_int_equal(ik_plan_from_specs(f, "dmodk", NULL, NULL, 0, &env, &plan, &err), IK_OK);
        assert_int_equal(ik_traffic_from_spec(f, "shift:by=2", &env, &t, &err), IK_OK);
        assert_int_equal(open_sections(&s, &c, &err), IK_OK);
        const ik_sim_config *config = cases[k].adapter[0] ? &s.config : NULL; /* the defaults */
        assert_int_equal(ik_sim_bound_measure(plan, t, config, loads, 4, &env, found, &err), IK_OK);
        for (size_t n = 0; n < 4; n++) {
            expect_near(found[n].throughput, cases[k].bounded ? fmin(loads[n], cases[k].full) : 0);
            assert_int_equal(found[n].exceeded, loads[n] > cases[k].full);
        }
        close_sections(&s);
        ik_traffic_free(t);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* Smallest of 1,000 loads that is said to be more than channels and VCs carry; 2 = none is. */
static double first_exceeded(const scenario *c)
{
    enum { LOADS = 1000 };
    ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    subject x;
    open_subject(&x, c);
    double loads[LOADS], first = 2;
    ik_sim_bound found[LOADS];
    for (unsigned k = 0; k < LOADS; k++)
        loads[k] = (k + 1.0) / LOADS;
    assert_int_equal(
        ik_sim_bound_measure(x.plan, x.t, &x.s.config, loads, LOADS, &env, found, &err), IK_OK);
    for (unsigned k = LOADS; k-- > 0;)
        first = found[k].exceeded ? loads[k] : first;
    close_subject(&x);
    return first;
}

/* A VC at the input of a pipelined router carries n flits in n cycles and those in which the next
 * packet is routed and gets its VC: that is what a flow alone has accepted at full load, and what
 * is known before. Of several VCs that a packet may take, or with a router that is faster than its
 * links, nothing is known. */
static void test_input_vcs(void **state)
{
    (void)state;
    static const struct {
        const char *vc;
        unsigned vcs;
        const char *sw, *packet;
        double carried; /* of a channel; 2 = not known */
    } cases[] = {
        {"1q", 1, "", "packet=16 B", 1.0 / 3},
        {"1q", 1, "", "packet=32 B", 2.0 / 4},
        {"1q", 1, "", "packet=512 B", 32.0 / 34},
        {"1q", 1, "flit=128 B", "packet=512 B", 4.0 / 6},
        {"1q", 1, "routing_cycles=3", "packet=64 B", 4.0 / 8},
        {"1q", 1, "vc_alloc_cycles=3", "packet=64 B", 4.0 / 8},
        {"dbbm", 4, "", "packet=16 B", 1.0 / 3},
        {"any", 4, "", "packet=16 B", 2},
        {"1q", 1, "speedup=2", "packet=16 B", 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char sw[64];
        snprintf(sw, sizeof sw, "model=pipelined;%s", cases[k].sw);
        scenario c = {.fabric = "karytree:k=2,n=2",
                      .routing = "dmodk",
                      .vc = cases[k].vc,
                      .num_vcs = cases[k].vcs,
                      .traffic = "shift:by=2",
                      .sw = sw,
                      .adapter = cases[k].packet,
                      .measure = "warmup=20 us;duration=20 us",
                      .load = 1};
        double first = first_exceeded(&c), carried = cases[k].carried;
        if (fabs(first - (carried < 1 ? carried : 2)) > 0.0011)
            fail_msg("case %zu: exceeded from %g on, not %g", k, first, carried);
        ik_sim_result r = simulate(c);
        if (carried < 1 && fabs(r.throughput - carried) > 0.002)
            fail_msg("case %zu: %g accepted, %g expected", k, r.throughput, carried);
        if (carried < 1 && r.steady.latency_lasts)
            fail_msg("case %zu: %s", k, ik_steady_reason_name(r.steady.reason));
        sim_result_clear(&r);
    }
}

/* Links of several rates: slower ones take a flit every so many cycles, both in whole picoseconds.
 * Just below the first load that is said to be too much all is accepted, and beyond it not. */
static void test_rates_in_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *sw, *traffic;
        double first; /* 0: not by hand */
    } cases[] = {
        {"xgft:m=1:2,w=1:1,host_rate=400Gb/s,link_rate=199.5Gb/s", "flit=4 B;routing_cycles=0",
         "shift:by=1"},
        {"xgft:m=1:2,w=1:1,host_rate=100Gb/s,link_rate=16Gb/s", "flit=64 B", "shift:by=1"},
        {"xgft:m=1:2,w=1:1,host_rate=100Gb/s,link_rate=51Gb/s", "flit=64 B;speedup=2",
         "shift:by=1"},
        {"xgft:m=1:2,w=1:1,host_rate=1200Gb/s,link_rate=597Gb/s", "routing_cycles=0", "shift:by=1"},
        {"xgft:m=1:2,w=1:1,host_rate=1200Gb/s,link_rate=588Gb/s", "flit=4 B", "shift:by=1", 0.5},
        {"xgft:m=1:2,w=1:1,host_rate=30Gb/s,link_rate=10Gb/s", "", "shift:by=1"},
        {"xgft:m=4:2,w=1:1,host_rate=54.545Gb/s,link_rate=100Gb/s", "", "shift:by=4", 0.5},
        {"xgft:m=4:2,w=1:1,host_rate=40Gb/s,link_rate=100Gb/s", "", "shift:by=4", 0.75},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char sw[80];
        if (!in_part((unsigned)k, 3))
            continue;
        snprintf(sw, sizeof sw, "model=pipelined;buffer=64 KiB;%s", cases[k].sw);
        scenario c = {.fabric = cases[k].fabric,
                      .routing = "dmodk",
                      .vc = "dbbm",
                      .num_vcs = 4,
                      .traffic = cases[k].traffic,
                      .sw = sw,
                      .adapter = "packet=512 B",
                      .measure = "warmup=50 us;duration=50 us"};
        double first = first_exceeded(&c);
        if (first >= 0.98)
            fail_msg("case %zu: nothing is known", k);
        if (cases[k].first > 0 && fabs(first - cases[k].first) > 0.0011)
            fail_msg("case %zu: exceeded from %g on, not %g", k, first, cases[k].first);
        c.load = first - 0.01;
        ik_sim_result below = simulate(c);
        c.load = first + 0.02;
        ik_sim_result above = simulate(c);
        if (below.throughput < 0.995 * below.offered)
            fail_msg("case %zu, below %g: %g of %g", k, first, below.throughput, below.offered);
        if (above.throughput > 0.995 * above.offered)
            fail_msg("case %zu, above %g: %g of %g", k, first, above.throughput, above.offered);
        sim_result_clear(&below);
        sim_result_clear(&above);
    }
}

typedef struct canceller {
    int flag;
    long after_ns;
} canceller;

static void *raise_later(void *ctx)
{
    canceller *c = ctx;
    nanosleep(&(struct timespec){.tv_nsec = c->after_ns}, NULL);
    ik_cancel_raise(&c->flag);
    return NULL;
}

/* Whenever the flag is raised, among paths or among groups, all is known or nothing is. */
static void test_cancelled(void **state)
{
    (void)state;
    ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    assert_int_equal(ik_fabric_from_spec("jellyfish:N=60,d=5,p=4", &env, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, "updown", NULL, NULL, 0, &env, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, "permutation", &env, &t, &err), IK_OK);
    for (long after_ns = 0; after_ns < 400000; after_ns += 10000) {
        canceller c = {.after_ns = after_ns};
        pthread_t thread;
        ik_lasting l;
        env.cancel = &c.flag;
        c.flag = 0;
        if (after_ns == 0)
            ik_cancel_raise(&c.flag);
        assert_int_equal(pthread_create(&thread, NULL, raise_later, &c), 0);
        ik_status status = ik_lasting_measure(plan->routing, t, NULL, &env, &l, &err);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(status == IK_ERR_CANCELLED || (status == IK_OK && after_ns > 0));
        assert_true(l.known == (status == IK_OK) && (l.known || !l.groups));
        ik_lasting_free(&l);
    }
    ik_traffic_free(t);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

/* ---- hosts with several cables, and cables of several rates */

static ik_fabric *damaged_tree(void)
{
    ik_fabric *whole = fabric_of("xgft:m=4:3,w=2:2"), *f = NULL;
    const uint32_t dead[] = {whole->port_base[ik_host_node(whole, 1)] + 1};
    ik_error err;
    assert_int_equal(ik_fabric_degrade(whole, dead, 1, NULL, 0, &f, &err), IK_OK);
    ik_fabric_free(whole);
    return f;
}

enum { FABRICS = 11 };
static ik_fabric *made_fabric(unsigned which)
{
    static const char *const specs[] = {"xgft:m=3:4,w=2:2", "pgft:m=2:3,w=1:2,p=2:1"};
    if (which < 2)
        return fabric_of(specs[which]);
    return which == 2 ? damaged_tree() : uneven_ring(which & 1, (which - 3) & 2, (which - 3) & 4);
}

static const char *const port_routings[] = {"shortest", "updown", "dfsssp",     "dmodk",
                                            "smodk",    "random", "dmodk_pgft", "oblivious"};
enum { ROUTINGS = sizeof port_routings / sizeof *port_routings, TREE_ROUTINGS = 3 };

/* The first channel is full at the saturation that the loads of channels say. */
static void test_first_level_is_saturation(void **state)
{
    (void)state;
    static const char *const patterns[] = {"uniform", "permutation", "shift:by=1",
                                           "hotspot:nodes=0,fraction=50%"};
    for (unsigned which = 0; which < FABRICS; which++) {
        ik_fabric *f = made_fabric(which);
        for (unsigned r = 0; r < (which < 2 ? ROUTINGS : TREE_ROUTINGS); r++)
            for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
                ik_plan *plan = plan_of(f, port_routings[r], NULL, 0);
                ik_traffic *t = traffic_of(f, patterns[k]);
                ik_error err;
                ik_lasting l;
                ik_load load;
                assert_int_equal(ik_lasting_measure(plan->routing, t, NULL, &made_env, &l, &err),
                                 IK_OK);
                assert_int_equal(ik_load_measure(plan->routing, t, &made_env, &load, &err), IK_OK);
                assert_true(l.known);
                double level = l.num_groups ? l.groups[0].level : 1;
                if (fabs(level - fmin(load.saturation, 1)) > 1e-9)
                    fail_msg("fabric %u, %s, %s: %.9g instead of %.9g", which, port_routings[r],
                             patterns[k], level, load.saturation);
                ik_load_free(&load);
                ik_lasting_free(&l);
                ik_traffic_free(t);
                ik_plan_free(plan);
            }
        ik_fabric_free(f);
    }
}

/* What a host sends to itself goes to its switch and back: of the hosts' channels all that they
 * offer, of the others 15 of 16 parts of what they carry where nobody sends to itself. */
static void test_hosts_that_send_to_themselves(void **state)
{
    (void)state;
    static const char *const fabrics[][2] = {
        {"xgft:m=4:4,w=1:2", "dmodk"}, {"torus:dims=4:4", "dor"}, {"karytree:k=4,n=2", "dmodk"}};
    double saturation;
    for (size_t k = 0; k < sizeof fabrics / sizeof *fabrics; k++) {
        ik_lasting l = measure(fabrics[k][0], fabrics[k][1], "uniform", &saturation),
                   own = measure(fabrics[k][0], fabrics[k][1], "uniform:self=true", &saturation);
        assert_true(l.known && own.known);
        double level = l.num_groups ? l.groups[0].level : 1;
        expect_near(own.num_groups ? own.groups[0].level : 1, fmin(level * 16 / 15, 1));
        expect_near(ik_lasting_at(&own, 0.3), 0.3);
        ik_lasting_free(&l);
        ik_lasting_free(&own);
    }
    ik_lasting l = measure("xgft:m=3:4,w=2:2", "dmodk", "uniform:self=true", &saturation);
    assert_false(l.known); /* by which cable? */
    ik_lasting_free(&l);
}

/* At half of the first level a run accepts all that is offered, and beyond it at most the bound,
 * after a while. */
static void expect_bounded_run(const ik_fabric *f, const char *routing, const char *adapter,
                               unsigned which)
{
    ik_plan *plan = plan_of(f, routing, NULL, 0);
    ik_traffic *t = traffic_of(f, "uniform");
    scenario c = {.adapter = adapter, .measure = "warmup=1 ms;duration=500 us"};
    double loads[21];
    ik_sim_bound bounds[21];
    ik_error err;
    sections s;
    for (unsigned k = 0; k <= 20; k++)
        loads[k] = fmax(k / 20.0, 1e-3);
    assert_int_equal(open_sections(&s, &c, &err), IK_OK);
    assert_int_equal(ik_sim_bound_measure(plan, t, &s.config, loads, 21, &made_env, bounds, &err),
                     IK_OK);
    close_sections(&s);
    unsigned last = 0;
    while (last < 20 && !bounds[last + 1].exceeded)
        last++;
    assert_true(last > 0);
    const unsigned tried[] = {last > 1 ? last / 2 : 1, 20};
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r;
        double load = c.load = loads[tried[k]];
        if (run_plan(plan, t, &c, &r, &err) != IK_OK)
            fail_msg("%s", err.text);
        double bound = bounds[tried[k]].throughput; /* 0: packets of several VCs overtake */
        if ((bound > 0 && r.throughput > 1.02 * bound) ||
            (k == 0 && fabs(r.throughput - load) > 0.05 * load))
            fail_msg("fabric %u, %s, '%s': %.4g accepted at %.4g; bound %.4g", which, routing,
                     adapter, r.throughput, load, bound);
        sim_result_clear(&r);
    }
    ik_traffic_free(t);
    ik_plan_free(plan);
}

static void test_runs_stay_below_bounds(void **state)
{
    (void)state;
    static const char *const adapters[] = {"", "injection_rate=20 Gb/s", "injection_fraction=30%",
                                           "ejection_rate=30 Gb/s",
                                           "injection_rate=60 Gb/s;ejection_fraction=60%"};
    unsigned number = 0;
    for (unsigned which = 0; which < FABRICS; which++) {
        ik_fabric *f = made_fabric(which);
        for (unsigned r = 0; r < (which < 2 ? ROUTINGS : TREE_ROUTINGS); r++)
            for (size_t k = 0; k < sizeof adapters / sizeof *adapters; k++)
                if (in_parts(number++, 4, 17))
                    expect_bounded_run(f, port_routings[r], adapters[k], which);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_level_is_saturation),
        cmocka_unit_test(test_hosts_that_send_to_themselves),
        cmocka_unit_test(test_runs_stay_below_bounds),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_hot_spot),
        cmocka_unit_test(test_small_shares),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_sources_in_order),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_input_vcs),
        cmocka_unit_test(test_rates_in_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
