/* SPDX-License-Identifier: Apache-2.0
 *
 * test_phases.c: workloads phase by phase: how long their bytes take on a fabric and behind an
 * ideal crossbar, against closed forms.
 */
#include "ikat/analysis.h"
#include "traffic/workload/graph_builder.h"
#include "unit/made.h"
#include "unit/part.h"

#include <math.h>

/* A workload of messages that stand here, as a pattern of its own. */
typedef struct made {
    ik_workload work;
    ik_traffic_family family;
    ik_traffic traffic;
    graph_builder b;
} made;

static void no_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    (void)t, (void)src, (void)fn, (void)ctx;
}

static void begin(made *m, const ik_fabric *f)
{
    *m = (made){.family = {.name = "made", .flows = no_flows, .ends = true}};
    m->b = (graph_builder){.num_hosts = f->num_hosts, .source = "a test"};
    m->traffic = (ik_traffic){
        .family = &m->family, .fabric = f, .num_hosts = f->num_hosts, .workload = &m->work};
}

static void finish(made *m)
{
    assert_int_equal(graph_finish(&m->b, &m->work, NULL), IK_OK);
}

static ik_phases phases_of(const ik_fabric *f, const char *routing, const ik_traffic *t,
                           double most_flows)
{
    ik_env env = {.num_threads = 2, .traffic = t};
    ik_routing *r = NULL;
    ik_phases p;
    ik_error err = {0};
    if (ik_routing_from_spec(f, routing, &env, &r, &err) != IK_OK)
        fail_msg("%s: %s", routing, err.text);
    if (ik_phases_measure(r, t, most_flows, &made_env, &p, &err) != IK_OK)
        fail_msg("%s: %s", routing, err.text);
    ik_routing_free(r);
    return p;
}

static void near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * fabs(expected))
        fail_msg("%.15g is not %.15g", value, expected);
}

/* ------------------------------------------------------------------------------------------
 * CG of 128 processes: four exchanges inside leaf switches of 16, then a transposition */

static void build_cg(made *m, const ik_fabric *f, bool joined)
{
    begin(m, f);
    for (uint32_t phase = 0; phase < 5; phase++) {
        char name[16];
        snprintf(name, sizeof name, "phase %u", phase + 1);
        if (!joined || phase == 0)
            graph_class(&m->b, name);
        for (uint32_t me = 0; me < 128; me++) {
            uint32_t row = me / 16, column = me % 16 / 2, bit = me % 2,
                     to = phase < 4 ? me ^ 1u << phase : 16 * column + 2 * row + bit;
            if (to != me)
                graph_message(&m->b, me, to, 750000, NULL);
        }
    }
    finish(m);
}

static void test_cg(void **state)
{
    static const struct {
        unsigned w2;
        const char *routing;
        double c;
    } rows[] = {
        {16, "dmodk", 7},
        {16, "smodk", 7},
        {8, "dmodk", 7},
        {1, "dmodk", 14},
        {1, "smodk", 14},
        {8, "colored:traffic=cg:processes=128;phase=5", 2},
        {16, "colored:traffic=cg:processes=128;phase=5", 1},
        {8, "colored", 2},
        {16, "colored", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char spec[64];
        made m;
        snprintf(spec, sizeof spec, "xgft:m=16:16,w=1:%u", rows[i].w2);
        ik_fabric *f = fabric_of(spec);
        build_cg(&m, f, false);
        ik_phases p = phases_of(f, rows[i].routing, &m.traffic, INFINITY);
        assert_int_equal(p.num, 5);
        near(p.slowdown, (4 + rows[i].c) / 5);
        near(p.fluid_ns / p.crossbar_ns, p.slowdown);
        near(p.bound_ns, p.fluid_ns);
        near(p.crossbar_ns, 5 * 750000 * 8e9 / (double)ik_port_rate_bps(f, ik_host_port(f, 0)));
        assert_int_equal(p.phases[4].flows, 112);
        assert_int_equal(p.phases[4].contention.c, (uint64_t)rows[i].c);
        assert_string_equal(p.phases[4].name, "phase 5");
        ik_phases_free(&p);
        ik_workload_clear(&m.work);
        ik_fabric_free(f);
    }
}

/* What each host sends of a ring all-reduce, 2 (n - 1) / n of the vector, is its own bound. Two
 * phases whose fullest channels differ overlap: the bound of both is not the sum. */
static void test_least(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=1:4,latency=10 ns,host_latency=50 ns");
    ik_traffic *ring =
        traffic_of(f, "collective:operation=allreduce,algorithm=ring,bytes=16 MB,processes=16");
    double rate = (double)ik_port_rate_bps(f, ik_host_port(f, 0));
    ik_phases p = phases_of(f, "dmodk", ring, 0);
    near(p.least_ns, 2 * 15.0 / 16 * 16e6 * 8e9 / rate);
    near(p.bound_ns, p.least_ns);
    /* two classes; 12 of 16 neighbours share a leaf switch */
    near(p.latency_ns, 2 * (100 + 0.25 * 20));
    ik_phases_free(&p);
    ik_traffic_free(ring);

    made m;
    begin(&m, f);
    graph_class(&m.b, "first");
    graph_message(&m.b, 0, 5, 1000, NULL);
    graph_message(&m.b, 1, 6, 300, NULL);
    graph_class(&m.b, "second");
    graph_message(&m.b, 0, 5, 100, NULL);
    graph_message(&m.b, 1, 6, 700, NULL);
    finish(&m);
    for (unsigned k = 0; k < 2; k++) {
        p = phases_of(f, k ? "adaptive_tree" : "dmodk", &m.traffic, 0);
        near(p.bound_ns, 1700 * 8e9 / rate);
        near(p.least_ns, 1100 * 8e9 / rate);
        ik_phases_free(&p);
    }
    ik_workload_clear(&m.work);
    ik_fabric_free(f);
}

/* One uplink for all hosts of a leaf is a bound where routes are fixed; the hosts' channels alone
 * are one where they are not. */
static void test_least_of_kinds(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=1:2");
    ik_traffic *t = traffic_of(f, "exchange:pattern=shift:by=4,bytes=1000B");
    double rate = (double)ik_port_rate_bps(f, ik_host_port(f, 0));
    ik_phases fixed = phases_of(f, "dmodk", t, 0), free_ones = phases_of(f, "adaptive_tree", t, 0);
    near(fixed.least_ns, 2 * 1000 * 8e9 / rate);
    near(free_ones.least_ns, 1000 * 8e9 / rate);
    ik_phases_free(&fixed);
    ik_phases_free(&free_ones);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* Where destinations are drawn, what a host receives is only expected; what it sends is certain. */
static void test_least_of_batch(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("crossbar:n=10");
    ik_traffic *t = traffic_of(f, "batch:pattern=(hotspot:nodes=1,fraction=50%),messages=16");
    ik_phases p = phases_of(f, "minimal", t, 0);
    near(p.least_ns, 16 * 4096 * 8e9 / (double)ik_port_rate_bps(f, ik_host_port(f, 0)));
    assert_true(p.bound_ns > 4 * p.least_ns);
    ik_phases_free(&p);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* The same as one phase: everything of a host leaves it one after the other, so the four exchanges
 * that stay below hide behind the fifth one. */
static void test_phases_are_not_one(void **state)
{
    (void)state;
    made m;
    ik_fabric *f = fabric_of("xgft:m=16:16,w=1:8");
    build_cg(&m, f, true);
    ik_phases p = phases_of(f, "dmodk", &m.traffic, INFINITY);
    assert_int_equal(p.num, 1);
    near(p.bound_ns / p.crossbar_bound_ns, 7.0 / 5);
    ik_phases_free(&p);
    ik_workload_clear(&m.work);
    ik_fabric_free(f);
}

/* ------------------------------------------------------------------------------------------
 * routes made for every phase */

static ik_routing *colored_for(const ik_fabric *f, const ik_traffic *t)
{
    ik_env env = {.seed = 3, .traffic = t};
    ik_routing *r = NULL;
    ik_error err = {0};
    if (ik_routing_from_spec(f, "colored", &env, &r, &err) != IK_OK)
        fail_msg("%s", err.text);
    return r;
}

/* Phases drawn from few hosts, so that pairs come again in others. `only`: that one alone. */
static void build_drawn(made *m, const ik_fabric *f, uint64_t seed, uint32_t only)
{
    begin(m, f);
    for (uint32_t phase = 0; phase < 4; phase++) {
        char name[16];
        snprintf(name, sizeof name, "phase %u", phase);
        if (only != IK_NONE && only != phase)
            continue;
        graph_class(&m->b, name);
        for (uint32_t i = 0; i < 14; i++) {
            uint32_t src = ik_random_below(seed, 1, phase, 2 * i, f->num_hosts),
                     dst = ik_random_below(seed, 1, phase, 2 * i + 1, f->num_hosts);
            if (src != dst)
                graph_message(&m->b, src, dst, 1000, NULL);
        }
    }
    finish(m);
}

static void test_a_table_for_each_phase(void **state)
{
    (void)state;
    unsigned different = 0;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=1:3");
    for (uint64_t seed = 0; seed < 20; seed++) {
        made all, one;
        ik_phases p, alone;
        build_drawn(&all, f, seed, IK_NONE);
        ik_routing *r = colored_for(f, &all.traffic);
        assert_int_equal(ik_phases_measure(r, &all.traffic, INFINITY, &made_env, &p, NULL), IK_OK);
        assert_int_equal(p.num, 4);
        for (uint32_t k = 0; k < 4; k++) {
            build_drawn(&one, f, seed, k);
            ik_routing *own = colored_for(f, &one.traffic);
            assert_int_equal(
                ik_phases_measure(own, &one.traffic, INFINITY, &made_env, &alone, NULL), IK_OK);
            near(p.phases[k].fluid_ns, alone.fluid_ns);
            ik_phases_free(&alone);
            ik_routing_free(own);
            ik_workload_clear(&one.work);
        }
        /* all routes of all phases stand for the whole, and are proved */
        different += r->kind == IK_ROUTE_OBLIVIOUS;
        for (uint32_t src = 0; src < f->num_hosts && r->kind == IK_ROUTE_OBLIVIOUS; src++) {
            for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
                uint32_t starts = r->family->num_starts(r, src, dst);
                assert_true(starts >= 1 && starts <= 3);
                for (uint32_t phase = 0; phase < 4; phase++) {
                    ik_packet pk = {.src = src, .dst = dst}, own = pk;
                    const ik_routing *view = r->family->of_phase(r, phase);
                    bool found = false, has = false;
                    view->family->start_nth(view, 0, &own);
                    const ik_graph *g = all.work.graph;
                    for (uint32_t op = g->host_first[src]; op < g->host_first[src + 1]; op++)
                        has = has || (g->kind[op] == IK_OP_SEND && g->ops[op].peer == dst &&
                                      g->op_class[op] == phase);
                    for (uint32_t n = 0; n < starts; n++) {
                        r->family->start_nth(r, n, &pk);
                        found = found || pk.via == own.via;
                    }
                    assert_true(found || !has);
                }
            }
        }
        ik_phases_free(&p);
        ik_routing_free(r);
        ik_workload_clear(&all.work);
    }
    assert_true(different > 0);
    ik_fabric_free(f);
}

static void test_colored_needs_a_pattern(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=2");
    ik_routing *r = NULL;
    ik_error err = {0};
    assert_int_equal(ik_routing_from_spec(f, "colored", &made_env, &r, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.hint, "traffic=PATTERN"));
    ik_fabric_free(f);
}

/* ------------------------------------------------------------------------------------------
 * sizes */

/* Two messages share the only cable fairly until the smaller one is over. */
static void test_sizes(void **state)
{
    (void)state;
    made m;
    ik_fabric *f = fabric_of("xgft:m=4:2,w=1:1");
    double ns = 8e9 / (double)ik_port_rate_bps(f, ik_host_port(f, 0));
    begin(&m, f);
    graph_message(&m.b, 0, 4, 3000, NULL);
    graph_message(&m.b, 1, 5, 1000, NULL);
    graph_message(&m.b, 0, 4, 2000, NULL); /* with the first one: 5000 */
    finish(&m);
    ik_phases p = phases_of(f, "dmodk", &m.traffic, INFINITY);
    near(p.fluid_ns, 6000 * ns);
    near(p.bound_ns, 6000 * ns);
    near(p.crossbar_ns, 5000 * ns);
    near(p.slowdown, 6.0 / 5);
    near(p.phases[0].max_load_bytes, 6000);
    assert_int_equal(p.messages, 3);
    assert_int_equal(p.flows, 2);
    assert_int_equal(p.bytes, 6000);
    ik_phases_free(&p);
    /* half of the rate while the other one sends, all of it after */
    p = phases_of(f, "dmodk", &m.traffic, 0);
    assert_false(p.has_contention);
    near(p.slowdown, 6.0 / 5);
    ik_phases_free(&p);
    ik_workload_clear(&m.work);
    ik_fabric_free(f);
}

/* Three hosts of a switch, the second one at a quarter of the others' rate. */
static void test_rates(void **state)
{
    (void)state;
    const uint64_t rates[] = {100000000000, 25000000000, 100000000000, 100000000000};
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    ik_builder_switches(b, 1, 4);
    ik_builder_hosts(b, 4, 1);
    for (uint32_t host = 0; host < 4; host++)
        ik_builder_link(b, ik_sw(0, host), ik_hs(host, 0),
                        ik_builder_class(b, rates[host], 1000, host == 1 ? "slow" : "fast"));
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    made m;
    begin(&m, f);
    graph_message(&m.b, 1, 0, 1000000, NULL);
    graph_message(&m.b, 2, 0, 2000000, NULL);
    finish(&m);
    ik_phases p = phases_of(f, "updown", &m.traffic, INFINITY);
    near(p.bound_ns, 1e6 * 8 / 25);
    near(p.fluid_ns, 1e6 * 8 / 25);
    near(p.slowdown, 1);
    ik_phases_free(&p);
    ik_workload_clear(&m.work);
    ik_fabric_free(f);
}

/* ------------------------------------------------------------------------------------------
 * members of the family */

static void test_alltoall(void **state)
{
    (void)state;
    static const struct {
        const char *fabric;
        double slowdown;
    } rows[] = {{"karytree:k=4,n=2", 1},
                {"xgft:m=4:4,w=1:2", 2 * 12.0 / 15},
                {"xgft:m=4:4,w=1:1", 4 * 12.0 / 15}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_fabric *f = fabric_of(rows[i].fabric);
        ik_traffic *t = traffic_of(f, "exchange:bytes=1000 B,repeat=3");
        for (int fluid = 0; fluid < 2; fluid++) {
            ik_phases p = phases_of(f, "dmodk", t, fluid ? INFINITY : 0);
            assert_int_equal(p.has_contention, fluid);
            near(p.slowdown, rows[i].slowdown);
            near(p.crossbar_bound_ns,
                 45000 * 8e9 / (double)ik_port_rate_bps(f, ik_host_port(f, 0)));
            ik_phases_free(&p);
        }
        ik_traffic_free(t);
        ik_fabric_free(f);
    }
}

static void test_wrf(void **state)
{
    static const struct {
        unsigned w2;
        double slowdown;
    } rows[] = {{16, 1}, {8, 2}, {4, 4}, {2, 8}, {1, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "xgft:m=16:16,w=1:%u", rows[i].w2);
        ik_fabric *f = fabric_of(spec);
        ik_traffic *t = traffic_of(f, "exchange:pattern=wrf,bytes=100 kB");
        ik_phases p = phases_of(f, "dmodk", t, INFINITY);
        near(p.slowdown, rows[i].slowdown);
        ik_phases_free(&p);
        ik_traffic_free(t);
        ik_fabric_free(f);
    }
}

static void test_box(void **state)
{
    (void)state;
    double five[] = {5, 1, 4, 2, 3}, four[] = {1, 4, 2, 3}, one[] = {7};
    ik_box b = ik_box_of(five, 5);
    assert_true(b.min == 1 && b.lower == 2 && b.median == 3 && b.upper == 4 && b.max == 5 &&
                b.mean == 3);
    b = ik_box_of(four, 4);
    assert_true(b.lower == 1.75 && b.median == 2.5 && b.upper == 3.25 && b.mean == 2.5);
    b = ik_box_of(one, 1);
    assert_true(b.min == 7 && b.lower == 7 && b.median == 7 && b.upper == 7 && b.max == 7);
    five[3] = NAN;
    b = ik_box_of(five, 5);
    assert_true(isnan(b.min) && isnan(b.median) && isnan(b.max) && isnan(b.mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_least_of_kinds),
        cmocka_unit_test(test_least_of_batch),
        cmocka_unit_test(test_cg),
        on_one_thread(test_phases_are_not_one),
        on_one_thread(test_sizes),
        on_one_thread(test_rates),
        on_one_thread(test_alltoall),
        on_one_thread(test_wrf),
        on_one_thread(test_box),
        cmocka_unit_test(test_a_table_for_each_phase),
        on_one_thread(test_colored_needs_a_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
