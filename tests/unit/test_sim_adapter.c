/* SPDX-License-Identifier: Apache-2.0
 *
 * The host adapter against closed forms: what its queues keep apart, and rates below the link's. */
#include "sim_hot.h"

/* Four senders, half of their packets to one host: the hot output gives each 1/4 of its link. A
 * queue that mixes hot and cold packets moves at that pace, cold = hot = 1/4; kept apart, the cold
 * half goes at full rate. Two VCs: the hot host is even, the cold ones are odd, so DBBM separates
 * them. */
static void test_queue_per_vc(void **state)
{
    (void)state;
    scenario c = {.fabric = "crossbar:n=13",
                  .routing = "minimal",
                  .vc = "dbbm",
                  .num_vcs = 2,
                  .load = 1,
                  .sw = "buffer=128 KiB",
                  .measure = "warmup=400 us;duration=400 us;paranoid=true"};
    incast in = {4, 4, 2, 2};
    static const struct {
        const char *adapter;
        double cold;
    } cases[] = {{"queues=one", 0.25}, {"queues=vc", 0.5}, {"queues=destination", 0.5}};
    for (unsigned k = 0; k < 3; k++) {
        c.adapter = cases[k].adapter;
        shares got = run_incast(&c, in);
        expect_near(cases[k].adapter, got.cold, cases[k].cold, 0.005);
        expect_near(cases[k].adapter, got.hot, 0.25, 0.001);
    }
}

/* With one VC it takes both: queues apart in the adapter and space apart in the switch. */
static void test_queue_per_destination(void **state)
{
    (void)state;
    scenario c = {.fabric = "crossbar:n=9",
                  .routing = "minimal:paths=one",
                  .vc = "1q",
                  .num_vcs = 1,
                  .load = 1,
                  .measure = "warmup=400 us;duration=400 us;paranoid=true"};
    incast in = {4, 4, 1, 2};
    static const struct {
        const char *sw, *adapter;
        double cold;
    } cases[] = {
        {"queues=voqsw;buffer=72 KiB", "queues=vc", 0.25},
        {"queues=voqsw;buffer=72 KiB", "queues=destination", 0.25},
        {"queues=damq;buffer=72 KiB", "queues=destination", 0.25},
        {"queues=damq;buffer=72 KiB;damq_bounds=output;queue_max=48 KiB", "queues=vc", 0.25},
        {"queues=damq;buffer=72 KiB;damq_bounds=output;queue_max=48 KiB", "queues=destination",
         0.5},
        {"queues=damq;buffer=144 KiB;damq_bounds=output;queue_min=8 KiB", "queues=destination",
         0.5},
        {"queues=voqnet;buffer=72 KiB", "queues=one", 0.25},
        {"queues=voqnet;buffer=72 KiB", "queues=destination", 0.5},
    };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char what[160];
        snprintf(what, sizeof what, "%s, adapter %s", cases[k].sw, cases[k].adapter);
        c.sw = cases[k].sw;
        c.adapter = cases[k].adapter;
        shares got = run_incast(&c, in);
        expect_near(what, got.cold, cases[k].cold, 0.005);
        expect_near(what, got.hot, 0.25, 0.001);
    }
}

/* Through a whole tree, where the queues of other switches fill up, too: three senders of one leaf,
 * each cold host behind an up link of its own. Voqnet leaves the cold flows everything, space that
 * they share with hot packets slows them to 1/3. */
static void test_no_blocking_in_a_tree(void **state)
{
    (void)state;
    scenario c = {.fabric = "karytree:k=4,n=2",
                  .routing = "dmodk",
                  .vc = "1q",
                  .num_vcs = 1,
                  .load = 1,
                  .adapter = "queues=destination",
                  .measure = "warmup=600 us;duration=400 us;paranoid=true"};
    incast in = {3, 8, 1, 2};
    c.sw = "queues=voqnet;buffer=256 KiB";
    shares net = run_incast(&c, in);
    expect_near("hot host of a tree", net.hot, 1.0 / 3, 0.001);
    expect_near("cold flows under voqnet", net.cold, 0.5, 0.005);
    c.sw = "queues=voqsw;buffer=256 KiB";
    shares voq = run_incast(&c, in);
    expect_near("cold flows under voqsw", voq.cold, 1.0 / 3, 0.01);
}

/* An overloaded source with three messages to the hot host for one to its own: in order of arrival
 * the link is split 3 : 1, a queue a destination splits it evenly. */
static void test_turns_of_destinations(void **state)
{
    (void)state;
    scenario c = {.fabric = "crossbar:n=4",
                  .routing = "minimal",
                  .vc = "1q",
                  .num_vcs = 1,
                  .load = 2,
                  .measure = "warmup=200 us;duration=400 us;paranoid=true"};
    incast in = {1, 1, 1, 4};
    static const struct {
        const char *adapter;
        double cold;
    } cases[] = {{"queues=one", 0.25},
                 {"queues=vc", 0.25},
                 {"queues=destination", 0.5},
                 {"queues=destination;message=12 KiB", 0.5},
                 {"queues=destination;message=10000 B;interleave=fifo", 0.5}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        c.adapter = cases[k].adapter;
        shares got = run_incast(&c, in);
        expect_near(cases[k].adapter, got.cold, cases[k].cold, 0.005);
        expect_near(cases[k].adapter, got.cold + got.hot, 1, 0.005);
    }
}

/* Where every host sends to one other, it does not matter how the adapter queues. */
static void test_same_for_a_permutation(void **state)
{
    (void)state;
    uint64_t first = 0;
    static const char *const adapters[] = {"queues=vc;message=9000 B", "queues=one;message=9000 B",
                                           "queues=destination;message=9000 B"};
    for (unsigned k = 0; k < 3; k++) {
        ik_sim_result r =
            simulate((scenario){.fabric = "karytree:k=4,n=2",
                                .routing = "dmodk",
                                .vc = "1q",
                                .num_vcs = 1,
                                .traffic = "shift:by=5",
                                .load = 1.2,
                                .adapter = adapters[k],
                                .measure = "warmup=5 us;duration=30 us;paranoid=true"});
        assert_true(r.packets_delivered > 100);
        if (k > 0 && r.checksum != first)
            fail_msg("%s gives another run", adapters[k]);
        first = r.checksum;
        sim_result_clear(&r);
    }
}

/* ---- rates */

/* With a routing that adapts, and with one that does not, which another kernel may serve: the
 * results are the same. */
static ik_sim_result one_flow(const char *adapter, const char *sw, double load)
{
    static const char *const routings[] = {"minimal", "minimal:paths=one"};
    ik_sim_result r[2];
    ik_fabric *f = NULL;
    flow one = {0, 3, UINT64_MAX};
    assert_int_equal(ik_fabric_from_spec("crossbar:n=4,latency=6 ns", NULL, &f, NULL), IK_OK);
    for (unsigned k = 0; k < 2; k++) {
        ik_plan *plan = NULL;
        assert_int_equal(ik_plan_from_specs(f, routings[k], "1q", NULL, 1, NULL, &plan, NULL),
                         IK_OK);
        ik_traffic traffic = flow_traffic(f, &one);
        scenario c = {.adapter = adapter,
                      .sw = sw,
                      .load = load,
                      .measure = "warmup=100 us;duration=655360 ns;paranoid=true"};
        r[k] = run_planned(plan, &traffic, &c);
        ik_plan_free(plan);
    }
    assert_true(r[0].checksum == r[1].checksum && r[0].packets_delivered == r[1].packets_delivered);
    sim_result_clear(&r[0]);
    ik_fabric_free(f);
    return r[1];
}

/* Packets of 4096 B take 327.68 ns: 2000 of them fill the window. What is sent at its two edges
 * counts in part, in whole bytes. */
static void expect_packets(const char *what, uint64_t bytes, uint64_t packets)
{
    if (bytes > packets * 4096 || bytes + 2 < packets * 4096)
        fail_msg("%s: %.3f packets in the window, expected %llu", what, (double)bytes / 4096,
                 (unsigned long long)packets);
}

static void test_ejection(void **state)
{
    (void)state;
    const uint64_t packet = 327680, wire = 2 * 6000;
    static const struct {
        const char *adapter;
        uint64_t slower;
    } cases[] = {{"packet=4 KiB", 1},
                 {"ejection_fraction=50 %", 2},
                 {"ejection_rate=50 Gb/s", 2},
                 {"ejection_rate=25 Gb/s", 4}};
    for (unsigned k = 0; k < 4; k++) {
        ik_sim_result r = one_flow(cases[k].adapter, "buffer=32 KiB", 1);
        expect_packets(cases[k].adapter, r.host_bytes[3], 2000 / cases[k].slower);
        expect_packets(cases[k].adapter, r.host_sent_bytes[0], 2000 / cases[k].slower);
        sim_result_clear(&r);
        /* alone: delivered when the buffer has passed it on */
        r = one_flow(cases[k].adapter, NULL, 0.1);
        assert_true(r.latency.min == r.latency.max &&
                    r.latency.max == wire + cases[k].slower * packet);
        sim_result_clear(&r);
    }
}

static void test_injection(void **state)
{
    (void)state;
    const uint64_t packet = 327680, wire = 2 * 6000;
    static const struct {
        const char *adapter;
        uint64_t slower;
    } cases[] = {{"injection_fraction=50 %", 2},
                 {"injection_rate=25 Gb/s;injection_fraction=50 %", 4},
                 {"injection_rate=25 Gb/s;queues=destination", 4},
                 {"injection_rate=400 Gb/s", 1}};
    for (unsigned k = 0; k < 4; k++) {
        for (double load = 1; load < 3; load++) {
            /* load and throughput are fractions of what the adapter can send */
            ik_sim_result r = one_flow(cases[k].adapter, NULL, load);
            expect_packets(cases[k].adapter, r.host_sent_bytes[0], 2000 / cases[k].slower);
            assert_true(r.network_latency.min == packet + wire &&
                        r.network_latency.max == packet + wire); /* at the link's rate */
            expect_near(cases[k].adapter, r.throughput * 4, 1, 0.001);
            expect_near(cases[k].adapter, r.offered * 4, load, 0.002);
            sim_result_clear(&r);
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const adapters[] = {"queues=destination", "injection_rate=1 Gb/s",
                                           "ejection_fraction=50 %"};
    for (unsigned k = 0; k < 3; k++) {
        scenario c = {.fabric = "crossbar:n=4",
                      .routing = "minimal",
                      .load = 0.5,
                      .sw = "model=pipelined",
                      .adapter = adapters[k]};
        ik_sim_result r = {0};
        ik_error err = {0};
        assert_int_equal(try_simulate(&c, &r, &err), IK_ERR_INPUT);
        assert_non_null(strstr(err.text, "no effect with model = pipelined"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue_per_vc),
        cmocka_unit_test(test_queue_per_destination),
        cmocka_unit_test(test_no_blocking_in_a_tree),
        cmocka_unit_test(test_turns_of_destinations),
        cmocka_unit_test(test_same_for_a_permutation),
        cmocka_unit_test(test_ejection),
        cmocka_unit_test(test_injection),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
