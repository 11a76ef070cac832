/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that end: closed forms on crossbars and slimmed trees, every byte delivered once, the
 * same results by both engines and on any number of threads, refusals. */
#include "sim_hash.h"
#include "sim_run_by.h"
#include "unit/part.h"
#include <unistd.h>

#define ENDS "until=delivered;at_most=50 ms"
/* 256 B in 20.48 ns */
#define SMALL "packet=256 B"

/* N hosts send each other `bytes` over links of 100 Gb/s, two latencies apart. */
static uint64_t crossbar_ps(uint64_t hosts, uint64_t bytes, uint64_t latency_ps)
{
    return (hosts - 1) * bytes * 80 + 2 * latency_ps;
}

static ik_sim_result run_crossbar(const char *traffic, const char *model, uint32_t hosts)
{
    char fabric[80], sw[80];
    snprintf(fabric, sizeof fabric, "crossbar:n=%u,latency=10 ns,link_rate=100 Gb/s", hosts);
    snprintf(sw, sizeof sw, "model=%s;routing_delay=0 ns", model);
    return simulate((scenario){.fabric = fabric,
                               .routing = "minimal",
                               .traffic = traffic,
                               .sw = sw,
                               .adapter = SMALL,
                               .measure = ENDS ";paranoid=true",
                               .load = 1});
}

/* In the shift order no two hosts ever send to the same one. */
static void test_alltoall_on_a_crossbar(void **state)
{
    static const char *const models[] = {"iq", "ioq", "ideal"};
    static const uint32_t sizes[] = {2, 3, 9, 16, 33};
    (void)state;
    for (unsigned m = 0; m < 3; m++)
        for (unsigned n = 0; n < 5; n++) {
            ik_sim_result r =
                run_crossbar("exchange:order=shift,bytes=7680 B", models[m], sizes[n]);
            assert_true(r.finite && r.completed && !r.missing_text);
            assert_int_equal(r.completion_ps, crossbar_ps(sizes[n], 7680, 10000));
            assert_int_equal(r.workload_bytes, (uint64_t)sizes[n] * (sizes[n] - 1) * 7680);
            assert_int_equal(r.packets_delivered, r.workload_bytes / 256);
            assert_int_equal(r.packets_generated, r.packets_delivered);
            assert_int_equal(r.packets_in_flight, 0);
            assert_int_equal(r.end_ps, r.completion_ps);
            for (uint32_t h = 0; h < sizes[n]; h++) {
                assert_int_equal(r.host_finish_ps[h], r.completion_ps);
                assert_int_equal(r.host_bytes[h], 7680 * (sizes[n] - 1));
                assert_int_equal(r.host_sent_bytes[h], 7680 * (sizes[n] - 1));
            }
            double ideal = 1 - 20000.0 / (double)r.completion_ps;
            assert_true(r.effective_throughput > ideal - 1e-9 &&
                        r.effective_throughput < ideal + 1e-9);
            sim_result_clear(&r);
        }
}

/* Sizes that are no multiple of a packet, visits of several packets, repetitions. */
static void test_every_byte_is_delivered_once(void **state)
{
    static const struct {
        const char *traffic;
        uint64_t messages, bytes; /* of a host with most */
    } cases[] = {
        {"exchange:bytes=1000 B", 11, 11000},
        {"exchange:bytes=1000 B,visits=3,order=nearest_first", 11, 11000},
        {"exchange:bytes=100 B,order=pairwise,repeat=3", 33, 3300},
        {"exchange:bytes=2000 B,visits=2,repeat=2", 22, 44000},
        {"exchange:pattern=neighbour:dims=3:4,bytes=3000 B", 4, 12000},
        {"exchange:pattern=neighbour:dims=2:6,bytes=300 B,order=nearest_first", 4, 1200},
        {"exchange:pattern=shift:by=5,bytes=10 KiB,visits=2", 1, 10240},
        {"exchange:pattern=neighbour:dims=3:4,bytes=700 B,repeat=4,order=shift", 16, 11200},
    };
    static const char *const models[] = {"model=iq", "model=ioq", "model=ideal",
                                         "model=iq;queues=fifo"};
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        for (unsigned m = 0; m < 4; m++) {
            ik_sim_result r = simulate((scenario){.fabric = "dragonfly:a=2,h=1,p=2,g=3",
                                                  .routing = "minimal",
                                                  .traffic = cases[k].traffic,
                                                  .sw = models[m],
                                                  .adapter = SMALL,
                                                  .measure = ENDS ";paranoid=true",
                                                  .load = 1});
            assert_true(r.completed);
            uint64_t most = 0, sum = 0;
            for (uint32_t h = 0; h < 12; h++) {
                most = r.host_sent_bytes[h] > most ? r.host_sent_bytes[h] : most;
                sum += r.host_bytes[h];
            }
            assert_int_equal(most, cases[k].bytes);
            assert_int_equal(sum, r.workload_bytes);
            assert_int_equal(r.packets_generated, r.packets_delivered);
            sim_result_clear(&r);
        }
}

/* Hosts that have got everything before their last packet leaves begin again when it does,
 * though queues of other VCs have not seen the end of this one. */
static void test_repetitions_with_several_queues(void **state)
{
    static const struct {
        const char *fabric, *vc, *traffic, *adapter;
        uint32_t hosts;
        uint64_t packets;
    } cases[] = {
        {"pgft:m=2:6:1,w=1:1:3,p=1:1:1,host_rate=40 Gb/s", "flow2sl",
         "exchange:bytes=2 KiB,processes=5,mapping=by_leaf,repeat=2", "", 12, 2 * 5 * 4},
        {"xgft:m=5,w=1", "dbbm", "exchange:bytes=2 KiB,repeat=3,order=shift", SMALL, 5,
         3 * 5 * 4 * 8},
    };
    (void)state;
    for (unsigned k = 0; k < 6; k++) {
        unsigned n = k % 2;
        scenario c = {.fabric = cases[n].fabric,
                      .routing = "dmodk",
                      .vc = cases[n].vc,
                      .num_vcs = 2 + k / 2,
                      .traffic = cases[n].traffic,
                      .adapter = cases[n].adapter,
                      .measure = ENDS,
                      .load = 1,
                      .threads = 1};
        ik_sim_result first = run_by(&sim_general_engine, c);
        assert_true(first.completed);
        assert_int_equal(first.packets_delivered, cases[n].packets);
        for (c.threads = fewest_threads(); c.threads <= 2; c.threads++) {
            ik_sim_result any = run_by(NULL, c);
            expect_same(c.traffic, &first, &any, cases[n].hosts);
            sim_result_clear(&any);
        }
        sim_result_clear(&first);
    }
}

/* The watchdog looks right before a packet reaches its host, in the window that follows: what waits
 * for it goes on all the same. */
static void test_deliveries_behind_the_watchdog(void **state)
{
    static const struct {
        const char *fabric, *routing, *vc, *traffic, *adapter, *measure;
        uint32_t hosts;
    } cases[] = {
        {"torus:dims=5:2,p=2", "shortest", "hopclass",
         "nas:lu,bytes=3 KiB,processes=4,planes=5,iterations=2", "", ENDS ";watchdog=1 us", 20},
        {"karytree:k=4,n=2", "dmodk", NULL, "exchange:bytes=4 KiB,repeat=30", SMALL, ENDS, 16},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (!in_part(k, 2))
            continue;
        scenario c = {.fabric = cases[k].fabric,
                      .routing = cases[k].routing,
                      .vc = cases[k].vc,
                      .traffic = cases[k].traffic,
                      .sw = "switching=saf",
                      .adapter = cases[k].adapter,
                      .measure = cases[k].measure,
                      .load = 1,
                      .threads = 1};
        ik_sim_result first = run_by(&sim_general_engine, c);
        assert_true(first.completed);
        for (c.threads = fewest_threads(); c.threads <= 2; c.threads++) {
            ik_sim_result any = run_by(NULL, c);
            expect_same(c.traffic, &first, &any, cases[k].hosts);
            sim_result_clear(&any);
        }
        sim_result_clear(&first);
    }
}

/* ---- engines and threads */

static void test_engines_and_threads_agree(void **state)
{
    static const char *const traffics[] = {
        "exchange",
        "exchange:bytes=2560 B,visits=2",
        "exchange:bytes=2560 B,visits=3,order=shift",
        "exchange:bytes=512 B,repeat=3",
        "exchange:pattern=neighbour:dims=4:4:4,bytes=4 KiB",
        "exchange:pattern=neighbour:dims=4:4:4,bytes=1 KiB,repeat=3,visits=2",
        "exchange:pattern=permutation,bytes=64 KiB",
        "exchange:hosts=3..40,mapping=by_leaf,bytes=2560 B,visits=2,repeat=2",
        "exchange:hosts=3..40,mapping=random,pattern=neighbour:dims=6:6,processes=36",
        "collective:allreduce,algorithm=rabenseifner,processes=50,mapping=random",
        "collective:alltoall,algorithm=bruck,bytes=100 B",
        "collective:barrier,repeat=5",
        "nas:cg,bytes=10 KiB,iterations=2",
        "nas:lu,bytes=100 B,planes=3,mapping=random",
        "nas:mg,class=S",
        "storage:disks=5,accesses=400,bytes=2560 B,duration=30 us,burst_gap=100 ns,service=1 us",
        "storage:disks=9,accesses=400,duration=300 us,mapping=random,compression=20",
        ("storage:disks=6,accesses=400,bytes=3 KiB,sizes=geometric,duration=20 us,burst_gap=100 "
         "ns,service=1 us,loop=closed,placement=random"),
    };
    static const struct {
        const char *fabric, *routing;
        unsigned vcs;
    } nets[] = {{"karytree:k=4,n=3", "dmodk", 1},
                {"xgft:m=8:8,w=1:3", "random", 1},
                {"torus:dims=4:4:4", "dor", 0},
                {"karytree:k=4,n=3,latency=300 ns", "adaptive_tree", 2}};
    unsigned number = 0;
    (void)state;
    for (unsigned k = 0; k < sizeof traffics / sizeof *traffics; k++)
        for (unsigned n = 0; n < sizeof nets / sizeof *nets; n++) {
            if (!in_parts(number++, 5, 13))
                continue;
            scenario c = {.fabric = nets[n].fabric,
                          .routing = nets[n].routing,
                          .traffic = traffics[k],
                          .adapter = SMALL,
                          .sw = "buffer=4 KiB",
                          .measure = ENDS,
                          .load = 1,
                          .num_vcs = nets[n].vcs,
                          .threads = 1};
            ik_sim_result first = run_by(&sim_general_engine, c);
            if (!first.completed)
                fail_msg("%s on %s: %s", c.traffic, c.fabric, first.missing_text);
            for (unsigned threads = 1 + threads_only(); threads <= MOST_THREADS; threads++) {
                c.threads = threads;
                ik_sim_result general = run_by(&sim_general_engine, c), any = run_by(NULL, c);
                expect_same(traffics[k], &first, &general, 64);
                expect_same(traffics[k], &first, &any, 64);
                sim_result_clear(&general);
                sim_result_clear(&any);
            }
            sim_result_clear(&first);
        }
}

/* ---- refusals */

static void test_refusals(void **state)
{
    scenario c = {.fabric = "crossbar:n=6",
                  .routing = "minimal",
                  .traffic = "exchange",
                  .measure = ENDS,
                  .load = 1};
    (void)state;
    c.measure = "";
    refuse(c, IK_ERR_USAGE, "measured until it is delivered");
    c.measure = "until=delivered";
    refuse(c, IK_ERR_USAGE, "needs at_most");
    c.measure = ENDS;
    c.adapter = "message=8 KiB";
    refuse(c, IK_ERR_USAGE, "'message'");
    c.adapter = "injection=poisson";
    refuse(c, IK_ERR_USAGE, "'injection'");
    c.adapter = "interleave=fifo";
    refuse(c, IK_ERR_USAGE, "'interleave'");
    c.adapter = "active=unlimited";
    refuse(c, IK_ERR_USAGE, "'active'");
    c.adapter = "";
    c.sw = "model=pipelined";
    refuse(c, IK_ERR_UNSUPPORTED, "pipelined");
    c.sw = "";
    c.traffic = "uniform";
    refuse(c, IK_ERR_USAGE, "never ends");
    c.measure = "warmup=1 us";
    c.traffic = "exchange:order=xor";
    refuse(c, IK_ERR_USAGE, "power of two");
    c.traffic = "exchange:pattern=uniform";
    refuse(c, IK_ERR_USAGE, "drawn");
    c.traffic = "exchange:pattern=alltoall:visits=2";
    refuse(c, IK_ERR_USAGE, "of the exchange itself");
    c.traffic = "exchange:pattern=shift+shift:by=2";
    refuse(c, IK_ERR_USAGE, "one pattern");
    c.traffic = "exchange:bytes=0 B";
    refuse(c, IK_ERR_INPUT, "bytes");
    c.traffic = "exchange:pattern=neighbour:dims=3:3";
    refuse(c, IK_ERR_USAGE, "does not fit 6 hosts");
}

/* Too little time: what is missing is said. */
static void test_what_is_missing(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r = simulate(
            (scenario){.fabric = "crossbar:n=6",
                       .routing = "minimal",
                       .traffic = k ? "exchange:pattern=shift,bytes=1 MiB" : "exchange:bytes=1 MiB",
                       .measure = "until=delivered;at_most=5 us",
                       .load = 1});
        assert_true(r.finite && !r.completed);
        assert_int_equal(r.completion_ps, 0);
        assert_non_null(r.missing_text);
        assert_non_null(strstr(r.missing_text, "at_most was reached"));
        if (!strstr(r.missing_text, "not delivered"))
            fail_msg("%s", r.missing_text);
        sim_result_clear(&r);
    }
}

/* A picosecond too little: the last packet is under way, whatever counts it as delivered. */
static void test_last_byte_is_missing(void **state)
{
    (void)state;
    static const char *const traffics[] = {"exchange:bytes=300 B,order=shift",
                                           "exchange:bytes=1000 B,order=random",
                                           "exchange:pattern=shift,bytes=3 KiB"};
    for (unsigned k = 0; k < sizeof traffics / sizeof *traffics; k++) {
        scenario c = {.fabric = "crossbar:n=6,latency=10 ns,link_rate=100 Gb/s",
                      .routing = "shortest",
                      .traffic = traffics[k],
                      .adapter = "packet=300 B",
                      .measure = "until=delivered;at_most=1 ms",
                      .load = 1};
        ik_sim_result whole = simulate(c);
        char measure[80], end[80], time[40];
        snprintf(measure, sizeof measure, "until=delivered;at_most=%llu ps",
                 (unsigned long long)whole.completion_ps - 1);
        bool listed = strstr(traffics[k], "pattern") != NULL; /* its messages are operations */
        snprintf(end, sizeof end,
                 listed ? "its last byte arrives after at_most" : "the last byte arrives at %s",
                 ik_format_quantity(time, sizeof time, whole.completion_ps, IK_DIM_TIME));
        c.measure = measure;
        ik_sim_result r = simulate(c);
        assert_true(whole.completed && !r.completed);
        if (!strstr(r.missing_text, end) || strstr(r.missing_text, "not delivered") ||
            strstr(r.missing_text, "lacks 0 B"))
            fail_msg("%s: %s", traffics[k], r.missing_text);
        sim_result_clear(&whole);
        sim_result_clear(&r);
    }
}

/* The bytes of a program in GOAL's text form, in a file of its own: calculations of 2 and 5 us, the
 * one before a message, the other behind it. */
static void write_program(char *path, size_t size)
{
    snprintf(path, size, "/tmp/ikat_finite_XXXXXX");
    int at = mkstemp(path);
    assert_true(at >= 0);
    FILE *to = fdopen(at, "w");
    assert_non_null(to);
    fputs("num_ranks 2\nrank 0 {\na: calc 2000\nb: send 8b to 1\nb requires a\n}\n"
          "rank 1 {\na: recv 8b from 0\nb: calc 5000\nb requires a\n}\n",
          to);
    assert_int_equal(fclose(to), 0);
}

/* Whatever at_most cuts off, a run that is not stuck ends then, and says so: while packets fly, and
 * while nothing happens before a calculation or a start. */
static void test_at_most_is_the_end(void **state)
{
    const unsigned cuts = as_many(23, 23, 5);
    char path[40], program[64];
    (void)state;
    write_program(path, sizeof path);
    snprintf(program, sizeof program, "graph:path=%s", path);
    const char *const traffics[] = {program, "exchange:bytes=2 KiB",
                                    "exchange:pattern=shift,bytes=3 KiB",
                                    "exchange:bytes=512 B,repeat=2",
                                    "jobs:jobs=a=exchange:hosts=0..3&b@7 us=exchange:hosts=4..8"};
    for (unsigned k = 0; k < sizeof traffics / sizeof *traffics; k++) {
        char measure[80];
        scenario c = {.fabric = "karytree:k=3,n=2",
                      .routing = "dmodk",
                      .traffic = traffics[k],
                      .adapter = SMALL,
                      .measure = ENDS ";series=500 ns",
                      .load = 1,
                      .threads = 1};
        ik_sim_result whole = run_by(NULL, c);
        assert_true(whole.completed);
        c.measure = measure;
        for (uint64_t cut = 1; cut < cuts; cut++) {
            uint64_t at_most = whole.completion_ps * cut / cuts;
            snprintf(measure, sizeof measure, "until=delivered;at_most=%llu ps;series=500 ns",
                     (unsigned long long)at_most);
            for (c.threads = fewest_threads(); c.threads <= MOST_THREADS; c.threads++) {
                ik_sim_result any = run_by(NULL, c), general = run_by(&sim_general_engine, c);
                const ik_sim_result *const both[] = {&any, &general};
                for (unsigned e = 0; e < 2; e++)
                    if (both[e]->completed || both[e]->end_ps != at_most ||
                        !strstr(both[e]->missing_text, "at_most was reached"))
                        fail_msg("%s, at most %llu ps, %u threads: ended at %llu ps: %s",
                                 traffics[k], (unsigned long long)at_most, c.threads,
                                 (unsigned long long)both[e]->end_ps, both[e]->missing_text);
                sim_result_clear(&any);
                sim_result_clear(&general);
            }
        }
        sim_result_clear(&whole);
    }
    unlink(path);
}

/* What is done at at_most is done, and what is done a picosecond later is not: one rule for all
 * workloads, whatever they end with. */
static void check_last_instant(const char *traffic, const char *routing, const char *sw,
                               const char *adapter)
{
    char measure[80];
    scenario c = {.fabric = "karytree:k=4,n=2",
                  .routing = routing,
                  .traffic = traffic,
                  .sw = sw,
                  .adapter = adapter,
                  .measure = ENDS ";series=500 ns;congestion=false",
                  .load = 1,
                  .threads = 1};
    ik_sim_result whole = run_by(NULL, c);
    assert_true(whole.completed);
    whole.events = 0; /* credit that comes back after the end is an event of no effect */
    ik_fabric *f = fabric_of(c.fabric);
    c.measure = measure;
    for (unsigned late = 0; late < 2; late++)
        for (c.threads = threads_only() ? 3 : 1; c.threads <= 3; c.threads += 2) {
            snprintf(measure, sizeof measure,
                     "until=delivered;at_most=%llu ps;series=500 ns;congestion=false",
                     (unsigned long long)(whole.completion_ps - late));
            ik_sim_result both[] = {run_by(NULL, c), run_by(&sim_general_engine, c)};
            for (unsigned e = 0; e < 2; e++) {
                both[e].events = 0;
                if (both[e].completed == late ||
                    (!late && hash_result(f, &whole) != hash_result(f, &both[e])) ||
                    (late && !strstr(both[e].missing_text, "at_most was reached")))
                    fail_msg("%s, %s, %s, at most %s, %u threads, %s engine: %s%s", traffic, sw,
                             adapter, measure, c.threads, e ? "general" : "any",
                             both[e].completed ? "another result" : "not completed: ",
                             both[e].missing_text ? both[e].missing_text : "");
                sim_result_clear(&both[e]);
            }
        }
    ik_fabric_free(f);
    sim_result_clear(&whole);
}

static void test_the_last_instant_counts(void **state)
{
    char path[40], program[64];
    (void)state;
    write_program(path, sizeof path);
    snprintf(program, sizeof program, "graph:path=%s", path);
    const char *const traffics[] = {
        program,
        "graph:path=" SOURCE_DIR "/experiments/taskfarm.goal",
        "exchange:bytes=2 KiB",
        "exchange:bytes=512 B,repeat=2",
        "exchange:pattern=shift:by=5,bytes=3 KiB",
        "exchange:bytes=512 B,phases=host,order=shift",
        "exchange:bytes=512 B,phases=barrier,order=xor",
        "collective:operation=allreduce,bytes=10 KiB",
        "collective:operation=barrier",
        "collective:operation=broadcast",
        "collective:operation=reduce",
        "collective:operation=allgather,bytes=1 KiB",
        "collective:operation=reduce_scatter,bytes=1 KiB",
        "collective:operation=alltoallv,bytes=1 KiB",
        "collective:operation=gather,bytes=1 KiB",
        "collective:operation=scatter,bytes=1 KiB",
        "nas:benchmark=cg,class=S",
        "nas:benchmark=bt,bytes=1 KiB",
        "nas:benchmark=lu,bytes=100 B,planes=3",
        "nas:benchmark=mg,bytes=1 KiB",
        "nas:benchmark=ft,bytes=1 KiB",
        "jobs:jobs=a=exchange:hosts=0..3&b@7 us=exchange:hosts=4..8",
        "jobs:jobs=a=collective:operation=barrier|hosts=0..7&b=exchange:hosts=8..15|bytes=1 KiB"};
    static const struct {
        const char *routing, *sw, *adapter;
    } ways[] = {{"adaptive_tree", "model=iq", "packet=512 B"},
                {"dmodk", "model=iq", SMALL},
                {"dmodk", "model=ioq", SMALL},
                {"dmodk", "model=ideal", SMALL ";in_order=true"},
                {"adaptive_tree", "model=iq", SMALL ";in_order=true;reorder_buffer=512 B"}};
    const unsigned num = as_many(5, 1, 1);
    for (unsigned k = 0; k < sizeof traffics / sizeof *traffics; k++)
        for (unsigned w = 0; w < num; w++) {
            if (!in_part(k, 3))
                continue;
            unsigned way = num == 5 || w == 0 ? w : 1 + k % 4;
            check_last_instant(traffics[k], ways[way].routing, ways[way].sw, ways[way].adapter);
        }
    unlink(path);
}

/* Stopped at any time, engines and threads leave the same picture; a deadlock comes with its
 * cycle. */
static void test_engines_agree_on_what_is_missing(void **state)
{
    static const struct {
        const char *fabric, *routing, *vc, *traffic, *sw, *measure;
        bool deadlock;
    } cases[] = {
        {"karytree:k=4,n=2", "dmodk", NULL, "exchange:bytes=8 KiB", "buffer=2 KiB",
         "until=delivered;at_most=3 us", false},
        {"karytree:k=4,n=2", "random", NULL, "exchange:pattern=shift:by=5,bytes=64 KiB",
         "model=iq;queues=fifo;buffer=2 KiB", "until=delivered;at_most=3 us", false},
        {"karytree:k=4,n=2", "dmodk", NULL, "exchange:bytes=4 KiB,repeat=3", "model=ioq",
         "until=delivered;at_most=4 us", false},
        {"crossbar:n=16", "minimal", NULL, "exchange", "model=ideal;buffer=2 KiB",
         "until=delivered;at_most=2 us", false},
        {"ring:n=6,p=2", "shortest", "1q", "exchange:pattern=shift:by=4,bytes=1 MiB",
         "buffer=8 KiB", "until=delivered;at_most=10 ms", true},
        {"ring:n=6,p=2", "shortest", "1q", "exchange:pattern=shift:by=4,bytes=1 MiB",
         "buffer=8 KiB", "until=delivered;at_most=10 ms;watchdog=0 ns", true},
        {"ring:n=6,p=2", "shortest", "1q", "exchange:bytes=256 KiB", "buffer=8 KiB",
         "until=delivered;at_most=10 ms", true},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        scenario c = {.fabric = cases[k].fabric,
                      .routing = cases[k].routing,
                      .vc = cases[k].vc,
                      .num_vcs = 1,
                      .traffic = cases[k].traffic,
                      .sw = cases[k].sw,
                      .adapter = SMALL,
                      .measure = cases[k].measure,
                      .load = 1,
                      .threads = 1};
        ik_sim_result first = run_by(&sim_general_engine, c);
        assert_false(first.completed);
        assert_non_null(first.missing_text);
        assert_int_equal(first.deadlock, cases[k].deadlock);
        if (!strstr(first.missing_text, "packets are not delivered") ||
            !strstr(first.missing_text, "in the buffer of") ||
            (cases[k].deadlock && !strstr(first.deadlock_text, "waits for")))
            fail_msg("%s", first.missing_text);
        for (c.threads = fewest_threads(); c.threads <= MOST_THREADS; c.threads++) {
            ik_sim_result any = run_by(NULL, c);
            assert_string_equal(first.missing_text, any.missing_text);
            sim_result_clear(&any);
        }
        sim_result_clear(&first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_alltoall_on_a_crossbar),
        on_one_thread(test_every_byte_is_delivered_once),
        cmocka_unit_test(test_repetitions_with_several_queues),
        cmocka_unit_test(test_deliveries_behind_the_watchdog),
        cmocka_unit_test(test_engines_and_threads_agree),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_last_byte_is_missing),
        cmocka_unit_test(test_at_most_is_the_end),
        cmocka_unit_test(test_the_last_instant_counts),
        cmocka_unit_test(test_engines_agree_on_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
