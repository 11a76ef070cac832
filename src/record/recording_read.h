/* SPDX-License-Identifier: Apache-2.0
 *
 * recording_read.h: reads recordings. Everything that is wrong with one is refused with its file,
 * the rank, the record of the rank (from 1; as the line of the error) and its byte in the file.
 *
 *     status = recording_open("app.ikrec", &r, err);
 *     for (uint32_t rank = 0; status == IK_OK && rank < recording_ranks(r); rank++) {
 *         status = recording_rewind(r, rank, err);
 *         while (status == IK_OK && (status = recording_next(r, &record, err)) == IK_OK &&
 *                record.operation != REC_NONE)
 *             …
 *     }
 *     recording_close(r);
 */
#ifndef IK_RECORDING_READ_H
#define IK_RECORDING_READ_H

#include "ikat/base.h"
#include "record/recording.h"

#define RECORDING_NOBODY (IK_NONE - 1) /* peer: MPI_PROC_NULL */
#define RECORDING_ANY    IK_NONE       /* peer or tag: any, not known */
/* More than these are refused: ns of one time, bytes of one operation. */
#define RECORDING_MOST_NS    UINT64_C(1000000000000000)
#define RECORDING_MOST_BYTES UINT64_C(1000000000000000)

typedef struct recording recording;

/* A request that was completed; a message of neighbours; a count; a rank of a communicator. */
typedef struct recording_item {
    uint64_t value;     /* number of the request; bytes; the rank */
    uint32_t peer, tag; /* actual ones of a request, if `seen`; peer of a message */
    bool seen, cancelled;
} recording_item;

typedef struct recording_record {
    unsigned operation;        /* REC_NONE: the end of what the rank recorded */
    uint64_t number;           /* from 1 */
    uint64_t offset;           /* in the file */
    uint64_t gap_ns, lasts_ns; /* since the call before, of this one */
    uint64_t ran_ns;           /* of gap_ns: while its thread had a core; gap_ns if not recorded */
    bool outside;              /* a peer is of another MPI_COMM_WORLD: it reads as nobody */
    uint64_t request;          /* that it begins, from 1; 0: it is blocking */
    unsigned kind;             /* SEND mode; WAIT, COLLECTIVE, NEIGHBOUR, … kind */
    uint32_t comm;             /* number of the rank's own; COMM: the new one */
    uint32_t peer, tag;
    uint64_t bytes;
    uint32_t from, from_tag; /* SENDRECV: what is received */
    uint64_t room;
    uint32_t seen_peer, seen_tag;
    uint32_t root; /* COLLECTIVE: rank in comm, IK_NONE = none; COMM: parent */
    uint64_t sent, received;
    uint64_t sequence;  /* COMM: number among those of the parent; POLLS: polls */
    uint64_t freed;     /* FREE: the request */
    size_t num, num_in; /* items; those that come second (NEIGHBOUR: in; COMM: the remote group) */
    const recording_item *items; /* until the next record is read */
    /* BEGIN */
    uint32_t level;
    /* the host's cores, those that the rank may use, a checksum of which; 0 = not known */
    uint32_t cores_online, cores_allowed, core_set;
    char host[256], library[256], job[256];
} recording_record;

/* Checks the headers of all blocks and the end. Free with recording_close. */
ik_status recording_open(const char *path, recording **out, ik_error *err);
void recording_close(recording *r); /* NULL: nothing */
uint32_t recording_ranks(const recording *r);
/* The first record of a rank is read next. */
ik_status recording_rewind(recording *r, uint32_t rank, ik_error *err);
ik_status recording_next(recording *r, recording_record *out, ik_error *err);
/* Did the rank reach MPI_Finalize? Otherwise its recording ends where it was killed. */
bool recording_complete(const recording *r, uint32_t rank);
/* Whether ranks shared processor cores; the worst place: `ranks` of them on `cores`. known: the
 * recording says so, and has the processor's time (it is of version 2). Cost: a block of each rank.
 * The caller has to rewind. */
typedef struct recording_cores {
    bool known, shared;
    uint32_t ranks, cores;
} recording_cores;
ik_status recording_find_cores(recording *r, recording_cores *out, ik_error *err);
/* The error `…` about the record that was read last. */
ik_status recording_refuse(const recording *r, ik_error *err, const char *format, ...)
    IK_PRINTF(3, 4);

const char *recording_operation_name(unsigned operation);
/* Name of a kind of an operation that has some, NULL otherwise. */
const char *recording_kind_name(unsigned operation, unsigned kind);

#endif
