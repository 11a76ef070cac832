/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder.h: what the files of the recorder share. The recorder is a library that is preloaded
 * into an MPI program; it defines MPI_X and PMPI_X for each call X that it records.
 *
 * Both names: programs in C call MPI_X. The Fortran libraries of Open MPI end in PMPI_X of the C
 * library, those of MPICH in either; so every language is seen by one definition in C. A call that
 * an MPI library makes inside a recorded call is passed on (recorder_enter).
 *
 * Nothing here links an MPI library: the next definition of a call is looked up when it is first
 * used, so the recorder is harmless in programs that use no MPI (mpirun itself, shells).
 */
#ifndef IKAT_RECORDER_H
#define IKAT_RECORDER_H

#include "record/recording.h"

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>

#define EXPORT        __attribute__((visibility("default")))
#define UNPACK(...)   __VA_ARGS__
#define KEY(handle)   ((uintptr_t)(handle))
#define HERE          ((char *)__builtin_frame_address(0))
#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define JOIN_(a, b)   a##b
#define JOIN(a, b)    JOIN_(a, b)
#define STRINGIFY_(a) #a
#define STRINGIFY(a)  STRINGIFY_(a)

/* Defines MPI_NAME and PMPI_NAME, and begins the definition of what both do: on_NAME, which gets
 * the next definition as `real`. */
#define WRAP(NAME, PARAMS, ARGS)                                                                   \
    static int JOIN(on_, NAME)(int(*real) PARAMS, UNPACK PARAMS);                                  \
    EXPORT int JOIN(MPI_, NAME) PARAMS                                                             \
    {                                                                                              \
        static int(*next) PARAMS;                                                                  \
        if (!next)                                                                                 \
            *(void **)&next = recorder_next("MPI_" STRINGIFY(NAME));                               \
        return JOIN(on_, NAME)(next, UNPACK ARGS);                                                 \
    }                                                                                              \
    EXPORT int JOIN(PMPI_, NAME) PARAMS                                                            \
    {                                                                                              \
        static int(*next) PARAMS;                                                                  \
        if (!next)                                                                                 \
            *(void **)&next = recorder_next("PMPI_" STRINGIFY(NAME));                              \
        return JOIN(on_, NAME)(next, UNPACK ARGS);                                                 \
    }                                                                                              \
    static int JOIN(on_, NAME)(int(*real) PARAMS, UNPACK PARAMS)

/* A whole definition of both: BEFORE the call, and what is DONE with its record `c` after it if it
 * is OK by the `code` that was returned. */
#define WRAP_CALL(NAME, PARAMS, ARGS, BEFORE, OK, DONE)                                            \
    WRAP(NAME, PARAMS, ARGS)                                                                       \
    {                                                                                              \
        call c;                                                                                    \
        if (!recorder_enter(&c, HERE))                                                             \
            return real(UNPACK ARGS);                                                              \
        BEFORE;                                                                                    \
        int code = real(UNPACK ARGS);                                                              \
        recorder_return(&c);                                                                       \
        if (OK)                                                                                    \
            DONE;                                                                                  \
        else                                                                                       \
            record_other(&c, OTHER_FAILED);                                                        \
        recorder_leave(&c);                                                                        \
        return code;                                                                               \
    }
#define WRAP_DONE(NAME, PARAMS, ARGS, BEFORE, DONE)                                                \
    WRAP_CALL(NAME, PARAMS, ARGS, BEFORE, recorder_done(code), DONE)

#ifdef HAVE_SESSIONS
#define RECORDER_SESSION_CALLS(X)                                                                  \
    X(Group_from_session_pset)                                                                     \
    X(Group_rank)
#else
#define RECORDER_SESSION_CALLS(X)
#endif
/* Calls of the MPI library that the recorder makes itself. */
#define RECORDER_CALLS(X)                                                                          \
    X(Comm_rank)                                                                                   \
    X(Comm_size)                                                                                   \
    X(Comm_group)                                                                                  \
    X(Comm_remote_group)                                                                           \
    X(Comm_test_inter)                                                                             \
    X(Comm_get_parent)                                                                             \
    X(Group_size)                                                                                  \
    X(Group_free)                                                                                  \
    X(Group_translate_ranks)                                                                       \
    X(Type_size_x)                                                                                 \
    X(Get_library_version)                                                                         \
    X(Test_cancelled)                                                                              \
    X(Error_class)                                                                                 \
    X(Topo_test)                                                                                   \
    X(Cartdim_get)                                                                                 \
    X(Cart_shift)                                                                                  \
    X(Graph_neighbors_count)                                                                       \
    X(Graph_neighbors)                                                                             \
    X(Dist_graph_neighbors_count)                                                                  \
    X(Dist_graph_neighbors)                                                                        \
    X(Query_thread)                                                                                \
    X(Get_elements_x)                                                                              \
    RECORDER_SESSION_CALLS(X)
typedef struct recorder_calls {
#define X(name) __typeof__(&PMPI_##name) name;
    RECORDER_CALLS(X)
#undef X
} recorder_calls;

/* One call of the program that is being recorded. */
typedef struct call {
    uint64_t begin, end;
    uint64_t away; /* of the time since the call before: how long its thread did not run */
    bool on;       /* false: passed on without a record */
} call;

/* Numbers that become the operands of a record. */
typedef struct operands {
    unsigned char *bytes;
    size_t num, room;
    unsigned char own[240];
} operands;

/* A communicator. world: world rank of each rank, NULL = the same. peers: those whom messages go to
 * (the remote group of an intercommunicator). */
typedef struct known_comm {
    uintptr_t key;
    struct known_comm *next; /* of the same bucket */
    uint32_t number, size, num_peers, created;
    uint32_t users; /* open operations that name it */
    int rank;
    bool inter, gone; /* gone: freed, but for its users */
    bool outside;     /* it has processes of another MPI_COMM_WORLD: their ranks are negative */
    int *world, *peers;
    int num_in, num_out; /* neighbours; -1 = no topology */
    int *in, *out;       /* world ranks, MPI_PROC_NULL */
} known_comm;

/* An operation that a request handle stands for. */
typedef struct pending {
    struct pending *next; /* of the same handle, or free */
    uint64_t number;      /* of the request; 0 = a persistent one that has not been started */
    known_comm *of;
    bool wildcard, cancelled, persistent;
    /* a persistent one: what Start records */
    unsigned char operation;
    unsigned char *saved;
    size_t num_saved;
    int partitions, ready; /* of a partitioned send: those that are not ready yet */
} pending;

extern recorder_calls real_mpi;
/* Between the first of MPI_Init and MPI_Session_init, and the last of their ends. */
extern bool recorder_on;
extern known_comm *comm_world;

/* ---- state.c */
void *recorder_next(const char *name);
/* The address of a variable of the MPI library, NULL if it has none of this name. */
void *recorder_symbol(const char *name);
uint64_t recorder_clock(void);
void recorder_started(void); /* after MPI_Init */
/* Before MPI_Finalize: ends the recording, or leaves that to the last open session. */
void recorder_world_ends(void);
#ifdef HAVE_SESSIONS
void recorder_session_started(MPI_Session session); /* after MPI_Session_init */
void recorder_session_ends(void);                   /* before MPI_Session_finalize */
#endif
/* Stops recording for good; the reason goes to the terminal and to `ikat record`. */
void recorder_give_up(const char *why, ...) __attribute__((format(printf, 1, 2)));
/* Begins a call. `frame`: HERE of the wrapper. False: inside another call, or not recording. */
bool recorder_enter(call *c, char *frame);
/* The call returned: its time ends, and records may be written until recorder_leave. */
void recorder_return(call *c);
void recorder_leave(call *c);
/* Calls that leave no record, and whose time is time of computation: nothing that the library does
 * in between is recorded. False: as recorder_enter, and recorder_show is not to be called. */
bool recorder_hide(char *frame);
void recorder_show(void);
/* Around what looks at the recorder's tables before a call. */
void recorder_lock(void);
void recorder_unlock(void);
/* A call that returned an error had no effect, but for messages longer than their room. */
bool recorder_done(int code);
/* A test or probe without result: counted, no record. */
void recorder_poll(call *c);

/* ---- stream.c */
bool stream_open(const char *folder, uint32_t rank, uint32_t num_ranks);
void stream_write(unsigned char operation, uint64_t gap, uint64_t away, uint64_t duration,
                  const unsigned char *bytes, size_t num);
void stream_close(void);

/* ---- operands.c */
void put_begin(operands *o);
void put(operands *o, uint64_t value);
void put_signed(operands *o, int64_t value);
void put_text(operands *o, const char *text);
void put_operands(operands *o, const operands *more);
void put_end(operands *o); /* frees */
void put_peer(operands *o, const known_comm *c, int rank);
void put_tag(operands *o, int tag);
/* Actual source and tag of a status. */
void put_actual(operands *o, const known_comm *c, const MPI_Status *status);
/* Writes the record of a call; the first record of a call has its times, others have none. */
void record(call *c, unsigned char operation, operands *o);
void record_other(call *c, unsigned kind);

/* ---- comms.c */
known_comm *comm_of(MPI_Comm handle);
bool comms_start(void);
#ifdef HAVE_SESSIONS
/* In the place of comms_start and comms_get_world: all processes are those of the session's set
 * mpi://WORLD, for which there is no handle. */
bool comms_start_session(MPI_Session session, int *rank, int *size);
#endif
/* Made by all of `parent` (NULL: by others). `made` may be MPI_COMM_NULL. */
void comm_made(call *c, MPI_Comm parent, MPI_Comm made, unsigned kind);
/* `made` is one that MPI_Comm_idup makes of `parent`; MPI_COMM_NULL: it is not known yet. */
void comm_comes(call *c, MPI_Comm parent, MPI_Comm made);
void comm_freed(call *c, uintptr_t key);
void comm_left(known_comm *c); /* one user less */
/* MPI_COMM_NULL and the like, which are variables of some MPI libraries. */
bool comm_is_null(MPI_Comm handle);
MPI_Comm comm_null(void);
/* This process in MPI_COMM_WORLD, and the processes that started it. */
void comms_get_world(int *rank, int *size, MPI_Comm *parent);

/* ---- requests.c */
bool request_is_null(MPI_Request handle);
/* A request that was made: adds its operation to those of its handle. NULL: no memory. */
pending *request_new(MPI_Request handle, known_comm *of, bool wildcard);
/* Remembers what Start of a persistent request records; takes the operands. */
void request_persist(MPI_Request handle, known_comm *of, bool wildcard, unsigned char operation,
                     operands *o);
pending *request_find(uintptr_t key); /* oldest of a handle, NULL if unknown */
/* A request was completed: puts it and forgets it (or makes it inactive). False: none of ours. */
bool request_completed(operands *o, uintptr_t key, const MPI_Status *status);
void request_started(call *c, uintptr_t key);
void request_ready(call *c, uintptr_t key, int num);
void request_freed(call *c, uintptr_t key);
uint64_t request_count(void);
/* A message that a matched probe took: its receive is a request from then on. */
void message_new(uintptr_t message);
uint64_t message_taken(uintptr_t message); /* number of its request, 0 = unknown */
void message_becomes(uintptr_t message, MPI_Request handle);
void put_request(operands *o, uint64_t number, unsigned flags);
/* Records a wait for one request of this number. */
void record_wait_for(call *c, unsigned kind, uint64_t number);

uint64_t bytes_of(uint64_t count, MPI_Datatype type);
uint64_t bytes_in(const MPI_Status *status);

#endif
