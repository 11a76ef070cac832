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
    /* SEND: when its first packet was sent; RECV: when the packet that came last was sent */
    uint64_t moved_ps;
    /* SEND: how long the link was busy from its release to then; until then the time that it had
     * been busy at the release */
    uint64_t busy_ps;
} op_state;

/* All-to-all: a repetition at a host. */
typedef struct round_state {
    uint64_t received; /* packets; not counted where there is one repetition */
    uint64_t begun_ps;
    /* the packet that came last: when it came, when it was sent, by whom */
    uint64_t last_ps, inject_ps;
    uint64_t src;
} round_state;

typedef struct finite {
    const ik_workload *w;
    uint64_t *finish_ps; /* [host] last delivery or end of an operation */
    /* ---- all-to-all */
    ik_traffic visits; /* the visits as a pattern */
    ik_traffic_family family;
    uint64_t *keys;                         /* [host] */
    uint64_t per_round, rounds, per_repeat; /* visits of a host */
    uint64_t packets_per_repeat;            /* of a host, sent and received */
    uint32_t *repetition;                   /* [host] that goes on */
    round_state *states;                    /* [host * repeat] */
    /* ---- graph */
    op_state *ops;
    uint64_t *first_packet;  /* [num_ops + 1] of the numbers of its host's packets */
    op_list *turns, *behind; /* [host * queues] */
    ik_heap *due;            /* [host] */
    uint64_t *cpu_free;      /* [host * num_cpus] */
    uint64_t *ops_left;      /* [host] */
    uint64_t *sent_ps;       /* [host] that its link has been busy with what was sent so far */
    uint64_t *in_turn; /* [host * queues] packets that the first message has sent in its turn */
} finite;

#endif
