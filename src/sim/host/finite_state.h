/* SPDX-License-Identifier: Apache-2.0
 *
 * host/finite_state.h: what host/finite.c keeps of a workload, and host/finite_end.c reads. */
#ifndef IKAT_SIM_FINITE_STATE_H
#define IKAT_SIM_FINITE_STATE_H

#include "base/array.h"
#include "sim/host/finite.h"

/* Operations in a row: those of which packets take turns, and those that wait for a place there. */
typedef struct op_list {
    uint32_t head, tail, num;
} op_list;

typedef struct op_state {
    uint64_t ready_ps; /* latest end of what it has waited for so far; then when it was released */
    uint64_t left;     /* SEND: bytes to be sent; RECV: bytes to come */
    uint64_t done_ps;  /* UINT64_MAX = not yet */
    uint32_t waits;    /* for so many more */
    uint32_t next;     /* in its list */
    uint32_t cause;    /* the operation that released it, IK_NONE = nothing */
    uint32_t vc;
} op_state;

typedef struct finite {
    const ik_workload *w;
    uint64_t *finish_ps; /* [host] last delivery or end of an operation */
    /* ---- all-to-all */
    ik_traffic visits; /* the visits as a pattern */
    ik_traffic_family family;
    uint64_t *keys;                         /* [host] */
    uint64_t per_round, rounds, per_repeat; /* visits of a host */
    uint64_t packets_per_repeat;            /* of a host, sent and received */
    uint64_t *begun_ps;                     /* [host] the repetition that goes on */
    uint32_t *repetition;                   /* [host] its number */
    uint64_t *received, *received_ps;       /* [host * repeat] packets, the last of them */
    /* ---- graph */
    op_state *ops;
    uint64_t *first_packet;  /* [num_ops + 1] of the numbers of its host's packets */
    op_list *turns, *behind; /* [host * queues] */
    ik_heap *due;            /* [host] */
    uint64_t *cpu_free;      /* [host * num_cpus] */
    uint64_t *ops_left;      /* [host] */
    uint64_t *in_turn; /* [host * queues] packets that the first message has sent in its turn */
} finite;

#endif
