/* SPDX-License-Identifier: Apache-2.0
 *
 * Arbiters that look at packets: oldest_first, which shares a line of merging flows evenly and
 * bounds its latencies; class_first, which gives a class of higher priority the latencies of an
 * empty network, and may let others starve. The same results on several threads, and what is
 * refused. Books are checked by `paranoid`. */
#include "sim_hash.h"
#include "sim_helper.h"
#include "unit/part.h"
#include <math.h>

/* ---- age */

/* Seven hosts of a line send to the host at its end; at each switch one more flow joins. */
static ik_sim_result on_a_line(const char *sw, double load)
{
    return simulate((scenario){.fabric = "mesh:dims=8,p=1",
                               .routing = "dor",
                               .vc = "1q",
                               .traffic = "hotspot:nodes=0,fraction=100%,rest=silent",
                               .sw = sw,
                               .adapter = "packet=1 KiB;injection=poisson",
                               .measure = "warmup=100 us;duration=400 us",
                               .load = load});
}

static void age_shares_evenly(void **state)
{
    (void)state;
    static const char *const models[][2] = {
        {"model=iq;buffer=8 KiB", "model=iq;buffer=8 KiB;arbiter=oldest_first"},
        {"model=ioq;buffer=8 KiB;output_buffer=4 KiB",
         "model=ioq;buffer=8 KiB;output_buffer=4 KiB;arbiter=oldest_first"}};
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r = on_a_line(models[k][0], 0.5), age = on_a_line(models[k][1], 0.5);
        /* in turn, a flow that joins last gets half; by age all get the same */
        if (age.host_sent_min <= 0.8 * age.host_sent_max)
            fail_msg("%s: %g to %g by age, %g to %g in turn", models[k][1], age.host_sent_min,
                     age.host_sent_max, r.host_sent_min, r.host_sent_max);
        assert_true(r.host_sent_min < 0.2 * r.host_sent_max);
        assert_true(age.throughput > 0.98 * r.throughput);
        sim_result_clear(&r);
        sim_result_clear(&age);
    }
}

static void age_bounds_the_tail(void **state)
{
    (void)state;
    ik_sim_result r = on_a_line("buffer=8 KiB", 0.13),
                  age = on_a_line("buffer=8 KiB;arbiter=oldest_first", 0.13);
    double tail = ik_histogram_percentile(&r.latency, 0.999),
           bounded = ik_histogram_percentile(&age.latency, 0.999);
    if (age.latency.max >= 0.8 * (double)r.latency.max || bounded >= 0.8 * tail)
        fail_msg("%llu and %llu ps at most, %g and %g ps at 99.9 %%",
                 (unsigned long long)age.latency.max, (unsigned long long)r.latency.max, bounded,
                 tail);
    assert_true(age.throughput > 0.999 * r.throughput);
    sim_result_clear(&r);
    sim_result_clear(&age);
}

/* ---- classes */

#define TWO "mix:90%*bulk=uniform+10%*urgent=uniform"

static ik_sim_result with_classes(const char *sw, const char *traffic, double load, unsigned vcs)
{
    return simulate((scenario){.fabric = "karytree:k=4,n=2",
                               .routing = "dmodk",
                               .vc = "any",
                               .num_vcs = vcs,
                               .traffic = traffic,
                               .sw = sw,
                               .adapter = "packet=1 KiB;injection=poisson",
                               .measure = "warmup=50 us;duration=150 us;paranoid=true",
                               .load = load});
}

static void urgent_packets_find_an_empty_network(void **state)
{
    (void)state;
    static const char *const models[] = {"model=iq;buffer=32 KiB", "model=ioq;buffer=32 KiB",
                                         "model=iq;buffer=32 KiB;queues=fifo"};
    enum { LINKS = 4, PACKET_PS = 81920 };
    for (unsigned k = 0; k < 3; k++) {
        char sw[160];
        snprintf(sw, sizeof sw, "%s;arbiter=class_first;class_priority=0:1", models[k]);
        ik_sim_result empty = with_classes(sw, TWO, 0.01, 1), full = with_classes(sw, TWO, 0.9, 1),
                      alike = with_classes(models[k], TWO, 0.9, 2);
        /* at a link it waits at most for the packet that is on it, and now and then for its like */
        double alone = empty.classes[1].latency.mean, mean = full.classes[1].latency.mean;
        if (mean > alone + 0.75 * LINKS * PACKET_PS)
            fail_msg("%s: %g ps, %g in an empty network", sw, mean, alone);
        assert_true(full.classes[0].latency.mean > 2 * mean);
        assert_true(alike.classes[1].latency.mean > 2 * mean);
        /* FIFOs that may be chosen from block less */
        assert_true(k == 2 || full.throughput > 0.97 * alike.throughput);
        sim_result_clear(&empty);
        sim_result_clear(&full);
        sim_result_clear(&alike);
    }
}

/* The other way round the other class is the fast one. */
static void numbers_say_who_goes_first(void **state)
{
    (void)state;
    ik_sim_result r = with_classes("buffer=32 KiB;arbiter=class_first;class_priority=7:3",
                                   "mix:10%*first=uniform+90%*second=uniform", 0.9, 1);
    assert_true(2 * r.classes[0].latency.mean < r.classes[1].latency.mean);
    sim_result_clear(&r);
}

/* A class that asks for all of a link leaves nothing to those below it. */
static void others_may_starve(void **state)
{
    (void)state;
    ik_sim_result r = simulate(
        (scenario){.fabric = "crossbar:n=5",
                   .routing = "minimal",
                   .traffic = "mix:50%*low=hotspot:nodes=0;fraction=100%;rest=silent+50%*high="
                              "hotspot:nodes=0;fraction=100%;rest=silent",
                   .sw = "arbiter=class_first;class_priority=1:2",
                   .adapter = "packet=1 KiB",
                   .measure = "warmup=50 us;duration=100 us",
                   .load = 1});
    assert_true(r.classes[0].throughput < 0.05 * r.classes[1].throughput);
    sim_result_clear(&r);
}

/* The link of a host is all that is scarce here: its adapter sends what is urgent before the rest,
 * and a class gets what those above it leave of the link. */
static void adapters_send_the_urgent_first(void **state)
{
    (void)state;
    static const char *const models[] = {"model=iq", "model=ioq"};
    enum { CLASSES = 3 };
    static const double expected[CLASSES] = {0, 0.6, 0.4}; /* 0.7, 0.6 and 0.7 are offered */
    for (unsigned k = 0; k < 4; k++) {
        char sw[80];
        snprintf(sw, sizeof sw, "%s;arbiter=class_first;class_priority=1:9:4", models[k / 2]);
        ik_sim_result r = simulate((scenario){
            .fabric = "crossbar:n=4",
            .routing = "minimal",
            .vc = "any",
            .num_vcs = 1 + k % 2,
            .traffic = "mix:35%*low=shift:by=1+30%*high=shift:by=1+35%*middle=shift:by=1",
            .sw = sw,
            .adapter = "packet=1 KiB;injection=poisson",
            .measure = "warmup=50 us;duration=400 us;paranoid=true",
            .load = 2});
        for (unsigned c = 0; c < CLASSES; c++)
            if (fabs(r.classes[c].throughput - expected[c]) > 0.03)
                fail_msg("%s, %u VCs: class %u gets %g of its links, and should get %g", sw,
                         1 + k % 2, c, r.classes[c].throughput, expected[c]);
        sim_result_clear(&r);
    }
}

/* ---- threads: ties are decided by numbers */

static void threads_agree(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing, *sw;
    } of[] = {
        {"karytree:k=4,n=2", "adaptive_tree", "arbiter=class_first;class_priority=0:1"},
        {"torus:dims=3:4,p=2", "dor", "model=ioq;arbiter=class_first;class_priority=5:2"},
        {"dragonfly:h=1", "ugal_l", "arbiter=class_first;class_priority=0:1;age=injected"},
        {"hyperx:dims=3:3,p=2", "minimal", "queues=voqnet;buffer=300 KiB;arbiter=oldest_first"},
        {"torus:dims=3:4,p=2", "dor", "model=ioq;arbiter=oldest_first;age=injected;queues=damq"}};
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        if (!in_part(k, 1))
            continue;
        scenario c = {.fabric = of[k].fabric,
                      .routing = of[k].routing,
                      .traffic = "mix:60%*uniform+40%*in=hotspot:nodes=1",
                      .sw = of[k].sw,
                      .adapter = "packet=1 KiB;message=3000 B",
                      .measure = "warmup=3 us;duration=15 us;series=2 us;paranoid=true",
                      .load = 0.8};
        ik_fabric *f = NULL;
        uint64_t first = 0;
        assert_int_equal(ik_fabric_from_spec(c.fabric, &(ik_env){.seed = 1}, &f, NULL), IK_OK);
        for (c.threads = 1; c.threads <= MOST_THREADS; c.threads++) {
            ik_sim_result r = {0};
            ik_error err = {0};
            if (simulate_on(f, &c, &r, &err) != IK_OK)
                fail_msg("%s: %s", c.sw, err.text);
            assert_true(c.threads == 1 || hash_result(f, &r) == first);
            first = hash_result(f, &r);
            sim_result_clear(&r);
        }
        ik_fabric_free(f);
    }
}

/* ---- what is refused */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *sw, *adapter, *traffic, *text;
        ik_status status;
        unsigned vcs;
    } wrong[] = {
        {"arbiter=class_first", "", TWO, "'arbiter': class_first needs class_priority",
         IK_ERR_USAGE, 0},
        {"class_priority=0:1", "", TWO, "'class_priority': it has no effect", IK_ERR_INPUT, 0},
        {"age=injected", "", TWO, "'age': it has no effect", IK_ERR_INPUT, 0},
        {"arbiter=class_first;class_priority=0:1:2", "", TWO,
         "3 priorities, and traffic 'mix:", IK_ERR_USAGE, 0},
        {"arbiter=class_first;class_priority=0:1", "", "uniform",
         "2 priorities, and traffic 'uniform' has 0 classes", IK_ERR_USAGE, 0},
        {"arbiter=class_first;class_priority=4:4", "", TWO, "the same priority", IK_ERR_USAGE, 0},
        {"arbiter=class_first;class_priority=0:64", "", TWO, "64", IK_ERR_INPUT, 0},
        {"arbiter=class_first;class_priority=0:1", "queues=one", TWO, "needs adapters",
         IK_ERR_USAGE, 0},
        {"arbiter=class_first;class_priority=0:1", "in_order=true", TWO, "needs adapters",
         IK_ERR_USAGE, 0},
        {"arbiter=class_first;class_priority=0:1", "reply=64 B", TWO, "requests and replies",
         IK_ERR_USAGE, 0},
        {"arbiter=class_first;class_priority=0:1", "", TWO, "33 VCs for each of 2 priorities",
         IK_ERR_UNSUPPORTED, 33},
        {"model=pipelined;arbiter=class_first;class_priority=0:1", "", TWO,
         "it has no effect with model = pipelined", IK_ERR_INPUT, 0},
        {"model=ideal;arbiter=oldest_first", "", TWO, "it has no effect with model = ideal",
         IK_ERR_INPUT, 0}};
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refuse((scenario){.fabric = "karytree:k=2,n=2",
                          .routing = "dmodk",
                          .vc = wrong[k].vcs ? "any" : NULL,
                          .num_vcs = wrong[k].vcs,
                          .traffic = wrong[k].traffic,
                          .sw = wrong[k].sw,
                          .adapter = wrong[k].adapter,
                          .load = 0.1},
               wrong[k].status, wrong[k].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {on_one_thread(age_shares_evenly),
                                       on_one_thread(age_bounds_the_tail),
                                       on_one_thread(urgent_packets_find_an_empty_network),
                                       on_one_thread(numbers_say_who_goes_first),
                                       on_one_thread(others_may_starve),
                                       on_one_thread(adapters_send_the_urgent_first),
                                       cmocka_unit_test(threads_agree),
                                       on_one_thread(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
