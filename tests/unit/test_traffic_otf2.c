/* SPDX-License-Identifier: Apache-2.0
 *
 * MPI events of OTF2 archives as calls of a program; where the format's library is there, archives
 * that it writes are read again, whole, cut and damaged. */
#define _GNU_SOURCE /* nftw */
#include "unit/made.h"
#include "unit/part.h"

#include "traffic/program/otf2_calls.h"
#include "traffic/program/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, NONE = 0xFFFFFFFF };

/* ---- events without an archive */

static const uint64_t second = 1000000000; /* ticks are ns */
static const uint32_t everybody[] = {0, 1, 2, 3}, pair[] = {2, 0};

typedef struct bench {
    program *p;
    mpi_calls calls;
    mpi_comm comms[4];
} bench;

static void open_bench(bench *b)
{
    program_settings set = {.name = "events", .num_hosts = RANKS, .match_recorded = true};
    *b = (bench){.comms = {{.ref = 3, .ranks = everybody, .num = RANKS, .comm = IK_NONE},
                           {.ref = 7, .ranks = pair, .num = 2, .comm = IK_NONE},
                           {.ref = 9, .comm = IK_NONE},
                           {.ref = 11, .ranks = pair, .num = 2, .global = true, .comm = IK_NONE}}};
    assert_int_equal(program_new(&set, &b->p, NULL), IK_OK);
    assert_int_equal(program_begin(b->p, RANKS, NULL), IK_OK);
    b->calls = (mpi_calls){
        .p = b->p, .path = "events", .ticks = second, .comms = b->comms, .num_comms = 4};
}

static ik_status close_bench(bench *b, ik_status status, ik_workload *w, ik_error *err)
{
    mpi_calls_free(&b->calls);
    if (status == IK_OK)
        return program_close(b->p, w, err);
    program_free(b->p);
    return status;
}

#define ENTER(t)                                                                                   \
    {                                                                                              \
        .time = (t), .kind = MPI_ENTER                                                             \
    }
#define LEAVE(t)                                                                                   \
    {                                                                                              \
        .time = (t), .kind = MPI_LEAVE                                                             \
    }
#define SEND(t, to, n)                                                                             \
    {                                                                                              \
        .time = (t), .kind = MPI_SEND, .comm = 3, .peer = (to), .sent = (n)                        \
    }
#define RECV(t, of, n)                                                                             \
    {                                                                                              \
        .time = (t), .kind = MPI_RECV, .comm = 3, .peer = (of), .sent = (n)                        \
    }
#define ALL(t, n)                                                                                  \
    {                                                                                              \
        .time = (t), .kind = MPI_COLLECTIVE, .comm = 3, .peer = NONE,                              \
        .operation = MPI_OP_ALLREDUCE, .sent = (n), .received = (n)                                \
    }

static unsigned count(const ik_graph *g, ik_op_kind kind, uint64_t amount)
{
    unsigned num = 0;
    for (uint32_t k = 0; k < g->num_ops; k++)
        num += g->kind[k] == kind && g->ops[k].amount == amount;
    return num;
}

/* Times between calls are computations; time within them is not. */
static void test_times(void **state)
{
    (void)state;
    static const mpi_event a[] = {ENTER(100), SEND(110, 1, 64), LEAVE(150), ENTER(400), LEAVE(500)},
                           b[] = {ENTER(50), RECV(90, 0, 64), LEAVE(99)};
    bench t;
    ik_workload w = {0};
    ik_error err = {0};
    open_bench(&t);
    assert_int_equal(mpi_calls_add(&t.calls, 0, a, 5, 40, 700, &err), IK_OK);
    assert_int_equal(mpi_calls_add(&t.calls, 1, b, 3, 50, 99, &err), IK_OK);
    assert_int_equal(close_bench(&t, IK_OK, &w, &err), IK_OK);
    assert_int_equal(w.num_messages, 1);
    assert_int_equal(count(w.graph, IK_OP_CALC, 60000), 1);              /* 100 - 40 */
    assert_int_equal(count(w.graph, IK_OP_CALC, (250 + 200) * 1000), 1); /* an empty call between */
    ik_workload_clear(&w);
}

/* An MPI_Sendrecv is under way both ways at once: neither waits for the other. */
static void test_sendrecv(void **state)
{
    (void)state;
    bench t;
    ik_workload w = {0};
    ik_error err = {0};
    open_bench(&t);
    for (uint32_t r = 0; r < 2; r++) {
        mpi_event e[] = {ENTER(0), SEND(1, 1 - r, 64), RECV(2, 1 - r, 64), LEAVE(3)};
        assert_int_equal(mpi_calls_add(&t.calls, r, e, 4, 0, 3, &err), IK_OK);
    }
    assert_int_equal(close_bench(&t, IK_OK, &w, &err), IK_OK);
    const ik_graph *g = w.graph;
    for (uint32_t k = 0; k < g->num_ops; k++)
        if (g->kind[k] == IK_OP_SEND)
            assert_int_equal(g->waits[k], 0);
    assert_int_equal(count(g, IK_OP_CALC, 0), 2); /* the end of the call waits for both */
    ik_workload_clear(&w);
}

/* A receive without blocking is described where it is completed; one that was cancelled is none. */
static void test_requests(void **state)
{
    (void)state;
    static const mpi_event a[] = {ENTER(0),
                                  {.time = 1, .kind = MPI_IRECV, .request = 5},
                                  LEAVE(2),
                                  ENTER(3),
                                  {.time = 4, .kind = MPI_IRECV, .request = 6},
                                  LEAVE(5),
                                  ENTER(6),
                                  {.time = 7, .kind = MPI_CANCELLED, .request = 6},
                                  LEAVE(8),
                                  ENTER(10),
                                  {.time = 11,
                                   .kind = MPI_IRECV_DONE,
                                   .request = 5,
                                   .comm = 7,
                                   .peer = 0,
                                   .tag = 2,
                                   .sent = 8},
                                  LEAVE(12)};
    static const mpi_event b[] = {
        ENTER(0),
        {.time = 1, .kind = MPI_ISEND, .request = 1, .comm = 7, .peer = 1, .tag = 2, .sent = 8},
        LEAVE(2),
        ENTER(3),
        {.time = 4, .kind = MPI_ISEND_DONE, .request = 1},
        LEAVE(5)};
    bench t;
    ik_workload w = {0};
    ik_error err = {0};
    open_bench(&t);
    /* communicator 7 is ranks 2, 0 */
    assert_int_equal(mpi_calls_add(&t.calls, 0, a, sizeof a / sizeof *a, 0, 12, &err), IK_OK);
    assert_int_equal(mpi_calls_add(&t.calls, 2, b, sizeof b / sizeof *b, 0, 5, &err), IK_OK);
    ik_status status = close_bench(&t, IK_OK, &w, &err);
    if (status != IK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(w.num_messages, 1);
    assert_int_equal(w.bytes, 8);
    ik_workload_clear(&w);
}

/* Sizes as Score-P counts them, for every operation: what all ranks together send. */
static const struct {
    mpi_operation operation;
    uint64_t sent[RANKS], received[RANKS];
    uint64_t bytes, messages;
} sizes[] = {
    {MPI_OP_BARRIER, {0}, {0}, 8, 8},
    {MPI_OP_BCAST, {0, 400, 0, 0}, {100, 100, 100, 100}, 300, 3},
    {MPI_OP_GATHER, {100, 100, 100, 100}, {0, 400, 0, 0}, 0, 3},
    {MPI_OP_GATHERV, {10, 20, 30, 40}, {0, 100, 0, 0}, 80, 3},
    {MPI_OP_SCATTER, {0, 400, 0, 0}, {100, 100, 100, 100}, 0, 3},
    {MPI_OP_SCATTERV, {0, 40, 0, 0}, {1, 19, 10, 10}, 30, 3},
    {MPI_OP_ALLGATHER, {400, 400, 400, 400}, {400, 400, 400, 400}, 1200, 0},
    {MPI_OP_ALLTOALL, {40, 40, 40, 40}, {40, 40, 40, 40}, 120, 12},
    {MPI_OP_ALLTOALLV, {40, 80, 120, 160}, {100, 100, 100, 100}, 300, 12},
    {MPI_OP_ALLREDUCE, {32, 32, 32, 32}, {32, 32, 32, 32}, 64, 8},
    {MPI_OP_ALLREDUCE, {27, 27, 27, 27}, {27, 27, 27, 27}, 72, 8}, /* in place: 3 * 9 */
    {MPI_OP_REDUCE, {8, 8, 8, 8}, {0, 32, 0, 0}, 24, 3},
    {MPI_OP_REDUCE, {8, 0, 8, 8}, {0, 24, 0, 0}, 24, 3}, /* in place */
    {MPI_OP_REDUCE_SCATTER_BLOCK, {40, 40, 40, 40}, {40, 40, 40, 40}, 0, 0},
    {MPI_OP_SCAN, {32, 24, 16, 8}, {8, 16, 24, 32}, 0, 0},
    {MPI_OP_EXSCAN, {24, 16, 8, 0}, {0, 8, 16, 24}, 0, 0},
    {MPI_OP_OTHERS, {0}, {0}, 0, 0},
};

static void test_sizes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        bench t;
        ik_workload w = {0};
        ik_error err = {0};
        ik_status status = IK_OK;
        open_bench(&t);
        for (uint32_t r = 0; r < RANKS && status == IK_OK; r++) {
            mpi_event e[] = {ENTER(0), ALL(1, 0), LEAVE(2), ENTER(3), SEND(4, r, 1), LEAVE(5)};
            e[1].operation = (uint8_t)sizes[k].operation;
            e[1].peer = 1; /* root */
            e[1].sent = sizes[k].sent[r];
            e[1].received = sizes[k].received[r];
            status = mpi_calls_add(&t.calls, r, e, 3, 0, 5, &err);
        }
        status = close_bench(&t, status, &w, &err);
        if (status != IK_OK && sizes[k].operation != MPI_OP_OTHERS)
            fail_msg("%zu: %s", k, err.text);
        if (status != IK_OK)
            continue; /* nothing is sent */
        if (sizes[k].bytes)
            assert_int_equal(w.bytes, sizes[k].bytes);
        if (sizes[k].messages)
            assert_int_equal(w.num_messages, sizes[k].messages);
        ik_workload_clear(&w);
    }
}

static const struct {
    const char *what;
    mpi_event events[4];
    size_t num;
} wrong[] = {
    {"time goes back", {ENTER(5), LEAVE(9), ENTER(8)}, 3},
    {"communicator 4", {{.time = 1, .kind = MPI_SEND, .comm = 4}}, 1},
    {"its communicator does not have", {SEND(1, 4, 8)}, 1},
    /* numbers that mean "any" elsewhere */
    {"its communicator does not have",
     {{.time = 1, .kind = MPI_RECV, .comm = 11, .peer = NONE, .sent = 8}},
     1},
    {"a tag that is not valid",
     {{.time = 1, .kind = MPI_RECV, .comm = 3, .tag = NONE, .sent = 8}},
     1},
    {"more than 10^15 B", {SEND(1, 0, UINT64_MAX)}, 1},
    {"", {ALL(1, UINT64_MAX)}, 1},
    {"still open", {{.time = 1, .kind = MPI_IRECV}, {.time = 1, .kind = MPI_IRECV}}, 2},
    {"has not begun", {{.time = 1, .kind = MPI_ISEND_DONE}}, 1},
    {"has not begun", {{.time = 1, .kind = MPI_IRECV}, {.time = 1, .kind = MPI_ISEND_DONE}}, 2},
    {"never completed", {{.time = 1, .kind = MPI_IRECV}}, 1},
    {"was cancelled",
     {{.time = 1, .kind = MPI_ISEND, .comm = 3}, {.time = 1, .kind = MPI_CANCELLED}},
     2},
    {"that it is not in",
     {{.time = 1, .kind = MPI_COLLECTIVE, .comm = 7, .operation = MPI_OP_ALLREDUCE}},
     1},
    {"the root",
     {{.time = 1, .kind = MPI_COLLECTIVE, .comm = 3, .peer = NONE, .operation = MPI_OP_BCAST}},
     1},
    {"11 days", {ENTER(0), LEAVE(0), ENTER(UINT64_MAX / 2)}, 3},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        bench t;
        ik_workload w = {0};
        ik_error err = {0};
        open_bench(&t);
        ik_status status =
            mpi_calls_add(&t.calls, 1, wrong[k].events, wrong[k].num, 0, UINT64_MAX / 2, &err);
        assert_int_not_equal(close_bench(&t, status, &w, &err), IK_OK);
        if (!strstr(err.text, wrong[k].what))
            fail_msg("'%s': %s", wrong[k].what, err.text);
    }
}

/* ---- archives */

#ifdef IKAT_OTF2
#include "unit/otf2_archives.h"

static ik_status read_archive(const char *path, ik_workload *w, ik_error *err)
{
    program_settings set = {.name = path, .num_hosts = RANKS, .match_recorded = true};
    program *p = NULL;
    assert_int_equal(program_new(&set, &p, err), IK_OK);
    ik_status status = program_read(p, path, NULL, NULL, err);
    if (status == IK_OK)
        return program_close(p, w, err);
    program_free(p);
    return status;
}

/* A ring of messages without blocking and an allreduce, with 1 us of computation between. */
static void test_archive(void **state)
{
    (void)state;
    char folder[] = "/tmp/ikat-otf2-XXXXXX";
    ik_workload w = {0};
    ik_error err = {0};
    assert_non_null(mkdtemp(folder));
    write_archive(folder, RANKS);
    if (read_archive(folder, &w, &err) != IK_OK)
        fail_msg("%s: %s (%s)", err.file, err.text, err.hint);
    assert_int_equal(w.num_messages, RANKS + 8);
    assert_int_equal(w.bytes, RANKS * 4096 + 8 * 8);
    assert_int_equal(count(w.graph, IK_OP_CALC, 1000000), RANKS);
    ik_workload_clear(&w);
    remove_archive(folder);
}

static void test_two_ranks_of_one_location(void **state)
{
    (void)state;
    char folder[] = "/tmp/ikat-otf2-XXXXXX";
    ik_workload w = {0};
    ik_error err = {0};
    assert_non_null(mkdtemp(folder));
    twin_of_0 = 2;
    write_archive(folder, RANKS);
    twin_of_0 = 0;
    assert_int_equal(read_archive(folder, &w, &err), IK_ERR_INPUT);
    assert_string_equal(err.text, "two ranks are location 0");
    remove_archive(folder);
}

/* OTF2's library allocates what a damaged file says: more than there is must fail, as it does
 * without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* Nor does it free what it has made of an archive that it then cannot open. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:otf2_file_posix_open\n";
}

/* Every file of an archive cut at every byte (of the longer ones, at some, under a sanitizer at
 * fewer): refused with a text, or, where the library cannot tell, read. */
static void test_damaged_archives(void **state)
{
    (void)state;
    char folder[] = "/tmp/ikat-otf2-XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_archive(folder, 2);
    unsigned files = list_archive(folder);
    assert_true(files >= 4);
    const size_t places = as_many(60, 60, 20);
    for (unsigned f = 0; f < files; f++) {
        size_t size = load_file(f);
        for (size_t at = 0; at < size; at += 1 + size / places)
            for (unsigned flip = 0; flip < 2; flip++) {
                ik_workload w = {0};
                ik_error err = {0};
                damage_file(f, at, flip);
                if (read_archive(folder, &w, &err) == IK_OK)
                    ik_workload_clear(&w);
                else
                    assert_true(err.text[0] && err.status != IK_ERR_INTERNAL);
            }
        restore_file(f);
    }
    remove_archive(folder);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_sendrecv),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_refused),
#ifdef IKAT_OTF2
        cmocka_unit_test(test_archive),
        cmocka_unit_test(test_damaged_archives),
        cmocka_unit_test(test_two_ranks_of_one_location),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
