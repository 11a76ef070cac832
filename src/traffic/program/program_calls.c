/* SPDX-License-Identifier: Apache-2.0
 *
 * program_calls.c: what ranks do one after the other, as tasks.
 *
 * Of each rank the operation is kept that ends its last call: the next one waits for it. What a
 * call without blocking begins waits for it, too, and stays in a table until somebody waits for
 * it. */
#include "base/array.h"
#include "traffic/program/program_impl.h"

#include <assert.h>
#include <inttypes.h>

/* ---- open requests */

static uint32_t program_calls_find_request(const program *p, uint32_t rank, uint64_t number,
                                           uint32_t *tag)
{
    const ik_hash *h = &p->request_by_key;
    uint32_t id;
    *tag = ik_hash_tag2(rank, number);
    for (size_t at = ik_hash_first(h, *tag); (id = ik_hash_find(h, *tag, &at)) != IK_NONE; at++)
        if (p->requests[id].rank == rank && p->requests[id].number == number)
            break;
    return id;
}

bool call_is_open(const program *p, uint32_t rank, uint64_t request)
{
    uint32_t tag;
    return program_calls_find_request(p, rank, request, &tag) != IK_NONE;
}

static ik_status program_calls_open_at(program *p, uint32_t rank, uint64_t number, uint32_t done,
                                       ik_error *err)
{
    uint32_t tag, id = program_calls_find_request(p, rank, number, &tag);
    if (id != IK_NONE) {
        const char *path;
        unsigned line = graph_line(&p->b, p->requests[id].done, &path);
        program_refuse(p, err, "request %" PRIu64 " of rank %u is still open", number, rank);
        return ik_hint(err, IK_ERR_INPUT, "it began in %s, line %u", path, line);
    }
    id = p->free_request;
    if (id == IK_NONE) {
        if (!IK_ARRAY_ROOM(p->requests, p->room_requests, p->num_requests + 1))
            return program_no_memory(p, err);
        id = (uint32_t)p->num_requests++;
    } else {
        p->free_request = p->requests[id].next_free;
    }
    p->requests[id] = (open_request){.number = number, .rank = rank, .done = done};
    if (ik_hash_add(&p->request_by_key, tag, id))
        return IK_OK;
    p->requests[id].rank = IK_NONE;
    p->requests[id].next_free = p->free_request;
    p->free_request = id;
    return program_no_memory(p, err);
}

/* Takes it out; *done: the operation. */
static ik_status program_calls_close_request(program *p, uint32_t rank, uint64_t number,
                                             uint32_t *done, ik_error *err)
{
    uint32_t tag, id = program_calls_find_request(p, rank, number, &tag);
    if (id == IK_NONE) {
        program_refuse(p, err, "rank %u waits for request %" PRIu64 ", which is not open", rank,
                       number);
        return ik_hint(err, IK_ERR_INPUT, "it was never begun, or was waited for before");
    }
    ik_hash_remove(&p->request_by_key, tag, id);
    *done = p->requests[id].done;
    p->requests[id].rank = IK_NONE;
    p->requests[id].next_free = p->free_request;
    p->free_request = id;
    return IK_OK;
}

ik_status program_check_requests(program *p, ik_error *err)
{
    for (size_t k = 0; k < p->num_requests; k++) {
        const open_request *r = &p->requests[k];
        if (r->rank == IK_NONE)
            continue;
        const char *path;
        unsigned line = graph_line(&p->b, r->done, &path);
        ik_fail_at(err, IK_ERR_INPUT, path, line, 0,
                   "rank %u never waits for request %" PRIu64 ", which begins here", r->rank,
                   r->number);
        return ik_hint(err, IK_ERR_INPUT, "the trace seems to be cut off");
    }
    return IK_OK;
}

/* ---- the order of a rank */

/* What is added now begins when the rank's call before is done. */
static void program_calls_follow(program *p, uint32_t rank, program_task task)
{
    assert(rank < p->num_ranks);
    graph_wait(&p->b, task.begin, p->ranks[rank].last, false);
}

ik_status program_flush(program *p, uint32_t rank, ik_error *err)
{
    rank_state *r = &p->ranks[rank];
    program_task task;
    if (!r->compute_ps)
        return IK_OK;
    ik_status status = program_calc(p, rank, r->compute_ps, &task, err);
    if (status != IK_OK)
        return status;
    program_calls_follow(p, rank, task);
    graph_call(&p->b, task.end, IK_CALL_COMPUTE);
    r->last = task.end;
    r->compute_ps = 0;
    return IK_OK;
}

/* Before anything else of a call. */
static ik_status program_calls_begin_call(program *p, uint32_t rank, ik_error *err)
{
    assert(rank < p->num_ranks);
    ik_status status = program_check_rank(p, rank, err);
    return status == IK_OK ? program_flush(p, rank, err) : status;
}

static ik_status program_calls_end_call(program *p, uint32_t rank, ik_call_kind kind,
                                        program_task task, uint64_t request, ik_error *err)
{
    assert(rank < p->num_ranks && kind < IK_CALL_KINDS);
    program_calls_follow(p, rank, task);
    if (request != PROGRAM_BLOCKING)
        return program_calls_open_at(p, rank, request, task.end, err);
    graph_call(&p->b, task.end, kind);
    p->ranks[rank].last = task.end;
    return IK_OK;
}

ik_status call_compute(program *p, uint32_t rank, uint64_t ps, ik_error *err)
{
    ik_status status = program_check_rank(p, rank, err);
    if (status != IK_OK)
        return status;
    if (ps > PROGRAM_MOST_PS || p->ranks[rank].compute_ps > PROGRAM_MOST_PS - ps)
        return program_refuse(p, err, "a computation of more than 11 days");
    p->ranks[rank].compute_ps += ps;
    return IK_OK;
}

ik_status call_collective(program *p, uint32_t rank, const program_collective_call *c,
                          uint64_t request, ik_error *err)
{
    program_task task;
    ik_status status = program_begin_collective(p, c, err);
    if (status == IK_OK)
        status = program_calls_begin_call(p, rank, err);
    if (status == IK_OK)
        status = program_collective(p, rank, c, &task, err);
    return status == IK_OK ? program_calls_end_call(p, rank, IK_CALL_COLLECTIVE, task, request, err)
                           : status;
}

ik_status call_send(program *p, uint32_t rank, const call_message *m, ik_error *err)
{
    program_task task;
    ik_status status = program_calls_begin_call(p, rank, err);
    p->b.sync_now = m->synchronous;
    if (status == IK_OK)
        status = program_send(p, rank, m->peer, m->comm, m->tag, m->bytes, &task, err);
    p->b.sync_now = false;
    return status == IK_OK ? program_calls_end_call(p, rank, IK_CALL_SEND, task, m->request, err)
                           : status;
}

ik_status call_recv(program *p, uint32_t rank, const call_message *m, ik_error *err)
{
    program_task task;
    uint32_t from = m->peer, tag = m->tag;
    if (from == PROGRAM_ANY && p->set.match_recorded)
        from = m->seen_peer;
    if (tag == PROGRAM_ANY && p->set.match_recorded)
        tag = m->seen_tag;
    ik_status status = program_calls_begin_call(p, rank, err);
    if (status == IK_OK)
        status = program_recv(p, rank, from, m->comm, tag, m->bytes, &task, err);
    return status == IK_OK ? program_calls_end_call(p, rank, IK_CALL_RECEIVE, task, m->request, err)
                           : status;
}

ik_status call_wait(program *p, uint32_t rank, const uint64_t *requests, size_t num, ik_error *err)
{
    program_task task;
    ik_status status = program_calls_begin_call(p, rank, err);
    if (status == IK_OK && num)
        status = program_calc(p, rank, 0, &task, err);
    for (size_t k = 0; k < num && status == IK_OK; k++) {
        uint32_t done;
        status = program_calls_close_request(p, rank, requests[k], &done, err);
        if (status == IK_OK)
            graph_wait(&p->b, task.begin, done, false);
    }
    return status == IK_OK && num
               ? program_calls_end_call(p, rank, IK_CALL_WAIT, task, PROGRAM_BLOCKING, err)
               : status;
}

ik_status call_forget(program *p, uint32_t rank, uint64_t request, ik_error *err)
{
    uint32_t done;
    ik_status status = program_check_rank(p, rank, err);
    return status == IK_OK ? program_calls_close_request(p, rank, request, &done, err) : status;
}
