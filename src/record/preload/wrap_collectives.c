/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap_collectives.c: collective operations, blocking, not blocking and persistent, of all
 * processes of a communicator or of neighbours. The definitions that begin with WRAP_COLLECTIVE
 * write the operands of one call; its three forms call them.
 */
#include "recorder.h"

static void begin(operands *o, unsigned operation, const known_comm *of, int root, uint64_t sent,
                  uint64_t received)
{
    put(o, operation);
    put(o, of->number);
    put(o, (uint64_t)(root + 1));
    put(o, sent);
    put(o, received);
}

static void neighbours(operands *o, unsigned operation, const known_comm *of)
{
    put(o, operation);
    put(o, of->number);
    put(o, (uint64_t)(of->num_out < 0 ? 0 : of->num_out));
    put(o, (uint64_t)(of->num_in < 0 ? 0 : of->num_in));
}

static void put_neighbour(operands *o, int world, uint64_t bytes)
{
    put(o, world < 0 ? 0 : (uint64_t)world + 2);
    put(o, bytes);
}

enum form { BLOCKING, IMMEDIATE, PERSISTENT };

static void finish(call *c, enum form form, const MPI_Request *request, known_comm *of,
                   unsigned char record_as, operands *o)
{
    if (form == PERSISTENT) {
        request_persist(*request, of, false, record_as, o);
        record_other(c, OTHER_CALL);
    } else {
        if (form == IMMEDIATE)
            request_new(*request, NULL, false);
        record(c, record_as, o);
    }
}

/* What all forms do after `real`, in a function that has NAME's parameters. */
#define WRAP_FORM(CALL, WHAT, RECORD, FORM, REQUEST, PARAMS, ARGS, PLAIN)                          \
    WRAP(CALL, PARAMS, ARGS)                                                                       \
    {                                                                                              \
        call c;                                                                                    \
        operands o;                                                                                \
        if (!recorder_enter(&c, HERE))                                                             \
            return real(UNPACK ARGS);                                                              \
        int code = real(UNPACK ARGS);                                                              \
        recorder_return(&c);                                                                       \
        known_comm *of = code == MPI_SUCCESS ? comm_of(comm) : NULL;                               \
        put_begin(&o);                                                                             \
        if (!of || of->inter || of->outside) {                                                     \
            record_other(&c, !of ? OTHER_FAILED : of->outside ? OTHER_OUTSIDE : OTHER_INTERCOMM);  \
        } else {                                                                                   \
            put(&o, FORM != BLOCKING);                                                             \
            WHAT(&o, of, UNPACK PLAIN);                                                            \
            finish(&c, FORM, REQUEST, of, RECORD, &o);                                             \
        }                                                                                          \
        put_end(&o);                                                                               \
        recorder_leave(&c);                                                                        \
        return code;                                                                               \
    }
#define WRAP_BLOCKING(CALL, WHAT, RECORD, PARAMS, ARGS)                                            \
    WRAP_FORM(CALL, WHAT, RECORD, BLOCKING, NULL, PARAMS, ARGS, ARGS)
#define WRAP_IMMEDIATE(CALL, WHAT, RECORD, PARAMS, ARGS)                                           \
    WRAP_FORM(CALL, WHAT, RECORD, IMMEDIATE, request, (UNPACK PARAMS, MPI_Request * request),      \
              (UNPACK ARGS, request), ARGS)
#ifdef HAVE_PERSISTENT_COLLECTIVES
#define WRAP_PERSISTENT(CALL, WHAT, RECORD, PARAMS, ARGS)                                          \
    WRAP_FORM(CALL, WHAT, RECORD, PERSISTENT, request,                                             \
              (UNPACK PARAMS, MPI_Info info, MPI_Request * request), (UNPACK ARGS, info, request), \
              ARGS)
#else
#define WRAP_PERSISTENT(CALL, WHAT, RECORD, PARAMS, ARGS)
#endif
#define WRAP_ALL_FORMS(NAME, INAME, RECORD, PARAMS, ARGS)                                          \
    static void JOIN(JOIN(what_, NAME), SUFFIX)(operands * o, const known_comm *of,                \
                                                UNPACK PARAMS);                                    \
    WRAP_BLOCKING(JOIN(NAME, SUFFIX), JOIN(JOIN(what_, NAME), SUFFIX), RECORD, PARAMS, ARGS)       \
    WRAP_IMMEDIATE(JOIN(INAME, SUFFIX), JOIN(JOIN(what_, NAME), SUFFIX), RECORD, PARAMS, ARGS)     \
    WRAP_PERSISTENT(JOIN(JOIN(NAME, _init), SUFFIX), JOIN(JOIN(what_, NAME), SUFFIX), RECORD,      \
                    PARAMS, ARGS)                                                                  \
    static void JOIN(JOIN(what_, NAME), SUFFIX)(operands * o, const known_comm *of, UNPACK PARAMS)
#define WRAP_COLLECTIVE(NAME, INAME, PARAMS, ARGS)                                                 \
    WRAP_ALL_FORMS(NAME, INAME, REC_COLLECTIVE, PARAMS, ARGS)
#define WRAP_NEIGHBOUR(NAME, INAME, PARAMS, ARGS)                                                  \
    WRAP_ALL_FORMS(NAME, INAME, REC_NEIGHBOUR, PARAMS, ARGS)

#define SUFFIX
WRAP_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm))
{
    begin(o, COLL_BARRIER, of, -1, 0, 0);
    put(o, 0);
}

#define COUNT        int
#define DISPLACEMENT int
#include "collectives.h"
#undef COUNT
#undef DISPLACEMENT
#undef SUFFIX

#ifdef HAVE_LARGE_COUNTS
#define SUFFIX       _c
#define COUNT        MPI_Count
#define DISPLACEMENT MPI_Aint
#include "collectives.h"
#endif
