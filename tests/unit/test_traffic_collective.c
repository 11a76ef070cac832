/* SPDX-License-Identifier: Apache-2.0
 *
 * Collective operations: every algorithm with 1 to 17 processes is executed by what it moves, each
 * contribution counted; numbers of messages and bytes, and the time on an ideal crossbar, against
 * closed forms; the dependency graphs carry every contribution to where it belongs; refusals. */
#include <unistd.h>

#include "traffic/workload/collective.h"
#include "workload_helper.h"

enum { MOST = 17, MOST_BLOCKS = MOST * MOST };

/* ---- executed */

typedef struct world {
    collective of;
    uint32_t held[MOST][MOST_BLOCKS], next[MOST][MOST_BLOCKS]; /* whose contributions */
    uint64_t steps, moves;
} world;

static void say(const world *w, const char *what)
{
    fail_msg("operation %u, algorithm %u, %u processes, root %u: %s", w->of.operation,
             w->of.algorithm, w->of.num, w->of.root, what);
}

static void take_phase(void *ctx, const char *name)
{
    (void)ctx;
    assert_true(name[0] && strlen(name) < 60);
}

static void take_move(void *ctx, const collective_move *m)
{
    world *w = ctx;
    uint64_t blocks = collective_blocks(&w->of);
    w->moves++;
    if (m->src >= w->of.num || m->dst >= w->of.num || m->src == m->dst || !m->num ||
        m->num > blocks || m->first >= blocks)
        say(w, "a move of nothing, or to nowhere");
    for (uint64_t k = 0; k < m->num; k++) {
        uint64_t b = (m->first + k) % blocks;
        uint32_t moved = w->held[m->src][b], *to = &w->next[m->dst][b];
        if (!moved)
            say(w, "a block is sent that is not there");
        if (m->effect == MOVE_REDUCE && (*to & moved))
            say(w, "a contribution is counted twice");
        if (m->effect == MOVE_COPY && (*to & ~moved))
            say(w, "a contribution is overwritten");
        *to |= moved;
    }
}

static void take_next(void *ctx)
{
    world *w = ctx;
    w->steps++;
    memcpy(w->held, w->next, sizeof w->held);
}

static uint32_t owner(const collective *c, uint64_t block)
{
    return (uint32_t)((c->root + block) % c->num);
}

/* What process i holds of a block before and after. */
static uint32_t before(const collective *c, uint32_t i, uint64_t b)
{
    switch (c->operation) {
    case COLLECTIVE_BROADCAST:
    case COLLECTIVE_SCATTER:
        return i == c->root ? 1u << i : 0;
    case COLLECTIVE_ALLGATHER:
    case COLLECTIVE_GATHER:
        return i == owner(c, b) ? 1u << i : 0;
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_ALLTOALLV:
        return b / c->num == i ? 1u << i : 0;
    default:
        return 1u << i;
    }
}

/* 0: whatever it likes */
static uint32_t after(const collective *c, uint32_t i, uint64_t b)
{
    uint32_t all = (1u << c->num) - 1;
    switch (c->operation) {
    case COLLECTIVE_BROADCAST:
        return 1u << c->root;
    case COLLECTIVE_SCATTER:
        return i == owner(c, b) ? 1u << c->root : 0;
    case COLLECTIVE_REDUCE:
        return i == c->root ? all : 0;
    case COLLECTIVE_ALLGATHER:
        return 1u << owner(c, b);
    case COLLECTIVE_GATHER:
        return i == c->root ? 1u << owner(c, b) : 0;
    case COLLECTIVE_REDUCE_SCATTER:
        return i == b ? all : 0;
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_ALLTOALLV:
        return b % c->num == i ? 1u << b / c->num : 0;
    case COLLECTIVE_SCAN:
        return (2u << i) - 1;
    default:
        return all;
    }
}

static bool has_root(collective_operation operation)
{
    return operation == COLLECTIVE_BROADCAST || operation == COLLECTIVE_REDUCE ||
           operation == COLLECTIVE_GATHER || operation == COLLECTIVE_SCATTER;
}

static void execute(world *w)
{
    ik_error err;
    const collective *c = &w->of;
    uint64_t blocks = collective_blocks(c);
    assert_true(blocks <= MOST_BLOCKS);
    memset(w->held, 0, sizeof w->held);
    for (uint32_t i = 0; i < c->num; i++)
        for (uint64_t b = 0; b < blocks; b++)
            w->held[i][b] = before(c, i, b);
    memcpy(w->next, w->held, sizeof w->held);
    assert_int_equal(collective_run(c, &err), IK_OK);
    assert_memory_equal(w->held, w->next, sizeof w->held);
    for (uint32_t i = 0; i < c->num; i++)
        for (uint64_t b = 0; b < blocks; b++)
            if (after(c, i, b) && w->held[i][b] != after(c, i, b))
                say(w, "a process does not have what it should at the end");
}

/* ---- closed forms */

static uint64_t log2_up(uint64_t n)
{
    return n < 2 ? 0 : 64 - (uint64_t)__builtin_clzll(n - 1);
}

/* Numbers that closed forms are made of: p processes, 2^k + r of them, n bytes. */
typedef struct numbers {
    uint64_t p, power, rest, k, up, n;
} numbers;

static numbers numbers_of(uint64_t p, uint64_t n)
{
    numbers x = {.p = p, .power = 1, .n = n, .up = log2_up(p)};
    while (x.power * 2 <= p)
        x.power *= 2;
    x.rest = p - x.power;
    x.k = log2_up(x.power);
    return x;
}

/* Sum of the set bits of all numbers below p: how often a binomial tree moves a block. */
static uint64_t bits_below(uint64_t p)
{
    uint64_t sum = 0;
    for (uint64_t j = 0; j < p; j++)
        sum += (uint64_t)__builtin_popcountll(j);
    return sum;
}

typedef struct form {
    collective_operation operation;
    collective_algorithm algorithm;
    bool power;
    uint64_t (*messages)(numbers x);
    uint64_t (*bytes)(numbers x); /* n: the parameter */
} form;

#define FORM(name, text)                                                                           \
    static uint64_t name(numbers x)                                                                \
    {                                                                                              \
        return text;                                                                               \
    }
FORM(tree_messages, x.p - 1)
FORM(tree_whole, (x.p - 1) * x.n)
FORM(tree_blocks, bits_below(x.p) * x.n)
FORM(log_messages, x.p *x.up)
FORM(log_bytes, x.p *x.up *x.n)
FORM(spread_messages, x.p - 1 + x.p * (x.p - 1))
FORM(spread_bytes, bits_below(x.p) * (x.n / x.p) + (x.p - 1) * x.n)
FORM(all_pairs, x.p *(x.p - 1))
FORM(all_pairs_bytes, x.p *(x.p - 1) * x.n)
FORM(ring_messages, 2 * x.p * (x.p - 1))
FORM(ring_bytes, 2 * (x.p - 1) * x.n)
FORM(doubling_messages, x.power *x.k + 2 * x.rest)
FORM(doubling_bytes, (x.power * x.k + 2 * x.rest) * x.n)
FORM(rabenseifner_messages, 2 * x.power * x.k + 2 * x.rest)
FORM(rabenseifner_bytes, 2 * (x.power - 1) * x.n + 2 * x.rest * x.n)
FORM(to_root_messages, x.rest + x.power * x.k + x.power - 1)
FORM(to_root_bytes, (x.rest + x.power - 1) * x.n + bits_below(x.power) * (x.n / x.power))
FORM(halving_messages, x.rest + x.power * x.k + x.rest)
FORM(halving_bytes, (x.rest * x.p + x.power * x.p - x.p + x.rest) * x.n)
FORM(scan_messages, x.p *x.up - (((uint64_t)1 << x.up) - 1))
FORM(scan_bytes, scan_messages(x) * x.n)
FORM(bruck_alltoall_bytes, x.p *bits_below(x.p) * x.n)

static const form forms[] = {
    {COLLECTIVE_BARRIER, COLLECTIVE_DISSEMINATION, false, log_messages, log_bytes},
    {COLLECTIVE_BROADCAST, COLLECTIVE_BINOMIAL, false, tree_messages, tree_whole},
    {COLLECTIVE_BROADCAST, COLLECTIVE_SCATTER_ALLGATHER, false, spread_messages, spread_bytes},
    {COLLECTIVE_REDUCE, COLLECTIVE_BINOMIAL, false, tree_messages, tree_whole},
    {COLLECTIVE_REDUCE, COLLECTIVE_RABENSEIFNER, false, to_root_messages, to_root_bytes},
    {COLLECTIVE_ALLREDUCE, COLLECTIVE_RECURSIVE_DOUBLING, false, doubling_messages, doubling_bytes},
    {COLLECTIVE_ALLREDUCE, COLLECTIVE_HALVING_DOUBLING, true, rabenseifner_messages,
     rabenseifner_bytes},
    {COLLECTIVE_ALLREDUCE, COLLECTIVE_RABENSEIFNER, false, rabenseifner_messages,
     rabenseifner_bytes},
    {COLLECTIVE_ALLREDUCE, COLLECTIVE_RING, false, ring_messages, ring_bytes},
    {COLLECTIVE_ALLGATHER, COLLECTIVE_RING, false, all_pairs, all_pairs_bytes},
    {COLLECTIVE_ALLGATHER, COLLECTIVE_RECURSIVE_DOUBLING, true, log_messages, all_pairs_bytes},
    {COLLECTIVE_ALLGATHER, COLLECTIVE_BRUCK, false, log_messages, all_pairs_bytes},
    {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_RECURSIVE_HALVING, false, halving_messages,
     halving_bytes},
    {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_RING, false, all_pairs, all_pairs_bytes},
    {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_PAIRWISE, false, all_pairs, all_pairs_bytes},
    {COLLECTIVE_ALLTOALL, COLLECTIVE_LINEAR, false, all_pairs, all_pairs_bytes},
    {COLLECTIVE_ALLTOALL, COLLECTIVE_PAIRWISE, false, all_pairs, all_pairs_bytes},
    {COLLECTIVE_ALLTOALL, COLLECTIVE_BRUCK, false, log_messages, bruck_alltoall_bytes},
    {COLLECTIVE_ALLTOALLV, COLLECTIVE_LINEAR, false, all_pairs, NULL},
    {COLLECTIVE_ALLTOALLV, COLLECTIVE_PAIRWISE, false, all_pairs, NULL},
    {COLLECTIVE_GATHER, COLLECTIVE_BINOMIAL, false, tree_messages, tree_blocks},
    {COLLECTIVE_GATHER, COLLECTIVE_LINEAR, false, tree_messages, tree_whole},
    {COLLECTIVE_SCATTER, COLLECTIVE_BINOMIAL, false, tree_messages, tree_blocks},
    {COLLECTIVE_SCATTER, COLLECTIVE_LINEAR, false, tree_messages, tree_whole},
    {COLLECTIVE_SCAN, COLLECTIVE_DISSEMINATION, false, scan_messages, scan_bytes},
    {COLLECTIVE_SCAN, COLLECTIVE_LINEAR, false, tree_messages, tree_whole},
};
enum { NUM_FORMS = sizeof forms / sizeof *forms };

static const form *form_of(unsigned operation, unsigned algorithm)
{
    for (unsigned k = 0; k < NUM_FORMS; k++)
        if (forms[k].operation == operation && forms[k].algorithm == algorithm)
            return &forms[k];
    return NULL;
}

static void test_every_algorithm(void **state)
{
    static world w;
    ik_error err;
    (void)state;
    for (unsigned o = 0; o < COLLECTIVE_OPERATIONS; o++)
        for (unsigned a = COLLECTIVE_AUTO + 1; a < COLLECTIVE_ALGORITHMS; a++)
            for (uint32_t num = 1; num <= MOST; num++)
                for (uint32_t root = 0; root < (has_root(o) ? num : 1); root++) {
                    const form *f = form_of(o, a);
                    w.of = (collective){o, a, num, root, take_phase, take_move, take_next, &w};
                    if (f && !(f->power && (num & (num - 1))))
                        execute(&w);
                    else
                        assert_int_equal(collective_run(&w.of, &err), IK_ERR_USAGE);
                }
}

/* What AUTO is exists, for all sizes, and changes where docs/workloads.md says. */
static void test_choices(void **state)
{
    static const struct {
        collective_operation operation;
        uint32_t num;
        uint64_t bytes; /* the first size of the second algorithm */
        collective_algorithm below, from;
    } changes[] = {
        {COLLECTIVE_BROADCAST, 8, 12288, COLLECTIVE_BINOMIAL, COLLECTIVE_SCATTER_ALLGATHER},
        {COLLECTIVE_BROADCAST, 7, 12288, COLLECTIVE_BINOMIAL, COLLECTIVE_BINOMIAL},
        {COLLECTIVE_REDUCE, 9, 2049, COLLECTIVE_BINOMIAL, COLLECTIVE_RABENSEIFNER},
        {COLLECTIVE_ALLREDUCE, 9, 2049, COLLECTIVE_RECURSIVE_DOUBLING, COLLECTIVE_RABENSEIFNER},
        {COLLECTIVE_ALLGATHER, 16, 32768, COLLECTIVE_RECURSIVE_DOUBLING, COLLECTIVE_RING},
        {COLLECTIVE_ALLGATHER, 10, 8192, COLLECTIVE_BRUCK, COLLECTIVE_RING},
        {COLLECTIVE_REDUCE_SCATTER, 16, 32768, COLLECTIVE_RECURSIVE_HALVING, COLLECTIVE_PAIRWISE},
        {COLLECTIVE_ALLTOALL, 8, 257, COLLECTIVE_BRUCK, COLLECTIVE_LINEAR},
        {COLLECTIVE_ALLTOALL, 7, 257, COLLECTIVE_LINEAR, COLLECTIVE_LINEAR},
        {COLLECTIVE_ALLTOALL, 8, 32769, COLLECTIVE_LINEAR, COLLECTIVE_PAIRWISE},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof changes / sizeof *changes; k++)
        for (unsigned from = 0; from < 2; from++)
            assert_int_equal(collective_choose(changes[k].operation, COLLECTIVE_AUTO,
                                               changes[k].num, changes[k].bytes - !from),
                             from ? changes[k].from : changes[k].below);
    for (unsigned o = 0; o < COLLECTIVE_OPERATIONS; o++)
        for (uint32_t num = 1; num < 40; num++)
            for (uint64_t bytes = 1; bytes < 1u << 24; bytes *= 2) {
                unsigned a = collective_choose(o, COLLECTIVE_AUTO, num, bytes);
                const form *f = form_of(o, a);
                assert_true(f && !(f->power && (num & (num - 1))));
                assert_int_equal(collective_choose(o, a, num, bytes), a);
            }
}

/* ---- the graphs */

static const char *word(const char *list, unsigned index, char *text)
{
    while (index--)
        list = strchr(list, '|') + 1;
    snprintf(text, 32, "%.*s", (int)strcspn(list, "|"), list);
    return text;
}

static char *spec_of(const form *f, uint64_t bytes, const char *more)
{
    static char spec[300];
    char operation[32], algorithm[32];
    snprintf(spec, sizeof spec, "collective:operation=%s,algorithm=%s,bytes=%llu B%s%s",
             word(COLLECTIVE_OPERATION_NAMES, f->operation, operation),
             word(COLLECTIVE_ALGORITHM_NAMES, f->algorithm, algorithm), (unsigned long long)bytes,
             more[0] ? "," : "", more);
    return spec;
}

/* Whether the root, or every process, ends with the contributions of all, or of the root. */
static void check_graph(const char *spec, const form *f, const ik_workload *w, const uint32_t *host,
                        uint32_t num)
{
    const ik_graph *g = w->graph;
    uint64_t *known = test_calloc(g->num_ops + 1, sizeof *known), all = 0;
    bool from_root = f->operation == COLLECTIVE_BROADCAST || f->operation == COLLECTIVE_SCATTER,
         to_root = f->operation == COLLECTIVE_REDUCE || f->operation == COLLECTIVE_GATHER,
         scan = f->operation == COLLECTIVE_SCAN;
    for (uint32_t i = 0; i < num; i++)
        all |= (uint64_t)1 << host[i];
    spread_knowledge(g, known);
    for (uint32_t i = 0; i < num; i++) {
        uint64_t has = (uint64_t)1 << host[i];
        for (uint32_t op = g->host_first[host[i]]; op < g->host_first[host[i] + 1]; op++)
            has |= known[op];
        uint64_t wanted = from_root      ? (uint64_t)1 << host[0]
                          : to_root && i ? 0
                          : scan         ? all & (((uint64_t)2 << i) - 1)
                                         : all;
        if ((has & wanted) != wanted || (has & ~all))
            fail_msg("%s: process %u knows %llx, not %llx", spec, i, (unsigned long long)has,
                     (unsigned long long)wanted);
    }
    for (uint32_t op = 0; op < g->num_ops; op++)
        assert_true(g->op_class[op] < w->num_classes);
    test_free(known);
}

/* 720720 is divisible by all numbers of processes. */
static void test_graphs(void **state)
{
    static const char *const mappings[] = {"linear", "random", "by_leaf"};
    ik_fabric *fabric = fabric_of("karytree:k=5,n=2");
    (void)state;
    for (unsigned k = 0; k < NUM_FORMS; k++)
        for (uint32_t num = 2; num <= MOST; num++)
            for (unsigned m = 0; m < 3; m++) {
                char more[80];
                const form *f = &forms[k];
                numbers x = numbers_of(num, 720720 * MOST);
                if (f->power && x.rest)
                    continue;
                snprintf(more, sizeof more, "processes=%u,mapping=%s", num, mappings[m]);
                char *spec = spec_of(f, x.n, more);
                ik_traffic *t = traffic_of(fabric, spec);
                const ik_workload *w = t->workload;
                assert_int_equal(w->num_messages, f->messages(x));
                if (f->bytes)
                    assert_int_equal(w->bytes, f->bytes(x));
                if (w->num_classes < 1 || !w->classes || w->num_classes > 40)
                    fail_msg("%s has %u classes", spec, w->num_classes);
                uint32_t hosts[25], n = 0;
                for (uint32_t h = 0; h < 25; h++)
                    if (w->graph->host_first[h] < w->graph->host_first[h + 1])
                        hosts[n++] = h;
                assert_int_equal(n, num);
                if (m == 0)
                    check_graph(spec, f, w, hosts, num);
                ik_traffic_free(t);
            }
    ik_fabric_free(fabric);
}

/* A vector that does not divide evenly: every byte goes round. */
static void test_uneven_blocks(void **state)
{
    ik_fabric *fabric = fabric_of("crossbar:n=17");
    (void)state;
    for (uint32_t num = 2; num <= MOST; num++)
        for (uint64_t bytes = 1000; bytes < 1020; bytes += 3) {
            char more[40];
            snprintf(more, sizeof more, "processes=%u", num);
            const form *f = form_of(COLLECTIVE_ALLREDUCE, COLLECTIVE_RING);
            ik_traffic *t = traffic_of(fabric, spec_of(f, bytes, more));
            assert_int_equal(t->workload->bytes, 2 * (num - 1) * bytes);
            ik_traffic_free(t);
        }
    ik_fabric_free(fabric);
}

/* Of repetitions of an all-to-all that is sent at once, what a process sends in the second waits
 * for all that it has sent and received in the first. */
static void test_repetitions_wait(void **state)
{
    enum { NUM = 12 };
    ik_fabric *fabric = fabric_of("crossbar:n=12");
    ik_traffic *t = traffic_of(fabric, "collective:alltoall,algorithm=linear,repeat=2");
    const ik_graph *g = t->workload->graph;
    (void)state;
    for (uint32_t host = 0; host < NUM; host++) {
        uint32_t first = g->host_first[host], num = g->host_first[host + 1] - first, sends = 0;
        uint64_t *behind = test_calloc(num, sizeof *behind), messages = 0;
        /* bits of the messages of the first repetition that an operation waits for */
        for (uint32_t op = 0; op < num; op++) {
            bool message = g->kind[first + op] != IK_OP_CALC;
            if (message && messages < 2 * (NUM - 1))
                behind[op] |= (uint64_t)1 << messages;
            sends += g->kind[first + op] == IK_OP_SEND;
            if (g->kind[first + op] == IK_OP_SEND && sends >= NUM)
                assert_int_equal(behind[op] & (((uint64_t)1 << 2 * (NUM - 1)) - 1),
                                 ((uint64_t)1 << 2 * (NUM - 1)) - 1);
            messages += message;
            for (uint32_t k = g->after_first[first + op]; k < g->after_first[first + op + 1]; k++) {
                assert_true(g->after[k] > first + op);
                behind[g->after[k] - first] |= behind[op];
            }
        }
        assert_int_equal(sends, 2 * (NUM - 1));
        test_free(behind);
    }
    ik_traffic_free(t);
    ik_fabric_free(fabric);
}

/* ---- times on an ideal crossbar of p hosts */

#define STEP(count, bytes) ((count) * (80 * (bytes) + 20000))
FORM(log_time, STEP(x.up, x.n))
FORM(ring_time, STEP(2 * (x.p - 1), x.n / x.p))
FORM(halving_doubling_time, 2 * (80 * (x.n - x.n / x.p) + 20000 * x.k))
FORM(chain_time, STEP(x.p - 1, x.n))
FORM(gather_time, 80 * (x.p - 1) * x.n + 20000 * x.up)

static void test_times(void **state)
{
    static const struct {
        collective_operation operation;
        collective_algorithm algorithm;
        bool power;
        uint64_t (*time)(numbers x);
    } cases[] = {
        {COLLECTIVE_BARRIER, COLLECTIVE_DISSEMINATION, false, log_time},
        {COLLECTIVE_BROADCAST, COLLECTIVE_BINOMIAL, true, log_time},
        {COLLECTIVE_ALLREDUCE, COLLECTIVE_RECURSIVE_DOUBLING, true, log_time},
        {COLLECTIVE_ALLREDUCE, COLLECTIVE_RING, false, ring_time},
        {COLLECTIVE_ALLREDUCE, COLLECTIVE_RABENSEIFNER, true, halving_doubling_time},
        {COLLECTIVE_ALLREDUCE, COLLECTIVE_HALVING_DOUBLING, true, halving_doubling_time},
        {COLLECTIVE_ALLGATHER, COLLECTIVE_RING, false, chain_time},
        {COLLECTIVE_ALLGATHER, COLLECTIVE_BRUCK, false, gather_time},
        {COLLECTIVE_ALLGATHER, COLLECTIVE_RECURSIVE_DOUBLING, true, gather_time},
        {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_RING, false, chain_time},
        {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_PAIRWISE, false, chain_time},
        {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_RECURSIVE_HALVING, true, gather_time},
        {COLLECTIVE_ALLTOALL, COLLECTIVE_PAIRWISE, false, chain_time},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint32_t num = 2; num <= 16; num++) {
            numbers x = numbers_of(num, 256 * num * 3);
            if (cases[k].power && x.rest)
                continue;
            const char *spec = spec_of(form_of(cases[k].operation, cases[k].algorithm), x.n, "");
            uint64_t ps = completion(spec, num), wanted = cases[k].time(x);
            if (ps != wanted)
                fail_msg("%s on %u hosts: %llu ps, not %llu", spec, num, (unsigned long long)ps,
                         (unsigned long long)wanted);
        }
}

/* A process begins again once it has done its part: repetitions in a chain take so many times. */
static void test_repeat(void **state)
{
    (void)state;
    uint64_t once = completion("collective:allreduce,algorithm=ring,bytes=8 KiB", 8),
             thrice = completion("collective:allreduce,algorithm=ring,bytes=8 KiB,repeat=3", 8);
    assert_int_equal(thrice, 3 * once);
}

/* ---- alltoallv */

static char *write_file(const char *text)
{
    static char path[] = "/tmp/ikat_sizes_XXXXXX";
    memcpy(path + strlen(path) - 6, "XXXXXX", 6);
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    return path;
}

static void test_sizes_of_pairs(void **state)
{
    static const struct {
        const char *text, *wrong;
        unsigned line, column;
    } cases[] = {
        {"9,1,2\n3 9 4 # row 1\n\n0;5;9\n", NULL, 0, 0},
        {"0 1 2\n3 0 4\n", "2 rows", 2, 1},
        {"0 1 2\n3 0\n0 5 0\n", "2 numbers in row 1", 2, 1},
        {"0 1 2\n3 0 4 5\n0 5 0\n", "more than 3 numbers", 2, 7},
        {"0 1 2\n3 0 x4\n0 5 0\n", "'x4' is not a number of bytes", 2, 5},
        {"0 1 2\n3 0 -4\n0 5 0\n", "'-4' is not a number of bytes", 2, 5},
        {"0 1 2\n3 0 9999999999999999999\n0 5 0\n", "not a number of bytes", 2, 5},
        {"0 1 2\n3 0 4\n0 5 0\n0 0 0\n", "more than 3 rows", 4, 1},
        {"0 0 0\n0 0 0\n0 0 0\n", "no message", 0, 0},
    };
    ik_fabric *fabric = fabric_of("crossbar:n=3");
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char spec[100], *path = write_file(cases[k].text);
        snprintf(spec, sizeof spec, "collective:alltoallv,sizes=%s", path);
        ik_error err = {0};
        ik_traffic *t = NULL;
        ik_status status = ik_traffic_from_spec(fabric, spec, NULL, &t, &err);
        unlink(path);
        if (cases[k].wrong) {
            assert_int_not_equal(status, IK_OK);
            if (!strstr(err.text, cases[k].wrong) || err.line != cases[k].line ||
                err.column != cases[k].column)
                fail_msg("%u: %u:%u %s", k, err.line, err.column, err.text);
            continue;
        }
        assert_int_equal(status, IK_OK);
        assert_int_equal(t->workload->num_messages, 5);
        assert_int_equal(t->workload->bytes, 1 + 2 + 3 + 4 + 5);
        ik_traffic_free(t);
    }
    ik_fabric_free(fabric);
}

static void test_rules_of_sizes(void **state)
{
    ik_fabric *fabric = fabric_of("crossbar:n=20");
    (void)state;
    ik_traffic *ramp = traffic_of(fabric, "collective:alltoallv,sizes=ramp,bytes=2100 B"),
               *random = traffic_of(fabric, "collective:alltoallv,bytes=1 KiB"),
               *other = traffic_of(fabric, "collective:alltoallv,bytes=1 KiB,seed=9");
    const ik_graph *g = ramp->workload->graph;
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (g->kind[op] == IK_OP_SEND)
            assert_int_equal(g->ops[op].amount, 200 * (g->ops[op].peer + 1));
    assert_true(random->workload->largest <= 2047 && random->workload->largest > 1900);
    double mean = (double)random->workload->bytes / 380;
    assert_true(mean > 900 && mean < 1150);
    assert_int_not_equal(random->workload->bytes, other->workload->bytes);
    ik_traffic_free(ramp);
    ik_traffic_free(random);
    ik_traffic_free(other);
    ik_fabric_free(fabric);
}

/* ---- refusals */

static void test_refusals(void **state)
{
    static const refusal cases[] = {
        {"collective", "needs parameter 'operation'"},
        {"collective:allredce", "cannot be 'allredce'"},
        {"collective:allreduce,root=0", "'root': it has no effect"},
        {"collective:reduce,root=6", "root 6 of 6 processes"},
        {"collective:reduce,root=2,processes=2", "root 2 of 2 processes"},
        {"collective:allreduce,bytes=0 B", "out of range"},
        {"collective:allreduce,algorithm=bruck", "allreduce has no algorithm 'bruck'"},
        {"collective:allgather,algorithm=recursive_doubling", "a power of two of processes, not 6"},
        {"collective:allreduce,algorithm=halving_doubling", "a power of two of processes, not 6"},
        {"collective:barrier,processes=1", "1 process has no message"},
        {"collective:barrier,processes=7", "7 processes on 6 hosts"},
        {"collective:barrier,hosts=1:2:1", "host 1 appears twice"},
        {"collective:barrier,sizes=ramp", "'sizes': it has no effect"},
        {"collective:barrier,seed=1", "'seed': it has no effect"},
        {"collective:alltoallv,sizes=/no/such/file,bytes=1 B", "'bytes': it has no effect"},
        {"collective:allreduce,bytes=1000 TB,repeat=10000", "2^60"},
    };
    (void)state;
    check_refusals("crossbar:n=6", cases, sizeof cases / sizeof *cases);
    check_too_large("crossbar:n=6", "collective:barrier,repeat=100", 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_algorithm),  cmocka_unit_test(test_choices),
        cmocka_unit_test(test_graphs),           cmocka_unit_test(test_uneven_blocks),
        cmocka_unit_test(test_repetitions_wait), cmocka_unit_test(test_times),
        cmocka_unit_test(test_repeat),           cmocka_unit_test(test_sizes_of_pairs),
        cmocka_unit_test(test_rules_of_sizes),   cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
