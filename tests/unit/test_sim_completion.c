/* SPDX-License-Identifier: Apache-2.0
 *
 * When a workload is done on a crossbar, found message by message (packet/crossbar_engine.c): what
 * the general engine finds from its packets, or an answer is refused. */
#include "drawn_programs.h"
#include "sim/workload/finite.h"
#include "unit/part.h"

typedef struct answers {
    unsigned asked, given;
} answers;

/* visits: messages of hosts 1 and 3 go one after the other, and those of 0 and 2 take turns. */
enum { JOBS = 1 << 21 };

static void set_jobs(ik_workload *w)
{
    w->jobs = calloc(2, sizeof *w->jobs);
    w->host_job = calloc(w->num_hosts, sizeof *w->host_job);
    assert_true(w->jobs && w->host_job && w->num_hosts == 4);
    w->num_jobs = 2;
    w->jobs[0].visits = w->visits = FIFO;
    w->jobs[1].visits = w->host_job[0] = w->host_job[2] = 1;
}

/* The engine's own answer; false: it gives none. UINT64_MAX: the workload blocks. */
static bool crossbar_answers(const made_graph *m, uint64_t *ps)
{
    sim s;
    run_loop(&s, &sim_crossbar_engine, m);
    bool given = s.engine.ops == &sim_crossbar_engine && !sim_crossbar_contends(&s);
    *ps = sim_finite_end(&s);
    sim_free(&s);
    return given;
}

/* Compares both ways of a program with what its packets do. */
static void compare_completion(scenario c, uint64_t visits, build_fn build, answers *n)
{
    made_graph m;
    sim s;
    ik_error err = {0};
    uint64_t ps = 0, found = 0, packets;
    open_graph(&m, &c, visits, build);
    if (visits == JOBS)
        set_jobs(&m.work);
    run_loop(&s, &sim_general_engine, &m);
    packets = sim_finite_end(&s);
    assert_true(packets == UINT64_MAX || packets <= s.measure.end_ps);
    sim_free(&s);
    bool given = crossbar_answers(&m, &ps);
    n->asked++;
    n->given += given;
    if (given && ps != packets)
        fail_msg("seed %llu, %s, visits %llu: %llu ps, its packets take %llu",
                 (unsigned long long)c.seed, c.adapter, (unsigned long long)visits,
                 (unsigned long long)ps, (unsigned long long)packets);
    assert_int_equal(sim_completion(m.plan, &m.traffic, &m.sec.config, &m.env, &found, &err),
                     IK_OK);
    assert_int_equal(err.text[0], 0);
    assert_int_equal(found, packets == UINT64_MAX ? 0 : packets);
    close_graph(&m);
}

/* Crossbars and adapters with what makes a difference: how many packets a message is, what it may
 * be interrupted by, how much may wait in a buffer. */
static scenario crossbar_of(unsigned k)
{
    static const char *const fabrics[] = {"crossbar:n=4,latency=10 ns,link_rate=100 Gb/s",
                                          "crossbar:n=4,latency=330 ns,link_rate=40 Gb/s",
                                          "crossbar:n=4,latency=2 ns,link_rate=800 Gb/s"};
    static const char *const adapters[] = {"packet=4096 B", "packet=64 B", "packet=24 B",
                                           "packet=100 B;interleave=fifo"}; /* visits 0 */
    static const char *const switches[] = {"model=ideal",
                                           "model=ideal;routing_delay=70 ns;traversal_delay=30 ns",
                                           "model=ideal;buffer=700 B"};
    return (scenario){.fabric = fabrics[k % 3],
                      .routing = "minimal",
                      .sw = switches[k / 3 % 3],
                      .adapter = adapters[k / 9 % 4],
                      .measure = ENDS,
                      .load = 1,
                      .threads = 1,
                      .seed = k + 1};
}

static void test_random_programs(void **state)
{
    static const uint64_t visits[] = {1, 2, FIFO, JOBS, 0};
    unsigned cases = SANITIZED && !all_asked() ? 150 : 3000;
    answers n = {0};
    (void)state;
    for (unsigned k = 0; k < cases; k++) {
        draw_more(k, k % 5 ? 0 : k % 7);
        for (int op = 0; op < drawn.num && k % 4; op++) /* closer to each other */
            drawn.op[op].amount /= drawn.op[op].kind == CALC ? 100 : 1;
        if (is_matched(&(graph_builder){.num_hosts = 4, .source = "test"}))
            compare_completion(crossbar_of(k), k / 9 % 4 == 3 ? 0 : visits[k / 36 % 5], build_drawn,
                               &n);
    }
    print_message("%u of %u answers\n", n.given, n.asked);
    assert_true(n.given > n.asked / 4 && n.given < n.asked);
}

/* Each host sends `RING_BYTES` on when it has them. */
enum { RING_STEPS = 12, RING_BYTES = 100000 };

static void build_ring(graph_builder *b, uint64_t seed)
{
    uint32_t last[4] = {IK_NONE, IK_NONE, IK_NONE, IK_NONE}, recv[4];
    (void)seed;
    for (unsigned step = 0; step < RING_STEPS; step++) {
        for (uint32_t host = 0; host < 4; host++)
            graph_wait(b, graph_message(b, host, (host + 1) % 4, RING_BYTES, &recv[host]),
                       last[host], false);
        for (uint32_t host = 0; host < 4; host++)
            last[(host + 1) % 4] = recv[host];
    }
}

static void test_closed_form_of_a_ring(void **state)
{
    scenario c = crossbar_of(0);
    answers n = {0};
    made_graph m;
    uint64_t ps;
    (void)state;
    compare_completion(c, 1, build_ring, &n);
    assert_int_equal(n.given, 1);
    open_graph(&m, &c, 1, build_ring);
    assert_true(crossbar_answers(&m, &ps));
    assert_int_equal(ps, RING_STEPS * (RING_BYTES * 80 + 2 * 10 * NS));
    close_graph(&m);
}

/* Two messages of one host at a time take turns packet by packet: refused, unless one goes after
 * the other. */
static void build_turns(graph_builder *b, uint64_t seed)
{
    (void)seed;
    graph_message(b, 0, 1, 9000, NULL);
    graph_message(b, 0, 2, 9000, NULL);
}

/* Two messages of three packets at one output: the second comes while packets of the first still
 * come, or (seed 2) while the last one of them is sent on. */
static void build_meeting(graph_builder *b, uint64_t seed)
{
    uint32_t calc = graph_add(b, 1, IK_OP_CALC, seed == 2 ? 500 * NS : 400 * NS, 0, 0, 0);
    graph_message(b, 0, 2, 9000, NULL);
    graph_wait(b, graph_message(b, 1, 2, 9000, NULL), calc, false);
}

/* Hosts 0 and 1 fill their buffers with packets for host 3, so that host 0's message for host 2,
 * which the end waits for, stands in its adapter; with enough space (seed 2) it does not. */
static void build_starved(graph_builder *b, uint64_t seed)
{
    uint32_t recv;
    (void)seed;
    for (unsigned k = 0; k < 8; k++) {
        graph_message(b, 0, 3, 3000, NULL);
        graph_message(b, 1, 3, 3000, NULL);
    }
    graph_message(b, 0, 2, 3000, &recv);
    graph_wait(b, graph_add(b, 2, IK_OP_CALC, 10000 * NS, 0, 0, 0), recv, false);
}

/* The largest messages that are one packet here, and the next ones. */
static void build_largest(graph_builder *b, uint64_t seed)
{
    graph_message(b, 0, 1, (uint64_t)INT32_MAX - 2 + seed, NULL);
}

static void test_largest_messages(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        scenario c = crossbar_of(2);
        answers n = {0};
        c.adapter = "packet=16777215 B";
        c.sw = "model=ideal;buffer=64 MiB";
        c.seed = seed;
        compare_completion(c, 1, build_largest, &n);
        assert_int_equal(n.given, seed == 1);
    }
}

static void test_refusals(void **state)
{
    static const struct {
        build_fn build;
        uint64_t visits, seed;
        unsigned given;
    } cases[] = {{build_turns, 1, 1, 0},    {build_turns, 2, 1, 0},    {build_turns, 3, 1, 1},
                 {build_turns, FIFO, 1, 1}, {build_turns, JOBS, 1, 0}, {build_meeting, 1, 1, 0},
                 {build_meeting, 1, 2, 1},  {build_starved, 1, 1, 0},  {build_starved, 1, 2, 1}};
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        scenario c = crossbar_of(0);
        answers n = {0};
        c.adapter = "packet=3000 B";
        c.seed = cases[k].seed;
        if (cases[k].build == build_starved)
            c.sw = c.seed == 1 ? "model=ideal;buffer=9000 B" : "model=ideal;buffer=90 KiB";
        compare_completion(c, cases[k].visits, cases[k].build, &n);
        if (n.given != cases[k].given)
            fail_msg("case %u: %s", k, n.given ? "answered" : "refused");
    }
}

/* Who is not served: a byte that takes no whole number of picoseconds, hosts slower than their
 * links, other switches, buffers that hold two packets, several VCs. */
static void test_what_is_not_served(void **state)
{
    static const struct {
        const char *fabric, *sw, *adapter;
    } cases[] = {
        {"crossbar:n=4,link_rate=56 Gb/s", "model=ideal", "packet=64 B"},
        {"crossbar:n=4", "model=ideal", "packet=64 B;injection_fraction=50%"},
        {"crossbar:n=4", "model=ideal", "packet=64 B;ejection_fraction=50%"},
        {"crossbar:n=4", "model=ideal", "packet=64 B;queues=destination"},
        {"crossbar:n=4", "model=iq", "packet=64 B"},
        {"crossbar:n=4", "model=ideal;switching=saf", "packet=64 B"},
        {"crossbar:n=4", "model=ideal;buffer=128 B", "packet=64 B"},
        {"karytree:k=2,n=2", "model=ideal", "packet=64 B"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        scenario c = crossbar_of(0);
        answers n = {0};
        c.fabric = cases[k].fabric;
        c.sw = cases[k].sw;
        c.adapter = cases[k].adapter;
        if (k == sizeof cases / sizeof *cases - 1)
            c.routing = "dmodk";
        compare_completion(c, 1, build_ring, &n);
        if (n.given)
            fail_msg("case %u is served", k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_random_programs),       cmocka_unit_test(test_closed_form_of_a_ring),
        cmocka_unit_test(test_largest_messages),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_is_not_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
