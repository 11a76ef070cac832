/* SPDX-License-Identifier: Apache-2.0
 *
 * ranks_mpi.c: the module of one MPI library (base/ranks/ranks_module.h). Every pair of ranks
 * exchanges one message at a time, by requests that do not block. It has a head with its kind and
 * size and up to 4 KiB; what is longer goes on in pieces that both know to come. Waiting asks again
 * and again; after a while it sleeps between two questions, so that ranks may share processors. */
#include "base/ranks/ranks_module.h"

#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST = 4096, PIECE = 1 << 30, TAG = 1 };
/* How often a waiting rank asks before it lets others have its processor, how long it asks before
 * it sleeps where every rank has a processor, and for how long it sleeps then. */
enum { ALONE = 64, AWAKE_NS = 1000000, SLEEP_NS = 20000 };

typedef struct mpi_head {
    uint64_t size;
    uint32_t kind, spare;
} mpi_head;

typedef struct mpi_buffer {
    unsigned char *data; /* head and contents */
    size_t cap;
} mpi_buffer;

/* One communicator in a process, as MPI has it. */
static struct {
    int rank, num;
    int64_t awake_ns;            /* how long it asks before it sleeps */
    mpi_buffer *out;             /* [num] the first piece, which is copied behind its head */
    mpi_buffer *in[RANKS_KINDS]; /* [num] */
    MPI_Request *requests;       /* [2 num] */
    MPI_Status *statuses;        /* the same */
    char text[MPI_MAX_ERROR_STRING + 80];
} mpi;

static const char *mpi_failed(const char *what, int code)
{
    char why[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, why, &length);
    snprintf(mpi.text, sizeof mpi.text, "MPI cannot %s: %s", what, why);
    return mpi.text;
}

static int mpi_allocate(mpi_buffer **buffers)
{
    *buffers = calloc((size_t)mpi.num, sizeof **buffers);
    for (int q = 0; *buffers && q < mpi.num; q++) {
        (*buffers)[q].cap = sizeof(mpi_head) + FIRST;
        (*buffers)[q].data = malloc((*buffers)[q].cap);
        if (!(*buffers)[q].data)
            return 0;
    }
    return *buffers != NULL;
}

static void mpi_free(mpi_buffer *buffers)
{
    for (int q = 0; buffers && q < mpi.num; q++)
        free(buffers[q].data);
    free(buffers);
}

/* Whether this machine has a processor for each of its ranks; so it is where MPI cannot tell. */
static int mpi_has_processors(void)
{
    MPI_Comm here;
    int ranks = 1;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) !=
        MPI_SUCCESS)
        return 1;
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
    return processors < 1 || ranks <= processors;
}

static const char *mpi_join(unsigned *rank, unsigned *num)
{
    int threads;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &threads);
    if (code != MPI_SUCCESS)
        return mpi_failed("start", code);
    if (threads < MPI_THREAD_SERIALIZED)
        return "this MPI library does not let several threads of a process call it in turn";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.num);
    mpi.awake_ns = mpi_has_processors() ? AWAKE_NS : 0;
    mpi.requests = calloc(2 * (size_t)mpi.num, sizeof(MPI_Request));
    mpi.statuses = calloc(2 * (size_t)mpi.num, sizeof(MPI_Status));
    int enough = mpi.requests && mpi.statuses && mpi_allocate(&mpi.out);
    for (int kind = 0; enough && kind < RANKS_KINDS; kind++)
        enough = mpi_allocate(&mpi.in[kind]);
    *rank = (unsigned)mpi.rank;
    *num = (unsigned)mpi.num;
    return enough ? NULL : "out of memory for what ranks exchange";
}

static int64_t mpi_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

/* Whoever waits for a processor gets this one after the first questions. A sleep takes longer than
 * most steps, and the other rank would then wait for this one and sleep in its turn, step after
 * step: only a wait that is much longer than a sleep is worth one. Where there are more ranks than
 * processors, the one that is waited for may have none; it gets one as soon as others sleep. */
static const char *mpi_wait(int num)
{
    const struct timespec a_while = {.tv_nsec = SLEEP_NS};
    int64_t begun = 0;
    int done = 0;
    for (unsigned tries = 0;; tries++) { /* may wrap in a wait of days */
        int code = MPI_Testall(num, mpi.requests, &done, mpi.statuses);
        if (code != MPI_SUCCESS)
            return mpi_failed("reach another rank", code);
        if (done)
            return NULL;
        if (tries == ALONE)
            begun = mpi_now_ns();
        else if (tries > ALONE && mpi_now_ns() - begun > mpi.awake_ns)
            nanosleep(&a_while, NULL);
        else if (tries > ALONE)
            sched_yield();
    }
}

/* Posts what is to be received from and sent to rank q, nothing if it is empty. */
static const char *mpi_post(int q, void *in, size_t in_size, const void *out, size_t out_size,
                            int *num)
{
    int code = MPI_SUCCESS;
    if (in_size)
        code =
            MPI_Irecv(in, (int)in_size, MPI_BYTE, q, TAG, MPI_COMM_WORLD, &mpi.requests[(*num)++]);
    if (code == MPI_SUCCESS && out_size)
        code = MPI_Isend(out, (int)out_size, MPI_BYTE, q, TAG, MPI_COMM_WORLD,
                         &mpi.requests[(*num)++]);
    return code == MPI_SUCCESS ? NULL : mpi_failed("reach another rank", code);
}

static const char *mpi_exchange_first(unsigned kind, const ranks_bytes *out)
{
    const char *error = NULL;
    int num = 0;
    for (int q = 0; q < mpi.num && !error; q++) {
        const mpi_head head = {.size = out[q].size, .kind = kind};
        size_t first = head.size < FIRST ? head.size : FIRST;
        if (q == mpi.rank)
            continue;
        memcpy(mpi.out[q].data, &head, sizeof head);
        if (first)
            memcpy(mpi.out[q].data + sizeof head, out[q].data, first);
        error = mpi_post(q, mpi.in[kind][q].data, sizeof head + FIRST, mpi.out[q].data,
                         sizeof head + first, &num);
    }
    return error ? error : mpi_wait(num);
}

/* The contents behind the first piece of what came from rank q find room. */
static const char *mpi_make_room(unsigned kind, int q)
{
    mpi_buffer *b = &mpi.in[kind][q];
    mpi_head head;
    memcpy(&head, b->data, sizeof head);
    if (head.kind != kind) {
        snprintf(mpi.text, sizeof mpi.text, "rank %d does something else than rank %d", q,
                 mpi.rank);
        return mpi.text;
    }
    if (sizeof head + head.size <= b->cap)
        return NULL;
    size_t cap = sizeof head + head.size + head.size / 2;
    unsigned char *data = realloc(b->data, cap);
    if (!data)
        return "out of memory for what ranks exchange";
    b->data = data;
    b->cap = cap;
    return NULL;
}

/* The size of piece `at`. */
static size_t mpi_piece(size_t size, size_t at)
{
    size_t left = size > at ? size - at : 0;
    return left < PIECE ? left : PIECE;
}

static const char *mpi_exchange(unsigned kind, const ranks_bytes *out, ranks_bytes *in)
{
    const char *error = mpi_exchange_first(kind, out);
    size_t most = 0;
    for (int q = 0; q < mpi.num && !error; q++) {
        mpi_head head;
        if (q == mpi.rank)
            continue;
        error = mpi_make_room(kind, q);
        memcpy(&head, mpi.in[kind][q].data, sizeof head);
        in[q] = (ranks_bytes){mpi.in[kind][q].data + sizeof head, head.size};
        most = head.size > most ? head.size : most;
        most = out[q].size > most ? out[q].size : most;
    }
    for (size_t at = FIRST; at < most && !error; at += PIECE) {
        int num = 0;
        for (int q = 0; q < mpi.num && !error; q++)
            if (q != mpi.rank)
                error = mpi_post(q, mpi.in[kind][q].data + sizeof(mpi_head) + at,
                                 mpi_piece(in[q].size, at), (const char *)out[q].data + at,
                                 mpi_piece(out[q].size, at), &num);
        if (!error)
            error = mpi_wait(num);
    }
    return error;
}

static void mpi_leave(void)
{
    MPI_Finalize();
    mpi_free(mpi.out);
    for (int kind = 0; kind < RANKS_KINDS; kind++)
        mpi_free(mpi.in[kind]);
    free(mpi.requests);
    free(mpi.statuses);
}

static void mpi_end(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    abort(); /* it does not return */
}

extern const ranks_module ikat_ranks_module;
__attribute__((visibility("default"))) const ranks_module ikat_ranks_module = {
    RANKS_MODULE_VERSION, mpi_join, mpi_exchange, mpi_leave, mpi_end};
