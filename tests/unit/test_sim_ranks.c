/* SPDX-License-Identifier: Apache-2.0
 *
 * Several ranks per host, and ranks on other hosts than their number says. */
#include "drawn_programs.h"
#include "unit/part.h"

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
    sim_result_clear(&r);
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
    assert_int_equal(r.workload_messages, 2);
    assert_int_equal(r.local_messages, 1);
    assert_int_equal(r.workload_bytes, 5000);
    assert_int_equal(r.local_bytes, 4000);
    /* host 2 alone sends to others, 1000 B that take 80 ns of its link */
    assert_float_equal(r.effective_throughput, 80.0 / 4170, 1e-12);
    sim_result_clear(&r);
    r = run_all(on_crossbar(), build_local_overhead); /* at both ends of both messages */
    assert_int_equal(r.host_finish_ps[1], (5 + 4070 + 5 + 5 + 100 + 5) * NS);
    sim_result_clear(&r);
    r = run_all(on_crossbar(), build_local_eager);
    assert_int_equal(r.host_finish_ps[1], 4170 * NS);
    sim_result_clear(&r);
}

/* Messages of ranks 0 and 1 reach the switch at once: that of rank 1, which is on the lower host
 * and so has the lower input, goes first. Rank 2 computes for 1 us when it has that of rank 0. */
static void build_meeting(graph_builder *b, uint64_t seed)
{
    uint32_t recv;
    (void)seed;
    share(b);
    graph_message(b, 0, 2, 1000, &recv);
    graph_message(b, 1, 2, 1000, NULL);
    graph_wait(b, graph_add(b, 2, IK_OP_CALC, 1000 * NS, 0, 0, 0), recv, false);
}

static void test_inputs_are_of_hosts(void **state)
{
    (void)state;
    ik_sim_result r = run_all(on_crossbar(), build_meeting);
    assert_int_equal(r.host_finish_ps[1], (100 + 80 + 1000) * NS);
    sim_result_clear(&r);
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
    sim_result_clear(&r);
    /* rank 3's first is ready at 50, its second and that of rank 0 at 100 */
    r = run_all(on_crossbar(), build_gap_overhead);
    assert_int_equal(r.host_finish_ps[1], (350 + 100 + 50) * NS);
    assert_int_equal(r.host_finish_ps[0], (650 + 100 + 50) * NS);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_GAP], 550 * NS);
    sim_result_clear(&r);
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
        sim_result_clear(&r);
    }
}

/* Packets of two messages take turns, so the shorter one is there first. It does not overtake the
 * other: not where both wait for a receive of any tag, behind which one of its tag stands, nor
 * where two of any tag wait for them. */
static void build_overtaking(graph_builder *b, uint64_t seed)
{
    bool waits = seed != 2;
    share(b);
    graph_add(b, 1, IK_OP_SEND, 3000, 2, 1, 0);
    graph_add(b, 1, IK_OP_SEND, 500, 2, 2, 0);
    uint32_t calc = graph_add(b, 2, IK_OP_CALC, 700 * NS, 0, 0, 0),
             first = graph_add(b, 2, IK_OP_RECV, 3000, GRAPH_ANY, GRAPH_ANY, 0),
             second = graph_add(b, 2, IK_OP_RECV, 500, GRAPH_ANY, waits ? 2 : GRAPH_ANY, 0);
    if (!waits)
        return;
    graph_wait(b, first, calc, false);
    graph_wait(b, second, first, false);
}

static void build_overtaking_late(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_overtaking(b, 2);
}

static void test_messages_do_not_overtake(void **state)
{
    build_fn builds[] = {build_overtaking, build_overtaking_late};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r = run_all(on_crossbar(), builds[k]);
        assert_int_equal(r.host_finish_ps[1], 700 * NS);
        sim_result_clear(&r);
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
    refuse_match(0, 2, "a receive of 8 B of rank 0 from rank 3, tag 2, is never sent");
    refuse_match(9, 1, "a receive of 8 B of rank 0 from rank 3, tag 1, is never sent");
    refuse_match(0, GRAPH_ANY, NULL);
    refuse_match(9, GRAPH_ANY, "a send of 8 B of rank 3 to rank 0, tag 1, is never received");
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

/* ---- handshakes */

/* 1000 B of rank 1 to rank 2, on hosts 0 and 1, whose receive begins at 700 ns: the request is
 * there at 20.16 ns, what clears it takes as long from 700 ns on, then come the data. */
static void build_handshake(graph_builder *b, uint64_t seed)
{
    share(b);
    b->eager = b->handshake = true;
    b->eager_bytes = seed == 2 ? 5000 : 500;
    b->sync_now = seed == 2; /* as large messages, whatever their size */
    uint32_t recv, send = graph_message(b, 1, 2, 1000, &recv),
                   calc = graph_add(b, 2, IK_OP_CALC, seed == 3 ? 0 : 700 * NS, 0, 0, 0);
    graph_wait(b, recv, calc, false);
    uint32_t then = graph_add(b, 1, IK_OP_CALC, 3000 * NS, 0, 0, 0);
    graph_wait(b, then, send, false);
    b->sync_now = false;
    uint32_t begun = graph_add(b, 1, IK_OP_CALC, 1 * NS, 1, 0, 0);
    graph_wait(b, begun, send, true);
}

static void build_synchronous(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_handshake(b, 2);
}

static void build_early(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_handshake(b, 3);
}

/* The receive is one of any source. */
static void build_handshake_any(graph_builder *b, uint64_t seed)
{
    build_handshake(b, seed);
    graph_add(b, 2, IK_OP_RECV, 8, GRAPH_ANY, 9, 0);
    graph_add(b, 0, IK_OP_SEND, 8, 2, 9, 0);
}

static void test_handshake(void **state)
{
    const uint64_t control = 20080; /* two links of 10 ns, 1 B of 80 ps */
    build_fn late[] = {build_handshake, build_synchronous, build_handshake_any};
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        ik_sim_result r = run_all(on_crossbar(), late[k]);
        assert_int_equal(r.host_finish_ps[1], 700 * NS + control + 100 * NS);
        /* above eager_bytes the send is done when the data have left, else when the adapter has
         * them */
        uint64_t left = 700 * NS + control + (k == 1 ? 0 : 80 * NS);
        assert_int_equal(r.host_finish_ps[0], left + 3000 * NS);
        sim_result_clear(&r);
    }
    ik_sim_result r = run_all(on_crossbar(), build_early);
    assert_int_equal(r.host_finish_ps[1], 2 * control + 100 * NS);
    sim_result_clear(&r);
}

/* Both ranks send before they receive: with handshakes none goes on, eager messages do. */
static void build_exchange(graph_builder *b, uint64_t seed)
{
    share(b);
    b->eager = b->handshake = b->blocks = true;
    b->eager_bytes = seed == 2 ? 1000 : 999;
    uint32_t recv[2], first = graph_message(b, 1, 2, 1000, &recv[0]),
                      second = graph_message(b, 2, 1, 1000, &recv[1]);
    graph_wait(b, recv[1], first, false);
    graph_wait(b, recv[0], second, false);
}

static void build_eager_exchange(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_exchange(b, 2);
}

/* Rank 1 computes, sends, and receives what rank 2 sends only after it has got another message. */
static void build_late_exchange(graph_builder *b, uint64_t seed)
{
    (void)seed;
    share(b);
    b->blocks = b->eager = b->handshake = true;
    b->eager_bytes = 5000;
    uint32_t calc = graph_add(b, 1, IK_OP_CALC, 40 * NS, 0, 0, 0),
             send = graph_add(b, 1, IK_OP_SEND, 1000, 2, 3, 0),
             recv = graph_add(b, 1, IK_OP_RECV, 1000, 2, 3, 0), then;
    graph_wait(b, send, calc, false);
    graph_wait(b, recv, send, false);
    uint32_t got = graph_add(b, 2, IK_OP_RECV, 1000, GRAPH_ANY, 3, 0),
             wild = graph_add(b, 2, IK_OP_RECV, 8, GRAPH_ANY, 7, 0);
    graph_wait(b, wild, got, false);
    graph_wait(b, graph_add(b, 2, IK_OP_SEND, 1000, 1, 3, 0), wild, false);
    then = graph_add(b, 1, IK_OP_SEND, 8, 2, 7, 0);
    graph_wait(b, then, recv, false);
}

static void test_what_blocks(void **state)
{
    graph_builder b = {.num_hosts = 3, .source = "test"};
    ik_workload w;
    ik_error err = {0};
    (void)state;
    ik_sim_result r = run_graph(NULL, on_crossbar(), 1, build_exchange);
    assert_false(r.completed);
    assert_non_null(strstr(r.missing_text, "nothing happens any more"));
    assert_non_null(strstr(r.missing_text,
                           "rank 1 on host 0: send 1000 B to rank 2: rank 2 has not come to its "
                           "receive; since 0 ps\n"
                           "rank 2 on host 1: send 1000 B to rank 1: rank 1 has not come to its "
                           "receive; since 0 ps\n"));
    assert_null(strstr(r.missing_text, "rank 0"));
    sim_result_clear(&r);
    r = run_graph(NULL, on_crossbar(), 1, build_late_exchange);
    assert_false(r.completed);
    assert_non_null(strstr(r.missing_text,
                           "rank 1 on host 0: receive 1000 B from rank 2: rank 2 has not come to "
                           "its send; since 40 ns\n"
                           "rank 2 on host 1: receive 8 B from any rank: no message that fits is "
                           "there; since 140 ns\n"));
    sim_result_clear(&r);
    r = run_all(on_crossbar(), build_eager_exchange);
    assert_int_equal(r.completion_ps, 100 * NS);
    sim_result_clear(&r);
    build_exchange(&b, 1);
    b.blocks = false;
    assert_int_equal(graph_finish(&b, &w, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "waits for itself"));
    b = (graph_builder){.num_hosts = 3, .source = "test"};
    build_exchange(&b, 1); /* a cycle within a rank is one in any case */
    graph_wait(&b, 0, 3, false);
    assert_int_equal(graph_finish(&b, &w, &err), IK_ERR_INPUT);
}

/* ---- random programs against the reference */

static void compare_with_model(uint64_t seed, uint32_t wild, unsigned *completed)
{
    draw_more(seed, wild);
    if (!is_matched(&(graph_builder){.num_hosts = 4, .source = "test"}))
        return;
    scenario c = on_crossbar();
    c.fabric = "crossbar:n=4,latency=10 ns,link_rate=100 Gb/s";
    c.adapter = "packet=4096 B";
    c.measure = ENDS; /* no samples of a run that is stuck */
    bool all = model_run(&drawn);
    *completed += all;
    uint64_t finish[4] = {0};
    for (int r = 0; r < drawn.ranks; r++) {
        uint64_t *of = &finish[drawn.host_of[r]];
        *of = drawn.finish[r] > *of ? drawn.finish[r] : *of;
    }
    for (unsigned k = 0; k < 2 * MOST_THREADS; k++) {
        c.threads = 1 + k / 2;
        ik_sim_result r = run_graph(k % 2 ? &sim_general_engine : NULL, c, FIFO, build_drawn);
        if (r.completed != all)
            fail_msg("program %llu: %s", (unsigned long long)seed,
                     all ? r.missing_text : "completed");
        if (all)
            check_path(&r);
        for (unsigned h = 0; h < 4; h++)
            if (r.host_finish_ps[h] != finish[h])
                fail_msg(
                    "program %llu (overhead %llu, gap %llu, eager %llu%s), %u threads: host %u "
                    "is done at %llu ps, expected %llu",
                    (unsigned long long)seed, (unsigned long long)drawn.overhead,
                    (unsigned long long)drawn.gap, (unsigned long long)drawn.eager,
                    drawn.handshake ? " handshake" : "", c.threads, h,
                    (unsigned long long)r.host_finish_ps[h], (unsigned long long)finish[h]);
        sim_result_clear(&r);
    }
}

static void test_random_programs(void **state)
{
    unsigned completed = 0, cases = SANITIZED && !all_asked() ? 200 : 4000;
    (void)state;
    for (unsigned k = 0; k < cases; k++)
        compare_with_model(k, k % 2 ? k % 7 : 0, &completed);
    print_message("%u of %u programs completed\n", completed, cases);
    assert_true(completed > cases / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_processors_are_of_ranks),
        cmocka_unit_test(test_inputs_are_of_hosts),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_matching_is_of_ranks),
        cmocka_unit_test(test_messages_do_not_overtake),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_handshake),
        cmocka_unit_test(test_what_blocks),
        on_one_thread(test_random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
