/* SPDX-License-Identifier: Apache-2.0
 *
 * Times in closed form: zero load for every number of hops, switching mode and delay; two packets
 * for one output; unequal rates.
 */
#include "sim_helper.h"

/* One packet from each host at most: period 1 s, so that every packet travels alone (random
 * phase). */
static void check_shift(const char *fabric, const char *by, unsigned links, const char *sw,
                        double expect_ns)
{
    char traffic[40];
    snprintf(traffic, sizeof traffic, "shift:by=%s", by);
    ik_sim_result r = simulate((scenario){.fabric = fabric,
                                          .routing = "dmodk",
                                          .traffic = traffic,
                                          .load = 0.0005,
                                          .sw = sw,
                                          .measure = "warmup=0 ns;duration=2 ms;paranoid=false"});
    assert_true(r.latency.count > 4);
    if (r.latency.max != (uint64_t)(expect_ns * 1000 + 0.5) || r.latency.min != r.latency.max)
        fail_msg("%s shift by %s (%u links): %.3f ... %.3f ns, expected %.3f", fabric, by, links,
                 (double)r.latency.min / 1000, (double)r.latency.max / 1000, expect_ns);
    assert_true(r.network_latency.max == r.latency.max);
    sim_result_clear(&r);
}

/* h switches, h + 1 links of 6 ns, 4096 B at 100 Gb/s = 327.68 ns. Shifting by k^(l-1) in a k-ary
 * tree makes hosts of one subtree of level l meet at level l, so 2l - 1 switches (the wrap-around
 * pairs meet higher: use half the tree). */
static void test_cut_through(void **state)
{
    (void)state;
    const double packet = 327.68, link = 6;
    /* complement: every pair meets at a root */
    for (unsigned n = 1; n <= 4; n++) {
        char fabric[40], by[16];
        unsigned half = 1;
        for (unsigned k = 1; k < n; k++)
            half *= 2;
        snprintf(fabric, sizeof fabric, "karytree:k=2,n=%u", n);
        snprintf(by, sizeof by, "%u", half);
        unsigned switches = 2 * n - 1;
        check_shift(fabric, by, switches + 1, "", (switches + 1) * link + packet);
        check_shift(fabric, by, switches + 1, "routing_delay=10 ns;traversal_delay=25 ns",
                    (switches + 1) * link + switches * 35 + packet);
        check_shift(fabric, by, switches + 1, "switching=saf", (switches + 1) * (link + packet));
        check_shift(fabric, by, switches + 1, "switching=saf;voq=false;routing_delay=3 ns",
                    (switches + 1) * (link + packet) + switches * 3);
        check_shift(fabric, by, switches + 1,
                    "model=ioq;speedup=2;routing_delay=10 ns;traversal_delay=25 ns",
                    (switches + 1) * link + switches * 35 + packet);
        check_shift(fabric, by, switches + 1, "model=ioq;speedup=1;voq=false",
                    (switches + 1) * link + packet);
        check_shift(fabric, by, switches + 1, "model=ideal;traversal_delay=25 ns",
                    (switches + 1) * link + switches * 25 + packet);
    }
}

/* The switch and links of the diameter-two paper: 100 ns per switch, 50 ns per link, 256 B:
 * 520.48 ns over 3 switches. */
static void test_other_units(void **state)
{
    (void)state;
    ik_sim_result r = simulate((scenario){.fabric = "karytree:k=2,n=2,latency=50 ns",
                                          .routing = "dmodk",
                                          .traffic = "shift:by=2",
                                          .load = 0.0001,
                                          .sw = "traversal_delay=100 ns",
                                          .adapter = "packet=256 B",
                                          .measure = "warmup=0 ns;duration=1 ms"});
    assert_true(r.latency.min == 520480 && r.latency.max == 520480);
    sim_result_clear(&r);
}

/* Writes a fabric of one switch with the given host links, or two switches in a row. */
static ik_fabric *row_of_switches(unsigned n, const uint64_t *rates_gbps, unsigned num_hosts_first)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    uint32_t sw = ik_builder_switches(b, n, num_hosts_first + 2),
             host = ik_builder_hosts(b, num_hosts_first + 1, 1);
    uint16_t fast = ik_builder_class(b, 100000000000, 6000, NULL);
    for (uint32_t h = 0; h < num_hosts_first; h++)
        ik_builder_link(b, ik_hs(host + h, 0), ik_sw(sw, h), fast);
    for (uint32_t k = 0; k + 1 < n; k++)
        ik_builder_link(b, ik_sw(sw + k, num_hosts_first), ik_sw(sw + k + 1, num_hosts_first + 1),
                        ik_builder_class(b, rates_gbps[k] * 1000000000, 6000, NULL));
    ik_builder_link(b, ik_hs(host + num_hosts_first, 0),
                    ik_sw(sw + n - 1, 0 + (n == 1 ? num_hosts_first : 0)), fast);
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    return f;
}

/* Fast into slow and slow into fast: the tail can leave no earlier than it has come and no faster
 * than the link takes it. */
static void test_unequal_rates(void **state)
{
    (void)state;
    const uint64_t rates[] = {20, 100};
    ik_fabric *f = row_of_switches(3, rates, 1);
    ik_sim_result r = {0};
    ik_error err = {0};
    /* host 0 -> switch 0 -(20 Gb/s)- switch 1 -(100 Gb/s)- switch 2 -> host 1; head: 4 links of 6
     * ns; tail: 1638.4 ns */
    scenario c = {.routing = "minimal",
                  .vc = "1q",
                  .traffic = "shift:by=1",
                  .load = 0.0002,
                  .measure = "warmup=0 ns;duration=5 ms;paranoid=true"};
    assert_int_equal(simulate_on(f, &c, &r, &err), IK_OK);
    assert_true(r.latency.count > 0);
    assert_true(r.latency.max == 24000 + 1638400);
    sim_result_clear(&r);
    /* at load, the slow link carries 20 Gb/s: 0.2 of a host's rate, two hosts each way */
    c.load = 1;
    c.measure = "warmup=200 us;duration=1 ms;paranoid=false";
    assert_int_equal(simulate_on(f, &c, &r, &err), IK_OK);
    assert_true(r.throughput > 0.1995 && r.throughput < 0.2005);
    sim_result_clear(&r);
    ik_fabric_free(f);
}

/* Two hosts, one destination: packets leave alternately, each waits for the other. */
static void test_two_to_one(void **state)
{
    (void)state;
    ik_fabric *f = row_of_switches(1, NULL, 2);
    ik_sim_result r = {0};
    ik_error err = {0};
    scenario c = {.routing = "minimal",
                  .vc = "1q",
                  .traffic = "hotspot:nodes=2,fraction=100%",
                  .load = 1,
                  .adapter = "injection=bernoulli",
                  .measure = "warmup=0 ns;duration=664.36 ns"};
    ik_status status = simulate_on(f, &c, &r, &err);
    if (status != IK_OK)
        fail_msg("%s (%s)", err.text, err.hint);
    /* both packets start at 0 and their heads meet at 6 ns: tails at the host at 12 + 327.68 and 12
     * + 655.36 ns */
    /* the other one is that of host 2 */
    if (r.latency.count != 2 || r.latency.max != 12000 + 327680)
        fail_msg("%llu packets, %llu ... %llu ps", (unsigned long long)r.latency.count,
                 (unsigned long long)r.latency.min, (unsigned long long)r.latency.max);
    sim_result_clear(&r);
    c.measure = "warmup=0 ns;duration=667.37 ns";
    assert_int_equal(simulate_on(f, &c, &r, &err), IK_OK);
    if (r.latency.count < 3 || r.latency.min != 12000 + 327680 || r.latency.max != 12000 + 655360)
        fail_msg("%llu packets, %llu ... %llu ps", (unsigned long long)r.latency.count,
                 (unsigned long long)r.latency.min, (unsigned long long)r.latency.max);
    sim_result_clear(&r);
    /* strict alternation: both get exactly half */
    c.measure = "warmup=131072 ns;duration=655.36 us";
    assert_int_equal(simulate_on(f, &c, &r, &err), IK_OK);
    assert_true(r.host_sent_bytes[0] > 0 && r.host_sent_bytes[0] == r.host_sent_bytes[1]);
    assert_true(r.channel_bytes[f->port_peer[f->port_base[ik_host_node(f, 2)]]] == 2000 * 4096);
    sim_result_clear(&r);
    ik_fabric_free(f);
}

/* A buffer smaller than rate x round trip limits a channel to buffer / round trip. */
static void test_credit_round_trip(void **state)
{
    (void)state;
    /* 2 packets of 4096 B; round trip = latency + wait for the tail + latency: one packet's credit
     * is back 2 x 2000 ns after its last byte has left: 327.68 + 4000 ns for one, two packets in
     * that time */
    ik_sim_result r = simulate((scenario){.fabric = "crossbar:n=2,latency=2 us",
                                          .routing = "minimal",
                                          .vc = "1q",
                                          .traffic = "shift:by=1",
                                          .load = 1,
                                          .sw = "buffer=8 KiB",
                                          .measure = "warmup=100 us;duration=1 ms"});
    double expect = 2 * 327.68 / (327.68 + 4000);
    if (r.throughput < expect * 0.995 || r.throughput > expect * 1.005)
        fail_msg("throughput %.6f, expected %.6f", r.throughput, expect);
    sim_result_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_through),       cmocka_unit_test(test_other_units),
        cmocka_unit_test(test_unequal_rates),     cmocka_unit_test(test_two_to_one),
        cmocka_unit_test(test_credit_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
