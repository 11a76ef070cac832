/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/workload.h: workloads that end: a finite set of messages with sizes, orders and dependences.
 * A traffic pattern (ikat/traffic.h) is a rule that never ends and is a pure function of a
 * message's number; a workload is what hosts do until all is delivered, and what a host may send
 * depends on what has reached it. Some members of the family `traffic` (exchange, batch,
 * graph, collective) make one: ik_traffic.workload. docs/workloads.md describes both kinds, their
 * invariants and costs.
 *
 *   all-to-all  every host sends every other one the same number of bytes: computed, a few words a
 *               host however many messages there are
 *   batch       so many messages of every host to destinations that an endless pattern draws:
 *               computed as well
 *   graph       operations of hosts (send, receive, calculate) and which of them wait for which,
 *               stored as compressed rows
 *
 * What a host knows changes only by its own operations and by what is delivered to it: dependences
 * are between operations of one host, and a message is what connects two hosts. */
#ifndef IKAT_WORKLOAD_H
#define IKAT_WORKLOAD_H

#include "ikat/fabric.h"

IK_BEGIN_DECLS

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

/* What a rank of a program is in. */
typedef enum ik_call_kind {
    IK_CALL_NONE,
    IK_CALL_COMPUTE,
    IK_CALL_SEND,
    IK_CALL_RECEIVE,
    IK_CALL_WAIT,
    IK_CALL_COLLECTIVE,
    IK_CALL_KINDS
} ik_call_kind;

typedef enum ik_op_kind { IK_OP_CALC, IK_OP_SEND, IK_OP_RECV } ik_op_kind;

/* What a host does. An operation begins when all that it waits for is done or, where it says so,
 * has begun. Those of one processor of a host that cost time (calculations, and messages where
 * overhead_ps is not 0) take it one after the other: by the time when they could begin, then sends,
 * receives, calculations, then in the order of the program.
 *   calculation  done when its time is over
 *   send         takes overhead_ps, then its packets stand in the host's adapter; done as
 *                ik_graph.eager says
 *   receive      has begun when what it waits for is done; done overhead_ps after that and its
 *                message's last byte is there */
typedef struct ik_op {
    uint64_t amount; /* bytes of a message, at least 1; time of a calculation, ps */
    uint32_t peer;   /* SEND, RECV: the other host, of a receive IK_NONE = any; CALC: processor */
    /* SEND, RECV: the operation at the other end; IK_NONE = found when it is there, by the rules of
     * MPI: at hosts with a receive from any source or of any tag */
    uint32_t match;
} ik_op;

#define IK_NO_CPU      255u        /* in ik_graph.cpu: the operation takes no processor's time */
#define IK_AFTER_START 0x80000000u /* in ik_graph.after: waits for the start, not for the end */
/* Where ik_graph.ack is set, messages with a tag of at least this (IK_NONE is none) are no part of
 * the program: requests to send, what clears a message to send, acknowledgements. */
#define IK_TAG_CONTROL (IK_NONE - 2)

/* Lines of a program from several files: those from `first` on, up to the next row's, stand in
 * `path` from its line `line` on. */
typedef struct ik_graph_file {
    uint32_t first, line;
    const char *path; /* one of ik_graph.paths */
} ik_graph_file;

/* What a number of ik_graph.tag stands for in the program that the graph was made of. */
typedef struct ik_graph_tag {
    uint32_t comm, tag; /* tag IK_NONE: of the communicator's collective operations */
} ik_graph_tag;

typedef struct ik_graph {
    uint32_t num_hosts, num_ops;
    uint32_t num_cpus;    /* of the host that uses most, at least 1 */
    uint32_t *host_first; /* [num_hosts + 1] its operations, in the order of the program */
    ik_op *ops;           /* [num_ops] */
    uint8_t *kind;        /* [num_ops] ik_op_kind */
    uint8_t *cpu;         /* [num_ops] processor of the host, below num_cpus, or IK_NO_CPU */
    uint16_t *op_class; /* [num_ops] index of ik_workload.classes, of both ends of a message one */
    uint32_t *after_first; /* [num_ops + 1] */
    uint32_t *after;       /* operations of the same host that wait for this one | IK_AFTER_START */
    /* [num_ops] for how many; a receive whose send is known for its message, too */
    uint32_t *waits;
    uint32_t *tag;      /* [num_ops] of messages; of a receive IK_NONE = any */
    ik_graph_tag *tags; /* [num_tags] of the tags from first_tag on; below, tags are as they are */
    uint32_t first_tag, num_tags;
    uint32_t *line;       /* [num_ops] see ik_graph_line; NULL = it comes from no file */
    char *source;         /* the file; NULL = none */
    ik_graph_file *files; /* [num_files] by `first`; none: all lines are in `source` */
    char **paths;         /* [num_paths] owned */
    uint32_t num_files, num_paths;
    /* false: a send is done when its last byte has left the host. true: when the adapter has it,
     * or, if it is larger than eager_bytes, when its receive is done and the receiver's
     * acknowledgement, a message of 1 byte, has come back: what waits for the send waits for the
     * receive of that one */
    bool eager;
    uint64_t eager_bytes;
    /* with `eager`, instead of acknowledgements: a send above eager_bytes, or a synchronous one, is
     * three messages: a request of 1 byte, with the send's overhead; the receiver's clear to send,
     * of 1 byte, once a receive that takes it has begun; then the data. Above eager_bytes it is
     * done when the last byte has left the host */
    bool handshake;
    /* [num_ops] of a send: the receiver's operation that acknowledges it, or that clears it to
     * send; of the receive of a request: the send whose data is asked for; else IK_NONE. NULL =
     * there are none */
    uint32_t *ack;
    uint64_t overhead_ps; /* that the processor of a host is busy with each send and receive */
    /* ---- several ranks per host, or on other hosts than their number says; all NULL: rank is
     * host. Ranks stand by host, on one host by number; `rank` below is the place in that order.
     * The operations of a host are those of its ranks, one rank after the other; processors (cpu)
     * and the matching of messages are the rank's own */
    uint32_t num_ranks;    /* num_hosts where rank is host */
    uint32_t *rank_first;  /* [num_ranks + 1] its operations, in the order of the program */
    uint32_t *rank_number; /* [num_ranks] in the program */
    uint32_t *rank_host;   /* [num_ranks] */
    uint32_t *host_rank;   /* [num_hosts + 1] the first rank of a host */
    /* [num_ops] of messages the rank at the other end, of a receive IK_NONE = any; NULL = no host
     * has two ranks */
    uint32_t *peer_rank;
    uint32_t *comm; /* [num_ops] communicator of messages: a receive takes those of its own; NULL =
                     * there is one, or all matches are known */
    /* Messages between ranks of one host do not touch the network: they are there local_latency_ps
     * and their time at local_bps (0 = none) after they were handed over. */
    uint64_t local_latency_ps, local_bps;
    /* that pass at least between two messages of a host that enter its adapter (g of LogGP) */
    uint64_t gap_ps;
    /* [num_ops] ik_call_kind of the call of its rank that ends with the operation, or IK_CALL_NONE;
     * NULL = nothing is known of calls */
    uint8_t *call;
    bool program; /* its ranks are those of a parallel program: results say what they did */
} ik_graph;

/* One of several workloads that overlap in a run, each on hosts of its own. */
typedef struct ik_job {
    char *name, *spec; /* spec: of the traffic that it is when it runs alone */
    uint64_t start_ps; /* nothing of it happens before */
    uint64_t num_messages, bytes;
    uint64_t visits;    /* as ik_workload.visits, on its hosts */
    uint32_t num_hosts; /* that take part */
    /* of a job that never ends: where its hosts send, borrowed, and the part of their rate that
     * they offer; NULL = it ends */
    const struct ik_traffic *endless;
    double load;
} ik_job;

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
                            * received all of the time before. Batch: once all of its requests have
                            * their reply. Graphs have them unrolled */
    ik_alltoall *alltoall; /* one of the three */
    ik_graph *graph;
    /* of each of `repeat` batches, message n of a host goes where this endless pattern says of its
     * message (number of the batch) * batch_messages + n; borrowed */
    const struct ik_traffic *batch;
    uint64_t batch_messages; /* of a host, those that the pattern leaves out among them */
    /* Classes of messages, which are phases of an exchange, steps of a collective, jobs …: results
     * give a finish time of each, and what looks at phases takes one class for one. [num_classes]
     * names, then NULL, owned; NULL = there is one, without a name (num_classes is 1). */
    char **classes;
    uint32_t num_classes;
    /* of traffic 'jobs': [num_jobs], and [num_hosts] the job of a host, IK_NONE = none; else
     * NULL */
    ik_job *jobs;
    uint32_t *host_job, num_jobs, num_endless;
    const char **job_names; /* [num_jobs], then NULL; borrowed from jobs. NULL: none is endless */
} ik_workload;

enum { IK_CLASSES_MAX = 65535 }; /* of a workload */

/* The host of an operation. O(log hosts). */
uint32_t ik_graph_host(const ik_graph *g, uint32_t op);

/* The line of its file that an operation comes from, 0 = none. *path (may be NULL) is the file.
 * O(log files). */
unsigned ik_graph_line(const ik_graph *g, uint32_t op, const char **path);
/* The rank of an operation, in the order of ik_graph.rank_first. O(log ranks). */
uint32_t ik_graph_rank(const ik_graph *g, uint32_t op);
/* The number of a rank in its program. */
static inline uint32_t ik_graph_rank_number(const ik_graph *g, uint32_t rank)
{
    return g->rank_number ? g->rank_number[rank] : rank;
}
/* The rank at the other end of a message; IK_NONE = any. */
static inline uint32_t ik_graph_peer_rank(const ik_graph *g, uint32_t op)
{
    return g->peer_rank                                  ? g->peer_rank[op]
           : !g->host_rank || g->ops[op].peer == IK_NONE ? g->ops[op].peer
                                                         : g->host_rank[g->ops[op].peer];
}

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

/* Messages of a host in batch `number`, without those that the pattern leaves out. O(1), or
 * O(batch_messages) for patterns with gaps. */
uint64_t ik_batch_count(const ik_workload *w, uint32_t host, uint64_t number);

/* Writes it as a program in GOAL's text form (docs/formats.md), rank r for host r: read again by
 * traffic 'graph' it is the same graph, operation by operation. What is no part of a program is not
 * in it: overheads, `visits`, names of classes. Refused (IK_ERR_UNSUPPORTED): batches,
 * acknowledged sends, calculations that take no whole number of ns or no processor. Whether `out`
 * took it, its owner sees. */
ik_status ik_workload_write_goal(const ik_workload *w, FILE *out, ik_error *err);

IK_END_DECLS
#endif
