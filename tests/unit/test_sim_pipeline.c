/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sim_pipeline.c: the pipelined router against its closed form at zero load, conservation,
 * wormhole with buffers smaller than a packet, deadlock. test_sim_booksim.c holds it to whole
 * curves.
 */
#include "sim_helper.h"

#include <math.h>

/* 125 B at 100 Gb/s: a cycle of 10 ns, which is also every channel's latency. */
#define CYCLE_PS 10000.0
#define ROUTER   "model=pipelined;flit=125 B;buffer=4000 B;iterations=1" /* 4 VCs of 8 flits */
#define ONE_FLIT "packet=125 B;injection=bernoulli"

/* ---- zero load: latency = 1 + injection + H (rd + va + sa + st) + (H - 1) channel + ejection + (L
 * - 1) */

static void zero_load(const char *fabric, const char *traffic, unsigned hops, unsigned stages,
                      const char *sw, unsigned flits)
{
    char packet[64];
    snprintf(packet, sizeof packet, "packet=%u B;injection=periodic", 125 * flits);
    scenario c = {.fabric = fabric,
                  .routing = "minimal",
                  .vc = "any",
                  .num_vcs = 4,
                  .traffic = traffic,
                  .load = 0.001,
                  .sw = sw,
                  .adapter = packet,
                  .measure = "warmup=0 ns;duration=100 us;paranoid=true"};
    ik_sim_result r = simulate(c);
    double expected = (1 + 1 + hops * stages + (hops - 1) + 1 + (flits - 1)) * CYCLE_PS;
    assert_true(r.latency.count > 0);
    if ((double)r.latency.min != expected || (double)r.latency.max != expected)
        fail_msg("%s: %g to %g cycles instead of %g", fabric, (double)r.latency.min / CYCLE_PS,
                 (double)r.latency.max / CYCLE_PS, expected / CYCLE_PS);
    sim_result_clear(&r);
}

static void zero_load_latency_is_exact(void **state)
{
    (void)state;
    zero_load("crossbar:n=4,latency=10 ns", "shift:by=1", 1, 4, ROUTER, 1);
    zero_load("crossbar:n=4,latency=10 ns", "shift:by=1", 1, 4, ROUTER, 16);
    zero_load("fullmesh:n=4,p=1,latency=10 ns", "shift:by=1", 2, 4, ROUTER, 1);
    zero_load("fullmesh:n=4,p=1,latency=10 ns", "shift:by=1", 2, 4, ROUTER, 5);
    zero_load("torus:dims=6,latency=10 ns", "shift:by=3", 4, 4, ROUTER, 1);
    zero_load("torus:dims=6,latency=10 ns", "shift:by=3", 4, 3, ROUTER ";routing_cycles=0", 1);
    /* Ticks: two a cycle of the links. 1 + injection + 4 (stages / 2) + 3 + ejection. */
    zero_load("torus:dims=6,latency=10 ns", "shift:by=3", 4, 2, ROUTER ";speedup=2", 1);
    zero_load("torus:dims=6,latency=10 ns", "shift:by=3", 4, 7,
              ROUTER ";vc_alloc_cycles=2;sw_alloc_cycles=2;traversal_cycles=2", 2);
}

/* ---- one VC carries a packet of L flits in L - 1 + rd + va + sa cycles: a third of the rate for L
 * = 1, 16/18 for L = 16 */

static void one_vc_limits_a_channel(void **state)
{
    (void)state;
    static const struct {
        unsigned vcs, flits;
        double rate;
    } cases[] = {{1, 1, 1.0 / 3}, {2, 1, 2.0 / 3}, {3, 1, 1}, {1, 16, 16.0 / 18}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char packet[64], sw[128];
        snprintf(packet, sizeof packet, "packet=%u B;injection=periodic", 125 * cases[k].flits);
        snprintf(sw, sizeof sw, "model=pipelined;flit=125 B;buffer=%u B;iterations=1",
                 125 * 32 * cases[k].vcs);
        scenario c = {.fabric = "crossbar:n=2,latency=10 ns",
                      .routing = "minimal",
                      .vc = "any",
                      .num_vcs = cases[k].vcs,
                      .traffic = "shift:by=1",
                      .load = 1,
                      .sw = sw,
                      .adapter = packet,
                      .measure = "warmup=20 us;duration=100 us"};
        ik_sim_result r = simulate(c);
        if (fabs(r.throughput - cases[k].rate) > 0.003)
            fail_msg("%u VCs, %u flits: %g instead of %g", cases[k].vcs, cases[k].flits,
                     r.throughput, cases[k].rate);
        sim_result_clear(&r);
    }
}

/* ---- an output VC carries a packet of one flit every two cycles (VC allocation, switch
 * allocation, and it is free the cycle after); whatever limits an output, the inputs that want it
 * take turns */

static void inputs_take_turns(void **state)
{
    (void)state;
    char path[] = "/tmp/ikat-flows-XXXXXX", traffic[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "0 3\n1 3\n2 3\n");
    assert_int_equal(fclose(file), 0);
    snprintf(traffic, sizeof traffic, "file:path=%s", path);
    for (unsigned vcs = 1; vcs <= 4; vcs += 3) {
        char sw[128];
        snprintf(sw, sizeof sw, "model=pipelined;flit=125 B;buffer=%u B;iterations=1",
                 125 * 8 * vcs);
        scenario c = {.fabric = "crossbar:n=4,latency=10 ns",
                      .routing = "minimal",
                      .vc = "any",
                      .num_vcs = vcs,
                      .traffic = traffic,
                      .load = 1,
                      .sw = sw,
                      .adapter = "packet=125 B;injection=periodic",
                      .measure = "warmup=20 us;duration=60 us"};
        ik_sim_result r = simulate(c);
        double whole = vcs == 1 ? 0.5 : 1, cycles = (double)r.window_ps / CYCLE_PS;
        assert_true(fabs((double)r.host_bytes[3] / 125 / cycles - whole) < 0.003);
        for (unsigned host = 0; host < 3; host++)
            assert_true(fabs((double)r.host_sent_bytes[host] / 125 / cycles - whole / 3) < 0.003);
        sim_result_clear(&r);
    }
    remove(path);
}

/* ---- invariants */

static void nothing_is_lost(void **state)
{
    (void)state;
    static const char *const allocators[] = {"islip", "separable_input", "separable_output",
                                             "wavefront"};
    for (size_t k = 0; k < 4; k++) {
        char sw[256];
        snprintf(sw, sizeof sw,
                 "model=pipelined;flit=125 B;buffer=1000 B;vc_allocator=%s;sw_allocator=%s",
                 allocators[k], allocators[k]);
        scenario c = {.fabric = "karytree:k=2,n=3,latency=10 ns",
                      .routing = "adaptive_tree",
                      .vc = "any",
                      .num_vcs = 2,
                      .selection = "most_credits",
                      .traffic = "uniform",
                      .load = 0.9,
                      .sw = sw,
                      /* 12 flits through buffers of 4 */
                      .adapter = "packet=1500 B;message=3000 B;injection=poisson",
                      .measure = "warmup=5 us;duration=40 us;paranoid=true;series=5 us"};
        ik_sim_result r = simulate(c);
        assert_true(r.packets_delivered > 100);
        assert_true(r.packets_generated >= r.packets_delivered + r.packets_in_flight);
        assert_false(r.deadlock);
        ik_sim_result again = simulate(c);
        assert_true(r.checksum == again.checksum);
        sim_result_clear(&r);
        sim_result_clear(&again);
    }
}

static void a_ring_deadlocks_and_says_how(void **state)
{
    (void)state;
    scenario c = {.fabric = "torus:dims=5,latency=10 ns",
                  .routing = "minimal",
                  .vc = "1q",
                  .num_vcs = 1,
                  .traffic = "shift:by=2",
                  .load = 1,
                  .sw = "model=pipelined;flit=125 B;buffer=250 B",
                  .adapter = "packet=1000 B",
                  .measure = "warmup=0 ns;duration=1 ms;watchdog=20 us"};
    ik_sim_result r = simulate(c);
    assert_true(r.deadlock);
    assert_non_null(r.deadlock_text);
    assert_non_null(strstr(r.deadlock_text, "waits for"));
    assert_true(r.end_ps < UINT64_C(1000000000));
    sim_result_clear(&r);
}

/* Packets of a deterministic route in one VC stay in order; where every VC is free to take they
 * overtake. */
static void order_violations_are_counted(void **state)
{
    (void)state;
    scenario c = {.fabric = "mesh:dims=4:4,latency=10 ns",
                  .routing = "dor",
                  .vc = "dbbm",
                  .num_vcs = 4,
                  .traffic = "uniform",
                  .load = 0.4,
                  .sw = ROUTER,
                  .adapter = ONE_FLIT,
                  .measure = "warmup=0 ns;duration=60 us;paranoid=true"};
    ik_sim_result kept = simulate(c);
    c.vc = "any";
    ik_sim_result broken = simulate(c);
    assert_true(kept.packets_delivered > 10000);
    assert_int_equal(kept.order_violations, 0);
    assert_true(broken.order_violations > 0);
    sim_result_clear(&kept);
    sim_result_clear(&broken);
}

/* The table of this fabric knows no way to some hosts: those packets are taken out flit by flit,
 * everything else is delivered. */
static void packets_without_a_way_are_given_up(void **state)
{
    (void)state;
    char path[] = "/tmp/ikat-pipeline-XXXXXX", routing[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    /* One switch, hosts 0 to 3 on its ports 1 to 4; nothing is said about host 3. */
    fprintf(file, "Unicast lids [0-5] of switch Lid 1 guid 0x02696b0000000000:\n0x0002 001\n0x0003 "
                  "002\n0x0004 003\n");
    assert_int_equal(fclose(file), 0);
    snprintf(routing, sizeof routing, "lft:path=%s", path);
    scenario c = {.fabric = "crossbar:n=4,latency=10 ns",
                  .routing = routing,
                  .vc = "any",
                  .num_vcs = 2,
                  .traffic = "shift:by=1",
                  .load = 0.5,
                  .sw = "model=pipelined;flit=125 B;buffer=1000 B",
                  .adapter = "packet=1500 B", /* 12 flits through buffers of 4 */
                  .measure = "warmup=0 ns;duration=60 us;paranoid=true"};
    ik_sim_result r = simulate(c);
    remove(path);
    assert_true(r.packets_unroutable > 100);
    assert_true(r.packets_delivered > 2 * r.packets_unroutable);
    assert_true(r.packets_generated >= r.packets_delivered + r.packets_unroutable);
    assert_false(r.deadlock);
    sim_result_clear(&r);
}

/* Two rings that share nothing: host pairs of the first are still served while the second stands
 * still. */
static void a_deadlock_is_found_while_others_move(void **state)
{
    (void)state;
    scenario c = {.fabric = "torus:dims=5:2,latency=10 ns",
                  .routing = "dor",
                  .vc = "1q",
                  .num_vcs = 1,
                  .traffic = NULL,
                  .load = 1,
                  .sw = "model=pipelined;flit=125 B;buffer=250 B",
                  .adapter = "packet=1000 B",
                  .measure = "warmup=0 ns;duration=1 ms;watchdog=20 us"};
    char path[] = "/tmp/ikat-flows-XXXXXX", traffic[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    for (unsigned x = 0; x < 5; x++) /* all round the first ring, one short way in the second */
        fprintf(file, "%u %u\n", x, (x + 2) % 5);
    fprintf(file, "5 6\n");
    assert_int_equal(fclose(file), 0);
    snprintf(traffic, sizeof traffic, "file:path=%s", path);
    c.traffic = traffic;
    ik_sim_result r = simulate(c);
    remove(path);
    assert_true(r.deadlock);
    assert_non_null(strstr(r.deadlock_text, "waits for"));
    assert_null(strstr(r.deadlock_text, "host 5 for"));
    assert_true(r.end_ps < UINT64_C(100000000));
    sim_result_clear(&r);
}

/* Ports without a cable change nothing, but sets of 80 bits take the general kernel and sets of 16
 * the plain one. */
static void kernels_agree(void **state)
{
    (void)state;
    static const char *const routers[] = {
        ROUTER,
        "model=pipelined;flit=125 B;buffer=4000 B;iterations=2;vc_allocator=separable_output",
        ROUTER ";vc_alloc_cycles=2;routing_cycles=3;sw_alloc_cycles=2",
        ROUTER ";routing_cycles=0;speedup=3"};
    for (size_t k = 0; k < 4; k++) {
        scenario c = {.fabric = "crossbar:n=4,latency=10 ns",
                      .routing = "minimal",
                      .vc = "any",
                      .num_vcs = 4,
                      .traffic = "uniform",
                      .load = 0.8,
                      .sw = routers[k],
                      .adapter = "packet=500 B;injection=poisson",
                      .measure = "warmup=0 ns;duration=60 us;paranoid=true"};
        ik_sim_result small = simulate(c);
        c.fabric = "crossbar:n=20,latency=10 ns,hosts=4";
        ik_sim_result large = simulate(c);
        assert_true(small.packets_delivered > 1000);
        assert_true(small.checksum == large.checksum);
        sim_result_clear(&small);
        sim_result_clear(&large);
    }
}

static void a_tick_is_a_whole_part_of_a_cycle(void **state)
{
    (void)state;
    scenario c = {.fabric = "crossbar:n=4,latency=10 ns",
                  .routing = "minimal",
                  .vc = "any",
                  .num_vcs = 4,
                  .load = 0.5,
                  .sw = ROUTER ";speedup=1.5",
                  .adapter = ONE_FLIT};
    refuse(c, IK_ERR_USAGE, "speedup = 1.5");
}

static void a_slow_link_is_slow(void **state)
{
    (void)state;
    scenario c = {.fabric = "fullmesh:n=2,p=1,latency=10 ns,link_rate=25 Gb/s,host_rate=100 Gb/s",
                  .routing = "minimal",
                  .vc = "any",
                  .num_vcs = 4,
                  .traffic = "shift:by=1",
                  .load = 1,
                  .sw = ROUTER,
                  .adapter = ONE_FLIT,
                  .measure = "warmup=20 us;duration=100 us;paranoid=true"};
    ik_sim_result r = simulate(c);
    assert_true(fabs(r.throughput - 0.25) < 0.003);
    sim_result_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_load_latency_is_exact),
        cmocka_unit_test(one_vc_limits_a_channel),
        cmocka_unit_test(inputs_take_turns),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(a_ring_deadlocks_and_says_how),
        cmocka_unit_test(order_violations_are_counted),
        cmocka_unit_test(packets_without_a_way_are_given_up),
        cmocka_unit_test(a_deadlock_is_found_while_others_move),
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(a_tick_is_a_whole_part_of_a_cycle),
        cmocka_unit_test(a_slow_link_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
