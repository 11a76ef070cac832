/* SPDX-License-Identifier: Apache-2.0
 *
 * Recordings: what is cut, damaged or wrong is refused with its place; what is right becomes the
 * program's messages.
 */
#include "recording_made.h"

#include "ikat/record.h"
#include "record/recording_read.h"
#include "traffic/program/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static made_recording made;
static unsigned char file[MADE_RANKS * MADE_ROOM + 4096];
static char path[] = "/tmp/ikat-recording-XXXXXX";

static void write_bytes(const unsigned char *bytes, size_t num)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, num, out), num);
    assert_int_equal(fclose(out), 0);
}

static ik_status summarise(const unsigned char *bytes, size_t num, ik_error *err)
{
    ik_recording_summary s;
    write_bytes(bytes, num);
    return ik_recording_summarise(path, &s, err);
}

/* Reads the file as a program of at most eight hosts. */
static ik_status replay(ik_workload *w, bool recorded, ik_error *err)
{
    program_settings set = {.name = "made",
                            .num_hosts = MADE_RANKS,
                            .compute_scale = 1,
                            .size_scale = 1,
                            .match_recorded = recorded};
    program *p = NULL;
    assert_int_equal(program_new(&set, &p, err), IK_OK);
    ik_status status = program_read(p, path, "recording", NULL, err);
    if (status == IK_OK)
        return program_close(p, w, err);
    program_free(p);
    return status;
}

static void expect_refused(const char *word)
{
    ik_error err;
    ik_workload w;
    size_t num = made_file(&made, file);
    write_bytes(file, num);
    ik_status status = replay(&w, true, &err);
    if (status == IK_OK)
        fail_msg("accepted, but: %s", word);
    assert_int_equal(status, IK_ERR_INPUT);
    if (!strstr(err.text, word))
        fail_msg("'%s' instead of '%s'", err.text, word);
    assert_non_null(strstr(err.file, path));
}

/* Sends and receives of two ranks, one of each kind. */
static void make_small(void)
{
    made_begin(&made, 2);
    for (unsigned i = 0; i < 2; i++) {
        made_rank *m = &made.ranks[i];
        unsigned peer = !i + 2;
        MADE(m, REC_COMM, 2, COMM_NEW, 0, 0, 1, 0, 2, 2, 0);
        MADE(m, REC_RECV, 1, 2, 1, 0, 64); /* from any, any tag */
        MADE(m, REC_SEND, 0, SEND_STANDARD, 2, peer, 8, 64);
        MADE(m, REC_WAIT, WAIT_WAIT, 1, 1, 1 << 2 | 1, peer, 8);
        MADE(m, REC_SENDRECV, 0, 0, peer, 1, 10, peer, 1, 10, peer, 1);
        MADE(m, REC_COLLECTIVE, 0, COLL_ALLREDUCE, 2, 0, 8, 8, 0);
        MADE(m, REC_NEIGHBOUR, 1, NEIGH_ALLTOALL, 2, 1, 1, peer, 7, peer, 7);
        MADE(m, REC_WAIT, WAIT_TEST, 1, 1, 1 << 2);
        MADE(m, REC_ONESIDED, ONE_PUT, 1, 99);
        MADE(m, REC_POLLS, 17, 3);
        MADE(m, REC_RECV, 1, 0, peer, 5, 4); /* cancelled */
        MADE(m, REC_WAIT, WAIT_WAIT, 1, 1, 1 << 2 | 2);
        MADE(m, REC_COMM_FREE, 2);
    }
    made_end(&made);
}

static void test_whole(void **state)
{
    ik_error err;
    ik_recording_summary s;
    ik_workload w;
    (void)state;
    make_small();
    write_bytes(file, made_file(&made, file));
    assert_int_equal(ik_recording_summarise(path, &s, &err), IK_OK);
    assert_int_equal(s.num_ranks, 2);
    assert_int_equal(s.ranks_cut, 0);
    assert_int_equal(s.messages, 2 * 3);
    assert_int_equal(s.bytes, 2 * (64 + 10 + 7));
    assert_int_equal(s.collectives, 4);
    assert_int_equal(s.onesided, 2);
    assert_int_equal(s.onesided_bytes, 198);
    assert_int_equal(s.polls, 34);
    for (unsigned recorded = 0; recorded < 2; recorded++) {
        if (replay(&w, recorded, &err) != IK_OK)
            fail_msg("%s: %s", err.file, err.text);
        uint64_t sends = 0, bytes = 0;
        for (uint32_t i = 0; i < w.graph->num_ops; i++)
            if (w.graph->kind[i] == IK_OP_SEND) {
                sends++;
                bytes += w.graph->ops[i].amount;
            }
        assert_int_equal(sends, 2 * 4); /* an allreduce of two: one message each */
        assert_int_equal(bytes, 2 * (64 + 10 + 7 + 8));
        ik_workload_clear(&w);
    }
}

static void test_cut_at_every_byte(void **state)
{
    ik_error err;
    (void)state;
    make_small();
    size_t num = made_file(&made, file);
    for (size_t n = 0; n < num; n++) {
        assert_int_equal(summarise(file, n, &err), IK_ERR_INPUT);
        assert_string_equal(err.file, path);
    }
    file[num] = 0;
    assert_int_equal(summarise(file, num + 1, &err), IK_ERR_INPUT);
}

static void test_damage_at_every_byte(void **state)
{
    ik_error err;
    (void)state;
    make_small();
    size_t num = made_file(&made, file);
    for (size_t n = 0; n < num; n++)
        for (unsigned bit = 0; bit < 8; bit += 3) {
            file[n] ^= (unsigned char)(1 << bit);
            ik_status status = summarise(file, num, &err);
            assert_true(status == IK_ERR_INPUT || status == IK_ERR_UNSUPPORTED);
            file[n] ^= (unsigned char)(1 << bit);
        }
}

/* Every record of a good recording, cut short, or with each operand replaced by large ones: right
 * checksums, so the records' own checks must refuse or accept it, and nothing may crash. */
static void test_wrong_operands(void **state)
{
    static const uint64_t values[] = {2, 3, 5, 1000, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX};
    static made_recording good;
    ik_error err;
    ik_workload w;
    unsigned refused = 0;
    (void)state;
    make_small();
    good = made;
    for (size_t at = 0; at < good.ranks[0].num; at++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            made_rank *m = &made.ranks[0];
            made = good;
            m->num = at;
            made_number(m, values[v]);
            memcpy(m->bytes + m->num, good.ranks[0].bytes + at + 1, good.ranks[0].num - at - 1);
            m->num += good.ranks[0].num - at - 1;
            write_bytes(file, made_file(&made, file));
            ik_status status = replay(&w, true, &err);
            assert_true(status == IK_OK || status == IK_ERR_INPUT);
            refused += status != IK_OK;
            if (status == IK_OK)
                ik_workload_clear(&w);
        }
    assert_true(refused > good.ranks[0].num);
}

static void one(unsigned operation, const uint64_t *operands, size_t num, const char *word)
{
    made_begin(&made, 2);
    made_record(&made.ranks[0], operation, 1, operands, num);
    made_end(&made);
    expect_refused(word);
}
#define ONE(word, operation, ...)                                                                  \
    one((operation), (const uint64_t[]){__VA_ARGS__},                                              \
        sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (word))

static void test_refusals(void **state)
{
    (void)state;
    one(99, NULL, 0, "operation 99 is none");
    ONE("names a rank that does not exist", REC_SEND, 0, 0, 0, 5, 1, 8);
    ONE("communicator that does not exist", REC_SEND, 0, 0, 7, 2, 1, 8);
    ONE("unknown mode", REC_SEND, 0, 9, 0, 2, 1, 8);
    ONE("to any rank", REC_SEND, 0, 0, 0, 1, 1, 8);
    ONE("larger than any message", REC_SEND, 0, 0, 0, 3, 1, UINT64_MAX);
    ONE("not valid in MPI", REC_SEND, 0, 0, 0, 3, UINT64_C(1) << 40, 8);
    ONE("request that was not begun", REC_WAIT, WAIT_WAIT, 1, 1, 1 << 2);
    ONE("count is larger than its block", REC_WAIT, WAIT_WAIT, 1, UINT64_MAX);
    ONE("count is larger than its block", REC_COLLECTIVE, 0, COLL_ALLGATHERV, 0, 0, 1, 1,
        UINT64_C(1) << 60);
    ONE("its root is not a rank", REC_COLLECTIVE, 0, COLL_BCAST, 0, 9, 1, 1, 0);
    ONE("it has no root", REC_COLLECTIVE, 0, COLL_BCAST, 0, 0, 1, 1, 0);
    ONE("needs none", REC_COLLECTIVE, 0, COLL_ALLREDUCE, 0, 1, 1, 1, 0);
    ONE("its operation is unknown", REC_COLLECTIVE, 0, 77, 0, 0, 1, 1, 0);
    ONE("counts for 2 processes", REC_COLLECTIVE, 0, COLL_ALLGATHERV, 0, 0, 1, 1, 1, 8);
    ONE("ranks that do not exist", REC_COMM, 2, COMM_NEW, 0, 0, 1, 1, 2, 2, 0);
    ONE("more ranks than there are", REC_COMM, 2, COMM_NEW, 0, 0, 1, 0, UINT64_C(1) << 50, 2, 0);
    ONE("not numbered in their order", REC_COMM, 5, COMM_NEW, 0, 0, 1, 0, 2, 2, 0);
    ONE("has no rank", REC_COMM, 2, COMM_NEW, 0, 0, 0, 0);
    ONE("MPI made", REC_COMM_FREE, 0);
    ONE("a rank begins twice", REC_BEGIN, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0);
    ONE("neither one request nor none", REC_SEND, 2, 0, 0, 3, 1, 8);
    ONE("between two groups", REC_OTHER, OTHER_INTERCOMM);
    one(REC_OVERLAP, NULL, 0, "several threads");
    ONE("is never sent", REC_RECV, 0, 0, 3, 2, 8, 3, 2);
    ONE("neighbour: ", REC_NEIGHBOUR, 0, 0, 0, 3, 3, 2, 5);
}

static void test_ranks_that_disagree(void **state)
{
    (void)state;
    made_begin(&made, 2);
    MADE(&made.ranks[0], REC_COLLECTIVE, 0, COLL_BCAST, 0, 1, 8, 8, 0);
    MADE(&made.ranks[1], REC_COLLECTIVE, 0, COLL_BCAST, 0, 2, 8, 8, 0);
    made_end(&made);
    expect_refused("root");
    made_begin(&made, 2);
    MADE(&made.ranks[0], REC_COLLECTIVE, 0, COLL_BARRIER, 0, 0, 0, 0, 0);
    made_end(&made);
    expect_refused("rank");
    made_begin(&made, 2); /* the number of ranks in the records is not the file's */
    made.ranks[1].num = 0;
    made.ranks[1].records = 0;
    MADE(&made.ranks[1], REC_BEGIN, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0);
    made_end(&made);
    expect_refused("another number of ranks");
    made_begin(&made, 2);
    made_record(&made.ranks[0], REC_END, 0, NULL, 0);
    made.ranks[1].cut = true;
    expect_refused("before MPI_Finalize");
    made_begin(&made, 2);
    made_record(&made.ranks[0], REC_END, 0, NULL, 0);
    expect_refused("contradicts how it ended");
    made_begin(&made, 2);
    made_end(&made);
    MADE(&made.ranks[0], REC_OTHER, 0);
    expect_refused("follows the rank's end");
}

/* A request that is named twice, or freed and waited for. */
static void test_requests(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        made_begin(&made, 2);
        MADE(&made.ranks[0], REC_SEND, 1, 0, 0, 3, 1, 8);
        if (k)
            MADE(&made.ranks[0], REC_FREE, 1);
        else
            MADE(&made.ranks[0], REC_WAIT, WAIT_WAIT, 1, 1, 1 << 2);
        MADE(&made.ranks[0], REC_WAIT, WAIT_WAIT, 1, 1, 1 << 2);
        MADE(&made.ranks[1], REC_RECV, 0, 0, 2, 1, 8, 2, 1);
        made_end(&made);
        expect_refused("was completed before");
    }
}

/* Its sender waits for the receive. */
static void test_synchronous(void **state)
{
    ik_error err;
    (void)state;
    for (unsigned mode = SEND_STANDARD; mode <= SEND_SYNCHRONOUS; mode++) {
        ik_workload w;
        made_begin(&made, 2);
        MADE(&made.ranks[0], REC_SEND, 0, mode, 0, 3, 1, 8);
        MADE(&made.ranks[1], REC_RECV, 0, 0, 2, 1, 8, 2, 1);
        made_end(&made);
        write_bytes(file, made_file(&made, file));
        if (replay(&w, true, &err) != IK_OK)
            fail_msg("%s: %s", err.file, err.text);
        bool waits = false;
        for (uint32_t i = 0; i < w.graph->num_ops; i++)
            waits |= w.graph->ack && w.graph->kind[i] == IK_OP_SEND && w.graph->ack[i] != IK_NONE;
        assert_int_equal(waits, mode == SEND_SYNCHRONOUS);
        ik_workload_clear(&w);
    }
}

/* The sum of what the ranks compute, in ns. */
static uint64_t computed(program_clock clock, const char *note)
{
    ik_error err;
    ik_workload w;
    program_settings set = {.name = "made",
                            .num_hosts = MADE_RANKS,
                            .compute_scale = 1,
                            .size_scale = 1,
                            .clock = clock};
    program *p = NULL;
    write_bytes(file, made_file(&made, file));
    assert_int_equal(program_new(&set, &p, &err), IK_OK);
    if (program_read(p, path, "recording", NULL, &err) != IK_OK)
        fail_msg("%s: %s", err.file, err.text);
    if (!note)
        assert_null(program_note_text(p));
    else if (!program_note_text(p) || !strstr(program_note_text(p), note))
        fail_msg("'%s' instead of '%s'", program_note_text(p) ? program_note_text(p) : "", note);
    assert_int_equal(program_close(p, &w, &err), IK_OK);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w.graph->num_ops; i++)
        if (w.graph->kind[i] == IK_OP_CALC)
            sum += w.graph->ops[i].amount;
    ik_workload_clear(&w);
    return sum / 1000;
}

/* Four ranks with a time of 100 ns each, of which the thread had a core for 75. */
static void make_on(uint32_t version, uint32_t online, uint32_t allowed, bool same_set)
{
    made_begin_on(&made, 4, version, online, allowed, same_set);
    for (unsigned i = 0; i < 4; i++) {
        MADE(&made.ranks[i], REC_COLLECTIVE, 0, COLL_BARRIER, 0, 0, 0, 0, 0);
        made_record(&made.ranks[i], REC_END, 0, NULL, 0);
    }
}

/* By the processor's time where ranks outnumber the host's cores, or those that they may use. */
static void test_clock(void **state)
{
    static const struct {
        uint32_t online, allowed;
        bool same_set;
        const char *shared; /* NULL: each has a core */
    } cases[] = {
        {4, 4, true, NULL},
        {4, 1, false, NULL}, /* bound, each to its own */
        {8, 4, true, NULL},
        {3, 3, true, "4 ranks shared 3 processor cores"},
        {64, 1, true, "4 ranks shared 1 processor core "}, /* bound, all to the same */
        {2, 1, false, "4 ranks shared 2 processor cores"},
        {0, 0, true, NULL}, /* not known */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *shared = cases[k].shared;
        ik_recording_summary s;
        ik_error err;
        make_on(2, cases[k].online, cases[k].allowed, cases[k].same_set);
        assert_int_equal(computed(PROGRAM_CLOCK_AUTO, shared), 4 * (shared ? 150 : 200));
        assert_int_equal(computed(PROGRAM_CLOCK_WALL, shared), 4 * 200);
        assert_int_equal(computed(PROGRAM_CLOCK_CPU, NULL), 4 * 150);
        assert_int_equal(ik_recording_summarise(path, &s, &err), IK_OK);
        assert_true(s.has_ran);
        assert_int_equal(s.shared_ranks, shared ? 4 : 0);
        assert_int_equal(s.ran_ns * 4, s.compute_ns * 3);
    }
}

/* Recordings of version 1 have the clock only. */
static void test_version_1(void **state)
{
    ik_error err;
    ik_recording_summary s;
    (void)state;
    make_on(1, 0, 0, false);
    assert_int_equal(computed(PROGRAM_CLOCK_AUTO, NULL), 4 * 200);
    assert_int_equal(computed(PROGRAM_CLOCK_WALL, NULL), 4 * 200);
    assert_int_equal(ik_recording_summarise(path, &s, &err), IK_OK);
    assert_false(s.has_ran);
    program_settings set = {.name = "made",
                            .num_hosts = MADE_RANKS,
                            .compute_scale = 1,
                            .size_scale = 1,
                            .clock = PROGRAM_CLOCK_CPU};
    program *p = NULL;
    assert_int_equal(program_new(&set, &p, &err), IK_OK);
    assert_int_equal(program_read(p, path, "recording", NULL, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "no processor time"));
    program_free(p);
    made_begin_on(&made, 2, 1, 0, 0, false); /* nor processes of other programs */
    MADE(&made.ranks[0], REC_SEND, 0, 0, 0, 4, 1, 8);
    made_end(&made);
    expect_refused("names a rank that does not exist");
    made_begin_on(&made, 2, 3, 0, 0, false);
    write_bytes(file, made_file(&made, file));
    assert_int_equal(ik_recording_summarise(path, &s, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "versions 1 to 2"));
}

static void test_longer_away_than_the_gap(void **state)
{
    (void)state;
    made_begin(&made, 2);
    made_rank *m = &made.ranks[0];
    made_number(m, REC_OTHER);
    made_number(m, 100);
    made_number(m, 101);
    made_number(m, 5);
    made_number(m, OTHER_CALL);
    m->records++;
    made_end(&made);
    expect_refused("longer than the time between calls");
}

/* Processes that were spawned: what waited for them lasts as long as it did, and sends nothing. */
static void test_outside(void **state)
{
    ik_error err;
    ik_recording_summary s;
    (void)state;
    made_begin(&made, 2);
    for (unsigned i = 0; i < 2; i++) {
        made_rank *m = &made.ranks[i];
        made_record(m, REC_OTHER, 0, (const uint64_t[]){OTHER_SPAWN}, 1);
        made_record(m, REC_SEND, 0, (const uint64_t[]){0, 0, 0, 4, 1, 8}, 6);
        made_record(m, REC_RECV, 0, (const uint64_t[]){1, 0, 1, 0, 8}, 5); /* from any */
        made_record(m, REC_WAIT, 0, (const uint64_t[]){WAIT_WAIT, 1, 1, 1 << 2 | 1, 4, 9}, 6);
        made_record(m, REC_OTHER, 0, (const uint64_t[]){OTHER_OUTSIDE}, 1);
        made_record(m, REC_END, 0, NULL, 0);
    }
    assert_int_equal(computed(PROGRAM_CLOCK_AUTO, "2 calls start or join"), 2 * (100 + 4 * 5));
    assert_int_equal(ik_recording_summarise(path, &s, &err), IK_OK);
    assert_int_equal(s.messages, 0);
    assert_int_equal(s.spawned, 2);
    assert_int_equal(s.outside, 6);
}

/* A wait lasts as it did if all its requests are with processes outside; otherwise those that are
 * not are simulated. The same of a send and receive at once. */
static void test_waits_for_outside(void **state)
{
    enum { OUTSIDE = 4, RANK_1 = 3, ANY = 1, NAMED_1 = 1 << 2, NAMED_2 = 2 << 2 };
    (void)state;
    for (unsigned k = 0; k < 5; k++) {
        made_begin(&made, 2);
        made_rank *m = &made.ranks[0], *other = &made.ranks[1];
        if (k < 4) { /* a receive from outside, or from any source, and a send to rank 1 */
            const uint64_t from = k % 2 ? ANY : OUTSIDE;
            made_record(m, REC_RECV, 0, (const uint64_t[]){1, 0, from, 5, 8}, 5);
            made_record(m, REC_SEND, 0, (const uint64_t[]){1, 0, 0, RANK_1, 6, 8}, 6);
            const uint64_t seen = from == ANY;
            uint64_t wait[8] = {k < 2 ? WAIT_WAIT : WAIT_WAITALL, k < 2 ? 1 : 2, k < 2 ? 1 : 2};
            size_t num = 3;
            wait[num++] = (uint64_t)(NAMED_2 | (int)seen); /* the one before the last */
            if (seen) {
                wait[num++] = OUTSIDE;
                wait[num++] = 5;
            }
            if (k >= 2)
                wait[num++] = NAMED_1;
            made_record(m, REC_WAIT, 0, wait, num);
        } else {
            made_record(m, REC_SENDRECV, 0,
                        (const uint64_t[]){0, 0, RANK_1, 6, 8, OUTSIDE, 5, 8, OUTSIDE, 5}, 10);
        }
        made_record(other, REC_RECV, 0, (const uint64_t[]){0, 0, 2, 6, 8, 2, 6}, 7);
        for (unsigned i = 0; i < 2; i++)
            made_record(&made.ranks[i], REC_END, 0, NULL, 0);
        uint64_t sum = computed(PROGRAM_CLOCK_AUTO, "1 call with them");
        if (sum != 200 + (k < 2 ? 5 : 0))
            fail_msg("case %u: %llu ns", k, (unsigned long long)sum);
    }
}

/* Communicators of one group that say nothing of their parent: the n-th of one rank is the n-th of
 * the other, and thousands of them are found at once. The receive is in that of the send, or in the
 * one before it, where it waits for ever. */
static void test_many_of_one_group(void **state)
{
    enum { MANY = 4000 };
    (void)state;
    for (uint32_t off = 0; off < 2; off++) {
        ik_error err;
        ik_workload w;
        made_begin(&made, 2);
        for (uint32_t i = 0; i < 2; i++)
            for (uint64_t n = 0; n < MANY; n++) {
                const uint64_t kind = n % 2 ? COMM_GROUP : COMM_FOUND;
                made_record(&made.ranks[i], REC_COMM, 0,
                            (const uint64_t[]){2 + n, kind, 0, 0, 1, 0, 2, 2, 0}, 9);
            }
        MADE(&made.ranks[0], REC_SEND, 0, SEND_STANDARD, MANY + 1, 3, 1, 8);
        MADE(&made.ranks[1], REC_RECV, 0, MANY + 1 - off, 2, 1, 8, 2, 1);
        made_end(&made);
        write_bytes(file, made_file(&made, file));
        ik_status status = replay(&w, true, &err);
        if (off) {
            assert_int_equal(status, IK_ERR_INPUT);
            assert_non_null(strstr(err.text, "never"));
        } else {
            if (status != IK_OK)
                fail_msg("%s: %s", err.file, err.text);
            assert_int_equal(w.num_messages, 1);
            ik_workload_clear(&w);
        }
    }
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_damage_at_every_byte),
        cmocka_unit_test(test_wrong_operands),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ranks_that_disagree),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_synchronous),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_version_1),
        cmocka_unit_test(test_longer_away_than_the_gap),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_waits_for_outside),
        cmocka_unit_test(test_many_of_one_group),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
