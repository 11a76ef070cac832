/* SPDX-License-Identifier: Apache-2.0
 *
 * Collective operations in programs: each rank's part by itself makes the messages and the
 * knowledge of traffic 'collective'; on communicators of some ranks in any order; sizes per rank;
 * several at a time; what ranks must agree on. */
#include "traffic/program/program.h"
#include "workload_helper.h"

enum { HOSTS = 9 };

#define WORKS(call)                                                                                \
    do {                                                                                           \
        ik_error err = {0};                                                                        \
        if ((call) != IK_OK)                                                                       \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

static program *begin_of(uint32_t ranks, collective_operation operation,
                         collective_algorithm algorithm)
{
    program *p = NULL;
    program_settings set = {.name = "trace", .num_hosts = HOSTS};
    set.algorithm[operation] = algorithm;
    WORKS(program_new(&set, &p, &err));
    WORKS(program_begin(p, ranks, &err));
    return p;
}

static ik_workload close_of(program *p)
{
    ik_workload w = {0};
    ik_error whole = {0};
    if (program_close(p, &w, &whole) != IK_OK)
        fail_msg("%s: %s", whole.text, whole.hint);
    return w;
}

static const char *word(const char *list, unsigned index)
{
    static char text[2][32];
    static unsigned which;
    which ^= 1;
    while (index--)
        list = strchr(list, '|') + 1;
    snprintf(text[which], 32, "%.*s", (int)strcspn(list, "|"), list);
    return text[which];
}

/* Bytes and messages of each pair, and what each host knows at the end. */
typedef struct outline {
    uint64_t bytes[HOSTS][HOSTS], messages[HOSTS][HOSTS], known[HOSTS];
} outline;

static outline *outline_of(const ik_graph *g)
{
    outline *o = test_calloc(1, sizeof *o);
    uint64_t *known = test_calloc(g->num_ops + 1, sizeof *known);
    spread_knowledge(g, known);
    for (uint32_t host = 0; host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            o->known[host] |= known[op];
            if (g->kind[op] != IK_OP_SEND)
                continue;
            o->bytes[host][g->ops[op].peer] += g->ops[op].amount;
            o->messages[host][g->ops[op].peer]++;
        }
    test_free(known);
    return o;
}

static void compare(const char *spec, const ik_graph *a, const ik_graph *b)
{
    outline *x = outline_of(a), *y = outline_of(b);
    if (memcmp(x->messages, y->messages, sizeof x->messages) != 0)
        fail_msg("%s: other messages", spec);
    if (memcmp(x->bytes, y->bytes, sizeof x->bytes) != 0)
        fail_msg("%s: messages of other sizes", spec);
    if (memcmp(x->known, y->known, sizeof x->known) != 0)
        fail_msg("%s: somebody knows something else at the end", spec);
    test_free(x);
    test_free(y);
}

/* Every operation and algorithm, alone, ranks in a strange order. */
static void as_traffic_collective(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("crossbar:n=9");
    unsigned compared = 0;
    for (unsigned o = 0; o < COLLECTIVE_OPERATIONS; o++)
        for (unsigned a = 1; a < COLLECTIVE_ALGORITHMS; a++)
            for (uint32_t num = 2; num <= HOSTS; num++)
                for (uint32_t root = 0; root < num; root += 3) {
                    bool rooted = o == COLLECTIVE_BROADCAST || o == COLLECTIVE_REDUCE ||
                                  o == COLLECTIVE_GATHER || o == COLLECTIVE_SCATTER;
                    uint64_t bytes = o == COLLECTIVE_BARRIER ? 1 : 1001, counts[HOSTS];
                    char spec[200], tail[40] = "";
                    if (rooted)
                        snprintf(tail, sizeof tail, ",root=%u", root);
                    if (o == COLLECTIVE_ALLTOALLV || (root && !rooted))
                        continue;
                    snprintf(spec, sizeof spec,
                             "collective:operation=%s,algorithm=%s,processes=%u,bytes=%llu B%s",
                             word(COLLECTIVE_OPERATION_NAMES, o),
                             word(COLLECTIVE_ALGORITHM_NAMES, a), num, (unsigned long long)bytes,
                             tail);
                    ik_traffic *t = NULL;
                    if (ik_traffic_from_spec(f, spec, NULL, &t, NULL) != IK_OK)
                        continue;
                    program *p = begin_of(num, o, a);
                    for (uint32_t k = 0; k < num; k++)
                        counts[k] = bytes;
                    program_collective_call c = {
                        .operation = o, .root = root, .bytes = bytes, .send_counts = counts};
                    for (uint32_t k = 0; k < num; k++)
                        WORKS(call_collective(p, num - 1 - k, &c, PROGRAM_BLOCKING, &err));
                    ik_workload w = close_of(p);
                    compare(spec, w.graph, t->workload->graph);
                    ik_workload_clear(&w);
                    ik_traffic_free(t);
                    compared++;
                }
    assert_true(compared > 150);
    ik_fabric_free(f);
}

/* On some ranks in another order, the places of the communicator are what counts. */
static void on_a_communicator(void **state)
{
    static const uint32_t ranks[] = {7, 2, 5};
    (void)state;
    program *p = begin_of(HOSTS, COLLECTIVE_SCATTER, COLLECTIVE_LINEAR);
    uint32_t comm;
    WORKS(program_comm(p, ranks, 3, 0, &comm, &err));
    for (unsigned k = 0; k < 3; k++) {
        program_collective_call c = {
            .operation = COLLECTIVE_SCATTER, .comm = comm, .root = 2, .bytes = 30};
        WORKS(call_collective(p, ranks[k], &c, PROGRAM_BLOCKING, &err));
    }
    ik_workload w = close_of(p);
    outline *o = outline_of(w.graph);
    assert_int_equal(w.num_messages, 2);
    assert_int_equal(o->bytes[5][7], 30);
    assert_int_equal(o->bytes[5][2], 30);
    test_free(o);
    ik_workload_clear(&w);
}

/* Sizes per rank, of every operation that has them. */
static void sizes_per_rank(void **state)
{
    static const uint64_t counts[4][4] = {
        {1, 20, 0, 4}, {10, 2, 30, 0}, {0, 200, 3, 40}, {100, 0, 300, 4}};
    (void)state;
    for (unsigned both = 0; both < 2; both++) {
        program *p = begin_of(4, COLLECTIVE_ALLTOALLV, COLLECTIVE_AUTO);
        for (unsigned r = 0; r < 4; r++) {
            uint64_t from[4];
            for (unsigned k = 0; k < 4; k++)
                from[k] = counts[k][r];
            program_collective_call c = {.operation = COLLECTIVE_ALLTOALLV,
                                         .send_counts = counts[r],
                                         .recv_counts = both ? from : NULL};
            WORKS(call_collective(p, r, &c, PROGRAM_BLOCKING, &err));
        }
        ik_workload w = close_of(p);
        outline *o = outline_of(w.graph);
        for (unsigned r = 0; r < 4; r++)
            for (unsigned k = 0; k < 4; k++) {
                uint64_t sent = counts[r][k] || both || r == k ? counts[r][k] : 1;
                assert_int_equal(o->bytes[r][k], r == k ? 0 : sent);
            }
        test_free(o);
        ik_workload_clear(&w);
    }
    /* gatherv to rank 1, scatterv from it, allgatherv and reduce_scatter */
    program *p = begin_of(4, COLLECTIVE_ALLGATHER, COLLECTIVE_RING);
    for (unsigned r = 0; r < 4; r++) {
        program_collective_call c = {.operation = COLLECTIVE_GATHER, .root = 1, .varies = true};
        c.bytes = counts[0][r];
        WORKS(call_collective(p, r, &c, PROGRAM_BLOCKING, &err));
        c.operation = COLLECTIVE_SCATTER;
        c.send_counts = r == 1 ? counts[3] : NULL;
        WORKS(call_collective(p, r, &c, PROGRAM_BLOCKING, &err));
        c = (program_collective_call){
            .operation = COLLECTIVE_ALLGATHER, .varies = true, .recv_counts = counts[2]};
        WORKS(call_collective(p, r, &c, PROGRAM_BLOCKING, &err));
    }
    ik_workload w = close_of(p);
    outline *o = outline_of(w.graph);
    /* the ring goes round once without the block of the next one */
    assert_int_equal(o->bytes[0][1], 1 + (243 - counts[2][1]));
    assert_int_equal(o->bytes[2][3], 243 - counts[2][3]);
    assert_int_equal(o->bytes[3][1], 4);
    assert_int_equal(o->bytes[1][2], 300 + (243 - counts[2][2]));
    assert_int_equal(o->bytes[1][0], 100);
    test_free(o);
    ik_workload_clear(&w);
}

/* Two at a time on one communicator; what follows the wait knows all. */
static void without_blocking(void **state)
{
    (void)state;
    program *p = begin_of(4, COLLECTIVE_ALLREDUCE, COLLECTIVE_AUTO);
    for (unsigned r = 0; r < 4; r++) {
        program_collective_call c = {.operation = COLLECTIVE_ALLREDUCE, .bytes = 8};
        WORKS(call_collective(p, r, &c, 1, &err));
        c = (program_collective_call){.operation = COLLECTIVE_BROADCAST, .bytes = 80, .root = 3};
        WORKS(call_collective(p, r, &c, 2, &err));
        WORKS(call_compute(p, r, 1000, &err));
        WORKS(call_wait(p, r, (const uint64_t[]){2, 1}, 2, &err));
    }
    ik_workload w = close_of(p);
    const ik_graph *g = w.graph;
    uint64_t *known = test_calloc(g->num_ops + 1, sizeof *known);
    assert_int_equal(w.num_messages, 8 + 3);
    spread_knowledge(g, known);
    for (unsigned r = 0; r < 4; r++) {
        /* the last operation of a rank is its wait; nothing else of it waits for the computation */
        assert_int_equal(known[g->host_first[r + 1] - 1], 15);
        for (uint32_t op = g->host_first[r]; op < g->host_first[r + 1]; op++)
            if (g->kind[op] == IK_OP_CALC && g->ops[op].amount)
                assert_int_equal(g->after_first[op + 1] - g->after_first[op], 1);
    }
    test_free(known);
    ik_workload_clear(&w);
}

/* Ranks that say something else are refused with both places. */
static void ranks_must_agree(void **state)
{
    static const struct {
        program_collective_call first, second;
        const char *words;
    } cases[] = {
        {{.operation = COLLECTIVE_BROADCAST, .bytes = 8},
         {.operation = COLLECTIVE_REDUCE, .bytes = 8},
         "reduce of rank 1, broadcast of rank 0"},
        {{.operation = COLLECTIVE_BROADCAST, .bytes = 8},
         {.operation = COLLECTIVE_BROADCAST, .bytes = 8, .root = 1},
         "root 1 of rank 1, 0 of rank 0"},
        {{.operation = COLLECTIVE_ALLREDUCE, .bytes = 8},
         {.operation = COLLECTIVE_ALLREDUCE, .bytes = 9},
         "9 B of rank 1, 8 B of rank 0"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_error whole = {0};
        program *p = begin_of(2, 0, 0);
        program_place(p, "t.0", 5);
        WORKS(call_collective(p, 0, &cases[k].first, PROGRAM_BLOCKING, &err));
        program_place(p, "t.1", 6);
        assert_int_equal(call_collective(p, 1, &cases[k].second, PROGRAM_BLOCKING, &whole),
                         IK_ERR_INPUT);
        if (!strstr(whole.text, cases[k].words))
            fail_msg("%s", whole.text);
        assert_string_equal(whole.file, "t.1");
        assert_int_equal(whole.line, 6);
        assert_non_null(strstr(whole.hint, "t.0, line 5"));
        program_free(p);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    ik_error whole = {0};
    ik_workload w;
    /* a rank is missing */
    program *p = begin_of(3, 0, 0);
    program_collective_call c = {.operation = COLLECTIVE_BARRIER};
    program_place(p, "t", 7);
    WORKS(call_collective(p, 0, &c, PROGRAM_BLOCKING, &err));
    WORKS(call_collective(p, 2, &c, PROGRAM_BLOCKING, &err));
    assert_int_equal(program_close(p, &w, &whole), IK_ERR_INPUT);
    assert_non_null(strstr(whole.text, "barrier: rank 1 has none"));
    assert_int_equal(whole.line, 7);

    p = begin_of(3, COLLECTIVE_ALLREDUCE, COLLECTIVE_HALVING_DOUBLING);
    c = (program_collective_call){.operation = COLLECTIVE_ALLREDUCE, .bytes = 8};
    assert_int_equal(call_collective(p, 0, &c, PROGRAM_BLOCKING, &whole), IK_ERR_INPUT);
    assert_non_null(strstr(whole.text, "power of two"));
    c = (program_collective_call){.operation = COLLECTIVE_BROADCAST, .root = 3};
    assert_int_equal(call_collective(p, 0, &c, PROGRAM_BLOCKING, &whole), IK_ERR_INPUT);
    assert_non_null(strstr(whole.text, "root 3 of a communicator of 3"));
    c = (program_collective_call){.operation = COLLECTIVE_ALLGATHER, .bytes = UINT64_MAX / 2};
    assert_int_equal(call_collective(p, 0, &c, PROGRAM_BLOCKING, &whole), IK_ERR_INPUT);
    assert_non_null(strstr(whole.text, "2^60"));
    uint32_t comm;
    WORKS(program_comm(p, (const uint32_t[]){0, 1}, 2, 0, &comm, &err));
    c = (program_collective_call){.operation = COLLECTIVE_BARRIER, .comm = comm};
    assert_int_equal(call_collective(p, 2, &c, PROGRAM_BLOCKING, &whole), IK_ERR_INPUT);
    assert_non_null(strstr(whole.text, "rank 2 is not in communicator 1"));
    c.operation = (collective_operation)77;
    assert_int_equal(call_collective(p, 0, &c, PROGRAM_BLOCKING, &whole), IK_ERR_INPUT);
    program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_traffic_collective), cmocka_unit_test(on_a_communicator),
        cmocka_unit_test(sizes_per_rank),        cmocka_unit_test(without_blocking),
        cmocka_unit_test(ranks_must_agree),      cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
