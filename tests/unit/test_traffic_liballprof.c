/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of liballprof: what each call becomes, places of errors, cut-off files. The traces are
 * made up for these tests. */
#include "trace_files.h"

#define COMM(rank) "0," rank ",2"
#define INIT       "# collprof 0.9 output file\n\nMPI_Init:-:1:2:1000\n"
#define FINALIZE   "MPI_Finalize:9000.5:-\n"

/* Two ranks of these calls; what reads them says in err. */
static ik_status read_two(const char *zero, const char *one, ik_workload *w, ik_error *err)
{
    char text[4000];
    *err = (ik_error){0};
    for (unsigned rank = 0; rank < 2; rank++) {
        snprintf(text, sizeof text, INIT "%s" FINALIZE, rank ? one : zero);
        trace_write("t", rank, text, strlen(text));
    }
    ik_status status = trace_read(trace_folder, NULL, NULL, w, err);
    trace_remove("t", 0);
    trace_remove("t", 1);
    return status;
}

static void check(const char *zero, const char *one, const char *outline)
{
    ik_workload w;
    ik_error err;
    if (read_two(zero, one, &w, &err) != IK_OK)
        fail_msg("%s, line %u: %s (%s)", err.file, err.line, err.text, err.hint);
    if (strcmp(trace_outline(w.graph), outline) != 0)
        fail_msg("%s\nexpected %s", trace_outline(w.graph), outline);
    ik_workload_clear(&w);
}

#define SEND(name, to, tag, rank, more) name ":1010.25:77:25:11,8,8:" to ":" tag ":" COMM(rank) more
#define RECV(name, of, tag, rank, more) name ":1100:77:30:11,8,8:" of ":" tag ":" COMM(rank) more

/* Computations are what lies between calls; a receive has the size of its send. */
static void test_calls(void **state)
{
    (void)state;
    check(SEND("MPI_Send", "1", "5", "0", ":1020\n"), RECV("MPI_Recv", "0", "5", "1", ":99:1200\n"),
          "0(c10250000,s1:200,c7980500000) 1(c100000000,r0:200,c7800500000)");
    /* what is local is computing */
    check("MPI_Comm_rank:1001:" COMM("0") ":5:1004\nMPI_Type_size:whatever\n" SEND(
              "MPI_Bsend", "1", "5", "0", ":1020\n"),
          RECV("MPI_Recv", "-1", "-1", "1", ":99:1200\n"),
          "0(c10250000,s1:200,c7980500000) 1(c100000000,r?:240,c7800500000)");
    /* to nobody */
    check(SEND("MPI_Send", "-2", "5", "0", ":1020\n"),
          RECV("MPI_Recv", "-2", "5", "1", ":99:1200\n"), "0(c7990750000) 1(c7900500000)");
}

/* Waits are for what is open; without what a test completed, for it where it must be done. */
static void test_requests(void **state)
{
    (void)state;
    check(SEND("MPI_Isend", "1", "5", "0", ":800:1010.25\n") "MPI_Wait:1010.25:800:2:9000.5\n",
          RECV("MPI_Irecv", "0", "5", "1", ":900:1100\n") "MPI_Wait:1100:900:2:9000.5\n",
          "0(c10250000,s1:200,w) 1(c100000000,r0:200,w)");
    /* two in an array of pointers, one in an array of numbers */
    check(SEND("MPI_Isend", "1", "5", "0", ":800:1010.25\n") SEND(
              "MPI_Isend", "1", "6", "0", ":808:1010.25\n") "MPI_Waitall:1010.25:2:800:2:9000.5\n",
          RECV("MPI_Irecv", "0", "5", "1", ":900:1100\n")
              RECV("MPI_Irecv", "0", "6", "1", ":904:1100\n") "MPI_Waitall:1100:2:900:2:9000.5\n",
          "0(c10250000,s1:200,s1:200,w) 1(c100000000,r0:200,r0:200,w)");
    /* a test completed the first, and the second */
    check(SEND("MPI_Isend", "1", "5", "0", ":800:1010.25\n")
              SEND("MPI_Isend", "1", "6", "0", ":808:1010.25\n") "MPI_Wait:1010.25:800:2:1010.25\n"
                                                                 "MPI_Wait:1010.25:800:2:1010.25\n"
                                                                 "MPI_Wait:1010.25:808:2:9000.5\n",
          RECV("MPI_Irecv", "0", "5", "1", ":900:1100\n") "MPI_Test:1100:900:4:5:1100\n" RECV(
              "MPI_Irecv", "0", "6", "1", ":900:1100\n") "MPI_Testall:1100:1:900:4:5:9000.5\n",
          "0(c10250000,s1:200,s1:200,w,w) 1(c100000000,r0:200,w,r0:200,w)");
    /* persistent, started twice; freed without a wait */
    check(SEND("MPI_Send_init", "1", "5", "0", ":800:1010.25\n") "MPI_Start:1010.25:800:1010.25\n"
                                                                 "MPI_Wait:1010.25:800:2:1010.25\n"
                                                                 "MPI_Startall:1010.25:1:800:"
                                                                 "1010.25\n"
                                                                 "MPI_Request_free:1010.25:800:"
                                                                 "9000.5\n",
          RECV("MPI_Recv", "0", "5", "1", ":9:1100\n")
              RECV("MPI_Recv", "0", "5", "1", ":9:9000.5\n"),
          "0(c10250000,s1:200,w,s1:200) 1(c100000000,r0:200,r0:200)");
    check("MPI_Sendrecv:1000:1:4:2,4,4:1:5:9:4:2,4,4:1:6:" COMM("0") ":7:9000.5\n",
          "MPI_Sendrecv_replace:1000:1:4:2,4,4:0:6:0:5:" COMM("1") ":7:9000.5\n",
          "0(r1:16,s1:16,w) 1(r0:16,s0:16,w)");
}

static void test_collectives(void **state)
{
#define BOTH(call, rest) call COMM("0") rest, call COMM("1") rest
    (void)state;
    check(BOTH("MPI_Barrier:1000:", ":9000.5\n"), "0(w,s1:1,r1:1,w) 1(w,r0:1,s0:1,w)");
    check(BOTH("MPI_Bcast:1000:66:9:2,4,4:1:", ":9000.5\n"), "0(w,r1:36) 1(w,s0:36)");
    check(BOTH("MPI_Reduce:1000:66:77:9:2,4,4:3:0:", ":9000.5\n"), "0(w,r1:36) 1(w,s0:36)");
    check(BOTH("MPI_Allreduce:1000:66:77:9:2,4,4:3:", ":9000.5\n"),
          "0(w,s1:36,r1:36,w) 1(w,r0:36,s0:36,w)");
    check(BOTH("MPI_Scan:1000:66:77:9:2,4,4:3:", ":9000.5\n"), "0(w,s1:36) 1(w,r0:36)");
    check(BOTH("MPI_Allgather:1000:66:0:2,4,4:77:5:1,8,8:", ":9000.5\n"),
          "0(w,s1:40,r1:40,w) 1(w,r0:40,s0:40,w)");
    check(BOTH("MPI_Allgatherv:1000:66:7:2,4,4:77:88:7,9:99:0,7:2,4,4:", ":9000.5\n"),
          "0(w,s1:28,r1:36,w) 1(w,r0:28,s0:36,w)");
    check(BOTH("MPI_Alltoall:1000:66:7:2,4,4:77:7:2,4,4:", ":9000.5\n"),
          "0(w,s1:28,r1:28,w) 1(w,r0:28,s0:28,w)");
    check("MPI_Alltoallv:1000:66:1:3,4:1:0,0:2,4,4:77:2:3,0:2:0,0:2,4,4:" COMM("0") ":9000.5\n",
          "MPI_Alltoallv:1000:66:1:0,4:1:0,0:2,4,4:77:2:4,4:2:0,0:2,4,4:" COMM("1") ":9000.5\n",
          "0(w,s1:16) 1(w,r0:16)");
    check(BOTH("MPI_Gather:1000:66:7:2,4,4:77:7:2,4,4:1:", ":9000.5\n"), "0(w,s1:28) 1(w,r0:28)");
    check(BOTH("MPI_Gatherv:1000:66:7:2,4,4:77:8:7,7:9:0,7:2,4,4:1:", ":9000.5\n"),
          "0(w,s1:28) 1(w,r0:28)");
    check(BOTH("MPI_Scatter:1000:66:7:2,4,4:77:7:2,4,4:1:", ":9000.5\n"), "0(w,r1:28) 1(w,s0:28)");
    check(BOTH("MPI_Scatterv:1000:66:8:7,6:9:0,7:2,4,4:77:7:2,4,4:1:", ":9000.5\n"),
          "0(w,r1:28) 1(w,s0:28)");
    check(BOTH("MPI_Reduce_scatter:1000:66:77:8:7,6:2,4,4:3:", ":9000.5\n"),
          "0(w,s1:24,r1:28,w) 1(w,r0:24,s0:28,w)");
    check(BOTH("MPI_Iallreduce:1000:66:77:9:2,4,4:3:", ":800:1000\nMPI_Wait:1000:800:1:9000.5\n"),
          "0(w,s1:36,r1:36,w,w) 1(w,r0:36,s0:36,w,w)");
}

/* A duplicate of the communicator of all: its handle is another one. */
static void test_communicators(void **state)
{
    (void)state;
    check("MPI_Send:1000:7:1:1,1,1:1:3:0,0,2:1000\nMPI_Send:1000:7:2:1,1,1:1:3:9,0,2:9000.5\n",
          "MPI_Recv:1000:7:2:1,1,1:0:3:0,1,2:5:1000\n"
          "MPI_Recv:1000:7:2:1,1,1:0:3:8,1,2:5:9000.5\n",
          "0(s1:1,s1:2) 1(r0:1,r0:2)");
    check("MPI_Barrier:1000:5,0,1:9000.5\n", "MPI_Allreduce:1000:1:2:1:1,1,1:3:5,0,1:9000.5\n",
          "0(w) 1(w)");
}

static void test_refusals(void **state)
{
    static const struct {
        const char *zero, *one;
        unsigned line, column;
        const char *words;
    } cases[] = {
        {"MPI_Sent:1000:1\n", "", 4, 1, "'MPI_Sent' is not a call"},
        {"MPI_Put:1000:1\n", "", 4, 1, "'MPI_Put' is not a call"},
        {"nonsense\n", "", 4, 1, "not a call"},
        {"MPI_Barrier:1000:0,0,2\n", "", 4, 18, "has 4 fields here, not 3"},
        {"MPI_Barrier:999:0,0,2:1000\n", "", 4, 13, "before the one before it has ended"},
        {"MPI_Barrier:1001:0,0,2:1000\n", "", 4, 24, "ends before it begins"},
        {"MPI_Barrier:-1001:0,0,2:1000\n", "", 4, 13, "a negative time"},
        {"MPI_Barrier:99999999999999999999:0,0,2:1000\n", "", 4, 13, "expected a time"},
        {"MPI_Barrier:1000x:0,0,2:1000\n", "", 4, 13, "expected a time"},
        {"MPI_Barrier:1000:0,0:1000\n", "", 4, 18, "expected 3 numbers"},
        {"MPI_Barrier:1000:0,0,3:1000\n", "", 4, 18, "a communicator of 3 ranks, and 2 files"},
        {"MPI_Barrier:1000:0,1,2:1000\n", "", 4, 18, "rank 1 in the file of rank 0"},
        {"MPI_Barrier:1000:0,2,2:1000\n", "", 4, 18, "rank 2 of 2"},
        {"MPI_Init:-:1:2:1000\n", "", 4, 1, "for the second time"},
        {"MPI_Finalize:1000:-\n", "", 5, 1, "a call after MPI_Finalize"},
        {"MPI_Send:1000:1:4:1,1,1:2:0:0,0,2:1000\n", "", 4, 25, "rank 2 of a communicator of 2"},
        {"MPI_Send:1000:1:4:1,1,1:1:-1:0,0,2:1000\n", "", 4, 27, "expected a tag"},
        {"MPI_Send:1000:1:-4:1,1,1:1:0:0,0,2:1000\n", "", 4, 17, "a negative size"},
        {"MPI_Send:1000:1:4000000000:1,4000000000,1:1:0:0,0,2:1000\n", "", 4, 17,
         "more than 10^15 B"},
        {"MPI_Send:1000:1:4:1,1,1:1:0:0,0,2:1000\n", "", 4, 0, "is never received"},
        {"MPI_Isend:1000:1:4:1,1,1:1:0:0,0,2:800:1000\n", "", 4, 0, "never waits for request 800"},
        {"MPI_Isend:1000:1:4:1,1,1:1:0:0,0,2:8x:1000\n", "", 4, 36, "expected an address"},
        {"MPI_Bcast:1000:6:9:2,4,4:2:0,0,2:1000\n", "", 4, 26, "root 2 of a communicator of 2"},
        {"MPI_Barrier:1000:0,0,2:1000\n", "", 4, 0, "barrier: rank 1 has none"},
        {"MPI_Allgatherv:1000:6:7:2,4,4:7:8:7:9:0,7:2,4,4:0,0,2:1000\n", "", 4, 35,
         "expected 2 counts"},
        {"MPI_Startall:1000:1:800:1000\n", "", 4, 21, "no such request"},
        {"MPI_Waitall:1000:-1:800:1:1000\n", "", 4, 18, "a negative number"},
        {"MPI_Barrier:99999999999999:0,0,2:99999999999999\n", "", 4, 13, "more than 11 days"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_workload w;
        ik_error err;
        if (read_two(cases[k].zero, cases[k].one, &w, &err) == IK_OK)
            fail_msg("%s: not refused", cases[k].zero);
        if (!strstr(err.text, cases[k].words) || err.line != cases[k].line ||
            (cases[k].column && err.column != cases[k].column))
            fail_msg("%s: %u:%u: %s", cases[k].zero, err.line, err.column, err.text);
        assert_non_null(strstr(err.file, "/t.0"));
    }
}

/* Cut after each byte: refused with the place, but where only the last line's end is gone. */
static void test_cut_off(void **state)
{
    static const char text[] = INIT
        "MPI_Barrier:1000:0,0,1:1001\n"
        "MPI_Isend:1010:77:25:11,8,8:0:5:0,0,1:800:1010\nMPI_Recv:1010:77:25:11,8,8:0:5:0,0,1:5:"
        "1020\nMPI_Waitall:1020:1:800:2:1030\n" FINALIZE;
    (void)state;
    for (size_t size = 0; size < sizeof text; size++) {
        ik_workload w;
        ik_error err = {0};
        trace_write("cut", 0, text, size);
        ik_status status = trace_read(trace_path("cut", 0), "liballprof", NULL, &w, &err);
        if (status == IK_OK)
            ik_workload_clear(&w);
        if ((status == IK_OK) != (size >= sizeof text - 2))
            fail_msg("cut after %zu bytes: %s", size, status == IK_OK ? "taken" : err.text);
        if (status != IK_OK && (status != IK_ERR_INPUT || !err.line || !err.file[0]))
            fail_msg("cut after %zu bytes: %s:%u: %s", size, err.file, err.line, err.text);
    }
    trace_remove("cut", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),       cmocka_unit_test(test_requests),
        cmocka_unit_test(test_collectives), cmocka_unit_test(test_communicators),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_cut_off),
    };
    return cmocka_run_group_tests(tests, traces_begin, traces_end);
}
