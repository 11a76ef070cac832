/* SPDX-License-Identifier: Apache-2.0
 *
 * The pipelined router on several threads: everything that a run returns is the same with 1, 2, 3
 * and 7, on trees, meshes, tori and random graphs, for every allocator, buffers smaller than a
 * packet, slow and long links, checks, watchdog and samples. So is it with fetching ahead, where
 * flits are left to their router's turn, and without. */
#include "sim/flit/pipe.h"
#include "sim_hash.h"
#include "sim_helper.h"
#include "unit/part.h"

/* 125 B at 100 Gb/s: a cycle of 10 ns. */
#define ROUTER "model=pipelined;flit=125 B;"
#define LONG   "packet=2 kB;injection=poisson" /* 16 flits */
#define SERIES "warmup=1 us;duration=9 us;series=1370 ns"

static ik_sim_result run_on(const ik_fabric *f, scenario c, unsigned threads)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    c.threads = threads;
    if (simulate_on(f, &c, &r, &err) != IK_OK)
        fail_msg("%s, %s, %s, %u threads: %s", c.fabric, c.sw, c.routing, threads, err.text);
    assert_int_equal(r.threads, threads < f->num_switches ? threads : f->num_switches);
    assert_true(r.packets_delivered > 0 || r.deadlock);
    return r;
}

/* Everything that a run returns, fetching ahead or not. */
static uint64_t hash_staged(const ik_fabric *f, const scenario *c, bool staged)
{
    ik_env env = env_of(c);
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_error err = {0};
    ik_sim_result r = {0};
    sections at;
    pipe *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_int_equal(
        ik_plan_from_specs(f, c->routing, c->vc, c->selection, c->num_vcs, &env, &plan, &err),
        IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, c->traffic, &env, &traffic, &err), IK_OK);
    assert_int_equal(open_sections(&at, c, &err), IK_OK);
    assert_int_equal(pipe_setup(p, plan, traffic, &at.config, &env, &err), IK_OK);
    p->staged = staged;
    if (pipe_run(p, &err) != IK_OK || pipe_export(p, &r, &err) != IK_OK)
        fail_msg("%s, %s, %s: %s", c->fabric, c->sw, c->routing, err.text);
    uint64_t value = hash_result(f, &r);
    sim_result_clear(&r);
    pipe_free(p);
    free(p);
    close_sections(&at);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    return value;
}

/* All that the sanitizer of threads is shown of most cases: both ways on three threads. */
static void compare_staged(const ik_fabric *f, scenario c)
{
    for (c.threads = threads_only() ? 3 : 1; c.threads <= 3; c.threads += 2)
        if (hash_staged(f, &c, true) != hash_staged(f, &c, false))
            fail_msg("%s, %s, %s, %s, %u threads: fetching ahead gives another result", c.fabric,
                     c.sw, c.routing, c.adapter, c.threads);
}

static void compare(scenario c)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    ik_fabric *f = NULL;
    uint64_t first = 0;
    assert_int_equal(ik_fabric_from_spec(c.fabric, NULL, &f, NULL), IK_OK);
    c.traffic = c.traffic ? c.traffic : "uniform";
    c.load = c.load > 0 ? c.load : 0.6;
    for (unsigned k = 0; k < (THREAD_SANITIZED ? 2 : 4) && !threads_only(); k++) {
        ik_sim_result r = run_on(f, c, threads[k]);
        uint64_t value = hash_result(f, &r);
        if (k > 0 && value != first)
            fail_msg("%s, %s, %s, %s: %u threads give another result than one", c.fabric, c.sw,
                     c.routing, c.adapter, threads[k]);
        first = value;
        sim_result_clear(&r);
    }
    compare_staged(f, c);
    ik_fabric_free(f);
}

static const scenario networks[] = {
    {.fabric = "karytree:k=4,n=3,latency=10 ns", .routing = "dmodk", .vc = "any", .num_vcs = 4},
    {.fabric = "karytree:k=4,n=3,latency=70 ns,host_latency=10 ns",
     .routing = "oblivious",
     .vc = "any",
     .num_vcs = 2},
    {.fabric = "karytree:k=4,n=2,latency=35 ns",
     .routing = "adaptive_tree",
     .vc = "1q",
     .num_vcs = 1,
     .load = 0.9},
    {.fabric = "mesh:dims=4:4,latency=20 ns", .routing = "dor", .vc = "any", .num_vcs = 2},
    {.fabric = "torus:dims=4:5,latency=10 ns",
     .routing = "dor",
     .vc = "dateline:rule=route",
     .num_vcs = 4},
    {.fabric = "fullmesh:n=8,p=2,latency=50 ns", .routing = "ugal_l", .load = 0.9},
    {.fabric = "file:path=" TEST_DATA "/fabrics/anynet_rr4_64.net,latency=10 ns",
     .routing = "lft:path=" TEST_DATA "/booksim/anynet_rr4_64.lft",
     .vc = "any",
     .num_vcs = 4,
     .load = 0.4},
};
enum { NUM_NETWORKS = sizeof networks / sizeof *networks };

/* Packets of one flit; of several; larger than a VC's buffer. */
static void test_networks(void **state)
{
    (void)state;
    static const char *const adapters[] = {"packet=125 B;injection=bernoulli",
                                           "packet=500 B;message=2 kB;injection=periodic", LONG};
    for (unsigned n = 0; n < NUM_NETWORKS; n++)
        for (unsigned k = 0; k < 3; k++) {
            if (!in_part(3 * n + k, 4))
                continue;
            scenario c = networks[n];
            c.sw = ROUTER "buffer=4 kB";
            c.adapter = adapters[k];
            c.measure = SERIES;
            compare(c);
        }
}

/* Buffers of a few flits: packets stretch over several switches, and over cuts. */
static void test_wormhole(void **state)
{
    (void)state;
    for (unsigned n = 0; n < NUM_NETWORKS; n++) {
        char sw[80];
        if (!in_part(n, 2))
            continue;
        scenario c = networks[n];
        snprintf(sw, sizeof sw, ROUTER "buffer=%u B", 125 * 3 * (c.num_vcs ? c.num_vcs : 4));
        c.sw = sw;
        c.adapter = LONG;
        c.measure = "warmup=0 ns;duration=8 us;paranoid=true;watchdog=1 us;series=770 ns";
        compare(c);
    }
}

/* Sets of two words, of more, and more than 64 ports. */
static void test_large_routers(void **state)
{
    (void)state;
    static const scenario large[] = {
        {.fabric = "karytree:k=16,n=2", .routing = "dmodk", .vc = "any", .num_vcs = 4},
        {.fabric = "crossbar:n=60,latency=10 ns", .routing = "minimal", .vc = "any", .num_vcs = 4},
        {.fabric = "crossbar:n=90,latency=20 ns", .routing = "minimal", .vc = "1q", .num_vcs = 1},
        {.fabric = "karytree:k=36,n=2", .routing = "adaptive_tree", .vc = "any", .num_vcs = 2},
    };
    static const char *const switches[] = {ROUTER "buffer=4 kB;iterations=1",
                                           ROUTER "buffer=2 kB;iterations=2;sw_alloc_cycles=2"};
    for (unsigned n = 0; n < sizeof large / sizeof *large; n++)
        for (unsigned sw = 0; sw < 2; sw++) {
            if (!in_part(2 * n + sw, 3))
                continue;
            scenario c = large[n];
            c.sw = switches[sw];
            c.adapter = "packet=250 B;injection=bernoulli";
            c.measure = "warmup=200 ns;duration=2 us;series=330 ns;paranoid=true";
            compare(c);
        }
}

static void test_allocators_and_stages(void **state)
{
    (void)state;
    static const char *const switches[] = {
        ROUTER "vc_allocator=separable_input;sw_allocator=separable_input",
        ROUTER "vc_allocator=separable_output;sw_allocator=wavefront;iterations=2",
        ROUTER "vc_allocator=wavefront;sw_allocator=separable_output",
        ROUTER "routing_cycles=0;vc_alloc_cycles=2;sw_alloc_cycles=3;traversal_cycles=0",
        ROUTER "speedup=2;output_buffer=1 kB",
        ROUTER "speedup=3;sw_alloc_cycles=2;buffer=2 kB",
        ROUTER "output_speedup=2",
        ROUTER "input_speedup=2;output_speedup=2;speedup=2",
        ROUTER "output_speedup=3;output_buffer=300 B;speedup=2;buffer=2 kB",
    };
    for (unsigned sw = 0; sw < sizeof switches / sizeof *switches; sw++)
        for (unsigned n = 0; n < 5; n += 2) {
            scenario c = networks[n];
            if (!in_part(3 * sw + n / 2, 4) ||
                (c.num_vcs < 2 && strstr(switches[sw], "input_speedup")))
                continue;
            c.sw = switches[sw];
            c.adapter = "packet=375 B;injection=bernoulli";
            c.measure = SERIES;
            compare(c);
        }
}

/* Some links take a flit in several cycles. */
static void test_slow_links(void **state)
{
    (void)state;
    static const char *const fabrics[] = {
        "karytree:k=4,n=2,latency=40 ns,host_rate=50 Gb/s",
        "karytree:k=4,n=2,latency=10 ns,host_latency=90 ns,host_rate=400 Gb/s"};
    for (unsigned k = 0; k < 2; k++) {
        scenario c = networks[0];
        c.fabric = fabrics[k];
        c.sw = ROUTER "buffer=4 kB";
        c.adapter = "packet=500 B;injection=poisson";
        c.measure = SERIES;
        compare(c);
    }
}

/* Classes, trees of congestion, culprits and victims. */
static void test_congestion(void **state)
{
    (void)state;
    for (unsigned n = 0; n < NUM_NETWORKS; n++) {
        if (!in_part(n, 2))
            continue;
        scenario c = networks[n];
        c.traffic = "hotspot:count=2,fraction=30%";
        c.sw = ROUTER "buffer=2 kB";
        c.adapter = "packet=500 B;injection=poisson";
        c.measure = "warmup=2 us;duration=9 us;series=510 ns;watchdog=0 ns";
        compare(c);
    }
}

/* Cyclic routes: the watchdog ends the run at the same cycle, with the same words. */
static void test_deadlock(void **state)
{
    (void)state;
    scenario c = {.fabric = "torus:dims=9,p=2,latency=30 ns",
                  .routing = "minimal",
                  .vc = "1q",
                  .num_vcs = 1,
                  .traffic = "shift:by=8",
                  .load = 1,
                  .sw = ROUTER "buffer=1 kB",
                  .adapter = LONG,
                  .measure = "warmup=0 ns;duration=100 us;watchdog=3 us"};
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec(c.fabric, NULL, &f, NULL), IK_OK);
    ik_sim_result r = run_on(f, c, 3);
    assert_true(r.deadlock);
    sim_result_clear(&r);
    ik_fabric_free(f);
    compare(c);
}

/* What a run says about its threads: a step is a cycle longer than the latency of the channels
 * between parts. */
static void test_sharing(void **state)
{
    (void)state;
    static const struct {
        const char *fabric;
        uint64_t cycles;
    } cases[] = {{"karytree:k=4,n=2,latency=10 ns", 2},
                 {"karytree:k=4,n=2,latency=70 ns,host_latency=10 ns", 8}};
    for (unsigned k = 0; k < 2; k++) {
        ik_fabric *f = NULL;
        scenario c = networks[0];
        c.traffic = "uniform";
        c.load = 0.5;
        c.sw = ROUTER;
        c.adapter = "packet=125 B";
        c.measure = "warmup=0 ns;duration=40960 ns;watchdog=0 ns"; /* 4,096 cycles */
        assert_int_equal(ik_fabric_from_spec(cases[k].fabric, NULL, &f, NULL), IK_OK);
        ik_sim_result one = run_on(f, c, 1), two = run_on(f, c, 2);
        assert_true(one.sharing.crossings == 0 && one.sharing.steps == 0 &&
                    one.sharing.cut_channels == 0 && one.sharing.balance == 1);
        assert_true(one.sharing.run_seconds > 0 && one.sharing.threads == 1);
        assert_int_equal(two.sharing.cut_channels, 16);
        assert_int_equal(two.sharing.steps, 4096 / cases[k].cycles);
        assert_true(two.sharing.crossings > two.packets_delivered / 2 &&
                    two.sharing.crossings < 4 * two.packets_delivered);
        assert_true(two.sharing.balance >= 1 && two.sharing.balance < 1.1 &&
                    two.sharing.step_balance >= two.sharing.balance);
        sim_result_clear(&one);
        sim_result_clear(&two);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks),      cmocka_unit_test(test_wormhole),
        cmocka_unit_test(test_large_routers), cmocka_unit_test(test_allocators_and_stages),
        cmocka_unit_test(test_slow_links),    cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_congestion),    cmocka_unit_test(test_sharing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
