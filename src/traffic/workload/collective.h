/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/collective.h: the algorithms of collective operations, as steps of moves of blocks
 * between processes. What becomes of the moves (messages of a dependency graph; in tests the
 * contents of each process) is the caller's. */
#ifndef IK_COLLECTIVE_H
#define IK_COLLECTIVE_H

#include "ikat/base.h"

typedef enum collective_operation {
    COLLECTIVE_BARRIER,
    COLLECTIVE_BROADCAST,
    COLLECTIVE_REDUCE,
    COLLECTIVE_ALLREDUCE,
    COLLECTIVE_ALLGATHER,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALLTOALL,
    COLLECTIVE_ALLTOALLV,
    COLLECTIVE_GATHER,
    COLLECTIVE_SCATTER,
    COLLECTIVE_SCAN, /* process i gets the reduction over 0 … i */
    COLLECTIVE_OPERATIONS
} collective_operation;
#define COLLECTIVE_OPERATION_NAMES                                                                 \
    "barrier|broadcast|reduce|allreduce|allgather|reduce_scatter|alltoall|alltoallv|gather|"       \
    "scatter|scan"

typedef enum collective_algorithm {
    COLLECTIVE_AUTO,
    COLLECTIVE_DISSEMINATION,
    COLLECTIVE_BINOMIAL,
    COLLECTIVE_SCATTER_ALLGATHER,
    COLLECTIVE_RECURSIVE_DOUBLING,
    COLLECTIVE_RECURSIVE_HALVING,
    COLLECTIVE_HALVING_DOUBLING,
    COLLECTIVE_RABENSEIFNER,
    COLLECTIVE_RING,
    COLLECTIVE_BRUCK,
    COLLECTIVE_PAIRWISE,
    COLLECTIVE_LINEAR,
    COLLECTIVE_ALGORITHMS
} collective_algorithm;
#define COLLECTIVE_ALGORITHM_NAMES                                                                 \
    "auto|dissemination|binomial|scatter_allgather|recursive_doubling|recursive_halving|"          \
    "halving_doubling|rabenseifner|ring|bruck|pairwise|linear"

/* What a move does at its destination: the block is put there, added to what is there (a reduction,
 * every contribution once), or joined with it (knowledge, as a barrier's). */
typedef enum collective_effect { MOVE_COPY, MOVE_REDUCE, MOVE_JOIN } collective_effect;

/* The blocks first … first + num - 1, modulo all blocks, go from src to dst. Those of one step are
 * what the processes hold at its beginning. Moves in a row from one process to another one are one
 * message. */
typedef struct collective_move {
    uint32_t src, dst; /* processes */
    uint64_t first, num;
    collective_effect effect;
} collective_move;

typedef struct collective {
    collective_operation operation;
    collective_algorithm algorithm; /* not AUTO: see collective_choose */
    uint32_t num, root;             /* processes; root < num */
    /* called before the moves of a phase, with its name; each move; after the moves of a step */
    void (*phase)(void *ctx, const char *name);
    void (*move)(void *ctx, const collective_move *m);
    void (*next)(void *ctx);
    void *ctx;
} collective;

/* Into how many blocks the data of the operation are divided. allreduce, reduce, broadcast, scan:
 * parts of the vector; alltoall and alltoallv: block src * num + dst; the others: one per process,
 * with a root in the order root, root + 1, … modulo num. 0: the operation has no such algorithm. */
uint64_t collective_blocks(const collective *c);
/* What AUTO is for so many bytes (as the parameter `bytes` counts them): the choices of R. Thakur,
 * R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in MPICH, IJHPCA
 * 19(1), 2005. Any other algorithm is itself. */
collective_algorithm collective_choose(collective_operation operation,
                                       collective_algorithm algorithm, uint32_t num,
                                       uint64_t bytes);
/* Calls the functions of c for all steps, in order. IK_ERR_USAGE: the operation has no such
 * algorithm, or that is only defined for a power of two of processes. Cost: O(moves). */
ik_status collective_run(const collective *c, ik_error *err);

#endif
