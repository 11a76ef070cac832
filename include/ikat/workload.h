/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/workload.h: workloads that end: a finite set of messages with sizes, orders and dependences.
 * A traffic pattern (ikat/traffic.h) is a rule that never ends and is a pure function of a
 * message's number; a workload is what hosts do until all is delivered, and what a host may send
 * depends on what has reached it. Some members of the family `traffic` (exchange, graph,
 * collective) make one: ik_traffic.workload. docs/workloads.md describes both kinds, their
 * invariants and costs.
 *
 *   all-to-all  every host sends every other one the same number of bytes: computed, a few words a
 *               host however many messages there are
 *   graph       operations of hosts (send, receive, calculate) and which of them wait for which,
 *               stored as compressed rows
 *
 * What a host knows changes only by its own operations and by what is delivered to it: dependences
 * are between operations of one host, and a message is what connects two hosts. */
#ifndef IKAT_WORKLOAD_H
#define IKAT_WORKLOAD_H

#include "ikat/fabric.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In which order a host visits its destinations. */
typedef enum ik_visit_order {
    IK_ORDER_RANDOM,  /* drawn for every host */
    IK_ORDER_SHIFT,   /* s + 1, s + 2, … modulo the hosts */
    IK_ORDER_XOR,     /* s ^ 1, s ^ 2, …: the hosts are a power of two */
    IK_ORDER_NEAREST, /* by hops between switches, ties by number */
    /* s - 1, s - 2, … modulo the hosts: what a pairwise exchange does where xor does not fit */
    IK_ORDER_BACK
} ik_visit_order;

/* Every process sends `bytes` to every other one; see ik_alltoall_dest. */
typedef struct ik_alltoall {
    uint32_t num;   /* processes */
    uint32_t *host, /* [num] of a process; NULL = process i runs on host i, and on every host one */
        *process;   /* [num_hosts] the inverse, IK_NONE = none; NULL likewise */
    ik_visit_order order;
    uint64_t seed; /* of random orders */
    uint64_t bytes;
    /* IK_ORDER_NEAREST: [num_switches][num] processes by distance from a switch; [num] the row of a
     * process's switch, and the process's own place in it; else NULL */
    uint32_t *nearest, *row, *own_place;
    uint32_t root; /* ceil of the square root of the destinations of a process */
} ik_alltoall;

typedef enum ik_op_kind { IK_OP_CALC, IK_OP_SEND, IK_OP_RECV } ik_op_kind;

/* What a host does. A calculation is done when its time is over (calculations of one processor of a
 * host one after the other); a send when its last byte has left the host; a receive when its
 * message is delivered and all that it waits for is done. */
typedef struct ik_op {
    uint64_t amount; /* bytes of a message; time of a calculation, ps */
    uint32_t peer;   /* SEND, RECV: the other host; CALC: processor of the host */
    uint32_t match;  /* SEND, RECV: the operation at the other end */
} ik_op;

#define IK_AFTER_START 0x80000000u /* in ik_graph.after: waits for the start, not for the end */

typedef struct ik_graph {
    uint32_t num_hosts, num_ops;
    uint32_t num_cpus;    /* of the host that uses most, at least 1 */
    uint32_t *host_first; /* [num_hosts + 1] its operations, in the order of the program */
    ik_op *ops;           /* [num_ops] */
    uint8_t *kind;        /* [num_ops] ik_op_kind */
    uint16_t *op_class; /* [num_ops] index of ik_workload.classes, of both ends of a message one */
    uint32_t *after_first; /* [num_ops + 1] */
    uint32_t *after;       /* operations of the same host that wait for this one | IK_AFTER_START */
    uint32_t *waits;       /* [num_ops] for how many, a receive for its message, too */
} ik_graph;

typedef struct ik_workload {
    uint32_t num_hosts;
    uint64_t num_messages, bytes; /* of all */
    uint64_t largest;             /* message, bytes */
    /* all messages are of `largest` bytes; then packets are of one size where it is a multiple */
    bool uniform;
    /* packets of a message that are sent in one turn: what an exchange says; 0 = as the adapter
     * says (interleave, active) */
    uint64_t visits;
    uint64_t repeat;       /* all-to-all: so many times; a host begins again once it has sent and
                            * received all of the time before. Graphs have them unrolled */
    ik_alltoall *alltoall; /* one of the two */
    ik_graph *graph;
    /* Classes of messages, which are phases of an exchange, steps of a collective, jobs …: results
     * give a finish time of each, and what looks at phases takes one class for one. [num_classes]
     * names, then NULL, owned; NULL = there is one, without a name (num_classes is 1). */
    char **classes;
    uint32_t num_classes;
} ik_workload;

enum { IK_CLASSES_MAX = 65535 }; /* of a workload */

/* Frees what w owns. */
void ik_workload_clear(ik_workload *w);

/* What a host's order is drawn from: pass it to ik_alltoall_dest. */
uint64_t ik_alltoall_key(const ik_workload *w, uint32_t src);
/* Whether a host has a process of it. */
static inline bool ik_alltoall_has(const ik_alltoall *a, uint32_t host)
{
    return !a->process || a->process[host] != IK_NONE;
}
/* The host that src, which has a process, visits at `place` < num - 1 of its order. O(1). */
uint32_t ik_alltoall_dest(const ik_workload *w, uint32_t src, uint64_t key, uint32_t place);

#ifdef __cplusplus
}
#endif
#endif
