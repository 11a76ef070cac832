/* SPDX-License-Identifier: Apache-2.0
 *
 * Latencies by kind of link: local and global ones, levels of trees; and the simulator on links of
 * unequal latency, on any number of threads.
 */
#include "sim_helper.h"
#include "unit/part.h"

/* Latency in ns that a link between these two switches should have. */
typedef uint64_t (*expected_fn)(const ik_fabric *f, uint32_t a, uint32_t b);

static uint64_t by_group(const ik_fabric *f, uint32_t a, uint32_t b)
{
    return f->switch_place[a].group == f->switch_place[b].group ? 5 : 100;
}

static uint64_t global_only(const ik_fabric *f, uint32_t a, uint32_t b)
{
    return f->switch_place[a].group == f->switch_place[b].group ? 7 : 100;
}

static uint64_t by_subgraph(const ik_fabric *f, uint32_t a, uint32_t b)
{
    return a / (f->num_switches / 2) == b / (f->num_switches / 2) ? 5 : 30;
}

static uint64_t by_level(const ik_fabric *f, uint32_t a, uint32_t b)
{
    uint16_t low = (uint16_t)(f->switch_level[a] < f->switch_level[b] ? f->switch_level[a]
                                                                      : f->switch_level[b]);
    return low == 1 ? 5 : 20;
}

static uint64_t all_nine(const ik_fabric *f, uint32_t a, uint32_t b)
{
    (void)f, (void)a, (void)b;
    return 9;
}

static void test_links_have_their_latency(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        expected_fn expected;
    } cases[] = {
        {"dragonfly:h=2,local_latency=5 ns,global_latency=100 ns,host_latency=2 ns", by_group},
        {"dragonfly:h=2,latency=7 ns,global_latency=100 ns,host_latency=2 ns", global_only},
        {"dragonflyplus:h=2,local_latency=5 ns,global_latency=100 ns,host_latency=2 ns", by_group},
        {"slimfly:q=5,local_latency=5 ns,global_latency=30 ns,host_latency=2 ns", by_subgraph},
        {"karytree:k=2,n=3,level_latency=5 ns:20 ns,host_latency=2 ns", by_level},
        {"rlft:ports=4,levels=3,level_latency=9 ns,host_latency=2 ns", all_nine},
        {"slimtree:k=4,w=2,level_latency=9 ns,host_latency=2 ns", all_nine},
        {"fattree3:ports=4,level_latency=5 ns:20 ns,host_latency=2 ns", by_level},
        {"xgft:m=4:3:2,w=1:2:3,level_latency=5 ns:20 ns,host_latency=2 ns", by_level},
        {"pgft:m=4:2:4,w=1:2:2,p=1:2:2,level_latency=5 ns:20 ns,host_latency=2 ns", by_level}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_fabric *f = fabric_of(cases[k].spec);
        for (uint32_t p = 0; p < f->num_ports; p++) {
            uint32_t a = f->port_node[p], b = ik_peer_node(f, p);
            if (b == IK_NONE)
                continue;
            uint64_t ns = ik_is_switch(f, a) && ik_is_switch(f, b) ? cases[k].expected(f, a, b) : 2;
            if (ik_port_latency_ps(f, p) != ns * 1000)
                fail_msg("%s: %u to %u has %llu ps", cases[k].spec, a, b,
                         (unsigned long long)ik_port_latency_ps(f, p));
        }
        ik_fabric_free(f);
    }
}

static bool declares(const ik_topology *t, const char *name)
{
    for (const ik_param *p = t->params; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

/* A family without such links refuses the parameter. */
static void test_refused_elsewhere(void **state)
{
    (void)state;
    static const char *const names[] = {"local_latency", "global_latency", "level_latency"};
    unsigned refused = 0;
    for (const ik_topology *const *t = ik_topologies(); *t; t++)
        for (unsigned k = 0; k < 3; k++) {
            char spec[256];
            ik_fabric *f = NULL;
            ik_error err = {0};
            if (declares(*t, names[k]))
                continue;
            snprintf(spec, sizeof spec, "%s,%s=5 ns", (*t)->examples[0], names[k]);
            if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_ERR_INPUT ||
                !strstr(err.text, names[k]))
                fail_msg("%s: %s", spec, err.text);
            refused++;
        }
    assert_true(refused > 20);
}

/* Nor does a fabric take one of links that its own size leaves out, be it the value that the others
 * have. */
static void test_refused_without_links(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "dragonfly:a=1,h=3,p=1,local_latency=6 ns",
        "dragonfly:h=2,g=1,global_latency=9 ns",
        "dragonflyplus:h=2,g=1,global_latency=9 ns",
        "dragonfly:a=1,h=3,p=1,g=1,local_latency=6 ns,global_latency=9 ns",
        "karytree:k=2,n=1,level_latency=9 ns",
        "rlft:ports=4,levels=1,level_latency=9 ns",
        "karytree:k=2,n=3,level_latency=5 ns:6 ns:7 ns",
        "karytree:k=2,n=4,level_latency=5 ns:6 ns"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        if (ik_fabric_from_spec(specs[k], NULL, &f, &err) != IK_ERR_USAGE ||
            !strstr(err.text, "latency"))
            fail_msg("%s: %s", specs[k], err.text);
    }
}

/* Over the top: up and down each level once, and the time of the packet. */
static void test_time_of_a_packet(void **state)
{
    (void)state;
    static const char *const models[] = {"model=iq", "model=ioq", "model=ideal"};
    for (size_t m = 0; m < 3; m++) {
        ik_sim_result r = simulate(
            (scenario){.fabric = "karytree:k=2,n=3,level_latency=5 ns:20 ns,host_latency=2 ns",
                       .routing = "dmodk",
                       .traffic = "shift:by=4",
                       .sw = models[m],
                       .adapter = "packet=1 KiB",
                       .measure = "warmup=0 ns;duration=40 us;paranoid=true",
                       .load = 0.02});
        assert_int_equal(r.lookahead_ps, 2000);
        assert_true(r.latency.min ==
                    2 * (2000 + 5000 + 20000) + ik_transmit_ps(1024, 100000000000));
        sim_result_clear(&r);
    }
}

static void test_threads(void **state)
{
    (void)state;
    static const char *const fabrics[] = {
        "dragonfly:h=2,local_latency=5 ns,global_latency=100 ns",
        "karytree:k=4,n=3,level_latency=5 ns:40 ns,host_latency=3 ns",
        "slimfly:q=5,local_latency=11 ns,global_latency=30 ns"};
    static const char *const routings[] = {"ugal_l", "dmodk", "valiant"};
    static const char *const models[] = {"model=iq", "model=ioq;queues=fifo",
                                         "model=pipelined;flit=128 B"};
    for (size_t n = 0; n < 9; n++) {
        uint64_t checksum = 0;
        const unsigned fewest = fewest_threads();
        for (unsigned threads = fewest; threads <= (threads_only() ? 3 : 4); threads++) {
            ik_sim_result r = simulate((scenario){.fabric = fabrics[n % 3],
                                                  .routing = routings[n % 3],
                                                  .sw = models[n / 3],
                                                  .measure = "warmup=0 ns;duration=15 us",
                                                  .load = 0.5,
                                                  .threads = threads});
            assert_true(r.packets_delivered > 0 && !r.deadlock);
            if (threads == fewest)
                checksum = r.checksum;
            if (r.checksum != checksum)
                fail_msg("%s, %s: %u threads differ", fabrics[n % 3], models[n / 3], threads);
            sim_result_clear(&r);
        }
    }
    refuse((scenario){.fabric = "dragonfly:h=1,global_latency=0 ns",
                      .routing = "minimal",
                      .load = 0.5},
           IK_ERR_UNSUPPORTED, "latency");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_links_have_their_latency), on_one_thread(test_refused_elsewhere),
        on_one_thread(test_refused_without_links), on_one_thread(test_time_of_a_packet),
        cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
