/* SPDX-License-Identifier: Apache-2.0
 *
 * otf2_calls.c: see otf2_calls.h. */
#include "traffic/program/otf2_calls.h"

#include "base/array.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

/* What is said of one rank. */
typedef struct teller {
    mpi_calls *c;
    uint32_t rank;
    const mpi_event *events;
    size_t num;
    uint64_t last;  /* when the call before was over */
    unsigned depth; /* MPI calls that are open: one within another is a part of it */
    size_t begin;   /* of the open call: its first event */
    size_t num_requests;
} teller;

void mpi_calls_free(mpi_calls *c)
{
    free(c->requests);
    free(c->counts);
    free(c->link);
    c->requests = c->counts = NULL;
    c->link = NULL;
    c->room_requests = c->room_counts = c->room_link = 0;
}

static ik_status otf2_calls_refuse(const teller *t, ik_error *err, const char *what)
{
    return program_refuse(t->c->p, err, "rank %u: %s", t->rank, what);
}

static void otf2_calls_stand_at(const teller *t, const mpi_event *e)
{
    program_place(t->c->p, t->c->path,
                  e->position < UINT32_MAX ? (unsigned)e->position : UINT32_MAX - 1);
}

/* ---- what completes what */

static bool otf2_calls_begins(const mpi_event *e)
{
    return e->kind == MPI_ISEND || e->kind == MPI_IRECV || e->kind == MPI_ICOLLECTIVE;
}

static bool otf2_calls_completes(const mpi_event *begin, const mpi_event *end)
{
    return end->kind == MPI_CANCELLED || end->kind == begin->kind + 1;
}

static uint32_t otf2_calls_find_open(const teller *t, const ik_hash *open, uint64_t request)
{
    uint32_t id, tag = ik_hash_tag(request);
    for (size_t at = ik_hash_first(open, tag); (id = ik_hash_find(open, tag, &at)) != IK_NONE; at++)
        if (t->events[id].request == request)
            break;
    return id;
}

static ik_status otf2_calls_link_event(teller *t, ik_hash *open, uint32_t k, ik_error *err)
{
    const mpi_event *e = &t->events[k];
    bool ends = e->kind == MPI_ISEND_DONE || e->kind == MPI_IRECV_DONE ||
                e->kind == MPI_ICOLLECTIVE_DONE || e->kind == MPI_CANCELLED;
    t->c->link[k] = IK_NONE;
    if (!otf2_calls_begins(e) && !ends)
        return IK_OK;
    uint32_t begin = otf2_calls_find_open(t, open, e->request);
    otf2_calls_stand_at(t, e);
    if (otf2_calls_begins(e)) {
        if (begin != IK_NONE)
            return otf2_calls_refuse(t, err, "a request begins that is still open");
        return ik_hash_add(open, ik_hash_tag(e->request), k)
                   ? IK_OK
                   : ik_fail_memory(err, t->num * 8, "the requests of a rank");
    }
    if (begin == IK_NONE || !otf2_calls_completes(&t->events[begin], e))
        return otf2_calls_refuse(t, err, "a request is completed that has not begun");
    t->c->link[begin] = k;
    ik_hash_remove(open, ik_hash_tag(e->request), begin);
    return IK_OK;
}

static ik_status otf2_calls_link_all(teller *t, ik_error *err)
{
    ik_hash open;
    ik_status status = IK_OK;
    if (t->num >= IK_NONE || !IK_ARRAY_ROOM(t->c->link, t->c->room_link, t->num) ||
        !ik_hash_init(&open))
        return ik_fail_memory(err, t->num * sizeof *t->c->link, "the events of a rank");
    for (uint32_t k = 0; k < t->num && status == IK_OK; k++)
        status = otf2_calls_link_event(t, &open, k, err);
    ik_hash_free(&open);
    return status;
}

/* ---- communicators and peers */

static int otf2_calls_by_ref(const void *key, const void *item)
{
    uint32_t a = *(const uint32_t *)key, b = ((const mpi_comm *)item)->ref;
    return (a > b) - (a < b);
}

static ik_status otf2_calls_find_comm(const teller *t, uint32_t ref, const mpi_comm **out,
                                      uint32_t *comm, ik_error *err)
{
    mpi_calls *c = t->c;
    mpi_comm *m = c->num_comms
                      ? bsearch(&ref, c->comms, c->num_comms, sizeof *c->comms, otf2_calls_by_ref)
                      : NULL;
    ik_status status = IK_OK;
    if (!m)
        return program_refuse(
            c->p, err, "rank %u: communicator %u is not defined as one of a group", t->rank, ref);
    uint32_t number = m->comm;
    if (!m->ranks)
        status = program_comm(c->p, &t->rank, 1, ref + UINT64_C(1), &number, err);
    else if (number == IK_NONE)
        status = program_comm(c->p, m->ranks, m->num, ref + UINT64_C(1), &number, err);
    if (status != IK_OK)
        return status;
    m->comm = m->ranks ? number : IK_NONE;
    *out = m;
    *comm = number;
    return IK_OK;
}

static ik_status otf2_calls_message_of(const teller *t, const mpi_event *e, uint64_t request,
                                       call_message *out, ik_error *err)
{
    const mpi_comm *m = NULL;
    uint32_t comm = 0;
    ik_status status = otf2_calls_find_comm(t, e->comm, &m, &comm, err);
    if (status != IK_OK)
        return status;
    if (e->peer >= (m->global ? program_ranks(t->c->p) : program_comm_size(t->c->p, comm)))
        return otf2_calls_refuse(t, err,
                                 "a message with a rank that its communicator does not have");
    if (e->tag > PROGRAM_MOST_TAG)
        return otf2_calls_refuse(t, err, "a message with a tag that is not valid in MPI");
    *out = (call_message){.peer = m->global ? e->peer : program_member(t->c->p, comm, e->peer),
                          .tag = e->tag,
                          .seen_peer = PROGRAM_ANY,
                          .seen_tag = PROGRAM_ANY,
                          .comm = comm,
                          .bytes = e->sent,
                          .request = request};
    return IK_OK;
}

/* ---- collectives */

/* Bytes of one part of `total`, which has one for each rank, or one for each other rank. */
static uint64_t otf2_calls_part_of(uint64_t total, uint64_t ranks)
{
    assert(ranks > 0);
    if (total % ranks == 0 || ranks == 1 || total % (ranks - 1))
        return total / ranks + (total % ranks > 0);
    return total / (ranks - 1);
}

/* The sizes are those that Score-P counts: as if each rank sent to each other one and to itself. */
static uint64_t otf2_calls_bytes_of(const mpi_event *e, uint64_t ranks, uint64_t place)
{
    assert(place < ranks);
    uint64_t others = ranks > 1 ? ranks - 1 : 1;
    switch (e->operation) {
    case MPI_OP_BCAST:
        return e->received ? e->received : otf2_calls_part_of(e->sent, ranks);
    case MPI_OP_SCATTER: /* a root in place has nothing for itself */
    case MPI_OP_SCATTERV:
        return e->received ? e->received : e->sent / others;
    case MPI_OP_REDUCE:
    case MPI_OP_GATHER:
    case MPI_OP_GATHERV:
        return e->sent ? e->sent : e->received / others;
    case MPI_OP_SCAN:
        return e->received / (place + 1);
    case MPI_OP_EXSCAN:
        return place ? e->received / place : e->sent / others;
    case MPI_OP_REDUCE_SCATTER:
    case MPI_OP_ALLGATHER:
    case MPI_OP_ALLGATHERV:
        return otf2_calls_part_of(e->received, ranks);
    default:
        return otf2_calls_part_of(e->sent, ranks);
    }
}

static const collective_operation operations[MPI_OP_OTHERS] = {
    [MPI_OP_BARRIER] = COLLECTIVE_BARRIER,
    [MPI_OP_BCAST] = COLLECTIVE_BROADCAST,
    [MPI_OP_GATHER] = COLLECTIVE_GATHER,
    [MPI_OP_GATHERV] = COLLECTIVE_GATHER,
    [MPI_OP_SCATTER] = COLLECTIVE_SCATTER,
    [MPI_OP_SCATTERV] = COLLECTIVE_SCATTER,
    [MPI_OP_ALLGATHER] = COLLECTIVE_ALLGATHER,
    [MPI_OP_ALLGATHERV] = COLLECTIVE_ALLGATHER,
    [MPI_OP_ALLTOALL] = COLLECTIVE_ALLTOALL,
    [MPI_OP_ALLTOALLV] = COLLECTIVE_ALLTOALLV,
    [MPI_OP_ALLTOALLW] = COLLECTIVE_ALLTOALLV,
    [MPI_OP_ALLREDUCE] = COLLECTIVE_ALLREDUCE,
    [MPI_OP_REDUCE] = COLLECTIVE_REDUCE,
    [MPI_OP_REDUCE_SCATTER] = COLLECTIVE_REDUCE_SCATTER,
    [MPI_OP_SCAN] = COLLECTIVE_SCAN,
    [MPI_OP_EXSCAN] = COLLECTIVE_SCAN,
    [MPI_OP_REDUCE_SCATTER_BLOCK] = COLLECTIVE_REDUCE_SCATTER,
};

/* What a rank sends to all, as evenly as bytes allow: the archive has no more than the sum. */
static ik_status otf2_calls_spread(teller *t, uint64_t total, uint32_t ranks, ik_error *err)
{
    mpi_calls *c = t->c;
    if (!IK_ARRAY_ROOM(c->counts, c->room_counts, ranks))
        return ik_fail_memory(err, ranks * sizeof *c->counts, "the sizes of a collective");
    for (uint32_t k = 0; k < ranks; k++)
        c->counts[k] = total / ranks + (k < total % ranks);
    return IK_OK;
}

static ik_status otf2_calls_tell_collective(teller *t, const mpi_event *e, uint64_t request,
                                            ik_error *err)
{
    const mpi_comm *m = NULL;
    uint32_t comm = 0;
    if (e->operation >= MPI_OP_OTHERS)
        return IK_OK;
    ik_status status = otf2_calls_find_comm(t, e->comm, &m, &comm, err);
    if (status != IK_OK)
        return status;
    uint32_t ranks = program_comm_size(t->c->p, comm),
             place = program_place_of(t->c->p, comm, t->rank);
    if (place == IK_NONE)
        return otf2_calls_refuse(t, err, "a collective of a communicator that it is not in");
    program_collective_call call = {.operation = operations[e->operation],
                                    .comm = comm,
                                    .bytes = otf2_calls_bytes_of(e, ranks, place)};
    bool rooted = e->operation == MPI_OP_REDUCE ||
                  (e->operation >= MPI_OP_BCAST && e->operation <= MPI_OP_SCATTERV);
    if (rooted && e->peer >= ranks)
        return otf2_calls_refuse(t, err, "the root of a collective is not in its communicator");
    call.root = rooted ? e->peer : 0;
    call.varies = e->operation == MPI_OP_GATHERV || e->operation == MPI_OP_SCATTERV;
    bool lists = call.operation == COLLECTIVE_ALLTOALLV ||
                 (e->operation == MPI_OP_SCATTERV && place == call.root);
    if (call.operation == COLLECTIVE_ALLTOALLV)
        call.bytes = 0;
    if (lists)
        status = otf2_calls_spread(t, e->sent, ranks, err);
    call.send_counts = lists ? t->c->counts : NULL;
    return status == IK_OK ? call_collective(t->c->p, t->rank, &call, request, err) : status;
}

/* ---- calls */

/* Numbers that no archive gives: from the largest downwards. */
static uint64_t otf2_calls_own_request(size_t k)
{
    return PROGRAM_BLOCKING - 1 - k;
}

static ik_status otf2_calls_note_request(teller *t, uint64_t request, ik_error *err)
{
    mpi_calls *c = t->c;
    if (!IK_ARRAY_ROOM(c->requests, c->room_requests, t->num_requests + 1))
        return ik_fail_memory(err, (t->num_requests + 1) * sizeof *c->requests, "requests");
    c->requests[t->num_requests++] = request;
    return IK_OK;
}

static ik_status otf2_calls_tell_message(teller *t, const mpi_event *e, const mpi_event *data,
                                         uint64_t request, ik_error *err)
{
    call_message m;
    bool sends = e->kind == MPI_SEND || e->kind == MPI_ISEND;
    ik_status status = otf2_calls_message_of(t, data, request, &m, err);
    if (status != IK_OK)
        return status;
    return sends ? call_send(t->c->p, t->rank, &m, err) : call_recv(t->c->p, t->rank, &m, err);
}

/* What begins here and is completed by a later event. */
static ik_status otf2_calls_tell_begin(teller *t, const mpi_event *e, ik_error *err)
{
    uint32_t link = t->c->link[e - t->events];
    const mpi_event *end = link == IK_NONE ? NULL : &t->events[link];
    bool cancelled = end && end->kind == MPI_CANCELLED;
    if (e->kind == MPI_ISEND) {
        if (cancelled)
            return otf2_calls_refuse(t, err, "a send that was cancelled");
        ik_status status = otf2_calls_tell_message(t, e, e, e->request, err);
        return status == IK_OK && !end ? call_forget(t->c->p, t->rank, e->request, err) : status;
    }
    if (!end) {
        otf2_calls_refuse(t, err, "a request that is never completed");
        return ik_hint(err, IK_ERR_INPUT, "the archive seems to be cut off");
    }
    if (cancelled)
        return IK_OK;
    if (e->kind == MPI_ICOLLECTIVE)
        return end->operation < MPI_OP_OTHERS ? otf2_calls_tell_collective(t, end, e->request, err)
                                              : IK_OK;
    return otf2_calls_tell_message(t, e, end, e->request, err);
}

static ik_status otf2_calls_tell_event(teller *t, const mpi_event *e, bool alone, ik_error *err)
{
    otf2_calls_stand_at(t, e);
    switch (e->kind) {
    case MPI_SEND:
    case MPI_RECV: {
        uint64_t request = alone ? PROGRAM_BLOCKING : otf2_calls_own_request(t->num_requests);
        ik_status status = otf2_calls_tell_message(t, e, e, request, err);
        return status == IK_OK && !alone ? otf2_calls_note_request(t, request, err) : status;
    }
    case MPI_ISEND:
    case MPI_IRECV:
    case MPI_ICOLLECTIVE:
        return otf2_calls_tell_begin(t, e, err);
    case MPI_COLLECTIVE:
        return otf2_calls_tell_collective(t, e, PROGRAM_BLOCKING, err);
    case MPI_ICOLLECTIVE_DONE:
        if (e->operation >= MPI_OP_OTHERS)
            return IK_OK;
        return otf2_calls_note_request(t, e->request, err);
    case MPI_ISEND_DONE:
    case MPI_IRECV_DONE:
        return otf2_calls_note_request(t, e->request, err);
    default:
        return IK_OK;
    }
}

/* The events of a call, up to `end`. */
static ik_status otf2_calls_tell_call(teller *t, size_t end, ik_error *err)
{
    unsigned blocking = 0, others = 0;
    ik_status status = IK_OK;
    for (size_t k = t->begin; k < end; k++) {
        bool message = t->events[k].kind == MPI_SEND || t->events[k].kind == MPI_RECV;
        blocking += message;
        others += !message && t->events[k].kind > MPI_LEAVE;
    }
    t->num_requests = 0;
    for (size_t k = t->begin; k < end && status == IK_OK; k++)
        status = otf2_calls_tell_event(t, &t->events[k], blocking == 1 && !others, err);
    if (status == IK_OK && t->num_requests)
        status = call_wait(t->c->p, t->rank, t->c->requests, t->num_requests, err);
    t->begin = end;
    return status;
}

/* The time since the call before. */
static ik_status otf2_calls_tell_time(teller *t, const mpi_event *e, ik_error *err)
{
    __extension__ typedef unsigned __int128 wide;
    otf2_calls_stand_at(t, e);
    if (e->time < t->last) {
        otf2_calls_refuse(t, err, "time goes back");
        return ik_hint(err, IK_ERR_INPUT, "the clock of this location jumps");
    }
    wide ps = (wide)(e->time - t->last) * UINT64_C(1000000000000) / t->c->ticks;
    if (ps > PROGRAM_MOST_PS)
        return otf2_calls_refuse(t, err, "a computation of more than 11 days");
    return ps ? call_compute(t->c->p, t->rank, (uint64_t)ps, err) : IK_OK;
}

static ik_status otf2_calls_tell(teller *t, size_t k, ik_error *err)
{
    const mpi_event *e = &t->events[k];
    ik_status status = IK_OK;
    if (t->depth == 0) {
        status = otf2_calls_tell_time(t, e, err);
        t->last = e->time;
        t->begin = k;
    }
    if (e->kind == MPI_ENTER)
        t->depth++;
    else if (e->kind == MPI_LEAVE && t->depth)
        t->depth--;
    if (status != IK_OK || t->depth)
        return status;
    if (e->time < t->last)
        return otf2_calls_tell_time(t, e, err);
    status = otf2_calls_tell_call(t, k + 1, err);
    t->last = e->time;
    return status;
}

ik_status mpi_calls_add(mpi_calls *c, uint32_t rank, const mpi_event *events, size_t num,
                        uint64_t start, uint64_t end, ik_error *err)
{
    assert(c->ticks);
    teller t = {.c = c, .rank = rank, .events = events, .num = num, .last = start};
    ik_status status = otf2_calls_link_all(&t, err);
    for (size_t k = 0; k < num && status == IK_OK; k++)
        status = otf2_calls_tell(&t, k, err);
    /* the archive ends within a call, as that of a program that was aborted in it */
    if (status == IK_OK && t.depth)
        return otf2_calls_tell_call(&t, num, err);
    mpi_event last = {.time = end, .position = num ? events[num - 1].position : 0};
    return status == IK_OK ? otf2_calls_tell_time(&t, &last, err) : status;
}
