/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows from files: the same flows in every format, and what is wrong in each at its place. */
#include "unit/made.h"

#include "ikat/topology.h"
#include "ikat/traffic.h"

#include <stdio.h>
#include <unistd.h>

enum { HOSTS = 4 };

typedef struct shares {
    double of[HOSTS][HOSTS];
} shares;

static void note_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    ((shares *)ctx)->of[src][dst] += (double)weight / (double)scale;
}

static ik_fabric *make_fabric(const char *spec)
{
    ik_fabric *f = NULL;
    ik_error err = {0};
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK)
        fail_msg("%s", err.text);
    return f;
}

static shares shares_of(const ik_fabric *f, const char *path)
{
    shares s = {0};
    ik_traffic *t = NULL;
    ik_error err = {0};
    char spec[512];
    snprintf(spec, sizeof spec, "file:path=%s", path);
    if (ik_traffic_from_spec(f, spec, NULL, &t, &err) != IK_OK)
        fail_msg("%s:%u:%u: %s", path, err.line, err.column, err.text);
    for (uint32_t h = 0; h < f->num_hosts; h++)
        t->family->flows(t, h, note_flow, &s);
    ik_traffic_free(t);
    return s;
}

static void test_same_flows(void **state)
{
    (void)state;
    static const char *const files[] = {"list.csv", "matrix.csv", "named.csv", "coordinate.mtx",
                                        "array.mtx"};
    ik_fabric *f = make_fabric("crossbar:n=4");
    shares expected = shares_of(f, TEST_DATA "/traffic/flows.txt");
    assert_true(expected.of[0][1] == 2.5 / 3.5 && expected.of[3][0] == 1);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[512];
        snprintf(path, sizeof path, TEST_DATA "/traffic/%s", files[k]);
        shares got = shares_of(f, path);
        if (memcmp(&got, &expected, sizeof got) != 0)
            fail_msg("%s says other flows", files[k]);
    }
    ik_fabric_free(f);
}

/* The lower triangle stands for both, and pattern for ones. */
static void test_symmetric(void **state)
{
    (void)state;
    ik_fabric *f = make_fabric("crossbar:n=4");
    shares s = shares_of(f, TEST_DATA "/traffic/symmetric.mtx");
    static const double expected[HOSTS][HOSTS] = {
        {0, 1, 0, 0}, {.5, 0, 0, .5}, {0, 0, 0, 1}, {0, .5, .5, 0}};
    assert_memory_equal(s.of, expected, sizeof expected);
    ik_fabric_free(f);
}

static void write_file(char *path, const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    fputs(text, out);
    fclose(out);
}

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
#define ARRAY   "%%MatrixMarket matrix array integer general\n"

static const struct {
    const char *text, *what;
    unsigned line, column;
} refused[] = {
    {"src,dst,weight\n0,1,x\n", "'x' is not a weight", 2, 5},
    {"src,dst,weight\n0,1,-1\n", "'-1' is not a weight", 2, 5},
    {"src,dst,weight\n0,1,nan\n", "not a weight", 2, 5},
    {"src,dst,weight\n0,1\n", "2 values", 2, 3},
    {"src,dst\n0, 9\n", "no host '9'", 2, 4},
    {"hosta,host9,3\n0,1,2\n", "no host 'hosta'", 1, 1},
    {"src,dst\n", "no flow", 0, 0},
    {"src,dst\n1,1\n", "only hosts to themselves", 2, 0},
    {"0,1,0,0\n0,0,1,0\n", "4 columns and 2 rows", 2, 0},
    {"0,1,0,0\n0,0,1\n", "3 values", 2, 5},
    {"0,1,0,0\n0,0,1,0\n1,0,0,0\n1,0,0,0\n1,0,0,0\n", "4 values", 5, 1},
    {"0,1,0,0,0\n", "5 columns, the fabric has 4 hosts", 1, 9},
    {"0,1,0,0\n0,0,y,0\n", "'y' is not a weight", 2, 5},
    {"to,0,1,2,7\n", "no host '7'", 1, 10},
    {"to,0,1,2,3\n0,1,1,1,1\n8,1,1,1,1\n", "no host '8'", 3, 1},
    {"%%MatrixMarket matrix coordinate complex general\n", "'complex'", 1, 34},
    {"%%MatrixMarket vector coordinate real general\n", "'vector'", 1, 16},
    {"%%MatrixMarket matrix array pattern general\n", "'pattern'", 1, 29},
    {"%%MatrixMarket matrix coordinate real\n", "too early", 1, 0},
    {"%%MatrixMarket matrix coordinate real hermitian\n", "'hermitian'", 1, 39},
    {"%%MatrixMarket matrix coordinate real general x\n", "'x'", 1, 47},
    {GENERAL, "before its size", 1, 0},
    {GENERAL "4 4\n", "too early", 2, 0},
    {GENERAL "4 x 1\n", "'x' is not a whole number", 2, 3},
    {GENERAL "5 4 1\n", "5 rows", 2, 1},
    {GENERAL "4 9 1\n", "9 columns", 2, 3},
    {GENERAL "4 4 2\n1 2 1\n", "1 of 2 entries", 3, 0},
    {GENERAL "4 4 1\n1 2 1\n1 3 1\n", "after the last", 4, 1},
    {GENERAL "4 4 1\n1 5 1\n", "'5' is not a column", 3, 3},
    {GENERAL "4 4 1\n0 1 1\n", "'0' is not a row", 3, 1},
    {GENERAL "4 4 1\n1 2\n", "too early", 3, 0},
    {GENERAL "4 4 1\n1 2 3 4\n", "'4' is one word", 3, 7},
    {GENERAL "4 4 1\n1 2 -3\n", "'-3' is not a weight", 3, 5},
    {"%%MatrixMarket matrix coordinate real symmetric\n4 4 1\n1 2 1\n", "above the diagonal", 3, 3},
    {"%%MatrixMarket matrix coordinate real symmetric\n4 3 1\n2 1 1\n", "not make a square", 2, 3},
    {ARRAY "1 2\n1\n", "1 of 2 entries", 3, 0},
    {ARRAY "2 2\n0 1\n", "'1' is one word", 3, 3},
    {ARRAY "2 2\n0\n0\n0\n0\n", "no flow", 0, 0},
};

static void test_refused(void **state)
{
    (void)state;
    ik_fabric *f = make_fabric("crossbar:n=4");
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        char path[] = "/tmp/ikat_flows_XXXXXX", spec[64];
        ik_traffic *t = NULL;
        ik_error err = {0};
        write_file(path, refused[k].text);
        snprintf(spec, sizeof spec, "file:path=%s", path);
        ik_status status = ik_traffic_from_spec(f, spec, NULL, &t, &err);
        if (status != IK_ERR_INPUT || !strstr(err.text, refused[k].what) ||
            err.line != refused[k].line || err.column != refused[k].column)
            fail_msg("%s: %s at %u:%u: %s, expected '%s' at %u:%u", refused[k].text,
                     ik_status_name(status), err.line, err.column, err.text, refused[k].what,
                     refused[k].line, refused[k].column);
        unlink(path);
    }
    ik_fabric_free(f);
}

/* As many columns as hosts, and few: it could be either. */
static void test_ambiguous(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *text;
        bool taken;
    } cases[] = {{"crossbar:n=3", "0,1,1\n1,0,1\n1,1,0\n", false},
                 {"crossbar:n=3", "src,dst,weight\n0,1,1\n", true},
                 {"crossbar:n=3", "to,0,1,2\n0,0,1,1\n", true},
                 {"crossbar:n=2", "0,1\n", false},
                 {"crossbar:n=2", ",0,1\n0,0,1\n", true},
                 {"crossbar:n=5", "0,1,1\n", true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[] = "/tmp/ikat_flows_XXXXXX", spec[64];
        ik_fabric *f = make_fabric(cases[k].fabric);
        ik_traffic *t = NULL;
        ik_error err = {0};
        write_file(path, cases[k].text);
        snprintf(spec, sizeof spec, "file:path=%s", path);
        ik_status status = ik_traffic_from_spec(f, spec, NULL, &t, &err);
        if ((status == IK_OK) != cases[k].taken)
            fail_msg("%s: %s", cases[k].text, err.text);
        if (status == IK_OK)
            assert_int_equal(t->family->dest(t, 0, 0), 1);
        unlink(path);
        ik_traffic_free(t);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_flows),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_ambiguous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
