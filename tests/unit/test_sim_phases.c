/* SPDX-License-Identifier: Apache-2.0
 *
 * Exchanges in phases: closed forms on crossbars, what each message waits for by brute force. And
 * how the messages of graphs take turns at an adapter (interleave, active), against a plain
 * model. */
#include "sim_run_by.h"
#include "unit/part.h"
#include <unistd.h>

#define ENDS "until=delivered;at_most=50 ms"

/* ---- closed forms */

/* In these orders every process sends one message and receives one in a phase. */
static void test_closed_forms(void **state)
{
    static const uint32_t sizes[] = {2, 3, 5, 8, 13, 16};
    static const char *const orders[] = {"shift", "pairwise", "xor"};
    const uint64_t latency = 2 * 10000, byte = 80, bytes = 1000;
    (void)state;
    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (unsigned k = 0; k < 18; k++) {
            uint32_t num = sizes[n], repeat = 1 + k / 6, barriers = k / 3 % 2, steps = 0;
            char fabric[80], traffic[120];
            if (k % 3 == 2 && (num & (num - 1)))
                continue;
            while ((1u << steps) < num)
                steps++;
            snprintf(fabric, sizeof fabric, "crossbar:n=%u,latency=10 ns,link_rate=100 Gb/s", num);
            snprintf(traffic, sizeof traffic, "exchange:bytes=1000 B,order=%s,repeat=%u,phases=%s",
                     orders[k % 3], repeat, barriers ? "barrier" : "host");
            ik_sim_result r = simulate((scenario){.fabric = fabric,
                                                  .routing = "minimal",
                                                  .traffic = traffic,
                                                  .sw = "model=ideal;routing_delay=0 ns",
                                                  .adapter = "packet=256 B",
                                                  .measure = ENDS ";paranoid=true",
                                                  .load = 1});
            uint64_t phases = repeat * (num - 1), one = bytes * byte + latency,
                     barrier = steps * (8 * byte + latency);
            assert_int_equal(r.completion_ps,
                             phases * one + (barriers ? (phases - 1) * barrier : 0));
            assert_int_equal(r.workload_bytes, phases * num * bytes +
                                                   (barriers ? (phases - 1) * steps * num * 8 : 0));
            sim_result_clear(&r);
        }
}

/* ---- what waits for what */

/* Marks all operations that op waits for, directly or not. */
static void mark(const ik_graph *g, uint32_t host, uint32_t op, bool *seen)
{
    for (uint32_t before = g->host_first[host]; before < g->host_first[host + 1]; before++)
        for (uint32_t k = g->after_first[before]; k < g->after_first[before + 1]; k++)
            if ((g->after[k] & ~IK_AFTER_START) == op && !seen[before]) {
                seen[before] = true;
                mark(g, host, before, seen);
            }
}

/* Every send of a phase waits for exactly the messages of its host in earlier phases, which are
 * classes in order here. */
static void check_waits(const char *fabric, const char *spec)
{
    ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_traffic *t = NULL;
    assert_int_equal(ik_fabric_from_spec(fabric, &env, &f, &err), IK_OK);
    if (ik_traffic_from_spec(f, spec, &env, &t, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    const ik_graph *g = t->workload->graph;
    assert_non_null(g);
    bool *seen = calloc(g->num_ops + 1u, sizeof *seen);
    for (uint32_t host = 0; host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            if (g->kind[op] != IK_OP_SEND)
                continue;
            memset(seen, 0, g->num_ops * sizeof *seen);
            mark(g, host, op, seen);
            for (uint32_t o = g->host_first[host]; o < g->host_first[host + 1]; o++)
                if (g->kind[o] != IK_OP_CALC && seen[o] != (g->op_class[o] < g->op_class[op]))
                    fail_msg("%s: operation %u of host %u, phase %u, and %u, phase %u", spec, op,
                             host, g->op_class[op], o, g->op_class[o]);
        }
    free(seen);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

static void test_what_waits_for_what(void **state)
{
    static const char *const specs[] = {
        "exchange:phases=host",
        "exchange:phases=host,order=nearest_first",
        "exchange:phases=host,order=pairwise",
        "exchange:phases=host,pattern=neighbour:dims=3:4",
        "exchange:phases=host,pattern=neighbour:dims=2:6,order=shift",
        "exchange:phases=host,pattern=permutation",
        "exchange:phases=host,hosts=2..10,mapping=random",
        "exchange:phases=host,hosts=2..9,mapping=by_leaf,order=xor",
    };
    (void)state;
    for (unsigned k = 0; k < sizeof specs / sizeof *specs; k++)
        check_waits("dragonfly:a=2,h=1,p=2,g=3", specs[k]);
}

/* No message of a phase begins before the phase before is over at all hosts. */
static void test_barriers_keep_phases_apart(void **state)
{
    static const char *const traffics[] = {
        "exchange:phases=barrier", "exchange:phases=barrier,pattern=neighbour:dims=3:4",
        "exchange:phases=barrier,hosts=1..9,mapping=random,order=nearest_first"};
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        ik_sim_result r = simulate((scenario){.fabric = "dragonfly:a=2,h=1,p=2,g=3",
                                              .routing = "minimal",
                                              .traffic = traffics[k],
                                              .adapter = "packet=256 B",
                                              .measure = ENDS,
                                              .load = 1});
        uint64_t before = 0;
        unsigned phases = 0;
        for (size_t c = 0; c < r.num_message_classes; c++) {
            const ik_message_class *m = &r.message_classes[c];
            if (strncmp(m->name, "phase", 5) != 0)
                continue;
            assert_true(m->first_ps >= before);
            before = m->last_ps;
            phases++;
        }
        assert_true(phases >= 4);
        sim_result_clear(&r);
    }
}

/* ---- turns of messages */

enum { MOST = 24 };

/* Host 0 sends a message of sizes[k] packets to host k + 1, all at once: when the last packet of
 * each leaves, in packets. At most `active` take turns; who is done makes place for the next. */
static void model(const unsigned *sizes, unsigned num, unsigned active, unsigned *done)
{
    unsigned ring[MOST], left[MOST], count = 0, next = 0, time = 0;
    memcpy(left, sizes, num * sizeof *left);
    while (count || next < num) {
        while (count < active && next < num)
            ring[count++] = next++;
        unsigned first = ring[0];
        memmove(ring, ring + 1, --count * sizeof *ring);
        time++;
        if (--left[first])
            ring[count++] = first;
        else
            done[first] = time;
        /* who had a place keeps it: the next one comes in behind */
    }
}

static void check_turns(const unsigned *sizes, unsigned num, const char *adapter, unsigned active)
{
    char path[] = "/tmp/ikat_turns_XXXXXX", traffic[80];
    unsigned done[MOST];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *to = fdopen(fd, "w");
    fprintf(to, "num_ranks %u\nrank 0 {\n", num + 1);
    for (unsigned k = 0; k < num; k++)
        fprintf(to, "m%u: send %ub to %u\n", k, sizes[k] * 256, k + 1);
    fprintf(to, "}\n");
    for (unsigned k = 0; k < num; k++)
        fprintf(to, "rank %u {\nm: recv %ub from 0\n}\n", k + 1, sizes[k] * 256);
    fclose(to);
    snprintf(traffic, sizeof traffic, "graph:path=%s", path);
    ik_sim_result r = simulate((scenario){.fabric = "crossbar:n=25,latency=10 ns",
                                          .routing = "minimal",
                                          .traffic = traffic,
                                          .sw = "model=ideal;routing_delay=0 ns",
                                          .adapter = adapter,
                                          .measure = ENDS,
                                          .load = 1});
    unlink(path);
    model(sizes, num, active, done);
    for (unsigned k = 0; k < num; k++)
        if (r.host_finish_ps[k + 1] != done[k] * 20480ull + 20000)
            fail_msg("%s: message %u is there at %llu ps, expected %llu", adapter, k,
                     (unsigned long long)r.host_finish_ps[k + 1], done[k] * 20480ull + 20000);
    sim_result_clear(&r);
}

static void test_messages_take_turns(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned round = 0; round < 8; round++) {
        unsigned sizes[MOST];
        for (unsigned k = 0; k < MOST; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            sizes[k] = 1 + (unsigned)(random >> 40) % 9;
        }
        check_turns(sizes, MOST, "packet=256 B", 16);
        check_turns(sizes, MOST, "packet=256 B;interleave=fifo", 1);
        check_turns(sizes, MOST, "packet=256 B;active=1", 1);
        check_turns(sizes, MOST, "packet=256 B;active=3", 3);
        check_turns(sizes, MOST, "packet=256 B;active=20;queues=one", 20);
        check_turns(sizes, MOST, "packet=256 B;active=unlimited", MOST);
        /* a message each: queues of destinations all take turns */
        check_turns(sizes, MOST, "packet=256 B;active=1;queues=destination", MOST);
    }
}

/* ---- engines and threads, refusals */

static void test_engines_and_threads_agree(void **state)
{
    static const char *const cases[][2] = {
        {"exchange:phases=host,bytes=2000 B,repeat=2", "packet=256 B"},
        {"exchange:phases=barrier,order=shift,bytes=1 KiB", "packet=256 B"},
        {"collective:alltoall,algorithm=linear,bytes=3000 B", "packet=256 B;active=unlimited"},
        {"collective:alltoall,algorithm=linear,bytes=3000 B", "packet=256 B;interleave=fifo"},
        {"nas:bt,class=S", "packet=256 B;active=2;queues=destination"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        scenario c = {.fabric = "karytree:k=3,n=3",
                      .routing = "adaptive_tree",
                      .traffic = cases[k][0],
                      .adapter = cases[k][1],
                      .measure = ENDS,
                      .load = 1,
                      .threads = 1};
        ik_sim_result first = run_by(&sim_general_engine, c);
        assert_true(first.completed);
        for (; c.threads <= MOST_THREADS; c.threads++) {
            ik_sim_result any = run_by(NULL, c);
            expect_same(cases[k][0], &first, &any, 27);
            sim_result_clear(&any);
        }
        sim_result_clear(&first);
    }
}

static void test_refusals(void **state)
{
    scenario c = {.fabric = "crossbar:n=8", .routing = "minimal", .measure = ENDS, .load = 1};
    (void)state;
    c.traffic = "exchange:phases=host,visits=2";
    refuse(c, IK_ERR_INPUT, "'visits'");
    c.traffic = "exchange:phases=all";
    refuse(c, IK_ERR_INPUT, "phases");
    c.traffic = "exchange:pattern=cg:processes=8,phases=host";
    refuse(c, IK_ERR_USAGE, "'phases'");
    c.traffic = "exchange:phases=host";
    c.adapter = "active=4";
    refuse(c, IK_ERR_USAGE, "'active'");
    c.traffic = "exchange:phases=host,repeat=10000";
    c.fabric = "crossbar:n=64";
    c.adapter = "";
    refuse(c, IK_ERR_UNSUPPORTED, "40320000 messages");
    c.traffic = "uniform";
    c.measure = "duration=10 us";
    c.adapter = "active=unlimited;message=64 KiB";
    refuse(c, IK_ERR_INPUT, "queues = destination");
    c.adapter = "active=3";
    refuse(c, IK_ERR_INPUT, "no message is larger than a packet");
    c.adapter = "interleave=fifo;packet=8 KiB;message=8 KiB";
    refuse(c, IK_ERR_INPUT, "no message is larger than a packet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_closed_forms),
        cmocka_unit_test(test_what_waits_for_what),
        cmocka_unit_test(test_barriers_keep_phases_apart),
        cmocka_unit_test(test_messages_take_turns),
        cmocka_unit_test(test_engines_and_threads_agree),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
