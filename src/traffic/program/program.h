/* SPDX-License-Identifier: Apache-2.0
 *
 * program/program.h: what the ranks of a parallel program do, as readers of traces say it. What
 * they add goes into the workload's dependency graph at once: a trace is never held in memory.
 *
 * A reader (program/reader.h) first calls program_begin with the number of ranks, and then, in any
 * order of the ranks, functions of one or both of two layers:
 *
 *   tasks   a graph. program_send, program_recv, program_calc, program_collective add a task of a
 *           rank, which begins at time 0; program_after says what it waits for. For traces that
 *           list dependences.
 *   calls   a sequence per rank, with MPI's meaning: what a rank does waits until its call before
 *           is done. call_compute, call_send, call_recv, call_collective, call_wait. For traces
 *           that list what happened, in the order of each rank; ranks may be interleaved, or stand
 *           one after the other.
 *
 *     status = program_begin(p, 2, err);
 *     program_place(p, "trace.0", 17);                  of all that is added now, for errors
 *     status = call_compute(p, 0, 1000000, err);        1 us
 *     status = call_send(p, 0, &(call_message){.peer = 1, .tag = 7, .bytes = 4096,
 *                                              .request = PROGRAM_BLOCKING}, err);
 *
 * Ranks are numbered from 0 and are those of the whole program: where a trace says a rank of a
 * communicator, program_member gives its number. Communicator 0 has all ranks in their order.
 * Messages of a pair of ranks are matched in the order in which they were added, by communicator
 * and tag.
 *
 * Every function that returns a status refuses wrong input (IK_ERR_INPUT, with the place of
 * program_place): ranks and communicators that do not exist, requests that are not open, sizes and
 * times above PROGRAM_MOST. IK_ERR_MEMORY: there is no memory. What the whole must be (every
 * message with two ends, no open request, collectives that all ranks take part in) is checked at
 * the end; ranks that wait for each other block when the program runs. Cost: O(1) amortised per
 * call, of a collective O(what this rank sends and receives). Not for several threads at a time. */
#ifndef IK_PROGRAM_H
#define IK_PROGRAM_H

#include "ikat/traffic.h"
#include "traffic/workload/collective.h"
#include "traffic/workload/graph_builder.h"

#define PROGRAM_ANY      IK_NONE                       /* source or tag of a receive: any */
#define PROGRAM_BLOCKING UINT64_MAX                    /* instead of a request */
#define PROGRAM_MOST     UINT64_C(1000000000000000)    /* bytes of a message */
#define PROGRAM_MOST_PS  UINT64_C(1000000000000000000) /* of one computation: 11 days */
#define PROGRAM_MOST_TAG (IK_NONE - 3)
#define PROGRAM_NO_TIME  (-1.0) /* compute_scale: computations take no time */

typedef struct program program;

/* Operations of one rank: the task has begun when `begin` has, and is done when `end` is. */
typedef struct program_task {
    uint32_t begin, end;
} program_task;

/* ---- set-up: by who makes the workload */

/* What times of computation are by, where a trace has both: auto: the processor's, where ranks
 * shared cores. Only recordings have both. */
typedef enum program_clock {
    PROGRAM_CLOCK_AUTO,
    PROGRAM_CLOCK_WALL,
    PROGRAM_CLOCK_CPU
} program_clock;

typedef struct program_settings {
    const char *name;     /* of the trace, in errors without a place */
    const char *settings; /* parameters that say how large it is, as in ik_error; may be NULL */
    uint32_t num_hosts;
    uint64_t most_ranks; /* that these hosts take; 0 = one each */
    /* Writes the host of every rank; several may share one. NULL: rank i runs on host i, and more
     * ranks are refused. */
    ik_status (*map)(void *ctx, uint32_t num_ranks, uint32_t *host_of, ik_error *err);
    void *ctx;
    double compute_scale, size_scale; /* of all times and sizes; 0 = 1; PROGRAM_NO_TIME */
    /* of ranks that share a host: ik_graph */
    uint64_t local_latency_ps, local_bps;
    uint64_t overhead_ps; /* of each message at each end */
    uint64_t gap_ps;      /* between two messages of a host */
    /* With `rendezvous` sends of more than eager_bytes wait for their receive, as
     * ik_graph.handshake or, with ack_only, as ik_graph.ack says. Synchronous ones always do */
    bool rendezvous, ack_only;
    uint64_t eager_bytes;
    /* A receive from any source or of any tag takes the message that the trace says it took.
     * Otherwise, or where the trace does not say, the run matches by the rules of MPI. */
    bool match_recorded;
    program_clock clock;
    collective_algorithm algorithm[COLLECTIVE_OPERATIONS]; /* COLLECTIVE_AUTO (0): by size */
    uint64_t memory_limit;                                 /* bytes, 0 = none */
} program_settings;

/* Free with program_close or program_free. */
ik_status program_new(const program_settings *s, program **out, ik_error *err);
void program_free(program *p); /* NULL: nothing */
/* Checks the whole and makes w. p is freed whatever happens. */
ik_status program_close(program *p, ik_workload *w, ik_error *err);
/* Messages without bytes, which are sent as one. */
uint64_t program_empty(const program *p);

/* ---- set-up: by readers */

/* To be called once, before all others. Refused: no rank, more than there are hosts for. */
ik_status program_begin(program *p, uint32_t num_ranks, ik_error *err);
uint32_t program_ranks(const program *p);
/* Where what is added from now on stands, for errors: a file, and a line or record from 1. The path
 * is copied when it is another one than before (by its text). Cost: O(1) for the same pointer. */
void program_place(program *p, const char *path, unsigned line);
/* The error `…` at the place of program_place; returns IK_ERR_INPUT. */
ik_status program_refuse(program *p, ik_error *err, const char *format, ...) IK_PRINTF(3, 4);
/* A communicator of these ranks in this order, which is copied; NULL = all. The same list with the
 * same `instance` is the same communicator, so that each rank's part of a trace may name it again;
 * another instance is another one (MPI_Comm_dup). Refused: ranks that do not exist or appear twice.
 * Cost: O(num). */
ik_status program_comm(program *p, const uint32_t *ranks, uint32_t num, uint64_t instance,
                       uint32_t *comm, ik_error *err);
uint32_t program_comm_size(const program *p, uint32_t comm);
/* The rank that is number `place` < size of a communicator. O(1). */
uint32_t program_member(const program *p, uint32_t comm, uint32_t place);
/* The place of a rank in a communicator, IK_NONE = it is not in it. O(log ranks). */
uint32_t program_place_of(const program *p, uint32_t comm, uint32_t rank);
/* For readers whose format is a graph already (GOAL): operations go here, those of rank r as of
 * program_rows(p)[r]. Not together with tasks and calls. */
graph_builder *program_graph(program *p);
const uint32_t *program_rows(const program *p);
const program_settings *program_get_settings(const program *p);
/* What the user should know about how the trace was read; NULL = nothing. Texts are joined. */
const char *program_note_text(const program *p);
ik_status program_note(program *p, ik_error *err, const char *format, ...) IK_PRINTF(3, 4);
void program_count_empty(program *p, uint64_t num);

/* ---- tasks. *out (may be NULL): only for program_after of the same rank. */

ik_status program_calc(program *p, uint32_t rank, uint64_t ps, program_task *out, ik_error *err);
/* On another processor of the rank than the first (0); IK_NO_CPU: on none, beside all others. */
ik_status program_calc_on(program *p, uint32_t rank, unsigned cpu, uint64_t ps, program_task *out,
                          ik_error *err);
ik_status program_send(program *p, uint32_t rank, uint32_t to, uint32_t comm, uint32_t tag,
                       uint64_t bytes, program_task *out, ik_error *err);
/* from, tag: also PROGRAM_ANY. bytes: what it has room for, PROGRAM_MOST = any; the message has the
 * size of its send. */
ik_status program_recv(program *p, uint32_t rank, uint32_t from, uint32_t comm, uint32_t tag,
                       uint64_t bytes, program_task *out, ik_error *err);
/* One rank's part of a collective operation of a communicator. The n-th of each of its ranks are
 * one operation, and must agree: on operation and root, and on bytes unless they vary. Parts are
 * messages of the algorithm that the settings say. What receives wait for has the size of its send;
 * reductions take no time. */
typedef struct program_collective_call {
    collective_operation operation; /* of exscan: COLLECTIVE_SCAN, whose messages it has */
    uint32_t comm, root;            /* root: place in the communicator; 0 where there is none */
    /* broadcast, reduce, allreduce, scan: the vector; gather, allgather: what a rank contributes;
     * scatter, reduce_scatter: what a rank gets; alltoall: what a rank has for one other. Barrier,
     * alltoallv: no matter */
    uint64_t bytes;
    /* Sizes differ between ranks: gatherv, scatterv, allgatherv, reduce_scatter with unequal parts.
     * Nothing else has it. The former two are linear: messages from each, or to each. */
    bool varies;
    /* [size of the communicator], copied; else NULL:
     *   alltoallv: bytes for and from every place. recv_counts may be NULL; with them, messages of
     *   no byte are left out at both ends (as MPI libraries do): all ranks give them, or none
     *   scatterv: send_counts at the root; `bytes` of the others does not matter
     *   gatherv: none; `bytes` is the rank's own
     *   allgatherv, reduce_scatter with `varies`: recv_counts, the same at all ranks */
    const uint64_t *send_counts, *recv_counts;
} program_collective_call;

ik_status program_collective(program *p, uint32_t rank, const program_collective_call *c,
                             program_task *out, ik_error *err);
/* `task` waits until `before` is done, or with on_start until it has begun. */
void program_after(program *p, program_task task, program_task before, bool on_start);

/* ---- calls */

typedef struct call_message {
    uint32_t peer, tag;           /* of a receive also PROGRAM_ANY */
    uint32_t seen_peer, seen_tag; /* of such a receive: what it took, PROGRAM_ANY = unknown */
    uint32_t comm;
    uint64_t bytes;   /* of a receive: what it has room for, PROGRAM_MOST = any */
    bool synchronous; /* a send: done when its receive has begun, whatever its size */
    uint64_t request; /* PROGRAM_BLOCKING, or a number of the rank's own that is not in use */
} call_message;

/* The rank computes; times in a row are added up. */
ik_status call_compute(program *p, uint32_t rank, uint64_t ps, ik_error *err);
/* A blocking send is over when it is done (see ik_graph.eager), a blocking receive when its message
 * is there; with a request, both are over at once, and the request is open until a call_wait
 * names it. */
ik_status call_send(program *p, uint32_t rank, const call_message *m, ik_error *err);
ik_status call_recv(program *p, uint32_t rank, const call_message *m, ik_error *err);
/* Blocking (PROGRAM_BLOCKING): over when the rank's part is done. */
ik_status call_collective(program *p, uint32_t rank, const program_collective_call *c,
                          uint64_t request, ik_error *err);
/* Over when all of these requests are done; they are no longer open then. Of a wait for any or
 * some, and of a successful test, the requests are those that the trace saw completed; a test that
 * completed none is no call. */
ik_status call_wait(program *p, uint32_t rank, const uint64_t *requests, size_t num, ik_error *err);
/* Nobody will wait for the request (MPI_Request_free). */
ik_status call_forget(program *p, uint32_t rank, uint64_t request, ik_error *err);
bool call_is_open(const program *p, uint32_t rank, uint64_t request);

#endif
