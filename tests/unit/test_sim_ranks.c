/* SPDX-License-Identifier: Apache-2.0
 *
 * Several ranks per host, and ranks on other hosts than their number says. */
#include "graph_run.h"

#define NS 1000ull

static scenario on_crossbar(void)
{
    return (scenario){.fabric = "crossbar:n=3,latency=10 ns,link_rate=100 Gb/s",
                      .routing = "minimal",
                      .sw = "model=ideal",
                      .adapter = "packet=1000 B",
                      .measure = ENDS ";paranoid=true",
                      .load = 1,
                      .threads = 1};
}

/* Every engine, on 1 to 3 threads, gives the same; the result is the last one. */
static ik_sim_result run_all(scenario c, build_fn build)
{
    ik_sim_result first = {0}, r;
    for (unsigned k = 0; k < 6; k++) {
        c.threads = 1 + k / 2;
        r = run_graph(k % 2 ? &sim_general_engine : NULL, c, 1, build);
        check_path(&r);
        if (k == 0) {
            first = r;
            continue;
        }
        assert_int_equal(r.completion_ps, first.completion_ps);
        assert_memory_equal(r.host_finish_ps, first.host_finish_ps, 3 * 8);
        assert_memory_equal(r.critical_path.kind_ps, first.critical_path.kind_ps,
                            sizeof r.critical_path.kind_ps);
        ik_sim_result_free(&r);
    }
    return first;
}

/* Ranks 0 and 3 are on host 2, rank 1 on host 0, rank 2 on host 1. */
static const uint32_t shared[] = {2, 0, 1, 2};

static void share(graph_builder *b)
{
    b->rank_host = shared;
    b->num_ranks = 4;
}

/* Each rank has processors of its own: both calculations of host 2 go on at once. */
static void build_calcs(graph_builder *b, uint64_t seed)
{
    (void)seed;
    share(b);
    graph_add(b, 3, IK_OP_CALC, 500 * NS, 0, 0, 0);
    graph_add(b, 0, IK_OP_CALC, 300 * NS, 0, 0, 0);
    graph_add(b, 3, IK_OP_CALC, 100 * NS, 0, 0, 0);
    graph_message(b, 1, 2, 1000, NULL);
}

static void test_processors_are_of_ranks(void **state)
{
    (void)state;
    ik_sim_result r = run_all(on_crossbar(), build_calcs);
    assert_int_equal(r.host_finish_ps[2], 600 * NS);
    assert_int_equal(r.host_finish_ps[0], 80 * NS); /* it has sent 1000 B */
    assert_int_equal(r.host_finish_ps[1], 100 * NS);
    ik_sim_result_free(&r);
}

/* Rank 0 to rank 3 through the memory of host 2: 4000 B at 8 Gb/s and 70 ns; then rank 3 sends to
 * rank 2 through the network. */
static void build_local(graph_builder *b, uint64_t seed)
{
    uint32_t recv;
    share(b);
    b->local_bps = 8000000000;
    b->local_latency_ps = 70 * NS;
    b->overhead_ps = seed == 2 ? 5 * NS : 0;
    b->eager = seed == 3;
    b->eager_bytes = 1 << 20;
    uint32_t send = graph_message(b, 0, 3, 4000, &recv),
             calc = graph_add(b, 0, IK_OP_CALC, NS, 1, 0, 0);
    graph_wait(b, calc, send, false);
    graph_wait(b, graph_message(b, 3, 2, 1000, NULL), recv, false);
}

static void build_local_overhead(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_local(b, 2);
}

static void build_local_eager(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_local(b, 3);
    graph_add(b, 0, IK_OP_CALC, 2 * NS, 2, 0, 0);
}

static void test_shared_memory(void **state)
{
    (void)state;
    ik_sim_result r = run_all(on_crossbar(), build_local);
    assert_int_equal(r.host_finish_ps[1], (4000 + 70 + 100) * NS);
    assert_int_equal(r.host_finish_ps[2], (4000 + 70 + 80) * NS);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_MEMORY], 4070 * NS);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_LATENCY], 100 * NS);
    ik_sim_result_free(&r);
    r = run_all(on_crossbar(), build_local_overhead); /* at both ends of both messages */
    assert_int_equal(r.host_finish_ps[1], (5 + 4070 + 5 + 5 + 100 + 5) * NS);
    ik_sim_result_free(&r);
    r = run_all(on_crossbar(), build_local_eager);
    assert_int_equal(r.host_finish_ps[1], 4170 * NS);
    ik_sim_result_free(&r);
}

/* Three messages of ranks of one host enter its adapter 300 ns after each other, whatever the order
 * of their release; one through memory does not count, and overheads of two ranks overlap. */
static void build_gap(graph_builder *b, uint64_t seed)
{
    share(b);
    b->gap_ps = 300 * NS;
    b->overhead_ps = seed == 2 ? 50 * NS : 0;
    b->eager = true;
    b->eager_bytes = 1 << 20;
    graph_message(b, 0, 3, 500, NULL);
    graph_message(b, 3, 2, 1000, NULL);
    graph_message(b, 0, 2, 1000, NULL);
    graph_message(b, 3, 1, 1000, NULL);
}

static void build_gap_overhead(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_gap(b, 2);
}

static void test_gap(void **state)
{
    (void)state;
    ik_sim_result r = run_all(on_crossbar(), build_gap);
    /* rank 0 stands before rank 3: its message first, then the two of rank 3 */
    assert_int_equal(r.host_finish_ps[1], (300 + 100) * NS);
    assert_int_equal(r.host_finish_ps[0], (600 + 100) * NS);
    assert_int_equal(r.host_finish_ps[2], 600 * NS); /* the adapter has the last */
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_GAP], 600 * NS);
    ik_sim_result_free(&r);
    /* rank 3's first is ready at 50, its second and that of rank 0 at 100 */
    r = run_all(on_crossbar(), build_gap_overhead);
    assert_int_equal(r.host_finish_ps[1], (350 + 100 + 50) * NS);
    assert_int_equal(r.host_finish_ps[0], (650 + 100 + 50) * NS);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_GAP], 550 * NS);
    ik_sim_result_free(&r);
}

/* Ranks 0 and 3 of host 2 send messages of one tag to rank 1: each of its receives takes that of
 * its source, and one of communicator 7 that of its communicator. */
static void build_matching(graph_builder *b, uint64_t seed)
{
    (void)seed;
    share(b);
    uint32_t recv[3];
    recv[0] = graph_add(b, 1, IK_OP_RECV, 1000, 3, 5, 0);
    b->comm_now = 7;
    recv[1] = graph_add(b, 1, IK_OP_RECV, 2000, 0, 5, 0);
    b->comm_now = 0;
    recv[2] = graph_add(b, 1, IK_OP_RECV, 3000, 0, 5, 0);
    graph_add(b, 0, IK_OP_SEND, 3000, 1, 5, 0);
    graph_add(b, 3, IK_OP_SEND, 1000, 1, 5, 0);
    b->comm_now = 7;
    graph_add(b, 0, IK_OP_SEND, 2000, 1, 5, 0);
    b->comm_now = 0;
    for (unsigned k = 0; k < 3; k++)
        graph_wait(b, graph_add(b, 1, IK_OP_CALC, 1000 * NS << k, k, 0, 0), recv[k], false);
}

/* The same, but rank 1 has a receive of any source as well, so all find each other at run time. */
static void build_wild(graph_builder *b, uint64_t seed)
{
    build_matching(b, seed);
    b->comm_now = 7;
    graph_add(b, 1, IK_OP_RECV, 500, GRAPH_ANY, GRAPH_ANY, 0);
    graph_wait(b, graph_add(b, 3, IK_OP_SEND, 500, 1, 1, 0), 4, false);
    b->comm_now = 0;
}

static void test_matching_is_of_ranks(void **state)
{
    build_fn builds[] = {build_matching, build_wild};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r = run_all(on_crossbar(), builds[k]);
        /* packets of the three take turns: of 3000 B from rank 0 the last leaves as the sixth */
        assert_true(r.host_finish_ps[0] > (4000 + 400) * NS);
        assert_true(r.host_finish_ps[0] < (4000 + 700) * NS);
        ik_sim_result_free(&r);
    }
}

/* What is unmatched is said in ranks. */
static void refuse_match(uint32_t comm, uint32_t tag, const char *want)
{
    graph_builder b = {.num_hosts = 3, .source = "test"};
    ik_workload w;
    ik_error err = {0};
    share(&b);
    graph_add(&b, 3, IK_OP_SEND, 8, 0, 1, 0);
    b.comm_now = comm;
    graph_add(&b, 0, IK_OP_RECV, 8, 3, tag, 0);
    assert_int_equal(graph_finish(&b, &w, &err), want ? IK_ERR_INPUT : IK_OK);
    if (want && !strstr(err.text, want))
        fail_msg("%s", err.text);
    ik_workload_clear(&w);
}

static void test_refusals(void **state)
{
    (void)state;
    refuse_match(0, 1, NULL);
    refuse_match(0, 2, "a receive of 8 B of rank 0 from rank 3, tag 2, is sent by nobody");
    refuse_match(9, 1, "a receive of 8 B of rank 0 from rank 3, tag 1, is sent by nobody");
    refuse_match(0, GRAPH_ANY, NULL);
    refuse_match(9, GRAPH_ANY, "a send of 8 B of rank 3 to rank 0, tag 1, is received by nobody");
}

/* Ranks stand by host; hosts, ranks and numbers fit together. */
static void test_order(void **state)
{
    graph_builder b = {.num_hosts = 3, .source = "test"};
    ik_workload w;
    ik_error err = {0};
    (void)state;
    build_wild(&b, 1);
    assert_int_equal(graph_finish(&b, &w, &err), IK_OK);
    const ik_graph *g = w.graph;
    const uint32_t number[] = {1, 2, 0, 3};
    assert_int_equal(g->num_ranks, 4);
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(g->rank_number[k], number[k]);
        assert_int_equal(g->rank_host[k], shared[number[k]]);
        for (uint32_t op = g->rank_first[k]; op < g->rank_first[k + 1]; op++) {
            assert_int_equal(ik_graph_rank(g, op), k);
            assert_int_equal(ik_graph_host(g, op), shared[number[k]]);
            uint32_t peer = ik_graph_peer_rank(g, op);
            if (g->kind[op] != IK_OP_CALC && peer != IK_NONE)
                assert_int_equal(g->rank_host[peer], g->ops[op].peer);
        }
    }
    assert_int_equal(g->rank_first[4], g->num_ops);
    ik_workload_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap),           cmocka_unit_test(test_processors_are_of_ranks),
        cmocka_unit_test(test_shared_memory), cmocka_unit_test(test_matching_is_of_ranks),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
