/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/collective.c: see collective.h.
 *
 * Binomial trees, recursive doubling and halving, rings, pairwise exchanges: R. Thakur, R.
 * Rabenseifner, W. Gropp, IJHPCA 19(1), 2005; the allreduce of R. Rabenseifner, ICCS 2004; J. Bruck
 * et al., IEEE TPDS 8(11), 1997; the dissemination barrier of D. Hensgen, R. Finkel, U. Manber,
 * International Journal of Parallel Programming 17(1), 1988; the scan in steps of doubling distance
 * of W. D. Hillis, G. L. Steele, CACM 29(12), 1986.
 *
 * Where p processes are no power of two, 2^k + r of them, recursive halving and doubling fold: of
 * the first 2 r processes each odd one gives its data to the even one before it, the 2^k that are
 * left go on, and at the end the odd ones get their part back. With a root, processes are counted
 * from it, so that it is among those that go on. */
#include "traffic/workload/collective.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* More steps than this share classes. */
enum { MOST_STEP_CLASSES = 128 };

static uint32_t collective_power_below(uint32_t n)
{
    uint32_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

static bool collective_is_power(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* The process that comes `place` after the root. */
static uint32_t collective_at(const collective *c, uint32_t place)
{
    return place < c->num - c->root ? c->root + place : place - (c->num - c->root);
}

static void workload_collective_move(const collective *c, uint32_t src, uint32_t dst,
                                     uint64_t first, uint64_t num, collective_effect effect)
{
    const collective_move m = {collective_at(c, src), collective_at(c, dst), first, num, effect};
    if (num)
        c->move(c->ctx, &m);
}

static void collective_phase(const collective *c, const char *name)
{
    c->phase(c->ctx, name);
}

/* The class of step k of n: one of its own, or of several steps where there are very many. */
static void collective_step_phase(const collective *c, const char *name, uint32_t k, uint32_t n)
{
    char text[64];
    uint32_t in_one = (n + MOST_STEP_CLASSES - 1) / MOST_STEP_CLASSES, first = k / in_one * in_one,
             last = first + in_one < n ? first + in_one : n;
    if (in_one <= 1)
        snprintf(text, sizeof text, "%s %u", name, k + 1);
    else
        snprintf(text, sizeof text, "%s %u-%u", name, first + 1, last);
    collective_phase(c, text);
}

static uint32_t steps_of_doubling(uint32_t num)
{
    uint32_t steps = 0;
    while (((uint64_t)1 << steps) < num)
        steps++;
    return steps;
}

/* ---- barrier */

static void collective_dissemination(const collective *c)
{
    uint32_t steps = steps_of_doubling(c->num);
    for (uint32_t k = 0; k < steps; k++) {
        collective_step_phase(c, "dissemination", k, steps);
        for (uint32_t i = 0; i < c->num; i++)
            workload_collective_move(c, i, (uint32_t)((i + ((uint64_t)1 << k)) % c->num), 0, 1,
                                     MOVE_JOIN);
        c->next(c->ctx);
    }
}

/* ---- trees */

/* From the root; whole: every process gets all blocks, else those of its subtree. */
static void collective_tree_down(const collective *c, const char *name, bool whole)
{
    uint64_t blocks = collective_blocks(c);
    uint32_t steps = steps_of_doubling(c->num);
    for (uint32_t k = 0; k < steps; k++) {
        uint64_t mask = (uint64_t)1 << (steps - 1 - k);
        collective_step_phase(c, name, k, steps);
        for (uint64_t i = 0; i + mask < c->num; i += 2 * mask) {
            uint64_t to = i + mask, end = to + mask < c->num ? to + mask : c->num;
            workload_collective_move(c, (uint32_t)i, (uint32_t)to, whole ? 0 : to,
                                     whole ? blocks : end - to, MOVE_COPY);
        }
        c->next(c->ctx);
    }
}

/* To the root. */
static void collective_tree_up(const collective *c, const char *name, bool whole)
{
    uint64_t blocks = collective_blocks(c);
    uint32_t steps = steps_of_doubling(c->num);
    for (uint32_t k = 0; k < steps; k++) {
        uint64_t mask = (uint64_t)1 << k;
        collective_step_phase(c, name, k, steps);
        for (uint64_t i = mask; i < c->num; i += 2 * mask) {
            uint64_t end = i + mask < c->num ? i + mask : c->num;
            workload_collective_move(c, (uint32_t)i, (uint32_t)(i - mask), whole ? 0 : i,
                                     whole ? blocks : end - i, whole ? MOVE_REDUCE : MOVE_COPY);
        }
        c->next(c->ctx);
    }
}

/* ---- rings: process i holds, or ends with, block i */

static void collective_ring_reduce(const collective *c)
{
    collective_phase(c, "ring reduce-scatter");
    for (uint32_t k = 0; k + 1 < c->num; k++) {
        for (uint32_t i = 0; i < c->num; i++)
            workload_collective_move(c, i, (i + 1) % c->num,
                                     ((uint64_t)i + 2 * c->num - 1 - k) % c->num, 1, MOVE_REDUCE);
        c->next(c->ctx);
    }
}

static void collective_ring_gather(const collective *c)
{
    collective_phase(c, "ring allgather");
    for (uint32_t k = 0; k + 1 < c->num; k++) {
        for (uint32_t i = 0; i < c->num; i++)
            workload_collective_move(c, i, (i + 1) % c->num, ((uint64_t)i + c->num - k) % c->num, 1,
                                     MOVE_COPY);
        c->next(c->ctx);
    }
}

/* ---- halving and doubling */

typedef struct folded {
    uint32_t power, rest; /* processes that go on; those that have folded */
    /* one block per process, so that a folded pair has two; else one per process that goes on */
    bool per_process;
} folded;

static folded collective_fold_of(const collective *c, bool per_process)
{
    uint32_t power = collective_power_below(c->num);
    return (folded){power, c->num - power, per_process};
}

/* Which process goes on as number n. */
static uint32_t collective_live(const folded *f, uint32_t n)
{
    return n < f->rest ? 2 * n : n + f->rest;
}

static uint64_t collective_first_block(const folded *f, uint32_t n)
{
    return f->per_process ? (n < f->rest ? 2 * (uint64_t)n : (uint64_t)n + f->rest) : n;
}

static void collective_fold(const collective *c, const folded *f)
{
    if (!f->rest)
        return;
    collective_phase(c, "fold");
    for (uint32_t k = 0; k < f->rest; k++)
        workload_collective_move(c, 2 * k + 1, 2 * k, 0, collective_blocks(c), MOVE_REDUCE);
    c->next(c->ctx);
}

/* own: only the block of the process that had folded. */
static void collective_unfold(const collective *c, const folded *f, bool own)
{
    if (!f->rest)
        return;
    collective_phase(c, "unfold");
    for (uint32_t k = 0; k < f->rest; k++)
        workload_collective_move(c, 2 * k, 2 * k + 1, own ? 2 * (uint64_t)k + 1 : 0,
                                 own ? 1 : collective_blocks(c), MOVE_COPY);
    c->next(c->ctx);
}

static void collective_send_range(const collective *c, const folded *f, uint32_t src, uint32_t dst,
                                  uint32_t low, uint32_t mask, collective_effect effect)
{
    uint64_t first = collective_first_block(f, low);
    workload_collective_move(c, collective_live(f, src), collective_live(f, dst), first,
                             collective_first_block(f, low + mask) - first, effect);
}

static void collective_halving(const collective *c, const folded *f)
{
    uint32_t steps = steps_of_doubling(f->power), k = 0;
    for (uint32_t mask = f->power / 2; mask; mask /= 2) {
        collective_step_phase(c, "halving", k++, steps);
        for (uint32_t n = 0; n < f->power; n++)
            collective_send_range(c, f, n, n ^ mask, (n ^ mask) & ~(mask - 1), mask, MOVE_REDUCE);
        c->next(c->ctx);
    }
}

static void collective_doubling(const collective *c, const folded *f)
{
    uint32_t steps = steps_of_doubling(f->power), k = 0;
    for (uint32_t mask = 1; mask < f->power; mask *= 2) {
        collective_step_phase(c, "doubling", k++, steps);
        for (uint32_t n = 0; n < f->power; n++)
            collective_send_range(c, f, n, n ^ mask, n & ~(mask - 1), mask, MOVE_COPY);
        c->next(c->ctx);
    }
}

/* Whole vectors. */
static void collective_doubling_reduce(const collective *c)
{
    folded f = collective_fold_of(c, false);
    uint32_t steps = steps_of_doubling(f.power), k = 0;
    collective_fold(c, &f);
    for (uint32_t mask = 1; mask < f.power; mask *= 2) {
        collective_step_phase(c, "doubling", k++, steps);
        for (uint32_t n = 0; n < f.power; n++)
            workload_collective_move(c, collective_live(&f, n), collective_live(&f, n ^ mask), 0,
                                     collective_blocks(c), MOVE_REDUCE);
        c->next(c->ctx);
    }
    collective_unfold(c, &f, false);
}

static void rabenseifner_allreduce(const collective *c)
{
    folded f = collective_fold_of(c, false);
    collective_fold(c, &f);
    collective_halving(c, &f);
    collective_doubling(c, &f);
    collective_unfold(c, &f, false);
}

/* The blocks of those that went on are gathered by a binomial tree. */
static void rabenseifner_reduce(const collective *c)
{
    folded f = collective_fold_of(c, false);
    uint32_t steps = steps_of_doubling(f.power), k = 0;
    collective_fold(c, &f);
    collective_halving(c, &f);
    for (uint32_t mask = 1; mask < f.power; mask *= 2) {
        collective_step_phase(c, "gather", k++, steps);
        for (uint32_t n = mask; n < f.power; n += 2 * mask)
            collective_send_range(c, &f, n, n - mask, n, mask, MOVE_COPY);
        c->next(c->ctx);
    }
}

static void collective_halving_scatter(const collective *c)
{
    folded f = collective_fold_of(c, true);
    collective_fold(c, &f);
    collective_halving(c, &f);
    collective_unfold(c, &f, true);
}

static void collective_doubling_gather(const collective *c)
{
    folded f = collective_fold_of(c, true);
    assert(!f.rest);
    collective_doubling(c, &f);
}

/* ---- Bruck */

static void collective_bruck_gather(const collective *c)
{
    uint32_t steps = steps_of_doubling(c->num), k = 0;
    for (uint64_t mask = 1; mask < c->num; mask *= 2) {
        uint64_t blocks = mask < c->num - mask ? mask : c->num - mask;
        collective_step_phase(c, "bruck", k++, steps);
        for (uint32_t i = 0; i < c->num; i++)
            workload_collective_move(c, i, (uint32_t)((i + c->num - mask) % c->num), i, blocks,
                                     MOVE_COPY);
        c->next(c->ctx);
    }
}

/* The block for the process j further on travels by the bits of j, lowest first. */
static void collective_bruck_alltoall(const collective *c)
{
    uint32_t steps = steps_of_doubling(c->num), k = 0;
    for (uint64_t mask = 1; mask < c->num; mask *= 2) {
        collective_step_phase(c, "bruck", k++, steps);
        for (uint32_t i = 0; i < c->num; i++)
            for (uint64_t j = mask; j < c->num; j++) {
                uint64_t from = (i + c->num - (j & (mask - 1))) % c->num;
                if (j & mask)
                    workload_collective_move(c, i, (uint32_t)((i + mask) % c->num),
                                             from * c->num + (from + j) % c->num, 1, MOVE_COPY);
            }
        c->next(c->ctx);
    }
}

/* ---- one message per pair */

static uint32_t collective_pair_of(const collective *c, uint32_t i, uint32_t k)
{
    return collective_is_power(c->num) ? i ^ k : (uint32_t)(((uint64_t)i + k) % c->num);
}

static void pairwise_alltoall(const collective *c)
{
    for (uint32_t k = 1; k < c->num; k++) {
        collective_step_phase(c, "pairwise", k - 1, c->num - 1);
        for (uint32_t i = 0; i < c->num; i++)
            workload_collective_move(c, i, collective_pair_of(c, i, k),
                                     (uint64_t)i * c->num + collective_pair_of(c, i, k), 1,
                                     MOVE_COPY);
        c->next(c->ctx);
    }
}

static void pairwise_scatter(const collective *c)
{
    for (uint32_t k = 1; k < c->num; k++) {
        collective_step_phase(c, "pairwise", k - 1, c->num - 1);
        for (uint32_t i = 0; i < c->num; i++)
            workload_collective_move(c, i, collective_pair_of(c, i, k), collective_pair_of(c, i, k),
                                     1, MOVE_REDUCE);
        c->next(c->ctx);
    }
}

static void collective_linear_alltoall(const collective *c)
{
    collective_phase(c, "linear");
    for (uint32_t i = 0; i < c->num; i++)
        for (uint32_t k = 1; k < c->num; k++) {
            uint32_t to = (uint32_t)(((uint64_t)i + k) % c->num);
            workload_collective_move(c, i, to, (uint64_t)i * c->num + to, 1, MOVE_COPY);
        }
    c->next(c->ctx);
}

static void collective_linear_gather(const collective *c)
{
    collective_phase(c, "linear");
    for (uint32_t i = 1; i < c->num; i++)
        workload_collective_move(c, i, 0, i, 1, MOVE_COPY);
    c->next(c->ctx);
}

static void collective_linear_scatter(const collective *c)
{
    collective_phase(c, "linear");
    for (uint32_t i = 1; i < c->num; i++)
        workload_collective_move(c, 0, i, i, 1, MOVE_COPY);
    c->next(c->ctx);
}

/* ---- scans: what a process has goes to later ones, which add it */

static void scan_dissemination(const collective *c)
{
    uint32_t steps = steps_of_doubling(c->num);
    for (uint32_t k = 0; k < steps; k++) {
        uint64_t far = (uint64_t)1 << k;
        collective_step_phase(c, "scan", k, steps);
        for (uint64_t i = 0; i + far < c->num; i++)
            workload_collective_move(c, (uint32_t)i, (uint32_t)(i + far), 0, 1, MOVE_REDUCE);
        c->next(c->ctx);
    }
}

static void collective_scan_linear(const collective *c)
{
    for (uint32_t i = 0; i + 1 < c->num; i++) {
        collective_step_phase(c, "scan", i, c->num - 1);
        workload_collective_move(c, i, i + 1, 0, 1, MOVE_REDUCE);
        c->next(c->ctx);
    }
}

/* ---- which there are */

static void binomial_broadcast(const collective *c)
{
    collective_tree_down(c, "broadcast", true);
}

static void scatter_allgather(const collective *c)
{
    collective_tree_down(c, "scatter", false);
    collective_ring_gather(c);
}

static void collective_binomial_reduce(const collective *c)
{
    collective_tree_up(c, "reduce", true);
}

static void collective_binomial_gather(const collective *c)
{
    collective_tree_up(c, "gather", false);
}

static void binomial_scatter(const collective *c)
{
    collective_tree_down(c, "scatter", false);
}

static void collective_ring_allreduce(const collective *c)
{
    collective_ring_reduce(c);
    collective_ring_gather(c);
}

/* Into how many blocks an operation's data are divided. */
typedef enum division { NONE, ONE, PER_PROCESS, PER_LIVE, PER_PAIR } division;

static const struct entry {
    collective_operation operation;
    collective_algorithm algorithm;
    void (*run)(const collective *c);
    division blocks;
    bool power; /* only for a power of two of processes */
} entries[] = {
    {COLLECTIVE_BARRIER, COLLECTIVE_DISSEMINATION, collective_dissemination, ONE, false},
    {COLLECTIVE_BROADCAST, COLLECTIVE_BINOMIAL, binomial_broadcast, ONE, false},
    {COLLECTIVE_BROADCAST, COLLECTIVE_SCATTER_ALLGATHER, scatter_allgather, PER_PROCESS, false},
    {COLLECTIVE_REDUCE, COLLECTIVE_BINOMIAL, collective_binomial_reduce, ONE, false},
    {COLLECTIVE_REDUCE, COLLECTIVE_RABENSEIFNER, rabenseifner_reduce, PER_LIVE, false},
    {COLLECTIVE_ALLREDUCE, COLLECTIVE_RECURSIVE_DOUBLING, collective_doubling_reduce, ONE, false},
    {COLLECTIVE_ALLREDUCE, COLLECTIVE_HALVING_DOUBLING, rabenseifner_allreduce, PER_LIVE, true},
    {COLLECTIVE_ALLREDUCE, COLLECTIVE_RABENSEIFNER, rabenseifner_allreduce, PER_LIVE, false},
    {COLLECTIVE_ALLREDUCE, COLLECTIVE_RING, collective_ring_allreduce, PER_PROCESS, false},
    {COLLECTIVE_ALLGATHER, COLLECTIVE_RING, collective_ring_gather, PER_PROCESS, false},
    {COLLECTIVE_ALLGATHER, COLLECTIVE_RECURSIVE_DOUBLING, collective_doubling_gather, PER_PROCESS,
     true},
    {COLLECTIVE_ALLGATHER, COLLECTIVE_BRUCK, collective_bruck_gather, PER_PROCESS, false},
    {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_RECURSIVE_HALVING, collective_halving_scatter,
     PER_PROCESS, false},
    {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_RING, collective_ring_reduce, PER_PROCESS, false},
    {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_PAIRWISE, pairwise_scatter, PER_PROCESS, false},
    {COLLECTIVE_ALLTOALL, COLLECTIVE_LINEAR, collective_linear_alltoall, PER_PAIR, false},
    {COLLECTIVE_ALLTOALL, COLLECTIVE_PAIRWISE, pairwise_alltoall, PER_PAIR, false},
    {COLLECTIVE_ALLTOALL, COLLECTIVE_BRUCK, collective_bruck_alltoall, PER_PAIR, false},
    {COLLECTIVE_ALLTOALLV, COLLECTIVE_LINEAR, collective_linear_alltoall, PER_PAIR, false},
    {COLLECTIVE_ALLTOALLV, COLLECTIVE_PAIRWISE, pairwise_alltoall, PER_PAIR, false},
    {COLLECTIVE_GATHER, COLLECTIVE_BINOMIAL, collective_binomial_gather, PER_PROCESS, false},
    {COLLECTIVE_GATHER, COLLECTIVE_LINEAR, collective_linear_gather, PER_PROCESS, false},
    {COLLECTIVE_SCATTER, COLLECTIVE_BINOMIAL, binomial_scatter, PER_PROCESS, false},
    {COLLECTIVE_SCATTER, COLLECTIVE_LINEAR, collective_linear_scatter, PER_PROCESS, false},
    {COLLECTIVE_SCAN, COLLECTIVE_DISSEMINATION, scan_dissemination, ONE, false},
    {COLLECTIVE_SCAN, COLLECTIVE_LINEAR, collective_scan_linear, ONE, false},
};
enum { NUM_ENTRIES = sizeof entries / sizeof *entries };

static const struct entry *collective_find(collective_operation operation,
                                           collective_algorithm algorithm)
{
    for (unsigned k = 0; k < NUM_ENTRIES; k++)
        if (entries[k].operation == operation && entries[k].algorithm == algorithm)
            return &entries[k];
    return NULL;
}

uint64_t collective_blocks(const collective *c)
{
    const struct entry *e = collective_find(c->operation, c->algorithm);
    switch (e ? e->blocks : NONE) {
    case PER_PROCESS:
        return c->num;
    case PER_LIVE:
        return collective_power_below(c->num);
    case PER_PAIR:
        return (uint64_t)c->num * c->num;
    case ONE:
        return 1;
    default:
        return 0;
    }
}

collective_algorithm collective_choose(collective_operation operation,
                                       collective_algorithm algorithm, uint32_t num, uint64_t bytes)
{
    /* of allgather: what all processes together have */
    double all = (double)bytes * num;
    if (algorithm != COLLECTIVE_AUTO)
        return algorithm;
    switch (operation) {
    case COLLECTIVE_BARRIER:
    case COLLECTIVE_SCAN:
        return COLLECTIVE_DISSEMINATION;
    case COLLECTIVE_BROADCAST:
        return bytes < 12288 || num < 8 ? COLLECTIVE_BINOMIAL : COLLECTIVE_SCATTER_ALLGATHER;
    case COLLECTIVE_REDUCE:
        return bytes <= 2048 ? COLLECTIVE_BINOMIAL : COLLECTIVE_RABENSEIFNER;
    case COLLECTIVE_ALLREDUCE:
        return bytes <= 2048 ? COLLECTIVE_RECURSIVE_DOUBLING : COLLECTIVE_RABENSEIFNER;
    case COLLECTIVE_ALLGATHER:
        return all >= 524288              ? COLLECTIVE_RING
               : collective_is_power(num) ? COLLECTIVE_RECURSIVE_DOUBLING
               : all < 81920              ? COLLECTIVE_BRUCK
                                          : COLLECTIVE_RING;
    case COLLECTIVE_REDUCE_SCATTER:
        return all < 524288 ? COLLECTIVE_RECURSIVE_HALVING : COLLECTIVE_PAIRWISE;
    case COLLECTIVE_ALLTOALL:
        return bytes <= 256 && num >= 8 ? COLLECTIVE_BRUCK
               : bytes <= 32768         ? COLLECTIVE_LINEAR
                                        : COLLECTIVE_PAIRWISE;
    case COLLECTIVE_ALLTOALLV:
        return COLLECTIVE_LINEAR;
    default:
        return COLLECTIVE_BINOMIAL;
    }
}

/* Word `index` of "a|b|c". */
static const char *collective_word(const char *list, unsigned index, char *text, size_t size)
{
    while (index--)
        list += strcspn(list, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(list, "|"), list);
    return text;
}

static ik_status collective_refuse_algorithm(const collective *c, ik_error *err)
{
    char operation[32], algorithm[32], all[200] = "auto";
    collective_word(COLLECTIVE_OPERATION_NAMES, c->operation, operation, sizeof operation);
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE, "traffic 'collective': %s has no algorithm '%s'", operation,
                     collective_word(COLLECTIVE_ALGORITHM_NAMES, c->algorithm, algorithm,
                                     sizeof algorithm)),
             "algorithm operation");
    for (unsigned k = 0; k < NUM_ENTRIES; k++)
        if (entries[k].operation == c->operation) {
            collective_word(COLLECTIVE_ALGORITHM_NAMES, entries[k].algorithm, algorithm,
                            sizeof algorithm);
            snprintf(all + strlen(all), sizeof all - strlen(all), ", %s", algorithm);
        }
    return ik_hint(err, IK_ERR_USAGE, "it has %s", all);
}

static ik_status collective_refuse_number(const collective *c, ik_error *err)
{
    char operation[32], algorithm[32];
    ik_about(
        err,
        ik_fail(
            err, IK_ERR_USAGE,
            "traffic 'collective': %s by %s is defined for a power of two of processes, not %u",
            collective_word(COLLECTIVE_OPERATION_NAMES, c->operation, operation, sizeof operation),
            collective_word(COLLECTIVE_ALGORITHM_NAMES, c->algorithm, algorithm, sizeof algorithm),
            c->num),
        "processes algorithm");
    return ik_hint(err, IK_ERR_USAGE, "%s takes any number",
                   c->operation == COLLECTIVE_ALLREDUCE ? "rabenseifner" : "bruck");
}

ik_status collective_run(const collective *c, ik_error *err)
{
    assert(c->num && c->root < c->num);
    const struct entry *e = collective_find(c->operation, c->algorithm);
    if (!e)
        return collective_refuse_algorithm(c, err);
    if (e->power && !collective_is_power(c->num))
        return collective_refuse_number(c, err);
    e->run(c);
    return IK_OK;
}
