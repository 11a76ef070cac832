/* SPDX-License-Identifier: Apache-2.0
 *
 * Partitions in processes of their own, joined by sockets that carry what they tell each other:
 * every process returns what one process alone returns, also where the network as a whole is looked
 * at: for the end of the warm-up and of the run, for the end of a workload, for a deadlock, for
 * what is missing. A process that dies ends the others, with a message. */
#include "sim/run.h"
#include "sim_forked.h"

/* Two and three ranks against one process. */
static void compare(const ik_fabric *f, scenario c, const char *text)
{
    ik_sim_result one = {0};
    ik_error err = {0};
    if (simulate_on(f, &c, &one, &err) != IK_OK)
        fail_msg("%s, %s: %s", c.sw, c.routing, err.text);
    const char *said = one.deadlock_text  ? one.deadlock_text
                       : one.missing_text ? one.missing_text
                                          : "";
    if (!strstr(said, text))
        fail_msg("%s, %s: '%s' is not said, but: %s", c.sw, c.routing, text, said);
    for (unsigned num = 2; num <= 3; num++) {
        forked_end ends[MAX_RANKS];
        forked_run(f, &c, num, IK_NONE, ends);
        for (unsigned rank = 0; rank < num; rank++) {
            if (ends[rank].status != IK_OK)
                fail_msg("%s, %s: rank %u: %s", c.sw, c.routing, rank, ends[rank].text);
            if (ends[rank].hash != hash_result(f, &one))
                fail_msg("%s, %s, %s: rank %u of %u has another result than one process: %llu "
                         "packets instead of %llu; %s instead of %s",
                         c.sw, c.routing, c.traffic, rank, num,
                         (unsigned long long)ends[rank].delivered,
                         (unsigned long long)one.packets_delivered, ends[rank].text, said);
        }
    }
    assert_true(text[0] || one.packets_delivered > 100);
    sim_result_clear(&one);
}

static scenario base_of(const char *sw)
{
    return (scenario){.sw = sw,
                      .routing = "dmodk",
                      .vc = "1q",
                      .num_vcs = 1,
                      .traffic = "uniform",
                      .load = 0.95,
                      .adapter = "packet=1 kB;injection=poisson",
                      .measure = "warmup=1 us;duration=5 us;series=500 ns;congestion=false"};
}

/* ---- tests */

static void test_same_results(void **state)
{
    (void)state;
    static const char *const switches[] = {"model=iq;voq=true",
                                           "model=iq;voq=false;routing_delay=5 ns",
                                           "model=ioq;speedup=2", "model=ideal"};
    ik_fabric *f = fabric_of("karytree:k=3,n=3,latency=10 ns");
    for (unsigned k = 0; k < 4; k++)
        compare(f, base_of(switches[k]), "");
    scenario adaptive = base_of(switches[0]);
    adaptive.routing = "adaptive_tree";
    compare(f, adaptive, "");
    adaptive.adapter = "packet=1 kB;injection=poisson;in_order=true;reorder_buffer=5 kB";
    compare(f, adaptive, "");
    adaptive.adapter = "packet=1 kB;in_order=true;reorder_buffer=0 B;throttle=strict";
    compare(f, adaptive, "");
    adaptive.adapter = "packet=1 kB;reply=3 kB;max_outstanding=3";
    compare(f, adaptive, "");
    scenario classes = base_of(switches[0]);
    classes.traffic = "hotspot:nodes=3,fraction=20%";
    compare(f, classes, "");
    classes.traffic = "mix:uniform+40%*hotspot:nodes=3;fraction=50%;rest=silent";
    compare(f, classes, "");
    ik_fabric_free(f);
}

/* What the run finds out itself: when it is warm, when it has been measured for long enough. */
static void test_stopping(void **state)
{
    (void)state;
    static const char *const measures[] = {"stop_hops=4000", "stop_ci=20 %;stop_at_most=40 us",
                                           "stop_ci=20 %;stop_of=latency_mean_ns;warmup=2 us",
                                           "duration=20 us"};
    ik_fabric *f = fabric_of("karytree:k=2,n=2,latency=50 ns");
    for (unsigned k = 0; k < sizeof measures / sizeof *measures; k++) {
        scenario c = base_of(k % 2 ? "model=ioq" : "model=iq;voq=true");
        c.measure = measures[k];
        c.load = k % 2 ? 0.5 : 0.8;
        compare(f, c, "");
    }
    scenario asks = base_of("voq=true");
    asks.adapter = "packet=1 kB;reply=3 kB;max_outstanding=3";
    asks.measure = "stop_ci=20 %;stop_of=round_trip_mean_ns;stop_at_most=40 us";
    compare(f, asks, "");
    ik_fabric_free(f);
}

static void write_program(char *path)
{
    enum { RANKS = 9, ROUNDS = 6 };
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    fprintf(out, "num_ranks %d\n", RANKS);
    for (unsigned r = 0; r < RANKS; r++) {
        fprintf(out, "rank %u {\n", r);
        for (unsigned k = 0; k < ROUNDS; k++) {
            fprintf(out, "c%u: calc %u\ns%u: send %ub to %u\nr%u: recv 5000b from -1\n", k,
                    100 + 37 * (r * k % 5), k, 1000 + 3000 * (r % 2), (r + k + 1) % RANKS, k);
            fprintf(out, "s%u requires c%u\nr%u requires c%u\n", k, k, k, k);
            if (k)
                fprintf(out, "c%u requires r%u\n", k, k - 1);
        }
        fprintf(out, "}\n");
    }
    assert_int_equal(fclose(out), 0);
}

/* To the end, and cut off: what is missing then is told by those who have it. */
static void test_workloads(void **state)
{
    (void)state;
    static const char *const patterns[] = {"exchange:pattern=alltoall,bytes=3 kB,visits=2",
                                           "batch:pattern=shift:by=1,messages=20,bytes=2 kB",
                                           "collective:allreduce,algorithm=ring,bytes=20 kB", NULL};
    static const char *const adapters[] = {"packet=500 B", "packet=500 B;queues=destination",
                                           "packet=500 B;in_order=true;reorder_buffer=4 kB"};
    ik_fabric *f = fabric_of("karytree:k=3,n=2,latency=10 ns");
    char path[] = "/tmp/ikat_goal_XXXXXX", program[64];
    write_program(path);
    snprintf(program, sizeof program, "program:trace=%s", path);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned a = 0; a < 3; a++) {
            scenario c = base_of(a == 1 ? "model=ioq" : "model=iq;voq=true");
            c.traffic = patterns[k] ? patterns[k] : program;
            c.load = 1;
            c.routing = a == 2 ? "adaptive_tree" : "dmodk";
            c.adapter = adapters[a];
            c.measure = "until=delivered;at_most=1 ms";
            compare(f, c, "");
            c.measure = "until=delivered;at_most=900 ns";
            compare(f, c, "at_most was reached");
            c.measure = "until=delivered;at_most=1 ms;series=1 us;congestion=false;watchdog=0 ns";
            compare(f, c, "");
        }
    unlink(path);
    ik_fabric_free(f);
}

/* A ring without a way out: the same evidence. */
static void test_deadlock(void **state)
{
    (void)state;
    static const char *const switches[] = {"buffer=2 kB", "buffer=2 kB;voq=false",
                                           "model=ioq;buffer=2 kB;output_buffer=2 kB",
                                           "model=ideal;buffer=2 kB"};
    ik_fabric *f = fabric_of("ring:n=6,p=2,latency=10 ns");
    for (unsigned k = 0; k < 4; k++) {
        scenario c = base_of(switches[k]);
        c.routing = "minimal";
        c.traffic = "tornado";
        c.load = 1;
        c.adapter = "packet=1 kB";
        c.measure = "warmup=0 ns;duration=200 us;watchdog=3 us";
        compare(f, c, "waits for");
        c.traffic = "exchange:pattern=alltoall,bytes=20 kB";
        c.measure = "until=delivered;at_most=1 ms;watchdog=3 us";
        compare(f, c, "waits for");
    }
    ik_fabric_free(f);
}

/* Long links between switches and short ones to hosts: a step has many windows, its mail several
 * messages. Slow links: times of more than 32 bits. */
static void test_long_steps(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=8,n=2,latency=700 ns,host_latency=5 ns"),
              *slow = fabric_of("karytree:k=3,n=2,latency=4 ms,link_rate=1 Mb/s");
    compare(f, base_of("buffer=64 KiB"), "");
    scenario c = base_of("buffer=64 KiB");
    c.measure = "warmup=0 ns;duration=3 s;watchdog=0 ns";
    compare(slow, c, "");
    ik_fabric_free(f);
    ik_fabric_free(slow);
}

/* Fewer switches than ranks: each of them simulates the whole. */
static void test_one_switch(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("crossbar:n=9");
    scenario c = base_of("model=ioq");
    c.routing = "minimal";
    compare(f, c, "");
    ik_fabric_free(f);
}

static void test_a_process_dies(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=3,n=2,latency=10 ns");
    scenario c = base_of("voq=true");
    for (unsigned dying = 0; dying < 3; dying++) {
        forked_end ends[MAX_RANKS];
        forked_run(f, &c, 3, dying, ends);
        for (unsigned rank = 0; rank < 3; rank++) {
            if (rank == dying)
                continue;
            assert_int_equal(ends[rank].status, IK_ERR_IO);
            assert_non_null(strstr(ends[rank].text, "is gone"));
        }
    }
    ik_fabric_free(f);
}

/* What needs the whole network in one process says so. */
static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *sw, *measure, *watch, *says;
    } cases[] = {{"voq=true", "paranoid=true", NULL, "measure.paranoid"},
                 {"voq=true", "series=1 us", NULL, "measure.congestion"},
                 {"voq=true", "", "slowest=3", "section 'watch'"},
                 {"model=pipelined", "", NULL, "switch.model = pipelined"}};
    ik_fabric *f = fabric_of("karytree:k=3,n=2,latency=10 ns");
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        scenario c = base_of(cases[k].sw);
        forked_end ends[MAX_RANKS];
        c.measure = cases[k].measure;
        c.watch = cases[k].watch;
        forked_run(f, &c, 2, IK_NONE, ends);
        for (unsigned rank = 0; rank < 2; rank++) {
            assert_int_equal(ends[rank].status, IK_ERR_UNSUPPORTED);
            if (!strstr(ends[rank].text, cases[k].says))
                fail_msg("%s", ends[rank].text);
        }
    }
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_results),   cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_workloads),      cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_long_steps),     cmocka_unit_test(test_one_switch),
        cmocka_unit_test(test_a_process_dies), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
