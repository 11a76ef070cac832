/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer organisations against what must follow from them: bounds that make a shared buffer a split
 * one give the same run, bit for bit; shared space fills a long link; routes that form a tree per
 * host need a queue a host to be free of deadlock. */
#include "sim_flow.h"
#include "unit/part.h"

static ik_sim_result run(scenario c)
{
    ik_sim_result r = simulate(c);
    if (r.deadlock)
        fail_msg("%s: %s", c.sw, r.deadlock_text);
    return r;
}

static void same_runs(scenario c, const char *one, const char *other)
{
    c.sw = one;
    ik_sim_result a = run(c);
    c.sw = other;
    ik_sim_result b = run(c);
    if (a.checksum != b.checksum || a.packets_delivered != b.packets_delivered ||
        a.packet_hops != b.packet_hops || a.packets_in_flight != b.packets_in_flight)
        fail_msg("'%s' and '%s' differ: %llu and %llu packets delivered", one, other,
                 (unsigned long long)a.packets_delivered, (unsigned long long)b.packets_delivered);
    assert_true(a.packets_delivered > 100);
    sim_result_clear(&a);
    sim_result_clear(&b);
}

static const scenario tree = {.fabric = "karytree:k=4,n=2",
                              .routing = "dmodk",
                              .vc = "1q",
                              .traffic = "hotspot:fraction=20%",
                              .load = 1,
                              .measure = "warmup=5 us;duration=30 us;paranoid=true"};

/* Bounds that leave nothing to share are a split buffer; no bounds and one VC are the shared space
 * of one VC. */
static void test_extremes(void **state)
{
    (void)state;
    scenario c = tree;
    same_runs(c, "queues=voqsw;buffer=48 KiB", "queues=damq;buffer=48 KiB");
    same_runs(c, "queues=voqsw;buffer=48 KiB", "queues=damq;damq_bounds=output;buffer=48 KiB");
    same_runs(c, "queues=voqsw;buffer=48 KiB",
              "queues=damq;buffer=48 KiB;queue_min=48 KiB;queue_max=48 KiB");
    same_runs(c, "queues=voqsw;buffer=48 KiB", "queues=damq;buffer=52 KiB;queue_max=48 KiB");
    c.vc = "dbbm";
    c.num_vcs = 3;
    same_runs(c, "queues=voqsw;buffer=48 KiB",
              "queues=damq;buffer=48 KiB;queue_min=16 KiB;queue_max=16 KiB");
    same_runs(c, "queues=voqsw;buffer=48 KiB",
              "queues=damq;buffer=52 KiB;queue_min=16 KiB;queue_max=16 KiB");
    c.vc = "any";
    same_runs(c, "queues=voqsw;buffer=48 KiB",
              "queues=damq;buffer=48 KiB;queue_min=16 KiB;queue_max=16 KiB");
    same_runs(c, "model=ioq;queues=voqsw;buffer=48 KiB",
              "model=ioq;queues=damq;buffer=48 KiB;queue_min=16 KiB;queue_max=16 KiB");
    c.num_vcs = 1;
    same_runs(c, "model=ioq;output_buffer=12 KiB",
              "model=ioq;output_buffer=12 KiB;output_sharing=shared");
    c.routing = "adaptive_tree";
    c.selection = "most_credits";
    c.num_vcs = 2;
    same_runs(c, "queues=voqsw;buffer=48 KiB",
              "queues=damq;buffer=48 KiB;queue_min=24 KiB;queue_max=24 KiB");
}

/* The older spelling says the same; the two may not contradict each other. */
static void test_spellings(void **state)
{
    (void)state;
    same_runs(tree, "voq=true", "queues=voqsw");
    same_runs(tree, "voq=false", "queues=fifo");
    same_runs(tree, "voq=true;queues=damq", "queues=damq");
}

/* A host that sends alone can fill a shared buffer whatever its VC: a link so long that the buffer
 * limits the rate, n S / (S + 2 L) for n packets. Split among four VCs one packet fits, shared all
 * but the three that the other VCs keep. */
static void test_sharing_fills_a_long_link(void **state)
{
    (void)state;
    const double packet = 327.68, latency = 2000;
    const struct {
        const char *sw;
        double packets;
    } cases[] = {{"buffer=16 KiB", 1},
                 {"queues=damq;buffer=16 KiB", 1},
                 {"queues=damq;buffer=32 KiB", 5},
                 {"queues=damq;buffer=32 KiB;queue_max=12 KiB", 3},
                 {"queues=damq;buffer=32 KiB;queue_min=8 KiB", 2}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_fabric *f = NULL;
        ik_plan *plan = NULL;
        flow one = {0, 3, UINT64_MAX};
        assert_int_equal(ik_fabric_from_spec("crossbar:n=4,latency=2 us", NULL, &f, NULL), IK_OK);
        assert_int_equal(ik_plan_from_specs(f, "minimal", "dbbm", NULL, 4, NULL, &plan, NULL),
                         IK_OK);
        ik_traffic traffic = flow_traffic(f, &one);
        scenario c = {.sw = cases[k].sw,
                      .adapter = "buffer=1 MiB",
                      .load = 1,
                      .measure = "warmup=400 us;duration=4 ms;paranoid=true;watchdog=0 ns"};
        ik_sim_result r = run_planned(plan, &traffic, &c);
        double expect = cases[k].packets * packet / (packet + 2 * latency),
               got = r.throughput * f->num_hosts;
        if (got < expect * 0.995 || got > expect * 1.005)
            fail_msg("%s: %.4f of the link, expected %.4f", cases[k].sw, got, expect);
        sim_result_clear(&r);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* Minimal routes around a ring with one VC stop dead in any buffer that flows share; a queue a
 * destination leaves no cycle, since the routes to one host form a tree. */
static void test_ring(void **state)
{
    (void)state;
    static const struct {
        const char *sw;
        bool deadlock;
    } cases[] = {
        {"queues=damq;buffer=16 KiB", true},
        {"queues=damq;buffer=40 KiB;damq_bounds=output;queue_max=12 KiB", true},
        {"model=ioq;queues=damq;buffer=16 KiB;output_buffer=16 KiB;output_sharing=shared", true},
        {"queues=voqnet;buffer=112 KiB", false}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (unsigned threads = fewest_threads(); threads < 3; threads++) {
            ik_sim_result r =
                simulate((scenario){.fabric = "torus:dims=7,p=2",
                                    .routing = "minimal:paths=one",
                                    .vc = "1q",
                                    .num_vcs = 1,
                                    .traffic = "shift:by=6",
                                    .load = 1,
                                    .sw = cases[k].sw,
                                    .threads = threads,
                                    .measure = "warmup=0 ns;duration=2 ms;paranoid=true"});
            if (r.deadlock != cases[k].deadlock)
                fail_msg("%s: %s", cases[k].sw, r.deadlock ? r.deadlock_text : "no deadlock");
            if (r.deadlock)
                assert_non_null(strstr(strchr(r.deadlock_text, '\n') + 1, "waits for"));
            sim_result_clear(&r);
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    scenario c = tree;
    c.num_vcs = 2;
    c.vc = "dbbm";
    c.sw = "queues=damq;queue_min=1 KiB";
    refuse(c, IK_ERR_USAGE, "queue_min");
    c.sw = "queues=damq;damq_bounds=output;buffer=32 KiB";
    refuse(c, IK_ERR_USAGE, "more than switch.buffer");
    c.sw = "queues=damq;queue_max=2 KiB";
    refuse(c, IK_ERR_USAGE, "queue_max");
    c.sw = "queues=damq;queue_min=8 KiB;queue_max=6 KiB";
    refuse(c, IK_ERR_USAGE, "queue_max");
    c.sw = "queues=voqnet;buffer=32 KiB";
    refuse(c, IK_ERR_USAGE, "destinations");
    c.sw = "queues=voqnet;model=ioq";
    refuse(c, IK_ERR_UNSUPPORTED, "voqnet");
    c.sw = "queues=damq;model=ideal";
    refuse(c, IK_ERR_INPUT, "no effect with model = ideal");
    c.sw = "queues=damq;model=pipelined";
    refuse(c, IK_ERR_INPUT, "no effect with model = pipelined");
    c.sw = "queues=fifo;voq=true";
    refuse(c, IK_ERR_USAGE, "contradicts");
    c.sw = "model=ioq;output_sharing=shared;output_buffer=6 KiB";
    refuse(c, IK_ERR_USAGE, "");
    c.routing = "adaptive_tree";
    c.sw = "queues=damq;damq_bounds=output;buffer=1 MiB";
    refuse(c, IK_ERR_UNSUPPORTED, "next output");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_extremes),
        on_one_thread(test_spellings),
        on_one_thread(test_sharing_fills_a_long_link),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
