/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast kernel and the general one give the same deliveries at the same times; hot structures
 * keep their size. */
#include "unit/sim_kernels.h"

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(event), 16);
    assert_int_equal(sizeof(packet), 64);
    assert_int_equal(sizeof(port_state), 32);
    assert_int_equal(sizeof(queue), 8);
}

static void test_same(void **state)
{
    (void)state;
    static const variant variants[] = {
        {"karytree:k=4,n=3", "1q", "voq=true", 1, 1, 30},
        {"karytree:k=4,n=3", "1q", "voq=false", 1, 1, 30},
        /* accounts that share nothing */
        {"karytree:k=4,n=3", "1q", "queues=damq;buffer=12 KiB", 1, 1, 30},
        {"karytree:k=4,n=3", "dbbm", "queues=damq;buffer=24 KiB;queue_min=8 KiB;queue_max=8 KiB", 3,
         1, 30},
        {"karytree:k=4,n=3", "1q", "voq=true;iterations=1;buffer=12 KiB", 1, 0.7, 30},
        {"karytree:k=4,n=3", "dbbm", "voq=true", 3, 1, 30},
        {"karytree:k=4,n=3", "dbbm", "voq=false;buffer=24 KiB;routing_delay=7 ns", 3, 1, 30},
        {"karytree:k=4,n=3", "1q", "switching=saf;traversal_delay=11 ns", 1, 0.8, 30},
        {"rlft:ports=12,levels=2", "1q", "voq=true", 1, 0.95, 30},
        {"karytree:k=16,n=2", "1q", "voq=true;iterations=1;buffer=192 KiB", 1, 1,
         80}, /* large switches: many pairs are left over */
        {"karytree:k=16,n=2", "dbbm", "voq=true;iterations=2;buffer=192 KiB", 3, 1, 100},
        /* the same, many keys a window */
        {"karytree:k=16,n=2,link_rate=20 Tb/s", "dbbm", "voq=true;iterations=1;buffer=128 KiB", 3,
         1, 2},
        {"karytree:k=16,n=2,link_rate=20 Tb/s", "1q", "voq=true;iterations=1;buffer=128 KiB", 1, 1,
         2},
        {"karytree:k=2,n=11", "1q", "voq=true", 1, 0.2, 31}, /* many switches */
        /* space for 2 and 3 packets: when does it count? */
        {"karytree:k=4,n=3", "1q", "voq=true;buffer=8 KiB", 1, 1, 31},
        {"karytree:k=4,n=3", "1q", "voq=true;buffer=12 KiB", 1, 1, 31},
        {"karytree:k=4,n=3", "dbbm", "voq=true;buffer=36 KiB", 3, 1, 31},
        /* packets ask some windows later */
        {"karytree:k=8,n=2", "1q", "voq=true;buffer=16 KiB;routing_delay=20 ns", 1, 0.5, 31},
        {"karytree:k=8,n=2", "1q", "voq=false;traversal_delay=33 ns", 1, 0.4, 31},
        /* a transmission is 10.9 windows */
        {"karytree:k=4,n=3,latency=30 ns", "1q", "voq=true;buffer=12 KiB", 1, 0.9, 31},
        /* 8.2 */
        {"karytree:k=4,n=3,latency=40 ns", "1q", "voq=true;buffer=12 KiB", 1, 0.9, 31},
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "1q", "voq=true;buffer=32 KiB", 1, 0.6, 2},
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm", "voq=true;buffer=32 KiB", 4, 0.3, 2},
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm", "voq=true;buffer=128 KiB", 4, 0.5, 2},
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm",
         "voq=false;buffer=128 KiB;routing_delay=9 ns", 4, 1, 2},
    };
    for (size_t n = 0; n < sizeof variants / sizeof *variants; n++)
        compare(&variants[n], "dmodk", "uniform", "20 us");
}

/* VCs that change on the way: of the pair that is matched the VC whose turn it is goes, with credit
 * for the VC that its head asks for. */
static const struct {
    variant v;
    const char *routing, *pattern;
} steps[] = {
    {{"slimfly:q=5", "hopclass", "voq=true", 4, 0.5, 12}, "valiant", "uniform"},
    {{"slimfly:q=5", "hopclass", "voq=true;buffer=16 KiB", 4, 1, 12}, "valiant", "uniform"},
    {{"slimfly:q=5", "hopclass", "voq=true;buffer=48 KiB", 4, 1, 20}, "valiant", "permutation"},
    {{"slimfly:q=5", "hopclass", "voq=false;buffer=64 KiB", 4, 1, 12}, "valiant", "uniform"},
    {{"slimfly:q=5", "hopclass", "voq=false;buffer=20 KiB", 5, 0.6, 20}, "valiant", "uniform"},
    {{"oft:k=4", "phase", "voq=true;buffer=32 KiB", 2, 1, 12}, "valiant", "uniform"},
    {{"oft:k=4", "phase", "voq=true;buffer=8 KiB", 2, 1, 20}, "valiant", "tornado"},
    {{"oft:k=4", "phase", "voq=false;buffer=24 KiB", 2, 0.5, 12}, "valiant", "uniform"},
    {{"mlfm:h=4", "phase", "voq=true;buffer=12 KiB", 2, 1, 20},
     "valiant",
     "hotspot:nodes=0,fraction=30%"},
    {{"mlfm:h=4", "phase", "voq=true;iterations=1", 3, 0.7, 12}, "valiant", "uniform"},
    /* turning at a switch where others of the same VC go on: both VCs of a pair ask for one */
    {{"karytree:k=4,n=3", "phase", "voq=true;buffer=16 KiB", 2, 1, 20},
     "valiant:intermediate=all",
     "uniform"},
    {{"karytree:k=4,n=3", "phase", "voq=false;buffer=16 KiB", 2, 1, 20},
     "valiant:intermediate=all",
     "uniform"},
    {{"dragonfly:h=2", "phase", "voq=true;buffer=64 KiB", 3, 0.6, 12}, "valiant", "uniform"},
    {{"torus:dims=4:4,p=2", "hopclass", "voq=true", 4, 0.6, 12}, "minimal:paths=one", "uniform"},
    {{"torus:dims=4:4,p=2", "hopclass", "voq=false", 9, 0.6, 12}, "valiant", "uniform"},
    {{"torus:dims=4:4,p=2", "lash_tor", "voq=true;buffer=16 KiB", 0, 0.6, 12},
     "minimal:paths=one",
     "uniform"},
    /* packets come some windows later, or wholly; 10.9 windows a transmission, or less than one */
    {{"slimfly:q=5", "hopclass", "voq=true;buffer=32 KiB;routing_delay=20 ns", 4, 0.5, 12},
     "valiant",
     "uniform"},
    {{"mlfm:h=4", "phase", "switching=saf;traversal_delay=11 ns", 2, 0.8, 12},
     "valiant",
     "uniform"},
    {{"oft:k=4,latency=30 ns", "phase", "voq=true;buffer=16 KiB", 2, 0.9, 12},
     "valiant",
     "uniform"},
    {{"slimfly:q=5,link_rate=20 Tb/s", "hopclass", "voq=true;buffer=64 KiB", 4, 0.6, 2},
     "valiant",
     "uniform"},
    {{"mlfm:h=4,link_rate=20 Tb/s", "phase", "voq=false;buffer=64 KiB", 2, 1, 2},
     "valiant",
     "uniform"},
};

static void test_same_steps(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof steps / sizeof *steps; n++)
        compare(&steps[n].v, steps[n].routing, steps[n].pattern, "20 us");
}

/* Outputs that an oblivious routing draws: each kernel gives a packet the same ones. */
static void test_same_draws(void **state)
{
    (void)state;
    static const variant variants[] = {
        {"mlfm:h=4", "1q", "voq=true", 1, 0.3, 30},
        {"mlfm:h=4", "1q", "voq=false;buffer=64 KiB", 1, 0.2, 30},
        {"karytree:k=4,n=3", "1q", "voq=true", 1, 0.3, 40},
        {"slimfly:q=5,link_rate=20 Tb/s", "1q", "voq=true", 1, 0.3, 2},
        {"mlfm:h=4", "dbbm", "voq=true", 3, 0.2, 30},
    };
    for (size_t n = 0; n < sizeof variants / sizeof *variants; n++)
        compare(&variants[n], "valiant", "uniform", "20 us");
}

/* Adaptive outputs: what a packet chooses, when it comes and while it waits, depends on credit and
 * on busy outputs at that instant. */
static const struct {
    variant v;
    const char *routing, *pattern;
} choices[] = {
    {{"karytree:k=4,n=3", "1q", "voq=true", 1, 0.3, 30, NULL}, "adaptive_tree", "uniform"},
    {{"karytree:k=4,n=3", "1q", "voq=true", 1, 1, 30, NULL}, "adaptive_tree", "uniform"},
    {{"karytree:k=4,n=3", "1q", "voq=true;iterations=1", 1, 0.7, 60, NULL},
     "adaptive_tree:delta=2",
     "permutation"},
    /* space for 1 to 4 packets: when is it seen? */
    {{"karytree:k=4,n=3", "1q", "voq=true;buffer=4 KiB", 1, 1, 60, NULL},
     "adaptive_tree",
     "hotspot:nodes=0,fraction=30%"},
    {{"karytree:k=4,n=3", "1q", "voq=true;buffer=8 KiB", 1, 1, 60, NULL},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3", "1q", "voq=true;buffer=12 KiB", 1, 1, 60, NULL},
     "adaptive_tree",
     "hotspot:nodes=0,fraction=30%"},
    {{"karytree:k=4,n=3", "1q", "voq=true;buffer=16 KiB", 1, 1, 60, NULL},
     "adaptive_tree",
     "hotspot:nodes=0,fraction=30%"},
    {{"karytree:k=4,n=3", "1q", "voq=true;buffer=20 KiB", 1, 1, 60, NULL},
     "adaptive_tree",
     "uniform"},
    /* no output is free, and the only space behind one that is busy is on its way back */
    {{"xgft:m=5:4,w=1:3,latency=38 ns", "1q", "buffer=16 KiB", 1, 1, 200, "first_free",
      "injection=poisson"},
     "adaptive_tree",
     "uniform"},
    {{"xgft:m=6:3,w=1:3,latency=40 ns", "1q", "buffer=32 KiB", 1, 0.8, 200, "first_free",
      "injection=poisson;message=8 KiB"},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=3,n=3,latency=38 ns", "dbbm", "buffer=40 KiB", 2, 1, 200, "first_free",
      "injection=poisson;message=32 KiB"},
     "adaptive_tree",
     "uniform"},
    {{"rlft:ports=12,levels=3", "1q", "voq=true;buffer=16 KiB", 1, 0.7, 31, NULL},
     "adaptive_tree:delta=3",
     "uniform"},
    {{"rlft:ports=12,levels=3", "1q", "voq=true", 1, 1, 31, NULL},
     "adaptive_tree:delta=6",
     "uniform"},
    {{"xgft:m=4:3:5,w=1:2:3", "1q", "voq=true;buffer=16 KiB", 1, 0.5, 60, NULL},
     "adaptive_tree",
     "uniform"},
    {{"xgft:m=6:6,w=1:9", "1q", "voq=true", 1, 0.9, 31, NULL},
     "adaptive_tree:delta=2,filter=destination",
     "uniform"},
    /* parallel cables: choices on the way down, too */
    {{"pgft:m=4:4:2,w=1:2:2,p=1:2:3", "1q", "voq=true;buffer=12 KiB", 1, 1, 60, NULL},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=16,n=2", "1q", "voq=true;iterations=1", 1, 1, 40, NULL},
     "adaptive_tree:stages=1",
     "uniform"},
    /* packets come some windows later, or wholly; 10.9 windows a transmission, or less than
     * one */
    {{"karytree:k=8,n=2", "1q", "voq=true;buffer=16 KiB;routing_delay=20 ns", 1, 0.5, 31, NULL},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3", "1q", "switching=saf;traversal_delay=11 ns", 1, 0.8, 30, NULL},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3,latency=30 ns", "1q", "voq=true;buffer=12 KiB", 1, 0.9, 30, NULL},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3,link_rate=20 Tb/s", "1q", "voq=true;buffer=32 KiB", 1, 0.6, 2, NULL},
     "adaptive_tree",
     "uniform"},
    /* several VCs: which one goes is known when it has gone */
    {{"karytree:k=4,n=3", "dbbm", "voq=true;buffer=48 KiB", 4, 1, 20, NULL},
     "adaptive_tree",
     "hotspot:nodes=0,fraction=30%"},
    {{"karytree:k=4,n=3", "dbbm", "voq=true;buffer=20 KiB", 4, 0.7, 60, NULL},
     "adaptive_tree:delta=2",
     "uniform"},
    {{"karytree:k=8,n=2", "dbbm", "voq=true;buffer=24 KiB;iterations=1", 2, 1, 40, NULL},
     "adaptive_tree",
     "permutation"},
    {{"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm", "voq=true;buffer=36 KiB", 3, 0.6, 2, NULL},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3", "1q", "voq=true", 1, 0.7, 20, "most_credits"},
     "adaptive_tree",
     "uniform"},
    {{"rlft:ports=12,levels=3", "1q", "voq=true;buffer=20 KiB", 1, 1, 40,
      "most_credits:tie=lowest"},
     "adaptive_tree:delta=3",
     "hotspot:nodes=0,fraction=30%"},
    {{"pgft:m=4:4:2,w=1:2:2,p=1:2:3", "dbbm", "buffer=24 KiB", 2, 0.8, 60, "most_credits"},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=8,n=2", "dbbm", "buffer=64 KiB", 4, 1, 40, "most_credits:tie=lowest"},
     "adaptive_tree:delta=2",
     "uniform"},
    {{"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm", "buffer=32 KiB", 4, 0.6, 2, "most_credits"},
     "adaptive_tree",
     "uniform"},
};

static void test_same_choices(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof choices / sizeof *choices; n++)
        compare(&choices[n].v, choices[n].routing, choices[n].pattern, "20 us");
}

/* Messages of several packets, all the queues of an adapter that the specialised engine has: which
 * message's packet goes next depends on what was made, and sent, by then. */
static void test_same_messages(void **state)
{
    (void)state;
    static const struct {
        variant v;
        const char *routing;
    } cases[] = {
        {{"karytree:k=4,n=3", "1q", "voq=true", 1, 1, 60, NULL, "message=64 KiB"}, "dmodk"},
        {{"karytree:k=4,n=3", "1q", "voq=true", 1, 0.4, 60, NULL, "message=8 KiB;active=2"},
         "dmodk"},
        {{"karytree:k=4,n=3", "1q", "voq=false", 1, 0.7, 60, NULL, "message=12 KiB;active=1"},
         "dmodk"},
        {{"karytree:k=4,n=3", "1q", "buffer=8 KiB", 1, 0.9, 60, NULL,
          "message=20 KiB;interleave=fifo"},
         "dmodk"},
        {{"karytree:k=4,n=3", "1q", "voq=true", 1, 0.8, 60, NULL,
          "message=28 KiB;injection=poisson;active=5"},
         "dmodk"},
        {{"karytree:k=4,n=3", "dbbm", "buffer=48 KiB", 3, 1, 60, NULL, "message=16 KiB;active=3"},
         "dmodk"},
        {{"karytree:k=4,n=3", "dbbm", "buffer=16 KiB", 2, 0.6, 60, NULL,
          "message=24 KiB;injection=bernoulli"},
         "dmodk"},
        {{"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm", "buffer=64 KiB", 4, 0.5, 2, NULL,
          "message=16 KiB;active=7"},
         "dmodk"},
        {{"karytree:k=4,n=3,host_rate=40 Gb/s", "1q", "voq=true", 1, 0.5, 60, NULL,
          "message=16 KiB"},
         "dmodk"},
        {{"karytree:k=4,n=3", "1q", "voq=true", 1, 0.3, 60, NULL, "message=12 KiB;active=4"},
         "valiant"},
        {{"karytree:k=4,n=3", "1q", "buffer=16 KiB", 1, 0.8, 60, NULL, "message=64 KiB"},
         "adaptive_tree"},
        {{"karytree:k=4,n=3", "dbbm", "buffer=48 KiB", 4, 0.9, 60, "most_credits",
          "message=8 KiB;active=2"},
         "adaptive_tree:delta=2"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        compare(&cases[n].v, cases[n].routing, n % 2 ? "uniform" : "permutation", "20 us");
}

/* Packets that are put in order. The watchdog looks often, and deliveries that it may forestall are
 * held back, also where links are long beside packets. */
static void test_same_order(void **state)
{
    (void)state;
    static const struct {
        variant v;
        const char *routing;
    } cases[] = {
        {{"karytree:k=4,n=3", "1q", "voq=true", 1, 1, 60, NULL, "in_order=true"}, "adaptive_tree"},
        {{"karytree:k=4,n=3,latency=40 ns", "dbbm", "traversal_delay=7 ns", 2, 0.9, 20, NULL,
          "in_order=true;packet=512 B;message=32 KiB"},
         "adaptive_tree"},
        {{"karytree:k=4,n=3,latency=200 ns", "1q", "switching=saf", 1, 0.9, 20, "most_credits",
          "in_order=true;packet=512 B"},
         "adaptive_tree"},
        {{"karytree:k=4,n=3,host_rate=40 Gb/s", "1q", "buffer=16 KiB", 1, 0.5, 60, NULL,
          "in_order=true"},
         "adaptive_tree:delta=2"},
        {{"slimfly:q=5", "hopclass", "voq=true", 4, 0.8, 20, NULL, "in_order=true;packet=1 KiB"},
         "valiant"},
        {{"slimfly:q=5", "hopclass", "voq=true", 4, 0.8, 20, NULL, "in_order=true;packet=1 KiB"},
         "ugal_l"},
        /* limited buffers: shared, of a flow, none; queues that pass by or stand still */
        {{"karytree:k=4,n=3", "1q", "voq=true", 1, 1, 60, NULL,
          "in_order=true;reorder_buffer=8 KiB"},
         "adaptive_tree"},
        {{"karytree:k=4,n=3", "1q", "voq=true", 1, 1, 60, NULL,
          "in_order=true;reorder_buffer=8 KiB;reorder_scope=flow"},
         "adaptive_tree"},
        {{"karytree:k=4,n=3", "dbbm", "voq=true", 4, 1, 60, NULL,
          "in_order=true;reorder_buffer=64 KiB;message=16 KiB"},
         "adaptive_tree"},
        {{"karytree:k=4,n=3", "dbbm", "voq=true", 4, 0.5, 60, "most_credits",
          "in_order=true;reorder_buffer=0 B;injection=poisson"},
         "adaptive_tree"},
        {{"karytree:k=4,n=3,latency=40 ns,host_latency=7 ns", "dbbm", "voq=true", 2, 1, 60, NULL,
          "in_order=true;reorder_buffer=12 KiB;throttle=strict;message=12 KiB;active=3"},
         "adaptive_tree:delta=2"},
        {{"karytree:k=4,n=3,latency=200 ns", "1q", "switching=saf", 1, 0.9, 20, NULL,
          "in_order=true;packet=512 B;reorder_buffer=2 KiB;control_delay=ideal"},
         "adaptive_tree"},
        {{"slimfly:q=5", "hopclass", "voq=true", 4, 0.8, 20, NULL,
          "in_order=true;packet=1 KiB;reorder_buffer=3 KiB;reorder_scope=flow;throttle=strict"},
         "valiant"},
        {{"slimfly:q=5", "hopclass", "voq=true", 4, 0.8, 20, NULL,
          "in_order=true;packet=1 KiB;reorder_buffer=3 KiB"},
         "ugal_l"},
        {{"karytree:k=4,n=3,host_rate=40 Gb/s", "1q", "buffer=16 KiB", 1, 0.7, 60, NULL,
          "in_order=true;reorder_buffer=5 KiB;control_delay=3 us"},
         "adaptive_tree"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        compare_always(&cases[n].v, cases[n].routing, n % 2 ? "uniform" : "permutation", "700 ns");
}

/* Adaptive outputs whose sets overlap, with VCs that change or not; and packets that choose their
 * way at the first switch, from what waits there. */
static const struct {
    variant v;
    const char *routing, *pattern;
} overlaps[] = {
    {{"oft:k=4", "1q", "voq=true;buffer=16 KiB", 1, 1, 12}, "minimal", "uniform"},
    {{"mlfm:h=4", "1q", "voq=true;buffer=8 KiB", 1, 1, 12}, "minimal", "tornado"},
    {{"slimfly:q=5", "hopclass", "voq=true;buffer=32 KiB", 2, 1, 12}, "minimal", "uniform"},
    {{"hyperx:dims=4:4,p=3", "hopclass", "voq=true;buffer=16 KiB", 2, 1, 12},
     "minimal",
     "permutation"},
    {{"hyperx:dims=3:3:3,p=2", "hopclass", "voq=true;buffer=36 KiB", 3, 0.8, 12, "first_free"},
     "minimal",
     "hotspot:nodes=0,fraction=30%"},
    {{"hypercube:n=4,p=2", "hopclass", "voq=true;buffer=20 KiB;iterations=1", 4, 1, 12},
     "minimal",
     "uniform"},
    {{"hypercube:n=4,p=2", "dbbm", "voq=true;buffer=64 KiB", 4, 0.3, 12}, "minimal", "uniform"},
    {{"karytree:k=4,n=3", "dbbm", "voq=true;buffer=24 KiB", 3, 1, 12, "random"},
     "adaptive_tree",
     "uniform"},
    {{"karytree:k=4,n=3", "1q", "voq=true;buffer=12 KiB", 1, 1, 12, "random"},
     "adaptive_tree:delta=3",
     "uniform"},
    {{"slimfly:q=5", "hopclass", "voq=true;buffer=64 KiB", 4, 1, 12}, "ugal_l", "uniform"},
    {{"slimfly:q=5", "hopclass", "voq=true;buffer=16 KiB", 4, 1, 12}, "ugal_l:t=20%", "tornado"},
    {{"slimfly:q=5", "hopclass", "voq=true;buffer=64 KiB", 4, 1, 12},
     "ugal_l:occupancy=vc",
     "tornado"},
    {{"oft:k=4", "phase", "voq=true;buffer=16 KiB", 2, 1, 12}, "ugal_l", "permutation"},
    {{"mlfm:h=4", "phase", "voq=true;buffer=24 KiB", 2, 0.7, 12}, "ugal_l:first=any", "uniform"},
    {{"hyperx:dims=4:4,p=3", "hopclass", "voq=true;buffer=64 KiB", 4, 1, 12},
     "ugal_l:first=random",
     "permutation"},
    {{"dragonfly:h=2", "phase", "voq=true;buffer=64 KiB", 3, 0.6, 12}, "ugal_l", "uniform"},
    {{"hyperx:dims=4:4,p=3", "hopclass", "voq=true;buffer=64 KiB;routing_delay=20 ns", 4, 0.6, 12},
     "ugal_l",
     "uniform"},
    {{"hyperx:dims=4:4,p=3", "hopclass", "switching=saf;traversal_delay=11 ns", 2, 0.8, 12},
     "minimal",
     "uniform"},
    {{"oft:k=4,latency=30 ns", "phase", "voq=true;buffer=16 KiB", 2, 0.9, 12}, "ugal_l", "uniform"},
    {{"hyperx:dims=4:4,p=3,link_rate=20 Tb/s", "hopclass", "voq=true;buffer=64 KiB", 4, 0.8, 2},
     "ugal_l",
     "uniform"},
    {{"torus:dims=4:4,p=2", "hopclass", "voq=true;buffer=64 KiB", 4, 0.6, 12, NULL,
      "message=16 KiB"},
     "minimal",
     "uniform"},
};

static void test_same_overlaps(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof overlaps / sizeof *overlaps; n++)
        compare(&overlaps[n].v, overlaps[n].routing, overlaps[n].pattern, "20 us");
}

/* A ring without layers: all kernels find the same deadlock at the same time, whatever was on its
 * way then. */
static void test_same_deadlock(void **state)
{
    (void)state;
    static const char *const switches[] = {"voq=true;buffer=16 KiB", "voq=false;buffer=16 KiB",
                                           "voq=true;buffer=4 KiB",
                                           "voq=true;buffer=8 KiB;routing_delay=17 ns"};
    /* the short one sees the last packet fly */
    static const char *const periods[] = {"20 us", "7 ns"};
    for (size_t n = 0; n < 2 * sizeof switches / sizeof *switches; n++) {
        variant v = {"torus:dims=5,p=2", "1q", switches[n / 2], 1, 1, 5000, .deadlocks = true};
        compare(&v, "dor", "shift:by=4", periods[n % 2]);
    }
    /* VCs that change, but not often enough */
    for (size_t n = 0; n < sizeof switches / sizeof *switches; n++) {
        const char *sw = n == 2 ? "voq=true;buffer=24 KiB" : switches[n];
        variant v = {"ring:n=7,p=2", "phase", sw, 2, 1, 5000, .deadlocks = true};
        compare(&v, "valiant", "shift:by=5", periods[n % 2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_same),
        cmocka_unit_test(test_same_draws),    cmocka_unit_test(test_same_steps),
        cmocka_unit_test(test_same_overlaps), cmocka_unit_test(test_same_choices),
        cmocka_unit_test(test_same_order),    cmocka_unit_test(test_same_messages),
        cmocka_unit_test(test_same_deadlock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
