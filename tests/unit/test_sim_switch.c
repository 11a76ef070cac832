/* SPDX-License-Identifier: Apache-2.0
 *
 * What theory says about a switch: Karol's limit of FIFOs, full throughput of virtual output queues
 * with iSLIP, M/D/1. */
#include "sim_helper.h"

static double throughput(scenario c)
{
    ik_sim_result r = simulate(c);
    double t = r.throughput;
    assert_true(t <= 1.0 + 1e-9);
    sim_result_clear(&r);
    return t;
}

static void expect_between(const char *what, double value, double low, double high)
{
    if (value < low || value > high)
        fail_msg("%s: %.4f is outside %.4f ... %.4f", what, value, low, high);
}

/* Slotted arrivals, so that all inputs act in step; "self" because destinations are uniform over
 * all outputs. */
static const scenario slotted = {.routing = "minimal",
                                 .vc = "1q",
                                 .traffic = "uniform:self=true",
                                 .load = 1,
                                 .adapter = "injection=bernoulli",
                                 .measure = "warmup=4 ms;duration=4 ms;watchdog=0 ns"};

/* M. J. Karol, M. G. Hluchyj, S. P. Morgan, IEEE Trans. Commun. 35(12), 1987, table I: saturated
 * FIFO inputs with uniform destinations reach 0.75 (N = 2), 0.6553 (4), 0.6184 (8), 2 - sqrt 2 =
 * 0.5858 in the limit. */
static void test_fifo_limit(void **state)
{
    (void)state;
    scenario c = slotted;
    c.sw = "voq=false";
    c.measure = "warmup=500 us;duration=10 ms;watchdog=0 ns";
    c.fabric = "crossbar:n=2";
    expect_between("FIFO, 2 ports", throughput(c), 0.74, 0.76);
    c.fabric = "crossbar:n=4";
    expect_between("FIFO, 4 ports", throughput(c), 0.645, 0.665);
    c.fabric = "crossbar:n=8";
    expect_between("FIFO, 8 ports", throughput(c), 0.608, 0.628);
    c.fabric = "crossbar:n=64";
    c.measure = "warmup=500 us;duration=4 ms;watchdog=0 ns";
    expect_between("FIFO, 64 ports", throughput(c), 0.578, 0.598);
}

/* Virtual output queues: iSLIP reaches full throughput under uniform traffic, with one iteration,
 * too. */
static void test_voq_limit(void **state)
{
    (void)state;
    scenario c = slotted;
    c.fabric = "crossbar:n=16";
    c.sw = "voq=true;iterations=1;buffer=2 MiB";
    expect_between("VOQ, 1 iteration", throughput(c), 0.985, 1.0);
    c.sw = "voq=true;iterations=3;buffer=2 MiB";
    expect_between("VOQ, 3 iterations", throughput(c), 0.985, 1.0);
    c.sw = "voq=true;arbiter=oldest_first;buffer=2 MiB";
    expect_between("VOQ, oldest first", throughput(c), 0.97, 1.0);
    c.sw = "voq=true;arbiter=random;iterations=4;buffer=2 MiB";
    expect_between("VOQ, random", throughput(c), 0.93, 1.0);
    c.sw = "voq=true;arbiter=round_robin;iterations=1;buffer=2 MiB";
    expect_between("VOQ, plain round robin", throughput(c), 0.6, 1.0);
}

/* Every input always backlogged for every output: pointers desynchronise, then every slot is
 * used. */
static void test_all_backlogged(void **state)
{
    (void)state;
    scenario c = {.fabric = "crossbar:n=4",
                  .routing = "minimal",
                  .vc = "1q",
                  .traffic = "alltoall",
                  .load = 1,
                  .sw = "iterations=1;buffer=512 KiB",
                  .measure = "warmup=3 ms;duration=3 ms"};
    expect_between("all to all", throughput(c), 0.99, 1.0);
}

/* One output fed by many Poisson sources below their own rate: M/D/1 at the output, mean wait = rho
 * D / (2 (1 - rho)). */
static void test_md1(void **state)
{
    (void)state;
    const double packet = 327.68;
    for (unsigned tenth = 3; tenth <= 8; tenth += 5) {
        double rho = tenth / 10.0, expect = rho * packet / (2 * (1 - rho));
        /* 50 sources at rho / 50 each: waiting at a source is negligible, the queue is the
         * output's */
        ik_sim_result r =
            simulate((scenario){.fabric = "crossbar:n=51",
                                .routing = "minimal",
                                .vc = "1q",
                                .traffic = "hotspot:nodes=50,fraction=100%",
                                .load = rho / 50,
                                .sw = "buffer=1 MiB",
                                .adapter = "injection=poisson",
                                .measure = "warmup=1 ms;duration=60 ms;watchdog=0 ns"});
        double wait = r.network_latency.mean / 1000 - packet - 12;
        wait *= 51.0 / 50.0; /* host 50 itself sends elsewhere and never waits: one packet in 51 */
        expect_between("M/D/1 wait", wait, expect * 0.93, expect * 1.07);
        sim_result_clear(&r);
    }
}

/* More virtual channels relieve FIFOs, never exceed what virtual output queues give. */
static void test_virtual_channels(void **state)
{
    (void)state;
    scenario c = {.fabric = "karytree:k=8,n=2",
                  .routing = "dmodk",
                  .vc = "1q",
                  .traffic = "uniform",
                  .load = 1,
                  .sw = "voq=false",
                  .measure = "warmup=200 us;duration=400 us"};
    double one = throughput(c);
    c.vc = "dbbm";
    c.num_vcs = 3;
    double three = throughput(c);
    c.sw = "voq=true";
    double voq = throughput(c);
    assert_true(one < three && three < voq);
    expect_between("one FIFO", one, 0.5, 0.68);
    expect_between("VOQ", voq, 0.9, 1.0);
}

/* Output queues know no head-of-line blocking; a crossbar twice as fast comes close even with
 * FIFOs. */
static void test_output_buffers(void **state)
{
    (void)state;
    scenario c = slotted;
    c.fabric = "crossbar:n=16";
    c.sw = "model=ideal;buffer=2 MiB";
    expect_between("ideal", throughput(c), 0.985, 1.0);
    c.sw = "model=ioq;voq=false;speedup=1;buffer=2 MiB";
    expect_between("ioq, FIFOs, speed-up 1", throughput(c), 0.55, 0.66);
    c.sw = "model=ioq;voq=false;speedup=2;buffer=2 MiB";
    expect_between("ioq, FIFOs, speed-up 2", throughput(c), 0.9, 1.0);
    c.sw = "model=ioq;speedup=2;buffer=2 MiB";
    expect_between("ioq, VOQ, speed-up 2", throughput(c), 0.97, 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fifo_limit),       cmocka_unit_test(test_voq_limit),
        cmocka_unit_test(test_all_backlogged),   cmocka_unit_test(test_md1),
        cmocka_unit_test(test_virtual_channels), cmocka_unit_test(test_output_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
