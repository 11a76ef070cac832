/* SPDX-License-Identifier: Apache-2.0
 *
 * read_liballprof.c: text traces of liballprof (T. Hoefler; part of LogGOPSim), one file per rank
 * in the order of their names.
 *
 * A rank computes between the end of a call and the begin of the next one; the time within calls is
 * the network's. Requests are the addresses of the program's variables. Which requests a wait for
 * some or a test completes is not said: such a request is waited for, at the latest, where its
 * variable is used again, or at the end. Nor is said which ranks a communicator has: those of all
 * ranks are distinguished by the order in which a rank uses them first, others of several ranks are
 * refused. */
#include "base/array.h"
#include "traffic/program/allprof_line.h"
#include "traffic/program/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* MPICH's handles of communicators begin with these bits; MPI_PROC_NULL is -1 there and
 * MPI_ANY_SOURCE -2, elsewhere it is the other way round. */
enum { MPICH_HANDLE = 0x44000000 };
#define MPICH_MASK INT64_C(0x7c000000)

typedef struct persistent {
    uint64_t address;
    call_message message;
    bool sends, skip; /* skip: to or from nobody */
} persistent;

typedef struct handle {
    int64_t id;
    uint32_t comm;
} handle;

typedef struct allprof_reader {
    program *p;
    uint32_t rank;
    allprof_line l;
    allprof_time last;       /* end of the call before */
    bool begun, ended, some; /* some: a wait for some, or a test, was called */
    bool mpich;
    handle *handles; /* of the rank, in the order of their first use */
    size_t num_handles, room_handles;
    uint32_t full;  /* of them, those of all ranks */
    uint64_t *open; /* requests, in no order */
    size_t num_open, room_open;
    persistent *persistent;
    size_t num_persistent, room_persistent;
    uint64_t *counts; /* [2 * ranks] */
} allprof_reader;

static ik_status liballprof_no_memory(ik_error *err)
{
    return ik_fail_memory(err, 1 << 16, "a trace");
}

/* ---- communicators */

static ik_status liballprof_new_handle(allprof_reader *r, unsigned field, int64_t id, int64_t rank,
                                       int64_t size, uint32_t *comm, ik_error *err)
{
    uint32_t ranks = program_ranks(r->p);
    ik_status status = IK_OK;
    if (rank < 0 || rank >= size)
        return allprof_fail(&r->l, field, err, "rank %" PRId64 " of %" PRId64, rank, size);
    if (size == ranks && rank != r->rank) {
        allprof_fail(&r->l, field, err, "rank %" PRId64 " in the file of rank %u", rank, r->rank);
        return ik_hint(err, IK_ERR_INPUT, "files are ranks in the order of their names");
    }
    if (size > ranks) {
        allprof_fail(&r->l, field, err, "a communicator of %" PRId64 " ranks, and %u %s", size,
                     ranks, ranks == 1 ? "file" : "files");
        return ik_hint(err, IK_ERR_INPUT,
                       "one file per rank: name the folder, or a quoted pattern");
    }
    if (size != ranks && size != 1) {
        allprof_fail(&r->l, field, err, "a communicator of %" PRId64 " of the %s", size,
                     IK_COUNT(ranks, "rank"));
        return ik_hint(err, IK_ERR_INPUT,
                       "this format does not say which ranks a communicator has");
    }
    if (size == ranks)
        status = r->full ? program_comm(r->p, NULL, 0, r->full, comm, err) : IK_OK;
    else
        status = program_comm(r->p, &r->rank, 1, (uint64_t)id, comm, err);
    r->full += size == ranks;
    if (status == IK_OK && !IK_ARRAY_ROOM(r->handles, r->room_handles, r->num_handles + 1))
        return liballprof_no_memory(err);
    if (status == IK_OK)
        r->handles[r->num_handles++] = (handle){id, *comm};
    return status;
}

static ik_status liballprof_take_comm(allprof_reader *r, unsigned argument, uint32_t *comm,
                                      ik_error *err)
{
    int64_t id = 0, rank = 0, size = 0;
    ik_status status = allprof_item(&r->l, argument, 0, &id, err);
    if (status == IK_OK)
        status = allprof_item(&r->l, argument, 1, &rank, err);
    if (status == IK_OK)
        status = allprof_item(&r->l, argument, 2, &size, err);
    if (status != IK_OK)
        return status;
    r->mpich |= id > 0 && (id & MPICH_MASK) == (MPICH_HANDLE & MPICH_MASK) && id <= UINT32_MAX;
    *comm = 0;
    for (size_t k = 0; k < r->num_handles; k++)
        if (r->handles[k].id == id) {
            *comm = r->handles[k].comm;
            return IK_OK;
        }
    return liballprof_new_handle(r, r->l.argument[argument], id, rank, size, comm, err);
}

/* ---- requests */

static ik_status liballprof_wait_for(allprof_reader *r, uint64_t request, ik_error *err)
{
    for (size_t k = 0; k < r->num_open; k++)
        if (r->open[k] == request) {
            r->open[k] = r->open[--r->num_open];
            break;
        }
    return call_wait(r->p, r->rank, &request, 1, err);
}

/* A variable that is used for another request: a test must have completed the one before. */
static ik_status liballprof_begin_request(allprof_reader *r, uint64_t request, ik_error *err)
{
    ik_status status = IK_OK;
    if (r->some && call_is_open(r->p, r->rank, request))
        status = liballprof_wait_for(r, request, err);
    if (status != IK_OK)
        return status;
    if (!IK_ARRAY_ROOM(r->open, r->room_open, r->num_open + 1))
        return liballprof_no_memory(err);
    r->open[r->num_open++] = request;
    return IK_OK;
}

static ik_status liballprof_take_request(allprof_reader *r, unsigned argument, uint64_t *request,
                                         ik_error *err)
{
    ik_status status = allprof_pointer(&r->l, argument, request, err);
    return status == IK_OK ? liballprof_begin_request(r, *request, err) : status;
}

/* How many of `num` requests are open that stand so many bytes apart. */
static uint64_t liballprof_count_open(const allprof_reader *r, uint64_t first, uint64_t num,
                                      unsigned apart)
{
    uint64_t found = 0;
    for (size_t k = 0; k < r->num_open; k++) {
        uint64_t at = r->open[k] - first;
        found += r->open[k] >= first && at % apart == 0 && at / apart < num;
    }
    return found;
}

/* An array of requests: addresses of pointers, or of numbers of 4 bytes, whichever are open. */
static unsigned liballprof_bytes_apart(const allprof_reader *r, uint64_t first, uint64_t num)
{
    return liballprof_count_open(r, first, num, 4) > liballprof_count_open(r, first, num, 8) ? 4
                                                                                             : 8;
}

static ik_status liballprof_wait_all(allprof_reader *r, ik_error *err)
{
    int64_t num = 0;
    uint64_t first = 0;
    ik_status status = allprof_int(&r->l, 0, &num, err);
    if (status == IK_OK)
        status = allprof_pointer(&r->l, 1, &first, err);
    if (status == IK_OK && num < 0)
        return allprof_fail(&r->l, r->l.argument[0], err, "a negative number of requests");
    unsigned apart = status == IK_OK ? liballprof_bytes_apart(r, first, (uint64_t)num) : 8;
    size_t waited = 0; /* these are moved to the end of the open ones */
    for (size_t k = 0; status == IK_OK && k < r->num_open - waited;) {
        uint64_t request = r->open[k], at = request - first;
        if (request < first || at % apart != 0 || at / apart >= (uint64_t)num) {
            k++;
            continue;
        }
        waited++;
        r->open[k] = r->open[r->num_open - waited];
        r->open[r->num_open - waited] = request;
    }
    if (status == IK_OK && waited)
        status = call_wait(r->p, r->rank, r->open + r->num_open - waited, waited, err);
    r->num_open -= waited;
    return status;
}

static ik_status liballprof_wait_one(allprof_reader *r, ik_error *err)
{
    uint64_t request = 0;
    ik_status status = allprof_pointer(&r->l, 0, &request, err);
    /* of no request, it is over at once */
    return status == IK_OK && call_is_open(r->p, r->rank, request)
               ? liballprof_wait_for(r, request, err)
               : status;
}

static ik_status liballprof_free_request(allprof_reader *r, ik_error *err)
{
    uint64_t request = 0;
    ik_status status = allprof_pointer(&r->l, 0, &request, err);
    if (status != IK_OK || !call_is_open(r->p, r->rank, request))
        return status;
    for (size_t k = 0; k < r->num_open; k++)
        if (r->open[k] == request)
            r->open[k--] = r->open[--r->num_open];
    return call_forget(r->p, r->rank, request, err);
}

/* ---- messages between two ranks */

/* count, type, peer and tag in a row; *skip: with nobody. */
static ik_status liballprof_take_message(allprof_reader *r, unsigned count, unsigned comm,
                                         bool sends, call_message *m, bool *skip, ik_error *err)
{
    int64_t peer = 0, tag = 0;
    *m = (call_message){
        .seen_peer = PROGRAM_ANY, .seen_tag = PROGRAM_ANY, .request = PROGRAM_BLOCKING};
    ik_status status = liballprof_take_comm(r, comm, &m->comm, err);
    if (status == IK_OK)
        status = allprof_bytes(&r->l, count, count + 1, &m->bytes, err);
    if (status == IK_OK)
        status = allprof_int(&r->l, count + 2, &peer, err);
    if (status == IK_OK)
        status = allprof_int(&r->l, count + 3, &tag, err);
    if (status != IK_OK)
        return status;
    *skip = peer < 0 && (sends || peer == (r->mpich ? -1 : -2));
    if (peer < -2 || peer >= (int64_t)program_comm_size(r->p, m->comm))
        return allprof_fail(&r->l, r->l.argument[count + 2], err,
                            "rank %" PRId64 " of a communicator of %s", peer,
                            IK_COUNT(program_comm_size(r->p, m->comm), "rank"));
    if (!*skip && (tag > PROGRAM_MOST_TAG || tag < -1 || (tag < 0 && sends)))
        return allprof_fail(&r->l, r->l.argument[count + 3], err, "expected a tag");
    m->peer = peer < 0 ? PROGRAM_ANY : program_member(r->p, m->comm, (uint32_t)peer);
    m->tag = tag < 0 ? PROGRAM_ANY : (uint32_t)tag;
    return IK_OK;
}

static ik_status liballprof_begin_message(allprof_reader *r, bool sends, const call_message *m,
                                          ik_error *err)
{
    return sends ? call_send(r->p, r->rank, m, err) : call_recv(r->p, r->rank, m, err);
}

/* MPI_Ssend and its like. */
static bool liballprof_is_synchronous(const allprof_call *call)
{
    return strstr(call->name, "Ssend") || strstr(call->name, "ssend");
}

static ik_status liballprof_do_message(allprof_reader *r, bool sends, ik_error *err)
{
    call_message m;
    bool skip = false;
    ik_status status = liballprof_take_message(r, 1, 5, sends, &m, &skip, err);
    m.synchronous = liballprof_is_synchronous(r->l.call);
    if (status == IK_OK && !skip && r->l.call->request)
        status = liballprof_take_request(r, 6, &m.request, err);
    return status == IK_OK && !skip ? liballprof_begin_message(r, sends, &m, err) : status;
}

/* Both at once: over when both are. */
static ik_status liballprof_do_sendrecv(allprof_reader *r, bool replace, ik_error *err)
{
    /* numbers of their own: no variable has an odd address */
    enum { SEND = 1, RECV = 3 };
    static const uint64_t both[] = {SEND, RECV};
    call_message send, recv;
    bool skip_send = false, skip_recv = false;
    unsigned comm = replace ? 7 : 10;
    ik_status status = liballprof_take_message(r, 1, comm, true, &send, &skip_send, err);
    if (status == IK_OK && !replace)
        status = liballprof_take_message(r, 6, comm, false, &recv, &skip_recv, err);
    if (status == IK_OK && replace) { /* one buffer: its size is said once */
        r->l.argument[3] = r->l.argument[5];
        r->l.argument[4] = r->l.argument[6];
        status = liballprof_take_message(r, 1, comm, false, &recv, &skip_recv, err);
    }
    send.request = SEND;
    recv.request = RECV;
    if (status == IK_OK && !skip_recv)
        status = call_recv(r->p, r->rank, &recv, err);
    if (status == IK_OK && !skip_send)
        status = call_send(r->p, r->rank, &send, err);
    size_t num = 2u - skip_send - skip_recv;
    return status == IK_OK && num ? call_wait(r->p, r->rank, both + skip_send, num, err) : status;
}

/* ---- persistent requests */

static ik_status define_persistent(allprof_reader *r, bool sends, ik_error *err)
{
    persistent made = {.sends = sends};
    ik_status status = liballprof_take_message(r, 1, 5, sends, &made.message, &made.skip, err);
    if (status == IK_OK)
        status = allprof_pointer(&r->l, 6, &made.address, err);
    if (status != IK_OK)
        return status;
    made.message.request = made.address;
    made.message.synchronous = liballprof_is_synchronous(r->l.call);
    for (size_t k = 0; k < r->num_persistent; k++)
        if (r->persistent[k].address == made.address) {
            r->persistent[k] = made;
            return IK_OK;
        }
    if (!IK_ARRAY_ROOM(r->persistent, r->room_persistent, r->num_persistent + 1))
        return liballprof_no_memory(err);
    r->persistent[r->num_persistent++] = made;
    return IK_OK;
}

static ik_status start_persistent(allprof_reader *r, uint64_t first, uint64_t num, ik_error *err)
{
    ik_status status = IK_OK;
    uint64_t started = 0;
    for (unsigned apart = 8; apart >= 4 && !started; apart -= 4)
        for (size_t k = 0; k < r->num_persistent && status == IK_OK; k++) {
            const persistent *of = &r->persistent[k];
            uint64_t at = of->address - first;
            if (of->address < first || at % apart != 0 || at / apart >= num)
                continue;
            started++;
            if (of->skip)
                continue;
            status = liballprof_begin_request(r, of->address, err);
            if (status == IK_OK)
                status = liballprof_begin_message(r, of->sends, &of->message, err);
        }
    if (status == IK_OK && num && !started)
        return allprof_fail(&r->l, r->l.num_fields - 2, err, "no such request was made");
    return status;
}

static ik_status liballprof_start(allprof_reader *r, bool all, ik_error *err)
{
    int64_t num = 1;
    uint64_t first = 0;
    ik_status status = all ? allprof_int(&r->l, 0, &num, err) : IK_OK;
    if (status == IK_OK)
        status = allprof_pointer(&r->l, all, &first, err);
    if (status == IK_OK && num < 0)
        return allprof_fail(&r->l, r->l.argument[0], err, "a negative number of requests");
    return status == IK_OK ? start_persistent(r, first, (uint64_t)num, err) : status;
}

/* ---- collective operations */

/* Place of the nth argument of a type in the layout. */
static unsigned liballprof_find_argument(const allprof_call *call, char type, unsigned nth)
{
    for (unsigned k = 0;; k++)
        if (call->layout[k] == type && nth-- == 0)
            return k;
}

static ik_status liballprof_take_root(allprof_reader *r, unsigned argument,
                                      program_collective_call *c, ik_error *err)
{
    int64_t root = 0;
    ik_status status = allprof_int(&r->l, argument, &root, err);
    if (status == IK_OK && (root < 0 || root >= (int64_t)program_comm_size(r->p, c->comm)))
        return allprof_fail(&r->l, r->l.argument[argument], err,
                            "root %" PRId64 " of a communicator of %s", root,
                            IK_COUNT(program_comm_size(r->p, c->comm), "rank"));
    c->root = (uint32_t)root;
    return status;
}

/* Sizes where all ranks have the same: as MPI_IN_PLACE leaves them. own: the rank is the root. */
static ik_status liballprof_take_sizes(allprof_reader *r, program_collective_call *c, bool own,
                                       ik_error *err)
{
    uint32_t num = program_comm_size(r->p, c->comm);
    switch (c->operation) {
    case COLLECTIVE_BARRIER:
        return IK_OK;
    case COLLECTIVE_BROADCAST:
        return allprof_bytes(&r->l, 1, 2, &c->bytes, err);
    case COLLECTIVE_GATHER:
        if (c->varies) /* what the root has for itself is no message */
            return own ? IK_OK : allprof_bytes(&r->l, 1, 2, &c->bytes, err);
        return own ? allprof_bytes(&r->l, 4, 5, &c->bytes, err)
                   : allprof_bytes(&r->l, 1, 2, &c->bytes, err);
    case COLLECTIVE_SCATTER:
        if (!c->varies)
            return own ? allprof_bytes(&r->l, 1, 2, &c->bytes, err)
                       : allprof_bytes(&r->l, 4, 5, &c->bytes, err);
        c->send_counts = own ? r->counts : NULL;
        return own ? allprof_counts(&r->l, 1, 3, num, r->counts, err) : IK_OK;
    case COLLECTIVE_ALLGATHER:
        c->recv_counts = c->varies ? r->counts : NULL;
        return c->varies ? allprof_counts(&r->l, 4, 6, num, r->counts, err)
                         : allprof_bytes(&r->l, 4, 5, &c->bytes, err);
    case COLLECTIVE_ALLTOALL:
        return allprof_bytes(&r->l, 4, 5, &c->bytes, err);
    case COLLECTIVE_REDUCE_SCATTER:
        c->recv_counts = c->varies ? r->counts : NULL;
        return c->varies ? allprof_counts(&r->l, 2, 3, num, r->counts, err)
                         : allprof_bytes(&r->l, 2, 3, &c->bytes, err);
    default: /* reductions and scans */
        return allprof_bytes(&r->l, 2, 3, &c->bytes, err);
    }
}

static ik_status liballprof_take_pairs(allprof_reader *r, program_collective_call *c, ik_error *err)
{
    uint32_t num = program_comm_size(r->p, c->comm);
    c->send_counts = r->counts;
    c->recv_counts = r->counts + program_ranks(r->p);
    ik_status status = allprof_counts(&r->l, 1, 3, num, r->counts, err);
    return status == IK_OK ? allprof_counts(&r->l, 5, 7, num, r->counts + program_ranks(r->p), err)
                           : status;
}

static ik_status liballprof_do_collective(allprof_reader *r, ik_error *err)
{
    const allprof_call *call = r->l.call;
    program_collective_call c = {.operation = (collective_operation)call->operation,
                                 .varies = call->varies};
    unsigned comm = liballprof_find_argument(call, 'c', 0);
    uint64_t request = PROGRAM_BLOCKING;
    ik_status status = liballprof_take_comm(r, comm, &c.comm, err);
    bool rooted = c.operation == COLLECTIVE_BROADCAST || c.operation == COLLECTIVE_REDUCE ||
                  c.operation == COLLECTIVE_GATHER || c.operation == COLLECTIVE_SCATTER;
    if (status == IK_OK && rooted)
        status = liballprof_take_root(r, comm - 1, &c, err);
    if (status == IK_OK)
        status = c.operation == COLLECTIVE_ALLTOALLV
                     ? liballprof_take_pairs(r, &c, err)
                     : liballprof_take_sizes(r, &c, program_member(r->p, c.comm, c.root) == r->rank,
                                             err);
    if (status == IK_OK && call->request)
        status = liballprof_take_request(r, comm + 1, &request, err);
    return status == IK_OK ? call_collective(r->p, r->rank, &c, request, err) : status;
}

/* ---- a rank */

/* What it computed since the call before. */
static ik_status liballprof_compute(allprof_reader *r, ik_error *err)
{
    const allprof_time *from = &r->last, *to = &r->l.begin;
    bool back = to->us < from->us || (to->us == from->us && to->ps < from->ps);
    if (back) {
        allprof_fail(&r->l, 1, err, "the call begins before the one before it has ended");
        return ik_hint(err, IK_ERR_INPUT, "the clock went back by %" PRIu64 " us",
                       from->us - to->us);
    }
    uint64_t us = to->us - from->us;
    if (us > PROGRAM_MOST_PS / 1000000)
        return allprof_fail(&r->l, 1, err, "more than 11 days after the call before it");
    return call_compute(r->p, r->rank, us * 1000000 + to->ps - from->ps, err);
}

static ik_status liballprof_end_rank(allprof_reader *r, ik_error *err)
{
    r->ended = true;
    if (!r->some || !r->num_open) /* else the builder says which is open */
        return IK_OK;
    ik_status status = call_wait(r->p, r->rank, r->open, r->num_open, err);
    r->num_open = 0;
    return status;
}

static ik_status liballprof_do_call(allprof_reader *r, ik_error *err)
{
    switch (r->l.call->kind) {
    case ALLPROF_SEND:
        return liballprof_do_message(r, true, err);
    case ALLPROF_RECV:
        return liballprof_do_message(r, false, err);
    case ALLPROF_SENDRECV:
    case ALLPROF_SENDRECV_REPLACE:
        return liballprof_do_sendrecv(r, r->l.call->kind == ALLPROF_SENDRECV_REPLACE, err);
    case ALLPROF_SEND_INIT:
        return define_persistent(r, true, err);
    case ALLPROF_RECV_INIT:
        return define_persistent(r, false, err);
    case ALLPROF_START:
        return liballprof_start(r, false, err);
    case ALLPROF_STARTALL:
        return liballprof_start(r, true, err);
    case ALLPROF_WAIT:
        return liballprof_wait_one(r, err);
    case ALLPROF_WAITALL:
        return liballprof_wait_all(r, err);
    case ALLPROF_SOME:
        r->some = true;
        return IK_OK;
    case ALLPROF_FREE:
        return liballprof_free_request(r, err);
    case ALLPROF_COLLECTIVE:
        return liballprof_do_collective(r, err);
    default:
        return liballprof_end_rank(r, err);
    }
}

static ik_status liballprof_do_line(allprof_reader *r, ik_error *err)
{
    if (!r->l.call || r->l.call->kind == ALLPROF_LOCAL)
        return IK_OK;
    if (r->ended)
        return allprof_fail(&r->l, 0, err, "a call after MPI_Finalize");
    if ((r->l.call->kind == ALLPROF_INIT) == r->begun)
        return allprof_fail(&r->l, 0, err,
                            r->begun ? "MPI_Init for the second time" : "expected MPI_Init");
    program_place(r->p, r->l.path, r->l.number);
    ik_status status = r->begun ? liballprof_compute(r, err) : IK_OK;
    if (status == IK_OK && r->begun)
        status = liballprof_do_call(r, err);
    r->begun = true;
    r->last = r->l.end;
    return status;
}

static ik_status liballprof_read_lines(allprof_reader *r, ik_text_lines *lines, ik_error *err)
{
    bool more = true;
    ik_status status = IK_OK;
    while (status == IK_OK) {
        status = ik_text_lines_next(lines, &more, err);
        if (status != IK_OK || !more)
            break;
        status = allprof_read(lines, &r->l, err);
        if (status == IK_OK)
            status = liballprof_do_line(r, err);
    }
    if (status != IK_OK || r->ended)
        return status;
    ik_fail_at(err, IK_ERR_INPUT, lines->path, lines->number ? lines->number : 1, 1,
               "the file ends before MPI_Finalize");
    return ik_hint(err, IK_ERR_INPUT, "the trace seems to be cut off");
}

static ik_status liballprof_read_rank(program *p, uint32_t rank, const char *path, uint64_t *counts,
                                      const ik_env *env, ik_error *err)
{
    allprof_reader r = {.p = p, .rank = rank, .counts = counts};
    ik_text_lines lines = {0};
    ik_status status = ik_text_lines_open(&lines, path, env, err);
    if (status == IK_OK)
        status = liballprof_read_lines(&r, &lines, err);
    ik_text_lines_close(&lines);
    free(r.handles);
    free(r.open);
    free(r.persistent);
    return status;
}

static ik_status read_liballprof(program *p, const program_source *s, const ik_env *env,
                                 ik_error *err)
{
    program_place(p, s->files[0], 1);
    ik_status status = program_begin(p, s->num_files, err);
    uint64_t *counts = status == IK_OK ? ik_calloc(2 * (size_t)s->num_files, sizeof *counts) : NULL;
    if (status == IK_OK && !counts)
        status = liballprof_no_memory(err);
    for (uint32_t rank = 0; rank < s->num_files && status == IK_OK; rank++)
        status = liballprof_read_rank(p, rank, s->files[rank], counts, env, err);
    free(counts);
    return status;
}

static unsigned liballprof_probe(const program_source *s)
{
    if (strncmp(s->head, "# collprof", 10) == 0 || strncmp(s->head, "# allprof", 9) == 0)
        return 100;
    const char *at = s->head;
    while (*at == '#' || *at == '\n') { /* comments and empty lines before the first call */
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return strncmp(at, "MPI_Init", 8) == 0 ? 90 : 0;
}

const program_reader program_reader_liballprof = {
    .name = "liballprof",
    .summary = "text traces of liballprof, which comes with LogGOPSim: one file per rank",
    .source = "T. Hoefler, T. Schneider, A. Lumsdaine, LogGOPSim, HPDC 2010",
    .probe = liballprof_probe,
    .read = read_liballprof,
};
