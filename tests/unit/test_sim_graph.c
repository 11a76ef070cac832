/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependency graphs from GOAL programs: closed forms on a crossbar, random programs against a plain
 * reference, wildcards, engines and threads, what is missing, refusals with their places. */
#include "goal_model.h"
#include "sim_run_by.h"
#include "unit/part.h"

#include <unistd.h>

#define ENDS  "until=delivered;at_most=50 ms"
#define SMALL "packet=256 B"

/* ---- programs in files */

typedef struct program_file {
    char path[40], spec[120];
} program_file;

static FILE *open_program(program_file *f, const char *parameters)
{
    snprintf(f->path, sizeof f->path, "/tmp/ikat_goal_XXXXXX");
    int fd = mkstemp(f->path);
    assert_true(fd >= 0);
    snprintf(f->spec, sizeof f->spec, "graph:path=%s%s", f->path, parameters);
    return fdopen(fd, "w");
}

/* Ranks, one text each. */
static program_file write_program(const char *const *ranks, unsigned num, const char *parameters)
{
    program_file f;
    FILE *to = open_program(&f, parameters);
    fprintf(to, "num_ranks %u\n", num);
    for (unsigned r = 0; r < num; r++)
        fprintf(to, "rank %u {\n%s\n}\n", r, ranks[r]);
    fclose(to);
    return f;
}

static ik_sim_result run_ranks(const char *const *ranks, unsigned num, const char *parameters,
                               const char *adapter)
{
    program_file f = write_program(ranks, num, parameters);
    ik_sim_result r = simulate((scenario){.fabric = "crossbar:n=4,latency=10 ns,link_rate=100 Gb/s",
                                          .routing = "minimal",
                                          .traffic = f.spec,
                                          .sw = "model=ideal",
                                          .adapter = adapter,
                                          .measure = ENDS ";paranoid=true",
                                          .load = 1});
    unlink(f.path);
    return r;
}

/* The critical path reaches from the end to time 0, without gaps. */
static void check_path(const char *what, const ik_sim_result *r)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < IK_PATH_KINDS; k++)
        sum += r->critical_path.kind_ps[k];
    if (r->completed && sum != r->completion_ps)
        fail_msg("%s: a critical path of %llu ps, completed at %llu", what, (unsigned long long)sum,
                 (unsigned long long)r->completion_ps);
}

/* ---- closed forms: a byte takes 80 ps, a message twice 10 ns more */

enum { NS = 1000, BYTE = 80, PATH = 20 * NS };

typedef struct form {
    const char *what, *parameters, *ranks[4];
    uint64_t finish[4]; /* of each host */
} form;

static const form forms[] = {
    {"ping-pong",
     "",
     {"l1: calc 1000\nl2: send 4096b to 1 tag 7\nl3: recv 4096b from 1 tag 8\nl2 requires l1",
      "l1: recv 4096b from 0 tag 7\nl2: send 4096b to 0 tag 8 cpu 0 nic 0\nl2 requires l1"},
     {1000 * NS + 2 * (4096 * BYTE + PATH), 1000 * NS + 2 * 4096 * BYTE + PATH}},
    {"LogGOPS: o + L + o",
     ",overhead=1500 ns,eager=65535 B",
     {"send 1b to 1", "recv 1b from 0"},
     {1500 * NS, 3000 * NS + BYTE + PATH}},
    {"a processor is busy with overheads, sends first",
     ",overhead=100 ns,eager=1 KiB",
     {"a: calc 1000\nb: send 1b to 1\nc: send 1b to 2", "recv 1b from 0", "recv 1b from 0"},
     {1200 * NS, 200 * NS + BYTE + PATH, 300 * NS + BYTE + PATH}},
    {"requires",
     "",
     {"a: calc 1000\nb: send 1b to 1\nb requires a", "recv 1b from 0"},
     {1000 * NS + BYTE, 1000 * NS + BYTE + PATH}},
    {"irequires",
     "",
     {"a: calc 1000\nb: send 1b to 1\nb irequires a", "recv 1b from 0"},
     {1000 * NS, BYTE + PATH}},
    {"a start is when the processor begins",
     "",
     {"a: calc 1000\nb: calc 500\nc: send 1b to 1\nc irequires b", "recv 1b from 0"},
     {1500 * NS, 1000 * NS + BYTE + PATH}},
    {"a receive has begun before its message is there",
     "",
     {"a: recv 1b from 1\nb: send 1b to 1\nb irequires a",
      "a: recv 1b from 0\nb: send 1b to 0\nb requires a"},
     {2 * (BYTE + PATH), 2 * BYTE + PATH}},
    {"one processor",
     "",
     {"calc 700\ncalc 300\nsend 1b to 1", "recv 1b from 0"},
     {1000 * NS, BYTE + PATH}},
    {"two processors",
     "",
     {"calc 700\ncalc 300 cpu 1\nsend 1b to 1", "recv 1b from 0"},
     {700 * NS, BYTE + PATH}},
    {"a message to itself",
     "",
     {"a: calc 5\nb: send 1000000b to 0\nb requires a\nc: recv 1000000b from 0\nd: calc 5\nd "
      "requires c\ne: send 1b to 1",
      "recv 1b from 0"},
     {10 * NS, BYTE + PATH}},
    {"a send is done when it has left",
     "",
     {"a: send 4096b to 1\nb: calc 1000\nb requires a", "recv 4096b from 0"},
     {1000 * NS + 4096 * BYTE, 4096 * BYTE + PATH}},
    {"a small send is done at once",
     ",eager=8 KiB",
     {"a: send 4096b to 1\nb: calc 1000\nb requires a", "recv 4096b from 0"},
     {1000 * NS, 4096 * BYTE + PATH}},
    {"a large send is done when its receive is, and that is known",
     ",eager=1000 B",
     {"a: send 4096b to 1\nb: calc 1000\nb requires a",
      "a: calc 5000\nb: recv 4096b from 0\nb requires a"},
     {6000 * NS + BYTE + PATH, 5000 * NS}},
    {"a large send that any receive takes",
     ",eager=1000 B",
     {"a: send 4096b to 1\nb: calc 1000\nb requires a",
      "a: calc 5000\nb: recv 4096b from -1 tag -1\nb requires a"},
     {6000 * NS + BYTE + PATH, 5000 * NS}},
    {"a large send, with overheads: acknowledgements take none",
     ",eager=1000 B,overhead=50 ns",
     {"a: send 4096b to 1\nb: calc 1000\nb requires a",
      "a: calc 5000\nb: recv 4096b from 0\nb requires a"},
     {6050 * NS + BYTE + PATH, 5050 * NS}},
    {"zero bytes are one", "", {"send 0b to 1", "recv 0b from 0"}, {BYTE, BYTE + PATH}},
    {"the earliest arrival, and its tag",
     "",
     {"a: recv 8b from -1 tag 3\nb: calc 100\nb requires a\nc: recv 8b from -1 tag 3\nc requires "
      "b\nd: calc 100\nd requires c",
      "a: calc 900\nb: send 8b to 0 tag 3\nb requires a",
      "a: calc 400\nb: send 8b to 0 tag 3\nb requires a"},
     {1000 * NS + 8 * BYTE + PATH, 900 * NS + 8 * BYTE, 400 * NS + 8 * BYTE}},
    {"a later message does not overtake: -1 takes the large one first",
     "",
     {"a: recv 8b from 1 tag -1\nb: calc 1000\nb requires a\nc: recv 8b from 1 tag -1\nc requires "
      "b",
      "send 65536b to 0 tag 1\nsend 8b to 0 tag 2"},
     {1000 * NS + 65544 * BYTE + PATH, 65544 * BYTE}},
};

static void test_closed_forms(void **state)
{
    (void)state;
    for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++) {
        unsigned num = 0;
        while (num < 4 && forms[k].ranks[num])
            num++;
        ik_sim_result r = run_ranks(forms[k].ranks, num, forms[k].parameters, SMALL);
        if (!r.completed)
            fail_msg("%s: %s", forms[k].what, r.missing_text);
        check_path(forms[k].what, &r);
        for (unsigned h = 0; h < num; h++)
            if (r.host_finish_ps[h] != forms[k].finish[h])
                fail_msg("%s: host %u is done at %llu ps, expected %llu", forms[k].what, h,
                         (unsigned long long)r.host_finish_ps[h],
                         (unsigned long long)forms[k].finish[h]);
        sim_result_clear(&r);
    }
}

/* Two messages of one host, in packets of 256 B: they take turns. */
static void test_turns(void **state)
{
    static const char *const ranks[] = {"send 1024b to 1\nsend 512b to 2", "recv 1024b from 0",
                                        "recv 512b from 0"};
    (void)state;
    ik_sim_result r = run_ranks(ranks, 3, "", SMALL);
    assert_int_equal(r.host_finish_ps[1], 1536 * BYTE + PATH);
    assert_int_equal(r.host_finish_ps[2], 1024 * BYTE + PATH);
    sim_result_clear(&r);
}

/* ---- random programs against the reference */

static void compare_with_model(uint64_t seed, uint32_t wild, uint64_t overhead, bool eager,
                               unsigned *completed)
{
    static model m;
    char parameters[60], fabric[80];
    program_file f;
    memset(&m, 0, sizeof m);
    model_draw(&m, seed, wild);
    m.overhead = overhead * NS;
    m.eager = eager ? 4096 : UINT64_MAX;
    m.latency = 10 * NS;
    m.ps_per_byte = BYTE;
    snprintf(parameters, sizeof parameters, ",overhead=%llu ns%s", (unsigned long long)overhead,
             eager ? ",eager=4096 B" : "");
    snprintf(fabric, sizeof fabric, "crossbar:n=%d,latency=10 ns,link_rate=100 Gb/s", m.ranks);
    FILE *to = open_program(&f, parameters);
    model_write(&m, to);
    fclose(to);
    scenario c = {.fabric = fabric,
                  .routing = "minimal",
                  .traffic = f.spec,
                  .sw = "model=ideal",
                  .adapter = SMALL,
                  .measure = ENDS,
                  .load = 1};
    ik_env env = {.seed = 1};
    ik_fabric *on = NULL;
    ik_traffic *t = NULL;
    ik_error err = {0};
    assert_int_equal(ik_fabric_from_spec(fabric, &env, &on, &err), IK_OK);
    ik_status status = ik_traffic_from_spec(on, f.spec, &env, &t, &err);
    ik_traffic_free(t);
    ik_fabric_free(on);
    bool lonely = status == IK_ERR_INPUT && strstr(err.text, "between two hosts");
    if (lonely || (wild && status == IK_ERR_INPUT)) { /* more wait for one source than it sends */
        *completed += lonely;
        unlink(f.path);
        return;
    }
    bool all = model_run(&m);
    *completed += all;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
        for (unsigned any = 0; any < 2; any++) {
            c.threads = threads;
            ik_sim_result r = run_by(any ? NULL : &sim_general_engine, c);
            if (r.completed != all)
                fail_msg("program %llu: %s", (unsigned long long)seed,
                         all ? r.missing_text : "completed");
            check_path("random program", &r);
            for (int h = 0; h < m.ranks; h++)
                if (r.host_finish_ps[h] != m.finish[h])
                    fail_msg("program %llu, %u threads: host %d is done at %llu ps, expected %llu",
                             (unsigned long long)seed, threads, h,
                             (unsigned long long)r.host_finish_ps[h],
                             (unsigned long long)m.finish[h]);
            sim_result_clear(&r);
        }
    unlink(f.path);
}

static void test_random_programs(void **state)
{
    (void)state;
    unsigned completed = 0, cases = getenv("IKAT_TEST_ALL") ? 3000 : 150;
    for (unsigned k = 0; k < cases; k++)
        compare_with_model(k, 0, k % 3 == 0 ? 0 : 37 * (k % 3), k % 2, &completed);
    assert_int_equal(completed, cases);
}

static void test_random_wildcards(void **state)
{
    (void)state;
    unsigned completed = 0, cases = getenv("IKAT_TEST_ALL") ? 3000 : 150;
    for (unsigned k = 0; k < cases; k++)
        compare_with_model(10000 + k, 1 + k % 7, k % 3 == 0 ? 0 : 37 * (k % 3), k % 2, &completed);
    print_message("%u of %u programs with wildcards completed\n", completed, cases);
    assert_true(completed > cases / 4 && completed < cases);
}

/* ---- engines and threads, on fabrics where messages meet */

static void write_crowd(FILE *to, unsigned hosts, bool any)
{
    fprintf(to, "num_ranks %u\n", hosts);
    for (unsigned r = 0; r < hosts; r++) {
        fprintf(to, "rank %u {\nfirst: calc %u\n", r, 100 + r % 7);
        for (unsigned k = 1; k <= 5; k++) {
            fprintf(to, "s%u: send %ub to %u tag %u\ns%u requires first\n", k, 300 * k,
                    (r + k * k) % hosts, k % 3, k);
            if (any)
                fprintf(to, "r%u: recv %ub from -1 tag %u\n", k, 300 * k, k % 3);
            else
                fprintf(to, "r%u: recv %ub from %u tag %u\n", k, 300 * k,
                        (r + hosts - k * k) % hosts, k % 3);
            if (k > 1)
                fprintf(to, "s%u requires r%u\n", k, k - 1);
        }
        fprintf(to, "}\n");
    }
}

static void test_engines_and_threads_agree(void **state)
{
    static const struct {
        const char *fabric, *routing, *sw;
        unsigned vcs;
    } nets[] = {{"karytree:k=3,n=3", "dmodk", "buffer=4 KiB", 1},
                {"torus:dims=3:3:3", "dor", "buffer=4 KiB", 0},
                {"karytree:k=3,n=3,latency=300 ns", "adaptive_tree", "buffer=8 KiB;queues=damq", 2},
                {"xgft:m=9:3,w=1:2", "random", "model=ioq", 1}};
    static const char *const parameters[] = {"", ",overhead=20 ns,eager=700 B", ",eager=0 B"};
    (void)state;
    for (unsigned k = 0; k < sizeof nets / sizeof *nets * 6; k++) {
        unsigned n = k / 6;
        program_file f;
        FILE *to = open_program(&f, parameters[k % 3]);
        write_crowd(to, 27, k % 6 >= 3);
        fclose(to);
        scenario c = {.fabric = nets[n].fabric,
                      .routing = nets[n].routing,
                      .traffic = f.spec,
                      .adapter = SMALL,
                      .sw = nets[n].sw,
                      .measure = ENDS,
                      .load = 1,
                      .num_vcs = nets[n].vcs,
                      .threads = 1};
        ik_sim_result first = run_by(&sim_general_engine, c);
        if (!first.completed)
            fail_msg("%s on %s: %s", c.traffic, c.fabric, first.missing_text);
        check_path(c.fabric, &first);
        for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
            c.threads = threads;
            ik_sim_result general = run_by(&sim_general_engine, c), any = run_by(NULL, c);
            expect_same(c.fabric, &first, &general, 27);
            expect_same(c.fabric, &first, &any, 27);
            sim_result_clear(&general);
            sim_result_clear(&any);
        }
        sim_result_clear(&first);
        unlink(f.path);
    }
}

/* ---- written and read again */

static void write_again(const scenario *c, program_file *f, const char *parameters)
{
    ik_env env = env_of(c);
    ik_fabric *on = NULL;
    ik_traffic *t = NULL;
    ik_error err = {0};
    FILE *to = open_program(f, parameters);
    assert_int_equal(ik_fabric_from_spec(c->fabric, &env, &on, &err), IK_OK);
    if (ik_traffic_from_spec(on, c->traffic, &env, &t, &err) != IK_OK ||
        ik_workload_write_goal(t->workload, to, &err) != IK_OK)
        fail_msg("%s: %s", c->traffic, err.text);
    fclose(to);
    ik_traffic_free(t);
    ik_fabric_free(on);
}

static void compare_files(const char *a, const char *b)
{
    FILE *x = fopen(a, "r"), *y = fopen(b, "r");
    int c;
    assert_true(x && y);
    do {
        c = getc(x);
        assert_int_equal(c, getc(y));
    } while (c != EOF);
    fclose(x);
    fclose(y);
}

/* The program of a workload takes as long, at every host, and is written as it was read. */
static void test_written_and_read_again(void **state)
{
    static const struct {
        const char *traffic, *parameters;
    } cases[] = {
        {"exchange:bytes=256 B,order=shift", ""},
        {"exchange:bytes=1000 B,visits=2,seed=4", ",visits=2"},
        {"exchange:bytes=700 B,repeat=3,order=shift", ",visits=1"},
        {"exchange:bytes=700 B,hosts=1..5:20:9,order=nearest_first", ",visits=1"},
        {"exchange:pattern=neighbour:dims=3:3:3,bytes=1 KiB,repeat=3,visits=2", ",visits=2"},
        {"exchange:pattern=permutation,bytes=64 KiB,mapping=random", ",visits=1"},
        {"graph:path=" TEST_DATA "/traffic/pingpong.goal,overhead=30 ns,hosts=26:4",
         ",overhead=30 ns"},
        {"graph:path=" SOURCE_DIR "/experiments/taskfarm.goal,mapping=random", ""},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        program_file first, second, third;
        scenario c = {.fabric = "karytree:k=3,n=3",
                      .routing = "dmodk",
                      .traffic = cases[k].traffic,
                      .adapter = SMALL,
                      .measure = ENDS,
                      .load = 1};
        ik_sim_result one = run_by(NULL, c);
        write_again(&c, &first, cases[k].parameters);
        c.traffic = first.spec;
        ik_sim_result two = run_by(NULL, c);
        assert_true(one.completed && two.completed);
        assert_int_equal(one.completion_ps, two.completion_ps);
        assert_int_equal(one.checksum, two.checksum);
        assert_memory_equal(one.host_finish_ps, two.host_finish_ps, 27 * 8);
        write_again(&c, &second, cases[k].parameters);
        c.traffic = second.spec; /* the labels of an all-to-all are not those of a graph */
        write_again(&c, &third, cases[k].parameters);
        compare_files(second.path, third.path);
        sim_result_clear(&one);
        sim_result_clear(&two);
        unlink(first.path);
        unlink(second.path);
        unlink(third.path);
    }
}

static void test_what_is_not_written(void **state)
{
    ik_env env = {.seed = 1};
    ik_fabric *on = NULL;
    ik_traffic *t = NULL;
    ik_error err = {0};
    (void)state;
    assert_int_equal(ik_fabric_from_spec("crossbar:n=3", &env, &on, NULL), IK_OK);
    assert_int_equal(
        ik_traffic_from_spec(on, "graph:path=" TEST_DATA "/traffic/pingpong.goal,eager=100 B", &env,
                             &t, NULL),
        IK_OK);
    assert_int_equal(t->workload->num_classes, 2);
    assert_string_equal(t->workload->classes[0], "tag 7");
    assert_string_equal(t->workload->classes[1], "tag 8");
    assert_int_equal(ik_workload_write_goal(t->workload, stdout, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "acknowledgements"));
    ik_traffic_free(t);
    ik_fabric_free(on);
}

/* ---- what is missing */

static void test_what_is_missing(void **state)
{
    static const struct {
        const char *ranks[2], *says[3];
    } cases[] = {
        {{"a: calc 100000000\nb: send 8b to 1\nb requires a", "recv 8b from 0"},
         {"at_most was reached", "(line 4), send 8 B to host 1, waits for line 3",
          "(line 8), receive 8 B from host 0, lacks 8 B"}},
        /* the receive from any source takes the message that the other one waits for */
        {{"send 8b to 1 tag 1\na: calc 9000\nb: send 8b to 1 tag 2\nb requires a\n"
          "c: send 8b to 1 tag 1\nc requires b\nrecv 8b from 1\n",
          "a: recv 8b from 0 tag -1\nb: recv 8b from 0 tag 1\nc: recv 8b from 0 tag 1\n"
          "d: send 8b to 0\nd requires c"},
         {"nothing happens any more", "no message that fits is there", "waits for line 15"}},
    };
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r = run_ranks(cases[k].ranks, 2, "", SMALL);
        assert_true(r.finite && !r.completed && r.missing_text);
        for (unsigned n = 0; n < 3; n++)
            if (!strstr(r.missing_text, cases[k].says[n]))
                fail_msg("'%s' is not said:\n%s", cases[k].says[n], r.missing_text);
        sim_result_clear(&r);
    }
}

/* ---- refusals */

static const struct {
    const char *text, *says, *hint;
    unsigned line, column;
} refused[] = {
    {"", "num_ranks", "cut off", 1, 1},
    {"ranks 2\n", "expected 'num_ranks'", "", 1, 1},
    {"num_ranks 0\n", "no rank", "", 1, 1},
    {"num_ranks 5\n", "5 ranks on a fabric of 4 hosts", "one rank", 1, 1},
    {"num_ranks 99999999999\n", "a number up to", "", 1, 11},
    {"num_ranks 1 2\n", "the end of the line", "", 1, 13},
    {"num_ranks 1\n", "the block of rank 0 of 1", "cut off", 1, 1},
    {"num_ranks 1\nrank 1 {\n}\n", "expected rank 0", "order", 2, 6},
    {"num_ranks 1\nrank 0\n{\n}\n", "expected '{'", "", 2, 7},
    {"num_ranks 1\nrank 0 {\ncalc 1\n", "'}'", "cut off", 3, 1},
    {"num_ranks 1\nrank 0 { calc 1\n}\n", "the end of the line", "", 2, 10},
    {"num_ranks 1\n/* never\nrank 0 {\n}\n", "does not end", "", 2, 1},
    {"num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n", "end of the file after rank 0", "", 4, 1},
    {"num_ranks 1\nrank 0 {\nclac 1\n}\n", "expected ':'", "send, recv and calc", 3, 6},
    {"num_ranks 1\nrank 0 {\na: clac 1\n}\n", "send, recv or calc", "", 3, 4},
    {"num_ranks 1\nrank 0 {\n7: calc 1\n}\n", "a label", "", 3, 1},
    {"num_ranks 1\nrank 0 {\ncalc -1\n}\n", "a time in ns", "", 3, 6},
    {"num_ranks 1\nrank 0 {\ncalc 1 cpu 255\n}\n", "up to 254", "", 3, 12},
    {"num_ranks 1\nrank 0 {\ncalc 99999999999999999999\n}\n", "a number up to", "", 3, 6},
    {"num_ranks 1\nrank 0 {\nsend 8 to 0\n}\n", "a size up to", "", 3, 6},
    {"num_ranks 1\nrank 0 {\nsend 18446744073709551616b to 0\n}\n", "a size", "", 3, 6},
    {"num_ranks 1\nrank 0 {\nsend 8b from 0\n}\n", "expected 'to'", "", 3, 9},
    {"num_ranks 1\nrank 0 {\nsend 8b to 1\n}\n", "the ranks 0 to 0", "", 3, 12},
    {"num_ranks 1\nrank 0 {\nsend 8b to -1\n}\n", "expected a rank", "", 3, 12},
    {"num_ranks 1\nrank 0 {\nsend 8b to 0 tag -1\n}\n", "a send needs a tag", "", 3, 1},
    {"num_ranks 1\nrank 0 {\nsend 8b to 0 cpu 0 tag 1\n}\n", "in this order", "", 3, 20},
    {"num_ranks 1\nrank 0 {\nsend 8b to 0 nic 1\n}\n", "expected nic 0", "one adapter", 3, 18},
    {"num_ranks 1\nrank 0 {\nrecv 8b from -2\n}\n", "expected a rank", "", 3, 14},
    {"num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}\n", "twice, first in line 3", "", 4, 1},
    {"num_ranks 1\nrank 0 {\nwork1: calc 1\nb: calc 2\nb requires wrok1\n}\n", "no label 'wrok1'",
     "'work1'", 5, 12},
    {"num_ranks 2\nrank 0 {\na: calc 1\n}\nrank 1 {\nb: calc 1\nb requires a\n}\n",
     "rank 1 has no label 'a'", "", 7, 12},
    {"num_ranks 1\nrank 0 {\na: calc 1\na requires b\nb: calc 2\n}\n",
     "before it is defined, in line 5", "", 4, 12},
    {"num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n", "'a' requires itself", "", 4, 12},
    {"num_ranks 1\nrank 0 {\na: calc 1\na requires\n}\n", "expected a label", "", 4, 11},
    {"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n",
     "waits for itself", "for line 4, for line 3", 3, 1},
    {"num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n"
     "rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n",
     "waits for itself", "the message of line 9, for line 8, the message of line 4, for line 3", 3,
     1},
    {"num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\n}\n", "never received", "", 3, 1},
    {"num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 8b to 1 tag 4\n}\nrank 1 {\nrecv 8b from 0 tag "
     "5\n}\n",
     "never received", "3 operations have no other end: lines 3, 4, 7", 3, 1},
    {"num_ranks 2\nrank 0 {\n}\nrank 1 {\nrecv 8b from 0\n}\n", "never sent", "", 5, 1},
    {"num_ranks 2\nrank 0 {\n}\nrank 1 {\nrecv 8b from -1\n}\n", "never sent", "", 5, 1},
    {"num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\nrank 1 {\nrecv 8b from -1 tag 4\n}\n",
     "never received", "", 3, 1},
    {"num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n", "another size", "", 6,
     1},
    {"num_ranks 1\nrank 0 {\ncalc 5\n}\n", "no message between two hosts", "", 0, 0},
    {"num_ranks 2\nrank 0 {\ncalc 5\nsend 8b to 0\nrecv 8b from 0\n}\nrank 1 {\n}\n",
     "no message between two hosts: this one, and all others, stay on their host", "", 4, 0},
    {"num_ranks 1\nrank 0 {\ncalc \x01\n}\n", "not text", "", 3, 6},
};

static void test_refusals(void **state)
{
    ik_fabric *fabric = NULL;
    ik_env env = {.seed = 1};
    (void)state;
    assert_int_equal(ik_fabric_from_spec("crossbar:n=4", &env, &fabric, NULL), IK_OK);
    for (unsigned k = 0; k < sizeof refused / sizeof *refused; k++) {
        program_file f;
        ik_error err = {0};
        ik_traffic *t = NULL;
        FILE *to = open_program(&f, "");
        fputs(refused[k].text, to);
        fclose(to);
        ik_status status = ik_traffic_from_spec(fabric, f.spec, &env, &t, &err);
        if (status != IK_ERR_INPUT || !strstr(err.text, refused[k].says) ||
            !strstr(err.hint, refused[k].hint) || err.line != refused[k].line ||
            err.column != refused[k].column || strcmp(err.file, f.path) != 0)
            fail_msg("%s\ngave status %d, %s:%u:%u: %s (%s)", refused[k].text, (int)status,
                     err.file, err.line, err.column, err.text, err.hint);
        unlink(f.path);
    }
    ik_fabric_free(fabric);
}

/* Comments, blanks, line ends of other systems, and no end of the last line. */
static void test_grammar(void **state)
{
    static const char *const texts[] = {
        "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n",
        "// first\n\n num_ranks 2 // two\nrank 0 {\n\tl_1 : send 8b to 1 tag 0 cpu 0 nic 0\n}\n"
        "rank 1 {\nrecv 8b from 0 tag 0\n}",
        "/* one\n two */ num_ranks /* here */ 2\r\nrank 0 {\r\nsend 8 b to 1\r\n}\r\n/**/\r\nrank "
        "1 {"
        "\r\nrecv 8b from /* who? */ 0\r\n}\r\n// end",
        "\xef\xbb\xbfnum_ranks 2\nrank 0 {\nsend: send 8b to 1\nx: calc 0\nx requires send\n}\n"
        "rank 1 {\nrecv 8b from 0\n\n}\n\n",
    };
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        program_file f;
        FILE *to = open_program(&f, "");
        fputs(texts[k], to);
        fclose(to);
        ik_sim_result r =
            simulate((scenario){.fabric = "crossbar:n=3,latency=10 ns,link_rate=100 Gb/s",
                                .routing = "minimal",
                                .traffic = f.spec,
                                .sw = "model=ideal",
                                .adapter = SMALL,
                                .measure = ENDS,
                                .load = 1});
        assert_int_equal(r.completion_ps, 8 * BYTE + PATH);
        sim_result_clear(&r);
        unlink(f.path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_turns),
        on_one_thread(test_random_programs),
        on_one_thread(test_random_wildcards),
        cmocka_unit_test(test_engines_and_threads_agree),
        on_one_thread(test_written_and_read_again),
        cmocka_unit_test(test_what_is_not_written),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_grammar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
