/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds whatever is simulated: conservation, order, the same results on any number of threads;
 * deadlock found; nonsense refused. */
#include "sim/measure/deadlock.h"
#include "sim_helper.h"
#include "unit/part.h"

#define ON(net, way, scheme, n) .fabric = net, .routing = way, .vc = scheme, .num_vcs = n
#define TREE                    "karytree:k=4,n=2"
#define SMALL                   "karytree:k=2,n=3"

/* At a load of 1 where it does not say. */
static const scenario models[] = {
    {ON(TREE, "dmodk", "1q", 0), .load = 0.9},
    {ON(TREE, "dmodk", "1q", 0), .sw = "voq=false"},
    {ON(SMALL, "dmodk", "dbbm", 3)},
    {ON(SMALL, "dmodk", "dbbm", 3), .sw = "voq=false"},
    {ON(SMALL, "dmodk", "any", 2)},
    {ON(SMALL, "dmodk", "any", 2), .sw = "voq=false"},
    {ON(TREE, "dmodk", "1q", 0), .adapter = "message=10000 B"},
    {ON(TREE, "random", "1q", 0),
     .adapter = "packet=64 B;message=1000 B;interleave=fifo;injection=poisson"},
    {ON(TREE, "dmodk", "1q", 0), .sw = "buffer=8 KiB", .traffic = "hotspot:fraction=50%"},
    {ON(TREE, "dmodk", "dbbm", 2),
     .sw = "voq=false;input_speedup=2;arbiter=random;routing_delay=20 ns"},
    {ON(TREE, "adaptive_tree", "1q", 0)},
    {ON(TREE, "adaptive_tree", "1q", 0), .sw = "voq=false;switching=saf"},
    {ON("crossbar:n=100", "minimal", "1q", 0)},
    {ON("crossbar:n=70", "minimal", "1q", 0), .sw = "voq=false;arbiter=oldest_first"},
    {ON("karytree:k=2,n=2,latency=3 us", "dmodk", "1q", 0),
     .adapter = "packet=64 B;injection=bernoulli"},
    {ON(TREE, "dmodk", "1q", 0),
     .sw = "model=ioq;speedup=2;output_buffer=16 KiB;traversal_delay=100 ns"},
    {ON(SMALL, "dmodk", "dbbm", 2), .sw = "model=ioq;voq=false;output_buffer=16 KiB",
     .adapter = "message=9000 B"},
    {ON(TREE, "adaptive_tree", "1q", 0), .sw = "model=ioq"},
    {ON(TREE, "dmodk", "dbbm", 2), .sw = "model=ideal"},
    {ON(TREE, "adaptive_tree", "1q", 0), .sw = "model=ideal;buffer=16 KiB"},
    {ON(TREE, "dmodk", "dbbm", 3), .sw = "queues=damq;buffer=24 KiB"},
    {ON(TREE, "dmodk", "dbbm", 2),
     .sw = "queues=damq;damq_bounds=output;buffer=80 KiB;queue_max=12 KiB",
     .adapter = "message=9000 B", .traffic = "hotspot:fraction=30%"},
    {ON(TREE, "random", "any", 2), .sw = "queues=damq;damq_bounds=output;buffer=80 KiB"},
    {ON(TREE, "dmodk", "1q", 1),
     .sw = "queues=damq;damq_bounds=output;queue_min=2 KiB;buffer=32 KiB",
     .traffic = "hotspot:fraction=30%"},
    {ON(TREE, "adaptive_tree", "any", 2), .sw = "queues=damq;buffer=16 KiB;queue_max=12 KiB"},
    {ON(TREE, "dmodk", "any", 2),
     .sw = "queues=damq;model=ioq;damq_bounds=output;buffer=80 KiB;output_buffer=16 "
           "KiB;output_sharing=shared",
     .adapter = "message=9000 B"},
    {ON(TREE, "dmodk", "dbbm", 2),
     .sw = "voq=false;model=ioq;output_buffer=12 KiB;output_sharing=shared"},
    {ON(TREE, "dmodk", "1q", 1), .sw = "queues=voqnet;buffer=64 KiB",
     .traffic = "hotspot:fraction=30%"},
    {ON(TREE, "random", "dbbm", 2),
     .sw = "queues=voqnet;buffer=256 KiB;input_speedup=2;arbiter=oldest_first",
     .adapter = "message=9000 B"},
    {ON(TREE, "adaptive_tree", "any", 2), .sw = "queues=voqnet;buffer=256 KiB;switching=saf"},
    {ON(TREE, "dmodk", "dbbm", 2),
     .adapter = "message=9000 B;queues=destination;ejection_fraction=60 %",
     .traffic = "hotspot:fraction=30%"},
    {ON(TREE, "dmodk", "1q", 1), .sw = "queues=voqnet;buffer=64 KiB",
     .adapter = "message=9000 B;queues=destination;active=2;injection_fraction=70 %",
     .traffic = "hotspot:fraction=30%", .load = 1.5},
    {ON(TREE, "dmodk", "any", 3), .sw = "queues=damq;damq_bounds=output;buffer=160 KiB",
     .adapter = "message=9000 B;queues=one"},
};
enum { NUM_MODELS = sizeof models / sizeof *models };

static scenario model_at(unsigned m)
{
    scenario c = models[m];
    c.load = c.load > 0 ? c.load : 1;
    return c;
}

static void test_conservation(void **state)
{
    (void)state;
    for (unsigned m = 0; m < NUM_MODELS; m++) {
        scenario c = model_at(m);
        c.measure = "warmup=2 us;duration=10 us;paranoid=true";
        ik_sim_result r = simulate(c);
        if (r.packets_delivered == 0 || r.deadlock || r.order_violations || r.packets_unroutable)
            if (strcmp(c.routing, "dmodk") == 0 && strcmp(c.vc, "any") != 0)
                fail_msg("model %u: %llu delivered, %llu out of order", m,
                         (unsigned long long)r.packets_delivered,
                         (unsigned long long)r.order_violations);
        assert_true(r.packets_generated >= r.packets_delivered + r.packets_in_flight);
        sim_result_clear(&r);
    }
}

static void test_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 3, 7};
    for (unsigned m = 0; m < NUM_MODELS; m++) {
        ik_sim_result first = {0};
        for (unsigned t = 0; t < 4; t++) {
            scenario c = model_at(m);
            c.measure = "warmup=1 us;duration=3 us;series=1 us";
            c.threads = threads[t];
            ik_sim_result r = simulate(c);
            if (t == 0) {
                first = r;
                continue;
            }
            if (r.checksum != first.checksum || r.packets_delivered != first.packets_delivered ||
                r.events != first.events)
                fail_msg("model %u: %u threads give another result than one (%llx, %llx)", m,
                         threads[t], (unsigned long long)r.checksum,
                         (unsigned long long)first.checksum);
            assert_memory_equal(r.series_throughput, first.series_throughput,
                                first.num_series * sizeof(double));
            assert_memory_equal(r.series_latency_ns, first.series_latency_ns,
                                first.num_series * sizeof(double));
            assert_int_equal(r.latency.sum, first.latency.sum);
            assert_int_equal(r.latency.num_buckets, first.latency.num_buckets);
            assert_memory_equal(r.latency.buckets, first.latency.buckets,
                                first.latency.num_buckets * 8);
            assert_true(r.throughput == first.throughput && r.offered == first.offered &&
                        r.fairness == first.fairness);
            sim_result_clear(&r);
        }
        sim_result_clear(&first);
    }
}

/* Another seed, another run; the same seed, the same run. */
static void test_seeds(void **state)
{
    (void)state;
    scenario c = model_at(0);
    c.measure = "warmup=0 ns;duration=20 us";
    ik_sim_result a = simulate(c), b = simulate(c);
    c.seed = 2;
    ik_sim_result d = simulate(c);
    assert_true(a.checksum == b.checksum && a.checksum != d.checksum);
    sim_result_clear(&a);
    sim_result_clear(&b);
    sim_result_clear(&d);
}

/* Naive minimal routing on a ring: the watchdog names a cycle of packets and buffers. Up/down on
 * the same ring runs on. */
static void test_watchdog(void **state)
{
    (void)state;
    scenario c = {.fabric = "torus:dims=5,p=2",
                  .routing = "minimal",
                  .vc = "1q",
                  .traffic = "shift:by=4",
                  .load = 1,
                  .sw = "buffer=16 KiB",
                  .measure = "warmup=0 ns;duration=5 ms;paranoid=true"};
    static const char *const switches[] = {"buffer=16 KiB;voq=true", "buffer=16 KiB;voq=false",
                                           "buffer=16 KiB;model=ideal",
                                           "buffer=16 KiB;model=ioq;output_buffer=16 KiB"};
    for (unsigned k = 0; k < 4; k++) {
        c.sw = switches[k];
        for (unsigned threads = 1; threads < 3; threads++) {
            c.threads = threads;
            ik_sim_result r = simulate(c);
            assert_true(r.deadlock && r.deadlock_text);
            unsigned lines = 0;
            for (const char *at = r.deadlock_text; (at = strchr(at, '\n')); at++)
                lines++;
            assert_true(lines >= 2 && lines <= 10);
            assert_non_null(strstr(r.deadlock_text, "waits for"));
            assert_null(strstr(r.deadlock_text, DEADLOCK_STANDSTILL)); /* a cycle was found */
            assert_true(r.end_ps < 5000000000);
            sim_result_clear(&r);
        }
    }
    c.routing = "updown";
    for (unsigned k = 0; k < 4; k++) {
        c.sw = switches[k];
        ik_sim_result r = simulate(c);
        assert_false(r.deadlock);
        sim_result_clear(&r);
    }
}

/* Unconnected hosts are silent, packets to them are counted and taken out. */
static void test_damage(void **state)
{
    (void)state;
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    uint32_t sw = ik_builder_switches(b, 1, 8), host = ik_builder_hosts(b, 4, 1);
    uint16_t link = ik_builder_class(b, 100000000000, 5000, NULL);
    for (uint32_t h = 0; h < 3; h++)
        ik_builder_link(b, ik_hs(host + h, 0), ik_sw(sw, h), link);
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    ik_sim_result r = {0};
    ik_error err = {0};
    scenario c = {.routing = "minimal",
                  .vc = "1q",
                  .traffic = "uniform",
                  .load = 0.5,
                  .measure = "warmup=0 ns;duration=50 us;paranoid=true"};
    assert_int_equal(simulate_on(f, &c, &r, &err), IK_OK);
    assert_true(r.packets_unroutable > 0 && r.packets_delivered > 0 && r.hosts_silent == 1);
    assert_false(r.deadlock);
    sim_result_clear(&r);
    ik_fabric_free(f);
}

static void test_refusals(void **state)
{
    (void)state;
    scenario good = {.fabric = "karytree:k=2,n=2", .routing = "dmodk", .vc = "1q", .load = 0.5}, c;
    c = good, c.fabric = "karytree:k=2,n=2,latency=0 ns";
    refuse(c, IK_ERR_UNSUPPORTED, "latency");
    c = good, c.load = -1; /* 0 is the default */
    refuse(c, IK_ERR_USAGE, "load");
    c = good, c.sw = "buffer=1 KiB";
    refuse(c, IK_ERR_USAGE, "cannot hold a packet");
    c = good, c.sw = "input_speedup=2";
    refuse(c, IK_ERR_USAGE, "input_speedup");
}

static void test_memory_limit_and_cancel(void **state)
{
    (void)state;
    const int raised = 1;
    ik_env env = {.seed = 1, .memory_limit_bytes = 1000};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_error err = {0};
    ik_sim_result r = {0};
    ik_sim_config config = {.load = 0.5};
    assert_int_equal(ik_fabric_from_spec("karytree:k=2,n=2", NULL, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, "dmodk", NULL, NULL, 0, NULL, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, "uniform", &env, &traffic, &err), IK_OK);
    assert_true(ik_sim_estimate_bytes(plan, &config) > 1000);
    assert_int_equal(sim_run(plan, traffic, &config, &env, &r, &err), IK_ERR_MEMORY);
    env.memory_limit_bytes = 0;
    env.cancel = &raised;
    assert_int_equal(sim_run(plan, traffic, &config, &env, &r, &err), IK_ERR_CANCELLED);
    env.cancel = NULL;
    assert_int_equal(sim_run(plan, traffic, &config, &env, &r, &err), IK_OK);
    assert_true(r.throughput > 0.4 && r.threads == 1);
    uint64_t largest = r.state_bytes;
    sim_result_clear(&r);
    ik_sim_estimate estimate;
    ik_sim_estimate_run(plan, &config, &estimate);
    for (env.num_threads = 1; env.num_threads < 4; env.num_threads++) {
        /* enough to begin with, not for what it grows to */
        env.memory_limit_bytes = ik_sim_estimate_bytes(plan, &config) +
                                 (env.num_threads - 1) * estimate.thread_bytes + (32 << 10);
        assert_true(env.num_threads > 1 || env.memory_limit_bytes < largest);
        assert_int_equal(sim_run(plan, traffic, &config, &env, &r, &err), IK_ERR_MEMORY);
        assert_non_null(strstr(err.text, "has grown to"));
        env.memory_limit_bytes = 4 * largest;
        assert_int_equal(sim_run(plan, traffic, &config, &env, &r, &err), IK_OK);
        sim_result_clear(&r);
    }
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

static void test_histogram(void **state)
{
    (void)state;
    ik_sim_result r = simulate(model_at(0));
    uint64_t count = 0;
    for (size_t b = 0; b < r.latency.num_buckets; b++)
        count += r.latency.buckets[b];
    assert_true(count == r.latency.count && count > 0);
    assert_true(ik_histogram_percentile(&r.latency, 0) >= (double)r.latency.min);
    assert_true(ik_histogram_percentile(&r.latency, 1) == (double)r.latency.max);
    assert_true(ik_histogram_percentile(&r.latency, 0.5) <=
                ik_histogram_percentile(&r.latency, 0.99));
    for (size_t b = 0; b < 7000; b++)
        assert_true(ik_histogram_bucket_low(b) < ik_histogram_bucket_low(b + 1));
    sim_result_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_conservation), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_seeds),     cmocka_unit_test(test_watchdog),
        cmocka_unit_test(test_damage),    cmocka_unit_test(test_refusals),
        on_one_thread(test_histogram),    cmocka_unit_test(test_memory_limit_and_cancel),
    };
    /* the others run on one thread: minutes that prove nothing about threads */
    if (THREAD_SANITIZED)
        cmocka_set_test_filter("test_threads");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
