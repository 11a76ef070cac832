/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of calls: the time of every rank by kinds of calls and over time, the matrix of
 * messages. */
#include "rank_run.h"
#include "unit/part.h"

/* Rank 1 computes 40 ns, sends 1000 B (handshake or, acknowledged, until that is back), computes
 * again; rank 2 receives. */
static void build_calls(graph_builder *b, uint64_t seed)
{
    share(b);
    b->eager = true;
    b->handshake = seed != 2;
    b->eager_bytes = 100;
    uint32_t recv, calc = graph_add(b, 1, IK_OP_CALC, 40 * NS, 0, 0, 0),
                   send = graph_message(b, 1, 2, 1000, &recv),
                   then = graph_add(b, 1, IK_OP_CALC, 7 * NS, 0, 0, 0);
    graph_call(b, calc, IK_CALL_COMPUTE);
    graph_call(b, send, IK_CALL_SEND);
    graph_call(b, then, IK_CALL_COMPUTE);
    graph_call(b, recv, IK_CALL_RECEIVE);
    graph_wait(b, send, calc, false);
    graph_wait(b, then, send, false);
}

static void build_acknowledged(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_calls(b, 2);
}

static void check_segment(const ik_sim_result *r, size_t k, uint32_t rank, ik_call_kind kind,
                          uint64_t to_ps)
{
    assert_true(k < r->num_timeline);
    const ik_rank_segment *one = &r->timeline[k];
    bool follows = k > 0 && one[-1].rank == rank;
    assert_int_equal(one->rank, rank);
    assert_int_equal(one->kind, kind);
    assert_int_equal(one->from_ps, follows ? one[-1].to_ps : 0);
    assert_int_equal(one->to_ps, to_ps);
}

/* Rank 1 has as many calls as the seed says, computations of 3 ns and waits of 2 ns in turn, then
 * one wait of 100 ns; rank 2 has three of one kind. */
static void build_many(graph_builder *b, uint64_t num)
{
    uint32_t before = IK_NONE;
    share(b);
    for (uint64_t k = 0; k <= num; k++) {
        uint64_t time = k == num ? 100 * NS : k % 2 ? 2 * NS : 3 * NS;
        uint32_t calc = graph_add(b, 1, IK_OP_CALC, time, 0, 0, 0);
        graph_call(b, calc, k % 2 || k == num ? IK_CALL_WAIT : IK_CALL_COMPUTE);
        if (before != IK_NONE)
            graph_wait(b, calc, before, false);
        before = calc;
    }
    for (unsigned k = 0; k < 3; k++)
        graph_call(b, graph_add(b, 2, IK_OP_CALC, NS, 0, 0, 0), IK_CALL_SEND);
}

static void build_fitting(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_many(b, IK_TIMELINE_MOST);
}

static void build_too_many(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_many(b, IK_TIMELINE_MOST + 2);
}

/* A rank has as many segments as there is room for, to the picosecond; one with more has equal
 * periods of what took most of them. */
static void test_time_lines(void **state)
{
    const uint64_t most = IK_TIMELINE_MOST, end = (most / 2 + 1) * 5 * NS + 100 * NS;
    (void)state;
    ik_sim_result r = run_all(on_crossbar(), build_fitting);
    assert_int_equal(r.num_timeline, most + 1);
    for (size_t k = 0; k + 1 < most; k++)
        check_segment(&r, k, 1, k % 2 ? IK_CALL_WAIT : IK_CALL_COMPUTE,
                      5 * NS * (k / 2) + (k % 2 ? 5 : 3) * NS);
    check_segment(&r, most - 1, 1, IK_CALL_WAIT, most / 2 * 5 * NS + 100 * NS);
    check_segment(&r, most, 2, IK_CALL_SEND, 3 * NS);
    sim_result_clear(&r);

    r = run_all(on_crossbar(), build_too_many);
    assert_in_range(r.num_timeline, most / 4, most); /* periods of 2.7 ns: some are of one kind */
    for (size_t k = 0; k + 1 < r.num_timeline; k++) {
        uint64_t to = r.timeline[k].to_ps, period = (to * most + end - 1) / end;
        check_segment(&r, k, 1, r.timeline[k].kind, end * period / most);
        assert_true(k == 0 || r.timeline[k].kind != r.timeline[k - 1].kind);
    }
    assert_int_equal(r.timeline[r.num_timeline - 2].to_ps, end);
    assert_int_equal(r.timeline[r.num_timeline - 2].kind, IK_CALL_WAIT);
    assert_in_range(end - r.timeline[r.num_timeline - 2].from_ps, 100 * NS, 105 * NS);
    assert_int_equal(r.timeline[0].kind, IK_CALL_COMPUTE);
    sim_result_clear(&r);
}

static void test_calls(void **state)
{
    const uint64_t control = 20080; /* of a message of 1 byte */
    build_fn builds[] = {build_calls, build_acknowledged};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r = run_all(on_crossbar(), builds[k]);
        uint64_t sent = k == 0 ? 2 * control + 80 * NS : 100 * NS + control,
                 got = 40 * NS + 100 * NS + (k == 0 ? 2 * control : 0);
        assert_int_equal(r.num_ranks, 4);
        const ik_rank_times *one = &r.ranks[1], *two = &r.ranks[2];
        assert_int_equal(one->rank, 1);
        assert_int_equal(one->host, 0);
        assert_int_equal(one->ps[IK_CALL_COMPUTE], 47 * NS);
        assert_int_equal(one->calls[IK_CALL_COMPUTE], 2);
        assert_int_equal(one->ps[IK_CALL_SEND], sent);
        assert_int_equal(one->end_ps, 47 * NS + sent);
        assert_int_equal(two->ps[IK_CALL_RECEIVE], got);
        assert_int_equal(two->end_ps, got);
        assert_int_equal(r.ranks[3].end_ps, 0);
        check_segment(&r, 0, 1, IK_CALL_COMPUTE, 40 * NS);
        check_segment(&r, 1, 1, IK_CALL_SEND, 40 * NS + sent);
        check_segment(&r, 2, 1, IK_CALL_COMPUTE, 47 * NS + sent);
        check_segment(&r, 3, 2, IK_CALL_RECEIVE, got);
        assert_int_equal(r.num_timeline, 4);
        assert_int_equal(r.num_matrix, 1); /* without what answers */
        assert_int_equal(r.matrix[0].src, 1);
        assert_int_equal(r.matrix[0].dst, 2);
        assert_int_equal(r.matrix[0].messages, 1);
        assert_int_equal(r.matrix[0].bytes, 1000);
        assert_int_equal(r.matrix_block, 1);
        sim_result_clear(&r);
    }
}

/* Without calls. Rank 1 computes 30 ns while its message leaves, and 10 ns behind that; rank 2
 * computes 40 ns while it receives, and 20 ns behind that. */
static void build_tasks(graph_builder *b, uint64_t seed)
{
    share(b);
    b->program = true;
    b->eager = seed == 2 || seed == 3;
    b->handshake = seed == 3;
    b->eager_bytes = 100;
    uint32_t tag = 7, from = seed == 5 ? GRAPH_ANY : 1;
    if (seed == 4) { /* a collective operation */
        b->tags = calloc(1, sizeof *b->tags);
        assert_non_null(b->tags);
        b->tags[0].tag = IK_NONE;
        b->first_tag = tag;
        b->num_tags = 1;
    }
    graph_add(b, 1, IK_OP_CALC, 30 * NS, 0, 0, 0);
    uint32_t send = graph_add(b, 1, IK_OP_SEND, 1000, 2, tag, 0),
             then = graph_add(b, 1, IK_OP_CALC, 10 * NS, 0, 0, 0);
    graph_wait(b, then, send, false);
    graph_add(b, 2, IK_OP_CALC, 40 * NS, 0, 0, 0);
    uint32_t recv = graph_add(b, 2, IK_OP_RECV, 1000, from, tag, 0);
    then = graph_add(b, 2, IK_OP_CALC, 20 * NS, 0, 0, 0);
    graph_wait(b, then, recv, false);
}

static void build_acked_tasks(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_tasks(b, 2);
}

static void build_asking_tasks(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_tasks(b, 3);
}

static void build_collective_tasks(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_tasks(b, 4);
}

static void build_wild_tasks(graph_builder *b, uint64_t seed)
{
    (void)seed;
    build_tasks(b, 5);
}

/* What is in progress, the first kind of it: computing hides sends and receives. */
static void test_tasks(void **state)
{
    const uint64_t control = 20080;
    const struct {
        build_fn build;
        uint64_t sent, got, controls;
    } of[] = {{build_tasks, 80 * NS, 100 * NS, 0},
              {build_acked_tasks, 100 * NS + control, 100 * NS, 1},
              {build_asking_tasks, 80 * NS + 2 * control, 100 * NS + 2 * control, 2},
              {build_collective_tasks, 80 * NS, 100 * NS, 0},
              {build_wild_tasks, 80 * NS, 100 * NS, 0}};
    (void)state;
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        ik_sim_result r = run_all(on_crossbar(), of[k].build);
        bool all = of[k].build == build_collective_tasks;
        check_segment(&r, 0, 1, IK_CALL_COMPUTE, 30 * NS);
        check_segment(&r, 1, 1, all ? IK_CALL_COLLECTIVE : IK_CALL_SEND, of[k].sent);
        check_segment(&r, 2, 1, IK_CALL_COMPUTE, of[k].sent + 10 * NS);
        check_segment(&r, 3, 2, IK_CALL_COMPUTE, 40 * NS);
        check_segment(&r, 4, 2, all ? IK_CALL_COLLECTIVE : IK_CALL_RECEIVE, of[k].got);
        check_segment(&r, 5, 2, IK_CALL_COMPUTE, of[k].got + 20 * NS);
        assert_int_equal(r.num_timeline, 6);
        assert_int_equal(r.ranks[1].calls[IK_CALL_COMPUTE], 2);
        assert_int_equal(r.ranks[1].ps[IK_CALL_COMPUTE], 40 * NS);
        assert_int_equal(r.ranks[2].end_ps, of[k].got + 20 * NS);
        assert_int_equal(r.num_matrix, 1);
        assert_int_equal(r.matrix[0].bytes, 1000);
        assert_int_equal(r.workload_messages, 1);
        assert_int_equal(r.workload_bytes, 1000);
        assert_int_equal(r.control_messages, of[k].controls);
        assert_int_equal(r.message_classes[0].messages, 1);
        sim_result_clear(&r);
    }
}

/* GOAL cannot express them; that is no matter of `eager`. */
static void test_synchronous_sends_are_not_written(void **state)
{
    ik_error err = {0};
    (void)state;
    ik_workload w = {0};
    graph_builder b = {.num_hosts = 3, .source = "test", .eager = true, .handshake = true};
    b.eager_bytes = UINT64_MAX;
    b.sync_now = true;
    graph_message(&b, 0, 1, 8, NULL);
    assert_int_equal(graph_finish(&b, &w, &err), IK_OK);
    assert_int_equal(ik_workload_write_goal(&w, stdout, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "1 that wait for their receives"));
    assert_null(strstr(err.hint, "without 'eager'"));
    ik_workload_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_time_lines),
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_synchronous_sends_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
