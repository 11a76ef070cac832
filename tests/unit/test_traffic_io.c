/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of block I/O: what each format says, windows and limits, what is refused and where, files
 * cut at every byte, the messages that come of it by hand, and that a trace that was written is the
 * same workload. */
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
    refuse_record((srt_record){1, 1, 700, 0, 9, 8, 512, 0, 0, 1}, "a completion behind it");
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

/* ---- files and traffic */

static void write_file(char *path, const char *text, size_t size)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
    close(fd);
}

static void test_packed(void **state)
{
    (void)state;
    char path[] = "/tmp/ikat_io_XXXXXX", bytes[SRT_BYTES];
    size_t size = put_srt(bytes, true, true);
    write_file(path, "", 0);
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

/* When all is done of a trace on an ideal crossbar of `hosts`, ps: n bytes take 80 n + 20,000. */
static uint64_t completion_of(const char *text, const char *more, uint32_t hosts)
{
    char path[] = "/tmp/ikat_io_XXXXXX", spec[300];
    write_file(path, text, strlen(text));
    snprintf(spec, sizeof spec, "storage:trace=%s%s", path, more);
    uint64_t ps = completion(spec, hosts);
    unlink(path);
    return ps;
}

#define REQUEST (64 * 80 + 20000)   /* ps */
#define PAGE    (4096 * 80 + 20000) /* ps */
#define US      1000000

static void test_times(void **state)
{
    (void)state;
    static const char one[] = CSV_HEAD "1000,5000,a,R,0,4096,0\n";
    static const char written[] = CSV_HEAD "1000,1000,a,W,0,4096,0\n";
    static const char chain[] = CSV_HEAD "1000,5000,a,R,0,4096,0\n6000,7000,a,W,0,4096,0\n";
    static const char overlap[] = CSV_HEAD "1000,5000,a,R,0,64,0\n2000,6000,a,R,0,64,0\n";
    /* open: the answer at its time, which the request does not shift */
    assert_int_equal(completion_of(one, "", 2), 5 * US + PAGE);
    assert_int_equal(completion_of(one, ",compression=2", 2), 5 * US / 2 + PAGE);
    assert_int_equal(completion_of(one, ",control=1 KiB", 2), 5 * US + PAGE);
    /* a write: the data, then a small answer, as its time is over when the data come */
    assert_int_equal(completion_of(written, "", 2), US + PAGE + REQUEST);
    /* closed: so long after the request */
    assert_int_equal(completion_of(one, ",loop=closed", 2), 5 * US + REQUEST + PAGE);
    assert_int_equal(completion_of(one, ",loop=closed,compression=2", 2),
                     5 * US / 2 + REQUEST + PAGE);
    /* the second 1 us after the answer to the first has come; open: at its time */
    assert_int_equal(completion_of(chain, ",loop=closed", 2),
                     5 * US + REQUEST + PAGE + US + PAGE + US + REQUEST);
    assert_int_equal(completion_of(chain, "", 2), 7 * US + REQUEST);
    /* what overlapped in the trace overlaps */
    assert_int_equal(completion_of(overlap, ",loop=closed", 2), 6 * US + 2 * REQUEST);
    /* a window: the run begins at `from` */
    assert_int_equal(completion_of(chain, ",from=5 us", 2), 2 * US + REQUEST);
    assert_int_equal(completion_of(chain, ",duration=2 us", 2), 5 * US + PAGE);
    assert_int_equal(completion_of(chain, ",accesses=1", 2), 5 * US + PAGE);
    /* a trace without completions */
    assert_int_equal(completion_of("0,0,4096,R,0.000001\n", ",service=4 us,service_times=fixed", 2),
                     5 * US + PAGE);
}

/* Sums of the bytes between hosts of class 0 or 1. */
static uint64_t bytes_between(const ik_workload *w, uint32_t from, uint32_t to, unsigned number)
{
    uint64_t bytes = 0;
    const ik_graph *g = w->graph;
    for (uint32_t op = g->host_first[from]; op < g->host_first[from + 1]; op++)
        if (g->kind[op] == IK_OP_SEND && g->ops[op].peer == to && g->op_class[op] == number)
            bytes += g->ops[op].amount;
    return bytes;
}

static ik_traffic *traffic_of_text(const ik_fabric *f, const char *text, const char *more)
{
    char path[] = "/tmp/ikat_io_XXXXXX", spec[300];
    write_file(path, text, strlen(text));
    snprintf(spec, sizeof spec, "storage:trace=%s%s", path, more);
    ik_traffic *t = traffic_of(f, spec);
    unlink(path);
    return t;
}

/* Who has which disk, and who asks. */
static void test_placement(void **state)
{
    (void)state;
    static const char text[] = CSV_HEAD "0,0,x,R,0,1000,0\n0,0,y,W,0,2000,1\n0,0,z,R,0,3000,9\n";
    char places[] = "/tmp/ikat_io_XXXXXX", more[100];
    static const char lines[] = "# disks\nz 5\nx 7 # of process 7\n\nother 0\ny 5\n";
    write_file(places, lines, strlen(lines));
    snprintf(more, sizeof more, ",placement=%s", places);
    const struct {
        const char *more;
        uint32_t disk[3], client[3];
    } cases[] = {{"", {0, 2, 5}, {1, 3, 7}}, /* clients 1 3 4 6 7: 9 is 9 mod 5 */
                 {",placement=even", {0, 2, 5}, {1, 3, 7}},
                 {",placement=first", {0, 1, 2}, {3, 4, 7}},
                 {",placement=last", {5, 6, 7}, {0, 1, 4}},
                 {more, {7, 5, 5}, {0, 1, 3}}}; /* 0 1 2 3 4 6: 9 is 9 mod 6 */
    ik_fabric *f = fabric_of("crossbar:n=8");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_traffic *t = traffic_of_text(f, text, cases[k].more);
        for (unsigned d = 0; d < 3; d++) {
            uint32_t disk = cases[k].disk[d], client = cases[k].client[d];
            uint64_t bytes = 1000 * (d + 1), request = d == 1 ? bytes : 64;
            assert_int_equal(bytes_between(t->workload, client, disk, 0), request);
            assert_int_equal(bytes_between(t->workload, disk, client, 1), bytes + 64 - request);
        }
        assert_non_null(strstr(t->note, "3 accesses of 3 disks in format csv"));
        ik_traffic_free(t);
    }
    unlink(places);
    ik_fabric_free(f);
}

/* Accesses of one process go to one host, those of many to all, by the seed. */
static void test_hosts(void **state)
{
    (void)state;
    char text[400 * 40] = "";
    for (unsigned k = 0; k < 400; k++)
        sprintf(text + strlen(text), "8,0 0 %u 0.%06u %u D R 8 + 8 [a]\n", k, k, k % 40);
    ik_fabric *f = fabric_of("crossbar:n=5");
    uint64_t sums[2][5] = {{0}};
    for (unsigned seed = 0; seed < 2; seed++) {
        ik_traffic *t = traffic_of_text(f, text, seed ? ",service=1 us,seed=2" : ",service=1 us");
        for (uint32_t host = 1; host < 5; host++) {
            sums[seed][host] = bytes_between(t->workload, 0, host, 1);
            assert_true(sums[seed][host] > 0 && sums[seed][host] % (10 * 4096) == 0);
        }
        ik_traffic_free(t);
    }
    assert_memory_not_equal(sums[0], sums[1], sizeof sums[0]);
    ik_fabric_free(f);
}

static void refuse_text(const char *text, const char *more, const char *what)
{
    ik_fabric *f = fabric_of("crossbar:n=4");
    char path[] = "/tmp/ikat_io_XXXXXX", spec[300];
    ik_traffic *t = NULL;
    ik_error err = {0};
    write_file(path, text, strlen(text));
    snprintf(spec, sizeof spec, "storage:trace=%s%s", path, more);
    assert_int_not_equal(ik_traffic_from_spec(f, spec, NULL, &t, &err), IK_OK);
    if (!strstr(err.text, what) && !strstr(err.hint, what))
        fail_msg("%s: %s (%s), expected %s", more, err.text, err.hint, what);
    unlink(path);
    ik_fabric_free(f);
}

static void test_refused_traffic(void **state)
{
    (void)state;
    static const char one[] = CSV_HEAD "1000,5000,a,R,0,4096,0\n";
    static const char *const silent[] = {"disks=2", "bytes=1 KiB",   "sizes=geometric", "reads=1",
                                         "skew=2",  "burst_gap=1 s", "burst=1"};
    static const refusal unread[] = {
        {"storage:from=1 s", "without trace"},
        {"storage:format=msr", "without trace"},
        {"storage:placement=nowhere", "cannot be opened"},
        {"storage:sizes=nowhere", "cannot be opened"},
        {"storage:sizes=" TEST_DATA "/sizes.txt,bytes=1 KiB", "no effect"}};
    for (size_t k = 0; k < sizeof silent / sizeof *silent; k++) {
        char more[60];
        snprintf(more, sizeof more, ",%s", silent[k]);
        refuse_text(one, more, "with trace");
    }
    check_refusals("crossbar:n=4", unread, sizeof unread / sizeof *unread);
    refuse_text(one, ",service=1 us", "a time of service has no effect");
    refuse_text(one, ",service_times=fixed", "a time of service has no effect");
    refuse_text("0,0,4096,R,1\n", "", "no time of completion of 1 of 1");
    refuse_text("0,0,4096,R,1\n", "", "'service'");
    refuse_text(one, ",duration=0 s", "a window of 0 s");
    refuse_text(one, ",compression=0.001,processes=1", "1 disks and 1 processes");
    refuse_text("disks=4\n" CSV_HEAD "0,0,1,R,0,1,0\n", "", "4 disks and 4 processes");
    refuse_text(CSV_HEAD "0,1000000000000001,a,R,0,1,0\n", "", "is the most");
    refuse_text("root:x:0:0\n", "", "does not say what format");
}

/* ---- written and read again */

static char *goal_of(const ik_traffic *t, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    assert_int_equal(ik_workload_write_goal(t->workload, out, NULL), IK_OK);
    fclose(out);
    return text;
}

static void expect_same_graph(const ik_graph *a, const ik_graph *b)
{
    assert_int_equal(a->num_ops, b->num_ops);
    assert_memory_equal(a->ops, b->ops, a->num_ops * sizeof *a->ops);
    assert_memory_equal(a->kind, b->kind, a->num_ops);
    assert_memory_equal(a->op_class, b->op_class, a->num_ops * sizeof *a->op_class);
    assert_memory_equal(a->after_first, b->after_first, a->num_ops * sizeof *a->after_first);
    assert_memory_equal(a->after, b->after, a->after_first[a->num_ops] * sizeof *a->after);
    assert_memory_equal(a->waits, b->waits, a->num_ops * sizeof *a->waits);
}

static void test_round_trip(void **state)
{
    (void)state;
    static const char *const made[] = {
        "disks=5,accesses=700",
        "disks=5,accesses=700,sizes=geometric,bytes=20 KiB,reads=20%,service_times=fixed",
        "disks=12,accesses=3,seed=9", /* most disks are not used */
        "disks=3,accesses=500,placement=first,mapping=random,hosts=3..16",
    };
    static const char *const played[] = {"", ",compression=7.3", ",loop=closed",
                                         ",control=2 KiB,compression=0.1"};
    ik_fabric *f = fabric_of("karytree:k=2,n=5");
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        for (size_t n = 0; n < sizeof played / sizeof *played; n++) {
            char spec[300], path[] = "/tmp/ikat_io_XXXXXX", *text = NULL, *again = NULL;
            size_t size = 0, size_again = 0;
            snprintf(spec, sizeof spec, "storage:%s%s", made[k], played[n]);
            ik_traffic *t = traffic_of(f, spec);
            FILE *out = open_memstream(&text, &size);
            assert_int_equal(ik_traffic_write_trace(t, out, NULL), IK_OK);
            fclose(out);
            write_file(path, text, size);
            const char *place = strstr(made[k], "placement=");
            snprintf(spec, sizeof spec, "storage:trace=%s%s%s%s", path, played[n], place ? "," : "",
                     place ? place : "");
            ik_traffic *b = traffic_of(f, spec);
            expect_same_graph(t->workload->graph, b->workload->graph);
            out = open_memstream(&again, &size_again);
            assert_int_equal(ik_traffic_write_trace(b, out, NULL), IK_OK);
            fclose(out);
            assert_int_equal(size, size_again);
            assert_memory_equal(text, again, size);
            unlink(path);
            free(text);
            free(again);
            ik_traffic_free(t);
            ik_traffic_free(b);
        }
    ik_fabric_free(f);
}

/* Programs have no time without a processor; other traffic has no accesses; CSV has no commas. */
static void test_not_written(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("crossbar:n=4");
    ik_error err = {0};
    ik_traffic *closed = traffic_of(f, "storage:accesses=3,loop=closed");
    ik_traffic *open = traffic_of(f, "storage:accesses=3"), *other = traffic_of(f, "uniform");
    ik_traffic *comma =
        traffic_of_text(f, "fio version 3 iolog\n5 /a,b read 0 512\n", ",service=1 us");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(ik_workload_write_goal(closed->workload, out, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "no processor"));
    assert_int_equal(ik_traffic_write_trace(other, out, &err), IK_ERR_UNSUPPORTED);
    assert_int_equal(ik_traffic_write_trace(comma, out, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "comma"));
    fclose(out);
    free(text);
    text = goal_of(open, &size);
    assert_non_null(strstr(text, "num_ranks 4"));
    free(text);
    ik_traffic_free(closed);
    ik_traffic_free(open);
    ik_traffic_free(other);
    ik_traffic_free(comma);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),         cmocka_unit_test(test_cut),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_refused_records),
        cmocka_unit_test(test_window),          cmocka_unit_test(test_wall_clock),
        cmocka_unit_test(test_limit),           cmocka_unit_test(test_completions),
        cmocka_unit_test(test_packed),          cmocka_unit_test(test_times),
        cmocka_unit_test(test_placement),       cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_refused_traffic), cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
