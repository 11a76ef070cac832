/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches: so many messages of every host, with and without replies. Closed forms on an ideal
 * crossbar, one reply for every request, limits kept, the same results by both engines and on any
 * number of threads, what is missing, refusals. */
#include "sim_hash.h"
#include "sim_run_by.h"
#include "unit/part.h"

#define ENDS "until=delivered;at_most=20 ms"

/* 100 Gb/s: 80 ps a byte; 10 ns a link. */
static ik_sim_result on_crossbar(uint32_t hosts, const char *traffic, const char *adapter)
{
    static const char *const sw = "model=ideal;routing_delay=0 ns";
    char fabric[80];
    snprintf(fabric, sizeof fabric, "crossbar:n=%u,latency=10 ns,link_rate=100 Gb/s", hosts);
    ik_sim_result r = simulate((scenario){.fabric = fabric,
                                          .routing = "minimal",
                                          .traffic = traffic,
                                          .sw = sw,
                                          .adapter = adapter,
                                          .measure = ENDS ";paranoid=true",
                                          .load = 1});
    assert_true(r.finite && r.completed && !r.missing_text);
    assert_int_equal(r.end_ps, r.completion_ps);
    assert_int_equal(r.packets_in_flight, 0);
    return r;
}

static uint64_t one_way(uint64_t bytes)
{
    return 20000 + bytes * 80;
}

/* All hosts in lockstep, one request at a time: so many round trips. */
static void test_one_at_a_time(void **state)
{
    static const struct {
        uint64_t messages, repeat, request, reply, service_ps;
    } of[] = {{1, 1, 64, 4096, 0},
              {50, 1, 64, 4096, 0},
              {50, 1, 4096, 64, 333000},
              {7, 5, 256, 10000, 7},
              {1, 40, 9000, 1, 0}};
    (void)state;
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++)
        for (uint32_t hosts = 2; hosts <= 17; hosts += 5) {
            char traffic[120], adapter[160];
            uint64_t all = of[k].messages * of[k].repeat,
                     largest = of[k].request > of[k].reply ? of[k].request : of[k].reply;
            snprintf(traffic, sizeof traffic,
                     "batch:pattern=shift:by=1,messages=%d,repeat=%d,bytes=%d B",
                     (int)of[k].messages, (int)of[k].repeat, (int)of[k].request);
            snprintf(adapter, sizeof adapter,
                     "packet=%d B;reply=%d B;service_time=%d ps;max_outstanding=1", (int)largest,
                     (int)of[k].reply, (int)of[k].service_ps);
            ik_sim_result r = on_crossbar(hosts, traffic, adapter);
            uint64_t round_trip = one_way(of[k].request) + of[k].service_ps + one_way(of[k].reply);
            assert_int_equal(r.completion_ps, all * round_trip);
            assert_int_equal(r.replies.round_trip.count, all * hosts);
            assert_int_equal(r.replies.round_trip.min, round_trip);
            assert_int_equal(r.replies.round_trip.max, round_trip);
            assert_int_equal(r.workload_messages, 2 * all * hosts);
            assert_int_equal(r.workload_bytes, all * hosts * (of[k].request + of[k].reply));
            assert_true(r.replies.mean_outstanding > 1 - 1e-9 &&
                        r.replies.mean_outstanding < 1 + 1e-9);
            for (uint32_t h = 0; h < hosts; h++)
                assert_int_equal(r.host_finish_ps[h], r.completion_ps);
            sim_result_clear(&r);
        }
}

/* One client and one server: a batch takes the first request's way, then what its replies take the
 * server's link, then a last latency; so many batches one after the other. */
static void test_many_at_a_time(void **state)
{
    (void)state;
    for (unsigned repeat = 1; repeat <= 3; repeat++)
        for (unsigned most = 0; most <= 8; most += 4) {
            char traffic[160], adapter[120], limit[40] = "";
            snprintf(traffic, sizeof traffic,
                     "batch:pattern=hotspot:nodes=0;fraction=50%%;rest=silent,messages=60,"
                     "bytes=64 B,repeat=%u",
                     repeat);
            if (most)
                snprintf(limit, sizeof limit, ";max_outstanding=%u", most);
            snprintf(adapter, sizeof adapter, "packet=4 KiB;reply=4 KiB;service_time=1 ns%s",
                     limit);
            ik_sim_result r = on_crossbar(2, traffic, adapter);
            uint64_t each = one_way(64) + 1000 + 60 * 4096 * 80 + 20000;
            assert_int_equal(r.completion_ps, repeat * each);
            assert_int_equal(r.replies.round_trip.count, 60 * repeat);
            assert_int_equal(r.hosts_silent, 1);
            assert_true(!most || r.replies.mean_outstanding <= most);
            sim_result_clear(&r);
        }
}

/* Without replies: what a host's link takes for its messages, and one latency. */
static void test_without_replies(void **state)
{
    static const char *const sizes[] = {"64 B", "256 B", "3000 B"};
    static const uint64_t bytes[] = {64, 256, 3000};
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        char traffic[100];
        snprintf(traffic, sizeof traffic, "batch:pattern=shift:by=2,messages=100,bytes=%s",
                 sizes[k]);
        ik_sim_result r = on_crossbar(5, traffic, "packet=256 B");
        assert_int_equal(r.completion_ps, 20000 + 100 * bytes[k] * 80);
        assert_int_equal(r.workload_bytes, 500 * bytes[k]);
        assert_int_equal(r.workload_messages, 500);
        sim_result_clear(&r);
    }
}

/* What a pattern leaves out is not sent and not waited for, in any repetition. */
static void test_gaps(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    ik_traffic *t = NULL;
    const char *spec = "batch:pattern=70%*hotspot:nodes=0;fraction=40%;rest=silent+30%*"
                       "hotspot:nodes=3;fraction=30%;rest=silent,messages=2,repeat=9,bytes=1 KiB";
    ik_env env = {.seed = 1};
    ik_error err = {0};
    assert_int_equal(ik_fabric_from_spec("crossbar:n=9", &env, &f, &err), IK_OK);
    if (ik_traffic_from_spec(f, spec, &env, &t, &err) != IK_OK)
        fail_msg("%s", err.text);
    uint64_t all = 0, some = 0;
    for (uint32_t host = 0; host < 9; host++)
        for (uint64_t n = 0; n < 18; n++) {
            bool sent = !ik_traffic_is_silent(t, host) && t->family->dest(t, host, n) != IK_NONE;
            all += sent;
            some += !sent;
        }
    assert_true(all > 0 && some > 0 && t->gaps);
    assert_int_equal(t->workload->num_messages, all);
    ik_sim_result r = on_crossbar(9, spec, "packet=1 KiB;reply=100 B;max_outstanding=2");
    assert_int_equal(r.replies.round_trip.count, all);
    assert_int_equal(r.packets_delivered, 2 * all);
    sim_result_clear(&r);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* ---- engines and threads */

static const struct {
    const char *traffic, *adapter;
} batches[] = {
    {"batch:messages=40,bytes=1 KiB", "packet=256 B"},
    {"batch:messages=100,bytes=256 B", "packet=256 B"},
    {"batch:pattern=permutation,messages=30,bytes=1000 B", "packet=256 B;interleave=fifo"},
    {"batch:messages=20,bytes=1 KiB", "packet=256 B;queues=destination;active=unlimited"},
    {"batch:messages=20,bytes=512 B",
     "packet=256 B;in_order=true;reorder_buffer=1 KiB;queues=destination"},
    {"batch:messages=20,bytes=512 B", "packet=256 B;queues=one;injection_fraction=70%"},
    {"batch:messages=40,bytes=64 B", "packet=512 B;reply=1 KiB;max_outstanding=3"},
    {"batch:messages=10,bytes=1 KiB,repeat=4", "packet=256 B;reply=64 B"},
    {"batch:messages=10,bytes=300 B,repeat=4",
     "packet=256 B;reply=2000 B;max_outstanding=4;service_time=90 ns;queues=one"},
    {"batch:pattern=60%*uniform+40%*in=hotspot:nodes=1,messages=25,bytes=512 B,repeat=2",
     "packet=256 B;reply=512 B;max_outstanding=2"},
};

static const struct {
    const char *fabric, *routing, *vc, *sw;
    unsigned vcs;
} nets[] = {{"karytree:k=4,n=2", "dmodk", NULL, "", 1},
            {"karytree:k=4,n=2,latency=300 ns", "adaptive_tree", "dbbm", "", 2},
            {"torus:dims=4:2,p=2", "dor", NULL, "model=ioq", 0},
            {"hyperx:dims=4:2,p=2", "ugal_l", NULL, "model=ideal", 0}};

static void test_engines_and_threads_agree(void **state)
{
    unsigned number = 0;
    (void)state;
    for (unsigned k = 0; k < sizeof batches / sizeof *batches; k++)
        for (unsigned n = 0; n < sizeof nets / sizeof *nets; n++) {
            if (!in_part(number++, 5))
                continue;
            scenario c = {.fabric = nets[n].fabric,
                          .routing = nets[n].routing,
                          .vc = nets[n].vc,
                          .traffic = batches[k].traffic,
                          .adapter = batches[k].adapter,
                          .sw = nets[n].sw,
                          .measure = ENDS ";series=1 us",
                          .load = 1,
                          .num_vcs = nets[n].vcs,
                          .threads = 1};
            ik_sim_result first = run_by(&sim_general_engine, c);
            if (!first.completed)
                fail_msg("%s on %s: %s", c.traffic, c.fabric, first.missing_text);
            assert_int_equal(first.packets_generated, first.packets_delivered);
            for (c.threads = fewest_threads(); c.threads <= MOST_THREADS; c.threads++) {
                ik_sim_result general = run_by(&sim_general_engine, c), any = run_by(NULL, c);
                expect_same(c.traffic, &first, &general, 16);
                expect_same(c.traffic, &first, &any, 16);
                assert_int_equal(any.replies.round_trip.sum, first.replies.round_trip.sum);
                assert_true(any.replies.mean_outstanding == first.replies.mean_outstanding);
                sim_result_clear(&general);
                sim_result_clear(&any);
            }
            sim_result_clear(&first);
        }
}

/* ---- what is missing */

static void test_what_is_missing(void **state)
{
    static const struct {
        const char *adapter, *text;
    } of[] = {
        {"packet=1 KiB;reply=1 KiB;max_outstanding=1", "host 0: 1 request is without a reply"},
        /* the reply would be made after the end */
        {"packet=1 KiB;reply=1 B;service_time=1 ms", "requests are without a reply"},
        {"packet=1 KiB", "packets are not delivered"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        scenario c = {.fabric = "crossbar:n=4",
                      .routing = "minimal",
                      .traffic = "batch:messages=1000,bytes=1 KiB",
                      .adapter = of[k].adapter,
                      .measure = "until=delivered;at_most=20 us",
                      .load = 1};
        ik_sim_result r = simulate(c);
        assert_true(r.finite && !r.completed);
        assert_int_equal(r.end_ps, 20000000);
        if (!strstr(r.missing_text, "at_most was reached") || !strstr(r.missing_text, of[k].text))
            fail_msg("%s", r.missing_text);
        sim_result_clear(&r);
    }
}

/* Wherever a run is cut off, also within what an engine has drawn ahead, each says the same of the
 * messages at hosts: of one packet and of several, in one queue and in two. */
static void test_what_is_missing_by_both_engines(void **state)
{
    static const char *const traffic[] = {
        "batch:messages=30,bytes=700 B", "batch:messages=150,bytes=100 B",
        "batch:pattern=60%*shift:by=1+40%*hotspot:nodes=0;fraction=40%;rest=silent,messages=20"};
    (void)state;
    for (unsigned n = 0; n < 3 * sizeof traffic / sizeof *traffic; n++)
        for (unsigned ns = 200; ns < 1200; ns += 170) {
            char measure[80];
            snprintf(measure, sizeof measure, "until=delivered;at_most=%u ns", ns);
            scenario c = {.fabric = "torus:dims=3:4,p=2",
                          .routing = n / 3 == 1 ? "dor" : "minimal:paths=one",
                          .vc = "any",
                          .traffic = traffic[n % 3],
                          .sw = n / 3 == 2 ? "buffer=1 KiB" : "buffer=450 B",
                          .adapter = "packet=100 B",
                          .measure = measure,
                          .load = 1,
                          .num_vcs = 1 + n / 3 / 2,
                          .threads = 1 + n % 2};
            ik_sim_result general = run_by(&sim_general_engine, c), any = run_by(NULL, c);
            assert_false(general.completed);
            if (strcmp(general.missing_text, any.missing_text))
                fail_msg("%s, %u ns: %s\n%s", c.traffic, ns, general.missing_text,
                         any.missing_text);
            assert_int_equal(general.packets_generated, any.packets_generated);
            sim_result_clear(&general);
            sim_result_clear(&any);
        }
}

/* What is left at at_most is counted at once, however much it is. */
static void test_what_is_left_of_many(void **state)
{
    static const struct {
        const char *traffic, *adapter, *sw;
        uint64_t packets; /* of every host */
    } of[] = {
        {"batch:messages=2147483647,bytes=64 B", "packet=64 B", "", 2147483647},
        {"batch:messages=2147483647,bytes=65 B", "packet=64 B", "model=ioq", 2 * 2147483647ull},
        {"batch:messages=2147483647,bytes=64 B", "packet=64 B", "model=ideal", 2147483647},
        {"exchange:bytes=300000000100 B", "packet=256 B", "", 3 * 1171875001ull},
        {"exchange:bytes=300000000100 B,visits=7", "packet=256 B", "", 3 * 1171875001ull},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            ik_sim_result r = simulate((scenario){.fabric = "crossbar:n=4",
                                                  .routing = "minimal",
                                                  .traffic = of[k].traffic,
                                                  .adapter = of[k].adapter,
                                                  .sw = of[k].sw,
                                                  .measure = "until=delivered;at_most=1 us",
                                                  .load = 1,
                                                  .threads = threads});
            assert_true(r.finite && !r.completed);
            assert_int_equal(r.packets_generated, 4 * of[k].packets);
            sim_result_clear(&r);
        }
}

static void test_refusals(void **state)
{
    static const struct {
        const char *traffic, *adapter, *measure, *sw, *text;
        ik_status status;
    } wrong[] = {
        {"batch:pattern=exchange", "", ENDS, "", "it is itself a finite workload", IK_ERR_USAGE},
        {"batch:pattern=schedule:@5 us=uniform+shift", "", ENDS, "", "schedule", IK_ERR_USAGE},
        {"batch:repeat=2", "", ENDS, "", "repeat = 2: a batch begins when", IK_ERR_USAGE},
        {"batch", "", "", "", "ends, and is measured until it is delivered", IK_ERR_USAGE},
        {"batch", "message=64 B", ENDS, "", "'message': it has no effect", IK_ERR_USAGE},
        {"batch", "injection=poisson", ENDS, "", "'injection': it has no effect", IK_ERR_USAGE},
        {"batch", "active=5", ENDS, "", "no message of 'batch' is larger", IK_ERR_USAGE},
        {"batch:bytes=9 KiB", "active=unlimited", ENDS, "", "would keep all messages",
         IK_ERR_USAGE},
        {"batch", "max_outstanding=5", ENDS, "", "'max_outstanding': it has no effect",
         IK_ERR_INPUT},
        {"batch:messages=2000000000", "reply=1 B", ENDS, "", "would send more than",
         IK_ERR_UNSUPPORTED},
        {"batch:messages=300000000", "reply=1 B", ENDS, "", "might have to send more than",
         IK_ERR_UNSUPPORTED},
        {"batch:pattern=70%*uniform+30%*hotspot:nodes=1;fraction=50%;rest=silent,"
         "messages=2147483647",
         "", ENDS, "", "which leaves single messages out", IK_ERR_UNSUPPORTED},
        {"jobs:jobs=a=batch:messages=5&b=exchange", "", ENDS, "", "a batch runs alone",
         IK_ERR_UNSUPPORTED},
        {"exchange", "reply=64 B", ENDS, "", "only traffic 'batch' is answered",
         IK_ERR_UNSUPPORTED},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refuse((scenario){.fabric = "karytree:k=2,n=2",
                          .routing = "dmodk",
                          .traffic = wrong[k].traffic,
                          .adapter = wrong[k].adapter,
                          .measure = wrong[k].measure,
                          .sw = wrong[k].sw,
                          .load = 1},
               wrong[k].status, wrong[k].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {on_one_thread(test_one_at_a_time),
                                       on_one_thread(test_many_at_a_time),
                                       on_one_thread(test_without_replies),
                                       cmocka_unit_test(test_gaps),
                                       cmocka_unit_test(test_engines_and_threads_agree),
                                       cmocka_unit_test(test_what_is_missing),
                                       cmocka_unit_test(test_what_is_missing_by_both_engines),
                                       cmocka_unit_test(test_what_is_left_of_many),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
