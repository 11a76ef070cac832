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

/* ---- packets that choose among outputs, and VCs that change */

typedef struct choice_of_output {
    variant v;
    const char *routing, *pattern;
} choice_of_output;

static void compare_all(const choice_of_output *cases, size_t num)
{
    for (size_t n = 0; n < num; n++)
        compare(&cases[n].v, cases[n].routing, cases[n].pattern, n % 3 ? "20 us" : "700 ns");
}

/* Where outputs of a switch fall into sets: the lowest with room, or the one in which fewest
 * packets wait, which those see that are left over at an instant. */
static const choice_of_output of_sets[] = {
    {{"karytree:k=4,n=3", "1q", "model=ioq", 1, 1, 15}, "adaptive_tree", "uniform"},
    {{"karytree:k=4,n=4", "1q", "model=ioq;buffer=16 KiB;output_buffer=16 KiB", 1, 1, 30, NULL,
      "packet=8 KiB"},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3", "1q", "model=ioq;buffer=8 KiB;output_buffer=4 KiB", 1, 1, 15},
     "adaptive_tree:delta=2",
     "uniform"},
    {{"karytree:k=4,n=3", "1q", "model=ioq;buffer=16 KiB;output_buffer=8 KiB;speedup=2", 1, 1, 15},
     "adaptive_tree:delta=3",
     "permutation"},
    {{"karytree:k=4,n=3", "dbbm", "model=ioq;buffer=24 KiB;output_buffer=12 KiB;speedup=1.3", 3, 1,
      15},
     "adaptive_tree:delta=2",
     "uniform"},
    {{"karytree:k=4,n=3", "dbbm", "model=ioq;buffer=32 KiB;output_buffer=48 KiB", 4, 0.8, 15},
     "adaptive_tree",
     "hotspot:nodes=3,fraction=30%"},
    {{"karytree:k=4,n=3", "1q", "model=ioq", 1, 1, 15, "least_queued"}, "adaptive_tree", "uniform"},
    {{"karytree:k=4,n=3", "1q", "model=ioq;buffer=8 KiB;output_buffer=8 KiB", 1, 1, 15,
      "least_queued"},
     "adaptive_tree:delta=2",
     "permutation"},
    {{"karytree:k=16,n=2", "1q", "model=ioq;speedup=2;iterations=1;buffer=64 KiB", 1, 1, 31,
      "least_queued:tie=lowest"},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=16,n=2", "dbbm", "model=ioq;speedup=3;output_buffer=24 KiB", 3, 1, 31,
      "least_queued"},
     "adaptive_tree:delta=2",
     "uniform"},
    {{"karytree:k=4,n=3", "dbbm", "model=ioq;speedup=2;output_buffer=16 KiB;buffer=16 KiB", 2, 0.9,
      15, "least_queued:tie=lowest"},
     "adaptive_tree",
     "hotspot:nodes=3,fraction=30%"},
    {{"karytree:k=4,n=3,link_rate=1.6 Tb/s", "1q", "model=ioq;buffer=16 KiB", 1, 1, 8,
      "least_queued"},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3,host_rate=40 Gb/s", "1q", "model=ioq;buffer=16 KiB;speedup=2.5", 1, 0.9, 25,
      "least_queued"},
     "adaptive_tree:delta=2",
     "uniform"},
    {{"karytree:k=4,n=3,level_latency=90 ns", "1q", "model=ioq;switching=saf;speedup=2", 1, 0.8,
      15},
     "adaptive_tree",
     "uniform"},
    {{"rlft:ports=12,levels=2", "1q", "model=ioq;routing_delay=31 ns", 1, 1, 15,
      "first_free:skip_busy=false", "in_order=true;message=16 KiB"},
     "adaptive_tree",
     "uniform"},
};

static void test_chosen_of_sets(void **state)
{
    (void)state;
    compare_all(of_sets, sizeof of_sets / sizeof *of_sets);
}

/* Where a packet chooses by itself; and at its first switch, by what waits in output buffers. */
static const choice_of_output by_packets[] = {
    {{"karytree:k=4,n=3", "1q", "model=ioq;buffer=16 KiB;output_buffer=8 KiB", 1, 1, 15, "random"},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=4", "1q", "model=ioq;buffer=16 KiB;output_buffer=16 KiB", 1, 1, 30, "sadp",
      "packet=8 KiB"},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3", "dbbm", "model=ioq;buffer=24 KiB;output_buffer=12 KiB;speedup=2", 3, 1,
      15, "saop"},
     "adaptive_tree:delta=2",
     "permutation"},
    {{"slimfly:q=5", "hopclass", "model=ioq;buffer=64 KiB", 4, 1, 12}, "valiant", "uniform"},
    {{"oft:k=4", "phase", "model=ioq;queues=fifo;buffer=16 KiB;speedup=2", 2, 1, 12},
     "valiant",
     "uniform"},
    {{"slimfly:q=5", "hopclass", "model=ioq;buffer=64 KiB", 4, 1, 12}, "ugal_l", "uniform"},
    {{"slimfly:q=5", "hopclass", "model=ioq;buffer=16 KiB;output_buffer=32 KiB;speedup=2", 4, 1,
      12},
     "ugal_l:t=20%",
     "tornado"},
    {{"slimfly:q=5", "hopclass", "model=ioq;buffer=64 KiB;output_buffer=64 KiB;speedup=1.5", 4, 1,
      12},
     "ugal_l:occupancy=vc",
     "tornado"},
    {{"oft:k=4", "phase", "model=ioq;buffer=16 KiB;output_buffer=16 KiB", 2, 1, 12},
     "ugal_l",
     "permutation"},
    {{"mlfm:h=4", "phase", "model=ioq;buffer=24 KiB;speedup=2", 2, 0.8, 12},
     "ugal_l:first=any",
     "uniform"},
    {{"mlfm:h=4", "phase", "model=ioq;buffer=24 KiB;speedup=2", 2, 1, 12, "least_queued"},
     "ugal_l:first=any",
     "uniform"},
    {{"hyperx:dims=4:4,p=3", "hopclass", "model=ioq;buffer=64 KiB;routing_delay=20 ns", 4, 0.8, 12,
      "first_free"},
     "ugal_l:first=any",
     "permutation"},
    {{"slimfly:q=5", "hopclass", "model=ioq;buffer=32 KiB;output_buffer=8 KiB", 2, 1, 12},
     "minimal",
     "uniform"},
    {{"hyperx:dims=3:3:3,p=2", "hopclass", "model=ioq;buffer=36 KiB;speedup=2", 3, 1, 12,
      "least_queued"},
     "minimal",
     "hotspot:nodes=0,fraction=30%"},
    {{"hypercube:n=4,p=2,link_rate=1 Tb/s", "dbbm", "model=ioq;buffer=64 KiB;iterations=1", 4, 0.7,
      8, "sadp"},
     "minimal",
     "uniform"},
    {{"oft:k=4,latency=30 ns", "phase", "model=ioq;switching=saf;buffer=16 KiB", 2, 0.9, 12},
     "ugal_l",
     "uniform"},
    {{"torus:dims=4:4,p=2", "hopclass", "model=ioq;buffer=64 KiB", 4, 0.6, 12, NULL,
      "message=16 KiB"},
     "minimal",
     "uniform"},
    /* without output buffers */
    {{"karytree:k=4,n=3", "1q", "buffer=16 KiB", 1, 1, 15, "sadp"}, "adaptive_tree", "uniform"},
    {{"karytree:k=4,n=3", "dbbm", "buffer=24 KiB", 3, 1, 15, "sdp"},
     "adaptive_tree:delta=2",
     "permutation"},
    {{"karytree:k=4,n=3", "1q", "buffer=12 KiB", 1, 0.9, 15, "sop"},
     "adaptive_tree:delta=3",
     "uniform"},
    {{"karytree:k=4,n=3", "1q", "buffer=12 KiB", 1, 0.9, 15, "ssp"}, "adaptive_tree", "uniform"},
    {{"slimfly:q=5", "hopclass", "buffer=16 KiB", 2, 1, 12, "sadp"}, "minimal", "uniform"},
};

static void test_chosen_by_packets(void **state)
{
    (void)state;
    compare_all(by_packets, sizeof by_packets / sizeof *by_packets);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_buffers), cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_chosen_of_sets), cmocka_unit_test(test_chosen_by_packets),
        cmocka_unit_test(test_deadlock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
