/* SPDX-License-Identifier: Apache-2.0
 *
 * GOAL's binary form: the same graph as its text form gives, and everything that is damaged is
 * refused: files cut at every byte, bytes that are another, gigantic counts. */
#include "unit/goal_binary.h"
#include "unit/made.h"

#include "traffic/program/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOSTS = 4 };

static ik_status read_path(const char *path, const char *format, ik_workload *w, ik_error *err)
{
    program_settings set = {.name = path, .num_hosts = HOSTS, .match_recorded = true};
    program *p = NULL;
    assert_int_equal(program_new(&set, &p, err), IK_OK);
    ik_status status = program_read(p, path, format, NULL, err);
    if (status == IK_OK)
        return program_close(p, w, err);
    program_free(p);
    return status;
}

static void write_bytes(char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

static ik_status read_bytes(const void *bytes, size_t size, ik_workload *w, ik_error *err)
{
    char path[] = "/tmp/ikat-goalbin-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_bytes(path, bytes, size);
    ik_status status = read_path(path, "goalbin", w, err);
    unlink(path);
    return status;
}

static const char text[] = "num_ranks 3\n"
                           "rank 0 {\n"
                           "l1: calc 1000 cpu 1\n"
                           "l2: send 4096b to 1 tag 7 cpu 2\n"
                           "l3: recv 8b from 2 tag 7\n"
                           "l4: send 16b to 2 tag 9\n"
                           "l2 requires l1\n"
                           "l4 irequires l1\n"
                           "l4 requires l3\n"
                           "}\n"
                           "rank 1 {\n"
                           "recv 4096b from -1 tag -1\n"
                           "}\n"
                           "rank 2 {\n"
                           "l1: send 8b to 0 tag 7\n"
                           "l2: recv 16b from 0 tag 9\n"
                           "}\n";

/* The same program. */
static void make(goal_bytes *g)
{
    static const binary_op first[] = {
        {.type = 3,
         .size = 1000,
         .cpu = 1,
         .on_end = {1},
         .num_end = 1,
         .on_start = {3},
         .num_start = 1},
        {.waits = 1, .type = 1, .peer = 1, .size = 4096, .tag = 7, .cpu = 2},
        {.type = 2, .peer = 2, .size = 8, .tag = 7, .on_end = {3}, .num_end = 1},
        {.waits = 2, .type = 1, .peer = 2, .size = 16, .tag = 9},
    };
    static const binary_op second[] = {
        {.type = 2, .peer = UINT32_MAX, .size = 4096, .tag = UINT32_MAX}};
    static const binary_op third[] = {{.type = 1, .peer = 0, .size = 8, .tag = 7},
                                      {.type = 2, .peer = 0, .size = 16, .tag = 9}};
    goal_begin(g, 3, 2, 0);
    goal_schedule(g, 0, first, 4);
    goal_schedule(g, 1, second, 1);
    goal_schedule(g, 2, third, 2);
}

static char *written(const ik_workload *w, size_t *size)
{
    char *out = NULL;
    FILE *f = open_memstream(&out, size);
    assert_non_null(f);
    assert_int_equal(ik_workload_write_goal(w, f, NULL), IK_OK);
    fclose(f);
    return out;
}

static void test_same_as_text(void **state)
{
    (void)state;
    goal_bytes g = {0};
    ik_workload a = {0}, b = {0};
    ik_error err = {0};
    char path[] = "/tmp/ikat-goalbin-XXXXXX";
    size_t size_a, size_b;
    make(&g);
    close(mkstemp(path));
    write_bytes(path, text, sizeof text - 1);
    if (read_path(path, "goal", &a, &err) != IK_OK)
        fail_msg("%u: %s", err.line, err.text);
    write_bytes(path, g.bytes, g.size);
    if (read_path(path, NULL, &b, &err) != IK_OK) /* it is recognised */
        fail_msg("%s", err.text);
    char *goal_a = written(&a, &size_a), *goal_b = written(&b, &size_b);
    assert_string_equal(goal_a, goal_b);
    assert_int_equal(a.num_classes, b.num_classes);
    free(goal_a);
    free(goal_b);
    ik_workload_clear(&a);
    ik_workload_clear(&b);
    unlink(path);
    goal_free(&g);
}

/* Every shorter file is refused, and so is a longer one. */
static void test_cut(void **state)
{
    (void)state;
    goal_bytes g = {0};
    make(&g);
    for (size_t size = 0; size < g.size; size++) {
        ik_workload w = {0};
        ik_error err = {0};
        assert_int_equal(read_bytes(g.bytes, size, &w, &err), IK_ERR_INPUT);
        assert_true(err.text[0] && err.file[0]);
    }
    ik_workload w = {0};
    ik_error err = {0};
    goal_put(&g, 0, 1);
    assert_int_equal(read_bytes(g.bytes, g.size, &w, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "behind"));
    goal_free(&g);
}

/* Every byte made another: refused with a text, or a graph that holds together. */
static void test_damaged(void **state)
{
    (void)state;
    static const uint8_t flips[] = {0xFF, 0x01};
    goal_bytes g = {0};
    make(&g);
    for (size_t at = 0; at < g.size; at++)
        for (size_t k = 0; k < sizeof flips; k++) {
            ik_workload w = {0};
            ik_error err = {0};
            g.bytes[at] ^= flips[k];
            ik_status status = read_bytes(g.bytes, g.size, &w, &err);
            g.bytes[at] ^= flips[k];
            if (status == IK_OK)
                ik_workload_clear(&w);
            else
                assert_true(err.text[0]);
        }
    goal_free(&g);
}

static const struct {
    const char *what;
    size_t at; /* in the file */
    uint64_t value;
    unsigned bytes;
} wrong[] = {
    {"used up", 0, 2342, 8},
    {"not a schedule in GOAL's binary form", 0, 4224, 8},
    {"2 adapters", 13, 1, 1},
    {"behind that of the rank before", 8, 0xFFFFFFFF, 4}, /* ranks */
    {"behind that of the rank before", 14, 9, 8},         /* begin of rank 0 */
    {"not in the order", 62, 0xFFFFFFFF, 4},              /* operations of rank 0 */
    {"not a send, receive or calculation", 78 + 4, 4, 1},
    {"processor 255", 78 + 21, 255, 1},
    {"another adapter", 78 + 22, 1, 1},
    {"more than 11 days", 78 + 9, UINT64_C(1) << 60, 8},
    {"does not exist", 78 + 39 + 5, 3, 4},
    {"does not exist", 78 + 39 + 5, 0xFFFFFFFF, 4}, /* a send to any */
    {"tag that does not exist", 78 + 39 + 17, 0xFFFFFFFF, 4},
    {"more than 1000 TB", 78 + 39 + 9, UINT64_C(1) << 62, 8},
    {"not in the order", 78 + 27, 1, 4},
    {"does not end where", 54, 10000, 8},
    {"wait for nothing", 78, 1, 4},
    {"does not fit", 78 + 4 * 39, 9, 4},
    {"does not fit", 78 + 4 * 39, 2, 4}, /* waits for nothing */
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        goal_bytes g = {0};
        ik_workload w = {0};
        ik_error err = {0};
        make(&g);
        for (unsigned b = 0; b < wrong[k].bytes; b++)
            g.bytes[wrong[k].at + b] = (uint8_t)(wrong[k].value >> 8 * b);
        assert_int_not_equal(read_bytes(g.bytes, g.size, &w, &err), IK_OK);
        if (!strstr(err.text, wrong[k].what))
            fail_msg("%s: %s", wrong[k].what, err.text);
        goal_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_text),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
