/* SPDX-License-Identifier: Apache-2.0
 *
 * Made-up traces of block I/O: who sends what to whom, that all speeds have the same accesses, that
 * a disk answers at its time but not before the request has come, and what is refused. */
#include "workload_helper.h"

#include <unistd.h>

/* Sends of a class by and to disks (processes 0, 2, 5 of 8) and by others, and their bytes. */
typedef struct totals {
    uint64_t by_disks, to_disks, large, num, calc_ps;
    uint32_t to[8];
} totals;

static totals totals_of(const ik_workload *w, const char *of_class)
{
    static const bool disk[8] = {true, false, true, false, false, true, false, false};
    const ik_graph *g = w->graph;
    totals sum = {0};
    for (uint32_t host = 0; host < 8; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            if (g->kind[op] == IK_OP_CALC)
                sum.calc_ps += g->ops[op].amount;
            if (g->kind[op] != IK_OP_SEND || strcmp(w->classes[g->op_class[op]], of_class) != 0)
                continue;
            sum.num++;
            sum.by_disks += disk[host];
            sum.to_disks += disk[g->ops[op].peer];
            sum.large += g->ops[op].amount == w->largest;
            sum.to[g->ops[op].peer]++;
        }
    return sum;
}

static void test_messages(void **state)
{
    ik_fabric *f = fabric_of("crossbar:n=8");
    ik_traffic *t = traffic_of(f, "storage:disks=3,accesses=3000,reads=25%,skew=0,bytes=5 KiB");
    (void)state;
    assert_int_equal(t->workload->num_messages, 6000);
    assert_int_equal(t->workload->bytes, 3000 * (5120 + 64));
    totals requests = totals_of(t->workload, "requests");
    totals answers = totals_of(t->workload, "answers");
    assert_int_equal(requests.num, 3000);
    assert_int_equal(requests.to_disks, 3000);
    assert_int_equal(requests.by_disks, 0);
    assert_int_equal(answers.by_disks, 3000);
    assert_int_equal(answers.to_disks, 0);
    assert_int_equal(requests.large + answers.large, 3000);
    assert_in_range(answers.large, 650, 850); /* reads: 750 +- 4 standard deviations */
    for (unsigned disk = 0; disk < 3; disk++)
        assert_in_range(requests.to[disk == 2 ? 5 : 2 * disk], 890, 1110);
    for (unsigned host = 0; host < 8; host++) /* every process without a disk asks */
        assert_true(host == 0 || host == 2 || host == 5 || answers.to[host] > 0);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* A request waits for its time, an answer for its time and for the request, which is of the same
 * two hosts. */
static void test_what_waits(void **state)
{
    ik_fabric *f = fabric_of("crossbar:n=8");
    ik_traffic *t = traffic_of(f, "storage:disks=3,accesses=300");
    const ik_workload *w = t->workload;
    const ik_graph *g = w->graph;
    uint32_t *times = calloc(g->num_ops, sizeof *times),
             *messages = calloc(g->num_ops, sizeof *messages);
    (void)state;
    assert_true(times && messages);
    for (uint32_t op = 0; op < g->num_ops; op++)
        for (uint32_t k = g->after_first[op]; k < g->after_first[op + 1]; k++) {
            assert_int_equal(g->after[k] & IK_AFTER_START, 0);
            times[g->after[k]] += g->kind[op] == IK_OP_CALC;
            if (g->kind[op] == IK_OP_RECV) {
                messages[g->after[k]]++;
                assert_int_equal(g->ops[op].peer, g->ops[g->after[k]].peer);
            }
        }
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (g->kind[op] == IK_OP_SEND) {
            assert_int_equal(times[op], 1);
            assert_int_equal(messages[op], strcmp(w->classes[g->op_class[op]], "answers") == 0);
        }
    free(times);
    free(messages);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* 1 : 1/2 : 1/3, whichever disks these are. */
static void test_skew(void **state)
{
    ik_fabric *f = fabric_of("crossbar:n=8");
    ik_traffic *t = traffic_of(f, "storage:disks=3,accesses=6000,skew=1,burst=1");
    totals requests = totals_of(t->workload, "requests");
    (void)state;
    uint32_t most = 0, least = UINT32_MAX;
    for (unsigned host = 0; host < 8; host++)
        if (requests.to[host]) {
            most = requests.to[host] > most ? requests.to[host] : most;
            least = requests.to[host] < least ? requests.to[host] : least;
        }
    assert_in_range(most, 3273 - 160, 3273 + 160);
    assert_in_range(least, 1091 - 120, 1091 + 120);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* The same messages in the same order of each process, and times a tenth as long. */
static void test_compression(void **state)
{
    ik_fabric *f = fabric_of("crossbar:n=8");
    ik_traffic *slow = traffic_of(f, "storage:disks=3,accesses=500,seed=3");
    ik_traffic *fast = traffic_of(f, "storage:disks=3,accesses=500,seed=3,compression=10");
    ik_traffic *other = traffic_of(f, "storage:disks=3,accesses=500,seed=4");
    (void)state;
    totals a = totals_of(slow->workload, "requests"), b = totals_of(fast->workload, "requests");
    assert_memory_equal(a.to, b.to, sizeof a.to);
    assert_int_equal(a.large, b.large);
    /* rounded to whole ns, at most one for each message of a process */
    assert_in_range(b.calc_ps, a.calc_ps / 10 - 1000000, a.calc_ps / 10 + 1000000);
    assert_memory_not_equal(a.to, totals_of(other->workload, "requests").to, sizeof a.to);
    ik_traffic_free(slow);
    ik_traffic_free(fast);
    ik_traffic_free(other);
    ik_fabric_free(f);
}

/* Sizes of the data of all accesses, requests and answers taken together; returns their number. */
static unsigned sizes_of(const char *spec, uint64_t *sizes)
{
    ik_fabric *f = fabric_of("crossbar:n=8");
    ik_traffic *t = traffic_of(f, spec);
    const ik_graph *g = t->workload->graph;
    unsigned num = 0;
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (g->kind[op] == IK_OP_SEND && g->ops[op].amount != 64)
            sizes[num++] = g->ops[op].amount;
    ik_traffic_free(t);
    ik_fabric_free(f);
    return num;
}

#define SIZED "storage:disks=3,accesses=4000,"

static void test_sizes(void **state)
{
    (void)state;
    static uint64_t sizes[4000];
    double sum = 0;
    unsigned one_sector = 0, small = 0;
    assert_int_equal(sizes_of(SIZED "sizes=geometric,bytes=8 KiB", sizes), 4000);
    for (unsigned k = 0; k < 4000; k++) {
        assert_int_equal(sizes[k] % 512, 0);
        sum += (double)sizes[k];
        one_sector += sizes[k] == 512;
    }
    /* 16 sectors on average, as many as that standard deviation; one of them with probability
     * 1/16 */
    assert_in_range(sum / 4000, 8192 - 500, 8192 + 500);
    assert_in_range(one_sector, 250 - 62, 250 + 62);
    assert_int_equal(sizes_of(SIZED "sizes=geometric,bytes=100 B", sizes), 4000);
    for (unsigned k = 0; k < 4000; k++)
        assert_int_equal(sizes[k], 512);
    char path[] = "/tmp/ikat_sizes_XXXXXX", spec[200];
    static const char lines[] = "# size, weight\n1000 1\n8000 2.5\n1500 0.5 # twice\n";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, lines, sizeof lines - 1) == sizeof lines - 1);
    close(fd);
    snprintf(spec, sizeof spec, SIZED "sizes=%s", path);
    assert_int_equal(sizes_of(spec, sizes), 4000);
    one_sector = 0;
    for (unsigned k = 0; k < 4000; k++) {
        assert_true(sizes[k] == 1000 || sizes[k] == 1500 || sizes[k] == 8000);
        small += sizes[k] == 1000;
        one_sector += sizes[k] == 1500;
    }
    assert_in_range(small, 1000 - 110, 1000 + 110); /* 4 standard deviations */
    assert_in_range(one_sector, 500 - 84, 500 + 84);
    unlink(path);
}

static void test_refused_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        unsigned line, column;
    } cases[] = {{"", "no size", 0, 0},
                 {"512\n", "a weight", 1, 4},
                 {"0 1\n", "a size", 1, 1},
                 {"512 0\n", "a weight", 1, 5},
                 {"512 1\n-1 1\n", "a size", 2, 1},
                 {"512 nan\n", "a weight", 1, 5},
                 {"512 1 1\n", "the end of the line", 1, 7},
                 {"1000000000001 1\n", "a size", 1, 1}};
    ik_fabric *f = fabric_of("crossbar:n=4");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[] = "/tmp/ikat_sizes_XXXXXX", spec[200];
        ik_traffic *t = NULL;
        ik_error err = {0};
        int fd = mkstemp(path);
        size_t size = strlen(cases[k].text);
        assert_true(fd >= 0 && write(fd, cases[k].text, size) == (ssize_t)size);
        close(fd);
        snprintf(spec, sizeof spec, "storage:sizes=%s", path);
        assert_int_equal(ik_traffic_from_spec(f, spec, NULL, &t, &err), IK_ERR_INPUT);
        if (!strstr(err.text, cases[k].words) || err.line != cases[k].line ||
            err.column != cases[k].column)
            fail_msg("%s: %u:%u %s", cases[k].text, err.line, err.column, err.text);
        unlink(path);
    }
    ik_fabric_free(f);
}

/* In the closed loop every answer waits for a time that begins when its request has come, and what
 * a process does after an answer in the trace waits for it. */
static void test_closed(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("crossbar:n=8");
    ik_traffic *t = traffic_of(f, "storage:disks=3,accesses=300,loop=closed");
    const ik_graph *g = t->workload->graph;
    unsigned services = 0, awaited = 0, answers = 0;
    for (uint32_t op = 0; op < g->num_ops; op++)
        for (uint32_t k = g->after_first[op]; k < g->after_first[op + 1]; k++) {
            uint32_t to = g->after[k];
            bool is_answer = strcmp(t->workload->classes[g->op_class[op]], "answers") == 0;
            if (g->kind[op] != IK_OP_RECV)
                continue;
            assert_int_equal(g->kind[to], IK_OP_CALC);
            awaited += is_answer;
            services += !is_answer && g->cpu[to] == IK_NO_CPU;
        }
    for (uint32_t op = 0; op < g->num_ops; op++)
        answers += g->kind[op] == IK_OP_RECV &&
                   strcmp(t->workload->classes[g->op_class[op]], "answers") == 0;
    assert_int_equal(answers, 300);
    assert_int_equal(services, 300);
    assert_in_range(awaited, 300 - 5, 300 - 1); /* but the last of each process */
    ik_traffic_free(t);
    ik_fabric_free(f);
}

static void test_times(void **state)
{
    (void)state;
    /* without service the answer is sent when the request has come: both one after the other */
    assert_int_equal(completion("storage:accesses=1,duration=0 s,service=0 s", 2),
                     (64 + 8192) * 80 + 2 * 20000);
    /* with it at its time, which the request does not shift: at all speeds in proportion */
    uint64_t one = completion("storage:accesses=1,duration=0 s,service=20 us", 2);
    uint64_t half = completion("storage:accesses=1,duration=0 s,service=40 us,compression=2", 2);
    assert_int_equal(one, half);
    assert_true(completion("storage:accesses=1,duration=0 s,service=1 ms", 2) > 2 * one);
    /* and a request at its own */
    assert_true(completion("storage:accesses=1,duration=1 ms,service=0 s", 2) > 10000000);
}

static void test_refused(void **state)
{
    static const refusal cases[] = {
        {"storage:disks=8", "8 disks and 8 processes"},
        {"storage:disks=3,processes=3", "none is left"},
        {"storage:duration=1000 s,burst=1000000,burst_gap=1000 s,compression=0.001",
         "is the maximum"},
        {"storage:disks=0", "disks"},
    };
    (void)state;
    check_refusals("crossbar:n=8", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),      cmocka_unit_test(test_what_waits),
        cmocka_unit_test(test_skew),          cmocka_unit_test(test_compression),
        cmocka_unit_test(test_times),         cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_refused_sizes), cmocka_unit_test(test_closed),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
