/* SPDX-License-Identifier: Apache-2.0
 *
 * Chakra execution traces: what nodes mean, groups, orders; everything that contradicts itself is
 * refused with its file and node, and damaged files never do harm. */
#include "unit/chakra_folder.h"

/* ---- what nodes mean */

static void test_messages(void **state)
{
    (void)state;
    folder f = open_folder();
    bytes a = {.size = 0}, b = {.size = 0};
    ik_workload w = {0};
    put_head(&a);
    put_compute(&a, 10, 5, 0, 0);
    put_transfer(&a, 11, 5, 1, 4096, 10);
    put_head(&b);
    put_transfer(&b, 7, 6, 0, 4096, 0);
    put_compute(&b, 3, 2, 7, 0);
    write_rank(&f, 0, &a);
    write_rank(&f, 1, &b);
    read_all(&f, &w);
    const ik_graph *g = w.graph;
    assert_int_equal(g->num_ops, 4);
    assert_int_equal(w.num_messages, 1);
    assert_int_equal(w.bytes, 4096);
    assert_int_equal(g->ops[0].amount, 5000000); /* ps */
    assert_int_equal(g->kind[1], IK_OP_SEND);
    assert_int_equal(g->after_first[1] - g->after_first[0], 1);
    assert_int_equal(g->after[0], 1);
    ik_workload_clear(&w);
    close_folder(&f);
}

/* An allreduce of 4 ranks by ring: 2 * 3 messages of each. Other processors do not wait for each
 * other; metadata and memory take none. */
static void test_collective(void **state)
{
    (void)state;
    folder f = open_folder();
    ik_workload w = {0};
    for (unsigned r = 0; r < RANKS; r++) {
        bytes b = {.size = 0}, n = make_node(2, 4, 0, 0), load = make_node(3, 2, 2, 0);
        put_head(&b);
        put_compute(&b, 1, 5, 0, 0);
        put_number(&n, 7, 9);
        put_attribute(&n, "is_cpu_op", 27, 1);
        put_message(&b, &n);
        put_number(&load, 7, 3);
        put_message(&b, &load);
        put_collective(&b, 4, 0, 4000, NULL, 1);
        write_rank(&f, r, &b);
    }
    read_all(&f, &w);
    const ik_graph *g = w.graph;
    assert_int_equal(w.num_messages, RANKS * 6);
    assert_int_equal(w.bytes, RANKS * 6 * 1000);
    assert_int_equal(g->ops[0].peer, 0);
    assert_int_equal(g->ops[1].peer, 1);
    assert_int_equal(g->cpu[2], IK_NO_CPU);
    assert_int_equal(g->num_cpus, 2);
    ik_workload_clear(&w);
    close_folder(&f);
}

/* Two groups by each of the ways to list them, and the same collective in each. */
static void test_groups(void **state)
{
    (void)state;
    static const char *const lists[] = {
        "[{\"pg_name\": \"left\", \"ranks\": [0, 1]}, {\"pg_name\": \"right\", \"ranks\": [3, 2]}]",
        "{\"left\": [0, 1], \"right\": [3, 2]}"};
    for (unsigned way = 0; way < 2; way++) {
        folder f = open_folder();
        ik_workload w = {0};
        for (unsigned r = 0; r < RANKS; r++) {
            bytes b = {.size = 0};
            put_head(&b);
            if (way == 0)
                put_groups(&b, 1, lists[0]);
            put_collective(&b, 2, 0, 100, r < 2 ? "left" : "right", 0);
            put_collective(&b, 3, 9, 0, "0", 0);
            write_rank(&f, r, &b);
        }
        if (way == 1)
            write_as(&f, "groups.json", lists[1], strlen(lists[1]));
        read_all(&f, &w);
        /* 2 groups * 2 ranks * 2 steps of 50 B, and a barrier of 2 rounds of 1 B */
        assert_int_equal(w.num_messages, 8 + 8);
        assert_int_equal(w.bytes, 8 * 50 + 8);
        ik_workload_clear(&w);
        close_folder(&f);
    }
}

/* What waits for an operation, or for what waits for it. */
static void reach(const ik_graph *g, uint32_t op, bool *reached)
{
    for (uint32_t k = g->after_first[op]; k < g->after_first[op + 1]; k++) {
        uint32_t next = g->after[k] & ~IK_AFTER_START;
        if (!reached[next]) {
            reached[next] = true;
            reach(g, next, reached);
        }
    }
}

/* Collectives of a group run one after the other, whatever the trace says of them. */
static void test_one_after_the_other(void **state)
{
    (void)state;
    folder f = open_folder();
    ik_workload w = {0};
    for (unsigned r = 0; r < 2; r++) {
        bytes b = {.size = 0};
        put_head(&b);
        put_collective(&b, 1, 0, 100, NULL, 0);
        put_collective(&b, 2, 0, 60, NULL, 0);
        write_rank(&f, r, &b);
    }
    read_all(&f, &w);
    const ik_graph *g = w.graph;
    bool reached[64] = {false};
    unsigned num = 0;
    assert_true(g->num_ops < 64);
    for (uint32_t k = 0; k < g->num_ops; k++)
        if (g->kind[k] == IK_OP_SEND && g->ops[k].amount == 50)
            reach(g, k, reached);
    for (uint32_t k = 0; k < g->num_ops; k++)
        if (g->kind[k] == IK_OP_SEND && g->ops[k].amount == 30) {
            assert_true(reached[k]);
            num++;
        }
    assert_int_equal(num, 4);
    ik_workload_clear(&w);
    close_folder(&f);
}

/* A node may stand before those that it waits for; ids may be any. */
static void test_any_order(void **state)
{
    (void)state;
    folder f = open_folder();
    bytes b = {.size = 0};
    ik_workload w = {0};
    put_head(&b);
    put_compute(&b, UINT64_MAX, 1, 40, 30);
    put_compute(&b, 40, 2, 30, 0);
    put_compute(&b, 30, 3, 0, 0);
    write_rank(&f, 0, &b);
    read_all(&f, &w);
    assert_int_equal(w.graph->num_ops, 3);
    assert_int_equal(w.graph->ops[0].amount, 3000000); /* first what others wait for */
    assert_int_equal(w.graph->ops[2].amount, 1000000);
    assert_int_equal(w.graph->waits[2], 2);
    ik_workload_clear(&w);
    close_folder(&f);
}

/* Whole numbers of every type that the schema has. */
static void test_types_of_numbers(void **state)
{
    (void)state;
    static const struct {
        unsigned field;
        uint64_t varint; /* of 4096 */
        unsigned fixed;  /* bytes, 0: a varint */
    } types[] = {{7, 4096, 0},  {9, 4096, 0}, {11, 4096, 0}, {13, 4096, 0}, {15, 8192, 0},
                 {17, 8192, 0}, {19, 0, 4},   {21, 0, 8},    {23, 0, 4},    {25, 0, 8}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        folder f = open_folder();
        bytes a = {.size = 0}, b = {.size = 0}, n = make_node(1, 5, 0, 0), v = {.size = 0};
        ik_workload w = {0};
        put_text(&v, 1, "comm_size");
        put_varint(&v, types[k].field << 3 | (types[k].fixed == 4   ? 5
                                              : types[k].fixed == 8 ? 1
                                                                    : 0));
        if (!types[k].fixed)
            put_varint(&v, types[k].varint);
        for (unsigned byte = 0; byte < types[k].fixed; byte++)
            v.at[v.size++] = byte == 1 ? 0x10 : 0;
        put_bytes(&n, 10, v.at, v.size);
        put_attribute(&n, "comm_dst", 7, 1);
        put_head(&a);
        put_message(&a, &n);
        put_head(&b);
        put_transfer(&b, 1, 6, 0, 4096, 0);
        b.at[b.size - 1] = 0; /* the tag of a send that has none */
        write_rank(&f, 0, &a);
        write_rank(&f, 1, &b);
        read_all(&f, &w);
        assert_int_equal(w.bytes, 4096);
        ik_workload_clear(&w);
        close_folder(&f);
    }
}

static void test_scale(void **state)
{
    (void)state;
    folder f = open_folder();
    bytes b = {.size = 0}, n = make_node(1, 4, 0, 0);
    ik_workload w = {0};
    ik_error err = {0};
    put_head(&b);
    put_attribute(&n, "num_ops", 9, 1000); /* operations, and no time */
    put_message(&b, &n);
    put_compute(&b, 2, 4, 0, 0);
    write_rank(&f, 0, &b);
    expect_refused(&f, "no duration_micros", 2);
    assert_int_equal(read_scaled(&f, PROGRAM_NO_TIME, &w, &err), IK_OK);
    assert_int_equal(w.graph->ops[1].amount, 0);
    ik_workload_clear(&w);
    close_folder(&f);
}

/* ---- what is refused */

typedef void write_fn(bytes *b);

static void two_ids(bytes *b)
{
    put_compute(b, 5, 1, 0, 0);
    put_compute(b, 5, 1, 0, 0);
}
static void unknown_dep(bytes *b)
{
    put_compute(b, 5, 1, 6, 0);
}
static void own_dep(bytes *b)
{
    put_compute(b, 5, 1, 5, 0);
}
static void cycle(bytes *b)
{
    put_compute(b, 1, 1, 0, 0);
    put_compute(b, 2, 1, 4, 0);
    put_compute(b, 3, 1, 2, 1);
    put_compute(b, 4, 1, 3, 0);
    put_compute(b, 5, 1, 4, 0);
}
static void no_peer(bytes *b)
{
    bytes n = make_node(1, 5, 0, 0);
    put_attribute(&n, "comm_size", 9, 8);
    put_message(b, &n);
}
static void no_size(bytes *b)
{
    bytes n = make_node(1, 6, 0, 0);
    put_attribute(&n, "comm_src", 9, 0);
    put_message(b, &n);
}
static void wrong_peer(bytes *b)
{
    put_transfer(b, 1, 5, 4000000, 8, 0);
}
static void negative(bytes *b)
{
    put_transfer(b, 1, 5, 0, UINT64_MAX, 0);
}
static void gigantic(bytes *b)
{
    put_transfer(b, 1, 5, 0, UINT64_C(1) << 60, 0);
}
static void other_sender(bytes *b)
{
    bytes n = make_node(1, 5, 0, 0);
    put_attribute(&n, "comm_size", 9, 8);
    put_attribute(&n, "comm_dst", 9, 0);
    put_attribute(&n, "comm_src", 9, 2);
    put_message(b, &n);
}
static void no_receive(bytes *b)
{
    put_transfer(b, 1, 5, 0, 8, 0);
}
static void no_collective_type(bytes *b)
{
    bytes n = make_node(1, 7, 0, 0);
    put_message(b, &n);
}
static void wrong_collective(bytes *b)
{
    put_collective(b, 1, 10, 8, NULL, 0);
}
static void empty_collective(bytes *b)
{
    put_collective(b, 1, 0, 0, NULL, 0);
}
static void unknown_group(bytes *b)
{
    put_collective(b, 1, 0, 8, "7", 0);
}
static void not_in_group(bytes *b)
{
    put_groups(b, 1, "[{\"pg_name\": \"7\", \"ranks\": [1]}]");
    put_collective(b, 2, 0, 8, "7", 0);
}
static void two_groups(bytes *b)
{
    put_groups(b, 1, "[{\"pg_name\": \"7\", \"ranks\": [0, 1]}]");
    put_groups(b, 2, "[{\"pg_name\": \"7\", \"ranks\": [1, 0]}]");
}
static void no_json(bytes *b)
{
    put_groups(b, 1, "[{\"pg_name\": \"7\", ");
}
static void no_ranks(bytes *b)
{
    put_groups(b, 1, "[{\"pg_name\": \"7\", \"ranks\": [0, -1]}]");
}
static void wrong_type(bytes *b)
{
    bytes n = make_node(1, 8, 0, 0);
    put_message(b, &n);
}
static void older(bytes *b)
{
    bytes n = make_node(1, 4, 0, 0);
    put_text(&n, 6, "[[2, 3]]");
    put_message(b, &n);
}
static void text_for_number(bytes *b)
{
    bytes n = make_node(1, 5, 0, 0);
    put_text_attribute(&n, "comm_dst", "0");
    put_message(b, &n);
}
static void dimensions(bytes *b)
{
    bytes n = make_node(1, 7, 0, 0), a = {.size = 0}, list = {.size = 0};
    put_number(&list, 1, 0);
    put_text(&a, 1, "involved_dim");
    put_bytes(&a, 28, list.at, list.size);
    put_bytes(&n, 10, a.at, a.size);
    put_attribute(&n, "comm_type", 9, 0);
    put_attribute(&n, "comm_size", 9, 8);
    put_message(b, &n);
}
static void long_time(bytes *b)
{
    put_compute(b, 1, UINT64_C(1) << 50, 0, 0);
}
static void one_in_a_collective(bytes *b)
{
    put_collective(b, 1, 0, 8, NULL, 0);
}
static void group_field(bytes *b)
{
    static const uint8_t start_group[] = {2, 0x0B, 0x0C};
    memcpy(b->at + b->size, start_group, sizeof start_group);
    b->size += sizeof start_group;
}
static void long_number(bytes *b)
{
    static const uint8_t id[] = {11, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 127};
    memcpy(b->at + b->size, id, sizeof id);
    b->size += sizeof id;
}
static void long_message(bytes *b)
{
    put_varint(b, UINT64_MAX / 2);
}

static const struct {
    write_fn *write;
    const char *what;
    unsigned record;
} wrong[] = {
    {two_ids, "record 2 has this id, too", 3},
    {unknown_dep, "node 5 waits for node 6, which is not in this file", 2},
    {own_dep, "node 5 waits for itself", 2},
    {cycle, "which in the end waits for it, too", 0},
    {no_peer, "node 1: a send without comm_dst", 2},
    {no_size, "without comm_size", 2},
    {wrong_peer, "there is no rank 4000000", 2},
    {negative, "comm_size is -1", 2},
    {gigantic, "comm_size is 1152921504606846976", 2},
    {other_sender, "a send of rank 2 in the file of rank 0", 2},
    {no_receive, "", 2},
    {no_collective_type, "without comm_type", 2},
    {wrong_collective, "comm_type is 10", 2},
    {empty_collective, "without comm_size", 2},
    {unknown_group, "which ranks are in process group '7'", 2},
    {not_in_group, "rank 0 is not in process group '7'", 3},
    {two_groups, "declared with other ranks", 3},
    {no_json, "process groups", 2},
    {no_ranks, "what is not a rank", 2},
    {wrong_type, "no node type 8", 2},
    {older, "schema before 0.0.4", 2},
    {text_for_number, "is not a number", 2},
    {dimensions, "involved_dim", 2},
    {long_time, "duration_micros is", 2},
    {one_in_a_collective, "", 0},
    {group_field, "not a message of Chakra's schema", 2},
    {long_number, "not a message of Chakra's schema", 2},
    {long_message, "message 2 is said to have", 2},
};

/* What is wrong with a group is said of where it is listed. */
static void test_wrong_groups(void **state)
{
    (void)state;
    static const struct {
        const char *list, *what;
    } groups[] = {{"[{\"pg_name\": \"7\", \"ranks\": [0, 0]}]", "rank 0 appears twice"},
                  {"[{\"pg_name\": \"7\", \"ranks\": [0, 9]}]", "there is no rank 9"}};
    for (unsigned k = 0; k < 4; k++) {
        folder f = open_folder();
        bytes b = {.size = 0};
        ik_workload w = {0};
        ik_error err = {0};
        put_head(&b);
        if (k % 2)
            put_groups(&b, 1, groups[k / 2].list);
        put_collective(&b, 2, 0, 8, "7", 0);
        write_rank(&f, 0, &b);
        b.size = 0;
        put_head(&b);
        write_rank(&f, 1, &b);
        if (k % 2 == 0)
            write_as(&f, "groups.json", groups[k / 2].list, strlen(groups[k / 2].list));
        assert_int_not_equal(read_scaled(&f, 1, &w, &err), IK_OK);
        if (!strstr(err.text, groups[k / 2].what) || !strstr(err.hint, "process group '7'") ||
            !strstr(err.file, k % 2 ? ".0.et" : "groups.json") || err.line != (k % 2 ? 2 : 0))
            fail_msg("%s:%u: %s (%s)", err.file, err.line, err.text, err.hint);
        close_folder(&f);
    }
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        folder f = open_folder();
        bytes a = {.size = 0}, b = {.size = 0};
        put_head(&a);
        wrong[k].write(&a);
        put_head(&b);
        write_rank(&f, 0, &a);
        write_rank(&f, 1, &b);
        expect_refused(&f, wrong[k].what, wrong[k].record);
        close_folder(&f);
    }
}

static void test_files(void **state)
{
    (void)state;
    folder f = open_folder();
    bytes b = {.size = 0};
    put_head(&b);
    put_compute(&b, 1, 1, 0, 0);
    write_rank(&f, 0, &b);
    write_rank(&f, 2, &b);
    expect_refused(&f, "2 files of ranks, but none of rank 1", 0);
    write_rank(&f, 1, &b);
    write_as(&f, "other.1.et", b.at, b.size);
    expect_refused(&f, "two files of rank 1", 0);
    close_folder(&f);
    f = open_folder();
    write_as(&f, "t.et", b.at, b.size);
    expect_refused(&f, "not named NAME.<rank>.et", 0);
    close_folder(&f);
    f = open_folder();
    write_as(&f, "t.0.et", b.at, 0);
    expect_refused(&f, "the file is empty", 0);
    close_folder(&f);
}

/* ---- damage */

static void make_pair(bytes *a, bytes *b)
{
    *a = *b = (bytes){.size = 0};
    put_head(a);
    put_groups(a, 1, "[{\"pg_name\": \"1\", \"ranks\": [0, 1]}]");
    put_compute(a, 2, 300, 0, 0);
    put_transfer(a, 3, 5, 1, 4096, 2);
    put_collective(a, 4, 6, 64, "1", 3);
    put_head(b);
    put_transfer(b, 3, 6, 0, 4096, 0);
    put_collective(b, 4, 6, 64, "1", 3);
}

/* With or without a fault, there is a text where it is refused. */
static void read_any(const bytes *a, size_t size, const bytes *b)
{
    folder f = open_folder();
    ik_workload w = {0};
    ik_error err = {0};
    write_as(&f, "t.0.et", a->at, size);
    write_rank(&f, 1, b);
    if (read_scaled(&f, 1, &w, &err) == IK_OK)
        ik_workload_clear(&w);
    else
        assert_true(err.text[0] && err.status != IK_ERR_INTERNAL);
    close_folder(&f);
}

static void test_damaged(void **state)
{
    (void)state;
    bytes a, b;
    make_pair(&a, &b);
    for (size_t size = 0; size < a.size; size++)
        read_any(&a, size, &b);
    for (size_t at = 0; at < a.size; at++) {
        a.at[at] ^= 0x81;
        read_any(&a, a.size, &b);
        a.at[at] ^= 0x81 ^ 0x02;
        read_any(&a, a.size, &b);
        a.at[at] ^= 0x02;
    }
}

/* A file that was cut within a message is refused as such. */
static void test_cut(void **state)
{
    (void)state;
    folder f = open_folder();
    bytes a, b;
    make_pair(&a, &b);
    write_as(&f, "t.0.et", a.at, a.size - 1);
    write_rank(&f, 1, &b);
    expect_refused(&f, "the file ends within message 5", 5);
    close_folder(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),     cmocka_unit_test(test_collective),
        cmocka_unit_test(test_groups),       cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_any_order),    cmocka_unit_test(test_types_of_numbers),
        cmocka_unit_test(test_scale),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_wrong_groups), cmocka_unit_test(test_files),
        cmocka_unit_test(test_damaged),      cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
