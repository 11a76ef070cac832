/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel/parallel.h: the partitions of a run, and how they keep together. */
#ifndef IKAT_SIM_PARALLEL_H
#define IKAT_SIM_PARALLEL_H

#include "sim/parallel/cut.h"
#include "sim/parallel/exchange.h"

/* Set-up only (partition.c). In a window each thread writes to its own element of partitions. */
typedef struct parallel_state {
    struct partition *partitions; /* [num_partitions] */
    unsigned num_partitions;
    uint16_t *node_partition; /* [node] the one that owns it */
    sim_cut_quality cut;
    sim_exchange *exchange; /* NULL with one partition */
    sim_exchange *threads;  /* the one between threads, owned */
    sim_exchange *ranks;    /* the one between ranks, owned; NULL = memory is shared */
    unsigned here;          /* with ranks: the partition that this process works on */
    /* windows between two exchanges: the shortest link between partitions, over the shortest of
     * all */
    uint64_t step_windows;
} parallel_state;

#endif
