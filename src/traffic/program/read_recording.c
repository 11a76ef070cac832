/* SPDX-License-Identifier: Apache-2.0
 *
 * read_recording.c: recordings of MPI programs (`ikat record`), rank after rank. Each one's records
 * are read twice: which message a receive from any source took stands where it was completed, after
 * the record that begins it.
 *
 * A communicator is the same one on several ranks if its ranks are the same, in the same order, and
 * it is the n-th made of the same parent. Neighbours' messages have a communicator of their
 * own, as MPI's collective operations do. Between two groups, all of their ranks make one. */
#include "base/array.h"
#include "record/recording_read.h"
#include "traffic/program/reader.h"
#include "traffic/program/recording_notes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_COMM       IK_NONE
#define REQUEST_PARTS (UINT64_C(1) << 40) /* sub-requests of request n: n + i * REQUEST_PARTS */
#define INSTANCE_GROUP                                                                             \
    (UINT64_C(1) << 63)                   /* of communicators that are not identified by their
                                              parent */
#define INSTANCE_NEAR (UINT64_C(1) << 62) /* for messages of neighbours */
#define MOST_SEQUENCE (UINT64_C(1) << 28)

/* In the place of a number of sub-requests: of a request that was completed, and of one whose peers
 * are all processes that are not in the recording. */
enum { PARTS_OVER = UINT32_MAX, PARTS_OUTSIDE = UINT32_MAX - 1 };

/* What completed a request, where that matters. */
typedef struct outcome {
    uint32_t peer, tag;
    bool cancelled;
} outcome;

typedef struct rank_reader {
    program *p;
    recording *r;
    const char *path;
    uint32_t rank;
    char place[512];
    uint32_t *comms, *near; /* of the rank's numbers: the program's, and for neighbours */
    size_t num_comms, room_comms, room_near;
    uint32_t *made; /* [program's communicators] of the first of a group: how many the rank has */
    size_t num_made, room_made;
    uint32_t *parts; /* of request n: how many sub-requests it has */
    size_t num_requests, room_requests;
    outcome *outcomes; /* by request */
    size_t room_outcomes;
    uint64_t *wait; /* sub-requests of a wait */
    size_t num_wait, room_wait;
    uint32_t *members;
    size_t room_members;
    uint64_t *counts;
    size_t room_counts;
    bool by_cpu;              /* times of computation are the processor's */
    uint64_t spawns, outside; /* calls that bring processes of other programs; calls with them */
    uint64_t next_own;        /* requests that the recording does not have */
} rank_reader;

static ik_status recording_no_memory(ik_error *err)
{
    return ik_fail_memory(err, 0, "a recording");
}

/* ---- the first reading: what completed requests */

static ik_status note_completions(rank_reader *d, const recording_record *o, ik_error *err)
{
    for (size_t i = 0; i < o->num; i++) {
        const recording_item *item = &o->items[i];
        if (item->seen)
            d->outcomes[item->value] = (outcome){item->peer, item->tag, false};
        if (item->cancelled)
            d->outcomes[item->value].cancelled = true;
        if (item->seen && item->peer == RECORDING_ANY)
            return recording_refuse(d->r, err, "a completed receive has no source");
    }
    return IK_OK;
}

static ik_status recording_find_outcomes(rank_reader *d, ik_error *err)
{
    recording_record o = {.operation = REC_BEGIN};
    ik_status status = recording_rewind(d->r, d->rank, err);
    d->num_requests = 0;
    while (status == IK_OK && o.operation != REC_NONE) {
        status = recording_next(d->r, &o, err);
        if (status != IK_OK)
            break;
        if (o.request) {
            d->num_requests = o.request;
            if (!IK_ARRAY_ROOM(d->outcomes, d->room_outcomes, o.request + 1))
                return recording_no_memory(err);
            d->outcomes[o.request] = (outcome){RECORDING_ANY, RECORDING_ANY, false};
        }
        if (o.operation == REC_WAIT)
            status = note_completions(d, &o, err);
    }
    if (status == IK_OK && !recording_complete(d->r, d->rank))
        status = recording_refuse(d->r, err,
                                  "the rank stopped here, before MPI_Finalize: what is "
                                  "cut cannot be replayed");
    return status;
}

/* ---- communicators */

static ik_status recording_add_comm(rank_reader *d, uint32_t comm, ik_error *err)
{
    if (!IK_ARRAY_ROOM(d->comms, d->room_comms, d->num_comms + 1) ||
        !IK_ARRAY_ROOM(d->near, d->room_near, d->num_comms + 1))
        return recording_no_memory(err);
    d->near[d->num_comms] = NO_COMM;
    d->comms[d->num_comms++] = comm;
    return IK_OK;
}

/* Of two groups the one with the lower first rank comes first: both sides then say the same. */
static ik_status recording_find_members(rank_reader *d, const recording_record *o, ik_error *err)
{
    size_t own = o->num - o->num_in;
    bool swap = o->num_in && o->items[own].value < o->items[0].value;
    if (!IK_ARRAY_ROOM(d->members, d->room_members, o->num))
        return recording_no_memory(err);
    for (size_t i = 0; i < o->num; i++)
        d->members[swap ? (i < own ? i + o->num_in : i - own) : i] = (uint32_t)o->items[i].value;
    return IK_OK;
}

/* What says nothing of its parent is the next one of its group, whose instances begin here. */
static ik_status recording_next_of_group(rank_reader *d, uint32_t num, uint64_t instance,
                                         uint32_t *comm, ik_error *err)
{
    ik_status status = program_comm(d->p, d->members, num, instance, comm, err);
    if (status != IK_OK)
        return status;
    if (!IK_ARRAY_ROOM(d->made, d->room_made, (size_t)*comm + 1))
        return recording_no_memory(err);
    while (d->num_made <= *comm)
        d->made[d->num_made++] = 0;
    uint32_t before = d->made[*comm]++;
    return before ? program_comm(d->p, d->members, num, instance + before, comm, err) : IK_OK;
}

static ik_status recording_read_comm(rank_reader *d, const recording_record *o, ik_error *err)
{
    uint32_t comm = NO_COMM, num = (uint32_t)o->num;
    ik_status status = recording_find_members(d, o, err);
    if (status != IK_OK)
        return status;
    if (o->kind == COMM_NEW) {
        if (o->sequence >= MOST_SEQUENCE)
            return program_refuse(d->p, err, "communicator %" PRIu64 " of one parent", o->sequence);
        uint64_t instance = ((uint64_t)d->comms[o->root] + 1) << 28 | o->sequence;
        status = program_comm(d->p, d->members, num, instance, &comm, err);
    } else {
        status =
            recording_next_of_group(d, num, INSTANCE_GROUP | (uint64_t)o->kind << 32, &comm, err);
    }
    return status == IK_OK ? recording_add_comm(d, comm, err) : status;
}

static ik_status recording_begin_comms(rank_reader *d, ik_error *err)
{
    uint32_t self = NO_COMM;
    d->num_comms = d->num_made = 0;
    ik_status status = recording_add_comm(d, 0, err);
    if (status == IK_OK)
        status = program_comm(d->p, &d->rank, 1, 0, &self, err);
    return status == IK_OK ? recording_add_comm(d, self, err) : status;
}

/* The communicator for messages of neighbours. */
static ik_status recording_near_comm(rank_reader *d, uint32_t number, uint32_t *comm, ik_error *err)
{
    uint32_t of = d->comms[number], num = program_comm_size(d->p, of);
    *comm = d->near[number];
    if (*comm != NO_COMM)
        return IK_OK;
    if (!IK_ARRAY_ROOM(d->members, d->room_members, num))
        return recording_no_memory(err);
    for (uint32_t i = 0; i < num; i++)
        d->members[i] = program_member(d->p, of, i);
    ik_status status = program_comm(d->p, d->members, num, INSTANCE_NEAR | of, comm, err);
    if (status == IK_OK)
        d->near[number] = *comm;
    return status;
}

/* ---- requests */

/* Request n gets its number of sub-requests; 0: it is over when it begins. */
static ik_status recording_begin_request(rank_reader *d, uint64_t request, size_t parts,
                                         ik_error *err)
{
    if (request == 0)
        return IK_OK;
    if (request >= REQUEST_PARTS || parts >= (UINT64_C(1) << 22))
        return program_refuse(d->p, err, "more requests than can be read");
    if (!IK_ARRAY_ROOM(d->parts, d->room_requests, request + 1))
        return recording_no_memory(err);
    d->parts[request] = (uint32_t)parts;
    d->num_requests = request;
    return IK_OK;
}

/* *parts: how many sub-requests it had; *outside (may be NULL) becomes true if its peers are not in
 * the recording. Its number is of a request that the rank has begun: the reader of records checks
 * that. */
static ik_status recording_end_request(rank_reader *d, uint64_t request, uint32_t *parts,
                                       bool *outside, ik_error *err)
{
    assert(request > 0 && request <= d->num_requests);
    *parts = d->parts[request];
    if (*parts == PARTS_OVER)
        return program_refuse(d->p, err, "request %" PRIu64 " was completed before", request);
    d->parts[request] = PARTS_OVER;
    if (*parts == PARTS_OUTSIDE) {
        *parts = 0;
        if (outside)
            *outside = true;
    }
    return IK_OK;
}

static ik_status recording_wait_more(rank_reader *d, uint64_t request, bool *outside, ik_error *err)
{
    uint32_t parts;
    ik_status status = recording_end_request(d, request, &parts, outside, err);
    if (status != IK_OK)
        return status;
    if (!IK_ARRAY_ROOM(d->wait, d->room_wait, d->num_wait + parts))
        return recording_no_memory(err);
    for (uint32_t i = 0; i < parts; i++)
        d->wait[d->num_wait++] = request + i * REQUEST_PARTS;
    return IK_OK;
}

static ik_status recording_wait_all(rank_reader *d, ik_error *err)
{
    size_t num = d->num_wait;
    d->num_wait = 0;
    return num ? call_wait(d->p, d->rank, d->wait, num, err) : IK_OK;
}

/* What depends on processes that are not in the recording lasts as long as it did. */
static ik_status as_recorded(rank_reader *d, const recording_record *o, ik_error *err)
{
    return o->lasts_ns ? call_compute(d->p, d->rank, o->lasts_ns * 1000, err) : IK_OK;
}

/* A wait for other requests as well is simulated, by these. */
static ik_status recording_read_wait(rank_reader *d, const recording_record *o, ik_error *err)
{
    ik_status status = IK_OK;
    bool outside = false;
    for (size_t i = 0; i < o->num && status == IK_OK; i++)
        status = recording_wait_more(d, o->items[i].value, &outside, err);
    if (status == IK_OK && outside && d->num_wait == 0)
        return as_recorded(d, o, err);
    return status == IK_OK ? recording_wait_all(d, err) : status;
}

static ik_status recording_forget(rank_reader *d, uint64_t request, ik_error *err)
{
    uint32_t parts;
    ik_status status = recording_end_request(d, request, &parts, NULL, err);
    for (uint32_t i = 0; i < parts && status == IK_OK; i++)
        status = call_forget(d->p, d->rank, request + i * REQUEST_PARTS, err);
    return status;
}

/* Requests that the program never asked about. */
static ik_status recording_forget_rest(rank_reader *d, ik_error *err)
{
    ik_status status = IK_OK;
    for (uint64_t n = 1; n <= d->num_requests && status == IK_OK; n++)
        if (d->parts[n] != PARTS_OVER)
            status = recording_forget(d, n, err);
    return status;
}

/* ---- messages */

static uint64_t recording_own_request(rank_reader *d)
{
    return (UINT64_C(1) << 63) | d->next_own++;
}

static ik_status recording_do_send(rank_reader *d, const recording_record *o, uint64_t request,
                                   ik_error *err)
{
    call_message m = {.peer = o->peer,
                      .tag = o->tag,
                      .comm = d->comms[o->comm],
                      .bytes = o->bytes,
                      .request = request,
                      .synchronous = o->operation == REC_SEND && o->kind == SEND_SYNCHRONOUS};
    return call_send(d->p, d->rank, &m, err);
}

/* from, tag: as the program asked; seen: what it took. A message that was cut off, because there
 * was no room for it, went through the network whole. */
static ik_status recording_do_recv(rank_reader *d, uint32_t number, uint32_t from, uint32_t tag,
                                   outcome seen, uint64_t request, ik_error *err)
{
    call_message m = {.peer = from == RECORDING_ANY ? PROGRAM_ANY : from,
                      .tag = tag == RECORDING_ANY ? PROGRAM_ANY : tag,
                      .seen_peer = seen.peer == RECORDING_ANY ? PROGRAM_ANY : seen.peer,
                      .seen_tag = seen.tag == RECORDING_ANY ? PROGRAM_ANY : seen.tag,
                      .comm = d->comms[number],
                      .bytes = PROGRAM_MOST,
                      .request = request};
    return call_recv(d->p, d->rank, &m, err);
}

static ik_status recording_read_send(rank_reader *d, const recording_record *o, ik_error *err)
{
    bool none = o->peer == RECORDING_NOBODY;
    ik_status status = recording_begin_request(d, o->request, !none, err);
    if (status != IK_OK || none)
        return status;
    return recording_do_send(d, o, o->request ? o->request : PROGRAM_BLOCKING, err);
}

static outcome recording_outcome_of(const rank_reader *d, const recording_record *o)
{
    return o->request ? d->outcomes[o->request] : (outcome){o->seen_peer, o->seen_tag, false};
}

static ik_status recording_read_recv(rank_reader *d, const recording_record *o, ik_error *err)
{
    outcome seen = recording_outcome_of(d, o);
    bool none = o->peer == RECORDING_NOBODY || seen.peer == RECORDING_NOBODY || seen.cancelled;
    ik_status status = recording_begin_request(d, o->request, !none, err);
    if (status != IK_OK || none)
        return status;
    return recording_do_recv(d, o->comm, o->peer, o->tag, seen,
                             o->request ? o->request : PROGRAM_BLOCKING, err);
}

/* A receive and a send at once. */
static ik_status recording_read_sendrecv(rank_reader *d, const recording_record *o, ik_error *err)
{
    outcome seen = recording_outcome_of(d, o);
    bool in = o->from != RECORDING_NOBODY && seen.peer != RECORDING_NOBODY,
         out = o->peer != RECORDING_NOBODY;
    uint64_t requests[2];
    size_t num = 0;
    ik_status status = recording_begin_request(d, o->request, (size_t)in + out, err);
    if (status == IK_OK && in) {
        requests[num] = o->request ? o->request : recording_own_request(d);
        status = recording_do_recv(d, o->comm, o->from, o->from_tag, seen, requests[num++], err);
    }
    if (status == IK_OK && out) {
        requests[num] = o->request ? o->request + num * REQUEST_PARTS : recording_own_request(d);
        status = recording_do_send(d, o, requests[num++], err);
    }
    if (status != IK_OK || o->request || !num)
        return status;
    return call_wait(d->p, d->rank, requests, num, err);
}

/* Sub-request i is that of the i-th message that has a peer; receives are posted first. */
static ik_status neighbour_messages(rank_reader *d, const recording_record *o, uint32_t comm,
                                    ik_error *err)
{
    size_t out = o->num - o->num_in, part = 0;
    ik_status status = IK_OK;
    for (size_t k = 0; k < o->num && status == IK_OK; k++) {
        bool in = k < o->num_in;
        const recording_item *item = &o->items[in ? out + k : k - o->num_in];
        if (item->peer == RECORDING_NOBODY)
            continue;
        call_message m = {.peer = item->peer,
                          .seen_peer = item->peer,
                          .comm = comm,
                          .bytes = in ? PROGRAM_MOST : item->value,
                          .request = o->request ? o->request + part * REQUEST_PARTS
                                                : recording_own_request(d)};
        if (!o->request) {
            if (!IK_ARRAY_ROOM(d->wait, d->room_wait, d->num_wait + 1))
                return recording_no_memory(err);
            d->wait[d->num_wait++] = m.request;
        }
        part++;
        status = in ? call_recv(d->p, d->rank, &m, err) : call_send(d->p, d->rank, &m, err);
    }
    return status == IK_OK ? recording_wait_all(d, err) : status;
}

static ik_status recording_read_neighbour(rank_reader *d, const recording_record *o, ik_error *err)
{
    uint32_t comm;
    size_t parts = 0;
    for (size_t i = 0; i < o->num; i++)
        parts += o->items[i].peer != RECORDING_NOBODY;
    ik_status status = recording_begin_request(d, o->request, parts, err);
    if (status == IK_OK)
        status = recording_near_comm(d, o->comm, &comm, err);
    return status == IK_OK ? neighbour_messages(d, o, comm, err) : status;
}

/* ---- collective operations */

static const struct meaning {
    collective_operation operation;
    bool varies, takes; /* takes: its bytes are those that a rank gets */
    unsigned counts;    /* per process: how many; at the root only, if it has one */
} meanings[COLL_OPERATIONS] = {
    [COLL_BCAST] = {COLLECTIVE_BROADCAST, false, false, 0},
    [COLL_GATHER] = {COLLECTIVE_GATHER, false, false, 0},
    [COLL_GATHERV] = {COLLECTIVE_GATHER, true, false, 1},
    [COLL_SCATTER] = {COLLECTIVE_SCATTER, false, true, 0},
    [COLL_SCATTERV] = {COLLECTIVE_SCATTER, true, true, 1},
    [COLL_REDUCE] = {COLLECTIVE_REDUCE, false, false, 0},
    [COLL_BARRIER] = {COLLECTIVE_BARRIER, false, false, 0},
    [COLL_ALLGATHER] = {COLLECTIVE_ALLGATHER, false, false, 0},
    [COLL_ALLGATHERV] = {COLLECTIVE_ALLGATHER, true, false, 1},
    [COLL_ALLTOALL] = {COLLECTIVE_ALLTOALL, false, false, 0},
    [COLL_ALLTOALLV] = {COLLECTIVE_ALLTOALLV, false, false, 2},
    [COLL_ALLTOALLW] = {COLLECTIVE_ALLTOALLV, false, false, 2},
    [COLL_ALLREDUCE] = {COLLECTIVE_ALLREDUCE, false, false, 0},
    [COLL_REDUCE_SCATTER] = {COLLECTIVE_REDUCE_SCATTER, true, true, 1},
    [COLL_REDUCE_SCATTER_BLOCK] = {COLLECTIVE_REDUCE_SCATTER, false, true, 0},
    [COLL_SCAN] = {COLLECTIVE_SCAN, false, false, 0},
    [COLL_EXSCAN] = {COLLECTIVE_SCAN, false, false, 0},
};

static ik_status recording_read_collective(rank_reader *d, const recording_record *o, ik_error *err)
{
    const struct meaning *m = &meanings[o->kind];
    uint32_t comm = d->comms[o->comm], num = program_comm_size(d->p, comm);
    bool rooted = o->root != IK_NONE;
    if (rooted && o->root >= num)
        return program_refuse(d->p, err, "the root is process %u of %u", o->root, num);
    bool is_root = rooted && program_member(d->p, comm, o->root) == d->rank;
    size_t counts = rooted && !is_root ? 0 : (size_t)m->counts * num;
    if (o->num != counts)
        return program_refuse(d->p, err, "%zu counts for %s; expected %zu", o->num,
                              IK_COUNT(num, "process"), counts);
    if (!IK_ARRAY_ROOM(d->counts, d->room_counts, counts))
        return recording_no_memory(err);
    for (size_t i = 0; i < counts; i++)
        d->counts[i] = o->items[i].value;
    program_collective_call c = {.operation = m->operation,
                                 .comm = comm,
                                 .root = rooted ? o->root : 0,
                                 .bytes = m->takes ? o->received : o->sent,
                                 .varies = m->varies};
    if (m->counts == 2 || o->kind == COLL_SCATTERV)
        c.send_counts = counts ? d->counts : NULL;
    if (m->counts == 2)
        c.recv_counts = d->counts + num;
    if (o->kind == COLL_ALLGATHERV || o->kind == COLL_REDUCE_SCATTER)
        c.recv_counts = d->counts;
    ik_status status = recording_begin_request(d, o->request, 1, err);
    return status == IK_OK
               ? call_collective(d->p, d->rank, &c, o->request ? o->request : PROGRAM_BLOCKING, err)
               : status;
}

/* ---- records */

static ik_status recording_read_other(rank_reader *d, const recording_record *o, ik_error *err)
{
    if (o->kind == OTHER_SPAWN || o->kind == OTHER_OUTSIDE) {
        d->spawns += o->kind == OTHER_SPAWN;
        d->outside += o->kind == OTHER_OUTSIDE;
        return as_recorded(d, o, err);
    }
    if (o->kind == OTHER_INTERCOMM)
        return program_refuse(d->p, err,
                              "a collective operation between two groups cannot be "
                              "replayed");
    return IK_OK;
}

static ik_status recording_read_call(rank_reader *d, const recording_record *o, ik_error *err)
{
    switch (o->operation) {
    case REC_COMM:
        return recording_read_comm(d, o, err);
    case REC_SEND:
        return recording_read_send(d, o, err);
    case REC_RECV:
        return recording_read_recv(d, o, err);
    case REC_SENDRECV:
        return recording_read_sendrecv(d, o, err);
    case REC_WAIT:
        return recording_read_wait(d, o, err);
    case REC_COLLECTIVE:
        return recording_read_collective(d, o, err);
    case REC_NEIGHBOUR:
        return recording_read_neighbour(d, o, err);
    case REC_FREE:
        return recording_forget(d, o->freed, err);
    case REC_OTHER:
        return recording_read_other(d, o, err);
    case REC_OVERLAP:
        return program_refuse(d->p, err,
                              "calls of several threads overlapped: a rank's calls must "
                              "be a sequence to be replayed");
    case REC_END:
        return recording_forget_rest(d, err);
    default:
        return IK_OK;
    }
}

static ik_status recording_read_record(rank_reader *d, const recording_record *o, ik_error *err)
{
    ik_status status = IK_OK;
    uint64_t computes = d->by_cpu ? o->ran_ns : o->gap_ns;
    if (computes)
        status = call_compute(d->p, d->rank, computes * 1000, err);
    d->outside += o->outside;
    uint32_t seen = o->request ? d->outcomes[o->request].peer : o->seen_peer;
    if (status == IK_OK && !o->request && recording_is_outside(o, seen))
        status = as_recorded(d, o, err);
    if (status == IK_OK)
        status = recording_read_call(d, o, err);
    if (status == IK_OK && o->request && d->parts[o->request] == 0 &&
        recording_is_outside(o, seen) && !d->outcomes[o->request].cancelled)
        d->parts[o->request] = PARTS_OUTSIDE;
    return status;
}

static ik_status recording_read_rank(rank_reader *d, uint32_t rank, ik_error *err)
{
    recording_record o = {.operation = REC_BEGIN};
    d->rank = rank;
    snprintf(d->place, sizeof d->place, "%s, rank %" PRIu32, d->path, rank);
    ik_status status = recording_find_outcomes(d, err);
    if (status == IK_OK && !IK_ARRAY_ROOM(d->parts, d->room_requests, d->num_requests + 1))
        return recording_no_memory(err);
    d->num_requests = 0;
    if (status == IK_OK)
        status = recording_begin_comms(d, err);
    if (status == IK_OK)
        status = recording_rewind(d->r, rank, err);
    while (status == IK_OK && o.operation != REC_NONE) {
        status = recording_next(d->r, &o, err);
        if (status != IK_OK || o.operation == REC_NONE)
            break;
        program_place(d->p, d->place, o.number < UINT32_MAX ? (unsigned)o.number : 0);
        status = recording_read_record(d, &o, err);
    }
    return status;
}

static unsigned recording_probe(const program_source *s)
{
    return s->head_size >= 8 && memcmp(s->head, RECORDING_MAGIC, 8) == 0 ? 100 : 0;
}

static ik_status read_recording(program *p, const program_source *s, const ik_env *env,
                                ik_error *err)
{
    rank_reader d = {.p = p, .path = s->files[0]};
    if (s->num_files > 1) {
        ik_fail(err, IK_ERR_INPUT, "%s: %u files, a recording is one", s->path, s->num_files);
        return ik_hint(err, IK_ERR_INPUT, "the first is %s", s->files[0]);
    }
    ik_status status = recording_open(d.path, &d.r, err);
    uint32_t num = status == IK_OK ? recording_ranks(d.r) : 0;
    if (status == IK_OK)
        status = program_begin(p, num, err);
    if (status == IK_OK)
        status = recording_choose_clock(p, d.r, d.path, &d.by_cpu, err);
    for (uint32_t rank = 0; rank < num && status == IK_OK; rank++) {
        status = recording_read_rank(&d, rank, err);
        if (status == IK_OK && ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "stopped");
    }
    if (status == IK_OK)
        status = recording_note_outside(p, d.spawns, d.outside, err);
    recording_close(d.r);
    free(d.comms);
    free(d.near);
    free(d.made);
    free(d.parts);
    free(d.outcomes);
    free(d.wait);
    free(d.members);
    free(d.counts);
    return status;
}

const program_reader program_reader_recording = {
    .name = "recording",
    .summary = "what 'ikat record' writes: the calls of an MPI program",
    .source = "ikat's own; docs/formats.md",
    .probe = recording_probe,
    .read = read_recording,
    .two_clocks = true,
};
