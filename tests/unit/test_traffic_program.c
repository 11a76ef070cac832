/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of ranks: what calls and tasks become in the dependency graph, places in several files,
 * communicators, tags, requests, scales, and what is refused. */
#include "traffic/program/program.h"
#include "workload_helper.h"

enum { HOSTS = 4 };

static program *begin_of(uint32_t ranks, const program_settings *of)
{
    program *p = NULL;
    ik_error err = {0};
    program_settings set = of ? *of : (program_settings){0};
    set.name = "trace";
    set.num_hosts = HOSTS;
    assert_int_equal(program_new(&set, &p, &err), IK_OK);
    if (program_begin(p, ranks, &err) != IK_OK)
        fail_msg("%s", err.text);
    return p;
}

#define WORKS(call)                                                                                \
    do {                                                                                           \
        ik_error err = {0};                                                                        \
        if ((call) != IK_OK)                                                                       \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

#define REFUSED(call, place, words)                                                                \
    do {                                                                                           \
        ik_error err = {0};                                                                        \
        assert_int_equal((call), IK_ERR_INPUT);                                                    \
        if (!strstr(err.text, words) || strcmp(err.file, place) != 0)                              \
            fail_msg("'%s' in '%s', expected '%s' in '%s'", err.text, err.file, words, place);     \
    } while (0)

static call_message to(uint32_t peer, uint32_t tag, uint64_t bytes)
{
    return (call_message){.peer = peer,
                          .tag = tag,
                          .bytes = bytes,
                          .seen_peer = PROGRAM_ANY,
                          .seen_tag = PROGRAM_ANY,
                          .request = PROGRAM_BLOCKING};
}

static ik_workload close_of(program *p)
{
    ik_workload w = {0};
    ik_error err = {0};
    if (program_close(p, &w, &err) != IK_OK)
        fail_msg("%s: %s", err.text, err.hint);
    return w;
}

static bool waits(const ik_graph *g, uint32_t op, uint32_t before)
{
    for (uint32_t k = g->after_first[before]; k < g->after_first[before + 1]; k++)
        if (g->after[k] == op)
            return true;
    return false;
}

/* Rank 0 computes twice, sends, computes; rank 1 receives more than is sent. */
static void calls_follow_each_other(void **state)
{
    (void)state;
    program_settings set = {.compute_scale = 2, .size_scale = .5};
    program *p = begin_of(2, &set);
    call_message m = to(1, 7, 100);
    WORKS(call_compute(p, 0, 1000, &err));
    WORKS(call_compute(p, 0, 500, &err));
    WORKS(call_send(p, 0, &m, &err));
    WORKS(call_compute(p, 0, 10, &err));
    m = to(0, 7, 4000);
    WORKS(call_recv(p, 1, &m, &err));
    ik_workload w = close_of(p);
    const ik_graph *g = w.graph;
    assert_int_equal(g->num_ops, 4);
    assert_int_equal(g->ops[0].amount, 3000);
    assert_int_equal(g->kind[1], IK_OP_SEND);
    assert_int_equal(g->ops[1].amount, 50);
    assert_int_equal(g->ops[2].amount, 20);
    assert_true(waits(g, 1, 0) && waits(g, 2, 1));
    assert_int_equal(g->ops[3].amount, 50);
    assert_int_equal(g->ops[3].match, 1);
    ik_workload_clear(&w);
}

/* Requests are over at once; what follows a wait follows them. */
static void requests_are_waited_for(void **state)
{
    (void)state;
    program *p = begin_of(2, NULL);
    call_message m = to(1, 0, 8);
    m.request = 5;
    WORKS(call_recv(p, 0, &m, &err));
    assert_true(call_is_open(p, 0, 5) && !call_is_open(p, 1, 5));
    program_place(p, "a", 3);
    REFUSED(call_send(p, 0, &m, &err), "a", "request 5 of rank 0 is still open");
    program_free(p);

    p = begin_of(2, NULL);
    WORKS(call_recv(p, 0, &m, &err)); /* 0 */
    WORKS(call_compute(p, 0, 70, &err));
    m = to(1, 0, 8);
    WORKS(call_send(p, 0, &m, &err));                       /* 1 2 */
    WORKS(call_wait(p, 0, (const uint64_t[]){5}, 1, &err)); /* 3 */
    WORKS(call_compute(p, 0, 30, &err));                    /* 4 */
    program_place(p, "b", 9);
    REFUSED(call_wait(p, 0, (const uint64_t[]){5}, 1, &err), "b", "request 5, which is not open");
    m = to(0, 0, 8);
    WORKS(call_send(p, 1, &m, &err));
    WORKS(call_recv(p, 1, &m, &err));
    ik_workload w = close_of(p);
    assert_true(!waits(w.graph, 1, 0) && waits(w.graph, 2, 1));
    assert_true(waits(w.graph, 3, 0) && waits(w.graph, 3, 2) && waits(w.graph, 4, 3));
    ik_workload_clear(&w);
}

/* Messages of one pair and tag in two communicators do not match each other. */
static void communicators_are_apart(void **state)
{
    (void)state;
    uint32_t comm, again, other;
    program *p = begin_of(3, NULL);
    WORKS(program_comm(p, (const uint32_t[]){2, 0}, 2, 0, &comm, &err));
    WORKS(program_comm(p, (const uint32_t[]){2, 0}, 2, 0, &again, &err));
    WORKS(program_comm(p, (const uint32_t[]){2, 0}, 2, 1, &other, &err));
    assert_true(comm == again && comm != other && comm != 0);
    assert_int_equal(program_comm_size(p, comm), 2);
    assert_int_equal(program_member(p, comm, 0), 2);
    call_message first = to(2, 1, 8), second = first, here = to(0, 1, 8), there = here;
    first.comm = there.comm = comm;
    WORKS(call_send(p, 0, &first, &err));
    WORKS(call_send(p, 0, &second, &err));
    WORKS(call_recv(p, 2, &here, &err));
    WORKS(call_recv(p, 2, &there, &err));
    first.peer = 1;
    program_place(p, "x", 1);
    REFUSED(call_send(p, 0, &first, &err), "x", "rank 1 is not in communicator 1");
    REFUSED(program_comm(p, (const uint32_t[]){1, 1}, 2, 0, &comm, &err), "x", "appears twice");
    REFUSED(program_comm(p, (const uint32_t[]){1, 3}, 2, 0, &comm, &err), "x", "no rank 3");
    ik_workload w = close_of(p);
    assert_int_equal(w.graph->ops[0].match, 3);
    assert_int_equal(w.graph->ops[1].match, 2);
    ik_workload_clear(&w);
}

/* Errors of the whole name the file and the line of what they are about. */
static void places_of_several_files(void **state)
{
    (void)state;
    ik_workload w;
    program *p = begin_of(2, NULL);
    call_message m = to(1, 0, 64);
    program_place(p, "dir/t.0", 10);
    WORKS(call_send(p, 0, &m, &err));
    program_place(p, "dir/t.0", 12);
    WORKS(call_send(p, 0, &m, &err));
    program_place(p, "dir/t.1", 3);
    m = to(0, 0, 64);
    WORKS(call_recv(p, 1, &m, &err));
    ik_error whole = {0};
    assert_int_equal(program_close(p, &w, &whole), IK_ERR_INPUT);
    assert_string_equal(whole.file, "dir/t.0");
    assert_int_equal(whole.line, 12);

    p = begin_of(2, NULL);
    m = to(1, 0, 64);
    program_place(p, "dir/t.0", 10);
    WORKS(call_send(p, 0, &m, &err));
    program_place(p, "dir/t.1", 3);
    m = to(0, 0, 63);
    WORKS(call_recv(p, 1, &m, &err));
    whole = (ik_error){0};
    assert_int_equal(program_close(p, &w, &whole), IK_ERR_INPUT);
    assert_string_equal(whole.file, "dir/t.1");
    assert_int_equal(whole.line, 3);
    assert_non_null(strstr(whole.text, "has no room"));
    assert_non_null(strstr(whole.hint, "dir/t.0, line 10"));

    p = begin_of(2, NULL);
    m = to(1, 0, 64);
    m.request = 1;
    program_place(p, "dir/t.0", 4);
    WORKS(call_recv(p, 0, &m, &err));
    whole = (ik_error){0};
    assert_int_equal(program_close(p, &w, &whole), IK_ERR_INPUT);
    assert_int_equal(whole.line, 4);
    assert_non_null(strstr(whole.text, "never waits for request 1"));
}

/* A wildcard takes what the trace says, or is left to the run. */
static void wildcards(void **state)
{
    (void)state;
    for (unsigned recorded = 0; recorded < 2; recorded++) {
        program_settings set = {.match_recorded = recorded};
        program *p = begin_of(3, &set);
        call_message m = to(2, 4, 8), any = to(PROGRAM_ANY, PROGRAM_ANY, 8);
        any.seen_peer = 1;
        any.seen_tag = 4;
        WORKS(call_send(p, 0, &m, &err));
        WORKS(call_send(p, 1, &m, &err));
        WORKS(call_recv(p, 2, &any, &err));
        any.seen_peer = 0;
        WORKS(call_recv(p, 2, &any, &err));
        ik_workload w = close_of(p);
        assert_int_equal(w.graph->ops[0].match, recorded ? 3 : IK_NONE);
        assert_int_equal(w.graph->ops[1].match, recorded ? 2 : IK_NONE);
        ik_workload_clear(&w);
    }
}

/* Ranks share hosts, and run on hosts in another order: matched by rank all the same. A receive of
 * any tag is one of its communicator. */
static ik_status two_per_host(void *ctx, uint32_t num, uint32_t *host_of, ik_error *err)
{
    (void)ctx;
    (void)err;
    for (uint32_t r = 0; r < num; r++)
        host_of[r] = 3 - r / 2;
    return IK_OK;
}

static void ranks_share_hosts(void **state)
{
    (void)state;
    program_settings set = {.map = two_per_host, .most_ranks = 2 * HOSTS};
    program *p = begin_of(6, &set);
    call_message m = to(5, 1, 8), from = to(1, 1, 8);
    WORKS(call_send(p, 0, &m, &err));
    WORKS(call_send(p, 1, &m, &err));
    WORKS(call_recv(p, 5, &from, &err));
    from.peer = 0;
    WORKS(call_recv(p, 5, &from, &err));
    ik_workload w = close_of(p);
    const ik_graph *g = w.graph;
    assert_int_equal(g->num_ranks, 6);
    for (uint32_t op = 0; op < g->num_ops; op++) {
        uint32_t rank = ik_graph_rank_number(g, ik_graph_rank(g, op));
        assert_int_equal(ik_graph_host(g, op), 3 - rank / 2);
        assert_int_equal(ik_graph_rank_number(g, ik_graph_peer_rank(g, g->ops[op].match)), rank);
    }
    ik_workload_clear(&w);

    uint32_t comm;
    p = begin_of(3, NULL);
    WORKS(program_comm(p, (const uint32_t[]){0, 1}, 2, 0, &comm, &err));
    call_message any = to(0, PROGRAM_ANY, 8);
    m = to(1, 4, 8);
    m.comm = any.comm = comm;
    WORKS(call_send(p, 0, &m, &err));
    WORKS(call_recv(p, 1, &any, &err));
    w = close_of(p);
    assert_non_null(w.graph->comm);
    assert_int_equal(w.graph->comm[0], w.graph->comm[1]);
    assert_int_not_equal(w.graph->comm[0], 0);
    ik_workload_clear(&w);
}

static void what_is_refused(void **state)
{
    (void)state;
    program *p = NULL;
    program_settings set = {.name = "trace", .num_hosts = HOSTS};
    WORKS(program_new(&set, &p, &err));
    REFUSED(program_begin(p, 0, &err), "trace", "of no rank");
    REFUSED(program_begin(p, HOSTS + 1, &err), "trace", "5 ranks on 4 hosts");
    program_free(p);
    p = begin_of(2, NULL);
    program_place(p, "t", 8);
    call_message m = to(2, 0, 8);
    REFUSED(call_send(p, 0, &m, &err), "t", "there is no rank 2");
    m = to(1, 0, PROGRAM_MOST + 1);
    REFUSED(call_send(p, 0, &m, &err), "t", "more than 10^15 B");
    m = to(1, IK_NONE - 1, 8);
    REFUSED(call_send(p, 0, &m, &err), "t", "the largest is");
    m = to(1, 0, 8);
    m.comm = 1;
    REFUSED(call_recv(p, 0, &m, &err), "t", "no communicator 1");
    REFUSED(call_compute(p, 2, 1, &err), "t", "there is no rank 2");
    REFUSED(call_compute(p, 0, UINT64_MAX, &err), "t", "11 days");
    program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_follow_each_other),
        cmocka_unit_test(requests_are_waited_for),
        cmocka_unit_test(communicators_are_apart),
        cmocka_unit_test(places_of_several_files),
        cmocka_unit_test(wildcards),
        cmocka_unit_test(ranks_share_hosts),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
