/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of block I/O: what each format says, windows and limits, what is refused and where, files
 * cut at every byte. What is played of them: test_traffic_io_play.c. */
#include "workload_helper.h"

#include "io_samples.h"

#include <unistd.h>
#include <zlib.h>

/* ---- formats */

static void expect_sample(const io_sample *s, const io_trace *t)
{
    assert_string_equal(t->format->name, s->format);
    assert_int_equal(t->num, s->num);
    assert_int_equal(t->num_disks, s->disks);
    assert_int_equal(t->num_empty, s->empty);
    assert_int_equal(t->num_other, s->other);
    assert_int_equal(t->disk_names[0].length, strlen(s->first_disk));
    assert_memory_equal(t->disk_names[0].at, s->first_disk, t->disk_names[0].length);
    for (unsigned k = 0; k < s->num; k++) {
        const io_access *a = &t->list[k], *b = &s->accesses[k];
        if (a->ns != b->ns || a->done_ns != b->done_ns || a->offset != b->offset ||
            a->bytes != b->bytes || a->key != b->key || a->disk != b->disk || a->line != b->line ||
            a->asks != b->asks || a->reads != b->reads)
            fail_msg("%s, access %u: ns %llu, done %llu, offset %llu, bytes %llu, key %llu, disk "
                     "%u, line %u, asks %u, reads %d",
                     s->format, k, (unsigned long long)a->ns, (unsigned long long)a->done_ns,
                     (unsigned long long)a->offset, (unsigned long long)a->bytes,
                     (unsigned long long)a->key, a->disk, a->line, a->asks, a->reads);
    }
}

static void check_sample(const io_sample *s)
{
    for (unsigned named = 0; named < 2; named++) {
        io_trace t;
        ik_error err = {0};
        ik_status status = io_trace_read_memory(&t, s->text, s->size, "trace",
                                                named ? s->format : NULL, &whole_trace, &err);
        if (!named && !s->is_certain && status == IK_ERR_INPUT) {
            assert_non_null(strstr(err.text, "does not say"));
            assert_non_null(strstr(err.hint, "disksim"));
        } else if (status != IK_OK) {
            fail_msg("%s: %s:%u:%u %s", s->format, err.file, err.line, err.column, err.text);
        } else if (named || s->is_certain) {
            expect_sample(s, &t);
        }
        io_trace_free(&t);
    }
}

/* A text with UTF-8's byte order mark is the same trace. */
static void test_marked(void **state)
{
    (void)state;
    for (unsigned k = 0; k < NUM_IO_SAMPLES; k++) {
        io_sample s = io_samples[k];
        char *text = malloc(s.size + 3);
        assert_non_null(text);
        memcpy(text, "\xef\xbb\xbf", 3);
        memcpy(text + 3, s.text, s.size);
        s.text = text;
        s.size += 3;
        check_sample(&s);
        free(text);
    }
}

static void test_formats(void **state)
{
    (void)state;
    for (unsigned k = 0; k < NUM_IO_SAMPLES; k++)
        check_sample(&io_samples[k]);
    for (unsigned k = 0; k < 4; k++) {
        char bytes[SRT_BYTES];
        io_sample s = srt_sample;
        s.size = put_srt(bytes, k & 1, k & 2);
        assert_true(s.size < sizeof bytes);
        s.text = bytes;
        check_sample(&s);
    }
}

/* Any beginning of a trace is a trace, or refused with its place; whole lines are read as such. */
static void cut_everywhere(const io_sample *s)
{
    for (size_t size = 0; size < s->size; size++) {
        char *part = malloc(size + 1); /* so that a sanitizer sees what is read behind it */
        io_trace t;
        ik_error err = {0};
        assert_non_null(part);
        memcpy(part, s->text, size);
        part = realloc(part, size ? size : 1);
        ik_status status =
            io_trace_read_memory(&t, part, size, "trace", s->format, &whole_trace, &err);
        if (status != IK_OK && (status != IK_ERR_INPUT || !err.text[0]))
            fail_msg("%s cut at %zu: %s %s", s->format, size, ik_status_name(status), err.text);
        if (status == IK_OK)
            assert_true(t.num <= s->num && t.num_disks <= s->disks);
        io_trace_free(&t);
        free(part);
    }
}

static void test_cut(void **state)
{
    (void)state;
    for (unsigned k = 0; k < NUM_IO_SAMPLES; k++)
        cut_everywhere(&io_samples[k]);
    for (unsigned k = 0; k < 4; k++) {
        char bytes[SRT_BYTES];
        io_sample s = srt_sample;
        s.size = put_srt(bytes, k & 1, k & 2);
        s.text = bytes;
        cut_everywhere(&s);
    }
}

/* ---- what is refused */

#define Q "8,0 1 1 0.000000000 7 D R 8 + 8 [a]\n"

static const struct {
    const char *format, *text, *what;
    unsigned line, column;
} refused[] = {
    {"csv", "", "no access", 0, 0},
    {"csv", "0,1,a,R,0,1,\n", "expected 'time_ns,done_ns", 1, 1},
    {"csv", CSV_HEAD "-5,1,a,R,0,1,\n", "a time in ns", 2, 1},
    {"csv", CSV_HEAD "5,4,a,R,0,1,\n", "done 1 ns before it begins", 2, 13},
    {"csv", CSV_HEAD "5,9,a,X,0,1,\n", "expected R or W", 2, 7},
    {"csv", CSV_HEAD "5,9,a,R,0,-1,\n", "a size in bytes", 2, 11},
    {"csv", CSV_HEAD "5,9,a,R,0,1000000000001,\n", "up to 1000000000000", 2, 11},
    {"csv", CSV_HEAD "5,9,a,R,0,1\n", "expected ','", 2, 12},
    {"csv", CSV_HEAD "5,9,a,R,0,1,9x\n", "a host's number", 2, 13},
    {"csv", CSV_HEAD "5,9,,R,0,1,\n", "a device", 2, 5},
    {"csv", "disks=2\n" CSV_HEAD "5,9,2,R,0,1,\n", "a disk from 0 to 1", 3, 5},
    {"csv", "disks=0\n", "at least one disk", 1, 8},
    {"csv", "disks=1\ndisks=1\n", "twice", 2, 8},
    {"csv", "disks=100001\n", "a number of disks", 1, 7},
    {"csv", CSV_HEAD "5,9,a,R,18446744073709551616,1,\n", "an offset in bytes", 2, 9},
    {"msr", "128166372003061629,hm,0,Read,383496192,32768\n", "expected ','", 1, 45},
    {"msr", "128166372003061629,hm,0,Trim,0,1,1\n", "Read or Write", 1, 25},
    {"msr", "128166372003061629,hm,0,Read,0,-1,1\n", "a size in bytes", 1, 32},
    {"msr", "128166372003061629,hm,0,Read,0,1,-1\n", "a time in units", 1, 34},
    {"msr", "128166372003061629,hm,0,Read,0,1,99999999999999999\n", "a time in units", 1, 34},
    {"msr", "928166372003061629,hm,0,Read,0,1,1\n", "a time in units", 1, 1},
    {"msr", "128166372603061630,hm,0,Read,0,1,1\n128166372003061629,hm,0,Read,0,1,1\n",
     "60.0000001 s before one above", 2, 35},
    {"spc", "0,1,8192,W,1\n0,1,8192,W,0.5\n", "0.5 s before one above", 2, 15},
    {"spc", "0,1,8192,X,1\n", "expected R or W", 1, 10},
    {"spc", "0,1,8192,W,-1\n", "a time in seconds", 1, 12},
    {"spc", "0,1,8192,W,1.\n", "a time in seconds", 1, 12},
    {"spc", "0,1,8192,W,1e9\n", "a time in seconds", 1, 12},
    {"spc", "0,1,8192,W,15000000001\n", "a time in seconds", 1, 12},
    {"spc", "0,36028797018963968,1,R,0\n", "a sector", 1, 3},
    {"spc", "0,1,8192,W\n", "expected ','", 1, 11},
    {"spc", "0,1,8192,W,1 x\n", "',' or the end", 1, 14},
    {"disksim", "1 2 3 4\n", "flags", 1, 8},
    {"disksim", "1 2 3 -4 1\n", "a number of sectors", 1, 7},
    {"disksim", "1 2 3 4 g\n", "flags", 1, 9},
    {"disksim", "2 2 3 4 1\n1 2 3 4 1\n", "0.001 s before", 2, 10},
    {"disksim", "1 2 3 1953125001 1\n", "a number of sectors", 1, 7},
    {"fio", "fio version 1 iolog\n", "version 2 or 3", 1, 14},
    {"fio", "fio version 2 log\n", "expected 'iolog'", 1, 15},
    {"fio", "/tmp/a add\n", "expected 'fio version", 1, 1},
    {"fio", "fio version 2 iolog\na read 0\n", "a length in bytes", 2, 9},
    {"fio", "fio version 2 iolog\na read 0 -1\n", "a length in bytes", 2, 10},
    {"fio", "fio version 2 iolog\na erase 0 1\n", "an action", 2, 3},
    {"fio", "fio version 3 iolog\n0 a wait 5 0\n", "an action", 2, 5},
    {"fio", "fio version 3 iolog\na read 5 5\n", "a time in us", 2, 1},
    {"fio", "fio version 3 iolog\n9 a read 5 5\n8 a read 5 5\n", "order of time", 3, 13},
    {"fio", "fio version 2 iolog\na wait 15000000000000001 0\n", "beyond the latest", 2, 27},
    {"blkparse", "8,0 1 1 0.000000000 7 D R 8 + 8\n9 1\n", "expected ','", 2, 3},
    {"blkparse", "8,0 1 1 0.000000000 7 Z R 8 + 8\n", "an action", 1, 23},
    {"blkparse", "8,0 1 1 0.000000000 7 D K 8 + 8\n", "a kind of access", 1, 25},
    {"blkparse", "8,0 1 1 0.000000000 7 D R 8 - 8\n", "expected '+'", 1, 29},
    {"blkparse", "8,0 1 1 0.000000000 7 D R 8 + -8\n", "a number of sectors", 1, 31},
    {"blkparse", "8,0 1 1 0.000000000 7 D R 8 + 1953125001 [a]\n", "a number of sectors", 1, 31},
    {"blkparse", Q "8,0 1 1 2.000000000 7 D R 8 + 8 [a]\n" Q, "2 s before one above", 3, 32},
    {"blkparse", "8,0 1 1 0.500000000 7 D R 8 + 8 [a]\n8,0 1 1 0.4 7 C R 8 + 8 [0]\n",
     "line 1 is done 100000000 ns before", 2, 24},
    {"blkparse", "8,0 1 1 0.000000000 7 Q R 8 + 8\n", "no access", 0, 0},
    {"srt", "abc", "expected a record", 0, 0},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        io_trace t;
        ik_error err = {0};
        const char *text = refused[k].text;
        ik_status status = io_trace_read_memory(&t, text, strlen(text), "trace", refused[k].format,
                                                &whole_trace, &err);
        if (status != IK_ERR_INPUT ||
            (!strstr(err.text, refused[k].what) && !strstr(err.hint, refused[k].what)) ||
            err.line != refused[k].line || err.column != refused[k].column ||
            strcmp(err.file, "trace") != 0)
            fail_msg("%s %s: %s at %u:%u: %s (%s), expected '%s' at %u:%u", refused[k].format, text,
                     ik_status_name(status), err.line, err.column, err.text, err.hint,
                     refused[k].what, refused[k].line, refused[k].column);
        io_trace_free(&t);
    }
}

static void refuse_record(srt_record r, const char *what)
{
    static const srt_record good = {1, 1, 700, 0, 10, 20, 512, 0, 0, 1};
    char bytes[SRT_BYTES];
    for (unsigned big = 0; big < 2; big++) {
        io_trace t;
        ik_error err = {0};
        size_t size = put_record(bytes, put_record(bytes, 0, &good, big), &r, big);
        assert_int_equal(io_trace_read_memory(&t, bytes, size, "trace", NULL, &whole_trace, &err),
                         IK_ERR_INPUT);
        if (!strstr(err.text, "record 2") || !strstr(err.text, what))
            fail_msg("%s, expected %s", err.text, what);
        io_trace_free(&t);
    }
}

static void test_refused_records(void **state)
{
    (void)state;
    refuse_record((srt_record){1, 1, 700, 1000000, 0, 0, 512, 0, 0, 1}, "less than 1000000 us");
    refuse_record((srt_record){1, 1, 700, 0, 0, 0, 511, 0, 0, 1}, "whole sectors");
    refuse_record((srt_record){1, 1, 700, 0, 0, 0, 0xfffffe00u, 0, 0, 1}, "not -512 B");
    refuse_record((srt_record){1, 1, 700, 0, 9, 8, 512, 0, 0, 1}, "a completion after it");
    refuse_record((srt_record){1, 1, 700, 0, 9, 0xffffffffu, 512, 0, 0, 1}, "and -1 us");
    refuse_record((srt_record){5, 1, 700, 0, 0, 0, 512, 0, 0, 1}, "version 5, type 1");
    refuse_record((srt_record){1, 2, 700, 0, 0, 0, 512, 0, 0, 1}, "version 1, type 2");
    refuse_record((srt_record){1, 1, 639, 0, 0, 0, 512, 0, 0, 1}, "61 s before one above");
}

/* ---- windows, order, what is left unread */

static io_trace read_window(const char *text, const char *format, io_window w)
{
    io_trace t;
    ik_error err = {0};
    if (io_trace_read_memory(&t, text, strlen(text), "trace", format, &w, &err) != IK_OK)
        fail_msg("%s: %u:%u %s", text, err.line, err.column, err.text);
    return t;
}

static void test_window(void **state)
{
    (void)state;
    static const char spc[] = "0,0,512,W,1\n0,1,512,W,2\n0,2,512,W,3\n0,3,512,W,3\n0,4,512,W,4\n"
                              "0,4,512,W,5\nnever read\n";
    const uint64_t s = 1000000000;
    io_trace t = read_window(spc, "spc", (io_window){2 * s, 2 * s, UINT32_MAX, 0});
    assert_int_equal(t.num, 3);
    assert_int_equal(t.list[0].ns, 0);
    assert_int_equal(t.list[2].ns, s);
    assert_int_equal(t.list[2].line, 4);
    io_trace_free(&t);
    t = read_window(spc, "spc", (io_window){2 * s, IO_UNKNOWN, 2, 0});
    assert_int_equal(t.num, 2);
    assert_int_equal(t.list[1].line, 3);
    io_trace_free(&t);
    ik_error err = {0};
    io_window late = {9 * s, s, UINT32_MAX, 0};
    assert_int_equal(io_trace_read_memory(&t, spc, strlen(spc) - strlen("never read\n"), "trace",
                                          "spc", &late, &err),
                     IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "no access lies in the window"));
    assert_non_null(strstr(err.hint, "ends after 5 s"));
    io_trace_free(&t);
}

/* Of a wall clock the beginning is the earliest access, wherever it stands; the disks of what lies
 * outside are none. */
static void test_wall_clock(void **state)
{
    (void)state;
    static const char msr[] = "128166372000000000,a,0,Read,0,512,10\n"
                              "128166371700000000,b,0,Read,0,512,10\n" /* 30 s earlier */
                              "128166372100000000,a,1,Read,0,512,10\n"
                              "128166372700000000,a,2,Read,0,512,10\n";
    const uint64_t s = 1000000000;
    io_trace t = read_window(msr, NULL, (io_window){30 * s, 11 * s, UINT32_MAX, 0});
    assert_int_equal(t.num, 2);
    assert_int_equal(t.num_disks, 2);
    assert_int_equal(t.list[0].ns, 0);
    assert_int_equal(t.list[1].ns, 10 * s);
    assert_memory_equal(t.disk_names[1].at, "a.1", 3);
    io_trace_free(&t);
    t = read_window(msr, NULL, (io_window){0, IO_UNKNOWN, 1, 0});
    assert_int_equal(t.list[0].line, 2);
    assert_memory_equal(t.disk_names[0].at, "b.0", 3);
    io_trace_free(&t);
}

/* The first accesses by time of any order, the k-th of the same time by lines. */
static void test_limit(void **state)
{
    (void)state;
    enum { LINES = 300, MOST = 70 };
    char text[LINES * 48] = CSV_HEAD;
    ik_rng rng = ik_rng_at(7, IK_RNG_TRAFFIC_SETUP, 0);
    for (unsigned k = 0; k < LINES; k++)
        sprintf(text + strlen(text), "%u,,d%u,R,0,%u,\n", ik_rng_below(&rng, 40),
                ik_rng_below(&rng, 12), k + 1);
    io_trace all = read_window(text, NULL, whole_trace);
    io_trace first = read_window(text, NULL, (io_window){0, IO_UNKNOWN, MOST, 0});
    assert_int_equal(all.num, LINES);
    assert_int_equal(first.num, MOST);
    for (unsigned k = 1; k < LINES; k++)
        assert_true(
            all.list[k].ns > all.list[k - 1].ns ||
            (all.list[k].ns == all.list[k - 1].ns && all.list[k].bytes > all.list[k - 1].bytes));
    for (unsigned k = 0; k < MOST; k++)
        assert_int_equal(first.list[k].bytes, all.list[k].bytes);
    assert_memory_equal(all.disk_names[2].at, "d2", 2); /* before d10 */
    assert_memory_equal(all.disk_names[10].at, "d10", 3);
    io_trace_free(&all);
    io_trace_free(&first);
}

/* Numbers within names by their values. */
static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"d", "d01", "d2a", "d2b", "d010", "d11", "e"};
    static const char *const lines[] = {"d11", "e", "d2b", "d010", "d", "d01", "d2a"};
    char text[400] = CSV_HEAD;
    for (unsigned k = 0; k < 7; k++)
        sprintf(text + strlen(text), "0,,%s,R,0,1,\n", lines[k]);
    io_trace t = read_window(text, NULL, whole_trace);
    assert_int_equal(t.num_disks, 7);
    for (unsigned k = 0; k < 7; k++) {
        assert_int_equal(t.disk_names[k].length, strlen(names[k]));
        assert_memory_equal(t.disk_names[k].at, names[k], strlen(names[k]));
    }
    io_trace_free(&t);
}

/* Completions belong to the first access of the same sectors that waits, and those of accesses that
 * are not there to nobody. */
static void test_completions(void **state)
{
    (void)state;
    static const char text[] = "8,0 0 1 0.1 7 C R 8 + 8 [0]\n"
                               "8,0 0 2 0.2 7 D R 8 + 8 [a]\n"
                               "8,0 0 3 0.3 7 D R 8 + 8 [a]\n"
                               "8,1 0 4 0.4 7 D R 8 + 8 [a]\n"
                               "8,0 0 5 0.5 7 C R 8 + 4 [0]\n"
                               "8,0 0 6 0.6 7 C R 8 + 8 [0]\n"
                               "8,0 0 7 0.7 7 C R 8 + 8 [0]\n"
                               "8,0 0 8 0.8 7 C R 8 + 8 [0]\n";
    io_trace t = read_window(text, "blkparse", whole_trace);
    assert_int_equal(t.num, 3);
    assert_int_equal(t.list[0].done_ns, 600000000);
    assert_int_equal(t.list[1].done_ns, 700000000);
    assert_true(t.list[2].done_ns == IO_UNKNOWN);
    assert_int_equal(t.num_unknown, 1);
    assert_int_equal(t.first_unknown, 4);
    io_trace_free(&t);
}

/* Many accesses of one sector that wait at once take no longer than others: read in seconds, 10^10
 * steps are not. */
static void test_many_pending(void **state)
{
    (void)state;
    enum { MANY = 200000, LINE = 48 };
    char *text = malloc(2 * (size_t)MANY * LINE);
    size_t used = 0;
    assert_non_null(text);
    for (unsigned k = 0; k < 2 * MANY; k++)
        used +=
            (size_t)sprintf(text + used, "8,0 0 1 0.%09u 7 %c R 8 + 8\n", k, k < MANY ? 'D' : 'C');
    io_trace t = read_window(text, "blkparse", whole_trace);
    assert_int_equal(t.num, MANY);
    for (unsigned k = 0; k < MANY; k++)
        assert_int_equal(t.list[k].done_ns - t.list[k].ns, MANY);
    io_trace_free(&t);
    free(text);
}

/* ---- files */

static void test_packed(void **state)
{
    (void)state;
    char path[] = "/tmp/ikat_io_XXXXXX", bytes[SRT_BYTES];
    size_t size = put_srt(bytes, true, true);
    assert_true(io_write(path, "", 0));
    gzFile out = gzopen(path, "wb");
    assert_int_equal(gzwrite(out, bytes, (unsigned)size), (int)size);
    gzclose(out);
    io_trace t;
    ik_error err = {0};
    assert_int_equal(io_trace_read(&t, path, NULL, &whole_trace, NULL, &err), IK_OK);
    expect_sample(&srt_sample, &t);
    io_trace_free(&t);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),     cmocka_unit_test(test_cut),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_refused_records),
        cmocka_unit_test(test_window),      cmocka_unit_test(test_wall_clock),
        cmocka_unit_test(test_limit),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_completions), cmocka_unit_test(test_many_pending),
        cmocka_unit_test(test_packed),      cmocka_unit_test(test_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
