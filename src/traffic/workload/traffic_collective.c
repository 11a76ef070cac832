/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_collective.c: collective operations of processes, as messages that wait for each other.
 *
 * The algorithms (workload/collective.h) give moves of blocks step by step; those in a row between
 * two processes are one message (workload/steps.h). They are counted first, so that too large a
 * workload is refused before it is made. */
#include "traffic/pattern.h"
#include "traffic/workload/collective.h"
#include "traffic/workload/member.h"
#include "traffic/workload/pair_sizes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OWNER "traffic 'collective'"

static const ik_param params[] = {
    {"operation", IK_PARAM_ENUM, NULL, 0, 0, COLLECTIVE_OPERATION_NAMES,
     "what all processes do together"},
    {"algorithm", IK_PARAM_ENUM, "auto", 0, 0, COLLECTIVE_ALGORITHM_NAMES,
     "auto: as MPICH chooses, by size and number of processes (docs/workloads.md)"},
    {"bytes", IK_PARAM_SIZE, "", 1, 1e15, NULL,
     "broadcast, reduce, allreduce, scan: size of the vector (default 64 KiB); barrier: size of a "
     "message (default 8 B); others: what one process sends to, or gets from, one other process "
     "(default 64 KiB)",
     "not operation=alltoallv or sizes=" PAIR_SIZES_RULES, "the file has the sizes"},
    {"root", IK_PARAM_UINT, "0", 0, 4294967294.0, NULL,
     "process that has all data at the start, or gets all data",
     "operation=broadcast|reduce|gather|scatter", "the other operations have no root"},
    {"sizes", IK_PARAM_PATH, "random", 0, 0, PAIR_SIZES_RULES,
     "bytes from process i to process j: random, from 1 B to twice `bytes`; ramp: growing with j, "
     "`bytes` on average; or a file whose row i has the number of bytes for every j",
     "operation=alltoallv", "the other operations have messages of one size"},
    {"repeat", IK_PARAM_UINT, "1", 1, 10000, NULL,
     "number of times; a process begins again when it has done its part of the time before"},
    PROCESSES_PARAM,
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of random mappings and sizes (default: the experiment's seed)",
     "mapping=random or operation=alltoallv and sizes=random", "nothing else is drawn"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* ---- from moves to messages */

typedef struct maker {
    collective of;
    uint64_t bytes, blocks;
    const uint64_t *sizes; /* of pairs; NULL = all of one size */
    steps *to;             /* NULL: they are counted */
    uint64_t messages;
    /* the message that is being put together */
    uint32_t src, dst;
    uint64_t open;
} maker;

static void collective_close_message(maker *m)
{
    m->messages += m->open > 0;
    if (m->open && m->to)
        steps_send(m->to, m->src, m->dst, m->open);
    m->open = 0;
}

/* Bytes of the blocks before number `block` of a vector that is divided among `blocks`. */
static uint64_t collective_bytes_before(uint64_t bytes, uint64_t blocks, uint64_t block)
{
    assert(blocks > 0 && block <= blocks);
    return bytes / blocks * block + bytes % blocks * block / blocks;
}

static uint64_t collective_size_of(const maker *m, const collective_move *v)
{
    switch (m->of.operation) {
    case COLLECTIVE_BROADCAST:
    case COLLECTIVE_REDUCE:
    case COLLECTIVE_ALLREDUCE:
        assert(v->first < m->blocks && v->num <= m->blocks - v->first);
        return collective_bytes_before(m->bytes, m->blocks, v->first + v->num) -
               collective_bytes_before(m->bytes, m->blocks, v->first);
    case COLLECTIVE_ALLTOALLV:
        assert(v->num == 1);
        return m->sizes[v->first];
    default:
        return m->bytes * v->num;
    }
}

static void collective_take_move(void *ctx, const collective_move *v)
{
    maker *m = ctx;
    if (m->src != v->src || m->dst != v->dst)
        collective_close_message(m);
    m->src = v->src;
    m->dst = v->dst;
    m->open += collective_size_of(m, v);
}

static void collective_take_phase(void *ctx, const char *name)
{
    maker *m = ctx;
    if (m->to)
        steps_phase(m->to, name);
}

static void collective_take_next(void *ctx)
{
    maker *m = ctx;
    collective_close_message(m);
    if (m->to)
        steps_next(m->to);
}

/* ---- making one */

/* An operation of the builder, of the graph, and what finishing it needs, twice a message. */
enum { BYTES_PER_MESSAGE = 250 };

static ik_status collective_count(maker *m, uint64_t repeat, const ik_env *env, ik_error *err)
{
    /* no move may wrap around 64 bits: all processes together at most 2^60 B at a time */
    double most = (double)m->bytes * m->of.num;
    if (m->of.operation != COLLECTIVE_ALLTOALLV && most > 0x1p60)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                OWNER ": %u processes with %llu B each are more than "
                                      "2^60 B",
                                m->of.num, (unsigned long long)m->bytes),
                        "bytes processes");
    ik_status status = collective_run(&m->of, err);
    if (status == IK_OK && !m->messages)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, OWNER ": %u %s no message to send", m->of.num,
                                m->of.num == 1 ? "process has" : "processes have"),
                        "processes hosts bytes sizes");
    if (status != IK_OK)
        return status;
    status = ik_env_refuse_bytes(env, (double)m->messages * (double)repeat * BYTES_PER_MESSAGE,
                                 OWNER, err);
    return status == IK_OK ? IK_OK : ik_about(err, status, "repeat processes hosts");
}

static ik_status collective_make(const ik_traffic *t, workload_member *k, maker *m, uint64_t repeat,
                                 const ik_env *env, ik_error *err)
{
    steps s;
    m->of.phase = collective_take_phase;
    m->of.move = collective_take_move;
    m->of.next = collective_take_next;
    m->of.ctx = m;
    m->blocks = collective_blocks(&m->of);
    ik_status status = collective_count(m, repeat, env, err);
    if (status == IK_OK)
        status = steps_open(&s, OWNER, "bytes repeat sizes processes", t->num_hosts, &k->map, err);
    if (status != IK_OK)
        return status;
    m->to = &s;
    for (uint64_t r = 0; r < repeat && status == IK_OK && !s.b.no_memory; r++)
        status = collective_run(&m->of, err);
    if (status != IK_OK) {
        steps_free(&s);
        return status;
    }
    return member_finish_steps(t, k, &s, err);
}

static uint64_t collective_bytes_of(const ik_params *p, collective_operation operation)
{
    if (ik_params_has(p, "bytes"))
        return ik_params_uint(p, "bytes");
    return operation == COLLECTIVE_BARRIER ? 8 : 65536;
}

static ik_status collective_refuse_root(const collective *c, ik_error *err)
{
    ik_about(
        err,
        ik_fail(err, IK_ERR_USAGE, OWNER ": root %u of %s", c->root, IK_COUNT(c->num, "process")),
        "root processes");
    return ik_hint(err, IK_ERR_USAGE, "processes are numbered from 0 to %u", c->num - 1);
}

static ik_status collective_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                   ik_error *err)
{
    workload_member *k = member_new(t, OWNER, err);
    if (!k)
        return IK_ERR_MEMORY;
    collective_operation operation = (collective_operation)ik_params_enum(p, "operation");
    uint64_t wanted = ik_params_has(p, "processes") ? ik_params_uint(p, "processes") : 0;
    uint64_t *sizes = NULL, seed = pattern_seed(t, p);
    maker m = {.bytes = collective_bytes_of(p, operation)};
    ik_status status = mapping_make(t->fabric, OWNER, p, wanted, seed, env, &k->map, err);
    if (status == IK_OK)
        status = mapping_portable(t, p, &k->map, &t->portable, err);
    if (status != IK_OK)
        return status;
    m.of = (collective){.operation = operation, .num = k->map.num};
    m.of.algorithm = collective_choose(
        operation, (collective_algorithm)ik_params_enum(p, "algorithm"), k->map.num, m.bytes);
    if (ik_params_uint(p, "root") >= k->map.num) {
        m.of.root = (uint32_t)ik_params_uint(p, "root");
        return collective_refuse_root(&m.of, err);
    }
    m.of.root = (uint32_t)ik_params_uint(p, "root");
    if (operation == COLLECTIVE_ALLTOALLV)
        status = pair_sizes_make(OWNER, p, k->map.num, m.bytes, seed, env, &sizes, err);
    m.sizes = sizes;
    if (status == IK_OK)
        status = collective_make(t, k, &m, ik_params_uint(p, "repeat"), env, err);
    free(sizes);
    return status;
}

const ik_traffic_family ik_traffic_collective = {
    .name = "collective",
    .summary = "a collective operation of processes: barrier, broadcast, allreduce, …",
    .source = "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication "
              "Operations in MPICH, IJHPCA 19(1), 2005; J. Bruck et al., IEEE TPDS 8(11), 1997; D. "
              "Hensgen, R. Finkel, U. Manber, Int. J. Parallel Programming 17(1), 1988",
    .details =
        "This is a finite workload (`measure: {until: delivered, at_most: 10 ms}`), whose messages "
        "depend on each other as the algorithm says: what a process sends in a step waits for "
        "everything that it has sent and received before. The number of processes is arbitrary: "
        "recursive doubling and halving fold the processes above a power of two; algorithms that "
        "are defined only for powers of two refuse other numbers. Steps are classes of messages. "
        "Algorithms: barrier "
        "dissemination; broadcast binomial, scatter_allgather; reduce binomial, rabenseifner; "
        "allreduce recursive_doubling, ring, rabenseifner, halving_doubling (a power of two); "
        "allgather ring, bruck, recursive_doubling (a power of two); reduce_scatter "
        "recursive_halving, ring, pairwise; alltoall linear, pairwise, bruck; alltoallv linear, "
        "pairwise; gather and scatter binomial, linear; scan dissemination (to process i + 1, i + "
        "2, i "
        "+ 4 …), linear (i + 1 only).",
    .params = params,
    .create = collective_create,
    .destroy = member_destroy,
    .dest = member_dest,
    .flows = member_flows,
    .ends = true,
    .same_anywhere = true,
};
