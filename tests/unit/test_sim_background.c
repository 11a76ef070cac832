/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs that never end beside jobs that do: closed forms on an ideal crossbar, what is measured ends
 * with the last job that ends, the same results by both engines and on any number of threads,
 * refusals. */
#include "sim_hash.h"
#include "sim_run_by.h"
#include "unit/part.h"
#include <unistd.h>

#define ENDS "until=delivered;at_most=5 ms"

static ik_sim_result on_crossbar(const char *traffic, const char *adapter)
{
    ik_sim_result r =
        simulate((scenario){.fabric = "crossbar:n=12,latency=10 ns,link_rate=100 Gb/s",
                            .routing = "minimal",
                            .traffic = traffic,
                            .sw = "model=ideal;routing_delay=0 ns",
                            .adapter = adapter,
                            .measure = ENDS ";paranoid=true",
                            .load = 1});
    assert_true(r.finite && r.completed && !r.missing_text);
    assert_int_equal(r.end_ps, r.completion_ps);
    return r;
}

/* However late at_most is, nothing is counted after what ends is done. */
static void test_a_late_end(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r =
            simulate((scenario){.fabric = "crossbar:n=4",
                                .routing = "minimal",
                                .traffic = "jobs:jobs=a=exchange:hosts=0..1&"
                                           "b@50%=subset:pattern=uniform|hosts=2..3",
                                .measure = k ? "until=delivered;at_most=1000 s" : ENDS,
                                .load = 1});
        assert_true(r.completed);
        assert_true(k == 0 || r.packets_generated == first);
        first = r.packets_generated;
        sim_result_clear(&r);
    }
}

/* They share no link: the exchange takes what it takes alone, the others get their load. */
static void test_apart(void **state)
{
    static const char *const injections[] = {"periodic", "poisson", "bernoulli"};
    (void)state;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned load = 20; load <= 100; load += 40) {
            char traffic[200], adapter[80];
            snprintf(traffic, sizeof traffic,
                     "jobs:jobs=a=exchange:hosts=0..5|order=shift|bytes=64 KiB&"
                     "b@%u%%=subset:pattern=shift:by=1|hosts=6..11",
                     load);
            snprintf(adapter, sizeof adapter, "packet=256 B;injection=%s", injections[k]);
            ik_sim_result r = on_crossbar(traffic, adapter);
            assert_int_equal(r.completion_ps, 5 * 65536 * 80 + 20000);
            assert_int_equal(r.num_classes, 2);
            assert_string_equal(r.classes[1].name, "b");
            /* of all 12 hosts; what is under way at the end has not come */
            double expected = load / 200.0, off = k ? 0.05 : 0.005;
            if (r.classes[1].offered < expected * (1 - off) ||
                r.classes[1].offered > expected * (1 + off))
                fail_msg("%s, %s: %g offered", traffic, adapter, r.classes[1].offered);
            assert_true(r.classes[1].throughput <= r.classes[1].offered);
            assert_true(r.classes[1].throughput > 0.99 * r.classes[1].offered - 0.001);
            assert_int_equal(r.classes[0].latency.count, 30 * 256);
            assert_true(k || r.classes[1].latency.max == 20000 + 256 * 80);
            assert_true(r.workload_bytes == 30 * 65536);
            sim_result_clear(&r);
        }
}

/* Nothing is made before the start, nor counted after the end. */
static void test_start(void **state)
{
    (void)state;
    ik_sim_result r = on_crossbar("jobs:jobs=a=exchange:hosts=0..5|order=shift|bytes=64 KiB&"
                                  "b@10 us@100%=subset:pattern=shift:by=1|hosts=6..11",
                                  "packet=256 B");
    double rest = (double)(r.completion_ps - 10000000) / (double)r.completion_ps / 2;
    assert_true(r.classes[1].offered > rest - 0.002 && r.classes[1].offered < rest + 0.002);
    assert_true(r.packets_generated >= r.packets_delivered);
    sim_result_clear(&r);
}

/* Into a host of the job that ends: it shares its link with what comes from the background. */
static void test_together(void **state)
{
    char path[] = "/tmp/ikat_background_XXXXXX";
    int at = mkstemp(path);
    uint64_t own = 5 * 65536 * 80 + 20000, before = own;
    (void)state;
    assert_true(at >= 0);
    FILE *to = fdopen(at, "w");
    assert_non_null(to);
    fputs("source,destination,weight\n6,0,1\n", to);
    assert_int_equal(fclose(to), 0);
    for (unsigned load = 10; load <= 90; load += 40) {
        char traffic[200];
        snprintf(traffic, sizeof traffic,
                 "jobs:jobs=a=exchange:hosts=0..5|order=shift|bytes=64 KiB&b@%u%%=file:path=%s",
                 load, path);
        ik_sim_result r = on_crossbar(traffic, "packet=256 B");
        uint64_t link = r.completion_ps - 20000;
        /* at most it takes host 0's link as much as is offered, and half of it */
        double share = load < 50 ? load / 100.0 : 0.5;
        assert_true(r.completion_ps > before);
        assert_true((double)own / (double)link > 1 - share - 0.03);
        before = r.completion_ps;
        sim_result_clear(&r);
    }
    assert_int_equal(unlink(path), 0);
}

/* ---- engines and threads */

static const char *const jobs[] = {
    "jobs:jobs=a=exchange:hosts=0..7|bytes=4 KiB&b@40%=subset:hosts=8..15",
    "jobs:jobs=b@70%=subset:pattern=hotspot:nodes=0;fraction=50%|hosts=1:3:5:7&"
    "a@1 us=exchange:hosts=0:2:4:6|bytes=4 KiB|repeat=2",
    "jobs:jobs=a=collective:allreduce|hosts=0..5|bytes=20 KiB&x@300 ns@15%=subset:hosts=6..9&"
    "y@90%=subset:hosts=10..15|pattern=permutation&z=exchange:hosts=14:15:6|bytes=1 KiB",
};

static const struct {
    const char *fabric, *routing, *vc, *sw, *adapter;
    unsigned vcs;
} nets[] = {
    {"karytree:k=4,n=2", "dmodk", NULL, "", "packet=256 B", 1},
    {"karytree:k=4,n=2,latency=300 ns", "adaptive_tree", "dbbm", "", "packet=256 B;queues=one", 2},
    {"torus:dims=4:2,p=2", "dor", NULL, "model=ioq",
     "packet=256 B;queues=destination;injection=poisson", 0},
    {"hyperx:dims=4:2,p=2", "ugal_l", NULL, "model=ideal", "packet=512 B;injection=bernoulli", 0}};

/* In the last list two jobs share a host: only its refusal is looked at. */
static void test_engines_and_threads_agree(void **state)
{
    unsigned number = 0;
    (void)state;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned n = 0; n < sizeof nets / sizeof *nets; n++) {
            if (!in_part(number++, 2))
                continue;
            char until[80];
            scenario c = {.fabric = nets[n].fabric,
                          .routing = nets[n].routing,
                          .vc = nets[n].vc,
                          .traffic = jobs[k],
                          .adapter = nets[n].adapter,
                          .sw = nets[n].sw,
                          .measure = ENDS ";series=500 ns;watchdog=2 us",
                          .load = 1,
                          .num_vcs = nets[n].vcs,
                          .threads = 1};
            ik_fabric *f = NULL;
            assert_int_equal(ik_fabric_from_spec(c.fabric, &(ik_env){.seed = 1}, &f, NULL), IK_OK);
            ik_sim_result first = simulate(c);
            assert_true(first.completed && first.num_classes > 1);
            snprintf(until, sizeof until, "until=delivered;at_most=%llu ps;series=500 ns",
                     (unsigned long long)first.completion_ps);
            for (; c.threads <= 3; c.threads++) {
                ik_sim_result r = {0};
                ik_error err = {0};
                assert_int_equal(simulate_on(f, &c, &r, &err), IK_OK);
                if (hash_result(f, &r) != hash_result(f, &first))
                    fail_msg("%s on %s: %u threads differ", c.traffic, c.fabric, c.threads);
                sim_result_clear(&r);
                scenario end = c;
                end.measure = until;
                ik_sim_result general = run_by(&sim_general_engine, end), any = run_by(NULL, end);
                expect_same(c.traffic, &first, &general, 16);
                expect_same(c.traffic, &first, &any, 16);
                assert_true(any.classes[0].throughput == first.classes[0].throughput);
                assert_true(any.classes[1].throughput == first.classes[1].throughput);
                sim_result_clear(&general);
                sim_result_clear(&any);
            }
            sim_result_clear(&first);
            ik_fabric_free(f);
        }
}

static void test_what_is_missing(void **state)
{
    (void)state;
    ik_sim_result r = simulate((scenario){.fabric = "karytree:k=4,n=2",
                                          .routing = "dmodk",
                                          .traffic = jobs[0],
                                          .adapter = "packet=256 B",
                                          .measure = "until=delivered;at_most=1 us",
                                          .load = 1});
    assert_true(r.finite && !r.completed && !r.deadlock);
    assert_int_equal(r.end_ps, 1000000);
    assert_non_null(strstr(r.missing_text, "at_most was reached"));
    assert_non_null(strstr(r.missing_text, "messages are not delivered"));
    sim_result_clear(&r);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *traffic, *adapter, *text;
        ik_status status;
    } wrong[] = {
        {"jobs:jobs=a@30%=uniform", "", "no job ends", IK_ERR_USAGE},
        {"jobs:jobs=a=uniform&b=exchange:hosts=0..1", "", "never ends, and has no load",
         IK_ERR_USAGE},
        {"jobs:jobs=a@20%=exchange:hosts=0..1&b=exchange:hosts=2..3", "", "its load has no effect",
         IK_ERR_USAGE},
        {"jobs:jobs=a@120%=subset:hosts=2..3&b=exchange:hosts=0..1", "", "is not a load above 0",
         IK_ERR_USAGE},
        {"jobs:jobs=a@x=subset:hosts=2..3&b=exchange:hosts=0..1", "", "is not a start",
         IK_ERR_USAGE},
        {"jobs:jobs=a@20%=uniform&b=exchange:hosts=0..1", "", "host 0 is in job 'a' and in job 'b'",
         IK_ERR_USAGE},
        {"jobs:jobs=a@20%=subset:hosts=2..3&b=exchange:hosts=0..1", "injection=bursty",
         "bursty cannot be used with background jobs", IK_ERR_UNSUPPORTED},
        {"jobs:jobs=a=exchange:hosts=2..3&b=exchange:hosts=0..1", "injection=poisson",
         "'injection': it has no effect", IK_ERR_USAGE},
        {"jobs:jobs=a@20%=subset:hosts=2&b=exchange:hosts=0..1", "",
         "job 'a': no host has anything to send", IK_ERR_USAGE},
        {"jobs:jobs=a@18446744 s=exchange:hosts=2..3&b=exchange:hosts=0..1", "",
         "is later than 1000 s", IK_ERR_USAGE},
        {"subset:hosts=0..1,pattern=exchange", "", "it ends, and says itself", IK_ERR_USAGE},
        {"subset:hosts=0..1,pattern=worst", "", "made for the fabric", IK_ERR_USAGE},
        {"subset:hosts=0:0", "", "appears twice", IK_ERR_USAGE},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refuse((scenario){.fabric = "karytree:k=2,n=2",
                          .routing = "dmodk",
                          .traffic = wrong[k].traffic,
                          .adapter = wrong[k].adapter,
                          .measure = ENDS,
                          .load = 1},
               wrong[k].status, wrong[k].text);
    refuse((scenario){.fabric = "karytree:k=4,n=2",
                      .routing = "dmodk",
                      .traffic = jobs[2],
                      .measure = ENDS,
                      .load = 1},
           IK_ERR_USAGE, "is in job");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_late_end),
                                       on_one_thread(test_apart),
                                       on_one_thread(test_start),
                                       on_one_thread(test_together),
                                       cmocka_unit_test(test_engines_and_threads_agree),
                                       cmocka_unit_test(test_what_is_missing),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
