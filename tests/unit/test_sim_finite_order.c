/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads whose packets are delivered in order: a message is there when its last packet is
 * delivered in order, and starts what waits for it then. */
#include "sim_run_by.h"
#include "unit/part.h"
#include <unistd.h>

#define ENDS "until=delivered;at_most=50 ms"

/* Every kind of reorder buffer. */
static const char *const buffers[] = {
    "in_order=true",
    "in_order=true;reorder_buffer=0 B",
    "in_order=true;reorder_buffer=0 B;throttle=strict",
    "in_order=true;reorder_buffer=1 KiB;reorder_scope=flow;control_delay=ideal",
    "in_order=true;reorder_buffer=512 B;reorder_scope=flow;throttle=strict",
    "in_order=true;reorder_buffer=1 KiB",
    "in_order=true;reorder_buffer=256 B;control_delay=ideal",
    "in_order=true;reorder_buffer=2 KiB;throttle=strict;queues=one",
    "in_order=true;queues=destination",
    "queues=destination",
};
enum { NUM_BUFFERS = sizeof buffers / sizeof *buffers };

static scenario scenario_of(const char *fabric, const char *routing, const char *traffic,
                            const char *buffer, char *adapter)
{
    snprintf(adapter, 200, "packet=256 B;%s", buffer);
    return (scenario){.fabric = fabric,
                      .routing = routing,
                      .traffic = traffic,
                      .adapter = adapter,
                      .sw = "buffer=4 KiB",
                      .measure = ENDS,
                      .load = 1,
                      .threads = 1};
}

/* ---- engines and threads, every kind of buffer */

static void test_engines_and_threads_agree(void **state)
{
    static const char *const traffics[] = {
        "exchange:bytes=1000 B",
        "exchange:bytes=2560 B,visits=3,order=shift,repeat=2",
        "exchange:pattern=neighbour:dims=3:3:3,bytes=2 KiB,repeat=2",
        "collective:allreduce,algorithm=rabenseifner,processes=20,mapping=random,bytes=10 KiB",
        "nas:lu,bytes=600 B,planes=2,processes=16",
        ("jobs:jobs=a=exchange:hosts=0..7|bytes=2 KiB&b@1 us=collective:allgather|hosts=8..26|"
         "bytes=600 B"),
    };
    static const struct {
        const char *fabric, *routing;
    } nets[] = {{"karytree:k=3,n=3", "oblivious"},
                {"karytree:k=3,n=3,latency=300 ns", "adaptive_tree"},
                {"karytree:k=3,n=3", "dmodk"}};
    unsigned number = 0;
    char adapter[200];
    (void)state;
    for (unsigned k = 0; k < sizeof traffics / sizeof *traffics; k++)
        for (unsigned n = 0; n < 3; n++)
            for (unsigned b = 0; b < NUM_BUFFERS; b++) {
                if (!in_part(number++, 4))
                    continue;
                scenario c =
                    scenario_of(nets[n].fabric, nets[n].routing, traffics[k], buffers[b], adapter);
                c.measure = ENDS ";paranoid=true";
                ik_sim_result first = run_by(&sim_general_engine, c);
                if (!first.completed)
                    fail_msg("%s, %s: %s", c.traffic, adapter, first.missing_text);
                assert_int_equal(first.packets_generated, first.packets_delivered);
                c.measure = ENDS;
                for (c.threads = fewest_threads(); c.threads <= MOST_THREADS; c.threads++) {
                    ik_sim_result any = run_by(NULL, c);
                    expect_same(adapter, &first, &any, 27);
                    sim_result_clear(&any);
                }
                sim_result_clear(&first);
            }
}

/* ---- what order changes */

/* With an unlimited buffer the network does what it does without order, so the last delivery to a
 * host, which nothing waits for, is at the same time. */
static void test_order_alone_delays_nobody(void **state)
{
    char adapter[200];
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        scenario c =
            scenario_of("karytree:k=3,n=3", "oblivious", "exchange:bytes=4 KiB", "", adapter);
        c.seed = seed;
        ik_sim_result free = simulate(c);
        scenario o = scenario_of(c.fabric, c.routing, c.traffic, buffers[0], adapter);
        o.seed = seed;
        ik_sim_result order = simulate(o);
        assert_true(order.reorder.out_of_order > 100);
        assert_int_equal(order.completion_ps, free.completion_ps);
        assert_true(order.latency.sum > free.latency.sum);
        assert_memory_equal(order.host_finish_ps, free.host_finish_ps, 27 * 8);
        sim_result_clear(&free);
        sim_result_clear(&order);
    }
}

/* A queue for each destination takes destinations in the order of the exchange, as visits do. */
static void test_queues_of_destinations_are_visits(void **state)
{
    static const char *const traffics[] = {
        "exchange:bytes=1000 B",
        "exchange:bytes=2560 B,visits=3,order=shift",
        "exchange:bytes=2560 B,visits=2,repeat=3",
        "exchange:pattern=neighbour:dims=3:3:3,bytes=2 KiB,repeat=2,visits=3",
    };
    char adapter[200], plain[200];
    (void)state;
    for (unsigned k = 0; k < sizeof traffics / sizeof *traffics; k++) {
        scenario c = scenario_of("karytree:k=3,n=3", "oblivious", traffics[k], "", plain),
                 d = scenario_of(c.fabric, c.routing, c.traffic, "queues=destination", adapter);
        /* what has no room is passed by, or is not: let all have room */
        c.sw = d.sw = "model=ideal;buffer=4 MiB";
        ik_sim_result one = simulate(c), apart = simulate(d);
        expect_same(traffics[k], &one, &apart, 27);
        sim_result_clear(&one);
        sim_result_clear(&apart);
    }
}

/* ---- programs */

/* Runs a program and returns its result; the text is written to a file first. */
static ik_sim_result run_program(const char *text, const char *adapter, uint64_t seed)
{
    char path[] = "/tmp/ikat_order_XXXXXX", traffic[80];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    snprintf(traffic, sizeof traffic, "graph:path=%s,visits=1000", path);
    ik_sim_result r = simulate((scenario){.fabric = "karytree:k=4,n=2,latency=100 ns",
                                          .routing = "oblivious",
                                          .traffic = traffic,
                                          .adapter = adapter,
                                          .sw = "model=ideal;routing_delay=0 ns;buffer=1 MiB",
                                          .measure = ENDS,
                                          .load = 1,
                                          .seed = seed});
    unlink(path);
    assert_true(r.completed);
    return r;
}

/* One packet of a flow at a time: each goes when it is known, control_delay later, that the one
 * before was delivered; an answer goes when the last one is delivered. */
static void test_ping_pong_closed_form(void **state)
{
    (void)state;
    for (unsigned packets = 1; packets <= 5; packets++) {
        char text[300];
        snprintf(text, sizeof text,
                 "num_ranks 5\nrank 0 {\na: send %ub to 4\nb: recv %ub from 4\n}\nrank 1 {\n}\n"
                 "rank 2 {\n}\nrank 3 {\n}\nrank 4 {\na: recv %ub from 0\nb: send %ub to 0\n"
                 "b requires a\n}\n",
                 packets * 256, packets * 256, packets * 256, packets * 256);
        /* four links of 100 ns; 256 B at 100 Gb/s; the path's latency back */
        uint64_t one = 4 * 100000 + 20480, back = 4 * 100000;
        uint64_t all = packets * one + (packets - 1) * back;
        ik_sim_result r = run_program(text, "packet=256 B;in_order=true;reorder_buffer=0 B", 1);
        assert_int_equal(r.completion_ps, 2 * all);
        sim_result_clear(&r);
    }
}

/* Hosts 0 to 3 send four of another leaf, over links that several take; a small message of host 0
 * goes behind a large one to the same host, which answers it. */
static char *overtaking(bool answered, char *text, size_t size)
{
    static const char *const sends[] = {"a: send 20480b to 4 tag 1\nb: send 256b to 4 tag 2",
                                        "a: send 20480b to 5", "a: send 20480b to 6",
                                        "a: send 20480b to 7"};
    static const char *const recvs[] = {"a: recv 20480b from 0 tag 1\nb: recv 256b from 0 tag 2",
                                        "a: recv 20480b from 1", "a: recv 20480b from 2",
                                        "a: recv 20480b from 3"};
    size_t at = (size_t)snprintf(text, size, "num_ranks 9\n");
    for (unsigned rank = 0; rank < 9; rank++)
        at += (size_t)snprintf(text + at, size - at, "rank %u {\n%s\n%s}\n", rank,
                               rank < 4    ? sends[rank]
                               : rank < 8  ? recvs[rank - 4]
                               : !answered ? ""
                                           : "a: recv 256b from 4",
                               rank == 4 && answered ? "c: send 256b to 8\nc requires b\n" : "");
    return text;
}

static void test_a_message_waits_for_earlier_ones(void **state)
{
    unsigned earlier = 0;
    char text[1200];
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        /* four links that nobody else uses */
        const uint64_t answer = 4 * 100000 + 20480;
        ik_sim_result alone =
            run_program(overtaking(false, text, sizeof text), "packet=256 B", seed);
        overtaking(true, text, sizeof text);
        ik_sim_result free = run_program(text, "packet=256 B", seed),
                      order = run_program(text, "packet=256 B;in_order=true", seed);
        /* the answer goes when all of the flow is there */
        assert_int_equal(order.host_finish_ps[8], alone.host_finish_ps[4] + answer);
        assert_true(free.host_finish_ps[8] <= order.host_finish_ps[8]);
        earlier += free.host_finish_ps[8] < order.host_finish_ps[8];
        sim_result_clear(&alone);
        sim_result_clear(&free);
        sim_result_clear(&order);
    }
    assert_true(earlier > 0);
}

/* ---- what is missing */

static void test_what_is_missing(void **state)
{
    static const struct {
        const char *adapter, *says;
    } cases[] = {
        {"packet=256 B;in_order=true", "of them at their hosts, behind earlier ones"},
        {"packet=256 B;in_order=true;reorder_buffer=0 B", "reorder space at its destination"},
        {"packet=256 B;in_order=true;reorder_buffer=256 B;throttle=strict",
         "reorder space at its destination"},
        {"packet=256 B;in_order=true;reorder_buffer=256 B", "reorder space at its destination"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        for (unsigned graph = 0; graph < 2; graph++) {
            scenario c = {.fabric = "karytree:k=3,n=3",
                          .routing = "oblivious",
                          .traffic = graph ? "collective:alltoall,bytes=8 KiB,algorithm=linear"
                                           : "exchange:bytes=8 KiB",
                          .adapter = cases[k].adapter,
                          .measure = "until=delivered;at_most=5 us",
                          .load = 1,
                          .threads = 1};
            ik_sim_result first = run_by(&sim_general_engine, c);
            assert_false(first.completed);
            if (!strstr(first.missing_text, cases[k].says))
                fail_msg("%s", first.missing_text);
            for (c.threads = fewest_threads(); c.threads <= MOST_THREADS; c.threads++) {
                ik_sim_result any = run_by(NULL, c);
                assert_string_equal(first.missing_text, any.missing_text);
                sim_result_clear(&any);
            }
            sim_result_clear(&first);
        }
}

/* A queue for each destination of an all-to-all takes memory: too much of it is refused before the
 * run. */
static void test_memory_is_refused(void **state)
{
    ik_env env = {.seed = 1, .num_threads = 1, .memory_limit_bytes = 4000000};
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    ik_sim_result r = {0};
    sections sec;
    scenario c = {.adapter = "queues=destination", .measure = ENDS, .load = 1};
    (void)state;
    assert_int_equal(ik_fabric_from_spec("karytree:k=16,n=2", &env, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, "dmodk", NULL, NULL, 0, &env, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, "exchange", &env, &t, &err), IK_OK);
    assert_int_equal(open_sections(&sec, &c, &err), IK_OK);
    assert_int_equal(sim_run(plan, t, &sec.config, &env, &r, &err), IK_ERR_MEMORY);
    assert_non_null(strstr(err.text, "a queue for each destination"));
    close_sections(&sec);
    ik_traffic_free(t);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines_and_threads_agree),
        on_one_thread(test_order_alone_delays_nobody),
        on_one_thread(test_queues_of_destinations_are_visits),
        cmocka_unit_test(test_ping_pong_closed_form),
        on_one_thread(test_a_message_waits_for_earlier_ones),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
