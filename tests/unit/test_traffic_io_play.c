/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of block I/O as traffic: times of messages by hand, who has which disk and who asks, what
 * is refused, and that a trace that was written is the same workload. */
#include "workload_helper.h"

#include "io_samples.h"

/* When all is done of a trace on an ideal crossbar of `hosts`, ps: n bytes take 80 n + 20,000. */
static uint64_t completion_of(const char *text, const char *more, uint32_t hosts)
{
    char path[] = "/tmp/ikat_io_XXXXXX", spec[300];
    assert_true(io_write(path, text, strlen(text)));
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
    assert_true(io_write(path, text, strlen(text)));
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
    assert_true(io_write(places, lines, strlen(lines)));
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

/* A number that was cut is a number: that a line has no end is said. */
static void test_no_end(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("crossbar:n=4");
    for (unsigned cut = 0; cut < 2; cut++) {
        ik_traffic *t = traffic_of_text(
            f, cut ? CSV_HEAD "0,9,a,R,0,4096,1" : CSV_HEAD "0,9,a,R,0,4096,1\n", "");
        assert_int_equal(strstr(t->note, "the last line has no end") != NULL, cut);
        ik_traffic_free(t);
    }
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
    assert_true(io_write(path, text, strlen(text)));
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
    refuse_text("0,0,4096,R,1.0\n", "", "no time of completion of 1 of 1");
    refuse_text("0,0,4096,R,1.0\n", "", "'service'");
    refuse_text(one, ",duration=0 s", "a window of 0 s");
    refuse_text(one, ",compression=0.001,processes=1", "1 disk and 1 process");
    refuse_text("disks=4\n" CSV_HEAD "0,0,1,R,0,1,0\n", "", "4 disks and 4 processes");
    refuse_text(CSV_HEAD "0,1000000000000001,a,R,0,1,0\n", "", "is the maximum");
    refuse_text("root:x:0:0\n", "", "does not say what format");
    /* ikat's own without its first line: each of its lines could be one of spc as well */
    refuse_text("1500,21500,4,R,0,8192,17\n", "", "does not say what format");
    refuse_text("0,0,4096,R,1.5\n", "", "read as format spc: no time of completion");
}

static void test_refused_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        unsigned line, column;
    } cases[] = {
        {"", "no line is for disk 'a'", 0, 0},    {"a 1\nb\n", "a process", 2, 2},
        {"a 1\nb 4\n", "up to 3", 2, 3},          {"a 1\na 2\n", "no line yet", 2, 1},
        {"a 1 2\n", "the end of the line", 1, 5}, {"a 1\nc 2\n", "no line is for disk 'b'", 0, 0}};
    static const char trace[] = CSV_HEAD "0,1,a,R,0,1,\n0,1,b,R,0,1,\n";
    ik_fabric *f = fabric_of("crossbar:n=4");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[] = "/tmp/ikat_io_XXXXXX", places[] = "/tmp/ikat_io_XXXXXX", spec[300];
        ik_traffic *t = NULL;
        ik_error err = {0};
        assert_true(io_write(path, trace, strlen(trace)));
        assert_true(io_write(places, cases[k].text, strlen(cases[k].text)));
        snprintf(spec, sizeof spec, "storage:trace=%s,placement=%s", path, places);
        assert_int_equal(ik_traffic_from_spec(f, spec, NULL, &t, &err), IK_ERR_INPUT);
        if (!strstr(err.text, cases[k].words) || err.line != cases[k].line ||
            err.column != cases[k].column || strcmp(err.file, places) != 0)
            fail_msg("%s: %s:%u:%u %s", cases[k].text, err.file, err.line, err.column, err.text);
        unlink(path);
        unlink(places);
    }
    refuse_text(trace, ",processes=2", "2 disks and 2 processes");
    ik_fabric_free(f);
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
            assert_true(io_write(path, text, size));
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
        cmocka_unit_test(test_times),           cmocka_unit_test(test_placement),
        cmocka_unit_test(test_no_end),          cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_refused_traffic), cmocka_unit_test(test_refused_places),
        cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
