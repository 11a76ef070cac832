/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces in one text file: Dimemas and lists of messages. What each record becomes, places of
 * errors, cut-off files. */
#include "trace_files.h"

static ik_status read_text(const char *format, const char *text, ik_workload *w, ik_error *err)
{
    *err = (ik_error){0};
    trace_write("t", 0, text, strlen(text));
    ik_status status = trace_read(trace_path("t", 0), format, NULL, w, err);
    trace_remove("t", 0);
    return status;
}

static void check(const char *text, const char *outline)
{
    ik_workload w;
    ik_error err;
    if (read_text(NULL, text, &w, &err) != IK_OK)
        fail_msg("%s\n%s, line %u: %s (%s)", text, err.file, err.line, err.text, err.hint);
    if (strcmp(trace_outline(w.graph), outline) != 0)
        fail_msg("%s\n%s\nexpected %s", text, trace_outline(w.graph), outline);
    ik_workload_clear(&w);
}

#define HEAD "#DIMEMAS:\"a program: of two\":1,90:2(1,1),1\nd:1:5:2:0:1\n"

static void test_dimemas(void **state)
{
    (void)state;
    check(HEAD "1:0:0:0.0000015\n1:0:0:1.5\n2:0:0:1:0:4096:7:5:0\n20:0:0:1:2\n0:0:0\n"
               "3:1:0:0:0:5000:7:5:0\n1:1:0:0.000000001\ns:0:12\n",
          "0(c1500001500000,s1:4096) 1(r0:4096,c1000)");
    /* without threads, in no communicator, immediate */
    check(HEAD "2:0:0:1:96:7:0:2\n3:1:0:0:96:7:0:1\n1:1:0:0.000000001\n3:1:0:0:96:7:0:2\n",
          "0(s1:96) 1(r0:96,c1000,w)");
    /* from any task; waits by what they name, the first begun first */
    check(HEAD "2:0:0:1:0:96:7:5:0\n2:0:0:1:0:96:8:5:2\n3:1:0:-1:-1:96:7:5:1\n"
               "3:1:0:0:0:96:8:5:1\n3:1:0:0:0:96:8:5:3\n3:1:0:-1:-1:96:7:5:2\n",
          "0(s1:96,s1:96) 1(r?:96,r0:96,w,w)");
    /* synchronous: a request, the receiver's answer, the data */
    ik_workload w;
    ik_error err;
    assert_int_equal(read_text("dimemas", HEAD "2:0:0:1:96:7:0:1\n3:1:0:0:96:7:0:0\n", &w, &err),
                     IK_OK);
    assert_int_equal(w.num_messages, 3);
    assert_int_equal(w.bytes, 98);
    ik_workload_clear(&w);
    static const struct {
        unsigned op;
        const char *outline;
    } operations[] = {
        {0, "0(w,s1:1,r1:1,w) 1(w,r0:1,s0:1,w)"},
        {1, "0(w,r1:40) 1(w,s0:40)"},
        {2, "0(w,s1:40) 1(w,r0:40)"},
        {3, "0(w,s1:40) 1(w,r0:40)"},
        {4, "0(w,r1:32) 1(w,s0:32)"},
        {5, "0(w,r1:20) 1(w,s0:20)"},
        {6, "0(w,s1:40,r1:40,w) 1(w,r0:40,s0:40,w)"},
        {7, "0(w,s1:16,r1:16,w) 1(w,r0:16,s0:16,w)"},
        {8, "0(w,s1:40,r1:40,w) 1(w,r0:40,s0:40,w)"},
        {9, "0(w,s1:20,r1:20,w) 1(w,r0:20,s0:20,w)"},
        {10, "0(w,s1:40) 1(w,r0:40)"},
        {11, "0(w,s1:40,r1:40,w) 1(w,r0:40,s0:40,w)"},
        {12, "0(w,s1:20,r1:20,w) 1(w,r0:20,s0:20,w)"},
        {14, "0(w,s1:40) 1(w,r0:40)"},
    };
    for (unsigned k = 0; k < sizeof operations / sizeof *operations; k++) {
        char text[300];
        snprintf(text, sizeof text, HEAD "10:0:0:%u:5:1:0:40:32\n10:1:0:%u:5:1:0:40:32:1\n",
                 operations[k].op, operations[k].op);
        check(text, operations[k].outline);
    }
}

static void test_csv(void **state)
{
    (void)state;
    check("time_ns,src,dst,bytes,tag\n1.5,0,1,64,3\n# a remark\n0 , 2 , 0 , 8\n20,0,2,0\n",
          "0(s1:64,c1500,r2:8,s2:1,c20000) 1(r0:64) 2(s0:8,r0:1)");
    check("10,0,1,64\n10,1,0,64\n", "0(s1:64,c10000,r1:64) 1(r0:64,s0:64,c10000)");
    /* each at its time, whatever came of those before */
    ik_workload w;
    ik_error err;
    assert_int_equal(read_text("csv", "30,0,1,64\n20,0,1,64\n", &w, &err), IK_OK);
    assert_int_equal(w.graph->waits[1] + w.graph->waits[3], 0);
    assert_int_equal(w.graph->waits[0] + w.graph->waits[2], 2);
    assert_int_equal(w.graph->cpu[1], IK_NO_CPU);
    ik_workload_clear(&w);
}

typedef struct refused {
    const char *text;
    unsigned line, column;
    const char *words;
} refused;

static void check_refused(const char *format, const refused *cases, size_t num)
{
    for (size_t k = 0; k < num; k++) {
        ik_workload w;
        ik_error err;
        if (read_text(format, cases[k].text, &w, &err) == IK_OK)
            fail_msg("%s: not refused", cases[k].text);
        if (!strstr(err.text, cases[k].words) || err.line != cases[k].line ||
            (cases[k].column && err.column != cases[k].column))
            fail_msg("%s: %u:%u: %s", cases[k].text, err.line, err.column, err.text);
    }
}

static void test_refusals(void **state)
{
    static const refused dimemas[] = {
        {"", 1, 1, "empty"},
        {"#DIMENAS:\n", 1, 1, "expected #DIMEMAS"},
        {"#DIMEMAS:\"x:0:2(1,1),1\n", 1, 23, "expected ':'"},
        {"#DIMEMAS:\"x\":0:2(1,2),1\n", 1, 20, "expected one thread"},
        {"#DIMEMAS:\"x\":0:2(1),1\n", 1, 19, "the threads of 2 tasks"},
        {"#DIMEMAS:\"x\":0:5(1,1,1,1,1),1\n", 1, 0, "5 ranks"},
        {"#DIMEMAS:\"x\":0:4294967294(1", 1, 0, "ranks"},
        {"#DIMEMAS:\"x\":0:0(),1\n", 1, 0, "no rank"},
        {HEAD "1:2:0:1\n", 3, 3, "a task, a number up to 1"},
        {HEAD "1:0:1:1\n", 3, 5, "expected thread 0"},
        {HEAD "1:0:0:-1\n", 3, 7, "a time in seconds"},
        {HEAD "1:0:0:1e3\n", 3, 8, "the end of the line"},
        {HEAD "1:0:0:99999999999\n", 3, 7, "a time in seconds"},
        {HEAD "4:0:0:1\n", 3, 1, "expected a record"},
        {HEAD "x\n", 3, 1, "expected a record"},
        {HEAD "2:0:0:1:0:96:7:6:0\n", 3, 16, "a communicator that was defined"},
        {HEAD "2:0:0:2:0:96:7:5:0\n", 3, 7, "a task, a number up to 1"},
        {HEAD "2:0:0:1:1:96:7:5:0\n", 3, 9, "expected thread 0"},
        {HEAD "2:0:0:1:0:1000000000000001:7:5:0\n", 3, 11, "a size"},
        {HEAD "2:0:0:1:0:96:7:5:4\n", 3, 18, "what kind it is"},
        {HEAD "2:0:0:1:0:96:7:5:0\n", 3, 0, "tag 7 of a communicator, is never received"},
        {HEAD "3:0:0:1:0:96:7:5:0\n", 3, 0, "tag 7 of a communicator, is never sent"},
        {HEAD "2:0:0:1:0:96:4000000000:0:0\n", 3, 0, "tag 4000000000, is never received"},
        {HEAD "3:0:0:1:0:96:-1:5:0\n", 3, 0, "any tag, is never sent"},
        {HEAD "3:0:0:1:0:96:7:5:2\n", 3, 0, "has not begun"},
        {HEAD "3:0:0:1:0:96:7:5:1\n", 3, 0, "never waits"},
        {HEAD "10:0:0:13:5:0:0:1:1\n", 3, 8, "expected a collective"},
        {HEAD "10:0:0:1:5:2:0:1:1\n", 3, 0, "root 2 of a communicator of 2"},
        {HEAD "10:0:0:1:5:0:0:1:1\n", 3, 0, "rank 1 has none"},
        {HEAD "10:0:0:1:5:0:0:1:1\n10:1:0:1:5:0:0:2:2\n", 4, 0, "2 B of rank 1, 1 B of rank 0"},
        {HEAD "d:1:5:2:0:1\n", 3, 0, "defined twice"},
        {HEAD "d:1:6:2:1:1\n", 3, 0, "appears twice"},
        {HEAD "d:1:99999999:2:1:0\n", 3, 0, "the largest is"},
    };
    static const refused csv[] = {
        {"", 1, 1, "no message"},
        {"time_ns,src,dst,bytes\n", 1, 1, "no message"},
        {"1,0,1\n", 1, 6, "expected a comma and bytes"},
        {"1,0,1,8,9,9\n", 1, 10, "expected the end of the line"},
        {"1,0,-1,8\n", 1, 5, "the rank that receives"},
        {"-1,0,1,8\n", 1, 1, "a time in ns"},
        {"1.,0,1,8\n", 1, 1, "a time in ns"},
        {"1,0,1,1000000000000001\n", 1, 7, "bytes"},
        {"1,0,4,8\n", 1, 0, "5 ranks"},
        {"1,0,4294967294,8\n", 1, 0, "ranks"},
        {"9999999999999999,0,1,8\n", 1, 1, "a time in ns"},
        {"1,0,1,8\nsrc\n", 2, 1, "a time in ns"},
        {"1,0,1,8", 1, 8, "the end of the last line"},
    };
    (void)state;
    check_refused("dimemas", dimemas, sizeof dimemas / sizeof *dimemas);
    check_refused("csv", csv, sizeof csv / sizeof *csv);
}

/* Cut after each byte: a shorter trace or refused, with the place. */
static void test_cut_off(void **state)
{
    static const char *const texts[] = {
        HEAD "1:0:0:0.5\n2:0:0:1:0:96:7:5:2\n10:0:0:11:5:0:0:8:8\n3:1:0:0:0:96:7:5:1\n"
             "3:1:0:0:0:96:7:5:2\n10:1:0:11:5:0:0:8:8\n",
        "time_ns,src,dst,bytes\n10,0,1,64\n10,1,0,64,12\n"};
    (void)state;
    for (unsigned k = 0; k < 2; k++)
        for (size_t size = 0; size <= strlen(texts[k]); size++) {
            char text[400];
            ik_workload w;
            ik_error err;
            snprintf(text, sizeof text, "%.*s", (int)size, texts[k]);
            ik_status status = read_text(k ? "csv" : "dimemas", text, &w, &err);
            bool whole = size && text[size - 1] == '\n';
            if (status == IK_OK)
                ik_workload_clear(&w);
            if (status == IK_OK ? !whole : status != IK_ERR_INPUT || !err.line)
                fail_msg("cut after %zu bytes: %u: %s", size, err.line, err.text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dimemas),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cut_off),
    };
    return cmocka_run_group_tests(tests, traces_begin, traces_end);
}
