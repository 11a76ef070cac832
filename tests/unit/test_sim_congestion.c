/* SPDX-License-Identifier: Apache-2.0
 *
 * Congestion, where the answer is known: roots, trees, head-of-line blocking, culprits and victims,
 * fairness, classes. */
#include "sim_hash.h"

#include "sim/measure/congest.h"
#include "sim_flow.h"
#include "unit/part.h"

#include <math.h>

/* ---- a traffic given host by host */

typedef struct script {
    uint32_t dst[16][2]; /* what a host's even and odd messages go to; IK_NONE twice = silent */
} script;

static uint32_t script_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    return ((const script *)t->impl)->dst[src][n & 1];
}

static void script_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const uint32_t *dst = ((const script *)t->impl)->dst[src];
    if (dst[0] == IK_NONE)
        return;
    if (dst[0] == dst[1]) {
        fn(ctx, src, dst[0], 1, 1);
        return;
    }
    fn(ctx, src, dst[0] < dst[1] ? dst[0] : dst[1], 1, 2);
    fn(ctx, src, dst[0] < dst[1] ? dst[1] : dst[0], 1, 2);
}

static const ik_traffic_family script_family = {.name = "script",
                                                .summary = "what each host sends",
                                                .dest = script_dest,
                                                .flows = script_flows};

typedef struct bench {
    ik_fabric *f;
    ik_plan *plan;
    script what;
    ik_traffic traffic;
} bench;

/* All hosts silent. */
static void set_up(bench *b, const char *fabric, const char *routing, const char *vc, unsigned vcs)
{
    ik_error err;
    memset(b, 0, sizeof *b);
    if (ik_fabric_from_spec(fabric, NULL, &b->f, &err) != IK_OK)
        fail_msg("%s", err.text);
    if (ik_plan_from_specs(b->f, routing, vc, NULL, vcs, NULL, &b->plan, &err) != IK_OK)
        fail_msg("%s", err.text);
    assert_true(b->f->num_hosts <= 16);
    memset(&b->what, 0xff, sizeof b->what);
    b->traffic = (ik_traffic){.family = &script_family,
                              .fabric = b->f,
                              .num_hosts = b->f->num_hosts,
                              .seed = 1,
                              .impl = &b->what};
}

static void tear_down(bench *b)
{
    ik_plan_free(b->plan);
    ik_fabric_free(b->f);
}

static void sends(bench *b, uint32_t src, uint32_t even, uint32_t odd)
{
    b->what.dst[src][0] = even;
    b->what.dst[src][1] = odd;
}

static ik_sim_result run(const bench *b, const char *sw, double load)
{
    const scenario c = {.sw = sw,
                        .adapter = "packet=1 kB",
                        .measure = "warmup=50 us;duration=50 us;series=1 us;paranoid=true",
                        .load = load};
    return run_planned(b->plan, &b->traffic, &c);
}

/* The channel that a host receives from. */
static uint32_t host_link(const bench *b, uint32_t host)
{
    return b->f->port_peer[ik_host_port(b->f, host)];
}

static const char *const models[] = {
    "buffer=4 kB;queues=fifo",   "buffer=4 kB;queues=voqsw",
    "buffer=4 kB;model=ideal",   "buffer=4 kB;model=ioq;output_buffer=2 kB",
    "buffer=4 kB;queues=damq",   "buffer=12 kB;queues=damq;queue_max=3 kB;damq_bounds=output",
    "buffer=48 kB;queues=voqnet"};
enum { NUM_MODELS = sizeof models / sizeof *models };

/* All of a 4-ary 2-tree but the hot host's own send to it. The packets of 12 hosts come through one
 * root switch, where they fill three buffers, and behind these fill the four of each of three
 * leaves; the 15 adapters wait, too. The hot host's leaf feeds the root of the tree from four
 * buffers, none of which lacks credit. */
static void test_hot_host(void **state)
{
    (void)state;
    bench b;
    set_up(&b, "karytree:k=4,n=2,latency=10 ns", "dmodk", NULL, 1);
    for (uint32_t h = 1; h < 16; h++)
        sends(&b, h, 0, 0);
    for (unsigned m = 0; m < NUM_MODELS; m++) {
        ik_sim_result r = run(&b, models[m], 1);
        const ik_congestion *k = &r.congestion;
        unsigned output_buffers =
            /* of the channels that lack credit: three leaves', one spine's */
            strstr(models[m], "ioq") ? 4 : 0;
        uint64_t blocked = 0;
        assert_int_equal(k->num_samples, 100);
        assert_int_equal(k->num_roots, 1);
        assert_int_equal(k->all_roots, 1);
        assert_int_equal(k->root_list[0].port, host_link(&b, 0));
        assert_int_equal(k->root_list[0].samples, 50);
        assert_int_equal(k->root_list[0].first, 50);
        assert_int_equal(k->root_list[0].last, 99);
        for (size_t t = 50; t < 100; t++) {
            assert_int_equal(k->roots[t], 1);
            /* the others are sending just now */
            assert_true(k->hosts[t] >= 12 && k->hosts[t] <= 15);
            blocked += k->hosts[t] + k->buffers[t];
            assert_int_equal(k->cyclic[t], 0);
            assert_int_equal(k->buffers[t], 15 + output_buffers);
        }
        assert_int_equal(k->root_list[0].depth, 3);
        assert_int_equal(k->root_list[0].buffers, 15 + output_buffers);
        assert_int_equal(k->root_list[0].hosts, 15);
        assert_int_equal(k->largest_tree, 30 + output_buffers);
        assert_int_equal(k->root_list[0].blocked, blocked);
        assert_int_equal(k->all_victims, 0);
        assert_int_equal(k->all_culprits, 15);
        assert_int_equal(k->flow_error, 0);
        for (size_t n = 0; n < k->num_culprits; n++)
            assert_int_equal(k->culprits[n].dst, 0);
        assert_true(k->hol_share == 0); /* all packets ask for what their head asks for */
        sim_result_clear(&r);
    }
    tear_down(&b);
}

/* The same in the pipelined router: credit comes flit by flit, so in some samples a channel of the
 * tree moves. */
static void test_hot_host_pipelined(void **state)
{
    (void)state;
    bench b;
    set_up(&b, "karytree:k=4,n=2,latency=10 ns", "dmodk", NULL, 1);
    for (uint32_t h = 1; h < 16; h++)
        sends(&b, h, 0, 0);
    ik_sim_result r = run(&b, "model=pipelined;flit=125 B;buffer=4 kB", 1);
    const ik_congestion *k = &r.congestion;
    assert_int_equal(k->num_samples, 100);
    assert_int_equal(k->root_list[0].port, host_link(&b, 0));
    assert_true(k->root_list[0].samples >= 40);
    assert_int_equal(k->root_list[0].buffers, 15);
    assert_true(k->root_list[0].hosts >= 12 && k->root_list[0].hosts <= 15);
    assert_int_equal(k->root_list[0].depth, 3);
    assert_int_equal(k->all_culprits, 15);
    for (size_t n = 0; n < k->num_culprits; n++)
        assert_int_equal(k->culprits[n].dst, 0);
    assert_true(k->hol_share == 0);
    assert_true(r.host_sent_min > 0 && r.host_sent_max < 1);
    sim_result_clear(&r);
    tear_down(&b);
}

/* One switch. Host 0 sends to 2 and to 3 in turn, hosts 1 and 4 to 2 only: 2 is overrun, 3 is
 * not. */
static void set_up_overrun(bench *b)
{
    set_up(b, "crossbar:n=5,latency=10 ns", "minimal", NULL, 1);
    sends(b, 0, 2, 3);
    sends(b, 1, 2, 2);
    sends(b, 4, 2, 2);
}

/* Of one FIFO with packets for two outputs, in the pipelined router. */
static void test_victim_pipelined(void **state)
{
    (void)state;
    bench b;
    set_up_overrun(&b);
    ik_sim_result r = run(&b, "model=pipelined;flit=125 B;buffer=8 kB", 1);
    const ik_congestion *k = &r.congestion;
    assert_int_equal(k->root_list[0].port, host_link(&b, 2));
    assert_int_equal(k->all_victims, 1);
    assert_int_equal(k->victims[0].src, 0);
    assert_int_equal(k->victims[0].dst, 3);
    assert_int_equal(k->all_culprits, 3);
    assert_true(k->hol_share > 0.02 && k->hol_share < 0.2);
    sim_result_clear(&r);
    tear_down(&b);
}

/* A row of four switches: the hosts of the last three send to that of the first. The channel
 * between the first two is where they meet first, so it is the root (the host's own link gets no
 * more than it takes); the hosts get 1/2, 1/4 and 1/4 of it. */
static void test_parking_lot(void **state)
{
    (void)state;
    bench b;
    set_up(&b, "mesh:dims=4,p=1,latency=10 ns", "dor", NULL, 1);
    for (uint32_t h = 1; h < 4; h++)
        sends(&b, h, 0, 0);
    ik_sim_result r = run(&b, "buffer=4 kB", 1);
    const ik_congestion *k = &r.congestion;
    assert_int_equal(k->num_roots, 1);
    uint32_t root = k->root_list[0].port;
    assert_int_equal(b.f->port_node[root], 1);
    assert_int_equal(ik_peer_node(b.f, root), 0);
    assert_int_equal(k->root_list[0].samples, 50);
    /* Blocked: at switch 2 both inputs, at switch 3 its only one; all three adapters. */
    assert_int_equal(k->root_list[0].buffers, 3);
    assert_int_equal(k->root_list[0].hosts, 3);
    assert_int_equal(k->root_list[0].depth, 3);
    assert_true(fabs(r.host_sent_max - 0.5) < 0.01);
    assert_true(fabs(r.host_sent_min - 0.25) < 0.01);
    assert_true(fabs(r.fairness - 8.0 / 9) < 0.01);
    assert_true(isnan(k->fairness[10]));
    double mean = 0;
    for (size_t t = 50; t < 100; t++)
        mean += k->fairness[t] / 50;
    assert_true(fabs(mean - 8.0 / 9) < 0.02);
    assert_int_equal(k->all_culprits, 3);
    assert_int_equal(k->all_victims, 0);
    /* Switches 2 and 3 have three connected ports and two: a share of their buffers is blocked,
     * none at the first two. */
    const float *blocked = k->switch_blocked + 99 * 4;
    assert_true(blocked[0] == 0 && blocked[1] == 0);
    assert_true(fabsf(blocked[2] - 2.0f / 3) < 1e-6f);
    assert_true(fabsf(blocked[3] - 1.0f / 2) < 1e-6f);
    sim_result_clear(&r);
    tear_down(&b);
}

/* Packets for 3 stand in a FIFO behind packets for 2. With virtual output queues they do not. */
static void test_victim(void **state)
{
    (void)state;
    bench b;
    set_up_overrun(&b);
    ik_sim_result fifo = run(&b, "buffer=8 kB;voq=false", 1),
                  voq = run(&b, "buffer=8 kB;voq=true", 1);
    const ik_congestion *k = &fifo.congestion;
    assert_int_equal(k->num_roots, 1);
    assert_int_equal(k->root_list[0].port, host_link(&b, 2));
    assert_int_equal(k->root_list[0].hosts, 2);   /* the third is sending */
    assert_int_equal(k->root_list[0].buffers, 0); /* the input buffers feed the root themselves */
    assert_int_equal(k->all_victims, 1);
    assert_int_equal(k->victims[0].src, 0);
    assert_int_equal(k->victims[0].dst, 3);
    assert_int_equal(k->victims[0].culprit, 0);
    assert_int_equal(k->all_culprits, 3);
    for (size_t n = 0; n < 3; n++) {
        assert_int_equal(k->culprits[n].dst, 2);
        assert_int_equal(k->culprits[n].victim, 0);
    }
    /* In one of three packet times host 0's input waits for 2; every second of the seven or so
     * packets in its FIFO, a third of all, is for 3. */
    assert_true(k->hol_share > 0.03 && k->hol_share < 0.08);
    assert_true(k->hol_time_ns > 0);
    assert_int_equal(voq.congestion.num_roots, 1);
    assert_int_equal(voq.congestion.root_list[0].port, host_link(&b, 2));
    assert_int_equal(voq.congestion.all_victims, 0);
    assert_true(voq.congestion.hol_share == 0);
    for (size_t t = 0; t < 100; t++)
        assert_int_equal(voq.congestion.hol_bytes[t], 0);
    sim_result_clear(&fifo);
    sim_result_clear(&voq);
    tear_down(&b);
}

/* Two switches. Hosts 0 and 1 of the first send to 4 at the second; host 2 of the first sends to 5.
 * The channel between them is shared, so 5's packets stand behind 4's in the buffer at its end,
 * although 5 is idle: victims two hops away from the root. */
static void test_victim_upstream(void **state)
{
    (void)state;
    bench b;
    set_up(&b, "mesh:dims=2,p=4,latency=10 ns", "dor", NULL, 1);
    sends(&b, 0, 4, 4);
    sends(&b, 2, 4, 5);
    sends(&b, 6, 4, 4);
    ik_sim_result r = run(&b, "buffer=8 kB;voq=true", 1);
    const ik_congestion *k = &r.congestion;
    assert_int_equal(k->root_list[0].port, host_link(&b, 4));
    assert_int_equal(k->all_victims, 1);
    assert_int_equal(k->victims[0].src, 2);
    assert_int_equal(k->victims[0].dst, 5);
    assert_int_equal(k->all_culprits, 3);
    assert_true(k->root_list[0].buffers == 2 && k->root_list[0].hosts == 3 &&
                k->root_list[0].depth == 2);
    sim_result_clear(&r);
    /* nobody waits for packets to another host */
    ik_sim_result net = run(&b, "buffer=64 kB;queues=voqnet", 1);
    assert_int_equal(net.congestion.root_list[0].port, host_link(&b, 4));
    assert_int_equal(net.congestion.all_victims, 0);
    sim_result_clear(&net);
    tear_down(&b);
}

/* A load that everything can carry has no roots; without a series, or when it is not wanted,
 * nothing is sampled and the run is the same. */
static void test_quiet(void **state)
{
    (void)state;
    bench b;
    set_up(&b, "karytree:k=4,n=2,latency=10 ns", "dmodk", NULL, 1);
    for (uint32_t h = 0; h < 16; h++)
        sends(&b, h, (h + 4) % 16, (h + 4) % 16);
    ik_sim_result r = run(&b, "buffer=4 kB", 0.5);
    assert_int_equal(r.congestion.num_samples, 100);
    assert_int_equal(r.congestion.all_roots + r.congestion.num_trees + r.congestion.largest_tree,
                     0);
    assert_int_equal(r.congestion.all_culprits + r.congestion.all_victims, 0);
    assert_true(r.congestion.blocked_share == 0 && r.congestion.hol_share == 0);
    scenario c = {.sw = "buffer=4 kB", .adapter = "packet=1 kB", .load = 0.5};
    c.measure = "warmup=50 us;duration=50 us;series=1 us;congestion=false";
    ik_sim_result off = run_planned(b.plan, &b.traffic, &c);
    c.measure = "warmup=50 us;duration=50 us";
    ik_sim_result none = run_planned(b.plan, &b.traffic, &c);
    assert_int_equal(off.congestion.num_samples + none.congestion.num_samples, 0);
    assert_int_equal(off.num_series, 100);
    assert_true(off.checksum == r.checksum && none.checksum == r.checksum);
    sim_result_clear(&r);
    sim_result_clear(&off);
    sim_result_clear(&none);
    tear_down(&b);
}

/* A ring that locks: buffers wait for each other in a circle, which has no root. */
static void test_circle(void **state)
{
    (void)state;
    bench b;
    set_up(&b, "torus:dims=5,p=2,latency=10 ns", "minimal", "1q", 1);
    for (uint32_t h = 0; h < 10; h++)
        sends(&b, h, (h + 4) % 10, (h + 4) % 10);
    const scenario c = {.adapter = "packet=16 kB",
                        .measure = "warmup=0 ns;duration=60 us;series=1 us;watchdog=50 us",
                        .load = 1};
    ik_sim_result r = run_planned(b.plan, &b.traffic, &c);
    assert_true(r.deadlock);
    const ik_congestion *k = &r.congestion;
    size_t last = (size_t)(r.end_ps / k->period_ps) - 1;
    /* the buffers of the ring, and those of the hosts behind them */
    assert_int_equal(k->cyclic[last], 15);
    assert_int_equal(k->buffers[last], 15);
    assert_int_equal(k->hosts[last], 10);
    assert_int_equal(k->roots[last], 0);
    sim_result_clear(&r);
    tear_down(&b);
}

/* Classes add up to the run; the hot class is what its host's link carries. */
static void test_classes(void **state)
{
    (void)state;
    static const char *const kinds[] = {"model=iq", "model=pipelined;flit=125 B"};
    static const char *const shares[] = {"hotspot:nodes=3,fraction=25%",
                                         "hotspot:nodes=3,share=messages,fraction=25%"};
    for (unsigned n = 0; n < 4; n++) {
        ik_sim_result r = simulate((scenario){.fabric = "karytree:k=4,n=2,latency=10 ns",
                                              .routing = "dmodk",
                                              .traffic = shares[n & 1],
                                              .sw = kinds[n >> 1],
                                              .adapter = "packet=1 kB;message=2 kB",
                                              .measure = "warmup=20 us;duration=50 us;series=7 us",
                                              .load = 0.8});
        assert_int_equal(r.num_classes, 2);
        const ik_class_result *hot = &r.classes[0], *rest = &r.classes[1];
        assert_string_equal(hot->name, "hot");
        assert_string_equal(rest->name, "background");
        assert_true(fabs(hot->offered + rest->offered - r.offered) < 1e-12);
        assert_true(fabs(hot->throughput + rest->throughput - r.throughput) < 1e-12);
        assert_int_equal(hot->latency.count + rest->latency.count, r.latency.count);
        assert_int_equal(hot->latency.sum + rest->latency.sum, r.latency.sum);
        for (size_t t = 0; t < r.num_series; t++)
            assert_true(fabs(hot->series_throughput[t] + rest->series_throughput[t] -
                             r.series_throughput[t]) < 1e-12);
        /* Three or four of 16 hosts, or about a quarter of all messages, want a single host's link,
         * which carries 1/16 in all; background messages go there, too. */
        assert_true(hot->offered > 0.1 && hot->throughput < 1.0 / 16 && hot->throughput > 0.5 / 16);
        assert_true(hot->latency.mean > rest->latency.mean);
        assert_int_equal(r.congestion.root_list[0].samples > 0, 1);
        sim_result_clear(&r);
    }
    ik_sim_result r =
        simulate((scenario){.fabric = "crossbar:n=4", .routing = "minimal", .load = 0.5});
    assert_int_equal(r.num_classes, 0);
    sim_result_clear(&r);
}

/* More flows than the table holds: the few heavy ones stay, and none is short by more than the
 * table says. */
static void test_forgetting(void **state)
{
    (void)state;
    enum { LIGHT = 1500000, HEAVY = 40, EVERY = 100 };
    flow_table t = {0};
    ik_congestion k = {0};
    ik_error err;
    uint64_t seen[HEAVY] = {0};
    for (uint32_t n = 0; n < LIGHT; n++) {
        assert_true(flow_table_add(&t, n, 7, 0, 1));
        if (n % EVERY)
            continue;
        uint32_t heavy = n / EVERY % HEAVY;
        assert_true(flow_table_add(&t, 1u << 31, heavy, 2, 1));
        seen[heavy]++;
    }
    assert_true(t.used <= 1u << 18);
    assert_int_equal(flow_table_export(&t, &k, &err), IK_OK);
    assert_true(k.flow_error > 0 && k.flow_error < LIGHT / (1u << 17) + 1);
    assert_int_equal(k.num_culprits, HEAVY);
    assert_int_equal(k.num_victims, IK_CONGESTION_FLOWS);
    for (size_t n = 0; n < HEAVY; n++) {
        const ik_congestion_flow *c = &k.culprits[n], *v = &k.victims[n];
        assert_int_equal(c->src, 1u << 31);
        assert_true(c->culprit <= 2 * seen[c->dst] &&
                    c->culprit + c->victim + k.flow_error >= 3 * seen[c->dst]);
        assert_int_equal(v->src, 1u << 31);
    }
    congest_result_free(&k);
    free(t.flows);
}

/* More packets than are looked at one by one: some buffers in turn stand for all, the same on any
 * number of threads, and what is estimated comes near what Karol's switches do: with FIFOs full of
 * packets to all outputs, many wait only for their head. */
static void test_stride(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    ik_error err = {0};
    uint64_t value[2];
    assert_int_equal(ik_fabric_from_spec("karytree:k=16,n=2,latency=10 ns", NULL, &f, &err), IK_OK);
    for (unsigned k = 0; k < 2; k++) {
        const scenario c = {.routing = "dmodk",
                            .sw = "queues=fifo",
                            .adapter = "packet=1 kB",
                            .measure = "warmup=40 us;duration=20 us;series=2 us",
                            .load = 1,
                            .threads = k ? 3 : 1};
        ik_sim_result r = {0};
        if (simulate_on(f, &c, &r, &err) != IK_OK)
            fail_msg("%s", err.text);
        assert_true(r.congestion.stride > 1);
        assert_true(r.congestion.hol_share > 0.02 && r.congestion.hol_share < 0.8);
        for (size_t t = 20; t < 30; t++)
            assert_true(r.congestion.hol_bytes[t] < r.congestion.bytes[t]);
        for (size_t n = 0; n < r.congestion.num_samples * f->num_switches; n++)
            assert_true(r.congestion.switch_hol[n] >= 0 && r.congestion.switch_hol[n] <= 1);
        value[k] = hash_result(f, &r);
        sim_result_clear(&r);
    }
    assert_true(value[0] == value[1]);
    ik_fabric_free(f);
}

/* With few iterations pairs are left over and looked at again, which is an event of its own:
 * samples that fall before it take it for no transfer. */
static void test_pairs_left_over(void **state)
{
    static const char *const left_over[] = {"iterations=1;model=ioq",
                                            "iterations=1;arbiter=islip;queues=damq"};
    (void)state;
    for (size_t k = 0; k < sizeof left_over / sizeof *left_over; k++) {
        const scenario c = {.fabric = "karytree:k=4,n=2",
                            .routing = "dmodk",
                            .traffic = "uniform",
                            .load = 1,
                            .sw = left_over[k],
                            .measure = "duration=6 us;warmup=0 ns;series=50 ns"};
        ik_sim_result r = {0};
        ik_error err = {0};
        if (try_simulate(&c, &r, &err) != IK_OK)
            fail_msg("%s: %s", left_over[k], err.text);
        assert_true(r.packets_delivered > 0);
        sim_result_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_hot_host),
        cmocka_unit_test(test_parking_lot),
        cmocka_unit_test(test_hot_host_pipelined),
        cmocka_unit_test(test_victim_pipelined),
        on_one_thread(test_victim),
        on_one_thread(test_victim_upstream),
        on_one_thread(test_quiet),
        cmocka_unit_test(test_circle),
        on_one_thread(test_classes),
        on_one_thread(test_forgetting),
        cmocka_unit_test(test_stride),
        cmocka_unit_test(test_pairs_left_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
