/* SPDX-License-Identifier: Apache-2.0
 *
 * program/otf2_calls.h: the MPI events of one rank of an OTF2 archive, as calls of the program.
 * Nothing here needs OTF2's library.
 *
 * An event stands between the enter and the leave of the MPI call that it belongs to. Messages that
 * are complete within the same call, as both of an MPI_Sendrecv, are in transmission at the same
 * time; the call is over when all are done. What a receive without blocking takes, the event of
 * its completion says. */
#ifndef IK_OTF2_CALLS_H
#define IK_OTF2_CALLS_H

#include "traffic/program/program.h"

typedef enum mpi_event_kind {
    MPI_ENTER,
    MPI_LEAVE,
    MPI_SEND,
    MPI_RECV,
    MPI_ISEND,
    MPI_ISEND_DONE,
    MPI_IRECV, /* it begins */
    MPI_IRECV_DONE,
    MPI_COLLECTIVE,
    MPI_ICOLLECTIVE, /* it begins */
    MPI_ICOLLECTIVE_DONE,
    MPI_CANCELLED
} mpi_event_kind;

/* As OTF2 numbers them. */
typedef enum mpi_operation {
    MPI_OP_BARRIER,
    MPI_OP_BCAST,
    MPI_OP_GATHER,
    MPI_OP_GATHERV,
    MPI_OP_SCATTER,
    MPI_OP_SCATTERV,
    MPI_OP_ALLGATHER,
    MPI_OP_ALLGATHERV,
    MPI_OP_ALLTOALL,
    MPI_OP_ALLTOALLV,
    MPI_OP_ALLTOALLW,
    MPI_OP_ALLREDUCE,
    MPI_OP_REDUCE,
    MPI_OP_REDUCE_SCATTER,
    MPI_OP_SCAN,
    MPI_OP_EXSCAN,
    MPI_OP_REDUCE_SCATTER_BLOCK,
    MPI_OP_OTHERS /* handles and windows: no data */
} mpi_operation;

typedef struct mpi_event {
    uint64_t time; /* ticks */
    uint64_t position, request;
    uint64_t sent, received; /* bytes; of a message: sent */
    uint32_t peer;           /* in the communicator; of a collective its root */
    uint32_t comm, tag;      /* comm: OTF2's number */
    uint8_t kind, operation;
} mpi_event;

/* A communicator of the archive. */
typedef struct mpi_comm {
    uint32_t ref;          /* OTF2's number */
    const uint32_t *ranks; /* [num], borrowed; NULL: of each rank alone (MPI_COMM_SELF) */
    uint32_t num;
    bool global;   /* peers are ranks of the program */
    uint32_t comm; /* the program's number, IK_NONE = not made yet */
} mpi_comm;

typedef struct mpi_calls {
    program *p;
    const char *path;
    uint64_t ticks; /* per second */
    mpi_comm *comms;
    size_t num_comms;
    /* scratch, freed with mpi_calls_free */
    uint64_t *requests, *counts;
    size_t room_requests, room_counts;
    uint32_t *link; /* [events] the completion of what begins there */
    size_t room_link;
} mpi_calls;

/* Adds what a rank does between `start` and `end`, the times of its first and last event of any
 * kind. Refused with the event's number: time that goes back, communicators that are not defined,
 * requests that are begun twice or never completed, peers that do not exist. O(events). */
ik_status mpi_calls_add(mpi_calls *c, uint32_t rank, const mpi_event *events, size_t num,
                        uint64_t start, uint64_t end, ik_error *err);
void mpi_calls_free(mpi_calls *c); /* not the communicators */

#endif
