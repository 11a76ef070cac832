/* SPDX-License-Identifier: Apache-2.0
 *
 * allprof_line.h: a line of a trace of liballprof: a call of MPI with its arguments.
 *
 *     MPI_Send:1237666047240433.000000:10981360:4500:11,8,8:0:3000:0,1,4:1237666047240737.000000
 *
 * The name, when the call began, its arguments in the order of MPI's C binding, when it ended (us).
 * An argument is a field: a pointer or a number; of a datatype its number, size and extent; of a
 * communicator its handle, this rank and the number of ranks; an array of counts is two fields, its
 * pointer and the numbers. T. Hoefler, liballprof, part of LogGOPSim. */
#ifndef IK_ALLPROF_LINE_H
#define IK_ALLPROF_LINE_H

#include "base/text_lines.h"
#include "format/name_map.h"

enum { ALLPROF_FIELDS = 24 };

/* What a call is. In the order of allprof_call.kind's table. */
typedef enum allprof_kind {
    ALLPROF_LOCAL, /* nothing of the network: part of the computation */
    ALLPROF_INIT,
    ALLPROF_FINALIZE,
    ALLPROF_SEND,
    ALLPROF_RECV,
    ALLPROF_SENDRECV,
    ALLPROF_SENDRECV_REPLACE,
    ALLPROF_SEND_INIT,
    ALLPROF_RECV_INIT,
    ALLPROF_START,
    ALLPROF_STARTALL,
    ALLPROF_WAIT,
    ALLPROF_WAITALL,
    ALLPROF_SOME, /* waits for any or some, tests: which requests they complete is not said */
    ALLPROF_FREE,
    ALLPROF_COLLECTIVE
} allprof_kind;

typedef struct allprof_call {
    const char *name;
    allprof_kind kind;
    /* of its arguments: p pointer, i number, d datatype, c communicator, v counts (two fields) */
    const char *layout;
    bool request;       /* the last argument is the request that it begins */
    unsigned operation; /* of a collective: collective_operation */
    bool varies;        /* gatherv, scatterv, … */
} allprof_call;

/* us, and ps above */
typedef struct allprof_time {
    uint64_t us, ps;
} allprof_time;

typedef struct allprof_line {
    const char *path;
    unsigned number;
    const char *start;
    slice fields[ALLPROF_FIELDS];
    unsigned num_fields;
    unsigned argument[16];    /* field of each argument */
    const allprof_call *call; /* NULL: a comment or an empty line */
    allprof_time begin, end;  /* of INIT only the end, of FINALIZE only the begin */
} allprof_line;

/* The line that was read last. Refused, with its column: calls that are not known, missing fields,
 * what is no number. Fields of LOCAL calls are not examined. */
ik_status allprof_read(const ik_text_lines *l, allprof_line *out, ik_error *err);
ik_status allprof_fail(const allprof_line *l, unsigned field, ik_error *err, const char *format,
                       ...) IK_PRINTF(4, 5);
/* Arguments by their place among the call's. */
ik_status allprof_int(const allprof_line *l, unsigned argument, int64_t *value, ik_error *err);
ik_status allprof_pointer(const allprof_line *l, unsigned argument, uint64_t *value, ik_error *err);
/* Number `index` of "a,b,c". */
ik_status allprof_item(const allprof_line *l, unsigned argument, unsigned index, int64_t *value,
                       ik_error *err);
/* Bytes of a count and a datatype. */
ik_status allprof_bytes(const allprof_line *l, unsigned count, unsigned datatype, uint64_t *bytes,
                        ik_error *err);
/* Counts of `num` ranks, in bytes: counts[num]. */
ik_status allprof_counts(const allprof_line *l, unsigned argument, unsigned datatype, uint32_t num,
                         uint64_t *counts, ik_error *err);

#endif
