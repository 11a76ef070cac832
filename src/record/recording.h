/* SPDX-License-Identifier: Apache-2.0
 *
 * recording.h: the numbers of ikat's recordings, which the recorder inside a program (preload/)
 * writes and the library reads. docs/formats.md describes the format.
 *
 * A recording is a file header, the blocks of rank 0, those of rank 1, …, and an end. The
 * payload of a rank's blocks, one after the other, is a stream of records; no record lies in two
 * blocks. All numbers of headers are little-endian; those of records are varints (7 bits per byte,
 * the lowest first, the top bit says that more follow). A record is an operation (one byte), the
 * time since the call before it ended, how much of that its thread did not run (since version 2),
 * its own duration (all in ns), and its operands.
 *
 * The recorder writes blocks into a file per rank that is mapped into memory: what stood there when
 * a program was killed is kept by the operating system. Their headers (part_block) hold how much of
 * them is used; `ikat record` makes them blocks of the recording.
 */
#ifndef IKAT_RECORDING_H
#define IKAT_RECORDING_H

#include <stdint.h>
#include <stdlib.h>

#define RECORDING_MAGIC "IKATREC\n"
/* That is written. Version 1, without the time of the processor, is read as well. */
#define RECORDING_VERSION   2u
#define RECORDING_BLOCK     0x4b4c4249u /* "IBLK" */
#define RECORDING_END       0x444e4549u /* "IEND" */
#define RECORDING_PART      0x32545250u /* "PRT2": of recordings of version 2 */
#define RECORDING_MOST_RANK (1u << 24)

/* Environment of the recorder: the folder for the ranks' files. */
#define RECORDING_FOLDER_VARIABLE "IKAT_RECORD_FOLDER"
/* In that folder: the file of rank N; why a rank recorded nothing. */
#define RECORDING_PART_NAME    "rank-%u.part"
#define RECORDING_PROBLEM_NAME "problem-%u"

/* Of the environment that launchers give to processes: how many they started together. */
static inline unsigned long recording_launched(const char **variable)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
        const char *text = getenv(names[k]);
        unsigned long num = text ? strtoul(text, NULL, 10) : 0;
        if (num > 1) {
            *variable = names[k];
            return num;
        }
    }
    return 1;
}

/* File header: 8 bytes of magic, then these; the checksum is that of all before it. */
typedef struct recording_header {
    char magic[8];
    uint32_t version, num_ranks;
    uint32_t spare, crc;
} recording_header;

/* crc: of the payload; header_crc: of the header before it. flags: 1 = the rank's last block. */
typedef struct recording_block {
    uint32_t magic, rank, sequence, flags;
    uint32_t bytes, records, crc, header_crc;
} recording_block;

typedef struct recording_end {
    uint32_t magic, spare;
    uint64_t num_blocks, num_records;
    uint32_t file_crc; /* CRC-32 of all blocks' header_crc, in order */
    uint32_t crc;
} recording_end;

/* A block of a rank's own file: `capacity` bytes with this header, a multiple of the page. */
typedef struct part_block {
    uint32_t magic, rank, sequence, capacity;
    uint64_t state; /* bytes used | records << 32: one store, so never half of one */
    uint32_t crc, sealed;
    uint32_t num_ranks;
    uint32_t ended; /* the rank's last record is END */
    uint32_t spare[6];
} part_block;

/* Operations and their operands, in order. Peers: 0 = none (MPI_PROC_NULL), 1 = any, else the rank
 * in MPI_COMM_WORLD + 2; the number of ranks + 2 = a process of another MPI_COMM_WORLD (since
 * version 2). Tags: 0 = any, else the tag + 1. Communicators: the rank's own numbers, 0
 * = MPI_COMM_WORLD, 1 = MPI_COMM_SELF. request: 0 = a blocking call; 1 = the rank's next request
 * (they are numbered from 1). A request that is named: how many requests before the next one.
 *
 * BEGIN       rank, num_ranks, thread level, clock (ns since 1970), texts (length, bytes): the
 *             host's name, the MPI library, the job; since version 2: processor cores of the host,
 *             cores that the process may use, a checksum of which ones
 * COMM        number, kind, parent, number among those made of the parent, runs of ranks of the own
 *             group, of the remote group (0 runs: none): number of runs, each first, length, step
 *             (zigzag). Processes of another MPI_COMM_WORLD are left out
 * COMM_FREE   number
 * SEND        request, mode, comm, peer, tag, bytes
 * RECV        request, comm, peer, tag, bytes (room); of a blocking one the actual peer and tag
 * SENDRECV    request, comm, peer, tag, bytes of what is sent; peer, tag, bytes of what is
 *             received; actual peer and tag
 * WAIT        kind, requests given, requests completed; each: named request << 2 | 1 if its actual
 *             peer and tag follow | 2 if it was cancelled
 * COLLECTIVE  request, operation, comm, root in comm + 1 (0 = none), bytes sent, bytes received,
 *             counts: how many, and what is sent to (or comes from) each process in bytes
 * NEIGHBOUR   request, operation, comm, messages out, messages in; each: peer, bytes
 * FREE        named request
 * PROBE       comm, peer, tag, actual peer, actual tag, bytes
 * POLLS       unsuccessful tests and probes since the record before, time in them (ns)
 * ONESIDED    kind, target in the window's group + 1 (0 = none), bytes
 * OTHER       kind: a call without messages (recording_other)
 * OVERLAP     calls of several threads overlapped in time
 * END         the program called MPI_Finalize
 */
#define RECORDING_OPERATIONS(X)                                                                    \
    X(BEGIN, "begin")                                                                              \
    X(COMM, "comm")                                                                                \
    X(COMM_FREE, "comm_free")                                                                      \
    X(SEND, "send")                                                                                \
    X(RECV, "recv")                                                                                \
    X(SENDRECV, "sendrecv")                                                                        \
    X(WAIT, "wait")                                                                                \
    X(COLLECTIVE, "collective")                                                                    \
    X(NEIGHBOUR, "neighbour")                                                                      \
    X(FREE, "request_free")                                                                        \
    X(PROBE, "probe")                                                                              \
    X(POLLS, "polls")                                                                              \
    X(ONESIDED, "onesided")                                                                        \
    X(OTHER, "other")                                                                              \
    X(OVERLAP, "overlap")                                                                          \
    X(END, "end")
#define X(name, text) REC_##name,
enum { REC_NONE, RECORDING_OPERATIONS(X) REC_OPERATIONS };
#undef X

/* How a communicator was made. NEW: by all processes of the parent, in their order. Others follow
 * from their ranks: GROUP (MPI_Comm_create_group), INTER (two groups), FOUND (not
 * seen being made). */
enum { COMM_NEW, COMM_GROUP, COMM_INTER, COMM_FOUND, COMM_KINDS };

enum { SEND_STANDARD, SEND_SYNCHRONOUS, SEND_BUFFERED, SEND_READY, SEND_MODES };

#define RECORDING_WAITS(X)                                                                         \
    X(WAIT, "wait")                                                                                \
    X(WAITALL, "waitall")                                                                          \
    X(WAITANY, "waitany")                                                                          \
    X(WAITSOME, "waitsome")                                                                        \
    X(TEST, "test")                                                                                \
    X(TESTALL, "testall")                                                                          \
    X(TESTANY, "testany")                                                                          \
    X(TESTSOME, "testsome")                                                                        \
    X(MRECV, "mrecv")
#define X(name, text) WAIT_##name,
enum { RECORDING_WAITS(X) WAIT_KINDS };
#undef X

/* rooted collectives come first */
#define RECORDING_COLLECTIVES(X)                                                                   \
    X(BCAST, "bcast")                                                                              \
    X(GATHER, "gather")                                                                            \
    X(GATHERV, "gatherv")                                                                          \
    X(SCATTER, "scatter")                                                                          \
    X(SCATTERV, "scatterv")                                                                        \
    X(REDUCE, "reduce")                                                                            \
    X(BARRIER, "barrier")                                                                          \
    X(ALLGATHER, "allgather")                                                                      \
    X(ALLGATHERV, "allgatherv")                                                                    \
    X(ALLTOALL, "alltoall")                                                                        \
    X(ALLTOALLV, "alltoallv")                                                                      \
    X(ALLTOALLW, "alltoallw")                                                                      \
    X(ALLREDUCE, "allreduce")                                                                      \
    X(REDUCE_SCATTER, "reduce_scatter")                                                            \
    X(REDUCE_SCATTER_BLOCK, "reduce_scatter_block")                                                \
    X(SCAN, "scan")                                                                                \
    X(EXSCAN, "exscan")
#define X(name, text) COLL_##name,
enum { RECORDING_COLLECTIVES(X) COLL_OPERATIONS };
#undef X
enum { COLL_ROOTED = COLL_BARRIER };

#define RECORDING_NEIGHBOURS(X)                                                                    \
    X(ALLGATHER, "neighbor_allgather")                                                             \
    X(ALLGATHERV, "neighbor_allgatherv")                                                           \
    X(ALLTOALL, "neighbor_alltoall")                                                               \
    X(ALLTOALLV, "neighbor_alltoallv")                                                             \
    X(ALLTOALLW, "neighbor_alltoallw")
#define X(name, text) NEIGH_##name,
enum { RECORDING_NEIGHBOURS(X) NEIGH_OPERATIONS };
#undef X

#define RECORDING_ONESIDED(X)                                                                      \
    X(PUT, "put")                                                                                  \
    X(GET, "get")                                                                                  \
    X(ACCUMULATE, "accumulate")                                                                    \
    X(GET_ACCUMULATE, "get_accumulate")                                                            \
    X(FETCH_AND_OP, "fetch_and_op")                                                                \
    X(COMPARE_AND_SWAP, "compare_and_swap")                                                        \
    X(SYNCHRONISE, "synchronise")
#define X(name, text) ONE_##name,
enum { RECORDING_ONESIDED(X) ONE_KINDS };
#undef X

/* FAILED: the call returned an error. SPAWN: it brought processes of another MPI_COMM_WORLD.
 * INTERCOMM: a collective operation between two groups. OUTSIDE: one of a communicator that has
 * processes of another MPI_COMM_WORLD. */
#define RECORDING_OTHERS(X)                                                                        \
    X(CALL, "call")                                                                                \
    X(FAILED, "failed")                                                                            \
    X(SPAWN, "spawn")                                                                              \
    X(INTERCOMM, "intercomm_collective")                                                           \
    X(PARTITION, "partition")                                                                      \
    X(OUTSIDE, "outside_collective")
#define X(name, text) OTHER_##name,
enum { RECORDING_OTHERS(X) OTHER_KINDS };
#undef X

#endif
