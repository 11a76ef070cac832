/* SPDX-License-Identifier: Apache-2.0
 *
 * Output buffers: the specialised engine, which decides on links behind its switches, and the
 * general one give the same deliveries at the same times. */
#include "unit/sim_kernels.h"

/* Output buffers, and links that are decided on behind the switches. */
static void test_output_buffers(void **state)
{
    (void)state;
    static const variant variants[] = {
        {"karytree:k=4,n=3", "1q", "model=ioq", 1, 1, 15},
        {"karytree:k=4,n=3", "1q", "model=ioq;queues=fifo", 1, 1, 15},
        /* buffers of a packet or two */
        {"karytree:k=4,n=3", "1q", "model=ioq;buffer=8 KiB;output_buffer=4 KiB", 1, 1, 15},
        {"karytree:k=4,n=3", "1q", "model=ioq;buffer=12 KiB;output_buffer=9000 B", 1, 0.7, 15},
        /* a crossbar that is faster than links waits for tails */
        {"karytree:k=4,n=3", "1q", "model=ioq;speedup=2", 1, 1, 15},
        {"karytree:k=4,n=3", "1q", "model=ioq;speedup=1.3;queues=fifo", 1, 0.9, 15},
        /* VCs take turns on links */
        {"karytree:k=4,n=3", "dbbm", "model=ioq", 3, 1, 15},
        {"karytree:k=4,n=3", "dbbm", "model=ioq;buffer=24 KiB;output_buffer=12 KiB", 3, 1, 15},
        {"karytree:k=4,n=3", "dbbm", "model=ioq;queues=fifo;buffer=24 KiB;speedup=3", 3, 0.9, 15},
        {"karytree:k=8,n=2", "dbbm", "model=ioq;speedup=1.5;buffer=32 KiB;output_buffer=32 KiB", 8,
         1, 15},
        /* many pairs are left over */
        {"karytree:k=16,n=2", "1q", "model=ioq;iterations=1;buffer=192 KiB", 1, 1, 31},
        {"karytree:k=16,n=2", "1q", "model=ioq;iterations=1;speedup=2;output_buffer=16 KiB", 1, 1,
         31},
        {"karytree:k=16,n=2", "dbbm", "model=ioq;iterations=2;buffer=192 KiB;speedup=2", 3, 1, 31},
        {"karytree:k=16,n=2", "1q", "model=ioq;iterations=1;speedup=1.05;buffer=1 MiB", 1, 1, 120},
        {"karytree:k=4,n=3", "1q", "model=ioq;switching=saf;routing_delay=11 ns", 1, 0.8, 15},
        {"karytree:k=4,n=3", "1q", "model=ioq;switching=saf;speedup=2", 1, 0.8, 15},
        /* a transmission is hardly longer than a window */
        {"karytree:k=4,n=3,link_rate=1 Tb/s", "1q", "model=ioq;buffer=16 KiB", 1, 1, 15},
        {"karytree:k=4,n=3,link_rate=1.6 Tb/s", "dbbm", "model=ioq;buffer=32 KiB", 4, 1, 8},
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "1q", "model=ioq;buffer=32 KiB", 1, 1, 2},
        {"rlft:ports=12,levels=2", "1q", "model=ioq", 1, 0.95, 15},
        {"karytree:k=2,n=11", "1q", "model=ioq", 1, 0.2, 31},
        /* links of several rates: tails of slow ones are waited for */
        {"karytree:k=4,n=3,host_rate=40 Gb/s", "1q", "model=ioq;buffer=16 KiB", 1, 0.9, 25},
        {"karytree:k=4,n=3,host_rate=40 Gb/s", "dbbm", "model=ioq;buffer=32 KiB;speedup=2.5", 3, 1,
         25},
        {"karytree:k=4,n=3,host_rate=40 Gb/s", "1q", "model=ioq;switching=saf;speedup=2", 1, 1, 25},
        {"karytree:k=4,n=3,host_rate=160 Gb/s", "1q", "model=ioq;output_buffer=8 KiB", 1, 1, 15},
        {"karytree:k=4,n=2,level_latency=90 ns", "1q", "model=ioq", 1, 1, 15},
        /* adapters */
        {"karytree:k=4,n=3", "1q", "model=ioq;buffer=16 KiB", 1, 1, 15, NULL, "message=16 KiB"},
        {"karytree:k=4,n=3", "dbbm", "model=ioq;buffer=48 KiB", 3, 0.8, 30, NULL,
         "queues=one;injection=bernoulli"},
    };
    for (size_t n = 0; n < sizeof variants / sizeof *variants; n++) {
        compare(&variants[n], "dmodk", "uniform", "20 us");
        if (variants[n].duration_us < 16)
            compare(&variants[n], "dmodk", "hotspot:nodes=3,fraction=30%", "700 ns");
    }
}

/* Outputs that are drawn, on fabrics with several minimal paths. */
static void test_drawn(void **state)
{
    (void)state;
    static const variant variants[] = {
        {"karytree:k=4,n=3", "1q", "model=ioq;buffer=16 KiB", 1, 1, 15},
        {"karytree:k=4,n=3", "dbbm", "model=ioq;queues=fifo;buffer=24 KiB;speedup=2", 3, 1, 15},
        {"karytree:k=4,n=3", "1q", "model=ioq;buffer=16 KiB", 1, 0.9, 15, NULL, "in_order=true"},
        {"karytree:k=4,n=3", "1q", "model=ioq;buffer=16 KiB", 1, 0.9, 30, NULL,
         "in_order=true;reorder_buffer=16 KiB"},
    };
    for (size_t n = 0; n < sizeof variants / sizeof *variants; n++)
        compare(&variants[n], "oblivious", "uniform", "20 us");
}

/* A ring without layers: the same deadlock at the same time. */
static void test_deadlock(void **state)
{
    (void)state;
    static const char *const switches[] = {
        "model=ioq;buffer=16 KiB;output_buffer=8 KiB",
        "model=ioq;queues=fifo;buffer=8 KiB;output_buffer=4 KiB",
        "model=ioq;buffer=4 KiB;output_buffer=4 KiB;speedup=2;routing_delay=17 ns"};
    /* the short one sees the last packet fly */
    static const char *const periods[] = {"20 us", "7 ns"};
    for (size_t n = 0; n < 2 * sizeof switches / sizeof *switches; n++) {
        variant v = {"torus:dims=5,p=2", "1q", switches[n / 2], 1, 1, 5000, .deadlocks = true};
        compare_always(&v, "dor", "shift:by=4", periods[n % 2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_output_buffers),
                                       cmocka_unit_test(test_drawn),
                                       cmocka_unit_test(test_deadlock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
